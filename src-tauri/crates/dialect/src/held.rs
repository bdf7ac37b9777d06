//! Texts that somebody holds read. Whoever reads one of them again shares it: a run, its driver and whoever looks at it keep one reading of its
//! workflow between them, and a large workflow stands in memory once.

use crate::document::Read;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Those that nobody holds any more are forgotten when there are so many, or twice as many as were held then.
const FEW: usize = 64;

/// By [`sign`].
#[derive(Default)]
struct Held {
    read: BTreeMap<u64, Vec<Weak<Read>>>,
    most: usize,
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What two texts seldom have in common; found without reading either.
fn sign(path: &str, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let bytes = text.as_bytes();
    (path, bytes.len(), &bytes[bytes.len().saturating_sub(64)..]).hash(&mut hasher);
    hasher.finish()
}

/// What a text of this path is, where somebody holds it.
pub(crate) fn find(path: &str, text: &str) -> Option<Arc<Read>> {
    // Compared outside the lock: a text may have megabytes.
    let alike: Vec<Arc<Read>> = {
        let held = held();
        let alike = held.as_ref()?.read.get(&sign(path, text))?;
        alike.iter().filter_map(Weak::upgrade).collect()
    };
    alike.into_iter().find(|known| known.path == path && known.text == text)
}

/// Makes it known for as long as anybody holds it.
pub(crate) fn share(read: &Arc<Read>) {
    let mut held = held();
    let held = held.get_or_insert_default();
    if held.read.len() >= held.most.max(FEW) {
        held.read
            .retain(|_, alike| alike.iter().any(|read| read.strong_count() > 0));
        held.most = held.read.len() * 2;
    }
    let alike = held.read.entry(sign(&read.path, &read.text)).or_default();
    alike.retain(|read| read.strong_count() > 0);
    alike.push(Arc::downgrade(read));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn a_text_that_is_held_is_shared_and_another_is_not() {
        let text = |role: &str| format!("key: held\nsteps:\n  - {{id: a, role: {role}}}\n# {}\n", "-".repeat(64));
        let first = Document::parse("held.yaml", &text("x"));
        let steps = |document: &Document| document.workflow().steps().as_ptr();
        assert_eq!(steps(&first), steps(&Document::parse("held.yaml", &text("x"))));
        // It ends alike and is as long.
        let other = Document::parse("held.yaml", &text("y"));
        assert_eq!(other.workflow().steps()[0].intent.as_deref(), Some("y"));
        assert_ne!(steps(&first), steps(&Document::parse("other.yaml", &text("x"))));
        // Though the other was read later.
        assert_eq!(steps(&first), steps(&Document::parse("held.yaml", &text("x"))));
        drop(other);
        assert!(find("held.yaml", &text("y")).is_none(), "nobody holds it");
    }

    #[test]
    fn what_was_found_around_it_is_not_shared() {
        let text = "key: around\nsteps:\n  - {id: a, role: x}\n";
        let first = Document::parse("around.yaml", text);
        let own = first.diagnostics().len();
        let found = model::Diagnostic::new("GH0603", model::Severity::Warning, model::Place::document(), "found");
        let more = first.with(vec![found]);
        assert_eq!(more.diagnostics().len(), own + 1);
        assert_eq!(Document::parse("around.yaml", text).diagnostics().len(), own);
    }
}
