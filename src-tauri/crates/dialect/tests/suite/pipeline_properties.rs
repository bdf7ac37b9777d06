//! Properties of pipelines: any text, any change, any state.

use crate::damaged::{damaged, in_guises};
use dialect::pipeline::{PipelineStatus, StageState, StageStatus, States, WriteError, with_states};
use dialect::{Document, StepField, apply, invert};
use model::{Edit, Place, Step};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Read as a pipeline whatever stands in it.
const FILE: &str = "PIPE-20260131-p-093000.yaml";

const PIPELINE: &str = "# release\nname: Release   # short\nerror_handling: skip_dependents\nx: &who [ops]\nstages:\n  # first\n  - name: design\n    agents: [architect, 'ux designer']\n    parallel: true\n    outputs: [plan]  # one\n\n  # then\n  - name: build it\n    agent: dev\n    depends_on: [design]\n    status: pending # ours\n    run: |\n      make\n\n      make all\n\n  - name: \"test\"\n    agents: *who\n    depends_on:\n      - build it   # needed\n      # and\n      - design\n    human_gate: required\n    on_reject: design\n  - {name: ship, agents: [ops], depends_on: [build it, test, build it], note: {a: [1, 2]}}\n  - name: tell\n    description: >-\n      all of\n      them\n    depends_on: ship\n  - agent: kim\n    name: alone\n    depends_on:\n";

fn guises() -> impl Strategy<Value = String> {
    in_guises(Just(PIPELINE))
}

/// The pipeline with a few pieces cut out, doubled or put in: often broken.
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
        "name: design",
        "depends_on: ",
        "stages:",
        "status: failed",
        "error: e",
        "- name: a\n",
        "pipeline_id: x\n",
    ];
    damaged(guises(), pieces, 0..9, 0..5)
}

fn names() -> impl Strategy<Value = String> {
    let known = ["design", "build it", "test", "ship", "tell", "alone"]
        .map(str::to_owned)
        .to_vec();
    prop_oneof![
        3 => prop::sample::select(known),
        2 => "[a-z]{1,6}( [a-z]{1,6})?",
        1 => any::<String>(),
        1 => "(a|:| |#|-|'|\"|,|\\[|\\{|\\*|&|~|\n){1,6}",
    ]
}

fn states() -> impl Strategy<Value = States> {
    let status = || prop::sample::select(StageStatus::ALL);
    let stage = (names(), status(), prop::option::of(names()));
    let stage = stage.prop_map(|(name, status, error)| StageState { name, status, error });
    let all = prop::collection::vec(stage, 0..8);
    (
        prop::sample::select(PipelineStatus::ALL),
        prop::option::of(names()),
        all,
    )
        .prop_map(|(status, error, stages)| States { status, error, stages })
}

fn edits() -> impl Strategy<Value = Edit> {
    let field = prop::sample::select(vec![
        "name",
        "id",
        "agents",
        "agent",
        "depends_on",
        "outputs",
        "inputs",
        "parallel",
        "human_gate",
        "description",
        "run",
        "retries",
        "colour",
    ]);
    let path = prop_oneof![
        3 => field.clone().prop_map(|field| vec![field.to_owned()]),
        2 => (field, 0..4usize).prop_map(|(field, n)| vec![field.to_owned(), n.to_string()]),
        1 => Just(Vec::new()),
    ];
    let step = (0..7usize, path).prop_map(|(n, path)| Place::step(n).path(path));
    let document = prop::sample::select(vec!["name", "description", "error_handling", "pipeline_id", "owner"]);
    let place = prop_oneof![5 => step, 1 => document.prop_map(|field| Place::document().field(field))];
    let value = prop_oneof![
        3 => names().prop_map(Value::from),
        2 => prop::collection::vec(names(), 0..4).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => prop::sample::select(vec!["halt", "retry", "skip_dependents"]).prop_map(Value::from),
        1 => (names(), prop::collection::vec(names(), 0..2)).prop_map(|(name, waits)| json!({"name": name, "depends_on": waits})),
    ];
    prop_oneof![
        4 => (place.clone(), value).prop_map(|(place, value)| Edit::Set { place, value }),
        2 => place.prop_map(|place| Edit::Remove { place }),
        1 => (0..7usize, 0..7usize).prop_map(|(n, to)| Edit::Move { place: Place::step(n), to }),
    ]
}

