//! Steps that are copied and pasted: as many as the text holds, and with jumps that lead where they led.

use dialect::{Document, apply, invert};
use model::{FlowEdit, Gesture, NewStep, Severity, Spot};

const BOOK: &str = "\
# Release

## 1 Build

Build it.

- PASS: CONTINUE
- FAIL: RETRY 2 GOTO 3

## 2 Ship

- PASS ALL: CONTINUE
- FAIL ANY: GOTO Fix

### 2.1 Push

Push it.

- PASS: GOTO 2.2
- FAIL: GOTO 3

### 2.2 Look

Look at it.

## 3 Tell

Tell them.

- PASS: COMPLETE

## Fix Mend it

Mend it.

- PASS: GOTO 1
";

fn errors(document: &Document) -> usize {
    let found = document.diagnostics().iter();
    found.filter(|found| found.severity == Severity::Error).count()
}

fn after(text: &str, edit: FlowEdit) -> Result<(String, Vec<String>), String> {
    let document = Document::parse("a.runbook.md", text);
    let made = document.make(&[Gesture::from(edit)]);
    let made = made.map_err(|refused| refused.error.to_string())?;
    assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
    assert!(errors(&made.document) <= errors(&document), "{}", made.document.text());
    Ok((made.document.text().to_owned(), made.entails))
}

fn copied(text: &str, step: &str) -> (String, Vec<String>) {
    let step = step.into();
    after(text, FlowEdit::Duplicate { step, id: None }).expect("copied")
}

fn paste(step: &str, at: Spot) -> FlowEdit {
    let step = NewStep {
        text: Some(step.to_owned()),
        ..NewStep::default()
    };
    FlowEdit::Add { step, at }
}

fn behind(step: &str) -> Spot {
    Spot::After { step: step.into() }
}

