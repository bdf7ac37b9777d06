//! What changed between two versions of a file, each pair remembered while it is looked at: a brief is asked for again and again while it waits, and
//! to compare two long texts takes a while.

use crate::gate::view::ChangesView;
use crate::lock::lock;
use engine::Digest;
use std::sync::Mutex;

/// So many pairs are remembered at most, and so many bytes of what is told of them.
const MOST: usize = 256;
const MOST_BYTES: usize = 32 << 20;

/// The one that was not looked at for longest stands first.
#[derive(Debug, Default)]
pub struct Compared(Mutex<Vec<Known>>);

#[derive(Debug)]
struct Known {
    /// By its name it is told what a file holds.
    path: String,
    before: Digest,
    now: Digest,
    changes: ChangesView,
}

impl Compared {
    /// What changed between two versions of a file, which are compared only where that is not known. `compare`: does it; `None`: there is nothing
    /// to compare.
    pub fn of(
        &self,
        path: &str,
        (before, now): (&Digest, &Digest),
        compare: impl FnOnce() -> Option<ChangesView>,
    ) -> Option<ChangesView> {
        let mut kept = lock(&self.0);
        let at = kept
            .iter()
            .position(|known| known.path == path && known.before == *before && known.now == *now);
        if let Some(at) = at {
            let known = kept.remove(at);
            let changes = known.changes.clone();
            kept.push(known);
            return Some(changes);
        }
        drop(kept);
        let changes = compare()?;
        let mut kept = lock(&self.0);
        kept.push(Known {
            path: path.to_owned(),
            before: before.clone(),
            now: now.clone(),
            changes: changes.clone(),
        });
        let mut bytes: usize = kept.iter().map(|known| known.changes.html.len()).sum();
        while kept.len() > MOST || (bytes > MOST_BYTES && kept.len() > 1) {
            bytes -= kept.remove(0).changes.html.len();
        }
        Some(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(html: String) -> Option<ChangesView> {
        Some(ChangesView {
            since: String::new(),
            html,
            added: 1,
            removed: 0,
        })
    }

    #[test]
    fn two_versions_are_compared_once_and_any_others_by_themselves() {
        let compared = Compared::default();
        let of = |path: &str, before: &str, now: &str, html: &str| {
            let told = compared.of(path, (&before.into(), &now.into()), || changes(html.to_owned()));
            told.expect("it was compared").html
        };
        assert_eq!(of("a.md", "1", "2", "one"), "one");
        assert_eq!(of("a.md", "1", "2", "again"), "one");
        assert_eq!(of("a.txt", "1", "2", "another name"), "another name");
        assert_eq!(of("a.md", "2", "1", "the other way round"), "the other way round");
        // What could not be compared may be there later.
        assert_eq!(compared.of("b.md", (&"1".into(), &"2".into()), || None), None);
        assert_eq!(of("b.md", "1", "2", "there"), "there");
    }

    #[test]
    fn what_was_not_looked_at_for_longest_is_forgotten() {
        let compared = Compared::default();
        let of = |now: &str, html: String| {
            let told = compared.of("a.md", (&"0".into(), &now.into()), || changes(html));
            told.expect("it was compared").html.len()
        };
        let third = MOST_BYTES / 3;
        for now in ["1", "2", "3"] {
            assert_eq!(of(now, "x".repeat(third)), third);
        }
        assert_eq!(of("1", String::new()), third, "it is known, and looked at last");
        assert_eq!(of("4", "x".repeat(third)), third);
        assert_eq!(of("1", String::new()), third);
        assert_eq!(of("2", String::new()), 0, "it was forgotten");
        // However long one is, it is told.
        assert_eq!(of("5", "x".repeat(MOST_BYTES + 1)), MOST_BYTES + 1);
    }
}
