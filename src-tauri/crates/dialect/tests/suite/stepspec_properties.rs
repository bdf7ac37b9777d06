//! Properties of StepSpec workflows: any text, any change.

use crate::damaged::{damaged, in_guises};
use dialect::{Document, StepField, apply, invert};
use model::{Edit, Place, Step};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILE: &str = "w.yaml";

const WORKFLOW: &str = "# requirements\nformat: stepspec\nworkflow: prd   # short\nphase: Plan\nx: &who [ops]\nquestions:\n  - {name: topic, required: true}\n  - size\nsteps:\n  # first\n  - id: read\n    name: read it\n    description: >-\n      all of\n      it\n    inputs:\n      artifacts: [\"{output_folder}/brief.md\"] # one\n      validation_targets:\n        - a.py\n    outputs: ['{output_folder}/{{topic}}.md']\n    tools:\n      - name: getCurrentTime\n        args: {timezone: UTC}\n      - zap   # alone\n    validation: none\n\n  # then\n  - id: write it\n    name: write\n    phase: Build\n    agent: kim\n    human_gate: required # ours\n    gate:\n      question: Right?\n      on_reject: read\n    retries: 2\n    run: |\n      make\n\n      make all\n\n  - id: \"check\"\n    name: check\n    agents: *who\n    inputs: [a.md, b.md]\n    evidence: L1\n    on_reject: write it   # again\n    retries: {max: 1, backoff_seconds: 0.5}\n  - {id: ship, name: ship, agents: [ops], gate: optional, outputs: [], note: {a: [1, 2]}}\n  - id: tell\n    name: tell\n    templates:\n      - 'template:{template_folder}/t.md'\n    gate_asks: [lead]\n    outputs:\n";
const STEPS: usize = 5;

fn guises() -> impl Strategy<Value = String> {
    in_guises(Just(WORKFLOW))
}

/// The workflow with a few pieces cut out, doubled or put in: often broken.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = vec![
        "\n",
        "\r",
        "\t",
        "  ",
        ": ",
        "- ",
        "#",
        "'",
        "\"",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*who",
        "<<: *who\n",
        "|\n",
        "---\n",
        "? ",
        ",",
        "\u{feff}",
        "é",
        "\0",
        "id: read",
        "steps:",
        "step_specs: []",
        "- id: a\n",
        "format: pipeline\n",
        "gate: required",
        "human_gate: false",
        "retries: -1",
        "risk: hihg",
        "outputs: {output_folder}/../x",
        "{{topic}}",
        "{output_foldr}",
        "evidence: 7",
        "inputs: x",
    ];
    damaged(guises(), pieces, 0..9, 0..5)
}

fn words() -> impl Strategy<Value = String> {
    let known = [
        "read",
        "write it",
        "check",
        "ship",
        "tell",
        "required",
        "none",
        "before",
        "L1",
        "high",
        "{output_folder}/x.md",
        "template:{template_folder}/x.md",
    ];
    prop_oneof![
        4 => prop::sample::select(known.map(str::to_owned).to_vec()),
        2 => "[a-z]{1,6}( [a-z]{1,6})?",
        1 => any::<String>(),
        1 => "(a|:| |#|-|'|\"|,|\\[|\\{|\\*|&|~|\n){1,6}",
    ]
}

fn edits() -> impl Strategy<Value = Edit> {
    let field = prop::sample::select(vec![
        "id",
        "name",
        "description",
        "phase",
        "inputs",
        "outputs",
        "templates",
        "tools",
        "validation",
        "evidence",
        "human_gate",
        "retries",
        "agents",
        "agent",
        "gate_question",
        "gate_asks",
        "gate_at",
        "on_reject",
        "timeout_seconds",
        "run",
        "colour",
    ]);
    let inner = prop::sample::select(vec![
        "max",
        "backoff_seconds",
        "artifacts",
        "validation_targets",
        "name",
        "risk",
    ]);
    let path = prop_oneof![
        4 => field.clone().prop_map(|field| vec![field.to_owned()]),
        3 => (field.clone(), 0..4usize).prop_map(|(field, n)| vec![field.to_owned(), n.to_string()]),
        2 => (field.clone(), inner.clone()).prop_map(|(field, inner)| vec![field.to_owned(), inner.to_owned()]),
        1 => (field, 0..3usize, inner).prop_map(|(field, n, inner)| vec![field.to_owned(), n.to_string(), inner.to_owned()]),
        1 => Just(Vec::new()),
    ];
    let step = (0..STEPS + 1, path).prop_map(|(n, path)| Place::step(n).path(path));
    let document = prop::sample::select(vec!["title", "description", "workflow", "phase", "questions", "owner"]);
    let place = prop_oneof![6 => step, 1 => document.prop_map(|field| Place::document().field(field))];
    let value = prop_oneof![
        4 => words().prop_map(Value::from),
        2 => prop::collection::vec(words(), 0..4).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-2..4i64).prop_map(Value::from),
        1 => words().prop_map(|name| json!({"name": name, "args": {}})),
        1 => (words(), words()).prop_map(|(id, name)| json!({"id": id, "name": name})),
        1 => words().prop_map(|phase| json!({"phase": phase, "templates": [], "tools": []})),
    ];
    prop_oneof![
        5 => (place.clone(), value).prop_map(|(place, value)| Edit::Set { place, value }),
        2 => place.prop_map(|place| Edit::Remove { place }),
        1 => (0..STEPS + 1, 0..STEPS + 1).prop_map(|(n, to)| Edit::Move { place: Place::step(n), to }),
    ]
}

