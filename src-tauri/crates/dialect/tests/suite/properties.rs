//! Properties: any text, any edit, any meeting of two edits.

use crate::damaged::{damaged, in_guises};
use dialect::{Document, StepField, apply, invert, merge};
use model::{Edit, Place};
use proptest::prelude::*;
use serde_json::{Value, json};

const FLOW: &str = "# a flow\nkey: review   # key\ntitle: \"Review → done\"\nsteps:\n  - id: draft # first\n    agents: [writer, 'ed''itor']\n    role: >-\n      Write it\n      in full.\n\n    teaching_notes: {inputs: [a, b], outputs: []}\n  # the critic\n  - id: critique\n    agents:\n    - critic\n    role: |\n        Judge.\n\n        Twice.\n    routing:\n      kind: microloop\n      loop_target: draft\n      loop_success_values:\n        - \"VERIFIED\"\n      max_iterations: 3 # enough\n      next: sign\n\n  - {id: sign, agents: [legal], human_gate: required, role: 'It''s signed'}\n  - id: file\n    note:\n    agents: &agents [clerk]\n    role: plain words\n      over two lines\n  - id: last\n    agents: *agents\nmetadata:\n  a: {b: [1, 2.5, ~, {c: d}]}\n";

/// Texts that people and programs put into roles, and worse.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9 ,.:#'\"&*!|>%@`{}\\[\\]-]{0,40}",
        "[a-zé→ß\u{1F600}]{1,12}( [a-z]{1,12}){0,20}",
        "( |\n|\t|\r|a|b: |# |- ){0,12}",
        prop::sample::select(vec![
            "",
            "~",
            "null",
            "yes",
            "No",
            "on",
            "1",
            "-1",
            "1e3",
            "0x1F",
            "2025-01-01",
            "---",
            "...",
            "- a",
            "? b",
            "a: b",
            "a #b",
            "'",
            "\"",
            "\\",
            "{}",
            "[]",
            "=",
            "<<",
            "\u{feff}x",
            "\u{85}",
            "\u{2028}"
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        texts().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        (-1e6..1e6f64).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().filter(|(key, _)| key != "<<").collect())),
        ]
    })
}

fn places() -> impl Strategy<Value = Place> {
    let paths: Vec<&'static [&'static str]> = vec![
        &["role"],
        &["human_gate"],
        &["gate_question"],
        &["agents"],
        &["agents", "0"],
        &["agents", "1"],
        &["routing"],
        &["routing", "max_iterations"],
        &["routing", "next"],
        &["routing", "loop_success_values"],
        &["routing", "loop_success_values", "0"],
        &["teaching_notes"],
        &["teaching_notes", "inputs"],
        &["teaching_notes", "inputs", "1"],
        &["note"],
        &["note", "deeper", "still"],
        &[],
    ];
    let on_steps = (0..6usize, prop::sample::select(paths))
        .prop_map(|(n, path)| Place::step(n).path(path.iter().map(|p| (*p).to_owned())));
    let document: Vec<&'static [&'static str]> = vec![
        &["title"],
        &["key"],
        &["description"],
        &["metadata", "a"],
        &["metadata", "a", "b", "3", "c"],
        &["new"],
    ];
    let on_document =
        prop::sample::select(document).prop_map(|p| Place::document().path(p.iter().map(|p| (*p).to_owned())));
    prop_oneof![4 => on_steps, 1 => on_document]
}

/// The flow in the guises a file can have.
fn guises() -> impl Strategy<Value = String> {
    in_guises(Just(FLOW))
}

/// The flow with a few pieces cut out, doubled or put in: often broken.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = vec![
        "\n", "\r", "\t", "  ", ": ", "- ", "#", "'", "\"", "[", "]", "{", "}", "&a ", "*a", "<<: *a\n", "|\n", ">\n",
        "---\n", "...\n", "!t ", "? ", ",", "%", "\u{feff}", "é", "\0",
    ];
    damaged(guises(), pieces, 0..9, 0..6)
}

