//! Builtins that give names their values, and options of the shell.

use super::held::{is_name, is_pattern, may_vanish};
use super::reader::{Call, Reader, Sets};
use super::values::Class;
use super::word::{Piece, Word};

/// Options of the shell (`set -o`, `shopt -s`) that change neither what a script means nor which files a pattern meets.
const CALM: &[&str] = &[
    "errexit",
    "errtrace",
    "failglob",
    "functrace",
    "globstar",
    "hashall",
    "inherit_errexit",
    "lastpipe",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "notify",
    "nounset",
    "nullglob",
    "physical",
    "pipefail",
    "verbose",
    "xtrace",
    "extglob",
    "nocasematch",
    "checkwinsize",
    "login_shell",
    "sourcepath",
    "promptvars",
    "patsub_replacement",
    "execfail",
    "huponexit",
];

/// Whether an option of the shell changes nothing that the reader counts on.
pub(super) fn is_calm(option: &str) -> bool {
    CALM.contains(&option)
}

/// The options and operands of a builtin, as `getopts` would find them.
struct Found {
    options: Vec<(char, Option<Word>)>,
    operands: Vec<Word>,
    /// A word may turn out to be something else.
    odd: bool,
}

/// `valued`: letters of options that take a value.
fn found(words: &[Word], valued: &str) -> Found {
    let mut found = Found {
        options: Vec::new(),
        operands: Vec::new(),
        odd: false,
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let begins = matches!(
            word.pieces.first(),
            Some(Piece::Any(_)) | Some(Piece::Star) | Some(Piece::One)
        );
        if begins || !word.starts_with("-") || word.pieces.len() == 1 {
            found.odd |= begins;
            break;
        }
        let Some(text) = word.known() else {
            found.odd = true;
            break;
        };
        at += 1;
        if text == "--" {
            break;
        }
        for (i, letter) in text.char_indices().skip(1) {
            if !valued.contains(letter) {
                found.options.push((letter, None));
                continue;
            }
            let rest = word.after(text[..i].chars().count() + 1);
            let value = match rest.pieces.is_empty() {
                true => {
                    at += 1;
                    words.get(at - 1).cloned().unwrap_or_default()
                }
                false => rest,
            };
            found.options.push((letter, Some(value)));
            break;
        }
    }
    found.operands = words.get(at..).unwrap_or_default().to_vec();
    found
}

