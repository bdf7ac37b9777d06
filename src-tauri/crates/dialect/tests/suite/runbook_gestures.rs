//! Gestures on runbooks: where a step stands is counted among all of its level, a step that goes leaves nothing in the front matter,
//! and a line from step to step is the action of one transition.

use crate::untouched::touched;
use dialect::{Document, apply, invert};
use model::{Edit, FlowEdit, FormControl, Gesture, NewStep, Place, Route, Severity, Spot, Way};

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
    assert_eq!(said, ["what the head of the file says of “Do 3” goes with it"]);
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
    let to_be_written = |text: &str| {
        let found = Document::parse("a.runbook.md", text);
        let mut all = found.diagnostics().iter();
        all.any(|one| one.code == "GH0502" && one.message.contains("still to be written"))
    };
    // What nobody has written is named, until somebody does.
    assert!(
        to_be_written(&changed) && to_be_written(&changed.replace('\n', "\r\n")),
        "{changed}"
    );
    assert!(!to_be_written(CHANGE) && !to_be_written(&changed.replace("exit 1", "make check\nexit 1")));
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
    assert!(after(&ends, edit).is_err_and(|why| why.contains("lead them elsewhere first")));
    // A way back to whoever jumped would have no end.
    let back = CHANGE.replace("- PASS: GOTO 4\n- FAIL: GOTO 4", "- PASS: GOTO 1");
    let edit = Edit::Remove { place: Place::step(6) };
    assert!(after(&back, edit).is_err_and(|why| why.contains("jumps to itself")));
}

