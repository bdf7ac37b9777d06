//! The commits that led to what is checked out.

use super::open::{Opened, head, open};
use super::path::permitted;
use super::status::branch;
use super::{Error, View};
use gix::ObjectId;
use gix::bstr::ByteSlice;
use serde_json::{Value, json};
use std::collections::{BinaryHeap, HashSet};

/// How many commits are shown when nobody says.
const USUAL: usize = 20;
/// How many commits are shown at most.
const MOST: usize = 500;
/// How much of a message is shown, in bytes.
const LONGEST_MESSAGE: usize = 16 * 1024;

/// Which commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History<'a> {
    /// Only those that changed this file or folder, from the project's folder.
    pub path: Option<&'a str>,
    /// How many, at most; 20 when absent, never more than 500.
    pub limit: Option<usize>,
}

/// The latest commits first, as `git log` tells them.
///
/// ```json
/// {"branch": "main", "truncated": true,
///  "commits": [{"id": "<commit>", "author": {"name": "A", "email": "a@example.org"}, "time": "2026-01-31T10:00:00+01:00",
///               "subject": "docs: a plan", "body": "Why …", "parents": ["<commit>"]}]}
/// ```
///
/// `truncated`: there are more. In a project that is a part of its repository only commits that changed the project are shown. A path is
/// not followed through renames; where branches were merged, the side that the file comes from is followed, as Git does.
///
/// # Errors
/// See [`Error`].
pub fn log(view: &View<'_>, what: &History<'_>) -> Result<Value, Error> {
    let path = match what.path {
        Some(path) => permitted(view, path)?,
        None => String::new(),
    };
    let opened = open(view)?;
    let head = head(&opened)?;
    let limit = what.limit.unwrap_or(USUAL).clamp(1, MOST);
    let mut found = walk(view, &opened, head, &opened.prefix.join(&path), limit + 1)?;
    if let (true, Some(path), false) = (found.is_empty(), what.path, path.is_empty()) {
        return Err(Error::Unknown(path.to_owned()));
    }
    let truncated = found.len() > limit;
    found.truncate(limit);
    let commits: Vec<Value> = found.iter().map(|id| commit(&opened, *id)).collect::<Result<_, _>>()?;
    Ok(json!({"branch": branch(&opened)?, "commits": commits, "truncated": truncated}))
}

/// The commits that changed a path (empty: all), the latest first.
fn walk(view: &View<'_>, opened: &Opened, head: ObjectId, path: &str, limit: usize) -> Result<Vec<ObjectId>, Error> {
    let mut waiting = BinaryHeap::from([(time(opened, head)?, head)]);
    let mut seen = HashSet::from([head]);
    let mut found = Vec::new();
    let shallow = opened.repo.shallow_commits()?;
    while let Some((_, id)) = waiting.pop() {
        view.go_on()?;
        let commit = opened.repo.find_commit(id)?;
        let edge = shallow
            .as_ref()
            .is_some_and(|edge| edge.iter().any(|known| *known == id));
        let parents: Vec<ObjectId> = match edge {
            true => Vec::new(),
            false => commit.parent_ids().map(gix::Id::detach).collect(),
        };
        let here = at(opened, id, path)?;
        let mut same = None;
        for parent in parents.iter().filter(|_| !path.is_empty()) {
            if at(opened, *parent, path)? == here {
                same = Some(*parent);
                break;
            }
        }
        let on: Vec<ObjectId> = match same {
            Some(parent) => vec![parent],
            None => {
                if path.is_empty() || !parents.is_empty() || here.is_some() {
                    found.push(id);
                }
                parents
            }
        };
        if found.len() == limit {
            break;
        }
        for parent in on {
            if seen.insert(parent) {
                waiting.push((time(opened, parent)?, parent));
            }
        }
    }
    Ok(found)
}

fn time(opened: &Opened, id: ObjectId) -> Result<i64, Error> {
    Ok(opened.repo.find_commit(id)?.time()?.seconds)
}

/// What a commit holds at a path.
fn at(opened: &Opened, commit: ObjectId, path: &str) -> Result<Option<ObjectId>, Error> {
    if path.is_empty() {
        return Ok(None);
    }
    let tree = opened.repo.find_commit(commit)?.tree()?;
    let entry = tree.lookup_entry(path.split('/').map(str::as_bytes))?;
    Ok(entry.map(|entry| entry.object_id()))
}

fn commit(opened: &Opened, id: ObjectId) -> Result<Value, Error> {
    let commit = opened.repo.find_commit(id)?;
    let message = commit.message_raw()?.to_str_lossy().into_owned();
    let (subject, body) = parted(&message);
    Ok(json!({
        "id": id.to_string(),
        "author": author(&commit)?,
        "time": when(&commit)?,
        "subject": subject,
        "body": body,
        "parents": commit.parent_ids().map(|id| id.to_string()).collect::<Vec<_>>(),
    }))
}

/// Who wrote a commit.
pub(super) fn author(commit: &gix::Commit<'_>) -> Result<Value, Error> {
    let author = commit.author()?.trim();
    Ok(json!({"name": author.name.to_str_lossy(), "email": author.email.to_str_lossy()}))
}

/// When it was written, ISO 8601 with the author's offset.
pub(super) fn when(commit: &gix::Commit<'_>) -> Result<String, Error> {
    let time = commit.author()?.time().map_err(gix::Error::from_error)?;
    Ok(time.format_or_unix(gix::date::time::format::ISO8601_STRICT))
}

/// The first line of a message, and the rest.
pub(super) fn parted(message: &str) -> (String, String) {
    let mut end = message.len().min(LONGEST_MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let message = message[..end].trim();
    let (subject, body) = message.split_once('\n').unwrap_or((message, ""));
    (subject.trim_end().to_owned(), body.trim().to_owned())
}
