//! Detours as flows and graph files write them: `detours`, `suggested_detours` and `suggested_injections` (also inside of `policy`), and
//! `suggested_sidequests` of a step. Each becomes steps behind those of the flow, once for every step that it leaves.

use super::{condition, config};
use crate::reading::{Block, Context, bounded};
use crate::tree::NodeId;
use model::detour::{DEEPEST, DEFAULT_USES, fault_of};
use model::{
    AgentKey, Back, Detour, Diagnostic, Edit, Operator, Place, Routing, Severity, Step, StepId, Trigger, Work,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Fields of the root, and of `policy`, that list detours.
pub(super) const LISTS: [&str; 4] = ["detours", "suggested_detours", "suggested_injections", "sidequests"];
/// Fields of a step that list the detours it may take.
pub(super) const OF_STEP: [&str; 4] = ["detours", "suggested_detours", "suggested_sidequests", "sidequests"];
/// Fields of a detour that name the steps it leaves; they may name steps of detours too.
pub(super) const LEAVES: [&str; 4] = ["from_nodes", "after", "from", "inject_after"];
/// Fields of a detour that say where it leads back to.
pub(super) const RETURNS: [&str; 3] = ["return_to", "return", "return_behavior"];
/// Of all steps of detours at most so many are made.
const MOST: usize = 5_000;
/// Where no file says how important one is.
const PRIORITY: i64 = 50;

/// A detour as written.
struct Written {
    detour: Detour,
    /// The steps it leaves, by their id or by that of another detour's step.
    from: Vec<String>,
    /// Its steps, with the id that its file gives them and where they stand.
    steps: Vec<(String, Step, Vec<String>)>,
    /// Where the detour stands.
    place: Place,
}

/// Appends the steps of detours to those of a flow; for each of them where it stands in the file.
pub(super) fn of_flow(
    context: &mut Context<'_>,
    root: &mut Block,
    list: &str,
    items: &[NodeId],
    steps: &mut Vec<Step>,
) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut deepest = DEEPEST;
    listed(context, root, &LISTS, &Vec::new(), None, steps.len(), &mut all);
    if let Some(policy) = root.peek(context, "policy").filter(|id| context.is_map(*id)) {
        let mut policy = Block::open(context, policy, root.place("policy"));
        let way = vec!["policy".to_owned()];
        let most = policy.whole(
            context,
            "max_depth",
            "detours may lead into each other as deep as they may anyway",
        );
        deepest = most
            .and_then(|most| usize::try_from(most).ok())
            .map_or(DEEPEST, |most| most.min(DEEPEST));
        listed(context, &mut policy, &LISTS, &way, None, steps.len(), &mut all);
    }
    for (n, id) in items.iter().enumerate() {
        let mut step = Block::open(context, *id, Place::step(n));
        let way = vec![list.to_owned(), n.to_string()];
        let from = steps.get(n).map(|step| step.id.to_string());
        listed(context, &mut step, &OF_STEP, &way, from, steps.len(), &mut all);
    }
    for step in steps.iter_mut() {
        step.fields.retain(|key, _| !OF_STEP.contains(&key.as_str()));
    }
    if all.is_empty() {
        return Vec::new();
    }
    check(context, &mut all, steps);
    let mut leaving: HashMap<&str, Vec<usize>> = HashMap::new();
    for (n, one) in all.iter().enumerate() {
        for from in &one.from {
            let list = leaving.entry(from).or_default();
            if list.last() != Some(&n) {
                list.push(n);
            }
        }
    }
    let mut grown = Grown {
        leaving,
        all: &all,
        first: steps.len(),
        deepest,
        steps: Vec::new(),
        places: Vec::new(),
        ids: steps.iter().map(|step| step.id.clone()).collect(),
        too_deep: None,
        too_many: None,
    };
    for step in steps.iter_mut() {
        let own = step.id.to_string();
        step.detours = grown.grow(&step.id, &own, &mut Vec::new());
    }
    let Grown {
        steps: found,
        places,
        too_deep,
        too_many,
        ..
    } = grown;
    if let Some(way) = too_deep {
        let names: Vec<String> = way.iter().map(|n| format!("`{}`", all[*n].detour.id)).collect();
        let said = format!(
            "Detours lead into each other deeper than {deepest}: {}",
            names.join(" → ")
        );
        let place = way.last().map_or(Place::document(), |n| all[*n].place.clone());
        let help = "This workflow does not start. Let one of them leave a step of the flow, not of another detour";
        context.report("GH0506", Severity::Error, place, said, Some(help));
    }
    if let Some(n) = too_many {
        let said = format!(
            "The detours of this workflow come to more than {MOST} steps, counted at each step that they leave, with `{}`",
            all[n].detour.id
        );
        let help = "This workflow does not start. Let detours leave fewer steps, or put what they do into a workflow that `flow` names";
        context.report("GH0506", Severity::Error, all[n].place.clone(), said, Some(help));
    }
    steps.extend(found);
    places
}

