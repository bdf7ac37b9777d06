//! Events change the state; nothing else does.

use crate::cursor::{Cursor, Due};
use crate::ledger;
use crate::state::{AttemptState, GateRound, Navigation, RunState, RunStatus, Visit, place};
use crate::{
    Answer, At, AttemptStarted, BranchEnd, Choice, Decision, DetourMove, EngineInfo, Event, ExecutionStatus, FlowEnded,
    FlowLead, GateOpened, Instance, Purpose, RouteReason, RouteSource, Stand, StepResult, ToolRecord,
};
use model::{GateAt, Reopening, StepId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Applies one event that happened at `at`.
///
/// Total: it never panics and never fails. On a log that [`crate::decide()`] made every event finds what it speaks of; on
/// any other sequence an event whose subject is missing changes the counters it can and nothing else.
pub fn apply(state: &mut RunState, at: At, event: &Event) {
    state.seq = state.seq.saturating_add(1);
    state.last_at = Some(at);
    if !matches!(event, Event::TakenUp { .. }) {
        state.moved_at = Some(at);
    }
    match event {
        Event::RunCreated(created) => {
            state.created = Some(created.clone());
            state.created_at = Some(at);
            state.begins_at.clone_from(&created.begins_at);
            if created.imported.is_some() {
                state.ended_at = Some(at);
                state.status = RunStatus::Imported;
            } else {
                state.cursor = Cursor::Between(Due::Start);
            }
        }
        Event::RunStarted => {
            state.started_at = Some(at);
            // What a pipeline begins with follows from where its stages stand.
            state.cursor = if state.has_stages() {
                Cursor::Nowhere
            } else {
                Cursor::Between(Due::Entry)
            };
        }
        Event::AttemptStarted(started) => attempt_started(state, at, started),
        Event::Output { .. } => {}
        Event::ToolCalled {
            instance,
            attempt,
            call,
        } => {
            if let Some(open) = open_attempt(state, instance, *attempt) {
                let so_far = open.so_far.get_or_insert_default();
                Arc::make_mut(so_far).calls.push(ToolRecord::clone(call));
            }
        }
        Event::AttemptEnded {
            instance,
            attempt,
            result,
            retry_at,
        } => {
            let completes = result.status.completes();
            if let Some(open) = open_attempt(state, instance, *attempt) {
                open.ended_at = Some(at);
                open.result = Some(Arc::clone(result));
                if result.lifecycle.is_some() {
                    // The result says it.
                    open.so_far = None;
                }
                state.completed = state.completed.saturating_add(u32::from(completes));
            }
            if result.status == ExecutionStatus::Failed && retry_at.is_none() && result.refused_inside().is_none() {
                state.note_failure();
            }
            state.note_inside(instance, result);
            if completes && let Some(lifecycle) = &result.lifecycle {
                ledger::record(Arc::make_mut(&mut state.evidence), at, instance, &lifecycle.evidence);
            }
            state.go(&instance.step, after_attempt(instance, *attempt, *retry_at));
        }
        Event::AttemptInterrupted {
            instance,
            attempt,
            reason,
            let_go,
            seen,
            retry_at,
        } => {
            if let Some(open) = open_attempt(state, instance, *attempt) {
                open.ended_at = Some(seen.unwrap_or(at));
                open.interrupted = Some(reason.clone());
                open.let_go = *let_go;
            }
            // Of a branch that was cut off nothing goes on: another one decided, this one has not failed.
            if !state.forks.cut(&instance.step) {
                if retry_at.is_none() {
                    state.note_failure();
                }
                if let Cursor::Between(Due::Abort { in_flight, .. }) = &mut state.cursor {
                    *in_flight = None;
                }
                let apart = state.has_stages() || state.forks.token(&instance.step).is_some();
                if apart || !matches!(state.cursor, Cursor::Between(Due::Abort { .. })) {
                    state.go(&instance.step, after_attempt(instance, *attempt, *retry_at));
                }
            }
        }
        Event::NavigatorAsked(asked) => {
            if let Some(visit) = visit_mut(state, &asked.instance) {
                visit.navigation = Some(Navigation {
                    asked: Arc::clone(asked),
                    asked_at: at,
                    said: None,
                });
            }
            let instance = asked.instance.clone();
            state.go(&asked.instance.step, Cursor::Choosing { instance });
        }
        Event::NavigatorAnswered { instance, said } => {
            let visit = visit_mut(state, instance);
            if let Some(navigation) = visit.and_then(|visit| visit.navigation.as_mut()) {
                navigation.said = Some((Arc::clone(said), at));
            }
            let instance = instance.clone();
            state.go(&instance.step.clone(), Cursor::Between(Due::Leave { instance }));
        }
        Event::Routed(route) => {
            let index = state.routes.len();
            let first = state.visit(&route.from).and_then(|visit| visit.left_by);
            let went_aside = first.is_some_and(|at| matches!(state.routes[at].detour, Some(DetourMove::Out { .. })));
            if let Some(visit) = visit_mut(state, &route.from) {
                // A fork is left by the route to its first branch, a step that took a detour by the one that leads on.
                if first.is_none() || went_aside {
                    visit.left_by = Some(index);
                }
                if let Some(DetourMove::Out { id, .. }) = &route.detour {
                    visit.detours.push(id.clone());
                }
            }
            if route.branch.is_none()
                && let Some(to) = &route.to
            {
                state.note_led_back(&route.from, to);
            }
            let back = route.to.as_ref().filter(|_| route.detour == Some(DetourMove::On));
            let back = back.and_then(|step| Some(state.steps.get(step)?.visits.last()?.instance.clone()));
            state.loop_state = Arc::clone(&route.loop_state);
            let moved = route.runbook.as_deref();
            let led = match (&route.to, back.clone()) {
                (_, Some(instance)) => Cursor::Between(Due::Leave { instance }),
                (Some(step), None) => Cursor::Ready {
                    step: step.clone(),
                    path: moved.map(|m| m.path.clone()).unwrap_or_default(),
                },
                (None, None) => Cursor::Between(Due::Complete {
                    stopped: moved.is_some_and(|m| m.stopped),
                    message: moved.and_then(|m| m.message.clone()),
                }),
            };
            match route.branch {
                Some(id) => {
                    state.forks.route(id, &route.from.step, route.to.as_ref(), index, at);
                    if let (Some(step), Some(instance)) = (&route.to, back) {
                        state.forks.go(step, Cursor::Between(Due::Leave { instance }));
                    }
                }
                None => state.cursor = led,
            }
            if let Some(moved) = moved {
                state.frame = Arc::clone(&moved.frame);
            }
            if matches!(route.source, RouteSource::Person | RouteSource::Escalate) {
                // What a person sends back is done again, and so is everything after it.
                state.kept = Arc::default();
                state.executed_when_answered = state.executed;
            }
            if matches!(route.reason, RouteReason::Feedback(_)) {
                // What lies between is done again too.
                state.kept = Arc::default();
                state.feedback.send(&route.from);
            }
            state.routes.push_back(Arc::clone(route));
        }
        Event::GateOpened(opened) => {
            state.note_progress();
            state.feedback.ask(&opened.feedback);
            let asked = Cursor::AtGate {
                gate: opened.gate.clone(),
                round: opened.round,
            };
            state.go(&opened.instance.step, asked);
            let round = GateRound {
                opened: Arc::clone(opened),
                opened_at: at,
                since: at,
                answer: None,
            };
            state.gates.entry(opened.gate.clone()).or_default().push_back(round);
        }
        Event::GateAnswered(decision) => gate_answered(state, at, decision),
        Event::Queued { steps } => steps.iter().for_each(|step| state.stages.queue(step)),
        Event::Settled(settled) => state.stages.settle(settled),
        Event::Forked(forked) => {
            state.forks.begin(forked, at);
            state.go(&forked.from.step, Cursor::AtJoin { fork: forked.fork });
        }
        Event::BranchEnded(ended) => {
            if ended.end == BranchEnd::Failed {
                state.note_failure();
            }
            state.forks.end(ended, at);
        }
        Event::Joined(joined) => {
            state.forks.join(joined, at);
            if let Some(step) = state.forks.get(joined.fork).map(|fork| fork.forked.from.step.clone()) {
                state.go(&step, Cursor::Between(Due::Joined { fork: joined.fork }));
            }
        }
        Event::FeedbackGiven(given) => state.feedback.give(given, at),
        Event::FeedbackAcknowledged(said) => state.feedback.acknowledge(said, at),
        Event::FeedbackResolved { id, .. } => state.feedback.resolve(id, at),
        Event::SentBack(sent) => {
            if !sent.by_person {
                state.feedback.send(&sent.from);
            }
            // A rejection says to whom it leads back why.
            let rejected = state
                .rejections
                .iter()
                .find(|one| sent.rejected && one.instance == sent.from);
            if let Some(refused) = rejected.and_then(|one| state.refused(one)) {
                let comment = refused.decision.comment.clone();
                for step in &sent.to {
                    state.comments.entry(step.clone()).or_default().push(comment.clone());
                }
            }
            sent.again.iter().for_each(|step| state.stages.reset(step));
        }
        Event::FlowEnded(ended) => {
            state.cursor = match ended.leads.step() {
                Some(step) => Cursor::Ready {
                    step: step.clone(),
                    path: Vec::new(),
                },
                None => Cursor::Nowhere,
            };
            state.paused |= ended.leads.waits();
            state.flows.push_back(Arc::clone(ended));
        }
        Event::Reopened {
            choices,
            reset,
            at: place,
            ..
        } => reopened(state, at, choices, reset, place.as_ref()),
        Event::EvidencePromoted(promotion) => {
            ledger::promote(Arc::make_mut(&mut state.evidence).as_mut_slice(), at, promotion)
        }
        Event::Checkpointed(_) | Event::AnotherLog(_) | Event::TakenUp { .. } => {}
        Event::TakenOver(taken) => {
            let left_out = |steps: &[StepId], left_out: bool| {
                let steps = steps.iter().cloned();
                steps.map(|step| (step, left_out)).collect::<Vec<_>>()
            };
            let done = [left_out(&taken.completed, false), left_out(&taken.skipped, true)].concat();
            // Steps in sequence pass by what is completed (seed 000 "Resume").
            if state
                .created
                .as_ref()
                .is_some_and(|created| created.format.contract().reopening == Reopening::AtOpenStep)
            {
                state.kept = Arc::new(done.iter().map(|(step, _)| step.clone()).collect());
            }
            state.elsewhere = Arc::new(done.into_iter().collect());
            state.begins_at = Some(taken.at.clone());
        }
        Event::Paused { .. } => state.paused = true,
        Event::Resumed { .. } => {
            state.paused = false;
            if waits_behind_all(state).is_some() {
                state.cursor = Cursor::Between(Due::Complete {
                    stopped: false,
                    message: None,
                });
            }
        }
        Event::Aborted { by, reason, .. } => {
            let in_flight = match &state.cursor {
                Cursor::Running { instance, attempt } => Some((instance.clone(), *attempt)),
                _ => None,
            };
            state.stood = stands_at(state);
            // What was queued has not begun: it is pending again (CONTRACTS "Pipelines").
            state.stages.set_down(|cursor| matches!(cursor, Cursor::Ready { .. }));
            state.cursor = Cursor::Between(Due::Abort {
                in_flight,
                error: abort_error(by, reason),
            });
        }
        Event::RunCompleted(completed) => {
            state.stood = state.stood.take().or_else(|| stands_at(state));
            state.ended_at = Some(at);
            state.error.clone_from(&completed.error);
            state.message.clone_from(&completed.message);
            state.cursor = Cursor::Nowhere;
            state.forks.stop();
            state.stages.set_down(|cursor| *cursor != Cursor::Nowhere);
            state.status = RunStatus::Ended(completed.status);
        }
    }
    if let Some(began) = state
        .created
        .as_deref()
        .and_then(|created| created.went_on(state.seq, state.created_at))
    {
        wait_since(state, began);
    }
    if !state.status.ended() {
        state.status = standing(state);
        let asked = matches!(event, Event::GateOpened(_) | Event::GateAnswered(_));
        if asked || matches!(event, Event::BranchEnded(_) | Event::Joined(_)) {
            state.forks.note_asking(at);
        }
    }
}

/// All that was recorded elsewhere is applied: for what stands open there somebody waits, in the run that goes on, since that one was created.
fn wait_since(state: &mut RunState, began: At) {
    let open: Vec<_> = state
        .open_gates()
        .into_iter()
        .map(|round| Arc::clone(&round.opened))
        .collect();
    for opened in open {
        let is_it = |round: &GateRound| round.opened.round == opened.round;
        let rounds = state.gates.get_mut(&opened.gate);
        if let Some(round) =
            rounds.and_then(|rounds| rounds.iter().position(is_it).and_then(|place| rounds.get_mut(place)))
        {
            round.since = began;
        }
    }
}

fn standing(state: &RunState) -> RunStatus {
    let asks = |cursor: &Cursor| matches!(cursor, Cursor::AtGate { .. });
    // A pipeline waits for a person only when nothing else of it is going on.
    let turns = |cursor: &Cursor| !asks(cursor) && !matches!(cursor, Cursor::Nowhere | Cursor::AtJoin { .. });
    match () {
        () if state.created.is_none() => RunStatus::New,
        // Most runs never ask.
        () if !state.gates.is_empty()
            && state.cursors().any(asks)
            && !state.stages.has_queued()
            && !state.cursors().any(turns) =>
        {
            RunStatus::Blocked
        }
        () if state.paused => RunStatus::Paused,
        () => RunStatus::Running,
    }
}

/// The end of the last flow, where nothing is left but a person who lets the run end.
fn waits_behind_all(state: &RunState) -> Option<&FlowEnded> {
    let last = state.flows.last().filter(|ended| ended.leads == FlowLead::End)?;
    (state.cursor == Cursor::Nowhere).then_some(&**last)
}

/// Where the token of a run stands that goes no further.
fn stands_at(state: &RunState) -> Option<Stand> {
    let at = |instance: &Instance| {
        Some(Stand {
            step: instance.step.clone(),
            path: instance.path.clone(),
            fork: None,
        })
    };
    let of_fork = |number: u32| {
        let fork = state.forks.get(number)?;
        Some(Stand {
            fork: Some(number),
            ..at(&fork.forked.from)?
        })
    };
    match &state.cursor {
        Cursor::Ready { step, path } => Some(Stand {
            step: step.clone(),
            path: path.clone(),
            fork: None,
        }),
        Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. } | Cursor::Choosing { instance } => {
            at(instance)
        }
        Cursor::AtGate { gate, .. } | Cursor::Between(Due::Answered { gate, .. }) => {
            at(&state.gates.get(gate)?.last()?.opened.instance)
        }
        Cursor::AtJoin { fork } | Cursor::Between(Due::Joined { fork }) => of_fork(*fork),
        Cursor::Between(Due::Leave { instance } | Due::CutOff { instance, .. }) => at(instance),
        // Where work failed that had been rejected, what the failure led to is no place to go on at: nobody would be asked again.
        Cursor::Between(Due::Complete { .. }) => {
            let again = |ended: &&Arc<FlowEnded>| {
                let is_unapproved = state.rejections.iter().any(|one| one.led_back && !one.settled);
                ended.failed.is_some() && is_unapproved
            };
            let failed = state.flows.last().filter(again);
            at(failed.map_or(&state.routes.last()?.from, |ended| &ended.from))
        }
        Cursor::Nowhere => at(&waits_behind_all(state)?.from),
        Cursor::Between(Due::Start | Due::Entry | Due::EndBranch { .. } | Due::Abort { .. }) => None,
    }
}

