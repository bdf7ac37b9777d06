//! What a step's heading says: its identifier and its title.

use super::id::{self, Id, NoId};
use crate::text::Span;

/// A heading, taken apart. What breaks a rule is read all the same, as far as it can be.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    /// The heading with its marks.
    pub(super) span: Span,
    /// 2 for a step, 3 for a substep.
    pub(super) level: u8,
    pub(super) id: Result<Id, NoId>,
    /// The identifier as written; of a heading without one its first word.
    pub(super) id_span: Span,
    /// What stands between identifier and title: white space and perhaps a separator.
    pub(super) separator: Span,
    /// The title; empty where there is none.
    pub(super) title_span: Span,
    /// The title as it reads, without marks.
    pub(super) title: String,
}

const SEPARATORS: [char; 8] = ['.', ':', ')', '-', '–', '—', '→', '·'];

/// Takes a heading of level 2 or 3 apart. `content` are its words as written, `words` as they read.
pub(super) fn read(text: &str, level: u8, span: Span, content: Span, words: &str) -> Heading {
    let source = &text[content.start..content.end];
    let (found, length) = match id::prefix(source) {
        Ok((found, length)) => (Ok(found), length),
        Err(why) => (Err(why), 0),
    };
    let separated = separated(&source[length..]);
    // A dynamic step's braces end its identifier; any other needs an end of its own.
    let braces = source[..length].ends_with('}');
    let id = found.and_then(|id| match separated {
        _ if level == 3 && id.substep.is_none() => Err(NoId::Shape),
        Some(_) => Ok(id),
        None if braces => Ok(id),
        None => Err(NoId::Shape),
    });
    let length = if id.is_ok() { length } else { first_word(source) };
    let gap = match &id {
        Ok(_) => separated.unwrap_or(0),
        Err(_) => source[length..].len() - source[length..].trim_start().len(),
    };
    let id_end = content.start + length;
    let title_start = (id_end + gap).min(content.end);
    let id_span = Span {
        start: content.start,
        end: id_end,
    };
    let title_span = Span {
        start: title_start,
        end: content.end,
    };
    Heading {
        span,
        level,
        id,
        id_span,
        separator: Span {
            start: id_end,
            end: title_start,
        },
        title_span,
        title: title(
            words,
            &text[id_span.start..title_span.start],
            &text[title_span.start..title_span.end],
        ),
    }
}

/// How much of a text divides an identifier from a title: nothing left, white space, or a separator of
/// [`SEPARATORS`] with white space around it as its kind demands. `None`: no divide, the word goes on.
fn separated(rest: &str) -> Option<usize> {
    if rest.is_empty() {
        return Some(0);
    }
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let before = blanks(rest);
    let behind = &rest[before..];
    let Some(sign) = behind.chars().next().filter(|c| SEPARATORS.contains(c)) else {
        return (before > 0).then_some(before);
    };
    let after = &behind[sign.len_utf8()..];
    let gap = blanks(after);
    if gap == 0 && !after.is_empty() {
        // `1 .5` is no separator but a word; `Set-up` is one word.
        return (before > 0).then_some(before);
    }
    Some(before + sign.len_utf8() + gap)
}

fn first_word(source: &str) -> usize {
    source.find(char::is_whitespace).unwrap_or(source.len())
}

/// The title as it reads: the heading's words without what the source has before the title, where the two agree.
fn title(words: &str, before: &str, source: &str) -> String {
    if source.is_empty() {
        return String::new();
    }
    words.strip_prefix(before).unwrap_or(source).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(level: u8, content: &str) -> (Option<String>, String) {
        let span = Span {
            start: 0,
            end: content.len(),
        };
        let heading = read(content, level, span, span, content);
        (heading.id.ok().map(|id| id.to_string()), heading.title)
    }

    #[test]
    fn separators_of_every_kind_may_follow() {
        for content in [
            "1 A b",
            "1. A b",
            "1: A b",
            "1) A b",
            "1 - A b",
            "1 — A b",
            "1 → A b",
            "1\tA b",
            "1 .  A b",
        ] {
            assert_eq!(parts(2, content), (Some("1".to_owned()), "A b".to_owned()), "{content}");
        }
        assert_eq!(parts(2, "{N}. Each"), (Some("{N}".to_owned()), "Each".to_owned()));
        assert_eq!(parts(2, "{N}each"), (Some("{N}".to_owned()), "each".to_owned()));
        assert_eq!(
            parts(2, "Clean_up: Tidy"),
            (Some("Clean_up".to_owned()), "Tidy".to_owned())
        );
        assert_eq!(parts(2, "Recover"), (Some("Recover".to_owned()), String::new()));
        assert_eq!(parts(3, "1.{n}"), (Some("1.{n}".to_owned()), String::new()));
        assert_eq!(
            parts(3, "{N}.Check It"),
            (Some("{N}.Check".to_owned()), "It".to_owned())
        );
    }

    #[test]
    fn words_that_only_begin_like_an_identifier_are_none() {
        for content in [
            "1st thing",
            "Set-up all",
            "Dev/Test",
            "!!! A",
            "{n} A",
            "{ N } A",
            "١ A",
            "Don't",
            "1.1.1 A",
            "STOP A",
        ] {
            assert_eq!(parts(2, content).0, None, "{content}");
        }
        assert_eq!(parts(3, "Details").0, None);
    }
}
