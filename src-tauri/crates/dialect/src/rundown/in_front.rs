//! Where the front matter names steps: in `agents`, and in the steps and paths of scenarios (CONTRACTS "Rundown").

use super::front::Front;
use crate::text::TextEdit;
use crate::tree::{Kind, NodeId};

/// A place of the front matter that names a step.
pub(super) struct Name {
    /// Keys from the root of the front matter; the last one is the name where that is a key.
    pub(super) path: Vec<String>,
    node: NodeId,
    pub(super) text: String,
}

/// The names of steps in the front matter: in `agents`, and in the steps and paths of scenarios.
pub(super) fn names(front: &Front, text: &str) -> Vec<Name> {
    let (source, tree) = (front.source(text), &front.tree);
    let Some(root) = tree.root else { return Vec::new() };
    let mut names: Vec<Name> = Vec::new();
    let mut keys = |map: Option<NodeId>, path: &[String]| {
        let entries = map.and_then(|map| tree.entries(map)).unwrap_or(&[]);
        names.extend(entries.iter().map(|(key, _)| {
            let text = tree.key(source, *key).to_owned();
            Name {
                path: [path, std::slice::from_ref(&text)].concat(),
                node: *key,
                text,
            }
        }));
    };
    keys(tree.get(source, root, "agents"), &["agents".to_owned()]);
    let scenarios = tree.get(source, root, "scenarios");
    let scenarios: Vec<(String, NodeId)> = match scenarios.map(|id| &tree.node(id).kind) {
        Some(Kind::Map { entries, .. }) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (tree.key(source, *key).to_owned(), *value))
                .collect()
        }
        Some(Kind::List { items, .. }) => {
            let items = items.iter().enumerate();
            items.map(|(n, item)| (n.to_string(), *item)).collect()
        }
        _ => Vec::new(),
    };
    let inside = |key: &str, more: &[&str]| -> Vec<String> {
        let path = ["scenarios", key].into_iter().chain(more.iter().copied());
        path.map(str::to_owned).collect()
    };
    for (key, scenario) in &scenarios {
        keys(tree.get(source, *scenario, "steps"), &inside(key, &["steps"]));
    }
    for (key, scenario) in &scenarios {
        let expect = tree.get(source, *scenario, "expect");
        let path = expect.and_then(|expect| tree.get(source, expect, "path"));
        let items = path.and_then(|path| tree.items(path)).unwrap_or(&[]).iter().enumerate();
        names.extend(items.filter_map(|(n, item)| {
            Some(Name {
                path: inside(key, &["expect", "path", &n.to_string()]),
                node: *item,
                text: tree.text(source, *item)?.to_owned(),
            })
        }));
    }
    names
}

/// The edits that write the new identifiers of steps that have one.
pub(super) fn renamed(front: &Front, text: &str, new: impl Fn(&str) -> Option<String>) -> Vec<TextEdit> {
    let source = front.source(text);
    let edit = |name: Name| {
        let new = new(&name.text)?;
        let span = front.tree.node(name.node).span;
        let quote = source[span.start..].chars().next().filter(|c| matches!(c, '\'' | '"'));
        // A brace would begin a mapping.
        let quote = quote.or(new.contains('{').then_some('\''));
        let quote = quote.map(String::from).unwrap_or_default();
        Some(TextEdit {
            span: super::place::shifted(span, front.inner.start),
            replacement: format!("{quote}{new}{quote}"),
        })
    };
    names(front, text).into_iter().filter_map(edit).collect()
}