fn reopened(state: &mut RunState, at: At, choices: &BTreeMap<StepId, Choice>, reset: &[StepId], place: Option<&Stand>) {
    state.overrule();
    state.status = RunStatus::Running;
    state.paused = false;
    state.ended_at = None;
    state.error = None;
    state.message = None;
    state.stood = None;
    let open = |step: &StepId| reset.contains(step) || choices.contains_key(step);
    state.rejections.retain(|r| !open(&r.instance.step));
    if let Some(place) = place {
        // Whatever was refused, the run goes on from here.
        state.rejections.clear();
        state.executed_when_answered = state.executed;
        state.kept = Arc::default();
        state.cursor = match place.fork {
            Some(fork) => {
                let routes = &state.routes;
                state
                    .forks
                    .reopen(fork, at, &|route| routes.get(route).and_then(|route| route.to.clone()));
                Cursor::AtJoin { fork }
            }
            None => Cursor::Ready {
                step: place.step.clone(),
                path: place.path.clone(),
            },
        };
        return;
    }
    if !state.has_stages() {
        state.executed_when_answered = state.executed;
        let kept = state.steps.keys().filter(|step| !reset.contains(step));
        state.kept = Arc::new(kept.cloned().collect());
        if let Some(step) = reset.first() {
            state.cursor = Cursor::Ready {
                step: step.clone(),
                path: Vec::new(),
            };
        }
        return;
    }
    reset.iter().for_each(|step| state.stages.reset(step));
    for (step, choice) in choices {
        if *choice == Choice::Skip {
            state.stages.leave_out(step);
        }
    }
}

