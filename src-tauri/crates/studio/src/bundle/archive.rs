//! A bundle's file: a ZIP archive of one folder. What comes from elsewhere may have been made by anybody, so that only what belongs into a
//! bundle is taken out of it, as far as it is small enough, and never outside the folder that is given.

use crate::bundle::layout;
use crate::text::safe;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use store::private;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The files of a bundle beside those of its runs.
pub(super) const REPORT: &str = "report.html";
pub(super) const README: &str = "README.txt";
const HISTORY: &str = ".gatehouse/history.db";
const RUNS: &str = ".gatehouse/runs/";

/// As many bytes are taken out of one.
const MOST_BYTES: u64 = 16 << 30;
/// What is small stays small: so much in any case, and beyond that so many times the size of the archive. Logs and texts become a tenth of their
/// size, rarely less.
const SMALL: u64 = 256 << 20;
const SMALLER: u64 = 200;
/// So much of a strange name is told.
const LONGEST_NAME: usize = 120;

/// Writes all files of a folder into an archive, under one folder of that name.
pub(super) fn write(folder: &Path, name: &str, to: impl Write + Seek) -> io::Result<()> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort();
    let mut archive = ZipWriter::new(to);
    // When a file was written here says nothing of the run.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    for file in files {
        let inside = file.strip_prefix(folder).map_err(io::Error::other)?;
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        archive.start_file(format!("{name}/{}", parts.join("/")), options)?;
        io::copy(&mut File::open(&file)?, &mut archive)?;
    }
    archive.finish()?.flush()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()? {
            kind if kind.is_dir() => gather(&entry.path(), files)?,
            kind if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    Ok(())
}

/// What was taken out of an archive.
pub(super) struct Taken {
    /// The name of the folder in it.
    pub name: String,
    /// What else lay in it and was left there.
    pub strange: Vec<String>,
    /// Names that only capital letters tell from others in it: on some computers the one takes the place of the other.
    pub alike: Vec<String>,
    /// The runs of which it holds files.
    pub runs: BTreeSet<String>,
}

/// Why a file is not taken for a whole bundle, in words that end a sentence.
#[derive(Debug, PartialEq)]
pub(super) enum NotTaken {
    /// It is something else.
    Other(String),
    /// It begins as one does, and is not whole or holds what no bundle does.
    Damaged(String),
    /// Nothing is known of it: it could not be unpacked here.
    Failed(String),
}

/// Takes the files of a bundle out of its archive, into a folder that is empty.
pub(super) fn read(archive: &Path, folder: &Path) -> Result<Taken, NotTaken> {
    let file = store::regular::open(archive).map_err(|error| NotTaken::Other(error.to_string()))?;
    let (taken, has_history) = take_all(&file, folder).map_err(|fault| match fault {
        Fault::Here(why) => NotTaken::Failed(why),
        Fault::There(why) if layout::begins(&file) => NotTaken::Damaged(why),
        Fault::There(why) => NotTaken::Other(why),
    })?;
    match has_history {
        true => Ok(taken),
        false => Err(NotTaken::Other("it holds no record of a run".to_owned())),
    }
}

/// What stopped the unpacking.
enum Fault {
    /// Something of the archive.
    There(String),
    /// Something of this computer.
    Here(String),
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self::There(why)
    }
}

/// The same, with whether a history was among the files.
fn take_all(file: &File, folder: &Path) -> Result<(Taken, bool), Fault> {
    let size = file.metadata().map_err(|error| Fault::Here(error.to_string()))?.len();
    let mut archive = layout::open(file)?;
    let mut found = Taken {
        name: String::new(),
        strange: Vec::new(),
        alike: Vec::new(),
        runs: BTreeSet::new(),
    };
    let mut left = MOST_BYTES.min(SMALL.max(size.saturating_mul(SMALLER)));
    let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let told = safe::visible(&safe::shortened(&raw, LONGEST_NAME));
        if entry.is_dir() && entry.size() == 0 && is_folder(&raw) {
            continue;
        }
        let Some((name, path)) = of_bundle(&raw).filter(|_| entry.is_file()) else {
            // Whoever unpacks the archive would have it read with the record: a journal of the history changes what that holds.
            if raw.to_lowercase().contains(".gatehouse/") {
                let why = format!("it holds a file that would be taken for a part of the record: {told}");
                return Err(why.into());
            }
            found.strange.push(told);
            continue;
        };
        if found.name.is_empty() {
            name.clone_into(&mut found.name);
        }
        let alike = taken.entry(path.to_lowercase()).or_default();
        // Another folder would be another bundle.
        if found.name != name || !alike.insert(path.to_owned()) {
            found.strange.push(told);
            continue;
        }
        if alike.len() > 1 {
            found.alike.push(told.clone());
        }
        if let Some((run, _)) = path.strip_prefix(RUNS).and_then(|rest| rest.split_once('/')) {
            found.runs.insert(run.to_owned());
        }
        let to = folder.join(path);
        let written = take(entry, &to, left).map_err(|error| {
            let why = format!("{told} cannot be taken out of it: {error}");
            // Only the system numbers its errors: the disk is full, or there is no place for such a name. Whatever else is wrong lies in the archive.
            match error.raw_os_error() {
                Some(_) => Fault::Here(why),
                None => Fault::There(why),
            }
        })?;
        left = left
            .checked_sub(written)
            .filter(|left| *left > 0)
            .ok_or_else(|| "it is larger than any bundle".to_owned())?;
    }
    Ok((found, taken.contains_key(HISTORY)))
}

