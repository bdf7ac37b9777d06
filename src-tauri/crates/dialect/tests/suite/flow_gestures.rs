//! Gestures on flows and graph files: which line is meant, what is written, and what is said of it.

use crate::untouched::touched;
use dialect::{Document, apply, invert};
use model::{
    ConditionWritten, Edit, FlowEdit, FormControl, Gesture, NewStep, Place, Route, Severity, Spot, StepId, Takes, Way,
};

/// The text after a gesture and what it entails; `Err`: why it is refused.
fn after(path: &str, text: &str, gesture: impl Into<Gesture>) -> Result<(String, Vec<String>), String> {
    let document = Document::parse(path, text);
    let gesture = gesture.into();
    let made = document
        .make(std::slice::from_ref(&gesture))
        .map_err(|refused| refused.error.to_string())?;
    assert_eq!(touched(&document, &made, &gesture), Vec::<String>::new());
    assert_eq!(apply(made.document.text(), &invert(text, &made.edits)), text);
    Ok((made.document.text().to_owned(), made.entails))
}

fn cut(from: &str, to: &str, label: Option<&str>) -> FlowEdit {
    FlowEdit::Disconnect {
        from: from.into(),
        to: to.into(),
        label: label.map(str::to_owned),
    }
}

fn between(from: &str, to: &str, label: Option<&str>) -> FlowEdit {
    FlowEdit::Add {
        step: NewStep {
            id: Some("new".into()),
            ..NewStep::default()
        },
        at: Spot::Between {
            from: from.into(),
            to: to.into(),
            label: label.map(str::to_owned),
        },
    }
}

fn connect(from: &str, to: &str, way: Way) -> FlowEdit {
    FlowEdit::Connect {
        from: from.into(),
        to: to.into(),
        way: Some(way),
    }
}

fn rename(step: usize, key: &str, to: &str) -> Edit {
    Edit::Set {
        place: Place::step(step).field(key),
        value: to.into(),
    }
}

/// A step to which a rejection and a loop lead, from the same step.
const REVIEW: &str = "\
key: review
steps:
  - {id: draft, agents: [w], role: r}
  - {id: check, agents: [w], role: r, human_gate: required, on_reject: draft, routing: {kind: microloop, loop_target: draft, next: send}}
  - {id: send, agents: [w], role: r}
";

#[test]
fn of_a_loop_and_a_rejection_the_one_that_is_drawn_so_is_meant() {
    let (text, _) = after("review.yaml", REVIEW, cut("check", "draft", None)).expect("the loop");
    assert!(
        text.contains("on_reject: draft") && !text.contains("loop_target"),
        "{text}"
    );
    assert!(text.contains("routing: {kind: linear, next: send}"), "{text}");
    let (text, _) = after("review.yaml", REVIEW, cut("check", "draft", Some("rejected"))).expect("the rejection");
    assert_eq!(text, REVIEW.replace(" on_reject: draft,", ""));
    let (text, _) = after("review.yaml", REVIEW, between("check", "draft", None)).expect("on the loop");
    assert!(
        text.contains("on_reject: draft") && text.contains("loop_target: new"),
        "{text}"
    );
    let (text, _) =
        after("review.yaml", REVIEW, between("check", "draft", Some("rejected"))).expect("on the rejection");
    assert!(
        text.contains("on_reject: new") && text.contains("loop_target: draft"),
        "{text}"
    );
}

#[test]
fn a_loop_that_is_drawn_with_its_bound_is_meant_by_that() {
    let document = Document::parse("review.yaml", REVIEW);
    let flows = document.workflow().flows();
    let turns = flows.iter().find(|(.., flow)| flow.kind == model::FlowKind::Loop);
    let drawn = turns.and_then(|(.., flow)| flow.drawn_label()).expect("a bound");
    assert!(drawn.starts_with("↻ "), "{drawn}");
    for gesture in [
        |label| cut("check", "draft", label),
        |label| between("check", "draft", label),
    ] {
        let meant = after("review.yaml", REVIEW, gesture(Some(&drawn)));
        assert!(meant.is_ok(), "{meant:?}");
        assert_eq!(meant, after("review.yaml", REVIEW, gesture(None)));
    }
}

#[test]
fn a_line_that_is_not_there_is_no_other_one_and_two_alike_are_not_guessed() {
    assert_eq!(
        after("review.yaml", REVIEW, cut("check", "draft", Some("approved"))),
        Err("no line from “Check” to “Draft” is called “approved”".to_owned())
    );
    let alike = REVIEW.replace("next: send", "next: draft");
    let why = after("review.yaml", &alike, cut("check", "draft", None)).expect_err("two lines without a label");
    assert!(why.starts_with("several lines lead from “Check” to “Draft”"), "{why}");
    // What stands elsewhere is not said to be missing.
    let beside = format!("parallel: {{fork_point: draft, fork_config: {{targets: [check, send]}}}}\n{REVIEW}");
    let why = after("review.yaml", &beside, cut("draft", "send", None)).expect_err("no line of the step's own");
    assert!(
        why.starts_with("the block “parallel” says what begins after “Draft”"),
        "{why}"
    );
    // The only one is meant without its label, too.
    let (text, _) = after(
        "review.yaml",
        &REVIEW.replace(
            "routing: {kind: microloop, loop_target: draft, next: send}",
            "name: Check",
        ),
        cut("check", "draft", None),
    )
    .expect("the rejection");
    assert!(!text.contains("on_reject"), "{text}");
}

/// A node from which a rejection, a loop with a condition and an edge lead to one other node.
const GRAPH: &str = "\
id: g
nodes:
  - {node_id: a, template_id: w}
  - {node_id: b, template_id: w, human_gate: required, on_reject: a}
  - {node_id: c, template_id: w}
edges:
  - {edge_id: a-b, from: a, to: b}
  - {edge_id: back, from: b, to: a, type: loop, priority: 70, condition: {field: status, operator: equals, value: BAD}}
  - {edge_id: late, from: b, to: a, type: loop, priority: 60, condition: {field: late, operator: equals, value: YES}}
  - {edge_id: b-c, from: b, to: c}
";

#[test]
fn of_several_edges_of_a_graph_the_one_with_the_label_is_meant() {
    let (text, _) = after("g.graph.yaml", GRAPH, cut("b", "a", Some("late is YES"))).expect("an edge");
    assert!(
        text.contains("edge_id: back") && !text.contains("edge_id: late"),
        "{text}"
    );
    let (text, _) = after("g.graph.yaml", GRAPH, cut("b", "a", Some("rejected"))).expect("the rejection");
    assert_eq!(text, GRAPH.replace(", on_reject: a", ""));
    let (text, _) = after("g.graph.yaml", GRAPH, between("b", "a", Some("rejected"))).expect("on the rejection");
    assert!(
        text.contains("on_reject: new") && text.contains("from: new, to: a"),
        "{text}"
    );
    assert!(text.contains("{edge_id: back, from: b, to: a"), "{text}");
    for label in [None, Some("status is GOOD")] {
        assert!(after("g.graph.yaml", GRAPH, cut("b", "a", label)).is_err());
        assert!(after("g.graph.yaml", GRAPH, between("b", "a", label)).is_err());
    }
}

#[test]
fn every_line_that_is_drawn_can_be_taken_away_and_nothing_else_goes_with_it() {
    let texts = [
        ("review.yaml", REVIEW.to_owned()),
        ("g.graph.yaml", GRAPH.to_owned()),
        (
            "ways.yaml",
            "key: ways\nsteps:\n  - {id: a, agents: [w], role: r, routing: {kind: branch, branch_field: f, branches: {X: c, Y: c}, next: c, default: b}}\n  - {id: b, agents: [w], role: r, routing: {kind: branch, when: [{condition: \"x\", next: a}, {condition: \"y\", next: a}], default: a, next: c}}\n  - {id: c, agents: [w], role: r, routing: {kind: fork, fork_targets: [d, e, f], fork_config: {targets: [d, e, f]}, join_point: f}}\n  - {id: d, agents: [w], role: r}\n  - {id: e, agents: [w], role: r}\n  - {id: f, agents: [w], role: r, human_gate: required, on_reject: a}\n".to_owned(),
        ),
    ];
    type Seen = (StepId, StepId, Option<String>);
    let drawn = |document: &Document| -> Vec<Seen> {
        let flows = document.workflow().flows().into_iter();
        flows
            .map(|(from, to, flow)| (from.id.clone(), to.id.clone(), flow.label.clone()))
            .collect()
    };
    for (path, text) in texts {
        let lines = drawn(&Document::parse(path, &text));
        for (n, (from, to, label)) in lines.iter().enumerate() {
            let gesture = cut(from.as_str(), to.as_str(), label.as_deref());
            let (changed, _) =
                after(path, &text, gesture).unwrap_or_else(|why| panic!("{from} → {to} {label:?}: {why}"));
            // The last way beside another one leaves that one alone, without a label.
            let ends = |lines: &[Seen]| -> Vec<(StepId, StepId)> {
                lines.iter().map(|(from, to, _)| (from.clone(), to.clone())).collect()
            };
            let mut wanted = lines.clone();
            wanted.remove(n);
            assert_eq!(
                ends(&drawn(&Document::parse(path, &changed))),
                ends(&wanted),
                "{from} → {to} {label:?}\n{changed}"
            );
        }
    }
}

#[test]
fn a_loop_of_a_graph_turns_as_often_as_was_said() {
    let plain = "id: g\nnodes:\n  - {node_id: a, template_id: w}\n  - {node_id: b, template_id: w}\nedges:\n  - {edge_id: a-b, from: a, to: b}\n";
    let rounds = |text: &str, step: &str| {
        let document = Document::parse("g.graph.yaml", text);
        let step = document.workflow().step(&step.into()).expect("it is there");
        step.routing.rounds()
    };
    let route = FlowEdit::Route {
        step: "b".into(),
        to: Route::Loop {
            back: "a".into(),
            most: 3,
            field: None,
            values: vec!["GOOD".to_owned()],
            next: None,
        },
    };
    let (text, _) = after("g.graph.yaml", plain, route).expect("a loop");
    assert_eq!(rounds(&text, "b"), 3, "{text}");
    let back = || {
        connect(
            "b",
            "a",
            Way::Back {
                most: Some(4),
                until: None,
            },
        )
    };
    let (text, said) = after("g.graph.yaml", plain, back()).expect("a loop");
    assert_eq!((rounds(&text, "b"), said), (4, Vec::new()), "{text}");
    // It is one number for all of them.
    let (_, said) = after(
        "g.graph.yaml",
        &text,
        connect(
            "b",
            "b",
            Way::Back {
                most: Some(2),
                until: None,
            },
        ),
    )
    .expect("another");
    assert_eq!(said, ["every loop that leaves “B” turns 2 times at most"]);
}

