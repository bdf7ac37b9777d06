//! The devices by which files are read and written without their paths, and those of other people's screens.

use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Character devices that lead to memory, to disks or to the machine's own screen; every block device does.
const NAMES: [&str; 8] = [
    "mem",
    "kmem",
    "port",
    "nvram",
    "loop-control",
    "btrfs-control",
    "zfs",
    "console",
];
/// The same, by how their names begin, with a number behind it.
const NUMBERED: [&str; 12] = [
    "sg",
    "nvme",
    "ng",
    "st",
    "nst",
    "mtd",
    "megaraid_sas_ioctl_node",
    "raw",
    "tty",
    "vcs",
    "vcsa",
    "vcsu",
];
/// The same: everything in these folders.
const FOLDERS: [&str; 5] = ["bsg", "raw", "mapper", "vfio", "cpu"];
/// How many folders deep is looked.
const DEPTH: usize = 3;

/// Those that are there now and that this account may open: covering one takes a while, and a machine has some hundred.
pub(super) fn past_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    look(Path::new("/dev"), false, DEPTH, &mut found);
    found.retain(|path| may_come_to_open(path));
    found
}

/// Whether this account may open a file, or let itself do so, as the owner of a file can.
fn may_come_to_open(path: &Path) -> bool {
    let is_own = || std::fs::symlink_metadata(path).is_ok_and(|file| file.uid() == rustix::process::geteuid().as_raw());
    [Access::READ_OK, Access::WRITE_OK]
        .iter()
        .any(|way| may_open(path, *way))
        || is_own()
}

/// Whether this account may open a file this way; one of which it cannot be told counts.
fn may_open(path: &Path, way: Access) -> bool {
    let may = rustix::fs::accessat(rustix::fs::CWD, path, way, AtFlags::EACCESS);
    !matches!(may, Err(Errno::ACCESS | Errno::PERM | Errno::NOENT | Errno::ROFS))
}

fn look(folder: &Path, whole: bool, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if kind.is_dir() && depth > 0 && name != "pts" && name != "shm" {
            look(&entry.path(), whole || FOLDERS.contains(&&*name), depth - 1, found);
        } else if kind.is_block_device() || kind.is_char_device() && (whole || leads_past(&name)) {
            found.push(entry.path());
        }
    }
}

fn leads_past(name: &str) -> bool {
    let is_numbered = |before: &&str| {
        let rest = name.strip_prefix(*before);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    NAMES.contains(&name) || NUMBERED.iter().any(is_numbered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_this_account_may_not_open_is_not_covered() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("disk");
        std::fs::write(&file, "").expect("written");
        assert!(may_open(&file, Access::READ_OK));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).expect("its own");
        assert_eq!(
            may_open(&file, Access::READ_OK),
            rustix::process::geteuid().is_root(),
            "root opens everything"
        );
        assert!(!may_open(&folder.path().join("gone"), Access::READ_OK));
    }

    #[test]
    fn names_of_disks_and_of_memory_are_told_from_others() {
        for name in [
            "mem",
            "kmem",
            "port",
            "sg0",
            "nvme0",
            "ng0n1",
            "st1",
            "loop-control",
            "tty1",
            "console",
            "vcs2",
        ] {
            assert!(leads_past(name), "{name}");
        }
        for name in [
            "null", "zero", "tty", "stdin", "urandom", "ptmx", "kvm", "nvidia0", "ttyS0", "ttyUSB1",
        ] {
            assert!(!leads_past(name), "{name}");
        }
    }
}
