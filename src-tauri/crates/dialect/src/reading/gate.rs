//! Human gates of a step: `human_gate`, `gate_at`, `gate_question`, `gate_asks`, `on_reject`.

use super::{Block, Context, nearest};
use crate::tree::{Grammar, NodeId};
use model::{AgentKey, Diagnostic, Edit, Gate, GateAt, GateRequirement, Place, Severity, Step, StepId};
use std::collections::{BTreeMap, HashMap, HashSet};

/// So many dependencies are looked at for where rejections lead; what is left then stays as it is written.
const MOST_LOOKED_AT: usize = 5_000_000;

/// The step's gate. A word that is not understood counts as `required`: a misspelling must never let a run pass. `key`:
/// the field that says whether there is one.
pub(crate) fn read(context: &mut Context<'_>, block: &mut Block, key: &str) -> Option<Gate> {
    let is_timed = block.peek(context, "gate_at").is_some_and(|id| !context.is_null(id));
    let at = gate_at(context, block);
    let question = block.text(context, "gate_question").filter(|q| !q.trim().is_empty());
    let asks: Vec<AgentKey> = block
        .texts(context, "gate_asks")
        .into_iter()
        .map(AgentKey::new)
        .collect();
    let on_reject = block.target(context, "on_reject");
    let is_said = block
        .peek(context, key)
        .is_some_and(|id| !is_unset(context, block, key, id));
    let requirement = requirement(context, block, key);
    if !is_said && (question.is_some() || !asks.is_empty() || on_reject.is_some() || is_timed) {
        let useless = if question.is_some() {
            "gate_question"
        } else if !asks.is_empty() {
            "gate_asks"
        } else if on_reject.is_some() {
            "on_reject"
        } else {
            "gate_at"
        };
        context.report(
            "GH0111",
            Severity::Warning,
            block.place(useless),
            format!("`{useless}` has no effect: this step asks nobody"),
            Some("Write `human_gate: required` on the step"),
        );
    }
    requirement.map(|requirement| Gate {
        requirement,
        at,
        question,
        asks,
        on_reject,
    })
}

fn requirement(context: &mut Context<'_>, block: &mut Block, key: &str) -> Option<GateRequirement> {
    let id = block.take(context, key)?;
    if is_unset(context, block, key, id) {
        return None;
    }
    // Whoever has begun to write a gate does not mean that nobody is asked.
    if context.is_null(id) || context.text(id).is_some_and(|word| word.trim().is_empty()) {
        let said = format!("`{key}` is left empty, so that nobody knows whether a person is to be asked");
        let help = "This workflow does not start. Write required, conditional, recommended or optional; `none` for no gate, or remove the field";
        let place = block.place(key);
        let value = "required".into();
        let found = Diagnostic::new("GH0109", Severity::Error, place.clone(), said).help(help);
        context.push(found.fix("Change to `required`", Edit::Set { place, value }));
        return Some(GateRequirement::Required);
    }
    match context.scalar(id) {
        serde_json::Value::Bool(asks) => return asks.then_some(GateRequirement::Required),
        serde_json::Value::String(word) => {
            if let Some(requirement) = GateRequirement::from_word(&word) {
                return Some(requirement);
            }
            if matches!(word.as_str(), "none" | "no" | "n/a") || key == "gate" && is_logic(&word) {
                return None;
            }
        }
        _ => {}
    }
    let word = context.text(id).unwrap_or_else(|| "…".to_owned());
    unknown(
        context,
        block.place(key),
        format!("`{key}: {word}` is not known; the gate is treated as required"),
        "Write required, conditional, recommended or optional; `none` for no gate",
        nearest(&word, &ASKING),
    );
    Some(GateRequirement::Required)
}

/// Whether a null says that there is no gate: in JSON programs write it for what is not there, and in YAML `~` takes back what is taken over by `<<`.
fn is_unset(context: &Context<'_>, block: &Block, key: &str, id: NodeId) -> bool {
    let is_written = || {
        context
            .tree
            .text(context.source(), id)
            .is_some_and(|text| !text.is_empty())
    };
    let is_meant = || context.tree.grammar == Grammar::Json || is_written() && block.covers(context, key);
    context.is_null(id) && is_meant()
}

