//! Who may know whom: the floors of the map, held against what cargo and the sources say.

mod circles;

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
    ("history", &["engine", "store"]),
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
            "history",
            "tool",
        ],
    ),
    (
        "studio",
        &[
            "model",
            "dialect",
            "engine",
            "permission",
            "store",
            "history",
            "runtime",
        ],
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
            "history",
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
        &["dialect", "tool"],
        "tools check arguments and documents by a schema, and sessions have one",
    ),
    ("landlock", &["process"], "one crate alone confines programs"),
    (
        "rustix",
        &["process", "store", "tool", "runtime", "cli", "tests"],
        "folders that a step may change meanwhile are walked step by step, for tools and for what Gatehouse does itself; \
         processes are held by more than their number; a file says which file system it lies in; a person's terminal is \
         lent to a step; a test watches what scripts open",
    ),
    ("axum", &["cli"], "only `serve` answers on a socket"),
    ("cel", &["model"], "one reader of conditions, for `check` and the run"),
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
                let mut found = text.match_indices(word).map(|(at, _)| &text[..at]);
                assert!(
                    !found.any(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')),
                    "{} holds `{word}`: the store alone knows SQL",
                    file.display()
                );
            }
        }
    }
}

/// Where a format may be called by its name: the table of contracts, the dialects that read them and the vocabularies.
const NAME_FORMATS: &[&str] = &["model/src/contract.rs", "dialect/src/", "store/src/vocabulary/"];

#[test]
fn what_a_format_is_is_asked_of_its_row() {
    let crates = root().join("src-tauri/crates");
    let mut named = BTreeSet::new();
    let all = sources(&crates, &["rs"])
        .into_iter()
        .chain(sources(&root().join("src-tauri/src"), &["rs"]));
    for (file, text) in product(all) {
        let inside = file
            .strip_prefix(&crates)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        for (n, line) in text.lines().enumerate().filter(|(_, line)| names_a_format(line)) {
            named.insert(format!("{inside}:{}: {}", n + 1, line.trim()));
        }
    }
    let may = |place: &&String| NAME_FORMATS.iter().any(|allowed| place.starts_with(allowed));
    assert!(
        named.iter().any(|place| may(&place)),
        "not even the table of contracts was found"
    );
    let strangers: Vec<&String> = named.iter().filter(|place| !may(place)).collect();
    assert!(
        strangers.is_empty(),
        "ask `Format::contract` what the format says, or the step what it has:\n{strangers:#?}"
    );
}

/// Whether a line names one format: `Format::` and a variant, not one of its constants or functions.
fn names_a_format(line: &str) -> bool {
    line.match_indices("Format::").any(|(at, found)| {
        let joined = line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let mut next = line[at + found.len()..].chars();
        !joined && next.next().is_some_and(char::is_uppercase) && next.next().is_some_and(char::is_lowercase)
    })
}

#[test]
fn a_named_format_is_told_from_what_looks_like_one() {
    assert!(names_a_format("    if row.format == model::Format::Pipeline {"));
    assert!(!names_a_format(
        "    Format::ALL.into_iter().find(|f| Format::of_word(w).is_some())"
    ));
    assert!(!names_a_format("    to_rfc3339_opts(SecondsFormat::Micros, true)"));
}

#[test]
fn no_module_uses_another_that_uses_it() {
    let crates = root().join("src-tauri/crates");
    let mut found: BTreeSet<(String, Vec<String>)> = BTreeSet::new();
    for entry in std::fs::read_dir(&crates).expect("the crates").flatten() {
        let src = entry.path().join("src");
        let files = product(sources(&src, &["rs"]).into_iter());
        let name = entry.file_name().to_string_lossy().into_owned();
        found.extend(
            circles::circles(&src, &files)
                .into_iter()
                .map(|circle| (name.clone(), circle)),
        );
    }
    assert!(
        found.is_empty(),
        "Put what two modules share into a third that uses neither: {found:#?}"
    );
}

