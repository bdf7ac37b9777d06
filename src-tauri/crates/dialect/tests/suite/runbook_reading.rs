//! What is read from a runbook, and where it stands.

use dialect::{Document, detect};
use model::{Action, AgentKey, Format, Jump, Place, Quantifier, Routing, Severity, Step, StepId, Work};
use serde_json::json;

fn read(text: &str) -> Document {
    Document::parse("ops/release.runbook.md", text)
}

fn step<'a>(document: &'a Document, id: &str) -> &'a Step {
    document.workflow().step(&StepId::from(id)).expect("the step is there")
}

fn actions(step: &Step) -> Vec<(String, Action)> {
    let Routing::Transitions { transitions } = &step.routing else {
        panic!("a runbook has transitions")
    };
    transitions.iter().map(|t| (t.word.clone(), t.action.clone())).collect()
}

const BOOK: &str = "---\nname: release\nversion: 2\nauthor: Ann\nagents:\n  2: team\n  \"2.1\": ann\n---\n\n# Release it\n\nBuilds and ships.\n\n## 1. Build [all](x.md)\n\nRun *it*.\n\n```bash\nmake\n\nmake check\n```\n\n- PASS: CONTINUE\n- FAIL: RETRY 2 GOTO Recover\n\n## 2. Ship\n\n- YES ALL: COMPLETE \"all done\"\n- NO ANY: STOP\n\n### 2.1\n- child.runbook.md\n\n### 2.Look\nIs it there?\n\n## Recover\n\n- PASS: GOTO 1\n";

#[test]
fn a_runbook_becomes_a_workflow() {
    let document = read(BOOK);
    let workflow = document.workflow();
    assert_eq!(
        (workflow.format, workflow.id.as_str(), workflow.title.as_str()),
        (Format::Rundown, "release", "Release it")
    );
    assert_eq!(workflow.description.as_deref(), Some("Builds and ships."));
    assert_eq!(workflow.fields.get("version"), Some(&json!(2)));
    assert_eq!(workflow.fields.get("author"), Some(&json!("Ann")));
    let ids: Vec<&str> = workflow.steps().iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "2.1", "2.Look", "Recover"]);

    let build = step(&document, "1");
    assert_eq!((build.number.as_str(), build.name.as_str()), ("1", "Build all"));
    assert_eq!(build.intent.as_deref(), Some("Run *it*."));
    let script = "make\n\nmake check\n".to_owned();
    assert_eq!(
        build.work,
        Work::Command {
            language: "bash".to_owned(),
            script
        }
    );
    let then = Box::new(Action::Goto(Jump::To("Recover".into())));
    let expected = [
        ("PASS".to_owned(), Action::Continue),
        ("FAIL".to_owned(), Action::Retry { times: 2, then }),
    ];
    assert_eq!(actions(build), expected);

    let ship = step(&document, "2");
    assert_eq!((&ship.work, ship.jump_only, ship.dynamic), (&Work::Group, false, false));
    let Routing::Transitions { transitions } = &ship.routing else {
        panic!()
    };
    assert_eq!(transitions[0].quantifier, Some(Quantifier::All));
    assert_eq!(transitions[1].quantifier, Some(Quantifier::Any));
    assert_eq!(ship.agents, [AgentKey::from("team")]);

    let child = step(&document, "2.1");
    assert_eq!(
        (child.number.as_str(), child.name.as_str()),
        ("2.1", "Child"),
        "called by its runbook"
    );
    assert_eq!(
        child.work,
        Work::SubWorkflow {
            files: vec!["child.runbook.md".to_owned()]
        }
    );
    assert_eq!(
        (child.parent.as_ref(), &child.agents),
        (Some(&"2".into()), &vec![AgentKey::from("ann")])
    );
    let look = step(&document, "2.Look");
    assert_eq!(
        (look.number.as_str(), look.name.as_str(), look.jump_only),
        ("", "Look", false)
    );
    assert_eq!(
        look.work,
        Work::Prompt {
            text: "Is it there?".to_owned()
        }
    );
    assert_eq!(look.agents, [AgentKey::from("team")], "as the step around it");
    let recover = step(&document, "Recover");
    assert!(recover.jump_only && recover.agents.is_empty() && recover.intent.is_none());
    // Somebody does the step in the place of its runbook, and of its block.
    let named = document.diagnostics().iter().filter(|d| d.severity != Severity::Note);
    let named: Vec<&str> = named.map(|d| d.code.as_str()).collect();
    assert!(
        !named.is_empty() && named.iter().all(|code| *code == "GH0502"),
        "{named:?}"
    );
}

