//! Commands become events, or are refused.

use crate::apply::apply;
use crate::control::commit::Commit;
use crate::cursor::Cursor;
use crate::state::{GateRound, RunState, RunStatus};
use crate::{
    Answer, At, Command, Decision, Event, Hand, Instance, Intent, Promotion, Purpose, Refusal, RefusalCode, RunCreated,
    Signature, checkpoint, evidence, standards,
};
use model::beginning::{Amid, amid};
use model::{Control, Reopening, Routing, StepId, Workflow};
use std::sync::Arc;

/// What a command does to a run: its events, all of the command's time and one commit; or why it is refused.
///
/// `workflow` is the version that the run keeps (the source named in its first event). The caller appends the events
/// with `state.seq` as the expected sequence number and starts what [`crate::effects`] then asks for.
///
/// # Errors
///
/// A [`Refusal`] when the command does not fit the run's state. Nothing has happened then.
pub fn decide(workflow: &Workflow, state: &RunState, command: &Command) -> Result<Decided, Refusal> {
    decided(workflow, state, command, true)
}

/// The same of what a person says to a run, whoever drives it: no attempt begins and no navigator is asked, for the log would say of it
/// that it began when the person said something. That, and all that would follow behind it, is due then ([`crate::Effect::Proceed`]), for
/// whoever drives the run and follows what was said.
///
/// # Errors
/// As [`decide`].
pub fn decide_idle(workflow: &Workflow, state: &RunState, command: &Command) -> Result<Decided, Refusal> {
    let mut decided = decided(workflow, state, command, false)?;
    if let Some(begun) = decided.events.iter().position(begins_work) {
        decided.events.truncate(begun);
        decided.state = state.clone();
        for event in &decided.events {
            apply(&mut decided.state, command.at, event);
        }
    }
    Ok(decided)
}

/// Whether somebody is at work from then on.
fn begins_work(event: &Event) -> bool {
    matches!(event, Event::AttemptStarted(_) | Event::NavigatorAsked(_))
}

fn decided(workflow: &Workflow, state: &RunState, command: &Command, is_driven: bool) -> Result<Decided, Refusal> {
    let at = command.at;
    match &command.intent {
        Intent::Create(created) => return create(workflow, state, at, created),
        Intent::Promote {
            by,
            evidence,
            to,
            reason,
            signature,
        } => return promote(state, at, by, evidence, to, reason, signature.clone()),
        _ => {}
    }
    let Some(created) = &state.created else {
        return Err(refuse(
            RefusalCode::NotCreated,
            "This run does not exist yet. Start it first.",
        ));
    };
    // It is about what stands there already, and leads to nothing.
    if let Intent::AnotherLog(seen) = &command.intent {
        return Ok(alone(state, at, Event::AnotherLog(Arc::clone(seen))));
    }
    // It says who carries the run on, and leads to nothing: what is due stays due.
    if let Intent::TakeUp { by, given } = &command.intent
        && !state.status.ended()
    {
        let (by, given) = (by.clone(), given.clone());
        return Ok(alone(state, at, Event::TakenUp { by, given }));
    }
    let mut commit = Commit::new(workflow, state, created, at);
    // What the driver reports is about the state it saw; what people ask for is meant for the run. Where its log was cut off inside a
    // commit, the commit is brought to its end before anything else happens.
    let by_a_person = matches!(
        command.intent,
        Intent::Answer(_)
            | Intent::Pause { .. }
            | Intent::Resume { .. }
            | Intent::Checkpoint { .. }
            | Intent::Jump { .. }
            | Intent::Abort { .. }
    );
    if (by_a_person || command.intent == Intent::Proceed) && !state.status.ended() {
        let was_due = commit.carry_on();
        if command.intent == Intent::Proceed && was_due {
            return Ok(commit.into());
        }
        // What begins work stays due, and what the person says does not wait for it.
        if !is_driven && commit.events.iter().any(begins_work) {
            commit = Commit::new(workflow, state, created, at);
        }
    }
    if command.intent == Intent::Proceed {
        return Err(refuse(
            RefusalCode::NothingDue,
            "Nothing is due in this run at the moment.",
        ));
    }
    follow(&mut commit, &command.intent)?;
    Ok(match command.intent {
        Intent::Output { .. } | Intent::Called { .. } => commit.into(),
        _ => commit.settled().into(),
    })
}

/// The events of a command, and the state after them.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// In order.
    pub events: Vec<Event>,
    /// What [`crate::apply()`] makes of the state before and these events.
    pub state: RunState,
}

