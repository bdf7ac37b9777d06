//! What stands beside what a gate shows: checks, tools and guardrails of the attempts that made it, the evidence for it, and what an
//! approval would make of that (seed 000 "Human gates", "Evidence").

use crate::evidence;
use crate::evidence::present::Of;
use crate::evidence::view::{EvidenceView, RaisedView, SupportView};
use crate::gate::asking;
use crate::gate::view::{DecisionRecord, OptionView, ToolAskView};
use crate::run::lifecycle;
use crate::run::lifecycle_view::{CheckView, GuardrailView, ToolCallView};
use crate::text::safe;
use engine::{
    Answer, Artifact, Decision, EvidenceState, GateOpened, GateRound, Instance, Lifecycle, Purpose, RunState,
};
use model::{GateAt, Reopening, Risk, StepId, Workflow};

/// What was done around the work that a gate is about.
#[derive(Default)]
pub struct Beside {
    /// Tools, in the order called.
    pub tools: Vec<ToolCallView>,
    /// Guardrails: of one attempt as they are, of several with the step they belong to.
    pub guardrails: Vec<GuardrailView>,
    /// Validation, check by check.
    pub checks: Vec<CheckView>,
}

/// Whether one of the files that a gate shows is this one.
fn is_shown(opened: &GateOpened, path: &str, digest: &engine::Digest) -> bool {
    opened.shown.iter().any(|a| a.path == path && a.digest == *digest)
}

/// The attempts that a gate is about: the one that it stands behind or that waits for it, and those that made what it shows; of each
/// step the latest that had ended when the gate was opened.
fn attempts<'a>(state: &'a RunState, round: &GateRound) -> Vec<(&'a Instance, &'a Lifecycle, &'a [Artifact])> {
    let opened = &round.opened;
    let own = opened.at == GateAt::After || opened.purpose != Purpose::Approval;
    let mut found: Vec<(&Instance, &Lifecycle, &[Artifact])> = Vec::new();
    for visit in state.visits() {
        let ended = |a: &&engine::AttemptState| a.ended_at.is_some_and(|at| at <= round.opened_at);
        let Some(result) = visit
            .attempts
            .iter()
            .rev()
            .find(ended)
            .and_then(|a| a.result.as_deref())
        else {
            continue;
        };
        let is_own = own && visit.instance == opened.instance;
        if is_own
            || result
                .artifacts
                .iter()
                .any(|made| is_shown(opened, &made.path, &made.digest))
        {
            found.retain(|(instance, _, _)| instance.step != visit.instance.step);
            if let Some(lifecycle) = result.lifecycle.as_deref() {
                found.push((&visit.instance, lifecycle, result.artifacts.as_slice()));
            }
        }
    }
    found
}

/// What was done around the work that this round is about.
pub fn beside(workflow: &Workflow, state: &RunState, round: &GateRound) -> Beside {
    let attempts = attempts(state, round);
    let several = attempts.len() > 1;
    let mut out = Beside::default();
    for (instance, lifecycle, made) in attempts {
        out.tools.extend(lifecycle::tools(state, instance, &lifecycle.calls));
        for report in &lifecycle.guardrails {
            let mut view = lifecycle::guardrail(state, report, made);
            if several {
                view.name = format!("{}: {}", asking::step_of(workflow, instance), view.name.to_lowercase());
            }
            out.guardrails.push(view);
        }
        let differing = lifecycle.not_as_approved.iter();
        let differing = differing.map(|file| lifecycle::not_as_approved(state, file));
        let unchanged = lifecycle::unchanged(state, instance, lifecycle, made);
        out.checks.extend(differing.chain(unchanged).map(|mut view| {
            if several {
                view.name = format!("{}: {}", asking::step_of(workflow, instance), view.name);
            }
            view
        }));
        out.checks.extend(lifecycle.unkept.iter().map(lifecycle::unkept));
        out.checks
            .extend(lifecycle.untaken.iter().map(|path| lifecycle::untaken(state, path)));
        out.checks
            .extend(lifecycle.unmade.iter().map(|path| lifecycle::unmade(state, path)));
        if let Some(validation) = &lifecycle.validation {
            out.checks.extend(lifecycle::validation(state, validation).checks);
        }
    }
    out
}

/// The evidence for what a gate shows, and how strong it is together; `None` where none was recorded and none is asked for.
pub fn support(of: &Of<'_>, round: &GateRound) -> (Option<SupportView>, Vec<EvidenceView>) {
    let records: Vec<EvidenceView> = about(of.state, &round.opened)
        .filter(|held| round.answer.is_some() || !held.superseded)
        .map(|held| evidence::present::view(of, held))
        .collect();
    let made_by = |step: &&model::Step| {
        let visits = of.state.visits_of(&step.id);
        let mut made = visits.filter_map(|v| v.result()).flat_map(|r| &r.artifacts);
        made.any(|a| is_shown(&round.opened, &a.path, &a.digest))
    };
    let asked_for = of
        .workflow
        .steps()
        .iter()
        .filter(made_by)
        .any(|step| step.evidence.is_some());
    let is_about = asked_for || !records.is_empty();
    (is_about.then(|| evidence::present::support(&records)), records)
}

