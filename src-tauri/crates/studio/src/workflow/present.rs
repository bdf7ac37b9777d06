//! A workflow's steps as they are shown.

use crate::gate::policy;
use crate::workflow::view::{AgentView, GateView, LinesView, LoopView, StepView};
use crate::workflow::{drawing, prose, tools};
use crate::{evidence, words};
use dialect::Document;
use engine::{EngineInfo, GateRules};
use model::{AgentKey, GateAt, GateRequirement, Place, Retries, Routing, Step, Whether, Work, Workflow};
use runtime::PlannedCall;

/// What binds agents to engines, as far as showing needs it.
pub trait Engines {
    /// The engine of an agent.
    fn engine_of(&self, agent: &AgentKey) -> EngineInfo;
}

impl<F: Fn(&AgentKey) -> EngineInfo> Engines for F {
    fn engine_of(&self, agent: &AgentKey) -> EngineInfo {
        self(agent)
    }
}

/// Every step, in document order.
pub fn steps(
    document: &Document,
    engines: &impl Engines,
    rules: GateRules<'_>,
    planned: &[PlannedCall],
) -> Vec<StepView> {
    let workflow = document.workflow();
    let middles = model::beginning::middles(workflow);
    workflow
        .steps()
        .iter()
        .map(|step| StepView {
            middle: middles[step.ordinal],
            ..one(document, workflow, step, engines, rules, planned)
        })
        .collect()
}

fn one(
    document: &Document,
    workflow: &Workflow,
    step: &Step,
    engines: &impl Engines,
    rules: GateRules<'_>,
    planned: &[PlannedCall],
) -> StepView {
    StepView {
        ordinal: step.ordinal as u32,
        step: words::of_step(step),
        kind: drawing::kind(step),
        parent: step.parent.as_ref().map(|id| words::step_ref(workflow, id)),
        dynamic: step.dynamic,
        intent_html: prose::intent_html(workflow, step),
        command: drawing::command(step),
        runbooks: match &step.work {
            Work::SubWorkflow { files } => files.clone(),
            _ => Vec::new(),
        },
        intent: step.intent.clone(),
        agents: step.agents.iter().map(|a| agent(a, engines)).collect(),
        next: crate::run::detours::of_step(workflow, step)
            .into_iter()
            .chain(next(workflow, step))
            .chain(rejected(workflow, step))
            .collect(),
        meets: meets(workflow, step),
        whether: step.whether.as_ref().map(whether_words),
        gate: step.gate.as_ref().map(|gate| {
            let verdict = rules.policy.judge(step, &workflow.id, rules.limits);
            GateView {
                requirement: gate.requirement,
                at: gate.at,
                question: engine::gate::question(step, gate, false),
                asks: gate.asks.iter().map(ToString::to_string).collect(),
                blocks: verdict.blocks,
                words: gate_words(gate.requirement, gate.at, verdict.blocks),
                policy: policy::words(&verdict.reason, Some(step), &workflow.id, rules.policy),
                policy_code: verdict.reason.to_string(),
            }
        }),
        loop_: match &step.routing {
            Routing::Microloop(m) => Some(LoopView {
                target: m.loop_target.as_ref().map(|t| words::step_ref(workflow, t)),
                max: m.max_iterations,
                words: match m.loop_target {
                    Some(_) => loop_words(m),
                    None => "No step is named that it goes back to, so it never does.".to_owned(),
                },
            }),
            _ => None,
        },
        middle: false,
        inputs: step.inputs.clone(),
        outputs: step.outputs.clone(),
        depends_on: step.depends_on.iter().map(ToString::to_string).collect(),
        fields: words::named(&step.fields),
        lines: document.span(&Place::step(step.ordinal)).map(|span| LinesView {
            first: document.position(span.start).line as u32,
            last: document.position(span.end.saturating_sub(1).max(span.start)).line as u32,
        }),
        phase: step.phase.clone(),
        tools: tools::of_step(step, planned),
        validation: step.validation.clone(),
        evidence: step.evidence.as_deref().map(evidence_words),
        templates: step.templates.clone(),
        parameters: words::named(&step.parameters),
        retries: step.retries.as_ref().map(|retries| retry_words(retries, step, engines)),
        escalates: step.escalate_to.as_ref().map(|who| escalates_words(who, engines)),
    }
}

