//! Appending against SQLite alone, in one run: `cargo test -p store speed -- --ignored --nocapture`.

use super::*;
use crate::Append;
use std::sync::Arc;
use std::time::{Duration, Instant};

const STEPS: usize = 400;
const ROUNDS: usize = 7;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// What one step of a linear run appends: end, route, next start.
fn step_events(i: u32) -> Vec<Event> {
    let (this, next) = (format!("step-{i}"), format!("step-{}", i + 1));
    vec![
        Event::AttemptEnded {
            instance: instance(&this, 1),
            attempt: 1,
            result: Arc::new(reported(&[("status", "DONE")])),
            retry_at: None,
        },
        Event::Routed(Arc::new(RouteDecision {
            runbook: None,
            branch: None,
            detour: None,
            from: instance(&this, 1),
            to: Some(StepId::new(next.as_str())),
            decision: RouteKind::Advance,
            reason: "linear_explicit".into(),
            source: RouteSource::Deterministic,
            looked_at: Fields::new(),
            alternatives: Vec::new(),
            loop_count: None,
            edge: None,
            loop_state: Arc::default(),
        })),
        Event::AttemptStarted(Arc::new(AttemptStarted {
            instance: instance(&next, 1),
            attempt: 1,
            agents: vec![AgentKey::new("agent")],
            engine: EngineInfo::stub(),
            crew: vec![],
            comments: Vec::new(),
        })),
    ]
}

/// One small insert a commit, WAL and synced: the machine's own limit.
fn raw(folder: &std::path::Path) -> Duration {
    let c = rusqlite::Connection::open(folder.join("raw.db")).unwrap();
    let _: String = c
        .pragma_update_and_check(None, "journal_mode", "wal", |r| r.get(0))
        .unwrap();
    c.pragma_update(None, "synchronous", "full").unwrap();
    c.execute_batch("CREATE TABLE IF NOT EXISTS e (seq INTEGER PRIMARY KEY, body BLOB)")
        .unwrap();
    let body = vec![7_u8; 300];
    let start = Instant::now();
    for _ in 0..STEPS {
        c.prepare_cached("INSERT INTO e (body) VALUES (?1)")
            .unwrap()
            .execute([&body])
            .unwrap();
    }
    start.elapsed()
}

#[test]
#[ignore = "a measurement, not a test: it prints ratios"]
fn append_against_raw() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (mut limits, mut ours, mut grouped) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        limits.push(raw(folder.path()));
        let mut s = Script::new(&format!("0199-{round}"));
        s.create(store.put_blob(b"x").unwrap()).begin("step-0", 1, 1);
        s.save(&store);
        let start = Instant::now();
        for i in 0..STEPS as u32 {
            let seq = s.state.seq;
            let from = s.batch.len();
            for event in step_events(i) {
                s.push(event);
            }
            store.append(&s.run, seq, &s.batch[from..], &s.state).unwrap();
        }
        ours.push(start.elapsed());

        // Decided before the clock starts: only the appending is measured.
        let mut s = Script::new(&format!("0199-group-{round}"));
        s.create(store.put_blob(b"x").unwrap()).begin("step-0", 1, 1);
        s.save(&store);
        let mut steps = Vec::new();
        for i in 0..STEPS as u32 {
            let (seq, from) = (s.state.seq, s.batch.len());
            for event in step_events(i) {
                s.push(event);
            }
            steps.push((seq, from..s.batch.len(), s.state.clone()));
        }
        let start = Instant::now();
        for group in steps.chunks(40) {
            let batches: Vec<Append<'_>> = group
                .iter()
                .map(|(seq, range, state)| Append {
                    run: &s.run,
                    expected_seq: *seq,
                    batch: &s.batch[range.clone()],
                    after: state,
                })
                .collect();
            assert!(store.append_many(&batches).unwrap().iter().all(Result::is_ok));
        }
        grouped.push(start.elapsed());
    }
    let (limit, ours, grouped) = (median(limits), median(ours), median(grouped));
    let per_second = |t: Duration| STEPS as f64 / t.as_secs_f64();
    eprintln!("raw commits/s        {:>8.0}", per_second(limit));
    eprintln!(
        "steps/s, one commit  {:>8.0}  ratio {:.2}",
        per_second(ours),
        limit.as_secs_f64() / ours.as_secs_f64()
    );
    eprintln!(
        "steps/s, grouped 40  {:>8.0}  ratio {:.2}",
        per_second(grouped),
        limit.as_secs_f64() / grouped.as_secs_f64()
    );

    let mut s = Script::new("0199-long");
    s.create(store.put_blob(b"x").unwrap()).begin("step-0", 1, 1);
    for i in 0..33_000 {
        for event in step_events(i) {
            s.push(event);
        }
    }
    s.save(&store);
    let start = Instant::now();
    store.load(&s.run).unwrap();
    let folded = start.elapsed();
    let start = Instant::now();
    assert_eq!(store.verify_chain(&s.run).unwrap(), []);
    let chain = start.elapsed();
    let start = Instant::now();
    assert_eq!(store.verify(&s.run).unwrap(), []);
    let whole = start.elapsed();
    eprintln!(
        "{} events: folded in {folded:?}, chain checked in {chain:?}, all of it in {whole:?}",
        s.batch.len()
    );
}

