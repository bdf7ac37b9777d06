//! Several flows in one run, or one: what follows when one has come to its end (seed 001 `run_created.flows`; CONTRACTS
//! "Stepwise").

use super::commit::Commit;
use crate::routing;
use crate::{Event, FlowEnded, FlowLead, Instance};
use model::{Destination, Fields, Onward, Step, StepId, Workflow};
use std::sync::Arc;

/// Of a flow that nothing follows.
static ENDS: Onward = Onward {
    to: Destination::End,
    condition: None,
    reason: None,
};

/// A flow that the token leaves: one of several, or the only one of the run.
struct Leaving<'a> {
    key: &'a str,
    title: &'a str,
    on_complete: &'a Onward,
    on_failure: &'a Onward,
}

/// What the only flow of a run says of what follows it. A flow that it would lead to is not there.
fn alone(onward: Option<&Onward>) -> &Onward {
    onward
        .filter(|onward| !matches!(onward.to, Destination::Part(_)))
        .unwrap_or(&ENDS)
}

/// Whether the flow of this key began behind the end of another.
fn begins(ended: &FlowEnded, key: &str) -> bool {
    matches!(&ended.leads, FlowLead::Begin { flow, .. } if flow == key)
}

impl<'a> Commit<'a> {
    /// The flow that the token leaves has come to its end: `true` when something follows it, which then has begun.
    pub(crate) fn part_completed(&mut self) -> bool {
        let Some(from) = self.now.routes.last().map(|route| route.from.clone()) else {
            return false;
        };
        // A person was waited for behind its end, and has let the run go on.
        let waited = self.now.flows.last();
        if waited.is_some_and(|ended| ended.leads == FlowLead::End && ended.from == from) {
            return false;
        }
        let Some((step, flow)) = self.leaving(&from.step) else {
            return false;
        };
        let is_rejected = self.now.rejected().next().is_some();
        let failed = self.failed_again(&flow).filter(|_| is_rejected);
        // What a rejection leads to is done, and no more: it is no end by which another flow begins.
        if is_rejected && failed.is_none() {
            return false;
        }
        let (unmet, looked_at) = self.unmet_by(step, &from, flow.on_complete);
        let onward = match unmet {
            None => flow.on_complete,
            Some(_) => flow.on_failure,
        };
        let leads = self.lead(&flow, onward, unmet.is_some(), &from);
        let leads = leads.filter(|lead| !is_rejected || !matches!(lead, FlowLead::Begin { .. }));
        match (leads, failed, unmet) {
            (Some(leads), _, unmet) => {
                self.flow_ended(FlowEnded {
                    flow: flow.key.to_owned(),
                    from,
                    failed: None,
                    unmet,
                    leads,
                    reason: onward.reason.clone(),
                    looked_at,
                });
                true
            }
            (None, Some(error), _) => {
                self.fail(error);
                true
            }
            (None, None, Some(why)) => {
                self.fail(format!("The flow “{}” leads nowhere: {why}", flow.title));
                true
            }
            (None, None, None) => false,
        }
    }

    /// Why work has failed that a person had rejected and that was done again, where this flow follows that failure: it may lead back to the work,
    /// and to nothing that lies behind the gate.
    fn failed_again(&self, flow: &Leaving<'_>) -> Option<String> {
        let failed = self.left_at(flow)?.failed.clone()?;
        let flow_of = |step: &StepId| self.workflow.part_of(self.workflow.step(step)?);
        let mut rejected = self.now.rejected();
        let all = rejected.all(|rejection| {
            let is_here = flow_of(&rejection.instance.step).is_some_and(|part| part.key == flow.key);
            rejection.led_back && rejection.then_failed && !is_here
        });
        all.then_some(failed)
    }

    /// A step has failed for good: `true` when its flow says what follows a failure, which then has begun.
    pub(crate) fn part_failed(&mut self, step: &StepId, error: &str) -> bool {
        let Some((_, flow)) = self.leaving(step) else {
            return false;
        };
        // Where a rejection leads back, what fails there fails as ever.
        if self.now.rejected().any(|rejection| !rejection.led_back) {
            return false;
        }
        let latest = self.now.steps.get(step).and_then(|state| state.visits.last());
        let from = latest.map_or_else(
            || Instance {
                step: step.clone(),
                visit: 1,
                path: Vec::new(),
            },
            |visit| visit.instance.clone(),
        );
        match self.lead(&flow, flow.on_failure, true, &from) {
            Some(leads) => {
                self.flow_ended(FlowEnded {
                    flow: flow.key.to_owned(),
                    from,
                    failed: Some(error.to_owned()),
                    unmet: None,
                    leads,
                    reason: flow.on_failure.reason.clone(),
                    looked_at: Fields::new(),
                });
                true
            }
            None => false,
        }
    }

    /// A step with the flow that it stands in.
    fn leaving(&self, step: &StepId) -> Option<(&'a Step, Leaving<'a>)> {
        let workflow: &'a Workflow = self.workflow;
        let step = workflow.step(step)?;
        let flow = match workflow.part_of(step) {
            Some(part) => Leaving {
                key: &part.key,
                title: &part.title,
                on_complete: &part.on_complete,
                on_failure: &part.on_failure,
            },
            None => Leaving {
                key: workflow.id.as_str(),
                title: &workflow.title,
                on_complete: alone(workflow.on_complete.as_ref()),
                on_failure: alone(workflow.after_failure.as_ref()),
            },
        };
        Some((step, flow))
    }

