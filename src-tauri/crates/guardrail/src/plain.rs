//! A text without the tricks that hide something from a rule but not from a reader: characters that are not seen, digits and letters of
//! other widths and scripts, dashes and spaces that only look the same.
//!
//! This is not a list of everything that looks alike, only what is cheap and sure: compatibility forms (Unicode's NFKD), decimal digits of
//! every script, and letters of Cyrillic and Greek that look Latin, where they stand inside a word with Latin letters (in a
//! Russian word they mean themselves).

use std::ops::Range;
use unicode_normalization::char::decompose_compatible;

/// A text made plain, and where each of its bytes comes from.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    pub(crate) text: String,
    runs: Vec<Run>,
}

/// Characters of equal lengths that follow each other: the plain form of each is `step` bytes long, the original `from_step`.
#[derive(Debug)]
struct Run {
    start: usize,
    step: usize,
    from: usize,
    from_step: usize,
}

impl Plain {
    /// The plain form, letters as they are; `None` when it is the text itself.
    pub(crate) fn of(text: &str) -> Option<Self> {
        // Of ASCII only what cannot be seen would change.
        let is_plain = |b: u8| b.is_ascii() && (b >= b' ' && b != 0x7f || b.is_ascii_whitespace());
        if text.bytes().all(is_plain) {
            return None;
        }
        let plain = Self::build(text, false);
        (plain.text != text).then_some(plain)
    }

    /// The plain form in small letters, with one space for any white space: what lists of words are held against.
    pub(crate) fn small(text: &str) -> Self {
        Self::build(text, true)
    }

    fn build(text: &str, small: bool) -> Self {
        let mut plain = Self {
            text: String::with_capacity(text.len()),
            runs: Vec::new(),
        };
        let mixed = if text.is_ascii() { Vec::new() } else { mixed_words(text) };
        let mut mixed = mixed.into_iter().peekable();
        let mut was_space = false;
        for (at, c) in text.char_indices() {
            while mixed.next_if(|word| word.end <= at).is_some() {}
            let in_mixed = mixed.peek().is_some_and(|word| word.contains(&at));
            let before = plain.text.len();
            if c.is_whitespace() && small {
                if !was_space {
                    plain.text.push(' ');
                }
                was_space = true;
            } else {
                push(c, in_mixed, small, &mut plain.text);
                was_space = was_space && plain.text.len() == before;
            }
            plain.note(before, at, c.len_utf8());
        }
        plain
    }

    fn note(&mut self, before: usize, from: usize, from_step: usize) {
        let step = self.text.len() - before;
        if step == 0 {
            return;
        }
        if let Some(run) = self.runs.last() {
            let count = (before - run.start) / run.step;
            let goes_on = run.from + count * run.from_step == from;
            if run.step == step && run.from_step == from_step && goes_on {
                return;
            }
        }
        self.runs.push(Run {
            start: before,
            step,
            from,
            from_step,
        });
    }

    /// The place in the original text that a place in the plain one comes from: whole characters of it. Not for empty places.
    pub(crate) fn original(&self, place: &Range<usize>) -> Range<usize> {
        let of = |at: usize| {
            let run = &self.runs[self.runs.partition_point(|r| r.start <= at) - 1];
            let from = run.from + (at - run.start) / run.step * run.from_step;
            from..from + run.from_step
        };
        of(place.start).start..of(place.end - 1).end
    }
}

/// What a character is in the plain text: nothing, itself, or what it stands for.
fn push(c: char, in_mixed: bool, small: bool, out: &mut String) {
    let mut put = |c: char| {
        if small {
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
    };
    if c.is_ascii() {
        if !c.is_ascii_control() || c.is_ascii_whitespace() {
            put(c);
        }
        return;
    }
    if is_unseen(c) {
        return;
    }
    if let Some(same) = (if in_mixed { lookalike(c) } else { None })
        .or_else(|| digit(c))
        .or_else(|| sign(c))
    {
        return put(same);
    }
    decompose_compatible(c, |part| {
        if !is_mark(part) {
            put(digit(part).or_else(|| sign(part)).unwrap_or(part));
        }
    });
}

/// Characters that leave no trace on the screen, or only change the direction or the look of others.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The zero of every script whose ten digits follow each other and are not a compatibility form of 0 to 9.
const ZEROS: [u32; 35] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
];

fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code.checked_sub(*zero).filter(|d| *d < 10)?, 10)
}

fn sign(c: char) -> Option<char> {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some('-'),
        '\u{3002}' | '\u{ff61}' | '\u{2024}' => Some('.'),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        c if c.is_whitespace() => Some(' '),
        _ => None,
    }
}

/// The Latin letter that a letter of another script looks like.
fn lookalike(c: char) -> Option<char> {
    const PAIRS: &str = "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԚQԜW\
                         οoνvιiκkρpυuΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXıiɑaɡg";
    let mut pairs = PAIRS.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == c {
            return Some(to);
        }
    }
    None
}

/// Words that hold Latin letters and such that look like them.
fn mixed_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let (mut start, mut latin, mut alike) = (None, false, false);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() || is_unseen(c) || is_mark(c) {
            start.get_or_insert(at);
            latin |= c.is_ascii_alphabetic();
            alike |= !c.is_ascii() && lookalike(c).is_some();
            continue;
        }
        if let Some(start) = start.take().filter(|_| latin && alike) {
            words.push(start..at);
        }
        (latin, alike) = (false, false);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, plain: &str) {
        assert_eq!(Plain::of(text).map_or(text.to_owned(), |p| p.text), plain, "{text:?}");
    }

    #[test]
    fn what_looks_the_same_reads_the_same() {
        check("te\u{200b}st＠ex\u{ad}ample。com", "test@example.com");
        check("５５５‐１２３−４５６７", "555-123-4567");
        check("٥٥٥\u{a0}۱۲۳ ४५६७", "555 123 4567");
        check("𝐤𝓲𝔩𝕝 ﬁle K\u{338}ill", "kill file Kill");
        check("kіll сору Кіев", "kill сору Кіев");
        check("a\u{8}b\tc\r\nd", "ab\tc\r\nd");
        check("plain", "plain");
    }

    #[test]
    fn lists_are_held_against_small_letters_and_single_spaces() {
        assert_eq!(Plain::small("RM\u{200b}  \n-RF É").text, "rm -rf e");
    }

    #[test]
    fn every_place_leads_back() {
        let text = "a\u{200b}b ５５５x ﬁ  y";
        for plain in [Plain::build(text, false), Plain::small(text)] {
            let of = |word: &str| {
                let at = plain.text.find(word).expect(word);
                &text[plain.original(&(at..at + word.len()))]
            };
            assert_eq!(of("ab"), "a\u{200b}b");
            assert_eq!(of("555"), "５５５");
            assert_eq!(of("5x"), "５x");
            assert_eq!(of("f"), "ﬁ");
            assert_eq!(of("y"), "y");
        }
    }
}
