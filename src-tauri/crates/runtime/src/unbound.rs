//! Agents that nobody is bound to. A run for real needs somebody for each of them: a program, or a person; a rehearsal needs nobody.

use crate::config::Config;
use crate::project::{self, DEEPEST};
use crate::{inside, instructions};
use dialect::Document;
use engine::doer::{doer, is_shared};
use engine::{EngineInfo, RunId};
use model::{AgentKey, Feedback, Step, StepId, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::below;
use store::regular::LARGEST_WORKFLOW;

/// An agent that nobody is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbound {
    /// Its name; absent: the steps name none.
    pub agent: Option<AgentKey>,
    /// The steps that are its work: id and name.
    pub steps: Vec<(StepId, String)>,
    /// Those of them that several agents work at: whoever is given one does it in the place of all of them.
    pub shared: BTreeSet<StepId>,
    /// Of a workflow that another one lists: its path.
    pub inside: Option<String>,
    /// It does no step: the workflow names it as the person who decides about feedback ([`Feedback::escalate_to`]).
    pub decides: bool,
    /// It does its steps only once they have failed for good ([`Step::escalate_to`]): somebody else does them first.
    pub takes_over: bool,
}

impl Unbound {
    /// What a start calls its steps when it gives them to somebody. A step that it would only take over is not given away for it: that
    /// would be in the place of whoever does it first.
    pub fn places(&self) -> impl Iterator<Item = StepId> {
        let given = self.steps.iter().filter(|_| !self.takes_over);
        given.map(|(step, _)| self.place(step))
    }

    /// The same of those that several agents work at.
    pub fn shared_places(&self) -> impl Iterator<Item = StepId> {
        self.shared.iter().map(|step| self.place(step))
    }

    fn place(&self, step: &StepId) -> StepId {
        match &self.inside {
            Some(path) => inside::step_in(path, step),
            None => step.clone(),
        }
    }
}

impl std::fmt::Display for Unbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.steps.iter().map(|(_, name)| format!("“{name}”")).collect();
        match &self.agent {
            Some(agent) if self.decides => write!(
                f,
                "“{agent}” is to decide about feedback, and is not set up as a person"
            )?,
            Some(agent) if self.takes_over => write!(
                f,
                "“{agent}” is to take over what has failed for good, and is not set up ({})",
                names.join(", ")
            )?,
            Some(agent) => write!(f, "nobody does the work of “{agent}” ({})", names.join(", "))?,
            None => write!(f, "nobody is named for {}", names.join(", "))?,
        }
        match &self.inside {
            Some(path) => write!(f, " in {path}"),
            None => Ok(()),
        }
    }
}

/// What may stand around a workflow that is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The project's folder.
    pub root: &'a Path,
    /// Its configuration.
    pub config: &'a Config,
    /// Steps given to somebody at the start, those of listed workflows too ([`inside`]).
    pub assigned: &'a BTreeMap<StepId, AgentKey>,
    /// A person is asked for every step, so that nobody else is needed.
    pub prompted: bool,
}

/// The agents of a workflow, and of those it lists, that nobody is bound to, in document order.
pub fn unbound(path: &str, workflow: &Workflow, start: Start<'_>) -> Vec<Unbound> {
    let mut found = Vec::new();
    if !start.prompted {
        let mut seen = BTreeSet::from([path.to_owned()]);
        look(path, workflow, start, 0, &mut seen, &mut found);
    }
    found
}

