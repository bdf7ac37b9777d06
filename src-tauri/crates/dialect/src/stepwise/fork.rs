//! Forks and joins: `routing: {kind: fork}` and `{kind: join}`, the block `parallel` of a flow, and the edges `fork` and `join` of a
//! graph. A fork gets from all of them how its branches run and what their join asks for.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::fork::BATCH;
use model::{BranchFailure, Fork, ForkRules, JoinRule, Merge, Place, Routing, Severity, Step, StepId, Workflow};
use std::collections::{BTreeMap, BTreeSet};

/// Rules that have two names: the usual one, and the other.
pub(super) const TWO_NAMES: [(&str, &str); 2] = [("strategy", "join_strategy"), ("quorum", "quorum_count")];

/// The usual name of a rule.
pub(super) fn usual(key: &str) -> &str {
    let found = TWO_NAMES.iter().find(|(_, other)| *other == key);
    found.map_or(key, |(usual, _)| *usual)
}

/// A fork as a step's routing says it; how its branches run is read when all steps are there.
pub(super) fn read(context: &mut Context<'_>, block: &mut Block) -> Option<Routing> {
    let mut targets = block.texts(context, "fork_targets");
    if let Some(config) = block.take(context, "fork_config") {
        let place = block.place("fork_config");
        let named = Block::open(context, config, place.clone()).texts(context, "targets");
        let [one, two] = [&targets, &named].map(|list| list.iter().collect::<BTreeSet<_>>());
        if !targets.is_empty() && !named.is_empty() && one != two {
            let said = "`fork_targets` and the `targets` of its `fork_config` name other branches".to_owned();
            error(
                context,
                place.field("targets"),
                said,
                "Name the same steps in both, or in one of them",
            );
        }
        if targets.is_empty() {
            targets = named;
        }
    }
    let next = block.target(context, "next");
    let join = block.target(context, "join_point");
    if let (Some(join), Some(next)) = (&join, &next)
        && join != next
    {
        let said = format!(
            "`join_point` and `next` of this fork name different steps where its branches meet: `{next}` would be passed over"
        );
        let help = "This workflow does not start. Keep `join_point`; what follows is said by the step where they meet";
        error(context, block.place("next"), said, help);
    }
    let join = join.or(next);
    take_join(context, block);
    (!targets.is_empty()).then(|| fork(targets, join))
}

/// What a join says of itself is read when all steps are there.
pub(super) fn take_join(context: &mut Context<'_>, block: &mut Block) {
    for key in ["join_from", "join_strategy", "join_config"] {
        block.take(context, key);
    }
}

pub(super) fn fork(targets: Vec<String>, join: Option<StepId>) -> Routing {
    Routing::Fork(Box::new(Fork {
        targets: targets.into_iter().map(StepId::new).collect(),
        join,
        rules: ForkRules::default(),
    }))
}

/// A join as the file has it.
pub(super) struct Join {
    /// The step at which branches meet.
    pub(super) at: StepId,
    /// Where the file says so.
    pub(super) place: Place,
    /// The blocks with what it asks for, the one that counts last.
    pub(super) config: Vec<(NodeId, Place)>,
    /// The steps that lead to it, where they are named.
    pub(super) from: Vec<String>,
}

/// The blocks with how the branches of a fork run: the step, and the blocks, the one that counts last.
pub(super) type Config = (usize, Vec<(NodeId, Place)>);

