//! YAML: saphyr-parser's events, with exact byte spans found by walking the source beside them.
//!
//! The parser's own marks count characters and are loose at the edges (a quoted scalar's end includes a following
//! comment, a block scalar's start leaves out its header), so a cursor walks the text in step with the events. It only
//! moves forward: the whole is linear in the length of the text.

mod cursor;

use super::{Fault, FaultKind, Grammar, Index, Kind, Node, NodeId, Style, Text, Tree};
use crate::text::Span;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

/// A collection that is being read.
struct Open {
    id: NodeId,
    flow: bool,
    /// Written with brackets or braces of its own (the mapping in `[a: b]` is not).
    braced: bool,
    /// The key that waits for its value.
    key: Option<NodeId>,
    /// The anchor's number, 0 for none.
    anchor: usize,
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Character index and byte offset of the same place, to turn the parser's marks into bytes.
    chars: (usize, usize),
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Anchor number → node.
    anchors: std::collections::HashMap<usize, NodeId>,
    root: Option<NodeId>,
    tags: Vec<(NodeId, Box<str>)>,
}

pub(super) fn read(text: &str) -> Tree {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        chars: (0, 0),
        nodes: Vec::new(),
        open: Vec::new(),
        anchors: std::collections::HashMap::new(),
        root: None,
        tags: Vec::new(),
    };
    let mut faults = Vec::new();
    let mut ended = false;
    for event in Parser::new_from_str(text) {
        match event {
            Ok((Event::DocumentStart(_), _)) if ended => {
                let at = reader.find_document_start();
                faults.push(Fault {
                    what: FaultKind::SecondDocument,
                    at,
                    detail: String::new(),
                });
                break;
            }
            Ok((Event::DocumentEnd, _)) => ended = true,
            Ok((event, span)) => reader.take(event, span),
            Err(error) => {
                let at = reader.byte_of(error.marker());
                faults.push(Fault {
                    what: FaultKind::Syntax,
                    at,
                    detail: error.info().to_owned(),
                });
                break;
            }
        }
    }
    reader.close_all();
    reader.nodes.shrink_to_fit();
    Tree {
        nodes: reader.nodes,
        root: reader.root,
        faults,
        grammar: Grammar::Yaml,
        tags: reader.tags,
        index: Index::default(),
    }
}

impl<'t> Reader<'t> {
    fn take(&mut self, event: Event<'t>, span: saphyr_parser::Span) {
        match event {
            Event::DocumentStart(true) => {
                self.at = self.find_document_start();
                if self.bytes[self.at..].starts_with(b"---") {
                    self.at += 3;
                }
            }
            Event::Scalar(value, style, anchor, tag) => {
                let empty = value.is_empty() && style == ScalarStyle::Plain;
                self.approach(empty);
                if anchor != 0 || tag.is_some() {
                    if empty {
                        self.trivia();
                    }
                    self.properties();
                    if !empty {
                        self.trivia();
                    }
                }
                let (place, text, style) = self.scalar(&value, style, span.end);
                let id = self.push(Node {
                    span: place,
                    kind: Kind::Scalar { style, text },
                });
                self.tag(id, tag.as_deref());
                self.name(anchor, id);
                self.attach(id);
            }
            Event::SequenceStart(anchor, tag) => self.start(anchor, tag.as_deref(), true, span),
            Event::MappingStart(anchor, tag) => self.start(anchor, tag.as_deref(), false, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                self.approach(false);
                let start = self.at;
                if self.peek() == Some(b'*') {
                    self.at += 1;
                }
                self.word();
                let span = Span { start, end: self.at };
                let kind = match self.anchors.get(&anchor) {
                    Some(&target) => Kind::Alias { target },
                    // An alias inside the node it names: it would never end, so it reads as nothing.
                    None => Kind::Scalar {
                        style: Style::Plain,
                        text: Text::Owned("".into()),
                    },
                };
                let id = self.push(Node { span, kind });
                self.attach(id);
            }
            _ => {}
        }
    }

    fn tag(&mut self, id: NodeId, tag: Option<&Tag>) {
        self.tags.extend(tag.map(|tag| (id, tag.to_string().into_boxed_str())));
    }

    fn start(&mut self, anchor: usize, tag: Option<&Tag>, list: bool, mark: saphyr_parser::Span) {
        self.approach(false);
        let bare_event = anchor == 0 && tag.is_none();
        if !bare_event {
            self.properties();
            self.trivia();
        }
        // The parser's mark of a block collection is empty; that of a flow collection ends behind its brace. (A brace at
        // the cursor proves nothing: `{a: 1}: b` sends two starts, and only the second one owns the brace.)
        let braced = if bare_event {
            !mark.is_empty()
        } else {
            let end = self.byte_of(&mark.end);
            end > 0 && matches!(self.bytes[end - 1], b'[' | b'{')
        };
        let inside_flow = self.open.last().is_some_and(|o| o.flow);
        let braced = braced && self.peek() == Some(if list { b'[' } else { b'{' });
        let flow = braced || inside_flow;
        let start = self.at;
        if braced {
            self.at += 1;
        }
        let kind = if list {
            Kind::List {
                items: Vec::new(),
                flow,
            }
        } else {
            Kind::Map {
                entries: Vec::new(),
                flow,
            }
        };
        let id = self.push(Node {
            span: Span { start, end: self.at },
            kind,
        });
        self.tag(id, tag);
        self.open.push(Open {
            id,
            flow,
            braced,
            key: None,
            anchor,
        });
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.braced {
            loop {
                self.trivia();
                if self.peek() == Some(b',') {
                    self.at += 1;
                } else {
                    break;
                }
            }
            if matches!(self.peek(), Some(b']' | b'}')) {
                self.at += 1;
            }
            self.nodes[open.id as usize].span.end = self.at;
        } else {
            self.seal(open.id);
        }
        // Named only now: an alias inside it to itself must not make a circle.
        self.name(open.anchor, open.id);
        self.attach(open.id);
    }

