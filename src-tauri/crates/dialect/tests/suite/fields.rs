//! The tables of fields: every entry does what it says, and every field that a reader asks for has an entry.

use dialect::fields::{Becomes, Field, Level, Shape, tables};
use dialect::{Document, apply};
use model::{Edit, Severity};
use serde_json::{Map, Value, json};

/// Where a block stands: the keys from the root, `true` behind those whose value is a list.
type Way = Vec<(&'static str, bool)>;

/// Every block of a table with the way to it.
fn levels(way: Way, level: &'static Level, out: &mut Vec<(Way, &'static Level)>) {
    for field in level.fields {
        if let Some((inner, list)) = field.inside() {
            let mut way = way.clone();
            way.push((field.name, list));
            levels(way, inner, out);
        }
    }
    out.push((way, level));
}

/// The same where a block is to stand: an agent workflow lists its steps in one of three places.
fn base_at(shape: Shape, way: &Way) -> Value {
    let steps = json!([{"agent": "w"}, {"agent": "x"}]);
    let keys: Vec<&str> = way.iter().map(|(key, _)| *key).collect();
    match (shape, keys.as_slice()) {
        (Shape::AgentWorkflow, ["workflow", "sequence", ..]) => json!({"workflow": {"id": "k", "sequence": steps}}),
        (Shape::AgentWorkflow, ["parallel_groups", ..]) => {
            json!({"workflow": {"id": "k"}, "parallel_groups": [{"group_id": "g", "agents": steps}]})
        }
        _ => base(shape),
    }
}

/// A whole file of a shape, without anything to remark.
fn base(shape: Shape) -> Value {
    match shape {
        Shape::Flow => json!({"key": "k", "title": "T", "steps": [
            {"id": "a", "role": "r", "agents": ["w"]}, {"id": "b", "role": "r", "agents": ["w"]}]}),
        Shape::FlowList => json!({"title": "T", "flows": [{"key": "a"}, {"key": "b"}]}),
        Shape::Graph => {
            json!({"id": "k", "title": "T", "nodes": [{"node_id": "a", "template_id": "w"}, {"node_id": "b", "template_id": "w"}],
            "edges": [{"edge_id": "e", "from": "a", "to": "b"}]})
        }
        Shape::Pipeline => {
            json!({"name": "T", "stages": [{"name": "a", "agents": ["w"]}, {"name": "b", "agents": ["w"]}]})
        }
        Shape::StepSpec => json!({"format": "stepspec", "workflow": "k", "title": "T", "steps": [
            {"id": "a", "name": "A", "description": "", "phase": "p", "inputs": {}, "outputs": [], "templates": [], "tools": [],
             "validation": "Format validation", "evidence": "", "human_gate": "optional", "retries": {}, "agent": "w"}]}),
        Shape::OneStepSpec => {
            json!({"format": "stepspec", "workflow": "k", "id": "a", "name": "A", "description": "", "phase": "p", "inputs": {},
            "outputs": [], "templates": [], "tools": [], "validation": "Format validation", "evidence": "", "human_gate": "optional",
            "retries": {}, "agent": "w"})
        }
        Shape::Bmad => json!({"name": "k", "agent": "w", "standalone": true, "instructions": "i.md"}),
        Shape::AgentWorkflow => json!({"workflow": {"id": "k"}, "sequence": [{"agent": "w"}, {"agent": "x"}]}),
        Shape::FrontMatter => json!({"name": "k"}),
    }
}

/// A value that asks for what the field is there for.
fn asking(shape: Shape, way: &Way, field: &Field) -> Value {
    let inside = way.last().map(|(key, _)| *key);
    match (inside, field.name) {
        (_, "agents") => json!(["w", "x"]),
        (_, "policy") => json!({"escalation": {"on_blocked": "pause"}}),
        (_, "condition") => json!("score > 3"),
        (_, "ui") => json!({"type": "subflow"}),
        (Some("nodes"), "type" | "kind") => json!("subflow"),
        (Some("edges" | "routing"), "type" | "kind") => json!("detour"),
        (_, "when") if shape == Shape::Flow => json!([{"next": "b"}]),
        (_, "branches" | "exit_on") => json!({"x": "b"}),
        _ => json!("b"),
    }
}

