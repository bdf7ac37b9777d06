//! The log for people: one line an event, in plain words.

use crate::gate::asking;
use crate::run::instances::Times;
use crate::run::view::{LogLine, LogView};
use crate::run::{crew, orders, reasons, status, transitions};
use crate::text::safe;
use crate::view::Status;
use crate::words as w;
use engine::{
    Answer, AttemptStarted, Choice, EndStatus, EngineKind, Event, ExecutionStatus, FlowEnded, FlowLead, Instance,
    Outcome, Purpose, REMARKS, RunCreated, RunState, StageEnd, ToolRecord, ToolStatus,
};
use history::Events;
use model::{StepId, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use store::Stored;

/// Lines of the events after `after`, the last one that the client already has. `all`: the run's events from the beginning; `now`: the run after the
/// last event of its log, which may be a later one.
pub fn log(workflow: &Workflow, all: Events<'_>, after: u64, now: &RunState) -> LogView {
    let from = all.count(|e| e.seq <= after);
    let mut lines = Vec::with_capacity(all.len() - from);
    let mut times = Times::of(now);
    let mut begun = Begun::before(all, from);
    let headings = headings(all);
    for (i, e) in (from..).zip(all.from(from)) {
        lines.extend(headings.get(&e.seq).map(|text| LogLine {
            seq: e.seq,
            at: e.at.0,
            step: None,
            stream: "heading".into(),
            text: text.clone(),
            status: None,
        }));
        // The program breaks its lines, and not the pieces in which they came.
        lines.extend(begun.take(&e.event).into_iter().map(|(of, stream, text)| LogLine {
            seq: e.seq,
            at: e.at.0,
            step: Some(w::step_ref(workflow, &of.step)),
            stream: stream.to_owned(),
            text: safe::visible(&text),
            status: None,
        }));
        match &e.event {
            Event::Output { .. } => {}
            event => lines.push(LogLine {
                seq: e.seq,
                at: e.at.0,
                step: step_of(all.prefix(i), event).map(|id| w::step_ref(workflow, id)),
                stream: "event".into(),
                text: safe::visible_text(&line(workflow, all.prefix(i), nth(&mut times, event), e)),
                status: tone(workflow, all.prefix(i), event),
            }),
        }
    }
    LogView {
        lines,
        last: all.last().map_or(after, |e| e.seq.max(after)),
    }
}

/// Of a log that begins with events of other runs: by the number of an event what stands above it. The first event is the run's own, and later
/// than those.
fn headings(all: Events<'_>) -> BTreeMap<u64, String> {
    let mut headings = BTreeMap::new();
    let taken = created(all).map(RunCreated::taken_over).unwrap_or_default();
    for (run, events) in &taken {
        headings.insert(*events.start(), w::taken_over_from(run, events));
    }
    if let Some((_, last)) = taken.last() {
        let next = last.end() + 1;
        headings.insert(next, format!("Recorded in this run (from event {next} on)"));
    }
    headings
}

/// What the run of a log was created from.
fn created(all: Events<'_>) -> Option<&RunCreated> {
    match &all.iter().next()?.event {
        Event::RunCreated(created) => Some(&**created),
        _ => None,
    }
}

/// A line that was printed: at which visit, to which stream, and its text.
type Printed<'a> = (&'a Instance, &'a str, String);

/// The lines that an attempt has begun to print and not ended, one a stream. Each is told with what ends it: its rest, or whatever else happens in
/// the run. What is told so follows from the events alone, wherever one begins to read them.
#[derive(Default)]
struct Begun<'a> {
    of: Option<(&'a Instance, u32)>,
    lines: Vec<(&'a str, String)>,
}

impl<'a> Begun<'a> {
    /// What has been begun by the event at a place, that one not counted.
    fn before(all: Events<'a>, place: usize) -> Self {
        let mut begun = Self::default();
        let Some(of) = place.checked_sub(1).and_then(|last| printing(&all.get(last)?.event)) else {
            return begun;
        };
        let before = all.prefix(place);
        let same = before.iter().rev().take_while(|e| printing(&e.event) == Some(of));
        let same = same.count();
        for e in before.from(place - same) {
            begun.take(&e.event);
        }
        begun
    }

    /// Takes an event in; gives the lines that are whole with it.
    fn take(&mut self, event: &'a Event) -> Vec<Printed<'a>> {
        let Event::Output {
            instance,
            attempt,
            stream,
            text,
        } = event
        else {
            return self.end();
        };
        // What Gatehouse says stands between what the program printed.
        let mut whole = match self.of == Some((instance, *attempt)) && stream != REMARKS {
            true => Vec::new(),
            false => self.end(),
        };
        self.of = Some((instance, *attempt));
        let earlier = self.lines.iter().position(|(begun, _)| begun == stream);
        let mut all = earlier.map_or_else(String::new, |at| self.lines.remove(at).1);
        all.push_str(text);
        let rest = all.split_off(all.rfind('\n').map_or(0, |at| at + 1));
        if !rest.is_empty() {
            self.lines.push((stream.as_str(), rest));
        }
        whole.extend(all.lines().map(|line| (instance, stream.as_str(), line.to_owned())));
        whole
    }

    /// Nothing more comes of what was begun.
    fn end(&mut self) -> Vec<Printed<'a>> {
        let Some((of, _)) = self.of.take() else {
            return Vec::new();
        };
        let begun = std::mem::take(&mut self.lines).into_iter();
        begun.map(|(stream, text)| (of, stream, text)).collect()
    }
}

/// Which attempt prints with an event.
fn printing(event: &Event) -> Option<(&Instance, u32)> {
    match event {
        Event::Output { instance, attempt, .. } => Some((instance, *attempt)),
        _ => None,
    }
}

/// Whether nothing of what a run says has happened; `before`: its events so far.
fn is_rehearsal(before: Events<'_>) -> bool {
    created(before).is_some_and(RunCreated::is_rehearsal)
}

/// How the attempt began that is at work at an instance.
fn started<'a>(before: Events<'a>, instance: &Instance) -> Option<&'a AttemptStarted> {
    before.iter().rev().find_map(|e| match &e.event {
        Event::AttemptStarted(begun) if begun.instance == *instance => Some(&**begun),
        _ => None,
    })
}

