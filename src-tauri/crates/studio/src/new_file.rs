//! New files, whole or not at all.

use std::io::Read;
use std::path::Path;

/// A file without a name of its own yet, in the folder where it is to get one.
pub(crate) fn beside(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut beside = tempfile::Builder::new();
    beside.prefix(".gatehouse-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file is its owner's alone; this one is to be as any new file is.
        beside.permissions(std::fs::Permissions::from_mode(0o666));
    }
    beside.tempfile_in(folder)
}

/// Gives a file that was written whole its name, which must not be taken yet.
///
/// # Errors
/// `AlreadyExists`: something stands there. What the system says.
pub(crate) fn keep(beside: tempfile::NamedTempFile, file: &Path) -> std::io::Result<()> {
    match beside.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(taken) if taken.error.kind() == std::io::ErrorKind::AlreadyExists => Err(taken.error),
        // Some file systems (FAT) know no way to move a file without replacing another: there it is written in place.
        Err(unmoved) => in_place(file, &mut unmoved.file.reopen()?),
    }
}

fn in_place(file: &Path, from: &mut impl Read) -> std::io::Result<()> {
    let mut new = std::fs::File::create_new(file)?;
    let written = std::io::copy(from, &mut new).and_then(|_| new.sync_all());
    if written.is_err() {
        // Half of a file is worse than none; why it could not be written is what is told.
        let _ = std::fs::remove_file(file);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn put_new(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let mut beside = beside(file.parent().expect("a folder"))?;
        beside.write_all(bytes)?;
        keep(beside, file)
    }

    #[test]
    fn what_is_there_stays_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.html");
        put_new(&file, b"one").expect("it is not there yet");
        let taken = put_new(&file, b"two").expect_err("it is there");
        assert_eq!(taken.kind(), std::io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&file).expect("readable"), "one");
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1);
        put_new(&folder.path().join("no/such/b.html"), b"x").expect_err("there is no folder");
        in_place(&file, &mut "two".as_bytes()).expect_err("it is there");
        assert_eq!(std::fs::read_to_string(&file).expect("readable"), "one");
        let other = folder.path().join("b.html");
        in_place(&other, &mut "three".as_bytes()).expect("it is not there yet");
        assert_eq!(std::fs::read_to_string(&other).expect("readable"), "three");
    }
}
