//! The engine `runbook`: a step that lists other workflows (seed 002 "Runbooks"). Each is a run of its own, linked to the
//! step; their outcomes become the step's.
//!
//! It holds no process: whoever takes the step up again (after a crash, after letting go) finds the runs it has begun,
//! because the id of a run inside a run follows from where it stands.

use super::inner_runs::{Begun, InnerRuns};
use super::{Execution, Executor, Sink, Stop};
use crate::brief::Brief;
use crate::driver::{Control, Driver, End, StartRequest, in_order};
use crate::pipeline::run::{Owned, taken};
use crate::project::DEEPEST;
use crate::waiting::Waiting;
use crate::{Error, inside, listed, project, source, submit};
use dialect::Document;
use engine::control::dag::unsettled;
use engine::runbook::{Mode, aggregate};
use engine::{
    At, Choice, EndStatus, EndedInside, Event, Instance, Intent, Outcome, ParentRun, Refused, RunCreated, RunId,
    RunState, RunStatus, StepStatus, TookPart,
};
use history::{Live, Run};
use model::Step;
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How often one file may be among the runs around another: what runs itself when something has failed does so once or twice.
const MOST_AGAIN: usize = 3;

/// How often a run that another program drives is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Why a step failed whose driver stopped it.
const STOPPED: &str = "it was stopped";

/// Runs workflows as runs of their own, one after the other.
pub(crate) struct Runbooks {
    driver: Driver,
    files: Vec<String>,
    /// The run of the step that lists them.
    created: RunCreated,
    /// How their outcomes become the step's.
    mode: Mode,
    /// The runs that may carry the step out.
    inner: InnerRuns,
    /// Which runs inside that run wait for people.
    waiting: Waiting,
}

/// That a run inside did not end well, and why, as far as it says so.
fn unwell(file: &str, ended: &RunState) -> String {
    match ended.error.as_deref().map(str::trim).filter(|why| !why.is_empty()) {
        Some(why) => format!("`{file}` did not end well: {why}"),
        None => format!("`{file}` did not end well"),
    }
}

/// Who ended a run inside, in words.
fn abort(file: &str, by: &str, reason: &str) -> String {
    let who = if by.trim().is_empty() { "A person" } else { by.trim() };
    match reason.trim() {
        "" => format!("{who} stopped the run of `{file}`"),
        reason => format!("{who} stopped the run of `{file}`: {reason}"),
    }
}

/// Who aborted a run, when, and why.
struct Abort {
    at: At,
    by: String,
    reason: String,
}

/// Who aborted a run last.
fn aborted(run: &Run) -> Option<Abort> {
    run.events().iter().rev().find_map(|stored| match &stored.event {
        Event::Aborted { by, reason, .. } => Some(Abort {
            at: stored.at,
            by: by.clone(),
            reason: reason.clone(),
        }),
        _ => None,
    })
}

/// Whether a run ended because a person ended the one around it.
fn ended_with(around: &Run, inside: &Run) -> bool {
    let is_aborted = inside.live().state().status == RunStatus::Ended(EndStatus::Aborted);
    let Some(inner) = aborted(inside).filter(|_| is_aborted) else {
        return false;
    };
    // The one around may have been taken up since, and ended once more.
    let before = around.events().iter().rev().filter(|stored| stored.at <= inner.at);
    let last = before
        .map(|stored| &stored.event)
        .find(|event| matches!(event, Event::Aborted { .. } | Event::Reopened { .. }));
    matches!(last, Some(Event::Aborted { by, reason, .. }) if *by == inner.by && *reason == inner.reason)
}

/// Who took a run up last.
fn taken_up_by(run: &Run) -> Option<String> {
    run.events().iter().rev().find_map(|stored| match &stored.event {
        Event::Reopened { by, .. } => Some(by.clone()),
        _ => None,
    })
}

/// Waits a moment before a run is looked at again; why not, where the step is to stop.
async fn pause(sink: &Sink) -> Option<Stop> {
    tokio::select! {
        reason = sink.stopped() => Some(reason),
        () = tokio::time::sleep(LOOK) => None,
    }
}

impl Runbooks {
    /// `created`: the run of the step; `step`: that step; `inner`, `waiting`: see [`Runbooks`].
    pub fn new(
        driver: Driver,
        files: Vec<String>,
        created: &RunCreated,
        step: &Step,
        inner: InnerRuns,
        waiting: Waiting,
    ) -> Self {
        Self {
            driver,
            inner,
            files,
            created: created.clone(),
            mode: Mode::of_step(step),
            waiting,
        }
    }

