//! Digests of the project's files as they are now, each remembered for as long as the file stands unchanged: a brief is asked for again and
//! again while it waits.

use crate::lock::lock;
use engine::Digest;
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// Whatever was changed more lately may be changed again without its time of change telling.
const SETTLED: Duration = Duration::from_secs(3);

/// So many are remembered at most.
const MOST: usize = 4096;

/// By path.
#[derive(Debug, Default)]
pub(crate) struct Digests(Mutex<HashMap<String, (Mark, Digest)>>);

/// By what it is known that a file is still what it was: how long it is, and when it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    bytes: u64,
    modified: SystemTime,
}

impl Mark {
    /// `None`: it may be changed without being told apart.
    pub fn of(about: &Metadata) -> Option<Self> {
        let modified = about.modified().ok()?;
        let since = SystemTime::now().duration_since(modified).ok()?;
        (since > SETTLED).then_some(Self {
            bytes: about.len(),
            modified,
        })
    }
}

impl Digests {
    /// The digest of a file, which is read only where it is not known. `digest`: reads it.
    pub fn of(&self, path: &str, file: &Path, digest: impl FnOnce() -> Option<Digest>) -> Option<Digest> {
        let Some(mark) = file.metadata().ok().as_ref().and_then(Mark::of) else {
            return digest();
        };
        if let Some((known, digest)) = lock(&self.0).get(path)
            && *known == mark
        {
            return Some(digest.clone());
        }
        let digest = digest()?;
        let mut known = lock(&self.0);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(path.to_owned(), (mark, digest.clone()));
        Some(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, write};

    #[test]
    fn a_file_that_stands_unchanged_is_read_once_and_any_other_each_time() {
        let folder = tempfile::tempdir().expect("it is there");
        let file = folder.path().join("plan.md");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
        let put = |text: &str, at: SystemTime| {
            write(&file, text).expect("it is there");
            let there = File::options().write(true).open(&file).expect("it is there");
            there.set_modified(at).expect("it is there");
        };
        let digests = Digests::default();
        let of = |says: &str| digests.of("plan.md", &file, || Some(says.into())).expect("it is there");
        put("one", long_ago);
        assert_eq!([of("1"), of("2")], [Digest::from("1"), Digest::from("1")]);
        put("three", long_ago);
        assert_eq!(of("3"), Digest::from("3"), "another length");
        put("eight", long_ago + Duration::from_secs(1));
        assert_eq!(of("4"), Digest::from("4"), "another time");
        put("seven", SystemTime::now());
        assert_eq!([of("5"), of("6")], [Digest::from("5"), Digest::from("6")]);
        std::fs::remove_file(&file).expect("it is there");
        assert_eq!(digests.of("plan.md", &file, || None), None);
    }
}
