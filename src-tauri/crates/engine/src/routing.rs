//! The routing table of seed 001 ("Routing Contract"; CONTRACTS "Stepwise"): which step is next, and why.
//!
//! Pure and complete: a [`RouteDecision`] carries the contract's reason, the values that were looked at and every
//! way out that was not taken, so that a why-card never computes anything again.

use crate::RouteReason as Reason;
use crate::value::{Values, holds, text};
use crate::{
    Alternative, DetourMove, Instance, LoopCount, RouteDecision, RouteKind, RouteSource, StepResult, WhyNot, WhyNotCode,
};
use model::cel::Expression;
use model::{Back, Branch, Condition, Fields, Guard, Microloop, Operator, Routing, Step, StepId, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The field by which an agent says that another round cannot help (seed 001 "Microloop Exit Conditions").
pub const FURTHER_HELP: &str = "can_further_iteration_help";
/// The field by which a step's report names the step that follows (seed 001 "`routing_source` Field", `fast_path`).
pub const NEXT_STEP: &str = "next_step_id";
pub use model::routing::BACK_EDGE_BOUND;

/// Key of a loop's counter, `<step>:<loop_target>`.
pub fn loop_key(step: &StepId, target: &StepId) -> String {
    format!("{step}:{target}")
}

/// Decides which step follows a result that did not fail.
///
/// `loop_state` are the counters before the decision, those after it are in the answer. `from` names the step's first
/// visit: who knows which visit was left puts it in. A target that does not exist is returned as written.
pub fn route(
    step: &Step,
    workflow: &Workflow,
    result: &StepResult,
    loop_state: &BTreeMap<String, u32>,
) -> RouteDecision {
    let mut table = Table {
        step,
        values: Values::new(workflow, step, result),
        loop_state,
        looked_at: Fields::new(),
    };
    let chosen = match &step.routing {
        Routing::Sequence => table.sequence(workflow.step_after(step)),
        Routing::Linear { next } => Chosen::to(next, Reason::LinearExplicit, Reason::CompleteLinear),
        Routing::Microloop(microloop) => {
            if workflow.is_of_spec_generation(step) || !microloop.exit_on.is_empty() {
                table.spec_microloop(microloop)
            } else {
                table.microloop(microloop)
            }
        }
        Routing::Branch(branch) => table.branch(branch),
        Routing::Guarded { guards, next } => table.guarded(guards, next.as_ref()),
        Routing::Unknown { next, .. } => Chosen::to(next, Reason::UnknownKindFallback, Reason::CompleteUnknown),
        Routing::Terminal => {
            let reason = if workflow.is_of_spec_generation(step) {
                Reason::CompleteTerminal
            } else {
                Reason::CompleteUnknown
            };
            Chosen {
                source: RouteSource::FastPath,
                ..Chosen::new(None, reason)
            }
        }
        Routing::Return { from, back } => {
            let to = match back {
                Back::Resume | Back::Advance => Some(from.clone()),
                Back::To(to) => Some(to.clone()),
                Back::Halt => None,
            };
            Chosen::new(to, Reason::Returned(back.word().to_owned()))
        }
        // The branches begin one by one, in `control::fork`; the first stands for them.
        Routing::Fork(fork) => {
            let of = u32::try_from(fork.targets.len()).unwrap_or(u32::MAX);
            Chosen::new(fork.targets.first().cloned(), Reason::Fork { nth: 1, of })
        }
        // Transitions are decided in `runbook`, dependencies in `control::dag`.
        Routing::Transitions { .. } | Routing::Dependencies => table.sequence(workflow.step_after(step)),
    };
    let named = named_next(workflow, step, result);
    if named.is_some() {
        table.look(NEXT_STEP);
    }
    let chosen = match named {
        // It is taken as a detour, by whoever knows which detours the visit may take.
        Some(next) if step.detours.iter().any(|detour| detour.first == next) => chosen,
        Some(next) => match no_entry(workflow, step, &next) {
            Some(code) => {
                let why_not = code.of(&next);
                chosen.instead_of(Some(next), why_not)
            }
            None => explicit(step, next, chosen),
        },
        None => chosen,
    };
    let looked_at = table.looked_at;
    let microloop = match &step.routing {
        Routing::Microloop(microloop) => Some(microloop),
        _ => None,
    };
    let back_to_target =
        microloop.is_some_and(|m| m.loop_target.is_some() && m.loop_target == chosen.to) || chosen.counted.is_some();
    let decision = match (&chosen.to, back_to_target) {
        (None, _) => RouteKind::Terminate,
        (Some(_), true) => RouteKind::Loop,
        (Some(_), false) => RouteKind::Advance,
    };
    let detour = match &step.routing {
        Routing::Return { back, .. } => Some(match back {
            Back::Resume => DetourMove::Again,
            Back::Advance => DetourMove::On,
            Back::To(_) | Back::Halt => DetourMove::Elsewhere,
        }),
        _ => None,
    };
    let returned = matches!(chosen.reason, Reason::Returned(_));
    let mut loop_state = loop_state.clone();
    if let Some(key) = chosen.counted {
        *loop_state.entry(key).or_default() += 1;
    }
    RouteDecision {
        from: Instance {
            step: step.id.clone(),
            visit: 1,
            path: Vec::new(),
        },
        to: chosen.to,
        decision,
        reason: chosen.reason,
        source: chosen.source,
        edge: None,
        looked_at,
        alternatives: chosen.alternatives,
        loop_count: microloop.and_then(|m| loop_count(step, m, table.loop_state)),
        loop_state: Arc::new(loop_state),
        runbook: None,
        branch: None,
        detour: detour.filter(|_| returned),
    }
}

/// The counter of a microloop; `None` when it has no target to go back to.
pub fn loop_count(step: &Step, microloop: &Microloop, loop_state: &BTreeMap<String, u32>) -> Option<LoopCount> {
    let target = microloop.loop_target.as_ref()?;
    let taken = loop_state.get(&loop_key(&step.id, target)).copied().unwrap_or(0);
    Some(LoopCount {
        taken,
        max: microloop.max_iterations,
    })
}

/// Whether the flow ends here only because none of the conditions on the ways on holds. The way back of a loop is no way on: that it
/// is not taken is how a loop ends.
pub fn no_way_on(workflow: &Workflow, route: &RouteDecision) -> bool {
    // Whoever chose the end has chosen it.
    if !matches!(route.source, RouteSource::Deterministic) {
        return false;
    }
    let step = workflow.step(&route.from.step);
    let Some(Routing::Guarded { guards, next: None }) = step.map(|step| &step.routing) else {
        return false;
    };
    route.to.is_none() && guards.iter().any(|guard| !guard.back)
}

/// One row of the table, chosen.
struct Chosen {
    to: Option<StepId>,
    reason: Reason,
    source: RouteSource,
    alternatives: Vec<Alternative>,
    /// The loop counter that goes up.
    counted: Option<String>,
}

impl Chosen {
    fn new(to: Option<StepId>, reason: Reason) -> Self {
        Self {
            to,
            reason,
            source: RouteSource::Deterministic,
            alternatives: Vec::new(),
            counted: None,
        }
    }
    /// The two reasons of most rows: with a successor, and without one.
    fn to(next: &Option<StepId>, with: Reason, without: Reason) -> Self {
        Self::new(next.clone(), if next.is_some() { with } else { without })
    }
    fn instead_of(mut self, to: Option<StepId>, why_not: impl Into<WhyNot>) -> Self {
        self.alternatives.push(Alternative {
            to,
            why_not: why_not.into(),
        });
        self
    }
}

struct Table<'a> {
    step: &'a Step,
    values: Values<'a>,
    loop_state: &'a BTreeMap<String, u32>,
    looked_at: Fields,
}

