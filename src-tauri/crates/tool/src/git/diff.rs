//! How two versions of the project's files differ.

use super::change::{self, Change, Kind};
use super::contents::{Contents, contents};
use super::open::{Opened, open};
use super::patch::{self, Names};
use super::path::{inside, kept};
use super::status::entry;
use super::{Error, LONGEST_LIST, View};
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use serde_json::{Value, json};

/// How much of a diff is shown, in bytes.
const LONGEST_DIFF: usize = 256 * 1024;

/// What is to be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared<'a> {
    /// A file or folder to which the comparison is limited, from the project's folder.
    pub path: Option<&'a str>,
    /// Compare what is staged instead of what lies in the folder.
    pub staged: bool,
    /// The version to compare with, instead of the index (or, when `staged`, of the last commit). Two with `..` between them are compared
    /// with each other.
    pub against: Option<&'a str>,
}

/// The differences, as `git diff` writes them.
///
/// ```json
/// {"before": "index", "after": "files",
///  "files": [{"path": "a.md", "change": "modified", "added": 2, "removed": 1, "binary": false},
///            {"path": ".env", "change": "modified", "withheld": "secrets are kept from commands: `.env`"}],
///  "diff": "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1,2 @@\n…", "truncated": false}
/// ```
///
/// Renames are found where two versions or what is staged are compared, not in the folder of files. `before` and `after` are `files`, `index`, or the version as it was named. A file that Git does not follow is not part of it. `withheld`
/// says why a file's contents are not shown. `truncated`: the text is longer than is shown, or there are more than [`LONGEST_LIST`] files;
/// files whose text is left out still have their numbers of lines.
///
/// # Errors
/// See [`Error`].
pub fn diff(view: &View<'_>, what: &Compared<'_>) -> Result<Value, Error> {
    let path = inside(what.path.unwrap_or_default())?;
    if let (Some(given), Some(by)) = (what.path, kept(view, path.as_bytes().as_bstr())) {
        return Err(Error::Denied {
            path: given.to_owned(),
            by,
        });
    }
    let opened = open(view)?;
    let (before, after, changes) = compare(view, &opened, what, &path)?;
    let mut text = String::new();
    let mut files = Vec::new();
    let mut truncated = false;
    for change in &changes {
        view.go_on()?;
        let Some(mut shown) = entry(&opened, change) else {
            continue;
        };
        if files.len() == LONGEST_LIST {
            truncated = true;
            break;
        }
        let part = describe(view, &opened, change, &mut shown)?;
        if part.as_deref() == Some("") {
            continue;
        }
        if let Some(part) = part {
            match text.len() + part.len() <= LONGEST_DIFF {
                true => text.push_str(&part),
                false => truncated = true,
            }
        }
        files.push(shown);
    }
    Ok(json!({"before": before, "after": after, "files": files, "diff": text, "truncated": truncated}))
}

type Comparison = (String, String, Vec<Change>);

fn compare(view: &View<'_>, opened: &Opened, what: &Compared<'_>, path: &str) -> Result<Comparison, Error> {
    let index = || change::index(opened);
    let words = |before: &str, after: &str| (before.to_owned(), after.to_owned());
    let ((before, after), changes) = match (what.against, what.staged) {
        (Some(versions), false) if versions.contains("..") => {
            let (old, new) = versions.split_once("..").unwrap_or((versions, "HEAD"));
            // `a...b` asks for what b did since they parted, which is another question.
            if new.starts_with('.') || old.is_empty() || new.is_empty() {
                return Err(Error::NoVersion(versions.to_owned()));
            }
            let to = change::tree(opened, tree(opened, new)?)?;
            (
                words(old, new),
                change::from_tree(view, opened, tree(opened, old)?, &to, path)?,
            )
        }
        (Some(version), false) => {
            let changes = change::from_tree_to_disk(view, opened, tree(opened, version)?, path)?;
            (words(version, "files"), changes)
        }
        (Some(version), true) => {
            let changes = change::from_tree(view, opened, tree(opened, version)?, &index()?, path)?;
            (words(version, "index"), changes)
        }
        (None, true) => {
            let head = opened.repo.head_tree_id_or_empty()?.detach();
            (
                words("HEAD", "index"),
                change::from_tree(view, opened, head, &index()?, path)?,
            )
        }
        (None, false) => {
            let (changes, _) = change::to_disk(view, opened, index()?, path, false)?;
            (words("index", "files"), changes)
        }
    };
    Ok((before, after, changes))
}

/// The tree of a version that a person named.
fn tree(opened: &Opened, version: &str) -> Result<ObjectId, Error> {
    let missing = || Error::NoVersion(version.to_owned());
    // What Git reads as options or searches of messages is no name of a version.
    if version.is_empty() || version.starts_with(['-', ':']) || version.contains("^{/") {
        return Err(missing());
    }
    if opened.repo.head()?.is_unborn() {
        return Err(Error::NoCommits);
    }
    let id = opened.repo.rev_parse_single(version).map_err(|_| missing())?;
    let object = id.object()?.peel_to_tree().map_err(|_| missing())?;
    Ok(object.id)
}

/// Completes the entry of a file; gives its part of the text: none when it is withheld, empty when there is no difference after all.
fn describe(view: &View<'_>, opened: &Opened, change: &Change, shown: &mut Value) -> Result<Option<String>, Error> {
    let name = |path: &BString| opened.prefix.strip(path.as_bstr()).map(BStr::to_owned);
    let Some(path) = name(&change.path) else {
        return Ok(None);
    };
    let from = change.from.as_ref().and_then(name);
    let by = kept(view, path.as_bstr()).or_else(|| kept(view, from.as_ref()?.as_bstr()));
    if let Some(by) = by {
        shown["withheld"] = Value::String(by);
        return Ok(None);
    }
    if change.kind == Kind::Conflict {
        shown["withheld"] = Value::String("it has conflicts that nobody has decided yet".to_owned());
        return Ok(None);
    }
    let old_path = change.from.as_ref().unwrap_or(&change.path);
    let old = contents(opened, old_path.as_bstr(), change.old)?;
    let new = contents(opened, change.path.as_bstr(), change.new)?;
    let (old, new) = match (old, new) {
        (Contents::Bytes(old), Contents::Bytes(new)) => (old, new),
        (Contents::TooLarge(bytes), _) | (_, Contents::TooLarge(bytes)) => {
            shown["withheld"] = Value::String(format!("it is too large to compare: {bytes} bytes"));
            return Ok(None);
        }
    };
    if old == new && from.is_none() && change.old.mode() == change.new.mode() {
        return Ok(Some(String::new()));
    }
    let names = Names {
        old: from.as_ref().unwrap_or(&path).as_bstr(),
        new: path.as_bstr(),
    };
    let patch = patch::between(&names, change, &old, &new);
    shown["binary"] = Value::Bool(patch.binary);
    if !patch.binary {
        shown["added"] = Value::from(patch.added);
        shown["removed"] = Value::from(patch.removed);
    }
    Ok(Some(patch.text))
}
