//! Which drawn edge a routing decision took: for the overlay of a run and for the coverage of tests. A run records it with
//! the decision; for logs of versions that did not, and for decisions that nobody has taken yet, it follows from the reason.

use crate::{Moved, RouteDecision, RouteKind, RouteReason};
use model::{Flow, FlowKind, Routing, Step, Workflow};

/// The edge that a decision took, as an index into [`Workflow::flows`]; `None` when it led to the end, or along no edge (a
/// person sent the run back for changes, or elsewhere). A loop's rounds are not mixed with those that people ask for.
///
/// Of a runbook the edge leaves the unit whose transition decided, which may be the container around the step that was left,
/// and RETRY is the unit's edge back to itself. Of several edges between the same two steps it is the one whose kind and
/// label fit.
pub fn taken(workflow: &Workflow, route: &RouteDecision) -> Option<usize> {
    let decided = route.runbook.as_ref().and_then(|moved| moved.unit.as_ref());
    let from = workflow.step(decided.unwrap_or(&route.from.step))?;
    let to = workflow.step(route.to.as_ref()?)?;
    if matches!(
        route.reason,
        RouteReason::ChangesRequested(_) | RouteReason::Feedback(_)
    ) {
        return None;
    }
    let between = workflow.flows_between(from, to);
    if let Some(recorded) = route.edge.filter(|edge| between.iter().any(|(index, _)| index == edge)) {
        return Some(recorded);
    }
    match &from.routing {
        Routing::Transitions { .. } if matches!(route.reason, RouteReason::Jump(_)) => None,
        Routing::Transitions { .. } => by_transition(from, route, &between),
        _ => by_kind(route, &between),
    }
}

fn by_kind(route: &RouteDecision, between: &[(usize, &Flow)]) -> Option<usize> {
    let fits = |kind: FlowKind| match route.decision {
        RouteKind::Loop => kind == FlowKind::Loop,
        _ if matches!(route.reason, RouteReason::Rejected(_)) => kind == FlowKind::Reject,
        _ => kind != FlowKind::Loop && kind != FlowKind::Reject,
    };
    let by_value = match &route.reason {
        RouteReason::Branch(value) => Some(value.as_str()),
        _ => None,
    };
    between
        .iter()
        .find(|(_, flow)| by_value.is_some() && flow.label.as_deref() == by_value)
        .or_else(|| between.iter().find(|(_, flow)| fits(flow.kind)))
        .or_else(|| between.first())
        .map(|(index, _)| *index)
}

