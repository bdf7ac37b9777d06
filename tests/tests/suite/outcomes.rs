//! What the program says of a run's end: refused, stopped, done, and how much of a pipeline was completed.

use serde_json::Value;
use tests::program::Said;
use tests::project::Project;

const AGENTS: &str = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo done\"}\n  maker: {engine: shell, run: \"echo made\"}\n  tester: {engine: shell, run: \"echo tested\"}\n";
const FLOW: &str = "id: contract\nname: Contract\nsteps:\n  - {id: draft, agents: [maker], routing: {kind: linear, next: sign}}\n  \
    - {id: sign, name: Sign the contract, agents: [maker], human_gate: required, ON_REJECT, routing: {kind: linear, next: file}}\n  \
    - {id: file, agents: [maker], routing: {kind: linear}}\n  - {id: told, agents: [maker], routing: {kind: linear}}\n";

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

/// A run that waits at the first gate it comes to, and the gate.
fn waits(project: &Project, file: &str) -> (String, String) {
    ends(project, 0, &["run", file, "--until-blocked"]);
    let (run, state) = project
        .latest()
        .expect("the history can be read")
        .expect("there is a run");
    let gate = state.waiting().expect("it waits").opened.gate.to_string();
    (run.to_string(), gate)
}

fn refuse(project: &Project, file: &str, comment: &str) -> String {
    let (run, gate) = waits(project, file);
    ends(
        project,
        0,
        &[
            "answer",
            &run,
            &gate,
            "reject",
            "--by",
            "Ada Lund",
            "--comment",
            comment,
        ],
    );
    // Where the refusal ends the run, to resume it is to ask again.
    let (_, state) = project.latest().expect("the history can be read").expect("the run");
    if !state.status.ended() {
        say(project, &["resume", &run]);
    }
    run
}

#[test]
fn a_refusal_is_an_outcome_of_its_own_with_and_without_a_way_for_it() {
    for on_reject in ["on_reject: told", "intent: Signed by us."] {
        let flow = FLOW.replace("ON_REJECT", on_reject);
        let project = Project::new(&[("contract.yaml", &flow), ("gatehouse.yaml", AGENTS)]).expect("a project");
        let run = refuse(&project, "contract.yaml", "Not this quarter.");
        let words = "rejected by Ada Lund at “Sign the contract”: Not this quarter.";
        let status = ends(&project, 0, &["status", &run]);
        assert!(
            status.out.starts_with(&format!("Contract: {words}\n")),
            "{}",
            status.out
        );
        let line = |step: &str| {
            status
                .out
                .lines()
                .find(|line| line.contains(step))
                .unwrap_or_default()
                .to_owned()
        };
        assert!(
            line("Sign the contract  ").contains("rejected by Ada Lund"),
            "{}",
            status.out
        );
        assert!(line("  File").contains("not run"), "{}", status.out);
        assert!(!status.out.contains("not needed"), "{}", status.out);
        assert!(ends(&project, 0, &["list", "--refused"]).out.contains(words));
        let listed = json(&ends(&project, 0, &["list", "--json"]));
        let outcome = &listed[0]["outcome"];
        assert_eq!(
            (
                &listed[0]["status"],
                &outcome["kind"],
                &outcome["by"],
                &outcome["step"]["id"],
                &outcome["comment"]
            ),
            (
                &"refused".into(),
                &"refused".into(),
                &"Ada Lund".into(),
                &"sign".into(),
                &"Not this quarter.".into()
            )
        );
        ends(&project, 0, &["verify", &run]);
    }
}

#[test]
fn a_run_that_a_person_refuses_while_it_is_driven_ends_with_one() {
    let flow = FLOW.replace("ON_REJECT", "on_reject: told");
    let scenario = "name: refused\ngates:\n  sign: [{answer: reject, by: Ada Lund, comment: Too dear.}]\n";
    let files = [
        ("contract.yaml", flow.as_str()),
        ("no.yaml", scenario),
        ("gatehouse.yaml", AGENTS),
    ];
    let project = Project::new(&files).expect("a project");
    let said = ends(&project, 1, &["run", "contract.yaml", "--scenario", "no.yaml"]);
    assert!(
        said.out
            .contains("Run rejected by Ada Lund (by the script) at “Sign the contract”: Too dear."),
        "{}",
        said.out
    );
}

#[test]
fn a_permission_that_was_refused_never_ends_as_complete() {
    let text = "# Letters\n\n## {N} Each\n\n### {N}.1 Take the next\n\n```bash\nnode next.js\n```\n\n- PASS: GOTO NEXT {N}\n\
                - FAIL: COMPLETE \"Every customer has a letter.\"\n";
    let project = Project::new(&[("letters.runbook.md", text)]).expect("a project");
    let run = refuse(&project, "letters.runbook.md", "Not today.");
    let status = ends(&project, 0, &["status", &run]);
    assert!(
        status.out.contains("rejected by Ada Lund at “Take the next”"),
        "{}",
        status.out
    );
    assert!(!status.out.contains("Every customer has a letter"), "{}", status.out);
    assert!(ends(&project, 0, &["list", "--refused"]).out.contains(&run));
}