#[test]
fn without_title_and_name_the_file_says_it() {
    let document = read("## 1. A\n");
    assert_eq!(
        (document.workflow().id.as_str(), document.workflow().title.as_str()),
        ("release", "Release")
    );
    let named = read("---\nname: Night shift\ndescription: What to do\n---\n## 1. A\n");
    assert_eq!(named.workflow().title, "Night shift");
    assert_eq!(named.workflow().description.as_deref(), Some("What to do"));
    let nameless = read("---\nversion: 1.0.0\n---\n\n# T\n\n## 1. A\n");
    assert_eq!(
        nameless.workflow().steps().len(),
        1,
        "front matter without a name is no heading"
    );
    assert_eq!(read("---\n---\n## 1. A\n").workflow().steps().len(), 1);
    assert_eq!(
        read("---\n\n## 1. A\n\n---\n\n## 2. B\n").workflow().steps().len(),
        2,
        "two rules are no front matter"
    );
}

/// Whether the only block of a step is executed.
fn executed(info: &str) -> bool {
    let document = read(&format!("## 1. A\n\n```{info}\ntrue\n```\n"));
    matches!(step(&document, "1").work, Work::Command { .. })
}

#[test]
fn a_block_is_executed_only_when_it_says_so_exactly() {
    for info in ["bash", "sh", "shell", " bash", "bash copy"] {
        assert!(executed(info), "{info}");
    }
    for info in [
        "",
        "prompt",
        "bash prompt",
        "sh prompt",
        "bash copy prompt",
        "bash Prompt",
        "BASH",
        "Bash",
        "zsh",
        "json",
        "json prompt",
        "bash;prompt",
        "bash,prompt",
        "bash:prompt",
        "bash\\",
        "{bash}",
        "bashx",
    ] {
        assert!(!executed(info), "{info}");
    }
    for hidden in [
        "- one\n\n  ```bash\n  true\n  ```\n",
        "> ```bash\n> true\n> ```\n",
        "<!--\n```bash\ntrue\n```\n-->\n",
        "    ```bash\n    true\n    ```\n",
        "<div>\n```bash\ntrue\n```\n</div>\n",
    ] {
        let document = read(&format!("## 1. A\n\n{hidden}"));
        assert!(matches!(step(&document, "1").work, Work::Prompt { .. }), "{hidden}");
    }
}

#[test]
fn a_script_is_what_stands_between_the_fences_with_plain_line_ends() {
    let script = |text: &str| match &step(&read(text), "1").work {
        Work::Command { script, .. } => script.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        script("## 1. A\r\n\r\n```bash\r\nif true\r\nthen\r\n\tx\r\nfi\r\n```\r\n"),
        "if true\nthen\n\tx\nfi\n"
    );
    assert_eq!(script("## 1. A\n  ~~~sh\n    deep\n  even\n  ~~~\n"), "  deep\neven\n");
    assert_eq!(
        script("## 1. A\n````bash\ncat <<X\n```\n# no heading\n````\n"),
        "cat <<X\n```\n# no heading\n"
    );
}

