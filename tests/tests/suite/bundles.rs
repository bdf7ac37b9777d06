//! A run handed over as one file: whoever gets it can check it, with no project and no key of whoever sent it, and finds out what was changed.

use rusqlite::Connection;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tests::forger::Forger;
use tests::program::{self, Said};
use tests::project::Project;
use zip::ZipArchive;
use zip::write::{SimpleFileOptions, ZipWriter};

const SETTINGS: &str =
    "version: 1\npermissions: {mode: allow}\nagents:\n  \"*\": {engine: shell, run: \"echo made > made.md\"}\n";
const INNER: &str = "id: inner\nname: The contract\nsteps:\n  - {id: draft, agents: [maker], outputs: [made.md], routing: {kind: linear, next: sign}}\n  \
    - {id: sign, name: Sign it, agents: [maker], human_gate: required, routing: {kind: linear}}\n";
const OUTER: &str = "pipeline_id: PIPE-20260112-signed-090000\nname: Signed and filed\nstages:\n  - {name: contract, workflow: inner.yaml}\n  \
    - {name: file, agents: [maker], depends_on: [contract]}\n";

fn say(project: &Project, arguments: &[&str]) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert!(!said.err.contains("panicked"), "{}", said.err);
    said
}

fn ends(project: &Project, code: i32, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    said
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).expect("JSON")
}

/// A pipeline around a contract that Ann has signed, another run of the project, and the bundle of the pipeline's; its run and the one inside.
fn handed_over() -> (Project, String, String, PathBuf) {
    let project = Project::new(&[
        ("gatehouse.yaml", SETTINGS),
        ("inner.yaml", INNER),
        ("outer.yaml", OUTER),
        ("secret.yaml", &INNER.replace("The contract", "A secret")),
    ])
    .expect("a project");
    ends(&project, 0, &["run", "secret.yaml", "--until-blocked"]);
    let said = ends(&project, 0, &["run", "outer.yaml", "--until-blocked", "--json"]);
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let (outer, inner) = (text(&last["run_id"]), text(&last["waiting"]["run_id"]));
    ends(&project, 0, &["answer", &inner, "sign", "approve", "--by", "Ann"]);
    ends(&project, 0, &["resume", &outer]);
    let bundle = project.root.join("signed.zip");
    ends(&project, 0, &["bundle", &outer, "-o", "signed.zip"]);
    (project, outer, inner, bundle)
}

/// The times in a report are those of the project's own zone, wherever it is checked.
#[test]
fn a_report_with_a_zone_of_its_own_is_held_against_the_record_in_that_zone() {
    let project = Project::new(&[
        ("gatehouse.yaml", &format!("{SETTINGS}timezone: Europe/Paris\n")),
        ("inner.yaml", INNER),
    ])
    .expect("a project");
    let said = ends(&project, 0, &["run", "inner.yaml", "--yes", "--by", "Ann", "--json"]);
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let run = last["run_id"].as_str().expect("an id").to_owned();
    ends(&project, 0, &["report", &run, "-o", "here.html"]);
    let page = project.text("here.html");
    assert!(page.contains("CET") || page.contains("CEST"), "{page}");
    ends(&project, 0, &["verify", &run, "--against", "here.html"]);
    ends(&project, 0, &["bundle", &run, "-o", "paris.zip"]);
    let bundle = project.root.join("paris.zip").to_string_lossy().into_owned();
    let said = ends(&stranger(), 0, &["verify", &bundle]).out;
    assert!(said.starts_with("Unchanged since it was handed over. "), "{said}");
}

/// Somebody who knows nothing of the project: another folder, another key.
fn stranger() -> Project {
    Project::new(&[]).expect("a folder")
}

fn unpacked(bundle: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut archive = ZipArchive::new(std::fs::File::open(bundle).expect("it is there")).expect("an archive");
    archive.extract(folder.path()).expect("unpacked");
    folder
}

/// The folder that lies in an unpacked bundle.
fn inside(folder: &Path) -> PathBuf {
    let mut all = std::fs::read_dir(folder).expect("it is there").flatten();
    all.next().expect("one folder").path()
}

/// Packs a folder again, as any program does.
fn packed(folder: &Path, to: &Path) {
    fn add(folder: &Path, name: &str, archive: &mut ZipWriter<std::fs::File>) {
        for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
            let name = format!("{name}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => add(&entry.path(), &format!("{name}/"), archive),
                false => {
                    archive.start_file(name, SimpleFileOptions::default()).expect("begun");
                    let bytes = std::fs::read(entry.path()).expect("read");
                    archive.write_all(&bytes).expect("written");
                }
            }
        }
    }
    let mut archive = ZipWriter::new(std::fs::File::create(to).expect("made"));
    add(folder, "", &mut archive);
    archive.finish().expect("finished");
}

