//! From a change of the model to the smallest change of the text.
//!
//! Every candidate is proved before it is handed out: the changed text is read again and must hold the old values with
//! exactly the wanted change. A candidate that fails the proof is dropped; when none is left, nothing is written.

mod batch;
mod body;
mod compose;
mod copied;
mod entry;
mod gate;
mod insert;
mod order;
mod remove;
mod replace;
mod sheet;
pub(crate) mod write;

use crate::said::called;
pub(crate) use crate::text::trimmed;
use crate::text::{Lines, Span, TextEdit, apply};
use crate::tree::{Budget, Kind, NodeId, Tree};
pub(crate) use batch::{Change, proved, tree_changes};
pub(crate) use compose::{Habit, Writer, entry_lines};
pub(crate) use copied::{Copied, Pasted, Put, name_of_copy, parts_of};
pub(crate) use entry::Source;
pub(crate) use gate::{AFTER, GATE_FIELDS, Unsaid, gate_changes, leads_back, no_way_back};
pub(crate) use insert::SPEC_ORDER;
use model::{Edit, StepId};
use serde_json::Value;
pub(crate) use sheet::Sheet;

/// Why an edit could not be made. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file breaks its own syntax, so that no change can be proved to be the only one.
    #[error("the file has a syntax error in line {line}, column {column}; mend it in the source first")]
    Broken {
        /// 1-based.
        line: usize,
        /// 1-based, in characters.
        column: usize,
    },
    /// There is nothing at the place, or what is there cannot hold the field.
    #[error("there is no {path} in this file")]
    Missing {
        /// The place as a person knows it, `“Waits for” of “Build”`; until a document has said so the keys to it, with dots between.
        path: String,
    },
    /// No line leads from one step to another.
    #[error("no line leads from {from} to {to}")]
    NoLine {
        /// The step that it would leave, as a person knows it.
        from: String,
        /// The step that it would lead to.
        to: String,
    },
    /// The place is a shared part of the file (`*alias`): a change here would change other steps too.
    #[error("{path} is shared with other parts of the file (an alias); change it in the source")]
    Shared {
        /// The place.
        path: String,
    },
    /// What should be written cannot be read as what it should be.
    #[error("{path} cannot hold this value: {why}")]
    NotUnderstood {
        /// The place.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The text is several files put together.
    #[error("several flows stand in this text; change each one in its own file")]
    Several,
    /// What is to be changed stands in another file than the workflow's own.
    #[error("the steps of this workflow stand in its file of instructions; change them there")]
    Elsewhere,
    /// The format has nothing like it.
    #[error("{why}")]
    Unfit {
        /// Why not, as a sentence without a final stop.
        why: String,
    },
    /// Something else would lead nowhere, or everywhere.
    #[error("{why}")]
    Unsound {
        /// What, as a sentence without a final stop.
        why: String,
    },
    /// No step has this id.
    #[error("there is no step `{step}` in this file")]
    NoStep {
        /// The id.
        step: String,
    },
    /// No way of writing the change leaves everything else as it is.
    #[error("this change to {path} cannot be written without changing something else; change it in the source")]
    NotExact {
        /// The place.
        path: String,
    },
}

impl EditError {
    /// The format has nothing like it.
    pub(crate) fn unfit(why: impl Into<String>) -> Self {
        Self::Unfit { why: why.into() }
    }

    /// No step has this id.
    pub(crate) fn no_step(id: &StepId) -> Self {
        Self::NoStep { step: id.to_string() }
    }

    /// A text that was pasted as one step holds several; `what`: what one is called.
    pub(crate) fn several_pasted(many: usize, what: &str) -> Self {
        Self::unfit(format!("what was pasted is {many} {what}s; paste them one by one"))
    }

    /// Something else would lead nowhere.
    pub(crate) fn unsound(why: impl Into<String>) -> Self {
        Self::Unsound { why: why.into() }
    }

    /// No line leads from one step to another.
    pub(crate) fn no_line(from: &StepId, to: &StepId) -> Self {
        Self::NoLine {
            from: called(from),
            to: called(to),
        }
    }

