//! Listing a folder.

use super::{Refusal, names, place};
use crate::Context;
use glob::{MatchOptions, Pattern};
use permission::Kind;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// How many entries are listed before the list is cut.
pub(crate) const LONGEST: usize = 2000;
/// How many entries are looked at.
const MOST_SEEN: usize = 50_000;
/// How deep folders are entered.
const DEEPEST: usize = 32;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its path from the project's folder.
    pub path: String,
    /// `file`, `folder`, `link` (never followed) or `other`.
    pub kind: &'static str,
    /// The size of a file.
    pub bytes: Option<u64>,
}

/// What a folder holds, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Listing {
    /// The entries.
    pub entries: Vec<Entry>,
    /// There is more than was listed or looked at.
    pub cut: bool,
    /// How many entries are not shown: the permissions keep them, or they are Gatehouse's or Git's own.
    pub withheld: usize,
}

struct Found {
    parts: Vec<String>,
    kind: FileType,
    bytes: u64,
}

/// Lists a folder, with `recursive` all that is below it. `pattern` is a glob: of the name when it holds no `/`, else of the path from the listed
/// folder.
pub(crate) fn list(
    context: &Context,
    written: &str,
    pattern: Option<&Pattern>,
    recursive: bool,
) -> Result<Listing, Refusal> {
    let place = place(context, written, Kind::Read)?;
    let mut walk = Walk {
        context,
        pattern,
        recursive,
        top: place.parts.len(),
        seen: 0,
        found: Vec::new(),
        listing: Listing::default(),
    };
    let folder = place.entered()?;
    walk.folder(&folder, &place.parts).map_err(|error| place.disk(error))?;
    let Walk {
        mut found, mut listing, ..
    } = walk;
    found.sort_by(|a, b| a.parts.cmp(&b.parts));
    let paths: Vec<&[String]> = found.iter().map(|f| f.parts.as_slice()).collect();
    let denied = names::denied(&context.policy, Kind::Read, &paths);
    for (found, denied) in found.iter().zip(denied) {
        if denied.is_some() {
            listing.withheld += 1;
        } else if listing.entries.len() == LONGEST {
            listing.cut = true;
        } else {
            listing.entries.push(entry(found));
        }
    }
    Ok(listing)
}

struct Walk<'a> {
    context: &'a Context,
    pattern: Option<&'a Pattern>,
    recursive: bool,
    /// How many parts the path of the listed folder has.
    top: usize,
    seen: usize,
    found: Vec<Found>,
    listing: Listing,
}

impl Walk<'_> {
    /// Looks at what is in a folder, then into its folders: as many are open at once as it is deep.
    fn folder(&mut self, folder: &OwnedFd, parts: &[String]) -> Result<(), Errno> {
        let mut inner = Vec::new();
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            // A name that is no text cannot be named in a call either.
            let Ok(name) = entry.file_name().to_str() else {
                self.listing.withheld += 1;
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            self.seen += 1;
            if self.seen > MOST_SEEN {
                self.listing.cut = true;
                break;
            }
            let mut parts = parts.to_vec();
            parts.push(name.to_owned());
            if names::reserved(&parts, self.context.own_folder.as_deref(), false).is_some() {
                self.listing.withheld += 1;
                continue;
            }
            // What has gone meanwhile is not listed.
            let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let kind = FileType::from_raw_mode(stat.st_mode);
            let bytes = u64::try_from(stat.st_size).unwrap_or(0);
            if kind == FileType::Directory {
                inner.push(parts.clone());
            }
            if fits(self.pattern, &parts[self.top..]) {
                self.found.push(Found { parts, kind, bytes });
            }
        }
        if !self.recursive {
            return Ok(());
        }
        inner.sort_unstable();
        for parts in inner {
            if parts.len() > self.top + DEEPEST {
                self.listing.cut = true;
                continue;
            }
            let name = parts.last().map_or(".", String::as_str);
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let entered = openat(folder, name, flags, Mode::empty()).and_then(|inner| self.folder(&inner, &parts));
            // A folder that may not be read, or has become something else, hides nothing else.
            if entered.is_err() {
                self.listing.cut = true;
            }
        }
        Ok(())
    }
}

fn entry(found: &Found) -> Entry {
    let kind = match found.kind {
        FileType::RegularFile => "file",
        FileType::Directory => "folder",
        FileType::Symlink => "link",
        _ => "other",
    };
    Entry {
        path: found.parts.join("/"),
        kind,
        bytes: (found.kind == FileType::RegularFile).then_some(found.bytes),
    }
}

fn fits(pattern: Option<&Pattern>, below: &[String]) -> bool {
    let Some(pattern) = pattern else {
        return true;
    };
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    match pattern.as_str().contains('/') {
        true => pattern.matches_with(&below.join("/"), options),
        false => below.last().is_some_and(|name| pattern.matches_with(name, options)),
    }
}