#[test]
fn a_graph_that_finds_no_way_asks_a_person_for_it() {
    let graph = r#"{"id": "graph", "title": "Graph", "nodes": [{"node_id": "build", "agents": ["maker"]}, {"node_id": "test", "agents": ["tester"]},
        {"node_id": "ship", "agents": ["maker"]}], "edges": [{"edge_id": "a", "from": "build", "to": "test"},
        {"edge_id": "b", "from": "test", "to": "ship", "condition": {"field": "verdict", "operator": "equals", "value": "good"}}]}"#;
    let project = Project::new(&[("a.graph.json", graph), ("gatehouse.yaml", AGENTS)]).expect("a project");
    // `--yes` approves; it chooses nothing.
    let said = ends(
        &project,
        0,
        &["run", "a.graph.json", "--until-blocked", "--yes", "--by", "Ada Lund"],
    );
    let (run, _) = project
        .latest()
        .expect("the history can be read")
        .expect("there is a run");
    let way = format!("gatehouse answer {run} graph:test:way choose --round 1 --way advance:ship");
    assert!(said.out.contains("Where shall it go on after “Test”?"), "{}", said.out);
    assert!(
        said.out.contains("choose") && said.out.contains("--way advance:ship"),
        "{way}: {}",
        said.out
    );
    let refused = project
        .gatehouse(&[
            "answer",
            run.as_str(),
            "test",
            "choose",
            "--way",
            "advance:moon",
            "--by",
            "Ada Lund",
        ])
        .expect("gatehouse is built");
    assert_eq!(refused.code, Some(3), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("advance:ship"), "{}", refused.err);
    ends(
        &project,
        0,
        &[
            "answer",
            run.as_str(),
            "test",
            "choose",
            "--way",
            "advance:ship",
            "--by",
            "Ada Lund",
        ],
    );
    ends(&project, 0, &["resume", run.as_str()]);
    let listed = json(&ends(&project, 0, &["list", "--json"]));
    assert_eq!(listed[0]["status"], "done");
    let decided = project.text(format!(".gatehouse/runs/{run}/events.jsonl"));
    let sources: Vec<Value> = decided
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|event| event["kind"] == "route_decision")
        .map(|event| event["payload"]["routing_source"].clone())
        .collect();
    assert_eq!(sources[1], "escalate", "{sources:?}");
    ends(&project, 0, &["verify", run.as_str()]);
}

const OUTER: &str = "name: Month end\nstages:\n  - {name: sign, workflow: contract.yaml}\n  \
    - {name: announce, run: \"echo announced > announced.txt\", depends_on: [sign]}\n";

/// A workflow with a gate, and a pipeline around it.
fn family(on_reject: &str, outer: &str) -> Project {
    let flow = FLOW.replace("ON_REJECT", on_reject);
    let files = [
        ("contract.yaml", flow.as_str()),
        ("outer.yaml", outer),
        ("gatehouse.yaml", AGENTS),
    ];
    Project::new(&files).expect("a project")
}

/// A pipeline around a workflow that waits; the run outside and the run inside.
fn waits_inside(project: &Project) -> (String, String, String) {
    let said = ends(project, 0, &["run", "outer.yaml", "--until-blocked", "--json"]);
    let last: Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (
        text(&last["run_id"]),
        text(&last["waiting"]["run_id"]),
        text(&last["waiting"]["gate"]),
    )
}

