//! What a value of a field says in words: of the status that steps report, which reads like jargon.

use super::{Row, What};
use model::fork::VERIFIED;
use model::routing::DECIDES as STATUS;
use serde_json::Value;

/// What values of it say of the step that reports them.
const SAID: [(&str, &str); 2] = [
    (VERIFIED, "its check is passed"),
    ("UNVERIFIED", "its check is not passed"),
];

/// What is said of the values that a row holds. `of`: the field whose values they are.
pub(super) fn said(row: &Row, of: Option<&str>, written: &Value) -> Option<String> {
    let mut found = Vec::new();
    // What ends a loop.
    let until = match row.what {
        What::Texts if of == Some(STATUS) => {
            texts(written, &mut found);
            true
        }
        What::Pairs => {
            texts(written.get(STATUS)?, &mut found);
            true
        }
        What::Ways if of == Some(STATUS) => {
            let ways = written.as_object().into_iter().flatten();
            found.extend(ways.map(|(value, _)| value.clone()));
            false
        }
        What::Condition => {
            condition(written, &mut found);
            false
        }
        What::Guards => {
            let guards = written.as_array().into_iter().flatten();
            guards
                .filter_map(|one| one.get("condition"))
                .for_each(|one| condition(one, &mut found));
            false
        }
        _ => return None,
    };
    let known = SAID
        .iter()
        .filter(|(value, _)| found.iter().any(|written| written == value));
    let sentences = known.map(|(value, said)| match until {
        true => format!("Until {said} (`{STATUS}: {value}`)."),
        false => format!("`{STATUS}: {value}` says that {said}."),
    });
    let sentences: Vec<String> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
        _ => {}
    }
}

/// What a condition compares the status with.
fn condition(written: &Value, found: &mut Vec<String>) {
    let expression = written.as_str().or_else(|| written.get("expression")?.as_str());
    match expression {
        Some(text) if text.contains(STATUS) => {
            let quoted = |value: &str| ['"', '\''].iter().any(|q| text.contains(&format!("{q}{value}{q}")));
            let named = SAID.iter().filter(|(value, _)| quoted(value));
            found.extend(named.map(|(value, _)| (*value).to_owned()));
        }
        Some(_) => {}
        None if written.get("field").and_then(Value::as_str) == Some(STATUS) => {
            texts(written.get("value").unwrap_or(&Value::Null), found);
        }
        None => {}
    }
}
