//! Whether a Markdown text fills in a template.

use super::lines::position;
use super::{CheckOutcome, CheckPlace, MOST_PLACES, found};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::HashSet;
use std::ops::Range;

/// A heading of the template that ends so may be missing.
const OPTIONAL: &str = "(optional)";
/// The longest placeholder, in bytes.
const LONGEST: usize = 200;

/// Checks a text by a template: the template's headings at their levels and in their order (more may stand between), something below
/// each, no placeholder left (`{{…}}`, `[TODO]`, `[TBD]`, or one in single braces that stands in the template).
pub(super) fn check(text: &str, template: &str) -> CheckOutcome {
    let (text, template) = (Outline::of(text), Outline::of(template));
    let mut places = Vec::new();
    let mut at = 0;
    for wanted in &template.headings {
        if places.len() > MOST_PLACES {
            break;
        }
        let fits = |heading: &Heading| heading.level == wanted.level && wanted.fits(&heading.text);
        let Some(next) = text.headings[at..].iter().position(fits) else {
            if !wanted.is_optional() {
                places.push(missing(wanted, &text, text.headings[..at].iter().find(|h| fits(h))));
            }
            continue;
        };
        let index = at + next;
        let heading = &text.headings[index];
        if !wanted.is_optional() && text.is_empty_section(index) {
            places.push(text.place(
                heading.range.start,
                format!("there is nothing below `{}`", heading.shown()),
            ));
        }
        at = index + 1;
    }
    places.extend(text.placeholders(&template));
    places.sort_by_key(|place| place.line.unwrap_or(u32::MAX));
    found(places)
}

fn missing(wanted: &Heading, text: &Outline<'_>, earlier: Option<&Heading>) -> CheckPlace {
    match earlier {
        Some(heading) => text.place(
            heading.range.start,
            format!("`{}` stands too early; in the template it comes later", heading.shown()),
        ),
        None => CheckPlace {
            line: None,
            column: None,
            text: format!("the heading `{}` of the template is missing", wanted.shown()),
        },
    }
}

struct Heading {
    level: usize,
    text: String,
    range: Range<usize>,
}

struct Outline<'a> {
    source: &'a str,
    headings: Vec<Heading>,
    /// Code, where braces are no placeholders, and comments, which nobody reads.
    code: Vec<Range<usize>>,
    comments: Vec<Range<usize>>,
}

impl<'a> Outline<'a> {
    fn of(source: &'a str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_FOOTNOTES;
        let mut outline = Self {
            source,
            headings: Vec::new(),
            code: Vec::new(),
            comments: Vec::new(),
        };
        let mut heading: Option<Heading> = None;
        // Headings in quotes and lists are no parts of the document.
        let mut within = 0;
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if within == 0 => {
                    heading = Some(Heading {
                        level: level as usize,
                        text: String::new(),
                        range,
                    });
                }
                Event::End(TagEnd::Heading(_)) => outline.headings.extend(heading.take()),
                Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => within += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => within -= 1,
                Event::Start(Tag::CodeBlock(_)) => outline.code.push(range),
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&code);
                    }
                    outline.code.push(range);
                }
                Event::Text(text) => {
                    if let Some(heading) = &mut heading {
                        heading.text.push_str(&text);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut heading {
                        heading.text.push(' ');
                    }
                }
                _ => {}
            }
        }
        outline.find_comments();
        outline
    }

    fn find_comments(&mut self) {
        let mut from = 0;
        while let Some(at) = self.source[from..].find("<!--").map(|at| from + at) {
            from = at + 4;
            if self.is_code(at) {
                continue;
            }
            // One that does not end reaches to the end, as in a browser.
            let end = self.source[from..]
                .find("-->")
                .map_or(self.source.len(), |end| from + end + 3);
            self.comments.push(at..end);
            from = end;
        }
    }

    fn is_code(&self, at: usize) -> bool {
        // They come in their order, and none lies in another.
        let before = self.code.partition_point(|range| range.start <= at);
        before > 0 && self.code[before - 1].contains(&at)
    }

    fn place(&self, byte: usize, text: String) -> CheckPlace {
        let (line, column) = position(self.source, byte);
        CheckPlace {
            line: Some(line),
            column: Some(column),
            text,
        }
    }

    /// Whether nothing stands between a heading and the next one; a part that has parts of its own is filled by them.
    fn is_empty_section(&self, index: usize) -> bool {
        let heading = &self.headings[index];
        let next = self.headings.get(index + 1);
        if next.is_some_and(|next| next.level > heading.level) {
            return false;
        }
        let end = next.map_or(self.source.len(), |next| next.range.start);
        let (mut at, mut filled) = (heading.range.end, false);
        let first = self.comments.partition_point(|c| c.start < heading.range.end);
        for comment in self.comments[first..].iter().take_while(|c| c.end <= end) {
            filled |= comment.start > at && !self.source[at..comment.start].trim().is_empty();
            at = at.max(comment.end);
        }
        !filled && self.source[at.min(end)..end].trim().is_empty()
    }

    /// Placeholders that nobody filled in.
    fn placeholders(&self, template: &Outline<'_>) -> Vec<CheckPlace> {
        let in_template: HashSet<&str> = template.tokens().map(|(_, token)| token).collect();
        let is_left = |token: &str| token.starts_with("{{") || token.starts_with('[') || in_template.contains(token);
        let left = self.tokens().filter(|(_, token)| is_left(token));
        left.take(MOST_PLACES + 1)
            .map(|(at, token)| self.place(at, format!("`{token}` is not filled in")))
            .collect()
    }

    /// What looks like a placeholder, outside of code: `{{…}}`, `{…}`, `[TODO…]`, `[TBD…]`.
    fn tokens(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let source = self.source;
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let at = from + source[from..].find(['{', '['])?;
                from = at + 1;
                if self.is_code(at) {
                    continue;
                }
                if let Some(token) = token(&source[at..]) {
                    from = at + token.len();
                    return Some((at, token));
                }
            }
        })
    }
}

