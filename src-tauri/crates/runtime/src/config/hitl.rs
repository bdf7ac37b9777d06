//! `hitl` as a file writes it: the policy of human gates (seed 000 "Human gates").

use crate::length;
use serde::Deserialize;
use serde_yaml::Value;

/// The keys of `hitl`, and of its policy.
pub(super) const HITL: &[&str] = &["mode", "policy", "four_eyes", "answer_within", "require_conditional"];
pub(super) const POLICY: &[&str] = &[
    "conditional_required",
    "recommended_required",
    "required_phases",
    "conditional_phases",
    "high_risk_keywords",
    "conditional_keywords",
];

#[derive(Deserialize, Default)]
#[serde(expecting = "a block with `policy`")]
pub(super) struct RawHitl {
    pub(super) mode: Option<String>,
    /// Whoever began a run, or carried a part of it out, approves nothing in it.
    pub(super) four_eyes: Option<bool>,
    /// Within which time an answer is wanted, as it is written: it keeps nothing from happening, so what cannot be read of it keeps no run from
    /// starting.
    pub(super) answer_within: Option<Value>,
    /// An older place of `policy.conditional_required`.
    pub(super) require_conditional: Option<bool>,
    pub(super) policy: Option<RawPolicy>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block such as `conditional_required: true`")]
pub(super) struct RawPolicy {
    pub(super) conditional_required: Option<bool>,
    pub(super) recommended_required: Option<bool>,
    pub(super) required_phases: Option<Vec<String>>,
    pub(super) conditional_phases: Option<Vec<String>>,
    pub(super) high_risk_keywords: Option<Vec<String>>,
    pub(super) conditional_keywords: Option<Vec<String>>,
}

/// What a time in which an answer is wanted looks like, for whoever wrote something else.
pub const TIME_TO_ANSWER: &str = "it is a length of time with its unit, at most a year: 90m, 4h, 2d";

/// Reads within which time an answer is wanted, in milliseconds; `None`: it is no such time ([`TIME_TO_ANSWER`]).
pub fn answer_within(text: &str) -> Option<u64> {
    /// In days.
    const LONGEST: u16 = 366;
    // A number alone does not say whether seconds or days are meant.
    let has_unit = text.trim_end().ends_with(|last: char| last.is_ascii_alphabetic());
    let length = has_unit.then(|| length::parse(text, LONGEST).ok()).flatten()?;
    u64::try_from(length.as_millis()).ok().filter(|ms| *ms > 0)
}

/// The same as it is written, in the largest unit that it is a whole number of.
pub fn answer_within_written(ms: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let fits = UNITS.iter().find(|(length, _)| ms.is_multiple_of(*length));
    fits.map_or_else(|| format!("{ms}ms"), |(length, unit)| format!("{}{unit}", ms / length))
}

impl RawHitl {
    /// Within which time an answer is wanted, in milliseconds, where that is said.
    ///
    /// # Errors
    /// What is written is no such time: a sentence that begins with the key.
    pub(super) fn answer_within(&self) -> Result<Option<u64>, String> {
        let Some(written) = &self.answer_within else {
            return Ok(None);
        };
        match written.as_str().and_then(answer_within) {
            Some(ms) => Ok(Some(ms)),
            None => Err(format!("`hitl.answer_within` is not used: {TIME_TO_ANSWER}")),
        }
    }

    /// What this says, and of what it does not say what the operator's policy does.
    pub(super) fn or(self, more: RawPolicy) -> Self {
        let own = self.policy.unwrap_or_default();
        Self {
            mode: self.mode,
            four_eyes: self.four_eyes,
            answer_within: self.answer_within,
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
