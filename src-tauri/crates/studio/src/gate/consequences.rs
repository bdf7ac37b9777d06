//! What each answer of a gate leads to, before it is given.

use crate::gate::asking;
use crate::gate::view::{AnswerPreview, ReportChoice, ReportOption};
use crate::text::safe;
use crate::view::{Refused, StepRef};
use crate::words;
use engine::{
    Answer, ExecutionStatus, GateOpened, GateReason, GateRound, Moved, Purpose, RefusalCode, RouteDecision, RouteKind,
    RunState, StepResult, Way, WayAction, runbook,
};
use model::routing::Asked;
use model::{Failing, FlowKind, OnFailure};
use model::{Fields, GateAt, Step, StepId, Work, Workflow};
use serde_json::Value;
use std::collections::BTreeSet;

/// What one answer would do.
pub fn preview(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    (answer, way): (Answer, Option<&Way>),
    refusal: Option<Refused>,
) -> AnswerPreview {
    let opened = &round.opened;
    let Consequence {
        words,
        runs,
        never_runs,
    } = if matches!(opened.purpose, Purpose::Outcome { attempt: true, .. }) {
        of_attempt(workflow, state, opened, answer)
    } else if state.has_stages() {
        of_stage(workflow, state, opened, (answer, way))
    } else if let Some(way) = way {
        of_way(workflow, state, opened, way)
    } else {
        of_token(workflow, state, opened, answer)
    };
    let words = match (opened.feedback.is_empty(), answer) {
        (false, Answer::Approve) => format!("The issue is put aside, with your reason. {words}"),
        _ => words,
    };
    let nothing_to_redo = (answer == Answer::Changes && opened.changes_to.is_none()).then(|| Refused {
        code: RefusalCode::NothingToRepeat,
        message: NOTHING_EARLIER.into(),
    });
    let refusal = refusal.or(nothing_to_redo);
    AnswerPreview {
        answer,
        way: way.map(|way| way.id.clone()),
        label: way.map_or_else(|| asking::label_in(workflow, opened, answer), |way| way.label.clone()),
        allowed: refusal.is_none(),
        refusal,
        needs_comment: opened.needs_comment(answer),
        words,
        runs,
        never_runs,
        raises: crate::gate::context::raised(state, round, answer),
    }
}

const NOTHING_EARLIER: &str = "There is no earlier step that could be done again.";

/// What follows from an answer: in words, and the steps that would and that would never run.
struct Consequence {
    words: String,
    runs: Vec<StepRef>,
    never_runs: Vec<StepRef>,
}

/// Where a way leads that a person chooses.
fn of_way(workflow: &Workflow, state: &RunState, opened: &GateOpened, way: &Way) -> Consequence {
    let result = state.visit(&opened.instance).and_then(|visit| visit.result());
    let step = workflow.step(&opened.instance.step);
    let by_rule = step
        .zip(result)
        .map(|(step, result)| engine::routing::route(step, workflow, result, &state.loop_state));
    let alternatives = by_rule.map(|route| route.alternatives).unwrap_or_default();
    let why_not = alternatives
        .iter()
        .find(|other| other.to.is_some() && other.to == way.to);
    let why_not = why_not.map_or_else(String::new, |other| {
        format!(" The rules do not lead there: {}.", crate::run::reasons::why_not(other))
    });
    let reached = way.to.as_ref().map(|to| reach(workflow, to)).unwrap_or_default();
    let name = way.to.as_ref().map(|to| words::step_ref(workflow, to).name);
    let words = match (&way.action, name) {
        (WayAction::Loop, Some(name)) => format!("“{name}” is done again, one round more."),
        (WayAction::LeaveOut, _) => "It is not done in this run, and what waits for it goes on.".to_owned(),
        (WayAction::Advance, Some(name)) if way.to.as_ref() == Some(&opened.instance.step) => {
            format!("“{name}” begins.")
        }
        (WayAction::Repeat, Some(name)) => format!("“{name}” is done again, without a word from you."),
        (WayAction::Extend, Some(name)) => {
            let on = goes_on(workflow, &name, &reached);
            format!("No way of the workflow leads there; in this run one does then, the file stays as it is. {on}")
        }
        (WayAction::Detour, Some(name)) => {
            let detour = step.and_then(|step| {
                step.detours
                    .iter()
                    .find(|detour| Some(&detour.first) == way.to.as_ref())
            });
            crate::run::detours::aside(&name, detour)
        }
        (_, Some(name)) => goes_on(workflow, &name, &reached),
        (_, None) => "The flow ends here, well.".to_owned(),
    };
    Consequence {
        words: words + &why_not,
        runs: reached
            .into_iter()
            .map(|i| words::of_step(&workflow.steps()[i]))
            .collect(),
        never_runs: Vec::new(),
    }
}

