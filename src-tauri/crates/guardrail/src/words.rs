//! Lists of words and phrases.

use crate::plain::Plain;
use crate::report::Action;
use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;

/// Words that no step should hand on, unless the project brings its own list.
pub(crate) const MODERATION: &[&str] = &[
    "bomb",
    "bombing",
    "kill",
    "killing",
    "massacre",
    "molest",
    "murder",
    "rape",
    "suicide",
    "terrorism",
    "terrorist",
    "torture",
];

/// Commands that destroy, and the words by which a text takes command of whoever reads it, unless the project brings its own list.
pub(crate) const PHRASES: &[&str] = &[
    "rm -rf",
    "rm -fr",
    "drop table",
    "drop database",
    "truncate table",
    "mkfs.",
    "of=/dev/",
    ":(){",
    "format c:",
    "ignore all previous instructions",
    "ignore previous instructions",
    "disregard all previous instructions",
    "disregard previous instructions",
];

/// A list, ready to be looked for all at once.
#[derive(Debug, Clone)]
pub(crate) struct List {
    /// As written, and what finding it leads to.
    pub(crate) entries: Vec<(String, Action)>,
    /// Entries count only as whole words.
    whole: bool,
    /// Over the entries in small letters.
    automaton: AhoCorasick,
}

impl List {
    /// `whole`: `kill` is found in "to kill", not in "skillful".
    ///
    /// # Errors
    /// An entry in which nothing is to be seen; a list that is too long.
    pub(crate) fn new(entries: Vec<(String, Action)>, whole: bool) -> Result<Self, String> {
        let small: Vec<String> = entries
            .iter()
            .map(|(e, _)| Plain::small(e).text.trim().to_owned())
            .collect();
        if let Some(empty) = small.iter().position(String::is_empty) {
            return Err(format!(
                "entry {} is empty, so it would be found everywhere: take it out",
                empty + 1
            ));
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(small)
            .map_err(|e| format!("the list is too long: {e}"))?;
        Ok(Self {
            entries,
            whole,
            automaton,
        })
    }

    /// Every entry that stands in a text, with the place in the text; until `hit` says that this is enough (`false`).
    pub(crate) fn find(&self, text: &str, mut hit: impl FnMut(usize, Range<usize>) -> bool) {
        if self.entries.is_empty() {
            return;
        }
        let plain = Plain::small(text);
        for fit in self.automaton.find_overlapping_iter(&plain.text) {
            if self.whole && !is_whole(&plain.text, &fit.range()) {
                continue;
            }
            if !hit(fit.pattern().as_usize(), plain.original(&fit.range())) {
                return;
            }
        }
    }
}

/// Whether no letter or digit goes on at either end, where the entry itself ends with one.
fn is_whole(text: &str, place: &Range<usize>) -> bool {
    let goes_on = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    let found = &text[place.clone()];
    !goes_on(found.chars().next(), text[..place.start].chars().next_back())
        && !goes_on(found.chars().next_back(), text[place.end..].chars().next())
}
