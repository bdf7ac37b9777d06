//! StepSpec: what is read from its files, and what is none.

use dialect::stepspec::{output_issues, schema_errors, validation_checks};
use dialect::{Document, StepField, detect};
use model::{
    AgentKey, Format, Gate, GateAt, GateRequirement, Place, QuestionKind, Retries, Risk, Routing, Severity, Work,
};
use serde_json::{Value, json};

const FULL: &str = r#"# the requirements
workflow: site-prd
title: Requirements of the site
description: From the brief to the requirements
module: planning
phase: Phase 2 Planning
agent: writer
questions:
  - name: site
    label: Which site?
    required: true
  - {name: size, options: [small, large], default: small}
  - {name: long, kind: textarea, help: As long as you like}
steps:
  - id: step-01
    name: read-brief
    description: Read the brief
    phase: Phase 1 Analysis
    inputs:
      context: minimal
      artifacts: ["{output_folder}/brief.md"]
      validation_targets: [src/a.py, src/b.py]
      telis_query: headings
      people: {lead: kim}
    outputs: ["{output_folder}/{{site}}-open.md"]
    templates: []
    tools:
      - name: getCurrentTime
        args: {timezone: UTC}
        required: false
        risk: low
      - {name: deploy, args: {to: [a, b]}, required: true, gate: release, risk: HIGH}
      - {name: zap}
    validation: Format validation
    evidence: L0
    human_gate: none
    retries: {max: 1, backoff_seconds: 2.5}
  - id: step-02
    name: draft-prd
    description: Write it
    inputs: {}
    outputs: ["{output_folder}/prd.md"]
    templates: ["template:{template_folder}/prd.template.md"]
    tools: []
    validation: Template/schema validation
    evidence: L2
    human_gate: required
    gate_question: Can we begin?
    gate_asks: [lead, kim]
    on_reject: step-01
    gate_at: after
    retries: {backoff_seconds: 3}
    timeout_seconds: 90
    agents: [writer, editor]
    owner: kim
  - id: step-03
    name: publish
    description: Publish it
    inputs: {}
    outputs: []
    templates: []
    tools: []
    validation: none
    evidence: ""
    human_gate: ""
    retries: {}
    run: |
      make site
"#;

fn read(path: &str, text: &str) -> Document {
    assert_eq!(detect(path, text), Some(Format::StepSpec), "{text}");
    Document::parse(path, text)
}

/// A step of it names two agents: both do it.
fn nothing_is_missed(document: &Document) {
    let found: Vec<_> = document
        .diagnostics()
        .iter()
        .map(|d| (d.code.as_str(), d.place.clone()))
        .collect();
    // `owner` is the author's own.
    let own = [("GH0502", Place::step(1).field("owner"))];
    assert_eq!(found, own);
}

