//! A new entry of a list of steps, and one who does a step becoming several.

use super::{EditError, Page, TreeError, proved, tree_edit};
use crate::text::{Span, TextEdit};
use crate::tree::{Grammar, Kind, NodeId, Tree};
use model::{Edit, Place};
use serde_json::Value;

/// Keys that are written with dots between.
pub(super) fn keys(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('.').filter(|key| !key.is_empty())
}

/// A text that is changed. `name`: what it is read as.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) tree: &'a Tree,
}

impl Source<'_> {
    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The edits that put a value behind the last entry of the list `key` (keys from the top, with dots between), or make it the first.
    /// `lines`: the same value as lines of YAML, the first one with its dash, the others two blanks deeper.
    pub(crate) fn append(&self, key: &str, value: &Value, lines: &[String]) -> Result<Vec<TextEdit>, TreeError> {
        self.append_for(key, usize::MAX, value, lines)
    }

    /// The same with as many blank lines above it as there are at the position where it is to go.
    pub(super) fn append_for(
        &self,
        key: &str,
        index: usize,
        value: &Value,
        lines: &[String],
    ) -> Result<Vec<TextEdit>, TreeError> {
        let (text, tree) = (self.text, self.tree);
        let root = tree.root.filter(|root| tree.entries(*root).is_some());
        root.ok_or_else(|| EditError::Missing { path: key.to_owned() })?;
        let (parents, last) = key.rsplit_once('.').unwrap_or(("", key));
        let around = tree.walk(text, keys(parents)).0;
        let entry = around.and_then(|around| tree.entry(text, around, last));
        let items = entry.and_then(|(_, list)| tree.items(list));
        let count = items.map_or(0, <[NodeId]>::len);
        let mut path: Vec<String> = keys(key).map(str::to_owned).collect();
        path.push(count.to_string());
        let plain = |path: &[String], value: Value| {
            let place = Place::document();
            tree_edit(self.name, text, tree, path, &Edit::Set { place, value })
        };
        let Some((key_node, list)) = entry else {
            return plain(&path[..path.len() - 1], vec![value.clone()].into());
        };
        let mut ways = Vec::new();
        match &tree.node(list).kind {
            Kind::List { items, flow: true } if !items.is_empty() => {
                let page = Page {
                    text,
                    tree,
                    path: &path,
                };
                ways.extend(page.item_as_written(list, items, lines).map(|edit| vec![edit]));
            }
            _ if tree.grammar == Grammar::Json => {}
            Kind::List { items, flow: false } => {
                ways.extend(self.behind(items, index, lines));
            }
            Kind::List { items, .. } if items.is_empty() => ways.push(self.first(key_node, list, lines)),
            Kind::Scalar { .. } if tree.scalar(text, list).is_null() => ways.push(self.first(key_node, list, lines)),
            _ => {}
        }
        let added = proved(self.name, text, tree, &path, ways, |file| {
            let list = keys(key).try_fold(file, |here, key| match here {
                Value::Array(list) => list.get_mut(key.parse::<usize>().ok()?),
                other => other.get_mut(key),
            });
            let Some(list) = list else {
                return false;
            };
            match list {
                Value::Null => *list = vec![value.clone()].into(),
                Value::Array(list) => list.push(value.clone()),
                _ => return false,
            }
            true
        });
        added.or_else(|_| plain(&path, value.clone()))
    }

    /// The lines of a new entry below the last one, indented like it, with as many blank lines between as the others have there.
    fn behind(&self, items: &[NodeId], index: usize, lines: &[String]) -> Option<Vec<TextEdit>> {
        let (text, tree) = (self.text, self.tree);
        let page = Page { text, tree, path: &[] };
        let bodies = page.bodies(items, false)?;
        let last = items.len().checked_sub(1)?;
        let start = tree.node(items[last]).span.start;
        let line = page.line_start(start);
        let before = text[line..start].trim_start_matches('\u{feff}');
        let indent = before
            .strip_suffix("- ")
            .filter(|blank| blank.trim_matches(' ').is_empty())?;
        let end = bodies[last].end;
        let newline = self.newline();
        let apart = page.blank_lines(&bodies, index.clamp(1, last.max(1)));
        let lines = lines.join(&format!("{newline}{indent}"));
        Some(vec![TextEdit {
            span: Span { start: end, end },
            replacement: format!("{}{newline}{indent}{lines}", newline.repeat(apart)),
        }])
    }

    /// The first entry, in the place of an empty list or of nothing.
    fn first(&self, key: NodeId, list: NodeId, lines: &[String]) -> Vec<TextEdit> {
        let (text, tree) = (self.text, self.tree);
        let (key, old) = (tree.node(key).span, tree.node(list).span);
        let colon = text[key.end..].find(':').map_or(key.end, |n| key.end + n + 1);
        let end = old.end.max(colon);
        let newline = self.newline();
        let lines = lines.join(&format!("{newline}  "));
        // A comment behind the empty list stays on its line.
        let line_end = text[end..].find(['\n', '\r']).map_or(text.len(), |n| end + n);
        let cut = TextEdit {
            span: Span { start: colon, end },
            replacement: String::new(),
        };
        let put = TextEdit {
            span: Span {
                start: line_end,
                end: line_end,
            },
            replacement: format!("{newline}  {lines}"),
        };
        vec![cut, put]
    }

    /// `agent` of the entry at a path with a new name; gone; or as `agents` when there are several.
    pub(crate) fn agents(&self, path: &[String], new: &[String]) -> Result<Vec<TextEdit>, TreeError> {
        let (text, tree) = (self.text, self.tree);
        let mut one: Vec<String> = path.to_vec();
        one.push("agent".to_owned());
        let place = Place::document();
        let edit = match new {
            [] => Some(Edit::Remove { place }),
            [only] => Some(Edit::Set {
                place,
                value: only.as_str().into(),
            }),
            _ => None,
        };
        if let Some(edit) = edit {
            return tree_edit(self.name, text, tree, &one, &edit);
        }
        let shown = one.join(".");
        let owner = tree.walk(text, path.iter().map(String::as_str)).0;
        let entry = owner.and_then(|id| tree.entry(text, id, "agent"));
        let (key, value) = entry.ok_or(EditError::Missing { path: shown.clone() })?;
        let several: Value = new.into();
        let edit = |span: Span, replacement: String| TextEdit { span, replacement };
        let json = tree.grammar == Grammar::Json;
        let key_edit = edit(
            tree.node(key).span,
            if json { "\"agents\"" } else { "agents" }.to_owned(),
        );
        let quoted: Vec<String> = new.iter().map(|name| Value::from(name.as_str()).to_string()).collect();
        let bare = format!("[{}]", new.join(", "));
        let lists = [bare, format!("[{}]", quoted.join(", "))];
        let ways = lists.map(|list| vec![key_edit.clone(), edit(tree.node(value).span, list)]);
        let done = proved(self.name, text, tree, path, ways.to_vec(), |file| {
            let entry = path.iter().try_fold(file, |here, segment| match here {
                Value::Object(map) => map.get_mut(segment),
                Value::Array(list) => list.get_mut(segment.parse::<usize>().ok()?),
                _ => None,
            });
            let Some(Value::Object(map)) = entry else {
                return false;
            };
            map.shift_remove("agent");
            map.insert("agents".to_owned(), several);
            true
        });
        done.map_err(|_| EditError::NotExact { path: shown }.into())
    }
}
