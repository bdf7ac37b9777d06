//! Checks of files, with and without the programs they need.

use crate::Project;
use crate::looking::can_look;
use serde_json::json;
use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;
use tool::{Check, CheckOutcome, CheckStatus, Registry};

async fn checked(project: &Project, check: &Check, target: &str) -> CheckOutcome {
    check.run(target, &project.context, pending()).await
}

/// The project with only these programs: name and script.
fn with_programs(project: &mut Project, programs: &[(&str, &str)]) {
    let folder = project.outside("programs");
    std::fs::create_dir_all(&folder).expect("made");
    for (name, script) in programs {
        crate::program(&folder.join(name), &format!("#!/bin/sh\n{script}\n"));
    }
    project.context.environment = vec![("PATH".into(), folder.into_os_string())];
}

/// Whether a program answers on this machine: a stand-in for one that no version has does not.
fn is_there(program: &str) -> bool {
    let asked = std::process::Command::new(program).arg("--version").output();
    asked.is_ok_and(|output| output.status.success())
}

#[tokio::test]
async fn each_text_is_checked_as_a_tool_and_by_its_word() {
    let project = Project::new();
    project.put("good.json", "{\"id\": 1}");
    project.put("bad.json", "{\"id\": 1,\n}");
    project.put("bad.yaml", "a: [1\n");
    project.put("schema.yaml", "required: [name]\n");
    let good = project.answer("validateJson", json!({"path": "good.json"})).await;
    assert_eq!(good, json!({"status": "passed", "message": "", "places": []}));
    let bad = project.call("validateJson", json!({"path": "bad.json"})).await;
    assert!(bad.error.starts_with("line 2: this is no JSON: "), "{}", bad.error);
    assert_eq!(
        (&bad.output["status"], &bad.output["places"][0]["line"]),
        (&json!("failed"), &json!(2))
    );
    assert!(
        project
            .fault("validateYaml", json!({"path": "bad.yaml"}))
            .await
            .contains("this is no YAML")
    );
    for schema in [json!({"required": ["name"]}), json!("schema.yaml")] {
        let fault = project
            .fault("validateJsonSchema", json!({"path": "good.json", "schema": schema}))
            .await;
        assert!(fault.contains("name"), "{fault}");
    }
    let fault = project
        .fault(
            "validateJsonSchema",
            json!({"path": "good.json", "schema": "none.json"}),
        )
        .await;
    assert_eq!(fault, "`none.json` does not exist");
    let fault = project
        .fault("validateJsonSchema", json!({"path": "good.json", "schema": "bad.json"}))
        .await;
    assert!(
        fault.starts_with("the schema `bad.json` cannot be read: line 2: "),
        "{fault}"
    );
    let word = project
        .call("runCheck", json!({"path": "good.json", "check": "yaml"}))
        .await;
    assert!(word.is_completed(), "JSON is YAML");
    let fault = project
        .fault("runCheck", json!({"path": "good.json", "check": "spelling"}))
        .await;
    assert!(
        fault.starts_with("there is no check `spelling`; there are `json`, `yaml`"),
        "{fault}"
    );
}

#[tokio::test]
async fn a_document_is_checked_by_its_template() {
    let project = Project::new();
    project.put("templates/prd.md", "# {{product}}\n\n## Goals\n\n{{goals}}\n");
    project.put("docs/prd.md", "# Lamp\n\n## Goals\n\nLight.\n");
    project.put("docs/draft.md", "# Lamp\n\n## Goals\n\n[TODO]\n");
    let call = |path: &str| json!({"path": path, "template": "templates/prd.md"});
    project.answer("validateMarkdown", call("docs/prd.md")).await;
    let fault = project.fault("validateMarkdown", call("docs/draft.md")).await;
    assert_eq!(fault, "line 5: `[TODO]` is not filled in");
}

