//! Conditions of flows and graph files: `field`, `operator` and `value`, or an expression in the Common Expression
//! Language.

use crate::reading::{Block, Context};
use crate::said::in_a_row;
use crate::tree::NodeId;
use model::cel::{self, Expression, Fault};
use model::thousands::doubt;
use model::{Condition, Operator, Place, Severity};
use serde_json::Value;

const HELP: &str = "This workflow does not start. Mend the condition, or write `field`, `operator` and `value` instead";

/// Fields that a step reports by the contract, and those of every receipt: names that a slip is held against.
const FIELDS: [&str; 10] = [
    "status",
    "can_further_iteration_help",
    "error",
    "duration_ms",
    "step_id",
    "flow_key",
    "agent_key",
    "next_step_id",
    "summary",
    "confidence",
];

/// Whether what an expression reads there is a number by the contract (`false`: text); `None`: a step may report anything.
fn is_typed_number(path: &[&str]) -> Option<bool> {
    match path {
        ["iteration_count"] | ["receipt", "duration_ms"] => Some(true),
        ["receipt", "status" | "error" | "step_id" | "flow_key" | "agent_key"] | ["run", "flow_key" | "step_id"] => {
            Some(false)
        }
        _ => None,
    }
}

/// An expression; without a word it is no condition at all.
fn cel(context: &mut Context<'_>, expression: String, place: Place) -> Condition {
    if expression.trim().is_empty() {
        return Condition::Always;
    }
    match Expression::parse(&expression) {
        Err(fault) => wrong(context, &place, &fault, &expression),
        Ok(parsed) => {
            for fault in parsed.faults() {
                wrong(context, &place, &fault, "");
            }
            for fault in parsed.unlike_kinds(is_typed_number) {
                let said = format!(
                    "This comparison says the same whatever the value is: {} ({})",
                    fault.message,
                    at(fault.line, fault.column)
                );
                let help = "Write the number without quotation marks, or the text with them";
                context.report("GH0504", Severity::Note, place.clone(), said, Some(help));
            }
            for name in parsed.names() {
                let known = || cel::NAMES.into_iter().chain(FIELDS);
                if known().any(|known| known == name.name) {
                    continue;
                }
                if let Some(near) = cel::nearest(&name.name, known()) {
                    let said = format!(
                        "The condition reads `{}`, which no step reports by its contract; `{near}` is nearly the same \
                         ({})",
                        name.name,
                        at(name.line, name.column)
                    );
                    let help =
                        format!("Write `{near}`, if that is meant. What nobody reports equals nothing but `null`");
                    context.report("GH0504", Severity::Warning, place.clone(), said, Some(&help));
                }
            }
        }
    }
    Condition::Cel { expression }
}

/// `unread`: the expression, where it is none.
fn wrong(context: &mut Context<'_>, place: &Place, fault: &Fault, unread: &str) {
    let said = format!(
        "This condition cannot be carried out: {} ({})",
        fault.message.trim_end_matches('.'),
        at(fault.line, fault.column)
    );
    let words = cel::other_words(unread).into_iter();
    let words: Vec<String> = words.map(|(other, own)| format!("`{own}` for `{other}`")).collect();
    let help = in_a_row(&words).map(|words| format!("Write {words}. {HELP}"));
    context.report(
        "GH0504",
        Severity::Error,
        place.clone(),
        said,
        help.as_deref().or(Some(HELP)),
    );
}

fn at(line: usize, column: usize) -> String {
    match line {
        1 => format!("column {column} of the expression"),
        _ => format!("line {line}, column {column} of the expression"),
    }
}

/// What `matches` compares with.
fn pattern(context: &mut Context<'_>, value: &Value, place: Place) {
    let why = match value {
        Value::String(pattern) => cel::pattern_of(pattern).err(),
        _ => Some("it is no text".to_owned()),
    };
    if let Some(why) = why {
        let said = format!("The pattern of this condition cannot be used: {why}");
        context.report("GH0504", Severity::Error, place, said, Some(HELP));
    }
}

