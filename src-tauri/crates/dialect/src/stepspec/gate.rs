//! The gate of a step: `human_gate`, `gate_at`, `gate_question`, `gate_asks`, `on_reject`, the last four also in a block `gate`.

use super::form::{self, nearest, other_form, shortened};
use crate::reading::gate::{ASKING, is_logic, unknown};
use crate::reading::{Block, Context};
use model::{AgentKey, Diagnostic, Edit, Gate, GateAt, GateRequirement, Severity, StepId};
use serde_json::Value;

/// Words that say that nobody is asked, whatever the policy says (CONTRACTS "StepSpec": "gate disabled").
pub(super) const NOBODY: [&str; 3] = ["none", "no", "n/a"];
pub(super) const REQUIREMENTS: [&str; 5] = ["required", "conditional", "recommended", "optional", "none"];

/// Where the fields of a gate stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Form {
    /// Beside the step's other fields.
    #[default]
    Flat,
    /// `gate: required` instead of `human_gate`.
    Word,
    /// `gate: {question, asks, at, on_reject}`; which of [`NAMES`] stand in it, or would. A field that stands beside it alone stays there.
    Block([bool; 4]),
}

/// The fields of a gate as they are called beside the others, and in a block.
pub(super) const NAMES: [(&str, &str); 4] = [
    ("gate_at", "at"),
    ("gate_question", "question"),
    ("gate_asks", "asks"),
    ("on_reject", "on_reject"),
];

impl Form {
    /// How the fields of a step's gate are written.
    pub(super) fn of(context: &Context<'_>, step: &Block) -> Self {
        match step.peek(context, "gate") {
            Some(id) if context.is_map(id) => {
                let block = Block::open(context, id, step.place("gate"));
                Self::Block(NAMES.map(|(flat, inner)| block.has(context, inner) || !step.has(context, flat)))
            }
            Some(_) if !step.has(context, "human_gate") => Self::Word,
            _ => Self::Flat,
        }
    }
}

/// Takes the gate. A step that does not say how strongly it asks has an optional one: the project's policy may still ask.
pub(super) fn read(context: &mut Context<'_>, step: &mut Block, form: Form) -> Option<Gate> {
    let key = if form == Form::Word { "gate" } else { "human_gate" };
    let is_said = step.peek(context, key).is_some_and(|id| !context.says_nothing(id));
    let requirement = requirement(context, step, key);
    let mut gate = Gate {
        requirement: requirement.unwrap_or(GateRequirement::Optional),
        at: GateAt::Before,
        question: None,
        asks: Vec::new(),
        on_reject: None,
    };
    let inside = match form {
        Form::Block(inside) => inside,
        Form::Flat | Form::Word => [false; 4],
    };
    let beside = |n: usize| (!inside[n]).then_some(NAMES[n].0);
    fields(context, step, &mut gate, beside);
    if let Form::Block(_) = form
        && let Some(id) = step.take(context, "gate")
    {
        let mut block = Block::open(context, id, step.place("gate"));
        fields(context, &mut block, &mut gate, |n| inside[n].then_some(NAMES[n].1));
        for (name, _) in block.rest(context) {
            let place = step.place("gate").field(name.as_str());
            let said = format!("`{}` is no field of a gate; it has no effect", shortened(&name));
            let found = Diagnostic::new("GH0404", Severity::Warning, place.clone(), said).help(
                "A gate has `question`, `asks`, `at` and `on_reject`; how strongly it asks is `human_gate` of the step",
            );
            context.push(found.fix("Remove it", Edit::Remove { place }));
        }
        for (n, (flat, inner)) in NAMES.into_iter().enumerate() {
            if inside[n] && step.take(context, flat).is_some() {
                let said = format!("`{flat}` has no effect beside `{inner}` in the block `gate`");
                let help = Some("Keep one of the two");
                context.report("GH0404", Severity::Warning, step.place("gate"), said, help);
            }
        }
    }
    let useless = gate.question.is_some() || !gate.asks.is_empty() || gate.on_reject.is_some();
    if requirement.is_some() {
        if useless && !is_said {
            let said = "The step does not say how strongly it asks: nobody is asked the question unless the project's policy has it so";
            let help =
                "Write `human_gate: required` to always ask, or `human_gate: optional` to leave it to the policy";
            context.report("GH0111", Severity::Warning, step.place(key), said, Some(help));
        }
        return Some(gate);
    }
    if useless {
        let said = "Nobody is asked here, so the question and whom it goes to have no effect";
        let help = "Write `human_gate: optional` to leave it to the project's policy, or `required` to always ask";
        context.report("GH0111", Severity::Warning, step.place(key), said, Some(help));
    }
    None
}

