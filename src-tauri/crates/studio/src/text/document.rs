//! A Markdown file as whoever decides on it sees it: drawn, and whatever a drawing leaves out (comments, style sheets, scripts, attributes, the
//! targets and titles of links, definitions, cells beyond a table's head, numbers of a list that are not counted on) as text in its place. No word of
//! the file is missing.

use crate::text::markdown;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// A part of a file, in the order in which it is read.
#[derive(Debug, Clone)]
pub struct Piece<'e> {
    /// What it is.
    pub is: Is<'e>,
    /// Where it stands in the text, bytes.
    pub at: Range<usize>,
}

/// See [`Piece`].
#[derive(Debug, Clone)]
pub enum Is<'e> {
    /// Drawn; no [`Event::Html`] and no image among them.
    Drawn(Event<'e>),
    /// A block of HTML, as written.
    Html(String),
    /// What no drawing shows, within a line.
    Within(String),
    /// The same of whole lines.
    Lines(String),
    /// The same of what stands in a row of a table beyond its head.
    Cell(String),
}

/// A document as sanitised HTML: no script, no style, no remote image, links open outside, nothing left out.
pub fn html(text: &str) -> String {
    let text = markdown::visible_text(text);
    markdown::sanitised(&drawn(&pieces(&text)))
}

/// HTML of pieces, not sanitised.
pub fn drawn(pieces: &[Piece<'_>]) -> String {
    let mut out = String::new();
    let events = pieces.iter().map(|piece| match &piece.is {
        // `<ins>` and `<del>` mark what changed since an earlier round, and nothing else.
        Is::Drawn(Event::Start(Tag::Strikethrough)) => Event::InlineHtml("<s>".into()),
        Is::Drawn(Event::End(TagEnd::Strikethrough)) => Event::InlineHtml("</s>".into()),
        Is::Drawn(Event::InlineHtml(html)) => Event::InlineHtml(of_html(html).into()),
        Is::Drawn(Event::TaskListMarker(done)) => Event::Text(task(*done).into()),
        Is::Drawn(event) => event.clone(),
        Is::Html(html) => Event::Html(format!("{}\n", of_html(html)).into()),
        Is::Within(text) => Event::InlineHtml(within(text).into()),
        Is::Cell(text) => Event::InlineHtml(format!("<td>{}</td>", within(text)).into()),
        Is::Lines(text) => Event::Html(format!("<pre class=\"written\">{}</pre>\n", markdown::escape(text)).into()),
    });
    pulldown_cmark::html::push_html(&mut out, events);
    out
}

/// The box of a task.
pub fn task(done: bool) -> &'static str {
    if done { "☑ " } else { "☐ " }
}

/// Text that no drawing shows, within a line.
fn within(text: &str) -> String {
    format!("<code class=\"written\">{}</code>", markdown::escape(text))
}

/// Something that is open while a text is read.
struct Open {
    kind: Kind,
    /// Up to where all of it has been told.
    told: usize,
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Holds blocks, and perhaps definitions between them.
    Blocks,
    /// A row of a table, and perhaps more cells than its head has.
    Row,
    Other,
}

impl Open {
    /// What of the text up to there nothing has told.
    fn left(&self, text: &str, upto: usize) -> Option<Piece<'static>> {
        let at = self.told..upto;
        let left = text.get(at.clone())?;
        let is = match self.kind {
            Kind::Blocks => definitions(left).map(Is::Lines),
            Kind::Row => {
                let beyond = left.trim();
                let is_there = beyond.chars().any(|c| c != '|' && !c.is_whitespace());
                is_there.then(|| Is::Cell(beyond.to_owned()))
            }
            Kind::Other => None,
        };
        is.map(|is| Piece { is, at })
    }
}

/// A link or an image that is open: its target and title, and which piece is its first.
struct Target {
    to: String,
    title: String,
    is_image: bool,
    from: usize,
}

