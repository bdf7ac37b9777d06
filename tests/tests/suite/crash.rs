//! A run is killed at every event boundary, resumed with the program a person would use, and ends as if nothing happened.

use engine::{Event, RunId, RunState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tests::killed::{self, Kill, Next};
use tests::project::Project;

/// A loop that turns once, a step that fails at first, a gate and a step behind it.
const FLOW: &str = "\
key: note
title: A note with a critic
steps:
  - {id: draft, agents: [author], role: Writes the note., outputs: [note.md], routing: {kind: linear, next: critique}}
  - id: critique
    agents: [critic]
    role: Says whether it is good.
    routing: {kind: microloop, loop_target: draft, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 3, next: check}
  - id: check
    agents: [checker]
    role: Fails at the first attempt.
    retries: 1
    human_gate: required
    gate_question: May it be published?
    routing: {kind: linear, next: publish}
  - {id: publish, agents: [publisher], role: Publishes., outputs: [published.md], routing: {kind: linear}}
";

/// Every execution that comes to its end leaves a line in `done`.
const CONFIG: &str = r#"
agents:
  author: {engine: shell, run: 'echo "note, round $GATEHOUSE_VISIT" > note.md; echo "draft $GATEHOUSE_VISIT" >> done'}
  critic: {engine: command, run: [sh, critic.sh]}
  checker: {engine: shell, run: 'if [ ! -e tried ]; then touch tried; exit 1; fi; echo "check $GATEHOUSE_VISIT" >> done'}
  publisher: {engine: shell, run: 'cp note.md published.md; echo "publish $GATEHOUSE_VISIT" >> done'}
"#;

const CRITIC: &str = r#"
cat > /dev/null
if [ "$GATEHOUSE_VISIT" = 1 ]; then word=UNVERIFIED; else word=VERIFIED; fi
echo "critique $GATEHOUSE_VISIT" >> done
echo "{\"status\": \"$word\"}"
"#;

fn project() -> Project {
    Project::in_memory(&[("flow.yaml", FLOW), ("gatehouse.yaml", CONFIG), ("critic.sh", CRITIC)]).expect("a project")
}

/// Carries the run to its end as a person would: start it, answer its gate, go on. Returns the run and whether anything was killed.
fn carry_out(project: &Project, kill: Option<Kill>) -> (RunId, RunState, bool) {
    let first = ["run", "flow.yaml", "--until-blocked"];
    let ((run, state), killed) = killed::carry_out(project, &first, &[0], kill, || {
        let Some((run, state)) = project.latest().expect("the history can be read") else {
            return Next::Again; // killed before the run existed: it is started anew
        };
        match state.waiting() {
            _ if state.status.ended() => Next::Done((run, state)),
            Some(_) => Next::say(&["answer", run.as_str(), "check", "approve", "--by", "Ann"]),
            None => Next::say(&["resume", run.as_str(), "--until-blocked"]),
        }
    });
    (run, state, killed)
}

/// What must not differ: statuses, visits, results, artifacts, routes, answers. Times and attempt numbers may.
fn essence(state: &RunState) -> Value {
    let steps: BTreeMap<&str, Value> = state
        .steps
        .iter()
        .map(|(id, step)| {
            let visits: Vec<Value> = step
                .visits
                .iter()
                .map(|visit| {
                    let result = visit.attempts.last().and_then(|a| a.result.as_deref());
                    let result = result.expect("the last attempt of a visit has ended");
                    json!({"status": result.status, "report": result.report, "artifacts": result.artifacts})
                })
                .collect();
            (id.as_str(), json!(visits))
        })
        .collect();
    let routes: Vec<Value> = state
        .routes
        .iter()
        .map(|r| json!([r.from, r.to, r.reason, r.loop_state]))
        .collect();
    let answers: Vec<Value> = state
        .gates
        .iter()
        .flat_map(|(gate, rounds)| rounds.iter().map(move |r| (gate, r)))
        .map(|(gate, r)| {
            json!([
                gate,
                r.opened.round,
                r.answer.as_ref().map(|(d, _)| json!([d.answer, d.by, d.seen]))
            ])
        })
        .collect();
    json!({
        "status": format!("{:?}", state.status),
        "error": state.error,
        "path": runtime::scenario::path(state),
        "completed": state.completed,
        "steps": steps,
        "routes": routes,
        "answers": answers,
    })
}

/// No completed visit was carried out twice: one recorded result a visit that is kept, and in the world one line for each,
/// but for the visit that was in flight when its driver died.
fn nothing_twice(project: &Project, run: &RunId, what: &str) {
    let events = project
        .store()
        .and_then(|s| Ok(s.events(run, 0, usize::MAX)?))
        .expect("the log");
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    let mut cut_off: BTreeMap<String, usize> = BTreeMap::new();
    for stored in &events {
        match &stored.event {
            Event::AttemptEnded {
                instance,
                retry_at: None,
                ..
            } => {
                *kept.entry(format!("{} {}", instance.step, instance.visit)).or_default() += 1;
            }
            Event::AttemptInterrupted { instance, .. } => {
                *cut_off
                    .entry(format!("{} {}", instance.step, instance.visit))
                    .or_default() += 1;
            }
            _ => {}
        }
    }
    let interruptions: usize = cut_off.values().sum();
    assert!(
        interruptions <= 1,
        "{what}: one death cuts off one attempt, not {cut_off:?}"
    );
    let done = project.text("done");
    for (visit, results) in &kept {
        assert_eq!(*results, 1, "{what}: {visit} was completed {results} times");
        let lines = done.lines().filter(|line| line == visit).count();
        let most = 1 + cut_off.get(visit).copied().unwrap_or(0);
        assert!(
            (1..=most).contains(&lines),
            "{what}: {visit} was carried out {lines} times"
        );
    }
    let visits: usize = done.lines().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(visits, kept.len(), "{what}: {done}");
}

#[test]
fn killed_at_every_event_boundary_a_run_ends_the_same() {
    let whole = project();
    let (run, state, _) = carry_out(&whole, None);
    nothing_twice(&whole, &run, "undisturbed");
    let expected = essence(&state);
    assert_eq!(
        expected["path"],
        json!(["draft", "critique", "draft", "critique", "check", "publish"])
    );
    assert_eq!(whole.text("done").lines().count(), 6);

    killed::each(killed::boundaries(1..=state.seq, 0), |kill| {
        let what = kill.to_string();
        let project = project();
        let (run, state, killed) = carry_out(&project, Some(kill));
        assert!(killed, "{what}: nothing was killed");
        assert_eq!(essence(&state), expected, "{what}");
        nothing_twice(&project, &run, &what);
        killed::verified(&project, &run, &what);
    });
}

/// A prompt, a dynamic step with substeps and a child runbook. Every block that comes to its end leaves a line in `done`.
const RUNBOOK: &str = "\
# Letters

## {N} For each letter

### {N}.1 Is one left?

```bash
echo \"look $GATEHOUSE_VISIT\" >> done
test \"$GATEHOUSE_VISIT\" -le 2
```

- PASS: CONTINUE
- FAIL: COMPLETE \"Two letters were sent.\"

### {N}.2 May it be sent?

- YES: CONTINUE
- NO: STOP

### {N}.3 Send it

- send.runbook.md

- PASS: GOTO NEXT {N}
- FAIL: STOP
";

const SEND: &str = "\
# Send

## 1 Put it into the box

```bash
echo \"sent\" >> sent
```

## 2 Is it in?

```bash
test -s sent
```
";

/// The process that carries out the second letter: after run, answer, resume, answer.
const SECOND_LETTER: usize = 4;

/// Carries the runbook to its end as a person would; see [`carry_out`].
fn carry_letters(project: &Project, kill: Option<Kill>) -> (RunState, bool) {
    let first = ["run", "letters.runbook.md", "--permit", "--until-blocked"];
    killed::carry_out(project, &first, &[0], kill, || {
        let Some((run, state)) = letters(project) else {
            return Next::Again; // killed before the run existed: it is started anew
        };
        match state.waiting() {
            _ if state.status.ended() => Next::Done(state),
            Some(_) => Next::say(&["answer", run.as_str(), "{N}.2", "yes", "--by", "Ann"]),
            None => Next::say(&["resume", run.as_str(), "--until-blocked"]),
        }
    })
}

/// The run that is in no other run.
fn letters(project: &Project) -> Option<(RunId, RunState)> {
    runs(project).into_iter().find(|(_, state)| is_outermost(state))
}

fn is_outermost(state: &RunState) -> bool {
    state.created.as_ref().is_some_and(|created| created.parent.is_none())
}

fn runs(project: &Project) -> Vec<(RunId, RunState)> {
    let store = project.store().expect("the history");
    let rows = store.runs(&store::RunFilter::default()).expect("the runs");
    rows.into_iter()
        .map(|row| {
            let (state, _) = store.load(&row.run).expect("the log");
            (row.run, state)
        })
        .collect()
}

/// [`essence`] without what names this run alone: the ids of the runs inside it.
fn essence_of_letters(state: &RunState) -> Value {
    let mut essence = essence(state);
    let visits = essence["steps"]["{N}.3"].as_array_mut().expect("visits");
    for visit in visits {
        for run in visit["report"]["runbooks"].as_array_mut().expect("runs") {
            run["run"] = Value::Null;
        }
    }
    essence
}

#[test]
fn killed_at_every_event_boundary_a_runbook_ends_the_same() {
    let fresh =
        || Project::in_memory(&[("letters.runbook.md", RUNBOOK), ("send.runbook.md", SEND)]).expect("a project");
    let whole = fresh();
    let (state, _) = carry_letters(&whole, None);
    let expected = essence_of_letters(&state);
    assert_eq!(state.message.as_deref(), Some("Two letters were sent."));
    let round = ["{N}.1", "{N}.2", "{N}.3"];
    assert_eq!(expected["path"], json!([&round[..], &round, &["{N}.1"]].concat()));
    assert_eq!(whole.text("sent").lines().count(), 2);
    // The outer run's own boundaries; then those of the run inside it, in a process that finds the outer run beyond them.
    let inside = runs(&whole)
        .iter()
        .filter(|(_, state)| !is_outermost(state))
        .map(|(_, state)| state.seq)
        .max();
    let outer = killed::boundaries(1..=state.seq, 0);
    let inside = killed::boundaries(1..=inside.expect("runs inside"), SECOND_LETTER);
    killed::each(outer.chain(inside), |kill| {
        let what = kill.to_string();
        let project = fresh();
        let (state, killed) = carry_letters(&project, Some(kill));
        assert!(killed, "{what}: nothing was killed");
        assert_eq!(essence_of_letters(&state), expected, "{what}");
        let all = runs(&project);
        assert_eq!(all.len(), 3, "{what}: two letters, two runs inside");
        let mut interruptions = 0;
        for (run, _) in &all {
            let store = project.store().expect("the history");
            let events = store.events(run, 0, usize::MAX).expect("the log");
            interruptions += events
                .iter()
                .filter(|e| matches!(e.event, Event::AttemptInterrupted { .. }))
                .count();
            killed::verified(&project, run, &what);
        }
        // Whoever dies inside a child leaves the step around it in flight as well.
        let sent = project.text("sent").lines().count();
        assert!(interruptions <= 2, "{what}: {interruptions} attempts were cut off");
        assert!((2..=2 + interruptions).contains(&sent), "{what}: {sent} were sent");
    });
}
