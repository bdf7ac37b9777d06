//! The files of a StepSpec run (seed 000): a run with everything in it, driven by the machine itself.

use super::*;
use crate::contract::workflow_events;
use crate::rundir::{Files, artifact_id, in_order, render};
use crate::{FindingKind, Stored, digest_of};
use model::{Gate, Retries, Risk, Step, ToolCall, Workflow};
use serde_json::{Value, json};
use std::sync::Arc;

/// brief → prd (tool that asks, validation that fails once, gate after it) → architecture (gate before it).
fn workflow() -> Workflow {
    let gate = |at| {
        Some(Gate {
            requirement: GateRequirement::Required,
            at,
            question: None,
            asks: Vec::new(),
            on_reject: None,
        })
    };
    let mut steps: Vec<Step> = ["brief", "prd", "architecture"]
        .iter()
        .enumerate()
        .map(|(i, id)| Step::new(*id, i))
        .collect();
    for (step, phase) in steps.iter_mut().zip(["Phase 1", "Phase 2", "Phase 2"]) {
        step.phase = Some(phase.to_owned());
        step.outputs = vec![format!("{{output_folder}}/{}.md", step.id)];
    }
    steps[1].gate = gate(GateAt::After);
    steps[1].evidence = Some("L2".to_owned());
    steps[1].validation = Some("Format validation".to_owned());
    steps[1].inputs = vec!["docs/brief.md".to_owned()];
    steps[1].parameters = Fields::from_iter([("context".to_owned(), json!("minimal"))]);
    steps[1].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 1_500,
    });
    steps[1].tools = vec![ToolCall {
        name: "publish".to_owned(),
        args: json!({"to": "wiki"}),
        required: true,
        risk: Some(Risk::High),
        gate: None,
    }];
    steps[1]
        .fields
        .insert("reversibility".to_owned(), json!("Until the announcement goes out."));
    steps[2].gate = gate(GateAt::Before);
    Workflow::new("prd".into(), "PRD".into(), Format::StepSpec, steps)
}

/// The machine, driven by hand.
pub(super) struct Drive {
    workflow: Workflow,
    pub state: RunState,
    log: Vec<(At, Event)>,
    now: i64,
}

impl Drive {
    pub(super) fn start(store: &Store, run: &str) -> Self {
        let source = store.put_blob(b"workflow: prd\n").unwrap();
        let mut script = Script::new(run);
        script.create(source);
        let Some((_, Event::RunCreated(created))) = script.batch.first().cloned() else {
            unreachable!("it begins with it")
        };
        let mut drive = Self {
            workflow: workflow(),
            state: RunState::default(),
            log: Vec::new(),
            now: 1_736_935_200_000,
        };
        drive.send(Intent::Create(Arc::new(RunCreated {
            workflow: "prd".into(),
            flows: Vec::new(),
            title: "PRD".into(),
            format: Format::StepSpec,
            path: "prd.stepspec.yaml".into(),
            policy: GatePolicy {
                required_phases: vec!["Phase 2".to_owned()],
                ..GatePolicy::default()
            },
            ..RunCreated::clone(&created)
        })));
        drive
    }

    fn send(&mut self, intent: Intent) {
        self.now += 1_000;
        let command = Command {
            at: At(self.now),
            intent,
        };
        for event in decide(&self.workflow, &self.state, &command).unwrap().events {
            apply(&mut self.state, At(self.now), &event);
            self.log.push((At(self.now), event));
        }
    }

    pub(super) fn finish(&mut self, result: StepResult) {
        if let Cursor::Retrying { instance, .. } = self.state.cursor.clone() {
            self.now += 10_000;
            self.send(Intent::Retry { instance });
        }
        let Cursor::Running { instance, attempt } = self.state.cursor.clone() else {
            panic!("nothing is in flight: {:?}", self.state.cursor)
        };
        self.send(Intent::Finish {
            instance,
            attempt,
            result: Arc::new(result),
        });
    }

    pub(super) fn answer(&mut self, answer: Answer, comment: &str) {
        let opened = self.state.waiting().unwrap().opened.clone();
        self.send(Intent::Answer(Arc::new(Decision {
            gate: opened.gate.clone(),
            round: opened.round,
            answer,
            by: "Grace".into(),
            comment: comment.into(),
            seen: opened.shown.iter().map(|a| a.digest.clone()).collect(),
            undrawn: Vec::new(),
            via: "desktop".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: Some(Signature {
                key: "ab".repeat(32),
                signature: "cd".repeat(64),
                grounds: None,
            }),
        })));
    }

    pub(super) fn save(&self, store: &Store) -> RunId {
        let run = self.state.created.as_ref().unwrap().run_id.clone();
        store.append(&run, 0, &self.log, &self.state).unwrap();
        folder::grows(store, &run, &facts_of_workflow());
        run
    }
}