/// A choice below its outcome does not say the outcome again, and what is not written says which one it is for.
#[test]
fn what_follows_an_outcome_is_said_once() {
    let text = "## 1 Look\n\nLook.\n\n- PASS: CONTINUE\n\n## 2 Tell\n\nTell.\n";
    let form = Document::parse("a.runbook.md", text).form(Some(0)).expect("a form");
    let options: Vec<(&str, &str)> = form
        .fields
        .iter()
        .filter_map(|field| match &field.control {
            FormControl::Transition { options } => Some((field.label.as_str(), options.first()?.label.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(options[0], ("If it goes well", "go on to the next step"));
    assert_eq!(options[1].1, "If it fails: go on to the next step");
}

/// Of a line that is not written nothing else holds in its place: where both outcomes have one, none goes on by itself.
#[test]
fn beside_the_lines_that_are_written_no_other_one_is_said_to_hold() {
    let text = "## 1 Look\n\nLook.\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let form = Document::parse("a.runbook.md", text).form(Some(0)).expect("a form");
    let lines = form.fields.iter().filter(|field| field.name == "transitions");
    assert!(lines.clone().count() == 3 && lines.clone().all(|field| field.default.is_null()));
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

fn leveled(text: &str, step: &str, deeper: bool) -> Result<(String, Vec<String>), String> {
    let step = step.into();
    after(text, FlowEdit::Level { step, deeper })
}

/// A text with some pieces of it replaced, each of which stands in it once.
fn with(text: &str, pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(text.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}\n{text}");
        text.replace(old, new)
    })
}

const SAID_NOTHING: [&str; 0] = [];

#[test]
fn a_step_on_another_level_is_followed_by_what_leads_to_it() {
    let (inside, said) = leveled(LEVELS, "2", true).expect("put into 1");
    assert_eq!(said, SAID_NOTHING);
    let wanted = with(
        LEVELS,
        &[
            ("\"2\": y", "\"1.3\": y"),
            (
                "Text of 1.1.\n\n- PASS: CONTINUE\n- FAIL: GOTO 2",
                "Text of 1.1.\n\n- PASS: CONTINUE\n- FAIL: GOTO 1.3",
            ),
            ("## 2 Test", "### 1.3 Test"),
            ("## 3 Ship", "## 2 Ship"),
            ("- PASS: COMPLETE\n- FAIL: GOTO 2", "- PASS: COMPLETE\n- FAIL: GOTO 1.3"),
        ],
    );
    assert_eq!(inside, wanted);
    // And out again: the very bytes.
    let (again, said) = leveled(&inside, "1.3", false).expect("put behind 1");
    assert_eq!((again.as_str(), said.as_slice()), (LEVELS, [].as_slice()));

    let (out, said) = leveled(LEVELS, "1.1", false).expect("put behind 1");
    assert_eq!(said, SAID_NOTHING);
    let compile = "### 1.1 Compile\n\nText of 1.1.\n\n- PASS: CONTINUE\n- FAIL: GOTO 2\n\n";
    let wanted = with(
        LEVELS,
        &[
            ("\"1.1\": x\n  \"2\": y", "\"2\": x\n  \"3\": y"),
            (compile, ""),
            ("### 1.2 Link", "### 1.1 Link"),
            ("- PASS: CONTINUE\n- FAIL: GOTO 1.1", "- PASS: CONTINUE\n- FAIL: GOTO 2"),
            (
                "## 2 Test",
                "## 2 Compile\n\nText of 1.1.\n\n- PASS: CONTINUE\n- FAIL: GOTO 3\n\n## 3 Test",
            ),
            ("RETRY 1 GOTO 1.1", "RETRY 1 GOTO 2"),
            ("## 3 Ship", "## 4 Ship"),
            ("- PASS: COMPLETE\n- FAIL: GOTO 2", "- PASS: COMPLETE\n- FAIL: GOTO 3"),
        ],
    );
    assert_eq!(out, wanted);
    let level = FlowEdit::Level {
        step: "1.1".into(),
        deeper: false,
    };
    let made = Document::parse("a.runbook.md", LEVELS).make(&[level.into()]);
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
        let refused = leveled(LEVELS, step, deeper).expect_err(step);
        assert!(refused.contains(why), "{refused}");
    }
}

/// A phase whose last step ends the run, and a step that leads out of the order.
const ENDS: &str = "# A\n\n## 1 Build\n\n### 1.1 Compile\n\nx\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n### 1.2 Link\n\ny\n\n- PASS: COMPLETE \"built\"\n- FAIL: STOP\n\n## 2 Test\n\nz\n\n- PASS: GOTO Recover\n- FAIL: STOP\n\n## 3 Ship\n\nw\n\n- PASS: COMPLETE\n- FAIL: GOTO 2\n\n## Recover\n\nr\n\n- PASS: GOTO 3\n- FAIL: STOP\n";

#[test]
fn a_step_on_another_level_keeps_what_it_says() {
    let inside = [
        ("## 2 Test", "### 1.3 Test"),
        ("## 3 Ship", "## 2 Ship"),
        ("FAIL: GOTO 2", "FAIL: GOTO 1.3"),
        ("PASS: GOTO 3", "PASS: GOTO 2"),
    ];
    assert_eq!(
        leveled(ENDS, "2", true),
        Ok((with(ENDS, &inside), Vec::new())),
        "what the one before it says stays as well"
    );
    let plain = with(ENDS, &[("PASS: GOTO Recover", "PASS: CONTINUE")]);
    let (changed, said) = leveled(&plain, "2", true).expect("made");
    assert_eq!((changed, said), (with(&plain, &inside), Vec::new()));
    // Out of a step that leads elsewhere: nothing is written over it, and what comes of that is said.
    let decides = with(
        ENDS,
        &[("## 1 Build\n", "## 1 Build\n\nPhase.\n\n- PASS: GOTO 3\n- FAIL: STOP\n")],
    );
    let (changed, said) = leveled(&decides, "1.2", false).expect("made");
    let wanted = with(
        &decides,
        &[
            ("### 1.2 Link", "## 2 Link"),
            ("## 2 Test", "## 3 Test"),
            ("## 3 Ship", "## 4 Ship"),
            ("FAIL: GOTO 2", "FAIL: GOTO 3"),
            ("Phase.\n\n- PASS: GOTO 3", "Phase.\n\n- PASS: GOTO 4"),
            ("r\n\n- PASS: GOTO 3", "r\n\n- PASS: GOTO 4"),
        ],
    );
    assert_eq!(changed, wanted);
    assert_eq!(said, ["nothing leads to “Link” any more"]);
}

#[test]
fn a_step_that_says_nothing_takes_over_what_the_one_around_it_said() {
    let text = with(
        ENDS,
        &[
            (
                "## 1 Build\n",
                "## 1 Build\n\nPhase.\n\n- PASS: GOTO 3\n- FAIL: GOTO Recover\n",
            ),
            ("y\n\n- PASS: COMPLETE \"built\"\n- FAIL: STOP\n", "y\n"),
        ],
    );
    let (changed, said) = leveled(&text, "1.2", false).expect("made");
    let wanted = with(
        &text,
        &[
            ("Phase.\n\n- PASS: GOTO 3", "Phase.\n\n- PASS: CONTINUE"),
            ("### 1.2 Link\n\ny\n", "## 2 Link\n\ny\n\n- PASS: GOTO 4\n"),
            ("## 2 Test", "## 3 Test"),
            ("## 3 Ship", "## 4 Ship"),
            ("FAIL: GOTO 2", "FAIL: GOTO 3"),
            ("r\n\n- PASS: GOTO 3", "r\n\n- PASS: GOTO 4"),
        ],
    );
    assert_eq!(changed, wanted);
    assert_eq!(
        said,
        [
            "“Link” says `GOTO 4` now of what follows when it passes, in place of “Build”, which goes on to it, and the runbook stops when “Link” fails"
        ]
    );
}

#[test]
fn a_step_stays_where_it_would_come_into_or_out_of_the_order() {
    let named = "## 1 A\n\nx\n\n- PASS: CONTINUE\n- FAIL: GOTO Mend\n\n## Mend\n\n### Mend.1 B\n\nm\n\n- PASS: GOTO 2\n- FAIL: STOP\n\n## 2 C\n\ny\n\n- PASS: COMPLETE\n- FAIL: STOP\n\n### 2.Fix D\n\nz\n\n- PASS: GOTO 1\n- FAIL: STOP\n";
    let alone = with(named, &[("\n### 2.Fix D\n\nz\n\n- PASS: GOTO 1\n- FAIL: STOP\n", "")]);
    for (text, step, deeper, why) in [
        (alone.as_str(), "2", true, "stands outside of the order"),
        (named, "Mend", true, "a named step"),
        (named, "Mend", false, "a named step"),
        (named, "Mend.1", false, "stands outside of the order"),
        (named, "2.Fix", false, "a named step"),
    ] {
        let refused = leveled(text, step, deeper).expect_err(step);
        assert!(refused.contains(why), "{step}: {refused}");
    }
}

#[test]
fn what_is_asked_no_more_or_asked_again_is_said() {
    let text = runbook("agents: {1: ann}\n", &["1", "2", "3"]);
    let (inside, said) = leveled(&text, "2", true).expect("made");
    assert_eq!(
        said,
        [
            "when “Do 2” passes, “Do 1” decides what follows, and nobody is asked about “Do 1” itself any more: “Do 2” is done in its place, and “Do 2” is done by ann"
        ]
    );
    let wanted = with(&text, &[("## 2. Do 2", "### 1.1 Do 2"), ("## 3. Do 3", "## 2. Do 3")]);
    assert_eq!(inside, wanted);
    let (again, said) = leveled(&inside, "1.1", false).expect("made");
    assert_eq!(again, text);
    assert!(
        said[0].contains("“Do 1” holds no step any more and is done itself"),
        "{said:?}"
    );
    assert!(said[0].contains("“Do 2” is not done by ann any more"), "{said:?}");
    // A command is no text that may stand above steps.
    let command = with(&text, &[("Text of 1.", "```bash\nmake\n```")]);
    assert!(leveled(&command, "2", true).is_err_and(|why| why.contains("one kind of body")));
}

/// Comments directly above a heading are its own; what divides the sections stays.
#[test]
fn comments_above_a_step_go_with_it() {
    let text_of = |text: &str, gesture: Gesture| {
        let made = Document::parse("a.runbook.md", text).make(&[gesture]).expect("made");
        assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
        made.document.text().to_owned()
    };
    let leveled = |text: &str, step: &str, deeper| {
        let step = step.into();
        text_of(text, FlowEdit::Level { step, deeper }.into())
    };
    let one = "<!-- about one -->\n### 1.1 One\n\na\n";
    let two = "<!-- about\ntwo -->\n<!-- and more -->\n### 1.2 Two\n\nb\n\n- PASS: CONTINUE\n- FAIL: STOP\n";
    let text = format!(
        "# A\n\n## 1 Build\n\n{one}\n{two}<!-- about test -->\n## 2 Test\n\nc\n\n<!-- loose -->\n\n## 3 Ship\n\nd\n"
    );
    let out = leveled(&text, "1.1", false);
    let wanted = format!(
        "# A\n\n## 1 Build\n\n{}<!-- about one -->\n## 2 One\n\na\n<!-- about test -->\n## 3 Test\n\nc\n\n<!-- loose -->\n\n## 4 Ship\n\nd\n",
        two.replace("1.2", "1.1")
    );
    assert_eq!(out, wanted);
    let inside = leveled(&text, "2", true);
    assert_eq!(
        inside,
        with(&text, &[("## 2 Test", "### 1.3 Test"), ("## 3 Ship", "## 2 Ship")])
    );
    // With other line ends, and in a row that another step leaves.
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(leveled(&crlf, "1.1", false), wanted.replace('\n', "\r\n"));
    let first = Edit::Move {
        place: Place::step(2),
        to: 0,
    };
    let up = text_of(&text, first.into());
    let wanted = format!(
        "# A\n\n## 1 Build\n\n{}\n{}\n<!-- about test -->",
        two.replace("1.2", "1.1"),
        one.replace("1.1", "1.2")
    );
    assert!(up.starts_with(&wanted), "{up}");
    let remove = Edit::Remove { place: Place::step(1) };
    assert_eq!(
        text_of(&text, remove.into()),
        text.replace(&format!("{one}\n"), "").replace("1.2", "1.1")
    );
    // What is added stands above the comment of the one behind it.
    let added = text_of(&text, added("", Spot::After { step: "1.2".into() }).into());
    assert!(added.contains("- FAIL: STOP\n### 1.3 Ask first\n"), "{added}");
    assert!(
        added.contains("- FAIL: STOP\n<!-- about test -->\n## 2 Test"),
        "{added}"
    );
}

#[test]
fn a_name_that_says_what_follows_is_no_task() {
    let text = runbook("", &["1", "2"]);
    let body = |name: &str| {
        let mut add = added("", Spot::End);
        if let FlowEdit::Add { step, .. } = &mut add {
            step.name = Some(name.to_owned());
        }
        let (changed, _) = after(&text, add).unwrap_or_else(|why| panic!("{name}: {why}"));
        let (_, behind) = changed.split_once("\n## 3").expect("a third step");
        behind.split("\n\n").nth(1).unwrap_or_default().to_owned()
    };
    for name in ["Ask first", "PASS the salt", "Ask: who pays?"] {
        assert_eq!(body(name), name);
    }
    for name in [
        "PASS: STOP",
        "YES: CONTINUE",
        "FAIL ALL: GOTO 1",
        "*Ask*",
        "# Ask",
        "- Ask",
    ] {
        assert_eq!(body(name), "Say here what is to be done.", "{name}");
    }
}

/// A step with substeps does something else than its list of runbooks says; what is written there is proved all the same.
#[test]
fn a_runbook_of_a_step_with_substeps_is_written_as_one_or_not_at_all() {
    let text = "## 1. A\n\n- a.runbook.md\n\n### 1.1 B\n\nText.\n";
    let place = Place::step(0).field("files").field("0");
    let set = |value: &str| Edit::Set {
        place: place.clone(),
        value: value.into(),
    };
    let (changed, _) = after(text, set("b.runbook.md")).expect("it can be changed");
    assert_eq!(changed, text.replace("a.runbook.md", "b.runbook.md"));
    for other in ["FAIL: STOP", "b.runbook.md\n===", "no runbook"] {
        let made = after(text, set(other));
        assert!(made.is_err(), "{other}: {made:?}");
    }
}

/// What goes with a step that is deleted is said before: what a person decides there, and what nothing leads to any more.
#[test]
fn what_a_deleted_step_takes_with_it_is_said() {
    let (_, said) = removed(CHANGE, 1);
    assert!(
        said.iter()
            .any(|one| one == "with “Shall it stay?” goes what a person decides there"),
        "{said:?}"
    );
    let (_, said) = removed(CHANGE, 0);
    assert!(!said.iter().any(|one| one.contains("decides")), "{said:?}");
    let jumps = "## 1 Look\n\nLook.\n\n- PASS: CONTINUE\n- FAIL: GOTO Mend\n\n## 2 Tell\n\nTell.\n\n## Mend\n\nMend it.\n\n- PASS: GOTO 2\n";
    let (_, said) = removed(jumps, 0);
    assert_eq!(said, ["nothing leads to “Mend” any more"]);
    // Of several that jump there all are named.
    let twice = CHANGE.replace("- PASS: GOTO 4\n- FAIL: GOTO 4", "- PASS: STOP");
    let Err(why) = after(&twice, Edit::Remove { place: Place::step(6) }) else {
        panic!("it goes")
    };
    assert!(
        why.contains("jump to") && why.contains("lead them elsewhere first"),
        "{why}"
    );
}
