//! What a file holds: in the repository, and on the disk.

use super::open::Opened;
use super::{Error, LARGEST_FILE};
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::Mode;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

/// Where the contents of one side are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Nothing,
    Stored(ObjectId, Mode),
    OnDisk(Mode),
}

impl Side {
    pub fn mode(self) -> Option<Mode> {
        match self {
            Self::Nothing => None,
            Self::Stored(_, mode) | Self::OnDisk(mode) => Some(mode),
        }
    }
}

/// The place of a path on the disk.
///
/// # Errors
/// One of the folders on the way is a symbolic link: what lies behind it is not the repository's.
pub(super) fn disk_path(opened: &Opened, path: &BStr) -> Result<PathBuf, Error> {
    let outside = || Error::Outside(path.to_str_lossy().into_owned());
    let relative = gix::path::from_bstr(path).map_err(|_| outside())?;
    let mut place = opened.work.clone();
    let parts: Vec<_> = relative.components().collect();
    for (i, part) in parts.iter().enumerate() {
        let std::path::Component::Normal(name) = part else {
            return Err(outside());
        };
        place.push(name);
        let link = || fs::symlink_metadata(&place).is_ok_and(|about| about.is_symlink());
        if i + 1 < parts.len() && link() {
            return Err(outside());
        }
    }
    Ok(place)
}

/// What could be had of one side.
pub(super) enum Contents {
    Bytes(Vec<u8>),
    TooLarge(u64),
}

/// The contents of one side, in the form in which Git stores them.
pub(super) fn contents(opened: &Opened, path: &BStr, side: Side) -> Result<Contents, Error> {
    let bytes = match side {
        Side::Nothing => Vec::new(),
        Side::Stored(id, mode) if mode == Mode::COMMIT => format!("Subproject commit {id}\n").into_bytes(),
        Side::Stored(id, _) => {
            let size = opened.repo.find_header(id)?.size();
            if size > LARGEST_FILE {
                return Ok(Contents::TooLarge(size));
            }
            opened.repo.find_object(id)?.detach().data
        }
        Side::OnDisk(_) => return on_disk(opened, path),
    };
    Ok(Contents::Bytes(bytes))
}

/// A file as it lies on the disk, with its line ends as Git would store them.
fn on_disk(opened: &Opened, path: &BStr) -> Result<Contents, Error> {
    let place = disk_path(opened, path)?;
    let broken = |e: std::io::Error| Error::Broken(format!("{}: {e}", path.to_str_lossy()));
    let about = fs::symlink_metadata(&place).map_err(broken)?;
    if about.is_symlink() {
        let target = fs::read_link(&place).map_err(broken)?;
        return Ok(Contents::Bytes(gix::path::into_bstr(target)?.into_owned().into()));
    }
    // Pipes and devices have no contents that one could wait for; folders have none either.
    if !about.is_file() {
        return Ok(Contents::Bytes(Vec::new()));
    }
    if about.len() > LARGEST_FILE {
        return Ok(Contents::TooLarge(about.len()));
    }
    let mut raw = Vec::new();
    let file = fs::File::open(&place).map_err(broken)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut raw).map_err(broken)?;
    if raw.len() as u64 > LARGEST_FILE {
        return Ok(Contents::TooLarge(raw.len() as u64));
    }
    Ok(Contents::Bytes(as_stored(opened, path, raw)))
}

/// Line ends and encodings as the attributes say; no filter is ever run (`open` knows none). What cannot be converted stays as it is.
fn as_stored(opened: &Opened, path: &BStr, raw: Vec<u8>) -> Vec<u8> {
    let converted = || -> Option<Vec<u8>> {
        let (mut pipeline, index) = opened.repo.filter_pipeline(None).ok()?;
        let relative = gix::path::from_bstr(path).ok()?;
        let mut stored = pipeline.convert_to_git(raw.as_slice(), &relative, &index).ok()?;
        let mut bytes = Vec::new();
        stored.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    converted().unwrap_or(raw)
}
