//! Where the stages of a pipeline put what they make (seed 004 "Store outputs in {pipeline_dir}/outputs/{stage_name}/").
//!
//! A stage has a folder of its own in each run of the pipeline, `outputs/{pipeline_id}/{stage}/`; when it has succeeded,
//! `outputs/{stage}/` becomes a copy of it, the latest (CONTRACTS "Pipelines"). Nothing is ever written outside of them, whatever another stage
//! at work puts in the way meanwhile ([`store::below`]).

use crate::project::{self, Escape};
use crate::readable::Readable;
use crate::{file_time, kept};
use dialect::pipeline::id::{PipelineId, stage_folders};
use engine::{RunCreated, RunId};
use model::Workflow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use store::below::{self, Folder, Kind, Whose};
use store::regular::NotRead;

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

/// Where the latest copy of a file stands that a stage of this run made; `None` where no copy is made. `path`: of the file, from the project's
/// folder.
pub(crate) fn latest_of(created: &RunCreated, path: &str) -> Option<String> {
    // The folders of all stages of a run lie in one, and so do their copies.
    let of_all = Outputs::of(created, "");
    let made = path.strip_prefix(&of_all.own)?;
    Some(format!("{}{made}", of_all.latest?))
}

/// Why a stage's files could not be put where they belong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the stage's output folder is refused: {0}")]
    Escape(#[from] Escape),
    #[error("the stage's output folder `{0}` cannot be used: {1}")]
    Io(String, io::Error),
    #[error("it was called off")]
    CalledOff,
}

/// The stages' folders in which a thread is at work, each once. One that was given up may still be in the middle of a
/// file.
static AT_WORK: (Mutex<BTreeSet<PathBuf>>, Condvar) = (Mutex::new(BTreeSet::new()), Condvar::new());

/// How often whoever waits for another one looks whether they are still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// A thread's work in a stage's folder, until it is dropped. `off` is set when nobody wants it any more.
pub(crate) struct Working<'a> {
    outputs: &'a Outputs,
    root: &'a Path,
    off: &'a AtomicBool,
    own: PathBuf,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        AT_WORK
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.own);
        AT_WORK.1.notify_all();
    }
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

    /// What the stage's folder is called.
    pub(crate) fn folder(&self) -> &str {
        self.own.rsplit('/').next().unwrap_or_default()
    }

    /// Begins to work in the folder, once no other thread does.
    ///
    /// # Errors
    /// [`Error::CalledOff`].
    pub(crate) fn work<'a>(&'a self, root: &'a Path, off: &'a AtomicBool) -> Result<Working<'a>, Error> {
        let own = root.join(&self.own);
        let mut at_work = AT_WORK.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !at_work.insert(own.clone()) {
            called_off(off)?;
            let waited = AT_WORK.1.wait_timeout(at_work, LOOK);
            at_work = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Working {
            outputs: self,
            root,
            off,
            own,
        })
    }
}

/// What was brought into a stage's folder.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Each copy by its path there, with the path that its file has in the project.
    pub from: BTreeMap<String, String>,
    /// What is to be said of those that are refused, one sentence each.
    pub notes: Vec<String>,
}

/// # Errors
/// Nobody wants it any more.
fn called_off(off: &AtomicBool) -> Result<(), Error> {
    match off.load(Ordering::Relaxed) {
        true => Err(Error::CalledOff),
        false => Ok(()),
    }
}

