//! A project that somebody else made: opening it runs nothing, whatever its history says, until the person says that they trust it;
//! and then only what they start or take up.

use engine::{At, Event, RunId, RunState, apply};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use studio::command::{StartOf, TrustOf};
use studio::{Client, Identity, Studio};
use tests::forger::Forger;
use tests::program::{self, Said};
use tests::project::Project;

/// A step that leaves a mark, by way of an agent, a runbook's script and a check.
const FILES: [(&str, &str); 3] = [
    (
        "memo.yaml",
        "key: memo\ntitle: Memo\nsteps:\n  - {id: write, agents: [x], role: Write it}\n",
    ),
    ("mark.runbook.md", "# Mark\n\n## 1 Mark\n\n```bash\ntouch ran\n```\n"),
    (
        "gatehouse.yaml",
        "permissions: {mode: allow}\nagents:\n  '*': {engine: shell, run: 'touch ran'}\n",
    ),
];
/// Long enough for a driver to begin a step, several times over.
const A_WHILE: Duration = Duration::from_millis(700);

fn open(project: &Project, client: Client) -> Studio {
    let me = Identity::open_in(&project.home(), false).expect("an identity");
    Studio::open_as(&project.root, client, me).expect("the project opens")
}

fn start(studio: &Studio, path: &str) -> RunId {
    let of = StartOf {
        path: path.to_owned(),
        ..StartOf::default()
    };
    studio.create_run(&of).expect("a run")
}

fn has_run(project: &Project) -> bool {
    project.root.join("ran").exists()
}

/// What its maker leaves behind: open runs that a window and a server would go on with.
fn left_open() -> (Project, Vec<RunId>) {
    let project = Project::new(&FILES).expect("a project");
    let mut runs = Vec::new();
    for client in [Client::Desktop, Client::Serve] {
        let maker = open(&project, client);
        maker.trust(TrustOf { trust: true }).expect("their own");
        runs.extend(["memo.yaml", "mark.runbook.md"].map(|path| start(&maker, path)));
    }
    assert!(!has_run(&project), "nobody has driven them yet");
    (project, runs)
}

/// The folder as somebody else gets it, with a home of their own.
fn given_to_somebody(project: &Project) -> Project {
    let theirs = Project::new(&[]).expect("a folder");
    let copied = std::process::Command::new("cp")
        .args(["-a", "--"])
        .arg(project.root.join("."))
        .arg(&theirs.root)
        .status();
    assert!(copied.is_ok_and(|status| status.success()), "the folder is copied");
    theirs
}

fn said(project: &Path, arguments: &[&str]) -> Said {
    let output = program::stranger(project, arguments).expect("it is built").output();
    output.expect("it starts").into()
}