/// `None` where nobody is asked.
fn requirement(context: &mut Context<'_>, step: &mut Block, key: &str) -> Option<GateRequirement> {
    let optional = Some(GateRequirement::Optional);
    let Some(id) = step.peek(context, key) else {
        return optional;
    };
    let place = step.place(key);
    if let Value::Bool(asks) = context.scalar(id) {
        step.take(context, key);
        let word = if asks { "required" } else { "none" };
        let said = format!("`{key}: {asks}` is no word of StepSpec; it is read as `{word}`");
        other_form(context, place, said, Some(word.into()));
        return asks.then_some(GateRequirement::Required);
    }
    if context.is_null(id) {
        form::text(context, step, key);
        return optional;
    }
    let word = context.text(id);
    step.take(context, key);
    let trimmed = word.as_deref().map(str::trim);
    // Which kind of gate it is says no word of logic: it is as if none stood there.
    if trimmed.is_some_and(|word| word.is_empty() || key == "gate" && is_logic(word)) {
        return optional;
    }
    if let Some(requirement) = trimmed.and_then(GateRequirement::from_word) {
        return Some(requirement);
    }
    if trimmed.is_some_and(|word| NOBODY.contains(&word.to_lowercase().as_str())) {
        return None;
    }
    let shown = word.as_deref().map_or_else(|| "…".to_owned(), shortened);
    let said = format!("`{key}: {shown}` is not known; the gate is treated as required");
    let help = "Write required, conditional, recommended or optional; `none` for no gate";
    let meant = word.as_deref().and_then(|word| nearest(word, &ASKING));
    unknown(context, place, said, help, meant);
    Some(GateRequirement::Required)
}

/// When, what and whom: of each of [`NAMES`] what it is called here, `None` where it stands elsewhere.
fn fields(context: &mut Context<'_>, block: &mut Block, gate: &mut Gate, name: impl Fn(usize) -> Option<&'static str>) {
    if let Some(at) = name(0).filter(|at| block.has(context, at)) {
        gate.at = when(context, block, at);
    }
    if let Some(question) = name(1) {
        gate.question = block.text(context, question).filter(|said| !said.trim().is_empty());
    }
    if let Some(asks) = name(2) {
        let asked = block.texts(context, asks);
        gate.asks = asked
            .into_iter()
            .filter(|who| !who.is_empty())
            .map(AgentKey::new)
            .collect();
    }
    if let Some(on_reject) = name(3) {
        let target = block.text(context, on_reject).filter(|to| !to.is_empty());
        gate.on_reject = target.map(StepId::new);
    }
}

fn when(context: &mut Context<'_>, block: &mut Block, key: &str) -> GateAt {
    let word = block.text(context, key);
    match word.as_deref().map(str::trim) {
        None | Some("" | "before") => GateAt::Before,
        Some("after") => GateAt::After,
        Some(other) => {
            let place = block.place(key);
            let said = format!(
                "`{key}: {}` is not known; the person is asked before the work",
                shortened(other)
            );
            unknown(
                context,
                place,
                said,
                "Write before or after",
                nearest(other, &["before", "after"]),
            );
            GateAt::Before
        }
    }
}
