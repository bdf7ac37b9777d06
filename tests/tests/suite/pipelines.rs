//! Pipelines through the program itself (seed 004): what their files say on the way, where outputs land, aborting, resuming, two
//! programs at once, a full disk, workflows inside.

use dialect::Document;
use engine::{EndStatus, RunStatus, StepStatus};
use model::Place;
use std::time::Duration;
use tests::driven::{Driven, until};
use tests::mounted::{Mounted, fill};
use tests::program::Said;
use tests::project::Project;

const ID: &str = "PIPE-20260102-release-030405";

fn file() -> String {
    format!("pipelines/{ID}.yaml")
}

/// A project with one pipeline of these stages.
fn project(stages: &str) -> Project {
    let project = Project::new(&[(
        "gatehouse.yaml",
        "version: 1\nruntime: {parallel_stages: 4}\nagents: {dev: {engine: shell, run: 'true'}}\n",
    )])
    .expect("a project");
    put(&project, stages);
    project
}

fn put(project: &Project, stages: &str) {
    let text = format!("pipeline_id: {ID}\nname: Release # ours\nstatus: pending\nstages:\n{stages}");
    project.write(&[(&file(), &text)]).expect("it can be written");
}

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

/// It ended with this exit code.
fn ends(project: &Project, code: i32, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    said
}

fn run(project: &Project, code: i32) -> Said {
    ends(project, code, &["pipeline", "run", ID, "--permit"])
}

