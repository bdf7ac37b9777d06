//! Which gates stand before a step, and which ways lead there past all of them.

use crate::branches::inside;
use crate::{BranchFailure, Control, FlowKind, Routing, Step, Workflow};
use petgraph::Direction::Incoming;
use petgraph::visit::EdgeRef as _;
use std::collections::VecDeque;

/// What a run passes before it comes to a step for the first time, as far as the workflow's file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GatesBefore {
    /// Places of the steps at which a person is asked on the way, those nearest to the beginning first.
    pub gates: Vec<usize>,
    /// The shortest way that leads there past every gate: places of its steps, from where the run begins to the step itself. Empty when
    /// there is none.
    pub open: Vec<usize>,
    /// Some way leads there, past gates or not.
    pub reached: bool,
}

/// A fork whose branches meet again: a run is past it when enough of them are.
struct Meeting {
    join: usize,
    /// By branch: the places of its steps.
    branches: Vec<Vec<usize>>,
    /// So many branches have to come to their end.
    needs: usize,
}

/// What stands before a step. `asks`: a person is asked at this step, whatever the answer is.
///
/// A stage waits for all that it depends on, so one gate among them is enough; any other step is reached along one edge. Where branches
/// meet, as many have to come past without a gate as the join asks for. A step that may be left out is no gate: a run may go on without it.
/// One whose failure is spared asks all the same. What comes of an answer, of a jump that a person makes, or of a way that a report names is
/// not looked at.
///
/// Costs a few walks of the graph, and one more for each fork.
pub fn gates_before(workflow: &Workflow, to: &Step, asks: impl Fn(&Step) -> bool) -> GatesBefore {
    let steps = workflow.steps();
    let stops: Vec<bool> = steps.iter().map(|step| asks(step) && step.whether.is_none()).collect();
    let stages = workflow.contract().control == Control::Stages;
    let meetings = meetings(workflow);
    let mut came_from: Vec<Option<usize>> = vec![None; steps.len()];
    let mut reached = vec![false; steps.len()];
    let mut order = Vec::new();
    let mut next: VecDeque<usize> = match stages {
        true => steps
            .iter()
            .map(|step| step.ordinal)
            .filter(|at| waits_for(workflow, *at).next().is_none())
            .collect(),
        false => workflow.entry().map(|step| step.ordinal).into_iter().collect(),
    };
    next.iter().for_each(|at| reached[*at] = true);
    while let Some(at) = next.pop_front() {
        order.push(at);
        if at == to.ordinal || stops[at] {
            continue;
        }
        let edges = workflow.graph().edges(workflow.node(at));
        let mut leaving: Vec<(usize, FlowKind)> = edges
            .map(|edge| (workflow.graph()[edge.target()], edge.weight().kind))
            .collect();
        leaving.sort_by_key(|(there, _)| *there);
        for (there, kind) in leaving {
            let left = |at: usize| reached[at] && !stops[at];
            let free = match kind {
                FlowKind::DependsOn => waits_for(workflow, there).all(left),
                _ => meetings
                    .iter()
                    .filter(|meeting| {
                        meeting.join == there && meeting.branches.iter().any(|branch| branch.contains(&at))
                    })
                    .all(|meeting| {
                        let leads = |at: &usize| left(*at) && leads_to(workflow, *at, there);
                        let come = meeting
                            .branches
                            .iter()
                            .filter(|branch| branch.iter().any(leads))
                            .count();
                        come >= meeting.needs
                    }),
            };
            if free && !std::mem::replace(&mut reached[there], true) {
                came_from[there] = Some(at);
                next.push_back(there);
            }
        }
    }
    let behind = leading_to(workflow, to.ordinal);
    let mut open = Vec::new();
    if reached[to.ordinal] {
        open.push(to.ordinal);
        while let Some(from) = open.last().and_then(|at| came_from[*at]) {
            open.push(from);
        }
        open.reverse();
    }
    GatesBefore {
        gates: order
            .into_iter()
            .filter(|at| stops[*at] && *at != to.ordinal && behind[*at])
            .collect(),
        reached: reached[to.ordinal] || came_from_anywhere(workflow, &behind),
        open,
    }
}

fn waits_for(workflow: &Workflow, at: usize) -> impl Iterator<Item = usize> + '_ {
    let edges = workflow.graph().edges_directed(workflow.node(at), Incoming);
    edges
        .filter(|edge| edge.weight().kind == FlowKind::DependsOn)
        .map(|edge| workflow.graph()[edge.source()])
}

fn leads_to(workflow: &Workflow, at: usize, there: usize) -> bool {
    let (from, to) = (workflow.node(at), workflow.node(there));
    workflow.graph().contains_edge(from, to)
}

/// By place: whether some way leads from there to the step, the step itself included.
fn leading_to(workflow: &Workflow, to: usize) -> Vec<bool> {
    let mut behind = vec![false; workflow.steps().len()];
    behind[to] = true;
    let mut next = vec![to];
    while let Some(at) = next.pop() {
        for edge in workflow.graph().edges_directed(workflow.node(at), Incoming) {
            let from = workflow.graph()[edge.source()];
            if !std::mem::replace(&mut behind[from], true) {
                next.push(from);
            }
        }
    }
    behind
}

