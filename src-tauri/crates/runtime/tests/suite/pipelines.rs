//! Pipelines carried out for real (seed 004): their file, their outputs, several agents at once, abort and resume.

use crate::harness::{Project, result, within};
use engine::{Answer, Choice, EndStatus, Event, Intent, RunId, RunStatus, StepStatus};
use runtime::{Control, End, Error, Options, StartRequest};
use std::path::Path;
use std::time::Duration;

const ID: &str = "PIPE-20260102-release-030405";

fn start(project: &Project, stages: &str) -> RunId {
    let text = format!("pipeline_id: {ID}\nname: Release # ours\nstatus: pending\nstages:\n{stages}");
    let path = format!("pipelines/{ID}.yaml");
    std::fs::create_dir_all(project.root.join("pipelines")).expect("made");
    std::fs::write(project.root.join(&path), &text).expect("written");
    let request = StartRequest {
        path,
        source: text,
        by: "Ann".into(),
        initiator: "test".into(),
        permit: true,
        ..StartRequest::default()
    };
    project
        .driver(Project::options())
        .start(&request)
        .expect("it can be run")
}

fn rendering() -> Options {
    Options {
        render: Some(Duration::from_millis(20)),
        ..Options::of("test")
    }
}

async fn drive(project: &Project, run: &RunId) -> RunStatus {
    let control = Control::default();
    let (end, state) = project.driver(rendering()).drive(run, &control).await.expect("driven");
    assert_eq!(end, End::Ended);
    project.grows(run);
    state.status
}

fn abort(project: &Project, run: &RunId) {
    let intent = Intent::Abort {
        by: "Ann".into(),
        reason: "too slow".into(),
        given: None,
    };
    project.say(run, intent).expect("it runs");
}

