//! One text under several changes, one after the other, each proved on what those before it have left.

use super::compose::{Habit, entry_lines};
use super::copied::{ANEW, lines_at};
use super::entry::keys;
use super::{Change, Copied, EditError, Source, TreeError, tree_changes, tree_edit};
use crate::text::{Span, TextEdit, apply, compose};
use crate::tree::{Budget, Tree};
use model::{Edit, Place};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A text that grows by changes.
pub(crate) struct Sheet<'a> {
    name: &'a str,
    base: &'a str,
    text: String,
    /// That of the text, or of the text before the last change.
    tree: Cow<'a, Tree>,
    is_stale: bool,
    edits: Vec<TextEdit>,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(name: &'a str, base: &'a str) -> Self {
        Self {
            name,
            base,
            text: base.to_owned(),
            tree: Cow::Owned(Tree::read(name, base)),
            is_stale: false,
            edits: Vec::new(),
        }
    }

    /// The same of a text that was read.
    pub(crate) fn of(source: Source<'a>) -> Self {
        Self {
            name: source.name,
            base: source.text,
            text: source.text.to_owned(),
            tree: Cow::Borrowed(source.tree),
            is_stale: false,
            edits: Vec::new(),
        }
    }

    /// Reads what changes have left: only once somebody asks for it.
    fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.tree = Cow::Owned(Tree::read(self.name, &self.text));
        }
    }

    /// Edits of the text as it is by now.
    pub(crate) fn took(&mut self, edits: Vec<TextEdit>) {
        if edits.is_empty() {
            return;
        }
        self.text = apply(&self.text, &edits);
        self.edits = compose(self.base, &self.edits, &edits);
        self.is_stale = true;
    }

    /// All of it as a value.
    pub(crate) fn root(&mut self) -> Value {
        self.refresh();
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
        self.refresh();
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
    pub(crate) fn is_empty(&mut self) -> bool {
        self.root().as_object().is_some_and(Map::is_empty)
    }

    /// A new entry of the list `key` (keys from the top, with dots between), at a position.
    pub(crate) fn insert(&mut self, key: &str, index: usize, value: &Map<String, Value>) -> Result<(), TreeError> {
        self.refresh();
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
        self.refresh();
        let mut path: Vec<String> = keys(key).map(str::to_owned).collect();
        let (found, used) = self.tree.walk(&self.text, keys(key));
        let list = found.filter(|_| used == path.len());
        let count = list.and_then(|list| self.tree.items(list)).map_or(0, <[_]>::len);
        let source = Source {
            name: self.name,
            text: &self.text,
            tree: &self.tree,
        };
        let edits = source.append_for(key, index, &Value::Object(value.clone()), lines)?;
        self.took(edits);
        if index < count {
            self.refresh();
            let place = Place::document();
            path.push(count.to_string());
            let edit = Edit::Move { place, to: index };
            let edits = tree_edit(self.name, &self.text, &self.tree, &path, &edit)?;
            self.took(edits);
        }
        Ok(())
    }

    /// An entry with its own text as a new one of the list `key` at the top. Says whether the text stands there as it was.
    pub(crate) fn put(&mut self, key: &str, index: usize, copied: &Copied) -> Result<bool, TreeError> {
        let Some(lines) = &copied.lines else {
            return self.insert(key, index, &copied.map).map(|()| false);
        };
        self.insert_lines(key, index, &copied.map, lines)?;
        self.refresh();
        let list = self.tree.root.and_then(|root| self.tree.get(&self.text, root, key));
        let item = list.and_then(|list| self.tree.items(list)?.get(index).copied());
        let now = item.and_then(|item| lines_at(&self.text, &self.tree, item));
        let own = lines.iter().skip_while(|line| line.starts_with('#'));
        Ok(now.is_some_and(|now| now.iter().eq(own)))
    }

    /// Entries with their own texts from a position of the list `key` on, between what changes before and behind that. Of each what is
    /// to be said of its text.
    pub(crate) fn with_copied(
        source: Source<'a>,
        (key, index): (&str, usize),
        before: &[Change],
        mut copied: Vec<Copied>,
        after: &[Change],
    ) -> Result<(Self, Vec<Option<&'static str>>), TreeError> {
        let attempt = |copied: &[Copied]| -> Result<(Self, Vec<Option<&'static str>>), TreeError> {
            let mut sheet = Sheet::of(source);
            sheet.change(before)?;
            let mut said = Vec::with_capacity(copied.len());
            for (n, one) in copied.iter().enumerate() {
                let kept = sheet.put(key, index + n, one)?;
                said.push(one.left_out.or((!kept).then_some(ANEW)));
            }
            sheet.change(after)?;
            Ok((sheet, said))
        };
        // Where a text leans on other parts of its file so that one place of it cannot be changed, it is written anew.
        attempt(&copied).or_else(|error| match error {
            TreeError::Other(EditError::Shared { .. } | EditError::NotExact { .. }) => {
                copied.iter_mut().for_each(|one| one.lines = None);
                attempt(&copied)
            }
            error => Err(error),
        })
    }

    pub(crate) fn finish(self) -> Vec<TextEdit> {
        self.edits
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