    /// The same in words that a person knows. `words`: of a sentence with marks, `place`: of the keys to a place.
    pub(crate) fn said_as(mut self, words: impl Fn(&str) -> String, place: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::Missing { path }
            | Self::Shared { path }
            | Self::NotUnderstood { path, .. }
            | Self::NotExact { path } => *path = place(path),
            Self::NoLine { from, to } => {
                *from = words(from);
                *to = words(to);
            }
            _ => {}
        }
        if let Self::NotUnderstood { why, .. } | Self::Unfit { why } | Self::Unsound { why } = &mut self {
            *why = words(why);
        }
        self
    }

    /// For programs: clients branch on it, never on the sentence.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Broken { .. } => "broken",
            Self::Missing { .. } | Self::NoLine { .. } => "missing",
            Self::Shared { .. } => "shared",
            Self::NotUnderstood { .. } => "not_understood",
            Self::Several => "several",
            Self::Elsewhere => "elsewhere",
            Self::Unfit { .. } => "unfit",
            Self::Unsound { .. } => "unsound",
            Self::NoStep { .. } => "no_step",
            Self::NotExact { .. } => "not_exact",
        }
    }
}

/// Why a tree cannot be changed.
pub(crate) enum TreeError {
    /// It breaks off at this byte.
    Broken(usize),
    Other(EditError),
}

impl From<EditError> for TreeError {
    fn from(error: EditError) -> Self {
        Self::Other(error)
    }
}

impl TreeError {
    /// The format has nothing like it.
    pub(crate) fn unfit(why: impl Into<String>) -> Self {
        EditError::unfit(why).into()
    }

    /// The steps of the format stand on one level.
    pub(crate) fn flat() -> Self {
        Self::unfit("steps of this kind of workflow hold no others")
    }

    /// Something else would lead nowhere.
    pub(crate) fn unsound(why: impl Into<String>) -> Self {
        EditError::unsound(why).into()
    }

    /// The error of a text in which the tree's own begins at a byte.
    pub(crate) fn at(self, text: &str, offset: usize) -> EditError {
        match self {
            Self::Broken(at) => {
                let at = Lines::of(text).position(text, offset + at);
                EditError::Broken {
                    line: at.line,
                    column: at.column,
                }
            }
            Self::Other(error) => error,
        }
    }
}

/// The edits of a YAML or JSON text that change one value. `path`: the place's keys, from the root of the text.
pub(crate) fn tree_edit(
    name: &str,
    text: &str,
    tree: &Tree,
    path: &[String],
    edit: &Edit,
) -> Result<Vec<TextEdit>, TreeError> {
    let shown = path.join(".");
    if let Some(fault) = tree.broken() {
        return Err(TreeError::Broken(fault.at));
    }
    if let Edit::Move { to, .. } = edit {
        return order::moved(name, text, tree, path, *to);
    }
    let page = Page { text, tree, path };
    let chain = page.chain()?;
    let before = page.root_value().ok_or(EditError::Missing { path: shown.clone() })?;
    // What is taken over by `<<` is written here as a whole, with what changes in it.
    if let Some(around) = page.taken_over(&chain) {
        let Edit::Set { place, value } = edit else {
            return Err(EditError::Shared { path: shown }.into());
        };
        if let inner @ [_, ..] = &path[around.len()..] {
            let now = value_at(&before, around).cloned().unwrap_or_default();
            let whole = with(&now, inner, value).or_else(|| {
                // One number alone becomes the block that has room for it.
                now.is_number().then(|| with(&Value::Null, inner, value)).flatten()
            });
            let edit = Edit::Set {
                place: place.clone(),
                value: whole.ok_or(EditError::Missing { path: shown })?,
            };
            return tree_edit(name, text, tree, around, &edit);
        }
    }
    let (candidates, after) = match edit {
        Edit::Set { value, .. } => {
            if value_at(&before, path) == Some(value) && chain.len() == path.len() + 1 {
                return Ok(Vec::new());
            }
            let after = with(&before, path, value).ok_or(EditError::Missing { path: shown.clone() })?;
            let candidates = if chain.len() == path.len() + 1 {
                page.replace(&chain, value)
            } else {
                page.insert(&chain, value)
            };
            (candidates, after)
        }
        Edit::Rename { to, .. } => {
            if chain.len() != path.len() + 1 {
                return Err(EditError::Missing { path: shown }.into());
            }
            let after = renamed(&before, path, to).ok_or(EditError::Missing { path: shown.clone() })?;
            (page.rename(&chain, to), after)
        }
        Edit::Remove { .. } | Edit::Move { .. } => {
            if chain.len() != path.len() + 1 || path.is_empty() {
                return Err(EditError::Missing { path: shown }.into());
            }
            let after = without(&before, path).ok_or(EditError::Missing { path: shown.clone() })?;
            (page.remove(&chain), after)
        }
    };
    let faults = tree.faults.len();
    candidates
        .into_iter()
        .map(|edit| vec![trimmed(text, edit)])
        .find(|edits| {
            let text = apply(text, edits);
            let tree = Tree::read(name, &text);
            let page = Page {
                text: &text,
                tree: &tree,
                path,
            };
            tree.faults.len() <= faults && tree.broken().is_none() && page.root_value().as_ref() == Some(&after)
        })
        .ok_or_else(|| EditError::NotExact { path: shown }.into())
}

