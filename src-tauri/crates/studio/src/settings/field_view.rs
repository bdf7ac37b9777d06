//! Values of `gatehouse.yaml` as a form, what is filled in there, and each of its fields.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// A form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SettingsForm {
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
pub struct FormChange {
    /// See [`SettingsForm::revision`].
    pub revision: String,
    /// The changed fields by their ids; empty: the field is taken out of the file.
    pub values: BTreeMap<String, String>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SettingsField {
    /// Its keys, `section.key`.
    pub id: String,
    /// The section, in words.
    pub section: String,
    /// What it is called.
    pub label: String,
    /// What it means; empty: the label says it.
    pub help: String,
    /// How it is filled in.
    pub control: SettingsControl,
    /// What it holds; of several texts one a line; empty: nothing.
    pub value: String,
}

/// How a field is filled in.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum SettingsControl {
    /// One line.
    Text,
    /// Several texts, one a line.
    Texts,
    /// A number from 0.
    Number {
        /// The highest.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        most: Option<f64>,
        /// Of whole ones only.
        whole: bool,
        /// What it is counted in; empty: nothing.
        unit: String,
    },
    /// One of these words, or none.
    Choice {
        /// In their order.
        words: Vec<SettingsWord>,
        /// What none of them comes to, in words; absent: nothing is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        unsaid: Option<String>,
    },
}

/// A word to choose.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SettingsWord {
    /// As it is written.
    pub word: String,
    /// What a person reads.
    pub label: String,
}
