//! Groups of steps: which wait for which, whether their steps go on beside each other, and what follows when one of them fails.

use super::step::{duration, unknown};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Failing, Place, Retries, Severity, Step};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// More steps of one group than these are not read.
const MOST_MEMBERS: usize = 300;

/// Words for a group that all its steps must have left before another one begins: that is what waiting for a group is.
const BARRIERS: [&str; 4] = ["barrier", "smart_barrier", "barrier_sync", "wait_all"];

/// What becomes of a group when some of its steps fail.
const PARTLY: [&str; 3] = ["none", "require_all", "allow_with_one_success"];

/// What the whole file says of its steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strategy {
    /// Of those that say nothing themselves.
    pub(super) retries: Option<Retries>,
    /// Whether groups may go on beside each other at all.
    beside: bool,
}

/// Reads `execution_strategy`; it stays among the fields.
pub(super) fn strategy(context: &mut Context<'_>, root: &Block) -> Strategy {
    let mut all = Strategy {
        retries: None,
        beside: true,
    };
    let place = Place::document().field("execution_strategy");
    let Some(inner) = root
        .peek(context, "execution_strategy")
        .filter(|id| context.is_map(*id))
    else {
        return all;
    };
    let inner = Block::open(context, inner, place.clone());
    if let Some(id) = inner
        .peek(context, "parallel_execution")
        .filter(|id| context.is_map(*id))
    {
        let mut block = Block::open(context, id, place.clone().field("parallel_execution"));
        let enabled = block.peek(context, "enabled");
        all.beside = enabled.is_none_or(|id| context.is_null(id)) || block.flag(context, "enabled");
    }
    if let Some(id) = inner.peek(context, "error_recovery").filter(|id| context.is_map(*id)) {
        let mut block = Block::open(context, id, place.field("error_recovery"));
        let max = block.count(context, "max_retries", "the project's own number is used");
        all.retries = max.map(|max| Retries {
            max: Some(max),
            backoff_ms: 0,
        });
    }
    all
}

/// What a group says of its steps.
#[derive(Debug, Default)]
pub(super) struct Rules {
    id: String,
    /// What its steps have in common where they are drawn.
    phase: String,
    parallel: bool,
    optional: bool,
    /// The longest time of each step's work, where it says less itself.
    limit: Option<u64>,
    failing: Failing,
    /// The groups that it waits for, each with its place; `None`: the one before it.
    waits: Option<Vec<(String, Place)>>,
}

impl Rules {
    /// Gives a step what its group says.
    pub(super) fn told(&self, context: &mut Context<'_>, step: &mut Step) {
        if step.phase.as_ref().is_some_and(|own| own.trim() != self.phase.trim()) {
            let said = format!(
                "The steps of a group are of one phase, which is called “{}”",
                self.phase
            );
            let help = "This workflow does not start. Call the group so (`group_name`), or put the step into a group of that name";
            let place = Place::step(step.ordinal).field("phase");
            context.report("GH0702", Severity::Error, place, said, Some(help));
        }
        step.phase = Some(self.phase.clone());
        step.parallel = self.parallel;
        if self.optional {
            step.whether.get_or_insert_default().optional = true;
        }
        if step.failing == Failing::Stops {
            step.failing = if self.optional { Failing::Spared } else { self.failing };
        }
        step.timeout_ms = match (step.timeout_ms, self.limit) {
            (Some(own), Some(limit)) => Some(own.min(limit)),
            (own, limit) => own.or(limit),
        };
    }
}

