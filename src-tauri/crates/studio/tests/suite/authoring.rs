//! Workflows made and changed as a window does it: new files, names and places, gestures, previews, typing, undo after a restart.

use crate::project::{Project, noticed_at};
use serde_json::{Value, json};

impl Project {
    async fn code(&self, method: &str, params: Value) -> String {
        self.refused(method, params).await.code
    }

    async fn revision(&self, path: &str) -> Value {
        self.ok("workflow.open", json!({"path": path})).await["revision"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_source_is_told_what_can_stand_where_somebody_types() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let at = async |text: &str| {
        // Windows count in UTF-16: the comment before it is longer in bytes.
        let text = format!("# Ünü 🙂\n{text}");
        let (before, behind) = text.split_once('|').expect("a cursor");
        let at = before.encode_utf16().count();
        let of = json!({"path": "shape.yaml", "text": format!("{before}{behind}"), "at": at});
        let found = p.ok("workflow.complete", of).await;
        let labels = found["options"].as_array().expect("options").iter();
        let labels: Vec<String> = labels
            .map(|one| one["label"].as_str().expect("text").to_owned())
            .collect();
        (labels, found["to"].as_u64().expect("a place") as usize == at)
    };
    let (steps, ends_here) = at(&FLOW.replace("next: check}", "next: |}")).await;
    assert_eq!((steps, ends_here), (vec!["draft".to_owned(), "check".to_owned()], true));
    let (agents, _) = at(&FLOW.replace("[critic]", "[c|]")).await;
    assert_eq!(agents, ["author"], "what is typed is no agent");
    let (fields, _) = at(&format!("{FLOW}    ro|")).await;
    assert!(fields.contains(&"role".to_owned()), "{fields:?}");
    let (nothing, _) = at(&FLOW.replace("Write it.", "Write| it.")).await;
    assert_eq!(nothing, [] as [String; 0]);
}

const FLOW: &str = "\
key: shape
title: Shape it
steps:
  - id: draft
    agents: [author]
    role: Write it.   # by hand
    routing: {kind: linear, next: check}
  - id: check
    agents: [critic]
    routing: {kind: linear}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_of_every_format_is_made_of_nothing_of_a_template_and_of_another_one() {
    let p = Project::new();
    let new = p.ok("workflow.new", json!({})).await;
    for format in new["formats"].as_array().expect("a list") {
        let name = format["name"].as_str().expect("a name");
        let title = format!("From nothing: {name}");
        let made = p.ok("workflow.create", json!({"format": name, "name": title})).await;
        let path = made["path"].as_str().expect("a path").to_owned();
        let view = p.ok("workflow.open", json!({"path": path})).await;
        assert_eq!(view["title"], title.as_str());
        // What was said of the whole is what is to be done first.
        assert_eq!(view["steps"][0]["intent"], title.as_str());
        let errors = view["problems"].as_array().expect("a list").iter();
        assert_eq!(errors.filter(|one| one["severity"] == "error").count(), 0, "{view}");
        assert!(
            !format["kinds"].as_array().expect("a list").is_empty(),
            "{name} has kinds of step"
        );
        for template in format["templates"].as_array().expect("a list") {
            let from = json!({"kind": "template", "name": template["name"]});
            let title = format!("{name} {}", template["name"].as_str().expect("a name"));
            let of = json!({"format": name, "folder": if name == "pipeline" { "" } else { "deep/er" }, "name": title, "from": from});
            let made = p.ok("workflow.create", of).await;
            let view = p.ok("workflow.open", json!({"path": made["path"]})).await;
            assert_eq!(view["title"], title.as_str());
            assert_eq!(
                view["steps"].as_array().map(Vec::len),
                template["steps"].as_u64().map(|n| n as usize)
            );
            assert!(!template["drawing"]["nodes"].as_array().expect("drawn").is_empty());
        }
        let copy = json!({"name": format!("Copy of {name}"), "from": {"kind": "workflow", "path": path}});
        let copy = p.ok("workflow.create", copy).await;
        let copied = p.ok("workflow.open", json!({"path": copy["path"]})).await;
        assert_eq!(copied["steps"], view["steps"]);
    }
    assert!(
        p.text("from-nothing-flow.yaml")
            .starts_with("key: from-nothing-flow\ntitle: \"From nothing: flow\"\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_over_another_file_or_outside_of_the_project() {
    let p = Project::new();
    p.write("shape-it.yaml", "mine");
    let create = |folder: &str| json!({"format": "flow", "folder": folder, "name": "Shape it"});
    assert_eq!(p.code("workflow.create", create("")).await, "name_taken");
    assert_eq!(p.text("shape-it.yaml"), "mine");
    assert_eq!(p.code("workflow.create", create("../out")).await, "outside_project");
    assert_eq!(
        p.code("workflow.create", create(".gatehouse/x")).await,
        "refused:hidden_folder"
    );
    assert_eq!(
        p.code("workflow.create", json!({"format": "flow", "name": " "})).await,
        "invalid_name"
    );
    assert_eq!(
        p.code(
            "workflow.create",
            json!({"format": "pipeline", "folder": "a", "name": "P"})
        )
        .await,
        "refused:fixed_folder"
    );
    p.write("a.yaml", FLOW);
    assert_eq!(
        p.code("workflow.rename", json!({"path": "a.yaml", "name": "Shape it"}))
            .await,
        "name_taken"
    );
    assert_eq!(p.text("a.yaml"), FLOW);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_gets_another_name_and_place_and_its_undo_goes_along() {
    let mut p = Project::new();
    p.write("flows/shape.yaml", FLOW);
    p.write("flows/shape.scenarios/one.yaml", "name: one\n");
    p.write("caller.runbook.md", "# Caller\n\n## 1 Run it\n\n- flows/shape.yaml\n");
    let edit = json!({"path": "flows/shape.yaml", "revision": p.revision("flows/shape.yaml").await, "label": "name them",
        "edits": [{"kind": "set", "place": {"step": 0, "path": ["name"]}, "value": "Draft"},
                  {"kind": "set", "place": {"step": 1, "path": ["name"]}, "value": "Check"}]});
    let saved = p.ok("workflow.edit", edit).await;
    assert_eq!(saved["view"]["undo"], "name them");
    let named = p.text("flows/shape.yaml");
    let moved = p
        .ok(
            "workflow.move",
            json!({"path": "flows/shape.yaml", "folder": "other/place"}),
        )
        .await;
    assert_eq!(moved["path"], "other/place/shape.yaml");
    let renamed = p
        .ok(
            "workflow.rename",
            json!({"path": "other/place/shape.yaml", "name": "Shape a request"}),
        )
        .await;
    assert_eq!(renamed["path"], "other/place/shape-a-request.yaml");
    assert!(p.is_there("other/place/shape-a-request.scenarios/one.yaml"));
    assert!(!p.is_there("flows/shape.yaml") && !p.is_there("flows/shape.scenarios"));
    let path = "other/place/shape-a-request.yaml";
    assert_eq!(p.text(path), named.replace("Shape it", "Shape a request"));
    p.reopen();
    p.ok("workflow.undo", json!({"path": path})).await;
    assert_eq!(p.text(path), named);
    // Both names are one entry.
    p.ok("workflow.undo", json!({"path": path})).await;
    assert_eq!(p.text(path), FLOW);
    p.ok("workflow.redo", json!({"path": path})).await;
    assert_eq!(p.text(path), named);
    let copy = p.ok("workflow.duplicate", json!({"path": path, "name": "Twice"})).await;
    assert_eq!(copy["path"], "other/place/twice.yaml");
    assert!(p.is_there("other/place/twice.scenarios/one.yaml"));
}

/// What is done with files is done with those of every format: a new name, another place, a copy, the end and the way back.
#[tokio::test(flavor = "multi_thread")]
async fn files_of_every_format_are_copied_renamed_moved_removed_and_brought_back() {
    for shape in dialect::shapes() {
        let mut p = Project::new();
        let of = json!({"format": shape.name, "name": "Shape it"});
        let made = p.ok("workflow.create", of).await;
        let path = made["path"].as_str().expect("a path").to_owned();
        let text = p.text(&path);
        let open = async |p: &Project, path: &str| p.ok("workflow.open", json!({"path": path})).await;
        let first = open(&p, &path).await;
        let scenario = p.ok("scenario.create", json!({"path": path, "name": "usual"})).await;
        assert!(p.is_there(scenario["path"].as_str().expect("a path")), "{}", shape.name);

        // A copy has the steps and the scenarios of its own.
        let copy = p.ok("workflow.duplicate", json!({"path": path, "name": "Twice"})).await;
        let copied = copy["path"].as_str().expect("a path").to_owned();
        let view = open(&p, &copied).await;
        assert_eq!(
            (&view["title"], &view["steps"]),
            (&json!("Twice"), &first["steps"]),
            "{}",
            shape.name
        );
        assert_eq!(
            view["scenarios"].as_array().map(Vec::len),
            Some(1),
            "{}: {view}",
            shape.name
        );

        // Its title is written, and but for it nothing changes; the scenarios go along.
        let renamed = p
            .ok("workflow.rename", json!({"path": path, "name": "Shape a request"}))
            .await;
        let renamed = renamed["path"].as_str().expect("a path").to_owned();
        assert_eq!(
            p.text(&renamed),
            text.replacen("Shape it", "Shape a request", 1),
            "{}",
            shape.name
        );
        let view = open(&p, &renamed).await;
        assert_eq!(view["title"], "Shape a request", "{}", shape.name);
        assert_eq!(
            view["scenarios"].as_array().map(Vec::len),
            Some(1),
            "{}: {view}",
            shape.name
        );

        // Pipelines stay where pipelines stand.
        let to = json!({"path": renamed, "folder": "other/place"});
        let moved = match shape.format.contract().state_in_file {
            true => {
                assert_eq!(p.code("workflow.move", to).await, "refused:fixed_folder");
                renamed.clone()
            }
            false => p.ok("workflow.move", to).await["path"]
                .as_str()
                .expect("a path")
                .to_owned(),
        };
        let view = open(&p, &moved).await;
        assert_eq!(
            view["scenarios"].as_array().map(Vec::len),
            Some(1),
            "{}: {view}",
            shape.name
        );
        assert!(moved == renamed || !p.is_there(&renamed), "{}", shape.name);

        let whole = p.text(&moved);
        p.ok("workflow.remove", json!({"path": moved})).await;
        assert!(!p.is_there(&moved), "{}", shape.name);
        p.reopen();
        p.ok("workflow.undo", json!({"path": moved})).await;
        assert_eq!(p.text(&moved), whole, "{}", shape.name);
        let view = open(&p, &moved).await;
        assert_eq!(
            view["scenarios"].as_array().map(Vec::len),
            Some(1),
            "{}: {view}",
            shape.name
        );
    }
}

/// A new workflow is what a run was made of, whatever has become of its file, and what stands in a text.
#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_of_every_format_is_made_of_a_run_and_of_a_text() {
    let p = Project::new();
    for shape in dialect::shapes() {
        let texts = shape.templates.iter().map(|template| template.text);
        for (n, text) in texts.chain([shape.skeleton]).enumerate() {
            let of = json!({"format": shape.name, "name": format!("{} text {n}", shape.name), "from": {"kind": "text", "text": text}});
            let made = p.ok("workflow.create", of).await;
            let view = p.ok("workflow.open", json!({"path": made["path"]})).await;
            assert_eq!(view["title"], format!("{} text {n}", shape.name).as_str());
            let errors = view["problems"].as_array().expect("a list").iter();
            assert_eq!(errors.filter(|one| one["severity"] == "error").count(), 0, "{view}");
        }
        let made = p
            .ok(
                "workflow.create",
                json!({"format": shape.name, "name": format!("Run {}", shape.name)}),
            )
            .await;
        let path = made["path"].as_str().expect("a path").to_owned();
        let ran = p.ok("workflow.open", json!({"path": path})).await;
        let scenario = p.ok("scenario.create", json!({"path": path, "name": "usual"})).await;
        let start = json!({"path": path, "scenario": scenario["path"]});
        let run = p.ok("run.start", start).await["run_id"].clone();
        let id = run.as_str().expect("a run").to_owned();
        // A runbook's first step is carried out by a person, also in a rehearsal: it comes no further by itself.
        p.until(&id, |view| view["status"] == "blocked" || !view["ended_at"].is_null())
            .await;
        p.ok("workflow.remove", json!({"path": path})).await;
        let of = json!({"name": format!("Again {}", shape.name), "from": {"kind": "run", "run_id": run}});
        let again = p.ok("workflow.create", of).await;
        let view = p.ok("workflow.open", json!({"path": again["path"]})).await;
        assert_eq!(view["title"], format!("Again {}", shape.name).as_str());
        assert_eq!(view["steps"], ran["steps"], "{}", shape.name);
    }
    // What is no workflow of the format makes none.
    let of = json!({"format": "flow", "name": "Nothing", "from": {"kind": "text", "text": "a: 1\n"}});
    assert_eq!(p.code("workflow.create", of).await, "invalid_workflow");
    let of = json!({"name": "Nothing", "from": {"kind": "run", "run_id": "nobody"}});
    assert_eq!(p.code("workflow.create", of).await, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_was_removed_comes_back() {
    let mut p = Project::new();
    p.write("shape.yaml", FLOW);
    let typed = format!("{FLOW}# my own words\n");
    let of =
        json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "text": typed, "label": "a remark"});
    p.ok("workflow.write", of).await;
    let gone = p.ok("workflow.remove", json!({"path": "shape.yaml"})).await;
    assert!(!p.is_there("shape.yaml"));
    p.reopen();
    let deletion = json!({"path": "shape.yaml", "entry": gone["undo_entry"]});
    p.ok("workflow.undo", deletion.clone()).await;
    assert_eq!(p.text("shape.yaml"), typed);
    // Asked for the deletion once more it takes nothing else back.
    let again = p.ok("workflow.undo", deletion).await;
    assert!(again["left"].to_string().contains("had been undone already"), "{again}");
    assert_eq!(p.text("shape.yaml"), typed);
    assert_eq!(again["view"]["undo"], "a remark");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_brought_back_is_said_where_no_file_is() {
    let mut p = Project::new();
    p.write("shape.yaml", FLOW);
    let asked = json!({"path": "shape.yaml"});
    assert_eq!(p.ok("workflow.removed", asked.clone()).await, json!({}), "it is there");
    let gone = p.ok("workflow.remove", asked.clone()).await;
    p.reopen();
    let there_was = p.ok("workflow.removed", asked.clone()).await;
    assert_eq!(there_was["undo_entry"], gone["undo_entry"]);
    p.ok(
        "workflow.undo",
        json!({"path": "shape.yaml", "entry": gone["undo_entry"]}),
    )
    .await;
    assert_eq!(p.ok("workflow.removed", asked.clone()).await, json!({}), "it came back");
    // What was taken away by another program, and what never was, is not brought back by an undo.
    std::fs::remove_file(p.folder.path().join("shape.yaml")).expect("removed");
    assert_eq!(p.ok("workflow.removed", asked).await, json!({}));
    assert_eq!(p.ok("workflow.removed", json!({"path": "never.yaml"})).await, json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_that_was_removed_comes_back_and_nothing_else_is_taken_back() {
    let mut p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\n");
    let of = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let table = p.ok("scenario.table", of.clone()).await;
    let edits = json!([{"kind": "set", "place": {"path": ["name"]}, "value": "better"}]);
    let edit = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml", "revision": table["revision"],
        "edits": edits, "label": "a better name"});
    let edited = p.ok("scenario.edit", edit).await;
    assert_eq!(edited["undo"], "a better name");
    let gone = p.ok("scenario.remove", of).await;
    p.reopen();
    let deletion = json!({"path": "shape.scenario.yaml", "entry": gone["undo_entry"]});
    p.ok("workflow.undo", deletion.clone()).await;
    assert_eq!(p.text("shape.scenario.yaml"), "name: better\n");
    let again = p.ok("workflow.undo", deletion).await;
    assert!(again["left"].to_string().contains("had been undone already"), "{again}");
    assert_eq!(p.text("shape.scenario.yaml"), "name: better\n");
    // The table names the change that its own undo is about.
    let change = json!({"path": "shape.scenario.yaml", "entry": edited["undo_entry"]});
    p.ok("workflow.undo", change).await;
    assert_eq!(p.text("shape.scenario.yaml"), "name: fine\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn beside_a_version_that_cannot_be_read_no_step_seems_to_have_come_or_gone() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let revision = p.revision("shape.yaml").await;
    let of = json!({"path": "shape.yaml", "revision": revision, "text": "flow: [broken", "label": "a slip"});
    p.ok("workflow.write", of).await;
    let compared = p
        .ok("workflow.compare", json!({"path": "shape.yaml", "left": revision}))
        .await;
    assert_eq!(compared["differences"], json!([]), "{compared}");
    assert_eq!(compared["left"]["unreadable"], json!(null));
    let why = compared["right"]["unreadable"].as_str().expect("a sentence");
    assert!(why.ends_with('.'), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_of_a_workflow_go_and_come_back_with_it() {
    let mut p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\n");
    p.write("shape.scenarios/other.yaml", "name: other\n");
    p.ok("workflow.remove", json!({"path": "shape.yaml"})).await;
    assert!(!p.is_there("shape.scenario.yaml") && !p.is_there("shape.scenarios"));
    p.reopen();
    let back = p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(back["view"]["scenarios"].as_array().map(Vec::len), Some(2), "{back}");
    assert_eq!(p.text("shape.scenarios/other.yaml"), "name: other\n");
    // What somebody has put in the place of one stays, and is told.
    p.ok("workflow.remove", json!({"path": "shape.yaml"})).await;
    p.write("shape.scenario.yaml", "name: mine\n");
    let back = p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(p.text("shape.scenario.yaml"), "name: mine\n");
    assert!(
        back["left"]
            .to_string()
            .contains("shape.scenario.yaml did not come back"),
        "{back}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_gestures_would_do_is_seen_before_and_nothing_is_written() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let revision = p.revision("shape.yaml").await;
    let edits = json!([{"kind": "set", "place": {"step": 1, "path": ["id"]}, "value": "review"}]);
    let seen = p
        .ok(
            "workflow.preview",
            json!({"path": "shape.yaml", "revision": revision, "edits": edits}),
        )
        .await;
    assert_eq!(seen["refused"], Value::Null);
    assert!(
        seen["source"].as_str().expect("a text").contains("next: review"),
        "{seen}"
    );
    assert_eq!(seen["drawing"]["nodes"].as_array().map(Vec::len), Some(2));
    assert_eq!(p.text("shape.yaml"), FLOW);
    let edits = json!([{"kind": "set", "place": {"step": 7, "path": ["id"]}, "value": "review"}]);
    let refused = p
        .ok(
            "workflow.preview",
            json!({"path": "shape.yaml", "revision": revision, "edits": edits}),
        )
        .await;
    assert_eq!(refused["refused"]["index"], 0);
    // What is being typed is looked at in the same way.
    let typed = p
        .ok(
            "workflow.preview",
            json!({"path": "shape.yaml", "text": FLOW.replace("next: check", "next: nobody")}),
        )
        .await;
    assert_eq!(typed["problems"][0]["code"], "GH0001");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_line_it_is_said_before_that_the_workflow_does_not_start_with_it() {
    let p = Project::new();
    let step = |id: &str, next: &str| {
        format!("  - {{id: {id}, agents: [clerk], role: Works., routing: {{kind: linear{next}}}}}\n")
    };
    let steps = [
        step("a", ", next: b"),
        step("b", ", next: c"),
        step("c", ", next: d"),
        step("d", ""),
    ]
    .concat();
    p.write("line.yaml", &format!("key: line\ntitle: Line\nsteps:\n{steps}"));
    let revision = p.revision("line.yaml").await;
    let beside = json!([{"kind": "connect", "from": "b", "to": "d", "way": {"as": "beside"}}]);
    let of = json!({"path": "line.yaml", "revision": revision, "edits": beside});
    let seen = p.ok("workflow.preview", of).await;
    let said = seen["entails"].to_string();
    assert!(said.contains("The workflow does not start then: "), "{seen}");
    let after = json!([{"kind": "connect", "from": "d", "to": "b", "way": {"as": "back"}}]);
    let seen = p
        .ok(
            "workflow.preview",
            json!({"path": "line.yaml", "revision": revision, "edits": after}),
        )
        .await;
    assert_eq!(
        (&seen["refused"], &seen["entails"]),
        (&Value::Null, &json!([])),
        "{seen}"
    );
}

/// The form of a fork writes a branch that a line could be drawn for: the same is said of both.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_branch_that_is_filled_in_it_is_said_before_that_the_workflow_does_not_start_with_it() {
    let p = Project::new();
    let step =
        |id: &str, routing: &str| format!("  - {{id: {id}, agents: [clerk], role: Works., routing: {{{routing}}}}}\n");
    let steps = [
        step("a", "kind: fork, fork_targets: [b, d]"),
        step("b", "kind: linear, next: c"),
        step("c", "kind: linear, next: e"),
        step("d", "kind: linear, next: e"),
        step("e", "kind: join"),
    ]
    .concat();
    p.write("fork.yaml", &format!("key: fork\ntitle: Fork\nsteps:\n{steps}"));
    let revision = p.revision("fork.yaml").await;
    for branch in ["a", "c"] {
        let place = json!({"step": 0, "path": ["routing", "fork_targets", "2"]});
        let edits = json!([{"kind": "set", "place": place, "value": branch}]);
        let of = json!({"path": "fork.yaml", "revision": revision, "edits": edits});
        let seen = p.ok("workflow.preview", of).await;
        let said = seen["entails"].to_string();
        assert!(said.contains("The workflow does not start then: "), "{branch}: {seen}");
    }
}

/// The same of a rejection that is filled in: out of one branch of a fork it may lead into another one.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_rejection_that_is_filled_in_it_is_said_before_that_the_workflow_does_not_start_with_it() {
    let p = Project::new();
    let step =
        |id: &str, routing: &str| format!("  - {{id: {id}, agents: [clerk], role: Works., routing: {{{routing}}}}}\n");
    let steps = [
        step("a", "kind: fork, fork_targets: [b, c]"),
        step("b", "kind: linear, next: d"),
        "  - {id: c, agents: [clerk], role: Works., human_gate: required, routing: {kind: linear, next: d}}\n"
            .to_owned(),
        step("d", "kind: join, next: e"),
        step("e", "kind: linear"),
    ]
    .concat();
    p.write("back.yaml", &format!("key: back\ntitle: Back\nsteps:\n{steps}"));
    let revision = p.revision("back.yaml").await;
    for (to, starts) in [("b", false), ("d", true)] {
        let place = json!({"step": 2, "path": ["on_reject"]});
        let edits = json!([{"kind": "set", "place": place, "value": to}]);
        let of = json!({"path": "back.yaml", "revision": revision, "edits": edits});
        let seen = p.ok("workflow.preview", of).await;
        let said = seen["entails"].to_string();
        assert_eq!(
            !said.contains("The workflow does not start then: "),
            starts,
            "{to}: {seen}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_line_past_a_gate_it_is_said_before_that_it_leads_around_it() {
    let p = Project::new();
    p.write(
        "out.yaml",
        "key: out\ntitle: Out\nsteps:\n  - {id: draft, agents: [a], role: W., routing: {kind: linear, next: ask}}\n  \
         - {id: ask, name: Ask the board, agents: [a], role: W., human_gate: required, routing: {kind: linear, next: send}}\n  \
         - {id: send, agents: [a], role: W.}\n",
    );
    let revision = p.revision("out.yaml").await;
    let entails = async |edit: Value| {
        let of = json!({"path": "out.yaml", "revision": revision, "edits": [edit]});
        let seen = p.ok("workflow.preview", of).await;
        assert_eq!(seen["refused"], Value::Null, "{seen}");
        seen["entails"].to_string()
    };
    let past = json!({"kind": "connect", "from": "draft", "to": "send", "way": {"as": "value", "value": "SMALL"}});
    let said = entails(past).await;
    let told = "Then “Send” can be reached without passing the gate at “Ask the board”.";
    assert!(said.contains(told), "{said}");
    let back = json!({"kind": "connect", "from": "send", "to": "draft", "way": {"as": "back"}});
    assert!(!entails(back).await.contains("can be reached"));
    // A rejection that leads to what an approval comes to anyway.
    let reject = json!({"kind": "set", "place": {"step": 0, "path": ["on_reject"]}, "value": "send"});
    let plain = "key: out\ntitle: Out\nsteps:\n  - {id: ask, agents: [a], role: W., human_gate: required}\n  \
                 - {id: pay, agents: [a], role: W.}\n  - {id: send, agents: [a], role: W.}\n";
    p.write("plain.yaml", plain);
    let of = json!({"path": "plain.yaml", "revision": p.revision("plain.yaml").await, "edits": [reject]});
    let said = p.ok("workflow.preview", of).await["entails"].to_string();
    let told = "Then “Send” also follows where “Ask” is approved, not only where it is rejected.";
    assert!(said.contains(told), "{said}");
    // Whoever takes a line away sees where it led, and not always that somebody was asked there.
    let cut = |from: &str, to: &str| json!({"kind": "disconnect", "from": from, "to": to});
    assert!(
        entails(cut("draft", "ask"))
            .await
            .contains("No way leads to “Ask the board” any more.")
    );
    assert!(!entails(cut("ask", "send")).await.contains("No way leads"));
    // A gate goes with one click of its shield: that is asked about, and putting one in is not.
    let ungated = entails(json!({"kind": "gate", "step": "ask"})).await;
    assert!(
        ungated.contains("The gate at “Ask the board” goes: nobody decides there any more."),
        "{ungated}"
    );
    for (word, told) in [
        (
            "optional",
            "The gate at “Ask the board” becomes optional: no run stops there, unless the project’s policy demands it.",
        ),
        (
            "recommended",
            "The gate at “Ask the board” is weaker than it was: whether a run stops there is up to the project’s policy.",
        ),
        ("required", ""),
    ] {
        let set = json!({"kind": "set", "place": {"step": 1, "path": ["human_gate"]}, "value": word});
        let said = entails(set).await;
        match told {
            "" => assert_eq!(said, "[]"),
            told => assert!(said.contains(told), "{said}"),
        }
    }
    let gate = json!({"kind": "gate", "step": "send", "gate": {}});
    assert_eq!(entails(gate).await, "[]");
    // A way that was there before is no matter of what is only called otherwise.
    p.write(
        "around.yaml",
        "key: out\ntitle: Out\nsteps:\n  - {id: draft, agents: [a], role: W., routing: {kind: branch, branch_field: size, branches: {S: send}, \
         next: ask}}\n  - {id: ask, name: Ask the board, agents: [a], role: W., human_gate: required, routing: {kind: linear, next: send}}\n  \
         - {id: send, agents: [a], role: W.}\n",
    );
    let opened = p.ok("workflow.open", json!({"path": "around.yaml"})).await;
    assert!(opened["problems"].to_string().contains("GH0006"), "{opened}");
    for (field, value) in [("name", "Send it out"), ("id", "post")] {
        let rename = json!({"kind": "set", "place": {"step": 2, "path": [field]}, "value": value});
        let of = json!({"path": "around.yaml", "revision": opened["revision"], "edits": [rename]});
        let seen = p.ok("workflow.preview", of).await;
        assert_eq!(seen["refused"], Value::Null, "{seen}");
        assert!(
            !seen["entails"].to_string().contains("can be reached"),
            "{}",
            seen["entails"]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_goes_through_the_same_journal_and_is_merged() {
    let mut p = Project::new();
    p.write("shape.yaml", FLOW);
    let revision = p.revision("shape.yaml").await;
    // Meanwhile another program changes another line.
    let theirs = FLOW.replace("[critic]", "[judge]");
    p.write("shape.yaml", &theirs);
    let typed = FLOW.replace("Write it.", "Draft it.");
    let saved = p
        .ok(
            "workflow.write",
            json!({"path": "shape.yaml", "revision": revision, "text": typed}),
        )
        .await;
    assert_eq!((&saved["outcome"], &saved["merged"]), (&json!("saved"), &json!(true)));
    assert_eq!(p.text("shape.yaml"), theirs.replace("Write it.", "Draft it."));
    p.reopen();
    p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(p.text("shape.yaml"), theirs);
    let clash = json!({"path": "shape.yaml", "revision": revision, "text": FLOW.replace("[critic]", "[boss]")});
    assert_eq!(p.ok("workflow.write", clash).await["outcome"], "conflict");
    assert_eq!(p.text("shape.yaml"), theirs);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_step_of_every_format_has_a_form_and_its_fields_can_be_set() {
    let p = Project::new();
    for format in dialect::shapes().iter().map(|shape| shape.name) {
        let made = p
            .ok(
                "workflow.create",
                json!({"format": format, "name": format!("New {format}")}),
            )
            .await;
        let path = made["path"].clone();
        let palette = p.ok("workflow.palette", json!({"path": path})).await;
        assert_eq!(palette["gestures"]["steps"], true, "{format}");
        for step in [json!(0), Value::Null] {
            let form = p.ok("workflow.form", json!({"path": path, "step": step})).await;
            let fields = form["form"]["fields"].as_array().expect("fields");
            assert!(fields.len() > 1, "{format}: {form}");
            for field in fields {
                assert!(!field["label"].as_str().expect("a label").is_empty());
                let value = match field["control"]["kind"].as_str().expect("a control") {
                    "text" | "long_text" if field["name"] != "id" && field["name"] != "node_id" => {
                        json!("Something else")
                    }
                    "flag" => json!(true),
                    "duration" => json!(5),
                    _ => continue,
                };
                let edits = json!([{"kind": "set", "place": field["place"], "value": value}]);
                let seen = p.ok("workflow.preview", json!({"path": path, "edits": edits})).await;
                assert_eq!(seen["refused"], Value::Null, "{format} {}", field["name"]);
            }
        }
    }
}

/// Whoever may change workflows may not change everything else by the way.
#[tokio::test(flavor = "multi_thread")]
async fn only_workflows_are_changed() {
    let p = Project::new();
    let config = "version: 1\n";
    p.write("gatehouse.yaml", config);
    p.write(".git/config", "[core]\n");
    p.write("script.py", "print()\n");
    p.write("data.yaml", "a: 1\n");
    for path in [
        "gatehouse.yaml",
        ".git/config",
        "script.py",
        "data.yaml",
        ".gatehouse/history.db",
        "./a.yaml",
        "x//a.yaml",
    ] {
        for method in [
            "workflow.write",
            "workflow.edit",
            "workflow.rename",
            "workflow.move",
            "workflow.remove",
            "workflow.undo",
        ] {
            let of =
                json!({"path": path, "revision": "0", "text": "x", "edits": [], "name": "Other", "folder": "other"});
            assert_eq!(p.code(method, of).await, "refused:no_workflow", "{method} {path}");
        }
    }
    assert_eq!(
        (p.text("gatehouse.yaml").as_str(), p.text("data.yaml").as_str()),
        (config, "a: 1\n")
    );
    // What was made of a workflow here is mended here.
    let made = p
        .ok("workflow.create", json!({"format": "flow", "name": "Shape"}))
        .await;
    let path = made["path"].as_str().expect("a path").to_owned();
    let write = |revision: Value, text: &str| json!({"path": path, "revision": revision, "text": text});
    p.ok("workflow.write", write(p.revision(&path).await, "a: 1\n")).await;
    p.ok("workflow.write", write(p.revision(&path).await, "a: 2\n")).await;
    p.ok("workflow.undo", json!({"path": path})).await;
    assert_eq!(p.text(&path), "a: 1\n");
}

/// Several windows change one file at the same moment: all of it is in, or somebody is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_changes_made_at_once_none_is_lost() {
    let p = Project::new();
    let other = p.opened_again();
    let step = |n: u32| format!("  - {{id: s{n}, role: Do {n}, agents: [w]}}\n");
    let text = format!(
        "key: many\ntitle: Many\nsteps:\n{}",
        (0..12).map(step).collect::<String>()
    );
    p.write("many.yaml", &text);
    let revision = p.revision("many.yaml").await;
    let writers = (0..12u32).map(|n| {
        let studio = if n % 2 == 0 { p.studio.clone() } else { other.clone() };
        let edit = json!({"path": "many.yaml", "revision": revision,
            "edits": [{"kind": "set", "place": {"step": n, "path": ["role"]}, "value": format!("Done {n}")}]});
        tokio::spawn(async move { studio.rpc("workflow.edit", edit).await.expect("answered") })
    });
    for writer in writers.collect::<Vec<_>>() {
        assert_eq!(writer.await.expect("it ended")["outcome"], "saved");
    }
    let now = p.text("many.yaml");
    for n in 0..12 {
        assert!(now.contains(&format!("Done {n},")), "{n}: {now}");
    }
    for _ in 0..12 {
        p.ok("workflow.undo", json!({"path": "many.yaml"})).await;
    }
    assert_eq!(p.text("many.yaml"), text);
}

/// A step gets another id: the scenarios beside the workflow follow in the same change, are put back by its undo, also after both
/// were moved, and keep what somebody else wrote into them.
#[tokio::test(flavor = "multi_thread")]
async fn scenarios_follow_a_new_id_and_its_undo() {
    let mut p = Project::new();
    let scenario = "name: fine   # ours\nsteps:\n  check: [{report: {status: GOOD}}]\nexpect: {path: [draft, check]}\n";
    let other = "name: other\nsteps: {draft: [{}]}\n";
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", scenario);
    p.write("shape.scenarios/other.yaml", other);
    p.write("shape.scenarios/broken.yaml", "steps: [\n");
    let rename = json!([{"kind": "set", "place": {"step": 1, "path": ["id"]}, "value": "verify"}]);
    let of = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "edits": rename});
    let entails = p.ok("workflow.preview", of.clone()).await["entails"].to_string();
    assert!(
        entails.contains("The scenario shape.scenario.yaml follows."),
        "{entails}"
    );
    assert!(entails.contains("broken.yaml does not follow"), "{entails}");
    assert!(!entails.contains("other.yaml"), "{entails}");
    assert_eq!(p.text("shape.scenario.yaml"), scenario);

    p.ok("workflow.edit", of).await;
    let followed = scenario.replace("check:", "verify:").replace(", check]", ", verify]");
    assert_eq!(p.text("shape.scenario.yaml"), followed);
    assert_eq!(p.text("shape.scenarios/other.yaml"), other);
    p.write("shape.scenarios/broken.yaml", other);
    let tests = p.ok("workflow.tests", json!({"path": "shape.yaml"})).await;
    assert_eq!(
        (&tests["tests"][0]["name"], &tests["tests"][0]["passed"]),
        (&json!("fine"), &json!(true))
    );

    // Both are moved, and somebody writes into the scenario.
    p.ok("workflow.move", json!({"path": "shape.yaml", "folder": "later"}))
        .await;
    p.write("later/shape.scenario.yaml", &followed.replace("# ours", "# theirs"));
    p.reopen();
    let later = json!({"path": "later/shape.yaml"});
    p.ok("workflow.undo", later.clone()).await;
    assert_eq!(p.text("later/shape.yaml"), FLOW);
    assert_eq!(
        p.text("later/shape.scenario.yaml"),
        scenario.replace("# ours", "# theirs")
    );
    p.ok("workflow.redo", later.clone()).await;
    assert_eq!(
        p.text("later/shape.scenario.yaml"),
        followed.replace("# ours", "# theirs")
    );

    // On the very lines: nothing is written.
    let (flow, changed) = (p.text("later/shape.yaml"), followed.replace("  verify:", "  somebody:"));
    p.write("later/shape.scenario.yaml", &changed);
    assert_eq!(p.code("workflow.undo", later).await, "conflict");
    assert_eq!(
        (p.text("later/shape.yaml"), p.text("later/shape.scenario.yaml")),
        (flow, changed)
    );
}

/// Undo meets another program's change of the same step and is decided part by part: scenarios go by the ids alone.
#[tokio::test(flavor = "multi_thread")]
async fn scenarios_follow_an_undo_by_parts_where_the_ids_hold() {
    let scenario = "name: fine\nsteps:\n  check: [{report: {status: GOOD}}]\nexpect: {path: [draft, check]}\n";
    let titled = "agents: [critic]\n    title: Look closely\n";
    let cases = [
        // The id is taken back; that the step is called otherwise meanwhile is not its id.
        (("agents: [critic]\n", titled), "theirs", true),
        // The id that another program gave it stays.
        (("id: verify", "id: another"), "theirs", false),
        (("id: verify", "id: another"), "mine", true),
    ];
    for ((what, by), id, follow) in cases {
        let p = Project::new();
        p.write("shape.yaml", FLOW);
        p.write("shape.scenario.yaml", scenario);
        let edits = json!([
            {"kind": "set", "place": {"step": 1, "path": ["id"]}, "value": "verify"},
            {"kind": "set", "place": {"step": 0, "path": ["agents"]}, "value": ["writer"]}]);
        let of = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "edits": edits});
        p.ok("workflow.edit", of).await;
        let followed = p.text("shape.scenario.yaml");
        assert!(followed.contains("verify: [{report"), "{followed}");
        let theirs = p.text("shape.yaml").replace("[writer]", "[somebody]").replace(what, by);
        p.write("shape.yaml", &theirs);
        let found = p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
        let parts = found["parts"].as_array().expect("a conflict").iter();
        let about_id = |part: &serde_json::Value| part["theirs"].to_string().contains("another");
        let sides: Vec<&str> = parts.map(|part| if about_id(part) { id } else { "theirs" }).collect();
        let keep = json!({"revision": found["view"]["revision"], "change": found["change"], "parts": sides});
        let undone = p.ok("workflow.undo", json!({"path": "shape.yaml", "keep": keep})).await;
        assert_eq!(undone["outcome"], "saved");
        let now = p.text("shape.scenario.yaml");
        assert_eq!(now, if follow { scenario.to_owned() } else { followed }, "{by}, {id}");
        assert_eq!(
            undone["left"].to_string().contains("stay as they are"),
            !follow,
            "{undone}"
        );
    }
}

/// Numbers are ids, too: a scenario beside a runbook scripts the step that it scripted, and undo takes both back.
#[tokio::test(flavor = "multi_thread")]
async fn scenarios_follow_the_numbers_of_a_runbook_and_its_undo() {
    let p = Project::new();
    let book = "# Ship\n\n## 1 Build\n\nBuild it.\n\n## 2 Ship\n\nShip it.\n\n## 3 Tell\n\nTell them.\n";
    let scenario = "name: fine\nsteps: {2: [{report: {to: staging}}], 3: [{}]}\nexpect: {path: ['1', '2', '3']}\n";
    p.write("ship.runbook.md", book);
    p.write("ship.runbook.scenario.yaml", scenario);
    for (edit, followed) in [
        (
            json!({"kind": "add", "step": {"name": "Test"}, "at": {"where": "after", "step": "1"}}),
            "name: fine\nsteps: {3: [{report: {to: staging}}], 4: [{}]}\nexpect: {path: ['1', '3', '4']}\n",
        ),
        (
            json!({"kind": "remove", "place": {"step": 1, "path": []}}),
            "name: fine\nsteps: {2: [{}]}\nexpect: {path: ['1', '2']}\n",
        ),
    ] {
        let revision = p.revision("ship.runbook.md").await;
        let of = json!({"path": "ship.runbook.md", "revision": revision, "edits": [edit]});
        p.ok("workflow.edit", of).await;
        assert_eq!(p.text("ship.runbook.scenario.yaml"), followed);
        p.ok("workflow.undo", json!({"path": "ship.runbook.md"})).await;
        assert_eq!(
            (
                p.text("ship.runbook.md").as_str(),
                p.text("ship.runbook.scenario.yaml").as_str()
            ),
            (book, scenario)
        );
    }
}

/// Steps are copied as the text of the file, and what steps reported is offered where a field is asked for.
#[tokio::test(flavor = "multi_thread")]
async fn steps_are_copied_and_reported_fields_are_offered() {
    let p = Project::new();
    let looped = FLOW.replace(
        "routing: {kind: linear}\n",
        "routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, loop_success_values: [GOOD]}\n",
    );
    p.write("shape.yaml", &looped);
    p.write(
        "shape.scenario.yaml",
        "name: twice\nsteps: {draft: [{report: {pages: 7}}], check: [{report: {verdict: BAD, score: 3}}, {report: {verdict: GOOD}}]}\n",
    );
    let copied = p
        .ok(
            "workflow.copied",
            json!({"path": "shape.yaml", "steps": ["check", "draft"]}),
        )
        .await;
    assert_eq!(copied["parts"].as_array().map(Vec::len), Some(2));
    let text = copied["text"].as_str().expect("text");
    assert!(
        text.starts_with("- id: draft\n  agents: [author]\n  role: Write it.   # by hand\n"),
        "{text}"
    );
    // They lead to each other; one alone leads to none, and in a runbook each stands for itself.
    assert_eq!(copied["together"], true);
    let alone = json!({"path": "shape.yaml", "steps": ["draft"]});
    assert_eq!(p.ok("workflow.copied", alone).await["together"], false);
    p.write("two.runbook.md", "## 1 Look\n\nLook.\n\n## 2 Tell\n\nTell.\n");
    let steps = json!({"path": "two.runbook.md", "steps": ["1", "2"]});
    assert_eq!(p.ok("workflow.copied", steps).await["together"], false);
    let gone = json!({"path": "shape.yaml", "steps": ["gone"]});
    assert_eq!(p.code("workflow.copied", gone).await, "not_found");

    let start = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let run = p.ok("run.start", start).await;
    let id = run["run_id"].as_str().expect("a run").to_owned();
    for _ in 0..2_400 {
        if p.studio.has_ended(&id).expect("known") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    let form = p.ok("workflow.form", json!({"path": "shape.yaml", "step": 1})).await;
    assert_eq!(
        form["reported"],
        json!([{"field": "score", "values": ["3"]}, {"field": "verdict", "values": ["BAD", "GOOD"]}])
    );
    let known = form["known"].as_array().expect("names");
    let fields = known.iter().find(|of| of["of"] == "field").expect("fields");
    assert_eq!(
        fields["names"],
        json!([["score", "score"], ["status", "status"], ["verdict", "verdict"]])
    );
    // What another step reported decides nothing here, and is not offered; while the source is typed nobody knows of which step it is.
    let form = p.ok("workflow.form", json!({"path": "shape.yaml", "step": 0})).await;
    assert_eq!(form["reported"], Value::Null, "its form asks for no field: {form}");
    p.write(
        "shape.yaml",
        &looped.replace(
            "routing: {kind: linear, next: check}",
            "routing: {kind: branch, branch_field: pages, branches: {}, next: check}",
        ),
    );
    let form = p.ok("workflow.form", json!({"path": "shape.yaml", "step": 0})).await;
    assert_eq!(form["reported"], json!([{"field": "pages", "values": ["7"]}]));
}

/// The versions of a file, what tells two of them apart, and going back to one: a change like any other.
#[tokio::test(flavor = "multi_thread")]
async fn versions_are_listed_compared_and_gone_back_to() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let of = json!({"path": "shape.yaml"});
    let edit = |revision: Value, edits: Value, label: &str| json!({"path": "shape.yaml", "revision": revision, "edits": edits, "label": label});
    let role = json!([{"kind": "set", "place": {"step": 0, "path": ["role"]}, "value": "Write it well."}]);
    p.ok(
        "workflow.edit",
        edit(p.revision("shape.yaml").await, role, "say it better"),
    )
    .await;
    let add = json!([
        {"kind": "add", "step": {"name": "Send it"}, "at": {"where": "end"}},
        {"kind": "set", "place": {"step": 0, "path": ["id"]}, "value": "write"},
        {"kind": "move", "place": {"step": 0, "path": []}, "to": 1},
    ]);
    p.ok("workflow.edit", edit(p.revision("shape.yaml").await, add, "grow"))
        .await;
    let grown = p.text("shape.yaml");
    p.write("shape.yaml", &grown.replace("title: Shape it", "title: Shape it well"));

    let listed = p.ok("workflow.versions", of.clone()).await;
    let versions = listed["versions"].as_array().expect("versions").clone();
    let labels: Vec<&str> = versions.iter().filter_map(|one| one["label"].as_str()).collect();
    assert_eq!(
        labels,
        [
            "changed by another program",
            "grow",
            "say it better",
            "before the first change made here"
        ]
    );
    let is_now: Vec<bool> = versions.iter().map(|one| one["is_now"] == true).collect();
    assert_eq!(is_now, [true, false, false, false]);
    assert!(versions[1]["at"].is_i64() && versions[0]["at"].is_i64());
    let found: Vec<bool> = versions.iter().map(|one| one["found"] == true).collect();
    assert_eq!(found, [true, false, false, false]);

    let (first, second) = (versions[3]["version"].clone(), &versions[2]["version"]);
    let compared = p
        .ok("workflow.compare", json!({"path": "shape.yaml", "left": second}))
        .await;
    let told: Vec<String> = compared["differences"]
        .as_array()
        .expect("differences")
        .iter()
        .map(|one| format!("{} {} {}", one["step"]["id"], one["what"], one["fields"]))
        .collect();
    assert_eq!(compared["elsewhere"], json!(["Title"]), "{told:?}");
    assert_eq!(
        told,
        [
            "\"check\" [\"changed\",\"moved\"] [\"Next step\"]",
            "\"write\" [\"renamed\"] []",
            "\"send_it\" [\"added\"] []",
        ]
    );
    assert_eq!(compared["left"]["source"], FLOW.replace("Write it.", "Write it well."));

    let back = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "version": first});
    p.ok("workflow.restore", back).await;
    assert_eq!(p.text("shape.yaml"), FLOW);
    p.ok("workflow.undo", of.clone()).await;
    assert_eq!(
        p.text("shape.yaml"),
        grown.replace("title: Shape it", "title: Shape it well")
    );
    let stranger = json!({"path": "shape.yaml", "left": "0".repeat(64)});
    assert_eq!(p.code("workflow.compare", stranger).await, "unknown_revision");
}

/// What was taken back is lost to nobody, whether it can still be made again or something else was done then.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_back_stays_among_the_versions() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let path = || json!({"path": "shape.yaml"});
    let typed = |text: &str| FLOW.replace("Write it.", text);
    let write = async |text: &str| {
        let of = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "text": typed(text), "label": text});
        p.ok("workflow.write", of).await;
    };
    let versions = async || p.ok("workflow.versions", path()).await["versions"].clone();
    let labels = async || -> Vec<String> {
        let versions = versions().await;
        let labels = versions.as_array().expect("versions").iter();
        labels
            .map(|one| one["label"].as_str().expect("a label").to_owned())
            .collect()
    };
    write("Typed.").await;
    p.ok("workflow.undo", path()).await;
    assert_eq!(p.text("shape.yaml"), FLOW);
    let first = "before the first change made here";
    assert_eq!(labels().await, ["Typed., taken back", first]);
    assert_eq!(versions().await[1]["is_now"], true);
    write("Other.").await;
    assert_eq!(labels().await, ["Other.", "Typed., taken back", first]);
    let wanted = versions().await[1]["version"].clone();
    let back = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "version": wanted});
    p.ok("workflow.restore", back).await;
    assert_eq!(p.text("shape.yaml"), typed("Typed."));
    // However often: each stands where it was made.
    p.ok("workflow.undo", path()).await;
    p.ok("workflow.undo", path()).await;
    write("Third.").await;
    let all = labels().await;
    let taken: Vec<&String> = all.iter().filter(|label| label.ends_with(", taken back")).collect();
    assert_eq!(
        taken,
        [
            "go back to an earlier version, taken back",
            "Other., taken back",
            "Typed., taken back"
        ]
    );
}

/// What another program did is a version of its own, once, whoever finds it; undo takes back what was done here.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_program_changes_is_found_once_and_is_not_undone() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let path = || json!({"path": "shape.yaml"});
    let labels = async || -> Vec<String> {
        let listed = p.ok("workflow.versions", path()).await;
        let versions = listed["versions"].as_array().expect("versions").iter();
        versions
            .map(|one| one["label"].as_str().expect("a label").to_owned())
            .collect()
    };
    assert_eq!(labels().await, ["as it is"]);
    let titled = |title: &str| FLOW.replace("title: Shape it", &format!("title: {title}"));
    p.write("shape.yaml", &titled("Theirs"));
    let other = p.opened_again();
    let (one, two) = tokio::join!(
        p.studio.rpc("workflow.versions", path()),
        other.rpc("workflow.open", path())
    );
    one.and(two).expect("read");
    let found = ["changed by another program", "before another program changed it"];
    assert_eq!(labels().await, found);
    let first = p.ok("workflow.versions", path()).await["versions"][1]["version"].clone();

    // What is done here goes on it, also where the other program was not noticed before.
    let role = |text: &str| json!([{"kind": "set", "place": {"step": 0, "path": ["role"]}, "value": text}]);
    let of = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "edits": role("Mine."), "label": "mine"});
    p.write("shape.yaml", &titled("Theirs again"));
    let made = p.ok("workflow.edit", of).await;
    assert_eq!((&made["outcome"], &made["merged"]), (&json!("saved"), &json!(true)));
    // What it did in one go is one change, of which the last text is kept.
    assert_eq!(labels().await, [&["mine"][..], &found].concat());
    p.write("shape.yaml", &titled("At last").replace("Write it.", "Mine."));
    assert_eq!(labels().await, [&[found[0], "mine"][..], &found].concat());

    let undone = p.ok("workflow.undo", path()).await;
    assert_eq!(p.text("shape.yaml"), titled("At last"), "{undone}");
    assert_eq!(undone["view"]["undo"], json!(null), "nothing of theirs is undone");
    assert_eq!(labels().await[..2], ["as it is", found[0]]);
    // The other program saves what it had, without having looked: that is a change too.
    p.write("shape.yaml", &titled("At last").replace("Write it.", "Mine."));
    assert_eq!(labels().await[..2], [found[0], "as it was before the next change"]);
    p.write("shape.yaml", &titled("At last"));
    // What was undone can be done again, whatever the other program does meanwhile.
    p.write("shape.yaml", &titled("Really"));
    p.revision("shape.yaml").await;
    p.ok("workflow.redo", path()).await;
    assert_eq!(p.text("shape.yaml"), titled("Really").replace("Write it.", "Mine."));

    let back = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "version": first});
    p.ok("workflow.restore", back).await;
    assert_eq!(p.text("shape.yaml"), FLOW);
    assert_eq!(labels().await[0], "go back to an earlier version");
}

