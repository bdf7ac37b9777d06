//! The history as a person keeps it: one file, their own, copied and put back; what takes it away from under a run is noticed.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tests::program::{self, Said};
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], human_gate: required, gate_question: Good?}
";
/// Twenty steps of a moment each.
fn long() -> String {
    let steps = (0..20).map(|n| match n {
        19 => format!("  - {{id: s{n}, agents: [worker], role: R}}\n"),
        _ => format!(
            "  - {{id: s{n}, agents: [worker], role: R, routing: {{kind: linear, next: s{}}}}}\n",
            n + 1
        ),
    });
    format!("key: long\ntitle: Long\nsteps:\n{}", steps.collect::<String>())
}
/// The last step goes on until a file `go` is there: however slow the machine is, the run has not ended before.
const SLOW: &str = "agents: {worker: {engine: shell, run: 'sleep 0.3; [ $GATEHOUSE_STEP != s19 ] || until [ -e go ]; do sleep 0.05; done'}}\n";

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

fn done(project: &Project, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    said
}

/// A run that goes on until a file `go` is there, and has begun: some of its files are written.
fn driven() -> (Project, Child) {
    let project = Project::new(&[("long.yaml", &long()), ("gatehouse.yaml", SLOW)]).expect("a project");
    let child = program::command(&project.root, &["run", "long.yaml"])
        .expect("gatehouse is built")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let start = Instant::now();
    let runs = project.root.join(".gatehouse/runs");
    let is_told = || {
        let mut each = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        each.any(|run| run.path().join("run.json").exists())
    };
    while !is_told() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(700));
    (project, child)
}

/// Path → bytes and time of change, of everything below.
fn picture(folder: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut open = vec![folder.to_owned()];
    let mut seen = BTreeMap::new();
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if let (Ok(bytes), Ok(about)) = (std::fs::read(&path), entry.metadata()) {
                seen.insert(path.display().to_string(), (bytes, about.modified().expect("a time")));
            }
        }
    }
    seen
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

#[test]
fn after_every_command_there_is_one_complete_private_file() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let own = project.root.join(".gatehouse");
    done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    for arguments in [
        &["list"][..],
        &["status", run.as_str()],
        &["verify", run.as_str()],
        &["resume", run.as_str(), "--until-blocked"],
        &["answer", run.as_str(), "write", "approve", "--by", "Ann"],
        &["events", run.as_str()],
        &["rebuild", run.as_str()],
        &["report", run.as_str(), "-o", "report.html"],
        &["verify", run.as_str()],
    ] {
        done(&project, arguments);
        assert_eq!(names(&own), ["history.db", "runs"], "{arguments:?}");
        let elsewhere = Project::new(&[]).expect("another project");
        std::fs::create_dir(elsewhere.root.join(".gatehouse")).expect("made");
        std::fs::copy(own.join("history.db"), elsewhere.root.join(".gatehouse/history.db")).expect("copied");
        assert!(done(&elsewhere, &["list"]).out.contains("A memo"), "{arguments:?}");
    }
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&own), mode(&own.join("history.db"))), (0o700, 0o600));
    let home = project.home();
    assert_eq!((mode(&home), mode(&home.join("signing-key"))), (0o700, 0o600));
    // A key that others could read is closed, and that is said.
    std::fs::set_permissions(home.join("signing-key"), std::fs::Permissions::from_mode(0o644)).expect("opened");
    let said = done(&project, &["list"]);
    assert!(said.err.contains("could be read by other accounts"), "{}", said.err);
    assert_eq!(mode(&home.join("signing-key")), 0o600);
    assert!(!done(&project, &["list"]).err.contains("could be read"));
}

