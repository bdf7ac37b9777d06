//! What somebody else writes into the log of a run is followed by its driver where a known person has signed it, and only then.

use engine::{Answer, At, Decision, Event, Intent, RunId, RunState, apply};
use serde_json::json;
use std::sync::Arc;
use store::{RunFilter, Store};
use studio::command::AnswerOf;
use studio::{Client, Identity, Studio};
use tests::driven::{Driven, until};
use tests::project::Project;

/// The second step leaves a file, and nobody has approved it.
const FLOW: &str = "\
key: letter
title: A letter
steps:
  - {id: write, agents: [author], role: Writes., human_gate: required, gate_question: Send it?, gate_at: after, routing: {kind: linear, next: send}}
  - {id: send, agents: [sender], role: Sends., routing: {kind: linear}}
";
const CONFIG: &str =
    "agents:\n  author: {engine: shell, run: 'echo written'}\n  sender: {engine: shell, run: 'echo x > sent'}\n";

fn project() -> Project {
    Project::new(&[("letter.yaml", FLOW), ("gatehouse.yaml", CONFIG)]).expect("a project")
}

/// A run that waits at its gate while somebody drives it.
fn waiting(project: &Project) -> (Driven, RunId, RunState) {
    let driven = Driven::start(project, &["run", "letter.yaml"]).expect("it starts");
    let (run, state) = until("a gate", || {
        // The history may not be there yet.
        let (run, state) = project.latest().ok()??;
        state.waiting().is_some().then_some((run, state))
    })
    .expect("it waits");
    (driven, run, state)
}

/// The same while nobody drives it.
fn left(project: &Project) -> (RunId, RunState) {
    let said = project
        .gatehouse(&["run", "letter.yaml", "--until-blocked"])
        .expect("gatehouse is built");
    assert!(said.out.contains("Send it?"), "{}{}", said.out, said.err);
    project.latest().expect("readable").expect("a run")
}

fn approval(state: &RunState, via: &str) -> Intent {
    let opened = &state.waiting().expect("it waits").opened;
    Intent::Answer(Arc::new(Decision {
        gate: opened.gate.clone(),
        round: opened.round,
        answer: Answer::Approve,
        by: "Ada".into(),
        comment: String::new(),
        seen: opened.shown.iter().map(|made| made.digest.clone()).collect(),
        undrawn: Vec::new(),
        via: via.into(),
        lasting: None,
        way: None,
        report: Default::default(),
        key_name: None,
        signature: None,
    }))
}

/// Appends events as they stand, whatever the engine would say.
fn append(store: &Store, run: &RunId, state: &RunState, events: &[Event]) {
    let at = At(state.last_at.unwrap_or_default().0 + 1);
    let mut after = state.clone();
    let batch: Vec<(At, Event)> = events.iter().map(|event| (at, event.clone())).collect();
    for (at, event) in &batch {
        apply(&mut after, *at, event);
    }
    store.append(run, state.seq, &batch, &after).expect("appended");
}

fn answer(store: &Store, run: &RunId, state: &RunState, via: &str) {
    runtime::submit::submit_to(store, run, approval(state, via)).expect("recorded");
}

/// The start of the second step, as the first began.
fn begun(store: &Store, run: &RunId) -> Event {
    let events = store.events(run, 0, 100).expect("readable");
    let started = events.into_iter().find_map(|stored| match stored.event {
        Event::AttemptStarted(started) => Some(started),
        _ => None,
    });
    let mut started = serde_json::to_value(&*started.expect("it began")).expect("text");
    started["instance"]["step"] = json!("send");
    Event::AttemptStarted(Arc::new(serde_json::from_value(started).expect("a start")))
}

/// An approval that is signed: with the key of the run, or, copied from there, of another run of the same workflow.
async fn signed(project: &Project, who: &Identity, run: &RunId, state: &RunState) {
    let studio = Studio::open_as(&project.root, Client::Cli, who.clone()).expect("the project");
    let opened = &state.waiting().expect("it waits").opened;
    let of = AnswerOf {
        run_id: run.to_string(),
        gate: opened.gate.to_string(),
        round: opened.round,
        answer: Answer::Approve,
        comment: String::new(),
        seen: Vec::new(),
        undrawn: None,
        lasting: None,
        way: None,
        report: Default::default(),
        by: None,
    };
    studio.decide(of, "Ada").await.expect("recorded");
}

fn somebody() -> (tempfile::TempDir, Identity) {
    let home = tempfile::tempdir().expect("a folder");
    let who = Identity::open_in(home.path(), false).expect("an identity");
    (home, who)
}

