//! Files on disk: each one atomically, only what differs, never outside the run's directory.
//!
//! Steps write into that directory too: whatever was looked at here by its path, what is done is done in a folder that is held open.
//!
//! A file is written beside its place and renamed, so that a reader or a killed program never sees half of one. It is
//! not synced: the log is what must survive a power cut, and a file that did not is seen to differ and written again.
//! With a sync per file the directory of a long run would cost more than the run.

use super::manifest::FORM;
use super::record::File;
use super::{Change, EVENTS, Files, RUN};
use crate::Error;
use crate::below::{self, Folder, Kind, UNFINISHED, Whose};
use crate::contract::paths::is_inside;
use crate::private;
use crate::regular::{self, NotRead};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Beginning of the name of a folder for what tells of another log than the run has.
const ASIDE: &str = "of-another-log";

/// Writes the files whose bytes differ from those on disk; returns their paths.
///
/// # Errors
/// [`Error::Outside`] for a path that leaves `dir` or leads through a link; [`Error::Io`], [`Error::ReadOnly`],
/// [`Error::DiskFull`]. A file is either its old self or its new one, never half.
pub fn write(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    refuse_links(dir)?;
    let mut written = Vec::new();
    for (path, bytes) in in_order(files) {
        inside(dir, path)?;
        if read_file(dir, path).is_ok_and(|there| there == *bytes) {
            continue;
        }
        put(dir, path, bytes)?;
        written.push(path.clone());
    }
    Ok(written)
}

/// `run.json` says which event the files are of, so it comes last.
fn in_order(files: &Files) -> impl Iterator<Item = (&String, &Vec<u8>)> {
    let others = files.iter().filter(|(path, _)| *path != RUN);
    others.chain(files.get_key_value(RUN))
}

/// [`write`], and files of an earlier version are all written anew.
///
/// # Errors
/// Those of [`write`].
pub(super) fn update(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    match is_of_earlier_version(dir) {
        true => rebuild(dir, files),
        false => write(dir, files),
    }
}

/// Puts files that tell of another log into a folder of their own, before they are written over or taken away: they may be all that is left of it.
/// Those are the ones of the contract that differ from `files` or are none of them.
///
/// # Errors
/// Those of [`write`].
pub(super) fn put_aside(dir: &Path, files: &Files) -> Result<(), Error> {
    refuse_links(dir)?;
    let differs = |path: &str| matches!(read_file(dir, path), Ok(there) if files.get(path) != Some(&there));
    let mut names: Vec<&str> = files.keys().map(String::as_str).collect();
    let of_record = File::ALL.map(File::name).into_iter();
    names.extend(of_record.filter(|name| !files.contains_key(*name)));
    names.retain(|name| differs(name));
    // Last those by which it is known that something is to be put aside.
    names.sort_by_key(|name| *name == EVENTS || *name == RUN);
    let mut aside = others(dir, files, |_| true)?;
    aside.extend(names.into_iter().map(str::to_owned));
    let is_free = |name: &String| dir.join(name).symlink_metadata().is_err();
    let Some(folder) = (1..u32::MAX).map(|n| format!("{ASIDE}-{n}")).find(is_free) else {
        return Ok(());
    };
    for path in aside {
        let to = format!("{folder}/{path}");
        let from = inside(dir, &path)?;
        inside(dir, &to)?;
        let held = held(dir)?;
        let moved = held
            .make(around(&to), Whose::Ours)
            .and_then(|_| held.rename(&path, &to));
        moved.map_err(|e| Error::io(&from, e))?;
    }
    Ok(())
}

/// Whether a file of a run's folder, by its name in there, was put aside because it tells of another log: it is no step's work.
pub fn is_aside(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    first
        .strip_prefix(ASIDE)
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit()) && name.contains('/'))
}

/// Whether something was put into a folder of its own ([`put_aside`]): the latest one.
pub(super) fn aside(dir: &Path) -> Option<PathBuf> {
    let folders = (1..u32::MAX).map(|n| dir.join(format!("{ASIDE}-{n}")));
    folders.take_while(|folder| folder.is_dir()).last()
}

