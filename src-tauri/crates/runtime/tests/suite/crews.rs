//! Several agents of one step, for real: in order, together, failing, tried again, and what routing reads of them.

use crate::harness::{ONE, Project, ended, path, result};
use engine::{ExecutionStatus, RunId, RunState};
use serde_json::{Value, json};
use store::Facts;
use store::rundir::{Files, render};

/// A project of shell agents: name and line.
fn project(settings: &str, agents: &[(&str, &str)]) -> Project {
    let each = agents.iter().map(|(name, line)| {
        let line = serde_json::to_string(line).expect("text");
        format!("  {name}: {{engine: shell, run: {line}}}\n")
    });
    Project::new(&format!("{settings}agents:\n{}", each.collect::<String>()))
}

fn flow(step: &str) -> String {
    format!("key: flow\ntitle: T\nsteps:\n  - {{id: work, role: r, {step}}}\n")
}

async fn run(project: &Project, flow: &str) -> (RunId, RunState) {
    let run = project.start(flow, None);
    let state = project.drive(&run).await;
    (run, state)
}

fn files(project: &Project, run: &RunId) -> Files {
    let events = project.store.events(run, 0, usize::MAX).expect("the log");
    let facts = Facts::of(runtime::workflow_of(&project.store, run).expect("its workflow"));
    render(&events, &facts, &|digest| project.store.blob(digest).ok())
}

fn receipt(files: &Files, name: &str) -> Option<Value> {
    let bytes = files.get(&format!("flow/receipts/{name}.json"))?;
    Some(serde_json::from_slice(bytes).expect("JSON"))
}

fn each(state: &RunState) -> Vec<(String, ExecutionStatus)> {
    let agents = &result(state, "work").agents;
    agents
        .iter()
        .map(|one| (one.agent.to_string(), one.result.status))
        .collect()
}

fn report(status: &str, more: &str) -> String {
    format!("echo '{{\"status\": \"{status}\"{more}}}' > \"$GATEHOUSE_REPORT\"; ")
}

