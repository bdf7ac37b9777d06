//! Where the stages of a pipeline put what they make (seed 004 "Store outputs in {pipeline_dir}/outputs/{stage_name}/").
//!
//! A stage has a folder of its own in each run of the pipeline, `outputs/{pipeline_id}/{stage}/`; when it has succeeded,
//! `outputs/{stage}/` becomes a copy of it, the latest (CONTRACTS "Pipelines"). Nothing is ever written outside of them.

use crate::project::{self, Escape};
use dialect::pipeline::id::{PipelineId, stage_folders};
use engine::{RunCreated, RunId};
use model::Workflow;
use std::io;
use std::path::{Path, PathBuf};

/// Most files that one stage's folder gives.
const MOST: usize = 1000;
/// How deep folders may lie in a stage's folder.
const DEEPEST: usize = 12;

/// The folders of one stage, relative to the project, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outputs {
    /// Of this run of the pipeline.
    pub own: String,
    /// The latest copy; absent for a pipeline that has no file of its own, whose outputs are the run's alone.
    pub latest: Option<String>,
}

/// The names of the stages' folders, in document order. They depend on one another, so they are found all at once.
pub fn folders_of(workflow: &Workflow) -> Vec<String> {
    stage_folders(workflow.steps().iter().map(|step| step.id.as_str()))
}

/// Why a stage's files could not be put where they belong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the stage's output folder is refused: {0}")]
    Escape(#[from] Escape),
    #[error("the stage's output folder `{0}` cannot be used: {1}")]
    Io(String, io::Error),
}

impl Outputs {
    /// The folders of a stage. A file that is named by a pipeline's id has its outputs beside it; any other file (a template) and a
    /// rehearsal, which must not take the place of what was really made, have them in the folder of the run.
    /// `stage`: what [`folders_of`] gives for it.
    pub fn of(created: &RunCreated, stage: &str) -> Self {
        let id = PipelineId::of_file(&created.path).filter(|_| !created.is_rehearsal());
        match id {
            Some(id) => {
                let around = created
                    .path
                    .rsplit_once('/')
                    .map_or(String::new(), |(f, _)| format!("{f}/"));
                Self {
                    own: format!("{around}outputs/{id}/{stage}"),
                    latest: Some(format!("{around}outputs/{stage}")),
                }
            }
            None => Self {
                own: format!("{}/outputs/{stage}", project::run_base(&created.run_id)),
                latest: None,
            },
        }
    }

    /// Makes the folder, and makes it empty: what an earlier attempt left is kept in the history, not here. Where a
    /// person works it stays as it is: they have put there what they made before they say so. Gives its absolute path.
    pub(crate) fn prepare(&self, root: &Path, by_person: bool) -> Result<PathBuf, Error> {
        let folder = project::to_write(root, &self.own, &self.own)?;
        let made = match by_person {
            true => std::fs::create_dir_all(&folder),
            false => empty(&folder),
        };
        made.map_err(|error| Error::Io(self.own.clone(), error))?;
        Ok(folder)
    }

    /// Writes a text into the folder; `name` is made safe first. Gives the file's name.
    pub(crate) fn keep(&self, root: &Path, name: &str, text: &str) -> Result<(), Error> {
        let file = project::to_write(root, &format!("{}/{name}", self.own), &self.own)?;
        std::fs::write(&file, text).map_err(|error| Error::Io(format!("{}/{name}", self.own), error))
    }

    /// Takes copies of the files that the workflow says the stage makes and that it has made elsewhere in the project.
    /// Returns one sentence for each that is refused.
    pub(crate) fn gather(&self, root: &Path, run: &RunId, declared: &[String]) -> Result<Vec<String>, Error> {
        let mut notes = Vec::new();
        for written in declared {
            let path = match project::relative(written, run) {
                Ok(path) => path,
                Err(escape) => {
                    notes.push(format!("the stage's output `{written}` is not looked at: {escape}"));
                    continue;
                }
            };
            let Ok(file) = project::inside(root, &path) else {
                notes.push(format!(
                    "the stage's output `{written}` leads out of the project and is not looked at"
                ));
                continue;
            };
            let Some(name) = file.file_name().map(|n| n.to_string_lossy().into_owned()) else {
                continue;
            };
            if file.is_file() && !path.starts_with(&self.own) {
                let to = project::to_write(root, &format!("{}/{name}", self.own), &self.own)?;
                std::fs::copy(&file, &to).map_err(|error| Error::Io(path, error))?;
            }
        }
        Ok(notes)
    }

    /// The files in the folder, relative to the project, in the order of their names; links are not followed.
    pub(crate) fn files(&self, root: &Path) -> Result<Vec<String>, Error> {
        let folder = project::inside(root, &self.own)?;
        let mut found = Vec::new();
        walk(&folder, &self.own, DEEPEST, &mut found).map_err(|error| Error::Io(self.own.clone(), error))?;
        Ok(found)
    }

