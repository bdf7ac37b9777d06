//! Two programs change one file: what meets elsewhere is merged, what meets on the same lines is asked about.

use dialect::{Document, MergeConflict, Side, TextEdit, apply, invert, merge, merge_as};
use model::{Edit, Place};
use serde_json::json;

const BASE: &str = "key: x\nsteps:\n  - id: a\n    role: One\n    agents: [w]\n  - id: b\n    role: Two\n";

fn set(text: &str, step: usize, field: &str, value: serde_json::Value) -> Vec<TextEdit> {
    let edit = Edit::Set {
        place: Place::step(step).field(field),
        value,
    };
    Document::parse("x.yaml", text)
        .edit(&edit)
        .expect("the edit can be made")
}

fn merged(theirs: &str) -> Result<String, MergeConflict> {
    merge(BASE, &set(BASE, 0, "role", json!("Uno")), theirs)
}

#[test]
fn nothing_changed_meanwhile() {
    assert_eq!(merged(BASE).as_deref(), Ok(BASE.replace("One", "Uno").as_str()));
}

#[test]
fn we_changed_nothing() {
    assert_eq!(merge(BASE, &[], "anything").as_deref(), Ok("anything"));
}

#[test]
fn they_changed_other_lines() {
    let theirs = BASE
        .replace("Two", "Due")
        .replace("key: x\n", "# new\n# lines\nkey: x\n");
    assert_eq!(merged(&theirs), Ok(theirs.replace("One", "Uno")));
}

#[test]
fn they_made_the_same_change() {
    let theirs = BASE.replace("One", "Uno");
    assert_eq!(merged(&theirs), Ok(theirs));
}

#[test]
fn they_changed_the_same_line() {
    let theirs = BASE.replace("One", "Eins");
    let conflict = merged(&theirs).expect_err("the same line");
    assert_eq!(conflict.theirs, theirs);
    assert_eq!(conflict.mine, BASE.replace("One", "Uno"));
    assert_eq!(conflict.clashes.len(), 1);
    let clash = &conflict.clashes[0];
    assert_eq!((clash.line, clash.base.as_str()), (4, "    role: One\n"));
    assert_eq!(
        (clash.mine.as_str(), clash.theirs.as_str()),
        ("    role: Uno\n", "    role: Eins\n")
    );
}

/// Where ours are to hold wherever the two meet.
fn over(mine: &[TextEdit], theirs: &str) -> String {
    merge_as(BASE, mine, theirs, |_| Side::Mine)
}

#[test]
fn where_ours_are_to_hold_theirs_are_given_up_on_the_same_lines_alone() {
    let mine = set(BASE, 0, "role", json!("Uno"));
    let theirs = BASE
        .replace("One", "Eins")
        .replace("Two", "Zwei")
        .replace("key: x\n", "key: x\nname: Y\n");
    assert_eq!(over(&mine, &theirs), theirs.replace("Eins", "Uno"));
    let gone = BASE
        .replace("    role: One\n    agents: [w]\n", "")
        .replace("Two", "Zwei");
    assert_eq!(over(&mine, &gone), BASE.replace("One", "Uno").replace("Two", "Zwei"));
    let elsewhere = BASE.replace("Two", "Zwei");
    assert_eq!(Ok(over(&mine, &elsewhere)), merged(&elsewhere));
}

#[test]
fn they_removed_the_line() {
    let conflict = merged(&BASE.replace("    role: One\n", "")).expect_err("the line is gone");
    assert_eq!(conflict.clashes[0].theirs, "");
}

#[test]
fn they_changed_the_line_beside_ours() {
    let theirs = BASE.replace("[w]", "[w, v]");
    assert_eq!(merged(&theirs), Ok(theirs.replace("One", "Uno")));
}

#[test]
fn both_insert_at_one_place() {
    let mine = set(BASE, 0, "human_gate", json!("required"));
    let theirs = BASE.replace("    agents: [w]\n", "    agents: [w]\n    human_gate: optional\n");
    let conflict =
        merge(BASE, &mine, &theirs).expect_err("the order would be a guess, and the field would stand twice");
    assert!(conflict.mine.contains("human_gate: required") && conflict.theirs.contains("human_gate: optional"));
}