#[test]
fn a_bundle_is_checked_by_somebody_who_has_nothing_else() {
    let (project, outer, inner, bundle) = handed_over();
    let other = stranger();
    let bundle = bundle.to_string_lossy().into_owned();
    let found = json(&ends(&other, 0, &["verify", &bundle, "--json"]));
    assert_eq!(
        (&found["ok"], &found["run_id"]),
        (&true.into(), &outer.as_str().into()),
        "{found}"
    );
    let checks = found["checks"].as_array().expect("checks");
    let runs: Vec<&str> = checks.iter().filter_map(|check| check["run_id"].as_str()).collect();
    assert_eq!(runs, [&outer, &inner]);
    let notes = checks[0]["verified"]["notes"].to_string();
    assert!(notes.contains("word for word"), "the report was compared: {notes}");
    assert!(notes.contains("Of 1 other run of the project"), "{notes}");
    assert!(checks[1]["verified"]["signatures"] == 1, "{found}");
    let said = ends(&other, 0, &["verify", &bundle]).out;
    assert!(
        said.starts_with("Unchanged since it was handed over. ")
            && said.contains("“Signed and filed”")
            && said.contains("Unaltered"),
        "{said}"
    );
    // Nothing of the other run is in it, under whatever name.
    let folder = unpacked(Path::new(&bundle));
    let history = std::fs::read(inside(folder.path()).join(".gatehouse/history.db")).expect("a history");
    let holds = |text: &str| history.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("The contract") && !holds("A secret"));
    // Made of the same record it is the same; a file that is there is not replaced.
    ends(&project, 3, &["bundle", &outer, "-o", "signed.zip"]);
    // Nothing was made where it was checked.
    assert!(!other.root.join(".gatehouse").exists());
    // Nor a key for somebody who has none.
    let fresh = stranger();
    let mut command = program::stranger(&fresh.root, &["verify", &bundle]).expect("gatehouse is built");
    let said = command.output().expect("started");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(!fresh.home().exists(), "checking makes nothing");
}

#[test]
fn an_unpacked_bundle_is_looked_at_and_nothing_is_recorded_in_it() {
    let (project, outer, inner, bundle) = handed_over();
    let folder = unpacked(&bundle);
    let there = inside(folder.path());
    let history = there.join(".gatehouse/history.db");
    let before = std::fs::read(&history).expect("a history");
    let other = stranger();
    let at = there.to_string_lossy().into_owned();
    let list = ends(&other, 0, &["list", "-C", &at]).out;
    assert!(
        list.contains("Signed and filed") && !list.contains("A secret"),
        "{list}"
    );
    let status = json(&ends(&other, 0, &["status", &outer, "-C", &at, "--json"]));
    assert_eq!(status["status"], "done", "{status}");
    ends(&other, 0, &["events", &inner, "-C", &at]);
    ends(&other, 0, &["verify", &outer, "-C", &at]);
    let backup = project.root.join("backup.db").to_string_lossy().into_owned();
    ends(&project, 0, &["backup", &backup]);
    std::fs::write(there.join("inner.yaml"), INNER).expect("written");
    let refused: [&[&str]; 11] = [
        &["answer", &inner, "sign", "reject", "--comment", "no", "--by", "Eve"],
        &["rebuild", &outer],
        &["checkpoint", &outer, "here"],
        &["restore", &backup],
        &["trust"],
        &["pause", &outer],
        &["resume", &outer],
        &["goto", &outer, "file"],
        &["abort", &outer],
        &["pipeline", "create", "-t", "quick_flow"],
        &["run", "inner.yaml", "--rehearse"],
    ];
    for arguments in refused {
        let said = ends(&other, 3, &[arguments, &["-C", &at]].concat());
        let is_said = said.err.contains("handed over") && said.err.contains("where the runs were recorded");
        assert!(is_said, "{arguments:?}: {}", said.err);
    }
    assert_eq!(std::fs::read(&history).expect("a history"), before);
    let beside = std::fs::read_dir(there.join(".gatehouse"))
        .expect("it is there")
        .count();
    assert_eq!(beside, 2, "the history and the files of runs, and nothing else");
    // Nothing is to be written anew here, and nobody is told to.
    std::fs::write(there.join(".gatehouse/runs").join(&outer).join("run.json"), "{}").expect("written");
    let said = ends(&other, 1, &["verify", &outer, "-C", &at]);
    assert!(
        said.out.contains("unpack its ZIP file again") && !said.out.contains("gatehouse rebuild"),
        "{}",
        said.out
    );
}

