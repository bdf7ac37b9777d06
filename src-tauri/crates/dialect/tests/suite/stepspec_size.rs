//! StepSpec workflows take time that grows with their length, whatever stands in them.

use crate::growth::{grows_evenly_from, numbered};
use dialect::stepspec::{leaves, output_issues, schema_errors, validation_checks};
use dialect::{Document, apply, detect};
use model::{Edit, Place};
use serde_json::json;

const HEAD: &str = "format: stepspec\nsteps:\n";

fn grows_evenly(name: &str, text: impl Fn(usize) -> String, work: impl Fn(&str)) {
    grows_evenly_from(12_000, name, text, work);
}

fn read(text: &str) {
    assert_eq!(Document::parse("s.yaml", text).text().len(), text.len());
    detect("s.yaml", text);
}

#[test]
fn steps_of_every_kind() {
    let step = |n: usize| {
        format!(
            "- id: s{n}\n  name: n\n  phase: P{}\n  outputs: ['{{output_folder}}/{n}.md']\n  tools: [{{name: t}}]\n  on_reject: s{}\n",
            n / 3,
            n / 2
        )
    };
    for (name, piece) in [
        ("a row", Box::new(step) as Box<dyn Fn(usize) -> String>),
        ("one id", Box::new(|_| "- {id: a, name: a}\n".to_owned())),
        ("no fields", Box::new(|_| "- {}\n".to_owned())),
        ("no steps", Box::new(|_| "- x\n".to_owned())),
        (
            "faults",
            Box::new(|n| {
                format!(
                    "- {{id: {n}, outputs: [a, '', ../b], tools: [x, {{risk: y}}], retries: -1, evidence: z, human_gate: w, on_reject: q{n}}}\n"
                )
            }),
        ),
        (
            "unknown names",
            Box::new(|n| {
                format!("- {{id: s{n}, outputs: ['{{outpt_folder}}/{{{{q{n}}}}}'], inputs: {{telis_x{n}: 1}}}}\n")
            }),
        ),
    ] {
        grows_evenly(name, |size| numbered(HEAD, &piece, size), read);
    }
    grows_evenly(
        "questions",
        |size| {
            numbered(
                "format: stepspec\nquestions:\n",
                |n| format!("- {{name: q{n}, kind: k{n}}}\n"),
                size,
            )
        },
        read,
    );
    grows_evenly(
        "one question",
        |size| numbered("format: stepspec\nquestions:\n", |_| "- q\n".to_owned(), size),
        read,
    );
}

#[test]
fn one_long_thing() {
    let step = "format: stepspec\nsteps:\n- id: a\n  name: a\n";
    for (list, item) in [
        ("outputs:", "x"),
        ("outputs:", "'{output_folder}/{{a}}'"),
        ("templates:", "''"),
        ("tools:", "t"),
        ("tools:", "{name: t, args: {a: '{b}', c: d}}"),
        ("inputs:\n    artifacts:", "'{x}'"),
        ("inputs:\n    validation_targets:", "a/../../b"),
        ("agents:", "b"),
        ("gate_asks:", "b"),
    ] {
        let head = format!("{step}  {list}\n");
        grows_evenly(
            list,
            |size| {
                numbered(
                    &head,
                    |n| format!("    - {}\n", item.replace('b', &format!("b{n}"))),
                    size,
                )
            },
            read,
        );
    }
    let keys = |size| numbered(step, |n| format!("  k{n}: v\n"), size);
    grows_evenly("fields", keys, read);
    let settings = |size| numbered(&format!("{step}  inputs:\n"), |n| format!("    telis_k{n}: v\n"), size);
    grows_evenly("settings", settings, read);
    let gate = |size| numbered(&format!("{step}  gate:\n"), |n| format!("    k{n}: v\n"), size);
    grows_evenly("a gate", gate, read);
    for field in ["id", "validation", "human_gate", "outputs"] {
        for piece in ["{a", "{{ ", "../"] {
            let text = |size: usize| format!("{step}  {field}: \"{}\"\n", piece.repeat(size / piece.len()));
            grows_evenly(field, text, read);
        }
    }
    for piece in [
        "[", "{a: ", "- ", "? ", "&a ", "\"", "'", "# ", "steps:\n", "<<: *a\n", "\t", "é", "- *a\n",
    ] {
        grows_evenly(
            piece,
            |size| format!("{HEAD}- id: {}", piece.repeat(size / piece.len())),
            read,
        );
    }
}