/// Of an event that begins the work of a step how often it has begun with it, of any other 0. `times`: of the run after this event or any later
/// one, which change nothing of that.
pub fn nth(times: &mut Times<'_>, event: &Event) -> u32 {
    match event {
        Event::AttemptStarted(started) => times.nth(&started.instance),
        _ => 0,
    }
}

/// The step that an event is about; `before`: the events before it. An answer names its gate alone.
fn step_of<'a>(before: Events<'a>, event: &'a Event) -> Option<&'a StepId> {
    match event {
        Event::GateAnswered(decision) => Some(&asking::asked_before(before, decision)?.instance.step),
        event => kind(event).1,
    }
}

/// A stable word for an event and the step it concerns.
pub fn kind(event: &Event) -> (&'static str, Option<&StepId>) {
    match event {
        Event::RunCreated(_) => ("run_created", None),
        Event::RunStarted => ("run_started", None),
        Event::AttemptStarted(a) => ("step_start", Some(&a.instance.step)),
        Event::Output { instance, .. } => ("output", Some(&instance.step)),
        Event::ToolCalled { instance, .. } => ("tool_called", Some(&instance.step)),
        Event::AttemptEnded { instance, result, .. } => (
            if result.status == ExecutionStatus::Succeeded {
                "step_end"
            } else {
                "step_error"
            },
            Some(&instance.step),
        ),
        Event::AttemptInterrupted { instance, .. } => ("step_interrupted", Some(&instance.step)),
        Event::NavigatorAsked(asked) => ("navigator_asked", Some(&asked.instance.step)),
        Event::NavigatorAnswered { instance, .. } => ("navigator_answered", Some(&instance.step)),
        Event::Routed(route) => ("route_decision", Some(&route.from.step)),
        Event::GateOpened(gate) => ("gate_opened", Some(&gate.instance.step)),
        Event::GateAnswered(_) => ("gate_answered", None),
        Event::Forked(forked) => ("fork_started", Some(&forked.from.step)),
        Event::BranchEnded(_) => ("branch_ended", None),
        Event::Joined(_) => ("fork_completed", None),
        Event::FlowEnded(ended) => ("flow_ended", Some(&ended.from.step)),
        Event::FeedbackGiven(given) => ("feedback_given", Some(&given.from.step)),
        Event::FeedbackAcknowledged(said) => ("feedback_acknowledged", Some(&said.by.step)),
        Event::FeedbackResolved { by, .. } => ("feedback_resolved", Some(&by.step)),
        Event::SentBack(sent) => match sent.rejected {
            true => ("rejection_sent_back", Some(&sent.from.step)),
            false => ("feedback_sent_back", Some(&sent.from.step)),
        },
        Event::Queued { steps } => ("queued", steps.first()),
        Event::Settled(settled) => (
            match settled.status {
                StageEnd::Completed => "stage_completed",
                StageEnd::Failed => "stage_failed",
                StageEnd::Skipped => "stage_skipped",
                StageEnd::Aborted => "stage_aborted",
            },
            Some(&settled.step),
        ),
        Event::Reopened { .. } => ("run_reopened", None),
        Event::EvidencePromoted(_) => ("evidence_promoted", None),
        Event::Checkpointed(_) => ("checkpoint", None),
        Event::AnotherLog(_) => ("another_log", None),
        Event::TakenOver(_) => ("taken_over", None),
        Event::Paused { .. } => ("run_paused", None),
        Event::Resumed { .. } => ("run_resumed", None),
        Event::TakenUp { .. } => ("run_taken_up", None),
        Event::Aborted { .. } => ("run_aborted", None),
        Event::RunCompleted(_) => ("run_completed", None),
    }
}