#[test]
fn a_history_that_goes_while_a_run_is_driven_stops_it() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 3] = [
        ("the folder", |p| {
            // Whoever drives the run may write one more file into it while it goes.
            let folder = p.join(".gatehouse");
            let is_gone = (0..1_000).any(|_| std::fs::remove_dir_all(&folder).is_ok() || !folder.exists());
            assert!(is_gone, "removed");
        }),
        ("the file", |p| {
            std::fs::remove_file(p.join(".gatehouse/history.db")).expect("removed")
        }),
        ("replaced", |p| {
            std::fs::copy(p.join(".gatehouse/history.db"), p.join("copy")).expect("copied");
            std::fs::rename(p.join("copy"), p.join(".gatehouse/history.db")).expect("replaced");
        }),
    ];
    for (name, harm) in harms {
        let (project, child) = driven();
        harm(&project.root);
        let said = Said::from(child.wait_with_output().expect("it ends"));
        assert_eq!(said.code, Some(70), "{name}: {}{}", said.out, said.err);
        for words in ["was deleted, moved away or replaced", "gatehouse restore"] {
            assert!(said.err.contains(words), "{name}: {}", said.err);
        }
        assert!(!said.err.contains("panicked"), "{name}: {}", said.err);
    }
}

/// A step that puts a link in the place of its run's folder keeps the files from being written: that is told, and is no change of the record.
#[test]
fn files_that_could_not_be_written_are_told_and_are_no_change() {
    let away = "rm -rf $RUN_BASE/two; ln -s /tmp $RUN_BASE/two";
    let agents = format!("agents: {{worker: {{engine: shell, run: '{away}'}}}}\n");
    let flow = "key: two\ntitle: Two\nsteps:\n  - {id: a, agents: [worker], role: R}\n";
    let project = Project::new(&[("two.yaml", flow), ("gatehouse.yaml", &agents)]).expect("a project");
    let said = done(&project, &["run", "two.yaml"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    assert!(
        said.err.contains("The files of this run could not be written: "),
        "{}",
        said.err
    );
    let said = done(&project, &["verify", run.as_str()]);
    assert!(said.out.contains("they could not be written ("), "{}", said.out);
    std::fs::remove_file(project.root.join(".gatehouse/runs").join(run.as_str()).join("two")).expect("the link");
    done(&project, &["rebuild", run.as_str()]);
    let said = done(&project, &["verify", run.as_str()]);
    assert!(
        said.out.contains("Unaltered") && !said.out.contains("written"),
        "{}",
        said.out
    );
}

#[test]
fn what_a_killed_driver_left_is_behind_and_verify_changes_nothing() {
    let (project, mut child) = driven();
    child.kill().expect("killed");
    child.wait().expect("ended");
    let (run, _) = project.latest().expect("a history").expect("a run");
    let runs = project.root.join(".gatehouse/runs");
    // The event log goes on without a driver.
    done(&project, &["list"]);
    let before = picture(&runs);
    for _ in 0..2 {
        let said = done(&project, &["verify", run.as_str()]);
        assert!(said.out.contains("Unaltered"), "{}", said.out);
        assert_eq!(picture(&runs), before, "looking changes nothing");
    }
    // And what is changed beside it is still found.
    let json = runs.join(run.as_str()).join("run.json");
    let kept = std::fs::read(&json).expect("there");
    std::fs::write(&json, "{}").expect("written");
    assert_eq!(say(&project, &["verify", run.as_str()]).code, Some(1));
    std::fs::write(&json, kept).expect("written");
    done(&project, &["rebuild", run.as_str()]);
    let said = done(&project, &["verify", run.as_str()]);
    assert!(said.out.contains("files in the run's folder and"), "{}", said.out);
    assert!(!said.out.contains("behind"), "{}", said.out);
}

#[test]
fn a_backup_is_taken_while_a_run_goes_on_and_put_back() {
    let (project, child) = driven();
    let backup = project.root.with_file_name("backup.db");
    let to = backup.display().to_string();
    let said = done(&project, &["backup", &to]);
    assert!(
        said.out.contains("holds 1 run, and the record of each is unaltered"),
        "{}",
        said.out
    );
    let again = say(&project, &["backup", &to]);
    assert_eq!(again.code, Some(3), "{}", again.err);
    assert!(again.err.contains("was not replaced"), "{}", again.err);
    // Nothing is put back while somebody drives a run.
    let said = say(&project, &["restore", &to]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("is being driven"), "{}", said.err);
    std::fs::write(project.root.join("go"), "").expect("written");
    let ended = Said::from(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);

    let (run, state) = project.latest().expect("a history").expect("a run");
    let folder = project.root.join(".gatehouse/runs").join(run.as_str());
    let told = std::fs::read(folder.join("events.jsonl")).expect("written");
    let said = done(&project, &["restore", &to]);
    assert!(said.out.contains("history-replaced-"), "{}", said.out);
    let (_, then) = project.latest().expect("a history").expect("a run");
    assert!(then.seq < state.seq, "it is as it was");
    // What the files of the run told beyond it is kept, and they are those of the history that is there now.
    assert!(said.out.contains("of-another-log-1"), "{}", said.out);
    let kept = std::fs::read(folder.join("of-another-log-1/events.jsonl")).expect("kept");
    assert!(kept == told, "what the copy does not have stands there still");
    let said = done(&project, &["verify", run.as_str()]);
    assert!(
        said.out.contains("Unaltered") && said.out.contains("told of another log"),
        "{}",
        said.out
    );
    done(&project, &["resume", run.as_str()]);
    done(&project, &["verify", run.as_str()]);
    let kept = names(&project.root.join(".gatehouse"));
    assert!(
        kept.iter().any(|name| name.starts_with("history-replaced-")),
        "{kept:?}"
    );
    for wrong in ["nothing.db", "long.yaml", "."] {
        let said = say(&project, &["restore", wrong]);
        assert_eq!(said.code, Some(3), "{wrong}: {}", said.err);
        assert!(said.err.starts_with("error: "), "{wrong}: {}", said.err);
        assert!(!said.err.contains("start a new history"), "{wrong}: {}", said.err);
    }
    done(&project, &["verify", run.as_str()]);
    // No project yet: a backup makes it one.
    let other = Project::new(&[]).expect("a folder");
    done(&other, &["restore", &to]);
    assert!(done(&other, &["list"]).out.contains("Long"));
    done(&other, &["verify", run.as_str()]);
}

#[test]
fn an_older_copy_of_all_that_was_recorded_is_told_from_what_was_seen_last() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let own = project.root.join(".gatehouse");
    let older = project.root.with_file_name("older");
    done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let copy = |from: &Path, to: &Path| {
        let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status();
        assert!(copied.expect("cp").success());
    };
    copy(&own, &older);
    let answer = ["answer", run.as_str(), "write", "approve", "--by", "Ann"];
    done(&project, &answer);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.status.ended(), "the answer was the last that it waited for");
    let said = done(&project, &["verify", run.as_str()]);
    assert!(said.out.contains("Unaltered: "), "{}", said.out);

    std::fs::remove_dir_all(&own).expect("taken away");
    copy(&older, &own);
    let said = done(&project, &["verify", run.as_str()]);
    assert!(
        said.out.contains("not the log that your Gatehouse saw last") && said.out.contains("puts an older copy back"),
        "{}",
        said.out
    );
    let said = done(&project, &answer);
    assert!(said.err.contains("events of it are missing"), "{}", said.err);
}

