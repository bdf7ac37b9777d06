//! What an expression reads of a report: whoever reports it is asked for that.

use super::{CONSTANTS, NAMES, parts};
use crate::Asked;
use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

/// What is known of every step without its report.
const KNOWN: [&str; 5] = ["error", "duration_ms", "step_id", "flow_key", "agent_key"];

/// Every field, in the order written, each once.
pub(super) fn all(root: &IdedExpr) -> Vec<Asked> {
    let mut found = Vec::new();
    look(root, true, &mut found);
    Asked::together(found)
}

/// `decides`: what stands here is to be true or false.
fn look(at: &IdedExpr, decides: bool, found: &mut Vec<Asked>) {
    if let Some(field) = field(at) {
        let is_there = matches!(&at.expr, Expr::Select(select) if select.test);
        let asked = Asked::of(field);
        found.push(match decides && !is_there {
            true => asked.among(true.into()).among(false.into()),
            false => Asked {
                other: true,
                optional: is_there,
                ..asked
            },
        });
        return;
    }
    let inside = parts(at);
    let Expr::Call(call) = &at.expr else {
        // A field inside of a field is no word that somebody can say.
        if !matches!(at.expr, Expr::Select(_)) {
            inside.into_iter().for_each(|part| look(part, false, found));
        }
        return;
    };
    let operator = call.func_name.as_str();
    if let [a, b] = inside[..]
        && let Some(asked) = compared(operator, a, b)
    {
        found.push(asked);
        return;
    }
    let hands_on = [
        operators::LOGICAL_AND,
        operators::LOGICAL_OR,
        operators::LOGICAL_NOT,
        operators::CONDITIONAL,
    ];
    let decides = decides && hands_on.contains(&operator);
    for (n, part) in inside.into_iter().enumerate() {
        let is_question = operator == operators::CONDITIONAL && n == 0;
        look(part, decides || is_question, found);
    }
}

/// A field that is held against what is written.
fn compared(operator: &str, a: &IdedExpr, b: &IdedExpr) -> Option<Asked> {
    let is_order = match operator {
        operators::EQUALS | operators::NOT_EQUALS => false,
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => true,
        operators::IN => {
            let among: Option<Vec<Value>> = match &b.expr {
                Expr::List(list) => list.elements.iter().map(written).collect(),
                _ => None,
            };
            return Some(among?.into_iter().fold(Asked::of(field(a)?), Asked::among));
        }
        _ => return None,
    };
    let (read, held) = match field(a) {
        Some(read) => (read, b),
        None => (field(b)?, a),
    };
    let value = written(held)?;
    let asked = Asked::of(read);
    Some(match is_order {
        true => asked.against(&value),
        false => asked.among(value),
    })
}

/// `colour`, `report.colour` and `report['colour']`; `None`: it is no field of the report, or one inside of another.
fn field(at: &IdedExpr) -> Option<&str> {
    let is_report = |one: &IdedExpr| matches!(&one.expr, Expr::Ident(name) if name == "report");
    match &at.expr {
        Expr::Ident(name) => {
            let is_constant = CONSTANTS.iter().any(|(word, _)| word == name);
            let is_reported = !is_constant && !NAMES.contains(&name.as_str()) && !KNOWN.contains(&name.as_str());
            is_reported.then_some(name.as_str())
        }
        Expr::Select(select) if is_report(&select.operand) => Some(select.field.as_str()),
        Expr::Call(call) if call.func_name == operators::INDEX => match parts(at)[..] {
            [of, key] if is_report(of) => match &key.expr {
                Expr::Literal(LiteralValue::String(name)) => Some(name.inner()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// What is written there; `None`: it is computed.
fn written(at: &IdedExpr) -> Option<Value> {
    Some(match &at.expr {
        Expr::Literal(literal) => match literal {
            LiteralValue::Boolean(is) => Value::Bool(*is.inner()),
            LiteralValue::Double(number) => Value::from(*number.inner()),
            LiteralValue::Int(number) => Value::from(*number.inner()),
            LiteralValue::UInt(number) => Value::from(*number.inner()),
            LiteralValue::String(text) => Value::from(text.inner()),
            LiteralValue::Null => Value::Null,
            LiteralValue::Bytes(_) => return None,
        },
        Expr::Ident(name) => match name.as_str() {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            _ => return None,
        },
        _ => return None,
    })
}
