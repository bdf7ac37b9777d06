//! The samples that ship: every workflow is free of errors, and every scenario that says how it ends does end so.

use runtime::scenario::Scenario;
use std::path::Path;
use studio::command::StartOf;
use studio::{Client, Identity, Studio};

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_ends_as_it_says() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workflows");
    let copy = tempfile::tempdir().expect("a temporary folder");
    let home = tempfile::tempdir().expect("a temporary folder");
    copy_tree(&samples, copy.path());
    let me = Identity::open_in(home.path(), false).expect("an identity");
    let studio = Studio::open_as(copy.path(), Client::Test, me).expect("a project");

    let library = studio
        .rpc("library.list", serde_json::Value::Null)
        .await
        .expect("the samples can be listed");
    let cards: Vec<&serde_json::Value> = library["folders"]
        .as_array()
        .expect("folders")
        .iter()
        .flat_map(|f| f["workflows"].as_array().expect("workflows"))
        .collect();
    assert!(cards.len() >= 4, "{} samples", cards.len());
    assert_eq!(library["unreadable"], serde_json::json!([]));

    let mut checked = 0;
    for card in cards {
        let path = card["path"].as_str().expect("a path");
        assert_eq!(card["errors"], 0, "{path} has errors");
        assert!(card["gates"].as_u64() > Some(0), "{path} asks nobody");
        let view = studio
            .rpc("workflow.open", serde_json::json!({"path": path}))
            .await
            .expect("it opens");
        for listed in view["scenarios"].as_array().expect("scenarios") {
            let scenario = listed["path"].as_str().expect("a path");
            assert_eq!(listed["problem"], serde_json::Value::Null, "{scenario}");
            let start = StartOf {
                path: path.to_owned(),
                scenario: Some(scenario.to_owned()),
                ..StartOf::default()
            };
            let run = studio.create_run(&start).expect(scenario);
            studio.drive(&run, true, true).await.expect(scenario);
            let (state, _) = studio.store().load(&run).expect("the log");
            let text = std::fs::read_to_string(copy.path().join(scenario)).expect("readable");
            let script = Scenario::parse(Path::new(scenario), &text).expect("a scenario");
            if script.expect.is_some() {
                let differences = script.check(&state);
                assert!(differences.is_empty(), "{scenario}: {differences:?}");
                checked += 1;
            } else {
                assert!(state.waiting().is_some(), "{scenario} leaves the decision to a person");
            }
            let verified = studio.verify_run(run.as_str()).expect(scenario);
            assert!(verified.ok, "{scenario}: {:?}", verified.findings);
        }
    }
    assert!(checked >= 8, "only {checked} scenarios say how they end");
}

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        if entry.file_name().to_string_lossy().starts_with(".gatehouse") {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}
