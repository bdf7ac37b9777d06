//! The workflow: steps in document order and the graph their routing spans.

use crate::flow::{Flow, FlowKind};
use crate::outline::Outline;
use crate::{
    Back, Contract, Escalation, Fields, Format, Onward, Part, Question, Routing, Step, StepId, WorkflowId, meet, ways,
};
use petgraph::Direction;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use petgraph::visit::EdgeRef as _;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// What becomes of the rest when a stage has failed (seed 004 "Handle failures"; `error_handling`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// What has been queued is finished, nothing else begins, the run fails.
    #[default]
    Halt,
    /// What depends on the stage is skipped, everything else goes on.
    SkipDependents,
}

/// A workflow of any format. Build it with [`Workflow::new`]; the graph is derived and never edited by hand.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// The author's id.
    pub id: WorkflowId,
    /// What a person reads.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// Which contract.
    pub format: Format,
    /// What sort of work it is for, in a word of the author: `greenfield-service` (seed 003 `workflow_type`).
    pub kind: Option<String>,
    /// A stepwise flow of the later generation (`stations`, `exit_on`): success is read before the loop bound.
    pub spec_generation: bool,
    /// A step's report may name the step that follows, in `next_step_id`: in a flow, not in a graph file, whose runs follow
    /// its edges alone.
    pub next_reported: bool,
    /// What is asked before a run begins: its answers are the run's inputs.
    pub questions: Vec<Question>,
    /// Of a pipeline: what becomes of the rest when a stage has failed.
    pub on_failure: OnFailure,
    /// What the flow says follows its end; where it leads is a name as written. Several flows together: see [`Part`].
    pub on_complete: Option<Onward>,
    /// What it says follows the failure of a step.
    pub after_failure: Option<Onward>,
    /// When its policy asks a person for the way on.
    pub escalation: Escalation,
    /// In its texts braces may mean anything: a placeholder that stands for nothing is told as it is written. Paths are resolved whole.
    pub verbatim: bool,
    /// Everything else the author wrote at the top level.
    pub fields: Fields,
    parts: Vec<Part>,
    graph: StableDiGraph<usize, Flow>,
    nodes: Vec<NodeIndex>,
    outline: Outline,
    /// How often its loops and detours may be taken in all; asked for at every step of a run, and counted when it is asked first.
    rounds: OnceLock<usize>,
    /// By place: the words by which conditions read a step's report; asked for at every attempt, and found when it is asked first.
    pub(crate) read: OnceLock<Vec<Arc<BTreeSet<String>>>>,
}

