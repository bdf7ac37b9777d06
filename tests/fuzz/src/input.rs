//! Bytes as a text, and as the choices that are made about it.

use arbitrary::Unstructured;
use std::ops::Range;

/// Ends the text. No UTF-8 text holds it, so that every file is an input as it is, and the fuzzer finds it by chance.
const END_OF_TEXT: u8 = 0xff;
/// Choices that follow from the content where an input brings none.
const MORE_CHOICES: usize = 2_048;

/// One input.
#[derive(Debug)]
pub struct Input {
    /// The bytes before the first 0xFF; what is no UTF-8 becomes U+FFFD.
    pub text: String,
    bytes: Vec<u8>,
}

impl Input {
    /// Takes an input apart. The choices are the bytes behind the text, and then a sequence that follows from all of it:
    /// the same input makes the same choices.
    pub fn of(data: &[u8]) -> Self {
        let end = data.iter().position(|byte| *byte == END_OF_TEXT).unwrap_or(data.len());
        let mut bytes = data.get(end + 1..).unwrap_or_default().to_vec();
        // FNV-1a begins it, xorshift carries it on.
        let mut state = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        }) | 1;
        for _ in 0..MORE_CHOICES / 8 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.extend(state.to_le_bytes());
        }
        Self {
            text: String::from_utf8_lossy(&data[..end]).into_owned(),
            bytes,
        }
    }

    /// The choices, from their beginning.
    pub fn choices(&mut self) -> Choices<'_> {
        Choices(Unstructured::new(&self.bytes))
    }
}

/// A source of decisions; used up, it always decides for the first.
#[derive(Debug)]
pub struct Choices<'a>(Unstructured<'a>);

impl Choices<'_> {
    /// A number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.choose_index(end).unwrap_or(0)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of several.
    pub fn of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    /// A seed for decisions that must come out the same however often they are asked for.
    pub fn seed(&mut self) -> u64 {
        self.0.arbitrary().unwrap_or(0)
    }

    /// A part of a text of at most `most` bytes, between two characters.
    pub fn part(&mut self, text: &str, most: usize) -> Range<usize> {
        let start = floor(text, self.below(text.len() + 1));
        let room = (text.len() - start).min(most);
        let end = floor(text, start + self.below(room + 1));
        start..end
    }
}

/// The last place between two characters that is not behind `offset`.
pub fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
