//! A pattern with a name, and how it is looked for.

use crate::report::Action;
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// A rule that is a pattern.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) name: String,
    pub(crate) action: Action,
    pub(crate) regex: Regex,
    pub(crate) sort: Sort,
}

/// Whose pattern it is, and what else must hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sort {
    /// The project's: what it fits counts.
    Own,
    /// Ours: what it fits is looked at once more.
    BuiltIn(&'static BuiltIn),
}

/// One of our patterns. It must fit a bounded length wherever the closer look may say [`Look::NotHere`].
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) pattern: &'static str,
    /// A closer look at what the pattern fitted.
    pub(crate) look: fn(&str, Range<usize>) -> Look,
    /// Whether a number of the payload may be it. Times and counters are numbers; nobody writes a telephone number as one.
    pub(crate) numbers: bool,
    /// The pattern, compiled when it is first asked for: settings are read again and again, and ours never change.
    pub(crate) regex: OnceLock<Regex>,
}

/// What a closer look says.
#[derive(Debug)]
pub(crate) enum Look {
    /// It counts, and this is the place.
    Counts(Range<usize>),
    /// It does not; something may begin one character further on.
    NotHere,
    /// It does not, nor does anything inside of it.
    NotInside,
}

impl Look {
    /// It counts if this is so.
    pub(crate) fn when(counts: bool, place: Range<usize>) -> Self {
        if counts { Self::Counts(place) } else { Self::NotHere }
    }
}

impl Pattern {
    /// One of our patterns.
    pub(crate) fn built_in(built_in: &'static BuiltIn) -> Self {
        Self {
            name: built_in.name.to_owned(),
            action: Action::Block,
            regex: built_in
                .regex
                .get_or_init(|| Regex::new(built_in.pattern).expect("the built-in patterns are tested"))
                .clone(),
            sort: Sort::BuiltIn(built_in),
        }
    }

    /// Every place it fits, until `hit` says that this is enough (`false`).
    pub(crate) fn find(&self, text: &str, mut hit: impl FnMut(Range<usize>) -> bool) {
        let mut from = 0;
        while from <= text.len() {
            let Some(fit) = self.regex.find_at(text, from) else {
                return;
            };
            let one_on = fit.start() + text[fit.start()..].chars().next().map_or(1, char::len_utf8);
            let look = match self.sort {
                Sort::Own => Look::Counts(fit.range()),
                Sort::BuiltIn(ours) => (ours.look)(text, fit.range()),
            };
            from = match look {
                Look::NotHere => one_on,
                Look::NotInside => fit.end().max(one_on),
                Look::Counts(place) => {
                    let end = place.end;
                    if !hit(place) {
                        return;
                    }
                    end.max(one_on)
                }
            };
        }
    }

    pub(crate) fn is_own(&self) -> bool {
        matches!(self.sort, Sort::Own)
    }

    pub(crate) fn takes_numbers(&self) -> bool {
        match self.sort {
            Sort::Own => true,
            Sort::BuiltIn(ours) => ours.numbers,
        }
    }
}

/// The characters before and behind a place.
pub(crate) fn around(text: &str, place: &Range<usize>) -> (Option<char>, Option<char>) {
    (
        text[..place.start].chars().next_back(),
        text[place.end..].chars().next(),
    )
}

/// Whether a place is a word of its own: no letter or digit of ASCII touches it. Letters of scripts that are written without spaces may.
pub(crate) fn is_apart(text: &str, place: &Range<usize>) -> bool {
    let (before, behind) = around(text, place);
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    !touches(before) && !touches(behind)
}

/// Whether a place that holds digits is a number of its own: no word touches it, and it is no part of a longer chain of digits
/// (`1.2.3`, `12-34`).
pub(crate) fn is_own_number(text: &str, place: &Range<usize>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let joint = |c: Option<char>| matches!(c, Some('.' | '-' | '/' | ':'));
    let mut before = text[..place.start].chars().rev();
    let mut behind = text[place.end..].chars();
    is_apart(text, place)
        && !(joint(before.next()) && digit(before.next()))
        && !(joint(behind.next()) && digit(behind.next()))
}

/// Whether a hyphen or a full stop joins a place to another word, before or behind it.
pub(crate) fn is_joined(text: &str, place: &Range<usize>) -> bool {
    let joins = |joint: Option<char>, word: Option<char>| {
        matches!(joint, Some('-' | '.')) && word.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    let mut before = text[..place.start].chars().rev();
    let mut behind = text[place.end..].chars();
    joins(before.next(), before.next()) || joins(behind.next(), behind.next())
}
