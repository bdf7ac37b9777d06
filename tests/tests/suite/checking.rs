//! `gatehouse check`: what it says of a project's settings, without which no workflow of it starts.

use serde_json::Value;
use tests::program::Said;
use tests::project::Project;

const FLOW: &str = "key: memo\ntitle: A memo\nsteps:\n  - {id: write, agents: [x], role: Write it}\n";

fn project(settings: &str) -> Project {
    Project::new(&[("flows/memo.yaml", FLOW), ("gatehouse.yaml", settings)]).expect("a project")
}

fn says(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

#[test]
fn settings_that_no_run_accepts_are_an_error_of_every_file_of_the_project() {
    let broken = project("version: 1\npermissions:\n  mode: sometimes\n");
    for asked in [".", "flows", "flows/memo.yaml", "gatehouse.yaml"] {
        let said = says(&broken, &["check", asked]);
        assert_eq!(said.code, Some(2), "{asked}: {}{}", said.out, said.err);
        assert!(
            said.out.contains("gatehouse.yaml:3:3: error: permissions.mode: "),
            "{asked}: {}",
            said.out
        );
        assert!(
            said.out.contains("[GH0117]") && said.out.contains("under `permissions`"),
            "{}",
            said.out
        );
        assert_eq!(said.out.matches("GH0117").count(), 1, "{}", said.out);
    }
    let refused = says(&broken, &["run", "flows/memo.yaml", "--rehearse", "--until-blocked"]);
    assert_ne!(refused.code, Some(0), "a run says the same: {}", refused.out);
    assert!(
        refused.err.contains("gatehouse.yaml:3:3: permissions.mode: "),
        "{}",
        refused.err
    );

    let elsewhere = project("pipelines: {folder: ../beside}\n");
    let said = says(&elsewhere, &["check", "."]);
    assert!(
        said.code == Some(2)
            && said
                .out
                .contains("gatehouse.yaml:1:13: error: `pipelines.folder` is ../beside"),
        "{}",
        said.out
    );
}

#[test]
fn a_setting_without_effect_is_a_warning_in_the_file_that_it_stands_in() {
    let misspelt = project("version: 1\nhitl:\n  mode: blockng\nruntmie: {max_retries: 1}\n");
    std::fs::create_dir(misspelt.root.join("config")).expect("a folder");
    std::fs::write(misspelt.root.join("config/runtime.yaml"), "engine: {workers: 4}\n").expect("a file");
    let said = says(&misspelt, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for line in [
        "config/runtime.yaml:1:1: warning: `engine` has no effect",
        "gatehouse.yaml:3:3: warning: `hitl.mode` is “blockng”",
        "gatehouse.yaml:4:1: warning: `runtmie` means nothing",
        "1 workflow checked: 0 errors, 3 warnings",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    let lines = says(&misspelt, &["check", "--json", "flows"]).out;
    let all: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let paths: Vec<&str> = all.iter().filter_map(|line| line["path"].as_str()).collect();
    assert_eq!(paths, ["flows/memo.yaml", "config/runtime.yaml", "gatehouse.yaml"]);
    assert_eq!(
        (&all[2]["workflow"], &all[2]["warnings"]),
        (&Value::Null, &Value::from(2))
    );

    let well = project("version: 1\n");
    let said = says(&well, &["check", "gatehouse.yaml"]);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), "0 workflows checked: 0 errors, 0 warnings")
    );
}