pub(super) fn made(store: &Store, path: &str, text: &str) -> StepResult {
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.duration_ms = 40;
    result.artifacts = vec![Artifact {
        path: path.to_owned(),
        digest: store.put_blob(text.as_bytes()).unwrap(),
        bytes: text.len() as u64,
        was_there: false,
        executable: None,
    }];
    result
}

fn call(status: ToolStatus) -> ToolRecord {
    ToolRecord {
        name: "publish".to_owned(),
        args: json!({"to": "wiki"}),
        required: true,
        risk: Risk::High,
        status,
        error: match status {
            ToolStatus::Blocked => "approval required".to_owned(),
            _ => String::new(),
        },
        output: json!({"z": 1, "a": 2}),
        gate: Some("tool:publish:prd".to_owned()),
        earlier: false,
        started_at: At(1_736_935_200_000),
        ended_at: At(1_736_935_200_050),
    }
}

fn checked(passed: bool) -> Validation {
    Validation {
        policy: "Format validation".to_owned(),
        passed,
        checks: vec![CheckRecord {
            check: "format".to_owned(),
            target: "docs/prd.md".to_owned(),
            status: if passed {
                CheckStatus::Passed
            } else {
                CheckStatus::Failed
            },
            message: if passed { String::new() } else { "no owner".to_owned() },
            line: None,
        }],
    }
}

fn with(result: StepResult, lifecycle: Lifecycle) -> StepResult {
    StepResult {
        lifecycle: Some(Box::new(lifecycle)),
        ..result
    }
}

pub(super) fn draft(store: &Store, text: &str, id: &str) -> StepResult {
    let result = made(store, "docs/prd.md", text);
    let about = About {
        path: "docs/prd.md".to_owned(),
        digest: result.artifacts[0].digest.clone(),
    };
    let evidence = Evidence {
        id: id.to_owned(),
        claim: "The requirements are complete.".to_owned(),
        level: Level::L1,
        source: "writer".to_owned(),
        date: "2025-01-15".to_owned(),
        valid_until: "2026-01-15".to_owned(),
        congruence: "CL2".to_owned(),
        reliability: 0.9,
        wlnk: 0.72,
        carrier_ref: "docs/prd.md".to_owned(),
        artifacts: vec![about],
        notes: String::new(),
        asked: Some(Level::L2),
    };
    let lifecycle = Lifecycle {
        brought_in: Vec::new(),
        not_as_approved: Vec::new(),
        unmade: Vec::new(),
        unchanged: Vec::new(),
        untaken: Vec::new(),
        unkept: vec![engine::Unkept {
            path: "docs/model.bin".to_owned(),
            bytes: 21_000_000,
            unnamed: false,
        }],
        calls: vec![call(ToolStatus::Completed)],
        guardrails: vec![GuardrailReport {
            stage: "inputs".into(),
            status: "passed".into(),
            violations: Vec::new(),
        }],
        context: Some(json!({"shards": [{"path": "docs/brief.md"}]})),
        validation: Some(checked(true)),
        evidence: vec![evidence],
        asks: None,
        needs: Vec::new(),
    };
    with(result, lifecycle)
}

/// A whole run: a validation fails and is tried again, a tool asks, a person asks for changes, approves twice.
pub(super) fn whole(store: &Store, run: &str) -> Drive {
    let mut drive = Drive::start(store, run);
    drive.finish(made(store, "docs/brief.md", "# Brief\n"));
    let ask = ToolAsk {
        gate: "tool:publish:prd".to_owned(),
        tool: "publish".to_owned(),
        args: json!({"to": "wiki"}),
        risk: Risk::High,
        call: digest_of(b"publish"),
        place: 0,
    };
    let mut blocked = StepResult::new(ExecutionStatus::Blocked);
    blocked.error = Some("approval required".to_owned());
    let lifecycle = Lifecycle {
        calls: vec![call(ToolStatus::Blocked)],
        asks: Some(ask),
        ..Lifecycle::default()
    };
    drive.finish(with(blocked, lifecycle));
    drive.answer(Answer::Approve, "the wiki is ours");
    let mut invalid = StepResult::new(ExecutionStatus::Failed);
    invalid.error = Some("validation failed: docs/prd.md: no owner".to_owned());
    let lifecycle = Lifecycle {
        validation: Some(checked(false)),
        ..Lifecycle::default()
    };
    drive.finish(with(invalid, lifecycle));
    drive.finish(draft(store, "# PRD\n", "ev:prd:1:3:1"));
    drive.answer(Answer::Changes, "name the owner");
    drive.finish(draft(store, "# PRD\nOwner: Ada\n", "ev:prd:2:1:1"));
    drive.answer(Answer::Approve, "good");
    drive.answer(Answer::Approve, "");
    let mut guarded = made(store, "docs/architecture.md", "# Architecture\n");
    guarded.report.insert("note".to_owned(), json!("done"));
    drive.finish(guarded);
    assert_eq!(drive.state.status, RunStatus::Ended(EndStatus::Succeeded));
    drive
}

