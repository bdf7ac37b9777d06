//! Detours with real agents: another workflow put in, a detour that leads on, and the navigator that takes one and is asked again
//! (CONTRACTS "Stepwise", `navigator:detour`).

use crate::harness::{Project, ended, path};
use engine::RouteSource;

/// It reports what the file of its step and visit says, where there is one.
const WORKER: &str = r#"n=$(cat "$GATEHOUSE_STEP.n" 2>/dev/null || echo 0); echo $((n+1)) > "$GATEHOUSE_STEP.n"; if [ -e "$GATEHOUSE_STEP.$n" ]; then cp "$GATEHOUSE_STEP.$n" "$GATEHOUSE_REPORT"; fi; echo done"#;

fn project(more: &str) -> Project {
    let quoted = serde_json::to_string(WORKER).expect("text");
    Project::new(&format!("agents:\n  \"*\": {{engine: shell, run: {quoted}}}\n{more}"))
}

fn put(project: &Project, name: &str, text: &str) {
    std::fs::write(project.root.join(name), text).expect("a file");
}

const FLOW: &str = "key: main\nsteps:\n  - {id: work, agents: [w], role: r}\n  - {id: done, agents: [w], role: r}\n";

#[tokio::test]
async fn another_workflow_is_put_in_and_the_step_done_again() {
    let project = project("");
    put(
        &project,
        "reset.yaml",
        "key: reset\nsteps:\n  - {id: clean, agents: [w], role: r}\n",
    );
    put(&project, "work.0", r#"{"tests_failed": 2}"#);
    let flow = format!(
        "{FLOW}detours:\n  - {{id: reset, after: [work], flow: reset.yaml, return: resume, \
         condition: {{field: tests_failed, operator: gt, value: 0}}}}\n"
    );
    let state = project.whole(&flow, None).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "work reset@work work done"),
        "{:?}",
        state.error
    );
    assert!(project.root.join("clean.n").exists(), "its step was carried out");
}

#[tokio::test]
async fn a_navigator_takes_what_is_offered_and_is_asked_for_the_way_on() {
    let pilot = r#"python3 -c 'import json,os; b=json.load(open(os.environ["GATEHOUSE_BRIEF"])); ids=[w["id"] for w in b["ways"]]; open("asked","a").write(",".join(ids)+"\n"); open(os.environ["GATEHOUSE_REPORT"],"w").write(json.dumps({"way": next((i for i in ids if i.startswith("detour:")), ids[-1]), "reasons": "to be sure"}))'"#;
    let quoted = serde_json::to_string(pilot).expect("text");
    let project = project(&format!(
        "  pilot: {{engine: shell, run: {quoted}}}\nrouting: {{mode: authoritative, navigator: pilot}}\n"
    ));
    put(&project, "work.0", r#"{"status": "PARTIAL"}"#);
    let flow = format!("{FLOW}detours:\n  - {{after: [work], station: scanner, return: advance}}\n");
    let state = project.whole(&flow, None).await;
    assert_eq!(
        (ended(&state), path(&state).as_str()),
        ("succeeded", "work scanner@work done"),
        "{:?}",
        state.error
    );
    let sources: Vec<RouteSource> = state.routes.iter().map(|route| route.source).collect();
    assert_eq!(sources[0], RouteSource::NavigatorDetour);
    assert_eq!(
        sources[2],
        RouteSource::Navigator,
        "asked again when the detour had led back"
    );
    let asked = std::fs::read_to_string(project.root.join("asked")).expect("it was asked");
    let asked: Vec<&str> = asked.lines().collect();
    assert_eq!(
        asked,
        ["repeat:work,advance:done,detour:scanner", "repeat:work,advance:done"]
    );
}

#[tokio::test]
async fn a_detour_is_ended_when_its_time_is_over_whatever_its_steps_may() {
    let project = Project::new(
        "agents:\n  slow: {engine: shell, run: \"sleep 60\"}\n  \"*\": {engine: shell, run: \"echo done\"}\n",
    );
    let flow = format!(
        "{FLOW}detours:\n  - {{id: look, after: [work], condition: {{field: status, operator: exists}}, max_duration_seconds: 1, \
         steps: [{{id: look, agent: slow, timeout_seconds: 50, retries: {{max: 5}}}}, {{id: tell, agent: w}}]}}\n"
    );
    let begun = std::time::Instant::now();
    let state = project.whole(&flow, None).await;
    assert!(begun.elapsed().as_secs() < 50, "{:?}", begun.elapsed());
    assert_eq!((ended(&state), path(&state).as_str()), ("failed", "work look@work"));
    let error = state.error.unwrap_or_default();
    assert!(error.starts_with("The detour “Look” has used up its 1 s: "), "{error}");
}
