//! One entry of `stages`.

use super::{StageStatus, of_the_run, shortened};
use crate::reading::{Block, Context, gate, made_inside};
use crate::tree::{Kind, NodeId};
use model::{AgentKey, Diagnostic, Edit, Place, Routing, Severity, Step, StepId, Work};

/// Where the dependencies of a stage stand whose `depends_on` is not a plain list of texts.
#[derive(Debug, Clone)]
pub(super) enum Positions {
    /// A text instead of a list.
    Single,
    /// The index in the file of each dependency that was read; others stand between them.
    Of(Vec<usize>),
}

/// In which ways a stage is written unlike most.
#[derive(Debug, Clone, Default)]
pub(super) struct Odd {
    pub(super) depends_on: Option<Positions>,
    /// `gate` instead of `human_gate`.
    pub(super) gate: bool,
    /// Where a rejection is said to lead and does not.
    pub(super) on_reject: Option<StepId>,
}

impl Odd {
    pub(super) fn is_odd(&self) -> bool {
        self.gate || self.depends_on.is_some()
    }
}

/// Whatever stands there becomes a stage, so that positions in the file and in the model agree.
pub(super) fn read(context: &mut Context<'_>, ordinal: usize, id: NodeId) -> (Step, Odd) {
    let place = Place::step(ordinal);
    let placeholder = format!("stage-{}", ordinal + 1);
    let mut step = Step::new(placeholder.as_str(), ordinal);
    step.routing = Routing::Dependencies;
    step.name = placeholder;
    if matches!(context.tree.node(id).kind, Kind::Alias { .. }) {
        let said = format!(
            "Stage {} is written elsewhere (an alias), so its state cannot be kept here",
            ordinal + 1
        );
        let help = "Write the stage out; `<<: *name` below `- ` takes over what it shares with others";
        context.report("GH0312", Severity::Error, place.clone(), said, Some(help));
    }
    if !context.is_map(id) {
        let said = format!("Stage {} is not a list of fields", ordinal + 1);
        let help = "Write `- name: a_name` and the stage's fields below it";
        context.report("GH0302", Severity::Error, place, said, Some(help));
        return (step, Odd::default());
    }
    let mut block = Block::open(context, id, place.clone());
    match block.text(context, "name").filter(|name| !name.trim().is_empty()) {
        Some(name) => {
            step.id = StepId::new(name.as_str());
            step.name = name;
        }
        None => {
            let said = format!("Stage {} has no name", ordinal + 1);
            let help = "Give it one: `name: a_name`, unique in this pipeline";
            context.report("GH0302", Severity::Error, place, said, Some(help));
        }
    }
    step.agents = agents(context, &mut block);
    step.intent = block.text(context, "description");
    step.work = work(context, &mut block);
    step.parallel = block.flag(context, "parallel");
    let (depends_on, positions) = depends_on(context, &mut block);
    step.depends_on = depends_on;
    step.inputs = paths(context, &mut block, "inputs");
    step.outputs = paths(context, &mut block, "outputs");
    made_inside(context, &block.place("outputs"), &step.outputs);
    let short = block.has(context, "gate") && !block.has(context, "human_gate");
    // The project's policy may ask for a person in a phase (seed 000 `hitl.policy`), in every format.
    step.phase = block.text(context, "phase");
    step.gate = gate::read(context, &mut block, if short { "gate" } else { "human_gate" });
    step.retries = block.retries(context, "retries");
    step.timeout_ms = block.seconds(context, "timeout_seconds", "the project's own limit is used");
    step.terminal = block.flag(context, "terminal");
    if step.terminal && matches!(step.work, Work::SubWorkflow { .. }) {
        let said = "`terminal` has no effect on a stage that runs workflows: it has no program of its own";
        let help = "Remove it; the steps of those workflows may say it for themselves";
        context.report("GH0502", Severity::Warning, block.place("terminal"), said, Some(help));
    }
    of_the_run::<StageStatus>(context, &mut block);
    step.fields = block.rest(context);
    let odd = Odd {
        depends_on: positions,
        gate: short,
        on_reject: None,
    };
    (step, odd)
}

/// `inputs` or `outputs`; structured ones (a mapping) stay among the fields.
fn paths(context: &mut Context<'_>, block: &mut Block, key: &str) -> Vec<String> {
    match block.peek(context, key) {
        Some(id) if context.is_map(id) => Vec::new(),
        _ => block.texts(context, key),
    }
}