/// Whether a condition holds of what a step reported, and the values that were looked at; the error is why it has no
/// answer.
pub(crate) fn holds_of(
    step: &Step,
    workflow: &Workflow,
    result: &StepResult,
    loop_state: &BTreeMap<String, u32>,
    condition: &Condition,
) -> (Result<bool, String>, Fields) {
    let mut table = Table {
        step,
        values: Values::new(workflow, step, result),
        loop_state,
        looked_at: Fields::new(),
    };
    let holds = table.condition(condition);
    (holds, table.looked_at)
}

impl Table<'_> {
    /// Reads a value and notes that it was read.
    fn look(&mut self, field: &str) -> Option<Value> {
        let value = self.values.get(field);
        self.looked_at
            .insert(field.to_owned(), value.clone().unwrap_or(Value::Null));
        value
    }
    fn look_text(&mut self, field: &str) -> Option<String> {
        self.look(field).map(|v| text(&v)).filter(|t| !t.is_empty())
    }
    fn taken(&self, target: &StepId) -> u32 {
        self.loop_state
            .get(&loop_key(&self.step.id, target))
            .copied()
            .unwrap_or(0)
    }

    fn sequence(&self, next: Option<&Step>) -> Chosen {
        match next {
            Some(next) => Chosen::new(Some(next.id.clone()), Reason::LinearDefault),
            None => Chosen {
                source: RouteSource::FastPath,
                ..Chosen::new(None, Reason::CompleteNoRouting)
            },
        }
    }

    /// Config flows: the bound is read first, even when the work is verified.
    fn microloop(&mut self, m: &Microloop) -> Chosen {
        let Some(target) = &m.loop_target else {
            return Chosen::to(&m.next, Reason::MicroloopNoTarget, Reason::CompleteMicroloopFallback);
        };
        if self.taken(target) >= m.max_iterations {
            return bound_reached(m, target);
        }
        let value = m.condition_field.as_deref().and_then(|field| self.look_text(field));
        if let Some(value) = value.as_deref().filter(|v| m.success_values.iter().any(|s| s == v)) {
            return condition_met(m, target, value);
        }
        if m.condition_field.is_some()
            && self
                .look_text(FURTHER_HELP)
                .is_some_and(|help| help.to_lowercase() == "no")
        {
            return no_further_help(m, target);
        }
        let why_not = match (&m.condition_field, &value) {
            (_, Some(value)) => WhyNotCode::ValueNotMatched.of(value),
            (Some(field), None) => WhyNotCode::ValueMissing.of(field),
            (None, None) => WhyNotCode::NoExitCondition.into(),
        };
        self.again(m, target, why_not)
    }

    /// Spec flows: success is read before the bound; `exit_on` lists fields with the values that end the loop.
    fn spec_microloop(&mut self, m: &Microloop) -> Chosen {
        let Some(target) = &m.loop_target else {
            return Chosen::to(&m.next, Reason::MicroloopNoTarget, Reason::CompleteMicroloopFallback);
        };
        let mut why_not = None;
        let mut exits: Vec<(&str, Vec<String>)> = Vec::new();
        if let Some(field) = m.condition_field.as_deref() {
            exits.push((field, m.success_values.clone()));
        }
        exits.extend(
            m.exit_on
                .iter()
                .map(|(field, values)| (field.as_str(), values.iter().map(text).collect())),
        );
        for (field, accepted) in exits.iter().filter(|(field, _)| *field != FURTHER_HELP) {
            match self.look_text(field) {
                Some(value) if accepted.contains(&value) => return condition_met(m, target, &value),
                Some(value) => why_not.get_or_insert(WhyNotCode::ValueNotMatched.of(value)),
                None => why_not.get_or_insert(WhyNotCode::ValueMissing.of(field)),
            };
        }
        if !exits.is_empty() {
            let listed = m.exit_on.contains_key(FURTHER_HELP);
            let refused = match self.look(FURTHER_HELP) {
                Some(Value::Bool(help)) => listed && !help,
                Some(other) => text(&other).to_lowercase() == "no",
                None => false,
            };
            if refused {
                return no_further_help(m, target);
            }
        }
        if self.taken(target) >= m.max_iterations {
            return bound_reached(m, target);
        }
        self.again(m, target, why_not.unwrap_or_else(|| WhyNotCode::NoExitCondition.into()))
    }

    fn again(&self, m: &Microloop, target: &StepId, why_not: WhyNot) -> Chosen {
        let taken = self.taken(target) + 1;
        let mut chosen = Chosen::new(Some(target.clone()), Reason::LoopIteration(taken));
        chosen.counted = Some(loop_key(&self.step.id, target));
        chosen.instead_of(m.next.clone(), why_not)
    }

    fn branch(&mut self, b: &Branch) -> Chosen {
        let value = match b.field.as_deref() {
            Some(field) => self.look(field),
            None => {
                let status = Value::from(self.values.status());
                self.looked_at.insert("status".to_owned(), status.clone());
                Some(status)
            }
        };
        let matched = value.as_ref().and_then(|value| way_of(b, value));
        let mut chosen = match matched {
            Some((value, to)) => Chosen::new(Some(to.clone()), Reason::Branch(value.clone())),
            None => Chosen::to(&b.next, Reason::BranchFallback, Reason::CompleteBranch),
        };
        for (needed, to) in b
            .branches
            .iter()
            .filter(|(needed, _)| matched.is_none_or(|(v, _)| v != *needed))
        {
            chosen = chosen.instead_of(Some(to.clone()), WhyNotCode::OtherValueNeeded.of(needed));
        }
        match matched {
            Some((value, _)) => chosen.instead_of(b.next.clone(), WhyNotCode::BranchMatched.of(value)),
            None => chosen,
        }
    }

    /// Whether a condition holds; the error is why it has no answer.
    fn condition(&mut self, condition: &Condition) -> Result<bool, String> {
        match condition {
            Condition::Always => Ok(true),
            Condition::Compare { field, operator, value } => Ok(holds(self.look(field).as_ref(), operator, value)),
            Condition::Cel { expression } => {
                let parsed = Expression::parse(expression).map_err(|fault| fault.message)?;
                for name in parsed.names() {
                    let value = self.values.named(&name.name, self.loop_state);
                    self.looked_at.insert(name.name, value.unwrap_or(Value::Null));
                }
                parsed.evaluate(|name| self.looked_at.get(name).filter(|value| !value.is_null()).cloned())
            }
        }
    }

    /// A condition that does not hold, with what it compares although it never is equal: what leads past a gate is not to do so in silence.
    fn not_met(&self, condition: &Condition, label: &str) -> String {
        let Condition::Cel { expression } = condition else {
            return label.to_owned();
        };
        let parsed = Expression::parse(expression);
        let unlike = parsed.map(|parsed| parsed.unlike(|name| self.looked_at.get(name).cloned()));
        match unlike.unwrap_or_default().as_slice() {
            [] => label.to_owned(),
            unlike => format!("{label}: {}", unlike.join("; ")),
        }
    }

    /// Spec and graph files: the first guard that holds wins; a back edge is bounded.
    fn guarded(&mut self, guards: &[Guard], next: Option<&StepId>) -> Chosen {
        let mut taken: Option<(Chosen, String)> = None;
        let mut others = Vec::new();
        for guard in guards {
            let label = guard.condition.label().unwrap_or_else(|| "always".to_owned());
            if let Some((_, earlier)) = &taken {
                let why_not = WhyNotCode::EarlierConditionMet.of(earlier);
                others.push(Alternative {
                    to: Some(guard.to.clone()),
                    why_not,
                });
                continue;
            }
            let count = self.taken(&guard.to);
            let why_not = match self.condition(&guard.condition) {
                Err(why) => Some(WhyNotCode::ConditionFailed.of(format_args!("{label}: {why}"))),
                Ok(false) => Some(WhyNotCode::ConditionNotMet.of(self.not_met(&guard.condition, &label))),
                Ok(true) if guard.back && count >= guard.most => Some(WhyNotCode::LoopBoundReached.of(guard.most)),
                Ok(true) => None,
            };
            if let Some(why_not) = why_not {
                others.push(Alternative {
                    to: Some(guard.to.clone()),
                    why_not,
                });
                continue;
            }
            let mut chosen = Chosen::new(Some(guard.to.clone()), Reason::Branch(label.clone()));
            if guard.back {
                chosen.reason = Reason::LoopIteration(count + 1);
                chosen.counted = Some(loop_key(&self.step.id, &guard.to));
            }
            taken = Some((chosen, label));
        }
        match taken {
            Some((mut chosen, label)) => {
                chosen.alternatives = others;
                chosen.instead_of(next.cloned(), WhyNotCode::EarlierConditionMet.of(label))
            }
            None => {
                let mut chosen = Chosen::to(&next.cloned(), Reason::BranchFallback, Reason::CompleteBranch);
                chosen.alternatives = others;
                chosen
            }
        }
    }
}

