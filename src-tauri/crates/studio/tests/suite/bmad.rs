//! BMAD workflow files as a window uses them: two files shown as one text, of which each stays its own.

use crate::project::Project;
use serde_json::{Value, json};

const FILE: &str =
    "name: weekly-plan\ndescription: Plans a week\nstandalone: true\ninstructions: steps.md\nagent: planner\n";
const STEPS: &str =
    "<workflow>\n<step n=\"1\" goal=\"Plan the week\">\n<ask>Which week?</ask>\nWrite it.\n</step>\n</workflow>\n";

#[tokio::test(flavor = "multi_thread")]
async fn both_files_are_shown_and_each_stays_its_own() {
    let project = Project::of(&[
        ("gatehouse.yaml", "agents: {planner: person}\n"),
        ("workflow.yaml", FILE),
        ("steps.md", STEPS),
    ]);
    let of = || json!({"path": "workflow.yaml"});

    let cards = project.ok("library.list", Value::Null).await;
    let card = &cards["folders"][0]["workflows"][0];
    assert_eq!(
        (&card["steps"], &card["gates"], &card["errors"]),
        (&json!(1), &json!(1), &json!(0)),
        "{card}"
    );
    let view = project.ok("workflow.open", of()).await;
    assert_eq!(view["source"], format!("{FILE}--- # instructions: steps.md\n{STEPS}"));
    assert_eq!(view["steps"][0]["step"]["name"], "Plan the week");

    // A field of the workflow file is changed there, and back.
    let edit = json!({"kind": "set", "place": {"step": null, "path": ["description"]}, "value": "Plans my week"});
    let change = json!({"path": "workflow.yaml", "revision": view["revision"], "edits": [edit]});
    let saved = project.ok("workflow.edit", change).await;
    assert_eq!(saved["outcome"], "saved", "{saved}");
    assert_eq!(
        project.text("workflow.yaml"),
        FILE.replace("Plans a week", "Plans my week")
    );
    assert_eq!(project.text("steps.md"), STEPS);
    project.ok("workflow.undo", of()).await;
    assert_eq!(
        (project.text("workflow.yaml"), project.text("steps.md")),
        (FILE.to_owned(), STEPS.to_owned())
    );
    // A step is not.
    let edit = json!({"kind": "set", "place": {"step": 0, "path": ["name"]}, "value": "x"});
    let change = json!({"path": "workflow.yaml", "revision": view["revision"], "edits": [edit]});
    let refused = project
        .studio
        .rpc("workflow.edit", change)
        .await
        .expect_err("it stands elsewhere");
    assert_eq!(refused.code, "edit_refused:elsewhere", "{refused}");

    // Neither is what somebody types there.
    let typed = format!(
        "{FILE}--- # instructions: steps.md\n{}",
        STEPS.replace("Write it", "Draw it")
    );
    let typed = json!({"path": "workflow.yaml", "revision": view["revision"], "text": typed});
    let refused = project.studio.rpc("workflow.write", typed).await;
    let refused = refused.expect_err("it stands elsewhere");
    assert_eq!(refused.code, "edit_refused:elsewhere", "{refused}");
    assert_eq!(
        (project.text("workflow.yaml"), project.text("steps.md")),
        (FILE.to_owned(), STEPS.to_owned())
    );

    // The list and the run notice a change of the instructions.
    let started = project
        .ok("run.start", json!({"path": "workflow.yaml", "rehearse": true}))
        .await;
    let run = json!({"run_id": started["run_id"]});
    assert_eq!(project.ok("run.view", run.clone()).await["source_changed"], false);
    project.write(
        "steps.md",
        &STEPS.replace("</workflow>", "<step n=\"2\" goal=\"Tell\"/>\n</workflow>"),
    );
    assert_eq!(project.ok("run.view", run.clone()).await["source_changed"], true);
    let cards = project.ok("library.list", Value::Null).await;
    assert_eq!(cards["folders"][0]["workflows"][0]["steps"], 2);
    // Without them the workflow opens with why, and the run is what it was.
    std::fs::remove_file(project.folder.path().join("steps.md")).expect("removed");
    let view = project.ok("workflow.open", of()).await;
    let problem = &view["problems"][0];
    assert_eq!(problem["code"], "GH0420", "{problem}");
    assert!(
        problem["message"]
            .as_str()
            .is_some_and(|said| said.contains("there is no such file")),
        "{problem}"
    );
    assert_eq!(project.ok("run.view", run).await["source_changed"], true);
}