    /// Makes the latest folder a copy of this one. A reader finds the old or the new one, never half of each.
    pub(crate) fn publish(&self, root: &Path) -> Result<(), Error> {
        let Some(latest) = &self.latest else { return Ok(()) };
        let io = |error| Error::Io(latest.clone(), error);
        let from = project::inside(root, &self.own)?;
        let to = project::to_write(root, latest, &self.own)?;
        let files = self.files(root)?;
        if files.is_empty() && !to.exists() {
            return Ok(());
        }
        let beside = project::to_write(root, &format!("{latest}.new"), &self.own)?;
        empty(&beside).map_err(io)?;
        for file in &files {
            let inside = file.strip_prefix(&self.own).unwrap_or(file).trim_start_matches('/');
            let target = beside.join(inside);
            if let Some(around) = target.parent() {
                std::fs::create_dir_all(around).map_err(io)?;
            }
            std::fs::copy(from.join(inside), target).map_err(io)?;
        }
        let old = project::to_write(root, &format!("{latest}.old"), &self.own)?;
        remove(&old).map_err(io)?;
        if to.symlink_metadata().is_ok() {
            std::fs::rename(&to, &old).map_err(io)?;
        }
        std::fs::rename(&beside, &to).map_err(io)?;
        remove(&old).map_err(io)
    }
}

/// What the text that an agent said is called as a file: the output that is declared, else the agent's name.
pub(crate) fn file_name(declared: &str) -> String {
    let (stem, ending) = match declared.rsplit_once('.') {
        Some((stem, ending)) if !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphanumeric()) => {
            (stem, ending)
        }
        _ => (declared, "md"),
    };
    let stem = stem.rsplit(['/', '\\']).next().unwrap_or(stem);
    let safe = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | ' ') {
            c
        } else {
            '-'
        }
    };
    let stem: String = stem.chars().take(80).map(safe).collect();
    let stem = stem.trim_matches(['-', ' ']);
    format!("{}.{ending}", if stem.is_empty() { "output" } else { stem })
}

fn empty(folder: &Path) -> io::Result<()> {
    remove(folder)?;
    std::fs::create_dir_all(folder)
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn walk(folder: &Path, named: &str, deep: usize, found: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (kind, name) = (entry.file_type()?, entry.file_name());
        // A name that is no text has no place in the log.
        let Some(name) = name.to_str().map(|name| format!("{named}/{name}")) else {
            continue;
        };
        if kind.is_file() && found.len() < MOST {
            found.push(name);
        } else if kind.is_dir() && deep > 0 {
            walk(&entry.path(), &name, deep - 1, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs() -> (tempfile::TempDir, PathBuf, Outputs) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let outputs = Outputs {
            own: "p/outputs/PIPE-20250101-x-120000/design".into(),
            latest: Some("p/outputs/design".into()),
        };
        (folder, root, outputs)
    }

    #[test]
    fn the_latest_folder_is_a_copy_of_the_last_success() {
        let (_keep, root, outputs) = outputs();
        let own = outputs.prepare(&root, false).expect("it can be made");
        std::fs::create_dir(own.join("more")).expect("made");
        std::fs::write(own.join("more/b.txt"), "b").expect("written");
        outputs.keep(&root, "a.md", "first").expect("written");
        outputs.publish(&root).expect("copied");
        let latest = root.join("p/outputs/design");
        assert_eq!(std::fs::read_to_string(latest.join("a.md")).expect("there"), "first");
        assert_eq!(std::fs::read_to_string(latest.join("more/b.txt")).expect("there"), "b");
        outputs.prepare(&root, false).expect("emptied");
        outputs.keep(&root, "c.md", "second").expect("written");
        outputs.publish(&root).expect("copied");
        let names: Vec<_> = std::fs::read_dir(&latest)
            .expect("there")
            .flatten()
            .map(|e| e.file_name())
            .collect();
        assert_eq!(names, ["c.md"]);
        let around: Vec<_> = std::fs::read_dir(root.join("p/outputs"))
            .expect("there")
            .flatten()
            .collect();
        assert_eq!(around.len(), 2, "nothing is left over");
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let (_keep, root, outputs) = outputs();
        outputs.prepare(&root, false).expect("made");
        let hostile = ["../../../etc/cron.d/x", "/etc/x", "a/../../b"].map(str::to_owned);
        let notes = outputs.gather(&root, &"r".into(), &hostile).expect("refused, each");
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert_eq!(outputs.files(&root).expect("none"), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_out_of_the_project_is_refused() {
        let (_keep, root, outputs) = outputs();
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::fs::write(elsewhere.path().join("kept"), "").expect("written");
        std::fs::create_dir_all(root.join("p")).expect("made");
        std::os::unix::fs::symlink(elsewhere.path(), root.join("p/outputs")).expect("linked");
        assert!(outputs.prepare(&root, false).is_err());
        assert!(elsewhere.path().join("kept").exists());
    }

    #[test]
    fn what_was_declared_is_gathered() {
        let (_keep, root, outputs) = outputs();
        outputs.prepare(&root, false).expect("made");
        std::fs::create_dir(root.join("docs")).expect("made");
        std::fs::write(root.join("docs/plan.md"), "plan").expect("written");
        let notes = outputs.gather(&root, &"r".into(), &["docs/plan.md".into(), "code".into()]);
        assert_eq!(notes.expect("gathered"), Vec::<String>::new());
        assert_eq!(outputs.files(&root).expect("one"), [format!("{}/plan.md", outputs.own)]);
    }

    #[test]
    fn names_of_texts() {
        assert_eq!(file_name("architecture"), "architecture.md");
        assert_eq!(file_name("report.txt"), "report.txt");
        assert_eq!(file_name("../../etc/x"), "x.md");
        assert_eq!(file_name("…/\0"), "output.md");
        assert_eq!(file_name("Entwurf_ü"), "Entwurf_ü.md");
    }
}
