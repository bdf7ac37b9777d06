//! The log in public words.

use super::*;
use crate::contract::event_stream::KINDS;
use crate::vocabulary::{Renderer, Vocabulary, lines, render};
use serde_json::Value;

fn in_words(vocabulary: Vocabulary) -> Vec<Value> {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    render(vocabulary, &s.run, &store.events(&s.run, 0, 1_000).unwrap(), &facts())
}

#[test]
fn stepwise() {
    let out = in_words(Vocabulary::Stepwise);
    let told: Vec<String> = out
        .iter()
        .map(|e| {
            format!(
                "{} {}",
                e["kind"].as_str().unwrap(),
                e["step_id"].as_str().unwrap_or("-")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "run_created -",
            "run_started -",
            "step_start author",
            "step_end author",
            "route_decision author",
            "step_start critic",
            "step_end critic",
            "route_decision critic",
            "step_start author",
            "step_end author",
            "route_decision author",
            "step_start critic",
            "step_end critic",
            "route_decision critic",
            "step_start publish",
            "tool_start publish",
            "tool_end publish",
            "step_end publish",
            "route_decision publish",
            "run_completed -",
        ]
    );
    assert!(out.iter().all(|e| KINDS.contains(&e["kind"].as_str().unwrap())));
    let line = |i: usize| serde_json::to_string(&out[i]).unwrap();
    assert_eq!(
        line(0),
        r#"{"run_id":"run-1","ts":"2025-01-15T10:00:01.000000Z","kind":"run_created","flow_key":"signal","step_id":null,"agent_key":null,"payload":{"flows":["signal"],"backend":"stub-step-orchestrator","initiator":"test","stepwise":true},"seq":1,"event_id":"run-1:000001"}"#
    );
    assert_eq!(
        out[5]["payload"],
        serde_json::json!({"role": "Judge.", "agents": ["critic-agent"], "step_index": 2, "engine": "stub-step"})
    );
    assert_eq!(
        out[7]["payload"],
        serde_json::json!({"from_step": "critic", "to_step": "author", "reason": "loop_iteration:1", "loop_state": {"critic:author": 1}, "routing_source": "deterministic"})
    );
    assert_eq!(
        out[6]["payload"],
        serde_json::json!({"status": "succeeded", "duration_ms": 40, "error": null, "engine": "stub-step"})
    );
    // Two attempts: the whole stretch.
    assert_eq!(out[17]["payload"]["duration_ms"], 3_000);
    assert_eq!(
        out[19]["payload"],
        serde_json::json!({"status": "succeeded", "error": null, "steps_completed": 5, "total_steps_executed": 5, "loop_state_final": {"critic:author": 1}})
    );
}

/// A runbook binds nobody, and its scripts are carried out all the same.
#[test]
fn the_backend_of_a_run_for_real_is_no_stub_s() {
    let step = Step {
        work: model::Work::Command {
            language: "bash".into(),
            script: "true".into(),
        },
        ..Step::new("1", 0)
    };
    let workflow = Workflow::new("backup".into(), "Backup".into(), Format::Rundown, vec![step]);
    let created = |rehearsal| RunCreated {
        rehearsal,
        ..RunCreated::new("run-1", &workflow, "backup.runbook.md", crate::digest_of(b""), "test")
    };
    let facts = Facts::of(Box::new(workflow.clone()));
    let backend = |rehearsal| crate::vocabulary::stepwise::backend(&created(rehearsal), &facts);
    assert_eq!(backend(false), "bash-step-orchestrator");
    assert_eq!(backend(true), "stub-step-orchestrator");
}

#[test]
fn bmad() {
    let out = in_words(Vocabulary::Bmad);
    let told: Vec<&str> = out.iter().map(|e| e["type"].as_str().unwrap()).collect();
    let steps = ["WorkflowStepStarted", "WorkflowStepCompleted"].repeat(4);
    let mut expected = vec!["WorkflowStarted"];
    expected.extend(steps);
    expected.extend([
        "WorkflowStepStarted",
        "WorkflowStepFailed",
        "WorkflowStepStarted",
        "ArtifactReady",
        "WorkflowStepBlocked",
        "HumanGateRequired",
        "WorkflowBlocked",
        "HumanGateApproved",
        "WorkflowResumed",
        "WorkflowStepStarted",
        "WorkflowStepCompleted",
        "WorkflowCompleted",
    ]);
    assert_eq!(told, expected);
    let mut ids: Vec<&str> = out.iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted());
    ids.dedup();
    assert_eq!(ids.len(), out.len());
    for line in &out {
        assert_eq!(line["payload"]["run_id"], "run-1");
        assert_eq!(line["payload"]["timestamp"], line["timestamp"]);
    }
    assert_eq!(out[16]["payload"]["by"], "Grace");
    assert_eq!(out[10]["payload"]["error"], "no space");
    assert_eq!(
        out[18]["payload"]["attempt"],
        Value::Null,
        "it goes on without an attempt"
    );
    assert_eq!(out[19]["payload"]["attempt"], 2);
    let places: Vec<u64> = out.iter().map(|e| e["seq"].as_u64().unwrap()).collect();
    assert_eq!(places, (1..=out.len() as u64).collect::<Vec<_>>());
}

#[test]
fn native_is_the_log_itself() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let out = in_words(Vocabulary::Native);
    assert_eq!(out.len(), s.batch.len());
    let back: Vec<Event> = out
        .iter()
        .map(|l| serde_json::from_value(l["event"].clone()).unwrap())
        .collect();
    assert_eq!(back, s.batch.iter().map(|(_, e)| e.clone()).collect::<Vec<_>>());
    assert_eq!(out[0]["hash"].as_str().unwrap().len(), 64);
}

#[test]
fn a_log_can_be_followed() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let (events, facts) = (store.events(&s.run, 0, 1_000).unwrap(), facts());
    for vocabulary in [Vocabulary::Stepwise, Vocabulary::Bmad, Vocabulary::Native] {
        let mut renderer = Renderer::new(vocabulary, &s.run, facts.clone());
        let followed: Vec<Value> = events.iter().flat_map(|e| renderer.push(e)).collect();
        assert_eq!(followed, render(vocabulary, &s.run, &events, &facts));
        assert_eq!(lines(&followed).iter().filter(|b| **b == b'\n').count(), followed.len());
    }
    assert_eq!(Vocabulary::parse("bmad"), Some(Vocabulary::Bmad));
    assert_eq!(Vocabulary::parse("klingon"), None);
}
