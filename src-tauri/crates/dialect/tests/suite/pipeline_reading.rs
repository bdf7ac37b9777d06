//! Pipelines: what is read from their files, and what is none.

use dialect::{Document, detect};
use model::{AgentKey, Edit, Format, OnFailure, Place, Retries, Routing, Severity, Work};

const FULL: &str = "pipeline_id: PIPE-20260131-release-093000
name: Release
description: From idea to shop
status: running
error_handling: skip_dependents
owner: kim   # not ours
stages:
  - name: design
    description: Think first
    agents: [architect, designer]
    parallel: true
    depends_on: []
    inputs: [brief.md]
    outputs: [design]
    status: completed
    duration_seconds: 12
    human_gate: required
    gate_question: Shall we build this?
  - name: Build it
    agent: dev
    depends_on: [design]
    retries: {max: 3, backoff_seconds: 1.5}
    timeout_seconds: 90
    colour: blue
  - name: check
    run: |
      make test
    depends_on: [Build it]
  - name: publish
    workflows: [a.runbook.md, flows/b.yaml]
    depends_on:
      - check
      - design
";

fn read(path: &str, text: &str) -> Document {
    assert_eq!(detect(path, text), Some(Format::Pipeline), "{text}");
    Document::parse(path, text)
}

fn codes(document: &Document) -> Vec<&str> {
    document.diagnostics().iter().map(|d| d.code.as_str()).collect()
}

#[test]
fn a_pipeline_with_everything() {
    let document = read("pipelines/PIPE-20260131-release-093000.yaml", FULL);
    // `colour` and `owner` are the author's own.
    assert_eq!(codes(&document), ["GH0502"]);
    assert_eq!(document.text(), FULL);
    let workflow = document.workflow();
    assert_eq!(workflow.format, Format::Pipeline);
    assert_eq!(workflow.id.as_str(), "PIPE-20260131-release-093000");
    assert_eq!(workflow.title, "Release");
    assert_eq!(workflow.description.as_deref(), Some("From idea to shop"));
    assert_eq!(workflow.on_failure, OnFailure::SkipDependents);
    assert_eq!(workflow.fields.keys().collect::<Vec<_>>(), ["owner"]);
    let [design, build, check, publish] = workflow.steps() else {
        panic!("four stages");
    };
    assert!(
        workflow
            .steps()
            .iter()
            .all(|step| step.routing == Routing::Dependencies)
    );
    assert_eq!((design.id.as_str(), design.name.as_str()), ("design", "design"));
    assert_eq!(design.intent.as_deref(), Some("Think first"));
    assert_eq!(design.agents, ["architect", "designer"].map(AgentKey::new));
    assert!(design.parallel && design.depends_on.is_empty());
    assert_eq!(
        (&design.inputs[0], &design.outputs[0]),
        (&"brief.md".to_owned(), &"design".to_owned())
    );
    assert!(
        design.fields.is_empty(),
        "what belongs to a run is not the model's: {:?}",
        design.fields
    );
    assert_eq!(
        design.gate.as_ref().and_then(|gate| gate.question.as_deref()),
        Some("Shall we build this?")
    );
    assert_eq!(
        (build.id.as_str(), build.agents.as_slice()),
        ("Build it", &[AgentKey::new("dev")][..])
    );
    assert_eq!(
        build.retries,
        Some(Retries {
            max: Some(3),
            backoff_ms: 1500
        })
    );
    assert_eq!(build.timeout_ms, Some(90_000));
    assert_eq!(build.fields.keys().collect::<Vec<_>>(), ["colour"]);
    let script = Work::Command {
        language: "sh".to_owned(),
        script: "make test\n".to_owned(),
    };
    assert_eq!(check.work, script);
    assert_eq!(check.depends_on[0].as_str(), "Build it");
    let files = vec!["a.runbook.md".to_owned(), "flows/b.yaml".to_owned()];
    assert_eq!(publish.work, Work::SubWorkflow { files });
    assert_eq!(publish.depends_on.len(), 2);
    let waves: Vec<usize> = workflow.waves().iter().map(Vec::len).collect();
    assert_eq!(waves, [1, 1, 1, 1]);
}

#[test]
fn what_is_absent_has_its_default() {
    let document = read("PIPE-20260131-x-093000.yaml", "stages:\n- name: a\n  agents: [dev]\n");
    assert_eq!(document.diagnostics(), []);
    let workflow = document.workflow();
    assert_eq!(
        (workflow.id.as_str(), workflow.title.as_str()),
        ("PIPE-20260131-x-093000", "X")
    );
    assert_eq!(workflow.on_failure, OnFailure::Halt);
    let stage = &workflow.steps()[0];
    assert!(!stage.parallel && stage.depends_on.is_empty() && stage.outputs.is_empty() && stage.retries.is_none());
    let template = read(
        "t/full_sdlc.yaml",
        "name: All of it\nstages:\n- {name: a, agent: dev}\n",
    );
    assert_eq!(
        (template.workflow().id.as_str(), template.workflow().title.as_str()),
        ("full_sdlc", "All of it")
    );
}

