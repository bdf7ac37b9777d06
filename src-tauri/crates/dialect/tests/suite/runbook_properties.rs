//! Properties of runbooks: any text, any edit.

use crate::damaged::{self, in_guises};
use dialect::{Document, Made, StepField, TextEdit, apply, detect, invert, merge};
use model::{
    Action, Edit, FlowEdit, Gesture, Jump, NewStep, Place, Route, Routing, Severity, Spot, Step, StepId, Transition,
    Way, Work,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const BOOK: &str = "---\nname: release\ntags: [ops, 'web']\nagents:\n  2.1: ann # by mail\n  Recover: on-call\n---\n\n# Release\n\nBuilds, ships, tells.\n\n## 1. Build\n\nRun it.\n\n```bash\nmake\n```\n\n- PASS: CONTINUE\n- FAIL: RETRY 2 GOTO Recover\n\n## 2) Ship\n\n- PASS ALL: CONTINUE\n- FAIL ANY: GOTO Recover.1\n\n### 2.1 Push\nPush the image.\n\n```json\n{\"a\": 1}\n```\n* YES: CONTINUE\n* NO: STOP \"not pushed: why?\"\n\n### 2.Check — Look\n- smoke.runbook.md\n- [more](load.runbook.md)\n\n## 3 - Tell\n~~~sh prompt\nmail -s done\n~~~\n- **PASS**: COMPLETE done\n\n## Recover\n### Recover.1 Roll back\n<!-- slowly -->\n- PASS: GOTO 1\n- FAIL: STOP\n";

const LOOP: &str = "## {N}. For each customer\n- FAIL: GOTO Err\n\n### {N}.{n} Send\n- PASS: GOTO NEXT {N}.{n}\n- FAIL: RETRY 3 GOTO NEXT\n\nSend it.\n\n## Err Handle\n- PASS: GOTO {N}.{n}\n- FAIL: GOTO NEXT {N}\n\nMend it.\n";

/// The runbooks in the guises a file can have.
fn guises() -> impl Strategy<Value = String> {
    in_guises(any::<bool>().prop_map(|other| if other { LOOP } else { BOOK }))
}

const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "  ",
    "    ",
    "# ",
    "## ",
    "### ",
    "#### ",
    "## 1. A\n",
    "## 2 B\n",
    "## {N} C\n",
    "### 1.1 D\n",
    "### 1.{n} E\n",
    "### {N}.1 F\n",
    "## Name G\n",
    "### Name.1\n",
    "## STOP\n",
    "- PASS: CONTINUE\n",
    "- FAIL: RETRY 2 STOP\n",
    "* YES: GOTO 1\n",
    "1. NO: GOTO NEXT\n",
    "- PASS ALL: GOTO {N}.{n}\n",
    "- FAIL ANY: RETRY RETRY\n",
    "  RETRY\n",
    "PASS: STOP \"a\n",
    "- a.runbook.md\n",
    "- [b](c.runbook.md)\n",
    "```bash\n",
    "```\n",
    "~~~\n",
    "~~~sh prompt\n",
    "```json\n{}\n```\n",
    "---\n",
    "===\n",
    "<!--",
    "-->",
    "<b>",
    "> ",
    "| a |\n",
    "![",
    "](",
    "**",
    "__",
    "`",
    "\\",
    "[x]: y\n",
    "name: z\n",
    "agents:\n  1: ann\n",
    "\u{feff}",
    "é",
    "→",
    "\u{200b}",
    "\0",
    "{",
    "}",
    "GOTO",
    "PASSWORD",
    "NO",
];

