//! What texts must not hold, as a form.

use crate::run::lifecycle_view::GuardrailView;
use crate::settings::field_view::SettingsForm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GuardrailsView {
    /// What every form of the settings has.
    #[serde(flatten)]
    pub form: SettingsForm,
    /// Whether anything is looked for, in a sentence.
    pub words: String,
}

/// What was filled in.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GuardrailsChange {
    /// See [`SettingsForm::revision`].
    pub revision: String,
    /// The changed fields by their ids; empty: the field is taken out of the file.
    pub values: BTreeMap<String, String>,
    /// A pattern that is added to the project's own.
    #[serde(default)]
    #[ts(optional)]
    pub add: Option<NewPattern>,
}

/// A pattern with its name.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct NewPattern {
    /// What it is called in reports.
    pub name: String,
    /// The regular expression.
    pub pattern: String,
}

/// A text that is held against the rules; it is kept nowhere.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TextToTry {
    /// The text.
    pub text: String,
}

/// What the rules say of a text.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TriedText {
    /// What would become of a step with this text, in a sentence.
    pub words: String,
    /// On the way in and on the way out, each where anything is looked for there.
    pub reports: Vec<GuardrailView>,
}