impl From<Commit<'_>> for Decided {
    fn from(commit: Commit<'_>) -> Self {
        Self {
            events: commit.events,
            state: commit.now,
        }
    }
}

fn follow(to: &mut Commit<'_>, intent: &Intent) -> Result<(), Refusal> {
    // A late answer is told who decided, also when the run has ended meanwhile.
    if let Intent::Answer(decision) = intent {
        let opened = Arc::clone(&answerable(to.workflow, &to.now, decision)?.opened);
        to.answer(&opened, decision);
        return Ok(());
    }
    if let Intent::Reopen { by, choices } = intent {
        return match to.workflow.contract().reopening {
            Reopening::ByStage => to.reopen(by, choices),
            Reopening::AtOpenStep => to.reopen_flow(by, choices),
            Reopening::WhereItStood => to.reopen_at(by, choices),
            Reopening::Never => {
                let message = "A run of this format cannot be taken up again after its end. Start a new run.";
                Err(refuse(RefusalCode::CannotReopen, message))
            }
        };
    }
    if to.now.status.ended() {
        return Err(refuse(
            RefusalCode::RunEnded,
            "This run has ended. Nothing in it can be changed any more.",
        ));
    }
    match intent {
        Intent::Create(_)
        | Intent::Answer(_)
        | Intent::Proceed
        | Intent::Promote { .. }
        | Intent::AnotherLog(_)
        | Intent::TakeUp { .. }
        | Intent::Reopen { .. } => {}
        Intent::AskedInside { visits } => to.asked_inside(visits),
        Intent::Output {
            instance,
            attempt,
            stream,
            text,
        } => {
            debug_assert!(text.len() <= 16 * 1024, "the runtime cuts output into pieces");
            in_flight(&to.now, instance, *attempt)?;
            to.output(instance, *attempt, stream, text);
        }
        Intent::Called {
            instance,
            attempt,
            call,
        } => {
            in_flight(&to.now, instance, *attempt)?;
            to.called(instance, *attempt, call);
        }
        Intent::Finish {
            instance,
            attempt,
            result,
        } => {
            debug_assert!(result.output.len() < 51_200, "the runtime cuts output (seed 001)");
            in_flight(&to.now, instance, *attempt)?;
            to.finish(instance, *attempt, result);
        }
        Intent::Interrupt {
            instance,
            attempt,
            reason,
            let_go,
            seen,
        } => {
            in_flight(&to.now, instance, *attempt)?;
            to.interrupt(instance, *attempt, reason, *let_go, *seen);
        }
        Intent::Navigated { instance, said } => match to.now.cursor_of(&instance.step) {
            Cursor::Choosing { instance: from } if from == instance => to.navigated(instance, said),
            _ => {
                let message = format!("No way on from step “{}” is being chosen.", instance.step);
                return Err(refuse(RefusalCode::StaleAttempt, message));
            }
        },
        Intent::Retry { instance } => match due_retry(&to.now, instance, to.at)? {
            Waited::Attempt(attempt) => to.retry(instance, attempt),
            Waited::Join(fork) => to.expire(fork),
        },
        Intent::Pause { by, given } => {
            if to.now.paused {
                return Err(refuse(RefusalCode::AlreadyPaused, "This run is already paused."));
            }
            to.pause(by, given.as_deref());
        }
        Intent::Resume { by, given } => {
            if !to.now.paused {
                return Err(refuse(
                    RefusalCode::NotPaused,
                    "This run is not paused: there is nothing to resume.",
                ));
            }
            to.resume(by, given.as_deref());
        }
        Intent::TakeOver(taken) => {
            let from = to.created.continues.as_ref();
            let fits = from.is_some_and(|earlier| earlier.created.imported.is_some())
                && to.now.started_at.is_none()
                && to.workflow.contract().control == Control::Token
                && to.workflow.step(&taken.at).is_some();
            if !fits {
                let message = "Only a run that goes on from an imported session takes over what was done there, before it begins.";
                return Err(refuse(RefusalCode::CannotReopen, message));
            }
            to.take_over(taken);
        }
        Intent::Checkpoint { by, name } => to.checkpoint(by, checkpoint::good_name(name)?),
        Intent::Jump { by, to: step } => {
            let from = jump_from(to.workflow, &to.now, step)?;
            to.jump(by, &from, step);
        }
        Intent::Abort { by, reason, given } => to.abort(by, reason, given.as_deref()),
    }
    Ok(())
}

