//! The concrete tree of a file: every scalar, list and mapping with its exact bytes.
//!
//! The tree lives in one arena (no recursion anywhere, so depth costs no stack). It keeps what is needed to find and to
//! change bytes: spans, quoting style, flow or block form, aliases. The text itself stays outside.

mod index;
mod json;
mod value;
mod yaml;

use crate::text::Span;
use index::Index;
pub(crate) use value::{Budget, is_too_large, plain as plain_value};

/// Index of a node in its [`Tree`].
pub(crate) type NodeId = u32;

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// The decoded text of a scalar: a slice of the source where the two agree, which is nearly always.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    Slice(Span),
    Owned(Box<str>),
}

/// What a node is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar {
        style: Style,
        text: Text,
    },
    List {
        items: Vec<NodeId>,
        flow: bool,
    },
    Map {
        entries: Vec<(NodeId, NodeId)>,
        flow: bool,
    },
    /// Stands for a node written earlier.
    Alias {
        target: NodeId,
    },
}

/// One node. The span covers the content alone: no anchor, no tag, no comment, no line end.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

/// A syntax error or another fault of the text itself.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) what: FaultKind,
    pub(crate) at: usize,
    pub(crate) detail: String,
}

impl Fault {
    /// What the parser's message means to someone who writes flows; other messages stay as they are.
    pub(crate) fn in_words(&self) -> &str {
        const KNOWN: &[(&str, &str)] = &[
            (
                "quoted scalar, found unexpected end",
                "a quote is opened here and never closed",
            ),
            (
                "quoted scalar, found unexpected document",
                "a quote is opened here and never closed",
            ),
            (
                "indentation in quoted scalar",
                "a quote is opened here and not closed before the next field",
            ),
            ("tabs disallowed", "a tab stands where only blanks may indent"),
            (
                "mapping values are not allowed",
                "a field begins here where none can: the line stands too far in, or its text holds a `: ` and needs quotes",
            ),
            (
                "simple key expect",
                "a `:` is missing after the name of a field, or the line stands at the wrong depth",
            ),
            (
                "unknown anchor",
                "this `*name` stands for nothing that was named (`&name`) before it",
            ),
            ("expected ',' or ']'", "a `[` is not closed, or a comma is missing"),
            ("expected ',' or '}'", "a `{` is not closed, or a comma is missing"),
            ("did not find expected key", "this line stands at the wrong depth"),
            ("did not find expected '-'", "this line stands at the wrong depth"),
            ("recursion limit", "brackets lie too deep in each other"),
        ];
        KNOWN
            .iter()
            .find(|(part, _)| self.detail.contains(part))
            .map_or(self.detail.as_str(), |(_, words)| words)
    }
}

/// Which fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The text breaks the syntax; nothing after it was read.
    Syntax,
    /// Another document follows the first one.
    SecondDocument,
    /// One mapping has a key twice.
    DuplicateKey,
}

/// Which grammar the file follows; decides how new values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    Yaml,
    Json,
}

/// A parsed file.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Option<NodeId>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) grammar: Grammar,
    /// The tags that are written (`!!str`, `!include`), in the order of their nodes.
    tags: Vec<(NodeId, Box<str>)>,
    /// Where the keys of its large mappings stand, once one of them has been looked for.
    index: Index,
}

