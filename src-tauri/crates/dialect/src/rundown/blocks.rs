//! The outermost blocks of a Markdown text: headings, paragraphs, fences and lists, each with its exact bytes.
//!
//! Only what stands at the outermost level matters to a runbook: a heading or a fence inside a list or a quotation is
//! prose, and a command inside prose is never executed.

use crate::text::Span;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// One block of the outermost level.
#[derive(Debug)]
pub(super) struct Block {
    /// Without the white space around it.
    pub(super) span: Span,
    pub(super) kind: BlockKind,
    /// What stands in it, in a list or a quotation, and is no words of it: its fences, each with its info string, and without one the blocks
    /// that are set in and the comments.
    pub(super) inner: Vec<(Span, String)>,
}

#[derive(Debug)]
pub(super) enum BlockKind {
    Heading {
        /// 1 to 6.
        level: u8,
        /// The words of the heading, as written; empty for a heading without any.
        content: Span,
        /// The words as they read.
        words: String,
        /// A run of `#` before the words; `None` for an underlined heading.
        marks: Option<Span>,
    },
    Paragraph,
    Fence {
        /// The info string, as written.
        info: String,
        /// What stands between the fences, line ends included.
        body: Span,
        /// The content as Markdown reads it, with `\n` line ends.
        code: String,
        /// Whether the closing fence is there.
        closed: bool,
    },
    List {
        items: Vec<Item>,
    },
    /// A comment that no reader sees.
    Comment,
    /// HTML that is no closed comment: prose.
    Html,
    /// A quotation: prose.
    Quotation,
    /// A table, an indented block, a rule: prose.
    Other,
}

/// An item of an outermost list.
#[derive(Debug)]
pub(super) struct Item {
    /// From its bullet on, without the white space around it.
    pub(super) span: Span,
    /// Its first words, as written.
    pub(super) inline: Span,
    /// The address of a link when the item is one link and nothing else.
    pub(super) link: Option<String>,
    /// Whether more than one paragraph or anything nested stands in it.
    pub(super) more: bool,
}

/// Reads a text. `from`: where the Markdown begins, behind the front matter.
pub(super) fn read(text: &str, from: usize) -> Vec<Block> {
    let source = &text[from..];
    let mut reader = Reader {
        text,
        from,
        depth: 0,
        out: Vec::new(),
        inline: None,
        words: String::new(),
        link: Link::No,
        items: Vec::new(),
        item: None,
        fence: None,
        inner: Vec::new(),
    };
    for (event, range) in Parser::new_ext(source, Options::empty()).into_offset_iter() {
        reader.event(event, range);
    }
    reader.out
}

/// Whether an item is one link.
enum Link {
    No,
    /// Inside of the first one.
    Open(String),
    Whole(String),
    /// A link and other words.
    Mixed,
}

struct Reader<'t> {
    text: &'t str,
    from: usize,
    depth: usize,
    out: Vec<Block>,
    /// What the inline content of the open block or item covers so far.
    inline: Option<Range<usize>>,
    words: String,
    link: Link,
    items: Vec<Item>,
    item: Option<Open>,
    /// The info string and the content so far of an outermost fence.
    fence: Option<(String, String)>,
    /// See [`Block::inner`].
    inner: Vec<(Span, String)>,
}

