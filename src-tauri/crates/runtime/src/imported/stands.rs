//! Where a session stands in its workflow: the ways that its work took, as far as it tells them. The order of the steps in the file says nothing but
//! where the workflow's routing goes by it.

use super::{list, place};
use engine::{ExecutionStatus, Frame, Instance, StepResult, UnitOutcome, routing, runbook};
use model::{Destination, Fields, FlowKind, Reopening, Routing, Step, StepId, Work, Workflow, before};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a session says of the steps of a workflow, by their places.
pub(super) struct Said<'w, 's> {
    pub document: &'s Value,
    pub workflow: &'w Workflow,
    pub completed: &'s BTreeSet<usize>,
    pub skipped: &'s BTreeSet<usize>,
    pub failed: &'s BTreeSet<usize>,
}

/// Where the ways that were taken have come to.
#[derive(Default)]
struct Stood {
    /// Steps that they have come to and that are not done.
    at: BTreeSet<usize>,
    /// A step that is done, from which nothing tells the way on.
    open: Option<usize>,
    /// By place: the ways have come there.
    passed: Vec<bool>,
}

impl<'w> Said<'w, '_> {
    /// The step at which the work goes on.
    ///
    /// # Errors
    /// That nothing is left to be done, or that it cannot be told, in words.
    pub fn stands_at(&self) -> Result<&'w Step, String> {
        if self.document["metadata"]["status"] == "succeeded" {
            return Err(
                "The session says that its run came to its end and succeeded: there is nothing left to do.".to_owned(),
            );
        }
        let steps = self.workflow.steps();
        let mut own = steps
            .iter()
            .filter(|step| step.work != Work::Group && step.detour_from.is_none());
        if self.workflow.contract().reopening == Reopening::AtOpenStep {
            // Steps in sequence pass by what is completed, wherever it stands.
            let open = own.find(|step| !self.is_done(step.ordinal));
            return open.ok_or_else(|| {
                "Every step of this workflow is completed in the session: there is nothing left to do.".to_owned()
            });
        }
        let stood = self.stood();
        let current = self.current().filter(|place| !self.is_done(*place));
        let told = current.filter(|place| stood.at.contains(place));
        let at = match (told, stood.open, stood.at.first()) {
            (Some(at), _, _) => at,
            (None, Some(from), _) => return Err(self.open_behind(&steps[from])),
            (None, None, Some(at)) => *at,
            (None, None, None) => {
                return Err(
                    "What the session says is completed leads to the end of this workflow: there is nothing left to do."
                        .to_owned(),
                );
            }
        };
        let at = &steps[at];
        if let Some(current) = current.filter(|place| *place != at.ordinal && stood.at.len() == 1) {
            return Err(format!(
                "The session stands at “{}”, and does not say that “{}”, which comes before, is completed: which way the work took cannot be \
                 told. Choose the step to go on at.",
                steps[current].name, at.name
            ));
        }
        let led_here = before(self.workflow, at);
        let stranded = own.find(|step| {
            let place = step.ordinal;
            self.is_done(place) && !stood.passed[place] && !led_here[place]
        });
        match stranded {
            None => Ok(at),
            Some(other) => Err(format!(
                "“{}” is not completed in the session, and “{}” is, which does not come before it: which way the work took cannot be told. \
                 Choose the step to go on at.",
                at.name, other.name
            )),
        }
    }

    fn is_done(&self, place: usize) -> bool {
        self.completed.contains(&place) || self.skipped.contains(&place)
    }

    /// The step that the session says is at work, or was last.
    fn current(&self) -> Option<usize> {
        let at = place(self.workflow, &self.document["workflow_state"]["current_step"])?;
        (self.workflow.steps()[at].work != Work::Group).then_some(at)
    }

    /// Goes the ways that were taken, from the beginning.
    fn stood(&self) -> Stood {
        let steps = self.workflow.steps();
        let mut stood = Stood {
            passed: vec![false; steps.len()],
            ..Stood::default()
        };
        let mut open: Vec<usize> = self.workflow.entry().into_iter().map(|step| step.ordinal).collect();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut stood.passed[at], true) {
                continue;
            }
            let step = &steps[at];
            if let Some(to) = self.rejected_to(step).filter(|to| !stood.passed[*to]) {
                open.push(to);
            } else if !self.is_done(at) {
                stood.at.insert(at);
            } else if let Some(ways) = self.ways_on(step, &stood.passed) {
                open.extend(ways);
            } else {
                stood.open = stood.open.or(Some(at));
            }
        }
        stood
    }

    /// Where the rejection of a step led, and the work went on there.
    fn rejected_to(&self, step: &Step) -> Option<usize> {
        let to = self.entered(step.gate.as_ref()?.on_reject.as_ref()?)?;
        let state = &self.document["workflow_state"];
        let is_its_gate = |gate: &Value| place(self.workflow, &gate["step_id"]) == Some(step.ordinal);
        let refused = self.failed.contains(&step.ordinal) || list(&state["quality_gates_failed"]).any(is_its_gate);
        (refused && (self.is_done(to) || self.current() == Some(to))).then_some(to)
    }

    /// The ways that led on from a step that is done; empty: the workflow ended there. `None`: the session does not tell.
    fn ways_on(&self, step: &Step, passed: &[bool]) -> Option<Vec<usize>> {
        let leads = self.leads(step);
        if matches!(step.routing, Routing::Fork(_)) {
            return Some(leads);
        }
        let is_at_work = |place: &usize| leads.contains(place) && !self.is_done(*place);
        if let Some(current) = self.current().filter(is_at_work) {
            return Some(vec![current]);
        }
        // Where a way goes back to what is done, the next round has been done too, or was never begun.
        let goes_back = |to: usize| passed[to] && self.is_done(to) && before(self.workflow, step)[to];
        match self.reported(step) {
            Some(None) => return self.behind_flow(step),
            Some(Some(to)) if !goes_back(to) => return Some(vec![to]),
            _ => {}
        }
        let went = leads.into_iter().filter(|to| self.is_done(*to) && !goes_back(*to));
        let went: Vec<usize> = went.collect();
        (!went.is_empty()).then_some(went)
    }

    /// The steps that a step leads to when it is done.
    fn leads(&self, step: &Step) -> Vec<usize> {
        let mut found = Vec::new();
        let graph = self.workflow.graph();
        let mut edges = graph.neighbors(self.workflow.node(step.ordinal)).detach();
        while let Some((edge, to)) = edges.next(graph) {
            let counts = !matches!(
                graph[edge].kind,
                FlowKind::Reject | FlowKind::DependsOn | FlowKind::Detour
            );
            let to = self.workflow.entered_at(&self.workflow.steps()[graph[to]]).ordinal;
            if counts && !found.contains(&to) {
                found.push(to);
            }
        }
        // In the order of the file.
        found.sort_unstable();
        found
    }

    /// Where the routing of a step leads by what the session says was reported of it; inside: `None` where the flow ends. `None`: it decides by
    /// something that the session does not say.
    fn reported(&self, step: &Step) -> Option<Option<usize>> {
        let result = StepResult {
            report: self.report(&step.id).unwrap_or_default(),
            ..StepResult::new(ExecutionStatus::Succeeded)
        };
        let decision = match &step.routing {
            Routing::Transitions { .. } => {
                let from = Instance {
                    step: step.id.clone(),
                    visit: 1,
                    path: runbook::start(self.workflow, step),
                };
                runbook::route(self.workflow, &from, &self.frame(step), true)
            }
            _ => {
                let asked = step.routing.asks_for();
                let says = |field: &str| {
                    let first = field.split('.').next().unwrap_or(field);
                    result.report.contains_key(field) || result.report.contains_key(first)
                };
                let is_told = asked.iter().any(|one| says(&one.field)) || says(routing::NEXT_STEP);
                if !asked.is_empty() && !is_told {
                    return None;
                }
                routing::route(step, self.workflow, &result, &BTreeMap::new())
            }
        };
        match decision.to {
            Some(to) => self.entered(&to).map(Some),
            // A person was asked for the way.
            None if step.routing.may_ask_the_way() => None,
            None => Some(None),
        }
    }

    /// What a runbook remembers of the steps beside one: those that are done passed.
    fn frame(&self, step: &Step) -> Frame {
        let beside = self.workflow.container(step).into_iter();
        let beside = beside.flat_map(|around| self.workflow.children(around));
        let done = beside.filter(|other| other.id != step.id && self.is_done(other.ordinal));
        Frame {
            outcomes: done
                .map(|other| UnitOutcome {
                    step: other.id.clone(),
                    path: runbook::start(self.workflow, other),
                    passed: true,
                })
                .collect(),
            ..Frame::default()
        }
    }

    /// What was reported of a step, where one agent did and the session holds it.
    fn report(&self, step: &StepId) -> Option<Fields> {
        let agents = self.document["agent_contexts"].as_object()?.values();
        let mut reports = agents.filter_map(|agent| agent["outputs"][step.as_str()]["structured_data"].as_object());
        let report = reports.next().filter(|_| reports.next().is_none())?;
        Some(report.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    /// What followed the flow that a step is the last of; empty: nothing does.
    fn behind_flow(&self, step: &Step) -> Option<Vec<usize>> {
        let Some(part) = self.workflow.part_of(step) else {
            return Some(Vec::new());
        };
        let entry = |key: &str| {
            let entry = self.workflow.entry_of(key)?;
            Some(self.workflow.entered_at(entry).ordinal)
        };
        match &part.on_complete.to {
            Destination::End => Some(Vec::new()),
            Destination::Part(key) if part.on_complete.condition.is_none() => entry(key).map(|entry| vec![entry]),
            // Which flow follows depends on what was reported, or on the flow that led here.
            Destination::Part(_) | Destination::Return | Destination::Pause => {
                let others = self.workflow.parts().iter().filter(|other| other.key != part.key);
                let begun = others.filter_map(|other| entry(&other.key));
                let begun = begun.filter(|place| self.is_done(*place) || self.current() == Some(*place));
                let begun: Vec<usize> = begun.collect();
                (!begun.is_empty()).then_some(begun)
            }
        }
    }

    /// Where a token stands that is led to a step.
    fn entered(&self, step: &StepId) -> Option<usize> {
        Some(self.workflow.entered_at(self.workflow.step(step)?).ordinal)
    }

    /// That nothing tells the way on from a step, with the ways that there are.
    fn open_behind(&self, step: &Step) -> String {
        let leads = self.leads(step);
        let names: Vec<String> = leads
            .iter()
            .map(|to| format!("“{}”", self.workflow.steps()[*to].name))
            .collect();
        let ways = match names.as_slice() {
            [] => String::new(),
            [one] => format!(": to {one}, or to another end"),
            [rest @ .., last] => format!(": to {} or {last}", rest.join(", ")),
        };
        format!(
            "“{}” is completed in the session, which does not tell which way led on from there{ways}. Choose the step to go on at.",
            step.name
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::imported::matched;
    use model::{StepId, Workflow};
    use serde_json::{Value, json};

    const FLOW: &str = "key: f\nsteps:\n  \
        - {id: check, role: Check, agents: [x], routing: {kind: branch, branch_field: verdict, \
           branches: {ALL: publish, SOME: mend}, next: refuse}}\n  \
        - {id: mend, role: Mend, agents: [x], routing: {kind: linear, next: publish}}\n  \
        - {id: publish, role: Publish, agents: [x], human_gate: required, gate_at: before, on_reject: refuse, routing: {kind: linear}}\n  \
        - {id: refuse, role: Refuse, agents: [x], routing: {kind: linear}}\n";
    const LOOP: &str = "key: f\nsteps:\n  \
        - {id: draft, role: Draft, agents: [x], routing: {kind: linear, next: critic}}\n  \
        - {id: critic, role: Judge, agents: [x], routing: {kind: microloop, loop_target: draft, loop_condition_field: status, \
           loop_success_values: [VERIFIED], next: ship}}\n  \
        - {id: ship, role: Ship, agents: [x], routing: {kind: linear}}\n";

    fn workflow(text: &str) -> Workflow {
        dialect::Document::parse("f.yaml", text).workflow().clone()
    }

    /// Where a session goes on, or why it does not. `report`: what was reported of a step.
    fn at(text: &str, state: Value, report: Option<(&str, Value)>) -> Result<String, String> {
        let mut session = json!({"workflow_state": state});
        if let Some((step, report)) = report {
            session["agent_contexts"]["x"]["outputs"][step]["structured_data"] = report;
        }
        let matched = matched(&session, &workflow(text), None, "ada")?;
        Ok(matched.taken.at.to_string())
    }

    #[test]
    fn a_session_that_has_come_to_an_end_has_nothing_left_to_do() {
        let done = json!({"current_step": 3, "completed_steps": [1, 2, 3], "quality_gates_passed": ["f:publish:hitl"]});
        let session = json!({"workflow_state": done, "metadata": {"status": "succeeded"}});
        let said = matched(&session, &workflow(FLOW), None, "ada").expect_err("it ended");
        assert!(said.contains("succeeded: there is nothing left to do"), "{said}");
        // That the workflow ends there follows from its routing as well: the way of a rejection was not taken.
        let said = at(FLOW, done, None).expect_err("it ended");
        assert!(said.contains("leads to the end of this workflow"), "{said}");
        // The rejection was, and its way has come to its end.
        let refused = json!({"completed_steps": [1, 4], "failed_steps": [{"step_id": 3}]});
        let said = at(FLOW, refused, Some(("check", json!({"verdict": "ALL"})))).expect_err("it ended");
        assert!(said.contains("leads to the end of this workflow"), "{said}");
        // Who names a step goes on there all the same.
        let again = matched(&session, &workflow(FLOW), Some(&StepId::from("publish")), "ada").expect("it is named");
        assert_eq!(again.taken.completed, ["check", "mend"].map(StepId::from));
    }

    #[test]
    fn a_branch_is_gone_on_by_the_way_that_was_taken_and_else_a_person_is_asked() {
        let checked = || json!({"current_step": 1, "completed_steps": [1]});
        for (verdict, step) in [("ALL", "publish"), ("SOME", "mend"), ("NONE", "refuse")] {
            let report = json!({"verdict": verdict});
            assert_eq!(at(FLOW, checked(), Some(("check", report))), Ok(step.to_owned()));
        }
        for report in [
            None,
            Some(("check", json!({"documents": 4}))),
            Some(("other", json!({"verdict": "ALL"}))),
        ] {
            let said = at(FLOW, checked(), report).expect_err("nothing tells the way");
            let ways = "which way led on from there: to “Mend”, “Publish” or “Refuse”. Choose the step to go on at.";
            assert!(said.contains(ways), "{said}");
        }
        let under_way = json!({"current_step": 3, "completed_steps": [1]});
        assert_eq!(at(FLOW, under_way, None), Ok("publish".to_owned()));
        let mended = json!({"current_step": 2, "completed_steps": [1, 2]});
        assert_eq!(at(FLOW, mended, None), Ok("publish".to_owned()));
        let rejected = json!({"current_step": 4, "completed_steps": [1, 2], "failed_steps": [{"step_id": 3}]});
        assert_eq!(at(FLOW, rejected, None), Ok("refuse".to_owned()));
        let elsewhere = json!({"current_step": 3, "completed_steps": [1]});
        let said = at(LOOP, elsewhere, None).expect_err("no way led there");
        assert!(said.contains("stands at “Ship”"), "{said}");
    }

    #[test]
    fn a_loop_is_left_where_the_report_says_so() {
        let judged = || json!({"current_step": 2, "completed_steps": [1, 2]});
        let verified = Some(("critic", json!({"status": "VERIFIED"})));
        assert_eq!(at(LOOP, judged(), verified), Ok("ship".to_owned()));
        for report in [None, Some(("critic", json!({"status": "UNVERIFIED"})))] {
            let said = at(LOOP, judged(), report).expect_err("the next round may be due");
            assert!(said.contains("to “Draft” or “Ship”"), "{said}");
        }
    }
}
