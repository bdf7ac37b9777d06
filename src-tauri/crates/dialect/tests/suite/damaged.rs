//! Files as they come from other hands: with other line ends, a mark at the beginning or no line end at the end, and broken.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::ops::Range;

/// Texts in the guises that a file can have.
pub fn in_guises(texts: impl Strategy<Value = &'static str>) -> impl Strategy<Value = String> {
    (texts, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(text, crlf, bom, cut)| {
        let mut text = text.to_owned();
        if cut {
            text.pop();
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        if bom {
            text.insert(0, '\u{feff}');
        }
        text
    })
}

/// Texts with some pieces in the place of what stood there: often broken. `long`: how many bytes go for a piece, `times`: how many pieces.
pub fn damaged(
    texts: impl Strategy<Value = String>,
    pieces: impl Into<std::borrow::Cow<'static, [&'static str]>>,
    long: Range<usize>,
    times: Range<usize>,
) -> impl Strategy<Value = String> {
    let cut = (any::<Index>(), long, select(pieces.into()));
    (texts, prop::collection::vec(cut, times)).prop_map(|(mut text, cuts)| {
        let snap = |text: &str, mut n: usize| {
            n = n.min(text.len());
            while !text.is_char_boundary(n) {
                n -= 1;
            }
            n
        };
        for (at, length, piece) in cuts {
            let start = snap(&text, at.index(text.len() + 1));
            let end = snap(&text, start + length).max(start);
            text.replace_range(start..end, piece);
        }
        text
    })
}
