//! Pipelines take time that grows with their length, whatever stands in them.

use crate::growth::{grows_evenly_from, numbered};
use dialect::pipeline::{PipelineStatus, StageState, StageStatus, States, with_states};
use dialect::{Document, apply, detect};
use model::{Edit, Place};

/// Read as a pipeline whatever stands in it.
const FILE: &str = "PIPE-20260131-p-093000.yaml";

fn grows_evenly(name: &str, text: impl Fn(usize) -> String, work: impl Fn(&str)) {
    grows_evenly_from(12_000, name, text, work);
}

fn read(text: &str) {
    assert_eq!(Document::parse(FILE, text).text().len(), text.len());
    detect("p.yaml", text);
}

const STAGES: &str = "stages:\n";

#[test]
fn stages_of_every_kind() {
    let chain = |n| {
        format!(
            "- name: s{n}\n  agents: [x]\n  depends_on: [s{}]\n  status: pending\n",
            n - 1
        )
    };
    grows_evenly("a chain", |size| numbered(STAGES, chain, size), read);
    let back = |n| format!("- name: s{n}\n  agents: [x]\n  depends_on: [s{}, s1]\n", n + 1);
    grows_evenly("a long circle", |size| numbered(STAGES, back, size), read);
    let selves = |n| format!("- {{name: s{n}, agent: x, depends_on: s{n}}}\n");
    grows_evenly("small circles", |size| numbered(STAGES, selves, size), read);
    let ghosts = |n| format!("- {{name: s{n}, agent: x, depends_on: [t{n}, S{n}]}}\n");
    grows_evenly("unknown dependencies", |size| numbered(STAGES, ghosts, size), read);
    grows_evenly(
        "one name",
        |size| numbered(STAGES, |_| "- {name: a, agent: x}\n".to_owned(), size),
        read,
    );
    let folder = |n| format!("- {{name: 'a{}', agent: x}}\n", "!".repeat(n % 300));
    grows_evenly("one folder", |size| numbered(STAGES, folder, size), read);
    let one_file = |n| format!("- {{name: s{n}, agent: x, outputs: [o/a.md]}}\n");
    grows_evenly("one file of all", |size| numbered(STAGES, one_file, size), read);
    let odd = |n| format!("- {{name: s{n}, depends_on: [~, s1, {{a: b}}], status: x, gate: y, agent: a, agents: b}}\n");
    grows_evenly("odd ones", |size| numbered(STAGES, odd, size), read);
    grows_evenly("no stages", |size| numbered(STAGES, |_| "- x\n".to_owned(), size), read);
    grows_evenly(
        "parallel",
        |size| numbered(STAGES, |n| format!("- {{name: s{n}, parallel: true}}\n"), size),
        read,
    );
}

#[test]
fn one_long_thing() {
    let waits = |size| numbered("stages:\n- name: a\n  depends_on:\n", |n| format!("  - s{n}\n"), size);
    grows_evenly("dependencies", waits, read);
    let same = |size| {
        numbered(
            "stages:\n- name: b\n- name: a\n  depends_on:\n",
            |_| "  - b\n".to_owned(),
            size,
        )
    };
    grows_evenly("one dependency", same, read);
    let keys = |size| numbered("stages:\n- name: a\n", |n| format!("  k{n}: v\n"), size);
    grows_evenly("fields", keys, read);
    grows_evenly(
        "a name",
        |size| format!("stages:\n- name: {}\n", "a ".repeat(size / 2)),
        read,
    );
    grows_evenly(
        "an id",
        |size| format!("pipeline_id: {}\n", "PIPE-".repeat(size / 5)),
        read,
    );
    for piece in [
        "[",
        "{a: ",
        "- ",
        "? ",
        "&a ",
        "\"",
        "'",
        "# ",
        "stages:\n",
        "<<: *a\n",
        "\t",
        "é",
    ] {
        grows_evenly(
            piece,
            |size| format!("stages:\n- name: {}", piece.repeat(size / piece.len())),
            read,
        );
    }
}