/// The forks and joins of a flow of steps, with its block `parallel`.
pub(super) fn of_flow(context: &mut Context<'_>, root: &mut Block, items: &[NodeId], steps: &mut [Step]) {
    let (mut configs, mut joins) = parallel(context, root, steps);
    for (n, id) in items.iter().enumerate() {
        let step = Block::open(context, *id, Place::step(n));
        let Some(id) = step.peek(context, "routing") else {
            continue;
        };
        let place = step.place("routing");
        let mut routing = Block::open(context, id, place.clone());
        let kind = routing.peek(context, "kind").and_then(|id| context.text(id));
        if kind.as_deref() == Some("fork") {
            let keys = ["fork_config", "join_config"].into_iter();
            let inner = keys.filter_map(|key| Some((routing.peek(context, key)?, routing.place(key))));
            // A word beside the kind, then those of the blocks.
            configs.push((n, [(id, place)].into_iter().chain(inner).collect()));
        } else if kind.as_deref() == Some("join") {
            let inner = routing.peek(context, "join_config");
            let inner = inner.map(|id| (id, routing.place("join_config")));
            joins.push(Join {
                at: steps[n].id.clone(),
                place: place.clone().field("kind"),
                from: routing.texts(context, "join_from"),
                config: [(id, place)].into_iter().chain(inner).collect(),
            });
        }
    }
    connect(context, steps, &configs, &joins);
}

/// The block `parallel` of a flow: it makes a fork of the step it names, or says more of the one that is there.
fn parallel(context: &mut Context<'_>, root: &mut Block, steps: &mut [Step]) -> (Vec<Config>, Vec<Join>) {
    let (mut configs, mut joins) = (Vec::new(), Vec::new());
    let Some(id) = root.peek(context, "parallel").filter(|id| context.is_map(*id)) else {
        return (configs, joins);
    };
    root.take(context, "parallel");
    let place = root.place("parallel");
    let mut block = Block::open(context, id, place.clone());
    let Some(point) = block.target(context, "fork_point") else {
        return (configs, joins);
    };
    let join = block.target(context, "join_point");
    let Some(n) = steps.iter().position(|step| step.id == point) else {
        let said = format!("The branches would begin after a step that does not exist: `{point}`");
        error(
            context,
            place.field("fork_point"),
            said,
            "Name the step after which the branches begin",
        );
        return (configs, joins);
    };
    let config = block.take(context, "fork_config");
    let mut targets = Vec::new();
    if let Some(config) = config {
        let at = place.clone().field("fork_config");
        targets = Block::open(context, config, at.clone()).texts(context, "targets");
        configs.push((n, vec![(config, at)]));
    }
    let step = &mut steps[n];
    match &mut step.routing {
        Routing::Fork(fork) => {
            let one: BTreeSet<&str> = fork.targets.iter().map(StepId::as_str).collect();
            if !targets.is_empty() && one != targets.iter().map(String::as_str).collect() {
                let said = format!("{} and this block name other branches", step.called());
                error(
                    context,
                    place.clone().field("fork_config").field("targets"),
                    said,
                    "Name the same steps in both",
                );
            } else if join.is_some() {
                fork.join.clone_from(&join);
            }
        }
        Routing::Sequence | Routing::Linear { .. } if !targets.is_empty() => {
            step.routing = fork(targets, join.clone());
        }
        _ => {
            let said = format!(
                "{} leads on in another way, so no branches begin after it",
                step.called()
            );
            error(
                context,
                place.clone().field("fork_point"),
                said,
                "Give it `kind: fork`, or remove this block",
            );
        }
    }
    if let Some(asks) = block.take(context, "join_config") {
        let config = (asks, place.clone().field("join_config"));
        match join {
            Some(at) => joins.push(Join {
                at,
                place: place.field("join_point"),
                config: vec![config],
                from: Vec::new(),
            }),
            // Wherever the branches meet.
            None => configs.push((n, vec![config])),
        }
    }
    (configs, joins)
}

