//! New pipelines: from nothing and from templates.

use dialect::pipeline::id::{LocalTime, PipelineId};
use dialect::pipeline::{Definition, ErrorHandling, StageDefinition, WriteError, compose, instantiate, templates};
use dialect::{Document, detect};
use model::{AgentKey, Format, Gate, GateAt, GateRequirement, OnFailure, Retries, Severity, StepId, Work};
use proptest::prelude::*;

fn id(name: &str) -> PipelineId {
    let at = LocalTime {
        year: 2026,
        month: 1,
        day: 31,
        hour: 9,
        minute: 30,
        second: 0,
    };
    PipelineId::of(name, at).expect("a name")
}

#[test]
fn a_composed_file_reads_well() {
    let design = StageDefinition {
        agents: vec!["architect".to_owned(), "ux-designer".to_owned()],
        parallel: true,
        outputs: vec!["architecture".to_owned()],
        gate: Some(Gate {
            requirement: GateRequirement::Required,
            at: GateAt::After,
            question: Some("Is this what we want to build?".to_owned()),
            asks: Vec::new(),
            on_reject: None,
        }),
        ..StageDefinition::new("design")
    };
    let check = StageDefinition {
        description: Some("Runs everything: slow".to_owned()),
        work: Work::Command {
            language: "sh".to_owned(),
            script: "make test\n# then\nmake lint\n".to_owned(),
        },
        depends_on: vec!["design".to_owned()],
        ..StageDefinition::new("check it")
    };
    let definition = Definition {
        id: Some(id("Release 2")),
        name: "Release #2: now".to_owned(),
        error_handling: Some(ErrorHandling::Retry),
        max_retries: Some(1),
        stages: vec![design, check],
        ..Definition::default()
    };
    assert_eq!(
        compose(&definition),
        "pipeline_id: PIPE-20260131-release-2-093000
name: \"Release #2: now\"
status: pending
error_handling: retry
max_retries: 1
stages:
  - name: design
    agents: [architect, ux-designer]
    parallel: true
    depends_on: []
    outputs: [architecture]
    human_gate: required
    gate_question: Is this what we want to build?
    status: pending
  - name: check it
    description: \"Runs everything: slow\"
    run: |
      make test
      # then
      make lint
    parallel: false
    depends_on: [design]
    outputs: []
    status: pending
"
    );
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}( [a-z]{1,8}){0,3}",
        2 => any::<String>(),
        2 => "( |\n|\t|\r|a|b: |# |- |'|\"|\\\\|:|,|\\[|\\{|\\||>|%|@|`|&|\\*|!){1,12}",
        1 => prop::sample::select(vec![
            "~", "null", "true", "no", "0x1F", "1e3", ".5", "2026-01-01", "---", "...", "<<", "=", "- a", "? b", "a: b",
            "#x", "\u{feff}x", "\u{85}", "\u{2028}", "a\n\nb\n", "a\n b\n\n\n", "a\n\tb", "\na\nb", "a\n \nb", "é\u{301}", "\0",
        ]).prop_map(str::to_owned),
    ]
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        3 => Just(Work::Agent),
        1 => hostile().prop_map(|script| Work::Command { language: "sh".to_owned(), script }),
        1 => prop::collection::vec(hostile(), 1..3).prop_map(|files| Work::SubWorkflow { files }),
    ]
}

