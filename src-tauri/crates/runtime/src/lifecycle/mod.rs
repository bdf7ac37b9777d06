//! What happens around the work of one attempt (seed 000 "Execution lifecycle"):
//!
//! input guardrails → tools → context → *executor* → output guardrails → validation → evidence
//!
//! Everything of it is returned as data ([`engine::Lifecycle`]) and put down by the driver. In a run with a scenario nothing is
//! called or started: tools and validation come to what the script says, what only reads text is done for real.

mod calls;
mod evidence;
mod guard;
mod lookup;
mod plan;
mod toolbox;
mod validation;

pub use plan::{PlannedCall, planned};
pub(crate) use toolbox::Toolbox;

use crate::artifacts::Found;
use crate::brief::Brief;
use crate::executor::{Execution, Sink};
use crate::scenario::Entry;
use calls::Ended;
use engine::{Answer, AttemptStarted, ExecutionStatus, Lifecycle, Purpose, RunState, ToolRecord};
use model::{Fields, Step};
use std::sync::Arc;

/// What surrounds one attempt of one step.
pub(crate) struct Around {
    /// The step, placeholders resolved.
    step: Step,
    toolbox: Arc<Toolbox>,
    /// The answers that the run began with.
    inputs: Fields,
    /// Calls that people have approved in this visit, by their digest.
    approved: Vec<engine::Digest>,
    /// What the attempt before called, which then had to wait for a person.
    earlier: Vec<ToolRecord>,
    /// Of a run with a scenario: what it says of this attempt.
    script: Option<Entry>,
}

impl Around {
    /// What surrounds an attempt.
    pub(crate) fn of(
        step: &Step,
        state: &RunState,
        started: &AttemptStarted,
        toolbox: &Arc<Toolbox>,
        script: Option<Entry>,
    ) -> Self {
        let attempts = state
            .visit(&started.instance)
            .map_or(&[][..], |v| v.attempts.as_slice());
        let before = attempts.iter().rev().find(|a| a.started.attempt < started.attempt);
        let earlier = before
            .and_then(|a| a.result.as_ref())
            .filter(|result| result.status == ExecutionStatus::Blocked)
            .and_then(|result| result.lifecycle.as_ref());
        let approved = state
            .gates
            .values()
            .flatten()
            .filter_map(|round| match &round.opened.purpose {
                Purpose::Tool { ask } if round.opened.instance == started.instance => {
                    let (decision, _) = round.answer.as_ref()?;
                    (decision.answer == Answer::Approve).then(|| ask.call.clone())
                }
                _ => None,
            });
        Self {
            step: step.clone(),
            toolbox: Arc::clone(toolbox),
            inputs: state.created.as_ref().map(|c| c.inputs.clone()).unwrap_or_default(),
            approved: approved.collect(),
            earlier: earlier.map(|lifecycle| lifecycle.calls.clone()).unwrap_or_default(),
            script,
        }
    }

    /// What comes before the work. `Some`: the attempt ends here.
    pub(crate) async fn before(&self, brief: &mut Brief, held: &mut Lifecycle, sink: &Sink) -> Option<Execution> {
        if let Some(why) = guard::inputs(self, held) {
            return Some(Execution::failure(why));
        }
        match calls::make(self, brief, held, sink).await {
            Ended::Well => {}
            Ended::Badly(why) => return Some(Execution::failure(why)),
            Ended::Asks => {
                return Some(Execution {
                    status: ExecutionStatus::Blocked,
                    ..Execution::failure("approval required")
                });
            }
        }
        if let Err(why) = lookup::context(self, brief, held, sink).await {
            return Some(Execution::failure(format!(
                "the step's context cannot be looked up: {why}"
            )));
        }
        brief.tools.clone_from(&held.calls);
        brief.context.clone_from(&held.context);
        brief.address();
        None
    }

    /// What comes after work that succeeded and whose files were found.
    ///
    /// # Errors
    /// Why the attempt has failed all the same.
    pub(crate) async fn after(
        &self,
        brief: &Brief,
        execution: &Execution,
        found: &Found,
        held: &mut Lifecycle,
        sink: &Sink,
    ) -> Result<(), String> {
        guard::outputs(self, execution, found, held)?;
        validation::validate(self, brief, found, held, sink).await?;
        evidence::record(self, brief, execution, found, held);
        Ok(())
    }
}