/// Does changes, in their order; returns how many. `None`: the files are not those that the changes are of, so some may
/// not have been done.
///
/// # Errors
/// Those of [`write`].
pub(crate) fn change(dir: &Path, changes: &[Change]) -> Result<Option<usize>, Error> {
    refuse_links(dir)?;
    // A name that is given away stays until the end, so that whoever is stopped in between has left out nothing.
    let mut left: BTreeSet<&str> = BTreeSet::new();
    for change in changes {
        match change {
            Change::Append { path, at, bytes } => {
                let target = inside(dir, path)?;
                let held = held(dir)?;
                let there = held.file(path).ok().and_then(|file| file.metadata().ok());
                if there.is_none_or(|there| there.len() != *at) {
                    return Ok(None);
                }
                if !bytes.is_empty() {
                    let file = held.append(path);
                    let grown = file.and_then(|mut file| grow(&mut file, *at, bytes));
                    grown.map_err(|e| Error::io(&target, e))?;
                }
            }
            Change::Write { path, bytes } => {
                put(dir, path, bytes)?;
                left.remove(path.as_str());
            }
            Change::Rename { from, to } => {
                inside(dir, from)?;
                let held = held(dir)?;
                let there = held.file(from).and_then(|file| regular::read_open(file, u64::MAX));
                let Ok(bytes) = there else {
                    return Ok(None);
                };
                let new = inside(dir, to)?;
                held.make(around(to), Whose::Ours).map_err(|e| Error::io(&new, e))?;
                // One file under two names; where the file system knows no such thing, a copy.
                if held.link(from, to).is_err() {
                    put(dir, to, &bytes)?;
                }
                left.insert(from);
            }
            Change::Remove { path } => drop(left.insert(path)),
        }
    }
    for path in left {
        remove(dir, path)?;
    }
    Ok(Some(changes.len()))
}

/// Adds to a file that ends at `at`; where not all of it can be added, none of it is.
fn grow(file: &mut std::fs::File, at: u64, bytes: &[u8]) -> std::io::Result<()> {
    file.write_all(bytes).inspect_err(|_| drop(file.set_len(at)))
}

/// Takes a file of ours away, if it is there.
///
/// # Errors
/// Those of [`write`].
pub(super) fn remove(dir: &Path, path: &str) -> Result<(), Error> {
    removable(dir, path)?;
    delete(dir, path)
}

fn delete(dir: &Path, path: &str) -> Result<(), Error> {
    // Where there is no folder there is nothing in it.
    if let Err(e) = dir.symlink_metadata() {
        return match e.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(Error::io(dir, e)),
        };
    }
    match held(dir)?.remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&dir.join(path), e)),
        _ => Ok(()),
    }
}

/// A file of a run's folder, through no link in there. One in the place of the folder itself is told of by itself ([`linked`]).
///
/// # Errors
/// [`NotRead`].
pub(crate) fn read_file(dir: &Path, path: &str) -> Result<Vec<u8>, NotRead> {
    below::read_straight(dir, path, u64::MAX)
}

/// A new file each time, so that two programs writing the same run never share one.
fn put(dir: &Path, path: &str, bytes: &[u8]) -> Result<(), Error> {
    let target = inside(dir, path)?;
    let written = held(dir)?.replace(path, Whose::Ours, |file| file.write_all(bytes));
    written.map_err(|e| Error::io(&target, e))
}

/// The run's folder, made where it is missing, and held open.
fn held(dir: &Path) -> Result<Folder, Error> {
    let opened = private::make_folder(dir).and_then(|()| Folder::open(dir));
    opened.map_err(|e| Error::io(dir, e))
}

