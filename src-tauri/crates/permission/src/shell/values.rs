//! What is known of the values that names hold: every way in which a name gets a value is told here, and every place where the shell
//! evaluates a value a second time asks here.
//!
//! It does not matter where in a script a value is given: loops and functions make any order possible.

use super::held::{Held, held};
use super::word::{Piece, Word};
use crate::text;
use std::collections::{BTreeMap, BTreeSet};

/// What kind of text a name may hold; each is contained in the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// A number, or nothing: evaluated again it stays what it is.
    Number,
    /// Letters, digits and signs by which nothing is divided, and no option.
    Label,
    /// One word of letters, digits and harmless signs that is no option: it may stand unquoted.
    Plain,
    /// A known text that is no option.
    Literal,
    /// Anything.
    Other,
}

/// A place that is only clear when a name holds no more than this.
#[derive(Debug)]
struct Demand {
    name: String,
    class: Class,
    /// The map whose key the name is, if it stands in a subscript.
    map: Option<String>,
    source: String,
}

/// What names are given, and what is demanded of them.
#[derive(Debug, Default)]
pub(super) struct Values {
    given: BTreeMap<String, Class>,
    /// The first name is given what the second holds.
    flows: BTreeSet<(String, String)>,
    demands: Vec<Demand>,
    maps: BTreeSet<String>,
}

/// Numbers that the shell keeps itself.
const NUMBERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "EPOCHSECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
    "SHLVL",
    "COLUMNS",
    "LINES",
    "OPTIND",
    "BASHPID",
];

/// Variables of every session, which hold names and paths.
const TEXTS: &[&str] = &["HOME", "PWD", "USER", "LOGNAME", "SHELL", "HOSTNAME", "RUN_BASE"];

impl Values {
    /// A name is given a value of this kind.
    pub fn give(&mut self, name: &str, class: Class) {
        let held = self.given.entry(name.to_owned()).or_insert(class);
        *held = class.max(*held);
    }

    /// A name is given what a word becomes.
    pub fn give_word(&mut self, name: &str, word: &Word) {
        let (class, names) = class_of(word);
        self.give(name, class);
        self.flows.extend(names.into_iter().map(|from| (name.to_owned(), from)));
    }

    /// A name is declared to be a map: its subscripts are plain text.
    pub fn map(&mut self, name: &str) {
        self.maps.insert(name.to_owned());
    }

    /// Here the script is only clear when the name holds no more than this.
    pub fn demand(&mut self, name: &str, class: Class, map: Option<&str>, source: &str) {
        self.demands.push(Demand {
            name: name.to_owned(),
            class,
            map: map.map(ToOwned::to_owned),
            source: text::first_line(source),
        });
    }

    /// The places that are not clear.
    pub fn unmet(mut self) -> Vec<String> {
        let flows = std::mem::take(&mut self.flows);
        let mut onward: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (to, from) in &flows {
            onward.entry(from).or_default().push(to);
        }
        // A name is looked at again when it was lifted, by one of five classes at most.
        let mut open: Vec<&str> = onward.keys().copied().collect();
        while let Some(from) = open.pop() {
            let class = self.class(from).unwrap_or(Class::Other);
            for to in onward.get(from).into_iter().flatten() {
                if self.given.get(*to).is_none_or(|held| *held < class) {
                    self.give(to, class);
                    open.push(to);
                }
            }
        }
        let met = |d: &Demand| match self.class(&d.name) {
            Some(class) => class <= d.class,
            None => d.map.as_ref().is_some_and(|map| self.maps.contains(map)),
        };
        let unmet = self.demands.iter().filter(|d| !met(d));
        unmet.map(|d| d.source.clone()).collect()
    }

    fn class(&self, name: &str) -> Option<Class> {
        let own = || {
            let number = NUMBERS.contains(&name).then_some(Class::Number);
            number.or(TEXTS.contains(&name).then_some(Class::Literal))
        };
        self.given.get(name).copied().or_else(own)
    }
}

/// What a word becomes, apart from the names in it.
pub(super) fn class_of(word: &Word) -> (Class, Vec<String>) {
    let mut class = Class::Number;
    let mut names = Vec::new();
    let mut first = true;
    for piece in &word.pieces {
        let part = match piece {
            Piece::Char(c) | Piece::Brace(c) => {
                let dash = *c == '-' && std::mem::take(&mut first);
                first = false;
                match c {
                    '0'..='9' => Class::Number,
                    '-' if dash => Class::Other,
                    '_' | '.' | '-' => Class::Label,
                    '/' | ':' | '@' | '%' | '+' | ',' => Class::Plain,
                    c if c.is_ascii_alphanumeric() => Class::Label,
                    _ => Class::Literal,
                }
            }
            Piece::Star | Piece::One => Class::Literal,
            Piece::Any(place) => match held(place) {
                Held::Number => Class::Number,
                Held::Name(name) => {
                    names.push(name.to_owned());
                    Class::Number
                }
                Held::Anything => Class::Other,
            },
        };
        class = class.max(part);
    }
    let text = word.known().unwrap_or_default();
    // `-5` is a number, and nobody's option.
    if text
        .strip_prefix('-')
        .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    {
        class = Class::Number;
    }
    (class, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_words() {
        for (text, class) in [
            ("", Class::Number),
            ("12", Class::Number),
            ("-5", Class::Number),
            ("a-b.c", Class::Label),
            ("a-b.c/d", Class::Plain),
            ("a b", Class::Literal),
            ("a[x]", Class::Literal),
            ("-v", Class::Other),
        ] {
            assert_eq!(class_of(&Word::of(text)).0, class, "{text}");
        }
    }

    #[test]
    fn a_name_holds_the_worst_it_is_given() {
        let number = |text: &str| {
            let mut values = Values::default();
            values.give_word("a", &Word::of("1"));
            values.give_word("b", &Word::unknown("$a"));
            values.give_word("c", &Word::unknown("${b}"));
            values.give_word("a", &Word::of(text));
            values.demand("c", Class::Number, None, "here");
            values.unmet().is_empty()
        };
        assert!(number("2"));
        assert!(!number("x[1]"));
    }
}
