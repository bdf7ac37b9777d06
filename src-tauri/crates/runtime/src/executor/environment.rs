//! The environment of commands: inherited, without secrets, with what a step needs to know.

use crate::brief::Brief;
use crate::{desk, isolation, project};
use engine::{Instance, RunId};
use model::pattern::SIGNS;
use model::step::Output;
use permission::{Need, Policy};
use process::Confinement;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::below::{Folder, Whose};

/// What commands find in their environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// What commands may use: secrets and variables that a rule denies are kept from them.
    pub policy: Policy,
    /// What people have permitted for good.
    pub granted: Vec<Need>,
    /// What the kernel keeps from commands.
    pub confinement: Arc<Confinement>,
}

/// The mark ([`process::MARK`]) of an attempt. The project's folder is part of it: in a copy of a project the pipeline of a file has
/// the same run.
pub(crate) fn mark(root: &str, run: &str, step: &str, visit: u32, attempt: u32) -> String {
    format!("{run}/{step}/{visit}/{attempt}@{root}")
}

/// Ends every process that an attempt has left, its driver being dead, and takes away what it was given to read. `root`: the project's folder. Gives their number.
pub async fn end_leftovers(root: &str, run: &RunId, instance: &Instance, attempt: u32) -> usize {
    let mark = mark(root, run.as_str(), instance.step.as_str(), instance.visit, attempt);
    let folders = desk_of(&mark);
    let ended = process::kill_marked(mark).await;
    desk::clear(&folders);
    ended
}

/// What the names of the folders of an attempt begin with ([`crate::desk`]), by its mark.
pub(crate) fn desk_of(mark: &str) -> String {
    let digest = store::digest_of(mark.as_bytes());
    format!("{}{}-", desk::ATTEMPT, &digest.as_str()[..16])
}

/// The mark of a brief's attempt.
pub(crate) fn mark_of(brief: &Brief) -> String {
    let (root, run) = (brief.home.to_string_lossy(), &brief.run_id);
    mark(&root, run, brief.step.id.as_str(), brief.visit, brief.attempt)
}

/// Makes the run's folder, and those in it that the step's outputs lie in. A run that begins in the middle has no earlier step that would have
/// made them. No link on the way is followed: an earlier step may have put one there.
fn make_folders(brief: &Brief) -> io::Result<()> {
    store::private::make_folder(Path::new(&brief.run_base))?;
    let own = project::run_base(&RunId::from(brief.run_id.as_str()));
    let run = Folder::open(Path::new(&brief.run_base))?;
    for output in &brief.step.outputs {
        let inside = Path::new(Output::of(output).path).strip_prefix(&own).ok();
        let folder = inside.and_then(Path::parent);
        let is_told = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.to_string_lossy().contains(SIGNS);
        if let Some(folder) = folder.filter(is_told) {
            run.make(folder, Whose::Ours)?;
        }
    }
    Ok(())
}

impl Environment {
    /// What the commands of an attempt are kept from: of Gatehouse's own files the run's folder alone is theirs, and of what the stages of a
    /// pipeline make the stage's own. What another stage made is read, and nobody else makes it.
    pub fn confinement(&self, brief: &Brief) -> Confinement {
        let own = std::iter::once(&brief.run_base).chain(&brief.output_folder);
        let mut confinement = Confinement {
            own: own.map(PathBuf::from).collect(),
            ..Confinement::clone(&self.confinement)
        };
        let around = brief.output_folder.as_deref().and_then(|own| Path::new(own).parent());
        confinement.fixed.extend(around.map(Path::to_owned));
        isolation::confine(&mut confinement, &brief.home, Path::new(&brief.project_root));
        confinement
    }

    fn is_named(&self, name: &str) -> bool {
        self.policy.env.allow.iter().any(|allowed| allowed == name)
    }

    /// All variables of an attempt's processes but their mark. `RUN_BASE` names the run's folder, absolute; it exists, and so do the folders in it
    /// in which the step is to put what it makes.
    pub fn of(&self, brief: &Brief) -> Vec<(OsString, OsString)> {
        if let Err(error) = make_folders(brief) {
            tracing::warn!(%error, "the run's folder could not be made for the command");
        }
        let mut all: Vec<(OsString, OsString)> = std::env::vars_os()
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                self.policy.passes_env(&name) && (self.is_named(&name) || !name.starts_with("GATEHOUSE_"))
            })
            .collect();
        let mut add = |name: &str, value: &str| all.push((name.into(), value.into()));
        add("GATEHOUSE_RUN_ID", &brief.run_id);
        add("GATEHOUSE_STEP", brief.step.id.as_str());
        add("GATEHOUSE_VISIT", &brief.visit.to_string());
        add("RUN_BASE", &brief.run_base);
        if brief.home != Path::new(&brief.project_root) {
            // A copy of the project has no repository, and that of the project around it is another one's.
            let around = Path::new(&brief.project_root).parent().unwrap_or(&brief.home);
            add("GIT_CEILING_DIRECTORIES", &around.to_string_lossy());
        }
        if let Some(folder) = &brief.output_folder {
            add("GATEHOUSE_OUTPUT_FOLDER", folder);
        }
        all
    }
}
