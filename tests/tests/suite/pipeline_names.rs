//! Ids and names of pipelines that mean harm, given to every command of the real program and of the window: each is refused or made
//! harmless, and nothing is written outside of the folder of pipelines (seed 004 "Validate {pipeline_id} format", "Sanitize").

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use studio::{ApiError, Client, Identity, Studio};
use tests::program::Said;
use tests::project::Project;

const REFUSED: &str = "Invalid pipeline_id format";
const NO_NAME: &str = "Pipeline name is required and must contain at least one alphanumeric character";
const GOOD: &str = "PIPE-20250101-good-120000";
const GOOD_TEXT: &str = "pipeline_id: PIPE-20250101-good-120000\nname: good\nstatus: pending\nstages:\n  - name: a\n    run: 'true'\n    status: pending\n";

/// Texts that are no ids, whatever they look like.
fn ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "",
        " ",
        ".",
        "..",
        "/",
        "../PIPE-20250101-good-120000",
        "../../etc/passwd",
        "/etc/passwd",
        "PIPE-20250101-../../x-120000",
        "PIPE-20250101-..-120000",
        "PIPE-20250101-a/b-120000",
        "PIPE-20250101-a\\b-120000",
        "..\\..\\PIPE-20250101-good-120000",
        "C:\\PIPE-20250101-good-120000",
        "PIPE-20250101-good-120000/../../x",
        "PIPE-20250101-good-120000/",
        "./PIPE-20250101-good-120000",
        "PIPE-20250101-good-120000.yaml",
        "PIPE-20250101-good-120000\n",
        "\nPIPE-20250101-good-120000",
        "PIPE-20250101-good-120000\r\n",
        "PIPE-20250101-good-120000 ",
        " PIPE-20250101-good-120000",
        "PIPE-20250101-go od-120000",
        "PIPE-20250101-good-12000\u{0660}",
        "PIPE-2025010\u{ff11}-good-120000",
        "PIPE-20250101-g\u{43e}od-120000",
        "PIPE-20250101-\u{202e}doog-120000",
        "\u{202e}PIPE-20250101-good-120000",
        "PIPE-20250101-good\u{200b}-120000",
        "\u{feff}PIPE-20250101-good-120000",
        "PIPE-20250101-g\u{308}-120000",
        "PIPE-20250101-GOOD-120000",
        "pipe-20250101-good-120000",
        "PIPE-20250101-good-1200000",
        "PIPE-2025010-good-120000",
        "PIPE-20250101-good",
        "PIPE-20250101--120000",
        "PIPE-20250101-120000",
        "PIPE--good-120000",
        "PIPE-20250101_good_120000",
        "active-pipeline",
        "active-pipeline.yaml",
        "con",
        "nul",
        "*",
        "PIPE-*-good-*",
        "$(touch marker)",
        "`touch marker`",
        "; touch marker",
        "PIPE-20250101-$(touch marker)-120000",
        "%2e%2e%2fPIPE-20250101-good-120000",
        "-rf",
        "--",
        "~/PIPE-20250101-good-120000",
        "file:///etc/passwd",
        "{pipeline_id}",
        "PIPE-20250101-good-120000,PIPE-20250101-good-120000",
    ]
    .map(str::to_owned)
    .to_vec();
    ids.push(format!("PIPE-20250101-{}é-120000", "a".repeat(4096)));
    ids.push("../".repeat(1365));
    ids.push("a".repeat(4096));
    ids
}

/// Only what the façade can be given: no program takes such an argument.
const WITH_NUL: [&str; 4] = [
    "PIPE-20250101-good-120000\0",
    "\0PIPE-20250101-good-120000",
    "PIPE-20250101-\0-120000",
    "PIPE-20250101-good-120000\0.yaml",
];

