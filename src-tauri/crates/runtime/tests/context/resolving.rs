//! What a step gets.

use crate::{Project, names};
use permission::Mode;
use runtime::context::{Method, Question, Settings, tokens};
use serde_json::{Value, json};

fn sample() -> Project {
    Project::with(&[
        (
            "src/config.py",
            "\"\"\"Settings.\"\"\"\n\ndef parse_config(path):\n    \"\"\"Reads the settings of a project.\"\"\"\n    return load(path)\n\n\ndef write_config(path):\n    \"\"\"Writes them.\"\"\"\n    save(path)\n",
        ),
        (
            "src/app.ts",
            "export function parseConfig(path: string) {\n  return load(path);\n}\n",
        ),
        (
            "docs/guide.md",
            "# Guide\n\nHow to parse a config.\n\n## Retry\n\nAn attempt is made again.\n",
        ),
        (
            "package.json",
            "{\"name\": \"sample\", \"scripts\": {\"parse\": \"node parse.js\"}}\n",
        ),
    ])
}

#[test]
fn without_a_key_nothing_is_looked_up() {
    let project = sample();
    assert_eq!(project.ask(json!({"context": "x", "artifacts": []}), None), Ok(None));
    assert!(!project.root().join(".gatehouse/context.db").exists());
}

#[test]
fn the_best_shards_are_given_in_three_tiers() {
    let project = sample();
    let payload = project.payload(json!({"telis_query": "parse config", "telis_language": "python"}));
    assert_eq!(payload["source"], "shards");
    assert_eq!(
        (&payload["query"], &payload["language"], &payload["lsp"]),
        (&json!("parse config"), &json!("python"), &Value::Null)
    );
    let tiers: Vec<&Value> = payload["phases"]
        .as_array()
        .expect("phases")
        .iter()
        .map(|p| &p["tier"])
        .collect();
    assert_eq!(tiers, ["nano", "micro", "full"]);
    for phase in 0..3 {
        assert_eq!(names(&payload, phase)[0], "src/config.py:parse_config");
    }
    let first = &payload["phases"][0]["shards"][0];
    assert_eq!(first["text"], "def parse_config(path)");
    assert_eq!(
        (&first["first_line"], &first["last_line"], &first["score"]),
        (&json!(3), &json!(5), &json!(1.0))
    );
    let full = payload["phases"][2]["shards"][0]["text"].as_str().expect("a text");
    assert!(full.contains("return load(path)"), "{full}");
    let sum: u64 = payload["phases"]
        .as_array()
        .expect("phases")
        .iter()
        .filter_map(|p| p["tokens"].as_u64())
        .sum();
    assert_eq!(payload["tokens"].as_u64(), Some(sum));
}