#[test]
fn retry_gives_every_stage_retries() {
    let text = "error_handling: retry\nretry_delay_seconds: 5\nstages:\n- {name: a, agent: x}\n- {name: b, agent: x, retries: 0}\n";
    let document = read("p.yaml", text);
    assert_eq!(document.diagnostics(), []);
    assert_eq!(document.workflow().on_failure, OnFailure::Halt);
    let of = |n: usize| document.workflow().steps()[n].retries;
    assert_eq!(
        of(0),
        Some(Retries {
            max: Some(2),
            backoff_ms: 5000
        })
    );
    assert_eq!(
        of(1),
        Some(Retries {
            max: Some(0),
            backoff_ms: 0
        })
    );
    // How often the project tries a stage again is no matter of the file: that it is never tried again is not said.
    let halted = read(
        "p.yaml",
        "error_handling: halt\nmax_retries: 4\nstages:\n- {name: a, agent: x}\n",
    );
    let said: Vec<&str> = halted.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said, ["`max_retries` has no effect under `error_handling: halt`"]);
    assert_eq!(halted.workflow().steps()[0].retries, None);
    let plain = read("p.yaml", "error_handling: retry\nstages:\n- {name: a, agent: x}\n");
    let retries = plain.workflow().steps()[0].retries;
    assert_eq!(
        retries,
        Some(Retries {
            max: Some(2),
            backoff_ms: 30_000
        })
    );
}

#[test]
fn the_states_of_a_run_change_nothing_of_the_model() {
    let bare = FULL
        .replace("status: running\n", "")
        .replace("    status: completed\n    duration_seconds: 12\n", "");
    let (with, without) = (read("p.yaml", FULL), read("p.yaml", &bare));
    assert_eq!(with.workflow().steps(), without.workflow().steps());
    assert_eq!(with.workflow().fields, without.workflow().fields);
}

#[test]
fn a_text_that_is_no_id_never_becomes_one() {
    let text = "pipeline_id: ../../etc/x\nstages:\n- {name: a, agent: x}\n";
    let document = read("templates/mine.yaml", text);
    assert_eq!(codes(&document), ["GH0305"]);
    assert!(
        document.diagnostics()[0]
            .message
            .starts_with("Invalid pipeline_id format")
    );
    assert_eq!(document.workflow().id.as_str(), "mine");
    // Of two ids that name two files the file that is read counts.
    let copy = read(
        "PIPE-20260131-b-000000.yaml",
        &text.replace("../../etc/x", "PIPE-20260131-a-000000"),
    );
    assert_eq!(codes(&copy), ["GH0306"]);
    assert_eq!(copy.workflow().id.as_str(), "PIPE-20260131-b-000000");
}

#[test]
fn unknown_dependencies_read_well_and_point_at_the_item() {
    let text = "name: n\nstages:\n- {name: Build, agent: x}\n- name: test\n  agent: x\n  depends_on: [Build,  build]\n- {name: ship, agent: x, depends_on: ghost}\n";
    let document = read("p.yaml", text);
    let [case, single, ghost] = document.diagnostics() else {
        panic!("{:#?}", document.diagnostics());
    };
    assert_eq!(case.message, "“test” waits for a stage that does not exist: `build`");
    assert_eq!(
        case.help.as_deref(),
        Some("Names are compared with case: there is a stage “Build”")
    );
    let span = document.span(&case.place).expect("it stands there");
    assert_eq!(&text[span.start..span.end], "build");
    let fix = case.fix.as_ref().expect("the name differs in case alone");
    let edits = document.edit(&fix.edit).expect("it can be done");
    assert!(dialect::apply(text, &edits).contains("[Build,  Build]"));
    assert_eq!((single.code.as_str(), single.severity), ("GH0309", Severity::Warning));
    assert_eq!(ghost.message, "“ship” waits for a stage that does not exist: `ghost`");
    assert_eq!(ghost.place, Place::step(2).field("depends_on").field("0"));
    let span = document.span(&ghost.place).expect("it stands there");
    assert_eq!(&text[span.start..span.end], "depends_on: ghost");
}

