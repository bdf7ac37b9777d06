//! What is read from the valid fixtures, field by field; and where everything stands.
#![expect(
    clippy::disallowed_methods,
    reason = "tests read their fixtures and say what they skip"
)]

use dialect::{Document, Span, StepField};
use model::{Condition, GateAt, GateRequirement, Operator, Place, Routing, Severity};
use serde_json::json;

fn fixture(name: &str) -> Document {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/dialects/stepwise/valid/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("the fixture exists");
    Document::parse(name, &text)
}

fn shown(document: &Document, span: Option<Span>) -> &str {
    let span = span.expect("a span");
    &document.text()[span.start..span.end]
}

/// An expression is read and carried out; one that cannot be evaluated is an error at its place.
#[test]
fn a_condition_that_is_an_expression() {
    let read = |written: &str| {
        let text = format!(
            "id: x\nsteps:\n  - id: a\n    station: w\n    routing:\n      kind: branch\n      when:\n        - next: a\n          condition: {written}\n"
        );
        Document::parse("x.yaml", &text)
    };
    for written in ["\"score > 3\"", "{expression: score > 3}"] {
        let document = read(written);
        let Routing::Guarded { guards, .. } = &document.workflow().steps()[0].routing else {
            panic!("guards")
        };
        let expression = "score > 3".to_owned();
        assert_eq!(guards[0].condition, Condition::Cel { expression });
        assert!(
            document
                .diagnostics()
                .iter()
                .all(|d| d.code != "GH0501" && d.code != "GH0504")
        );
    }
    for written in ["\"score >\"", "{expression: score >}"] {
        let document = read(written);
        let error = document.diagnostics().iter().find(|d| d.code == "GH0504");
        let error = error.unwrap_or_else(|| panic!("{:?}", document.diagnostics()));
        let span = document.span(&error.place).expect("a place");
        assert_eq!(document.position(span.start).line, 9);
    }
}

/// What the contract says is a number never equals a text, and a way or a gate behind it is left out for ever.
#[test]
fn a_number_of_the_contract_that_is_compared_with_text_is_named() {
    let said = |condition: &str| -> Vec<String> {
        let text = format!(
            "id: x\nname: X\nsteps:\n  - id: a\n    station: s\n    routing:\n      kind: branch\n      when:\n        \
             - {{condition: \"{condition}\", next: b}}\n      default: b\n  - {{id: b, station: s}}\n"
        );
        let document = Document::parse("x.yaml", &text);
        let found = document.diagnostics().iter().filter(|d| d.code == "GH0504");
        found.map(|d| format!("{:?} {}", d.severity, d.message)).collect()
    };
    for (condition, why) in [
        (
            "iteration_count == '3'",
            "`iteration_count` is a number, and a number never equals text",
        ),
        (
            "receipt.duration_ms > '100'",
            "`receipt.duration_ms` is a number, and a number cannot be compared with text",
        ),
        (
            "run.step_id == 3",
            "`run.step_id` is text, and text never equals a number",
        ),
    ] {
        let found = said(condition);
        assert!(
            found.len() == 1 && found[0].starts_with("Note ") && found[0].contains(why),
            "{condition}: {found:?}"
        );
    }
    // What a step reports may be anything.
    for condition in ["iteration_count == 3", "score == '3'", "receipt.status == 'succeeded'"] {
        assert_eq!(said(condition), Vec::<String>::new(), "{condition}");
    }
}