/// An id that was made of the ends of an edge does not tell of another end, whatever gesture gave it one.
#[test]
fn an_edge_called_after_its_ends_is_called_so_where_it_leads_elsewhere() {
    let node = |id: &str| format!("  - {{node_id: {id}, template_id: w}}\n");
    let nodes: String = ["a", "b", "c", "d"].map(node).concat();
    let graph = |edges: &str| format!("id: g\nnodes:\n{nodes}edges:\n{edges}");
    let plain = graph("  - {edge_id: a-b, from: a, to: b}\n  - {edge_id: b-c, from: b, to: c}\n");
    let path = "g.graph.yaml";
    let behind = FlowEdit::Add {
        step: NewStep {
            name: Some("New".to_owned()),
            ..NewStep::default()
        },
        at: Spot::After { step: "a".into() },
    };
    let (text, _) = after(path, &plain, behind).expect("added");
    assert!(text.contains("{edge_id: a-new, from: a, to: new}"), "{text}");
    let (text, _) = after(path, &plain, connect("a", "c", Way::Next)).expect("led elsewhere");
    assert!(text.contains("{edge_id: a-c, from: a, to: c}"), "{text}");
    let route = FlowEdit::Route {
        step: "a".into(),
        to: Route::Next { to: "c".into() },
    };
    let (text, _) = after(path, &plain, route).expect("led elsewhere");
    assert!(text.contains("{edge_id: a-c, from: a, to: c}"), "{text}");
    let gone = Edit::Remove { place: Place::step(1) };
    let made = Document::parse(path, &plain).make(&[gone.into()]).expect("removed");
    let text = made.document.text();
    assert!(text.contains("{edge_id: a-c, from: a, to: c}"), "{text}");
    // Beside an edge with the same priority the ids decide which is tried first.
    let beside = |priority: u32| {
        graph(&format!(
            "  - {{edge_id: a-b, from: a, to: b}}\n  - {{edge_id: z, from: a, to: c, priority: {priority}, \
             condition: {{field: status, operator: equals, value: X}}}}\n"
        ))
    };
    for (priority, id) in [(60, "a-d"), (50, "a-b")] {
        let (text, _) = after(path, &beside(priority), connect("a", "d", Way::Next)).expect("led elsewhere");
        assert!(text.contains(&format!("edge_id: {id}, from: a, to: d")), "{text}");
    }
}

#[test]
fn edges_that_are_made_together_have_ids_of_their_own() {
    let ids = |text: &str| -> Vec<String> {
        let edges = text.lines().filter_map(|line| line.split_once("edge_id: "));
        let ids = edges.map(|(_, rest)| rest.split([',', '}']).next().unwrap_or(rest).trim().to_owned());
        ids.collect()
    };
    let distinct = |text: &str| {
        let all = ids(text);
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), all.len(), "{text}");
    };
    let plain = "id: g\nnodes:\n  - {node_id: a, template_id: w}\n  - {node_id: b, template_id: w}\nedges:\n  - {edge_id: a-b, from: a, to: b}\n";
    let route = FlowEdit::Route {
        step: "a".into(),
        to: Route::Branch {
            field: None,
            branches: vec![("X".to_owned(), "b".into()), ("Y".to_owned(), "b".into())],
            next: None,
        },
    };
    let (text, _) = after("g.graph.yaml", plain, route).expect("two ways to one node");
    assert!(ids(&text).len() >= 2, "{text}");
    distinct(&text);
    let (text, _) = after(
        "g.graph.yaml",
        GRAPH,
        FlowEdit::Duplicate {
            step: "b".into(),
            id: None,
        },
    )
    .expect("a copy");
    assert_eq!(ids(&text).len(), 7, "{text}");
    distinct(&text);
}

#[test]
fn what_a_new_line_takes_the_place_of_is_said() {
    let (_, said) = after("review.yaml", REVIEW, connect("check", "send", Way::Rejected)).expect("another rejection");
    assert_eq!(said, ["what is rejected at “Check” does not go to “Draft” any more"]);
    let (_, said) = after(
        "review.yaml",
        REVIEW,
        connect(
            "check",
            "check",
            Way::Back {
                most: None,
                until: None,
            },
        ),
    )
    .expect("a loop");
    assert_eq!(said, ["“Check” does not lead back to “Draft” any more"]);
    let branch = REVIEW.replace(
        "kind: microloop, loop_target: draft, next: send",
        "kind: branch, branch_field: f, branches: {BAD: draft}, next: send",
    );
    let bad = |to: &str| {
        let value = "BAD".to_owned();
        connect("check", to, Way::Value { field: None, value })
    };
    let (_, said) = after("review.yaml", &branch, bad("check")).expect("another way");
    assert_eq!(said, ["“Check” does not lead to “Draft” for “BAD” any more"]);
    // Nothing else changes.
    let unchanged = [connect("check", "draft", Way::Rejected), bad("draft")];
    for gesture in unchanged {
        assert_eq!(after("review.yaml", &branch, gesture), Ok((branch.clone(), Vec::new())));
    }
}

#[test]
fn a_new_id_is_spoken_of_where_something_follows_it() {
    let (_, said) = after("review.yaml", REVIEW, rename(0, "id", "write")).expect("renamed");
    assert_eq!(said, ["What leads to this step leads to `write` then"]);
    let (_, said) = after("review.yaml", REVIEW, rename(1, "id", "look")).expect("renamed");
    assert_eq!(said, Vec::<String>::new());
}

#[test]
fn a_new_id_is_followed_and_a_step_that_goes_is_missed_at_the_same_places() {
    let flow = |detour: &str| {
        format!(
            "key: k\ndetours:\n  - {{id: d, after: a, condition: \"x\", agent: w, {detour}}}\nsteps:\n  - {{id: a, agents: [w], role: r}}\n  - {{id: old, agents: [w], role: r}}\n  - {{id: c, agents: [w], role: r}}\n"
        )
    };
    let graph = |edge: &str| {
        format!(
            "id: g\nnodes:\n  - {{node_id: a, template_id: w}}\n  - {{node_id: old, template_id: w}}\n  - {{node_id: c, template_id: w}}\n  - {{node_id: d, name: D, template_id: w}}\nedges:\n  - {{edge_id: e, from: a, to: c, type: fork, {edge}}}\n  - {{edge_id: f, from: a, to: d, type: fork}}\n"
        )
    };
    let places = [
        ("k.yaml", "id", flow("return: old")),
        ("k.yaml", "id", flow("return: {bounce_to: old}")),
        ("k.yaml", "id", flow("return_to: {target_node: old}")),
        ("k.yaml", "id", flow("return_behavior: {mode: old}")),
        ("k.yaml", "id", flow("target_node: old")),
        ("k.yaml", "id", flow("human_gate: required, on_reject: old")),
        (
            "k.yaml",
            "id",
            flow("return: resume, steps: [{id: s, agent: w, human_gate: required, on_reject: old}]"),
        ),
        ("g.graph.yaml", "node_id", graph("join_config: {targets: [old]}")),
        ("g.graph.yaml", "node_id", graph("fork_config: {targets: [old]}")),
    ];
    for (path, key, text) in places {
        let (renamed, said) = after(path, &text, rename(1, key, "new")).expect("renamed");
        assert_eq!(renamed, text.replace("old", "new"));
        assert_eq!(said.len(), 1, "{text}");
        let remove = Edit::Remove { place: Place::step(1) };
        let why = after(path, &text, remove).expect_err("something names it");
        assert!(why.ends_with("names it; change that first"), "{why}\n{text}");
    }
    // A word of the format is no step.
    let text = flow("return: resume");
    let remove = Edit::Remove { place: Place::step(1) };
    assert!(after("k.yaml", &text, remove).is_ok());
}

#[test]
fn a_new_step_does_not_say_what_its_place_says() {
    let plain = "key: k\nsteps:\n  - {id: a, agents: [w], role: r, routing: {kind: linear, next: b}}\n  - {id: b, agents: [w], role: r, routing: {kind: linear}}\n  - {id: c, agents: [w], role: r}\n";
    for at in [
        Spot::After { step: "a".into() },
        Spot::Between {
            from: "a".into(),
            to: "b".into(),
            label: None,
        },
    ] {
        let step = NewStep {
            id: Some("new".into()),
            ..NewStep::default()
        };
        let (text, _) = after("k.yaml", plain, FlowEdit::Add { step, at }).expect("added");
        let document = Document::parse("k.yaml", &text);
        let new = document.workflow().step(&"new".into()).expect("it is there");
        assert_eq!(new.routing, model::Routing::Sequence, "{text}");
        assert!(document.diagnostics().iter().all(|one| one.severity != Severity::Error));
        assert_eq!(
            document.workflow().step_after(new).map(|step| step.id.as_str()),
            Some("b")
        );
    }
    // What does not stand behind it is said.
    let step = NewStep {
        id: Some("new".into()),
        ..NewStep::default()
    };
    let at = Spot::After { step: "b".into() };
    let (text, _) = after("k.yaml", plain, FlowEdit::Add { step, at }).expect("added");
    assert!(text.matches("kind: linear").count() == 3, "{text}");
}

/// What is copied in one file is pasted into another one of its format, with an id of its own and with nothing that led elsewhere.
#[test]
fn a_step_is_copied_as_text_and_pasted_in_every_format() {
    let json = "{\"key\": \"k\", \"steps\": [\n  {\"id\": \"a\", \"agents\": [\"w\"]},\n  {\"id\": \"b\", \"agents\": [\"w\"]}\n]}\n";
    let skeleton = |name: &str| dialect::shape(name).expect("a format").skeleton;
    for (path, text) in [
        ("review.yaml", REVIEW),
        ("k.json", json),
        ("PIPE-20260131-new-093000.yaml", skeleton("pipeline")),
        ("new.yaml", skeleton("stepspec")),
        ("new.runbook.md", skeleton("runbook")),
    ] {
        let document = Document::parse(path, text);
        let copied = document.step_text(0).expect("copied");
        let add = |text: String| FlowEdit::Add {
            step: NewStep {
                text: Some(text),
                ..NewStep::default()
            },
            at: Spot::End,
        };
        let (pasted, _) = after(path, text, add(copied.clone())).expect("pasted");
        let found = Document::parse(path, &pasted);
        let (old, new) = (document.workflow().steps(), found.workflow().steps());
        assert_eq!(new.len(), old.len() + 1, "{path}:\n{pasted}");
        let last = new.last().expect("a step");
        assert!(old.iter().all(|step| step.id != last.id), "{path}:\n{pasted}");
        // Several at once would lose all but the first.
        if path.ends_with(".yaml") {
            let why = after(path, text, add(format!("{copied}{copied}"))).expect_err("refused");
            assert!(why.contains("one by one"), "{path}: {why}");
        }
    }
}

