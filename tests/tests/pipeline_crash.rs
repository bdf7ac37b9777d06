//! A pipeline is killed at every event boundary, resumed with the program a person would use, and ends as if nothing happened.

use engine::{Event, RunId, RunState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use tests::program;
use tests::project::Project;

const ID: &str = "PIPE-20260102-crash-030405";
const FILE: &str = "pipelines/PIPE-20260102-crash-030405.yaml";

/// Two stages beside each other, one that fails at first, and what waits for them.
const STAGES: &str = r#"
  - {name: plan, run: 'echo plan >> done; echo planned', outputs: [plan]}
  - {name: build, run: 'echo build >> done; echo built', outputs: [build], depends_on: [plan], parallel: true}
  - name: check
    run: |
      echo check >> done
      test -e mended
    depends_on: [plan]
    parallel: true
  - {name: docs, run: 'echo docs >> done', depends_on: [build]}
  - {name: ship, run: 'echo ship >> done', depends_on: [build, check]}
"#;

/// When a process kills itself: the variable and the event.
type Kill<'a> = Option<(&'a str, u64)>;

fn project() -> Project {
    let text =
        format!("pipeline_id: {ID}\nname: Crash\nstatus: pending\nerror_handling: skip_dependents\nstages:{STAGES}");
    Project::new(&[
        (FILE, &text),
        ("gatehouse.yaml", "version: 1\nruntime: {parallel_stages: 4}\n"),
    ])
    .expect("a project")
}

fn status(project: &Project, arguments: &[&str], kill: Kill<'_>) -> ExitStatus {
    let mut command = program::command(&project.root, arguments).expect("gatehouse is built");
    if let Some((when, seq)) = kill {
        command.env(format!("GATEHOUSE_KILL_{when}_EVENT"), seq.to_string());
    }
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().expect("it can be started")
}

/// Carries the pipeline to its end as a person would: run it, resume what was interrupted, mend what failed and retry it.
fn carry_out(project: &Project, mut kill: Kill<'_>) -> (RunId, RunState, bool) {
    let mut killed = false;
    let mut command: &[&str] = &["pipeline", "run", ID, "--permit"];
    for _ in 0..8 {
        let ended = status(project, command, kill);
        if ended.signal() == Some(9) {
            killed = true;
            kill = None;
        } else {
            assert!(matches!(ended.code(), Some(0 | 1)), "{command:?} {kill:?}: {ended}");
        }
        let Some((run, state)) = project.latest().expect("the history can be read") else {
            continue; // killed before the run existed: it is started anew
        };
        command = match state.status {
            engine::RunStatus::Ended(engine::EndStatus::Succeeded) => return (run, state, killed),
            engine::RunStatus::Ended(_) => {
                project.write(&[("mended", "")]).expect("written");
                &["pipeline", "resume", ID, "--retry-all"]
            }
            _ => &["pipeline", "resume", ID],
        };
    }
    panic!("the pipeline does not come to its end after {kill:?}");
}

/// What must not differ: how every stage ended, what each visit came to and made, the file, the outputs.
fn essence(project: &Project, state: &RunState) -> Value {
    let steps: BTreeMap<&str, Vec<Value>> = state
        .steps
        .iter()
        .map(|(id, step)| {
            let visits = step.visits.iter().map(|visit| {
                let result = visit.attempts.last().and_then(|a| a.result.as_deref());
                let result = result.expect("the last attempt of a visit has ended");
                json!({"status": result.status, "artifacts": result.artifacts})
            });
            (id.as_str(), visits.collect())
        })
        .collect();
    let outputs: Vec<String> = ["plan/plan.md", "build/build.md"]
        .iter()
        .flat_map(|file| {
            [
                format!("pipelines/outputs/{ID}/{file}"),
                format!("pipelines/outputs/{file}"),
            ]
        })
        .map(|path| project.text(path))
        .collect();
    json!({
        "status": format!("{:?}", state.status),
        "completed": state.completed,
        "steps": steps,
        "file": project.text(FILE),
        "outputs": outputs,
    })
}

/// No stage that was completed was carried out again, but for what was in flight when the driver died.
fn nothing_twice(project: &Project, run: &RunId, what: &str) {
    let store = project.store().expect("the history");
    let events = store.events(run, 0, usize::MAX).expect("the log");
    let (mut ended, mut cut_off) = (BTreeMap::<String, usize>::new(), BTreeMap::<String, usize>::new());
    for stored in &events {
        match &stored.event {
            Event::AttemptEnded { instance, .. } => *ended.entry(instance.step.to_string()).or_default() += 1,
            Event::AttemptInterrupted { instance, .. } => *cut_off.entry(instance.step.to_string()).or_default() += 1,
            _ => {}
        }
    }
    assert!(
        cut_off.values().all(|n| *n == 1),
        "{what}: one death cuts each attempt off once: {cut_off:?}"
    );
    let done = project.text("done");
    for (stage, times) in &ended {
        let wanted = if stage == "check" { 2 } else { 1 };
        assert_eq!(*times, wanted, "{what}: {stage} ended {times} times");
        let lines = done.lines().filter(|line| line == stage).count();
        let most = wanted + cut_off.get(stage).copied().unwrap_or(0);
        assert!(
            (wanted..=most).contains(&lines),
            "{what}: {stage} was carried out {lines} times"
        );
    }
    assert_eq!(ended.len(), 5, "{what}: {done}");
}

#[test]
fn killed_at_every_event_boundary_a_pipeline_ends_the_same() {
    let whole = project();
    let (run, state, _) = carry_out(&whole, None);
    nothing_twice(&whole, &run, "undisturbed");
    let expected = essence(&whole, &state);
    assert!(
        whole
            .text(FILE)
            .starts_with(&format!("pipeline_id: {ID}\nname: Crash\nstatus: completed\n")),
        "{expected}"
    );
    assert_eq!(whole.text("done").lines().count(), 6);

    let next = AtomicU64::new(0);
    let boundaries: Vec<(&str, u64)> = (1..=state.seq)
        .flat_map(|seq| [("BEFORE", seq), ("AFTER", seq)])
        .collect();
    // Two at a time: the processes mostly wait for the disk.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Ok(index) = usize::try_from(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(&(when, seq)) = boundaries.get(index) else {
                        break;
                    };
                    let what = format!("killed {when} event {seq}");
                    let project = project();
                    let (run, state, killed) = carry_out(&project, Some((when, seq)));
                    assert!(killed, "{what}: nothing was killed");
                    // Who died with the last word on their lips left the file to whoever looks next.
                    let looked = project
                        .gatehouse(&["pipeline", "status", ID])
                        .expect("gatehouse is built");
                    assert_eq!(looked.code, Some(0), "{what}: {} {}", looked.out, looked.err);
                    assert_eq!(essence(&project, &state), expected, "{what}");
                    nothing_twice(&project, &run, &what);
                    let verified = project
                        .gatehouse(&["verify", run.as_str()])
                        .expect("gatehouse is built");
                    assert_eq!(verified.code, Some(0), "{what}: {} {}", verified.out, verified.err);
                }
            });
        }
    });
}
