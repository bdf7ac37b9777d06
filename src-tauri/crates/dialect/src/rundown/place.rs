//! What a symbolic place stands for in a runbook, and back.
//!
//! Of a step: `heading`, `id`, `title`, `prompt`, `command`, `transitions`, `transitions.<i>`, `transitions.<i>.target`,
//! `files`, `files.<i>`, and `@<from>-<to>` for bytes that have no other name (where a problem is). Of the document:
//! `title`, `description`, and the fields of the front matter by their own names.

use super::Runbook;
use super::build::{prompt, slice, with_plain_ends};
use super::unit::Unit;
use crate::text::Span;
use crate::tree::{Budget, NodeId};
use model::Place;
use serde_json::{Map, Value};

/// A place that stands for bytes.
pub(super) fn raw(place: Place, span: Span) -> Place {
    place.field(format!("@{}-{}", span.start, span.end))
}

/// The bytes of a raw place, cut to the text.
pub(super) fn raw_span(text: &str, place: &Place) -> Option<Span> {
    let [only] = place.path.as_slice() else { return None };
    let (from, to) = only.strip_prefix('@')?.split_once('-')?;
    let (start, end): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
    let fits = start <= end && text.is_char_boundary(start) && text.is_char_boundary(end);
    fits.then_some(Span { start, end })
}

/// A named field of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Step,
    Heading,
    Id,
    Title,
    Prompt,
    Command,
    Transitions,
    Transition(usize),
    Target(usize),
    Files,
    File(usize),
}

impl Field {
    pub(super) fn of(path: &[String]) -> Option<Self> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        Some(match path.as_slice() {
            [] => Self::Step,
            ["heading"] => Self::Heading,
            ["id"] => Self::Id,
            ["title"] => Self::Title,
            ["prompt"] => Self::Prompt,
            ["command"] => Self::Command,
            ["transitions"] => Self::Transitions,
            ["transitions", n] => Self::Transition(n.parse().ok()?),
            ["transitions", n, "target"] => Self::Target(n.parse().ok()?),
            ["files"] => Self::Files,
            ["files", n] => Self::File(n.parse().ok()?),
            _ => return None,
        })
    }

    /// A value as the field can hold it: what stands around a text in the file is not part of it.
    pub(super) fn normal(self, value: &str) -> String {
        let value = with_plain_ends(value);
        match self {
            Self::Command => value,
            Self::Prompt => value.trim_matches([' ', '\t', '\n']).to_owned(),
            _ => value.trim().to_owned(),
        }
    }
}

/// From the first to the last of several spans.
fn over(spans: impl IntoIterator<Item = Span>) -> Option<Span> {
    spans.into_iter().reduce(|a, b| Span {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    })
}

impl Unit {
    /// The bytes of a field; `None` where the step has none.
    pub(super) fn span_of(&self, field: Field) -> Option<Span> {
        match field {
            Field::Step => Some(Span {
                start: self.heading.span.start,
                end: self.end,
            }),
            Field::Heading => Some(self.heading.span),
            Field::Id => Some(self.heading.id_span),
            Field::Title => Some(self.heading.title_span).filter(|span| span.start < span.end),
            Field::Prompt => over(self.shown()),
            Field::Command => self.command().map(|fence| fence.body),
            Field::Transitions => over(self.transitions.iter().map(|read| read.span)),
            Field::Transition(n) => self.transitions.get(n).map(|read| read.span),
            Field::Target(n) => self.transitions.get(n)?.target,
            Field::Files => over(self.files.iter().map(|(span, _)| *span)),
            Field::File(n) => self.files.get(n).map(|(span, _)| *span),
        }
    }

    /// The value of a field; `None` where the step has none.
    pub(super) fn value_of(&self, text: &str, field: Field) -> Option<Value> {
        let written = |span: Span| Value::from(slice(text, span));
        match field {
            Field::Step => Some(self.value(text)),
            Field::Prompt => Some(prompt(text, self)).filter(|p| !p.is_empty()).map(Value::from),
            Field::Command => self.command().map(|fence| fence.code.as_str().into()),
            Field::Transitions => Some(self.transitions.iter().map(|read| written(read.span)).collect()),
            Field::Files => Some(self.files.iter().map(|(_, file)| Value::from(file.as_str())).collect()),
            Field::File(n) => self.files.get(n).map(|(_, file)| file.as_str().into()),
            other => self.span_of(other).map(written),
        }
    }

    fn value(&self, text: &str) -> Value {
        let mut map = Map::new();
        let fields = [
            ("id", Field::Id),
            ("title", Field::Title),
            ("prompt", Field::Prompt),
            ("command", Field::Command),
            ("files", Field::Files),
            ("transitions", Field::Transitions),
        ];
        for (name, field) in fields {
            let value = self.value_of(text, field);
            if let Some(value) = value.filter(|v| v.as_array().is_none_or(|list| !list.is_empty())) {
                map.insert(name.to_owned(), value);
            }
        }
        Value::Object(map)
    }
}

