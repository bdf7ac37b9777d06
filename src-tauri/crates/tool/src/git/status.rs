//! What has changed since the last commit.

use super::change::{self, Change, Kind};
use super::open::{Opened, open};
use super::{Error, LONGEST_LIST, View};
use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};

/// What `git status` tells.
///
/// ```json
/// {"branch": "main", "head": "<commit>", "clean": false,
///  "staged": [{"path": "a.md", "change": "renamed", "from": "b.md"}], "unstaged": [{"path": "c.md", "change": "modified"}],
///  "untracked": ["d.md", "folder/"], "conflicts": ["e.md"], "truncated": false}
/// ```
///
/// `branch` is null when no branch is checked out, `head` when nothing was committed yet. `change` is one of `added`, `removed`,
/// `modified`, `renamed`, `copied`, `type_changed`. Each list holds at most [`LONGEST_LIST`] entries. Submodules are not looked into, ignored
/// files are not shown.
///
/// # Errors
/// See [`Error`].
pub fn status(view: &View<'_>) -> Result<Value, Error> {
    let opened = open(view)?;
    let head = opened.repo.head_tree_id_or_empty()?.detach();
    let index = change::index(&opened)?;
    let staged = change::from_tree(view, &opened, head, &index, "")?;
    let (unstaged, untracked) = change::to_disk(view, &opened, index, "", true)?;
    let conflicts: Vec<&Change> = unstaged.iter().filter(|c| c.kind == Kind::Conflict).collect();
    let undecided = |c: &Change| conflicts.iter().any(|other| other.path == c.path);

    let mut truncated = false;
    let staged = cut(
        staged
            .iter()
            .filter(|c| !undecided(c))
            .filter_map(|c| entry(&opened, c)),
        &mut truncated,
    );
    let changed = unstaged.iter().filter(|c| c.kind != Kind::Conflict);
    let unstaged = cut(changed.filter_map(|c| entry(&opened, c)), &mut truncated);
    let conflicts = cut(conflicts.iter().filter_map(|c| shown(&opened, &c.path)), &mut truncated);
    let untracked = cut(
        untracked.iter().filter_map(|path| unfollowed(&opened, path)),
        &mut truncated,
    );
    let clean = [&staged, &unstaged, &conflicts, &untracked]
        .iter()
        .all(|list| list.is_empty());
    Ok(json!({
        "branch": branch(&opened)?,
        "head": opened.repo.head_id().ok().map(|id| id.to_string()),
        "clean": clean,
        "staged": staged,
        "unstaged": unstaged,
        "untracked": untracked,
        "conflicts": conflicts,
        "truncated": truncated,
    }))
}

/// The short name of the branch that is checked out.
pub(super) fn branch(opened: &Opened) -> Result<Option<String>, Error> {
    let name = opened.repo.head_name()?;
    Ok(name.map(|name| name.shorten().to_str_lossy().into_owned()))
}

/// A change as lists show it; none when it lies above the project.
pub(super) fn entry(opened: &Opened, change: &Change) -> Option<Value> {
    let mut entry = json!({"path": shown(opened, &change.path)?, "change": change.kind.word()});
    if let Some(from) = &change.from {
        entry["from"] = shown(opened, from).unwrap_or(Value::Null);
    }
    Some(entry)
}

fn shown(opened: &Opened, path: &BString) -> Option<Value> {
    let path = opened.prefix.strip(path.as_bstr())?;
    Some(Value::String(path.to_str_lossy().into_owned()))
}

/// A path that Git does not follow: where the whole project lies in such a folder, the project.
fn unfollowed(opened: &Opened, path: &BString) -> Option<Value> {
    let above = path.ends_with(b"/") && format!("{}/", opened.prefix.0).as_bytes().starts_with(path);
    match above && !opened.prefix.0.is_empty() {
        true => Some(Value::String("./".to_owned())),
        false => shown(opened, path),
    }
}

fn cut(all: impl Iterator<Item = Value>, truncated: &mut bool) -> Vec<Value> {
    let mut list: Vec<Value> = all.take(LONGEST_LIST + 1).collect();
    if list.len() > LONGEST_LIST {
        list.truncate(LONGEST_LIST);
        *truncated = true;
    }
    list
}
