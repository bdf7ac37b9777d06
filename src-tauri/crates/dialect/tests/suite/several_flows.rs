//! Lists of flows, and several flows in one text.

use dialect::stepwise::{Flow, together};
use dialect::{Document, detect};
use model::{Destination, Edit, Format, Routing, Severity};

const LIST: &str =
    "title: All\nflows:\n  - {key: plan}\n  - {key: build, title: Build it}\n  - {key: reset, is_utility: true}\n";
const PLAN: &str = "key: plan\ntitle: Plan\nsteps:\n  - {id: write, role: r, agents: [w]}\n  - {id: check, role: r, agents: [w], routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [OK]}}\n";
const BUILD: &str = "id: 3-build\non_complete: {next_flow: null, reason: done}\non_failure: {next_flow: 8-reset, reason: again}\nsteps:\n  - {id: write, role: r, agents: [w]}\n";
const RESET: &str = "{\"id\": \"reset-flow\", \"on_complete\": {\"next_flow\": \"return\"}, \"nodes\": [{\"node_id\": \"a\", \"template_id\": \"w\"}, {\"node_id\": \"b\", \"template_id\": \"w\"}], \"edges\": [{\"from\": \"a\", \"to\": \"b\"}]}";

fn flow(key: &str, file: &str, text: &str) -> Flow {
    Flow {
        key: key.to_owned(),
        file: file.to_owned(),
        text: text.to_owned(),
    }
}

fn whole() -> Document {
    let flows = [
        flow("plan", "flows/plan.yaml", PLAN),
        flow("build", "flows/3-build.yaml", BUILD),
        flow("reset", "flows/reset-flow.graph.json", RESET),
    ];
    Document::parse("flows.yaml", &together(LIST, &flows).expect("they can be put together"))
}

#[test]
fn a_line_that_looks_like_a_mark_is_a_line_of_its_file() {
    let runbook = "# Clean\n\n--- # flow a: b\n\n## 1. Sweep\n\n```bash\ntrue\n```\n";
    assert_eq!(
        Document::parse("a.runbook.md", runbook).workflow().format,
        Format::Rundown
    );
    let pipeline =
        "pipeline_id: PIPE-20260131-a-093000\nname: A\nstages:\n  - {name: plan, agents: [a]}\n--- # flow b: c\n";
    assert_eq!(Document::parse("a.yaml", pipeline).workflow().format, Format::Pipeline);
    // Not even behind a list, where the name says what the file is.
    let listed = format!("{LIST}--- # flow plan: plan.yaml\n{PLAN}");
    assert_eq!(
        Document::parse("a.runbook.md", &listed).workflow().format,
        Format::Rundown
    );
    assert_eq!(Document::parse("a.yaml", &listed).workflow().parts().len(), 1);
}

#[test]
fn a_list_is_told_by_the_keys_of_its_flows_and_drawn_in_its_order() {
    let text = "flows:\n  - {key: b, index: 2}\n  - {key: a, index: 1, title: First, file: x/a.yaml}\n  - {key: c, index: 3, is_sdlc: false}\n";
    assert_eq!(detect("flows.yaml", text), Some(Format::Stepwise));
    let document = Document::parse("flows.yaml", text);
    assert_eq!(document.diagnostics(), []);
    let workflow = document.workflow();
    let routes: Vec<(&str, Option<String>)> = workflow
        .steps()
        .iter()
        .map(|step| match &step.routing {
            Routing::Linear { next } => (step.id.as_str(), next.as_ref().map(ToString::to_string)),
            _ => (step.id.as_str(), Some("-".to_owned())),
        })
        .collect();
    let to = |id: &str| Some(id.to_owned());
    assert_eq!(routes, [("b", None), ("a", to("b")), ("c", to("-"))]);
    let document = Document::parse("flows.yaml", text);
    let flows = document.flows().expect("a list");
    assert_eq!(
        (flows[1].title.as_deref(), flows[1].file.as_deref()),
        (Some("First"), Some("x/a.yaml"))
    );
    assert_eq!(
        flows.iter().map(|flow| flow.utility).collect::<Vec<_>>(),
        [false, false, true]
    );
    for other in ["flows: []\n", "flows:\n  - {key: ../a}\n", "flows:\n  - {title: a}\n"] {
        assert_eq!(Document::parse("flows.yaml", other).flows(), None, "{other}");
    }
}

