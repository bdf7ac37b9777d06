//! What is offered where somebody types in the source.

use dialect::completion::{Completions, complete};
use model::Reference;

/// The cursor stands at `|`.
fn at(path: &str, text: &str) -> Option<Completions> {
    let offset = text.find('|').expect("a cursor");
    complete(path, &text.replacen('|', "", 1), offset)
}

fn labels(path: &str, text: &str) -> Vec<String> {
    let found = at(path, text).map(|found| found.options).unwrap_or_default();
    found.into_iter().map(|one| one.label).collect()
}

/// The text with the completion of this label.
fn completed(path: &str, text: &str, label: &str) -> String {
    let found = at(path, text).expect("something is offered");
    let one = found.options.iter().find(|one| one.label == label);
    let one = one.unwrap_or_else(|| panic!("{label} is not among {:?}", found.options));
    let text = text.replacen('|', "", 1);
    [&text[..found.from], &one.text, &text[found.to..]].concat()
}

fn has(found: &[String], wanted: &[&str], unwanted: &[&str]) {
    for one in wanted {
        assert!(found.iter().any(|label| label == one), "{one} is not among {found:?}");
    }
    for one in unwanted {
        assert!(!found.iter().any(|label| label == one), "{one} is among {found:?}");
    }
}

const FLOW: &str = "\
key: f
title: F
steps:
  - id: draft
    agents: [writer]
    role: Write it.
    routing: {kind: linear, next: check}
  - id: check
    agents: [critic]
    role: Read it.
";

#[test]
fn fields_are_those_of_the_block_that_are_not_there_yet() {
    let step = labels("f.yaml", &format!("{FLOW}    ro|\n"));
    has(
        &step,
        &["routing", "inputs", "human_gate"],
        &["id", "agents", "role", "key", "steps"],
    );
    let root = labels("f.yaml", &format!("{FLOW}de|"));
    has(&root, &["description"], &["key", "title", "steps", "agents"]);
    let routing = labels("f.yaml", &FLOW.replace("next: check}", "next: check, |}"));
    has(&routing, &["max_iterations"], &["kind", "next", "role"]);
    let looped = FLOW.replace("{kind: linear, next: check}", "{kind: microloop, |}");
    has(&labels("f.yaml", &looped), &["loop_target", "next"], &["kind"]);
    let below = labels("f.yaml", &format!("{FLOW}    routing:\n      |\n"));
    has(&below, &["kind", "next"], &["id"]);
    let first = labels("f.yaml", "key: f\ntitle: F\nsteps:\n  - |\n");
    has(&first, &["id", "agents"], &["steps"]);
    // A step is put in between others.
    let between = labels(
        "f.yaml",
        &FLOW.replace("  - id: check", "  - id: new\n    |\n  - id: check"),
    );
    has(&between, &["role", "routing"], &["id"]);
}

#[test]
fn a_field_is_written_as_the_file_has_it() {
    let block = completed("f.yaml", &format!("{FLOW}    rou|\n"), "routing");
    assert_eq!(block, format!("{FLOW}    routing:\n      \n"));
    let flow = completed(
        "f.yaml",
        &FLOW.replace("next: check}", "next: check, ma|}"),
        "max_iterations",
    );
    assert!(flow.contains("next: check, max_iterations: }"), "{flow}");
    let renamed = completed("f.yaml", &FLOW.replace("role: Read it.", "ro|: Read it."), "role");
    assert_eq!(renamed, FLOW);
}

#[test]
fn values_are_those_that_the_field_takes() {
    let kinds = labels("f.yaml", &FLOW.replace("kind: linear", "kind: |"));
    has(&kinds, &["linear", "microloop"], &["role"]);
    let gate = labels("f.yaml", &format!("{FLOW}    human_gate: |\n"));
    has(&gate, &["required"], &[]);
    let names = |text: &str| at("f.yaml", text).and_then(|found| found.names);
    assert_eq!(names(&FLOW.replace("next: check}", "next: |}")), Some(Reference::Step));
    assert_eq!(
        names(&FLOW.replace("agents: [critic]", "agents: [cr|]")),
        Some(Reference::Agent)
    );
    assert_eq!(
        names(&FLOW.replace("agents: [critic]", "agents:\n      - |")),
        Some(Reference::Agent)
    );
    assert!(
        at("f.yaml", &FLOW.replace("Read it.", "Read| it.")).is_none(),
        "prose is the author's own"
    );
    assert!(at("f.yaml", &format!("# a note|\n{FLOW}")).is_none());
}

#[test]
fn every_format_offers_its_own() {
    let pipeline = "pipeline_id: PIPE-20260102-a-030405\nname: A\nstages:\n  - name: one\n    agent: a\n";
    has(
        &labels("p.yaml", &format!("{pipeline}    |\n")),
        &["depends_on", "outputs", "parallel"],
        &["name"],
    );
    let waits = at("p.yaml", &format!("{pipeline}  - name: two\n    depends_on: [|]\n")).expect("steps");
    assert_eq!(waits.names, Some(Reference::Step));
    let stepspec = "workflow:\n  name: a\n  title: A\nsteps:\n  - id: one\n    title: One\n";
    let found = labels("s.yaml", &format!("{stepspec}    |\n"));
    has(&found, &["human_gate", "outputs"], &["id", "title"]);
    let runbook = "# R\n\n## 1. One\n\nDo it.\n\n- PASS: CONTINUE\n- |\n\n## 2. Two\n\nDo it.\n";
    has(&labels("r.runbook.md", runbook), &["PASS", "FAIL", "FAIL ANY"], &[]);
    let behind = runbook.replace("- |", "- FAIL: |");
    has(&labels("r.runbook.md", &behind), &["STOP", "GOTO", "RETRY"], &["PASS"]);
    let to = at("r.runbook.md", &runbook.replace("- |", "- FAIL: GOTO |")).expect("steps");
    assert_eq!(to.names, Some(Reference::Step));
    let then = runbook.replace("- |", "- FAIL: RETRY 2 |");
    has(&labels("r.runbook.md", &then), &["GOTO", "STOP"], &["RETRY"]);
    let whole = completed("r.runbook.md", &runbook.replace("- |", "- FAIL A|"), "FAIL ANY");
    assert!(whole.contains("- FAIL ANY: \n"), "{whole}");
    let prose = runbook.replace("- |", "- Look| at it");
    assert!(labels("r.runbook.md", &prose).is_empty());
    let front = "---\nti|\n---\n# R\n\n## 1. One\n\nDo it.\n";
    assert!(at("r.runbook.md", front).is_some());
}

#[test]
fn any_place_of_any_text_can_be_asked() {
    let texts = [
        FLOW,
        "# R\n\n## 1. Ünü\n\n- PASS: GOTO 1\n",
        "{",
        "- - -",
        "a: &b\n  *b",
        "\u{feff}key: é\n",
        "---\n",
        "",
    ];
    for text in texts {
        for path in ["a.yaml", "a.runbook.md", "a.json"] {
            (0..text.len() + 2).for_each(|offset| drop(complete(path, text, offset)));
        }
    }
}