#[test]
fn a_workflow_with_everything() {
    let document = read("workflows/prd.yaml", FULL);
    nothing_is_missed(&document);
    assert_eq!(document.text(), FULL);
    let workflow = document.workflow();
    assert_eq!(workflow.format, Format::StepSpec);
    assert_eq!(workflow.id.as_str(), "site-prd");
    assert_eq!(workflow.title, "Requirements of the site");
    assert_eq!(
        workflow.description.as_deref(),
        Some("From the brief to the requirements")
    );
    assert_eq!(workflow.fields.get("module"), Some(&json!("planning")));
    assert_eq!(workflow.entry().map(|step| step.id.as_str()), Some("step-01"));

    let [first, second, third] = workflow.steps() else {
        panic!("three steps");
    };
    assert_eq!(
        (first.id.as_str(), first.name.as_str(), first.ordinal),
        ("step-01", "read-brief", 0)
    );
    assert_eq!(first.number, "1");
    assert_eq!(first.intent.as_deref(), Some("Read the brief"));
    assert_eq!(first.phase.as_deref(), Some("Phase 1 Analysis"));
    assert_eq!(first.inputs, ["{output_folder}/brief.md"]);
    assert_eq!(first.parameters.get("context"), Some(&json!("minimal")));
    assert_eq!(
        first.parameters.get("artifacts"),
        Some(&json!(["{output_folder}/brief.md"]))
    );
    assert_eq!(
        first.parameters.get("validation_targets"),
        Some(&json!(["src/a.py", "src/b.py"]))
    );
    assert_eq!(first.parameters.get("people"), Some(&json!({"lead": "kim"})));
    assert_eq!(first.outputs, ["{output_folder}/{{site}}-open.md"]);
    assert_eq!(first.templates, Vec::<String>::new());
    let calls: Vec<_> = first.tools.iter().collect();
    assert_eq!(calls.len(), 3);
    assert_eq!(
        (calls[0].name.as_str(), &calls[0].args),
        ("getCurrentTime", &json!({"timezone": "UTC"}))
    );
    assert_eq!(
        (calls[0].required, calls[0].risk, calls[0].gate.as_deref()),
        (false, Some(Risk::Low), None)
    );
    assert_eq!(
        (calls[1].required, calls[1].risk, calls[1].gate.as_deref()),
        (true, Some(Risk::High), Some("release"))
    );
    assert_eq!(
        (calls[2].required, calls[2].risk, &calls[2].args),
        (false, None, &json!({}))
    );
    assert_eq!(first.validation.as_deref(), Some("Format validation"));
    assert_eq!(first.evidence.as_deref(), Some("L0"));
    assert_eq!(first.gate, None, "`none` asks nobody, whatever the policy says");
    let twice = Retries {
        max: Some(1),
        backoff_ms: 2_500,
    };
    assert_eq!(first.retries, Some(twice));
    assert_eq!(first.agents, [AgentKey::new("writer")], "that of the workflow");
    assert!(workflow.steps().iter().all(|step| step.routing == Routing::Sequence));

    assert_eq!(
        second.phase.as_deref(),
        Some("Phase 2 Planning"),
        "that of the workflow"
    );
    assert_eq!(second.templates, ["template:{template_folder}/prd.template.md"]);
    let gate = Gate {
        requirement: GateRequirement::Required,
        at: GateAt::After,
        question: Some("Can we begin?".to_owned()),
        asks: vec!["lead".into(), "kim".into()],
        on_reject: Some("step-01".into()),
    };
    assert_eq!(second.gate, Some(gate));
    let pause = Retries {
        max: None,
        backoff_ms: 3_000,
    };
    assert_eq!(second.retries, Some(pause), "the number is the project's");
    assert_eq!(second.timeout_ms, Some(90_000));
    assert_eq!(second.agents, [AgentKey::new("writer"), AgentKey::new("editor")]);
    assert_eq!(second.fields.get("owner"), Some(&json!("kim")));

    let gate = third.gate.as_ref().expect("an empty word leaves it to the policy");
    assert_eq!((gate.requirement, gate.at), (GateRequirement::Optional, GateAt::Before));
    assert_eq!((third.retries, third.evidence.as_deref()), (None, None));
    let script = Work::Command {
        language: "sh".to_owned(),
        script: "make site\n".to_owned(),
    };
    assert_eq!(third.work, script);

    let questions: Vec<_> = workflow.questions.iter().collect();
    assert_eq!(
        (questions[0].name.as_str(), questions[0].label.as_str()),
        ("site", "Which site?")
    );
    assert!(questions[0].required && !questions[1].required);
    assert_eq!(questions[1].kind, QuestionKind::Choice, "options make it one");
    assert_eq!(
        (questions[1].label.as_str(), &questions[1].default),
        ("Size", &Some(json!("small")))
    );
    assert_eq!(questions[2].kind, QuestionKind::LongText);
    assert_eq!(questions[2].help.as_deref(), Some("As long as you like"));
}

#[test]
fn json_says_the_same() {
    let value: Value = serde_yaml::from_str(FULL).expect("YAML");
    let text = serde_json::to_string_pretty(&value).expect("JSON");
    let document = read("prd.json", &text);
    nothing_is_missed(&document);
    assert_eq!(document.text(), text);
    let yaml = Document::parse("prd.yaml", FULL);
    assert_eq!(document.workflow().steps(), yaml.workflow().steps());
    assert_eq!(document.workflow().questions, yaml.workflow().questions);
    assert_eq!(document.workflow().flows(), yaml.workflow().flows());
    // An editor's byte order mark is none of the content, and stays where it is.
    let marked = format!("\u{feff}{text}");
    let with_mark = read("prd.json", &marked);
    nothing_is_missed(&with_mark);
    assert_eq!(with_mark.text(), marked);
    assert_eq!(with_mark.workflow().questions, yaml.workflow().questions);
    let names = |document: &Document| {
        document
            .workflow()
            .steps()
            .iter()
            .map(|step| step.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&with_mark), names(&yaml));
}