/// Everything that can be asked of a document, asked.
fn ask_everything(text: &str) {
    let document = Document::parse(FILE, text);
    assert_eq!(document.text(), text);
    let is_spec = document.workflow().format == model::Format::StepSpec;
    for diagnostic in document.diagnostics() {
        let span = document.span(&diagnostic.place).unwrap_or_default();
        assert!(text.get(span.start..span.end).is_some());
        // What is proposed can be done or is refused, and mends it.
        if let Some(fix) = diagnostic.fix.as_ref().filter(|_| is_spec)
            && let Ok(edits) = document.edit(&fix.edit)
        {
            let after = Document::parse(FILE, &apply(text, &edits));
            // Another problem may come to light behind it.
            let alike = |document: &Document| {
                let all = document.diagnostics().iter();
                all.filter(|d| d.code == diagnostic.code).count()
            };
            let same = |d: &model::Diagnostic| (&d.place, &d.message) == (&diagnostic.place, &diagnostic.message);
            assert!(
                alike(&after) < alike(&document) || !after.diagnostics().iter().any(same),
                "{diagnostic:?}\n{text}\n{}",
                after.text()
            );
        }
    }
    for (n, step) in document.workflow().steps().iter().enumerate() {
        assert_eq!(step.ordinal, n);
        for field in [
            StepField::Name,
            StepField::Intent,
            StepField::HumanGate,
            StepField::GateQuestion,
        ] {
            let Some(place) = document.field(n, field) else {
                continue;
            };
            assert_eq!(document.value_span(&place).is_some(), document.value(&place).is_some());
        }
    }
    for offset in (0..=text.len()).step_by(5) {
        let place = document.place_at(offset);
        let span = document.span(&place);
        assert!(span.is_none_or(|span| text.get(span.start..span.end).is_some()));
    }
}

/// What a step says besides its position.
fn without_position(step: &Step) -> Step {
    Step {
        ordinal: 0,
        number: String::new(),
        ..step.clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_printed_as_it_is(text in any::<String>()) {
        ask_everything(&text);
        ask_everything(&format!("format: stepspec\nsteps:\n{text}"));
    }

    #[test]
    fn a_damaged_workflow_is_read_and_printed_as_it_is(text in mutated()) {
        ask_everything(&text);
    }

    #[test]
    fn a_change_is_exact_or_refused(text in prop_oneof![guises(), mutated()], edit in edits()) {
        let document = Document::parse(FILE, &text);
        if document.workflow().format != model::Format::StepSpec {
            return Ok(());
        }
        let Ok(edits) = document.edit(&edit) else { return Ok(()) };
        let changed = apply(&text, &edits);
        prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text.clone());
        let after = Document::parse(FILE, &changed);
        prop_assert!(after.diagnostics().iter().all(|d| d.code != "GH0101"), "{}", changed);
        let place = edit.place();
        let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
        let (old, new) = (document.workflow().steps(), after.workflow().steps());
        match (&edit, place.step, path.as_slice()) {
            (Edit::Move { to, .. }, Some(n), []) => {
                let mut wanted: Vec<Step> = old.iter().map(without_position).collect();
                let step = wanted.remove(n);
                wanted.insert(*to, step);
                // A step without an id is called by its position.
                let named = |steps: &[Step]| steps.iter().all(|step| !step.id.as_str().starts_with("step-"));
                if named(old) && named(new) {
                    prop_assert_eq!(new.iter().map(without_position).collect::<Vec<_>>(), wanted);
                }
            }
            (Edit::Remove { .. }, Some(_), []) => prop_assert_eq!(new.len() + 1, old.len()),
            (Edit::Set { value, .. }, Some(n), []) if n == old.len() => {
                prop_assert_eq!(new.len(), old.len() + 1);
                prop_assert_eq!(Some(new[n].id.as_str().trim()), value["id"].as_str().map(str::trim));
                let left_out = after.diagnostics().iter().any(|d| d.code == "GH0403" && d.place.step == Some(n));
                prop_assert!(!left_out, "{}", changed);
            }
            (Edit::Set { value, .. }, Some(n), ["id"]) => {
                prop_assert_eq!(Some(new[n].id.as_str()), value.as_str().map(str::trim));
                // What led to it still does.
                prop_assert_eq!(document.workflow().flows().len(), after.workflow().flows().len());
            }
            (_, Some(n), [field, ..]) if *field != "id" => {
                prop_assert_eq!(old.len(), new.len());
                for (a, b) in old.iter().zip(new).filter(|(a, _)| a.ordinal != n) {
                    prop_assert_eq!(a, b, "{:?}\n{}", edit, changed);
                }
            }
            _ => {}
        }
        // Made twice is made once.
        if matches!(edit, Edit::Set { .. }) && place.step.is_none_or(|n| n < old.len()) && !place.path.is_empty() {
            let again = after.edit(&edit);
            let emptied = matches!(&edit, Edit::Set { value, .. } if value.as_array().is_some_and(|list| {
                list.is_empty() || list.iter().any(|item| item.as_str().is_some_and(|text| text.trim() != text || text.is_empty()))
            }));
            if !emptied && !matches!(path.as_slice(), ["agent", ..] | ["agents", _] | ["id"]) {
                prop_assert_eq!(again, Ok(Vec::new()), "{:?}\n{}", edit, changed);
            }
        }
    }
}

