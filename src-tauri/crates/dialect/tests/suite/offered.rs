//! What a format offers, what it does, and what the documentation says that it does.
#![expect(clippy::disallowed_methods, reason = "what the documentation says is read")]

use dialect::{Document, shapes};
use model::{Edit, FlowEdit, Gesture, Gestures, NewGate, NewStep, Place, Route, Spot, StepId, Way};

/// A pipeline in which a stage waits for two others, and a gate stands.
const PIPELINE: &str = "\
name: Three
stages:
  - name: one
    agents: [a]
    parallel: false
    depends_on: []
    outputs: []
  - name: two
    agents: [a]
    parallel: false
    depends_on: []
    outputs: []
  - name: three
    agents: [a]
    parallel: false
    depends_on: [one]
    human_gate: required
    outputs: []
";

/// What a new file of a shape can be, and a pipeline.
fn documents(shape: &dialect::NewFile) -> Vec<Document> {
    let path = match shape.name {
        "pipeline" => "PIPE-20260131-new-093000.yaml".to_owned(),
        _ => format!("new{}", shape.ending),
    };
    let own = (shape.name == "pipeline").then_some(PIPELINE);
    let texts = shape.templates.iter().map(|template| template.text).chain(own);
    texts
        .chain([shape.skeleton])
        .map(|text| Document::parse(&path, text))
        .collect()
}

/// Whether one of some gestures is made, on any two steps of any of the documents.
fn done(documents: &[Document], of: impl Fn(&StepId, &StepId) -> Vec<Gesture>) -> bool {
    documents.iter().any(|document| {
        let steps = document.workflow().steps();
        let pairs = steps.iter().flat_map(|a| steps.iter().map(move |b| (&a.id, &b.id)));
        pairs
            .flat_map(|(a, b)| of(a, b))
            .any(|gesture| document.gesture(&gesture).is_ok_and(|edits| !edits.is_empty()))
    })
}

#[test]
fn what_is_offered_is_what_is_done() {
    for shape in shapes() {
        let documents = documents(shape);
        let add = |at: Spot| -> Vec<Gesture> {
            let step = NewStep::default();
            vec![FlowEdit::Add { step, at }.into()]
        };
        let drawn = |from: &StepId, to: &StepId, way: Way| -> Vec<Gesture> {
            let (from, to, way) = (from.clone(), to.clone(), Some(way));
            vec![FlowEdit::Connect { from, to, way }.into()]
        };
        let route = |step: &StepId, to: Route| -> Vec<Gesture> {
            let step = step.clone();
            vec![FlowEdit::Route { step, to }.into()]
        };
        let gate = NewGate {
            requirement: model::GateRequirement::Optional,
            at: None,
            question: Some("Is it good?".to_owned()),
            asks: None,
        };
        let value = Way::Value {
            field: None,
            value: "FAIL".to_owned(),
        };
        let made = Gestures {
            steps: done(&documents, |_, _| add(Spot::End)),
            inside: done(&documents, |a, _| add(Spot::Inside { step: a.clone() })),
            order: documents.iter().any(|document| {
                let many = document.workflow().steps().len();
                let moves = (0..many).flat_map(|from| (0..many).map(move |to| (Place::step(from), to)));
                let mut moved = moves.map(|(place, to)| document.edit(&Edit::Move { place, to }));
                moved.any(|moved| moved.is_ok_and(|edits| !edits.is_empty()))
            }),
            next: done(&documents, |a, b| route(a, Route::Next { to: b.clone() })),
            waits: done(&documents, |a, b| drawn(a, b, Way::Waits)),
            loops: done(&documents, |a, b| {
                drawn(
                    a,
                    b,
                    Way::Back {
                        most: Some(2),
                        until: None,
                    },
                )
            }),
            branches: done(&documents, |a, b| drawn(a, b, value.clone())),
            forks: done(&documents, |a, b| drawn(a, b, Way::Beside)),
            gates: done(&documents, |a, _| {
                let (step, gate) = (a.clone(), Some(gate.clone()));
                vec![FlowEdit::Gate { step, gate }.into()]
            }),
            rejections: done(&documents, |a, b| drawn(a, b, Way::Rejected)),
        };
        let offered = documents[0].gestures();
        // Nodes can change places in a graph file, which means nothing.
        let order = made.order && shape.name != "graph";
        assert_eq!(Gestures { order, ..made }, offered, "{}", shape.name);
        // Of a line is offered what can be drawn somewhere.
        for document in &documents {
            let steps = document.workflow().steps();
            for (a, b) in steps.iter().flat_map(|a| steps.iter().map(move |b| (&a.id, &b.id))) {
                for one in document.drawn(a, b) {
                    let is_made = done(&documents, |a, b| drawn(a, b, one.way.clone()));
                    assert!(is_made, "{}: {:?}", shape.name, one);
                }
            }
        }
    }
}

/// The cells of a Markdown table's rows, by what the first one begins with.
fn cell(page: &str, row: &str) -> String {
    let mut before = String::new();
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let last = cells.last().copied().unwrap_or_default().to_owned();
        let last = if last == "the same" { before } else { last };
        if cells[0].trim_start_matches('[').starts_with(row) {
            return last;
        }
        before = last;
    }
    panic!("no row of the table begins with “{row}”")
}

