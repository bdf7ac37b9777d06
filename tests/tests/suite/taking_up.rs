//! A run that failed is taken up again by the program a person uses: what it would mean, where it stood, at a step before.

use tests::driven::{Driven, until};
use tests::project::Project;

/// Each agent notes that it worked; `check` fails until a file is there.
const CONFIG: &str = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt\"}
  checker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt; test -f licence.txt\"}
";

const FLOW: &str = "key: release
title: Release
steps:
  - {id: write, role: Write it, agents: [worker]}
  - {id: check, role: Check it, agents: [checker]}
  - {id: publish, role: Publish it, agents: [worker]}
";

const RUNBOOK: &str = "# Release

## 1. Write

- PASS: CONTINUE
- FAIL: STOP

```bash
echo one >> worked.txt
```

## 2. Check

- PASS: CONTINUE
- FAIL: STOP

```bash
echo two >> worked.txt; test -f licence.txt
```

## 3. Publish

- PASS: COMPLETE
- FAIL: STOP

```bash
echo three >> worked.txt
```
";

fn worked(project: &Project) -> Vec<String> {
    project.text("worked.txt").lines().map(ToOwned::to_owned).collect()
}

/// Its program was killed, and nobody was at work until it was gone on with: the report says of no step that it runs, and the time is nobody's.
#[test]
fn what_a_killed_program_left_open_is_not_at_work() {
    let config =
        "version: 1\nagents:\n  worker: {engine: shell, run: 'test -e begun || { touch begun; sleep 600; }'}\n";
    let flow = "key: slow\ntitle: Slow\nsteps:\n  - {id: write, role: Write it, agents: [worker]}\n";
    let project = Project::new(&[("gatehouse.yaml", config), ("slow.yaml", flow)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let begun = std::time::Instant::now();
    let driven = Driven::start(&project, &["run", "slow.yaml"]).expect("it starts");
    until("the work has begun", || {
        project.root.join("begun").exists().then_some(())
    })
    .expect("it begins");
    driven.kill();
    let at_work = begun.elapsed();
    let (id, _) = project.latest().expect("readable").expect("a run");
    said(&["report", id.as_str(), "-o", "left.html"]);
    assert!(project.text("left.html").contains("begun, and left open"));
    std::thread::sleep(std::time::Duration::from_secs(4));
    let listed: serde_json::Value = serde_json::from_str(&said(&["list", "--json"]).out).expect("a list");
    let lasted = listed[0]["duration_ms"].as_u64().expect("how long it lasted");
    assert!(
        u128::from(lasted) <= at_work.as_millis(),
        "nobody carries it on: {listed}"
    );
    let resumed = said(&["resume", id.as_str()]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let kept = format!(".gatehouse/runs/{id}/slow/receipts/earlier/visit=1.attempt=1.write-worker.json");
    let receipt: serde_json::Value = serde_json::from_str(&project.text(kept)).expect("a receipt");
    // However long a busy machine took to begin it: the four seconds in which nobody was at work are none of its own.
    let most = at_work + std::time::Duration::from_secs(2);
    assert!(
        receipt["duration_ms"]
            .as_u64()
            .is_some_and(|ms| u128::from(ms) < most.as_millis()),
        "{at_work:?}: {receipt}"
    );
}

/// A step that was done waits for its answer when the run is stopped: taken up again, it works once more.
#[test]
fn that_done_work_is_done_once_more_is_said_before_it_is() {
    let flow = "key: pay\ntitle: Pay\nsteps:\n  - {id: pay, role: Pay, agents: [worker], human_gate: required}\n";
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("pay.yaml", flow)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "pay.yaml", "--until-blocked"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    said(&["abort", id.as_str()]);
    let once_more = "The work of “Pay” was done, and only an answer was missing: with that it is done once more.";
    let dry = said(&["resume", id.as_str(), "--dry-run"]);
    assert!(dry.out.contains(once_more), "{dry:?}");
    assert_eq!(worked(&project), ["pay"]);
    let resumed = said(&["resume", id.as_str(), "--until-blocked"]);
    assert!(resumed.err.contains(once_more), "{resumed:?}");
    assert_eq!(worked(&project), ["pay", "pay"]);
}

/// A prompt at which a run waited was reached, although its work, the answer, has not begun.
#[test]
fn a_runbook_goes_on_at_a_prompt_that_it_had_waited_at() {
    let runbook = "# Ask\n\n## 1 First\n\n```bash\ntrue\n```\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n## 2 Second\n\nIs it well?\n\n- YES: COMPLETE\n- NO: STOP\n\n\
                   ## 3 Third\n\nAnd this?\n\n- YES: COMPLETE\n- NO: STOP\n\n## Fix\n\n```bash\nfalse\n```\n\n- PASS: GOTO 2\n- FAIL: STOP\n";
    let project = Project::new(&[("ask.runbook.md", runbook)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "ask.runbook.md", "--permit", "--until-blocked"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let (id, _) = project.latest().expect("readable").expect("a run");
    let sent = said(&["goto", id.as_str(), "Fix"]);
    assert_eq!(sent.code, Some(0), "{}{}", sent.out, sent.err);
    let failed = said(&["resume", id.as_str()]);
    assert_eq!(failed.code, Some(1), "{}{}", failed.out, failed.err);
    let dry = said(&["resume", id.as_str(), "--from", "2", "--dry-run"]);
    assert!(
        dry.code == Some(0) && dry.out.contains("goes on at: 2 "),
        "{}{}",
        dry.out,
        dry.err
    );
    let never = said(&["resume", id.as_str(), "--from", "3", "--dry-run"]);
    assert!(never.err.contains("has not been reached"), "{}", never.err);
    let resumed = said(&["resume", id.as_str(), "--from", "2", "--until-blocked"]);
    assert!(resumed.out.contains("Second"), "{}{}", resumed.out, resumed.err);
}

#[test]
fn what_it_means_is_said_first_and_then_only_what_was_said_runs() {
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", FLOW)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "release.yaml"]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    let (id, _) = project.latest().expect("readable").expect("a run");
    let before = project.text(format!(".gatehouse/runs/{id}/events.jsonl"));

    let dry = said(&["resume", id.as_str(), "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}{}", dry.out, dry.err);
    for line in [
        "goes on at: 2 ",
        "may come after it: 3 ",
        "not done again: 1 ",
        "with --from STEP it goes on elsewhere: write",
    ] {
        assert!(dry.out.contains(line), "{line}: {}", dry.out);
    }
    let other = said(&["resume", id.as_str(), "--from", "publish", "--dry-run"]);
    assert_ne!(other.code, Some(0));
    assert!(other.err.contains("has not been reached"), "{}", other.err);
    assert_eq!(
        project.text(format!(".gatehouse/runs/{id}/events.jsonl")),
        before,
        "nothing has changed"
    );

    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str()]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project).len(), 4);
    let (_, state) = project.latest().expect("readable").expect("a run");
    let visited: Vec<String> = state
        .visits()
        .iter()
        .map(|v| format!("{}#{}", v.instance.step, v.instance.visit))
        .collect();
    assert_eq!(visited, ["write#1", "check#1", "check#2", "publish#1"]);
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    assert_ne!(said(&["resume", id.as_str()]).code, Some(0), "it is complete");
}

/// Of several programs that take a run up at once one is the first: the others are not told that it is a stranger's.
#[test]
fn a_run_that_was_mine_when_it_ended_was_left_open_by_nobody_else() {
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", FLOW)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said(&["run", "release.yaml"]).code, Some(1));
    let (id, _) = project.latest().expect("readable").expect("a run");
    // The first one has said that it goes on, and not yet that it is its own.
    let reopen = engine::Intent::Reopen {
        by: "Ada".into(),
        choices: Default::default(),
    };
    runtime::submit::submit_to(&project.store().expect("a history"), &id, reopen).expect("recorded");
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str()]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert!(!on.err.contains("somebody else"), "{}", on.err);
    assert!(on.err.contains("This run was yours until it ended"), "{}", on.err);
}

/// A pipeline that has no id is known by its run alone: what failed of it is done again.
#[test]
fn a_pipeline_without_an_id_is_taken_up_by_its_run() {
    let pipeline = "name: Release
stages:
  - {name: write, agent: worker}
  - {name: check, agent: checker, depends_on: [write]}
  - {name: publish, agent: worker, depends_on: [check]}
";
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", pipeline)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said(&["run", "release.yaml"]).code, Some(1));
    let (id, _) = project.latest().expect("readable").expect("a run");
    let at_a_step = said(&["resume", id.as_str(), "--from", "write"]);
    assert_eq!(at_a_step.code, Some(3), "{}{}", at_a_step.out, at_a_step.err);
    assert!(at_a_step.err.contains("gatehouse resume RUN"), "{}", at_a_step.err);
    let dry = said(&["resume", id.as_str(), "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}{}", dry.out, dry.err);
    assert!(dry.out.contains("“check” is done again"), "{}", dry.out);
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str()]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check", "check", "publish"]);
}

#[test]
fn what_was_rejected_and_is_done_all_the_same_says_so() {
    let gated = FLOW.replace("agents: [worker]}", "agents: [worker], human_gate: required}");
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", &gated)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    said(&["run", "release.yaml", "--until-blocked"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    let answer = |word: &str, comment: &str| {
        let about = [
            "answer",
            id.as_str(),
            "write",
            word,
            "--by",
            "Ann",
            "--comment",
            comment,
        ];
        said(&about)
    };
    answer("reject", "Not this quarter.");
    assert!(
        said(&["list"]).out.contains("rejected by Ann"),
        "{}",
        said(&["list"]).out
    );
    let resume = || drop(said(&["resume", id.as_str(), "--until-blocked"]));
    resume();
    answer("approve", "All the same.");
    resume();
    said(&["answer", id.as_str(), "publish", "approve", "--by", "Ann"]);
    resume();
    let list = said(&["list"]).out;
    assert!(list.contains("done; resumed after it was rejected by Ann"), "{list}");
    assert!(list.contains("Not this quarter."), "{list}");
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}

#[test]
fn a_gate_that_nobody_has_answered_is_not_passed_by_going_on_behind_it() {
    let config = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt\"}
  critic: {engine: shell, run: \"test $GATEHOUSE_VISIT = 1 && echo '{\\\"status\\\": \\\"AGAIN\\\"}' > $GATEHOUSE_REPORT; true\"}
";
    let flow = "id: release
title: Release
steps:
  - {id: write, agents: [worker], human_gate: required, gate_question: \"Publish?\", routing: {kind: linear, next: judge}}
  - {id: judge, agents: [critic], routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [OK], max_iterations: 5, next: publish}}
  - {id: publish, agents: [worker], routing: {kind: linear}}
";
    let project = Project::new(&[("gatehouse.yaml", config), ("release.yaml", flow)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "release.yaml", "--until-blocked"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    said(&["answer", id.as_str(), "write", "approve", "--by", "Ann"]);
    let on = said(&["resume", id.as_str(), "--until-blocked"]);
    assert!(on.out.contains("Publish?"), "{}{}", on.out, on.err);
    said(&["abort", id.as_str()]);
    for more in [&["--dry-run"][..], &[]] {
        let on = said(&[&["resume", id.as_str(), "--from", "judge"][..], more].concat());
        assert_ne!(on.code, Some(0), "{}{}", on.out, on.err);
        for part in ["lies behind the gate at", "Publish?", "which nobody has answered"] {
            assert!(on.err.contains(part), "{part}: {}", on.err);
        }
    }
    assert_eq!(worked(&project), ["write", "write"], "nothing behind the gate was done");
    let dry = said(&["resume", id.as_str(), "--dry-run"]);
    assert!(
        !dry.out.contains("stays as it is") && !dry.out.contains("with --from STEP"),
        "{}",
        dry.out
    );
    let on = said(&["resume", id.as_str(), "--from", "write", "--until-blocked"]);
    assert!(on.out.contains("Publish?"), "it is asked again: {}{}", on.out, on.err);
}

#[test]
fn a_step_before_it_can_be_chosen() {
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", FLOW)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "release.yaml"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str(), "--from", "write"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project).len(), 5);
}

#[test]
fn a_stepspec_workflow_goes_on_at_a_completed_step_too() {
    let spec = "format: stepspec\nworkflow: release\nsteps:\n\
        - {id: write, name: Write, agent: worker, human_gate: none}\n\
        - {id: edit, name: Edit, agent: worker, human_gate: none}\n\
        - {id: check, name: Check, agent: checker, human_gate: none, retries: {max: 0}}\n\
        - {id: publish, name: Publish, agent: worker, human_gate: none}\n";
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", spec)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "release.yaml"]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    let (id, _) = project.latest().expect("readable").expect("a run");
    let dry = said(&["resume", id.as_str(), "--from", "edit", "--dry-run"]);
    for line in [
        "goes on at: 2 ",
        "may come after it: 3 Check, 4 Publish",
        "not done again: 1 ",
    ] {
        assert!(dry.out.contains(line), "{line}: {}{}", dry.out, dry.err);
    }
    assert!(
        said(&["resume", id.as_str(), "--from", "publish", "--dry-run"])
            .err
            .contains("has not been completed")
    );
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str(), "--from", "edit"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "edit", "check", "edit", "check", "publish"]);
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}

#[test]
fn a_stepspec_step_whose_gate_is_open_again_is_not_completed() {
    let spec = "format: stepspec\nworkflow: release\nsteps:\n\
        - {id: write, name: Write, agent: worker, human_gate: required}\n\
        - {id: check, name: Check, agent: checker, human_gate: none, retries: {max: 0}}\n";
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", spec)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "release.yaml", "--until-blocked"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    said(&["answer", id.as_str(), "write", "approve", "--by", "Ann"]);
    let on = said(&["resume", id.as_str(), "--until-blocked"]);
    assert_eq!(on.code, Some(1), "{}{}", on.out, on.err);
    said(&["resume", id.as_str(), "--from", "write", "--until-blocked"]);
    said(&["abort", id.as_str()]);
    let dry = said(&["resume", id.as_str(), "--dry-run"]);
    assert!(
        dry.out.contains("goes on at: 1 Write") && !dry.out.contains("not done again"),
        "{}{}",
        dry.out,
        dry.err
    );
    let on = said(&["resume", id.as_str(), "--until-blocked"]);
    assert!(on.out.contains("round 3"), "it is asked again: {}{}", on.out, on.err);
    assert_eq!(worked(&project), ["write", "check"]);
}

#[test]
fn a_runbook_goes_on_at_the_step_at_which_it_stopped() {
    let project =
        Project::new(&[("gatehouse.yaml", "version: 1\n"), ("release.runbook.md", RUNBOOK)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "release.runbook.md", "--yes", "--by", "Ada"]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    let (id, _) = project.latest().expect("readable").expect("a run");
    std::fs::write(project.root.join("licence.txt"), "ours").expect("written");
    let on = said(&["resume", id.as_str(), "--yes", "--by", "Ada"]);
    assert_eq!(on.code, Some(0), "{}{}", on.out, on.err);
    assert_eq!(worked(&project), ["one", "two", "two", "three"]);
}

#[test]
fn a_rejection_that_leads_somewhere_is_not_passed_by_going_on_elsewhere() {
    let config = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt\"}
  mender: {engine: shell, run: \"test ! -f bad\"}
  critic: {engine: shell, run: \"test $GATEHOUSE_VISIT = 1 && echo '{\\\"status\\\": \\\"AGAIN\\\"}' > $GATEHOUSE_REPORT; true\"}
";
    let flow = "id: release
title: Release
steps:
  - {id: review, agents: [worker], human_gate: required, gate_question: \"Publish?\", on_reject: mend, routing: {kind: linear, next: publish}}
  - {id: publish, agents: [worker], routing: {kind: linear, next: judge}}
  - {id: judge, agents: [critic], routing: {kind: microloop, loop_target: review, loop_condition_field: status, loop_success_values: [OK], max_iterations: 5, next: done}}
  - {id: done, agents: [worker], routing: {kind: linear}}
  - {id: mend, agents: [mender], routing: {kind: linear, next: review}}
";
    let project = Project::new(&[("gatehouse.yaml", config), ("release.yaml", flow), ("bad", "")]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "release.yaml", "--until-blocked"]);
    let (id, _) = project.latest().expect("readable").expect("a run");
    said(&["answer", id.as_str(), "review", "approve", "--by", "Ann"]);
    said(&["resume", id.as_str(), "--until-blocked"]);
    said(&[
        "answer",
        id.as_str(),
        "review",
        "reject",
        "--comment",
        "no",
        "--by",
        "Ann",
    ]);
    let failed = said(&["resume", id.as_str(), "--until-blocked"]);
    assert_eq!(failed.code, Some(1), "{}{}", failed.out, failed.err);
    let on = said(&["resume", id.as_str(), "--from", "publish"]);
    assert_eq!(on.code, Some(3), "{}{}", on.out, on.err);
    assert!(on.err.contains("which was rejected"), "{}", on.err);
    // Where the rejection led it goes on.
    std::fs::remove_file(project.root.join("bad")).expect("removed");
    let on = said(&["resume", id.as_str(), "--from", "mend", "--until-blocked"]);
    assert!(on.out.contains("Publish?"), "{}{}", on.out, on.err);
}

/// What people have answered inside stays answered where they stop the run around it and go on with it, also where nothing was permitted beforehand.
#[test]
fn a_run_inside_that_is_mine_goes_on_with_the_one_around_it() {
    let inner = "id: w\nsteps:\n  - {id: one, agents: [a], human_gate: required, routing: {kind: linear, next: two}}\n  \
                 - {id: two, agents: [a], human_gate: required, routing: {kind: linear}}\n";
    let project = Project::new(&[
        (
            "gatehouse.yaml",
            "version: 1\npermissions: {mode: allow}\nagents: {a: {engine: shell, run: \"echo done\"}}\n",
        ),
        ("w.yaml", inner),
        ("o.yaml", "name: o\nstages:\n  - {name: in, workflow: w.yaml}\n"),
    ])
    .expect("a project");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    };
    let waiting =
        |out: &str| -> serde_json::Value { serde_json::from_str(out.lines().last().expect("a line")).expect("JSON") };
    let begun = waiting(&said(&["run", "o.yaml", "--until-blocked", "--json"]));
    let outer = begun["run_id"].as_str().expect("an id").to_owned();
    let inside = begun["waiting"]["run_id"].as_str().expect("it waits inside").to_owned();
    said(&["answer", &inside, "one", "approve", "--by", "Ann"]);
    said(&["resume", &outer, "--until-blocked"]);
    said(&["abort", &outer, "--reason", "lunch"]);
    let again = waiting(&said(&["resume", &outer, "--until-blocked", "--json"]));
    assert_eq!(again["waiting"]["run_id"], inside.as_str(), "{again}");
    assert!(
        again["waiting"]["gate"]
            .as_str()
            .is_some_and(|gate| gate.contains("two")),
        "{again}"
    );
    said(&["answer", &inside, "two", "approve", "--by", "Ann"]);
    let done = waiting(&said(&["resume", &outer, "--json"]));
    assert_eq!(done["status"], "done", "{done}");
}

/// How a run inside ended is heard outside, also where the run around it was stopped before it heard of it: nobody is asked once more.
#[test]
fn a_run_inside_that_ended_unheard_is_heard_when_the_one_around_it_goes_on() {
    for (answer, code, status) in [("reject", 1, "refused"), ("approve", 0, "done")] {
        let project = Project::new(&[
            ("gatehouse.yaml", CONFIG),
            (
                "w.yaml",
                "id: w\nsteps:\n  - {id: one, agents: [worker], human_gate: required, routing: {kind: linear}}\n",
            ),
            ("o.yaml", "name: o\nstages:\n  - {name: in, workflow: w.yaml}\n"),
        ])
        .expect("a project");
        let ends = |code: i32, arguments: &[&str]| {
            let said = project.gatehouse(arguments).expect("gatehouse is built");
            assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
            said.out
        };
        let last = |out: &str| -> serde_json::Value {
            serde_json::from_str(out.lines().last().expect("a line")).expect("JSON")
        };
        let begun = last(&ends(0, &["run", "o.yaml", "--until-blocked", "--json"]));
        let outer = begun["run_id"].as_str().expect("an id");
        let inside = begun["waiting"]["run_id"].as_str().expect("it waits inside");
        ends(
            0,
            &["answer", inside, "one", answer, "--by", "Ann", "--comment", "seen"],
        );
        ends(0, &["abort", outer, "--reason", "lunch"]);
        let gone_on = last(&ends(code, &["resume", outer, "--json", "--until-blocked"]));
        assert_eq!(gone_on["status"], status, "{gone_on}");
        let runs: serde_json::Value = serde_json::from_str(&ends(0, &["list", "--json"])).expect("JSON");
        assert_eq!(runs.as_array().map(Vec::len), Some(2), "no other one began: {runs}");
        assert_eq!(worked(&project), ["one"], "nothing is done twice");
        // What was heard once is not heard again.
        if answer == "reject" {
            let anew = last(&ends(0, &["resume", outer, "--json", "--until-blocked"]));
            assert_eq!(anew["status"], "blocked", "{anew}");
            assert_ne!(anew["waiting"]["run_id"], inside, "{anew}");
        }
    }
}

/// Of a list of workflows the one that had ended is not begun again either; it is where what came before is done again.
#[test]
fn what_had_ended_inside_counts_until_what_came_before_it_is_done_again() {
    let outer = "# Outer\n\n## 1. Before\n\n```bash\necho before >> worked.txt\n```\n\n## 2. All of it\n\n- first.runbook.md\n- look.runbook.md\n";
    let project = Project::new(&[
        ("outer.runbook.md", outer),
        (
            "first.runbook.md",
            "# First\n\n## 1. Do it\n\n```bash\necho first >> worked.txt\n```\n",
        ),
        (
            "look.runbook.md",
            "# Look\n\n## 1. Look at it\n\nIs it fine?\n\n- YES: COMPLETE\n- NO: STOP\n",
        ),
    ])
    .expect("a project");
    let waits = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        let last: serde_json::Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
        let id = |value: &serde_json::Value| value.as_str().expect("an id").to_owned();
        (id(&last["run_id"]), id(&last["waiting"]["run_id"]))
    };
    let (run, inside) = waits(&["run", "outer.runbook.md", "--permit", "--until-blocked", "--json"]);
    let stop = || {
        let said = project.gatehouse(&["abort", &run]).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    };
    stop();
    let (_, again) = waits(&["resume", &run, "--until-blocked", "--json"]);
    assert_eq!(
        (again, worked(&project)),
        (inside.clone(), vec!["before".into(), "first".into()])
    );
    stop();
    let (_, other) = waits(&["resume", &run, "--from", "1", "--until-blocked", "--json"]);
    assert_ne!(other, inside, "what was answered there is about what was done before");
    assert_eq!(worked(&project), ["before", "first", "before", "first"]);
}

/// A flow that is started alone waits at its end where it says so, and that is said in its name.
#[test]
fn a_flow_alone_that_pauses_ends_when_it_is_resumed() {
    let flow = "key: release\ntitle: Release it\non_complete: {next_flow: pause}\nsteps:\n  - {id: write, role: Write it, agents: [worker]}\n";
    let project = Project::new(&[("gatehouse.yaml", CONFIG), ("release.yaml", flow)]).expect("a project");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    };
    let paused = said(&["run", "release.yaml", "--until-blocked"]);
    for told in [
        "“Write” was the last step, so the flow ended.",
        "The flow “Release it” has ended; it asks for a person; when the run is resumed, it ends.",
    ] {
        assert!(paused.contains(told), "{paused}");
    }
    let (id, state) = project.latest().expect("readable").expect("a run");
    assert!(state.paused && !state.status.ended());
    let resumed = project.gatehouse(&["resume", id.as_str()]).expect("gatehouse is built");
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    assert!(resumed.out.contains("Run done"), "{}", resumed.out);
    assert!(!resumed.err.contains("taken up again"), "{}", resumed.err);
    assert_eq!(worked(&project), ["write"]);
}