#[test]
fn every_action_of_the_table() {
    let one = |action: &str| {
        let text =
            format!("## {{N}}. A\n### {{N}}.{{n}} B\n- PASS: {action}\n## X\n### X.{{n}} C\n### X.1 D\n## 3. E\n");
        actions(step(&read(&text), "{N}.{n}")).pop().map(|(_, action)| action)
    };
    let to = |id: &str| Some(Action::Goto(Jump::To(id.into())));
    let next = |id: Option<&str>| Some(Action::Goto(Jump::Next(id.map(StepId::from))));
    for id in ["3", "2.1", "X", "X.1", "X.Name", "{N}", "{N}.1", "{N}.{n}", "X.{n}"] {
        assert_eq!(one(&format!("GOTO {id}")), to(id));
    }
    assert_eq!(one("GOTO NEXT"), next(None));
    assert_eq!(one("NEXT"), next(None));
    for id in ["{N}", "{N}.{n}", "X.{n}"] {
        assert_eq!(one(&format!("GOTO  NEXT {id}")), next(Some(id)));
    }
    let stop = |message: Option<&str>| Action::Stop {
        message: message.map(str::to_owned),
    };
    let retry = |times, then| {
        Some(Action::Retry {
            times,
            then: Box::new(then),
        })
    };
    assert_eq!(one("STOP"), Some(stop(None)));
    assert_eq!(one("STOP broken"), Some(stop(Some("broken"))));
    assert_eq!(one("STOP \"a \"b\" c\""), Some(stop(Some("a \"b\" c"))));
    assert_eq!(one("STOP \"\""), Some(stop(Some(""))));
    assert_eq!(
        one("COMPLETE \"it: is\""),
        Some(Action::Complete {
            message: Some("it: is".to_owned())
        })
    );
    assert_eq!(one("RETRY"), retry(1, stop(None)));
    assert_eq!(one("RETRY 3"), retry(3, stop(None)));
    assert_eq!(one("RETRY \"gave up\""), retry(1, stop(Some("gave up"))));
    assert_eq!(one("RETRY 3 \"gave up\""), retry(3, stop(Some("gave up"))));
    assert_eq!(
        one("RETRY 2 GOTO NEXT {N}"),
        retry(2, Action::Goto(Jump::Next(Some("{N}".into()))))
    );
    assert_eq!(one("RETRY CONTINUE"), retry(1, Action::Continue));
    assert_eq!(one("RETRY 99999999999999999999"), retry(u32::MAX, stop(None)));
}

#[test]
fn spans_values_and_places_agree() {
    let document = read(BOOK);
    let at = |place: &Place| {
        document
            .value_span(place)
            .map(|span| &document.text()[span.start..span.end])
    };
    let place = |n: usize, path: &[&str]| Place::step(n).path(path.iter().map(|p| (*p).to_owned()));
    assert_eq!(at(&place(0, &["title"])), Some("Build [all](x.md)"));
    assert_eq!(at(&place(0, &["id"])), Some("1"));
    assert_eq!(at(&place(0, &["prompt"])), Some("Run *it*."));
    assert_eq!(at(&place(0, &["command"])), Some("make\n\nmake check\n"));
    assert_eq!(at(&place(0, &["transitions", "1"])), Some("FAIL: RETRY 2 GOTO Recover"));
    assert_eq!(at(&place(0, &["transitions", "1", "target"])), Some("Recover"));
    assert_eq!(at(&place(2, &["files", "0"])), Some("child.runbook.md"));
    assert_eq!(at(&place(2, &["title"])), None);
    assert_eq!(at(&Place::document().field("name")), Some("release"));
    assert_eq!(at(&Place::document().field("agents").field("2")), Some("team"));
    assert_eq!(at(&Place::document().field("title")), Some("Release it"));
    assert_eq!(at(&Place::document().field("description")), Some("Builds and ships."));
    let whole = document.span(&Place::step(1)).expect("a step");
    assert!(
        document.text()[whole.start..whole.end].starts_with("## 2. Ship")
            && document.text()[whole.start..whole.end].ends_with("Is it there?")
    );
    for path in [
        &["title"][..],
        &["prompt"],
        &["command"],
        &["transitions", "1"],
        &["transitions", "1", "target"],
    ] {
        let place = place(0, path);
        let span = document.value_span(&place).expect("is there");
        assert_eq!(document.place_at(span.start), place);
    }
    assert_eq!(
        document.place_at(document.text().find("team").expect("there")),
        Place::document().field("agents").field("2")
    );
    assert_eq!(
        document.value(&place(0, &["transitions"])),
        Some(json!(["PASS: CONTINUE", "FAIL: RETRY 2 GOTO Recover"]))
    );
}

