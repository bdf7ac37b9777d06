//! Ways of writing a change into a runbook, the one closest to the file's own form first.

use super::Runbook;
use super::unit::{PartKind, Unit};
use crate::edit::write::Pen;
use crate::text::{Span, TextEdit};
use crate::tree::{Grammar, Style};
use serde_json::Value;

/// One way of writing a change.
pub(super) type Way = Vec<TextEdit>;

/// The language of a new command.
pub(super) const LANGUAGE: &str = "bash";

/// Where and how a file writes.
pub(super) struct Writer<'a> {
    pub(super) text: &'a str,
    pub(super) runbook: &'a Runbook,
}

fn put(start: usize, end: usize, replacement: impl Into<String>) -> TextEdit {
    TextEdit {
        span: Span { start, end },
        replacement: replacement.into(),
    }
}

impl Writer<'_> {
    /// The line end of this file.
    fn newline(&self) -> &'static str {
        match self.text.find(['\n', '\r']).map(|at| &self.text.as_bytes()[at..]) {
            Some([b'\r', b'\n', ..]) => "\r\n",
            Some([b'\r', ..]) => "\r",
            _ => "\n",
        }
    }

    fn with_line_ends(&self, text: &str) -> String {
        text.replace('\n', self.newline())
    }

    /// The beginning of a line; of the first one behind the byte order mark, which belongs to the file.
    fn line_start(&self, at: usize) -> usize {
        let mark = if self.text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        self.text[..at].rfind(['\n', '\r']).map_or(mark.min(at), |n| n + 1)
    }

    /// The end of a line, before its line end.
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find(['\n', '\r']).map_or(self.text.len(), |n| at + n)
    }

    /// The beginning of the next line.
    fn next_line(&self, at: usize) -> usize {
        let end = self.line_end(at);
        match self.text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        }
    }

    fn is_blank(&self, line_start: usize) -> bool {
        self.text[line_start..self.line_end(line_start)].trim().is_empty()
    }

    /// A block put in at the end of a line: an empty line before it and, where something follows at once, behind it.
    fn block_after(&self, at: usize, block: &str) -> TextEdit {
        self.inserted(at, block, true)
    }

    fn inserted(&self, at: usize, block: &str, gap: bool) -> TextEdit {
        let at = self.line_end(at);
        let newline = self.newline();
        let next = self.next_line(at);
        let followed = next < self.text.len() && !self.is_blank(next);
        let before = if gap { newline.repeat(2) } else { newline.to_owned() };
        let after = if followed { newline } else { "" };
        put(at, at, format!("{before}{}{after}", self.with_line_ends(block)))
    }

    pub(super) fn title(&self, unit: &Unit, title: &str) -> Vec<Way> {
        let heading = &unit.heading;
        let (separator, old) = (heading.separator, heading.title_span);
        if title.is_empty() {
            return vec![vec![put(separator.start, old.end, "")]];
        }
        if old.start < old.end {
            return vec![vec![put(old.start, old.end, title)]];
        }
        let written = self.text[separator.start..separator.end].trim();
        let new = format!("{written} {title}");
        vec![vec![put(separator.start, separator.end.max(old.end), new)]]
    }

    /// Prose and shown blocks.
    pub(super) fn prompt(&self, unit: &Unit, prompt: &str) -> Vec<Way> {
        match unit.shown()[..] {
            [old] if prompt.is_empty() => self.without_block(old),
            [old] => vec![vec![put(old.start, old.end, self.with_line_ends(prompt))]],
            [] => {
                let first = unit.parts.first().filter(|part| part.kind == PartKind::Transitions);
                // Alone with its transitions, a step follows the order of the file.
                let above = first.filter(|_| unit.parts.len() > 1 || self.runbook.order.transitions_first());
                let heading = unit.heading.span.end;
                let places = [above.map_or(heading, |part| part.span.end), heading];
                places
                    .into_iter()
                    .map(|at| vec![self.block_after(at, prompt)])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The script in its fence; a longer fence when the script holds one.
    pub(super) fn command(&self, unit: &Unit, script: &str) -> Vec<Way> {
        let longest = |mark: char| {
            let lines = script.lines().map(|line| line.trim_start());
            lines
                .map(|line| line.len() - line.trim_start_matches(mark).len())
                .max()
                .unwrap_or(0)
        };
        let Some(fence) = unit.command() else {
            if !unit.files.is_empty() || unit.parts.iter().any(|part| matches!(part.kind, PartKind::Code(_))) {
                return Vec::new();
            }
            let marks = "`".repeat(3.max(longest('`') + 1));
            let block = format!("{marks}{LANGUAGE}\n{script}{marks}");
            let shown = unit.shown().last().map(|span| span.end);
            let first = unit.parts.first().filter(|part| part.kind == PartKind::Transitions);
            let above = first
                .filter(|_| self.runbook.order.transitions_first())
                .map(|part| part.span.end);
            let at = shown.or(above).unwrap_or(unit.heading.span.end);
            return vec![vec![self.block_after(at, &block)]];
        };
        let source = &self.text[fence.span.start..fence.span.end];
        let mark = if source.starts_with('~') { '~' } else { '`' };
        let length = source.len() - source.trim_start_matches(mark).len();
        let longer = length.max(longest(mark) + 1);
        let margin = &self.text[self.line_start(fence.span.start)..fence.span.start];
        let margin = margin.trim_start_matches('\u{feff}');
        let behind = &source[length..self.line_end(fence.span.start).min(fence.span.end) - fence.span.start];
        let indented = |indent: &str| -> String {
            let line = |line: &str| {
                if line.trim().is_empty() {
                    line.to_owned()
                } else {
                    format!("{indent}{line}")
                }
            };
            script.split_inclusive('\n').map(line).collect()
        };
        let plain = self.with_line_ends(script);
        let shifted = self.with_line_ends(&indented(margin));
        let mut ways = Vec::new();
        if longer == length && fence.closed {
            for body in [&plain, &shifted] {
                ways.push(vec![put(fence.body.start, fence.body.end, body.clone())]);
            }
        }
        let marks = mark.to_string().repeat(longer);
        let newline = self.newline();
        for body in [&plain, &shifted] {
            let whole = format!("{marks}{}{newline}{body}{margin}{marks}", behind.trim_end());
            ways.push(vec![put(fence.span.start, fence.span.end, whole)]);
        }
        ways
    }

    /// A block taken out with its lines and one of the empty lines around it.
    pub(super) fn without_block(&self, span: Span) -> Vec<Way> {
        let (start, next) = (self.line_start(span.start), self.next_line(span.end));
        let above = self.text[..start].trim_end_matches([' ', '\t', '\n', '\r']).len();
        let below = self.text[next..].len() - self.text[next..].trim_start_matches(['\n', '\r']).len();
        let kept_above = self.next_line(above).min(start);
        let mut ways = Vec::new();
        if below > 0 || next == self.text.len() {
            // Together with the empty lines above it: those below it divide what is left.
            ways.push(vec![put(kept_above, next, "")]);
        }
        ways.push(vec![put(start, (next + below).min(self.text.len()), "")]);
        ways.push(vec![put(start, next, "")]);
        ways.push(vec![put(span.start, span.end, "")]);
        ways
    }

    /// One line taken out. The last of several goes alone, a lone one with an empty line beside it.
    pub(super) fn without_line(&self, span: Span) -> Vec<Way> {
        let (start, next) = (self.line_start(span.start), self.next_line(span.end));
        let above_blank =
            start == 0 || self.is_blank(self.line_start(start - 1 - usize::from(self.text[..start].ends_with("\r\n"))));
        let below_blank = next >= self.text.len() || self.is_blank(next);
        let mut ways = Vec::new();
        if above_blank && below_blank {
            ways.extend(self.without_block(span));
        }
        if next == self.text.len() && !self.text[start..].ends_with(['\n', '\r']) {
            // The last line has no end: that of the line before it goes.
            let end = self.text[..start]
                .trim_end_matches(['\n', '\r'])
                .len()
                .max(start.saturating_sub(2));
            ways.push(vec![put(end, next, "")]);
        }
        ways.push(vec![put(start, next, "")]);
        ways
    }

    /// What stands before the words of a line: indentation and bullet.
    fn bullet(&self, span: Span) -> &str {
        let before = &self.text[self.line_start(span.start)..span.start];
        before.trim_end_matches('*').trim_start_matches('\u{feff}')
    }

    fn bullet_of_file(&self) -> &str {
        let units = &self.runbook.units;
        let first = units.iter().find_map(|unit| unit.transitions.first());
        let bullet = first.map(|read| self.bullet(read.span)).filter(|b| b.trim().len() == 1);
        bullet.unwrap_or("- ")
    }

    /// A transition behind the others of its step, else where the file has its own.
    pub(super) fn new_transition(&self, unit: &Unit, line: &str) -> Vec<Way> {
        if let Some(last) = unit.transitions.last() {
            let at = self.line_end(last.span.end);
            let bullet = self.bullet(last.span);
            let inner = |bullet: &str| vec![put(at, at, format!("{}{bullet}{line}", self.newline()))];
            return vec![inner(bullet), inner("- ")];
        }
        let item = format!("{}{line}", self.bullet_of_file());
        let top = vec![self.inserted(unit.heading.span.end, &item, false)];
        let bottom = vec![self.block_after(unit.own_end, &item)];
        // Without anything else in the step both are the same place; close to the heading is the usual form.
        if self.runbook.order.transitions_first() || unit.parts.is_empty() {
            vec![top, bottom]
        } else {
            vec![bottom, top]
        }
    }

    /// Another runbook in the list; of a link its address.
    pub(super) fn file(&self, unit: &Unit, n: usize, file: &str) -> Vec<Way> {
        let (span, old) = &unit.files[n];
        let source = &self.text[span.start..span.end];
        let within = source
            .rfind(old.as_str())
            .map(|at| vec![put(span.start + at, span.start + at + old.len(), file)]);
        within
            .into_iter()
            .chain([vec![put(span.start, span.end, file)]])
            .collect()
    }

    pub(super) fn new_file(&self, unit: &Unit, file: &str) -> Vec<Way> {
        let Some((last, _)) = unit.files.last() else {
            // Below what is said, as a command would stand.
            let shown = unit.shown().last().map(|span| span.end);
            let first = unit.parts.first().filter(|part| part.kind == PartKind::Transitions);
            let above = first
                .filter(|_| self.runbook.order.transitions_first())
                .map(|part| part.span.end);
            let at = shown.or(above).unwrap_or(unit.heading.span.end);
            let ways =
                [self.bullet_of_file(), "- "].map(|bullet| vec![self.block_after(at, &format!("{bullet}{file}"))]);
            return ways.into();
        };
        let at = self.line_end(last.end);
        vec![vec![put(
            at,
            at,
            format!("{}{}{file}", self.newline(), self.bullet(*last)),
        )]]
    }

    /// The runbook's title or the text below it.
    pub(super) fn heading_text(&self, field: &str, value: &str) -> Vec<Way> {
        let preamble = &self.runbook.preamble;
        let newline = self.newline();
        let value = self.with_line_ends(&value.replace("\r\n", "\n"));
        let begin = match &self.runbook.front {
            Some(front) => self.next_line(front.span.end),
            None => self.text.len() - self.text.trim_start_matches('\u{feff}').len(),
        };
        match (field, &preamble.title, preamble.description) {
            ("title", Some((_, words, _)), _) if words.start < words.end => {
                vec![vec![put(words.start, words.end, value)]]
            }
            ("title", None, _) => vec![
                vec![put(begin, begin, format!("# {value}{newline}{newline}"))],
                vec![put(begin, begin, format!("{newline}# {value}{newline}{newline}"))],
            ],
            ("description", _, Some(old)) if value.is_empty() => self.without_block(old),
            ("description", _, Some(old)) => vec![vec![put(old.start, old.end, value)]],
            ("description", Some((title, ..)), None) => vec![vec![self.block_after(title.end, &value)]],
            ("description", None, None) => vec![vec![put(begin, begin, format!("{value}{newline}{newline}"))]],
            _ => Vec::new(),
        }
    }

    /// Front matter where there is none, or nothing in it.
    pub(super) fn new_front(&self, path: &[String], value: &Value) -> Way {
        let newline = self.newline();
        let nested = path.iter().rev().fold(value.clone(), |inner, key| {
            Value::Object(std::iter::once((key.clone(), inner)).collect())
        });
        let pen = Pen {
            grammar: Grammar::Yaml,
            flow: false,
            newline,
            style: Style::Plain,
        };
        let fields = format!("{}{newline}", pen.block(&nested, ""));
        match &self.runbook.front {
            Some(front) => vec![put(front.inner.start, front.inner.start, fields)],
            None => {
                let begin = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
                let gap = if self.text[begin..].is_empty() { "" } else { newline };
                vec![put(begin, begin, format!("---{newline}{fields}---{newline}{gap}"))]
            }
        }
    }
}
