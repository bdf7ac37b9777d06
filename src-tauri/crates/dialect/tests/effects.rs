//! The tables of fields in their strict form: every field that is said to be carried out has a file in which it has an effect. The test
//! takes the handling of each field away, by giving it a name in that file that no reader asks for, and wants another workflow or another
//! problem for it.

use dialect::Document;
use dialect::fields::{Becomes, Level, Shape, tables};
use dialect::stepwise::listed;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A name that no reader asks for and that is near to none.
const GONE: &str = "zz_0";

/// Fields that stay among a step's or a workflow's own and are acted on by their name later: where, and by which test it is held.
const BY_NAME: [(&str, &str); 3] = [
    ("teaching_notes", "runtime: brief.rs"),
    ("reversibility", "store: facts.rs"),
    ("scenarios", "runtime: rehearsal/front.rs"),
];

/// Files in which fields have an effect.
const PROBES: &[(Shape, &str)] = &[
    (Shape::Flow, include_str!("effects/config.yaml")),
    (Shape::Flow, include_str!("effects/spec.yaml")),
    (Shape::Flow, include_str!("effects/aside.yaml")),
    (Shape::Flow, include_str!("effects/block.yaml")),
    (Shape::FlowList, include_str!("effects/list.yaml")),
    (Shape::FlowList, include_str!("effects/named.yaml")),
    (Shape::Graph, include_str!("effects/graph.yaml")),
    (Shape::Graph, include_str!("effects/fork.yaml")),
    (Shape::Pipeline, include_str!("effects/pipeline.yaml")),
    (Shape::StepSpec, include_str!("effects/stepspec.yaml")),
    (Shape::StepSpec, include_str!("effects/specs.yaml")),
    (Shape::StepSpec, include_str!("effects/short.yaml")),
    (Shape::Bmad, include_str!("effects/bmad.yaml")),
    (Shape::Bmad, include_str!("effects/bmads.yaml")),
    (Shape::FrontMatter, include_str!("effects/front.yaml")),
    (Shape::FrontMatter, include_str!("effects/names.yaml")),
];

fn document(shape: Shape, file: &Value) -> Document {
    let text = serde_json::to_string_pretty(file).expect("JSON");
    let yaml = || serde_yaml::to_string(file).expect("YAML");
    match shape {
        Shape::FrontMatter => {
            let text = format!("---\n{}---\n\n## 1. A\n\nDo it.\n\n## 2. B\n\nDo that.\n", yaml());
            Document::parse("k.runbook.md", &text)
        }
        Shape::Graph => Document::parse("k.graph.json", &text),
        Shape::Bmad => {
            let steps =
                "<step n=\"1\" goal=\"A\">Do {{what}} in {thing}. <template-output>one</template-output></step>\n";
            let whole = dialect::bmad::together(&yaml(), "i.md", steps);
            Document::parse("k.yaml", &whole.unwrap_or_else(|_| yaml()))
        }
        Shape::Pipeline => Document::parse("PIPE-20260101-k-000000.json", &text),
        _ => Document::parse("k.json", &text),
    }
}

/// What a run and a person get of a file.
fn essence(shape: Shape, file: &Value) -> String {
    let document = document(shape, file);
    let by_name = |key: &String| BY_NAME.iter().any(|(name, _)| name == key);
    let mut workflow = document
        .workflow()
        .clone()
        .with_steps(|step| step.fields.retain(|key, _| by_name(key)));
    workflow.fields.retain(|key, _| by_name(key));
    let own = document
        .diagnostics()
        .iter()
        .filter(|one| !["GH0502", "GH0503"].contains(&one.code.as_str()));
    let own: Vec<_> = own.map(|one| (&one.code, &one.message)).collect();
    let listed = listed(document.path(), document.text());
    let Some(one) = workflow.entry() else {
        return format!("{own:#?}{:?}", document.not_a_workflow());
    };
    let said = (
        &workflow.id,
        &workflow.title,
        &workflow.description,
        &workflow.questions,
        &workflow.fields,
    );
    let follows = (
        &workflow.on_failure,
        &workflow.on_complete,
        &workflow.after_failure,
        workflow.escalation,
    );
    let reads = (
        workflow.spec_generation,
        workflow.next_reported,
        workflow.verbatim,
        &one.id,
    );
    let steps = (workflow.steps(), workflow.flows().len());
    let shape = (document.workflow().format, document.not_a_workflow());
    format!("{said:#?}{follows:#?}{reads:#?}{steps:#?}{shape:#?}{own:#?}{listed:#?}")
}