/// Where a test asks a library for more than the programs do, cargo builds that library and all that stands on it twice.
#[test]
fn tests_ask_no_library_of_the_programs_for_more() {
    // A package can be built for programs and for what builds them, each with features of its own.
    let features = |edges: &str| -> BTreeMap<String, BTreeSet<String>> {
        let output = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--workspace",
                "--offline",
                "--prefix",
                "none",
                "--format",
                "{p}|{f}",
                "--edges",
                edges,
            ])
            .current_dir(root())
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        let lines = text
            .lines()
            .map(|line| line.trim_end_matches(" (*)").replace(" (proc-macro)", ""));
        let mut found = BTreeMap::<String, BTreeSet<String>>::new();
        for line in lines {
            if let Some((package, asked)) = line.split_once('|') {
                found.entry(package.to_owned()).or_default().insert(asked.to_owned());
            }
        }
        found
    };
    let programs = features("normal,build");
    assert!(programs.len() > 300, "they were found: {}", programs.len());
    let tested = features("normal,build,dev");
    let differ = programs
        .iter()
        .filter(|(package, asked)| tested.get(*package) != Some(*asked));
    let differ: Vec<_> = differ
        .map(|(package, asked)| (package, asked, tested.get(package)))
        .collect();
    assert!(differ.is_empty(), "built twice, with everything above: {differ:#?}");
}

/// The integration tests of a crate are one program, which is built and linked once. A file that it forgets would never run.
#[test]
fn no_file_of_tests_is_forgotten() {
    let crates = std::fs::read_dir(root().join("src-tauri/crates")).expect("the crates");
    let crates = crates.map(|entry| entry.expect("it can be read").path());
    let mut seen = 0;
    let mut forgotten = Vec::new();
    for package in crates.chain([root().join("tests")]) {
        for file in sources(&package.join("tests"), &["rs"]) {
            seen += 1;
            let (of, folder) = match file.ends_with("mod.rs") {
                true => (file.parent().expect("a folder"), file.parent().and_then(Path::parent)),
                false => (file.as_path(), file.parent()),
            };
            let folder = folder.expect("a folder");
            let inside = file.strip_prefix(package.join("tests")).expect("it lies there");
            let is_program = match inside.components().count() {
                1 => true,
                2 => file.ends_with("main.rs"),
                _ => false,
            };
            let declared = format!("mod {};", of.file_stem().expect("a name").to_string_lossy());
            let declaring = [
                folder.join("main.rs"),
                folder.join("mod.rs"),
                folder.with_extension("rs"),
            ];
            let declares = |file: &PathBuf| {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                text.lines().any(|line| line == declared)
            };
            if !is_program && !declaring.iter().any(declares) {
                forgotten.push(file);
            }
        }
    }
    assert!(seen > 100, "the tests were found: {seen}");
    assert!(forgotten.is_empty(), "no program of tests names these: {forgotten:#?}");
}

#[test]
fn a_circle_is_seen_through_what_a_folder_hands_on() {
    let source = |name: &str, text: &str| (Path::new("src").join(name), text.to_owned());
    let files = [
        source("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::{First, one};\n"),
        source(
            "a.rs",
            "use crate::b::{self, Second};\npub struct First;\npub fn one() {}\n",
        ),
        source("b/mod.rs", "mod inner;\npub struct Second;\n"),
        source(
            "b/inner.rs",
            "// crate::c::nothing\nuse super::Second;\nfn f() { crate::one() }\n",
        ),
        source("c.rs", "use crate::a::First;\n"),
    ];
    assert_eq!(circles::circles(Path::new("src"), &files), [] as [Vec<String>; 0]);
    let mut closed = files.to_vec();
    closed[2].1.push_str("use crate::First;\n");
    assert_eq!(circles::circles(Path::new("src"), &closed), [["a", "b"]]);
}

/// Sources as they are built for people: without the packages' tests, the modules that only tests have, and the tests
/// at the end of a file.
fn product(files: impl Iterator<Item = PathBuf>) -> Vec<(PathBuf, String)> {
    let texts: Vec<(PathBuf, String)> = files
        .filter(|file| file.components().any(|part| part.as_os_str() == "src"))
        .map(|file| (file.clone(), std::fs::read_to_string(file).expect("a source")))
        .collect();
    let of_tests: BTreeSet<PathBuf> = texts.iter().flat_map(|(file, text)| test_modules(file, text)).collect();
    let built = texts.into_iter().filter(|(file, _)| {
        let alone = file.with_extension("");
        !of_tests.iter().any(|module| alone.starts_with(module))
    });
    built
        .map(|(file, text)| {
            let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
            (file, text[..end].to_owned())
        })
        .collect()
}

/// The modules in files of their own that a file declares for tests alone, as paths without an ending.
fn test_modules(file: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
    let folder = match is_root {
        true => file.parent().expect("a file lies in a folder").to_owned(),
        false => file.with_extension(""),
    };
    let guarded = text.split("#[cfg(test)]\n").skip(1);
    guarded
        .filter_map(|behind| {
            let declared = behind.lines().next()?.strip_suffix(';')?;
            let (_, name) = declared.rsplit_once("mod ")?;
            Some(folder.join(name))
        })
        .collect()
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
