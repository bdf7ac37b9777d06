//! JSON files: sorted keys, two-space indent, a final line end.

use engine::RunCreated;
use serde_json::{Map, Value};
use std::fmt::Write;

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

/// The same JSON with every character outside ASCII escaped, for a reader that takes nothing else. Such characters
/// stand inside of strings alone.
pub(super) fn ascii(json: Vec<u8>) -> Vec<u8> {
    if json.is_ascii() {
        return json;
    }
    let text = String::from_utf8_lossy(&json);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.into_bytes()
}

/// A file of this run: that of a rehearsal says so.
pub(super) fn marked(created: &RunCreated, mut file: Value) -> Value {
    if let (true, Some(fields)) = (created.is_rehearsal(), file.as_object_mut()) {
        fields.insert("rehearsal".to_owned(), Value::Bool(true));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::ascii;
    use serde_json::{Value, json};

    #[test]
    fn ascii_is_the_same_json() {
        let value = json!({"ü": "“Gatehouse” → 🚪\u{2028}", "plain": "\\u00fc\n"});
        let bytes = ascii(serde_json::to_vec(&value).unwrap());
        assert!(bytes.is_ascii());
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
    }
}