/// Nothing in an older history tells of a run that began after it: whoever saw it, and the run's files, do.
#[test]
fn a_run_that_the_history_does_not_have_any_more_is_named() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let own = project.root.join(".gatehouse");
    let older = project.root.with_file_name("older.db");
    let begin = || {
        done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
        project.latest().expect("a history").expect("a run").0
    };
    let first = begin();
    std::fs::copy(own.join("history.db"), &older).expect("copied");
    let gone = begin();
    done(&project, &["answer", gone.as_str(), "write", "approve", "--by", "Ann"]);
    let is_named = |said: &Said| {
        let all = format!("{}{}", said.out, said.err);
        all.contains(gone.as_str()) && all.contains("any more: the history was replaced by an older one")
    };
    let complete = done(&project, &["verify", first.as_str()]);
    assert!(!is_named(&complete), "{}", complete.out);

    std::fs::copy(&older, own.join("history.db")).expect("put back");
    let copy = project.root.with_file_name("copy.db").display().to_string();
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["status", first.as_str()],
        &["verify", first.as_str()],
        &["decisions", "--by", "Ann"],
        &["backup", &copy],
        &["run", "memo.yaml", "--rehearse", "--until-blocked"],
    ] {
        let said = done(&project, arguments);
        assert!(is_named(&said), "{arguments:?}: {}{}", said.out, said.err);
    }
    let capitals = gone.as_str().to_uppercase();
    for arguments in [
        ["status", gone.as_str()],
        ["verify", gone.as_str()],
        ["verify", &capitals],
    ] {
        let said = say(&project, &arguments);
        assert_eq!(said.code, Some(3), "{arguments:?}: {}{}", said.out, said.err);
        assert!(
            is_named(&said) && said.err.contains("gatehouse restore FILE"),
            "{}",
            said.err
        );
        assert!(
            said.err.contains(".gatehouse/runs/"),
            "its files are there: {}",
            said.err
        );
    }

    // Also where nothing is left of it here, and at the first start after that.
    std::fs::remove_dir_all(&own).expect("deleted");
    let said = done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    assert!(
        is_named(&said) || said.err.contains("runs were recorded here"),
        "{}",
        said.err
    );
    assert!(said.err.contains(gone.as_str()), "{}", said.err);
    let said = say(&project, &["verify", gone.as_str()]);
    assert!(
        is_named(&said) && !said.err.contains(".gatehouse/runs/"),
        "{}",
        said.err
    );
}

