//! `gatehouse check`: what it says of a project's settings, without which no workflow of it starts.

use serde_json::Value;
use tests::program::Said;
use tests::project::Project;

const FLOW: &str = "key: memo\ntitle: A memo\nsteps:\n  - {id: write, agents: [x], role: Write it}\n";

fn project(settings: &str) -> Project {
    Project::new(&[("flows/memo.yaml", FLOW), ("gatehouse.yaml", settings)]).expect("a project")
}

fn says(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

#[test]
fn settings_that_no_run_accepts_are_an_error_of_every_file_of_the_project() {
    let broken = project("version: 1\npermissions:\n  mode: sometimes\n");
    for asked in [".", "flows", "flows/memo.yaml", "gatehouse.yaml"] {
        let said = says(&broken, &["check", asked]);
        assert_eq!(said.code, Some(2), "{asked}: {}{}", said.out, said.err);
        assert!(
            said.out.contains("gatehouse.yaml:3:3: error: permissions.mode: "),
            "{asked}: {}",
            said.out
        );
        assert!(
            said.out.contains("[GH0117]") && said.out.contains("under `permissions`"),
            "{}",
            said.out
        );
        assert_eq!(said.out.matches("GH0117").count(), 1, "{}", said.out);
    }
    let refused = says(&broken, &["run", "flows/memo.yaml", "--rehearse", "--until-blocked"]);
    assert_ne!(refused.code, Some(0), "a run says the same: {}", refused.out);
    assert!(
        refused.err.contains("gatehouse.yaml:3:3: permissions.mode: "),
        "{}",
        refused.err
    );

    let elsewhere = project("pipelines: {folder: ../beside}\n");
    let said = says(&elsewhere, &["check", "."]);
    assert!(
        said.code == Some(2)
            && said
                .out
                .contains("gatehouse.yaml:1:13: error: `pipelines.folder` is ../beside"),
        "{}",
        said.out
    );
}

#[test]
fn a_setting_without_effect_is_a_warning_in_the_file_that_it_stands_in() {
    let misspelt = project("version: 1\nhitl:\n  mode: blockng\nruntmie: {max_retries: 1}\n");
    std::fs::create_dir(misspelt.root.join("config")).expect("a folder");
    std::fs::write(misspelt.root.join("config/runtime.yaml"), "engine: {workers: 4}\n").expect("a file");
    let said = says(&misspelt, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for line in [
        "config/runtime.yaml:1:1: warning: `engine` has no effect",
        "gatehouse.yaml:3:3: warning: `hitl.mode` is “blockng”",
        "gatehouse.yaml:4:1: warning: `runtmie` means nothing",
        "1 workflow checked: 0 errors, 3 warnings",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    let lines = says(&misspelt, &["check", "--json", "flows"]).out;
    let all: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let paths: Vec<&str> = all.iter().filter_map(|line| line["path"].as_str()).collect();
    assert_eq!(paths, ["flows/memo.yaml", "config/runtime.yaml", "gatehouse.yaml"]);
    assert_eq!(
        (&all[2]["workflow"], &all[2]["warnings"]),
        (&Value::Null, &Value::from(2))
    );

    let well = project("version: 1\n");
    let said = says(&well, &["check", "gatehouse.yaml"]);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), "0 workflows checked: 0 errors, 0 warnings")
    );
}