#[test]
fn what_is_shared_is_not_copied_without_end() {
    // Lists and mappings that many stages share would fill the memory: squares of the length.
    let list = |size| {
        let head = numbered("x: &l [a", |n| format!(", b{n}"), size / 2) + "]\nstages:\n";
        numbered(
            &head,
            |n| format!("- {{name: s{n}, depends_on: *l, agents: *l}}\n"),
            size,
        )
    };
    grows_evenly("a shared list", list, read);
    let map = |size| {
        let head = numbered("x: &m\n", |n| format!("  k{n}: v\n"), size / 2) + "stages:\n";
        numbered(&head, |n| format!("- {{<<: *m, name: s{n}}}\n"), size)
    };
    grows_evenly("a shared mapping", map, read);
    let text = list(2_000_000);
    let document = Document::parse(FILE, &text);
    assert!(
        document.diagnostics().iter().any(|d| d.code == "GH0113"),
        "it is said that something was left out"
    );
    assert!(
        Document::parse(FILE, &map(2_000_000))
            .diagnostics()
            .iter()
            .any(|d| d.code == "GH0113")
    );
}

#[test]
fn changes_of_long_pipelines() {
    let star = |size| {
        let stage = |n| format!("- name: s{n}\n  agents: [x]\n  depends_on: [all]\n");
        numbered("stages:\n- name: all\n  agents: [x]\n", stage, size)
    };
    let edit = |edit: Edit| {
        move |text: &str| {
            let document = Document::parse(FILE, text);
            let edits = document.edit(&edit).expect("it can be done");
            assert!(!apply(text, &edits).is_empty());
        }
    };
    let rename = Edit::Set {
        place: Place::step(0).field("name"),
        value: "every one".into(),
    };
    grows_evenly("a name that all depend on", star, edit(rename));
    grows_evenly(
        "a stage that all depend on",
        star,
        edit(Edit::Remove { place: Place::step(0) }),
    );
    let to_the_end = |text: &str| {
        let document = Document::parse(FILE, text);
        let to = document.workflow().steps().len() - 1;
        let place = Place::step(0);
        assert!(document.edit(&Edit::Move { place, to }).is_ok());
    };
    grows_evenly("a stage that moves", star, to_the_end);
    let states = |text: &str| {
        let document = Document::parse(FILE, text);
        let stage = |step: &model::Step| StageState {
            name: step.id.to_string(),
            status: StageStatus::Failed,
            error: Some("why: \"not\"".to_owned()),
        };
        let states = States {
            status: PipelineStatus::Failed,
            error: None,
            stages: document.workflow().steps().iter().map(stage).collect(),
        };
        assert!(with_states(text, &states).is_ok());
    };
    grows_evenly("states", star, states);
    // The state of one stage in the middle has no place where it could be written.
    let shared = |size| star(size) + "- *a\n" + &star(size)[STAGES.len()..].replace("name: ", "name: t");
    let shared = |size| shared(size).replacen("- name: s3\n", "- &a\n  name: s3\n", 1);
    let refused = |text: &str| {
        let states = States {
            status: PipelineStatus::Running,
            error: None,
            stages: Vec::new(),
        };
        assert!(with_states(text, &states).is_ok());
    };
    grows_evenly("an alias", shared, refused);
}

#[test]
fn ten_thousand_stages() {
    let stage = |n: usize| {
        format!(
            "  - name: stage {n}\n    agents: [dev, tester]\n    parallel: true\n    depends_on: [stage {}]\n    outputs: [a, b]\n",
            n / 2
        )
    };
    let text = numbered(
        "name: Large\nstages:\n  - name: stage 0\n    agents: [dev]\n",
        stage,
        1_300_000,
    );
    let document = Document::parse(FILE, &text);
    assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
    assert!(document.workflow().steps().len() > 10_000);
    let last = document.workflow().steps().len() - 1;
    assert_eq!(document.place_at(text.len() - 3).step, Some(last));
}