fn refuse(code: RefusalCode, message: impl Into<String>) -> Refusal {
    Refusal::new(code, message)
}

fn create(workflow: &Workflow, state: &RunState, at: At, created: &Arc<RunCreated>) -> Result<Decided, Refusal> {
    if state.status != RunStatus::New {
        return Err(refuse(
            RefusalCode::AlreadyCreated,
            "This run already exists. Open it, or start another one.",
        ));
    }
    if created.imported.is_some() {
        let mut commit = Commit::new(workflow, state, created, at);
        commit.create();
        return Ok(commit.into());
    }
    if workflow.entry().is_none() {
        let message = format!(
            "“{}” has no steps, so there is nothing to run. Add a step first.",
            workflow.title
        );
        return Err(refuse(RefusalCode::NoSteps, message));
    }
    let foreign = |r: &Routing| (*r == Routing::Dependencies) != (workflow.contract().control == Control::Stages);
    if let Some(step) = workflow.steps().iter().find(|s| foreign(&s.routing)) {
        let message = format!(
            "As {}, this cannot be run with a step that moves on as step “{}” does.",
            workflow.contract().noun,
            step.name
        );
        return Err(refuse(RefusalCode::NotRunnable, message));
    }
    if let Some(fault) = model::branches::faults(workflow).first() {
        return Err(refuse(
            RefusalCode::NotRunnable,
            format!("{}. {}.", fault.said, fault.help),
        ));
    }
    if let Some(begins_at) = &created.begins_at {
        can_begin(workflow, created, begins_at).map_err(|why| refuse(RefusalCode::NotRunnable, why))?;
    }
    let mut commit = Commit::new(workflow, state, created, at);
    commit.create();
    Ok(match created.continues {
        Some(_) => commit.into(),
        None => commit.settled().into(),
    })
}

/// Whether a run can begin in the middle. Only a rehearsal does: what a real run has not done nobody could vouch for.
fn can_begin(workflow: &Workflow, created: &RunCreated, at: &StepId) -> Result<(), String> {
    if !created.is_rehearsal() {
        return Err("Only a rehearsal begins in the middle of its workflow.".to_owned());
    }
    let Some(step) = workflow.step(at) else {
        return Err(format!("There is no step `{at}` in this workflow."));
    };
    match amid(workflow, step) {
        None => Ok(()),
        Some(Amid::Branch(fork)) => Err(format!(
            "“{}” stands in a branch of “{}”. Begin at that step, or behind the branches.",
            step.name, fork.name
        )),
        Some(Amid::Inside(parent)) => Err(format!(
            "“{}” stands within “{}”. Begin at that step.",
            step.name, parent.name
        )),
        Some(Amid::Detour(from)) => Err(format!(
            "“{}” is of a detour from “{}”. Begin at that step.",
            step.name, from.name
        )),
    }
}

/// One event from which nothing follows.
fn alone(state: &RunState, at: At, event: Event) -> Decided {
    let mut state = state.clone();
    apply(&mut state, at, &event);
    Decided {
        events: vec![event],
        state,
    }
}

/// A person raises a record of evidence. It leads to nothing else, so that it may happen at any time.
fn promote(
    state: &RunState,
    at: At,
    by: &str,
    id: &str,
    to: &str,
    reason: &str,
    signature: Option<Signature>,
) -> Result<Decided, Refusal> {
    let cannot = |message: String| Err(refuse(RefusalCode::CannotPromote, message));
    let Some(held) = state.evidence.iter().find(|held| held.record.id == id) else {
        return cannot(format!("This run has no evidence “{id}”."));
    };
    if state.is_rehearsal() {
        return cannot(
            "This evidence comes from a rehearsal: nothing of it happened, so it cannot be promoted.".to_owned(),
        );
    }
    if held.superseded {
        return cannot("The step has run again since and recorded new evidence. Promote that.".to_owned());
    }
    if by.trim().is_empty() {
        return Err(refuse(
            RefusalCode::NameRequired,
            "A promotion needs a name: say who vouches for it.",
        ));
    }
    let hand = Hand {
        name: by,
        key_name: None,
        key: signature.as_ref().map(|signature| signature.key.as_str()),
        unseen: false,
    };
    if let Some(why) = state.took_part(hand) {
        return Err(refuse(RefusalCode::FourEyes, why));
    }
    if reason.trim().is_empty() {
        return Err(refuse(
            RefusalCode::CommentRequired,
            "Say what the promotion is founded on: what you have looked at, or which test has passed.",
        ));
    }
    let from = held.record.level;
    match evidence::promote(from.word(), to) {
        Ok(to) => {
            let event = Event::EvidencePromoted(Arc::new(Promotion {
                evidence: id.to_owned(),
                from,
                to,
                by: by.trim().to_owned(),
                reason: reason.trim().to_owned(),
                gate: None,
                signature,
            }));
            Ok(alone(state, at, event))
        }
        Err(why) => cannot(format!(
            "Evidence goes up one level at a time, from L0 to L1 to L2: {why}."
        )),
    }
}

