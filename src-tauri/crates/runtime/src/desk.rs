//! Folders in which Gatehouse itself works for a moment: a bundle that is packed or checked, the brief and the report of an attempt. They lie in the
//! person's own folder, which no other account may enter and no program of a step sees, but for its own desk ([`process::Confinement::desk`]): what
//! another step reports is not its affair.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::private;
use tempfile::{Builder, TempDir};

pub use tool::confinement::{HOME_VARIABLE, configuration_folder};

/// Below the person's folder.
const FOLDER: &str = "work";
/// What the names of folders of attempts begin with.
pub(crate) const ATTEMPT: &str = "attempt-";
/// Nobody packs or checks a bundle for so long.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A new folder to pack or check a bundle in, for this account alone and gone once it is dropped; what others have left of theirs is taken away.
/// `prefix`: what its name begins with.
///
/// # Errors
/// What the system says.
pub fn of_bundle(prefix: &str) -> io::Result<TempDir> {
    clear_old();
    make(prefix)
}

/// The same for an attempt, of which nothing else is taken away.
///
/// # Errors
/// What the system says.
pub(crate) fn make(prefix: &str) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    // Who keeps nothing yet is not given a folder by this, and one that cannot be written is not needed for it.
    if let Some(folder) = folder()
        && private::make_folder(&folder).is_ok()
        && let Ok(made) = builder.tempdir_in(folder)
    {
        return Ok(made);
    }
    builder.tempdir()
}

/// Takes away what somebody who died has left under this prefix.
pub(crate) fn clear(prefix: &str) {
    if let Some(folder) = folder() {
        take_away(&folder, |left| is_called(left, prefix));
    }
}

/// Takes away what a program that was killed while it packed or checked a bundle has left. What is left of an attempt goes when its run is taken
/// up ([`clear`]). It lists the folder: a driver calls it once, not for each attempt.
pub(crate) fn clear_old() {
    let Some(folder) = folder() else { return };
    let is_old = |left: &DirEntry| {
        let made = left.metadata().and_then(|about| about.modified());
        made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > DAY))
    };
    take_away(&folder, |left| !is_called(left, ATTEMPT) && is_old(left));
}

fn is_called(left: &DirEntry, prefix: &str) -> bool {
    left.file_name().to_string_lossy().starts_with(prefix)
}

fn take_away(folder: &Path, is_meant: impl Fn(&DirEntry) -> bool) {
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for left in left.filter(is_meant) {
        if let Err(error) = std::fs::remove_dir_all(left.path()) {
            tracing::warn!(%error, "what was left of an attempt or a bundle could not be removed");
        }
    }
}

fn folder() -> Option<PathBuf> {
    let person = tool::confinement::of_person().filter(|folder| folder.is_dir())?;
    Some(person.join(FOLDER))
}
