//! What is kept of the events that were appended last.

use super::folder::append;
use super::sample;
use crate::appended::MOST;
use crate::{Store, Stored};
use engine::RunId;

/// The events of a run from one on: as they are kept with what is stored behind them, and as they are stored.
fn both(store: &Store, run: &RunId, after: u64, limit: usize) -> (Vec<Stored>, Vec<Stored>) {
    let since = store.events_since(run, after, limit).expect("they can be read");
    (since, store.events(run, after, limit).expect("they can be read"))
}

#[test]
fn what_is_kept_is_what_is_stored_whoever_has_appended() {
    let project = tempfile::tempdir().expect("a folder");
    let (one, other) = (Store::open(project.path()), Store::open(project.path()));
    let (one, other) = (one.expect("a history"), other.expect("the same"));
    let memory = Store::open_memory().expect("a history");
    let (first, second) = (sample(&memory, "first"), sample(&memory, "second"));
    let count = first.batch.len();
    // In turns, by two programs, with another run between.
    for n in 0..count {
        let by = if n % 3 == 2 { &other } else { &one };
        append(by, &first, n, n + 1);
        append(&one, &second, n, n + 1);
        for after in 0..=n as u64 + 1 {
            for limit in [1, 2, 1000] {
                let (since, stored) = both(&one, &first.run, after, limit);
                assert_eq!(since, stored, "after {after}, at most {limit}");
                let (since, stored) = both(&one, &second.run, after, limit);
                assert_eq!(since, stored, "after {after}, at most {limit}");
            }
        }
    }
    assert!(
        one.appended.after(&second.run, 1, 2).len() == 2,
        "nothing of it was read"
    );
    assert!(
        one.appended.after(&first.run, 1, 2).is_empty(),
        "another program wrote the third"
    );
}

#[test]
fn no_more_is_kept_than_a_few_megabytes() {
    let store = Store::open_memory().expect("a history");
    let s = sample(&store, "run");
    let events = store.events(&s.run, 0, 2).expect("its log");
    store.appended.keep(&s.run, &events[..1], MOST / 2);
    store.appended.keep(&s.run, &events[1..], MOST / 2);
    assert_eq!(store.appended.after(&s.run, 0, 9).len(), 2);
    store.appended.keep(&"another".into(), &events[..1], MOST / 2);
    assert!(
        store.appended.after(&s.run, 0, 9).is_empty(),
        "the first of them is gone"
    );
    assert_eq!(store.appended.after(&s.run, 1, 9).len(), 1);
}
