//! The picture of a workflow with what its nodes say.

use super::words;
use crate::view::workflow::FaceView;
use engine::Limits;
use model::layout::{self, Direction, Drawing};
use model::{Diagnostic, Routing, Step, Workflow};

/// Lays the workflow out and says what stands on its nodes, in the drawing's order.
pub fn picture(workflow: &Workflow, problems: &[Diagnostic], limits: &Limits) -> (Drawing, Vec<FaceView>) {
    let drawing = layout::draw(&model::picture::input(workflow, Direction::Right));
    let faces = workflow
        .steps()
        .iter()
        .map(|step| FaceView {
            step: words::of_step(step),
            ordinal: u32::try_from(step.ordinal).unwrap_or(u32::MAX),
            sub: step.agents.iter().map(|a| a.as_str()).collect::<Vec<_>>().join(", "),
            gate: blocks(step, limits),
            loop_max: match &step.routing {
                Routing::Microloop(m) => Some(m.max_iterations),
                _ => None,
            },
            problem: problems
                .iter()
                .filter(|d| d.place.step == Some(step.ordinal))
                .map(|d| d.severity)
                .max(),
        })
        .collect();
    (drawing, faces)
}

/// Whether a step's gate stops the run under this policy.
pub fn blocks(step: &Step, limits: &Limits) -> bool {
    step.gate
        .as_ref()
        .is_some_and(|gate| engine::gate::blocks(step, gate.at, limits).is_some())
}
