//! What a person saves of a project, for others to read: files in its folder of reports, or where a dialog of the system has asked.

use crate::lock::lock;
use crate::report::view::SavedView;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::Digest;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use store::below;
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

    /// Writes a new file into that folder ([`new`]), which a page hands on.
    pub(crate) fn save_new(&self, what: &str, to: &Path, bytes: &[u8], numbered: bool) -> Result<SavedView, ApiError> {
        let to = new(what, to, bytes, numbered)?;
        self.remember_saved(&to, store::digest_of(bytes));
        Ok(SavedView {
            path: to.display().to_string(),
            bytes: bytes.len() as u64,
        })
    }

    /// Writes a table into a new file of that folder.
    pub(crate) fn save_table(&self, name: &str, table: &str) -> Result<SavedView, ApiError> {
        let table = safe::honest(table);
        self.save_new("table", &self.among_reports(name, ".csv")?, table.as_bytes(), true)
    }
}

/// Why something could not be written. `what`: a report, a bundle, a table.
pub(crate) fn failed(what: &str, to: &Path, error: &std::io::Error) -> ApiError {
    let (code, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ("disk_full", "Free some space, or choose another disk."),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
            ("read_only", "Choose a folder that you may write to.")
        }
        _ => ("io", "Choose another name or folder."),
    };
    let what = format!("The {what} was not written to {}: {error}.", to.display());
    ApiError::new(code, what).hint(hint)
}

/// Writes a file of one's choice, whole or not at all, over one that is there. `what`: a report, a copy.
pub(crate) fn over(what: &str, to: &Path, bytes: &[u8]) -> Result<(), ApiError> {
    let write = || {
        if let Some(folder) = to.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = atomic_write_file::AtomicWriteFile::open(to)?;
        file.write_all(bytes)?;
        file.commit()
    };
    write().map_err(|error: std::io::Error| failed(what, to, &error))
}

/// Writes a file that is not there yet. One that has its own name gets a number where the name is taken. `what`: a report, a table, a copy.
pub(crate) fn new(what: &str, to: &Path, bytes: &[u8], numbered: bool) -> Result<PathBuf, ApiError> {
    if let Some(folder) = to.parent().filter(|_| numbered) {
        std::fs::create_dir_all(folder).map_err(|e| failed(what, to, &e))?;
    }
    let is_taken = |error: &std::io::Error| error.kind() == ErrorKind::AlreadyExists;
    for to in names(to, if numbered { MOST_OF_A_NAME } else { 1 }) {
        match crate::new_file::put_new(&to, bytes) {
            Ok(()) => return Ok(to),
            Err(error) if is_taken(&error) && numbered => {}
            Err(error) if is_taken(&error) => return Err(taken(&to)),
            Err(error) => return Err(failed(what, &to, &error)),
        }
    }
    Err(too_many())
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
