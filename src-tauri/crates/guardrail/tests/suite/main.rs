//! What the rules find, what they pass over, what they show, and how long that takes.

mod configuration;
mod finding;
mod hidden;
mod properties;
mod table;

use guardrail::{Report, Rules, Stage, check};
use serde_json::{Value, json};

/// Rules as they stand in gatehouse.yaml.
fn rules(yaml: &str) -> Rules {
    serde_yaml::from_str(yaml).expect(yaml)
}

/// Why rules cannot be used.
fn refused(yaml: &str) -> String {
    serde_yaml::from_str::<Rules>(yaml).expect_err(yaml).to_string()
}

fn inputs(payload: &Value, rules: &Rules) -> Report {
    check(Stage::Inputs, payload, rules).expect("the rules hold for inputs")
}

/// What is found in one text, as `type rule`: with everything of ours switched on.
fn found(text: &str) -> Vec<String> {
    let report = inputs(&json!({"x": text}), &rules("enabled: true"));
    report
        .violations
        .iter()
        .map(|v| format!("{} {}", v.kind.word(), v.rule))
        .collect()
}
