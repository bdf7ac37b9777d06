//! A bundle's file: a ZIP archive of one folder. What comes from elsewhere may have been made by anybody, so that only what belongs into a
//! bundle is taken out of it, as far as it is small enough, and never outside the folder that is given.

use crate::text::safe;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use store::private;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The files of a bundle beside those of its runs.
pub(super) const REPORT: &str = "report.html";
pub(super) const README: &str = "README.txt";
const HISTORY: &str = ".gatehouse/history.db";
const RUNS: &str = ".gatehouse/runs/";

/// As much is taken out of one, in files and in bytes.
const MOST_FILES: usize = 200_000;
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
    /// The runs of which it holds files.
    pub runs: BTreeSet<String>,
}

/// Takes the files of a bundle out of its archive, into a folder that is empty. In words: why it is none.
pub(super) fn read(archive: &Path, folder: &Path) -> Result<Taken, String> {
    let file = store::regular::open(archive).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    let mut archive = ZipArchive::new(file).map_err(|_| "it is no ZIP archive".to_owned())?;
    if archive.len() > MOST_FILES {
        return Err(format!("it holds more than {MOST_FILES} files"));
    }
    // Which of them counts every program decides for itself.
    if archive.has_duplicate_names() {
        return Err("it holds two files of one name".to_owned());
    }
    let mut found = Taken {
        name: String::new(),
        strange: Vec::new(),
        runs: BTreeSet::new(),
    };
    let mut left = MOST_BYTES.min(SMALL.max(size.saturating_mul(SMALLER)));
    let mut taken = BTreeSet::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| error.to_string())?;
        if entry.is_dir() {
            continue;
        }
        let raw = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let told = safe::visible(&safe::shortened(&raw, LONGEST_NAME));
        let Some((name, path)) = of_bundle(&raw).filter(|_| entry.is_file()) else {
            found.strange.push(told);
            continue;
        };
        if found.name.is_empty() {
            name.clone_into(&mut found.name);
        }
        // Another folder would be another bundle.
        if found.name != name || !taken.insert(path.to_owned()) {
            found.strange.push(told);
            continue;
        }
        if let Some((run, _)) = path.strip_prefix(RUNS).and_then(|rest| rest.split_once('/')) {
            found.runs.insert(run.to_owned());
        }
        let to = folder.join(path);
        let written = take(entry, &to, left).map_err(|error| format!("{told} cannot be taken out of it: {error}"))?;
        left = left
            .checked_sub(written)
            .filter(|left| *left > 0)
            .ok_or("it is larger than any bundle")?;
    }
    match taken.contains(HISTORY) {
        true => Ok(found),
        false => Err("it holds no record of a run".to_owned()),
    }
}

/// The folder in a bundle and the path in that, of a file that belongs there.
fn of_bundle(told: &str) -> Option<(&str, &str)> {
    let is_plain = |path: &str| {
        Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
    };
    let (name, path) = told.split_once('/')?;
    let is_name = !name.is_empty() && is_plain(name) && !name.starts_with('.');
    let is_known = path == REPORT || path == README || path == HISTORY;
    let is_of_run = path.strip_prefix(RUNS).is_some_and(|rest| rest.contains('/'));
    let is_inside = is_plain(path) && !path.contains(['\\', '\0']) && !path.contains("//");
    (is_name && (is_known || is_of_run) && is_inside).then_some((name, path))
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
        ] {
            assert!(of_bundle(bad).is_none(), "{bad}");
        }
    }
}
