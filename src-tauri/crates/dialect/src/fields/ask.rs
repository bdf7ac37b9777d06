//! When a field asks for something that a run does not carry out, and what would follow if it ran all the same.

use super::asked::{Asked, shortened};
use super::elsewhere::ends_with_failure;
use super::people::is_of_people;
use super::slip;
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Place, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of routing that are carried out.
pub(super) const KINDS: [&str; 6] = ["linear", "microloop", "branch", "terminal", "fork", "join"];
/// The kinds of edges that are carried out; `conditional` and `branch` are edges with a condition.
const EDGES: [&str; 6] = ["sequence", "loop", "branch", "conditional", "fork", "join"];

/// Whether several agents do the step: `parallel` then says that they work together.
pub(super) fn has_several_agents(asked: &Asked<'_>) -> bool {
    let fields = ["agents", "agent", "station"];
    let beside = fields.into_iter().filter_map(|name| asked.beside(name));
    let each = beside.flat_map(|id| asked.tree().items(id).map_or_else(|| vec![id], <[NodeId]>::to_vec));
    // The same name twice is one agent.
    let names: BTreeSet<String> = each.filter_map(|id| asked.context.text(id)).collect();
    names.len() > 1
}

/// Any kind of routing but those that are carried out. `terminal` with a step behind it says two things.
pub(super) fn other_kind(asked: &Asked<'_>) -> Option<String> {
    if asked.context.is_null(asked.id) {
        return None;
    }
    let kind = asked.text()?;
    let next = asked
        .beside("next")
        .and_then(|id| asked.context.text(id))
        .filter(|next| !next.is_empty());
    let targets = asked
        .beside("fork_targets")
        .map(|id| asked.names(id))
        .filter(|names| !names.is_empty());
    let in_config = asked.beside("fork_config").is_some_and(|id| {
        let config = Block::open(asked.context, id, Place::document());
        config
            .peek(asked.context, "targets")
            .is_some_and(|id| !asked.names(id).is_empty())
    });
    let is_carried_out = match kind.as_str() {
        "terminal" => next.is_none(),
        "fork" => targets.is_some() || in_config,
        known => KINDS.contains(&known),
    };
    if is_carried_out {
        return None;
    }
    if kind == "fork" {
        return Some("This fork names no branches: list their first steps in `fork_targets`".to_owned());
    }
    let follows = match (kind.as_str(), targets, next) {
        ("parallel", Some(names), _) => {
            format!("its branches ({}) would not run beside each other", names.join(", "))
        }
        (_, _, Some(next)) => format!("the run would just go on to `{}`", shortened(&next)),
        (_, _, None) => "the flow would end after this step".to_owned(),
    };
    Some(format!(
        "Routing kind `{}` is not carried out: {follows}",
        shortened(&kind)
    ))
}

/// A kind of edge that is not carried out.
pub(super) fn other_edge(asked: &Asked<'_>) -> Option<String> {
    let kind = asked.text()?;
    (!EDGES.contains(&kind.as_str())).then(|| {
        let follows = match kind.as_str() {
            "parallel" => "its branches would not run beside each other",
            "detour" | "inject" | "sidequest" => "nothing would lead there and back",
            _ => "what it asks for would be passed over",
        };
        format!(
            "An edge of the kind `{}` is not carried out: {follows}",
            shortened(&kind)
        )
    })
}

