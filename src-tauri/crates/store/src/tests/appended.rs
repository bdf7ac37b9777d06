//! What is kept of the events that were appended last.

use super::folder::append;
use super::sample;
use crate::appended::MOST;
use crate::{Store, Stored};
use engine::{ExecutionStatus, RunId, StepResult};
use model::Fields;

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

#[test]
fn a_number_that_reading_may_round_is_read() {
    let store = Store::open_memory().unwrap();
    let mut s = sample(&Store::open_memory().unwrap(), "run");
    let count = s.batch.len();
    for (n, number) in ["0.25", "0.9522444552911937", "1e-30", "12"].iter().enumerate() {
        let number: f64 = number.parse().unwrap();
        let report = Fields::from_iter([("cost: 0.12345678901234567".to_owned(), number.into())]);
        s.begin("s", 9, n as u32 + 1);
        s.end(
            "s",
            9,
            n as u32 + 1,
            StepResult {
                report,
                ..StepResult::new(ExecutionStatus::Succeeded)
            },
            None,
        );
    }
    append(&store, &s, 0, count);
    let kept = |after: usize| store.appended.after(&s.run, after as u64, 9).len();
    assert_eq!(kept(count - 1), 1);
    for n in 0..4 {
        append(&store, &s, count + 2 * n, count + 2 * n + 2);
    }
    assert_eq!(kept(count + 6), 2, "a short number is kept");
    assert_eq!(kept(count + 4), 0, "one with an exponent is not");
    let stored = store.events(&s.run, 1, 999).unwrap();
    assert_eq!(store.events_since(&s.run, 1, 999).unwrap(), stored);
}

#[test]
fn what_another_program_put_in_its_place_is_read() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&Store::open_memory().unwrap(), "run");
    append(&store, &s, 0, s.batch.len());
    let raw = rusqlite::Connection::open(project.path().join(".gatehouse/history.db")).unwrap();
    raw.execute_batch("DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted")
        .unwrap();
    let last = s.batch.len() as i64;
    raw.execute("UPDATE events SET hash = zeroblob(32) WHERE seq = ?1", [last])
        .unwrap();
    let since = |after| store.events_since(&s.run, after, 999).unwrap();
    assert_eq!(since(1), store.events(&s.run, 1, 999).unwrap());
    raw.execute("DELETE FROM events WHERE seq > ?1", [last - 3]).unwrap();
    assert_eq!(since(last as u64 - 3), []);
    assert_eq!(since(1), store.events(&s.run, 1, 999).unwrap());
}
