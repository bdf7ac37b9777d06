//! Three-way merge: our edits, and what another program made of the same text meanwhile.

use super::change::trimmed;
use super::{Lines, Span, TextEdit, apply};
use similar::{Algorithm, DiffTag};

/// Both sides changed the same lines. Nothing was merged; both texts are whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the same lines were changed in another program")]
pub struct MergeConflict {
    /// The text with our edits alone.
    pub mine: String,
    /// The text as it stands on disk.
    pub theirs: String,
    /// Where the two meet.
    pub clashes: Vec<Clash>,
}

/// One place where both sides changed the same lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// 1-based first line in the common base.
    pub line: usize,
    /// The base's lines.
    pub base: String,
    /// Our version of them.
    pub mine: String,
    /// Their version of them.
    pub theirs: String,
}

/// Puts our edits (made against `base`) on top of `theirs`. Every byte of `theirs` outside of our edits stays.
///
/// # Errors
/// [`MergeConflict`] when an edit touches a line that the other side changed, or inserts where the other side inserts.
pub fn merge(base: &str, mine: &[TextEdit], theirs: &str) -> Result<String, MergeConflict> {
    let ours = apply(base, mine);
    if base == theirs || ours == theirs {
        return Ok(ours);
    }
    if mine.is_empty() {
        return Ok(theirs.to_owned());
    }
    let (base_lines, their_lines) = (Lines::of(base), Lines::of(theirs));
    let hunks = changed_hunks(base, &base_lines, theirs, &their_lines);
    let mut moved = Vec::with_capacity(mine.len());
    let mut clashes = Vec::new();
    for edit in mine {
        let touched = touched_lines(base, &base_lines, edit);
        match hunks.iter().find(|hunk| hunk.meets(&touched)) {
            Some(hunk) => {
                let first = touched.first.min(hunk.base.0);
                let last = (touched.last + 1).max(hunk.base.1);
                let cut = Span {
                    start: base_lines.start_of(first, base),
                    end: base_lines.start_of(last, base),
                };
                let local: Vec<TextEdit> = mine
                    .iter()
                    .filter(|e| e.span.start >= cut.start && e.span.end <= cut.end)
                    .map(|e| TextEdit {
                        span: Span {
                            start: e.span.start - cut.start,
                            end: e.span.end - cut.start,
                        },
                        replacement: e.replacement.clone(),
                    })
                    .collect();
                let there = (
                    their_lines.start_of(hunk.theirs.0, theirs),
                    their_lines.start_of(hunk.theirs.1, theirs),
                );
                clashes.push(Clash {
                    line: first + 1,
                    base: base[cut.start..cut.end].to_owned(),
                    mine: apply(&base[cut.start..cut.end], &local),
                    theirs: theirs[there.0..there.1].to_owned(),
                });
            }
            None => {
                // Everything before the edit's first line moved by the same number of lines.
                let line = base_lines.line_of(edit.span.start);
                let shift = hunks
                    .iter()
                    .filter(|h| h.base.1 <= line)
                    .map(|h| h.theirs.1 as isize - h.base.1 as isize)
                    .next_back();
                let their_line = line.saturating_add_signed(shift.unwrap_or(0));
                let start =
                    their_lines.start_of(their_line, theirs) + (edit.span.start - base_lines.start_of(line, base));
                let span = Span {
                    start,
                    end: start + (edit.span.end - edit.span.start),
                };
                moved.push(TextEdit {
                    span,
                    replacement: edit.replacement.clone(),
                });
            }
        }
    }
    if clashes.is_empty() {
        Ok(apply(theirs, &moved))
    } else {
        Err(MergeConflict {
            mine: ours,
            theirs: theirs.to_owned(),
            clashes,
        })
    }
}

