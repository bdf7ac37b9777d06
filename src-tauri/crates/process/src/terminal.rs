//! A terminal for a program that asks for one: a pseudo-terminal, of which the program holds one end and this program the other.
//!
//! The program is started as any other is; only its three streams differ. So all that holds of programs, their confinement and their end, holds
//! here.

use crate::console::{Size, Typed};
use rustix::termios::{LocalModes, tcgetattr};
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;

/// This program's end of a terminal.
#[derive(Debug)]
pub(crate) struct Terminal(OwnedFd);

/// What the program in the terminal shows.
pub(crate) type Shown = Receiver;

/// The keys of a terminal.
#[derive(Debug)]
pub(crate) struct Keys(Sender);

/// How often who reads single keys finds that nobody types.
const KEYS: Duration = Duration::from_millis(200);

/// How often it is looked whether what was typed was read: at first, and where nobody reads.
const LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// How many ends of the input wait at most for who reads one after the other.
const ENDS: [u8; 64] = [END; 64];

/// Ctrl+D: who reads a line finds the end of the input.
const END: u8 = 4;

impl Terminal {
    /// Opens one of 80 columns and 24 lines. What the program gets as its three streams comes with it.
    #[cfg(target_os = "linux")]
    pub fn open() -> io::Result<(Self, [Stdio; 3])> {
        use nix::fcntl::OFlag;
        use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
        use rustix::termios::{Winsize, tcsetwinsize};
        use std::os::unix::fs::OpenOptionsExt;

        // No other program that is started meanwhile inherits an end of it, and it becomes nobody's by being opened.
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let ours = posix_openpt(flags)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let theirs = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlag::O_NOCTTY.bits())
            .open(ptsname_r(&ours)?)?;
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size)?;
        let streams = [theirs.try_clone()?.into(), theirs.try_clone()?.into(), theirs.into()];
        Ok((Self(ours.into()), streams))
    }

    /// Elsewhere than on Linux a program could not be given one as its own.
    #[cfg(not(target_os = "linux"))]
    pub fn open() -> io::Result<(Self, [Stdio; 3])> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a terminal for a program can be had on Linux alone",
        ))
    }

    /// What is typed, and what is shown. Must be called within a tokio runtime.
    pub fn split(self) -> io::Result<(Keys, Shown)> {
        let typed = self.0.try_clone()?;
        Ok((
            Keys(Sender::from_owned_fd_unchecked(typed)?),
            Receiver::from_owned_fd_unchecked(self.0)?,
        ))
    }
}

impl Keys {
    /// Makes the terminal as large as the person's own.
    pub fn resize(&self, size: Size) {
        let size = rustix::termios::Winsize {
            ws_row: size.lines,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // A program that is told no size takes the one it knows.
        let _ = rustix::termios::tcsetwinsize(&self.0, size);
    }

    /// Types a text, and then what a person does. Where nobody types any more, it goes on as [`Self::type_and_end`].
    pub async fn pass_on(mut self, text: Vec<u8>, mut typed: mpsc::Receiver<Typed>) {
        let _ = self.0.write_all(&text).await;
        while let Some(typed) = typed.recv().await {
            match typed {
                Typed::Keys(keys) => {
                    let _ = self.0.write_all(&keys).await;
                }
                Typed::Size(size) => self.resize(size),
            }
        }
        self.type_and_end(Vec::new()).await;
    }

    /// Types a text; after it every read finds the end of the input, however often the program reads. Never ends by itself.
    pub async fn type_and_end(mut self, text: Vec<u8>) {
        // Who reads none of it, or ends early, is not at fault.
        let _ = self.0.write_all(&text).await;
        // A few wait at a time, and more only when they were read: what waits is a key to a program that begins to read single keys.
        let (mut many, mut look) = (1, LOOKS.0);
        loop {
            if self.unread() {
                tokio::time::sleep(look).await;
                look = (look * 2).min(LOOKS.1);
                continue;
            }
            let by_lines = tcgetattr(&self.0).is_ok_and(|mode| mode.local_modes.contains(LocalModes::ICANON));
            many = match by_lines && look == LOOKS.0 {
                true => (many * 2).min(ENDS.len()),
                false => 1,
            };
            if self.0.write_all(&ENDS[..many]).await.is_err() {
                break;
            }
            let pause = if by_lines { LOOKS.0 } else { KEYS };
            tokio::time::sleep(pause).await;
            look = LOOKS.0;
        }
        // The keyboard stays until the program has gone: without it the terminal would hang up.
        std::future::pending::<()>().await;
    }

    /// Whether something that was typed waits to be read. What cannot be asked has been.
    #[cfg(target_os = "linux")]
    fn unread(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};

        // The program's end is held for this moment alone: the terminal is at its end when the program has let it go.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let Ok(theirs) = ioctl_tiocgptpeer(&self.0, flags) else {
            return false;
        };
        let mut ends = [PollFd::new(&theirs, PollFlags::IN)];
        poll(&mut ends, Some(&Timespec::default())).is_ok() && ends[0].revents().contains(PollFlags::IN)
    }

    /// See above: elsewhere there is no terminal.
    #[cfg(not(target_os = "linux"))]
    fn unread(&self) -> bool {
        false
    }
}