/// A change is found when it happens, not when somebody looks at the file the next time.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_program_changes_is_found_while_the_project_is_open() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("unread.yaml", FLOW);
    let mut notices = p.studio.subscribe();
    p.studio.watch();
    p.revision("shape.yaml").await;
    let mut seen = async |text: &str, path: &str| {
        p.write(path, text);
        noticed_at(&mut notices, path).await;
    };
    let store = store::Store::open(p.folder.path()).expect("its history");
    let noted = |path: &str| store.journal(path).expect("a journal").len();
    // One that is being written is no version, and one that is very large waits until somebody wants it.
    seen("", "shape.yaml").await;
    seen(&format!("{FLOW}{}", "# long\n".repeat(200_000)), "shape.yaml").await;
    assert_eq!(noted("shape.yaml"), 0);
    for title in ["One", "Two"] {
        let text = FLOW.replace("Shape it", title);
        seen(&text, "shape.yaml").await;
        seen(&text, "unread.yaml").await;
    }
    // One text may be told of twice, and the notice that was waited for be that of an earlier one.
    for _ in 0..2_400 {
        if noted("shape.yaml") == 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert_eq!((noted("shape.yaml"), noted("unread.yaml")), (1, 0));
    let titles = async |path: &str| {
        let listed = p.ok("workflow.versions", json!({"path": path})).await;
        let versions = listed["versions"].as_array().expect("versions").clone();
        versions.iter().map(|one| one["label"].clone()).collect::<Vec<_>>()
    };
    let found = "changed by another program";
    assert_eq!(titles("shape.yaml").await, [found, "before another program changed it"]);
    assert_eq!(titles("unread.yaml").await, ["as it is"], "nobody had looked at it");
}