/// The word that was meant, of a kind that is none.
pub(super) fn right_word(asked: &Asked<'_>) -> Option<&'static str> {
    let known: &[&'static str] = match asked.name {
        "kind" | "type" if asked.beside("to").is_some() && asked.beside("from").is_some() => &EDGES,
        "kind" => &KINDS,
        _ => return None,
    };
    let word = asked.text()?;
    known
        .iter()
        .copied()
        .find(|known| slip::is_near(&word, known) && *known != word)
}

pub(super) fn with_word(found: Diagnostic, place: Place, word: &'static str) -> Diagnostic {
    let value = word.into();
    found.fix(format!("Change to `{word}`"), Edit::Set { place, value })
}

/// A condition beside a routing that has no ways to choose from.
pub(super) fn stray_condition(asked: &Asked<'_>) -> Option<String> {
    let text = asked
        .text()
        .map_or_else(String::new, |text| format!(" `{}`", shortened(&text)));
    Some(format!(
        "The condition{text} stands beside no way of its own: nothing would ask it"
    ))
}

/// The next flow.
pub(super) fn next_flow(asked: &Asked<'_>) -> Option<String> {
    let flow = asked
        .text()
        .map_or_else(|| "the next flow".to_owned(), |flow| format!("`{}`", shortened(&flow)));
    Some(format!(
        "One flow leading to another is not carried out: {flow} would not begin"
    ))
}

/// What is to happen at the end, besides the next flow (which has its own field inside).
pub(super) fn other_end(asked: &Asked<'_>) -> Option<String> {
    const KNOWN: [&str; 8] = [
        "next_flow",
        "reason",
        "condition",
        "pass_artifacts",
        "description",
        "note",
        "label",
        "title",
    ];
    // What happens anyway.
    let is_usual = asked.text().is_some_and(|text| ends_with_failure(asked.name, &text));
    let entries = asked.tree().entries(asked.id);
    let key = |id: NodeId| asked.context.text(id).unwrap_or_default();
    let is_known = entries.is_some_and(|entries| entries.iter().all(|(id, _)| KNOWN.contains(&key(*id).as_str())));
    (!is_known && !is_usual && !asked.context.says_nothing(asked.id)).then(|| {
        format!(
            "`{}` is not carried out: nothing happens when the workflow ends",
            asked.name
        )
    })
}

/// What a fork or a join says where nothing reads it.
pub(super) fn not_here(asked: &Asked<'_>) -> Option<String> {
    Some(format!(
        "`{}` is not carried out here: branches would begin and be counted as if it were not there",
        asked.name
    ))
}

/// Branches beside each other.
pub(super) fn fork(asked: &Asked<'_>) -> Option<String> {
    let block = Block::open(asked.context, asked.id, Place::document());
    let point = block.peek(asked.context, "fork_point");
    if point.is_some_and(|id| !asked.context.says_nothing(id)) {
        return None;
    }
    Some("`parallel` does not say with `fork_point` after which step branches begin: none would".to_owned())
}

/// Detours and injected steps.
pub(super) fn detour(asked: &Asked<'_>) -> Option<String> {
    Some(format!(
        "`{}` is not carried out: no run would ever take the way aside",
        asked.name
    ))
}

/// Another workflow in place of a step's own work.
pub(super) fn subflow(asked: &Asked<'_>) -> Option<String> {
    let what = asked
        .text()
        .map_or_else(|| "the workflow".to_owned(), |text| format!("`{}`", shortened(&text)));
    Some(format!(
        "A step that runs another workflow is not carried out here: {what} would not run"
    ))
}

/// Nodes that decide where a run goes, in graphs of elsewhere, or that are none of its work.
const OF_CONTROL: [&str; 34] = [
    "subflow",
    "fork",
    "join",
    "parallel",
    "detour",
    "flow",
    "workflow",
    "sidequest",
    "inject",
    "decision",
    "condition",
    "conditional",
    "branch",
    "switch",
    "if",
    "router",
    "choice",
    "gateway",
    "merge",
    "loop",
    "microloop",
    "while",
    "for_each",
    "foreach",
    "map",
    "wait",
    "pause",
    "delay",
    "timer",
    "end",
    "disabled",
    "skip",
    "skipped",
    "stop",
];
/// Words of which one in a kind says so.
const WORDS_OF_CONTROL: [&str; 4] = ["gateway", "subflow", "subworkflow", "workflow"];
/// Nodes that are steps like any other.
const OF_WORK: [&str; 22] = [
    "",
    "action",
    "activity",
    "agent",
    "command",
    "custom",
    "default",
    "input",
    "job",
    "llm",
    "node",
    "normal",
    "operation",
    "output",
    "process",
    "script",
    "service_task",
    "start",
    "station",
    "step",
    "task",
    "tool",
];

/// Whether the kind of a node says that it decides where a run goes.
fn is_of_control(kind: &str) -> bool {
    OF_CONTROL.contains(&kind) || kind.split('_').any(|word| WORDS_OF_CONTROL.contains(&word))
}

/// A kind of node that is not known: nothing tells whether whoever wrote it expects more than a step.
pub(super) fn unknown_node(kind: &str) -> Option<String> {
    let plain = slip::plain(kind);
    let is_known = OF_WORK.contains(&plain.as_str()) || is_of_people(&plain) || is_of_control(&plain);
    (!is_known).then(|| {
        format!(
            "The kind `{}` of this node has no effect: it runs like any step",
            shortened(kind)
        )
    })
}

/// The kind of a node: everything but a plain step asks for more.
pub(super) fn other_node(asked: &Asked<'_>) -> Option<String> {
    // A list or a block of fields says it as well.
    let items = asked.tree().items(asked.id).unwrap_or(&[]).iter().copied();
    let block = Block::open(asked.context, asked.id, Place::document());
    let inner = ["type", "kind", "name"]
        .into_iter()
        .filter_map(|name| block.peek(asked.context, name));
    let texts = items.chain(inner).filter_map(|id| asked.context.text(id));
    let kinds: Vec<String> = asked.text().into_iter().chain(texts).collect();
    if let Some(kind) = kinds.iter().find(|kind| is_of_people(&slip::plain(kind))) {
        return asks_nobody(asked, kind);
    }
    let kind = asked.text()?;
    let plain = slip::plain(&kind);
    is_of_control(&plain).then(|| {
        format!(
            "A node of the kind `{}` is not carried out: it would run like any step",
            shortened(&kind)
        )
    })
}

/// What is said of a node at which a person should be asked and is not.
fn asks_nobody(asked: &Asked<'_>, kind: &str) -> Option<String> {
    let gate = asked.beside("human_gate");
    let asks = gate.is_some_and(|id| !super::says_no(asked.context, id));
    (!asks).then(|| {
        format!(
            "A node of the kind `{}` is not carried out: it would run like any step, and nobody would be asked",
            shortened(kind)
        )
    })
}

/// How a node is drawn: `ui.type: subflow`.
pub(super) fn drawn_as(asked: &Asked<'_>) -> Option<String> {
    let block = Block::open(asked.context, asked.id, Place::document());
    let kind = asked.context.text(block.peek(asked.context, "type")?)?;
    let plain = slip::plain(&kind);
    if is_of_people(&plain) {
        return asks_nobody(asked, &kind);
    }
    (plain == "subflow")
        .then(|| "This node stands for a subflow, which is not carried out: it would run like any step".to_owned())
}

/// What a policy answers to a state of the work.
pub(super) fn unknown_answer(asked: &Asked<'_>) -> Option<String> {
    let word = asked.text()?;
    let known = model::Escalation::word(&word);
    // A person is asked where the work is stuck, for nothing else.
    let may_ask = [
        "on_blocked",
        "on_unverified_cannot_iterate",
        "escalate_on_unverified_streak",
    ];
    let carried_out = known == Some(false) || known == Some(true) && may_ask.contains(&asked.name);
    (!carried_out).then(|| {
        format!(
            "`{}` is not carried out here: a run would pay no heed to it",
            shortened(&word)
        )
    })
}

/// A list beside the one whose steps are done.
pub(super) fn second_list(asked: &Asked<'_>) -> Option<String> {
    asked.beside("steps")?;
    Some(format!(
        "`{}` has no effect beside `steps`: its steps would not be done",
        asked.name
    ))
}

/// Exits of a graph's node.
pub(super) fn own_exit(asked: &Asked<'_>) -> Option<String> {
    Some(format!(
        "`{}` of a node is not carried out: its loops would end as the edges say",
        asked.name
    ))
}

/// The kinds of routing that read a field of the block.
fn kinds_of(name: &str) -> &'static [&'static str] {
    match name {
        "loop_target" | "exit_on" | "loop_condition_field" | "loop_success_values" | "max_iterations" => &["microloop"],
        "fork_targets" | "fork_config" | "join_point" => &["fork"],
        "execution_policy" | "batch_size" | "isolation" | "failure_policy" => &["fork"],
        "join_from" => &["join"],
        "join_strategy" | "join_config" => &["join", "fork"],
        "strategy" | "quorum" | "quorum_count" | "aggregate_status" | "timeout_seconds" => &["join", "fork"],
        _ => &["branch"],
    }
}

