//! Folders in which Gatehouse itself works for a moment: a bundle that is packed or checked, the brief and the report of an attempt. They lie in the
//! person's own folder, which no other account may enter and no program of a step sees, but for its own desk ([`process::Confinement::desk`]): what
//! another step reports is not its affair.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::private;
use tempfile::{Builder, TempDir};

/// Below the person's folder.
const FOLDER: &str = "work";
/// What the names of folders of attempts begin with.
pub(crate) const ATTEMPT: &str = "attempt-";
/// Nobody packs or checks a bundle for so long.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A new folder, for this account alone and gone once it is dropped. `prefix`: what its name begins with.
///
/// # Errors
/// What the system says.
pub fn make(prefix: &str) -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    // Who keeps nothing yet is not given a folder by this, and one that cannot be written is not needed for it.
    if let Some(folder) = folder()
        && private::make_folder(&folder).is_ok()
    {
        clear_old(&folder);
        if let Ok(made) = builder.tempdir_in(folder) {
            return Ok(made);
        }
    }
    builder.tempdir()
}

/// Takes away what a program that was killed while it packed or checked a bundle has left. What is left of an attempt goes when its run is taken
/// up.
fn clear_old(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let made = entry.metadata().and_then(|about| about.modified());
        let is_old = made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > DAY));
        let is_attempt = entry.file_name().to_string_lossy().starts_with(ATTEMPT);
        if is_old
            && !is_attempt
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, "what was left of a bundle could not be removed");
        }
    }
}

/// Takes away what somebody who died has left under this prefix.
pub(crate) fn clear(prefix: &str) {
    let Some(Ok(left)) = folder().map(std::fs::read_dir) else {
        return;
    };
    for entry in left.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix)
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, "what an attempt was given to read could not be removed");
        }
    }
}

fn folder() -> Option<PathBuf> {
    let person = tool::confinement::of_person().filter(|folder| folder.is_dir())?;
    Some(person.join(FOLDER))
}
