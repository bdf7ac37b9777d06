//! Which commit each line of a file comes from.

use super::contents::Side;
use super::contents::{Contents, contents, disk_path};
use super::log::{author, parted, when};
use super::open::{head, open};
use super::patch::is_binary;
use super::path::permitted;
use super::{Error, LONGEST_LIST, View};
use gix::ObjectId;
use gix::blame::{BlameRanges, Start};
use gix::bstr::{BString, ByteSlice};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Which lines of which file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines<'a> {
    /// The file, from the project's folder.
    pub path: &'a str,
    /// The first and the last line, from 1, both included; all of them when absent.
    pub lines: Option<(usize, usize)>,
}

/// Where the lines of a file come from, as it lies in the folder.
///
/// ```json
/// {"path": "a.md", "lines": 12, "truncated": false,
///  "hunks": [{"first": 1, "last": 2, "commit": "<commit>", "author": {"name": "A", "email": "a@example.org"},
///             "time": "2026-01-31T10:00:00+01:00", "subject": "docs: a plan", "text": "one\ntwo\n"},
///            {"first": 3, "last": 3, "commit": null, "text": "not committed yet\n"}]}
/// ```
///
/// `lines`: how many the file has. `commit` is null for lines that were not committed yet. `path` of a hunk: the earlier path, when the file
/// was renamed since. At most [`LONGEST_LIST`] hunks.
///
/// # Errors
/// See [`Error`].
pub fn blame(view: &View<'_>, what: &Lines<'_>) -> Result<Value, Error> {
    let path = permitted(view, what.path)?;
    let opened = open(view)?;
    let given = || what.path.to_owned();
    let head = head(&opened)?;
    let whole = BString::from(opened.prefix.join(&path));
    let tree = opened.repo.find_commit(head)?.tree()?;
    let entry = tree.lookup_entry(whole.split_str("/"))?;
    let entry = entry.ok_or_else(|| Error::Unknown(given()))?;
    if !entry.mode().is_blob() {
        return Err(Error::NoFile(given()));
    }
    let on_disk = disk_path(&opened, whole.as_bstr())?;
    let side = match on_disk.symlink_metadata() {
        Ok(about) if about.is_file() => Side::OnDisk(gix::index::entry::Mode::FILE),
        Ok(_) => return Err(Error::NoFile(given())),
        // Removed since: explained as it was committed last.
        Err(_) => Side::Stored(entry.object_id(), gix::index::entry::Mode::FILE),
    };
    let bytes = match contents(&opened, whole.as_bstr(), side)? {
        Contents::Bytes(bytes) => bytes,
        Contents::TooLarge(bytes) => return Err(Error::TooLarge { path: given(), bytes }),
    };
    if is_binary(&bytes) {
        return Err(Error::Binary(given()));
    }
    let lines: Vec<&[u8]> = bytes.lines_with_terminator().collect();
    let ranges = ranges(what, lines.len())?;

    let start = Start::Contents {
        first_suspect: head,
        contents: bytes.as_slice().into(),
    };
    let options = gix::blame::Options {
        diff_algorithm: gix::diff::blob::Algorithm::Histogram,
        ranges,
        since: None,
        rewrites: Some(gix::diff::Rewrites::default()),
        debug_track_path: false,
    };
    view.go_on()?;
    let mut cache = opened.repo.diff_resource_cache_for_tree_diff()?;
    let outcome = match lines.is_empty() {
        true => Vec::new(),
        false => gix::blame::file(&opened.repo.objects, start, None, &mut cache, whole.as_bstr(), options)?.entries,
    };
    view.go_on()?;

    let mut known: HashMap<ObjectId, Value> = HashMap::new();
    let mut hunks = Vec::new();
    for entry in outcome.iter().take(LONGEST_LIST) {
        let range = entry.range_in_blamed_file();
        let mut hunk = json!({"first": range.start + 1, "last": range.end});
        let source = match known.get(&entry.commit_id) {
            Some(source) => source,
            None => {
                let source = source(&opened.repo, entry.commit_id)?;
                known.entry(entry.commit_id).or_insert(source)
            }
        };
        for (key, value) in source.as_object().into_iter().flatten() {
            hunk[key.as_str()] = value.clone();
        }
        let earlier = entry
            .source_file_name
            .as_ref()
            .and_then(|name| opened.prefix.strip(name.as_bstr()));
        if let Some(earlier) = earlier {
            hunk["path"] = Value::String(earlier.to_str_lossy().into_owned());
        }
        let text = lines.get(range).unwrap_or_default().concat();
        hunk["text"] = Value::String(text.to_str_lossy().into_owned());
        hunks.push(hunk);
    }
    Ok(json!({
        "path": path,
        "lines": lines.len(),
        "hunks": hunks,
        "truncated": outcome.len() > LONGEST_LIST,
    }))
}

fn ranges(what: &Lines<'_>, has: usize) -> Result<BlameRanges, Error> {
    let Some((first, last)) = what.lines else {
        return Ok(BlameRanges::WholeFile);
    };
    if first < 1 || first > last || last > has {
        return Err(Error::NoSuchLines {
            path: what.path.to_owned(),
            has,
            first,
            last,
        });
    }
    let number = |line| u32::try_from(line).unwrap_or(u32::MAX);
    Ok(BlameRanges::from_one_based_inclusive_range(
        number(first)..=number(last),
    )?)
}

fn source(repo: &gix::Repository, id: ObjectId) -> Result<Value, Error> {
    if id.is_null() {
        return Ok(json!({"commit": null}));
    }
    let commit = repo.find_commit(id)?;
    let (subject, _) = parted(&commit.message_raw()?.to_str_lossy());
    Ok(json!({
        "commit": id.to_string(),
        "author": author(&commit)?,
        "time": when(&commit)?,
        "subject": subject,
    }))
}