/// A text with its tree and the path of the wanted change.
pub(super) struct Page<'a> {
    pub(super) text: &'a str,
    pub(super) tree: &'a Tree,
    pub(super) path: &'a [String],
}

impl Page<'_> {
    /// The nodes on the path, root first, as far as they exist. Fails where the path leads through an alias.
    fn chain(&self) -> Result<Vec<NodeId>, EditError> {
        let root = self.tree.root.ok_or(EditError::Missing {
            path: self.path.join("."),
        })?;
        let mut chain = vec![root];
        let mut here = root;
        for segment in self.path {
            if matches!(self.tree.node(here).kind, Kind::Alias { .. }) {
                return Err(EditError::Shared {
                    path: self.path.join("."),
                });
            }
            let next = match &self.tree.node(here).kind {
                Kind::Map { .. } => self.tree.get(self.text, here, segment),
                Kind::List { items, .. } => segment.parse::<usize>().ok().and_then(|n| items.get(n).copied()),
                _ => None,
            };
            let Some(next) = next else { break };
            chain.push(next);
            here = next;
        }
        Ok(chain)
    }

    /// The keys to what is taken over by `<<` on the path. `chain`: the nodes on the path, as far as they exist.
    fn taken_over(&self, chain: &[NodeId]) -> Option<&[String]> {
        let key = self.path.get(chain.len().checked_sub(1)?)?;
        self.tree.taken_over(self.text, *chain.last()?, key)?;
        Some(&self.path[..chain.len()])
    }

    /// The whole file as a value; `None` when aliases blow it up past what can be compared.
    fn root_value(&self) -> Option<Value> {
        let mut budget = Budget::of(self.tree);
        let value = self.tree.value(self.text, self.tree.root?, &mut budget);
        (!budget.spent).then_some(value)
    }

    /// Whether a new short list stands in brackets: so it does in pipelines, unless their other lists do not.
    pub(super) fn brackets(&self) -> bool {
        /// So many stages show what is usual.
        const ENOUGH: usize = 50;
        if self.path.first().is_none_or(|first| first != "stages") {
            return false;
        }
        let stages = self.tree.root.and_then(|root| self.tree.get(self.text, root, "stages"));
        let stages = stages.and_then(|id| self.tree.items(id)).unwrap_or(&[]);
        let fields = stages
            .iter()
            .take(ENOUGH)
            .flat_map(|id| self.tree.entries(*id).unwrap_or(&[]));
        let mut lists = fields.filter_map(|(_, value)| match &self.tree.node(*value).kind {
            Kind::List { flow, items } if !items.is_empty() => Some(*flow),
            _ => None,
        });
        let first = lists.next();
        first.is_none_or(|first| first || lists.any(|flow| flow))
    }

    pub(super) fn span(&self, id: NodeId) -> Span {
        self.tree.node(id).span
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    pub(super) fn is_flow(&self, id: NodeId) -> bool {
        matches!(
            self.tree.node(id).kind,
            Kind::List { flow: true, .. } | Kind::Map { flow: true, .. }
        )
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind(['\n', '\r']).map_or(0, |n| n + 1)
    }

    /// The end of the line, before its line end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find(['\n', '\r']).map_or(self.text.len(), |n| at + n)
    }

    /// The line end in use at a place: that of the line itself, of the last line the one before it.
    pub(super) fn newline(&self, at: usize) -> &'static str {
        let of = |end: usize| match &self.text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => Some("\r\n"),
            [b'\n', ..] => Some("\n"),
            [b'\r', ..] => Some("\r"),
            _ => None,
        };
        let first = self.text.find(['\n', '\r']).and_then(of);
        of(self.line_end(at)).or(first).unwrap_or("\n")
    }

    /// White space as wide as what stands before a place on its line: the indentation of a key behind `- `.
    pub(super) fn indent_of(&self, at: usize) -> String {
        let before = self.text[self.line_start(at)..at].trim_start_matches('\u{feff}');
        before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
    }

    /// Where the dash of an item of a block list stands; `None` where it cannot be told for sure.
    pub(super) fn dash(&self, item: NodeId) -> Option<usize> {
        let span = self.span(item);
        let head = &self.text.as_bytes()[..span.start];
        if span.start == span.end {
            return head.iter().rposition(|b| *b == b'-');
        }
        // Behind the dash may stand an anchor or a tag, but no second dash.
        let line = self.line_start(span.start);
        let before = &self.text[line..span.start];
        let blank = before.len() - before.trim_start_matches([' ', '\t']).len();
        if before[blank..].starts_with('-') && !before[blank + 1..].trim_start().starts_with('-') {
            return Some(line + blank);
        }
        head.iter()
            .rposition(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
            .filter(|n| head[*n] == b'-')
    }

    /// The place right behind the colon of a map entry or the dash of a list item: where its value is written.
    pub(super) fn behind_indicator(&self, parent: NodeId, child: NodeId) -> Option<usize> {
        match &self.tree.node(parent).kind {
            Kind::Map { entries, .. } => {
                let (key, _) = entries.iter().rev().find(|(_, value)| *value == child)?;
                let end = self.span(*key).end;
                let colon = self.text[end..].find(':')?;
                self.text[end..end + colon].trim().is_empty().then_some(end + colon + 1)
            }
            Kind::List { .. } => self.dash(child).map(|at| at + 1),
            _ => None,
        }
    }
}

