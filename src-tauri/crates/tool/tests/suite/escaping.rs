//! Nothing outside of the project is read or written, however a path is written and whatever is put in its way.

use crate::Project;
use permission::{Kind, Mode, Need};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Each tool that takes a path, with arguments for this one.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let write = |mode: &str| json!({"path": path, "content": "escaped", "mode": mode, "create_folders": true});
    vec![
        ("readTextFile", json!({"path": path})),
        ("listFiles", json!({"path": path, "recursive": true})),
        ("writeTextFile", write("create")),
        ("writeTextFile", write("overwrite")),
        ("writeTextFile", write("append")),
    ]
}

/// Every tool refuses the path, and what lies outside is as it was.
async fn refused(project: &Project, path: &str, why: &str) {
    for (name, args) in calls(path) {
        let outcome = project.call(name, args.clone()).await;
        assert!(!outcome.is_completed(), "{name} {args} gave {}", outcome.output);
        assert!(outcome.error.contains(why), "{name} {args}: {}", outcome.error);
        assert!(
            !outcome.error.contains("not yours") && outcome.output.is_null(),
            "{outcome:?}"
        );
    }
    let mut outside: Vec<String> = std::fs::read_dir(project.outside(""))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    outside.sort();
    assert_eq!(outside, ["outside.txt", "project"], "after {path}");
    assert_eq!(
        std::fs::read_to_string(project.outside("outside.txt")).expect("there"),
        "not yours"
    );
}

#[tokio::test]
async fn paths_that_lead_out_by_their_text() {
    let project = Project::new();
    project.put("docs/a.md", "");
    let absolute = project.outside("outside.txt").display().to_string();
    let beside = format!("{}ion/x", project.root().display());
    for path in [
        "../outside.txt",
        "docs/../../outside.txt",
        "..",
        "/etc/passwd",
        "/",
        "~/x",
        "C:\\x",
        "c:/x",
        "..\\outside.txt",
        &absolute,
        &beside,
        ".. /outside.txt",
    ] {
        let why = if path.contains('\\') {
            "is no path"
        } else {
            "leads out of the project"
        };
        refused(&project, path, why).await;
    }
    for path in ["docs/..", "docs/../docs/a.md"] {
        refused(&project, path, "goes up by `..`").await;
    }
    refused(&project, "a\0b", "is no path").await;
    refused(&project, " ", "a path is needed").await;
}

#[tokio::test]
async fn links_that_lead_out() {
    let project = Project::new();
    project.put("docs/a.md", "");
    let outside = project.outside("outside.txt");
    let folder = project.outside("");
    for (name, target) in [
        ("absolute", outside.clone()),
        ("relative", PathBuf::from("../outside.txt")),
        ("folder", folder.clone()),
        ("dangling", project.outside("none.txt")),
        ("dangling-relative", PathBuf::from("../none.txt")),
        ("docs/up", PathBuf::from("../../outside.txt")),
        ("through", PathBuf::from("folder/outside.txt")),
        ("chain", PathBuf::from("absolute")),
        ("root", PathBuf::from("/")),
        ("proc", PathBuf::from("/proc/self/exe")),
        ("back", PathBuf::from("../project/../outside.txt")),
        ("missing-up", PathBuf::from("none/../../outside.txt")),
    ] {
        project.link(name, target);
        refused(&project, name, "leads out of the project by a symbolic link").await;
    }
    for path in [
        "folder/outside.txt",
        "folder/new.txt",
        "folder/project/docs/a.md",
        "root/etc/hostname",
        "folder/new/x",
    ] {
        refused(&project, path, "leads out of the project by a symbolic link").await;
    }
    project.link("loop", "loop");
    project.link("ping", "pong/x");
    project.link("pong", "ping");
    for path in ["loop", "loop/x", "ping"] {
        refused(&project, path, "could not be used").await;
    }
}