/// The file with a field at a place.
fn with(shape: Shape, way: &Way, name: &str, value: Value) -> (Value, Vec<String>) {
    let mut file = base_at(shape, way);
    let mut here = &mut file;
    let mut path = Vec::new();
    for (key, list) in way {
        path.push((*key).to_owned());
        let map = here.as_object_mut().expect("a block");
        let empty = if *list { json!([{}]) } else { json!({}) };
        let slot = map.entry(*key).or_insert_with(|| empty.clone());
        if slot.is_array() != *list {
            *slot = empty;
        }
        here = slot;
        if *list {
            path.push("0".to_owned());
            let items = here.as_array_mut().expect("a list");
            if items.is_empty() {
                items.push(json!({}));
            }
            here = &mut items[0];
        }
    }
    path.push(name.to_owned());
    let block = here.as_object_mut().expect("a block");
    // One agent asks for nothing; beside a station it is a second one.
    let is_second = matches!(
        (shape, name, value.is_string()),
        (Shape::Flow | Shape::Graph, "agent", true)
    );
    if is_second && block.remove("agents").is_some() | block.remove("template_id").is_some() {
        block.insert("station".to_owned(), json!("s"));
    }
    // A script is what a step does that no agent does.
    if matches!(shape, Shape::StepSpec | Shape::OneStepSpec) && name == "run" {
        block.remove("agent");
    }
    // Two words for one gate are one too many.
    if matches!(shape, Shape::StepSpec | Shape::OneStepSpec) && name == "gate" {
        block.remove("human_gate");
    }
    block.insert(name.to_owned(), value);
    (file, path)
}

fn document(shape: Shape, file: &Value) -> Document {
    let text = serde_json::to_string_pretty(file).expect("JSON");
    match shape {
        Shape::FrontMatter => {
            let text = serde_yaml::to_string(file).expect("YAML");
            Document::parse("k.runbook.md", &format!("---\n{text}---\n\n# T\n\n## 1. A\n\nDo it.\n"))
        }
        Shape::Graph => Document::parse("k.graph.json", &text),
        Shape::Bmad => {
            let text = serde_yaml::to_string(file).expect("YAML");
            let whole = dialect::bmad::together(&text, "i.md", "<step n=\"1\" goal=\"A\">Do it.</step>\n");
            Document::parse("k.yaml", &whole.expect("a whole"))
        }
        _ => Document::parse("k.json", &text),
    }
}

/// What is said of the field at the end of a path, of the codes of this table.
fn said(document: &Document, path: &[String]) -> Vec<(String, Severity)> {
    let name = path.last().expect("a name");
    let of_table = ["GH0108", "GH0501", "GH0502", "GH0503"];
    let found = document
        .diagnostics()
        .iter()
        .filter(|d| of_table.contains(&d.code.as_str()));
    found
        .filter(|d| d.place.path.last() == Some(name))
        .map(|d| (d.code.clone(), d.severity))
        .collect()
}

