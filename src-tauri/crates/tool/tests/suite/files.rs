//! Reading, writing and listing inside the project.

use crate::Project;
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[tokio::test]
async fn a_text_is_written_and_read_again() {
    let project = Project::new();
    let text = "grüße\nzwei\n";
    let written = project
        .answer("writeTextFile", json!({"path": "notes.md", "content": text}))
        .await;
    assert_eq!(
        written,
        json!({"path": "notes.md", "bytes": text.len(), "created": true})
    );
    let read = project.answer("readTextFile", json!({"path": "./notes.md"})).await;
    assert_eq!(
        read,
        json!({"path": "notes.md", "text": text, "bytes": text.len(), "cut": false})
    );
    let absolute = project.path("notes.md");
    let read = project.answer("readTextFile", json!({"path": absolute})).await;
    assert_eq!(read["path"], "notes.md", "an absolute path inside is a path inside");
}

#[tokio::test]
async fn a_long_text_is_cut_between_characters() {
    let project = Project::new();
    project.put("long.txt", &"ä".repeat(100));
    let read = project
        .answer("readTextFile", json!({"path": "long.txt", "max_bytes": 51}))
        .await;
    assert_eq!(
        read,
        json!({"path": "long.txt", "text": "ä".repeat(25), "bytes": 200, "cut": true})
    );
}

#[tokio::test]
async fn what_is_no_text_is_not_read() {
    let project = Project::new();
    for (name, bytes) in [("latin", &b"gr\xfc\xdfe"[..]), ("binary", b"a\0b")] {
        std::fs::write(project.path(name), bytes).expect("written");
        let fault = project.fault("readTextFile", json!({"path": name})).await;
        assert_eq!(fault, format!("`{name}` is no text (UTF-8)"));
    }
    let fault = project.fault("readTextFile", json!({"path": "none.md"})).await;
    assert_eq!(fault, "`none.md` does not exist");
    std::fs::create_dir(project.path("docs")).expect("made");
    assert_eq!(
        project.fault("readTextFile", json!({"path": "docs"})).await,
        "`docs` is a folder"
    );
}

#[tokio::test]
async fn each_mode_does_what_it_says() {
    let project = Project::new();
    let write = |mode: &str, content: &str| json!({"path": "a.txt", "content": content, "mode": mode});
    project.answer("writeTextFile", write("create", "one")).await;
    let fault = project.fault("writeTextFile", write("create", "two")).await;
    assert!(fault.starts_with("`a.txt` exists already"), "{fault}");
    assert_eq!(project.get("a.txt"), "one");
    let appended = project.answer("writeTextFile", write("append", " two")).await;
    assert_eq!(appended, json!({"path": "a.txt", "bytes": 7, "created": false}));
    project.answer("writeTextFile", write("overwrite", "three")).await;
    assert_eq!(project.get("a.txt"), "three");
    let names: Vec<String> = std::fs::read_dir(project.root())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["a.txt"], "no draft is left");
}

#[tokio::test]
async fn folders_are_made_when_the_call_says_so() {
    let project = Project::new();
    let deep = |create: bool| json!({"path": "a/b/c.txt", "content": "x", "create_folders": create});
    let fault = project.fault("writeTextFile", deep(false)).await;
    assert!(
        fault.contains("does not exist") && fault.contains("create_folders"),
        "{fault}"
    );
    assert!(!project.path("a").exists());
    project.answer("writeTextFile", deep(true)).await;
    assert_eq!(project.get("a/b/c.txt"), "x");
    project.put("file", "");
    let fault = project
        .fault(
            "writeTextFile",
            json!({"path": "file/x", "content": "", "create_folders": true}),
        )
        .await;
    assert_eq!(fault, "`file/x` is no folder");
}

