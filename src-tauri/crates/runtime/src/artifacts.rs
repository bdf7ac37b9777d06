//! Files a step made: found by what the workflow declares and by what the report names, digested, and kept as they were.

use crate::project::{self, Escape};
use crate::readable::{self, Readable};
use crate::{clock, file_time};
use engine::{Artifact, At, Digest, RunId};
use glob::Pattern;
use indexmap::IndexMap;
use model::pattern::{ANY_FOLDERS, SIGNS};
use model::step::Output;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use store::below;
use store::regular::{self, NotRead};

/// Largest file that is kept.
pub const LARGEST: u64 = 20 * 1000 * 1000;
/// Most files one declared pattern or folder gives.
const MOST: usize = 1000;

/// The clock of a file system may be this much behind the one that runs are timed with, ms: it goes on in steps of its own.
const SLACK_MS: i64 = 20;
/// The same of one that keeps no parts of a millisecond, and so perhaps every other second, and of one that another machine keeps.
const COARSE_SLACK_MS: i64 = 2_000;

/// More old files than that are counted instead of named.
const FEW: usize = 3;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In the order declared, then as reported.
    pub artifacts: Vec<Artifact>,
    /// Their bytes.
    pub blobs: Vec<Vec<u8>>,
    /// What is there and too large to be kept: path and bytes.
    pub too_large: Vec<(String, u64)>,
    /// What is there and has a name that is no text: its path with such bytes escaped, and its size.
    pub unnamed: IndexMap<String, u64>,
    /// What was left out and why, one sentence each.
    pub notes: Vec<String>,
    /// What the workflow declares, is not optional, and is not there: paths, folders and patterns, relative to the project.
    pub missing: Vec<Missing>,
    /// Those of them that are named as files are.
    pub unmade: Vec<String>,
    /// What the workflow declares, is not optional, and is no path inside the project: nobody looks there.
    pub outside: Vec<String>,
    /// What the attempt found there and left as it was: paths.
    pub untouched: Vec<String>,
    /// What holds the very bytes that it held before the attempt, written again or not, and came to be there since the run began: paths.
    pub unchanged: Vec<String>,
    /// Where that was found: of a copy the path that it was taken from.
    pub unchanged_at: Vec<String>,
    /// What stands where nothing stood before the attempt, as far as somebody looked: paths.
    pub appeared: Vec<String>,
}

impl Found {
    /// Takes those of its files for old that were there before the run began and have not been written since: paths.
    pub fn were_there(&mut self, old: &[String]) {
        for artifact in &mut self.artifacts {
            artifact.was_there |= old.contains(&artifact.path);
        }
        self.notes.extend(left_alone(old));
    }
}

/// How the files of a step stood when its work began: what stands the same way afterwards is no work of it, whoever made it.
#[derive(Debug)]
pub(crate) struct Stood {
    /// Each by its path, with its bytes where they could be read.
    marks: HashMap<String, (Mark, Option<Digest>)>,
    /// Of those that are declared by their paths: where nothing stood, not even a link or a folder.
    absent: Vec<String>,
    /// When that was; it decides over files that nobody looked at then.
    at: At,
    /// The same by the clock that files are timed with, where somebody looked at it.
    clock: Option<FileTime>,
}

/// A moment as a file keeps it: seconds and the parts of one, ns.
type FileTime = (i64, i64);

/// What changes of a file whenever somebody writes it or puts another one in its place.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    bytes: u64,
    modified: Option<SystemTime>,
    /// When its entry changed, and which entry that is.
    #[cfg(unix)]
    entry: (i64, i64, u64, u64),
}

impl Mark {
    fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: about.len(),
            modified: about.modified().ok(),
            #[cfg(unix)]
            entry: (about.ctime(), about.ctime_nsec(), about.dev(), about.ino()),
        }
    }
}

impl Stood {
    /// As they stand now. `declared` are the workflow's outputs. `off`: nobody wants to know any more.
    pub fn now(root: &Path, run: &RunId, declared: &[String], off: &AtomicBool) -> Self {
        let (at, clock) = (clock::now(), file_clock());
        let patterns: Vec<String> = declared
            .iter()
            .filter_map(|output| project::relative(Output::of(output).path, run).ok())
            .collect();
        let files = patterns.iter().flat_map(|pattern| matching(root, run, pattern));
        let wanted = files.take_while(|_| !off.load(Ordering::Relaxed));
        let marks = wanted.filter_map(|(path, file)| {
            let open = below::open(root, &path);
            let about = match &open {
                Ok(open) => open.metadata(),
                // It may be none's to read.
                Err(_) => file.metadata(),
            };
            let mark = Mark::of(&about.ok()?);
            let bytes = open.and_then(|open| regular::read_open(open, LARGEST)).ok();
            Some((path, (mark, bytes.as_deref().map(store::digest_of))))
        });
        let marks = marks.collect();
        let nothing_stands = |path: &String| {
            let there = root.join(path).symlink_metadata();
            there.is_err_and(|why| why.kind() == std::io::ErrorKind::NotFound)
        };
        Self {
            marks,
            absent: patterns.into_iter().filter(nothing_stands).collect(),
            at,
            clock,
        }
    }

    /// The same of a step that declares none.
    pub fn of_none() -> Self {
        Self {
            marks: HashMap::new(),
            absent: Vec::new(),
            at: clock::now(),
            clock: file_clock(),
        }
    }

    /// As they stood at a moment that has passed: their own times tell.
    pub fn at(at: At) -> Self {
        Self {
            marks: HashMap::new(),
            absent: Vec::new(),
            at,
            clock: None,
        }
    }

    /// Whether a file that nobody looked at then was written before.
    fn has_stood(&self, file: &Path, about: &Metadata) -> bool {
        let by_its_clock = |clock| timed_before(file, about, clock);
        written_before(file, about, self.at) || self.clock.is_some_and(by_its_clock)
    }

    /// Which of these files stand where nothing stood then.
    pub fn appeared(&self, found: &[Artifact]) -> Vec<String> {
        let appeared = found.iter().filter(|artifact| self.absent.contains(&artifact.path));
        appeared.map(|artifact| artifact.path.clone()).collect()
    }