#[tokio::test(flavor = "multi_thread")]
async fn in_their_order_each_with_a_receipt_and_the_last_word_counts() {
    let first = report("UNVERIFIED", ", \"by\": \"a\"") + "echo a >> order; echo from a";
    let second = report("VERIFIED", "") + "sleep 0.1; echo b >> order; echo from b";
    let project = project("", &[("a", &first), ("b", &second), ("c", "echo c >> order")]);
    let (id, state) = run(&project, &flow("agents: [a, b, c]")).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(
        std::fs::read_to_string(project.root.join("order")).expect("made"),
        "a\nb\nc\n"
    );
    let whole = result(&state, "work");
    assert_eq!(
        (&whole.report["status"], &whole.report["by"]),
        (&json!("VERIFIED"), &json!("a"))
    );
    assert_eq!(whole.output, "## a\n\nfrom a\n\n## b\n\nfrom b\n");
    let times: Vec<_> = whole
        .agents
        .iter()
        .flat_map(|one| [one.started_at, one.ended_at])
        .collect();
    assert!(times.is_sorted() && times.len() == 6, "{times:?}");
    let files = files(&project, &id);
    let said = |name: &str| receipt(&files, name).expect("a receipt");
    assert_eq!(said("work-a")["report"]["status"], "UNVERIFIED");
    assert_eq!(said("work-b")["report"], json!({"status": "VERIFIED"}));
    assert_eq!(said("work-c")["agent_key"], "c");
    assert!(String::from_utf8_lossy(&files["flow/llm/work-b-shell.jsonl"]).contains("from b"));
    // Each of their lines says whose it is.
    assert!(project.printed(&id).contains("b: from b\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn together_where_the_step_says_so_and_the_others_come_to_their_end() {
    let a = "touch a; until [ -e b ]; do sleep 0.01; done; exit 3";
    let b = "touch b; until [ -e a ]; do sleep 0.01; done; sleep 0.2; echo from b";
    let project = project("runtime: {max_retries: 0}\n", &[("a", a), ("b", b)]);
    let (id, state) = run(&project, &flow("agents: [a, b], parallel: true")).await;
    assert_eq!(ended(&state), "failed");
    assert_eq!(
        each(&state),
        [
            ("a".to_owned(), ExecutionStatus::Failed),
            ("b".to_owned(), ExecutionStatus::Succeeded)
        ]
    );
    let files = files(&project, &id);
    let status = |name: &str| receipt(&files, name).expect("a receipt")["status"].clone();
    assert_eq!(
        (status("work-a"), status("work-b")),
        (json!("failed"), json!("succeeded"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn in_order_nobody_begins_behind_one_who_failed_and_a_retry_is_everybody_s() {
    let a = "echo a >> order; [ -e again ] || { touch again; exit 3; }";
    let project = project(
        "runtime: {max_retries: 1}\n",
        &[("first", "echo first >> order"), ("a", a), ("b", "echo b >> order")],
    );
    let (id, state) = run(&project, &flow("agents: [first, a, b]")).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    let order = std::fs::read_to_string(project.root.join("order")).expect("made");
    assert_eq!(order, "first\na\nfirst\na\nb\n");
    let attempts = &state.steps["work"].visits[0].attempts;
    let each: Vec<usize> = attempts
        .iter()
        .map(|one| one.result.as_ref().expect("ended").agents.len())
        .collect();
    assert_eq!(each, [2, 3]);
    let files = files(&project, &id);
    assert_eq!(
        receipt(&files, "earlier/visit=1.attempt=1.work-a").expect("kept")["status"],
        "failed"
    );
    assert!(
        receipt(&files, "earlier/visit=1.attempt=1.work-b").is_none(),
        "it did not begin"
    );
    assert_eq!(receipt(&files, "work-a").expect("the latest")["status"], "succeeded");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_time_is_each_one_s_own() {
    let project = project(
        "runtime: {max_retries: 0, step_timeout_seconds: 4}\n",
        // Two of them take longer than one may, and a busy machine may take a while to begin each.
        &[("a", "sleep 2.1"), ("b", "sleep 2.1"), ("c", "sleep 600")],
    );
    let (_, state) = run(&project, &flow("agents: [a, b, c]")).await;
    assert_eq!(ended(&state), "failed");
    let each = each(&state);
    let status: Vec<ExecutionStatus> = each.iter().map(|(_, status)| *status).collect();
    assert_eq!(
        status,
        [
            ExecutionStatus::Succeeded,
            ExecutionStatus::Succeeded,
            ExecutionStatus::Failed
        ]
    );
    let error = result(&state, "work").error.clone().unwrap_or_default();
    assert!(error.starts_with("the step was stopped after 4 s"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_reads_the_one_report_of_all_and_skipping_takes_all_of_them() {
    let skip = "echo '{\"execution_status\": \"skipped\"}' > \"$GATEHOUSE_REPORT\"";
    let judge = "[ -e twice ] && s=VERIFIED || s=UNVERIFIED; touch twice; echo \"{\\\"status\\\": \\\"$s\\\"}\" > \"$GATEHOUSE_REPORT\"";
    let project = project("", &[("writer", "true"), ("skipper", skip), ("judge", judge)]);
    let text = "key: flow\ntitle: T\nsteps:\n  - {id: write, role: r, agents: [writer]}\n  - id: work\n    role: r\n    agents: [judge, writer]\n    routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [VERIFIED], next: one}\n  - {id: one, role: r, agents: [skipper, writer]}\n";
    let (_, state) = run(&project, text).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "write work write work one")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_s_branches_have_steps_of_several_agents() {
    let project = project("", &[("a", "echo a >> made"), ("b", "echo b >> made")]);
    let text = "key: flow\ntitle: T\nsteps:\n  - {id: begin, role: r, agents: [a], routing: {kind: fork, fork_targets: [left, right]}}\n  - {id: left, role: r, agents: [a, b], routing: {kind: linear, next: meet}}\n  - {id: right, role: r, agents: [b, a], parallel: true, routing: {kind: linear, next: meet}}\n  - {id: meet, role: r, agents: [a], routing: {kind: join}}\n";
    let (id, state) = run(&project, text).await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    for step in ["left", "right"] {
        assert_eq!(result(&state, step).agents.len(), 2, "{step}");
    }
    let files = files(&project, &id);
    for name in ["left-a", "left-b", "right-a", "right-b", "meet-a"] {
        assert!(receipt(&files, name).is_some(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_gives_each_agent_its_part_or_all_the_same() {
    let project = Project::new("");
    let text = flow("agents: [a, b]");
    let own = "steps: {work: [{agents: {a: {report: {status: x, by: a}, output: hm}, b: {report: {status: y}}}}]}\n";
    let state = project.whole(&text, Some(own)).await;
    assert_eq!(ended(&state), "succeeded");
    assert_eq!(json!(result(&state, "work").report), json!({"status": "y", "by": "a"}));
    let failing = "steps: {work: [{agents: {b: {status: failed, error: no ink}}}]}\n";
    let state = project.whole(&text, Some(failing)).await;
    assert_eq!(ended(&state), "failed");
    assert_eq!(result(&state, "work").error.as_deref(), Some("no ink"));
    let same = "steps: {work: [{report: {status: z}}]}\n";
    let state = project.whole(&text, Some(same)).await;
    assert_eq!(
        (each(&state).len(), &result(&state, "work").report["status"]),
        (2, &json!("z"))
    );
}

/// An attempt whose driver died is made again whole: whoever had come to an end works again.
#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_was_cut_off_is_made_again_whole() {
    let second = "echo b >> order; [ -e again ] || { echo x > again; sleep 600; }";
    let project = project("", &[("a", "echo a >> order"), ("b", second)]);
    let run = project.start(&flow("agents: [a, b]"), None);
    let control = runtime::Control::default();
    let short = runtime::Options {
        lease_ms: 600,
        ..Project::options()
    };
    let driving = project.driving(&run, short, &control);
    project.until_file("again").await;
    driving.abort();
    let _ = driving.await;
    // The lease of a driver that died expires.
    let state = crate::harness::within(60, async {
        loop {
            match project.driver(Project::options()).drive(&run, &control).await {
                Ok((_, state)) if state.status.ended() => break state,
                _ => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            }
        }
    })
    .await;
    assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
    assert_eq!(
        std::fs::read_to_string(project.root.join("order")).expect("made"),
        "a\nb\na\nb\n"
    );
    assert_eq!(result(&state, "work").agents.len(), 2);
}

/// A log of before: one agent worked, whatever the step named.
#[test]
fn results_of_older_logs_read_as_they_were() {
    let text = r#"{"status":"succeeded","duration_ms":1,"output":"said"}"#;
    let read: engine::StepResult = serde_json::from_str(text).expect("it reads");
    assert!(read.agents.is_empty());
    let written = serde_json::to_value(&read).expect("JSON");
    assert!(written.get("agents").is_none(), "{written}");
    assert!(ONE.contains("agents: [worker]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_stage_one_agent_s_word_that_it_failed_is_enough_and_skipped_is_what_all_skipped() {
    let said = async |words: [&str; 2]| {
        let agents = words.map(|word| report(word, ""));
        let project = project("", &[("a", &agents[0]), ("b", &agents[1])]);
        let (_, state) = run(&project, "name: n\nstages:\n- {name: work, agents: [a, b]}\n").await;
        let whole = result(&state, "work");
        (whole.status, whole.error.clone().unwrap_or_default())
    };
    for (words, status, why) in [
        (
            ["FAILED", "VERIFIED"],
            ExecutionStatus::Failed,
            "a: its report has the status `FAILED`",
        ),
        (["done", "SKIPPED"], ExecutionStatus::Succeeded, ""),
        (["skipped", "Skipped"], ExecutionStatus::Skipped, ""),
    ] {
        let (came_to, error) = said(words).await;
        assert_eq!((came_to, error.as_str()), (status, why), "{words:?}");
    }
}

#[tokio::test]
async fn in_order_nobody_begins_behind_one_whose_report_says_that_it_failed() {
    let begun = async |step: &str| {
        let a = "echo a >> order; echo '{\"ok\": false}' > \"$GATEHOUSE_REPORT\"";
        let project = project("", &[("a", a), ("b", "echo b >> order")]);
        let (_, state) = run(&project, &flow(step)).await;
        let agents: Vec<String> = each(&state).into_iter().map(|(agent, _)| agent).collect();
        (ended(&state), agents.join(" "))
    };
    assert_eq!(begun("agents: [a, b]").await, ("failed", "a".to_owned()));
    assert_eq!(
        begun("agents: [a, b], parallel: true").await,
        ("failed", "a b".to_owned())
    );
    // What chooses the way on says nothing of the work.
    let branches = "agents: [a, b], routing: {kind: branch, branch_field: ok, branches: {never: other}, default: other}}\n  \
                    - {id: other, role: r, agents: [b]";
    assert_eq!(begun(branches).await, ("succeeded", "a b".to_owned()));
}