    /// A block collection ends where its last child ends.
    fn seal(&mut self, id: NodeId) {
        let last = match &self.nodes[id as usize].kind {
            Kind::List { items, .. } => items.last().copied(),
            Kind::Map { entries, .. } => entries.last().map(|(_, value)| *value),
            _ => None,
        };
        if let Some(last) = last {
            let end = self.nodes[last as usize].span.end;
            let span = &mut self.nodes[id as usize].span;
            span.end = end.max(span.start);
        }
    }

    /// After a syntax error: what is open is closed where the last thing was read.
    fn close_all(&mut self) {
        while let Some(open) = self.open.pop() {
            if let Some(key) = open.key {
                let at = self.nodes[key as usize].span.end;
                let text = Text::Owned("".into());
                let kind = Kind::Scalar {
                    style: Style::Plain,
                    text,
                };
                let value = self.push(Node {
                    span: Span { start: at, end: at },
                    kind,
                });
                if let Kind::Map { entries, .. } = &mut self.nodes[open.id as usize].kind {
                    entries.push((key, value));
                }
            }
            self.seal(open.id);
            let end = self.nodes[open.id as usize].span.end;
            self.at = self.at.max(end);
            self.attach(open.id);
        }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    fn name(&mut self, anchor: usize, id: NodeId) {
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn attach(&mut self, id: NodeId) {
        match self.open.last_mut() {
            None => self.root = self.root.or(Some(id)),
            Some(open) => match &mut self.nodes[open.id as usize].kind {
                Kind::List { items, .. } => items.push(id),
                Kind::Map { entries, .. } => match open.key.take() {
                    None => open.key = Some(id),
                    Some(key) => entries.push((key, id)),
                },
                _ => {}
            },
        }
    }

    /// Walks to where the next node begins: over the indicator its parent puts before it. For an empty node the cursor
    /// stays right after that indicator, so that a value can be written there.
    fn approach(&mut self, empty: bool) {
        let before = self.at;
        let Some(open) = self.open.last() else {
            if !empty {
                self.trivia();
            }
            return;
        };
        let (flow, waits) = (open.flow, open.key.is_some());
        let list = matches!(self.nodes[open.id as usize].kind, Kind::List { .. });
        self.trivia();
        if waits {
            if self.peek() == Some(b':') {
                self.at += 1;
            } else {
                // `? key` or `{key}` without a value.
                self.at = before;
            }
        } else if flow {
            while self.peek() == Some(b',') {
                self.at += 1;
                self.trivia();
            }
            if self.peek() == Some(b'?') && self.indicator_ends() {
                self.at += 1;
            }
        } else if list {
            if self.peek() == Some(b'-') && self.indicator_ends() {
                self.at += 1;
            } else {
                self.at = before;
            }
        } else if self.peek() == Some(b'?') && self.indicator_ends() {
            self.at += 1;
        } else if empty && self.peek() != Some(b':') {
            self.at = before;
        }
        if !empty {
            self.trivia();
        }
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, end: Marker) -> (Span, Text, Style) {
        let start = self.at;
        match style {
            ScalarStyle::Plain => {
                if value.is_empty() {
                    let span = Span { start, end: start };
                    return (span, Text::Slice(span), Style::Plain);
                }
                if self.text.as_bytes()[start..].starts_with(value.as_bytes()) {
                    self.at = start + value.len();
                    let span = Span { start, end: self.at };
                    return (span, Text::Slice(span), Style::Plain);
                }
                let end = self.byte_of(&end).max(start);
                self.at = start + self.text.get(start..end).unwrap_or("").trim_end().len();
                let text = Text::Owned(value.into());
                (Span { start, end: self.at }, text, Style::Plain)
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let quote = if style == ScalarStyle::SingleQuoted {
                    b'\''
                } else {
                    b'"'
                };
                if self.peek() == Some(quote) {
                    self.at += 1;
                }
                self.end_of_quoted(quote);
                let span = Span { start, end: self.at };
                let inner = Span {
                    start: start + 1,
                    end: self.at.saturating_sub(1).max(start + 1),
                };
                let text = if self.text.get(inner.start..inner.end) == Some(value) {
                    Text::Slice(inner)
                } else {
                    Text::Owned(value.into())
                };
                (span, text, if quote == b'"' { Style::Double } else { Style::Single })
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let end = self.byte_of(&end).max(start);
                self.at = self.end_of_block(start, end);
                let style = if style == ScalarStyle::Literal {
                    Style::Literal
                } else {
                    Style::Folded
                };
                (Span { start, end: self.at }, Text::Owned(value.into()), style)
            }
        }
    }
}
