//! The recorded real flows and graph files, run with stub agents to their end: every step was carried out, or a decision names it as left
//! out with the reason, or no way came near it.

use dialect::Document;
use engine::{
    Answer, At, Command, Effect, ExecutionStatus, Intent, Limits, Purpose, RunCreated, RunState, StepResult, WayAction,
    decide, effects,
};
use model::{Severity, StepId, Workflow};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What every agent reports.
const REPORTS: [&str; 3] = [
    r#"{"status": "VERIFIED", "can_further_iteration_help": "no", "pending_blocking": "0"}"#,
    r#"{"status": "UNVERIFIED", "can_further_iteration_help": "yes", "concerns": ["one"], "tests_failed": 2, "pending_blocking": 0}"#,
    r#"{"status": "BLOCKED", "blockers": "ambiguous: what does the ADR say?", "can_further_iteration_help": "no", "concerns": []}"#,
];

/// The recorded files, with their names.
fn recorded() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle/stepwise");
    let files = ["flows", "spec_flows"].into_iter().flat_map(|folder| {
        // Where the recorded cases are at hand, none of their folders may be missing.
        let list = std::fs::read_dir(root.join(folder));
        assert!(list.is_ok() || !root.exists(), "{folder}: {list:?}");
        let list = list.into_iter().flatten();
        list.filter_map(|entry| Some(entry.ok()?.path()))
            .collect::<Vec<PathBuf>>()
    });
    let mut found: Vec<(String, String)> = files
        .filter(|path| !path.ends_with("_registry.yaml"))
        .filter_map(|path| {
            let folder = path.parent()?.file_name()?.to_str()?.to_owned();
            let name = format!("{folder}/{}", path.file_name()?.to_str()?);
            Some((name, std::fs::read_to_string(&path).expect("a text")))
        })
        .collect();
    found.sort();
    found
}

/// A run of the workflow on the machine, every agent reporting the same; whatever asks a person gets what lies nearest.
fn run(workflow: &Workflow, report: &str) -> RunState {
    let mut state = RunState::default();
    let mut at = 0;
    let mut send = |state: &mut RunState, intent: Intent| {
        at += 1;
        let command = Command { at: At(at), intent };
        let decided =
            decide(workflow, state, &command).unwrap_or_else(|refused| panic!("{}: {refused:?}", workflow.id));
        *state = decided.state;
    };
    let created = RunCreated {
        limits: Limits {
            parallel: 4,
            ..Limits::default()
        },
        ..RunCreated::new("run", workflow, "flow.yaml", "0", "test")
    };
    send(&mut state, Intent::Create(Arc::new(created)));
    for _ in 0..5_000 {
        let intent = match effects(workflow, &state).into_iter().next() {
            Some(Effect::Execute { instance, attempt }) => {
                let mut result = StepResult::new(ExecutionStatus::Succeeded);
                result.report = serde_json::from_str(report).expect("a report");
                Intent::Finish {
                    instance,
                    attempt,
                    result: Arc::new(result),
                }
            }
            Some(Effect::WaitUntil { instance, .. }) => Intent::Retry { instance },
            Some(Effect::Proceed) => Intent::Proceed,
            Some(Effect::Ask { .. }) => answer(&state),
            Some(Effect::Navigate { .. }) => panic!("nobody navigates"),
            None => return state,
        };
        send(&mut state, intent);
    }
    panic!("{} does not end", workflow.id)
}

fn answer(state: &RunState) -> Intent {
    let round = state.waiting().expect("somebody is asked");
    let way = match &round.opened.purpose {
        Purpose::Way { ways } => ways.iter().find(|way| way.action != WayAction::Escalate),
        _ => None,
    };
    let decision = serde_json::json!({
        "gate": round.opened.gate, "round": round.opened.round, "by": "Ada", "comment": "", "via": "test",
        "answer": if way.is_some() { Answer::Choose } else { Answer::Approve },
        "way": way.map(|way| way.id.clone()), "seen": round.opened.shown.iter().map(|shown| &shown.digest).collect::<Vec<_>>(),
    });
    Intent::Answer(Arc::new(serde_json::from_value(decision).expect("a decision")))
}

#[test]
fn every_real_flow_runs_to_its_end_and_says_what_it_left_out() {
    let all = recorded();
    if !tests::looking::can_look(!all.is_empty(), "the recorded cases are not beside the project") {
        return;
    }
    // Eight flows, seven spec flows and eight graphs.
    assert_eq!(all.len(), 23);
    let mut aside = BTreeSet::new();
    for (name, text) in &all {
        let document = Document::parse(name, text);
        let workflow = document.workflow();
        let errors = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|d| d.message.as_str()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        for report in REPORTS {
            let state = run(workflow, report);
            assert!(state.status.ended(), "{name} with {report}: {:?}", state.status);
            let done: BTreeSet<&StepId> = state.steps.keys().collect();
            aside.extend(
                done.iter()
                    .filter(|id| id.as_str().contains('@'))
                    .map(|id| id.to_string()),
            );
            let others = state.routes.iter().flat_map(|route| route.alternatives.iter());
            let named: BTreeSet<&StepId> = others.filter_map(|other| other.to.as_ref()).collect();
            for step in workflow.steps() {
                let flows = workflow.flows().into_iter();
                let before = flows.filter(|(_, to, _)| to.id == step.id).map(|(from, _, _)| &from.id);
                let near = before.filter(|from| done.contains(from)).count() > 0;
                assert!(
                    done.contains(&step.id) || named.contains(&step.id) || !near,
                    "{name} with {report}: `{}` was passed over in silence; done: {done:?}",
                    step.id
                );
            }
        }
    }
    // Detours of the real files are taken.
    assert!(aside.iter().any(|id| id.starts_with("clarifier@")), "{aside:?}");
}
