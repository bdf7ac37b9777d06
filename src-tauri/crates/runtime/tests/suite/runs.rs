//! Whole runs with the stub.

use crate::harness::{Project, ended, path, result};
use engine::Event;
use runtime::Control;

const LOOP: &str = "\
key: signal
title: Shaping
steps:
  - id: author
    agents: [author]
    role: Writes the requirements.
    routing: {kind: linear, next: critic}
  - id: critic
    agents: [critic]
    role: Criticises them.
    routing: {kind: microloop, loop_target: author, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 3, next: publish}
  - id: publish
    agents: [publisher]
    role: Publishes them.
    routing: {kind: linear}
";

#[tokio::test]
async fn a_linear_flow_succeeds_without_a_scenario() {
    let project = Project::new("");
    let flow = "key: t\ntitle: T\nsteps:\n  - {id: a, agents: [x], role: A}\n  - {id: b, agents: [x], role: B}\n  - {id: c, agents: [x], role: C}\n";
    let state = project.whole(flow, None).await;
    assert_eq!((ended(&state), path(&state).as_str()), ("succeeded", "a b c"));
    let transcript = result(&state, "b").transcript.as_ref().expect("a transcript");
    let text = String::from_utf8(project.store.blob(transcript).expect("stored")).expect("text");
    let roles: Vec<_> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["role"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(
        roles,
        [Some("system".into()), Some("user".into()), Some("assistant".into())]
    );
}

#[tokio::test]
async fn a_scenario_turns_the_loop() {
    let project = Project::new("");
    let scenario = "\
name: verified in the second round
steps:
  critic:
    - {report: {status: UNVERIFIED}, output: Two of them cannot be tested.}
    - {report: {status: VERIFIED}, artifacts: {docs/critique.md: All clear., RUN_BASE/signal/note.md: kept}, tools: [{tool: Read, input: {path: a}}]}
expect: {status: succeeded, path: [author, critic, author, critic, publish]}
";
    let run = project.start(LOOP, Some(scenario));
    let state = project.drive(&run).await;
    let script = runtime::scenario_of(&project.store, &run)
        .expect("stored")
        .expect("there is one");
    let document = dialect::Document::parse("flow.yaml", LOOP);
    assert_eq!(script.check(document.workflow(), &state), Vec::<String>::new());
    let critic = result(&state, "critic");
    let made: Vec<_> = critic.artifacts.iter().map(|a| a.path.clone()).collect();
    assert_eq!(
        made,
        [
            format!(".gatehouse/runs/{run}/project/docs/critique.md"),
            format!(".gatehouse/runs/{run}/signal/note.md")
        ]
    );
    assert_eq!(
        std::fs::read_to_string(project.root.join(&made[0])).expect("written"),
        "All clear."
    );
    assert_eq!(
        project.store.blob(&critic.artifacts[0].digest).expect("kept"),
        b"All clear."
    );
    assert_eq!(critic.tools[0].tool, "Read");
    assert_eq!(state.loop_state["critic:author"], 1);
}

#[tokio::test]
async fn a_scripted_failure_fails_the_run_and_a_missing_receipt_loops_to_the_bound() {
    let project = Project::new("");
    let state = project
        .whole(LOOP, Some("steps: {author: [{status: failed, error: no paper}]}"))
        .await;
    assert_eq!((ended(&state), state.error.as_deref()), ("failed", Some("no paper")));
    let state = project
        .whole(
            LOOP,
            Some("steps: {critic: [{report: {status: VERIFIED}, receipt: missing}]}"),
        )
        .await;
    assert_eq!((ended(&state), state.loop_state["critic:author"]), ("succeeded", 3));
}

#[tokio::test]
async fn a_failed_attempt_is_tried_again_after_a_pause() {
    let project = Project::new(
        "runtime: {max_retries: 2, backoff_seconds: 0.2}\nagents: {worker: {engine: shell, run: 'echo x >> tries; test $(wc -l < tries) -ge 3'}}",
    );
    let begun = std::time::Instant::now();
    let state = project.whole(crate::harness::ONE, None).await;
    assert_eq!(ended(&state), "succeeded");
    assert_eq!(state.steps["work"].visits[0].attempts.len(), 3);
    assert!(
        begun.elapsed() >= std::time::Duration::from_millis(400),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn scripted_files_stay_in_the_project() {
    let outside = tempfile::tempdir().expect("a folder");
    for path in ["../out.md", "/tmp/out.md", "link/out.md", ".gatehouse/history.db"] {
        let project = Project::new("");
        std::os::unix::fs::symlink(outside.path(), project.root.join("link")).expect("a link");
        let state = project
            .whole(
                LOOP,
                Some(&format!("steps: {{author: [{{artifacts: {{{path}: x}}}}]}}")),
            )
            .await;
        assert_eq!(ended(&state), "failed", "{path}");
        assert!(state.error.as_deref().expect("why").contains(path), "{:?}", state.error);
    }
    assert_eq!(std::fs::read_dir(outside.path()).expect("readable").count(), 0);
}

#[tokio::test]
async fn scripted_time_really_passes_unless_it_is_fast() {
    let project = Project::new("");
    let run = project.start(
        LOOP,
        Some("steps: {author: [{takes: 300ms}], critic: [{report: {status: VERIFIED}}]}"),
    );
    let state = project.drive(&run).await;
    assert!(result(&state, "author").duration_ms >= 300);
    let run = project.start(
        LOOP,
        Some("steps: {author: [{takes: 1h}], critic: [{report: {status: VERIFIED}}]}"),
    );
    let fast = project.driver(runtime::Options {
        fast: true,
        ..Project::options()
    });
    let (_, state) = crate::harness::within(20, fast.drive(&run, &Default::default()))
        .await
        .expect("driven");
    assert_eq!(ended(&state), "succeeded");
}

#[tokio::test]
async fn in_a_fast_rehearsal_pauses_and_the_times_of_forks_pass_at_once() {
    let fast = || runtime::Options {
        fast: true,
        ..Project::options()
    };
    let rehearsed = async |flow: &str, scenario: &str| {
        let project = Project::new("runtime: {max_retries: 1, backoff_seconds: 600}\n");
        let run = project.start(flow, Some(scenario));
        let driver = project.driver(fast());
        let driven = crate::harness::within(20, driver.drive(&run, &Control::default())).await;
        driven.expect("driven").1
    };
    let scenario = "steps: {author: [{attempts: [{status: failed, error: no ink}, {status: succeeded}]}], \
                    critic: [{report: {status: VERIFIED}}]}";
    let state = rehearsed(LOOP, scenario).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(state.steps["author"].visits[0].attempts.len(), 2);
    // What takes longer than the fork has is cut off, as where its time passes.
    let fork = "key: f\ntitle: F\nsteps:\n  - {id: begin, agents: [x], role: A, routing: {kind: fork, fork_targets: [left, right], \
                join_config: {strategy: all_complete, timeout_seconds: 60}}}\n  \
                - {id: left, agents: [x], role: B, routing: {kind: linear, next: meet}}\n  \
                - {id: right, agents: [x], role: C, routing: {kind: linear, next: meet}}\n  \
                - {id: meet, agents: [x], role: D, routing: {kind: join}}\n";
    let state = rehearsed(fork, "steps: {left: [{takes: 30s}], right: [{takes: 1h}]}").await;
    assert_eq!(ended(&state), "failed", "{:?}", path(&state));
    let state = rehearsed(fork, "steps: {left: [{takes: 30s}], right: [{takes: 50s}]}").await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    // What is done for real waits for its pause.
    let project = Project::new(
        "runtime: {max_retries: 1, backoff_seconds: 0.3}\nagents: {worker: {engine: shell, run: 'echo x >> tries; test $(wc -l < tries) -ge 2'}}",
    );
    let run = project.start(crate::harness::ONE, None);
    let begun = std::time::Instant::now();
    let driven = project.driver(fast()).drive(&run, &Control::default()).await;
    assert_eq!(ended(&driven.expect("driven").1), "succeeded");
    assert!(begun.elapsed() >= std::time::Duration::from_millis(300));
}

#[tokio::test]
async fn a_broken_workflow_is_not_started_unless_asked() {
    let project = Project::new("");
    let flow = "key: t\ntitle: T\nsteps:\n  - {id: a, agents: [x], role: A, routing: {kind: linear, next: nowhere}}\n";
    let error = project.try_start(flow, None).expect_err("it has an error");
    assert!(error.to_string().contains("nowhere"), "{error}");
    assert!(error.hint().is_some());
}

/// A scenario names a file of the project that was really made: it stays as it is, and the gate shows the one that was played.
#[tokio::test]
async fn a_rehearsal_writes_below_its_own_folder_only() {
    let flow = "key: w\ntitle: W\nsteps:\n  - {id: a, agents: [writer], role: Writes., outputs: [docs/plan.md], \
                human_gate: required, gate_at: after, routing: {kind: linear}}\n";
    let scenario = "steps:\n  a:\n    - artifacts: {docs/plan.md: played, other.md: played too}\n";
    let project = Project::new("");
    std::fs::create_dir(project.root.join("docs")).expect("made");
    std::fs::write(project.root.join("docs/plan.md"), "really made").expect("written");
    let run = project.start(flow, Some(scenario));
    // What is written over keeps who may read it.
    let earlier = project.root.join(format!(".gatehouse/runs/{run}/project/other.md"));
    std::fs::create_dir_all(earlier.parent().expect("a folder")).expect("made");
    std::fs::write(&earlier, "earlier").expect("written");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o604);
    std::fs::set_permissions(&earlier, permissions).expect("set");
    let control = Control::default();
    let driving = project.driving(&run, Project::options(), &control);
    let state = project.until(&run, "it asks", |state| state.waiting().is_some()).await;
    let about = earlier.metadata().expect("there");
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&about) & 0o777, 0o604);
    let text = |path: &str| std::fs::read_to_string(project.root.join(path)).ok();
    assert_eq!(text("docs/plan.md").as_deref(), Some("really made"));
    assert_eq!(text("other.md"), None);
    let shown = &state.waiting().expect("it asks").opened.shown;
    let paths: Vec<&str> = shown.iter().map(|made| made.path.as_str()).collect();
    let own = format!(".gatehouse/runs/{run}/project");
    assert_eq!(paths, [format!("{own}/docs/plan.md"), format!("{own}/other.md")]);
    for made in shown {
        assert_eq!(
            text(&made.path).map(|text| store::digest_of(text.as_bytes())).as_ref(),
            Some(&made.digest)
        );
    }
    control.stop();
    driving.await.expect("it ends").expect("it lets go");
}