/// The item that is being read.
struct Open {
    range: Range<usize>,
    paragraphs: usize,
    more: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, &range),
            Event::End(end) => self.end(end, range),
            Event::Rule if self.depth == 0 => self.push(range, BlockKind::Other),
            Event::Rule => self.nested(),
            other => self.inline(&other, range),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        let inline = matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
        );
        if inline {
            self.cover(range);
            match tag {
                Tag::Link { dest_url, .. } if matches!(self.link, Link::No) && self.words.trim().is_empty() => {
                    self.link = Link::Open(dest_url.to_string());
                }
                _ => self.link = Link::Mixed,
            }
            // An inline tag opens no level: what is in it belongs to the same words.
            return;
        }
        self.shown(tag, range);
        match (self.depth, tag) {
            (0, Tag::CodeBlock(CodeBlockKind::Fenced(info))) => self.fence = Some((info.to_string(), String::new())),
            (0, _) => self.begin_words(),
            (1, Tag::Item) => {
                self.begin_words();
                self.item = Some(Open {
                    range: range.clone(),
                    paragraphs: 0,
                    more: false,
                });
            }
            (2, Tag::Paragraph) => {
                if let Some(item) = &mut self.item {
                    item.paragraphs += 1;
                }
            }
            (2.., _) => self.nested(),
            _ => {}
        }
        self.depth += 1;
    }

    /// Keeps what stands in another block and is no words of it.
    fn shown(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        if self.depth == 0 {
            return;
        }
        let info = match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => info.to_string(),
            Tag::CodeBlock(CodeBlockKind::Indented) => String::new(),
            Tag::HtmlBlock if self.is_comment(range) => String::new(),
            _ => return,
        };
        let span = self.trimmed(range.clone());
        self.inner.push((span, info));
    }

    /// Whether HTML is a comment and nothing else.
    fn is_comment(&self, range: &Range<usize>) -> bool {
        let html = self.text[self.from + range.start..self.from + range.end].trim();
        html.starts_with("<!--") && html.ends_with("-->")
    }

    fn begin_words(&mut self) {
        self.inline = None;
        self.words.clear();
        self.link = Link::No;
    }

    fn nested(&mut self) {
        if let Some(item) = &mut self.item {
            item.more = true;
        }
    }

    fn end(&mut self, end: TagEnd, range: Range<usize>) {
        match end {
            TagEnd::Link => {
                self.link = match std::mem::replace(&mut self.link, Link::Mixed) {
                    Link::Open(to) => Link::Whole(to),
                    other => other,
                };
                return;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => return,
            _ => {}
        }
        self.depth -= 1;
        match (self.depth, end) {
            (1, TagEnd::Item) => self.end_item(),
            (0, TagEnd::Heading(level)) => self.end_heading(level, range),
            (0, TagEnd::Paragraph) => self.push(range, BlockKind::Paragraph),
            (0, TagEnd::List(_)) => {
                let items = std::mem::take(&mut self.items);
                self.push(range, BlockKind::List { items });
            }
            (0, TagEnd::CodeBlock) => {
                let kind = match self.fence.take() {
                    Some((info, code)) => self.fence(&range, info, code),
                    None => BlockKind::Other,
                };
                self.push(range, kind);
            }
            (0, TagEnd::HtmlBlock) => {
                let kind = match self.is_comment(&range) {
                    true => BlockKind::Comment,
                    false => BlockKind::Html,
                };
                self.push(range, kind);
            }
            (0, TagEnd::BlockQuote(_)) => self.push(range, BlockKind::Quotation),
            (0, _) => self.push(range, BlockKind::Other),
            _ => {}
        }
    }

    fn inline(&mut self, event: &Event<'_>, range: Range<usize>) {
        if let (Some((_, code)), Event::Text(text)) = (&mut self.fence, event) {
            code.push_str(text);
            return;
        }
        let words_of_item = self
            .item
            .as_ref()
            .is_some_and(|item| item.paragraphs <= 1 && !item.more);
        if self.depth > 1 && !words_of_item {
            return;
        }
        self.cover(&range);
        let said = match event {
            Event::Text(text) | Event::Code(text) => text.as_ref(),
            Event::SoftBreak | Event::HardBreak => " ",
            _ => "",
        };
        if !matches!(self.link, Link::Open(_) | Link::No) && !said.trim().is_empty() {
            self.link = Link::Mixed;
        }
        self.words.push_str(said);
    }

    fn cover(&mut self, range: &Range<usize>) {
        let reads_words = match &self.item {
            Some(item) => item.paragraphs <= 1 && !item.more,
            None => self.depth <= 1,
        };
        if !reads_words {
            return;
        }
        match &mut self.inline {
            Some(covered) => covered.end = covered.end.max(range.end),
            None => self.inline = Some(range.clone()),
        }
    }

    fn end_item(&mut self) {
        let Some(item) = self.item.take() else { return };
        let span = self.trimmed(item.range);
        let inline = match self.inline.take() {
            Some(range) => self.trimmed(range),
            None => Span {
                start: span.end,
                end: span.end,
            },
        };
        let link = match std::mem::replace(&mut self.link, Link::No) {
            Link::Whole(to) => Some(to),
            _ => None,
        };
        self.words.clear();
        self.items.push(Item {
            span,
            inline,
            link,
            more: item.more || item.paragraphs > 1,
        });
    }

    fn fence(&self, range: &Range<usize>, info: String, code: String) -> BlockKind {
        let span = self.trimmed(range.clone());
        let source = &self.text[span.start..span.end];
        let line_end = |at: usize| source[at..].find(['\n', '\r']).map_or(source.len(), |n| at + n);
        let first_end = line_end(0);
        let mark = source.as_bytes().first().copied().unwrap_or(b'`');
        let length = source.bytes().take_while(|b| *b == mark).count();
        let last_start = source.rfind(['\n', '\r']).map_or(0, |n| n + 1);
        let last = source[last_start..].trim_matches([' ', '\t']);
        let closed = last_start > 0 && last.len() >= length && last.bytes().all(|b| b == mark);
        let body_start = match source.as_bytes()[first_end..] {
            [b'\r', b'\n', ..] => first_end + 2,
            [_, ..] => first_end + 1,
            [] => first_end,
        };
        let body_end = if closed { last_start } else { source.len() };
        BlockKind::Fence {
            info,
            body: Span {
                start: span.start + body_start,
                end: span.start + body_end.max(body_start),
            },
            code: code.replace("\r\n", "\n"),
            closed,
        }
    }

    fn end_heading(&mut self, level: HeadingLevel, range: Range<usize>) {
        let span = self.trimmed(range);
        let source = &self.text[span.start..span.end];
        let hashes = source.len() - source.trim_start_matches('#').len();
        let marks = (hashes > 0).then_some(Span {
            start: span.start,
            end: span.start + hashes,
        });
        let content = match self.inline.take() {
            Some(range) => self.trimmed(range),
            None => {
                let at = marks.map_or(span.start, |marks| marks.end);
                Span { start: at, end: at }
            }
        };
        let words = std::mem::take(&mut self.words);
        self.out.push(Block {
            span,
            kind: BlockKind::Heading {
                level: level as u8,
                content,
                words,
                marks,
            },
            inner: Vec::new(),
        });
    }

    fn push(&mut self, range: Range<usize>, kind: BlockKind) {
        let span = self.trimmed(range);
        let inner = std::mem::take(&mut self.inner);
        self.out.push(Block { span, kind, inner });
    }

    /// A range of the parser as bytes of the whole text, without white space around it.
    fn trimmed(&self, range: Range<usize>) -> Span {
        let (start, end) = (self.from + range.start, self.from + range.end);
        let part = &self.text[start..end];
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
        let head = part.len() - part.trim_start_matches(blank).len();
        let body = part.trim_matches(blank).len();
        Span {
            start: start + head,
            end: start + head + body,
        }
    }
}
