//! Settings.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Settings of the person and the project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SettingsView {
    /// The person's name; empty when not yet given.
    pub name: String,
    /// The roles the person answers for: decisions that ask for one of them are theirs.
    pub roles: Vec<String>,
    /// Public key, hexadecimal.
    pub key: String,
    /// `7F3A…C2`.
    pub key_short: String,
    /// Where the secret key is kept, in words.
    pub key_kept: String,
    /// `system`, `light`, `dark`.
    pub theme: String,
    /// Whether desktop notifications are shown.
    pub notifications: bool,
    /// Whether the window goes on to the next decision by itself after an answer.
    pub auto_next: bool,
    /// The time zone that `gatehouse.yaml` sets, by its name: times are shown in it; absent: in that of whoever looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub timezone: Option<String>,
    /// Absolute path of the project.
    pub project: String,
    /// Version of Gatehouse.
    pub version: String,
    /// Whether anything of this project runs.
    pub trust: TrustView,
    /// What was permitted for all later runs, in words; each can be taken back.
    pub granted: Vec<String>,
    /// Why nothing can be recorded in this folder, and what can be done all the same; absent: everything can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub read_only: Option<String>,
    /// In what state `gatehouse.yaml` is, in words.
    pub config_words: String,
    /// Problems with `gatehouse.yaml`, in words.
    pub config_problems: Vec<String>,
    /// Why `gatehouse.yaml` cannot be used, and what that means for every screen; absent: it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub config_fault: Option<String>,
}

/// Whether the person trusts whoever made the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TrustView {
    /// They do: its runs are carried out. Else it can be looked at, read and rehearsed.
    pub trusted: bool,
    /// They were asked and have answered.
    pub asked: bool,
    /// Nothing lies in it that could run and that they have not just made here themselves: nobody has to be asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub bare: bool,
    /// They trusted it, and it is not the same folder any more: why, in a sentence.
    pub lost: Option<String>,
}

/// What may be changed; absent fields stay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts", optional_fields)]
pub struct SettingsChange {
    /// The person's name.
    pub name: Option<String>,
    /// The roles they answer for, all of them: one or several in each text, with commas, semicolons or line ends between them.
    pub roles: Option<Vec<String>>,
    /// `system`, `light`, `dark`.
    pub theme: Option<String>,
    /// Whether desktop notifications are shown.
    pub notifications: Option<bool>,
    /// Whether the window goes on to the next decision by itself after an answer.
    pub auto_next: Option<bool>,
}
