//! What is kept of the events that were appended last.

use super::folder::append;
use super::sample;
use crate::appended::MOST;
use crate::{Store, Stored};
use engine::{Event, ExecutionStatus, RunId, StepResult};
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

/// Fractions of as many digits as a number has, and ones far from one: a reader that is not exact rounds one in ten of them.
#[test]
fn a_number_is_read_as_it_was_written() {
    let store = Store::open_memory().unwrap();
    let mut s = sample(&Store::open_memory().unwrap(), "run");
    let before = s.batch.len();
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        bits
    };
    let shares = (0..200).map(|n| (format!("share {n}"), (random() as f64 / u64::MAX as f64).into()));
    let mut report = Fields::from_iter(shares);
    for (name, number) in [
        ("tiny", 1e-30),
        ("least", f64::MIN_POSITIVE),
        ("most", f64::MAX),
        ("negative", -0.0),
    ] {
        report.insert(name.to_owned(), number.into());
    }
    s.begin("s", 9, 1);
    s.end(
        "s",
        9,
        1,
        StepResult {
            report: report.clone(),
            ..StepResult::new(ExecutionStatus::Succeeded)
        },
        None,
    );
    append(&store, &s, 0, s.batch.len());
    let stored = store.events(&s.run, 0, 999).unwrap();
    let Some(Event::AttemptEnded { result, .. }) = stored.last().map(|stored| &stored.event) else {
        panic!("the last is the end of an attempt: {stored:?}");
    };
    assert_eq!(result.report, report);
    let since = store.events_since(&s.run, before as u64, 999).unwrap();
    assert_eq!(since, stored[before..]);
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