#[test]
fn a_copy_jumps_to_where_the_step_jumps() {
    let (text, said) = copied(BOOK, "1");
    let two = "- PASS: CONTINUE\n- FAIL: RETRY 2 GOTO 4\n";
    assert_eq!(text.matches(two).count(), 2, "{text}");
    assert!(
        text.contains("## 2 Build\n\nBuild it.\n\n- PASS: CONTINUE\n- FAIL: RETRY 2 GOTO 4\n"),
        "{text}"
    );
    assert!(said.is_empty(), "{said:?}");
    let (text, _) = copied(BOOK, "2.1");
    assert!(
        text.contains("### 2.2 Push\n\nPush it.\n\n- PASS: GOTO 2.3\n- FAIL: GOTO 3\n"),
        "{text}"
    );
    // The copy of a way back leads back to the same step.
    let back = "## 1 A\n\nx\n\n## 2 B\n\ny\n\n- FAIL: GOTO 1\n";
    let (text, said) = copied(back, "2");
    assert_eq!(text.matches("- FAIL: GOTO 1\n").count(), 2, "{text}");
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn a_step_of_this_runbook_is_pasted_with_its_jumps() {
    let own = Document::parse("a.runbook.md", BOOK).step_text(0).expect("a text");
    for text in [own.clone(), own.replace('\n', "\r\n"), own.trim_end().to_owned()] {
        let (changed, said) = after(BOOK, paste(&text, behind("1"))).expect("pasted");
        assert!(changed.contains("## 2 Build") && said.is_empty(), "{changed}{said:?}");
        assert_eq!(changed.matches("- FAIL: RETRY 2 GOTO 4").count(), 2, "{changed}");
    }
}

/// What stands directly above a heading speaks of the step.
#[test]
fn a_copy_takes_the_comments_along_that_speak_of_the_step() {
    let said = "<!-- ask Kim first -->\n<!-- then Lee -->\n";
    let book = format!("# Book\n\n<!-- of the book -->\n\n{said}## 1 Ask\n\nAsk.\n\n## 2 Tell\n\nTell.\n");
    let own = Document::parse("a.runbook.md", &book).step_text(0).expect("a text");
    assert_eq!(own, format!("{said}## 1 Ask\n\nAsk.\n"));
    for edit in [
        FlowEdit::Duplicate {
            step: "1".into(),
            id: None,
        },
        paste(&own, behind("1")),
    ] {
        let (text, news) = after(&book, edit).expect("copied");
        assert_eq!(text.matches(&format!("\n\n{said}## ")).count(), 2, "{text}");
        assert!(
            text.contains(&format!("\n\n{said}## 2 Ask\n\nAsk.\n\n## 3 Tell\n")),
            "{text}"
        );
        assert_eq!(text.matches("of the book").count(), 1, "{text}");
        assert!(news.is_empty(), "{news:?}");
    }
    // On another level, and as one of several, too.
    let inside = Spot::Inside { step: "2".into() };
    let (text, _) = after(&book, paste(&own, inside)).expect("pasted");
    assert!(text.contains(&format!("{said}### 2.1 Ask\n")), "{text}");
    let document = Document::parse("a.runbook.md", &book);
    let both = format!("{own}\n{}", document.step_text(1).expect("a text"));
    assert_eq!(document.parts_of(&both)[0], own);
}

#[test]
fn numbers_of_another_runbook_are_not_taken_for_those_of_this_one() {
    let other = "## 7 Ask\n\nAsk.\n\n- PASS: GOTO 2\n- FAIL: RETRY 3 GOTO 9\n";
    let (text, said) = after(BOOK, paste(other, behind("1"))).expect("pasted");
    assert!(
        text.contains("## 2 Ask\n\nAsk.\n\n- PASS: CONTINUE\n- FAIL: RETRY 3 STOP\n"),
        "{text}"
    );
    assert_eq!(
        said,
        [
            "the jump to “2” when the new step passes is left out: “2” may be another step here, and \
             the jump to “9” when the new step fails is left out: no such step is here"
        ]
    );
    // A name is one in every runbook, where a step has it.
    let named = "## 7 Ask\n\nAsk.\n\n- PASS: GOTO Away\n- FAIL: GOTO Fix\n";
    let (text, said) = after(BOOK, paste(named, behind("1"))).expect("pasted");
    assert!(text.contains("- PASS: CONTINUE\n- FAIL: GOTO Fix\n"), "{text}");
    assert_eq!(
        said,
        ["the jump to “Away” when the new step passes is left out: no such step is here"]
    );
    // Rounds are those of what is repeated around it.
    let round = "## 7 Ask\n\nAsk.\n\n- YES: GOTO NEXT\n- NO: STOP\n";
    let (text, said) = after(BOOK, paste(round, behind("1"))).expect("pasted");
    assert!(text.contains("- YES: CONTINUE\n- NO: STOP\n"), "{text}");
    assert_eq!(
        said,
        ["the jump to the next round when the new step passes is left out: nothing is repeated here"]
    );
    let each = "## {N} Each\n\nx\n\n- PASS: GOTO NEXT\n- FAIL: STOP\n";
    let inside = Spot::Inside { step: "{N}".into() };
    let (text, said) = after(each, paste(round, inside)).expect("pasted");
    assert!(
        text.contains("### {N}.1 Ask\n\nAsk.\n\n- YES: GOTO NEXT\n- NO: STOP\n"),
        "{text}"
    );
    assert!(said.is_empty(), "{said:?}");
    // On the way of a jump it is that way when it passes, which is no loss.
    let way = Spot::Between {
        from: "2.1".into(),
        to: "3".into(),
        label: None,
    };
    let (text, said) = after(BOOK, paste(other, way)).expect("pasted");
    assert!(text.contains("- PASS: GOTO 3\n- FAIL: RETRY 3 STOP\n"), "{text}");
    assert!(
        said.iter().all(|said| !said.contains("“2”")) && said[0].contains("“9”"),
        "{said:?}"
    );
}

#[test]
fn a_step_becomes_one_of_the_level_where_it_goes() {
    let step = "## 7 Ask\n\nAsk.\n";
    let (text, _) = after(BOOK, paste(step, behind("2.1"))).expect("pasted");
    assert!(
        text.contains("### 2.2 Ask\n") && text.contains("### 2.3 Look"),
        "{text}"
    );
    let (text, _) = after(BOOK, paste("### 7.3 Ask\n\nAsk.\n", behind("1"))).expect("pasted");
    assert!(text.contains("\n## 2 Ask\n"), "{text}");
    // What stands inside of it is numbered with it.
    let whole = "## 7 Ask\n\n- FAIL ANY: STOP\n\n### 7.1 A\n\nx\n\n- PASS: GOTO 7.2\n\n### 7.2 B\n\ny\n";
    let (text, said) = after(BOOK, paste(whole, behind("1"))).expect("pasted");
    assert!(
        text.contains("## 2 Ask\n\n- FAIL ANY: STOP\n\n### 2.1 A\n\nx\n\n- PASS: GOTO 2.2\n\n### 2.2 B\n"),
        "{text}"
    );
    assert!(said.is_empty(), "{said:?}");
    assert!(
        after(BOOK, paste(whole, behind("2.1")))
            .expect_err("refused")
            .contains("holds no other steps")
    );
    let underlined = "7 Ask\n---\n\nAsk.\n";
    assert!(after(BOOK, paste(underlined, behind("1"))).is_ok());
    assert!(
        after(BOOK, paste(underlined, behind("2.1")))
            .expect_err("refused")
            .contains("underlined")
    );
}

/// Several steps that were copied together are as many texts, each as it was copied.
#[test]
fn a_text_of_several_steps_is_taken_apart_in_every_format() {
    let skeleton = |name: &str| dialect::shape(name).expect("a format").skeleton.to_owned();
    let flow = "key: k\nsteps:\n- id: a   # first\n  agents: [w]\n  role: |\n    Two\n\n    lines.\n\n- {id: b, agents: [w]}\n- id: c\n  agents: [w]\n";
    let json = "{\"key\": \"k\", \"steps\": [\n  {\"id\": \"a\", \"role\": \"{\\\"}\"},\n  {\"id\": \"b\"}\n]}\n";
    let graph = "nodes:\n  - {node_id: a, agents: [w]}\n  - node_id: b\n    agents: [w]\nedges: [{from: a, to: b}]\n";
    for (path, text, between) in [
        ("k.yaml", flow.to_owned(), ""),
        ("k.json", json.to_owned(), ""),
        ("k.json", json.to_owned(), ",\n"),
        ("g.graph.yaml", graph.to_owned(), ""),
        ("PIPE-20260131-new-093000.yaml", skeleton("pipeline"), ""),
        ("new.yaml", skeleton("stepspec"), ""),
        ("a.runbook.md", BOOK.to_owned(), "\n"),
        ("a.runbook.md", BOOK.replace('\n', "\r\n"), "\n"),
    ] {
        let document = Document::parse(path, &text);
        let steps = document.workflow().steps();
        let mut texts: Vec<String> = (0..steps.len()).filter_map(|n| document.step_text(n)).collect();
        // One step twice is two steps.
        texts.push(texts[0].clone());
        let whole = texts.join(between);
        let parts = document.parts_of(&whole);
        assert_eq!(parts, texts, "{path}");
        for part in &parts {
            assert_eq!(document.parts_of(part), std::slice::from_ref(part), "{path}");
        }
        // Each of them can be added; all of them in one cannot.
        let mut now = document.clone();
        for part in &parts {
            let made = now.make(&[paste(part, Spot::End).into()]).expect("pasted");
            assert_eq!(
                made.document.workflow().steps().len(),
                now.workflow().steps().len() + 1,
                "{path}"
            );
            now = made.document;
        }
        let why = document.make(&[paste(&whole, Spot::End).into()]).expect_err("refused");
        assert!(why.error.to_string().contains("one by one"), "{path}: {why}");
    }
}

#[test]
fn a_text_that_is_no_step_has_no_parts() {
    for (path, text) in [
        ("k.yaml", "key: k\nsteps: []\n"),
        ("k.json", "{\"key\": \"k\", \"steps\": []}\n"),
        ("a.runbook.md", BOOK),
    ] {
        let document = Document::parse(path, text);
        for none in [
            "",
            "  \n",
            "words",
            "- a\n- b: [\n",
            "- a\n- b\n",
            "{\"a\": 1} and more",
            "{\"a\":",
        ] {
            assert_eq!(document.parts_of(none), Vec::<String>::new(), "{path}: {none}");
        }
    }
    // What an editor copies begins where the lines of a list do, or holds all of a list.
    let flow = Document::parse("k.yaml", "key: k\nsteps: []\n");
    assert_eq!(
        flow.parts_of("  - id: a\n    role: r\n  - id: b\n"),
        ["- id: a\n  role: r\n", "- id: b\n"]
    );
    assert_eq!(
        flow.parts_of("[{\"id\": \"a\"}, {\"id\": \"b\"}]"),
        ["{\"id\": \"a\"}\n", "{\"id\": \"b\"}\n"]
    );
    // Substeps that were copied without their step are steps; one that is in its step belongs to it.
    let book = Document::parse("a.runbook.md", BOOK);
    let parts = book.parts_of("# X\n\n## 2 A\n\na\n\n### 2.1 B\n\nb\n\n### 3.1 C\n\nc\n");
    assert_eq!(parts, ["## 2 A\n\na\n\n### 2.1 B\n\nb\n", "### 3.1 C\n\nc\n"]);
}