/// The placeholder that a text begins with, on one line and not longer than [`LONGEST`].
fn token(text: &str) -> Option<&str> {
    let mut end = text.len().min(LONGEST + 4);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line = text[..end].split('\n').next().unwrap_or_default();
    let (open, close) = match line {
        _ if line.starts_with("{{") => ("{{", "}}"),
        _ if line.starts_with('{') => ("{", "}"),
        _ => ("[", "]"),
    };
    let inner = &line[open.len()..];
    let inner = &inner[..inner.find(close)?];
    let said = inner.trim();
    let is_todo = || {
        let word = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        ["todo", "tbd"].iter().any(|todo| todo.eq_ignore_ascii_case(word))
    };
    let counts = match open {
        "{{" => true,
        "{" => said.starts_with(char::is_alphabetic) && !said.contains('{'),
        _ => is_todo(),
    };
    counts.then(|| &line[..open.len() + inner.len() + close.len()])
}

impl Heading {
    fn shown(&self) -> String {
        format!("{} {}", "#".repeat(self.level), self.text.trim())
    }

    fn is_optional(&self) -> bool {
        simple(&self.text).ends_with(OPTIONAL)
    }

    /// Whether this heading of a template fits one of a text: the same words, whatever their case and spaces; a placeholder stands for anything.
    fn fits(&self, other: &str) -> bool {
        let (wanted, other) = (simple(&self.text), simple(other));
        let wanted = wanted.strip_suffix(OPTIONAL).map_or(wanted.as_str(), str::trim_end);
        let other = other.strip_suffix(OPTIONAL).map_or(other.as_str(), str::trim_end);
        let mut fixed = fixed(wanted).into_iter();
        let Some(mut rest) = fixed.next().and_then(|first| other.strip_prefix(first)) else {
            return false;
        };
        let mut parts: Vec<&str> = fixed.collect();
        let Some(last) = parts.pop() else {
            return rest.is_empty();
        };
        for part in parts {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

/// The parts of a heading between its placeholders.
fn fixed(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['{', '[']) {
        at += next;
        match token(&text[at..]) {
            Some(token) => {
                parts.push(&text[from..at]);
                at += token.len();
                from = at;
            }
            None => at += 1,
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Lower case, one blank between words.
fn simple(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;
    use proptest::prelude::*;

    const TEMPLATE: &str = "---\ntitle: {{title}}\n---\n# {{product}}: brief\n\nWhat is it?\n\n## Goals\n\n{goal}\n\n## Users\n### Needs\n\n...\n\n## Risks (optional)\n\n## Sign-off\n\n[TODO: names]\n";

    fn faults(text: &str) -> Vec<(Option<u32>, String)> {
        let outcome = check(text, TEMPLATE);
        assert_eq!(outcome.status == CheckStatus::Passed, outcome.places.is_empty());
        outcome.places.into_iter().map(|p| (p.line, p.text)).collect()
    }

    const GOOD: &str = "---\ntitle: Lamp\n---\n# Lamp: Brief\n\nA lamp.\n\n## goals\n\nLight.\n\n## More\n\n## Users\n\n### Needs\n\n- `{{x}}` stays\n\n```\n{{code}} [TODO]\n```\n\n## Sign-off\n\nAnn\n";

    #[test]
    fn a_text_that_fills_it_in_passes() {
        assert_eq!(faults(GOOD), []);
        assert_eq!(
            faults(&GOOD.replace("## Sign-off", "## Risks\n\nNone known.\n\n## Sign-off")),
            []
        );
        assert_eq!(
            faults(&GOOD.replace("# Lamp: Brief", "Lamp: Brief\n===========")),
            [],
            "the other way to write headings"
        );
    }

    #[test]
    fn what_is_missing_or_too_early_is_told() {
        let without = GOOD.replace("## Sign-off\n\nAnn\n", "");
        assert_eq!(
            faults(&without),
            [(None, "the heading `## Sign-off` of the template is missing".to_owned())]
        );
        let lower = GOOD.replace("### Needs", "#### Needs");
        assert_eq!(
            faults(&lower),
            [(None, "the heading `### Needs` of the template is missing".to_owned())]
        );
        let early = GOOD
            .replace("## goals\n\nLight.\n\n## More", "## More")
            .replace("A lamp.", "A lamp.\n\n## Sign-off\n\nAnn\n\n## Goals\n\nLight.");
        let early = early
            .trim_end()
            .trim_end_matches("Ann")
            .trim_end()
            .trim_end_matches("## Sign-off")
            .to_owned();
        assert_eq!(
            faults(&early),
            [(
                Some(8),
                "`## Sign-off` stands too early; in the template it comes later".to_owned()
            )]
        );
        let in_code = GOOD.replace("## goals\n\nLight.", "```\n## Goals\n```\n\n> ## Goals\n");
        assert_eq!(
            faults(&in_code),
            [(None, "the heading `## Goals` of the template is missing".to_owned())]
        );
    }

    #[test]
    fn what_is_empty_is_told_and_a_comment_fills_nothing() {
        for nothing in [
            "",
            "<!-- say who it is for -->",
            "\n\n   \n",
            "<!-- a -->\n\n<!-- b -->",
        ] {
            let empty = GOOD.replace("Light.", nothing);
            assert_eq!(
                faults(&empty),
                [(Some(8), "there is nothing below `## goals`".to_owned())],
                "{nothing:?}"
            );
        }
        assert_eq!(faults(&GOOD.replace("Light.", "<!-- a --> Light <!-- b -->")), []);
        let last = GOOD.replace("Ann\n", "");
        assert_eq!(faults(&last).len(), 1, "{:?}", faults(&last));
    }

    #[test]
    fn placeholders_that_are_left_are_told_where_they_stand() {
        let left = GOOD.replace(
            "Light.",
            "Light for {{who ever}}, [TODO], [tbd: ask Ann] and {goal}; {kept} [x] [todos] [link](a)",
        );
        let told: Vec<String> = faults(&left)
            .into_iter()
            .map(|(line, text)| format!("{} {text}", line.unwrap_or(0)))
            .collect();
        assert_eq!(
            told,
            [
                "10 `{{who ever}}` is not filled in",
                "10 `[TODO]` is not filled in",
                "10 `[tbd: ask Ann]` is not filled in",
                "10 `{goal}` is not filled in",
            ]
        );
        let title = GOOD.replace("title: Lamp", "title: {{title}}");
        assert_eq!(faults(&title), [(Some(2), "`{{title}}` is not filled in".to_owned())]);
        assert_eq!(
            faults(TEMPLATE).len(),
            4,
            "the template itself does not pass: {:?}",
            faults(TEMPLATE)
        );
    }

    #[test]
    fn what_is_made_to_take_long_does_not() {
        // Each of these takes very long where time grows with the square of the length.
        let long = 1 << 18;
        for text in [
            "[",
            "{{",
            "{a",
            "# a\n",
            "<!--",
            "`{{a}}` ",
            "<!-- -->\n# a\n",
            "[TODO] ",
        ]
        .map(|piece| piece.repeat(long / piece.len()))
        {
            for template in [TEMPLATE, &text] {
                let outcome = check(&text, template);
                assert!(outcome.places.len() <= 100);
            }
        }
    }

    proptest! {
        #[test]
        fn any_two_texts_are_compared(text in "[#\\[\\]{}TODO`<>! \n\u{e4}a-]{0,80}", template in "[#\\[\\]{}TODO`<>! \n\u{e4}a-]{0,80}") {
            let outcome = check(&text, &template);
            for place in &outcome.places {
                prop_assert!(place.line.is_none_or(|line| line as usize <= text.split('\n').count()));
            }
        }
    }
}