impl Runbook {
    /// The bytes of a place, of its nearest ancestor where the place itself does not exist.
    pub(super) fn span_at(&self, text: &str, place: &Place) -> Option<Span> {
        if let Some(span) = raw_span(text, place) {
            return Some(span);
        }
        if text.is_empty() {
            return None;
        }
        let whole = Span {
            start: 0,
            end: text.len(),
        };
        let Some(step) = place.step else {
            return Some(self.document_span(text, &place.path).unwrap_or(whole));
        };
        let Some(unit) = self.units.get(step) else {
            return Some(whole);
        };
        let exact = Field::of(&place.path).and_then(|field| unit.span_of(field));
        // A problem of a field that is not there is shown at the heading, not over the whole step.
        exact.or_else(|| unit.span_of(Field::Heading))
    }

    /// The bytes of a value; `None` when it is absent.
    pub(super) fn value_span_at(&self, text: &str, place: &Place) -> Option<Span> {
        match place.step {
            Some(step) => self.units.get(step)?.span_of(Field::of(&place.path)?),
            None => match self.front_node(text, &place.path) {
                Some((front, id)) => Some(shifted(front.tree.node(id).span, front.inner.start)),
                None => self.preamble_span(&place.path),
            },
        }
    }

    /// The value at a place.
    pub(super) fn value_at(&self, text: &str, place: &Place) -> Option<Value> {
        let Some(step) = place.step else {
            if let Some((front, id)) = self.front_node(text, &place.path) {
                return Some(front.tree.value(front.source(text), id, &mut Budget::of(&front.tree)));
            }
            return self.preamble_span(&place.path).map(|span| slice(text, span).into());
        };
        self.units.get(step)?.value_of(text, Field::of(&place.path)?)
    }

    /// A node of the front matter.
    fn front_node(&self, text: &str, path: &[String]) -> Option<(&super::Front, NodeId)> {
        let front = self.front.as_ref()?;
        let (found, used) = front.tree.walk(front.source(text), path.iter().map(String::as_str));
        Some((front, found.filter(|_| used == path.len())?))
    }

    /// The title and the text below it, where the front matter has no field of that name.
    pub(super) fn preamble_span(&self, path: &[String]) -> Option<Span> {
        match path {
            [only] if only == "title" => self.preamble.title.as_ref().map(|(_, content, _)| *content),
            [only] if only == "description" => self.preamble.description,
            _ => None,
        }
    }

    fn document_span(&self, text: &str, path: &[String]) -> Option<Span> {
        if path.is_empty() {
            return None;
        }
        if let Some(span) = self
            .preamble_span(path)
            .filter(|_| self.front_node(text, path).is_none())
        {
            return Some(span);
        }
        let front = self.front.as_ref()?;
        let source = front.source(text);
        let (mut here, used) = front.tree.walk(source, path.iter().map(String::as_str));
        let Some((name, parents)) = path[..used].split_last() else {
            return Some(front.span);
        };
        let parent = front.tree.walk(source, parents.iter().map(String::as_str)).0;
        let key = parent
            .and_then(|parent| front.tree.entry(source, parent, name))
            .map(|(key, _)| key);
        let value = here.take().map(|id| front.tree.node(id).span);
        let span = over(key.map(|key| front.tree.node(key).span).into_iter().chain(value))?;
        Some(shifted(span, front.inner.start))
    }

    /// The innermost step or field at a byte offset.
    pub(super) fn place_of(&self, text: &str, offset: usize) -> Place {
        if let Some(front) = self.front.as_ref().filter(|front| offset < front.inner.end) {
            let inside = offset.saturating_sub(front.inner.start);
            let path = front.tree.path_at(front.source(text), inside);
            return Place { step: None, path };
        }
        let after = self.units.partition_point(|unit| unit.heading.span.start <= offset);
        let Some(ordinal) = after.checked_sub(1) else {
            return self.preamble_place(offset);
        };
        let unit = &self.units[ordinal];
        let place = Place::step(ordinal);
        let on = |span: Span| span.start <= offset && offset <= span.end;
        if on(unit.heading.title_span) && unit.heading.title_span.start < unit.heading.title_span.end {
            return place.field("title");
        }
        if on(unit.heading.span) {
            return place.field("heading");
        }
        for (n, read) in unit.transitions.iter().enumerate() {
            if on(read.span) {
                let place = place.field("transitions").field(n.to_string());
                return if read.target.is_some_and(on) {
                    place.field("target")
                } else {
                    place
                };
            }
        }
        if let Some(n) = unit.files.iter().position(|(span, _)| on(*span)) {
            return place.field("files").field(n.to_string());
        }
        if unit.command().is_some_and(|fence| on(fence.span)) {
            return place.field("command");
        }
        if unit.shown().into_iter().any(on) {
            return place.field("prompt");
        }
        place
    }

    fn preamble_place(&self, offset: usize) -> Place {
        let on = |span: Span| span.start <= offset && offset <= span.end;
        if self.preamble.title.as_ref().is_some_and(|(span, ..)| on(*span)) {
            return Place::document().field("title");
        }
        if self.preamble.description.is_some_and(on) {
            return Place::document().field("description");
        }
        Place::document()
    }
}

pub(super) fn shifted(span: Span, by: usize) -> Span {
    Span {
        start: span.start + by,
        end: span.end + by,
    }
}
