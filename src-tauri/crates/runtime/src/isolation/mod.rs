//! Branches in folders of their own (`isolation: isolated` of a fork): each branch works on a copy of the project as it was when the
//! branch began, and the step at which the branches meet brings what they changed back.
//!
//! Nothing of it stands in the log but what was brought in: which folder an attempt works in follows from the run's forks, and what is
//! there already is not made again, so that a run that was cut off anywhere goes on the same way.
//!
//! * [`copy`]: the folder of a branch. [`merge`]: what the branches changed, brought back.

mod copy;
mod merge;

use crate::project;
use engine::{BranchEnd, BranchId, BroughtIn, Instance, RunState};
use model::StepId;
use process::Confinement;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The folder of a run in which its branches have theirs, below its own.
const FOLDER: &str = "branches";

/// Where an attempt works.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workplace {
    /// The project's folder, canonical.
    home: PathBuf,
    /// The run's own folder, relative to the project's or to a copy of it.
    own: String,
    /// The branches around it that have folders of their own, outermost first.
    branches: Vec<BranchId>,
    /// The branches that meet at this step and worked in folders of their own.
    met: Option<Met>,
    /// Which visit of the step it is.
    visit: u32,
}

/// Branches that have met.
#[derive(Debug, Clone, PartialEq)]
struct Met {
    fork: u32,
    /// Those that count, by their first step: none that failed or was cut off.
    branches: Vec<(BranchId, StepId)>,
}

impl Workplace {
    /// Where the run's attempt of a step works. `home`: the project's folder, canonical.
    pub fn of(home: &Path, state: &RunState, instance: &Instance) -> Self {
        let step = &instance.step;
        let run = state.created.as_ref().map(|created| created.run_id.clone());
        let mut place = Self {
            home: home.to_owned(),
            own: project::run_base(&run.unwrap_or_else(|| "".into())),
            branches: Vec::new(),
            met: None,
            visit: instance.visit,
        };
        // A rehearsal makes nothing.
        if state.created.as_ref().is_some_and(|created| created.is_rehearsal()) {
            return place;
        }
        let token = state.forks.token(step);
        place.branches = state.forks.folders(token);
        let met = state
            .forks
            .all()
            .rfind(|fork| fork.forked.join == *step && fork.forked.within == token);
        place.met = met
            .filter(|fork| fork.forked.rules.isolated)
            .filter(|fork| fork.joined.as_ref().is_some_and(|(joined, _)| joined.met))
            .map(|fork| {
                let heads = fork.ids().zip(&fork.branches).zip(&fork.forked.heads);
                let counts = heads.filter(|((_, branch), _)| {
                    let ended = branch.ended.as_ref();
                    ended.is_some_and(|(ended, _)| ended.end == BranchEnd::Completed)
                });
                Met {
                    fork: fork.forked.fork,
                    branches: counts.map(|((id, _), head)| (id, head.clone())).collect(),
                }
            });
        place
    }

    /// The folder that the attempt has for the project's.
    pub fn folder(&self) -> PathBuf {
        self.branches
            .last()
            .map_or_else(|| self.home.clone(), |id| self.folder_of(*id))
    }

    /// Whether it is a branch's folder, not the project's.
    pub fn is_apart(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Whether there is nothing to copy before the attempt begins, and nothing to bring in.
    pub fn is_plain(&self) -> bool {
        self.branches.is_empty() && self.met.is_none()
    }

    /// Makes the folders that are not there yet and brings in what the branches changed that meet here. Both are done once: what was
    /// done before the program was killed is not done again.
    ///
    /// # Errors
    /// Why it cannot be done, a sentence; nothing has been brought in then unless a file could not be written.
    pub fn prepare(&self, confinement: &Confinement, off: &AtomicBool) -> Result<Vec<BroughtIn>, String> {
        let mut from = self.home.clone();
        for id in &self.branches {
            let to = self.folder_of(*id);
            copy::make(&from, &to, &self.hidden(&from, confinement), &self.own, off)?;
            from = to;
        }
        match &self.met {
            Some(met) => merge::bring_in(self, met, off),
            None => Ok(Vec::new()),
        }
    }

    /// What programs must not read, as it is called in `root`, where that is a copy of the project.
    fn hidden(&self, root: &Path, confinement: &Confinement) -> Vec<PathBuf> {
        let inside = confinement
            .hidden
            .iter()
            .filter_map(|path| path.strip_prefix(&self.home).ok());
        inside.map(|path| root.join(path)).collect()
    }

    fn folder_of(&self, id: BranchId) -> PathBuf {
        self.branches_folder().join(copy::name_of(id))
    }

    /// Beside the copy, what it was like when it was made.
    fn beginning_of(&self, id: BranchId) -> PathBuf {
        copy::beginning_of(&self.folder_of(id))
    }

    /// There once what the branches of a fork changed has been brought in.
    fn mark_of(&self, fork: u32) -> PathBuf {
        self.branches_folder().join(format!("{fork}{}", merge::DONE))
    }

    /// Of all branches of a run: never inside a copy.
    fn branches_folder(&self) -> PathBuf {
        self.home.join(&self.own).join(FOLDER)
    }
}

/// The copy of the project that a step has for it, as a path from the project's folder; `None`: it works in the project itself, or what its
/// branch changed has been brought in. `root`: the project's folder.
pub fn copy_for(root: &Path, state: &RunState, step: &StepId) -> Option<String> {
    let base = project::run_base(&state.created.as_ref()?.run_id);
    let folders = state.forks.folders(state.branch_of(step));
    let mut copies = folders
        .into_iter()
        .rev()
        .map(|id| format!("{base}/{FOLDER}/{}", copy::name_of(id)));
    copies.find(|copy| root.join(copy).is_dir())
}

/// Whether a file below a run's folder is one that branches with folders of their own have there: in the copy of one, or beside it. `name`: from
/// the run's folder.
pub fn is_of_branches(state: &RunState, name: &str) -> bool {
    let Some(name) = name.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    let (first, is_inside) = name.split_once('/').map_or((name, false), |(first, _)| (first, true));
    let mut isolated = state.forks.all().filter(|fork| fork.forked.rules.isolated);
    isolated.any(|fork| {
        let mark = fork.forked.fork.to_string();
        let is_mark = [merge::DONE, merge::PLANNED]
            .iter()
            .any(|ending| first.strip_prefix(&mark) == Some(*ending));
        let is_copy = |id| match (first.strip_prefix(&copy::name_of(id)), is_inside) {
            (Some(rest), true) => rest.is_empty() || rest == ".making",
            (rest, false) => rest == Some(".json"),
            (None, true) => false,
        };
        (is_mark && !is_inside) || fork.ids().any(is_copy)
    })
}

/// What programs that have `folder` for the project's folder `home` are kept from besides: one in a branch changes nothing of the project
/// but its own copy, in which stays fixed what is fixed in the project.
pub(crate) fn confine(confinement: &mut Confinement, home: &Path, folder: &Path) {
    if folder == home {
        return;
    }
    let copied = |path: &PathBuf| Some(folder.join(path.strip_prefix(home).ok()?));
    let fixed: Vec<PathBuf> = confinement.fixed.iter().filter_map(copied).collect();
    let links: Vec<PathBuf> = confinement.links.iter().filter_map(copied).collect();
    confinement.fixed.extend(fixed);
    confinement.links.extend(links);
    confinement.fixed.push(home.to_owned());
    confinement.own.push(folder.to_owned());
}
