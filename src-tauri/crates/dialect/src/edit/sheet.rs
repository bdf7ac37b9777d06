//! One text under several changes, one after the other, each proved on what those before it have left.

use super::compose::{Habit, entry_lines};
use super::{Change, EditError, Source, TreeError, tree_changes, tree_edit};
use crate::text::{TextEdit, apply, compose};
use crate::tree::{Budget, Tree};
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

    /// One change of what stands at keys from the root.
    pub(crate) fn edit(&mut self, keys: &[String], edit: &Edit) -> Result<(), TreeError> {
        let edits = tree_edit(self.name, &self.text, &self.tree, keys, edit)?;
        self.took(edits);
        Ok(())
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

    /// The lines of an entry of the list `key` at the top as they are, the first one with its dash; `None` where it has none of its own.
    pub(crate) fn lines_of(&self, key: &str, index: usize) -> Option<Vec<String>> {
        let list = self.tree.get(&self.text, self.tree.root?, key)?;
        let item = *self.tree.items(list)?.get(index)?;
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

    pub(crate) fn finish(self) -> Vec<TextEdit> {
        self.edits
    }

    /// The fields of one entry that was copied out of a list; `what` is what an entry is called: `step`.
    ///
    /// # Errors
    /// It is none, or there are several.
    pub(crate) fn pasted(text: &str, what: &str) -> Result<Map<String, Value>, TreeError> {
        let item = match Sheet::new("pasted.yaml", text).root() {
            Value::Array(items) if items.len() > 1 => {
                let many = items.len();
                return Err(TreeError::unfit(format!(
                    "what was pasted is {many} {what}s; paste them one by one"
                )));
            }
            Value::Array(items) => items.into_iter().next().unwrap_or(Value::Null),
            other => other,
        };
        match item {
            Value::Object(map) => Ok(map),
            _ => Err(TreeError::unfit(format!("what was pasted is no {what}"))),
        }
    }
}
