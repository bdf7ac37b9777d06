//! The symbolic links by which a file is reached.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The links on the way to a file, in the order in which they are followed, each by a path on which no other one stands.
pub(crate) fn links_to(path: &Path) -> Vec<PathBuf> {
    /// As many as the kernel follows.
    const MOST: usize = 40;
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut found = Vec::new();
    let mut ahead = parts(path);
    let mut way = PathBuf::new();
    while let Some(part) = ahead.pop() {
        match part.to_str() {
            Some(".") => continue,
            Some("..") => {
                way.pop();
                continue;
            }
            _ => {}
        }
        let there = way.join(part);
        match std::fs::read_link(&there) {
            Ok(target) if found.len() < MOST => {
                // One that begins at the root leaves the way behind.
                ahead.extend(parts(&target));
                found.push(there);
            }
            _ => way = there,
        }
    }
    found
}