/// Reads a group; gives its rules and its entries. `groups`: those before it.
pub(super) fn read(
    context: &mut Context<'_>,
    ordinal: usize,
    id: NodeId,
    strategy: &Strategy,
    groups: &Groups,
) -> (Rules, Vec<NodeId>) {
    let (known, ids) = (&groups.names, &groups.by_id);
    let place = Place::document().field("parallel_groups").field(ordinal.to_string());
    if !context.is_map(id) {
        let said = format!("Group {} is not a list of fields", ordinal + 1);
        let help = "Write `- group_id: a_name` and the group's fields below it";
        context.report("GH0702", Severity::Error, place, said, Some(help));
        return (Rules::default(), Vec::new());
    }
    let mut block = Block::open(context, id, place.clone());
    let own = block.text(context, "group_id").filter(|id| !id.trim().is_empty());
    if let Some(own) = own.as_ref().filter(|own| ids.contains_key(*own)) {
        let said = format!("Two groups are called `{own}`; what waits for it would wait for the first one alone");
        let help = "Give each group a `group_id` of its own";
        context.report("GH0702", Severity::Error, block.place("group_id"), said, Some(help));
    }
    let id = own.unwrap_or_else(|| format!("group-{}", ordinal + 1));
    let name = block.text(context, "group_name").filter(|name| !name.trim().is_empty());
    let phase = name.filter(|name| !known.contains(name)).unwrap_or_else(|| id.clone());
    let mut rules = Rules {
        id,
        phase,
        parallel: block.flag(context, "parallel") && strategy.beside,
        optional: block.flag(context, "optional"),
        ..Rules::default()
    };
    rules.limit = duration(context, &mut block, "timeout");
    if let Some(inner) = block.take(context, "synchronization").filter(|id| context.is_map(*id)) {
        synchronization(
            context,
            Block::open(context, inner, block.place("synchronization")),
            &mut rules,
        );
    }
    let waits = block
        .peek(context, "depends_on_groups")
        .filter(|id| !context.is_null(*id));
    if waits.is_some() {
        let place = block.place("depends_on_groups");
        let names = block.texts(context, "depends_on_groups").into_iter().enumerate();
        rules.waits = Some(
            names
                .map(|(n, name)| (name, place.clone().field(n.to_string())))
                .collect(),
        );
    }
    let written = block.take(context, "agents");
    let is_list = written.is_some_and(|id| context.tree.items(id).is_some());
    let mut members = written.and_then(|id| context.items(id)).unwrap_or(&[]).to_vec();
    if members.is_empty() && !(is_list && written.is_some_and(|id| !context.says_nothing(id))) {
        let said = match written {
            Some(id) if !is_list && !context.is_null(id) => {
                "The `agents` of this group are not a list, so none of its steps would be done"
            }
            Some(_) => "The `agents` of this group are empty, so there is nothing to do in it",
            None => "This group has no `agents`, so none of its steps would be done",
        };
        let help = "Write `agents:` and below it one `- agent: …` for each step, with its gates, or remove the group";
        context.report("GH0702", Severity::Error, place.clone(), said, Some(help));
    }
    if members.len() > MOST_MEMBERS {
        let said = format!(
            "This group has {} steps; the first {MOST_MEMBERS} are read",
            members.len()
        );
        let help = "Make several groups of it";
        context.report("GH0113", Severity::Error, place, said, Some(help));
        members.truncate(MOST_MEMBERS);
    }
    (rules, members)
}

fn synchronization(context: &mut Context<'_>, mut block: Block, rules: &mut Rules) {
    let kind = block.text(context, "type");
    if let Some(word) = kind.filter(|word| !BARRIERS.contains(&word.as_str())) {
        let follows = "what comes behind the group would begin when all of its steps have ended";
        unknown(context, block.place("type"), &word, follows, &BARRIERS);
    }
    let limit = duration(context, &mut block, "timeout");
    rules.limit = match (rules.limit, limit) {
        (Some(own), Some(limit)) => Some(own.min(limit)),
        (own, limit) => own.or(limit),
    };
    match block.text(context, "partial_completion").as_deref() {
        Some("allow_with_one_success") => rules.failing = Failing::SparedBesideAnother,
        None | Some("none" | "require_all") => {}
        Some(word) => {
            let follows = "a step of the group that fails would end the run";
            let word = word.to_owned();
            unknown(context, block.place("partial_completion"), &word, follows, &PARTLY);
        }
    }
}

/// The groups of a file, in its order, with their steps.
#[derive(Debug, Default)]
pub(super) struct Groups {
    all: Vec<(Rules, Range<usize>)>,
    by_id: HashMap<String, usize>,
    /// What their steps have in common where they are drawn.
    names: HashSet<String>,
}

impl Groups {
    /// Adds the next group.
    pub(super) fn add(&mut self, rules: Rules, steps: Range<usize>) {
        self.names.insert(rules.phase.clone());
        self.by_id.entry(rules.id.clone()).or_insert(self.all.len());
        self.all.push((rules, steps));
    }

    /// What a step waits for because of its group.
    pub(super) fn before(&self, context: &mut Context<'_>, step: usize) -> Vec<usize> {
        let at = self.all.partition_point(|(_, steps)| steps.end <= step);
        let Some((rules, steps)) = self.all.get(at) else {
            return Vec::new();
        };
        if !rules.parallel && step > steps.start {
            return vec![step - 1];
        }
        match &rules.waits {
            None => {
                // A group without a step holds nobody up.
                let before = self.all[..at].iter().rev().find(|(_, steps)| !steps.is_empty());
                before.map(left_by).unwrap_or_default()
            }
            Some(named) => {
                let mut all = Vec::new();
                for (name, place) in named {
                    match self.by_id.get(name).filter(|other| **other != at) {
                        Some(other) => all.extend(left_by(&self.all[*other])),
                        None if step == steps.start => {
                            let said = format!("This group waits for a group that is not there: `{name}`");
                            let near = model::cel::nearest(name, self.by_id.keys().map(String::as_str));
                            let help = near.map_or_else(
                                || "Name the `group_id` of another group".to_owned(),
                                |near| format!("Did you mean `{near}`?"),
                            );
                            context.report("GH0704", Severity::Error, place.clone(), said, Some(&help));
                        }
                        None => {}
                    }
                }
                all
            }
        }
    }
}

/// The steps with which a group is left: the last one of those that follow one another.
fn left_by((rules, steps): &(Rules, Range<usize>)) -> Vec<usize> {
    match rules.parallel {
        true => steps.clone().collect(),
        false => steps.clone().last().into_iter().collect(),
    }
}
