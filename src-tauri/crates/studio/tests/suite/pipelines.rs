//! Pipelines as a window uses them: drafted, created, run, aborted and resumed, with what is said on the way.

use crate::project::Project;
use serde_json::{Value, json};
use std::time::Duration;
use studio::Begun;

impl Project {
    async fn create(&self, name: &str, stages: Value) -> (String, String) {
        let draft = json!({"name": name, "error_handling": "skip_dependents", "stages": stages});
        let created = self.ok("pipeline.create", draft).await;
        let text = |key: &str| created[key].as_str().expect("a text").to_owned();
        (text("id"), text("path"))
    }

    async fn start_pipeline(&self, path: &str) -> String {
        let started = self.ok("run.start", json!({"path": path, "permit": true})).await;
        started["run_id"].as_str().expect("an id").to_owned()
    }
}

/// Ids of the stages in a list: of references, or of what holds one.
fn names(list: &Value) -> Vec<String> {
    let id = |stage: &Value| {
        let id = stage["step"]["id"].as_str().or_else(|| stage["id"].as_str());
        id.expect("a stage").to_owned()
    };
    list.as_array().expect("a list").iter().map(id).collect()
}

fn states(view: &Value) -> Vec<String> {
    let said = |stage: &Value| {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        format!("{} {}", text(&stage["step"]["id"]), text(&stage["status_word"]))
    };
    view["stages"].as_array().expect("a list").iter().map(said).collect()
}

/// What waits for a stage that was left out never runs, whatever is retried beside it; what waits for two waits for both.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_retry_is_said_to_let_run_can_run() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'exit 1'}}\n")]);
    let stages = json!([
        {"name": "left", "agents": ["dev"]},
        {"name": "right", "agents": ["dev"]},
        {"name": "both", "agents": ["dev"], "depends_on": ["left", "right"]},
        {"name": "one", "agents": ["dev"], "depends_on": ["right"]},
    ]);
    let (_, path) = p.create("Hall", stages).await;
    let run = p.start_pipeline(&path).await;
    let view = p.wait(&run, "partly").await;
    let said = |view: &Value| {
        let choices = view["pipeline"]["choices"].as_array().expect("a list").clone();
        choices
            .into_iter()
            .map(|one| (one["retry"].clone(), one["skip"].clone()))
            .collect::<Vec<_>>()
    };
    let too = "“both” waits for another of these stages, too.";
    let both = "It is left out, and with it “both” and “one”, which wait for it.";
    let wanted = [
        (
            json!(format!("It runs again. {too}")),
            json!("It is left out, and with it “both”, which waits for it."),
        ),
        (
            json!(format!("It runs again; when it is completed, “one” can run. {too}")),
            json!(both),
        ),
    ];
    assert_eq!(said(&view), wanted);

    let choices = json!({"left": "skip", "right": "retry"});
    p.ok(
        "run.act",
        json!({"run_id": run, "action": "reopen", "choices": choices}),
    )
    .await;
    let view = p
        .until(&run, |view| view["pipeline"]["choices"][0]["step"]["id"] == "right")
        .await;
    assert_eq!(names(&view["pipeline"]["choices"][0]["dependents"]), ["one"]);
    let wanted = (
        json!("It runs again; when it is completed, “one” can run."),
        json!("It is left out, and with it “one”, which waits for it."),
    );
    assert_eq!(said(&view), [wanted]);
}

