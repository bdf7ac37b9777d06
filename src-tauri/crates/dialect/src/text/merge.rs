//! Three-way merge: our edits, and what another program made of the same text meanwhile.

use super::change::{effective, trimmed};
use super::{Lines, Span, TextEdit, apply};
use similar::{Algorithm, DiffTag};
use std::cmp::Ordering;

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

/// One place where both sides changed the same lines, with all that hangs together there.
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

/// Which of two versions holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Ours.
    Mine,
    /// What another program wrote.
    Theirs,
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
    let both = Both::of(base, mine, theirs);
    if both.clashes > 0 {
        let clashes = (0..both.clashes).map(|n| both.clash(n)).collect();
        return Err(MergeConflict {
            mine: ours,
            theirs: theirs.to_owned(),
            clashes,
        });
    }
    Ok(both.with(&|_| Side::Mine))
}

/// The same where both sides changed the same lines and somebody has said which of them holds. `holds`: by the position of the clash in
/// [`MergeConflict::clashes`]; `theirs` is given up there alone, and so is ours.
pub fn merge_as(base: &str, mine: &[TextEdit], theirs: &str, holds: impl Fn(usize) -> Side) -> String {
    Both::of(base, mine, theirs).with(&holds)
}

/// Both sides' changes of a text, and which of them meet.
struct Both<'a> {
    base: &'a str,
    lines: Lines,
    /// Ours and theirs, each with the base lines it stands on (the end excluded) and the clash it is part of.
    changes: Vec<Part>,
    clashes: usize,
}

struct Part {
    side: Side,
    edit: TextEdit,
    lines: (usize, usize),
    clash: Option<usize>,
}

impl<'a> Both<'a> {
    fn of(base: &'a str, mine: &[TextEdit], theirs: &str) -> Self {
        let (lines, their_lines) = (Lines::of(base), Lines::of(theirs));
        let hunks = changed_hunks(base, &lines, theirs, &their_lines);
        let mine = effective(base, mine);
        let touched: Vec<Touched> = mine.iter().map(|edit| touched_lines(base, &lines, edit)).collect();
        let mut changes: Vec<Part> = Vec::with_capacity(mine.len() + hunks.len());
        changes.extend(mine.iter().zip(&touched).map(|(edit, touched)| Part {
            side: Side::Mine,
            edit: edit.clone(),
            lines: (touched.first, touched.last + 1),
            clash: None,
        }));
        changes.extend(hunks.iter().map(|hunk| {
            Part {
                side: Side::Theirs,
                edit: TextEdit {
                    span: Span {
                        start: lines.start_of(hunk.base.0, base),
                        end: lines.start_of(hunk.base.1, base),
                    },
                    replacement: theirs
                        [their_lines.start_of(hunk.theirs.0, theirs)..their_lines.start_of(hunk.theirs.1, theirs)]
                        .to_owned(),
                },
                lines: hunk.base,
                clash: None,
            }
        }));
        let mut clashes = 0;
        let mut from = 0;
        for (n, touched) in touched.iter().enumerate() {
            // Theirs that end before this one of ours meet none behind it either.
            while hunks.get(from).is_some_and(|hunk| hunk.base.1 < touched.first) {
                from += 1;
            }
            let near = hunks.iter().enumerate().skip(from);
            let near = near.take_while(|(_, hunk)| hunk.base.0 <= touched.last + 1);
            for (m, _) in near.filter(|(_, hunk)| hunk.meets(touched)) {
                let m = mine.len() + m;
                let clash = match (changes[n].clash, changes[m].clash) {
                    // Two that hang together by this are one.
                    (Some(own), Some(other)) if own != other => {
                        let (first, gone) = (own.min(other), own.max(other));
                        for one in changes.iter_mut().filter_map(|one| one.clash.as_mut()) {
                            match (*one).cmp(&gone) {
                                Ordering::Less => {}
                                Ordering::Equal => *one = first,
                                Ordering::Greater => *one -= 1,
                            }
                        }
                        clashes -= 1;
                        first
                    }
                    (Some(own), _) => own,
                    (None, Some(other)) => other,
                    (None, None) => {
                        clashes += 1;
                        clashes - 1
                    }
                };
                changes[n].clash = Some(clash);
                changes[m].clash = Some(clash);
            }
        }
        Self {
            base,
            lines,
            changes,
            clashes,
        }
    }

    fn clash(&self, n: usize) -> Clash {
        let own = || self.changes.iter().filter(move |one| one.clash == Some(n));
        let first = own().map(|one| one.lines.0).min().unwrap_or_default();
        let last = own().map(|one| one.lines.1).max().unwrap_or_default();
        let start = self.lines.start_of(first, self.base);
        let cut = &self.base[start..self.lines.start_of(last, self.base)];
        let with = |side: Side| {
            let edits = own().filter(|one| one.side == side).map(|one| TextEdit {
                span: Span {
                    start: one.edit.span.start - start,
                    end: one.edit.span.end - start,
                },
                replacement: one.edit.replacement.clone(),
            });
            apply(cut, &edits.collect::<Vec<_>>())
        };
        Clash {
            line: first + 1,
            base: cut.to_owned(),
            mine: with(Side::Mine),
            theirs: with(Side::Theirs),
        }
    }

    /// The text with all that meets nothing, and of what meets the side that holds.
    fn with(&self, holds: &dyn Fn(usize) -> Side) -> String {
        let counts = |one: &&Part| one.clash.is_none_or(|clash| holds(clash) == one.side);
        let mut parts: Vec<&Part> = self.changes.iter().filter(counts).collect();
        // Their new lines stand before the line that ours begins in.
        parts.sort_by_key(|one| (one.edit.span.start, one.edit.span.end, one.side == Side::Mine));
        let edits: Vec<TextEdit> = parts.into_iter().map(|one| one.edit.clone()).collect();
        apply(self.base, &edits)
    }
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
