//! What the project's steps may do, as a form.

use crate::settings::field_view::SettingsForm;
use crate::workflow::view::UseVerdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PermissionsView {
    /// What every form of the settings has.
    #[serde(flatten)]
    pub form: SettingsForm,
    /// The rules, by kind; of each kind what is refused first, for that wins.
    pub rules: Vec<PermissionRule>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PermissionRule {
    /// What it speaks of.
    pub of: PermissionKind,
    /// What it says.
    pub answer: PermissionAnswer,
    /// As it is written.
    pub pattern: String,
    /// The same as a sentence: "Running `npm test` is let through."
    pub words: String,
}

/// What a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum PermissionKind {
    /// Commands that are run.
    Run,
    /// Files that are read.
    Read,
    /// Files that are written.
    Write,
    /// Variables of the environment.
    Env,
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum PermissionAnswer {
    /// It is let through unasked.
    Allow,
    /// It is refused, whoever says yes.
    Deny,
}

/// What was filled in, and a rule that comes or goes.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PermissionsChange {
    /// See [`SettingsForm::revision`].
    pub revision: String,
    /// The changed fields by their ids; empty: the field is taken out of the file.
    pub values: BTreeMap<String, String>,
    /// A rule that is added.
    #[serde(default)]
    #[ts(optional)]
    pub add: Option<RuleOf>,
    /// A rule that is taken out.
    #[serde(default)]
    #[ts(optional)]
    pub remove: Option<RuleOf>,
}

/// Names a rule.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RuleOf {
    /// What it speaks of.
    pub of: PermissionKind,
    /// What it says.
    pub answer: PermissionAnswer,
    /// As it is written.
    pub pattern: String,
}

/// A command that is held against the rules; it is not run, and kept nowhere.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CommandToTry {
    /// The command, as a step would have it.
    pub command: String,
}

/// What the rules say to a command.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TriedCommand {
    /// What would become of a step that runs it, in a sentence.
    pub words: String,
    /// The same, of the whole command.
    pub verdict: UseVerdict,
    /// All that it needs; what is refused first.
    pub needs: Vec<TriedNeed>,
}

/// One thing that a command needs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TriedNeed {
    /// In words: "run `npm publish`", "use the variable `CI`".
    pub words: String,
    /// What the rules say to it.
    pub verdict: UseVerdict,
    /// The rule that decides, or what else does.
    pub by: String,
}