#[tokio::test]
async fn a_scenario_of_another_workflow_is_not_followed_silently() {
    let project = Project::new("");
    let error = project
        .try_start(LOOP, Some("steps: {crtic: [{}]}"))
        .expect_err("there is no such step");
    assert!(error.to_string().contains("`crtic`"), "{error}");
}

#[tokio::test]
async fn the_source_is_the_version_the_run_started_with() {
    let project = Project::new("");
    let run = project.start(LOOP, None);
    assert_eq!(
        runtime::workflow_of(&project.store, &run)
            .expect("stored")
            .steps()
            .len(),
        3
    );
    assert!(matches!(&project.events(&run)[0], Event::RunCreated(created) if created.by == "Ann"));
}

#[tokio::test]
async fn the_files_of_a_run_stand_at_the_gate_and_at_the_end() {
    let project = Project::new("");
    let flow = LOOP.replace(
        "role: Publishes them.",
        "role: Publishes them.\n    human_gate: required",
    );
    let run = project.start(
        &flow,
        Some("steps: {critic: [{report: {status: UNVERIFIED}}, {report: {status: VERIFIED}}]}"),
    );
    let options = runtime::Options::of("test");
    let driving = project.driving(&run, options, &Default::default());
    project.until(&run, "the gate", |s| s.waiting().is_some()).await;
    let folder = project.root.join(".gatehouse/runs").join(run.as_str());
    for file in [
        "run.json",
        "signal/receipts/critic-critic.json",
        "signal/receipts/earlier/visit=1.attempt=1.critic-critic.json",
        "signal/llm/author-author-stub.jsonl",
    ] {
        let begun = std::time::Instant::now();
        while !folder.join(file).exists() {
            assert!(
                begun.elapsed() < std::time::Duration::from_secs(60),
                "{file} never came"
            );
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
    project
        .answer(&run, engine::Answer::Approve, "Ann", "")
        .expect("it waits");
    crate::harness::within(20, driving)
        .await
        .expect("no panic")
        .expect("driven");
    let events = std::fs::read_to_string(folder.join("events.jsonl")).expect("written");
    assert!(
        events.lines().last().expect("not empty").contains("run_completed"),
        "{events}"
    );
    let facts = store::Facts::of(runtime::workflow_of(&project.store, &run).expect("stored"));
    assert!(
        project.store.write_run_dir(&run, &facts).expect("writable").is_empty(),
        "they are up to date"
    );
}

/// `cargo test -p runtime --test suite speed -- --ignored --nocapture`
#[tokio::test]
#[ignore = "a measurement, not a test"]
#[expect(clippy::print_stdout, reason = "printing is what it is for")]
async fn speed_of_steps_that_do_nothing() {
    let project = Project::new("");
    let steps: String = (0..300)
        .map(|i| format!("  - {{id: s{i}, agents: [x], role: R}}\n"))
        .collect();
    let run = project.start(&format!("key: t\ntitle: T\nsteps:\n{steps}"), None);
    let begun = std::time::Instant::now();
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded");
    println!("{:.0} steps/s", 300.0 / begun.elapsed().as_secs_f64());
}

/// Nothing waits for a file that is only said to be taken: that it was not there is said, and stays on record.
#[tokio::test]
async fn a_file_that_a_step_takes_and_that_is_not_there_is_said_and_recorded() {
    let project = Project::shell("true");
    std::fs::write(project.root.join("there.md"), "# There\n").expect("a file");
    let flow = "workflow: {id: k, name: K}\nsequence:\n  \
                - {agent: worker, id: write, requires: [nothere.md, there.md, 'spare.md (optional)', the plan, 'docs/*.md', 'https://example.com/a.md']}\n";
    let run = project.start(flow, None);
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let around = result(&state, "write").lifecycle.as_deref().expect("it is on record");
    assert_eq!(around.untaken, ["nothere.md"]);
    let said: String = project
        .events(&run)
        .iter()
        .filter_map(|event| match event {
            // In a stream of its own: what a program prints is never taken for it.
            Event::Output { text, stream, .. } => (stream == "gatehouse").then_some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        "the workflow says that `nothere.md` is taken here, and it is not there\n"
    );
}
