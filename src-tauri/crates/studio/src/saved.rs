//! What a person saves of a project, for others to read: files in its folder of reports, or where a dialog of the system has asked.

use crate::lock::lock;
use crate::report::view::SavedView;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::Digest;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use store::below::{self, Folder, Whose};
use store::regular::NotRead;

/// The largest file that a page hands on, in bytes: it is held in memory meanwhile.
const HANDED_ON: u64 = 256 << 20;

impl Studio {
    /// A file directly in the project's folder of reports, given as its name or as its whole path, with that ending.
    pub(crate) fn among_reports(&self, path: &str, ending: &str) -> Result<PathBuf, ApiError> {
        let folder = self.0.root.join("reports");
        let given = Path::new(path);
        let name = given.strip_prefix(&folder).unwrap_or(given);
        let plain = name.components().count() == 1
            && matches!(name.components().next(), Some(Component::Normal(_)))
            && !path.contains('\0')
            && path.ends_with(ending);
        let is_link = folder.symlink_metadata().is_ok_and(|there| there.is_symlink());
        if plain && !is_link {
            return Ok(folder.join(name));
        }
        Err(ApiError::new(
            "outside_reports",
            format!("{path} was not written: it is to be a {ending} file in the folder reports of the project."),
        )
        .hint("Save it under its own name, or download it."))
    }

    /// Keeps in mind what was saved into that folder: a page hands on that, and nothing that a program has put in its place.
    pub(crate) fn remember_saved(&self, to: &Path, digest: Digest) {
        if let Ok(name) = to.strip_prefix(self.0.root.join("reports")) {
            lock(&self.0.saved).insert(name.to_owned(), digest);
        }
    }

    /// A file that was saved into that folder from here, to be handed on by a page that this program serves.
    ///
    /// # Errors
    /// `not_found`: none was, or it is gone; `changed`: it is another one by now; `too_large`.
    pub fn saved(&self, name: &str) -> Result<Vec<u8>, ApiError> {
        let Some(digest) = lock(&self.0.saved).get(Path::new(name)).cloned() else {
            let what = format!("No file {name} was written by a page of this server.");
            return Err(ApiError::new("not_found", what));
        };
        let changed = || {
            let what = format!("{name} is another file by now than the one that was saved. It is not handed on.");
            ApiError::new("changed", what).hint("Save it once more. If nobody has changed it, a step of a run has.")
        };
        let bytes = below::read(&self.0.root, Path::new("reports").join(name), HANDED_ON);
        let bytes = bytes.map_err(|error| match error {
            NotRead::TooLarge { .. } => {
                let what = format!(
                    "{name} is larger than {} MiB: a page does not hand it on.",
                    HANDED_ON >> 20
                );
                ApiError::new("too_large", what).hint("Take it from the folder reports of the project.")
            }
            NotRead::Elsewhere => changed(),
            _ => ApiError::new(
                "not_found",
                format!("{name} is not in the folder reports of the project any more."),
            ),
        })?;
        match store::digest_of(&bytes) == digest {
            true => Ok(bytes),
            false => Err(changed()),
        }
    }

    /// Writes a new file into that folder, which a page hands on. One that has its own name gets a number where the name is taken. `what`: a
    /// report, a table, a copy.
    pub(crate) fn save_new(&self, what: &str, to: &Path, bytes: &[u8], numbered: bool) -> Result<SavedView, ApiError> {
        let is_taken = |error: &io::Error| error.kind() == ErrorKind::AlreadyExists;
        for to in names(to, if numbered { MOST_OF_A_NAME } else { 1 }) {
            match self.put_report(&to, |file| file.write_all(bytes)) {
                Ok(()) => {
                    self.remember_saved(&to, store::digest_of(bytes));
                    return Ok(SavedView {
                        path: to.display().to_string(),
                        bytes: bytes.len() as u64,
                        warning: None,
                    });
                }
                Err(error) if is_taken(&error) && numbered => {}
                Err(error) if is_taken(&error) => return Err(taken(&to)),
                Err(error) => return Err(failed(what, &to, &error)),
            }
        }
        Err(too_many())
    }