fn evidence_words(written: &str) -> String {
    match engine::Level::from_word(written) {
        Some(level) => format!("{} ({})", evidence::present::level_words(level), level.word()),
        None => written.to_owned(),
    }
}

fn whether_words(whether: &Whether) -> String {
    match &whether.condition {
        Some(condition) if whether.optional && whether.expression().is_some() => format!(
            "only where `{}` holds and a person says so, who is asked when its turn comes",
            condition.trim()
        ),
        Some(condition) if whether.expression().is_some() => format!(
            "only where `{}` holds; a person is asked where the steps before it do not report what that names",
            condition.trim()
        ),
        Some(condition) => format!("a person is asked whether this holds: {}", condition.trim()),
        None => "only if a person says so, who is asked when its turn comes".to_owned(),
    }
}

fn retry_words(retries: &Retries, step: &Step, engines: &impl Engines) -> String {
    let by_people = !step.agents.is_empty() && step.agents.iter().all(|who| engines.engine_of(who).is_person());
    let tried = match retries.max {
        Some(0) => "not tried again after a failure".to_owned(),
        // Whoever said how it went has said it.
        _ if by_people => {
            return "without effect: a person does this step, and what they say they could not do is not tried again"
                .to_owned();
        }
        Some(max) => format!(
            "tried again up to {} after a failure",
            words::count(max as usize, "time", "times")
        ),
        None => "tried again as often as the project allows".to_owned(),
    };
    match retries.backoff_ms {
        0 => tried,
        pause => format!("{tried}, {} later", words::duration(pause)),
    }
}

fn escalates_words(who: &AgentKey, engines: &impl Engines) -> String {
    match engines.engine_of(who).is_person() {
        true => format!("{who}, a person, is asked to do it or to say that it has failed"),
        false => format!("{who} does it once more"),
    }
}

/// An agent with its engine.
pub fn agent(agent: &AgentKey, engines: &impl Engines) -> AgentView {
    let info = engines.engine_of(agent);
    AgentView {
        name: agent.to_string(),
        engine: info.short,
        command: info.command,
    }
}

fn gate_words(requirement: GateRequirement, at: GateAt, blocks: bool) -> String {
    let when = match at {
        GateAt::Before => "before the work",
        GateAt::After => "after the work",
    };
    match (requirement, blocks) {
        (GateRequirement::Required, true) => format!("Always asks a person {when}."),
        (GateRequirement::Required, false) => {
            format!("Would ask a person {when}, but the project's policy lets no gate stop a run.")
        }
        (_, true) => format!("Asks a person {when}: the project's policy makes this gate binding."),
        (GateRequirement::Optional, false) => "Optional: never stops the run.".into(),
        (_, false) => format!("Would ask a person {when} if the project's policy said so; it does not."),
    }
}

fn loop_words(m: &model::Microloop) -> String {
    let mut ways = Vec::new();
    if let Some(field) = &m.condition_field
        && !m.success_values.is_empty()
    {
        ways.push(format!("{field} is {}", m.success_values.join(" or ")));
    }
    for (field, values) in &m.exit_on {
        let values: Vec<String> = values.iter().map(words::value).collect();
        ways.push(format!("{field} is {}", values.join(" or ")));
    }
    if m.condition_field.is_some() {
        ways.push("another round is said not to help".into());
    }
    ways.push(format!(
        "it has gone back {}",
        words::count(m.max_iterations as usize, "time", "times")
    ));
    format!("Ends when {}.", ways.join(", or when "))
}