impl Working<'_> {
    /// The project's folder, held open.
    fn top(&self) -> Result<Folder, Error> {
        Folder::open(self.root).map_err(|error| Error::Io(".".to_owned(), error))
    }

    /// Makes the folder, and makes it empty: what an earlier attempt left is kept in the history, not here. Where a
    /// person works it stays as it is: they have put there what they made before they say so. Gives its absolute path.
    pub(crate) fn prepare(&self, by_person: bool) -> Result<PathBuf, Error> {
        let folder = kept::to_write(self.root, &self.outputs.own, &self.outputs.own)?;
        let (top, own) = (self.top()?, &self.outputs.own);
        let made = match by_person {
            true => top.make(own, Whose::Anyones),
            false => empty(&top, own),
        };
        made.map_err(|error| Error::Io(own.clone(), error))?;
        self.put_back()?;
        Ok(folder)
    }

    /// Whoever was killed between taking the latest away and putting the next one there has left none.
    fn put_back(&self) -> Result<(), Error> {
        let Outputs {
            own,
            latest: Some(latest),
        } = self.outputs
        else {
            return Ok(());
        };
        kept::to_write(self.root, latest, own)?;
        let old = self.beside(latest, "old")?;
        let top = self.top()?;
        let put_back = || match (top.kind(latest)?, top.kind(&old)?) {
            (None, Some(Kind::Folder)) => top.rename(&old, latest),
            _ => Ok(()),
        };
        put_back().map_err(|error| Error::Io(latest.clone(), error))
    }

    /// A folder beside the latest one, from the project's folder; of two pipelines in one folder each has its own.
    fn beside(&self, latest: &str, what: &str) -> Result<String, Error> {
        let own = &self.outputs.own;
        let id = own.rsplit('/').nth(1).unwrap_or_default();
        let beside = format!("{latest}.{id}.{what}");
        kept::to_write(self.root, &beside, own)?;
        Ok(beside)
    }

    /// Writes a text into the folder; `name` is made safe first. Gives the file's name.
    pub(crate) fn keep(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = format!("{}/{name}", self.outputs.own);
        kept::to_write(self.root, &path, &self.outputs.own)?;
        let written = self
            .top()?
            .replace(&path, Whose::Anyones, |file| file.write_all(text.as_bytes()));
        written.map_err(|error| Error::Io(path, error))
    }

    /// Takes copies of the files that the workflow says the stage makes and that lie elsewhere in the project, of those that are `readable`.
    pub(crate) fn gather(&self, run: &RunId, readable: &Readable, declared: &[String]) -> Result<Gathered, Error> {
        let mut gathered = Gathered::default();
        for written in declared {
            let path = match project::relative(written, run) {
                Ok(path) => path,
                Err(escape) => {
                    let note = format!("the stage's output `{written}` is not looked at: {escape}");
                    gathered.notes.push(note);
                    continue;
                }
            };
            // What leads out by a link, or to what steps may not read, is told of with all that is no file of the project.
            let Ok(file) = project::inside(self.root, &path) else {
                continue;
            };
            let Some(name) = file.file_name().map(|n| n.to_string_lossy().into_owned()) else {
                continue;
            };
            called_off(self.off)?;
            if !file.is_file() || Path::new(&path).starts_with(&self.outputs.own) {
                continue;
            }
            // The very file that lies inside is read, whatever leads to another one by now.
            let mut source = match readable.open(self.root, &path) {
                Ok(source) => source,
                Err(NotRead::Io(error)) => return Err(Error::Io(path, error)),
                Err(_) => continue,
            };
            let own = &self.outputs.own;
            let mut to = format!("{own}/{name}");
            // Of two files of one name neither takes the other's place.
            if gathered.from.get(&to).is_some_and(|other| *other != path) {
                to = format!("{own}/{path}");
            }
            if self.take(&mut source, &to)? {
                gathered.from.insert(to, path);
            }
        }
        Ok(gathered)
    }

    /// Copies a file into the folder, unless what the stage wrote there itself is the later one; whether it did. `to`: from the project's folder.
    fn take(&self, source: &mut File, to: &str) -> Result<bool, Error> {
        kept::to_write(self.root, to, &self.outputs.own)?;
        let written = |file: &File| file.metadata().map(|about| file_time::put_there(&about));
        let io = |error| Error::Io(to.to_owned(), error);
        let top = self.top()?;
        if let Ok(own) = top.file(to)
            && written(&own).map_err(io)? >= written(source).map_err(io)?
        {
            return Ok(false);
        }
        top.replace(to, Whose::Anyones, |target| kept::fill(source, target, 0))
            .map_err(io)?;
        Ok(true)
    }

    /// The files in the folder, relative to the project, in the order of their names; links are not followed.
    pub(crate) fn files(&self) -> Result<Vec<String>, Error> {
        let own = &self.outputs.own;
        let folder = self.top()?.enter(own);
        self.files_of(&folder.map_err(|error| Error::Io(own.clone(), error))?)
    }

    /// The same of the folder once it is held open.
    fn files_of(&self, folder: &Folder) -> Result<Vec<String>, Error> {
        let (own, mut found) = (&self.outputs.own, Vec::new());
        walk(folder, own, DEEPEST, &mut found).map_err(|error| Error::Io(own.clone(), error))?;
        Ok(found)
    }

    /// Makes the latest folder a copy of this one. A reader finds the old or the new one, never half of each.
    pub(crate) fn publish(&self) -> Result<(), Error> {
        let Outputs {
            own,
            latest: Some(latest),
        } = self.outputs
        else {
            return Ok(());
        };
        let io = |error| Error::Io(latest.clone(), error);
        kept::to_write(self.root, latest, own)?;
        let top = self.top()?;
        let from = top.enter(own).map_err(io)?;
        let files = self.files_of(&from)?;
        if files.is_empty() && top.kind(latest).map_err(io)?.is_none() {
            return Ok(());
        }
        let (beside, old) = (self.beside(latest, "new")?, self.beside(latest, "old")?);
        let new = empty(&top, &beside).map_err(io)?;
        for file in &files {
            called_off(self.off)?;
            let inside = file.strip_prefix(own).unwrap_or(file).trim_start_matches('/');
            let mut source = from.file(inside).map_err(|why| io(why.into()))?;
            new.replace(inside, Whose::Anyones, |target| kept::fill(&mut source, target, 0))
                .map_err(io)?;
        }
        called_off(self.off)?;
        // Whoever has moved it away meanwhile has something else take its name.
        if !new.stands_at(&top, &beside).map_err(io)? {
            return Err(io(io::Error::other("another program has put something in its place")));
        }
        replace(&top, latest, &beside, &old).map_err(io)
    }
}