/// `{field, operator, value}`, `{expression}` or an expression as text.
pub(super) fn read(context: &mut Context<'_>, id: NodeId, place: Place) -> Condition {
    if context.is_null(id) {
        return Condition::Always;
    }
    if let Some(expression) = context.text(id) {
        return cel(context, expression, place);
    }
    let mut block = Block::open(context, id, place.clone());
    if let Some(expression) = block.text(context, "expression") {
        // A trigger has its kind beside it, and some kinds their own words; what they say is held against a table.
        let beside = ["field", "operator", "value"]
            .into_iter()
            .find(|key| block.has(context, key));
        if let Some(key) = beside.filter(|_| !expression.trim().is_empty()) {
            let said = format!("`{key}` stands beside the `expression` of this condition, which alone would be asked");
            let help = "This workflow does not start. Write the whole condition as one `expression`, `a == 1 && b == 2` for example";
            context.report("GH0504", Severity::Error, block.place(key), said, Some(help));
        }
        return cel(context, expression, block.place("expression"));
    }
    let Some(field) = block.text(context, "field") else {
        context.wrong_type(
            place,
            "a condition with `field`, `operator` and `value`",
            "it never holds",
        );
        return Condition::Compare {
            field: String::new(),
            operator: Operator::Other(String::new()),
            value: Value::Null,
        };
    };
    let word = block.text(context, "operator").unwrap_or_else(|| "equals".to_owned());
    let operator = known(context, &word, block.place("operator"));
    let is_there = block.has(context, "value");
    let written = block.peek(context, "value");
    let value = block.take(context, "value").map_or(Value::Null, |id| context.value(id));
    let numbers = [Operator::Gt, Operator::Gte, Operator::Lt, Operator::Lte].contains(&operator);
    // A number without quotes is one in every comparison.
    let text = written
        .filter(|_| numbers || value.is_number())
        .and_then(|id| context.text(id));
    if let Some(doubted) = text.as_deref().and_then(doubt) {
        let is_read = is_number(&value);
        let severity = if is_read { Severity::Warning } else { Severity::Error };
        let follows = match value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()) {
            Some(number) if is_read => format!("this condition reads {number}"),
            _ => "this condition never holds".to_owned(),
        };
        let (said, help) = doubted.split_once(". ").unwrap_or((&doubted, HELP));
        context.report(
            "GH0504",
            severity,
            block.place("value"),
            format!("{said}; {follows}"),
            Some(help),
        );
    }
    match &operator {
        Operator::Matches => pattern(context, &value, block.place("value")),
        Operator::Exists | Operator::Other(_) => {}
        _ if !is_there => {
            let said =
                format!("`{word}` has no `value` to compare with: this condition is the same whatever is reported");
            context.report("GH0504", Severity::Error, place, said, Some(HELP));
        }
        // Of a number with points between its thousands that was said.
        _ if numbers && !is_number(&value) && text.as_deref().and_then(doubt).is_none() => {
            let said = format!("`{word}` compares numbers, and `value` is none: this condition never holds");
            context.report("GH0504", Severity::Error, block.place("value"), said, Some(HELP));
        }
        _ => {}
    }
    Condition::Compare { field, operator, value }
}

/// A number, also one that is written as text.
fn is_number(value: &Value) -> bool {
    let in_text = |text: &str| text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    value.is_number() || value.as_str().is_some_and(in_text)
}

/// How values are compared; a word that is not known is an error.
pub(super) fn known(context: &mut Context<'_>, word: &str, place: Place) -> Operator {
    let operator = operator(word);
    if let Operator::Other(word) = &operator {
        let said = format!("The comparison `{word}` is not known; this condition never holds");
        let known = "Known: equals, not_equals, in, not_in, contains, gt, gte, lt, lte, exists, matches";
        context.report("GH0110", Severity::Error, place, said, Some(known));
    }
    operator
}

fn operator(word: &str) -> Operator {
    match word {
        "equals" | "eq" | "==" => Operator::Equals,
        "not_equals" | "ne" | "!=" => Operator::NotEquals,
        "in" => Operator::In,
        "not_in" => Operator::NotIn,
        "contains" => Operator::Contains,
        "gt" | ">" => Operator::Gt,
        "gte" | ">=" => Operator::Gte,
        "lt" | "<" => Operator::Lt,
        "lte" | "<=" => Operator::Lte,
        "exists" => Operator::Exists,
        "matches" => Operator::Matches,
        other => Operator::Other(other.to_owned()),
    }
}