pub(super) fn facts_of_workflow() -> Facts {
    Facts::of(Box::new(workflow()))
}

pub(super) fn json_of(files: &Files, path: &str) -> Value {
    serde_json::from_slice(&files[path]).unwrap()
}

fn rendered() -> Files {
    let store = Store::open_memory().unwrap();
    let run = whole(&store, "run-1").save(&store);
    store.render_run(&run, &facts_of_workflow()).unwrap()
}

#[test]
fn all_files_of_the_seed_are_there_and_sorted() {
    let files = rendered();
    let names: Vec<&str> = files.keys().map(String::as_str).filter(|p| !p.contains('/')).collect();
    assert_eq!(
        names,
        [
            "approvals.json",
            "artifacts.json",
            "context_state.json",
            "decisions.json",
            "events.jsonl",
            "evidence.json",
            "gates.json",
            "manifest.json",
            "run.json",
            "timeline.json",
            "tool_results.json",
        ]
    );
    for name in names.iter().filter(|name| name.ends_with(".json")) {
        let text = std::str::from_utf8(&files[*name]).unwrap();
        assert!(text.starts_with("{\n  \""), "{name}: two spaces");
        sorted(&serde_json::from_str(text).unwrap());
    }
}

fn sorted(value: &Value) {
    match value {
        Value::Object(object) => {
            assert!(object.keys().is_sorted(), "{object:?}");
            object.values().for_each(sorted);
        }
        Value::Array(items) => items.iter().for_each(sorted),
        _ => {}
    }
}

#[test]
fn the_events_are_those_of_the_seed_in_its_order() {
    let files = rendered();
    let stream = std::str::from_utf8(&files["events.jsonl"]).unwrap();
    let events: Vec<Value> = stream.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> = events
        .iter()
        .map(|event| {
            let payload = &event["payload"];
            assert_eq!(
                (&payload["run_id"], &payload["timestamp"]),
                (&json!("run-1"), &event["timestamp"])
            );
            assert!(crate::timestamp::strict(event["timestamp"].as_str().unwrap()).is_some());
            let step = payload["step_id"].as_str().unwrap_or("-");
            format!("{} {step}", event["type"].as_str().unwrap())
        })
        .collect();
    let expected = "WorkflowStarted -|WorkflowStepStarted brief|ArtifactReady brief|WorkflowStepCompleted brief|\
        WorkflowStepStarted prd|ToolNotCalled prd|WorkflowStepBlocked prd|HumanGateRequired prd|WorkflowBlocked prd|\
        HumanGateApproved prd|WorkflowResumed -|\
        WorkflowStepStarted prd|ValidationFailed prd|WorkflowStepFailed prd|\
        WorkflowStepStarted prd|ToolCalled prd|ValidationPassed prd|ArtifactReady prd|EvidenceRecorded prd|\
        WorkflowStepBlocked prd|HumanGateRequired prd|WorkflowBlocked prd|\
        HumanGateChangesRequested prd|WorkflowStepStarted prd|WorkflowStepFailed prd|WorkflowResumed -|\
        WorkflowStepStarted prd|ToolCalled prd|ValidationPassed prd|ArtifactReady prd|EvidenceRecorded prd|\
        WorkflowStepBlocked prd|HumanGateRequired prd|WorkflowBlocked prd|\
        HumanGateApproved prd|EvidencePromoted prd|WorkflowResumed -|WorkflowStepStarted prd|WorkflowStepCompleted prd|\
        WorkflowStepStarted architecture|WorkflowStepBlocked architecture|HumanGateRequired architecture|WorkflowBlocked architecture|\
        HumanGateApproved architecture|WorkflowResumed -|\
        WorkflowStepStarted architecture|ArtifactReady architecture|WorkflowStepCompleted architecture|WorkflowCompleted -";
    assert_eq!(told, expected.split('|').collect::<Vec<_>>());
    check_stream(&events);
}

