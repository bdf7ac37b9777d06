//! Files as they are meant: an ordinary file, up to a stated size.
//!
//! A project is a folder that somebody else may have filled. What is called like a file may be a pipe, on which reading waits for
//! ever, a device, which never ends, or a link to anywhere. Whoever reads a file of a project reads it here.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The largest text that is read as a workflow, a runbook or a pipeline, in bytes.
pub const LARGEST_WORKFLOW: u64 = 16 << 20;

/// The largest configuration or scenario, in bytes.
pub const LARGEST_SETTINGS: u64 = 1 << 20;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotRead {
    /// There is nothing of that name.
    #[error("there is no such file")]
    Missing,
    /// Something of that name is there, and it is no file.
    #[error("it is {0}, not a file; it was not opened")]
    NotAFile(&'static str),
    /// It is larger than what is meant here can be.
    #[error("it is larger than {}; it was not read", size(*limit))]
    TooLarge {
        /// The largest that is read, in bytes.
        limit: u64,
    },
    /// It lies outside of the folder that it was looked for in, or what leads to it was replaced meanwhile.
    #[error("it leads out by a link, or was replaced while it was looked at; it was not opened")]
    Elsewhere,
    /// Its bytes are no text.
    #[error("it is not UTF-8 text; save it as UTF-8")]
    NotText,
    /// What the system says.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<NotRead> for io::Error {
    fn from(why: NotRead) -> Self {
        match why {
            NotRead::Io(error) => error,
            NotRead::Missing => io::ErrorKind::NotFound.into(),
            why => Self::other(why),
        }
    }
}

/// Reads a file. A link is not followed: who may follow one resolves it first and looks where it leads.
///
/// # Errors
/// [`NotRead`]; a pipe, a device and a link are never opened for reading.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, NotRead> {
    read_open(open(path)?, limit)
}

/// Reads a file that was opened as an ordinary one, here or below a folder that others write to.
///
/// # Errors
/// [`NotRead::TooLarge`], [`NotRead::Io`].
pub fn read_open(file: File, limit: u64) -> Result<Vec<u8>, NotRead> {
    let expected = file.metadata()?.len();
    if expected > limit {
        return Err(NotRead::TooLarge { limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    // It may grow while it is read, and some files do not say how long they are.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(NotRead::TooLarge { limit });
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// See [`read`]; [`NotRead::NotText`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, NotRead> {
    String::from_utf8(read(path, limit)?).map_err(|_| NotRead::NotText)
}

/// Reads the file that a person named, or that a check has found to lie where it may: the last part of the path may be a link.
///
/// # Errors
/// See [`read_text`].
pub fn read_text_through(path: &Path, limit: u64) -> Result<String, NotRead> {
    read_text(&path.canonicalize().map_err(sorted)?, limit)
}

/// Opens a file and only a file.
///
/// # Errors
/// [`NotRead::Missing`], [`NotRead::NotAFile`], [`NotRead::Io`].
pub fn open(path: &Path) -> Result<File, NotRead> {
    // Opening alone may already do something: a tape rewinds, a terminal takes over.
    look(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // What has become a link or a pipe since then neither leads away nor waits.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY,
    );
    let file = options.open(path).map_err(sorted)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        Ok(file)
    } else {
        Err(NotRead::NotAFile(named(kind)))
    }
}

/// Whether there is a file, without opening it.
///
/// # Errors
/// See [`open`].
pub fn look(path: &Path) -> Result<(), NotRead> {
    let kind = path.symlink_metadata().map_err(sorted)?.file_type();
    if kind.is_file() {
        Ok(())
    } else {
        Err(NotRead::NotAFile(named(kind)))
    }
}

/// A path or a name as text: each byte of it that is no UTF-8 stands as `\xe9`.
pub fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

fn sorted(error: io::Error) -> NotRead {
    match error.kind() {
        io::ErrorKind::NotFound => NotRead::Missing,
        _ => NotRead::Io(error),
    }
}

/// What something is that is no file.
fn named(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link"
    } else {
        "something else"
    }
}

/// A size in words.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} bytes"),
    }
}

/// Whether its owner may execute a file; nowhere but on Unix.
pub fn is_executable(about: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        about.permissions().mode() & 0o100 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(result: Result<Vec<u8>, NotRead>) -> String {
        result.map_or_else(|error| error.to_string(), |bytes| format!("{} bytes", bytes.len()))
    }

    fn read_through(path: &Path, limit: u64) -> Result<Vec<u8>, NotRead> {
        read_text_through(path, limit).map(String::into_bytes)
    }

    #[test]
    fn a_file_is_read_up_to_its_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.yaml");
        std::fs::write(&file, "four").expect("written");
        assert_eq!(words(read(&file, 4)), "4 bytes");
        assert_eq!(words(read(&file, 3)), "it is larger than 3 bytes; it was not read");
        assert_eq!(words(read(&folder.path().join("y"), 3)), "there is no such file");
        std::fs::write(&file, [0xff, 0xfe]).expect("written");
        assert!(matches!(read_text(&file, 4), Err(NotRead::NotText)));
        std::fs::File::create(&file)
            .and_then(|f| f.set_len(17 << 20))
            .expect("a large file");
        assert_eq!(
            words(read(&file, LARGEST_WORKFLOW)),
            "it is larger than 16 MiB; it was not read"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_named_and_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let pipe = at("pipe.yaml");
        let made = std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("mkfifo runs");
        assert!(made.success());
        assert_eq!(
            words(read(&pipe, 9)),
            "it is a named pipe, not a file; it was not opened"
        );
        assert_eq!(
            words(read_through(&pipe, 9)),
            "it is a named pipe, not a file; it was not opened"
        );
        let listener = std::os::unix::net::UnixListener::bind(at("socket.yaml")).expect("a socket");
        assert_eq!(
            words(read(&at("socket.yaml"), 9)),
            "it is a socket, not a file; it was not opened"
        );
        drop(listener);
        for (link, target, through) in [
            ("zero", "/dev/zero", "a device"),
            ("terminal", "/dev/tty", "a device"),
            ("to-pipe", "pipe.yaml", "a named pipe"),
            ("to-folder", ".", "a folder"),
        ] {
            std::os::unix::fs::symlink(target, at(link)).expect("a link");
            assert_eq!(
                words(read(&at(link), 9)),
                "it is a link, not a file; it was not opened",
                "{link}"
            );
            assert_eq!(
                words(read_through(&at(link), 9)),
                format!("it is {through}, not a file; it was not opened"),
                "{link}"
            );
        }
        std::fs::write(at("real"), "x").expect("written");
        std::os::unix::fs::symlink("real", at("good")).expect("a link");
        assert_eq!(words(read_through(&at("good"), 9)), "1 bytes");
        std::os::unix::fs::symlink("nowhere", at("dangling")).expect("a link");
        assert_eq!(words(read_through(&at("dangling"), 9)), "there is no such file");
        std::os::unix::fs::symlink("loop", at("loop")).expect("a link");
        assert!(read_through(&at("loop"), 9).is_err());
    }

    /// Files of the system that say they are empty and are not.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_does_not_say_its_length_is_bounded_too() {
        assert_eq!(
            words(read(Path::new("/proc/self/status"), 8)),
            "it is larger than 8 bytes; it was not read"
        );
    }
}
