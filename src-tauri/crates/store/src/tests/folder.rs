//! A run's folder that grows event by event, against the whole renderer.

use super::folder_runs::Seed;
use super::*;
use crate::rundir::{Files, Follower, RunFolder, render};
use crate::{Append, Stored};
use std::path::{Path, PathBuf};

/// Every log that a test here saves: after every prefix, and in strides, the files built by changes are those that are
/// rendered.
pub(super) fn grows(store: &Store, run: &RunId, facts: &Facts) {
    let events = store.events(run, 0, usize::MAX).unwrap();
    let blob = |digest: &Digest| store.blob(digest).ok();
    // A long log costs its square.
    for stride in [1 + events.len() / 80, events.len().max(1)] {
        let (mut folder, mut files) = (RunFolder::new(facts.clone()), Files::new());
        for (n, stored) in (1..).zip(&events) {
            folder.push(stored);
            if n % stride != 0 && n != events.len() {
                continue;
            }
            for change in folder.changes(&blob) {
                let said = format!("{change:?}");
                change
                    .apply(&mut files)
                    .unwrap_or_else(|why| panic!("event {n}: {why}: {said}"));
            }
            same(
                &files,
                &render(&events[..n], facts, &blob),
                &format!("{n} events, {stride} at a time"),
            );
        }
        assert_eq!(folder.changes(&blob), [], "nothing has happened since");
    }
}

fn same(files: &Files, should: &Files, when: &str) {
    assert!(
        files.keys().eq(should.keys()),
        "{when}: {:?}, not {:?}",
        files.keys(),
        should.keys()
    );
    for (path, bytes) in should {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&files[path]), text(bytes), "{when}: {path}");
    }
}

fn on_disk(dir: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    files
}

/// Two attempts of one step by different agents, one whose transcript is missing, and a step that comes again.
fn changing_hands(store: &Store, run: &str) -> Script {
    let mut s = Script::new(run);
    s.create(store.put_blob(b"").unwrap());
    for (visit, (step, agent)) in [("a", "x"), ("b", "x"), ("a", "y"), ("a", "y"), ("a", "x"), ("b", "z")]
        .iter()
        .enumerate()
    {
        let visit = visit as u32 + 1;
        s.push(Event::AttemptStarted(Arc::new(AttemptStarted {
            instance: instance(step, visit),
            attempt: 1,
            agents: vec![AgentKey::new(*agent)],
            engine: EngineInfo::stub(),
            crew: vec![],
            comments: Vec::new(),
        })));
        let mut result = reported(&[("visit", &visit.to_string())]);
        result.transcript = match visit {
            3 => Some(crate::digest_of(b"nobody has kept this")),
            _ => Some(store.put_blob(format!("said in visit {visit}\n").as_bytes()).unwrap()),
        };
        s.end(step, visit, 1, result, None);
    }
    s
}

#[test]
fn names_that_pass_from_one_attempt_to_another() {
    let store = Store::open_memory().unwrap();
    changing_hands(&store, "run-1").save(&store);
}

/// Random runs of every format ([`Seed::run`]): what they come to, and that the files grow with them.
#[test]
fn random_runs_of_every_format_grow_as_they_are_rendered() {
    let store = Store::open_memory().unwrap();
    let (mut events, mut seen) = (0, std::collections::BTreeSet::new());
    for format in [Format::Stepwise, Format::Pipeline, Format::Rundown, Format::StepSpec] {
        for seed in 0..60 {
            let (script, facts) = Seed(seed).run(&store, format, &format!("{format:?}-{seed}"));
            store.append(&script.run, 0, &script.batch, &script.state).unwrap();
            grows(&store, &script.run, &facts);
            events += script.batch.len();
            seen.extend(script.batch.iter().map(|(_, event)| {
                let event = serde_json::to_value(event).unwrap();
                event["type"].as_str().unwrap().to_owned()
            }));
        }
    }
    assert!(events > 3_000, "{events} events");
    assert_eq!(seen.len(), 22, "every kind of event happens: {seen:?}");
}

pub(super) fn append(store: &Store, s: &Script, from: usize, to: usize) {
    if from == to {
        return;
    }
    let after = fold(s.batch[..to].iter().map(|(at, event)| (*at, event)));
    let batch = Append {
        run: &s.run,
        expected_seq: from as u64,
        batch: &s.batch[from..to],
        after: &after,
    };
    store.append_many(&[batch]).unwrap().remove(0).unwrap();
}

