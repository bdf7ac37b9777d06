//! Who answers for whom, and what a run is about: through the program itself.

use serde_json::Value;
use std::path::Path;
use studio::settings::identity::HOME_VARIABLE;
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], human_gate: required, gate_question: Good?, gate_asks: [legal], routing: {kind: linear, next: send}}
  - {id: send, agents: [x], human_gate: required, gate_question: May it go?, gate_asks: [finance], routing: {kind: linear}}
";
const SCENARIO: &str = "name: written\nsteps: {write: [{}], send: [{}]}\n";

fn done(project: &Project, arguments: &[&str]) -> tests::program::Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
    said
}

/// Nobody who only wants to say who they are is told to approve every gate, and what is said with an answer counts or is refused.
#[test]
fn a_name_alone_and_a_way_that_nobody_chooses_are_refused() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let start = ["run", "memo.yaml", "--rehearse", "--until-blocked"];
    let named: Vec<&str> = start.iter().chain(&["--by", "Petra"]).copied().collect();
    let said = project.gatehouse(&named).expect("gatehouse is built");
    assert_eq!((said.code, said.out.as_str()), (Some(64), ""), "{}", said.err);
    assert!(
        said.err.contains("--by goes with --yes") && said.err.contains("your settings"),
        "{}",
        said.err
    );
    done(&project, &start);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let along = [
        "answer",
        run.as_str(),
        "write",
        "approve",
        "--by",
        "Ada",
        "--way",
        "send",
    ];
    let said = project.gatehouse(&along).expect("gatehouse is built");
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("Only `choose` goes along a way"), "{}", said.err);
    done(&project, &["answer", run.as_str(), "write", "approve", "--by", "Ada"]);
}

