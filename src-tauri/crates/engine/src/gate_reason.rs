//! Why a person is asked, or is not (seed 000 "Human gates"; seed 002 "Prompt").

use crate::words::fixed_words;

fixed_words! {
    /// Why a gate stops a run, or does not: the fixed reasons of the policy, and those of people's own steps, of tools and
    /// of permissions.
    pub enum GateReason {
        /// No gate stops a run in this project.
        HitlDisabled = "hitl disabled",
        /// The step says that nobody is asked.
        GateDisabled = "gate disabled",
        /// The policy asks in this phase.
        RequiredPhase = "policy required phase",
        /// The policy asks in workflows of such an id.
        HighRiskWorkflow = "high-risk workflow",
        /// The step asks.
        Explicit = "explicit human gate",
        /// The step, or its phase, asks when the policy says so, and it does.
        ConditionalEnforced = "conditional gate enforced",
        /// The same, and it does not.
        ConditionalDisabled = "conditional gate disabled",
        /// The workflow's id asks when the policy says so, and it does.
        ConditionalRisk = "conditional risk gate",
        /// The same, and it does not.
        ConditionalRiskDisabled = "conditional risk gate disabled",
        /// The step recommends it, and the policy makes that binding.
        RecommendedEnforced = "recommended gate enforced",
        /// The same, and it does not.
        Recommended = "recommended gate",
        /// The gate is optional, and nothing makes it binding.
        NotBlocking = "no blocking gate",
        /// A tool call needs approval.
        ToolApproval = "approval required",
        /// The step is a person's.
        Prompt = "prompt",
        /// The step is given to a person.
        Assigned = "assigned to a person",
        /// The run carries nothing out by itself.
        EveryStep = "every step is asked for",
        /// Whoever drives the run has not permitted what the step does.
        Permission = "permission needed",
        /// Nothing else decides the way on.
        Way = "no way decided",
        /// The step proposes a way that the workflow does not have.
        Proposal = "way proposed",
        /// The flow's policy asks where a step is blocked.
        WorkBlocked = "policy asks: work blocked",
        /// It asks where a step is not verified and another round cannot help.
        WorkStuck = "policy asks: no further help",
        /// It asks where too many steps in a row were not verified.
        WorkUnverified = "policy asks: unverified streak",
        /// The step names a next one that lies behind a gate.
        PastGate = "named step lies behind a gate",
        /// Whether an optional step is done is a person's choice.
        OptionalStep = "optional step",
        /// Nothing that was reported says whether the step's condition holds.
        OpenCondition = "condition asked of a person",
        /// The step reports less than the project's quality standards want.
        BelowStandard = "quality standard not met",
        /// The step reports an issue to earlier ones that is not sent back by itself.
        Feedback = "feedback escalated",
        /// Whoever the step names has failed as often as they may, and it escalates to a person.
        Escalated = "step escalated",
    }
}

impl GateReason {
    /// Whether a gate of the workflow asks, or the policy for it; else something else does that came up in the run.
    pub(crate) fn is_of_gate(&self) -> bool {
        matches!(
            self,
            Self::RequiredPhase
                | Self::HighRiskWorkflow
                | Self::Explicit
                | Self::ConditionalEnforced
                | Self::ConditionalRisk
                | Self::RecommendedEnforced
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_reasons_are_these_and_come_back_as_they_were() {
        let pinned = [
            "hitl disabled",
            "gate disabled",
            "policy required phase",
            "high-risk workflow",
            "explicit human gate",
            "conditional gate enforced",
            "conditional gate disabled",
            "conditional risk gate",
            "conditional risk gate disabled",
            "recommended gate enforced",
            "recommended gate",
            "no blocking gate",
            "approval required",
            "prompt",
            "assigned to a person",
            "every step is asked for",
            "permission needed",
            "no way decided",
            "way proposed",
            "policy asks: work blocked",
            "policy asks: no further help",
            "policy asks: unverified streak",
            "named step lies behind a gate",
            "optional step",
            "condition asked of a person",
            "quality standard not met",
            "feedback escalated",
            "step escalated",
        ];
        let words: Vec<&str> = GateReason::ALL.iter().map(GateReason::as_str).collect();
        assert_eq!(words, pinned);
        for reason in GateReason::ALL {
            assert_eq!(GateReason::from(reason.as_str()), *reason);
            assert_eq!(serde_json::json!(reason), reason.as_str());
        }
        let other: GateReason = serde_json::from_value(serde_json::json!("of tomorrow")).expect("a text is a reason");
        assert_eq!(other, GateReason::Other("of tomorrow".to_owned()));
        assert_eq!(other.to_string(), "of tomorrow");
    }
}
