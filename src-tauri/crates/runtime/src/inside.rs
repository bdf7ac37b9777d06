//! Steps of the workflows that a run carries out as runs inside it: how whoever starts the run calls them when they give them to
//! somebody. Such a step is called by its file and its id, `documents/publish.yaml#write`; the run inside finds it there.

use engine::RunId;
use model::{AgentKey, Fields, StepId, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;

/// The field of a step's report that holds the runs inside it.
pub const RUNS: &str = "runbooks";
/// Of one of them the field with the path of its workflow, where that had been changed since the run around it was begun.
pub(crate) const CHANGED: &str = "changed";
/// Between the path of a workflow and the id of a step of it.
const MARK: char = '#';

/// Steps given to somebody at a start.
type Assigned = BTreeMap<StepId, AgentKey>;

/// What a start calls a step of a workflow that lies inside the one it starts. `path`: from the project's folder, with `/`.
pub fn step_in(path: &str, step: &StepId) -> StepId {
    StepId::new(format!("{path}{MARK}{step}"))
}

/// The workflows that a step ran and that had been changed since its run was begun, by path. `report`: of one of its attempts.
pub fn changed(report: &Fields) -> impl Iterator<Item = &str> {
    let runs = report.get(RUNS).and_then(Value::as_array);
    runs.into_iter().flatten().filter_map(|run| run.get(CHANGED)?.as_str())
}

/// The runs that carried out a step. `report`: of one of its attempts.
pub(crate) fn runs(report: &Fields) -> impl Iterator<Item = RunId> {
    let runs = report.get(RUNS).and_then(Value::as_array);
    let ids = runs.into_iter().flatten().filter_map(|run| run.get("run")?.as_str());
    ids.map(RunId::from)
}

/// Whether a start may mean a step of a workflow that lies inside.
pub(crate) fn is_inside(step: &StepId) -> bool {
    step.as_str().contains(MARK)
}

/// The id that a step has in the workflow at `path`, where it is said to be one of that.
pub(crate) fn id_in<'s>(path: &str, step: &'s StepId) -> Option<&'s str> {
    let called = step.as_str();
    called.strip_prefix(path).and_then(|rest| rest.strip_prefix(MARK))
}

/// What is said of the steps of the workflow itself.
pub(crate) fn own(workflow: &Workflow, assigned: &Assigned) -> Assigned {
    let is_own = |step: &StepId| workflow.step(step).is_some() || !is_inside(step);
    let own = assigned.iter().filter(|(step, _)| is_own(step));
    own.map(|(step, to)| (step.clone(), to.clone())).collect()
}

/// The same for a run inside, of the workflow at `path`: its own steps by their ids, and those of what lies deeper.
pub(crate) fn of(path: &str, assigned: &Assigned) -> Assigned {
    let inside = assigned.iter().filter_map(|(step, to)| {
        let step = match id_in(path, step) {
            Some(id) => StepId::new(id),
            None => is_inside(step).then(|| step.clone())?,
        };
        Some((step, to.clone()))
    });
    inside.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use serde_json::json;

    #[test]
    fn a_report_says_which_workflows_had_been_changed() {
        let runs = json!([{"file": "a.yaml", "run": "1"}, {"file": "b.yaml", "run": "2", CHANGED: "docs/b.yaml"}]);
        let report: Fields = [(RUNS.to_owned(), runs)].into();
        assert_eq!(changed(&report).collect::<Vec<_>>(), ["docs/b.yaml"]);
        assert_eq!(changed(&Fields::new()).count(), 0);
        assert_eq!(
            super::runs(&report).collect::<Vec<_>>(),
            [RunId::from("1"), RunId::from("2")]
        );
    }

    #[test]
    fn a_step_inside_is_found_by_its_file() {
        let key = |step: &str| (StepId::new(step), AgentKey::new("ada"));
        let inside = step_in("a/b.yaml", &StepId::new("write"));
        assert_eq!(inside, StepId::new("a/b.yaml#write"));
        let all: Assigned = [key("plan"), key("a/b.yaml#write"), key("c.yaml#send")].into();
        let flow = Document::parse("flow.yaml", "id: flow\nsteps:\n  - {id: plan, agents: [analyst]}\n");
        assert_eq!(own(flow.workflow(), &all), [key("plan")].into());
        assert_eq!(of("a/b.yaml", &all), [key("write"), key("c.yaml#send")].into());
        // What lies deeper is found from there.
        assert_eq!(of("c.yaml", &of("a/b.yaml", &all)), [key("send")].into());
    }
}
