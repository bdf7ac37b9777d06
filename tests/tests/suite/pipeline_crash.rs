//! A pipeline is killed at every event boundary, resumed with the program a person would use, and ends as if nothing happened.

use engine::{Event, RunId, RunState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tests::killed::{self, Kill, Next};
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

fn project() -> Project {
    let text =
        format!("pipeline_id: {ID}\nname: Crash\nstatus: pending\nerror_handling: skip_dependents\nstages:{STAGES}");
    Project::in_memory(&[
        (FILE, &text),
        ("gatehouse.yaml", "version: 1\nruntime: {parallel_stages: 4}\n"),
    ])
    .expect("a project")
}

/// Carries the pipeline to its end as a person would: run it, resume what was interrupted, mend what failed and retry it.
fn carry_out(project: &Project, kill: Option<Kill>) -> (RunId, RunState, bool) {
    let first = ["pipeline", "run", ID, "--permit"];
    let ((run, state), killed) = killed::carry_out(project, &first, &[0, 1], kill, || {
        let Some((run, state)) = project.latest().expect("the history can be read") else {
            return Next::Again; // killed before the run existed: it is started anew
        };
        match state.status {
            engine::RunStatus::Ended(engine::EndStatus::Succeeded) => Next::Done((run, state)),
            engine::RunStatus::Ended(_) => {
                project.write(&[("mended", "")]).expect("written");
                Next::say(&["pipeline", "resume", ID, "--retry-all"])
            }
            _ => Next::say(&["pipeline", "resume", ID]),
        }
    });
    (run, state, killed)
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

    killed::each(killed::boundaries(1..=state.seq, 0), |kill| {
        let what = kill.to_string();
        let project = project();
        let (run, state, killed) = carry_out(&project, Some(kill));
        assert!(killed, "{what}: nothing was killed");
        // Who died with the last word on their lips left the file to whoever looks next.
        let looked = project
            .gatehouse(&["pipeline", "status", ID])
            .expect("gatehouse is built");
        assert_eq!(looked.code, Some(0), "{what}: {} {}", looked.out, looked.err);
        assert_eq!(essence(&project, &state), expected, "{what}");
        nothing_twice(&project, &run, &what);
        killed::verified(&project, &run, &what);
    });
}