fn read(project: &Project, path: impl AsRef<Path>) -> String {
    let path = project.root.join("pipelines").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_s_file_holds_its_state_and_its_stages_their_outputs() {
    let project = Project::new("runtime: {parallel_stages: 4}");
    let run = start(
        &project,
        "  - name: design\n    run: echo drawn > \"$GATEHOUSE_OUTPUT_FOLDER/architecture.md\"\n    outputs: [architecture]\n  - {name: docs, run: echo said, outputs: [guide], parallel: true}\n  - {name: Build It, run: \"echo built > made.txt\", outputs: [made.txt], depends_on: [design]}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(
        read(&project, format!("{ID}.yaml")),
        format!(
            "pipeline_id: {ID}\nname: Release # ours\nstatus: completed\nstages:\n  - name: design\n    run: echo drawn > \"$GATEHOUSE_OUTPUT_FOLDER/architecture.md\"\n    outputs: [architecture]\n    status: completed\n  - {{name: docs, run: echo said, outputs: [guide], parallel: true, status: completed}}\n  - {{name: Build It, run: \"echo built > made.txt\", outputs: [made.txt], depends_on: [design], status: completed}}\n"
        )
    );
    for folder in [format!("outputs/{ID}"), "outputs".to_owned()] {
        assert_eq!(read(&project, format!("{folder}/design/architecture.md")), "drawn\n");
        assert_eq!(read(&project, format!("{folder}/docs/guide.md")), "said\n");
        assert_eq!(read(&project, format!("{folder}/build-it/made.txt")), "built\n");
    }
    let state = project.state(&run);
    let made: Vec<&str> = state.artifacts().into_iter().map(|(_, a)| a.path.as_str()).collect();
    assert!(
        made.contains(&format!("pipelines/outputs/{ID}/design/architecture.md").as_str()),
        "{made:?}"
    );
    // The file can be made again from the log alone.
    let before = read(&project, format!("{ID}.yaml"));
    std::fs::remove_file(project.root.join(format!("pipelines/{ID}.yaml"))).expect("removed");
    let (state, _) = project.store.load(&run).expect("the log");
    runtime::pipeline::state_file::write(&project.store, &project.root, &state).expect("written again");
    assert_eq!(read(&project, format!("{ID}.yaml")), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stage_says_is_kept_where_it_makes_no_file() {
    let project = Project::shell("echo three things are open");
    let run = start(
        &project,
        "  - {name: review, agent: worker}\n  - {name: quiet, run: 'true'}\n  - {name: Count It, run: echo two}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let said = "three things are open\n";
    assert_eq!(read(&project, format!("outputs/{ID}/review/worker.md")), said);
    assert_eq!(read(&project, "outputs/review/worker.md"), said);
    let mut made: Vec<String> = project
        .state(&run)
        .artifacts()
        .iter()
        .map(|(_, a)| a.path.clone())
        .collect();
    // Where no agent is named it is called like its stage.
    assert_eq!(read(&project, format!("outputs/{ID}/count-it/count-it.md")), "two\n");
    made.sort();
    let files = ["count-it/count-it.md", "review/worker.md"];
    assert_eq!(made, files.map(|file| format!("pipelines/outputs/{ID}/{file}")));
}

/// What is approved as the work of one stage was made by no other.
#[tokio::test(flavor = "multi_thread")]
async fn a_stage_makes_no_file_in_the_folder_of_another_one() {
    if !crate::looking::can_look(
        process::Enforced::here().files,
        "the kernel here keeps programs from no file",
    ) {
        return;
    }
    let project = Project::new("runtime: {parallel_stages: 4}");
    let run = start(
        &project,
        "  - {name: audit, run: 'touch audits; until [ -e tried ]; do sleep 0.01; done; echo own > \"$GATEHOUSE_OUTPUT_FOLDER/notes.md\"', parallel: true}\n  - {name: other, run: 'until [ -e audits ]; do sleep 0.01; done; d=\"${GATEHOUSE_OUTPUT_FOLDER%/*}\"; echo PASSED > \"$d/audit/verdict.md\"; echo x > \"$d/more.md\"; touch tried; echo mine > \"$GATEHOUSE_OUTPUT_FOLDER/mine.md\"', parallel: true}\n  - {name: last, run: 'cat \"${GATEHOUSE_OUTPUT_FOLDER%/*}/audit/notes.md\"', depends_on: [audit, other]}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let folder = project.root.join(format!("pipelines/outputs/{ID}"));
    assert!(!folder.join("audit/verdict.md").exists() && !folder.join("more.md").exists());
    for folder in [format!("outputs/{ID}"), "outputs".to_owned()] {
        assert_eq!(read(&project, format!("{folder}/audit/notes.md")), "own\n");
        assert_eq!(read(&project, format!("{folder}/other/mine.md")), "mine\n");
    }
    let state = project.state(&run);
    let results = state.results();
    let mut said = results.iter().map(|(_, result)| result.output.as_str());
    assert!(said.any(|said| said == "own\n"), "a stage reads what another one made");
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_of_a_parallel_stage_work_at_the_same_time() {
    let project = Project::new(
        "agents:\n  a: {engine: shell, run: 'touch a; until [ -e b ]; do sleep 0.01; done; echo from a'}\n  b: {engine: shell, run: 'touch b; until [ -e a ]; do sleep 0.01; done; echo from b'}\n",
    );
    let run = start(
        &project,
        "  - {name: both, agents: [a, b], parallel: true, outputs: [one, two]}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(read(&project, format!("outputs/{ID}/both/one.md")), "from a\n");
    assert_eq!(read(&project, format!("outputs/{ID}/both/two.md")), "from b\n");
    let state = project.state(&run);
    let (_, result) = state.results()[0];
    assert_eq!(result.output, "## a\n\nfrom a\n\n## b\n\nfrom b\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_of_another_stage_work_in_turn_and_the_first_failure_ends_it() {
    let project = Project::new(
        "agents:\n  a: {engine: shell, run: 'echo first; exit 3'}\n  b: {engine: shell, run: 'touch never'}\n",
    );
    let run = start(
        &project,
        "  - {name: both, agents: [a, b]}\n  - {name: later, agent: b, depends_on: [both]}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Failed));
    assert!(!project.root.join("never").exists());
    let text = read(&project, format!("{ID}.yaml"));
    assert!(
        text.contains("error: 'Pipeline failed at stage: both'")
            || text.contains("error: \"Pipeline failed at stage: both\""),
        "{text}"
    );
    assert!(text.contains("depends_on: [both], status: skipped}"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_pipeline_is_resumed_on_the_same_run() {
    let project = Project::new("runtime: {parallel_stages: 4}");
    let run = start(
        &project,
        "  - {name: quick, run: echo quick >> ran}\n  - {name: slow, run: 'echo x > slow; [ -e go ] || sleep 60', parallel: true, depends_on: [quick]}\n  - {name: other, run: 'echo x > other; sleep 60', parallel: true, depends_on: [quick]}\n  - {name: last, run: echo last >> ran, depends_on: [slow]}\n",
    );
    let control = Control::default();
    let driving = project.driving(&run, rendering(), &control);
    project
        .until(&run, "both begin", |state| {
            let runs = |step: &str| state.step_status(&step.into()) == StepStatus::Running;
            assert!(!state.status.ended(), "{:?} {:?}", state.status, state.stages);
            runs("slow") && runs("other")
        })
        .await;
    project.until_file("slow").await;
    project.until_file("other").await;
    abort(&project, &run);
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Aborted));
    let text = read(&project, format!("{ID}.yaml"));
    assert!(text.contains("status: aborted\nstages:"), "{text}");
    assert_eq!(text.matches("status: aborted}").count(), 2, "{text}");
    assert!(text.contains("depends_on: [slow], status: pending}"), "{text}");
    std::fs::write(project.root.join("go"), "").expect("written");
    let choices = [("slow".into(), Choice::Retry), ("other".into(), Choice::Skip)].into();
    project
        .say(
            &run,
            Intent::Reopen {
                by: "Ann".into(),
                choices,
            },
        )
        .expect("it was aborted");
    assert_eq!(
        drive(&project, &run).await,
        RunStatus::Ended(EndStatus::CompletedWithFailures)
    );
    let state = project.state(&run);
    assert_eq!(state.step_status(&"other".into()), StepStatus::Skipped);
    let ran = std::fs::read_to_string(project.root.join("ran")).expect("it ran");
    assert_eq!(ran, "quick\nlast\n", "what was completed did not run again");
    assert!(read(&project, format!("{ID}.yaml")).contains("status: completed_with_failures\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_may_be_a_workflow_of_its_own() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'true'}}\n");
    std::fs::write(
        project.root.join("check.runbook.md"),
        "# Check\n\n## 1. Look\n\n```bash\ntest -e good\n```\n",
    )
    .expect("written");
    std::fs::write(
        project.root.join("flow.yaml"),
        "key: flow\ntitle: Flow\nversion: 1\nsteps:\n  - {id: one, agents: [dev], role: Does it}\n",
    )
    .expect("written");
    // It fails the first time, and the second time is another run.
    let run = start(
        &project,
        "  - {name: check, workflow: check.runbook.md, retries: {max: 1, backoff_seconds: 0}}\n  - {name: flow, workflow: flow.yaml, depends_on: [check]}\n",
    );
    let status = drive(&project, &run).await;
    let state = project.state(&run);
    assert_eq!(status, RunStatus::Ended(EndStatus::Failed), "{:?}", state.error);
    let attempts = &state.steps["check"].visits[0].attempts;
    let child = |n: usize| attempts[n].result.as_ref().expect("it ended").report["runbooks"][0]["run"].clone();
    assert_ne!(child(0), child(1), "each try is a run of its own");
    std::fs::write(project.root.join("good"), "").expect("written");
    let choices = [("check".into(), Choice::Retry)].into();
    project
        .say(
            &run,
            Intent::Reopen {
                by: "Ann".into(),
                choices,
            },
        )
        .expect("it failed");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
}

/// A pipeline's file has one run: also where what lies between is begun anew it is the same step that runs it, and for anything else it is taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_inside_of_what_is_begun_anew_is_run_again() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'test -e good'}}\n");
    let inner = "pipelines/PIPE-20260103-inner-030405.yaml";
    let lists = |name: &str| format!("name: {name}\nstages:\n  - {{name: inner, workflow: {inner}}}\n");
    std::fs::create_dir_all(project.root.join("pipelines")).expect("made");
    let text = "pipeline_id: PIPE-20260103-inner-030405\nname: Inner\nstatus: pending\nstages:\n  - {name: work, agents: [dev]}\n";
    std::fs::write(project.root.join(inner), text).expect("written");
    std::fs::write(project.root.join("mid.yaml"), lists("Mid")).expect("written");
    let run = start(&project, "  - {name: mid, workflow: mid.yaml}\n");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Failed));
    std::fs::write(project.root.join("good"), "").expect("written");
    let choices = [("mid".into(), Choice::Retry)].into();
    let by = "Ann".to_owned();
    project.say(&run, Intent::Reopen { by, choices }).expect("it failed");
    let status = drive(&project, &run).await;
    let error = project.state(&run).error;
    assert_eq!(status, RunStatus::Ended(EndStatus::Succeeded), "{error:?}");
    std::fs::write(project.root.join("other.yaml"), lists("Other")).expect("written");
    let refused = project.driver(Project::options()).start(&StartRequest {
        path: "other.yaml".into(),
        source: lists("Other"),
        by: "Ann".into(),
        initiator: "test".into(),
        permit: true,
        ..StartRequest::default()
    });
    let said = refused.expect_err("it has a run").to_string();
    assert!(said.contains("but it is a pipeline that has a run already"), "{said}");
}

/// What a person has answered in a run inside stands where the stage around it failed for another reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_inside_goes_on_where_its_stage_failed_for_another_reason() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'echo x >> done'}}\n");
    let flow = "key: flow\ntitle: Flow\nversion: 1\nsteps:\n  - {id: one, agents: [dev], role: Does it, human_gate: required, routing: {kind: linear, next: two}}\n  - {id: two, agents: [dev], role: Does it}\n";
    std::fs::write(project.root.join("flow.yaml"), flow).expect("written");
    let run = start(&project, "  - {name: flow, workflow: flow.yaml}\n");
    let control = Control::default();
    let driving = project.driving(&run, rendering(), &control);
    let begun = |state: &engine::RunState| state.step_status(&"flow".into()) == StepStatus::Running;
    let state = project.until(&run, "the stage begins", begun).await;
    let child = runtime::executor::child_run(&run, &state.steps["flow"].visits[0].instance, 0, 0);
    while project.store.head(&child).expect("the history").is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    project
        .until(&child, "it asks", |state| state.waiting().is_some())
        .await;
    control.stop();
    driving.await.expect("no panic").expect("let go");
    project.answer(&child, Answer::Approve, "Ann", "").expect("it waits");
    // Nothing can be put where the stage's outputs go.
    let outputs = project.root.join("pipelines/outputs");
    let aside = project.root.join("aside");
    std::fs::rename(&outputs, &aside).expect("it is there");
    std::fs::write(&outputs, "").expect("written");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Failed));
    assert!(!project.state(&child).status.ended());
    std::fs::remove_file(&outputs).expect("removed");
    std::fs::rename(&aside, &outputs).expect("back");
    let choices = [("flow".into(), Choice::Retry)].into();
    let by = "Ann".to_owned();
    project.say(&run, Intent::Reopen { by, choices }).expect("it failed");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    assert!(project.state(&child).status.ended());
    assert_eq!(
        std::fs::read_to_string(project.root.join("done")).expect("made"),
        "x\nx\n"
    );
}

/// A run inside that ended because a person ended the one around it goes on with that, with what people have answered in it. One whose file was
/// changed meanwhile begins anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_inside_that_was_ended_with_the_one_around_it_is_taken_up_with_it() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'echo x >> done'}}\n");
    let step = |id: &str| format!("  - {{id: {id}, agents: [dev], role: Does it, human_gate: required}}\n");
    let flow = format!(
        "key: flow\ntitle: Flow\nversion: 1\nsteps:\n{}{}",
        step("one"),
        step("two")
    );
    std::fs::write(project.root.join("flow.yaml"), &flow).expect("written");
    let run = start(&project, "  - {name: flow, workflow: flow.yaml}\n");
    let inside = |visit: u32| {
        let instance = engine::Instance {
            step: "flow".into(),
            visit,
            path: Vec::new(),
        };
        runtime::executor::child_run(&run, &instance, 0, 0)
    };
    let begins = |child: RunId| {
        let project = &project;
        async move {
            while project.store.head(&child).expect("the history").is_none() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            child
        }
    };
    let asks = |state: &engine::RunState, step: &str| {
        let waiting = state.waiting();
        waiting.is_some_and(|round| round.opened.instance.step.as_str() == step)
    };
    let reopen = || {
        let choices = [("flow".into(), Choice::Retry)].into();
        let by = "Ben".to_owned();
        project.say(&run, Intent::Reopen { by, choices }).expect("it was ended");
    };
    let driving = project.driving(&run, rendering(), &Control::default());
    let child = begins(inside(1)).await;
    project.until(&child, "it asks", |state| asks(state, "one")).await;
    project.answer(&child, Answer::Approve, "Ann", "").expect("it waits");
    project.until(&child, "it asks again", |state| asks(state, "two")).await;
    abort(&project, &run);
    driving.await.expect("no panic").expect("driven");
    assert_eq!(
        project.state(&child).status,
        RunStatus::Ended(EndStatus::Aborted),
        "it ends with the one around it"
    );

    reopen();
    let driving = project.driving(&run, rendering(), &Control::default());
    project.until(&child, "it goes on", |state| asks(state, "two")).await;
    let state = project.state(&child);
    assert_eq!(state.steps["one"].visits.len(), 1, "what is done and answered stays");
    let by = project.events(&child).into_iter().find_map(|event| match event {
        Event::Reopened { by, .. } => Some(by),
        _ => None,
    });
    assert_eq!(by.as_deref(), Some("Ben"));
    abort(&project, &run);
    driving.await.expect("no panic").expect("driven");

    std::fs::write(project.root.join("flow.yaml"), flow.replace("Does it", "Does it well")).expect("written");
    reopen();
    let driving = project.driving(&run, rendering(), &Control::default());
    let other = begins(inside(3)).await;
    project
        .until(&other, "another one begins", |state| asks(state, "one"))
        .await;
    assert_eq!(project.state(&child).status, RunStatus::Ended(EndStatus::Aborted));
    for _ in 0..2 {
        project
            .until(&other, "it asks", |state| state.waiting().is_some())
            .await;
        project.answer(&other, Answer::Approve, "Ann", "").expect("it waits");
    }
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
}

/// A person has no deadline, also where the run that waits for one is a stage of another.
#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_inside_a_stage_waits_for_people_without_a_limit() {
    let project = Project::new("runtime: {step_timeout_seconds: 4}\nagents: {dev: {engine: shell, run: 'true'}}\n");
    let flow = "key: flow\ntitle: Flow\nversion: 1\nsteps:\n  - {id: one, agents: [dev], role: Does it, human_gate: required}\n";
    std::fs::write(project.root.join("flow.yaml"), flow).expect("written");
    let run = start(&project, "  - {name: flow, workflow: flow.yaml}\n");
    let control = Control::default();
    let driving = project.driving(&run, rendering(), &control);
    let begun = |state: &engine::RunState| state.step_status(&"flow".into()) == StepStatus::Running;
    let state = project.until(&run, "the stage begins", begun).await;
    let instance = &state.steps["flow"].visits[0].instance;
    let child = runtime::executor::child_run(&run, instance, 0, 0);
    tokio::time::sleep(Duration::from_millis(4300)).await;
    project
        .until(&child, "it asks", |state| state.waiting().is_some())
        .await;
    project.answer(&child, Answer::Approve, "Ann", "").expect("it waits");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn half_the_work_of_an_aborted_stage_is_not_taken_although_its_program_ends_well() {
    let project = Project::new("");
    let latest = project.root.join("pipelines/outputs/report");
    std::fs::create_dir_all(&latest).expect("made");
    std::fs::write(latest.join("report.md"), "whole\n").expect("written");
    let run = start(
        &project,
        "  - {name: report, run: 'trap \"exit 0\" TERM; echo half > \"$GATEHOUSE_OUTPUT_FOLDER/report.md\"; echo x > begun; sleep 60 & wait', outputs: [report.md]}\n",
    );
    let driving = project.driving(&run, rendering(), &Control::default());
    project.until_file("begun").await;
    abort(&project, &run);
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Aborted));
    assert_eq!(read(&project, "outputs/report/report.md"), "whole\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_agents_in_turn_the_next_one_is_not_begun_once_the_run_is_aborted() {
    let project = Project::new(
        "agents:\n  a: {engine: shell, run: 'trap \"exit 0\" TERM; echo x > begun; sleep 60 & wait'}\n  b: {engine: shell, run: \"trap '' TERM; touch never\"}\n",
    );
    let run = start(&project, "  - {name: both, agents: [a, b]}\n");
    let driving = project.driving(&run, rendering(), &Control::default());
    project.until_file("begun").await;
    abort(&project, &run);
    driving.await.expect("no panic").expect("driven");
    assert!(!project.root.join("never").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_has_nothing_to_do_does_not_end_the_stage_of_several() {
    let skips = r#"{engine: shell, run: 'echo "{\"status\": \"skipped\"}" > "$GATEHOUSE_REPORT"'}"#;
    let project = Project::new(&format!(
        "agents:\n  a: {skips}\n  b: {{engine: shell, run: 'echo done > made'}}\n"
    ));
    let run = start(
        &project,
        "  - {name: one, agents: [a, b]}\n  - {name: none, agents: [a, a]}\n",
    );
    drive(&project, &run).await;
    assert!(project.root.join("made").exists());
    let state = project.state(&run);
    let status = |step: &str| crate::harness::result(&state, step).status;
    assert_eq!(status("one"), engine::ExecutionStatus::Succeeded);
    assert_eq!(status("none"), engine::ExecutionStatus::Skipped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_its_agent_left_out_is_not_completed() {
    let skips = r#"{engine: shell, run: 'cp said.json "$GATEHOUSE_REPORT"'}"#;
    let project = Project::new(&format!(
        "agents:\n  w: {skips}\n  d: {{engine: shell, run: touch deployed}}\n"
    ));
    let said = r#"{"status": "skipped", "error": "no test database"}"#;
    std::fs::write(project.root.join("said.json"), said).expect("what it reports");
    let run = start(
        &project,
        "  - {name: tests, agents: [w]}\n  - {name: deploy, agents: [d], depends_on: [tests]}\n",
    );
    assert_eq!(
        drive(&project, &run).await,
        RunStatus::Ended(EndStatus::CompletedWithFailures)
    );
    assert!(!project.root.join("deployed").exists());
    let state = project.state(&run);
    assert_eq!(state.step_status(&"tests".into()), StepStatus::Skipped);
    assert_eq!(state.step_status(&"deploy".into()), StepStatus::Skipped);
    let text = read(&project, format!("{ID}.yaml"));
    assert!(text.contains("status: completed_with_failures"), "{text}");
    assert!(text.contains("no test database"), "{text}");
    assert!(!text.contains("status: completed}"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_put_into_the_folder_of_their_stage_before_they_answer_is_taken() {
    let project = Project::new("agents: {grace: person}\n");
    let run = start(&project, "  - {name: plan, agent: grace, outputs: [plan.md]}\n");
    let driving = project.driving(&run, rendering(), &Control::default());
    project
        .until(&run, "the question", |s| s.status == RunStatus::Blocked)
        .await;
    let own = project.root.join(format!("pipelines/outputs/{ID}/plan"));
    std::fs::create_dir_all(&own).expect("made");
    std::fs::write(own.join("plan.md"), "by hand\n").expect("written");
    project.answer(&run, Answer::Pass, "Grace", "").expect("it counts");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!(
        state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        state.error
    );
    assert_eq!(read(&project, format!("outputs/{ID}/plan/plan.md")), "by hand\n");
    assert_eq!(read(&project, "outputs/plan/plan.md"), "by hand\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_stage_is_said_to_make_and_does_not_is_named() {
    let project = Project::new("agents: {worker: {engine: shell, run: echo said}}");
    let run = start(
        &project,
        "  - {name: plan, agent: worker, outputs: [plan, never.md, 'spare.md (optional)', 'docs/*.md']}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let said = project.printed(&run);
    let missed = said
        .lines()
        .filter(|line| line.contains("is made here, and it is not there"));
    assert_eq!(
        missed.collect::<Vec<_>>(),
        ["the workflow says that `never.md` is made here, and it is not there"]
    );
    let state = project.state(&run);
    let results = state.results();
    let around = results.last().and_then(|(_, result)| result.lifecycle.as_ref());
    assert_eq!(around.expect("it is on record").unmade, ["never.md"]);
}

/// In a rehearsal nothing is made, so that nothing is missed.
#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_names_no_file_that_was_not_made() {
    let project = Project::new("");
    let text = "name: Release\nstages:\n  - {name: plan, agent: worker, outputs: [never.md, 'docs/*.md']}\n";
    std::fs::write(project.root.join("release.yaml"), text).expect("written");
    let request = StartRequest {
        path: "release.yaml".into(),
        source: text.into(),
        rehearse: true,
        by: "Ann".into(),
        initiator: "test".into(),
        ..StartRequest::default()
    };
    let driver = project.driver(Project::options());
    let run = driver.start(&request).expect("it can be rehearsed");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let state = project.state(&run);
    let results = state.results();
    let around = results.last().and_then(|(_, result)| result.lifecycle.as_ref());
    assert!(around.is_none_or(|around| around.unmade.is_empty()), "{around:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_stage_leaves_that_is_no_file_is_named() {
    let project = Project::new("agents: {worker: {engine: shell, run: sh work.sh}}");
    let work = "mkfifo plan.md \"$GATEHOUSE_OUTPUT_FOLDER/pipe\"; ln -s /etc/hostname spare.md; echo said";
    std::fs::write(project.root.join("work.sh"), work).expect("written");
    let run = start(
        &project,
        "  - {name: plan, agent: worker, outputs: [plan.md, 'spare.md (optional)']}\n",
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let said = project.printed(&run);
    for named in [
        "the workflow says that the file `plan.md` is made here, and what is there is a named pipe".to_owned(),
        format!("`pipelines/outputs/{ID}/plan/pipe` is a named pipe and was neither opened nor kept"),
        "`spare.md` is a link that leads to no file of the project and was neither opened nor kept".to_owned(),
    ] {
        assert!(said.contains(&named), "{named}: {said}");
    }
}

/// A file of the project that a stage is said to make is brought into its folder, whoever made it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_stage_left_as_it_was_is_no_work_of_it() {
    let project = Project::new("agents: {worker: {engine: shell, run: sh work.sh}}");
    let write = |path: &str, text: &str| {
        let path = project.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("README.md", "old");
    write("docs/spec.md", "old");
    write("same.md", "same");
    write("plan.md", "old");
    write(
        "work.sh",
        "printf same > same.md; mkdir web; printf new > web/spec.md; printf new > \"$GATEHOUSE_OUTPUT_FOLDER/plan.md\"",
    );
    // The clock of a file system may be a little behind.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let outputs = "README.md, docs/spec.md, web/spec.md, same.md, plan.md";
    let run = start(
        &project,
        &format!("  - {{name: plan, agent: worker, outputs: [{outputs}]}}\n"),
    );
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let state = project.state(&run);
    let results = state.results();
    let result = &results.last().expect("one stage").1;
    let folder = format!("pipelines/outputs/{ID}/plan/");
    let made: Vec<(&str, bool)> = result
        .artifacts
        .iter()
        .map(|made| (made.path.strip_prefix(&folder).unwrap_or(&made.path), made.was_there))
        .collect();
    assert_eq!(
        made,
        [
            ("README.md", true),
            ("plan.md", false),
            ("same.md", false),
            ("spec.md", true),
            ("web/spec.md", false)
        ]
    );
    assert_eq!(read(&project, format!("outputs/{ID}/plan/plan.md")), "new");
    let around = result.lifecycle.as_ref().expect("it is on record");
    // Named by the path at which it was found: the copy in the stage's folder was not there before.
    assert_eq!(around.unchanged, ["same.md"]);
    assert_eq!(around.unmade, Vec::<String>::new(), "none of them is missing");
}

/// Stages that end in the very moment in which somebody aborts: what is called completed had said so before, and nothing says so after.
#[tokio::test(flavor = "multi_thread")]
async fn an_abort_in_the_moment_in_which_stages_end_calls_none_completed_that_had_not_said_so() {
    let (mut completed, mut cut_off) = (0, 0);
    for round in 0..8 {
        let project = Project::new("runtime: {parallel_stages: 8}");
        let stages: String = (0..8)
            .map(|n| {
                format!(
                    "  - {{name: s{n}, run: 'sleep 0.2; echo done > s{n}.txt', parallel: true, outputs: [s{n}.txt]}}\n"
                )
            })
            .collect();
        let run = start(&project, &stages);
        let control = Control::default();
        let driving = project.driving(&run, rendering(), &control);
        // In the moment in which so many have said it.
        let enough = |state: &engine::RunState| {
            let steps = (0..8).map(|n| state.step_status(&format!("s{n}").as_str().into()));
            state.visits().len() == 8 && steps.filter(|status| *status == StepStatus::Succeeded).count() >= round % 4
        };
        project.until(&run, "some have ended", enough).await;
        let intent = Intent::Abort {
            by: "Ann".into(),
            reason: "now".into(),
            given: None,
        };
        // All eight may have ended by then.
        let came_in_time = project.say(&run, intent).is_ok();
        let (end, state) = driving.await.expect("no panic").expect("driven");
        assert_eq!(end, End::Ended);
        project.grows(&run);
        let events = project.events(&run);
        let aborted = events
            .iter()
            .position(|event| matches!(event, engine::Event::Aborted { .. }));
        assert_eq!(aborted.is_some(), came_in_time);
        let said = events[..aborted.unwrap_or(events.len())].iter().filter(|event| {
            matches!(event, engine::Event::AttemptEnded { result, .. } if result.status == engine::ExecutionStatus::Succeeded)
        });
        let said = said.count();
        let status = |n: usize| state.step_status(&format!("s{n}").as_str().into());
        let done = (0..8).filter(|n| status(*n) == StepStatus::Succeeded).count();
        assert_eq!(done, said, "round {round}: {events:#?}");
        let file = read(&project, format!("{ID}.yaml"));
        assert_eq!(
            file.matches("status: completed").count(),
            done + usize::from(!came_in_time),
            "{file}"
        );
        (completed, cut_off) = (completed + done, cut_off + 8 - done);
    }
    assert!(
        completed > 0 && cut_off > 0,
        "both were seen: {completed} and {cut_off}"
    );
}

/// In it somebody is asked, as in front of a person: what does not wait for that stage begins, also where a failure halts the pipeline.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_inside_that_waits_for_a_person_holds_up_only_what_waits_for_its_stage() {
    for until_blocked in [false, true] {
        let project = asking_inside();
        let run = start(
            &project,
            "  - {name: data, workflow: flow.yaml, parallel: true}\n  - {name: talk, agents: [dev], parallel: true}\n  - {name: follow, agents: [dev], parallel: true, depends_on: [talk]}\n",
        );
        let options = Options {
            until_blocked,
            ..rendering()
        };
        let driving = project.driving(&run, options, &Control::default());
        let has_followed = |state: &engine::RunState| state.step_status(&"follow".into()) == StepStatus::Succeeded;
        let state = project.until(&run, "what follows", has_followed).await;
        if until_blocked {
            let (end, _) = within(30, driving).await.expect("no panic").expect("driven");
            assert_eq!(end, End::Blocked);
            continue;
        }
        let child = runtime::executor::child_run(&run, &state.steps["data"].visits[0].instance, 0, 0);
        project.answer(&child, Answer::Approve, "Ann", "").expect("it waits");
        let (_, state) = within(30, driving).await.expect("no panic").expect("driven");
        assert_eq!(
            state.status,
            RunStatus::Ended(EndStatus::Succeeded),
            "{:?}",
            state.error
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_while_nobody_drove_is_taken_up_beside_a_run_that_waits() {
    let project = asking_inside();
    let run = start(
        &project,
        "  - {name: data, workflow: flow.yaml, parallel: true}\n  - {name: talk, agents: [kim], parallel: true}\n  - {name: follow, agents: [dev], parallel: true, depends_on: [talk]}\n",
    );
    let options = Options {
        until_blocked: true,
        ..rendering()
    };
    for answered in [false, true] {
        if answered {
            project.answer(&run, Answer::Pass, "Kim", "").expect("it waits");
        }
        let driving = project.driving(&run, options.clone(), &Control::default());
        let (end, state) = within(30, driving).await.expect("no panic").expect("driven");
        assert_eq!(end, End::Blocked);
        assert_eq!(state.step_status(&"follow".into()) == StepStatus::Succeeded, answered);
    }
}

/// A project with a flow in which a person is asked.
fn asking_inside() -> Project {
    let project = Project::new("agents: {dev: {engine: shell, run: 'true'}, kim: person}\n");
    let flow = "key: flow\ntitle: Flow\nversion: 1\nsteps:\n  - {id: one, agents: [dev], role: Does it, human_gate: required}\n";
    std::fs::write(project.root.join("flow.yaml"), flow).expect("written");
    project
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_workflow_inside_asks_is_asked_at_the_start_and_given_to_its_run() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'true'}}\n");
    let inside = "format: stepspec\nworkflow: w\nquestions:\n- {name: amount, label: Amount, kind: number, required: true}\n- {name: law, label: Law, kind: choice, options: [ours, theirs], default: ours}\nsteps:\n- {id: draft, name: Draft, agent: dev, description: 'For {{amount}}.'}\n";
    std::fs::write(project.root.join("inside.yaml"), inside).expect("written");
    let around = "name: Around\nstages:\n  - {name: review, workflow: inside.yaml}\n";
    std::fs::write(project.root.join("around.yaml"), around).expect("written");
    let mut request = StartRequest {
        path: "around.yaml".into(),
        source: around.into(),
        by: "Ann".into(),
        initiator: "test".into(),
        permit: true,
        ..StartRequest::default()
    };
    let driver = project.driver(Project::options());
    match driver.start(&request) {
        Err(Error::Answers { faults }) => {
            assert_eq!(faults, [("amount".to_owned(), "“Amount” needs an answer.".to_owned())]);
        }
        other => panic!("it must be refused: {other:?}"),
    }
    request.inputs.insert("amount".to_owned(), 5.into());
    request.inputs.insert("other".to_owned(), "not asked".into());
    let run = driver.start(&request).expect("it can be run");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let state = project.state(&run);
    let child = runtime::executor::child_run(&run, &state.steps["review"].visits[0].instance, 0, 0);
    let given = project.state(&child).created.expect("it began").inputs.clone();
    assert_eq!(
        serde_json::json!(given),
        serde_json::json!({"amount": 5, "law": "ours"})
    );
}

#[test]
fn an_answer_that_one_of_the_workflows_inside_cannot_take_keeps_the_run_from_starting() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'true'}}\n");
    for (name, question) in [
        ("text", "label: What, kind: text, required: true"),
        ("choice", "label: Which, kind: choice, options: [V, W], required: true"),
        ("number", "label: How many, kind: number, required: true"),
        ("optional", "label: If any, kind: text"),
    ] {
        let inside = format!(
            "format: stepspec\nworkflow: {name}\nquestions:\n- {{name: product, {question}}}\nsteps:\n- {{id: draft, name: Draft, agent: dev, description: 'For {{{{product}}}}.'}}\n"
        );
        std::fs::write(project.root.join(format!("{name}.yaml")), inside).expect("written");
    }
    let driver = project.driver(Project::options());
    let start = |first: &str, second: &str, product: Option<&str>| {
        let source = format!(
            "name: Around\nstages:\n  - {{name: a, workflow: {first}.yaml}}\n  - {{name: b, workflow: {second}.yaml, depends_on: [a]}}\n"
        );
        let product = product.map(|product| ("product".to_owned(), serde_json::Value::from(product)));
        driver.start(&StartRequest {
            path: "around.yaml".into(),
            source,
            by: "Ann".into(),
            initiator: "test".into(),
            permit: true,
            inputs: product.into_iter().collect(),
            ..StartRequest::default()
        })
    };
    for (second, product, why) in [
        ("choice", "X", "“Which” is one of: V, W."),
        ("number", "7", "“How many” is answered with a number."),
    ] {
        match start("text", second, Some(product)) {
            Err(Error::Answers { faults }) => assert_eq!(faults, [("product".to_owned(), why.to_owned())]),
            other => panic!("it must be refused: {other:?}"),
        }
    }
    match start("optional", "optional", None) {
        Err(Error::Workflow { path, reason }) => {
            assert_eq!(path, "optional.yaml");
            assert!(reason.contains("`{{product}}`"), "{reason}");
        }
        other => panic!("it must be refused: {other:?}"),
    }
    start("text", "choice", Some("V")).expect("both can take it");
    start("optional", "text", Some("V")).expect("both can take it");
}

#[test]
fn what_is_asked_in_two_ways_is_told_where_the_file_is_listed() {
    let project = Project::new("agents: {dev: {engine: shell, run: 'true'}}\n");
    for (name, question) in [
        ("text", "kind: text"),
        ("long", "kind: long_text, label: More"),
        ("number", "kind: number"),
        ("paper", "kind: choice, options: [A4, A5]"),
        ("turned", "kind: choice, options: [A5, A4]"),
        ("large", "kind: choice, options: [A3, A4]"),
        ("needed", "kind: text, required: true"),
        ("ours", "kind: text, default: ours"),
        ("theirs", "kind: text, default: theirs"),
    ] {
        let asking = format!(
            "format: stepspec\nworkflow: {name}\nquestions:\n- {{name: size, {question}}}\nsteps:\n- {{id: draft, name: Draft, agent: dev, description: Does it.}}\n"
        );
        std::fs::write(project.root.join(format!("{name}.yaml")), asking).expect("written");
    }
    let around = |first: &str, second: &str| {
        format!(
            "name: Around\nstages:\n  - {{name: a, workflow: {first}.yaml}}\n  - {{name: b, workflow: {second}.yaml, depends_on: [a]}}\n"
        )
    };
    std::fs::write(project.root.join("deep.yaml"), around("number", "number")).expect("written");
    let told = |first: &str, second: &str| {
        let document = dialect::Document::parse("around.yaml", &around(first, second));
        let found = runtime::beyond(&project.root, "around.yaml", &document);
        for one in &found {
            let together = one.together.as_deref().expect("both files say it together");
            assert_eq!(together.code, "GH0120");
            assert_eq!(together.severity, model::Severity::Warning);
            assert_eq!(together.place, document.listed_file(1, 0));
            assert_eq!(one.listed, Some((1, 0)));
        }
        found.into_iter().map(|one| one.reason).collect::<Vec<_>>()
    };
    for (first, second, said) in [
        (
            "text",
            "number",
            "`text.yaml` asks for text, and `number.yaml` asks for a number",
        ),
        (
            "text",
            "deep",
            "`text.yaml` asks for text, and `number.yaml` asks for a number",
        ),
        (
            "text",
            "paper",
            "`text.yaml` asks for text, and `paper.yaml` asks for a choice",
        ),
        (
            "paper",
            "large",
            "`paper.yaml` lets choose from `A4`, `A5`, and `large.yaml` lets choose from `A3`, `A4`",
        ),
        (
            "text",
            "needed",
            "`text.yaml` lets it be left open, and `needed.yaml` wants an answer",
        ),
        (
            "ours",
            "theirs",
            "`ours.yaml` offers `ours`, and `theirs.yaml` offers `theirs`",
        ),
    ] {
        assert_eq!(told(first, second), [format!("`size` is asked in two ways: {said}")]);
    }
    for (first, second) in [
        ("text", "text"),
        ("text", "long"),
        ("paper", "turned"),
        ("needed", "text"),
        ("ours", "needed"),
        ("number", "deep"),
    ] {
        assert_eq!(told(first, second), Vec::<String>::new(), "{first} {second}");
    }
    let again = format!(
        "{}  - {{name: c, workflow: number.yaml, depends_on: [b]}}\n",
        around("text", "deep")
    );
    let document = dialect::Document::parse("around.yaml", &again);
    let found = runtime::beyond(&project.root, "around.yaml", &document);
    let listed: Vec<_> = found.iter().map(|one| one.listed).collect();
    assert_eq!(
        listed,
        [Some((1, 0))],
        "one file is told once, where it is led to first"
    );
}

/// A stage that is queued while the one that it waits for was sent back is nothing that goes on by itself.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_until_people_are_asked_is_not_kept_by_a_queued_stage() {
    let reports = r#"[ -e told ] || echo '{"feedback": {"to": "a", "type": "constraint", "severity": "critical", "message": "No."}}' > "$GATEHOUSE_REPORT"; touch told"#;
    let reports = serde_json::to_string(reports).expect("text");
    let project = Project::new(&format!(
        "agents: {{worker: {{engine: shell, run: 'true'}}, tester: {{engine: shell, run: {reports}}}}}"
    ));
    let stages = "- {name: a, agents: [worker], human_gate: required}\n- {name: b, agents: [tester], depends_on: [a]}\n- {name: side, agents: [worker], depends_on: [a]}\n";
    let run = start(&project, stages);
    let options = Options {
        until_blocked: true,
        ..Project::options()
    };
    for round in [1, 2] {
        let driving = project.driving(&run, options.clone(), &Control::default());
        let (end, state) = within(30, driving).await.expect("no panic").expect("driven");
        assert_eq!(end, End::Blocked);
        let asked = state.waiting().expect("a person is asked").opened.clone();
        assert_eq!((asked.instance.step.as_str(), asked.round), ("a", round));
        project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    }
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
}

/// A stage may read the latest copy of what another one made: what was approved is compared with that one, too.
#[tokio::test(flavor = "multi_thread")]
async fn the_latest_copy_of_what_was_approved_is_compared_where_a_stage_reads_it() {
    let project =
        Project::shell("[ \"$GATEHOUSE_STEP\" != plan ] || echo first > \"$GATEHOUSE_OUTPUT_FOLDER/plan.md\"");
    let stages = "- {name: plan, agents: [worker], human_gate: required}\n- {name: build, agents: [worker], depends_on: [plan], inputs: [pipelines/outputs/plan/plan.md]}\n";
    for change in [None, Some("other")] {
        let run = start(&project, stages);
        let options = Options {
            until_blocked: true,
            ..Project::options()
        };
        let driving = project.driving(&run, options, &Control::default());
        within(30, driving).await.expect("no panic").expect("driven");
        let latest = "pipelines/outputs/plan/plan.md";
        if let Some(text) = change {
            std::fs::write(project.root.join(latest), text).expect("written");
        }
        project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
        assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
        let state = project.state(&run);
        let around = result(&state, "build").lifecycle.as_ref();
        let differing = around.map_or(&[][..], |around| around.not_as_approved.as_slice());
        let differing: Vec<_> = differing.iter().map(|file| (&*file.path, &file.found)).collect();
        let found = change.map(|text| store::digest_of(text.as_bytes()));
        let expected = change.map(|_| (latest, &found));
        assert_eq!(differing, Vec::from_iter(expected));
    }
}

/// A pipeline's file that cannot take the state of its run keeps saying what it said: that is noted until somebody can write it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_show_its_run_is_noted_until_it_does() {
    let project = Project::shell("true");
    let run = start(&project, "- {name: a, agents: [worker], human_gate: required}\n");
    let options = Options {
        until_blocked: true,
        ..rendering()
    };
    let driving = project.driving(&run, options, &Control::default());
    within(30, driving).await.expect("no panic").expect("driven");
    assert_eq!(project.store.unshown(&run).expect("the history"), None);
    let good = read(&project, format!("{ID}.yaml"));
    assert!(good.contains("status: running"), "{good}");
    let path = project.root.join(format!("pipelines/{ID}.yaml"));
    std::fs::write(&path, "status: running\nstages: [\n").expect("somebody breaks it");
    project.answer(&run, Answer::Approve, "Ann", "").expect("it waits");
    assert_eq!(drive(&project, &run).await, RunStatus::Ended(EndStatus::Succeeded));
    let why = project.store.unshown(&run).expect("the history").expect("it is noted");
    assert!(
        why.contains(&format!("{ID}.yaml")) && why.contains("was left as it is"),
        "{why}"
    );
    // The next one who can writes it, and then there is nothing to say.
    std::fs::write(&path, &good).expect("somebody mends it");
    let (state, _) = project.store.load(&run).expect("the log");
    runtime::pipeline::state_file::write(&project.store, &project.root, &state).expect("written");
    assert!(read(&project, format!("{ID}.yaml")).contains("status: completed"));
    assert_eq!(project.store.unshown(&run).expect("the history"), None);
}
