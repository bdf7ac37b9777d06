//! What is printed to be pasted into a shell.

use crate::text::safe;

/// A word as a shell takes it and nothing else; `None` where it holds what a terminal would not show as it is.
pub fn shell_word(word: &str) -> Option<String> {
    if safe::visible(word) != word || word.contains(['\n', '\t']) {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Some(word.to_owned());
    }
    Some(format!("'{}'", word.replace('\'', "'\\''")))
}

/// The same where a name stands for it that cannot be typed.
pub fn shell_word_or(word: &str, name: &str) -> String {
    shell_word(word).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{shell_word, shell_word_or};

    #[test]
    fn a_shell_takes_a_word_as_it_is() {
        for (word, quoted) in [
            ("signal:critique_reqs:hitl", "signal:critique_reqs:hitl"),
            ("x$(touch owned):1", "'x$(touch owned):1'"),
            ("it's; rm -r `x` | \"y\"", "'it'\\''s; rm -r `x` | \"y\"'"),
            ("", "''"),
            ("größe", "'größe'"),
            ("~", "'~'"),
            ("a b", "'a b'"),
            ("!x", "'!x'"),
            ("*", "'*'"),
        ] {
            assert_eq!(shell_word(word).as_deref(), Some(quoted));
        }
        for unseen in ["a\nb", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}b", "a\u{2066}b", "a\tb"] {
            assert_eq!(shell_word(unseen), None);
            assert_eq!(shell_word_or(unseen, "RUN"), "RUN");
        }
    }
}
