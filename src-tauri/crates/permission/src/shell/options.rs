//! The options of a program, as far as it matters where they end.

use super::held::{is_pattern, may_vanish};
use super::word::{Piece, Word};

/// The options in front of a program's first operand.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// The words of options, as they are written.
    pub flags: Vec<String>,
    /// Options with their values.
    pub valued: Vec<(String, Word)>,
    /// Which word follows each of these and its value, in the same order.
    pub behind: Vec<usize>,
    /// Which word is the first operand.
    pub end: usize,
    /// Words that are options or their values as long as each of them stays one word.
    pub single: Vec<Word>,
    /// A word that is the first operand as long as it is no option.
    pub operand: Option<Word>,
    /// There is an option that is not known: where the operands begin is a guess.
    pub odd: bool,
}

impl Options {
    /// Reads options. `valued`: those that take the next word (or the rest of theirs). `known`: the letters of flags and the names of
    /// long ones, separated by blanks; `None` when any flag will do.
    pub fn of(words: &[Word], valued: &[&str], known: Option<&str>) -> Self {
        let mut options = Self::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            options.behind.resize(options.valued.len(), at);
            let is_option =
                (word.starts_with("-") || word.starts_with("+") && valued.contains(&"+o")) && word.pieces.len() > 1;
            if !is_option {
                // What begins with something unknown may be an option, or several words.
                options.odd |= word.known().is_none() && !word.starts_with("/") && word.bare && known.is_some();
                options.operand = Some(word.clone()).filter(|w| matches!(w.pieces.first(), Some(Piece::Any(_))));
                break;
            }
            at += 1;
            let rough = word.rough();
            if rough == "--" {
                break;
            }
            if valued.contains(&rough.as_str()) {
                options.takes(rough, words.get(at));
                at += 1;
                continue;
            }
            if let Some((name, _)) = rough.split_once('=').filter(|(name, _)| name.starts_with("--")) {
                options.odd |= !valued.contains(&name) && !is_known(known, name);
                options.single.push(word.clone());
                options
                    .valued
                    .push((name.to_owned(), word.after(name.chars().count() + 1)));
                continue;
            }
            let short: String = rough.chars().take(2).collect();
            if !rough.starts_with("--") && valued.contains(&short.as_str()) {
                let value = word.after(2);
                // Of nothing behind it an option takes the next word.
                options.odd |= may_vanish(&value);
                options.single.push(word.clone());
                options.valued.push((short, value));
                continue;
            }
            // A value may stand behind a bundle: `-nu root`.
            let last = rough.chars().last().map(|c| format!("-{c}"));
            match last.filter(|l| !rough.starts_with("--") && valued.contains(&l.as_str())) {
                Some(last) => {
                    options.odd |= !is_known(known, &rough[..rough.len() - last.len() + 1]);
                    options.takes(last, words.get(at));
                    options.flags.push(rough);
                    at += 1;
                }
                None => {
                    options.odd |= !is_known(known, &rough) || word.known().is_none();
                    options.flags.push(rough);
                }
            }
        }
        options.end = at.min(words.len());
        options.behind.resize(options.valued.len(), options.end);
        options
    }

    /// An option takes the next word.
    fn takes(&mut self, name: String, value: Option<&Word>) {
        let value = value.cloned().unwrap_or_default();
        self.odd |= is_pattern(&value) || value.splits && may_vanish(&value);
        self.single.push(value.clone());
        self.valued.push((name, value));
    }
}

fn is_known(known: Option<&str>, option: &str) -> bool {
    let Some(known) = known else { return true };
    match option.starts_with("--") {
        true => known.split(' ').any(|k| k == option),
        false => {
            let letters = known.split(' ').next().unwrap_or_default();
            option
                .chars()
                .skip(1)
                .all(|c| letters.contains(c) || letters.contains('#') && c.is_ascii_digit())
        }
    }
}