/// `“Publish” runs next; up to 2 steps more can follow.` `runs`: the steps that are reached, as places in the file.
fn goes_on(workflow: &Workflow, name: &str, runs: &[usize]) -> String {
    let graph = workflow.graph();
    let goes_back = runs.iter().any(|step| {
        let mut leads = graph.edges(workflow.node(*step));
        leads.any(|edge| edge.weight().kind == FlowKind::Loop)
    });
    let asks = runs.iter().any(|step| workflow.steps()[*step].gate.is_some());
    match (runs.len().saturating_sub(1), goes_back) {
        (0, false) if asks => format!("“{name}” runs next, and a person is asked there."),
        (0, false) => format!("“{name}” runs next, then the flow ends."),
        (0, true) => format!("“{name}” runs next; then the flow ends, or goes back for another round."),
        (more, _) => {
            let back = if goes_back { ", and rounds can be repeated" } else { "" };
            let again = if asks { ", and a person is asked again" } else { "" };
            let more = words::count(more, "step", "steps");
            format!("“{name}” runs next; up to {more} more can follow{again}{back}.")
        }
    }
}

/// How a step went that a person carries out: the answer is no decision about it but its outcome, and begins what follows any step's.
fn of_attempt(workflow: &Workflow, state: &RunState, opened: &GateOpened, answer: Answer) -> Consequence {
    let step = workflow.step(&opened.instance.step);
    let name = words::step_ref(workflow, &opened.instance.step).name;
    let rest: Vec<&Step> = match step {
        Some(step) if state.has_stages() => waiting_for(workflow, state, step),
        Some(step) => {
            let later = reach(workflow, &step.id).into_iter().map(|i| &workflow.steps()[i]);
            later
                .filter(|s| s.id != step.id && !state.steps.contains_key(&s.id))
                .collect()
        }
        None => Vec::new(),
    };
    let refs = rest.iter().map(|step| words::of_step(step)).collect();
    if answer == Answer::Pass {
        let then = match step {
            Some(step) if state.has_stages() => match asks_after(workflow, state, step) {
                Some(question) => {
                    format!("Then a person is asked: {question} What waits for it goes on once that is approved.")
                }
                None => "Then what waits for it goes on.".to_owned(),
            },
            Some(step) if !step.routing.asks_for().is_empty() => "What you report decides where it goes on.".to_owned(),
            Some(step) => format!("Then {}", after_report(workflow, state, step, Fields::new())),
            None => "Then it goes on.".to_owned(),
        };
        // What somebody made can only be taken up where the workflow says what that is.
        let files = match step.is_some_and(|step| !step.outputs.is_empty()) {
            true => "; the files that the workflow names for it are taken up and checked",
            false => "",
        };
        return Consequence {
            words: format!("“{name}” counts as done{files}. {then}"),
            runs: refs,
            never_runs: Vec::new(),
        };
    }
    let (end, goes_on) = after_failure(workflow, state, opened, step);
    Consequence {
        words: format!("“{name}” counts as failed. {end}"),
        runs: Vec::new(),
        never_runs: if goes_on { Vec::new() } else { refs },
    }
}