/// Lists and mappings that many steps share would fill the memory and the time: squares of the length.
#[test]
fn what_is_shared_is_not_copied_without_end() {
    let list = |field: &'static str, item: &'static str| {
        move |size: usize| {
            let head = numbered("format: stepspec\nx: &l [a", |n| format!(", {item}{n}"), size / 2) + "]\nsteps:\n";
            numbered(&head, |n| format!("- {{id: s{n}, name: n, {field}: *l}}\n"), size)
        }
    };
    for field in ["outputs", "templates", "tools", "agents", "gate_asks", "inputs"] {
        grows_evenly(field, list(field, "b"), read);
    }
    let map = |field: &'static str| {
        move |size: usize| {
            let head = numbered("format: stepspec\nx: &m\n", |n| format!("  k{n}: v\n"), size / 2) + "steps:\n";
            numbered(&head, |n| format!("- {{id: s{n}, name: n, {field}: *m}}\n"), size)
        }
    };
    for field in ["<<", "inputs", "gate", "retries", "note", "human_gate", "outputs"] {
        grows_evenly(field, map(field), read);
    }
    let deep = |size: usize| {
        let head =
            numbered("format: stepspec\nx: &m\n", |n| format!("  k{n}: v\n"), size / 2) + "steps:\n- id: a\n  tools:\n";
        numbered(&head, |_| "  - {name: t, args: *m}\n  - *m\n".to_owned(), size)
    };
    grows_evenly("arguments", deep, read);
    let whole = |size: usize| {
        let head = numbered("format: stepspec\nsteps:\n- &m\n", |n| format!("  k{n}: v\n"), size / 2);
        numbered(&head, |_| "- *m\n".to_owned(), size)
    };
    grows_evenly("the same step", whole, read);
    let questions = |size: usize| {
        let head = numbered("format: stepspec\nx: &m\n", |n| format!("  k{n}: v\n"), size / 2) + "questions:\n";
        numbered(&head, |_| "- *m\n".to_owned(), size)
    };
    grows_evenly("questions", questions, read);
}

#[test]
fn changes_of_long_workflows() {
    let star = |size| {
        let step = |n| format!("- id: s{n}\n  name: n\n  agents: [x]\n  human_gate: required\n  on_reject: all\n");
        numbered("format: stepspec\nsteps:\n- id: all\n  name: all\n", step, size)
    };
    let edit = |edit: Edit| {
        move |text: &str| {
            let document = Document::parse("s.yaml", text);
            let edits = document.edit(&edit).expect("it can be done");
            assert!(!apply(text, &edits).is_empty());
        }
    };
    let set = |path: &[&str], value| Edit::Set {
        place: Place::step(0).path(path.iter().map(|part| (*part).to_owned())),
        value,
    };
    grows_evenly("an id that all lead to", star, edit(set(&["id"], json!("every one"))));
    grows_evenly(
        "a step that all lead to",
        star,
        edit(Edit::Remove { place: Place::step(0) }),
    );
    grows_evenly("a field", star, edit(set(&["phase"], json!("P"))));
    grows_evenly(
        "all fields",
        star,
        edit(set(&[], json!({"phase": "P", "tools": [], "outputs": []}))),
    );
    let to_the_end = |text: &str| {
        let document = Document::parse("s.yaml", text);
        let to = document.workflow().steps().len() - 1;
        let place = Place::step(0);
        assert!(document.edit(&Edit::Move { place, to }).is_ok());
    };
    grows_evenly("a step that moves", star, to_the_end);
    let more = |text: &str| {
        let document = Document::parse("s.yaml", text);
        let place = Place::step(document.workflow().steps().len());
        assert!(
            document
                .edit(&Edit::Set {
                    place,
                    value: json!({"id": "new"})
                })
                .is_ok()
        );
    };
    grows_evenly("a step more", star, more);
}

#[test]
fn rules_as_data() {
    let outputs = |text: &str| {
        let outputs: Vec<String> = text.lines().map(str::to_owned).collect();
        let issues = output_issues(&outputs);
        assert!(issues.len() <= outputs.len());
        schema_errors(&json!({"outputs": outputs, "templates": [text]}));
        leaves(text);
        validation_checks(text);
    };
    for piece in ["a\n", "../", "{output_folder}/", "{", "\n", "ast ", "a+"] {
        grows_evenly(piece, |size| piece.repeat(size / piece.len()), outputs);
    }
}

#[test]
fn ten_thousand_steps() {
    let step = |n: usize| {
        format!(
            "  - id: s{n}\n    name: step {n}\n    description: d\n    phase: Phase {}\n    inputs: {{}}\n    outputs: ['{{output_folder}}/{n}.md']\n    templates: []\n    tools: []\n    validation: none\n    evidence: L0\n    human_gate: none\n    retries: {{}}\n",
            n / 100
        )
    };
    let text = numbered("workflow: large\nagent: kim\nsteps:\n", step, 2_700_000);
    let document = Document::parse("s.yaml", &text);
    assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
    assert!(document.workflow().steps().len() > 10_000);
    let last = document.workflow().steps().len() - 1;
    assert_eq!(document.place_at(text.len() - 3).step, Some(last));
}
