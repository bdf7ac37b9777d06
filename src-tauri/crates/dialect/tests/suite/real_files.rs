//! Recorded real workflows, changed by ten gestures each: the lines that differ are committed, and were read by a person. The files
//! themselves lie beside the project and are none of it; where they are not there, no test looks, and none is counted.
//! `WRITE_REAL=1` writes the committed lines anew.

#![expect(
    clippy::disallowed_methods,
    reason = "the recorded files and the committed lines are read, and written anew when asked for"
)]

use dialect::{Document, StepField, apply, invert};
use model::{Edit, FlowEdit, GateRequirement, Gesture, NewGate, NewStep, Place, Route, Spot, StepId, Way};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// So many lines that came or went together are shown whole.
const LONG: usize = 8;
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn recorded() -> PathBuf {
    Path::new(ROOT).join("../../../../shared/oracle")
}

/// What somebody does to a workflow of any format, by the places of its steps.
struct Hand {
    document: Document,
    said: String,
}

impl Hand {
    fn id(&self, at: usize) -> StepId {
        self.document.workflow().steps()[at].id.clone()
    }

    fn does(&mut self, what: &str, gesture: impl Into<Gesture>) {
        let before = self.document.text().to_owned();
        let made = self.document.make(&[gesture.into()]);
        let made = made.unwrap_or_else(|refused| panic!("{what}: {}\n{before}", refused.error));
        assert_eq!(
            apply(made.document.text(), &invert(&before, &made.edits)),
            before,
            "{what}"
        );
        assert!(made.document.not_a_workflow().is_none(), "{what}");
        let diff = similar::TextDiff::from_lines(before.as_str(), made.document.text());
        let _ = writeln!(self.said, "## {what}");
        for said in &made.entails {
            let _ = writeln!(self.said, "   ({said})");
        }
        let changes: Vec<_> = diff.iter_all_changes().collect();
        for run in changes.chunk_by(|a, b| a.tag() == b.tag()) {
            let tag = run[0].tag();
            if tag == similar::ChangeTag::Equal {
                continue;
            }
            // What is long is the file's own words, which are somebody else's: their first lines and their number tell it.
            let shown = if run.len() > LONG { 2 } else { run.len() };
            for change in &run[..shown] {
                let _ = write!(self.said, "{tag}{change}");
            }
            if run.len() > shown {
                let _ = writeln!(self.said, "{tag} … {} lines more", run.len() - shown);
            }
        }
        self.document = made.document;
    }
}

fn set(step: impl Into<Option<usize>>, key: &str, value: serde_json::Value) -> Edit {
    let place = match step.into() {
        Some(step) => Place::step(step),
        None => Place::document(),
    };
    Edit::Set {
        place: place.field(key),
        value,
    }
}

fn add(kind: &str, name: &str, at: Spot) -> FlowEdit {
    let step = NewStep {
        kind: kind.to_owned(),
        name: Some(name.to_owned()),
        ..NewStep::default()
    };
    FlowEdit::Add { step, at }
}

