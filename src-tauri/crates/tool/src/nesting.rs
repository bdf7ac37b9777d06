//! How deep a YAML text nests, told before it is read.
//!
//! The typed reader looks again at every open bracket for each that follows, so a text of nothing but brackets takes it time by the
//! square of their number; and it gives up at [`DEEPEST`] levels anyway. Here the text is gone through once, and no further than
//! to the first level that is too deep.

use saphyr_parser::{Event, Parser};

/// So many collections may stand in one another.
pub const DEEPEST: usize = 100;

/// With so few brackets and braces no reader has much to do, whatever they mean.
const FEW: usize = 200;

/// Characters that end a line for some readers and not for others.
const DOUBTFUL: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// A place from which a text is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unbounded {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// Why.
    what: String,
}

/// Whether a text may be given to the typed reader. Where something else is wrong with it, that reader says so.
///
/// # Errors
/// It nests too deeply, or has many brackets and cannot be told how deep.
pub fn bounded(text: &str) -> Result<(), Unbounded> {
    let many = || text.bytes().filter(|b| matches!(b, b'[' | b'{')).nth(FEW).is_some();
    if text.contains(DOUBTFUL) && many() {
        let before = text.split(DOUBTFUL).next().unwrap_or_default();
        return Err(Unbounded {
            line: before.lines().count().max(1),
            column: before.lines().last().unwrap_or_default().chars().count() + 1,
            what: "a character stands here that some readers take for the end of a line; write `\\u2028` in a text in double quotes".to_owned(),
        });
    }
    let mut depth = 0usize;
    for event in Parser::new_from_str(text) {
        match event {
            Ok((Event::SequenceStart(..) | Event::MappingStart(..), place)) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(Unbounded {
                        line: place.start.line(),
                        column: place.start.col() + 1,
                        what: format!(
                            "lists and mappings stand in one another more than {DEEPEST} deep; that is more than is read"
                        ),
                    });
                }
            }
            Ok((Event::SequenceEnd | Event::MappingEnd, _)) => depth = depth.saturating_sub(1),
            Ok(_) => {}
            // Another reader may go on where this one stops.
            Err(error) if many() => {
                return Err(Unbounded {
                    line: error.marker().line(),
                    column: error.marker().col() + 1,
                    what: error.info().to_owned(),
                });
            }
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn what_is_written_nests_a_little() {
        for text in [
            "",
            "a: [b, {c: [d]}]",
            "run: |\n  [[[[ not a list ]]\n",
            "# [[[[[\na: '[[[[[[[['\n",
            "a: [",
            "\t[",
        ] {
            assert_eq!(bounded(text), Ok(()), "{text:?}");
        }
        let quoted = format!("a: \"{}\"\nb: |\n  {}\n", "[".repeat(5_000), "{[".repeat(5_000));
        assert_eq!(bounded(&quoted), Ok(()));
        let many = "- [a, {b: c}]\n".repeat(5_000);
        assert_eq!(bounded(&many), Ok(()));
        let just = format!("{}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
        assert_eq!(bounded(&just), Ok(()));
    }

    #[test]
    fn what_nests_too_deeply_is_told_where_and_at_once() {
        type Shape = fn(usize) -> String;
        let shapes: [(&str, Shape); 12] = [
            ("brackets", |n| "[".repeat(n)),
            ("braces", |n| "{".repeat(n)),
            ("braces with keys", |n| "{a: ".repeat(n)),
            ("both", |n| "[{a: ".repeat(n)),
            ("dashes", |n| "- ".repeat(n)),
            ("a key before", |n| format!("agents: {}", "[".repeat(n))),
            ("lines", |n| "[\n".repeat(n)),
            ("closed in comments", |n| "[ # ]\n".repeat(n)),
            ("a fault before", |n| format!("a: 'b' c\n{}", "[".repeat(n))),
            ("a line end of few", |n| format!("# a\u{2028}{}", "[".repeat(n))),
            ("another of few", |n| format!("a: 1 # b\u{85}c: {}", "{".repeat(n))),
            ("anchors", |n| (0..n).map(|i| format!("&a{i} [ ")).collect()),
        ];
        for (name, shape) in shapes {
            let text = shape(200_000);
            let start = Instant::now();
            let found = bounded(&text).expect_err(name);
            assert!(found.line >= 1 && found.column >= 1, "{name}: {found:?}");
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{name}: {:?}",
                start.elapsed()
            );
        }
        let closed = format!("{}{}", "[".repeat(DEEPEST + 1), "]".repeat(DEEPEST + 1));
        let found = bounded(&closed).expect_err("one too deep");
        assert_eq!((found.line, found.column), (1, DEEPEST + 1));
    }
}