#[test]
fn the_files_follow_the_log_on_disk_whoever_takes_them_up() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let whole: &dyn Fn(&str) -> Script = &|run| {
        let memory = Store::open_memory().unwrap();
        sample(&memory, run)
    };
    let passing: &dyn Fn(&str) -> Script = &|run| changing_hands(&store, run);
    for (name, make) in [("whole", whole), ("passing", passing)] {
        for stop in 1..make("x").batch.len() {
            let s = make(&format!("{name}-{stop}"));
            let dir = store.run_dir(&s.run).unwrap();
            let should = || store.render_run(&s.run, &facts()).unwrap();
            let follower = || Follower::new(Arc::clone(&store), s.run.clone(), facts());
            append(&store, &s, 0, stop);
            let mut first = follower();
            first.catch_up().unwrap();
            same(&on_disk(&dir), &should(), "opened");
            for n in stop..s.batch.len() {
                append(&store, &s, n, n + 1);
                first.catch_up().unwrap();
                same(&on_disk(&dir), &should(), "followed");
            }
            // Whoever begins anew finds nothing to do, and one who finds the files of an earlier event brings them up
            // to date.
            follower().catch_up().unwrap();
            same(&on_disk(&dir), &should(), "taken up");
        }
    }
}

/// A run whose log is whole and whose files were written up to an event: where they lie, its events, and its folder as of then.
fn written(store: &Store, s: &Script, told: usize) -> (PathBuf, Vec<Stored>, RunFolder) {
    let blob = |digest: &Digest| store.blob(digest).ok();
    let dir = store.run_dir(&s.run).unwrap();
    append(store, s, 0, s.batch.len());
    let events = store.events(&s.run, 0, usize::MAX).unwrap();
    let mut folder = RunFolder::new(facts());
    events[..told].iter().for_each(|stored| folder.push(stored));
    folder.changes(&blob);
    crate::rundir::write(&dir, &render(&events[..told], &facts(), &blob)).unwrap();
    (dir, events, folder)
}

#[test]
fn what_many_events_have_left_is_written_piece_by_piece() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    for stop in 1..changing_hands(&store, "x").batch.len() {
        let s = changing_hands(&store, &format!("run-{stop}"));
        let dir = store.run_dir(&s.run).unwrap();
        let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
        append(&store, &s, 0, stop);
        follower.catch_up().unwrap();
        append(&store, &s, stop, s.batch.len());
        follower.catch_up().unwrap();
        same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "at once");
    }
}

#[test]
fn who_is_stopped_behind_a_page_leaves_files_that_are_behind() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let blob = |digest: &Digest| store.blob(digest).ok();
    for told in 1..8 {
        let s = changing_hands(&store, &format!("run-{told}"));
        let (dir, events, mut folder) = written(&store, &s, told);
        for page in events[told..].chunks(3).take(2) {
            page.iter().for_each(|stored| folder.push(stored));
            crate::rundir::change(&dir, &folder.changes_of_events(&blob)).unwrap();
            let behind = store.files_are_behind(&s.run, &facts(), true).unwrap();
            assert_eq!(behind, Some(told), "stopped behind event {}", folder.seq());
        }
        let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
        follower.catch_up().unwrap();
        same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "mended");
    }
}

#[test]
fn who_is_stopped_between_two_changes_leaves_nothing_that_the_next_one_does_not_mend() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let blob = |digest: &Digest| store.blob(digest).ok();
    for (half, stop) in [(2, 5), (4, 7), (6, 9), (8, 11), (10, 14), (4, 14)] {
        for done in 0..40 {
            let s = changing_hands(&store, &format!("run-{half}-{stop}-{done}"));
            let (dir, events, mut folder) = written(&store, &s, half);
            events[half..stop].iter().for_each(|stored| folder.push(stored));
            let changes = folder.changes(&blob);
            if done > changes.len() {
                break;
            }
            crate::rundir::change(&dir, &changes[..done]).unwrap();
            if done < changes.len() {
                assert!(
                    store.files_are_behind(&s.run, &facts(), true).unwrap().is_some(),
                    "files of a driver that was stopped are behind, and not changed: {:?}",
                    &changes[..done]
                );
            }
            Follower::new(Arc::clone(&store), s.run.clone(), facts())
                .catch_up()
                .unwrap();
            same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "mended");
        }
    }
}