    /// The same of every file that was looked for, whether it is found to be kept or not: paths.
    pub fn risen(&self, root: &Path) -> Vec<String> {
        let is_file = |path: &&String| root.join(path).symlink_metadata().is_ok_and(|there| there.is_file());
        self.absent.iter().filter(is_file).cloned().collect()
    }

    /// Which of these files stand as they stood then.
    pub fn untouched(&self, root: &Path, found: &[Artifact]) -> Vec<String> {
        let is_untouched = |artifact: &&Artifact| {
            let file = root.join(&artifact.path);
            file.metadata().is_ok_and(|about| match self.marks.get(&artifact.path) {
                Some((mark, _)) => *mark == Mark::of(&about),
                None => self.has_stood(&file, &about),
            })
        };
        let untouched = found.iter().filter(is_untouched);
        untouched.map(|artifact| artifact.path.clone()).collect()
    }

    /// Which of these files hold the bytes that they held then, but for those that were there before the run began. Whether one was written
    /// again or only touched nobody can tell. `from`: where a copy was taken from.
    pub fn unchanged<'a>(&self, root: &Path, found: &'a [Artifact], from: impl Fn(&'a str) -> &'a str) -> Vec<String> {
        let is_unchanged = |artifact: &&'a Artifact| {
            let path = from(&artifact.path);
            let holds_the_same = match self.marks.get(path) {
                Some((_, bytes)) => bytes.as_ref() == Some(&artifact.digest),
                None => {
                    let file = root.join(path);
                    file.metadata().is_ok_and(|about| self.has_stood(&file, &about))
                }
            };
            !artifact.was_there && holds_the_same
        };
        let unchanged = found.iter().filter(is_unchanged);
        unchanged.map(|artifact| artifact.path.clone()).collect()
    }
}

/// A file as it is read.
struct Read {
    bytes: Vec<u8>,
    was_there: bool,
    executable: bool,
}

/// An output that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// As it is declared, relative to the project.
    pub path: String,
    /// What stands in its place: `a folder without files`.
    pub instead: Option<&'static str>,
}

/// A file that a workflow says a step makes, before anybody has said that it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// As it is declared.
    pub written: String,
    /// The same from the project's folder: `RUN_BASE` is the run's own.
    pub path: String,
    /// How many files are there that it stands for.
    pub there: usize,
    /// The workflow goes on without it.
    pub optional: bool,
}

/// What of a step's declared outputs is there now, in the order declared. What names no file, or leads out of the project, is left out.
pub fn expected(root: &Path, run: &RunId, declared: &[String]) -> Vec<Expected> {
    let outputs = declared.iter().map(|output| Output::of(output));
    outputs
        .filter(|output| is_path(output.path))
        .filter_map(|output| {
            let path = project::relative(output.path, run).ok()?;
            Some(Expected {
                there: matching(root, run, &path).len(),
                optional: output.optional,
                written: output.path.to_owned(),
                path,
            })
        })
        .collect()
}

/// What lies in the folders and fits the patterns that a step says it makes, beside what is known of them. Of one in which nothing is known, which
/// is another folder than the step's own, and of one with more files than are kept it is not told.
pub fn beside(
    root: &Path,
    run: &RunId,
    declared: &[String],
    is_known: impl Fn(&str) -> bool,
) -> Vec<(String, PathBuf)> {
    let patterns = declared
        .iter()
        .filter_map(|output| project::relative(Output::of(output).path, run).ok());
    let folders = patterns.filter(|pattern| !root.join(pattern).is_file());
    let found = folders.map(|pattern| matching(root, run, &pattern));
    let told = found.filter(|files| files.len() < MOST && files.iter().any(|(path, _)| is_known(path)));
    let mut added: IndexMap<String, PathBuf> = IndexMap::new();
    added.extend(told.flatten().filter(|(path, _)| !is_known(path)));
    added.into_iter().collect()
}

/// Why an output is not looked for that names no place in the project as one is named. An absolute path may lie in it all the same.
fn not_looked_at(written: &str) -> String {
    let why = match Path::new(written).is_absolute() {
        true => "is an absolute path, where outputs are named from the project's folder on, and",
        false => "lies outside the project and",
    };
    format!("the workflow's output `{written}` {why} is not looked at")
}

