//! Why a step stops a run for a person, or does not: the policy's fixed reasons (CONTRACTS "StepSpec: Gate"; seed 002 "Prompt") with
//! the phase, the keyword or the tool that decided.

use engine::{GatePolicy, GateReason, Purpose};
use model::{GateRequirement, Step, WorkflowId};

/// Why, in words.
pub fn words(reason: &GateReason, step: Option<&Step>, workflow: &WorkflowId, policy: &GatePolicy) -> String {
    let phase = || {
        let phase = step.and_then(|step| step.phase.as_deref()).map(str::trim);
        phase.filter(|phase| !phase.is_empty())
    };
    let found = |words| GatePolicy::word_in_id(words, step, workflow);
    let is_conditional = step
        .and_then(|step| step.gate.as_ref())
        .is_some_and(|gate| gate.requirement == GateRequirement::Conditional);
    match (reason, phase()) {
        (GateReason::HitlDisabled, _) => format!(
            "The project's policy lets no gate stop a run: `hitl.mode` is “{}”.",
            policy.mode.as_deref().unwrap_or_default().trim()
        ),
        (GateReason::GateDisabled, _) => "The workflow says that nobody is asked here.".into(),
        (GateReason::RequiredPhase, Some(phase)) => {
            format!("The project's policy asks for a person in every step of the phase “{phase}”.")
        }
        (GateReason::RequiredPhase, None) => "The project's policy asks for a person in this phase.".into(),
        (GateReason::HighRiskWorkflow, _) => match found(&policy.high_risk_keywords) {
            Some(word) => format!(
                "The project's policy calls this workflow high-risk: “{word}” is part of its id, so every step with a gate asks for a person."
            ),
            None => "The project's policy calls this workflow high-risk.".into(),
        },
        (GateReason::Explicit, _) => "The workflow asks for a person at this step.".into(),
        (GateReason::ConditionalEnforced, Some(phase)) if !is_conditional => format!(
            "The project's policy asks for a person in the phase “{phase}” while it makes conditional gates binding, and it does."
        ),
        (GateReason::ConditionalEnforced, _) => {
            "The workflow asks for a person here when the project's policy says so, and it does.".into()
        }
        (GateReason::ConditionalDisabled, Some(phase)) if !is_conditional => format!(
            "The project's policy would ask for a person in the phase “{phase}” if it made conditional gates binding; it does not."
        ),
        (GateReason::ConditionalDisabled, _) => {
            "The workflow asks for a person here when the project's policy says so; it does not.".into()
        }
        (GateReason::ConditionalRisk, _) => format!(
            "The project's policy asks for a person in workflows whose id holds “{}” while it makes conditional gates binding, and it does.",
            found(&policy.conditional_keywords).unwrap_or_default()
        ),
        (GateReason::ConditionalRiskDisabled, _) => format!(
            "The project's policy would ask for a person in workflows whose id holds “{}” if it made conditional gates binding; it does not.",
            found(&policy.conditional_keywords).unwrap_or_default()
        ),
        (GateReason::RecommendedEnforced, _) => {
            "The workflow recommends a person here, and the project's policy makes that binding.".into()
        }
        (GateReason::Recommended, _) => {
            "The workflow recommends a person here; the project's policy does not make that binding.".into()
        }
        (GateReason::Way, _) => {
            "Nothing else decides where it goes on: no rule of the workflow does, and nobody else has.".into()
        }
        (GateReason::Proposal, _) => {
            "The step proposes to go on where no way of the workflow leads; a person decides that, for this run alone."
                .into()
        }
        (GateReason::WorkBlocked, _) => {
            "The step says that it is blocked, and the workflow's policy asks for a person then.".into()
        }
        (GateReason::WorkStuck, _) => {
            "The work is not verified and another round cannot help; the workflow's policy asks for a person then."
                .into()
        }
        (GateReason::WorkUnverified, _) => {
            "Too many steps in a row were not verified; the workflow's policy asks for a person then.".into()
        }
        (GateReason::PastGate, _) => {
            "The step names a next one that lies behind a gate; whether it goes on past that gate a person decides."
                .into()
        }
        (GateReason::OptionalStep, _) => {
            "The step is optional; whoever is asked says whether it is done, and what waits for it goes on either way."
                .into()
        }
        (GateReason::OpenCondition, _) => {
            "The step has a condition, and nothing that was reported says whether it holds; a person says so.".into()
        }
        (GateReason::BelowStandard, _) => {
            "The step reports less than the project's quality standards want; somebody who lets it go on says why."
                .into()
        }
        (GateReason::Feedback, _) => {
            "The step reports an issue with earlier work that is not sent back by itself: somebody decides what becomes of it."
                .into()
        }
        (GateReason::Escalated, _) => {
            "Whoever the workflow names for this step has failed as often as they may, and it says that a person takes over then: do it, then say how it went."
                .into()
        }
        (GateReason::NotBlocking, _) => {
            "A gate stands here that is optional, and nothing in the project's policy makes it binding.".into()
        }
        (GateReason::ToolApproval, _) => {
            "The project's rules for tools ask for a person before this call is made.".into()
        }
        (GateReason::Prompt, _) if step.is_some_and(engine::gate::is_question) => {
            "The runbook asks this; the answer says where it goes on.".into()
        }
        (GateReason::Prompt, _) => "A person does this step, then says how it went.".into(),
        (GateReason::Assigned, _) => "This step is assigned to a person: carry it out, then say how it went.".into(),
        (GateReason::EveryStep, _) => {
            "This run carries nothing out by itself: it asks for every step. Carry it out, then say how it went.".into()
        }
        (GateReason::Permission, _) => {
            "The project's permissions say that a person is asked before this happens.".into()
        }
        (GateReason::Other(word), _) => format!("Policy: {word}."),
    }
}

