//! Another id for a step of a flow or graph file: everything in the file that leads to it follows.

use dialect::{Document, EditError, StepField, apply, invert};
use model::{Edit, FlowEdit, NewStep, Place, Spot};

/// The file after a step has got another id, with its problems.
fn renamed(path: &str, text: &str, step: usize, key: &str, to: &str) -> Result<(String, Document), EditError> {
    let document = Document::parse(path, text);
    let place = Place::step(step).field(key);
    let value = to.into();
    let edits = document.edit(&Edit::Set { place, value })?;
    let after = apply(text, &edits);
    let document = Document::parse(path, &after);
    Ok((after, document))
}

/// What stands for the answer of a question follows its new name, as it is written; a script is not filled in.
#[test]
fn what_stands_for_an_answer_follows_the_new_name_of_its_question() {
    let steps = "\
steps:
  - id: a
    name: Write it
    description: Write about {{ product }} and {{other}}   # whatever it is
    inputs: {artifacts: [\"{output_folder}/{{product}}.md\"]}
    agent: w
  - id: b
    name: Build it
    description: Build it
    run: echo '{{product}}'
";
    let at = |keys: &[&str]| Place::document().path(keys.iter().map(|key| (*key).to_owned()));
    let set = |keys: &[&str]| Edit::Set {
        place: at(keys),
        value: "artikel".into(),
    };
    let key = Edit::Rename {
        place: at(&["questions", "product"]),
        to: "artikel".to_owned(),
    };
    for (questions, edit) in [
        ("questions:\n  product: What?   # by hand\n", key),
        ("questions:\n  - product   # by hand\n", set(&["questions", "0"])),
        (
            "questions:\n  - {name: product, label: What?}\n",
            set(&["questions", "0", "name"]),
        ),
    ] {
        let text = format!("format: stepspec\n{questions}{steps}");
        let document = Document::parse("s.yaml", &text);
        let made = document.make(&[edit.into()]).expect("renamed");
        let named = questions.replace("product", "artikel");
        let filled = steps.replace("{{ product }}", "{{ artikel }}");
        let filled = filled.replace("{{product}}.md", "{{artikel}}.md");
        assert_eq!(made.document.text(), format!("format: stepspec\n{named}{filled}"));
        assert_eq!(apply(made.document.text(), &invert(&text, &made.edits)), text);
        let [said] = made.entails.as_slice() else {
            panic!("{:?}", made.entails)
        };
        assert!(
            said.starts_with("what stands for its answer is written `{{artikel}}` then: ")
                && said.contains("“Write it”"),
            "{said}"
        );
    }
}

#[test]
fn everything_that_leads_to_a_step_of_a_flow_follows_its_new_id() {
    let text = "\
key: k
parallel: {fork_point: split, fork_config: {targets: [old, right]}, join_point: meet}
metadata: {from: old, next: old}   # an author's own
policy:
  detours:
    - {id: clear, after: [old, meet], condition: \"x == 'old'\", station: w, return: old}
suggested_injections: [{id: lint, inject_after: old, condition: {field: x, operator: equals, value: old}, agent: w}]
steps:
  - {id: split, agents: [w]}
  - {id: old, agents: [w], human_gate: required, on_reject: old, routing: {kind: microloop, loop_target: old, next: meet}}
  - {id: right, agents: [w], routing: {kind: linear, next: meet}}
  - id: meet
    agents: [w]
    suggested_sidequests:
      - {id: back, station: w, condition: \"late\", return_behavior: {mode: bounce_to, target_node: \"old\"}}
    routing:
      kind: branch
      when: [{condition: \"y\", next: old}]   # back to the start
      default: last
  - {id: last, agents: [w], routing: {kind: branch, branches: {again: old}, next: end}}
  - {id: end, agents: [w]}
";
    let before = Document::parse("k.yaml", text);
    let (after, document) = renamed("k.yaml", text, 1, "id", "new").expect("renamed");
    let expected = text
        .replace("targets: [old,", "targets: [new,")
        .replace("after: [old,", "after: [new,")
        .replace("return: old", "return: new")
        .replace("inject_after: old", "inject_after: new")
        .replace("{id: old,", "{id: new,")
        .replace("on_reject: old", "on_reject: new")
        .replace("loop_target: old", "loop_target: new")
        .replace("\"old\"}}", "\"new\"}}")
        .replace("next: old}]   # back", "next: new}]   # back")
        .replace("again: old", "again: new");
    assert_eq!(after, expected);
    let said = |document: &Document| {
        let found = document.diagnostics().iter();
        found
            .map(|one| (one.code.clone(), one.message.replace("old", "new")))
            .collect::<Vec<_>>()
    };
    assert_eq!(said(&document), said(&before));
    assert_eq!(document.workflow().flows().len(), before.workflow().flows().len());
}

#[test]
fn edges_and_detours_of_a_graph_follow_too_and_detours_of_detours() {
    let text = "\
id: g
nodes:
  - {node_id: a, template_id: w}
  - {node_id: b, template_id: w}
edges:
  - {edge_id: e, from: a, to: b}
  - {edge_id: l, from: b, to: a, type: loop, condition: {field: status, operator: not_equals, value: a}}
detours:
  - {id: d, after: a, condition: \"x\", steps: [{id: s, agent: w}, {id: t, agent: w}]}
  - {id: n, after: [s], condition: \"y\", agent: w}
";
    let (after, document) = renamed("g.graph.yaml", text, 0, "node_id", "start").expect("renamed");
    let expected = text
        .replace("node_id: a,", "node_id: start,")
        .replace("from: a,", "from: start,")
        .replace("to: a,", "to: start,")
        .replace("after: a,", "after: start,");
    assert_eq!(after, expected);
    assert!(
        document.diagnostics().iter().all(|one| one.code != "GH0506"),
        "{:#?}",
        document.diagnostics()
    );
    let inner = document
        .workflow()
        .step(&"s@start".into())
        .expect("a step of the detour")
        .ordinal;
    let (after, document) = renamed("g.graph.yaml", &after, inner, "id", "ask").expect("renamed");
    let expected = expected
        .replace("{id: s,", "{id: ask,")
        .replace("after: [s]", "after: [ask]");
    assert_eq!(after, expected);
    assert!(document.workflow().step(&"n@ask@start".into()).is_some());
}

#[test]
fn what_cannot_be_followed_for_sure_is_refused() {
    let flow = |condition: &str| {
        format!(
            "key: k\nsteps:\n  - {{id: a, agents: [w], routing: {{kind: branch, when: [{{condition: \"{condition}\", next: a}}], default: b}}}}\n  - {{id: b, agents: [w]}}\n"
        )
    };
    let why = |text: &str, to: &str| match renamed("k.yaml", text, 0, "id", to) {
        Err(EditError::NotUnderstood { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert!(why(&flow("loops['a:b'] > 2"), "c").contains("loops['a:b'] > 2"));
    assert!(why(&flow("run.step_id == 'a'"), "c").contains("names this step"));
    assert_eq!(why(&flow("status == 'a'"), "b"), "another step is called “b”");
    assert_eq!(why(&flow("status == 'a'"), " "), "an id is a text");
    let (after, _) = renamed("k.yaml", &flow("status == 'a'"), 0, "id", "c").expect("no step is meant");
    assert!(after.contains("status == 'a'") && after.contains("next: c"), "{after}");
    // A word of the format stays one.
    let text = "key: k\ndetours: [{id: d, after: next, condition: \"x\", agent: w, return: next}]\nsteps:\n  - {id: next, agents: [w]}\n  - {id: b, agents: [w]}\n";
    let (after, _) = renamed("k.yaml", text, 0, "id", "first").expect("renamed");
    assert!(
        after.contains("after: first") && after.contains("return: next"),
        "{after}"
    );
}

/// The first step of a new file has the title of the whole as its task: a name of its own is its task, and a task of one's own stays.
#[test]
fn the_task_of_the_first_step_is_the_title_only_until_it_has_a_name() {
    let named = |shape: &dialect::NewFile, task: &str| {
        let path = format!("new{}", shape.ending);
        let begun = dialect::begun(shape, task);
        let text = dialect::named(&path, &begun, "claim", "Approve a claim").expect("it can be named");
        let document = Document::parse(&path, &text);
        let rename = Edit::Set {
            place: document.field(0, StepField::Name).expect("a name"),
            value: "Read the claim".into(),
        };
        let made = document.make(&[rename.into()]).expect("renamed").document;
        made.workflow().steps()[0].intent.clone()
    };
    for name in ["flow", "stepspec", "agent-workflow", "graph"] {
        let shape = dialect::shape(name).expect("a shape");
        assert_eq!(
            named(shape, "Approve a claim").as_deref(),
            Some("Read the claim"),
            "{name}"
        );
        assert_eq!(named(shape, "Look at it").as_deref(), Some("Look at it"), "{name}");
    }
}

/// A step that was added by its name has that as its task: the name that it gets later is its task, too, in one edit.
#[test]
fn a_task_that_is_the_name_of_its_step_goes_along_when_that_changes() {
    for shape in dialect::shapes() {
        let path = match shape.name {
            "pipeline" => "PIPE-20260131-new-093000.yaml".to_owned(),
            _ => format!("new{}", shape.ending),
        };
        let empty = Document::parse(&path, shape.skeleton);
        let add = FlowEdit::Add {
            step: NewStep {
                name: Some("offer".to_owned()),
                ..NewStep::default()
            },
            at: Spot::End,
        };
        let added = empty.make(&[add.into()]).expect("added").document;
        let at = added.workflow().steps().len() - 1;
        let task = |document: &Document| document.workflow().steps()[at].intent.clone();
        assert_eq!(task(&added).as_deref(), Some("offer"), "{}", shape.name);
        let place = added.field(at, StepField::Name).expect("a name");
        let rename = |to: &str| Edit::Set {
            place: place.clone(),
            value: to.into(),
        };
        let made = added.make(&[rename("bid").into()]).expect("renamed");
        let step = &made.document.workflow().steps()[at];
        assert_eq!(step.name, "bid", "{}", shape.name);
        assert_eq!(step.intent.as_deref(), Some("bid"), "{}", shape.name);
        assert_eq!(made.document.text(), apply(added.text(), &made.edits));
        assert_eq!(
            apply(made.document.text(), &invert(added.text(), &made.edits)),
            added.text(),
            "{}",
            shape.name
        );
        assert_eq!(made.entails, [""; 0], "{}", shape.name);
        // What somebody wrote themselves stays.
        let task_at = added.field(at, StepField::Intent).expect("a task");
        let own = Edit::Set {
            place: task_at,
            value: "Write the offer. Then rest.".into(),
        };
        let made = added.make(&[own.into(), rename("bid").into()]).expect("made");
        assert_eq!(
            task(&made.document).as_deref(),
            Some("Write the offer. Then rest."),
            "{}",
            shape.name
        );
    }
    // What would be no task leaves it as it is.
    let book = "# B\n\n## 1 Ask\n\nAsk\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let document = Document::parse("b.runbook.md", book);
    let place = document.field(0, StepField::Name).expect("a name");
    let to = Edit::Set {
        place,
        value: "PASS: STOP".into(),
    };
    let made = document.make(&[to.into()]).expect("renamed").document;
    assert_eq!(
        made.workflow().steps()[0].intent.as_deref(),
        Some("Ask"),
        "{}",
        made.text()
    );
}

/// The name of a stage is written small and with dashes: its task is the words that it was made of, and stays words.
#[test]
fn a_task_that_the_name_of_a_stage_was_made_of_goes_along() {
    let path = "PIPE-20260131-new-093000.yaml";
    let text = |name: &str, task: &str| {
        format!(
            "name: New\nstages:\n  - {{name: {name}, description: {task}, agents: [a]}}\n  - {{name: end, agents: [a], depends_on: [{name}]}}\n"
        )
    };
    let after = |name: &str, task: &str, to: &str| {
        let document = Document::parse(path, &text(name, task));
        let place = document.field(0, StepField::Name).expect("a name");
        let rename = Edit::Set {
            place,
            value: to.into(),
        };
        let made = document.make(&[rename.into()]).expect("renamed").document;
        let step = &made.workflow().steps()[0];
        assert_eq!(step.id.as_str(), to);
        assert_eq!(made.workflow().steps()[1].depends_on[0].as_str(), to);
        step.intent.clone().expect("a task")
    };
    assert_eq!(
        after("write-the-offer", "Write the offer", "send-the-bid"),
        "Send the bid"
    );
    assert_eq!(after("write-the-offer-2", "Write the offer", "bid"), "Bid");
    assert_eq!(
        after("write-the-offer", "Write the offer", "Send it off"),
        "Send it off"
    );
    assert_eq!(after("write_the_offer", "Write the offer", "bid"), "Bid");
    for own in ["Write the offer by Friday", "Offer", "Write the offer 2"] {
        assert_eq!(after("write-the-offer", own, "bid"), own);
    }
}