/// Looks for the files of a step that succeeded. `declared` are the workflow's outputs, of which those that exist count;
/// `made` are the report's, which must exist, files or folders with files. `root` is the project's canonical folder.
///
/// # Errors
/// The report names a file that is not there, cannot be read, or lies outside the project; the sentence says so.
///
/// `since`: when the run began. A file that was not written since is no work of it, and a declared one that is missing is named;
/// absent in a rehearsal, in which nothing is made. What is not `readable` is no work of the step either.
pub(crate) fn collect(
    root: &Path,
    run: &RunId,
    readable: &Readable,
    declared: &[String],
    made: &[String],
    since: Option<At>,
) -> Result<Found, String> {
    let mut files: IndexMap<String, PathBuf> = IndexMap::new();
    let mut found = Found::default();
    // Those that were there before.
    let mut old: Vec<String> = Vec::new();
    let mut odd = Odd::new();
    for Output {
        path: written,
        optional,
    } in declared.iter().map(|output| Output::of(output))
    {
        let Ok(pattern) = project::relative(written, run) else {
            found.notes.push(not_looked_at(written));
            if !optional && since.is_some() {
                found.outside.push(written.to_owned());
            }
            continue;
        };
        // A rehearsal's own copy takes the place of the project's file.
        let own = project::rehearsed(written, run).ok().filter(|_| since.is_none());
        let played = own.map(|own| looked(root, run, &own).without_kept(root, readable).files);
        let played = played.unwrap_or_default();
        let matching = match played.is_empty() {
            true => {
                let looked = looked(root, run, &pattern).without_kept(root, readable);
                odd.extend(looked.odd);
                found.unnamed.extend(looked.unnamed);
                looked.files
            }
            false => played,
        };
        if matching.is_empty() && is_path(written) && !optional && since.is_some() {
            if Path::new(written).extension().is_some() {
                // It says what is there instead.
                odd.shift_remove(&pattern);
                found.notes.push(unmade(root, readable, &pattern));
                found.unmade.push(pattern.clone());
            }
            let instead = instead(root, readable, &pattern);
            found.missing.push(Missing { path: pattern, instead });
        } else if matching.is_empty() && !optional && since.is_some() && is_address(written) {
            found.notes.push(format!(
                "`{written}` is an address, not a file of the project, so nobody looked whether it was made"
            ));
        } else if matching.is_empty() && !optional && since.is_some() && speaks_of_a_file(written) {
            found.notes.push(format!(
                "`{pattern}` reads as words, not as the name of a file, so nobody looked whether it was made"
            ));
        }
        for (path, file) in matching {
            files.entry(path).or_insert(file);
        }
    }
    for written in made {
        let named = |why: String| format!("the report names the file `{written}`, {why}");
        let outside = |e: Escape| named(format!("which is refused: {e}"));
        let path = project::relative(written, run).map_err(outside)?;
        let file = project::inside(root, &path).map_err(outside)?;
        // As of an output that the workflow declares: what lies in it.
        if file.is_dir() {
            let inside = looked(root, run, &path).without_kept(root, readable);
            if inside.files.is_empty() {
                return Err(named("which is a folder without files that are kept".to_owned()));
            }
            odd.extend(inside.odd);
            found.unnamed.extend(inside.unnamed);
            for (path, file) in inside.files {
                files.entry(path).or_insert(file);
            }
            continue;
        }
        if !file.is_file() {
            return Err(named(match odd_at(root, &file) {
                Some((_, what)) => format!("which is {what}, not a file"),
                None => "and there is no such file".to_owned(),
            }));
        }
        if let Some(what) = readable.kept(root, &path) {
            return Err(named(format!("which is {what}{}", readable::remedy(what))));
        }
        files.entry(path).or_insert(file);
    }
    match since {
        Some(_) => found.notes.extend(not_kept(&odd)),
        // In a rehearsal nothing is made.
        None => found.unnamed.clear(),
    }
    for (path, file) in files {
        // What is too large says how large it is. All is said of one file, that lies inside, whatever has its name by then.
        let read = || -> Result<Result<Read, u64>, NotRead> {
            let open = readable.open(root, &path)?;
            let metadata = open.metadata()?;
            let bytes = metadata.len();
            if bytes > LARGEST {
                return Ok(Err(bytes));
            }
            let was_there = since.is_some_and(|since| written_before(&file, &metadata, since));
            let executable = regular::is_executable(&metadata);
            match regular::read_open(open, LARGEST) {
                Ok(bytes) => Ok(Ok(Read {
                    bytes,
                    was_there,
                    executable,
                })),
                // It has grown since it was looked at.
                Err(NotRead::TooLarge { .. }) => Ok(Err(LARGEST + 1)),
                Err(error) => Err(error),
            }
        };
        match read() {
            Ok(Ok(Read {
                bytes,
                was_there,
                executable,
            })) => {
                if was_there {
                    old.push(path.clone());
                }
                let digest = store::digest_of(&bytes);
                found.artifacts.push(Artifact {
                    path,
                    digest,
                    bytes: bytes.len() as u64,
                    was_there,
                    executable: Some(executable),
                });
                found.blobs.push(bytes);
            }
            Ok(Err(bytes)) => {
                found.notes.push(format!(
                    "`{path}` has {} MB and was not kept; Gatehouse keeps files of up to {} MB",
                    bytes / 1_000_000,
                    LARGEST / 1_000_000
                ));
                found.too_large.push((path, bytes));
            }
            Err(error) => return Err(format!("the file `{path}` could not be read: {error}")),
        }
    }
    found.notes.extend(left_alone(&old));
    Ok(found)
}

/// What is said of files that were there before the run began.
fn left_alone(old: &[String]) -> Vec<String> {
    match old {
        few if few.len() <= FEW => few
            .iter()
            .map(|path| format!("`{path}` was there before this run began and has not been changed since"))
            .collect(),
        many => vec![format!(
            "{} files were there before this run began and have not been changed since, for example `{}`",
            many.len(),
            many[0]
        )],
    }
}

/// What is said of a declared file that is not there.
pub(crate) fn unmade(root: &Path, readable: &Readable, path: &str) -> String {
    match instead(root, readable, path) {
        Some(instead) => {
            let remedy = readable::remedy(instead);
            format!("the workflow says that the file `{path}` is made here, and what is there is {instead}{remedy}")
        }
        None => format!("the workflow says that `{path}` is made here, and it is not there"),
    }
}

/// What of these paths cannot be a file of the project that is kept, as it is said: each is a name, a folder or a pattern. With the files of it whose
/// names are no text, each with its bytes.
pub(crate) fn set_aside<'a>(
    root: &Path,
    run: &RunId,
    readable: &Readable,
    written: impl IntoIterator<Item = &'a str>,
) -> (Vec<String>, IndexMap<String, u64>) {
    let paths = written.into_iter().filter_map(|path| project::relative(path, run).ok());
    let (mut odd, mut unnamed) = (Odd::new(), IndexMap::new());
    for path in paths {
        let looked = looked(root, run, &path).without_kept(root, readable);
        odd.extend(looked.odd);
        unnamed.extend(looked.unnamed);
    }
    (not_kept(&odd), unnamed)
}

/// What is said of what is no file, or none that is kept.
fn not_kept(odd: &Odd) -> Vec<String> {
    let first = odd.iter().take(FEW);
    let mut said: Vec<String> = first
        .map(|(path, what)| {
            let remedy = readable::remedy(what);
            format!("`{path}` is {what} and was neither opened nor kept{remedy}")
        })
        .collect();
    if odd.len() > FEW {
        said.push(format!("{} more are nothing that is kept either", odd.len() - FEW));
    }
    said
}

/// Outputs may be prose; only what is plainly a file's name is missed: one word, or words that begin in a folder and end as names of files do
/// (`docs/Final report.md`).
pub(crate) fn is_path(written: &str) -> bool {
    let words: Vec<&str> = written.split_whitespace().collect();
    match words.as_slice() {
        [] => false,
        [one] => !is_address(one),
        [first, .., last] => first.contains('/') && ends_as_a_file(last),
    }
}