fn by_transition(from: &Step, route: &RouteDecision, between: &[(usize, &Flow)]) -> Option<usize> {
    let passed = route.reason.passed()?;
    let is_retry = matches!(route.reason.moved(), Some(Moved::Retry { .. }));
    let transitions = match &from.routing {
        Routing::Transitions { transitions } => transitions.as_slice(),
        _ => &[],
    };
    let word = transitions.iter().find(|t| t.passed == passed).map(|t| t.word.as_str());
    let says = |flow: &Flow, word: &str| {
        let label = flow.label.as_deref().unwrap_or_default();
        label
            .strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let fits = |flow: &Flow| match word {
        _ if is_retry != (flow.kind == FlowKind::Loop && flow.max_iterations.is_some()) => false,
        Some(word) => says(flow, word),
        // Nothing is written for this outcome: the unlabelled edge to what follows.
        None => flow.label.is_none(),
    };
    between.iter().find(|(_, flow)| fits(flow)).map(|(index, _)| *index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, Instance, runbook};
    use model::{Action, Format, Jump, Quantifier, Transition, Work};

    fn on(word: &str, quantifier: Option<Quantifier>, action: Action) -> Transition {
        Transition {
            passed: word == "PASS" || word == "YES",
            word: word.to_owned(),
            quantifier,
            action,
        }
    }

    /// `1` (1.1, 1.2) whose FAIL ANY repeats it once and then goes to `Fix`; `2` with a question; `Fix`.
    fn workflow() -> Workflow {
        let stop = || Box::new(Action::Goto(Jump::To("Fix".into())));
        let retry = Action::Retry { times: 1, then: stop() };
        let steps: Vec<(&str, Option<&str>, Vec<Transition>)> = vec![
            (
                "1",
                None,
                vec![
                    on("PASS", None, Action::Continue),
                    on("FAIL", Some(Quantifier::Any), retry),
                ],
            ),
            ("1.1", Some("1"), Vec::new()),
            ("1.2", Some("1"), Vec::new()),
            (
                "2",
                None,
                vec![
                    on("YES", None, Action::Goto(Jump::To("Fix".into()))),
                    on("NO", None, Action::Retry { times: 2, then: stop() }),
                ],
            ),
            ("Fix", None, Vec::new()),
        ];
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(ordinal, (id, parent, transitions))| Step {
                parent: parent.map(Into::into),
                jump_only: id == "Fix",
                work: if id == "1" {
                    Work::Group
                } else {
                    Work::Prompt { text: String::new() }
                },
                routing: Routing::Transitions { transitions },
                ..Step::new(id, ordinal)
            });
        Workflow::new("w".into(), "W".to_owned(), Format::Rundown, steps.collect())
    }

    fn edge(workflow: &Workflow, step: &str, frame: &Frame, passed: bool) -> (Option<String>, Frame) {
        let from = Instance {
            step: step.into(),
            visit: 1,
            path: Vec::new(),
        };
        let route = runbook::route(workflow, &from, frame, passed);
        let drawn = taken(workflow, &route).map(|index| {
            let flows = workflow.flows();
            let (a, b, flow) = flows[index];
            format!("{}→{} {}", a.id, b.id, flow.label.as_deref().unwrap_or("–"))
        });
        (
            drawn,
            route
                .runbook
                .map(|moved| Frame::clone(&moved.frame))
                .unwrap_or_default(),
        )
    }

    #[test]
    fn the_edge_leaves_the_unit_that_decided() {
        let workflow = workflow();
        let none = Frame::default();
        let (drawn, frame) = edge(&workflow, "1.1", &none, true);
        assert_eq!(drawn.as_deref(), Some("1.1→1.2 –"));
        let (drawn, again) = edge(&workflow, "1.2", &frame, false);
        assert_eq!(drawn.as_deref(), Some("1→1.1 FAIL ANY ↻ 1"));
        let (drawn, _) = edge(&workflow, "1.1", &again, false);
        assert_eq!(drawn.as_deref(), Some("1→Fix FAIL ANY"));
        let (drawn, _) = edge(&workflow, "1.2", &frame, true);
        assert_eq!(drawn.as_deref(), Some("1→2 PASS"));
    }

    #[test]
    fn two_edges_between_the_same_steps_are_told_apart_by_their_words() {
        let workflow = workflow();
        let (drawn, _) = edge(&workflow, "2", &Frame::default(), true);
        assert_eq!(drawn.as_deref(), Some("2→Fix YES"));
        let (drawn, frame) = edge(&workflow, "2", &Frame::default(), false);
        assert_eq!(drawn.as_deref(), Some("2→2 NO ↻ 2"));
        let (_, frame) = edge(&workflow, "2", &frame, false);
        let (drawn, _) = edge(&workflow, "2", &frame, false);
        assert_eq!(drawn.as_deref(), Some("2→Fix NO"));
        let (drawn, _) = edge(&workflow, "Fix", &Frame::default(), false);
        assert_eq!(drawn, None, "the end is no edge");
    }

    #[test]
    fn what_is_recorded_counts_where_it_leads_that_way() {
        let workflow = workflow();
        let from = Instance {
            step: "2".into(),
            visit: 1,
            path: Vec::new(),
        };
        let mut route = runbook::route(&workflow, &from, &Frame::default(), true);
        let told = taken(&workflow, &route).expect("an edge");
        let (step, fix) = (workflow.step(&"2".into()), workflow.step(&"Fix".into()));
        let between = workflow.flows_between(step.expect("2"), fix.expect("Fix"));
        let other = between.iter().map(|(index, _)| *index).find(|index| *index != told);
        route.edge = other;
        assert!(other.is_some());
        assert_eq!(taken(&workflow, &route), other);
        let elsewhere = (0..workflow.flows().len()).find(|index| between.iter().all(|(at, _)| at != index));
        route.edge = elsewhere;
        assert!(elsewhere.is_some());
        assert_eq!(
            taken(&workflow, &route),
            Some(told),
            "an edge between other steps is none of this route"
        );
    }

    #[test]
    fn a_persons_jump_takes_no_edge() {
        let workflow = workflow();
        let from = Instance {
            step: "2".into(),
            visit: 1,
            path: Vec::new(),
        };
        let route = runbook::jump(&workflow, &from, &Frame::default(), &"Fix".into());
        assert_eq!(taken(&workflow, &route), None);
    }
}