/// What follows when a person says that a step could not be done, and whether anything behind it may run all the same.
fn after_failure(workflow: &Workflow, state: &RunState, opened: &GateOpened, step: Option<&Step>) -> (String, bool) {
    let created = state.created.as_deref();
    let (Some(step), Some(created)) = (step, created) else {
        return ("It is not tried again: the run ends as failed.".to_owned(), false);
    };
    let other = step.escalate_to.as_ref().filter(|who| {
        let is_another = engine::doer::agents_of(step, created) != [(*who).clone()];
        is_another && !created.prompted && opened.why != GateReason::Escalated
    });
    if let Some(who) = other {
        return (format!("Then it goes to {}.", safe::visible(who.as_str())), true);
    }
    let (end, goes_on) = match (state.has_stages(), step.failing, workflow.on_failure) {
        (true, Failing::Spared, _) => ("the workflow goes on without it.", true),
        (true, Failing::SparedBesideAnother, _) => (
            "the workflow goes on as long as another step of its group has not failed.",
            true,
        ),
        (true, Failing::Stops, OnFailure::Halt) => {
            ("what has begun is finished, then the pipeline ends as failed.", false)
        }
        (true, Failing::Stops, OnFailure::SkipDependents) => {
            ("what waits for it is left out; everything else goes on.", false)
        }
        (false, ..) if state.forks.token(&step.id).is_some() => (
            "its branch ends as failed, and where the branches meet it is decided what that means.",
            true,
        ),
        (false, ..) if !workflow.parts().is_empty() => ("the flow ends as failed.", false),
        (false, ..) => ("the run ends as failed.", false),
    };
    // Whoever said how it went has said it; of several who work at a step the others may try again.
    let again = match opened.why == GateReason::Escalated || engine::doer::engines_of(step, created).0.is_person() {
        true => "It is not tried again:",
        false => "If it may not be tried again,",
    };
    (format!("{again} {end}"), goes_on)
}

/// What is asked when a step's work is done, quoted: `“May we sign?”`; `None`: nobody is.
fn asks_after(workflow: &Workflow, state: &RunState, step: &Step) -> Option<String> {
    let rules = engine::GateRules::of(state.created.as_deref());
    engine::gate::blocks(&workflow.id, step, GateAt::After, rules)?;
    let question = engine::gate::question(step, step.gate.as_ref()?);
    let stop = if question.ends_with(['?', '.', '!']) { "" } else { "." };
    Some(format!("“{question}”{stop}"))
}

/// What a person reports of a step that they carry out, with what follows from each value as the run stands.
pub fn reports(workflow: &Workflow, state: &RunState, opened: &GateOpened) -> Vec<ReportChoice> {
    let is_attempt = matches!(opened.purpose, Purpose::Outcome { attempt: true, .. });
    let Some(step) = workflow.step(&opened.instance.step).filter(|_| is_attempt) else {
        return Vec::new();
    };
    let option = |field: &str, value: Value, label: Option<&str>| ReportOption {
        words: after_report(
            workflow,
            state,
            step,
            [(field.to_owned(), value.clone())].into_iter().collect(),
        ),
        label: label.map_or_else(|| words::value(&value), str::to_owned),
        value,
    };
    let choice = |asked: Asked| {
        let field = asked.field.as_str();
        let other = other_than(&asked.values);
        let mut options: Vec<ReportOption> = asked
            .values
            .into_iter()
            .map(|value| option(field, value, None))
            .collect();
        if !options.is_empty() {
            let label = match other.as_str() {
                "other" => Some("something else"),
                _ => None,
            };
            options.push(option(field, other.as_str().into(), label));
        }
        ReportChoice {
            options,
            field: asked.field,
        }
    };
    step.routing.asks_for().into_iter().map(choice).collect()
}

/// A value that is none of these: the word for the contrary, where there is one.
fn other_than(values: &[Value]) -> String {
    const CONTRARY: [(&str, &str); 4] = [
        ("VERIFIED", "UNVERIFIED"),
        ("yes", "no"),
        ("true", "false"),
        ("PASS", "FAIL"),
    ];
    let is_among = |word: &str| values.iter().any(|value| value == word);
    let contrary = CONTRARY
        .iter()
        .find(|(word, contrary)| is_among(word) && !is_among(contrary));
    contrary.map_or("other", |(_, contrary)| contrary).to_owned()
}