/// Whether it is the address of something elsewhere (`https://…`), which is no file of the project: agents are told it, nobody looks for it.
pub(crate) fn is_address(written: &str) -> bool {
    let is_scheme = |scheme: &str| {
        let is_of_one = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        // One letter is a drive.
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_one)
            && scheme != "file"
    };
    // A path is written with one slash where there were two.
    written
        .split_once(":/")
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.trim_start_matches('/').is_empty())
}

/// Whether a word ends as names of files do: with two to five letters and digits behind a full stop, not digits alone.
fn ends_as_a_file(word: &str) -> bool {
    let ending = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let is_ending = |ending: &str| {
        let has_letter = ending.bytes().any(|b| b.is_ascii_alphabetic());
        (2..=5).contains(&ending.len()) && has_letter && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    ending.is_some_and(|(_, ending)| is_ending(ending))
}

/// Whether words name a file among others, so that it is not plain what is meant: `plan.md (if needed)`.
fn speaks_of_a_file(written: &str) -> bool {
    let around = |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '"' | '\'' | '`');
    written
        .split_whitespace()
        .any(|word| ends_as_a_file(word.trim_matches(around)))
}

/// What stands where a declared file is not: a pattern stands for any file, so that nothing does.
fn instead(root: &Path, readable: &Readable, pattern: &str) -> Option<&'static str> {
    if pattern.contains(SIGNS) {
        return None;
    }
    let there = root.join(pattern);
    let kind = there.symlink_metadata().ok()?.file_type();
    let odd = odd_at(root, &there).map(|(_, what)| what);
    let odd = odd.or_else(|| readable.kept(root, pattern));
    Some(match (kind.is_symlink(), kind.is_dir(), odd) {
        (_, _, Some(what)) => what,
        (true, ..) => LINK,
        (_, true, None) => "a folder without files that are kept",
        _ => "a file that is not kept as an output",
    })
}

/// What is called as a file or a folder of the project might be, and is none of them, or none that steps may read: paths, each with what it is.
type Odd = IndexMap<String, &'static str>;

/// What a link is called that leads out, or nowhere.
const LINK: &str = "a link that leads to no file of the project";

/// What a file is called whose path nothing in the record could hold.
const UNNAMED: &str = "a file whose name is not UTF-8";

/// A pipe, a socket or a device, or the link on the way there that leads out of the project or nowhere. Nothing of it is opened.
fn odd_at(root: &Path, at: &Path) -> Option<(String, &'static str)> {
    let path = at.strip_prefix(root).ok()?.to_str()?;
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    let leads_out = |path: &&str| root.join(path).is_symlink() && project::inside(root, path).is_err();
    if let Some(link) = ends.map(|end| &path[..end]).find(leads_out) {
        return Some((link.to_owned(), LINK));
    }
    match regular::look(&at.canonicalize().ok()?) {
        Err(NotRead::NotAFile(what)) if !at.is_dir() => Some((path.to_owned(), what)),
        _ => None,
    }
}

/// A file whose path is no text: that with such bytes escaped, and its size. What lies in a folder of such a name is told by itself.
fn unnamed_at(root: &Path, at: &Path) -> Option<(String, u64)> {
    let inside = at.strip_prefix(root).ok()?;
    let is_one = inside.to_str().is_none() && !at.is_dir();
    is_one.then(|| {
        let bytes = at.metadata().map_or(0, |about| about.len());
        (regular::escaped(inside), bytes)
    })
}

/// Whether a file stands as it stood before a moment.
pub(crate) fn stood_before(file: &Path, moment: At) -> bool {
    let about = file.metadata();
    about.is_ok_and(|about| written_before(file, &about, moment))
}

/// Whether a file was written or put in its place before a moment, whatever its own time of change says, which may be copied.
fn written_before(file: &Path, metadata: &Metadata, moment: At) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let at = file_time::put_there(metadata).0;
        let fine = metadata.ctime_nsec() % 1_000_000 != 0;
        at < moment.0 - COARSE_SLACK_MS || (at < moment.0 - SLACK_MS && fine && has_our_clock(file))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        file_time::put_there(metadata).0 < moment.0 - COARSE_SLACK_MS
    }
}

/// The clock by which the system times files, as it stands; absent where that is not known.
#[cfg(target_os = "linux")]
fn file_clock() -> Option<FileTime> {
    use nix::time::ClockId;
    /// It goes on in steps of that length at least, ns; one without steps is another clock.
    const STEP: i64 = 100_000;
    let clock = ClockId::CLOCK_REALTIME_COARSE;
    let (step, now) = (clock.res().ok()?, clock.now().ok()?);
    (step.tv_nsec() >= STEP).then(|| (now.tv_sec(), now.tv_nsec()))
}

#[cfg(not(target_os = "linux"))]
fn file_clock() -> Option<FileTime> {
    None
}

/// Whether a file was written before a moment of the clock that it is timed with: that clock never goes back behind what it showed. What was
/// written in the very step of it in which it was looked at is not told from what came after.
#[cfg(unix)]
fn timed_before(file: &Path, metadata: &Metadata, moment: FileTime) -> bool {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime(), metadata.ctime_nsec()) < moment && has_our_clock(file)
}

#[cfg(not(unix))]
fn timed_before(_file: &Path, _metadata: &Metadata, _moment: FileTime) -> bool {
    false
}

/// Whether a file lies in a file system whose times are those of this machine: a server, or the host of a virtual one, has a clock of its
/// own.
#[cfg(target_os = "linux")]
fn has_our_clock(file: &Path) -> bool {
    /// ext, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS, bcachefs (`f_type`, statfs(2)).
    const LOCAL: [rustix::fs::FsWord; 8] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0xCA45_1A4E,
    ];
    rustix::fs::statfs(file).is_ok_and(|of| LOCAL.contains(&of.f_type))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_our_clock(_file: &Path) -> bool {
    false
}

/// What is found under a declared output.
#[derive(Default)]
struct Looked {
    /// Files inside the project, each with its name.
    files: Vec<(String, PathBuf)>,
    odd: Odd,
    /// Of what is odd the files whose names are no text, each with its bytes.
    unnamed: IndexMap<String, u64>,
}