#[test]
fn a_config_flow() {
    let document = fixture("config.yaml");
    let flow = document.workflow();
    assert_eq!(flow.id.as_str(), "contract-review");
    assert_eq!(flow.title, "Contract review → signed");
    assert!(!flow.spec_generation);
    assert_eq!(
        flow.description.as_deref(),
        Some("A draft is written, judged until it is good, and signed by a person.")
    );
    assert_eq!(flow.fields.keys().collect::<Vec<_>>(), ["version", "charter"]);

    let draft = &flow.steps()[0];
    assert_eq!((draft.name.as_str(), draft.number.as_str()), ("Write the draft", "1"));
    assert_eq!(draft.agent_key().as_str(), "writer");
    assert_eq!(draft.inputs, ["brief.md"]);
    assert_eq!(draft.outputs, ["draft.md"]);
    assert_eq!(draft.routing, Routing::Sequence);
    assert_eq!(draft.retries.map(|r| (r.max, r.backoff_ms)), Some((Some(2), 500)));
    assert_eq!(draft.timeout_ms, Some(90_000));
    assert_eq!(draft.fields.keys().collect::<Vec<_>>(), ["teaching_notes"]);

    let critique = &flow.steps()[1];
    assert_eq!(critique.name, "Critique");
    assert_eq!(critique.intent.as_deref(), Some("Judge it; don't mend it"));
    let Routing::Microloop(microloop) = &critique.routing else {
        panic!("{:?}", critique.routing)
    };
    assert_eq!(microloop.success_values, ["VERIFIED", "verified", "0"]);
    assert_eq!(microloop.max_iterations, 3);
    assert_eq!(microloop.next.as_ref().map(model::StepId::as_str), Some("triage"));
    // What routing does not know is kept.
    assert_eq!(critique.fields.get("routing"), Some(&json!({"colour": "#f59e0b"})));

    let Routing::Branch(branch) = &flow.steps()[2].routing else {
        panic!("a branch")
    };
    assert_eq!(branch.field.as_deref(), Some("size"));
    assert_eq!(branch.branches.keys().collect::<Vec<_>>(), ["large", "3"]);
    assert_eq!(flow.steps()[2].inputs, ["draft.md"]);

    let gate = flow.steps()[3].gate.as_ref().expect("a gate");
    assert_eq!((gate.requirement, gate.at), (GateRequirement::Required, GateAt::Before));
    assert_eq!(gate.question.as_deref(), Some("Is the contract in order?"));
    assert_eq!(gate.asks.len(), 2);
    assert_eq!(gate.on_reject.as_ref().map(model::StepId::as_str), Some("draft"));
    assert_eq!(flow.steps()[3].routing, Routing::Sequence);
}

#[test]
fn a_spec_flow() {
    let document = fixture("spec.yaml");
    let flow = document.workflow();
    assert!(flow.spec_generation);
    assert_eq!(flow.id.as_str(), "2-shape");
    let author = &flow.steps()[0];
    assert_eq!(
        author.intent.as_deref(),
        Some("Write the requirements.\nNumber them.\n")
    );
    assert_eq!(author.agent_key().as_str(), "author");
    let Routing::Microloop(microloop) = &flow.steps()[1].routing else {
        panic!("a microloop")
    };
    assert_eq!(microloop.max_iterations, 3, "the later generation's default");
    assert_eq!(microloop.exit_on["status"], [json!("VERIFIED"), json!("verified")]);
    assert_eq!(microloop.exit_on["can_further_iteration_help"], [json!(false)]);
    let Routing::Guarded { guards, next } = &flow.steps()[2].routing else {
        panic!("guards")
    };
    let first = Condition::Compare {
        field: "verdict".to_owned(),
        operator: Operator::Equals,
        value: json!("GO"),
    };
    assert_eq!(guards[0].condition, first);
    let second = Condition::Compare {
        field: "score".to_owned(),
        operator: Operator::Gt,
        value: json!(3),
    };
    assert_eq!(guards[1].condition, second);
    assert_eq!(next.as_ref().map(model::StepId::as_str), Some("author"));
    assert_eq!(flow.steps()[3].routing, Routing::Terminal);
    assert_eq!(
        document.field(0, StepField::Intent),
        Some(Place::step(0).field("objective"))
    );
}