/// Everything that can be asked of a document, asked.
fn ask_everything(text: &str) {
    let document = Document::parse(FILE, text);
    assert_eq!(document.text(), text);
    for diagnostic in document.diagnostics() {
        let span = document.span(&diagnostic.place).unwrap_or_default();
        assert!(text.get(span.start..span.end).is_some());
        // What is proposed can be done or is refused, and mends it.
        if let Some(fix) = &diagnostic.fix
            && let Ok(edits) = document.edit(&fix.edit)
        {
            let after = Document::parse(FILE, &apply(text, &edits));
            let count = |document: &Document| {
                document
                    .diagnostics()
                    .iter()
                    .filter(|d| d.code == diagnostic.code)
                    .count()
            };
            assert!(
                count(&after) < count(&document),
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
            let place = document.field(n, field).expect("a stage has these");
            assert_eq!(document.value_span(&place).is_some(), document.value(&place).is_some());
        }
    }
    for offset in (0..=text.len()).step_by(5) {
        let place = document.place_at(offset);
        assert!(
            document
                .span(&place)
                .is_none_or(|span| text.get(span.start..span.end).is_some())
        );
    }
}

/// What the stages say besides their position.
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
        ask_everything(&format!("stages:\n{text}"));
    }

    #[test]
    fn a_damaged_pipeline_is_read_and_printed_as_it_is(text in mutated()) {
        ask_everything(&text);
    }

    #[test]
    fn states_change_nothing_else(text in mutated(), states in states()) {
        match with_states(&text, &states) {
            Ok(written) => {
                prop_assert_eq!(with_states(&written, &states), Ok(written.clone()));
                let (before, after) = (Document::parse(FILE, &text), Document::parse(FILE, &written));
                prop_assert_eq!(before.workflow().steps(), after.workflow().steps());
                prop_assert_eq!(&before.workflow().fields, &after.workflow().fields);
                prop_assert_eq!(after.value(&Place::document().field("status")), Some(states.status.word().into()));
                let mut seen = BTreeSet::new();
                for (n, step) in after.workflow().steps().iter().enumerate() {
                    let first = after.value(&Place::step(n).field("name")).is_some() && seen.insert(step.id.clone());
                    let wanted = states.stages.iter().find(|stage| stage.name == step.id.as_str());
                    if let Some(wanted) = wanted.filter(|_| first) {
                        let said = |key: &str| after.value(&Place::step(n).field(key));
                        prop_assert_eq!(said("status"), Some(wanted.status.word().into()));
                        prop_assert_eq!(said("error"), wanted.error.as_deref().map(Value::from));
                    }
                }
                prop_assert_eq!(before.workflow().flows().len(), after.workflow().flows().len());
                prop_assert_eq!(text.contains('\r'), written.contains('\r'));
            }
            Err(WriteError::Broken { .. }) => {
                let document = Document::parse(FILE, &text);
                prop_assert!(document.diagnostics().iter().any(|d| d.code == "GH0101"));
            }
            Err(WriteError::NoPipeline | WriteError::NotExact(_)) => {}
        }
    }

    #[test]
    fn a_run_comes_and_goes_without_a_trace(text in guises(), states in states()) {
        let pending = |text: &str| {
            let all = ["design", "build it", "test", "ship", "tell", "alone"].map(|name| StageState {
                name: name.to_owned(),
                status: StageStatus::Pending,
                error: None,
            });
            let states = States { status: PipelineStatus::Pending, error: None, stages: all.to_vec() };
            with_states(text, &states).expect("a pipeline")
        };
        let before = pending(&text);
        let during = with_states(&before, &states).expect("a pipeline");
        prop_assert_eq!(pending(&during), before);
    }

    #[test]
    fn a_change_is_exact_or_refused(text in prop_oneof![guises(), mutated()], edit in edits()) {
        let document = Document::parse(FILE, &text);
        let Ok(edits) = document.edit(&edit) else { return Ok(()) };
        let changed = apply(&text, &edits);
        prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text.clone());
        let after = Document::parse(FILE, &changed);
        prop_assert!(after.diagnostics().iter().all(|d| d.code != "GH0101"), "{}", changed);
        let (old, new) = (document.workflow().steps(), after.workflow().steps());
        let place = edit.place();
        let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
        match (&edit, place.step, path.as_slice()) {
            (Edit::Move { to, .. }, Some(n), []) => {
                let mut wanted: Vec<Step> = old.iter().map(without_position).collect();
                let step = wanted.remove(n);
                wanted.insert(*to, step);
                // A stage without a name is called by its position.
                let named = |steps: &[Step]| steps.iter().all(|step| !step.id.as_str().starts_with("stage-"));
                if named(old) && named(new) {
                    prop_assert_eq!(new.iter().map(without_position).collect::<Vec<_>>(), wanted);
                }
            }
            (Edit::Remove { .. }, Some(_), []) => prop_assert_eq!(new.len() + 1, old.len()),
            (Edit::Set { value, .. }, Some(n), []) if n == old.len() => {
                prop_assert_eq!(new.len(), old.len() + 1);
                prop_assert_eq!(Some(new[n].id.as_str()), value["name"].as_str().map(str::trim));
            }
            (Edit::Set { value, .. }, Some(n), ["name" | "id"]) => {
                prop_assert_eq!(Some(new[n].id.as_str()), value.as_str().map(str::trim));
                // Who waited for it still does.
                for (a, b) in old.iter().zip(new) {
                    prop_assert_eq!(a.depends_on.len(), b.depends_on.len());
                }
                // A name that somebody already waits for, and nobody has had, brings its edges with it.
                let was_missed = |step: &Step| {
                    let rejects = step.gate.as_ref().and_then(|gate| gate.on_reject.as_ref());
                    step.depends_on.contains(&new[n].id) || rejects == Some(&new[n].id)
                };
                if !old.iter().any(was_missed) {
                    prop_assert_eq!(document.workflow().flows().len(), after.workflow().flows().len());
                }
            }
            (_, Some(n), ["depends_on" | "agents" | "outputs" | "parallel" | "human_gate", ..]) => {
                prop_assert_eq!(old.len(), new.len());
                for (a, b) in old.iter().zip(new).filter(|(a, _)| a.ordinal != n) {
                    prop_assert_eq!(a, b);
                }
            }
            _ => {}
        }
        // Made twice is made once.
        if matches!(edit, Edit::Set { .. }) && place.step.is_none_or(|n| n < old.len()) && !place.path.is_empty() {
            let empty = matches!(&edit, Edit::Set { value, .. } if value.as_array().is_some());
            if !empty && path.first() != Some(&"agent") {
                prop_assert_eq!(after.edit(&edit), Ok(Vec::new()), "{:?}\n{}", edit, changed);
            }
        }
    }
}