/// So long after an answer work begins at the latest where somebody carries the run on, milliseconds.
const AT_ONCE_MS: u64 = 3_000;

/// An event in plain words ([`words`]), with what its time says: that nobody had carried the run on where work began long after the answer that led
/// to it.
pub fn line(workflow: &Workflow, before: Events<'_>, nth: u32, e: &Stored) -> String {
    let words = words(workflow, before, nth, &e.event);
    // Whoever takes the run up does so before anything begins.
    let is_taken_up = |one: &&Stored| matches!(one.event, Event::TakenUp { .. });
    let heard = || before.iter().rev().skip_while(is_taken_up);
    let before_it = heard().next();
    let last = before_it.map_or(e.at, |last| last.at);
    let waited = e.at.since_ms(last);
    if waited < AT_ONCE_MS || !matches!(e.event, Event::AttemptStarted(_)) {
        return words;
    }
    // Behind what was taken over this run goes on as soon as there is one.
    let goes_on = |one: &Stored| created(before).and_then(|created| created.went_on(one.seq, Some(e.at)));
    if before_it.and_then(goes_on).is_some() {
        return words;
    }
    let mut with_it = heard().take_while(|one| one.at == last);
    match with_it.any(|one| matches!(one.event, Event::GateAnswered(_))) {
        true => format!(
            "{words} Since the answer nobody had carried the run on for {}.",
            w::duration(waited)
        ),
        false => words,
    }
}

