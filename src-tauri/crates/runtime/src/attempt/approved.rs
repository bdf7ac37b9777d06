//! Whether the files that the work goes by are those that people approved. What is not is recorded: between the answer and the step anybody may
//! have written to them.
//!
//! A visit is compared once, before its first attempt: later ones find what that one left. A branch with a folder of its own is not: what was
//! approved there and what was approved outside are different files of one name.

use super::{Attempt, blocking};
use crate::artifacts::LARGEST;
use crate::pipeline::outputs;
use crate::project;
use engine::{Artifact, AttemptStarted, GateRound, NotAsApproved, RunState};
use model::Step;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::regular;

/// The longest time that reading them may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What people approved of the files that a step goes by.
pub(super) enum Approved {
    /// To be compared; none is known to be there.
    Files(Vec<NotAsApproved>, Box<RunState>),
    /// As an earlier attempt of the visit found it.
    Found(Vec<NotAsApproved>),
}

impl Approved {
    pub fn of(state: &RunState, step: &Step, started: &AttemptStarted) -> Option<Self> {
        if started.attempt > 1 {
            let visit = state.visit(&started.instance)?;
            let mut results = visit.attempts.iter().filter_map(|attempt| attempt.result.as_ref());
            let around = results.find_map(|result| result.lifecycle.as_ref());
            return around.map(|around| Self::Found(around.not_as_approved.clone()));
        }
        let of = |(path, round, artifact): (String, &GateRound, &Artifact)| NotAsApproved {
            path,
            gate: round.opened.gate.clone(),
            round: round.opened.round,
            approved: artifact.digest.clone(),
            found: None,
        };
        let approved = engine::gate::approved_for(state, step, |path| latest_of(state, path));
        let files: Vec<_> = approved.into_iter().map(of).collect();
        (!files.is_empty()).then(|| Self::Files(files, Box::new(state.clone())))
    }
}

/// Where the latest copy of a file stands that a stage made.
fn latest_of(state: &RunState, path: &str) -> Option<String> {
    outputs::latest_of(state.created.as_deref()?, path)
}

/// Compares what was approved with what is there. Where that takes too long the work begins all the same.
pub(super) async fn compare(attempt: &mut Attempt) {
    let brief = &attempt.job.brief;
    let root = PathBuf::from(&brief.project_root);
    // Nothing is read in a rehearsal, and what a scenario plays is no file.
    let is_real = brief.began.is_some() && !attempt.job.care.is_scripted() && brief.home == root;
    let differ = match attempt.job.care.approved_files.take().filter(|_| is_real) {
        None => return,
        Some(Approved::Found(found)) => Ok(found),
        Some(Approved::Files(files, state)) => {
            let what = "what was approved could not be compared with what is there";
            let compare = move |off: &AtomicBool| Ok(differing(&root, files, off));
            let differ = blocking(what, LIMIT, &attempt.sink, compare).await;
            // What came of the branches that met here is on record too.
            let brought = |path: &str| attempt.held.brought_in.iter().any(|file| file.path == path);
            differ.map(|mut files| {
                files.retain(|file| !brought(&file.path));
                not_its_own(files, &state)
            })
        }
    };
    let said = match differ {
        Ok(files) => {
            attempt.job.brief.not_as_approved.clone_from(&files);
            attempt.held.not_as_approved = files;
            let files = attempt.held.not_as_approved.iter();
            let said = files.map(|file| match file.found {
                Some(_) => format!("`{}` is another version than the one that was approved", file.path),
                None => format!("`{}` was approved and cannot be read any more", file.path),
            });
            said.collect()
        }
        Err(why) => vec![why],
    };
    for said in said {
        attempt.sink.print("stderr", &format!("gatehouse: {said}\n"));
    }
}

/// Those that are another one now. `off`: nobody wants to know any more.
fn differing(root: &Path, files: Vec<NotAsApproved>, off: &AtomicBool) -> Vec<NotAsApproved> {
    let found = |path: &str| {
        let file = project::inside(root, path).ok()?;
        Some(store::digest_of(&regular::read_through(&file, LARGEST).ok()?))
    };
    let wanted = files.into_iter().take_while(|_| !off.load(Ordering::Relaxed));
    let compared = wanted.map(|file| NotAsApproved {
        found: found(&file.path),
        ..file
    });
    compared
        .filter(|file| file.found.as_ref() != Some(&file.approved))
        .collect()
}

/// Without what the run itself has made since, which is on record.
fn not_its_own(files: Vec<NotAsApproved>, state: &RunState) -> Vec<NotAsApproved> {
    if files.is_empty() {
        return files;
    }
    let results = state.results();
    let made = state.artifacts();
    let is_own = |file: &NotAsApproved| {
        let is_at = |path: &str| path == file.path || latest_of(state, path).as_ref() == Some(&file.path);
        let mut made = made.iter();
        let mut around = results.iter().filter_map(|(_, result)| result.lifecycle.as_ref());
        made.any(|(_, made)| is_at(&made.path) && Some(&made.digest) == file.found.as_ref())
            || around.any(|around| {
                let unkept = around.unkept.iter().map(|unkept| &unkept.path);
                let mut paths = unkept.chain(around.brought_in.iter().map(|brought| &brought.path));
                paths.any(|path| *path == file.path)
            })
    };
    files.into_iter().filter(|file| !is_own(file)).collect()
}