/// What a client asks to undo is what it was offered.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_clients_that_undo_one_change_the_second_takes_back_nothing() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let view = async || p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let edit = async |step: u32, text: &str| {
        let edits = json!([{"kind": "set", "place": {"step": step, "path": ["role"]}, "value": text}]);
        let of = json!({"path": "shape.yaml", "revision": view().await["revision"], "edits": edits, "label": text});
        p.ok("workflow.edit", of).await;
    };
    let undo = |view: &Value| json!({"path": "shape.yaml", "entry": view["undo_entry"]});
    let redo = |view: &Value| json!({"path": "shape.yaml", "entry": view["redo_entry"]});
    edit(0, "First.").await;
    edit(0, "Second.").await;
    let both = view().await;
    let first = FLOW.replace("Write it.", "First.");
    p.ok("workflow.undo", undo(&both)).await;
    assert_eq!(p.text("shape.yaml"), first);
    let again = p.ok("workflow.undo", undo(&both)).await;
    assert_eq!(
        (&again["unchanged"], &again["merged"], &again["left"]),
        (
            &json!(true),
            &json!(false),
            &json!(["“Second.” had been undone already."])
        )
    );
    assert_eq!(p.text("shape.yaml"), first);

    // What other programs write, seen and not seen, stands in nobody's way.
    let titled = |title: &str, text: &str| text.replace("title: Shape it", &format!("title: {title}"));
    p.write("shape.yaml", &titled("Theirs", &first));
    let seen = view().await;
    assert_eq!((&seen["undo"], &seen["redo"]), (&json!("First."), &json!("Second.")));
    p.write("shape.yaml", &titled("Theirs again", &first));
    let made = p.ok("workflow.redo", redo(&seen)).await;
    assert_eq!((&made["merged"], &made["unchanged"]), (&json!(true), &Value::Null));
    assert!(p.text("shape.yaml").contains("Second."));
    let told = p.ok("workflow.redo", redo(&seen)).await;
    assert_eq!(told["left"], json!(["“Second.” had been done again already."]));
    p.ok("workflow.undo", undo(&view().await)).await;
    p.write("shape.yaml", &titled("At last", &first));
    p.ok("workflow.undo", undo(&seen)).await;
    assert_eq!(p.text("shape.yaml"), titled("At last", FLOW));

    // Something else was done here meanwhile: what had been undone is gone, and another change stands in its place.
    let seen = view().await;
    edit(1, "Third.").await;
    assert_eq!(p.code("workflow.redo", redo(&seen)).await, "conflict");
    let third = view().await;
    edit(1, "Fourth.").await;
    let now = p.text("shape.yaml");
    assert_eq!(p.code("workflow.undo", undo(&third)).await, "conflict");
    p.ok("workflow.undo", undo(&view().await)).await;
    p.ok("workflow.undo", undo(&third)).await;
    assert_eq!(
        p.code("workflow.redo", redo(&seen)).await,
        "conflict",
        "of the same place"
    );
    assert_ne!(p.text("shape.yaml"), now);
    // Whoever names none means the last change.
    p.ok("workflow.redo", json!({"path": "shape.yaml"})).await;
    assert!(p.text("shape.yaml").contains("Third."));
}

