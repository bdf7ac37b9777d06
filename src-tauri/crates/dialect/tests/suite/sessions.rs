//! Sessions (seed 003): what is one, what breaks the schema and where, and what is mended.

use dialect::session::{Session, breaks};
use dialect::{Document, apply, recognise};
use model::{Diagnostic, Edit, Place};
use serde_json::{Value, json};

const WHOLE: &str = r#"{
  "session_id": "bmad-session-1731500000000-a1b2c3d4",
  "project_metadata": {"name": "Shop", "workflow_type": "greenfield-ui", "created_at": "2026-11-23T10:00:00Z"},
  "workflow_state": {"current_step": 1, "completed_steps": []},
  "agent_contexts": {"analyst": {"status": "completed"}},
  "global_context": {}
}
"#;

fn read(text: &str) -> Session {
    Session::read("context_state.json", text).expect("a session")
}

#[track_caller]
fn only(session: &Session) -> Diagnostic {
    match session.document().diagnostics() {
        [one] => one.clone(),
        others => panic!("{others:?}"),
    }
}

/// Line and column of a problem, from 1.
fn at(session: &Session, found: &Diagnostic) -> (usize, usize) {
    let span = session.document().span(&found.place).expect("it stands somewhere");
    let position = session.document().position(span.start);
    (position.line, position.column)
}

#[test]
fn a_whole_session_has_no_problem_and_is_no_workflow() {
    assert_eq!(read(WHOLE).document().diagnostics(), []);
    assert_eq!(read(WHOLE).document().text(), WHOLE);
    let not = recognise("context_state.json", WHOLE).expect_err("it is no workflow");
    assert_eq!(not.looks_like, Some("a session"));
    // What wants to run it still finds that it cannot be run.
    assert_eq!(
        Document::parse("context_state.json", WHOLE).diagnostics()[0].code,
        "GH0105"
    );
    assert!(Session::read("flow.yaml", "steps: [{id: a, role: b}]\n").is_none());
}

#[test]
fn a_comma_that_other_programs_refuse_is_named() {
    let session = read(&WHOLE.replace("\"completed_steps\": []", "\"completed_steps\": [],"));
    let found = only(&session);
    assert_eq!((found.code.as_str(), at(&session, &found)), ("GH0119", (4, 1)));
}

#[test]
fn three_of_the_five_keys_make_a_session_and_the_others_are_missing() {
    let session = read(
        "{\"session_id\": \"bmad-session-1731500000000-a1b2c3d4\", \"workflow_state\": {\"current_step\": 0, \"completed_steps\": []}, \"agent_contexts\": {}}",
    );
    let said: Vec<&str> = session
        .document()
        .diagnostics()
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    assert_eq!(
        said,
        [
            "This session has no `project_metadata`, which it must have",
            "This session has no `global_context`, which it must have"
        ]
    );
}

#[test]
fn each_break_says_where_it_stands_what_it_is_and_what_it_must_be() {
    let cases = [
        (
            "\"completed\"",
            "\"complete\"",
            (5, 34),
            "is “complete”, and must be one of pending, in_progress",
        ),
        (
            "\"current_step\": 1",
            "\"current_step\": 1.5",
            (4, 22),
            "`workflow_state.current_step` is 1.5, and must be a whole number",
        ),
        (
            "\"current_step\": 1",
            "\"current_step\": -1",
            (4, 22),
            "is -1, and must be 0 or more",
        ),
        (
            "a1b2c3d4",
            "A1B2C3D4",
            (2, 3),
            "must read `bmad-session-`, thirteen digits",
        ),
        (
            "2026-11-23T10:00:00Z",
            "23.11.2026",
            (3, 74),
            "must be a date and time such as",
        ),
        ("\"Shop\"", "\"\"", (3, 24), "is empty, and must say something"),
        (
            "\"completed_steps\": []",
            "\"completed_steps\": {}",
            (4, 41),
            "is a list of fields, and must be a list",
        ),
        (
            "{\"status\": \"completed\"}",
            "{}",
            (5, 22),
            "`agent_contexts.analyst` has no `status`",
        ),
    ];
    for (old, new, place, said) in cases {
        let session = read(&WHOLE.replacen(old, new, 1));
        let found = only(&session);
        assert_eq!(found.code, "GH0601");
        assert!(found.message.contains(said), "{new}: {}", found.message);
        assert_eq!(at(&session, &found), place, "{new}: {}", found.message);
    }
}

