//! Files below a folder into which somebody else may be writing at the same moment.
//!
//! Programs of steps are confined, and Gatehouse, which acts for them, is not: a path that was looked at leads elsewhere once a program
//! has put a link in its way. So a folder is held open here, each next one is entered from it without following a link (`openat`,
//! `O_NOFOLLOW`), and what is done is done in the folder that was entered, whatever has its name by then. What is read comes from the
//! very file that was looked at.
//!
//! The kernel could walk the way itself (`openat2`, on Linux): one walk does the same everywhere.

use crate::regular::{self, NotRead};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the name of a file begins that Gatehouse is writing, which may be in somebody's own folder,
const DRAFT: &str = ".gatehouse-";
/// and how that of a file that is still being written ends; it begins with a full stop.
pub(crate) const UNFINISHED: &str = ".unfinished";

/// So many names of unfinished files may be taken by what others have left.
const TRIES: u32 = 100;

const ENTER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What has become a link or a pipe neither leads away nor waits.
const ONLY_HERE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A file that is not there yet.
const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What has a name in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Who may read what is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Whoever may read any new file.
    Anyones,
    /// This account alone.
    Ours,
}

impl Whose {
    fn folder(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Anyones => 0o777,
            Self::Ours => 0o700,
        })
    }

    fn file(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Anyones => 0o666,
            Self::Ours => 0o600,
        })
    }
}