/// What checking a bundle says once something is done in it.
fn changed(bundle: &Path, other: &Project, how: &dyn Fn(&Path)) -> Said {
    let folder = unpacked(bundle);
    how(&inside(folder.path()));
    let to = other.root.join("changed.zip");
    packed(folder.path(), &to);
    let said = say(other, &["verify", "changed.zip"]);
    std::fs::remove_file(to).expect("removed");
    said
}

#[test]
fn whatever_is_changed_in_a_bundle_is_found() {
    let (_project, outer, inner, bundle) = handed_over();
    let other = stranger();
    let changed = |how: &dyn Fn(&Path)| changed(&bundle, &other, how);
    let whole = changed(&|_| {});
    assert_eq!(
        whole.code,
        Some(0),
        "packed again it is the same: {}{}",
        whole.out,
        whole.err
    );

    let report = changed(&|there| {
        let report = there.join("report.html");
        let text = std::fs::read_to_string(&report).expect("a report");
        std::fs::write(report, text.replacen("Ann", "Eve", 1)).expect("written");
    });
    assert_eq!(report.code, Some(1), "{}", report.out);
    assert!(report.out.contains("in place of"), "{}", report.out);

    let file = changed(&|there| {
        let file = there.join(".gatehouse/runs").join(&inner).join("run.json");
        assert!(file.exists());
        std::fs::write(file, "{}").expect("written");
    });
    assert_eq!(file.code, Some(1), "{}", file.out);
    assert!(file.out.contains("run.json was changed"), "{}", file.out);
    assert!(
        file.out.starts_with("Changed: do not rely on it. "),
        "the verdict comes first: {}",
        file.out
    );

    // Whoever computes the chain anew has no key to sign with.
    let forged = changed(&|there| {
        Forger::of(there).rewrite(&inner, &|_, event| {
            if let Some(by) = event.pointer_mut("/event/by").filter(|by| **by == "Ann") {
                *by = "Eve".into();
            }
            true
        });
    });
    assert_eq!(forged.code, Some(1), "{}", forged.out);
    assert!(forged.out.contains("[signature_invalid]"), "{}", forged.out);

    // The run inside taken out, and not missed by the list of what was handed over.
    let without = changed(&|there| {
        let raw = Forger::of(there).0;
        for table in ["events", "runs", "gates"] {
            raw.execute(&format!("DELETE FROM {table} WHERE run_id = ?1"), [&inner])
                .expect("deleted");
        }
        let said: String = raw
            .query_row("SELECT value FROM settings WHERE key = 'excerpt'", [], |row| row.get(0))
            .expect("it is said");
        let mut said: Value = serde_json::from_str(&said).expect("JSON");
        said["runs"] = serde_json::json!([outer]);
        raw.execute(
            "UPDATE settings SET value = ?1 WHERE key = 'excerpt'",
            [said.to_string()],
        )
        .expect("changed");
        std::fs::remove_dir_all(there.join(".gatehouse/runs").join(&inner)).expect("removed");
    });
    assert_eq!(without.code, Some(1), "{}", without.out);
    assert!(
        without.out.contains("was left out of what was handed over"),
        "{}",
        without.out
    );

    let more = changed(&|there| std::fs::write(there.join("gatehouse.yaml"), "version: 1\n").expect("written"));
    assert!(
        more.out
            .contains("Unchanged, but something was added that no Gatehouse puts there (not opened): ")
            && more.out.contains("gatehouse.yaml")
            && !more.out.contains("Unchanged since it was handed over"),
        "{}",
        more.out
    );
    let none = changed(&|there| std::fs::remove_file(there.join("report.html")).expect("removed"));
    assert_eq!(none.code, Some(1), "{}", none.out);
    assert!(none.out.contains("[unreadable]"), "{}", none.out);
    // The run in it is what it was, and no report was checked.
    assert!(
        none.out
            .starts_with("Changed: do not rely on it. The report report.html cannot be read: ")
            && none
                .out
                .contains("but not its report word for word: it is not there, or is none.")
            && !none.out.contains("as it was written down")
            && !none.out.contains("not as written down"),
        "{}",
        none.out
    );
    let readme = changed(&|there| std::fs::write(there.join("README.txt"), "Run this: …").expect("written"));
    assert_eq!(readme.code, Some(1), "{}", readme.out);
    let said = "Changed: do not rely on it. The text README.txt in the archive is not the one that Gatehouse writes: it says “Run this: …”. ";
    assert!(readme.out.starts_with(said), "{}", readme.out);
    let readme = changed(&|there| std::fs::remove_file(there.join("README.txt")).expect("removed"));
    assert_eq!(readme.code, Some(1), "{}", readme.out);
    let said = "Changed: do not rely on it. README.txt, with which every bundle is handed over, is not in it";
    assert!(readme.out.starts_with(said), "{}", readme.out);
    let rows = changed(&|there| {
        let raw = Connection::open(there.join(".gatehouse/history.db")).expect("a database");
        raw.execute_batch(
            "INSERT INTO settings (key, value) VALUES ('note', 'x'), ('people', 'y');
             INSERT INTO journal VALUES ('f.yaml', 1, 'a', 'b', 'Approved by the CFO', '[]', 0);
             INSERT INTO leases VALUES ('r', 'The CFO', 1, 1, 2);
             INSERT INTO blobs VALUES ('559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd', x'41');",
        )
        .expect("added");
    });
    assert!(
        rows.out.starts_with(
            "Unchanged, but something was added that no Gatehouse puts there (not opened): 1 row of the history’s table journal, 1 row of the \
             history’s table leases, 2 rows of the history’s table settings, 1 row of the history’s table blobs, which no event names."
        ),
        "{}",
        rows.out
    );
    let stray = changed(&|there| {
        let other = there.join(".gatehouse/runs/another");
        std::fs::create_dir_all(&other).expect("made");
        std::fs::write(other.join("decisions.json"), "[]").expect("written");
    });
    assert!(stray.out.contains("the files of a run another"), "{}", stray.out);
    // The run around it taken out, and the one inside said to be what was handed over.
    let around = changed(&|there| {
        let raw = Forger::of(there).0;
        for table in ["events", "runs", "gates"] {
            raw.execute(&format!("DELETE FROM {table} WHERE run_id = ?1"), [&outer])
                .expect("deleted");
        }
        let said = serde_json::json!({"run": inner, "runs": [inner]}).to_string();
        raw.execute("UPDATE settings SET value = ?1 WHERE key = 'excerpt'", [said])
            .expect("changed");
    });
    assert_eq!(around.code, Some(1), "{}", around.out);
    assert!(
        around.out.contains("is a part of or goes on from, was left out"),
        "{}",
        around.out
    );
}

