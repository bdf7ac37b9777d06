//! Gestures on random workflows of every format with steps in a list: what they leave parses, follows every reference, differs only
//! where it should and undoes byte for byte, also with another writer in between.

use crate::untouched;
use dialect::{Document, apply, invert, merge, shapes};
use model::{Edit, FlowEdit, Gesture, NewGate, NewStep, Place, Route, Spot, StepId, Way};
use proptest::prelude::*;

/// A gesture that names steps by their positions, whatever those are called then.
#[derive(Debug, Clone)]
struct Wish {
    kind: u8,
    a: usize,
    b: usize,
    c: usize,
    word: &'static str,
}

/// How many kinds of wish there are.
const KINDS: u8 = 29;

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let words = prop_oneof![
        Just("Check it"),
        Just("ship: now"),
        Just("Über uns"),
        Just("a"),
        Just("Review by legal")
    ];
    let one = (0u8..KINDS, 0usize..9, 0usize..9, 0usize..9, words);
    let one = one.prop_map(|(kind, a, b, c, word)| Wish { kind, a, b, c, word });
    proptest::collection::vec(one, 1..9)
}

fn gesture(document: &Document, wish: &Wish) -> Option<Gesture> {
    let steps = document.workflow().steps();
    let step = |n: usize| -> Option<StepId> { Some(steps.get(n.checked_rem(steps.len())?)?.id.clone()) };
    let (a, b, c) = (step(wish.a)?, step(wish.b)?, step(wish.c)?);
    let place = |n: usize| Some(Place::step(n.checked_rem(steps.len())?));
    let add = |at: Spot| {
        let kinds = document.palette();
        let kind = kinds.get(wish.c.checked_rem(kinds.len())?)?.kind.clone();
        let step = NewStep {
            kind,
            name: Some(wish.word.to_owned()),
            ..NewStep::default()
        };
        Some(Gesture::from(FlowEdit::Add { step, at }))
    };
    let next = |to: StepId| {
        Gesture::from(FlowEdit::Route {
            step: a.clone(),
            to: Route::Next { to },
        })
    };
    Some(match wish.kind {
        0 => return add(Spot::End),
        1 => return add(Spot::After { step: a }),
        2 => {
            return add(Spot::Between {
                from: a,
                to: b,
                label: None,
            });
        }
        3 => return add(Spot::Alone),
        4 => FlowEdit::Duplicate { step: a, id: None }.into(),
        5 => FlowEdit::Connect {
            from: a,
            to: b,
            way: None,
        }
        .into(),
        6 => FlowEdit::Connect {
            from: a,
            to: b,
            way: Some(Way::Value {
                field: None,
                value: wish.word.to_owned(),
            }),
        }
        .into(),
        7 => FlowEdit::Connect {
            from: a,
            to: b,
            way: Some(Way::Beside),
        }
        .into(),
        8 => FlowEdit::Disconnect {
            from: a,
            to: b,
            label: None,
        }
        .into(),
        9 => next(b),
        10 => FlowEdit::Route {
            step: a,
            to: Route::Loop {
                back: b,
                most: 3,
                field: None,
                values: vec!["GOOD".to_owned()],
                next: Some(c),
            },
        }
        .into(),
        11 => FlowEdit::Route {
            step: a,
            to: Route::Branch {
                field: Some("verdict".to_owned()),
                branches: vec![("GO".to_owned(), b)],
                next: Some(c),
            },
        }
        .into(),
        12 => {
            let gate = NewGate {
                requirement: model::GateRequirement::Required,
                at: None,
                question: Some(format!("Is it {}?", wish.word)),
                asks: None,
            };
            let gate = (!wish.b.is_multiple_of(3)).then_some(gate);
            FlowEdit::Gate { step: a, gate }.into()
        }
        13 => Edit::Remove { place: place(wish.a)? }.into(),
        14 => Edit::Move {
            place: place(wish.a)?,
            to: wish.b % steps.len(),
        }
        .into(),
        15 => {
            // A line as it is drawn.
            let flows = document.workflow().flows();
            let (from, to, flow) = flows.get(wish.a.checked_rem(flows.len())?)?;
            let (from, to, label) = (from.id.clone(), to.id.clone(), flow.label.clone());
            match wish.b % 3 {
                0 => return add(Spot::Between { from, to, label }),
                _ => FlowEdit::Disconnect { from, to, label }.into(),
            }
        }
        16 => FlowEdit::Connect {
            from: a,
            to: b,
            way: Some(Way::Value {
                field: None,
                value: if wish.c.is_multiple_of(2) { "FAIL" } else { "PASS" }.to_owned(),
            }),
        }
        .into(),
        17 => FlowEdit::Connect {
            from: a.clone(),
            to: a,
            way: Some(Way::Back {
                most: Some(2),
                until: None,
            }),
        }
        .into(),
        18 => FlowEdit::Route {
            step: a,
            to: Route::End,
        }
        .into(),
        // What was copied is pasted.
        19 => {
            let step = NewStep {
                text: Some(document.step_text(wish.a.checked_rem(steps.len())?)?),
                ..NewStep::default()
            };
            let at = Spot::After { step: b };
            FlowEdit::Add { step, at }.into()
        }
        20 => return add(Spot::Inside { step: a }),
        21 => FlowEdit::Route {
            step: a,
            to: Route::Fork {
                targets: vec![b, c],
                join: None,
            },
        }
        .into(),
        22..=24 => {
            let way = match wish.kind {
                22 => Way::Rejected,
                23 => Way::Waits,
                _ => Way::Next,
            };
            FlowEdit::Connect {
                from: a,
                to: b,
                way: Some(way),
            }
            .into()
        }
        // What follows by conditions.
        25 => {
            let guard = serde_json::json!([{"condition": {"field": "verdict", "operator": "equals", "value": wish.word}, "next": b.as_str()}]);
            let place = place(wish.a)?.path(["routing", "when"].map(str::to_owned));
            document.value(&Place::step(wish.a % steps.len()).field("routing"))?;
            Edit::Set { place, value: guard }.into()
        }
        // A field of the form that says nothing of other steps.
        26 => {
            let form = document.form(Some(wish.a.checked_rem(steps.len())?))?;
            let is_plain =
                |field: &&model::FormField| ["name", "description", "role", "objective"].contains(&field.name.as_str());
            let plain: Vec<_> = form.fields.iter().filter(is_plain).collect();
            let place = plain.get(wish.b.checked_rem(plain.len())?)?.place.clone();
            // The name of a stage is what others call it by.
            let own = document
                .value(&place)
                .is_some_and(|value| value == *steps[wish.a % steps.len()].id.as_str());
            if own {
                return None;
            }
            Edit::Set {
                place,
                value: format!("{} again", wish.word).into(),
            }
            .into()
        }
        // A field gets another name: one that the format does not know.
        27 => {
            let place = place(wish.a)?.field("note");
            match wish.b.is_multiple_of(2) {
                true => Edit::Set {
                    place,
                    value: wish.word.into(),
                }
                .into(),
                false => Edit::Rename {
                    place,
                    to: "remark".to_owned(),
                }
                .into(),
            }
        }
        _ => {
            let key = ["node_id", "id", "name"].into_iter().find(|key| {
                let value = document.value(&place(wish.a).unwrap_or_default().field(*key));
                value.is_some_and(|value| value == *steps[wish.a % steps.len()].id.as_str())
            })?;
            Edit::Set {
                place: place(wish.a)?.field(key),
                value: format!("renamed-{}", wish.c).into(),
            }
            .into()
        }
    })
}