/// The state of a run: the fold of its events.
pub fn fold<'a>(events: impl IntoIterator<Item = (At, &'a Event)>) -> RunState {
    let mut state = RunState::default();
    for (at, event) in events {
        apply(&mut state, at, event);
    }
    state
}

/// The error of a run that a person ended.
pub(crate) fn abort_error(by: &str, reason: &str) -> String {
    match reason.trim() {
        "" => format!("Aborted by {by}"),
        reason => format!("Aborted by {by}: {reason}"),
    }
}

fn attempt_started(state: &mut RunState, at: At, started: &Arc<AttemptStarted>) {
    state.note_progress();
    state.comments.remove(&started.instance.step);
    state.feedback.begin(&started.instance.step);
    let attempt = AttemptState {
        started: Arc::clone(started),
        started_at: at,
        ended_at: None,
        result: None,
        interrupted: None,
        let_go: false,
        so_far: None,
    };
    if let Some(visit) = visit_mut(state, &started.instance) {
        visit.attempts.push(attempt);
    } else {
        push_visit(state, &started.instance, attempt);
    }
    let running = Cursor::Running {
        instance: started.instance.clone(),
        attempt: started.attempt,
    };
    state.go(&started.instance.step, running);
}

fn push_visit(state: &mut RunState, instance: &Instance, attempt: AttemptState) {
    state.executed = state.executed.saturating_add(1);
    let visit = Visit {
        instance: instance.clone(),
        number: state.executed,
        attempts: vec![attempt],
        left_by: None,
        navigation: None,
        detours: Vec::new(),
    };
    let step = state.steps.entry(instance.step.clone()).or_default();
    step.visits.push_back(Arc::new(visit));
}

