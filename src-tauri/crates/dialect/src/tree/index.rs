//! Where the keys of large mappings stand: looked for one by one, a thousand of a hundred thousand would take seconds.

use super::{Kind, NodeId, Tree};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

/// Mappings of so many entries are looked up here; in smaller ones looking at each is quicker.
pub(super) const LARGE: usize = 64;

/// By mapping and by the hash of a key: the place of the last entry of that key.
type Places = HashMap<NodeId, HashMap<u64, u32>>;

/// Made when a key of a large mapping is first looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Index(OnceLock<Places>);

impl Index {
    /// Where the last entry of a key stands, if `map` has it; another key of the same hash may stand there.
    pub(super) fn place(&self, tree: &Tree, source: &str, map: NodeId, key: &str) -> Option<u32> {
        let places = self.0.get_or_init(|| places(tree, source));
        places.get(&map)?.get(&hash(key)).copied()
    }
}

/// One look at each key of each large mapping.
fn places(tree: &Tree, source: &str) -> Places {
    let mut all = Places::new();
    for (id, node) in (0..).zip(&tree.nodes) {
        let Kind::Map { entries, .. } = &node.kind else {
            continue;
        };
        if entries.len() >= LARGE {
            let each = (0..)
                .zip(entries)
                .map(|(place, (key, _))| (hash(tree.key(source, *key)), place));
            all.insert(id, each.collect());
        }
    }
    all
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as looking at each from behind.
    #[test]
    fn a_key_is_found_where_it_stands_last_and_what_is_not_there_is_not() {
        for many in [2, LARGE / 2, LARGE, 3 * LARGE] {
            let mut text = String::from("{");
            for n in 0..many {
                text.push_str(&format!("\"k{n}\": {n}, \"twice\": {n}, "));
            }
            text.push_str("\"inner\": {\"k1\": \"other\"}}");
            for path in ["map.json", "map.yaml"] {
                let tree = Tree::read(path, &text);
                let root = tree.root.expect("it is read");
                let said = |key: &str| tree.text_at(&text, root, key).map(str::to_owned);
                for n in 0..many {
                    assert_eq!(said(&format!("k{n}")), Some(n.to_string()), "{path}");
                }
                assert_eq!(said("twice"), Some((many - 1).to_string()), "{path}");
                assert_eq!((said("k"), said("")), (None, None), "{path}");
                let inner = tree.get(&text, root, "inner").expect("it is there");
                assert_eq!(tree.text_at(&text, inner, "k1"), Some("other"));
            }
        }
    }
}