/// Where the run goes on from a step that reports this.
fn after_report(workflow: &Workflow, state: &RunState, step: &Step, report: Fields) -> String {
    let result = StepResult {
        report,
        ..StepResult::new(ExecutionStatus::Succeeded)
    };
    let route = engine::routing::route(step, workflow, &result, &state.loop_state);
    let turns = route.loop_state != state.loop_state || route.to.as_ref() == Some(&step.id);
    let why = match crate::run::reasons::used_up(workflow, &route, &result) {
        Some(_) => ", because the loop is used up",
        None => "",
    };
    // A gate stands across the way on: while the loop turns nobody is asked.
    if let Some(question) = asks_after(workflow, state, step).filter(|_| !turns) {
        return format!("a person is asked{why}: {question}");
    }
    match (&route.to, route.decision) {
        (Some(to), RouteKind::Loop) => {
            format!("back to “{}” for another round.", words::step_ref(workflow, to).name)
        }
        (Some(to), _) => format!("“{}” comes next{why}.", words::step_ref(workflow, to).name),
        (None, _) => format!("the flow ends here{why}."),
    }
}

/// The stages behind one that have not ended.
fn waiting_for<'a>(workflow: &'a Workflow, state: &RunState, step: &Step) -> Vec<&'a Step> {
    use engine::StepStatus::{Failed, Refused, Skipped, Succeeded};
    let ended = |step: &Step| matches!(state.step_status(&step.id), Succeeded | Failed | Refused | Skipped);
    let after = workflow.all_dependents(step).into_iter();
    after.filter(|step| !ended(step)).collect()
}

/// Where the token would go.
fn of_token(workflow: &Workflow, state: &RunState, opened: &GateOpened, answer: Answer) -> Consequence {
    let route = told(workflow, state, opened, answer);
    let target = match (&route, answer) {
        (Some(route), _) => route.to.as_ref(),
        (None, Answer::Approve | Answer::Pass | Answer::Choose) => opened.approve_to.as_ref(),
        (None, Answer::Changes) => opened.changes_to.as_ref(),
        (None, Answer::Reject | Answer::Fail) => opened.reject_to.as_ref(),
    };
    let reached = target.map(|to| reach(workflow, to)).unwrap_or_default();
    let runs: Vec<StepRef> = reached.iter().map(|i| words::of_step(&workflow.steps()[*i])).collect();
    let ends_badly = target.is_none() && matches!(answer, Answer::Reject | Answer::Fail);
    let never_runs: Vec<StepRef> = match &opened.approve_to {
        Some(on) if ends_badly => reach(workflow, on)
            .iter()
            .map(|i| &workflow.steps()[*i])
            .filter(|s| !state.steps.contains_key(&s.id))
            .map(words::of_step)
            .collect(),
        _ => Vec::new(),
    };
    let words = match (&route, &opened.purpose) {
        (Some(route), _) => after_step(workflow, route),
        (None, Purpose::Tool { ask }) if answer == Answer::Approve => format!(
            "{} is called, then {} goes on.",
            safe::visible(&ask.tool),
            asking::step_of(workflow, &opened.instance)
        ),
        (None, Purpose::Permission { .. }) => {
            format!("{} is carried out.", asking::step_of(workflow, &opened.instance))
        }
        (None, _) => after_approval(workflow, opened, answer, target, &reached, never_runs.len()),
    };
    let words = match (&opened.purpose, answer) {
        (Purpose::Permission { .. }, Answer::Reject) => {
            let step = asking::step_of(workflow, &opened.instance);
            format!("{step} is not carried out and counts as failed. {words}")
        }
        _ => words,
    };
    Consequence {
        words,
        runs,
        never_runs,
    }
}