/// The pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut open = vec![Open {
        kind: Kind::Blocks,
        told: 0,
        end: text.len(),
    }];
    let mut targets: Vec<Target> = Vec::new();
    let mut block: Option<String> = None;
    // Of each list that is open: which number its next item is drawn with.
    let mut numbers: Vec<Option<Counted>> = Vec::new();
    for (event, at) in Parser::new_ext(text, markdown::OPTIONS).into_offset_iter() {
        let left = match &event {
            Event::End(_) if open.len() > 1 => open.pop().and_then(|closed| closed.left(text, closed.end)),
            Event::End(_) => None,
            _ => {
                let around = open.last_mut();
                // What is beyond the head of a table comes last in its row.
                let holds = around.as_ref().filter(|around| around.kind == Kind::Blocks);
                let left = holds.and_then(|around| around.left(text, at.start));
                if let Some(around) = around {
                    around.told = around.told.max(at.end);
                }
                left
            }
        };
        out.extend(left);
        if let Event::Start(tag) = &event {
            let kind = match tag {
                Tag::BlockQuote(_) | Tag::List(_) | Tag::Item => Kind::Blocks,
                Tag::TableRow | Tag::TableHead => Kind::Row,
                _ => Kind::Other,
            };
            open.push(Open {
                kind,
                told: at.start,
                end: at.end,
            });
        }
        let other = match &event {
            Event::Start(Tag::List(first)) => {
                numbers.push(first.map(Counted::from));
                None
            }
            Event::End(TagEnd::List(_)) => {
                numbers.pop();
                None
            }
            Event::Start(Tag::Item) => {
                let list = numbers.last_mut().and_then(Option::as_mut);
                list.and_then(|list| list.otherwise(text.get(at.start..).unwrap_or_default()))
            }
            _ => None,
        };
        let other = other.map(|number| Piece {
            is: Is::Within(format!("{number} ")),
            at: at.clone(),
        });
        let is = match event {
            Event::Start(Tag::HtmlBlock) => {
                block = Some(String::new());
                continue;
            }
            Event::End(TagEnd::HtmlBlock) => Is::Html(block.take().unwrap_or_default().trim_end().to_owned()),
            Event::Html(html) | Event::Text(html) if block.is_some() => {
                if let Some(block) = &mut block {
                    block.push_str(&html);
                }
                continue;
            }
            Event::Html(html) => Is::Html(html.trim_end().to_owned()),
            Event::Start(Tag::Image { dest_url, title, .. }) => {
                targets.push(Target {
                    to: dest_url.to_string(),
                    title: title.to_string(),
                    is_image: true,
                    from: out.len(),
                });
                out.push(Piece {
                    is: Is::Within("Image:".to_owned()),
                    at: at.clone(),
                });
                Is::Drawn(Event::Text(CowStr::Borrowed(" ")))
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                targets.push(Target {
                    to: dest_url.to_string(),
                    title: title.to_string(),
                    is_image: false,
                    from: out.len(),
                });
                Is::Drawn(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title: CowStr::Borrowed(""),
                    id,
                }))
            }
            Event::End(TagEnd::Image | TagEnd::Link) => {
                let Some(target) = targets.pop() else {
                    continue;
                };
                let words: String = out
                    .get(target.from..)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|piece| match &piece.is {
                        Is::Drawn(Event::Text(text) | Event::Code(text)) => Some(text.as_ref()),
                        _ => None,
                    })
                    .collect();
                if !target.is_image {
                    out.push(Piece {
                        is: Is::Drawn(Event::End(TagEnd::Link)),
                        at: at.clone(),
                    });
                }
                let Some(behind) = behind(&target, &words) else {
                    continue;
                };
                out.push(Piece {
                    is: Is::Drawn(Event::Text(CowStr::Borrowed(" "))),
                    at: at.clone(),
                });
                Is::Within(behind)
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if !info.trim().is_empty() => {
                out.push(Piece {
                    is: Is::Lines(info.to_string()),
                    at: at.clone(),
                });
                Is::Drawn(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)))
            }
            event => Is::Drawn(event),
        };
        out.push(Piece { is, at });
        out.extend(other);
    }
    if let Some(whole) = open.first()
        && let Some(left) = whole.left(text, text.len())
    {
        out.push(left);
    }
    out
}

/// A list whose items are numbered.
struct Counted {
    first: u64,
    /// The number with which its next item is drawn.
    next: u64,
    /// Every item so far is numbered like the first one: many write so, and mean that they are counted.
    alike: bool,
}

impl From<u64> for Counted {
    fn from(first: u64) -> Self {
        Self {
            first,
            next: first,
            alike: true,
        }
    }
}

impl Counted {
    /// The number of an item as it is written, with the sign behind it, where it is another than the one with which it is drawn: people refer to it.
    fn otherwise(&mut self, item: &str) -> Option<String> {
        let item = item.trim_start();
        let end = item.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = item.get(..end)?.parse().ok()?;
        let drawn = self.next;
        self.next = drawn.saturating_add(1);
        self.alike &= number == self.first;
        let sign = item.get(end..)?.chars().next()?;
        (number != drawn && !self.alike).then(|| format!("{number}{sign}"))
    }
}

/// Definitions of links, which stand between blocks and are drawn nowhere, as written.
fn definitions(between: &str) -> Option<String> {
    let from = between.find('[')?;
    let left = between.get(from..)?.trim_end();
    // The box of a task is drawn.
    (!["[ ]", "[x]", "[X]"].contains(&left)).then(|| left.to_owned())
}