#[test]
fn problems_have_lines_columns_and_repairs() {
    let document =
        read("## 1. A\n\n- PASS: GOTO 3\n- FAIL: GOTO Recovr\n\n## 3. B\n- FAIL: STOP it broke\n\n## Recover\n");
    let found: Vec<(String, usize, usize)> = document
        .diagnostics()
        .iter()
        .map(|d| {
            let at = document.position(document.span(&d.place).expect("a place").start);
            (d.code.clone(), at.line, at.column)
        })
        .collect();
    // That nothing jumps to `Recover` follows from the misspelt jump, and is no problem of its own.
    let expected = [
        ("GH0225", 1, 1),
        ("GH0001", 4, 14),
        ("GH0225", 6, 1),
        ("GH0203", 6, 4),
        ("GH0214", 7, 3),
        ("GH0225", 9, 1),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(code, line, column)| ((*code).to_owned(), *line, *column))
        .collect();
    assert_eq!(found, expected);
    // One repair after the other until there is nothing left to repair.
    let mut text = document.text().to_owned();
    for _ in 0..10 {
        let document = read(&text);
        let Some(fix) = document.diagnostics().iter().find_map(|d| d.fix.clone()) else {
            break;
        };
        text = dialect::apply(&text, &document.edit(&fix.edit).expect("a repair can be made"));
    }
    assert_eq!(
        text,
        "## 1. A\n\n- PASS: GOTO 2\n- FAIL: GOTO Recover\n\n## 2. B\n- FAIL: STOP \"it broke\"\n\n## Recover\n"
    );
}

#[test]
fn every_repair_that_is_offered_mends_its_problem() {
    let texts = [
        "# 1. Build\n\n## 2. A\n",
        "## 1. A\n\n```bash\nx\n```\n\nLater.\n",
        "## 1. A\n- PASS: RETRY 2 RETRY 3 CONTINUE\n",
        "## 1. A\n### 1.1. B\n",
        "## 1. A\n### 2.1 B\n",
        "## 1. A\n- FAIL: GOTO 1\n",
        "## 1. A\n- YES ANY: GOTO 1\n",
        "## 1. A\n- PASS: STOP\n- YES: STOP\n",
        "## 1. A\n- PASS: complete\n",
        "## 1. A\n- PASS: `CONTINUE`\n",
        "## 1. A\n- PASS: COMPLETE.\n",
        "## 1. A\n- PASS CONTINUE\n",
        "## 1. A\n- PASS ALL CONTINUE\n- **FAIL** GOTO 2\n\n## 2. B\n\n- FAIL RETRY 2 STOP\n",
        "## 1. A\n- PASS SOME: CONTINUE\n",
        "## 1. A\n- PASS all: CONTINUE\n",
        "## 1. A\n- PASS twice: CONTINUE\n",
        "## 1. A\n- YES every: COMPLETE\n",
        "## 1. A\n- PASS -\n",
        "## 1. A\n- FAIL ANY — STOP\n",
        "## 1. A\n- NO - GOTO 2\n## 2. B\n",
        "## 1. A\n- FAIL: STOP 'a b'\n",
        "## 1. A\n- NO: STOP \"a\" extra\n",
        "## 1. A\n- FAIL: STOP “curly words”\n",
        "## 1. A\n- FAIL: COMPLETE \"a b\n",
        "## 1. A\n- FAIL: RETRY 0 STOP\n",
        "## 1. A\n- FAIL: RETRY 2 STOP a b\n",
        "## 2. A\n- FAIL: GOTO 2.1\n### 2.1 B\n",
    ];
    for text in texts {
        let document = read(text);
        let fixes: Vec<_> = document.diagnostics().iter().filter_map(|d| d.fix.clone()).collect();
        assert!(!fixes.is_empty(), "{text}");
        for fix in fixes {
            let edits = document
                .edit(&fix.edit)
                .unwrap_or_else(|e| panic!("{text}: {}: {e}", fix.label));
            let errors = |d: &Document| {
                let errors = d.diagnostics().iter().filter(|d| d.severity == Severity::Error).count();
                (errors, d.diagnostics().len())
            };
            let after = read(&dialect::apply(text, &edits));
            assert!(
                errors(&after) < errors(&document),
                "{text}: {}\n{}",
                fix.label,
                after.text()
            );
        }
    }
}

