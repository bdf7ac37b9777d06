//! Nothing that a step started outlives it.

use crate::harness::{ONE, Project, alive, ended, within};
use engine::{EndStatus, Intent, RunStatus};
use runtime::Control;
use std::time::{Duration, Instant};

async fn gone(pid: &str) {
    let begun = Instant::now();
    while alive(pid) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "process {pid} is still there"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn an_abort_ends_the_whole_family() {
    let project = Project::shell(
        "(sleep 1000 & echo $! > grandchild; wait) & setsid sh -c 'echo $$ > stray; exec sleep 1000' & echo $$ > child; wait",
    );
    let run = project.start(ONE, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    let mut pids = Vec::new();
    for name in ["child", "grandchild", "stray"] {
        pids.push(project.until_file(name).await);
    }
    assert!(pids.iter().all(|pid| alive(pid)), "{pids:?}");
    project
        .say(
            &run,
            Intent::Abort {
                by: "Ann".into(),
                reason: "changed my mind".into(),
                given: None,
            },
        )
        .expect("it runs");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Aborted));
    for pid in &pids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_command_that_does_not_listen_is_killed() {
    let project = Project::new(
        "runtime: {step_timeout_seconds: 3}\nagents: {worker: {engine: shell, run: \"trap '' TERM; echo $$ > child; while true; do sleep 0.1; done\"}}",
    );
    let begun = Instant::now();
    let state = project.whole(ONE, None).await;
    assert_eq!(ended(&state), "failed");
    assert!(
        state.error.as_deref().expect("why").contains("stopped after 3 s"),
        "{:?}",
        state.error
    );
    assert!(
        begun.elapsed() >= Duration::from_secs(6) && begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    gone(&project.until_file("child").await).await;
}

#[tokio::test]
async fn a_timeout_interrupts_a_patient_command_at_once() {
    let project = Project::new(
        "runtime: {step_timeout_seconds: 3}\nagents: {worker: {engine: shell, run: 'echo $$ > child; exec sleep 1000'}}",
    );
    let begun = Instant::now();
    let state = project.whole(ONE, None).await;
    assert_eq!(ended(&state), "failed");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    gone(&project.until_file("child").await).await;
}

#[tokio::test]
async fn what_a_command_leaves_running_does_not_hold_the_step_up() {
    let project = Project::shell("sleep 1000 & echo $! > child; echo done");
    let begun = Instant::now();
    let state = project.whole(ONE, None).await;
    assert_eq!(ended(&state), "succeeded");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    gone(&project.until_file("child").await).await;
}

/// What a step sees of its streams, with and without `terminal: true`.
#[tokio::test]
async fn a_step_that_wants_a_terminal_has_one() {
    let asks = "if test -t 0 && test -t 1 && test -t 2; then stty size; else echo pipes; fi; read x; echo \"read $?\"";
    for (wanted, seen) in [("true", "24 80\nread 1\n"), ("false", "pipes\nread 1\n")] {
        let project = Project::shell(asks);
        let flow = ONE.replace("    role:", &format!("    terminal: {wanted}\n    role:"));
        assert_ne!(flow, ONE, "the flow has a step");
        let state = project.whole(&flow, None).await;
        assert_eq!(ended(&state), "succeeded");
        assert_eq!(crate::harness::result(&state, "work").output, seen);
    }
}