#[test]
fn a_number_that_is_too_large_to_be_counted_with_is_no_other_one() {
    for (retries, is_read) in [
        ("4294967295", true),
        ("4294967296", false),
        ("99999999999999999999999", false),
    ] {
        let text = format!(
            "steps:\n- {{id: a, name: a, validation: none, retries: {{max: {retries}, backoff_seconds: 1}}}}\n"
        );
        let document = Document::parse("a.yaml", &text);
        let told = document.diagnostics().iter().any(|one| one.code == "GH0104");
        assert_eq!(told, !is_read, "{retries}: {:?}", document.diagnostics());
    }
}

#[test]
fn what_is_a_step_spec_file_and_what_is_none() {
    let step = "- {id: a, name: a, validation: none}\n";
    for (path, text) in [
        ("a.yaml", format!("steps:\n{step}")),
        ("a.yml", format!("step_specs:\n{step}")),
        ("a.yaml", "step_specs: []\n".to_owned()),
        ("a.yaml", "format: stepspec\n# no steps\n".to_owned()),
        ("a.yaml", "format: Step-Spec\nsteps: [{id: a}]\n".to_owned()),
        ("a.yaml", "steps: [{id: a, phase: P, human_gate: none}]".to_owned()),
        ("a.yaml", "steps: [{id: a}, {id: b, tools: [{name: x}]}]".to_owned()),
        ("a.yaml", "steps: [{id: a, inputs: {artifacts: []}}]".to_owned()),
        ("a.yaml", "steps: [{id: a, evidence: L1}]".to_owned()),
        ("a.json", r#"{"steps": [{"id": "a", "templates": []}]}"#.to_owned()),
        ("a", r#"{"step_specs": []}"#.to_owned()),
        (
            "flow.yaml",
            "format: stepspec\nstages: []\npipeline_id: x\nstep: x\n".to_owned(),
        ),
    ] {
        assert_eq!(detect(path, &text), Some(Format::StepSpec), "{path}: {text}");
        assert_eq!(
            Document::parse(path, &text).workflow().format,
            Format::StepSpec,
            "{text}"
        );
    }
    for (path, text, format) in [
        ("a.yaml", format!("key: build\nsteps:\n{step}"), None),
        (
            "a.yaml",
            format!("steps:\n{step}- {{id: b, routing: {{kind: linear}}}}\n"),
            Some(Format::Stepwise),
        ),
        (
            "a.yaml",
            "steps: [{id: a, agents: [x], tools: [hammer]}]".to_owned(),
            Some(Format::Stepwise),
        ),
        (
            "a.yaml",
            "steps: [{id: a, role: x, evidence: L1}]".to_owned(),
            Some(Format::Stepwise),
        ),
        (
            "a.yaml",
            format!("format: stepwise\nsteps:\n{step}"),
            Some(Format::Stepwise),
        ),
        ("a.yaml", "steps: [{id: a, phase: P, inputs: [x]}]".to_owned(), None),
        ("a.yaml", "steps: [{name: a, validation: {schema: x}}]".to_owned(), None),
        (
            "a.yaml",
            "steps:\n  a: [{status: failed}]\nvalidation: x\n".to_owned(),
            None,
        ),
        (
            "PIPE-20260131-a-093000.yaml",
            "format: stepspec\nstep: x\n".to_owned(),
            Some(Format::Pipeline),
        ),
        (
            "a.yaml",
            format!("pipeline_id: x\nstages: []\nsteps:\n{step}"),
            Some(Format::Pipeline),
        ),
        (
            "a.runbook.md",
            "# steps\n## 1. validation\n".to_owned(),
            Some(Format::Rundown),
        ),
        ("a.txt", format!("steps:\n{step}"), None),
    ] {
        assert_eq!(detect(path, &text), format, "{path}: {text}");
        let read = Document::parse(path, &text).workflow().format;
        assert!(format.is_none_or(|format| read == format), "{path}: {text}: {read:?}");
    }
}

const ONE: &str = "id: draft\nname: Draft the brief\ndescription: Writes it\nphase: Analysis\ninputs: {artifacts: [notes.md]}\noutputs: ['{output_folder}/brief.md']\n\
                   templates: []\ntools: []\nvalidation: none\nevidence: L1\nhuman_gate: required\nretries: {}\nagent: kim\n";

#[test]
fn one_step_spec_is_a_workflow_of_one_step() {
    assert_eq!(detect("draft.yaml", ONE), Some(Format::StepSpec));
    let document = read("steps/draft.yaml", ONE);
    assert_eq!(document.diagnostics(), []);
    let workflow = document.workflow();
    assert_eq!(
        (workflow.id.as_str(), workflow.title.as_str()),
        ("draft", "Draft the brief")
    );
    let [step] = workflow.steps() else { panic!("one step") };
    assert_eq!((step.id.as_str(), step.phase.as_deref()), ("draft", Some("Analysis")));
    assert_eq!(step.inputs, ["notes.md"]);
    // A place of its step is a key of the file, and back.
    let place = Place::step(0).field("validation");
    let span = document.value_span(&place).expect("it stands there");
    assert_eq!(&ONE[span.start..span.end], "none");
    assert_eq!(document.place_at(span.start), place);
    let set = |field: &str, value: Value| model::Edit::Set {
        place: Place::step(0).field(field),
        value,
    };
    let edits = document
        .edit(&set("name", json!("Write the brief")))
        .expect("it is written");
    assert_eq!(
        dialect::apply(ONE, &edits),
        ONE.replace("Draft the brief", "Write the brief")
    );
    // Another step has no place in it, and without its own it is no StepSpec.
    let add = model::Edit::Set {
        place: Place::step(1),
        value: json!({"id": "more"}),
    };
    assert!(document.edit(&add).is_err());
    assert!(document.edit(&model::Edit::Remove { place: Place::step(0) }).is_err());
    // A field or four may be missing, and that is said; with fewer it is something else.
    let short = ONE.replace("templates: []\ntools: []\n", "");
    let codes: Vec<String> = read("a.yaml", &short)
        .diagnostics()
        .iter()
        .map(|d| d.code.clone())
        .collect();
    assert_eq!(codes, ["GH0403"]);
    assert_eq!(
        detect(
            "a.yaml",
            "id: draft\nname: Draft\nphase: A\ntools: []\ninputs: {}\nhuman_gate: none\n"
        ),
        None
    );
}

#[test]
fn the_manifest_of_a_run_opens_as_its_workflow() {
    let step = serde_yaml::from_str::<Value>(ONE).expect("YAML");
    for (around, text) in [
        ("", json!({"title": "Brief", "step_specs": [step]})),
        (
            "workflow.",
            json!({"run_id": "r", "workflow": {"id": "brief", "title": "Brief", "step_specs": [step]}}),
        ),
        (
            "run.workflow.",
            json!({"run": {"id": "r", "workflow": {"id": "brief", "title": "Brief", "step_specs": [step]}, "steps": []}}),
        ),
    ] {
        let text = serde_json::to_string_pretty(&text).expect("JSON");
        let name = "runs/r/manifest.json";
        assert_eq!(detect(name, &text), Some(Format::StepSpec), "{text}");
        let document = Document::parse(name, &text);
        assert_eq!(document.diagnostics(), []);
        assert_eq!(
            (document.workflow().title.as_str(), document.workflow().steps().len()),
            ("Brief", 1),
            "{around}"
        );
        let place = Place::step(0).field("phase");
        let span = document.value_span(&place).expect(around);
        assert_eq!(&text[span.start..span.end], "\"Analysis\"");
        assert_eq!(document.place_at(span.start), place, "{around}");
        let edit = model::Edit::Set {
            place,
            value: json!("Planning"),
        };
        let edits = document.edit(&edit).expect("it is written");
        assert_eq!(dialect::apply(&text, &edits), text.replace("Analysis", "Planning"));
    }
}

/// One step with other fields than usual, and the file around it.
fn with(fields: &[(&str, Value)]) -> (Value, Document) {
    let mut step = json!({
        "id": "s", "name": "n", "description": "d", "phase": "P", "inputs": {}, "outputs": [], "templates": [],
        "tools": [], "validation": "none", "evidence": "", "human_gate": "optional", "retries": {},
    });
    for (name, value) in fields {
        match value {
            // Taken as: not there at all.
            Value::String(gone) if gone == "\u{0}" => {
                step.as_object_mut().expect("an object").shift_remove(*name);
            }
            value => step[*name] = value.clone(),
        }
    }
    let text = json!({"agent": "a", "step_specs": [step]}).to_string();
    let document = Document::parse("s.json", &text);
    (step, document)
}

/// The seed's schema and the diagnostics of a file agree: what the one finds is reported at the place it names.
#[test]
fn the_schema_and_the_diagnostics_agree() {
    let gone = || json!("\u{0}");
    let odd = [
        json!(null),
        json!(1),
        json!(-1.5),
        json!(true),
        json!("x"),
        json!([]),
        json!(["x"]),
        json!([1]),
        json!([null]),
        json!([{"name": "x"}]),
        json!({}),
        json!({"a": 1}),
        gone(),
    ];
    let names = [
        "id",
        "name",
        "description",
        "phase",
        "inputs",
        "outputs",
        "templates",
        "tools",
        "validation",
        "evidence",
        "human_gate",
        "retries",
    ];
    let mut checked = 0;
    for name in names {
        for value in &odd {
            let (step, document) = with(&[(name, value.clone())]);
            let errors = schema_errors(&step);
            let found: Vec<_> = document
                .diagnostics()
                .iter()
                .filter(|d| d.place.step == Some(0))
                .collect();
            for error in &errors {
                let reported = found
                    .iter()
                    .any(|d| match error.strip_prefix("root: missing required field ") {
                        Some(field) => {
                            d.message.contains(&format!("`{}`", field.trim_matches('\''))) || d.code == "GH0402"
                        }
                        None => d
                            .place
                            .path
                            .first()
                            .is_some_and(|first| error.starts_with(first.as_str())),
                    });
                assert!(reported, "{name} {value}: {error}: {found:#?}");
            }
            let forms = ["GH0403", "GH0404", "GH0104"];
            if errors.is_empty() {
                let formal: Vec<_> = found
                    .iter()
                    .filter(|d| forms.contains(&d.code.as_str()) && d.place.path.len() < 2)
                    .collect();
                assert!(formal.is_empty(), "{name} {value}: {formal:#?}");
            }
            checked += usize::from(!errors.is_empty());
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn the_output_check_and_the_diagnostics_agree() {
    let outputs = [
        "{output_folder}/a.md",
        "b.md",
        "",
        "template:{template_folder}/c.md",
        " {bmb_creations_output_folder}/d.md ",
        "{ output_folder }/e.md",
    ];
    let (_, document) = with(&[("outputs", json!(outputs))]);
    let issues = output_issues(&outputs.map(str::to_owned));
    let codes: Vec<&str> = document.diagnostics().iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["GH0405", "GH0407", "GH0406", "GH0405"]);
    assert_eq!(
        issues,
        [
            "output path missing output folder placeholder: b.md",
            "output path is empty",
            "template artifact listed as output: template:{template_folder}/c.md",
            "output path missing output folder placeholder: { output_folder }/e.md",
        ]
    );
}

/// What a problem proposes mends it.
#[test]
fn every_fix_mends() {
    let odd = [
        ("id", json!(7)),
        ("name", json!("\u{0}")),
        ("templates", json!("\u{0}")),
        ("outputs", json!("{output_folder}/a.md")),
        ("outputs", json!(["./a.md", "", "template:x", null])),
        ("inputs", json!(["{output_foldr}/a.md"])),
        (
            "inputs",
            json!({"validation_targets": "a.py", "telis_method": "Hover", "telis_metod": "hover"}),
        ),
        ("tools", json!(["x", {"args": {}}, {"name": "y", "risk": "hihg"}, 1])),
        ("human_gate", json!("Required")),
        ("human_gate", json!(true)),
        ("human_gate", json!(null)),
        ("gate", json!({"quest": "x"})),
        ("evidence", json!(2)),
        ("retries", json!(-1)),
        ("retries", json!(3)),
        ("retries", json!({"max": -1, "backoff_seconds": -2})),
    ];
    for (name, value) in odd {
        let (_, mut document) = with(&[(name, value.clone()), ("validation", json!("Format validation"))]);
        let proposed = |document: &Document| document.diagnostics().iter().filter(|d| d.fix.is_some()).count();
        let mut before = proposed(&document);
        assert!(before > 0, "{name} {value} proposes something");
        while let Some(fix) = document.diagnostics().iter().find_map(|d| d.fix.clone()) {
            let edits = document.edit(&fix.edit).expect("it can be written");
            document = Document::parse("s.json", &dialect::apply(document.text(), &edits));
            let after = proposed(&document);
            assert!(
                after < before,
                "{name} {value}: {fix:?} mends nothing: {}",
                document.text()
            );
            before = after;
        }
        let worst = document.diagnostics().iter().map(|d| d.severity).max();
        assert!(
            worst < Some(Severity::Warning),
            "{name} {value}: {:#?}",
            document.diagnostics()
        );
    }
}

#[test]
fn a_place_is_found_from_the_text_and_the_text_from_the_place() {
    let text = "format: stepspec\nsteps:\n- id: a\n  name: a\n  gate: required\n- id: b\n  name: b\n  gate: {question: Right?, at: after}\n  inputs:\n    artifacts: [x.md]\n";
    let document = Document::parse("s.yaml", text);
    let at = |part: &str| document.place_at(text.find(part).expect(part));
    assert_eq!(at("required"), Place::step(0).field("human_gate"));
    assert_eq!(at("Right?"), Place::step(1).field("gate_question"));
    assert_eq!(at("after"), Place::step(1).field("gate_at"));
    assert_eq!(at("x.md"), Place::step(1).field("inputs").field("artifacts").field("0"));
    for place in [at("required"), at("Right?"), at("after"), at("x.md")] {
        let span = document.value_span(&place).expect("it stands there");
        assert!(
            ["required", "Right?", "after", "x.md"].contains(&&text[span.start..span.end]),
            "{place:?}"
        );
    }
    assert_eq!(
        document.field(1, StepField::GateQuestion),
        Some(Place::step(1).field("gate_question"))
    );
    assert_eq!(document.field(1, StepField::MaxIterations), None);
    assert_eq!(
        document.value(&Place::step(1).field("gate_question")),
        Some(json!("Right?"))
    );
}

#[test]
fn a_gate_asks_as_it_says() {
    let gate = |value: Value| {
        let (_, document) = with(&[("human_gate", value)]);
        let gate = document.workflow().steps()[0].gate.as_ref();
        gate.map(|gate| gate.requirement)
    };
    for word in ["none", "no", "n/a", "N/A", "None"] {
        assert_eq!(gate(json!(word)), None, "{word}");
    }
    for word in ["", "optional", " optional "] {
        assert_eq!(gate(json!(word)), Some(GateRequirement::Optional), "{word}");
    }
    assert_eq!(gate(Value::Null), Some(GateRequirement::Optional));
    assert_eq!(gate(json!("\u{0}")), Some(GateRequirement::Optional));
    assert_eq!(gate(json!("conditional")), Some(GateRequirement::Conditional));
    assert_eq!(gate(json!("recommended")), Some(GateRequirement::Recommended));
    for word in ["requierd", "nope", "never", "OPTIONAL", "optionally"] {
        assert_eq!(
            gate(json!(word)),
            Some(GateRequirement::Required),
            "{word}: a slip never lets a run pass"
        );
    }
}

#[test]
fn a_policy_says_what_is_checked() {
    assert_eq!(
        validation_checks("AST + type + lint (as applicable)"),
        ["ast", "typecheck", "lint"]
    );
    let found = |fields: &[(&str, Value)]| -> Vec<(String, Severity)> {
        let (_, document) = with(fields);
        let found = document.diagnostics().iter();
        found.map(|d| (d.code.clone(), d.severity)).collect()
    };
    let policy = |policy: &str| found(&[("validation", json!(policy))]);
    let remark = [("GH0417".to_owned(), Severity::Note)];
    for unnamed in [
        "by hand",
        "Format validation, proze",
        "Security scan and format validation",
    ] {
        assert_eq!(policy(unnamed), remark, "{unnamed}");
    }
    for named in [
        "Format validation",
        "Template/schema validation",
        "AST + type + lint (as applicable)",
        "none",
    ] {
        assert_eq!(policy(named), [], "{named}");
    }
    let targets = json!({"validation_targets": ["a.md"]});
    let idle = [("GH0502".to_owned(), Severity::Warning)];
    assert_eq!(
        found(&[("inputs", targets.clone()), ("validation", json!("none"))]),
        idle
    );
    assert_eq!(
        found(&[("inputs", targets), ("validation", json!("Format validation"))]),
        []
    );
    let beside = found(&[
        ("validation_targets", json!(["a.md"])),
        ("validation", json!("Format validation")),
    ]);
    assert_eq!(beside, [("GH0501".to_owned(), Severity::Error)]);
    assert_eq!(found(&[("telis_query", json!("prices"))]), idle);
}

/// Names under `inputs` are the author's own, but for one that is nearly one that is read: what it names would not be checked.
#[test]
fn a_misspelt_name_under_inputs_is_named() {
    let of = |name: &str| -> Vec<String> {
        let (_, document) = with(&[
            ("inputs", json!({name: ["a.md"]})),
            ("validation", json!("Format validation")),
        ]);
        let found = document.diagnostics().iter().filter(|d| d.code == "GH0503");
        let label = |d: &model::Diagnostic| d.fix.as_ref().map_or_else(String::new, |fix| fix.label.clone());
        found.map(|d| format!("{:?} {}", d.severity, label(d))).collect()
    };
    for name in [
        "validation_target",
        "validationTargets",
        "Validation_targets",
        "validation-targets",
    ] {
        assert_eq!(of(name), ["Warning Rename to `validation_targets`"], "{name}");
    }
    for name in ["artifact", "artefacts"] {
        assert_eq!(of(name), ["Warning Rename to `artifacts`"], "{name}");
    }
    for own in ["audience", "targets", "validation", "fact"] {
        assert_eq!(of(own), Vec::<String>::new(), "{own}");
    }
}

/// What a call says under another name than `args` is not what the tool is called with, and that is said.
#[test]
fn arguments_under_another_name_are_named() {
    for name in ["arguments", "arg", "params", "parameters"] {
        let alone = json!({"name": "getCurrentTime", name: {"timezone": "UTC"}});
        let beside = json!({"name": "getCurrentTime", "args": {}, name: {"timezone": "UTC"}});
        for call in [alone, beside] {
            let (_, document) = with(&[("tools", json!([call]))]);
            let found = document.diagnostics().iter().filter(|d| d.code == "GH0502");
            let said: Vec<(Severity, &str)> = found.map(|d| (d.severity, d.message.as_str())).collect();
            let none = format!("`{name}` has no effect: what a tool is called with stands in `args`");
            assert_eq!(said, [(Severity::Warning, none.as_str())]);
        }
    }
}

/// A run fails at a setting that it cannot use, so the file says so before.
#[test]
fn settings_of_the_context_can_be_used() {
    let of = |name: &str, value: Value| -> Vec<(String, Severity)> {
        let (_, document) = with(&[("inputs", json!({"telis_query": "q", name: value}))]);
        let found = document.diagnostics().iter();
        found.map(|d| (d.code.clone(), d.severity)).collect()
    };
    let fails = [("GH0416".to_owned(), Severity::Error)];
    for (name, value) in [
        ("telis_min_score", json!(2)),
        ("telis_min_score", json!(-0.5)),
        ("telis_shard_limit", json!(0)),
        ("telis_shard_limit", json!(101)),
        ("telis_max_phase", json!(0)),
        ("telis_phase_tiers", json!([])),
        ("telis_phase_tiers", json!(["big"])),
        ("telis_line", json!(-1)),
        ("telis_method", json!("hoover")),
    ] {
        assert_eq!(of(name, value.clone()), fails, "{name} {value}");
    }
    for (name, value) in [
        ("telis_min_score", json!(0.5)),
        ("telis_shard_limit", json!(100)),
        ("telis_shard_limit", json!("5")),
        ("telis_shard_limit", json!("{{many}}")),
        ("telis_phase_tiers", json!("nano, full")),
        ("telis_phase_tiers", json!(["Micro"])),
        ("telis_language", json!("markdown")),
        ("telis_language", json!("py")),
        ("telis_document_path", json!("docs/a.md")),
    ] {
        let found = of(name, value.clone());
        assert!(
            found.iter().all(|(code, _)| code != "GH0416"),
            "{name} {value}: {found:?}"
        );
    }
    let warned = [("GH0416".to_owned(), Severity::Warning)];
    assert_eq!(of("telis_language", json!("klingon")), warned);
    assert_eq!(of("telis_language", json!(" Python")), warned);
    let outside = [("GH0408".to_owned(), Severity::Error)];
    assert_eq!(of("telis_document_path", json!("/etc/passwd")), outside);
    assert_eq!(of("telis_document_path", json!("../a.md")), outside);
}

/// The gate of a call is the name of one; what says no names none.
#[test]
fn a_call_is_asked_about_where_its_gate_has_a_name() {
    let gate = |gate: Value| {
        let (_, document) = with(&[("tools", json!([{"name": "getCurrentTime", "args": {}, "gate": gate}]))]);
        let found: Vec<String> = document.diagnostics().iter().map(|d| d.code.clone()).collect();
        (document.workflow().steps()[0].tools[0].gate.clone(), found)
    };
    assert_eq!(gate(json!("publish")), (Some("publish".to_owned()), vec![]));
    assert_eq!(gate(json!(true)), (Some("true".to_owned()), vec!["GH0404".to_owned()]));
    for none in [json!(false), json!("none"), json!("no")] {
        assert_eq!(gate(none.clone()), (None, vec!["GH0404".to_owned()]), "{none}");
    }
    assert_eq!(gate(json!("")), (None, vec!["GH0111".to_owned()]));
    assert_eq!(gate(Value::Null), (None, vec![]));
}

/// Who names a step there counts on the decision at it, and would be asked once more.
#[test]
fn a_call_whose_gate_is_called_like_another_step_is_named() {
    let said = |gate: &str| -> Vec<String> {
        let text = format!(
            "workflow: w\nsteps:\n  - {{id: a, tools: [{{name: getCurrentTime, args: {{}}, required: false, gate: '{gate}'}}]}}\n  \
             - {{id: sign, human_gate: required}}\n"
        );
        let document = Document::parse("w.yaml", &text);
        let found = document
            .diagnostics()
            .iter()
            .filter(|d| d.message.contains("names a gate of this call alone"));
        found
            .map(|d| format!("{} {:?} {}", d.code, d.severity, d.place.path.join(".")))
            .collect()
    };
    for another in ["sign", " sign ", "w:sign:hitl"] {
        assert_eq!(said(another), ["GH0404 Warning tools.0.gate"], "{another}");
    }
    for own in ["publish", "a", "signature", "tool:getCurrentTime:a"] {
        assert_eq!(said(own), Vec::<String>::new(), "{own}");
    }
}

/// A run is refused by a placeholder that stands for nothing, so the file says it before; names and scripts are not filled in at all.
#[test]
fn a_placeholder_in_a_text_is_looked_at() {
    let document = |fields: &str| {
        let text = format!(
            "format: stepspec\nworkflow: w\ntitle: W {{{{tea}}}}\nquestions: [{{name: tea, kind: text}}]\nsteps:\n  - {{id: a, {fields}}}\n"
        );
        Document::parse("w.yaml", &text)
    };
    let said = |document: &Document, in_step: bool| -> Vec<String> {
        let found = document.diagnostics().iter().filter(|d| d.code == "GH0409");
        let found = found.filter(|d| d.place.step.is_some() == in_step);
        found
            .map(|d| format!("{:?} {}", d.severity, d.place.path.join(".")))
            .collect()
    };
    for (fields, found) in [
        ("description: 'Brew {{tea}} in {output_folder}, {a b}'", None),
        ("inputs: {note: '{{tea}}'}", None),
        ("human_gate: required, gate_question: 'Is {{tea}} hot?'", None),
        ("run: 'echo {{cup}}'", None),
        ("description: 'Brew {pot}'", Some("Error description")),
        ("description: 'Brew {{cup}}'", Some("Warning description")),
        ("inputs: {note: '{pot}'}", Some("Error inputs.note")),
        (
            "human_gate: required, gate_question: 'Is {{cup}} hot?'",
            Some("Warning gate_question"),
        ),
        ("run: 'brew {{tea}} {{tea}}'", Some("Warning run")),
        ("name: 'Brew {{tea}}'", Some("Warning name")),
    ] {
        let document = document(fields);
        assert_eq!(said(&document, false), ["Warning title"]);
        assert_eq!(said(&document, true), Vec::from_iter(found), "{fields}");
    }
}