#[test]
fn the_whole_file_was_rewritten() {
    assert!(merged("entirely: different\n").is_err());
    assert!(merged("").is_err());
}

#[test]
fn other_line_ends_are_a_change_of_every_line() {
    assert!(merged(&BASE.replace('\n', "\r\n")).is_err());
}

#[test]
fn undo_and_redo_are_edits_like_others() {
    let edits = set(BASE, 1, "human_gate", json!("required"));
    let changed = apply(BASE, &edits);
    let undo = invert(BASE, &edits);
    assert_eq!(apply(&changed, &undo), BASE);
    assert_eq!(apply(BASE, &invert(&changed, &undo)), changed);
    // An undo is merged with what came from outside in between.
    let outside = changed.replace("One", "Eins");
    assert_eq!(merge(&changed, &undo, &outside), Ok(BASE.replace("One", "Eins")));
}

/// Both steps were changed on both sides, the second one in two lines, and the file's name by the other side alone.
fn apart() -> (Vec<TextEdit>, String, MergeConflict) {
    let mut mine = set(BASE, 0, "role", json!("Uno"));
    mine.extend(set(BASE, 1, "role", json!("Due")));
    let theirs = BASE
        .replace("key: x", "key: y")
        .replace("One", "Eins")
        .replace("    role: Two\n", "    role: Zwei\n    outputs: [b.md]\n");
    let conflict = merge(BASE, &mine, &theirs).expect_err("the same lines");
    (mine, theirs, conflict)
}

#[test]
fn a_conflict_is_taken_apart_by_steps_and_each_is_decided_alone() {
    let (mine, theirs, conflict) = apart();
    let parts = Document::parse("x.yaml", BASE).apart(&conflict.clashes);
    let steps: Vec<Vec<&str>> = parts
        .iter()
        .map(|part| part.steps.iter().map(|id| id.as_str()).collect())
        .collect();
    assert_eq!(steps, [["a"], ["b"]]);
    let with = |sides: [Side; 2]| merge_as(BASE, &mine, &theirs, |clash| sides[clash]);
    let here = theirs.replace("Eins", "Uno");
    assert_eq!(with([Side::Mine, Side::Theirs]), here);
    assert_eq!(with([Side::Theirs, Side::Theirs]), theirs);
    let there = theirs.replace("    role: Zwei\n    outputs: [b.md]\n", "    role: Due\n");
    assert_eq!(with([Side::Theirs, Side::Mine]), there);
    assert_eq!(with([Side::Mine, Side::Mine]), over(&mine, &theirs));
}

#[test]
fn what_hangs_together_is_one_place_of_a_conflict() {
    // Theirs rewrote both lines that ours change, as one.
    let mut mine = set(BASE, 0, "role", json!("Uno"));
    mine.extend(set(BASE, 0, "agents", json!(["v"])));
    let theirs = BASE.replace("    role: One\n    agents: [w]\n", "    role: Eins\n");
    let conflict = merge(BASE, &mine, &theirs).expect_err("the same lines");
    assert_eq!(conflict.clashes.len(), 1);
    let clash = &conflict.clashes[0];
    assert_eq!(clash.mine, "    role: Uno\n    agents: [v]\n");
    assert_eq!(clash.theirs, "    role: Eins\n");
    // A change over two steps is about both.
    let theirs = BASE.replace("    agents: [w]\n  - id: b\n", "    agents: [v]\n  - id: c\n");
    let mine = [set(BASE, 0, "agents", json!(["u"])), set(BASE, 1, "role", json!("Due"))].concat();
    let conflict = merge(BASE, &mine, &theirs).expect_err("the same lines");
    let parts = Document::parse("x.yaml", BASE).apart(&conflict.clashes);
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].steps, ["a".into(), "b".into()]);
}