/// A StepSpec run of so many steps, each with a tool call, a file, a record of evidence and a gate.
fn recorded(store: &Store, steps: u32) -> Vec<crate::Stored> {
    let mut s = Script::new(&format!("0199-files-{steps}"));
    s.create(store.put_blob(b"x").unwrap());
    if let Event::RunCreated(created) = &mut s.batch[0].1 {
        Arc::make_mut(created).format = Format::StepSpec;
    }
    s.state = fold(s.batch.iter().map(|(at, event)| (*at, event)));
    for i in 0..steps {
        let (step, path) = (format!("step-{i}"), format!("docs/{i}.md"));
        let artifact = Artifact {
            digest: crate::digest_of(path.as_bytes()),
            path: path.clone(),
            bytes: 9,
            was_there: false,
            executable: None,
        };
        let evidence = Evidence {
            id: format!("ev:{i}"),
            claim: "It is complete.".into(),
            level: Level::L0,
            source: "writer".into(),
            date: "2025-01-15".into(),
            valid_until: "2026-01-15".into(),
            congruence: "CL2".into(),
            reliability: 0.9,
            wlnk: 0.72,
            carrier_ref: path.clone(),
            artifacts: vec![About {
                path,
                digest: artifact.digest.clone(),
            }],
            notes: String::new(),
            asked: Some(Level::L1),
        };
        let mut result = reported(&[]);
        result.artifacts = vec![artifact.clone()];
        result.lifecycle = Some(Box::new(Lifecycle {
            evidence: vec![evidence],
            ..Lifecycle::default()
        }));
        s.begin(&step, 1, 1).end(&step, 1, 1, result, None);
        s.push(gate(&step, 1, 1, vec![artifact.clone()]));
        s.push(answer(&step, 1, Answer::Approve, vec![artifact.digest]));
        s.route(&step, 1, Some("next"), RouteKind::Advance, "linear_default", None, &[]);
    }
    s.complete(EndStatus::Succeeded, None);
    s.save(store);
    store.events(&s.run, 0, usize::MAX).unwrap()
}

#[test]
#[ignore = "a measurement, not a test: it prints times"]
fn rendering_grows_with_the_log() {
    let store = Store::open_memory().unwrap();
    for steps in [500, 1_000, 2_000, 4_000] {
        let events = recorded(&store, steps);
        let start = Instant::now();
        let files = crate::rundir::render(&events, &facts(), &|_| None);
        let bytes: usize = files.values().map(Vec::len).sum();
        eprintln!(
            "{} events, {} files, {bytes} bytes: {:?}",
            events.len(),
            files.len(),
            start.elapsed()
        );
    }
}