/// An event in plain words; `before`: the events before it; `nth`: how often the work of its step has begun with it ([`nth`]).
pub fn words(workflow: &Workflow, before: Events<'_>, nth: u32, event: &Event) -> String {
    let name = |at: &Instance| asking::step_of(workflow, at);
    let time = match nth {
        0 | 1 => String::new(),
        n => format!(" for the {}", w::nth_time(n)),
    };
    match event {
        Event::RunCreated(c) => {
            let by = match c.by.as_str() {
                "" => String::new(),
                by => format!(" by {}", safe::visible(by)),
            };
            let from = match &c.continues {
                Some(earlier) => match &earlier.back_to {
                    None => format!(", going on from run {}", earlier.run()),
                    Some(checkpoint) => {
                        format!(
                            ", going back to “{}” of run {}",
                            safe::in_quotes(checkpoint),
                            earlier.run()
                        )
                    }
                },
                None => String::new(),
            };
            if let Some(imported) = &c.imported {
                let session = match imported.session.as_str() {
                    "" => "A session".to_owned(),
                    id => format!("The session {}", safe::visible(id)),
                };
                return format!(
                    "{session} of “{}” imported{by}. Nothing of it was executed here.",
                    safe::visible(&c.title)
                );
            }
            let begins = match status::begins(c, workflow) {
                Some(said) => format!(" {said}"),
                None => String::new(),
            };
            let ungated = c.continues.as_deref().map(status::ungated).unwrap_or_default();
            format!(
                "Run of “{}” created{by}{from}.{begins}{ungated}",
                safe::visible(&c.title)
            )
        }
        Event::RunStarted => "Run started.".into(),
        Event::AttemptStarted(a) => {
            let again = if a.attempt > 1 {
                format!(", attempt {}", a.attempt)
            } else {
                String::new()
            };
            let step = name(&a.instance);
            match a.is_by_people() {
                // They have done it and said so before the attempt begins.
                true => format!("The report on {step} has come in{time}{again}."),
                false => format!("{step} started{time}{again}{}.", given_away(workflow, a)),
            }
        }
        Event::Output { text, .. } => safe::visible(text),
        Event::ToolCalled { instance, call, .. } => called(&name(instance), call),
        Event::AttemptEnded {
            instance,
            result,
            retry_at,
            ..
        } => {
            let took = w::duration(result.duration_ms);
            let step = name(instance);
            let begun = started(before, instance);
            let by_people = begun.is_some_and(AttemptStarted::is_by_people);
            let parts = begun
                .map(|begun| crew::parts(before, begun, result))
                .unwrap_or_default();
            let each: Vec<String> = parts.into_iter().map(|part| part.words).collect();
            let each = match each.is_empty() {
                true => String::new(),
                false => format!(" {}.", each.join("; ")),
            };
            let line = match result.status {
                // When they were asked and answered stands in lines of its own.
                ExecutionStatus::Succeeded if by_people => format!("{step} is done."),
                ExecutionStatus::Succeeded => format!("{step} done in {took}."),
                ExecutionStatus::Skipped => {
                    format!("{step} was skipped: {}", result.skipped().unwrap_or_default())
                }
                ExecutionStatus::Blocked => format!("{step} waits for a person before it uses a tool."),
                ExecutionStatus::Failed => format!(
                    "{step} failed{}: {}{}",
                    match by_people {
                        true => String::new(),
                        false => format!(" after {took}"),
                    },
                    result.error.as_deref().unwrap_or("no reason given"),
                    if retry_at.is_some() {
                        " — it will be tried again."
                    } else {
                        ""
                    }
                ),
            };
            line + &each
        }
        Event::AttemptInterrupted {
            instance,
            reason,
            retry_at,
            ..
        } => format!(
            "{} was cut off: {reason}{}",
            name(instance),
            if retry_at.is_some() {
                " — it will be tried again."
            } else {
                ""
            }
        ),
        Event::NavigatorAsked(asked) => format!(
            "The navigator {} is asked for the way on from {}.",
            safe::visible(asked.navigator.as_str()),
            name(&asked.instance)
        ),
        Event::NavigatorAnswered { instance, said } => reasons::navigator(&name(instance), said),
        Event::Routed(route) => reasons::why(workflow, route, is_rehearsal(before)),
        Event::GateOpened(opened) => asking::waits(workflow, opened),
        Event::GateAnswered(d) => {
            let answered = match asking::asked_before(before, d) {
                Some(opened) if opened.overrides(d.answer) => {
                    let said = engine::standards::all_words(&opened.below);
                    format!("{} ({said})", asking::answered_in(opened, d))
                }
                Some(opened) => asking::answered_in(opened, d),
                None => asking::answered(&Purpose::Approval, d),
            };
            let why = if d.comment.is_empty() {
                String::new()
            } else {
                format!(": {}", d.comment)
            };
            format!("{} {answered}{why}", w::decider(d))
        }
        Event::Forked(forked) => {
            format!(
                "{} forks: {}.",
                name(&forked.from),
                names(workflow, forked.heads.iter())
            )
        }
        Event::BranchEnded(ended) => {
            let head = head_of(before, ended.branch).map_or_else(
                || format!("Branch {}", ended.branch),
                |head| format!("The branch of “{}”", w::step_ref(workflow, head).name),
            );
            match &ended.error {
                Some(error) => format!("{head} failed: {error}"),
                None => format!("{head} ended: {}.", ended.status),
            }
        }
        Event::Joined(joined) => {
            let cut = match joined.cut_off.len() {
                0 => String::new(),
                1 => "; 1 branch was cut off".to_owned(),
                n => format!("; {n} branches were cut off"),
            };
            match &joined.error {
                Some(error) => format!("{error}{cut}."),
                None => format!(
                    "The branches have met: {}; together {}{cut}.",
                    joined.count(),
                    joined.status
                ),
            }
        }
        Event::FlowEnded(ended) => flow_ended(workflow, ended),
        Event::FeedbackGiven(given) => reasons::issue(workflow, given),
        Event::FeedbackAcknowledged(said) => format!(
            "{} leaves its work as it is (issue {}): {}",
            name(&said.by),
            safe::visible(&said.id),
            safe::visible(&said.reason)
        ),
        Event::FeedbackResolved { id, by } => {
            format!(
                "{} does not report the issue {} any more: it is resolved.",
                name(by),
                safe::visible(id)
            )
        }
        Event::SentBack(sent) => reasons::sent_back(workflow, sent),
        Event::Queued { steps } => format!("Queued: {}.", names(workflow, steps.iter())),
        Event::Settled(settled) => {
            let name = w::step_ref(workflow, &settled.step).name;
            match (settled.status, &settled.because, &settled.error) {
                (StageEnd::Completed, ..) => format!("“{name}” completed."),
                (StageEnd::Failed, _, Some(error)) if settled.rejected => format!("“{name}” was rejected: {error}"),
                (StageEnd::Failed, _, Some(error)) => match &settled.spared {
                    Some(why) => format!("“{name}” failed: {error}. The run goes on: {why}."),
                    None => format!("“{name}” failed: {error}"),
                },
                (StageEnd::Failed, _, None) => format!("“{name}” failed."),
                (StageEnd::Skipped, Some(because), _) => {
                    let cause = w::step_ref(workflow, because).name;
                    format!("“{name}” skipped: it cannot do without “{cause}”.")
                }
                (StageEnd::Skipped, None, Some(error)) => match &settled.spared {
                    Some(why) => format!("“{name}” skipped by its agent: {error}. {why}."),
                    None => format!("“{name}” skipped by its agent: {error}"),
                },
                (StageEnd::Skipped, None, None) => match &settled.spared {
                    Some(why) => format!("“{name}” left out: {why}."),
                    None => format!("“{name}” skipped by a person."),
                },
                (StageEnd::Aborted, ..) => format!("“{name}” was cut off."),
            }
        }
        Event::Reopened { by, choices, .. } => {
            let chosen = |choice| {
                let of = choices.iter().filter(|(_, c)| **c == choice).map(|(step, _)| step);
                names(workflow, of)
            };
            let said: Vec<String> = [(Choice::Retry, "again"), (Choice::Skip, "without")]
                .into_iter()
                .map(|(choice, word)| (word, chosen(choice)))
                .filter(|(_, names)| !names.is_empty())
                .map(|(word, names)| format!("{word} {names}"))
                .collect();
            match said.join(", ").as_str() {
                "" => format!("{by} resumed the run."),
                said => format!("{by} resumed the run: {said}."),
            }
        }
        Event::EvidencePromoted(p) => {
            format!(
                "{} raised the evidence “{}” from {} to {}: {}",
                p.by,
                p.evidence,
                p.from.word(),
                p.to.word(),
                p.reason
            )
        }
        Event::TakenOver(taken) => format!(
            "{} took over what an imported session says was done elsewhere: {}{}. None of it was done here.{}",
            safe::visible(&taken.by),
            w::count(taken.completed.len(), "step completed", "steps completed"),
            match taken.skipped.len() {
                0 => String::new(),
                n => format!(", {} left out", w::count(n, "step", "steps")),
            },
            w::gates_taken_over(workflow, taken)
        ),
        Event::Checkpointed(made) => format!(
            "{} named this moment “{}”.",
            safe::visible(&made.by),
            safe::visible(&made.name)
        ),
        Event::AnotherLog(seen) => w::another_log(seen),
        Event::Paused { by, given } => format!("{by} paused the run{}.", orders::given(given.as_deref())),
        Event::Resumed { by, given } => format!("{by} let the run go on{}.", orders::given(given.as_deref())),
        Event::TakenUp { by, given } => {
            let (by, given) = (safe::visible(by), orders::given(given.as_deref()));
            format!("{by} took the run up{given}.")
        }
        Event::Aborted { by, reason, given } => {
            let given = orders::given(given.as_deref());
            match reason.as_str() {
                "" => format!("{by} stopped the run{given}."),
                reason => format!("{by} stopped the run{given}: {reason}"),
            }
        }
        Event::RunCompleted(_) if let Some(refused) = refused(workflow, before, event) => format!("Run {refused}"),
        Event::RunCompleted(end) => match (end.status, &end.error) {
            (EndStatus::Succeeded, _) => format!(
                "Run done after {}{}",
                steps_done(before, end.total_steps_executed),
                end.message.as_deref().map_or_else(
                    || ".".to_owned(),
                    |said| transitions::message(said, is_rehearsal(before))
                )
            ),
            (EndStatus::Failed, _) if stopped(before) => match &end.message {
                Some(said) => format!(
                    "The runbook stopped{}",
                    transitions::message(said, is_rehearsal(before))
                ),
                None => "The runbook stopped.".into(),
            },
            (EndStatus::Failed, Some(error)) => format!("Run failed: {error}"),
            (EndStatus::Failed, None) => "Run failed.".into(),
            (EndStatus::Aborted, _) => "Run stopped.".into(),
            (EndStatus::CompletedWithFailures, _) => "Run completed, with failures.".into(),
            (EndStatus::Stopped, error) => format!("Run {}", status::stopped(error.as_deref())),
        },
    }
}