/// A project may keep `.gatehouse/runs` in Git: what a clone or a colleague brings was never recorded here.
#[test]
fn files_of_a_run_that_came_from_another_copy_accuse_nobody() {
    let theirs = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    done(&theirs, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let foreign = theirs.latest().expect("a history").expect("a run").0;
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let own = project.latest().expect("a history").expect("a run").0;
    let folder = format!(".gatehouse/runs/{foreign}");
    let (from, to) = (theirs.root.join(&folder), project.root.join(&folder));
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.expect("cp").success());

    let to = project.root.with_file_name("copy.db").display().to_string();
    for arguments in [
        &["status", own.as_str()][..],
        &["decisions"],
        &["backup", &to],
        &["run", "memo.yaml", "--rehearse", "--until-blocked"],
    ] {
        let said = done(&project, arguments);
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains(foreign.as_str()), "{arguments:?}: {all}");
    }
    for arguments in [&["list"][..], &["verify", own.as_str()], &["verify", foreign.as_str()]] {
        let said = say(&project, arguments);
        let all = format!("{}{}", said.out, said.err);
        let is_neutral = !all.contains("was recorded here") && !all.contains("restore");
        assert!(
            is_neutral && all.contains(foreign.as_str()) && all.contains("from another copy of the project"),
            "{arguments:?}: {all}"
        );
    }
}

/// Whoever goes on in it makes it the log that was seen last: what was taken out of it is named in the record itself from then on.
#[test]
fn a_run_that_goes_on_in_a_log_that_was_put_back_names_that_for_good() {
    let flow = format!("{FLOW}  - {{id: send, agents: [x]}}\n");
    let project = Project::new(&[("memo.yaml", &flow)]).expect("a project");
    done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let backup = project.root.with_file_name("before.db").display().to_string();
    done(&project, &["backup", &backup]);
    let answer = |word: &str, by: &str| {
        let answer = ["answer", run.as_str(), "write", word, "--by", by, "--comment", "so"];
        done(&project, &answer);
    };
    answer("reject", "Ada");
    let (_, rejected) = project.latest().expect("a history").expect("a run");
    done(&project, &["restore", &backup]);
    answer("approve", "Eve");
    done(&project, &["resume", run.as_str()]);

    let store = project.store().expect("a history");
    let named: Vec<engine::AnotherLog> = store
        .events(&run, 0, usize::MAX)
        .expect("its log")
        .into_iter()
        .filter_map(|e| match e.event {
            engine::Event::AnotherLog(seen) => Some((*seen).clone()),
            _ => None,
        })
        .collect();
    drop(store);
    assert_eq!(named.len(), 1, "once: {named:?}");
    assert_eq!(named[0].events, rejected.seq, "it says how far the other one went");
    let words = "had seen another log of this run";
    let verified = done(&project, &["verify", run.as_str()]);
    assert!(
        verified.out.contains("another log of this run had been seen before") && verified.out.contains(words),
        "{}",
        verified.out
    );
    let status = done(&project, &["status", run.as_str()]);
    assert!(status.out.contains(words), "{}", status.out);
    done(&project, &["report", run.as_str(), "-o", "memo.html"]);
    assert!(project.text("memo.html").contains(words));
    done(&project, &["bundle", run.as_str(), "-o", "memo.zip"]);
    let handed_over = done(&project, &["verify", "memo.zip"]);
    assert!(handed_over.out.contains(words), "{}", handed_over.out);
}

