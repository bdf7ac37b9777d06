//! Writing a text: whole or not at all, and never into what is there.

use super::{Place, Refusal, place};
use crate::Context;
use permission::Kind;
use rustix::fs::{AtFlags, FileType, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};

/// The largest file that is written or added to, in bytes.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It stays, and the call fails.
    Create,
    /// It is replaced.
    Overwrite,
    /// It is added to.
    Append,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Where, from the project's folder.
    pub path: String,
    /// How many bytes the file has now.
    pub bytes: u64,
    /// Whether it was not there before.
    pub created: bool,
}

/// Writes a text: into a new file beside it that then takes its name, so that a reader sees the old text or the new one. A link stays a
/// link, and the file it leads to is replaced. With [`Mode::Append`] what somebody else writes at the same moment may be lost.
pub(crate) fn write(
    context: &Context,
    written: &str,
    content: &str,
    mode: Mode,
    create_folders: bool,
) -> Result<Written, Refusal> {
    let place = place(context, written, Kind::Write)?;
    let path = place.shown();
    match place.found {
        Some(FileType::Directory) => return Err(Refusal::Folder(path)),
        Some(FileType::RegularFile) if mode == Mode::Create => return Err(Refusal::Exists(path)),
        Some(FileType::RegularFile) | None => {}
        Some(_) => return Err(Refusal::Special(path)),
    }
    let (before, permissions) = before(&place, mode)?;
    let bytes = before.len() as u64 + content.len() as u64;
    if bytes > LARGEST {
        return Err(Refusal::TooLarge { path, limit: LARGEST });
    }
    let (folder, name) = place.folder(create_folders)?;
    let draft = Draft::new(&place, &folder, permissions)?;
    draft
        .fill(&[&before, content.as_bytes()])
        .map_err(|error| place.io(error))?;
    draft.becomes(name, mode).map_err(|error| match error {
        Errno::EXIST => Refusal::Exists(path.clone()),
        error => place.disk(error),
    })?;
    Ok(Written {
        path,
        bytes,
        created: place.found.is_none(),
    })
}

/// What is there that stays, and with which permissions.
fn before(place: &Place, mode: Mode) -> Result<(Vec<u8>, Option<rustix::fs::Mode>), Refusal> {
    if place.found.is_none() {
        return Ok((Vec::new(), None));
    }
    let mut file = place.open()?;
    let stat = rustix::fs::fstat(&file).map_err(|error| place.disk(error))?;
    // A program stays one, but nothing is written that runs as somebody else.
    let permissions = rustix::fs::Mode::from_raw_mode(stat.st_mode & 0o777);
    let mut bytes = Vec::new();
    if mode == Mode::Append {
        let mut part = (&mut file).take(LARGEST + 1);
        part.read_to_end(&mut bytes).map_err(|error| place.io(error))?;
    }
    Ok((bytes, Some(permissions)))
}

/// The new file, until it has its name.
struct Draft<'a> {
    folder: &'a OwnedFd,
    name: String,
    file: File,
}

impl<'a> Draft<'a> {
    fn new(place: &Place, folder: &'a OwnedFd, permissions: Option<rustix::fs::Mode>) -> Result<Self, Refusal> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| place.io(std::io::Error::other(error)))?;
        let name = format!(".gatehouse-{:016x}.tmp", u64::from_ne_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(folder, &name, flags, rustix::fs::Mode::from_raw_mode(0o666)).map_err(|e| place.disk(e))?;
        let draft = Self {
            folder,
            name,
            file: File::from(file),
        };
        if let Some(permissions) = permissions {
            fchmod(draft.file.as_fd(), permissions).map_err(|error| place.disk(error))?;
        }
        Ok(draft)
    }

    fn fill(&self, parts: &[&[u8]]) -> std::io::Result<()> {
        for part in parts {
            (&self.file).write_all(part)?;
        }
        self.file.sync_all()
    }

    /// Gives it its name: in the place of what has it, or only where nothing has.
    fn becomes(&self, name: &str, mode: Mode) -> Result<(), Errno> {
        match mode {
            Mode::Create => self.becomes_new(name),
            Mode::Overwrite | Mode::Append => renameat(self.folder, &self.name, self.folder, name),
        }
    }

    fn becomes_new(&self, name: &str) -> Result<(), Errno> {
        match rustix::fs::linkat(self.folder, &self.name, self.folder, name, AtFlags::empty()) {
            // A disk without hard links.
            #[cfg(any(target_os = "linux", target_os = "macos"))]
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
                let flags = rustix::fs::RenameFlags::NOREPLACE;
                rustix::fs::renameat_with(self.folder, &self.name, self.folder, name, flags)
            }
            done => done,
        }
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // Once it has its name there is nothing left to remove, or a second name of it.
        let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}