#[test]
fn a_name_in_the_settings_that_nothing_has_is_a_warning() {
    let project = project(
        "tools: {blocklist: [wrteTextFile]}\npermissions:\n  runbooks:\n    gone.runbook.md: {mode: deny}\n    flows/memo.yaml: {mode: ask}\n",
    );
    let said = says(&project, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for line in [
        "warning: `tools.blocklist[0]` is `wrteTextFile`, which is the name of no tool here",
        "Did you mean `writeTextFile`?",
        "warning: `permissions.runbooks` has rules for `gone.runbook.md`, and there is no such file",
        "0 errors, 2 warnings",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
}

#[test]
fn a_run_says_how_many_notes_there_are_of_names_without_effect() {
    let project = project("version: 1\n");
    let run = ["run", "flows/memo.yaml", "--rehearse", "--until-blocked"];
    let said = says(&project, &run);
    assert!(!said.err.contains("have no effect on a run"), "{}", said.err);
    let noted = FLOW.replace("role: Write it", "role: Write it, colour: blue");
    std::fs::write(project.root.join("flows/memo.yaml"), noted).expect("written");
    let said = says(&project, &run);
    let line =
        "note: 1 note about names in this file that have no effect on a run; gatehouse check flows/memo.yaml shows it";
    assert!(said.err.contains(line), "{}", said.err);
}

/// Nothing that is recorded could name it.
#[cfg(target_os = "linux")]
#[test]
fn a_workflow_whose_name_is_no_text_is_refused_by_check_and_run_alike() {
    use std::os::unix::ffi::OsStrExt as _;
    let project = project("version: 1\n");
    let name = std::ffi::OsStr::from_bytes(b"\xe9bad.yaml");
    std::fs::write(project.root.join(name), FLOW).expect("a file");
    for (verb, code) in [("check", 2), ("run", 3)] {
        let mut command = tests::program::command(&project.root, &[verb]).expect("gatehouse is built");
        let said = Said::from(command.arg(name).output().expect("it ends"));
        assert_eq!(said.code, Some(code), "{verb}: {}{}", said.out, said.err);
        let all = format!("{}{}", said.out, said.err);
        assert!(
            all.contains("\\xe9bad.yaml") && all.contains("its name is not UTF-8"),
            "{verb}: {all}"
        );
    }
}

#[test]
fn settings_under_a_name_that_is_not_read_keep_runs_from_starting() {
    let project = project("version: 1\n");
    let at = |name: &str| project.root.join(name);
    std::fs::rename(at("gatehouse.yaml"), at("gatehouse.yml")).expect("renamed");
    let _ = std::fs::remove_dir_all(at(".gatehouse"));
    for asked in [".", "flows/memo.yaml", "gatehouse.yml"] {
        let said = says(&project, &["check", asked]);
        let line = "gatehouse.yml:1:1: error: gatehouse.yml is not read: name it gatehouse.yaml";
        assert!(
            said.code == Some(2) && said.out.contains(line),
            "{asked}: {}{}",
            said.out,
            said.err
        );
        assert!(said.out.contains("[GH0117]"), "{}", said.out);
    }
    let refused = says(&project, &["run", "flows/memo.yaml", "--rehearse", "--until-blocked"]);
    assert_ne!(refused.code, Some(0), "a run says the same: {}", refused.out);
    assert!(refused.err.contains("gatehouse.yml is not read"), "{}", refused.err);
    std::fs::write(at("gatehouse.yaml"), "version: 1\n").expect("written");
    let said = says(&project, &["check", "."]);
    let line = "gatehouse.yml:1:1: warning: gatehouse.yml is not read, since gatehouse.yaml is there too";
    assert!(
        said.code == Some(0) && said.out.contains(line),
        "{}{}",
        said.out,
        said.err
    );
}

#[test]
fn each_file_is_looked_at_by_itself_also_where_no_project_is_yet() {
    // What some editors begin a file with is no document of its own.
    let marked = project("\u{feff}version: 1\nagents:\n  w: {engine: nope}\n");
    std::fs::create_dir(marked.root.join("config")).expect("a folder");
    let operator = "hitl:\n  policy:\n    required_phases: 5\n";
    std::fs::write(marked.root.join("config/runtime.yaml"), operator).expect("a file");
    let said = says(&marked, &["check", "gatehouse.yaml"]);
    for line in [
        "config/runtime.yaml:3:",
        "gatehouse.yaml:3:3: error: agents.w: unknown engine",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    assert_eq!(said.code, Some(2));

    let plain = Project::new(&[("memo.yaml", FLOW), ("config/runtime.yaml", operator)]).expect("a folder");
    let _ = std::fs::remove_file(plain.root.join("gatehouse.yaml"));
    let _ = std::fs::remove_dir_all(plain.root.join(".gatehouse"));
    let said = says(&plain, &["check", "memo.yaml"]);
    assert!(
        said.code == Some(2) && said.out.contains("config/runtime.yaml:3:"),
        "{}",
        said.out
    );
}

#[test]
fn a_value_is_not_taken_for_a_key() {
    for value in ["runtime", "Mars/Phobos"] {
        let wrong = project(&format!("runtime: {{max_retries: 1}}\ntimezone: {value}\n"));
        let said = says(&wrong, &["check", "."]);
        let line = format!("gatehouse.yaml:2:1: error: `timezone` is {value}, ");
        assert!(
            said.out.contains(&line) && said.out.contains("under `timezone`"),
            "{}",
            said.out
        );
    }
}

#[test]
fn a_workflow_beside_the_project_is_not_in_it() {
    let well = project("version: 1\n");
    std::fs::write(well.root.join("../memo.yaml"), FLOW).expect("a file");
    let pipeline = "name: P\nstages:\n  - {name: s1, workflow: ../memo.yaml}\n";
    std::fs::write(well.root.join("p.yaml"), pipeline).expect("a file");
    let said = says(&well, &["check", "p.yaml"]);
    assert!(
        said.code == Some(2) && said.out.contains("There is no file `../memo.yaml` in the project"),
        "{}{}",
        said.out,
        said.err
    );
    let gone = says(&well, &["check", "--json", "nope.yaml"]);
    let line: Value = serde_json::from_str(gone.out.trim()).expect("JSON");
    assert_eq!((gone.code, &line["errors"]), (Some(2), &Value::from(1)), "{}", gone.out);
}

/// From where a file is checked changes nothing of what is found: what it names is looked for in its own project.
#[test]
fn a_project_is_checked_alike_from_anywhere() {
    let around = Project::new(&[
        ("inner/gatehouse.yaml", "version: 1\n"),
        ("inner/flows/memo.yaml", FLOW),
        (
            "inner/pipelines/p.yaml",
            "name: P\nstages:\n  - {name: s1, workflow: flows/memo.yaml}\n",
        ),
        (
            "inner/flows/first.yaml",
            "key: first\ntitle: First\non_complete: {next_flow: memo}\nsteps:\n  - {id: write, agents: [x], role: Write it}\n",
        ),
    ])
    .expect("a project");
    let of_each: [&[&str]; 2] = [
        &["check", "inner"],
        &["check", "inner/pipelines/p.yaml", "inner/flows/first.yaml"],
    ];
    for arguments in of_each {
        let said = says(&around, arguments);
        assert!(
            said.code == Some(0) && said.out.contains("checked: 0 errors, 0 warnings"),
            "{arguments:?}: {}{}",
            said.out,
            said.err
        );
    }
    // And what is wrong in another file is named as it is named from here.
    std::fs::write(
        around.root.join("inner/flows/memo.yaml"),
        FLOW.replace("role:", "routing: {kind: spiral}, role:"),
    )
    .expect("a file");
    let said = says(&around, &["check", "inner/pipelines/p.yaml"]);
    assert!(
        said.code == Some(2) && said.out.contains("inner/pipelines/p.yaml:"),
        "{}",
        said.out
    );
}

#[test]
fn a_file_s_name_counts_in_any_letters_and_what_is_no_text_is_named() {
    let files = [
        ("flows/ok.YAML", FLOW),
        ("flows/R.RUNBOOK.MD", "## 1 Do it\n\nDo it.\n"),
        ("flows/OK.SCENARIO.YAML", "name: t\n"),
        ("gatehouse.yaml", "version: 1\n"),
    ];
    let project = Project::new(&files).expect("a project");
    std::fs::write(project.root.join("flows/bad.yaml"), b"\xff\xfe\x00").expect("a file");
    for (command, whole) in [
        ("check", "2 workflows checked: 0 errors"),
        ("test", "2 workflows tested: "),
    ] {
        let said = says(&project, &[command, "flows"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        for named in [whole, "flows/bad.yaml: not looked at: the file cannot be read"] {
            assert!(said.out.contains(named), "{command} {named}: {}", said.out);
        }
    }
}

/// Where nothing of a folder could be looked at, it is not said to be in order.
#[test]
fn a_folder_of_which_nothing_can_be_read_is_not_in_order() {
    let project = Project::new(&[("flows/memo.yaml", FLOW)]).expect("a project");
    std::fs::create_dir(project.root.join("odd")).expect("a folder");
    std::fs::write(project.root.join("odd/bad.yaml"), [0xff, 0xfe, 0x00, 0x81]).expect("a file");
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo")
            .arg(project.root.join("odd/pipe.yaml"))
            .status();
        assert!(made.expect("it is run").success());
    }
    let pipes = usize::from(cfg!(unix));
    let said = says(&project, &["check", "odd"]);
    assert_eq!(said.code, Some(2), "{}", said.out);
    let last = format!("0 workflows checked: 0 errors, 0 warnings; {} not looked at", 1 + pipes);
    assert_eq!(
        said.out.trim_end().lines().next_back(),
        Some(last.as_str()),
        "{}",
        said.out
    );
    assert_eq!(
        said.out.matches("pipe.yaml: not looked at: ").count(),
        pipes,
        "{}",
        said.out
    );
    // Beside one that could it may be no workflow.
    let said = says(&project, &["check", "."]);
    assert!(
        said.code == Some(0) && said.out.contains("1 workflow checked: ") && said.out.contains("not looked at"),
        "{}",
        said.out
    );
}

/// What may hold workflows and cannot be looked at is named; what was named itself is an error.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_entered_and_a_link_that_leads_nowhere_are_named() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project = project("version: 1\n");
    let at = |name: &str| project.root.join(name);
    for (target, link) in [
        ("nowhere.yaml", "flows/lost.yaml"),
        ("second", "first"),
        ("first", "second"),
        ("flows", "again"),
        ("flows/memo.yaml", "memo.yaml"),
    ] {
        symlink(target, at(link)).expect("a link");
    }
    let said = says(&project, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    for named in [
        "flows/lost.yaml: not looked at: the link leads nowhere",
        "first: not looked at: the link cannot be followed: ",
        "second: not looked at: the link cannot be followed: ",
        "1 workflow checked: 0 errors",
    ] {
        assert!(said.out.contains(named), "{named}: {}", said.out);
    }
    let tested = says(&project, &["test", "."]);
    assert_eq!(tested.code, Some(0), "{}{}", tested.out, tested.err);
    for named in ["flows/lost.yaml", "first", "second"] {
        let named = format!("{named}: not looked at: the link ");
        assert!(tested.out.contains(&named), "{named}: {}", tested.out);
    }
    // What they lead to is looked at where it lies.
    assert!(
        !said.out.contains("again") && !said.out.contains("./memo.yaml"),
        "{}",
        said.out
    );
    let json = says(&project, &["check", "--json", "flows"]).out;
    assert!(json.contains("\"unreadable\":\"the link leads nowhere\""), "{json}");
    std::fs::create_dir(at("shut")).expect("a folder");
    let permit = |mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(at("shut"), permissions).expect("it is ours");
    };
    permit(0o000);
    // Some may enter any folder.
    if std::fs::read_dir(at("shut")).is_err() {
        let said = says(&project, &["check", "."]);
        let named = "shut: not looked at: the folder cannot be looked into: ";
        assert!(
            said.code == Some(0) && said.out.contains(named),
            "{}{}",
            said.out,
            said.err
        );
        let said = says(&project, &["check", "shut"]);
        let named = "shut: error: the folder cannot be looked into: ";
        assert!(
            said.code == Some(2) && said.out.contains(named),
            "{}{}",
            said.out,
            said.err
        );
    }
    permit(0o755);
}

/// A folder in which there is nothing to check is not in order either.
#[test]
fn a_folder_without_a_workflow_is_named() {
    let project = Project::new(&[("flows/memo.yaml", FLOW), ("empty/notes.txt", "Nothing.\n")]).expect("a project");
    for arguments in [&["check", "empty"][..], &["check", "--json", "empty"][..]] {
        let said = says(&project, arguments);
        assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
        assert!(said.err.contains("error: Nothing was checked"), "{}", said.err);
    }
    let said = says(&project, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}