/// The folder in a bundle and the path in that, of a file that belongs there.
fn of_bundle(told: &str) -> Option<(&str, &str)> {
    let (name, path) = told.split_once('/')?;
    let is_known = path == REPORT || path == README || path == HISTORY;
    let is_of_run = path.strip_prefix(RUNS).is_some_and(|rest| rest.contains('/'));
    (is_name(name) && (is_known || is_of_run) && is_inside(path)).then_some((name, path))
}

/// Whether it is a folder in which files of a bundle lie.
fn is_folder(told: &str) -> bool {
    let Some(folder) = told.strip_suffix('/') else {
        return false;
    };
    let (name, path) = folder.split_once('/').unwrap_or((folder, ""));
    let is_around = ["", ".gatehouse", ".gatehouse/runs"].contains(&path);
    is_name(name) && (is_around || (path.starts_with(RUNS) && is_inside(path)))
}

/// Whether the folder of a bundle can be called so.
fn is_name(name: &str) -> bool {
    is_inside(name) && !name.starts_with('.')
}

/// Whether a path leads further in with every part of it, also for programs that take both signs for the one between folders. Of a file that lies
/// there a backslash can be a part of its name, as on Unix; elsewhere there can be no such file.
fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    let is_plain = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    is_plain && path.split(['/', '\\']).all(is_part) && !path.contains('\0') && (cfg!(unix) || !path.contains('\\'))
}