/// What becomes of a stage of a pipeline and of what depends on it, while everything else goes on.
fn of_stage(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    (answer, way): (Answer, Option<&Way>),
) -> Consequence {
    let step = workflow.step(&opened.instance.step);
    let after = step.map_or_else(Vec::new, |step| waiting_for(workflow, state, step));
    let name = words::step_ref(workflow, &opened.instance.step).name;
    let rest = match after.as_slice() {
        [] => "Nothing else waits for it.".to_owned(),
        [one] => format!("“{}” waits for it.", one.name),
        more => format!("{} wait for it.", words::count(more.len(), "stage", "stages")),
    };
    let refs = || after.iter().map(|step| words::of_step(step)).collect();
    let is_permission = matches!(opened.purpose, Purpose::Permission { .. });
    match answer {
        Answer::Choose if way.is_some_and(|way| matches!(way.action, WayAction::LeaveOut)) => Consequence {
            words: format!("“{name}” is not done in this run. What waits for it goes on without it."),
            runs: refs(),
            never_runs: vec![words::step_ref(workflow, &opened.instance.step)],
        },
        Answer::Approve | Answer::Pass | Answer::Choose => {
            let begins = opened.at == GateAt::Before || is_permission;
            let done = if begins { "begins" } else { "is completed" };
            Consequence {
                words: format!("“{name}” {done}. {rest}"),
                runs: refs(),
                never_runs: Vec::new(),
            }
        }
        Answer::Changes => {
            let again = opened.changes_to.as_ref();
            let again = again.map(|to| words::step_ref(workflow, to).name);
            Consequence {
                words: again.map_or_else(|| NOTHING_EARLIER.to_owned(), |again| done_again(&again, opened)),
                runs: Vec::new(),
                never_runs: Vec::new(),
            }
        }
        Answer::Reject | Answer::Fail => {
            let end = if is_permission {
                format!("“{name}” is not carried out and counts as failed.")
            } else {
                "What has begun is finished, then the pipeline ends as refused, with your name and comment.".to_owned()
            };
            let left_out = match after.as_slice() {
                [] => String::new(),
                [one] => format!(" “{}” is left out.", one.name),
                more => format!(" {} are left out.", words::count(more.len(), "stage", "stages")),
            };
            Consequence {
                words: format!("{end}{left_out}"),
                runs: Vec::new(),
                never_runs: refs(),
            }
        }
    }
}

fn done_again(name: &str, opened: &GateOpened) -> String {
    let round = opened.round + 1;
    format!("“{name}” is done again with your comment; you are asked again in round {round}.")
}

/// What follows when the answer is the step's outcome; `None` when the answer is about something else.
fn told(workflow: &Workflow, state: &RunState, opened: &GateOpened, answer: Answer) -> Option<RouteDecision> {
    if !workflow.contract().by_hand {
        return None;
    }
    let passed = match (&opened.purpose, answer) {
        (Purpose::Outcome { .. }, Answer::Pass) => true,
        (Purpose::Outcome { .. }, Answer::Fail) | (Purpose::Permission { .. }, Answer::Reject) => false,
        _ => return None,
    };
    Some(runbook::route(workflow, &opened.instance, &state.frame, passed))
}

/// `“Deploy” comes next.`, `“Deploy” is tried again: retry 1 of 2.`, `The runbook stops: rolled back.`
fn after_step(workflow: &Workflow, route: &RouteDecision) -> String {
    let moved = route.runbook.as_deref().cloned().unwrap_or_default();
    let message = moved
        .message
        .as_deref()
        .map_or_else(|| ".".to_owned(), |m| format!(": {m}"));
    let Some(to) = &route.to else {
        return match moved.stopped {
            true => format!("The runbook stops{message}"),
            false => format!("The runbook is complete{message}"),
        };
    };
    let at = engine::Instance {
        step: to.clone(),
        visit: 1,
        path: moved.path,
    };
    let to = asking::step_of(workflow, &at);
    let retries = matches!(route.reason.moved(), Some(Moved::Retry { .. }));
    match route.loop_count {
        Some(count) if retries => format!("{to} is tried again: retry {} of {}.", count.taken + 1, count.max),
        _ => format!("{to} comes next."),
    }
}

fn after_approval(
    workflow: &Workflow,
    opened: &GateOpened,
    answer: Answer,
    target: Option<&StepId>,
    reached: &[usize],
    never: usize,
) -> String {
    let name = target.map(|to| words::step_ref(workflow, to).name);
    match (answer, name) {
        (Answer::Approve | Answer::Pass | Answer::Choose, Some(name)) => goes_on(workflow, &name, reached),
        (Answer::Approve | Answer::Pass | Answer::Choose, None) => "The flow ends here, well.".into(),
        (Answer::Changes, Some(name)) => done_again(&name, opened),
        (Answer::Changes, None) => NOTHING_EARLIER.into(),
        (Answer::Reject | Answer::Fail, Some(name)) => format!("“{name}” runs next."),
        (Answer::Reject | Answer::Fail, None) => match never {
            0 => "The run ends as refused, with your name and comment.".into(),
            n => format!(
                "The run ends as refused, with your name and comment; {}.",
                words::count(n, "step never runs", "steps never run")
            ),
        },
    }
}