/// What the file says: the pipeline's status and those of its stages.
fn states(project: &Project) -> String {
    let document = Document::parse(&file(), &project.text(file()));
    let read = |place: Place| {
        let word = document.value(&place.field("status"));
        word.and_then(|w| w.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let stages = (0..document.workflow().steps().len()).map(|n| read(Place::step(n)));
    let stages: Vec<String> = stages.collect();
    format!("{}: {}", read(Place::document()), stages.join(" "))
}

/// The whole history can be verified.
fn verified(project: &Project) {
    let store = project.store().expect("the history");
    for row in store.runs(&store::RunFilter::default()).expect("the runs") {
        ends(project, 0, &["verify", row.run.as_str()]);
    }
}

#[test]
fn a_file_that_does_not_show_its_run_is_named_in_the_list_and_when_the_run_is_verified() {
    const SAYS: &str = "The pipeline's file does not show how this run stands";
    let project = project("  - {name: a, agents: [dev], human_gate: required}\n");
    ends(&project, 0, &["run", &file(), "--until-blocked", "--permit"]);
    let rows = project.store().expect("the history").runs(&store::RunFilter::default());
    let run = rows.expect("the runs")[0].run.to_string();
    for arguments in [vec!["list"], vec!["verify", run.as_str()]] {
        let said = ends(&project, 0, &arguments);
        assert!(!said.out.contains(SAYS) && !said.err.contains(SAYS), "{arguments:?}");
    }
    project
        .write(&[(&file(), "status: running\nstages: [\n")])
        .expect("somebody breaks it");
    ends(&project, 0, &["answer", &run, "a", "approve", "--by", "Ann"]);
    let list = ends(&project, 0, &["list"]);
    assert!(list.err.contains(&format!("run {run}: {SAYS}")), "{}", list.err);
    let verified = ends(&project, 0, &["verify", &run]);
    assert!(
        verified.out.contains(SAYS) || verified.err.contains(SAYS),
        "{}{}",
        verified.out,
        verified.err
    );
}

#[test]
fn a_pipeline_is_looked_at_and_stopped_whatever_has_become_of_the_settings() {
    let project = project("  - {name: a, agents: [dev], human_gate: required}\n");
    ends(&project, 0, &["pipeline", "run", ID, "--until-blocked", "--permit"]);
    let settings = project.text("gatehouse.yaml");
    project
        .write(&[("gatehouse.yaml", &format!("{settings}four_eyes: true\n"))])
        .expect("it can be written");
    let list = ends(&project, 0, &["pipeline", "list"]).out;
    assert!(list.contains(ID), "{list}");
    let status = ends(&project, 0, &["pipeline", "status", ID]).out;
    assert!(status.contains("Status: "), "{status}");
    ends(&project, 0, &["pipeline", "resume", ID, "--until-blocked"]);
    let aborted = ends(&project, 0, &["pipeline", "abort", ID, "--reason", "enough"]).out;
    assert!(aborted.contains(&format!("Pipeline {ID} aborted.")), "{aborted}");
    assert_eq!(states(&project), "aborted: aborted");
    project
        .write(&[("other.yaml", "name: Other\nstages:\n  - {name: a, agents: [dev]}\n")])
        .expect("it can be written");
    let other = say(&project, &["run", "other.yaml", "--permit"]);
    assert!(
        other.code != Some(0) && other.err.contains("four_eyes"),
        "{}",
        other.err
    );
}

#[test]
fn the_file_shows_every_wave_and_outputs_land_in_both_places() {
    let wait = |name: &str| format!("until [ -e go-{name} ]; do sleep 0.02; done");
    let project = project(&format!(
        "  # what is built on\n  - name: Design it\n    run: |\n      {}\n      echo drawn > \"$GATEHOUSE_OUTPUT_FOLDER/architecture.md\"\n    outputs: [architecture]\n  - {{name: build, run: \"{}; echo built > made.txt\", outputs: [made.txt], depends_on: [Design it], parallel: true}}\n  - {{name: docs, run: \"{}; echo written\", outputs: [guide], depends_on: [Design it], parallel: true}}\n  - {{name: ship, run: \"{}\", depends_on: [build, docs]}} # at last\n",
        wait("a"),
        wait("b"),
        wait("b"),
        wait("c")
    ));
    let before = project.text(file());
    let driven = Driven::start(&project, &["pipeline", "run", ID, "--permit"]).expect("it starts");
    for (go, says) in [
        ("a", "running: running pending pending pending"),
        ("b", "running: completed running running pending"),
        ("c", "running: completed completed completed running"),
    ] {
        until(says, || (states(&project) == says).then_some(()))
            .unwrap_or_else(|e| panic!("{e}: {}", states(&project)));
        let shown = ends(&project, 0, &["pipeline", "status"]).out;
        assert!(
            shown.contains("Status: running") && shown.contains("Currently executing: "),
            "{shown}"
        );
        std::fs::write(project.root.join(format!("go-{go}")), "").expect("written");
    }
    let said = driven.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains(&format!("Pipeline completed: {ID}")), "{}", said.out);
    assert_eq!(states(&project), "completed: completed completed completed completed");
    for folder in [format!("pipelines/outputs/{ID}"), "pipelines/outputs".to_owned()] {
        assert_eq!(project.text(format!("{folder}/design-it/architecture.md")), "drawn\n");
        assert_eq!(project.text(format!("{folder}/build/made.txt")), "built\n");
        assert_eq!(project.text(format!("{folder}/docs/guide.md")), "written\n");
    }
    // But for the states the file is as it was written, comments and all.
    let mut kept = project
        .text(file())
        .replace("    status: completed\n", "")
        .replace(", status: completed}", "}");
    kept = kept.replacen("status: completed\n", "status: pending\n", 1);
    assert_eq!(kept, before);
    verified(&project);
}

#[test]
fn an_abort_ends_everything_that_a_stage_started() {
    // The stage's shell starts another one, that one a third, and none of them ends by itself.
    let grandchildren = "sh -c 'sh -c \\\"echo \\\\$\\\\$ > grandchild; trap : TERM; while :; do sleep 1; done\\\" & wait' & echo $! > child; wait";
    let project = project(&format!(
        "  - {{name: quick, run: echo quick >> done}}\n  - {{name: long, run: \"{grandchildren}\", depends_on: [quick]}}\n  - {{name: last, run: echo last >> done, depends_on: [long]}}\n"
    ));
    let driven = Driven::start(&project, &["pipeline", "run", ID, "--permit"]).expect("it starts");
    let pids: Vec<i32> = ["child", "grandchild"]
        .into_iter()
        .map(|file| until(file, || project.text(file).trim().parse().ok()).expect("it is started"))
        .collect();
    assert!(pids.iter().all(|pid| alive(*pid)), "{pids:?}");
    let said = ends(&project, 0, &["pipeline", "abort", "--reason", "enough"]);
    for line in [
        format!("Pipeline {ID} aborted."),
        "Completed stages: 1".to_owned(),
        "Aborted stages: 1".to_owned(),
    ] {
        assert!(said.out.contains(&line), "{}", said.out);
    }
    let ended = driven.end().expect("it ends");
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    for pid in pids {
        until("the processes are gone", || (!alive(pid)).then_some(())).expect("within a minute");
    }
    assert_eq!(states(&project), "aborted: completed aborted pending");
    // Resumed with the stage left out, what was completed does not run again.
    let said = ends(&project, 1, &["pipeline", "resume", ID, "--skip", "long"]);
    assert!(said.out.contains("Pipeline completed_with_failures"), "{}", said.out);
    assert_eq!(states(&project), "completed_with_failures: completed skipped skipped");
    assert_eq!(project.text("done"), "quick\n");
    verified(&project);
}

/// In a copy of a project a pipeline has the same id and the same run.
#[test]
fn an_abort_leaves_copies_of_the_project_alone() {
    let stages = "  - {name: a, run: 'touch begun; until [ -e go ]; do sleep 0.02; done'}\n";
    let (one, copy) = (project(stages), project(stages));
    let begin = |project: &Project| {
        let driven = Driven::start(project, &["pipeline", "run", ID, "--permit"]).expect("it starts");
        until("it is at work", || project.root.join("begun").exists().then_some(())).expect("within a minute");
        driven
    };
    let (first, second) = (begin(&one), begin(&copy));
    let run_of = |project: &Project| project.latest().expect("a history").expect("a run").0;
    assert_eq!(run_of(&one), run_of(&copy));
    ends(&one, 0, &["pipeline", "abort", ID]);
    assert_eq!(first.end().expect("it ends").code, Some(1));
    std::fs::write(copy.root.join("go"), "").expect("written");
    let said = second.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_eq!(
        (states(&one), states(&copy)),
        ("aborted: aborted".into(), "completed: completed".into())
    );
}

/// Whether a process is there and not a zombie.
fn alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
    state.is_some_and(|state| state != 'Z')
}

