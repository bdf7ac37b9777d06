//! How conditions and ways are written: in which pieces, where each of them stands, and what a comparison compares with.

use model::{Comparison, ConditionWritten, FormControl, FormWay, Place, Takes};
use serde_json::{Map, Value};

/// The words of a comparison, with what a person reads between the field and the value, and what it compares with.
const COMPARISONS: [(&str, &str, Takes); 11] = [
    ("equals", "is", Takes::Value),
    ("not_equals", "is not", Takes::Value),
    ("in", "is one of", Takes::List),
    ("not_in", "is none of", Takes::List),
    ("contains", "contains", Takes::Value),
    ("gt", "is more than", Takes::Number),
    ("gte", "is at least", Takes::Number),
    ("lt", "is less than", Takes::Number),
    ("lte", "is at most", Takes::Number),
    ("exists", "is reported", Takes::Nothing),
    ("matches", "matches the pattern", Takes::Text),
];

/// Other words for them, which stay where they are written.
const ALSO: [(&str, Takes); 8] = [
    ("eq", Takes::Value),
    ("==", Takes::Value),
    ("ne", Takes::Value),
    ("!=", Takes::Value),
    (">", Takes::Number),
    (">=", Takes::Number),
    ("<", Takes::Number),
    ("<=", Takes::Number),
];

/// What a comparison can be, the words of these conditions included.
pub(crate) fn known_comparisons<'v>(conditions: impl IntoIterator<Item = &'v Value>) -> Vec<Comparison> {
    let comparison = |value: &str, label: &str, takes| Comparison {
        value: value.to_owned(),
        label: label.to_owned(),
        takes,
    };
    let known = COMPARISONS.iter();
    let mut all: Vec<Comparison> = known
        .map(|(value, label, takes)| comparison(value, label, *takes))
        .collect();
    for word in conditions
        .into_iter()
        .filter_map(|condition| condition.get("operator")?.as_str())
    {
        if !word.is_empty() && all.iter().all(|known| known.value != word) {
            let takes = ALSO.iter().find(|(also, _)| *also == word);
            all.push(comparison(word, word, takes.map_or(Takes::Value, |(_, takes)| *takes)));
        }
    }
    all
}

const PIECES: [&str; 3] = ["field", "operator", "value"];
const EXPRESSION: &str = "expression";

/// How a condition is written that stands at a place.
pub(crate) fn condition(value: &Value, place: &Place) -> ConditionWritten {
    let map = match value {
        Value::Null => return ConditionWritten::Nothing,
        Value::String(text) if text.trim().is_empty() => return ConditionWritten::Nothing,
        Value::Object(map) if map.is_empty() => return ConditionWritten::Nothing,
        Value::Object(map) => map,
        Value::Array(_) => return ConditionWritten::Block,
        one => {
            return ConditionWritten::Text {
                text: text_of(one),
                place: place.clone(),
                more: false,
            };
        }
    };
    let has_more = |own: &[&str]| map.keys().any(|key| !own.contains(&key.as_str()));
    match map.get(EXPRESSION).filter(|one| is_plain(one)) {
        Some(one) => ConditionWritten::Text {
            text: text_of(one),
            place: place.clone().field(EXPRESSION),
            more: has_more(&[EXPRESSION, PIECES[0], PIECES[1], PIECES[2]]),
        },
        None if in_pieces(map) => {
            let piece = |key: &str| map.get(key).cloned().unwrap_or(Value::Null);
            ConditionWritten::Pieces {
                field: piece("field"),
                operator: piece("operator"),
                value: piece("value"),
                more: has_more(&[EXPRESSION, PIECES[0], PIECES[1], PIECES[2]]),
            }
        }
        None => ConditionWritten::Block,
    }
}

/// Whether controls of one line each can hold all of it.
fn in_pieces(map: &Map<String, Value>) -> bool {
    let is_line = |one: &Value| match one {
        Value::String(text) => !text.contains('\n'),
        other => other.is_null() || is_plain(other),
    };
    let holds = map.get("operator").is_none_or(is_line)
        && match map.get("value") {
            Some(Value::Array(all)) => all.iter().all(is_line),
            one => one.is_none_or(is_line),
        };
    holds && map.get("field").is_some_and(is_plain)
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Values, each with where it leads.
pub(crate) fn values(value: &Value, place: &Place) -> FormControl {
    let all = value.as_object().into_iter().flatten();
    let ways = all.map(|(when, to)| {
        let place = place.clone().field(when.as_str());
        FormWay {
            when: when.as_str().into(),
            written: ConditionWritten::Nothing,
            to: text_of(to),
            when_place: place.clone(),
            to_place: place.clone(),
            place,
        }
    });
    FormControl::Ways { ways: ways.collect() }
}

/// What the condition of a way stands under, and where it leads.
const WHEN: &str = "condition";
const TO: &str = "next";

/// Conditions, each with where it leads.
pub(crate) fn guards(value: &Value, place: &Place) -> FormControl {
    let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let of = |one: &Value, key: &str| one.get(key).cloned().unwrap_or(Value::Null);
    let ways = all.iter().enumerate().map(|(n, one)| {
        let place = place.clone().field(n.to_string());
        let (when, when_place) = (of(one, WHEN), place.clone().field(WHEN));
        FormWay {
            written: condition(&when, &when_place),
            to: text_of(&of(one, TO)),
            when,
            when_place,
            to_place: place.clone().field(TO),
            place,
        }
    });
    let ways: Vec<FormWay> = ways.collect();
    FormControl::Guards {
        comparisons: known_comparisons(ways.iter().map(|way| &way.when)),
        keys: [WHEN.to_owned(), TO.to_owned()],
        other: !value.is_null() && !value.is_array(),
        ways,
    }
}