#[test]
fn the_manifest_holds_the_specs_as_they_were_and_the_run_steps() {
    let files = rendered();
    let manifest = json_of(&files, "manifest.json");
    let specs = manifest["run"]["workflow"]["step_specs"].as_array().unwrap();
    let fields: Vec<&String> = specs[1].as_object().unwrap().keys().collect();
    let twelve = [
        "description",
        "evidence",
        "human_gate",
        "id",
        "inputs",
        "name",
        "outputs",
        "phase",
        "retries",
        "templates",
        "tools",
        "validation",
    ];
    assert_eq!(fields, twelve);
    assert_eq!(specs[1]["retries"], json!({"backoff_seconds": 1.5, "max": 1}));
    assert_eq!(specs[1]["tools"][0]["risk"], "high");
    assert_eq!(specs[0]["human_gate"], "none");
    let steps = manifest["steps"].as_array().unwrap();
    let told: Vec<String> = steps
        .iter()
        .map(|s| {
            format!(
                "{} {} {} {}",
                s["step_id"].as_str().unwrap(),
                s["visit"],
                s["status"],
                s["attempts"]
            )
        })
        .collect();
    let expected = [
        "brief 1 \"completed\" 1",
        "prd 1 \"failed\" 3",
        "prd 2 \"completed\" 1",
        "architecture 1 \"completed\" 1",
    ];
    assert_eq!(told, expected);
    assert_eq!(steps[1]["error"], "Changes requested by Grace: name the owner");
    assert_eq!(steps[2]["error"], Value::Null);
    assert_eq!(steps[2]["comments"], json!(["name the owner"]));
    assert_eq!(steps[2]["inputs"], json!({"context": "minimal"}));
    assert_eq!(steps[2]["outputs"][0]["path"], "docs/prd.md");
    let not_kept = json!([{"path": "docs/model.bin", "bytes": 21_000_000}]);
    assert_eq!(
        (&steps[2]["not_kept"], &steps[0]["not_kept"]),
        (&not_kept, &Value::Null)
    );
    assert_eq!(steps[2]["tools"][0]["name"], "publish");
    assert_eq!(steps[2]["telis_context"]["shards"][0]["path"], "docs/brief.md");
    assert_eq!(steps[2]["guardrails"][0]["stage"], "inputs");
    assert_eq!(manifest["run"]["status"], "completed");
    assert_eq!(manifest["run"]["current_step"], Value::Null);
}

#[test]
fn decisions_are_appended_with_who_and_what_was_seen() {
    let files = rendered();
    let approvals = json_of(&files, "approvals.json");
    let told: Vec<String> = approvals["approvals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| {
            format!(
                "{} {} {}",
                a["gate_id"].as_str().unwrap(),
                a["round"],
                a["status"].as_str().unwrap()
            )
        })
        .collect();
    let expected = [
        "tool:publish:prd 1 approved",
        "prd:prd:hitl 2 approved",
        "prd:architecture:hitl 1 approved",
    ];
    assert_eq!(told, expected);
    let second = &approvals["approvals"][1];
    assert_eq!(
        (&second["approved_by"], &second["approved_at"], &second["notes"]),
        (&second["by"], &second["at"], &json!("good"))
    );
    assert_eq!(second["seen"][0], second["shown"][0]["sha256"]);
    assert!(
        second["statement"]
            .as_str()
            .unwrap()
            .starts_with("[\"gatehouse-decision-v1\",\"run-1\"")
    );
    assert_eq!((&second["by"], &second["via"]), (&json!("Grace"), &json!("desktop")));

    let gates = json_of(&files, "gates.json");
    let reasons: Vec<&str> = gates["gates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| g["reason"].as_str().unwrap())
        .collect();
    let phase = "policy required phase";
    assert_eq!(reasons, ["approval required", phase, phase, phase]);
    let statuses: Vec<&str> = gates["gates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| g["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["approved", "changes_requested", "approved", "approved"]);
    assert_eq!(gates["gates"][2]["approval"]["by"], "Grace");
    assert_eq!(gates["gates"][1]["approval"], Value::Null);
    assert_eq!(gates["gates"][1]["decision"]["comment"], "name the owner");
    assert_eq!(gates["gates"][0]["about"]["tool"], "publish");
    let policy: Vec<&str> = gates["policy"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["reason"].as_str().unwrap())
        .collect();
    assert_eq!(policy, ["gate disabled", phase, phase]);
}