/// Whoever says that a stage is to be skipped must not see it run.
#[test]
fn what_is_to_be_skipped_and_cannot_be_runs_nothing() {
    let project = project(
        "  - {name: plan, run: 'true', human_gate: required}\n  - {name: ship, run: 'echo out > shipped', depends_on: [plan]}\n",
    );
    ends(&project, 0, &["pipeline", "run", ID, "--permit", "--until-blocked"]);
    let (run, state) = project
        .latest()
        .expect("the history can be read")
        .expect("there is a run");
    let gate = state.waiting().expect("it waits").opened.gate.to_string();
    ends(&project, 0, &["answer", run.as_str(), &gate, "approve", "--by", "Ada"]);
    for said in [&["--skip", "ship"][..], &["--retry", "ship"], &["--skip-all"]] {
        let refused = ends(&project, 3, &[&["pipeline", "resume", ID], said].concat());
        assert!(refused.err.contains("has not ended"), "{}", refused.err);
    }
    assert!(!project.root.join("shipped").exists());
    ends(&project, 0, &["pipeline", "resume", ID]);
    assert!(project.root.join("shipped").exists());
}

/// A pipeline's file has one run, also where another workflow lists it.
#[test]
fn a_pipeline_that_was_run_is_not_run_again_inside_another_one() {
    let project = project("  - {name: a, run: 'echo a >> ran'}\n");
    let outer = format!(
        "name: Outer\nstages:\n  - {{name: again, workflow: {}, retries: 1}}\n",
        file()
    );
    project.write(&[("outer.yaml", &outer)]).expect("it can be written");
    run(&project, 0);
    // It is known before anything is done.
    let said = ends(&project, 2, &["run", "outer.yaml", "--permit"]);
    assert!(said.err.contains("a pipeline has one run"), "{}", said.err);
    assert_eq!(project.text("ran"), "a\n");
    assert_eq!(states(&project), "completed: completed");
}