#[test]
fn several_flows_are_one_workflow_and_each_leads_where_its_file_says() {
    let document = whole();
    assert_eq!(document.diagnostics(), []);
    let workflow = document.workflow();
    let ids: Vec<&str> = workflow.steps().iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["plan/write", "plan/check", "build/write", "reset/a", "reset/b"]);
    let [plan, build, reset] = workflow.parts() else {
        panic!("three flows")
    };
    assert_eq!((plan.title.as_str(), build.title.as_str()), ("Plan", "Build it"));
    assert_eq!(
        plan.on_complete.to,
        Destination::Part("build".to_owned()),
        "the order says it"
    );
    assert_eq!(build.on_complete.to, Destination::End, "its own word counts");
    assert_eq!(
        build.on_failure.to,
        Destination::Part("reset".to_owned()),
        "by the name without its number"
    );
    assert_eq!(build.on_failure.reason.as_deref(), Some("again"));
    assert_eq!(reset.on_complete.to, Destination::Return);
    assert!(reset.utility && !build.utility);
    assert_eq!(document.text(), whole().text());
}

#[test]
fn a_fault_stands_where_it_is_written_and_nothing_is_edited() {
    let broken = PLAN.replace("loop_target: write", "loop_target: wrote");
    let flows = [
        flow("plan", "flows/plan.yaml", &broken),
        flow("build", "flows/3-build.yaml", BUILD),
    ];
    let document = Document::parse("flows.yaml", &together(LIST, &flows).expect("put together"));
    let errors: Vec<_> = document
        .diagnostics()
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .collect();
    let [fault, gone] = errors.as_slice() else {
        panic!("{errors:#?}")
    };
    assert_eq!((gone.code.as_str(), fault.code.as_str()), ("GH0505", "GH0001"));
    assert!(gone.message.contains("8-reset"), "{}", gone.message);
    let span = document.span(&fault.place).expect("a place");
    assert!(
        document.text()[span.start..span.end].contains("wrote"),
        "{:?}",
        &document.text()[span.start..span.end]
    );
    assert_eq!(document.place_at(span.start).step, Some(1));
    let value = document.value(&document.field(2, dialect::StepField::Intent).expect("a field"));
    assert_eq!(value, Some(serde_json::json!("r")));
    let place = fault.place.clone();
    let edit = Edit::Set {
        place,
        value: serde_json::json!("write"),
    };
    assert!(document.edit(&edit).is_err());
}

#[test]
fn what_would_be_taken_for_another_flow_is_refused() {
    let hidden = flow(
        "plan",
        "plan.yaml",
        "key: plan\n--- # flow build: other.yaml\nkey: build\n",
    );
    assert!(together(LIST, &[hidden]).is_err());
    assert!(together(LIST, &[flow("a: b", "x.yaml", PLAN)]).is_err());
    assert!(together(LIST, &[flow("a", "x\n--- # flow b: y.yaml", PLAN)]).is_err());
}

#[test]
fn flows_of_any_text_are_read_and_printed_as_they_are() {
    for text in [
        "--- # flow",
        "--- # flow a",
        "--- # flow a: b\n",
        "x: [\n--- # flow a: b.json\n{\n--- # flow a: b.json\n\"",
        "\u{feff}--- # flow a: b\r\nsteps: 1\r\n",
    ] {
        let document = Document::parse("flows.yaml", text);
        assert_eq!(document.text(), text);
        for offset in 0..=text.len() {
            let place = document.place_at(offset);
            let _ = document.span(&place);
            let _ = document.value(&place);
        }
    }
}

