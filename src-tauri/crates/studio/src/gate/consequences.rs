//! What each answer of a gate leads to, before it is given.

use crate::gate::asking;
use crate::gate::view::{AnswerPreview, ReportChoice, ReportOption};
use crate::run::status::{self, Halt};
use crate::text::safe;
use crate::view::{Refused, StepRef};
use crate::words;
use crate::workflow::drawing::blocks;
use engine::control::dag::is_halted;
use engine::{
    Answer, BranchId, Decided, EndStatus, Event, ExecutionStatus, FlowEnded, GateOpened, GateReason, GateRound,
    GateRules, Joined, Moved, Purpose, RefusalCode, RouteDecision, RouteKind, RunState, StageEnd, StepResult, Way,
    WayAction, foreseen, runbook,
};
use model::{Asked, Failing, Fields, FlowKind, GateAt, Reopening, Risk, Routing, Step, StepId, Work, Workflow};
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
    let named = |steps: Vec<StepRef>| -> Vec<StepRef> {
        let created = state.created.as_deref();
        let each = steps.into_iter().map(|step| words::in_run(workflow, created, step));
        each.collect()
    };
    AnswerPreview {
        answer,
        way: way.map(|way| way.id.clone()),
        label: way.map_or_else(|| asking::label_in(workflow, opened, answer), |way| way.label.clone()),
        allowed: refusal.is_none(),
        refusal,
        needs_comment: opened.needs_comment(answer),
        words,
        runs: named(runs),
        never_runs: named(never_runs),
        raises: crate::gate::context::raised(state, round, answer),
        for_good: answer == Answer::Reject && crate::gate::context::rejects_for_good(workflow, opened),
        confirm: None,
    }
}

