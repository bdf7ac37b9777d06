//! Small workflows for the rules' tests.

use crate::part::in_part;
use crate::{
    AgentKey, Destination, Diagnostic, Format, Gate, GateAt, GateRequirement, Microloop, Onward, Part, Routing, Step,
    StepId, Workflow,
};

/// A workflow of these steps, ordinals filled in.
pub(crate) fn flow(steps: Vec<Step>) -> Workflow {
    let steps = steps
        .into_iter()
        .enumerate()
        .map(|(n, step)| Step { ordinal: n, ..step })
        .collect();
    Workflow::new("flow".into(), "Flow".to_owned(), Format::Stepwise, steps)
}

/// Flows, each with its key, its steps, what follows its end and what its failure.
pub(crate) fn list(flows: Vec<(&str, Vec<Step>, Destination, Destination)>) -> Workflow {
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for (key, steps, complete, failure) in flows {
        let first = all.len();
        let steps = steps.into_iter().enumerate();
        all.extend(steps.map(|(ordinal, step)| in_part(Step { ordinal, ..step }, key, parts.len() + 1, first)));
        let onward = |to: Destination| Onward {
            to,
            ..Onward::default()
        };
        parts.push(Part {
            key: key.to_owned(),
            title: key.to_owned(),
            file: format!("{key}.yaml"),
            steps: first..all.len(),
            spec_generation: false,
            next_reported: true,
            escalation: Default::default(),
            utility: complete == Destination::Return,
            on_complete: onward(complete),
            on_failure: onward(failure),
        });
    }
    Workflow::of_parts("all".into(), "All".to_owned(), Format::Stepwise, all, parts)
}

/// A step with an agent and a routing.
pub(crate) fn step(id: &str, routing: Routing) -> Step {
    Step {
        routing,
        agents: vec![AgentKey::new("agent")],
        ..Step::new(id, 0)
    }
}

/// The same, asking a person.
pub(crate) fn gated(id: &str, routing: Routing) -> Step {
    let gate = Gate {
        requirement: GateRequirement::Required,
        at: GateAt::After,
        question: None,
        asks: Vec::new(),
        on_reject: None,
    };
    Step {
        gate: Some(gate),
        ..step(id, routing)
    }
}

/// `linear` to a step.
pub(crate) fn to(next: &str) -> Routing {
    Routing::Linear {
        next: Some(next.into()),
    }
}

/// `linear` without `next`.
pub(crate) fn end() -> Routing {
    Routing::Linear { next: None }
}

/// A `microloop` that ends when the status is VERIFIED.
pub(crate) fn microloop(target: &str, next: Option<&str>) -> Microloop {
    Microloop {
        loop_target: Some(target.into()),
        condition_field: Some("status".to_owned()),
        success_values: vec!["VERIFIED".to_owned()],
        max_iterations: 3,
        next: next.map(StepId::from),
        exit_on: indexmap::IndexMap::new(),
    }
}

/// A `branch` on the status.
pub(crate) fn branch(branches: &[(&str, &str)], next: Option<&str>) -> Routing {
    Routing::Branch(crate::Branch {
        field: None,
        branches: branches
            .iter()
            .map(|(value, to)| ((*value).to_owned(), StepId::from(*to)))
            .collect(),
        next: next.map(StepId::from),
    })
}

/// Code, step and message of what the rules find, of one code.
pub(crate) fn found(workflow: &Workflow, code: &str) -> Vec<(Option<usize>, String)> {
    let all = super::check(workflow);
    all.into_iter()
        .filter(|d| d.code == code)
        .map(|d: Diagnostic| (d.place.step, d.message))
        .collect()
}