#[test]
fn a_message_is_mended_with_one_pair_of_quotes() {
    for (written, mended) in [
        ("STOP \"a\" extra", "STOP \"a extra\""),
        ("COMPLETE all \"done\"", "COMPLETE \"all 'done'\""),
        ("STOP “curly words”", "STOP \"curly words\""),
        ("STOP „so und so“", "STOP \"so und so\""),
        ("RETRY 2 STOP «two words»", "RETRY 2 STOP \"two words\""),
        ("STOP \"never closed", "STOP \"never closed\""),
    ] {
        let text = format!("## 1. A\n\nDo it.\n\n- FAIL: {written}\n");
        let document = read(&text);
        let [found] = document.diagnostics() else {
            panic!("{written}: {:?}", document.diagnostics())
        };
        let fix = found.fix.as_ref().unwrap_or_else(|| panic!("{written}: no fix"));
        let after = dialect::apply(&text, &document.edit(&fix.edit).expect("a repair can be made"));
        assert!(after.ends_with(&format!("- FAIL: {mended}\n")), "{after}");
        assert_eq!(read(&after).diagnostics(), [], "{after}");
    }
}

#[test]
fn a_runbook_without_colons_is_read_with_one_note_and_one_change_for_all() {
    let text = "# Feedback\n\n## 1 Fetch\n\n- PASS CONTINUE\n- FAIL STOP\n\nFetch.\n\n## 2 Look\n\n- PASS ANY GOTO 1\n- NO RETRY 2 STOP \"given up\"\n\nLook.\n";
    let document = read(text);
    let with = text
        .replace("PASS CONTINUE", "PASS: CONTINUE")
        .replace("FAIL STOP", "FAIL: STOP")
        .replace("ANY GOTO", "ANY: GOTO")
        .replace("NO RETRY", "NO: RETRY");
    let routing = |document: &Document| -> Vec<_> {
        document
            .workflow()
            .steps()
            .iter()
            .map(|step| step.routing.clone())
            .collect()
    };
    assert_eq!(routing(&document), routing(&read(&with)));
    let notes: Vec<_> = document.diagnostics().iter().filter(|d| d.code == "GH0223").collect();
    let [note] = notes[..] else { panic!("{notes:#?}") };
    assert_eq!(note.severity, Severity::Note);
    assert!(note.message.starts_with("4 transitions"), "{}", note.message);
    let fix = note.fix.as_ref().expect("one change for all");
    assert_eq!(
        dialect::apply(text, &document.edit(&fix.edit).expect("it is written")),
        with
    );
}

