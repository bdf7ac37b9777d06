//! Names that ask for a gate, a condition or another beginning where nothing reads them. Whoever writes one expects the run to heed
//! it (CONTRACTS "Nothing is passed over in silence"), so the workflow does not start.

use super::Shape;
use super::ask::Asked;
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::Place;

/// What such a name asks for.
#[derive(Clone, Copy, PartialEq)]
enum Wish {
    Gate,
    Condition,
    Beginning,
    NextFlow,
    /// To be left out, where the value says so.
    Off,
}

const WISHES: [(Wish, &[&str]); 5] = [
    (
        Wish::Gate,
        &[
            "human_gate",
            "gate",
            "gates",
            "hitl",
            "approval",
            "approvals",
            "approvers",
            "approval_required",
            "requires_approval",
            "require_human",
            "requires_human",
            "needs_approval",
            "needs_human",
            "human_approval",
            "human_review",
            "manual_approval",
            "guards",
            "policy",
            "policies",
        ],
    ),
    (
        Wish::Condition,
        &[
            "when",
            "if",
            "unless",
            "condition",
            "conditions",
            "run_if",
            "skip_if",
            "skip_when",
            "negate",
        ],
    ),
    (Wish::Beginning, &["entry", "entry_point", "start", "start_at"]),
    (Wish::NextFlow, &["next_flow"]),
    (Wish::Off, &["enabled", "disabled", "skip"]),
];

/// Whether a name is looked at here. `is_root`: in the outermost block.
pub(super) fn is_meant(shape: Shape, name: &str, is_root: bool) -> bool {
    let Some(wish) = wish(name) else { return false };
    match (shape, wish) {
        // Front matter is the author's own besides: only what nobody writes by chance.
        (Shape::FrontMatter, _) => UNMISTAKABLE.contains(&name),
        (_, Wish::Beginning) => is_root,
        _ => true,
    }
}

const UNMISTAKABLE: [&str; 8] = [
    "human_gate",
    "approval_required",
    "requires_approval",
    "require_human",
    "requires_human",
    "run_if",
    "skip_if",
    "next_flow",
];

/// The id of the first step or node, seen from a field of the outermost block.
fn first_step(asked: &Asked<'_>) -> Option<String> {
    let list = ["nodes", "steps", "stages"]
        .into_iter()
        .find_map(|name| asked.beside(name))?;
    let first = *asked.tree().items(list)?.first()?;
    let block = Block::open(asked.context, first, Place::document());
    let id = ["node_id", "id", "name"]
        .into_iter()
        .find_map(|name| block.peek(asked.context, name))?;
    asked.context.text(id)
}

fn wish(name: &str) -> Option<Wish> {
    let (wish, _) = WISHES.into_iter().find(|(_, names)| names.contains(&name))?;
    Some(wish)
}

/// Whether a value says no.
pub(super) fn says_no(context: &Context<'_>, id: NodeId) -> bool {
    let text = context.text(id).unwrap_or_default().trim().to_lowercase();
    context.says_nothing(id) || ["no", "none", "n/a", "off", "false", "never"].contains(&text.as_str())
}

/// What follows when it is passed over, and what to do; `None`: it asks for nothing. `word`: the name as [`is_meant`] has it.
pub(super) fn asks(asked: &Asked<'_>, name: &str, word: &str) -> Option<(String, &'static str)> {
    let wish = wish(word)?;
    let says_no = says_no(asked.context, asked.id);
    let is_block = asked.context.is_map(asked.id) || asked.tree().items(asked.id).is_some();
    let asks = match word {
        "enabled" => says_no && !asked.context.is_null(asked.id),
        // Words about a policy are words.
        "policy" | "policies" | "guards" => is_block && !says_no,
        // Where a run begins anyway.
        _ if wish == Wish::Beginning => {
            let is_first = asked.text().is_some_and(|text| first_step(asked) == Some(text));
            !says_no && !is_first
        }
        _ => !says_no,
    };
    let (follows, help) = match wish {
        Wish::Gate => (
            "nobody would be asked because of it",
            "This workflow does not start. Write `human_gate: required` on the step where a person is to be asked, or remove it",
        ),
        Wish::Condition => (
            "what it stands on would run whether it holds or not",
            "This workflow does not start. Write the condition in the `routing` of a flow's step or on an edge of a graph, or remove it",
        ),
        Wish::Beginning => (
            "the run would begin at the first step of the file",
            "This workflow does not start. Put the step that is to begin first, and remove it",
        ),
        Wish::NextFlow => (
            "the next flow would not begin",
            "This workflow does not start. Remove it and start the next flow by hand, or call both from a runbook or a pipeline",
        ),
        Wish::Off => (
            "what it stands on would run all the same",
            "This workflow does not start. Remove the step, or remove this",
        ),
    };
    asks.then(|| (format!("`{name}` is not carried out here: {follows}"), help))
}

