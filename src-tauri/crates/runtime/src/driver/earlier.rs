//! The run that a new one goes on from: from its end with a mended workflow, or from one of its checkpoints with the workflow that it keeps.

use crate::working::Moment;
use crate::{Error, imported, source, working};
use dialect::Document;
use engine::{
    AnotherLog, At, Checkpoint, Continued, Event, GateRules, Hand, PutBack, Refusal, RefusalCode, RunId, RunState,
    StepStatus, TakenOver, TookPart, fold,
};
use model::{StepId, Workflow};
use std::path::Path;
use std::sync::Arc;
use store::{Head, Store, Stored, chained};

/// Which run is gone on from, and where.
#[derive(Debug, Clone)]
pub struct GoOn {
    /// The run.
    pub run: RunId,
    /// Who goes on.
    pub by: String,
    /// Who worked in other runs of the same work, of which its own log says nothing: they take no gate out of a mended file where four eyes are
    /// wanted.
    pub beside: Arc<[TookPart]>,
    /// Where.
    pub at: Point,
}

/// Where a run is gone on from.
#[derive(Debug, Clone)]
pub enum Point {
    /// Its end, with the file as it was mended since; at this step, which it has reached, or where it stood.
    End(Option<StepId>),
    /// An imported session; at this step, or where the session stands.
    Import(Option<StepId>),
    /// A checkpoint.
    Checkpoint {
        /// The number of its event.
        seq: u64,
        /// What was put back into the project.
        put_back: Vec<PutBack>,
    },
}

/// What a new log begins with, behind its first event.
pub(super) struct Earlier {
    /// For the first event.
    pub continued: Arc<Continued>,
    /// The events, with their times.
    pub events: Vec<(At, Event)>,
    /// Of an imported session: what counts as done.
    pub taken: Option<Arc<TakenOver>>,
    /// Of a mended file: a new step that comes before where the run stood.
    pub new_step: Option<StepId>,
    /// What its log says behind the checkpoint of being another one than somebody had seen: the new log says it too.
    pub other_logs: Vec<Arc<AnotherLog>>,
}

/// The workflow that a run keeps, with everything that its text holds.
pub(super) fn kept(store: &Store, run: &RunId) -> Result<Document, Error> {
    let created = source::created(store, run)?;
    let text = source::text(store, run, &created.source)?;
    Ok(Document::parse(&created.path, &text))
}

