//! Several flows in one run: what follows when one has come to its end (seed 001 `run_created.flows`; CONTRACTS
//! "Stepwise").

use super::commit::Commit;
use crate::routing;
use crate::{Event, FlowEnded, FlowLead, Instance};
use model::{Destination, Fields, Onward, Part, Step, StepId, Workflow};
use std::sync::Arc;

impl<'a> Commit<'a> {
    /// The flow that the token leaves has come to its end: `true` when something follows it, which then has begun.
    pub(crate) fn part_completed(&mut self) -> bool {
        let Some(from) = self.now.routes.last().map(|route| route.from.clone()) else {
            return false;
        };
        // What a rejection leads to is done, and no more: it is no end by which another flow begins.
        if self.now.rejected().next().is_some() {
            return false;
        }
        // A person was waited for behind its end, and has let the run go on.
        let waited = self.now.flows.last();
        if waited.is_some_and(|ended| ended.leads == FlowLead::End && ended.from == from) {
            return false;
        }
        let Some((step, part)) = self.part_at(&from.step) else {
            return false;
        };
        let (unmet, looked_at) = self.unmet_by(step, &from, &part.on_complete);
        let onward = match unmet {
            None => &part.on_complete,
            Some(_) => &part.on_failure,
        };
        match (self.lead(part, onward, unmet.is_some(), &from), unmet) {
            (Some(leads), unmet) => {
                self.flow_ended(FlowEnded {
                    flow: part.key.clone(),
                    from,
                    failed: None,
                    unmet,
                    leads,
                    reason: onward.reason.clone(),
                    looked_at,
                });
                true
            }
            (None, Some(why)) => {
                self.fail(format!("The flow “{}” leads nowhere: {why}", part.title));
                true
            }
            (None, None) => false,
        }
    }

    /// A step has failed for good: `true` when its flow says what follows a failure, which then has begun.
    pub(crate) fn part_failed(&mut self, step: &StepId, error: &str) -> bool {
        let Some((_, part)) = self.part_at(step) else {
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
        match self.lead(part, &part.on_failure, true, &from) {
            Some(leads) => {
                self.flow_ended(FlowEnded {
                    flow: part.key.clone(),
                    from,
                    failed: Some(error.to_owned()),
                    unmet: None,
                    leads,
                    reason: part.on_failure.reason.clone(),
                    looked_at: Fields::new(),
                });
                true
            }
            None => false,
        }
    }

    /// A step with the flow that it stands in, where the workflow has several.
    fn part_at(&self, step: &StepId) -> Option<(&'a Step, &'a Part)> {
        let workflow: &'a Workflow = self.workflow;
        let step = workflow.step(step)?;
        Some((step, workflow.part_of(step)?))
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
    fn lead(&self, part: &Part, onward: &Onward, failed: bool, from: &Instance) -> Option<FlowLead> {
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
            Destination::Return if !failed => self.way_back(part, Some(&part.key)),
            Destination::Return => self.way_out(part),
            // One of the list that no other one led to goes on in it.
            Destination::Pause if !failed => Some(waiting(match self.led_to(part) {
                Some(_) => self.way_back(part, Some(&part.key)),
                None => self.next_in_list(&part.key, None),
            })),
            // In itself it goes on where it failed.
            Destination::Pause => Some(waiting(Some(self.way_out(part).unwrap_or_else(|| FlowLead::Back {
                flow: part.key.clone(),
                step: from.step.clone(),
            })))),
        }
    }

    /// Back from a flow that failed. Into itself nothing leads: behind a flow that had come to its end it would begin once more, for as long
    /// as it fails.
    fn way_out(&self, part: &Part) -> Option<FlowLead> {
        self.way_back(part, None)
            .filter(|lead| lead.flow() != Some(part.key.as_str()))
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
    fn led_to(&self, part: &Part) -> Option<&FlowEnded> {
        let mut ends = self.now.flows.iter().rev();
        let led = ends.find(|ended| matches!(&ended.leads, FlowLead::Begin { flow, .. } if *flow == part.key));
        led.map(|ended| &**ended)
    }

    /// Back to where the flow was left that led here: to the step that failed, and behind a flow that had come to its end
    /// to the next in the list; `but`: not to this one.
    fn way_back(&self, part: &Part, but: Option<&str>) -> Option<FlowLead> {
        let led = self.led_to(part)?;
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
