//! JSON: the keys of the outermost object, and keys in keys where those are long; comments and trailing commas do not matter.

use super::lines::Lines;
use super::{COARSE_BYTES, Piece, short};
use std::ops::Range;

/// So deep are long values looked into.
const DEPTH: usize = 3;

pub(super) fn pieces(lines: &Lines<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    members(lines.text, 0..lines.text.len(), "", DEPTH, &mut pieces);
    pieces
}

/// The members of the object or list that is all of this text.
fn members(text: &str, place: Range<usize>, above: &str, deeper: usize, pieces: &mut Vec<Piece>) {
    let mut scan = Scan {
        bytes: &text.as_bytes()[..place.end],
        at: place.start,
    };
    let Some(open @ (b'{' | b'[')) = scan.next_sign() else {
        return;
    };
    scan.at += 1;
    let mut index = 0;
    while let Some(sign) = scan.next_sign() {
        if matches!(sign, b'}' | b']') {
            return;
        }
        let start = scan.at;
        let mut name = format!("{above}[{index}]");
        if open == b'{' {
            let key = scan.key();
            let dot = if above.is_empty() { "" } else { "." };
            name = format!("{above}{dot}{}", short(text.get(key).unwrap_or_default()));
        }
        let value = scan.at;
        scan.value();
        let end = scan.at;
        let value = value..end;
        let before = pieces.len();
        if deeper > 1 && value.len() > COARSE_BYTES {
            members(text, value.clone(), &name, deeper - 1, pieces);
        }
        if pieces.len() == before && end > start {
            pieces.push(Piece {
                kind: if open == b'{' { "key" } else { "item" },
                name,
                place: start..end,
                ..Piece::default()
            });
        }
        if scan.next_sign() == Some(b',') {
            scan.at += 1;
        } else if scan.at == end && end == start {
            // Nothing that is JSON stands here.
            scan.at += 1;
            while !text.is_char_boundary(scan.at) {
                scan.at += 1;
            }
        }
        index += 1;
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte that is neither white space nor of a comment.
    fn next_sign(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek()?;
            let rest = &self.bytes[self.at..];
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if rest.starts_with(b"//") {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                self.at += rest
                    .windows(2)
                    .position(|b| b == b"*/")
                    .map_or(rest.len(), |end| end + 2);
            } else {
                return Some(byte);
            }
        }
    }

    /// Goes over a string.
    fn string(&mut self) {
        let Some(quote) = self.peek() else {
            return;
        };
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at = (self.at + 1).min(self.bytes.len()),
                byte if byte == quote => return,
                _ => {}
            }
        }
    }

    /// Goes over a key and the colon behind it; the key without its quotes.
    fn key(&mut self) -> Range<usize> {
        let start = self.at;
        let mut key = start..start;
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            self.string();
            key = start + 1..self.at.max(start + 2) - 1;
            // A string that is cut off ends with the text, maybe inside of an escape.
            if key.end > self.bytes.len() {
                key = start..start;
            }
        } else {
            while self
                .peek()
                .is_some_and(|b| !b.is_ascii_whitespace() && !matches!(b, b':' | b',' | b'}' | b']'))
            {
                self.at += 1;
            }
            key.end = self.at;
        }
        if self.next_sign() == Some(b':') {
            self.at += 1;
        }
        key
    }

    /// Goes over a value, to what ends it.
    fn value(&mut self) {
        let mut depth = 0_usize;
        let mut end = self.at;
        while let Some(sign) = self.next_sign() {
            match sign {
                b'"' | b'\'' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => break,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' if depth == 0 => break,
                _ => self.at += 1,
            }
            end = self.at;
        }
        self.at = end;
    }
}
