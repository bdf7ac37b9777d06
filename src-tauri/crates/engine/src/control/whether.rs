//! Steps that are not always done, and steps that a run can do without (seed 003 `skipped_steps`; the workflow files of its family).
//!
//! Whether an optional step is done is decided when its turn comes, once in a run: by what the steps before it reported where they speak of
//! all that its condition names, else by a person. What is left out holds up nobody, and the log says who left it out.

use super::commit::Commit;
use crate::{
    Answer, Decision, Event, GateId, GateOpened, GateReason, Instance, Purpose, Settled, StageEnd, Way, WayAction, gate,
};
use model::cel::Expression;
use model::{Failing, GateAt, GateRequirement, Step, StepId, Whether};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The way that leaves a step out.
const LEAVE_OUT: &str = "leave_out";

/// The way that does it.
const DO: &str = "do";

/// What is known of whether a step is done.
enum Decided {
    Done,
    LeftOut(String),
    /// A person says, for this reason.
    Open(GateReason),
}

impl Commit<'_> {
    /// Whether a stage whose turn has come is done now; otherwise it has been left out, or a person has been asked.
    pub(crate) fn is_to_be_done(&mut self, step: &Step, instance: &Instance) -> bool {
        let Some(whether) = &step.whether else { return true };
        match self.decided(step, whether, instance) {
            Decided::Done => return true,
            Decided::LeftOut(why) => self.leave_out(&step.id, why),
            Decided::Open(why) => self.ask_whether(step, whether, instance.clone(), why),
        }
        false
    }

    fn decided(&self, step: &Step, whether: &Whether, instance: &Instance) -> Decided {
        // It is done again for another reason: a person wants changes, or tries it once more.
        if self.now.visits_of(&step.id).next().is_some() {
            return Decided::Done;
        }
        if let Some((decision, _)) = self.answer_to(step, instance) {
            return match decision.way.as_deref() {
                Some(LEAVE_OUT) => Decided::LeftOut(by(&decision)),
                _ => Decided::Done,
            };
        }
        match whether
            .condition
            .as_deref()
            .and_then(|text| self.by_reports(step, text))
        {
            // Of an optional step the condition says only when it may be left to a person.
            Some((true, _)) if whether.optional => Decided::Open(GateReason::OptionalStep),
            Some((true, _)) => Decided::Done,
            Some((false, unlike)) => {
                let condition = whether.condition.as_deref().unwrap_or_default().trim();
                let unlike: String = unlike.iter().map(|why| format!("; {why}")).collect();
                Decided::LeftOut(format!("`{condition}` does not hold, by what was reported{unlike}"))
            }
            None if whether.condition.is_some() => Decided::Open(GateReason::OpenCondition),
            None => Decided::Open(GateReason::OptionalStep),
        }
    }

    /// What a person has chosen of this visit.
    fn answer_to(&self, step: &Step, instance: &Instance) -> Option<(Arc<Decision>, crate::At)> {
        let gate = GateId::whether(&self.workflow.id, &step.id);
        let round = self.now.gates.get(&gate)?.last()?;
        let (decision, at) = round.answer.as_ref()?;
        // Changes asked of another step leave this question open: it is asked again when that one is done.
        let is_of_it = round.opened.instance == *instance && decision.answer == Answer::Choose;
        is_of_it.then(|| (Arc::clone(decision), *at))
    }

    /// Whether a condition holds by what was reported before this step, and by the answers at the start, and what it compares although it never
    /// is equal. `None`: it is no condition in CEL, or it names what nobody has reported, or it has no answer.
    fn by_reports(&self, step: &Step, text: &str) -> Option<(bool, Vec<String>)> {
        let condition = Expression::parse(text.trim()).ok()?;
        if !condition.faults().is_empty() {
            return None;
        }
        // Not of stages beside it: which of two is quicker must not decide what a run does.
        let before = self.before(step);
        let heard = |name: &str, value: &Value| match condition.asks_for_null(name) {
            true => Some(value.clone()),
            false => said(value),
        };
        let reported = |name: &str| -> Option<Value> {
            let said = before.iter().rev().find_map(|stage| {
                let id = &self.workflow.steps()[*stage].id;
                let (_, result) = self.now.latest_result(id)?;
                heard(name, result.report.get(name)?)
            });
            said.or_else(|| heard(name, self.created.inputs.get(name)?))
        };
        let known =
            |name: &str| ["true", "false", "null", "True", "False", "None"].contains(&name) || reported(name).is_some();
        if !condition.names().iter().all(|name| known(&name.name)) {
            return None;
        }
        let holds = condition.evaluate(reported).ok()?;
        Some((holds, condition.unlike(reported)))
    }

    /// The stages that a stage waits for, directly or not, by their places in the file.
    pub(super) fn before(&self, step: &Step) -> BTreeSet<usize> {
        let before = self.workflow.all_before(step).into_iter();
        before.map(|other| other.ordinal).collect()
    }

    fn ask_whether(&mut self, step: &Step, whether: &Whether, instance: Instance, why: GateReason) {
        let results = self.now.results();
        let shown = gate::shown_before(&results, step);
        let changes_to = gate::changes_before(self.workflow, &results, step);
        let way = |id: &str, action, to, label: String| Way {
            id: id.to_owned(),
            label,
            ..Way::new(action, to, 50)
        };
        let ways = vec![
            way(DO, WayAction::Advance, Some(&step.id), format!("Do “{}”", step.name)),
            way(
                LEAVE_OUT,
                WayAction::LeaveOut,
                None,
                format!("Leave “{}” out", step.name),
            ),
        ];
        self.open(GateOpened {
            round: 0,
            gate: GateId::whether(&self.workflow.id, &step.id),
            instance,
            at: GateAt::Before,
            requirement: GateRequirement::Required,
            question: gate::whether(step, whether),
            why,
            purpose: Purpose::Way { ways },
            asks: step.gate.as_ref().map(|gate| gate.asks.clone()).unwrap_or_default(),
            shown,
            changes_to,
            reject_to: None,
            approve_to: Some(step.id.clone()),
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    fn leave_out(&mut self, step: &StepId, why: String) {
        self.emit(Event::Settled(Arc::new(Settled {
            step: step.clone(),
            status: StageEnd::Skipped,
            because: None,
            error: None,
            rejected: false,
            spared: Some(why),
        })));
    }

    /// Why a run goes on without a stage that has failed; `None`: it does not.
    pub(crate) fn is_spared(&self, step: &StepId) -> Option<&'static str> {
        let step = self.workflow.step(step)?;
        match step.failing {
            Failing::Stops => None,
            Failing::Spared => Some("the workflow goes on where this step fails"),
            Failing::SparedBesideAnother => {
                // Those that are still to come may go well.
                let may_be_done = |other: &Step| {
                    let settled = self.now.stages.get(&other.id).and_then(|stage| stage.settled.as_ref());
                    settled.is_none_or(|settled| settled.status == StageEnd::Completed)
                };
                let mut others = self.workflow.steps().iter();
                let one = others.any(|other| other.id != step.id && other.phase == step.phase && may_be_done(other));
                one.then_some("the workflow goes on as long as one step of the group has not failed")
            }
        }
    }
}

/// A reported value without what is null: that says nothing, as everywhere in a report.
fn said(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.filter_map(|(field, value)| Some((field.clone(), said(value)?)));
            Some(Value::Object(fields.collect()))
        }
        other => Some(other.clone()),
    }
}

/// Who has left a step out, and why.
fn by(decision: &Decision) -> String {
    match decision.comment.trim() {
        "" => format!("{} left it out", decision.by.trim()),
        comment => format!("{} left it out: {comment}", decision.by.trim()),
    }
}