/// The branch that a value takes. A yes or no is meant by the word that its origin has for it (`True`) and by the one that files write
/// (`true`): a person who chooses `true` and an agent that reports it have said the same. A number is the same however it is written (`1`,
/// `1.0`), as in a condition.
fn way_of<'b>(b: &'b Branch, value: &Value) -> Option<(&'b String, &'b StepId)> {
    let said = text(value);
    let named = b.branches.get_key_value(said.as_str()).filter(|_| !said.is_empty());
    let named = named.or_else(|| {
        let written = value.as_bool()?.to_string();
        b.branches.get_key_value(written.as_str())
    });
    named.or_else(|| {
        let is_same = |written: &str| {
            let number = written.parse().map(Value::Number);
            number.is_ok_and(|number| holds(Some(value), &Operator::Equals, &number))
        };
        b.branches
            .iter()
            .find(|(written, _)| value.is_number() && is_same(written))
    })
}

/// The step that a report names as the next, where the contract lets it (seed 001 "`routing_source` Field", `fast_path`).
pub(crate) fn named_next(workflow: &Workflow, step: &Step, result: &StepResult) -> Option<StepId> {
    // Where a fork leads is all of its branches: none of them is the next.
    let heeds = workflow.may_report_next(step) && !matches!(step.routing, Routing::Fork(_));
    let named = Values::new(workflow, step, result).text(NEXT_STEP).filter(|_| heeds)?;
    Some(workflow.meant_at(step, &named))
}

