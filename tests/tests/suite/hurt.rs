//! Bad input and bad luck: each gives one clear error, says what to do, and loses nothing. Through the program itself.

use rusqlite::Connection;
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};
use studio::{Client, Identity, Studio};
use tests::mounted::{Mounted, fill};
use tests::program::{self, Said};
use tests::project::Project;

const GATE: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], human_gate: required, gate_question: Good?, routing: {kind: linear, next: send}}
  - {id: send, agents: [x], routing: {kind: linear}}
";

fn say(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

/// It worked.
fn done(project: &Project, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    said
}

/// It was refused with this exit code, and one error in words that hold all of these.
fn refused(said: &Said, code: i32, words: &[&str]) {
    assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
    let errors: Vec<&str> = said.err.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "one clear error: {}{}", said.out, said.err);
    for word in words {
        assert!(said.err.contains(word), "it does not say `{word}`: {}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

/// A project whose run waits at its gate; its id.
fn waiting() -> (Project, String) {
    let project = Project::new(&[("memo.yaml", GATE)]).expect("a project");
    let run = begin(&project);
    (project, run)
}

fn begin(project: &Project) -> String {
    done(project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert!(state.waiting().is_some());
    run.to_string()
}

/// Approves, goes on, and checks that the run ends well and whole.
fn to_the_end(project: &Project, run: &str) {
    done(project, &["answer", run, "write", "approve", "--by", "Ann"]);
    done(project, &["resume", run]);
    ends_well(project, run);
}

fn ends_well(project: &Project, run: &str) {
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert_eq!(state.status, engine::RunStatus::Ended(engine::EndStatus::Succeeded));
    done(project, &["verify", run]);
}

fn check_and_run(name: &str, text: &[u8], at: Option<&str>, words: &[&str]) {
    let project = Project::new(&[]).expect("a project");
    std::fs::write(project.root.join(name), text).expect("a file");
    let checked = say(&project, &["check", name]);
    assert_eq!(checked.code, Some(2), "{}{}", checked.out, checked.err);
    let place = at.map_or_else(|| format!("{name}: error: "), |at| format!("{name}:{at}: error: "));
    assert!(checked.out.contains(&place), "no `{place}` in {}", checked.out);
    for word in words {
        assert!(checked.out.contains(word), "it does not say `{word}`: {}", checked.out);
    }
    let run = say(&project, &["run", name]);
    refused(&run, if at.is_some() { 2 } else { 3 }, &["error: ", "hint: "]);
    assert_eq!(
        std::fs::read(project.root.join(name)).expect("the file"),
        text,
        "the file is as it was"
    );
    assert!(project.latest().expect("a history").is_none(), "nothing was started");
}

#[test]
fn files_that_cannot_be_read_or_run_are_refused_with_their_place() {
    check_and_run("bytes.yaml", b"key: a\xff\xfe\n", None, &["UTF-8"]);
    let broken = b"key: a\ntitle: \"A\nsteps:\n  - {id: a\n";
    check_and_run("broken.yaml", broken, Some("2:8"), &["line 2, column 8", "GH0101"]);
    let target = b"key: a\ntitle: A\nsteps:\n  - {id: a, agents: [x], routing: {kind: linear, next: zzz}}\n";
    check_and_run("target.yaml", target, Some("4:50"), &["`zzz`", "GH0001"]);
    let cycle = b"key: a\nsteps:\n  - {id: a, routing: {kind: linear, next: b}}\n  - {id: b, routing: {kind: linear, next: a}}\n";
    check_and_run("cycle.yaml", cycle, Some("3:5"), &["`a`, `b`", "GH0003"]);
}

#[test]
fn a_session_is_checked_and_shown_and_nothing_of_it_is_run() {
    let whole = "session_id: bmad-session-1731500000000-a1b2c3d4\nproject_metadata: {name: \"A \u{202e}shop\", workflow_type: greenfield-ui, created_at: \"2026-11-23T10:00:00Z\"}\nworkflow_state:\n  current_step: 2\n  completed_steps: [1]\n  failed_steps: [{step_id: 2, agent: qa, error: \"it fell\\nover\", retry_count: 1}]\nagent_contexts: {qa: {status: failed}, \"<b>x</b>\": {}}\nglobal_context: {}\n";
    let broken = whole.replacen("status: failed", "status: fialed", 1);
    let project = Project::new(&[("whole.yaml", whole), ("broken.yaml", &broken), ("memo.yaml", GATE)]);
    let project = project.expect("a project");

    let said = say(&project, &["check", "whole.yaml"]);
    assert_eq!(
        (said.code, said.out.trim()),
        (Some(0), "1 session checked: 0 errors, 0 warnings")
    );
    let said = say(&project, &["check", "broken.yaml"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.out
            .starts_with("broken.yaml:7:23: error: `agent_contexts.qa.status` is “fialed”"),
        "{}",
        said.out
    );
    let said = say(&project, &["check", "--json", "whole.yaml"]);
    let line: serde_json::Value = serde_json::from_str(&said.out).expect("one line of JSON");
    assert_eq!(
        (&line["format"], &line["nearest"]),
        (&"context_state".into(), &serde_json::Value::Null)
    );

    let said = say(&project, &["session", "show", "broken.yaml"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    for part in ["qa; it fell\u{240a}over; tried again once", "<b>x</b>  no status"] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert!(!said.out.contains('\u{202e}'), "{}", said.out);
    let said = say(&project, &["session", "show", "--json", "whole.yaml"]);
    let view: serde_json::Value = serde_json::from_str(&said.out).expect("one line of JSON");
    assert_eq!(
        (&view["current_step"], &view["problems"]),
        (&"2".into(), &serde_json::json!([]))
    );
    assert_eq!(say(&project, &["session", "show", "memo.yaml"]).code, Some(2));
    std::fs::write(project.root.join("latin.json"), b"{\"session_id\": \"\xe9\"}").expect("written");
    assert_eq!(say(&project, &["session", "show", "latin.json"]).code, Some(2));

    let schema: serde_json::Value = serde_json::from_str(&say(&project, &["session", "schema"]).out).expect("JSON");
    assert_eq!(schema["title"], "Context State Schema");
    // Neither listed nor run.
    let said = say(&project, &["run", "whole.yaml"]);
    assert!(said.err.contains("a session, not a workflow"), "{}", said.err);
    assert!(project.latest().expect("a history").is_none(), "nothing was started");
}

#[test]
fn a_run_is_a_session_now_and_at_each_of_its_events() {
    let (project, run) = waiting();
    let exported = |more: &[&str]| {
        let said = say(&project, &[&["session", "export", &run], more].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        project.write(&[("session.json", &said.out)]).expect("written");
        let shown = say(&project, &["session", "show", "session.json"]);
        assert_eq!(shown.code, Some(0), "{}{}", shown.out, shown.err);
        let document: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
        (document, shown.out)
    };
    let (document, shown) = exported(&[]);
    assert_eq!(document["workflow_state"]["paused"], true, "{document:#}");
    assert!(shown.contains("rehearsal: nothing of it was carried out"), "{shown}");
    let kept = project.text(format!(".gatehouse/runs/{run}/context_state.json"));
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept, document, "the one in the folder is the same");
    let (first, _) = exported(&["--at", "1"]);
    assert_eq!(first["metadata"]["events"], 1);
    assert_eq!(first["session_id"], document["session_id"], "stable");

    let none = say(&project, &["session", "export", &run, "--at", "0"]);
    refused(&none, 64, &["0 is not in"]);
    let later = say(&project, &["session", "export", &run, "--at", "99"]);
    refused(&later, 64, &["The run has", "none has the number 99"]);
    refused(&say(&project, &["session", "export", "nothing"]), 3, &["nothing"]);
}

const CI: &str = "name: Test\non: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - {id: unit, run: npm test}\n";

#[test]
fn a_file_of_another_program_is_told_in_one_line_and_never_listed() {
    check_and_run(
        "ci.yml",
        CI.as_bytes(),
        Some("1:1"),
        &["a build file, not a workflow", "GH0105"],
    );
    let project = Project::new(&[("memo.yaml", GATE), ("ci.yml", CI)]).expect("a project");
    let named = say(&project, &["check", "ci.yml"]);
    assert_eq!(named.out.lines().count(), 2, "the line and the sum: {}", named.out);
    let json = |file: &str| -> serde_json::Value {
        let said = say(&project, &["check", "--json", file]);
        serde_json::from_str(&said.out).expect("one line of JSON")
    };
    let (flow, ci) = (json("memo.yaml"), json("ci.yml"));
    assert_eq!(
        (&flow["format"], &flow["nearest"]),
        (&"stepwise".into(), &serde_json::Value::Null)
    );
    assert_eq!(
        (&ci["format"], &ci["workflow"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!((&ci["nearest"], &ci["errors"]), (&"stepwise".into(), &1.into()));
    let folder = done(&project, &["check", "."]);
    assert!(
        folder.out.contains("1 workflow checked") && !folder.out.contains("ci.yml"),
        "{}",
        folder.out
    );
}

/// In a folder without `gatehouse.yaml` nobody does any work: nothing begins for real, and a rehearsal says that it is one.
#[test]
fn a_run_for_real_needs_somebody_for_every_agent() {
    let project = Project::new(&[("memo.yaml", GATE)]).expect("a project");
    let said = say(&project, &["run", "memo.yaml"]);
    refused(
        &said,
        3,
        &[
            "nobody does the work of “x”",
            "hint: ",
            "`x: person`",
            "--assign write=NAME",
            "--rehearse",
        ],
    );
    assert!(project.latest().expect("a history").is_none(), "nothing began");

    let said = done(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    assert!(said.out.contains("\na rehearsal: "), "{}", said.out);
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert!(state.created.expect("created").is_rehearsal());
    assert!(done(&project, &["list"]).out.contains("rehearsal: waits"));
    for command in [&["list", "--json"][..], &["status", run.as_str(), "--json"]] {
        let said = done(&project, command);
        assert!(said.out.contains("\"rehearsal\":true"), "{}", said.out);
    }
    let events = done(&project, &["events", run.as_str()]).out;
    assert!(
        events.lines().all(|line| line.contains("\"rehearsal\":true")),
        "{events}"
    );
}

/// Who is late with an answer to one question of a step answers no other one: the gate that is asked now has to be named whole.
#[test]
fn a_late_answer_by_the_name_of_a_step_permits_no_script() {
    let file = "name: Clean\nstages:\n  - {name: a, run: 'rm -f important.txt', human_gate: required, gate_at: before, gate_question: Is the plan good?}\n";
    let project = Project::new(&[
        ("clean.yaml", file),
        ("important.txt", "x"),
        ("gatehouse.yaml", "version: 1\n"),
    ])
    .expect("a project");
    done(&project, &["run", "clean.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0.to_string();
    let late = ["answer", run.as_str(), "a", "approve", "--round", "1", "--by", "Bob"];
    done(
        &project,
        &["answer", &run, "a", "approve", "--round", "1", "--by", "Ann"],
    );
    done(&project, &["resume", &run, "--until-blocked"]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    let opened = state.waiting().expect("its permission is asked for").opened.clone();
    assert!(matches!(opened.purpose, engine::Purpose::Permission { .. }));
    let words = [
        "Is the plan good?",
        "Ann approved this on",
        "Your answer was not used",
        opened.gate.as_str(),
    ];
    refused(&say(&project, &late), 3, &words);
    assert!(project.root.join("important.txt").exists());
    // By its whole name it is answered.
    done(
        &project,
        &[
            "answer",
            &run,
            opened.gate.as_str(),
            "reject",
            "--round",
            "1",
            "--comment",
            "no",
            "--by",
            "Bob",
        ],
    );
}

#[test]
fn a_list_is_narrowed_to_days_and_to_a_person() {
    let (project, run) = waiting();
    done(&project, &["answer", &run, "write", "approve", "--by", "Ann"]);
    for (narrowed, fits) in [
        (&["--by", "Ann"][..], true),
        (&["--by", "ann"], true),
        (&["--by", "Bob"], false),
        (&["--since", "1999-12-31", "--until", "2999-12-31"], true),
        (&["--since", "2999-12-31"], false),
        (&["--until", "1999-12-31", "--by", "Ann"], false),
    ] {
        let said = done(&project, &[&["list"], narrowed].concat()).out;
        assert_eq!(said.contains(&run), fits, "{narrowed:?}: {said}");
        assert_eq!(said.contains("no run fits"), !fits, "{narrowed:?}: {said}");
    }
    // Of somebody who is there and did nothing on those days it is not said that nobody is.
    let said = done(&project, &["list", "--by", "Bob"]).out;
    assert!(said.contains("nobody of the name “Bob” is in the record"), "{said}");
    let said = done(&project, &["list", "--by", "Ann", "--since", "2999-12-31"]).out;
    assert!(!said.contains("in the record"), "{said}");
    let said = say(&project, &["list", "--by", "Bob", "--json"]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "[]"));
    assert!(said.err.contains("nobody of the name “Bob”"), "{}", said.err);
    let said = say(&project, &["list", "--since", "soon"]);
    assert_ne!(said.code, Some(0));
    assert!(said.err.contains("“soon” is no day"), "{}", said.err);
}

/// Else whoever was named would not be asked, and a program would do the work.
#[test]
fn a_step_is_only_given_to_somebody_where_it_is_there() {
    let runbook = "# Sweep\n\n## 1 Floor\n\n### 1.1 Hall\n\n```bash\ntouch swept\n```\n\n## 2 Chairs\n\nCount them.\n";
    let pipeline = "name: All\nstages:\n  - {name: first, workflow: memo.yaml}\n";
    let files = [
        ("memo.yaml", GATE),
        ("sweep.runbook.md", runbook),
        ("all.yaml", pipeline),
    ];
    let project = Project::new(&files).expect("a project");
    let config = "agents: {x: {engine: shell, run: touch swept}}\n";
    project.write(&[("gatehouse.yaml", config)]).expect("written");
    for (file, step, words) in [
        ("memo.yaml", "wirte", ["no step `wirte`", "Did you mean `write`?"]),
        ("sweep.runbook.md", "9", ["no step `9`", "There are `1.1`, `2`."]),
        ("sweep.runbook.md", "1", ["The step `1` cannot", "each of its substeps"]),
        (
            "memo.yaml",
            "other.yaml#a",
            ["no step `other.yaml#a`", "`write`, `send`"],
        ),
        (
            "all.yaml",
            "memo.yaml#sent",
            ["no step `memo.yaml#sent`", "`memo.yaml#send`"],
        ),
    ] {
        let assign = format!("{step}=anna");
        let said = say(
            &project,
            &["run", file, "--assign", &assign, "--permit", "--until-blocked"],
        );
        refused(&said, 64, &words);
    }
    let twice = ["run", "memo.yaml", "--assign", "write=anna", "--assign", "write=bo"];
    refused(&say(&project, &twice), 64, &["`write` is given to somebody twice"]);
    assert!(project.latest().expect("a history").is_none(), "nothing began");
    // A step of a workflow inside is given away, and so is one of a file that an earlier step makes.
    for step in ["first=anna", "memo.yaml#write=anna"] {
        done(&project, &["run", "all.yaml", "--assign", step, "--until-blocked"]);
    }
    let makes = "name: Makes\nstages:\n  - {name: make, run: cp memo.yaml made.yaml}\n  - {name: go, workflow: made.yaml, depends_on: [make]}\n";
    project.write(&[("makes.yaml", makes)]).expect("written");
    let later = [
        "run",
        "makes.yaml",
        "--assign",
        "made.yaml#write=anna",
        "--permit",
        "--until-blocked",
    ];
    done(&project, &later);
    assert!(
        !project.root.join("swept").exists(),
        "no program did what was given to a person"
    );
}

/// Else a slip in a name would leave the question to what its author offers.
#[test]
fn only_what_is_asked_is_answered_and_only_once() {
    let plan = "\
format: stepspec
workflow: plan
title: Plan
questions:
  - {name: owner, label: Who owns it?, kind: text, default: Eve}
steps:
  - {id: a, name: A, phase: Phase 2, agent: writer, inputs: {goal: 'For {{owner}}: {{product}}'}, human_gate: optional}
";
    let project = Project::new(&[("plan.yaml", plan)]).expect("a project");
    let with = |inputs: &[&str]| {
        let inputs = inputs.iter().flat_map(|input| ["--input", *input]);
        let arguments: Vec<&str> = ["run", "plan.yaml", "--rehearse"].into_iter().chain(inputs).collect();
        say(&project, &arguments)
    };
    refused(
        &with(&["ownr=Ada"]),
        64,
        &["does not ask for “ownr”", "Did you mean “owner”?"],
    );
    refused(
        &with(&["region=EU"]),
        64,
        &["does not ask for “region”", "It asks for “owner”."],
    );
    refused(&with(&["owner=Ada", "owner=Bo"]), 64, &["“owner” is answered twice"]);
    assert!(project.latest().expect("a history").is_none(), "nothing began");
    // What stands in its texts is given too.
    let said = with(&["owner=Ada", "product=bread"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(!said.err.contains("asks for"), "{}", said.err);
}

/// Where nothing is asked anything may be given, and it is said that it is only told.
#[test]
fn what_no_workflow_asks_for_is_named() {
    let flow = "key: memo\ntitle: Memo\nsteps:\n  - {id: write, agents: [writer]}\n";
    let project = Project::new(&[("memo.yaml", flow)]).expect("a project");
    let said = say(&project, &["run", "memo.yaml", "--rehearse", "--input", "region=EU"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(
        said.err
            .contains("note: Nothing in the workflow asks for “region”: it is recorded"),
        "{}",
        said.err
    );
}

/// Else the key would lie in whatever folder a command is run in.
#[test]
fn a_home_that_is_another_folder_everywhere_is_refused() {
    let project = Project::new(&[("memo.yaml", GATE)]).expect("a project");
    let said = |name: &str, value: &str| {
        let mut command = program::stranger(&project.root, &["list"]).expect("gatehouse is built");
        command.env_remove("XDG_CONFIG_HOME").env(name, value);
        Said::from(command.output().expect("it starts"))
    };
    refused(
        &said("GATEHOUSE_HOME", "mine"),
        3,
        &["GATEHOUSE_HOME is “mine”", "from the root on"],
    );
    assert!(!project.root.join("mine").exists());
    // Not meant where the other one is.
    assert_eq!(said("HOME", "mine").code, Some(0));
    assert!(!project.root.join("mine").exists());
}

/// Else the last one would win, and be signed.
#[test]
fn of_a_field_one_value_is_reported() {
    let (project, run) = waiting();
    let answer = [
        "answer",
        run.as_str(),
        "write",
        "pass",
        "--by",
        "Ann",
        "--report",
        "verdict=bad",
    ];
    let twice: Vec<&str> = answer.into_iter().chain(["--report", "verdict=good"]).collect();
    refused(&say(&project, &twice), 64, &["“verdict” is reported twice"]);
    to_the_end(&project, &run);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let project = Project::new(&[]).expect("a project");
    let checked = say(&project, &["check", "none.yaml"]);
    assert_eq!(checked.code, Some(2));
    assert!(
        checked.out.contains("none.yaml: error: the file cannot be read"),
        "{}",
        checked.out
    );
    refused(&say(&project, &["run", "none.yaml"]), 3, &["none.yaml", "hint: "]);
}

#[test]
fn a_full_disk_loses_nothing() {
    let project = Project::new(&[]).expect("a project");
    let Some(_disk) = Mounted::new(&project.root) else {
        return;
    };
    project.write(&[("memo.yaml", GATE)]).expect("it fits");
    let run = begin(&project);
    let filler = project.root.join("filler");
    fill(&filler);

    let answer = ["answer", run.as_str(), "write", "approve", "--by", "Ann"];
    refused(
        &say(&project, &answer),
        3,
        &["full", "Nothing was written", "Free some space"],
    );
    let second = say(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    refused(&second, 3, &["full"]);
    // What is recorded can be looked at and verified: that wants no space.
    let verified = done(&project, &["verify", &run]);
    assert!(verified.out.contains("Unaltered"), "{}", verified.out);
    assert!(done(&project, &["list"]).out.contains("A memo"));
    assert!(done(&project, &["status", &run]).out.contains("waits"));

    std::fs::remove_file(&filler).expect("it can be removed");
    let (same, state) = project.latest().expect("the history is whole").expect("a run");
    assert_eq!(same.as_str(), run, "no other run came into being");
    assert!(state.waiting().is_some(), "the gate waits as before");
    to_the_end(&project, &run);
}

/// Its step had come to its end: whoever goes on is told that the work was done once already.
#[test]
fn what_was_done_and_could_not_be_recorded_is_an_attempt_of_its_own() {
    let project = Project::new(&[]).expect("a project");
    let Some(_disk) = Mounted::new(&project.root) else {
        return;
    };
    // The first time it leaves room for a lease and for a few words, and none for what it reports.
    let fills = "echo b >> ran.log; [ -e once ] || { : > once; \
                 printf '{\"long\": \"%s\"}' \"$(head -c 200000 /dev/zero | tr '\\0' x)\" > \"$GATEHOUSE_REPORT\"; \
                 dd if=/dev/zero of=filler bs=1k 2>/dev/null; truncate -s -120000 filler; }";
    let agents = format!("agents:\n  x:\n    engine: shell\n    run: |\n      {fills}\n");
    let flow = "key: memo\ntitle: A memo\nsteps:\n  - {id: b, agents: [x]}\n";
    project
        .write(&[("gatehouse.yaml", &agents), ("memo.yaml", flow)])
        .expect("it fits");
    let said = say(&project, &["run", "memo.yaml"]);
    refused(&said, 3, &["full"]);
    std::fs::remove_file(project.root.join("filler")).expect("it can be removed");
    let (run, _) = project.latest().expect("a history").expect("a run");
    done(&project, &["resume", run.as_str()]);
    assert_eq!(project.text("ran.log"), "b\nb\n");
    let (_, state) = project.latest().expect("a history").expect("a run");
    let attempts = &state.visits_of(&"b".into()).next_back().expect("a visit").attempts;
    assert_eq!(attempts.len(), 2, "{attempts:?}");
    assert!(attempts[0].interrupted.is_some(), "{attempts:?}");
    ends_well(&project, run.as_str());
}

/// What is recorded as done is not said to have failed because the disk is full by then, however much room there is left.
#[test]
fn a_run_that_is_recorded_as_done_ends_well_on_a_full_disk() {
    let flow = "key: memo\ntitle: A memo\nsteps:\n  - {id: write, agents: [x], human_gate: required}\n  - {id: send, agents: [x]}\n";
    for room in (90_000..=125_000).step_by(5_000) {
        let project = Project::new(&[]).expect("a project");
        let Some(_disk) = Mounted::new(&project.root) else {
            return;
        };
        project
            .write(&[
                ("memo.yaml", flow),
                ("gatehouse.yaml", "agents: {x: {engine: shell, run: 'true'}}\n"),
            ])
            .expect("it fits");
        done(&project, &["run", "memo.yaml", "--until-blocked"]);
        let (run, _) = project.latest().expect("a history").expect("a run");
        let filler = project.root.join("filler");
        fill(&filler);
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(&filler)
            .expect("it is there");
        let all = file.metadata().expect("it is there").len();
        file.set_len(all - room).expect("room");
        say(&project, &["answer", run.as_str(), "write", "approve", "--by", "Ann"]);
        let said = say(&project, &["resume", run.as_str()]);
        assert!(
            !said.out.contains("Run done") || said.code == Some(0),
            "{room}: {}{}",
            said.out,
            said.err
        );
    }
}

#[tokio::test]
async fn a_workflow_that_cannot_be_moved_on_a_full_disk_leaves_nothing_behind() {
    let project = Project::new(&[]).expect("a project");
    let Some(_disk) = Mounted::new(&project.root) else {
        return;
    };
    project.write(&[("memo.yaml", GATE)]).expect("it fits");
    begin(&project);
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    let studio = Studio::open_as(&project.root, Client::Test, identity).expect("the project opens");
    fill(&project.root.join("filler"));
    let to = serde_json::json!({"path": "memo.yaml", "folder": "plans/later"});
    let refused = studio::dispatch(&studio, "workflow.move", to)
        .await
        .expect_err("it is full");
    assert_eq!(refused.code, "disk_full", "{refused:?}");
    assert!(!project.root.join("plans").exists(), "the folders are gone too");
    assert_eq!(project.text("memo.yaml"), GATE);
}

#[test]
fn a_report_that_does_not_fit_on_its_disk_is_refused() {
    let (project, run) = waiting();
    let small = project.root.join("small");
    std::fs::create_dir(&small).expect("a folder");
    let Some(_disk) = Mounted::new(&small) else {
        return;
    };
    fill(&small.join("filler"));
    refused(
        &say(&project, &["report", &run, "-o", "small/report.html"]),
        3,
        &["was not written", "Free some space"],
    );
    std::fs::remove_file(small.join("filler")).expect("it can be removed");
    done(&project, &["report", &run, "-o", "small/report.html"]);
}

/// Nothing of Gatehouse is broken by what stands in the place of a file.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_session_and_a_link_is_no_folder_of_a_run() {
    let (project, run) = waiting();
    std::fs::create_dir(project.root.join("folder")).expect("a folder");
    for (path, words) in [("folder", "it is a folder"), ("/dev/null", "it is a device")] {
        for act in ["show", "import"] {
            refused(&say(&project, &["session", act, path]), 2, &[words, "cannot be read"]);
        }
    }
    let gone = say(&project, &["session", "show", "gone.json"]);
    refused(&gone, 3, &["there is no such file"]);
    let folder = project.root.join(".gatehouse/runs").join(&run);
    let away = project.root.join("away");
    std::fs::rename(&folder, &away).expect("it can be moved");
    std::os::unix::fs::symlink(&away, &folder).expect("a link");
    refused(
        &say(&project, &["rebuild", &run]),
        3,
        &["is a link", "Remove the link, then rebuild the run"],
    );
    std::fs::remove_file(&folder).expect("it can be removed");
    done(&project, &["rebuild", &run]);
}

#[test]
fn a_read_only_folder_can_be_looked_at() {
    let project = Project::new(&[]).expect("a project");
    let Some(disk) = Mounted::new(&project.root) else {
        return;
    };
    project.write(&[("memo.yaml", GATE)]).expect("it fits");
    let run = begin(&project);
    disk.read_only(true);

    refused(
        &say(&project, &["run", "memo.yaml", "--rehearse"]),
        3,
        &["cannot be written to", "permission"],
    );
    let answer = ["answer", run.as_str(), "write", "approve", "--by", "Ann"];
    refused(&say(&project, &answer), 3, &["cannot be written to"]);
    let said = say(&project, &["abort", &run, "--reason", "enough"]);
    refused(&said, 3, &["so nothing can be recorded there", "write permission"]);
    assert_eq!(said.err.matches("write permission").count(), 1, "{}", said.err);
    done(&project, &["check", "memo.yaml"]);
    let copy = project.root.with_file_name("copy.db");
    let kept = done(&project, &["backup", copy.to_str().expect("text")]);
    assert!(kept.out.contains("holds 1 run"), "{}", kept.out);
    refused(
        &say(&project, &["report", &run, "-o", "report.html"]),
        3,
        &["was not written", "a folder that you may write to"],
    );
    let listed = done(&project, &["list"]);
    assert!(listed.out.contains("A memo"), "{}", listed.out);
    assert!(
        done(&project, &["status", &run]).out.contains("waits"),
        "its state can be read"
    );

    disk.read_only(false);
    to_the_end(&project, &run);
}

#[test]
fn a_history_that_may_not_be_read_is_said_to_be_there() {
    use std::os::unix::fs::PermissionsExt as _;
    for arguments in [&["list"][..], &["list", "--json"], &["people"], &["verify", "RUN"]] {
        let (project, run) = waiting();
        let file = project.root.join(".gatehouse/history.db");
        let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("it is there");
        mode(0);
        let arguments: Vec<&str> = arguments
            .iter()
            .map(|one| if *one == "RUN" { run.as_str() } else { *one })
            .collect();
        let mut command = program::stranger(&project.root, &arguments).expect("gatehouse is built");
        // The administrator of a machine may read everything.
        if program::as_ordinary(&project.root, &mut command).expect("given away") {
            let said = Said::from(command.output().expect("it starts"));
            refused(&said, 3, &["cannot be read"]);
        }
        mode(0o600);
        assert!(done(&project, &["list"]).out.contains("A memo"));
    }
}

#[test]
fn a_history_locked_by_another_process_is_named_and_waited_for() {
    let (project, run) = waiting();
    let other = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let answer = ["answer", run.as_str(), "write", "approve", "--by", "Ann"];
    let begun = Instant::now();
    refused(
        &say(&project, &answer),
        3,
        &["locked by another process", "Nothing was written"],
    );
    assert!(begun.elapsed() >= Duration::from_secs(4), "a short lock is waited for");
    // Reading goes on meanwhile.
    assert!(done(&project, &["status", &run]).out.contains("waits"));

    // A lock that is let go of in time is not even noticed.
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| done(&project, &answer));
        std::thread::sleep(Duration::from_millis(500));
        other.execute_batch("ROLLBACK").expect("let go");
        answering.join().expect("it was answered");
    });
    done(&project, &["resume", &run]);
    ends_well(&project, &run);
}

#[test]
fn a_workflow_edited_while_it_runs_changes_nothing_for_the_run() {
    let (project, run) = waiting();
    let edited = GATE.replace("id: send", "id: burn").replace("next: send", "next: burn");
    project.write(&[("memo.yaml", &edited)]).expect("it can be edited");
    let status = done(&project, &["status", &run, "--json"]);
    let view: Value = serde_json::from_str(&status.out).expect("JSON");
    assert_eq!(view["source_changed"], true, "the run says that its file has changed");
    to_the_end(&project, &run);
    let (_, state) = project.latest().expect("a history").expect("a run");
    let path: Vec<String> = runtime::scenario::path(&state)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(path, ["write", "send"], "it kept the version it started with");
    assert_eq!(project.text("memo.yaml"), edited, "and the file is the author's");
}

#[test]
fn of_two_answers_the_first_counts_and_the_second_is_told() {
    let (project, run) = waiting();
    done(&project, &["answer", &run, "write", "approve", "--by", "Ann"]);
    let late = say(
        &project,
        &["answer", &run, "write", "reject", "--by", "Ben", "--comment", "no"],
    );
    refused(&late, 3, &["Ann", "approved", "was not used"]);
    done(&project, &["resume", &run]);
    let after = say(
        &project,
        &["answer", &run, "write", "reject", "--by", "Ben", "--comment", "no"],
    );
    refused(&after, 3, &["Ann"]);
    ends_well(&project, &run);
}

#[test]
fn of_answers_given_at_once_exactly_one_counts() {
    let (project, run) = waiting();
    let people = ["Ann", "Ben", "Cleo", "Dan"];
    let said: Vec<Said> = std::thread::scope(|scope| {
        let (project, run) = (&project, run.as_str());
        let answers =
            people.map(|by| scope.spawn(move || say(project, &["answer", run, "write", "approve", "--by", by])));
        answers.into_iter().map(|a| a.join().expect("it was said")).collect()
    });
    let (_, state) = project.latest().expect("a history").expect("a run");
    let rounds = state.gates.values().next().expect("the gate");
    let (decision, _) = rounds[0].answer.as_ref().expect("it was answered");
    for (by, said) in people.iter().zip(&said) {
        if *by == decision.by {
            assert_eq!(said.code, Some(0), "{by}: {}", said.err);
        } else {
            refused(said, 3, &[&decision.by]);
        }
    }
    done(&project, &["resume", &run]);
    ends_well(&project, &run);
}

#[test]
fn a_new_project_can_be_opened_by_several_programs_at_once() {
    for _ in 0..5 {
        let project = Project::new(&[("memo.yaml", GATE)]).expect("a project");
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(|| done(&project, &["list"]))).collect();
            for one in all {
                one.join().expect("it was opened");
            }
        });
    }
}

/// A program that does not outlive its test.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_run_has_one_driver() {
    let project = Project::new(&[("memo.yaml", GATE)]).expect("a project");
    let mut command = program::command(&project.root, &["run", "memo.yaml", "--rehearse"]).expect("gatehouse is built");
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = Ended(quiet.spawn().expect("it starts"));
    let begun = Instant::now();
    let run = loop {
        match project.latest().expect("a history") {
            Some((run, state)) if state.waiting().is_some() => break run.to_string(),
            _ => assert!(begun.elapsed() < Duration::from_secs(60), "the run never asked"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let second = say(&project, &["resume", &run]);
    refused(&second, 3, &[&format!(" {}@", first.0.id()), "already driven"]);
    // A pause is taken away all the same: whoever drives it goes on.
    done(&project, &["pause", &run]);
    let ahead = done(&project, &["resume", &run, "--dry-run"]);
    assert!(
        ahead
            .out
            .contains("paused and has not ended: it goes on where it stands"),
        "{}",
        ahead.out
    );
    let resumed = done(&project, &["resume", &run]);
    assert!(
        resumed.err.contains("goes on where it is carried out already"),
        "{}{}",
        resumed.out,
        resumed.err
    );
    let ahead = done(&project, &["resume", &run, "--dry-run"]);
    assert!(
        ahead.out.starts_with("This run has not ended: it goes on"),
        "{}",
        ahead.out
    );
    let elsewhere = say(&project, &["resume", &run, "--dry-run", "--from", "send"]);
    refused(&elsewhere, 3, &["has not ended"]);
    // The answer, given by another process, lets the first go on.
    done(&project, &["answer", &run, "write", "approve", "--by", "Ann"]);
    assert!(first.0.wait().expect("it ends").success());
    ends_well(&project, &run);
}

/// A program that died while it packed or checked a bundle has left a folder: it goes once it is old. What is left of an attempt is its own run's.
#[test]
fn whoever_drives_a_run_takes_away_what_was_left_of_bundles() {
    let flow = "key: memo\ntitle: A memo\nsteps:\n  - {id: b, agents: [x]}\n";
    let config = "agents: {x: {engine: shell, run: 'true'}}\n";
    let project = Project::new(&[("memo.yaml", flow), ("gatehouse.yaml", config)]).expect("a project");
    let names = ["bundle-old", "check-new", "attempt-old"];
    let [old, new, attempt] = names.map(|name| project.home().join("work").join(name));
    for folder in [&old, &new, &attempt] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let long_ago = SystemTime::now() - Duration::from_secs(48 * 60 * 60);
    for folder in [&old, &attempt] {
        let folder = std::fs::File::open(folder).expect("it is there");
        folder.set_modified(long_ago).expect("set");
    }
    done(&project, &["run", "memo.yaml"]);
    assert_eq!(
        [&old, &new, &attempt].map(|folder| folder.exists()),
        [false, true, true]
    );
}