fn held(name: &str, hand: &Hand) {
    let file = Path::new(ROOT).join("tests/real").join(format!("{name}.diff"));
    if std::env::var_os("WRITE_REAL").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(&file, &hand.said).expect("written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(hand.said, committed, "{name}");
}

/// A recorded file; nothing where it is not beside the project.
fn text(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(recorded().join(path));
    crate::looking::can_look(text.is_ok(), "the recorded cases are not beside the project").then(|| text.expect("read"))
}

fn opened(path: &str) -> Option<Hand> {
    let text = text(path)?;
    Some(Hand {
        document: Document::parse(path, &text),
        said: String::new(),
    })
}

fn gate() -> NewGate {
    NewGate {
        requirement: GateRequirement::Required,
        at: None,
        question: Some("May this go on?".to_owned()),
        asks: None,
    }
}

/// Ten gestures on a flow or a graph file. `key`: under which key its steps have their ids; `gone`: which step goes in the end.
fn ten(name: &str, path: &str, key: &str, gone: usize) {
    let Some(mut hand) = opened(path) else { return };
    hand.does("1. another title", set(None, "title", json!("What we ship, and when")));
    hand.does("2. another id for the second step", set(1, key, json!("second_look")));
    let between = Spot::Between {
        from: hand.id(0),
        to: hand.id(1),
        label: None,
    };
    hand.does("3. a step between the first two", add("", "Ask the customer", between));
    let (step, gate) = (hand.id(3), Some(gate()));
    hand.does("4. a gate at the fourth step", FlowEdit::Gate { step, gate });
    let step = hand.id(2);
    hand.does("5. a copy of the third step", FlowEdit::Duplicate { step, id: None });
    let place = Place::step(3);
    hand.does("6. the copy goes", Edit::Remove { place });
    hand.does("7. a step at the end", add("", "Tell everybody", Spot::End));
    let to = Route::Loop {
        back: hand.id(1),
        most: 2,
        field: None,
        values: Vec::new(),
        next: None,
    };
    let step = hand.id(3);
    hand.does(
        "8. the fourth step goes back to the second",
        FlowEdit::Route { step, to },
    );
    let step = hand.id(3);
    hand.does("9. the gate goes", FlowEdit::Gate { step, gate: None });
    let place = Place::step(gone);
    hand.does("10. a step goes", Edit::Remove { place });
    held(name, &hand);
}

#[test]
fn flows_are_changed_as_a_person_would_change_them() {
    ten("review", "stepwise/flows/review.yaml", "id", 0);
    ten("plan", "stepwise/flows/plan.yaml", "id", 0);
}

#[test]
fn spec_flows_are_changed_as_a_person_would_change_them() {
    ten("build", "stepwise/spec_flows/3-build.yaml", "id", 0);
}

#[test]
fn graph_files_are_changed_as_a_person_would_change_them() {
    ten("gate", "stepwise/spec_flows/gate-flow.graph.json", "node_id", 2);
}

#[test]
fn runbooks_are_changed_as_a_person_would_change_them() {
    let file = "rundown/real_runbooks.json";
    let Some(text) = text(file) else { return };
    let cases: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let case = cases["cases"].as_array().expect("cases").iter().rfind(|case| {
        let id = case["id"].as_str().unwrap_or_default();
        id.ends_with("examples_runbooks_execute-plan")
    });
    let text = case.and_then(|case| case["md"].as_str()).expect("the runbook");
    let mut hand = Hand {
        document: Document::parse("execute-plan.runbook.md", text),
        said: String::new(),
    };
    hand.does("1. another title", set(None, "title", json!("Carry a plan out")));
    let place = hand.document.field(0, StepField::Name).expect("a name");
    let value = json!("Read the plan");
    hand.does("2. another name for the first step", Edit::Set { place, value });
    let step = hand.id(0);
    hand.does(
        "3. a step behind the first",
        add("", "Ask the customer", Spot::After { step }),
    );
    let last = |hand: &Hand| {
        let steps = hand.document.workflow().steps();
        steps
            .iter()
            .rfind(|step| step.parent.is_none())
            .expect("a step")
            .ordinal
    };
    let step = hand.id(last(&hand));
    hand.does("4. a copy of the last step", FlowEdit::Duplicate { step, id: None });
    let place = Place::step(last(&hand));
    hand.does("5. the copy goes", Edit::Remove { place });
    let (from, to) = (hand.id(1), hand.id(0));
    let way = Some(Way::Value {
        field: None,
        value: "FAIL".to_owned(),
    });
    hand.does(
        "6. where the customer says no, the plan is read again",
        FlowEdit::Connect { from, to, way },
    );
    let place = Place::step(1);
    hand.does("7. the customer is asked first", Edit::Move { place, to: 0 });
    let step = hand.id(last(&hand));
    hand.does("8. a step at the end", add("", "Tell everybody", Spot::After { step }));
    let place = hand.document.field(0, StepField::Intent).expect("its words");
    let value = json!("Ask whether the plan is what was wanted.");
    hand.does("9. what the first step is for", Edit::Set { place, value });
    let place = Place::step(last(&hand));
    hand.does("10. the last step goes", Edit::Remove { place });
    held("execute-plan", &hand);
}