/// The report that lies in a bundle, changed; the same of one that lies beside the record.
fn forged(how: impl Fn(&str) -> String) -> [Said; 2] {
    let (project, outer, _, bundle) = handed_over();
    let other = stranger();
    let put = |file: &Path| {
        let text = std::fs::read_to_string(file).expect("a report");
        let changed = how(&text);
        assert_ne!(changed, text);
        std::fs::write(file, changed).expect("written");
    };
    let handed_over = changed(&bundle, &other, &|there| put(&there.join("report.html")));
    ends(&project, 0, &["report", &outer, "-o", "report.html"]);
    ends(&project, 0, &["verify", &outer, "--against", "report.html"]);
    put(&project.root.join("report.html"));
    let here = say(&project, &["verify", &outer, "--against", "report.html"]);
    for said in [&handed_over, &here] {
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        assert!(!said.out.contains("word for word, what"), "{}", said.out);
    }
    assert!(!handed_over.out.starts_with("Unchanged"), "{}", handed_over.out);
    [handed_over, here]
}

/// The record says which runs inside there were, not the report.
#[test]
fn a_report_that_leaves_out_what_was_decided_inside_is_found() {
    let said = forged(|text| {
        let (head, rest) = text.split_once(" inside=").expect("it says of which runs it tells");
        let end = rest.find([' ', '"']).expect("more of the page");
        let mut text = format!("{head} inside={}", &rest[end..]);
        let from = text.find("<section class=\"card\">\n<h2 style=\"margin-top:0\">Decided inside");
        let to = text.find("<section class=\"card facts\">");
        text.replace_range(from.expect("a section")..to.expect("the next one"), "\n");
        let asked = "In this run itself nobody was asked; what was decided in the runs inside it stands below.";
        text.replace(asked, "Nobody was asked in this run.")
    });
    for said in said {
        let left_out =
            "It leaves out what had been decided inside “contract” when it was made: Ann approved at “Sign it”.";
        assert!(said.out.contains(left_out), "{}", said.out);
        assert!(!said.out.contains("Decided since: Ann"), "{}", said.out);
    }
}

