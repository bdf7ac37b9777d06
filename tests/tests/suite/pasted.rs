//! What the command line prints to be typed again, is typed again: answers, in whose name, and for whom a parent waits.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tests::program::{Said, gatehouse, home_of};
use tests::project::Project;

fn done(project: &Project, arguments: &[&str]) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    said
}

/// A line of what was said, given to a shell as it stands there.
fn paste(project: &Project, line: &str) -> Said {
    paste_in(project, &project.root, line)
}

fn paste_in(project: &Project, folder: &Path, line: &str) -> Said {
    let program = gatehouse().expect("it is built");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().expect("a folder").to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(folders).expect("they can be joined"))
        .env(studio::settings::identity::HOME_VARIABLE, home_of(&project.root))
        .output()
        .expect("there is a shell");
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The commands that were printed, with this word in them.
fn printed<'a>(said: &'a str, word: &str) -> &'a str {
    let mut lines = said
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("gatehouse "));
    let found = lines.find(|line| line.split(' ').any(|part| part == word));
    found.unwrap_or_else(|| panic!("no command with `{word}` in {said}"))
}

/// A flow whose id would run a command if a shell read it.
const FLOW: &str = "\
key: 'x$(touch owned);`touch owned`'
title: A memo
steps:
  - {id: write, agents: [x], role: Write it, human_gate: required, gate_question: Good?}
";
const SHELL: &str = "agents:\n  '*': {engine: shell, run: 'true'}\n";

#[test]
fn a_printed_answer_is_pasted_as_it_stands() {
    for (word, over) in [("approve", true), ("changes", false), ("reject", true)] {
        let project = Project::new(&[("memo.yaml", FLOW), ("gatehouse.yaml", SHELL)]).expect("a project");
        let said = done(&project, &["run", "memo.yaml", "--until-blocked"]);
        let line = printed(&said.out, word);
        assert_eq!(line.contains("--comment TEXT"), word != "approve", "{line}");
        let pasted = paste(&project, line);
        assert_eq!(pasted.code, Some(0), "{line}: {}{}", pasted.out, pasted.err);
        assert!(pasted.out.contains("answered round 1"), "{}", pasted.out);
        for folder in [project.root.as_path(), project.root.parent().unwrap_or(Path::new("/"))] {
            assert!(!folder.join("owned").exists(), "a command in an id was run");
        }
        // Pasted again it answers nothing else.
        let again = paste(&project, line);
        assert_eq!(again.code, Some(3), "{}{}", again.out, again.err);
        // Whoever answers while nobody drives the run leaves its files as they should be.
        let (run, state) = project.latest().expect("a history").expect("a run");
        done(&project, &["verify", run.as_str()]);
        let goes_on = pasted.out.contains("gatehouse resume");
        assert_eq!(goes_on, !state.status.ended(), "{word}: {}", pasted.out);
        if goes_on {
            done(&project, &["resume", run.as_str(), "--until-blocked"]);
        }
        let shown = done(&project, &["status", run.as_str()]).out;
        assert_eq!(shown.contains("gatehouse answer"), !over, "{word}: {shown}");
    }
}

/// The second branch is called as the gate of the first one is.
const NAMED_AS_A_GATE: &str = "\
key: flow
title: Two branches
steps:
  - {id: a, agents: [x], role: Begin, routing: {kind: fork, fork_targets: [p, 'flow:p:hitl']}}
  - {id: p, agents: [x], role: Do, human_gate: required, gate_question: First?, routing: {kind: linear, next: j}}
  - {id: 'flow:p:hitl', agents: [x], role: Do, human_gate: required, gate_question: Other?, routing: {kind: linear, next: j}}
  - {id: j, agents: [x], role: End, routing: {kind: join}}
";