impl Looked {
    /// Takes what is there under a name, if anything is; whether more is wanted.
    fn take(&mut self, root: &Path, run: &RunId, at: &Path) -> bool {
        match at.is_file().then(|| own(root, run, at)).flatten() {
            Some(file) => self.files.push(file),
            None if self.odd.len() >= MOST => {}
            None => match unnamed_at(root, at) {
                Some((path, bytes)) => {
                    self.odd.insert(path.clone(), UNNAMED);
                    self.unnamed.insert(path, bytes);
                }
                None => self.odd.extend(odd_at(root, at)),
            },
        }
        self.files.len() < MOST
    }

    /// Without the files that steps may not read: they are odd.
    fn without_kept(mut self, root: &Path, readable: &Readable) -> Self {
        let odd = &mut self.odd;
        self.files.retain(|(path, _)| match readable.kept(root, path) {
            Some(what) => {
                odd.insert(path.clone(), what);
                false
            }
            None => true,
        });
        self
    }
}

/// Files inside the project that a declared output means.
fn matching(root: &Path, run: &RunId, pattern: &str) -> Vec<(String, PathBuf)> {
    looked(root, run, pattern).files
}

/// What a declared output means: itself, everything in it when it is a folder of the project, or what a pattern matches.
fn looked(root: &Path, run: &RunId, pattern: &str) -> Looked {
    let mut looked = Looked::default();
    let literal = root.join(pattern);
    let (at, pattern) = if let Some(sign) = pattern.find(SIGNS) {
        // Behind a link that leads out nothing is looked for, so that it is named whatever lies there.
        let folder = pattern[..sign].rsplit_once('/').map(|(folder, _)| root.join(folder));
        looked.odd.extend(folder.and_then(|folder| odd_at(root, &folder)));
        if !looked.odd.is_empty() {
            return looked;
        }
        (root, pattern)
    } else if !pattern.is_empty() && literal.is_dir() && project::inside(root, pattern).is_ok() {
        (literal.as_path(), "**/*")
    } else {
        looked.take(root, run, &literal);
        return looked;
    };
    // At the end they stand for everything in them.
    let all = (pattern.rsplit('/').next() == Some(ANY_FOLDERS)).then_some("*");
    let parts: Result<Vec<Pattern>, _> = pattern.split('/').chain(all).map(Pattern::new).collect();
    // A pattern that is none matches nothing: outputs may be prose.
    let Ok(mut parts) = parts else {
        return looked;
    };
    parts.dedup_by(|next, before| next.as_str() == ANY_FOLDERS && before.as_str() == ANY_FOLDERS);
    walk(at, &parts, &mut |there: PathBuf| looked.take(root, run, &there));
    looked
}

/// Gives everything below a folder that the parts of a pattern fit, in the order of the names, until `take` wants no more; whether it still
/// does. What of a name is no text counts as one character for each part, and one that begins with a full stop fits only what is written out.
fn walk(at: &Path, parts: &[Pattern], take: &mut dyn FnMut(PathBuf) -> bool) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return take(at.to_owned());
    };
    if !part.as_str().contains(SIGNS) {
        return walk(&at.join(part.as_str()), rest, take);
    }
    let is_any = part.as_str() == ANY_FOLDERS;
    names(at).iter().all(|name| {
        let inside = at.join(name);
        let fits = match is_any {
            true => rest.split_first(),
            false => Some((part, rest)),
        };
        let goes_on = match fits {
            Some((part, rest)) if part.matches(&name.to_string_lossy()) => walk(&inside, rest, take),
            _ => true,
        };
        // A folder that is a link may lead round in circles: it is entered where a part of the pattern names it.
        let is_folder = || inside.symlink_metadata().is_ok_and(|about| about.is_dir());
        goes_on && (!is_any || !is_folder() || walk(&inside, parts, take))
    })
}

/// What lies in a folder and is not hidden, in order; nothing where there is none, or it cannot be read.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let mut names: Vec<OsString> = names
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .collect();
    names.sort_unstable();
    names
}