fn next(workflow: &Workflow, step: &Step) -> Vec<String> {
    let name = |id: &model::StepId| format!("“{}”", words::step_ref(workflow, id).name);
    let end = || "the flow ends".to_owned();
    match &step.routing {
        Routing::Sequence => match workflow.step_after(step) {
            Some(next) => vec![format!("then “{}”", next.name)],
            None => vec![end()],
        },
        Routing::Linear { next } | Routing::Unknown { next, .. } => {
            vec![next.as_ref().map_or_else(end, |to| format!("then {}", name(to)))]
        }
        Routing::Microloop(m) => {
            let mut lines = Vec::new();
            if let Some(target) = &m.loop_target {
                lines.push(format!("back to {}, at most {} times", name(target), m.max_iterations));
            }
            lines.push(m.next.as_ref().map_or_else(
                || "afterwards the flow ends".to_owned(),
                |to| format!("afterwards {}", name(to)),
            ));
            lines
        }
        Routing::Branch(b) => {
            let mut lines: Vec<String> = b.branches.iter().map(|(v, to)| format!("{v}: {}", name(to))).collect();
            lines.push(b.next.as_ref().map_or_else(
                || "otherwise the flow ends".to_owned(),
                |to| format!("otherwise {}", name(to)),
            ));
            lines
        }
        Routing::Guarded { guards, next } => {
            let mut lines: Vec<String> = guards
                .iter()
                .map(|g| {
                    format!(
                        "{}: {}",
                        g.condition.label().unwrap_or_else(|| "always".into()),
                        name(&g.to)
                    )
                })
                .collect();
            match next {
                Some(next) => lines.push(format!("otherwise {}", name(next))),
                None if step.routing.may_ask_the_way() => {
                    lines.push("otherwise a person is asked which way".to_owned())
                }
                None => {}
            }
            lines
        }
        Routing::Fork(fork) => {
            let names: Vec<String> = fork.targets.iter().map(name).collect();
            let mut lines = vec![format!("beside each other: {}", names.join(", "))];
            lines.extend(fork.join.as_ref().map(|join| {
                let asks = crate::run::forks::asks(&fork.rules, fork.targets.len());
                format!("they meet at {}, which asks for {asks}", name(join))
            }));
            lines.extend(crate::run::forks::how(&fork.rules));
            lines
        }
        Routing::Return { from, back } => vec![crate::run::detours::back(workflow, from, back)],
        Routing::Terminal => vec![end()],
        Routing::Transitions { .. } => crate::run::transitions::written(workflow, step),
        Routing::Dependencies => Vec::new(),
    }
}

/// Where a rejection leads, of a gate that has a way for it.
fn rejected(workflow: &Workflow, step: &Step) -> Option<String> {
    let to = workflow.step(step.gate.as_ref()?.on_reject.as_ref()?)?;
    let back = if to.ordinal <= step.ordinal { "back to " } else { "" };
    Some(format!("rejected: {back}“{}”", words::of_step(to).name))
}

/// The forks whose branches meet at a step.
fn meets(workflow: &Workflow, step: &Step) -> Vec<String> {
    let forks = workflow.steps().iter().filter_map(|from| match &from.routing {
        Routing::Fork(fork) if fork.join.as_ref() == Some(&step.id) => Some((from, fork)),
        _ => None,
    });
    forks
        .map(|(from, fork)| {
            let name = words::of_step(from).name;
            let asks = crate::run::forks::asks(&fork.rules, fork.targets.len());
            format!("the {} branches of “{name}”; asked for: {asks}", fork.targets.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::whether_words;
    use model::Whether;

    #[test]
    fn whether_a_step_is_done_is_said_of_an_expression_and_of_prose() {
        let words = |condition: &str| {
            whether_words(&Whether {
                condition: Some(condition.to_owned()),
                ..Whether::default()
            })
        };
        assert!(words("size == 'large'").starts_with("only where `size == 'large'` holds; "));
        for prose in ["the customer has a contract", "size = 'large'", "'large'"] {
            assert_eq!(words(prose), format!("a person is asked whether this holds: {prose}"));
        }
        let optional = whether_words(&Whether {
            condition: Some("size == 'large'".to_owned()),
            optional: true,
        });
        let wanted = "only where `size == 'large'` holds and a person says so, who is asked when its turn comes";
        assert_eq!(optional, wanted);
    }
}
