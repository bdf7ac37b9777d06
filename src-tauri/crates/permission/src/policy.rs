//! The `permissions:` part of `gatehouse.yaml`: rules for every workflow, and overrides for some.

use crate::command::Pattern;
use crate::pattern::{Fit, Glob, plain};
use crate::place;
use crate::spelling::Spelling;
use crate::text;
use serde::{Deserialize, Serialize};

/// What happens with a need that no rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub enum Mode {
    /// A person is asked.
    #[default]
    Ask,
    /// It is let through.
    Allow,
    /// It is refused.
    Deny,
}

/// Whether programs reach what is outside of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub enum Network {
    /// They do.
    #[default]
    Allow,
    /// They reach servers that they have started themselves, and nothing else.
    Deny,
}

/// Patterns for needs of one kind. Deny wins over allow, over every grant and over every mode.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Rules {
    /// What is let through unasked.
    pub allow: Vec<String>,
    /// What is refused, whoever says yes.
    pub deny: Vec<String>,
}

/// The rules that hold for one workflow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "permission.gen.ts")]
pub struct Policy {
    /// What no rule names.
    pub mode: Mode,
    /// Commands: words, `*` stands for any (`npm run *`).
    pub run: Rules,
    /// Files read: globs of paths from the project's folder (`config/**`).
    pub read: Rules,
    /// Files written, likewise.
    pub write: Rules,
    /// Variables: names, `*` stands for anything (`MODEL_*`).
    pub env: Rules,
    /// Other machines, and the servers of this one. The kernel alone keeps it: no reading of a script tells what a program reaches.
    pub network: Network,
    /// How paths in rules and in needs are brought into one form.
    #[serde(skip)]
    #[ts(skip)]
    pub spelling: Spelling,
}

/// The rules of a project: a policy for all workflows, and what some of them change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions {
    /// For every workflow.
    pub base: Policy,
    /// In the order of the file.
    pub overrides: Vec<Override>,
}

/// What the workflows of one pattern change. Their lists are added to the base's; a mode replaces the base's; a network that is denied stays denied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Override {
    /// A glob of the workflow's path, from the project's folder.
    pub workflows: String,
    /// The mode, if it changes.
    pub mode: Option<Mode>,
    /// What is added; its mode means nothing.
    pub rules: Policy,
}

impl Permissions {
    /// The policy for the workflow of this path, from the project's folder and with slashes. Several overrides that fit are taken in their
    /// order: every list is added, the last mode holds.
    pub fn of(&self, workflow_path: &str) -> Policy {
        let mut policy = self.base.clone();
        let path: Vec<text::Bit> = workflow_path.replace('\\', "/").chars().map(text::Bit::Char).collect();
        let path = place::normal(&path);
        for change in &self.overrides {
            let fits = Glob::path(&plain(&change.workflows)).is_ok_and(|g| g.fit(&path) == Fit::Sure);
            if !fits {
                continue;
            }
            policy.mode = change.mode.unwrap_or(policy.mode);
            if change.rules.network == Network::Deny {
                policy.network = Network::Deny;
            }
            for (into, from) in [
                (&mut policy.run, &change.rules.run),
                (&mut policy.read, &change.rules.read),
                (&mut policy.write, &change.rules.write),
                (&mut policy.env, &change.rules.env),
            ] {
                into.allow.extend_from_slice(&from.allow);
                into.deny.extend_from_slice(&from.deny);
            }
        }
        policy
    }
}

/// Why a pattern of commands cannot be used.
pub(crate) fn bad_command(pattern: &str) -> Option<String> {
    Pattern::parse(pattern).err()
}

/// Why a pattern of paths cannot be used.
pub(crate) fn bad_path(pattern: &str) -> Option<String> {
    match pattern.trim().is_empty() {
        true => Some("it is empty".to_owned()),
        false => Glob::path(&plain(pattern)).err(),
    }
}

/// Why a pattern of names cannot be used.
pub(crate) fn bad_name(pattern: &str) -> Option<String> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | '(' | ')' | '.' | '-');
    match pattern.is_empty() || !pattern.chars().all(good) {
        true => Some("a variable's name has letters, digits and `_`, and `*` for any of them".to_owned()),
        false => None,
    }
}