#[test]
fn language_limit_score_phases_and_tiers_are_honoured() {
    let project = sample();
    assert_eq!(
        project.found(json!({"telis_query": "parse config", "telis_language": "ts"}))[0],
        "src/app.ts:parseConfig"
    );
    assert_eq!(
        project
            .found(json!({"telis_query": "parse config", "telis_shard_limit": 1}))
            .len(),
        1
    );
    assert_eq!(
        project.found(json!({"telis_query": "attempt", "telis_min_score": 0.9})),
        ["docs/guide.md:Guide > Retry"]
    );
    let payload = project.payload(json!({"telis_query": "parse zeppelin", "telis_min_score": 0.9}));
    assert_eq!(payload["phases"], json!([]));
    assert_eq!(
        payload["notes"],
        json!(["nothing in the project fits the query well enough"])
    );
    let phases = |inputs: Value| {
        let payload = project.payload(inputs);
        let phases = payload["phases"].as_array().expect("phases").clone();
        phases
            .into_iter()
            .map(|p| p["tier"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(phases(json!({"telis_query": "parse", "telis_max_phase": 1})), ["nano"]);
    assert_eq!(
        phases(json!({"telis_query": "parse", "telis_phase_tiers": ["full"]})),
        ["full"]
    );
    assert_eq!(
        phases(json!({"telis_query": "parse", "telis_phase_tiers": "micro, full", "telis_max_phase": 1})),
        ["micro"]
    );
}

#[test]
fn the_same_inputs_over_the_same_files_give_the_same_bytes() {
    let project = sample();
    let inputs = json!({"telis_query": "parse config"});
    let first = project.ask(inputs.clone(), None).expect("resolved").expect("something");
    let again = project.ask(inputs.clone(), None).expect("resolved").expect("something");
    assert!(!first.from_cache && again.from_cache);
    assert_eq!(first.payload.to_string(), again.payload.to_string());
    // Made anew, by another history and another index, it is still the same.
    std::fs::remove_file(project.root().join(".gatehouse/context.db")).expect("it may be deleted");
    let anew = project.ask(inputs.clone(), None).expect("resolved").expect("something");
    assert!(!anew.from_cache);
    assert_eq!(first.payload.to_string(), anew.payload.to_string());
    let other = sample();
    assert_eq!(other.payload(inputs).to_string(), first.payload.to_string());
}

#[test]
fn the_index_follows_the_files() {
    let project = sample();
    assert_eq!(project.found(json!({"telis_query": "zeppelin"})), [""; 0]);
    project.write("docs/new.md", "# Zeppelin\n");
    assert_eq!(
        project.found(json!({"telis_query": "zeppelin"})),
        ["docs/new.md:Zeppelin"]
    );
    project.write("docs/new.md", "# Balloon!\n");
    assert_eq!(project.found(json!({"telis_query": "zeppelin"})), [""; 0]);
    assert_eq!(
        project.found(json!({"telis_query": "balloon"})),
        ["docs/new.md:Balloon!"]
    );
    std::fs::remove_file(project.root().join("docs/new.md")).expect("removed");
    assert_eq!(project.found(json!({"telis_query": "balloon"})), [""; 0]);
}

#[test]
fn what_is_ignored_hidden_denied_or_too_large_is_not_looked_at() {
    let mut project = Project::with(&[
        (".gitignore", "build/\n*.gen.md\n"),
        ("a.md", "# zeppelin a\n"),
        ("build/b.md", "# zeppelin b\n"),
        ("c.gen.md", "# zeppelin c\n"),
        (".hidden/d.md", "# zeppelin d\n"),
        ("node_modules/e/e.md", "# zeppelin e\n"),
        ("old/f.md", "# zeppelin f\n"),
        ("private/g.md", "# zeppelin g\n"),
        ("h.txt", "zeppelin h\n"),
        ("i.py", "# zeppelin i\n"),
    ]);
    project.write("j.md", &format!("# zeppelin j\n{}", "x\n".repeat(300_000)));
    std::fs::write(project.root().join("k.md"), b"# zeppelin \xff k").expect("written");
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("l.md"), "# zeppelin l\n").expect("written");
    std::os::unix::fs::symlink(outside.path(), project.root().join("linked")).expect("a link");
    std::os::unix::fs::symlink(outside.path().join("l.md"), project.root().join("l.md")).expect("a link");
    project.settings = Settings::read(&json!({"ignore": ["/old"], "languages": ["markdown"]})).expect("settings");
    project.policy.read.deny.push("private/**".to_owned());
    let payload = project.payload(json!({"telis_query": "zeppelin"}));
    assert_eq!(names(&payload, 0), ["a.md:zeppelin a"]);
    assert_eq!(
        payload["notes"],
        json!([
            "1 file is left out: larger than 512 KiB",
            "1 file is left out: kept from steps by the permissions"
        ])
    );
    // A rule that comes later counts for what is indexed already.
    project.policy.read.deny.push("a.md".to_owned());
    assert_eq!(project.found(json!({"telis_query": "zeppelin"})), [""; 0]);
    project.policy.mode = Mode::Deny;
    project.policy.read.deny.clear();
    assert_eq!(project.found(json!({"telis_query": "zeppelin"})), [""; 0]);
    project.policy.read.allow.push("private/**".to_owned());
    assert_eq!(
        project.found(json!({"telis_query": "zeppelin"})),
        ["private/g.md:zeppelin g"]
    );
}

#[test]
fn a_language_server_is_asked_first() {
    let project = sample();
    let inputs = json!({"telis_method": "hover", "telis_document_path": "./src/config.py", "telis_line": 2, "telis_character": 6, "telis_language": "python"});
    let mut asked: Vec<Question> = Vec::new();
    let mut answers = |question: &Question| {
        asked.push(question.clone());
        Ok(Some(json!({"text": "(function) def parse_config(path)"})))
    };
    let resolved = project
        .ask(inputs.clone(), Some(&mut answers))
        .expect("resolved")
        .expect("something");
    assert_eq!(
        resolved.payload,
        json!({
            "query": null, "language": "python", "source": "lsp",
            "lsp": {"method": "hover", "path": "src/config.py", "line": 2, "character": 6, "answer": {"text": "(function) def parse_config(path)"}},
            "tokens": 0, "phases": [], "notes": [],
        })
    );
    assert_eq!(
        asked,
        [Question {
            method: Method::Hover,
            language: Some("python".to_owned()),
            path: Some("src/config.py".to_owned()),
            text: None,
            line: 2,
            character: 6,
        }]
    );
    assert!(
        !project.root().join(".gatehouse/context.db").exists(),
        "an answer needs no index"
    );
    let mut with_query = inputs.clone();
    with_query["telis_query"] = json!("write config");
    let mut answers = |_: &Question| Ok(Some(json!(1)));
    let both = project
        .ask(with_query, Some(&mut answers))
        .expect("resolved")
        .expect("something")
        .payload;
    assert_eq!(
        (both["source"].as_str(), names(&both, 0)[0].as_str()),
        (Some("lsp"), "src/config.py:write_config")
    );
}

#[test]
fn where_no_server_answers_the_name_at_the_place_is_looked_for() {
    let project = sample();
    let inputs = json!({"telis_method": "signatureHelp", "telis_document_path": "src/config.py", "telis_line": 2, "telis_character": 6});
    let mut fails = |_: &Question| Err("it is absent".to_owned());
    let mut knows_nothing = |_: &Question| Ok(None);
    for (lsp, note) in [
        (
            None,
            "no language server was asked: this project has none (`language_servers` in gatehouse.yaml)",
        ),
        (
            Some(&mut fails as &mut runtime::context::Ask<'_>),
            "no language server answered: it is absent",
        ),
        (
            Some(&mut knows_nothing),
            "the language server knows nothing about this place",
        ),
    ] {
        let payload = project
            .ask(inputs.clone(), lsp)
            .expect("resolved")
            .expect("something")
            .payload;
        assert_eq!(
            (&payload["query"], &payload["source"], &payload["lsp"]),
            (&json!("parse_config"), &json!("shards"), &Value::Null)
        );
        assert_eq!(payload["notes"], json!([note]));
        assert_eq!(names(&payload, 0)[0], "src/config.py:parse_config");
    }
}

#[test]
fn a_document_alone_gives_its_own_shards() {
    let project = sample();
    assert_eq!(
        project.found(json!({"telis_document_path": "src/config.py"})),
        [
            "src/config.py:config.py",
            "src/config.py:parse_config",
            "src/config.py:write_config"
        ]
    );
    let payload =
        project.payload(json!({"telis_document_text": "def f(x):\n    return x\n", "telis_language": "python"}));
    assert_eq!(names(&payload, 0), [":f"]);
    assert_eq!(
        project.payload(json!({"telis_document_path": "none.py"}))["notes"],
        json!(["there is nothing to look for: give `telis_query` or a document that exists"])
    );
}

#[test]
fn documents_outside_or_denied_and_wrong_keys_are_refused() {
    let mut project = sample();
    project.policy.read.deny.push("docs/**".to_owned());
    let refused = |inputs: Value| project.ask(inputs, None).expect_err("refused");
    for (path, says) in [
        ("../x.py", "leads out"),
        ("/etc/passwd", "leads out"),
        ("docs/guide.md", "not permitted"),
        (".gatehouse/history.db", "kept from steps"),
    ] {
        let said = refused(json!({"telis_query": "x", "telis_document_path": path}));
        assert!(said.contains(says), "{said}");
        let said = refused(json!({"telis_document_path": path, "telis_document_text": "x"}));
        assert!(said.contains(says), "{said}");
    }
    assert!(refused(json!({"telis_query": ["x"]})).contains("must be a text"));
    let gone =
        json!({"telis_method": "hover", "telis_document_path": "gone.py", "telis_line": 0, "telis_character": 0});
    assert!(refused(gone).contains("does not exist"));
}

#[test]
fn keys_and_languages_that_mean_nothing_are_noted() {
    let project = sample();
    let payload = project.payload(json!({"telis_query": "parse", "telis_qurey": "x", "telis_language": "Cobol"}));
    assert_eq!(payload["language"], "cobol");
    assert_eq!(payload["phases"], json!([]));
    let notes = payload["notes"].to_string();
    assert!(
        notes.contains("`telis_qurey` means nothing") && notes.contains("`cobol`"),
        "{notes}"
    );
}

#[test]
fn a_damaged_index_and_a_folder_that_cannot_be_written_to_stop_nothing() {
    let project = sample();
    let inputs = json!({"telis_query": "parse config"});
    let before = project.payload(inputs.clone());
    let index = project.root().join(".gatehouse/context.db");
    let mut bytes = std::fs::read(&index).expect("it is there");
    let from = bytes.len() / 3;
    bytes[from..].fill(0x5a);
    std::fs::write(&index, bytes).expect("written");
    assert_eq!(project.payload(inputs.clone()), before);
    std::fs::remove_file(&index).expect("removed");
    std::fs::create_dir(&index).expect("a folder in its place");
    assert_eq!(project.payload(inputs), before);
}

#[test]
fn budgets_of_the_project_are_kept() {
    let mut project = sample();
    project.settings = Settings::read(&json!({"budgets": {"nano": 7, "micro": 0, "full": 20}})).expect("settings");
    let payload = project.payload(json!({"telis_query": "parse config settings"}));
    let phases = payload["phases"].as_array().expect("phases");
    assert_eq!(phases.len(), 2);
    for (phase, budget) in phases.iter().zip([7, 20]) {
        let texts = phase["shards"]
            .as_array()
            .expect("shards")
            .iter()
            .filter_map(|s| s["text"].as_str());
        let used: usize = texts.map(tokens).sum();
        assert!(used <= budget && used > 0, "{phase}");
        assert_eq!(phase["tokens"], json!(used));
    }
}

#[test]
fn several_steps_may_look_at_once() {
    let project = sample();
    let one = || {
        let store = store::Store::open(project.root()).expect("a store");
        let inputs = [("telis_query".to_owned(), json!("parse config"))]
            .into_iter()
            .collect();
        let resolved = runtime::context::resolve(
            project.root(),
            &store,
            &inputs,
            &project.settings,
            &project.policy,
            None,
        );
        resolved.expect("resolved").expect("something").payload
    };
    let payloads: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(!payloads[0]["phases"].as_array().expect("phases").is_empty());
    assert!(payloads.iter().all(|payload| *payload == payloads[0]));
}
