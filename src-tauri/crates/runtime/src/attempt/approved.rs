//! Whether the files that the work goes by are those that people approved. What is not is recorded: between the answer and the step anybody may
//! have written to them.

use super::collect::LIMIT;
use super::{Attempt, blocking};
use crate::artifacts::LARGEST;
use crate::project;
use engine::{Artifact, GateRound, NotAsApproved, RunState};
use model::Step;
use std::path::{Path, PathBuf};
use store::regular;

/// What people approved of the files that a step goes by.
pub(super) struct Approved {
    /// As if nothing were there.
    files: Vec<NotAsApproved>,
    /// The run as it stood when the step began.
    state: RunState,
}

impl Approved {
    pub fn of(state: &RunState, step: &Step) -> Option<Self> {
        let of = |(round, artifact): (&GateRound, &Artifact)| NotAsApproved {
            path: artifact.path.clone(),
            gate: round.opened.gate.clone(),
            round: round.opened.round,
            approved: artifact.digest.clone(),
            found: None,
        };
        let approved = engine::gate::approved_for(state, step);
        let files: Vec<_> = approved.into_iter().map(of).collect();
        (!files.is_empty()).then(|| Self {
            files,
            state: state.clone(),
        })
    }

    fn differing(self, root: &Path) -> Vec<NotAsApproved> {
        let found = |path: &str| {
            let file = project::inside(root, path).ok()?;
            Some(store::digest_of(&regular::read_through(&file, LARGEST).ok()?))
        };
        let compared = self.files.into_iter().map(|file| NotAsApproved {
            found: found(&file.path),
            ..file
        });
        let differing: Vec<_> = compared
            .filter(|file| file.found.as_ref() != Some(&file.approved))
            .collect();
        if differing.is_empty() {
            return differing;
        }
        // What the run itself has made since is on record.
        let made = self.state.artifacts();
        let is_own = |file: &NotAsApproved| {
            let mut made = made.iter();
            made.any(|(_, made)| made.path == file.path && Some(&made.digest) == file.found.as_ref())
        };
        differing.into_iter().filter(|file| !is_own(file)).collect()
    }
}

/// Compares what was approved with what is there.
///
/// # Errors
/// The files cannot be read in time.
pub(super) async fn compare(attempt: &mut Attempt) -> Result<(), String> {
    let approved = attempt.job.care.approved_files.take();
    // Nothing is read in a rehearsal, and what a scenario plays is no file.
    let is_real = attempt.job.brief.began.is_some() && !attempt.job.care.is_scripted();
    let Some(approved) = approved.filter(|_| is_real) else {
        return Ok(());
    };
    let root = PathBuf::from(&attempt.job.brief.project_root);
    let differ = blocking(
        "what was approved could not be compared with what is there",
        LIMIT,
        &attempt.sink,
        move |_| Ok(approved.differing(&root)),
    );
    attempt.held.not_as_approved = differ.await?;
    for file in &attempt.held.not_as_approved {
        let what = match file.found {
            Some(_) => "is another version than the one that was approved",
            None => "was approved and cannot be read any more",
        };
        attempt
            .sink
            .print("stderr", &format!("gatehouse: `{}` {what}\n", file.path));
    }
    Ok(())
}