fn look(
    path: &str,
    workflow: &Workflow,
    start: Start<'_>,
    depth: u32,
    seen: &mut BTreeSet<String>,
    found: &mut Vec<Unbound>,
) {
    let own = inside::own(workflow, start.assigned);
    let engines = start.config.engines(workflow, &own);
    let inside = (depth > 0).then(|| path.to_owned());
    let first = found.len();
    let decides = Feedback::of(workflow).escalate_to;
    found.extend(
        decides
            .filter(|who| !start.config.engine_of(who).is_person())
            .map(|who| Unbound {
                agent: Some(who),
                steps: Vec::new(),
                shared: BTreeSet::new(),
                inside: inside.clone(),
                decides: true,
                takes_over: false,
            }),
    );
    for step in workflow.steps().iter().filter(|step| step.work != Work::Group) {
        let agents = own
            .get(&step.id)
            .map_or_else(|| step.agents.clone(), |agent| vec![agent.clone()]);
        let mut nobody = nobodies(workflow, step, &agents, &engines);
        let works = nobody.len();
        // Whoever would take the step over is needed too.
        if let Some(other) = step.escalate_to.as_ref().filter(|other| !agents.contains(other)) {
            nobody.extend(nobodies(workflow, step, std::slice::from_ref(other), &engines));
        }
        for (n, agent) in nobody.into_iter().enumerate() {
            let of = (step.id.clone(), step.name.clone());
            let takes_over = n >= works;
            let shared = (!takes_over && is_shared(step, &agents)).then(|| step.id.clone());
            match found[first..]
                .iter_mut()
                .find(|known| known.agent == agent && !known.decides && known.takes_over == takes_over)
            {
                Some(known) => {
                    known.steps.push(of);
                    known.shared.extend(shared);
                }
                None => found.push(Unbound {
                    agent,
                    steps: vec![of],
                    shared: shared.into_iter().collect(),
                    inside: inside.clone(),
                    decides: false,
                    takes_over,
                }),
            }
        }
        let lists = match &step.work {
            Work::SubWorkflow { files } if doer(step, &agents, &engines) == EngineInfo::runbooks(files) => files,
            _ => continue,
        };
        for file in lists.iter().filter(|_| depth < DEEPEST) {
            if let Some((path, document)) = listed(start.root, path, file)
                && seen.insert(path.clone())
            {
                let theirs = inside::of(&path, start.assigned);
                let start = Start {
                    assigned: &theirs,
                    ..start
                };
                look(&path, document.workflow(), start, depth + 1, seen, found);
            }
        }
    }
    // Whoever does its other steps takes these over too.
    let is_own = |one: &&Unbound| !one.decides && !one.takes_over && one.inside == inside;
    let works: BTreeSet<AgentKey> = found
        .iter()
        .filter(is_own)
        .filter_map(|one| one.agent.clone())
        .collect();
    let is_named = |one: &Unbound| one.agent.as_ref().is_some_and(|agent| works.contains(agent));
    found.retain(|one| !one.takes_over || one.inside != inside || !is_named(one));
}

/// The agents of a step that nobody is bound to; `None`: it names none.
fn nobodies(
    workflow: &Workflow,
    step: &Step,
    agents: &[AgentKey],
    engines: &BTreeMap<AgentKey, EngineInfo>,
) -> Vec<Option<AgentKey>> {
    let is_nobody = |agent: &[AgentKey]| doer(step, agent, engines).is_stub();
    match agents {
        // Whoever is named is a person, unless the project binds the name.
        _ if workflow.contract().by_hand => {
            let named = agents
                .first()
                .filter(|agent| engines.get(*agent).is_some_and(EngineInfo::is_stub));
            named.map(|agent| Some(agent.clone())).into_iter().collect()
        }
        [] if is_nobody(&[]) => vec![None],
        [] => Vec::new(),
        all if is_shared(step, all) => {
            let nobody = all.iter().filter(|agent| is_nobody(std::slice::from_ref(*agent)));
            nobody.map(|agent| Some(agent.clone())).collect()
        }
        [first, ..] if is_nobody(agents) => vec![Some(first.clone())],
        _ => Vec::new(),
    }
}

/// A workflow that another one lists, as a run would find it.
fn listed(root: &Path, around: &str, file: &str) -> Option<(String, Document)> {
    project::listed(around, file).find_map(|path| {
        let relative = project::relative(&path, &RunId::from("")).ok()?;
        let text = below::read_text(root, &relative, LARGEST_WORKFLOW).ok()?;
        let document = instructions::document(root, &relative, &text, |text| Document::parse(&relative, text));
        Some((relative, document))
    })
}