#[test]
fn entries_that_are_no_names_shift_nothing() {
    let text =
        "stages:\n- {name: a, agent: x}\n- name: b\n  agent: x\n  depends_on:\n  - ~\n  - a\n  - {deep: 1}\n  - gone\n";
    let document = read("p.yaml", text);
    assert_eq!(codes(&document), ["GH0309", "GH0309", "GH0001"]);
    let place = &document.diagnostics()[2].place;
    assert_eq!(*place, Place::step(1).field("depends_on").field("1"));
    let span = document.span(place).expect("it stands there");
    assert_eq!(&text[span.start..span.end], "gone");
    assert_eq!(document.place_at(span.start + 1), *place);
    assert_eq!(document.value(place), Some("gone".into()));
}

#[test]
fn what_a_pipeline_is_not() {
    for (path, text) in [
        (
            ".gitlab-ci.yml",
            "stages:\n  - build\n  - test\nbuild:\n  stage: build\n",
        ),
        ("azure.yaml", "stages:\n- stage: Build\n  jobs: []\n"),
        ("dvc.yaml", "stages:\n  train:\n    cmd: python train.py\n"),
        (
            "pipeline-config.yaml",
            "templates:\n  a:\n    name: A\n    stages:\n    - {name: x, agents: [dev]}\n",
        ),
        ("active-pipeline.yaml", "pipeline_id: PIPE-20260131-a-000000\n"),
        ("x.yaml", "stages: []\n"),
        ("x.yaml", "name: x\nstages: none\n"),
        ("x.md", "stages:\n- {name: a, agent: b}\n"),
        ("x.yaml", ""),
    ] {
        assert_eq!(detect(path, text), None, "{path}: {text}");
    }
    for (path, text) in [
        ("x.yaml", "name: x\ndescription: y\nstages: []\n"),
        ("x.yaml", "name: x\nstages:\n"),
        ("x.yaml", "\"stages\": [{\"name\": \"a\", \"depends_on\": []}]"),
        ("x.json", "{\"stages\": [{\"name\": \"a\", \"agents\": []}]}"),
        ("x.yaml", "error_handling: halt\nstages:\n- odd\n"),
        ("PIPE-20260131-a-000000.yaml", "anything"),
        ("PIPE-20260131-a-000000.yaml", "{{{{"),
    ] {
        assert_eq!(detect(path, text), Some(Format::Pipeline), "{path}: {text}");
    }
    let flow = "steps:\n- id: a\n  agents: [x]\nstages:\n- {name: b, agents: [x]}\n";
    assert_eq!(detect("x.yaml", flow), Some(Format::Stepwise));
}

#[test]
fn a_file_that_cannot_be_read_is_one_error() {
    for text in ["{{{{", "stages: [\n- name: a", "\t", "stages:\n  - name: \"a\n"] {
        let document = Document::parse("PIPE-20260131-a-000000.yaml", text);
        assert_eq!(document.text(), text);
        let worst = document.diagnostics().iter().map(|d| d.severity).max();
        assert_eq!(worst, Some(Severity::Error), "{text:?}");
    }
}

#[test]
fn circles_point_at_the_dependency() {
    let text = "stages:\n- {name: a, agent: x}\n- {name: b, agent: x, depends_on: [a, c]}\n- {name: c, agent: x, depends_on: [b]}\n";
    let document = read("p.yaml", text);
    let [circle] = document.diagnostics() else {
        panic!("{:#?}", document.diagnostics());
    };
    assert_eq!(
        circle.message,
        "These stages wait for each other, so none can begin: “b”, “c”"
    );
    let span = document.span(&circle.place).expect("it stands there");
    assert_eq!(&text[span.start..span.end], "c");
}

#[test]
fn a_stage_says_that_it_wants_a_terminal() {
    let text = "name: T\nstages:\n  - {name: a, run: ./ask.sh, terminal: true}\n  - {name: b, workflow: x.yaml, terminal: true}\n  - {name: c, run: make}\n";
    let document = Document::parse("pipelines/t.yaml", text);
    let wanted: Vec<bool> = document.workflow().steps().iter().map(|step| step.terminal).collect();
    assert_eq!(wanted, [true, true, false]);
    let mut without = document.diagnostics().iter().filter(|d| d.code == "GH0502");
    let said = without.next().expect("a stage that runs workflows has no program");
    assert!(said.message.contains("`terminal` has no effect"), "{}", said.message);
    assert!(without.next().is_none());
}

#[test]
fn a_stage_may_belong_to_a_phase() {
    let text = "pipeline_id: PIPE-20260131-release-093000\nname: r\nstages:\n  - {name: a, agents: [w], phase: Review, human_gate: optional}\n";
    let document = read("pipelines/PIPE-20260131-release-093000.yaml", text);
    assert_eq!(document.diagnostics(), []);
    assert_eq!(document.workflow().steps()[0].phase.as_deref(), Some("Review"));
}

