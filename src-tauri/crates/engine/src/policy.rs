//! The project's policy of human gates (seed 000 "Human gates", CONTRACTS "StepSpec"): a fixed table with fixed reasons.

use crate::{GateReason, Limits};
use model::{GateRequirement, Step, WorkflowId};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What the project's file says of gates beside the two toggles in [`Limits`]; a run keeps it from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GatePolicy {
    /// `hitl.mode`: with any word but `blocking` no gate stops a run; absent: `blocking`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Phases, exactly as written on the steps, whose steps always ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_phases: Vec<String>,
    /// Phases whose steps ask when `conditional_required` is set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditional_phases: Vec<String>,
    /// Where one of these is part of the workflow's id, or of the id of a step's own flow, whatever its case, every step with a gate asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub high_risk_keywords: Vec<String>,
    /// The same when `conditional_required` is set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditional_keywords: Vec<String>,
    /// Whoever began a run, or carried a part of it out, approves nothing in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub four_eyes: bool,
    /// Within which time an answer is wanted, in milliseconds from when it was asked for; absent: nobody has said. Nothing follows when it has
    /// passed ([`crate::RunState::wanted_by`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_within_ms: Option<u64>,
    /// Tool calls of medium risk ask too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub medium_tools: bool,
}

/// Everything that decides whether a gate stops a run.
#[derive(Debug, Clone, Copy)]
pub struct GateRules<'a> {
    /// The lists and the mode.
    pub policy: &'a GatePolicy,
    /// The two toggles.
    pub limits: &'a Limits,
}

impl Default for GateRules<'_> {
    fn default() -> Self {
        static DEFAULT: LazyLock<(GatePolicy, Limits)> = LazyLock::new(Default::default);
        Self {
            policy: &DEFAULT.0,
            limits: &DEFAULT.1,
        }
    }
}

/// What the policy says of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the run stops.
    pub blocks: bool,
    /// The fixed reason.
    pub reason: GateReason,
}

impl GatePolicy {
    /// Whether it says nothing.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether anything stops a run to ask a person (seed 000 `hitl.mode`).
    pub(crate) fn stops_runs(&self) -> bool {
        self.mode.as_ref().is_none_or(|mode| mode.trim() == "blocking")
    }

    /// That nobody is asked at any gate, where this policy has it so: one word, perhaps misspelt, takes all gates away.
    pub fn silences(&self) -> Option<String> {
        let mode = self.mode.as_ref().filter(|_| !self.stops_runs())?;
        Some(format!(
            "`hitl.mode` is “{}”, and any word but `blocking` takes every gate away: no run stops there to ask a person",
            mode.trim()
        ))
    }

    /// The first of these words that is part of the workflow's id, whatever its case. Of several flows in one workflow the id of the step's own
    /// flow counts as well: a run of that flow alone asks for the same.
    pub fn word_in_id<'w>(words: &'w [String], step: Option<&Step>, workflow: &WorkflowId) -> Option<&'w str> {
        let own = step.and_then(|step| step.flow.as_ref());
        let ids: Vec<String> = std::iter::once(workflow)
            .chain(own)
            .map(|id| id.as_str().to_lowercase())
            .collect();
        let mut words = words.iter().map(|word| word.trim()).filter(|word| !word.is_empty());
        words.find(|word| ids.iter().any(|id| id.contains(&word.to_lowercase())))
    }

    /// Whether the gate of a step stops a run: the first line of the table that matches. No gate = it says none, no or n/a.
    pub fn judge(&self, step: &Step, workflow: &WorkflowId, limits: &Limits) -> Verdict {
        let says = |blocks, reason| Verdict { blocks, reason };
        if !self.stops_runs() {
            return says(false, GateReason::HitlDisabled);
        }
        let Some(gate) = &step.gate else {
            return says(false, GateReason::GateDisabled);
        };
        let listed = |phases: &[String]| {
            let phase = step.phase.as_deref().map(str::trim).filter(|phase| !phase.is_empty());
            phase.is_some_and(|phase| phases.iter().any(|listed| listed.trim() == phase))
        };
        let named = |words: &[String]| Self::word_in_id(words, Some(step), workflow).is_some();
        if listed(&self.required_phases) {
            return says(true, GateReason::RequiredPhase);
        }
        if named(&self.high_risk_keywords) {
            return says(true, GateReason::HighRiskWorkflow);
        }
        let conditional = limits.conditional_required;
        let toggled = |on, yes, no| says(on, if on { yes } else { no });
        match gate.requirement {
            GateRequirement::Required => says(true, GateReason::Explicit),
            GateRequirement::Conditional => toggled(
                conditional,
                GateReason::ConditionalEnforced,
                GateReason::ConditionalDisabled,
            ),
            _ if listed(&self.conditional_phases) => toggled(
                conditional,
                GateReason::ConditionalEnforced,
                GateReason::ConditionalDisabled,
            ),
            _ if named(&self.conditional_keywords) => toggled(
                conditional,
                GateReason::ConditionalRisk,
                GateReason::ConditionalRiskDisabled,
            ),
            GateRequirement::Recommended => toggled(
                limits.recommended_required,
                GateReason::RecommendedEnforced,
                GateReason::Recommended,
            ),
            GateRequirement::Optional => says(false, GateReason::NotBlocking),
        }
    }
}