#[test]
fn a_refusal_inside_is_no_success_outside() {
    // With a way for the refusal the run inside comes to its end all the same.
    for on_reject in ["on_reject: told", "intent: Signed by us."] {
        // Neither are there retries for it, nor does another stage begin after it.
        let outer = OUTER.replace("workflow: contract.yaml", "workflow: contract.yaml, retries: 1");
        let project = family(on_reject, &format!("error_handling: skip_dependents\n{outer}"));
        let (outer, inner, gate) = waits_inside(&project);
        let comment = ["--comment", "Not this quarter."];
        ends(
            &project,
            0,
            &[
                "answer", &inner, &gate, "reject", "--by", "Ada Lund", comment[0], comment[1],
            ],
        );
        ends(&project, 1, &["resume", &outer]);
        assert!(
            !project.root.join("announced.txt").exists(),
            "what waits for it did not run"
        );
        let status = json(&ends(&project, 0, &["status", &outer, "--json"]));
        assert_eq!(status["status"], "refused", "{status}");
        let listed = ends(&project, 0, &["list", "--refused"]).out;
        assert!(
            listed.contains(&outer)
                && listed.contains("rejected by Ada Lund at “sign” (in a run inside it): Not this quarter."),
            "{listed}"
        );
        let shown = ends(&project, 0, &["report", &outer, "-o", "report.html"]);
        drop(shown);
        let report = project.text("report.html");
        assert!(
            report.contains("Ada Lund refused “") && report.contains("Not this quarter."),
            "the run outside names who refused and why"
        );
        let run: Value =
            serde_json::from_str(&project.text(format!(".gatehouse/runs/{inner}/run.json"))).expect("JSON");
        let meta: Value =
            serde_json::from_str(&project.text(format!(".gatehouse/runs/{inner}/meta.json"))).expect("JSON");
        assert_eq!(
            (&run["status"], &run["outcome"], &meta["status"], &meta["sdlc_status"]),
            (&"failed".into(), &"refused".into(), &"failed".into(), &"error".into()),
            "no reader takes the refusal for a success"
        );
        assert!(
            run["error"]
                .as_str()
                .is_some_and(|why| why.contains("Not this quarter.")),
            "{run}"
        );
    }
}

/// However deep it was said, and whatever else goes wrong in the runs around it: nobody is asked again, and it is told where it was said.
#[test]
fn a_refusal_two_runs_down_is_kept_and_told_where_it_was_said() {
    let agents = format!("{AGENTS}  bad: {{engine: shell, run: \"false\"}}\n");
    let outer = "name: Outer\nstages:\n  - {name: middle, workflow: middle.yaml, retries: 1}\n";
    let middle = |file: &str| {
        format!(
            "name: Middle\nerror_handling: skip_dependents\nstages:\n  - {{name: inner, workflow: {file}}}\n  - {{name: other, agent: bad}}\n"
        )
    };
    let flow = FLOW.replace("ON_REJECT", "intent: Signed by us.");
    let fetch = "# Fetch\n\n## 1 Fetch it\n\n```bash\nnode fetch.js\n```\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let said = [
        ("contract.yaml", "Sign the contract"),
        // What was not permitted is a failure, beside which another one stands.
        ("fetch.runbook.md", "Fetch it"),
    ];
    for (file, step) in said {
        let project = Project::new(&[
            ("contract.yaml", &flow),
            ("fetch.runbook.md", fetch),
            ("middle.yaml", &middle(file)),
            ("outer.yaml", outer),
            ("gatehouse.yaml", &agents),
        ])
        .expect("a project");
        let (outer, inner, gate) = waits_inside(&project);
        let (by, comment) = (["--by", "Ada Lund"], ["--comment", "Not this quarter."]);
        let answer = ["answer", inner.as_str(), gate.as_str(), "reject"];
        ends(&project, 0, &[&answer[..], &by, &comment].concat());
        ends(&project, 1, &["resume", &outer, "--until-blocked"]);
        let open = json(&ends(&project, 0, &["list", "--open", "--json"]));
        assert_eq!(open, Value::Array(Vec::new()), "nobody is asked again");
        let status = json(&ends(&project, 0, &["status", &outer, "--json"]));
        assert_eq!(status["status"], "refused", "{status}");
        // In the error of a failure a file's name stands as it was recorded.
        let error = status["error"].as_str().unwrap_or_default().replace('`', "");
        assert!(error.contains(&format!("In {file} Ada Lund refused “")), "{error}");
        assert!(error.contains(&format!("” at “{step}”: Not this quarter.")), "{error}");
    }
}

