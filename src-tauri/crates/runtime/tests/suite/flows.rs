//! Several flows in one run, from their files to the files of the run.

use crate::harness::{Project, ended, path};
use engine::{Answer, Event, Intent, RunId, RunStatus};
use runtime::{Control, End, Error, Options};
use serde_json::Value;
use store::Facts;
use store::contract::event_stream;
use store::rundir::{Files, render};

const STEP: &str = "agents: [worker], role: r";

fn project() -> Project {
    let project = Project::shell("true");
    put(
        &project,
        "flows/plan.yaml",
        &format!("key: plan\ntitle: Plan it\nsteps:\n  - {{id: write, {STEP}}}\n"),
    );
    put(
        &project,
        "flows/2-build.yaml",
        &format!(
            "key: build\non_failure: {{next_flow: reset}}\nsteps:\n  - {{id: write, {STEP}}}\n  - {{id: check, {STEP}}}\n"
        ),
    );
    let reset = "{\"id\": \"reset-flow\", \"on_complete\": {\"next_flow\": \"return\"}, \"nodes\": [{\"node_id\": \"clean\", \"template_id\": \"worker\"}], \"edges\": []}";
    put(&project, "flows/reset-flow.graph.json", reset);
    project
}

fn put(project: &Project, path: &str, text: &str) {
    let file = project.root.join(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(file, text).expect("written");
}

const LIST: &str = "flows: [{key: plan}, {key: build, file: flows/2-build.yaml}, {key: reset, is_utility: true}]\n";

fn files(project: &Project, run: &RunId) -> Files {
    let events = project.store.events(run, 0, usize::MAX).expect("the log");
    let facts = Facts::of(runtime::workflow_of(&project.store, run).expect("its workflow"));
    let blob = |digest: &engine::Digest| project.store.blob(digest).ok();
    render(&events, &facts, &blob)
}

fn lines(files: &Files, path: &str) -> Vec<Value> {
    let text = String::from_utf8(files[path].clone()).expect("text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn refused(started: Result<RunId, Error>) -> String {
    match started {
        Err(Error::Workflow { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_flow_has_its_folder_and_its_own_names_for_its_steps() {
    let project = project();
    let run = project.start(LIST, None);
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "plan/write build/write build/check")
    );
    let files = files(&project, &run);
    let receipts: Vec<&str> = files
        .keys()
        .map(String::as_str)
        .filter(|path| path.contains("/receipts/"))
        .collect();
    assert_eq!(
        receipts,
        [
            "build/receipts/check-worker.json",
            "build/receipts/write-worker.json",
            "plan/receipts/write-worker.json"
        ]
    );
    let receipt: Value = serde_json::from_slice(&files["build/receipts/write-worker.json"]).expect("JSON");
    assert_eq!(
        (receipt["flow_key"].as_str(), receipt["step_id"].as_str()),
        (Some("build"), Some("write"))
    );
    assert!(files.contains_key(&format!(
        "build/{}",
        receipt["transcript_path"].as_str().expect("a path")
    )));
    let events = lines(&files, "events.jsonl");
    assert_eq!(
        events[0]["payload"]["flows"],
        serde_json::json!(["plan", "build", "reset"])
    );
    let said: Vec<String> = events
        .iter()
        .filter(|event| event["kind"] == "step_start" || event["kind"] == "route_decision")
        .map(|event| {
            format!(
                "{} {} {}",
                event["flow_key"], event["step_id"], event["payload"]["to_step"]
            )
            .replace('"', "")
        })
        .collect();
    assert_eq!(
        said,
        [
            "plan write null",
            "plan write null",
            "build write null",
            "build write check",
            "build check null",
            "build check null"
        ]
    );
    let violations = event_stream::check(&events);
    assert!(event_stream::is_valid(&violations), "{violations:?}");
}

#[test]
fn a_flow_s_own_id_counts_for_its_gates_wherever_it_is_begun() {
    let project = Project::new(
        "agents: {worker: {engine: shell, run: 'true'}}\nhitl: {policy: {high_risk_keywords: [payments]}}\n",
    );
    let payments = format!("id: payments\nsteps:\n  - {{id: pay, {STEP}, human_gate: optional}}\n");
    put(&project, "flows/pay.yaml", &payments);
    let list = "flows: [{key: send, file: flows/pay.yaml}]\n";
    let leads = format!("id: first\non_complete: {{next_flow: pay}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    for flow in [list, leads.as_str()] {
        let run = project.start(flow, None);
        let workflow = runtime::workflow_of(&project.store, &run).expect("its workflow");
        let step = workflow.steps().last().expect("a step");
        let (state, _) = project.store.load(&run).expect("the log");
        let rules = engine::GateRules::of(state.created.as_deref());
        let why = engine::gate::blocks(&workflow.id, step, model::GateAt::After, rules);
        assert_eq!(why, Some(engine::GateReason::HighRiskWorkflow), "{flow}");
    }
}

#[tokio::test]
async fn a_flow_that_fails_goes_aside_and_comes_back_to_the_step_that_failed() {
    let project = project();
    let scenario = "name: s\nsteps:\n  build/check: [{status: failed, error: diverged}, {status: succeeded}]\n";
    let run = project.start(LIST, Some(scenario));
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        (
            "succeeded",
            "plan/write build/write build/check reset/clean build/check"
        )
    );
}

#[tokio::test]
async fn a_flow_that_leads_to_another_takes_it_along_and_the_run_keeps_both() {
    let project = project();
    let flow = format!("key: first\non_complete: {{next_flow: 2-build}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    put(&project, "flows/1-first.yaml", &flow);
    let run = project.start(&flow, None);
    // What becomes of the files does not touch the run.
    std::fs::remove_dir_all(project.root.join("flows")).expect("removed");
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "first/a 2-build/write 2-build/check")
    );
    let Event::RunCreated(created) = &project.events(&run)[0] else {
        panic!("a beginning")
    };
    let text = String::from_utf8(project.store.blob(&created.source).expect("kept")).expect("text");
    assert!(
        text.contains("on_complete: {next_flow: 2-build}") && text.contains("id: check"),
        "{text}"
    );
}

#[test]
fn what_is_missing_broken_or_no_flow_is_named_before_the_run() {
    let project = project();
    let lead = |to: &str| format!("key: first\non_complete: {{next_flow: {to}}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    let said = refused(project.try_start(&lead("nowhere"), None));
    assert!(
        said.contains("nowhere") && said.contains("not in this project"),
        "{said}"
    );
    put(
        &project,
        "broken.yaml",
        &format!("key: broken\nsteps:\n  - {{id: a, {STEP}, routing: {{kind: linear, next: b}}}}\n"),
    );
    let said = refused(project.try_start(&lead("broken"), None));
    assert!(said.starts_with("`broken.yaml`: line 3"), "{said}");
    put(&project, "notes.yaml", "a: 1\n");
    let said = refused(project.try_start(&lead("notes"), None));
    assert!(said.contains("`notes.yaml` is no flow"), "{said}");
    put(
        &project,
        "pipe.yaml",
        "name: p\nstages:\n  - {name: a, agent: worker}\n",
    );
    let said = refused(project.try_start(&lead("pipe"), None));
    assert!(said.contains("only flows can follow each other"), "{said}");
    let said = refused(project.try_start("flows: [{key: plan, file: ../outside.yaml}]\n", None));
    assert!(said.contains("../outside.yaml"), "{said}");
    let said = refused(project.try_start("flows: [{key: plan}, {key: build, human_gate: required}]\n", None));
    assert!(said.contains("human_gate") && said.contains("GH0501"), "{said}");
    let filter = store::RunFilter::default();
    assert_eq!(
        project.store.runs(&filter).expect("a list").len(),
        0,
        "nothing has begun"
    );
}

#[test]
fn flows_without_end_are_bounded() {
    let project = project();
    for n in 0..120 {
        let next = n + 1;
        let flow = format!("key: f{n}\non_complete: {{next_flow: f{next}}}\nsteps:\n  - {{id: a, {STEP}}}\n");
        put(&project, &format!("f{n}.yaml"), &flow);
    }
    let first = std::fs::read_to_string(project.root.join("f0.yaml")).expect("written");
    let said = refused(project.try_start(&first, None));
    assert!(said.contains("more than 100 flows"), "{said}");
}

/// What several flows say together is said before a run as the run has it: a flow that never begins, a way back from nowhere.
#[test]
fn what_flows_say_together_is_known_before_a_run() {
    let project = project();
    let said = |path: &str, text: &str| -> Vec<String> {
        put(&project, path, text);
        let found = runtime::beyond(&project.root, path, &dialect::Document::parse(path, text));
        let one = |one: runtime::Beyond| {
            let all = one.together.expect("of all of them");
            format!(
                "{} {:?} {:?} {}",
                all.code,
                all.severity,
                all.place.step,
                all.place.path.join(".")
            )
        };
        found.into_iter().map(one).collect()
    };
    let list = |more: &str| format!("flows: [{{key: plan}}, {{key: build, file: flows/2-build.yaml}}, {more}]\n");
    assert_eq!(
        said("l.yaml", &list("{key: reset, is_utility: true}")),
        Vec::<String>::new()
    );
    put(
        &project,
        "aside.yaml",
        &format!("key: aside\nsteps:\n  - {{id: a, {STEP}}}\n"),
    );
    let aside = list("{key: reset, is_utility: true}, {key: aside, is_utility: true}");
    assert_eq!(said("l.yaml", &aside), ["GH0505 Warning Some(3) "]);
    let by_hand = format!("in_order: false\n{}", list("{key: reset, is_utility: true}"));
    // What only such a flow leads to never begins either.
    assert_eq!(
        said("l.yaml", &by_hand),
        ["GH0505 Warning Some(1) ", "GH0505 Warning Some(2) "]
    );

    // A flow that ends the run by its own word: what stands behind it never begins.
    let ending = format!("key: ending\non_complete: {{next_flow: null}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    put(&project, "ending.yaml", &ending);
    let behind = "flows: [{key: ending}, {key: plan}]\n";
    assert_eq!(said("l.yaml", behind), ["GH0505 Warning Some(1) "]);

    let back = format!("key: back\non_complete: {{next_flow: return}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    put(&project, "back.yaml", &back);
    let list = "flows: [{key: back}, {key: plan}]\n";
    let found = said("l.yaml", list);
    assert!(found.contains(&"GH0505 Error Some(0) ".to_owned()), "{found:?}");
    assert!(refused(project.try_start(list, None)).contains("GH0505"));

    // A failure that leads past a gate.
    put(
        &project,
        "sign.yaml",
        &format!("key: sign\nsteps:\n  - {{id: a, human_gate: required, {STEP}}}\n"),
    );
    let past = format!("key: early\non_failure: {{next_flow: plan}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    put(&project, "early.yaml", &past);
    let list = "flows: [{key: early}, {key: sign}, {key: plan}]\n";
    assert_eq!(said("l.yaml", list), ["GH0006 Warning Some(0) "]);

    // A flow that would begin itself again for as long as it fails.
    let again = back.replace("on_complete", "on_failure");
    put(&project, "back.yaml", &again);
    let refused = refused(project.try_start("flows: [{key: plan}, {key: back}]\n", None));
    assert!(refused.contains("GH0505") && refused.contains("return"), "{refused}");
}

#[tokio::test]
async fn a_run_waits_behind_its_last_flow_where_that_pauses() {
    let last = format!("key: last\non_complete: {{next_flow: pause}}\nsteps:\n  - {{id: a, {STEP}}}\n");
    for (flow, gone) in [
        ("flows: [{key: plan}, {key: last}]\n", "plan/write last/a"),
        (last.as_str(), "a"),
    ] {
        let project = project();
        put(&project, "last.yaml", &last);
        let run = project.start(flow, None);
        let options = Options {
            until_blocked: true,
            ..Project::options()
        };
        let driver = project.driver(options);
        let (end, state) = driver.drive(&run, &Control::default()).await.expect("it is driven");
        assert_eq!((end, state.status), (End::Blocked, RunStatus::Paused));
        let resume = Intent::Resume {
            by: "Ann".into(),
            given: None,
        };
        runtime::submit::submit_to(&project.store, &run, resume).expect("it is paused");
        let state = project.drive(&run).await;
        assert_eq!((ended(&state), path(&state).as_str()), ("succeeded", gone));
        assert!(event_stream::is_valid(&event_stream::check(&lines(
            &files(&project, &run),
            "events.jsonl"
        ))));
    }
}

#[tokio::test]
async fn flows_beside_the_order_lead_on_to_each_other_and_back() {
    let project = project();
    for (key, to) in [("first", "tidy"), ("tidy", "sweep"), ("sweep", "return")] {
        let flow = format!("key: {key}\non_complete: {{next_flow: {to}}}\nsteps:\n  - {{id: a, {STEP}}}\n");
        put(&project, &format!("{key}.yaml"), &flow);
    }
    let list = "flows: [{key: first}, {key: plan}, {key: tidy, is_utility: true}, {key: sweep, is_utility: true}]\n";
    let document = dialect::Document::parse("l.yaml", list);
    let found = runtime::beyond(&project.root, "l.yaml", &document);
    assert!(found.is_empty(), "{found:?}");
    let state = project.whole(list, None).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "first/a tidy/a sweep/a plan/write")
    );
}

#[tokio::test]
async fn a_file_that_was_approved_at_the_end_of_a_flow_is_compared_when_the_next_flow_begins() {
    for change in [false, true] {
        let project = Project::shell("[ -e out.md ] || echo first > out.md");
        put(
            &project,
            "one.yaml",
            &format!("key: one\nsteps:\n  - {{id: b, outputs: [out.md], human_gate: required, {STEP}}}\n"),
        );
        put(
            &project,
            "two.yaml",
            &format!("key: two\nsteps:\n  - {{id: c, {STEP}}}\n  - {{id: d, {STEP}}}\n"),
        );
        let run = project.start("flows: [{key: one}, {key: two}]\n", None);
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
            .await;
        if change {
            std::fs::write(project.root.join("out.md"), "other").expect("written");
        }
        project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
        let (_, state) = driving.await.expect("no panic").expect("driven");
        assert_eq!(path(&state), "one/b two/c two/d");
        let differing = |step: &str| {
            let around = crate::harness::result(&state, step).lifecycle.as_ref();
            around.map_or(0, |around| around.not_as_approved.len())
        };
        assert_eq!((differing("two/c"), differing("two/d")), (usize::from(change), 0));
    }
}

#[tokio::test]
async fn a_flow_that_is_named_by_its_path_follows() {
    let project = project();
    put(
        &project,
        "other/plan.yaml",
        &format!("key: plan\nsteps:\n  - {{id: other, {STEP}}}\n"),
    );
    let flow = format!(
        "key: my first\non_complete: {{next_flow: flows/plan.yaml}}\non_failure: {{next_flow: other/plan.yaml}}\nsteps:\n  - {{id: a, {STEP}}}\n"
    );
    put(&project, "first.yaml", &flow);
    let found = runtime::beyond(
        &project.root,
        "first.yaml",
        &dialect::Document::parse("first.yaml", &flow),
    );
    assert_eq!(found, []);
    let run = project.start(&flow, None);
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "my-first/a plan/write")
    );
}