/// The person of the project says that a key is Ada's.
async fn confirm(project: &Project, whose: &Identity) {
    let me = Identity::open_in(&project.home(), false).expect("me");
    let studio = Studio::open_as(&project.root, Client::Cli, me).expect("the project");
    let fingerprint = studio::settings::keys::fingerprint(&whose.public());
    let confirm = json!({"key": fingerprint, "name": "Ada"});
    studio.rpc("people.confirm", confirm).await.expect("confirmed");
}

type Forgery = fn(&Store, &RunId, &RunState);

/// What somebody may write who may write the file.
const FORGERIES: &[(&str, Forgery)] = &[
    ("It is not signed", |store, run, state| answer(store, run, state, "cli")),
    ("this run has no scenario", |store, run, state| {
        answer(store, run, state, "scenario")
    }),
    ("does not fit what was signed", |store, run, state| {
        let Intent::Answer(decision) = approval(state, "cli") else {
            return;
        };
        let mut decision = Decision::clone(&decision);
        decision.signature = Some(engine::Signature {
            key: "ab".repeat(32),
            signature: "cd".repeat(64),
            grounds: None,
        });
        runtime::submit::submit_to(store, run, Intent::Answer(Arc::new(decision))).expect("recorded");
    }),
    ("does not follow", |store, run, state| {
        append(store, run, state, &[begun(store, run)])
    }),
    ("It is not signed", |store, run, state| {
        let Intent::Answer(decision) = approval(state, "cli") else {
            return;
        };
        append(store, run, state, &[Event::GateAnswered(decision), begun(store, run)]);
    }),
    // A pause, and behind it what nobody says.
    ("does not follow", |store, run, state| {
        append(
            store,
            run,
            state,
            &[
                Event::Paused {
                    by: "Ada".into(),
                    given: None,
                },
                begun(store, run),
            ],
        );
    }),
];

#[test]
fn what_nobody_signed_is_not_followed_by_a_driver() {
    for (words, forge) in FORGERIES {
        let project = project();
        let (driven, run, state) = waiting(&project);
        forge(&project.store().expect("a history"), &run, &state);
        let said = driven.end().expect("it ends");
        let all = format!("{}{}", said.out, said.err);
        assert!(said.code != Some(0) && all.contains(words), "{words}: {said:?}");
        assert!(all.contains(&format!("gatehouse verify {run}")), "what to do: {all}");
        assert!(!project.root.join("sent").exists(), "{words}: {all}");
        // Nobody takes it up either.
        let said = project
            .gatehouse(&["resume", run.as_str()])
            .expect("gatehouse is built");
        if *words != "does not follow" {
            assert!(said.code != Some(0) && said.err.contains(words), "{words}: {said:?}");
            assert!(!project.root.join("sent").exists(), "{words}: {all}");
        }
    }
}

#[test]
fn what_nobody_signed_while_nobody_drove_is_not_followed_either() {
    let project = project();
    let (run, state) = left(&project);
    answer(&project.store().expect("a history"), &run, &state, "cli");
    // What its person says to it afterwards does not vouch for that.
    for arguments in [["pause", run.as_str()], ["resume", run.as_str()]] {
        let said = project.gatehouse(&arguments).expect("gatehouse is built");
        assert!(!project.root.join("sent").exists(), "{said:?}");
        if arguments[0] == "resume" {
            assert!(
                said.code != Some(0) && said.err.contains("It is not signed"),
                "{said:?}"
            );
        }
    }
    let said = project.gatehouse(&["abort", run.as_str()]).expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "it can be ended: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_followed_when_its_key_is_known() {
    let project = project();
    let (driven, run, state) = waiting(&project);
    let me = Identity::open_in(&project.home(), false).expect("an identity");
    signed(&project, &me, &run, &state).await;
    let said = driven.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(project.root.join("sent").exists());

    let project = self::project();
    let (driven, run, state) = waiting(&project);
    let (_home, colleague) = somebody();
    signed(&project, &colleague, &run, &state).await;
    let said = driven.end().expect("it ends");
    assert!(said.code != Some(0) && said.err.contains("Not confirmed"), "{said:?}");
    assert!(!project.root.join("sent").exists());
    // The answer begins nothing: whoever follows it does.
    let begun = || {
        let events = project
            .store()
            .expect("a history")
            .events(&run, 0, 100)
            .expect("readable");
        let begun = events.into_iter().filter_map(|e| match e.event {
            Event::AttemptStarted(started) => Some((started.instance.step.to_string(), e.at)),
            _ => None,
        });
        begun.collect::<Vec<_>>()
    };
    assert_eq!(begun().len(), 1, "{:?}", begun());
    let report = project
        .gatehouse(&["report", run.as_str(), "-o", "held.html"])
        .expect("gatehouse is built");
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(
        project.text("held.html").contains("1 begun, 1 completed"),
        "nothing else was begun"
    );
    let status = project
        .gatehouse(&["status", run.as_str()])
        .expect("gatehouse is built");
    assert!(
        status.out.contains("not begun: who answered is in doubt"),
        "{}",
        status.out
    );
    confirm(&project, &colleague).await;
    tokio::time::sleep(std::time::Duration::from_millis(3_100)).await;
    let said = project
        .gatehouse(&["resume", run.as_str()])
        .expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(project.root.join("sent").exists(), "{said:?}");
    assert!(said.out.contains("nobody had carried the run on"), "{said:?}");
    let (now, _) = project.store().expect("a history").load(&run).expect("readable");
    let answered = now.gates.values().flatten().find_map(|round| round.answer.as_ref());
    let (_, answered) = answered.expect("answered");
    let (step, began) = begun().pop().expect("begun");
    assert!(step == "send" && began > *answered, "it begins when it is gone on with");
}