#[test]
fn a_graph_file() {
    let document = fixture("graph.json");
    let flow = document.workflow();
    let names: Vec<_> = flow.steps().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["Write it", "Judge", "Close"]);
    assert_eq!(flow.steps()[0].intent.as_deref(), Some("Write 😀"));
    assert_eq!(flow.steps()[1].agent_key().as_str(), "strict-critic");
    assert_eq!(flow.steps()[2].routing, Routing::Terminal);
    let Routing::Guarded { guards, next } = &flow.steps()[1].routing else {
        panic!("guards")
    };
    // The loop's priority (50) is tried before the way out (10).
    assert_eq!(
        (guards.len(), guards[0].to.as_str(), guards[0].back),
        (1, "write", true)
    );
    assert_eq!(next.as_ref().map(model::StepId::as_str), Some("close"));
    // Routes stand where the edges are.
    let place = Place::step(1).field("routing").field("default");
    assert_eq!(document.value(&place), Some(json!("close")));
    let span = document.span(&place).expect("a span");
    assert_eq!(shown(&document, Some(span)), "\"to\": \"close\"");
    assert_eq!(document.place_at(span.start), place);
    assert_eq!(document.position(span.start).line, 12);
}

/// Comments, a comma before a closing bracket, and a line end or a tab in a text: read here, and refused by other programs, each with what it is.
#[test]
fn what_is_json_here_alone_is_read_and_named() {
    let whole = "{\n  \"key\": \"k\",\n  \"steps\": [{\"id\": \"a\", \"role\": \"r\", \"agents\": [\"a\"]}]\n}\n";
    let found = |text: &str| -> Vec<(String, Severity, usize)> {
        let document = Document::parse("k.json", text);
        assert_eq!(document.workflow().steps().len(), 1, "{text}");
        let line = |place: &Place| document.position(document.span(place).expect("a place").start).line;
        let all = document.diagnostics().iter();
        all.map(|one| (one.code.clone(), one.severity, line(&one.place)))
            .collect()
    };
    assert_eq!(found(whole), []);
    assert_eq!(found(&format!("\u{feff}{whole}")), []);
    let (comment, comma) = ("a comment stands here", "a comma stands before a closing bracket");
    let broken = "a line end or a tab stands in a text";
    for (text, line, said) in [
        (whole.replace("\"steps\"", "/* c */ \"steps\""), 3, comment),
        (whole.replace("}]", "},]"), 3, comma),
        (whole.replace("[\"a\"]", "[\"a\",]"), 3, comma),
        (whole.replace("[\"a\"]}", "[\"a\"],}"), 3, comma),
        (format!("{whole}// x\n"), 5, comment),
        (format!("\u{feff}{whole}// x\n"), 5, comment),
        (whole.replace("\"r\"", "\"r\tx\""), 3, broken),
        (whole.replace("\"r\"", "\"r\nx\""), 3, broken),
    ] {
        assert_eq!(found(&text), [("GH0119".to_owned(), Severity::Warning, line)], "{text}");
        let message = Document::parse("k.json", &text).diagnostics()[0].message.clone();
        assert!(message.ends_with(said), "{text}: {message}");
    }
}

#[test]
fn merged_and_shared_parts_are_read() {
    let document = fixture("shared.yaml");
    let steps = document.workflow().steps();
    assert_eq!(steps[0].agent_key().as_str(), "worker");
    assert_eq!((steps[0].timeout_ms, steps[1].timeout_ms), (Some(30_000), Some(60_000)));
    assert_eq!(steps[1].intent.as_deref(), Some("Do the work"));
}

#[test]
fn spans_are_exact() {
    let document = fixture("config.yaml");
    let field = |step: usize, path: &[&str]| Place::step(step).path(path.iter().map(|p| (*p).to_owned()));
    let entry = |place: &Place| shown(&document, document.span(place)).to_owned();
    let value = |place: &Place| shown(&document, document.value_span(place)).to_owned();
    assert_eq!(entry(&field(0, &["role"])), "role: \"Write the contract → draft.md\"");
    assert_eq!(value(&field(1, &["role"])), "'Judge it; don''t mend it'");
    assert_eq!(value(&field(1, &["routing", "max_iterations"])), "3");
    assert_eq!(entry(&field(1, &["routing", "loop_success_values", "1"])), "verified");
    assert_eq!(value(&field(2, &["routing", "branches", "large"])), "sign");
    assert_eq!(value(&Place::document().field("description")).lines().count(), 3);
    // Where a place does not exist, its nearest ancestor stands for it.
    assert_eq!(
        document.span(&field(3, &["routing", "next"])),
        document.span(&field(3, &["routing"]))
    );
    assert_eq!(document.value(&field(3, &["routing", "next"])), None);
    assert!(shown(&document, document.span(&Place::step(3))).starts_with("id: sign"));
}