#[test]
fn a_file_that_somebody_changed_meanwhile_is_made_again() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let s = sample(&Store::open_memory().unwrap(), "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
    append(&store, &s, 0, 4);
    follower.catch_up().unwrap();
    std::fs::write(dir.join("events.jsonl"), "nothing happened\n").unwrap();
    append(&store, &s, 4, 8);
    follower.catch_up().unwrap();
    same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "changed");
    std::fs::remove_dir_all(&dir).unwrap();
    append(&store, &s, 8, s.batch.len());
    follower.catch_up().unwrap();
    same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "deleted");
}

#[test]
fn files_that_tell_of_another_log_are_named_and_kept() {
    use crate::FindingKind;
    let whole = sample(&Store::open_memory().unwrap(), "run-1");
    let end = whole.batch.len();
    type Way<'a> = &'a dyn Fn(&Arc<Store>);
    let ways: [Way<'_>; 4] = [
        &|store| drop(store.rebuild(&whole.run, &facts()).unwrap()),
        &|store| drop(store.follow_restored(&whole.run, &facts()).unwrap()),
        &|store| drop(store.write_run_dir(&whole.run, &facts()).unwrap()),
        &|store| {
            let mut follower = Follower::new(Arc::clone(store), whole.run.clone(), facts());
            follower.catch_up().unwrap();
        },
    ];
    for write in ways {
        let project = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(project.path()).unwrap());
        let dir = store.run_dir(&whole.run).unwrap();
        append(&store, &whole, 0, end);
        write(&store);
        let then = on_disk(&dir);
        drop(store);
        // The history is put back to what it was before.
        std::fs::remove_file(project.path().join(".gatehouse/history.db")).unwrap();
        let store = Arc::new(Store::open(project.path()).unwrap());
        append(&store, &whole, 0, end - 3);
        let now = store.render_run(&whole.run, &facts()).unwrap();
        let found = store.verify_files(&whole.run, &now).unwrap();
        assert_eq!(found.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::Ahead]);
        assert!(
            found[0].message.contains("3 events that this log does not have"),
            "{found:?}"
        );
        assert_eq!(store.files_aside(&whole.run), None);
        write(&store);
        let aside = store.files_aside(&whole.run).unwrap();
        let kept = on_disk(&aside);
        for path in ["events.jsonl", "run.json"] {
            assert_eq!(kept.get(path), then.get(path), "{path}");
        }
        assert_eq!(store.verify_files(&whole.run, &now).unwrap(), []);
        // Once is enough.
        write(&store);
        assert_eq!(store.files_aside(&whole.run), Some(aside));
    }
}

/// Whoever changed a file would be glad if it was written anew without a word.
#[test]
fn a_history_that_is_put_back_mends_no_file_that_somebody_changed() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    store.write_run_dir(&s.run, &facts()).unwrap();
    std::fs::write(dir.join("gates.json"), "{}").unwrap();
    assert_eq!(store.follow_restored(&s.run, &facts()).unwrap(), None);
    assert_eq!(std::fs::read(dir.join("gates.json")).unwrap(), b"{}");
}

#[test]
fn half_a_line_that_a_torn_write_left_is_behind_and_not_changed() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let s = sample(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    let events: Vec<Stored> = store.events(&s.run, 0, usize::MAX).unwrap();
    let blob = |digest: &Digest| store.blob(digest).ok();
    let told = events.len() - 3;
    let then = render(&events[..told], &facts(), &blob);
    let now = store.render_run(&s.run, &facts()).unwrap();
    crate::rundir::write(&dir, &then).unwrap();
    let stream = |bytes: &[u8]| std::fs::write(dir.join("events.jsonl"), bytes).unwrap();
    let behind = || store.files_are_behind(&s.run, &facts(), true).unwrap();
    let (from, to) = (then["events.jsonl"].len(), now["events.jsonl"].len());
    assert!(from + 8 < to);
    for end in [from, from + 7, to - 1] {
        stream(&now["events.jsonl"][..end]);
        assert_eq!(behind(), Some(told), "{end}");
    }
    stream(&now["events.jsonl"][..from - 1]);
    assert_eq!(behind(), None, "what was written before is missing");
    let mut other = now["events.jsonl"][..from + 7].to_vec();
    other[from + 3] ^= 1;
    stream(&other);
    assert_eq!(behind(), None, "it is no part of the log");
}