/// Where a gesture pastes; `None` where it does not.
fn spot(gesture: &Gesture) -> Option<&Spot> {
    match gesture {
        Gesture::Flow(FlowEdit::Add { step, at }) if step.text.is_some() => Some(at),
        _ => None,
    }
}

/// What no gesture may leave: a target that is not there, a name twice, a broken text.
fn unsound(document: &Document) -> Vec<String> {
    let bad = ["GH0001", "GH0004", "GH0101", "GH0103", "GH0106", "GH0112", "GH0105"];
    // The rules of runbooks are all about jumps and numbers.
    let runbook = document.path().ends_with(".md");
    let is_bad = |found: &&model::Diagnostic| {
        bad.contains(&found.code.as_str()) || (runbook && found.severity == model::Severity::Error)
    };
    let found = document.diagnostics().iter().filter(is_bad);
    found
        .map(|found| format!("{}: {}", found.code, found.message))
        .collect()
}

fn texts() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for shape in shapes() {
        let path = match shape.name {
            "pipeline" => "PIPE-20260131-new-093000.yaml".to_owned(),
            _ => format!("new{}", shape.ending),
        };
        all.push((path.clone(), shape.skeleton));
        all.extend(shape.templates.iter().map(|template| (path.clone(), template.text)));
    }
    all.extend(AGENT_WORKFLOWS.map(|text| ("agents.yaml".to_owned(), text)));
    all.push(("PIPE-20260131-new-093000.yaml".to_owned(), PIPELINE));
    all.push(("row.yaml".to_owned(), ROW));
    all
}