#[test]
fn what_later_runbooks_have_does_not_start() {
    let errors = |text: &str| -> Vec<String> {
        let document = read(text);
        let errors = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| format!("{} {}", d.code, d.message)).collect()
    };
    for (text, word) in [
        ("## 1 A\n- FOR item IN {{ tasks }}\n  - PASS NEXT\n\nDo.\n", "`FOR`"),
        ("## 1 A\n- FOR 5\n\nDo.\n", "`FOR`"),
        ("## 1 A\n### 1.1 B\n- DEFER\n\nDo.\n", "`DEFER`"),
        ("## 1 A\n- PASS BREAK\n\nDo.\n", "`BREAK`"),
        ("## 1 A\n- FAIL: DELEGATE\n\nDo.\n", "`DELEGATE`"),
        ("## 1 A\n- DELEGATE\n\nDo.\n", "`DELEGATE`"),
        ("## 1 A\n- INPUTS\n  - Plan\n\nDo.\n", "`INPUTS`"),
        ("## 1 A\n- OUTPUTS\n  - Plan\n\nDo.\n", "`OUTPUTS`"),
        ("---\nname: a\nrequired: [plan]\n---\n## 1 A\n\nDo.\n", "`required`"),
        ("## 1 A\n\nWork on `{{ plan }}`.\n", "`{{ plan }}`"),
        ("## 1 A\n\n```bash\ncat {{plan}}\n```\n", "`{{ plan }}`"),
    ] {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(
            errors[0].starts_with("GH0224") && errors[0].contains(word),
            "{text}: {errors:?}"
        );
    }
    for text in [
        "## 1 A\n\n- FOR each customer one letter\n- DEFER nothing\n- the OUTPUTS of step 2\n\nDo.\n",
        "---\nname: a\ninputs: []\n---\n## 1 A\n\nDo.\n",
        "## 1 A\n\n```bash\ndocker ps --format '{{.Names}} {{json .}}' # ${{ x }}\n```\n",
        "## 1 A\n\nDo.\n\n```yaml\na: {{ shown }}\n```\n",
        "## {N} Each\n\nDo {N}.\n",
    ] {
        assert_eq!(errors(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn only_what_a_problem_proposes_is_put_where_no_field_is() {
    let document = read("# 1. Build\n\n## 1. A\n");
    let place = Place::document().field("@0-1");
    let edit = |value: &str| model::Edit::Set {
        place: place.clone(),
        value: json!(value),
    };
    assert!(document.edit(&edit("##")).is_ok());
    assert!(document.edit(&edit("rm")).is_err());
    assert!(document.edit(&model::Edit::Remove { place: place.clone() }).is_err());
}

#[test]
fn files_are_told_apart() {
    let runbook = "# T\n\n## 1. A\n\nText.\n\n- PASS: CONTINUE\n";
    assert_eq!(detect("a.runbook.md", ""), Some(Format::Rundown));
    assert_eq!(detect("docs/A.RUNBOOK.MD", "anything"), Some(Format::Rundown));
    assert_eq!(detect("ops/deploy.workflow.md", runbook), Some(Format::Rundown));
    assert_eq!(detect("a.txt", runbook), None);
    // Another Markdown file is one only where a person opens it as one.
    assert_eq!(detect("a.md", runbook), None);
    assert_eq!(Document::parse("a.md", runbook).not_a_workflow(), None);
    for text in [
        "# Readme\n\n## 1. Install\n\n```bash\nnpm install\n```\n\n## 2. Use\n\n- PASS it a file\n",
        "# Readme\n\n## Usage\n\n- PASS: CONTINUE\n",
        "# About runbooks\n\n## 1. An example\n\n```markdown\n## 1. A\n- PASS: CONTINUE\n```\n",
        "",
        "steps:\n  - id: a\n",
    ] {
        assert_eq!(detect("README.md", text), None, "{text}");
    }
}

#[test]
fn a_shell_is_not_given_the_rest_of_a_runbook() {
    let worst = |text: &str| {
        read(text)
            .diagnostics()
            .iter()
            .filter(|d| d.code == "GH0222")
            .map(|d| d.severity)
            .max()
    };
    assert_eq!(worst("## 1. A\n\n```bash\nmake\n\n## 2. B\n"), Some(Severity::Error));
    assert_eq!(worst("## 1. A\n\n```bash\nmake\n"), Some(Severity::Warning));
    assert_eq!(worst("## 1. A\n\n```\nmake\n\n## 2. B\n"), Some(Severity::Warning));
    assert_eq!(worst("## 1. A\n\n```bash\nmake\n## no step\n```\n"), None);
}

#[test]
fn a_block_says_behind_its_language_that_it_wants_a_terminal() {
    let text = "## 1. Ask\n\n```bash terminal\nread x\n```\n\n## 2. Make\n\n```sh\nmake\n```\n\n## 3. Read\n\n```bash terminal prompt\nmake\n```\n";
    let document = read(text);
    let wanted: Vec<bool> = document.workflow().steps().iter().map(|step| step.terminal).collect();
    assert_eq!(wanted, [true, false, false]);
    let said: Vec<&str> = document.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        said,
        ["`terminal` has no effect on a block that is shown and not executed"]
    );
}

/// What says GH0222 of a text: its lines, each with how bad it is.
fn taken_in(text: &str) -> Vec<(usize, Severity)> {
    let document = read(text);
    let found = document.diagnostics().iter().filter(|one| one.code == "GH0222");
    let line = |place: &Place| document.position(document.span(place).expect("a place").start).line;
    found.map(|one| (line(&one.place), one.severity)).collect()
}

#[test]
fn a_line_that_was_meant_to_end_a_block_gives_no_later_step_to_the_shell() {
    let gate = "\n\n## 2 Approve\n\nDo you approve?\n\n## 3 Deploy\n\n```bash\necho deployed\n```\n";
    for end in ["```bash", "    ```", "\t```", "````sh", "``` # end"] {
        let text = format!("## 1 Build\n\n```bash\necho built\n{end}{gate}");
        assert_eq!(taken_in(&text), [(5, Severity::Error)], "{end}");
        assert_eq!(taken_in(&text.replace('\n', "\r\n")), [(5, Severity::Error)], "{end}");
    }
    for text in [
        format!("## 1 Build\n\n```bash\necho built\n```{gate}"),
        "## 1 A\n\n~~~~bash\ncat <<X\n~~~json\n~~~\nX\n~~~~\n".to_owned(),
        "## 1 A\n\n~~~bash\ncat <<X\n```json\n```\nX\n~~~\n".to_owned(),
        "## 1 A\n\nLook.\n\n```markdown\n```bash\ntrue\n```\n".to_owned(),
    ] {
        assert_eq!(taken_in(&text), [], "{text}");
    }
    let shown = "## 1 A\n\nLook.\n\n```json\n{}\n```json\n\n## 2 B\n\n```\n";
    assert_eq!(taken_in(shown), [(7, Severity::Warning)]);
}

#[test]
fn html_takes_in_no_step_unseen() {
    let steps = "\n\n## 2 Approve\n\nDo you approve?\n\n## 3 Deploy\n\n```bash\necho deployed\n```\n";
    for open in [
        "<!-- a note",
        "<pre>",
        "<script>",
        "<style>",
        "<textarea>",
        "<![CDATA[",
        "<?php",
    ] {
        let text = format!("## 1 A\n\nLook.\n\n{open}{steps}");
        assert_eq!(taken_in(&text), [(5, Severity::Error)], "{open}");
        // Above the first step as well.
        assert_eq!(
            taken_in(&format!("# T\n\n{open}{steps}")),
            [(3, Severity::Error)],
            "{open}"
        );
        let last = format!("## 1 A\n\nLook.\n\n{open}\n\nwords\n");
        assert_eq!(taken_in(&last), [(5, Severity::Warning)], "{open}");
    }
    let inside = "## 1 A\n\nLook.\n\n<div>\n## 2 Approve\n</div>\n\n## 2 B\n\nLook.\n";
    assert_eq!(taken_in(inside), [(6, Severity::Error)]);
    let twice = "## 1 A\n\nLook.\n\n<!-- a note\n\n## 2 Approve\n\n<!-- another -->\n\n## 2 B\n\nLook.\n";
    assert_eq!(taken_in(twice), [(7, Severity::Error)]);
    for text in [
        "## 1 A\n\nLook.\n\n<!--\n\n## 2 Approve\n\n-->\n\n## 2 B\n\nLook.\n",
        "## 1 A\n\n<details>\n<summary>More</summary>\n\nLook.\n\n</details>\n\n## 2 B\n\nLook.\n",
        "## 1 A\n\n```html\n<!-- a note\n```\n\n## 2 B\n\nLook at `<pre>` and <!-- this.\n",
    ] {
        assert_eq!(taken_in(text), [], "{text}");
    }
}