/// How many steps a run was done after; one that was done again is one. `executed`: how many times any was begun.
fn steps_done(before: Events<'_>, executed: u32) -> String {
    let begun = before.iter().filter_map(|stored| match &stored.event {
        Event::AttemptStarted(started) => Some(&started.instance),
        _ => None,
    });
    let visits: BTreeSet<&Instance> = begun.collect();
    let steps: BTreeSet<&StepId> = visits.iter().map(|visit| &visit.step).collect();
    match visits.len() == executed as usize && steps.len() < visits.len() {
        true => format!("{}, some of them done again", w::count(steps.len(), "step", "steps")),
        false => w::count(executed as usize, "step", "steps"),
    }
}

/// Of a step with a script that somebody else does: that the script has not been executed because it is done.
fn given_away(workflow: &Workflow, attempt: &AttemptStarted) -> String {
    let step = workflow.step(&attempt.instance.step);
    let has_script = step.is_some_and(|step| matches!(step.work, Work::Command { .. }));
    let is_other = !matches!(
        attempt.engine.engine,
        EngineKind::Stub | EngineKind::Bash | EngineKind::Sh | EngineKind::Runbook | EngineKind::Person
    );
    match attempt.agents.first() {
        Some(agent) if has_script && is_other => format!("; its script is left to {}", safe::visible(agent.as_str())),
        _ => String::new(),
    }
}

