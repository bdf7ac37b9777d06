//! Whether the files that people approved are those that the work finds. What is not is recorded: between the answer and the step anybody may
//! have written to them.
//!
//! A step that goes by a file is told each time that the file differs. Every other step that comes later may read it all the same, whatever it says
//! that it takes: there it is recorded where nothing is on record yet of what the file has become.
//!
//! What was added to a folder whose files were approved is none of them, and is recorded where a step goes by them.
//!
//! A visit is compared once, before its first attempt: later ones find what that one left. In a branch with a folder of its own it is that folder
//! that is looked at, and what its branches brought in where they met is what lies in the project from then on.

use super::{Attempt, blocking};
use crate::artifacts::{self, LARGEST};
use crate::pipeline::outputs;
use crate::project;
use engine::{AttemptStarted, Digest, GateId, Instance, NotAsApproved, RunId, RunState, StepResult};
use model::{GateAt, Step, StepId, Workflow};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::below;

/// The longest time that reading them may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The files that people approved, for a step that begins.
pub(super) enum Approved {
    /// To be compared; none is known to be there.
    Files {
        /// Those that the step goes by.
        own: Vec<NotAsApproved>,
        /// Those that it does not go by.
        others: Vec<NotAsApproved>,
        state: Box<RunState>,
        shown: Vec<Shown>,
    },
    /// As an earlier attempt of the visit found it.
    Found(Vec<NotAsApproved>),
}

/// What was shown of a step's work when it was approved.
pub(super) struct Shown {
    gate: GateId,
    round: u32,
    /// What the step says it makes.
    declared: Vec<String>,
    paths: BTreeSet<String>,
}

impl Approved {
    pub fn of(state: &RunState, step: &Step, started: &AttemptStarted) -> Option<Self> {
        if started.attempt > 1 {
            let visit = state.visit(&started.instance)?;
            let mut results = visit.attempts.iter().filter_map(|attempt| attempt.result.as_ref());
            let around = results.find_map(|result| result.lifecycle.as_ref());
            return around.map(|around| Self::Found(around.not_as_approved.clone()));
        }
        let approved = engine::gate::approved_for(state, step, |path| latest_of(state, path));
        if approved.is_empty() {
            return None;
        }
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for file in approved {
            let of = if file.goes_by { &mut own } else { &mut others };
            of.push(unlooked(file));
        }
        Some(Self::Files {
            own,
            others,
            state: Box::new(state.clone()),
            shown: Vec::new(),
        })
    }

    /// With what the steps whose work was approved say they make: what lies there beside that was approved by nobody.
    pub fn with_folders(mut self, workflow: &Workflow) -> Self {
        if let Self::Files { own, state, shown, .. } = &mut self {
            let state: &RunState = state;
            let rounds: BTreeSet<(&GateId, u32)> = own.iter().map(|file| (&file.gate, file.round)).collect();
            let opened = rounds.into_iter().filter_map(|(gate, round)| {
                let asked = state.rounds_of(gate).find(|one| one.opened.round == round)?;
                (asked.opened.at == GateAt::After).then_some(&asked.opened)
            });
            shown.extend(opened.filter_map(|opened| {
                Some(Shown {
                    gate: opened.gate.clone(),
                    round: opened.round,
                    declared: workflow.step(&opened.instance.step)?.outputs.clone(),
                    paths: opened.shown.iter().map(|made| made.path.clone()).collect(),
                })
            }));
        }
        self
    }
}

/// A file as it was approved, of which nobody has looked what is there by now.
fn unlooked(file: engine::gate::Approved<'_>) -> NotAsApproved {
    NotAsApproved {
        path: file.path,
        gate: file.round.opened.gate.clone(),
        round: file.round.opened.round,
        approved: Some(file.artifact.digest.clone()),
        found: None,
    }
}

/// The files that a step would go by, began it now, and that are not what people approved: for whoever is asked before it begins. What was added to
/// a folder is not among them. `digest`: of the file at a path, as the step finds it; `None`: it is not there, or cannot be read.
pub fn no_more_as_approved(
    state: &RunState,
    step: &Step,
    digest: impl Fn(&str) -> Option<Digest>,
) -> Vec<NotAsApproved> {
    let approved = engine::gate::approved_for(state, step, |path| latest_of(state, path));
    let own = approved.into_iter().filter(|file| file.goes_by).map(unlooked);
    not_its_own(changed(own, digest), state)
}

/// The files that people last approved in a run that has ended, and that are not what they approved: behind the last gate no step comes that would
/// look. What the run itself made of them later is on record and not among them. `digest`: see [`no_more_as_approved`].
pub fn changed_afterwards(state: &RunState, digest: impl Fn(&str) -> Option<Digest>) -> Vec<NotAsApproved> {
    let run = state.created.as_ref().map(|created| &created.run_id);
    let files = engine::gate::last_approved(state).into_iter().map(unlooked);
    let here = files.filter(|file| lies_here(run, &file.path));
    not_its_own(changed(here, digest), state)
}

