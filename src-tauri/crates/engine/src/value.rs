//! What a step reported, as routing reads it: the report first, then the receipt (CONTRACTS "Scenarios", "Stepwise").

use crate::{ExecutionStatus, StepResult};
use model::{Operator, Step, Workflow};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The values that one result offers to routing.
///
/// A field is looked up in what the agent reported and, where it reported none, among the receipt's own fields. A
/// reported `null` counts as not reported. A receipt that could not be read offers nothing at all.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    workflow: &'a Workflow,
    step: &'a Step,
    result: &'a StepResult,
}

impl<'a> Values<'a> {
    /// The values of one result of one step.
    pub fn new(workflow: &'a Workflow, step: &'a Step, result: &'a StepResult) -> Self {
        Self { workflow, step, result }
    }

    /// The value of a field; dots reach into objects where no field has the whole name. Absent and null are `None`.
    pub fn get(&self, field: &str) -> Option<Value> {
        if !self.result.receipt_readable {
            return None;
        }
        let report = &self.result.report;
        let whole = report.get(field).filter(|v| !v.is_null());
        let found = whole.or_else(|| {
            let (first, rest) = field.split_once('.')?;
            rest.split('.')
                .try_fold(report.get(first)?, |value, key| value.get(key))
                .filter(|v| !v.is_null())
        });
        found.cloned().or_else(|| self.receipt(field))
    }

    /// The value of a name in an expression: what was reported, else the receipt, else what every expression may ask.
    pub fn named(&self, name: &str, loops: &BTreeMap<String, u32>) -> Option<Value> {
        let own = format!("{}:", self.step.id);
        self.get(name).or_else(|| {
            Some(match name {
                "report" => Value::Object(self.result.report.iter().map(|(k, v)| (k.clone(), v.clone())).collect()),
                "receipt" => {
                    let fields = ["status", "error", "duration_ms", "step_id", "flow_key", "agent_key"];
                    let known = |field: &str| Some((field.to_owned(), self.receipt(field)?));
                    Value::Object(fields.into_iter().filter_map(known).collect())
                }
                "loops" => Value::Object(loops.iter().map(|(key, n)| (key.clone(), Value::from(*n))).collect()),
                "run" => json!({"flow_key": self.workflow.id.as_str(), "step_id": self.step.id.as_str()}),
                "iteration_count" => {
                    let taken = loops.iter().filter(|(key, _)| key.starts_with(&own)).map(|(_, n)| *n);
                    Value::from(taken.max().unwrap_or(0))
                }
                _ => return None,
            })
        })
    }

    /// The value of a field as text, `None` when it is absent or empty: empty text never matches anything.
    pub fn text(&self, field: &str) -> Option<String> {
        self.get(field).map(|v| text(&v)).filter(|t| !t.is_empty())
    }

    /// The result's status: the reported `status`, else the execution's own word.
    pub fn status(&self) -> String {
        self.text("status")
            .unwrap_or_else(|| self.result.status.word().to_owned())
    }

    /// The fields that every receipt of seed 001 has and that are known when a route is decided.
    fn receipt(&self, field: &str) -> Option<Value> {
        Some(match field {
            "status" => Value::from(self.result.status.word()),
            "error" if self.result.status == ExecutionStatus::Failed => Value::from(self.result.error.clone()?),
            "duration_ms" => Value::from(self.result.duration_ms),
            "step_id" => Value::from(self.step.id.as_str()),
            "flow_key" => Value::from(self.workflow.id.as_str()),
            "agent_key" => Value::from(self.step.agent_key().as_str()),
            _ => return None,
        })
    }
}

/// A value as the contract compares it: text as it is, numbers as written, booleans as `True` and `False` (the origin
/// prints them so, and real flow files compare with `"0"`), anything else as compact JSON; null is empty.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// Whether a reported value (absent: `None`) stands in this relation to what the author wrote.
///
/// Numbers are compared as numbers, also where one side is a number written as text; everything else as [`text`]. What
/// is absent equals nothing, contains nothing and is not ordered; it *is* unequal to everything.
pub fn holds(reported: Option<&Value>, operator: &Operator, wanted: &Value) -> bool {
    let list = || wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
    let among = || reported.is_some_and(|value| list().iter().any(|item| equal(value, item)));
    match operator {
        Operator::Exists => reported.is_some(),
        Operator::Equals => reported.is_some_and(|value| equal(value, wanted)),
        Operator::NotEquals => !reported.is_some_and(|value| equal(value, wanted)),
        Operator::In => among(),
        Operator::NotIn => !among(),
        Operator::Contains => reported.is_some_and(|value| match value {
            Value::Array(items) => items.iter().any(|item| equal(item, wanted)),
            other => !text(wanted).is_empty() && text(other).contains(&text(wanted)),
        }),
        Operator::Gt => ordered(reported, wanted, |a, b| a > b),
        Operator::Gte => ordered(reported, wanted, |a, b| a >= b),
        Operator::Lt => ordered(reported, wanted, |a, b| a < b),
        Operator::Lte => ordered(reported, wanted, |a, b| a <= b),
        Operator::Matches => match (reported, wanted) {
            (Some(Value::String(text)), Value::String(pattern)) => model::cel::matches(text, pattern),
            _ => false,
        },
        Operator::Other(_) => false,
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    if let (Value::Number(a), Value::Number(b)) = (a, b) {
        // Whole numbers that lie close to each other are one and the same as floating-point numbers.
        let are_whole = !a.is_f64() && !b.is_f64();
        return a == b || !are_whole && a.as_f64().is_some_and(|a| Some(a) == b.as_f64());
    }
    a == b || (!a.is_null() && !b.is_null() && text(a) == text(b))
}

fn ordered(reported: Option<&Value>, wanted: &Value, test: fn(f64, f64) -> bool) -> bool {
    let number = |value: &Value| match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite()),
        _ => None,
    };
    matches!((reported.and_then(number), number(wanted)), (Some(a), Some(b)) if test(a, b))
}