/// Everything that can be asked of a document, asked.
fn ask_everything(path: &str, text: &str) {
    let document = Document::parse(path, text);
    assert_eq!(document.text(), text);
    let _ = dialect::detect(path, text);
    for diagnostic in document.diagnostics() {
        let span = document.span(&diagnostic.place).unwrap_or_default();
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end) && span.start <= span.end);
        let at = document.position(span.start);
        assert!(at.line >= 1 && at.column >= 1);
    }
    let _ = document.value(&Place::document());
    for (n, step) in document.workflow().steps().iter().enumerate() {
        assert_eq!(step.ordinal, n);
        for field in [
            StepField::Name,
            StepField::Intent,
            StepField::MaxIterations,
            StepField::HumanGate,
        ] {
            let Some(place) = document.field(n, field) else {
                continue;
            };
            if let Some(span) = document.value_span(&place) {
                assert!(text.get(span.start..span.end).is_some());
            }
        }
    }
    for offset in (0..=text.len()).step_by(7) {
        let place = document.place_at(offset);
        if let Some(span) = document.span(&place) {
            assert!(text.get(span.start..span.end).is_some());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_printed_as_it_is(text in any::<String>()) {
        ask_everything("x.yaml", &text);
        ask_everything("x.json", &text);
    }

    #[test]
    fn a_damaged_flow_is_read_and_printed_as_it_is(text in mutated()) {
        ask_everything("x.yaml", &text);
    }

    #[test]
    fn an_edit_shows_the_change_and_only_that(text in guises(), place in places(), value in values()) {
        let document = Document::parse("x.yaml", &text);
        let before = document.value(&Place::document()).expect("the flow has a value");
        if let Ok(edits) = document.edit(&Edit::Set { place: place.clone(), value: value.clone() }) {
            let changed = apply(&text, &edits);
            let after = Document::parse("x.yaml", &changed);
            prop_assert_eq!(after.value(&place), Some(value));
            prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text.clone());
            // Everything else: with the place taken out of both, the same is left.
            let mut path = place.path.clone();
            if let Some(step) = place.step {
                path.splice(0..0, ["steps".to_owned(), step.to_string()]);
            }
            let (mut old, mut new) = (before, after.value(&Place::document()).expect("still a flow"));
            let existed = path.iter().try_fold(&old, |v, p| v.get(p).or_else(|| v.get(p.parse::<usize>().ok()?))).is_some();
            if existed {
                for root in [&mut old, &mut new] {
                    let mut here = root;
                    for segment in &path {
                        here = match here {
                            Value::Array(list) => &mut list[segment.parse::<usize>().expect("an index")],
                            other => other.get_mut(segment).expect("exists"),
                        };
                    }
                    *here = Value::Null;
                }
                prop_assert_eq!(old, new);
            }
        }
    }

    #[test]
    fn an_edit_of_a_damaged_flow_is_exact_or_refused(text in mutated(), place in places(), value in values()) {
        let document = Document::parse("x.yaml", &text);
        if let Ok(edits) = document.edit(&Edit::Set { place: place.clone(), value: value.clone() }) {
            let changed = apply(&text, &edits);
            prop_assert_eq!(Document::parse("x.yaml", &changed).value(&place), Some(value));
            prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text);
        }
    }

    #[test]
    fn a_removal_takes_the_field_and_nothing_else(text in guises(), place in places()) {
        let document = Document::parse("x.yaml", &text);
        if let Ok(edits) = document.edit(&Edit::Remove { place: place.clone() }) {
            let changed = apply(&text, &edits);
            let after = Document::parse("x.yaml", &changed);
            prop_assert!(after.diagnostics().iter().all(|d| d.code != "GH0101"));
            if place.path.last().is_some_and(|p| p.parse::<usize>().is_err()) {
                prop_assert_eq!(after.value(&place), None);
            }
            prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text);
        }
    }

    #[test]
    fn edits_that_meet_elsewhere_are_both_kept(text in guises(), first in texts(), second in texts()) {
        let document = Document::parse("x.yaml", &text);
        let set = |step: usize, value: &str| document.edit(&Edit::Set { place: Place::step(step).field("role"), value: json!(value) });
        if let (Ok(mine), Ok(theirs)) = (set(0, &first), set(2, &second)) {
            let theirs = apply(&text, &theirs);
            let merged = merge(&text, &mine, &theirs).expect("other lines");
            let merged = Document::parse("x.yaml", &merged);
            prop_assert_eq!(merged.value(&Place::step(0).field("role")), Some(json!(first)));
            prop_assert_eq!(merged.value(&Place::step(2).field("role")), Some(json!(second)));
        }
    }

    #[test]
    fn a_merge_keeps_every_line_of_theirs_that_is_not_ours(text in guises(), cut in any::<prop::sample::Index>(), piece in texts(), value in texts()) {
        let document = Document::parse("x.yaml", &text);
        let Ok(mine) = document.edit(&Edit::Set { place: Place::step(1).field("role"), value: json!(value) }) else { return Ok(()) };
        let mut at = cut.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let theirs = format!("{}{piece}{}", &text[..at], &text[at..]);
        match merge(&text, &mine, &theirs) {
            // Nothing of theirs is lost: what they put in is still there.
            Ok(merged) => prop_assert!(merged.contains(&piece)),
            Err(conflict) => {
                prop_assert_eq!(conflict.theirs, theirs);
                prop_assert_eq!(conflict.mine, apply(&text, &mine));
                prop_assert!(!conflict.clashes.is_empty());
            }
        }
    }
}

#[test]
fn common_edits_of_the_flow_are_never_refused() {
    for text in [FLOW.to_owned(), FLOW.replace('\n', "\r\n"), format!("\u{feff}{FLOW}")] {
        let document = Document::parse("x.yaml", &text);
        for step in 0..4 {
            for (field, value) in [
                (StepField::Intent, json!("Write: \"it\" # now\nand then")),
                (StepField::Intent, json!("short")),
                (StepField::HumanGate, json!("recommended")),
                (StepField::MaxIterations, json!(7)),
                (StepField::GateQuestion, json!("Is it good?")),
                (StepField::Name, json!("A name")),
            ] {
                let place = document.field(step, field).expect("a flow has every field");
                document
                    .edit(&Edit::Set {
                        place: place.clone(),
                        value,
                    })
                    .unwrap_or_else(|e| panic!("{place:?}: {e}"));
            }
        }
    }
}
