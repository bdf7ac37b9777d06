//! What changed between two versions of a Markdown text, rendered as the text itself is: headings, paragraphs, items of lists
//! and rows of tables stand as they read, and what no drawing shows as it is written. What came is `<ins>`, what went `<del>`, word by word
//! where a block was reworded. Lines that differ and are drawn alike follow as lines.

use crate::text::document::{self, Is, Piece};
use crate::text::markdown;
use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use similar::{Algorithm, ChangeTag, TextDiff, capture_diff_slices, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::Instant;

/// Beyond these sizes nothing is compared block by block or word by word: a page must not wait.
const MOST_BLOCKS: usize = 4_000;
const MOST_WORDS: usize = 2_000;
/// How many unchanged blocks stand around a change, so that one sees where it is.
const AROUND: usize = 1;
/// Two blocks that share at least this part of their words are one block that was reworded.
const ALIKE: f64 = 0.4;

/// What a word is wrapped in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Wrap {
    Strong,
    Emphasis,
    Strike,
    Underline,
    Code,
    /// Text that no drawing shows.
    Written,
    Link(String),
}

/// A word, a space or a sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Word {
    wraps: Vec<Wrap>,
    text: String,
}

/// Which kind of block it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shape {
    Paragraph,
    Heading(u8),
    Code,
    /// Lines that no drawing shows, and HTML, as written.
    Written,
    Item {
        numbered: bool,
    },
    Row {
        head: bool,
        columns: usize,
    },
    /// Anything else, as rendered.
    Other(String),
}

/// One block of a text; its words are in one cell unless it is a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Block {
    shape: Shape,
    cells: Vec<Vec<Word>>,
}

/// A block where it stands: what does not make it another one.
#[derive(Debug, Clone)]
struct Placed {
    block: Block,
    /// Of an item: its number.
    number: u64,
    /// Of a row: the head of its table.
    head: Vec<Vec<Word>>,
    /// Where it stands in the text, bytes.
    at: Range<usize>,
}

