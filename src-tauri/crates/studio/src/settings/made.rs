//! What this program has made in a folder that it found empty: nothing of it came from elsewhere, and nobody is asked whom they trust.

use engine::Digest;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::regular::{self, LARGEST_WORKFLOW};

/// Where Gatehouse keeps the history of a project.
pub(crate) const KEPT: &str = ".gatehouse";

/// The texts that were written into a folder that was empty; `None`: something is there that was not, or has been.
type Texts = Option<BTreeSet<Digest>>;

/// What was made in a project's folder since this program opened it.
pub(crate) struct Made(Mutex<Texts>);

impl Made {
    /// Of a folder, before anything is put there.
    pub(crate) fn of(folder: &Path) -> Self {
        let is_empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        Self(Mutex::new(is_empty.then(BTreeSet::new)))
    }

    /// Takes note of a text that is written for as long as the answer is held. Beside what came from elsewhere, and in its place,
    /// nothing that is written is one's own alone, and it does not become so.
    pub(crate) fn putting(&self, folder: &Path, text: &str) -> MutexGuard<'_, Texts> {
        let mut texts = self.texts();
        *texts = texts.take().filter(|made| holds_only(folder, made));
        if let Some(made) = texts.as_mut() {
            made.insert(store::digest_of(text.as_bytes()));
        }
        texts
    }

    /// A text from elsewhere is about to become a file: the folder is nobody's own any more.
    pub(crate) fn brought_in(&self) {
        *self.texts() = None;
    }

    /// Whether the folder holds nothing but what was made here.
    pub(crate) fn is_all_of(&self, folder: &Path) -> bool {
        self.texts().as_ref().is_some_and(|made| holds_only(folder, made))
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether all in a project's folder are files with these texts; what Gatehouse keeps there aside.
fn holds_only(folder: &Path, made: &BTreeSet<Digest>) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|one| one.file_name() == KEPT || is_made(&one, made)))
    })
}

/// A link is nothing that is made here.
fn is_made(entry: &std::fs::DirEntry, made: &BTreeSet<Digest>) -> bool {
    let path = entry.path();
    match entry.file_type() {
        Ok(kind) if kind.is_dir() => std::fs::read_dir(&path)
            .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|one| is_made(&one, made)))),
        Ok(kind) if kind.is_file() => regular::read_text_through(&path, LARGEST_WORKFLOW)
            .is_ok_and(|text| made.contains(&store::digest_of(text.as_bytes()))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn put(made: &Made, folder: &Path, name: &str, text: &str) {
        let _writing = made.putting(folder, text);
        std::fs::write(folder.join(name), text).expect("written");
    }

    #[test]
    fn what_was_written_into_an_empty_folder_is_one_s_own_until_something_else_comes() {
        let folder = folder();
        let made = Made::of(folder.path());
        std::fs::create_dir(folder.path().join(KEPT)).expect("made");
        std::fs::write(folder.path().join(KEPT).join("history"), "kept").expect("written");
        assert!(made.is_all_of(folder.path()));
        put(&made, folder.path(), "a.yaml", "one");
        std::fs::create_dir(folder.path().join("inside")).expect("made");
        put(&made, folder.path(), "inside/b.yaml", "two");
        put(&made, folder.path(), "a.yaml", "one, mended");
        assert!(made.is_all_of(folder.path()));
        let theirs = folder.path().join("inside/theirs.sh");
        std::fs::write(&theirs, "theirs").expect("written");
        assert!(!made.is_all_of(folder.path()));
        std::fs::remove_file(&theirs).expect("removed");
        assert!(made.is_all_of(folder.path()));
        // Written by another program in the place of one's own.
        std::fs::write(folder.path().join("a.yaml"), "theirs").expect("written");
        assert!(!made.is_all_of(folder.path()));
    }

    #[test]
    fn what_is_made_of_something_that_came_from_elsewhere_is_not_one_s_own() {
        let folder = folder();
        let made = Made::of(folder.path());
        std::fs::write(folder.path().join("theirs.yaml"), "theirs").expect("written");
        put(&made, folder.path(), "copy.yaml", "theirs");
        assert!(!made.is_all_of(folder.path()));
        std::fs::remove_file(folder.path().join("theirs.yaml")).expect("removed");
        assert!(!made.is_all_of(folder.path()), "its copy is still theirs");
    }

    #[test]
    fn a_folder_in_which_something_lay_is_nobody_s_own() {
        let folder = folder();
        std::fs::create_dir(folder.path().join(KEPT)).expect("made");
        let made = Made::of(folder.path());
        put(&made, folder.path(), "a.yaml", "one");
        assert!(!made.is_all_of(folder.path()), "a history lay there");
    }

    #[test]
    fn what_was_brought_in_is_not_one_s_own() {
        let folder = folder();
        let made = Made::of(folder.path());
        made.brought_in();
        put(&made, folder.path(), "theirs.yaml", "theirs");
        assert!(!made.is_all_of(folder.path()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_nothing_that_was_made_here() {
        let folder = folder();
        let made = Made::of(folder.path());
        put(&made, folder.path(), "a.yaml", "one");
        std::os::unix::fs::symlink("a.yaml", folder.path().join("link.yaml")).expect("linked");
        assert!(!made.is_all_of(folder.path()));
    }
}
