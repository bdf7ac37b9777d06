//! What follows when steps get other ids: scenarios beside a workflow, and what several gestures entail together.

use dialect::{Document, NewId, apply, renamed_in_scenario};
use model::{Edit, FlowEdit, Gesture, NewStep, Place, Route, Spot};

const BOOK: &str = "\
---
scenarios:
  mine:
    steps: {1: [{status: failed}], 2: [{jump: 3}], '3': [{}]}
    gates: {'release:2:outcome': [{answer: pass}]}
    expect: {path: [1, 2, 3]}
---

# Release

## 1 Build

Build it.

- FAIL: GOTO Fix.1

## 2 Ship

Ship it.

## 3 Tell

Tell them.

## Fix Mend it

### Fix.1 Look

Look.
";

/// The same beside it, in every way of writing a name.
const BESIDE: &str = "\
name: all of it   # by hand
steps:
  1: [{status: failed, error: \"no\"}]
  \"2\":
    - {jump: 3}
    - {report: {next: 2}}
  '3': [{}]
  Fix.1: [{}]
gates:
  release:2:outcome: [{answer: pass}]
  3: [{answer: choose, way: \"advance:2\"}]
navigator: {2: [{way: resume}]}
expect: {path: [1, '2', \"3\", Fix.1]}
";

fn made(path: &str, text: &str, gestures: &[Gesture]) -> (Document, Vec<NewId>, Vec<String>) {
    let made = Document::parse(path, text).make(gestures).expect("made");
    (made.document, made.renamed, made.entails)
}

fn add_behind(step: &str) -> Gesture {
    let at = Spot::After { step: step.into() };
    FlowEdit::Add {
        step: NewStep::default(),
        at,
    }
    .into()
}

fn remove(step: usize) -> Gesture {
    let place = Place::step(step);
    Edit::Remove { place }.into()
}

fn rename(step: usize, key: &str, to: &str) -> Gesture {
    let place = Place::step(step).field(key);
    let value = to.into();
    Edit::Set { place, value }.into()
}

fn pairs(renamed: &[NewId]) -> Vec<(&str, Option<&str>)> {
    renamed
        .iter()
        .map(|(old, new)| (old.as_str(), new.as_ref().map(model::StepId::as_str)))
        .collect()
}

fn beside(renamed: &[NewId]) -> String {
    let edits = renamed_in_scenario("a.scenario.yaml", BESIDE, renamed).expect("follows");
    apply(BESIDE, &edits)
}

#[test]
fn a_scenario_follows_the_numbers_behind_a_new_step() {
    let (document, renamed, _) = made("a.runbook.md", BOOK, &[add_behind("1")]);
    assert_eq!(pairs(&renamed), [("2", Some("3")), ("3", Some("4"))]);
    let expected = BESIDE
        .replace("jump: 3", "jump: 4")
        .replace("'3': [{}]", "'4': [{}]")
        .replace("  3: [{answer", "  4: [{answer")
        .replace("\"2\":\n", "\"3\":\n")
        .replace("release:2:", "release:3:")
        .replace("advance:2", "advance:3")
        .replace("{2: [{way", "{3: [{way")
        .replace("[1, '2', \"3\"", "[1, '3', \"4\"");
    assert_eq!(beside(&renamed), expected);
    // Both kinds of scenarios agree.
    let front = BOOK
        .lines()
        .take(6)
        .collect::<Vec<_>>()
        .join("\n")
        .replace("{jump: 3}], '3'", "{jump: 4}], '4'")
        .replace(" 2: [", " 3: [")
        .replace("release:2:", "release:3:")
        .replace("[1, 2, 3]", "[1, 3, 4]");
    assert!(document.text().starts_with(&front), "{}", document.text());
}

#[test]
fn a_scenario_says_nothing_any_more_of_a_step_that_is_gone() {
    let (document, renamed, _) = made("a.runbook.md", BOOK, &[remove(1)]);
    assert_eq!(pairs(&renamed), [("2", None), ("3", Some("2"))]);
    let after = beside(&renamed);
    let expected = "\
name: all of it   # by hand
steps:
  1: [{status: failed, error: \"no\"}]
  '2': [{}]
  Fix.1: [{}]
gates:
  2: [{answer: choose}]
expect: {path: [1, \"2\", Fix.1]}
";
    assert_eq!(after, expected);
    let text = document.text();
    assert!(
        text.contains("steps: {1: [{status: failed}], '2': [{}]}") && text.contains("path: [1, 2]"),
        "{text}"
    );
    // What leads to it from a visit that stays goes alone.
    let (_, renamed, _) = made("a.runbook.md", BOOK, &[remove(2)]);
    assert!(
        beside(&renamed).contains("    - {}\n    - {report: {next: 2}}\n"),
        "{}",
        beside(&renamed)
    );
    // A scenario of that step alone is left with nothing to say.
    let only = "steps:\n  2: [{}]\n";
    let gone = [("2".into(), None)];
    let edits = renamed_in_scenario("s.yaml", only, &gone).expect("follows");
    assert_eq!(apply(only, &edits), "{}\n");
}

#[test]
fn a_scenario_follows_steps_that_change_places_all_at_once() {
    let place = Place::step(0);
    let (_, renamed, _) = made("a.runbook.md", BOOK, &[Edit::Move { place, to: 2 }.into()]);
    assert_eq!(pairs(&renamed), [("1", Some("3")), ("2", Some("1")), ("3", Some("2"))]);
    assert!(beside(&renamed).contains("expect: {path: [3, '1', \"2\", Fix.1]}"));
    // A copy behind it, and what stands inside of a step that is called otherwise.
    let copy = FlowEdit::Duplicate {
        step: "2".into(),
        id: None,
    };
    let (document, renamed, _) = made("a.runbook.md", BOOK, &[copy.into(), rename(4, "id", "Mend")]);
    assert_eq!(
        pairs(&renamed),
        [("3", Some("4")), ("Fix", Some("Mend")), ("Fix.1", Some("Mend.1"))]
    );
    assert!(document.text().contains("GOTO Mend.1") && beside(&renamed).contains("Mend.1: [{}]"));
}

#[test]
fn several_gestures_are_followed_as_one() {
    // The new step moves, the old ones come back to where they were.
    let gestures = [add_behind("1"), remove(1)];
    let (_, renamed, _) = made("a.runbook.md", BOOK, &gestures);
    assert_eq!(pairs(&renamed), []);
    // What comes in the place of a step that goes is another one.
    let (_, renamed, _) = made("a.runbook.md", BOOK, &[remove(1), add_behind("1"), add_behind("1")]);
    assert_eq!(pairs(&renamed), [("2", None), ("3", Some("4"))]);
    let place = Place::step(1);
    let gestures = [add_behind("1"), Edit::Move { place, to: 0 }.into()];
    let (_, renamed, _) = made("a.runbook.md", BOOK, &gestures);
    assert_eq!(pairs(&renamed), [("1", Some("2")), ("2", Some("3")), ("3", Some("4"))]);
}

/// Wherever a step has an id, a new one is followed; two that change names are not taken for one another.
#[test]
fn new_ids_are_followed_in_every_format() {
    let skeleton = |name: &str| dialect::shape(name).expect("a format").skeleton.to_owned();
    let flow = "key: k\nsteps:\n  - {id: a, agents: [w], role: r}\n  - {id: b, agents: [w], role: r}\n";
    let graph = "nodes:\n  - {node_id: a, agents: [w]}\n  - {node_id: b, agents: [w]}\nedges: [{from: a, to: b}]\n";
    let json =
        "{\"key\": \"k\", \"steps\": [{\"id\": \"a\", \"agents\": [\"w\"]}, {\"id\": \"b\", \"agents\": [\"w\"]}]}\n";
    for (path, text, key) in [
        ("k.yaml", flow.to_owned(), "id"),
        ("k.json", json.to_owned(), "id"),
        ("g.graph.yaml", graph.to_owned(), "node_id"),
        ("PIPE-20260131-new-093000.yaml", skeleton("pipeline"), "name"),
        ("new.yaml", skeleton("stepspec"), "id"),
    ] {
        let end = FlowEdit::Add {
            step: NewStep {
                id: Some("other".into()),
                ..NewStep::default()
            },
            at: Spot::End,
        };
        let (document, ..) = made(path, &text, &[end.into()]);
        let steps = document.workflow().steps();
        let (first, last) = (steps[0].id.clone(), steps.len() - 1);
        assert_eq!(steps[last].id.as_str(), "other", "{path}");
        let swap = [
            rename(0, key, "between"),
            rename(last, key, first.as_str()),
            rename(0, key, "other"),
        ];
        let (_, renamed, _) = made(path, document.text(), &swap);
        assert_eq!(
            pairs(&renamed),
            [(first.as_str(), Some("other")), ("other", Some(first.as_str()))],
            "{path}"
        );
        let scenario =
            format!("steps: {{{first}: [{{}}], other: [{{status: failed}}]}}\nexpect: {{path: [{first}, other]}}\n");
        let edits = renamed_in_scenario("s.yaml", &scenario, &renamed).expect("follows");
        let expected =
            format!("steps: {{other: [{{}}], {first}: [{{status: failed}}]}}\nexpect: {{path: [other, {first}]}}\n");
        assert_eq!(apply(&scenario, &edits), expected, "{path}");
        // What went by itself may come again under the same id.
        let (_, renamed, _) = made(path, document.text(), &[remove(last)]);
        assert_eq!(pairs(&renamed), [], "{path}");
    }
}

#[test]
fn two_steps_are_not_put_under_one_name() {
    let why = renamed_in_scenario(
        "s.yaml",
        "steps: {a: [{}], b: [{}]}\n",
        &[("a".into(), Some("b".into()))],
    );
    assert_eq!(why.expect_err("refused"), "two steps would be `b` in it");
    let json = "{\"steps\": {\"2\": [{\"jump\": \"3\"}], \"3\": [{}]}}\n";
    let ids = [("2".into(), Some("3".into())), ("3".into(), Some("4".into()))];
    let edits = renamed_in_scenario("s.json", json, &ids).expect("follows");
    assert_eq!(
        apply(json, &edits),
        "{\"steps\": {\"3\": [{\"jump\": \"4\"}], \"4\": [{}]}}\n"
    );
}

/// What is said of a step stays where that step only has another number by now, and goes where the step went.
#[test]
fn what_is_said_of_a_step_stays_as_long_as_the_step() {
    let step = |id: &str, line: &str| format!("## {id} Do {id}\n\nText.\n\n- PASS: {line}\n- FAIL: STOP\n\n");
    let text = [
        step("1", "CONTINUE"),
        step("2", "GOTO 4"),
        step("3", "COMPLETE"),
        step("4", "COMPLETE"),
    ]
    .concat();
    let ends: Gesture = FlowEdit::Route {
        step: "2".into(),
        to: Route::End,
    }
    .into();
    let (document, _, said) = made("a.runbook.md", &text, &[ends.clone(), remove(2)]);
    assert_eq!(document.workflow().steps().len(), 3);
    assert_eq!(
        said,
        ["“Do 2” does not lead to “Do 4” any more when it passes, and nothing leads to “Do 4” any more"]
    );
    // The step itself went.
    let (_, _, said) = made("a.runbook.md", &text, &[ends, remove(3)]);
    assert_eq!(said, ["“Do 2” does not lead to “Do 4” any more when it passes"]);
    // What is said of a step that goes by the gesture itself is news.
    let front = format!("---\nagents: {{'2': x, '3': y}}\n---\n\n{text}");
    let (_, _, said) = made("a.runbook.md", &front, &[remove(2), remove(1)]);
    assert_eq!(
        said,
        [
            "what the head of the file says of “Do 3” goes with it",
            "what the head of the file says of “Do 2” goes with it"
        ]
    );
}
