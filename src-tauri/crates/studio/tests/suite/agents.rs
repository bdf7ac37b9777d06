//! Who does the work, filled in as a form: what is written, where, and what is refused.

use crate::project::Project;
use serde_json::{Value, json};

const FLOW: &str = "\
key: offer
title: Send an offer
steps:
  - {id: write, agents: [author], role: Writes it., routing: {kind: linear, next: check}}
  - {id: check, agents: [critic, author], role: Checks it., routing: {kind: terminal}}
";
const BOOK: &str = "---\nname: r\nagents:\n  1: ann\n---\n\n# Release\n\n## 1. Ship\n\nShip it.\n";

async fn set(p: &Project, name: &str, does: &str, run: Value) -> Result<Value, studio::ApiError> {
    let revision = p.ok("agents.get", json!({})).await["revision"].clone();
    p.call(
        "agents.set",
        json!({"revision": revision, "name": name, "does": does, "run": run}),
    )
    .await
}

fn rows(view: &Value) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let row = |row: &Value| format!("{} {} {}", text(row, "name"), text(row, "does"), text(row, "run"));
    let agents = view["agents"].as_array().expect("agents");
    agents.iter().map(|one| row(one).trim_end().to_owned()).collect()
}

fn file(p: &Project) -> String {
    std::fs::read_to_string(p.folder.path().join("gatehouse.yaml")).unwrap_or_default()
}

#[tokio::test]
async fn everybody_whom_a_step_names_is_listed_and_given_work() {
    let p = Project::of(&[("offer.yaml", FLOW), ("release.runbook.md", BOOK)]);
    let view = p.ok("agents.get", json!({})).await;
    assert_eq!(rows(&view), ["author unsaid", "critic unsaid", "* unsaid"]);
    assert_eq!(view["agents"][0]["named_in"], json!(["Send an offer"]));
    assert_eq!(view["agents"][0]["otherwise"], "Nobody yet");

    set(&p, "author", "person", Value::Null).await.expect("written");
    set(&p, "critic", "shell", json!(" sh check.sh --all "))
        .await
        .expect("written");
    let view = set(&p, "*", "command", json!("python3 'my agents/a.py'"))
        .await
        .expect("written");
    assert_eq!(
        rows(&view),
        [
            "author person",
            "critic shell sh check.sh --all",
            "* command python3 'my agents/a.py'"
        ]
    );
    assert_eq!(
        file(&p),
        "agents:\n  author: person\n  critic:\n    engine: shell\n    run: sh check.sh --all\n  \"*\":\n    engine: command\n    run: python3 'my agents/a.py'\n"
    );
    // A run for real begins: nobody is missing any more.
    let brief = p.ok("run.brief", json!({"path": "offer.yaml"})).await;
    assert_eq!(brief["unbound"], json!([]), "{brief}");
    // Taken out again, it is as every other one.
    let view = set(&p, "author", "unsaid", Value::Null).await.expect("written");
    assert_eq!(view["agents"][0]["otherwise"], "As every other agent: a program");
}