fn stage() -> impl Strategy<Value = StageDefinition> {
    let texts = || prop::collection::vec(hostile(), 0..3);
    let gate = prop::option::of((any::<bool>(), hostile()));
    (
        hostile(),
        prop::option::of(hostile()),
        work(),
        (texts(), texts(), texts(), texts()),
        any::<bool>(),
        gate,
    )
        .prop_map(
            |(name, description, work, (agents, depends_on, inputs, outputs), parallel, gate)| StageDefinition {
                name,
                description,
                work,
                agents,
                parallel,
                depends_on,
                inputs,
                outputs,
                gate: gate.map(|(before, question)| Gate {
                    requirement: GateRequirement::Recommended,
                    at: if before { GateAt::Before } else { GateAt::After },
                    question: Some(question).filter(|question| !question.trim().is_empty()),
                    asks: vec![AgentKey::new("legal")],
                    on_reject: None,
                }),
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_composed_is_read_back(
        name in hostile(),
        description in prop::option::of(hostile()),
        handling in prop::option::of(prop::sample::select(ErrorHandling::ALL)),
        stages in prop::collection::vec(stage(), 1..6),
        max in prop::option::of(any::<u32>()),
    ) {
        let definition = Definition {
            id: Some(id("x")),
            name,
            description,
            error_handling: handling,
            max_retries: max,
            retry_delay_seconds: None,
            stages,
        };
        let text = compose(&definition);
        let document = Document::parse("PIPE-20260131-x-093000.yaml", &text);
        prop_assert_eq!(document.text(), &text);
        let said: Vec<&str> = document.diagnostics().iter().map(|d| d.code.as_str()).collect();
        prop_assert!(!said.contains(&"GH0101") && !said.contains(&"GH0104") && !said.contains(&"GH0103"), "{:?}\n{}", said, text);
        let workflow = document.workflow();
        prop_assert_eq!(workflow.id.as_str(), "PIPE-20260131-x-093000");
        if !definition.name.trim().is_empty() {
            prop_assert_eq!(&workflow.title, &definition.name);
        }
        prop_assert_eq!(&workflow.description, &definition.description);
        let skips = definition.error_handling == Some(ErrorHandling::SkipDependents);
        prop_assert_eq!(workflow.on_failure == OnFailure::SkipDependents, skips);
        prop_assert_eq!(workflow.steps().len(), definition.stages.len());
        for (step, stage) in workflow.steps().iter().zip(&definition.stages) {
            if !stage.name.trim().is_empty() {
                prop_assert_eq!(step.id.as_str(), &stage.name);
            }
            prop_assert_eq!(&step.intent, &stage.description);
            prop_assert_eq!(&step.work, &stage.work);
            let agents: Vec<&str> = step.agents.iter().map(AgentKey::as_str).collect();
            let given: Vec<&str> = stage.agents.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            prop_assert_eq!(agents, given);
            prop_assert_eq!(step.parallel, stage.parallel);
            let waits: Vec<&str> = step.depends_on.iter().map(StepId::as_str).collect();
            prop_assert_eq!(waits, stage.depends_on.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert_eq!(&step.inputs, &stage.inputs);
            prop_assert_eq!(&step.outputs, &stage.outputs);
            prop_assert_eq!(&step.gate, &stage.gate);
            if handling == Some(ErrorHandling::Retry) {
                let retries = Retries { max: Some(max.unwrap_or(2)), backoff_ms: 30_000 };
                prop_assert_eq!(step.retries, Some(retries));
            }
            prop_assert!(step.fields.is_empty());
        }
    }
}

#[test]
fn a_pipeline_of_a_template_keeps_what_the_template_says() {
    let template = "# How we ship\nname: Ship   # to the shop\n\n# in this order\nstages:\n  - name: build\n    agents: [dev]\n    status: failed\n    error: no\n    colour: blue # odd\n  - {name: ship, agent: ops, depends_on: [build]}\n";
    let text = instantiate(template, &id("ship"), None).expect("a template");
    assert_eq!(
        text,
        "# How we ship\npipeline_id: PIPE-20260131-ship-093000\nname: Ship   # to the shop\nstatus: pending\n\n# in this order\nstages:\n  - name: build\n    agents: [dev]\n    status: pending\n    colour: blue # odd\n  - {name: ship, agent: ops, depends_on: [build], status: pending}\n"
    );
    let named = instantiate(template, &id("ship"), Some("Ship: again")).expect("a template");
    assert!(named.contains("name: \"Ship: again\"   # to the shop\n"), "{named}");
    // A pipeline is a template too.
    let again = instantiate(&text, &id("again"), None).expect("a pipeline");
    assert_eq!(
        again,
        text.replace("PIPE-20260131-ship-093000", "PIPE-20260131-again-093000")
    );
    for (odd, begins) in [
        (
            "\u{feff}stages:\r\n- name: a\r\n",
            "\u{feff}pipeline_id: PIPE-20260131-ship-093000\r\nstatus: pending\r\nstages:\r\n",
        ),
        (
            "---\n  stages:\n  - name: a\n",
            "---\n  pipeline_id: PIPE-20260131-ship-093000\n  status: pending\n  stages:\n",
        ),
    ] {
        let text = instantiate(odd, &id("ship"), None).expect("a template");
        assert!(text.starts_with(begins), "{text}");
    }
    let braces = instantiate("{stages: [{name: a}]}", &id("ship"), None).expect("a template");
    assert!(braces.contains("pipeline_id: PIPE-20260131-ship-093000"), "{braces}");
    assert_eq!(instantiate("name: x\n", &id("ship"), None), Err(WriteError::NoPipeline));
    assert!(matches!(
        instantiate("stages: [", &id("ship"), None),
        Err(WriteError::Broken { .. })
    ));
}

#[test]
fn the_templates_of_a_configuration_become_files() {
    let config = "pipeline_dir: out\ntemplates:\n  quick:\n    name: \"Quick: flow\"\n    description: Fast\n    stages:\n      - name: spec\n        agents: [solo]\n        outputs: [tech_spec]\n      - name: implement\n        agents: [solo]\n        depends_on: [spec]\n        extra: {deep: [1, {a: b}]}\n  broken: 3\n  \"two words\": {stages: [{name: a, agent: x}]}\n";
    assert_eq!(detect("pipeline-config.yaml", config), None);
    let all = templates(config);
    let keys: Vec<&str> = all.iter().map(|template| template.key.as_str()).collect();
    assert_eq!(keys, ["quick", "two words"]);
    for template in &all {
        assert_eq!(detect("t.yaml", &template.text), Some(Format::Pipeline));
        let document = Document::parse("t.yaml", &template.text);
        assert!(
            document.diagnostics().iter().all(|d| d.severity == Severity::Note),
            "{:?}",
            document.diagnostics()
        );
        assert!(instantiate(&template.text, &id(&template.key), None).is_ok());
    }
    let quick = Document::parse("quick.yaml", &all[0].text);
    assert_eq!(quick.workflow().title, "Quick: flow");
    assert_eq!(quick.workflow().steps()[1].fields["extra"]["deep"][1]["a"], "b");
    assert!(templates("templates: [").is_empty() && templates("a: b").is_empty() && templates("").is_empty());
}