/// Names that somebody may give a pipeline.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "",
        " ",
        ".",
        "..",
        "/",
        "\\",
        "-",
        "--",
        "_",
        "___",
        "…",
        "日本語",
        "🚀",
        "\u{202e}",
        "\u{200b}",
        "\t\n",
        "../../x",
        "/etc/passwd",
        "..\\..\\windows",
        "C:\\x",
        "a/b",
        "a\\b",
        ".hidden",
        "x.yaml",
        "x\ny",
        "x\r\ny",
        "con",
        "NUL",
        "aux",
        "com1",
        "LPT9",
        "\u{202e}txt.exe",
        "x\u{200b}y",
        "\u{feff}x",
        "İstanbul",
        "ﬁn",
        "ß",
        "Ωmega 1",
        "K\u{212a}",
        "a\u{308}",
        "$(touch marker)",
        "`touch marker`",
        "; touch marker",
        "| x",
        "&& x",
        "> x",
        "'x'",
        "\"x\"",
        "x: y",
        "- x",
        "{x}",
        "[x]",
        "#x",
        "&a x",
        "*x",
        "!!x",
        "%x",
        "@x",
        "<<",
        "---",
        "...",
        "null",
        "true",
        "~",
        "0x1f",
        "1e3",
        "PIPE-20250101-x-000000",
        "templates",
        "outputs",
        "active-pipeline",
        "-n",
        "--help",
        "\u{1b}[2Jx",
        "x\u{7}",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("x".repeat(4096));
    names.push("ä".repeat(4096));
    names.push(format!("{}x", "../".repeat(1365)));
    names
}