#[test]
fn every_byte_belongs_to_a_place_that_contains_it() {
    for name in ["config.yaml", "spec.yaml", "graph.json", "windows.yaml", "shared.yaml"] {
        let document = fixture(name);
        for offset in 0..document.text().len() {
            let place = document.place_at(offset);
            // The route of a graph file is its whole edge; its span is the edge's target.
            let is_edge = name == "graph.json" && place.path.first().is_some_and(|p| p == "routing");
            if place == Place::document() || is_edge {
                continue;
            }
            let span = document.span(&place).expect("it was found there");
            let line_end = document.text()[span.end..]
                .find('\n')
                .map_or(document.text().len(), |n| span.end + n);
            // A dash belongs to its item and the blanks and comment behind a value to that value.
            let line_start = document.text()[..span.start].rfind('\n').map_or(0, |n| n + 1);
            assert!(
                (line_start..=line_end).contains(&offset),
                "{name}: {offset} in {place:?} {span:?}"
            );
        }
    }
}

#[test]
fn lines_and_columns_count_characters_and_every_kind_of_line_end() {
    let document = Document::parse("x.yaml", "\u{feff}a: é1\r\nb: 2\rc: 3\n");
    let at = |needle: &str| {
        let position = document.position(document.text().find(needle).expect("it is there"));
        (position.line, position.column)
    };
    assert_eq!(at("a:"), (1, 1));
    assert_eq!(at("1"), (1, 5));
    assert_eq!(at("b"), (2, 1));
    assert_eq!(at("3"), (3, 4));
    let end = document.position(usize::MAX);
    assert_eq!((end.line, end.column), (4, 1));
}

#[test]
fn a_broken_file_shows_what_stands_before_the_break() {
    let text =
        "key: x\nsteps:\n  - id: first\n    role: Read\n  - id: second\n    role: \"never closed\n  - id: third\n";
    let document = Document::parse("x.yaml", text);
    assert_eq!(document.text(), text);
    let codes: Vec<_> = document.diagnostics().iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["GH0101"]);
    assert_eq!(
        document.diagnostics()[0].message,
        "This file cannot be read past line 6, column 11: a quote is opened here and not closed before the next field"
    );
    let ids: Vec<_> = document.workflow().steps().iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["first", "second"]);
    assert_eq!(document.workflow().steps()[0].intent.as_deref(), Some("Read"));
}

#[test]
fn an_unknown_word_never_opens_a_gate() {
    let gate = |word: &str| {
        let document = Document::parse("x.yaml", &format!("steps:\n  - id: a\n    human_gate: {word}\n"));
        document.workflow().steps()[0].gate.as_ref().map(|g| g.requirement)
    };
    for word in [
        "required",
        "true",
        "Required",
        "requierd",
        "[x]",
        "{required: false}",
        "1",
        // Nothing, which somebody has begun to write.
        "~",
        "",
        "''",
    ] {
        assert_eq!(gate(word), Some(GateRequirement::Required), "{word}");
    }
    for word in ["none", "no", "n/a", "false"] {
        assert_eq!(gate(word), None, "{word}");
    }
    assert_eq!(gate("optional"), Some(GateRequirement::Optional));
}