/// The words of a gate that asks. One that asks nobody is never proposed: a click must not take a gate away.
pub(crate) const ASKING: [&str; 4] = ["required", "conditional", "recommended", "optional"];

/// Whether a word joins conditions: `gate: AND` is a gate of logic, at which nobody is asked.
pub(crate) fn is_logic(word: &str) -> bool {
    const JOINING: [&str; 6] = ["and", "nand", "nor", "or", "xnor", "xor"];
    JOINING.contains(&word.trim().to_lowercase().as_str())
}

/// A word that is not known, with the one that was probably meant.
pub(crate) fn unknown(context: &mut Context<'_>, place: Place, said: String, help: &str, meant: Option<&str>) {
    let found = Diagnostic::new("GH0109", Severity::Error, place.clone(), said).help(help);
    context.push(match meant {
        Some(word) => {
            let value = word.into();
            found.fix(format!("Change to `{word}`"), Edit::Set { place, value })
        }
        None => found,
    });
}

fn gate_at(context: &mut Context<'_>, block: &mut Block) -> GateAt {
    match block.text(context, "gate_at").as_deref() {
        None | Some("after") => GateAt::After,
        Some("before") => GateAt::Before,
        Some(other) => {
            let said = format!("`gate_at: {other}` is not known; the person is asked after the work");
            let meant = nearest(other, &["before", "after"]);
            unknown(context, block.place("gate_at"), said, "Write before or after", meant);
            GateAt::After
        }
    }
}

/// Takes out the ways of rejections that are not carried out, and says so. Where steps wait for each other, work goes back only to a step
/// that the asking one waits for, directly or through others. Gives what was taken out of which step; a way to a step that is not there
/// stays, because a rule names it. `noun`: what a step is called.
pub(crate) fn without_effect(context: &mut Context<'_>, steps: &mut [Step], noun: &str) -> BTreeMap<usize, StepId> {
    let to = |step: &Step| step.gate.as_ref()?.on_reject.clone();
    if steps.iter().all(|step| to(step).is_none()) {
        return BTreeMap::new();
    }
    let mut by_id: HashMap<&StepId, usize> = HashMap::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        by_id.entry(&step.id).or_insert(n);
    }
    let mut left = MOST_LOOKED_AT;
    let mut waits_for = |from: usize, to: usize| {
        let (mut open, mut known) = (vec![from], HashSet::new());
        while let Some(at) = open.pop() {
            for before in steps[at].depends_on.iter().filter_map(|id| by_id.get(id)) {
                if left == 0 || *before == to {
                    return true;
                }
                left -= 1;
                if known.insert(*before) {
                    open.push(*before);
                }
            }
        }
        false
    };
    let mut found = BTreeMap::new();
    for (n, step) in steps.iter().enumerate() {
        let named = to(step).and_then(|id| by_id.get(&id).map(|at| (*at, id)));
        if let Some((at, id)) = named.filter(|(at, _)| *at == n || !waits_for(n, *at)) {
            let why = match at == n {
                true => format!("no {noun} waits for itself"),
                false => format!(
                    "“{}” does not wait for “{}”, neither directly nor through others",
                    step.name, steps[at].name
                ),
            };
            found.insert(n, (id, why));
        }
    }
    for (n, (_, why)) in &found {
        let place = Place::step(*n).field("on_reject");
        let said = format!("`on_reject` has no effect: {why}, so a rejection ends the run");
        let help =
            format!("Name a {noun} that this one waits for: what is rejected goes back to it. Or remove the field");
        let edit = Edit::Remove { place: place.clone() };
        let one = Diagnostic::new("GH0502", Severity::Warning, place, said).help(help);
        context.push(one.fix("Remove `on_reject`", edit));
    }
    let found = found
        .into_iter()
        .map(|(n, (id, _))| (n, id))
        .collect::<BTreeMap<_, _>>();
    for n in found.keys() {
        if let Some(gate) = &mut steps[*n].gate {
            gate.on_reject = None;
        }
    }
    found
}