/// The attempt must be the one in flight: a late outcome never overwrites.
fn in_flight(state: &RunState, instance: &Instance, attempt: u32) -> Result<(), Refusal> {
    match state.cursor_of(&instance.step) {
        Cursor::Running {
            instance: running,
            attempt: number,
        } if running == instance && *number == attempt => Ok(()),
        _ => {
            let message = format!(
                "Attempt {attempt} of visit {} of step “{}” is not in flight. Its outcome is not used.",
                instance.visit, instance.step
            );
            Err(refuse(RefusalCode::StaleAttempt, message))
        }
    }
}

/// Where a run stands that a person sends elsewhere: it must wait, so that nothing in flight is lost.
fn jump_from(workflow: &Workflow, state: &RunState, to: &StepId) -> Result<Instance, Refusal> {
    if !workflow.contract().jumps {
        let message =
            "Only a runbook can be sent to another step; this workflow decides its way by what its steps report.";
        return Err(refuse(RefusalCode::CannotJump, message));
    }
    if workflow.step(to).is_none() {
        let message = format!("There is no step “{to}” in this runbook.");
        return Err(refuse(RefusalCode::CannotJump, message));
    }
    match &state.cursor {
        Cursor::AtGate { .. } => match state.waiting() {
            Some(round) => Ok(round.opened.instance.clone()),
            None => Err(refuse(RefusalCode::CannotJump, "This run waits for nothing.")),
        },
        Cursor::Ready { step, path } => Ok(state.next_visit(step, path.clone())),
        _ => Err(refuse(
            RefusalCode::CannotJump,
            "A step is being carried out. Wait until it has ended, or pause the run first; then send it elsewhere.",
        )),
    }
}

/// What was waited for.
enum Waited {
    /// This attempt.
    Attempt(u32),
    /// The branches of this fork.
    Join(u32),
}

fn due_retry(state: &RunState, instance: &Instance, now: At) -> Result<Waited, Refusal> {
    let expires = |fork: u32| {
        let fork = state.forks.get(fork).filter(|fork| fork.forked.from == *instance);
        fork.and_then(|fork| fork.deadline())
            .is_some_and(|deadline| now >= deadline)
    };
    match state.cursor_of(&instance.step) {
        Cursor::Retrying { instance: waiting, .. } if waiting == instance && state.paused => Err(refuse(
            RefusalCode::AlreadyPaused,
            "This run is paused: the next attempt waits until it is resumed.",
        )),
        Cursor::Retrying {
            instance: waiting,
            attempt,
            at,
        } if waiting == instance && now >= *at => Ok(Waited::Attempt(*attempt)),
        Cursor::AtJoin { fork } if expires(*fork) && !state.paused => Ok(Waited::Join(*fork)),
        _ => {
            let message = format!("No attempt of step “{}” is due to be started now.", instance.step);
            Err(refuse(RefusalCode::StaleAttempt, message))
        }
    }
}

