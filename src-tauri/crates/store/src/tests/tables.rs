//! Lists, gates, leases, blobs, settings, the journal.

use super::*;
use crate::{Error, RunFilter, RunRow, StatusWord, digest_of};

#[test]
fn the_row_of_a_run_is_what_its_fold_says() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let row = store.run("run-1").unwrap().unwrap();
    assert_eq!(Some(&row), RunRow::of(&s.run, &store.load(&s.run).unwrap().0).as_ref());
    assert_eq!(
        (row.status, row.loops, row.gates_asked, row.waiting),
        (StatusWord::Succeeded, 1, 1, None)
    );
    assert_eq!(
        (row.workflow.as_str(), row.path.as_str(), row.by.as_str()),
        ("signal", "flows/signal.yaml", "Ada")
    );
}

#[test]
fn runs_are_found_by_prefix_and_filter() {
    let store = Store::open_memory().unwrap();
    sample(&store, "0199aaaa-1");
    sample(&store, "0199aaab-2");
    let mut open = Script::new("0199aaac-3");
    open.create(digest_of(b"")).begin("author", 1, 1);
    open.save(&store);
    assert_eq!(store.run("0199aaab").unwrap().unwrap().run.as_str(), "0199aaab-2");
    assert!(matches!(store.run("0199aaa"), Err(Error::Ambiguous { count: 3, .. })));
    assert!(matches!(store.run("0"), Err(Error::Ambiguous { count: 3, .. })));
    assert_eq!(store.run("0199AAAB-2").unwrap().unwrap().run.as_str(), "0199aaab-2");
    assert_eq!(store.run("0199AAAB").unwrap().unwrap().run.as_str(), "0199aaab-2");
    let longer = Store::open_memory().unwrap();
    sample(&longer, "0199aaab-2");
    sample(&longer, "0199aaab-23");
    assert_eq!(longer.run("0199AAAB-2").unwrap().unwrap().run.as_str(), "0199aaab-2");
    assert!(store.run("").unwrap().is_none(), "nothing means no run");
    assert!(store.run("%%%%").unwrap().is_none(), "no wildcards");
    let list = |filter: RunFilter| {
        store
            .runs(&filter)
            .unwrap()
            .into_iter()
            .map(|r| r.run.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(list(RunFilter::default()), ["0199aaac-3", "0199aaab-2", "0199aaaa-1"]);
    assert_eq!(
        list(RunFilter {
            open_only: true,
            ..Default::default()
        }),
        ["0199aaac-3"]
    );
    assert_eq!(
        list(RunFilter {
            status: Some(StatusWord::Succeeded),
            ..Default::default()
        })
        .len(),
        2
    );
    assert_eq!(
        list(RunFilter {
            limit: Some(1),
            offset: 1,
            ..Default::default()
        }),
        ["0199aaab-2"]
    );
    assert!(
        list(RunFilter {
            workflow: Some("other".into()),
            ..Default::default()
        })
        .is_empty()
    );
    assert_eq!(
        list(RunFilter {
            path: Some("flows/signal.yaml".into()),
            ..Default::default()
        })
        .len(),
        3
    );
}

#[test]
fn runs_are_found_by_their_time_and_by_who_took_part() {
    let store = Store::open_memory().unwrap();
    sample(&store, "run-1");
    let mut open = Script::new("run-2");
    open.create(digest_of(b"")).begin("author", 1, 1);
    open.save(&store);
    let began = store.run("run-1").unwrap().unwrap().created_at;
    let list = |filter: RunFilter| -> Vec<String> {
        let rows = store.runs(&filter).unwrap();
        rows.into_iter().map(|row| row.run.to_string()).collect()
    };
    let by = |name: &str| {
        list(RunFilter {
            by: Some(name.into()),
            ..Default::default()
        })
    };
    assert_eq!(by("Ada"), ["run-2", "run-1"], "who started it");
    assert_eq!(by("Grace"), ["run-1"], "who answered in it");
    assert_eq!(by(" grACE"), ["run-1"], "capital letters make nobody another");
    assert_eq!(store.written("ada").unwrap(), ["Ada"]);
    assert!(store.written("gra").unwrap().is_empty());
    assert!(by("gra").is_empty(), "a name, not a part of one");
    assert_eq!(store.people().unwrap(), ["Ada", "Grace"]);
    let within = |since: Option<i64>, until: Option<i64>| {
        list(RunFilter {
            since: since.map(At),
            until: until.map(At),
            ..Default::default()
        })
    };
    assert_eq!(within(Some(began.0), Some(began.0 + 1)).len(), 2);
    assert!(within(Some(began.0 + 1), None).is_empty());
    assert!(within(None, Some(began.0)).is_empty(), "the end is not part of it");
    let workflow = store.run("run-1").unwrap().unwrap().workflow;
    let begun = |since: i64| -> Vec<String> {
        let begun = store.begun_since(&workflow, At(since)).unwrap().into_iter();
        begun.map(|(run, by)| format!("{run} by {by}")).collect()
    };
    assert_eq!(begun(began.0), ["run-1 by Ada", "run-2 by Ada"]);
    assert!(begun(began.0 + 1).is_empty());
}

/// Whoever answers under another name signs with the key of their own.
#[test]
fn an_answer_under_another_name_is_also_that_of_whose_key_it_is() {
    let store = Store::open_memory().unwrap();
    sample(&store, "run-1");
    store
        .sql(|c| {
            c.execute(
                "UPDATE gates SET decision = json_set(decision, '$.key_name', 'Hedy')",
                [],
            )
        })
        .unwrap();
    for name in ["Grace", "hedy"] {
        let filter = RunFilter {
            by: Some(name.into()),
            ..Default::default()
        };
        assert_eq!(store.runs(&filter).unwrap().len(), 1, "{name}");
    }
    assert_eq!(store.people().unwrap(), ["Ada", "Grace", "Hedy"]);
    // Of a key that belongs to no other name whoever signs with it is the same person under each.
    let signed = |run: &str, by: &str, key: &str| {
        let json = "json_set(decision, '$.by', ?2, '$.signature.key', ?3, '$.key_name', NULL)";
        let update = format!("UPDATE gates SET decision = {json} WHERE run_id = ?1");
        store.sql(|c| c.execute(&update, [run, by, key])).unwrap();
    };
    for run in ["run-2", "run-3", "run-4"] {
        sample(&store, run);
    }
    signed("run-1", "José", "aa");
    signed("run-2", "Jose\u{301}", "bb");
    signed("run-3", "Ida", "aa");
    signed("run-4", "Bo", "cc");
    let by = |name: &str| -> Vec<String> {
        let filter = RunFilter {
            by: Some(name.into()),
            ..Default::default()
        };
        let rows = store.runs(&filter).unwrap();
        rows.into_iter().map(|row| row.run.to_string()).collect()
    };
    let mut all = by("JOSE\u{301}");
    all.sort();
    assert_eq!(all, ["run-1", "run-2", "run-3"]);
    assert_eq!(by("bo"), ["run-4"]);
}

/// One answer that cannot be read keeps nobody from the list.
#[test]
fn an_answer_that_cannot_be_read_is_nobodys() {
    let store = Store::open_memory().unwrap();
    sample(&store, "run-1");
    store
        .sql(|c| c.execute("UPDATE gates SET decision = 'no json'", []))
        .unwrap();
    let filter = RunFilter {
        by: Some("Ada".into()),
        ..Default::default()
    };
    assert_eq!(store.runs(&filter).unwrap().len(), 1);
    assert_eq!(store.people().unwrap(), ["Ada"]);
}

#[test]
fn a_gate_waits_until_it_is_answered() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    s.create(digest_of(b""))
        .begin("publish", 1, 1)
        .end("publish", 1, 1, reported(&[]), None)
        .push(gate("publish", 1, 1, Vec::new()));
    s.save(&store);
    let waiting = store.waiting().unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (waiting[0].opened.question.as_str(), waiting[0].opened.round),
        ("Go on?", 1)
    );
    assert_eq!(store.run("run-1").unwrap().unwrap().status, StatusWord::Blocked);
    assert!(store.decided(10).unwrap().is_empty());

    let seq = s.state.seq;
    s.push(answer("publish", 1, Answer::Approve, Vec::new()));
    store.append(&s.run, seq, &s.batch[seq as usize..], &s.state).unwrap();
    assert!(store.waiting().unwrap().is_empty());
    let decided = store.decided(10).unwrap();
    assert_eq!(
        (decided[0].decision.by.as_str(), decided[0].decision.answer),
        ("Grace", Answer::Approve)
    );
    assert_eq!(decided[0].decided_at, s.batch.last().unwrap().0);
}