#[cfg(test)]
mod tests {
    use crate::Document;

    /// The messages of GH0501 about a file.
    fn refused(path: &str, text: &str) -> Vec<String> {
        let document = Document::parse(path, text);
        let found = document.diagnostics().iter().filter(|one| one.code == "GH0501");
        found.map(|one| one.message.clone()).collect()
    }

    #[test]
    fn what_asks_for_something_where_nothing_reads_it_does_not_start() {
        let step = |more: &str| format!("id: f\nsteps:\n  - {{id: a, agents: [w], routing: {{kind: linear}}{more}}}\n");
        for (name, more) in [
            ("approvers", ", approvers: [ada]"),
            ("requires_approval", ", requires_approval: true"),
            ("when", ", when: \"x == 1\""),
            ("skip_if", ", skip_if: \"x == 1\""),
            ("enabled", ", enabled: false"),
            ("requiresApproval", ", requiresApproval: true"),
            ("Approval", ", Approval: the lead"),
            ("human-approval", ", human-approval: required"),
        ] {
            let said = refused("f.yaml", &step(more));
            assert!(
                said.len() == 1 && said[0].contains(&format!("`{name}` is not carried out here")),
                "{name}: {said:?}"
            );
        }
        for more in [
            "",
            ", enabled: true",
            ", skip: false",
            ", skip: \"no\"",
            ", gate: none",
            ", requiresApproval: false",
            ", policy: \"Handbook, section 4\"",
            ", station: w, agent: w",
            ", human_gate: required",
        ] {
            assert_eq!(refused("f.yaml", &step(more)), Vec::<String>::new(), "{more}");
        }
        let inner = "id: f\nsteps:\n  - {id: a, agents: [w], routing: {kind: linear, human_gate: required}}\n";
        assert_eq!(refused("f.yaml", inner).len(), 1);
        let root = "id: f\nnext_flow: g\nsteps:\n  - {id: a, agents: [w], routing: {kind: linear}}\n";
        assert_eq!(refused("f.yaml", root).len(), 1);
        let graph = "key: g\nentry: b\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]}]\nedges: [{from: a, to: b, when: \"x\", human_gate: required}]\n";
        assert_eq!(refused("g.yaml", graph).len(), 3);
        let usual = "key: g\nentry: a\nnodes: [{node_id: a, agents: [w]}, {node_id: b, agents: [w]}]\nedges: [{from: a, to: b}]\n";
        assert_eq!(refused("g.yaml", usual), Vec::<String>::new());
        let notes = "---\npolicy: HR-7\napproval: pending\nwhen: 2026-02-01\n---\n\n# N\n\n## 1 Scope\n\nRead it.\n";
        assert_eq!(refused("n.runbook.md", notes), Vec::<String>::new());
        let notes = "---\nhumanGate: required\n---\n\n# N\n\n## 1 Scope\n\nRead it.\n";
        assert_eq!(refused("n.runbook.md", notes).len(), 1);
        let pipeline = "name: p\nhuman_gate: required\nstages: [{name: a, agents: [w], if: x, approval: required}]\n";
        assert_eq!(refused("PIPE-20260101-p-000000.yaml", pipeline).len(), 3);
    }
}