/// What a person's answer says of the step itself: how it went when a person carries it out, and that it was not carried
/// out when what it needs was not permitted. `None`: the answer is about what comes next.
pub(crate) fn said_of_step(opened: &GateOpened, decision: &Decision) -> Option<StepResult> {
    let result = |status, error: Option<String>| StepResult {
        error,
        output: decision.comment.trim().to_owned(),
        ..StepResult::new(status)
    };
    let comment = Some(decision.comment.trim().to_owned()).filter(|c| !c.is_empty());
    match (&opened.purpose, decision.answer) {
        (Purpose::Outcome { attempt: true, .. }, _) => None,
        (Purpose::Outcome { .. }, Answer::Pass) => Some(result(ExecutionStatus::Succeeded, None)),
        (Purpose::Outcome { fail, .. }, Answer::Fail) => {
            let error = comment.unwrap_or_else(|| format!("{} answered {fail}", decision.by.trim()));
            Some(result(ExecutionStatus::Failed, Some(error)))
        }
        (Purpose::Permission { .. }, Answer::Reject) => {
            let said = comment.map(|c| format!(": {c}")).unwrap_or_default();
            let error = format!("not permitted by {}{said}", decision.by.trim());
            Some(result(ExecutionStatus::Failed, Some(error)))
        }
        _ => None,
    }
}