/// The folder that a path's last name is in; empty: the run's own.
fn around(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Writes `files` in the place of the contract's files in `dir`, and takes strays away; anything else in it stays.
///
/// # Errors
/// Those of [`write`].
pub fn rebuild(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    refuse_links(dir)?;
    let strays = others(dir, files, |_| true)?;
    // All of them are looked at before the first is replaced: half a folder is worse than an old one.
    let leads_out = files.keys().find(|path| !is_inside(path)).cloned();
    if let Some(path) = leads_out.or_else(|| in_the_way(dir, files).into_keys().next()) {
        return Err(Error::Outside { path });
    }
    strays.iter().try_for_each(|path| removable(dir, path))?;
    // One takes the place of the other: what cannot be written leaves what was there.
    for (path, bytes) in in_order(files) {
        put(dir, path, bytes)?;
    }
    for path in &strays {
        delete(dir, path)?;
    }
    Ok(files.keys().cloned().collect())
}

/// That a file may be deleted, there or not. A pipe in its place is deleted like a file; a folder is not ours.
fn removable(dir: &Path, path: &str) -> Result<(), Error> {
    match inside(dir, path)?.symlink_metadata() {
        Ok(there) if there.is_dir() => Err(Error::Outside { path: path.to_owned() }),
        _ => Ok(()),
    }
}

/// The folder itself must not be a link, nor the one around it: what is written there would land elsewhere.
fn refuse_links(dir: &Path) -> Result<(), Error> {
    match linked(dir) {
        Some(folder) => Err(Error::Linked {
            path: folder.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Which of a run's folder and the one around it is a link; absent: neither.
pub(crate) fn linked(dir: &Path) -> Option<&Path> {
    let folders = [Some(dir), dir.parent()].into_iter().flatten();
    let is_link = |folder: &&Path| folder.symlink_metadata().is_ok_and(|there| there.is_symlink());
    folders.into_iter().find(is_link)
}

/// What stands in the place of one of `files`, or of a folder of theirs, and is none, by its path in `dir`: nothing is written there until it
/// is removed. A pipe in the place of a file is replaced like a file.
pub(crate) fn in_the_way(dir: &Path, files: &Files) -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    for path in files.keys() {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends {
            let place = &path[..end];
            let Ok(there) = dir.join(place).symlink_metadata() else {
                break;
            };
            let what = match (there.is_symlink(), there.is_dir(), end == path.len()) {
                (true, ..) => "a link",
                (false, true, true) => "a folder",
                (false, false, false) => "no folder",
                (false, true, false) | (false, false, true) => continue,
            };
            found.insert(place.to_owned(), what);
            break;
        }
    }
    found
}

/// Whether the files in `dir` were written by a version that gave them another form. What says nothing of it is not.
pub(crate) fn is_of_earlier_version(dir: &Path) -> bool {
    let form = || {
        let run: Value = serde_json::from_slice(&read_file(dir, RUN).ok()?).ok()?;
        run.get("version")?.as_u64()
    };
    form().is_some_and(|form| form < u64::from(FORM))
}

/// Files that stand where only receipts and transcripts should, and are none of `files`. What is no folder is not looked into.
///
/// # Errors
/// [`Error::Io`].
pub fn stray(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    others(dir, files, |name| !is_unfinished(name))
}

/// Every file below a run's folder, by its path in there, until `go_on` says that it is enough. Links are named and not followed; what another
/// program is writing is left out.
///
/// # Errors
/// [`Error::Io`].
pub fn each_file(dir: &Path, go_on: &mut dyn FnMut(&str) -> bool) -> Result<(), Error> {
    let top = match Folder::behind(dir) {
        Ok(top) => top,
        Err(e) if is_no_folder(&e) => return Ok(()),
        Err(e) => return Err(Error::reading(dir, e)),
    };
    let mut folders = vec![(PathBuf::new(), String::new())];
    let mut is_enough = false;
    while let Some((path, folder)) = folders.pop() {
        let looked = top.enter(&path).and_then(|held| {
            held.each(|name, kind| {
                let shown = name.to_string_lossy();
                let shown = match folder.as_str() {
                    "" => shown.into_owned(),
                    folder => format!("{folder}/{shown}"),
                };
                match kind {
                    Kind::Folder => folders.push((path.join(name), shown)),
                    _ if is_unfinished(&name.to_string_lossy()) => {}
                    _ => is_enough = !go_on(&shown),
                }
                !is_enough
            })
        });
        match looked {
            Ok(()) => {}
            // What has become a link meanwhile is not followed.
            Err(e) if is_no_folder(&e) => {}
            // One that cannot be looked into keeps nobody from looking at the rest.
            Err(_) if !folder.is_empty() => is_enough = !go_on(&format!("{folder}/")),
            Err(e) => return Err(Error::reading(dir, e)),
        }
        if is_enough {
            break;
        }
    }
    Ok(())
}

/// What another program is writing at this moment, or left when it was killed, claims to be nothing.
fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(UNFINISHED)
}

/// Whether a folder could not be looked into because there is none.
fn is_no_folder(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn others(dir: &Path, files: &Files, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
    let folders: BTreeSet<&str> = files.keys().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
    let mut found = Vec::new();
    for folder in folders {
        // What leads elsewhere holds nothing of this run.
        if inside(dir, folder).is_err() {
            continue;
        }
        let entries = Folder::behind(dir).and_then(|top| top.enter(folder)?.entries());
        let entries = match entries {
            Ok(entries) => entries,
            Err(e) if is_no_folder(&e) => continue,
            Err(e) => return Err(Error::reading(&dir.join(folder), e)),
        };
        for (name, kind) in entries {
            // A name that is no Unicode cannot be one of ours and is not ours to name or to delete.
            let Some(name) = name.to_str().filter(|name| wanted(name)) else {
                continue;
            };
            let name = format!("{folder}/{name}");
            if !files.contains_key(&name) && kind == Kind::File {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The place of a relative path, refused when it would leave `dir` by its name or through a link.
fn inside(dir: &Path, path: &str) -> Result<PathBuf, Error> {
    let outside = || Error::Outside { path: path.to_owned() };
    if !is_inside(path) {
        return Err(outside());
    }
    let mut target = dir.to_owned();
    for part in path.split('/') {
        target.push(part);
        if target.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
            return Err(outside());
        }
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_cannot_be_looked_at_is_not_gone() {
        let kept = tempfile::tempdir().expect("a folder");
        std::fs::write(kept.path().join("file"), "").expect("written");
        assert!(super::delete(&kept.path().join("none"), "x").is_ok());
        assert!(super::delete(&kept.path().join("file/run"), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn no_folder_is_entered_that_has_become_a_link_meanwhile() {
        let kept = tempfile::tempdir().expect("a folder");
        let (dir, outside) = (kept.path().join("run"), kept.path().join("outside"));
        for (folder, file) in [
            (dir.clone(), "a"),
            (dir.join("sub"), "ours"),
            (outside.clone(), "secret"),
        ] {
            std::fs::create_dir_all(&folder).expect("made");
            std::fs::write(folder.join(file), file).expect("written");
        }
        assert_eq!(super::read_file(&dir, "sub/ours").expect("there"), b"ours");
        let mut seen = Vec::new();
        let looked = super::each_file(&dir, &mut |name| {
            seen.push(name.to_owned());
            if name == "a" {
                std::fs::rename(dir.join("sub"), kept.path().join("away")).expect("moved");
                std::os::unix::fs::symlink(&outside, dir.join("sub")).expect("linked");
            }
            true
        });
        assert!(looked.is_ok(), "{looked:?}");
        assert!(seen.iter().any(|name| name == "a"), "{seen:?}");
        assert!(!seen.iter().any(|name| name.contains("secret")), "{seen:?}");
        assert!(super::read_file(&dir, "sub/secret").is_err());
        let (files, strays) = (
            super::Files::from([("sub/x".to_owned(), Vec::new())]),
            Vec::<String>::new(),
        );
        assert_eq!(super::stray(&dir, &files).expect("looked"), strays);
    }
}