#[test]
fn what_is_written_among_the_checks_of_a_report_is_found() {
    let said = forged(|text| {
        let mark = "<!--check of the record--><p>";
        let (head, rest) = text.split_once(mark).expect("it was checked");
        let (_, rest) = rest.split_once("</p>").expect("more of the page");
        format!("{head}{mark}The board has approved it since.</p>{rest}")
    });
    for said in said {
        let quoted = "it says “The board has approved it since.”, which is not in that";
        assert!(said.out.contains(quoted), "{}", said.out);
    }
}

/// Who says that another version made it has not made it whole.
#[test]
fn a_report_that_another_version_is_said_to_have_made_is_in_doubt() {
    let [handed_over, _] = forged(|text| {
        let (_, version) = text.split_once(" version=").expect("it says which one made it");
        let (version, _) = version.split_once(' ').expect("more is said");
        let text = text.replace(&format!(" version={version}"), " version=0.0.9");
        let text = text.replace(&format!("Gatehouse {version}"), "Gatehouse 0.0.9");
        text.replace("Ann", "Eve")
    });
    let said = "In doubt. The report in it is not what this Gatehouse makes of the record, and says that Gatehouse 0.0.9 made it";
    let (first, _) = handed_over.out.split_once('\n').expect("more is said");
    assert!(first.starts_with(said) && first.contains("Eve"), "{first}");
}

#[test]
fn an_earlier_report_in_a_bundle_is_named_first() {
    let project = Project::new(&[("gatehouse.yaml", SETTINGS), ("inner.yaml", INNER)]).expect("a project");
    let said = ends(&project, 0, &["run", "inner.yaml", "--until-blocked", "--json"]);
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let run = last["run_id"].as_str().expect("an id").to_owned();
    ends(&project, 0, &["report", &run, "-o", "early.html"]);
    say(
        &project,
        &["answer", &run, "sign", "reject", "--by", "Ann", "--comment", "no"],
    );
    ends(&project, 0, &["verify", &run, "--against", "early.html"]);
    ends(&project, 0, &["bundle", &run, "-o", "late.zip"]);
    let early = project.text("early.html");
    let said = changed(&project.root.join("late.zip"), &stranger(), &|there| {
        std::fs::write(there.join("report.html"), &early).expect("written");
    });
    assert_eq!(said.code, Some(1), "{}", said.out);
    let (first, _) = said.out.split_once('\n').expect("more is said");
    let earlier =
        "Changed: do not rely on it. The report in it is an earlier one of this run, which somebody put there: ";
    assert!(
        first.starts_with(earlier) && first.contains("Decided since: Ann rejected at “Sign it”"),
        "{first}"
    );
}

/// Nothing more happens behind the end of a run inside, and whoever puts something there has it contradicted.
#[test]
fn what_is_put_behind_the_end_of_a_run_inside_is_found() {
    let (_project, _, inner, bundle) = handed_over();
    let other = stranger();
    let behind = |there: &Path, reopened: bool| {
        let forger = Forger::of(there);
        let events: Vec<Value> = {
            let mut all = forger
                .0
                .prepare("SELECT body FROM events WHERE run_id = ?1 ORDER BY seq")
                .expect("a query");
            let rows = all.query_map([&inner], |row| row.get::<_, Vec<u8>>(0)).expect("rows");
            rows.flatten()
                .map(|body| serde_json::from_slice(&body).expect("an event"))
                .collect()
        };
        let last = events.last().expect("it has ended")["at"].as_i64().expect("a time") + 60_000;
        let again = |kind: &str| {
            let mut event = events
                .iter()
                .find(|event| event["event"]["type"] == kind)
                .expect("it is there")
                .clone();
            event["at"] = last.into();
            event["event"]["instance"]["visit"] = 2.into();
            event
        };
        let mut put = vec![again("attempt_started"), again("attempt_ended")];
        if reopened {
            let event = serde_json::json!({"type": "reopened", "by": "Eve", "choices": {}, "reset": []});
            put.insert(0, serde_json::json!({"at": last, "event": event}));
        }
        forger.insert(&inner, events.len() as u64 + 1, &put);
    };
    let said = changed(&bundle, &other, &|there| behind(there, false));
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("[behind_end]"), "{}", said.out);
    // Who has it taken up again first has the register against them.
    let said = changed(&bundle, &other, &|there| behind(there, true));
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(
        said.out.contains("[register]") && !said.out.contains("[behind_end]"),
        "{}",
        said.out
    );
    // What the run around it went on with is what stood there before.
    assert!(
        said.out.contains("came after the step of the run around it"),
        "{}",
        said.out
    );
}