#[test]
fn common_changes_are_never_refused() {
    for text in [
        PIPELINE.to_owned(),
        PIPELINE.replace('\n', "\r\n"),
        format!("\u{feff}{PIPELINE}"),
    ] {
        let document = Document::parse(FILE, &text);
        let set = |step: usize, path: &[&str], value: Value| {
            let place = Place::step(step).path(path.iter().map(|part| (*part).to_owned()));
            Edit::Set { place, value }
        };
        let mut all = vec![set(
            6,
            &[],
            json!({"name": "new", "agents": ["x"], "depends_on": ["tell"]}),
        )];
        for n in 0..6 {
            all.push(set(n, &["name"], json!("renamed: now")));
            all.push(set(n, &["agents"], json!(["one", "two words"])));
            all.push(set(n, &["parallel"], json!(n % 2 == 0)));
            all.push(set(n, &["outputs"], json!(["a.md"])));
            all.push(set(n, &["description"], json!("Do it: well\nand soon")));
            all.push(set(n, &["human_gate"], json!("optional")));
            all.extend((0..6).map(|to| Edit::Move {
                place: Place::step(n),
                to,
            }));
        }
        all.push(set(5, &["depends_on", "0"], json!("ship")));
        all.push(set(4, &["depends_on", "1"], json!("alone")));
        all.push(set(3, &["depends_on", "3"], json!("alone")));
        all.push(set(2, &["depends_on", "2"], json!("alone")));
        all.push(set(0, &["depends_on", "0"], json!("alone")));
        for edit in all {
            let edits = document.edit(&edit).unwrap_or_else(|error| panic!("{edit:?}: {error}"));
            let changed = apply(&text, &edits);
            assert_eq!(apply(&changed, &invert(&text, &edits)), text, "{edit:?}");
        }
        for n in (0..6).filter(|n| *n != 3) {
            let edit = Edit::Remove { place: Place::step(n) };
            document.edit(&edit).unwrap_or_else(|error| panic!("{edit:?}: {error}"));
        }
    }
}

#[test]
fn what_follows_is_said() {
    let document = Document::parse(FILE, PIPELINE);
    let all = |edit: Edit| -> Vec<String> {
        let all = document.consequences(&edit.into()).into_iter();
        all.map(|one| one.said).collect()
    };
    let said = |edit: Edit| all(edit).pop();
    let remove = |n| Edit::Remove { place: Place::step(n) };
    assert_eq!(
        all(remove(0)),
        [
            "“build it” and “test” do not wait for “design” any more",
            "a rejection at “test” ends the run instead of leading to “design”"
        ]
    );
    assert_eq!(
        said(remove(3)).as_deref(),
        Some("“tell” waits for what “ship” waited for")
    );
    assert_eq!(said(remove(5)), None);
    let rename = |value: &str| Edit::Set {
        place: Place::step(3).field("name"),
        value: value.into(),
    };
    assert_eq!(
        said(rename("deliver")).as_deref(),
        Some("“tell” waits for `deliver` by its new name")
    );
    assert_eq!(said(rename("ship")), None);
}
