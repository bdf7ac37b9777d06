//! Which gates stop a run besides the required ones, as a form.

use crate::settings::field_view::SettingsForm;
use serde::Serialize;
use ts_rs::TS;

/// The form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GatePolicyView {
    /// What every form of the settings has.
    #[serde(flatten)]
    pub form: SettingsForm,
    /// What else decides over gates here, in sentences; none: nothing does.
    pub words: Vec<String>,
}
