//! Human gates of a step: `human_gate`, `gate_at`, `gate_question`, `gate_asks`, `on_reject`.

use super::{Block, Context, nearest};
use model::{AgentKey, Diagnostic, Edit, Gate, GateAt, GateRequirement, Place, Severity};

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
    let requirement = requirement(context, block, key);
    if requirement.is_none()
        && (question.is_some() || !asks.is_empty() || on_reject.is_some() || is_timed)
        && !block.has(context, key)
    {
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
            Some("Add `human_gate: required` to the step"),
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
    if context.is_null(id) {
        return None;
    }
    match context.scalar(id) {
        serde_json::Value::Bool(asks) => return asks.then_some(GateRequirement::Required),
        serde_json::Value::String(word) => {
            if let Some(requirement) = GateRequirement::from_word(&word) {
                return Some(requirement);
            }
            if matches!(word.as_str(), "none" | "no" | "n/a" | "") {
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

/// The words of a gate that asks. One that asks nobody is never proposed: a click must not take a gate away.
pub(crate) const ASKING: [&str; 4] = ["required", "conditional", "recommended", "optional"];

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