/// Writes one file, of so many bytes at most; gives how many it has.
fn take(entry: impl Read, to: &Path, most: u64) -> io::Result<u64> {
    if let Some(folder) = to.parent() {
        private::make_folder(folder)?;
    }
    private::write_new(to, b"")?;
    let mut file = File::options().append(true).open(to)?;
    io::copy(&mut entry.take(most), &mut file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_into_a_bundle_is_taken_out() {
        for good in [
            "a/report.html",
            "a/.gatehouse/history.db",
            "a/.gatehouse/runs/r/run.json",
            "a/README.txt",
            #[cfg(unix)]
            "a/.gatehouse/runs/r/out\\put.md",
        ] {
            assert!(of_bundle(good).is_some(), "{good}");
        }
        for bad in [
            "report.html",
            "/report.html",
            "../report.html",
            "a/../report.html",
            "a/.gatehouse/runs/../../../x",
            "a/.gatehouse/runs/..",
            "a/.gatehouse/runs//x",
            "a/.gatehouse/runs/a\\..\\x",
            "a/.gatehouse/history.db-wal",
            "a/gatehouse.yaml",
            ".ssh/report.html",
            "a//report.html",
            "a/.gatehouse/runs/r/./x",
            "a/.gatehouse/runs/r/x\\",
        ] {
            assert!(of_bundle(bad).is_none(), "{bad}");
        }
        for (folder, is_one) in [
            ("a/", true),
            ("a/.gatehouse/", true),
            ("a/.gatehouse/runs/r/b/", true),
            ("../", false),
            ("a/../../b/", false),
            ("a/.ssh/", false),
            ("/", false),
        ] {
            assert_eq!(is_folder(folder), is_one, "{folder}");
        }
    }

    /// An archive of a bundle that is as small as can be, and what lies in it.
    fn small() -> (Vec<u8>, Vec<(&'static str, Vec<u8>)>) {
        let files = vec![
            (README, b"Read me.".to_vec()),
            (REPORT, b"<p>Done by Ann, and approved.</p>".repeat(4)),
            (HISTORY, b"SQLite format 3, and what happened".to_vec()),
        ];
        let folder = tempfile::tempdir().expect("a folder");
        for (path, bytes) in &files {
            let to = folder.path().join(path);
            std::fs::create_dir_all(to.parent().expect("it lies in one")).expect("made");
            std::fs::write(to, bytes).expect("written");
        }
        let mut archive = io::Cursor::new(Vec::new());
        write(folder.path(), "a", &mut archive).expect("written");
        (archive.into_inner(), files)
    }

    /// What is taken out of these bytes: the files, and whether anything was named that was left in it.
    fn taken(bytes: &[u8]) -> Result<(Vec<Vec<u8>>, bool), NotTaken> {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, into) = (folder.path().join("a.zip"), folder.path().join("into"));
        std::fs::write(&file, bytes).expect("written");
        std::fs::create_dir(&into).expect("made");
        let found = read(&file, &into)?;
        let files = [README, REPORT, HISTORY].map(|path| std::fs::read(into.join(path)).unwrap_or_default());
        Ok((files.to_vec(), !found.strange.is_empty()))
    }

    #[test]
    fn whatever_byte_is_another_the_files_are_the_same_or_it_is_said() {
        let (archive, files) = small();
        let whole: Vec<Vec<u8>> = files.into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(taken(&archive), Ok((whole.clone(), false)));
        let mut refused = 0;
        for at in 0..archive.len() {
            for flip in [0x01, 0xFF] {
                let mut other = archive.clone();
                other[at] ^= flip;
                match taken(&other) {
                    Err(_) => refused += 1,
                    Ok((files, is_said)) => assert!(is_said || files == whole, "byte {at}"),
                }
            }
        }
        assert!(
            refused > archive.len(),
            "most bytes count: {refused} of {}",
            archive.len()
        );
    }

    #[test]
    fn what_begins_as_a_bundle_and_is_not_whole_is_damaged_and_none_of_another_kind() {
        let (archive, _) = small();
        let mut flipped = archive.clone();
        // Of what the first file holds.
        flipped[80] ^= 0xFF;
        for (what, bytes) in [
            ("flipped", flipped),
            ("cut off", archive[..archive.len() - 20].to_vec()),
            ("half", archive[..archive.len() / 2].to_vec()),
            ("longer", [archive.as_slice(), b"more"].concat()),
        ] {
            match taken(&bytes) {
                Err(NotTaken::Damaged(why)) => assert!(!why.contains("no ZIP archive"), "{what}: {why}"),
                other => panic!("{what}: {other:?}"),
            }
        }
        let mut other = ZipWriter::new(io::Cursor::new(Vec::new()));
        other
            .start_file("word/document.xml", SimpleFileOptions::default())
            .expect("begun");
        other.write_all(b"<w/>").expect("written");
        let other = other.finish().expect("finished").into_inner();
        for (what, bytes) in [
            ("text", b"not an archive".to_vec()),
            ("empty", Vec::new()),
            ("another archive", other),
        ] {
            assert!(matches!(taken(&bytes), Err(NotTaken::Other(_))), "{what}");
        }
    }

    #[test]
    fn a_file_that_holds_more_than_the_bundle_is_refused() {
        let (archive, _) = small();
        let end = archive.len() - 22;
        let list = u32::from_le_bytes(archive[end + 16..end + 20].try_into().expect("four bytes")) as usize;
        let refused = |what: &str, bytes: Vec<u8>| {
            let (NotTaken::Other(why) | NotTaken::Damaged(why) | NotTaken::Failed(why)) =
                taken(&bytes).expect_err(what);
            assert!(why.contains("holds more than the bundle"), "{what}: {why}");
        };
        refused("before", [b"#!/bin/sh\n".as_slice(), &archive].concat());
        refused("behind", [archive.as_slice(), b"more"].concat());
        refused("two", [archive.as_slice(), &archive].concat());
        let mut commented = archive.clone();
        commented[end + 20] = 4;
        refused("a comment", [commented.as_slice(), b"more"].concat());
        let put = |at: usize, more: &[u8]| [&archive[..at], more, &archive[at..]].concat();
        refused("before the end", put(end, b"more"));
        // The end says where the list lies, and how long it is.
        let mut moved = put(list, b"more");
        let start = list as u32 + 4;
        moved[end + 20..end + 24].copy_from_slice(&start.to_le_bytes());
        refused("between files and list", moved);
        let mut longer = put(end, b"more");
        let length = (end + 4 - list) as u32;
        longer[end + 16..end + 20].copy_from_slice(&length.to_le_bytes());
        refused("in the list", longer);
    }

    #[test]
    fn behind_a_file_of_unknown_size_stand_its_sizes_and_nothing_else() {
        let (_, files) = small();
        let mut archive = ZipWriter::new_stream(Vec::new());
        for (path, bytes) in &files {
            archive
                .start_file(format!("a/{path}"), SimpleFileOptions::default())
                .expect("begun");
            archive.write_all(bytes).expect("written");
        }
        let archive = archive.finish().expect("finished").into_inner();
        let whole: Vec<Vec<u8>> = files.into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(taken(&archive), Ok((whole, false)));
        let mark = archive.windows(4).position(|four| four == b"PK\x07\x08");
        let mark = mark.expect("sizes behind the first file");
        for at in mark..mark + 16 {
            let mut other = archive.clone();
            other[at] ^= 0xFF;
            assert!(taken(&other).is_err(), "byte {at}");
        }
    }

    #[test]
    fn names_that_capital_letters_tell_apart_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, into) = (folder.path().join("a.zip"), folder.path().join("into"));
        std::fs::create_dir(&into).expect("made");
        let mut archive = ZipWriter::new(File::create(&file).expect("made"));
        for name in [
            HISTORY,
            ".gatehouse/runs/r/a.md",
            ".gatehouse/runs/r/A.md",
            ".gatehouse/runs/r/b.md",
        ] {
            archive
                .start_file(format!("a/{name}"), SimpleFileOptions::default())
                .expect("begun");
            archive.write_all(name.as_bytes()).expect("written");
        }
        archive.finish().expect("finished");
        match read(&file, &into) {
            Ok(found) => assert_eq!(found.alike, ["a/.gatehouse/runs/r/A.md"]),
            // Where they are one name there is no place for the second file.
            Err(NotTaken::Failed(why)) => assert!(why.contains("A.md"), "{why}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}