#[test]
fn resuming_asks_about_every_failed_stage_and_retries_or_skips() {
    let project = project(
        "  - {name: a, run: 'echo a >> done; [ -e good ]'}\n  - {name: b, run: 'echo b >> done; exit 1', parallel: true}\n  - {name: c, run: echo c >> done, depends_on: [a]}\n  - {name: d, run: echo d >> done, depends_on: [b]}\n  - {name: e, run: echo e >> done, parallel: true}\n",
    );
    let said = run(&project, 1);
    assert!(said.out.contains("Pipeline failed at stage: a"), "{}", said.out);
    assert_eq!(states(&project), "failed: failed failed skipped skipped completed");
    let refused = ends(&project, 3, &["pipeline", "resume", ID, "--retry", "a"]);
    assert!(
        refused.err.contains("b") && refused.err.contains("hint: "),
        "{}",
        refused.err
    );
    let again = run(&project, 3);
    assert!(again.err.contains("resume"), "{}", again.err);
    std::fs::write(project.root.join("good"), "").expect("written");
    for (stage, says) in [
        ("nope", "has no stage “nope”"),
        ("e", "“e” is not among those that failed"),
    ] {
        let stranger = ends(
            &project,
            64,
            &["pipeline", "resume", ID, "--retry-all", "--skip", stage],
        );
        assert!(
            stranger.err.contains(says) && stranger.err.contains("a, b"),
            "{}",
            stranger.err
        );
    }
    let resumed = ends(&project, 1, &["pipeline", "resume", ID, "--retry", "a", "--skip", "b"]);
    assert!(
        resumed.out.contains("- b: skipped (by a person)\n"),
        "no time that it was at work before: {}",
        resumed.out
    );
    assert_eq!(
        states(&project),
        "completed_with_failures: completed skipped completed skipped completed"
    );
    let mut done: Vec<String> = project.text("done").lines().map(str::to_owned).collect();
    done.sort();
    assert_eq!(done, ["a", "a", "b", "c", "e"]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(state.status, RunStatus::Ended(EndStatus::CompletedWithFailures));
    let nothing_left = ends(&project, 3, &["pipeline", "resume", ID, "--retry-all"]);
    assert!(nothing_left.err.contains("error: "), "{}", nothing_left.err);
    let none = ends(&project, 64, &["pipeline", "resume", ID, "--retry", "a"]);
    assert!(
        none.err.contains("None has failed or was cut off") && !none.err.contains(": ."),
        "{}",
        none.err
    );
    verified(&project);
}

/// Its run keeps the version that it began with.
#[test]
fn a_pipeline_whose_file_is_gone_is_known_by_its_run() {
    let project =
        project("  - {name: leaflet, agents: [dev], human_gate: required, gate_question: May it be printed?}\n");
    let waits = say(&project, &["pipeline", "run", ID, "--permit", "--until-blocked"]);
    assert!(waits.out.contains("May it be printed?"), "{}{}", waits.out, waits.err);
    std::fs::remove_file(project.root.join(file())).expect("it was there");
    let shown = ends(&project, 0, &["pipeline", "status", ID]).out;
    assert!(shown.contains("waits for a person"), "{shown}");
    let ended = ends(&project, 0, &["pipeline", "abort", ID]).out;
    assert!(ended.contains("aborted"), "{ended}");
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Aborted));
    let other = ends(&project, 3, &["pipeline", "status", "PIPE-20260102-other-030405"]);
    assert!(other.err.contains("There is no pipeline"), "{}", other.err);
}

#[test]
fn of_two_programs_one_runs_the_pipeline() {
    let stages =
        "  - {name: a, run: 'echo a >> done; sleep 0.5'}\n  - {name: b, run: echo b >> done, depends_on: [a]}\n";
    let project = project(stages);
    let said: Vec<Said> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| say(&project, &["pipeline", "run", ID, "--permit"])))
            .collect();
        all.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    let codes: Vec<Option<i32>> = said.iter().map(|s| s.code).collect();
    // Whoever comes when all is done is told that nothing is left to do, which is no failure.
    let ran = said
        .iter()
        .filter(|s| s.code == Some(0) && !s.err.contains("completed already"))
        .count();
    assert_eq!(ran, 1, "{codes:?} {said:?}");
    for refused in said.iter().filter(|s| s.code != Some(0)) {
        assert_eq!(refused.code, Some(3), "{refused:?}");
        // Between the start and the driver's first word nobody carries it out yet.
        let known = ["is running already", "was started a moment ago"]
            .iter()
            .any(|words| refused.err.contains(words));
        assert!(known, "{}", refused.err);
    }
    assert_eq!(project.text("done"), "a\nb\n");
    assert_eq!(states(&project), "completed: completed completed");
    // While it runs, another program can look and abort, and cannot resume.
    let other = project_again(stages);
    let driven = Driven::start(&other, &["pipeline", "run", ID, "--permit"]).expect("it starts");
    until("it runs", || {
        states(&other).starts_with("running: running").then_some(())
    })
    .expect("within a minute");
    let refused = ends(&other, 3, &["pipeline", "resume", ID]);
    assert!(refused.err.contains("running"), "{}", refused.err);
    assert_eq!(driven.end().expect("it ends").code, Some(0));
}

