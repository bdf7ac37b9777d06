//! Changes of a text, and their undoing.

use super::Span;

/// Replaces the bytes of a span.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TextEdit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub replacement: String,
}

/// Applies edits that were made against `text`. They may come in any order; of two that overlap the later-starting one is
/// left out, and a span outside of the text is cut to it, so that this never fails.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len() + edits.iter().map(|e| e.replacement.len()).sum::<usize>());
    let mut at = 0;
    for edit in effective(text, edits) {
        out.push_str(&text[at..edit.span.start]);
        out.push_str(&edit.replacement);
        at = edit.span.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The edits that lead back: applied to `apply(text, edits)` they give `text` again.
pub fn invert(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut shift = 0isize;
    effective(text, edits)
        .into_iter()
        .map(|edit| {
            let start = edit.span.start.saturating_add_signed(shift);
            let old = &text[edit.span.start..edit.span.end];
            shift += edit.replacement.len() as isize - old.len() as isize;
            TextEdit {
                span: Span {
                    start,
                    end: start + edit.replacement.len(),
                },
                replacement: old.to_owned(),
            }
        })
        .collect()
}

/// Edits in order, without overlaps, inside the text and on character boundaries.
fn effective(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
    let snap = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let mut sorted: Vec<TextEdit> = edits
        .iter()
        .map(|edit| {
            let start = snap(edit.span.start);
            TextEdit {
                span: Span {
                    start,
                    end: snap(edit.span.end).max(start),
                },
                replacement: edit.replacement.clone(),
            }
        })
        .collect();
    sorted.sort_by_key(|edit| edit.span.start);
    let mut end = 0;
    sorted.retain(|edit| {
        let keeps = edit.span.start >= end;
        if keeps {
            end = edit.span.end;
        }
        keeps
    });
    sorted
}

impl TextEdit {
    /// Changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.span.start == self.span.end && self.replacement.is_empty()
    }
}
