//! Whatever is changed behind the program's back, `verify` says so, in every cell of every event and content of a real run
//! and in every file it wrote. The store's own test flips every single byte; here each fifth goes through the façade.

use rusqlite::{Connection, types::Value as Sql};
use std::path::Path;
use studio::command::RunAt;
use studio::{Client, Identity, Studio};
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [author], role: Writes., outputs: [memo.md], human_gate: required, gate_question: Good?, routing: {kind: linear}}
";

const SCENARIO: &str = "\
name: approved at once
steps: {write: [{report: {status: VERIFIED}, output: \"Done.\", artifacts: {memo.md: \"All is well.\\n\"}}]}
";

/// The same run once more, approved beforehand.
const APPROVED: [&str; 8] = [
    "run",
    "memo.yaml",
    "--scenario",
    "memo.scenario.yaml",
    "--fast",
    "--yes",
    "--by",
    "Bob",
];

/// A run that was approved and signed by a person.
fn finished() -> (Project, String) {
    let project = Project::new(&[("memo.yaml", FLOW), ("memo.scenario.yaml", SCENARIO)]).expect("a project");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {} {}", said.out, said.err);
    };
    said(&[
        "run",
        "memo.yaml",
        "--scenario",
        "memo.scenario.yaml",
        "--fast",
        "--until-blocked",
    ]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    // The answer ends the run: nobody drives it any more.
    said(&["answer", run.as_str(), "write", "approve", "--by", "Ann"]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.status.ended());
    (project, run.to_string())
}

fn open(project: &Project) -> Studio {
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    identity.trust(&project.root, true).expect("trusted");
    Studio::open_as(&project.root, Client::Cli, identity).expect("the project opens")
}

/// Opens the history as an intruder would: without the triggers that refuse changes.
fn intrude(project: &Project) -> Connection {
    let raw = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
    raw.execute_batch(
        "PRAGMA synchronous = OFF;
         DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted;
         DROP TRIGGER blobs_are_never_updated; DROP TRIGGER blobs_are_never_deleted;",
    )
    .expect("the triggers can be dropped by somebody who owns the file");
    raw
}

/// Rows are addressed by `rowid`-like keys that the change itself does not touch.
struct Cell {
    table: &'static str,
    column: &'static str,
    row: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

fn cells(raw: &Connection, run: &str) -> Vec<Cell> {
    let mut found = Vec::new();
    let mut take = |table: &'static str, column: &'static str, row: &str| {
        let sql = format!("SELECT {column} FROM {table} WHERE {row}");
        let (kind, bytes) = match raw.query_row(&sql, [], |r| r.get(0)).expect("the row is there") {
            Sql::Integer(i) => ("INTEGER", i64::to_be_bytes(i).to_vec()),
            Sql::Text(t) => ("TEXT", t.into_bytes()),
            Sql::Blob(b) => ("BLOB", b),
            other => panic!("{other:?}"),
        };
        found.push(Cell {
            table,
            column,
            row: row.to_owned(),
            kind,
            bytes,
        });
    };
    let count = |sql: &str| raw.query_row(sql, [], |r| r.get::<_, i64>(0)).expect("a number");
    for seq in 1..=count("SELECT count(*) FROM events") {
        for column in ["at", "body", "hash"] {
            take("events", column, &format!("run_id = '{run}' AND seq = {seq}"));
        }
    }
    for rowid in 1..=count("SELECT count(*) FROM blobs") {
        for column in ["digest", "bytes"] {
            take("blobs", column, &format!("rowid = {rowid}"));
        }
    }
    found
}

fn set(raw: &Connection, cell: &Cell, bytes: &[u8]) {
    let value = match cell.kind {
        "INTEGER" => Sql::Integer(i64::from_be_bytes(bytes.try_into().expect("eight bytes"))),
        _ => Sql::Blob(bytes.to_vec()),
    };
    let Cell {
        table,
        column,
        row,
        kind,
        ..
    } = cell;
    let sql = format!("UPDATE {table} SET {column} = CAST(?1 AS {kind}) WHERE {row}");
    assert_eq!(raw.execute(&sql, [value]).expect("it can be changed"), 1);
}

#[test]
fn a_flipped_byte_in_any_cell_of_any_event_or_content_is_reported() {
    let (project, run) = finished();
    let studio = open(&project);
    let whole = studio.verify(RunAt::live(run.clone())).expect("it can be verified");
    assert!(whole.ok, "{}", whole.words);
    assert!(whole.events > 5 && whole.blobs > 2 && whole.files > 2, "{whole:?}");
    assert_eq!(whole.signatures, 1);

    let raw = intrude(&project);
    let mut flips = 0;
    for (index, cell) in cells(&raw, &run).iter().enumerate() {
        // Another fifth of the bytes in each cell.
        for position in (0..cell.bytes.len()).filter(|p| p % 5 == index % 5 || cell.bytes.len() < 10) {
            let mut changed = cell.bytes.clone();
            changed[position] ^= 0x40;
            set(&raw, cell, &changed);
            let found = studio.verify(RunAt::live(run.clone()));
            let Cell { table, column, row, .. } = cell;
            // Damage is a finding, never an error and never overlooked.
            let found = found.unwrap_or_else(|e| panic!("byte {position} of {column} in {table} where {row}: {e}"));
            assert!(
                !found.ok,
                "byte {position} of {column} in {table} where {row} was not noticed"
            );
            flips += 1;
        }
        set(&raw, cell, &cell.bytes);
    }
    assert!(flips > 800, "only {flips} bytes were tried");
    let again = studio.verify(RunAt::live(run.clone())).expect("it can be verified");
    assert!(again.ok, "everything was put back: {}", again.words);
}

#[test]
fn a_flipped_byte_anywhere_in_a_file_of_the_run_is_reported_and_mended() {
    let (project, run) = finished();
    let studio = open(&project);
    let rebuilt = studio.rebuild(&run).expect("its files can be written");
    let mut files = Vec::new();
    collect(&rebuilt.folder, &mut files);
    // What the rehearsal made lies there too; its content is in the log.
    files.retain(|file| !file.starts_with(rebuilt.folder.join("project")));
    assert_eq!(files.len(), rebuilt.files, "{files:?}");
    for file in &files {
        let bytes = std::fs::read(file).expect("a file");
        // Files are compared as a whole, so that every byte need not be tried: the first, the last and some between.
        let last = bytes.len() - 1;
        for position in (0..last).step_by(last / 20 + 1).chain([last]) {
            let mut changed = bytes.clone();
            changed[position] ^= 0x01;
            std::fs::write(file, &changed).expect("it can be changed");
            let found = studio.verify(RunAt::live(run.clone())).expect("it can be verified");
            assert!(!found.ok, "byte {position} of {} was not noticed", file.display());
        }
        std::fs::remove_file(file).expect("it can be removed");
        assert!(
            !studio.verify(RunAt::live(run.clone())).expect("verified").ok,
            "{} is missing",
            file.display()
        );
        studio.rebuild(&run).expect("its files can be written");
        assert_eq!(
            std::fs::read(file).expect("it is back"),
            bytes,
            "{}: rebuilt byte for byte",
            file.display()
        );
    }
}

fn collect(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_command_line_says_so_too() {
    let (project, run) = finished();
    let whole = project.gatehouse(&["verify", &run]).expect("gatehouse is built");
    assert_eq!(whole.code, Some(0), "{}{}", whole.out, whole.err);
    intrude(&project)
        .execute(
            "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'approve', 'reject_') AS BLOB)",
            [],
        )
        .expect("changed");
    let changed = project
        .gatehouse(&["verify", &run, "--json"])
        .expect("gatehouse is built");
    assert_eq!(changed.code, Some(1), "{}{}", changed.out, changed.err);
    let view: serde_json::Value = serde_json::from_str(changed.out.trim()).expect("JSON");
    assert_eq!(view["ok"], false);
    assert!(view["findings"].as_array().is_some_and(|f| !f.is_empty()), "{view}");
}

/// What `verify` says of the run's files the report says too.
#[test]
fn a_report_says_of_a_changed_file_of_the_run_what_verify_says() {
    let (project, run) = finished();
    let report = |name: &str| {
        let said = project
            .gatehouse(&["report", &run, "-o", name])
            .expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        std::fs::read_to_string(project.root.join(name)).expect("written")
    };
    let whole = report("whole.html");
    assert!(
        whole.contains(">Verified<") && !whole.contains("were not compared"),
        "{whole}"
    );
    let file = project.root.join(".gatehouse/runs").join(&run).join("gates.json");
    std::fs::write(&file, "{}").expect("changed");
    let altered = report("altered.html");
    assert!(
        altered.contains(">Altered<") && altered.contains("gates.json was changed since it was written"),
        "{altered}"
    );
}

#[test]
fn files_are_not_rebuilt_below_whoever_drives_their_run() {
    let (project, run) = finished();
    let studio = open(&project);
    let store = store::Store::open(&project.root).expect("a history");
    let id = engine::RunId::from(run.as_str());
    let now = engine::At(
        i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().expect("later").as_millis()).expect("soon"),
    );
    let owner = format!("test {}@{}", std::process::id(), "here");
    let lease = store.take_lease(&id, &owner, now, 60_000).expect("nobody drives it");
    let refused = studio.rebuild(&run).expect_err("it is driven");
    assert_eq!(refused.code, "driven_elsewhere");
    assert!(refused.message.contains(&owner), "{}", refused.message);
    store.release_lease(&lease).expect("given back");
    studio.rebuild(&run).expect("nobody drives it");
}

/// A run that is only taken out of the list is still there, and everybody is told: whoever verifies it, and whoever verifies another one.
#[test]
fn a_run_that_is_taken_out_of_the_list_is_missed_and_listed_again() {
    let (project, run) = finished();
    let says = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    says(&APPROVED);
    let (other, _) = project.latest().expect("a history").expect("a run");
    assert_ne!(other.as_str(), run);
    let raw = intrude(&project);
    raw.execute("DELETE FROM runs WHERE run_id = ?1", [&run])
        .expect("deleted");
    for verified in [run.as_str(), other.as_str()] {
        let said = says(&["verify", verified]);
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        assert!(said.out.contains("missing from the list of runs"), "{}", said.out);
    }
    let listed = says(&["list"]);
    assert!(
        listed.err.contains(&format!("Run {run} is missing from this list")),
        "{}",
        listed.err
    );
    let lost = says(&["status", &run]);
    assert_eq!(lost.code, Some(3), "{}", lost.err);
    assert!(lost.err.contains(&format!("gatehouse rebuild {run}")), "{}", lost.err);
    assert_eq!(says(&["rebuild", &run]).code, Some(0));
    for verified in [run.as_str(), other.as_str()] {
        let said = says(&["verify", verified]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    }
    assert!(says(&["list"]).out.contains(&run));
    drop(raw);
    // One whose end was cut off before is not listed as though it had ended there. What keeps the record as it is was put back meanwhile.
    let raw = intrude(&project);
    raw.execute("DELETE FROM runs WHERE run_id = ?1", [&run])
        .expect("deleted");
    raw.execute(
        "DELETE FROM events WHERE run_id = ?1 AND seq = (SELECT max(seq) FROM events WHERE run_id = ?1)",
        [&run],
    )
    .expect("deleted");
    assert_eq!(says(&["rebuild", &run]).code, Some(3));
    assert_eq!(says(&["verify", &run]).code, Some(1));
}

/// A word that no list knows hides nothing else, and is written anew from the log.
#[test]
fn a_run_of_which_the_list_says_what_no_run_can_be_is_named_and_listed_again() {
    let (project, run) = finished();
    let says = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    says(&APPROVED);
    let (other, _) = project.latest().expect("a history").expect("a run");
    assert_ne!(other.as_str(), run);
    for column in ["status", "format"] {
        let raw = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
        raw.execute(&format!("UPDATE runs SET {column} = 'donex' WHERE run_id = ?1"), [&run])
            .expect("changed");
        drop(raw);
        let listed = says(&["list"]);
        assert_eq!(listed.code, Some(0), "{column}: {}", listed.err);
        assert!(
            listed.out.contains(other.as_str()) && !listed.out.contains(&run),
            "{}",
            listed.out
        );
        assert!(
            listed.err.contains(&format!("Run {run} is missing from this list")),
            "{}",
            listed.err
        );
        assert_eq!(
            says(&["status", &run]).code,
            Some(0),
            "{column}: its log says how it stands"
        );
        for (verified, words) in [
            (run.as_str(), "the list of runs shows something else"),
            (other.as_str(), "what no run can be"),
        ] {
            let said = says(&["verify", verified]);
            assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
            let told = said.out.to_lowercase();
            assert!(
                told.contains(words) && told.contains("the record itself is whole"),
                "{}",
                said.out
            );
        }
        let mended = says(&["rebuild", &run]);
        assert_eq!(mended.code, Some(0), "{}", mended.err);
        for verified in [run.as_str(), other.as_str()] {
            let said = says(&["verify", verified]);
            assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        }
        let listed = says(&["list"]);
        assert!(
            listed.out.contains(&run) && !listed.err.contains(&run),
            "{}{}",
            listed.out,
            listed.err
        );
    }
}

/// The keys by which rows are found lie in the file too.
#[test]
fn a_flipped_bit_in_the_name_that_an_event_is_kept_under_is_reported() {
    let (project, run) = finished();
    let file = project.root.join(".gatehouse/history.db");
    let raw = Connection::open(&file).expect("a database");
    raw.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
        .expect("one file");
    drop(raw);
    let whole = std::fs::read(&file).expect("readable");
    let key = run.as_bytes();
    let places: Vec<usize> = whole
        .windows(key.len())
        .enumerate()
        .filter(|(_, window)| *window == key)
        .map(|(at, _)| at)
        .collect();
    let mut noticed = 0;
    for at in places {
        // What a row of `events` looks like: its name, a small number, and the time; the body follows.
        let behind = &whole[at + key.len()..][..24];
        if !behind.windows(6).any(|begins| begins == b"{\"at\":") {
            continue;
        }
        let mut flipped = whole.clone();
        // It stands before the true one and is found all the same.
        flipped[at + key.len() - 1] ^= 1;
        std::fs::write(&file, &flipped).expect("written");
        let said = project.gatehouse(&["verify", &run]).expect("gatehouse is built");
        assert_ne!(said.code, Some(0), "at byte {at}: {}{}", said.out, said.err);
        noticed += 1;
    }
    assert!(noticed > 5, "{noticed}");
}

/// A run's folder that is a link leads to files that nobody writes.
#[cfg(unix)]
#[test]
fn a_folder_of_a_run_that_is_a_link_is_found() {
    let (project, run) = finished();
    let verified = || project.gatehouse(&["verify", &run]).expect("gatehouse is built");
    assert_eq!(verified().code, Some(0));
    let folder = project.root.join(".gatehouse/runs").join(&run);
    let elsewhere = project.root.join("elsewhere");
    std::fs::rename(&folder, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, &folder).expect("linked");
    let said = verified();
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(
        said.out.contains("is a link: these files lie elsewhere"),
        "{}",
        said.out
    );
}

/// A name of a file forges no line.
#[test]
fn what_a_file_is_called_forges_no_line_of_what_is_printed() {
    let (project, run) = finished();
    let forged = "note: The report belongs to this record";
    let named = project
        .root
        .join(".gatehouse/runs")
        .join(&run)
        .join(format!("a\n{forged}"));
    std::fs::write(named, "").expect("written");
    let said = project.gatehouse(&["verify", &run]).expect("gatehouse is built");
    assert!(said.out.contains("a␊note: The report"), "{}", said.out);
    assert!(!said.out.lines().any(|line| line.starts_with(forged)), "{}", said.out);
    let missing = format!("no\nerror: {forged}");
    let said = project.gatehouse(&["check", &missing]).expect("gatehouse is built");
    assert!(
        !said
            .err
            .lines()
            .chain(said.out.lines())
            .any(|line| line.starts_with("error: note")),
        "{}{}",
        said.out,
        said.err
    );
}

/// What could not be printed is no success, and no run stops in the middle of a step for it.
#[test]
fn what_cannot_be_printed_changes_no_end() {
    let (project, run) = finished();
    let ends = |arguments: &[&str], out: std::process::Stdio| {
        let mut command = tests::program::command(&project.root, arguments).expect("gatehouse is built");
        command.stdout(out).stderr(std::process::Stdio::null());
        command.status().expect("it starts").code()
    };
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("a device")
            .into()
    };
    // A reader that has gone before anything is written.
    let gone = || std::process::Stdio::from(std::io::pipe().expect("a pipe").1);
    for arguments in [
        &["verify", run.as_str()][..],
        &["list"],
        &["events", &run],
        &["explain", "GH0001"],
        &["completions", "bash"],
        &["--help"],
    ] {
        assert_eq!(ends(arguments, full()), Some(3), "{arguments:?}");
        assert_eq!(ends(arguments, gone()), Some(0), "{arguments:?}");
    }
    let unknown = ["status", "nope"];
    let mut command = tests::program::command(&project.root, &unknown).expect("gatehouse is built");
    let told = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let told = command.stderr(told).stdout(std::process::Stdio::null()).status();
    assert_eq!(told.expect("it starts").code(), Some(3));
    let run_json = project.root.join(".gatehouse/runs").join(&run).join("run.json");
    let mut text = std::fs::read_to_string(&run_json).expect("there");
    text.push(' ');
    std::fs::write(run_json, text).expect("written");
    for out in [full(), gone()] {
        assert_eq!(ends(&["verify", &run], out), Some(1));
    }
    for (out, code) in [(full(), 3), (gone(), 0)] {
        assert_eq!(ends(&APPROVED, out), Some(code));
        let (next, state) = project.latest().expect("a history").expect("a run");
        assert!(state.status.ended(), "{next}");
        assert_eq!(ends(&["verify", next.as_str()], std::process::Stdio::null()), Some(0));
    }
}

/// What is compared is what the records say: where verifying one finds something, it is said beside it.
#[test]
fn what_verify_finds_of_either_run_is_said_where_they_are_compared() {
    let (project, first) = finished();
    let says = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    };
    says(&APPROVED);
    let (second, _) = project.latest().expect("a history").expect("a run");
    let compare = ["compare", first.as_str(), second.as_str()];
    let told = says(&compare);
    assert!(!told.contains("record of the"), "{told}");
    intrude(&project)
        .execute(
            "UPDATE events SET hash = zeroblob(32) WHERE run_id = ?1 AND seq = 2",
            [second.as_str()],
        )
        .expect("changed");
    let told = says(&compare);
    let line = told.lines().find(|line| line.starts_with("record of the second: "));
    let line = line.unwrap_or_else(|| panic!("nothing is said: {told}"));
    assert!(
        line.contains("do not rely on it") && line.ends_with(&format!("gatehouse verify {second}")),
        "{line}"
    );
}

/// A report tells of the runs inside: of one that was altered it says so, and of one that cannot be read that it cannot.
#[test]
fn a_report_says_of_a_run_inside_whether_its_record_holds() {
    let files = [
        (
            "outer.runbook.md",
            "# Outer\n\n## 1 All of it\n\n- inner.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n",
        ),
        (
            "inner.runbook.md",
            "# Inner\n\n## 1 Is it fine?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n",
        ),
    ];
    let project = Project::new(&files).expect("a project");
    let says = |arguments: &[&str], code: i32| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(code), "{arguments:?}: {} {}", said.out, said.err);
        said.out
    };
    says(&["run", "outer.runbook.md", "--until-blocked"], 0);
    let run_of = |raw: &Connection, path: &str| -> String {
        let query = "SELECT run_id FROM runs WHERE path = ?1";
        raw.query_row(query, [path], |row| row.get(0)).expect("a run")
    };
    let raw = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
    let (outer, inner) = (run_of(&raw, "outer.runbook.md"), run_of(&raw, "inner.runbook.md"));
    drop(raw);
    says(&["answer", &inner, "1", "yes", "--by", "Ann"], 0);
    says(&["resume", &outer], 0);
    let report = |name: &str| {
        says(&["report", &outer, "-o", name], 0);
        let html = std::fs::read_to_string(project.root.join(name)).expect("written");
        let (_, inside) = html.split_once("Decided inside “All of it”").expect("it is told");
        inside.to_owned()
    };
    let whole = report("whole.html");
    assert!(whole.contains(">Verified<") && !whole.contains(">Altered<"), "{whole}");
    let against = |code: i32| says(&["verify", &outer, "--against", "whole.html"], code);
    against(0);
    let answer = "run_id = ?1 AND CAST(body AS TEXT) LIKE '%gate_answered%'";
    let change = |from: &str, to: &str| {
        let raw = intrude(&project);
        let set = format!("UPDATE events SET body = CAST(replace(CAST(body AS TEXT), ?2, ?3) AS BLOB) WHERE {answer}");
        assert_eq!(raw.execute(&set, [&inner, from, to]).expect("changed"), 1);
    };
    change("\"Ann\"", "\"Eve\"");
    let altered = report("altered.html");
    assert!(
        altered.contains(">Altered<") && altered.contains("THE SIGNATURE DOES NOT HOLD"),
        "{altered}"
    );
    against(1);
    change("\"at\"", "\"ta\"");
    let unread = report("unread.html");
    assert!(unread.contains("What was decided in it cannot be told"), "{unread}");
    against(1);
}

/// Of two runs inside one step the second begins behind a report. What becomes of that one's record is nothing of the report's; what of the first
/// one's is the record's lack.
#[test]
fn an_older_report_is_not_called_changed_for_what_became_of_the_runs_inside() {
    let asks = "## 1 Is it fine?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n";
    let project = Project::new(&[
        (
            "outer.runbook.md",
            "# Outer\n\n## 1 All of it\n\n- one.runbook.md\n- two.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n",
        ),
        ("one.runbook.md", &format!("# One\n\n{asks}")),
        ("two.runbook.md", &format!("# Two\n\n{asks}")),
    ])
    .expect("a project");
    let says = |arguments: &[&str], code: i32| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(code), "{arguments:?}: {} {}", said.out, said.err);
        said.out
    };
    let run_of = |path: &str| -> String {
        let raw = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
        let query = "SELECT run_id FROM runs WHERE path = ?1";
        raw.query_row(query, [path], |row| row.get(0)).expect("a run")
    };
    says(&["run", "outer.runbook.md", "--until-blocked"], 0);
    let (outer, one) = (run_of("outer.runbook.md"), run_of("one.runbook.md"));
    says(&["report", &outer, "-o", "early.html"], 0);
    says(&["answer", &one, "1", "yes", "--by", "Ann"], 0);
    says(&["resume", &outer, "--until-blocked"], 0);
    says(&["report", &outer, "-o", "later.html"], 0);
    let two = run_of("two.runbook.md");
    intrude(&project)
        .execute("UPDATE events SET body = x'00ff' WHERE run_id = ?1 AND seq = 1", [&two])
        .expect("changed");
    let early = says(&["verify", &outer, "--against", "early.html"], 0);
    assert!(early.contains("word for word, what Gatehouse makes"), "{early}");
    let last = "SELECT max(seq) FROM events WHERE run_id = ?1";
    intrude(&project)
        .execute(
            &format!("DELETE FROM events WHERE run_id = ?1 AND seq = ({last})"),
            [&one],
        )
        .expect("deleted");
    let later = says(&["verify", &outer, "--against", "later.html"], 1);
    let cut = "The record of a run inside has less than the report was made of: of “All of it” the report tells";
    assert!(
        later.contains(cut) && !later.contains("Somebody changed the file"),
        "{later}"
    );
}