/// What stands in a flow's own file holds for the run it is a part of: it would otherwise be passed over in silence.
#[test]
fn the_contexts_of_the_flows_are_one_in_which_more_is_wanted_and_nothing_less() {
    let standards = |written: &str| format!("{PLAN}context:\n  {written}\n");
    let both = |plan: &str, build: &str| {
        let flows = [
            flow("plan", "plan.yaml", &standards(plan)),
            flow("build", "build.yaml", &format!("{BUILD}context:\n  {build}\n")),
        ];
        let list = "title: All\nflows:\n  - {key: plan}\n  - {key: build}\ncontext: {note: ours}\n";
        Document::parse("flows.yaml", &together(list, &flows).expect("they can be put together"))
    };
    let codes = |document: &Document| -> Vec<String> {
        let all = document.diagnostics();
        let of = all.iter().filter(|one| one.code.starts_with("GH060"));
        of.map(|one| format!("{} {}", one.code, one.message)).collect()
    };
    let wanted = |document: &Document| document.workflow().fields["context"].clone();

    let raised = both(
        "quality_standards: {minimum_test_coverage: 60}",
        "quality_standards: {minimum_test_coverage: 80, below: fail}",
    );
    assert_eq!(codes(&raised), Vec::<String>::new());
    assert_eq!(
        wanted(&raised),
        serde_json::json!({"note": "ours", "quality_standards": {"minimum_test_coverage": 80, "below": "fail"}})
    );

    let less = both(
        "quality_standards: {minimum_test_coverage: 80}",
        "quality_standards: {minimum_test_coverage: 60}",
    );
    assert_eq!(
        codes(&less),
        ["GH0603 `context.quality_standards.minimum_test_coverage` is 60 in the flow `build`, and 80 in one before it"]
    );
    assert_eq!(wanted(&less)["quality_standards"]["minimum_test_coverage"], 80);

    let against = both(
        "project_constraints: {timeline: normal}",
        "project_constraints: {timeline: rush}",
    );
    assert_eq!(
        codes(&against),
        [
            "GH0602 `context.project_constraints.timeline` is \"rush\" in the flow `build`, and \"normal\" in one before it"
        ]
    );
}

#[test]
fn of_the_bounds_of_feedback_the_tightest_holds_and_one_person_decides() {
    let both = |plan: &str, build: &str| {
        let flows = [
            flow("plan", "plan.yaml", &format!("{PLAN}feedback: {plan}\n")),
            flow("build", "build.yaml", &format!("{BUILD}feedback: {build}\n")),
        ];
        let list = "title: All\nflows:\n  - {key: plan}\n  - {key: build}\n";
        Document::parse("flows.yaml", &together(list, &flows).expect("they can be put together"))
    };
    let codes = |document: &Document| -> Vec<String> {
        let all = document.diagnostics();
        let of = all.iter().filter(|one| one.code == "GH0604");
        of.map(|one| one.message.clone()).collect()
    };
    let sound = both("{rounds: 2, escalate_to: Ada}", "{rounds: 1, seconds: 60}");
    assert_eq!(codes(&sound), Vec::<String>::new());
    let bounds = model::Feedback::of(sound.workflow());
    assert_eq!((bounds.rounds, bounds.ms), (Some(1), Some(60_000)));
    assert_eq!(bounds.escalate_to.as_ref().map(|who| who.as_str()), Some("Ada"));
    assert_eq!(
        codes(&both("{escalate_to: Ada}", "{escalate_to: Ben}")),
        ["`feedback.escalate_to` is Ben in the flow `build`, and Ada in one before it"]
    );
    assert_eq!(
        codes(&both("{rounds: 2}", "{rounds: often}")),
        ["`feedback.rounds` must be a whole number; 0 always asks a person"]
    );
}

/// A word that ends a run, or leads back, and a flow that is called so: nobody can tell which is meant.
#[test]
fn a_word_for_an_end_that_is_the_name_of_a_flow_is_an_error() {
    let list = "title: T\nflows: [{key: first}, {key: end}]\n";
    let errors = |onward: &str| -> Vec<String> {
        let first = format!("key: first\n{onward}\nsteps:\n  - {{id: a, role: r, agents: [w]}}\n");
        let flows = [flow("first", "first.yaml", &first), flow("end", "end.yaml", PLAN)];
        let document = Document::parse("flows.yaml", &together(list, &flows).expect("together"));
        let errors = document
            .diagnostics()
            .iter()
            .filter(|one| one.severity == Severity::Error);
        errors.map(|one| one.code.clone()).collect()
    };
    assert_eq!(errors("on_complete: {next_flow: end}"), ["GH0505"]);
    assert_eq!(errors("on_failure: {next_flow: end}"), ["GH0505"]);
    assert_eq!(errors("on_complete: {next_flow: null}"), Vec::<String>::new());
    assert_eq!(errors("on_complete: {next_flow: pause}"), Vec::<String>::new());
}

