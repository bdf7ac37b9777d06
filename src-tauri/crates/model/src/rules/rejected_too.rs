//! GH0011: what is rejected and what is approved come to the same step, because of its place in the file alone.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, FlowKind, Place, Routing, Severity, Workflow};
use petgraph::algo::has_path_connecting;
use petgraph::visit::EdgeFiltered;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0011",
    title: "A rejection leads where an approval leads too",
    page: include_str!("rejected_too.md"),
};

/// Bound on the edges that are walked, far above any flow written by people.
const MOST_EDGES: usize = 5_000_000;

/// Where somebody wrote that the step follows, both ways are meant to come there.
pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    // Where steps are done in their order alone, whatever a rejection leads to further down follows an approval too.
    if !workflow.contract().says_what_follows {
        return;
    }
    let graph = workflow.graph();
    let onward = EdgeFiltered::from_fn(graph, |edge| {
        !matches!(edge.weight().kind, FlowKind::Reject | FlowKind::DependsOn)
    });
    let mut left = MOST_EDGES;
    for gated in workflow.steps() {
        let to = gated.gate.as_ref().and_then(|gate| gate.on_reject.as_ref());
        let Some(target) = to.and_then(|to| workflow.step(to)) else {
            continue;
        };
        let above = target.ordinal.checked_sub(1).map(|at| &workflow.steps()[at]);
        let Some(above) = above.filter(|above| above.ordinal >= gated.ordinal) else {
            continue;
        };
        let (from, at, to) = (gated.ordinal, above.ordinal, target.ordinal);
        let (from, at, to) = (workflow.node(from), workflow.node(at), workflow.node(to));
        let by_place = matches!(above.routing, Routing::Sequence)
            && graph
                .edges_connecting(at, to)
                .any(|edge| edge.weight().kind == FlowKind::Next);
        if !by_place {
            continue;
        }
        let Some(rest) = left.checked_sub(graph.edge_count()) else {
            return;
        };
        left = rest;
        if !has_path_connecting(&onward, from, at, None) {
            continue;
        }
        let said = format!(
            "{} also follows where {} is approved, not only where it is rejected",
            target.spoken(),
            gated.spoken()
        );
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, Place::step(target.ordinal), said)
                .related(
                    Place::step(gated.ordinal).field("on_reject"),
                    "is the rejection that leads to it",
                )
                .help(format!(
                    "Say what follows {}: nothing, or another step (`routing: {{kind: linear}}`)",
                    above.spoken()
                )),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, gated, step, to};
    use crate::{Routing, Step};

    fn rejecting(to: &str, routing: Routing) -> Step {
        let mut step = gated("approve", routing);
        if let Some(gate) = &mut step.gate {
            gate.on_reject = Some(to.into());
        }
        step
    }

    #[test]
    fn what_follows_an_approval_by_its_place_alone_is_not_meant_for_rejections_only() {
        let with = |pay: Routing| {
            let steps = vec![
                step("read", to("approve")),
                rejecting("send_back", to("pay")),
                step("pay", pay),
                step("send_back", end()),
            ];
            found(&flow(steps), "GH0011")
        };
        let wanted = "“Send back” also follows where “Approve” is approved, not only where it is rejected".to_owned();
        assert_eq!(with(Routing::Sequence), [(Some(3), wanted)]);
        // Said where it leads, it is meant; and where it ends nothing follows.
        assert_eq!(with(to("send_back")), []);
        assert_eq!(with(end()), []);
    }

    #[test]
    fn a_rejection_that_leads_back_or_to_a_way_of_its_own_is_none() {
        let back = vec![
            step("read", Routing::Sequence),
            rejecting("read", Routing::Sequence),
            step("pay", end()),
        ];
        assert_eq!(found(&flow(back), "GH0011"), []);
        let own = vec![
            rejecting("tell", to("pay")),
            step("pay", end()),
            step("aside", Routing::Sequence),
            step("tell", end()),
        ];
        assert_eq!(found(&flow(own), "GH0011"), []);
    }
}