/// What became of a block.
enum Line<'a> {
    Same(&'a Placed),
    Added(&'a Placed),
    Removed(&'a Placed),
    Reworded(&'a Placed, &'a Placed),
}

/// The changes as sanitised HTML; `None` where nothing that can be seen is different, the texts are too long, or they were not compared to the end
/// by `until`: of the rest nobody could say that it is drawn alike.
pub fn rendered(before: &str, now: &str, until: Instant) -> Option<String> {
    let (before, now) = (markdown::visible_text(before), markdown::visible_text(now));
    let (old, new) = (blocks(&before), blocks(&now));
    if old.len().max(new.len()) > MOST_BLOCKS {
        return None;
    }
    let lines = compared(&old, &new, until);
    let changed: Vec<usize> = (0..lines.len())
        .filter(|i| !matches!(lines[*i], Line::Same(_)))
        .collect();
    if changed.is_empty() {
        return None;
    }
    let alike = drawn_alike(&before, &now, &lines, until);
    if Instant::now() >= until {
        return None;
    }
    let near = |i: usize| {
        let after = changed.partition_point(|c| *c < i.saturating_sub(AROUND));
        changed.get(after).is_some_and(|c| *c <= i + AROUND)
    };
    let mut page = Page::default();
    let mut left_out = 0;
    for (i, line) in lines.iter().enumerate() {
        if near(i) {
            page.gap(std::mem::take(&mut left_out));
            page.line(line);
        } else {
            left_out += 1;
        }
    }
    page.gap(left_out);
    page.alike(&alike);
    Some(markdown::sanitised(&page.end()))
}

/// Blocks of both versions in the order in which they are read.
fn compared<'a>(old: &'a [Placed], new: &'a [Placed], until: Instant) -> Vec<Line<'a>> {
    let keys = |placed: &'a [Placed]| -> Vec<&'a Block> { placed.iter().map(|one| &one.block).collect() };
    let mut lines = Vec::with_capacity(new.len());
    for op in capture_diff_slices_deadline(Algorithm::Myers, &keys(old), &keys(new), Some(until)) {
        let (was, is) = (&old[op.old_range()], &new[op.new_range()]);
        if op.tag() == similar::DiffTag::Equal {
            lines.extend(is.iter().map(Line::Same));
            continue;
        }
        let (mut gone, mut came) = (was, is);
        for (i, one) in is.iter().enumerate() {
            let Some(at) = gone.iter().position(|other| alike(&other.block, &one.block, until)) else {
                continue;
            };
            // What went stands before what came in its place.
            let before = is.len() - came.len();
            lines.extend(gone[..at].iter().map(Line::Removed));
            lines.extend(is[before..i].iter().map(Line::Added));
            lines.push(Line::Reworded(&gone[at], one));
            gone = &gone[at + 1..];
            came = &is[i + 1..];
        }
        lines.extend(gone.iter().map(Line::Removed));
        lines.extend(came.iter().map(Line::Added));
    }
    lines
}

/// Lines that differ in the file and are in no block that is drawn as changed, each with what became of it.
fn drawn_alike(before: &str, now: &str, lines: &[Line<'_>], until: Instant) -> Vec<(ChangeTag, String)> {
    let (mut went, mut came): (Vec<&Range<usize>>, Vec<&Range<usize>>) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            Line::Same(_) => {}
            Line::Added(one) => came.push(&one.at),
            Line::Removed(one) => went.push(&one.at),
            Line::Reworded(was, is) => {
                went.push(&was.at);
                came.push(&is.at);
            }
        }
    }
    let is_drawn = |blocks: &[&Range<usize>], line: &Range<usize>| {
        let after = blocks.partition_point(|block| block.end <= line.start);
        blocks.get(after).is_some_and(|block| block.start < line.end)
    };
    let (mut old, mut new) = (0, 0);
    let mut found = Vec::new();
    let diff = TextDiff::configure().deadline(until).diff_lines(before, now);
    for change in diff.iter_all_changes() {
        let text = change.value();
        let (of_old, of_new) = (old..old + text.len(), new..new + text.len());
        let tag = change.tag();
        if tag != ChangeTag::Insert {
            old = of_old.end;
        }
        if tag != ChangeTag::Delete {
            new = of_new.end;
        }
        let is_told = match tag {
            ChangeTag::Equal => true,
            ChangeTag::Insert => is_drawn(&came, &of_new),
            ChangeTag::Delete => is_drawn(&went, &of_old),
        };
        if !is_told && !text.trim().is_empty() {
            found.push((tag, text.trim_end().to_owned()));
        }
    }
    found
}

/// Whether one block was made from the other by changing words; when time is up none was.
fn alike(a: &Block, b: &Block, until: Instant) -> bool {
    let count = |block: &Block| block.cells.iter().map(Vec::len).sum::<usize>();
    let (of_a, of_b) = (count(a), count(b));
    if a.shape != b.shape
        || matches!(a.shape, Shape::Other(_))
        || of_a.max(of_b) > MOST_WORDS
        || Instant::now() >= until
    {
        return false;
    }
    let same: usize = a.cells.iter().zip(&b.cells).map(|(a, b)| shared(a, b, until)).sum();
    same as f64 * 2.0 >= ALIKE * (of_a + of_b) as f64
}

fn shared(a: &[Word], b: &[Word], until: Instant) -> usize {
    let ops = capture_diff_slices_deadline(Algorithm::Myers, a, b, Some(until));
    let equal = ops.iter().filter(|op| op.tag() == similar::DiffTag::Equal);
    equal.map(|op| op.new_range().len()).sum()
}

/// The blocks of a text without what deceives, in order.
fn blocks(text: &str) -> Vec<Placed> {
    let pieces = document::pieces(text);
    let mut out = Vec::new();
    for part in parts(&pieces) {
        block(part, &mut out);
    }
    out
}

/// The pieces of each element of a sequence, its start and end included.
fn parts<'a, 'e>(pieces: &'a [Piece<'e>]) -> Vec<&'a [Piece<'e>]> {
    let (mut out, mut depth, mut from) = (Vec::new(), 0usize, 0);
    for (i, piece) in pieces.iter().enumerate() {
        match &piece.is {
            Is::Drawn(Event::Start(_)) => depth += 1,
            Is::Drawn(Event::End(_)) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            out.push(&pieces[from..=i]);
            from = i + 1;
        }
    }
    out
}

