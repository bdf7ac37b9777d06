//! A context that adds to another one: it raises what is settled, and never lowers it.

use super::BELOW;
use model::Fields;
use serde_json::{Map, Value};

/// Levels of which a later one wants more.
const ACCESSIBILITY: [&str; 3] = ["WCAG-A", "WCAG-AA", "WCAG-AAA"];

/// A value that does not hold, since another one is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lower {
    /// The section and the key.
    pub path: [String; 2],
    /// Whether both are of one kind, and this one only wants less; otherwise they contradict each other.
    pub less: bool,
    /// In words, what is said here and what is settled, each cut short.
    pub said: [String; 2],
}

/// Both as one, and what of the second does not hold.
pub fn together(settled: &Fields, own: &Fields) -> (Fields, Vec<Lower>) {
    let (mut all, mut lower) = (settled.clone(), Vec::new());
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
                    less: is_ranked(section, key),
                    said: [shown(value), shown(settled)],
                }),
            }
        }
    }
    (all, lower)
}

/// Whether of two values of a key one wants more.
fn is_ranked(section: &str, key: &str) -> bool {
    section == "quality_standards" && key != "security_requirements"
}

/// What holds of both; `None`: what is settled alone.
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
    fn what_is_wanted_is_raised_and_never_lowered() {
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
    fn what_is_not_spoken_of_is_added_and_what_is_settled_stays() {
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
