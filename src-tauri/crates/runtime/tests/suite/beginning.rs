//! Rehearsals that begin in the middle of their workflow, in every format.

use crate::harness::{Project, ended, path};
use engine::RunState;
use runtime::{Error, StartRequest};

const FLOW: &str = "\
key: f
title: F
steps:
  - {id: a, agents: [x], role: A, routing: {kind: linear, next: b}}
  - {id: b, agents: [x], role: B, routing: {kind: microloop, loop_target: a, loop_condition_field: status, loop_success_values: [OK], max_iterations: 2, next: c}}
  - {id: c, agents: [x], role: C, routing: {kind: linear}}
";

const RUNBOOK: &str = "\
# R

## 1. One

```bash
true
```

- PASS: CONTINUE
- FAIL: STOP

## 2. Two

- PASS: CONTINUE
- FAIL: STOP

### 2.1 First

```bash
true
```

### 2.2 Second

```bash
true
```

## 3. Three

```bash
true
```

- PASS: COMPLETE
- FAIL: STOP
";

const PIPELINE: &str = "\
pipeline_id: PIPE-20260102-release-030405
name: Release
status: pending
stages:
  - {name: a, agent: x, task: A}
  - {name: b, agent: x, task: B, depends_on: [a]}
  - {name: side, agent: x, task: Side, depends_on: [a]}
  - {name: c, agent: x, task: C, depends_on: [b, side]}
";

const FORK: &str = "\
key: f
title: F
steps:
  - {id: a, agents: [x], role: A, routing: {kind: fork, fork_targets: [b, c]}}
  - {id: b, agents: [x], role: B, routing: {kind: linear, next: d}}
  - {id: c, agents: [x], role: C, routing: {kind: linear, next: d}}
  - {id: d, agents: [x], role: D, routing: {kind: linear}}
";

fn request(path: &str, source: &str, at: &str) -> StartRequest {
    StartRequest {
        path: path.to_owned(),
        source: source.to_owned(),
        rehearse: true,
        by: "Ann".to_owned(),
        initiator: "test".to_owned(),
        begins_at: Some(at.into()),
        ..StartRequest::default()
    }
}

async fn rehearsed(path: &str, source: &str, at: &str) -> RunState {
    let project = Project::new("");
    let driver = project.driver(Project::options());
    let run = driver.start(&request(path, source, at)).expect("it can be rehearsed");
    project.drive(&run).await
}

fn refused(path: &str, source: &str, change: impl FnOnce(&mut StartRequest)) -> String {
    let project = Project::new("agents: {x: {engine: command, run: [\"true\"]}}");
    let mut request = request(path, source, "b");
    change(&mut request);
    match project.driver(Project::options()).start(&request) {
        Ok(run) => panic!("{run} was begun"),
        Err(Error::Refused(refusal)) => refusal.message,
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_does_not_follow_the_step_is_not_carried_out() {
    let flow = rehearsed("flow.yaml", FLOW, "c").await;
    assert_eq!((ended(&flow), path(&flow).as_str()), ("succeeded", "c"));
    let back = rehearsed("flow.yaml", FLOW, "b").await;
    assert_eq!(
        path(&back),
        "b a b a b c",
        "what leads back leads to what was passed by"
    );
    let runbook = rehearsed("r.runbook.md", RUNBOOK, "2").await;
    assert_eq!((ended(&runbook), path(&runbook).as_str()), ("succeeded", "2.1 2.2 3"));
    let inside = rehearsed("r.runbook.md", RUNBOOK, "2.1").await;
    assert_eq!(path(&inside), "2.1 2.2 3");
    let pipeline = rehearsed("pipelines/PIPE-20260102-release-030405.yaml", PIPELINE, "b").await;
    assert_eq!((ended(&pipeline), path(&pipeline).as_str()), ("succeeded", "b c"));
    let behind = rehearsed("flow.yaml", FORK, "d").await;
    assert_eq!(path(&behind), "d");
}

#[test]
fn a_run_that_cannot_begin_there_does_not_begin() {
    let real = refused("flow.yaml", FLOW, |request| request.rehearse = false);
    assert!(real.contains("Only a rehearsal"), "{real}");
    let unknown = refused("flow.yaml", FLOW, |request| request.begins_at = Some("z".into()));
    assert!(unknown.contains("no step `z`"), "{unknown}");
    let branch = refused("flow.yaml", FORK, |_| ());
    assert!(branch.contains("stands in a branch of"), "{branch}");
    let second = refused("r.runbook.md", RUNBOOK, |request| {
        request.begins_at = Some("2.2".into())
    });
    assert!(second.contains("stands within"), "{second}");
}