/// A file that comes after one of its name was removed is told of from its beginning.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_a_file_that_came_again_are_found() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    let view = async || p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    view().await;
    p.ok("workflow.remove", json!({"path": "shape.yaml"})).await;
    p.write("shape.yaml", &FLOW.replace("Write it.", "New."));
    view().await;
    p.write("shape.yaml", &FLOW.replace("Write it.", "Newer."));
    let listed = p.ok("workflow.versions", json!({"path": "shape.yaml"})).await;
    let labels = listed["versions"].as_array().expect("versions").iter();
    let labels: Vec<_> = labels.map(|one| &one["label"]).collect();
    assert_eq!(
        labels,
        [
            "changed by another program",
            "a new file of this name",
            "until it was removed"
        ]
    );
    assert_eq!(view().await["undo"], json!(null));
}

/// A file and a link to it have histories of their own, in which the same was changed here.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_by_a_link_was_changed_by_no_other_program() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    std::os::unix::fs::symlink("shape.yaml", p.folder.path().join("link.yaml")).expect("a link");
    for path in ["shape.yaml", "link.yaml"] {
        p.revision(path).await;
    }
    let edit = async |path: &str, text: &str| {
        let edits = json!([{"kind": "set", "place": {"step": 0, "path": ["role"]}, "value": text}]);
        let of = json!({"path": path, "revision": p.revision(path).await, "edits": edits, "label": text});
        p.ok("workflow.edit", of).await;
    };
    let told = async |path: &str| {
        let listed = p.ok("workflow.versions", json!({"path": path})).await;
        let versions = listed["versions"].as_array().expect("versions").iter();
        let found = |one: &Value| if one["found"] == true { " (found)" } else { "" };
        let told = versions.map(|one| format!("{}{}", one["label"].as_str().expect("a label"), found(one)));
        told.collect::<Vec<_>>()
    };
    edit("link.yaml", "By the link.").await;
    assert_eq!(told("shape.yaml").await[0], "changed as “link.yaml”");
    assert_eq!(told("link.yaml").await[0], "By the link.");
    edit("shape.yaml", "Itself.").await;
    assert_eq!(
        told("link.yaml").await[..2],
        ["changed as “shape.yaml”", "By the link."]
    );
    p.write("shape.yaml", FLOW);
    for path in ["shape.yaml", "link.yaml"] {
        assert_eq!(told(path).await[0], "changed by another program (found)", "{path}");
    }
}

