//! What is said of a text that is no expression: where it stops being one, and which words of other languages it has.

/// So much of what cannot be read is shown, in characters.
const SHOWN: usize = 24;

/// What other languages write, and what is written here.
const WORDS: [(&str, &str); 4] = [("and", "&&"), ("or", "||"), ("not", "!"), ("=", "==")];

/// Where a text stops being an expression, by the line and the column that a parser names.
pub(super) fn stops(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let rest: String = line.chars().skip(column.saturating_sub(1)).collect();
    let rest = rest.trim();
    if rest.is_empty() {
        return "the expression breaks off at its end".to_owned();
    }
    let mut shown: String = rest.chars().take(SHOWN).collect();
    if shown.len() < rest.len() {
        shown.push('…');
    }
    format!("it stops being an expression at `{shown}`")
}

/// The words of other languages in a text, in the order of their first place, each with what is written here.
pub fn other_words(text: &str) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&'static str, &'static str)> = Vec::new();
    for (_, word) in places(text) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// The text with what is written here in place of the words of other languages.
pub fn in_own_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for (at, (other, own)) in places(text) {
        out.push_str(&text[from..at]);
        out.push_str(own);
        from = at + other.len();
        // `not done` is `!done`.
        if own == "!" {
            from += text[from..].len() - text[from..].trim_start().len();
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Where words of other languages stand, outside of texts in quotes.
fn places(text: &str) -> Vec<(usize, (&'static str, &'static str))> {
    let mut found = Vec::new();
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (mut quote, mut is_escaped, mut before) = (None, false, ' ');
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if let Some(open) = quote {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if c == open => quote = None,
                _ => {}
            }
        } else if c == '"' || c == '\'' {
            quote = Some(c);
        } else {
            let word = WORDS.into_iter().find(|(other, _)| {
                let behind = rest.strip_prefix(other).map(|rest| rest.chars().next().unwrap_or(' '));
                behind.is_some_and(|behind| match *other {
                    "=" => behind != '=' && !matches!(before, '=' | '!' | '<' | '>'),
                    _ => !is_of_word(behind) && !is_of_word(before),
                })
            });
            found.extend(word.map(|word| (at, word)));
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::Expression;

    #[test]
    fn words_of_other_languages_are_found_outside_of_texts() {
        assert_eq!(other_words("a == 'x and y' && b >= 2 || brand != android"), []);
        assert_eq!(
            other_words("a = 1 and not b or c = 2"),
            [("=", "=="), ("and", "&&"), ("not", "!"), ("or", "||")]
        );
        assert_eq!(
            in_own_words("a = 1 and not b or c == 'x = y'"),
            "a == 1 && !b || c == 'x = y'"
        );
        assert!(Expression::parse(&in_own_words("a = 1 and not b")).is_ok());
    }

    #[test]
    fn a_text_that_is_no_expression_is_told_where_it_stops_being_one() {
        let said = |text: &str| {
            Expression::parse(text)
                .err()
                .map(|fault| (fault.message, fault.line, fault.column))
        };
        let at = |said: &str, line, column| Some((said.to_owned(), line, column));
        assert_eq!(
            said("a == 1 and b"),
            at("it stops being an expression at `and b`", 1, 8)
        );
        assert_eq!(said("a = 1"), at("it stops being an expression at `= 1`", 1, 3));
        assert_eq!(
            said("the plan is good"),
            at("it stops being an expression at `plan is good`", 1, 5)
        );
        for text in ["a == ", "a == 1 &&", ""] {
            let said = said(text).map(|said| said.0);
            assert_eq!(said.as_deref(), Some("the expression breaks off at its end"), "{text}");
        }
        assert_eq!(
            said("a == 1 &&\n  b c d"),
            at("it stops being an expression at `c d`", 2, 5)
        );
    }
}