#[tokio::test]
async fn no_check_shows_what_a_tool_may_not_read() {
    let mut project = Project::new();
    project.put(".env", "SECRET=hunter2");
    project.link("out", project.outside("outside.txt"));
    with_programs(
        &mut project,
        &[
            ("python3", "cat"),
            ("mypy", "cat $7; exit 1"),
            ("ruff", "exit 1"),
            ("own", "cat $1; exit 1"),
        ],
    );
    let own = Check::Command {
        name: "own".to_owned(),
        line: "own".to_owned(),
    };
    for check in [
        Check::Json,
        Check::Ast,
        Check::Typecheck,
        Check::Lint,
        own,
        Check::SchemaFile(".env".to_owned()),
    ] {
        for target in [".env", "out", "../outside.txt", ".git/config"] {
            let outcome = checked(&project, &check, target).await;
            assert_eq!(outcome.status, CheckStatus::Failed);
            let said = format!("{outcome:?}");
            let why = [
                "is not permitted",
                "leads out of the project",
                "belongs to Gatehouse or Git",
            ];
            assert!(why.iter().any(|why| said.contains(why)), "{said}");
            assert!(!said.contains("hunter2") && !said.contains("not yours"), "{said}");
        }
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_absent_and_never_a_pass() {
    let mut project = Project::new();
    project.put("a.py", "x = 1\n");
    // A stand-in that says itself that there is nothing behind it.
    with_programs(
        &mut project,
        &[("ruff", "echo 'ruff: command not found' >&2; exit 127")],
    );
    let own = Check::Command {
        name: "own".to_owned(),
        line: "no-such-linter --strict".to_owned(),
    };
    for (check, program) in [
        (Check::Ast, "python3"),
        (Check::Typecheck, "mypy"),
        (Check::Lint, "ruff"),
        (own, "no-such-linter"),
    ] {
        let outcome = checked(&project, &check, "a.py").await;
        assert_eq!(outcome.status, CheckStatus::Absent, "{outcome:?}");
        let said = format!("the program `{program}` was looked for and is not on this machine");
        assert!(outcome.message.contains(&said), "{}", outcome.message);
        let tool = project
            .call("runCheck", json!({"path": "a.py", "check": check.name()}))
            .await;
        assert!(!tool.is_completed(), "{tool:?}");
    }
}

#[tokio::test]
async fn python_is_read_by_the_python_that_is_there() {
    let project = Project::new();
    project.put("good.py", "import os\n\ndef f(x: int) -> int:\n    return x\n");
    project.put("bad.py", "x = 1\ndef f(:\n    pass\n");
    project.put("zero.py", "x = '\0'\n");
    // A module of the project does not take the place of the library's.
    project.put("ast.py", "raise SystemExit('taken over')\n");
    let good = checked(&project, &Check::Ast, "good.py").await;
    if !can_look(is_there("python3"), "python3 is not installed") {
        assert_eq!(good.status, CheckStatus::Absent, "{good:?}");
        return;
    }
    assert_eq!(good.status, CheckStatus::Passed, "{good:?}");
    let bad = checked(&project, &Check::Ast, "bad.py").await;
    assert_eq!(
        (bad.status, bad.places[0].line),
        (CheckStatus::Failed, Some(2)),
        "{bad:?}"
    );
    assert!(
        bad.message.starts_with("line 2: this is no Python: "),
        "{}",
        bad.message
    );
    assert_eq!(
        checked(&project, &Check::Ast, "zero.py").await.status,
        CheckStatus::Failed
    );
    assert_eq!(
        project
            .answer("runCheck", json!({"path": "good.py", "check": "ast"}))
            .await["status"],
        "passed"
    );
}

#[tokio::test]
async fn mypy_and_ruff_check_where_they_are_there() {
    let project = Project::new();
    project.put("good.py", "def f(x: int) -> int:\n    return x\n");
    project.put("bad.py", "import os\n\n\ndef f(x: int) -> str:\n    return x\n");
    for (check, program, line) in [(Check::Typecheck, "mypy", 5), (Check::Lint, "ruff", 1)] {
        let (good, bad) = (
            checked(&project, &check, "good.py").await,
            checked(&project, &check, "bad.py").await,
        );
        if can_look(is_there(program), &format!("{program} is not installed")) {
            assert_eq!(good.status, CheckStatus::Passed, "{good:?}");
            assert_eq!((bad.status, bad.places.len()), (CheckStatus::Failed, 1), "{bad:?}");
            assert_eq!(bad.places[0].line, Some(line), "{bad:?}");
        } else {
            assert_eq!(
                (good.status, bad.status),
                (CheckStatus::Absent, CheckStatus::Absent),
                "{good:?}"
            );
        }
    }
    let left: Vec<_> = std::fs::read_dir(project.root())
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "no cache is left: {left:?}");
}

#[tokio::test]
async fn what_a_program_prints_becomes_places() {
    let mut project = Project::new();
    project.put("a.py", "x = 1\n");
    with_programs(
        &mut project,
        &[
            (
                "mypy",
                "for last; do :; done; echo \"$last:3:5: error: wrong\"; echo \"$last:4: note: see\"; echo \"b.py:1:1: error: other\"; exit 1",
            ),
            ("ruff", "echo 'cannot read the configuration' >&2; exit 2"),
        ],
    );
    let outcome = checked(&project, &Check::Typecheck, "./a.py").await;
    assert_eq!(outcome.message, "line 3: error: wrong");
    assert_eq!((outcome.places.len(), outcome.places[0].column), (1, Some(5)));
    let outcome = checked(&project, &Check::Lint, "a.py").await;
    assert_eq!(
        outcome.message,
        "command ended with exit code 2: cannot read the configuration"
    );
}

#[tokio::test]
async fn a_check_of_the_project_gets_the_path_where_it_wants_it() {
    let mut project = Project::new();
    project.put("-n.txt", "dash");
    project.put("folder/a b.txt", "one");
    let checks: BTreeMap<String, String> = [
        (
            "size",
            "sh -c 'test -s \"$1\" || { echo \"$1:1: it is empty\"; exit 1; }' size",
        ),
        ("word", "grep -q one {file}"),
        ("json", "false"),
    ]
    .map(|(name, line)| (name.to_owned(), line.to_owned()))
    .into();
    project.registry = Registry::with_checks(checks.clone());
    project.put("empty", "");
    let call = |path: &str, check: &str| json!({"path": path, "check": check});
    for (path, check, passes) in [
        ("folder/a b.txt", "size", true),
        ("folder/a b.txt", "word", true),
        ("-n.txt", "size", true),
        ("-n.txt", "word", false),
        ("empty", "size", false),
        ("empty", "json", false),
    ] {
        let outcome = project.call("runCheck", call(path, check)).await;
        assert_eq!(outcome.is_completed(), passes, "{path} {check}: {outcome:?}");
    }
    assert_eq!(
        project.fault("runCheck", call("empty", "size")).await,
        "line 1: it is empty"
    );
    assert_eq!(
        Check::of_word("json", &checks).map(|c| matches!(c, Check::Command { .. })),
        Some(true),
        "the project's own counts first"
    );
    assert_eq!(Check::of_word("template", &checks), None);
}

#[tokio::test]
async fn a_check_that_hangs_is_ended() {
    let mut project = Project::new();
    project.put("a.txt", "x");
    project.context.timeout = Duration::from_millis(200);
    let hanging = Check::Command {
        name: "hanging".to_owned(),
        line: "sh -c 'sleep 1000; true'".to_owned(),
    };
    let outcome = checked(&project, &hanging, "a.txt").await;
    assert_eq!(outcome.status, CheckStatus::Failed);
    assert!(
        outcome
            .message
            .starts_with("the check `hanging` did not end within 200 ms"),
        "{}",
        outcome.message
    );
    project.context.policy.run.deny.push("sleep *".to_owned());
    let outcome = checked(&project, &hanging, "a.txt").await;
    assert!(outcome.message.contains("deny rule `sleep *`"), "{}", outcome.message);
}
