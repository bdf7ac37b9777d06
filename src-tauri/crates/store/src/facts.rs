//! What the renderings need to know of a workflow and the log does not repeat.

use model::{AgentKey, Routing, StepId, Workflow};
use std::collections::BTreeMap;

/// Facts of every step. Parsed by the caller from the source blob that the run keeps; a step that is not in it is rendered
/// without role and index.
pub type Facts = BTreeMap<StepId, StepFacts>;

/// Facts of one step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepFacts {
    /// `role` of seed 001: what the step is to do.
    pub role: String,
    /// Place in the file, 1-based.
    pub index: u32,
    /// Who performs it.
    pub agents: Vec<AgentKey>,
    /// It has a microloop: its receipts carry `routing`.
    pub microloop: Option<LoopFacts>,
}

/// Facts of a microloop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopFacts {
    /// Where it loops to.
    pub target: Option<StepId>,
    /// Its bound.
    pub max: u32,
}

impl StepFacts {
    /// The facts of every step of a workflow. Of two steps with one id the first counts, as everywhere.
    pub fn of(workflow: &Workflow) -> Facts {
        let mut facts = Facts::new();
        for step in workflow.steps() {
            let microloop = match &step.routing {
                Routing::Microloop(m) => Some(LoopFacts {
                    target: m.loop_target.clone(),
                    max: m.max_iterations,
                }),
                _ => None,
            };
            facts.entry(step.id.clone()).or_insert_with(|| Self {
                role: step.intent.clone().unwrap_or_default(),
                index: u32::try_from(step.ordinal + 1).unwrap_or(u32::MAX),
                agents: step.agents.clone(),
                microloop,
            });
        }
        facts
    }
}
