//! Who may know whom: the floors of the map, held against what cargo and the sources say.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every crate with the crates of the house it may use. Arrows go only downwards; `dialect` and `engine` never see each
/// other; the desktop shell and the command line know the façade alone.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("dialect", &["model"]),
    ("engine", &["model"]),
    ("permission", &[]),
    ("guardrail", &[]),
    ("process", &[]),
    ("store", &["model", "engine"]),
    ("tool", &["model", "permission", "process"]),
    (
        "runtime",
        &[
            "model",
            "dialect",
            "engine",
            "permission",
            "guardrail",
            "process",
            "store",
            "tool",
        ],
    ),
    (
        "studio",
        &["model", "dialect", "engine", "permission", "store", "runtime"],
    ),
    ("fuzz", &["model", "dialect", "engine", "permission"]),
    ("cli", &["studio"]),
    ("gatehouse-desktop", &["studio"]),
    (
        "tests",
        &[
            "model",
            "dialect",
            "engine",
            "permission",
            "guardrail",
            "process",
            "store",
            "tool",
            "runtime",
            "studio",
        ],
    ),
];

/// Libraries that only some crates may use, with the reason. The harness opens databases to damage them.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("rusqlite", &["store", "tests"], "the store alone knows SQL"),
    ("rusqlite_migration", &["store"], "the store alone knows SQL"),
    (
        "tokio",
        &[
            "process",
            "tool",
            "runtime",
            "studio",
            "cli",
            "gatehouse-desktop",
            "tests",
        ],
        "only what starts programs and what drives them waits",
    ),
    (
        "chrono",
        &["store", "tool", "runtime", "studio"],
        "floors 0 and 1 know no calendar",
    ),
    ("libc", &["process"], "one crate alone starts programs"),
    ("gix", &["tool"], "tools alone look into a repository"),
    (
        "jsonschema",
        &["tool"],
        "tools alone check arguments and documents by a schema",
    ),
    ("landlock", &["process"], "one crate alone confines programs"),
    (
        "rustix",
        &["process", "tool", "tests"],
        "tools alone walk folders step by step; processes are held by more than their number; a test watches what scripts open",
    ),
    ("axum", &["cli"], "only `serve` answers on a socket"),
    (
        "clap",
        &["cli", "gatehouse-desktop"],
        "only programs have command lines",
    ),
    ("keyring", &["studio"], "the façade signs"),
    (
        "saphyr-parser",
        &["dialect", "tool"],
        "the dialect alone reads YAML with spans; tools ask how deep a text nests before they read it",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package lies in the repository")
        .to_owned()
}

/// Package → (dependency, kind) as the manifests declare them.
fn declared() -> BTreeMap<String, Vec<(String, String)>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let dependencies = |package: &Value| {
        let listed = package["dependencies"].as_array().into_iter().flatten();
        listed.map(|d| (text(&d["name"]), text(&d["kind"]))).collect()
    };
    packages.iter().map(|p| (text(&p["name"]), dependencies(p))).collect()
}

#[test]
fn arrows_go_only_downwards() {
    let declared = declared();
    let house: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let found: BTreeSet<&str> = declared.keys().map(String::as_str).collect();
    assert_eq!(
        found, house,
        "every crate of the workspace has its row in the table, and no other"
    );
    for (name, allowed) in ALLOWED {
        for (dependency, kind) in &declared[*name] {
            let may = !house.contains(dependency.as_str()) || allowed.contains(&dependency.as_str());
            assert!(may, "{name} may not use {dependency} ({kind} dependency)");
        }
    }
}

#[test]
fn libraries_stay_where_they_belong() {
    for (name, dependencies) in declared() {
        for (dependency, kind) in dependencies {
            if kind == "dev" {
                continue;
            }
            let is_tauri = dependency == "tauri" || dependency.starts_with("tauri-");
            assert!(
                !is_tauri || name == "gatehouse-desktop",
                "{name} uses {dependency}: only the desktop shell knows Tauri"
            );
            for (library, users, reason) in RESERVED {
                assert!(
                    dependency != *library || users.contains(&name.as_str()),
                    "{name} uses {library}: {reason}"
                );
            }
        }
    }
}

#[test]
fn the_pure_crates_ban_clocks_files_and_processes() {
    for name in ["model", "dialect", "engine", "permission", "guardrail"] {
        let file = root().join("src-tauri/crates").join(name).join("clippy.toml");
        let bans = std::fs::read_to_string(&file).unwrap_or_default();
        for banned in [
            "std::time::SystemTime::now",
            "std::fs::read",
            "std::env::var",
            "std::process::Command",
        ] {
            assert!(
                bans.contains(&format!("\"{banned}\"")),
                "{} does not ban {banned}",
                file.display()
            );
        }
    }
}

#[test]
fn one_door_leads_from_the_pages_to_the_desktop() {
    let mut users = BTreeSet::new();
    let mut seen = 0;
    for file in sources(&root().join("ui/src"), &["ts", "svelte"]) {
        let text = std::fs::read_to_string(&file).expect("a source");
        seen += 1;
        if text.contains("@tauri-apps") || text.contains("__TAURI") {
            let inside = file.strip_prefix(root().join("ui/src")).expect("it lies there");
            users.insert(inside.display().to_string());
        }
    }
    assert!(seen > 20, "only {seen} sources of the pages were found");
    let strangers: Vec<&String> = users.iter().filter(|f| !f.starts_with("lib/host/")).collect();
    assert!(
        strangers.is_empty(),
        "only ui/src/lib/host may know the desktop: {strangers:?}"
    );
    assert!(!users.is_empty(), "the door itself was not found");
}

#[test]
fn sql_is_written_in_the_store_alone() {
    for name in ["model", "dialect", "engine", "runtime", "studio", "cli"] {
        for file in sources(&root().join("src-tauri/crates").join(name).join("src"), &["rs"]) {
            let text = std::fs::read_to_string(&file).expect("a source");
            for word in ["SELECT ", "INSERT INTO ", "PRAGMA ", "rusqlite"] {
                assert!(
                    !text.contains(word),
                    "{} holds `{word}`: the store alone knows SQL",
                    file.display()
                );
            }
        }
    }
}

fn sources(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path, extensions));
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
    found
}
