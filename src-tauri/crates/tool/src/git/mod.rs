//! What Git knows of a project, read by a library and never by the program `git`.
//!
//! ```text
//! status(&view)               -> {branch, head, clean, staged, unstaged, untracked, conflicts, truncated}
//! diff(&view, &Compared)      -> {before, after, files, diff, truncated}
//! log(&view, &History)        -> {branch, commits, truncated}
//! blame(&view, &Lines)        -> {path, lines, hunks, truncated}
//! tools()                     -> what a step may call of it; call(name, &view, &arguments) does
//! ```
//!
//! Everything is read, nothing is written: not the index either, which `git status` refreshes. A repository is somebody else's text, so what
//! it configures is not believed: no hook, filter, text conversion, file system monitor or other program is ever started, includes are not
//! followed, and the configuration of the machine and of the person plays no part. What a filter keeps elsewhere (Git LFS) is therefore
//! compared as it lies on disk. A repository whose parts lie outside of the project's repository is refused ([`Error::Elsewhere`]).
//!
//! Paths are given from the project's folder and shown from there, also when the repository begins further up: what lies above is not shown.
//! Contents that the project's permissions keep (`read` rules, secrets) are withheld, and what is shown is bounded.
//!
//! These functions block: call them where that is allowed (`spawn_blocking`). [`View::stop`] ends them early.

mod blame;
mod change;
mod contents;
mod diff;
mod log;
mod open;
mod patch;
mod path;
mod status;
mod tools;

pub use blame::{Lines, blame};
pub use diff::{Compared, diff};
pub use log::{History, log};
pub use status::status;
pub use tools::{call, tools};

use permission::Policy;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest file whose contents are compared or explained, in bytes.
pub const LARGEST_FILE: u64 = 2 * 1024 * 1024;

/// How many entries a list holds before it is cut.
pub const LONGEST_LIST: usize = 1000;

/// Where to look, and what may be seen.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// The project's folder.
    pub root: &'a Path,
    /// What the project permits to be read.
    pub policy: &'a Policy,
    /// Set to true by whoever does not wait any more; what is under way then ends with [`Error::Stopped`] soon.
    pub stop: Arc<AtomicBool>,
}

impl<'a> View<'a> {
    /// A view that nobody stops.
    pub fn new(root: &'a Path, policy: &'a Policy) -> Self {
        Self {
            root,
            policy,
            stop: Arc::default(),
        }
    }

    fn go_on(&self) -> Result<(), Error> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

/// Why Git's knowledge could not be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Neither the project's folder nor one above it is a repository.
    #[error("this project is not in a Git repository. To begin one, run `git init` in its folder")]
    NoRepository,
    /// The repository has no folder of files.
    #[error("the Git repository of this project has no work folder: it is a bare one, which holds history only")]
    Bare,
    /// Parts of the repository lie where the project does not reach.
    #[error(
        "the Git repository of this project is not read, because {0}. Only a repository that keeps everything in its own folder is shown"
    )]
    Elsewhere(String),
    /// Nothing was committed so far.
    #[error("this Git repository has no commits yet, so there is no history to show. Commit something first")]
    NoCommits,
    /// The path leads out of the project.
    #[error("`{0}` is outside the project. Give a path from the project's folder, such as `docs/plan.md`")]
    Outside(String),
    /// The permissions keep it.
    #[error("`{path}` may not be read: {by}")]
    Denied {
        /// The path as it was given.
        path: String,
        /// The rule, in a reader's words.
        by: String,
    },
    /// Git does not know the path.
    #[error("Git does not know `{0}`: it was never committed. Check the path, or commit the file first")]
    Unknown(String),
    /// A path that is no file.
    #[error("`{0}` is not a file, so it has no lines to explain")]
    NoFile(String),
    /// A file without lines.
    #[error("`{0}` is a binary file: it has no lines to explain")]
    Binary(String),
    /// More than is read at once.
    #[error("`{path}` is too large: {bytes} bytes, and at most {LARGEST_FILE} are read")]
    TooLarge {
        /// The path as it was given.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// Lines that the file does not have.
    #[error(
        "`{path}` has {has} lines, so lines {first} to {last} cannot be shown. Lines count from 1, the first comes before the last"
    )]
    NoSuchLines {
        /// The path as it was given.
        path: String,
        /// How many lines it has.
        has: usize,
        /// The first that was asked for.
        first: usize,
        /// The last that was asked for.
        last: usize,
    },
    /// A version that is not there.
    #[error(
        "there is no version `{0}` in this repository. Give a branch, a tag or a commit, such as `main` or `HEAD~1`"
    )]
    NoVersion(String),
    /// Whoever asked does not wait any more.
    #[error("reading the Git repository was called off")]
    Stopped,
    /// The repository cannot be read.
    #[error("the Git repository cannot be read: {0}. `git fsck` in the project's folder tells more")]
    Broken(String),
}

impl From<gix::Error> for Error {
    fn from(error: gix::Error) -> Self {
        Self::Broken(error.probable_cause().to_string())
    }
}
