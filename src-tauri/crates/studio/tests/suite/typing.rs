//! Typing into the terminal of a step from a window, through the one list of commands.

use crate::project::Project;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Two steps: one in a terminal, one beside which nobody types.
const FLOW: &str = "key: ask\ntitle: Ask\nsteps:\n  - {id: sign-in, title: Sign in, agents: [clerk], terminal: true, \
                    routing: {kind: linear, next: after}}\n  - {id: after, agents: [other], routing: {kind: linear}}\n";

fn asking(script: &str) -> Project {
    let config = "agents:\n  clerk: {engine: shell, run: exec bash ask.sh}\n  other: {engine: shell, run: cat}\n";
    Project::of(&[("ask.yaml", FLOW), ("ask.sh", script), ("gatehouse.yaml", config)])
}

impl Project {
    async fn start_asking(&self) -> String {
        let started = self.ok("run.start", json!({"path": "ask.yaml"})).await;
        started["run_id"].as_str().expect("an id").to_owned()
    }

    /// The terminals of the run once they are as wanted.
    async fn terminals(&self, run: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let seen = self.ok("run.terminals", json!({"run_id": run})).await;
            if wanted(&seen["terminals"]) {
                return seen["terminals"].clone();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {seen:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn shows(&self, run: &str, words: &str) -> Value {
        let shown = self
            .terminals(run, words, |seen| seen[0]["lines"].to_string().contains(words))
            .await;
        shown[0].clone()
    }

    async fn types(&self, run: &str, terminal: &Value, pressed: Value) {
        let of = json!({"run_id": run, "terminal": terminal["id"], "pressed": pressed});
        self.ok("run.type", of).await;
    }

    async fn is_over(&self, run: &str) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.ok("run.view", json!({"run_id": run})).await;
            if view["ended_at"].is_number() {
                return view;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{view:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        if kind.is_dir() {
            holding(&path, text, found);
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).expect("a file");
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
}

fn enter() -> Value {
    json!({"key": {"name": "Enter"}})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_reaches_the_program_and_is_kept_nowhere() {
    let project = asking(
        "printf 'Name? '; read -r name; printf 'Password? '; read -rs password; echo; echo \"$name has ${#password} signs\"; cat > rest.txt\n",
    );
    let run = project.start_asking().await;
    let terminal = project.shows(&run, "Name? ").await;
    assert_eq!(
        (&terminal["step"], &terminal["name"]),
        (&json!("sign-in"), &json!("Sign in"))
    );
    assert_eq!(
        terminal["cursor"],
        json!({"line": 0, "before": "Name? ", "under": " ", "after": ""})
    );
    project
        .types(
            &run,
            &terminal,
            json!([{"text": "Adx"}, {"key": {"name": "Backspace"}}, {"text": "a"}, enter()]),
        )
        .await;
    project.shows(&run, "Password? ").await;
    project
        .types(&run, &terminal, json!([{"text": "open sesame 417"}, enter()]))
        .await;
    project.shows(&run, "Ada has 15 signs").await;
    // Another run has no such terminal.
    let other = json!({"run_id": "other", "terminal": terminal["id"], "pressed": [enter()]});
    let refused = project.studio.rpc("run.type", other).await.expect_err("another's");
    assert_eq!(refused.code, "refused:no_terminal");
    let many = json!({"run_id": run, "terminal": terminal["id"], "pressed": [{"paste": "x".repeat(20_000)}]});
    let refused = project.studio.rpc("run.type", many).await.expect_err("too much");
    assert_eq!(refused.code, "bad_parameters");
    project
        .types(
            &run,
            &terminal,
            json!([{"paste": "the\nrest\n"}, {"key": {"name": "d", "control": true}}]),
        )
        .await;
    let view = project.is_over(&run).await;
    assert_eq!(view["status"], "done", "{view:#}");
    // It goes with its program; the next step has none, and found the end of its input at once.
    project.terminals(&run, "gone", |seen| seen == &json!([])).await;
    let late = json!({"run_id": run, "terminal": terminal["id"], "pressed": [enter()]});
    let refused = project
        .studio
        .rpc("run.type", late)
        .await
        .expect_err("its program has ended");
    assert_eq!(refused.code, "refused:no_terminal");
    let rest = std::fs::read_to_string(project.folder.path().join("rest.txt")).expect("written");
    assert_eq!(rest, "the\nrest\n");
    project.studio.close().await;
    let mut found = Vec::new();
    for folder in [project.folder.path(), project.home.path()] {
        holding(folder, "sesame", &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
    let log = project.ok("run.log", json!({"run_id": run})).await;
    assert!(
        log.to_string().contains("Ada has 15 signs"),
        "what it showed is kept: {log:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_at_a_run_that_another_program_drives_has_no_terminal_of_it() {
    let project = asking("read -r name\n");
    let run = project.start_asking().await;
    let terminal = project.terminals(&run, "it reads", |seen| seen[0].is_object()).await[0].clone();
    let other = project.opened_again();
    let seen = other
        .rpc("run.terminals", json!({"run_id": run}))
        .await
        .expect("a list");
    assert_eq!(seen["terminals"], json!([]));
    let typed = json!({"run_id": run, "terminal": terminal["id"], "pressed": [enter()]});
    let refused = other.rpc("run.type", typed).await.expect_err("not its run");
    assert_eq!(refused.code, "refused:no_terminal");
    project.types(&run, &terminal, json!([enter()])).await;
    assert_eq!(project.is_over(&run).await["status"], "done");
    project.studio.close().await;
}