/// Puts a folder in the place of another one, or where there is none.
fn replace(top: &Folder, to: &str, beside: &str, old: &str) -> io::Result<()> {
    if top.kind(to)?.is_none() && top.rename(beside, to).is_ok() {
        return Ok(());
    }
    if top.exchange(beside, to).is_ok() {
        return top.remove_all(beside);
    }
    // Where the file system cannot exchange two folders there is none for a moment.
    top.remove_all(old)?;
    top.rename(to, old)?;
    if let Err(error) = top.rename(beside, to) {
        top.rename(old, to)?;
        return Err(error);
    }
    top.remove_all(old)
}

/// What the text that an agent said is called as a file: the output that is declared, else the agent's or the stage's name.
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

/// A new folder in the place of what is there.
fn empty(top: &Folder, path: &str) -> io::Result<Folder> {
    top.remove_all(path)?;
    top.make(path, Whose::Anyones)
}

fn walk(folder: &Folder, named: &str, deep: usize, found: &mut Vec<String>) -> io::Result<()> {
    for (name, kind) in folder.entries()? {
        // A name that is no text has no place in the log.
        let Some(path) = name.to_str().map(|name| format!("{named}/{name}")) else {
            continue;
        };
        // What is being written at this moment is none yet.
        if kind == Kind::File && below::is_draft(&name) {
            continue;
        }
        if kind == Kind::File && found.len() < MOST {
            found.push(path);
        } else if kind == Kind::Folder && deep > 0 {
            walk(&folder.enter(&name)?, &path, deep - 1, found)?;
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

    /// By the rules that hold everywhere.
    fn readable() -> Readable {
        Readable::by(&permission::Policy::default())
    }

    fn working<'a>(outputs: &'a Outputs, root: &'a Path) -> Working<'a> {
        static WANTED: AtomicBool = AtomicBool::new(false);
        outputs.work(root, &WANTED).expect("nobody else works there")
    }

    #[test]
    fn the_latest_folder_is_a_copy_of_the_last_success() {
        let (_keep, root, outputs) = outputs();
        let own = working(&outputs, &root).prepare(false).expect("it can be made");
        std::fs::create_dir(own.join("more")).expect("made");
        std::fs::write(own.join("more/b.txt"), "b").expect("written");
        std::fs::write(own.join(".gatehouse-1-2.unfinished"), "half").expect("written");
        working(&outputs, &root).keep("a.md", "first").expect("written");
        working(&outputs, &root).publish().expect("copied");
        let latest = root.join("p/outputs/design");
        assert!(!latest.join(".gatehouse-1-2.unfinished").exists(), "it is none yet");
        assert_eq!(std::fs::read_to_string(latest.join("a.md")).expect("there"), "first");
        assert_eq!(std::fs::read_to_string(latest.join("more/b.txt")).expect("there"), "b");
        working(&outputs, &root).prepare(false).expect("emptied");
        working(&outputs, &root).keep("c.md", "second").expect("written");
        working(&outputs, &root).publish().expect("copied");
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
        working(&outputs, &root).prepare(false).expect("made");
        let hostile = ["../../../etc/cron.d/x", "/etc/x", "a/../../b"].map(str::to_owned);
        let notes = working(&outputs, &root)
            .gather(&"r".into(), &readable(), &hostile)
            .expect("refused, each")
            .notes;
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert_eq!(working(&outputs, &root).files().expect("none"), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_out_of_the_project_is_refused() {
        let (_keep, root, outputs) = outputs();
        let elsewhere = tempfile::tempdir().expect("a folder");
        std::fs::write(elsewhere.path().join("kept"), "").expect("written");
        std::fs::create_dir_all(root.join("p")).expect("made");
        std::os::unix::fs::symlink(elsewhere.path(), root.join("p/outputs")).expect("linked");
        assert!(working(&outputs, &root).prepare(false).is_err());
        assert!(elsewhere.path().join("kept").exists());
    }

    /// What another stage at work does to folders that both may write to.
    #[cfg(unix)]
    #[test]
    fn nothing_is_copied_through_a_link_that_stands_in_the_place_of_a_folder() {
        for linked in [
            "p",
            "p/outputs",
            "p/outputs/design",
            "p/outputs/design.PIPE-20250101-x-120000.new",
            "p/outputs/PIPE-20250101-x-120000",
            "p/outputs/PIPE-20250101-x-120000/design",
        ] {
            let (_keep, root, outputs) = outputs();
            let hooks = root.join(".git/hooks");
            std::fs::create_dir_all(&hooks).expect("made");
            working(&outputs, &root).prepare(false).expect("made");
            working(&outputs, &root).keep("pre-commit", "mine").expect("written");
            if root.join(linked).exists() {
                std::fs::rename(root.join(linked), root.join("away")).expect("moved");
            }
            std::os::unix::fs::symlink(&hooks, root.join(linked)).expect("linked");
            let worked = working(&outputs, &root);
            assert!(worked.publish().is_err(), "{linked}");
            // Past what is looked at by its path, too.
            let top = Folder::open(&root).expect("there");
            let place = format!("{linked}/pre-commit");
            assert!(top.kind(&place).is_err(), "{linked}");
            let written = top.replace(&place, Whose::Anyones, |file| io::Write::write_all(file, b"mine"));
            assert!(written.is_err() && empty(&top, linked).is_err(), "{linked}");
            assert_eq!(std::fs::read_dir(&hooks).expect("there").count(), 0, "{linked}");
        }
    }

    #[test]
    fn a_copy_may_be_executed_as_its_file() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, root, outputs) = outputs();
        let own = working(&outputs, &root).prepare(false).expect("made");
        std::fs::write(own.join("a.sh"), "").expect("written");
        std::fs::set_permissions(own.join("a.sh"), std::fs::Permissions::from_mode(0o4755)).expect("set");
        working(&outputs, &root).publish().expect("copied");
        let about = root.join("p/outputs/design/a.sh").metadata().expect("there");
        assert_eq!(about.permissions().mode() & 0o7777, 0o755);
    }

    #[test]
    fn what_was_declared_is_gathered() {
        let (_keep, root, outputs) = outputs();
        working(&outputs, &root).prepare(false).expect("made");
        std::fs::create_dir(root.join("docs")).expect("made");
        std::fs::write(root.join("docs/plan.md"), "plan").expect("written");
        let declared = ["docs/plan.md", "code"].map(str::to_owned);
        let gathered = working(&outputs, &root).gather(&"r".into(), &readable(), &declared);
        assert_eq!(gathered.expect("gathered").notes, Vec::<String>::new());
        assert_eq!(
            working(&outputs, &root).files().expect("one"),
            [format!("{}/plan.md", outputs.own)]
        );
    }

    /// What lies there every step can read.
    #[test]
    fn what_steps_may_not_read_is_not_gathered() {
        let (_keep, root, outputs) = outputs();
        working(&outputs, &root).prepare(false).expect("made");
        std::fs::write(root.join(".env"), "secret").expect("written");
        std::os::unix::fs::symlink(".env", root.join("plan.md")).expect("linked");
        std::os::unix::fs::symlink(&root, root.join("round")).expect("linked");
        let declared = ["plan.md", "round/plan.md", ".env"].map(str::to_owned);
        let gathered = working(&outputs, &root).gather(&"r".into(), &readable(), &declared);
        assert!(gathered.expect("nothing").from.is_empty());
        assert_eq!(working(&outputs, &root).files().expect("none"), Vec::<String>::new());
    }

    #[test]
    fn no_file_takes_the_place_of_another_one_that_is_called_the_same() {
        let (_keep, root, outputs) = outputs();
        let own = working(&outputs, &root).prepare(false).expect("made");
        for folder in ["docs", "web"] {
            std::fs::create_dir(root.join(folder)).expect("made");
            std::fs::write(root.join(folder).join("plan.md"), folder).expect("written");
        }
        std::fs::write(root.join("README.md"), "old").expect("written");
        std::thread::sleep(Duration::from_millis(30));
        std::fs::write(own.join("README.md"), "new").expect("written");
        let declared = ["docs/plan.md", "web/plan.md", "README.md", "docs/plan.md"].map(str::to_owned);
        let gathered = working(&outputs, &root).gather(&"r".into(), &readable(), &declared);
        let from = gathered.expect("gathered").from;
        let read = |name: &str| std::fs::read_to_string(own.join(name)).expect("there");
        assert_eq!((read("plan.md"), read("web/plan.md")), ("docs".into(), "web".into()));
        assert_eq!(read("README.md"), "new", "what the stage wrote itself");
        assert_eq!(from[&format!("{}/web/plan.md", outputs.own)], "web/plan.md");
        assert_eq!(from.len(), 2, "{from:?}");
    }

    #[test]
    fn names_of_texts() {
        assert_eq!(file_name("architecture"), "architecture.md");
        assert_eq!(file_name("report.txt"), "report.txt");
        assert_eq!(file_name("../../etc/x"), "x.md");
        assert_eq!(file_name("…/\0"), "output.md");
        assert_eq!(file_name("Entwurf_ü"), "Entwurf_ü.md");
    }

    #[test]
    fn pipelines_in_one_folder_do_not_mix_their_files() {
        let (_keep, root, one) = outputs();
        let other = Outputs {
            own: one.own.replace("120000", "130000"),
            ..one.clone()
        };
        std::thread::scope(|scope| {
            for (outputs, name) in [(&one, "a"), (&other, "b")] {
                let root = &root;
                scope.spawn(move || {
                    for round in 0..50 {
                        let working = working(outputs, root);
                        working.prepare(false).expect("emptied");
                        for n in 0..5 {
                            working
                                .keep(&format!("{n}.md"), &format!("{name}{round}"))
                                .expect("written");
                        }
                        working.publish().expect("published");
                    }
                });
            }
        });
        let latest = root.join("p/outputs/design");
        let texts = (0..5).map(|n| std::fs::read_to_string(latest.join(format!("{n}.md"))).expect("there"));
        let texts: BTreeSet<String> = texts.collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
    }

    #[test]
    fn there_is_always_a_latest_one() {
        let (_keep, root, outputs) = outputs();
        let latest = root.join("p/outputs/design");
        let publish = |text: &str| {
            let working = working(&outputs, &root);
            working.prepare(false).expect("emptied");
            working.keep("a.md", text).expect("written");
            working.publish().expect("published");
        };
        publish("0");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert!(latest.exists(), "there is none for a moment");
                }
            });
            (1..300).for_each(|n| publish(&n.to_string()));
            done.store(true, Ordering::Relaxed);
            reader.join().expect("there always was one");
        });
        // Whoever was killed in between, where two folders cannot be exchanged.
        let old = root.join("p/outputs/design.PIPE-20250101-x-120000.old");
        std::fs::rename(&latest, &old).expect("moved");
        working(&outputs, &root).prepare(false).expect("put back");
        assert!(latest.exists() && !old.exists());
    }

    #[test]
    fn work_that_was_called_off_publishes_nothing_and_the_next_waits_for_it() {
        let (_keep, root, outputs) = outputs();
        let off = AtomicBool::new(false);
        let working = outputs.work(&root, &off).expect("nobody else works there");
        working.prepare(false).expect("made");
        working.keep("a.md", "late").expect("written");
        off.store(true, Ordering::Relaxed);
        assert!(matches!(working.publish(), Err(Error::CalledOff)));
        let declared = ["p/x.md".to_owned()];
        let gathered = working.gather(&"r".into(), &readable(), &declared);
        assert!(matches!(gathered, Err(Error::CalledOff)));
        assert!(!root.join("p/outputs/design").exists());
        assert!(matches!(outputs.work(&root, &off), Err(Error::CalledOff)));
        std::thread::scope(|scope| {
            let next = scope.spawn(|| self::working(&outputs, &root).prepare(false).map(drop));
            std::thread::sleep(Duration::from_millis(200));
            assert!(working.files().expect("still there").len() == 1, "the next one waits");
            drop(working);
            next.join().expect("no panic").expect("emptied");
        });
        assert!(!root.join(&outputs.own).join("a.md").exists());
    }
}
