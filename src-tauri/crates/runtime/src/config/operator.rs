//! The operator's file of a StepSpec project, `config/runtime.yaml`: the policy of human gates, at `hitl.policy` (seed 000 "Human
//! gates", operator note). What `gatehouse.yaml` says of the same key counts before it. Nothing else of it is read: a policy can only add
//! gates to those that stop a run, `hitl.mode` could take them away.

use super::{RawHitl, RawPolicy};
use crate::error::FileFault;
use serde::Deserialize;
use serde_yaml::Value;
use std::path::Path;
use store::regular::{self, LARGEST_SETTINGS, NotRead};
use tool::nesting;

/// Where it stands, relative to the project.
pub const OPERATOR_FILE: &str = "config/runtime.yaml";

/// So many keys without effect are named.
const MOST: usize = 20;

/// What it says, and which of its keys have no effect.
#[derive(Default)]
pub(super) struct Operator {
    pub(super) policy: RawPolicy,
    pub(super) notes: Vec<String>,
}

/// Reads it; a project without one says nothing.
///
/// # Errors
/// It is there and cannot be read or used.
pub(super) fn read(root: &Path) -> Result<Operator, FileFault> {
    let path = root.join(OPERATOR_FILE);
    let inside = |at: &Path| {
        let root = root.canonicalize().ok()?;
        Some(at.canonicalize().ok()?.starts_with(root))
    };
    if path.exists() && inside(&path) != Some(true) {
        return Err(FileFault::new(path, "it is a link that leads out of the project")
            .hint("Put an ordinary file there, or remove the link."));
    }
    let text = match regular::read_text_through(&path, LARGEST_SETTINGS) {
        Ok(text) => text,
        Err(NotRead::Missing) => return Ok(Operator::default()),
        Err(error) => {
            return Err(FileFault::new(path, format!("the file cannot be read: {error}"))
                .hint("Put an ordinary file there that you may read, or remove it."));
        }
    };
    parse(&path, &text)
}

#[derive(Deserialize, Default)]
struct Raw {
    hitl: Option<Hitl>,
}

#[derive(Deserialize, Default)]
struct Hitl {
    policy: Option<RawPolicy>,
}

fn parse(path: &Path, text: &str) -> Result<Operator, FileFault> {
    let hint = "Gatehouse reads `hitl.policy` in it, as in gatehouse.yaml.";
    nesting::bounded(text).map_err(|deep| FileFault::deep(path, deep))?;
    let whole: Value = serde_yaml::from_str(text).map_err(|error| FileFault::yaml(path, &error).hint(hint))?;
    if whole.is_null() {
        return Ok(Operator::default());
    }
    let raw: Raw = serde_yaml::from_str(text).map_err(|error| FileFault::yaml(path, &error).hint(hint))?;
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
    let in_policy = in_policy.filter(|key| !super::POLICY.contains(&key.as_str()));
    let others = others
        .chain(in_hitl.map(|key| format!("hitl.{key}")))
        .chain(in_policy.map(|key| format!("hitl.policy.{key}")));
    let notes: Vec<String> = others
        .take(MOST)
        .map(|key| format!("{OPERATOR_FILE}: `{key}` has no effect; `hitl.policy` is what is read here"))
        .collect();
    Ok(Operator {
        policy: raw.hitl.unwrap_or_default().policy.unwrap_or_default(),
        notes,
    })
}

impl RawHitl {
    /// What this says, and of what it does not say what the operator's policy does.
    pub(super) fn or(self, more: RawPolicy) -> Self {
        let own = self.policy.unwrap_or_default();
        Self {
            mode: self.mode,
            // The older place of the same key.
            require_conditional: self.require_conditional,
            policy: Some(RawPolicy {
                conditional_required: own
                    .conditional_required
                    .or(self.require_conditional)
                    .or(more.conditional_required),
                recommended_required: own.recommended_required.or(more.recommended_required),
                required_phases: own.required_phases.or(more.required_phases),
                conditional_phases: own.conditional_phases.or(more.conditional_phases),
                high_risk_keywords: own.high_risk_keywords.or(more.high_risk_keywords),
                conditional_keywords: own.conditional_keywords.or(more.conditional_keywords),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    fn load(gatehouse: Option<&str>, operator: &str) -> Result<Config, crate::error::FileFault> {
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
                config.notes,
                [
                    "config/runtime.yaml: `engine` has no effect; `hitl.policy` is what is read here",
                    "config/runtime.yaml: `hitl.mode` has no effect; `hitl.policy` is what is read here",
                    "config/runtime.yaml: `hitl.policy.urgent` has no effect; `hitl.policy` is what is read here"
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
