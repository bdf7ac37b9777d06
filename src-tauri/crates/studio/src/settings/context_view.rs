//! What holds for everything that the project does, as a form.

use crate::settings::field_view::SettingsField;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// The form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProjectContextView {
    /// Of the file that it was read from: what is filled in on another version is not written.
    pub revision: String,
    /// In the order shown; those of one section stand together.
    pub fields: Vec<SettingsField>,
    /// What else the file says, `section.key`.
    pub more: Vec<String>,
    /// Whether it can be filled in.
    pub writable: bool,
    /// Why the file cannot be used as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<String>,
}

/// What was filled in.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProjectContextChange {
    /// See [`ProjectContextView::revision`].
    pub revision: String,
    /// The changed fields by their ids; empty: the field is taken out of the file.
    pub values: BTreeMap<String, String>,
}