/// Whose word counts in a run that another account carries on is said before an answer is signed, and what it waits for afterwards; the one who
/// carries it on is told which answer it stopped at.
#[tokio::test(flavor = "multi_thread")]
async fn who_answers_elsewhere_is_told_where_their_key_is_to_be_confirmed() {
    let project = project();
    let (driven, run, state) = waiting(&project);
    let (_home, colleague) = somebody();
    let gate = state.waiting().expect("it waits").opened.gate.to_string();
    let me = Identity::open_in(&project.home(), false).expect("me");
    let brief = async |who: &Identity| {
        let studio = Studio::open_as(&project.root, Client::Cli, who.clone()).expect("the project");
        let of = json!({"run_id": run.to_string(), "gate": gate});
        studio.rpc("gate.brief", of).await.expect("a brief")
    };
    let before = brief(&colleague).await;
    assert!(before["remarks"].to_string().contains("once your key"), "{before}");
    let own = brief(&me).await;
    assert!(!own["remarks"].to_string().contains("Another account"), "{own}");
    signed(&project, &colleague, &run, &state).await;
    driven.end().expect("it ends");
    let after = brief(&colleague).await;
    assert!(after["left_open"].to_string().contains("confirmed your key"), "{after}");
    let own = brief(&me).await;
    assert!(
        own["remarks"].to_string().contains("The run stopped at this answer"),
        "{own}"
    );
}

/// What a step wants to do is permitted where its run is carried on, and nowhere else.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_permits_what_a_run_wants_that_another_account_carries_on() {
    let files = [
        ("mark.runbook.md", "# Mark\n\n## 1 Mark\n\n```bash\ntouch ran\n```\n"),
        ("gatehouse.yaml", "permissions: {mode: ask}\n"),
    ];
    let project = Project::new(&files).expect("a project");
    let driven = Driven::start(&project, &["run", "mark.runbook.md"]).expect("it starts");
    let (run, state) = until("a question", || {
        let (run, state) = project.latest().ok()??;
        state.waiting().is_some().then_some((run, state))
    })
    .expect("it asks");
    let opened = &state.waiting().expect("it asks").opened;
    let (_home, colleague) = somebody();
    let theirs = Studio::open_as(&project.root, Client::Cli, colleague).expect("the project");
    let of = json!({"run_id": run.to_string(), "gate": opened.gate.to_string()});
    let brief = theirs.rpc("gate.brief", of).await.expect("a brief");
    let allowed: Vec<_> = brief["answers"]
        .as_array()
        .expect("answers")
        .iter()
        .map(|one| &one["allowed"])
        .collect();
    assert_eq!(allowed, [false, true], "{brief}");
    let answer = |answer| AnswerOf {
        run_id: run.to_string(),
        gate: opened.gate.to_string(),
        round: opened.round,
        answer,
        comment: String::new(),
        seen: Vec::new(),
        undrawn: None,
        lasting: None,
        way: None,
        report: Default::default(),
        by: None,
    };
    let refused = theirs
        .decide(answer(Answer::Approve), "Ada")
        .await
        .expect_err("not there");
    assert_eq!(refused.code, "refused:answer_not_offered", "{refused:?}");
    // Whoever carries it on may.
    let me = Identity::open_in(&project.home(), false).expect("me");
    let mine = Studio::open_as(&project.root, Client::Cli, me).expect("the project");
    mine.decide(answer(Answer::Approve), "Ada").await.expect("permitted");
    let said = driven.end().expect("it ends");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(project.root.join("ran").exists());
}