    /// Why what a flow demands of its last step's report does not hold, and the values that were looked at.
    fn unmet_by(&self, step: &Step, from: &Instance, onward: &Onward) -> (Option<String>, Fields) {
        let Some(condition) = &onward.condition else {
            return (None, Fields::new());
        };
        let Some(result) = self.now.visit(from).and_then(|visit| visit.result()) else {
            return (
                Some("nothing was reported that its condition could hold of".to_owned()),
                Fields::new(),
            );
        };
        let (holds, looked_at) = routing::holds_of(step, self.workflow, result, &self.now.loop_state, condition);
        let said = || condition.label().unwrap_or_default();
        let unmet = match holds {
            Ok(true) => None,
            Ok(false) => Some(format!("“{}” does not hold", said())),
            Err(why) => Some(format!("“{}” has no answer ({why})", said())),
        };
        (unmet, looked_at)
    }

    /// Where a flow leads; `None` where the run ends with it.
    fn lead(&self, flow: &Leaving<'_>, onward: &Onward, failed: bool, from: &Instance) -> Option<FlowLead> {
        let begin = |key: &str| {
            Some(FlowLead::Begin {
                flow: key.to_owned(),
                step: self.workflow.entry_of(key)?.id.clone(),
            })
        };
        match &onward.to {
            Destination::End => None,
            Destination::Part(key) => begin(key),
            // What has come to its end does not begin once more.
            Destination::Return if !failed => self.way_back(flow, Some(flow.key)),
            Destination::Return => self.way_out(flow),
            // One of the list that no other one led to goes on in it.
            Destination::Pause if !failed => Some(waiting(match self.led_to(flow) {
                Some(_) => self.way_back(flow, Some(flow.key)),
                None => self.next_in_list(flow.key, None),
            })),
            // In itself it goes on where it failed.
            Destination::Pause => Some(waiting(Some(self.way_out(flow).unwrap_or_else(|| FlowLead::Back {
                flow: flow.key.to_owned(),
                step: from.step.clone(),
            })))),
        }
    }

    /// Back from a flow that failed. Into itself nothing leads: behind a flow that had come to its end it would begin once more, for as long
    /// as it fails.
    fn way_out(&self, flow: &Leaving<'_>) -> Option<FlowLead> {
        self.way_back(flow, None).filter(|lead| lead.flow() != Some(flow.key))
    }

    /// To the flow that follows another one in the list; `but`: not to this one.
    fn next_in_list(&self, key: &str, but: Option<&str>) -> Option<FlowLead> {
        let next = self.workflow.next_in_list(key, but)?;
        Some(FlowLead::Back {
            flow: next.key.clone(),
            step: self.workflow.entry_of(&next.key)?.id.clone(),
        })
    }

    /// The end of the flow that led to this one last.
    fn led_to(&self, to: &Leaving<'_>) -> Option<&FlowEnded> {
        let mut ends = self.now.flows.iter().rev();
        ends.find(|ended| begins(ended, to.key)).map(|ended| &**ended)
    }

    /// The end of the flow that this one leads back to: of the one that led here, and where that lies beside the order and had come to its end, of
    /// the one that had led to that.
    fn left_at(&self, flow: &Leaving<'_>) -> Option<&FlowEnded> {
        let mut ends = self.now.flows.iter().rev();
        let mut led: &FlowEnded = ends.find(|ended| begins(ended, flow.key))?;
        let is_beside = |key: &str| self.workflow.part(key).is_some_and(|part| part.utility);
        while led.failed.is_none() && led.unmet.is_none() && is_beside(&led.flow) {
            match ends.find(|ended| begins(ended, &led.flow)) {
                Some(earlier) => led = earlier,
                None => break,
            }
        }
        Some(led)
    }

    /// Back to where the flow was left that led here: to the step that failed, and behind a flow that had come to its end
    /// to the next in the list; `but`: not to this one.
    fn way_back(&self, flow: &Leaving<'_>, but: Option<&str>) -> Option<FlowLead> {
        let led = self.left_at(flow)?;
        if led.failed.is_none() && led.unmet.is_none() {
            return self.next_in_list(&led.flow, but);
        }
        Some(FlowLead::Back {
            flow: led.flow.clone(),
            step: led.from.step.clone(),
        })
    }

    fn flow_ended(&mut self, ended: FlowEnded) {
        let step = ended.leads.step().cloned();
        self.emit(Event::FlowEnded(Arc::new(ended)));
        if let Some(step) = step {
            self.go(&step, Vec::new());
        }
    }
}

/// The same way, once a person lets the run go on. `to`: where it leads; `None`: nowhere, it ends then.
fn waiting(to: Option<FlowLead>) -> FlowLead {
    match to {
        Some(FlowLead::Begin { flow, step } | FlowLead::Back { flow, step } | FlowLead::Wait { flow, step }) => {
            FlowLead::Wait { flow, step }
        }
        Some(FlowLead::End) | None => FlowLead::End,
    }
}