/// Why a step's report cannot lead where it says: the branches of a fork begin and meet by the file alone, and a detour begins at the
/// step that it leaves. Else a report would run another branch's steps twice, have what lies behind the join counted as its branch, or
/// have a detour lead back to a step that it never left.
fn no_entry(workflow: &Workflow, step: &Step, next: &StepId) -> Option<WhyNotCode> {
    let next = workflow.step(next)?;
    if model::branches::apart(workflow, step, next) {
        return Some(WhyNotCode::NextStepApart);
    }
    let is_within = model::branches::is_within_detours_of(workflow, step, next);
    (!is_within).then_some(WhyNotCode::NextStepInDetour)
}

/// What the report names comes before the rules; that the rules would have led elsewhere is kept.
fn explicit(step: &Step, next: StepId, by_rule: Chosen) -> Chosen {
    let why_not = WhyNotCode::NextStepReported.of(&next);
    let mut chosen = Chosen::new(Some(next), Reason::ExplicitNextStep);
    chosen.source = RouteSource::FastPath;
    // Going back along the step's own loop is a round of it, whoever decided.
    chosen.counted = match &step.routing {
        Routing::Microloop(m) => m
            .loop_target
            .clone()
            .filter(|target| chosen.to.as_ref() == Some(target)),
        _ => None,
    }
    .map(|target| loop_key(&step.id, &target));
    match by_rule.to == chosen.to {
        true => chosen,
        false => chosen.instead_of(by_rule.to, why_not),
    }
}

fn bound_reached(m: &Microloop, target: &StepId) -> Chosen {
    let max = m.max_iterations;
    let (with, without) = (Reason::MaxIterationsReached(max), Reason::CompleteMaxIterations(max));
    Chosen::to(&m.next, with, without).instead_of(Some(target.clone()), WhyNotCode::LoopBoundReached.of(max))
}

fn condition_met(m: &Microloop, target: &StepId, value: &str) -> Chosen {
    let (with, without) = (
        Reason::LoopExitConditionMet(value.to_owned()),
        Reason::CompleteConditionMet(value.to_owned()),
    );
    Chosen::to(&m.next, with, without).instead_of(Some(target.clone()), WhyNotCode::ExitConditionMet.of(value))
}

fn no_further_help(m: &Microloop, target: &StepId) -> Chosen {
    Chosen::to(&m.next, Reason::LoopExitNoFurtherHelp, Reason::CompleteNoFurtherHelp)
        .instead_of(Some(target.clone()), WhyNotCode::FurtherHelpRefused)
}