#[test]
fn a_file_is_called_as_the_choice_that_it_was_made_by() {
    for shape in shapes() {
        for document in documents(shape) {
            assert_eq!(document.label(), shape.label());
            let form = document.form(None);
            assert_eq!(
                form.map(|form| form.label),
                Some(shape.label().to_owned()),
                "{}",
                shape.name
            );
        }
    }
}

#[test]
fn the_documentation_says_what_can_be_edited_of_each_format() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = |name: &str| std::fs::read_to_string(root.join(name)).expect("a page");
    let (front, formats) = (page("README.md"), page("docs/formats/README.md"));
    let rows = [
        ("flow", "stepwise flow", "stepwise, both"),
        ("graph", "stepwise graph file", "stepwise graph files"),
        ("runbook", "Rundown runbook", "runbooks"),
        ("pipeline", "agent pipeline", "pipelines"),
        ("stepspec", "StepSpec", "StepSpec"),
        ("agent-workflow", "agent workflow", "agent workflows"),
    ];
    assert_eq!(rows.len(), shapes().len(), "every shape has its row");
    for (name, short, long) in rows {
        let shape = dialect::shape(name).expect("a shape");
        let document = &documents(shape)[0];
        let may = document.gestures();
        // The words in which each gesture is told: one of them.
        let told: [(bool, &[&str]); 5] = [
            (may.steps, &["steps", "stages"]),
            (may.next, &["ways", "lines"]),
            (may.waits, &["dependencies"]),
            (may.gates, &["gates"]),
            (document.form(Some(0)).is_some(), &["field"]),
        ];
        let more: [(bool, &[&str]); 4] = [
            (may.inside, &["substeps"]),
            (may.forks, &["forks"]),
            (may.order, &["moved", "stages"]),
            (may.rejections, &["rejections"]),
        ];
        let (front, formats) = (cell(&front, short), cell(&formats, long));
        for (is_offered, words) in told {
            let says = |cell: &str| words.iter().any(|word| cell.contains(word));
            assert_eq!(
                says(&front),
                is_offered,
                "the front page, {short}: {words:?} in “{front}”"
            );
            assert_eq!(
                says(&formats),
                is_offered,
                "the formats, {long}: {words:?} in “{formats}”"
            );
        }
        for (is_offered, words) in more {
            // A row that is told for two formats may say more than one of them offers.
            let says = words.iter().any(|word| formats.contains(word));
            assert!(says || !is_offered, "the formats, {long}: {words:?} in “{formats}”");
        }
    }
}

/// A status that reads like jargon is said in words beside what is written, wherever a form holds it.
#[test]
fn a_form_says_what_a_status_means() {
    let flow = "\
key: k
steps:
  - {id: write, agents: [w]}
  - {id: check, agents: [c], routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [VERIFIED], next: sort}}
  - {id: sort, agents: [w], routing: {kind: branch, branches: {VERIFIED: end, UNVERIFIED: write}}}
  - {id: other, agents: [c], routing: {kind: microloop, loop_target: sort, loop_condition_field: verdict, loop_success_values: [VERIFIED]}}
  - {id: end, agents: [w], routing: {kind: branch, when: [{condition: \"status == 'VERIFIED'\", next: write}], default: check}}
";
    let help = |path: &str, text: &str, step: usize, field: &str| {
        let document = Document::parse(path, text);
        let form = document.form(Some(step)).expect("a form");
        let found = form.fields.into_iter().find(|one| one.name == field);
        found.unwrap_or_else(|| panic!("{step}: {field}")).help
    };
    assert_eq!(
        help("k.yaml", flow, 1, "routing.loop_success_values"),
        "Until its check is passed (`status: VERIFIED`). One of these values ends the loop."
    );
    assert_eq!(
        help("k.yaml", flow, 2, "routing.branches"),
        "`status: VERIFIED` says that its check is passed. `status: UNVERIFIED` says that its check is not passed. Each value with the step that it leads to."
    );
    assert_eq!(
        help("k.yaml", flow, 3, "routing.loop_success_values"),
        "One of these values ends the loop.",
        "another field says something else"
    );
    assert!(help("k.yaml", flow, 4, "routing.when").starts_with("`status: VERIFIED` says that its check is passed. "));
    let spec = "\
flow_id: k
steps:
  - {id: write, station: w}
  - {id: check, station: c, routing: {kind: microloop, loop_target: write, exit_on: {status: [VERIFIED]}}}
";
    assert!(help("k.yaml", spec, 1, "routing.exit_on").starts_with("Until its check is passed (`status: VERIFIED`). "));
    let graph = "\
id: g
nodes: [{node_id: a, template_id: w}, {node_id: b, template_id: w}]
edges:
  - {edge_id: e, from: a, to: b}
  - {edge_id: l, from: b, to: a, type: loop, condition: {field: status, operator: not_equals, value: VERIFIED}}
";
    assert!(
        help("g.graph.yaml", graph, 1, "condition").starts_with("`status: VERIFIED` says that its check is passed. ")
    );
}
