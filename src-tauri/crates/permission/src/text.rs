//! Words as needs show them: what is known, and the places that the shell fills in.
//!
//! `Need::what` is read again when it is judged, so showing ([`show`]) and reading ([`words`]) must agree: known text that could be taken
//! for anything else is put in single quotes.

/// One character of a word, or a place that something unknown will fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bit {
    /// A character that is known.
    Char(char),
    /// One unknown character of a file name (`?`, `[…]`).
    One,
    /// Any part of a file name (`*`), without a slash.
    Star,
    /// Anything at all, and any number of words.
    Any,
}

/// What stands for a substitution: what it runs is listed as a need of its own.
pub(crate) const SUBSTITUTED: &str = "$(…)";

/// What stands for the number that an arithmetic expression comes to.
pub(crate) const COUNTED: &str = "$((…))";

/// What stands for the words that braces make, where they are too many or a range.
pub(crate) const BRACED: &str = "{…}";

/// What stands for the elements of an array.
pub(crate) const ARRAY: &str = "(…)";

/// Splits what a need shows into words. A quote that never closes ends with the text.
pub(crate) fn words(what: &str) -> Vec<Vec<Bit>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<Bit>> = None;
    let mut rest = what.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_ascii_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_with(Vec::new);
        match c {
            '\'' => word.extend(rest.by_ref().take_while(|c| *c != '\'').map(Bit::Char)),
            '\\' => word.extend(rest.next().map(Bit::Char)),
            '*' => word.push(Bit::Star),
            '?' => word.push(Bit::One),
            // `{…}` and `(…)`: known braces and brackets are in quotes.
            '{' | '(' if rest.next_if_eq(&'…').is_some() => {
                rest.next();
                word.push(Bit::Any);
            }
            '$' => {
                word.push(Bit::Any);
                match rest.peek().copied() {
                    Some('(') => {
                        while rest.next().is_some_and(|c| c != ')') {}
                        rest.next_if_eq(&')');
                    }
                    Some('{') => while rest.next().is_some_and(|c| c != '}') {},
                    Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                        while rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some() {}
                    }
                    _ => drop(rest.next()),
                }
            }
            _ => word.push(Bit::Char(c)),
        }
    }
    words.extend(word);
    words
}

/// The known text of a word, if all of it is known.
pub(crate) fn known(word: &[Bit]) -> Option<String> {
    let char = |bit: &Bit| match bit {
        Bit::Char(c) => Some(*c),
        _ => None,
    };
    word.iter().map(char).collect()
}

/// Writes known text so that [`words`] and a shell read it back: plain where that is safe, else in single quotes.
pub(crate) fn show(text: &str, into: &mut String) {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./~^-!".contains(c);
    // The grammar takes `==` and `=~` for operators wherever they stand, and a dash alone for one before a number.
    if text.chars().all(plain) && !text.starts_with("==") && !text.starts_with("=~") && text != "-" {
        into.push_str(text);
    } else {
        quote(text, into);
    }
}

/// Writes known text in single quotes.
pub(crate) fn quote(text: &str, into: &mut String) {
    into.push('\'');
    into.push_str(&text.replace('\'', "'\\''"));
    into.push('\'');
}

/// Text for a person's eyes: control characters, and those that change the direction of writing or cannot be seen, become `\u{…}`.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The first line of a text that says something, cut to what a person reads at a glance.
pub(crate) fn first_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let line = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_back() {
        for text in [
            "npm", "a b", "it's", "$HOME", "*", "a\\b", "", "`x`", "ä(1)", "\n", "{a,b}", "}", "{…}", "(…)", "#", "[a]",
        ] {
            let mut shown = String::new();
            show(text, &mut shown);
            if text.is_empty() {
                continue;
            }
            let read = words(&shown);
            assert_eq!(read.len(), 1, "{shown}");
            assert_eq!(known(&read[0]).as_deref(), Some(text), "{shown}");
        }
    }

    #[test]
    fn places_are_unknown() {
        assert_eq!(words("a $X $(…)b *.c ${Y}").len(), 5);
        assert_eq!(words("$X"), [[Bit::Any]]);
        assert_eq!(words("$(…)b"), [[Bit::Any, Bit::Char('b')]]);
        assert_eq!(words("a{…}"), [[Bit::Char('a'), Bit::Any]]);
        assert_eq!(words("x=(…)").concat().last(), Some(&Bit::Any));
        assert_eq!(words("''"), [[]] as [[Bit; 0]; 1]);
    }
}
