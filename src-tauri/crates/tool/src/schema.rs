//! JSON Schema: whether it can be used, and what of a value does not fit, in readable words.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// How many faults are told; a value of another kind altogether has thousands.
const TOLD: usize = 20;
/// The longest a fault is told, in characters: a message may quote the whole value.
const LONGEST: usize = 300;

/// A schema that can be used. Nothing is fetched: a reference leads into the schema itself or nowhere.
#[derive(Debug)]
pub(crate) struct Schema(Validator);

/// One thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where: `items[3].name`; empty for the value as a whole.
    pub path: String,
    /// What.
    pub message: String,
}

impl Schema {
    /// # Errors
    /// In words, why the schema cannot be used.
    pub fn of(schema: &Value) -> Result<Self, String> {
        let options = jsonschema::options()
            .should_validate_formats(true)
            // Time grows with the length of the text alone, whatever the pattern.
            .with_pattern_options(PatternOptions::regex());
        options.build(schema).map(Self).map_err(|error| {
            let place = place(error.instance_path().as_str(), schema);
            match place.is_empty() {
                true => short(&error.to_string()),
                false => format!("{place}: {}", short(&error.to_string())),
            }
        })
    }

    /// What of the value does not fit, in the schema's order; at most 20.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        let faults = self.0.iter_errors(value).take(TOLD);
        faults
            .map(|error| Fault {
                path: place(error.instance_path().as_str(), value),
                message: short(&error.to_string()),
            })
            .collect()
    }
}

/// A JSON pointer as people write it: `items[3].name`.
fn place(pointer: &str, value: &Value) -> String {
    let mut place = String::new();
    let mut at = Some(value);
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let index = at.is_some_and(Value::is_array);
        at = match (index, name.parse::<usize>()) {
            (true, Ok(index)) => at.and_then(|v| v.get(index)),
            _ => at.and_then(|v| v.get(&name)),
        };
        if index {
            place.push_str(&format!("[{name}]"));
        } else {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(&name);
        }
    }
    place
}

fn short(message: &str) -> String {
    match message.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message.to_owned(),
    }
}