/// Whether one of the places where a run begins leads there.
fn came_from_anywhere(workflow: &Workflow, behind: &[bool]) -> bool {
    match workflow.contract().control {
        Control::Stages => true,
        Control::Token => workflow.entry().is_some_and(|entry| behind[entry.ordinal]),
    }
}

fn meetings(workflow: &Workflow) -> Vec<Meeting> {
    let forks = workflow.steps().iter().filter_map(|step| match &step.routing {
        Routing::Fork(fork) => Some(fork),
        _ => None,
    });
    forks
        .filter_map(|fork| {
            let branches = inside(workflow, fork);
            Some(Meeting {
                join: workflow.step(fork.join.as_ref()?)?.ordinal,
                needs: match fork.rules.on_failure {
                    // Those that failed, a refusal included, are not counted.
                    BranchFailure::BestEffort => 1,
                    _ => fork.rules.join.needs(branches.len()),
                },
                branches,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{branch, end, flow, gated, step, to};
    use crate::{Failing, Fork, ForkRules, Format, JoinRule, StepId, Whether};

    fn before(workflow: &Workflow, id: &str) -> (Vec<String>, Vec<String>, bool) {
        let step = workflow.step(&StepId::from(id)).expect("it is there");
        let found = gates_before(workflow, step, |step| step.gate.is_some());
        let names = |places: Vec<usize>| {
            places
                .into_iter()
                .map(|at| workflow.steps()[at].id.to_string())
                .collect()
        };
        (names(found.gates), names(found.open), found.reached)
    }

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_shortest_way_past_every_gate_is_named() {
        let workflow = flow(vec![
            step("triage", branch(&[("small", "note")], Some("approve"))),
            gated("approve", to("publish")),
            step("note", to("publish")),
            step("publish", end()),
        ]);
        assert_eq!(
            before(&workflow, "publish"),
            (names(&["approve"]), names(&["triage", "note", "publish"]), true)
        );
        assert_eq!(
            before(&workflow, "approve"),
            (vec![], names(&["triage", "approve"]), true)
        );
    }

    #[test]
    fn a_step_behind_a_gate_on_every_way_has_no_open_one() {
        let workflow = flow(vec![
            step("triage", branch(&[("legal", "lawyer")], Some("boss"))),
            gated("lawyer", to("publish")),
            gated("boss", to("publish")),
            step("publish", end()),
        ]);
        assert_eq!(before(&workflow, "publish"), (names(&["lawyer", "boss"]), vec![], true));
    }

    #[test]
    fn a_step_that_may_be_left_out_is_no_gate() {
        let mut legal = gated("legal", to("publish"));
        legal.failing = Failing::Spared;
        let around = |legal: &Step| flow(vec![step("draft", to("legal")), legal.clone(), step("publish", end())]);
        assert_eq!(
            before(&around(&legal), "publish").1,
            [""; 0],
            "its failure is asked about"
        );
        legal.whether = Some(Whether::default());
        assert_eq!(
            before(&around(&legal), "publish").1,
            names(&["draft", "legal", "publish"])
        );
    }

    #[test]
    fn where_nothing_leads_nothing_is_said() {
        let workflow = flow(vec![step("draft", end()), step("lost", end())]);
        assert_eq!(before(&workflow, "lost"), (vec![], vec![], false));
    }

    /// Two branches beside each other, a gate in one of them.
    fn forked(join: JoinRule, on_failure: BranchFailure) -> Workflow {
        let fork = Fork {
            targets: vec!["legal".into(), "tone".into()],
            join: Some("publish".into()),
            rules: ForkRules {
                join,
                on_failure,
                ..ForkRules::default()
            },
        };
        flow(vec![
            step("draft", Routing::Fork(Box::new(fork))),
            gated("legal", to("publish")),
            step("tone", to("publish")),
            step("publish", end()),
        ])
    }

    #[test]
    fn a_join_that_wants_every_branch_wants_its_gate() {
        let all = forked(JoinRule::AllComplete, BranchFailure::ContinueAll);
        assert_eq!(before(&all, "publish"), (names(&["legal"]), vec![], true));
        let one = forked(JoinRule::FirstComplete, BranchFailure::ContinueAll);
        assert_eq!(before(&one, "publish").1, names(&["draft", "tone", "publish"]));
        let spared = forked(JoinRule::AllComplete, BranchFailure::BestEffort);
        assert_eq!(before(&spared, "publish").1, names(&["draft", "tone", "publish"]));
    }

    #[test]
    fn a_stage_waits_for_everything_so_one_gate_is_enough() {
        let stage = |id: &str, waits: &[&str]| {
            let mut stage = step(id, Routing::Dependencies);
            stage.depends_on = waits.iter().map(|id| StepId::from(*id)).collect();
            stage
        };
        let mut approve = gated("approve", Routing::Dependencies);
        approve.depends_on = vec!["draft".into()];
        let steps = vec![
            stage("draft", &[]),
            stage("facts", &[]),
            approve,
            stage("publish", &["facts", "approve"]),
            stage("tell", &["facts"]),
        ];
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(ordinal, step)| Step { ordinal, ..step })
            .collect();
        let workflow = Workflow::new("p".into(), "P".to_owned(), Format::Pipeline, steps);
        assert_eq!(before(&workflow, "publish"), (names(&["approve"]), vec![], true));
        assert_eq!(before(&workflow, "tell"), (vec![], names(&["facts", "tell"]), true));
    }
}