/// Of several programs that start one at once, those that come too late meet a run that nobody has taken up yet.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_started_a_moment_ago_was_not_interrupted() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (id, _) = p.create("Q", json!([{"name": "a", "agents": ["dev"]}])).await;
    assert!(matches!(p.studio.start_pipeline(&id, true, &[]), Ok(Begun::Started(_))));
    let late = p.studio.start_pipeline(&id, true, &[]).expect_err("it has a run");
    assert_eq!(late.code, "pipeline_running");
    assert!(
        late.message.contains("started a moment ago") && !late.message.contains("interrupted"),
        "{}",
        late.message
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_drawn_as_it_is_typed_and_nothing_is_written() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let templates = p.ok("pipeline.templates", json!({})).await;
    let known: Vec<&str> = (templates["templates"].as_array().expect("a list").iter())
        .map(|t| t["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        known,
        [
            "full_sdlc",
            "quick_flow",
            "analysis_only",
            "design_review",
            "test_suite"
        ]
    );
    let draft = p
        .ok(
            "pipeline.draft",
            json!({"name": "Release 1", "template": "design_review"}),
        )
        .await;
    assert_eq!(draft["can_create"], true);
    assert!(draft["id"].as_str().expect("an id").contains("-release-1-"));
    assert_eq!(draft["drawing"]["nodes"].as_array().expect("nodes").len(), 3);
    assert_eq!(draft["critical_path"], json!(["architecture", "ux", "review"]));
    assert!(draft["text"].as_str().expect("a text").contains("name: Release 1\n"));
    assert!(
        draft["estimate"]["words"]
            .as_str()
            .expect("words")
            .starts_with("unknown")
    );

    // What a template holds can be sent back as stages, and makes the same pipeline.
    let of = templates["templates"][3].clone();
    let same = p
        .ok("pipeline.draft", json!({"name": "Release 1", "stages": of["stages"]}))
        .await;
    assert_eq!(same["drawing"], draft["drawing"]);

    let nameless = p
        .ok("pipeline.draft", json!({"name": " ", "template": "quick_flow"}))
        .await;
    assert_eq!(
        (&nameless["id"], &nameless["can_create"]),
        (&Value::Null, &json!(false))
    );
    assert!(
        nameless["name_problem"]
            .as_str()
            .expect("why")
            .starts_with("Pipeline name is required")
    );
    assert_eq!(nameless["drawing"]["nodes"].as_array().expect("nodes").len(), 2);

    let stages = json!([{"name": "a", "depends_on": ["b"]}, {"name": "b", "depends_on": ["a"]}]);
    let cycle = json!({"name": "x", "stages": stages});
    let draft = p.ok("pipeline.draft", cycle.clone()).await;
    assert_eq!(draft["can_create"], false);
    assert!(!draft["problems"].as_array().expect("a list").is_empty());
    assert_eq!(p.refused("pipeline.create", cycle).await.code, "invalid_workflow");
    assert_eq!(
        p.refused("pipeline.create", json!({"name": "x"})).await.code,
        "invalid_workflow"
    );
    assert_eq!(
        p.refused("pipeline.draft", json!({"name": "x", "template": "none"}))
            .await
            .code,
        "not_found"
    );
    assert!(!p.folder.path().join("pipelines").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_runs_once_and_says_how_it_ended() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (id, path) = p
        .create(
            "Build",
            json!([
                {"name": "plan", "run": "sleep 0.1"},
                {"name": "break", "run": "exit 3", "depends_on": ["plan"]},
                {"name": "after", "agents": ["dev"], "depends_on": ["break"]},
                {"name": "beside", "agents": ["dev"], "depends_on": ["plan"]},
            ]),
        )
        .await;
    let pending = p.ok("pipeline.status", json!({"id": id})).await;
    assert_eq!(
        states(&pending),
        ["plan pending", "break pending", "after pending", "beside pending"]
    );
    assert_eq!(
        (&pending["status_word"], &pending["progress"]["percent"]),
        (&json!("pending"), &json!(0))
    );

    let run = p.start_pipeline(&path).await;
    let view = p.wait(&run, "partly").await;
    let ending = &view["pipeline"]["ending"];
    assert_eq!(names(&ending["failed"]), ["break"]);
    assert_eq!(names(&ending["skipped"]), ["after"]);
    assert_eq!(ending["skipped"][0]["because"]["id"], "break");
    let words = ending["words"].as_str().expect("words");
    assert!(
        words.starts_with("The pipeline went to its end, but only 2 of 4 stages were completed. “break” failed"),
        "{words}"
    );
    assert!(words.ends_with("Because of “break”, “after” was skipped."), "{words}");
    let choices = &view["pipeline"]["choices"];
    assert_eq!(names(choices), ["break"]);
    assert_eq!(names(&choices[0]["dependents"]), ["after"]);
    assert_eq!(
        view["pipeline"]["progress"],
        json!({"completed": 2, "total": 4, "percent": 50, "words": "2 completed, 1 failed, 1 skipped"})
    );
    assert_eq!(view["source_changed"], false, "the run itself wrote the states");
    let reopen = view["actions"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|a| a["action"] == "reopen");
    assert_eq!(reopen.expect("offered")["allowed"], true);

    // By no id it is the one that was started last; its file shows the same.
    let status = p.ok("pipeline.status", json!({})).await;
    assert_eq!(status["id"], json!(id));
    assert_eq!(
        states(&status),
        ["plan completed", "break failed", "after skipped", "beside completed"]
    );
    assert!(
        p.text(&path).contains("status: completed_with_failures\n"),
        "{}",
        p.text(&path)
    );
    let listed = p.ok("pipeline.list", json!({})).await;
    assert_eq!(
        (&listed["active"], &listed["pipelines"][0]["status_word"]),
        (&json!(id), &json!("completed_with_failures"))
    );

    // It is not started again, from nowhere.
    let again = p.refused("run.start", json!({"path": path})).await;
    assert_eq!(again.code, "pipeline_ended");
    assert!(
        again
            .hint
            .expect("a hint")
            .contains(&format!("gatehouse pipeline resume {id}"))
    );

    // Skipped by a person it stays so, and it is said who did it.
    let wrong = p
        .refused(
            "run.act",
            json!({"run_id": run, "action": "reopen", "choices": {"plan": "skip"}}),
        )
        .await;
    assert_eq!(wrong.code, "refused:choice_needed");
    p.ok("settings.set", json!({"name": "Ada"})).await;
    p.ok(
        "run.act",
        json!({"run_id": run, "action": "reopen", "choices": {"break": "skip"}}),
    )
    .await;
    let view = p.wait(&run, "partly").await;
    let ending = &view["pipeline"]["ending"];
    assert_eq!(names(&ending["by_person"]), ["break"]);
    assert!(
        ending["words"]
            .as_str()
            .expect("words")
            .contains("“break” was skipped by Ada."),
        "{ending}"
    );
    assert_eq!(view["pipeline"]["choices"], json!([]));
    let reopen = view["actions"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|a| a["action"] == "reopen");
    assert_eq!(reopen.expect("shown")["allowed"], false);
    // How long it had been at work when it failed is not how long it was skipped.
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    let (plan, skipped) = (&status["stages"][0], &status["stages"][1]);
    assert!(plan["duration_ms"].is_u64(), "{plan}");
    assert_eq!(
        (&skipped["status_word"], &skipped["duration_ms"], &skipped["reason"]),
        (&json!("skipped"), &Value::Null, &json!("by a person"))
    );
}

/// What is done again because a person asked for it does not begin because of what it waits for.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_again_for_a_person_says_so() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    p.ok("settings.set", json!({"name": "Ada Lund"})).await;
    let stages = json!([
        {"name": "safety", "agents": ["dev"]},
        {"name": "dossier", "agents": ["dev"], "depends_on": ["safety"]},
    ]);
    let (_, path) = p.create("Dossier", stages).await;
    let text = p.text(&path);
    let gated = text.replace("name: dossier", "name: dossier\n    human_gate: required");
    assert_ne!(text, gated, "{text}");
    p.write(&path, &gated);
    let run = p.start_pipeline(&path).await;
    p.wait(&run, "blocked").await;
    let inbox = p.ok("inbox.list", Value::Null).await;
    let gate = inbox["waiting"][0]["gate"].as_str().expect("it asks").to_owned();
    let answer = |round: u64, word: &str| json!({"run_id": run, "gate": gate, "round": round, "answer": word, "comment": "Name the owner."});
    p.ok("gate.answer", answer(1, "changes")).await;
    for _ in 0..2_400 {
        if p.ok("inbox.list", Value::Null).await["waiting"][0]["round"] == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    p.ok("gate.answer", answer(2, "approve")).await;
    p.wait(&run, "done").await;
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let routes = view["routes"].as_array().expect("routes");
    let told: Vec<Value> = routes
        .iter()
        .map(|route| json!([route["number"], route["from"]["id"], route["to"]["id"], route["reason"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!([1, "safety", "dossier", "dependencies_completed"]),
            json!([2, "dossier", "dossier", "changes_requested:1"]),
        ]
    );
    assert_eq!(
        routes[1]["why"],
        "A person asked for changes in round 1, so the work is done again."
    );
    assert_ne!(
        routes[1]["edge_id"], routes[0]["edge_id"],
        "the line between them counts once"
    );
    assert!(routes[1]["edge_id"].is_string(), "{view}");
}

/// The states that a run writes into the file are nobody's change, and keep nobody from taking back their own.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_leads_back_as_the_picture_says() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let stages = json!([
        {"name": "draft", "agents": ["dev"]},
        {"name": "review", "agents": ["dev"], "depends_on": ["draft"]},
        {"name": "sign", "agents": ["dev"], "depends_on": ["review"]},
    ]);
    p.ok("settings.set", json!({"name": "Ada Lund"})).await;
    let (_, path) = p.create("Lease", stages).await;
    let text = std::fs::read_to_string(p.folder.path().join(&path)).expect("a file");
    let gated = text.replace(
        "name: sign",
        "name: sign\n    human_gate: required\n    on_reject: draft",
    );
    assert_ne!(text, gated, "{text}");
    p.write(&path, &gated);
    let run = p.start_pipeline(&path).await;
    p.wait(&run, "blocked").await;
    let inbox = p.ok("inbox.list", Value::Null).await;
    let gate = inbox["waiting"][0]["gate"].as_str().expect("it asks").to_owned();
    let of = |round: u64| json!({"run_id": run, "gate": gate, "round": round});
    let before = p.ok("gate.brief", of(1)).await;
    let reject = before["answers"].as_array().expect("answers").iter();
    let reject = reject
        .clone()
        .find(|answer| answer["answer"] == "reject")
        .expect("it can be rejected");
    assert_eq!(
        reject["words"],
        "“draft” is done again with your comment; you are asked again when it comes back here."
    );
    let answer = |round: u64, word: &str| {
        let mut of = of(round);
        of["answer"] = json!(word);
        of["comment"] = json!("Name the owner.");
        of
    };
    p.ok("gate.answer", answer(1, "reject")).await;
    for _ in 0..2_400 {
        if p.ok("inbox.list", Value::Null).await["waiting"][0]["round"] == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let log = p.ok("run.log", json!({"run_id": run})).await;
    let said = log["lines"].to_string();
    assert!(
        said.contains("“sign” was rejected: “draft” is done again, and so is what lies between."),
        "{said}"
    );
    p.ok("gate.answer", answer(2, "approve")).await;
    p.wait(&run, "done").await;
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let routes = view["routes"].as_array().expect("routes").iter();
    let back: Vec<&Value> = routes.filter(|route| route["reason"] == "rejected").collect();
    assert_eq!(back.len(), 1, "{view}");
    assert!(back[0]["edge_id"].is_string(), "the line that the picture has for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_writes_into_its_file_stands_in_the_way_of_no_undo() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (_, path) = p.create("Short", json!([{"name": "first", "agents": ["dev"]}])).await;
    let view = p.ok("workflow.open", json!({"path": path})).await;
    let source = view["source"].as_str().expect("a text");
    let of =
        json!({"path": path, "revision": view["revision"], "text": format!("{source}# mine\n"), "label": "a remark"});
    let seen = p.ok("workflow.write", of).await["view"].clone();
    let run = p.start_pipeline(&path).await;
    p.wait(&run, "done").await;
    assert!(p.text(&path).contains("status: completed\n"));
    let listed = p.ok("workflow.versions", json!({"path": path})).await;
    assert_eq!(
        (&listed["versions"][0]["label"], &listed["versions"][0]["found"]),
        (&json!("as it is"), &json!(false))
    );
    let undone = p
        .ok("workflow.undo", json!({"path": path, "entry": seen["undo_entry"]}))
        .await;
    assert_eq!(
        (&undone["outcome"], &undone["unchanged"]),
        (&json!("saved"), &Value::Null)
    );
    assert!(p.text(&path).contains("status: completed\n") && !p.text(&path).contains("# mine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_pipeline_is_resumed_and_completed_work_is_not_done_again() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (id, path) = p
        .create(
            "Long",
            json!([
                {"name": "first", "run": "echo x >> first.txt"},
                {"name": "long", "run": "test -f go || sleep 600", "depends_on": ["first"]},
                {"name": "last", "agents": ["dev"], "depends_on": ["long"]},
            ]),
        )
        .await;
    let run = p.start_pipeline(&path).await;
    for _ in 0..2_400 {
        let view = p.ok("pipeline.status", json!({"id": id})).await;
        if names(&view["current"]) == ["long"] {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let twice = p.refused("run.start", json!({"path": path})).await;
    assert_eq!(twice.code, "pipeline_running");
    assert!(twice.message.contains("carried out by test"), "{}", twice.message);
    assert_eq!(
        p.studio.resumable_pipeline(&id).expect_err("it runs").code,
        "pipeline_running"
    );

    p.ok("run.act", json!({"run_id": run, "action": "abort"})).await;
    let view = p.wait(&run, "aborted").await;
    assert_eq!(names(&view["pipeline"]["choices"]), ["long"]);
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    assert_eq!(states(&status), ["first completed", "long aborted", "last pending"]);
    assert_eq!(
        (&status["progress"]["percent"], &status["progress"]["words"]),
        (&json!(33), &json!("1 completed, 1 cut off, 1 left"))
    );

    std::fs::write(p.folder.path().join("go"), "").expect("written");
    p.ok(
        "run.act",
        json!({"run_id": run, "action": "reopen", "choices": {"long": "retry"}}),
    )
    .await;
    let view = p.wait(&run, "done").await;
    assert_eq!(view["pipeline"]["ending"], Value::Null);
    assert_eq!(p.text("first.txt"), "x\n", "it ran once");
    assert_eq!(
        p.studio.start_pipeline(&id, false, &[]).expect("it is left as it is"),
        Begun::Completed
    );
    assert_eq!(
        p.refused("run.start", json!({"path": path})).await.code,
        "pipeline_completed"
    );

    // What is made of it knows how long it took.
    let draft = p.ok("pipeline.draft", json!({"name": "long", "from": id})).await;
    assert_eq!(
        (&draft["estimate"]["runs"], &draft["estimate"]["unknown"]),
        (&json!(1), &json!([]))
    );
    assert!(
        draft["estimate"]["words"]
            .as_str()
            .expect("words")
            .ends_with("(estimated from 1 past run)")
    );
    assert!(!draft["text"].as_str().expect("a text").contains("completed"));
}

/// The name of a pipeline stands in the name of its file and in every record of its runs.
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_pipeline_is_held_against_the_guardrails() {
    let p = Project::of(&[("gatehouse.yaml", "guardrails: {enabled: true}\n")]);
    let draft = |name: &str| json!({"name": name, "stages": [{"name": "a", "agents": ["dev"]}]});
    let error = p.refused("pipeline.create", draft("Pay DE89370400440532013000")).await;
    assert_eq!(error.code, "refused:guardrail");
    assert_eq!(
        error.message,
        "The name of the pipeline holds an account number (IBAN), which this project stops. Take it out and say it again."
    );
    assert!(!p.folder.path().join("pipelines").exists(), "nothing is written");
    p.ok("pipeline.create", draft("Pay the invoice")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_is_refused_before_it_begins() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (id, path) = p
        .create(
            "Agents",
            json!([{"name": "a", "agents": ["dev"]}, {"name": "b", "agents": ["ghost"]}]),
        )
        .await;
    let before = p.text(&path);
    let error = p.refused("run.start", json!({"path": path})).await;
    assert_eq!(error.code, "unbound_agents");
    assert!(error.message.contains("the work of “ghost” (“b”)"), "{}", error.message);
    assert!(!error.message.contains("dev"), "{}", error.message);
    std::fs::write(
        p.folder.path().join("gatehouse.yaml"),
        "agents: {\"*\": {engine: shell, run: 'true'}}\n",
    )
    .expect("written");

    let cycle = "stages:\n  - {name: a, agents: [dev], depends_on: [c]}\n  - {name: b, agents: [dev]}\n  - {name: c, agents: [dev], depends_on: [a, none]}\n";
    let stuck = "PIPE-20250101-stuck-000000";
    let file = p.folder.path().join(format!("pipelines/{stuck}.yaml"));
    std::fs::write(&file, format!("pipeline_id: {stuck}\n{cycle}")).expect("written");
    let error = p.studio.start_pipeline(stuck, false, &[]).expect_err("it cannot end");
    assert_eq!(
        error.message,
        "Deadlock detected (cycle or unmet dependencies). Pending stages: a, c"
    );
    assert_eq!(
        p.text(&format!("pipelines/{stuck}.yaml")),
        format!("pipeline_id: {stuck}\n{cycle}")
    );

    for (word, code) in [
        ("failed", "pipeline_elsewhere"),
        ("running", "pipeline_elsewhere"),
        ("completed", "pipeline_elsewhere"),
    ] {
        let text =
            format!("pipeline_id: {stuck}\nstatus: {word}\nstages:\n  - {{name: b, agents: [dev], status: {word}}}\n");
        std::fs::write(&file, text).expect("written");
        assert_eq!(
            p.refused("run.start", json!({"path": format!("pipelines/{stuck}.yaml")}))
                .await
                .code,
            code
        );
        let view = p.ok("pipeline.status", json!({"id": stuck})).await;
        assert_eq!(
            (&view["status_word"], states(&view)),
            (&json!(word), vec![format!("b {word}")])
        );
        // Whoever looks is told what whoever starts it is.
        let list = p.ok("pipeline.list", json!({})).await;
        let rows = list["pipelines"].as_array().expect("a list");
        let row = rows.iter().find(|row| row["id"] == stuck).expect("it is listed");
        for said in [&view["error"], &row["problem"]] {
            let said = said.as_str().unwrap_or_default();
            assert!(said.contains("knows nothing of a run"), "{word}: {said}");
        }
    }
    // A stage alone that says so is enough: it would be done again, and its state written over.
    for word in ["completed", "skipped", "failed", "aborted", "running", "queued"] {
        let text = format!(
            "pipeline_id: {stuck}\nstages:\n  - {{name: b, agents: [dev], status: {word}}}\n  - {{name: c, agents: [dev], status: pending}}\n"
        );
        std::fs::write(&file, &text).expect("written");
        let error = p
            .studio
            .start_pipeline(stuck, false, &[])
            .expect_err("it was run elsewhere");
        assert_eq!(error.code, "pipeline_elsewhere", "{word}");
        assert!(
            error.message.contains(&format!("its stage “b” is “{word}”")),
            "{}",
            error.message
        );
        assert_eq!(p.text(&format!("pipelines/{stuck}.yaml")), text);
    }
    assert_eq!(p.text(&path), before, "nothing of it ran");
    assert!(
        p.ok("runs.list", json!({})).await["runs"]
            .as_array()
            .expect("a list")
            .is_empty()
    );

    let run = p.start_pipeline(&path).await;
    p.wait(&run, "done").await;
    assert_eq!(
        p.ok("pipeline.status", json!({"id": id})).await["progress"]["percent"],
        100
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_decides_about_feedback_and_who_takes_over_are_shown_before_anything_happens() {
    let p = Project::of(&[(
        "gatehouse.yaml",
        "permissions: {mode: allow}\nruntime: {feedback_rounds: 2}\nagents: {dev: {engine: shell, run: 'false'}, bea: person}\n",
    )]);
    let workflow = |who: &str| {
        format!(
            "workflow: {{name: W}}\nfeedback: {{rounds: 5, seconds: 90, escalate_to: {who}}}\nsequence:\n\
             - {{agent: dev, task: build, execution: {{escalate_to: {who}}}}}\n"
        )
    };
    let write = |text: String| std::fs::write(p.folder.path().join("w.yaml"), text).expect("written");
    write(workflow("bea"));
    let view = p.ok("workflow.open", json!({"path": "w.yaml"})).await;
    assert_eq!(
        view["feedback"],
        "A step sends work back at most 2 times, and one issue goes to and fro for at most 1 min 30 s; then bea decides."
    );
    assert!(
        view["fields"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|field| field["name"] != "feedback")
    );
    assert_eq!(
        view["steps"][0]["escalates"],
        "bea, a person, is asked to do it or to say that it has failed"
    );
    let told = view["problems"].as_array().expect("a list").iter();
    let told: Vec<&Value> = told.map(|one| &one["code"]).collect();
    assert_eq!(told, [&json!("GH0604")], "the project's bound is tighter");
    let edit = json!({"kind": "set", "place": {"step": 0, "path": ["task"]}, "value": "draw"});
    for edits in [json!([]), json!([edit])] {
        let change = json!({"path": "w.yaml", "revision": view["revision"], "edits": edits});
        let shown = p.ok("workflow.preview", change).await;
        let told: Vec<&Value> = shown["problems"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| &one["code"])
            .collect();
        assert_eq!(told, [&json!("GH0604")], "as it is told once it is written: {edits}");
    }
    let plan = p.ok("run.brief", json!({"path": "w.yaml"})).await;
    assert_eq!(
        (&plan["unbound"], plan["asks"].as_array().map(Vec::len)),
        (&json!([]), Some(1))
    );
    assert_eq!(
        (&plan["asks"][0]["question"], &plan["asks"][0]["asks"]),
        (&json!("Build, once it has failed for good"), &json!("bea"))
    );
    let run = p.start_pipeline("w.yaml").await;
    let view = p.wait(&run, "blocked").await;
    assert_eq!(view["waiting"]["asks"], json!(["bea"]), "{view:#}");

    write(workflow("cem"));
    let plan = p.ok("run.brief", json!({"path": "w.yaml"})).await;
    let nobody: Vec<(&Value, bool)> = plan["unbound"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["agent"], one["decides"] == true))
        .collect();
    assert_eq!(nobody, [(&json!("cem"), true), (&json!("cem"), false)]);
    let takes_over = &plan["unbound"][1];
    assert_eq!(
        (&takes_over["takes_over"], &takes_over["places"]),
        (&json!(true), &json!([])),
        "given the step, cem would do it in the place of dev: {plan:#}"
    );
}

/// A stage that names nobody is done by whoever does what nobody else is bound to: by no name that nobody has written.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_a_stage_that_names_nobody_has_no_name() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {'*': person}\n")]);
    let text = "name: W\nstages:\n- {name: write, agents: [ann]}\n- {name: live, agents: [], depends_on: [write]}\n";
    std::fs::write(p.folder.path().join("w.yaml"), text).expect("written");
    let plan = p.ok("run.brief", json!({"path": "w.yaml"})).await;
    let agents = plan["agents"].as_array().expect("a list").iter();
    let names: Vec<&Value> = agents.map(|one| &one["agent"]["name"]).collect();
    assert_eq!(names, [&json!("ann"), &json!("not named")], "{plan:#}");
}

/// What can be done is what is offered, and why not the other, also where only a part of the work is nobody's.
#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_is_offered_first_wherever_it_cannot_start_for_real() {
    let p = Project::of(&[(
        "gatehouse.yaml",
        "permissions: {mode: allow}\nagents: {dev: {engine: shell, run: 'true'}, fix: {engine: shell, run: sh fix.sh}}\n",
    )]);
    let brief = async |text: &str| {
        std::fs::write(p.folder.path().join("w.yaml"), text).expect("written");
        p.ok("run.brief", json!({"path": "w.yaml"})).await
    };
    let first = "workflow: {name: W}\nsequence:\n- {agent: dev, task: build, execution: {escalate_to: fix}}\n";
    let plan = brief(first).await;
    assert_eq!(plan["rehearse_first"], Value::Null);
    let works: Vec<(&Value, &Value)> = plan["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["agent"]["name"], &one["words"]))
        .collect();
    assert_eq!(
        works,
        [
            (&json!("dev"), &json!("runs the command true")),
            (
                &json!("fix"),
                &json!("runs the command sh fix.sh, once a step has failed for good")
            ),
        ]
    );
    for (then, why) in [
        ("- {agent: writer, task: tell}\n", "nobody does the work of “writer”,"),
        (
            "- {agent: dev, task: tell, execution: {escalate_to: cem}}\n",
            "“cem” is to take over what has failed for good and is not set up,",
        ),
        (
            "- {agent: writer, task: tell}\n- {agent: critic, task: read}\n",
            "nobody does the work of “writer” (and 1 more),",
        ),
    ] {
        let plan = brief(&format!("{first}{then}")).await;
        let said = plan["rehearse_first"].as_str().unwrap_or_default();
        assert!(
            said.starts_with("It cannot start for real yet, because ") && said.contains(why),
            "{then}: {said}"
        );
    }
    // Whoever does another step takes this one over too: it is said once.
    let both = "- {agent: cem, task: tell}\n- {agent: dev, task: read, execution: {escalate_to: cem}}\n";
    let plan = brief(&format!("{first}{both}")).await;
    assert_eq!(plan["unbound"].as_array().map(Vec::len), Some(1), "{plan:#}");
    assert_eq!(plan["unbound"][0].get("takes_over"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_stages_that_failed_the_one_that_was_come_to_last_matters() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    let (_, path) = p
        .create(
            "Failing",
            json!([
                {"name": "late", "run": "false", "depends_on": ["second"]},
                {"name": "first", "agents": ["dev"]},
                {"name": "early", "run": "false", "depends_on": ["first"]},
                {"name": "second", "run": "sleep 0.3", "depends_on": ["first"]},
            ]),
        )
        .await;
    let run = p.start_pipeline(&path).await;
    p.wait(&run, "partly").await;
    let overlay = p.ok("run.overlay", json!({"run_id": run})).await;
    let failed: Vec<&str> = (overlay["steps"].as_array().expect("steps").iter())
        .filter(|step| step["status"] == "failed")
        .filter_map(|step| step["id"].as_str())
        .collect();
    assert_eq!((failed.len(), &overlay["active"]), (2, &json!("late")), "{failed:?}");
    let begun = p.ok("run.overlay", json!({"run_id": run, "at": 2})).await;
    assert_ne!(begun["active"], "late");
}

/// Of several people one is enough: before the start nobody else is said to be asked for work of their own, and afterwards
/// nobody else to have done any.
#[tokio::test(flavor = "multi_thread")]
async fn of_several_people_of_a_stage_one_answers_and_no_more_is_said() {
    let text = "name: Talk\nstages:\n  - {name: talk, agents: [anna, bob]}\n";
    let p = Project::of(&[
        ("gatehouse.yaml", "agents: {anna: person, bob: person}\n"),
        ("w.yaml", text),
    ]);
    let p = p.signed_by("Ada Lund").await;
    let plan = p.ok("run.brief", json!({"path": "w.yaml"})).await;
    let works: Vec<(&Value, &Value)> = (plan["agents"].as_array().expect("a list").iter())
        .map(|one| (&one["agent"]["name"], &one["words"]))
        .collect();
    assert_eq!(
        works,
        [(
            &json!("anna or bob"),
            &json!("a person carries it out: all of them are asked how it went, and one answer counts")
        )]
    );
    assert_eq!(plan["asks"][0]["asks"], "anna or bob", "{plan}");
    let run = p.start_pipeline("w.yaml").await;
    let view = p.wait(&run, "blocked").await;
    let answer = json!({"run_id": run, "gate": view["waiting"]["gate"], "answer": "pass", "comment": "",
        "round": view["waiting"]["round"]});
    p.ok("gate.answer", answer).await;
    p.wait(&run, "done").await;
    let step = p.ok("run.step", json!({"run_id": run, "step": "talk"})).await;
    let attempt = &step["visits"][0]["attempts"][0];
    assert_eq!(attempt["agent"], "anna or bob");
    let each = attempt["agents"].as_array().expect("a list");
    let words: Vec<&str> = each.iter().filter_map(|one| one["words"].as_str()).collect();
    assert_eq!(words, ["anna or bob was asked, and Ada Lund did it"]);
}

/// Of a stage that people did the time is theirs, and the name that of who answered.
#[tokio::test(flavor = "multi_thread")]
async fn of_what_people_did_it_is_told_who_answered_and_how_long_it_took_them() {
    let settings = "agents: {photographer: person, buyer: person}\n";
    let p = Project::of(&[("gatehouse.yaml", settings)]);
    let p = p.signed_by("Petra").await;
    let stages = json!([{"name": "shoot", "agents": ["photographer", "buyer"]}]);
    let (id, path) = p.create("Shop", stages).await;
    let run = p.start_pipeline(&path).await;
    let view = p.wait(&run, "blocked").await;
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    assert_eq!(
        status["stages"][0]["agents"],
        json!(["photographer", "buyer"]),
        "{status}"
    );
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let answer = json!({"run_id": run, "gate": view["waiting"]["gate"], "answer": "pass", "comment": "",
        "round": view["waiting"]["round"]});
    p.ok("gate.answer", answer).await;
    p.wait(&run, "done").await;
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    let shoot = &status["stages"][0];
    assert_eq!(
        shoot["agents"],
        json!(["Petra (for photographer or buyer)"]),
        "{status}"
    );
    assert!(shoot["duration_ms"].as_u64().is_some_and(|ms| ms >= 1200), "{status}");
}

/// Whoever is given a stage of several agents does it in the place of all of them, also where only one of them is not set up.
#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_several_agents_work_at_is_said_to_be_given_as_a_whole() {
    let text = "name: Talk\nstages:\n  - {name: talk, agents: [anna, bob, cem]}\n  \
                - {name: write, agents: [anna], depends_on: [talk]}\n";
    let p = Project::of(&[
        ("gatehouse.yaml", "agents: {cem: {engine: shell, run: 'true'}}\n"),
        ("w.yaml", text),
    ]);
    let plan = p.ok("run.brief", json!({"path": "w.yaml"})).await;
    let unbound: Vec<(&Value, &Value, &Value)> = (plan["unbound"].as_array().expect("a list").iter())
        .map(|one| (&one["agent"], &one["places"], &one["shared"]))
        .collect();
    assert_eq!(
        unbound,
        [
            (&json!("anna"), &json!(["talk", "write"]), &json!(["talk"])),
            (&json!("bob"), &json!(["talk"]), &json!(["talk"])),
        ]
    );
}

/// A report tells decisions in the order in which they were made, not in that in which they were asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_tells_decisions_in_the_order_of_their_time() {
    let text = "name: Two\nstages:\n  \
        - {name: plan, agents: [w], human_gate: required, gate_question: Is it planned?}\n  \
        - {name: spec, agents: [w], depends_on: [], human_gate: required, gate_question: Is it specified?}\n";
    let settings = "permissions: {mode: allow}\nagents: {w: {engine: shell, run: 'true'}}\n";
    let p = Project::of(&[("gatehouse.yaml", settings), ("w.yaml", text)]);
    let p = p.signed_by("Ada Lund").await;
    let run = p.start_pipeline("w.yaml").await;
    let mut cards = Vec::new();
    for _ in 0..2_400 {
        cards = p.ok("inbox.list", Value::Null).await["waiting"]
            .as_array()
            .expect("cards")
            .clone();
        if cards.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let questions: Vec<String> = (cards.iter().rev())
        .filter_map(|card| card["question"].as_str().map(str::to_owned))
        .collect();
    for card in cards.iter().rev() {
        let approve = json!({"run_id": run, "gate": card["gate"], "round": 1, "answer": "approve", "comment": ""});
        p.ok("gate.answer", approve).await;
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    p.wait(&run, "done").await;
    let report = p.ok("report.view", json!({"run_id": run})).await["html"].to_string();
    let at = |question: &String| report.find(question).expect("it is told");
    assert_eq!(questions.len(), 2);
    assert!(at(&questions[0]) < at(&questions[1]), "{questions:?}");
}

/// A file that was edited while its run went on: stages that the run never had get no state, and what differs is said.
#[tokio::test(flavor = "multi_thread")]
async fn stages_that_a_run_never_had_are_named_and_get_no_state() {
    let p = Project::of(&[("gatehouse.yaml", "agents: {dev: {engine: shell, run: 'true'}}\n")]);
    p.ok("project.trust", json!({"trust": true})).await;
    let stages = json!([{"name": "plan", "run": "true"}, {"name": "build", "run": "true", "depends_on": ["plan"]}]);
    let (id, path) = p.create("Edited", stages).await;
    let run = p.start_pipeline(&path).await;
    p.wait(&run, "done").await;
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    assert_eq!(status["stages_changed"], Value::Null, "the run itself wrote the states");

    let text = p.text(&path);
    let edited = text.replacen("name: build", "name: build\n    timeout_seconds: 9", 1);
    assert_ne!(edited, text, "{text}");
    let edited = format!(
        "{}\n  - name: ship\n    agents: [dev]\n    human_gate: required\n",
        edited.trim_end()
    );
    p.write(&path, &edited);
    let status = p.ok("pipeline.status", json!({"id": id})).await;
    let expected = json!([
        "The file has 1 stage that this run never had: “ship”.",
        "1 stage was changed in the file since the run began, which has what stood there then: “build”.",
    ]);
    assert_eq!(status["stages_changed"], expected);
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let remarks = view["remarks"].as_array().expect("remarks");
    for one in expected.as_array().expect("two") {
        assert!(remarks.contains(one), "{remarks:?}");
    }
    let written = p.text(&path);
    let ship = written.split("name: ship").nth(1).expect("it is there");
    assert!(!ship.contains("status:"), "{written}");
}
