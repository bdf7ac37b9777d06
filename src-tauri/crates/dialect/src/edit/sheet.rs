//! One text under several changes, one after the other, each proved on what those before it have left.

use super::compose::{Habit, entry_lines};
use super::{Change, EditError, Source, TreeError, tree_changes, tree_edit};
use crate::text::{Span, TextEdit, apply, compose};
use crate::tree::{Budget, FaultKind, NodeId, Tree};
use model::{Edit, Place};
use serde_json::{Map, Value};

/// A text that grows by changes.
pub(crate) struct Sheet<'a> {
    name: &'a str,
    base: &'a str,
    text: String,
    tree: Tree,
    edits: Vec<TextEdit>,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(name: &'a str, base: &'a str) -> Self {
        Self {
            name,
            base,
            text: base.to_owned(),
            tree: Tree::read(name, base),
            edits: Vec::new(),
        }
    }

    fn took(&mut self, edits: Vec<TextEdit>) {
        if edits.is_empty() {
            return;
        }
        self.text = apply(&self.text, &edits);
        self.edits = compose(self.base, &self.edits, &edits);
        self.tree = Tree::read(self.name, &self.text);
    }

    /// All of it as a value.
    pub(crate) fn root(&self) -> Value {
        let root = self.tree.root;
        root.map_or(Value::Null, |root| {
            self.tree.value(&self.text, root, &mut Budget::of(&self.tree))
        })
    }

    /// The text as it is by now.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Several changes that do not lie in each other: values first, then what goes, from the end of each list.
    pub(crate) fn change(&mut self, changes: &[Change]) -> Result<(), TreeError> {
        if changes.is_empty() {
            return Ok(());
        }
        match tree_changes(self.name, &self.text, &self.tree, changes) {
            Ok(edits) => self.took(edits),
            // Neighbours may share what divides them, so that they only go one after the other.
            Err(TreeError::Other(EditError::NotExact { .. })) if changes.len() > 1 => {
                for change in changes {
                    self.change(std::slice::from_ref(change))?;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes entries out, and what they leave empty with them: a mapping or a list goes with the last of its entries, up to what
    /// stands at the top. What would leave nothing at all leaves `{}`.
    pub(crate) fn take_out(&mut self, mut paths: Vec<Vec<String>>) -> Result<(), TreeError> {
        let root = self.root();
        let emptied = |paths: &[Vec<String>]| {
            let mut around = paths.iter().filter_map(|path| Some(path.split_last()?.1.to_vec()));
            around.find(|around| {
                let inside = |path: &&Vec<String>| path.len() == around.len() + 1 && path.starts_with(around);
                paths.iter().filter(inside).count() == entries(&root, around)
            })
        };
        while let Some(around) = emptied(&paths) {
            paths.retain(|path| !path.starts_with(&around));
            paths.push(around);
        }
        if paths.iter().any(Vec::is_empty) {
            let end = self.text.len();
            let all = TextEdit {
                span: Span { start: 0, end },
                replacement: format!("{{}}{}", if self.text.ends_with('\n') { "\n" } else { "" }),
            };
            self.took(vec![all]);
            return Ok(());
        }
        let mut changes: Vec<Change> = paths.into_iter().map(|path| Change { path, value: None }).collect();
        changes.sort_by(|a, b| b.position().cmp(&a.position()));
        self.change(&changes)
    }

    /// Whether nothing stands in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.root().as_object().is_some_and(Map::is_empty)
    }

    /// A new entry of the list `key` at the top, at a position.
    pub(crate) fn insert(&mut self, key: &str, index: usize, value: &Map<String, Value>) -> Result<(), TreeError> {
        let habit = Habit::of(&self.text, &self.tree, key);
        let lines = entry_lines(value, habit);
        self.insert_lines(key, index, value, &lines)
    }

    /// The same as lines of YAML, the first one with its dash, the others two blanks deeper.
    pub(crate) fn insert_lines(
        &mut self,
        key: &str,
        index: usize,
        value: &Map<String, Value>,
        lines: &[String],
    ) -> Result<(), TreeError> {
        let root = self
            .tree
            .root
            .ok_or_else(|| EditError::Missing { path: key.to_owned() })?;
        let list = self.tree.get(&self.text, root, key);
        let count = list.and_then(|list| self.tree.items(list)).map_or(0, <[_]>::len);
        let source = Source {
            name: self.name,
            text: &self.text,
            tree: &self.tree,
        };
        let edits = source.append(key, &Value::Object(value.clone()), lines)?;
        self.took(edits);
        if index < count {
            let place = Place::document();
            let path = [key.to_owned(), count.to_string()];
            let edit = Edit::Move { place, to: index };
            let edits = tree_edit(self.name, &self.text, &self.tree, &path, &edit)?;
            self.took(edits);
        }
        Ok(())
    }

    /// The list `key` at the top.
    pub(crate) fn list(&self, key: &str) -> Option<NodeId> {
        self.tree.get(&self.text, self.tree.root?, key)
    }

    /// The lines of an entry of the list `key` at the top as they are, the first one with its dash; `None` where it has none of its own.
    pub(crate) fn lines_of(&self, key: &str, index: usize) -> Option<Vec<String>> {
        self.item_lines(*self.tree.items(self.list(key)?)?.get(index)?)
    }

    fn item_lines(&self, item: NodeId) -> Option<Vec<String>> {
        let span = self.tree.node(item).span;
        let start = self.text[..span.start].rfind(['\n', '\r']).map_or(0, |n| n + 1);
        let indent = self.text[start..span.start].strip_suffix("- ")?;
        if !indent.trim_matches(' ').is_empty() || self.text[span.start..].starts_with(['{', '[', '&', '*']) {
            return None;
        }
        let end = self.text[span.end..]
            .find(['\n', '\r'])
            .map_or(self.text.len(), |n| span.end + n);
        let own = self.text[start..end].trim_end_matches(['\n', '\r']);
        own.lines()
            .map(|line| match line.strip_prefix(indent) {
                Some(rest) => Some(rest.to_owned()),
                None => line.trim().is_empty().then(String::new),
            })
            .collect()
    }

    /// The text of an entry of a list as it would stand by itself.
    pub(crate) fn item_text(&self, list: NodeId, index: usize) -> Option<String> {
        let item = *self.tree.items(list)?.get(index)?;
        if let Some(lines) = self.item_lines(item) {
            return Some(lines.join("\n") + "\n");
        }
        let span = self.tree.node(item).span;
        let dash = if self.text[..span.start].ends_with("- ") {
            "- "
        } else {
            ""
        };
        Some(format!("{dash}{}\n", &self.text[span.start..span.end]))
    }

    pub(crate) fn finish(self) -> Vec<TextEdit> {
        self.edits
    }

    /// The fields of one entry that was copied out of a list; `what` is what an entry is called: `step`.
    ///
    /// # Errors
    /// It is none, or there are several.
    pub(crate) fn pasted(text: &str, what: &str) -> Result<Map<String, Value>, TreeError> {
        let item = match parts_of(text).as_slice() {
            [] => Value::Null,
            [one] => Sheet::new(PASTED, one).root(),
            several => return Err(EditError::several_pasted(several.len(), what).into()),
        };
        let item = match item {
            Value::Array(items) => items.into_iter().next().unwrap_or(Value::Null),
            other => other,
        };
        match item {
            Value::Object(map) => Ok(map),
            _ => Err(TreeError::unfit(format!("what was pasted is no {what}"))),
        }
    }
}

/// The name under which a text that was pasted is read.
const PASTED: &str = "pasted.yaml";

/// The entries in a text that was copied out of a list, each as it would stand by itself: a list of them, or one or several of JSON
/// one behind the other, with or without commas.
pub(crate) fn parts_of(text: &str) -> Vec<String> {
    let sheet = Sheet::new(PASTED, text);
    let Some(root) = sheet.tree.root.filter(|_| sheet.tree.broken().is_none()) else {
        return json_parts(text);
    };
    if let Some(items) = sheet.tree.items(root) {
        let is_an_entry = items.iter().any(|item| sheet.tree.entries(*item).is_some());
        let all = (0..items.len()).filter(|_| is_an_entry);
        return all.filter_map(|n| sheet.item_text(root, n)).collect();
    }
    match sheet
        .tree
        .faults
        .iter()
        .any(|fault| fault.what == FaultKind::SecondDocument)
    {
        false if sheet.tree.entries(root).is_some() => vec![format!("{}\n", text.trim_end())],
        _ => json_parts(text),
    }
}

/// Objects of JSON one behind the other.
fn json_parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while rest.starts_with('{') {
        let mut found = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        let Some(Ok(_)) = found.next() else { return Vec::new() };
        let (own, behind) = rest.split_at(found.byte_offset());
        parts.push(format!("{own}\n"));
        rest = behind.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    }
    match rest {
        "" => parts,
        _ => Vec::new(),
    }
}

/// How many entries a mapping or a list has.
fn entries(root: &Value, path: &[String]) -> usize {
    let found = path.iter().try_fold(root, |here, key| match here {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    });
    match found {
        Some(Value::Object(map)) => map.len(),
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    }
}