/// Reads the run that is gone on from, and holds it against the workflow as it is now. `rules`: what decides from now on whether a gate asks;
/// `hand`: who goes on.
pub(super) fn earlier(
    store: &Store,
    root: &Path,
    go_on: &GoOn,
    now: &Workflow,
    rules: GateRules<'_>,
    hand: Hand<'_>,
) -> Result<Earlier, Error> {
    let mut log = Vec::new();
    store.each_event(&go_on.run, 0, |stored| log.push(stored))?;
    let (back_to, other_logs) = match &go_on.at {
        Point::End(_) | Point::Import(_) => (None, Vec::new()),
        Point::Checkpoint { seq, .. } => {
            let other_logs = cut(&mut log, *seq);
            let last = log.last().filter(|last| last.seq == *seq);
            let found = last.and_then(|last| Checkpoint::of(&last.event));
            let found = found.ok_or_else(|| cannot("There is no checkpoint at that event."))?;
            (Some(found.name().to_owned()), other_logs)
        }
    };
    let (Some(first), Some(last)) = (log.first(), log.last()) else {
        let run = go_on.run.to_string();
        return Err(store::Error::UnknownRun { run }.into());
    };
    let Event::RunCreated(created) = &first.event else {
        return Err(cannot("Its log does not begin with its creation."));
    };
    let state = fold(log.iter().map(|stored| (stored.at, &stored.event)));
    let (mut taken, mut new_step, mut ungated) = (None, None, Vec::new());
    let (found, put_back) = match &go_on.at {
        Point::Import(from) => {
            let document = imported::document(store, created)?;
            let matched = match created.imported {
                Some(_) => imported::matched(&document, now, from.as_ref(), &go_on.by),
                None => Err("This run was not imported: resume it as it is.".to_owned()),
            };
            let matched = matched.and_then(|matched| match imported::past_gate(now, &matched.taken, rules) {
                Some(why) => Err(why),
                None => Ok(matched),
            });
            let found = matched.map(|matched| taken = Some(Arc::new(matched.taken)));
            (found, Vec::new())
        }
        Point::End(from) => {
            let kept = source::written(store, created)?;
            let found = engine::mended(&kept, now, &state, rules, from.as_ref());
            let found = found.map(|found| {
                new_step = found.at.map(|step| step.id.clone());
                ungated = found.ungated;
            });
            (found, Vec::new())
        }
        Point::Checkpoint { put_back, .. } => (can_go_back(now, &state), put_back.clone()),
    };
    found.map_err(cannot)?;
    if let Some(why) = state.wants_another_to_ungate(&ungated, rules.policy.four_eyes, hand, &go_on.beside) {
        return Err(Refusal::new(RefusalCode::FourEyes, why).into());
    }
    let (events, moment, recorded) = (last.seq, last.at, link(last));
    let (mut at, mut created) = (first.at, Arc::clone(created));
    let mut all: Vec<(At, Event)> = log.into_iter().map(|stored| (stored.at, stored.event)).collect();
    let linked = |run: &RunId, all: &[(At, Event)]| chained(Head::first(run), all).map(|head| head.link()).ok();
    // Its signatures are checked against these bytes later on; what an earlier version wrote otherwise could not be.
    if linked(&go_on.run, &all).as_deref() != Some(recorded.as_str()) {
        return Err(cannot(
            "Its log is not as it was recorded, or was written by an earlier version of Gatehouse. Verify it, or start a new run.",
        ));
    }
    // A moment that this run took over itself is one of the run in which it was recorded.
    while let Some(before) = created.continues.clone().filter(|before| events <= before.events) {
        (at, created) = (before.at, Arc::clone(&before.created));
    }
    if let Some(first) = all.first_mut() {
        *first = (at, Event::RunCreated(Arc::clone(&created)));
    }
    let link = linked(&created.run_id, &all).ok_or_else(|| cannot("Its log cannot be written."))?;
    let at_moment = match &go_on.at {
        // Nothing of it was carried out here.
        Point::Import(_) => None,
        Point::End(_) => Some(Moment::Now),
        Point::Checkpoint { .. } => Some(Moment::Then(moment, &state)),
    };
    let working = match at_moment {
        Some(at) => working::found(store, root, &created, at, true)?.files,
        None => Vec::new(),
    };
    let continued = Arc::new(Continued {
        at,
        created,
        events,
        link,
        back_to,
        put_back,
        working,
        ungated,
    });
    Ok(Earlier {
        continued,
        events: all.into_iter().skip(1).collect(),
        taken,
        new_step,
        other_logs,
    })
}

/// Cuts a log behind the event with this number. Returns what stood behind that of other logs of the run: it is about the whole of it.
fn cut(log: &mut Vec<Stored>, seq: u64) -> Vec<Arc<AnotherLog>> {
    let past = log.len().min(usize::try_from(seq).unwrap_or(usize::MAX));
    let behind = log.drain(past..);
    let named = behind.filter_map(|stored| match stored.event {
        Event::AnotherLog(seen) => Some(seen),
        _ => None,
    });
    named.collect()
}

/// Whether a run can be begun from this state of another one.
///
/// # Errors
/// Why it cannot, in words.
pub fn can_go_back(workflow: &Workflow, state: &RunState) -> Result<(), String> {
    let created = state.created.as_deref();
    if let Some(parent) = created.and_then(|created| created.parent.as_ref()) {
        return Err(format!(
            "This run is a part of the run {}: go back to a checkpoint of that one.",
            parent.run
        ));
    }
    let rehearsal = created.is_some_and(engine::RunCreated::is_rehearsal);
    if workflow.contract().state_in_file && !rehearsal {
        return Err(
            "A pipeline has one run, whose state stands in its file: resume it, and say which stages are done again."
                .to_owned(),
        );
    }
    // Copies of the project belong to the run that made them.
    let apart = state.forks.all().find(|fork| {
        let forked = &fork.forked;
        let met = fork.joined.is_some() && state.step_status(&forked.join) == StepStatus::Succeeded;
        forked.rules.isolated && !rehearsal && !met
    });
    if let Some(fork) = apart {
        let name = workflow
            .step(&fork.forked.from.step)
            .map_or(fork.forked.from.step.as_str(), |step| step.name.as_str());
        return Err(format!(
            "At that moment the branches of “{name}” worked in copies of the project that only that run has. Choose a checkpoint before or after them."
        ));
    }
    Ok(())
}

fn link(last: &Stored) -> String {
    Head {
        seq: last.seq,
        hash: last.hash,
    }
    .link()
}

fn cannot(message: impl Into<String>) -> Error {
    Refusal::new(RefusalCode::CannotReopen, message).into()
}
