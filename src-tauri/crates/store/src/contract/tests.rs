//! The recorded cases beside the checkout, where they are, and our own where they are silent.

#[path = "../../../../../tests/src/looking.rs"]
mod looking;

use super::{event_stream, events_file, paths, receipt, run_folder::RunFolder, step_result, transcript};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The folder of the recorded cases.
fn oracle() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/oracle");
    std::env::var_os("GATEHOUSE_ORACLE")
        .map_or_else(beside, PathBuf::from)
        .join("stepwise")
}

/// The cases of one file; nothing where the folder is not there (it is not part of the repository).
fn cases(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(oracle().join(file));
    if !looking::can_look(text.is_ok(), "the recorded cases are not beside the project") {
        return Vec::new();
    }
    let text = text.expect("read");
    let Value::Object(mut file) = serde_json::from_str(&text).unwrap() else {
        panic!("an object")
    };
    let cases: Vec<Value> = serde_json::from_value(file.remove("cases").unwrap()).unwrap();
    assert_eq!(Some(cases.len() as u64), file["count"].as_u64());
    cases
}

/// Every case of every level must come out as recorded.
fn each(file: &str, run: impl Fn(&Value) -> Value, expected: impl Fn(&Value) -> Value) {
    let mut wrong = Vec::new();
    let cases = cases(file);
    for case in &cases {
        // The recorded runs are their own expectation.
        let recorded = case.get("expected").cloned().unwrap_or_else(|| {
            let mut facts = case.clone();
            for field in ["id", "origin_validator", "origin_validator_count"] {
                facts.as_object_mut().unwrap().shift_remove(field);
            }
            facts
        });
        let (got, want) = (run(case), expected(&recorded));
        if got != want {
            wrong.push(format!(
                "{} ({}): got {got}, recorded {want}",
                case["id"], case["enforce"]
            ));
        }
    }
    eprintln!("{file}: {} of {} as recorded", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_receipts() {
    each(
        "receipts.json",
        |case| {
            let fields = receipt::check(&case["receipt"]);
            json!({"valid": fields.is_empty(), "fields": fields})
        },
        |e| json!({"valid": e["valid"], "fields": e["fields"]}),
    );
}

#[test]
fn recorded_event_streams() {
    each(
        "event_streams.json",
        |case| {
            json!(event_stream::is_valid(&event_stream::check(
                case["events"].as_array().unwrap()
            )))
        },
        |e| e["valid"].clone(),
    );
}

#[test]
fn recorded_event_files() {
    each(
        "events_jsonl.json",
        |case| {
            let file = events_file::read(case["text"].as_str().unwrap().as_bytes());
            json!([file.events.len(), file.bad.len()])
        },
        |e| json!([e["events"], e["errors"]]),
    );
}

#[test]
fn recorded_transcript_lines() {
    each(
        "transcript_lines.json",
        |case| json!(transcript::check(case["line"].as_str().unwrap()).is_empty()),
        |e| e["valid"].clone(),
    );
}

#[test]
fn recorded_step_results() {
    each(
        "step_results.json",
        |case| {
            let mut result = case["result"].clone();
            if let Some(repeat) = result["output_repeat"].as_array() {
                let times = usize::try_from(repeat[1].as_u64().unwrap()).unwrap();
                result["output"] = json!(repeat[0].as_str().unwrap().repeat(times));
            }
            let broken = step_result::check(&result, case["context_step_id"].as_str().unwrap());
            let short = step_result::cut(result["output"].as_str().unwrap(), step_result::OUTPUT_LIMIT);
            assert!(short.len() < step_result::OUTPUT_LIMIT);
            json!({"valid": broken.is_empty(), "violations": broken})
        },
        |e| json!({"valid": e["valid"], "violations": e["violations"]}),
    );
}

#[test]
fn recorded_paths() {
    each(
        "receipt_paths.json",
        |case| {
            let text = |field: &str| case[field].as_str().unwrap();
            let (flow, step, agent) = (text("flow_key"), text("step_id"), text("agent_key"));
            json!({
                "receipt": paths::receipt(flow, step, agent),
                "transcript": paths::transcript(flow, step, agent, text("engine")),
            })
        },
        Value::clone,
    );
}

#[test]
fn no_name_leaves_its_folder() {
    for name in [
        "..",
        ".",
        "",
        "../../x",
        "a/b",
        "a\\b",
        "a\0b",
        "/etc/passwd",
        ".hidden",
        "a.",
        "C:x",
        "é/..",
        "a..b",
    ] {
        let component = paths::component(name);
        assert!(
            paths::is_inside(&component) && !component.contains('/'),
            "{name:?} -> {component:?}"
        );
        assert!(
            !component.starts_with('.') && !component.ends_with('.'),
            "{name:?} -> {component:?}"
        );
    }
    let long = paths::component(&"ü".repeat(300));
    assert!(long.len() <= 64 && long != paths::component(&"ü".repeat(301)), "{long}");
    assert_eq!(paths::component("kritiker-ü_2.1"), "kritiker-ü_2.1");
    assert_ne!(paths::component("a/b"), paths::component("a%2Fb"));
    assert_eq!(
        paths::component("visit=1.attempt=1.a"),
        "visit%3D1.attempt%3D1.a",
        "the beginning of earlier visits' names stays ours"
    );
    for path in ["", "/a", "a//b", "./a", "a/../b", "..", "a\0", "a\\b", "C:/a"] {
        assert!(!paths::is_inside(path), "{path:?}");
    }
}

#[test]
fn output_is_cut_on_a_character_boundary() {
    assert_eq!(step_result::cut("abc", 4), "abc");
    assert_eq!(step_result::cut("abc", 3), "ab");
    assert_eq!(step_result::cut("a🚀b", 5), "a");
    assert_eq!(step_result::cut("🚀", 1), "");
    assert_eq!(step_result::cut("abc", 0), "");
    let rockets = "🚀".repeat(20_000);
    let short = step_result::cut(&rockets, step_result::OUTPUT_LIMIT);
    assert_eq!(short.len(), 51_196);
}

#[test]
fn a_run_that_goes_on_need_not_have_ended() {
    let event = |kind: &str, step: Option<&str>| json!({"run_id": "r", "ts": "2025-01-15T10:00:00Z", "kind": kind, "flow_key": "f", "step_id": step, "payload": {}});
    let events = [
        event("run_created", None),
        event("run_started", None),
        event("step_start", Some("a")),
    ];
    assert!(event_stream::check_so_far(&events).is_empty());
    assert!(!event_stream::is_valid(&event_stream::check(&events)));
    assert!(
        !event_stream::is_valid(&event_stream::check(&[])),
        "nothing at all is no run"
    );
}

#[test]
fn recorded_runs() {
    each(
        "real_run_invariants.json",
        |case| {
            RunFolder::read(&oracle().join("runs").join(case["id"].as_str().unwrap()))
                .unwrap()
                .summary()
        },
        Value::clone,
    );
}
