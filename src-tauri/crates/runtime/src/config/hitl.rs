//! `hitl` as a file writes it: the policy of human gates (seed 000 "Human gates").

use serde::Deserialize;

/// The keys of `hitl`, and of its policy.
pub(super) const HITL: &[&str] = &["mode", "policy", "four_eyes", "require_conditional"];
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

impl RawHitl {
    /// What this says, and of what it does not say what the operator's policy does.
    pub(super) fn or(self, more: RawPolicy) -> Self {
        let own = self.policy.unwrap_or_default();
        Self {
            mode: self.mode,
            four_eyes: self.four_eyes,
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