/// Every block of a table by its level, with the ways to it; a list is entered at each of its items.
fn levels(way: &[&'static str], level: &'static Level, out: &mut Vec<(Vec<&'static str>, &'static Level)>) {
    for field in level.fields {
        if let Some((inner, _)) = field.inside() {
            levels(&[way, &[field.name]].concat(), inner, out);
        }
    }
    out.push((way.to_vec(), level));
}

/// The file once for each place of a field below a way, with the field under the other name there.
fn without(file: &Value, way: &[&str], name: &str) -> Vec<Value> {
    match (file, way) {
        (Value::Array(items), way) => {
            let each = items
                .iter()
                .enumerate()
                .flat_map(|(n, item)| without(item, way, name).into_iter().map(move |item| (n, item)));
            let put = |(n, item): (usize, Value)| {
                let mut items = items.clone();
                items[n] = item;
                Value::Array(items)
            };
            each.map(put).collect()
        }
        (Value::Object(map), [first, rest @ ..]) => {
            let Some(inner) = map.get(*first) else {
                return Vec::new();
            };
            let put = |inner: Value| {
                let mut map = map.clone();
                map.insert((*first).to_owned(), inner);
                Value::Object(map)
            };
            without(inner, rest, name).into_iter().map(put).collect()
        }
        (Value::Object(map), []) if map.contains_key(name) => {
            let key = |key: &String| if key == name { GONE.to_owned() } else { key.clone() };
            vec![Value::Object(
                map.iter().map(|(k, value)| (key(k), value.clone())).collect(),
            )]
        }
        _ => Vec::new(),
    }
}

/// Whether a field has an effect in one of the probes.
fn has_effect(shape: Shape, ways: &[Vec<&'static str>], name: &str, whole: &[(Shape, Value, String)]) -> bool {
    let of_shape = whole.iter().filter(|(of, ..)| *of == shape);
    of_shape.into_iter().any(|(_, file, essence)| {
        let mutants = ways.iter().flat_map(|way| without(file, way, name));
        mutants
            .into_iter()
            .any(|mutant| self::essence(shape, &mutant) != *essence)
    })
}

fn probes() -> Vec<(Shape, Value, String)> {
    let read = |text: &str| -> Value { serde_yaml::from_str(text).expect("YAML") };
    let mut files: Vec<(Shape, Value)> = PROBES.iter().map(|(shape, text)| (*shape, read(text))).collect();
    // A graph has the same detours and the same policy.
    let (aside, spec) = (
        read(include_str!("effects/aside.yaml")),
        read(include_str!("effects/spec.yaml")),
    );
    let node = |id: &str| serde_json::json!({"node_id": id, "template_id": "t"});
    files.push((
        Shape::Graph,
        serde_json::json!({"id": "k", "title": "T", "nodes": [node("a"), node("b")], "edges": [{"from": "a", "to": "b"}],
            "detours": aside["detours"], "policy": spec["policy"]}),
    ));
    let counted = include_str!("effects/fork.yaml").replace("quorum: 1", "quorum_count: 1");
    files.push((Shape::Graph, read(&counted)));
    let whole = files.into_iter().map(|(shape, file)| {
        let essence = essence(shape, &file);
        (shape, file, essence)
    });
    whole.collect()
}

#[test]
fn every_field_that_is_carried_out_has_an_effect() {
    let whole = probes();
    let (mut without_effect, mut tried) = (BTreeSet::new(), 0);
    for (shape, root) in tables() {
        let mut all = Vec::new();
        levels(&[], root, &mut all);
        // One table serves several blocks; where one of them is read by it, all are.
        let mut by_level: BTreeMap<usize, (&'static Level, Vec<Vec<&'static str>>)> = BTreeMap::new();
        for (way, level) in all {
            by_level
                .entry(std::ptr::from_ref(level).addr())
                .or_insert((level, Vec::new()))
                .1
                .push(way);
        }
        for (level, ways) in by_level.values() {
            for field in level
                .fields
                .iter()
                .filter(|field| matches!(field.becomes, Becomes::CarriedOut))
            {
                tried += 1;
                if !has_effect(shape, ways, field.name, &whole) {
                    without_effect.insert(format!("{shape:?} {}.{}", ways[0].join("."), field.name));
                }
            }
        }
    }
    assert!(tried > 250, "{tried}");
    assert_eq!(without_effect, BTreeSet::new());
}

/// What is refused where it asks for more is carried out where it does not: the same of those.
#[test]
fn what_is_carried_out_in_part_has_an_effect() {
    let whole = probes();
    for (shape, way, names) in [
        (
            Shape::Flow,
            &["steps", "routing"][..],
            &[
                "kind",
                "loop_target",
                "exit_on",
                "branches",
                "when",
                "fork_targets",
                "fork_config",
                "join_point",
                "join_from",
                "join_strategy",
                "join_config",
            ][..],
        ),
        (Shape::Flow, &["steps"], &["parallel"]),
        (Shape::Flow, &[], &["parallel", "on_complete", "on_failure"]),
        (
            Shape::Flow,
            &["policy", "escalation"],
            &["on_blocked", "escalate_on_unverified_streak"],
        ),
        (
            Shape::Flow,
            &["policy", "routing_decisions", "signal_interpretation"],
            &["on_unverified_cannot_iterate"],
        ),
        (Shape::Graph, &["edges"], &["type", "kind"]),
        (Shape::Graph, &["nodes"], &["parallel"]),
        (Shape::Graph, &[], &["on_complete", "on_failure"]),
    ] {
        for name in names {
            assert!(
                has_effect(shape, &[way.to_vec()], name, &whole),
                "{shape:?} {way:?} {name}"
            );
        }
    }
}

/// What is compared is the same each time that a file is read.
#[test]
fn a_file_read_twice_says_the_same() {
    for ((shape, file, first), (_, _, second)) in probes().into_iter().zip(probes()) {
        assert_eq!(first, second, "{shape:?}");
        assert_eq!(first, essence(shape, &file), "{shape:?}");
    }
}

/// The files themselves ask for nothing that is refused: an effect must not come of an error alone.
#[test]
fn the_files_say_nothing_that_is_refused() {
    for (shape, file, _) in probes() {
        let document = document(shape, &file);
        let refused = ["GH0108", "GH0501", "GH0502", "GH0503"];
        let found = document
            .diagnostics()
            .iter()
            .filter(|one| refused.contains(&one.code.as_str()));
        let found: Vec<_> = found.collect();
        assert!(found.is_empty(), "{shape:?} {found:#?}");
        assert!(document.not_a_workflow().is_none(), "{shape:?}");
    }
}