#[tokio::test]
async fn a_program_stays_one_and_a_second_name_keeps_the_old_text() {
    let project = Project::new();
    project.put("run.sh", "old");
    std::fs::set_permissions(project.path("run.sh"), PermissionsExt::from_mode(0o755)).expect("set");
    std::fs::hard_link(project.path("run.sh"), project.outside("second")).expect("a second name");
    for mode in ["overwrite", "append"] {
        project
            .answer(
                "writeTextFile",
                json!({"path": "run.sh", "content": "new", "mode": mode}),
            )
            .await;
    }
    assert_eq!(project.get("run.sh"), "newnew");
    assert_eq!(project.path("run.sh").metadata().expect("there").mode() & 0o777, 0o755);
    assert_eq!(
        std::fs::read_to_string(project.outside("second")).expect("there"),
        "old"
    );
}

#[tokio::test]
async fn links_within_the_project_are_followed_and_stay_links() {
    let project = Project::new();
    project.put("docs/plan.md", "old");
    std::fs::create_dir(project.path("to")).expect("made");
    project.link("to/plan", "../docs/plan.md");
    project.link("whole", project.path("docs"));
    project.link("new", "docs/new.md");
    let read = project.answer("readTextFile", json!({"path": "to/plan"})).await;
    assert_eq!(read["path"], "docs/plan.md", "it says where the text really is");
    project
        .answer("writeTextFile", json!({"path": "whole/plan.md", "content": "new"}))
        .await;
    project
        .answer("writeTextFile", json!({"path": "new", "content": "made"}))
        .await;
    assert_eq!(project.get("docs/plan.md"), "new");
    assert_eq!(project.get("docs/new.md"), "made");
    assert!(project.path("new").is_symlink());
}

#[tokio::test]
async fn a_folder_is_listed() {
    let project = Project::new();
    for name in [
        "docs/b.md",
        "docs/a.md",
        "docs/in/c.md",
        "docs/in/d.txt",
        "docs/.git/config",
        "docs/.env",
        "top.md",
    ] {
        project.put(name, "1234");
    }
    project.link("docs/out", project.outside("outside.txt"));
    let flat = project.answer("listFiles", json!({"path": "docs"})).await;
    let file = |path: &str| json!({"path": path, "kind": "file", "bytes": 4});
    let (inner, link) = (
        json!({"path": "docs/in", "kind": "folder"}),
        json!({"path": "docs/out", "kind": "link"}),
    );
    assert_eq!(
        flat,
        json!({"entries": [file("docs/a.md"), file("docs/b.md"), inner, link], "cut": false, "withheld": 2})
    );
    let deep = project
        .answer("listFiles", json!({"path": ".", "pattern": "*.md", "recursive": true}))
        .await;
    let expected: Vec<_> = ["docs/a.md", "docs/b.md", "docs/in/c.md", "top.md"].map(file).to_vec();
    assert_eq!(deep["entries"], json!(expected));
    let shaped = project
        .answer(
            "listFiles",
            json!({"path": "docs", "pattern": "in/*", "recursive": true}),
        )
        .await;
    assert_eq!(shaped["entries"], json!([file("docs/in/c.md"), file("docs/in/d.txt")]));
    assert_eq!(
        project.fault("listFiles", json!({"path": "top.md"})).await,
        "`top.md` is no folder"
    );
    let fault = project
        .fault("listFiles", json!({"path": ".", "pattern": "a***"}))
        .await;
    assert!(fault.starts_with("the pattern cannot be used"), "{fault}");
}

#[tokio::test]
async fn a_long_list_is_cut_and_says_so() {
    let project = Project::new();
    for n in 0..2010 {
        project.put(&format!("many/{n:04}.txt"), "");
    }
    let mut deep = String::from("deep");
    for _ in 0..40 {
        deep.push_str("/d");
    }
    project.put(&format!("{deep}/end.txt"), "");
    let listing = project.answer("listFiles", json!({"path": "many"})).await;
    assert_eq!(listing["entries"].as_array().map(Vec::len), Some(2000));
    assert_eq!(listing["cut"], true);
    let listing = project
        .answer("listFiles", json!({"path": "deep", "recursive": true}))
        .await;
    assert_eq!(listing["entries"].as_array().map(Vec::len), Some(33));
    assert_eq!(listing["cut"], true);
}