fn value_at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |here, segment| match here {
        Value::Object(map) => map.get(segment),
        Value::Array(list) => list.get(segment.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The value with one place set; parents that are absent or null become mappings.
fn with(value: &Value, path: &[String], new: &Value) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else {
        return Some(new.clone());
    };
    match value {
        Value::Object(map) => {
            let inner = with(map.get(first).unwrap_or(&Value::Null), rest, new)?;
            let mut map = map.clone();
            map.insert(first.clone(), inner);
            Some(Value::Object(map))
        }
        Value::Array(list) => {
            let at = first.parse::<usize>().ok().filter(|n| *n <= list.len())?;
            let inner = with(list.get(at).unwrap_or(&Value::Null), rest, new)?;
            let mut list = list.clone();
            if at == list.len() {
                list.push(inner);
            } else {
                list[at] = inner;
            }
            Some(Value::Array(list))
        }
        Value::Null => {
            let inner = with(&Value::Null, rest, new)?;
            Some(Value::Object(std::iter::once((first.clone(), inner)).collect()))
        }
        _ => None,
    }
}

/// The value with one field under another name; `None` where that name is taken.
fn renamed(value: &Value, path: &[String], to: &str) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    match value {
        Value::Object(map) if rest.is_empty() => {
            if !map.contains_key(first) || map.contains_key(to) {
                return None;
            }
            let name = |key: &String| if key == first { to.to_owned() } else { key.clone() };
            Some(Value::Object(
                map.iter().map(|(key, value)| (name(key), value.clone())).collect(),
            ))
        }
        Value::Object(map) => {
            let mut map = map.clone();
            let inner = renamed(map.get(first)?, rest, to)?;
            map.insert(first.clone(), inner);
            Some(Value::Object(map))
        }
        Value::Array(list) => {
            let at = first.parse::<usize>().ok().filter(|n| *n < list.len())?;
            let mut list = list.clone();
            list[at] = renamed(&list[at], rest, to)?;
            Some(Value::Array(list))
        }
        _ => None,
    }
}

fn without(value: &Value, path: &[String]) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    match value {
        Value::Object(map) => {
            let mut map = map.clone();
            if rest.is_empty() {
                map.shift_remove(first)?;
            } else {
                let inner = without(map.get(first)?, rest)?;
                map.insert(first.clone(), inner);
            }
            Some(Value::Object(map))
        }
        Value::Array(list) => {
            let at = first.parse::<usize>().ok().filter(|n| *n < list.len())?;
            let mut list = list.clone();
            if rest.is_empty() {
                list.remove(at);
            } else {
                list[at] = without(&list[at], rest)?;
            }
            Some(Value::Array(list))
        }
        _ => None,
    }
}

/// The texts of a value that stands for a list of texts: a list, one text, or nothing.
pub(crate) fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::String(_) => Some(text(value).into_iter().collect()),
        Value::Null => Some(Vec::new()),
        _ => None,
    }
}