/// What stands behind a link or an image: where it leads, and its title. `words`: those that are drawn.
fn behind(target: &Target, words: &str) -> Option<String> {
    let Target { to, title, .. } = target;
    let is_said = words.trim() == to;
    match (is_said, title.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("\"{title}\"")),
        (false, true) => Some(format!("({to})")),
        (false, false) => Some(format!("({to} \"{title}\")")),
    }
}

/// Elements that are drawn; of every other one the tag is shown as it is written. None of them makes its words smaller: nested, that hides them.
const DRAWN: &[&str] = &[
    "b",
    "bdi",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "span",
    "strike",
    "strong",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// Elements whose content is no text of the page: it is shown as it is written.
const OPAQUE: &[&str] = &[
    "script", "style", "textarea", "title", "template", "noscript", "iframe", "svg", "math",
];

/// What a piece of HTML is drawn as: its elements without what they carry, and everything that they hide as text in its place.
fn of_html(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = length(from) else {
            out.push_str("&lt;");
            rest = from.get(1..).unwrap_or_default();
            continue;
        };
        let (tag, after) = from.split_at(end);
        let (closes, name, bare) = named(tag);
        rest = after;
        if DRAWN.contains(&name.as_str()) {
            if !bare {
                out.push_str(&within(tag));
            }
            out.push_str(&element(closes, &name));
            continue;
        }
        // With everything up to its end.
        let end = (OPAQUE.contains(&name.as_str()) && !closes).then(|| closed(after, &name));
        let (hidden, after) = after.split_at(end.unwrap_or(0));
        out.push_str(&within(&format!("{tag}{hidden}")));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// How a drawn element is written: a document's own marks do not look like those of what changed, and what is folded is open.
fn element(closes: bool, name: &str) -> String {
    let name = match name {
        "ins" => "u",
        "del" | "strike" => "s",
        name => name,
    };
    match (closes, name) {
        (true, name) => format!("</{name}>"),
        (false, "details") => "<details open>".to_owned(),
        (false, name) => format!("<{name}>"),
    }
}

/// How long the comment or tag is with which a text begins; one without an end goes as far as the text. `None`: it is a plain sign.
fn length(from: &str) -> Option<usize> {
    let upto = |end: &str| from.find(end).map_or(from.len(), |at| at + end.len());
    if from.starts_with("<!--") {
        return Some(upto("-->"));
    }
    if from.starts_with("<!") || from.starts_with("<?") {
        return Some(upto(">"));
    }
    let after = from.get(1..)?;
    let name = after.strip_prefix('/').unwrap_or(after);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut quote = None;
    for (at, c) in from.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    Some(from.len())
}

/// Whether a tag closes, the name of its element in small letters, and whether it says nothing else. A comment has no name.
fn named(tag: &str) -> (bool, String, bool) {
    let inner = tag.strip_prefix('<').unwrap_or(tag);
    let closes = inner.starts_with('/');
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let ends = tag.ends_with('>');
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let end = inner
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .unwrap_or(inner.len());
    let (name, says) = inner.split_at(end);
    let says = says.trim().trim_end_matches('/').trim();
    let name = name.to_ascii_lowercase();
    let bare = ends && (says.is_empty() || (name == "details" && says == "open"));
    (closes, name, bare)
}

/// How far the content of an opaque element goes, with the tag that ends it.
fn closed(after: &str, name: &str) -> usize {
    let wanted = format!("</{name}");
    let mut places = after.as_bytes().windows(wanted.len());
    let Some(at) = places.position(|there| there.eq_ignore_ascii_case(wanted.as_bytes())) else {
        return after.len();
    };
    after[at..].find('>').map_or(after.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that a person reads on the page.
    fn read(html: &str) -> String {
        let mut out = String::new();
        for part in html.split('<') {
            out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        let signs = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ];
        signs.iter().fold(out, |out, (from, to)| out.replace(from, to))
    }

    const TERMS: &str = r#"# Terms

Clause 1: We pay 100 EUR a month.

<!-- Clause 2: We are liable without limit, and for ninety years. -->

<div>Clause 3: The supplier may raise prices <ins>by 50 %</ins> at any time.</div>

<details><summary>More</summary>

Clause 4: Ten years' term.

</details>

Clause 5: <b>bold in html</b> and <span style="display:none">hidden span text</span> end.

<style>Clause 6: secretly a style</style>

<script>Clause 7: secretly a script</script>

[//]: # (Clause 8: a comment by link reference)

[ref]: https://example.com "Clause 9: in the title of a reference"
[ref]: https://example.org "Clause 15: defined twice"

![Clause 10 alt](http://127.0.0.1:1/x.png "t10")

~~Clause 11: struck~~ and [Clause 12](javascript:alert(1)) and a footnote[^1].

[^1]: Clause 13: in a footnote.

[^2]: Clause 14: in a footnote nobody refers to.

- item

  [in]: item "Clause 16: in an item"

> quoted
>
> [q]: quote "Clause 17: in a quotation"

| A | B |
|---|---|
| 1 | 2 | Clause 18: beyond the head |

```text Clause 19: behind a fence
code
```

Words <!-- Clause 20: within a line --> go <a href="https://example.net" title="Clause 21">on</a>.

<p title="Clause 22: in an attribute">shown</p>

<template>Clause 23</template> <textarea>Clause 24</textarea>

<!-- Clause 25 has

no end
"#;

    #[test]
    fn no_word_of_a_file_is_missing_from_what_is_shown() {
        let html = html(TERMS);
        let read = read(&html);
        for n in 1..=25 {
            assert!(read.contains(&format!("Clause {n}")), "Clause {n} in {html}");
        }
        let read = read.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in [
            "<!-- Clause 2: We are liable without limit, and for ninety years. -->",
            "hidden span text",
            "display:none",
            "secretly a style",
            "secretly a script",
            "[//]: # (Clause 8: a comment by link reference)",
            "defined twice",
            "http://127.0.0.1:1/x.png",
            "t10",
            "javascript:alert(1)",
            "https://example.net",
            "Clause 18: beyond the head",
            "Clause 19: behind a fence",
        ] {
            assert!(read.contains(words), "{words:?} in {html}");
        }
        for bad in [
            "<script",
            "<style",
            "<img",
            "href=\"javascript",
            "<del",
            "<ins",
            "<textarea",
        ] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
        assert!(html.contains("<details open"), "{html}");
        assert!(
            html.contains("<u>by 50 %</u>") && html.contains("<s>Clause 11: struck</s>"),
            "{html}"
        );
    }

    #[test]
    fn what_is_drawn_says_nothing_twice() {
        let html = html("- [ ] task\n- [x] done\n\nSee <https://example.org> and [words](#part).\n\n1. one\n2. two\n");
        assert_eq!(
            html.matches("https://example.org").count(),
            2,
            "its target and its words: {html}"
        );
        assert!(html.contains("<code class=\"written\">(#part)</code>"), "{html}");
        assert!(html.contains("☐ task") && html.contains("☑ done"), "{html}");
        assert_eq!(html.matches("written").count(), 1, "{html}");
        assert_eq!(
            super::html("a \\[b] `c` **d** *e* &amp; f\n")
                .matches("written")
                .count(),
            0
        );
    }

    #[test]
    fn what_is_nested_gets_no_smaller() {
        let clause = format!("{}Clause 1{}", "<small>".repeat(40), "</small>".repeat(40));
        let html = html(&format!("Words {clause}\n\n<div>a<sub>b</sub><sup>c</sup></div>\n"));
        for bad in ["<small", "<sub>", "<sup>"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
        let read = read(&html);
        assert_eq!(read.matches("<small>").count(), 40, "{html}");
        assert!(read.contains("Clause 1") && read.contains("<sub>b</sub>"), "{html}");
    }

    #[test]
    fn a_list_in_html_is_drawn_as_one() {
        let html = html("<ul><li>one</li></ul>\n\n<table><tfoot><tr><td>sum</td></tr></tfoot></table>\n");
        assert!(
            html.contains("<ul><li>one</li></ul>") && html.contains("<tfoot>"),
            "{html}"
        );
        assert!(!html.contains("written"), "{html}");
    }

    #[test]
    fn the_numbers_of_clauses_are_those_of_the_file() {
        let html = html("1. a\n7. b\n7. c\n\nWords\n\n3. d\n\n   5. e\n   6. f\n\n4. g\n\n- h\n");
        for (number, words) in [("7", "b"), ("7", "c")] {
            let said = format!("<code class=\"written\">{number}. </code>{words}");
            assert!(html.contains(&said), "{said} in {html}");
        }
        assert_eq!(html.matches("written").count(), 2, "{html}");
        let counted = self::html("1. a\n1. b\n1. c\n");
        assert!(!counted.contains("written"), "{counted}");
        // A blank line ends no list: what begins anew in the file is counted on.
        let anew = self::html("1) a\n2) b\n3) c\n\n1) d\n");
        assert_eq!(anew.matches("<code class=\"written\">").count(), 1, "{anew}");
        assert!(anew.contains("<code class=\"written\">1) </code>"), "{anew}");
    }

    #[test]
    fn a_sign_that_is_written_by_its_number_does_not_turn_the_line() {
        let html = html("one &#x202e;two\n\n<p>three &#x202e;four</p>\n");
        assert!(!html.contains('\u{202e}') && html.contains('\u{fffd}'), "{html}");
    }
}
