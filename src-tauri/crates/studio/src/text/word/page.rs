//! What a document says, in order, and how that is written: as HTML for a page, and as lines of words by which versions are compared.

use crate::text::{markdown, safe};
use std::rc::Rc;

/// A part of a document.
#[derive(Debug)]
pub enum Block {
    Line(Line),
    Table(Vec<Row>),
    /// What stands beside the text, and what it is.
    Beside(&'static str, Vec<Block>),
    /// What follows is another part of the document.
    Part(String),
}

/// A row of a table.
pub type Row = Vec<Cell>;

/// A cell, and over how many columns it goes.
#[derive(Debug)]
pub struct Cell {
    pub span: usize,
    pub blocks: Vec<Block>,
}

/// A paragraph.
#[derive(Debug, Default)]
pub struct Line {
    /// Of a heading: its level, from 1.
    pub heading: Option<u8>,
    /// What is printed in front of it.
    pub number: String,
    /// On which level of a list it stands, from 0.
    pub level: usize,
    pub pieces: Vec<Piece>,
}

/// A piece of a paragraph, with what it is wrapped in, from the outside.
#[derive(Debug)]
pub struct Piece {
    pub wraps: Vec<Wrap>,
    pub is: Is,
}

/// See [`Piece`].
#[derive(Debug)]
pub enum Is {
    Text(String),
    /// What no page draws, named: none of the document's own words stands outside of square brackets.
    Named(String),
    /// Which bytes stand behind what is named in front of it (SHA-256): told where versions are compared, and on no page.
    Bytes(String),
    Tab,
    Break,
}

/// What words are wrapped in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrap {
    Link(Rc<str>),
    /// Something is said of them, with what they are marked.
    Said(Rc<str>, Mark),
    Strong,
    Emphasis,
    Underline,
    Strike,
    Above,
    Below,
}

/// How words are marked of which something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Inserted,
    Deleted,
    Plain,
}

impl Block {
    /// A paragraph of its own in which something is named.
    pub fn named(what: String) -> Self {
        Self::Line(Line {
            pieces: vec![Piece::named(what)],
            ..Line::default()
        })
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Line(line) => line.is_empty(),
            Self::Beside(_, blocks) => blocks.iter().all(Self::is_empty),
            Self::Table(rows) => {
                let mut cells = rows.iter().flatten();
                cells.all(|cell| cell.blocks.iter().all(Self::is_empty))
            }
            Self::Part(_) => false,
        }
    }
}

impl Piece {
    /// Something that is named.
    pub fn named(what: String) -> Self {
        Self {
            wraps: Vec::new(),
            is: Is::Named(what),
        }
    }

    /// Which bytes stand behind it.
    pub fn bytes(digest: String) -> Self {
        Self {
            wraps: Vec::new(),
            is: Is::Bytes(digest),
        }
    }
}

impl Line {
    fn is_empty(&self) -> bool {
        self.number.is_empty()
            && self
                .pieces
                .iter()
                .all(|piece| matches!(&piece.is, Is::Text(text) if text.is_empty()))
    }
}

/// HTML of a document, not sanitised.
pub fn html(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks.iter().filter(|block| !block.is_empty()) {
        match block {
            Block::Line(line) => {
                let tag = line.heading.map_or("p".to_owned(), |level| format!("h{level}"));
                out.push_str(&format!("<{tag}>"));
                // What stands below a clause is set in: blanks that a page does not draw together.
                out.push_str(&"\u{2003}\u{2003}".repeat(line.level));
                if !line.number.is_empty() {
                    out.push_str(&escaped(&line.number));
                    out.push('\u{2003}');
                }
                pieces_html(&line.pieces, &mut out);
                out.push_str(&format!("</{tag}>\n"));
            }
            Block::Table(rows) => {
                out.push_str("<table>");
                for row in rows {
                    out.push_str("<tr>");
                    for cell in row {
                        match cell.span {
                            0 | 1 => out.push_str("<td>"),
                            span => out.push_str(&format!("<td colspan=\"{span}\">")),
                        }
                        out.push_str(&html(&cell.blocks));
                        out.push_str("</td>");
                    }
                    out.push_str("</tr>");
                }
                out.push_str("</table>\n");
            }
            Block::Beside(what, blocks) => {
                let what = named(&format!("[{what}:]"));
                out.push_str(&format!("<blockquote><p>{what}</p>{}</blockquote>\n", html(blocks)));
            }
            Block::Part(what) => out.push_str(&format!("<hr>\n<p>{}</p>\n", named(what))),
        }
    }
    out
}