#[test]
fn one_driver_at_a_time() {
    let store = Store::open_memory().unwrap();
    let run = RunId::from("run-1");
    assert_eq!(store.lease(&run).unwrap(), None);
    let first = store
        .take_lease(&run, "desktop, process 1 on host", At(1_000), 500)
        .unwrap();
    let refused = store.take_lease(&run, "cli, process 2 on host", At(1_499), 500);
    assert!(
        matches!(&refused, Err(Error::Leased { owner, .. }) if owner.starts_with("desktop")),
        "{refused:?}"
    );
    let first = store.renew_lease(&first, At(1_400), 500).unwrap();
    assert!(store.take_lease(&run, "cli", At(1_600), 500).is_err());
    let second = store
        .take_lease(&run, "cli, process 2 on host", At(1_900), 500)
        .unwrap();
    assert!(matches!(
        store.renew_lease(&first, At(1_901), 500),
        Err(Error::LeaseLost { .. })
    ));
    store.release_lease(&first).unwrap();
    assert_eq!(store.lease(&run).unwrap().unwrap().owner, "cli, process 2 on host");
    store.release_lease(&second).unwrap();
    assert_eq!(store.lease(&run).unwrap(), None);
    let third = store.take_lease(&run, "desktop", At(1_902), 500).unwrap();
    assert!(third.token > second.token);
    assert!(
        store.renew_lease(&second, At(1_903), 500).is_err(),
        "a released lease never comes back"
    );
}