#[test]
fn a_run_says_what_it_is_about_and_an_answer_in_another_name_is_remarked() {
    let project = Project::new(&[("memo.yaml", FLOW), ("memo.scenario.yaml", SCENARIO)]).expect("a project");
    std::fs::create_dir_all(project.home()).expect("a home");
    std::fs::write(project.home().join("person.json"), r#"{"name": "Ada Lund"}"#).expect("a person");
    let start = [
        "run",
        "memo.yaml",
        "--scenario",
        "memo.scenario.yaml",
        "--until-blocked",
        "--subject",
        "Northwind AB",
    ];
    let mut two = start;
    two[6] = "Northwind AB\nand more";
    let refused = project.gatehouse(&two).expect("gatehouse is built");
    assert!(
        refused.code == Some(64) && refused.err.contains("is one line"),
        "{}",
        refused.err
    );
    done(&project, &start);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.as_str();
    let listed = done(&project, &["list"]).out;
    assert!(listed.contains("A memo: Northwind AB"), "{listed}");
    let rows: Value = serde_json::from_str(&done(&project, &["list", "--json"]).out).expect("JSON");
    assert_eq!(rows[0]["subject"], "Northwind AB");

    let own = done(&project, &["answer", run, "write", "approve"]);
    assert!(!own.err.contains("key belongs"), "{}", own.err);
    done(&project, &["resume", run, "--until-blocked"]);
    let asked = done(&project, &["status", run]).out;
    assert!(asked.contains("it asks finance"), "{asked}");
    let other = done(&project, &["answer", run, "send", "approve", "--by", "Bo Berg"]);
    assert!(other.err.contains("this key belongs to Ada Lund"), "{}", other.err);
    let status = done(&project, &["status", run]).out;
    for words in [
        "about Northwind AB",
        // Nobody of these names was asked, and which roles they have is on no record.
        "remark: Ada Lund answered for legal.",
        "remark: Bo Berg answered for finance.",
        "remark: Bo Berg answered with the key of Ada Lund.",
    ] {
        assert!(status.contains(words), "{words}: {status}");
    }
    // The remark is part of what was signed: it is recorded, and all of it verifies.
    let (_, state) = project.latest().expect("a history").expect("a run");
    let names: Vec<Option<String>> = state
        .gates
        .values()
        .flatten()
        .filter_map(|round| round.answer.as_ref().map(|(decision, _)| decision.key_name.clone()))
        .collect();
    assert_eq!(names.iter().flatten().collect::<Vec<_>>(), ["Ada Lund"], "{names:?}");
    done(&project, &["verify", run]);
}

/// What a row says stands in one column each: what acts on a terminal does not, and what is left out is counted.
#[test]
fn who_decided_what_is_listed_by_person_answer_and_day() {
    let script = "name: written\nsteps: {write: [{}], send: [{}]}\n\
                  gates: {write: [{answer: approve, by: Siri}], send: [{answer: approve, by: Siri}]}\n";
    let files = [
        ("memo.yaml", FLOW),
        ("memo.scenario.yaml", script),
        ("gatehouse.yaml", "agents: {x: {engine: shell, run: echo done}}\n"),
    ];
    let project = Project::new(&files).expect("a project");
    let none = done(&project, &["decisions"]).out;
    assert_eq!(none, "no decision fits what was asked for\n");
    done(
        &project,
        &["run", "memo.yaml", "--until-blocked", "--subject", "Northwind AB"],
    );
    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.as_str();
    done(&project, &["answer", run, "write", "approve", "--by", "Ada Lund"]);
    done(&project, &["resume", run, "--until-blocked"]);
    let no = [
        "answer",
        run,
        "send",
        "reject",
        "--by",
        "Bo Berg",
        "--comment",
        "Not\u{1b}[31m now",
    ];
    done(&project, &no);
    done(&project, &["run", "memo.yaml", "--scenario", "memo.scenario.yaml"]);

    let listed = done(&project, &["decisions"]);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", listed.out);
    for part in [
        "Bo Berg for finance",
        "rejected",
        "May it go?",
        "A memo: Northwind AB",
        "“Not",
        "now”",
        run,
    ] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
    assert!(
        lines[1].contains("Ada Lund for legal") && lines[1].contains("approved"),
        "{}",
        lines[1]
    );
    assert!(!listed.out.contains('\u{1b}'), "{:?}", listed.out);
    assert!(
        listed.err.contains("2 that were made in rehearsals are left out"),
        "{}",
        listed.err
    );

    let rehearsed = done(&project, &["decisions", "--rehearsals"]).out;
    assert_eq!(rehearsed.matches("rehearsal: approved").count(), 2, "{rehearsed}");
    assert!(rehearsed.contains("Siri (by the script)"), "{rehearsed}");
    for (narrowed, expected) in [
        (["--by", "Bo Berg"], vec!["Bo Berg"]),
        (["--by", "Siri"], vec![]),
        (["--answer", "approve"], vec!["Ada Lund"]),
        (["--workflow", "memo.yaml"], vec!["Bo Berg", "Ada Lund"]),
        (["--words", "GO may"], vec!["Bo Berg"]),
        (["--since", "2999-12-31"], vec![]),
        (["--limit", "1"], vec!["Bo Berg"]),
    ] {
        let asked: Vec<&str> = ["decisions", "--json"].iter().chain(&narrowed).copied().collect();
        let found: Value = serde_json::from_str(&done(&project, &asked).out).expect("JSON");
        let rows = found["decisions"].as_array().expect("decisions");
        let by: Vec<&Value> = rows.iter().map(|row| &row["decision"]["by"]).collect();
        assert_eq!(by, expected, "{narrowed:?}");
    }
    let some = done(&project, &["decisions", "--limit", "1"]).err;
    assert!(some.contains("these are the latest 1 of 2"), "{some}");
    // A name that nobody has is told from one that nothing fits, and a file is known however it is written.
    let none = |narrowed: [&str; 2]| done(&project, &[&["decisions"][..], &narrowed].concat()).out;
    assert!(none(["--by", "Nobody"]).contains("nobody of the name “Nobody” is in the record"));
    assert!(none(["--workflow", "other.yaml"]).contains("no workflow “other.yaml” has a run"));
    assert!(none(["--workflow", "./memo.yaml"]).contains("Ada Lund"));
    assert_eq!(none(["--since", "2999-12-31"]), "no decision fits what was asked for\n");
    for limit in ["0", "5001"] {
        let said = project
            .gatehouse(&["decisions", "--limit", limit])
            .expect("gatehouse is built");
        assert_eq!(said.code, Some(64), "{limit}: {}", said.err);
    }
    let bad = project
        .gatehouse(&["decisions", "--until", "Friday"])
        .expect("gatehouse is built");
    assert!(
        bad.code == Some(3) && bad.err.contains("“Friday” is no day"),
        "{}",
        bad.err
    );
}

#[test]
fn a_loop_that_yes_turns_comes_to_the_limit_of_steps() {
    let flow = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], routing: {kind: linear, next: send}}
  - {id: send, agents: [x], human_gate: required, routing: {kind: branch, branches: {DONE: file}, next: write}}
  - {id: file, agents: [x], routing: {kind: linear}}