fn pieces_html(pieces: &[Piece], out: &mut String) {
    let mut open: &[Wrap] = &[];
    for piece in pieces {
        let same = alike(open, &piece.wraps);
        open[same..].iter().rev().for_each(|wrap| out.push_str(&end_html(wrap)));
        piece.wraps[same..]
            .iter()
            .for_each(|wrap| out.push_str(&begin_html(wrap)));
        open = &piece.wraps;
        match &piece.is {
            Is::Text(text) => out.push_str(&escaped(text)),
            Is::Named(what) => out.push_str(&named(what)),
            Is::Bytes(_) => {}
            Is::Tab => out.push('\u{2003}'),
            Is::Break => out.push_str("<br>"),
        }
    }
    open.iter().rev().for_each(|wrap| out.push_str(&end_html(wrap)));
}

/// How many of the wraps that are open stay open.
fn alike(open: &[Wrap], next: &[Wrap]) -> usize {
    open.iter().zip(next).take_while(|(open, next)| open == next).count()
}

fn begin_html(wrap: &Wrap) -> String {
    match wrap {
        Wrap::Link(to) => format!("<a href=\"{}\">", escaped(to)),
        Wrap::Said(what, Mark::Plain) => format!("{} ", named(&format!("[{what}:"))),
        Wrap::Said(what, mark) => format!("{} <{}>", named(&format!("[{what}:")), mark.tag()),
        wrap => format!("<{}>", wrap.tag()),
    }
}

fn end_html(wrap: &Wrap) -> String {
    match wrap {
        Wrap::Link(_) => "</a>".to_owned(),
        Wrap::Said(_, Mark::Plain) => named("]"),
        Wrap::Said(_, mark) => format!("</{}>{}", mark.tag(), named("]")),
        wrap => format!("</{}>", wrap.tag()),
    }
}

impl Mark {
    fn tag(self) -> &'static str {
        match self {
            Self::Inserted => "ins",
            Self::Deleted => "del",
            Self::Plain => "span",
        }
    }
}

impl Wrap {
    fn tag(&self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Underline => "u",
            Self::Strike => "s",
            Self::Above => "sup",
            Self::Below => "sub",
            Self::Link(_) => "a",
            Self::Said(_, mark) => mark.tag(),
        }
    }
}

/// Our own words among those of the document.
fn named(what: &str) -> String {
    format!("<code class=\"written\">{}</code>", escaped(what))
}

fn escaped(text: &str) -> String {
    markdown::escape(&safe::visible(text))
}

/// A document as lines: one for each paragraph and each row of a table.
pub fn words(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks.iter().filter(|block| !block.is_empty()) {
        match block {
            Block::Line(line) => {
                if !line.number.is_empty() {
                    out.push_str(&line.number);
                    out.push(' ');
                }
                pieces_words(&line.pieces, &mut out);
            }
            Block::Table(rows) => {
                let rows = rows.iter().map(|row| {
                    let cells = row.iter().map(|cell| on_one_line(&cell.blocks));
                    cells.collect::<Vec<_>>().join(" | ")
                });
                out.push_str(&rows.collect::<Vec<_>>().join("\n"));
            }
            Block::Beside(what, blocks) => out.push_str(&format!("[{what}: {}]", on_one_line(blocks))),
            Block::Part(what) => {
                // It stands in front of the first line of its part: changes that are shown end at no title.
                out.push_str(what);
                out.push(' ');
                continue;
            }
        }
        out.push('\n');
    }
    out
}

/// The same on one line.
pub fn on_one_line(blocks: &[Block]) -> String {
    words(blocks).trim_end().replace('\n', " ¶ ")
}

fn pieces_words(pieces: &[Piece], out: &mut String) {
    let mut open: &[Wrap] = &[];
    for piece in pieces {
        let same = alike(open, &piece.wraps);
        open[same..].iter().rev().for_each(|wrap| out.push_str(end_words(wrap)));
        piece.wraps[same..].iter().for_each(|wrap| match wrap {
            Wrap::Said(what, _) => out.push_str(&format!("[{what}: ")),
            // Words that are struck out say something else.
            Wrap::Strike => out.push_str("[struck out: "),
            // What stands above the line is another number than one that stands on it.
            Wrap::Above => out.push('^'),
            Wrap::Below => out.push('_'),
            _ => {}
        });
        open = &piece.wraps;
        match &piece.is {
            Is::Text(text) | Is::Named(text) => out.push_str(text),
            Is::Bytes(digest) => out.push_str(&format!("[SHA-256 {digest}]")),
            Is::Tab => out.push('\t'),
            Is::Break => out.push('\n'),
        }
    }
    open.iter().rev().for_each(|wrap| out.push_str(end_words(wrap)));
}

fn end_words(wrap: &Wrap) -> &'static str {
    match wrap {
        Wrap::Said(..) | Wrap::Strike => "]",
        _ => "",
    }
}