/// Each line that leaves a node of a graph has its condition in the form of the node, where the file has it.
#[test]
fn conditions_of_a_graphs_lines_are_filled_in_at_the_node() {
    let text = "\
nodes:
  - {node_id: a, name: Draft it, agents: [w]}
  - {node_id: b, name: Check it, agents: [w]}
  - {node_id: c, name: Send it, agents: [w]}
edges:
  - {from: a, to: b}
  - {from: b, to: a, condition: {field: verdict, operator: equals, value: again}}
  - {from: b, to: c, condition: \"verdict == 'good'\"}
";
    let conditions = |text: &str| {
        let form = Document::parse("g.yaml", text).form(Some(1)).expect("a form");
        form.fields
            .into_iter()
            .filter(|field| field.name == "condition")
            .collect::<Vec<_>>()
    };
    let lines = conditions(text);
    let labels: Vec<&str> = lines.iter().map(|line| line.label.as_str()).collect();
    assert_eq!(labels, ["Goes to “Draft it” when", "Goes to “Send it” when"]);
    assert_eq!(lines[0].value["value"], "again");
    assert_eq!(lines[1].value, "verdict == 'good'");
    let set = |place: Place, value: serde_json::Value| Edit::Set { place, value };
    let (changed, _) = after(
        "g.yaml",
        text,
        set(lines[0].place.clone().field("value"), "once more".into()),
    )
    .expect("set");
    assert_eq!(changed, text.replace("value: again", "value: once more"));
    let whole = serde_json::json!({"field": "score", "operator": "gte", "value": 7});
    let (changed, _) = after("g.yaml", text, set(lines[1].place.clone(), whole)).expect("set");
    assert_eq!(conditions(&changed)[1].value["operator"], "gte", "{changed}");
    // What is wrong with one is said at it.
    let broken = conditions(&text.replace("verdict == 'good'", "verdict =="));
    assert_eq!(
        broken.iter().map(|line| line.problem.is_some()).collect::<Vec<_>>(),
        [false, true]
    );
}

/// A step whose next one is said by conditions: in the file a `branch` with `when`, in the form a kind of its own.
#[test]
fn conditions_are_a_kind_of_what_follows_and_come_and_go_with_it() {
    let text = "\
key: k
steps:
  - id: draft
    name: Draft it
    agents: [w]
    role: Writes.
  - id: check
    name: Check it
    agents: [w]
    role: Checks.
  - id: send
    name: Send it
    agents: [w]
    role: Sends.
";
    let kind = |step: usize, value: &str| Edit::Set {
        place: Place::step(step).field("routing").field("kind"),
        value: value.into(),
    };
    let field = |text: &str, name: &str| {
        let form = Document::parse("f.yaml", text).form(Some(1)).expect("a form");
        form.fields.into_iter().find(|field| field.name == name)
    };
    let (by_conditions, said) = after("f.yaml", text, kind(1, "conditions")).expect("it can be");
    assert!(said.is_empty(), "{said:?}");
    let routing = by_conditions.replace(text.split("  - id: send").next().unwrap_or_default(), "");
    assert_eq!(
        routing.lines().take(4).collect::<Vec<_>>(),
        [
            "    routing:",
            "      kind: branch",
            "      when: []",
            "      default: send"
        ],
        "{by_conditions}"
    );
    let shown = field(&by_conditions, "routing.kind").expect("the kind");
    assert_eq!(shown.value, "conditions");
    // What is filled in is the first of them, then one behind it.
    let FormControl::Guards { ways, keys, .. } = field(&by_conditions, "routing.when").expect("the ways").control
    else {
        panic!("conditions");
    };
    assert!(ways.is_empty());
    assert_eq!(keys, ["condition", "next"]);
    let place = Place::step(1).field("routing").field("when");
    let first = serde_json::json!([{"condition": {"field": "verdict", "operator": "equals", "value": "again"}, "next": "draft"}]);
    let set = |place: Place, value: serde_json::Value| Edit::Set { place, value };
    let (one, _) = after("f.yaml", &by_conditions, set(place.clone(), first)).expect("set");
    let second = serde_json::json!({"condition": "cost > 5", "next": "draft"});
    let (two, _) = after("f.yaml", &one, set(place.clone().field("1"), second)).expect("set");
    let FormControl::Guards { ways, comparisons, .. } = field(&two, "routing.when").expect("the ways").control else {
        panic!("conditions");
    };
    assert_eq!(ways.len(), 2, "{two}");
    assert_eq!(ways[0].to_place, place.clone().field("0").field("next"));
    assert_eq!(
        ways[0].written,
        ConditionWritten::Pieces {
            field: "verdict".into(),
            operator: "equals".into(),
            value: "again".into(),
            more: false
        }
    );
    assert_eq!(
        ways[1].written,
        ConditionWritten::Text {
            text: "cost > 5".to_owned(),
            place: place.field("1").field("condition"),
            more: false
        }
    );
    let takes = |word: &str| comparisons.iter().find(|one| one.value == word).map(|one| one.takes);
    assert_eq!(takes("in"), Some(Takes::List));
    assert_eq!(takes("gte"), Some(Takes::Number));
    // What a step is for stands where it stood, though the file counts as one of the later generation now; a new step is like it.
    assert_eq!(
        field(&two, "role").expect("what it is for").place,
        Place::step(1).field("role")
    );
    let (more, _) = after(
        "f.yaml",
        &two,
        FlowEdit::Add {
            step: NewStep::default(),
            at: Spot::After { step: "send".into() },
        },
    )
    .expect("added");
    assert!(!more.contains("objective"), "{more}");
    // Another kind takes them out, and says so.
    let (plain, said) = after("f.yaml", &two, kind(1, "linear")).expect("it can be");
    assert!(!plain.contains("when") && !plain.contains("default"), "{plain}");
    assert!(
        plain.contains("kind: linear") && plain.contains("next: send"),
        "{plain}"
    );
    assert_eq!(
        said,
        [
            "“Check it” does not lead to “Draft it” when “verdict is again” any more, and “Check it” does not lead to “Draft it” when “cost > 5” any more"
        ]
    );
    // A condition that asks for the value of a field is a way for it, and the other way round.
    let (by_values, said) = after("f.yaml", &one, kind(1, "branch")).expect("it can be");
    let kept = ["branch_field: verdict", "again: draft", "next: send"];
    assert!(
        kept.iter().all(|line| by_values.contains(line)) && !by_values.contains("when"),
        "{by_values}"
    );
    assert!(said.is_empty(), "{said:?}");
    let (back, said) = after("f.yaml", &by_values, kind(1, "conditions")).expect("it can be");
    let guards = |text: &str| match &Document::parse("f.yaml", text).workflow().steps()[1].routing {
        model::Routing::Guarded { guards, next } => (guards.clone(), next.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(guards(&back), guards(&one), "{back}");
    assert!(said.is_empty() && !back.contains("branches"), "{said:?}\n{back}");
    // One of two cannot be: the other one stays, and what is lost is quoted.
    let (kept, said) = after("f.yaml", &two, kind(1, "branch")).expect("it can be");
    assert!(kept.contains("again: draft") && !kept.contains("cost"), "{kept}");
    assert_eq!(
        said,
        ["“Check it” does not lead to “Draft it” when “cost > 5” any more"]
    );
    // What follows anew says them, too.
    let route = FlowEdit::Route {
        step: "check".into(),
        to: Route::Branch {
            field: Some("verdict".to_owned()),
            branches: vec![("again".to_owned(), "draft".into())],
            next: None,
        },
    };
    let (_, said) = after("f.yaml", &two, route).expect("ways by values");
    assert_eq!(
        said,
        ["“Check it” does not lead to “Draft it” when “cost > 5” any more"]
    );
    // So does the last way that goes, in the form and as a line.
    let last = one.replace("      default: send\n", "");
    let only = Edit::Remove {
        place: Place::step(1).field("routing").field("when").field("0"),
    };
    let (_, said) = after("f.yaml", &last, only).expect("it goes");
    assert_eq!(said, ["no way leads on from “Check it” any more"]);
    let (_, said) = after("f.yaml", &last, cut("check", "draft", None)).expect("it goes");
    assert_eq!(said, ["the flow ends after “Check it”"]);
    let back = Way::Back {
        most: None,
        until: None,
    };
    let why = after("f.yaml", &last, connect("check", "check", back)).expect_err("it has conditions");
    assert!(why.contains("a way back is one more of them"), "{why}");
    let itself = Document::parse("f.yaml", &last).drawn(&"check".into(), &"check".into());
    assert!(itself.is_empty(), "{itself:?}");
    // Where no way is left a person is asked of conditions, and the flow ends of values.
    let asks = by_values.replace("      next: send\n", "");
    let (asks, said) = after("f.yaml", &asks, kind(1, "conditions")).expect("it can be");
    assert_eq!(
        said,
        ["where no condition of “Check it” holds a person is asked which way it takes; the flow ended there"]
    );
    let (_, said) = after("f.yaml", &asks, kind(1, "branch")).expect("it can be");
    assert_eq!(
        said,
        ["the flow ends after “Check it” for every other value; a person was asked which way it takes"]
    );
    // Asked for what is there already, nothing changes.
    assert_eq!(after("f.yaml", &two, kind(1, "conditions")).expect("nothing").0, two);
}

/// Loops of a file with conditions look at success first, and their bound is another unless it is written.
#[test]
fn conditions_beside_a_loop_say_what_they_do_to_it() {
    let text = "\
key: k
steps:
  - {id: draft, name: Draft it, agents: [w], role: r}
  - {id: check, name: Check it, agents: [w], role: r, routing: {kind: microloop, loop_target: draft, next: judge}}
  - {id: judge, name: Judge it, agents: [w], role: r}
";
    let edit = Edit::Set {
        place: Place::step(2).field("routing").field("kind"),
        value: "conditions".into(),
    };
    let (changed, said) = after("f.yaml", text, edit).expect("it can be");
    assert_eq!(
        said,
        [
            "where the loop of “Check it” succeeds in the last round that it may turn, that counts as success, not as used up any more; \
          what follows stays the same"
        ]
    );
    assert!(changed.contains("max_iterations: 5"), "{changed}");
}

/// What the values of a field of the form are values of.
#[test]
fn a_form_says_which_reported_field_its_values_are_of() {
    let text = "\
key: k
steps:
  - {id: a, agents: [w], role: r, routing: {kind: branch, branch_field: verdict, branches: {GOOD: b}, next: b}}
  - {id: b, agents: [w], role: r, routing: {kind: microloop, loop_target: a, loop_success_values: [DONE]}}
";
    let document = Document::parse("f.yaml", text);
    let of = |step: usize, name: &str| {
        let form = document.form(Some(step)).expect("a form");
        let field = form
            .fields
            .into_iter()
            .find(|field| field.name == name)
            .expect("the field");
        (field.values_of, field.control)
    };
    let (values, control) = of(0, "routing.branches");
    assert_eq!(values.as_deref(), Some("verdict"));
    let FormControl::Ways { ways } = control else {
        panic!("ways by values");
    };
    assert_eq!((ways[0].when.as_str(), ways[0].to.as_str()), (Some("GOOD"), "b"));
    assert_eq!(of(1, "routing.loop_success_values").0.as_deref(), Some("status"));
}

/// Scenarios beside a workflow name steps in five places.
#[test]
fn a_scenario_follows_a_new_id() {
    let text = "\
name: twice   # by hand
steps:
  old:
    - {report: {status: old}, jump: old}
  other: [{status: failed}]
gates:
  'old': [{answer: choose, way: \"advance:old\"}, {answer: approve}]
navigator: {old: [{way: resume, reasons: old}]}
expect: {path: [other, old, other]}
";
    let renamed =
        |from: &str, to: &str| dialect::renamed_in_scenario("s.yaml", text, &[(from.into(), Some(to.into()))]);
    let expected = text
        .replace("  old:", "  new:")
        .replace("jump: old", "jump: new")
        .replace("'old':", "'new':")
        .replace("advance:old", "advance:new")
        .replace("{old: [", "{new: [")
        .replace("[other, old,", "[other, new,");
    assert_eq!(apply(text, &renamed("old", "new").expect("renamed")), expected);
    assert_eq!(renamed("x", "y"), Ok(Vec::new()));
    assert!(renamed("old", "other").is_err());
}

/// Of several steps that go together nothing is said of one another.
#[test]
fn what_is_said_of_steps_that_go_together_is_what_becomes_of_the_others() {
    let text = "\
key: k
steps:
  - {id: a, agents: [w], role: r, routing: {kind: linear, next: b}}
  - {id: b, agents: [w], role: r, routing: {kind: linear, next: c}}
  - {id: c, agents: [w], role: r, routing: {kind: linear, next: d}}
  - {id: d, agents: [w], role: r}
";
    let document = Document::parse("k.yaml", text);
    let remove = |step: usize| {
        Gesture::from(Edit::Remove {
            place: Place::step(step),
        })
    };
    let made = document.make(&[remove(2), remove(1)]).expect("removed");
    assert_eq!(made.entails, ["“A” leads to “D” instead"]);
    assert_eq!(made.document.workflow().steps().len(), 2);
}

/// What goes may be where a value led: what happens then is said of that value.
#[test]
fn what_is_said_of_a_way_that_goes_names_its_value() {
    let flow = |last: &str| {
        format!(
            "key: k\nsteps:\n  - {{id: a, agents: [w], role: r, routing: {{kind: branch, condition_field: word, branches: {{Go: b, Stop: c}}}}}}\n  \
             - {{id: b, agents: [w], role: r, routing: {{kind: {last}}}}}\n  - {{id: c, agents: [w], role: r, routing: {{kind: terminal}}}}\n"
        )
    };
    let without_b = |last: &str| {
        let place = Place::step(1);
        let made = Document::parse("k.yaml", &flow(last)).make(&[Gesture::from(Edit::Remove { place })]);
        made.expect("removed").entails
    };
    assert_eq!(without_b("terminal"), ["the flow ends after “A” for “Go”"]);
    assert_eq!(without_b("linear, next: c"), ["“A” leads to “C” for “Go” instead"]);
}

/// What goes may be where a rejection led, which is no way of every run.
#[test]
fn what_is_said_of_a_rejection_whose_step_goes_is_about_the_rejection() {
    let flow = |last: &str| {
        format!(
            "key: k\nsteps:\n  - {{id: a, agents: [w], role: r, human_gate: required, on_reject: c, routing: {{kind: linear, next: b}}}}\n  \
             - {{id: b, agents: [w], role: r, routing: {{kind: terminal}}}}\n  - {{id: c, agents: [w], role: r, routing: {{kind: {last}}}}}\n  \
             - {{id: d, agents: [w], role: r, routing: {{kind: terminal}}}}\n"
        )
    };
    let graph = |edge: &str| {
        format!(
            "id: g\nnodes:\n  - {{node_id: a, name: A, template_id: w, human_gate: required, on_reject: c}}\n  - {{node_id: b, template_id: w}}\n  \
             - {{node_id: c, template_id: w}}\n  - {{node_id: d, name: D, template_id: w}}\nedges:\n  - {{edge_id: a-b, from: a, to: b}}\n{edge}"
        )
    };
    let without_c = |path: &str, text: &str| {
        let place = Place::step(2);
        let made = Document::parse(path, text).make(&[Gesture::from(Edit::Remove { place })]);
        made.expect("removed").entails
    };
    let leads = ["after a rejection at “A” the run goes to “D” instead"];
    let ends = ["a rejection at “A” ends the run"];
    assert_eq!(without_c("k.yaml", &flow("linear, next: d")), leads);
    assert_eq!(without_c("k.yaml", &flow("terminal")), ends);
    assert_eq!(
        without_c("g.graph.yaml", &graph("  - {edge_id: c-d, from: c, to: d}\n")),
        leads
    );
    assert_eq!(without_c("g.graph.yaml", &graph("")), ends);
}

/// What the form writes is complete: it needs no warning right away.
#[test]
fn a_next_step_brings_the_kind_of_its_routing_along() {
    let text = "key: k\nsteps:\n  - {id: a, agents: [w], role: r}\n  - {id: b, agents: [w], role: r}\n  - {id: c, agents: [w], role: r}\n";
    let set = Edit::Set {
        place: Place::step(0).field("routing").field("next"),
        value: "c".into(),
    };
    let made = Document::parse("k.yaml", text)
        .make(&[Gesture::from(set)])
        .expect("set");
    assert!(
        made.document.text().contains("routing: {kind: linear, next: c}"),
        "{}",
        made.document.text()
    );
    let text = text.replacen(
        "role: r}",
        "role: r, routing: {kind: branch, condition_field: w, branches: {x: b}}}",
        1,
    );
    let set = Edit::Set {
        place: Place::step(0).field("routing").field("next"),
        value: "c".into(),
    };
    let made = Document::parse("k.yaml", &text)
        .make(&[Gesture::from(set)])
        .expect("set");
    assert!(
        made.document.text().contains("kind: branch"),
        "{}",
        made.document.text()
    );
}

/// A line from a step after which several begin is one more of these, in both ways of writing.
#[test]
fn a_line_from_a_fork_is_one_more_branch() {
    let line = |from: &str, to: &str| {
        Gesture::from(FlowEdit::Connect {
            from: from.into(),
            to: to.into(),
            way: Some(Way::Next),
        })
    };
    let flow = "key: k\nsteps:\n  - {id: a, agents: [w], role: r, routing: {kind: fork, fork_targets: [b]}}\n  - {id: b, agents: [w], role: r, \
                routing: {kind: terminal}}\n  - {id: c, agents: [w], role: r, routing: {kind: terminal}}\n";
    let graph = "nodes:\n  - {node_id: a, agents: [w]}\n  - {node_id: b, agents: [w]}\n  - {node_id: c, agents: [w]}\nedges:\n  \
                 - {edge_id: a-b, from: a, to: b, type: fork}\n";
    for text in [flow, graph] {
        let made = Document::parse("k.yaml", text).make(&[line("a", "c")]).expect("drawn");
        let steps = made.document.workflow().steps();
        let model::Routing::Fork(fork) = &steps[0].routing else {
            panic!("no fork: {}", made.document.text());
        };
        assert_eq!(fork.targets, ["b", "c"].map(model::StepId::from), "{text}");
        let again = made.document.make(&[line("a", "c")]).expect("as it is");
        assert_eq!(again.document.text(), made.document.text());
        // So is a new step behind it.
        let new = FlowEdit::Add {
            step: NewStep {
                name: Some("D".into()),
                ..NewStep::default()
            },
            at: Spot::After { step: "a".into() },
        };
        let more = made.document.make(&[Gesture::from(new)]).expect("added");
        let model::Routing::Fork(fork) = &more.document.workflow().steps()[0].routing else {
            panic!("no fork: {}", more.document.text());
        };
        assert_eq!(fork.targets, ["b", "c", "d"].map(model::StepId::from), "{text}");
    }
}

/// A join that names the steps of its branches names the new one where it would else name another than those that meet there, and only then.
#[test]
fn a_step_in_a_branch_keeps_the_list_of_its_join_right() {
    let flow = "key: k\nsteps:\n  - {id: a, agents: [w], role: r, routing: {kind: fork, fork_targets: [b, c]}}\n  - {id: b, agents: [w], role: r, \
                routing: {kind: linear, next: j}}\n  - {id: c, agents: [w], role: r, routing: {kind: linear, next: j}}\n  - {id: j, agents: [w], \
                role: r, routing: {kind: join, join_from: [b, c]}}\n";
    let add = |name: &str, at: Spot| {
        let name = Some(name.to_owned());
        let step = NewStep {
            name,
            ..NewStep::default()
        };
        Gesture::from(FlowEdit::Add { step, at })
    };
    let between = |from: &str, to: &str| Spot::Between {
        from: from.into(),
        to: to.into(),
        label: None,
    };
    let behind = |step: &str| Spot::After { step: step.into() };
    for (gestures, list) in [
        // The first ones, and the last ones: as long as it names the ones or the others, it stays.
        (vec![add("D", between("a", "b"))], "[b, c]"),
        (vec![add("E", between("b", "j"))], "[b, c]"),
        (vec![add("E", behind("b"))], "[b, c]"),
        (vec![add("D", between("a", "b")), add("E", between("b", "j"))], "[e, c]"),
        (vec![add("D", between("a", "b")), add("E", behind("b"))], "[e, c]"),
        (vec![add("E", between("b", "j")), add("D", between("a", "b"))], "[d, c]"),
        // One more branch.
        (vec![add("F", behind("a"))], "[b, c, f]"),
        (
            vec![
                add("D", between("a", "b")),
                add("E", between("b", "j")),
                add("F", behind("a")),
            ],
            "[e, c, f]",
        ),
    ] {
        let made = Document::parse("k.yaml", flow).make(&gestures).expect("added");
        let text = made.document.text();
        assert!(text.contains(&format!("join_from: {list}")), "{gestures:?}\n{text}");
        let refused = made
            .document
            .diagnostics()
            .iter()
            .filter(|found| found.code == "GH0115");
        assert_eq!(refused.count(), 0, "{gestures:?}\n{text}");
    }
    // A list that is refused is whoever wrote it's to mend.
    let wrong = flow.replace("join_from: [b, c]", "join_from: [b]");
    let made = Document::parse("k.yaml", &wrong)
        .make(&[add("F", behind("a"))])
        .expect("added");
    assert!(
        made.document.text().contains("join_from: [b]}"),
        "{}",
        made.document.text()
    );
}

const ROW: &str = "\
key: k
steps:
  - {id: tell, name: Tell the vendor, agents: [w], role: r}
  - {id: file, name: File the signed copy, agents: [w], role: r}
  - {id: approve, name: Approve the contract, agents: [w], role: r}
  - {id: sign, name: Sign the contract, agents: [w], role: r}
";

fn to(step: usize, to: usize) -> Edit {
    let place = Place::step(step);
    Edit::Move { place, to }
}

/// A step that is moved in a plain row leads where its place says; anything else that leads elsewhere by that is said.
#[test]
fn what_moving_a_step_leads_elsewhere_is_said() {
    for (from, at) in [(1, 2), (0, 3), (3, 0), (2, 1)] {
        let (_, said) = after("k.yaml", ROW, to(from, at)).expect("moved");
        assert_eq!(said, Vec::<String>::new(), "{from} to {at}");
    }
    let led = ROW.replace(
        "File the signed copy, agents: [w], role: r",
        "File the signed copy, agents: [w], role: r, routing: {kind: linear, next: sign}",
    );
    let (_, said) = after("k.yaml", &led, to(1, 2)).expect("moved");
    assert_eq!(
        said.join("; "),
        [
            "“Tell the vendor” leads to “Approve the contract” now instead of “File the signed copy”",
            "“Approve the contract” leads to “File the signed copy” now instead of “Sign the contract”",
        ]
        .join(", and ")
    );
    let (_, said) = after("k.yaml", &led, to(1, 0)).expect("moved");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("the flow begins at “File the signed copy” now"),
        "{said:?}"
    );
    let (_, said) = after("g.graph.yaml", GRAPH, to(1, 2)).expect("moved");
    assert_eq!(said, Vec::<String>::new());
    let (_, said) = after("g.graph.yaml", GRAPH, to(1, 0)).expect("moved");
    assert_eq!(said, ["the flow begins at “B” now"]);
}

/// What follows in the form is what the picture shows.
#[test]
fn the_form_says_what_follows_where_nothing_is_written() {
    let next = |text: &str, step: usize| {
        let form = Document::parse("k.yaml", text).form(Some(step)).expect("a form");
        let field = form.fields.into_iter().find(|field| field.name == "routing.next");
        let field = field.expect("a next step");
        (field.help, field.default)
    };
    assert_eq!(
        next(ROW, 2),
        (
            "Without one, the next step in the file follows: “Sign the contract”.".to_owned(),
            "sign".into()
        )
    );
    assert_eq!(
        next(ROW, 3),
        ("Without one the flow ends here.".to_owned(), serde_json::Value::Null)
    );
    let ended = ROW.replace(
        "vendor, agents: [w], role: r",
        "vendor, agents: [w], role: r, routing: {kind: linear}",
    );
    assert_eq!(next(&ended, 0).0, "Without one the flow ends here.");
    let branch = ended.replace("{kind: linear}", "{kind: branch, branches: {BAD: file}}");
    assert_eq!(
        next(&branch, 0).0,
        "Follows every other value. Without one the flow ends then."
    );
}

/// Another kind of routing keeps what follows.
#[test]
fn another_kind_of_routing_keeps_what_follows_and_says_what_it_cannot_keep() {
    let kind = |word: &str| Edit::Set {
        place: Place::step(0).path(["routing", "kind"].map(str::to_owned)),
        value: word.into(),
    };
    let first = "vendor, agents: [w], role: r";
    let with = |routing: &str| ROW.replace(first, &format!("{first}, routing: {routing}"));
    for (before, word, routing, said) in [
        (ROW.to_owned(), "branch", "{kind: branch, next: file}", vec![]),
        (ROW.to_owned(), "microloop", "{kind: microloop, next: file}", vec![]),
        (
            with("{kind: linear, next: sign}"),
            "branch",
            "{kind: branch, next: sign}",
            vec![],
        ),
        (
            with("{kind: branch, branch_field: v, branches: {BAD: file, GOOD: sign}, next: approve}"),
            "linear",
            "{kind: linear, next: approve}",
            vec![
                "“Tell the vendor” does not lead to “File the signed copy” for “BAD” any more, and “Tell the vendor” does not lead to “Sign the contract” for “GOOD” any more, and “Tell the vendor” does not have “By” (v) any more",
            ],
        ),
        (
            with("{kind: branch, branches: {BAD: file}, default: approve}"),
            "microloop",
            "{kind: microloop, next: approve}",
            vec!["“Tell the vendor” does not lead to “File the signed copy” for “BAD” any more"],
        ),
        (
            with(
                "{kind: microloop, loop_target: tell, loop_condition_field: status, loop_success_values: [OK, FINE], max_iterations: 2, next: approve}",
            ),
            "branch",
            "{kind: branch, next: approve}",
            vec![
                "“Tell the vendor” does not lead back to “Tell the vendor” any more, and “Tell the vendor” does not have “Ends by” (status), “Ends when it is” (OK, FINE) and “Times back at most” (2) any more",
            ],
        ),
        (
            with("{kind: linear, next: sign}"),
            "terminal",
            "{kind: terminal}",
            vec!["“Tell the vendor” does not lead to “Sign the contract” any more"],
        ),
    ] {
        let (text, entails) = after("k.yaml", &before, kind(word)).expect("set");
        let flat = text.replace("\n      ", " ").replace("routing: kind", "routing: {kind");
        assert!(
            flat.contains(&format!("routing: {routing}"))
                || flat.contains(&format!("routing: {}", routing.trim_end_matches('}'))),
            "{routing}\n{text}"
        );
        assert_eq!(entails, said);
    }
}

/// A field of a step that is not there makes no list of fields out of the list of steps.
#[test]
fn a_step_that_is_not_there_has_no_fields() {
    let empty = "key: k\ntitle: T\nsteps:\n";
    for place in [
        Place::step(0).field("name"),
        Place::document().path(["steps", "0", "name"].map(str::to_owned)),
    ] {
        let value = "x".into();
        let why = after("k.yaml", empty, Edit::Set { place, value }).expect_err("there is no step");
        assert_eq!(why, "there is no such step in this file");
    }
    let value = serde_json::json!({"id": "a", "agents": ["w"]});
    let place = Place::step(0);
    let (text, _) = after("k.yaml", empty, Edit::Set { place, value }).expect("the first step");
    assert_eq!(text, "key: k\ntitle: T\nsteps:\n  - id: a\n    agents: [w]\n");
}

/// Characters that readers of YAML take for line ends stand as escapes.
#[test]
fn what_only_quotes_can_carry_stands_in_quotes() {
    let text = "key: k\ndescription: |\n  one\n  two\nsteps:\n  - {id: a, agents: [w], role: r}\n";
    for (c, escaped) in [('\u{2028}', "\\u2028"), ('\u{85}', "\\u0085"), ('\u{feff}', "\\ufeff")] {
        let place = Place::document().field("description");
        let value = format!("one{c}more\ntwo\n").into();
        let (text, _) = after("k.yaml", text, Edit::Set { place, value }).expect("set");
        assert!(
            text.contains(&format!("description: \"one{escaped}more\\ntwo\\n\"")),
            "{text}"
        );
    }
}

/// A case that lacks something is looked at again once it was asked about.
#[test]
fn the_template_of_a_decision_asks_first_and_judges_again() {
    let flow = dialect::shape("flow").expect("a format");
    let template = flow
        .templates
        .iter()
        .find(|template| template.text.contains("key: decision"));
    let document = Document::parse("decision.yaml", template.expect("the template").text);
    assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
    let ask = document.workflow().step(&"ask".into()).expect("it asks");
    let model::Routing::Microloop(back) = &ask.routing else {
        panic!("{:?}", ask.routing);
    };
    assert_eq!(back.loop_target.as_ref().map(StepId::as_str), Some("judge"));
    assert_eq!(
        (back.max_iterations, back.next.as_ref().map(StepId::as_str)),
        (3, Some("decide"))
    );
}

/// A graph in which one node stands beside the way of the others.
const SHIP_GRAPH: &str = "\
key: ship
nodes:
  - {node_id: plan, name: Plan it, agents: [w], objective: o}
  - {node_id: build, name: Build it, agents: [w], objective: o}
  - {node_id: docs, name: Describe it, agents: [w], objective: o, human_gate: required}
  - {node_id: ship, name: Ship it, agents: [w], objective: o}
edges:
  - {edge_id: plan-build, from: plan, to: build}
  - {edge_id: build-ship, from: build, to: ship}
";

/// The same as a flow.
const SHIP: &str = "\
key: ship
steps:
  - {id: plan, name: Plan it, agents: [w], role: r, routing: {kind: linear, next: build}}
  - {id: build, name: Build it, agents: [w], role: r, routing: {kind: linear, next: ship}}
  - {id: docs, name: Describe it, agents: [w], role: r, human_gate: required, routing: {kind: linear, next: ship}}
  - {id: ship, name: Ship it, agents: [w], role: r}
";

fn ways(document: &Document, from: &str, to: &str) -> Vec<Way> {
    let drawn = document.drawn(&from.into(), &to.into());
    drawn.into_iter().map(|one| one.way).collect()
}

/// What “good” means is asked where a loop is drawn; a loop that says it already is not asked about.
#[test]
fn a_loop_that_is_drawn_ends_when_what_was_said_is_reported() {
    let until = |value: &str| Way::Back {
        most: None,
        until: Some(value.to_owned()),
    };
    for (path, text, written) in [
        ("ship.graph.yaml", SHIP_GRAPH, "operator: not_equals value: approved"),
        ("ship.yaml", SHIP, "loop_success_values: [approved]"),
    ] {
        let document = Document::parse(path, text);
        let drawn = document.drawn(&"build".into(), &"plan".into());
        let [back, _] = drawn.as_slice() else {
            panic!("{drawn:#?}")
        };
        assert_eq!(
            (back.asks.as_deref(), back.usual.as_deref()),
            (
                Some("It is good when “status” is this value (VERIFIED means that its check is passed)"),
                Some("VERIFIED")
            )
        );
        let (looping, _) = after(path, text, connect("build", "plan", until("approved"))).expect("a loop");
        let flat = looping.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(written), "{looping}");
    }
    let document = Document::parse("review.yaml", REVIEW);
    let drawn = document.drawn(&"check".into(), &"check".into());
    let back = drawn.iter().find(|one| matches!(one.way, Way::Back { .. }));
    assert_eq!(back.and_then(|back| back.asks.clone()), None, "{drawn:#?}");
    let refused = after("review.yaml", REVIEW, connect("check", "draft", until("approved")));
    assert!(refused.expect_err("it is said already").contains("is said already"));
}

#[test]
fn a_line_that_is_drawn_can_be_what_follows_a_value_or_a_branch_beside() {
    for text in [SHIP_GRAPH, SHIP] {
        let document = Document::parse("ship.yaml", text);
        let value = |field: &str| Way::Value {
            field: Some(field.to_owned()),
            value: String::new(),
        };
        let back = Way::Back {
            most: None,
            until: None,
        };
        assert_eq!(
            ways(&document, "plan", "docs"),
            [Way::Next, value("status"), Way::Beside]
        );
        assert_eq!(ways(&document, "build", "plan"), [back.clone(), value("status")]);
        assert_eq!(ways(&document, "docs", "plan"), [back, value("status"), Way::Rejected]);
        // A rejection leads to a later step as well.
        assert_eq!(
            ways(&document, "docs", "ship"),
            [Way::Next, value("status"), Way::Beside, Way::Rejected]
        );
        let (rejected, said) = after("ship.yaml", text, connect("docs", "ship", Way::Rejected)).expect("made");
        assert!(
            rejected.contains("on_reject: ship") && said.is_empty(),
            "{said:?}\n{rejected}"
        );
        assert_eq!(ways(&document, "plan", "plan"), []);
        assert_eq!(ways(&document, "plan", "nobody"), []);
        // By which field is what the step decides by already.
        let decided = connect(
            "plan",
            "ship",
            Way::Value {
                field: Some("verdict".to_owned()),
                value: "GO".to_owned(),
            },
        );
        let (decided, _) = after("ship.yaml", text, decided).expect("made");
        let decided = Document::parse("ship.yaml", &decided);
        assert!(ways(&decided, "plan", "docs").contains(&value("verdict")));
        let asks: Vec<_> = decided
            .drawn(&"plan".into(), &"docs".into())
            .into_iter()
            .filter_map(|one| one.asks)
            .collect();
        assert_eq!(asks, ["“verdict” is"]);
    }
}

/// A step that goes on by conditions gets one more of them by a line, or the way on which none holds; that is no loop with a bound.
#[test]
fn a_line_from_a_step_with_conditions_is_one_more_of_them() {
    let routing =
        "{kind: branch, when: [{condition: {field: verdict, operator: equals, value: GO}, next: ship}], default: plan}";
    let text = SHIP.replacen("{kind: linear, next: ship}", routing, 1);
    let path = "ship.yaml";
    let document = Document::parse(path, &text);
    let value = |value: &str| Way::Value {
        field: Some("verdict".to_owned()),
        value: value.to_owned(),
    };
    // Also back: what is reported decides, however often.
    for to in ["docs", "ship", "plan"] {
        assert_eq!(ways(&document, "build", to), [Way::Next, value("")], "{to}");
    }
    let drawn = document.drawn(&"build".into(), &"docs".into());
    let labels: Vec<&str> = drawn.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["When no condition holds", "If it reports a value"]);
    let flow = |text: &str| {
        let document = Document::parse(path, text);
        let model::Routing::Guarded { guards, next } = document.workflow().steps()[1].routing.clone() else {
            panic!("{text}")
        };
        let to: Vec<String> = guards.iter().map(|guard| guard.to.to_string()).collect();
        (to.join(" "), next.map(|next| next.to_string()).unwrap_or_default())
    };
    let now = |ways: &str, otherwise: &str| (ways.to_owned(), otherwise.to_owned());
    let (more, said) = after(path, &text, connect("build", "docs", value("WAIT"))).expect("one more");
    assert_eq!(said, Vec::<String>::new(), "nothing is replaced");
    assert_eq!(flow(&more), now("ship docs", "plan"));
    let (other, said) = after(path, &text, connect("build", "docs", value("GO"))).expect("led elsewhere");
    assert_eq!(said, ["“Build it” does not lead to “Ship it” for “GO” any more"]);
    assert_eq!(flow(&other), now("docs", "plan"));
    let (next, said) = after(path, &text, connect("build", "docs", Way::Next)).expect("otherwise");
    assert_eq!(said, ["“Build it” does not lead to “Plan it” any more"]);
    assert_eq!(flow(&next), now("ship", "docs"));
}

#[test]
fn a_fork_is_made_by_drawing_lines() {
    for text in [SHIP_GRAPH, SHIP] {
        let path = "ship.yaml";
        let (forked, said) = after(path, text, connect("plan", "docs", Way::Beside)).expect("made");
        assert_eq!(said, Vec::<String>::new(), "nothing is replaced");
        let joined = match after(path, &forked, connect("docs", "ship", Way::Next)) {
            Ok((joined, _)) => joined,
            Err(why) => panic!("{why}"),
        };
        let document = Document::parse(path, &joined);
        let errors: Vec<_> = document
            .diagnostics()
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{errors:?}\n{joined}");
        let fork = match &document.workflow().steps()[0].routing {
            model::Routing::Fork(fork) => fork.targets.clone(),
            other => panic!("no fork: {other:?}\n{joined}"),
        };
        assert_eq!(fork, ["build".into(), "docs".into()]);
        // A line to where they meet may be meant as what follows one of them.
        let refused = after(path, &joined, connect("plan", "ship", Way::Next)).expect_err("they meet there");
        assert!(refused.contains("several branches begin after"), "{refused}");
        // Nothing is beside itself, and what is said is not said twice.
        let again = after(path, &joined, connect("plan", "docs", Way::Beside)).expect("it is there");
        assert_eq!(again.0, joined);
        let alone = after(path, text, connect("plan", "build", Way::Beside)).expect_err("alone");
        assert!(
            alone.contains("leads to nothing else that this could run beside"),
            "{alone}"
        );
    }
}

/// What is said of a step says its name, in every format; the id with it where another step is called so too.
#[test]
fn steps_are_spoken_of_by_their_names() {
    let value = |value: &str| Way::Value {
        field: None,
        value: value.to_owned(),
    };
    for text in [SHIP_GRAPH, SHIP] {
        let (_, said) = after("ship.yaml", text, connect("plan", "docs", Way::Next)).expect("made");
        assert_eq!(said, ["“Plan it” does not lead to “Build it” any more"]);
        let twice = text.replace("Describe it", "Build it");
        let (_, said) = after("ship.yaml", &twice, connect("plan", "docs", Way::Next)).expect("made");
        assert_eq!(said, ["“Plan it” does not lead to “Build it” (`build`) any more"]);
        let why = after("ship.yaml", text, connect("plan", "ship", Way::Rejected)).expect_err("no gate");
        assert_eq!(why, "nobody is asked at “Plan it”; put a gate there first");
        // An id that somebody wants is an id.
        let key = if text == SHIP { "id" } else { "node_id" };
        let why = after("ship.yaml", text, rename(0, key, "build")).expect_err("taken");
        assert!(why.contains("“build”") && !why.contains("Build it"), "{why}");
    }
    // A value that is written as the id of a step is a value.
    let (decided, _) = after("ship.yaml", SHIP, connect("plan", "docs", value("build"))).expect("made");
    let (_, said) = after("ship.yaml", &decided, connect("plan", "ship", value("build"))).expect("made");
    assert_eq!(said, ["“Plan it” does not lead to “Describe it” for “build” any more"]);
    let spec = "format: stepspec\nsteps:\n  - {id: a, name: Write it, description: d, agent: w, human_gate: none, phase: p, outputs: [], validation: none, evidence: none}\n  \
                - {id: b, name: Read it, description: d, agent: w, human_gate: none, phase: p, outputs: [], validation: none, evidence: none}\n";
    let why = after("spec.yaml", spec, connect("b", "a", Way::Rejected)).expect_err("no gate");
    assert_eq!(why, "nobody is asked at “Read it”; put a gate there first");
}

/// A word of the format that a sentence quotes is no step, though one is called so.
#[test]
fn a_word_of_the_format_is_no_step_that_is_called_so() {
    let text = "key: k\nparallel: {fork_point: draft, fork_config: {targets: [check, parallel]}}\nsteps:\n  \
                - {id: draft, name: Draft, agents: [w], role: One.}\n  - {id: check, name: Check, agents: [w], role: Two.}\n  \
                - {id: parallel, name: Beside, agents: [w], role: Three.}\n";
    assert_eq!(
        after("k.yaml", text, cut("draft", "parallel", None)).expect_err("it stands in the block"),
        "the block “parallel” says what begins after “Draft”; change it in the source"
    );
    // What a person writes is none either.
    let quoting = "key: k\nsteps:\n  - id: a\n    name: A\n    agents: [w]\n    role: One.\n    routing: {kind: branch, branch_field: \
                   status, branches: {'`b`': b}, next: c}\n  - {id: b, name: B, agents: [w], role: Two.}\n  \
                   - {id: c, name: C, agents: [w], role: Three.}\n";
    let way = Way::Value {
        field: None,
        value: "`b`".to_owned(),
    };
    let (_, said) = after("k.yaml", quoting, connect("a", "c", way)).expect("it is led elsewhere");
    assert_eq!(said, ["“A” does not lead to “B” for “`b`” any more"]);
}

/// Steps of a flow, the second one with this routing.
fn checked(routing: &str) -> String {
    let step =
        |(id, name, more): (&str, &str, &str)| format!("  - {{id: {id}, name: {name}, agents: [w], role: r{more}}}\n");
    let steps = [
        ("draft", "Draft", ""),
        ("check", "Check", routing),
        ("send", "Send", ", routing: {kind: linear, next: file}"),
        ("tell", "Tell", ""),
        ("file", "File", ""),
    ];
    format!("key: k\nsteps:\n{}", steps.map(step).concat())
}

fn named_field(text: &str, name: &str) -> Option<model::FormField> {
    let form = Document::parse("f.yaml", text).form(Some(1)).expect("a form");
    form.fields.into_iter().find(|field| field.name == name)
}

fn routing(path: &[&str], value: serde_json::Value) -> Edit {
    let path = ["routing"].iter().chain(path).map(|key| (*key).to_owned());
    let place = Place::step(1).path(path);
    Edit::Set { place, value }
}

/// A fork that is chosen in the form begins with what followed, and has a field for its branches at once.
#[test]
fn a_fork_that_is_chosen_in_the_form_can_be_filled_in() {
    for before in [checked(""), checked(", routing: {kind: linear, next: send}")] {
        let (forked, said) = after("f.yaml", &before, routing(&["kind"], "fork".into())).expect("it can be");
        assert_eq!(said, Vec::<String>::new());
        let field = named_field(&forked, "routing.fork_targets").expect("the branches");
        assert_eq!(field.value, serde_json::json!(["send"]), "{forked}");
        assert!(named_field(&forked, "routing.next").is_none(), "{forked}");
        // Another one in the form, or a line.
        let filled = after("f.yaml", &forked, routing(&["fork_targets", "1"], "tell".into())).expect("filled in");
        let line = FlowEdit::Connect {
            from: "check".into(),
            to: "tell".into(),
            way: Some(Way::Beside),
        };
        let drawn = after("f.yaml", &forked, line).expect("drawn");
        assert_eq!(filled.0, drawn.0);
        let document = Document::parse("f.yaml", &drawn.0);
        let errors = document
            .diagnostics()
            .iter()
            .filter(|found| found.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{:?}\n{}", document.diagnostics(), drawn.0);
        // Back again it leads to what it led to.
        let (linear, said) = after("f.yaml", &forked, routing(&["kind"], "linear".into())).expect("it can be");
        assert!(
            linear.contains("next: send") && !linear.contains("fork_targets"),
            "{linear}"
        );
        assert_eq!(said, Vec::<String>::new());
        let (cut, _) = after("f.yaml", &forked, cut("check", "send", None)).expect("cut");
        assert!(!cut.contains("fork"), "{cut}");
    }
    // At the end of a flow, and where somebody wrote the kind alone.
    for alone in ["{kind: fork}", "{kind: fork, fork_targets: []}"] {
        let text = checked(&format!(", routing: {alone}"));
        assert!(named_field(&text, "routing.fork_targets").is_some(), "{alone}");
        let line = FlowEdit::Connect {
            from: "check".into(),
            to: "tell".into(),
            way: Some(Way::Beside),
        };
        let (drawn, _) = after("f.yaml", &text, line).expect("drawn");
        let field = named_field(&drawn, "routing.fork_targets").expect("the branches");
        assert_eq!(field.value, serde_json::json!(["tell"]), "{drawn}");
    }
}

/// How branches are carried out and meet stands in the form where the file has it, and is named where a join becomes something else.
#[test]
fn how_branches_are_carried_out_and_meet_can_be_filled_in() {
    let flow = "\
key: k
steps:
  - {id: a, agents: [w], role: r, routing: {kind: fork, fork_targets: [b, c], fork_config: {execution_policy: batch}}}
  - {id: b, agents: [w], role: r, routing: {kind: linear, next: j}}
  - {id: c, agents: [w], role: r, routing: {kind: linear, next: j}}
  - id: j
    name: Meet
    agents: [w]
    role: r
    routing:
      kind: join
      join_config: {strategy: quorum, quorum_count: 2}
      timeout_seconds: 60
      next: d
  - {id: d, agents: [w], role: r}
";
    let fields = |text: &str, step: usize| {
        let form = Document::parse("f.yaml", text).form(Some(step)).expect("a form");
        let all = form.fields.into_iter();
        let rules = all.filter(|field| field.name.contains("_config."));
        let rules = rules.map(|field| (field.label, field.place.path[1..].join("."), field.value));
        rules.collect::<Vec<_>>()
    };
    let field = |label: &str, path: &str, value: serde_json::Value| (label.to_owned(), path.to_owned(), value);
    let nothing = serde_json::Value::Null;
    assert_eq!(
        fields(flow, 0),
        [
            field("How many at once", "fork_config.execution_policy", "batch".into()),
            field("Branches at once", "fork_config.batch_size", nothing.clone()),
            field("Where branches work", "fork_config.isolation", nothing.clone()),
            field("When a branch fails", "fork_config.failure_policy", nothing.clone()),
        ]
    );
    assert_eq!(
        fields(flow, 3),
        [
            field("Goes on when", "join_config.strategy", "quorum".into()),
            field("Verified branches needed", "join_config.quorum_count", 2.into()),
            field("Time for all branches", "timeout_seconds", 60.into()),
            field(
                "Status of all together",
                "join_config.aggregate_status",
                nothing.clone()
            ),
        ]
    );
    let set = |step: usize, path: &[&str], value: &str| Edit::Set {
        place: Place::step(step).path(path.iter().map(|key| (*key).to_owned())),
        value: value.into(),
    };
    let best = set(3, &["routing", "join_config", "aggregate_status"], "best");
    let (text, _) = after("f.yaml", flow, best).expect("filled in");
    assert!(fields(&text, 3).contains(&field(
        "Status of all together",
        "join_config.aggregate_status",
        "best".into()
    )));
    // A number that counts with one word alone is not offered beside another one.
    let plain = flow.replace(", fork_config: {execution_policy: batch}", "");
    let (text, _) = after(
        "f.yaml",
        &plain,
        set(0, &["routing", "fork_config", "failure_policy"], "fail_fast"),
    )
    .expect("filled in");
    let rules = fields(&text, 0);
    assert!(rules.iter().all(|(label, ..)| label != "Branches at once"), "{text}");
    assert!(
        rules.contains(&field(
            "When a branch fails",
            "fork_config.failure_policy",
            "fail_fast".into()
        )),
        "{text}"
    );
    let (text, said) = after("f.yaml", flow, set(3, &["routing", "kind"], "linear")).expect("another kind");
    assert!(!text.contains("quorum") && !text.contains("timeout"), "{text}");
    let said = said.join(" ");
    for lost in [
        "“Goes on when” (quorum)",
        "“Verified branches needed” (2)",
        "“Time for all branches” (60)",
    ] {
        assert!(said.contains(lost), "{lost}: {said}");
    }
}

/// In a graph the same stands on the edges.
#[test]
fn how_the_branches_of_a_graph_are_carried_out_and_meet_can_be_filled_in() {
    let graph = "\
id: g
nodes:
  - {node_id: a, template_id: w}
  - {node_id: b, template_id: w}
  - {node_id: c, template_id: w}
  - {node_id: d, template_id: w}
edges:
  - {edge_id: a-b, from: a, to: b, type: fork}
  - {edge_id: a-c, from: a, to: c, type: fork, fork_config: {failure_policy: fail_fast}}
  - {edge_id: b-d, from: b, to: d, type: join, join_config: {strategy: all_verified}}
  - {edge_id: c-d, from: c, to: d, type: join}
";
    let places = |text: &str, step: usize| {
        let form = Document::parse("g.graph.yaml", text).form(Some(step)).expect("a form");
        let rules = form.fields.into_iter().filter(|field| field.name.contains("_config."));
        rules.map(|field| field.place.path.join(".")).collect::<Vec<_>>()
    };
    assert_eq!(
        places(graph, 0),
        [
            "edges.0.fork_config.execution_policy",
            "edges.0.fork_config.isolation",
            "edges.1.fork_config.failure_policy"
        ]
    );
    assert_eq!(
        places(graph, 3),
        [
            "edges.2.join_config.strategy",
            "edges.2.join_config.timeout_seconds",
            "edges.2.join_config.aggregate_status"
        ]
    );
    assert_eq!(places(graph, 1), Vec::<String>::new());
    let place = Place::document().path(["edges", "2", "join_config", "strategy"].map(str::to_owned));
    let value = "quorum".into();
    let (text, _) = after("g.graph.yaml", graph, Edit::Set { place, value }).expect("filled in");
    assert!(
        places(&text, 3).contains(&"edges.2.join_config.quorum".to_owned()),
        "{text}"
    );
}

/// What a step takes over from another part of the file is shown with the name of that part, and written into the step where it changes.
#[test]
fn what_is_taken_over_is_shown_and_written_into_the_step_alone() {
    let common = "\
x-common: &common
  agents: [worker]
  retries: {max: 1, backoff_seconds: 5}
  human_gate: required
";
    let flow = format!("key: k\n{common}steps:\n  - id: a\n    name: Make it\n    role: r\n    <<: *common\n");
    let stages = format!("name: P\n{common}stages:\n  - name: Make it\n    <<: *common\n");
    for (path, text) in [("k.yaml", flow), ("PIPE-20260131-p-093000.yaml", stages)] {
        let document = Document::parse(path, &text);
        let form = document.form(Some(0)).expect("a form");
        let field = |name: &str| form.fields.iter().find(|field| field.name == name).expect("a field");
        assert_eq!(field("human_gate").value, serde_json::json!("required"), "{path}");
        assert_eq!(field("agents").value, serde_json::json!(["worker"]), "{path}");
        assert_eq!(field("retries.max").value, serde_json::json!(1), "{path}");
        assert_eq!(field("retries.max").taken_over.as_deref(), Some("common"), "{path}");
        assert!(
            field("agents")
                .help
                .starts_with("From `&common`; what is filled in here"),
            "{path}"
        );
        assert_eq!(field("timeout_seconds").taken_over, None, "{path}");
        let set = |keys: &[&str], value: serde_json::Value| {
            let place = Place::step(0).path(keys.iter().map(|key| (*key).to_owned()));
            let made = document
                .make(&[Gesture::from(Edit::Set { place, value })])
                .expect("filled in");
            assert!(made.document.text().contains(common), "{}", made.document.text());
            (made.document, made.entails)
        };
        let own = |document: &Document, key: &str| document.value(&Place::step(0).field(key));
        let (tried, said) = set(&["retries", "max"], 3.into());
        let retries = serde_json::json!({"max": 3, "backoff_seconds": 5});
        assert_eq!(own(&tried, "retries"), Some(retries), "{}", tried.text());
        assert_eq!(
            said,
            ["“Tried again” of “Make it” is written into the step and counts there; `&common` stays as it is"]
        );
        let (more, _) = set(&["agents", "1"], "second".into());
        assert_eq!(own(&more, "agents"), Some(serde_json::json!(["worker", "second"])));
        // What is written in the step is its own.
        let form = more.form(Some(0)).expect("a form");
        let agents = form
            .fields
            .iter()
            .find(|field| field.name == "agents")
            .expect("a field");
        assert_eq!(agents.taken_over, None);
    }
}

/// A number that can be read in two ways is not written.
#[test]
fn a_number_that_can_be_read_in_two_ways_is_refused() {
    let when = "{condition: {field: cost, operator: gt, value: 7}, next: draft}";
    let text = checked(&format!(", routing: {{kind: branch, when: [{when}], default: send}}"));
    let value = |value: &str| routing(&["when", "0", "condition", "value"], value.into());
    let said = "“Ways” cannot hold this value: `5.000` can be read as 5000 and as 5. Write 5000, or 5 for five";
    assert_eq!(after("f.yaml", &text, value("5.000")).expect_err("two ways"), said);
    for wrong in ["5,000", "1.234.567", "-12.500"] {
        assert!(after("f.yaml", &text, value(wrong)).is_err(), "{wrong}");
    }
    for right in ["5.5", "0.25", "5.25", "5000", "0.125"] {
        assert!(after("f.yaml", &text, value(right)).is_ok(), "{right}");
    }
    let whole = |operator: &str| {
        let condition = serde_json::json!({"field": "cost", "operator": operator, "value": "5.000"});
        routing(&["when", "0", "condition"], condition)
    };
    assert!(after("f.yaml", &text, whole("equals")).is_err());
    assert!(
        after("f.yaml", &text, whole("contains")).is_ok(),
        "a text is looked for"
    );
    let retries = |value: &str| Edit::Set {
        place: Place::step(1).path(["retries", "max"].map(str::to_owned)),
        value: value.into(),
    };
    assert!(after("f.yaml", &text, retries("5.000")).is_err());
    // A name is what it is.
    let name = Edit::Set {
        place: Place::step(1).field("name"),
        value: "5.000".into(),
    };
    assert!(after("f.yaml", &text, name).is_ok());
    // In the source it is named.
    let found = |value: &str| {
        let text = text.replace("value: 7", &format!("value: {value}"));
        let document = Document::parse("f.yaml", &text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0504");
        found.map(|one| (one.severity, one.message.clone())).collect::<Vec<_>>()
    };
    let read = "`5.000` can be read as 5000 and as 5; this condition reads 5";
    assert_eq!(found("5.000"), [(Severity::Warning, read.to_owned())]);
    assert_eq!(found("'5.000'"), [(Severity::Warning, read.to_owned())]);
    let never = "`5,000` can be read as 5000 and as 5; this condition never holds";
    assert_eq!(found("'5,000'"), [(Severity::Error, never.to_owned())]);
    assert_eq!(found("5.25"), []);
}

/// What hides other ways is not written: a way without a condition before others, or beside another one for everything else.
#[test]
fn only_the_last_way_can_be_taken_always() {
    let two = "{condition: 'a == 1', next: draft}, {condition: 'b == 2', next: tell}";
    let text = checked(&format!(", routing: {{kind: branch, when: [{two}]}}"));
    let always = |n: &str| Edit::Remove {
        place: Place::step(1).path(["routing", "when", n, "condition"].map(str::to_owned)),
    };
    let why = "only the last way can be taken always: those behind it would never be";
    assert_eq!(
        after("f.yaml", &text, always("0")).expect_err("another one follows"),
        why
    );
    let (last, _) = after("f.yaml", &text, always("1")).expect("the last one");
    let errors = |text: &str| {
        let document = Document::parse("f.yaml", text);
        let errors = document
            .diagnostics()
            .iter()
            .filter(|one| one.severity == Severity::Error);
        errors.count()
    };
    assert_eq!(errors(&last), 0, "{last}");
    let up = Edit::Move {
        place: Place::step(1).path(["routing", "when", "1"].map(str::to_owned)),
        to: 0,
    };
    assert_eq!(after("f.yaml", &last, up).expect_err("it would hide one"), why);
    let more = serde_json::json!({"condition": "c == 3", "next": "send"});
    assert_eq!(
        after("f.yaml", &last, routing(&["when", "2"], more)).expect_err("hidden"),
        why
    );
    assert!(after("f.yaml", &last, routing(&["default"], "send".into())).is_err());
    let other = text.replace("tell}]", "tell}], default: send");
    assert!(
        after("f.yaml", &other, always("1"))
            .expect_err("otherwise")
            .contains("“Otherwise”")
    );
}

/// What is wrong with an expression is said in words for people, with what is written instead of other languages' words.
#[test]
fn an_expression_that_cannot_be_read_is_named_where_it_stops_being_one() {
    let found = |condition: &str| {
        let text = checked(&format!(
            ", routing: {{kind: branch, when: [{{condition: \"{condition}\", next: draft}}], default: send}}"
        ));
        let document = Document::parse("f.yaml", &text);
        let found = document.diagnostics().iter().find(|one| one.code == "GH0504").cloned();
        let found = found.expect("it is named");
        (found.message, found.help.unwrap_or_default())
    };
    let (said, help) = found("cost > 5 and size = 'large'");
    assert_eq!(
        said,
        "This condition cannot be carried out: it stops being an expression at `and size = 'large'` (column 10 of the expression)"
    );
    assert!(help.starts_with("Write `&&` for `and` and `==` for `=`. "), "{help}");
    for text in [
        "the plan is good",
        "a ==",
        "not a",
        "a == 1)",
        "(a",
        "a == 'b",
        "a ; b",
        "[1, 2",
    ] {
        let (said, _) = found(text);
        let of_parser = ["mismatched", "expecting", "extraneous", "recognition", "EOF", "viable"];
        assert!(!of_parser.iter().any(|word| said.contains(word)), "{text}: {said}");
    }
}

/// The form says the bound that holds, and what conditions would do to loops.
#[test]
fn a_loop_says_the_bound_that_it_has() {
    let of = |text: &str| {
        let bound = named_field(text, "routing.max_iterations").expect("the bound").default;
        let read = match &Document::parse("f.yaml", text).workflow().steps()[1].routing {
            model::Routing::Microloop(microloop) => microloop.max_iterations,
            other => panic!("a loop: {other:?}"),
        };
        (bound, read)
    };
    let plain = checked(
        ", routing: {kind: microloop, loop_target: draft, loop_condition_field: v, loop_success_values: [x], next: send}",
    );
    assert_eq!(of(&plain), (5.into(), 5));
    let later = plain.replace("id: draft,", "id: draft, station: w,");
    assert_eq!(of(&later), (3.into(), 3));
    let exit = later.replace("loop_condition_field: v, loop_success_values: [x]", "exit_on: {v: [x]}");
    assert_eq!(of(&exit), (3.into(), 3));
    let kind = |text: &str, step| {
        let form = Document::parse("f.yaml", text).form(Some(step)).expect("a form");
        let field = form.fields.into_iter().find(|field| field.name == "routing.kind");
        field.expect("the kind").help
    };
    assert!(kind(&plain, 2).contains("succeeds in the last round that it may turn, that counts as success"));
    assert_eq!((kind(&plain, 1).as_str(), kind(&later, 2).as_str()), ("", ""));
}

#[test]
fn a_step_of_a_flow_keeps_an_id() {
    let flow = "key: a\nsteps:\n  - {id: one, agents: [a], role: A, routing: {kind: linear, next: two}}\n  - {id: two, agents: [a], role: B}\n";
    let document = Document::parse("a.yaml", flow);
    for step in [0, 1] {
        let place = Place::step(step).field("id");
        let refused = document.edit(&Edit::Remove { place }).expect_err("it is its name");
        assert!(refused.to_string().contains("keeps an id"), "{refused}");
    }
}

/// Whom a gate asks, and what, is filled in where there is a gate; with the word that takes it out goes all of it, and that is said before.
#[test]
fn the_fields_of_a_gate_come_and_go_with_it() {
    let text = "\
key: k
steps:
  - {id: draft, name: Draft it, agents: [w], role: r}
  # the last word
  - id: check
    name: Check it
    agents: [w]
    human_gate: required # by law
    gate_at: before
    gate_question: Is it right?
    gate_asks: [legal, ops]
    on_reject: draft
    role: r # short
";
    let fields = |text: &str, step: usize| {
        let form = Document::parse("k.yaml", text).form(Some(step)).expect("a form");
        let all = form
            .fields
            .into_iter()
            .filter(|one| one.section == model::FormSection::Gate);
        all.map(|one| one.name).collect::<Vec<_>>()
    };
    let all = ["human_gate", "gate_at", "gate_question", "gate_asks", "on_reject"];
    assert_eq!(fields(text, 0), ["human_gate"]);
    assert_eq!(fields(text, 1), all);
    // What is written without one can be seen.
    let left = text.replace("    human_gate: required # by law\n", "");
    assert_eq!(fields(&left, 1), all);
    let (ungated, said) = after(
        "k.yaml",
        text,
        Edit::Remove {
            place: Place::step(1).field("human_gate"),
        },
    )
    .expect("it goes");
    assert_eq!(
        ungated.split("  # the last word\n").nth(1),
        Some("  - id: check\n    name: Check it\n    agents: [w]\n    role: r # short\n")
    );
    assert_eq!(
        said,
        [
            "the question “Is it right?” goes with it; so does whom it asked: “legal” and “ops”; nothing that is rejected at “Check it” leads to \
             “Draft it” any more"
        ]
    );
}