/// A folder that is held open. Paths below it hold names alone, no `..`, and no link on their way is followed, the last name included.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// The folder that everything is to lie below. It is no link itself; whoever could change the way to it needs nobody else for that.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, ENTER, Mode::empty())?))
    }

    /// The same of the folder that a path leads to by links: to be looked into.
    ///
    /// # Errors
    /// What the system says.
    pub fn behind(path: &Path) -> io::Result<Self> {
        Self::open(&path.canonicalize()?)
    }

    /// A folder below it.
    ///
    /// # Errors
    /// There is none, or a link or a file stands on the way.
    pub fn enter(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.walk(path.as_ref(), None)
    }

    /// The same, made where it is missing, with those on the way there.
    ///
    /// # Errors
    /// See [`Folder::enter`].
    pub fn make(&self, path: impl AsRef<Path>, whose: Whose) -> io::Result<Self> {
        self.walk(path.as_ref(), Some(whose))
    }

    fn walk(&self, path: &Path, making: Option<Whose>) -> io::Result<Self> {
        let mut at = self.0.try_clone()?;
        for name in names(path)? {
            let entered = openat(&at, name, ENTER, Mode::empty());
            at = match (entered, making) {
                (Err(Errno::NOENT), Some(whose)) => {
                    match mkdirat(&at, name, whose.folder()) {
                        // Whoever has made it meanwhile: a link is not entered.
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(error) => return Err(error.into()),
                    }
                    openat(&at, name, ENTER, Mode::empty())?
                }
                (entered, _) => entered?,
            };
        }
        Ok(Self(at))
    }

    /// The folder that the last name of a path is in, and that name.
    fn around<'p>(&self, path: &'p Path, making: Option<Whose>) -> io::Result<(Self, &'p OsStr)> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(no_name());
        };
        Ok((self.walk(folder, making)?, name))
    }

    /// What stands below it; absent: nothing.
    ///
    /// # Errors
    /// A link or a file stands on the way.
    pub fn kind(&self, path: impl AsRef<Path>) -> io::Result<Option<Kind>> {
        let look = || -> io::Result<Kind> {
            let (folder, name) = self.around(path.as_ref(), None)?;
            let stat = statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(Kind::of(FileType::from_raw_mode(stat.st_mode)))
        };
        match look() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            looked => looked.map(Some),
        }
    }

    /// Whether it is what a path below another folder names.
    ///
    /// # Errors
    /// A link or a file stands on the way.
    pub fn stands_at(&self, above: &Self, path: impl AsRef<Path>) -> io::Result<bool> {
        let (folder, name) = above.around(path.as_ref(), None)?;
        let there = match statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => there,
            Err(Errno::NOENT) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let own = fstat(&self.0)?;
        Ok((own.st_dev, own.st_ino) == (there.st_dev, there.st_ino))
    }

    /// What lies in it, in the order of the names.
    ///
    /// # Errors
    /// What the system says.
    pub fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut found = Vec::new();
        self.each(|name, kind| {
            found.push((name.to_owned(), kind));
            true
        })?;
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    /// Gives what lies in it, in no order, until `go_on` says that it is enough.
    ///
    /// # Errors
    /// What the system says.
    pub fn each(&self, mut go_on: impl FnMut(&OsStr, Kind) -> bool) -> io::Result<()> {
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let name = OsStr::from_bytes(name);
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                },
                kind => kind,
            };
            if !go_on(name, Kind::of(kind)) {
                break;
            }
        }
        Ok(())
    }

    /// Opens an ordinary file below it, for reading.
    ///
    /// # Errors
    /// [`NotRead`]; a pipe, a device and a link are not opened.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<File, NotRead> {
        let (folder, name) = self.around(path.as_ref(), None).map_err(sorted)?;
        let stat = statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| sorted(error.into()))?;
        // Opening alone may already do something: a tape rewinds, a terminal takes over.
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Err(NotRead::NotAFile(called(kind)));
        }
        let file = openat(&folder.0, name, OFlags::RDONLY | ONLY_HERE, Mode::empty());
        let file = File::from(file.map_err(|error| sorted(error.into()))?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(NotRead::Elsewhere),
        }
    }

    /// Opens an ordinary file below it, to write at its end.
    ///
    /// # Errors
    /// There is none, or something else of that name.
    pub fn append(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (folder, name) = self.around(path.as_ref(), None)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | ONLY_HERE;
        let file = File::from(openat(&folder.0, name, flags, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no ordinary file")),
        }
    }

    /// Puts a new file in the place of what has its name, or where nothing has: whole or not at all, and never into what is there. Folders
    /// on the way are made.
    ///
    /// # Errors
    /// What the system says, and what `fill` says.
    pub fn replace(
        &self,
        path: impl AsRef<Path>,
        whose: Whose,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let (folder, name) = self.around(path.as_ref(), Some(whose))?;
        let (draft, mut file) = folder.draft(whose)?;
        let done = fill(&mut file).and_then(|()| Ok(renameat(&folder.0, &draft, &folder.0, name)?));
        if done.is_err() {
            let _ = unlinkat(&folder.0, &draft, AtFlags::empty());
        }
        done
    }

    /// Puts a new file where nothing has its name yet: whole or not at all. Folders on the way are made.
    ///
    /// # Errors
    /// `AlreadyExists`: something has its name, and be it a link. What the system says, and what `fill` says.
    pub fn put_new(
        &self,
        path: impl AsRef<Path>,
        whose: Whose,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let (folder, name) = self.around(path.as_ref(), Some(whose))?;
        let (draft, mut file) = folder.draft(whose)?;
        let done = fill(&mut file).and_then(|()| folder.name_new(&draft, name, whose));
        // It has its name, besides this one or instead of it, or is to have none.
        let _ = unlinkat(&folder.0, &draft, AtFlags::empty());
        done
    }

    /// Gives a draft its name, which nothing may have yet.
    fn name_new(&self, draft: &str, name: &OsStr, whose: Whose) -> io::Result<()> {
        match linkat(&self.0, draft, &self.0, name, AtFlags::empty()) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // A file system without second names: there it is written in place.
            Err(_) => self.copy_new(draft, name, whose),
        }
    }

    fn copy_new(&self, draft: &str, name: &OsStr, whose: Whose) -> io::Result<()> {
        let mut from = self.file(draft)?;
        let mut new = File::from(openat(&self.0, name, NEW, whose.file())?);
        let copied = io::copy(&mut from, &mut new).and_then(|_| new.sync_all());
        if copied.is_err() {
            // Half of a file is worse than none; why it could not be written is what is told.
            let _ = unlinkat(&self.0, name, AtFlags::empty());
        }
        copied
    }

    /// A new file each time, so that two programs never write one.
    fn draft(&self, whose: Whose) -> io::Result<(String, File)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut tries = TRIES;
        loop {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{DRAFT}{}-{n}{UNFINISHED}", std::process::id());
            match openat(&self.0, &name, NEW, whose.file()) {
                Ok(file) => return Ok((name, File::from(file))),
                // A program that had our number was killed.
                Err(Errno::EXIST) if tries > 0 => tries -= 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Gives what stands below it another place, also over a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (one, from) = self.around(from.as_ref(), None)?;
        let (other, to) = self.around(to.as_ref(), None)?;
        Ok(renameat(&one.0, from, &other.0, to)?)
    }

    /// Exchanges what stands in two places, at once.
    ///
    /// # Errors
    /// The system or the file system cannot, or says why not.
    pub fn exchange(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (one, from) = self.around(from.as_ref(), None)?;
        let (other, to) = self.around(to.as_ref(), None)?;
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            Ok(renameat_with(&one.0, from, &other.0, to, RenameFlags::EXCHANGE)?)
        }
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        {
            let _ = (one, from, other, to);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Gives a file a second name.
    ///
    /// # Errors
    /// What the system says.
    pub fn link(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (one, from) = self.around(from.as_ref(), None)?;
        let (other, to) = self.around(to.as_ref(), None)?;
        Ok(linkat(&one.0, from, &other.0, to, AtFlags::empty())?)
    }

    /// Makes a symbolic link where nothing stands yet. `to`: where it leads, as it is written into it.
    ///
    /// # Errors
    /// What the system says.
    pub fn symlink(&self, to: impl AsRef<Path>, path: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.around(path.as_ref(), None)?;
        Ok(symlinkat(to.as_ref(), &folder.0, name)?)
    }

    /// Removes a file or a link, never a folder.
    ///
    /// # Errors
    /// What the system says, also that there is none.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.around(path.as_ref(), None)?;
        Ok(unlinkat(&folder.0, name, AtFlags::empty())?)
    }

    /// Removes a folder in which nothing is.
    ///
    /// # Errors
    /// What the system says, also that there is none.
    pub fn remove_folder(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (folder, name) = self.around(path.as_ref(), None)?;
        Ok(unlinkat(&folder.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes a folder with all that is in it; links are removed, and what they lead to stays. Where there is none it is done.
    ///
    /// # Errors
    /// It is no folder; what the system says.
    pub fn remove_all(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        match self.enter(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entered => entered?.clear()?,
        }
        match self.remove_folder(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes all that is in it. What somebody else removes meanwhile is gone as well.
    fn clear(&self) -> io::Result<()> {
        let mut names: Vec<CString> = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            names.push(entry?.file_name().to_owned());
        }
        names.retain(|name| !matches!(name.to_bytes(), b"." | b".."));
        for name in names {
            match unlinkat(&self.0, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => continue,
                // How a system says that it is a folder.
                Err(Errno::ISDIR | Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
            match openat(&self.0, &name, ENTER, Mode::empty()) {
                Ok(folder) => Self(folder).clear()?,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            }
            match unlinkat(&self.0, &name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Whether a file of this name is one that Gatehouse is writing at this moment, or left when it was killed: it is nobody's work.
pub fn is_draft(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(DRAFT.as_bytes()) && name.ends_with(UNFINISHED.as_bytes())
}

/// Where a path below a folder leads: its own path from there, without a link on the way. Those on its way are followed where they stay below the
/// folder; the last name is not, and nothing need be there yet. What is done there by a [`Folder`] goes through none that comes meanwhile.
///
/// # Errors
/// It leads outside, or names nothing; what the system says.
pub fn place(root: &Path, path: impl AsRef<Path>) -> io::Result<PathBuf> {
    let root = root.canonicalize()?;
    let whole = root.join(path);
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else {
        return Err(no_name());
    };
    let mut around = folder.ancestors();
    let there = around.find_map(|there| Some((there, there.canonicalize().ok()?)));
    let (there, real) = there.ok_or_else(no_name)?;
    let missing = folder.strip_prefix(there).map_err(|_| no_name())?;
    let place = real.join(missing).join(name);
    match place.strip_prefix(&root) {
        Ok(inside) if inside.file_name().is_some() => Ok(inside.to_owned()),
        _ => Err(no_name()),
    }
}

/// Opens the file that a path below a folder stands for, for reading. Links on the way are followed where what they lead to lies below the
/// folder, too; one that somebody puts there meanwhile is not.
///
/// # Errors
/// [`NotRead`], of which [`NotRead::Elsewhere`] is for what lies, or has come to lie, outside.
pub fn open(root: &Path, path: impl AsRef<Path>) -> Result<File, NotRead> {
    open_if(root, path, |_| true)
}

/// The same where it may be read. `may` is asked of the place where the file really lies: its path from the folder, without a link on it.
///
/// # Errors
/// Those of [`open`]; [`NotRead::Elsewhere`] is also for what may not be read.
pub fn open_if(root: &Path, path: impl AsRef<Path>, may: impl FnOnce(&Path) -> bool) -> Result<File, NotRead> {
    let root = root.canonicalize().map_err(sorted)?;
    let real = root.join(path).canonicalize().map_err(|error| match error.kind() {
        // A file stands where the path has a folder: nothing leads out there.
        io::ErrorKind::NotADirectory => NotRead::Io(error),
        _ => sorted(error),
    })?;
    let inside = real.strip_prefix(&root).map_err(|_| NotRead::Elsewhere)?;
    match may(inside) {
        true => Folder::open(&root).map_err(sorted)?.file(inside),
        false => Err(NotRead::Elsewhere),
    }
}

/// Reads a file below a folder, which may itself be reached by links. None on the way from there is followed, the last name included. `limit`: of
/// its size, in bytes.
///
/// # Errors
/// [`NotRead`]; [`NotRead::Missing`] also where the folder itself is not there.
pub fn read_straight(root: &Path, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, NotRead> {
    let folder = Folder::behind(root).map_err(sorted)?;
    regular::read_open(folder.file(path)?, limit)
}

/// Reads the file that a path below a folder stands for. `limit`: of its size, in bytes.
///
/// # Errors
/// See [`open`].
pub fn read(root: &Path, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, NotRead> {
    regular::read_open(open(root, path)?, limit)
}

/// The same as text.
///
/// # Errors
/// See [`open`]; [`NotRead::NotText`].
pub fn read_text(root: &Path, path: impl AsRef<Path>, limit: u64) -> Result<String, NotRead> {
    String::from_utf8(read(root, path, limit)?).map_err(|_| NotRead::NotText)
}

/// The names on a way that leads nowhere but down.
fn names(path: &Path) -> io::Result<Vec<&OsStr>> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let names = parts.map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(no_name()),
    });
    names.collect()
}

fn no_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the path names nothing below its folder")
}

fn sorted(error: io::Error) -> NotRead {
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) => NotRead::Missing,
        Some(Errno::LOOP | Errno::NOTDIR) => NotRead::Elsewhere,
        _ => NotRead::Io(error),
    }
}

/// What something is that is no file.
fn called(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a named pipe",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Socket => "a socket",
        FileType::Directory => "a folder",
        FileType::Symlink => "a link",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    /// A project with `a/b/c.md` in it, and a folder outside of it with the same names in it.
    fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let kept = tempfile::tempdir().expect("a folder");
        let home = kept.path().canonicalize().expect("it is there");
        let (root, outside) = (home.join("project"), home.join("outside"));
        for (folder, text) in [(&root, "ours"), (&outside, "secret")] {
            std::fs::create_dir_all(folder.join("a/b")).expect("made");
            std::fs::write(folder.join("a/b/c.md"), text).expect("written");
        }
        (kept, root, outside)
    }

    fn text(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("a/b/c.md")).expect("there")
    }

    fn write(folder: &Folder, path: &str) -> io::Result<()> {
        folder.replace(path, Whose::Anyones, |file| file.write_all(b"new"))
    }

    #[test]
    fn nothing_is_done_through_a_link_wherever_it_stands_on_the_way() {
        for linked in ["a", "a/b"] {
            let (_kept, root, outside) = folders();
            std::fs::rename(root.join(linked), root.join("away")).expect("moved");
            symlink(outside.join(linked), root.join(linked)).expect("linked");
            let folder = Folder::open(&root).expect("there");
            assert!(write(&folder, "a/b/c.md").is_err(), "{linked}");
            assert!(write(&folder, "a/b/new/d.md").is_err(), "{linked}");
            assert!(folder.make("a/b/new", Whose::Ours).is_err(), "{linked}");
            assert!(
                folder.put_new("a/b/new.md", Whose::Anyones, |_| Ok(())).is_err(),
                "{linked}"
            );
            assert!(read_straight(&root, "a/b/c.md", 9).is_err(), "{linked}");
            assert!(folder.append("a/b/c.md").is_err(), "{linked}");
            assert!(folder.remove_file("a/b/c.md").is_err(), "{linked}");
            assert!(folder.remove_all("a/b").is_err(), "{linked}");
            assert!(folder.kind("a/b/c.md").is_err(), "{linked}");
            std::fs::write(root.join("mine"), "mine").expect("written");
            assert!(folder.rename("mine", "a/b/c.md").is_err(), "{linked}");
            assert!(folder.exchange("mine", "a/b/c.md").is_err(), "{linked}");
            assert!(folder.link("a/b/c.md", "taken").is_err(), "{linked}");
            assert!(folder.symlink("x", "a/b/d.md").is_err(), "{linked}");
            assert!(matches!(folder.file("a/b/c.md"), Err(NotRead::Elsewhere)), "{linked}");
            assert!(matches!(open(&root, "a/b/c.md"), Err(NotRead::Elsewhere)), "{linked}");
            assert_eq!(text(&outside), "secret", "{linked}");
            let left = std::fs::read_dir(outside.join("a/b")).expect("there").count();
            assert_eq!(left, 1, "{linked}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_replaced_and_not_written_through() {
        let (_kept, root, outside) = folders();
        let ours = root.join("a/b/c.md");
        std::fs::remove_file(&ours).expect("removed");
        symlink(outside.join("a/b/c.md"), &ours).expect("linked");
        let folder = Folder::open(&root).expect("there");
        assert_eq!(folder.kind("a/b/c.md").expect("looked"), Some(Kind::Link));
        assert!(folder.append("a/b/c.md").is_err());
        assert!(matches!(folder.file("a/b/c.md"), Err(NotRead::NotAFile("a link"))));
        write(&folder, "a/b/c.md").expect("replaced");
        assert_eq!((text(&root), text(&outside)), ("new".into(), "secret".into()));
        assert_eq!(folder.enter("a/b").expect("there").entries().expect("listed").len(), 1);
    }

    #[test]
    fn what_was_entered_is_what_is_written_to_whatever_has_its_name_by_then() {
        let (_kept, root, outside) = folders();
        let top = Folder::open(&root).expect("there");
        let held = top.enter("a/b").expect("there");
        assert!(held.stands_at(&top, "a/b").expect("looked"));
        std::fs::rename(root.join("a/b"), root.join("away")).expect("moved");
        symlink(outside.join("a/b"), root.join("a/b")).expect("linked");
        assert!(!held.stands_at(&top, "a/b").expect("looked"));
        assert!(held.stands_at(&top, "away").expect("looked"));
        write(&held, "c.md").expect("written");
        assert_eq!(std::fs::read_to_string(root.join("away/c.md")).expect("there"), "new");
        assert_eq!(text(&outside), "secret");
    }

    #[test]
    fn a_link_that_is_put_in_the_way_after_it_was_looked_at_is_not_followed() {
        let (_kept, root, outside) = folders();
        for linked in ["a", "a/b", "a/b/c.md"] {
            let read = open_if(&root, "a/b/c.md", |_| {
                std::fs::rename(root.join(linked), root.join("away")).expect("moved");
                symlink(outside.join(linked), root.join(linked)).expect("linked");
                true
            });
            assert!(
                matches!(read, Err(NotRead::Elsewhere | NotRead::NotAFile("a link"))),
                "{linked}: {read:?}"
            );
            std::fs::remove_file(root.join(linked)).expect("removed");
            std::fs::rename(root.join("away"), root.join(linked)).expect("put back");
        }
        // Those that stay below the folder are followed, as they stand.
        symlink(root.join("a"), root.join("straight")).expect("linked");
        symlink("../a/b", root.join("a/round")).expect("linked");
        for path in ["straight/b/c.md", "a/round/c.md", "straight/../a/b/c.md"] {
            assert_eq!(read(&root, path, 9).expect(path), b"ours", "{path}");
            // Whoever asks whether it may be read hears where it lies, and no link's name.
            let refused = open_if(&root, path, |real| real != Path::new("a/b/c.md"));
            assert!(matches!(refused, Err(NotRead::Elsewhere)), "{path}: {refused:?}");
            assert!(read_straight(&root, path, 9).is_err(), "{path}");
        }
        assert_eq!(read_straight(&root, "a/b/c.md", 9).expect("there"), b"ours");
        let nowhere = read_straight(&root.join("none"), "c.md", 9);
        assert!(matches!(nowhere, Err(NotRead::Missing)), "{nowhere:?}");
        assert!(matches!(open(&root, "../outside/a/b/c.md"), Err(NotRead::Elsewhere)));
        assert!(matches!(open(&root, "a/none"), Err(NotRead::Missing)));
        let below_a_file = open(&root, "a/b/c.md/d.md");
        assert!(matches!(below_a_file, Err(NotRead::Io(_))), "{below_a_file:?}");
    }

    #[test]
    fn a_folder_is_removed_with_its_links_and_without_what_they_lead_to() {
        let (_kept, root, outside) = folders();
        symlink(&outside, root.join("a/b/out")).expect("linked");
        let folder = Folder::open(&root).expect("there");
        folder.remove_all("a").expect("removed");
        folder.remove_all("a").expect("it is gone");
        assert!(!root.join("a").exists());
        assert_eq!(text(&outside), "secret");
    }

    #[test]
    fn a_place_is_where_the_links_on_its_way_lead_and_never_outside() {
        let (_kept, root, outside) = folders();
        symlink("a/b", root.join("way")).expect("linked");
        symlink(&outside, root.join("out")).expect("linked");
        symlink(outside.join("none"), root.join("dangling")).expect("linked");
        for (path, leads) in [
            ("a/b/c.md", "a/b/c.md"),
            ("way/c.md", "a/b/c.md"),
            ("way/new/d.md", "a/b/new/d.md"),
            ("d.md", "d.md"),
            // Its own name is not followed.
            ("way", "way"),
            ("out", "out"),
        ] {
            assert_eq!(place(&root, path).expect(path), Path::new(leads), "{path}");
        }
        for path in ["out/a/b/c.md", "out/new/d.md", "../outside/a", ""] {
            place(&root, path).expect_err(path);
        }
        // Nothing is made behind a link that leads nowhere.
        let folder = Folder::open(&root).expect("there");
        let behind = place(&root, "dangling/d.md").expect("a name");
        folder.put_new(behind, Whose::Anyones, |_| Ok(())).expect_err("a link");
        assert!(!outside.join("none").exists());
    }

    #[test]
    fn no_path_leads_up() {
        let (_kept, root, _) = folders();
        let folder = Folder::open(&root.join("a")).expect("there");
        for path in ["../x", "b/../../x", "/tmp/x", "..", ""] {
            assert!(write(&folder, path).is_err(), "{path}");
        }
        write(&folder, "./b/./d.md").expect("written");
        assert!(root.join("a/b/d.md").is_file());
    }

    #[test]
    fn a_file_that_is_being_written_is_called_gatehouses() {
        let (_kept, root, _) = folders();
        let folder = Folder::open(&root).expect("there");
        let mut drafts = Vec::new();
        let written = folder.replace("a/d.md", Whose::Ours, |_| {
            drafts = folder.enter("a")?.entries()?;
            Ok(())
        });
        written.expect("written");
        let drafts: Vec<_> = drafts.iter().filter(|(name, _)| is_draft(name)).collect();
        assert_eq!(drafts.len(), 1);
        for name in ["d.md", ".d.md.unfinished", ".gatehouse-1", ".gatehouse"] {
            assert!(!is_draft(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn a_new_file_takes_no_place_that_is_taken() {
        let (_kept, root, outside) = folders();
        let folder = Folder::open(&root).expect("there");
        symlink(outside.join("none.md"), root.join("a/b/link.md")).expect("linked");
        let put = |path: &str| folder.put_new(path, Whose::Anyones, |file| file.write_all(b"new"));
        for path in ["a/b/c.md", "a/b/link.md", "a/b"] {
            let taken = put(path).expect_err(path);
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists, "{path}");
        }
        assert_eq!(text(&root), "ours");
        assert!(!outside.join("none.md").exists());
        put("a/new/d.md").expect("put there");
        assert_eq!(std::fs::read_to_string(root.join("a/new/d.md")).expect("there"), "new");
        assert_eq!(
            folder.enter("a/new").expect("there").entries().expect("listed").len(),
            1
        );
        assert!(
            folder
                .put_new("a/new/e.md", Whose::Ours, |_| Err(io::Error::other("no")))
                .is_err()
        );
        assert_eq!(
            folder.enter("a/new").expect("there").entries().expect("listed").len(),
            1
        );
        // Where there are no second names.
        let new = folder.enter("a/new").expect("there");
        new.copy_new("d.md", "f.md".as_ref(), Whose::Ours).expect("copied");
        assert!(new.copy_new("d.md", "f.md".as_ref(), Whose::Ours).is_err());
        assert_eq!(std::fs::read_to_string(root.join("a/new/f.md")).expect("there"), "new");
    }

    #[test]
    fn what_cannot_be_filled_leaves_what_was_there() {
        let (_kept, root, _) = folders();
        let folder = Folder::open(&root).expect("there");
        let failed = folder.replace("a/b/c.md", Whose::Ours, |_| Err(io::Error::other("no")));
        assert!(failed.is_err());
        assert_eq!(text(&root), "ours");
        assert_eq!(folder.enter("a/b").expect("there").entries().expect("listed").len(), 1);
    }
}
