//! One driver a run; what a dead or dismissed driver leaves behind.

use crate::harness::{ONE, Project, alive, ended, within};
use engine::{Answer, Decision, Event, RunId, RunStatus};
use runtime::{Control, End, Error, Options, Owner};
use std::sync::Arc;
use std::time::Duration;
use store::{Facts, Head};

/// Runs until a file `go` is there.
const WAITS: &str = "echo $$ >> pids; while [ ! -e go ]; do sleep 0.02; done";

fn interruptions(project: &Project, run: &engine::RunId) -> usize {
    project
        .events(run)
        .iter()
        .filter(|e| matches!(e, Event::AttemptInterrupted { .. }))
        .count()
}

#[tokio::test]
async fn a_second_driver_is_told_who_drives() {
    let project = Project::shell(WAITS);
    let run = project.start(ONE, None);
    let control = Control::default();
    let driving = project.driving(
        &run,
        Options {
            render: None,
            ..Options::of("cli")
        },
        &control,
    );
    project.until_file("pids").await;
    match project
        .driver(Project::options())
        .drive(&run, &Control::default())
        .await
    {
        Err(error @ Error::Driven { .. }) => {
            assert!(
                error
                    .to_string()
                    .contains(&format!("already driven by cli {}@", std::process::id())),
                "{error}"
            );
        }
        other => panic!("the run is being driven: {other:?}"),
    }
    std::fs::write(project.root.join("go"), "").expect("a file");
    assert_eq!(
        ended(&within(20, driving).await.expect("no panic").expect("driven").1),
        "succeeded"
    );
}

#[tokio::test]
async fn a_dropped_driver_leaves_no_process_and_the_next_one_tries_again() {
    let project = Project::shell(WAITS);
    let run = project.start(ONE, None);
    let short = Options {
        lease_ms: 600,
        ..Project::options()
    };
    let driving = project.driving(&run, short, &Control::default());
    let pid = project.until_file("pids").await;
    driving.abort();
    within(5, driving).await.expect_err("it was dropped");
    let begun = std::time::Instant::now();
    while alive(&pid) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the command outlives its driver"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    std::fs::write(project.root.join("go"), "").expect("a file");
    tokio::time::sleep(Duration::from_millis(700)).await;
    let state = project.drive(&run).await;
    assert_eq!((ended(&state), interruptions(&project, &run)), ("succeeded", 1));
    assert_eq!(state.steps["work"].visits.len(), 1);
}

#[tokio::test]
async fn a_dismissed_driver_says_so_and_the_next_one_goes_on_at_once() {
    let project = Project::shell(WAITS);
    let run = project.start(ONE, None);
    // Closing a window is nobody's failure, however often it happens.
    for times in 1..=5 {
        let control = Control::default();
        let driving = project.driving(&run, Project::options(), &control);
        let pid = project.until_file("pids").await;
        control.stop();
        let (end, state) = within(10, driving).await.expect("no panic").expect("driven");
        assert_eq!((end, state.status), (End::Stopped, RunStatus::Running));
        assert!(!alive(&pid));
        assert_eq!(interruptions(&project, &run), times);
        std::fs::remove_file(project.root.join("pids")).expect("it is there");
    }
    std::fs::write(project.root.join("go"), "").expect("a file");
    let state = project.drive(&run).await;
    assert_eq!((ended(&state), interruptions(&project, &run)), ("succeeded", 5));
}

#[tokio::test]
async fn a_run_that_was_created_and_not_driven_starts_without_an_interruption() {
    let project = Project::shell("true");
    let run = project.start(ONE, None);
    assert_eq!(project.state(&run).status, RunStatus::Running);
    project.drive(&run).await;
    assert_eq!(interruptions(&project, &run), 0);
}

#[tokio::test]
async fn a_driver_that_was_taken_over_stops() {
    let project = Project::shell(WAITS);
    let run = project.start(ONE, None);
    let driving = project.driving(
        &run,
        Options {
            lease_ms: 500,
            ..Project::options()
        },
        &Control::default(),
    );
    let pid = project.until_file("pids").await;
    // As if the first had slept for long: the second takes the lease at a time when it has expired.
    let later = engine::At(runtime::clock::now().0 + 60_000);
    project
        .store
        .take_lease(&run, "desktop 1@elsewhere", later, 10_000)
        .expect("it has expired by then");
    match within(10, driving).await.expect("no panic") {
        Err(Error::Ousted { owner, .. }) => assert_eq!(owner, "desktop 1@elsewhere"),
        other => panic!("it must stop: {other:?}"),
    }
    assert!(!alive(&pid));
    assert_eq!(interruptions(&project, &run), 0);
}

#[tokio::test]
async fn a_driver_that_was_taken_over_writes_nothing_before_it_notices() {
    // It looks at its lease every ten minutes, and its step ends before.
    let project = Project::shell("echo $$ > pids; while [ ! -e go ]; do sleep 0.05; done");
    let run = project.start(ONE, None);
    let options = Options {
        lease_ms: 600_000,
        ..Project::options()
    };
    let driving = project.driving(&run, options, &Control::default());
    project.until_file("pids").await;
    let later = engine::At(runtime::clock::now().0 + 700_000);
    let taken = project.store.take_lease(&run, "desktop 1@elsewhere", later, 10_000);
    taken.expect("it has expired by then");
    let before = project.state(&run).seq;
    std::fs::write(project.root.join("go"), "").expect("the step ends");
    match within(20, driving).await.expect("no panic") {
        Err(Error::Ousted { owner, .. }) => assert_eq!(owner, "desktop 1@elsewhere"),
        other => panic!("it must stop: {other:?}"),
    }
    assert_eq!(
        project.state(&run).seq,
        before,
        "the new owner goes on from what it has seen"
    );
}