fn names<'a>(workflow: &Workflow, steps: impl Iterator<Item = &'a StepId>) -> String {
    let names: Vec<String> = steps
        .map(|step| format!("“{}”", w::step_ref(workflow, step).name))
        .collect();
    names.join(", ")
}

/// That the run which ends with this event was refused, in words.
pub(crate) fn refused(workflow: &Workflow, before: Events<'_>, end: &Event) -> Option<String> {
    // Most runs end without that anybody ever refused, and need not be folded for it.
    let rejects = |e: &Stored| match &e.event {
        Event::GateAnswered(decision) => decision.answer == Answer::Reject,
        Event::AttemptEnded { result, .. } => result.ended_inside.is_some(),
        _ => false,
    };
    if !before.iter().any(rejects) {
        return None;
    }
    let last = before.last()?.at;
    let state = engine::fold(before.iter().map(|e| (e.at, &e.event)).chain([(last, end)]));
    match state.outcome()? {
        Outcome::Refused(refused) => Some(status::refused(workflow, &refused).words),
        _ => None,
    }
}

/// Whether the run ended because a runbook said STOP.
fn stopped(before: Events<'_>) -> bool {
    let last = before.iter().rev().find_map(|e| match &e.event {
        Event::Routed(route) => Some(route.runbook.as_deref().is_some_and(|m| m.stopped)),
        _ => None,
    });
    last == Some(true)
}

