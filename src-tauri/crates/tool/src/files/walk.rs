//! From the project's folder to a place in it, one folder at a time.

use super::{Refusal, names};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, readlinkat, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// So many links may be followed on the way, as the system does.
const MOST_LINKS: u32 = 40;
/// So many parts may a path have.
const MOST_PARTS: usize = 256;

/// A place in the project, there or not, and the open folder it is in.
#[derive(Debug)]
pub(crate) struct Place {
    folder: OwnedFd,
    /// Folders that are not there yet, below `folder`.
    missing: Vec<String>,
    /// Its name in its folder; `.` for the folder itself.
    name: String,
    /// Where it really is, from the project's folder, links resolved; empty: the project's folder.
    pub parts: Vec<String>,
    /// What is there.
    pub found: Option<FileType>,
}

/// A folder open for entering only: it is not written to through it.
const ENTER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Place {
    /// Walks to a written path. `allowed` is asked before the disk is, for the path as written and again wherever a link leads, and last for
    /// the place itself.
    pub fn find(
        root: &Path,
        written: &str,
        allowed: impl Fn(&[String]) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let disk = |error: Errno| disk(written, error);
        let given = root;
        let root = root.canonicalize().map_err(|error| Refusal::Disk {
            path: root.display().to_string(),
            error,
        })?;
        let parts = names::parts(written, &[&root, given])?;
        allowed(&parts)?;
        let open = |folder: BorrowedFd<'_>, name: &str| {
            openat(folder, name, ENTER, Mode::empty()).map_err(|error| match error {
                // It was a folder a moment ago.
                Errno::LOOP | Errno::NOTDIR | Errno::NOENT => Refusal::Changed(written.to_owned()),
                error => disk(error),
            })
        };
        let top = openat(rustix::fs::CWD, &root, ENTER, Mode::empty()).map_err(disk)?;
        let mut trail: Vec<(OwnedFd, String)> = Vec::new();
        let mut ahead: VecDeque<String> = parts.into();
        let mut missing: Vec<String> = Vec::new();
        let mut found = None;
        let mut links = 0;
        while let Some(part) = ahead.pop_front() {
            if trail.len() + missing.len() + ahead.len() > MOST_PARTS {
                return Err(disk(Errno::NAMETOOLONG));
            }
            if part == ".." {
                // Only links say so; below what is not there it means nothing.
                if !missing.is_empty() || trail.pop().is_none() {
                    return Err(Refusal::Link(written.to_owned()));
                }
                continue;
            }
            if !missing.is_empty() {
                missing.push(part);
                continue;
            }
            let here = trail.last().map_or(top.as_fd(), |(folder, _)| folder.as_fd());
            let kind = match statat(here, &part, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => {
                    missing.push(part);
                    continue;
                }
                Err(error) => return Err(disk(error)),
            };
            match kind {
                FileType::Symlink => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(disk(Errno::LOOP));
                    }
                    let target = readlinkat(here, &part, Vec::new()).map_err(disk)?;
                    let target = target.to_str().map_err(|_| Refusal::Link(written.to_owned()))?;
                    follow(target, &root, written, &mut trail, &mut ahead)?;
                    let way: Vec<String> = trail.iter().map(|(_, name)| name).chain(&ahead).cloned().collect();
                    allowed(&way)?;
                }
                FileType::Directory => {
                    let folder = open(here, &part)?;
                    trail.push((folder, part));
                }
                _ if ahead.is_empty() => found = Some((kind, part)),
                _ => return Err(Refusal::NoFolder(written.to_owned())),
            }
        }
        let mut parts: Vec<String> = trail.iter().map(|(_, name)| name.clone()).collect();
        let folder = trail.pop().map_or(top, |(folder, _)| folder);
        let place = match (found, missing.pop()) {
            (Some((kind, name)), _) => {
                parts.push(name.clone());
                Self {
                    folder,
                    missing,
                    name,
                    parts,
                    found: Some(kind),
                }
            }
            (None, Some(name)) => {
                parts.extend(missing.iter().cloned());
                parts.push(name.clone());
                Self {
                    folder,
                    missing,
                    name,
                    parts,
                    found: None,
                }
            }
            (None, None) => Self {
                folder,
                missing,
                name: ".".to_owned(),
                parts,
                found: Some(FileType::Directory),
            },
        };
        allowed(&place.parts)?;
        Ok(place)
    }

    /// Its path from the project's folder, with `/`; `.` for the project's folder.
    pub fn shown(&self) -> String {
        match self.parts.is_empty() {
            true => ".".to_owned(),
            false => self.parts.join("/"),
        }
    }

    /// Opens the ordinary file that is here, for reading.
    pub fn open(&self) -> Result<File, Refusal> {
        match self.found {
            None => return Err(Refusal::Missing(self.shown())),
            Some(FileType::Directory) => return Err(Refusal::Folder(self.shown())),
            // A device may do something when it is opened.
            Some(kind) if kind != FileType::RegularFile => return Err(Refusal::Special(self.shown())),
            Some(_) => {}
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NOENT => Refusal::Changed(self.shown()),
            error => self.disk(error),
        })?;
        let file = File::from(file);
        let is_file = file.metadata().map_err(|error| self.io(error))?.is_file();
        match is_file {
            true => Ok(file),
            false => Err(Refusal::Changed(self.shown())),
        }
    }

    /// The folder it is in, made if it was missing, and its name there.
    pub fn folder(&self, create: bool) -> Result<(OwnedFd, &str), Refusal> {
        if !self.missing.is_empty() && !create {
            return Err(Refusal::MissingFolder(self.shown()));
        }
        let mut folder = self.folder.try_clone().map_err(|error| self.io(error))?;
        for name in &self.missing {
            match mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                // Whoever made it meanwhile: a link would be refused when it is entered.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(self.disk(error)),
            }
            folder = openat(&folder, name, ENTER, Mode::empty()).map_err(|error| match error {
                Errno::LOOP | Errno::NOTDIR => Refusal::Changed(self.shown()),
                error => self.disk(error),
            })?;
        }
        Ok((folder, &self.name))
    }

    /// The folder that is here, open.
    pub fn entered(&self) -> Result<OwnedFd, Refusal> {
        match self.found {
            None => Err(Refusal::Missing(self.shown())),
            Some(FileType::Directory) => self.folder.try_clone().map_err(|error| self.io(error)),
            Some(_) => Err(Refusal::NoFolder(self.shown())),
        }
    }

    pub fn disk(&self, error: Errno) -> Refusal {
        disk(&self.shown(), error)
    }

    pub fn io(&self, error: std::io::Error) -> Refusal {
        Refusal::Disk {
            path: self.shown(),
            error,
        }
    }
}

/// Puts a link's target before what is ahead.
fn follow(
    target: &str,
    root: &Path,
    written: &str,
    trail: &mut Vec<(OwnedFd, String)>,
    ahead: &mut VecDeque<String>,
) -> Result<(), Refusal> {
    let inside = match target.starts_with('/') {
        true => {
            let inside = Path::new(target).strip_prefix(root).ok().and_then(Path::to_str);
            trail.clear();
            inside.ok_or_else(|| Refusal::Link(written.to_owned()))?
        }
        false => target,
    };
    for part in inside.rsplit('/').filter(|part| !matches!(*part, "" | ".")) {
        ahead.push_front(part.to_owned());
    }
    Ok(())
}

fn disk(path: &str, error: Errno) -> Refusal {
    Refusal::Disk {
        path: path.to_owned(),
        error: error.into(),
    }
}
