//! Two runs beside each other: paired visit by visit, with where they part and why. What is told of either is told as the run's own page
//! tells it; nothing is kept.

mod beside;
mod parting;

use crate::command::{TwoFiles, TwoRuns};
use crate::gate::view::ArtifactView;
use crate::run::compare::beside::{Beside, Side};
use crate::run::compare_view::{ComparedRun, RunsComparedView};
use crate::run::history::History;
use crate::run::{file, present};
use crate::settings::keys::Keys;
use crate::text::artifact;
use crate::workflow::authoring::versions;
use crate::workflow::drawing::Look;
use crate::{ApiError, Studio};
use engine::{Digest, RunCreated};
use model::StepId;
use std::collections::HashMap;

/// In whose files the changes of a file are counted from.
const SINCE: &str = "beside the first run";

impl Studio {
    /// What two runs did, beside each other, each as it stands now.
    ///
    /// # Errors
    /// `not_found`, `the_same`, and what the store reports.
    pub async fn compare_runs(&self, of: TwoRuns) -> Result<RunsComparedView, ApiError> {
        let (left, right) = (self.history(&of.left)?, self.history(&of.right)?);
        if left.id() == right.id() {
            return Err(ApiError::new("the_same", "A run is not compared with itself.").hint("Choose another one."));
        }
        let before = paired_steps(&left, &right);
        let same = by_ids(&left, &right, &before);
        let keys = self.0.identity.keys();
        let with_sent = |history: &History| {
            let picture = self.picture(history, &Look::new(Vec::new(), None));
            present::with_sent(history.workflow(), picture, &history.index(None))
        };
        let side = |history| {
            Side::new(history, with_sent(history), &keys, &|visit, state| {
                self.begun_inside(history, state, visit)
            })
        };
        let rows = Beside {
            left: &side(&left),
            right: &side(&right),
            same: &same,
        }
        .rows();
        let parts_at = rows.iter().position(|row| !row.apart.is_empty());
        let (first, second) = (self.compared(&left, &keys)?, self.compared(&right, &keys)?);
        let steps = match source(&left) == source(&right) {
            true => Vec::new(),
            false => versions::differences(&left.document, &right.document, &before),
        };
        let started = parting::started(&left, &right);
        let but = parting::but(&left, &right, &steps, &started);
        Ok(RunsComparedView {
            words: parting::words(&rows, parts_at, [&first.run, &second.run], &but),
            remarks: parting::remarks(&left, &right, &steps),
            started,
            steps,
            parts_at: parts_at.map(count),
            apart: count(rows.iter().filter(|row| !row.apart.is_empty()).count()),
            left: first,
            right: second,
            rows,
        })
    }

    /// A file of the second run with what changed in it beside the first run's.
    pub(crate) async fn compare_files(&self, of: TwoFiles) -> Result<ArtifactView, ApiError> {
        let (left, right) = (self.history(&of.left.run_id)?, self.history(&of.right.run_id)?);
        let made = |history: &History, path: &str, digest: &str| {
            file::made(history, path, digest).ok_or_else(|| file::unknown(path))
        };
        let before = made(&left, &of.left.path, &of.left.digest)?;
        let now = made(&right, &of.right.path, &of.right.digest)?;
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        Ok(artifact::beside(&now, &blobs, Some(&before.digest), SINCE))
    }

    fn compared(&self, history: &History, keys: &Keys) -> Result<ComparedRun, ApiError> {
        let row = self.0.store.run(history.id().as_str())?;
        let row = row.ok_or_else(|| store::Error::UnknownRun {
            run: history.id().to_string(),
        })?;
        Ok(ComparedRun {
            run: self.row(&row),
            version: history.created().map(version).unwrap_or_default(),
            // Of one that goes on it would be looked through again with each of its events.
            found: match history.state(None).status.ended() {
                true => self.found_of_record(history, keys)?,
                false => None,
            },
        })
    }
}

fn version(created: &RunCreated) -> String {
    created.source.to_string()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The text that a run keeps as its workflow.
fn source(history: &History) -> Option<&Digest> {
    history.created().map(|created| &created.source)
}

/// For each step of the second run's workflow its position in that of the first; `None`: that has none such. Between two versions of one file a
/// step is known again as its history knows it; between two workflows by its id.
fn paired_steps(left: &History, right: &History) -> Vec<Option<usize>> {
    let path = |history: &History| history.created().map(|created| created.path.clone());
    if path(left) == path(right) && source(left) != source(right) {
        return versions::pairs(&left.document, &right.document);
    }
    let steps = right.workflow().steps().iter();
    let before = steps.map(|step| left.workflow().step(&step.id).map(|before| before.ordinal));
    before.collect()
}

/// The same by the ids that the steps have there.
fn by_ids(left: &History, right: &History, before: &[Option<usize>]) -> HashMap<StepId, Option<StepId>> {
    let steps = left.workflow().steps();
    let pairs = right.workflow().steps().iter().zip(before);
    let id = |at: usize| steps.get(at).map(|step| step.id.clone());
    pairs
        .map(|(step, before)| (step.id.clone(), before.and_then(id)))
        .collect()
}