fn project_again(stages: &str) -> Project {
    project(&stages.replace("sleep 0.5", "sleep 3"))
}

#[test]
fn a_killed_driver_leaves_a_pipeline_that_goes_on() {
    let project = project(
        "  - {name: a, run: echo a >> done}\n  - {name: b, run: 'echo b >> begun; [ -e go ] || sleep 600; echo b >> done', depends_on: [a], parallel: true}\n  - {name: c, run: 'echo c >> done', depends_on: [a], parallel: true}\n  - {name: d, run: echo d >> done, depends_on: [b, c]}\n",
    );
    for deaths in 1..=2 {
        let words: &[&str] = match deaths {
            1 => &["pipeline", "run", ID, "--permit"],
            _ => &["pipeline", "resume", ID],
        };
        let driven = Driven::start(&project, words).expect("it starts");
        let begun =
            || (project.text("begun").lines().count() == deaths && project.text("done").contains('c')).then_some(());
        until("b is at work", begun).unwrap_or_else(|e| panic!("{e}: {}", driven.said()));
        until("the file says so", || {
            (states(&project) == "running: completed running completed pending").then_some(())
        })
        .unwrap_or_else(|e| panic!("{e}: {}", states(&project)));
        driven.kill();
    }
    // What was left running says so, and is no longer true: the status command knows.
    let status = ends(&project, 0, &["pipeline", "status", ID, "--json"]);
    let view: serde_json::Value = serde_json::from_str(&status.out).expect("JSON");
    assert_eq!(view["driver"], serde_json::Value::Null, "{view}");
    let statuses = |view: &serde_json::Value| -> Vec<String> {
        let stages = view["stages"].as_array().expect("stages").iter();
        stages.map(|stage| stage["status"].to_string()).collect()
    };
    let left = [r#""done""#, r#""left_open""#, r#""done""#, r#""not_started""#];
    assert_eq!(
        (&view["status"], statuses(&view)),
        (&"left_open".into(), left.map(str::to_owned).to_vec())
    );
    let listed = ends(&project, 0, &["pipeline", "list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&listed.out).expect("JSON");
    assert_eq!(list["pipelines"][0]["status"], "left_open", "{list}");
    std::thread::sleep(Duration::from_millis(1100));
    let later = ends(&project, 0, &["pipeline", "status", ID, "--json"]);
    let later: serde_json::Value = serde_json::from_str(&later.out).expect("JSON");
    assert_eq!(
        (&view["stages"][1]["duration_ms"], &view["stages"]),
        (&later["stages"][1]["duration_ms"], &later["stages"]),
        "nobody is at work, and it takes no time"
    );
    // A pause of it keeps nobody at work.
    let run = view["run_id"].as_str().expect("its run");
    ends(&project, 0, &["pause", run]);
    let status = ends(&project, 0, &["pipeline", "status", ID, "--json"]);
    let view: serde_json::Value = serde_json::from_str(&status.out).expect("JSON");
    assert_eq!(
        (&view["status"], statuses(&view)),
        (&"paused".into(), left.map(str::to_owned).to_vec())
    );
    std::fs::write(project.root.join("go"), "").expect("written");
    ends(&project, 0, &["pipeline", "resume", ID]);
    assert_eq!(states(&project), "completed: completed completed completed completed");
    let mut done: Vec<String> = project.text("done").lines().map(str::to_owned).collect();
    done.sort();
    assert_eq!(done, ["a", "b", "c", "d"]);
    verified(&project);
}

#[test]
fn a_full_disk_loses_nothing_of_a_pipeline() {
    let project = Project::new(&[]).expect("a project");
    let Some(_disk) = Mounted::new(&project.root) else {
        return;
    };
    put(
        &project,
        "  - {name: a, run: echo a >> done}\n  - {name: b, run: 'until [ -e go ]; do sleep 0.02; done', depends_on: [a]}\n  - {name: c, run: true, depends_on: [b]}\n",
    );
    let before = project.text(file());
    let filler = project.root.join("filler");
    fill(&filler);
    let refused = run(&project, 3);
    assert!(refused.err.contains("is full"), "{}", refused.err);
    assert_eq!(project.text(file()), before, "the file is as it was");
    std::fs::remove_file(&filler).expect("it can be removed");
    // It fills up while a stage is at work.
    let driven = Driven::start(&project, &["pipeline", "run", ID, "--permit"]).expect("it starts");
    until("b is at work", || {
        (states(&project) == "running: completed running pending").then_some(())
    })
    .expect("within a minute");
    std::fs::write(project.root.join("going"), "").expect("written");
    fill(&filler);
    std::fs::rename(project.root.join("going"), project.root.join("go")).expect("a name takes no space");
    let ended = driven.end().expect("it ends");
    assert_eq!(ended.code, Some(3), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("full"), "{}", ended.err);
    assert_eq!(
        states(&project),
        "running: completed running pending",
        "the file is whole"
    );
    std::fs::remove_file(&filler).expect("it can be removed");
    ends(&project, 0, &["pipeline", "resume", ID]);
    assert_eq!(states(&project), "completed: completed completed completed");
    assert_eq!(project.text("done"), "a\n");
    verified(&project);
}

#[test]
fn runbooks_and_flows_inside_a_pipeline_are_runs_of_their_own() {
    let project = project(
        "  - {name: check, workflow: ops/check.runbook.md}\n  - {name: write, workflow: flow.yaml, parallel: true, depends_on: [check]}\n  - {name: both, workflows: [ops/check.runbook.md, flow.yaml], parallel: true, depends_on: [check]}\n",
    );
    let runbook = "# Check\n\n## 1. Look\n\n```bash\necho looked >> looked\n```\n\n- PASS: CONTINUE\n- FAIL: STOP\n";
    let flow = "key: flow\ntitle: Flow\nversion: 1\nsteps:\n  - {id: one, agents: [dev], role: Does it}\n  - {id: two, agents: [dev], role: Does more}\n";
    project
        .write(&[("ops/check.runbook.md", runbook), ("flow.yaml", flow)])
        .expect("written");
    run(&project, 0);
    assert_eq!(states(&project), "completed: completed completed completed");
    assert_eq!(project.text("looked"), "looked\nlooked\n");
    let store = project.store().expect("the history");
    let rows = store.runs(&store::RunFilter::default()).expect("the runs");
    assert_eq!(rows.len(), 5, "the pipeline, and a run for each workflow in it");
    let outer = rows.iter().find(|row| row.path == file()).expect("the pipeline's run");
    let (state, _) = store.load(&outer.run).expect("its log");
    let mut inside = Vec::new();
    for step in ["check", "write", "both"] {
        assert_eq!(state.step_status(&step.into()), StepStatus::Succeeded);
        let result = state.steps[step].visits[0].result().expect("it ended");
        for child in result.report["runbooks"].as_array().expect("its runs") {
            inside.push((step, child["run"].as_str().expect("an id").to_owned()));
        }
    }
    assert_eq!(inside.len(), 4, "{inside:?}");
    for (step, child) in inside {
        let (of_child, _) = store.load(&child.as_str().into()).expect("it is in the history");
        let created = of_child.created.expect("it was created");
        let parent = created.parent.as_ref().expect("it is inside another run");
        assert_eq!((&parent.run, parent.instance.step.as_str()), (&outer.run, step));
        assert_eq!(of_child.status, RunStatus::Ended(EndStatus::Succeeded));
    }
    verified(&project);
}

#[test]
fn retries_pause_and_stop() {
    let project = project("");
    let text = |max: u32| {
        format!(
            "pipeline_id: {ID}\nname: Release\nstatus: pending\nerror_handling: retry\nmax_retries: {max}\nretry_delay_seconds: 1\nstages:\n  - {{name: a, run: 'echo a >> tries; [ $(wc -l < tries) -ge 3 ]'}}\n  - {{name: b, run: 'true', depends_on: [a]}}\n"
        )
    };
    project.write(&[(&file(), &text(1))]).expect("written");
    let begun = std::time::Instant::now();
    run(&project, 1);
    assert!(begun.elapsed() >= Duration::from_secs(1), "it waits between two tries");
    assert_eq!(project.text("tries").lines().count(), 2);
    assert_eq!(states(&project), "failed: failed skipped");
    ends(&project, 0, &["pipeline", "resume", ID, "--retry-all"]);
    assert_eq!(project.text("tries").lines().count(), 3);
    assert_eq!(states(&project), "completed: completed completed");
}

/// Nobody carries it on, and yet it is not left: people are asked, in it and in the run inside it, and it goes on with what they answer.
#[test]
fn a_pipeline_whose_people_are_asked_waits_for_them() {
    let project = project(
        "  - {name: count, workflow: count.runbook.md, depends_on: [], parallel: true}\n  - {name: leaflet, agents: [dev], depends_on: [], parallel: true, human_gate: required, gate_question: May it be printed?}\n",
    );
    project
        .write(&[(
            "count.runbook.md",
            "# Count\n\n## 1 Is it well?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n",
        )])
        .expect("written");
    let said = say(&project, &["run", &file(), "--permit", "--until-blocked"]);
    assert!(said.out.contains("May it be printed?"), "{}{}", said.out, said.err);
    let listed: Vec<serde_json::Value> =
        serde_json::from_str(&ends(&project, 0, &["list", "--json"]).out).expect("a list");
    let row = listed
        .iter()
        .find(|row| row["workflow_title"] == "Release")
        .expect("the pipeline");
    assert_eq!(
        (&row["status"], &row["status_words"]),
        (&"blocked".into(), &"waits for a person".into()),
        "{row}"
    );
    let shown = ends(&project, 0, &["pipeline", "status"]).out;
    for line in [
        "Currently executing: nothing",
        "leaflet waits for a person",
        "Nobody carries it out now.",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

/// A project of which the stage `count` asks a person in a run inside, and another stage may ask one itself. The run of the pipeline, and that inside.
fn counting(beside: &str) -> (Project, [String; 2]) {
    let project = project(&format!(
        "  - {{name: count, workflow: count.runbook.md, depends_on: [], parallel: true}}\n{beside}"
    ));
    let count = "# Count\n\n## 1 Is it well?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n";
    project.write(&[("count.runbook.md", count)]).expect("written");
    ends(&project, 0, &["run", &file(), "--permit", "--until-blocked"]);
    let listed: Vec<serde_json::Value> =
        serde_json::from_str(&ends(&project, 0, &["list", "--json"]).out).expect("a list");
    let of = |title: &str| {
        let row = listed.iter().find(|row| row["workflow_title"] == title).expect("a run");
        row["run_id"].as_str().expect("its id").to_owned()
    };
    let runs = ["Release", "Count"].map(of);
    (project, runs)
}

fn window(project: &Project) -> studio::Studio {
    let me = studio::Identity::open_in(&project.home(), false).expect("an identity");
    studio::Studio::open_as(&project.root, studio::Client::Desktop, me).expect("the project opens")
}

/// What was answered in a run inside led it to its end, and nobody carries on the one around it: its stage is not at work, and who answered is
/// told where it goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_around_an_answered_one_that_nobody_carries_on_says_so() {
    let beside = "  - {name: leaflet, agents: [dev], depends_on: [], parallel: true, human_gate: required, gate_question: May it be printed?}\n";
    let (project, [outer, inner]) = counting(beside);
    ends(&project, 0, &["answer", &inner, "1", "yes", "--by", "Ann"]);
    let shown = ends(&project, 0, &["status", &outer]).out;
    for words in [
        "begun, and left open",
        "Nobody carries this run on: “count” was begun and goes on once somebody resumes it.",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let studio = window(&project);
    let (_, gate, round) = studio.find_gate(&inner, "1", None).expect("the gate");
    let of = serde_json::json!({"run_id": inner, "gate": gate, "round": round});
    let brief = studio.rpc("gate.brief", of).await.expect("a brief");
    assert_eq!(brief["around"]["run_id"], outer.as_str(), "{brief}");
    assert_eq!(
        brief["around"]["words"],
        "“Release”, the run around this one, stands still: nobody carries it on until somebody resumes it."
    );
}

/// The window carries on what is answered in it, and with a run inside another one that one.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_the_window_carries_on_the_run_around() {
    let (project, [outer, inner]) = counting("");
    let studio = window(&project);
    let trust = studio::command::TrustOf { trust: true };
    studio.trust(trust).expect("kept");
    let name = serde_json::json!({"name": "Ann"});
    studio.rpc("settings.set", name).await.expect("a name");
    let (_, gate, round) = studio.find_gate(&inner, "1", None).expect("the gate");
    let answer = serde_json::json!({"run_id": inner, "gate": gate, "round": round, "answer": "pass", "comment": ""});
    let brief = studio.rpc("gate.answer", answer).await.expect("an answer");
    assert!(brief["around"].is_null(), "{brief}");
    // Its file says so a moment after its log.
    for _ in 0..1_200 {
        if studio.has_ended(&outer).expect("it can be read") && states(&project).starts_with("completed") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(states(&project), "completed: completed");
}

/// How long a stage took whose run inside waited for a person is from its beginning to its end, whoever carried it on in between.
#[test]
fn a_stage_that_two_programs_carried_on_took_its_whole_time() {
    let (project, [outer, inner]) = counting("");
    std::thread::sleep(Duration::from_secs(2));
    ends(&project, 0, &["answer", &inner, "1", "yes", "--by", "Ann"]);
    ends(&project, 0, &["resume", &outer]);
    let status = ends(&project, 0, &["pipeline", "status", ID, "--json"]);
    let view: serde_json::Value = serde_json::from_str(&status.out).expect("JSON");
    assert!(
        view["stages"][0]["duration_ms"].as_u64().is_some_and(|ms| ms >= 2000),
        "{view}"
    );
    ends(&project, 0, &["report", &outer, "-o", "whole.html"]);
    assert!(project.text("whole.html").contains("of it waiting for people · "));
}

/// What is asked inside is answered with the start, as the question wants it, and who forgets it is told how.
#[test]
fn what_a_workflow_of_a_stage_asks_is_answered_at_the_start() {
    let project = project("  - {name: review, workflow: review.yaml}\n");
    let inside = "format: stepspec\nworkflow: review\nquestions:\n- {name: amount, label: 'How much?', kind: number, required: true}\nsteps:\n- {id: read, name: Read, agent: dev, description: 'It is about {{amount}}.'}\n";
    project.write(&[("review.yaml", inside)]).expect("written");
    let said = ends(&project, 3, &["pipeline", "run", ID, "--permit"]);
    for words in ["“How much?” needs an answer", "--input amount=VALUE"] {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
    ends(&project, 0, &["pipeline", "run", ID, "--permit", "--input", "amount=5"]);
    assert_eq!(states(&project), "completed: completed");
}

/// Whoever answers learns what came of it, and `status` which step failed, with what.
#[test]
fn an_answer_says_how_the_run_stands() {
    let project = project("  - {name: count, workflow: count.runbook.md}\n");
    let count = "# Count\n\n## 1 Is it well?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n";
    let fails = "# Fails\n\n## 1 Look\n\n```bash\necho hi >&2; exit 7\n```\n";
    project
        .write(&[("count.runbook.md", count), ("fails.runbook.md", fails)])
        .expect("written");
    ends(&project, 0, &["run", "count.runbook.md", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let said = ends(
        &project,
        0,
        &["answer", run.as_str(), "1", "no", "--by", "Ann", "--comment", "Broken."],
    );
    assert!(said.out.contains("the run has ended: failed"), "{}", said.out);
    let said = ends(&project, 1, &["run", "fails.runbook.md", "--permit", "--json"]);
    let last: serde_json::Value = serde_json::from_str(said.out.lines().last().unwrap_or_default()).expect("a summary");
    assert_eq!(last["failures"][0]["step"]["name"], "Look", "{last}");
    let run = last["run_id"].as_str().expect("a run").to_owned();
    let shown = ends(&project, 0, &["status", &run]).out;
    assert!(shown.contains("“Look” failed: ") && shown.contains("code 7"), "{shown}");
}
