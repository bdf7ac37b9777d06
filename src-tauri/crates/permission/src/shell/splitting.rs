//! Words that may become others: several, none, or another option of their program.

use super::files;
use super::held::{Held, held};
use super::options::Options;
use super::reader::Reader;
use super::usage;
use super::values::Class;
use super::word::{Piece, Word};
use super::wrappers;
use crate::builtin;

impl Reader<'_> {
    /// A word that is counted on to stay one.
    pub fn one_word(&mut self, word: &Word, source: &str) {
        if !word.splits {
            return;
        }
        for piece in &word.pieces {
            let Piece::Any(place) = piece else { continue };
            self.plain(place, source);
        }
    }

    /// What the shell fills in is counted on to be plain: one word of harmless signs.
    pub fn plain(&mut self, place: &str, source: &str) {
        self.holds(place, Class::Plain, source);
    }

    /// What the shell fills in is counted on to be of a class.
    pub fn holds(&mut self, place: &str, class: Class, source: &str) {
        match held(place) {
            Held::Number => {}
            Held::Name(name) => self.needs.values.demand(name, class, None, source),
            Held::Anything => self.unclear(source),
        }
    }

    /// Where the operands begin is counted on: what may shift them makes it unclear.
    pub fn settled(&mut self, options: &Options, source: &str) {
        if options.odd {
            self.unclear(source);
        }
        options.single.iter().for_each(|word| self.one_word(word, source));
        options.operand.iter().for_each(|word| self.no_option(word, source));
    }

    /// The options of a program that opens files: a part that is not known may end the word and name a file, or make another option of it.
    pub fn option_words(&mut self, base: &str, rest: &[Word], source: &str) {
        if !files::opens(base) {
            return;
        }
        let harmless = builtin::is_harmless_command(base);
        // One of its options opens a file or starts a program.
        let is_steered = harmless && (files::has_file_options(base) || wrappers::has_starting_options(base));
        let mut pattern = files::takes_pattern(base, rest);
        let mut only_operands = false;
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let text = word.rough();
            if only_operands || !text.starts_with('-') || text == "-" {
                let dates = base == "date";
                if dates || std::mem::take(&mut pattern) {
                    self.one_word(word, source);
                    if harmless && !only_operands {
                        self.no_option(word, source);
                    }
                }
                continue;
            }
            only_operands = text == "--";
            let known = text.split('\u{f8ff}').next().unwrap_or_default();
            if known.len() < text.len() {
                self.one_word(word, source);
                let in_value = match known.starts_with("--") {
                    true => known.contains('='),
                    false => usage::ends_in_value(base, known).is_some(),
                };
                if is_steered && !in_value {
                    self.unclear(source);
                }
            } else if (base == "date" || files::is_searcher(base)) && usage::takes_next(base, &text) {
                // Elsewhere what stands behind an option counts as a file, too.
                words.next().into_iter().for_each(|value| self.one_word(value, source));
            }
        }
    }
}
