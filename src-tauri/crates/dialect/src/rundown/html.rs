//! HTML blocks: everything in one is text, also what looks like a step.

use super::front::lines;
use crate::text::Span;

/// An HTML block that holds more than was probably meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holds {
    /// The line that opens the block, or the first heading in it.
    pub(super) span: Span,
    pub(super) why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Nothing closes it, so that it goes on to the end of the file; `steps`: headings of steps stand in it.
    Open { steps: bool },
    /// Another comment begins before it is closed, and the heading of a step stands in it.
    Twice,
    /// The heading of a step stands in it.
    Heading,
}

/// Looks into a block. A comment that is closed is its writer's will, whatever stands in it.
pub(super) fn holds(text: &str, span: Span) -> Option<Holds> {
    let html = &text[span.start..span.end];
    let heading = heading(text, span);
    match end_of(html) {
        Some(end) if !html.contains(end) => {
            let first = lines(html).next().unwrap_or(html).trim_end().len();
            Some(Holds {
                span: Span {
                    start: span.start,
                    end: span.start + first,
                },
                why: Why::Open {
                    steps: heading.is_some(),
                },
            })
        }
        Some(COMMENT_END) => {
            let twice = html.matches("<!--").nth(1).is_some();
            heading.filter(|_| twice).map(|span| Holds { span, why: Why::Twice })
        }
        _ => heading.map(|span| Holds {
            span,
            why: Why::Heading,
        }),
    }
}

const COMMENT_END: &str = "-->";

/// What ends a block that goes on over empty lines; `None`: an empty line ends it.
fn end_of(html: &str) -> Option<&'static str> {
    const TAGS: [(&str, &str); 4] = [
        ("<pre", "</pre>"),
        ("<style", "</style>"),
        ("<script", "</script>"),
        ("<textarea", "</textarea>"),
    ];
    const MARKS: [(&str, &str); 3] = [("<!--", COMMENT_END), ("<?", "?>"), ("<![CDATA[", "]]>")];
    let opens = |tag: &str| {
        let is_tag = html.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
        is_tag
            && html[tag.len()..]
                .chars()
                .next()
                .is_none_or(|c| c.is_ascii_whitespace() || c == '>')
    };
    let tag = TAGS.into_iter().find(|(tag, _)| opens(tag));
    let mark = || MARKS.into_iter().find(|(mark, _)| html.starts_with(mark));
    if let Some((_, end)) = tag.or_else(mark) {
        return Some(end);
    }
    let declares = html
        .strip_prefix("<!")
        .is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_alphabetic()));
    declares.then_some(">")
}

/// The first heading of a step or substep below the first line of a block.
fn heading(text: &str, span: Span) -> Option<Span> {
    let mut at = span.start;
    let mut above: Option<Span> = None;
    for (n, line) in lines(&text[span.start..span.end]).enumerate() {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let here = Span {
            start,
            end: start + words.len(),
        };
        at += line.len();
        if n == 0 {
            continue;
        }
        if is_heading(line) {
            return Some(here);
        }
        let is_underlined = words.len() > 1 && words.bytes().all(|b| b == b'-');
        if is_underlined && above.is_some_and(|above| is_numbered(&text[above.start..above.end])) {
            return above;
        }
        above = Some(here);
    }
    None
}

/// Whether a line is the heading of a step or a substep.
pub(super) fn is_heading(line: &str) -> bool {
    let words = line.trim_end().trim_start_matches(' ');
    let indent = line.len() - line.trim_start_matches(' ').len();
    let marks = words.len() - words.trim_start_matches('#').len();
    let behind = &words[marks..];
    indent < 4 && matches!(marks, 2 | 3) && (behind.is_empty() || behind.starts_with([' ', '\t']))
}

/// Words that are underlined are a step where they begin like one.
fn is_numbered(words: &str) -> bool {
    words.starts_with("{N}") || words.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(html: &str) -> Option<Why> {
        let span = Span {
            start: 0,
            end: html.len(),
        };
        holds(html, span).map(|holds| holds.why)
    }

    #[test]
    fn a_block_that_holds_a_step_is_told_from_one_that_is_meant_so() {
        for open in [
            "<!-- a",
            "<pre>",
            "<PRE class=x>",
            "<script",
            "<style>",
            "<textarea>",
            "<![CDATA[",
            "<?php",
            "<!X",
        ] {
            assert_eq!(
                why(&format!("{open}\n\n## 2 B\n")),
                Some(Why::Open { steps: true }),
                "{open}"
            );
            assert_eq!(
                why(&format!("{open}\n\nwords\n")),
                Some(Why::Open { steps: false }),
                "{open}"
            );
        }
        assert_eq!(why("<!-- a\n## 2 B\n-->"), None);
        assert_eq!(why("<!-- a\n\n## 2 B\n\n<!-- b -->"), Some(Why::Twice));
        assert_eq!(why("<div>\n### 2.1 B\n</div>"), Some(Why::Heading));
        assert_eq!(why("<div>\n2 B\n---\n</div>"), Some(Why::Heading));
        assert_eq!(why("<pre>\n  ## 2 B\n</pre>"), Some(Why::Heading));
        for html in [
            "<div>\n# B\n#### C\n##D\n    ## E\n</div>",
            "<details>",
            "<pre>\n\nwords\n</pre>",
            "<prelude>\nwords",
        ] {
            assert_eq!(why(html), None, "{html}");
        }
    }
}