    /// Whether a path names a file directly in that folder.
    pub(crate) fn is_report(&self, to: &Path) -> bool {
        let folder = self.0.root.join("reports");
        to.parent().is_some_and(|around| around == folder)
    }

    /// Writes a file that is not there yet into that folder, whole or not at all. Steps write into the project, too: through a link that one of them
    /// has put in the way nothing is written.
    ///
    /// # Errors
    /// `AlreadyExists`: something has its name. What the system says, and what `fill` says.
    pub(crate) fn put_report(&self, to: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let inside = to.strip_prefix(&self.0.root).map_err(|_| ErrorKind::InvalidInput)?;
        Folder::open(&self.0.root)?.put_new(inside, Whose::Anyones, |file| {
            fill(file)?;
            file.sync_all()
        })
    }

    /// Makes the folder of a file that is saved to a place of one's choice, where it is to lie in the project. Elsewhere a path that was mistyped
    /// makes none.
    ///
    /// # Errors
    /// `no_folder`; what the system says.
    pub(crate) fn make_folder_of(&self, what: &str, to: &Path) -> Result<(), ApiError> {
        let around = to.parent().filter(|around| !around.as_os_str().is_empty());
        let Some(around) = around.filter(|around| !around.is_dir()) else {
            return Ok(());
        };
        let whole = std::path::absolute(around).unwrap_or_else(|_| around.to_owned());
        let real = whole.ancestors().find_map(|there| there.canonicalize().ok());
        let is_plain = whole.components().all(|part| part != Component::ParentDir);
        if is_plain && real.is_some_and(|real| real.starts_with(&self.0.root)) {
            return std::fs::create_dir_all(around).map_err(|error| failed(what, to, &error));
        }
        let what = format!("The {what} was not written: there is no folder {}.", safe::path(around));
        Err(ApiError::new("no_folder", what)
            .hint("Check the path, or make the folder first. Folders are made inside the project alone."))
    }

    /// Writes a table into a new file of that folder. It begins with the mark by which programs for tables know that it is UTF-8.
    pub(crate) fn save_table(&self, name: &str, table: &str) -> Result<SavedView, ApiError> {
        let table = format!("\u{feff}{}", safe::honest(table));
        self.save_new("table", &self.among_reports(name, ".csv")?, table.as_bytes(), true)
    }
}

/// Why something could not be written. `what`: a report, a bundle, a table.
pub(crate) fn failed(what: &str, to: &Path, error: &io::Error) -> ApiError {
    let (code, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ("disk_full", "Free some space, or choose another disk."),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
            ("read_only", "Choose a folder that you may write to.")
        }
        _ => ("io", "Choose another name or folder."),
    };
    let why = match code {
        "disk_full" => "its disk is full. Nothing that is recorded is lost".to_owned(),
        _ => error.to_string(),
    };
    let what = format!("The {what} was not written to {}: {why}.", to.display());
    ApiError::new(code, what).hint(hint)
}

/// Writes a file of one's choice, wherever it lies, whole or not at all, over one that is there. `what`: a report, a copy.
pub(crate) fn over(what: &str, to: &Path, bytes: &[u8]) -> Result<(), ApiError> {
    let write = || {
        let mut file = atomic_write_file::AtomicWriteFile::open(to)?;
        file.write_all(bytes)?;
        file.commit()
    };
    write().map_err(|error: io::Error| failed(what, to, &error))
}

/// So many files of one name are told apart by a number.
const MOST_OF_A_NAME: usize = 1_000;

/// A name, and the same with a number.
fn names(to: &Path, most: usize) -> impl Iterator<Item = PathBuf> {
    let stem = to.file_stem().unwrap_or_default().to_string_lossy();
    let ending = to.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    let ending = ending.unwrap_or_default();
    (1..=most).map(move |n| match n {
        1 => to.to_owned(),
        n => to.with_file_name(format!("{stem}-{n}{ending}")),
    })
}

