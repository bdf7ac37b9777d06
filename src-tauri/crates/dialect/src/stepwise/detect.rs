//! Is this file a stepwise flow? Decided from its outermost keys, without reading the rest.

use crate::tree::{Kind, Tree};

/// True for a flow with a list of `steps`, and for a graph with `nodes` and `edges`. A mapping named `steps` is a
/// scenario, a list of `flows` a registry; neither is a workflow.
pub(crate) fn detect(path: &str, text: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or("");
    if name.contains('.') && ![".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end)) {
        return false;
    }
    let body = text.trim_start_matches('\u{feff}').trim_start();
    if body.starts_with('{') || name.ends_with(".json") {
        let tree = Tree::read(path, text);
        let Some(root) = tree.root else {
            return tree.broken().is_some()
                && (body.contains("\"steps\"") || (body.contains("\"nodes\"") && body.contains("\"edges\"")));
        };
        let is_list = |key: &str| {
            tree.get(text, root, key)
                .is_some_and(|id| matches!(tree.node(tree.resolve(id)).kind, Kind::List { .. }))
        };
        return is_list("steps") || (is_list("nodes") && is_list("edges"));
    }
    let mut lines = text.trim_start_matches('\u{feff}').split(['\n', '\r']).peekable();
    let (mut nodes, mut edges) = (false, false);
    while let Some(line) = lines.next() {
        match outer_key(line) {
            Some(("steps", rest)) => {
                if rest.starts_with('[') {
                    return true;
                }
                if !(rest.is_empty() || rest.starts_with(['#', '&', '!', '~']) || rest == "null") {
                    return false;
                }
                let next = lines.find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
                return next.is_none_or(|line| line.trim_start().starts_with('-') || !line.starts_with([' ', '\t']));
            }
            Some(("nodes", _)) => nodes = true,
            Some(("edges", _)) => edges = true,
            _ => {}
        }
    }
    nodes && edges
}

/// The key and what follows it, of a line that begins with one.
fn outer_key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    if key.starts_with([' ', '\t', '-', '#']) {
        return None;
    }
    let key = key.trim_end();
    let bare = key.strip_prefix('"').and_then(|k| k.strip_suffix('"'));
    let bare = bare.or_else(|| key.strip_prefix('\'').and_then(|k| k.strip_suffix('\'')));
    Some((bare.unwrap_or(key), rest.trim()))
}