#[test]
fn a_printed_answer_is_of_the_question_above_it_whatever_steps_are_called() {
    let files = [("flow.yaml", NAMED_AS_A_GATE), ("gatehouse.yaml", SHELL)];
    let project = Project::new(&files).expect("a project");
    done(&project, &["run", "flow.yaml", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let shown = done(&project, &["status", run.as_str()]).out;
    assert!(
        shown.contains("round 1: First?") && shown.contains("round 1: Other?"),
        "{shown}"
    );
    let pasted = paste(&project, printed(&shown, "flow:p:hitl"));
    assert_eq!(pasted.code, Some(0), "{}{}", pasted.out, pasted.err);
    assert!(pasted.out.contains("answered round 1 of “First?”"), "{}", pasted.out);
    let left = done(&project, &["status", run.as_str()]).out;
    assert!(
        left.contains("round 1: Other?") && !left.contains("round 1: First?"),
        "{left}"
    );
}

const AROUND: &str = "# Around\n\n## 1 Inside\n\n- child.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
const CHILD: &str = "# Child\n\n## 1 Is it well?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n";

fn family() -> Project {
    Project::new(&[("around.runbook.md", AROUND), ("child.runbook.md", CHILD)]).expect("a project")
}

#[test]
fn a_parent_says_for_whom_its_child_waits() {
    let project = family();
    let said = done(&project, &["run", "around.runbook.md", "--until-blocked", "--json"]);
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let waiting = &last["waiting"];
    assert_eq!(last["kind"], "summary");
    let (parent, child) = (
        last["run_id"].as_str().expect("a run"),
        waiting["run_id"].as_str().expect("a run"),
    );
    assert_ne!(parent, child, "{last}");
    assert!(waiting["gate"].is_string() && waiting["question"].is_string(), "{last}");

    let shown = done(&project, &["status", parent]).out;
    assert!(
        shown.contains("a run inside this one") && shown.contains(child),
        "{shown}"
    );
    let told: Value = serde_json::from_str(&done(&project, &["status", parent, "--json"]).out).expect("JSON");
    assert_eq!(told["waiting_inside"][0]["run_id"], child);
    assert_eq!(waiting["answer"][0], printed(&shown, "yes"));
    // Asked from another folder it names the project.
    let elsewhere = project.root.parent().expect("a folder");
    let shown = paste_in(&project, elsewhere, &format!("gatehouse -C project status {parent}")).out;
    let pasted = paste_in(&project, elsewhere, printed(&shown, "yes"));
    assert_eq!(pasted.code, Some(0), "{}{}", pasted.out, pasted.err);
    assert!(
        pasted.out.contains(&format!("gatehouse resume {parent}")),
        "the run around it goes on: {}",
        pasted.out
    );
    let ended = done(&project, &["resume", parent]).out;
    assert!(!ended.contains("gatehouse answer"), "{ended}");
    let told: Value = serde_json::from_str(&done(&project, &["status", parent, "--json"]).out).expect("JSON");
    assert_eq!(told["waiting_inside"], Value::Array(Vec::new()));
}

#[test]
fn everything_is_approved_in_a_name_that_is_given() {
    let project = Project::new(&[("memo.yaml", FLOW), ("gatehouse.yaml", SHELL)]).expect("a project");
    let nobody = project.gatehouse(&["run", "memo.yaml", "--yes"]).expect("built");
    assert_eq!(nobody.code, Some(3), "{}{}", nobody.out, nobody.err);
    assert!(nobody.err.contains("--by NAME"), "{}", nobody.err);
    assert!(project.latest().expect("a history").is_none(), "nothing was begun");
    done(&project, &["run", "memo.yaml", "--yes", "--by", "Ann Lee"]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    let mut rounds = state.gates.values().flatten();
    let decided = rounds.next().and_then(|round| round.answer.as_ref());
    assert_eq!(decided.map(|(decision, _)| decision.by.as_str()), Some("Ann Lee"));
    let alone = project.gatehouse(&["run", "memo.yaml", "--by", "Ann"]).expect("built");
    assert_eq!(alone.code, Some(64), "a name without --yes means nothing");
}

#[test]
fn a_missing_runner_of_the_family_is_named() {
    let runbook = "# A\n\n## 1 Say\n\n```bash\nrd echo --result pass\n```\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let project = Project::new(&[("a.runbook.md", runbook)]).expect("a project");
    let found = Command::new("sh").args(["-c", "command -v rd"]).output();
    let here = found.is_ok_and(|o| o.status.success());
    assert!(
        !here,
        "there is an rd on this machine: what is said of a missing one cannot be seen"
    );
    let said = project.gatehouse(&["run", "a.runbook.md", "--permit"]).expect("built");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(
        said.out.contains("calls `rd`, which is the family's own runner"),
        "{}",
        said.out
    );
}

#[test]
fn the_list_of_pipelines_hides_nothing() {
    let good = "name: Good\nstages:\n  - {name: a, run: 'true'}\n";
    let project = Project::new(&[
        ("pipelines/PIPE-20250101-good-000001.yaml", good),
        (
            "pipelines/PIPE-20250102-broken-000001.yaml",
            "name: Broken\nstages: [\n",
        ),
        ("pipelines/PIPE-20250103-misnamed.yaml", good),
        ("pipelines/ours.yml", good),
        ("pipelines/notes.yaml", "nothing: of this\n"),
    ])
    .expect("a project");
    done(&project, &["pipeline", "run", "PIPE-20250101-good-000001", "--permit"]);
    let listed = done(&project, &["pipeline", "list"]).out;
    assert!(listed.contains("PIPE-20250101-good-000001: completed"), "{listed}");
    for name in [
        "PIPE-20250102-broken-000001",
        "pipelines/PIPE-20250103-misnamed.yaml",
        "pipelines/ours.yml",
    ] {
        let mut lines = listed.lines().skip_while(|line| !line.contains(name));
        assert!(lines.next().is_some(), "{name} is hidden: {listed}");
        assert!(
            lines.next().is_some_and(|line| line.contains("Cannot be run: ")),
            "{name}: {listed}"
        );
    }
    assert!(!listed.contains("notes"), "{listed}");
}

/// A build that says why it failed behind more than is shown as it comes.
const FLOOD: &str = "\
agents:
  '*': {engine: shell, run: 'seq 1 60000; echo \"FATAL: missing semicolon in main.c line 7\"; exit 1'}
";

#[test]
fn a_long_output_shows_its_end_and_is_printed_whole() {
    let flow = "key: build\ntitle: Build\nsteps:\n  - {id: make, agents: [x], role: Build it}\n";
    let project = Project::new(&[("build.yaml", flow), ("gatehouse.yaml", FLOOD)]).expect("a project");
    let said = project.gatehouse(&["run", "build.yaml"]).expect("it is built");
    assert_eq!(said.code, Some(1), "{}", said.err);
    let indented = |line: &str| line.strip_prefix("    ").map(str::to_owned);
    let printed: Vec<String> = said.out.lines().filter_map(indented).collect();
    assert!(
        printed
            .iter()
            .any(|line| line == "FATAL: missing semicolon in main.c line 7"),
        "the end is shown"
    );
    // No number is broken.
    let numbers: Vec<u32> = printed.iter().filter_map(|line| line.parse().ok()).collect();
    assert!(
        numbers.len() > 40_000 && numbers.is_sorted(),
        "{} numbers",
        numbers.len()
    );
    assert_eq!(numbers.last(), Some(&60_000));
    assert!(said.out.contains("remark: ") && said.out.contains("left out here; gatehouse output"));

    let (run, _) = project.latest().expect("a history").expect("a run");
    let whole = project
        .gatehouse(&["output", run.as_str(), "make", "--attempt", "1"])
        .expect("it is built");
    assert_eq!(whole.code, Some(0), "{}", whole.err);
    assert_eq!(whole.out.lines().count(), 60_001);
    assert!(whole.out.ends_with("\nFATAL: missing semicolon in main.c line 7\n"));
    for arguments in [
        &["make", "--visit", "2"][..],
        &["make", "--attempt", "9"][..],
        &["other"][..],
    ] {
        let all: Vec<&str> = ["output", run.as_str()].iter().chain(arguments).copied().collect();
        let refused = project.gatehouse(&all).expect("it is built");
        assert_eq!(refused.code, Some(3), "{all:?}: {}", refused.err);
    }
}

#[test]
fn a_gate_names_what_it_is_about() {
    let flow = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], role: Write it, outputs: [memo.md], human_gate: required, gate_question: Good?}
";
    let shell = "agents:\n  '*': {engine: shell, run: 'printf 12345 > memo.md'}\n";
    let project = Project::new(&[("memo.yaml", flow), ("gatehouse.yaml", shell)]).expect("a project");
    let said = done(&project, &["run", "memo.yaml", "--until-blocked"]);
    let about = "it is about memo.md (5 bytes, SHA-256 5994471abb01…)";
    assert!(said.out.contains(&format!("    {about}\n")), "{}", said.out);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let told = || -> Value {
        let told = done(&project, &["status", run.as_str(), "--json"]).out;
        serde_json::from_str(&told).expect("JSON")
    };
    let shown = told()["waiting"]["about"]["shown"][0].clone();
    assert_eq!(shown["path"], "memo.md");
    assert_eq!(shown["bytes"], 5);
    assert_eq!(shown["on_disk"], "same");
    std::fs::write(project.root.join("memo.md"), "another").expect("a file");
    assert_eq!(told()["waiting"]["about"]["shown"][0]["on_disk"], "another");
    let status = done(&project, &["status", run.as_str()]).out;
    assert!(status.contains("on disk is another version by now"), "{status}");
    let answered = done(
        &project,
        &["answer", run.as_str(), "write", "approve", "--by", "Ada Lund"],
    );
    assert!(answered.out.contains(about), "{}", answered.out);
}

/// Whoever waits with a run is told at once for whom a run inside it waits.
#[test]
fn a_run_that_is_waited_with_says_whom_a_run_inside_asks() {
    let project = family();
    let mut command = tests::program::command(&project.root, &["run", "around.runbook.md"]).expect("it is built");
    let mut program = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let out = program.stdout.take().expect("a pipe");
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    let mut said = Vec::new();
    // Until its commands are there, with the one that answers it.
    while let Ok(line) = told.recv_timeout(Duration::from_secs(60)) {
        said.push(line);
        if said.iter().any(|line| line.contains(" no --")) {
            break;
        }
    }
    program.kill().expect("it is there");
    program.wait().expect("it has ended");
    let said = said.join("\n");
    assert_eq!(said.matches("a run inside this one").count(), 1, "{said}");
    assert!(said.contains("    gatehouse answer "), "{said}");
}