/// What a run did becomes a scenario beside the workflow, which does it again; it is changed as a table, and undo takes that back.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_recorded_as_a_scenario_that_does_the_same_and_is_changed_as_a_table() {
    let p = Project::new();
    let looped = FLOW.replace("  - id: check", "    retries: {max: 1}\n  - id: check").replace(
        "routing: {kind: linear}\n",
        "human_gate: required\n    routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, loop_success_values: [GOOD]}\n",
    );
    p.write("shape.yaml", &looped);
    p.write(
        "shape.scenario.yaml",
        "name: first\nsteps:\n  draft: [{artifacts: {out/a.md: 'A text.'}, output: 'It is ghp_abcdefghijklmnopqrstuvwxyz0123456789'}, {status: failed, error: no paper, attempts: [{status: failed, error: no paper}, {output: At last.}]}]\n  check: [{report: {verdict: BAD}}, {report: {verdict: GOOD}, output: Fine.}]\ngates: {check: [{answer: approve, by: ada, comment: 'good: now'}]}\n",
    );
    let start = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let id = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("a run")
        .to_owned();
    for _ in 0..2_400 {
        if p.studio.has_ended(&id).expect("known") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    let record = json!({"run_id": id, "name": "What happened: once"});
    let made = p.ok("scenario.record", record.clone()).await;
    let scenario = made["path"].as_str().expect("a path").to_owned();
    assert_eq!(scenario, "shape.scenarios/what-happened-once.yaml");
    assert_eq!(p.code("scenario.record", record).await, "name_taken");
    let text = p.text(&scenario);
    for part in [
        "name: \"What happened: once\"\n",
        "    - report:\n        verdict: BAD\n",
        "out/a.md: A text.",
        "comment: \"good: now\"",
        "status: succeeded\n",
        "One text is left out",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("ghp_"), "{text}");
    let tests = p.ok("workflow.tests", json!({"path": "shape.yaml"})).await;
    let played = tests["tests"].as_array().expect("tests");
    let played = played
        .iter()
        .find(|one| one["origin"] == scenario.as_str())
        .expect("it is tried");
    assert_eq!(played["passed"], true, "{played}\n{text}");

    // As a table.
    let of = json!({"path": "shape.yaml", "scenario": scenario});
    let table = p.ok("scenario.table", of.clone()).await;
    let rows = table["rows"].as_array().expect("rows").clone();
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["form"]["kind"].as_str()).collect();
    assert_eq!(
        kinds,
        ["scenario", "visit", "visit", "visit", "visit", "answer", "end"],
        "{text}"
    );
    assert_eq!((&table["problem"], &table["undo"]), (&Value::Null, &Value::Null));
    let field = |row: &Value, name: &str| {
        let fields = row["form"]["fields"].as_array().expect("fields");
        fields
            .iter()
            .find(|field| field["name"] == name)
            .expect("the field")
            .clone()
    };
    let report = field(&rows[3], "report");
    assert_eq!(report["value"], json!({"verdict": "BAD"}));
    let mut place = report["place"].clone();
    place["path"].as_array_mut().expect("keys").push(json!("verdict"));
    let added = table["add"].as_array().expect("what can be added");
    let added = added
        .iter()
        .find(|one| one["step"]["id"] == "check" && one["is_gate"] == false)
        .expect("a visit");
    assert_eq!(added["nth"], 3);
    let edits = json!([
        {"kind": "set", "place": place, "value": "WORSE"},
        {"kind": "set", "place": added["place"], "value": added["value"]},
    ]);
    let edit = json!({"path": "shape.yaml", "scenario": scenario, "revision": table["revision"], "edits": edits});
    let changed = p.ok("scenario.edit", edit.clone()).await;
    assert_eq!(changed["rows"].as_array().map(Vec::len), Some(8));
    assert_eq!(p.code("scenario.edit", edit).await, "conflict");
    let now = p.text(&scenario);
    assert_eq!(
        now.replace("WORSE", "BAD").lines().count(),
        text.lines().count() + 1,
        "{now}"
    );
    // What cannot be played is refused.
    let bad = json!([{"kind": "set", "place": {"path": ["steps", "check"]}, "value": []}]);
    let edit = json!({"path": "shape.yaml", "scenario": scenario, "revision": changed["revision"], "edits": bad});
    assert_eq!(p.code("scenario.edit", edit).await, "edit_refused");
    p.ok("workflow.undo", json!({"path": scenario})).await;
    assert_eq!(p.text(&scenario), text);

    // It goes and comes back; what is not beside the workflow is no scenario of it.
    p.ok("scenario.remove", of.clone()).await;
    assert!(!p.is_there(&scenario));
    p.ok("workflow.undo", json!({"path": scenario})).await;
    assert_eq!(p.text(&scenario), text);
    let other = json!({"path": "shape.yaml", "scenario": "shape.yaml"});
    assert_eq!(p.code("scenario.remove", other).await, "not_found");
    let empty = p
        .ok("scenario.create", json!({"path": "shape.yaml", "name": "Empty"}))
        .await;
    assert_eq!(p.text(empty["path"].as_str().expect("a path")), "name: Empty\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gates_before_a_step_are_named_with_the_way_past_them() {
    let p = Project::new();
    let flow = "\
key: letters
title: Letters
steps:
  - id: triage
    agents: [clerk]
    routing:
      kind: branch
      branches: {small: publish}
      next: approve
  - id: approve
    agents: [lawyer]
    human_gate: required
    routing: {kind: linear, next: publish}
  - id: publish
    agents: [clerk]
    routing: {kind: linear}
";
    p.write("letters.flow.yaml", flow);
    let ask = async |step: &str| {
        let of = json!({"path": "letters.flow.yaml", "step": step});
        p.ok("workflow.gates_before", of).await
    };
    let view = ask("publish").await;
    let words = "A way leads here past every gate: “Triage” → “Publish”. Other ways pass “Approve”.";
    assert_eq!(view["words"], words);
    assert_eq!(view["open"][0]["id"], "triage");
    assert_eq!(view["gates"][0]["id"], "approve");
    assert_eq!(
        ask("triage").await["words"],
        "The run begins here: nobody is asked before."
    );
    p.write(
        "letters.flow.yaml",
        &flow.replace("{small: publish}", "{small: approve}"),
    );
    assert_eq!(
        ask("publish").await["words"],
        "Every way here passes the gate at “Approve”."
    );
    p.write("gatehouse.yaml", "hitl: {mode: 'off'}\n");
    assert_eq!(
        ask("publish").await["words"],
        "No gate stands before this step: “Triage” → “Approve” → “Publish”."
    );
    let of = json!({"path": "letters.flow.yaml", "step": "gone"});
    assert_eq!(p.code("workflow.gates_before", of).await, "not_found");
    // A runbook has no gates: what a person does there is work.
    let runbook = "# R\n\n## 1 Look\n\nIs it fine?\n\n- YES: CONTINUE\n- NO: STOP\n\n## 2 Send\n\nSend it.\n";
    p.write("r.runbook.md", runbook);
    let of = json!({"path": "r.runbook.md", "step": "2"});
    assert_eq!(
        p.ok("workflow.gates_before", of).await["words"],
        "There are no gates here. On every way here a person does “Look” and says how it went."
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn links_lead_to_no_file_that_is_not_of_the_workflow() {
    use std::os::unix::fs::symlink;
    let p = Project::new();
    let outside = tempfile::tempdir().expect("a temporary folder");
    let at = |path: &str| p.folder.path().join(path);
    p.write("shape.yaml", FLOW);
    p.write("gatehouse.yaml", "permissions: {mode: deny}\n");
    p.write("shape.scenarios/own.yaml", "name: own\n");
    symlink("../gatehouse.yaml", at("shape.scenarios/l.yaml")).expect("a link");
    let config = p.text("gatehouse.yaml");
    for scenario in ["gatehouse.yaml", "shape.scenarios/l.yaml"] {
        let revision = store::digest_of(config.as_bytes()).to_string();
        let edits = json!([{"kind": "set", "place": {"path": ["permissions", "mode"]}, "value": "allow"}]);
        let of = json!({"path": "shape.yaml", "scenario": scenario, "revision": revision, "edits": edits});
        let code = p.code("scenario.edit", of.clone()).await;
        assert!(["not_found", "refused:linked"].contains(&code.as_str()), "{code}");
        let code = p.code("scenario.remove", of).await;
        assert!(["not_found", "refused:linked"].contains(&code.as_str()), "{code}");
    }
    // A workflow that is a link to it.
    symlink("gatehouse.yaml", at("linked.yaml")).expect("a link");
    let revision = store::digest_of(config.as_bytes()).to_string();
    let of = json!({"path": "linked.yaml", "revision": revision, "text": FLOW});
    p.code("workflow.write", of).await;
    assert_eq!(p.text("gatehouse.yaml"), config);

    // Where a folder on the way is a link to elsewhere, nothing is made.
    symlink(outside.path(), at("out")).expect("a link");
    for folder in ["out", "out/sub"] {
        let of = json!({"format": "flow", "name": "Escaped", "folder": folder});
        assert_eq!(p.code("workflow.create", of).await, "outside_project");
    }
    p.write("other.yaml", &FLOW.replace("key: shape", "key: other"));
    symlink(outside.path(), at("other.scenarios")).expect("a link");
    let of = json!({"path": "other.yaml", "name": "Escaped"});
    assert_eq!(p.code("scenario.create", of).await, "outside_project");
    assert_eq!(std::fs::read_dir(outside.path()).expect("a folder").count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_removed_stays_among_the_versions_of_whatever_takes_its_name() {
    let p = Project::new();
    p.write("keep-me.yaml", FLOW);
    p.ok("workflow.remove", json!({"path": "keep-me.yaml"})).await;
    let of = json!({"format": "flow", "name": "Keep me"});
    assert_eq!(p.ok("workflow.create", of).await["path"], "keep-me.yaml");
    let now = p.ok("workflow.open", json!({"path": "keep-me.yaml"})).await;
    // What was done to the other one is not undone on this one.
    assert_eq!(now["undo"], Value::Null);
    assert_eq!(
        p.code("workflow.undo", json!({"path": "keep-me.yaml"})).await,
        "refused:nothing_to_undo"
    );
    let edits = json!([{"kind": "set", "place": {"step": 0, "path": ["role"]}, "value": "Write."}]);
    let of = json!({"path": "keep-me.yaml", "revision": now["revision"], "edits": edits, "label": "a role"});
    p.ok("workflow.edit", of).await;
    let found = p.ok("workflow.versions", json!({"path": "keep-me.yaml"})).await;
    let labels: Vec<&str> = found["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .filter_map(|one| one["label"].as_str())
        .collect();
    assert_eq!(labels, ["a role", "a new file of this name", "until it was removed"]);
    let old = found["versions"][2]["version"].clone();
    let revision = p.revision("keep-me.yaml").await;
    let of = json!({"path": "keep-me.yaml", "revision": revision, "version": old});
    p.ok("workflow.restore", of).await;
    assert_eq!(p.text("keep-me.yaml"), FLOW);
    // A version of another file is none of this one.
    p.write("other.yaml", "key: other\nsteps: [{id: a}]\n");
    let of = json!({"path": "keep-me.yaml", "revision": p.revision("keep-me.yaml").await, "version": p.revision("other.yaml").await});
    assert_eq!(p.code("workflow.restore", of).await, "unknown_revision");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_keeps_its_permissions_and_only_workflows_are_removed() {
    use std::os::unix::fs::PermissionsExt as _;
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\n");
    let at = |path: &str| p.folder.path().join(path);
    let mode = |path: &str| std::fs::metadata(at(path)).expect("there").permissions().mode() & 0o777;
    std::fs::set_permissions(at("shape.yaml"), std::fs::Permissions::from_mode(0o600)).expect("set");
    let table = p
        .ok(
            "scenario.table",
            json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"}),
        )
        .await;
    let edits = json!([{"kind": "set", "place": {"path": ["name"]}, "value": "better"}]);
    let of =
        json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml", "revision": table["revision"], "edits": edits});
    p.ok("scenario.edit", of).await;
    let placed = p
        .ok("workflow.rename", json!({"path": "shape.yaml", "name": "Form it"}))
        .await;
    assert_eq!(
        (placed["path"].as_str(), mode("form-it.yaml")),
        (Some("form-it.yaml"), 0o600)
    );
    // The undo of a scenario goes along.
    p.ok("workflow.undo", json!({"path": "form-it.scenario.yaml"})).await;
    assert_eq!(p.text("form-it.scenario.yaml"), "name: fine\n");

    std::fs::set_permissions(at("form-it.yaml"), std::fs::Permissions::from_mode(0o444)).expect("set");
    let of = json!({"path": "form-it.yaml", "revision": p.revision("form-it.yaml").await, "text": "key: x\n"});
    assert_eq!(p.code("workflow.write", of).await, "read_only");
    for file in ["desk.sh", ".bashrc", "Makefile", "README.txt"] {
        p.write(file, "echo 'not: [yaml\n");
        let code = p.code("workflow.remove", json!({"path": file})).await;
        assert_eq!(code, "refused:no_workflow", "{file}");
        assert!(p.is_there(file));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_that_is_gone_stops_no_undo() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\nsteps: {check: [{}]}\n");
    let rename = json!([{"kind": "set", "place": {"step": 1, "path": ["id"]}, "value": "verify"}]);
    let of = json!({"path": "shape.yaml", "revision": p.revision("shape.yaml").await, "edits": rename});
    p.ok("workflow.edit", of).await;
    std::fs::remove_file(p.folder.path().join("shape.scenario.yaml")).expect("removed");
    let undone = p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(
        undone["left"],
        json!(["The scenario shape.scenario.yaml belongs to this change and is not there any more."])
    );
    assert_eq!(p.text("shape.yaml"), FLOW);

    // Going back to a version with other ids takes the scenarios along, too.
    p.write("shape.scenario.yaml", "name: fine\nsteps: {check: [{}]}\n");
    let first = p.revision("shape.yaml").await;
    let of = json!({"path": "shape.yaml", "revision": first, "edits": rename_of("verify")});
    p.ok("workflow.edit", of).await;
    let now = p.revision("shape.yaml").await;
    let told = p
        .ok(
            "workflow.compare",
            json!({"path": "shape.yaml", "left": now, "right": first}),
        )
        .await;
    assert_eq!(told["entails"], json!(["The scenario shape.scenario.yaml follows."]));
    let of = json!({"path": "shape.yaml", "revision": now, "version": first});
    p.ok("workflow.restore", of).await;
    assert_eq!(p.text("shape.scenario.yaml"), "name: fine\nsteps: {check: [{}]}\n");
}

fn rename_of(id: &str) -> Value {
    json!([{"kind": "set", "place": {"step": 1, "path": ["id"]}, "value": id}])
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_runbook_whose_steps_were_numbered_anew_only_what_was_done_is_told() {
    let p = Project::new();
    let before = "# Release\n\n## 1. Build\n\nBuild it.\n\n- PASS: CONTINUE\n\n## 2. Check\n\nCheck it.\n\n## 3. Ship\n\nShip it.\n";
    p.write("release.runbook.md", before);
    let first = p.revision("release.runbook.md").await;
    let after = before.replace("# Release", "# Rollout").replace(
        "## 1. Build\n\nBuild it.\n\n- PASS: CONTINUE\n\n## 2. Check\n\nCheck it.\n\n## 3. Ship",
        "## 1. Announce\n\nSay it.\n\n## 2. Build\n\nBuild it.\n\n- PASS: CONTINUE\n\n## 3. Check\n\nCheck it.\n\n## 4. Ship",
    );
    p.write("release.runbook.md", &after);
    let of = json!({"path": "release.runbook.md", "left": first});
    let told = p.ok("workflow.compare", of).await;
    let differences: Vec<(&str, &Value)> = told["differences"]
        .as_array()
        .expect("differences")
        .iter()
        .map(|one| (one["step"]["name"].as_str().unwrap_or_default(), &one["what"]))
        .collect();
    assert_eq!(differences, [("Announce", &json!(["added"]))], "{told}");
    assert_eq!(told["elsewhere"], json!(["Title"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_is_renamed_keeps_its_runs_and_they_lead_to_it() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\n");
    let start = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let id = p.ok("run.start", start).await["run_id"].clone();
    p.ok("workflow.rename", json!({"path": "shape.yaml", "name": "Form it"}))
        .await;
    p.ok("workflow.move", json!({"path": "form-it.yaml", "folder": "later"}))
        .await;
    // Another workflow takes the old name.
    p.write("shape.yaml", &FLOW.replace("Shape it", "Another one"));
    let view = p.ok("workflow.open", json!({"path": "later/form-it.yaml"})).await;
    assert_eq!(view["runs"][0]["run_id"], id);
    assert_eq!(view["runs"][0]["workflow_path"], "later/form-it.yaml");
    let other = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    assert_eq!(other["runs"], json!([]));
    let run = p.ok("run.view", json!({"run_id": id})).await;
    assert_eq!(run["workflow_path"], "later/form-it.yaml");
    for _ in 0..2_400 {
        if p.studio.has_ended(id.as_str().expect("an id")).expect("known") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    // What is made of a run lies beside its workflow, wherever that stands.
    let kept = p.ok("scenario.record", json!({"run_id": id, "name": "Once"})).await;
    assert_eq!(kept["path"], "later/form-it.scenarios/once.yaml");
    let found = p.ok("workflow.versions", json!({"path": "later/form-it.yaml"})).await;
    assert!(found["versions"].to_string().contains("\"runs\":1"), "{found}");
}

/// A run may go round, and steps may bear one name.
#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_s_path_names_a_step_more_than_once_and_tells_steps_of_one_name_apart() {
    let p = Project::new();
    let named = FLOW.replace("    agents: [author]\n", "    name: Look\n    agents: [author]\n");
    let named = named.replace("    agents: [critic]\n", "    name: Look\n    agents: [critic]\n");
    p.write("shape.yaml", &named);
    p.write(
        "shape.scenario.yaml",
        "name: fine\nexpect: {path: [draft, check, draft]}\n",
    );
    let of = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let table = p.ok("scenario.table", of).await;
    assert_eq!(
        table["known"][0]["names"],
        json!([["draft", "Look (1)"], ["check", "Look (2)"]])
    );
    let rows = table["rows"].as_array().expect("rows").iter();
    let mut fields = rows.flat_map(|row| row["form"]["fields"].as_array().expect("fields"));
    let path = fields.find(|field| field["name"] == "path").expect("the path");
    assert_eq!(
        (&path["control"], &path["value"]),
        (
            &json!({"kind": "several", "of": "step", "again": true}),
            &json!(["draft", "check", "draft"])
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_another_program_renamed_is_found_by_its_id() {
    let p = Project::new();
    p.write("shape.yaml", FLOW);
    p.write("shape.scenario.yaml", "name: fine\n");
    let start = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let id = p.ok("run.start", start).await["run_id"].clone();
    let runs = |view: &Value| {
        let runs = view["runs"].as_array().expect("its runs");
        runs.iter().map(|run| run["run_id"].clone()).collect::<Vec<_>>()
    };
    // A copy beside it is another one: the run has its file.
    p.write("copy.yaml", FLOW);
    assert_eq!(
        runs(&p.ok("workflow.open", json!({"path": "copy.yaml"})).await),
        Vec::<Value>::new()
    );
    std::fs::remove_file(p.folder.path().join("copy.yaml")).expect("removed");

    let place = |name: &str| p.folder.path().join(name);
    std::fs::rename(place("shape.yaml"), place("paint.yaml")).expect("renamed");
    let open = json!({"path": "paint.yaml"});
    assert_eq!(runs(&p.ok("workflow.open", open).await), std::slice::from_ref(&id));
    let library = p.ok("library.list", json!({})).await;
    assert_eq!(
        library["folders"][0]["workflows"][0]["last_run"]["run_id"], id,
        "{library}"
    );
    let gone = p.call("workflow.open", json!({"path": "shape.yaml"})).await;
    let gone = gone.expect_err("it is not there");
    assert_eq!(
        (gone.code.as_str(), gone.hint.as_deref()),
        (
            "not_found",
            Some("paint.yaml has the same id, shape: it may be this workflow under another name.")
        )
    );
    // With a run of its own it keeps the earlier ones.
    p.write("paint.scenario.yaml", "name: fine\n");
    let start = json!({"path": "paint.yaml", "scenario": "paint.scenario.yaml"});
    let own = p.ok("run.start", start).await["run_id"].clone();
    let all = runs(&p.ok("workflow.open", json!({"path": "paint.yaml"})).await);
    assert!(all.len() == 2 && all.contains(&own) && all.contains(&id), "{all:?}");
}

/// The card of a workflow counts what all its open runs ask, wherever its file stood when they began.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_counts_the_questions_of_every_open_run() {
    let p = Project::new();
    p.write(
        "ask.yaml",
        "key: ask\ntitle: Ask\nsteps:\n- {id: a, agents: [w], human_gate: required, gate_at: before}\n",
    );
    let rehearse = async |path: &str| {
        let started = p.ok("run.start", json!({"path": path, "rehearse": true})).await;
        let run = started["run_id"].as_str().expect("an id").to_owned();
        p.until(&run, |view| !view["waiting"].is_null()).await;
    };
    let waiting = async || {
        let library = p.ok("library.list", json!({})).await;
        library["folders"][0]["workflows"][0]["waiting"].clone()
    };
    rehearse("ask.yaml").await;
    rehearse("ask.yaml").await;
    assert_eq!(waiting().await, 2);
    // Another program gives the file another name.
    let place = |name: &str| p.folder.path().join(name);
    std::fs::rename(place("ask.yaml"), place("question.yaml")).expect("renamed");
    assert_eq!(waiting().await, 2, "not those of the last run alone");
    rehearse("question.yaml").await;
    assert_eq!(waiting().await, 3);
    // Of two files with one id only one can be that file.
    std::fs::copy(place("question.yaml"), place("second.yaml")).expect("copied");
    let library = p.ok("library.list", json!({})).await;
    let cards = library["folders"][0]["workflows"].as_array().expect("cards").iter();
    let counts: Vec<_> = cards.map(|card| (&card["path"], &card["waiting"])).collect();
    assert_eq!(
        counts,
        [(&json!("question.yaml"), &json!(3)), (&json!("second.yaml"), &json!(0))]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_under_the_id_of_a_gate_belongs_to_its_step() {
    let p = Project::new();
    let gated = FLOW.replace(
        "    agents: [critic]\n",
        "    agents: [critic]\n    human_gate: required\n",
    );
    p.write("shape.yaml", &gated);
    p.write(
        "shape.scenario.yaml",
        "name: fine\ngates: {'shape:check:hitl': [{answer: approve}]}\n",
    );
    let of = json!({"path": "shape.yaml", "scenario": "shape.scenario.yaml"});
    let table = p.ok("scenario.table", of).await;
    let answer = &table["rows"][1];
    assert_eq!(
        (&answer["step"]["id"], &table["problem"]),
        (&json!("check"), &Value::Null),
        "{table}"
    );
    let gates: Vec<&Value> = table["add"]
        .as_array()
        .expect("what can be added")
        .iter()
        .filter(|one| one["is_gate"] == true)
        .collect();
    assert_eq!(gates.len(), 1);
    assert_eq!(gates[0]["place"]["path"], json!(["gates", "shape:check:hitl", "1"]));

    // A prompt is answered, too.
    p.write(
        "ask.runbook.md",
        "# Ask\n\n## 1. Look\n\nIs it healthy?\n\n- YES: COMPLETE\n- NO: STOP\n",
    );
    p.write("ask.runbook.scenario.yaml", "name: fine\n");
    let of = json!({"path": "ask.runbook.md", "scenario": "ask.runbook.scenario.yaml"});
    let table = p.ok("scenario.table", of).await;
    assert!(table["add"].to_string().contains("\"answer\":\"pass\""), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_make_the_flow_whose_picture_was_shown() {
    let project = Project::new();
    let answers = json!({
        "kind": "answers",
        "asked": "May it go out?",
        "before": ["Write it", "", "Check it"],
        "after": ["Send it"],
        "again": true,
    });
    let of = json!({"format": "flow", "name": "Send an offer", "from": answers});
    let sketch = project.ok("workflow.sketch", of.clone()).await;
    assert!(!project.is_there("send-an-offer.yaml"), "nothing is written");
    let names = |faces: &Value| -> Vec<String> {
        let faces = faces.as_array().expect("faces").iter();
        faces
            .map(|face| face["step"]["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names(&sketch["faces"]), ["Write it", "Check it", "Send it"]);
    assert_eq!(sketch["steps"], 3);

    let made = project.ok("workflow.create", of).await;
    assert_eq!(made["path"], "send-an-offer.yaml");
    let view = project.ok("workflow.open", json!({"path": "send-an-offer.yaml"})).await;
    assert_eq!(names(&view["faces"]), names(&sketch["faces"]));
    let text = project.text("send-an-offer.yaml");
    assert!(
        text.contains("gate_question: \"May it go out?\"\n    on_reject: write_it\n"),
        "{text}"
    );

    // Only a flow is made of answers, and not of more than a person looks over.
    let pipeline = json!({"format": "pipeline", "name": "Another", "from": {"kind": "answers", "asked": "", "before": [], "after": [], "again": false}});
    assert_eq!(project.code("workflow.sketch", pipeline).await, "bad_parameters");
    let many: Vec<String> = (0..21).map(|n| format!("Step {n}")).collect();
    let long =
        json!({"name": "Long", "from": {"kind": "answers", "asked": "", "before": many, "after": [], "again": false}});
    assert!(project.code("workflow.create", long).await.starts_with("edit_refused:"));
    assert!(!project.is_there("long.yaml"));
}

/// What a file calls `routing.loop_target` stands in the form as “Back to”: a problem says so too.
#[tokio::test(flavor = "multi_thread")]
async fn a_problem_names_the_field_as_the_form_does() {
    let flow = "key: letter\ntitle: Letter\nsteps:\n  - {id: draft, agents: [a], routing: {kind: linear, next: check}}\n  - id: check\n    agents: [a]\n    \
                human_gate: perhaps\n    routing: {kind: microloop, loop_target: nowhere, loop_condition_field: status, loop_success_values: [PASS],\n      \
                max_iteration: 2}\n";
    let p = Project::of(&[("letter.yaml", flow)]);
    let view = p.ok("workflow.open", json!({"path": "letter.yaml"})).await;
    let problems = view["problems"].as_array().expect("problems").iter();
    let told: Vec<String> = problems
        .map(|one| format!("{} {}", one["code"], one["field"]).replace('"', ""))
        .collect();
    for one in ["GH0001 Back to", "GH0109 Ask a person", "GH0503 null"] {
        assert!(told.iter().any(|told| told == one), "{one}: {told:?}");
    }
}

/// A stage is offered the stages that it can wait for: neither itself nor what waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn no_stage_is_offered_to_wait_for_itself() {
    let p = Project::new();
    let stage = |(name, waits): (&str, &str)| format!("- {{name: {name}, agents: [x], depends_on: [{waits}]}}\n");
    let stages = [("a", ""), ("b", "a"), ("c", "b"), ("d", "")].map(stage).concat();
    let text = format!("name: P\nstages:\n{stages}");
    std::fs::write(p.folder.path().join("p.yaml"), text).expect("written");
    let form = p.ok("workflow.form", json!({"path": "p.yaml", "step": 1})).await;
    let known = form["known"]
        .as_array()
        .expect("names")
        .iter()
        .find(|one| one["of"] == "step");
    assert_eq!(known.expect("stages")["names"], json!([["a", "a"], ["d", "d"]]));
}

/// Whoever has just made a folder has nobody to trust: what they are asked waits for something that could run.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_whether_they_trust_an_empty_folder() {
    let p = Project::new();
    let trust = async || p.ok("settings.get", json!({})).await["trust"].clone();
    assert_eq!(
        trust().await,
        json!({"trusted": false, "asked": false, "bare": true, "lost": null})
    );
    p.write("shape.yaml", FLOW);
    assert_eq!(trust().await, json!({"trusted": false, "asked": false, "lost": null}));
}

/// What somebody has just made in a folder that was empty needs no question either, and is theirs from the first start on.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_whether_they_trust_what_they_have_just_made() {
    let p = Project::new();
    let trust = async || p.ok("settings.get", json!({})).await["trust"].clone();
    let made = p
        .ok("workflow.create", json!({"format": "runbook", "name": "Look"}))
        .await;
    let path = made["path"].as_str().expect("a path").to_owned();
    let can_start = async || p.ok("run.brief", json!({"path": path})).await["trusted"].clone();
    assert_eq!(trust().await["bare"], true);
    assert_eq!(can_start().await, true);

    // What comes beside it is somebody else's.
    p.write("theirs.sh", "echo theirs");
    assert_eq!(trust().await, json!({"trusted": false, "asked": false, "lost": null}));
    assert_eq!(can_start().await, false);
    assert_eq!(p.code("run.start", json!({"path": path})).await, "refused:not_trusted");
    std::fs::remove_file(p.folder.path().join("theirs.sh")).expect("removed");
    assert_eq!(trust().await["bare"], true);

    p.ok("run.start", json!({"path": path})).await;
    assert_eq!(trust().await, json!({"trusted": true, "asked": true, "lost": null}));
}

/// What was there before, came from elsewhere or was made of it is not what they have made.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_from_elsewhere_is_asked_about_whoever_puts_it_there() {
    let is_asked = async |p: &Project| {
        let trust = p.ok("settings.get", json!({})).await["trust"].clone();
        trust == json!({"trusted": false, "asked": false, "lost": null})
    };
    let brought = Project::new();
    let from = json!({"kind": "text", "text": FLOW});
    let of = json!({"format": "flow", "name": "Shape", "from": from});
    brought.ok("workflow.create", of).await;
    assert!(is_asked(&brought).await);

    let copied = Project::new();
    copied.write("theirs.yaml", FLOW);
    let from = json!({"kind": "workflow", "path": "theirs.yaml"});
    copied
        .ok("workflow.create", json!({"name": "Mine", "from": from}))
        .await;
    std::fs::remove_file(copied.folder.path().join("theirs.yaml")).expect("removed");
    assert!(is_asked(&copied).await);

    let mut again = Project::new();
    again
        .ok("workflow.create", json!({"format": "flow", "name": "Shape"}))
        .await;
    again.reopen();
    assert!(is_asked(&again).await, "another start of the program has not made it");
}
