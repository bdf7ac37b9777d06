//! Which files of the project steps may read. What is taken for a step's work is copied into the record, shown, and read by other steps. So
//! nothing is taken that steps may not read by the permissions: neither a link that a step has put there nor what its report names brings a
//! secret out.
//!
//! A second name of a file (a hard link) is the file itself: nobody can tell it from one that the step has made.

use permission::{DeniedFiles, Policy};
use std::fs::File;
use std::path::Path;
use store::below;
use store::regular::NotRead;

/// What a file is called that steps may not read,
const KEPT: &str = "a file that steps may not read";
/// one whose name is the reason,
const SECRET: &str = "a file with the name of a secret";
/// and what leads to either.
const LINKED: &str = "a link to a file that steps may not read";

/// What can be done about one whose name is the reason,
const RENAME: &str =
    "give it another name, or allow it by its whole path in gatehouse.yaml (`read: {allow: […]}` under `permissions`)";
/// and about any other.
const REMEDY: &str =
    "have the step write a file of its own there, or change the rules under `permissions` in gatehouse.yaml";

/// What the permissions let the steps of a run read.
pub(crate) struct Readable(DeniedFiles);

impl Readable {
    pub fn by(policy: &Policy) -> Self {
        Self(policy.denied_files())
    }

    /// What stands at a path of the project that steps may not read; `None`: they may, or nothing is there. `root` is canonical.
    pub fn kept(&self, root: &Path, path: &str) -> Option<&'static str> {
        let real = root.join(path).canonicalize().ok()?;
        let real = real.strip_prefix(root).ok()?;
        self.keeps(real).then_some(match real == Path::new(path) {
            true if self.0.is_secret(path) => SECRET,
            true => KEPT,
            false => LINKED,
        })
    }

    /// Opens a file of the project that steps may read ([`below::open`]).
    ///
    /// # Errors
    /// [`NotRead`]; one that they may not read is [`NotRead::Elsewhere`].
    pub fn open(&self, root: &Path, path: &str) -> Result<File, NotRead> {
        below::open_if(root, path, |real| !self.keeps(real))
    }

    /// `real`: from the project's folder, without a link on the way.
    fn keeps(&self, real: &Path) -> bool {
        self.0.keeps(&real.to_string_lossy())
    }
}

/// What can be done about what [`Readable::kept`] calls something; `None`: this is no such word.
pub(crate) fn remedy_of(what: &str) -> Option<&'static str> {
    match what {
        SECRET => Some(RENAME),
        KEPT | LINKED => Some(REMEDY),
        _ => None,
    }
}

/// The same behind what is said of something; empty where steps may read it.
pub(crate) fn remedy(what: &str) -> String {
    remedy_of(what).map_or_else(String::new, |remedy| format!(": {remedy}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_judged_where_it_really_lies() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        for file in ["a.md", ".env", "private/b.md", "keys/test.pem"] {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().expect("inside")).expect("made");
            std::fs::write(file, "x").expect("written");
        }
        for (to, link) in [
            (".env", "plain.md"),
            ("private", "docs"),
            ("docs", "round"),
            ("a.md", ".env.local"),
        ] {
            symlink(to, root.join(link)).expect("linked");
        }
        let mut policy = Policy::default();
        policy.read.deny = vec!["private/**".to_owned()];
        policy.read.allow = vec!["keys/test.pem".to_owned()];
        let readable = Readable::by(&policy);
        for (path, what) in [
            ("a.md", None),
            (".env", Some(SECRET)),
            ("private/b.md", Some(KEPT)),
            ("plain.md", Some(LINKED)),
            ("docs/b.md", Some(LINKED)),
            ("round/b.md", Some(LINKED)),
            ("keys/test.pem", None),
            // What it is called says nothing of what it leads to.
            (".env.local", None),
            ("none.md", None),
        ] {
            assert_eq!(readable.kept(&root, path), what, "{path}");
            let opened = readable.open(&root, path);
            match what {
                Some(_) => assert!(matches!(opened, Err(NotRead::Elsewhere)), "{path}: {opened:?}"),
                None => assert_eq!(opened.is_ok(), path != "none.md", "{path}: {opened:?}"),
            }
        }
    }
}
