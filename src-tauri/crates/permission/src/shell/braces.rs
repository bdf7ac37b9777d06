//! The words that braces make of one, as bash makes them.

use super::word::{Piece, Word};
use crate::text;

/// More words than these are not told one by one.
const MOST: usize = 64;

/// Braces in braces are followed this far.
const DEEPEST: usize = 16;

/// More braces and commas in one word are not looked at: what stands behind each is looked at again.
const MOST_SIGNS: usize = 256;

const OPEN: Piece = Piece::Brace('{');
const COMMA: Piece = Piece::Brace(',');
const CLOSE: Piece = Piece::Brace('}');

impl Word {
    /// The words that the braces make of it.
    pub fn unbraced(self) -> Vec<Self> {
        words(self)
    }
}

/// What words are made of braces: `{a,b}c` is `ac bc`. A range, or more than [`MOST`] words, is unknown.
fn words(mut word: Word) -> Vec<Word> {
    let has = |piece: &Piece| word.pieces.contains(piece);
    let pairs = has(&OPEN) && has(&CLOSE) && (has(&COMMA) || word.pieces.windows(2).any(is_range));
    if !pairs {
        word.sets();
        return vec![word];
    }
    let signs = word.pieces.iter().filter(|p| matches!(p, Piece::Brace(_))).count();
    let made = match signs <= MOST_SIGNS {
        true => expanded(&word.pieces, 0),
        false => None,
    };
    let Some(made) = made else {
        return vec![Word::unknown(text::BRACED)];
    };
    if made.len() == 1 && made[0] == word.pieces {
        word.sets();
        return vec![word];
    }
    let mut words = Vec::with_capacity(made.len());
    for pieces in made {
        if pieces.is_empty() {
            // An empty word without quotes is none; with some it may be one.
            match word.bare {
                true => continue,
                false => return vec![Word::unknown(text::BRACED)],
            }
        }
        // The braces that are left stand for themselves.
        let plain = |piece| match piece {
            Piece::Brace(c @ ('{' | ',' | '}')) => Piece::Char(c),
            piece => piece,
        };
        let mut word = Word {
            pieces: pieces.into_iter().map(plain).collect(),
            bare: false,
            splits: word.splits,
        };
        word.sets();
        words.push(word);
    }
    words
}

/// All the texts; `None`: too many, or told differently by different versions.
fn expanded(text: &[Piece], depth: usize) -> Option<Vec<Vec<Piece>>> {
    if depth > DEEPEST {
        return None;
    }
    let mut from = 0;
    let (start, end) = loop {
        let Some(start) = opening(text, from)? else {
            return Some(vec![text.to_vec()]);
        };
        match closing(text, start + 1) {
            Some(end) => break (start, end),
            None => from = start + 1,
        }
    };
    let inside = &text[start + 1..end];
    let middle = if inside.contains(&COMMA) {
        let mut all = Vec::new();
        for part in parts(inside) {
            all.extend(expanded(part, depth + 1)?);
            if all.len() > MOST {
                return None;
            }
        }
        all
    } else {
        vec![vec![Piece::Any(text::BRACED.to_owned())]]
    };
    let behind = match &text[end + 1..] {
        [] => vec![Vec::new()],
        rest => expanded(rest, depth + 1)?,
    };
    if middle.len() * behind.len() > MOST {
        return None;
    }
    let before = &text[..start];
    let joined = middle
        .iter()
        .flat_map(|part| behind.iter().map(move |rest| [before, part, rest].concat()));
    Some(joined.collect())
}

/// The next `{` that may open; `Some(None)`: there is none. A pair that stands at the beginning of a text is no opening.
fn opening(text: &[Piece], from: usize) -> Option<Option<usize>> {
    let mut level = 0_usize;
    let mut at = from;
    while let Some(piece) = text.get(at) {
        if *piece == OPEN && level == 0 {
            let pair = text.get(at + 1) == Some(&CLOSE);
            match at.checked_sub(1).map(|before| &text[before]) {
                None if pair => {}
                Some(Piece::Char(c)) if pair && c.is_whitespace() => return None,
                _ => return Some(Some(at)),
            }
        } else if *piece == OPEN {
            level += 1;
        } else if *piece == CLOSE {
            level = level.saturating_sub(1);
        }
        at += 1;
    }
    Some(None)
}

/// The `}` that closes what stands from there on: one behind a comma or a range of its own level.
fn closing(text: &[Piece], from: usize) -> Option<usize> {
    let (mut level, mut several) = (0_usize, false);
    for (at, piece) in text.iter().enumerate().skip(from) {
        if *piece == CLOSE && level == 0 && several {
            return Some(at);
        } else if *piece == OPEN {
            level += 1;
        } else if *piece == CLOSE {
            level = level.saturating_sub(1);
        } else if level == 0 {
            several |=
                *piece == COMMA || text.get(at..at + 2).is_some_and(is_range) && text.get(at + 2) != Some(&CLOSE);
        }
    }
    None
}

fn is_range(two: &[Piece]) -> bool {
    *two == [Piece::Char('.'), Piece::Char('.')]
}

/// What stands between the commas of this level.
fn parts(text: &[Piece]) -> Vec<&[Piece]> {
    let mut parts = Vec::new();
    let (mut level, mut from) = (0_usize, 0);
    for (at, piece) in text.iter().enumerate() {
        if *piece == OPEN {
            level += 1;
        } else if *piece == CLOSE {
            level = level.saturating_sub(1);
        } else if *piece == COMMA && level == 0 {
            parts.push(&text[from..at]);
            from = at + 1;
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_bash_makes_them() {
        for (text, made) in [
            ("{a,b}c", "ac bc"),
            ("{a,b}{c,d}", "ac ad bc bd"),
            ("{a,{b,c}}", "a b c"),
            ("{a,{b,{c,d}}}", "a b c d"),
            ("{a{b,c}d,e}", "abd acd e"),
            ("{a,{b}}", "a {b}"),
            ("d}/{1,2}", "d}/1 d}/2"),
            ("{a}b,c}", "a}b c"),
            ("{a,{b}", "{a,{b}"),
            ("{a,b", "{a,b"),
            ("a,b}{c", "a,b}{c"),
            ("{{a,b}", "{a {b"),
            ("{a{b,c}", "{ab {ac"),
            ("{{a,{b,c}", "{{a,b {{a,c"),
            ("{a,b}}", "a} b}"),
            ("x{a}{b,c}", "x{a}b x{a}c"),
            ("{{a,b},{c}}", "a b {c}"),
            ("{x}..{y,z}", "{x}..y {x}..z"),
            ("{,{}a,b}", "{}a b"),
            ("a{},b}", "a} ab"),
            ("{},b}", "{},b}"),
            ("{x,{},y}", "x {} y"),
            ("{a,b}{},c}", "a{},c} b{},c}"),
            ("{{}},b}", "{}} b"),
            ("{{},b}", "{} b"),
            ("x{{a,b}}y", "x{a}y x{b}y"),
            ("{a..b,c}", "a..b c"),
            ("{..,}", ".."),
            ("{a..}", "{a..}"),
            ("{}", "{}"),
            ("{x}", "{x}"),
        ] {
            let piece = |c| match c {
                '{' | ',' | '}' => Piece::Brace(c),
                c => Piece::Char(c),
            };
            let word = Word {
                pieces: text.chars().map(piece).collect(),
                bare: true,
                splits: false,
            };
            let known: Vec<String> = words(word).iter().filter_map(Word::known).collect();
            assert_eq!(known.join(" "), made, "{text}");
        }
    }
}
