//! GH0008: steps that wait for each other. Only dependencies must be free of cycles; flows may turn.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, FlowKind, Place, Severity, Workflow};
use petgraph::visit::EdgeFiltered;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0008",
    title: "Steps wait for each other",
    page: include_str!("dependency_cycle.md"),
};

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    if workflow.steps().iter().all(|step| step.depends_on.is_empty()) {
        return;
    }
    let graph = workflow.graph();
    let waits = EdgeFiltered::from_fn(graph, |edge| edge.weight().kind == FlowKind::DependsOn);
    let mut cycles: Vec<Vec<usize>> = petgraph::algo::kosaraju_scc(&waits)
        .into_iter()
        .map(|nodes| {
            let mut ordinals: Vec<usize> = nodes.into_iter().map(|node| graph[node]).collect();
            ordinals.sort_unstable();
            ordinals
        })
        .filter(|ordinals| match ordinals.as_slice() {
            [only] => workflow.steps()[*only].depends_on.contains(&workflow.steps()[*only].id),
            _ => true,
        })
        .collect();
    cycles.sort_unstable();
    for ordinals in cycles {
        let names: Vec<String> = ordinals.iter().take(5).map(|n| workflow.steps()[*n].called()).collect();
        let more = if ordinals.len() > 5 { " …" } else { "" };
        let said = match ordinals.as_slice() {
            [_] => format!("{} waits for itself", names[0]),
            _ => format!(
                "These steps wait for each other, so none can begin: {}{more}",
                names.join(", ")
            ),
        };
        // The dependency that leads back into the circle.
        let place = |ordinal: usize| {
            let place = Place::step(ordinal).field("depends_on");
            let inside = |id| {
                workflow
                    .step(id)
                    .is_some_and(|step| ordinals.binary_search(&step.ordinal).is_ok())
            };
            match workflow.steps()[ordinal].depends_on.iter().position(inside) {
                Some(n) => place.field(n.to_string()),
                None => place,
            }
        };
        let mut diagnostic = Diagnostic::new(PAGE.code, Severity::Error, place(ordinals[0]), said)
            .help("Remove one of the dependencies");
        for &ordinal in ordinals.iter().skip(1).take(10) {
            diagnostic = diagnostic.related(place(ordinal), "waits too");
        }
        found.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, step, to};
    use crate::{Place, Routing, Step};

    fn waiting(id: &str, on: &[&str]) -> Step {
        Step {
            depends_on: on.iter().map(|id| (*id).into()).collect(),
            ..step(id, Routing::Dependencies)
        }
    }

    #[test]
    fn a_circle_of_dependencies_is_an_error() {
        let workflow = flow(vec![
            waiting("a", &["c"]),
            waiting("b", &["a"]),
            waiting("c", &["b"]),
            waiting("d", &["a"]),
        ]);
        let wanted = "These steps wait for each other, so none can begin: `a`, `b`, `c`".to_owned();
        assert_eq!(found(&workflow, "GH0008"), [(Some(0), wanted)]);
        let all = super::super::check(&workflow);
        let circle = all.iter().find(|d| d.code == "GH0008").expect("reported");
        assert_eq!(circle.place, Place::step(0).field("depends_on").field("0"));
    }

    #[test]
    fn a_step_that_waits_for_itself_is_an_error() {
        assert_eq!(found(&flow(vec![waiting("a", &["a"])]), "GH0008").len(), 1);
    }

    #[test]
    fn a_loop_of_the_flow_is_no_circle_of_dependencies() {
        let mut second = step("b", to("a"));
        second.depends_on = vec!["a".into()];
        assert!(found(&flow(vec![step("a", to("b")), second, step("c", end())]), "GH0008").is_empty());
    }
}