/// The file with its name, when no link leads it out of the project and it is none of Gatehouse's records.
fn own(root: &Path, run: &RunId, file: &Path) -> Option<(String, PathBuf)> {
    let path = file.strip_prefix(root).ok()?.to_str()?.to_owned();
    let path = project::relative(&path, run).ok()?;
    let file = project::inside(root, &path).ok()?;
    Some((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use permission::Policy;

    /// By the rules that hold everywhere.
    fn collect(
        root: &Path,
        run: &RunId,
        declared: &[String],
        made: &[String],
        since: Option<At>,
    ) -> Result<Found, String> {
        super::collect(root, run, &Readable::by(&Policy::default()), declared, made, since)
    }

    struct Folder {
        _kept: tempfile::TempDir,
        root: PathBuf,
    }

    fn folder(files: &[&str]) -> Folder {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let root = kept.path().canonicalize().expect("it exists");
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("folders");
            std::fs::write(path, file).expect("a file");
        }
        Folder { _kept: kept, root }
    }

    fn paths(folder: &Folder, declared: &[&str], made: &[&str]) -> Result<Vec<String>, String> {
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let found = collect(&folder.root, &"r1".into(), &owned(declared), &owned(made), None)?;
        assert_eq!(found.artifacts.len(), found.blobs.len());
        for (artifact, blob) in found.artifacts.iter().zip(&found.blobs) {
            assert_eq!(artifact.digest, store::digest_of(blob));
        }
        Ok(found.artifacts.into_iter().map(|a| a.path).collect())
    }

    #[test]
    fn an_absolute_output_is_not_said_to_lie_outside() {
        let folder = folder(&["a.md"]);
        let inside = folder.root.join("a.md").display().to_string();
        let declared = [inside, "../b.md".to_owned()];
        let found = collect(&folder.root, &"r1".into(), &declared, &[], None).expect("nothing is demanded");
        assert!(found.artifacts.is_empty());
        assert!(found.notes[0].contains("is an absolute path"), "{:?}", found.notes);
        assert!(found.notes[1].contains("lies outside the project"), "{:?}", found.notes);
    }

    #[test]
    fn words_in_a_folder_that_end_as_a_file_name_one() {
        for path in [
            "zzz",
            "a.md",
            "docs/Final report.md",
            "{output_folder}/two words.json",
            "docs/a.md and docs/b.md",
        ] {
            assert!(is_path(path), "{path}");
        }
        for prose in [
            "",
            "A short summary",
            "docs/a.md (required)",
            "docs/a.md - the plan",
            "Updated README.md",
            "CI/CD configuration",
            "Release notes for docs/v1.25",
            "what was said, e.g. by mail",
            "https://example.com/brand.md",
            "s3://bucket/report.pdf",
            "git+ssh://example.com/a.git",
        ] {
            assert!(!is_path(prose), "{prose}");
        }
        for file in ["file:///tmp/a.md", "docs/https://a.md", "://a.md", "https://"] {
            assert!(!is_address(file), "{file}");
        }
        assert!(speaks_of_a_file("docs/a.md (required)") && speaks_of_a_file("Updated README.md"));
        assert!(!speaks_of_a_file("CI/CD configuration") && !speaks_of_a_file("Budget of 10.50"));
    }

    #[test]
    fn what_stands_in_the_place_of_a_file_is_named() {
        let folder = folder(&["docs/x.md"]);
        std::fs::create_dir(folder.root.join("docs/a.md")).expect("a folder");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", folder.root.join("docs/b.md")).expect("a link");
        let missing = |declared: &str| {
            let declared = [declared.to_owned()];
            let found = collect(&folder.root, &"r1".into(), &declared, &[], Some(At(0))).expect("looked at");
            let [missing] = found.missing.as_slice() else {
                panic!("{:?}", found.missing);
            };
            missing.instead
        };
        assert_eq!(missing("docs/a.md"), Some("a folder without files that are kept"));
        #[cfg(unix)]
        assert_eq!(
            missing("docs/b.md"),
            Some("a link that leads to no file of the project")
        );
        assert_eq!(missing("docs/c.md"), None);
        assert_eq!(missing("docs/a*.md"), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_named_and_never_opened() {
        let folder = folder(&["docs/a.md"]);
        let at = |path: &str| folder.root.join(path);
        for pipe in ["docs/pipe.md", "plan.md", "spare"] {
            let made = std::process::Command::new("mkfifo").arg(at(pipe)).status();
            assert!(made.expect("mkfifo is there").success());
        }
        let outside = tempfile::tempdir().expect("another folder");
        std::fs::write(outside.path().join("x.md"), "secret").expect("written");
        std::os::unix::fs::symlink(outside.path(), at("far")).expect("a link");
        std::os::unix::fs::symlink("nowhere", at("docs/to.md")).expect("a link");
        let notes = |declared: &str| {
            let declared = [declared.to_owned()];
            let found = collect(&folder.root, &"r1".into(), &declared, &[], Some(At(0))).expect("looked at");
            (found.notes, found.artifacts.len())
        };
        let pipe = "`docs/pipe.md` is a named pipe and was neither opened nor kept".to_owned();
        let link = |path: &str| format!("`{path}` is {LINK} and was neither opened nor kept");
        assert_eq!(notes("docs/"), (vec![pipe.clone(), link("docs/to.md")], 1));
        let missed = |path: &str| format!("the workflow says that `{path}` is made here, and it is not there");
        assert_eq!(notes("docs/p*.md"), (vec![missed("docs/p*.md"), pipe], 0));
        assert_eq!(notes("far/*.md"), (vec![missed("far/*.md"), link("far")], 0));
        assert_eq!(notes("far/*.txt"), (vec![missed("far/*.txt"), link("far")], 0));
        assert_eq!(notes("far/"), (vec![link("far")], 0));
        let spare = "`spare` is a named pipe and was neither opened nor kept";
        assert_eq!(notes("spare (optional)"), (vec![spare.to_owned()], 0));
        let plan = "the workflow says that the file `plan.md` is made here, and what is there is a named pipe";
        assert_eq!(notes("plan.md"), (vec![plan.to_owned()], 0));
        let named = collect(&folder.root, &"r1".into(), &[], &["plan.md".to_owned()], Some(At(0)));
        let said = "the report names the file `plan.md`, which is a named pipe, not a file";
        assert_eq!(named.expect_err("it is no file"), said);
        // Nothing is made in a rehearsal, and nothing is said of what lies there.
        let declared = ["docs/".to_owned()];
        let played = collect(&folder.root, &"r1".into(), &declared, &[], None).expect("looked at");
        assert_eq!(played.notes, Vec::<String>::new());
    }

    #[test]
    fn declared_outputs_that_exist_are_found_once() {
        let folder = folder(&[
            "docs/a.md",
            "docs/b.md",
            "docs/deep/c.md",
            "x.txt",
            ".gatehouse/history.db",
            ".gatehouse/runs/r1/s/d.md",
        ]);
        let declared = [
            "docs/*.md",
            "docs/a.md",
            "x.txt",
            "none.md",
            "RUN_BASE/s/d.md",
            "the plan, in words",
        ];
        let found = paths(&folder, &declared, &["docs/deep/c.md", "x.txt"]).expect("all of it is fine");
        assert_eq!(
            found,
            [
                "docs/a.md",
                "docs/b.md",
                "x.txt",
                ".gatehouse/runs/r1/s/d.md",
                "docs/deep/c.md"
            ]
        );
        assert_eq!(paths(&folder, &["docs/"], &[]).expect("a folder").len(), 3);
        assert_eq!(paths(&folder, &["**/*.md"], &[]).expect("a pattern").len(), 3);
    }

    #[test]
    fn a_folder_that_a_report_names_stands_for_what_lies_in_it() {
        let folder = folder(&["docs/a.md", "docs/deep/b.md", "c.md"]);
        std::fs::create_dir(folder.root.join("empty")).expect("a folder");
        assert_eq!(
            paths(&folder, &[], &["docs", "c.md"]),
            Ok(["docs/a.md", "docs/deep/b.md", "c.md"].map(str::to_owned).to_vec())
        );
        for nothing in ["empty", "."] {
            let error = paths(&folder, &[], &[nothing]).expect_err(nothing);
            assert!(error.contains("a folder without files"), "{error}");
        }
        assert!(
            paths(&folder, &[], &["none"])
                .expect_err("none")
                .contains("no such file")
        );
    }

    #[test]
    fn files_are_found_in_the_order_of_their_names_whatever_these_are() {
        let odd = [
            "a\nb.md",
            "=1+1.md",
            "\u{202e}x.md",
            "b/a[1].md",
            "b/deep/er/c.md",
            "b.md",
            ".hidden.md",
        ];
        let folder = folder(&odd.map(|name| format!("out/{name}")).each_ref().map(String::as_str));
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::ffi::OsStrExt;
            let no_text = std::ffi::OsStr::from_bytes(b"out/\xff.md");
            std::fs::write(folder.root.join(no_text), "").expect("written");
        }
        let all = [
            "=1+1.md",
            "a\nb.md",
            "b/a[1].md",
            "b/deep/er/c.md",
            "b.md",
            "\u{202e}x.md",
        ]
        .map(|name| format!("out/{name}"));
        assert_eq!(paths(&folder, &["out/"], &[]).expect("a folder"), all);
        let top = [0, 1, 4, 5].map(|place: usize| all[place].clone());
        let cases: [(&str, &[String]); 11] = [
            ("out/**/*.md", &all),
            ("**/**/*.md", &all),
            ("out/*.md", &top),
            ("out/**/deep/**/c.md", &all[3..4]),
            ("*/b/a[[]1].md", &all[2..3]),
            ("out/b/?eep/er/c.md", &all[3..4]),
            ("out/.*", &[]),
            ("out/**", &all),
            ("**", &all),
            ("out/b/**/**", &all[2..4]),
            ("out/***", &[]),
        ];
        for (pattern, found) in cases {
            assert_eq!(paths(&folder, &[pattern], &[]).expect(pattern), found, "{pattern}");
        }
    }

    #[test]
    fn what_was_there_before_the_run_is_no_work_of_it() {
        let folder = folder(&["old.md"]);
        let long_ago = crate::clock::now();
        let began = At(long_ago.0 + 60_000);
        let declared = ["old.md".to_owned(), "none.md".to_owned(), "a plan, in words".to_owned()];
        let found = collect(&folder.root, &"r1".into(), &declared, &[], Some(began)).expect("it is there");
        assert!(found.artifacts[0].was_there);
        assert_eq!(
            found.notes,
            [
                "the workflow says that `none.md` is made here, and it is not there",
                "`old.md` was there before this run began and has not been changed since"
            ]
        );
        assert_eq!(found.unmade, ["none.md"]);
        // Written since the run began, it is its work, also with the same content.
        let began = Some(At(long_ago.0 - 60_000));
        let found = collect(&folder.root, &"r1".into(), &declared[..1], &[], began).expect("it is there");
        assert!(!found.artifacts[0].was_there && found.notes.is_empty());
    }

    #[test]
    fn what_is_written_again_is_told_from_what_is_changed() {
        let folder = folder(&["a.md", "b.md", "c.md"]);
        let (run, declared) = (RunId::from("r1"), ["*.md".to_owned()]);
        let stood = Stood::now(&folder.root, &run, &declared, &AtomicBool::new(false));
        for (name, text) in [("a.md", "a.md"), ("b.md", "another"), ("d.md", "d.md")] {
            std::fs::write(folder.root.join(name), text).expect("written");
        }
        let found = collect(&folder.root, &run, &declared, &[], Some(At(0))).expect("they are there");
        assert_eq!(
            stood.unchanged(&folder.root, &found.artifacts, |path| path),
            ["a.md", "c.md"]
        );
        // A copy holds what the file holds that it was taken from.
        assert_eq!(
            stood.unchanged(&folder.root, &found.artifacts[3..], |_| "b.md"),
            Vec::<String>::new()
        );
        std::fs::write(folder.root.join("d.md"), "b.md").expect("written");
        let found = collect(&folder.root, &run, &declared, &[], Some(At(0))).expect("they are there");
        assert_eq!(
            stood.unchanged(&folder.root, &found.artifacts[3..], |_| "b.md"),
            ["d.md"]
        );
    }

    #[test]
    fn only_what_somebody_looked_for_and_did_not_find_has_appeared() {
        let folder = folder(&["a.md"]);
        let run = RunId::from("r1");
        let declared = ["a.md", "b.md (optional)", "./c.md", "docs/"].map(str::to_owned);
        let stood = Stood::now(&folder.root, &run, &declared, &AtomicBool::new(false));
        std::fs::create_dir(folder.root.join("docs")).expect("a folder");
        for name in ["a.md", "b.md", "c.md", "docs/d.md", "e.md"] {
            std::fs::write(folder.root.join(name), "new").expect("written");
        }
        let named = ["e.md".to_owned()];
        let found = collect(&folder.root, &run, &declared, &named, Some(At(0))).expect("they are there");
        assert_eq!(found.artifacts.len(), 5);
        assert_eq!(stood.appeared(&found.artifacts), ["b.md", "c.md"]);
        assert_eq!(stood.risen(&folder.root), ["b.md", "c.md"]);
        assert_eq!(Stood::of_none().appeared(&found.artifacts), Vec::<String>::new());
    }

    #[test]
    fn what_only_the_report_names_is_told_from_what_was_there() {
        let folder = folder(&["old.md"]);
        let run = RunId::from("r1");
        // A clock that goes on in steps has gone on.
        std::thread::sleep(std::time::Duration::from_millis(60));
        let stood = Stood::of_none();
        std::thread::sleep(std::time::Duration::from_millis(60));
        std::fs::write(folder.root.join("new.md"), "new").expect("written");
        let named = ["old.md".to_owned(), "new.md".to_owned()];
        let found = collect(&folder.root, &run, &[], &named, Some(At(0))).expect("they are there");
        assert_eq!(stood.untouched(&folder.root, &found.artifacts), ["old.md"]);
        assert_eq!(stood.unchanged(&folder.root, &found.artifacts, |path| path), ["old.md"]);
    }

    #[test]
    fn nothing_outside_the_project_is_kept() {
        let outside = folder(&["secret.md"]);
        let folder = folder(&["a.md", ".gatehouse/history.db"]);
        std::os::unix::fs::symlink(outside.root.join("secret.md"), folder.root.join("link.md")).expect("a link");
        std::os::unix::fs::symlink(&outside.root, folder.root.join("far")).expect("a link");
        assert_eq!(
            paths(
                &folder,
                &["*.md", "far/*.md", "link.md", "../secret.md", ".gatehouse/history.db"],
                &[]
            ),
            Ok(vec!["a.md".into()])
        );
        for made in [
            "../secret.md",
            "/etc/passwd",
            "link.md",
            "far/secret.md",
            ".gatehouse/history.db",
            "none.md",
        ] {
            let error = paths(&folder, &[], &[made]).expect_err(made);
            assert!(error.contains(made), "{error}");
        }
    }

    /// What is kept goes into the record and is shown: what steps may not read does not, by whatever name.
    #[cfg(unix)]
    #[test]
    fn what_steps_may_not_read_is_no_output_of_them() {
        use std::os::unix::fs::symlink;
        let folder = folder(&["a.md", ".env", "private/b.md", "keys/test.pem", "keys/c.md"]);
        let at = |path: &str| folder.root.join(path);
        for (to, link) in [(".env", "out.md"), ("private", "docs"), ("out.md", "twice.md")] {
            symlink(to, at(link)).expect("linked");
        }
        let mut policy = Policy::default();
        policy.read.deny = vec!["private/**".to_owned()];
        let collected = |policy: &Policy, declared: &[&str], made: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|&path| path.to_owned()).collect::<Vec<_>>();
            let readable = Readable::by(policy);
            super::collect(
                &folder.root,
                &"r1".into(),
                &readable,
                &owned(declared),
                &owned(made),
                Some(At(0)),
            )
        };
        let kept = |policy: &Policy, declared: &[&str]| {
            let found = collected(policy, declared, &[]).expect("looked at");
            let paths: Vec<String> = found.artifacts.into_iter().map(|made| made.path).collect();
            (paths, found.blobs, found.missing, found.notes.join("\n"))
        };
        let (secret, link) = (
            "a file with the name of a secret",
            "a link to a file that steps may not read",
        );
        for (declared, what) in [
            ("out.md", link),
            ("twice.md", link),
            ("docs/b.md", link),
            (".env", secret),
        ] {
            let (paths, blobs, missing, notes) = kept(&policy, &[declared]);
            assert!(paths.is_empty() && blobs.is_empty(), "{declared}: {paths:?}");
            let missed = Missing {
                path: declared.to_owned(),
                instead: Some(what),
            };
            assert_eq!(missing, [missed]);
            assert!(
                notes.contains(what) && notes.contains("`permissions`"),
                "{declared}: {notes}"
            );
            let error = collected(&policy, &[], &[declared]).expect_err(declared);
            assert!(error.contains(what) && error.contains("`permissions`"), "{error}");
        }
        // What is written beside what is kept, and looks like a secret, is told with what can be done.
        let (paths, _, _, notes) = kept(&policy, &["keys/"]);
        assert_eq!(paths, ["keys/c.md"]);
        let said =
            format!("`keys/test.pem` is {secret} and was neither opened nor kept: give it another name, or allow it");
        assert!(notes.contains(&said), "{notes}");
        let (paths, _, _, notes) = kept(&policy, &["*.md", "docs/", "keys/"]);
        assert_eq!(paths, ["a.md", "keys/c.md"]);
        for path in ["out.md", "twice.md", "docs/b.md"] {
            assert!(notes.contains(&format!("`{path}` is {link}")), "{path}: {notes}");
        }
        assert!(notes.contains("1 more are nothing that is kept either"), "{notes}");
        assert!(collected(&policy, &[], &["docs"]).is_err());
        // The rules give it free.
        policy.read.allow = vec![".env".to_owned()];
        policy.read.deny.clear();
        let (paths, blobs, missing, _) = kept(&policy, &["out.md", "docs/b.md"]);
        assert_eq!(paths, ["out.md", "docs/b.md"]);
        assert_eq!(blobs, [b".env".to_vec(), b"private/b.md".to_vec()]);
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// `ls` shows it, and whoever publishes the folder publishes it: what is approved does not hold it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_whose_name_is_no_text_is_left_out_and_said() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = folder(&["o/a.md", "o/b.txt"]);
        let named = |bytes: &[u8]| folder.root.join("o").join(std::ffi::OsStr::from_bytes(bytes));
        std::fs::write(named(b"c\xe9.md"), "c").expect("a file");
        std::fs::create_dir(named(b"d\xe9")).expect("a folder");
        std::fs::write(named(b"d\xe9").join("e.md"), "e").expect("a file");
        let found = |declared: &str| {
            let found = collect(&folder.root, &"r1".into(), &[declared.to_owned()], &[], Some(At(0)));
            let found = found.expect("not an error");
            let made: Vec<String> = found.artifacts.into_iter().map(|made| made.path).collect();
            let unnamed: Vec<(String, u64)> = found.unnamed.into_iter().collect();
            (made, found.notes, unnamed)
        };
        let said = |path: &str| format!("`{path}` is a file whose name is not UTF-8 and was neither opened nor kept");
        let unnamed = |path: &str| (path.to_owned(), 1_u64);
        let (made, notes, not_kept) = found("o/*.md");
        assert_eq!(made, ["o/a.md"]);
        assert_eq!(notes, [said("o/c\\xe9.md")]);
        assert_eq!(not_kept, [unnamed("o/c\\xe9.md")]);
        let (made, notes, not_kept) = found("o");
        assert_eq!(made, ["o/a.md", "o/b.txt"]);
        assert_eq!(notes, [said("o/c\\xe9.md"), said("o/d\\xe9/e.md")]);
        assert_eq!(not_kept, [unnamed("o/c\\xe9.md"), unnamed("o/d\\xe9/e.md")]);
        let (notes, not_kept) = set_aside(
            &folder.root,
            &"r1".into(),
            &Readable::by(&Policy::default()),
            ["o/*.md"],
        );
        assert_eq!(notes, [said("o/c\\xe9.md")], "of a stage");
        assert_eq!(not_kept.len(), 1);
    }

    #[test]
    fn huge_files_are_left_out_and_said() {
        let folder = folder(&["a.md"]);
        let file = std::fs::File::create(folder.root.join("big.bin")).expect("a file");
        file.set_len(LARGEST + 1).expect("a sparse file");
        let found = collect(&folder.root, &"r1".into(), &["big.bin".to_owned()], &[], None).expect("not an error");
        assert!(found.artifacts.is_empty());
        assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    }
}
