//! Where the front matter names steps: in `agents`, and in scenarios (CONTRACTS "Rundown").

use super::front::{Front, NAME};
use crate::edit::{EditError, Sheet, TreeError};
use crate::scenario::{Name, keys_of, names_of};
use crate::text::{Span, TextEdit};
use crate::tree::{Kind, NodeId};

/// The names of steps in the front matter: in `agents`, and in scenarios.
pub(super) fn names(front: &Front, text: &str) -> Vec<Name> {
    let (source, tree) = (front.source(text), &front.tree);
    let Some(root) = tree.root else { return Vec::new() };
    let mut names = keys_of(tree, source, tree.get(source, root, "agents"), &["agents".to_owned()]);
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
    for (key, scenario) in scenarios {
        names.extend(names_of(tree, source, scenario, &["scenarios".to_owned(), key]));
    }
    names
}

/// The edits that write the new identifiers of steps that have one.
pub(super) fn renamed(front: &Front, text: &str, new: impl Fn(&str) -> Option<String>) -> Vec<TextEdit> {
    let edit = |name: Name| {
        let edit = name.edit(&front.tree, &new(&name.step)?);
        Some(TextEdit {
            span: super::place::shifted(edit.span, front.inner.start),
            ..edit
        })
    };
    names(front, text).into_iter().filter_map(edit).collect()
}

/// The edits that take entries out of the front matter; with the last of them it goes itself, with its marks.
pub(super) fn taken_out(
    front: &Front,
    text: &str,
    take: impl FnOnce(&mut Sheet<'_>) -> Result<(), TreeError>,
) -> Result<Vec<TextEdit>, EditError> {
    let mut sheet = Sheet::new(NAME, front.source(text));
    take(&mut sheet).map_err(|error| error.at(text, front.inner.start))?;
    if sheet.is_empty() {
        let span = front.span;
        let blank = text[span.end..].len() - text[span.end..].trim_start().len();
        return Ok(vec![TextEdit {
            span: Span {
                start: span.start,
                end: span.end + blank,
            },
            replacement: String::new(),
        }]);
    }
    let shifted = sheet.finish().into_iter().map(|edit| TextEdit {
        span: super::place::shifted(edit.span, front.inner.start),
        ..edit
    });
    Ok(shifted.collect())
}