/// The same where both sides changed the same lines and ours are to hold: of `theirs` only what meets them is given up.
pub fn merge_over(base: &str, mine: &[TextEdit], theirs: &str) -> String {
    let (base_lines, their_lines) = (Lines::of(base), Lines::of(theirs));
    let touched: Vec<Touched> = mine.iter().map(|edit| touched_lines(base, &base_lines, edit)).collect();
    let kept = changed_hunks(base, &base_lines, theirs, &their_lines).into_iter();
    let kept = kept.filter(|hunk| !touched.iter().any(|touched| hunk.meets(touched)));
    let mut both: Vec<TextEdit> = kept
        .map(|hunk| TextEdit {
            span: Span {
                start: base_lines.start_of(hunk.base.0, base),
                end: base_lines.start_of(hunk.base.1, base),
            },
            replacement: theirs
                [their_lines.start_of(hunk.theirs.0, theirs)..their_lines.start_of(hunk.theirs.1, theirs)]
                .to_owned(),
        })
        .chain(mine.iter().cloned())
        .collect();
    both.sort_by_key(|edit| (edit.span.start, edit.span.end));
    apply(base, &both)
}

/// The edits that turn one text into another, line by line, and of each run of changed lines what differs alone.
pub fn difference(before: &str, after: &str) -> Vec<TextEdit> {
    let (old, new) = (Lines::of(before), Lines::of(after));
    let edit = |hunk: Hunk| {
        let span = |lines: &Lines, of: (usize, usize), text: &str| Span {
            start: lines.start_of(of.0, text),
            end: lines.start_of(of.1, text),
        };
        let (span, come) = (span(&old, hunk.base, before), span(&new, hunk.theirs, after));
        let replacement = after[come.start..come.end].to_owned();
        trimmed(before, TextEdit { span, replacement })
    };
    let hunks = changed_hunks(before, &old, after, &new);
    hunks.into_iter().map(edit).filter(|edit| !edit.is_empty()).collect()
}

/// Lines `base.0..base.1` became lines `theirs.0..theirs.1` (0-based, end excluded).
struct Hunk {
    base: (usize, usize),
    theirs: (usize, usize),
}

/// The base lines one of our edits stands on.
struct Touched {
    first: usize,
    last: usize,
    /// The edit puts new lines behind `last`.
    inserts_below: bool,
    /// The edit puts new lines before `first`.
    inserts_above: bool,
}

impl Hunk {
    fn meets(&self, touched: &Touched) -> bool {
        let (start, end) = self.base;
        if start < end {
            return start <= touched.last && touched.first < end;
        }
        // A pure insertion of theirs stands between lines start - 1 and start.
        (touched.first < start && start <= touched.last)
            || (touched.inserts_below && start == touched.last + 1)
            || (touched.inserts_above && start == touched.first)
    }
}

fn touched_lines(base: &str, lines: &Lines, edit: &TextEdit) -> Touched {
    let first = lines.line_of(edit.span.start);
    let whole_lines =
        edit.span.end > edit.span.start && lines.start_of(lines.line_of(edit.span.end), base) == edit.span.end;
    let last = if whole_lines {
        lines.line_of(edit.span.end - 1)
    } else {
        lines.line_of(edit.span.end)
    };
    let starts_line = edit.span.start == lines.start_of(first, base);
    let breaks = |c: char| c == '\n' || c == '\r';
    Touched {
        first,
        last,
        inserts_below: edit.replacement.starts_with(breaks),
        inserts_above: edit.span.start == edit.span.end && starts_line && edit.replacement.ends_with(breaks),
    }
}

/// Beyond this many pairs of lines the middle counts as one change: more conflicts, never a wrong merge, bounded work
/// without a clock.
const MOST_PAIRS: usize = 25_000_000;

fn changed_hunks(base: &str, base_lines: &Lines, theirs: &str, their_lines: &Lines) -> Vec<Hunk> {
    let (old, new) = (cut(base, base_lines), cut(theirs, their_lines));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old_mid, new_mid) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old_mid.len().saturating_mul(new_mid.len()) > MOST_PAIRS {
        return vec![Hunk {
            base: (head, old.len() - tail),
            theirs: (head, new.len() - tail),
        }];
    }
    similar::capture_diff_slices(Algorithm::Histogram, old_mid, new_mid)
        .into_iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            Hunk {
                base: (head + old.start, head + old.end),
                theirs: (head + new.start, head + new.end),
            }
        })
        .collect()
}

fn cut<'t>(text: &'t str, lines: &Lines) -> Vec<&'t str> {
    (0..lines.count())
        .map(|n| &text[lines.start_of(n, text)..lines.start_of(n + 1, text)])
        .collect()
}
