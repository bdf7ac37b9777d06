//! The terminals of steps that this program's runs have just now: what they show, and typing into them from a window.
//!
//! Only the program that drives a run has them, so that nobody but the person whose run it is can type, and only through the door that
//! this program has (the window, or `serve` with its token). What is typed goes to the step's program alone and is written nowhere: neither
//! into the log nor into a trace. What the program shows is kept as of every step; the picture here is for the eye and goes with the program.

use crate::command::{RunAt, TypeOf};
use crate::lock::lock;
use crate::notice::Notice;
use crate::terminal::screen::{COLUMNS, LINES, Seat, bytes_of, view};
use crate::terminal::view::TerminalsView;
use crate::{ApiError, Studio};
use engine::RunId;
use runtime::{Console, Keyboard, Size, Typed};
use std::time::Duration;
use tokio::sync::mpsc;

/// How many pieces of typing wait for a program that does not read.
const TYPED_AHEAD: usize = 1024;
/// The longest text that is pasted at once, in bytes.
const LONGEST: usize = 16 * 1024;
/// A program that writes much is looked at so often.
const TOGETHER: Duration = Duration::from_millis(40);

/// Lends the terminals of a window to the steps of the runs that this program drives, and of those inside them.
#[derive(Debug)]
pub(crate) struct InWindow {
    pub studio: Studio,
}

impl Keyboard for InWindow {
    fn lend(&self, run: &str, step: &str, name: &str) -> Option<Console> {
        let run = RunId::from(run);
        let (keys, typed) = mpsc::channel(TYPED_AHEAD);
        let mut terminals = lock(&self.studio.0.terminals);
        let id = terminals.next;
        terminals.next += 1;
        terminals.seats.insert(
            id,
            Seat {
                run: run.clone(),
                step: step.to_owned(),
                name: name.to_owned(),
                screen: vt100::Parser::new(LINES, COLUMNS, 0),
                keys,
                told: false,
            },
        );
        drop(terminals);
        let lent = Lent {
            studio: self.studio.clone(),
            run: run.clone(),
            id,
        };
        lent.tell();
        let shown = Lent {
            studio: self.studio.clone(),
            run: run.clone(),
            id,
        };
        Some(Console {
            size: Size {
                columns: COLUMNS.get(),
                lines: LINES.get(),
            },
            typed,
            shown: Box::new(move |bytes| shown.studio.shows(&shown.run, id, bytes)),
            lent: Box::new(Back(lent)),
        })
    }
}

/// One of the terminals.
struct Lent {
    studio: Studio,
    run: RunId,
    id: u64,
}

impl Lent {
    fn tell(&self) {
        self.studio.notify(Notice::Terminal {
            run_id: self.run.to_string(),
        });
    }
}

/// Takes the terminal away when its program has gone.
struct Back(Lent);

impl Drop for Back {
    fn drop(&mut self) {
        lock(&self.0.studio.0.terminals).seats.remove(&self.0.id);
        self.0.tell();
    }
}

impl Studio {
    /// A program has written into its terminal.
    fn shows(&self, run: &RunId, id: u64, bytes: &[u8]) {
        let mut terminals = lock(&self.0.terminals);
        let Some(seat) = terminals.seats.get_mut(&id) else {
            return;
        };
        seat.screen.process(bytes);
        if std::mem::replace(&mut seat.told, true) {
            return;
        }
        drop(terminals);
        let (studio, run_id) = (self.clone(), run.to_string());
        tokio::spawn(async move {
            tokio::time::sleep(TOGETHER).await;
            if let Some(seat) = lock(&studio.0.terminals).seats.get_mut(&id) {
                seat.told = false;
            }
            studio.notify(Notice::Terminal { run_id });
        });
    }

    /// The terminals of a run's steps into which a person can type here.
    pub(crate) async fn terminals(&self, of: RunAt) -> Result<TerminalsView, ApiError> {
        Ok(self.terminals_of(&of.run_id))
    }

    /// Types into a terminal.
    pub(crate) async fn type_into(&self, of: TypeOf) -> Result<TerminalsView, ApiError> {
        let mut terminals = lock(&self.0.terminals);
        let seat = terminals.seats.get_mut(&of.terminal);
        let Some(seat) = seat.filter(|seat| seat.run.as_str() == of.run_id) else {
            return Err(ApiError::new(
                "refused:no_terminal",
                "This terminal is not there any more: its program has ended.",
            )
            .hint("What the program showed stands in the log of the run."));
        };
        let mut keys = Vec::new();
        for pressed in &of.pressed {
            keys.extend(bytes_of(pressed, seat.screen.screen()));
        }
        if keys.len() > LONGEST {
            return Err(ApiError::new(
                "bad_parameters",
                format!("At most {LONGEST} bytes are typed at once; nothing of it was typed."),
            )
            .hint("Paste it in parts, or let the step read a file."));
        }
        if !keys.is_empty() && seat.keys.try_send(Typed::Keys(keys)).is_err() {
            return Err(ApiError::new(
                "refused:not_read",
                "The program does not read what is typed; this was not typed.",
            )
            .hint("Wait until it reads, or end the run."));
        }
        drop(terminals);
        Ok(self.terminals_of(&of.run_id))
    }

    fn terminals_of(&self, run: &str) -> TerminalsView {
        let terminals = lock(&self.0.terminals);
        let own = terminals.seats.iter().filter(|(_, seat)| seat.run.as_str() == run);
        TerminalsView {
            terminals: own.map(|(id, seat)| view(*id, seat)).collect(),
        }
    }
}