#[test]
fn what_is_no_bundle_is_refused_and_nothing_of_it_lands_anywhere() {
    let (project, outer, _, bundle) = handed_over();
    let other = stranger();
    let refused = |name: &str| {
        let said = say(&other, &["verify", name]);
        assert_ne!(said.code, Some(0), "{name}: {}", said.out);
        assert!(
            said.err.contains("error:") && said.err.contains("hint:"),
            "{name}: {}",
            said.err
        );
        said.err
    };
    refused("none.zip");
    other.write(&[("text.zip", "not an archive")]).expect("written");
    assert!(refused("text.zip").contains("no ZIP archive"));
    // A whole project is no bundle, and one cut off is none.
    let hidden = tempfile::tempdir().expect("a folder");
    let top = hidden.path().join("p").join(".gatehouse");
    std::fs::create_dir_all(&top).expect("made");
    ends(&project, 0, &["backup", &top.join("history.db").to_string_lossy()]);
    packed(hidden.path(), &other.root.join("project.zip"));
    assert!(refused("project.zip").contains("not made to be handed over"));
    let bytes = std::fs::read(&bundle).expect("read");
    // What was handed over and is not whole any more is no other file: whoever got it asks for it again.
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 0xFF;
    for (name, damaged) in [
        ("half.zip", &bytes[..bytes.len() / 2]),
        ("cut.zip", &bytes[..bytes.len() - 200]),
        ("flip.zip", flipped.as_slice()),
    ] {
        std::fs::write(other.root.join(name), damaged).expect("written");
        let said = refused(name);
        assert!(
            said.contains("is damaged, or was changed since it was handed over: do not rely on it")
                && said.contains("Ask whoever handed it over for it again.")
                && !said.contains("no bundle"),
            "{name}: {said}"
        );
        ends(&other, 1, &["verify", name]);
    }
    // Which of two files of one name is meant nobody knows.
    let mut archive = ZipWriter::new(std::fs::File::create(other.root.join("two.zip")).expect("made"));
    for (name, text) in [("a/report.html", "one"), ("a/reporT.html", "two")] {
        archive.start_file(name, SimpleFileOptions::default()).expect("begun");
        archive.write_all(text.as_bytes()).expect("written");
    }
    archive.finish().expect("finished");
    let mut bytes = std::fs::read(other.root.join("two.zip")).expect("read");
    let (from, to) = (b"reporT.html", b"report.html");
    let places: Vec<usize> = (0..bytes.len() - from.len())
        .filter(|at| bytes[*at..].starts_with(from))
        .collect();
    assert_eq!(places.len(), 2, "once before its content, once in the list");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    std::fs::write(other.root.join("two.zip"), bytes).expect("written");
    assert!(refused("two.zip").contains("two files of one name"));
    // Small as a file and large as a folder.
    let mut archive = ZipWriter::new(std::fs::File::create(other.root.join("large.zip")).expect("made"));
    archive
        .start_file("a/.gatehouse/history.db", SimpleFileOptions::default())
        .expect("begun");
    let zeros = vec![0_u8; 1 << 20];
    for _ in 0..300 {
        archive.write_all(&zeros).expect("written");
    }
    archive.finish().expect("finished");
    assert!(refused("large.zip").contains("larger than any bundle"));
    // In the place of a history it would be one in which nothing is recorded.
    let folder = unpacked(&bundle);
    let history = inside(folder.path()).join(".gatehouse/history.db");
    let said = ends(&project, 3, &["restore", &history.to_string_lossy()]);
    assert!(said.err.contains("handed over"), "{}", said.err);
    // The mark alone excuses nothing where somebody works.
    let raw = Forger::of(&project.root).0;
    let said = serde_json::json!({"run": outer, "runs": [outer]}).to_string();
    raw.execute("INSERT INTO settings (key, value) VALUES ('excerpt', ?1)", [said])
        .expect("written");
    drop(raw);
    let said = say(&project, &["verify", &outer]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("[excerpt]"), "{}", said.out);
    // Ways out of the folder lead nowhere.
    let mut archive = ZipWriter::new(std::fs::File::create(other.root.join("out.zip")).expect("made"));
    for name in [
        "a/../../../../escaped",
        "/escaped",
        "a/.gatehouse/runs/../../../escaped",
    ] {
        archive.start_file(name, SimpleFileOptions::default()).expect("begun");
        archive.write_all(b"x").expect("written");
    }
    archive.finish().expect("finished");
    refused("out.zip");
    assert!(!Path::new("/escaped").exists() && !other.root.join("escaped").exists());
    // Of the report in it nothing is taken from elsewhere.
    let said = say(&other, &["verify", "cut.zip", "--against", "r.html"]);
    assert_ne!(said.code, Some(0));
    // What was handed over of one run says so in the report's file, too.
    let folder = unpacked(&bundle);
    let report = std::fs::read_to_string(inside(folder.path()).join("report.html"));
    let report = report.expect("a report");
    assert!(report.contains(&outer));
}

