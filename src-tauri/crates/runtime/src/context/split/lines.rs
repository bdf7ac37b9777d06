//! A text and its lines.

use std::ops::Range;

/// A text with the places of its lines.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    pub(super) text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.match_indices('\n')
                .map(|(at, _)| at + 1)
                .filter(|at| *at < text.len()),
        );
        Self { text, starts }
    }

    /// How many there are; an empty text has one.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// One line without its end, from 0.
    pub(super) fn line(&self, index: usize) -> &'t str {
        self.slice(index..index + 1).trim_end_matches(['\n', '\r'])
    }

    /// Where lines stand, in bytes.
    pub(super) fn place(&self, lines: Range<usize>) -> Range<usize> {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        at(lines.start)..at(lines.end.max(lines.start))
    }

    /// The text of lines.
    pub(super) fn slice(&self, lines: Range<usize>) -> &'t str {
        &self.text[self.place(lines)]
    }

    /// The line that a byte stands in, from 1.
    pub(super) fn number(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX)
    }

    /// Lines without blank ones at their end.
    pub(super) fn trimmed(&self, lines: Range<usize>) -> Range<usize> {
        let mut end = lines.end;
        while end > lines.start && self.line(end - 1).trim().is_empty() {
            end -= 1;
        }
        lines.start..end
    }
}

/// How far a line is indented, in characters; a tab counts as one to the next multiple of eight.
pub(super) fn indent(line: &str) -> usize {
    let mut width = 0;
    for c in line.chars() {
        match c {
            ' ' => width += 1,
            '\t' => width = (width / 8 + 1) * 8,
            _ => break,
        }
    }
    width
}

/// The lines of a file that no piece has taken, as one text.
pub(super) fn left_over(lines: &Lines<'_>, taken: &[Range<usize>]) -> String {
    let mut text = String::new();
    let mut from = 0;
    for place in taken.iter().chain([&(lines.count()..lines.count())]) {
        if place.start > from {
            text.push_str(lines.slice(from..place.start));
        }
        from = from.max(place.end);
    }
    text
}