/// The round that an answer answers, once everything about the answer has been checked.
fn answerable<'a>(workflow: &Workflow, state: &'a RunState, decision: &Decision) -> Result<&'a GateRound, Refusal> {
    let round = state
        .rounds_of(&decision.gate)
        .find(|r| r.opened.round == decision.round);
    if let Some((earlier, _)) = round.and_then(|r| r.answer.as_ref()) {
        let said = match earlier.answer {
            Answer::Approve => "approved it",
            Answer::Changes => "asked for changes",
            Answer::Reject => "rejected it",
            Answer::Pass => "said that it went well",
            Answer::Fail => "said that it did not go well",
            Answer::Choose => "chose the way on",
        };
        let message = format!(
            "{} has already decided round {} of this gate and {said}. Your answer was not used.",
            earlier.by.trim(),
            earlier.round
        );
        return Err(refuse(RefusalCode::AlreadyAnswered, message));
    }
    if state.status.ended() {
        return Err(refuse(
            RefusalCode::RunEnded,
            "This run has ended. Nothing in it can be decided any more.",
        ));
    }
    let open = state.open_gates();
    let Some(waiting) = open.into_iter().find(|r| r.opened.gate == decision.gate) else {
        return Err(refuse(
            RefusalCode::GateNotOpen,
            "This gate is not waiting for an answer.",
        ));
    };
    if waiting.opened.round != decision.round {
        let message = format!(
            "Round {} of this gate is waiting, not round {}. Look at what it shows now and answer again.",
            waiting.opened.round, decision.round
        );
        return Err(refuse(RefusalCode::WrongRound, message));
    }
    let offered = match &waiting.opened.purpose {
        Purpose::Approval => matches!(decision.answer, Answer::Approve | Answer::Changes | Answer::Reject),
        Purpose::Outcome { .. } => matches!(decision.answer, Answer::Pass | Answer::Fail),
        Purpose::Permission { .. } | Purpose::Tool { .. } => {
            matches!(decision.answer, Answer::Approve | Answer::Reject)
        }
        Purpose::Way { ways } => match decision.answer {
            Answer::Choose => ways.iter().any(|way| decision.way.as_deref() == Some(way.id.as_str())),
            answer => matches!(answer, Answer::Changes | Answer::Reject),
        },
    };
    if !offered {
        let message = match &waiting.opened.purpose {
            Purpose::Approval => "This gate is approved, sent back for changes, or rejected.".to_owned(),
            Purpose::Outcome { pass, fail, .. } => format!("This step is answered with {pass} or {fail}."),
            Purpose::Tool { .. } => "A tool call is approved or rejected.".to_owned(),
            Purpose::Permission { .. } => "A permission is given (approve) or refused (reject).".to_owned(),
            Purpose::Way { ways } => format!(
                "Choose one of the ways on ({}), send it back for changes, or reject it.",
                ways.iter().map(|way| way.id.as_str()).collect::<Vec<_>>().join(", ")
            ),
        };
        return Err(refuse(RefusalCode::AnswerNotOffered, message));
    }
    let carried_out = matches!(waiting.opened.purpose, Purpose::Outcome { attempt: true, .. });
    let reports = carried_out && decision.answer == Answer::Pass;
    if !reports && !decision.report.is_empty() {
        return Err(refuse(
            RefusalCode::AnswerNotOffered,
            "Only whoever carried a step out, and says that it went well, reports values of it.",
        ));
    }
    if decision.way.is_some() && decision.answer != Answer::Choose {
        return Err(refuse(
            RefusalCode::AnswerNotOffered,
            "Only `choose` goes along a way that is named with it; this answer goes where the workflow says.",
        ));
    }
    if decision.by.trim().is_empty() {
        return Err(refuse(
            RefusalCode::NameRequired,
            "A decision needs a name: say who decides.",
        ));
    }
    let given = (decision.answer, decision.way.as_deref());
    if let Some(why) = state.wants_another(workflow, &waiting.opened, given, decision.into()) {
        return Err(refuse(RefusalCode::FourEyes, why));
    }
    if waiting.opened.needs_comment(decision.answer) && decision.comment.trim().is_empty() {
        let message = match decision.answer {
            Answer::Changes => "Say in the comment what should be changed.".to_owned(),
            Answer::Approve if !waiting.opened.feedback.is_empty() => {
                "Say in the comment why the work goes on as it is, although an issue was reported.".to_owned()
            }
            Answer::Approve => format!(
                "The result is below what the project wants: {}. Say in the comment why it goes on all the same.",
                standards::all_words(&waiting.opened.below)
            ),
            Answer::Fail => "Say in the comment what went wrong.".to_owned(),
            _ => "Say in the comment why it is rejected.".to_owned(),
        };
        return Err(refuse(RefusalCode::CommentRequired, message));
    }
    let shown = waiting.opened.shown.iter().map(|a| &a.digest);
    if !decision.seen.is_empty() && !shown.eq(decision.seen.iter()) {
        let message = "What you looked at is not what this round shows. Reload it, look again and then decide.";
        return Err(refuse(RefusalCode::ShownChanged, message));
    }
    if decision.answer == Answer::Changes && waiting.opened.changes_to.is_none() {
        let message = "Nothing has run before this gate that could run again. Approve or reject it.";
        return Err(refuse(RefusalCode::NothingToRepeat, message));
    }
    Ok(waiting)
}
