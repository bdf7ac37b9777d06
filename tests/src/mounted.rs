//! A small file system of its own, for disks that are full or can only be read.

use crate::driven::until;
use crate::looking::can_look;
use std::path::Path;
use std::process::{Command, Stdio};

/// A small file system of its own at a project's folder; goes away with its value.
#[derive(Debug)]
pub struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// `None` where this account may not mount: the test cannot look.
    pub fn new(at: &'a Path) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m", "gatehouse-test"])
            .arg(at)
            .output();
        let mounted = mount.is_ok_and(|o| o.status.success());
        can_look(mounted, "this account may not mount a file system of its own").then(|| Self(at))
    }
    /// Whether it can only be read from now on.
    ///
    /// The kernel refuses while anything is open for writing. A program that another test is just starting holds
    /// what this one had open until it is loaded, so a refusal is waited out for a while.
    ///
    /// # Panics
    /// `mount` goes on refusing.
    pub fn read_only(&self, yes: bool) {
        let how = if yes { "remount,ro" } else { "remount,rw" };
        let mut said = String::new();
        let done = until(how, || {
            let mount = Command::new("mount")
                .args(["-o", how])
                .arg(self.0)
                .output()
                .expect("mount runs");
            said = String::from_utf8_lossy(&mount.stderr).into_owned();
            mount.status.success().then_some(())
        });
        assert!(done.is_ok(), "{how}: {said}");
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.0)
            .stderr(Stdio::null())
            .status();
    }
}

/// Takes all the space there is.
///
/// # Panics
/// The file cannot be made.
pub fn fill(path: &Path) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).expect("a file");
    for size in [65_536, 4_096, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
}
