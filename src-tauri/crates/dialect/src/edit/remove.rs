//! A field or an item goes, with the lines it stands on.

use super::Page;
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
        if parts.len() == 1 {
            // The collection stays, empty.
            return self.replace_node(grandparent, parent, &empty);
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
        match &self.text.as_bytes()[line_end..] {
            [b'\r', b'\n', ..] => cut(line, line_end + 2),
            [_, ..] => cut(line, line_end + 1),
            // The last line of a file without a final line end: the line end before it goes.
            [] => {
                let head = &self.text[..line];
                let head = head
                    .strip_suffix("\r\n")
                    .or_else(|| head.strip_suffix(['\n', '\r']))
                    .unwrap_or(head);
                cut(head.len(), line_end)
            }
        }
    }
}
