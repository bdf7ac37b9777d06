//! Scenarios as tests, as a window uses them: listed, tried, started, watched.

use crate::project::Project;
use serde_json::{Value, json};
use std::path::Path;
use studio::scenario;

/// Were its blocks carried out, a file would be there.
const RUNBOOK: &str = "\
---
name: release
scenarios:
  goes-out:
    description: Everything goes well
    commands:
      - rd run release.runbook.md
      - rd yes
    result: COMPLETE
  sent-elsewhere:
    commands:
      - rd run --prompted release.runbook.md
      - rd goto 2
      - rd goto 1
      - rd fail
      - rd pass
      - rd no
      - rd pass
    result: STOP
  wrong:
    commands:
      - rd run --prompted release.runbook.md
      - rd pass
    result: COMPLETE
  unreadable:
    result: COMPLETE
---
# Release

## 1 Build
```sh
touch built.txt
```

- FAIL: RETRY 1 GOTO Clean

## 2 Announce?
Is everybody told?

- YES: COMPLETE \"it is out\"
- NO: GOTO Clean

## Clean
```sh
touch cleaned.txt
```

- PASS: STOP \"taken back\"
";

impl Project {
    /// Starts a scenario and waits for its end.
    async fn play(&self, scenario: &str) -> Value {
        let of = json!({"path": "release.runbook.md", "scenario": scenario});
        let run = self.ok("run.start", of).await["run_id"].clone();
        self.until(run.as_str().expect("an id"), |view| view["ended_at"].is_number())
            .await
    }

    fn is_untouched(&self) -> bool {
        !self.is_there("built.txt") && !self.is_there("cleaned.txt")
    }
}

fn ids(steps: &Value) -> Vec<&str> {
    let steps = steps.as_array().expect("a list");
    steps.iter().filter_map(|step| step["id"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn scenarios_are_listed_with_their_verdicts() {
    let p = Project::of(&[("release.runbook.md", RUNBOOK)]);
    let view = p.ok("workflow.tests", json!({"path": "release.runbook.md"})).await;
    assert_eq!((&view["passed"], &view["failed"]), (&json!(2), &json!(2)));
    let tests = view["tests"].as_array().expect("a list");
    assert_eq!(tests[0]["line"], 4);
    assert_eq!(tests[0]["result"], "COMPLETE");
    assert_eq!(ids(&tests[0]["path"]), ["1", "2"]);
    assert_eq!(tests[0]["start"], "release.runbook.md#goes-out");
    assert_eq!(ids(&tests[1]["path"]), ["1", "1", "2", "Clean"]);
    assert_eq!(tests[1]["stations"][1]["at"]["id"], "2");
    let words = tests[2]["words"].as_str().expect("text");
    assert!(
        words.contains("waits at “Announce?” (2); COMPLETE was expected"),
        "{words}"
    );
    assert_eq!(tests[3]["start"], Value::Null);
    assert!(p.is_untouched());
}

#[tokio::test(flavor = "multi_thread")]
async fn coverage_and_the_next_scenario_are_shown() {
    let p = Project::of(&[("release.runbook.md", RUNBOOK)]);
    let view = p.ok("workflow.tests", json!({"path": "release.runbook.md"})).await;
    assert_eq!(
        view["steps"],
        json!({"seen": 3, "of": 3}),
        "Clean was come to by the second scenario"
    );
    let next = &view["next"];
    assert_eq!(next["result"], "STOP");
    let yaml = next["yaml"].as_str().expect("text");
    let text = RUNBOOK.replace("  wrong:\n", &format!("{yaml}  wrong:\n"));
    std::fs::write(p.folder.path().join("release.runbook.md"), text).expect("written");
    let after = p.ok("workflow.tests", json!({"path": "release.runbook.md"})).await;
    assert_eq!(after["passed"], 3);
    let seen = |view: &Value| view["edges"]["seen"].as_u64().expect("a number");
    assert_eq!(
        seen(&after),
        seen(&view) + next["edges"].as_array().expect("a list").len() as u64
    );
    assert_eq!(after["next"], Value::Null, "{}", after["words"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_of_the_file_itself_can_be_watched() {
    let p = Project::of(&[("release.runbook.md", RUNBOOK)]);
    p.ok("settings.set", json!({"name": "Ada"})).await;
    let open = p.ok("workflow.open", json!({"path": "release.runbook.md"})).await;
    let listed: Vec<(&str, bool)> = open["scenarios"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|s| (s["path"].as_str().unwrap_or_default(), s["problem"].is_null()))
        .collect();
    assert_eq!(
        listed,
        [
            ("release.runbook.md#goes-out", true),
            ("release.runbook.md#sent-elsewhere", true),
            ("release.runbook.md#wrong", true),
            ("release.runbook.md#unreadable", false),
        ]
    );
    let tests = p.ok("workflow.tests", json!({"path": "release.runbook.md"})).await;
    for (index, status) in [(0, "done"), (1, "failed")] {
        let test = &tests["tests"][index];
        let run = p.play(test["start"].as_str().expect("it can be started")).await;
        assert_eq!(run["status"], status, "{run}");
        let id = run["run_id"].as_str().expect("an id").into();
        assert_eq!(p.studio.differences(&id).expect("readable"), Some(Vec::new()));
        let list = |of: &Value| of.as_array().expect("a list").clone();
        let drawn = list(&run["drawing"]["edges"]);
        // What a person sent elsewhere is drawn as well, and is no edge of the runbook.
        let taken = |sent: bool| {
            let edges = list(&run["edges"]).into_iter().zip(&drawn);
            edges
                .filter(|(edge, drawn)| !list(&edge["taken"]).is_empty() && (drawn["kind"] == "sent") == sent)
                .count()
        };
        assert_eq!(taken(true) > 0, index == 1, "{run}");
        assert_eq!(taken(false), list(&test["edges"]).len(), "{run}");
    }
    assert!(p.is_untouched(), "nothing was carried out");
    let unknown = json!({"path": "release.runbook.md", "scenario": "release.runbook.md#unreadable"});
    let refused = p
        .studio
        .rpc("run.start", unknown)
        .await
        .expect_err("it has no commands");
    assert_eq!(refused.code, "invalid_file");
    assert!(refused.message.contains("neither commands nor steps"), "{refused}");
}

#[test]
fn a_file_is_tested_without_opening_a_project() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("release.runbook.md", RUNBOOK);
    write("broken.runbook.md", "# T\n\n## 1 A\n- PASS: GOTO 9\n\nDo.\n");
    write("notes.yaml", "just: notes\n");
    let at = |name: &str| folder.path().join(name);
    let tested = scenario::trial::test(&at("release.runbook.md"), true).expect("a workflow");
    assert_eq!(tested.tests.expect("it can be run").passed, 2);
    let broken = scenario::trial::test(&at("broken.runbook.md"), true).expect("a workflow");
    assert!(broken.tests.is_none() && !broken.errors.is_empty());
    assert!(scenario::trial::test(&at("notes.yaml"), false).is_none());
    let gone = scenario::trial::test(Path::new("/nowhere/at/all.runbook.md"), true).expect("it was named");
    assert!(gone.unreadable.is_some());
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("readable")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    assert_eq!(names.len(), 3, "nothing was written: {names:?}");
}