/// Gives each fork its join and both their rules.
pub(super) fn connect(context: &mut Context<'_>, steps: &mut [Step], configs: &[Config], joins: &[Join]) {
    for join in joins {
        // Where the branches are the very steps that the join names, they meet there.
        for step in steps.iter_mut() {
            if let Routing::Fork(fork) = &mut step.routing
                && fork.join.is_none()
                && !join.from.is_empty()
                && fork
                    .targets
                    .iter()
                    .all(|to| join.from.iter().any(|from| from == to.as_str()))
            {
                fork.join = Some(join.at.clone());
            }
        }
    }
    // Where nothing says it, the model finds where branches meet.
    let found = Workflow::new("".into(), String::new(), model::Format::Stepwise, steps.to_vec());
    for (step, known) in steps.iter_mut().zip(found.steps()) {
        step.routing.clone_from(&known.routing);
    }
    let ends = |join: &Join| -> BTreeSet<&str> {
        let flows = found.flows();
        let leads = flows.into_iter().filter(|(_, to, _)| to.id == join.at);
        leads.map(|(from, ..)| from.id.as_str()).collect()
    };
    let mut met: BTreeSet<&StepId> = BTreeSet::new();
    for step in steps.iter_mut() {
        let Routing::Fork(fork) = &mut step.routing else {
            continue;
        };
        let mut rules = Rules::default();
        for (_, blocks) in configs.iter().filter(|(n, _)| *n == step.ordinal) {
            for (id, place) in blocks {
                rules.read(context, *id, place);
            }
        }
        for join in joins.iter().filter(|join| fork.join.as_ref() == Some(&join.at)) {
            met.insert(&join.at);
            let named: BTreeSet<&str> = join.from.iter().map(String::as_str).collect();
            let heads: BTreeSet<&str> = fork.targets.iter().map(StepId::as_str).collect();
            if !named.is_empty() && named != heads && named != ends(join) {
                let list = heads
                    .iter()
                    .map(|head| called(&found, &StepId::from(*head)))
                    .collect::<Vec<_>>()
                    .join(", ");
                let said = format!(
                    "This join names others than the branches that meet here ({list}), and all of them are waited for"
                );
                let help =
                    "This workflow does not start. Name the branches' first or last steps, or remove `join_from`";
                error(context, join.place.clone(), said, help);
            }
            for (id, place) in &join.config {
                rules.read(context, *id, place);
            }
        }
        fork.rules = rules.finish(context);
    }
    for join in joins.iter().filter(|join| !met.contains(&join.at)) {
        let said = format!(
            "No branches of a fork meet at {}, so nothing would be waited for",
            called(&found, &join.at)
        );
        error(
            context,
            join.place.clone(),
            said,
            "Let a fork's branches lead here, or write `kind: linear`",
        );
    }
}

/// A step as a sentence speaks of it.
fn called(workflow: &Workflow, id: &StepId) -> String {
    workflow.step(id).map_or_else(|| format!("`{id}`"), Step::called)
}

fn error(context: &mut Context<'_>, place: Place, said: String, help: &str) {
    context.report("GH0115", Severity::Error, place, said, Some(help));
}

/// What several blocks say of one fork and its join, each field with where it stands first.
#[derive(Default)]
struct Rules {
    batch: Option<bool>,
    size: Option<(u32, Place)>,
    quorum: Option<(u32, Place)>,
    rules: ForkRules,
    said: BTreeMap<&'static str, String>,
}

impl Rules {
    /// Reads how branches run and what a join asks for, as far as this block says it.
    fn read(&mut self, context: &mut Context<'_>, id: NodeId, place: &Place) {
        let mut block = Block::open(context, id, place.clone());
        let execution = [("concurrent", false), ("batch", true)];
        if let Some(batch) = self.word(context, &mut block, "execution_policy", &execution) {
            self.batch = Some(batch);
        }
        if let Some(size) = self.number(context, &mut block, "batch_size", &format!("{BATCH} run at once")) {
            self.size = Some(size);
        }
        let isolation = [("shared", false), ("isolated", true)];
        if let Some(isolated) = self.word(context, &mut block, "isolation", &isolation) {
            self.rules.isolated = isolated;
        }
        if let Some(on_failure) = self.word(context, &mut block, "failure_policy", &BranchFailure::WORDS) {
            self.rules.on_failure = on_failure;
        }
        for key in ["strategy", "join_strategy"] {
            if let Some(join) = self.word(context, &mut block, key, &JoinRule::WORDS) {
                self.rules.join = join;
            }
        }
        for key in ["quorum", "quorum_count"] {
            if let Some(quorum) = self.number(context, &mut block, key, "more than half is needed") {
                self.quorum = Some(quorum);
            }
        }
        if let Some(merge) = self.word(context, &mut block, "aggregate_status", &Merge::WORDS) {
            self.rules.merge = merge;
        }
        if let Some(ms) = block.seconds(context, "timeout_seconds", "there is no limit") {
            self.agrees(
                context,
                "timeout_seconds",
                ms.to_string(),
                block.place("timeout_seconds"),
            );
            self.rules.timeout_ms = Some(ms);
        }
    }

