//! What stands where the shell fills something in, as far as the way it is shown says it.

use super::word::{Piece, Word};

/// What a place holds that the shell fills in.
pub(super) enum Held<'p> {
    Number,
    /// What the variable holds.
    Name(&'p str),
    Anything,
}

/// What the place holds, by the way it is shown.
pub(super) fn held(place: &str) -> Held<'_> {
    let inside = place.strip_prefix("${").and_then(|p| p.strip_suffix('}'));
    let Some(name) = inside.or_else(|| place.strip_prefix('$')) else {
        return Held::Anything;
    };
    let counts = inside.is_some_and(|i| i.starts_with('#') && i.len() > 1 && !i.contains(['$', ':', '%', '/']));
    if place == crate::text::COUNTED || counts || matches!(name, "?" | "#" | "$" | "!") {
        return Held::Number;
    }
    // An element holds what the array was given; its subscript is looked at where it stands.
    let name = match name.split_once('[') {
        Some((name, rest)) if inside.is_some() && rest.ends_with(']') && !rest.contains('$') => name,
        _ => name,
    };
    match is_name(name) {
        true => Held::Name(name),
        false => Held::Anything,
    }
}

/// Whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a word may come to nothing at all.
pub(super) fn may_vanish(word: &Word) -> bool {
    let may =
        |piece: &Piece| matches!(piece, Piece::Any(place) if place == "$!" || !matches!(held(place), Held::Number));
    word.pieces.iter().all(may)
}

/// Whether a pattern of files stands in a word: as many words come of it as there are such files.
pub(super) fn is_pattern(word: &Word) -> bool {
    word.pieces.iter().any(|p| matches!(p, Piece::Star | Piece::One))
}