/// The first step of a branch.
fn head_of(before: Events<'_>, branch: engine::BranchId) -> Option<&StepId> {
    before.iter().find_map(|stored| match &stored.event {
        Event::Forked(forked) if forked.fork == branch.fork => forked.heads.get(branch.branch as usize - 1),
        _ => None,
    })
}

/// That a flow has ended, and what follows it.
pub(crate) fn flow_ended(workflow: &Workflow, ended: &FlowEnded) -> String {
    let name = workflow.title_of(&ended.flow);
    let how = match (&ended.failed, &ended.unmet) {
        (Some(why), _) => format!("The flow “{name}” failed ({why})"),
        (None, Some(why)) => format!("The flow “{name}” has ended and does not lead on: {why}"),
        (None, None) => format!("The flow “{name}” has ended"),
    };
    let goes_on = |flow: &str, step: &StepId| {
        let step = w::step_ref(workflow, step).name;
        format!("“{}” goes on at “{step}”", workflow.title_of(flow))
    };
    let then = match &ended.leads {
        FlowLead::Begin { flow, .. } => format!("“{}” begins", workflow.title_of(flow)),
        FlowLead::Back { flow, step } => goes_on(flow, step),
        FlowLead::Wait { flow, step } => {
            format!("it asks for a person; when the run is resumed, {}", goes_on(flow, step))
        }
        FlowLead::End => "it asks for a person; when the run is resumed, it ends".to_owned(),
    };
    let why = ended
        .reason
        .as_deref()
        .map_or(String::new(), |reason| format!(" ({reason})"));
    format!("{how}; {then}{why}.")
}

/// What became of a call that a step declares.
fn called(step: &str, call: &ToolRecord) -> String {
    let tool = safe::visible(&call.name);
    match call.status {
        _ if call.earlier => format!("{step} did not call the tool {tool} again: an earlier attempt did."),
        ToolStatus::Completed => format!("{step} called the tool {tool}, which answered."),
        ToolStatus::Failed => format!("{step} called the tool {tool}, which failed: {}", call.error),
        ToolStatus::Skipped | ToolStatus::Blocked => format!("{step} did not call the tool {tool}: {}", call.error),
    }
}