#[test]
fn a_misspelt_word_of_a_gate_is_mended_by_a_click_that_never_takes_the_gate_away() {
    let fix = |field: &str, word: &str| {
        let text = format!("steps:\n- id: a\n  role: A\n  human_gate: required\n  {field}: {word}\n").replace(
            &format!("  human_gate: required\n  human_gate: {word}"),
            &format!("  human_gate: {word}"),
        );
        let document = Document::parse("a.yaml", &text);
        let found = document
            .diagnostics()
            .iter()
            .find(|d| d.code == "GH0109")
            .expect("it is not known");
        found
            .fix
            .as_ref()
            .map(|fix| dialect::apply(&text, &document.edit(&fix.edit).expect("it is written")))
    };
    let mended = |field: &str, word: &str| {
        fix(field, word).and_then(|text| Some(text.trim_end().rsplit_once(": ")?.1.to_owned()))
    };
    assert_eq!(mended("human_gate", "requird").as_deref(), Some("required"));
    assert_eq!(mended("human_gate", "Optionl").as_deref(), Some("optional"));
    assert_eq!(mended("gate_at", "befor").as_deref(), Some("before"));
    assert_eq!(mended("human_gate", "nonne"), None);
    assert_eq!(mended("human_gate", "perhaps"), None);
}

/// Flows of both generations and graph files name several agents of one step: each once, the station first.
#[test]
fn a_step_may_name_several_agents() {
    let read = |path: &str, text: &str| {
        let document = Document::parse(path, text);
        let errors = document
            .diagnostics()
            .iter()
            .filter(|d| d.severity == model::Severity::Error);
        assert_eq!(errors.count(), 0, "{text}: {:?}", document.diagnostics());
        let step = &document.workflow().steps()[0];
        let agents: Vec<String> = step.agents.iter().map(ToString::to_string).collect();
        (agents.join(" "), step.parallel)
    };
    let config = "key: k\nsteps:\n- {id: a, role: r, agents: [x, y, x], agent: z, parallel: true}\n";
    assert_eq!(read("k.yaml", config), ("x y z".to_owned(), true));
    let spec = "id: k\nsteps:\n- {id: a, objective: o, station: s, agents: [x, s]}\n";
    assert_eq!(read("k.yaml", spec), ("s x".to_owned(), false));
    let graph = "id: k\nnodes:\n- {node_id: a, template_id: t, agents: [x, y], parallel: true}\nedges: []\n";
    assert_eq!(read("k.graph.yaml", graph), ("x y".to_owned(), true));
}

#[test]
fn a_graph_s_nodes_say_it_like_steps() {
    let text = "name: Small\nnodes:\n- {id: write, name: Write it, role: Writes, agents: [kim, lee], inputs: [a.md], phase: Draft}\n\
                - {id: judge, title: Judge, objective: Finds faults, agent: mia, human_gate: required}\n- {id: close, station: closer}\n\
                edges:\n- {id: e1, from: write, to: judge}\n- {id: e2, from: judge, to: close, kind: sequence, priority: 10}\n\
                - {id: e3, from: judge, to: write, kind: loop, condition: {field: status, operator: equals, value: UNVERIFIED}}\n";
    let document = Document::parse("small.graph.yaml", text);
    let flow = document.workflow();
    let codes: Vec<String> = document.diagnostics().iter().map(|d| d.code.to_string()).collect();
    assert_eq!((flow.title.as_str(), codes.as_slice()), ("Small", &[][..] as &[String]));
    let said: Vec<_> = flow
        .steps()
        .iter()
        .map(|s| (s.name.as_str(), s.intent.as_deref(), s.agent_key().to_string()))
        .collect();
    assert_eq!(
        said,
        [
            ("Write it", Some("Writes"), "kim".to_owned()),
            ("Judge", Some("Finds faults"), "mia".to_owned()),
            ("Close", None, "closer".to_owned())
        ]
    );
    assert_eq!(flow.steps()[0].agents.len(), 2);
    assert_eq!(
        (flow.steps()[0].inputs.as_slice(), flow.steps()[0].phase.as_deref()),
        (&["a.md".to_owned()][..], Some("Draft"))
    );
    let Routing::Guarded { guards, next } = &flow.steps()[1].routing else {
        panic!("guards")
    };
    assert!(guards[0].back, "`kind: loop`");
    assert_eq!(next.as_ref().map(model::StepId::as_str), Some("close"));
    // What people edit stands where the node has it, and else where graph files keep it.
    let place = |step, field| document.field(step, field).expect("a place").path.join(".");
    assert_eq!(
        (place(0, StepField::Name), place(1, StepField::Name)),
        ("name".into(), "title".into())
    );
    assert_eq!(
        (place(0, StepField::Intent), place(1, StepField::Intent)),
        ("role".into(), "objective".into())
    );
    assert_eq!(
        (place(2, StepField::Name), place(2, StepField::Intent)),
        ("ui.label".into(), "params.objective".into())
    );
    let edit = model::Edit::Set {
        place: document.field(0, StepField::Name).expect("a place"),
        value: json!("Write well"),
    };
    let after = dialect::apply(text, &document.edit(&edit).expect("it is written"));
    assert_eq!(after, text.replace("Write it", "Write well"));
}