impl Workflow {
    /// What the contract that it is written to says.
    pub fn contract(&self) -> &'static Contract {
        self.format.contract()
    }

    /// Builds the graph. `steps[i].ordinal` must be `i`; of two steps of one id the first can be reached.
    pub fn new(id: WorkflowId, title: String, format: Format, steps: Vec<Step>) -> Self {
        Self::of_parts(id, title, format, steps, Vec::new())
    }

    /// The same of several flows, each with its place among the steps ([`crate::part::in_part`]).
    pub fn of_parts(id: WorkflowId, title: String, format: Format, steps: Vec<Step>, parts: Vec<Part>) -> Self {
        let outline = Outline::new(steps);
        let steps = outline.steps();
        let mut graph = StableDiGraph::new();
        let nodes: Vec<NodeIndex> = (0..steps.len()).map(|i| graph.add_node(i)).collect();
        for (i, step) in steps.iter().enumerate() {
            let mut connect = |to: &StepId, kind: FlowKind, label: Option<String>, max: Option<u32>| {
                if let Some(j) = outline.place(to) {
                    graph.add_edge(
                        nodes[i],
                        nodes[j],
                        Flow {
                            kind,
                            label,
                            max_iterations: max,
                        },
                    );
                }
            };
            match &step.routing {
                Routing::Sequence => {
                    if let Some(next) = following(steps, &parts, i) {
                        connect(&next.id, FlowKind::Next, None, None);
                    }
                }
                Routing::Linear { next } => {
                    let aside = step.detour_from.is_some();
                    if let Some(next) = next {
                        connect(next, if aside { FlowKind::Detour } else { FlowKind::Next }, None, None);
                    }
                }
                Routing::Fork(fork) => {
                    for to in &fork.targets {
                        connect(to, FlowKind::Branch, None, None);
                    }
                }
                Routing::Unknown { next, .. } => {
                    if let Some(next) = next {
                        connect(next, FlowKind::Next, None, None);
                    }
                }
                Routing::Microloop(m) => {
                    if let Some(target) = &m.loop_target {
                        connect(target, FlowKind::Loop, None, Some(m.max_iterations));
                    }
                    if let Some(next) = &m.next {
                        connect(next, FlowKind::Next, None, None);
                    }
                }
                Routing::Branch(b) => {
                    for (value, to) in &b.branches {
                        connect(to, FlowKind::Branch, Some(value.clone()), None);
                    }
                    if let Some(next) = &b.next {
                        connect(next, FlowKind::Branch, Some("otherwise".to_owned()), None);
                    }
                }
                Routing::Guarded { guards, next } => {
                    for guard in guards {
                        let kind = if guard.back { FlowKind::Loop } else { FlowKind::Branch };
                        connect(&guard.to, kind, guard.condition.label(), None);
                    }
                    if let Some(next) = next {
                        let label = if guards.is_empty() {
                            None
                        } else {
                            Some("otherwise".to_owned())
                        };
                        connect(next, FlowKind::Branch, label, None);
                    }
                }
                Routing::Return { from, back } => match back {
                    Back::Resume => connect(from, FlowKind::Detour, Some("again".to_owned()), None),
                    Back::Advance => connect(from, FlowKind::Detour, None, None),
                    Back::To(to) => connect(to, FlowKind::Detour, None, None),
                    Back::Halt => {}
                },
                Routing::Transitions { .. } | Routing::Dependencies | Routing::Terminal => {}
            }
            for detour in &step.detours {
                connect(&detour.first, FlowKind::Detour, detour.when(), None);
            }
            if let Some(to) = step.gate.as_ref().and_then(|g| g.on_reject.as_ref()) {
                connect(to, FlowKind::Reject, Some("rejected".to_owned()), None);
            }
        }
        for (i, step) in steps.iter().enumerate() {
            for dependency in &step.depends_on {
                if let Some(j) = outline.place(dependency) {
                    let flow = Flow {
                        kind: FlowKind::DependsOn,
                        label: None,
                        max_iterations: None,
                    };
                    graph.add_edge(nodes[j], nodes[i], flow);
                }
            }
        }
        let mut workflow = Self {
            id,
            title,
            description: None,
            format,
            kind: None,
            spec_generation: false,
            next_reported: format.contract().next_reported,
            questions: Vec::new(),
            on_failure: OnFailure::default(),
            on_complete: None,
            after_failure: None,
            escalation: Escalation::default(),
            verbatim: false,
            fields: Fields::new(),
            parts,
            graph,
            nodes,
            outline,
            rounds: OnceLock::new(),
            read: OnceLock::new(),
        };
        workflow.connect_transitions();
        workflow.find_joins();
        workflow
    }

    /// For each step those that it leads to, by their place in the file; what it waits for is none of them.
    pub(crate) fn ways(&self) -> Vec<Vec<usize>> {
        let leads = |node: &NodeIndex| {
            let edges = self.graph.edges(*node);
            let edges = edges.filter(|edge| edge.weight().kind != FlowKind::DependsOn);
            edges.map(|edge| self.graph[edge.target()]).collect()
        };
        self.nodes.iter().map(leads).collect()
    }

    /// Where the branches of a fork meet that does not say it.
    fn find_joins(&mut self) {
        let found: Vec<(usize, Option<StepId>)> = self
            .steps()
            .iter()
            .filter_map(|step| match &step.routing {
                Routing::Fork(fork) if fork.join.is_none() => {
                    let heads = fork.targets.iter().map(|to| self.outline.place(to));
                    let heads: Option<Vec<usize>> = heads.collect();
                    let join = heads.and_then(|heads| meet::meeting(&self.ways(), step.ordinal, &heads));
                    Some((step.ordinal, join.map(|join| self.steps()[join].id.clone())))
                }
                _ => None,
            })
            .collect();
        for (ordinal, join) in found {
            if let Routing::Fork(fork) = &mut self.outline.steps_mut()[ordinal].routing {
                fork.join = join;
            }
        }
    }

    /// The edges of a runbook lead by its outline: they come when that stands.
    fn connect_transitions(&mut self) {
        let steps = self.steps().iter();
        let edges: Vec<(usize, usize, Flow)> = steps
            .flat_map(|step| {
                ways::of(&self.outline, step)
                    .into_iter()
                    .map(|(to, flow)| (step.ordinal, to, flow))
            })
            .collect();
        for (from, to, flow) in edges {
            self.graph.add_edge(self.nodes[from], self.nodes[to], flow);
        }
    }

    /// The same workflow with something else said of its steps. What the graph follows from (ids, routing, gates, dependencies) is not to
    /// be changed: it is not built again.
    #[must_use]
    pub fn with_steps(mut self, change: impl FnMut(&mut Step)) -> Self {
        self.outline.steps_mut().iter_mut().for_each(change);
        self.rounds = OnceLock::new();
        self.read = OnceLock::new();
        self
    }

    /// Steps in document order.
    pub fn steps(&self) -> &[Step] {
        self.outline.steps()
    }
    /// The step of this id; of two the first.
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.outline.step(id)
    }
    /// The step after this one in document order; of several flows in its own.
    pub fn step_after(&self, step: &Step) -> Option<&Step> {
        following(self.steps(), &self.parts, step.ordinal)
    }
    /// The step around this one.
    pub fn container(&self, step: &Step) -> Option<&Step> {
        self.outline.container(step)
    }
    /// The steps directly inside this one, in document order.
    pub fn children(&self, step: &Step) -> impl DoubleEndedIterator<Item = &Step> {
        self.outline.children(step)
    }
    /// Where a token that comes to this step begins: a container is entered at its first step (CONTRACTS "Rundown").
    pub fn entered_at<'a>(&'a self, step: &'a Step) -> &'a Step {
        self.outline.entered_at(step)
    }
    /// The next step inside the same container, in document order; of an outermost step the next outermost one, those
    /// that only a jump reaches left out.
    pub fn sibling_after(&self, step: &Step) -> Option<&Step> {
        self.outline.sibling_after(step)
    }
    /// The first dynamic step directly inside this one.
    pub fn dynamic_child(&self, step: &Step) -> Option<&Step> {
        self.outline.dynamic_child(step)
    }
    /// The dynamic step or substep that a bare `NEXT` advances: the step itself, one beside it, or one around it.
    pub fn innermost_dynamic<'a>(&'a self, step: &'a Step) -> Option<&'a Step> {
        self.outline.innermost_dynamic(step)
    }
    /// The flows that it is put together from, in the order of a run; none of a workflow that is one flow.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// The flow of this key.
    pub fn part(&self, key: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.key == key)
    }
    /// What a person reads of the flow of this key: of one of several its own title, of the only one the workflow's.
    pub fn title_of<'a>(&'a self, flow: &'a str) -> &'a str {
        match self.part(flow) {
            Some(part) => &part.title,
            None if flow == self.id.as_str() => &self.title,
            None => flow,
        }
    }
    /// The flow that a step belongs to.
    pub fn part_of(&self, step: &Step) -> Option<&Part> {
        self.parts.iter().find(|part| part.steps.contains(&step.ordinal))
    }
    /// The flow that follows another one in the order of the list; `but`: not this one.
    pub fn next_in_list(&self, key: &str, but: Option<&str>) -> Option<&Part> {
        let place = self.parts.iter().position(|part| part.key == key)?;
        let mut behind = self.parts[place + 1..].iter();
        behind.find(|part| !part.utility && Some(part.key.as_str()) != but)
    }
    /// Where a flow of several begins.
    pub fn entry_of(&self, key: &str) -> Option<&Step> {
        let steps = self.steps().get(self.part(key)?.steps.clone())?;
        let first = steps.iter().find(|step| !step.jump_only && step.parent.is_none());
        first.or(steps.first())
    }
    /// The step that an agent means who works in this one's flow and names one by the id in its file.
    pub fn meant_at(&self, step: &Step, name: &str) -> StepId {
        match self.part_of(step) {
            Some(part) if !name.contains('/') => StepId::from(format!("{}/{name}", part.key)),
            _ => StepId::new(name),
        }
    }
    /// Whether a step stands in a flow of the later generation.
    pub fn is_of_spec_generation(&self, step: &Step) -> bool {
        self.part_of(step)
            .map_or(self.spec_generation, |part| part.spec_generation)
    }
    /// When the policy of a step's flow asks a person for the way on.
    pub fn escalation_at(&self, step: &Step) -> Escalation {
        self.part_of(step).map_or(self.escalation, |part| part.escalation)
    }
    /// Whether a step's report may name the step that follows.
    pub fn may_report_next(&self, step: &Step) -> bool {
        self.part_of(step).map_or(self.next_reported, |part| part.next_reported)
    }
    /// Where a run begins: the first step that is not only a jump's target, of a container the first step in it.
    pub fn entry(&self) -> Option<&Step> {
        let first = self
            .steps()
            .iter()
            .find(|step| !step.jump_only && step.parent.is_none());
        first.or(self.steps().first()).map(|step| self.entered_at(step))
    }
    /// The derived graph; node weights are ordinals into [`Workflow::steps`].
    pub fn graph(&self) -> &StableDiGraph<usize, Flow> {
        &self.graph
    }
    /// The graph node of a step.
    pub fn node(&self, ordinal: usize) -> NodeIndex {
        self.nodes[ordinal]
    }
    /// The edges from one step to another, each with its index into [`Workflow::flows`], in that order.
    pub fn flows_between(&self, from: &Step, to: &Step) -> Vec<(usize, &Flow)> {
        // Nothing is ever taken out of the graph, so that an edge's index is its place among the flows.
        let edges = self
            .graph
            .edges_connecting(self.nodes[from.ordinal], self.nodes[to.ordinal]);
        let mut between: Vec<(usize, &Flow)> = edges.map(|edge| (edge.id().index(), edge.weight())).collect();
        between.sort_by_key(|(index, _)| *index);
        between
    }
    /// The steps that may turn a loop around this one, in document order: itself, and those whose loop leads back to it.
    pub fn turners(&self, step: &Step) -> Vec<&Step> {
        let edges = self.graph.edges_directed(self.nodes[step.ordinal], Direction::Incoming);
        let loops = edges.filter(|edge| edge.weight().kind == FlowKind::Loop);
        let mut turners: Vec<usize> = loops
            .map(|edge| self.graph[edge.source()])
            .chain([step.ordinal])
            .collect();
        turners.sort_unstable();
        turners.dedup();
        turners.into_iter().map(|ordinal| &self.steps()[ordinal]).collect()
    }
    /// How often a run may enter steps before it is stopped as one that turns for ever.
    pub fn safety_limit(&self) -> usize {
        let count = || {
            self.steps().iter().fold(0_usize, |sum, step| {
                let detours = step.detours.iter().map(|detour| u64::from(detour.max_uses));
                let rounds = step.routing.rounds().saturating_add(detours.sum());
                sum.saturating_add(usize::try_from(rounds).unwrap_or(usize::MAX))
            })
        };
        let rounds = *self.rounds.get_or_init(count);
        self.contract().safety.limit(self.steps().len(), rounds)
    }

    /// The steps that may come to be after this one, itself among them, by their places in the file: what it leads to, what waits for it,
    /// and what stands within those.
    pub fn behind(&self, first: &Step) -> Vec<bool> {
        let mut behind = vec![false; self.steps().len()];
        let mut open = vec![first.ordinal];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut behind[at], true) {
                continue;
            }
            open.extend(self.graph.neighbors(self.node(at)).map(|next| self.graph[next]));
            open.extend(self.children(&self.steps()[at]).map(|child| child.ordinal));
            // Where the flow of a list ends, any other may follow that is not before it in the order.
            if let Some(own) = self.parts().iter().position(|part| part.steps.contains(&at)) {
                let others = self.parts().iter().enumerate();
                open.extend(
                    others
                        .filter(|(place, part)| *place > own || part.utility)
                        .map(|(_, part)| part.steps.start),
                );
            }
            let around = self.steps()[at].parent.as_ref().and_then(|parent| self.step(parent));
            open.extend(around.map(|around| around.ordinal));
        }
        behind
    }
    /// Edges in a stable order (source ordinal, then as written): (from, to, flow).
    pub fn flows(&self) -> Vec<(&Step, &Step, &Flow)> {
        self.graph
            .edge_indices()
            .filter_map(|e| {
                let (a, b) = self.graph.edge_endpoints(e)?;
                Some((
                    &self.steps()[self.graph[a]],
                    &self.steps()[self.graph[b]],
                    &self.graph[e],
                ))
            })
            .collect()
    }
}