/// Also where a new run goes on from it: from its end with a mended file, or from a checkpoint before anything of that was recorded.
#[test]
fn a_new_run_that_goes_on_from_a_log_that_was_put_back_names_that_too() {
    let flow = format!("{FLOW}  - {{id: send, agents: [x]}}\n");
    let project = Project::new(&[("memo.yaml", &flow)]).expect("a project");
    let latest = || project.latest().expect("a history").expect("a run").0;
    let words = "had seen another log of this run";
    let names_it = |run: &str| {
        let verified = done(&project, &["verify", run]);
        assert!(verified.out.contains(words), "{}", verified.out);
    };
    for checkpoint in [true, false] {
        done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
        let run = latest();
        match checkpoint {
            true => done(&project, &["checkpoint", run.as_str(), "here"]),
            false => done(&project, &["abort", run.as_str(), "--reason", "stop"]),
        };
        let backup = project.root.with_file_name(format!("before-{checkpoint}.db"));
        let backup = backup.display().to_string();
        done(&project, &["backup", &backup]);
        if !checkpoint {
            done(&project, &["resume", run.as_str(), "--until-blocked"]);
        }
        let no = ["--by", "Ada", "--comment", "never"];
        done(
            &project,
            &[&["answer", run.as_str(), "write", "reject"][..], &no[..]].concat(),
        );
        done(&project, &["restore", &backup]);
        let on = match checkpoint {
            true => ["restore-checkpoint", run.as_str(), "here", "--until-blocked"],
            false => ["resume", run.as_str(), "--mended", "--until-blocked"],
        };
        if !checkpoint {
            let mended = flow.replace("id: send, agents: [x]", "id: send, agents: [x, y]");
            project.write(&[("memo.yaml", &mended)]).expect("written");
        }
        done(&project, &on);
        let new = latest();
        assert_ne!(new, run);
        names_it(run.as_str());
        names_it(new.as_str());
        let status = done(&project, &["status", new.as_str()]);
        assert!(status.out.contains(words), "{}", status.out);
        done(&project, &["report", new.as_str(), "-o", "memo.html"]);
        assert!(project.text("memo.html").contains(words));
    }
}

#[test]
fn a_name_is_checked_before_anything_begins() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let long = "x".repeat(121);
    for name in [
        "Ann\u{202e}",
        "A\nB",
        "\u{200b}",
        &long,
        "Ann\u{200b}",
        "\u{2066}Ann",
        "A\tB",
        "...",
        "Ann\u{1b}[2J",
    ] {
        let said = say(&project, &["run", "memo.yaml", "--rehearse", "--yes", "--by", name]);
        assert_eq!(said.code, Some(3), "{name:?}: {}", said.err);
        assert!(
            said.err.contains("A name has at most 120 characters"),
            "{name:?}: {}",
            said.err
        );
        let said = say(
            &project,
            &["run", "memo.yaml", "--rehearse", "--assign", &format!("write={name}")],
        );
        assert_ne!(said.code, Some(0), "{name:?}: {}", said.out);
        assert!(
            project.latest().expect("a history").is_none(),
            "{name:?}: nothing has begun"
        );
    }
    done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    for name in ["Ann\u{202e}", "A\nB", "\u{200b}", &long, "\u{2066}Ann"] {
        let said = say(&project, &["answer", run.as_str(), "write", "approve", "--by", name]);
        assert_eq!(said.code, Some(3), "{name:?}: {}", said.err);
    }
    done(
        &project,
        &["answer", run.as_str(), "write", "approve", "--by", "Zoë O’Neill-Łuk 王"],
    );
}