/// Whether a file is the project's, or of the run's own folder. What a run that goes back takes along lies in its own: whoever goes on in the earlier
/// one writes into that run's.
fn lies_here(run: Option<&RunId>, path: &str) -> bool {
    let path = Path::new(path);
    !path.starts_with(project::OWN_FOLDER) || run.is_some_and(|run| path.starts_with(project::run_base(run)))
}

/// Those that are another one by now. `digest`: of the file at a path; `None`: it is not there, or cannot be read.
fn changed(files: impl Iterator<Item = NotAsApproved>, digest: impl Fn(&str) -> Option<Digest>) -> Vec<NotAsApproved> {
    let compared = files.map(|file| NotAsApproved {
        found: digest(&file.path),
        ..file
    });
    compared.filter(|file| file.found != file.approved).collect()
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
    let is_real = brief.began.is_some() && !attempt.job.care.is_scripted();
    // In a branch's own folder not all is there that lies in the project.
    let is_home = brief.home == root;
    let differ = match attempt.job.care.approved_files.take().filter(|_| is_real) {
        None => return,
        Some(Approved::Found(found)) => Ok(found),
        Some(Approved::Files {
            own,
            mut others,
            state,
            shown,
        }) => {
            let run = state.created.as_ref().map(|created| created.run_id.clone());
            others.retain(|file| is_home && lies_here(run.as_ref(), &file.path));
            // First what the step goes by, so that it is known however much else there is to read.
            let what = "what was approved could not be compared with what is there";
            let folder = root.clone();
            let compare = move |off: &AtomicBool| {
                let mut found = differing(&folder, own, off);
                found.extend(run.iter().flat_map(|run| added(&folder, run, &shown, off)));
                Ok(found)
            };
            let differ = blocking(what, LIMIT, &attempt.sink, compare).await;
            let mut rest = Vec::new();
            if differ.is_ok() && !others.is_empty() {
                let what = "what was approved, and this step does not go by, could not be compared with what is there";
                let compare = move |off: &AtomicBool| Ok(differing(&root, others, off));
                match blocking(what, LIMIT, &attempt.sink, compare).await {
                    Ok(found) => rest = found,
                    Err(why) => attempt.sink.remark(&why),
                }
            }
            let step = &attempt.job.care.step;
            differ.map(|mut files| {
                files.retain(|file| engine::gate::goes_by(step, &file.path));
                let results = state.results();
                // What is gone nobody can have taken for what was approved.
                rest.retain(|file| file.found.is_some() && is_news(&results, &step.id, file));
                files.append(&mut rest);
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
                _ if file.approved.is_none() => {
                    format!("`{}` was not there when what lies beside it was approved", file.path)
                }
                Some(_) => format!("`{}` is another version than the one that was approved", file.path),
                None => format!("`{}` was approved and cannot be read any more", file.path),
            });
            said.collect()
        }
        Err(why) => vec![why],
    };
    for said in said {
        attempt.sink.remark(&said);
    }
}

/// Those that are another one now. `off`: nobody wants to know any more.
fn differing(root: &Path, files: Vec<NotAsApproved>, off: &AtomicBool) -> Vec<NotAsApproved> {
    let wanted = files.into_iter().take_while(|_| !off.load(Ordering::Relaxed));
    changed(wanted, |path| {
        let bytes = below::read(root, path, LARGEST).ok()?;
        Some(store::digest_of(&bytes))
    })
}

/// Those that came to the folders since. `off`: nobody wants to know any more.
fn added(root: &Path, run: &RunId, shown: &[Shown], off: &AtomicBool) -> Vec<NotAsApproved> {
    let mut found = Vec::new();
    for one in shown {
        let beside = artifacts::beside(root, run, &one.declared, |path| one.paths.contains(path));
        for (path, _) in beside {
            if off.load(Ordering::Relaxed) {
                return found;
            }
            // What is too large was shown to nobody when it was made, either.
            let Ok(bytes) = below::read(root, &path, LARGEST) else {
                continue;
            };
            found.push(NotAsApproved {
                path,
                gate: one.gate.clone(),
                round: one.round,
                approved: None,
                found: Some(store::digest_of(&bytes)),
            });
        }
    }
    found
}

/// Whether what a file has become is to be told at a step that does not go by it: nothing of it is on record, or this step has told of the file
/// before, so that what is on record of it holds for each time that it was done.
fn is_news(results: &[(&Instance, &StepResult)], step: &StepId, file: &NotAsApproved) -> bool {
    let mut is_told = false;
    for (at, result) in results {
        let told = result.lifecycle.iter().flat_map(|around| &around.not_as_approved);
        for one in told.filter(|one| one.path == file.path) {
            if at.step == *step {
                return true;
            }
            is_told |= one.found == file.found && one.approved == file.approved;
        }
    }
    !is_told
}

/// Without what the run itself has made since, which is on record. What a branch changed and no step of it reported to have made is not: that
/// it was brought in says whence it came, not that anybody was shown it.
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
                let mut unkept = around.unkept.iter();
                unkept.any(|unkept| unkept.path == file.path)
            })
    };
    files.into_iter().filter(|file| !is_own(file)).collect()
}