#[tokio::test]
async fn what_is_reserved_or_secret_under_any_name() {
    let mut project = Project::new();
    for name in [
        ".git/config",
        ".gatehouse/gatehouse.db",
        ".gatehouse/runs/r1/own.md",
        ".env",
        "gatehouse.yaml",
        "src/.env.local",
    ] {
        project.put(name, "kept");
    }
    project.context.own_folder = Some(".gatehouse/runs/r1".to_owned());
    project.link("innocent", ".env");
    project.link("history", ".gatehouse");
    project.link("hooks", ".git/hooks");
    for path in [
        ".git/config",
        ".Git/config",
        ".git",
        ".git./config",
        "sub/.GIT/hooks/pre-commit",
        ".gatehouse/gatehouse.db",
        ".GateHouse/gatehouse.db",
        "history/gatehouse.db",
        "history/runs/r2/x",
        "hooks/pre-commit",
        "git~1/config",
        ".g\u{200c}it/config",
        ".gatehouse::$INDEX_ALLOCATION/x",
        ".gatehouse/runs/r1/.git/x",
    ] {
        for (name, args) in calls(path) {
            let fault = project.fault(name, args).await;
            assert!(fault.contains("belongs to Gatehouse or Git"), "{name} {path}: {fault}");
        }
    }
    for path in [
        ".env",
        ".ENV",
        ".env.",
        ".env ",
        ".env::$DATA",
        "innocent",
        "src/.env.local",
        "SRC/.Env.LOCAL",
        "a/id_rsa",
    ] {
        for (name, args) in calls(path) {
            let fault = project.fault(name, args).await;
            assert!(
                fault.contains("is not permitted (secrets are kept"),
                "{name} {path}: {fault}"
            );
        }
    }
    for path in ["gatehouse.yaml", "GateHouse.yaml", "gatehouse.yml", "./gatehouse.yaml."] {
        let fault = project
            .fault("writeTextFile", json!({"path": path, "content": "tools: {}"}))
            .await;
        assert!(fault.contains("no tool writes it"), "{path}: {fault}");
    }
    // What the kernel keeps from a step's programs, workflows among it, is kept from its tools.
    let mut deciding = Project::new();
    deciding.put("flow.yaml", "kept");
    deciding.fix("flow.yaml");
    for path in ["flow.yaml", "./flow.yaml"] {
        let fault = deciding
            .fault("writeTextFile", json!({"path": path, "content": "id: x"}))
            .await;
        assert!(fault.contains("no tool writes it"), "{path}: {fault}");
    }
    assert_eq!(deciding.get("flow.yaml"), "kept");
    // What a rule denies is kept by the kernel too, and the rule is what is named.
    deciding.put("ledger.csv", "kept");
    deciding.fix("ledger.csv");
    deciding.context.policy.write.deny.push("ledger.csv".to_owned());
    let args = json!({"path": "ledger.csv", "content": "none"});
    let fault = deciding.fault("writeTextFile", args).await;
    assert!(fault.contains("is not permitted (deny rule"), "{fault}");
    assert_eq!(deciding.get("ledger.csv"), "kept");
    assert_eq!(
        project.answer("readTextFile", json!({"path": "gatehouse.yaml"})).await["text"],
        "kept"
    );
    project
        .answer(
            "writeTextFile",
            json!({"path": ".gatehouse/runs/r1/new.md", "content": "x"}),
        )
        .await;
    for name in [
        ".git/config",
        ".gatehouse/gatehouse.db",
        ".env",
        "gatehouse.yaml",
        "src/.env.local",
    ] {
        assert_eq!(project.get(name), "kept");
    }
}

#[tokio::test]
async fn a_rule_means_a_file_in_every_spelling() {
    let mut project = Project::new();
    project.put("docs/abs.md", "kept");
    project.link("linked", "docs");
    let root = project.root().to_owned();
    project.context.policy.spelling = tool::spelling::of(&root);
    for rule in [
        root.join("docs/abs.md").display().to_string(),
        root.join("docs/*.md").display().to_string(),
        "../project/docs/abs.md".to_owned(),
        "linked/abs.md".to_owned(),
    ] {
        project.context.policy.write.deny = vec![rule.clone()];
        for path in ["docs/abs.md".to_owned(), root.join("docs/abs.md").display().to_string()] {
            let args = json!({"path": path, "content": "x"});
            let fault = project.fault("writeTextFile", args).await;
            assert!(fault.contains("is not permitted (deny rule"), "{rule}: {path}: {fault}");
        }
        assert_eq!(project.get("docs/abs.md"), "kept", "{rule}");
    }
}

#[tokio::test]
async fn the_rules_of_the_project_count_for_the_real_name() {
    let mut project = Project::new();
    project.put("ledger/2026.csv", "sum");
    project.link("innocent", "ledger");
    project.context.policy.write.deny.push("ledger/**".to_owned());
    for path in [
        "ledger/2026.csv",
        "innocent/2026.csv",
        "Ledger/2026.csv",
        "ledger./2026.csv",
    ] {
        let fault = project
            .fault(
                "writeTextFile",
                json!({"path": path, "content": "", "create_folders": true}),
            )
            .await;
        assert!(
            fault.contains("is not permitted (deny rule `ledger/**`)"),
            "{path}: {fault}"
        );
    }
    assert_eq!(
        project
            .answer("readTextFile", json!({"path": "innocent/2026.csv"}))
            .await["text"],
        "sum"
    );
    project.context.policy.mode = Mode::Deny;
    let fault = project.fault("readTextFile", json!({"path": "ledger/2026.csv"})).await;
    assert!(fault.contains("no rule allows it"), "{fault}");
    // A rule that names a secret opens it, as for commands.
    project.put(".env", "X=1");
    project.context.policy.read.allow.push(".env".to_owned());
    assert_eq!(Need::new(Kind::Read, ".env").sentence(), "read `.env`");
    assert_eq!(
        project.answer("readTextFile", json!({"path": ".env"})).await["text"],
        "X=1"
    );
}

