//! The samples that ship: every workflow is free of errors, and every scenario that says how it ends does end so.

use dialect::Document;
use dialect::session::breaks;
use model::{Format, Workflow};
use runtime::config::Config;
use runtime::rehearsal::coverage::Coverage;
use runtime::rehearsal::{Setting, front, trial};
use runtime::scenario_of;
use std::path::{Path, PathBuf};
use studio::command::{RunAt, StartOf};
use studio::{Client, Identity, Studio};
use tests::ajv::Ajv;

#[tokio::test(flavor = "multi_thread")]
async fn every_scenario_ends_as_it_says() {
    let copy = tempfile::tempdir().expect("a temporary folder");
    let home = tempfile::tempdir().expect("a temporary folder");
    tests::samples::copy_to(copy.path()).expect("copied");
    let me = Identity::open_in(home.path(), false).expect("an identity");
    me.trust(copy.path(), true).expect("trusted");
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

    let (mut checked, mut ajv) = (0, Ajv::start());
    for card in cards {
        let path = card["path"].as_str().expect("a path");
        assert_eq!(card["errors"], 0, "{path} has errors");
        // Runbooks ask in their steps; of the pipelines two have a gate, the others are the templates as they are. Single flows of a list
        // need ask nobody.
        let gates = !["pipelines/", "contracts/renewal/"]
            .iter()
            .any(|kind| path.starts_with(kind));
        let gates = gates && !path.ends_with(".runbook.md");
        assert!(!gates || card["gates"].as_u64() > Some(0), "{path} asks nobody");
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
            let history = store::Store::open(studio.root()).expect("the history");
            let (state, _) = history.load(&run).expect("the log");
            let script = scenario_of(&history, &run).expect("readable").expect(scenario);
            if script.expect.is_some() {
                let text = std::fs::read_to_string(studio.root().join(path)).expect(path);
                let document = dialect::Document::parse(path, &text);
                let differences = script.check(document.workflow(), &state);
                assert!(differences.is_empty(), "{scenario}: {differences:?}");
                checked += 1;
            } else {
                assert!(state.waiting().is_some(), "{scenario} leaves the decision to a person");
            }
            for at in 1..=state.seq {
                let session = studio.session_of(run.as_str(), Some(at)).expect(scenario);
                assert_eq!(breaks(&session), [], "{scenario}, event {at}: {session:#}");
                ajv.give(&session);
            }
            // Taken in as a run it is the same again.
            let session = studio.session_of(run.as_str(), None).expect(scenario);
            let imported = studio.import("session.json", format!("{session:#}")).expect(scenario);
            assert_eq!(
                studio.session_of(imported.as_str(), None).expect(scenario),
                session,
                "{scenario}"
            );
            let verified = studio.verify(RunAt::live(run.as_str())).expect(scenario);
            assert!(verified.ok, "{scenario}: {:?}", verified.findings);
        }
    }
    assert!(checked >= 72, "only {checked} scenarios say how they end");
    assert!(ajv.accepts() > 2_000);
}

/// The scenarios in a runbook's front matter are its tests: each passes, and together they see every step and every edge.
#[test]
fn the_scenarios_of_every_runbook_pass_and_see_all_of_it() {
    let samples = tests::samples::folder();
    let config = Config::load(&samples).expect("gatehouse.yaml");
    let runbooks = runbooks(&samples);
    assert!(runbooks.len() >= 5, "{runbooks:?}");
    for file in &runbooks {
        let (path, text, workflow) = read(&samples, file);
        let document = Document::parse(&path, &text);
        assert_eq!(document.diagnostics(), [], "{path} has problems");
        let setting = Setting::of(&config, &workflow);
        let mut seen = Coverage::default();
        let listed = front::listed(&workflow);
        assert!(!listed.is_empty(), "{path} has no scenarios");
        for scenario in &listed {
            let tried = trial::listed(&workflow, &setting, &path, scenario, &|_| None);
            assert!(tried.passed, "{path}, scenario {}: {}", scenario.name, tried.words);
            assert!(
                scenario.description.is_some(),
                "{path}, scenario {} says not what it shows",
                scenario.name
            );
            seen.absorb(&tried.coverage);
        }
        let missing = Coverage::whole(&workflow).without(&seen);
        let steps = missing
            .steps
            .iter()
            .map(|at| format!("step {}", workflow.steps()[*at].id));
        let flows = workflow.flows();
        let edges = missing.edges.iter().map(|at| format!("edge {:?}", flows[*at]));
        let unseen: Vec<String> = steps.chain(edges).collect();
        assert_eq!(unseen, [] as [String; 0], "{path}: no scenario sees these");
    }
}

/// Every kind of identifier of seed 002 has its example among the samples.
#[test]
fn the_samples_show_every_kind_of_step() {
    let samples = tests::samples::folder();
    let ids: Vec<String> = runbooks(&samples)
        .iter()
        .flat_map(|file| {
            let (_, _, workflow) = read(&samples, file);
            workflow
                .steps()
                .iter()
                .map(|step| step.id.to_string())
                .collect::<Vec<_>>()
        })
        .collect();
    for kind in [
        "1",
        "1.1",
        "5.{n}",
        "{N}",
        "{N}.1",
        "{N}.{n}",
        "Rollback",
        "3.Recent",
        "{N}.Mend",
        "Escalate.Call",
    ] {
        assert!(ids.iter().any(|id| id == kind), "no sample has a step like `{kind}`");
    }
}

fn read(samples: &Path, file: &Path) -> (String, String, Workflow) {
    let path = file
        .strip_prefix(samples)
        .expect("a sample")
        .to_string_lossy()
        .into_owned();
    let text = std::fs::read_to_string(file).expect("readable");
    let workflow = Document::parse(&path, &text).workflow().clone();
    assert_eq!(workflow.format, Format::Rundown, "{path}");
    (path, text, workflow)
}

fn runbooks(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(runbooks(&path));
        } else if path.to_string_lossy().ends_with(".runbook.md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