/// The kind that a routing has, where it is one that is known; any other is an error of its own.
fn kind_beside(asked: &Asked<'_>) -> Option<String> {
    let kind = asked.beside("kind").and_then(|id| asked.context.text(id));
    Some(kind.unwrap_or_else(|| "linear".to_owned())).filter(|kind| KINDS.contains(&kind.as_str()))
}

/// Values by a field, where ways by conditions stand beside them: those alone are asked.
fn is_outdone(asked: &Asked<'_>) -> bool {
    ["branches", "branch_field"].contains(&asked.name) && asked.beside("when").is_some()
}

/// Whether a routing of this kind reads the field.
pub(super) fn is_read(asked: &Asked<'_>) -> bool {
    kind_beside(asked).is_none_or(|kind| kinds_of(asked.name).contains(&kind.as_str()) && !is_outdone(asked))
}

/// A way that another kind of routing reads.
pub(super) fn of_kind(asked: &Asked<'_>) -> Option<String> {
    if is_read(asked) {
        return None;
    }
    if is_outdone(asked) {
        return Some(format!(
            "`{}` stands beside `when`, which alone would be asked: its ways would be passed over",
            asked.name
        ));
    }
    Some(format!(
        "`{}` counts in a routing of the kind `{}` alone; this one is `{}`, so it would be passed over",
        asked.name,
        kinds_of(asked.name)[0],
        kind_beside(asked).unwrap_or_default()
    ))
}

