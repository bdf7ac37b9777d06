//! Detours: what may be done between a step and what follows it, and where it leads back to (CONTRACTS "Stepwise",
//! `navigator:detour`; the flow files' `suggested_detours`, `suggested_injections` and `suggested_sidequests`).
//!
//! The steps of a detour stand behind those of the flow and belong to the one step that it leaves: which token walks it, and where
//! it leads back, follows from the graph alone.

use crate::{Back, Condition, Operator, StepId};
use serde_json::Value;

/// How often a detour is taken in a run where its file does not say.
pub const DEFAULT_USES: u32 = 3;
/// How many detours may stand inside of each other.
pub const DEEPEST: usize = 3;

/// A detour that a step may take before it is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Detour {
    /// What the file calls it: one detour may leave several steps.
    pub id: String,
    /// What a person reads.
    pub name: String,
    /// It is put in after the step, rather than leading aside: for words only.
    pub injected: bool,
    /// Its first step.
    pub first: StepId,
    /// When it is taken; nothing: it is only offered, to whoever chooses the way.
    pub triggers: Vec<Trigger>,
    /// Every trigger is to hold, not one of them.
    pub all: bool,
    /// How often in a run, from wherever it is taken.
    pub max_uses: u32,
    /// How long its steps may work, all together, milliseconds.
    pub max_duration_ms: Option<u64>,
    /// Of several that are due the one with the highest is taken first.
    pub priority: i64,
    /// Where it leads back to.
    pub back: Back,
}

/// When a detour is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Trigger {
    /// The condition holds of what the step reported.
    Reported(Condition),
    /// The step has done the same as before: how many visits in a row ended alike, the first not counted.
    Stalled {
        /// How the number is compared.
        operator: Operator,
        /// With what.
        value: Value,
    },
    /// One of the files that the step made or says it changed has such a path.
    Path {
        /// `*` and `?` stand for any characters, `**` for any folders.
        pattern: String,
    },
    /// How often the step has been carried out.
    Visits {
        /// How the number is compared.
        operator: Operator,
        /// With what.
        value: Value,
    },
}

impl Trigger {
    /// For people: `blockers contains ambiguous`, `files like auth/**`.
    pub fn label(&self) -> String {
        let number = |field: &str, operator: &Operator, value: &Value| {
            let condition = Condition::Compare {
                field: field.to_owned(),
                operator: operator.clone(),
                value: value.clone(),
            };
            condition.label().unwrap_or_default()
        };
        match self {
            Self::Reported(condition) => condition.label().unwrap_or_else(|| "always".to_owned()),
            Self::Stalled { operator, value } => number("rounds without a change", operator, value),
            Self::Path { pattern } => format!("files like {pattern}"),
            Self::Visits { operator, value } => number("rounds", operator, value),
        }
    }
}

impl Detour {
    /// When it is taken, for people; `None` where it is only offered.
    pub fn when(&self) -> Option<String> {
        let labels: Vec<String> = self.triggers.iter().map(Trigger::label).collect();
        (!labels.is_empty()).then(|| labels.join(if self.all { " and " } else { " or " }))
    }
}

/// When a person is asked for the way on by the policy of a flow, whatever its routes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Escalation {
    /// A step reports that it is blocked.
    pub blocked: bool,
    /// It is not verified, and says that another round cannot help.
    pub stuck: bool,
    /// So many steps in a row were not verified.
    pub unverified: Option<u32>,
}

impl Escalation {
    /// What a word of a policy means: whether a person is asked; `None` of a word that is not known.
    pub fn word(word: &str) -> Option<bool> {
        match word.trim().to_lowercase().as_str() {
            "continue" | "continue_with_concerns" | "detour" => Some(false),
            "pause" | "pause_for_human" | "human_review" | "escalate" => Some(true),
            _ => None,
        }
    }
}

/// Whether a path is like a pattern; `*` stands for folders too.
pub fn is_like(path: &str, pattern: &str) -> bool {
    glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(path))
}

/// What is wrong with a pattern.
pub fn fault_of(pattern: &str) -> Option<String> {
    glob::Pattern::new(pattern).err().map(|error| error.msg.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_like_patterns_across_folders() {
        for (path, pattern, like) in [
            ("auth/login/form.rs", "auth/**", true),
            ("auth/login.rs", "auth/*", true),
            ("src/auth/login.rs", "auth/*", false),
            ("src/api/v1/schema.json", "**/schema*", true),
            ("deploy/credentials.yaml", "**/credentials*", true),
            ("readme.md", "**/api/**", false),
            ("a", "[", false),
        ] {
            assert_eq!(is_like(path, pattern), like, "{path} {pattern}");
        }
        assert!(fault_of("[").is_some());
        assert_eq!(fault_of("auth/**"), None);
    }

    #[test]
    fn a_detour_says_when_it_is_taken() {
        let reported = Trigger::Reported(Condition::Compare {
            field: "blockers".into(),
            operator: Operator::Contains,
            value: "ambiguous".into(),
        });
        let stalled = Trigger::Stalled {
            operator: Operator::Gte,
            value: 2.into(),
        };
        let mut detour = Detour {
            id: "clarify".into(),
            name: "Clarify".into(),
            injected: false,
            first: "clarify@author".into(),
            triggers: vec![reported, stalled],
            all: false,
            max_uses: DEFAULT_USES,
            max_duration_ms: None,
            priority: 50,
            back: Back::Resume,
        };
        let said = detour.when();
        assert_eq!(
            said.as_deref(),
            Some("blockers contains ambiguous or rounds without a change ≥ 2")
        );
        detour.triggers.clear();
        assert_eq!(detour.when(), None);
    }
}