/// A flow that begins because another one has come to its end has nowhere to return to where it fails.
#[test]
fn a_failure_that_leads_back_to_nothing_but_the_flow_itself_is_an_error() {
    let text = |key: &str, onward: &str| format!("key: {key}\n{onward}steps:\n  - {{id: a, role: r, agents: [w]}}\n");
    let found = |list: &str, of: &[(&str, &str)]| -> Vec<(String, Severity, String)> {
        let flows: Vec<Flow> = of
            .iter()
            .map(|(key, onward)| flow(key, &format!("{key}.yaml"), &text(key, onward)))
            .collect();
        let document = Document::parse("flows.yaml", &together(list, &flows).expect("together"));
        let said = document.diagnostics().iter();
        said.map(|one| (one.code.clone(), one.severity, one.place.path.join(".")))
            .collect()
    };
    let back = "on_failure: {next_flow: return}\n";
    let listed = "flows: [{key: plan}, {key: tidy}]\n";
    let at = |flow: &str, severity| {
        vec![(
            "GH0505".to_owned(),
            severity,
            format!("flows.{flow}.on_failure.next_flow"),
        )]
    };
    assert_eq!(
        found(listed, &[("plan", ""), ("tidy", back)]),
        at("tidy", Severity::Error)
    );
    // Where nothing leads there, the run ends as failed as it would without the word.
    assert_eq!(
        found(listed, &[("plan", back), ("tidy", "")]),
        at("plan", Severity::Warning)
    );
    // A flow that failed leads to it, or one that had come to its end and is followed by another.
    let fails = "on_failure: {next_flow: tidy}\n";
    assert_eq!(found(listed, &[("plan", fails), ("tidy", back)]), []);
    let aside = "flows: [{key: plan}, {key: post}, {key: tidy, is_utility: true}]\n";
    let ends = "on_complete: {next_flow: tidy}\n";
    assert_eq!(found(aside, &[("plan", ends), ("post", ""), ("tidy", back)]), []);
}

#[test]
fn a_failure_that_leads_past_a_gate_is_named() {
    let found = |one: &str, three: &str| -> Vec<(Severity, String, String)> {
        let step = |key: &str, more: &str, gate: &str| {
            format!("key: {key}\ntitle: {key}\n{more}steps:\n  - {{id: a, role: r, agents: [w]{gate}}}\n")
        };
        let flows = [
            flow("one", "one.yaml", &step("one", one, "")),
            flow("two", "two.yaml", &step("two", "", ", human_gate: required")),
            flow("three", "three.yaml", &step("three", "", three)),
        ];
        let list = "flows: [{key: one}, {key: two}, {key: three}]\n";
        let document = Document::parse("flows.yaml", &together(list, &flows).expect("together"));
        let said = document.diagnostics().iter().filter(|one| one.code == "GH0006");
        said.map(|one| (one.severity, one.place.path.join("."), one.message.clone()))
            .collect()
    };
    let leads = |flow: &str| format!("on_failure: {{next_flow: {flow}}}\n");
    let past = found(&leads("three"), "");
    let [(severity, place, message)] = past.as_slice() else {
        panic!("one is found: {past:?}")
    };
    assert_eq!(
        (*severity, place.as_str()),
        (Severity::Warning, "flows.one.on_failure.next_flow")
    );
    let words = ["`three/a`", "without passing the gate", "`two/a`", "“one” fails"];
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    assert_eq!(found(&leads("two"), ""), []);
    assert_eq!(found("", ""), []);
    let asked = ", human_gate: required, gate_at: before";
    assert_eq!(found(&leads("three"), asked), [], "it is asked there");
}

#[test]
fn a_name_becomes_a_key() {
    use dialect::stepwise::key_of;
    for (name, key) in [
        ("deploy", "deploy"),
        ("6-deploy.yaml", "6-deploy.yaml"),
        ("subs/two.yaml", "two"),
        ("../.two.graph.json", "flow"),
        ("my flow", "my-flow"),
        ("", "flow"),
    ] {
        assert_eq!(key_of(name), key, "{name}");
    }
}
