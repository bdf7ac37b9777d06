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

/// Edits of `base` that do what two lists of edits do one after the other, the second one made against what the first one gives.
/// What neither touches stays untouched.
pub fn compose(base: &str, first: &[TextEdit], second: &[TextEdit]) -> Vec<TextEdit> {
    let middle = apply(base, first);
    let mut pieces = Pieces::of(base, &effective(base, first));
    let mut out = Vec::new();
    let mut at = 0;
    for edit in effective(&middle, second) {
        out.extend(pieces.next(edit.span.start - at));
        pieces.next(edit.span.end - edit.span.start);
        out.push(Piece::New(edit.replacement));
        at = edit.span.end;
    }
    out.extend(pieces.next(middle.len() - at));
    // From pieces to edits: what was kept stands still, what comes between is new.
    let (mut edits, mut at, mut new) = (Vec::new(), 0, String::new());
    let end = Span {
        start: base.len(),
        end: base.len(),
    };
    for piece in out.into_iter().chain([Piece::Kept(end)]) {
        match piece {
            Piece::New(text) => new.push_str(&text),
            Piece::Kept(span) => {
                if span.start > at || !new.is_empty() {
                    edits.push(TextEdit {
                        span: Span {
                            start: at,
                            end: span.start,
                        },
                        replacement: std::mem::take(&mut new),
                    });
                }
                at = span.end;
            }
        }
    }
    edits.retain(|edit| base[edit.span.start..edit.span.end] != edit.replacement);
    edits
}

/// A part of a changed text.
enum Piece {
    /// Bytes of the text before.
    Kept(Span),
    New(String),
}

/// A changed text as the parts that it is made of, taken from its beginning.
struct Pieces(std::collections::VecDeque<Piece>);

impl Pieces {
    fn of(base: &str, edits: &[TextEdit]) -> Self {
        let mut pieces = std::collections::VecDeque::new();
        let mut at = 0;
        for edit in edits {
            pieces.push_back(Piece::Kept(Span {
                start: at,
                end: edit.span.start,
            }));
            pieces.push_back(Piece::New(edit.replacement.clone()));
            at = edit.span.end;
        }
        pieces.push_back(Piece::Kept(Span {
            start: at,
            end: base.len(),
        }));
        Self(pieces)
    }

    /// The next bytes, so many.
    fn next(&mut self, mut bytes: usize) -> Vec<Piece> {
        let mut out = Vec::new();
        while bytes > 0 {
            let Some(piece) = self.0.pop_front() else { break };
            let length = match &piece {
                Piece::Kept(span) => span.end - span.start,
                Piece::New(text) => text.len(),
            };
            if length <= bytes {
                bytes -= length;
                out.push(piece);
                continue;
            }
            let (head, tail) = match piece {
                Piece::Kept(span) => {
                    let cut = span.start + bytes;
                    let (head, tail) = (Span { end: cut, ..span }, Span { start: cut, ..span });
                    (Piece::Kept(head), Piece::Kept(tail))
                }
                Piece::New(mut text) => {
                    let tail = text.split_off(bytes);
                    (Piece::New(text), Piece::New(tail))
                }
            };
            out.push(head);
            self.0.push_front(tail);
            bytes = 0;
        }
        out
    }
}

/// Cuts off what an edit leaves as it was at both ends.
pub(crate) fn trimmed(text: &str, edit: TextEdit) -> TextEdit {
    let old = &text[edit.span.start..edit.span.end];
    let new = edit.replacement.as_str();
    let head: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let (old, new) = (&old[head..], &new[head..]);
    let tail: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let span = Span {
        start: edit.span.start + head,
        end: edit.span.end - tail,
    };
    TextEdit {
        span,
        replacement: new[..new.len() - tail].to_owned(),
    }
}

/// Edits in order, without overlaps, inside the text and on character boundaries.
pub(super) fn effective(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
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