/// Pieces of runbooks in any order.
fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// A runbook with a few pieces cut out, doubled or put in.
fn damaged() -> impl Strategy<Value = String> {
    damaged::damaged(guises(), PIECES, 0..12, 0..6)
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9 .:#*`{}_-]{0,30}",
        soup(),
        prop::sample::select(vec![
            "",
            "FAIL: STOP",
            "PASS ANY: RETRY 2 \"a b\"",
            "YES: GOTO Recover",
            "NO: GOTO NEXT",
            "x.runbook.md",
            "2",
            "Recover.1",
            "{N}.{n}",
            "Mend",
            "2.2",
            "make\n",
            "```\n```",
            "~~~~",
            "a\n\nb",
            "- a\n- b",
            "# x",
            "a\n---",
            "    code",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn places() -> impl Strategy<Value = Place> {
    let paths: Vec<&'static [&'static str]> = vec![
        &["title"],
        &["prompt"],
        &["command"],
        &["id"],
        &["transitions", "0"],
        &["transitions", "1"],
        &["transitions", "2"],
        &["transitions", "0", "target"],
        &["transitions", "1", "target"],
        &["files", "0"],
        &["files", "1"],
        &["files", "2"],
        &["heading"],
        &["human_gate"],
        &[],
    ];
    let on_steps = (0..7usize, prop::sample::select(paths))
        .prop_map(|(n, path)| Place::step(n).path(path.iter().map(|p| (*p).to_owned())));
    let document: Vec<&'static [&'static str]> = vec![
        &["title"],
        &["description"],
        &["name"],
        &["agents", "1"],
        &["agents", "2.1"],
        &["tags", "0"],
        &["author"],
    ];
    let on_document =
        prop::sample::select(document).prop_map(|p| Place::document().path(p.iter().map(|p| (*p).to_owned())));
    prop_oneof![5 => on_steps, 1 => on_document]
}

/// Everything that can be asked of a document, asked.
fn ask_everything(text: &str) {
    let document = Document::parse("x.runbook.md", text);
    assert_eq!(document.text(), text);
    let _ = detect("x.md", text);
    for diagnostic in document.diagnostics() {
        let span = document.span(&diagnostic.place).unwrap_or_default();
        assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
        let at = document.position(span.start);
        assert!(at.line >= 1 && at.column >= 1);
        let pages = model::rules::PAGES.iter().chain(dialect::PAGES);
        assert!(pages.into_iter().any(|page| page.code == diagnostic.code));
    }
    let steps = document.workflow().steps();
    for (n, step) in steps.iter().enumerate() {
        assert_eq!(step.ordinal, n);
        assert!(!step.id.as_str().is_empty() && !step.name.is_empty());
        assert!(matches!(step.routing, Routing::Transitions { .. }));
        if let Work::Command { language, .. } = &step.work {
            assert!(["bash", "sh", "shell"].contains(&language.as_str()));
        }
        for path in [
            &["title"][..],
            &["prompt"],
            &["command"],
            &["id"],
            &["transitions"],
            &["files"],
            &["heading"],
            &[],
        ] {
            let place = Place::step(n).path(path.iter().map(|p| (*p).to_owned()));
            let _ = document.value(&place);
            if let Some(span) = document.value_span(&place) {
                assert!(text.get(span.start..span.end).is_some());
            }
        }
        assert_eq!(document.field(n, StepField::HumanGate), None);
    }
    for offset in (0..=text.len()).step_by(5) {
        let place = document.place_at(offset);
        if let Some(span) = document.span(&place) {
            assert!(text.get(span.start..span.end).is_some());
        }
        assert!(place.step.is_none_or(|n| n < steps.len()));
    }
    for fix in document.diagnostics().iter().filter_map(|d| d.fix.as_ref()) {
        // A fix is refused or changes the text, and can be undone.
        if let Ok(edits) = document.edit(&fix.edit) {
            let changed = apply(text, &edits);
            assert_ne!(changed, text, "{fix:?}");
            assert_eq!(apply(&changed, &invert(text, &edits)), text);
        }
    }
}

/// A gesture on the lines of a runbook: by its kind, on steps by their positions.
fn on_lines(document: &Document, (kind, a, b, c): (u8, usize, usize, usize)) -> Option<Gesture> {
    let steps = document.workflow().steps();
    let step = |n: usize| -> Option<StepId> { Some(steps.get(n.checked_rem(steps.len())?)?.id.clone()) };
    let (from, to, other) = (step(a)?, step(b)?, step(c)?);
    let connect = |to: StepId, way: Option<Way>| FlowEdit::Connect {
        from: from.clone(),
        to,
        way,
    };
    let route = |to: Route| FlowEdit::Route { step: from.clone(), to };
    let value = |value: &str| {
        let value = value.to_owned();
        Some(Way::Value { field: None, value })
    };
    let most = u32::try_from(c).ok()?;
    let edit = match kind {
        0 | 1 => connect(to, None),
        2 => connect(to, value("FAIL")),
        3 => connect(to, value("yes")),
        4 => connect(
            from.clone(),
            Some(Way::Back {
                most: Some(most),
                until: None,
            }),
        ),
        5 => route(Route::Next { to }),
        6 => route(Route::End),
        7 => route(Route::Loop {
            back: from.clone(),
            most,
            field: None,
            values: vec!["PASS".to_owned()],
            next: Some(to),
        }),
        8 => route(Route::Branch {
            field: None,
            branches: vec![("PASS".to_owned(), to)],
            next: Some(other),
        }),
        _ => {
            let flows = document.workflow().flows();
            let (from, to, flow) = flows.get(a.checked_rem(flows.len())?)?;
            FlowEdit::Disconnect {
                from: from.id.clone(),
                to: to.id.clone(),
                label: flow.label.clone(),
            }
        }
    };
    Some(edit.into())
}

/// Whether a line is drawn from one step to another, or from what is in it; of a label where one is given.
fn is_drawn(document: &Document, from: &StepId, to: &StepId, label: Option<&str>) -> bool {
    let workflow = document.workflow();
    let to = workflow.step(to).map(|to| workflow.entered_at(to).ordinal);
    // Of two steps of one identifier a gesture means the first one: the line of the other one stays.
    let meant = workflow.step(from).map(|from| from.ordinal);
    workflow.flows().iter().any(|(a, b, flow)| {
        let leaves = Some(a.ordinal) == meant || label.is_none() && a.parent.as_ref() == Some(from);
        leaves && Some(b.ordinal) == to && (label.is_none() || flow.label.as_deref() == label)
    })
}

fn errors(document: &Document) -> usize {
    let found = document.diagnostics().iter();
    found.filter(|found| found.severity == Severity::Error).count()
}

/// Whether an outcome of a step, or of what is in it, leads to another one: the order of the file says no word of it.
fn leads(document: &Document, from: &StepId, to: &StepId, passed: bool) -> bool {
    let words = if passed { ["PASS", "YES"] } else { ["FAIL", "NO"] };
    let workflow = document.workflow();
    let to = workflow.step(to).map(|to| workflow.entered_at(to).ordinal);
    workflow.flows().iter().any(|(a, b, flow)| {
        let word = flow.label.as_deref().and_then(|label| label.split(' ').next());
        let is_of_it = word.map_or(passed, |word| words.contains(&word));
        is_of_it && (a.id == *from || a.parent.as_ref() == Some(from)) && Some(b.ordinal) == to
    })
}

/// What a step says for an outcome.
fn action(document: &Document, step: &StepId, passed: bool) -> Option<Action> {
    let step = document.workflow().step(step)?;
    let Routing::Transitions { transitions } = &step.routing else {
        return None;
    };
    let mut own = transitions.iter().filter(|transition| transition.passed == passed);
    Some(own.next()?.action.clone())
}

/// Whether what follows a step is what was asked for.
fn is_routed(document: &Document, step: &StepId, to: &Route) -> bool {
    match to {
        Route::Next { to } => leads(document, step, to, true),
        Route::End => match action(document, step, true) {
            Some(action) => matches!(action.last(), Action::Complete { .. } | Action::Stop { .. }),
            // Nothing stands behind it either.
            None => document
                .workflow()
                .flows()
                .iter()
                .all(|(a, _, flow)| document.workflow().step(step) != Some(*a) || flow.label.is_some()),
        },
        Route::Loop { most, next, .. } => {
            let tried = action(document, step, false);
            matches!(tried, Some(Action::Retry { times, .. }) if times == *most)
                && next.as_ref().is_none_or(|next| leads(document, step, next, true))
        }
        Route::Branch { branches, next, .. } => {
            let of = |passed: bool| {
                let words = if passed { ["PASS", "YES"] } else { ["FAIL", "NO"] };
                let named = branches.iter().find(|(word, _)| words.contains(&word.as_str()));
                named.map(|(_, to)| to).or(next.as_ref())
            };
            [true, false]
                .into_iter()
                .all(|passed| of(passed).is_none_or(|to| leads(document, step, to, passed)))
        }
        // Nothing runs beside anything here.
        Route::Fork { .. } => false,
    }
}

/// What no gesture on a line may leave: another error, another text of another step, a line that is not what was asked for.
fn only_the_line(before: &Document, after: &Document, gesture: &Gesture) -> Result<(), TestCaseError> {
    prop_assert!(errors(after) <= errors(before), "{gesture:?}\n{}", after.text());
    let Gesture::Flow(edit) = gesture else { return Ok(()) };
    let own = edit.step().cloned();
    let (old, new) = (before.workflow().steps(), after.workflow().steps());
    prop_assert_eq!(old.len(), new.len());
    for (old, new) in old.iter().zip(new) {
        let is_own = Some(&old.id) == own.as_ref();
        let bare = |step: &model::Step| model::Step {
            routing: Routing::Sequence,
            ..step.clone()
        };
        prop_assert_eq!(bare(old), bare(new), "{:?}\n{}", gesture, after.text());
        prop_assert!(is_own || old.routing == new.routing, "{gesture:?}\n{}", after.text());
        let place = Place::step(old.ordinal);
        prop_assert!(
            is_own || before.value(&place) == after.value(&place),
            "{gesture:?}\n{}",
            after.text()
        );
    }
    let holds = match edit {
        FlowEdit::Connect { from, to, .. } => is_drawn(after, from, to, None),
        FlowEdit::Disconnect { from, to, label } => !is_drawn(after, from, to, label.as_deref()),
        FlowEdit::Route { step, to } => is_routed(after, step, to),
        // None of them is a gesture on a line.
        FlowEdit::Add { .. } | FlowEdit::Duplicate { .. } | FlowEdit::Level { .. } | FlowEdit::Gate { .. } => false,
    };
    prop_assert!(holds, "{gesture:?}\n{}", after.text());
    Ok(())
}

/// Jumps forth and back, to a substep and out of one, to a name and in a retry.
const JUMPS: &str = "# Jumps\n\n## 1 A\n\na\n\n- PASS: GOTO 3\n- FAIL: GOTO 2.2\n\n## 2 B\n\n- PASS ALL: CONTINUE\n- FAIL ANY: GOTO 1\n\n### 2.1 C\n\nc\n\n- PASS: GOTO 2.2\n- FAIL: RETRY 2 GOTO 3\n\n### 2.2 D\n\nd\n\n- FAIL: GOTO Mend\n\n## 3 E\n\ne\n\n- YES: GOTO 1\n- NO: STOP\n\n## Mend F\n\nf\n\n- PASS: GOTO 2\n- FAIL: GOTO 3\n";

/// A step out of another runbook: its numbers mean nothing anywhere else, its names what they say.
const FOREIGN: [&str; 2] = [
    "## 4 Other\n\nx\n\n- PASS: GOTO 1\n- FAIL: RETRY 3 GOTO 2.2\n",
    "## 4 Other\n\nx\n\n- PASS: GOTO NEXT\n- FAIL: GOTO Mend\n",
];

/// A gesture that brings a step, with the step that it is a copy of.
fn comes(document: &Document, (kind, a, b): (u8, usize, usize)) -> Option<(FlowEdit, Option<StepId>)> {
    let steps = document.workflow().steps();
    let step = |n: usize| steps.get(n.checked_rem(steps.len())?);
    let (source, at) = (step(a)?, step(b)?);
    let pasted = |text: String, at: Spot| FlowEdit::Add {
        step: NewStep {
            text: Some(text),
            ..NewStep::default()
        },
        at,
    };
    let behind = Spot::After { step: at.id.clone() };
    let own = Some(source.id.clone());
    Some(match kind {
        0 => {
            let step = source.id.clone();
            (FlowEdit::Duplicate { step, id: None }, own)
        }
        1 => (pasted(document.step_text(source.ordinal)?, behind), own),
        2 => (pasted(FOREIGN[a % 2].to_owned(), behind), None),
        _ => (pasted(FOREIGN[a % 2].to_owned(), Spot::End), None),
    })
}

/// Jumps with the identifiers that steps have by now.
fn retargeted(transitions: &[Transition], new: &dyn Fn(&StepId) -> StepId) -> Vec<Transition> {
    fn put(action: &mut Action, new: &dyn Fn(&StepId) -> StepId) {
        match action {
            Action::Retry { then, .. } => put(then, new),
            Action::Goto(Jump::To(id) | Jump::Next(Some(id))) => *id = new(id),
            _ => {}
        }
    }
    let mut all = transitions.to_vec();
    all.iter_mut().for_each(|transition| put(&mut transition.action, new));
    all
}

/// What a step that comes may not do: lead a jump elsewhere than it led, and bring one that leads to another step of the same number.
fn jumps_are_kept(
    before: &Document,
    made: &Made,
    edit: &FlowEdit,
    source: Option<&StepId>,
) -> Result<(), TestCaseError> {
    let after = &made.document;
    prop_assert!(errors(after) <= errors(before), "{edit:?}\n{}", after.text());
    let new_id = |id: &StepId| {
        let mut found = made.renamed.iter().filter(|(old, _)| old == id);
        found
            .next()
            .and_then(|(_, new)| new.clone())
            .unwrap_or_else(|| id.clone())
    };
    let own = |step: &Step| match &step.routing {
        Routing::Transitions { transitions } => transitions.clone(),
        _ => Vec::new(),
    };
    let (old, new) = (before.workflow().steps(), after.workflow());
    prop_assert_eq!(new.steps().len(), old.len() + 1, "{:?}\n{}", edit, after.text());
    // What follows a step that passes, or the last one in it, follows the one behind it.
    let is_led_on = |step: &Step| {
        let behind = edit.step().filter(|_| matches!(edit, FlowEdit::Add { .. }));
        behind.is_some_and(|behind| step.id == *behind || step.parent.as_ref() == Some(behind))
    };
    let last = |step: &StepId| matches!(edit, FlowEdit::Add { at: Spot::End, .. }) && !step.as_str().contains('.');
    for step in old {
        let now = new.step(&new_id(&step.id));
        prop_assert!(now.is_some(), "{}: {edit:?}\n{}", step.id, after.text());
        let (wanted, now) = (retargeted(&own(step), &new_id), now.map(own).unwrap_or_default());
        let may_differ = |transition: &Transition| transition.passed && (is_led_on(step) || last(&step.id));
        let kept = |all: Vec<Transition>| all.into_iter().filter(|one| !may_differ(one)).collect::<Vec<_>>();
        prop_assert_eq!(kept(wanted), kept(now), "{}: {:?}\n{}", step.id, edit, after.text());
    }
    let is_old = |step: &&Step| old.iter().any(|old| new_id(&old.id) == step.id);
    let Some(came) = new.steps().iter().find(|step| !is_old(step)) else {
        return Err(TestCaseError::fail(format!("nothing came: {edit:?}\n{}", after.text())));
    };
    let failing = |all: Vec<Transition>| all.into_iter().filter(|one| !one.passed).collect::<Vec<_>>();
    match source.and_then(|source| before.workflow().step(source)) {
        // A jump to a step that is not there, or to a round where nothing is repeated, is not brought.
        Some(_)
            if made
                .entails
                .iter()
                .any(|said| said.contains("no such step") || said.contains("is repeated")) => {}
        Some(source) => {
            // The copy of a template is no template: what leads to its next round leads to that of the template.
            let to = |id: &StepId| match *id == source.id && !source.dynamic {
                true => came.id.clone(),
                false => new_id(id),
            };
            let wanted = retargeted(&own(source), &to);
            let (wanted, now) = match edit {
                FlowEdit::Duplicate { .. } => (wanted, own(came)),
                _ => (failing(wanted), failing(own(came))),
            };
            prop_assert_eq!(wanted, now, "{:?}\n{}", edit, after.text());
        }
        None => {
            for transition in failing(own(came)) {
                if let Action::Goto(jump) = transition.action.last() {
                    let name = jump.target().map_or("", |to| to.as_str());
                    prop_assert!(name.starts_with(char::is_alphabetic), "{edit:?}\n{}", after.text());
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_printed_as_it_is(text in any::<String>()) {
        ask_everything(&text);
    }

    #[test]
    fn any_pieces_are_read_and_printed_as_they_are(text in soup()) {
        ask_everything(&text);
    }

    #[test]
    fn a_damaged_runbook_is_read_and_printed_as_it_is(text in damaged()) {
        ask_everything(&text);
    }

    #[test]
    fn bytes_that_are_no_text_become_one_and_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        ask_everything(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn an_edit_is_exact_or_refused(text in prop_oneof![guises(), damaged(), soup()], place in places(), value in texts()) {
        let document = Document::parse("x.runbook.md", &text);
        let before = document.value(&Place::document());
        if let Ok(edits) = document.edit(&Edit::Set { place: place.clone(), value: json!(value) }) {
            let changed = apply(&text, &edits);
            let after = Document::parse("x.runbook.md", &changed);
            let said = |v: Option<Value>| v.and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
            let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
            let line_ends = |t: String| t.replace("\r\n", "\n").replace('\r', "\n");
            let (now, wanted) = (line_ends(said(after.value(&place))), line_ends(value.clone()));
            prop_assert_eq!(now.trim_matches(blank).trim(), wanted.trim_matches(blank).trim());
            prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text.clone());
            // The other steps are what they were, in number and, unless one was renamed, in everything.
            let (old, new) = (document.workflow().steps(), after.workflow().steps());
            prop_assert_eq!(old.len(), new.len());
            if place.step.is_some() && place.path != ["id"] {
                prop_assert_eq!(after.value(&Place::document()), before);
                for (old, new) in old.iter().zip(new).filter(|(old, _)| Some(old.ordinal) != place.step) {
                    prop_assert_eq!(old, new);
                }
            }
        }
    }

    #[test]
    fn a_removal_takes_the_field_and_nothing_else(text in prop_oneof![guises(), damaged()], place in places()) {
        let document = Document::parse("x.runbook.md", &text);
        if let Ok(edits) = document.edit(&Edit::Remove { place: place.clone() }) {
            let changed = apply(&text, &edits);
            let after = Document::parse("x.runbook.md", &changed);
            let (old, new) = (document.workflow().steps(), after.workflow().steps());
            match place.step {
                // A whole step goes with what is inside of it.
                Some(_) if place.path.is_empty() => prop_assert!(new.len() < old.len()),
                _ => prop_assert_eq!(old.len(), new.len()),
            }
            prop_assert_eq!(apply(&changed, &invert(&text, &edits)), text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_line_that_is_drawn_or_cut_changes_nothing_else(
        text in prop_oneof![3 => guises(), 1 => damaged()],
        wishes in prop::collection::vec((0u8..12, 0..9usize, 0..9usize, 0..4usize), 1..8),
    ) {
        let start = Document::parse("x.runbook.md", &text);
        let (mut document, mut made) = (start.clone(), Vec::new());
        for wish in wishes {
            let Some(gesture) = on_lines(&document, wish) else { continue };
            let Ok(edits) = document.gesture(&gesture) else { continue };
            let changed = apply(document.text(), &edits);
            prop_assert_eq!(&apply(&changed, &invert(document.text(), &edits)), document.text());
            let after = Document::parse("x.runbook.md", &changed);
            only_the_line(&document, &after, &gesture)?;
            document = after;
            made.push(gesture);
        }
        let whole = start.make(&made).map_err(|refused| TestCaseError::fail(refused.to_string()))?;
        prop_assert_eq!(whole.document.text(), document.text());
        prop_assert_eq!(apply(document.text(), &invert(&text, &whole.edits)), text.clone());
        // Another writer puts a line at the top meanwhile: in the way of what is changed on the first line alone.
        let on_the_first = |edit: &TextEdit| !text[..edit.span.start].contains('\n');
        match merge(&text, &whole.edits, &format!("# theirs\n{text}")) {
            Ok(merged) => prop_assert_eq!(merged, format!("# theirs\n{}", document.text())),
            Err(conflict) => prop_assert!(whole.edits.iter().any(on_the_first), "{conflict:?}\n{}", document.text()),
        }
    }

    #[test]
    fn a_step_that_comes_leads_every_jump_where_it_led(
        text in prop_oneof![1 => guises(), 2 => Just(JUMPS.to_owned())],
        wishes in prop::collection::vec((0u8..4, 0..9usize, 0..9usize), 1..6),
    ) {
        let mut document = Document::parse("x.runbook.md", &text);
        for wish in wishes {
            let Some((edit, source)) = comes(&document, wish) else { continue };
            let Ok(made) = document.make(&[edit.clone().into()]) else { continue };
            prop_assert_eq!(&apply(made.document.text(), &invert(document.text(), &made.edits)), document.text());
            jumps_are_kept(&document, &made, &edit, source.as_ref())?;
            document = made.document;
        }
    }
}

/// What a step that goes to another level may not do: change a transition but for the numbers in it, unless that is told, and lose a
/// line of the text.
fn all_is_kept(before: &Document, made: &Made, edit: &FlowEdit) -> Result<(), TestCaseError> {
    let after = &made.document;
    prop_assert!(errors(after) <= errors(before), "{edit:?}\n{}", after.text());
    let new_id = |id: &StepId| {
        let found = made.renamed.iter().find(|(old, _)| old == id);
        found.and_then(|(_, new)| new.clone()).unwrap_or_else(|| id.clone())
    };
    let own = |step: &Step| match &step.routing {
        Routing::Transitions { transitions } => transitions.clone(),
        _ => Vec::new(),
    };
    let (old, new) = (before.workflow().steps(), after.workflow());
    prop_assert_eq!(new.steps().len(), old.len(), "{:?}\n{}", edit, after.text());
    let is_told = made.entails.iter().any(|said| said.contains("in place of"));
    for step in old.iter().filter(|step| before.workflow().step(&step.id) == Some(step)) {
        let Some(now) = new.step(&new_id(&step.id)) else {
            return Err(TestCaseError::fail(format!("{}: {edit:?}\n{}", step.id, after.text())));
        };
        prop_assert_eq!(&now.name, &step.name, "{:?}\n{}", edit, after.text());
        prop_assert_eq!(&now.intent, &step.intent, "{:?}\n{}", edit, after.text());
        if matches!(step.work, Work::Command { .. }) {
            prop_assert_eq!(&now.work, &step.work, "{:?}\n{}", edit, after.text());
        }
        let of =
            |all: Vec<Transition>, passed: bool| all.into_iter().filter(|one| one.passed == passed).collect::<Vec<_>>();
        for passed in [true, false] {
            let (wanted, now) = (of(retargeted(&own(step), &new_id), passed), of(own(now), passed));
            prop_assert!(
                wanted == now || is_told && passed,
                "{}: {edit:?}\n{}",
                step.id,
                after.text()
            );
        }
    }
    if is_told {
        return Ok(());
    }
    // Line by line, whatever the numbers and the levels are: those between two sections as well. How far apart two sections stand
    // is taken from their new neighbours; commands, with their blank lines, are compared above.
    let plain = |text: &str| {
        let is_told = |line: &str| line.contains("GOTO") || line.contains(": ") || line.trim_start().starts_with('#');
        let kept = |line: &str| !line.trim().is_empty() && !is_told(line);
        let mut lines: Vec<String> = text.lines().filter(|line| kept(line)).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    prop_assert_eq!(
        plain(before.text()),
        plain(after.text()),
        "{:?}\n{}",
        edit,
        after.text()
    );
    // A comment directly above a heading stands there still, before the same words.
    let above = |text: &str| {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let pairs = lines
            .windows(2)
            .filter(|pair| pair[0].ends_with("-->") && pair[1].starts_with("##"));
        let mut all: Vec<String> = pairs
            .map(|pair| {
                format!(
                    "{} {}",
                    pair[0],
                    pair[1].trim_start_matches(|c: char| !c.is_alphabetic())
                )
            })
            .collect();
        all.sort();
        all
    };
    prop_assert_eq!(
        above(before.text()),
        above(after.text()),
        "{:?}\n{}",
        edit,
        after.text()
    );
    Ok(())
}

/// The runbook in which every way of a step to another level can go: with comments, and with steps that say nothing themselves.
const LEVELED: &str = "# Levels\n\n<!-- one -->\n## 1 Build\n\nPhase.\n\n- PASS ALL: GOTO 3\n- FAIL ANY: GOTO Mend\n\n<!-- compile -->\n### 1.1 Compile\n\na\n\n- PASS: CONTINUE\n- FAIL: GOTO 2\n\n### 1.2 Link\n\nb\n\n<!-- test -->\n<!-- and more -->\n## 2 Test\n\nc\n\n- PASS: GOTO Mend\n- FAIL: RETRY 2 GOTO 1.2\n\n## 3 Ship\n\nd\n\n### 3.1 Push\n\ne\n\n- PASS: COMPLETE \"done\"\n- FAIL: STOP\n\n## 4 Tell\nf\n\n<!-- mend -->\n## Mend\n\ng\n\n- PASS: GOTO 4\n- FAIL: STOP\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_step_on_another_level_changes_no_transition_in_silence(
        text in prop_oneof![1 => guises(), 1 => damaged(), 2 => in_guises(Just(JUMPS)), 4 => in_guises(Just(LEVELED))],
        wishes in prop::collection::vec((0..9usize, any::<bool>()), 1..6),
    ) {
        let mut document = Document::parse("x.runbook.md", &text);
        for (n, deeper) in wishes {
            let steps = document.workflow().steps();
            let Some(step) = n.checked_rem(steps.len()).map(|n| steps[n].id.clone()) else { continue };
            let edit = FlowEdit::Level { step, deeper };
            let Ok(made) = document.make(&[edit.clone().into()]) else { continue };
            prop_assert_eq!(&apply(made.document.text(), &invert(document.text(), &made.edits)), document.text());
            all_is_kept(&document, &made, &edit)?;
            document = made.document;
        }
    }
}

/// The other step of the same identifier keeps its own line, which is none that was asked to go.
#[test]
fn a_line_is_cut_of_the_step_that_is_meant() {
    let text = "## 1 A\n\nx\n\n- FAIL: GOTO 3\n\n# Err\n\n## 1 B\n\ny\n\n- FAIL: GOTO 3\n\n## 3 C\n\nz\n";
    let document = Document::parse("x.runbook.md", text);
    let gesture = Gesture::from(FlowEdit::Disconnect {
        from: "1".into(),
        to: "3".into(),
        label: Some("FAIL".to_owned()),
    });
    let edits = document.gesture(&gesture).expect("it is cut");
    let after = Document::parse("x.runbook.md", &apply(text, &edits));
    assert_eq!(after.text().matches("GOTO 3").count(), 1, "{}", after.text());
    only_the_line(&document, &after, &gesture).expect("nothing else is changed");
}

/// Some of these are never refused, and some always.
#[test]
fn steps_with_comments_go_to_another_level() {
    let document = Document::parse("x.runbook.md", LEVELED);
    for (step, deeper) in [("1.1", false), ("1.2", false), ("2", true), ("3.1", false), ("4", true)] {
        let step = step.into();
        let edit = FlowEdit::Level { step, deeper };
        let made = document
            .make(&[edit.clone().into()])
            .unwrap_or_else(|why| panic!("{edit:?}: {}", why.error));
        all_is_kept(&document, &made, &edit).expect("kept");
    }
    for (step, deeper) in [("1", true), ("3", true), ("Mend", true), ("Mend", false)] {
        let step = step.into();
        let edit = FlowEdit::Level { step, deeper };
        assert!(document.make(&[edit.into()]).is_err());
    }
}

/// Some of these are never refused.
#[test]
fn steps_with_jumps_can_be_copied_and_pasted() {
    let document = Document::parse("x.runbook.md", JUMPS);
    for wish in [
        (0, 0, 0),
        (0, 2, 0),
        (1, 2, 0),
        (1, 0, 4),
        (2, 0, 1),
        (2, 1, 4),
        (3, 0, 0),
    ] {
        let (edit, source) = comes(&document, wish).expect("a gesture");
        let made = document.make(&[edit.clone().into()]).expect("made");
        jumps_are_kept(&document, &made, &edit, source.as_ref()).expect("kept");
    }
}

#[test]
fn common_edits_are_never_refused() {
    for text in [
        BOOK.to_owned(),
        BOOK.replace('\n', "\r\n"),
        format!("\u{feff}{BOOK}"),
        BOOK.trim_end().to_owned(),
    ] {
        let document = Document::parse("x.runbook.md", &text);
        assert_eq!(document.workflow().steps().len(), 7);
        for step in 0..7 {
            let set = |path: &[&str], value: &str| {
                let place = Place::step(step).path(path.iter().map(|p| (*p).to_owned()));
                let edit = Edit::Set {
                    place,
                    value: json!(value),
                };
                document.edit(&edit).unwrap_or_else(|e| panic!("{step} {path:?}: {e}"));
            };
            set(&["title"], "Another: title — with *marks*");
            set(&["prompt"], "Do this.\n\n- one\n- two\n\n```json\n{}\n```");
            let Routing::Transitions { transitions } = &document.workflow().steps()[step].routing else {
                panic!("a runbook has transitions");
            };
            let last = transitions.len().to_string();
            set(&["transitions", &last], "PASS: COMPLETE \"well done\"");
            for n in 0..transitions.len() {
                set(&["transitions", &n.to_string()], "FAIL: RETRY 4 GOTO Recover");
            }
            if matches!(document.workflow().steps()[step].work, Work::Command { .. }) {
                set(&["command"], "cat <<'X'\n```\n~~~\nX\n");
            }
        }
    }
}

#[test]
fn retries_without_end_are_no_recursion() {
    let text = format!("## 1. A\n- FAIL: RETRY\n{}", "  RETRY\n".repeat(200_000));
    assert!(
        Document::parse("x.runbook.md", &text)
            .diagnostics()
            .iter()
            .any(|d| d.code == "GH0207")
    );
}