/// What stands between the start and the end of an element.
fn inner<'a, 'e>(part: &'a [Piece<'e>]) -> &'a [Piece<'e>] {
    part.get(1..part.len().saturating_sub(1)).unwrap_or_default()
}

/// Where a part stands in the text.
fn place(part: &[Piece<'_>]) -> Range<usize> {
    let from = part.iter().map(|piece| piece.at.start).min().unwrap_or_default();
    from..part.iter().map(|piece| piece.at.end).max().unwrap_or(from)
}

/// With which tag a part starts.
fn tag<'a, 'e>(part: &'a [Piece<'e>]) -> Option<&'a Tag<'e>> {
    match part.first().map(|piece| &piece.is) {
        Some(Is::Drawn(Event::Start(tag))) => Some(tag),
        _ => None,
    }
}

fn block(part: &[Piece<'_>], out: &mut Vec<Placed>) {
    if let [
        Piece {
            is: Is::Html(text) | Is::Lines(text),
            at,
        },
    ] = part
    {
        let lines = vec![lines_of(text)];
        out.push(placed(Shape::Written, lines, at.clone()));
        return;
    }
    let simple = |shape: Shape| words(inner(part)).map(|words| placed(shape, vec![words], place(part)));
    let made = match tag(part) {
        Some(Tag::Paragraph) => simple(Shape::Paragraph),
        Some(Tag::Heading { level, .. }) => simple(Shape::Heading(*level as u8)),
        Some(Tag::CodeBlock(_)) => Some(placed(Shape::Code, vec![code_lines(inner(part))], place(part))),
        Some(Tag::List(first)) => {
            let mut number = first.unwrap_or(1);
            for item in parts(inner(part)) {
                if !matches!(tag(item), Some(Tag::Item)) {
                    block(item, out);
                    continue;
                }
                out.push(Placed {
                    number,
                    ..list_item(item, first.is_some(), number)
                });
                number = number.saturating_add(1);
            }
            return;
        }
        Some(Tag::Table(_)) => {
            if let Some(rows) = table(part) {
                out.extend(rows);
                return;
            }
            None
        }
        _ => None,
    };
    out.push(made.unwrap_or_else(|| placed(Shape::Other(document::drawn(part)), Vec::new(), place(part))));
}

fn placed(shape: Shape, cells: Vec<Vec<Word>>, at: Range<usize>) -> Placed {
    Placed {
        block: Block { shape, cells },
        number: 1,
        head: Vec::new(),
        at,
    }
}

/// An item of plain words, or one that holds more, as it is rendered.
fn list_item(item: &[Piece<'_>], numbered: bool, number: u64) -> Placed {
    let content = inner(item);
    // The number with which it is written stands before its paragraph.
    let begins = matches!(content.first().map(|piece| &piece.is), Some(Is::Within(_)));
    let (begin, rest) = content.split_at(usize::from(begins));
    let only = match parts(rest).as_slice() {
        [paragraph] if matches!(tag(paragraph), Some(Tag::Paragraph)) => inner(paragraph),
        _ => rest,
    };
    match words(begin).zip(words(only)) {
        Some((begin, rest)) => placed(Shape::Item { numbered }, vec![[begin, rest].concat()], place(item)),
        None => {
            let list = if numbered {
                format!("<ol start=\"{number}\">{}</ol>", document::drawn(item))
            } else {
                format!("<ul>{}</ul>", document::drawn(item))
            };
            placed(Shape::Other(list), Vec::new(), place(item))
        }
    }
}

fn table(part: &[Piece<'_>]) -> Option<Vec<Placed>> {
    let mut head = Vec::new();
    let mut rows = Vec::new();
    for row in parts(inner(part)) {
        let cells: Option<Vec<_>> = parts(inner(row)).into_iter().map(cell).collect();
        let cells = cells?;
        let is_head = matches!(tag(row), Some(Tag::TableHead));
        if is_head {
            head.clone_from(&cells);
        }
        let shape = Shape::Row {
            head: is_head,
            columns: cells.len(),
        };
        rows.push(Placed {
            head: head.clone(),
            ..placed(shape, cells, place(row))
        });
    }
    Some(rows)
}

/// The words of a cell, or what stands beyond the last one.
fn cell(part: &[Piece<'_>]) -> Option<Vec<Word>> {
    match part {
        [Piece { is: Is::Cell(text), .. }] => Some(vec![written(text, &[])]),
        _ => words(inner(part)),
    }
}

/// Text that no drawing shows, which is one word.
fn written(text: &str, wraps: &[Wrap]) -> Word {
    Word {
        wraps: [wraps, &[Wrap::Written]].concat(),
        text: text.to_owned(),
    }
}

/// The lines of a block of code, each a word of its own: code is compared line by line.
fn code_lines(pieces: &[Piece<'_>]) -> Vec<Word> {
    let text: String = pieces
        .iter()
        .filter_map(|piece| match &piece.is {
            Is::Drawn(Event::Text(text)) => Some(text.as_ref()),
            _ => None,
        })
        .collect();
    lines_of(&text)
}

fn lines_of(text: &str) -> Vec<Word> {
    let line = |text: &str| Word {
        wraps: Vec::new(),
        text: text.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The words of what is written on one line or in one paragraph; `None` where it holds more than words.
fn words(pieces: &[Piece<'_>]) -> Option<Vec<Word>> {
    let mut wraps: Vec<Wrap> = Vec::new();
    let mut out = Vec::new();
    for piece in pieces {
        let event = match &piece.is {
            Is::Drawn(event) => event,
            Is::Within(text) => {
                out.push(written(text, &wraps));
                continue;
            }
            Is::Html(_) | Is::Lines(_) | Is::Cell(_) => return None,
        };
        match event {
            Event::Text(text) => out.extend(split(text, &wraps)),
            Event::Code(text) => out.push(Word {
                wraps: [wraps.as_slice(), &[Wrap::Code]].concat(),
                text: text.to_string(),
            }),
            Event::InlineHtml(html) => match own_mark(html) {
                Some((false, wrap)) => wraps.push(wrap),
                Some((true, wrap)) if wraps.contains(&wrap) => end(&mut wraps, |open| *open == wrap),
                _ => out.push(written(html, &wraps)),
            },
            Event::SoftBreak => out.extend(split(&CowStr::from(" "), &wraps)),
            Event::HardBreak => out.extend(split(&CowStr::from("\n"), &wraps)),
            Event::TaskListMarker(done) => out.extend(split(document::task(*done), &[])),
            Event::Start(Tag::Strong) => wraps.push(Wrap::Strong),
            Event::Start(Tag::Emphasis) => wraps.push(Wrap::Emphasis),
            Event::Start(Tag::Strikethrough) => wraps.push(Wrap::Strike),
            Event::Start(Tag::Link { dest_url, .. }) => wraps.push(Wrap::Link(dest_url.to_string())),
            Event::End(TagEnd::Strong) => end(&mut wraps, |open| *open == Wrap::Strong),
            Event::End(TagEnd::Emphasis) => end(&mut wraps, |open| *open == Wrap::Emphasis),
            Event::End(TagEnd::Strikethrough) => end(&mut wraps, |open| *open == Wrap::Strike),
            Event::End(TagEnd::Link) => end(&mut wraps, |open| matches!(open, Wrap::Link(_))),
            _ => return None,
        }
    }
    Some(out)
}

/// Ends the innermost of what words are wrapped in that fits.
fn end(wraps: &mut Vec<Wrap>, fits: impl Fn(&Wrap) -> bool) {
    if let Some(at) = wraps.iter().rposition(fits) {
        wraps.remove(at);
    }
}

/// What a tag that is drawn within a line wraps words in, and whether it ends that.
fn own_mark(html: &str) -> Option<(bool, Wrap)> {
    let inner = html.strip_prefix('<')?.strip_suffix('>')?;
    let name = inner.strip_prefix('/').unwrap_or(inner).to_ascii_lowercase();
    let wrap = match name.as_str() {
        "b" | "strong" => Wrap::Strong,
        "i" | "em" => Wrap::Emphasis,
        "s" | "del" | "strike" => Wrap::Strike,
        "u" | "ins" => Wrap::Underline,
        _ => return None,
    };
    Some((inner.starts_with('/'), wrap))
}

fn split(text: &str, wraps: &[Wrap]) -> Vec<Word> {
    /// Letters and digits hold together, and so do blanks; every other sign stands for itself.
    fn class(c: char) -> u8 {
        match c {
            c if c.is_whitespace() => 0,
            c if c.is_alphanumeric() || c == '_' => 1,
            _ => 2,
        }
    }
    let mut out: Vec<Word> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        let this = class(c);
        match out.last_mut().filter(|_| this == last && this != 2) {
            Some(word) => word.text.push(c),
            None => out.push(Word {
                wraps: wraps.to_vec(),
                text: c.to_string(),
            }),
        }
        last = this;
    }
    out
}

/// The words of a block that was reworded. Blanks between two changes belong to them.
fn reworded(old: &[Word], new: &[Word], code: bool) -> String {
    let (mut gone, mut came): (Vec<&Word>, Vec<&Word>) = (Vec::new(), Vec::new());
    let mut parts: Vec<(ChangeTag, Vec<&Word>)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (was, is) = (&old[op.old_range()], &new[op.new_range()]);
        let blank = is.iter().all(|word| word.text.trim().is_empty());
        let within = !gone.is_empty() || !came.is_empty();
        if op.tag() != similar::DiffTag::Equal || (blank && within && !code) {
            gone.extend(was);
            came.extend(is);
            continue;
        }
        parts.push((ChangeTag::Delete, std::mem::take(&mut gone)));
        parts.push((ChangeTag::Insert, std::mem::take(&mut came)));
        parts.push((ChangeTag::Equal, is.iter().collect()));
    }
    parts.push((ChangeTag::Delete, gone));
    parts.push((ChangeTag::Insert, came));
    parts.iter().map(|(tag, words)| phrase(words, *tag, code)).collect()
}

fn marks(tag: ChangeTag) -> (&'static str, &'static str) {
    match tag {
        ChangeTag::Equal => ("", ""),
        ChangeTag::Insert => ("<ins>", "</ins>"),
        ChangeTag::Delete => ("<del>", "</del>"),
    }
}

/// Words that became the same thing, with what they are wrapped in.
fn phrase(words: &[&Word], tag: ChangeTag, code: bool) -> String {
    let (open, close) = marks(tag);
    let mut out = String::new();
    for run in words.chunk_by(|a, b| a.wraps == b.wraps) {
        let text: String = run.iter().map(|word| word.text.as_str()).collect();
        let mut html = markdown::escape(&text);
        if !code {
            html = html.replace('\n', "<br>");
        }
        for wrap in run
            .first()
            .map(|word| word.wraps.as_slice())
            .unwrap_or_default()
            .iter()
            .rev()
        {
            html = match wrap {
                Wrap::Strong => format!("<strong>{html}</strong>"),
                Wrap::Emphasis => format!("<em>{html}</em>"),
                Wrap::Strike => format!("<s>{html}</s>"),
                Wrap::Underline => format!("<u>{html}</u>"),
                Wrap::Written => format!("<code class=\"written\">{html}</code>"),
                Wrap::Code => format!("<code>{html}</code>"),
                Wrap::Link(to) => format!("<a href=\"{}\">{html}</a>", markdown::escape(to)),
            };
        }
        out.push_str(&html);
    }
    if out.is_empty() {
        out
    } else {
        format!("{open}{out}{close}")
    }
}

/// Blocks put together again: items into lists, rows into tables.
#[derive(Default)]
struct Page {
    html: String,
    open: Option<Open>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    List { numbered: bool },
    Table { columns: usize },
}

impl Page {
    fn line(&mut self, line: &Line<'_>) {
        let (at, tag) = match line {
            Line::Same(one) => (one, ChangeTag::Equal),
            Line::Added(one) | Line::Reworded(_, one) => (one, ChangeTag::Insert),
            Line::Removed(one) => (one, ChangeTag::Delete),
        };
        let code = matches!(at.block.shape, Shape::Code | Shape::Written);
        let cells: Vec<String> = match line {
            Line::Reworded(was, is) => {
                let pairs = was.block.cells.iter().zip(&is.block.cells);
                pairs.map(|(was, is)| reworded(was, is, code)).collect()
            }
            _ => at.block.cells.iter().map(|words| whole(words, tag, code)).collect(),
        };
        let text = cells.concat();
        match &at.block.shape {
            Shape::Item { numbered } => {
                self.open(Open::List { numbered: *numbered }, at);
                self.html.push_str(&format!("<li>{text}</li>"));
            }
            Shape::Row { head, columns } => {
                if *head {
                    // Another table begins; a head that was exchanged stands in one table with the one that came.
                    if !self.html.ends_with("</th></tr>") {
                        self.close();
                    }
                    self.begin(Open::Table { columns: *columns });
                    self.row("th", &cells);
                } else {
                    self.open(Open::Table { columns: *columns }, at);
                    self.row("td", &cells);
                }
            }
            shape => {
                self.close();
                let (open, close) = marks(tag);
                self.html.push_str(&match shape {
                    Shape::Heading(level) => format!("<h{level}>{text}</h{level}>"),
                    Shape::Code => format!("<pre><code>{text}</code></pre>"),
                    Shape::Written => format!("<pre class=\"written\">{text}</pre>"),
                    Shape::Other(html) => format!("{open}{html}{close}"),
                    _ => format!("<p>{text}</p>"),
                });
            }
        }
    }

    fn row(&mut self, cell: &str, cells: &[String]) {
        let cells: String = cells.iter().map(|text| format!("<{cell}>{text}</{cell}>")).collect();
        self.html.push_str(&format!("<tr>{cells}</tr>"));
    }

    /// Sees to it that an item or a row stands in a list or a table of its kind.
    fn open(&mut self, wanted: Open, at: &Placed) {
        if self.open == Some(wanted) {
            return;
        }
        self.close();
        match wanted {
            Open::List { numbered: true } => self.html.push_str(&format!("<ol start=\"{}\">", at.number)),
            Open::List { numbered: false } => self.html.push_str("<ul>"),
            Open::Table { .. } => {
                self.begin(wanted);
                let head: Vec<String> = at
                    .head
                    .iter()
                    .map(|words| whole(words, ChangeTag::Equal, false))
                    .collect();
                if !head.is_empty() {
                    self.row("th", &head);
                }
            }
        }
        self.open = Some(wanted);
    }

    fn begin(&mut self, table: Open) {
        if self.open.is_none() {
            self.html.push_str("<table>");
        }
        self.open = Some(table);
    }

    fn close(&mut self) {
        self.html.push_str(match self.open.take() {
            None => "",
            Some(Open::List { numbered: true }) => "</ol>",
            Some(Open::List { numbered: false }) => "</ul>",
            Some(Open::Table { .. }) => "</table>",
        });
    }

    /// What is the same and far from every change is left out, and that is said: a page with parts missing must not look whole.
    fn gap(&mut self, left_out: usize) {
        if left_out == 0 {
            return;
        }
        self.close();
        let parts = crate::words::count(left_out, "paragraph or row", "paragraphs or rows");
        self.html.push_str(&format!(
            "<blockquote><em>… {parts} not changed, left out here …</em></blockquote>"
        ));
    }

    /// Lines that differ although all that is drawn of them is the same.
    fn alike(&mut self, lines: &[(ChangeTag, String)]) {
        if lines.is_empty() {
            return;
        }
        self.close();
        self.html
            .push_str("<p><em>Also different in the file, and drawn alike:</em></p><pre class=\"written\">");
        for (tag, line) in lines {
            let (open, close) = marks(*tag);
            self.html
                .push_str(&format!("{open}{}{close}\n", markdown::escape(line)));
        }
        self.html.push_str("</pre>");
    }

    fn end(mut self) -> String {
        self.close();
        self.html
    }
}

/// All words of a block, all of which became the same thing.
fn whole(words: &[Word], tag: ChangeTag, code: bool) -> String {
    phrase(&words.iter().collect::<Vec<_>>(), tag, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later() -> Instant {
        Instant::now() + std::time::Duration::from_secs(600)
    }

    fn html(before: &str, now: &str) -> String {
        rendered(before, now, later()).expect("something changed")
    }

    #[test]
    fn a_reworded_paragraph_is_marked_word_by_word_and_keeps_its_looks() {
        let html = html(
            "# Export\n\nThe **customer** can export `one` invoice.\n",
            "# Export\n\nThe **customer** can export `one` bill or more.\n",
        );
        assert!(html.contains("<h1>Export</h1>"), "{html}");
        assert!(
            html.contains("The <strong>customer</strong> can export <code>one</code> "),
            "{html}"
        );
        assert!(html.contains("<del>invoice</del><ins>bill or more</ins>."), "{html}");
        assert!(!html.contains("**") && !html.contains('#'), "{html}");
    }

    #[test]
    fn a_row_that_came_stands_in_its_table_under_its_head() {
        let before = "| R | says |\n|---|---|\n| R1 | names |\n| R2 | keeps |\n| R3 | asks |\n| R4 | ends |\n";
        let html = html(before, &format!("{before}| R5 | counts |\n"));
        assert!(
            html.contains("<table>") && html.contains("<th>R</th><th>says</th>"),
            "{html}"
        );
        assert!(
            html.contains("<td><ins>R5</ins></td><td><ins>counts</ins></td>"),
            "{html}"
        );
        assert!(
            html.contains("<td>R4</td>") && !html.contains("R1"),
            "what is near stands beside it: {html}"
        );
        assert!(!html.contains('|'), "{html}");
        assert_eq!(html.matches("<table>").count(), 1, "{html}");
    }

    #[test]
    fn a_cell_that_was_changed_is_marked_alone() {
        let html = html(
            "| R | verdict |\n|---|---|\n| R4 | names its formats, open |\n",
            "| R | verdict |\n|---|---|\n| R4 | names its formats, settled |\n",
        );
        assert!(html.contains("<td>R4</td>"), "{html}");
        assert!(html.contains("<del>open</del><ins>settled</ins>"), "{html}");
    }

    #[test]
    fn items_of_lists_and_lines_of_code_stand_for_themselves() {
        let html = html(
            "1. one\n2. two\n3. three\n\n```sh\nnpm test\nnpm run old\n```\n",
            "1. one\n2. two\n3. three\n4. four & more\n\n```sh\nnpm test\nnpm run new\n```\n",
        );
        assert!(html.contains("<li><ins>four &amp; more</ins></li>"), "{html}");
        assert!(html.contains("<ol start=\"3\">"), "the list is counted on: {html}");
        assert!(
            html.contains("npm test\n<del>npm run old\n</del><ins>npm run new\n</ins>"),
            "{html}"
        );
    }

    #[test]
    fn blocks_that_came_and_went_are_marked_whole_and_the_rest_is_left_out() {
        let before = "# A\n\nfirst\n\nsecond\n\nthird\n\n> quoted words\n\nfourth\n\nfifth\n";
        let now = "# A\n\nAn entirely different beginning.\n\nsecond\n\nthird\n\nfourth\n\nfifth\n\nsixth\n";
        let html = html(before, now);
        assert!(
            html.contains("<p><del>first</del></p>") && html.contains("<ins>An entirely"),
            "{html}"
        );
        assert!(html.contains("<del><blockquote>"), "{html}");
        assert!(html.contains("<p><ins>sixth</ins></p>"), "{html}");
    }

    #[test]
    fn nothing_in_it_acts() {
        let html = html(
            "one [a](https://example.org)\n",
            "one [a](javascript:alert(1)) two\n\n<script>alert(2)</script>\n\n<img src=x onerror=alert(3)>\n\n- \u{202e}item\n",
        );
        for bad in ["<script", "href=\"javascript", "<img", "\u{202e}"] {
            assert!(!html.contains(bad), "{bad:?} in {html}");
        }
    }

    #[test]
    fn the_marks_of_a_document_are_none_of_a_change() {
        let before = "Old <ins>prices</ins>, <del>none</del> and ~~struck~~ words stand here.\n";
        let html = html(before, &before.replace("here", "there"));
        assert_eq!(
            (html.matches("<ins>").count(), html.matches("<del>").count()),
            (1, 1),
            "{html}"
        );
        assert!(
            html.contains("<u>prices</u>") && html.contains("<s>none</s>") && html.contains("<s>struck</s>"),
            "{html}"
        );
        assert!(html.contains("<del>here</del><ins>there</ins>"), "{html}");
    }

    #[test]
    fn a_change_that_no_drawing_shows_is_shown_as_text() {
        let changed = html("a\n\n<!-- We pay 10. -->\n\nb\n", "a\n\n<!-- We pay 20. -->\n\nb\n");
        assert!(
            changed.contains("<del>&lt;!-- We pay 10. --&gt;</del><")
                || changed.contains("<del>&lt;!-- We pay 10. --&gt;</del></pre>"),
            "{changed}"
        );
        assert!(changed.contains("<ins>&lt;!-- We pay 20. --&gt;</ins>"), "{changed}");
        let title = html("See [a].\n\n[a]: /x \"ten\"\n", "See [a].\n\n[a]: /x \"twenty\"\n");
        assert!(title.contains("twenty") && title.contains("ten"), "{title}");
        // The numbers of a list are those of the file.
        for (before, now) in [
            ("1. one\n2. two\n\nwords\n", "1. one\n3. two\n\nwords\n"),
            ("1. one\n\n2. two\n\nwords\n", "1. one\n\n3. two\n\nwords\n"),
        ] {
            let numbers = html(before, now);
            assert!(
                numbers.contains("<li><ins><code class=\"written\">3. </code></ins>two</li>"),
                "{numbers}"
            );
            assert!(!numbers.contains("drawn alike"), "{numbers}");
        }
        let marks = html("* one\n\nwords\n", "- one\n\nother\n");
        assert!(
            marks.contains("drawn alike") && marks.contains("<del>* one</del>") && marks.contains("<ins>- one</ins>"),
            "{marks}"
        );
    }

    #[test]
    fn what_went_stands_before_what_came_and_nothing_is_swallowed() {
        let rest: String = (0..9).map(|n| format!("paragraph {n}\n\n")).collect();
        let before = format!("<details><summary>More</summary>\n\nAn old sentence.\n\n</details>\n\n{rest}");
        let html = html(
            &before,
            &before.replace("An old sentence.", "Entirely different words now, and more of them."),
        );
        let at = |words: &str| html.find(words).unwrap_or_else(|| panic!("{words} in {html}"));
        assert!(at("An old sentence.") < at("Entirely different"), "{html}");
        assert!(at("&lt;details&gt;") < at("not changed, left out here"), "{html}");
        assert!(!html.contains("<details"), "{html}");
    }

    #[test]
    fn what_cannot_be_seen_is_not_called_rendered() {
        assert_eq!(rendered("one\ntwo\n", "one\ntwo\n\n\n", later()), None);
        assert_eq!(rendered("* a\n", "- a\n", later()), None);
    }

    #[test]
    fn what_was_not_compared_to_the_end_is_not_rendered() {
        assert_eq!(rendered("one\n\ntwo\n", "one\n\nthree\n", Instant::now()), None);
    }
}
