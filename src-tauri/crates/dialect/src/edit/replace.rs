//! Another value where there is one.

use super::Page;
use super::compose::{SHORT, in_braces};
use super::insert::is_flat;
use super::write::{Pen, double_quoted, needs_escape};
use crate::text::{Span, TextEdit};
use crate::tree::{Budget, Grammar, Kind, NodeId, Style};
use serde_json::Value;

impl Page<'_> {
    /// Ways to write a new value over the last node of the chain, the closest to the old form first.
    pub(super) fn replace(&self, chain: &[NodeId], value: &Value) -> Vec<TextEdit> {
        let id = chain[chain.len() - 1];
        let parent = chain.len().checked_sub(2).map(|n| chain[n]);
        self.replace_node(parent, id, value)
    }

    /// Ways to write another name over the key of the last node of the chain.
    pub(super) fn rename(&self, chain: &[NodeId], to: &str) -> Vec<TextEdit> {
        let (Some(name), [.., parent, _]) = (self.path.last(), chain) else {
            return Vec::new();
        };
        let Some((key, _)) = self.tree.entry(self.text, *parent, name) else {
            return Vec::new();
        };
        self.replace_node(Some(*parent), key, &Value::from(to))
    }

    pub(super) fn replace_node(&self, parent: Option<NodeId>, id: NodeId, value: &Value) -> Vec<TextEdit> {
        let span = self.span(id);
        let flow = self.tree.grammar == Grammar::Json || parent.is_some_and(|p| self.is_flow(p));
        let newline = self.newline(span.end);
        let mut pen = Pen {
            grammar: self.tree.grammar,
            flow,
            newline,
            style: Style::Plain,
        };
        let at = |span: Span, replacement: String| TextEdit { span, replacement };
        let mut ways = Vec::new();
        match &self.tree.node(id).kind {
            Kind::Scalar { style, .. } => {
                pen.style = *style;
                if span.start == span.end && is_flat(value) && self.brackets() {
                    ways.push(at(span, format!(" {}", pen.inline(value))));
                }
                if span.start == span.end {
                    let before = self.text[..span.start].chars().next_back();
                    let colon = if flow && before != Some(':') { ":" } else { "" };
                    let indent = self.child_indent(parent, id);
                    ways.push(at(span, format!("{colon}{}", pen.behind_colon(value, &indent))));
                } else if let (Style::Literal | Style::Folded, Value::String(text)) = (style, value) {
                    ways.extend(self.block_scalar(parent, id, *style, text).map(|new| at(span, new)));
                } else if matches!(value, Value::Array(_) | Value::Object(_))
                    && !flow
                    && !(is_flat(value) && self.brackets())
                    && let Some(start) = parent.and_then(|p| self.behind_indicator(p, id))
                {
                    // A comment behind the old value stays on its line.
                    if !self.text[span.end..self.line_end(span.end)].trim().is_empty() {
                        ways.push(at(span, pen.inline(value)));
                    }
                    let indent = self.child_indent(parent, id);
                    let in_list = parent.is_some_and(|p| matches!(self.tree.node(p).kind, Kind::List { .. }));
                    let written = match value {
                        Value::Object(map) if in_list && !map.is_empty() => {
                            format!(" {}", pen.block(value, &indent).trim_start())
                        }
                        _ => pen.behind_colon(value, &indent),
                    };
                    ways.push(at(Span { start, end: span.end }, written));
                }
                ways.push(at(span, pen.inline(value)));
                if let Value::String(text) = value
                    && self.tree.grammar == Grammar::Yaml
                {
                    ways.push(at(span, double_quoted(text)));
                }
            }
            Kind::List { items, flow: false } => {
                if let Value::Array(new) = value
                    && !new.is_empty()
                {
                    pen.style = self.usual_style(items);
                    ways.extend(self.rewrite_list(items, new, &pen));
                }
                ways.extend(self.over_block(parent, id, value, &pen));
            }
            Kind::Map { flow: false, .. } => ways.extend(self.over_block(parent, id, value, &pen)),
            Kind::List { items, flow: true } => {
                // What has fields gets lines of its own where there was nothing.
                let has_fields = value.as_array().is_some_and(|all| all.iter().any(Value::is_object));
                let is_last = self.text[span.end..self.line_end(span.end)].trim().is_empty();
                let start = parent.and_then(|p| self.behind_indicator(p, id));
                if let Some(start) = start.filter(|_| has_fields && items.is_empty() && !flow && is_last) {
                    let indent = self.child_indent(parent, id);
                    ways.push(at(Span { start, end: span.end }, pen.behind_colon(value, &indent)));
                }
                pen.style = self.usual_style(items);
                ways.push(at(span, pen.inline(value)));
            }
            Kind::Map { .. } => {
                let new = value.as_object().filter(|map| !map.is_empty());
                let long = new.is_some_and(|map| map.len() > SHORT || map.values().any(Value::is_object));
                let start = parent.and_then(|p| self.behind_indicator(p, id));
                if let Some(start) = start.filter(|_| long && !flow) {
                    // What has no room in braces gets lines of its own.
                    let indent = self.child_indent(parent, id);
                    ways.push(at(Span { start, end: span.end }, pen.behind_colon(value, &indent)));
                }
                if let Some(map) = new {
                    let blanks = self.slice(span).starts_with("{ ");
                    let inner = Pen { flow: true, ..pen };
                    ways.push(at(span, in_braces(map, blanks, &|value| inner.inline(value))));
                }
                ways.push(at(span, pen.inline(value)));
            }
            Kind::Alias { .. } => ways.push(at(span, pen.inline(value))),
        }
        ways
    }

    /// A block list or mapping goes as a whole, from behind its key's colon: in block form, else on one line.
    fn over_block(&self, parent: Option<NodeId>, id: NodeId, value: &Value, pen: &Pen<'_>) -> Vec<TextEdit> {
        let Some(start) = parent.and_then(|p| self.behind_indicator(p, id)) else {
            return Vec::new();
        };
        let span = Span {
            start,
            end: self.span(id).end,
        };
        let indent = self.indent_of(self.first_start(id));
        let ways = [pen.behind_colon(value, &indent), format!(" {}", pen.inline(value))];
        ways.map(|replacement| TextEdit { span, replacement }).to_vec()
    }

    /// What both ends of the old and the new list have in common is not touched, comments included.
    fn rewrite_list(&self, items: &[NodeId], new: &[Value], pen: &Pen<'_>) -> Option<TextEdit> {
        let mut budget = Budget::of(self.tree);
        let old: Vec<Value> = items
            .iter()
            .map(|item| self.tree.value(self.text, *item, &mut budget))
            .collect();
        let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let tail = old[head..]
            .iter()
            .rev()
            .zip(new[head..].iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let (gone, come) = (&items[head..old.len() - tail], &new[head..new.len() - tail]);
        let first = self.dash(*items.first()?)?;
        let indent = self.indent_of(first);
        let joint = format!("{}{indent}", pen.newline);
        let written = |value: &Value| format!("- {}", pen.block(value, &format!("{indent}  ")).trim_start());
        let come: Vec<String> = come.iter().map(written).collect();
        let (span, replacement) = match (gone, come.is_empty()) {
            ([], _) if head == 0 => (
                Span {
                    start: first,
                    end: first,
                },
                format!("{}{joint}", come.join(&joint)),
            ),
            ([], _) => {
                let end = self.line_end(self.span(items[head - 1]).end);
                (Span { start: end, end }, format!("{joint}{}", come.join(&joint)))
            }
            ([from, ..], false) => (
                Span {
                    start: self.dash(*from)?,
                    end: self.span(gone[gone.len() - 1]).end,
                },
                come.join(&joint),
            ),
            ([from, ..], true) => match items.get(old.len() - tail) {
                Some(next) => (
                    Span {
                        start: self.dash(*from)?,
                        end: self.dash(*next)?,
                    },
                    String::new(),
                ),
                None => {
                    let start = self.line_end(self.span(items[head.checked_sub(1)?]).end);
                    (
                        Span {
                            start,
                            end: self.line_end(self.span(gone[gone.len() - 1]).end),
                        },
                        String::new(),
                    )
                }
            },
        };
        Some(TextEdit { span, replacement })
    }

    /// The style of the last quoted text of a list; plain where none is quoted.
    fn usual_style(&self, items: &[NodeId]) -> Style {
        let mut quoted = items.iter().rev().filter_map(|id| match &self.tree.node(*id).kind {
            Kind::Scalar {
                style: style @ (Style::Single | Style::Double),
                ..
            } => Some(*style),
            _ => None,
        });
        quoted.next().unwrap_or(Style::Plain)
    }

    /// Where the children of a node would be indented to.
    pub(super) fn child_indent(&self, parent: Option<NodeId>, id: NodeId) -> String {
        let own = match parent.map(|p| (p, &self.tree.node(p).kind)) {
            Some((_, Kind::Map { entries, .. })) => entries
                .iter()
                .rev()
                .find(|(_, value)| *value == id)
                .map(|(key, _)| self.indent_of(self.span(*key).start)),
            Some((_, Kind::List { .. })) => self.dash(id).map(|at| self.indent_of(at)),
            _ => None,
        };
        match own {
            Some(own) => format!("{own}  "),
            None => String::new(),
        }
    }

    /// Where the first key or dash of a block collection stands.
    fn first_start(&self, id: NodeId) -> usize {
        match &self.tree.node(id).kind {
            Kind::List { items, .. } => items.first().and_then(|item| self.dash(*item)),
            Kind::Map { entries, .. } => entries.first().map(|(key, _)| self.span(*key).start),
            _ => None,
        }
        .unwrap_or(self.span(id).start)
    }

    /// A text as a `|` or `>` scalar in the form of the old one; `None` where such a scalar cannot carry it.
    fn block_scalar(&self, parent: Option<NodeId>, id: NodeId, style: Style, text: &str) -> Option<String> {
        let old = self.slice(self.span(id));
        let newline = self.newline(self.span(id).start);
        let mut old_lines = old.split('\n').map(|line| line.trim_end_matches('\r'));
        let header = old_lines.next().unwrap_or("");
        let comment = header.trim_start_matches(['|', '>', '+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let old_lines: Vec<&str> = old_lines.filter(|line| !line.trim().is_empty()).collect();
        let indent = match old_lines.first() {
            Some(line) => line[..line.len() - line.trim_start_matches(' ').len()].to_owned(),
            None => self.child_indent(parent, id),
        };
        let body = text.trim_end_matches('\n');
        let ends = text.len() - body.len();
        if body.is_empty() || indent.is_empty() || body.starts_with([' ', '\n', '\t']) {
            return None;
        }
        // Not every reader of YAML takes them for what they are.
        if body.chars().any(|c| !matches!(c, '\n' | '\t') && needs_escape(c)) {
            return None;
        }
        let chomp = match ends {
            0 => "-",
            1 => "",
            _ => "+",
        };
        let lines: Vec<String> = body.split('\n').map(str::to_owned).collect();
        let foldable = lines
            .iter()
            .all(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
        let (mark, lines) = if style == Style::Folded && foldable {
            let width = old_lines
                .iter()
                .map(|line| line.chars().count())
                .max()
                .unwrap_or(0)
                .max(60);
            let room = width.saturating_sub(indent.len()).max(20);
            // A line end inside a folded scalar reads as a blank: a line end of the text needs an empty line.
            (
                ">",
                lines
                    .iter()
                    .map(|line| wrapped(line, room))
                    .collect::<Vec<_>>()
                    .join(&[String::new()][..]),
            )
        } else {
            ("|", lines)
        };
        let mut out = format!("{mark}{chomp}{comment}");
        for line in lines {
            out.push_str(newline);
            if !line.is_empty() {
                out.push_str(&indent);
                out.push_str(&line);
            }
        }
        out.push_str(&newline.repeat(ends.saturating_sub(1)));
        Some(out)
    }
}

/// Breaks a line at single blanks between words, so that folding puts it together again.
fn wrapped(line: &str, room: usize) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let breaks_at = |n: usize| {
        n > 0
            && n + 1 < chars.len()
            && chars[n] == ' '
            && !chars[n - 1].is_whitespace()
            && !chars[n + 1].is_whitespace()
    };
    let mut out = Vec::new();
    let (mut start, mut last) = (0, None);
    for n in 0..chars.len() {
        if n - start >= room
            && let Some(at) = last.take()
        {
            out.push(chars[start..at].iter().collect());
            start = at + 1;
        }
        if breaks_at(n) {
            last = Some(n);
        }
    }
    out.push(chars[start..].iter().collect());
    out
}