    /// Two fields or blocks that say differently are an error: one of them would be passed over.
    fn agrees(&mut self, context: &mut Context<'_>, key: &'static str, value: String, place: Place) {
        let key = usual(key);
        let said = self.said.entry(key).or_insert_with(|| value.clone());
        if *said != value {
            let said = format!(
                "What branches of this fork do, or what their join asks for, is said twice and differently: `{key}`"
            );
            error(
                context,
                place,
                said,
                "This workflow does not start. Say it once, or the same in both places",
            );
        }
    }

    fn word<T: Copy>(
        &mut self,
        context: &mut Context<'_>,
        block: &mut Block,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = word(context, block, key, words)?;
        let written = block.peek(context, key).and_then(|id| context.text(id));
        self.agrees(context, key, written.unwrap_or_default(), block.place(key));
        Some(found)
    }

    /// A number from 1 on.
    fn number(
        &mut self,
        context: &mut Context<'_>,
        block: &mut Block,
        key: &'static str,
        otherwise: &str,
    ) -> Option<(u32, Place)> {
        let number = block.count(context, key, otherwise)?;
        let place = block.place(key);
        self.agrees(context, key, number.to_string(), place.clone());
        if number == 0 {
            let follows = match key {
                "batch_size" => "no branch would begin",
                _ => "nothing would be waited for",
            };
            let said = format!("`{key}` is 0, so that {follows}");
            error(
                context,
                place.clone(),
                said,
                "This workflow does not start. Write a number from 1 on",
            );
        }
        Some((number.max(1), place))
    }

    fn finish(mut self, context: &mut Context<'_>) -> ForkRules {
        match (self.batch, self.size) {
            (Some(true), size) => self.rules.batch = Some(size.map_or(BATCH, |(size, _)| size)),
            (_, Some((_, place))) => {
                let said = "`batch_size` counts with `execution_policy: batch` alone: all branches begin at once";
                let help = "Write `execution_policy: batch`, or remove the number";
                context.report("GH0115", Severity::Warning, place, said, Some(help));
            }
            (_, None) => {}
        }
        match (self.quorum, &mut self.rules.join) {
            (Some((wanted, _)), JoinRule::Quorum { count }) => *count = Some(wanted),
            (Some((_, place)), _) => {
                let key = place.path.last().cloned().unwrap_or_default();
                let said = format!("`{key}` counts with the strategy `quorum` alone, so it would be passed over");
                error(context, place, said, "Write `strategy: quorum`, or remove the number");
            }
            (None, _) => {}
        }
        self.rules
    }
}

/// One of the words that a field may hold; any other one is an error: it would decide something else.
fn word<T: Copy>(context: &mut Context<'_>, block: &mut Block, key: &str, words: &[(&str, T)]) -> Option<T> {
    let written = block.text(context, key)?;
    let known = words.iter().find(|(word, _)| *word == written);
    if known.is_none() {
        let list: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let said = format!("`{key}` is one of {}, not `{written}`", list.join(", "));
        error(
            context,
            block.place(key),
            said,
            "This workflow does not start. Write the word that is meant",
        );
    }
    known.map(|(_, value)| *value)
}
