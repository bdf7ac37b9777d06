//! Reading an `events.jsonl` as it is found: a crash in mid-write, a byte-order mark or a stray line loses nothing else.

use serde_json::Value;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventsFile {
    /// Every line that is a JSON object, in order.
    pub events: Vec<Value>,
    /// Every other line that is not blank.
    pub bad: Vec<BadLine>,
}

/// A line that is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// Reads the bytes of an `events.jsonl`. Never fails: what cannot be read is in `bad`.
pub fn read(bytes: &[u8]) -> EventsFile {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut file = EventsFile::default();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(event @ Value::Object(_)) => file.events.push(event),
            Ok(_) => file.bad.push(BadLine {
                line: i + 1,
                why: "the line is no JSON object".to_owned(),
            }),
            Err(error) => file.bad.push(BadLine {
                line: i + 1,
                why: error.to_string(),
            }),
        }
    }
    file
}
