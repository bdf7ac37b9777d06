//! The context that a run keeps: the project's, with what its workflow adds (seed 003 `global_context`).
//!
//! A workflow may raise what the project wants and add to it, never the other way round: otherwise a file could lower its own risk. Where it
//! says less, or something else than the project has settled, the project's value holds, and that is named (GH0603).

use dialect::context::{self, BELOW};
use model::{Fields, Workflow};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Levels of which a later one wants more.
const ACCESSIBILITY: [&str; 3] = ["WCAG-A", "WCAG-AA", "WCAG-AAA"];

/// A value of a workflow that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lower {
    /// The section and the key.
    pub(crate) path: [String; 2],
    /// What holds instead, in words.
    pub(crate) said: String,
}

/// The context of a run of this workflow in this project; absent: neither says anything.
pub(crate) fn context_of(project: Option<&Arc<Fields>>, workflow: &Workflow) -> Option<Arc<Fields>> {
    let own = context::of(workflow);
    match project {
        _ if own.is_empty() => project.cloned(),
        None => Some(Arc::new(own)),
        Some(project) => Some(Arc::new(together(project, &own).0)),
    }
}

/// Both as one, and what of the workflow's does not hold.
pub(crate) fn together(project: &Fields, own: &Fields) -> (Fields, Vec<Lower>) {
    let (mut all, mut lower) = (project.clone(), Vec::new());
    for (section, written) in own {
        let Value::Object(written) = written else { continue };
        let there = all.entry(section.clone()).or_insert_with(|| Map::new().into());
        let Value::Object(there) = there else { continue };
        for (key, value) in written {
            let Some(settled) = there.get(key) else {
                there.insert(key.clone(), value.clone());
                continue;
            };
            match raised(section, key, settled, value) {
                Some(value) => drop(there.insert(key.clone(), value)),
                None => lower.push(Lower {
                    path: [section.clone(), key.clone()],
                    said: format!(
                        "`context.{section}.{key}` is {} here, and {} in gatehouse.yaml: the project's holds",
                        shown(value),
                        shown(settled)
                    ),
                }),
            }
        }
    }
    (all, lower)
}

/// What holds of both; `None`: the project's alone.
fn raised(section: &str, key: &str, settled: &Value, value: &Value) -> Option<Value> {
    if let (Value::Array(settled), Value::Array(more)) = (settled, value) {
        let mut all = settled.clone();
        all.extend(more.iter().filter(|one| !settled.contains(one)).cloned());
        return Some(all.into());
    }
    let rank = |words: &[&str], value: &Value| {
        let word = value.as_str()?;
        words.iter().position(|one| *one == word)
    };
    let is_no_less = match (section, key) {
        ("quality_standards", "minimum_test_coverage" | "code_quality_threshold") => value
            .as_f64()
            .zip(settled.as_f64())
            .is_some_and(|(own, settled)| own >= settled),
        ("quality_standards", "accessibility_level") => {
            let (own, settled) = (rank(&ACCESSIBILITY, value), rank(&ACCESSIBILITY, settled));
            own.is_some() && own >= settled
        }
        ("quality_standards", "below") => {
            let (own, settled) = (rank(&BELOW, value), rank(&BELOW, settled));
            own.is_some() && own >= settled
        }
        _ => value == settled,
    };
    is_no_less.then(|| value.clone())
}

fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(project: Value, own: Value, expect: Value, lower: &[&str]) {
        let read = |value: Value| -> Fields { serde_json::from_value(value).expect("sections") };
        let (all, said) = together(&read(project), &read(own));
        assert_eq!(json!(all), expect);
        let said: Vec<String> = said.iter().map(|one| one.path.join(".")).collect();
        assert_eq!(said, lower);
    }

    #[test]
    fn a_workflow_raises_what_the_project_wants_and_never_lowers_it() {
        let standards = |written: Value| json!({"quality_standards": written});
        let project = json!({"minimum_test_coverage": 80, "code_quality_threshold": 7.5, "below": "ask",
            "accessibility_level": "WCAG-AA", "security_requirements": ["a"]});
        check(
            standards(project.clone()),
            standards(
                json!({"minimum_test_coverage": 90, "code_quality_threshold": 7.5, "below": "fail",
                "accessibility_level": "WCAG-AAA", "security_requirements": ["b", "a"]}),
            ),
            standards(
                json!({"minimum_test_coverage": 90, "code_quality_threshold": 7.5, "below": "fail",
                "accessibility_level": "WCAG-AAA", "security_requirements": ["a", "b"]}),
            ),
            &[],
        );
        check(
            standards(project.clone()),
            standards(
                json!({"minimum_test_coverage": 79, "code_quality_threshold": 1, "below": "warn",
                "accessibility_level": "WCAG-A", "security_requirements": []}),
            ),
            standards(project),
            &[
                "quality_standards.minimum_test_coverage",
                "quality_standards.code_quality_threshold",
                "quality_standards.below",
                "quality_standards.accessibility_level",
            ],
        );
    }

    #[test]
    fn what_the_project_does_not_speak_of_is_added_and_what_it_has_settled_stays() {
        check(
            json!({"project_constraints": {"timeline": "normal"}, "technical_preferences": {"backend_technology": "Rust"}}),
            json!({"project_constraints": {"timeline": "rush", "team_size": 2}, "business_context": {"target_market": "shops"},
                "technical_preferences": {"backend_technology": "Rust"}, "quality_standards": {"below": "warn"}}),
            json!({"project_constraints": {"timeline": "normal", "team_size": 2}, "technical_preferences": {"backend_technology": "Rust"},
                "business_context": {"target_market": "shops"}, "quality_standards": {"below": "warn"}}),
            &["project_constraints.timeline"],
        );
    }
}
