//! Files of the project: read, written, listed, and nothing outside of it.
//!
//! A path is text first ([`names`]): what leads out by its text, or names what is Gatehouse's or Git's own in any disguise, is refused
//! before the disk is asked. Then it is walked ([`walk`]) one folder at a time from the project's, with `openat` and `O_NOFOLLOW`
//! (rustix): every folder is held open while the next is entered, links are read and walked by hand, and what is opened at the end is
//! what was judged. A link that is put in the way meanwhile is refused, never followed. (Who may move folders out of the project while a
//! tool runs can do without the tool.)

mod list;
mod names;
mod read;
mod tools;
mod walk;
mod write;

use list::{Entry, list};
use read::read;
pub use read::{Text, text_of};
pub(crate) use tools::Files;
pub(crate) use walk::Place;
use write::{Mode, write};

use crate::Context;
use permission::Kind;
use std::io;

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Nothing was named.
    #[error("a path is needed: one inside the project, like `docs/plan.md`")]
    NoPath,
    /// It holds a backslash or NUL.
    #[error("`{}` is no path: parts are separated by `/`", visible(.0))]
    Unusable(String),
    /// It leads out by its text.
    #[error("`{}` leads out of the project; tools use files inside it only", visible(.0))]
    Outside(String),
    /// It goes up on its way, and stays inside by its text alone: where a folder of it is a link, it would not.
    #[error("`{}` goes up by `..`, which no tool follows; write the path straight from the project's folder", visible(.0))]
    Upwards(String),
    /// It leads out by a link.
    #[error("`{}` leads out of the project by a symbolic link; tools use files inside it only", visible(.0))]
    Link(String),
    /// It is Gatehouse's or Git's own.
    #[error("`{}` belongs to Gatehouse or Git and is kept from tools", visible(.0))]
    Reserved(String),
    /// It is the project's configuration, a workflow or a program of the configuration, and was to be written.
    #[error("`{}` decides on what is done in this project, so no tool writes it; change it by hand", visible(.0))]
    Configuration(String),
    /// The permissions refuse it.
    #[error("`{}` is not permitted ({by}); the rules stand under `permissions` in gatehouse.yaml", visible(.path))]
    Denied {
        /// Which path.
        path: String,
        /// What refuses it.
        by: String,
    },
    /// It is a device, a pipe or a socket.
    #[error("`{}` is no ordinary file", visible(.0))]
    Special(String),
    /// It is a folder, and a file was wanted.
    #[error("`{}` is a folder", visible(.0))]
    Folder(String),
    /// It is a file, and a folder was wanted.
    #[error("`{}` is no folder", visible(.0))]
    NoFolder(String),
    /// It is not there.
    #[error("`{}` does not exist", visible(.0))]
    Missing(String),
    /// Its folder is not there.
    #[error("the folder of `{}` does not exist; `create_folders: true` makes it", visible(.0))]
    MissingFolder(String),
    /// It is there already.
    #[error("`{}` exists already; `mode: overwrite` replaces it, `mode: append` adds to it", visible(.0))]
    Exists(String),
    /// It was replaced while it was looked at.
    #[error("`{}` was changed by somebody else meanwhile; nothing was done", visible(.0))]
    Changed(String),
    /// It is no text.
    #[error("`{}` is no text (UTF-8)", visible(.0))]
    NoText(String),
    /// It is too large.
    #[error("`{}` is larger than {limit} bytes", visible(.path))]
    TooLarge {
        /// Which path.
        path: String,
        /// In bytes.
        limit: u64,
    },
    /// The disk says no.
    #[error("`{}` could not be used: {error}", visible(.path))]
    Disk {
        /// Which path.
        path: String,
        /// What it says.
        error: io::Error,
    },
}

/// Control and direction characters written out, so that a message shows what is there.
fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown = String::new();
    for c in text.chars() {
        match hidden(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

/// Whether a path from the project's folder, with `/`, is Git's, Gatehouse's own or the configuration, by whatever name. `own`: the folder below
/// `.gatehouse` that may be used.
pub fn is_kept(path: &str, own: &str) -> bool {
    let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    names::reserved(&parts, Some(own), true).is_some()
}

/// Walks to a place and judges it under the name it really has.
pub(crate) fn place(context: &Context, written: &str, kind: Kind) -> Result<Place, Refusal> {
    let place = Place::find(&context.root, written, |parts| {
        match names::reserved(parts, context.own_folder.as_deref(), kind == Kind::Write) {
            Some(refusal) => Err(refusal),
            None => Ok(()),
        }
    })?;
    // What a rule denies is fixed as well, and the rule is why.
    let denied = names::denied(&context.policy, kind, &[&place.parts]);
    if let Some(by) = denied.into_iter().next().flatten() {
        return Err(Refusal::Denied {
            path: place.shown(),
            by,
        });
    }
    match kind == Kind::Write && context.confinement.fixed.contains(&context.root.join(place.shown())) {
        true => Err(Refusal::Configuration(place.shown())),
        false => Ok(place),
    }
}