";
    let project = Project::new(&[("memo.yaml", flow)]).expect("a project");
    let run = [
        "run",
        "memo.yaml",
        "--rehearse",
        "--yes",
        "--by",
        "Ada Lund",
        "--until-blocked",
    ];
    let said = project.gatehouse(&run).expect("gatehouse is built");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("Safety limit reached: 31 steps"), "{}", said.out);
}

/// A gate of the file that asked nobody, and an answer that nobody looked before giving, are no person's decision: the record says so.
#[test]
fn what_nobody_was_asked_or_looked_at_is_said_in_the_report() {
    let flow = "\
key: memo
title: A memo
steps:
  - {id: write, name: Write it, agents: [x], human_gate: required}
  - {id: sign, name: Sign it, agents: [x], human_gate: recommended}
";
    let silent = Project::new(&[
        ("memo.yaml", flow),
        ("gatehouse.yaml", "version: 1\nhitl: {mode: advisory}\n"),
    ])
    .expect("a project");
    let said = silent.gatehouse(&["run", "memo.yaml", "--rehearse"]).expect("built");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let report = report_of(&silent, &said.out);
    for part in [
        "Nobody was asked at the gate of “Write it”: <code>hitl.mode</code> is “advisory”",
        "<li><strong>Write it</strong>: The project&#x27;s policy lets no gate stop a run",
    ] {
        assert!(report.contains(part), "{part}");
    }

    let asking = Project::new(&[("memo.yaml", flow), ("gatehouse.yaml", "version: 1\n")]).expect("a project");
    let said = asking
        .gatehouse(&["run", "memo.yaml", "--rehearse", "--yes", "--by", "Ada Lund"])
        .expect("built");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("Ada Lund (by --yes)"), "{}", said.out);
    let report = report_of(&asking, &said.out);
    for part in [
        "One answer was given by --yes: nobody looked at what it approves.",
        "by --yes on the command line, before anybody could look",
        "<li><strong>Sign it</strong>: The workflow recommends a person here; the project&#x27;s policy does not make that binding.",
    ] {
        assert!(report.contains(part), "{part}");
    }
    assert!(!report.contains("<li><strong>Write it</strong>"), "it was asked");
}

fn report_of(project: &Project, printed: &str) -> String {
    let run = printed
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("run "))
        .expect("its id");
    done(project, &["report", run, "-o", "report.html"]);
    std::fs::read_to_string(project.root.join("report.html")).expect("the report")
}

const FOUR_EYES: &str = "\
version: 1
hitl: {four_eyes: true}
agents: {x: {engine: shell, run: 'true'}}
";