const FLOW: &str = "\
key: t
title: T
steps:
  - {id: author, agents: [worker], role: A}
  - {id: critic, agents: [worker], role: B, routing: {kind: microloop, loop_target: author, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 1, next: publish}}
  - {id: publish, agents: [worker], role: C}
";

/// Each execution leaves a line in `done` when it comes to its end.
const COUNTS: &str = "echo \"$GATEHOUSE_STEP $GATEHOUSE_VISIT\" >> done";

/// Starts this very test program on the ignored test below, as a driver that kills itself.
fn driver_that_dies(project: &Project, run: &engine::RunId, when: &str, seq: u64) -> std::process::ExitStatus {
    std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["holding::inner_driver", "--exact", "--ignored"])
        .env("PROBE_PROJECT", &project.root)
        .env("PROBE_RUN", run.as_str())
        .env(format!("GATEHOUSE_KILL_{when}_EVENT"), seq.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .expect("it can be started")
}

#[tokio::test]
#[ignore = "started by the test below"]
async fn inner_driver() {
    let (Some(root), Ok(run)) = (std::env::var_os("PROBE_PROJECT"), std::env::var("PROBE_RUN")) else {
        return;
    };
    let root = std::path::PathBuf::from(root);
    let store = std::sync::Arc::new(store::Store::open(&root).expect("a history"));
    let driver = runtime::Driver::new(store, &root, Project::options()).expect("the folder is there");
    driver.drive(&run.into(), &Control::default()).await.expect("driven");
}

#[tokio::test]
async fn a_driver_killed_at_any_event_is_followed_by_one_that_repeats_nothing_completed() {
    use std::os::unix::process::ExitStatusExt;
    let whole = Project::shell(COUNTS);
    let undisturbed = whole.start(FLOW, None);
    let expected = whole.drive(&undisturbed).await;
    let (last, first) = (expected.seq, 4);
    for seq in first..=last {
        for when in ["BEFORE", "AFTER"] {
            let project = Project::shell(COUNTS);
            let run = project.start(FLOW, None);
            let status = driver_that_dies(&project, &run, when, seq);
            assert_eq!(status.signal(), Some(9), "{when} {seq}");
            let state = project.drive(&run).await;
            assert_eq!(
                (ended(&state), crate::harness::path(&state)),
                (ended(&expected), crate::harness::path(&expected))
            );
            assert_eq!(state.routes.len(), expected.routes.len(), "{when} {seq}");
            assert!(interruptions(&project, &run) <= 1, "{when} {seq}");
            let done = std::fs::read_to_string(project.root.join("done")).expect("written");
            let mut lines: Vec<&str> = done.lines().collect();
            lines.dedup();
            // An attempt that was cut off may have come to its end unseen; one whose end was recorded is not repeated.
            let repeated = done.lines().count() - lines.len();
            assert!(repeated <= interruptions(&project, &run), "{when} {seq}: {done}");
            assert_eq!(
                lines,
                ["author 1", "critic 1", "author 2", "critic 2", "publish 1"],
                "{when} {seq}"
            );
        }
    }
}

/// Somebody who approves in the moment in which a driver has written the files of a run and has not let go of it yet.
struct Late(Arc<Project>);

impl std::fmt::Debug for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Late")
    }
}

impl Owner for Late {
    fn began(&self, _: &RunId, _: Head, _: Option<&RunId>, _: bool) {}

    fn saw(&self, run: &RunId, _: u64) {
        if self.0.state(run).waiting().is_some() {
            self.0.answer(run, Answer::Approve, "Ann", "").expect("it waits");
        }
    }

    fn seen(&self, _: &RunId) -> u64 {
        0
    }

    fn doubt(&self, _: &RunId, _: u64) -> Option<String> {
        None
    }

    fn is_theirs(&self, _: &RunId) -> bool {
        true
    }

    fn was_theirs(&self, _: &RunId) -> bool {
        true
    }

    fn permits_all(&self, _: &RunId) -> bool {
        true
    }

    fn gave(&self, _: &RunId, _: &Decision) -> bool {
        true
    }
}

/// Whoever answered saw that the run was driven, and left its files to the driver.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_while_a_driver_lets_go_is_in_the_files_of_the_run() {
    let project = Arc::new(Project::shell("true"));
    let flow =
        "key: f\ntitle: F\nversion: 1\nsteps:\n  - {id: one, agents: [worker], role: Does it, human_gate: required}\n";
    let run = project.start(flow, None);
    let options = Options {
        until_blocked: true,
        owner: Some(Arc::new(Late(Arc::clone(&project)))),
        ..Options::of("test")
    };
    let driving = project.driving(&run, options, &Control::default());
    let (end, _) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(end, End::Blocked);
    assert_eq!(ended(&project.state(&run)), "succeeded");
    let facts = Facts::of(runtime::workflow_of(&project.store, &run).expect("its workflow"));
    let rendered = project.store.render_run(&run, &facts).expect("rendered");
    let found = project.store.verify_files(&run, &rendered).expect("compared");
    assert!(found.is_empty(), "{found:?}");
}