#[test]
fn a_slip_in_a_word_and_an_empty_reason_are_mended_and_the_rest_of_the_file_stays() {
    let text = "# by hand\nsession_id: bmad-session-1731500000000-a1b2c3d4\nproject_metadata: {name: Shop, workflow_type: greenfeild-ui, created_at: \"2026-11-23T10:00:00Z\"}\nworkflow_state:\n  current_step: 0   # none yet\n  completed_steps: []\n  pause_reason: null\nagent_contexts: {}\nglobal_context: {}\nmore: kept\n";
    let mut session = Session::read("s.yaml", text).expect("a session");
    for _ in 0..2 {
        let fix = session.document().diagnostics()[0].fix.clone().expect("it is plain");
        let edits = session.document().edit(&fix.edit).expect("it can be made");
        let text = apply(session.document().text(), &edits);
        session = Session::read("s.yaml", &text).expect("still one");
    }
    assert_eq!(session.document().diagnostics(), []);
    let mended = text
        .replace("greenfeild", "greenfield")
        .replace("  pause_reason: null\n", "");
    assert_eq!(session.document().text(), mended);
}

#[test]
fn a_value_that_is_changed_leaves_all_else_as_it_was() {
    let session = read(WHOLE);
    let place = Place::document()
        .field("agent_contexts")
        .field("analyst")
        .field("status");
    let edits = session
        .document()
        .edit(&Edit::Set {
            place,
            value: "failed".into(),
        })
        .expect("it can be made");
    let text = apply(WHOLE, &edits);
    assert_eq!(text, WHOLE.replace("completed\"}", "failed\"}"));
}

#[test]
fn hostile_documents_are_named_with_a_place_or_do_nothing() {
    let twice = WHOLE.replacen(
        "\"global_context\": {}",
        "\"global_context\": {}, \"global_context\": 1",
        1,
    );
    let codes: Vec<String> = read(&twice)
        .document()
        .diagnostics()
        .iter()
        .map(|d| d.code.clone())
        .collect();
    assert!(codes.contains(&"GH0103".to_owned()), "{codes:?}");

    // What cannot be read is named where it stands, whatever it was to be.
    let codes = |text: &str| -> Vec<String> {
        let found = Document::parse("context_state.json", text).diagnostics().to_vec();
        found.into_iter().map(|d| d.code).collect()
    };
    let nothing = WHOLE.replacen("\"current_step\": 1", "\"current_step\": NaN", 1);
    assert_eq!(codes(&nothing), ["GH0101"]);
    let cut = WHOLE.split("\"global_context\"").next().expect("a part");
    assert_eq!(codes(cut), ["GH0101"]);
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let deep = WHOLE.replacen(
        "\"global_context\": {}",
        &format!("\"global_context\": {{\"a\": {deep}}}"),
        1,
    );
    assert_eq!(codes(&deep), ["GH0101"]);

    let names = WHOLE.replacen(
        "\"agent_contexts\": {",
        "\"agent_contexts\": {\"__proto__\": {\"status\": 7}, \"constructor\": 1, \"a/b~c\": null, ",
        1,
    );
    // Names outside of the schema's pattern are free.
    assert_eq!(read(&names).document().diagnostics(), []);
}

#[test]
fn a_path_is_a_json_pointer() {
    let mut value: Value = serde_json::from_str(WHOLE).expect("JSON");
    value["decision_log"] = json!([{}, {"confidence": 2}]);
    let found = breaks(&value);
    assert_eq!(found[0].pointer(), "/decision_log/1/confidence");
    assert_eq!((found[0].keyword.as_str(), found.len()), ("maximum", 1));
}

#[test]
fn ten_thousand_agents_and_validations_are_read() {
    let mut value: Value = serde_json::from_str(WHOLE).expect("JSON");
    value["agent_contexts"] = (0..10_000)
        .map(|n| (format!("agent{n}"), json!({"status": "odd"})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    value["validation_history"] = (0..10_000)
        .map(|n| json!({"step_id": "one", "details": {"n": n}}))
        .collect::<Vec<_>>()
        .into();
    let session = read(&serde_json::to_string_pretty(&value).expect("JSON"));
    // A thousand of the ten thousand are told.
    assert_eq!(session.document().diagnostics().len(), 1_000);
}