impl Reader<'_> {
    /// Variables that a builtin gives a value.
    pub fn sets(&mut self, base: &str, rest: &[Word], call: &Call<'_>) {
        let valued = match base {
            "read" => "adinNptu",
            "mapfile" | "readarray" => "dnOsuCc",
            "printf" => "v",
            "wait" => "p",
            _ => "",
        };
        if base == "let" {
            return rest.iter().for_each(|w| self.calculated(w, call.source));
        }
        if base == "getopts" {
            // What stands in its words is done before the name has a value.
            if rest.iter().skip(2).any(|w| w.known().is_none()) {
                self.unclear(call.source);
            }
            self.named_here(rest.get(1), Class::Other, call);
            self.needs.values.give("OPTARG", Class::Other);
            return;
        }
        let found = found(rest, valued);
        let mut named = false;
        for value in found.options.iter().filter_map(|(_, value)| value.as_ref()) {
            // Where the names begin is counted on.
            if is_pattern(value) || value.splits && may_vanish(value) {
                self.unclear(call.source);
            }
            self.one_word(value, call.source);
        }
        for (letter, value) in &found.options {
            match (base, letter) {
                // Without a format nothing is printed, and the name keeps what it held.
                ("printf", 'v') if found.operands.is_empty() => {
                    let kept = value.as_ref().and_then(Word::known);
                    kept.iter().for_each(|name| self.needs.variable(name));
                }
                ("read", 'a') | ("printf", 'v') | ("wait", 'p') => {
                    named = true;
                    self.named_here(
                        value.as_ref(),
                        if base == "wait" { Class::Number } else { Class::Other },
                        call,
                    );
                }
                // The shell puts what it has read behind the text, and evaluates both.
                ("mapfile" | "readarray", 'C') => {
                    self.unclear(call.source);
                    if let Some(text) = value.as_ref().and_then(Word::known) {
                        self.script(&text);
                    }
                }
                ("mapfile" | "readarray", 'O') => {
                    if let Some(origin) = value {
                        self.calculated(origin, call.source);
                    }
                }
                _ => {}
            }
        }
        match base {
            "printf" => {
                // Behind what is surely no option nothing is one.
                if let Some(format) = found.operands.first().filter(|_| found.odd) {
                    match format.starts_with("-") {
                        true => self.unclear(call.source),
                        false => self.no_option(format, call.source),
                    }
                }
            }
            "wait" => found.operands.iter().for_each(|w| self.no_option(w, call.source)),
            _ => {
                if found.odd {
                    self.unclear(call.source);
                }
                found
                    .operands
                    .iter()
                    .for_each(|w| self.named_here(Some(w), Class::Other, call));
                if found.operands.is_empty() && !named {
                    self.needs
                        .values
                        .give(if base == "read" { "REPLY" } else { "MAPFILE" }, Class::Other);
                }
            }
        }
    }

    fn named_here(&mut self, word: Option<&Word>, class: Class, call: &Call<'_>) {
        let Some(word) = word else { return };
        self.named(word, Some(class), call.source);
        // What stands in the command's words and redirections still sees the value before.
        self.sets.extend(word.known().filter(|n| is_name(n)).map(Sets::Name));
    }

    /// `export`, `declare` and their like; what they were given as assignments has been looked at.
    pub fn declared(&mut self, base: &str, rest: &[Word], call: &Call<'_>) {
        let is_flag = |w: &&Word| w.starts_with("-") || w.starts_with("+");
        let flags: Option<String> = rest.iter().filter(is_flag).map(Word::known).collect();
        let Some(flags) = flags else {
            return self.unclear(call.source);
        };
        // Another name for a variable; functions that other shells know.
        if base != "export" && base != "readonly" && flags.contains('n') || base == "export" && flags.contains('f') {
            self.unclear(call.source);
        }
        if flags.contains(['f', 'F']) {
            return;
        }
        for word in rest.iter().filter(|w| !is_flag(w)) {
            let is_sign = |p: &Piece| *p == Piece::Char('=');
            let name = word.pieces.split(is_sign).next().unwrap_or_default().to_vec();
            let name = Word {
                pieces: name,
                ..Word::default()
            }
            .known();
            let Some(name) = name else {
                self.unclear(call.source);
                continue;
            };
            let value = word.after(name.chars().count() + 1);
            let assigns = word.pieces.iter().any(is_sign);
            // What is printed is seen; what can be set no more keeps what it held.
            if flags.contains('p') || base == "readonly" && !assigns {
                self.needs.variable(name.split('[').next().unwrap_or_default());
            }
            let is_array = matches!(&value.pieces[..], [Piece::Any(place)] if place == crate::text::ARRAY);
            if assigns && !is_array {
                self.setting(word, true, call.source);
                // A list in quotes is read as a list, with what it substitutes.
                if value.starts_with("(") {
                    self.unclear(call.source);
                }
            } else if !assigns && base != "export" && base != "readonly" {
                // A steering name without a value has none.
                self.named(&Word::of(&name), Some(Class::Number), call.source);
            } else if !assigns {
                // What the name holds goes to every program from here on.
                self.exported(&name, call);
            }
            let plain = name.split(['[', '+']).next().unwrap_or_default();
            if flags.contains('i') {
                self.needs.values.demand(plain, Class::Number, None, call.source);
            }
            if flags.contains('A') && is_name(plain) {
                self.needs.values.map(plain);
            }
        }
    }

    fn exported(&mut self, name: &str, call: &Call<'_>) {
        match is_name(name) {
            // The shell's own are exported already.
            true if super::steering::shell(name) => {}
            true => self.gives(name, None, true, call.source),
            false => self.named(&Word::of(name), None, call.source),
        }
    }

    /// `set` and `shopt`: options that change what a script means, or which files a pattern meets.
    pub fn shell_options(&mut self, base: &str, rest: &[Word], call: &Call<'_>) {
        let letters = if base == "set" { "bCEefhmnTuvxo" } else { "suqpo" };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let Some(text) = word.known() else {
                return self.no_option(word, call.source);
            };
            let is_option = text.starts_with(['-', '+']);
            match (text.as_str(), base) {
                ("--" | "-", _) => return,
                _ if is_option => {
                    let named = base == "set" && text.contains('o');
                    let name = if named { words.next() } else { None };
                    let calm = |w: &Word| w.known().is_some_and(|n| is_calm(&n));
                    if text.chars().skip(1).any(|c| !letters.contains(c)) || !name.is_none_or(calm) {
                        self.unclear(call.source);
                    }
                }
                // The script's own arguments.
                (_, "set") => return,
                _ if is_calm(&text) => {}
                _ => return self.unclear(call.source),
            }
        }
    }
}