/// The first of the names of a file that is free.
pub(crate) fn free(to: &Path) -> Result<PathBuf, ApiError> {
    let mut free = names(to, MOST_OF_A_NAME).filter(|to| to.symlink_metadata().is_err());
    free.next().ok_or_else(too_many)
}

/// A file is there that is not to be replaced.
pub(crate) fn taken(to: &Path) -> ApiError {
    let what = format!("{} is there already and was not replaced.", to.display());
    ApiError::new("exists", what).hint("Choose another name.")
}

fn too_many() -> ApiError {
    ApiError::new("exists", "There are a thousand files of this name already.").hint("Remove some of them.")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Client, Identity};
    use std::os::unix::fs::symlink;

    #[test]
    fn folders_are_made_inside_the_project_alone() {
        let kept = tempfile::tempdir().expect("a folder");
        let at = |name: &str| kept.path().join(name);
        std::fs::create_dir(at("project")).expect("made");
        let me = Identity::open_in(&at("home"), false).expect("the identity");
        let studio = Studio::open_as(&at("project"), Client::Test, me).expect("the project");
        let made = |to: &str| studio.make_folder_of("report", &at(to)).map_err(|error| error.code);
        assert_eq!(made("project/a/b/report.html"), Ok(()));
        assert!(at("project/a/b").is_dir());
        assert_eq!(made("report.html"), Ok(()), "its folder is there");
        symlink(at("."), at("project/out")).expect("linked");
        for outside in [
            "repots/report.html",
            "project/out/repots/report.html",
            "project/new/../../repots/r.html",
        ] {
            assert_eq!(made(outside), Err("no_folder".to_owned()), "{outside}");
        }
        assert!(!at("repots").exists() && !at("project/new").exists());
    }

    #[test]
    fn a_full_disk_is_told_in_words() {
        let said = failed("report", Path::new("a.html"), &io::Error::from(ErrorKind::StorageFull));
        assert_eq!(said.code, "disk_full");
        assert!(
            said.message.contains("its disk is full") && !said.message.contains("os error"),
            "{}",
            said.message
        );
    }

    #[test]
    fn nothing_is_saved_behind_a_link_that_has_come_in_the_way_meanwhile() {
        let kept = tempfile::tempdir().expect("a folder");
        let at = |name: &str| kept.path().join(name);
        for name in ["project", "outside"] {
            std::fs::create_dir(at(name)).expect("made");
        }
        let me = Identity::open_in(&at("home"), false).expect("the identity");
        let studio = Studio::open_as(&at("project"), Client::Test, me).expect("the project");
        let to = studio.among_reports("a.csv", ".csv").expect("a name");
        let saved = |numbered| studio.save_new("table", &to, b"a,b", numbered);
        let path = saved(true).expect("saved").path;
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "a,b");
        assert_eq!(studio.saved("a.csv").expect("handed on"), b"a,b");
        assert_eq!(saved(false).expect_err("it is there").code, "exists");
        assert!(saved(true).expect("saved").path.ends_with("a-2.csv"));
        // A link in the place of the file is a name that is taken, wherever it leads.
        std::fs::remove_file(&path).expect("removed");
        symlink(at("outside/a.csv"), &path).expect("linked");
        assert_eq!(saved(false).expect_err("a link is there").code, "exists");
        // In the place of the folder, once it was looked at.
        std::fs::rename(at("project/reports"), at("away")).expect("moved");
        symlink(at("outside"), at("project/reports")).expect("linked");
        saved(true).expect_err("it would lie outside");
        saved(false).expect_err("it would lie outside");
        assert_eq!(std::fs::read_dir(at("outside")).expect("there").count(), 0);
        assert_eq!(
            studio.among_reports("a.csv", ".csv").expect_err("a link").code,
            "outside_reports"
        );
    }
}