/// `agents`, else `agent` (the seed says the one, its files the other).
fn agents(context: &mut Context<'_>, block: &mut Block) -> Vec<AgentKey> {
    if block.has(context, "agents") && block.has(context, "agent") {
        let place = block.place("agent");
        block.take(context, "agent");
        context.push(
            Diagnostic::new(
                "GH0307",
                Severity::Warning,
                place.clone(),
                "`agent` has no effect beside `agents`",
            )
            .help("Keep one of the two: `agents` for several, `agent` for one")
            .fix("Remove `agent`", Edit::Remove { place }),
        );
    }
    let key = if block.has(context, "agents") {
        "agents"
    } else {
        "agent"
    };
    let names = block.texts(context, key).into_iter().filter(|name| !name.is_empty());
    names.map(AgentKey::new).collect()
}

/// `run`, `workflow` or `workflows`, else work for agents.
fn work(context: &mut Context<'_>, block: &mut Block) -> Work {
    let given: Vec<&str> = ["run", "workflow", "workflows"]
        .into_iter()
        .filter(|key| block.peek(context, key).is_some_and(|id| !context.is_null(id)))
        .collect();
    if let [first, second, ..] = given.as_slice() {
        let said = format!("A stage does one thing; `{second}` has no effect beside `{first}`");
        let help = "Make two stages of it, one that waits for the other";
        context.report("GH0308", Severity::Error, block.place(second), said, Some(help));
    }
    let script = block.text(context, "run");
    let single = block.texts(context, "workflow");
    let several = block.texts(context, "workflows");
    match given.first() {
        Some(&"run") => script.map_or(Work::Agent, |script| Work::Command {
            language: "sh".to_owned(),
            script,
        }),
        Some(_) => {
            let files = if single.is_empty() { several } else { single };
            if files.is_empty() {
                Work::Agent
            } else {
                Work::SubWorkflow { files }
            }
        }
        None => Work::Agent,
    }
}

/// `depends_on`: a list of names. One name without a list is read as a list of one.
fn depends_on(context: &mut Context<'_>, block: &mut Block) -> (Vec<StepId>, Option<Positions>) {
    let Some(id) = block.take(context, "depends_on").filter(|id| !context.is_null(*id)) else {
        return (Vec::new(), None);
    };
    let place = block.place("depends_on");
    let Some(items) = context.items(id) else {
        return match context.text(id) {
            None if context.tree.items(id).is_some() => (Vec::new(), None),
            Some(name) => {
                let said = format!(
                    "`depends_on` should be a list; it is read as the one stage `{}`",
                    shortened(&name)
                );
                let edit = Edit::Set {
                    place: place.clone(),
                    value: vec![name.as_str()].into(),
                };
                context.push(
                    Diagnostic::new("GH0309", Severity::Warning, place, said)
                        .help("Write `depends_on: [a, b]`, or one `- name` a line")
                        .fix("Make it a list", edit),
                );
                (vec![StepId::new(name)], Some(Positions::Single))
            }
            None => {
                let help = "Write `depends_on: [a, b]`, or one `- name` a line";
                let said = "`depends_on` is not a list of stages, so that it is not known what this stage waits for";
                context.report("GH0309", Severity::Error, place, said, Some(help));
                (Vec::new(), None)
            }
        };
    };
    let plain = |item: &NodeId| context.text(*item).is_some();
    if items.iter().all(plain) {
        let names = items.iter().filter_map(|item| context.text(*item));
        return (names.map(StepId::new).collect(), None);
    }
    let (mut names, mut positions) = (Vec::new(), Vec::new());
    for (n, item) in items.iter().enumerate() {
        if let Some(name) = context.text(*item) {
            names.push(StepId::new(name));
            positions.push(n);
        } else {
            let place = place.clone().field(n.to_string());
            let (said, help) = match context.is_null(*item) {
                true => (
                    "This dependency is empty, so that it is not known what the stage waits for",
                    "Write the stage's name, or remove the entry",
                ),
                false => (
                    "A dependency is the name of a stage; this is none",
                    "Write the stage's name alone",
                ),
            };
            context.report("GH0309", Severity::Error, place, said, Some(help));
        }
    }
    (names, Some(Positions::Of(positions)))
}
