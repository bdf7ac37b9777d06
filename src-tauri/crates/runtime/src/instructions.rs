//! The instructions that a BMAD workflow file names: a file of the workflow, read when the workflow is, and kept with it by every run
//! ([`dialect::bmad::together`]).

use dialect::Document;
use dialect::bmad::{instructions_of, together};
use std::path::{Component, Path};
use store::below::Folder;
use store::regular::{self, NotRead};

/// The largest file of instructions, in bytes.
const LARGEST: u64 = 1 << 20;

/// A workflow file of the project, read with the instructions that it names; where they cannot be read it says why. `root` must be canonical;
/// `path` is relative to it, with `/`. `read` reads a text of this path.
pub fn document(root: &Path, path: &str, text: &str, read: impl Fn(&str) -> Document) -> Document {
    match whole(root, path, text) {
        Ok(Some(whole)) => read(&whole),
        Ok(None) => read(text),
        Err(why) => read(text).lacking(&why),
    }
}

/// The text of a workflow file with its instructions behind it; `None` where it names none, or has them with it.
///
/// # Errors
/// Why they were not read, in words.
pub fn whole(root: &Path, path: &str, text: &str) -> Result<Option<String>, String> {
    let Some(places) = instructions_of(path, text) else {
        return Ok(None);
    };
    let mut refused = String::new();
    for written in &places {
        match read(root, written) {
            Ok((file, instructions)) => return together(text, &file, &instructions).map(Some),
            Err(why) if refused.is_empty() => refused = why,
            Err(_) => {}
        }
    }
    Err(refused)
}

/// The file of instructions that a workflow file leads to, from the project's folder.
pub(crate) fn file_of(root: &Path, path: &str, text: &str) -> Option<String> {
    let places = instructions_of(path, text)?;
    places
        .iter()
        .find_map(|written| read(root, written).ok())
        .map(|(file, _)| file)
}

/// An ordinary file inside of the project; no link is followed on the way.
fn read(root: &Path, written: &str) -> Result<(String, String), String> {
    let mut parts = Vec::new();
    for part in Path::new(written).components() {
        match part {
            Component::Normal(name) => parts.extend(name.to_str()),
            Component::CurDir => {}
            _ => return Err(format!("`{written}` leads out of the project")),
        }
    }
    let file = parts.join("/");
    if tool::files::is_kept(&file, "") {
        return Err(format!("`{file}` belongs to Gatehouse or Git"));
    }
    let mut at = root.to_owned();
    for part in parts {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|there| there.is_symlink()) {
            return Err(format!("`{file}` is reached by a symbolic link"));
        }
    }
    // Nor one that comes there meanwhile.
    let text = || -> Result<String, NotRead> {
        let top = Folder::open(root).map_err(|_| NotRead::Missing)?;
        let bytes = regular::read_open(top.file(&file)?, LARGEST)?;
        String::from_utf8(bytes).map_err(|_| NotRead::NotText)
    };
    match text() {
        Ok(text) => Ok((file, text)),
        Err(why) => Err(format!("`{file}`: {why}")),
    }
}