#[tokio::test]
async fn who_works_where_nothing_is_said_of_the_name_is_told() {
    let flow = FLOW.replace("[critic, author]", "[person, legal]");
    let settings = "agents: {Legal: person, '*': {engine: shell, run: sh a.sh}}\n";
    let p = Project::of(&[("offer.yaml", flow.as_str()), ("gatehouse.yaml", settings)]);
    let view = p.ok("agents.get", json!({})).await;
    let agents = view["agents"].as_array().expect("agents");
    let said: Vec<_> = agents.iter().map(|one| (&one["name"], &one["otherwise"])).collect();
    let told = [
        ("Legal", "As every other agent: a program"),
        ("author", "As every other agent: a program"),
        ("legal", "As “Legal”: a person"),
        ("person", "A person, as the name says"),
        ("*", "Nobody yet"),
    ];
    let told = told.map(|(name, words)| (json!(name), json!(words)));
    assert_eq!(said, told.iter().map(|(name, words)| (name, words)).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_else_the_file_says_stays_as_it_is() {
    let text = "# ours\nversion: 1\nagents:\n  # slow, on purpose\n  author: {engine: shell, run: sh a.sh, model: m, provider: p}   # the first\n  legal: person\nruntime: {max_retries: 1}\n";
    let p = Project::of(&[("offer.yaml", FLOW), ("gatehouse.yaml", text)]);
    let view = p.ok("agents.get", json!({})).await;
    assert_eq!(
        rows(&view),
        ["author shell sh a.sh", "critic unsaid", "legal person", "* unsaid"]
    );
    assert_eq!(view["agents"][0]["model"], "m of p");
    set(&p, "author", "shell", json!("sh b.sh")).await.expect("written");
    assert_eq!(
        file(&p),
        text.replace("a.sh", "b.sh"),
        "its model and every comment stay"
    );
    set(&p, "author", "shell", json!("sh b.sh"))
        .await
        .expect("nothing to write");
    assert_eq!(file(&p), text.replace("a.sh", "b.sh"));
    set(&p, "legal", "unsaid", Value::Null).await.expect("written");
    let text = text.replace("a.sh", "b.sh").replace("  legal: person\n", "");
    assert_eq!(file(&p), text);
    // Another kind of program takes the place of the first: what it is told to use stays.
    set(&p, "author", "command", json!("python3 c.py"))
        .await
        .expect("written");
    let text = text.replace("engine: shell, run: sh b.sh", "engine: command, run: python3 c.py");
    assert_eq!(file(&p), text);
}

#[tokio::test]
async fn nobody_is_no_other_agent_s_work_and_lines_and_spaces_of_a_command_are_no_change() {
    let text = "agents:\n  author: stub\n  critic:\n    engine: shell\n    run: |\n      sh check.sh\n  '*': person\n";
    let p = Project::of(&[("offer.yaml", FLOW), ("gatehouse.yaml", text)]);
    let view = p.ok("agents.get", json!({})).await;
    assert_eq!(rows(&view)[0], "author nobody");
    for (name, does, run) in [
        ("author", "nobody", Value::Null),
        ("critic", "shell", json!("sh check.sh")),
        ("*", "person", Value::Null),
    ] {
        set(&p, name, does, run).await.expect("nothing to write");
        assert_eq!(file(&p), text, "{name}");
    }
    set(&p, "author", "unsaid", Value::Null).await.expect("freed");
    assert!(!file(&p).contains("stub"));
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_said_wherever_one_looks() {
    let p = Project::of(&[
        ("offer.yaml", FLOW),
        ("gatehouse.yaml", "version: 1\nagents: [never closed\n"),
    ]);
    let fault = p.ok("settings.get", json!({})).await["config_fault"].clone();
    let fault = fault.as_str().expect("a fault");
    assert!(fault.starts_with("gatehouse.yaml cannot be used: line "), "{fault}");
    assert!(fault.contains("no run starts"), "{fault}");
    for form in ["agents.get", "context.get"] {
        let told = p.ok(form, json!({})).await["fault"].clone();
        assert!(fault.starts_with(told.as_str().expect(form)), "{told}");
    }
    std::fs::write(p.folder.path().join("gatehouse.yaml"), "version: 1\n").expect("mended");
    assert!(p.ok("settings.get", json!({})).await["config_fault"].is_null());
}

#[tokio::test]
async fn what_cannot_be_a_command_or_was_chosen_on_another_version_is_not_written() {
    let p = Project::of(&[("offer.yaml", FLOW)]);
    for (name, does, run) in [
        ("author", "shell", json!("  ")),
        ("author", "shell", Value::Null),
        ("author", "command", json!("python3 'never closed")),
        ("author", "shell", json!("echo a\necho b")),
        ("author", "shell", json!("echo \u{202e}a")),
        ("", "person", Value::Null),
        ("a\u{7}b", "person", Value::Null),
        ("te\u{fffd}a", "person", Value::Null),
    ] {
        let refused = set(&p, name, does, run.clone()).await.expect_err("refused");
        assert!(
            ["bad_value", "edit_refused"].contains(&refused.code.as_str()),
            "{name} {run}: {refused:?}"
        );
        assert_eq!(file(&p), "", "{name} {run}");
    }
    let seen = p.ok("agents.get", json!({})).await["revision"].clone();
    std::fs::write(p.folder.path().join("gatehouse.yaml"), "version: 1\n").expect("written by somebody else");
    let of = json!({"revision": seen, "name": "author", "does": "person"});
    let refused = p.call("agents.set", of).await.expect_err("another version");
    assert_eq!(refused.code, "settings_changed");
    assert_eq!(file(&p), "version: 1\n");
    // A file that cannot be used is not touched either.
    std::fs::write(p.folder.path().join("gatehouse.yaml"), "agents: {author: magic}\n").expect("written");
    let view = p.ok("agents.get", json!({})).await;
    assert_eq!(
        (&view["writable"], view["agents"].as_array().map(Vec::len)),
        (&json!(false), Some(0))
    );
    assert!(set(&p, "author", "person", Value::Null).await.is_err());
}

/// Whatever an agent is called, it is found again under that name, in block and in flow style.
#[tokio::test]
async fn a_name_is_written_so_that_it_is_read_as_it_is() {
    for before in [
        "",
        "agents: {legal: person}\n",
        "agents:\n  legal: person\n",
        "agents:\n",
        "agents: {}\n",
        "# only words\n",
    ] {
        for name in [
            "yes", "12", "1.5", "null", "a: b", "#x", "- y", "it's", "\"q\"", "~", "a{b", "é ü", "[l]", "legal",
        ] {
            let p = Project::of(&[("gatehouse.yaml", before)]);
            let view = set(&p, name, "shell", json!("echo 'a: b' # c")).await;
            let view = view.unwrap_or_else(|error| panic!("{before:?} {name}: {error:?}"));
            let wanted = format!("{name} shell echo 'a: b' # c");
            assert!(rows(&view).contains(&wanted), "{before:?} {name}: {}", file(&p));
            let legal = before.contains("legal") && name != "legal";
            assert_eq!(rows(&view).contains(&"legal person".to_owned()), legal, "{}", file(&p));
        }
    }
}
