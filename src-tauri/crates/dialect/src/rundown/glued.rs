//! Headings without the blank behind their marks: `##2 Ask`. Markdown reads them as text, so the step would be none.

use super::blocks::{Block, BlockKind};
use super::front::lines;
use super::heading;
use crate::text::Span;

/// A line that was probably meant as a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Glued {
    /// The whole line.
    pub(super) span: Span,
    /// Its marks, with what stands there in place of a blank.
    pub(super) marks: Span,
    /// 2 for a step, 3 for a substep.
    pub(super) level: u8,
    /// Whether a number or a template follows, as in no text.
    pub(super) is_numbered: bool,
}

/// A heading may be set in by so many blanks.
const MOST_BLANKS: usize = 3;

/// Those of a block. Below an item of a list only what stands at the margin, where a heading would end the list.
pub(super) fn glued(text: &str, block: &Block) -> Vec<Glued> {
    let most = match block.kind {
        BlockKind::Paragraph => MOST_BLANKS,
        BlockKind::List { .. } => 0,
        _ => return Vec::new(),
    };
    let mut at = block.span.start;
    let mut found = Vec::new();
    for line in lines(&text[block.span.start..block.span.end]) {
        found.extend(heading_in(line, at, most));
        at += line.len();
    }
    found
}

/// What a line was meant as; `from`: where it begins.
fn heading_in(line: &str, from: usize, most: usize) -> Option<Glued> {
    let words = line.trim_start_matches(' ');
    let indent = line.len() - words.len();
    // Nearly every line of a text ends here.
    let words = words.starts_with("##").then(|| words.trim_end())?;
    let marks = words.len() - words.trim_start_matches('#').len();
    let level = u8::try_from(marks).ok().filter(|level| matches!(*level, 2 | 3))?;
    // A blank that does not break a line is none to Markdown.
    let content = words[marks..].trim_start();
    let is_numbered = content.starts_with(|c: char| c.is_ascii_digit()) || content.starts_with("{N}");
    let whole = Span {
        start: 0,
        end: content.len(),
    };
    let is_heading = is_numbered || heading::read(content, level, whole, whole, content).id.is_ok();
    let start = from + indent;
    let end = start + words.len();
    (indent <= most && is_heading).then_some(Glued {
        span: Span { start, end },
        marks: Span {
            start,
            end: end - content.len(),
        },
        level,
        is_numbered,
    })
}
