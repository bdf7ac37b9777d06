//! JSON files: sorted keys, two-space indent, a final line end.

use serde_json::{Map, Value};

/// The bytes of a JSON file.
pub(super) fn file(value: Value) -> Vec<u8> {
    let sorted = sort(value);
    // A Value always serialises.
    let mut bytes = serde_json::to_vec_pretty(&sorted).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn sort(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(String, Value)> = object.into_iter().map(|(k, v)| (k, sort(v))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(Map::from_iter(entries))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sort).collect()),
        other => other,
    }
}
