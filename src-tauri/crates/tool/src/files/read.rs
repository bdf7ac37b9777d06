//! Reading a text.

use super::{Refusal, place};
use crate::Context;
use permission::Kind;
use std::io::Read;

/// A text, or its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Where it is, from the project's folder.
    pub path: String,
    /// What it says.
    pub text: String,
    /// How many bytes the whole file had when it was read.
    pub bytes: u64,
    /// Whether this is its beginning only.
    pub cut: bool,
}

/// Reads at most `limit` bytes of a file; a longer one is cut between characters.
pub(crate) fn read(context: &Context, written: &str, limit: u64) -> Result<Text, Refusal> {
    let place = place(context, written, Kind::Read)?;
    let mut file = place.open()?;
    let path = place.shown();
    let mut bytes = Vec::new();
    // One more, to see whether there is more: what the disk says of its size may be old.
    let mut part = (&mut file).take(limit + 1);
    part.read_to_end(&mut bytes).map_err(|error| place.io(error))?;
    let cut = bytes.len() as u64 > limit;
    let whole = match cut {
        true => file.metadata().map_err(|error| place.io(error))?.len().max(limit + 1),
        false => bytes.len() as u64,
    };
    if cut {
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // A character that was cut in two is left out.
        Err(error) if cut && error.utf8_error().error_len().is_none() => {
            let good = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(good);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Err(_) => return Err(Refusal::NoText(path)),
    };
    if text.contains('\0') {
        return Err(Refusal::NoText(path));
    }
    Ok(Text {
        path,
        text,
        bytes: whole,
        cut,
    })
}

/// The whole text of a file of the context's project that is not larger than `limit` bytes.
///
/// # Errors
/// Why it is refused or cannot be read.
pub fn text_of(context: &Context, written: &str, limit: u64) -> Result<Text, Refusal> {
    let text = read(context, written, limit)?;
    match text.cut {
        true => Err(Refusal::TooLarge { path: text.path, limit }),
        false => Ok(text),
    }
}