/// Every file below a folder with its text, without the history and the person's home, which are not the folder of pipelines either but
/// are nobody's to name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("readable").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
            if name == "home" || name == "project/.gatehouse" {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                walk(root, &path, found);
            } else {
                found.insert(name, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

/// A project in a folder of its own, with a good pipeline in it and one outside that traversal would reach.
fn project() -> Project {
    let project = Project::new(&[
        (&format!("pipelines/{GOOD}.yaml"), GOOD_TEXT),
        (&format!("../{GOOD}.yaml"), GOOD_TEXT),
        (&format!("{GOOD}.yaml"), GOOD_TEXT),
    ]);
    project.expect("a project")
}

fn around(project: &Project) -> BTreeMap<String, Vec<u8>> {
    files(project.root.parent().expect("a folder around it"))
}

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

fn studio(project: &Project) -> Studio {
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    identity.trust(&project.root, true).expect("trusted");
    Studio::open_as(&project.root, Client::Test, identity).expect("it opens")
}

fn rpc(studio: &Studio, method: &str, params: Value) -> Result<Value, ApiError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("threads").block_on(studio.rpc(method, params))
}

/// The command line of a command that takes an id.
fn command<'a>(name: &'a str, id: &'a str) -> Vec<&'a str> {
    match name {
        "create" => vec!["pipeline", "create", "--name", "x", "--from", id],
        name => vec!["pipeline", name, id],
    }
}

const COMMANDS: [&str; 5] = ["run", "status", "abort", "resume", "create"];

#[test]
fn what_is_no_id_is_refused_by_every_command() {
    let project = project();
    let before = around(&project);
    let ids = ids();
    assert!(ids.len() >= 50);
    for id in &ids {
        for name in COMMANDS {
            let mut line = command(name, id);
            if id == "--" || id == "-rf" {
                let at = line.len() - 1;
                if name != "create" {
                    line.insert(at, "--");
                }
            }
            let said = say(&project, &line);
            // What the command line itself does not take as an id is wrong usage.
            let usage = said.code == Some(64) && id.starts_with('-');
            assert!(
                usage || said.code == Some(3) && said.err.contains(&format!("error: {REFUSED}\n")),
                "{name} {id:?}: {said:?}"
            );
        }
    }
    let studio = studio(&project);
    for id in ids.iter().map(String::as_str).chain(WITH_NUL) {
        let from = json!({"name": "x", "from": id});
        for (method, params) in [
            ("pipeline.status", json!({"id": id})),
            ("pipeline.create", from.clone()),
            ("pipeline.draft", from),
        ] {
            let error = rpc(&studio, method, params).expect_err("refused");
            assert_eq!(
                (error.code.as_str(), error.message.as_str()),
                ("invalid_id", REFUSED),
                "{method} {id:?}"
            );
        }
        for refused in [
            studio.start_pipeline(id, false, &[]).map(|_| ()),
            studio.resumable_pipeline(id).map(|_| ()),
        ] {
            assert_eq!(refused.expect_err("refused").message, REFUSED, "{id:?}");
        }
    }
    assert_eq!(around(&project), before, "nothing was written at all");
}

#[test]
fn names_become_harmless_or_are_refused() {
    let project = project();
    let before = around(&project);
    let names = names();
    assert!(names.len() >= 50);
    let studio = studio(&project);
    let mut made = 0;
    for name in names.iter().map(String::as_str).chain(["x\0y", "\0"]) {
        match rpc(
            &studio,
            "pipeline.create",
            json!({"name": name, "template": "quick_flow"}),
        ) {
            Ok(created) => {
                made += 1;
                harmless(&project, &created, name);
            }
            Err(error) => assert_eq!(
                (error.code.as_str(), error.message.as_str()),
                ("invalid_name", NO_NAME),
                "{name:?}"
            ),
        }
    }
    for (n, name) in names.iter().enumerate().filter(|(n, _)| n % 4 == 0 || *n >= 75) {
        // An empty name is none given: the template's own counts only where nothing is typed at all.
        let said = say(
            &project,
            &[
                "pipeline",
                "create",
                "-t",
                "test_suite",
                "--json",
                &format!("--name={name}"),
            ],
        );
        match said.code {
            Some(0) => {
                made += 1;
                harmless(&project, &serde_json::from_str(&said.out).expect("JSON"), name);
            }
            Some(3) => assert!(said.err.contains(NO_NAME), "{name:?}: {said:?}"),
            other => panic!("{n} {name:?}: {other:?} {said:?}"),
        }
    }
    let after = around(&project);
    let new: Vec<&String> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert_eq!(new.len(), made, "each made one file");
    for path in new {
        let name = path.strip_prefix("project/pipelines/").expect("in the folder");
        assert!(
            dialect::pipeline::id::PipelineId::of_file(name).is_some() && !name.contains('/'),
            "{path}"
        );
    }
    for (path, text) in &before {
        assert_eq!(after.get(path), Some(text), "{path} is as it was");
    }
}

/// What was created has an id, lies in its folder, and holds the name to the letter.
fn harmless(project: &Project, created: &Value, name: &str) {
    let (id, path) = (
        created["id"].as_str().expect("an id"),
        created["path"].as_str().expect("a path"),
    );
    assert!(
        dialect::pipeline::id::PipelineId::parse(id).is_ok(),
        "{name:?} gave {id}"
    );
    assert_eq!(path, format!("pipelines/{id}.yaml"));
    let document = dialect::Document::parse(path, &project.text(path));
    let held = document.value(&model::Place::document().field("name"));
    assert_eq!(held.as_ref().and_then(Value::as_str), Some(name), "{}", document.text());
    assert!(document.workflow().steps().len() >= 2, "{}", document.text());
}

#[test]
fn templates_are_named_and_never_paths() {
    let project = project();
    project
        .write(&[("secret.yaml", GOOD_TEXT), ("../secret.yaml", GOOD_TEXT)])
        .expect("written");
    let before = around(&project);
    for name in [
        "../secret",
        "../../secret",
        "../../secret.yaml",
        "/etc/passwd",
        "full_sdlc.yaml",
        "",
        "full_sdlc\n",
    ] {
        let said = say(
            &project,
            &["pipeline", "create", "--name", "x", &format!("--template={name}")],
        );
        assert_eq!(said.code, Some(3), "{name:?}: {said:?}");
        assert!(said.err.contains("There is no template"), "{name:?}: {said:?}");
    }
    assert_eq!(around(&project), before);
}

#[test]
fn the_folder_of_pipelines_stays_inside_the_project() {
    let settings = [
        "..",
        "../out",
        "/tmp/out",
        "a/../../out",
        ".gatehouse",
        ".gatehouse/x",
        "''",
        "\"a\\0b\"",
    ];
    for setting in settings {
        let project = project();
        project
            .write(&[("gatehouse.yaml", &format!("pipelines: {{folder: {setting}}}\n"))])
            .expect("written");
        let before = around(&project);
        for line in [
            &["pipeline", "create", "-t", "quick_flow"][..],
            &["pipeline", "run", GOOD],
            &["pipeline", "status", GOOD],
            &["pipeline", "list"],
            &["pipeline", "abort"],
            &["pipeline", "resume", GOOD],
        ] {
            let said = say(&project, line);
            assert_eq!(said.code, Some(2), "{setting} {line:?}: {said:?}");
        }
        assert_eq!(around(&project), before, "{setting}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused() {
    use std::os::unix::fs::symlink;
    let lines = [
        &["pipeline", "create", "-t", "quick_flow"][..],
        &["pipeline", "run", GOOD],
        &["pipeline", "status", GOOD],
        &["pipeline", "list"],
        &["pipeline", "abort", GOOD],
        &["pipeline", "resume", GOOD],
        &["pipeline", "status"],
    ];
    // The folder itself.
    let outside = Project::new(&[(&format!("{GOOD}.yaml"), GOOD_TEXT)]).expect("a folder");
    let project = Project::new(&[("a.txt", "")]).expect("a project");
    symlink(&outside.root, project.root.join("pipelines")).expect("linked");
    let before = around(&outside);
    for line in lines {
        let said = say(&project, line);
        assert_eq!(said.code, Some(3), "{line:?}: {said:?}");
        assert!(said.err.contains("symbolic link"), "{line:?}: {said:?}");
    }
    assert_eq!(around(&outside), before);
    // One file in it, and the one that names the active pipeline.
    let project = Project::new(&[("pipelines/notes.txt", "")]).expect("a project");
    for name in [&format!("{GOOD}.yaml"), "active-pipeline.yaml"] {
        symlink(
            outside.root.join(format!("{GOOD}.yaml")),
            project.root.join("pipelines").join(name),
        )
        .expect("linked");
    }
    for line in lines.iter().filter(|line| !matches!(line[1], "create" | "list")) {
        let said = say(&project, line);
        assert_eq!(said.code, Some(3), "{line:?}: {said:?}");
        assert!(said.err.contains("symbolic link"), "{line:?}: {said:?}");
    }
    let listed = say(&project, &["pipeline", "list"]);
    assert!(
        listed.out.contains("Cannot be run:") && listed.out.contains("symbolic link"),
        "{listed:?}"
    );
    assert_eq!(around(&outside), before);
    // Where outputs go.
    let project = self::project();
    symlink(&outside.root, project.root.join("pipelines/outputs")).expect("linked");
    let said = say(&project, &["pipeline", "run", GOOD, "--permit"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("symbolic link"), "{said:?}");
    assert_eq!(around(&outside), before);
}

#[test]
fn the_active_pipeline_is_named_by_an_id() {
    for text in [
        "pipeline_id: ../../x\n",
        "pipeline_id: PIPE-20250101-../x-120000\n",
        "pipeline_id: \"\\0\"\n",
    ] {
        let project = project();
        project
            .write(&[("pipelines/active-pipeline.yaml", text)])
            .expect("written");
        let before = around(&project);
        for line in [&["pipeline", "status"][..], &["pipeline", "abort"]] {
            let said = say(&project, line);
            assert_eq!(said.code, Some(3), "{text} {line:?}: {said:?}");
            assert!(said.err.contains(REFUSED), "{text} {line:?}: {said:?}");
        }
        assert_eq!(around(&project), before);
    }
}

#[test]
fn a_file_that_says_it_is_another_is_not_run() {
    let project = project();
    let other = "PIPE-20250101-other-120000";
    project
        .write(&[(&format!("pipelines/{other}.yaml"), GOOD_TEXT)])
        .expect("written");
    let before = around(&project);
    let said = say(&project, &["pipeline", "run", other]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains(GOOD), "{said:?}");
    assert_eq!(around(&project), before, "neither file was touched");
}
