//! Sessions of elsewhere (seed 003) taken in as runs: looked at on the same screens, marked as not executed here, gone on from with their workflow.

use dialect::session::{ASIDE, breaks};
use serde_json::{Value, json};
use studio::command::RunAt;
use studio::{Client, Identity, Studio};
use tests::ajv::Ajv;
use tests::program::Said;
use tests::project::Project;

const CONFIG: &str = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt\"}
";

const FLOW: &str = "key: plan
title: Plan
steps:
  - {id: draft, role: Draft it, agents: [worker]}
  - {id: settle, role: Settle it, agents: [worker], human_gate: required, gate_question: Is it settled?}
  - {id: build, role: Build it, agents: [worker]}
  - {id: publish, role: Publish it, agents: [worker]}
";

struct Bench {
    project: Project,
}

impl Bench {
    fn new() -> Self {
        let project = Project::new(&[("gatehouse.yaml", CONFIG), ("plan.yaml", FLOW)]).expect("a project");
        Self { project }
    }

    fn says(&self, arguments: &[&str]) -> Said {
        self.project.gatehouse(arguments).expect("gatehouse is built")
    }

    fn well(&self, arguments: &[&str]) -> String {
        let said = self.says(arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    }

    fn import(&self, name: &str, document: &Value) -> String {
        self.project
            .write(&[(name, &format!("{document:#}"))])
            .expect("written");
        let said = self.well(&["session", "import", name, "--json"]);
        let said: Value = serde_json::from_str(&said).expect("JSON");
        said["run_id"].as_str().expect("a run").to_owned()
    }

    fn exported(&self, run: &str) -> Value {
        serde_json::from_str(&self.well(&["session", "export", run])).expect("JSON")
    }

    fn worked(&self) -> Vec<String> {
        self.project.text("worked.txt").lines().map(ToOwned::to_owned).collect()
    }

    fn latest(&self) -> String {
        self.project.latest().expect("readable").expect("a run").0.to_string()
    }

    fn studio(&self) -> Studio {
        let identity = Identity::open_in(&self.project.home(), false).expect("an identity");
        Studio::open_as(&self.project.root, Client::Cli, identity).expect("the project opens")
    }
}

fn session(state: Value) -> Value {
    json!({
        "session_id": "bmad-session-1731500000000-a1b2c3d4",
        "schema_version": "2.0.0",
        "project_metadata": {"name": "Elsewhere", "workflow_type": "greenfield-ui", "created_at": "2026-11-23T10:00:00Z"},
        "workflow_state": state,
        "agent_contexts": {
            "qa": {"status": "completed", "outputs": {"plan": {"file_reference": "docs/plan.md"}}},
            "somebody": {"mood": "good"},
        },
        "global_context": {},
        "decision_log": [{"decision": "Take the short way", "decision_maker": "pm", "reasoning": "because"}],
        "feedback_loops": [{"id": "f1", "source_agent": "qa", "target_agents": ["pm"], "description": "Two owners are named", "status": "resolved"}],
        "checkpoints": [{"id": "c1", "timestamp": "2026-11-23T10:00:00Z", "step_id": 1, "description": "Before it is built"}],
        "workflow": 1.50,
    })
}

/// Its answers were those of a script, or of somebody who tried it out: they are not taken for a person's.
#[test]
fn an_imported_session_of_a_rehearsal_says_that_it_was_one() {
    let bench = Bench::new();
    let mut document = session(json!({"current_step": 2, "completed_steps": [1, 2]}));
    let real = bench.import("real.json", &document);
    assert!(!bench.well(&["status", &real]).contains("rehearsal"));
    document["session_id"] = json!("bmad-session-1731500000001-a1b2c3d5");
    document["metadata"] = json!({"environment": "rehearsal"});
    let run = bench.import("rehearsed.json", &document);
    let status = bench.well(&["status", &run]);
    assert!(status.contains("This session says that it was a rehearsal"), "{status}");
    let listed: Value = serde_json::from_str(&bench.well(&["list", "--json"])).expect("JSON");
    let rehearsals = listed.as_array().expect("runs").iter();
    let rehearsals: Vec<&Value> = rehearsals.filter(|row| row["rehearsal"] == true).collect();
    assert!(
        rehearsals.len() == 1 && rehearsals[0]["run_id"] == run.as_str(),
        "{rehearsals:?}"
    );
}

#[test]
fn an_imported_session_is_a_run_that_was_not_executed_here() {
    let bench = Bench::new();
    let document = session(json!({"current_step": 2, "completed_steps": [1, 2]}));
    let run = bench.import("foreign.json", &document);
    assert_eq!(bench.exported(&run), document, "nothing of it is lost or added");
    let folder: Value =
        serde_json::from_str(&bench.project.text(format!(".gatehouse/runs/{run}/context_state.json"))).expect("JSON");
    assert_eq!(folder, document);
    assert!(bench.well(&["list"]).contains("imported: not executed here"));
    assert!(bench.well(&["status", &run]).contains("imported: not executed here"));
    assert!(!bench.well(&["list", "--open"]).contains(&run));
    bench.well(&["report", &run, "--output", "report.html"]);
    let report = bench.project.text("report.html");
    for told in [
        "Imported: nothing of it was executed here",
        "Take the short way",
        "Two owners are named",
        "Before it is built",
        "plan.md",
    ] {
        assert!(report.contains(told), "{told}");
    }
    let verified = bench.well(&["verify", &run]);
    assert!(verified.contains("imported"), "{verified}");
    // Nothing of it is driven, answered or taken up.
    for arguments in [
        &["resume", run.as_str()][..],
        &["pause", &run],
        &["abort", &run],
        &["checkpoint", &run, "here"],
        &["resume", &run, "--mended"],
    ] {
        let said = bench.says(arguments);
        assert_ne!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    }
    // Whoever wants to go on is told how.
    let alone: &[&str] = &[];
    for more in [alone, &["--dry-run"], &["--mended"], &["--from", "build"]] {
        let said = bench.says(&[&["resume", run.as_str()][..], more].concat());
        let hint = format!("gatehouse resume {run} --workflow FILE");
        assert!(
            said.code == Some(3) && said.err.contains(&hint),
            "{more:?}: {}",
            said.err
        );
    }
    assert_eq!(bench.project.text("worked.txt"), "");
    bench.well(&["rebuild", &run]);
    assert!(bench.studio().verify(RunAt::live(run.clone())).expect("verified").ok);
}

/// A number that no 64 bits hold is exported digit for digit, and not as another one.
#[test]
fn a_large_number_of_a_session_is_not_rounded() {
    let bench = Bench::new();
    let mut document = session(json!({"current_step": 2, "completed_steps": [1, 2]}));
    document["metadata"] = json!({"budget": 18_446_744_073_709_551_615_u64});
    let run = bench.import("exact.json", &document);
    assert_eq!(bench.exported(&run), document);
    let large = "99999999999999999999";
    let text = document.to_string().replace("18446744073709551615", large);
    std::fs::write(bench.project.root.join("large.json"), text).expect("written");
    bench.well(&["session", "import", "large.json"]);
    let exported = bench.exported(&bench.latest());
    assert_eq!(exported["metadata"]["budget"], large, "{exported}");
}

#[test]
fn one_that_breaks_the_schema_is_taken_in_with_each_break_told_and_exports_one_that_keeps_it() {
    let bench = Bench::new();
    let mut document = session(json!({"current_step": "two", "completed_steps": [1, "x"], "pause_reason": null}));
    document["agent_contexts"]["pm"] = json!({"status": "resting"});
    let run = bench.import("broken.json", &document);
    let exported = bench.exported(&run);
    assert_eq!(breaks(&exported), [], "{exported:#}");
    let mut ajv = Ajv::start();
    ajv.give(&exported);
    ajv.accepts();
    assert_eq!(exported["metadata"][ASIDE]["/workflow_state/current_step"], "two");
    let view = bench.studio().session_view(&run).expect("shown");
    assert_eq!(view.problems.len(), 4, "{:?}", view.problems);
    assert!(view.imported.expect("it says so").contains("4 places"));
}

#[test]
fn hostile_documents_are_inert_or_refused_with_a_place() {
    let bench = Bench::new();
    let html = "<img src=x onerror=alert(1)>";
    let mut hostile = session(json!({"current_step": 1, "completed_steps": []}));
    hostile["project_metadata"]["name"] = json!(html);
    hostile["agent_contexts"] = Value::Object(
        (0..10_000)
            .map(|n| (format!("agent {n} {html}"), json!({"status": html})))
            .chain(["__proto__", "constructor", "toString"].map(|name| (name.to_owned(), json!({"status": "failed"}))))
            .collect(),
    );
    hostile["decision_log"] = json!([{"decision": html, "reasoning": "\u{202e}\u{1b}[2J"}]);
    let run = bench.import("hostile.json", &hostile);
    assert_eq!(bench.exported(&run), hostile);
    bench.well(&["report", &run, "--output", "report.html"]);
    assert!(!bench.project.text("report.html").contains("<img"), "it is text");
    assert!(!bench.well(&["list"]).contains('\u{1b}'));
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let whole = format!("{:#}", session(json!({"current_step": 1, "completed_steps": []})));
    for (text, name) in [
        (
            whole.replace(
                "\"global_context\": {}",
                &format!("\"global_context\": {{\"x\": {deep}}}"),
            ),
            "deep.json",
        ),
        (
            whole.replace("\"global_context\": {}", "\"global_context\": {\"x\": NaN}"),
            "nan.json",
        ),
        (
            whole.replace(
                "\"global_context\": {}",
                "\"global_context\": {}, \"global_context\": {\"x\": 1}",
            ),
            "twice.json",
        ),
        (whole[..whole.len() / 2].to_owned(), "half.json"),
    ] {
        bench.project.write(&[(name, &text)]).expect("written");
        let said = bench.says(&["session", "import", name]);
        assert_eq!(said.code, Some(2), "{name}: {}{}", said.out, said.err);
        // What is no document is none of a session; of one that can be read the place is told.
        let told = if name == "twice.json" {
            "twice.json:"
        } else {
            "is not a session"
        };
        assert!(said.err.contains(told), "{name}: {}", said.err);
    }
    let said = bench.says(&["session", "import", "plan.yaml"]);
    assert_ne!(said.code, Some(0));
    assert_eq!(bench.latest(), run, "nothing of them was taken in");
}

#[test]
fn it_is_gone_on_from_with_its_workflow_and_nothing_completed_is_done_again() {
    let bench = Bench::new();
    let run = bench.import(
        "foreign.json",
        &session(json!({"current_step": 3, "completed_steps": [1], "skipped_steps": [2]})),
    );
    let dry = bench.well(&["resume", &run, "--workflow", "plan.yaml", "--dry-run"]);
    for line in [
        "counted as completed: 1 ",
        "counted as left out: 2 ",
        "goes on at: 3 ",
        "may come after it: 4 ",
        "note: No step",
    ] {
        assert!(dry.contains(line), "{line}: {dry}");
    }
    assert_eq!(bench.latest(), run, "nothing was begun");
    bench.well(&["resume", &run, "--workflow", "plan.yaml"]);
    let second = bench.latest();
    assert_eq!(bench.worked(), ["build", "publish"]);
    let verified = bench.studio().verify(RunAt::live(second.clone())).expect("verified");
    assert!(
        verified.ok && verified.notes.iter().any(|note| note.contains("taken over")),
        "{verified:?}"
    );
    let told = bench.exported(&second);
    assert_eq!(told["workflow_state"]["completed_steps"], json!([1, 3, 4]));
    assert_eq!(told["workflow_state"]["skipped_steps"], json!([2]));
    assert_eq!(told["metadata"]["continues"]["run_id"], run.as_str());
    assert!(bench.well(&["list"]).contains(&format!("goes on from {run}")));
    bench.well(&["report", &second, "--output", "report.html"]);
    assert!(
        bench
            .project
            .text("report.html")
            .contains("goes on from the imported session")
    );
}

/// A session is nobody's answer: where a gate is passed because of it, that is said before and stands in the record.
#[test]
fn a_gate_that_a_session_passes_is_named_everywhere() {
    let bench = Bench::new();
    let run = bench.import(
        "foreign.json",
        &session(json!({"current_step": 3, "completed_steps": [1, 2]})),
    );
    let dry = bench.well(&["resume", &run, "--workflow", "plan.yaml", "--dry-run"]);
    for line in [
        "“Settle” has a gate, and nobody is asked there",
        "does not say of which workflow it is",
    ] {
        assert!(dry.contains(line), "{line}: {dry}");
    }
    let told = bench.well(&["resume", &run, "--workflow", "plan.yaml"]);
    let named = "Nobody was asked at the gate of “Settle”.";
    assert!(told.contains(named), "{told}");
    let second = bench.latest();
    let status = bench.well(&["status", &second]);
    let counted = "counted as completed, by the session that was imported";
    assert_eq!(status.matches(counted).count(), 2, "{status}");
    assert_eq!(status.matches('✓').count(), 2, "{status}");
    let verified = bench.studio().verify(RunAt::live(second.clone())).expect("verified");
    assert!(verified.notes.iter().any(|note| note.contains(named)), "{verified:?}");
    bench.well(&["report", &second, "--output", "report.html"]);
    assert!(bench.project.text("report.html").contains(named));
    // At a step that is chosen, and behind it, nothing counts as done.
    let from = bench.well(&[
        "resume",
        &run,
        "--workflow",
        "plan.yaml",
        "--from",
        "settle",
        "--dry-run",
    ]);
    assert!(
        from.contains("counted as completed: 1 ") && !from.contains("has a gate"),
        "{from}"
    );
}

/// Where a second person is to approve, what somebody wrote into a session approves nothing, whoever goes on from it.
#[test]
fn where_four_eyes_are_wanted_a_session_passes_no_gate() {
    let bench = Bench::new();
    let config = format!("{CONFIG}hitl: {{four_eyes: true}}\n");
    bench.project.write(&[("gatehouse.yaml", &config)]).expect("written");
    let run = bench.import(
        "foreign.json",
        &session(json!({"current_step": 3, "completed_steps": [1, 2]})),
    );
    let go_on = ["resume", run.as_str(), "--workflow", "plan.yaml"];
    for more in [&["--dry-run"][..], &["--from", "build"], &[]] {
        let said = bench.says(&[&go_on[..], more].concat());
        let why = "it would go on past the gate at “Settle”";
        assert!(
            said.code == Some(3) && said.err.contains(why) && said.err.contains("`settle`"),
            "{more:?}: {}{}",
            said.out,
            said.err
        );
    }
    assert_eq!(bench.latest(), run, "nothing was begun");
    let said = bench.well(&[&go_on[..], &["--from", "settle", "--until-blocked"]].concat());
    assert!(said.contains("Is it settled?"), "{said}");
}

#[test]
fn what_does_not_fit_the_workflow_is_refused_and_said() {
    let bench = Bench::new();
    for (state, why) in [
        (
            json!({"current_step": 9, "completed_steps": [1, 9]}),
            "step 9 is completed",
        ),
        (
            json!({"current_step": 3, "completed_steps": [3]}),
            "Choose the step to go on at",
        ),
        (
            json!({"current_step": 1, "completed_steps": [1], "failed_steps": [{"step_id": 1}]}),
            "completed and failed at once",
        ),
        (
            json!({"current_step": 4, "completed_steps": [1, 2, 3, 4]}),
            "nothing left to do",
        ),
    ] {
        let run = bench.import("foreign.json", &session(state));
        for more in [&["--dry-run"][..], &[]] {
            let said = bench.says(&[&["resume", &run, "--workflow", "plan.yaml"][..], more].concat());
            assert_eq!(said.code, Some(3), "{why}: {}{}", said.out, said.err);
            assert!(said.err.contains(why), "{why}: {}", said.err);
        }
    }
    let mut other = session(json!({"current_step": 1, "completed_steps": [1]}));
    other["project_metadata"]["workflow"] = json!("another");
    let run = bench.import("foreign.json", &other);
    let said = bench.says(&["resume", &run, "--workflow", "plan.yaml"]);
    assert!(said.err.contains("of the workflow “another”"), "{}", said.err);
    assert_eq!(bench.project.text("worked.txt"), "");
    // Where a person says where to go on it goes.
    let run = bench.import(
        "foreign.json",
        &session(json!({"current_step": 3, "completed_steps": [3]})),
    );
    bench.well(&["resume", &run, "--workflow", "plan.yaml", "--from", "publish"]);
    assert_eq!(bench.worked(), ["publish"]);
}

const BRANCHES: &str = "key: hand-out
title: Hand out
steps:
  - id: check
    role: Check it
    agents: [checker]
    outputs: [RUN_BASE/hand-out/check.md]
    routing: {kind: branch, branch_field: verdict, branches: {ALL: publish}, next: refuse}
  - id: publish
    role: Publish it
    agents: [worker]
    inputs: [RUN_BASE/hand-out/check.md]
    human_gate: required
    gate_at: before
    on_reject: refuse
    routing: {kind: linear}
  - id: refuse
    role: Send it back
    agents: [clerk]
    outputs: [RUN_BASE/hand-out/note.md]
    routing: {kind: linear}
";

const CHECKER: &str = "version: 1
agents:
  worker: {engine: shell, run: \"echo $GATEHOUSE_STEP >> worked.txt\"}
  clerk: {engine: shell, run: \"echo back > $RUN_BASE/hand-out/note.md; echo $GATEHOUSE_STEP >> worked.txt\"}
  checker:
    engine: shell
    run: |
      echo ok > $RUN_BASE/hand-out/check.md
      echo '{\"verdict\": \"ALL\", \"artifacts\": [\"inbox/a.md\"]}' > $GATEHOUSE_REPORT
permissions: {mode: allow}
";

/// The way of a rejection is none of an approved one, and what lay there before a run was made by nobody in it.
#[test]
fn a_session_that_succeeded_is_not_gone_on_from_and_says_what_was_made() {
    let bench = Bench::new();
    let files = [
        ("gatehouse.yaml", CHECKER),
        ("hand-out.yaml", BRANCHES),
        ("inbox/a.md", "# A\n"),
    ];
    bench.project.write(&files).expect("written");
    // What was put there within two seconds before a run cannot be told from what it made, on every file system.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    bench.well(&["run", "hand-out.yaml", "--yes", "--by", "Ada Lund"]);
    let first = bench.latest();
    assert_eq!(bench.worked(), ["publish"]);
    let document = bench.exported(&first);
    let made = format!(".gatehouse/runs/{first}/hand-out/check.md");
    assert_eq!(document["artifacts"]["generated"], json!([made]));
    assert!(
        !document["agent_contexts"].to_string().contains("inbox/a.md"),
        "{document:#}"
    );
    bench
        .project
        .write(&[("exported.json", &format!("{document:#}"))])
        .expect("written");
    let shown = bench.well(&["session", "show", "exported.json"]);
    let of = |word: &str| -> Vec<&str> {
        let rows = shown.lines().filter_map(|line| line.trim_start().strip_prefix(word));
        rows.map(str::trim).collect()
    };
    assert_eq!(of("made "), [made]);
    assert_eq!(of("reported "), ["check"]);

    let imported = bench.import("exported.json", &document);
    for more in [&["--dry-run"][..], &[]] {
        let said = bench.says(&[&["resume", &imported, "--workflow", "hand-out.yaml"][..], more].concat());
        let why = "succeeded: there is nothing left to do";
        assert!(
            said.code == Some(3) && said.err.contains(why),
            "{}{}",
            said.out,
            said.err
        );
    }
    assert_eq!(bench.worked(), ["publish"], "nothing was done");

    // As it stood at the gate: by what was reported the way leads there, and the rejection is no step to come as a matter of course.
    let asked = document["checkpoints"][0]["event"].to_string();
    let at_gate = bench.well(&["session", "export", &first, "--at", &asked]);
    let at_gate: Value = serde_json::from_str(&at_gate).expect("JSON");
    let imported = bench.import("at-gate.json", &at_gate);
    let dry = bench.well(&["resume", &imported, "--workflow", "hand-out.yaml", "--dry-run"]);
    for line in [
        "counted as completed: 1 ",
        "goes on at: 2 ",
        "may come after it: 3 ",
        "needs `hand-out/check.md`, which is not here: it is made at “Check",
    ] {
        assert!(dry.contains(line), "{line}: {dry}");
    }
    // Where a step that is named puts its file is there, although the one that made the folder was not done here.
    bench.well(&["resume", &imported, "--workflow", "hand-out.yaml", "--from", "refuse"]);
    let note = format!(".gatehouse/runs/{}/hand-out/note.md", bench.latest());
    assert_eq!(bench.project.text(note), "back\n");
}

/// Whoever takes a session in once more is told, and so is whoever looks at it; its page leads to its workflow where the project has it.
#[test]
fn a_session_that_was_imported_before_says_so_and_leads_to_its_workflow() {
    let bench = Bench::new();
    let mut document = session(json!({"current_step": 1, "completed_steps": [1]}));
    document["project_metadata"]["workflow"] = json!("plan");
    let first = bench.import("one.json", &document);
    let again = bench.well(&["session", "import", "one.json"]);
    let told = format!("The same session was imported before, as run {first}.");
    assert!(again.contains(&told), "{again}");
    let second = bench.latest();
    assert!(bench.well(&["status", &second]).contains(&told));
    assert!(!bench.well(&["status", &first]).contains("imported before"));
    document["workflow_state"]["completed_steps"] = json!([1, 2]);
    bench.import("two.json", &document);
    let status = bench.well(&["status", &bench.latest()]);
    assert!(status.contains("as it stood at another moment, as run"), "{status}");
    let studio = bench.studio();
    let run = |id: &str| engine::RunId::from(id);
    assert_eq!(studio.run_head(&run(&first)).expect("shown").workflow_path, "plan.yaml");
    document["project_metadata"]["workflow"] = json!("unknown");
    let unknown = bench.import("three.json", &document);
    assert_eq!(studio.run_head(&run(&unknown)).expect("shown").workflow_path, "");
}

/// What is exported of the runs of all samples comes back the same.
#[test]
fn what_is_exported_is_imported_as_it_was() {
    let project = tests::samples::project().expect("the samples");
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    let studio = Studio::open_as(&project.root, Client::Cli, identity).expect("the project opens");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let _inside = runtime.enter();
    let mut taken = 0;
    for (workflow, scenario) in [(
        "requirements/shape-a-request.yaml",
        "requirements/shape-a-request.scenarios/1-critic-satisfied-in-the-second-round.yaml",
    )] {
        let run = studio
            .create_run(&studio::command::StartOf {
                path: workflow.to_owned(),
                scenario: Some(scenario.to_owned()),
                rehearse: true,
                ..Default::default()
            })
            .expect("it begins");
        runtime.block_on(studio.drive(&run, true, true)).expect("it is driven");
        let events = runtime
            .block_on(studio.view(RunAt {
                run_id: run.to_string(),
                at: None,
            }))
            .expect("shown")
            .head
            .last;
        for at in 1..=events {
            let document = studio.session_of(run.as_str(), Some(at)).expect("a session");
            let imported = studio
                .import("session.json", format!("{document:#}"))
                .expect("taken in");
            assert_eq!(studio.session_of(imported.as_str(), None).expect("a session"), document);
            taken += 1;
        }
    }
    assert!(taken > 20, "{taken}");
}
