//! The picture of a workflow with what its nodes say.

use crate::text::safe;
use crate::words;
use crate::workflow::view::{CommandView, FaceView, ProblemView, WorkKind};
use engine::GateRules;
use model::layout::{self, Direction, Drawing, Room};
use model::picture::Picture;
use model::{Diagnostic, Routing, Step, StepId, Work, Workflow};
use std::collections::BTreeSet;

/// A workflow drawn: every list is in the order of the drawing's nodes or edges.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The picture.
    pub drawing: Drawing,
    /// Ordinals of the steps that its nodes are.
    pub steps: Vec<usize>,
    /// Of each edge of the workflow the id of the edge drawn for it; `None`: it lies inside a collapsed container.
    pub edges: Vec<Option<String>>,
    /// What its nodes say.
    pub faces: Vec<FaceView>,
}

/// How a workflow is looked at; none of it is the workflow's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// Containers that are drawn as single boxes.
    pub collapsed: BTreeSet<StepId>,
    /// What the picture is to fit into; `None`: it is one row.
    pub room: Option<Room>,
}

impl Look {
    /// As somebody asked for it.
    pub fn new(collapsed: Vec<String>, room: Option<Room>) -> Self {
        Self {
            collapsed: collapsed.into_iter().map(StepId::new).collect(),
            room,
        }
    }

    /// Everything open, to fit into this.
    pub fn within(width: f64, height: f64) -> Self {
        Self {
            room: Some(Room { width, height }),
            ..Self::default()
        }
    }
}

impl Drawn {
    /// The same with a mark on every step that one of these problems stands on: what is wrong in files that it leads to is found behind the text.
    #[must_use]
    pub fn marked(mut self, problems: &[ProblemView]) -> Self {
        for face in &mut self.faces {
            let own = problems
                .iter()
                .filter(|problem| problem.step.as_ref() == Some(&face.step));
            face.problem = face.problem.max(own.map(|problem| problem.severity).max());
        }
        self
    }
}

/// Lays the workflow out and says what stands on its nodes.
pub fn picture(workflow: &Workflow, problems: &[Diagnostic], rules: GateRules<'_>, look: &Look) -> Drawn {
    let Look { collapsed, room } = look;
    let Picture { input, steps, edges } = model::picture::picture(workflow, Direction::Right, collapsed, *room);
    let mut drawing = layout::draw(&input);
    // A bar says that the way is barred: where the policy lets everybody through there is none.
    let barred = |node: &str| {
        let place = drawing.nodes.iter().position(|at| at.id == node);
        let ordinal = place.and_then(|place| steps.get(place));
        ordinal.is_some_and(|ordinal| blocks(workflow, &workflow.steps()[*ordinal], rules))
    };
    let bars = drawing.bars.iter().filter(|bar| barred(&bar.node)).cloned().collect();
    drawing.bars = bars;
    let id = |edge: Option<usize>| edge.and_then(|edge| input.edges.get(edge)).map(|edge| edge.id.clone());
    let faces = steps.iter().map(|&ordinal| {
        let step = &workflow.steps()[ordinal];
        face(workflow, step, problems, rules, collapsed)
    });
    Drawn {
        drawing,
        faces: faces.collect(),
        edges: edges.into_iter().map(id).collect(),
        steps,
    }
}

fn face(
    workflow: &Workflow,
    step: &Step,
    problems: &[Diagnostic],
    rules: GateRules<'_>,
    collapsed: &BTreeSet<StepId>,
) -> FaceView {
    let is_group = step.work == Work::Group;
    let is_collapsed = collapsed.contains(&step.id);
    // A collapsed container speaks for everything in it.
    let speaks_for = |ordinal: usize| {
        let other = workflow.steps().get(ordinal);
        ordinal == step.ordinal
            || (is_collapsed
                && other
                    .and_then(|other| workflow.container(other))
                    .is_some_and(|c| c.id == step.id))
    };
    FaceView {
        step: words::of_step(step),
        ordinal: u32::try_from(step.ordinal).unwrap_or(u32::MAX),
        kind: kind(step),
        parent: step.parent.as_ref().map(ToString::to_string),
        dynamic: step.dynamic,
        jump_only: step.jump_only,
        detour_from: step
            .detour_from
            .as_ref()
            .map(|from| words::step_ref(workflow, from).name),
        collapsed: is_group.then_some(is_collapsed),
        sub: sub(workflow, step),
        agents: match step.agents.as_slice() {
            [_, _, ..] => step.agents.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        },
        gate: blocks(workflow, step, rules),
        loop_max: match &step.routing {
            Routing::Microloop(m) => Some(m.max_iterations),
            _ => None,
        },
        problem: problems
            .iter()
            .filter(|d| d.place.step.is_some_and(speaks_for))
            .map(|d| d.severity)
            .max(),
        phase: step.phase.clone(),
    }
}

/// What a step does.
pub fn kind(step: &Step) -> WorkKind {
    match step.work {
        Work::Agent => WorkKind::Agent,
        Work::Command { .. } => WorkKind::Command,
        Work::Prompt { .. } => WorkKind::Prompt,
        Work::Group => WorkKind::Group,
        Work::SubWorkflow { .. } => WorkKind::Runbooks,
    }
}

/// The command written in a step, its control characters made visible.
pub fn command(step: &Step) -> Option<CommandView> {
    match &step.work {
        Work::Command { language, script } => Some(CommandView {
            language: safe::visible(language),
            script: safe::visible_text(script),
        }),
        _ => None,
    }
}

/// The small line: that it is not always done, who does it, and of a command its first line.
fn sub(workflow: &Workflow, step: &Step) -> String {
    let who = step.agents.iter().map(|a| a.as_str()).collect::<Vec<_>>().join(", ");
    let what = match &step.work {
        Work::Agent => String::new(),
        Work::Command { script, .. } => {
            let first = script
                .lines()
                .map(str::trim)
                .find(|line| !line.is_empty() && !line.starts_with('#'));
            safe::visible(first.unwrap_or_default())
        }
        Work::Prompt { .. } if who.is_empty() => "a person".to_owned(),
        Work::Prompt { .. } => String::new(),
        Work::Group => words::count(workflow.children(step).count(), "step", "steps"),
        Work::SubWorkflow { files } => files.join(", "),
    };
    let whether = match step
        .whether
        .as_ref()
        .map(|whether| (&whether.condition, whether.optional))
    {
        Some((Some(condition), true)) => format!("optional, only if {}", safe::visible(condition.trim())),
        Some((Some(condition), false)) => format!("only if {}", safe::visible(condition.trim())),
        Some((None, _)) => "optional".to_owned(),
        None => String::new(),
    };
    let said = [whether, who, what];
    let said: Vec<&str> = said
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    said.join(" · ")
}

/// Whether a step's gate stops the run under this policy.
pub fn blocks(workflow: &Workflow, step: &Step, rules: GateRules<'_>) -> bool {
    engine::gate::asked_at(&workflow.id, step, rules).is_some()
}