fn after_attempt(instance: &Instance, attempt: u32, retry_at: Option<At>) -> Cursor {
    match retry_at {
        Some(at) => Cursor::Retrying {
            instance: instance.clone(),
            attempt: attempt.saturating_add(1),
            at,
        },
        None => Cursor::Between(Due::Leave {
            instance: instance.clone(),
        }),
    }
}

fn gate_answered(state: &mut RunState, at: At, decision: &Arc<Decision>) {
    // A loop that `--yes` turns is turned by nobody, and a runaway like any other.
    if !decision.is_unseen() {
        state.executed_when_answered = state.executed;
    }
    let asked = |round: &GateRound| round.opened.round == decision.round && round.answer.is_none();
    let rounds = state.gates.get_mut(&decision.gate);
    let round = rounds.and_then(|rounds| rounds.iter().rposition(asked).and_then(|place| rounds.get_mut(place)));
    let Some(round) = round else { return };
    round.answer = Some((Arc::clone(decision), at));
    let (opened, since) = (Arc::clone(&round.opened), round.since);
    state.note_answer(&opened, decision);
    if let Some(result) = said_of_step(&opened, decision) {
        // The answer is the attempt: what a person does is done when they say so.
        let agents = opened.asks.clone();
        let passed = result.status != ExecutionStatus::Failed;
        let attempt = AttemptState {
            started: Arc::new(AttemptStarted {
                instance: opened.instance.clone(),
                attempt: state.next_attempt(&opened.instance),
                agents,
                engine: EngineInfo::person(),
                crew: Vec::new(),
                comments: Vec::new(),
            }),
            started_at: since,
            ended_at: Some(at),
            result: Some(Arc::new(StepResult {
                duration_ms: at.since_ms(since),
                ..result
            })),
            interrupted: None,
            let_go: false,
            so_far: None,
        };
        match visit_mut(state, &opened.instance) {
            Some(visit) => visit.attempts.push(attempt),
            None => push_visit(state, &opened.instance, attempt),
        }
        state.completed = state.completed.saturating_add(u32::from(passed));
        let leaves = Cursor::Between(Due::Leave {
            instance: opened.instance.clone(),
        });
        state.go(&opened.instance.step, leaves);
        return;
    }
    let rehearsal = state.is_rehearsal();
    if !state.evidence.is_empty() {
        ledger::corroborate(
            Arc::make_mut(&mut state.evidence).as_mut_slice(),
            rehearsal,
            at,
            &opened,
            decision,
        );
    }
    let attempt = state.next_attempt(&opened.instance);
    let goes_on = match (decision.answer, opened.at) {
        // The next attempt is due.
        _ if state.goes_on_amid(&opened, decision) => Cursor::Retrying {
            instance: opened.instance.clone(),
            attempt,
            at,
        },
        (Answer::Approve | Answer::Pass | Answer::Fail | Answer::Choose, GateAt::Before) => Cursor::Ready {
            step: opened.instance.step.clone(),
            path: opened.instance.path.clone(),
        },
        // Pending: it waits again for the stage that is to run once more.
        (Answer::Changes, _) if state.has_stages() && opened.is_about_another() && opened.feedback.is_empty() => {
            Cursor::Nowhere
        }
        _ => Cursor::Between(Due::Answered {
            gate: decision.gate.clone(),
            round: decision.round,
        }),
    };
    state.go(&opened.instance.step, goes_on);
    if let (Answer::Changes, Some(step)) = (decision.answer, &opened.changes_to) {
        let mut to = BTreeSet::from([step.clone()]);
        if !opened.feedback.is_empty() {
            state.feedback.answer(&opened, decision, at);
            to = state.feedback.awaited_by(&opened.feedback).cloned().collect();
        }
        for step in to {
            state.comments.entry(step).or_default().push(decision.comment.clone());
        }
    } else if !opened.feedback.is_empty() {
        state.feedback.answer(&opened, decision, at);
    }
}

fn visit_mut<'a>(state: &'a mut RunState, instance: &Instance) -> Option<&'a mut Visit> {
    let visits = &mut state.steps.get_mut(&instance.step)?.visits;
    let place = place(visits, instance)?;
    visits.get_mut(place).map(Arc::make_mut)
}

fn open_attempt<'a>(state: &'a mut RunState, instance: &Instance, attempt: u32) -> Option<&'a mut AttemptState> {
    let attempts = &mut visit_mut(state, instance)?.attempts;
    attempts
        .iter_mut()
        .rev()
        .find(|a| a.started.attempt == attempt && a.ended_at.is_none())
}
