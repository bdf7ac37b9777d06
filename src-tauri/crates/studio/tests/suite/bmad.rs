//! BMAD workflow files as a window uses them: two files shown as one text, of which each stays its own.

use serde_json::{Value, json};
use std::path::Path;
use studio::{Client, Identity, Studio};

const FILE: &str =
    "name: weekly-plan\ndescription: Plans a week\nstandalone: true\ninstructions: steps.md\nagent: planner\n";
const STEPS: &str =
    "<workflow>\n<step n=\"1\" goal=\"Plan the week\">\n<ask>Which week?</ask>\nWrite it.\n</step>\n</workflow>\n";

async fn ok(studio: &Studio, method: &str, params: Value) -> Value {
    let said = studio.rpc(method, params).await;
    said.unwrap_or_else(|error| panic!("{method}: {} {error}", error.code))
}

fn write(folder: &Path, file: &str, text: &str) {
    std::fs::write(folder.join(file), text).expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_files_are_shown_and_each_stays_its_own() {
    let (folder, home) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write(folder.path(), "gatehouse.yaml", "agents: {planner: person}\n");
    write(folder.path(), "workflow.yaml", FILE);
    write(folder.path(), "steps.md", STEPS);
    let me = Identity::open_in(home.path(), false).expect("an identity");
    me.trust(folder.path(), true).expect("trusted");
    let studio = Studio::open_as(folder.path(), Client::Test, me).expect("a project");
    let of = || json!({"path": "workflow.yaml"});

    let cards = ok(&studio, "library.list", Value::Null).await;
    let card = &cards["folders"][0]["workflows"][0];
    assert_eq!(
        (&card["steps"], &card["gates"], &card["errors"]),
        (&json!(1), &json!(1), &json!(0)),
        "{card}"
    );
    let view = ok(&studio, "workflow.open", of()).await;
    assert_eq!(view["source"], format!("{FILE}--- # instructions: steps.md\n{STEPS}"));
    assert_eq!(view["steps"][0]["step"]["name"], "Plan the week");

    // A field of the workflow file is changed there, and back.
    let edit = json!({"kind": "set", "place": {"step": null, "path": ["description"]}, "value": "Plans my week"});
    let change = json!({"path": "workflow.yaml", "revision": view["revision"], "edits": [edit]});
    let saved = ok(&studio, "workflow.edit", change).await;
    assert_eq!(saved["outcome"], "saved", "{saved}");
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("readable");
    assert_eq!(read("workflow.yaml"), FILE.replace("Plans a week", "Plans my week"));
    assert_eq!(read("steps.md"), STEPS);
    ok(&studio, "workflow.undo", of()).await;
    assert_eq!(
        (read("workflow.yaml"), read("steps.md")),
        (FILE.to_owned(), STEPS.to_owned())
    );
    // A step is not.
    let edit = json!({"kind": "set", "place": {"step": 0, "path": ["name"]}, "value": "x"});
    let change = json!({"path": "workflow.yaml", "revision": view["revision"], "edits": [edit]});
    let refused = studio
        .rpc("workflow.edit", change)
        .await
        .expect_err("it stands elsewhere");
    assert_eq!(refused.code, "edit_refused:elsewhere", "{refused}");

    // The list and the run notice a change of the instructions.
    let started = ok(&studio, "run.start", json!({"path": "workflow.yaml", "rehearse": true})).await;
    let run = json!({"run_id": started["run_id"]});
    assert_eq!(ok(&studio, "run.view", run.clone()).await["source_changed"], false);
    write(
        folder.path(),
        "steps.md",
        &STEPS.replace("</workflow>", "<step n=\"2\" goal=\"Tell\"/>\n</workflow>"),
    );
    assert_eq!(ok(&studio, "run.view", run.clone()).await["source_changed"], true);
    let cards = ok(&studio, "library.list", Value::Null).await;
    assert_eq!(cards["folders"][0]["workflows"][0]["steps"], 2);
    // Without them the workflow opens with why, and the run is what it was.
    std::fs::remove_file(folder.path().join("steps.md")).expect("removed");
    let view = ok(&studio, "workflow.open", of()).await;
    let problem = &view["problems"][0];
    assert_eq!(problem["code"], "GH0420", "{problem}");
    assert!(
        problem["message"]
            .as_str()
            .is_some_and(|said| said.contains("there is no such file")),
        "{problem}"
    );
    assert_eq!(ok(&studio, "run.view", run).await["source_changed"], true);
}
