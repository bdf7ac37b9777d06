//! A field goes with the lines it stands on, an item of a list with the comments that speak of it, too.

use super::Page;
use super::body::without_line_end;
use crate::text::{Span, TextEdit};
use crate::tree::{Kind, NodeId};
use serde_json::{Map, Value};

impl Page<'_> {
    /// Ways to take out the last node of the chain.
    pub(super) fn remove(&self, chain: &[NodeId]) -> Vec<TextEdit> {
        let (id, parent) = (chain[chain.len() - 1], chain[chain.len() - 2]);
        let grandparent = chain.len().checked_sub(3).map(|n| chain[n]);
        // Start and end of every sibling, its own indicator included.
        let (parts, at, flow, empty): (Vec<(usize, usize)>, _, _, _) = match &self.tree.node(parent).kind {
            Kind::Map { entries, flow } => {
                let part = |(key, value): &(NodeId, NodeId)| {
                    (self.span(*key).start, self.span(*value).end.max(self.span(*key).end))
                };
                let at = entries.iter().rposition(|(_, value)| *value == id);
                (entries.iter().map(part).collect(), at, *flow, Value::Object(Map::new()))
            }
            Kind::List { items, flow } => {
                let start = |item: &NodeId| if *flow { None } else { self.dash(*item) };
                let part = |item: &NodeId| (start(item).unwrap_or(self.span(*item).start), self.span(*item).end);
                let at = items.iter().position(|item| *item == id);
                (items.iter().map(part).collect(), at, *flow, Value::Array(Vec::new()))
            }
            _ => return Vec::new(),
        };
        let Some(at) = at else { return Vec::new() };
        let whole = match &self.tree.node(parent).kind {
            Kind::List { items, flow: false } if items.len() > 1 => self.without_item(items, at),
            _ => None,
        };
        whole
            .into_iter()
            .chain(self.without_part(&parts, at, flow, || {
                // The collection stays, empty.
                self.replace_node(grandparent, parent, &empty)
            }))
            .collect()
    }

    /// An item of a list of lines, with its comments and with the blank lines that divided it from its neighbours where those would be
    /// twice as many.
    fn without_item(&self, items: &[NodeId], at: usize) -> Option<TextEdit> {
        let bodies = self.bodies(items, false)?;
        let own = bodies[at];
        let floor = at.checked_sub(1).map(|before| bodies[before].end);
        let is_last = at + 1 == bodies.len();
        let behind = self.next_line(own.end);
        let (start, end) = match (floor, behind) {
            // The first one: what divided it from the next one goes, that from what stands above stays.
            (None, Some(behind)) => (own.start, bodies[1].start.min(self.below_blank(behind))),
            (None, None) => return None,
            (Some(floor), Some(behind)) => {
                let is_apart = self.text[behind..self.line_end(behind)].trim().is_empty();
                let start = match is_last || is_apart {
                    true => self.blank_above(own.start, floor),
                    false => own.start,
                };
                (start, behind)
            }
            // The last line of a file without a final line end: the line end before it goes.
            (Some(floor), None) => {
                let start = self.blank_above(own.start, floor);
                (without_line_end(&self.text[..start]).len(), own.end)
            }
        };
        Some(TextEdit {
            span: Span { start, end },
            replacement: String::new(),
        })
    }

    /// Where the first line that is not blank begins, from the beginning of one.
    fn below_blank(&self, mut line: usize) -> usize {
        while let end = self.line_end(line)
            && self.text[line..end].trim().is_empty()
            && let Some(next) = self.next_line(end)
        {
            line = next;
        }
        line
    }

    /// Ways to take out one of several entries, each from its start to its end. `emptied`: those to take out the only one.
    fn without_part(
        &self,
        parts: &[(usize, usize)],
        at: usize,
        flow: bool,
        emptied: impl FnOnce() -> Vec<TextEdit>,
    ) -> Vec<TextEdit> {
        if parts.len() == 1 {
            return emptied();
        }
        let cut = |start: usize, end: usize| {
            vec![TextEdit {
                span: Span { start, end },
                replacement: String::new(),
            }]
        };
        let (start, end) = parts[at];
        if flow {
            return match parts.get(at + 1) {
                Some((next, _)) => cut(start, *next),
                None => cut(parts[at - 1].1, end),
            };
        }
        let line = self.line_start(start);
        let own_line = self.text[line..start].trim_start_matches('\u{feff}').trim().is_empty();
        if !own_line {
            // The first key behind a dash: the next one takes its place there.
            return parts.get(at + 1).map_or_else(Vec::new, |(next, _)| cut(start, *next));
        }
        let line = line + (self.text[line..start].len() - self.text[line..start].trim_start_matches('\u{feff}').len());
        let line_end = self.line_end(end);
        match self.next_line(line_end) {
            Some(next) => cut(line, next),
            // The last line of a file without a final line end: the line end before it goes.
            None => cut(without_line_end(&self.text[..line]).len(), line_end),
        }
    }
}
