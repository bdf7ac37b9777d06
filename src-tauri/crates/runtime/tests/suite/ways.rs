//! Choosing the way on, with real agents: a navigator, a signal of the step's own, a person (CONTRACTS "Stepwise").

use crate::harness::{Project, ended, path, within};
use engine::{Answer, Decision, Intent, Purpose, RouteSource, RunId, RunStatus};
use runtime::{Control, End};
use std::sync::Arc;

fn flow(report: &str) -> String {
    format!(
        "version: 1\nid: triage\nsteps:\n\
         - id: look\n  station: worker\n  objective: '{report}'\n  routing:\n    kind: branch\n    when:\n\
         \x20   - {{condition: {{field: verdict, operator: equals, value: broken}}, next: fix}}\n\
         \x20   - {{condition: {{field: verdict, operator: equals, value: fine}}, next: publish}}\n\
         - {{id: fix, station: worker, objective: '{{}}', routing: {{kind: linear, next: publish}}}}\n\
         - {{id: publish, station: worker, objective: '{{}}', routing: {{kind: terminal}}}}\n"
    )
}

/// The worker reports what its step's objective says; the navigator runs `pilot`.
fn project(pilot: &str, mode: &str) -> Project {
    let worker = r#"python3 -c 'import json,sys,os; b=json.load(open(os.environ["GATEHOUSE_BRIEF"])); open(os.environ["GATEHOUSE_REPORT"],"w").write(b["step"]["intent"] or "{}")'"#;
    let quoted = |text: &str| serde_json::to_string(text).expect("text");
    Project::new(&format!(
        "agents:\n  worker: {{engine: shell, run: {}}}\n  pilot: {{engine: shell, run: {}}}\nrouting: {{mode: {mode}, navigator: pilot}}\n",
        quoted(worker),
        quoted(pilot)
    ))
}

fn choose(project: &Project, run: &RunId, way: &str) {
    let opened = project.state(run).waiting().expect("it waits").opened.clone();
    let decision = Decision {
        gate: opened.gate.clone(),
        round: opened.round,
        answer: Answer::Choose,
        by: "Ann".into(),
        comment: String::new(),
        seen: vec![],
        undrawn: Vec::new(),
        via: "test".into(),
        lasting: None,
        way: Some(way.to_owned()),
        report: Default::default(),
        key_name: None,
        signature: None,
    };
    project
        .say(run, Intent::Answer(Arc::new(decision)))
        .expect("it is offered");
}

#[tokio::test]
async fn a_navigator_is_told_the_ways_and_what_came_of_the_step() {
    let pilot = r#"python3 -c 'import json,os; b=json.load(open(os.environ["GATEHOUSE_BRIEF"])); assert b["previous"]["look"]["report"]["verdict"]=="odd"; assert "Choose one of these ways" in b["prompt"]; open(os.environ["GATEHOUSE_REPORT"],"w").write(json.dumps({"way": b["ways"][1]["id"], "reasons": "of "+str(len(b["ways"]))}))'"#;
    let project = project(pilot, "assist");
    let state = project.whole(&flow(r#"{"verdict": "odd"}"#), None).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "look fix publish"),
        "{:?}",
        state.error
    );
    let route = state.routes.front().expect("a route");
    assert_eq!(route.source, RouteSource::Navigator);
    assert_eq!(route.looked_at["navigator"], "of 4");
    let navigation = state.visits()[0].navigation.as_ref().expect("it was asked");
    let (said, _) = navigation.said.as_ref().expect("it answered");
    let kept = said.brief.as_ref().expect("a brief");
    let brief = project.store.blob(kept).expect("it is kept");
    assert!(String::from_utf8_lossy(&brief).contains("\"ways\""));
    let transcript = said.transcript.as_ref().expect("a transcript");
    assert!(!project.store.blob(transcript).expect("it is kept").is_empty());
}

#[tokio::test]
async fn where_a_navigator_fails_or_names_what_is_not_offered_a_person_chooses() {
    for pilot in [
        "exit 3",
        r#"printf '{"way": "advance:moon"}' > "$GATEHOUSE_REPORT""#,
        "true",
    ] {
        let project = project(pilot, "assist");
        let run = project.start(&flow(r#"{"verdict": "odd"}"#), None);
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the question", |s| s.status == RunStatus::Blocked)
            .await;
        let state = project.state(&run);
        let waiting = state.waiting().expect("it waits");
        assert!(matches!(waiting.opened.purpose, Purpose::Way { .. }), "{pilot}");
        choose(&project, &run, "advance:publish");
        let (end, state) = within(20, driving).await.expect("no panic").expect("driven");
        assert_eq!((end, path(&state).as_str()), (End::Ended, "look publish"), "{pilot}");
        assert_eq!(state.routes.front().expect("a route").source, RouteSource::Escalate);
        let navigation = state.visits()[0].navigation.as_ref().expect("it was asked");
        assert!(
            navigation.said.as_ref().expect("it answered").0.refused.is_some(),
            "{pilot}"
        );
    }
}

#[tokio::test]
async fn a_navigator_that_was_cut_off_is_asked_again() {
    let pilot =
        r#"echo x >> asked.txt; test -f go && printf '{"way": "advance:fix"}' > "$GATEHOUSE_REPORT" || sleep 60"#;
    let project = project(pilot, "assist");
    let run = project.start(&flow(r#"{"verdict": "odd"}"#), None);
    let control = Control::default();
    let driving = project.driving(&run, Project::options(), &control);
    project
        .until(&run, "the navigator", |s| {
            s.visits().iter().any(|visit| visit.navigation.is_some())
        })
        .await;
    let began = std::time::Instant::now();
    while !project.root.join("asked.txt").exists() {
        assert!(began.elapsed().as_secs() < 60, "it begins");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    control.stop();
    let (end, _) = within(20, driving).await.expect("no panic").expect("let go");
    assert_eq!(end, End::Stopped);
    std::fs::write(project.root.join("go"), "").expect("written");
    let state = project.drive(&run).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "look fix publish")
    );
}

#[tokio::test]
async fn nobody_navigates_in_a_rehearsal_but_the_script() {
    let project = project("touch ran; exit 1", "assist");
    let script =
        "steps: {look: [{report: {verdict: odd}}]}\nnavigator: {look: [{way: 'advance:fix', reasons: cheap}]}\n";
    let state = project.whole(&flow("{}"), Some(script)).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "look fix publish")
    );
    let script =
        "steps: {look: [{report: {verdict: odd}}]}\ngates: {look: [{answer: choose, way: 'advance:publish'}]}\n";
    let state = project.whole(&flow("{}"), Some(script)).await;
    assert_eq!((ended(&state), path(&state).as_str()), ("succeeded", "look publish"));
    assert!(!project.root.join("ran").exists(), "nothing is executed");
}