/// The detours of some lists of a block.
fn listed(
    context: &mut Context<'_>,
    block: &mut Block,
    keys: &[&str],
    way: &[String],
    from: Option<String>,
    first: usize,
    out: &mut Vec<Written>,
) {
    for key in keys {
        let Some(id) = block.take(context, key) else { continue };
        let Some(items) = context.tree.items(id) else {
            if !context.says_nothing(id) {
                context.wrong_type(block.place(key), "a list of detours", "none is taken");
            }
            continue;
        };
        let mut items = items.to_vec();
        bounded(context, &mut items);
        for (n, id) in items.into_iter().enumerate() {
            let place = block.place(key).field(n.to_string());
            let mut way = way.to_vec();
            way.extend([(*key).to_owned(), n.to_string()]);
            if let Some(one) = one(context, id, place, way, from.as_deref(), key.contains("inject"), first) {
                out.push(one);
            }
        }
    }
}

/// Reports what keeps a workflow from starting.
fn wrong(context: &mut Context<'_>, place: Place, said: impl Into<String>, help: &str) {
    context.report("GH0506", Severity::Error, place, said, Some(help));
}

fn one(
    context: &mut Context<'_>,
    id: NodeId,
    place: Place,
    way: Vec<String>,
    of_step: Option<&str>,
    in_injections: bool,
    first: usize,
) -> Option<Written> {
    if !context.is_map(id) {
        context.wrong_type(place, "a detour: a list of fields", "it is never taken");
        return None;
    }
    let mut block = Block::open(context, id, place.clone());
    let mut from: Vec<String> = of_step.map(str::to_owned).into_iter().collect();
    let mut injected = in_injections;
    for key in LEAVES {
        injected |= key == "inject_after" && block.has(context, key);
        from.extend(block.texts(context, key));
    }
    let kind = ["routing_type", "injection_type"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    injected |= kind.is_some_and(|kind| kind.to_uppercase().starts_with("INJECT"));
    let station = ["to_station", "station_id", "station", "template_id", "agent"]
        .into_iter()
        .find_map(|key| block.peek(context, key).and_then(|id| context.text(id)));
    let flow = ["flow", "flow_id", "workflow"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    let named = ["id", "sidequest_id"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    let listed = block.peek(context, "steps");
    let inner = listed
        .and_then(|id| context.tree.items(id))
        .filter(|items| !items.is_empty());
    if listed.is_some_and(|id| context.tree.items(id).is_none() && !context.says_nothing(id)) {
        context.wrong_type(block.place("steps"), "a list of steps", "none of them would be done");
    }
    let (triggers, all) = triggers(context, &mut block);
    let back = back(context, &mut block, injected);
    let uses = ["max_uses", "max_uses_per_run"]
        .into_iter()
        .find_map(|key| block.count(context, key, "it is taken three times at most"));
    let max_duration_ms = block.seconds(context, "max_duration_seconds", "it may last as long as its steps");
    let one_shot = block.flag(context, "one_shot");
    let priority = block.whole(context, "priority", &format!("it counts as {PRIORITY}"));
    let mut steps = Vec::new();
    match inner {
        Some(inner) => {
            let mut inner = inner.to_vec();
            bounded(context, &mut inner);
            for (n, id) in inner.into_iter().enumerate() {
                let at = block.place("steps").field(n.to_string());
                let mut way = way.clone();
                way.extend(["steps".to_owned(), n.to_string()]);
                let Some((own, step)) = step(context, id, at, first, None) else {
                    continue;
                };
                steps.push((own.unwrap_or_else(|| format!("step-{}", n + 1)), step, way));
            }
        }
        None => {
            if let Some((own, mut step)) = step(context, id, place.clone(), first, flow.as_deref()) {
                let own = own.or_else(|| station.clone()).or_else(|| flow.as_deref().map(stem));
                if let Some(own) = own {
                    if step.agents.is_empty() {
                        step.agents.extend(station.as_deref().map(AgentKey::new));
                    }
                    steps.push((own, step, way));
                }
            }
        }
    }
    let Some((own, step, _)) = steps.first() else {
        let help = "Name an agent (`to_station`), a list of `steps` or a `flow`";
        wrong(context, place, "This detour has nothing to do", help);
        return None;
    };
    let id = named.clone().unwrap_or_else(|| own.clone());
    let name = block.text(context, "name").or_else(|| block.text(context, "title"));
    let name = name.unwrap_or_else(|| match &named {
        Some(id) => model::step::humanise(id),
        None => step.name.clone(),
    });
    if from.is_empty() {
        let help = "Name the steps in `after` (or `from_nodes`)";
        let said = format!("The detour `{id}` does not say which steps it leaves: it is never taken");
        wrong(context, place, said, help);
        return None;
    }
    Some(Written {
        detour: Detour {
            id,
            name,
            injected,
            first: StepId::new(""),
            triggers,
            all,
            max_uses: if one_shot { 1 } else { uses.unwrap_or(DEFAULT_USES) },
            max_duration_ms,
            priority: priority.unwrap_or(PRIORITY),
            back,
        },
        from,
        steps,
        place,
    })
}

/// A flow's name from its path.
fn stem(path: &str) -> String {
    crate::reading::stem(path).to_owned()
}

/// A step of a detour, with the id that its file gives it.
fn step(
    context: &mut Context<'_>,
    id: NodeId,
    place: Place,
    ordinal: usize,
    flow: Option<&str>,
) -> Option<(Option<String>, Step)> {
    if !context.is_map(id) {
        context.wrong_type(place, "a step: a list of fields", "it is left out");
        return None;
    }
    let mut block = Block::open(context, id, place);
    let named = ["id", "step_id", "sidequest_id"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    let station = ["to_station", "station_id", "template_id"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    let objective = ["objective_override", "objective_template"]
        .into_iter()
        .find_map(|key| block.text(context, key));
    let called = named.clone().or_else(|| station.clone());
    let mut step = Step::new(called.clone().unwrap_or_default(), ordinal);
    config::body(context, &mut block, &mut step);
    if step.agents.is_empty() {
        step.agents.extend(station.map(AgentKey::new));
    }
    step.intent = step.intent.or(objective);
    let own = called.or_else(|| step.agents.first().map(ToString::to_string));
    if let Some(flow) = flow {
        step.work = Work::SubWorkflow {
            files: vec![flow.to_owned()],
        };
        if step.name.is_empty() {
            step.name = model::step::humanise(&stem(flow));
        }
    }
    if step.name.is_empty() {
        step.name = own.as_deref().map(model::step::humanise).unwrap_or_default();
    }
    step.fields = block.rest(context);
    Some((own, step))
}

fn triggers(context: &mut Context<'_>, block: &mut Block) -> (Vec<Trigger>, bool) {
    let mut found = Vec::new();
    for key in ["condition", "when"] {
        if let Some(id) = block.take(context, key).filter(|id| !context.is_null(*id)) {
            found.push(Trigger::Reported(condition::read(context, id, block.place(key))));
        }
    }
    let list = block.take(context, "triggers");
    if list.is_some_and(|id| context.tree.items(id).is_none() && !context.says_nothing(id)) {
        let place = block.place("triggers");
        context.wrong_type(place, "a list of triggers", "none of them would be asked");
    }
    let items = list.and_then(|id| context.tree.items(id)).unwrap_or_default().to_vec();
    for (n, id) in items.into_iter().enumerate() {
        let place = block.place("triggers").field(n.to_string());
        found.extend(trigger(context, id, place));
    }
    let mode = block.text(context, "trigger_mode").unwrap_or_default();
    if !["", "any", "all"].contains(&mode.as_str()) {
        let place = block.place("trigger_mode");
        let said = format!("`trigger_mode: {mode}` is not known: one trigger that holds would be enough");
        let found = Diagnostic::new("GH0506", Severity::Error, place.clone(), said).help(
            "This workflow does not start. Write `all` where every trigger has to hold, `any` where one is enough",
        );
        let means_all = ["all", "every", "each", "both", "and"].contains(&mode.trim().to_lowercase().as_str());
        context.push(match means_all {
            true => found.fix(
                "Change to `all`",
                Edit::Set {
                    place,
                    value: "all".into(),
                },
            ),
            false => found,
        });
    }
    (found, mode == "all")
}

fn trigger(context: &mut Context<'_>, id: NodeId, place: Place) -> Option<Trigger> {
    let mut block = Block::open(context, id, place.clone());
    let kind = block
        .text(context, "condition_type")
        .or_else(|| block.text(context, "type"));
    let field = block.peek(context, "field").and_then(|id| context.text(id));
    // `operator` and `value` of a number, read as those of a condition.
    let number = |context: &mut Context<'_>, otherwise: i64| match condition::read(context, id, place.clone()) {
        model::Condition::Compare { operator, value, .. } if !value.is_null() => (operator, value),
        _ => (Operator::Gte, Value::from(otherwise)),
    };
    let kind = kind.unwrap_or_else(|| {
        if block.has(context, "pattern") {
            "path_pattern"
        } else {
            "field_check"
        }
        .to_owned()
    });
    match kind.as_str() {
        "field_check" => Some(Trigger::Reported(condition::read(context, id, place.clone()))),
        "path_pattern" => {
            let pattern = block.text(context, "pattern").unwrap_or_default();
            if let Some(why) = fault_of(&pattern) {
                let said = format!("The pattern `{pattern}` cannot be used: {why}");
                wrong(
                    context,
                    block.place("pattern"),
                    said,
                    "Write it as `auth/**` or `**/secret*`",
                );
            }
            Some(Trigger::Path { pattern })
        }
        "stall" => {
            // Whether it has stalled at all, or how often.
            let counts = field.as_deref() == Some("stall_count") || field.is_none() && block.has(context, "value");
            let value = block.peek(context, "value").map(|id| context.scalar(id));
            let compares = block.peek(context, "operator").and_then(|id| context.text(id));
            let plain = value.is_none_or(|value| value.as_bool() == Some(true))
                && compares.is_none_or(|operator| operator == "equals");
            if let Some(field) = field.as_deref().filter(|_| !counts && !plain) {
                let said = format!(
                    "`{field}` of a stall says that it has stalled, once at least: what it is compared with would be passed over"
                );
                wrong(
                    context,
                    place.clone(),
                    said,
                    "To count write `field: stall_count`; else leave out `operator` and `value`",
                );
            }
            let (operator, value) = match counts {
                true if field.is_none() => counted(context, &mut block, 1),
                true => number(context, 1),
                false => (Operator::Gte, Value::from(1)),
            };
            Some(Trigger::Stalled { operator, value })
        }
        "iteration_count" => {
            let (operator, value) = counted(context, &mut block, 5);
            Some(Trigger::Visits { operator, value })
        }
        other => {
            let said = format!("The trigger `{other}` is not known: the detour would never be taken for it");
            let help = "Known: field_check, stall, path_pattern, iteration_count";
            wrong(context, block.place("condition_type"), said, help);
            None
        }
    }
}

/// `operator` and `value` without a field: how a number is compared.
fn counted(context: &mut Context<'_>, block: &mut Block, otherwise: i64) -> (Operator, Value) {
    let word = block.text(context, "operator").unwrap_or_else(|| "gte".to_owned());
    let operator = condition::known(context, &word, block.place("operator"));
    let value = block.take(context, "value").map(|id| (id, context.value(id)));
    let Some((_, value)) = value.filter(|(id, _)| !context.is_null(*id)) else {
        return (operator, Value::from(otherwise));
    };
    let is_number =
        |value: &Value| value.is_number() || value.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok());
    let each: Vec<&Value> = value
        .as_array()
        .map_or_else(|| vec![&value], |list| list.iter().collect());
    if !each.into_iter().all(is_number) {
        let place = block.place("value");
        let said = "This trigger counts, and what it compares with is no number: it never holds";
        wrong(context, place, said, "This workflow does not start. Write a number");
    }
    (operator, value)
}

fn back(context: &mut Context<'_>, block: &mut Block, injected: bool) -> Back {
    let otherwise = if injected { Back::Advance } else { Back::Resume };
    let mut targets: Vec<(Place, String)> = Vec::new();
    let named = block.text(context, "target_node");
    targets.extend(named.map(|to| (block.place("target_node"), to)));
    // Which field says what.
    let mut words: Vec<(&str, String)> = Vec::new();
    for key in RETURNS {
        let Some(id) = block.take(context, key).filter(|id| !context.says_nothing(*id)) else {
            continue;
        };
        if context.is_map(id) {
            let mut inner = Block::open(context, id, block.place(key));
            for key in ["target_node", "bounce_to"] {
                let named = inner.text(context, key);
                targets.extend(named.map(|to| (inner.place(key), to)));
            }
            words.extend(inner.text(context, "mode").map(|word| (key, word)));
        } else {
            words.extend(context.text(id).map(|word| (key, word)));
        }
    }
    let to = targets.first().map(|(_, to)| to.clone());
    let meant = |word: &str| match word.trim() {
        "source" | "resume" => Some(Back::Resume),
        "next" | "advance" => Some(Back::Advance),
        "halt" => Some(Back::Halt),
        "bounce_to" => to.as_deref().map(|to| Back::To(StepId::new(to))),
        step => Some(Back::To(StepId::new(step))),
    };
    let said: Vec<(&str, Back)> = words
        .iter()
        .filter_map(|(key, word)| Some((*key, meant(word)?)))
        .collect();
    if let Some((first, back)) = said.first()
        && let Some((second, _)) = said.iter().find(|(_, other)| other != back)
    {
        let place = block.place(second);
        let said = format!("`{first}` and `{second}` of this detour say differently where it leads back to");
        wrong(context, place, said, "This workflow does not start. Keep one of them");
    }
    // A step that is named, and that another word or another field passes over.
    let back = said.first().map(|(_, back)| back.clone());
    let passed_over = targets.iter().find(|(_, to)| match &back {
        Some(Back::To(step)) => step.as_str() != to,
        Some(_) => true,
        None => targets[0].1 != *to,
    });
    if let Some((place, to)) = passed_over {
        let said = format!("This detour would not lead back to `{to}`: another field says differently");
        wrong(
            context,
            place.clone(),
            said,
            "This workflow does not start. Write `return: bounce_to`, or remove the step",
        );
    }
    match said.into_iter().next() {
        Some((_, back)) => back,
        None if to.is_some() || !words.is_empty() => Back::To(StepId::new(to.unwrap_or_default())),
        None => otherwise,
    }
}

/// What is wrong with detours that only all steps together say.
fn check(context: &mut Context<'_>, all: &mut Vec<Written>, steps: &[Step]) {
    let ids: HashSet<&str> = steps.iter().map(|step| step.id.as_str()).collect();
    let is_step = |name: &str| ids.contains(name);
    let own: HashSet<String> = all
        .iter()
        .flat_map(|one| one.steps.iter().map(|(own, _, _)| own.clone()))
        .collect();
    for one in all.iter() {
        for from in &one.from {
            if !is_step(from) && !own.contains(from) {
                let said = format!(
                    "The detour `{}` leaves a step that does not exist: `{from}`",
                    one.detour.id
                );
                wrong(
                    context,
                    one.place.clone(),
                    said,
                    "Name a step of this flow, or of another detour",
                );
            }
        }
        if let Back::To(to) = &one.detour.back
            && !is_step(to.as_str())
        {
            let said = format!(
                "The detour `{}` leads back to a step that does not exist: `{to}`",
                one.detour.id
            );
            let help = "Known: resume (or source), advance (or next), halt, or the id of a step";
            wrong(context, one.place.clone(), said, help);
        }
        if one.detour.triggers.is_empty() {
            let said = format!(
                "The detour `{}` is only offered: no condition says when it is taken, so that a navigator or a person has to choose it",
                one.detour.id
            );
            let help = "Add a `condition` for it to be taken by itself";
            context.report("GH0507", Severity::Note, one.place.clone(), said, Some(help));
        }
    }
    // Two of one name, for instance the same agent with a condition and without: each is one of its own.
    let mut named: HashSet<String> = HashSet::new();
    for one in all.iter_mut() {
        one.detour.id = unused(&one.detour.id, |id| named.contains(id));
        named.insert(one.detour.id.clone());
    }
    all.retain(|one| match &one.detour.back {
        Back::To(to) => is_step(to.as_str()),
        _ => true,
    });
}

/// The name, or with the first number behind it under which it is not taken.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

struct Grown<'a> {
    all: &'a [Written],
    /// The detours that leave a step of this id.
    leaving: HashMap<&'a str, Vec<usize>>,
    /// The place of the first of them among all steps.
    first: usize,
    steps: Vec<Step>,
    places: Vec<Vec<String>>,
    ids: HashSet<StepId>,
    /// How deep detours may lead into each other: the flow's own `max_depth` where that is less than what may be.
    deepest: usize,
    /// Detours inside of each other, deeper than may be.
    too_deep: Option<Vec<usize>>,
    /// The first detour whose steps are more than are made.
    too_many: Option<usize>,
}

impl Grown<'_> {
    /// The detours of one step, whose steps are made. `own`: what a detour's `after` calls the step.
    fn grow(&mut self, source: &StepId, own: &str, way: &mut Vec<usize>) -> Vec<Detour> {
        let mut found = Vec::new();
        for n in self.leaving.get(own).cloned().unwrap_or_default() {
            let one = &self.all[n];
            if self.steps.len() + one.steps.len() > MOST {
                self.too_many.get_or_insert(n);
                continue;
            }
            way.push(n);
            if way.len() > self.deepest {
                self.too_deep.get_or_insert_with(|| way.clone());
                way.pop();
                continue;
            }
            let begin = self.steps.len();
            let mut ids: Vec<StepId> = Vec::new();
            for (own, _, _) in &one.steps {
                let taken = |own: &str| self.ids.contains(&StepId::new(format!("{own}@{source}")));
                let id = StepId::new(format!("{}@{source}", unused(own, taken)));
                self.ids.insert(id.clone());
                ids.push(id);
            }
            for (at, (_, step, place)) in one.steps.iter().enumerate() {
                let mut step = step.clone();
                step.id = ids[at].clone();
                step.ordinal = self.first + self.steps.len();
                step.number = String::new();
                step.detour_from = Some(source.clone());
                step.routing = match ids.get(at + 1) {
                    Some(next) => Routing::Linear {
                        next: Some(next.clone()),
                    },
                    None => Routing::Return {
                        from: source.clone(),
                        back: one.detour.back.clone(),
                    },
                };
                self.steps.push(step);
                self.places.push(place.clone());
            }
            for (at, (own, _, _)) in one.steps.iter().enumerate() {
                let inner = self.grow(&ids[at], own, way);
                self.steps[begin + at].detours = inner;
            }
            way.pop();
            found.push(Detour {
                first: ids[0].clone(),
                ..one.detour.clone()
            });
        }
        found
    }
}