#[test]
fn a_run_is_handed_over_without_those_beside_it_and_as_it_stands() {
    let outer = OUTER.replace(
        "  - {name: file,",
        "  - {name: rent, workflow: secret.yaml}\n  - {name: file,",
    );
    let project = Project::new(&[
        ("gatehouse.yaml", SETTINGS),
        ("inner.yaml", INNER),
        (
            "secret.yaml",
            &INNER
                .replace("id: inner", "id: secret")
                .replace("The contract", "A secret"),
        ),
        ("outer.yaml", &outer),
    ])
    .expect("a project");
    let waiting =
        |said: &Said| -> Value { serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON") };
    let begun = waiting(&ends(&project, 0, &["run", "outer.yaml", "--until-blocked", "--json"]));
    let first = begun["waiting"]["run_id"].as_str().expect("it waits inside").to_owned();
    ends(&project, 0, &["answer", &first, "sign", "approve", "--by", "Ann"]);
    ends(
        &project,
        0,
        &["resume", begun["run_id"].as_str().expect("an id"), "--until-blocked"],
    );
    let list = json(&ends(&project, 0, &["list", "--json"]));
    let run = |title: &str| {
        let rows = list.as_array().expect("a list").iter();
        let row = rows
            .clone()
            .find(|row| row["workflow_title"] == title)
            .expect("it began");
        row["run_id"].as_str().expect("an id").to_owned()
    };
    let (contract, secret, outer) = (run("The contract"), run("A secret"), run("Signed and filed"));
    // It waits for a person.
    ends(&project, 0, &["bundle", &secret, "-o", "part.zip"]);
    let other = stranger();
    let bundle = project.root.join("part.zip").to_string_lossy().into_owned();
    let found = json(&ends(&other, 0, &["verify", &bundle, "--json"]));
    let checks = found["checks"].as_array().expect("checks");
    let mut runs: Vec<&str> = checks.iter().filter_map(|check| check["run_id"].as_str()).collect();
    assert_eq!(runs.remove(0), secret);
    assert_eq!(runs, [&outer], "{contract} is no part of it");
    let folder = unpacked(Path::new(&bundle));
    let history = std::fs::read(inside(folder.path()).join(".gatehouse/history.db")).expect("a history");
    let holds = |text: &str| history.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("A secret") && !holds("The contract"));
    assert!(found["stands"].as_str().expect("words").contains("wait"), "{found}");
    // Whatever happens afterwards: what was handed over stays what it was.
    ends(&project, 0, &["answer", &secret, "sign", "approve", "--by", "Ann"]);
    ends(&other, 0, &["verify", &bundle]);
}