fn about<'a>(state: &'a RunState, opened: &'a GateOpened) -> impl Iterator<Item = &'a EvidenceState> {
    state.evidence.iter().filter(|held| {
        held.record
            .artifacts
            .iter()
            .any(|a| is_shown(opened, &a.path, &a.digest))
    })
}

/// What an answer makes of the evidence: the very function that the machine applies it with.
pub fn raised(state: &RunState, round: &GateRound, answer: Answer) -> Vec<RaisedView> {
    if round.answer.is_some() {
        return Vec::new();
    }
    let considered = Decision::considered(&round.opened, answer);
    let rehearsal = state.is_rehearsal();
    let mut held = Vec::clone(&state.evidence);
    let promotions = engine::ledger::corroborate(&mut held, rehearsal, round.opened_at, &round.opened, &considered);
    let name = |id: &str| {
        let record = state.evidence.iter().find(|held| held.record.id == id);
        record.map(evidence::present::files_of).unwrap_or_default()
    };
    promotions
        .into_iter()
        .map(|one| RaisedView {
            words: format!(
                "{} then counts as {}.",
                name(&one.evidence),
                evidence::present::level_words(one.to)
            ),
            evidence: one.evidence,
            from: one.from,
            to: one.to,
        })
        .collect()
}

/// The call that a person is asked about.
pub fn tool(workflow: &Workflow, opened: &GateOpened, is_rehearsal: bool) -> Option<ToolAskView> {
    let Purpose::Tool { ask } = &opened.purpose else {
        return None;
    };
    let step = asking::step_of(workflow, &opened.instance);
    let danger = match ask.risk {
        Risk::High => " What it does may not be possible to take back.",
        Risk::Medium | Risk::Low => "",
    };
    Some(ToolAskView {
        name: safe::visible(&ask.tool),
        risk: ask.risk,
        args: lifecycle::readable(&ask.args),
        means: match is_rehearsal {
            true => format!("This is a rehearsal: the call is not made, and {step} goes on as if it had been."),
            false => format!(
                "Allowing it lets {step} make this call once, with exactly these arguments; with others you are asked again.{danger}"
            ),
        },
    })
}

/// Led back, the same is asked again.
fn is_back(workflow: &Workflow, opened: &GateOpened, to: &StepId) -> bool {
    let at = |id: &StepId| workflow.step(id).map(|step| step.ordinal);
    at(to).is_some_and(|to| at(&opened.instance.step).is_some_and(|from| to <= from))
}

/// Whether a rejection is the last word: neither is the question asked again, nor can the run be taken up behind it.
pub fn rejects_for_good(workflow: &Workflow, opened: &GateOpened) -> bool {
    if matches!(opened.purpose, Purpose::Outcome { .. } | Purpose::Permission { .. }) {
        return false;
    }
    match &opened.reject_to {
        Some(to) => !is_back(workflow, opened, to),
        None => workflow.contract().reopening == Reopening::Never,
    }
}

/// What the record of a decision says: the ways there were, and which of them can be taken back.
pub fn record(workflow: &Workflow, opened: &GateOpened) -> Option<DecisionRecord> {
    if matches!(opened.purpose, Purpose::Outcome { .. } | Purpose::Permission { .. }) {
        return None;
    }
    let reversibility = |answer: Answer| match (&opened.purpose, answer) {
        (Purpose::Tool { ask }, Answer::Approve) if ask.risk == Risk::High => "final once it is called",
        (Purpose::Tool { .. }, Answer::Approve) => "final; what it did is kept in the run",
        (_, Answer::Approve | Answer::Choose) => match workflow.contract().state_in_file {
            true => "cannot be taken back in this round; asked again when this stage is done again",
            false => {
                "cannot be taken back in this run; a new run can go back to this question (its checkpoint), and it is asked again when the run comes \
                 here again"
            }
        },
        (_, Answer::Changes) if opened.changes_to.is_none() => {
            "cannot be given here: there is no earlier step that could be done again"
        }
        (_, Answer::Changes) => "not final: the work is redone, older versions are kept, and you are asked again",
        _ if opened
            .reject_to
            .as_ref()
            .is_some_and(|to| is_back(workflow, opened, to)) =>
        {
            "counts for this round; the run goes back, and the question is asked again"
        }
        _ if opened.reject_to.is_some() => "final; the run goes on where the workflow leads after a rejection",
        _ => match workflow.contract().reopening {
            Reopening::AtOpenStep | Reopening::WhereItStood => {
                "not final: the run can be resumed at this step; your answer stays in the record"
            }
            Reopening::ByStage => {
                "not final: the run can be resumed, and this stage done again or left out; your answer stays in the record"
            }
            Reopening::Never => "final; a new run can be started",
        },
    };
    let options = asking::offered(&opened.purpose)
        .into_iter()
        .map(|(answer, way)| OptionView {
            answer,
            way: way.map(|way| way.id.clone()),
            label: way.map_or_else(|| asking::label_in(workflow, opened, answer), |way| way.label.clone()),
            reversibility: reversibility(answer).to_owned(),
        });
    Some(DecisionRecord {
        id: format!("{}:{}", opened.gate, opened.round),
        options: options.collect(),
    })
}

#[cfg(test)]
mod tests;