#[test]
fn a_rejection_leads_back_to_what_was_waited_for_and_to_nothing_else() {
    let text = |to: &str| {
        format!(
            "stages:\n- {{name: plan, agents: [pm]}}\n- {{name: build, agents: [dev], depends_on: [plan]}}\n\
             - {{name: ship, agents: [ops], depends_on: [build], human_gate: required, on_reject: {to}}}\n\
             - {{name: tell, agents: [ops], depends_on: [ship]}}\n"
        )
    };
    let path = "PIPE-20260131-x-093000.yaml";
    for to in ["plan", "build"] {
        let document = read(path, &text(to));
        assert_eq!(document.diagnostics(), [], "{to}");
        let gate = document.workflow().steps()[2].gate.clone().expect("a gate");
        assert_eq!(gate.on_reject, Some(to.into()));
    }
    for (to, why) in [
        (
            "tell",
            "“ship” does not wait for “tell”, neither directly nor through others",
        ),
        ("ship", "no stage waits for itself"),
    ] {
        let document = read(path, &text(to));
        let [found] = document.diagnostics() else {
            panic!("one: {:?}", document.diagnostics())
        };
        assert_eq!((found.code.as_str(), found.severity), ("GH0502", Severity::Warning));
        let said = format!("`on_reject` has no effect: {why}, so a rejection ends the run");
        assert_eq!(found.message, said);
        // It is neither drawn nor promised, and follows a new name all the same.
        let gate = document.workflow().steps()[2].gate.clone().expect("a gate");
        assert_eq!(gate.on_reject, None);
        let flows = document.workflow().flows();
        assert!(flows.iter().all(|(_, _, flow)| flow.kind != model::FlowKind::Reject));
        let place = Place::step(if to == "tell" { 3 } else { 2 }).field("name");
        let value = "other".into();
        let renamed = document.edit(&Edit::Set { place, value }).expect("a new name");
        assert!(
            dialect::apply(document.text(), &renamed).contains("on_reject: other"),
            "{to}"
        );
    }
    // One that is not there is an error, as before.
    assert_eq!(codes(&read(path, &text("nobody"))), ["GH0001"]);
    // Only what is waited for is offered; what is written without effect stays visible.
    let options = |text: &str, step| {
        let form = read(path, text).form(Some(step)).expect("a form");
        let field = form.fields.into_iter().find(|field| field.name == "on_reject");
        match field.expect("the field").control {
            model::FormControl::Choice { options } => options.into_iter().map(|one| one.label).collect::<Vec<_>>(),
            other => panic!("a choice: {other:?}"),
        }
    };
    assert_eq!(options(&text("plan"), 2), ["The run ends", "plan", "build"]);
    assert_eq!(
        options(&text("tell"), 2),
        ["The run ends", "plan", "build", "tell (without effect)"]
    );
    // Nobody is asked there, so nobody can reject.
    let asks_nobody = read(path, &text("plan")).form(Some(0)).expect("a form");
    assert!(asks_nobody.fields.iter().all(|field| field.name != "on_reject"));
    let line = |to: &str| model::FlowEdit::Connect {
        from: "ship".into(),
        to: to.into(),
        way: Some(model::Way::Rejected),
    };
    let document = read(path, &text("plan"));
    let refused = document.make(&[line("tell").into()]).expect_err("it is later");
    let why = "“ship” does not wait for “tell”, so what is rejected cannot go back to it";
    assert_eq!(refused.error.to_string(), why);
    assert!(document.make(&[line("build").into()]).is_ok());
    let drawn = |to: &str| document.drawn(&"ship".into(), &to.into());
    let rejects = |to: &str| drawn(to).iter().any(|one| one.way == model::Way::Rejected);
    assert_eq!((rejects("plan"), rejects("tell")), (true, false));
}

#[test]
fn what_follows_a_failure_is_said_without_reference_to_another_choice() {
    let form = read("PIPE-20260131-x-093000.yaml", "stages:\n- {name: a, agents: [x]}\n").form(None);
    let form = form.expect("a form");
    let field = form
        .fields
        .iter()
        .find(|field| field.name == "error_handling")
        .expect("the field");
    let model::FormControl::Choice { options } = &field.control else {
        panic!("a choice")
    };
    let retry = options.iter().find(|one| one.value == "retry").expect("retry");
    assert_eq!(retry.label, "Try again, then stop");
    let shape = dialect::shapes()
        .iter()
        .find(|shape| shape.name == "pipeline")
        .expect("a shape");
    assert!(shape.help.contains("`parallel`"), "{}", shape.help);
}