/// A pipeline whose stages wait for several others, in lists of both forms.
const PIPELINE: &str = "\
name: Release
stages:
  - name: plan
    agents: [pm]
    outputs: [plan.md]

  - name: build
    agent: dev
    depends_on: [plan]

  - {name: try, agents: [qa], depends_on: [plan, build]}

  - name: ship
    agents: [ops]
    depends_on:
      - build
      - try
    human_gate: required
    on_reject: build
";

/// A flow whose steps follow each other by their place.
const ROW: &str = "\
key: row
steps:
  - id: one
    agents: [w]
    role: One.
  - id: two
    agents: [w]
    role: Two.
  - id: three
    agents: [w]
    role: Three.
    human_gate: required
    on_reject: one
  - id: four
    agents: [w]
    role: Four.
    routing: { kind: microloop, loop_target: two, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 3 }
";

/// Agent workflows whose steps wait for each other by numbers, and in groups.
const AGENT_WORKFLOWS: [&str; 2] = [
    "workflow: {name: numbered}\nsequence:\n  - step: 1\n    agent: analyst\n    task: idea\n  - step: 2\n    agent: pm\n    task: pages\n    \
     depends_on: [1]\n  - step: 3\n    agent: qa\n    creates: a.md\n    human_gate: required\n    depends_on: [1, 2]\n",
    "workflow: {name: groups}\nparallel_groups:\n  - group_id: a\n    agents:\n      - {id: one, agent: w}\n      - {agent: w}\n      - {agent: w}\n  \
     - group_id: b\n    parallel: true\n    agents:\n      - {id: two, agent: w}\n      - {id: three, agent: w, depends_on: [one]}\n",
];