/// Ordinals of the steps that can follow, the start included, in order of first reach. What a container decides belongs
/// to the steps inside it.
fn reach(workflow: &Workflow, from: &StepId) -> Vec<usize> {
    let Some(start) = workflow.step(from) else {
        return Vec::new();
    };
    let graph = workflow.graph();
    let mut seen = BTreeSet::from([start.ordinal]);
    let mut queue = std::collections::VecDeque::from([start.ordinal]);
    let mut out = Vec::new();
    while let Some(i) = queue.pop_front() {
        let step = &workflow.steps()[i];
        if step.work != Work::Group {
            out.push(i);
        }
        let mut next: Vec<usize> = graph
            .edges(workflow.node(i))
            .filter(|e| !matches!(e.weight().kind, FlowKind::Loop | FlowKind::Reject))
            .map(|e| graph[petgraph::visit::EdgeRef::target(&e)])
            .collect();
        next.sort_unstable();
        next.extend(workflow.container(step).map(|around| around.ordinal));
        queue.extend(next.into_iter().filter(|j| seen.insert(*j)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{At, Command, Effect, ExecutionStatus, Instance, Intent, RunCreated, StepResult};
    use model::{Format, Gate, GateRequirement, Routing};
    use std::sync::Arc;

    /// `design` with a gate after it, `build` and `ship` behind it, `docs` beside it; everything that can has run.
    fn at_the_gate() -> (Workflow, RunState) {
        let stage = |(ordinal, (name, before)): (usize, (&str, Option<&str>))| Step {
            depends_on: before.map(Into::into).into_iter().collect(),
            routing: Routing::Dependencies,
            gate: (name == "design").then(|| Gate {
                requirement: GateRequirement::Required,
                at: GateAt::After,
                question: None,
                asks: Vec::new(),
                on_reject: None,
            }),
            ..Step::new(name, ordinal)
        };
        let stages = [
            ("design", None),
            ("build", Some("design")),
            ("ship", Some("build")),
            ("docs", None),
        ];
        let steps = stages.into_iter().enumerate().map(stage).collect();
        let workflow = Workflow::new("p".into(), "P".to_owned(), Format::Pipeline, steps);
        let created = RunCreated::new("r", &workflow, "p.yaml", "0", "test");
        let mut state = RunState::default();
        let mut next = Some(Intent::Create(Arc::new(created)));
        while let Some(intent) = next {
            let at = At(i64::try_from(state.seq).expect("few"));
            for event in engine::decide(&workflow, &state, &Command { at, intent })
                .expect("it fits")
                .events
            {
                engine::apply(&mut state, at, &event);
            }
            next = engine::effects(&workflow, &state)
                .into_iter()
                .find_map(|effect| match effect {
                    Effect::Execute { instance, attempt } => Some(Intent::Finish {
                        instance,
                        attempt,
                        result: Arc::new(StepResult::new(ExecutionStatus::Succeeded)),
                    }),
                    _ => None,
                });
        }
        (workflow, state)
    }

    fn said(answer: Answer) -> String {
        let (workflow, state) = at_the_gate();
        let round = state.waiting().expect("a person is asked");
        let design = Instance {
            step: "design".into(),
            visit: 1,
            path: Vec::new(),
        };
        assert_eq!(round.opened.instance, design);
        let preview = preview(&workflow, &state, round, (answer, None), None);
        let ids = |steps: &[StepRef]| steps.iter().map(|s| s.id.clone()).collect::<Vec<_>>().join(" ");
        format!(
            "{} [{}] [{}]",
            preview.words,
            ids(&preview.runs),
            ids(&preview.never_runs)
        )
    }

    #[test]
    fn of_a_stage_what_depends_on_it_follows() {
        assert_eq!(
            said(Answer::Approve),
            "“Design” is completed. 2 stages wait for it. [build ship] []"
        );
        assert_eq!(
            said(Answer::Changes),
            "“Design” is done again with your comment; you are asked again in round 2. [] []"
        );
        assert_eq!(
            said(Answer::Reject),
            "What has begun is finished, then the pipeline ends as refused, with your name and comment. 2 stages are left out. [] [build ship]"
        );
    }
}
