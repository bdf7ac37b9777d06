//! An item of a list goes to another position, with the comments above it.

use super::batch::proved;
use super::{EditError, Page, TreeError};
use crate::text::{Span, TextEdit};
use crate::tree::{Kind, Tree};
use serde_json::Value;

/// The edits that move the item at a path.
pub(super) fn moved(
    name: &str,
    text: &str,
    tree: &Tree,
    path: &[String],
    to: usize,
) -> Result<Vec<TextEdit>, TreeError> {
    let missing = || EditError::Missing { path: path.join(".") };
    let page = Page { text, tree, path };
    let chain = page.chain()?;
    let (Some(list), true) = (
        chain.len().checked_sub(2).map(|n| chain[n]),
        chain.len() == path.len() + 1,
    ) else {
        return Err(missing().into());
    };
    let Kind::List { items, flow } = &tree.node(list).kind else {
        return Err(missing().into());
    };
    let at = path.last().and_then(|n| n.parse::<usize>().ok()).ok_or_else(missing)?;
    if to >= items.len() {
        return Err(missing().into());
    }
    if at == to {
        return Ok(Vec::new());
    }
    let bodies = page.bodies(items, *flow);
    let ways = bodies
        .map(|bodies| exchange(text, &bodies, at, to))
        .into_iter()
        .collect();
    let parents = &path[..path.len() - 1];
    proved(name, text, tree, path, ways, |value| {
        let list = parents.iter().try_fold(value, |here, segment| match here {
            Value::Object(map) => map.get_mut(segment),
            Value::Array(list) => list.get_mut(segment.parse::<usize>().ok()?),
            _ => None,
        });
        let Some(list) = list.and_then(Value::as_array_mut) else {
            return false;
        };
        let item = list.remove(at);
        list.insert(to, item);
        true
    })
}

/// One item goes, with what divides it from its neighbour, and comes in behind or before another.
fn exchange(text: &str, bodies: &[Span], at: usize, to: usize) -> Vec<TextEdit> {
    let body = &text[bodies[at].start..bodies[at].end];
    let edit = |start: usize, end: usize, replacement: String| TextEdit {
        span: Span { start, end },
        replacement,
    };
    if at < to {
        let joint = &text[bodies[at].end..bodies[at + 1].start];
        let end = bodies[to].end;
        vec![
            edit(bodies[at].start, bodies[at + 1].start, String::new()),
            edit(end, end, format!("{joint}{body}")),
        ]
    } else {
        let joint = &text[bodies[at - 1].end..bodies[at].start];
        let start = bodies[to].start;
        vec![
            edit(start, start, format!("{body}{joint}")),
            edit(bodies[at - 1].end, bodies[at].end, String::new()),
        ]
    }
}