/// The step behind a place, as far as the flow goes that stands there.
fn following<'a>(steps: &'a [Step], parts: &[Part], at: usize) -> Option<&'a Step> {
    let ends = parts
        .iter()
        .any(|part| part.steps.contains(&at) && part.steps.end == at + 1);
    // The steps of detours stand behind the others, and nothing goes on to them by itself.
    let leads = |next: &&Step| !ends && next.detour_from.is_none();
    steps.get(at + 1).filter(leads)
}

impl crate::Condition {
    /// What it reads of a report: the field that it compares, or the expression as it is written.
    pub fn reads(&self) -> Option<&str> {
        match self {
            Self::Always => None,
            Self::Compare { field, .. } => Some(field),
            Self::Cel { expression } => Some(expression),
        }
    }

    /// A short label for an edge, for people.
    pub fn label(&self) -> Option<String> {
        match self {
            Self::Always => None,
            Self::Cel { expression } => Some(expression.clone()),
            Self::Compare { field, operator, value } => {
                use crate::Operator::*;
                let word = match operator {
                    Equals => "is",
                    NotEquals => "is not",
                    In => "is one of",
                    NotIn => "is none of",
                    Contains => "contains",
                    Gt => ">",
                    Gte => "≥",
                    Lt => "<",
                    Lte => "≤",
                    Matches => "matches",
                    Exists => return Some(format!("{field} is given")),
                    Other(word) => word,
                };
                let value = match value {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                Some(format!("{field} {word} {value}"))
            }
        }
    }
}