#[test]
fn a_flow_is_told_by_its_steps() {
    let stepwise = |path: &str, text: &str| dialect::detect(path, text) == Some(model::Format::Stepwise);
    assert!(stepwise("a.yaml", "key: x\nsteps:\n  - id: a\n    role: Write\n"));
    assert!(stepwise(
        "a.yml",
        "\u{feff}# c\n'steps': # here\n\n# and\n- id: a\n  station: s\n"
    ));
    assert!(
        stepwise("a.yaml", "x: &x {agents: [w]}\nsteps: [{<<: *x, id: a}]\n"),
        "taken over"
    );
    assert!(
        stepwise("a.yaml", "steps:\n  - id: a\n  - {id: b, routing: {kind: linear}}\n"),
        "one says it"
    );
    assert!(stepwise("a.yaml", "steps:\n  - id: a\n    role: \"broken\n"));
    assert!(stepwise(
        "a.json",
        "{\"steps\": [{\"id\": \"a\", \"objective\": \"x\"}]}"
    ));
    assert!(
        stepwise("a.json", "{\"steps\": [{\"id\": \"a\", \"agents\": [\"x\"], "),
        "breaks off"
    );
    let graph = "{\"nodes\": [{\"id\": \"a\"}], \"edges\": [{\"from\": \"a\", \"to\": \"a\"}]}";
    assert!(stepwise("a.graph.json", graph));
    for (path, text) in [
        ("a.yaml", "key: x\nsteps:\n  - id: a\n"),
        ("a.yaml", "steps: []\n"),
        ("a.yaml", "steps:\n"),
        ("a.yaml", "steps:\n  - {role: Write}\n"),
        ("a.yaml", "steps:\n  - {id: a, agents: {queue: linux}}\n"),
        ("a.yaml", "steps:\n  - {id: a, agents: [queue=linux]}\n"),
        ("a.yaml", "steps:\n  - id: \"broken\n"),
        (
            "a.json",
            "{\"nodes\": [{\"id\": 1}], \"edges\": [{\"source\": 1, \"target\": 1}]}",
        ),
        ("scenario.yaml", "name: s\nsteps:\n  critique:\n    - {report: {}}\n"),
        ("flows.yaml", "flows:\n  - name: a\n    steps: 3\n"),
        ("flows.yaml", "flows: {authorizationCode: {}}\n"),
        ("a.json", "{\"events\": []}"),
        ("notes.md", "steps:\n  - a\n"),
        ("notes.md", "## 1. Build\n\n- PASS: CONTINUE\n"),
        ("a.yaml", ""),
    ] {
        assert_eq!(dialect::detect(path, text), None, "{path}: {text}");
    }
}

#[test]
fn the_id_of_a_flow_without_one_is_the_files_name() {
    let id = |path: &str| Document::parse(path, "steps: [{id: a}]").workflow().id.to_string();
    assert_eq!(id("flows/signal.yaml"), "signal");
    assert_eq!(id("C:\\flows\\build-flow.graph.json"), "build-flow");
    assert_eq!(id("odd"), "odd");
    assert_eq!(id(""), "flow");
}