#[tokio::test]
async fn what_is_no_ordinary_file_is_left_alone() {
    let project = Project::new();
    let made = Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status()
        .expect("mkfifo is there");
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(project.path("socket")).expect("bound");
    for path in ["pipe", "socket"] {
        for (name, args) in calls(path) {
            let fault = project.fault(name, args).await;
            let why = if name == "listFiles" {
                "is no folder"
            } else {
                "is no ordinary file"
            };
            assert!(fault.contains(why), "{name} {path}: {fault}");
        }
    }
    let listed = project.answer("listFiles", json!({"path": "."})).await;
    assert_eq!(
        listed["entries"],
        json!([{"path": "pipe", "kind": "other"}, {"path": "socket", "kind": "other"}])
    );
}

/// Somebody swaps folder and file for links that lead out, and back, as fast as they can, while every tool is called.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_link_that_is_swapped_in_meanwhile() {
    let project = Arc::new(Project::new());
    let secret = project.outside("secret");
    std::fs::create_dir(&secret).expect("made");
    std::fs::write(secret.join("a.txt"), "not yours").expect("written");
    project.put("folder/a.txt", "ours");
    project.put("one.txt", "ours");
    project.link("away", &secret);
    project.link("away.txt", secret.join("a.txt"));
    let over = Arc::new(AtomicBool::new(false));
    let swaps = Arc::new(AtomicUsize::new(0));
    let swapping = {
        let (project, over, swaps) = (Arc::clone(&project), Arc::clone(&over), Arc::clone(&swaps));
        std::thread::spawn(move || {
            let exchange = |a: &str, b: &str| {
                let folder = std::fs::File::open(project.root()).expect("a folder");
                // Both names are there at every moment: one of them is the link.
                rustix::fs::renameat_with(&folder, a, &folder, b, rustix::fs::RenameFlags::EXCHANGE)
            };
            while !over.load(Ordering::Relaxed) {
                let _ = exchange("folder", "away");
                let _ = exchange("one.txt", "away.txt");
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let (mut done, mut refused) = (0, 0);
    let mut round = 0;
    // Until each has happened often enough to mean something.
    while done < 300 || refused < 300 {
        round += 1;
        assert!(round < 200_000, "{done} done, {refused} refused");
        for path in ["folder/a.txt", "one.txt", "folder/new.txt"] {
            for (name, args) in calls(path) {
                let outcome = project.call(name, args).await;
                match outcome.is_completed() {
                    true => done += 1,
                    false => refused += 1,
                }
                assert!(
                    !outcome.output.to_string().contains("not yours"),
                    "{name} {path}: {}",
                    outcome.output
                );
            }
        }
    }
    over.store(true, Ordering::Relaxed);
    swapping.join().expect("no panic");
    assert!(swaps.load(Ordering::Relaxed) > 100);
    let kept: Vec<String> = std::fs::read_dir(&secret)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, ["a.txt"], "nothing was made outside");
    assert_eq!(
        std::fs::read_to_string(secret.join("a.txt")).expect("there"),
        "not yours"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any way through a project full of links ends inside of it or nowhere.
    #[test]
    fn no_way_through_links_ends_outside(
        links in prop::collection::vec(("(d/)?[abc]", "(/|(\\.\\./){0,3})((project|d|a|b|c|outside\\.txt)/?){0,3}"), 1..5),
        ways in prop::collection::vec("((d|a|b|c|outside\\.txt|new)/){0,3}(a|b|c|outside\\.txt|x)", 1..6),
    ) {
        let project = Project::new();
        project.put("d/x", "ours");
        for (name, target) in &links {
            let target = if target.is_empty() { "." } else { target };
            // A name may be taken already.
            let _ = std::os::unix::fs::symlink(target, project.path(name));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            for way in &ways {
                for (name, args) in calls(way) {
                    let outcome = project.call(name, args).await;
                    assert!(!outcome.output.to_string().contains("not yours"), "{links:?} {way} {outcome:?}");
                }
            }
        });
        let mut outside: Vec<_> = std::fs::read_dir(project.outside("")).expect("a folder")
            .map(|entry| entry.expect("an entry").file_name()).collect();
        outside.sort();
        prop_assert_eq!(outside, ["outside.txt", "project"]);
        prop_assert_eq!(std::fs::read_to_string(project.outside("outside.txt")).expect("there"), "not yours");
    }
}
