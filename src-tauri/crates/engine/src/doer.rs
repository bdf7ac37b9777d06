//! Who does a step, and what carries it out.

use crate::{EngineInfo, RunCreated};
use model::{AgentKey, Routing, Step, Work, Workflow};
use std::collections::BTreeMap;

/// Who does a step: whom the run's starter gave it to, else whom the workflow names.
pub fn agents_of(step: &Step, created: &RunCreated) -> Vec<AgentKey> {
    match created.assigned.get(&step.id) {
        Some(agent) => vec![agent.clone()],
        None => step.agents.clone(),
    }
}

/// Whether these agents all work at the step, each with an engine of their own. A runbook's names are people to ask, and a script or
/// another workflow that stands in the step is carried out once; a stage of a pipeline has either that or agents.
pub fn is_shared(step: &Step, agents: &[AgentKey]) -> bool {
    let theirs = match step.routing {
        Routing::Transitions { .. } => false,
        Routing::Dependencies => true,
        _ => step.work == Work::Agent,
    };
    theirs && agents.len() > 1
}

/// What carries an attempt of a step out in this run, and, of a step that several agents work at, what carries each of them out.
pub fn engines_of(step: &Step, created: &RunCreated) -> (EngineInfo, Vec<EngineInfo>) {
    let agents = agents_of(step, created);
    let each = |agent| engine_of(step, std::slice::from_ref(agent), created);
    let crew = match is_shared(step, &agents) {
        true => agents.iter().map(each).collect(),
        false => Vec::new(),
    };
    (engine_of(step, &agents, created), crew)
}

/// The same of an attempt that another one takes over ([`Step::escalate_to`]); `None`: whoever the step names.
pub fn engines_at(step: &Step, other: Option<&AgentKey>, created: &RunCreated) -> (EngineInfo, Vec<EngineInfo>) {
    match other {
        Some(other) => (engine_of(step, std::slice::from_ref(other), created), Vec::new()),
        None => engines_of(step, created),
    }
}

/// Who has taken an attempt over from whoever the step names.
pub fn other_at<'a>(step: &'a Step, agents: &[AgentKey], created: &RunCreated) -> Option<&'a AgentKey> {
    let other = step.escalate_to.as_ref()?;
    (agents == std::slice::from_ref(other) && agents_of(step, created) != agents).then_some(other)
}

/// What carries a step out in this run: a person where every step is asked for, nothing in a rehearsal, else [`doer`].
pub(crate) fn engine_of(step: &Step, agents: &[AgentKey], created: &RunCreated) -> EngineInfo {
    let is_own = matches!(step.work, Work::Command { .. } | Work::SubWorkflow { .. });
    match () {
        () if created.prompted && step.work != Work::Group => EngineInfo::person(),
        () if created.is_rehearsal() && is_own => EngineInfo::stub(),
        () => doer(step, agents, &created.engines),
    }
}

/// What carries out a navigator's work.
pub(crate) fn navigator(agent: &AgentKey, created: &RunCreated) -> EngineInfo {
    let bound = created.engines.get(agent).filter(|_| !created.is_rehearsal());
    bound.cloned().unwrap_or_else(EngineInfo::stub)
}

/// What carries a step out for real: the engine its agent is bound to; what stands in the workflow itself when nobody is named, or
/// nobody with an engine; the stub where it is nobody.
pub fn doer(step: &Step, agents: &[AgentKey], engines: &BTreeMap<AgentKey, EngineInfo>) -> EngineInfo {
    let own = match &step.work {
        Work::Command { language, script } => Some(EngineInfo::script(language, script)),
        Work::SubWorkflow { files } => Some(EngineInfo::runbooks(files)),
        Work::Agent | Work::Prompt { .. } | Work::Group => None,
    };
    let bound = agents.first().and_then(|agent| engines.get(agent));
    let unknown = || engines.get(&AgentKey::new("unknown")).filter(|_| agents.is_empty());
    let any = || engines.get(&AgentKey::new("*"));
    match own {
        Some(own) => match bound {
            // A runbook's step is given to somebody: its script is not run by itself because nobody does their work.
            Some(engine) if !engine.is_stub() || matches!(step.routing, Routing::Transitions { .. }) => engine.clone(),
            _ => own,
        },
        None => bound
            .or_else(unknown)
            .or_else(any)
            .cloned()
            .unwrap_or_else(EngineInfo::stub),
    }
}

/// Whether a run for real may start a program: a script, an engine, a tool, a check, a language server, or whatever another workflow starts.
pub fn may_start_programs(workflow: &Workflow, engines: &BTreeMap<AgentKey, EngineInfo>) -> bool {
    let is_program = |engine: &EngineInfo| !engine.is_person() && !engine.is_stub();
    // Whoever starts it may give any step to any of them.
    engines.values().any(is_program)
        || workflow.steps().iter().any(|step| {
            is_program(&doer(step, &step.agents, engines))
                || !step.tools.is_empty()
                || step.validation.is_some()
                || step.parameters.contains_key("telis_method")
        })
}
