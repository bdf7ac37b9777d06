//! The run that a new one goes on from, with a mended workflow.

use crate::{Error, source};
use engine::{At, Continued, Event, Refusal, RefusalCode, RunId, fold};
use model::{StepId, Workflow};
use std::sync::Arc;
use store::{Head, Store, chained};

/// Which run is gone on from, and where.
#[derive(Debug, Clone)]
pub struct GoOn {
    /// The run; it has ended.
    pub run: RunId,
    /// At this step, which it has reached; absent: where it stood.
    pub from: Option<StepId>,
    /// Who goes on.
    pub by: String,
}

/// What a new log begins with, behind its first event.
pub(super) struct Earlier {
    /// For the first event.
    pub continued: Arc<Continued>,
    /// The events, with their times.
    pub events: Vec<(At, Event)>,
}

/// Reads the run that is gone on from, and holds it against the workflow as it is now.
pub(super) fn earlier(store: &Store, go_on: &GoOn, now: &Workflow) -> Result<Earlier, Error> {
    let cannot = |message: String| Err(Refusal::new(RefusalCode::CannotReopen, message).into());
    let mut log = Vec::new();
    store.each_event(&go_on.run, 0, |stored| log.push(stored))?;
    let (Some(first), Some(last)) = (log.first(), log.last()) else {
        let run = go_on.run.to_string();
        return Err(store::Error::UnknownRun { run }.into());
    };
    let Event::RunCreated(created) = &first.event else {
        return cannot("Its log does not begin with its creation.".to_owned());
    };
    let state = fold(log.iter().map(|stored| (stored.at, &stored.event)));
    let kept = source::written(store, created)?;
    engine::mended(&kept, now, &state, go_on.from.as_ref())
        .map_err(|message| Refusal::new(RefusalCode::CannotReopen, message))?;
    let continued = Arc::new(Continued {
        at: first.at,
        created: Arc::clone(created),
        events: last.seq,
        link: Head {
            seq: last.seq,
            hash: last.hash,
        }
        .link(),
    });
    let all: Vec<(At, Event)> = log.into_iter().map(|stored| (stored.at, stored.event)).collect();
    // Its signatures are checked against these bytes later on; what an earlier version wrote otherwise could not be.
    let head = chained(Head::first(&go_on.run), &all);
    if !head.is_ok_and(|head| head.link() == continued.link) {
        return cannot(
            "Its log is not as it was recorded, or was written by an earlier version of Gatehouse. Verify it, or start a new run."
                .to_owned(),
        );
    }
    Ok(Earlier {
        continued,
        events: all.into_iter().skip(1).collect(),
    })
}
