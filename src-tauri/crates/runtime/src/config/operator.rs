//! The operator's file of a StepSpec project, `config/runtime.yaml`: the policy of human gates, at `hitl.policy` (seed 000 "Human
//! gates", operator note). What `gatehouse.yaml` says of the same key counts before it. Nothing else of it is read: a policy can only add
//! gates to those that stop a run, `hitl.mode` could take them away.

use super::hitl::{POLICY, RawPolicy};
use crate::file_fault::FileFault;
use serde::Deserialize;
use serde_yaml::Value;
use std::path::Path;
use store::regular::{self, LARGEST_SETTINGS, NotRead};
use tool::nesting;

/// Where it stands, relative to the project.
pub const OPERATOR_FILE: &str = "config/runtime.yaml";

/// The name that it is given by mistake: nothing of that file is read.
const MISNAMED_OPERATOR_FILE: &str = "config/runtime.yml";

/// So many keys without effect are named.
const MOST: usize = 20;

/// What it says, and which of its keys have no effect.
#[derive(Default)]
pub(super) struct Operator {
    pub(super) policy: RawPolicy,
    pub(super) notes: Vec<FileFault>,
}

/// Why it cannot be used.
pub(super) enum Unusable {
    /// It is nested deeper than is read.
    Deep(nesting::Unbounded),
    /// It is no YAML, or says something of another type.
    Yaml(serde_yaml::Error),
    /// It cannot be read, in words.
    Unread(String),
}

/// Reads it; a project without one says nothing.
///
/// # Errors
/// It is there and cannot be read or used.
pub(super) fn read(root: &Path) -> Result<Operator, Unusable> {
    let path = root.join(OPERATOR_FILE);
    let inside = |at: &Path| {
        let root = root.canonicalize().ok()?;
        Some(at.canonicalize().ok()?.starts_with(root))
    };
    if path.exists() && inside(&path) != Some(true) {
        return Err(Unusable::Unread(
            "it is a link that leads out of the project".to_owned(),
        ));
    }
    let text = match regular::read_text_through(&path, LARGEST_SETTINGS) {
        Ok(text) => text,
        Err(NotRead::Missing) => {
            // Other programs may keep a file of that name: it is named, and keeps nothing from starting.
            let misnamed = super::nearly_named(root, MISNAMED_OPERATOR_FILE, OPERATOR_FILE);
            return Ok(Operator {
                notes: misnamed.into_iter().collect(),
                ..Operator::default()
            });
        }
        Err(error) => return Err(Unusable::Unread(format!("the file cannot be read: {error}"))),
    };
    let mut operator = parse(&text)?;
    operator
        .notes
        .extend(super::unread_beside(root, MISNAMED_OPERATOR_FILE, OPERATOR_FILE));
    Ok(operator)
}

#[derive(Deserialize, Default)]
struct Raw {
    hitl: Option<Hitl>,
}

#[derive(Deserialize, Default)]
struct Hitl {
    policy: Option<RawPolicy>,
}

fn parse(text: &str) -> Result<Operator, Unusable> {
    let text = super::without_mark(text);
    nesting::bounded(text).map_err(Unusable::Deep)?;
    let whole: Value = serde_yaml::from_str(text).map_err(Unusable::Yaml)?;
    if whole.is_null() {
        return Ok(Operator::default());
    }
    let raw: Raw = serde_yaml::from_str(text).map_err(Unusable::Yaml)?;
    let keys = |value: Option<&Value>| -> Vec<String> {
        let map = value.and_then(Value::as_mapping);
        map.into_iter()
            .flat_map(serde_yaml::Mapping::keys)
            .filter_map(|key| Some(key.as_str()?.to_owned()))
            .collect()
    };
    let others = keys(Some(&whole)).into_iter().filter(|key| key != "hitl");
    let policy = whole.get("hitl").and_then(|hitl| hitl.get("policy"));
    let in_hitl = keys(whole.get("hitl")).into_iter();
    let in_hitl = in_hitl.filter(|key| key != "policy");
    let in_policy = keys(policy).into_iter();
    let in_policy = in_policy.filter(|key| !POLICY.contains(&key.as_str()));
    let others = others
        .chain(in_hitl.map(|key| format!("hitl.{key}")))
        .chain(in_policy.map(|key| format!("hitl.policy.{key}")));
    let notes: Vec<FileFault> = others
        .take(MOST)
        .map(|key| format!("`{key}` has no effect; `hitl.policy` is what is read here"))
        .map(|said| FileFault::new(OPERATOR_FILE, said).placed(text))
        .collect();
    Ok(Operator {
        policy: raw.hitl.unwrap_or_default().policy.unwrap_or_default(),
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    fn load(gatehouse: Option<&str>, operator: &str) -> Result<Config, crate::file_fault::FileFault> {
        let root = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(root.path().join("config")).expect("a folder");
        std::fs::write(root.path().join("config/runtime.yaml"), operator).expect("a file");
        if let Some(text) = gatehouse {
            std::fs::write(root.path().join("gatehouse.yaml"), text).expect("a file");
        }
        Config::load(root.path())
    }

    const OPERATOR: &str = "engine: {workers: 4}\nhitl:\n  mode: off\n  policy:\n    required_phases: [Review]\n    conditional_required: true\n    urgent: 1\n";

    #[test]
    fn its_policy_counts_where_gatehouse_yaml_says_nothing_of_it() {
        for gatehouse in [None, Some(""), Some("version: 1\n")] {
            let config = load(gatehouse, OPERATOR).expect("usable");
            assert_eq!(config.policy.required_phases, ["Review"]);
            assert!(config.limits.conditional_required);
            assert_eq!(config.policy.mode, None, "it takes no gate away");
            assert_eq!(
                config.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
                [
                    "config/runtime.yaml:1:1: `engine` has no effect; `hitl.policy` is what is read here",
                    "config/runtime.yaml:3:3: `hitl.mode` has no effect; `hitl.policy` is what is read here",
                    "config/runtime.yaml:7:5: `hitl.policy.urgent` has no effect; `hitl.policy` is what is read here"
                ]
            );
        }
        let own = "hitl: {policy: {required_phases: [], recommended_required: true}}\n";
        let config = load(Some(own), OPERATOR).expect("usable");
        assert!(
            config.policy.required_phases.is_empty(),
            "gatehouse.yaml counts before it"
        );
        assert!(config.limits.conditional_required && config.limits.recommended_required);
        let older = load(Some("hitl: {require_conditional: false}\n"), OPERATOR).expect("usable");
        assert!(!older.limits.conditional_required);
    }

    #[test]
    fn what_cannot_be_used_is_a_fault_of_that_file() {
        for text in ["hitl: [", "hitl: {policy: {required_phases: 3}}\n"] {
            let fault = load(None, text).expect_err("a fault");
            assert!(fault.path.ends_with("config/runtime.yaml"), "{fault}");
        }
        assert!(load(None, "").expect("nothing").policy.required_phases.is_empty());
    }
}
