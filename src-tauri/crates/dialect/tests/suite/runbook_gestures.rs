//! Gestures on runbooks: where a step stands is counted among all of its level, a step that goes leaves nothing in the front matter,
//! and a line from step to step is the action of one transition.

use crate::untouched::touched;
use dialect::{Document, apply, invert};
use model::{Edit, FlowEdit, Gesture, NewStep, Place, Route, Severity, Spot, Way};

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

fn after(text: &str, edit: impl Into<Gesture>) -> Result<(String, Vec<String>), String> {
    let document = Document::parse("a.runbook.md", text);
    let gesture = edit.into();
    let made = document
        .make(std::slice::from_ref(&gesture))
        .map_err(|refused| refused.error.to_string())?;
    assert_eq!(touched(&document, &made, &gesture), Vec::<String>::new());
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
    assert_eq!(said, ["what the front matter says of “Do 3” goes with it"]);
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

/// A question, a step with substeps, a way back, and a step outside of the order.
const CHANGE: &str = "\
# Change

## 1 Make it

Do it.

- PASS: CONTINUE
- FAIL: GOTO TakeBack

## 2 Shall it stay?

Ask.

- YES: GOTO 4
- NO: STOP \"Not now.\"

## 3 Look

- PASS ALL: CONTINUE
- FAIL ANY: RETRY 2 GOTO TakeBack

### 3.1 Here

Look here.

### 3.2 There

Look there.

- PASS: CONTINUE
- FAIL: GOTO 4

## 4 Tell

Tell them.

## TakeBack

As it was.

- PASS: GOTO 4
- FAIL: GOTO 4
";

/// A template that is repeated, and a step that mends what fails in it.
const EACH: &str = "\
## {N} For each
- FAIL: GOTO Mend

### {N}.1 Do

Do it.

### {N}.2 Look

Look at it.

## Mend
- PASS: GOTO {N}

Mend it.
";

fn line(from: &str, to: &str) -> FlowEdit {
    drawn(from, to, None)
}

fn drawn(from: &str, to: &str, way: Option<Way>) -> FlowEdit {
    let (from, to) = (from.into(), to.into());
    FlowEdit::Connect { from, to, way }
}

fn on(value: &str) -> Option<Way> {
    let value = value.to_owned();
    Some(Way::Value { field: None, value })
}

fn cut(from: &str, to: &str, label: Option<&str>) -> FlowEdit {
    FlowEdit::Disconnect {
        from: from.into(),
        to: to.into(),
        label: label.map(str::to_owned),
    }
}

fn route(step: &str, to: Route) -> FlowEdit {
    FlowEdit::Route { step: step.into(), to }
}

fn again(step: &str, most: u32, values: &[&str], next: Option<&str>) -> FlowEdit {
    let to = Route::Loop {
        back: step.into(),
        most,
        field: None,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        next: next.map(Into::into),
    };
    route(step, to)
}

fn between(from: &str, to: &str, label: Option<&str>, kind: &str) -> FlowEdit {
    let (from, to, label) = (from.into(), to.into(), label.map(str::to_owned));
    added(kind, Spot::Between { from, to, label })
}

fn added(kind: &str, at: Spot) -> FlowEdit {
    let step = NewStep {
        kind: kind.to_owned(),
        name: Some("Ask first".to_owned()),
        ..NewStep::default()
    };
    FlowEdit::Add { step, at }
}

/// The lines that a gesture takes out and puts in, sorted, and what is said of it; nothing that is an error comes with it.
fn lines(text: &str, edit: FlowEdit) -> (Vec<String>, Vec<String>, String) {
    let shown = format!("{edit:?}");
    let (changed, said) = after(text, edit).unwrap_or_else(|why| panic!("{shown}: {why}"));
    let found = Document::parse("a.runbook.md", &changed);
    let errors = found.diagnostics().iter().filter(|one| one.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{shown}\n{changed}");
    let without = |all: &str, other: &str| {
        let mut left: Vec<&str> = other.lines().collect();
        let mut out = Vec::new();
        for one in all.lines().filter(|line| !line.is_empty()) {
            match left.iter().position(|other| *other == one) {
                Some(at) => drop(left.remove(at)),
                None => out.push(one.to_owned()),
            }
        }
        out.sort();
        out
    };
    (without(text, &changed), without(&changed, text), said.join("; "))
}

fn refused(text: &str, edit: FlowEdit) -> String {
    match after(text, edit) {
        Ok((changed, _)) => panic!("{changed}"),
        Err(why) => why,
    }
}

/// What is looked at: a gesture, the lines that go, those that come, and how what is said begins.
type Case<'a> = (FlowEdit, &'a [&'a str], &'a [&'a str], &'a str);

fn hold(text: &str, cases: Vec<Case<'_>>) {
    for (edit, gone, new, begins) in cases {
        let shown = format!("{edit:?}");
        let (went, came, said) = lines(text, edit);
        assert_eq!((went, came), (owned(gone), owned(new)), "{shown}");
        assert!(
            said.starts_with(begins) && said.is_empty() == begins.is_empty(),
            "{shown}: {said}"
        );
    }
}

fn owned(lines: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    lines.sort();
    lines
}

#[test]
fn a_line_that_is_drawn_is_what_follows_when_the_step_passes() {
    let elsewhere = "“Make it” does not lead to “Shall it stay?” any more when it passes, and nothing leads to “Shall it stay?” any more";
    hold(
        CHANGE,
        vec![
            // What leads there already is as it was.
            (line("1", "2"), &[], &[], ""),
            (line("2", "4"), &[], &[], ""),
            (line("3.1", "3.2"), &[], &[], ""),
            (line("1", "4"), &["- PASS: CONTINUE"], &["- PASS: GOTO 4"], elsewhere),
            (
                line("1", "3.2"),
                &["- PASS: CONTINUE"],
                &["- PASS: GOTO 3.2"],
                elsewhere,
            ),
            (
                line("1", "TakeBack"),
                &["- PASS: CONTINUE"],
                &["- PASS: GOTO TakeBack"],
                elsewhere,
            ),
            // A second line out of a step that jumps: it leads elsewhere. To what comes next nothing has to jump.
            (
                line("2", "3"),
                &["- YES: GOTO 4"],
                &["- YES: CONTINUE"],
                "“Shall it stay?” does not lead to “Tell” any more when it passes",
            ),
            (
                line("2", "3.1"),
                &["- YES: GOTO 4"],
                &["- YES: CONTINUE"],
                "“Shall it stay?” does not lead to “Tell” any more when it passes",
            ),
            // A modifier stays.
            (
                line("3", "TakeBack"),
                &["- PASS ALL: CONTINUE"],
                &["- PASS ALL: GOTO TakeBack"],
                "“Look” does not lead to “Tell”",
            ),
            // A substep that leaves its step takes the word from it.
            (
                line("3.2", "4"),
                &["- PASS: CONTINUE"],
                &["- PASS: GOTO 4"],
                "what “Look” says of its steps does not count",
            ),
            // A way back has no bound, which is said.
            (
                line("4", "1"),
                &[],
                &["- PASS: GOTO 1"],
                "the runbook no longer ends when “Tell” passes, and “Tell” leads back to “Make it” as often as it passes: a jump has no bound",
            ),
            (
                drawn(
                    "4",
                    "1",
                    Some(Way::Back {
                        most: None,
                        until: None,
                    }),
                ),
                &[],
                &["- PASS: GOTO 1"],
                "the runbook",
            ),
        ],
    );
    assert!(refused(CHANGE, line("1", "7")).contains("no step `7`"));
    // What the last substep says comes first.
    let own = CHANGE.replace("Look there.\n\n- PASS: CONTINUE", "Look there.\n\n- PASS: GOTO 1");
    assert!(refused(&own, line("3", "4")).contains("lead “There” elsewhere instead"));
}

#[test]
fn a_line_can_be_drawn_for_a_failure() {
    hold(
        CHANGE,
        vec![
            (
                drawn("1", "3", on("FAIL")),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: GOTO 3"],
                "“Make it” does not lead to “TakeBack”",
            ),
            // The words of an author do not go without a word; what a step retries before stays.
            (
                drawn("2", "3", on("no")),
                &["- NO: STOP \"Not now.\""],
                &["- NO: CONTINUE"],
                "the message “Not now.” of “Shall it stay?” is lost",
            ),
            (
                drawn("3", "4", on("FAIL")),
                &["- FAIL ANY: RETRY 2 GOTO TakeBack"],
                &["- FAIL ANY: RETRY 2 CONTINUE"],
                "“Look” does not lead to “TakeBack”",
            ),
            (
                drawn("4", "TakeBack", on("FAIL")),
                &[],
                &["- FAIL: GOTO TakeBack"],
                "“Tell” leads to “TakeBack” as often as it fails",
            ),
        ],
    );
    assert!(refused(CHANGE, drawn("1", "3", on("maybe"))).contains("name PASS or FAIL"));
    for (way, why) in [
        (Way::Beside, "one after the other"),
        (Way::Waits, "lead the earlier one to the later one"),
        (Way::Rejected, "answered with no"),
        (
            Way::Back {
                most: Some(3),
                until: None,
            },
            "into one step",
        ),
    ] {
        assert!(refused(CHANGE, drawn("4", "1", Some(way))).contains(why), "{why}");
    }
}

#[test]
fn a_line_to_itself_tries_a_step_again_with_a_bound() {
    let most = |n| {
        Some(Way::Back {
            most: Some(n),
            until: None,
        })
    };
    hold(
        CHANGE,
        vec![
            (
                line("1", "1"),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: RETRY 1 GOTO TakeBack"],
                "“Make it” is tried again when it fails, once",
            ),
            (
                drawn("4", "4", most(3)),
                &[],
                &["- FAIL: RETRY 3"],
                "“Tell” is tried again when it fails, 3 times at most",
            ),
            (
                drawn("2", "2", most(2)),
                &["- NO: STOP \"Not now.\""],
                &["- NO: RETRY 2 STOP \"Not now.\""],
                "“Shall it stay?” is tried again when it fails, 2 times at most",
            ),
            (
                drawn("3", "3", most(5)),
                &["- FAIL ANY: RETRY 2 GOTO TakeBack"],
                &["- FAIL ANY: RETRY 5 GOTO TakeBack"],
                "“Look” is tried again when it fails, 5 times at most, and “There” says itself what follows",
            ),
            // It is tried again already, as often as is said there.
            (line("3", "3"), &[], &[], ""),
            (
                again("1", 4, &["PASS"], None),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: RETRY 4 GOTO TakeBack"],
                "",
            ),
            (
                again("1", 4, &[], Some("4")),
                &["- PASS: CONTINUE", "- FAIL: GOTO TakeBack"],
                &["- PASS: GOTO 4", "- FAIL: RETRY 4 GOTO TakeBack"],
                "“Make it” does not lead to “Shall it stay?” any more",
            ),
        ],
    );
    assert!(refused(CHANGE, drawn("1", "1", Some(Way::Next))).contains("without an end"));
    assert!(refused(CHANGE, drawn("1", "1", most(0))).contains("one round at least"));
    assert!(refused(CHANGE, again("1", 3, &["GOOD"], None)).contains("PASS or FAIL"));
    let back = Route::Loop {
        back: "1".into(),
        most: 3,
        field: None,
        values: Vec::new(),
        next: None,
    };
    assert!(refused(CHANGE, route("4", back)).contains("into one step"));
}

#[test]
fn what_follows_a_step_can_be_said() {
    let to = |value: &str, step: &str| (value.to_owned(), step.into());
    let by = |branches, next: Option<&str>| Route::Branch {
        field: None,
        branches,
        next: next.map(Into::into),
    };
    hold(
        CHANGE,
        vec![
            (
                route("1", Route::Next { to: "4".into() }),
                &["- PASS: CONTINUE"],
                &["- PASS: GOTO 4"],
                "“Make it” does not lead to “Shall it stay?”",
            ),
            (
                route("1", Route::End),
                &["- PASS: CONTINUE"],
                &["- PASS: COMPLETE"],
                "“Make it” does not lead to “Shall it stay?”",
            ),
            // It ends there already.
            (route("4", Route::End), &[], &[], ""),
            (
                route("1", by(vec![to("PASS", "3"), to("FAIL", "4")], None)),
                &["- PASS: CONTINUE", "- FAIL: GOTO TakeBack"],
                &["- PASS: GOTO 3", "- FAIL: GOTO 4"],
                "“Make it” does not lead to “Shall it stay?”",
            ),
            // Every other outcome goes elsewhere, or ends it.
            (
                route("1", by(vec![to("PASS", "2")], Some("4"))),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: GOTO 4"],
                "“Make it” does not lead to “TakeBack”",
            ),
            (
                route("1", by(vec![to("PASS", "2")], None)),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: STOP"],
                "“Make it” does not lead to “TakeBack”",
            ),
        ],
    );
    assert!(refused(CHANGE, route("1", by(vec![to("PASS", "3"), to("YES", "4")], None))).contains("two steps"));
    assert!(refused(CHANGE, route("1", by(vec![to("GOOD", "3")], None))).contains("PASS or FAIL"));
    let targets = vec!["2".into(), "3".into()];
    assert!(refused(CHANGE, route("1", Route::Fork { targets, join: None })).contains("one after the other"));
}

#[test]
fn a_line_that_is_cut_leaves_what_holds_without_it() {
    hold(
        CHANGE,
        vec![
            (
                cut("1", "2", Some("PASS")),
                &["- PASS: CONTINUE"],
                &["- PASS: COMPLETE"],
                "the runbook is complete when “Make it” passes",
            ),
            (
                cut("1", "TakeBack", Some("FAIL")),
                &["- FAIL: GOTO TakeBack"],
                &["- FAIL: STOP"],
                "the runbook stops when “Make it” fails",
            ),
            (
                cut("2", "4", None),
                &["- YES: GOTO 4"],
                &["- YES: CONTINUE"],
                "when “Shall it stay?” passes, “Look” comes next",
            ),
            (
                cut("TakeBack", "4", Some("PASS")),
                &["- PASS: GOTO 4"],
                &["- PASS: COMPLETE"],
                "the runbook is complete when",
            ),
            (
                cut("TakeBack", "4", Some("FAIL")),
                &["- FAIL: GOTO 4"],
                &["- FAIL: STOP"],
                "the runbook stops when",
            ),
            // Of one transition the way back, or what comes after it.
            (
                cut("3", "3.1", None),
                &["- FAIL ANY: RETRY 2 GOTO TakeBack"],
                &["- FAIL ANY: GOTO TakeBack"],
                "",
            ),
            (
                cut("3", "TakeBack", Some("FAIL ANY")),
                &["- FAIL ANY: RETRY 2 GOTO TakeBack"],
                &["- FAIL ANY: RETRY 2 STOP"],
                "the runbook stops when “Look” fails",
            ),
            // The step around it decides then.
            (
                cut("3.2", "4", Some("FAIL")),
                &["- FAIL: GOTO 4"],
                &[],
                "when “There” fails, “Look” decides what follows",
            ),
        ],
    );
    let retries = "## 1 A\n\nx\n\n- PASS: RETRY \"no\"\n- FAIL: RETRY 2\n";
    hold(
        retries,
        vec![
            (
                cut("1", "1", Some("PASS ↻ 1")),
                &["- PASS: RETRY \"no\""],
                &["- PASS: STOP \"no\""],
                "",
            ),
            (
                cut("1", "1", Some("FAIL ↻ 2")),
                &["- FAIL: RETRY 2"],
                &["- FAIL: STOP"],
                "",
            ),
        ],
    );
    assert!(refused(CHANGE, cut("3.1", "3.2", None)).contains("comes next"));
    assert!(refused(CHANGE, cut("TakeBack", "4", None)).contains("nothing says which one is meant"));
    assert!(refused(CHANGE, cut("1", "2", Some("FAIL"))).contains("is called “FAIL”"));
    assert!(refused(CHANGE, cut("1", "4", None)).starts_with("no line leads from “"));
}

#[test]
fn a_box_has_the_lines_of_what_is_in_it() {
    // `3` is drawn as one box; the line to `4` for a failure is that of `3.2`.
    hold(
        CHANGE,
        vec![(
            cut("3", "4", Some("FAIL")),
            &["- FAIL: GOTO 4"],
            &[],
            "when “There” fails",
        )],
    );
    // Nothing of what happens inside of it is a line of the box to itself.
    let inside = "## 1 A\n\n### 1.1 B\n\nx\n\n- PASS: CONTINUE\n\n### 1.2 C\n\ny\n";
    assert_eq!(
        refused(inside, cut("1", "1", Some("PASS"))),
        "no line leads from “A” to “A”"
    );
}

#[test]
fn a_template_that_leads_back_to_itself_begins_its_next_round() {
    let round = "what “For each” says of its steps does not count any more when “Look” passes, and “For each” begins its next round each time “Look” passes";
    hold(
        EACH,
        vec![
            (line("{N}.2", "{N}"), &[], &["- PASS: GOTO NEXT {N}"], round),
            (line("{N}.1", "{N}.2"), &[], &[], ""),
            (line("Mend", "{N}"), &[], &[], ""),
            (
                drawn("{N}.2", "{N}.1", on("FAIL")),
                &[],
                &["- FAIL: GOTO {N}.1"],
                "what “For each” says",
            ),
            (
                cut("Mend", "{N}.1", None),
                &["- PASS: GOTO {N}"],
                &["- PASS: COMPLETE"],
                "the runbook is complete",
            ),
        ],
    );
    assert!(refused(EACH, line("Mend", "{N}.2")).contains("lead to “For each”"));
    let items = "## 1 Items\n\n### 1.{n} Item\n\nx\n\n## 2 End\n\ny\n";
    hold(
        items,
        vec![
            (
                line("1.{n}", "1.{n}"),
                &[],
                &["- PASS: GOTO NEXT 1.{n}"],
                "“Item” does not lead to “End”",
            ),
            (
                line("1", "1"),
                &[],
                &["- FAIL: RETRY 1"],
                "“Items” is tried again when it fails, once, and “Item” stops the runbook",
            ),
        ],
    );
    assert!(refused(items, line("2", "1.{n}")).contains("lead to “Items”"));
    // A bare NEXT says the same.
    let bare = EACH.replace("Look at it.", "- PASS: GOTO NEXT\n\nLook at it.");
    hold(&bare, vec![(line("{N}.2", "{N}"), &[], &[], "")]);
}

#[test]
fn the_form_of_a_file_is_kept() {
    for (old, to, new) in [
        ("* **PASS**: COMPLETE done", "3", "* **PASS**: GOTO 3"),
        ("1. PASS ANY → GOTO 2", "3", "1. PASS ANY → GOTO 3"),
        ("- PASS STOP", "3", "- PASS GOTO 3"),
        ("PASS: RETRY 2 \"no\"", "3", "PASS: RETRY 2 GOTO 3"),
        ("- PASS: RETRY", "3", "- PASS: RETRY GOTO 3"),
    ] {
        for ends in ["\n", "\r\n"] {
            let text = format!("## 1 A\n\nx\n\n{old}\n\n## 2 B\n\ny\n\n## 3 C\n\nz\n").replace('\n', ends);
            let (changed, _) = after(&text, line("1", to)).unwrap_or_else(|why| panic!("{old}: {why}"));
            assert_eq!(changed, text.replace(old, new));
        }
    }
    // What cannot be read is not written beside.
    let broken = "## 1 A\n\nx\n\n- PASS SOME: STOP\n\n## 2 B\n\ny\n\n## 3 C\n\nz\n";
    assert!(refused(broken, line("1", "3")).contains("mend it"));
}

#[test]
fn a_new_step_on_the_way_of_a_jump_is_reached_by_it_and_leads_on() {
    let outside = "the new step stands outside of the order, as `AskFirst`";
    let (gone, new, said) = lines(CHANGE, between("1", "TakeBack", Some("FAIL"), ""));
    assert_eq!(gone, ["- FAIL: GOTO TakeBack"]);
    assert!(new.contains(&"- FAIL: GOTO AskFirst".to_owned()));
    assert!(new.contains(&"## AskFirst Ask first".to_owned()) && new.contains(&"- PASS: GOTO TakeBack".to_owned()));
    assert!(said.starts_with(outside), "{said}");
    // Of two lines the one that was meant; what is tried again before is tried again.
    let (changed, _) = after(CHANGE, between("TakeBack", "4", Some("FAIL"), "command")).expect("made");
    assert!(
        changed.contains("- PASS: GOTO 4\n- FAIL: GOTO AskFirst\n\n## AskFirst Ask first\n\n```bash\n"),
        "{changed}"
    );
    let (changed, _) = after(CHANGE, between("3", "TakeBack", Some("FAIL ANY"), "")).expect("made");
    assert!(changed.contains("- FAIL ANY: RETRY 2 GOTO AskFirst"), "{changed}");
    // A named step on the way of what comes next.
    let (changed, said) = after(CHANGE, between("1", "2", Some("PASS"), "named")).expect("made");
    assert!(
        changed.contains("- PASS: GOTO AskFirst") && changed.ends_with("- PASS: GOTO 2\n- FAIL: STOP\n"),
        "{changed}"
    );
    assert!(said.is_empty(), "{said:?}");
    // What goes on counting does so from outside too.
    let each = EACH.replace("Look at it.", "- PASS: GOTO NEXT\n\nLook at it.");
    let (changed, _) = after(&each, between("{N}.2", "{N}.1", None, "")).expect("made");
    assert!(
        changed.contains("- PASS: GOTO AskFirst\n\nLook") && changed.contains("- PASS: GOTO NEXT {N}\n"),
        "{changed}"
    );
    let why = refused(CHANGE, between("3", "3.1", None, ""));
    assert!(why.contains("before or behind it"), "{why}");
    // Every title makes a name.
    for (title, name) in [
        ("Über uns", "BerUns"),
        ("2nd look", "Step2ndLook"),
        ("STOP", "STOP2"),
        ("¿?", "Step"),
    ] {
        let at = Spot::Between {
            from: "1".into(),
            to: "TakeBack".into(),
            label: None,
        };
        let step = NewStep {
            name: Some(title.to_owned()),
            ..NewStep::default()
        };
        let (changed, _) = after(CHANGE, FlowEdit::Add { step, at }).unwrap_or_else(|why| panic!("{title}: {why}"));
        assert!(changed.contains(&format!("## {name} {title}\n")), "{changed}");
    }
}

#[test]
fn a_new_step_on_the_way_of_the_order_is_counted() {
    // From a substep out of its step: the new one stands between the two steps.
    let text = "## 1 A\n\n### 1.1 B\n\nx\n\n## 2 C\n\n### 2.1 D\n\ny\n";
    let (changed, _) = after(text, between("1.1", "2.1", None, "")).expect("made");
    assert!(
        changed.contains("x\n\n## 2 Ask first") && changed.contains("### 3.1 D"),
        "{changed}"
    );
    // A named substep has its turn as the others have.
    let text = "## 1 A\n\n### 1.1 B\n\nx\n\n### 1.Look\n\nz\n\n### 1.2 C\n\ny\n";
    let (changed, _) = after(text, between("1.Look", "1.2", None, "")).expect("made");
    assert!(
        changed.contains("z\n\n### 1.2 Ask first") && changed.contains("### 1.3 C"),
        "{changed}"
    );
    // Both outcomes lead there: said.
    let both = "## 1 A\n\nx\n\n- PASS: CONTINUE\n- FAIL: CONTINUE\n\n## 2 B\n\ny\n";
    let (_, said) = after(both, between("1", "2", Some("PASS"), "")).expect("made");
    assert_eq!(said, ["“A” leads to the new step when it fails, too"]);
}

#[test]
fn what_followed_a_step_follows_the_new_one_behind_it() {
    let behind = |step: &str| added("", Spot::After { step: step.into() });
    let (changed, _) = after(CHANGE, behind("2")).expect("made");
    let here = "- YES: CONTINUE\n- NO: STOP \"Not now.\"\n\n## 3 Ask first\n\nAsk first\n\n- PASS: GOTO 5\n";
    assert!(changed.contains(here), "{changed}");
    // Where a step stands that a jump alone reaches means nothing: a jump leads to the new one.
    let (changed, _) = after(CHANGE, behind("TakeBack")).expect("made");
    assert!(
        changed.contains("- PASS: GOTO AskFirst\n- FAIL: GOTO 4\n\n## AskFirst"),
        "{changed}"
    );
    assert!(changed.ends_with("- PASS: GOTO 4\n- FAIL: STOP\n"), "{changed}");
}

#[test]
fn what_is_offered_is_what_is_done() {
    let document = Document::parse("a.runbook.md", CHANGE);
    let offered = document.gestures();
    let done = |edit: FlowEdit| document.gesture(&edit.into()).is_ok_and(|edits| !edits.is_empty());
    let fork = Route::Fork {
        targets: vec!["2".into(), "4".into()],
        join: None,
    };
    let gate = FlowEdit::Gate {
        step: "1".into(),
        gate: None,
    };
    assert_eq!(offered.next, done(line("1", "4")));
    assert_eq!(offered.loops, done(line("1", "1")));
    assert_eq!(offered.branches, done(drawn("1", "4", on("FAIL"))));
    assert_eq!(offered.waits, done(drawn("1", "4", Some(Way::Waits))));
    assert_eq!(
        offered.forks,
        done(route("1", fork)) || done(drawn("1", "4", Some(Way::Beside)))
    );
    assert_eq!(offered.rejections, done(drawn("1", "4", Some(Way::Rejected))));
    assert_eq!(offered.gates, done(gate));
    assert_eq!(offered.inside, done(added("", Spot::Inside { step: "3".into() })));
    assert_eq!(offered.steps, done(added("", Spot::End)));
}

#[test]
fn a_new_name_is_followed_everywhere_in_the_front_matter() {
    let front = "agents: {TakeBack: ann}\nscenarios:\n  back:\n    steps:\n      TakeBack: {outcome: pass}\n    expect: {path: [1, TakeBack, '4']}\n";
    let text = format!("---\n{front}---\n\n{CHANGE}");
    let edit = Edit::Set {
        place: Place::step(6).field("id"),
        value: "Undo".into(),
    };
    let (changed, _) = after(&text, edit).expect("renamed");
    assert_eq!(changed, text.replace("TakeBack", "Undo"));
}

#[test]
fn what_jumped_to_a_step_that_goes_jumps_to_where_that_led() {
    // The way is what it was before the step was put on it.
    let at = between("1", "TakeBack", Some("FAIL"), "");
    let (with, _) = after(CHANGE, at).expect("made");
    let last = Document::parse("a.runbook.md", &with).workflow().steps().len() - 1;
    assert_eq!(removed(&with, last).0, CHANGE);
    // Where it led nowhere else, what jumps to it has to be led elsewhere first.
    let ends = CHANGE.replace("- PASS: GOTO 4\n- FAIL: GOTO 4", "- PASS: STOP");
    let edit = Edit::Remove { place: Place::step(6) };
    assert!(after(&ends, edit).is_err_and(|why| why.contains("lead it elsewhere first")));
    // A way back to whoever jumped would have no end.
    let back = CHANGE.replace("- PASS: GOTO 4\n- FAIL: GOTO 4", "- PASS: GOTO 1");
    let edit = Edit::Remove { place: Place::step(6) };
    assert!(after(&back, edit).is_err_and(|why| why.contains("jumps to itself")));
}

/// A line that is drawn follows one of the two outcomes: which is chosen, what follows of each is said.
#[test]
fn a_line_that_is_drawn_follows_the_outcome_that_is_chosen() {
    let text = runbook("", &["1", "2", "3"]);
    let drawn = Document::parse("a.runbook.md", &text).drawn(&"2".into(), &"1".into());
    let labels: Vec<&str> = drawn.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["If it goes well", "If it fails"]);
    let draw = |n: usize| FlowEdit::Connect {
        from: "2".into(),
        to: "1".into(),
        way: Some(drawn[n].way.clone()),
    };
    let (gone, come, said) = lines(&text, draw(0));
    assert_eq!(
        (gone, come),
        (vec!["- PASS: CONTINUE".to_owned()], vec!["- PASS: GOTO 1".to_owned()])
    );
    assert!(
        said.starts_with("“Do 2” does not lead to “Do 3” any more when it passes"),
        "{said}"
    );
    let (gone, come, said) = lines(&text, draw(1));
    assert_eq!(
        (gone, come),
        (vec!["- FAIL: STOP".to_owned()], vec!["- FAIL: GOTO 1".to_owned()])
    );
    assert!(!said.contains("passes"), "{said}");
}

const LEVELS: &str = "---
agents:
  \"1.1\": x
  \"2\": y
---

# A

## 1 Build

### 1.1 Compile

Text of 1.1.

- PASS: CONTINUE
- FAIL: GOTO 2

### 1.2 Link

Text of 1.2.

- PASS: CONTINUE
- FAIL: GOTO 1.1

## 2 Test

Text of 2.

- PASS: CONTINUE
- FAIL: RETRY 1 GOTO 1.1

## 3 Ship

Text of 3.

- PASS: COMPLETE
- FAIL: GOTO 2
";

/// The lines that say where something leads, or whose it is.
fn leading(text: &str) -> Vec<&str> {
    let says = |line: &&str| line.starts_with('#') || line.contains("GOTO") || line.contains("\": ");
    text.lines().map(str::trim).filter(says).collect()
}

#[test]
fn a_step_on_another_level_is_followed_by_what_leads_to_it() {
    let level = |step: &str, deeper| FlowEdit::Level {
        step: step.into(),
        deeper,
    };
    let (inside, said) = after(LEVELS, level("2", true)).expect("put into 1");
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(
        leading(&inside),
        [
            "\"1.1\": x",
            "\"1.3\": y",
            "# A",
            "## 1 Build",
            "### 1.1 Compile",
            "- FAIL: GOTO 1.3",
            "### 1.2 Link",
            "- FAIL: GOTO 1.1",
            "### 1.3 Test",
            "- FAIL: RETRY 1 GOTO 1.1",
            "## 2 Ship",
            "- FAIL: GOTO 1.3",
        ]
    );
    // And out again: the very bytes.
    let (again, _) = after(&inside, level("1.3", false)).expect("put behind 1");
    assert_eq!(again, LEVELS);

    let (out, _) = after(LEVELS, level("1.1", false)).expect("put behind 1");
    assert_eq!(
        leading(&out),
        [
            "\"2\": x",
            "\"3\": y",
            "# A",
            "## 1 Build",
            "### 1.1 Link",
            "- FAIL: GOTO 2",
            "## 2 Compile",
            "- FAIL: GOTO 3",
            "## 3 Test",
            "- FAIL: RETRY 1 GOTO 2",
            "## 4 Ship",
            "- FAIL: GOTO 3",
        ]
    );
    assert_eq!(order(&out), ["1.2", "1.1", "2", "3"]);
    let made = Document::parse("a.runbook.md", LEVELS).make(&[level("1.1", false).into()]);
    let renamed = made.expect("made").renamed;
    let now = |id: &str| {
        renamed
            .iter()
            .find(|(old, _)| old.as_str() == id)
            .map(|(_, new)| new.clone())
    };
    assert_eq!(now("1.1"), Some(Some("2".into())), "scenarios follow");

    for (step, deeper, why) in [
        ("1", true, "no step before"),
        ("1", false, "outermost level"),
        ("1.2", true, "holds no other steps"),
    ] {
        let refused = after(LEVELS, level(step, deeper)).expect_err(step);
        assert!(refused.contains(why), "{refused}");
    }
}