#[test]
fn every_entry_of_every_table_does_what_it_says() {
    let mut tried = 0;
    for (shape, root) in tables() {
        assert_eq!(document(shape, &base(shape)).diagnostics(), [], "{shape:?}");
        let mut all = Vec::new();
        levels(Vec::new(), root, &mut all);
        for (way, level) in all {
            for field in level.fields {
                let (file, path) = with(shape, &way, field.name, asking(shape, &way, field));
                let document = document(shape, &file);
                let expected = match field.becomes {
                    // The block that the field stands in here is not one that reads it.
                    Becomes::CarriedOut if field.otherwise().is_some() => {
                        vec![("GH0502".to_owned(), Severity::Warning)]
                    }
                    Becomes::CarriedOut | Becomes::Read | Becomes::PartOf(_) => vec![],
                    Becomes::Kept(severity, follows) => {
                        let named = document.diagnostics().iter().any(|d| d.message.contains(follows));
                        assert!(named, "{shape:?} {path:?}: {follows}");
                        vec![("GH0502".to_owned(), severity)]
                    }
                    Becomes::Refused(refusal) => vec![(refusal.code.to_owned(), Severity::Error)],
                };
                assert_eq!(
                    said(&document, &path),
                    expected,
                    "{shape:?} {path:?} {:#?}",
                    document.diagnostics()
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// What asks for nothing is not reported: `null`, `false`, nothing in brackets.
#[test]
fn what_says_nothing_is_not_held_against_a_file() {
    for (shape, root) in tables() {
        let mut all = Vec::new();
        levels(Vec::new(), root, &mut all);
        for (way, level) in all {
            for field in level
                .fields
                .iter()
                .filter(|field| matches!(field.becomes, Becomes::Kept(..) | Becomes::Refused(_)))
            {
                for value in [json!(null), json!(false), json!([]), json!({})] {
                    // An edge or a routing of no kind at all is reported where it is read.
                    if matches!(field.name, "kind" | "type") && !value.is_null() {
                        continue;
                    }
                    // A condition that says no is one that never holds.
                    if matches!(field.name, "condition" | "when") && value.is_boolean() {
                        continue;
                    }
                    let (file, path) = with(shape, &way, field.name, value);
                    assert_eq!(said(&document(shape, &file), &path), [], "{shape:?} {path:?}");
                }
            }
        }
    }
}

/// One letter less in any longer name is found, and the fix mends it.
#[test]
fn a_slip_in_any_name_is_found_and_mended() {
    let mut mended = 0;
    for (shape, root) in tables() {
        let mut all = Vec::new();
        levels(Vec::new(), root, &mut all);
        for (way, level) in all {
            let free = way.last().is_some_and(|(key, _)| ["params", "overrides"].contains(key));
            for field in level.fields.iter().filter(|field| field.name.len() > 6 && !free) {
                let mut slip = field.name.to_owned();
                slip.remove(field.name.len() / 2);
                if level.fields.iter().any(|other| other.name == slip) {
                    continue;
                }
                let (mut file, path) = with(shape, &way, &slip, json!("b"));
                // The right one is not there besides.
                let mut here = &mut file;
                for key in &path[..path.len() - 1] {
                    here = match here {
                        Value::Array(list) => &mut list[key.parse::<usize>().expect("an index")],
                        other => &mut other[key.as_str()],
                    };
                }
                here.as_object_mut().expect("a block").shift_remove(field.name);
                let document = document(shape, &file);
                let found: Vec<_> = document.diagnostics().iter().filter(|d| d.code == "GH0503").collect();
                let [found] = found.as_slice() else {
                    // Without its steps a file is no workflow; that is what is said then.
                    assert!(
                        document.workflow().steps().is_empty(),
                        "{shape:?} {path:?}: {:#?}",
                        document.diagnostics()
                    );
                    continue;
                };
                let fix = found.fix.as_ref().expect("a fix");
                let Edit::Rename { to, .. } = &fix.edit else {
                    panic!("{fix:?}")
                };
                let changed = apply(document.text(), &document.edit(&fix.edit).expect("an edit"));
                let after = Document::parse(document.path(), &changed);
                let named: Vec<_> = after.diagnostics().iter().filter(|d| d.code == "GH0503").collect();
                assert!(named.is_empty(), "{shape:?} {path:?} to {to}: {named:?}");
                mended += 1;
            }
        }
    }
    assert!(mended > 100, "{mended}");
}

/// A gate that is written under nearly its name would be passed over: such a file does not start, and the fix makes it a gate.
#[test]
fn a_gate_is_never_passed_over_for_its_spelling() {
    for name in [
        "humanGate",
        "human-gate",
        "Human_Gate",
        "human_gat",
        "human_gates",
        "humangate",
        "human_gate ",
    ] {
        for (path, file) in [
            (
                "k.yaml",
                format!(
                    "key: k\nsteps:\n  - {{id: a, agents: [w], \"{name}\": required}}\n  - {{id: b, agents: [w]}}\n"
                ),
            ),
            (
                "k.yaml",
                format!(
                    "key: k\nsteps:\n  - {{id: a, agents: [w]}}\ndetours: [{{after: a, station: s, condition: x, \"{name}\": required}}]\n"
                ),
            ),
            (
                "k.graph.yaml",
                format!("id: k\nnodes: [{{node_id: a, agents: [w], \"{name}\": required}}]\nedges: []\n"),
            ),
            (
                "k.yaml",
                format!("name: k\nstages:\n  - {{name: a, agents: [w], \"{name}\": required}}\n"),
            ),
        ] {
            let document = Document::parse(path, &file);
            let errors: Vec<_> = document
                .diagnostics()
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .collect();
            let [error] = errors.as_slice() else {
                panic!("{file}: {errors:#?}")
            };
            assert_eq!(error.code, "GH0503", "{file}");
            let fix = error.fix.as_ref().expect("a fix");
            let mended = apply(document.text(), &document.edit(&fix.edit).expect("an edit"));
            let after = Document::parse(path, &mended);
            let asks = after.workflow().steps().iter().any(|step| step.gate.is_some());
            assert!(
                asks && after.diagnostics().iter().all(|d| d.severity != Severity::Error),
                "{mended}"
            );
            // What asks nobody is a slip like any other.
            let nobody = Document::parse(path, &file.replace("required", "none"));
            assert!(
                nobody.diagnostics().iter().all(|d| d.severity != Severity::Error),
                "{file}"
            );
        }
    }
    // Nor for standing among very many others.
    let mut step = Map::new();
    for n in 0..3_000 {
        step.insert(format!("humax_gote{n:05}"), json!(1));
        step.insert(format!("descriptiom{n:03}"), json!(1));
    }
    step.insert("humanGate".to_owned(), json!("required"));
    step.insert("id".to_owned(), json!("a"));
    step.insert("agents".to_owned(), json!(["w"]));
    let document = document(Shape::Flow, &json!({"key": "k", "steps": [Value::Object(step)]}));
    let errors = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    assert_eq!(errors.map(|d| d.code.as_str()).collect::<Vec<_>>(), ["GH0503"]);
}

/// A word that slipped behind a field takes the field away: that is said, and where the value leaves no doubt nothing starts.
#[test]
fn a_field_with_a_word_behind_it_is_not_passed_over() {
    let flow =
        |entry: &str| format!("key: k\nsteps:\n  - id: a\n    agents: [w]\n    {entry}\n  - {{id: b, agents: [w]}}\n");
    let one = |text: &str| {
        let document = Document::parse("k.yaml", text);
        let found: Vec<_> = document
            .diagnostics()
            .iter()
            .filter(|d| d.code == "GH0503")
            .cloned()
            .collect();
        (document, found)
    };
    for (entry, severity) in [
        ("routing M1: {kind: microloop, loop_target: a}", Some(Severity::Error)),
        ("routing2: {kind: terminate}", Some(Severity::Error)),
        ("my_routing: {kind: branch, when: []}", Some(Severity::Error)),
        ("human_gate M1: required", Some(Severity::Error)),
        ("human_gate M1: none", Some(Severity::Warning)),
        ("human_gate note: see the plan", Some(Severity::Warning)),
        ("human_gate docs: {a: 1}", Some(Severity::Warning)),
        ("next 2: b", Some(Severity::Error)),
        ("on_reject 2: a", Some(Severity::Error)),
        ("on_reject note: a is told by mail", Some(Severity::Warning)),
        ("routing M1: see the plan", Some(Severity::Warning)),
        ("agent notes: be short", Some(Severity::Warning)),
        ("routing_notes: see the plan", None),
        ("routing_notes: {of: legal}", None),
        ("agent_notes: be short", None),
    ] {
        let text = flow(entry);
        let (document, found) = one(&text);
        assert_eq!(found.first().map(|d| d.severity), severity, "{text}");
        let Some(fix) = found.first().and_then(|found| found.fix.as_ref()) else {
            continue;
        };
        let mended = apply(document.text(), &document.edit(&fix.edit).expect("an edit"));
        assert_eq!(one(&mended).1, [], "{mended}");
    }
    // Where the known one stands beside it, giving it that name would make two of one.
    let (_, found) = one(&flow(
        "routing: {kind: terminate}\n    routing M1: {kind: microloop, loop_target: a}",
    ));
    let [found] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!((found.severity, found.fix.is_none()), (Severity::Error, true));
}

/// Flows of people, written with a fork, with CEL, with a next flow: the first error names the place.
#[test]
fn the_error_stands_where_the_field_stands() {
    let text = "key: k\nsteps:\n  - id: a\n    agents: [w]\n    skip_if: w\n";
    let document = Document::parse("k.yaml", text);
    let found = document.diagnostics().first().expect("an error");
    let span = document.span(&found.place).expect("a place");
    assert_eq!(&text[span.start..span.end], "skip_if: w");
    assert_eq!(document.position(span.start).line, 5);
    assert_eq!((found.code.as_str(), found.severity), ("GH0501", Severity::Error));
    assert_eq!(found.place.step, Some(0));
}

/// Of several agents `parallel` says that they work together; of one it says nothing that is carried out.
#[test]
fn parallel_is_for_several_agents() {
    let codes = |agents: &str| -> Vec<String> {
        let flow = format!("key: k\nsteps:\n  - {{id: a, role: r, {agents}, parallel: true}}\n");
        let graph = format!("id: k\nnodes:\n  - {{node_id: a, role: r, {agents}, parallel: true}}\nedges: []\n");
        let read = [("k.yaml", flow), ("k.graph.yaml", graph)].map(|(path, text)| {
            let document = Document::parse(path, &text);
            let found = document.diagnostics().iter().filter(|d| d.code == "GH0502");
            found.map(|d| d.code.clone()).collect::<Vec<_>>()
        });
        assert_eq!(read[0], read[1], "{agents}");
        read[0].clone()
    };
    for one in ["agents: [w]", "agent: w"] {
        assert_eq!(codes(one), ["GH0502"], "{one}");
    }
    // That the name stands twice is named besides.
    assert_eq!(codes("agents: [w, w]"), ["GH0502", "GH0502"]);
    for several in ["agents: [w, x]", "station: w, agent: x"] {
        assert!(codes(several).is_empty(), "{several}");
    }
}

/// Equal ones are one line, however many steps there are; a hostile file costs no more than it is long.
#[test]
fn equal_notes_are_one() {
    let step =
        |n: usize| json!({"id": format!("s{n}"), "role": "r", "agents": ["w"], "depends_on": ["s0"], "parallel": true});
    let file = json!({"key": "k", "steps": (0..300).map(step).collect::<Vec<_>>()});
    let document = document(Shape::Flow, &file);
    let [found] = document.diagnostics() else {
        panic!("{:#?}", document.diagnostics())
    };
    assert!(
        found
            .message
            .starts_with("`depends_on` and `parallel` are kept, not carried out"),
        "{}",
        found.message
    );
    assert!(found.message.ends_with("(600 places)"), "{}", found.message);
    let mut many = Map::new();
    for n in 0..20_000 {
        many.insert(format!("max_iterationz{n:05}"), json!(1));
        many.insert(format!("descriptio{n:05}"), json!(1));
    }
    let file = json!({"key": "k", "steps": [Value::Object(many)]});
    let _ = self::document(Shape::Flow, &file);
}
