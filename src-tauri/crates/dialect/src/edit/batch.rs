//! Many changes of one tree at once: written together and proved together, in time that grows with the file and not with the
//! file times the changes.

use super::{EditError, Page, TreeError, trimmed, value_at};
use crate::text::{TextEdit, apply};
use crate::tree::Tree;
use serde_json::{Map, Value};

/// One change: keys from the root of the file, and the value there; `None` takes the entry out.
pub(crate) struct Change {
    pub(crate) path: Vec<String>,
    pub(crate) value: Option<Value>,
}

impl Change {
    /// The keys with the positions among them as numbers: what is taken out of lists goes by this from the end.
    pub(crate) fn position(&self) -> Vec<(usize, &String)> {
        let keys = self.path.iter();
        keys.map(|key| (key.parse().unwrap_or(usize::MAX), key)).collect()
    }
}

/// A change with its ways of being written.
struct Wish<'a> {
    change: &'a Change,
    ways: Vec<TextEdit>,
    /// Which way is taken.
    chosen: usize,
}

/// How often a text is read again to find ways that go together. Nearly always once is enough.
const MOST_PROOFS: usize = 200;

/// The edits that make all the changes. They must not lie in each other, and those that take items out of a list must stand in
/// the order from its end. What the file says already is left as it is.
pub(crate) fn tree_changes(
    name: &str,
    text: &str,
    tree: &Tree,
    changes: &[Change],
) -> Result<Vec<TextEdit>, TreeError> {
    if let Some(fault) = tree.broken() {
        return Err(TreeError::Broken(fault.at));
    }
    let shown = |path: &[String]| path.join(".");
    let first = changes.first().map_or_else(String::new, |change| shown(&change.path));
    let whole = Page { text, tree, path: &[] };
    let before = whole.root_value().ok_or(EditError::Missing { path: first.clone() })?;
    let mut wishes = Vec::with_capacity(changes.len());
    for change in changes {
        let path = &change.path;
        let page = Page { text, tree, path };
        let chain = page.chain()?;
        let there = chain.len() == path.len() + 1;
        let ways = match &change.value {
            Some(value) if there && value_at(&before, path) == Some(value) => continue,
            Some(value) if there => page.replace(&chain, value),
            Some(value) => page.insert(&chain, value),
            None if there && !path.is_empty() => page.remove(&chain),
            None => return Err(EditError::Missing { path: shown(path) }.into()),
        };
        if ways.is_empty() {
            return Err(EditError::NotExact { path: shown(path) }.into());
        }
        let ways = ways.into_iter().map(|edit| trimmed(text, edit)).collect();
        wishes.push(Wish {
            change,
            ways,
            chosen: 0,
        });
    }
    let proof = Proof {
        name,
        text,
        faults: tree.faults.len(),
        before,
    };
    let mut left = MOST_PROOFS;
    let found = settle(&proof, &mut wishes, &mut left).map_err(|n| EditError::NotExact {
        path: wishes.get(n).map_or(first, |wish| shown(&wish.change.path)),
    });
    found?;
    Ok(wishes
        .into_iter()
        .map(|mut wish| wish.ways.swap_remove(wish.chosen))
        .collect())
}

/// The first of several ways of writing a change that says exactly what is wanted. `after`: the whole file's value as it should
/// be, made from the one it has. `path`: what is changed, for the error.
pub(crate) fn proved(
    name: &str,
    text: &str,
    tree: &Tree,
    path: &[String],
    ways: Vec<Vec<TextEdit>>,
    after: impl FnOnce(&mut Value) -> bool,
) -> Result<Vec<TextEdit>, TreeError> {
    let path = path.join(".");
    let page = Page { text, tree, path: &[] };
    let mut wanted = page.root_value().ok_or(EditError::Missing { path: path.clone() })?;
    if !after(&mut wanted) {
        return Err(EditError::Missing { path }.into());
    }
    let holds = |edits: &Vec<TextEdit>| says(name, &apply(text, edits), tree.faults.len(), &wanted);
    ways.into_iter()
        .find(holds)
        .ok_or_else(|| EditError::NotExact { path }.into())
}

/// Whether a text is whole and has a value.
fn says(name: &str, text: &str, faults: usize, wanted: &Value) -> bool {
    let tree = Tree::read(name, text);
    let page = Page {
        text,
        tree: &tree,
        path: &[],
    };
    tree.faults.len() <= faults && tree.broken().is_none() && page.root_value().as_ref() == Some(wanted)
}

/// Chooses ways that hold together. Where they do not, the half that is to blame is looked for. Fails with the index of a
/// change for which there is no way.
fn settle(proof: &Proof<'_>, wishes: &mut [Wish<'_>], left: &mut usize) -> Result<(), usize> {
    if wishes.is_empty() || proof.holds(wishes, left) {
        return Ok(());
    }
    if let [wish] = wishes {
        for way in 1..wish.ways.len() {
            wish.chosen = way;
            if proof.holds(std::slice::from_ref(wish), left) {
                return Ok(());
            }
        }
        return Err(0);
    }
    let half = wishes.len() / 2;
    let (head, tail) = wishes.split_at_mut(half);
    settle(proof, head, left)?;
    settle(proof, tail, left).map_err(|n| n + half)?;
    if proof.holds(wishes, left) { Ok(()) } else { Err(0) }
}

/// What is needed to tell whether edits say what they should.
struct Proof<'a> {
    name: &'a str,
    text: &'a str,
    faults: usize,
    before: Value,
}

impl Proof<'_> {
    fn holds(&self, wishes: &[Wish<'_>], left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else {
            return false;
        };
        *left = rest;
        let mut after = self.before.clone();
        for wish in wishes {
            if !put(&mut after, &wish.change.path, wish.change.value.as_ref()) {
                return false;
            }
        }
        let edits: Vec<TextEdit> = wishes.iter().map(|wish| wish.ways[wish.chosen].clone()).collect();
        says(self.name, &apply(self.text, &edits), self.faults, &after)
    }
}

/// Sets one place of a value, or takes it out; parents that are absent or null become mappings.
fn put(value: &mut Value, path: &[String], new: Option<&Value>) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return new.is_some_and(|new| {
            value.clone_from(new);
            true
        });
    };
    if value.is_null() && new.is_some() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) if rest.is_empty() => match new {
            Some(new) => {
                map.insert(first.clone(), new.clone());
                true
            }
            None => map.shift_remove(first).is_some(),
        },
        Value::Object(map) => put(map.entry(first.clone()).or_insert(Value::Null), rest, new),
        Value::Array(list) => {
            let Some(at) = first.parse::<usize>().ok().filter(|at| *at <= list.len()) else {
                return false;
            };
            match (rest.is_empty(), new) {
                (true, None) if at < list.len() => {
                    list.remove(at);
                    true
                }
                (_, None) if at == list.len() => false,
                (_, new) => {
                    if at == list.len() {
                        list.push(Value::Null);
                    }
                    put(&mut list[at], rest, new)
                }
            }
        }
        _ => false,
    }
}