#[test]
fn blobs_are_named_by_their_content() {
    let store = Store::open_memory().unwrap();
    let digest = store.put_blob(b"abc").unwrap();
    assert_eq!(
        digest.as_str(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(store.put_blob(b"abc").unwrap(), digest);
    assert_eq!(store.blob(&digest).unwrap(), b"abc");
    assert!(matches!(
        store.blob(&digest_of(b"other")),
        Err(Error::UnknownBlob { .. })
    ));
    store
        .writer()
        .execute_batch("DROP TRIGGER blobs_are_never_updated; UPDATE blobs SET bytes = x'00'")
        .unwrap();
    assert!(matches!(store.blob(&digest), Err(Error::BlobChanged { .. })));
}

#[test]
fn settings_and_the_journal_survive() {
    let project = tempfile::tempdir().unwrap();
    let (a, b, c) = (digest_of(b"a"), digest_of(b"b"), digest_of(b"c"));
    {
        let store = Store::open(project.path()).unwrap();
        store.set_setting("theme", "dark").unwrap();
        store.set_setting("theme", "light").unwrap();
        assert_eq!(store.journal_push("f.yaml", &a, &b, "one", "[1]").unwrap(), 1);
        assert_eq!(store.journal_push("f.yaml", &b, &c, "two", "[2]").unwrap(), 2);
        store.journal_mark("f.yaml", 2, true).unwrap();
    }
    let store = Store::open(project.path()).unwrap();
    assert_eq!(store.setting("theme").unwrap().as_deref(), Some("light"));
    assert_eq!(store.setting("nothing").unwrap(), None);
    let labels = |path: &str| {
        store
            .journal(path)
            .unwrap()
            .into_iter()
            .map(|e| (e.seq, e.label, e.undone))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        labels("f.yaml"),
        [(1, "one".to_owned(), false), (2, "two".to_owned(), true)]
    );
    store.journal_push("f.yaml", &b, &a, "three", "[3]").unwrap();
    assert_eq!(
        labels("f.yaml"),
        [(1, "one".to_owned(), false), (2, "three".to_owned(), false)]
    );
    // What had been undone is no entry any more that could be redone, and stays known.
    let given_up = |path: &str| {
        let entries = store.journal_given_up(path).unwrap().into_iter();
        entries.map(|e| (e.label, e.after)).collect::<Vec<_>>()
    };
    assert_eq!(given_up("f.yaml"), [("two".to_owned(), c.clone())]);
    assert!(labels("g.yaml").is_empty());
    // Of two that find one change the first notes it; what was undone stays undone.
    store.journal_mark("f.yaml", 2, true).unwrap();
    let found = || store.journal_found("f.yaml", &b, &c, "found", "{}", None).unwrap();
    assert!(!found(), "nobody has looked at it");
    store.journal_know("f.yaml", &b).unwrap();
    assert_eq!((found(), found()), (true, false));
    assert_eq!(store.journal_known("f.yaml").unwrap(), Some(c.clone()));
    assert_eq!(
        labels("f.yaml")[1..],
        [(2, "three".to_owned(), true), (3, "found".to_owned(), false)]
    );
    // The next one becomes part of it; one that is said to and does not go on from it is one of its own.
    let grown = |before, after, into| {
        store
            .journal_found("f.yaml", before, after, "found", "{}", into)
            .unwrap()
    };
    assert!(grown(&c, &a, Some(3)) && grown(&a, &c, Some(1)));
    let made: Vec<_> = store
        .journal("f.yaml")
        .unwrap()
        .into_iter()
        .map(|e| (e.seq, e.after))
        .collect();
    assert_eq!(made[1..], [(2, a.clone()), (3, a.clone()), (4, c.clone())]);
    store.journal_forget("f.yaml").unwrap();
    assert_eq!(store.journal_known("f.yaml").unwrap(), None);
    store.journal_know("f.yaml", &c).unwrap();
    // Behind those of one that stood where it goes.
    let (before, after) = (digest_of(b"a"), digest_of(b"b"));
    store.journal_push("g.yaml", &before, &after, "theirs", "{}").unwrap();
    let own = store.journal("f.yaml").unwrap();
    store.journal_move("f.yaml", "g.yaml").unwrap();
    assert!(store.journal("f.yaml").unwrap().is_empty());
    assert_eq!(
        (given_up("f.yaml"), given_up("g.yaml")),
        (Vec::new(), vec![("two".to_owned(), c.clone())])
    );
    assert_eq!(store.journal_known("f.yaml").unwrap(), None);
    assert_eq!(store.journal_known("g.yaml").unwrap(), Some(c.clone()));
    let labels: Vec<String> = store
        .journal("g.yaml")
        .unwrap()
        .into_iter()
        .map(|entry| entry.label)
        .collect();
    let mut wanted = vec!["theirs".to_owned()];
    wanted.extend(own.into_iter().map(|entry| entry.label));
    assert_eq!(labels, wanted);
}

#[test]
fn of_what_was_given_up_the_oldest_goes() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let text = |n: u32| digest_of(&n.to_be_bytes());
    for n in 1..=130 {
        let seq = store.journal_push("f.yaml", &text(0), &text(n), "mine", "{}").unwrap();
        store.journal_mark("f.yaml", seq, true).unwrap();
    }
    let given_up = store.journal_given_up("f.yaml").unwrap();
    assert_eq!((given_up.len(), store.journal("f.yaml").unwrap().len()), (100, 1));
    assert_eq!((&given_up[0].after, &given_up[99].after), (&text(30), &text(129)));
}

#[test]
fn of_what_was_found_the_oldest_goes() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let text = |n: u32| digest_of(&n.to_be_bytes());
    store.journal_push("f.yaml", &text(0), &text(1), "mine", "{}").unwrap();
    store.journal_know("f.yaml", &text(1)).unwrap();
    for n in 1..=130 {
        assert!(
            store
                .journal_found("f.yaml", &text(n), &text(n + 1), "found", "{}", None)
                .unwrap()
        );
    }
    let journal = store.journal("f.yaml").unwrap();
    assert_eq!((journal.len(), journal[0].label.as_str()), (101, "mine"));
    assert_eq!((&journal[1].before, &journal[100].after), (&text(31), &text(131)));
}
