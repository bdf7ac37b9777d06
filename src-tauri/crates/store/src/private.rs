//! What Gatehouse keeps of a project is its person's: folders 0700, files 0600. What earlier versions left open to others is closed.

use std::io;
use std::path::Path;

/// Makes a folder, and those above it that are missing, for this account alone.
///
/// # Errors
/// What the system says.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a new file for this account alone and writes it; never over another one.
///
/// # Errors
/// What the system says; that there is one already.
pub fn write_new(file: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(bytes)
}

/// Takes away what others may do with a file or folder of ours; `true` where they could. A link is left alone, and so is what belongs to
/// somebody else: the system does not let us.
pub fn close_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(about) = path.symlink_metadata() else {
            return false;
        };
        let mode = about.permissions().mode();
        if about.is_symlink() || mode & 0o077 == 0 {
            return false;
        }
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700)).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn others_see_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| at(name).metadata().expect("there").permissions().mode() & 0o777;
        make_folder(&at("a/b")).expect("made");
        make_folder(&at("a/b")).expect("there already");
        assert_eq!((mode("a"), mode("a/b")), (0o700, 0o700));
        write_new(&at("new"), b"x").expect("written");
        assert_eq!(mode("new"), 0o600);
        assert!(write_new(&at("new"), b"y").is_err());

        std::fs::write(at("open"), "x").expect("written");
        std::fs::set_permissions(at("open"), std::fs::Permissions::from_mode(0o666)).expect("opened");
        std::os::unix::fs::symlink("open", at("link")).expect("a link");
        assert!(!close_to_others(&at("link")));
        assert_eq!(mode("open"), 0o666);
        assert!(close_to_others(&at("open")));
        assert_eq!(mode("open"), 0o600);
        assert!(!close_to_others(&at("open")), "it is closed already");
        assert!(!close_to_others(&at("nothing")));
    }
}