/// Whoever began a run approves nothing in it where the project wants four eyes, under whatever name; somebody else with a key of their own
/// does, and asking for nothing but a no stays open to all.
#[test]
fn where_four_eyes_are_wanted_somebody_else_approves() {
    let flow =
        "key: pay\ntitle: Pay\nsteps:\n  - {id: pay, agents: [x], human_gate: required, routing: {kind: linear}}\n";
    let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", FOUR_EYES)]).expect("a project");
    let other = Project::new(&[]).expect("another account");
    for (home, name) in [(project.home(), "Ada Lund"), (other.home(), "Bo Berg")] {
        std::fs::create_dir_all(&home).expect("a home");
        std::fs::write(home.join("person.json"), format!(r#"{{"name": "{name}"}}"#)).expect("a person");
    }
    let started = project
        .gatehouse(&["run", "pay.yaml", "--until-blocked", "--yes"])
        .expect("gatehouse is built");
    assert!(
        started.err.contains("--yes approves nothing in this run"),
        "{}",
        started.err
    );
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert!(state.waiting().is_some(), "it waits: {}", started.out);
    for more in [&[][..], &["--by", "Bo Berg"]] {
        let own: Vec<&str> = ["answer", run.as_str(), "pay", "approve"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        let said = project.gatehouse(&own).expect("gatehouse is built");
        assert_eq!(said.code, Some(3), "{more:?}: {}", said.err);
        assert!(
            said.err.contains("You began this run") && said.err.contains("hitl.four_eyes"),
            "{}",
            said.err
        );
    }
    let mut second =
        tests::program::command(&project.root, &["answer", run.as_str(), "pay", "approve"]).expect("a command");
    let second = second
        .env(HOME_VARIABLE, other.home())
        .output()
        .expect("gatehouse is built");
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    let status = done(&project, &["status", run.as_str()]).out;
    assert!(status.contains("remark: Four eyes "), "{status}");
    done(&project, &["verify", run.as_str()]);
    // What is only rehearsed is approved by whoever rehearses it.
    let rehearsed = done(&project, &["run", "pay.yaml", "--rehearse", "--yes"]);
    assert!(!rehearsed.err.contains("four eyes"), "{}", rehearsed.err);
}

/// A terminal says at the question by when an answer is wanted, in words and as an instant, and that it is overdue; the answer counts all the same.
#[test]
fn by_when_an_answer_is_wanted_is_said_in_a_terminal() {
    let flow =
        "key: pay\ntitle: Pay\nsteps:\n  - {id: pay, agents: [x], human_gate: required, routing: {kind: linear}}\n";
    for (within, says) in [
        ("1ms", "overdue: an answer was wanted by "),
        ("2d", "an answer is wanted by "),
    ] {
        let settings =
            format!("version: 1\nhitl: {{answer_within: {within}}}\nagents: {{x: {{engine: shell, run: 'true'}}}}\n");
        let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", &settings)]).expect("a project");
        let person = project.home().join("person.json");
        std::fs::create_dir_all(project.home()).expect("a home");
        std::fs::write(person, r#"{"name": "Ada Lund"}"#).expect("a person");
        done(&project, &["trust"]);
        let started = project
            .gatehouse(&["run", "pay.yaml", "--until-blocked"])
            .expect("gatehouse is built");
        let (run, state) = project.latest().expect("a history").expect(&started.err);
        let round = state.waiting().expect("it waits");
        let wanted = state.wanted_by(round).expect("the run keeps it");
        let status = done(&project, &["status", run.as_str()]).out;
        assert!(status.lines().any(|line| line.trim().starts_with(says)), "{status}");
        let json = done(&project, &["status", run.as_str(), "--json"]).out;
        let json: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["waiting"]["wanted_by"], wanted.0, "{json}");
        done(&project, &["answer", run.as_str(), "pay", "approve"]);
        let decisions = done(&project, &["decisions"]).out;
        assert_eq!(
            decisions.contains(" after it was wanted."),
            within == "1ms",
            "{decisions}"
        );
    }
}

const BY_HAND: &str = "\
version: 1
hitl: {four_eyes: true}
agents:
  x: {engine: shell, run: 'true'}
  hand: {engine: person}
";
const RELEASE: &str = "\
pipeline_id: PIPE-20260112-release-090000
name: Release
stages:
  - {name: plan, agents: [hand]}
  - {name: docs, workflow: inner.yaml, depends_on: [plan]}
  - {name: out, agents: [x], depends_on: [docs], human_gate: required}
";
const INNER: &str = "\
key: inner
title: Inner
steps:
  - {id: do, agents: [hand], routing: {kind: linear, next: check}}
  - {id: check, agents: [x], human_gate: required, routing: {kind: linear}}
";

/// The account of a person, with this name; returns its key.
fn account_of(home: &Path, name: &str) -> String {
    let me = studio::Identity::open_in(home, false).expect("an identity");
    std::fs::write(home.join("person.json"), format!(r#"{{"name": "{name}"}}"#)).expect("a person");
    me.public()
}

/// What `answer` says to a person with an account of their own.
fn answered(project: &Project, home: &Path, arguments: [&str; 3]) -> (Option<i32>, String) {
    let all: Vec<&str> = std::iter::once("answer").chain(arguments).collect();
    let mut command = tests::program::command(&project.root, &all).expect("gatehouse is built");
    let said = command.env(HOME_VARIABLE, home).output().expect("gatehouse is built");
    (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned())
}

/// What is done at the same time in another branch, or in a run inside that goes on, stands in no log but its own: it is read there.
#[test]
fn four_eyes_see_what_is_done_beside_and_in_a_run_inside_that_goes_on() {
    let file = "pipelines/PIPE-20260112-beside-090000.yaml";
    let pipeline = "\
pipeline_id: PIPE-20260112-beside-090000
name: Beside
stages:
  - {name: docs, workflow: inner.yaml, depends_on: [], parallel: true}
  - {name: plan, agents: [hand], depends_on: [], parallel: true}
  - {name: out, agents: [x], depends_on: [], parallel: true, human_gate: required}
";
    let project = Project::new(&[(file, pipeline), ("inner.yaml", INNER), ("gatehouse.yaml", BY_HAND)]).expect("files");
    let accounts = Project::new(&[]).expect("a folder");
    account_of(&project.home(), "Ada");
    for name in ["Bo", "Cy", "Dee"] {
        let key = account_of(&accounts.root.join(name), name);
        done(&project, &["people", "confirm", "--name", name, &key]);
    }
    let answers = |name: &str, arguments: [&str; 3]| answered(&project, &accounts.root.join(name), arguments);
    let well = |name: &str, arguments: [&str; 3]| {
        let (code, err) = answers(name, arguments);
        assert_eq!(code, Some(0), "{name} {arguments:?}: {err}");
    };
    done(&project, &["run", file, "--until-blocked"]);
    let runs = project.store().expect("a history").runs(&store::RunFilter::default());
    let runs = runs.expect("readable");
    let of = |path: &str| {
        let row = runs.iter().find(|row| row.path == path);
        row.expect("it has begun").run.to_string()
    };
    let (outer, inner) = (of(file), of("inner.yaml"));
    well("Cy", [&inner, "do", "pass"]);
    well("Bo", [&outer, "plan", "pass"]);
    done(&project, &["resume", &outer, "--until-blocked"]);
    for (name, own, gate, other) in [("Bo", &inner, "check", &outer), ("Cy", &outer, "out", &inner)] {
        let (code, err) = answers(name, [own, gate, "approve"]);
        assert_eq!(code, Some(3), "{name}: {err}");
        let words = format!("You carried out a step of the run {other}, which is a part of the same work");
        assert!(err.contains(&words), "{name}: {err}");
    }
    // Each run's page names who worked in the other one.
    for (run, name) in [(&outer, "Cy"), (&inner, "Bo")] {
        let status = done(&project, &["status", run]).out;
        let words = format!("The same holds for {name}, because of what they did in a run around, inside or beside");
        assert!(status.contains(&words), "{name}: {status}");
    }
    well("Dee", [&inner, "check", "approve"]);
    well("Dee", [&outer, "out", "approve"]);
    done(&project, &["resume", &outer]);
    done(&project, &["verify", &outer]);
}

/// A run and the runs inside it are one piece of work: whoever did a part of it on one side approves nothing on the other.
#[test]
fn four_eyes_see_through_the_runs_inside() {
    let file = "pipelines/PIPE-20260112-release-090000.yaml";
    let project = Project::new(&[(file, RELEASE), ("inner.yaml", INNER), ("gatehouse.yaml", BY_HAND)]).expect("files");
    let accounts = Project::new(&[]).expect("a folder");
    account_of(&project.home(), "Ada");
    // Each has a key of their own, and Ada, who carries the run on, has compared it with them.
    for name in ["Bo", "Cy", "Dee"] {
        let key = account_of(&accounts.root.join(name), name);
        done(&project, &["people", "confirm", "--name", name, &key]);
    }
    let answers = |name: &str, run: &str, gate: &str, answer: &str| {
        answered(&project, &accounts.root.join(name), [run, gate, answer])
    };
    let well = |name: &str, run: &str, gate: &str, answer: &str| {
        let (code, err) = answers(name, run, gate, answer);
        assert_eq!(code, Some(0), "{name} {gate}: {err}");
    };
    done(&project, &["run", file, "--until-blocked"]);
    let outer = project.latest().expect("a history").expect("a run").0;
    well("Bo", outer.as_str(), "plan", "pass");
    done(&project, &["resume", outer.as_str(), "--until-blocked"]);
    let runs = project.store().expect("a history").runs(&store::RunFilter::default());
    let mut runs = runs.expect("readable").into_iter().map(|row| row.run);
    let inner = runs.find(|run| *run != outer).expect("the run inside");
    well("Cy", inner.as_str(), "do", "pass");
    done(&project, &["resume", outer.as_str(), "--until-blocked"]);
    let own = project
        .gatehouse(&["answer", inner.as_str(), "check", "approve"])
        .expect("gatehouse is built");
    assert!(own.err.contains("You began the run around this one"), "{}", own.err);
    let (code, err) = answers("Bo", inner.as_str(), "check", "approve");
    assert_eq!(code, Some(3), "{err}");
    assert!(
        err.contains("You carried out a step of the run around this one"),
        "{err}"
    );
    well("Dee", inner.as_str(), "check", "approve");
    done(&project, &["resume", outer.as_str(), "--until-blocked"]);
    let (code, err) = answers("Cy", outer.as_str(), "out", "approve");
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("You carried out a step of a run inside this one"), "{err}");
    let status = done(&project, &["status", outer.as_str()]).out;
    assert!(status.contains("The same holds for Cy"), "{status}");
    well("Dee", outer.as_str(), "out", "approve");
    done(&project, &["verify", outer.as_str()]);
}

/// Whoever goes back to a moment of a run begins the new one, beside whoever began the first: that is said before and at the gate.
#[test]
fn where_four_eyes_are_wanted_going_back_takes_a_third_person_and_says_so() {
    let flow = "key: pay\ntitle: Pay\nsteps:\n  - {id: draft, agents: [x], routing: {kind: linear, next: pay}}\n  - {id: pay, agents: [x], human_gate: required, routing: {kind: linear}}\n";
    let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", FOUR_EYES)]).expect("a project");
    std::fs::create_dir_all(project.home()).expect("a home");
    let called = |name: &str| {
        std::fs::write(project.home().join("person.json"), format!(r#"{{"name": "{name}"}}"#)).expect("a person");
    };
    called("Ada Lund");
    done(&project, &["run", "pay.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0;
    // What was to hold in the run holds for what goes on from it, whatever the settings have become.
    project
        .write(&[(
            "gatehouse.yaml",
            "version: 1\nagents: {x: {engine: shell, run: 'true'}}\n",
        )])
        .expect("written");
    called("Bo Berg");
    done(&project, &["checkpoint", run.as_str(), "here"]);
    let before = done(&project, &["restore-checkpoint", run.as_str(), "here", "--dry-run"]).out;
    let sentence = "you begin the new run, and Ada Lund began the one that it goes on from";
    assert!(before.contains(sentence), "{before}");
    let went = done(
        &project,
        &["restore-checkpoint", run.as_str(), "here", "--until-blocked"],
    )
    .out;
    assert!(went.contains(sentence), "{went}");
    let new = project.latest().expect("a history").expect("a run").0;
    let said = project
        .gatehouse(&["answer", new.as_str(), "pay", "approve"])
        .expect("gatehouse is built");
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(
        said.err.contains("You began this run by going on from an earlier one"),
        "{}",
        said.err
    );
}

/// Who worked in it only after that moment has no part in what begins there, and is not named.
#[test]
fn where_four_eyes_are_wanted_going_back_bars_nobody_for_what_came_later() {
    let flow = "key: pay\ntitle: Pay\nsteps:\n  - {id: do, agents: [hand], routing: {kind: linear, next: pay}}\n  - {id: pay, agents: [x], human_gate: required, routing: {kind: linear}}\n";
    let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", BY_HAND)]).expect("a project");
    std::fs::create_dir_all(project.home()).expect("a home");
    let called = |name: &str| {
        std::fs::write(project.home().join("person.json"), format!(r#"{{"name": "{name}"}}"#)).expect("a person");
    };
    called("Ada Lund");
    done(&project, &["run", "pay.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0;
    done(&project, &["checkpoint", run.as_str(), "here"]);
    called("Bo Berg");
    done(&project, &["answer", run.as_str(), "do", "pass"]);
    done(&project, &["resume", run.as_str(), "--until-blocked"]);
    called("Cy Moe");
    let back = ["restore-checkpoint", run.as_str(), "here"];
    for more in ["--dry-run", "--until-blocked"] {
        let said = done(&project, &[&back[..], &[more]].concat()).out;
        let sentence = "you begin the new run, and Ada Lund began the one that it goes on from";
        assert!(said.contains(sentence) && !said.contains("Bo Berg"), "{more}: {said}");
    }
}

/// Who may not approve takes no gate out of the file either: that is refused before and for real, and nothing begins.
#[test]
fn where_four_eyes_are_wanted_nobody_goes_on_alone_without_a_gate() {
    let flow = "key: pay\ntitle: Pay\nsteps:\n  - {id: draft, agents: [x], routing: {kind: linear, next: pay}}\n  - {id: pay, agents: [x], human_gate: required, gate_at: before, routing: {kind: linear}}\n";
    let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", FOUR_EYES)]).expect("a project");
    std::fs::create_dir_all(project.home()).expect("a home");
    std::fs::write(project.home().join("person.json"), r#"{"name": "Ada Lund"}"#).expect("a person");
    done(&project, &["run", "pay.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0;
    done(&project, &["abort", run.as_str(), "--reason", "stop"]);
    let without = flow.replace("human_gate: required, gate_at: before, ", "");
    project.write(&[("pay.yaml", &without)]).expect("written");
    for more in [&["--dry-run"][..], &[]] {
        let said = project.gatehouse(&[&["resume", run.as_str(), "--mended"][..], more].concat());
        let said = said.expect("gatehouse is built");
        let words = ["You began this run", "hitl.four_eyes", "The gate at “Pay” is gone."];
        assert!(
            said.code == Some(3) && words.iter().all(|word| said.err.contains(word)),
            "{more:?}: {}{}",
            said.out,
            said.err
        );
    }
    assert_eq!(
        project.latest().expect("a history").expect("a run").0,
        run,
        "nothing was begun"
    );
    // Where it asks as it did, the run goes on.
    project.write(&[("pay.yaml", flow)]).expect("written");
    let on = done(&project, &["resume", run.as_str(), "--mended", "--until-blocked"]);
    assert!(on.out.contains("Shall “Pay” begin?"), "{}", on.out);
}

/// Nor does a gate that stays in the file and no longer guards what it guarded: the file leads past it, or it was moved.
#[test]
fn where_four_eyes_are_wanted_nobody_goes_on_alone_past_a_gate() {
    let flow = "key: pay\ntitle: Pay\nsteps:\n  - {id: draft, agents: [x]}\n  - {id: check, agents: [x], human_gate: required, gate_at: before}\n  - {id: pay, agents: [x], human_gate: required, gate_at: before}\n  - {id: send, agents: [x]}\n";
    let (pay, send) = (
        "  - {id: pay, agents: [x], human_gate: required, gate_at: before}\n",
        "  - {id: send, agents: [x]}\n",
    );
    let by_itself = "id: check, agents: [x], human_gate: required, gate_at: before";
    let past = flow.replace(
        by_itself,
        &format!("{by_itself}, routing: {{kind: linear, next: send}}"),
    );
    let ends = flow.replace(by_itself, &format!("{by_itself}, routing: {{kind: terminal}}"));
    let moved = flow.replace(&format!("{pay}{send}"), &format!("{send}{pay}"));
    let spec = "format: stepspec\nworkflow: pay\nsteps:\n  - {id: draft, name: Draft, agent: x, human_gate: none}\n  - {id: pay, name: Pay, agent: x, human_gate: required}\n  - {id: send, name: Send, agent: x, human_gate: none}\n";
    let (pay, send) = (
        "  - {id: pay, name: Pay, agent: x, human_gate: required}\n",
        "  - {id: send, name: Send, agent: x, human_gate: none}\n",
    );
    let spec_moved = spec.replace(&format!("{pay}{send}"), &format!("{send}{pay}"));
    let (two, three) = (
        "  - {key: two, file: two.yaml}\n",
        "  - {key: three, file: three.yaml}\n",
    );
    let list = |flows: &str| format!("title: Pay\nin_order: true\nflows:\n  - {{key: one, file: one.yaml}}\n{flows}");
    let listed = list(&format!("{two}{three}"));
    let list_moved = list(&format!("{three}{two}"));
    for (before, now) in [
        (flow, past.as_str()),
        (flow, ends.as_str()),
        (flow, moved.as_str()),
        (spec, spec_moved.as_str()),
        (listed.as_str(), list_moved.as_str()),
    ] {
        let one = |key: &str, step: &str| format!("key: {key}\ntitle: T\nsteps:\n  - {{id: {step}, agents: [x]}}\n");
        let asks = "key: two\ntitle: T\nsteps:\n  - {id: pay, agents: [x], human_gate: required, gate_at: before}\n";
        let project = Project::new(&[
            ("pay.yaml", before),
            ("gatehouse.yaml", FOUR_EYES),
            ("one.yaml", &one("one", "draft")),
            ("two.yaml", asks),
            ("three.yaml", &one("three", "send")),
        ]);
        let project = project.expect("a project");
        std::fs::create_dir_all(project.home()).expect("a home");
        std::fs::write(project.home().join("person.json"), r#"{"name": "Ada Lund"}"#).expect("a person");
        done(&project, &["run", "pay.yaml", "--until-blocked"]);
        let run = project.latest().expect("a history").expect("a run").0;
        done(&project, &["abort", run.as_str(), "--reason", "stop"]);
        project.write(&[("pay.yaml", now)]).expect("written");
        for more in [&["--dry-run"][..], &[]] {
            let said = project.gatehouse(&[&["resume", run.as_str(), "--mended"][..], more].concat());
            let said = said.expect("gatehouse is built");
            let words = "The gate at “Pay” does not always come before “Send” any more.";
            assert!(
                said.code == Some(3) && said.err.contains("hitl.four_eyes") && said.err.contains(words),
                "{more:?}: {now}{}{}",
                said.out,
                said.err
            );
        }
        let latest = project.latest().expect("a history").expect("a run").0;
        assert_eq!(latest, run, "nothing was begun");
    }
}
