//! What a tool is: its name, what it risks, what it wants to be told.

pub use model::Risk;
use serde_json::Value;
use std::time::Duration;

/// How long a call may take unless the tool or the project says otherwise (CONTRACTS, StepSpec).
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// What anybody may know of a tool before calling it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// How a step calls it.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// What it risks.
    pub risk: Risk,
    /// JSON Schema of its arguments, an object.
    pub schema: Value,
    /// The arguments without which it is not called, in the order in which they are missed.
    pub required_args: Vec<String>,
    /// How long a call may take; absent: what the project says.
    pub timeout: Option<Duration>,
}

impl Spec {
    /// A tool whose required arguments are those of its schema.
    pub fn new(name: &str, description: &str, risk: Risk, schema: Value) -> Self {
        let required = schema["required"].as_array().into_iter().flatten();
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            risk,
            required_args: required.filter_map(Value::as_str).map(str::to_owned).collect(),
            schema,
            timeout: None,
        }
    }
}