/// Why a run two runs down did not begin is told by the one that a person started.
#[test]
fn the_reason_of_a_run_inside_is_told_outside() {
    let id = "PIPE-20260112-deep-090000";
    let deep = format!("pipelines/{id}.yaml");
    for policy in ["halt", "skip_dependents"] {
        let files = [
            (
                deep.as_str(),
                format!("pipeline_id: {id}\nname: Deep\nstages:\n  - {{name: a, agent: maker}}\n"),
            ),
            (
                "middle.yaml",
                format!("name: Middle\nerror_handling: {policy}\nstages:\n  - {{name: deep, workflow: {deep}}}\n"),
            ),
            (
                "outer.yaml",
                format!(
                    "name: Outer\nerror_handling: {policy}\nstages:\n  - {{name: middle, workflow: middle.yaml}}\n"
                ),
            ),
            ("gatehouse.yaml", AGENTS.to_owned()),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let project = Project::new(&files).expect("a project");
        ends(&project, 0, &["pipeline", "run", id]);
        ends(&project, 1, &["run", "outer.yaml"]);
        let listed = json(&ends(&project, 0, &["list", "--json"]));
        let rows = listed.as_array().expect("a list").iter();
        let outer = rows
            .clone()
            .find(|row| row["workflow_title"] == "Outer")
            .expect("the run");
        let error = outer["error"].as_str().unwrap_or_default();
        assert!(error.contains("it is a pipeline that has a run already"), "{outer}");
        let status = ends(&project, 0, &["status", outer["run_id"].as_str().expect("an id")]);
        assert!(status.out.contains("has a run already"), "{}", status.out);
    }
}

/// What asks people inside is settled when the run around it is created; a workflow that was changed since is carried out, and that is told.
#[test]
fn what_was_changed_while_a_run_waited_is_told_and_takes_no_gate_away() {
    let outer = "name: Month end\nstages:\n  - {name: plan, agents: [maker], human_gate: required}\n  \
        - {name: sign, workflow: contract.yaml, depends_on: [plan]}\n";
    let changed = "contract.yaml was changed after this run had started; “sign” ran the changed version.";
    for is_changed in [false, true] {
        let project = family("intent: Signed by us.", outer);
        let (run, gate) = waits(&project, "outer.yaml");
        let settings = format!("{AGENTS}hitl: {{mode: advisory}}\n");
        project.write(&[("gatehouse.yaml", &settings)]).expect("written");
        if is_changed {
            let other = project
                .text("contract.yaml")
                .replace("Sign the contract", "Sign the lease");
            project.write(&[("contract.yaml", &other)]).expect("written");
        }
        ends(&project, 0, &["answer", &run, &gate, "approve", "--by", "Ada Lund"]);
        ends(&project, 0, &["resume", &run, "--until-blocked"]);
        let open = json(&ends(&project, 0, &["list", "--open", "--json"]));
        let waiting = open
            .as_array()
            .expect("a list")
            .iter()
            .find(|row| row["run_id"] != run.as_str());
        assert!(waiting.is_some(), "the run inside asks: {open}");
        let status = ends(&project, 0, &["status", &run]).out;
        assert_eq!(status.contains(changed), is_changed, "{status}");
        ends(&project, 0, &["report", &run, "-o", "report.html"]);
        assert_eq!(project.text("report.html").contains(changed), is_changed);
        ends(&project, 0, &["verify", &run]);
    }
}

#[test]
fn ending_a_run_ends_the_runs_inside_it() {
    let project = family("intent: Signed by us.", OUTER);
    let (outer, inner, gate) = waits_inside(&project);
    ends(&project, 0, &["abort", &outer, "--reason", "wrong month"]);
    assert_eq!(
        json(&ends(&project, 0, &["list", "--open", "--json"])),
        Value::Array(Vec::new()),
        "nothing of it waits any more"
    );
    let late = ends(&project, 3, &["answer", &inner, &gate, "approve", "--by", "Ada Lund"]);
    assert!(late.err.contains("ended") || late.err.contains("over"), "{}", late.err);
    let status = ends(&project, 0, &["status", &inner]);
    assert!(status.out.contains("wrong month"), "{}", status.out);
}

#[test]
fn an_abort_ends_the_program_that_a_dead_driver_has_left() {
    let agents =
        "version: 1\nagents:\n  payer: {engine: shell, run: \"echo $$ > pid; sleep 600; echo paid > paid.txt\"}\n";
    let flow = "id: pay\nname: Pay\nsteps:\n  - {id: pay, agents: [payer], routing: {kind: linear}}\n";
    let project = Project::new(&[("pay.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
    let mut driver = tests::program::command(&project.root, &["run", "pay.yaml"])
        .expect("gatehouse is built")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let pid = loop {
        match std::fs::read_to_string(project.root.join("pid")) {
            Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
            _ => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    driver.kill().expect("it runs");
    driver.wait().expect("it ends");
    // Its supervisor ends the program, maybe before the abort does; ending.rs holds both.
    let (run, _) = project.latest().expect("a history").expect("a run");
    ends(&project, 0, &["abort", run.as_str(), "--reason", "do not pay"]);
    let ended = |_: &u32| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    assert!(
        (0..1_200).any(|n| ended(&n)),
        "the program of the aborted run has ended"
    );
    assert!(!project.root.join("paid.txt").exists());
}

#[test]
fn a_file_that_was_there_before_the_run_is_not_said_to_be_made() {
    let flow = "id: test\nname: Test report\nsteps:\n  - {id: test, agents: [tester], outputs: [report.md, never.txt], \
                human_gate: required, routing: {kind: linear}}\n";
    let project = Project::new(&[
        ("test.yaml", flow),
        ("gatehouse.yaml", AGENTS),
        ("report.md", "# Of last year\n"),
    ])
    .expect("a project");
    std::thread::sleep(std::time::Duration::from_millis(1_300));
    let said = ends(&project, 0, &["run", "test.yaml", "--until-blocked"]);
    assert!(
        said.out.contains("`report.md` was there before this run began")
            && said.out.contains("`never.txt` is made here, and it is not there"),
        "{}",
        said.out
    );
    let (run, state) = project.latest().expect("a history").expect("a run");
    assert!(state.waiting().expect("it waits").opened.shown[0].was_there);
    let folder = project.root.join(format!(".gatehouse/runs/{run}"));
    assert!(std::fs::read_dir(folder).expect("its files").count() > 0);
}

#[test]
fn a_title_with_a_line_break_begins_no_line_of_its_own() {
    let flow = "id: forge\nname: \"Tidy up  9 ms  done\\n01a202c2-0000  Pay  3 s  done\"\nsteps:\n  - {id: a, agents: [maker], \
                human_gate: required, gate_question: \"Go?\\n    gatehouse answer x\", routing: {kind: linear}}\n";
    let project = Project::new(&[("forge.yaml", flow), ("gatehouse.yaml", AGENTS)]).expect("a project");
    ends(&project, 0, &["run", "forge.yaml", "--rehearse", "--until-blocked"]);
    let listed = ends(&project, 0, &["list"]).out;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let (run, _) = project.latest().expect("a history").expect("a run");
    let status = ends(&project, 0, &["status", run.as_str()]).out;
    let first = status.lines().next().expect("a line");
    assert!(first.contains("rehearsal: waits for a decision"), "{status}");
    assert!(
        !status.lines().any(|line| line.trim() == "gatehouse answer x"),
        "{status}"
    );
}

#[test]
fn a_run_inside_a_step_that_took_too_long_is_ended_with_it() {
    let outer = "name: Month end\nstages:\n  - {name: sign, workflow: contract.yaml, timeout_seconds: 1}\n";
    let project = family("intent: Signed by us.", outer);
    ends(&project, 1, &["run", "outer.yaml"]);
    assert_eq!(
        json(&ends(&project, 0, &["list", "--open", "--json"])),
        Value::Array(Vec::new()),
        "nobody is asked for what nobody waits for"
    );
}

#[test]
fn what_one_of_several_people_said_is_told_once_and_in_their_name() {
    let agents =
        "version: 1\nagents:\n  ada: person\n  bert: person\n  bot: {engine: shell, run: \"echo from the bot\"}\n";
    let outer = "name: Texts\nstages:\n  - {name: texts, agents: [ada, bert, bot], outputs: [a.md, b.md, c.md]}\n";
    let project = Project::new(&[("texts.yaml", outer), ("gatehouse.yaml", agents)]).expect("a project");
    let (run, gate) = waits(&project, "texts.yaml");
    let comment = "Paragraph 3 is fine.";
    ends(
        &project,
        0,
        &["answer", &run, &gate, "pass", "--by", "Ada Lund", "--comment", comment],
    );
    let resumed = ends(&project, 0, &["resume", &run]).out;
    let (_, state) = project.latest().expect("a history").expect("a run");
    let result = state.results().pop().expect("a result").1.clone();
    assert_eq!(result.output.matches(comment).count(), 1, "{}", result.output);
    assert!(
        result.output.contains(&format!("Ada Lund: {comment}")),
        "{}",
        result.output
    );
    // Bert did nothing: nobody says that he did.
    let parts: Vec<&str> = result.agents.iter().map(|one| one.agent.as_str()).collect();
    assert_eq!(parts, ["ada", "bot"]);
    let told = "ada or bert was asked, and Ada Lund did it; bot done in ";
    assert!(resumed.contains(told), "{resumed}");
    assert!(!resumed.contains("bert is done"), "{resumed}");
    // Nor does the session, which says who answered for whom at which visit.
    let session = project.text(format!(".gatehouse/runs/{run}/context_state.json"));
    let session: Value = serde_json::from_str(&session).expect("JSON");
    let agents = &session["agent_contexts"];
    let answer = serde_json::json!([{
        "step": "texts", "visit": 1, "attempt": 1, "asked": ["ada", "bert"], "answered_by": "Ada Lund",
    }]);
    for (agent, status, answers) in [
        ("ada", "completed", &answer),
        ("bert", "skipped", &answer),
        ("bot", "completed", &Value::Null),
    ] {
        assert_eq!(agents[agent]["status"], status, "{agent}: {agents}");
        assert_eq!(&agents[agent]["answers"], answers, "{agent}: {agents}");
    }
    assert_eq!(agents["bert"]["outputs"], serde_json::json!({}), "{agents}");
    assert_eq!(agents["bert"]["execution_start"], Value::Null, "{agents}");
    // The text of each agent keeps the name that the workflow gives it.
    let made: Vec<&str> = result.artifacts.iter().map(|a| a.path.as_str()).collect();
    let of = |name: &str| made.iter().find(|path| path.ends_with(name)).copied();
    assert!(of("/a.md").is_some() && of("/b.md").is_none(), "{made:?}");
    assert!(
        project
            .text(of("/c.md").expect("the bot's text"))
            .contains("from the bot")
    );
}

/// What is added to a folder while somebody is asked about its files was shown to nobody.
#[test]
fn a_file_that_is_added_while_a_question_waits_is_named_with_the_answer() {
    let agents = "version: 1\nagents:\n  w: {engine: shell, run: \"mkdir -p docs; echo first > docs/notes.md\"}\n";
    let flow = "key: notes\ntitle: Notes\nsteps:\n  - {id: draft, agents: [w], role: Drafts., outputs: [docs/], human_gate: required, routing: {kind: terminal}}\n";
    for is_added in [false, true] {
        let project = Project::new(&[("notes.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
        let (run, gate) = waits(&project, "notes.yaml");
        if is_added {
            project.write(&[("docs/more.md", "more")]).expect("written");
        }
        let said = ends(&project, 0, &["answer", &run, &gate, "approve", "--by", "Ada"]);
        let told = "docs/more.md was added after it was asked";
        assert_eq!(said.err.contains(told), is_added, "{}", said.err);
    }
}

/// What lies beside what was approved is none of it, and whoever checks the record is told so; the record is whole.
#[test]
fn a_file_that_is_added_after_an_approval_is_named_where_the_record_is_checked() {
    let agents = "version: 1\nagents:\n  w: {engine: shell, run: \"mkdir -p docs; echo first > docs/notes.md\"}\n";
    let flow = "key: notes\ntitle: Notes\nsteps:\n  - {id: draft, agents: [w], role: Drafts., outputs: [docs/], human_gate: required, routing: {kind: terminal}}\n";
    let project = Project::new(&[("notes.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
    let (run, gate) = waits(&project, "notes.yaml");
    ends(&project, 0, &["answer", &run, &gate, "approve", "--by", "Ada"]);
    let told = "Beside what Ada approved at “Draft” 1 file lies that was not shown and that no step of this run made: docs/more.md.";
    for is_added in [false, true] {
        if is_added {
            project.write(&[("docs/more.md", "more")]).expect("written");
        }
        let said = ends(&project, 0, &["verify", &run]);
        assert!(said.out.starts_with("Unaltered"), "{}", said.out);
        assert_eq!(said.out.contains(told), is_added, "{}", said.out);
    }
}

/// Whoever approves beforehand is not waited for; what only a person can do still is.
#[test]
fn what_is_approved_beforehand_blocks_no_run() {
    let flow = FLOW.replace("ON_REJECT, ", "");
    let files = [("gatehouse.yaml", AGENTS), ("contract.yaml", flow.as_str())];
    let project = Project::new(&files).expect("a project");
    let approved = ["--until-blocked", "--yes", "--by", "Ada"];
    ends(&project, 0, &[&["run", "contract.yaml"], &approved[..]].concat());
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.status.ended(), "{:?}", state.status);
    let (run, _) = waits(&project, "contract.yaml");
    ends(&project, 0, &[&["resume", &run], &approved[..]].concat());
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.status.ended(), "{:?}", state.status);
}

/// Letters of another case make no other field and no other answer; what they were taken as is said.
#[test]
fn what_is_typed_in_other_letters_is_taken_as_the_workflow_writes_it() {
    let flow = "key: hits\ntitle: Hits\nsteps:\n  - {id: decide, agents: [ann], role: Decide., routing: {kind: branch, branch_field: verdict, branches: {approved: yes_way, rejected: no_way}}}\n  \
        - {id: yes_way, agents: [b], role: X., routing: {kind: terminal}}\n  - {id: no_way, agents: [b], role: Y., routing: {kind: terminal}}\n";
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo done\"}\n  ann: {engine: person}\n";
    let project = Project::new(&[("hits.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
    let (run, gate) = waits(&project, "hits.yaml");
    let report = ["--report", "Verdict=APPROVED"];
    let said = ends(
        &project,
        0,
        &[&["answer", &run, &gate, "pass", "--by", "Ann"], &report[..]].concat(),
    );
    for told in ["“Verdict” is taken as “verdict”", "“APPROVED” is taken as “approved”"] {
        assert!(said.err.contains(told), "{}", said.err);
    }
    ends(&project, 0, &["resume", &run]);
    let status = ends(&project, 0, &["status", &run]).out;
    let done: Vec<&str> = status.lines().filter(|line| line.starts_with('✓')).collect();
    assert!(done.len() == 2 && done[1].contains("Yes way"), "{status}");
}

/// Who does a step reports what its expressions read, and a number as it is compared: signed as text it would lead where nobody wanted to go.
#[test]
fn what_a_condition_compares_is_asked_for_and_a_number_is_one() {
    let flow = "key: paint\ntitle: Paint\nsteps:\n  - id: measure\n    agents: [ann]\n    role: Measure.\n    routing:\n      kind: branch\n      when:\n        \
        - {condition: {field: viscosity, operator: gt, value: 5.5}, next: ship}\n        - {condition: \"viscosity < 2 && colour == 'red'\", next: mix}\n      default: wet\n  \
        - {id: ship, agents: [b], role: S., routing: {kind: terminal}}\n  - {id: mix, agents: [b], role: M., routing: {kind: terminal}}\n  - {id: wet, agents: [b], role: W., routing: {kind: terminal}}\n";
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo done\"}\n  ann: {engine: person}\n";
    let project = Project::new(&[("paint.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
    let answer = |run: &str, gate: &str, code: i32, values: &[&str]| {
        let reports = values.iter().flat_map(|value| ["--report", *value]);
        let mut all = vec!["answer", run, gate, "pass", "--by", "Ann"];
        all.extend(reports);
        ends(&project, code, &all)
    };
    let done = |run: &str| {
        ends(&project, 0, &["resume", run]);
        let status = ends(&project, 0, &["status", run]).out;
        let done = status.lines().rfind(|line| line.starts_with('✓'));
        done.unwrap_or_default().to_owned()
    };
    let waited = ends(&project, 0, &["run", "paint.yaml", "--until-blocked"]);
    for field in ["viscosity=VALUE", "colour=VALUE"] {
        let said = format!("{}{}", waited.out, waited.err);
        assert!(said.contains(field), "{said}");
    }
    let (run, gate) = waits(&project, "paint.yaml");
    for (viscosity, why) in [
        ("viscosity=6,2", "`6,2` is written 6.2 here"),
        ("viscosity=6.200", "can be read as 6200 and as 6.2"),
        ("viscosity=thick", "“viscosity” is answered with a number"),
    ] {
        let said = answer(&run, &gate, 3, &[viscosity, "colour=red"]);
        assert!(said.err.contains(why), "{}", said.err);
    }
    answer(&run, &gate, 0, &["viscosity=6.2", "colour=red"]);
    assert!(done(&run).contains("Ship"));
    let (run, gate) = waits(&project, "paint.yaml");
    answer(&run, &gate, 0, &["viscosity=1.5", "colour=red"]);
    assert!(done(&run).contains("Mix"));
}

/// Of a person, and of a file, `false` is one answer; what no branch names is told before it is too late to wonder.
#[test]
fn one_answer_means_one_thing_wherever_it_is_given() {
    let flow = "key: hits\ntitle: Hits\nsteps:\n  - {id: decide, agents: [ann], role: Decide., routing: {kind: branch, branch_field: hit, branches: {BRANCHES}}}\n  \
        - {id: yes_way, agents: [b], role: X., routing: {kind: terminal}}\n  - {id: no_way, agents: [b], role: Y., routing: {kind: terminal}}\n";
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo done\"}\n  ann: {engine: person}\n";
    for branches in [
        "\"true\": yes_way, \"false\": no_way",
        "true: yes_way, false: no_way",
        "\"True\": yes_way, \"False\": no_way",
    ] {
        let flow = flow.replace("BRANCHES", branches);
        let project = Project::new(&[("hits.yaml", &flow), ("gatehouse.yaml", agents)]).expect("a project");
        let answered = |value: &str| {
            let (run, gate) = waits(&project, "hits.yaml");
            let report = format!("hit={value}");
            let said = ends(
                &project,
                0,
                &["answer", &run, &gate, "pass", "--by", "Ann", "--report", &report],
            );
            ends(&project, 0, &["resume", &run]);
            (said, ends(&project, 0, &["status", &run]).out)
        };
        let (said, status) = answered("false");
        assert!(!said.err.contains("does not name"), "{branches}: {}", said.err);
        let done: Vec<&str> = status.lines().filter(|line| line.starts_with('✓')).collect();
        assert!(done.len() == 2 && done[1].contains("No way"), "{branches}: {status}");
        let (said, status) = answered("maybe");
        assert!(
            said.err
                .contains("The workflow does not name “maybe” as hit; it names “"),
            "{branches}: {}",
            said.err
        );
        let remark =
            "remark: No branch of “Decide” matched what was reported (hit was maybe) and none is given for that case";
        assert!(status.contains(remark), "{branches}: {status}");
        let list = ends(&project, 0, &["list"]).out;
        assert!(
            list.contains("done; no branch of “Decide” matched"),
            "{branches}: {list}"
        );
    }
}

#[test]
fn how_long_people_were_waited_for_is_told_with_how_long_a_run_took() {
    let flow =
        "id: contract\nname: Contract\nsteps:\n  - {id: sign, name: Sign, agents: [maker], human_gate: required}\n";
    let project = Project::new(&[("gatehouse.yaml", AGENTS), ("contract.yaml", flow)]).expect("a project");
    let (run, gate) = waits(&project, "contract.yaml");
    std::thread::sleep(std::time::Duration::from_millis(1200));
    ends(&project, 0, &["answer", &run, &gate, "approve", "--by", "Ada Lund"]);
    let (_, state) = project.latest().expect("the history can be read").expect("the run");
    if !state.status.ended() {
        ends(&project, 0, &["resume", &run]);
    }
    let status = ends(&project, 0, &["status", &run]).out;
    let took = status
        .lines()
        .find(|line| line.starts_with("took "))
        .unwrap_or_default();
    assert!(took.ends_with(" of it waiting for people"), "{status}");
    ends(&project, 0, &["report", &run, "-o", "run.html"]);
    assert!(
        project.text("run.html").contains(" of it waiting for people"),
        "the report says it too"
    );
}

/// Of a run inside the run around it is at work only as that is: that somebody was asked there is no work of anybody.
#[test]
fn how_long_people_were_waited_for_inside_is_told_of_the_run_around() {
    let outer = "# Outer\n\n## 1 All of it\n\n- inner.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n";
    let inner = "# Inner\n\n## 1 Look at it\n\nIs it fine?\n\n- YES: COMPLETE\n- NO: STOP\n";
    let project = Project::new(&[("outer.runbook.md", outer), ("inner.runbook.md", inner)]).expect("a project");
    let said = ends(&project, 0, &["run", "outer.runbook.md", "--until-blocked"]);
    let said = format!("{}{}", said.out, said.err);
    let run = said.lines().find_map(|line| line.strip_prefix("run ")).expect("its id");
    let inside = said.split("a run inside this one (").nth(1).expect("a run inside");
    let inside = inside.split(')').next().expect("its id");
    std::thread::sleep(std::time::Duration::from_millis(1200));
    ends(&project, 0, &["answer", inside, "1", "yes", "--by", "Ada Lund"]);
    ends(&project, 0, &["resume", run]);
    let status = ends(&project, 0, &["status", run]).out;
    let took = status
        .lines()
        .find(|line| line.starts_with("took "))
        .unwrap_or_default();
    assert!(took.ends_with(" of it waiting for people"), "{status}");
    ends(&project, 0, &["report", run, "-o", "run.html"]);
    let report = project.text("run.html");
    assert!(report.contains(" of it waiting for people"), "the report says it too");
}

/// However much follows a loop that ended without what was to be reported, lists and reports say it as the run's own page does.
#[test]
fn a_loop_that_was_used_up_is_told_also_where_more_steps_follow() {
    let flow = "key: shape\ntitle: Shape\nsteps:\n  - {id: write, agents: [writer]}\n  - {id: judge, agents: [critic], routing: {kind: microloop, \
        loop_target: write, max_iterations: 1, loop_condition_field: status, loop_success_values: [VERIFIED], next: print}}\n  \
        - {id: print, agents: [writer]}\n  - {id: send, agents: [writer]}\n";
    let agents = "version: 1\nagents:\n  writer: {engine: shell, run: \"true\"}\n  \
        critic: {engine: shell, run: 'cp verdict.json \"$GATEHOUSE_REPORT\"'}\n";
    let verdict = |status: &str| format!("{{\"status\": \"{status}\"}}\n");
    let (unmet, met) = (verdict("UNVERIFIED"), verdict("VERIFIED"));
    let files = [
        ("shape.yaml", flow),
        ("gatehouse.yaml", agents),
        ("verdict.json", unmet.as_str()),
    ];
    let project = Project::new(&files).expect("a project");
    ends(&project, 0, &["run", "shape.yaml"]);
    let list = ends(&project, 0, &["list"]).out;
    let said = "done; the loop at “Judge” ended without its condition";
    assert!(list.contains(said), "{list}");
    let run = project.latest().expect("readable").expect("a run").0.to_string();
    let remark = "The loop at “Judge” is used up (1 time back, the most it may go): the last status was UNVERIFIED.";
    assert!(ends(&project, 0, &["status", &run]).out.contains(remark));
    ends(&project, 0, &["report", &run, "--output", "report.html"]);
    assert!(project.text("report.html").contains(remark));

    project.write(&[("verdict.json", met.as_str())]).expect("written");
    ends(&project, 0, &["run", "shape.yaml"]);
    let list = ends(&project, 0, &["list"]).out;
    let first = list.lines().next().expect("a run");
    assert!(!first.contains("ended without"), "{list}");
}