/// The workflow without its second step: the answer ends its run.
fn ending() -> String {
    let only = FLOW.lines().filter(|line| !line.contains("id: send"));
    let only: Vec<String> = only.map(|line| line.replace(", next: send", "")).collect();
    only.join("\n")
}

/// Nothing has failed where such an answer stands in a run inside: the run around that is left open as a plain one is, also where the answer has
/// ended the run inside.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_around_one_that_an_unknown_key_answered_waits_until_that_is_confirmed() {
    let (ending, then) = (ending(), "  - {name: c, agent: sender, depends_on: [b]}\n");
    for (flow, then) in [(FLOW, ""), (ending.as_str(), then)] {
        let pipeline = format!("name: Q\nstages:\n  - {{name: b, workflow: letter.yaml}}\n{then}");
        let project = Project::new(&[("letter.yaml", flow), ("gatehouse.yaml", CONFIG), ("q.yaml", &pipeline)]);
        let project = project.expect("a project");
        let say = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
        let said = say(&["run", "q.yaml", "--until-blocked"]);
        assert!(said.out.contains("Send it?"), "{said:?}");
        let runs = || {
            let store = project.store().expect("a history");
            let rows = store.runs(&RunFilter::default()).expect("readable");
            let runs = rows.into_iter().map(|row| {
                let (state, _) = store.load(&row.run).expect("readable");
                (state, row.run)
            });
            let is_inside = |state: &RunState| state.created.as_ref().is_some_and(|created| created.parent.is_some());
            let (inside, around): (Vec<_>, Vec<_>) = runs.partition(|(state, _)| is_inside(state));
            (inside, around)
        };
        let (inside, around) = runs();
        let ([(state, inner)], [(_, outer)]) = (inside.as_slice(), around.as_slice()) else {
            panic!("{inside:?} {around:?}");
        };
        let (_home, colleague) = somebody();
        signed(&project, &colleague, inner, state).await;
        // As often as somebody tries.
        for _ in 0..2 {
            let said = say(&["resume", outer.as_str()]);
            assert!(said.code != Some(0) && said.err.contains("Not confirmed"), "{said:?}");
            assert!(runs().1.iter().all(|(state, _)| !state.status.ended()), "{said:?}");
        }
        assert!(!project.root.join("sent").exists());
        confirm(&project, &colleague).await;
        let said = say(&["resume", outer.as_str()]);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(project.root.join("sent").exists(), "{said:?}");
        assert_eq!(runs().0.len(), 1, "what was answered inside stands");
    }
}

#[test]
fn a_claim_that_no_driver_makes_holds_nothing() {
    for owner in [
        "desktop 1@elsewhere.invalid",
        "somebody",
        &format!("cli 0@{}", runtime::host()),
    ] {
        let project = project();
        let (run, _) = left(&project);
        let raw = rusqlite::Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
        let claim = "INSERT OR REPLACE INTO leases VALUES (?1, ?2, ?3, 0, ?3)";
        raw.execute(claim, (run.as_str(), owner, i64::MAX)).expect("written");
        drop(raw);
        for arguments in [
            &["answer", run.as_str(), "write", "approve", "--by", "Ada"][..],
            &["resume", run.as_str()],
        ] {
            let said = project.gatehouse(arguments).expect("gatehouse is built");
            assert_eq!(said.code, Some(0), "{owner}: {said:?}");
        }
        assert!(project.root.join("sent").exists(), "{owner}");
    }
}

/// What an answer entails at the end of a run is recorded with it and cannot be held back: whoever looks is told whose answer it was not.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_an_unknown_key_has_given_is_told_as_one() {
    let project = Project::new(&[("letter.yaml", &ending()), ("gatehouse.yaml", CONFIG)]).expect("a project");
    let (driven, run, state) = waiting(&project);
    let (_home, colleague) = somebody();
    signed(&project, &colleague, &run, &state).await;
    driven.end().expect("it ends");
    let say = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built").out;
    let status = say(&["status", run.as_str()]);
    assert!(status.contains("A letter: done"), "{status}");
    assert!(
        status.contains("remark: Who decided is in doubt. The answer of Ada: Not confirmed"),
        "{status}"
    );
    for list in [&["list"][..], &["list", "--json"]] {
        let list = say(list);
        assert!(list.contains("done; who decided is in doubt"), "{list}");
    }
    // And its files are written to the end.
    let verified = say(&["verify", run.as_str()]);
    assert!(!verified.contains("behind"), "{verified}");
    confirm(&project, &colleague).await;
    let now = say(&["status", run.as_str()]) + &say(&["list"]);
    assert!(!now.contains("in doubt"), "{now}");
}