    async fn run(&self, brief: &Brief, sink: &Sink) -> Execution {
        match self.all(brief, sink).await {
            Ok(execution) => execution,
            Err(error) => Execution::failure(error.to_string()),
        }
    }

    async fn all(&self, brief: &Brief, sink: &Sink) -> Result<Execution, Error> {
        let run = RunId::from(brief.run_id.as_str());
        let mut outcomes: Vec<Option<bool>> = vec![None; self.files.len()];
        let mut children: Vec<Value> = Vec::new();
        let mut said = String::new();
        let mut by_a_person: Option<(EndedInside, String)> = None;
        let mut why: Option<String> = None;
        let mut hands: Vec<TookPart> = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            // What has begun is finished; the next run is not begun while the one around it is paused.
            if index > 0 {
                let mut around = Live::open(&self.driver.store, &run)?;
                let waits = self.waiting.of(sink.instance());
                while around.state().paused {
                    waits.say(true);
                    if pause(sink).await.is_some() {
                        return Ok(Execution::failure(STOPPED));
                    }
                    around.catch_up(&self.driver.store)?;
                }
            }
            let place = ParentRun {
                run: run.clone(),
                instance: sink.instance().clone(),
                index: u32::try_from(index).unwrap_or(u32::MAX),
                depth: self.created.parent.as_ref().map_or(0, |p| p.depth) + 1,
            };
            let child = match self.child(file, place, sink)? {
                Ok(child) => child,
                Err(error) => {
                    let mut failed = Execution::failure(error);
                    failed.hands = hands;
                    if !children.is_empty() {
                        failed.report.insert(inside::RUNS.to_owned(), Value::Array(children));
                    }
                    return Ok(failed);
                }
            };
            let Some(ended) = self.see_through(&run, &child, sink).await? else {
                return Ok(Execution::failure(STOPPED));
            };
            // A refusal is never a good end, also where the run inside has a way for it and came to its end.
            let passed = ended.outcome() == Some(Outcome::Done);
            outcomes[index] = Some(passed);
            hands.extend(ended.workers());
            let word = if passed { "PASS" } else { "FAIL" };
            said.push_str(&format!("{file}: {word}\n"));
            let mut entry = json!({"file": file, "run": child, "result": word});
            if let Some(refused) = ended.refusal() {
                entry["refused"] = json!(self.refusal(file, &child, &refused));
            }
            if let Some(other) = ended.created.as_deref().filter(|created| created.changed_since) {
                entry[inside::CHANGED] = json!(other.path);
            }
            children.push(entry);
            if !passed {
                why.get_or_insert_with(|| unwell(file, &ended));
            }
            if by_a_person.is_none() {
                by_a_person = self.ended_by_a_person(file, &child, &ended, sink.instance())?;
            }
            if aggregate(self.mode, outcomes.iter().copied()).is_some() {
                break;
            }
        }
        let passed = aggregate(self.mode, outcomes.iter().copied()).unwrap_or(true);
        let mut execution = match by_a_person.filter(|_| !passed) {
            Some((ended, why)) => Execution {
                ended_inside: Some(Box::new(ended)),
                ..Execution::failure(why)
            },
            None if passed => Execution::success(),
            None => Execution::failure(why.unwrap_or_else(|| "a run inside this step did not end well".to_owned())),
        };
        execution.output = said;
        execution.hands = hands;
        execution.report.insert(inside::RUNS.to_owned(), Value::Array(children));
        Ok(execution)
    }

    /// How a person ended a run of one file, or a run inside that one, and the same in words; `None`: nobody did.
    fn ended_by_a_person(
        &self,
        file: &str,
        child: &RunId,
        ended: &RunState,
        instance: &Instance,
    ) -> Result<Option<(EndedInside, String)>, Error> {
        if let Some(refused) = ended.refusal() {
            let inside = refused.inside(child, &self.created.workflow, instance);
            let why = self.refusal(file, child, &refused);
            return Ok(Some((EndedInside::Refused(Box::new(inside)), why)));
        }
        // What was done again or left out since says nothing of this end.
        let deeper = || {
            let steps = ended.steps.iter();
            let steps = steps.filter(|(id, _)| ended.step_status(id) != StepStatus::Skipped);
            let last = steps.filter_map(|(_, step)| step.visits.last()?.attempts.last()?.result.as_deref());
            let mut failed = last.filter(|result| !result.status.completes());
            failed.find_map(|result| match result.ended_inside.as_deref() {
                Some(EndedInside::Aborted { run, by, reason }) => Some((run.clone(), by.clone(), reason.clone())),
                _ => None,
            })
        };
        let by_abort = match ended.outcome() {
            Some(Outcome::Aborted) => {
                let own = aborted(&Run::open(&self.driver.store, child)?);
                own.map(|own| (child.clone(), own.by, own.reason))
            }
            Some(Outcome::Failed | Outcome::CompletedWithFailures) => deeper(),
            _ => None,
        };
        Ok(by_abort.map(|(run, by, reason)| {
            let deeper = Some(&run).filter(|run| *run != child);
            let path = deeper.and_then(|run| self.path_of(run));
            let why = abort(path.as_deref().unwrap_or(file), &by, &reason);
            (EndedInside::Aborted { run, by, reason }, why)
        }))
    }

    /// Who refused what in the run `child` of a file, or in a run inside that, in words: where it was said, however deep that lies.
    fn refusal(&self, file: &str, child: &RunId, refused: &Refused<'_>) -> String {
        let (by, comment) = (refused.decision.by.trim(), refused.decision.comment.trim());
        let who = if by.is_empty() { "a person" } else { by };
        let words = match comment {
            "" => String::new(),
            comment => format!(": {comment}"),
        };
        let path = refused.inside.and_then(|run| self.path_of(run));
        let step = self.refused_at(refused.inside.unwrap_or(child));
        let step = step.map_or_else(String::new, |step| format!(" at “{step}”"));
        format!(
            "In `{}` {who} refused “{}”{step}{words}",
            path.as_deref().unwrap_or(file),
            refused.opened.question
        )
    }

    /// The name of the step at which a person refused in a run; `None` where that cannot be read any more.
    fn refused_at(&self, run: &RunId) -> Option<String> {
        let store = &self.driver.store;
        let live = Live::open(store, run).ok()?;
        let refused = live.state().refusal()?;
        let workflow = source::workflow_of(store, run).ok()?;
        let step = workflow.step(&refused.opened.instance.step)?;
        Some(step.name.clone())
    }

    /// The file of a run; `None` where that cannot be read any more.
    fn path_of(&self, run: &RunId) -> Option<String> {
        let created = source::created(&self.driver.store, run).ok()?;
        Some(created.path.clone())
    }

    /// The runs around a new one of this file, the outermost first, where the file is among them as often as it may be.
    fn circle(&self, path: &str) -> Result<Option<String>, Error> {
        let mut around = vec![self.created.path.clone()];
        let mut up = self.created.parent.clone();
        while let Some(place) = up {
            let live = Live::open(&self.driver.store, &place.run)?;
            let created = live.state().created.clone();
            around.extend(created.as_ref().map(|created| created.path.clone()));
            up = created.and_then(|created| created.parent.clone());
        }
        if around.iter().filter(|one| *one == path).count() < MOST_AGAIN {
            return Ok(None);
        }
        let names = around.iter().rev().map(String::as_str).chain([path]);
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        Ok(Some(names.join(" → ")))
    }

    /// Whether a run is there, and when it ended.
    fn look(&self, child: &RunId) -> Result<Option<Begun>, Error> {
        let row = self.driver.store.run(child.as_str())?;
        Ok(row.map(|row| row.ended_at.filter(|_| row.status.ended())))
    }

    /// The run of one file, begun now unless it was begun before; `Err` inside: why it cannot be.
    fn child(&self, file: &str, place: ParentRun, sink: &Sink) -> Result<Result<RunId, String>, Error> {
        let (store, created) = (&self.driver.store, &self.created);
        let cut_off = self.cut_off(&place)?;
        let current = self.inner.current(place.index, |run| self.look(run))?;
        // One that was cut off is taken up below, or another one begins.
        let child = match cut_off.as_ref() == Some(&current) {
            true => self.inner.to_begin(place.index),
            false => current,
        };
        match Live::open(store, &child) {
            Ok(live) if live.state().created.is_some() => {
                in_order(&live)?;
                // One that has ended carries nothing out any more.
                return Ok(match live.state().status.ended() || self.driver.is_owned(&child) {
                    true => Ok(child),
                    false => Err(format!(
                        "the run {child} of `{file}` was begun or changed by somebody else, so it was not gone on with; look at it, and take \
                         it up yourself if it is to go on"
                    )),
                });
            }
            Ok(_) | Err(store::Error::UnknownRun { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if place.depth > DEEPEST {
            return Ok(Err(format!(
                "`{file}` was not run: workflows lie more than {DEEPEST} deep in each other here"
            )));
        }
        let (path, source) = match project::find_listed(&self.driver.root, &created.path, file, &created.run_id) {
            Ok(found) => found,
            Err(refused) => return Ok(Err(refused)),
        };
        if let Some(circle) = self.circle(&path)? {
            return Ok(Err(format!(
                "`{file}` was not run: these run each other over and over: {circle}"
            )));
        }
        if !created.is_rehearsal() {
            let own = Owned {
                created,
                step: &place.instance.step,
            };
            if let Some(why) = taken(store, &Document::parse(&path, &source), &own)? {
                return Ok(Err(format!("`{file}` was not run: {why}")));
            }
        }
        let changed = listed::has_changed(&self.driver.root, created, &path, &source);
        if !changed
            && let Some(run) = cut_off
            && self.take_up(&run, &place)?
        {
            sink.print("stdout", &format!("{file}: run {run}, taken up where it stood\n"));
            return Ok(Ok(run));
        }
        // What was done here before it begins: what is done beside it meanwhile nobody knows yet. Only where
        // it counts is the whole log read for it.
        let hands = match created.policy.four_eyes {
            true => Live::open(store, &place.run)?.into_state().hands(),
            false => Vec::new(),
        };
        let request = StartRequest {
            hands,
            around: Some(Arc::new(created.clone())),
            changed_since: changed,
            assigned: inside::of(&path, &created.assigned),
            inputs: listed::given(&self.driver.root, &Document::parse(&path, &source), &created.inputs),
            path,
            source,
            by: created.by.clone(),
            key: created.begun_with.clone(),
            // A run inside another one is about the same.
            subject: created.subject.clone(),
            initiator: created.initiator.clone(),
            rehearse: created.is_rehearsal(),
            prompted: created.prompted,
            permit: created.permitted,
            parent: Some(place),
            run_id: Some(child),
            ..StartRequest::default()
        };
        match self.driver.start(&request) {
            Ok(run) => {
                sink.print("stdout", &format!("{file}: run {run}\n"));
                if changed {
                    let said = "had been changed since the run around it was started; it is carried out as it is now";
                    sink.remark(&format!("`{file}` {said}"));
                }
                Ok(Ok(run))
            }
            Err(error @ (Error::Workflow { .. } | Error::File(_) | Error::Refused(_) | Error::Unbound(_))) => {
                Ok(Err(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// A run of an earlier visit that ended because a person ended the one around it, or that cannot be read any more: how it ended decides nothing.
    fn cut_off(&self, place: &ParentRun) -> Result<Option<RunId>, Error> {
        let store = &self.driver.store;
        let Some(child) = self.inner.unheard(place.index, |run| self.look(run))? else {
            return Ok(None);
        };
        let around = Run::open(store, &place.run)?;
        let decides = Run::open(store, &child).is_ok_and(|inside| !ended_with(&around, &inside));
        Ok((!decides).then_some(child))
    }

    /// Takes up a run that was cut off with the one around it: it goes on where it stood, and what people have answered in it stands. `false`: it
    /// cannot be taken up, so that another one begins.
    fn take_up(&self, child: &RunId, place: &ParentRun) -> Result<bool, Error> {
        let store = &self.driver.store;
        let around = Run::open(store, &place.run)?;
        // One that cannot be read any more carries nothing out.
        let (Ok(inside), Ok(workflow)) = (Run::open(store, child), source::workflow_of(store, child)) else {
            return Ok(false);
        };
        let state = inside.live().state();
        let is_as_written = state.created.as_ref().is_some_and(|created| !created.changed_since);
        let is_good = in_order(inside.live()).is_ok() && self.driver.was_owned(child);
        let Some(by) = taken_up_by(&around).filter(|_| is_as_written && is_good) else {
            return Ok(false);
        };
        let lost = unsettled(&workflow, state).into_iter();
        let choices = lost.map(|step| (step.id.clone(), Choice::Retry)).collect();
        let intent = Intent::Reopen { by, choices };
        match submit::submit(store, &workflow, &mut Live::open(store, child)?, intent) {
            Ok(_) => {
                self.driver.took_up(child, &place.run)?;
                Ok(true)
            }
            Err(Error::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Why the end of a run inside is not followed here ([`Driver::doubt`]). One that a person has ended is over, whoever answered in it.
    fn doubt(&self, child: &RunId, ended: &RunState) -> Result<Option<String>, Error> {
        if self.created.is_rehearsal() || ended.status == RunStatus::Ended(EndStatus::Aborted) {
            return Ok(None);
        }
        let inside = ended.created.as_ref();
        let is_scripted = self.created.scenario.is_some() || inside.is_some_and(|inside| inside.scenario.is_some());
        Ok(self.driver.doubt(child, is_scripted)?)
    }

    /// Drives a run inside this one to its end; `None` when this step is to stop before.
    async fn see_through(&self, run: &RunId, child: &RunId, sink: &Sink) -> Result<Option<RunState>, Error> {
        let store = &self.driver.store;
        let waits = Arc::new(self.waiting.of(sink.instance()));
        let mut waits_at = None;
        let mut is_unvouched = false;
        loop {
            let live = Live::open(store, child)?;
            in_order(&live)?;
            let state = live.into_state();
            if state.status.ended() && !is_unvouched {
                let Some(why) = self.doubt(child, &state)? else {
                    return Ok(Some(state));
                };
                waits.say_unvouched(child.clone(), why);
                is_unvouched = true;
            }
            // Nothing has happened since it began to wait; what is not followed is looked at by somebody first.
            if is_unvouched || waits_at == Some(state.seq) {
                if let Some(stop) = pause(sink).await {
                    self.follow_the_end(run, child, stop)?;
                    return Ok(None);
                }
                continue;
            }
            waits.say(false);
            let control = Control::of_inner(Arc::clone(&waits));
            let drive: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(self.driver.drive(child, &control));
            tokio::pin!(drive);
            let stopped = tokio::select! {
                driven = &mut drive => match driven {
                    Ok((End::Ended, state)) => return Ok(Some(state)),
                    // It waits for a person and whoever drives this run does not wait with it, or somebody else has it.
                    Ok((End::Blocked | End::Stopped, state)) => {
                        waits_at = Some(state.seq);
                        waits.say(true);
                        None
                    }
                    Err(Error::Driven { .. } | Error::Ousted { .. }) => {
                        waits.say(false);
                        pause(sink).await
                    }
                    // Nothing has failed: whoever drives this run is told, and goes on with it once they have looked at that.
                    Err(Error::Unvouched { run, why }) => {
                        let now = Live::open(store, child)?.into_state();
                        // No confirmed key makes good an end that nobody's answer has given.
                        if now.status.ended() && self.doubt(child, &now)?.is_none() {
                            return Err(Error::Unvouched { run, why });
                        }
                        waits.say_unvouched(run, why);
                        is_unvouched = true;
                        None
                    }
                    Err(error) => return Err(error),
                },
                reason = sink.stopped() => {
                    control.stop();
                    let _ = drive.await;
                    Some(reason)
                }
            };
            if let Some(stop) = stopped {
                self.follow_the_end(run, child, stop)?;
                return Ok(None);
            }
        }
    }

    /// A run that a person ended ends those inside it, and so does a step that took too long: nobody wants their outcome any more.
    fn follow_the_end(&self, run: &RunId, child: &RunId, stop: Stop) -> Result<(), Error> {
        let store = &self.driver.store;
        let around = Run::open(store, run)?;
        let aborted = around.live().state().status == RunStatus::Ended(EndStatus::Aborted);
        if !aborted && stop != Stop::Timeout {
            return Ok(());
        }
        let workflow = source::workflow_of(store, child)?;
        // In the name of whoever ended the run around it, which need not be who started it.
        let told = self::aborted(&around).map(|told| (told.by, told.reason));
        let too_long = || {
            let reason = "the step around it took longer than it may";
            ("Gatehouse".to_owned(), reason.to_owned())
        };
        let (by, reason) = told.filter(|_| aborted).unwrap_or_else(too_long);
        // Who ended the run around it has signed that there.
        let intent = Intent::Abort {
            by,
            reason,
            given: None,
        };
        match submit::submit(store, &workflow, &mut Live::open(store, child)?, intent) {
            Ok(_) | Err(Error::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Executor for Runbooks {
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(self.run(brief, sink))
    }
}