#[test]
fn a_decision_record_says_what_there_was_to_decide_on() {
    let files = rendered();
    let records = json_of(&files, "decisions.json");
    let approved = &records["decisions"][2];
    assert_eq!(approved["id"], "drr:prd:prd:hitl#2");
    let options: Vec<(&Value, &Value)> = approved["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (&o["answer"], &o["leads_to"]))
        .collect();
    assert_eq!(
        options,
        [
            (&json!("approve"), &json!("architecture")),
            (&json!("changes"), &json!("prd")),
            (&json!("reject"), &Value::Null),
        ]
    );
    assert_eq!(approved["decision"]["leads_to"], "architecture");
    assert_eq!(
        approved["evidence"][0],
        json!({"id": "ev:prd:2:1:1", "claim": "The requirements are complete.", "level": "L1", "promoted_to": "L2", "score": 0.72})
    );
    assert_eq!(
        approved["assurance"],
        json!({"records": 1, "score": 0.72, "weakest": "ev:prd:2:1:1"})
    );
    assert_eq!(approved["reversibility"], "Until the announcement goes out.");
    assert_eq!(records["decisions"][3]["reversibility"], "not stated");
    assert_eq!(approved["sign_off"]["key"], "ab".repeat(32));
    assert_eq!(records["decisions"][0]["options"][1]["means"], "the run ends as failed");
}

#[test]
fn evidence_tools_and_artifacts_are_linked() {
    let files = rendered();
    let evidence = json_of(&files, "evidence.json");
    let records = evidence["records"].as_array().unwrap();
    assert_eq!(
        (&records[0]["superseded"], &records[0]["level"]),
        (&json!(true), &json!("L1"))
    );
    assert_eq!(
        (&records[1]["level"], &records[1]["recorded_level"]),
        (&json!("L2"), &json!("L1"))
    );
    let promotion = &records[1]["promotions"][0];
    assert_eq!(
        (&promotion["by"], &promotion["gate_id"], &promotion["round"]),
        (&json!("Grace"), &json!("prd:prd:hitl"), &json!(2))
    );
    for field in [
        "id",
        "claim",
        "level",
        "source",
        "date",
        "valid_until",
        "congruence",
        "reliability",
        "wlnk",
        "carrier_ref",
    ] {
        assert!(!records[1][field].is_null(), "{field}");
    }
    assert_eq!(engine::evidence::schema_errors(&records[1]), Vec::<String>::new());
    assert_eq!(
        evidence["assurance"]["run"],
        json!({"records": 1, "score": 0.72, "weakest": "ev:prd:2:1:1"})
    );
    assert_eq!(evidence["assurance"]["steps"]["prd"]["score"], 0.72);

    let artifacts = json_of(&files, "artifacts.json");
    let artifacts = artifacts["artifacts"].as_array().unwrap();
    let told: Vec<(&str, bool)> = artifacts
        .iter()
        .map(|a| (a["path"].as_str().unwrap(), a["current"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("docs/brief.md", true),
            ("docs/prd.md", false),
            ("docs/prd.md", true),
            ("docs/architecture.md", true),
        ]
    );
    assert_eq!(artifacts[2]["evidence"], json!(["ev:prd:2:1:1"]));
    assert_eq!(artifacts[2]["artifact_id"], records[1]["artifacts"][0]["artifact_id"]);

    let tools = json_of(&files, "tool_results.json");
    let told: Vec<String> = tools["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| format!("{} {} {}", r["visit"], r["attempt"], r["status"].as_str().unwrap()))
        .collect();
    assert_eq!(told, ["1 1 blocked", "1 3 completed", "2 1 completed"]);
}

/// What a call came to stands there from then on: an attempt that is cut off says nothing of it, and one that ends does not say it again.
#[test]
fn a_call_stands_in_the_files_as_soon_as_it_is_made() {
    let store = Store::open_memory().unwrap();
    let mut drive = Drive::start(&store, "run-1");
    drive.finish(made(&store, "docs/brief.md", "# Brief\n"));
    let called = |drive: &mut Drive| {
        let Cursor::Running { instance, attempt } = drive.state.cursor.clone() else {
            panic!("nothing is in flight: {:?}", drive.state.cursor)
        };
        let call = Arc::new(call(ToolStatus::Completed));
        drive.send(Intent::Called {
            instance: instance.clone(),
            attempt,
            call,
        });
        (instance, attempt)
    };
    let (instance, attempt) = called(&mut drive);
    drive.send(Intent::Interrupt {
        instance: instance.clone(),
        attempt,
        reason: "power cut".to_owned(),
        let_go: false,
        seen: None,
    });
    let cut_off = drive.log.len();
    drive.send(Intent::Retry { instance });
    called(&mut drive);
    drive.finish(draft(&store, "# PRD\n", "ev:prd:1:2:1"));
    let run = drive.save(&store);
    let events: Vec<Stored> = store.events(&run, 0, 1_000).unwrap();
    let rendered = |until: usize| render(&events[..until], &facts_of_workflow(), &|d| store.blob(d).ok());
    let told = |files: &Files| -> Vec<String> {
        let results = list(files, "tool_results.json", "results");
        let each = results.iter();
        each.map(|r| format!("{} {} {}", r["attempt"], r["call"], r["status"].as_str().unwrap()))
            .collect()
    };
    let files = rendered(cut_off);
    assert_eq!(told(&files), ["1 1 completed"]);
    let step = &list(&files, "manifest.json", "steps")[1];
    assert_eq!(
        (&step["step_id"], &step["tools"][0]["status"]),
        (&json!("prd"), &json!("completed"))
    );
    let files = rendered(events.len());
    assert_eq!(told(&files), ["1 1 completed", "2 1 completed"]);
    let lines = String::from_utf8(files["events.jsonl"].clone()).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| -> Vec<&Value> { lines.iter().filter(|line| line["type"] == kind).collect() };
    let (calls, failed) = (of("ToolCalled"), of("WorkflowStepFailed"));
    assert_eq!(calls.len(), 2);
    let time = |line: &Value| line["timestamp"].as_str().unwrap().to_owned();
    assert!(
        time(calls[0]) < time(failed[0]),
        "when it was made, and not when its attempt ended"
    );
}

#[test]
fn the_timeline_merges_everything_in_one_order() {
    let files = rendered();
    let timeline = json_of(&files, "timeline.json");
    let mut entries = timeline["entries"].as_array().unwrap().clone();
    let count = |kind: &str| entries.iter().filter(|e| e["type"] == kind).count();
    assert_eq!(
        (count("artifact"), count("gate"), count("drr"), count("evidence")),
        (4, 4, 4, 2)
    );
    let events = files["events.jsonl"].iter().filter(|b| **b == b'\n').count();
    assert_eq!(count("event"), events);
    assert_eq!(
        timeline["generated_at"],
        entries.iter().map(|e| e["timestamp"].as_str().unwrap()).max().unwrap()
    );
    let before = entries.clone();
    entries.reverse();
    in_order(&mut entries);
    assert_eq!(entries, before);
}

#[test]
fn a_timeline_s_order_is_by_time_type_and_id() {
    let entry = |id: &str, kind: &str, timestamp: Option<&str>| json!({"id": id, "type": kind, "timestamp": timestamp});
    let mut entries = vec![
        entry("g", "evidence", None),
        entry("f", "event", Some("2025-01-02T00:00:00Z")),
        entry("e", "gate", Some("2025-01-01T00:00:00Z")),
        entry("d", "event", Some("2025-01-01T00:00:00Z")),
        entry("c", "event", Some("2025-01-01T00:00:00Z")),
        entry("b", "evidence", Some("2025-01-01")),
        entry("a", "event", Some("2024-12-31T23:59:59Z")),
    ];
    in_order(&mut entries);
    let ids: String = entries.iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert_eq!(ids, "abcdefg");
}

#[test]
fn an_artifact_s_id_follows_from_path_checksum_and_type() {
    let id = artifact_id("docs/plan.md", "00ff", "document");
    assert_eq!(id, &digest_of(b"docs/plan.md:00ff:document").as_str()[..16]);
    assert_ne!(id, artifact_id("docs/plan.md", "00ff", "code"));
}

fn check_stream(events: &[Value]) {
    assert_eq!(workflow_events::check(events), Vec::<String>::new());
    let mut ids: Vec<&str> = events.iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted());
    ids.dedup();
    assert_eq!(ids.len(), events.len());
}

#[test]
fn a_stream_that_breaks_the_order_is_told_so() {
    let event = |kind: &str, step: &str| {
        let at = "2025-01-15T10:00:00.000Z";
        json!({"type": kind, "timestamp": at, "payload": {"run_id": "r", "timestamp": at, "step_id": step, "visit": 1}})
    };
    let broken = |events: &[Value]| workflow_events::check(events);
    let begun = event("WorkflowStarted", "");
    assert_eq!(
        broken(&[event("WorkflowStepStarted", "a"), begun.clone()]),
        ["0: WorkflowStepStarted comes before WorkflowStarted"]
    );
    let again = [
        begun.clone(),
        event("WorkflowStepStarted", "a"),
        event("WorkflowStepCompleted", "a"),
        event("WorkflowStepStarted", "a"),
    ];
    assert_eq!(broken(&again).len(), 1);
    assert_eq!(broken(&[begun.clone(), event("WorkflowStepCompleted", "a")]).len(), 1);
    let after = [
        begun.clone(),
        event("WorkflowFailed", ""),
        event("WorkflowStepStarted", "a"),
    ];
    assert_eq!(broken(&after), ["2: WorkflowStepStarted comes after the end"]);
    let nobody = json!({"type": "WorkflowStarted", "timestamp": "now", "payload": {"timestamp": "now"}});
    assert_eq!(broken(&[nobody]).len(), 2);
}

/// A run that takes whatever way the seed says: failures, tools that ask, changes, rejections, pauses, crashes, aborts,
/// and being taken up again.
pub(super) fn wander(store: &Store, seed: u64) -> Drive {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut drive = Drive::start(store, &format!("run-{seed}"));
    let mut reopened = 0;
    for n in 0..60_u32 {
        let mut hasher = DefaultHasher::new();
        (seed, n).hash(&mut hasher);
        let draw = hasher.finish() % 24;
        let by = || "Ada".to_owned();
        let cursor = drive.state.cursor.clone();
        match cursor {
            _ if drive.state.status.ended() => {
                let again = drive.state.status != RunStatus::Ended(EndStatus::Succeeded) && reopened < 2;
                let rest = engine::control::resume::rest(&drive.workflow, &drive.state);
                if !again || rest.is_empty() {
                    break;
                }
                reopened += 1;
                drive.send(Intent::Reopen {
                    by: by(),
                    choices: BTreeMap::new(),
                });
            }
            _ if draw == 23 => drive.send(Intent::Abort {
                by: by(),
                reason: "enough".to_owned(),
                given: None,
            }),
            _ if drive.state.paused => drive.send(Intent::Resume { by: by(), given: None }),
            Cursor::AtGate { .. } => match draw {
                0 => drive.send(Intent::Pause { by: by(), given: None }),
                1 | 2 => drive.answer(Answer::Reject, "no"),
                3..=6 if drive.state.waiting().is_some_and(|r| r.opened.changes_to.is_some()) => {
                    drive.answer(Answer::Changes, "more");
                }
                _ => drive.answer(Answer::Approve, "good"),
            },
            Cursor::Running { instance, attempt } if draw == 0 => drive.send(Intent::Interrupt {
                instance,
                attempt,
                reason: "power cut".to_owned(),
                let_go: false,
                seen: None,
            }),
            Cursor::Running { .. } | Cursor::Retrying { .. } => {
                let result = match draw {
                    1..=5 => {
                        let mut failed = StepResult::new(ExecutionStatus::Failed);
                        failed.error = Some("broken".to_owned());
                        failed
                    }
                    6..=8 => {
                        let ask = ToolAsk {
                            gate: "tool:publish".to_owned(),
                            tool: "publish".to_owned(),
                            args: json!({}),
                            risk: Risk::High,
                            call: digest_of(b"publish"),
                            place: 0,
                        };
                        let lifecycle = Lifecycle {
                            calls: vec![call(ToolStatus::Blocked)],
                            asks: Some(ask),
                            ..Lifecycle::default()
                        };
                        with(StepResult::new(ExecutionStatus::Blocked), lifecycle)
                    }
                    9 => StepResult::new(ExecutionStatus::Skipped),
                    _ => draft(store, &format!("# {seed} {n}\n"), &format!("ev:{n}")),
                };
                drive.finish(result);
            }
            other => panic!("nothing is waited for: {other:?}"),
        }
    }
    drive
}

#[test]
fn whatever_happens_the_files_say_what_the_log_says() {
    let store = Store::open_memory().unwrap();
    let facts = facts_of_workflow();
    let (mut promoted, mut approved) = (0, 0);
    for seed in 0..80 {
        let drive = wander(&store, seed);
        let run = drive.save(&store);
        let events: Vec<Stored> = store.events(&run, 0, 1_000).unwrap();
        let files = store.render_run(&run, &facts).unwrap();
        let stream: Vec<Value> = std::str::from_utf8(&files["events.jsonl"])
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        check_stream(&stream);
        let count = |kind: &str| stream.iter().filter(|event| event["type"] == kind).count();
        let steps = list(&files, "manifest.json", "steps");
        let completed = steps.iter().filter(|step| step["status"] == "completed").count();
        assert_eq!(count("WorkflowStepCompleted"), completed, "run {seed}");
        let held: usize = drive.state.evidence.iter().map(|held| held.promotions.len()).sum();
        assert_eq!(count("EvidencePromoted"), held, "run {seed}");
        promoted += held;
        let answered = drive
            .state
            .gates
            .values()
            .flatten()
            .filter(|round| round.answer.is_some())
            .count();
        assert_eq!(list(&files, "decisions.json", "decisions").len(), answered);
        for approval in list(&files, "approvals.json", "approvals") {
            let rounds = &drive.state.gates[&GateId::from(approval["gate_id"].as_str().unwrap())];
            let (decision, _) = rounds.last().unwrap().answer.as_ref().unwrap();
            assert_eq!(decision.answer, Answer::Approve, "run {seed}");
            approved += 1;
        }
        for n in (1..=events.len()).filter(|_| seed % 8 == 0) {
            let before = render(&events[..n], &facts, &|d| store.blob(d).ok());
            assert!(
                files["events.jsonl"].starts_with(&before["events.jsonl"]),
                "run {seed}, {n} events"
            );
            let then = list(&before, "decisions.json", "decisions");
            assert!(list(&files, "decisions.json", "decisions").starts_with(&then));
        }
    }
    assert!(promoted > 20 && approved > 20, "the runs come to something");
}

fn list(files: &Files, name: &str, list: &str) -> Vec<Value> {
    let file: Value = serde_json::from_slice(&files[name]).unwrap();
    file[list].as_array().unwrap().clone()
}

#[test]
fn every_prefix_renders_and_no_decision_is_ever_taken_back() {
    let store = Store::open_memory().unwrap();
    let run = whole(&store, "run-1").save(&store);
    let events: Vec<Stored> = store.events(&run, 0, 1_000).unwrap();
    let facts = facts_of_workflow();
    let grows = [("decisions.json", "decisions"), ("tool_results.json", "results")];
    let mut before = BTreeMap::from(grows.map(|(name, _)| (name, Vec::new())));
    let mut stream = Vec::new();
    let mut steps = Vec::new();
    for n in 1..=events.len() {
        let files = render(&events[..n], &facts, &|d| store.blob(d).ok());
        assert!(files["events.jsonl"].starts_with(&stream), "events.jsonl only grows");
        stream.clone_from(&files["events.jsonl"]);
        for (name, key) in grows {
            let now = list(&files, name, key);
            assert!(now.starts_with(&before[name]), "{name} after {n} events");
            before.insert(name, now);
        }
        steps.push(list(&files, "manifest.json", "steps").len());
        for (path, bytes) in files.iter().filter(|(path, _)| path.contains("/receipts/")) {
            let receipt: Value = serde_json::from_slice(bytes).unwrap();
            assert_eq!(
                crate::contract::receipt::check(&receipt),
                Vec::<String>::new(),
                "{path}"
            );
        }
    }
    assert_eq!(
        (steps.first(), steps.last()),
        (Some(&3), Some(&4)),
        "a step not entered is pending"
    );
}

#[test]
fn a_gate_that_nobody_answered_waits_and_then_is_closed() {
    let store = Store::open_memory().unwrap();
    let mut drive = Drive::start(&store, "run-1");
    drive.finish(made(&store, "docs/brief.md", "# Brief\n"));
    drive.finish(draft(&store, "# PRD\n", "ev:prd:1:1:1"));
    let facts = facts_of_workflow();
    let files = |drive: &Drive, run: &str| {
        let state = &drive.state;
        let run = RunId::from(run);
        let log: Vec<(At, Event)> = drive.log.clone();
        store.append(&run, 0, &log, state).unwrap();
        store.render_run(&run, &facts).unwrap()
    };
    let waiting = files(&drive, "run-1");
    assert_eq!(list(&waiting, "gates.json", "gates")[0]["status"], "waiting");
    let manifest = json_of(&waiting, "manifest.json");
    assert_eq!(manifest["run"]["blocked_gate"], "prd:prd:hitl");
    assert_eq!(manifest["run"]["current_step"], "prd");
    assert_eq!(manifest["steps"][1]["status"], "blocked");
    assert_eq!(manifest["steps"][2]["status"], "pending");

    let mut other = Drive::start(&store, "run-2");
    other.finish(made(&store, "docs/brief.md", "# Brief\n"));
    other.finish(draft(&store, "# PRD\n", "ev:prd:1:1:1"));
    other.send(Intent::Abort {
        by: "Ada".into(),
        reason: "enough".into(),
        given: None,
    });
    let closed = files(&other, "run-2");
    assert_eq!(list(&closed, "gates.json", "gates")[0]["status"], "closed");
    assert_eq!(json_of(&closed, "manifest.json")["run"]["status"], "aborted");
}

#[test]
fn verify_finds_what_was_changed_and_rebuilding_repairs_it() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let run = whole(&store, "run-1").save(&store);
    let facts = facts_of_workflow();
    store.write_run_dir(&run, &facts).unwrap();
    assert_eq!(
        store
            .verify_files(&run, &store.render_run(&run, &facts).unwrap())
            .unwrap(),
        []
    );
    let dir = store.run_dir(&run).unwrap();
    let path = dir.join("approvals.json");
    let approvals = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, approvals.replace("Grace", "Heidi")).unwrap();
    std::fs::remove_file(dir.join("evidence.json")).unwrap();
    let found: Vec<_> = store
        .verify_files(&run, &store.render_run(&run, &facts).unwrap())
        .unwrap()
        .into_iter()
        .map(|f| (f.kind, f.subject))
        .collect();
    assert_eq!(
        found,
        [
            (FindingKind::Changed, "approvals.json".to_owned()),
            (FindingKind::Missing, "evidence.json".to_owned()),
        ]
    );
    store.rebuild(&run, &facts).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), approvals);
    assert_eq!(
        store
            .verify_files(&run, &store.render_run(&run, &facts).unwrap())
            .unwrap(),
        []
    );
    std::fs::remove_dir_all(&dir).unwrap();
    store.rebuild(&run, &facts).unwrap();
    assert_eq!(
        store
            .verify_files(&run, &store.render_run(&run, &facts).unwrap())
            .unwrap(),
        []
    );
}

#[test]
fn other_formats_have_the_files_that_their_log_has_something_for() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let files = store.render_run(&s.run, &facts()).unwrap();
    assert!(files.contains_key("approvals.json") && !files.contains_key("evidence.json"));
    assert!(!files.contains_key("manifest.json") && !files.contains_key("timeline.json"));
    let events = store.events(&s.run, 0, 3).unwrap();
    let begun = render(&events, &facts(), &|_| None);
    assert_eq!(
        begun.keys().collect::<Vec<_>>(),
        [
            "context_state.json",
            "events.jsonl",
            "meta.json",
            "run.json",
            "spec.json"
        ]
    );
}