/// What somebody carries on is handed over as it stands at that moment, and not as if it had been left.
#[test]
fn a_run_that_goes_on_while_it_is_handed_over_is_said_to_have_been_running() {
    let slow = SETTINGS.replace("echo made", "while [ ! -f go ]; do sleep 0.1; done; echo made");
    let project = Project::new(&[("gatehouse.yaml", &slow), ("inner.yaml", INNER)]).expect("a project");
    let mut driver = program::command(&project.root, &["run", "inner.yaml", "--until-blocked"])
        .expect("gatehouse is built")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let begun = (0..1_200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let list = json(&ends(&project, 0, &["list", "--json"]));
        let run = list[0]["run_id"].as_str()?.to_owned();
        let events = ends(&project, 0, &["events", &run, "--vocabulary", "native"]).out;
        events.contains("attempt_started").then_some(run)
    });
    let run = begun.expect("its first step begins");
    ends(&project, 0, &["bundle", &run, "-o", "now.zip"]);
    std::fs::write(project.root.join("go"), "").expect("written");
    assert!(driver.wait().expect("it ends").success());

    let other = stranger();
    let bundle = project.root.join("now.zip");
    let found = json(&ends(&other, 0, &["verify", &bundle.to_string_lossy(), "--json"]));
    let stands = found["stands"].as_str().expect("words");
    assert!(
        stands.starts_with("still running when it was handed over, at event "),
        "{stands}"
    );
    let folder = unpacked(&bundle);
    let there = inside(folder.path());
    let report = std::fs::read_to_string(there.join("report.html")).expect("a report");
    assert!(report.contains(stands), "the report says the same");
    let at = there.to_string_lossy().into_owned();
    let status = ends(&other, 0, &["status", &run, "-C", &at]).out;
    assert!(
        status.contains("goes on where it was recorded") && !status.contains("left open"),
        "{status}"
    );
}

#[test]
fn a_run_that_the_register_does_not_know_is_not_handed_over_and_it_is_said_what_to_do() {
    let (project, outer, inner, _) = handed_over();
    Forger::of(&project.root)
        .0
        .execute("DELETE FROM register WHERE run_id = ?1", [&inner])
        .expect("deleted");
    let said = say(&project, &["bundle", &outer, "-o", "none.zip"]);
    assert_ne!(said.code, Some(0), "{}", said.out);
    assert!(
        said.err.contains("never entered in the project's register") && said.err.contains("gatehouse report"),
        "{}",
        said.err
    );
    assert!(!project.root.join("none.zip").exists());
}

/// Whoever opens what was handed over is told so on every page, and nothing is offered that would be refused.
#[tokio::test]
async fn a_window_on_what_was_handed_over_says_so_and_offers_nothing_that_is_recorded() {
    let (_project, outer, inner, bundle) = handed_over();
    let folder = unpacked(&bundle);
    let root = inside(folder.path());
    let home = tempfile::tempdir().expect("a folder");
    let me = studio::Identity::open_in(home.path(), false).expect("an identity");
    let studio = studio::Studio::open_as(&root, studio::Client::Test, me).expect("it opens");
    let ask = async |method: &str, params: Value| -> Value {
        let answer = studio::dispatch(&studio, method, params).await.expect("an answer");
        serde_json::from_str(answer.get()).expect("JSON")
    };
    let settings = ask("settings.get", Value::Null).await;
    let why = settings["read_only"].as_str().expect("it is said").to_owned();
    assert!(
        why.starts_with("This was handed over: ") && !why.contains(&*root.to_string_lossy()),
        "{why}"
    );
    for run in [&outer, &inner] {
        let of = serde_json::json!({"run_id": run});
        let view = ask("run.view", of.clone()).await;
        assert_eq!(
            (&view["source_gone"], &view["actions"]),
            (&serde_json::json!(true), &serde_json::json!([]))
        );
        let checkpoints = ask("run.checkpoints", of).await;
        for one in checkpoints["checkpoints"].as_array().expect("a list") {
            assert!(!one["refusal"].is_null(), "{one}");
        }
    }
    let checkpoints = ask("run.checkpoints", serde_json::json!({"run_id": inner})).await;
    assert!(
        checkpoints["checkpoints"].as_array().is_some_and(|all| !all.is_empty()),
        "{checkpoints}"
    );
}

/// Commands that only look leave a folder as it was: it would count as a project from then on.
#[test]
fn a_look_into_a_folder_that_is_no_project_writes_nothing() {
    let empty = Project::new(&[]).expect("a folder");
    for arguments in [
        &["list"][..],
        &["decisions"],
        &["evidence"],
        &["people"],
        &["pipeline", "list"],
        &["status", "01"],
        &["verify", "01"],
        &["report", "01", "-o", "a.html"],
        &["checkpoints", "01"],
    ] {
        let said = say(&empty, arguments);
        assert!(
            said.err.contains("is no project of Gatehouse"),
            "{arguments:?}: {}",
            said.err
        );
        let found = std::fs::read_dir(&empty.root).expect("there").count();
        assert_eq!(found, 0, "{arguments:?}");
    }
    // A page that was named in the place of a run.
    let said = ends(&empty, 64, &["verify", "rep1.html"]);
    assert!(said.err.contains("--against rep1.html"), "{}", said.err);
}