impl Tree {
    /// Reads a text. Never fails: what could not be read is a fault, and what stood before it is kept.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let json_name = path.len() > 5 && path.as_bytes()[path.len() - 5..].eq_ignore_ascii_case(b".json");
        let mut tree = if json_name {
            json::read(text)
        } else {
            let tree = yaml::read(text);
            // JSON that is not YAML (surrogate escapes, long keys) is still read when it has no YAML name of its own.
            let fails = tree.faults.iter().any(|f| f.what == FaultKind::Syntax);
            if fails && text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
                let json = json::read(text);
                if json.faults.is_empty() { json } else { tree }
            } else {
                tree
            }
        };
        tree.report_duplicates(text);
        tree
    }

    /// The tags that are written, each with its node.
    pub(crate) fn tags(&self) -> &[(NodeId, Box<str>)] {
        &self.tags
    }

    /// The tag that is written before a node.
    pub(crate) fn tag(&self, id: NodeId) -> Option<&str> {
        let found = self.tags.binary_search_by_key(&id, |(node, _)| *node).ok()?;
        Some(&self.tags[found].1)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The node an alias stands for; any other node is itself. Aliases always point backwards, so this ends.
    pub(crate) fn resolve(&self, mut id: NodeId) -> NodeId {
        while let Kind::Alias { target } = self.node(id).kind {
            id = target;
        }
        id
    }

    /// The decoded text of a scalar; `None` for lists and mappings.
    pub(crate) fn text<'a>(&'a self, source: &'a str, id: NodeId) -> Option<&'a str> {
        match &self.node(self.resolve(id)).kind {
            Kind::Scalar { text, .. } => Some(match text {
                Text::Slice(span) => source.get(span.start..span.end).unwrap_or(""),
                Text::Owned(text) => text,
            }),
            _ => None,
        }
    }

    /// What a key reads as: its text, or the source of a key that is a list or mapping.
    pub(crate) fn key<'a>(&'a self, source: &'a str, id: NodeId) -> &'a str {
        self.text(source, id).unwrap_or_else(|| {
            let span = self.node(id).span;
            source.get(span.start..span.end).unwrap_or("")
        })
    }

    /// The entries of a mapping (through an alias).
    pub(crate) fn entries(&self, id: NodeId) -> Option<&[(NodeId, NodeId)]> {
        match &self.node(self.resolve(id)).kind {
            Kind::Map { entries, .. } => Some(entries),
            _ => None,
        }
    }

    /// Whether it is a list (through an alias).
    pub(crate) fn is_list(&self, id: NodeId) -> bool {
        self.items(id).is_some()
    }

    /// The items of a list (through an alias).
    pub(crate) fn items(&self, id: NodeId) -> Option<&[NodeId]> {
        match &self.node(self.resolve(id)).kind {
            Kind::List { items, .. } => Some(items),
            _ => None,
        }
    }

    /// The value of a key; of two the last one, as every reader of such files takes it.
    pub(crate) fn get(&self, source: &str, map: NodeId, key: &str) -> Option<NodeId> {
        self.entry(source, map, key).map(|(_, value)| value)
    }

    /// The text of a key's value.
    pub(crate) fn text_at<'a>(&'a self, source: &'a str, map: NodeId, key: &str) -> Option<&'a str> {
        self.text(source, self.get(source, map, key)?)
    }

    /// Key and value nodes of a key, of two the last one.
    pub(crate) fn entry(&self, source: &str, map: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        let entries = self.entries(map)?;
        let is_it = |(k, _): &&(NodeId, NodeId)| self.key(source, *k) == key;
        if entries.len() >= index::LARGE {
            let place = self.index.place(self, source, self.resolve(map), key);
            let found = place.map(|place| entries.get(place as usize));
            // Of two keys with one hash only the last stands in the index.
            match found {
                None => return None,
                Some(Some(entry)) if is_it(&entry) => return Some(*entry),
                Some(_) => {}
            }
        }
        entries.iter().rev().find(is_it).copied()
    }

    /// The value of a key that a mapping takes over by `<<`, and the node behind that `<<` that has it. Of several the first one counts.
    pub(crate) fn taken_over(&self, source: &str, map: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        /// A chain of them could be built to go on without end.
        const MOST: usize = 64;
        let merged = |map: NodeId| -> Vec<NodeId> {
            let entries = self.entries(map).unwrap_or(&[]).iter();
            let merged = entries.filter(|(key, _)| self.key(source, *key) == "<<");
            merged.map(|(_, from)| *from).collect()
        };
        let mut open = merged(map);
        for _ in 0..MOST {
            let from = open.pop()?;
            if let Some(items) = self.items(from) {
                open.extend(items.iter().rev().take(MOST));
            } else if let Some(value) = self.get(source, from, key) {
                return Some((value, from));
            } else {
                open.extend(merged(from));
            }
        }
        None
    }

    /// The node at a path, with what mappings take over by `<<`, where the path leads through such a one; and that `<<`.
    pub(crate) fn in_force<'p>(
        &self,
        source: &str,
        path: impl Iterator<Item = &'p str>,
    ) -> Option<(NodeId, Option<NodeId>)> {
        let mut here = self.root?;
        let mut by = None;
        for segment in path {
            here = match &self.node(self.resolve(here)).kind {
                Kind::Map { .. } => match self.get(source, here, segment) {
                    Some(own) => own,
                    None => {
                        let (value, from) = self.taken_over(source, here, segment)?;
                        by = by.or(Some(from));
                        value
                    }
                },
                Kind::List { items, .. } => *items.get(segment.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some((here, by))
    }

    /// Follows a path as far as it exists: the node reached and how many segments were used.
    pub(crate) fn walk<'p>(&self, source: &str, path: impl Iterator<Item = &'p str>) -> (Option<NodeId>, usize) {
        let Some(mut here) = self.root else { return (None, 0) };
        let mut used = 0;
        for segment in path {
            let next = match &self.node(self.resolve(here)).kind {
                Kind::Map { .. } => self.get(source, here, segment),
                Kind::List { items, .. } => segment.parse::<usize>().ok().and_then(|i| items.get(i).copied()),
                _ => None,
            };
            match next {
                Some(next) => here = next,
                None => break,
            }
            used += 1;
        }
        (Some(here), used)
    }

    /// The names on the way to the innermost node at a byte offset. A line's trailing blanks and comment belong to the node
    /// on it.
    pub(crate) fn path_at(&self, source: &str, offset: usize) -> Vec<String> {
        let mut path = Vec::new();
        let Some(mut here) = self.root else { return path };
        let line_end = |end: usize| {
            source.as_bytes()[end..]
                .iter()
                .position(|b| *b == b'\n')
                .map_or(source.len(), |n| end + n)
        };
        loop {
            let next = match &self.node(here).kind {
                Kind::List { items, flow } => {
                    let after = items.partition_point(|id| self.item_start(source, *id, *flow) <= offset);
                    after.checked_sub(1).map(|n| (n.to_string(), items[n], *flow))
                }
                Kind::Map { entries, flow } => {
                    let after = entries.partition_point(|(key, _)| self.node(*key).span.start <= offset);
                    after
                        .checked_sub(1)
                        .map(|n| (self.key(source, entries[n].0).to_owned(), entries[n].1, *flow))
                }
                _ => None,
            };
            let Some((name, id, flow)) = next else { break };
            let end = self.node(id).span.end;
            if offset > if flow { end } else { line_end(end) } {
                break;
            }
            path.push(name);
            here = id;
        }
        path
    }

    /// Where an item of a list begins: at its dash in block lists.
    fn item_start(&self, source: &str, id: NodeId, flow: bool) -> usize {
        let start = self.node(id).span.start;
        if flow {
            return start;
        }
        let head = &source.as_bytes()[..start];
        head.iter()
            .rposition(|b| !matches!(b, b' ' | b'\t'))
            .filter(|at| head[*at] == b'-')
            .unwrap_or(start)
    }

    /// True when the text broke the grammar.
    pub(crate) fn broken(&self) -> Option<&Fault> {
        self.faults.iter().find(|f| f.what == FaultKind::Syntax)
    }

    fn report_duplicates(&mut self, source: &str) {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for node in &self.nodes {
            let Kind::Map { entries, .. } = &node.kind else {
                continue;
            };
            if entries.len() < 2 {
                continue;
            }
            if entries.len() <= 12 {
                for (i, (key, _)) in entries.iter().enumerate() {
                    let name = self.key(source, *key);
                    if entries[..i]
                        .iter()
                        .any(|(earlier, _)| self.key(source, *earlier) == name)
                    {
                        found.push((self.node(*key).span.start, name.to_owned()));
                    }
                }
            } else {
                seen.clear();
                for (key, _) in entries {
                    let name = self.key(source, *key);
                    if !seen.insert(name) {
                        found.push((self.node(*key).span.start, name.to_owned()));
                    }
                }
            }
        }
        // A hostile file could hold a million of them; the first hundred say enough.
        found.truncate(100);
        self.faults.extend(found.into_iter().map(|(at, detail)| Fault {
            what: FaultKind::DuplicateKey,
            at,
            detail,
        }));
    }
}