/// A rehearsal that waits at its gate; its id.
fn waiting(project: &Project) -> String {
    let said = project.gatehouse(&["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let said = said.expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{}", said.err);
    project.latest().expect("a history").expect("a run").0.to_string()
}

/// What the Inbox tells.
async fn inbox(project: &Project) -> serde_json::Value {
    let told = studio::dispatch(&open(project), "inbox.list", serde_json::json!({})).await;
    serde_json::from_str(told.expect("it is told").get()).expect("JSON")
}

/// The runs of one of its lists.
fn runs_in(told: &serde_json::Value, list: &str) -> Vec<String> {
    let rows = told[list].as_array().into_iter().flatten();
    rows.map(|row| row["run_id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn a_run_that_cannot_be_read_keeps_nobody_from_a_sound_one() {
    let (project, _) = finished();
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let (sound, damaged) = (waiting(&project), waiting(&project));
    intrude(&project)
        .execute(
            "UPDATE events SET body = x'00ff' WHERE run_id = ?1 AND seq = 1",
            [&damaged],
        )
        .expect("changed");
    for arguments in [
        ["status", &sound].as_slice(),
        &["pause", &sound],
        &["resume", &sound, "--until-blocked"],
        &["answer", &sound, "write", "approve", "--by", "Ann"],
        &["verify", &sound],
        &["list"],
    ] {
        let done = said(arguments);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}{}", done.out, done.err);
    }
    let status = said(&["status", &damaged]);
    assert_ne!(status.code, Some(0), "{}", status.out);
    assert!(status.err.contains("cannot be read"), "{}", status.err);
    // Nothing broke: it is refused, with what can be done.
    for arguments in [
        ["pause", &damaged].as_slice(),
        &["abort", &damaged, "--reason", "enough"],
    ] {
        let refused = said(arguments);
        assert_eq!(refused.code, Some(3), "{arguments:?}: {}{}", refused.out, refused.err);
        assert!(
            refused.err.contains("nothing can be recorded") && refused.err.contains("gatehouse restore"),
            "{}",
            refused.err
        );
    }
}

/// What waits and what was answered is told of every run that can be read; of the others it is told that it is not.
#[tokio::test]
async fn a_run_that_cannot_be_read_is_named_in_the_inbox_and_hides_nothing_else() {
    let (project, answered) = finished();
    let (sound, damaged) = (waiting(&project), waiting(&project));
    let damage = |run: &str| {
        let raw = intrude(&project);
        let sql = "UPDATE events SET body = x'00ff' WHERE run_id = ?1 AND seq = 2";
        assert_eq!(raw.execute(sql, [run]).expect("changed"), 1);
    };
    damage(&damaged);
    let of = |told: &serde_json::Value| ["waiting", "decided", "unread"].map(|list| runs_in(told, list));
    let told = inbox(&project).await;
    assert_eq!(
        of(&told),
        [vec![sound.clone()], vec![answered.clone()], vec![damaged.clone()]]
    );
    damage(&answered);
    let told = inbox(&project).await;
    assert_eq!(of(&told), [vec![sound], vec![], vec![damaged, answered]]);
    assert!(told.to_string().contains("What “A memo” asks"), "{told}");
}

/// What somebody is asked is what the log asks, which an answer signs: not what the lists were made to show.
#[tokio::test]
async fn what_is_asked_is_told_from_the_log_whatever_the_lists_show() {
    let (project, answered) = finished();
    let run = waiting(&project);
    let raw = intrude(&project);
    for change in [
        "UPDATE gates SET opened = replace(opened, 'Good?', 'Shall we have lunch?')",
        "UPDATE gates SET decision = replace(decision, 'Ann', 'Eve') WHERE decision IS NOT NULL",
        "UPDATE runs SET title = 'Lunch', started_by = 'Eve'",
    ] {
        assert!(raw.execute(change, []).expect("changed") > 0, "{change}");
    }
    drop(raw);
    let told = inbox(&project).await;
    let (asked, decided) = (&told["waiting"][0], &told["decided"][0]);
    assert_eq!(asked["run_id"], run.as_str());
    assert_eq!(decided["run_id"], answered.as_str());
    for card in [asked, decided] {
        assert_eq!(card["question"], "Good?", "{card}");
    }
    assert_eq!(asked["workflow_title"], "A memo");
    assert_ne!(asked["started_by"], "Eve");
    assert_eq!(decided["decision"]["by"], "Ann", "{decided}");
    let status = project.gatehouse(&["status", &run]).expect("gatehouse is built");
    assert!(
        status.out.contains("Good?") && !status.out.contains("lunch"),
        "{}",
        status.out
    );
    // A round that nobody asked in is no question.
    let raw = intrude(&project);
    raw.execute(
        "UPDATE gates SET opened = replace(opened, '\"round\":1', '\"round\":7') WHERE run_id = ?1",
        [&run],
    )
    .expect("changed");
    drop(raw);
    let told = inbox(&project).await;
    assert_eq!(runs_in(&told, "waiting"), Vec::<String>::new());
    assert_eq!(runs_in(&told, "unread"), std::slice::from_ref(&run));
    let verified = project.gatehouse(&["verify", &run]).expect("gatehouse is built");
    assert_eq!(verified.code, Some(1), "{}", verified.out);
    assert!(
        verified.out.contains("list of gates") && verified.out.contains("list of runs"),
        "{}",
        verified.out
    );
    assert_eq!(
        project.gatehouse(&["rebuild", &run]).expect("gatehouse is built").code,
        Some(0)
    );
    assert_eq!(runs_in(&inbox(&project).await, "waiting"), [run]);
}

/// A row of the list of questions that cannot be read hides no other one.
#[tokio::test]
async fn a_question_that_cannot_be_read_hides_no_other() {
    let (project, _) = finished();
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let (sound, damaged) = (waiting(&project), waiting(&project));
    let sql = "UPDATE gates SET opened = 'zzz' WHERE run_id = ?1";
    assert_eq!(intrude(&project).execute(sql, [&damaged]).expect("changed"), 1);
    let of = |told: &serde_json::Value| ["waiting", "unread"].map(|list| runs_in(told, list));
    assert_eq!(of(&inbox(&project).await), [vec![sound.clone()], vec![damaged.clone()]]);
    assert_eq!(said(&["rebuild", &damaged]).code, Some(0));
    assert_eq!(of(&inbox(&project).await), [vec![sound, damaged], vec![]]);
}

#[test]
fn a_run_around_one_that_cannot_be_read_is_stopped_and_says_so() {
    let outer = "# Outer\n\n## 1 All of it\n\n- check.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let inner = "# Check it\n\n## 1 Look at it\n\nIs it fine?\n\n- YES: COMPLETE\n- NO: STOP\n";
    let project = Project::new(&[("outer.runbook.md", outer), ("check.runbook.md", inner)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let begun = said(&["run", "outer.runbook.md", "--rehearse", "--until-blocked"]);
    assert_eq!(begun.code, Some(0), "{}{}", begun.out, begun.err);
    let listed = |run: Option<&str>| {
        let rows: Vec<serde_json::Value> = serde_json::from_str(said(&["list", "--json"]).out.trim()).expect("JSON");
        let is_it = |row: &&serde_json::Value| match run {
            Some(run) => row["run_id"] == run,
            None => true,
        };
        rows.iter().filter(is_it).cloned().collect::<Vec<_>>()
    };
    let of = |title: &str| {
        let rows = listed(None);
        let row = rows.iter().find(|row| row["workflow_title"] == title).cloned();
        row.expect("it has begun")["run_id"].as_str().expect("an id").to_owned()
    };
    let (around, inside) = (of("Outer"), of("Check it"));
    assert!(said(&["status", &around]).out.contains("waits for a decision in"));
    intrude(&project)
        .execute(
            "UPDATE events SET body = x'00ff' WHERE run_id = ?1 AND seq = 1",
            [&inside],
        )
        .expect("changed");
    let status = said(&["status", &around]);
    assert_eq!(status.code, Some(0), "{}", status.err);
    assert!(
        status.out.contains("remark: “All of it” waits for “Check it”") && status.out.contains("cannot be read"),
        "{}",
        status.out
    );
    let told: serde_json::Value = serde_json::from_str(said(&["status", &around, "--json"]).out.trim()).expect("JSON");
    assert_eq!(told["kept_inside"][0]["run_id"], inside.as_str(), "{told}");
    let stopped = said(&["abort", &around, "--reason", "enough"]);
    assert_ne!(stopped.code, Some(0), "{}", stopped.out);
    assert!(stopped.err.contains(&inside), "{}", stopped.err);
    assert_eq!(
        listed(Some(&around))[0]["status"],
        "aborted",
        "{:?}",
        listed(Some(&around))
    );
}

/// Whoever changes the body of an event leaves its link behind: that is seen without being looked for.
#[tokio::test]
async fn a_record_that_was_changed_is_marked_where_it_is_looked_at_and_named_where_it_is_handed_over() {
    let (project, run) = finished();
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let sound = said(&["report", &run, "-o", "sound.html"]);
    assert!(sound.code == Some(0) && !sound.err.contains("warning"), "{}", sound.err);
    let raw = intrude(&project);
    let changed = "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), '\"by\":\"Ann\"', '\"by\":\"Eve\"') AS BLOB) \
                   WHERE CAST(body AS TEXT) LIKE '%\"by\":\"Ann\"%'";
    assert!(raw.execute(changed, []).expect("written") > 0, "an answer was changed");
    drop(raw);
    for (command, file) in [("report", "altered.html"), ("bundle", "altered.zip")] {
        let altered = said(&[command, &run, "-o", file]);
        assert_eq!(altered.code, Some(0), "{}", altered.err);
        assert!(
            altered.err.contains("warning: ") && altered.err.contains("do not rely on it"),
            "{command}: {}",
            altered.err
        );
    }
    let status = said(&["status", &run]);
    assert!(
        status
            .out
            .contains("The record of this run is not what was written down (event "),
        "{}",
        status.out
    );
    let studio = open(&project);
    let at = RunAt {
        run_id: run.clone(),
        at: None,
    };
    let view = serde_json::to_value(studio.view(at).await.expect("a view")).expect("JSON");
    assert_eq!(view["altered"], true);
    // It is known from now on, and no other run is verified for a list.
    let runs = studio
        .runs(studio::command::RunsOf::default())
        .await
        .expect("a list")
        .runs;
    assert!(
        runs[0].altered && runs[0].status_words.contains("its record was changed"),
        "{:?}",
        runs[0]
    );
}