#[test]
fn a_folder_that_is_deleted_is_made_again_by_the_next_event_whatever_it_adds() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    for stop in 1..sample(&Store::open_memory().unwrap(), "x").batch.len() {
        let s = sample(&Store::open_memory().unwrap(), &format!("run-{stop}"));
        let dir = store.run_dir(&s.run).unwrap();
        let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
        append(&store, &s, 0, stop);
        follower.catch_up().unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        append(&store, &s, stop, stop + 1);
        follower.catch_up().unwrap();
        same(&on_disk(&dir), &store.render_run(&s.run, &facts()).unwrap(), "deleted");
    }
}

#[test]
fn a_history_that_cannot_be_read_now_is_not_one_that_lacks_something() {
    let project = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(project.path()).unwrap());
    let s = changing_hands(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    let raw = rusqlite::Connection::open(project.path().join(".gatehouse/history.db")).unwrap();
    let rename = |from: &str, to: &str| {
        raw.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}"))
            .unwrap()
    };
    for stop in 3..s.batch.len() {
        let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
        append(&store, &s, if stop == 3 { 0 } else { stop - 1 }, stop);
        rename("blobs", "elsewhere");
        let ended = |(_, event): &(At, Event)| matches!(event, Event::AttemptEnded { .. });
        let needs = s.batch[..stop].iter().any(ended);
        assert_eq!(follower.catch_up().is_err(), needs, "{stop}");
        assert_eq!(store.render_run(&s.run, &facts()).is_err(), needs, "{stop}");
        rename("elsewhere", "blobs");
        follower.catch_up().unwrap();
        same(
            &on_disk(&dir),
            &store.render_run(&s.run, &facts()).unwrap(),
            "read again",
        );
    }
}

fn median(mut times: Vec<std::time::Duration>) -> std::time::Duration {
    times.sort();
    times[times.len() / 2]
}

/// What one more step costs behind a log of a length: `cargo test -p store --release grows_at -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement, not a test: it prints times"]
fn what_an_event_costs_grows_at_no_length() {
    for before in [1_000, 10_000, 100_000] {
        let project = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(project.path()).unwrap());
        let mut s = Script::new(&format!("run-{before}"));
        s.create(store.put_blob(b"").unwrap());
        let mut visit = 0;
        let mut step = |s: &mut Script| {
            visit += 1;
            s.begin("author", visit, 1);
            s.end("author", visit, 1, reported(&[("status", "DONE")]), None);
            s.route("author", visit, Some("author"), RouteKind::Loop, "again", None, &[]);
        };
        while s.batch.len() < before {
            step(&mut s);
        }
        append(&store, &s, 0, s.batch.len());
        let mut follower = Follower::new(Arc::clone(&store), s.run.clone(), facts());
        let begun = std::time::Instant::now();
        follower.catch_up().unwrap();
        let opened = begun.elapsed();
        const STEPS: usize = 100;
        let mut folder = RunFolder::new(facts());
        let blob = |digest: &Digest| store.blob(digest).ok();
        for stored in store.events(&s.run, 0, usize::MAX).unwrap() {
            folder.push(&stored);
        }
        folder.changes(&blob);
        let (mut said, mut done) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let from = s.batch.len();
            step(&mut s);
            let new = store.append(&s.run, from as u64, &s.batch[from..], &s.state).unwrap();
            let begun = std::time::Instant::now();
            new.iter().for_each(|stored| folder.push(stored));
            folder.changes(&blob);
            said.push(begun.elapsed());
            let begun = std::time::Instant::now();
            follower.catch_up().unwrap();
            done.push(begun.elapsed());
        }
        let begun = std::time::Instant::now();
        store.write_run_dir(&s.run, &facts()).unwrap();
        let rendered = begun.elapsed();
        eprintln!(
            "{before:>7} events: opened in {opened:?}; then a step of three events: {:?} until it is said, {:?} until it is \
             done; rendered anew {rendered:?}",
            median(said),
            median(done)
        );
    }
}