/// Routing in a format whose steps run in the order of the file.
pub(super) fn in_order(asked: &Asked<'_>) -> Option<String> {
    Some(format!(
        "`{}` is not carried out here: the steps run in the order of the file",
        asked.name
    ))
}

/// Edges without a condition that leave one node: one of them alone would be followed.
pub(super) fn edges_beside(context: &mut Context<'_>, root: NodeId) {
    let block = Block::open(context, root, Place::document());
    let edges = block
        .peek(context, "edges")
        .and_then(|id| context.items(id))
        .unwrap_or(&[]);
    // From where → index and aim of each edge that is always followed.
    let mut always: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    // What forks by its word is refused where it stands.
    let mut forks: BTreeSet<String> = BTreeSet::new();
    for (n, id) in edges.iter().enumerate() {
        let edge = Block::open(context, *id, Place::document());
        let text = |key: &str| edge.peek(context, key).and_then(|id| context.text(id));
        let (Some(from), Some(to)) = (text("from"), text("to")) else {
            continue;
        };
        let kind = text("type").or_else(|| text("kind"));
        let kind = kind.as_deref().unwrap_or("sequence");
        let conditional = edge.peek(context, "condition").is_some_and(|id| !context.is_null(id));
        if kind == "fork" || !EDGES.contains(&kind) {
            forks.insert(from);
        } else if kind != "loop" && !conditional {
            always.entry(from).or_default().push((n, to));
        }
    }
    for (from, edges) in always {
        let [(_, first), (n, second), others @ ..] = edges.as_slice() else {
            continue;
        };
        if forks.contains(&from) {
            continue;
        }
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let said = format!(
            "{} edges without a condition leave `{}` (to `{}`, `{}`{more}), and only one of them would be followed",
            edges.len(),
            shortened(&from),
            shortened(first),
            shortened(second)
        );
        let place = Place::document().field("edges").field(n.to_string());
        context.report("GH0501", Severity::Error, place, said, Some(EDGES_HELP));
    }
}

const EDGES_HELP: &str = "This workflow does not start. Give all but one edge a condition, put the steps one after the other, \
                          or make one of the edges a fork (`type: fork`)";
