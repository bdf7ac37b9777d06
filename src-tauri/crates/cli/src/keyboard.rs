//! The person's own terminal, lent to one step at a time that has a terminal.
//!
//! A step asks for it; whoever prints what happens in the run then hands it over, so that nothing of ours is written between what the program
//! writes. What is typed goes to the program alone and is kept nowhere. However the program ends, the terminal is as it was.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use studio::{Console, Keyboard, Size, Typed};
use tokio::sync::{Notify, mpsc};

/// Ctrl+]: lets go of the run, whatever the program makes of keys.
const LET_GO: u8 = 0x1d;

/// How many pieces of typing wait for a program that does not read; what is typed beyond that is lost, as in every terminal.
const TYPED_AHEAD: usize = 1024;

/// How often it is looked whether the terminal has another size, or was given back.
const GLANCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Ends what a program may have left on: the other screen, a hidden cursor, colours, marked pasting, reports of the mouse.
const AS_BEFORE: &[u8] = b"\x1b[?1047l\x1b[?25h\x1b[0m\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l";

/// The terminal that this program was started in.
#[derive(Clone, Default)]
pub struct Terminal {
    state: Arc<Mutex<State>>,
    let_go: Arc<Notify>,
}

/// Which step has the terminal.
#[derive(Default)]
enum State {
    #[default]
    Free,
    /// Asked for; what the program has written so far, and where its keys go.
    Asked {
        step: String,
        name: String,
        written: Vec<u8>,
        keys: mpsc::Sender<Typed>,
        /// Whoever prints knows of it, and will hand the terminal over.
        noticed: bool,
        /// The program has ended since.
        gone: bool,
    },
    /// Handed over.
    Lent { before: Termios, at_line_start: bool },
}

/// A step that asks for the terminal.
#[derive(Debug, PartialEq, Eq)]
pub struct Asking {
    /// Its id.
    pub step: String,
    /// What people call it.
    pub name: String,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

impl Terminal {
    /// The one of this program, where a person can type into it: both ends are a terminal, and it is ours to read just now.
    pub fn of_person() -> Option<Self> {
        let both = io::stdin().is_terminal() && io::stdout().is_terminal();
        (both && in_front()).then(Self::default)
    }

    /// The step that waits for [`Self::hand_over`].
    pub fn asking(&self) -> Option<Asking> {
        match &mut *self.state() {
            State::Asked {
                step, name, noticed, ..
            } => {
                *noticed = true;
                Some(Asking {
                    step: step.clone(),
                    name: name.clone(),
                })
            }
            _ => None,
        }
    }

    /// Whether a step has it.
    pub fn is_lent(&self) -> bool {
        matches!(&*self.state(), State::Lent { .. })
    }

    /// Gives it to the step that asks: what its program has written is shown, and what is typed from now on is the program's.
    pub fn hand_over(&self) {
        let mut state = self.state();
        let State::Asked {
            written, keys, gone, ..
        } = std::mem::take(&mut *state)
        else {
            return;
        };
        let Ok(before) = tcgetattr(io::stdin()) else { return };
        let mut raw = before.clone();
        raw.make_raw();
        // Where the mode cannot be changed, keys come in lines.
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &raw);
        *state = State::Lent {
            before,
            at_line_start: true,
        };
        state.show(&written);
        if gone {
            return state.take_back();
        }
        drop(state);
        let terminal = self.clone();
        std::thread::spawn(move || terminal.pass_on(&keys));
    }

    /// Resolves when the person lets go of the run while a program has the keys.
    pub async fn let_go(&self) {
        self.let_go.notified().await;
    }

    /// Takes the terminal back.
    pub fn take_back(&self) {
        self.state().take_back();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what is typed until the terminal is taken back.
    fn pass_on(&self, keys: &mpsc::Sender<Typed>) {
        // Its size is told once in any case: the person may have changed it since the terminal was asked for.
        let mut known = None;
        let mut buffer = [0; 4096];
        while self.is_lent() {
            let now = size();
            if known != Some(now) {
                known = Some(now);
                let _ = keys.try_send(Typed::Size(now));
            }
            let stdin = io::stdin();
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&GLANCE)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => return,
            }
            // Read under the lock: what is typed after the program has ended is not its own.
            let state = self.state();
            if !matches!(&*state, State::Lent { .. }) {
                return;
            }
            let typed = match rustix::io::read(&stdin, &mut buffer) {
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                // The terminal is gone.
                Ok(0) | Err(_) => return,
                Ok(count) => &buffer[..count],
            };
            drop(state);
            let ours = typed.iter().position(|key| *key == LET_GO);
            let _ = keys.try_send(Typed::Keys(typed[..ours.unwrap_or(typed.len())].to_vec()));
            if ours.is_some() {
                self.let_go.notify_one();
            }
        }
    }
}

impl State {
    /// Shows what the program writes.
    fn show(&mut self, bytes: &[u8]) {
        match self {
            Self::Free => {}
            Self::Asked { written, .. } => written.extend_from_slice(bytes),
            Self::Lent { at_line_start, .. } => {
                let mut screen = io::stdout().lock();
                // A terminal that is gone takes nothing, and the program learns of it otherwise.
                let _ = screen.write_all(bytes).and_then(|()| screen.flush());
                if let Some(last) = bytes.last() {
                    *at_line_start = *last == b'\n';
                }
            }
        }
    }

    fn take_back(&mut self) {
        if let Self::Asked {
            noticed: true, gone, ..
        } = self
        {
            *gone = true;
            return;
        }
        let Self::Lent { before, at_line_start } = std::mem::take(self) else {
            return;
        };
        let mut screen = io::stdout().lock();
        let end: &[u8] = if at_line_start { b"" } else { b"\r\n" };
        let _ = screen
            .write_all(AS_BEFORE)
            .and_then(|()| screen.write_all(end))
            .and_then(|()| screen.flush());
        // What was typed for the program and not read by it must answer nothing else.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &before);
    }
}

impl Keyboard for Terminal {
    fn lend(&self, _run: &str, step: &str, name: &str) -> Option<Console> {
        let mut state = self.state();
        if !matches!(*state, State::Free) || !in_front() {
            return None;
        }
        let (keys, typed) = mpsc::channel(TYPED_AHEAD);
        *state = State::Asked {
            step: step.to_owned(),
            name: name.to_owned(),
            written: Vec::new(),
            keys,
            noticed: false,
            gone: false,
        };
        let shown = Arc::clone(&self.state);
        let shown = move |bytes: &[u8]| shown.lock().unwrap_or_else(PoisonError::into_inner).show(bytes);
        Some(Console {
            size: size(),
            typed,
            shown: Box::new(shown),
            lent: Box::new(Back(self.clone())),
        })
    }
}

/// Gives the terminal back when it is dropped.
pub struct Back(pub Terminal);

impl Drop for Back {
    fn drop(&mut self) {
        self.0.take_back();
    }
}

/// Whether this program may read the terminal: in the background it would be stopped for it.
fn in_front() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|front| front == rustix::process::getpgrp())
}

/// How large the terminal is; one that does not say so counts as 80 × 24.
fn size() -> Size {
    let said = tcgetwinsize(io::stdout()).ok();
    let said = said.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    said.map_or(Size { columns: 80, lines: 24 }, |size| Size {
        columns: size.ws_col,
        lines: size.ws_row,
    })
}