const NOTHING_EARLIER: &str = "There is no earlier step that could be done again.";
const ASKED_AGAIN: &str = "you are asked again when it comes back here";

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
    let name = way
        .to
        .as_ref()
        .map(|to| words::step_in(workflow, state.created.as_deref(), to).name);
    let words = match (&way.action, name) {
        (WayAction::Loop, Some(name)) => format!("“{name}” is done again, one round more."),
        (WayAction::LeaveOut, _) => "It is not done in this run, and what waits for it goes on.".to_owned(),
        (WayAction::Advance, Some(name)) if way.to.as_ref() == Some(&opened.instance.step) => {
            format!("“{name}” begins.")
        }
        (WayAction::Repeat, Some(name)) => format!("“{name}” is done again, without a word from you."),
        (WayAction::Extend, Some(name)) => {
            let on = goes_on(workflow, state, opened, &name, &reached);
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
        (_, Some(name)) => goes_on(workflow, state, opened, &name, &reached),
        (_, None) => {
            let end = ends_well(workflow, state, opened, (Answer::Choose, Some(way)));
            return Consequence {
                words: end.words + &why_not,
                ..end
            };
        }
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

/// The flow ends where the answer leads: `The flow ends here, as done, and “Post” begins.`
fn ends_well(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    answer: (Answer, Option<&Way>),
) -> Consequence {
    let then = foreseen(workflow, state, opened, answer, Fields::new());
    let ended = then.as_ref().and_then(flow_ended);
    Consequence {
        words: match ended {
            Some(ended) => format!("The flow ends here, as done, and {}.", led(workflow, state, ended)),
            None => "The flow ends here, as done.".to_owned(),
        },
        runs: ended.map_or_else(Vec::new, |ended| steps_behind(workflow, ended)),
        never_runs: Vec::new(),
    }
}

/// `“Publish” runs next; up to 2 more steps can follow.` `runs`: the steps that are reached, as places in the file. What is asked before a step
/// is not asked there again once it is answered.
fn goes_on(workflow: &Workflow, state: &RunState, opened: &GateOpened, name: &str, runs: &[usize]) -> String {
    let graph = workflow.graph();
    let goes_back = runs.iter().any(|step| {
        let mut leads = graph.edges(workflow.node(*step));
        leads.any(|edge| edge.weight().kind == FlowKind::Loop)
    });
    let is_answered = |step: &Step| step.id == opened.instance.step && opened.at == GateAt::Before;
    let rules = GateRules::of(state.created.as_deref());
    let asks = |step: &Step| !is_answered(step) && blocks(workflow, step, rules);
    let mut reached = runs.iter().map(|step| &workflow.steps()[*step]);
    // Nothing else follows before a person has been asked there.
    let first = reached.next();
    match first.and_then(|step| Some((step, step.gate.as_ref().filter(|_| asks(step))?.at))) {
        Some((_, GateAt::Before)) => return format!("“{name}” comes next: a person is asked before it begins."),
        Some((_, GateAt::After)) => return format!("“{name}” runs next, and a person is asked what becomes of it."),
        None => {}
    }
    let is_risky = first.is_some_and(|step| {
        step.tools
            .iter()
            .any(|call| call.gate.is_some() || call.risk == Some(Risk::High))
    });
    let name = match is_risky {
        true => format!("{name}” runs next, where a person may be asked about a tool that it uses"),
        false => format!("{name}” runs next"),
    };
    let asks = reached.any(asks);
    match (runs.len().saturating_sub(1), goes_back) {
        (0, false) => format!("“{name}, then the flow ends."),
        (0, true) => format!("“{name}; then the flow ends, or goes back for another round."),
        (more, _) => {
            let back = if goes_back { ", and rounds can be repeated" } else { "" };
            let again = if asks { ", and a person is asked on the way" } else { "" };
            let more = words::count(more, "more step", "more steps");
            format!("“{name}; up to {more} can follow{again}{back}.")
        }
    }
}

/// How a step went that a person carries out: the answer is no decision about it but its outcome, and begins what follows any step's.
fn of_attempt(workflow: &Workflow, state: &RunState, opened: &GateOpened, answer: Answer) -> Consequence {
    let step = workflow.step(&opened.instance.step);
    let name = words::step_in(workflow, state.created.as_deref(), &opened.instance.step).name;
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
    let refs: Vec<StepRef> = rest.iter().map(|step| words::of_step(step)).collect();
    let then = foreseen(workflow, state, opened, (answer, None), Fields::new());
    if answer == Answer::Pass {
        let halted = then.as_ref().and_then(|then| halted(workflow, &then.state));
        let halted = halted.as_deref();
        let ended = then.as_ref().and_then(flow_ended);
        let runs = match (ended, &then) {
            _ if halted.is_some() => Vec::new(),
            (Some(ended), _) => steps_behind(workflow, ended),
            (None, Some(then)) if run_ended(then) == Some(EndStatus::Failed) => Vec::new(),
            _ => refs,
        };
        let then = match step {
            Some(step) if state.has_stages() => match (asks_after(workflow, state, step), halted) {
                (Some(question), Some(halted)) => format!("Then a person is asked: {question} {halted}"),
                (None, Some(halted)) => halted.to_owned(),
                (Some(question), None) => {
                    format!("Then a person is asked: {question} What waits for it goes on once that is approved.")
                }
                (None, None) => "Then what waits for it goes on.".to_owned(),
            },
            Some(step) if !step.routing.asks_for().is_empty() => "What you report decides where it goes on.".to_owned(),
            Some(step) => format!(
                "Then {}",
                after_report(workflow, state, (opened, step), (Fields::new(), then.as_ref()))
            ),
            None => "Then it goes on.".to_owned(),
        };
        // What somebody made can only be taken up where the workflow says what that is.
        let files = match step.is_some_and(|step| !step.outputs.is_empty()) {
            true if workflow.contract().lifecycle => {
                "; the files that the workflow names for it are taken up and checked"
            }
            true => "; of the files that the workflow names for it, those that are there are taken up and checked",
            false => "",
        };
        return Consequence {
            words: format!("“{name}” counts as done{files}. {then}"),
            runs,
            never_runs: Vec::new(),
        };
    }
    let end = after_failure(workflow, state, opened, (step, refs, then.as_ref()));
    Consequence {
        words: format!("“{name}” counts as failed. {}", end.words),
        ..end
    }
}

/// What follows when a person says that a step could not be done. `rest`: the steps behind it that have not begun; `then`: what the engine
/// makes of it.
fn after_failure(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    (step, rest, then): (Option<&Step>, Vec<StepRef>, Option<&Decided>),
) -> Consequence {
    let created = state.created.as_deref();
    let only = |words: String| Consequence {
        words,
        runs: Vec::new(),
        never_runs: Vec::new(),
    };
    let (Some(step), Some(created), Some(then)) = (step, created, then) else {
        return only("What the workflow says of a failure follows.".to_owned());
    };
    let other = step.escalate_to.as_ref().filter(|who| {
        let is_another = engine::doer::agents_of(step, created) != [(*who).clone()];
        is_another && !created.prompted && opened.why != GateReason::Escalated
    });
    if let Some(who) = other {
        return only(format!("Then it goes to {}.", safe::visible(who.as_str())));
    }
    let end = match state.forks.token(&step.id) {
        _ if state.has_stages() => after_stage(workflow, state, step, then),
        Some(branch) => after_branch(workflow, state, branch, then),
        None => match flow_ended(then) {
            Some(ended) => {
                let led = led(workflow, state, ended);
                Consequence {
                    runs: steps_behind(workflow, ended),
                    ..only(match ended.leads.waits() {
                        true => format!("{led}."),
                        false => format!("the flow ends as failed, and {led}."),
                    })
                }
            }
            None => Consequence {
                never_runs: rest,
                ..only("the run ends as failed.".to_owned())
            },
        },
    };
    // Whoever said how it went has said it; of several who work at a step the others may try again.
    let again = match opened.why == GateReason::Escalated || engine::doer::engines_of(step, created).0.is_person() {
        true => "It is not tried again:",
        false => "If it may not be tried again,",
    };
    Consequence {
        words: format!("{again} {}", end.words),
        ..end
    }
}

/// What follows a stage that has failed.
fn after_stage(workflow: &Workflow, state: &RunState, step: &Step, then: &Decided) -> Consequence {
    let asks = |event: &Event| match event {
        Event::GateOpened(opened) => opened.instance.step == step.id && opened.purpose == Purpose::Approval,
        _ => false,
    };
    if then.events.iter().any(asks) {
        return Consequence {
            words: "a person is asked whether the workflow goes on without it.".to_owned(),
            runs: Vec::new(),
            never_runs: Vec::new(),
        };
    }
    let settled = then.events.iter().find_map(|event| match event {
        Event::Settled(settled) if settled.step == step.id => Some(settled),
        _ => None,
    });
    let is_spared = settled.is_some_and(|settled| settled.spared.is_some());
    let all = match is_halted(workflow, &then.state) {
        true => format!(
            "what has begun is finished, then the {} ends as failed.",
            words::noun(workflow)
        ),
        false => "what waits for it is left out; everything else goes on.".to_owned(),
    };
    let others = workflow.steps().iter();
    let others = others
        .filter(|other| other.id != step.id && other.phase == step.phase)
        .count();
    let words = match (step.failing, is_spared) {
        (Failing::Spared, true) => "the workflow goes on without it.".to_owned(),
        (Failing::SparedBesideAnother, true) => {
            "the workflow goes on as long as another step of its group has not failed.".to_owned()
        }
        (Failing::SparedBesideAnother, false) => match others {
            0 => format!("its group has no other step; {all}"),
            1 => format!("the other step of its group has not gone well either; {all}"),
            n => format!("the other {n} steps of its group have not gone well either; {all}"),
        },
        _ => all,
    };
    Consequence {
        words,
        runs: Vec::new(),
        never_runs: left_out(workflow, state, &then.state),
    }
}

/// Whether a stage counts as failed then.
fn fails(stage: &StepId, then: &Decided) -> bool {
    then.events.iter().any(|event| match event {
        Event::Settled(settled) => settled.step == *stage && settled.status == StageEnd::Failed,
        _ => false,
    })
}

/// The stages that an answer keeps from ever beginning.
fn left_out(workflow: &Workflow, before: &RunState, after: &RunState) -> Vec<StepRef> {
    use engine::StepStatus::{NotStarted, Skipped};
    let is_over = after.status.ended() || is_halted(workflow, after);
    let is_left_out = |step: &&Step| match after.step_status(&step.id) {
        NotStarted => is_over,
        Skipped => before.step_status(&step.id) != Skipped,
        _ => false,
    };
    let steps = workflow.steps().iter().filter(is_left_out);
    steps.map(words::of_step).collect()
}

/// That no more of a pipeline begins, whatever is answered; `None` where it goes on.
fn halted(workflow: &Workflow, state: &RunState) -> Option<String> {
    let how = match status::halted(workflow, state)? {
        Halt::Rejected => "been rejected",
        Halt::Failed => "failed",
    };
    let noun = words::noun(workflow);
    Some(format!("The {noun} has {how} already; nothing more begins."))
}

/// What follows a branch that has failed: at once, or where it meets the others.
fn after_branch(workflow: &Workflow, state: &RunState, branch: BranchId, then: &Decided) -> Consequence {
    let never_runs = match run_ended(then) {
        Some(_) => never_after(workflow, state, branch),
        None => Vec::new(),
    };
    let (words, runs) = match joined(then, branch) {
        None => (
            "its branch ends as failed, and where the branches meet it is decided what that means.".to_owned(),
            Vec::new(),
        ),
        Some(joined) => {
            let (then, runs) = after_join(workflow, state, branch, (joined, then));
            let met = match joined {
                _ if joined.met => "the branches meet all the same",
                _ if joined.cut_off.is_empty() => "the branches do not meet as they must",
                _ => "the branches beside it are cut off",
            };
            (format!("its branch ends as failed, {met}, and {then}."), runs)
        }
    };
    Consequence {
        words,
        runs,
        never_runs,
    }
}

/// What follows the count of a fork's branches: `“Decide” comes next`, `the run ends as failed`; and the steps that can then run.
fn after_join(
    workflow: &Workflow,
    state: &RunState,
    branch: BranchId,
    (joined, then): (&Joined, &Decided),
) -> (String, Vec<StepRef>) {
    let join = state.forks.get(branch.fork).map(|fork| &fork.forked.join);
    match (flow_ended(then), join) {
        (_, Some(join)) if joined.met => (
            format!(
                "“{}” comes next",
                words::step_in(workflow, state.created.as_deref(), join).name
            ),
            steps_from(workflow, join),
        ),
        (Some(ended), _) => (led(workflow, state, ended), steps_behind(workflow, ended)),
        (None, _) if run_ended(then).is_some() => ("the run ends as failed".to_owned(), Vec::new()),
        (None, _) => ("the branch around them ends as failed".to_owned(), Vec::new()),
    }
}

/// What stands in and behind the branches of the outermost fork and has not begun, the branch's own step left aside.
fn never_after(workflow: &Workflow, state: &RunState, branch: BranchId) -> Vec<StepRef> {
    let mut fork = state.forks.get(branch.fork);
    while let Some(around) = fork.and_then(|fork| fork.forked.within) {
        fork = state.forks.get(around.fork);
    }
    let from = fork
        .map(|fork| reach(workflow, &fork.forked.from.step))
        .unwrap_or_default();
    let asked: Vec<&StepId> = state
        .open_gates()
        .iter()
        .map(|round| &round.opened.instance.step)
        .collect();
    let steps = from.into_iter().map(|i| &workflow.steps()[i]);
    let never = steps.filter(|step| !state.steps.contains_key(&step.id) && !asked.contains(&&step.id));
    never.map(words::of_step).collect()
}

/// The count of the branches that meet because this one has ended.
fn joined(then: &Decided, branch: BranchId) -> Option<&Joined> {
    then.events.iter().find_map(|event| match event {
        Event::Joined(joined) if joined.fork == branch.fork => Some(&**joined),
        _ => None,
    })
}

/// The end of a flow that another one follows.
fn flow_ended(then: &Decided) -> Option<&FlowEnded> {
    then.events.iter().find_map(|event| match event {
        Event::FlowEnded(ended) => Some(&**ended),
        _ => None,
    })
}

/// How the run ends with it.
fn run_ended(then: &Decided) -> Option<EndStatus> {
    then.events.iter().find_map(|event| match event {
        Event::RunCompleted(completed) => Some(completed.status),
        _ => None,
    })
}

/// What follows a flow: `“Post” begins`, `the run pauses; when somebody lets it go on, “Read” is done again`.
fn led(workflow: &Workflow, state: &RunState, ended: &FlowEnded) -> String {
    let (Some(flow), Some(step)) = (ended.leads.flow(), ended.leads.step()) else {
        return "the run pauses; when somebody lets it go on, it ends".to_owned();
    };
    let title = safe::visible(workflow.title_of(flow));
    let name = words::step_in(workflow, state.created.as_deref(), step).name;
    let is_first = workflow.entry_of(flow).is_some_and(|first| first.id == *step);
    let waits = ended.leads.waits();
    let goes_on = match (is_first, state.steps.contains_key(step) || *step == ended.from.step) {
        _ if waits && *step == ended.from.step => format!("“{name}” is done again"),
        (true, false) => format!("“{title}” begins"),
        (true, true) => format!("“{title}” begins again"),
        (false, _) => format!("“{title}” goes on: “{name}” is done again"),
    };
    match waits {
        true => format!("the run pauses; when somebody lets it go on, {goes_on}"),
        false => goes_on,
    }
}

/// The steps that can run behind the end of a flow.
fn steps_behind(workflow: &Workflow, ended: &FlowEnded) -> Vec<StepRef> {
    let step = ended.leads.step();
    step.map_or_else(Vec::new, |step| steps_from(workflow, step))
}

/// The steps that can run from this one on.
fn steps_from(workflow: &Workflow, step: &StepId) -> Vec<StepRef> {
    let reached = reach(workflow, step).into_iter();
    reached.map(|i| words::of_step(&workflow.steps()[i])).collect()
}

/// What is asked when a step's work is done, quoted: `“May we sign?”`; one that holds a quoted name stands as it is. `None`: nobody is.
fn asks_after(workflow: &Workflow, state: &RunState, step: &Step) -> Option<String> {
    let created = state.created.as_deref();
    engine::gate::blocks(&workflow.id, step, GateAt::After, engine::GateRules::of(created))?;
    let named = engine::gate::as_asked(workflow, created, step);
    let question = engine::gate::question(&named, named.gate.as_ref()?, state.is_rehearsal());
    let stop = if question.ends_with(['?', '.', '!']) { "" } else { "." };
    Some(match question.contains('“') {
        true => format!("{question}{stop}"),
        false => format!("“{question}”{stop}"),
    })
}

/// What a person reports of a step that they carry out, with what follows from each value as the run stands.
pub fn reports(workflow: &Workflow, state: &RunState, opened: &GateOpened) -> Vec<ReportChoice> {
    let is_attempt = matches!(opened.purpose, Purpose::Outcome { attempt: true, .. });
    let Some(step) = workflow.step(&opened.instance.step).filter(|_| is_attempt) else {
        return Vec::new();
    };
    let asked = step.routing.asks_for();
    // Conditions on several fields hold or not by all of them together.
    let by_all = asked.len() > 1 && matches!(step.routing, Routing::Guarded { .. });
    let follows = |field: &str, value: &Value| {
        if by_all {
            return BY_ALL.to_owned();
        }
        let report: Fields = [(field.to_owned(), value.clone())].into_iter().collect();
        let then = foreseen(workflow, state, opened, (Answer::Pass, None), report.clone());
        after_report(workflow, state, (opened, step), (report, then.as_ref()))
    };
    let option = |field: &str, value: Value, label: Option<&str>| ReportOption {
        words: follows(field, &value),
        label: label.map_or_else(|| words::value(&value), str::to_owned),
        any_other: label.is_some(),
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
            optional: asked.optional,
            field: asked.field,
        }
    };
    asked.into_iter().map(choice).collect()
}

const BY_ALL: &str = "Where it goes on depends on the other values too.";

/// What a person reports of a step that they carried out, as the way on is decided by it: what is typed where a number is compared is one.
///
/// # Errors
/// Of each field that is compared with a number, why what was typed is none.
pub fn as_compared(workflow: &Workflow, opened: &GateOpened, report: Fields) -> Result<Fields, Vec<(String, String)>> {
    let is_attempt = matches!(opened.purpose, Purpose::Outcome { attempt: true, .. });
    let step = workflow.step(&opened.instance.step).filter(|_| is_attempt);
    let asked = step.map(|step| step.routing.asks_for()).unwrap_or_default();
    let mut faults = Vec::new();
    let mut compared = Fields::new();
    for (field, said) in report {
        let said = match asked.iter().find(|one| one.field == field) {
            Some(one) => one.compared(said),
            None => Ok(said),
        };
        match said {
            Ok(said) => {
                compared.insert(field, said);
            }
            Err(why) => faults.push((field, why)),
        }
    }
    match faults.is_empty() {
        true => Ok(compared),
        false => Err(faults),
    }
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

/// Where the run goes on from a step that reports this; `then`: what the engine makes of it.
fn after_report(
    workflow: &Workflow,
    state: &RunState,
    (opened, step): (&GateOpened, &Step),
    (report, then): (Fields, Option<&Decided>),
) -> String {
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
    let asks_way = |event: &Event| matches!(event, Event::GateOpened(asked) if asked.instance == opened.instance && matches!(asked.purpose, Purpose::Way { .. }));
    if then.is_some_and(|then| then.events.iter().any(asks_way)) {
        return format!("a person is asked where it goes on{why}.");
    }
    // A gate stands across the way on: while the loop turns nobody is asked.
    if let Some(question) = asks_after(workflow, state, step).filter(|_| !turns) {
        return format!("a person is asked{why}: {question}");
    }
    if let Some(end) = then.and_then(|then| after_end(workflow, state, step, then)) {
        return format!("{end}{why}.");
    }
    match (&route.to, route.decision) {
        (Some(to), RouteKind::Loop) => {
            format!(
                "back to “{}” for another round.",
                words::step_in(workflow, state.created.as_deref(), to).name
            )
        }
        (Some(to), _) => format!(
            "“{}” comes next{why}.",
            words::step_in(workflow, state.created.as_deref(), to).name
        ),
        (None, _) => format!("the flow ends here{why}."),
    }
}

/// What follows where a branch or a flow of several ends well with a step; `None` where neither does.
fn after_end(workflow: &Workflow, state: &RunState, step: &Step, then: &Decided) -> Option<String> {
    let ends = |event: &Event| matches!(event, Event::BranchEnded(_));
    let branch = state.forks.token(&step.id).filter(|_| then.events.iter().any(ends));
    if let Some(branch) = branch {
        let Some(joined) = joined(then, branch) else {
            let join = &state.forks.get(branch.fork)?.forked.join;
            let join = words::step_in(workflow, state.created.as_deref(), join).name;
            return Some(format!(
                "its branch ends well, and “{join}” comes when the branches have met"
            ));
        };
        let (next, _) = after_join(workflow, state, branch, (joined, then));
        return Some(match joined.met {
            true => format!("the branches meet, and {next}"),
            false => format!("its branch ends well, but the branches do not meet as they must, and {next}"),
        });
    }
    let unmet = ", and as what it asks for does not hold";
    match flow_ended(then) {
        Some(ended) if ended.unmet.is_some() => {
            Some(format!("the flow ends here{unmet}, {}", led(workflow, state, ended)))
        }
        Some(ended) => Some(format!("the flow ends here, and {}", led(workflow, state, ended))),
        None if run_ended(then) == Some(EndStatus::Failed) => {
            Some(format!("the flow ends here{unmet}, the run ends as failed"))
        }
        None => None,
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
    if let (None, None, Purpose::Approval, Answer::Approve) = (&route, &opened.approve_to, &opened.purpose, answer) {
        return ends_well(workflow, state, opened, (answer, None));
    }
    let target = match (&route, answer) {
        (Some(route), _) => route.to.as_ref(),
        (None, Answer::Approve | Answer::Pass | Answer::Choose) => opened.approve_to.as_ref(),
        (None, Answer::Changes) => opened.changes_to.as_ref(),
        (None, Answer::Reject | Answer::Fail) => opened.reject_to.as_ref(),
    };
    let is_refused = answer == Answer::Reject && matches!(opened.purpose, Purpose::Permission { .. });
    if is_refused && route.is_none() {
        return of_refusal(workflow, state, opened);
    }
    let reached = target.map(|to| reach(workflow, to)).unwrap_or_default();
    let runs: Vec<StepRef> = reached.iter().map(|i| words::of_step(&workflow.steps()[*i])).collect();
    let ends_badly = target.is_none() && matches!(answer, Answer::Reject | Answer::Fail);
    let never_runs = match ends_badly {
        true => never_behind(workflow, state, opened),
        false => Vec::new(),
    };
    let words = match (&route, &opened.purpose) {
        (Some(route), _) => after_step(workflow, route),
        (None, Purpose::Tool { ask }) if answer == Answer::Approve && state.is_rehearsal() => format!(
            "This is a rehearsal: {} is not called, and {} goes on as if it had been.",
            safe::visible(&ask.tool),
            asking::step_in(workflow, state.created.as_deref(), &opened.instance)
        ),
        (None, Purpose::Tool { ask }) if answer == Answer::Approve => format!(
            "{} is called, then {} goes on.",
            safe::visible(&ask.tool),
            asking::step_in(workflow, state.created.as_deref(), &opened.instance)
        ),
        (None, Purpose::Permission { .. }) => {
            format!(
                "{} is carried out.",
                asking::step_in(workflow, state.created.as_deref(), &opened.instance)
            )
        }
        (None, _) => after_approval(workflow, state, opened, answer, target, &reached, never_runs.len()),
    };
    let words = match is_refused {
        true => {
            let step = asking::step_in(workflow, state.created.as_deref(), &opened.instance);
            format!("{step} is not carried out and counts as failed. {words}")
        }
        false => words,
    };
    Consequence {
        words,
        runs,
        never_runs,
    }
}

/// What an approval would lead to and has not begun.
fn never_behind(workflow: &Workflow, state: &RunState, opened: &GateOpened) -> Vec<StepRef> {
    let on = opened.approve_to.as_ref();
    let reached = on.map(|on| reach(workflow, on)).unwrap_or_default().into_iter();
    let steps = reached.map(|i| &workflow.steps()[i]);
    let never = steps.filter(|step| !state.steps.contains_key(&step.id));
    never.map(words::of_step).collect()
}

/// What follows where a permission is refused and no transition says what then: the step is not carried out, and that ends what it stands in.
fn of_refusal(workflow: &Workflow, state: &RunState, opened: &GateOpened) -> Consequence {
    let step = asking::step_in(workflow, state.created.as_deref(), &opened.instance);
    let then = foreseen(workflow, state, opened, (Answer::Reject, None), Fields::new());
    let branch = state.forks.token(&opened.instance.step);
    let ended = then.as_ref().and_then(flow_ended);
    let end = match (&then, branch, ended) {
        (Some(then), Some(branch), _) => after_branch(workflow, state, branch, then),
        (_, None, Some(ended)) => Consequence {
            words: format!("the flow ends as failed, and {}.", led(workflow, state, ended)),
            runs: steps_behind(workflow, ended),
            never_runs: Vec::new(),
        },
        _ => {
            // That it does not run itself is said already.
            let mut never_runs = never_behind(workflow, state, opened);
            never_runs.retain(|one| one.id != opened.instance.step.as_str());
            let end = after_approval(workflow, state, opened, Answer::Reject, None, &[], never_runs.len());
            return Consequence {
                words: format!("{step} is not carried out. {end}"),
                runs: Vec::new(),
                never_runs,
            };
        }
    };
    Consequence {
        words: format!("{step} is not carried out: {}", end.words),
        ..end
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
    let name = words::step_in(workflow, state.created.as_deref(), &opened.instance.step).name;
    let rest = match after.as_slice() {
        [] => "Nothing else waits for it.".to_owned(),
        [one] => format!("“{}” waits for it.", one.name),
        more => format!("{} wait for it.", words::count(more.len(), "stage", "stages")),
    };
    let then = foreseen(workflow, state, opened, (answer, way), Fields::new());
    let halted = then.as_ref().and_then(|then| halted(workflow, &then.state));
    let noun = words::noun(workflow);
    let halted = halted.as_deref();
    let rest = halted.map_or(rest, str::to_owned);
    let refs = || match halted {
        Some(_) => Vec::new(),
        None => after.iter().map(|step| words::of_step(step)).collect(),
    };
    let comes_back = |to: &StepId| match halted {
        // What has begun is finished: the stage itself is done again at once.
        Some(halted) if *to != opened.instance.step => {
            let name = words::step_in(workflow, state.created.as_deref(), to).name;
            format!("{halted} Your comment is kept: “{name}” is done again with it if the {noun} is resumed.")
        }
        _ => done_again(workflow, state, opened, to),
    };
    let is_permission = matches!(opened.purpose, Purpose::Permission { .. });
    let back = then.as_ref().and_then(|then| {
        then.events.iter().find_map(|event| match event {
            Event::SentBack(sent) if sent.rejected => sent.to.first(),
            _ => None,
        })
    });
    match answer {
        Answer::Choose if way.is_some_and(|way| matches!(way.action, WayAction::LeaveOut)) => Consequence {
            words: format!(
                "“{name}” is not done in this run. {}",
                halted.unwrap_or("What waits for it goes on without it.")
            ),
            runs: refs(),
            never_runs: vec![words::step_in(
                workflow,
                state.created.as_deref(),
                &opened.instance.step,
            )],
        },
        Answer::Approve | Answer::Pass | Answer::Choose => {
            let begins = opened.at == GateAt::Before || is_permission;
            let has_failed = then.as_ref().is_some_and(|then| fails(&opened.instance.step, then));
            let done = match has_failed {
                true => "has failed, and the workflow goes on without it",
                false if begins => "begins",
                false => "is completed",
            };
            Consequence {
                words: format!("“{name}” {done}. {rest}"),
                runs: refs(),
                never_runs: Vec::new(),
            }
        }
        Answer::Changes => {
            let again = opened.changes_to.as_ref();
            Consequence {
                words: again.map_or_else(|| NOTHING_EARLIER.to_owned(), comes_back),
                runs: Vec::new(),
                never_runs: Vec::new(),
            }
        }
        Answer::Reject | Answer::Fail => {
            if let Some(to) = back {
                return Consequence {
                    words: comes_back(to),
                    runs: Vec::new(),
                    never_runs: Vec::new(),
                };
            }
            let end = if is_permission {
                format!("“{name}” is not carried out and counts as failed.")
            } else {
                format!("What has begun is finished, then the {noun} ends as rejected, with your name and comment.")
            };
            let never = then.map_or_else(Vec::new, |then| left_out(workflow, state, &then.state));
            let left_out = match never.as_slice() {
                [] => String::new(),
                [one] => format!(" “{}” is left out unless it is resumed.", one.name),
                more => format!(
                    " {} are left out unless it is resumed.",
                    words::count(more.len(), "stage", "stages")
                ),
            };
            Consequence {
                words: format!("{end}{left_out}"),
                runs: Vec::new(),
                never_runs: never,
            }
        }
    }
}

/// What lies between an earlier step and the question may lead elsewhere, so that only the step asked about surely comes here again.
fn done_again(workflow: &Workflow, state: &RunState, opened: &GateOpened, to: &StepId) -> String {
    let name = words::step_in(workflow, state.created.as_deref(), to).name;
    let again = match *to == opened.instance.step {
        true => "then you are asked again",
        false => ASKED_AGAIN,
    };
    let rules = GateRules::of(state.created.as_deref());
    let is_asked_before = |step: &Step| {
        let is_own = step.id == opened.instance.step && opened.at == GateAt::Before;
        let before = step.gate.as_ref().is_some_and(|gate| gate.at == GateAt::Before);
        !is_own && before && blocks(workflow, step, rules)
    };
    let scripted = match state
        .created
        .as_deref()
        .is_some_and(|created| created.scenario.is_some())
    {
        true => " In this rehearsal the script says what comes of it, whatever you write.",
        false => "",
    };
    match workflow.step(to).is_some_and(is_asked_before) {
        true => format!(
            "“{name}” is to be done again with your comment. First a person is asked before it begins, as the first time; {again}.{scripted}"
        ),
        false => format!("“{name}” is done again with your comment; {again}.{scripted}"),
    }
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

/// Whether a step lies before or at what is asked here, and leads to it. `reached`: what it leads to.
fn is_back(workflow: &Workflow, opened: &GateOpened, target: Option<&StepId>, reached: &[usize]) -> bool {
    let asked = workflow.step(&opened.instance.step);
    let to = target.and_then(|to| workflow.step(to));
    let (Some(asked), Some(to)) = (asked, to) else {
        return false;
    };
    to.ordinal <= asked.ordinal && reached.contains(&asked.ordinal)
}

fn after_approval(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    answer: Answer,
    target: Option<&StepId>,
    reached: &[usize],
    never: usize,
) -> String {
    let name = |to| words::step_in(workflow, state.created.as_deref(), to).name;
    match (answer, target) {
        (Answer::Approve | Answer::Pass | Answer::Choose, Some(to)) => {
            goes_on(workflow, state, opened, &name(to), reached)
        }
        (Answer::Approve | Answer::Pass | Answer::Choose, None) => "The flow ends here, as done.".into(),
        (Answer::Changes, Some(to)) => done_again(workflow, state, opened, to),
        (Answer::Changes, None) => NOTHING_EARLIER.into(),
        (Answer::Reject | Answer::Fail, Some(to)) => match is_back(workflow, opened, target, reached) {
            true => format!("“{}” runs next; {ASKED_AGAIN}.", name(to)),
            false => format!("“{}” runs next.", name(to)),
        },
        (Answer::Reject | Answer::Fail, None) => match never {
            0 => match workflow.contract().reopening {
                Reopening::Never => "The run ends as rejected, with your name and comment.".into(),
                Reopening::AtOpenStep | Reopening::WhereItStood | Reopening::ByStage => {
                    "The run ends as rejected, with your name and comment, unless it is resumed at this step.".into()
                }
            },
            n => {
                let left = words::count(n, "step does not run", "steps do not run");
                let unless = match workflow.contract().reopening {
                    Reopening::Never => "",
                    Reopening::AtOpenStep | Reopening::WhereItStood | Reopening::ByStage => " unless it is resumed",
                };
                format!("The run ends as rejected, with your name and comment; {left}{unless}.")
            }
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
    use model::{Format, Gate, GateRequirement};
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
        let state = driven(&workflow);
        (workflow, state)
    }

    /// A run of it, as far as it goes without a person.
    fn driven(workflow: &Workflow) -> RunState {
        let created = RunCreated::new("r", workflow, "p.yaml", "0", "test");
        let mut state = RunState::default();
        let mut next = Some(Intent::Create(Arc::new(created)));
        while let Some(intent) = next {
            let at = At(i64::try_from(state.seq).expect("few"));
            for event in engine::decide(workflow, &state, &Command { at, intent })
                .expect("it fits")
                .events
            {
                engine::apply(&mut state, at, &event);
            }
            next = engine::effects(workflow, &state)
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
        state
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
            "“Design” is done again with your comment; then you are asked again. [] []"
        );
        assert_eq!(
            said(Answer::Reject),
            "What has begun is finished, then the pipeline ends as rejected, with your name and comment. 2 stages are left out unless it is resumed. [] [build ship]"
        );
    }

    /// `write` with a gate behind it, then `send` with a gate of its own, and `file`.
    fn in_a_row(send: Option<GateAt>, tools: &[Risk]) -> String {
        let gate = |at| Gate {
            requirement: GateRequirement::Required,
            at,
            question: None,
            asks: Vec::new(),
            on_reject: None,
        };
        let step = |name: &str, ordinal, next: Option<&str>, at: Option<GateAt>| Step {
            routing: Routing::Linear {
                next: next.map(Into::into),
            },
            gate: at.map(gate),
            ..Step::new(name, ordinal)
        };
        let mut steps = vec![
            step("write", 0, Some("send"), Some(GateAt::After)),
            step("send", 1, Some("file"), send),
            step("file", 2, None, None),
        ];
        steps[1].tools = tools
            .iter()
            .map(|risk| model::ToolCall {
                name: "post".to_owned(),
                args: Value::Null,
                required: false,
                risk: Some(*risk),
                gate: None,
            })
            .collect();
        let workflow = Workflow::new("f".into(), "F".to_owned(), Format::Stepwise, steps);
        let state = driven(&workflow);
        let round = state.waiting().expect("a person is asked");
        preview(&workflow, &state, round, (Answer::Approve, None), None).words
    }

    #[test]
    fn what_follows_says_whether_a_person_is_asked_first() {
        for (send, tools, words) in [
            (None, &[][..], "“Send” runs next; up to 1 more step can follow."),
            (
                Some(GateAt::Before),
                &[],
                "“Send” comes next: a person is asked before it begins.",
            ),
            (
                Some(GateAt::After),
                &[],
                "“Send” runs next, and a person is asked what becomes of it.",
            ),
            (
                None,
                &[Risk::High],
                "“Send” runs next, where a person may be asked about a tool that it uses; up to 1 more step can follow.",
            ),
            (None, &[Risk::Low], "“Send” runs next; up to 1 more step can follow."),
        ] {
            assert_eq!(in_a_row(send, tools), words);
        }
    }
}