fn tone(workflow: &Workflow, before: Events<'_>, event: &Event) -> Option<Status> {
    Some(match event {
        Event::AttemptStarted(_) => Status::Running,
        Event::AttemptEnded { result, .. } => match result.status {
            ExecutionStatus::Succeeded => Status::Done,
            ExecutionStatus::Failed => Status::Failed,
            ExecutionStatus::Skipped => Status::Skipped,
            ExecutionStatus::Blocked => Status::Blocked,
        },
        Event::AttemptInterrupted { .. } | Event::Aborted { .. } => Status::Aborted,
        Event::GateAnswered(d) if d.answer == Answer::Reject => Status::Refused,
        Event::GateOpened(_) | Event::GateAnswered(_) => Status::Blocked,
        Event::BranchEnded(ended) if ended.error.is_some() => Status::Failed,
        Event::Joined(joined) if !joined.met => Status::Failed,
        Event::Joined(_) => Status::Done,
        Event::FlowEnded(ended) if ended.failed.is_some() => Status::Failed,
        Event::FlowEnded(_) => Status::Done,
        Event::FeedbackGiven(_) | Event::SentBack(_) => Status::Waiting,
        Event::FeedbackResolved { .. } => Status::Done,
        Event::Queued { .. } => Status::Queued,
        Event::Settled(settled) => match settled.status {
            StageEnd::Completed => Status::Done,
            StageEnd::Failed if settled.rejected => Status::Refused,
            StageEnd::Failed => Status::Failed,
            StageEnd::Skipped => Status::Skipped,
            StageEnd::Aborted => Status::Aborted,
        },
        Event::EvidencePromoted(_) => Status::Done,
        Event::Checkpointed(_) | Event::TakenOver(_) => Status::Done,
        Event::Paused { .. } => Status::Paused,
        Event::RunCompleted(_) if refused(workflow, before, event).is_some() => Status::Refused,
        Event::RunCompleted(end) => match end.status {
            EndStatus::Succeeded => Status::Done,
            EndStatus::Failed => Status::Failed,
            EndStatus::Aborted => Status::Aborted,
            EndStatus::CompletedWithFailures => Status::Partly,
            EndStatus::Stopped => Status::Stopped,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use engine::At;
    use history::Log;
    use std::sync::Arc;

    fn said(step: &str, stream: &str, text: &str) -> Event {
        Event::Output {
            instance: Instance {
                step: step.into(),
                visit: 1,
                path: Vec::new(),
            },
            attempt: 1,
            stream: stream.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn what_was_taken_over_stands_below_a_heading() {
        let text = "key: p\ntitle: P\nsteps:\n  - {id: a, agents: [x], role: Do it}\n";
        let document = Document::parse("p.yaml", text);
        let begun = |run: &str| RunCreated::new(run, document.workflow(), "p.yaml", "0", "test");
        let second = RunCreated {
            continues: Some(Arc::new(engine::Continued {
                at: At(0),
                created: Arc::new(begun("first")),
                events: 2,
                link: String::new(),
                back_to: Some("?".to_owned()),
                put_back: Vec::new(),
                working: Vec::new(),
                ungated: Vec::new(),
            })),
            ..begun("second")
        };
        let events = [
            (9, Event::RunCreated(Arc::new(second))),
            (1, Event::RunStarted),
            (9, said("a", "stdout", "1\n")),
        ];
        let log: Log = events
            .into_iter()
            .zip(1..)
            .map(|((at, event), seq)| Stored {
                seq,
                at: At(at),
                event,
                hash: [0; 32],
                fits: true,
            })
            .collect();
        let told = |after| -> Vec<(u64, String)> {
            let view = super::log(document.workflow(), log.events(), after, &RunState::default());
            let headings = view.lines.into_iter().filter(|line| line.stream == "heading");
            headings.map(|line| (line.seq, line.text)).collect()
        };
        let own = (3, "Recorded in this run (from event 3 on)".to_owned());
        let taken = (2, "Taken over from run first (event 2)".to_owned());
        assert_eq!(told(0), [taken, own.clone()]);
        assert_eq!(told(2), [own]);
    }

    #[test]
    fn a_line_is_broken_by_the_program_alone() {
        let document = Document::parse(
            "p.yaml",
            "key: p\ntitle: P\nsteps:\n  - {id: a, agents: [x], role: Do it}\n",
        );
        let events = [
            said("a", "stdout", "1\n513"),
            said("a", "stderr", "care"),
            said("a", "stdout", "7\n5138\nhalf"),
            said("a", REMARKS, "cut here\n"),
            said("a", "stdout", "9\nnot"),
            said("b", "stdout", "b\n"),
            said("a", "stdout", "hing"),
            Event::RunStarted,
        ];
        let log: Log = events
            .into_iter()
            .zip(1..)
            .map(|(event, seq)| Stored {
                seq,
                at: At(0),
                event,
                hash: [0; 32],
                fits: true,
            })
            .collect();
        let state = RunState::default();
        let told = |after| {
            let view = super::log(document.workflow(), log.events(), after, &state);
            view.lines
                .into_iter()
                .filter(|line| line.seq > after)
                .map(|line| (line.seq, line.text))
                .collect::<Vec<_>>()
        };
        let all: Vec<(u64, String)> = [
            (1, "1"),
            (3, "5137"),
            (3, "5138"),
            (4, "care"),
            (4, "half"),
            (4, "cut here"),
            (5, "9"),
            (6, "not"),
            (6, "b"),
            (8, "hing"),
            (8, "Run started."),
        ]
        .map(|(seq, text)| (seq, text.to_owned()))
        .into();
        assert_eq!(told(0), all);
        // Read piece by piece it is the same.
        for after in 1..8 {
            let rest: Vec<_> = all.iter().filter(|(seq, _)| *seq > after).cloned().collect();
            assert_eq!(told(after), rest, "after {after}");
        }
    }
}
