//! A project in a temporary folder, for the finished program to work in.

use crate::program::{self, Said};
use anyhow::Context as _;
use engine::{RunId, RunState};
use std::path::{Path, PathBuf};
use store::{RunFilter, Store};

/// A folder that goes away with its value.
#[derive(Debug)]
pub struct Project {
    _kept: tempfile::TempDir,
    /// Where it is; canonical.
    pub root: PathBuf,
}

impl Project {
    /// A folder with these files: path, text.
    ///
    /// # Errors
    /// The folder or a file cannot be made.
    pub fn new(files: &[(&str, &str)]) -> anyhow::Result<Self> {
        Self::within(tempfile::Builder::new().prefix("gatehouse-test-").tempdir()?, files)
    }

    /// The same, where the machine keeps files in its memory, if it has such a place: for tests that start programs by the hundred and would
    /// wait for the disk. What a program has written before it was killed is there either way; only a loss of power could tell the two apart.
    ///
    /// # Errors
    /// The folder or a file cannot be made.
    pub fn in_memory(files: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("gatehouse-test-");
        let kept = folder.tempdir_in("/dev/shm").or_else(|_| folder.tempdir())?;
        Self::within(kept, files)
    }

    fn within(kept: tempfile::TempDir, files: &[(&str, &str)]) -> anyhow::Result<Self> {
        let root = kept.path().canonicalize()?.join("project");
        std::fs::create_dir_all(&root)?;
        let project = Self { _kept: kept, root };
        project.write(files)?;
        Ok(project)
    }

    /// Writes files into it: path, text.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, files: &[(&str, &str)]) -> anyhow::Result<()> {
        for (path, text) in files {
            let file = self.root.join(path);
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&file, text).with_context(|| format!("{path} cannot be written"))?;
        }
        Ok(())
    }

    /// Where key and settings of its person lie: beside it, so that the project itself may be full or read-only.
    pub fn home(&self) -> PathBuf {
        program::home_of(&self.root)
    }

    /// Runs `gatehouse` in it, to its end.
    ///
    /// # Errors
    /// The program is not built.
    pub fn gatehouse(&self, arguments: &[&str]) -> anyhow::Result<Said> {
        program::run(&self.root, arguments)
    }

    /// Its history.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.root)?)
    }

    /// Its latest run, if it has any.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn latest(&self) -> anyhow::Result<Option<(RunId, RunState)>> {
        let store = self.store()?;
        let Some(row) = store.runs(&RunFilter::default())?.into_iter().next() else {
            return Ok(None);
        };
        let (state, _) = store.load(&row.run)?;
        Ok(Some((row.run, state)))
    }

    /// The text of a file in it; empty where there is none.
    pub fn text(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }
}