#[test]
fn common_changes_are_never_refused() {
    for text in [
        WORKFLOW.to_owned(),
        WORKFLOW.replace('\n', "\r\n"),
        format!("\u{feff}{WORKFLOW}"),
    ] {
        let document = Document::parse(FILE, &text);
        let set = |step: usize, path: &[&str], value: Value| {
            let place = Place::step(step).path(path.iter().map(|part| (*part).to_owned()));
            Edit::Set { place, value }
        };
        let mut all = vec![set(STEPS, &[], json!({"id": "new", "name": "New", "agents": ["x"]}))];
        for n in 0..STEPS {
            all.push(set(n, &["id"], json!("renamed: now")));
            all.push(set(n, &["name"], json!("a new name")));
            all.push(set(n, &["agents"], json!(["one", "two words"])));
            all.push(set(n, &["phase"], json!("Phase 2: planning")));
            all.push(set(n, &["outputs"], json!(["{output_folder}/a.md"])));
            all.push(set(n, &["inputs"], json!(["{output_folder}/a.md"])));
            all.push(set(n, &["description"], json!("Do it: well\nand soon")));
            all.push(set(n, &["human_gate"], json!("conditional")));
            all.push(set(n, &["gate_question"], json!("Is it right?")));
            all.push(set(n, &["gate_at"], json!("after")));
            all.push(set(n, &["evidence"], json!("L2")));
            all.push(set(n, &["validation"], json!("AST + type + lint")));
            all.push(set(n, &["retries"], json!({"max": 3, "backoff_seconds": 1})));
            all.push(set(n, &["retries", "max"], json!(3)));
            all.push(set(n, &["timeout_seconds"], json!(60)));
            all.push(set(
                n,
                &["tools"],
                json!([{"name": "t", "args": {"a": 1}, "risk": "low"}]),
            ));
            all.extend((0..STEPS).map(|to| Edit::Move {
                place: Place::step(n),
                to,
            }));
        }
        all.push(set(0, &["tools", "2"], json!({"name": "t"})));
        all.push(set(0, &["tools", "1", "required"], json!(true)));
        all.push(set(0, &["tools", "0", "args", "timezone"], json!("Europe/Berlin")));
        all.push(set(0, &["inputs", "validation_targets", "1"], json!("b.py")));
        all.push(set(2, &["inputs", "2"], json!("c.md")));
        all.push(set(4, &["templates", "1"], json!("template:{template_folder}/u.md")));
        for edit in all {
            let edits = document.edit(&edit).unwrap_or_else(|error| panic!("{edit:?}: {error}"));
            let changed = apply(&text, &edits);
            assert_eq!(apply(&changed, &invert(&text, &edits)), text, "{edit:?}");
        }
        for n in 0..STEPS {
            let edit = Edit::Remove { place: Place::step(n) };
            document.edit(&edit).unwrap_or_else(|error| panic!("{edit:?}: {error}"));
        }
    }
}

#[test]
fn what_follows_is_said() {
    let document = Document::parse(FILE, WORKFLOW);
    let said = |edit: Edit| document.consequences(&edit.into()).pop().map(|one| one.said);
    let remove = |n| Edit::Remove { place: Place::step(n) };
    assert_eq!(
        said(remove(0)).as_deref(),
        Some("a rejection at “write” ends the run instead of leading to “read it”")
    );
    assert_eq!(said(remove(3)), None);
    let rename = |value: &str| Edit::Set {
        place: Place::step(1).field("id"),
        value: value.into(),
    };
    assert_eq!(
        said(rename("writing")).as_deref(),
        Some("a rejection at “check” leads to `writing` by its new id")
    );
    assert_eq!(said(rename("write it")), None);
}