/// Why a tool asks: what it risks, or that its step says so.
pub fn tool(purpose: &Purpose, step: Option<&Step>) -> Option<String> {
    let Purpose::Tool { ask } = purpose else { return None };
    let by_name = step.is_some_and(|step| {
        step.tools
            .iter()
            .any(|call| call.gate.as_deref() == Some(ask.gate.as_str()))
    });
    Some(match (by_name, ask.risk) {
        (true, _) => format!(
            "The workflow asks for a person before the tool {} is used here.",
            ask.tool
        ),
        (_, model::Risk::High) => format!(
            "A call of {} is of high risk, and those are never made unasked.",
            ask.tool
        ),
        (_, model::Risk::Medium) => format!(
            "A call of {} is of medium risk, and the project's policy asks for a person then.",
            ask.tool
        ),
        (_, model::Risk::Low) => format!("The project's rules ask for a person before {} is used.", ask.tool),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Limits;
    use model::{Gate, GateAt};

    /// What the policy says of a step with this gate in this phase, in words.
    fn said(requirement: Option<GateRequirement>, phase: &str, policy: &GatePolicy, toggles: bool) -> String {
        let gate = requirement.map(|requirement| Gate {
            requirement,
            at: GateAt::Before,
            question: None,
            asks: Vec::new(),
            on_reject: None,
        });
        let step = Step {
            gate: gate.clone(),
            phase: (!phase.is_empty()).then(|| phase.to_owned()),
            ..Step::new("a", 0)
        };
        let limits = Limits {
            conditional_required: toggles,
            recommended_required: toggles,
            ..Limits::default()
        };
        let workflow = WorkflowId::from("release-payments");
        let verdict = policy.judge(&step, &workflow, &limits);
        words(&verdict.reason, Some(&step), &workflow, policy)
    }

    #[test]
    fn every_reason_names_what_decided() {
        use GateRequirement::{Conditional, Optional, Recommended, Required};
        let of = |change: fn(&mut GatePolicy)| {
            let mut policy = GatePolicy::default();
            change(&mut policy);
            policy
        };
        let plain = GatePolicy::default();
        let phases = of(|p| p.required_phases = vec!["Phase 3 Solutioning".into()]);
        let some = of(|p| p.conditional_phases = vec!["Phase 4".into()]);
        let risky = of(|p| p.high_risk_keywords = vec![" ".into(), "Payment".into()]);
        let words = of(|p| p.conditional_keywords = vec!["release".into()]);
        let off = of(|p| p.mode = Some("advisory".into()));
        for (gate, phase, policy, toggles, expected) in [
            (Some(Required), "", &off, false, "`hitl.mode` is “advisory”"),
            (None, "", &plain, false, "nobody is asked"),
            (
                Some(Optional),
                "Phase 3 Solutioning",
                &phases,
                false,
                "every step of the phase “Phase 3 Solutioning”",
            ),
            (Some(Optional), "", &risky, false, "high-risk: “Payment”"),
            (Some(Required), "", &plain, false, "asks for a person at this step"),
            (
                Some(Conditional),
                "",
                &plain,
                true,
                "when the project's policy says so, and it does",
            ),
            (Some(Conditional), "", &plain, false, "says so; it does not"),
            (Some(Optional), "Phase 4", &some, true, "the phase “Phase 4” while"),
            (Some(Optional), "Phase 4", &some, false, "the phase “Phase 4” if"),
            (Some(Optional), "", &words, true, "holds “release” while"),
            (Some(Optional), "", &words, false, "holds “release” if"),
            (Some(Recommended), "", &plain, true, "makes that binding"),
            (Some(Recommended), "", &plain, false, "does not make that binding"),
            (Some(Optional), "", &plain, true, "is optional"),
        ] {
            let said = said(gate, phase, policy, toggles);
            assert!(said.contains(expected), "{said}");
        }
    }
}