/// Carries wishes out one by one; a refusal leaves everything as it is.
fn carried_out(path: &str, text: &str, wishes: &[Wish]) -> Result<(), TestCaseError> {
    let start = Document::parse(path, text);
    let mut document = start.clone();
    let mut made: Vec<Gesture> = Vec::new();
    for wish in wishes {
        let Some(gesture) = gesture(&document, wish) else {
            continue;
        };
        // Steps that are pasted at one spot one after the other are one change, in which they lead to each other.
        if spot(&gesture).is_some_and(|at| made.last().and_then(spot) == Some(at)) {
            continue;
        }
        let Ok(edits) = document.gesture(&gesture) else {
            continue;
        };
        let changed = apply(document.text(), &edits);
        prop_assert_eq!(
            &apply(&changed, &invert(document.text(), &edits)),
            document.text(),
            "{:?}",
            gesture
        );
        let after = Document::parse(path, &changed);
        prop_assert_eq!(
            unsound(&after),
            Vec::<String>::new(),
            "{:?}\n--- before\n{}\n--- after\n{}",
            gesture,
            document.text(),
            changed
        );
        prop_assert_eq!(after.workflow().format, document.workflow().format);
        let alone = document
            .make(std::slice::from_ref(&gesture))
            .map_err(|refused| TestCaseError::fail(refused.to_string()))?;
        prop_assert_eq!(
            untouched::touched(&document, &alone, &gesture),
            Vec::<String>::new(),
            "{:?}\n--- before\n{}\n--- after\n{}",
            gesture,
            document.text(),
            changed
        );
        if let Gesture::Flow(FlowEdit::Add { .. } | FlowEdit::Duplicate { .. }) = &gesture {
            prop_assert_eq!(
                after.workflow().steps().len(),
                document.workflow().steps().len() + 1,
                "{:?}\n{}",
                gesture,
                changed
            );
        }
        // A comment above the file's first key stays.
        prop_assert!(
            changed.starts_with(text.split_once("key:").map_or("", |(head, _)| head)) || !text.starts_with('#')
        );
        document = after;
        made.push(gesture);
    }
    // All of them as one change: the same text, one undo.
    let whole = start
        .make(&made)
        .map_err(|refused| TestCaseError::fail(refused.to_string()))?;
    prop_assert_eq!(whole.document.text(), document.text());
    prop_assert_eq!(&apply(text, &whole.edits), document.text());
    prop_assert_eq!(apply(document.text(), &invert(text, &whole.edits)), text);
    // Another writer puts a line at the top meanwhile, or adds words to a line somewhere: both changes are in, or somebody is asked.
    let theirs = format!("# theirs\n{text}");
    if let Ok(merged) = merge(text, &whole.edits, &theirs) {
        prop_assert_eq!(merged, format!("# theirs\n{}", document.text()));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for n in (0..lines.len()).step_by(lines.len().div_ceil(3)) {
        let (before, behind) = (lines[..n].concat(), lines[n + 1..].concat());
        let line = lines[n].trim_end();
        let theirs = format!("{before}{line} # theirs\n{behind}");
        if let Ok(merged) = merge(text, &whole.edits, &theirs) {
            prop_assert_eq!(merged.matches("# theirs").count(), 1, "line {}: {}", n + 1, merged);
            prop_assert_eq!(merged.replacen(" # theirs", "", 1), document.text(), "line {}", n + 1);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_gestures_leave_a_sound_file_and_can_be_taken_back(wishes in wishes(), which in 0usize..64, notes in any::<u64>()) {
        let texts = texts();
        let (path, text) = &texts[which % texts.len()];
        carried_out(path, &untouched::with_notes(path, text, notes), &wishes)?;
    }
}

#[test]
fn every_gesture_is_made_somewhere() {
    let mut made = std::collections::BTreeSet::new();
    for (path, text) in texts() {
        let document = Document::parse(&path, text);
        for kind in 0..KINDS {
            for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
                let wish = Wish {
                    kind,
                    a,
                    b,
                    c: (a + b + 1) % 5,
                    word: "Check it",
                };
                let gesture = gesture(&document, &wish);
                if gesture.is_some_and(|gesture| document.gesture(&gesture).is_ok_and(|edits| !edits.is_empty())) {
                    made.insert(kind);
                }
            }
        }
    }
    assert_eq!(made.into_iter().collect::<Vec<_>>(), (0..KINDS).collect::<Vec<_>>());
}

/// A flow of so many steps, each of which leads to the next one.
fn long(steps: usize) -> Document {
    let step = |n: usize| {
        format!(
            "  - id: s{n}\n    name: \"Step number {n}\"\n    agents: [author]\n    role: \"Do it.\"\n    routing: {{ kind: linear, next: s{} }}\n\n",
            n + 1
        )
    };
    let all: String = (0..steps).map(step).collect();
    let text = format!("key: long\nsteps:\n{all}  - id: s{steps}\n    agents: [author]\n    role: \"End.\"\n");
    Document::parse("long.yaml", &text)
}

#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how its time grows is what is looked at"
)]
fn seconds(what: impl FnOnce()) -> f64 {
    let begun = std::time::Instant::now();
    what();
    begun.elapsed().as_secs_f64()
}

/// Whether something takes time that grows with the length of the file. Of several tries the fastest counts: a busy machine slows single ones down,
/// and what grows faster than the file is too slow in each of them.
fn grows_with_the_file(time: impl Fn(usize) -> f64) {
    let (mut short, mut long) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..6 {
        short = short.min(time(250)).min(time(250));
        long = long.min(time(1000));
        if long < short * 12.0 + 0.2 {
            return;
        }
    }
    panic!("{short} s for 250 steps, {long} s for 1000");
}

#[test]
fn the_texts_of_all_steps_are_taken_in_time_that_grows_with_the_file() {
    let time = |steps: usize| {
        let document = long(steps);
        seconds(|| {
            let texts = (0..=steps).filter_map(|step| document.step_text(step));
            assert_eq!(texts.count(), steps + 1);
        })
    };
    grows_with_the_file(time);
}

#[test]
fn a_thousand_steps_are_changed_in_time_that_grows_with_the_file() {
    let time = |steps: usize| {
        let document = long(steps);
        let at = Spot::Between {
            from: format!("s{}", steps / 2).as_str().into(),
            to: format!("s{}", steps / 2 + 1).as_str().into(),
            label: None,
        };
        let gesture = FlowEdit::Add {
            step: NewStep {
                name: Some("Look".to_owned()),
                ..NewStep::default()
            },
            at,
        }
        .into();
        seconds(|| {
            let made = document.make(&[gesture]).expect("it is made");
            assert_eq!(made.document.workflow().steps().len(), steps + 2);
        })
    };
    grows_with_the_file(time);
}