/// Everything a window asks for by itself.
async fn look_around(studio: &Studio, runs: &[RunId]) {
    let mut asked = vec![
        ("inbox.list", json!({})),
        ("decisions.list", json!({})),
        ("library.list", Value::Null),
        ("runs.list", Value::Null),
        ("settings.get", Value::Null),
        ("evidence.list", json!({})),
        ("pipeline.list", Value::Null),
    ];
    for path in ["memo.yaml", "mark.runbook.md"] {
        for method in ["workflow.open", "workflow.tests", "run.brief"] {
            asked.push((method, json!({"path": path})));
        }
    }
    for run in runs {
        for method in ["run.view", "run.timeline", "run.verify", "report.view"] {
            asked.push((method, json!({"run_id": run})));
        }
        asked.push(("run.log", json!({"run_id": run, "after": 0})));
    }
    for (method, parameters) in asked {
        if let Err(error) = studio.rpc(method, parameters).await {
            panic!("{method}: {error:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_what_somebody_else_left_open_runs_nothing() {
    let (made, runs) = left_open();
    let theirs = given_to_somebody(&made);
    for client in [Client::Desktop, Client::Serve] {
        let studio = open(&theirs, client);
        assert!(!studio.is_trusted());
        studio.watch();
        look_around(&studio, &runs).await;
        tokio::time::sleep(A_WHILE).await;
        assert!(!has_run(&theirs), "{client:?}");

        // Nor does what the person might press.
        let refused = studio.rpc("run.start", json!({"path": "memo.yaml"})).await;
        assert_eq!(refused.expect_err("not trusted").code, "refused:not_trusted");
        for run in &runs {
            let refused = studio.rpc("run.act", json!({"run_id": run, "action": "drive"})).await;
            assert_eq!(refused.expect_err("not trusted").code, "refused:not_trusted");
            // Pausing and going on are said to the log alone.
            for action in ["pause", "resume"] {
                studio
                    .rpc("run.act", json!({"run_id": run, "action": action}))
                    .await
                    .expect("recorded");
            }
        }
        tokio::time::sleep(A_WHILE).await;
        assert!(!has_run(&theirs), "{client:?}");

        // Trusting its maker starts nothing by itself either: these runs are somebody else's.
        studio.rpc("project.trust", json!({"trust": true})).await.expect("kept");
        tokio::time::sleep(A_WHILE).await;
        assert!(!has_run(&theirs), "{client:?}");
        studio.trust(TrustOf { trust: false }).expect("taken back");
        studio.close().await;
    }
    // What a person takes up goes on.
    let studio = open(&theirs, Client::Desktop);
    studio.trust(TrustOf { trust: true }).expect("kept");
    let action = json!({"run_id": runs[0], "action": "drive"});
    studio.rpc("run.act", action).await.expect("taken up");
    for _ in 0..600 {
        if has_run(&theirs) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(has_run(&theirs), "it was taken up");
    studio.close().await;
    // Who did so stands in the record, of that run alone.
    let taken_up = |project: &Project, run: &RunId| {
        let events = Store::open(&project.root).and_then(|store| store.events(run, 0, usize::MAX));
        let orders = events
            .expect("its log")
            .into_iter()
            .filter_map(|stored| match stored.event {
                Event::TakenUp { given, .. } => Some(given.expect("how it was given")),
                _ => None,
            });
        orders.collect::<Vec<_>>()
    };
    let orders = taken_up(&theirs, &runs[0]);
    let [given] = orders.as_slice() else {
        panic!("{orders:?}");
    };
    assert_eq!(given.via, Client::Desktop.word());
    assert!(given.signature.is_some(), "{given:?}");
    assert!(taken_up(&theirs, &runs[1]).is_empty(), "nobody has taken that one up");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_s_own_runs_go_on_and_only_where_they_were_started() {
    let (made, mine) = left_open();
    let studio = open(&made, Client::Desktop);
    studio.watch();
    for _ in 0..600 {
        if has_run(&made) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(has_run(&made), "one's own runs go on when the window is opened again");
    let log = studio
        .rpc("run.log", json!({"run_id": mine[0], "after": 0}))
        .await
        .expect("a log");
    assert!(!log.to_string().contains("took the run up"), "no person did: {log}");
    studio.close().await;
}

/// Waits until a mark is there, or for a minute.
async fn until_there(project: &Project, mark: &str) -> bool {
    for _ in 0..600 {
        if project.root.join(mark).exists() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

/// An answer in a run that somebody else left open is kept, and nobody is told that the work goes on.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_a_run_that_nobody_carries_on_says_so() {
    let look = "# Look\n\n## 1 Look\n\nLook at it.\n\n## 2 Mark\n\n```bash\ntouch ran\n```\n";
    let made = Project::new(&[("look.runbook.md", look), FILES[2]]).expect("a project");
    let maker = open(&made, Client::Desktop);
    maker.trust(TrustOf { trust: true }).expect("their own");
    maker
        .rpc("run.start", json!({"path": "look.runbook.md"}))
        .await
        .expect("a run");
    let waits = async |studio: &Studio| {
        for _ in 0..600 {
            let inbox = studio.rpc("inbox.list", json!({})).await.expect("a list");
            if let Some(card) = inbox["waiting"].get(0) {
                return json!({"run_id": card["run_id"], "gate": card["gate"]});
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nobody is asked");
    };
    let asked = waits(&maker).await;
    let brief = maker.rpc("gate.brief", asked.clone()).await.expect("a brief");
    assert_eq!(brief.get("left_open"), None, "its starter's own goes on");
    maker.close().await;

    let theirs = given_to_somebody(&made);
    let studio = open(&theirs, Client::Desktop);
    studio.watch();
    let brief = studio.rpc("gate.brief", asked.clone()).await.expect("a brief");
    assert!(
        brief["left_open"].to_string().contains("have not said that you trust"),
        "{brief}"
    );
    studio.trust(TrustOf { trust: true }).expect("kept");
    let brief = studio.rpc("gate.brief", asked.clone()).await.expect("a brief");
    assert!(
        brief["left_open"].to_string().contains("left open by somebody else"),
        "{brief}"
    );
    assert!(
        brief["remarks"].to_string().contains("nothing follows from it until"),
        "{brief}"
    );
    let mut answer = asked.clone();
    for (key, value) in [
        ("round", brief["round"].clone()),
        ("answer", json!("pass")),
        ("comment", json!("")),
    ] {
        answer[key] = value;
    }
    let named = studio.rpc("settings.set", json!({"name": "Ada"})).await;
    named.expect("a name");
    let brief = studio.rpc("gate.answer", answer).await.expect("an answer");
    assert!(brief["answered"].is_object(), "{brief}");
    assert!(
        brief["left_open"].to_string().contains("left open by somebody else"),
        "{brief}"
    );
    tokio::time::sleep(A_WHILE).await;
    assert!(!has_run(&theirs), "nobody has taken it up");

    // Nothing says that it runs: neither its page, nor the list, nor the report.
    let run = json!({"run_id": asked["run_id"]});
    let view = studio.rpc("run.view", run.clone()).await.expect("a run");
    let list = studio.rpc("runs.list", json!({})).await.expect("a list");
    for one in [&view, &list["runs"][0]] {
        assert_eq!(
            (&one["status"], &one["status_words"]),
            (&json!("left_open"), &json!("left open: nobody carries it on")),
            "{one}"
        );
    }
    let report = studio.rpc("report.view", run).await.expect("a report");
    let report = report["html"].as_str().expect("a page");
    assert!(report.contains(">left open<"), "{}", report.len());
    studio.close().await;
}

/// Whoever may write the project's files writes another command into the log of a run that is mine and open.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_mine_whose_log_was_rewritten_does_not_go_on_by_itself() {
    let (made, runs) = left_open();
    Forger::of(&made.root).rewrite(runs[0].as_str(), &|_, event| {
        *event = serde_json::from_str(&event.to_string().replace("touch ran", "touch forged")).expect("an event");
        true
    });
    let studio = open(&made, Client::Desktop);
    assert!(studio.is_trusted());
    studio.watch();
    assert!(until_there(&made, "ran").await, "the other run goes on");
    tokio::time::sleep(A_WHILE).await;
    assert!(!made.root.join("forged").exists());
    let view = studio.rpc("run.view", json!({"run_id": runs[0]})).await.expect("a run");
    let remarks = view["remarks"].to_string();
    assert!(remarks.contains("left open, and its log is not the one"), "{remarks}");

    // The person may take it up all the same.
    let action = json!({"run_id": runs[0], "action": "drive"});
    let view = studio.rpc("run.act", action).await.expect("taken up");
    assert!(!view["remarks"].to_string().contains("left open"), "{view}");
    assert!(until_there(&made, "forged").await);
    studio.close().await;
}

/// A run that says of itself to lie inside a run of mine, and an attempt that was written behind the end of its log.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_added_to_a_run_of_mine_is_not_carried_out() {
    let (made, runs) = left_open();
    let inside = RunId::from("018f0000-0000-7000-8000-00000000000f");
    {
        let store = Store::open(&made.root).expect("a history");
        let (state, _) = store.load(&runs[0]).expect("the run");
        let mut created = engine::RunCreated::clone(&state.created.clone().expect("it was created"));
        created.run_id = inside.clone();
        let around = json!({"step": "write", "visit": 1, "path": []});
        let parent = json!({"run": runs[0], "instance": around, "index": 0, "depth": 1});
        created.parent = Some(serde_json::from_value(parent).expect("a parent"));
        for engine in created.engines.values_mut() {
            engine.command = "touch forged".into();
        }
        let engine = created.engines.values().next().expect("an engine").clone();
        let batch = [(At(1), Event::RunCreated(std::sync::Arc::new(created)))];
        let mut state = RunState::default();
        apply(&mut state, At(1), &batch[0].1);
        store.append(&inside, 0, &batch, &state).expect("appended");

        // The second run's first attempt, by another program.
        let (mut state, head) = store.load(&runs[1]).expect("the run");
        let started = json!({
            "instance": {"step": "1", "visit": 1, "path": []}, "attempt": 1, "agents": [], "engine": engine, "comments": [],
        });
        let started = serde_json::from_value(started).expect("an attempt");
        let batch = [(At(2), Event::RunStarted), (At(2), Event::AttemptStarted(started))];
        for (at, event) in &batch {
            apply(&mut state, *at, event);
        }
        store.append(&runs[1], head.seq, &batch, &state).expect("appended");
    }
    let studio = open(&made, Client::Desktop);
    studio.watch();
    let ended = |run: &RunId| {
        let store = made.store().expect("a history");
        store.load(run).expect("the run").0.status.ended()
    };
    for _ in 0..600 {
        if ended(&runs[1]) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(
        ended(&runs[1]),
        "the run with the added attempt goes on, and that attempt fails"
    );
    tokio::time::sleep(A_WHILE).await;
    assert!(!made.root.join("forged").exists());
    assert!(!ended(&runs[0]), "a run with a stranger inside is left open");
    studio.close().await;
}

/// What was permitted for a run is its starter's word; whoever takes the run up is asked again.
#[test]
fn what_its_starter_permitted_for_a_run_is_asked_of_whoever_takes_it_up() {
    let twice = "# Twice\n\n## 1 First\n\n```bash\ntouch ran\n```\n\n## 2 Is it well?\n\nLook.\n\n- YES: CONTINUE\n- NO: STOP\n\n\
                 ## 3 Again\n\n```bash\ntouch ran\n```\n";
    let done = |project: &Project, arguments: &[&str]| {
        let said = said(&project.root, arguments);
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out
    };
    for permitted_at_the_start in [true, false] {
        let made = Project::new(&[("twice.runbook.md", twice)]).expect("a project");
        done(&made, &["trust"]);
        let mut start = vec!["run", "twice.runbook.md", "--until-blocked"];
        if permitted_at_the_start {
            start.push("--permit");
        }
        done(&made, &start);
        let (run, _) = made.latest().expect("a history").expect("a run");
        let run = run.as_str();
        if !permitted_at_the_start {
            assert!(!has_run(&made), "it is asked");
            done(
                &made,
                &["answer", run, "1", "approve", "--by", "Mallory", "--lasting", "run"],
            );
            done(&made, &["resume", run, "--until-blocked"]);
        }
        assert!(has_run(&made));
        std::fs::remove_file(made.root.join("ran")).expect("removed");
        let theirs = given_to_somebody(&made);

        // Where it was permitted it goes on.
        done(&made, &["answer", run, "2", "pass", "--by", "Mallory"]);
        done(&made, &["resume", run, "--until-blocked"]);
        assert!(has_run(&made), "permitted at the start: {permitted_at_the_start}");

        // Somebody else is asked, also about what was asked and answered before.
        done(&theirs, &["trust"]);
        done(&theirs, &["answer", run, "2", "pass", "--by", "Ann"]);
        let asked = done(&theirs, &["resume", run, "--until-blocked"]);
        assert!(!has_run(&theirs), "{asked}");
        let (_, state) = theirs.latest().expect("a history").expect("a run");
        assert!(state.waiting().is_some(), "it waits for an answer");
        assert!(asked.contains("touch ran"), "{asked}");
        done(&theirs, &["answer", run, "3", "approve", "--by", "Ann"]);
        done(&theirs, &["resume", run, "--until-blocked"]);
        assert!(has_run(&theirs), "permitted by whoever runs it");
        let (_, state) = theirs.latest().expect("a history").expect("a run");
        assert!(state.status.ended());
        assert_eq!(said(&theirs.root, &["verify", run]).code, Some(0));
    }
}

#[test]
fn commands_of_the_terminal_run_nothing_of_a_stranger() {
    let (made, runs) = left_open();
    let theirs = given_to_somebody(&made);
    let root = &theirs.root;
    let run = runs[0].as_str();
    let mut asked: Vec<Vec<&str>> = vec![
        vec!["check", "."],
        vec!["test", "."],
        vec!["list"],
        vec!["pipeline", "list"],
    ];
    for command in ["status", "events", "verify", "rebuild", "pause", "resume"] {
        asked.push(vec![command, run]);
    }
    asked.push(vec!["report", run, "-o", "report.html"]);
    for words in &asked {
        said(root, words);
        assert!(!has_run(&theirs), "{words:?}");
    }
    for path in ["memo.yaml", "mark.runbook.md"] {
        let refused = said(root, &["run", path]);
        assert_eq!(refused.code, Some(3), "{}{}", refused.out, refused.err);
        assert!(refused.err.contains("gatehouse trust"), "{}", refused.err);
        assert!(!has_run(&theirs), "{path}");
    }
    let rehearsed = said(root, &["run", "memo.yaml", "--rehearse"]);
    assert_eq!(rehearsed.code, Some(0), "{}{}", rehearsed.out, rehearsed.err);
    assert!(!has_run(&theirs), "a rehearsal starts nothing");

    let trusted = said(root, &["trust"]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
    assert!(trusted.out.contains("--revoke"), "{}", trusted.out);
    let done = said(root, &["run", "memo.yaml"]);
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert!(has_run(&theirs));
    std::fs::remove_file(theirs.root.join("ran")).expect("removed");
    assert_eq!(said(root, &["trust", "--revoke"]).code, Some(0));
    assert_eq!(said(root, &["run", "memo.yaml"]).code, Some(3));
    assert!(!has_run(&theirs));
}

/// What stands in a project's own history grants nothing: not a permission for later runs, and no log that calls itself a rehearsal.
#[test]
fn a_history_grants_nothing() {
    let project = Project::new(&[(
        "ask.runbook.md",
        "# Ask\n\n## 1 Ask\n\n```bash\nnpm publish; touch ran\n```\n",
    )]);
    let project = project.expect("a project");
    let grants = json!([
        {"kind": "run", "what": "npm publish", "unclear": false},
        {"kind": "run", "what": "touch ran", "unclear": false},
    ]);
    let store = project.store().expect("a history");
    store
        .set_setting("permissions.granted", &grants.to_string())
        .expect("written");
    let asked = project
        .gatehouse(&["run", "ask.runbook.md", "--until-blocked"])
        .expect("it is built");
    assert!(asked.out.contains("npm publish"), "{}{}", asked.out, asked.err);
    assert!(!has_run(&project), "it is asked first");
}

/// What a log says of the run around it may be made up.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_its_own_parent_hangs_nothing() {
    let (made, runs) = left_open();
    {
        let store = Store::open(&made.root).expect("a history");
        let (state, _) = store.load(&runs[0]).expect("the run");
        let created = engine::RunCreated::clone(&state.created.expect("it was created"));
        let ids = ["a", "b", "c"].map(|end| RunId::from(format!("018f0000-0000-7000-8000-00000000000{end}")));
        // Its own parent, one that is not there, and two that lie in each other.
        for (run, parent) in [
            (&ids[0], "018f0000-0000-7000-8000-00000000000a"),
            (&ids[1], "018f0000-0000-7000-8000-00000000000c"),
            (&ids[2], "018f0000-0000-7000-8000-00000000000b"),
        ] {
            let mut created = created.clone();
            created.run_id = run.clone();
            let around = json!({"step": "write", "visit": 1, "path": []});
            let parent = json!({"run": parent, "instance": around, "index": 0, "depth": 1});
            created.parent = Some(serde_json::from_value(parent).expect("a parent"));
            let batch = [(At(1), Event::RunCreated(Arc::new(created)))];
            let mut state = RunState::default();
            apply(&mut state, At(1), &batch[0].1);
            store.append(run, 0, &batch, &state).expect("appended");
        }
    }
    let theirs = given_to_somebody(&made);
    let opened = tokio::task::spawn_blocking(move || {
        let handle = tokio::runtime::Handle::current();
        let studio = open(&theirs, Client::Desktop);
        studio.watch();
        handle.block_on(look_around(&studio, &runs));
        handle.block_on(studio.close());
        (theirs, studio)
    });
    let opened = tokio::time::timeout(Duration::from_secs(120), opened).await;
    let (theirs, _studio) = opened.expect("it does not hang").expect("it opens");
    assert!(!has_run(&theirs));
}

#[test]
fn a_log_that_calls_itself_a_rehearsal_executes_nothing() {
    let (made, runs) = left_open();
    for (at, original) in runs.iter().enumerate() {
        let forged = RunId::from(format!("018f0000-0000-7000-8000-00000000000{at}"));
        {
            let store = Store::open(&made.root).expect("a history");
            let (state, _) = store.load(original).expect("the run");
            let mut created = engine::RunCreated::clone(&state.created.expect("it was created"));
            created.run_id = forged.clone();
            created.rehearsal = true;
            let batch = [(At(1), Event::RunCreated(Arc::new(created)))];
            let mut state = RunState::default();
            apply(&mut state, At(1), &batch[0].1);
            store.append(&forged, 0, &batch, &state).expect("appended");
        }
        let theirs = given_to_somebody(&made);
        let ended = said(&theirs.root, &["resume", forged.as_str()]);
        assert!(!has_run(&theirs), "{}{}", ended.out, ended.err);
        assert!(
            ended.out.contains("rehearsal") || ended.err.contains("rehearsal"),
            "{}{}",
            ended.out,
            ended.err
        );
    }
}
