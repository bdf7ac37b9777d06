//! Gestures on runbooks: where a step stands is counted among all of its level, and a step that goes leaves nothing in the front matter.

use dialect::{Document, apply, invert};
use model::{Edit, Gesture, Place};

fn runbook(front: &str, steps: &[&str]) -> String {
    let steps = steps.iter().map(|id| {
        let title = match id.parse::<u32>() {
            Ok(_) => format!("{id}. Do {id}"),
            Err(_) => format!("{id} Take it back"),
        };
        format!("## {title}\n\nText of {id}.\n\n- PASS: CONTINUE\n- FAIL: STOP\n")
    });
    let front = match front {
        "" => String::new(),
        front => format!("---\n{front}---\n\n"),
    };
    format!("{front}# A\n\n{}", steps.collect::<Vec<_>>().join("\n"))
}

fn after(text: &str, edit: Edit) -> Result<(String, Vec<String>), String> {
    let document = Document::parse("a.runbook.md", text);
    let made = document
        .make(&[Gesture::Value(edit)])
        .map_err(|refused| refused.error.to_string())?;
    assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
    Ok((made.document.text().to_owned(), made.entails))
}

/// The texts of the steps in their order, by the number that they had.
fn order(text: &str) -> Vec<String> {
    let texts = text.lines().filter_map(|line| line.strip_prefix("Text of "));
    texts.map(|rest| rest.trim_end_matches('.').to_owned()).collect()
}

fn headings(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
    headings
        .map(|rest| rest.split([' ', '.']).next().unwrap_or(rest).to_owned())
        .collect()
}

fn moved(text: &str, step: usize, to: usize) -> Result<String, String> {
    let place = Place::step(step);
    after(text, Edit::Move { place, to }).map(|(text, _)| text)
}

#[test]
fn a_position_counts_named_steps_too() {
    // `2` goes before the named step, and is 2 still.
    let text = runbook("", &["1", "Recover", "2"]);
    let up = moved(&text, 2, 1).expect("moved");
    assert_eq!(order(&up), ["1", "2", "Recover"]);
    assert_eq!(headings(&up), ["1", "2", "Recover"]);
    let top = moved(&text, 2, 0).expect("moved");
    assert_eq!(order(&top), ["2", "1", "Recover"]);
    assert_eq!(headings(&top), ["1", "2", "Recover"]);
    let text = runbook("", &["1", "Recover", "2", "3"]);
    let down = moved(&text, 2, 3).expect("moved");
    assert_eq!(order(&down), ["1", "Recover", "3", "2"]);
    assert_eq!(headings(&down), ["1", "Recover", "2", "3"]);
    assert!(moved(&text, 2, 4).is_err());
    assert!(moved(&text, 1, 0).is_err_and(|why| why.contains("a named step")));
}

fn removed(text: &str, step: usize) -> (String, Vec<String>) {
    let place = Place::step(step);
    after(text, Edit::Remove { place }).expect("removed")
}

#[test]
fn a_step_that_goes_goes_out_of_the_front_matter() {
    let front = "name: a\nagents:\n  \"1\": x\n  \"3\": y   # him\n  \"4\": z\nscenarios:\n  well:\n    steps:\n      \"3\": {outcome: pass}\n      \"4\": {outcome: fail}\n    expect: {path: [1, 2, 3, 4]}\n";
    let text = runbook(front, &["1", "2", "3", "4"]);
    let (changed, said) = removed(&text, 2);
    assert_eq!(order(&changed), ["1", "2", "4"]);
    assert_eq!(headings(&changed), ["1", "2", "3"]);
    let front = "---\nname: a\nagents:\n  \"1\": x\n  \"3\": z\nscenarios:\n  well:\n    steps:\n      \"3\": {outcome: fail}\n    expect: {path: [1, 2, 3]}\n---\n";
    assert!(changed.starts_with(front), "{changed}");
    assert_eq!(said, ["what the front matter says of `3` goes with it"]);
    // At the end nobody takes its number.
    let (changed, _) = removed(&text, 3);
    assert!(
        !changed.contains("\"4\"") && changed.contains("path: [1, 2, 3]"),
        "{changed}"
    );
    let found = Document::parse("a.runbook.md", &changed);
    assert!(
        found.diagnostics().iter().all(|one| one.code != "GH0218"),
        "{:#?}",
        found.diagnostics()
    );
    // Nothing is said where nothing stands there.
    let (changed, said) = removed(&runbook("agents: {\"1\": x}\n", &["1", "2"]), 1);
    assert!(said.is_empty() && changed.contains("agents: {\"1\": x}"), "{changed}");
}

#[test]
fn what_the_front_matter_would_hold_of_nothing_goes_whole() {
    for front in [
        "name: a\nagents:\n  2: x\n",
        "agents:\n  2: x\nname: a\n",
        "name: a\nagents: {'2': x}\n",
        "agents:\n  2: x\n",
    ] {
        let (changed, _) = removed(&runbook(front, &["1", "2"]), 1);
        assert!(!changed.contains("agents"), "{changed}");
        assert_eq!(changed.contains("name: a"), front.contains("name: a"), "{changed}");
        assert_eq!(order(&changed), ["1"]);
    }
}
