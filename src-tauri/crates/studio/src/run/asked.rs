//! Who is asked when: gates, steps that a person carries out, and the same of the workflows that a step runs.

use crate::gate::decision_view::AskFor;
use crate::gate::people::listed;
use crate::text::safe;
use crate::view::StepRef;
use crate::workflow::view::{AskInside, AskPlan, InsideRehearsed};
use crate::{Studio, words, workflow};
use dialect::Document;
use engine::EngineInfo;
use engine::doer::{doer, is_shared};
use model::fork::VERIFIED;
use model::{AgentKey, GateAt, Routing, Step, Work, Workflow};
use runtime::config::Config;
use runtime::project::DEEPEST;
use runtime::{PlannedCall, project};
use std::collections::BTreeMap;

/// The agents of a workflow that an engine plays; a step of anybody else is a person's.
pub(super) type Bound = BTreeMap<AgentKey, EngineInfo>;

pub(super) fn has_engine(step: &Step, bound: &Bound) -> bool {
    let engine = step.agents.first().and_then(|agent| bound.get(agent));
    engine.is_some_and(|engine| !engine.is_person())
}

/// Who is asked in a run of a workflow, and in the runs inside it, in document order. `first`: where a rehearsal begins that does not begin at
/// the beginning; whoever is asked only before that is not asked.
pub(super) fn asks(
    studio: &Studio,
    config: &Config,
    path: &str,
    workflow: &Workflow,
    first: Option<&Step>,
) -> Vec<AskPlan> {
    let mut asking = Asking {
        studio,
        config,
        by: BTreeMap::from([(path.to_owned(), Vec::new())]),
        plans: Vec::new(),
        comes: first.map(|first| may_come(workflow, first)),
    };
    asking.read(path, workflow, None, 0);
    for inside in asking.plans.iter_mut().filter_map(|plan| plan.inside.as_mut()) {
        inside.by.clone_from(&asking.by[&inside.path]);
    }
    asking.plans
}

/// How many questions a workflow has for a person who decides; who carries a step out decides nothing.
pub(crate) fn decisions(workflow: &Workflow, config: &Config) -> u32 {
    let bound = config.engines(workflow, &BTreeMap::new());
    let planned = runtime::planned(workflow, config);
    let mut plans = Vec::new();
    for step in workflow.steps() {
        of_step(workflow, step, config, &bound, &planned, &mut plans);
    }
    let decided = plans.iter().filter(|plan| plan.purpose != AskFor::Outcome);
    u32::try_from(decided.count()).unwrap_or(u32::MAX)
}

/// The workflows that a step runs, each as a run inside the step's own.
pub(super) fn inside<'s>(step: &'s Step, bound: &Bound) -> &'s [String] {
    match &step.work {
        Work::SubWorkflow { files } if doer(step, &step.agents, bound) == EngineInfo::runbooks(files) => files,
        _ => &[],
    }
}

/// What a rehearsal makes of the workflows inside of this one; nothing where there are none.
pub(super) fn rehearsed(workflow: &Workflow, config: &Config) -> Option<InsideRehearsed> {
    let bound = config.engines(workflow, &BTreeMap::new());
    let steps = workflow.steps().iter();
    let steps: Vec<&Step> = steps.filter(|step| !inside(step, &bound).is_empty()).collect();
    let names: Vec<String> = steps.iter().map(|step| format!("“{}”", step.name)).collect();
    let names = listed(&names, "and")?;
    let (scripted, unscripted) = match steps.as_slice() {
        [one] if inside(one, &bound).len() == 1 => (
            format!(
                "how {names} ends: the workflow that it runs is not gone through, and nobody is asked what that asks."
            ),
            format!("The workflow that {names} runs is rehearsed too, in a run of its own: what that asks is asked."),
        ),
        [_] => (
            format!(
                "how {names} ends: the workflows that it runs are not gone through, and nobody is asked what those ask."
            ),
            format!(
                "The workflows that {names} runs are rehearsed too, in runs of their own: what those ask is asked."
            ),
        ),
        _ => (
            format!(
                "how {names} end: the workflows that they run are not gone through, and nobody is asked what those ask."
            ),
            format!("The workflows that {names} run are rehearsed too, in runs of their own: what those ask is asked."),
        ),
    };
    Some(InsideRehearsed {
        scripted: format!("A scenario says itself {scripted}"),
        unscripted,
    })
}

/// The forks whose branches cannot meet in a rehearsal without a scenario, a sentence each: the join counts what is verified, and nobody says so
/// there. Where people carry steps out, what they report is open. `first`: where a rehearsal begins that does not begin at the beginning.
pub(super) fn unmet(workflow: &Workflow, bound: &Bound, first: Option<&Step>) -> Vec<String> {
    let is_person = |step: &Step| doer(step, &step.agents, bound).is_person();
    if workflow.steps().iter().any(is_person) {
        return Vec::new();
    }
    let comes = first.map(|first| may_come(workflow, first));
    let steps = workflow.steps().iter();
    let steps = steps.filter(|step| comes.as_ref().is_none_or(|comes| comes[step.ordinal]));
    let said = steps.filter_map(|step| {
        let Routing::Fork(fork) = &step.routing else {
            return None;
        };
        let join = workflow.step(fork.join.as_ref().filter(|_| fork.rules.join.counts_verified())?)?;
        Some(format!(
            "Without a scenario no branch of “{}” reports {VERIFIED}, so the branches do not meet: the rehearsal fails before “{}” begins.",
            words::of_step(step).name,
            words::of_step(join).name
        ))
    });
    said.collect()
}

impl Studio {
    /// What a run with a scenario does not go through, as a sentence; nothing where there is nothing of the kind.
    pub fn passed_over_in(&self, run: &engine::RunId) -> Option<String> {
        let history = self.history(run.as_str()).ok()?;
        let state = history.state(None);
        state.created.as_deref()?.scenario.as_ref()?;
        Some(rehearsed(history.workflow(), &self.config().0)?.scripted)
    }
}

/// Goes through the workflows that lie in each other, each once.
struct Asking<'a> {
    studio: &'a Studio,
    config: &'a Config,
    /// The steps that run each file that was gone through.
    by: BTreeMap<String, Vec<StepRef>>,
    plans: Vec<AskPlan>,
    /// By place: the steps of the outermost workflow that may come; absent: all.
    comes: Option<Vec<bool>>,
}

/// The steps that may come in a rehearsal that begins at one. Which other flows follow is open.
fn may_come(workflow: &Workflow, first: &Step) -> Vec<bool> {
    let behind = model::behind(workflow, first);
    let part = |step: &Step| workflow.part_of(step).map(|part| part.key.clone());
    let own = part(first);
    let steps = workflow.steps().iter();
    steps.map(|step| behind[step.ordinal] || part(step) != own).collect()
}

impl Asking<'_> {
    fn read(&mut self, path: &str, workflow: &Workflow, around: Option<&AskInside>, depth: u32) {
        let bound = self.config.engines(workflow, &BTreeMap::new());
        let planned = runtime::planned(workflow, self.config);
        for step in workflow.steps() {
            let comes = self.comes.as_ref().filter(|_| depth == 0);
            if comes.is_some_and(|comes| !comes[step.ordinal]) {
                continue;
            }
            let mut own = Vec::new();
            of_step(workflow, step, self.config, &bound, &planned, &mut own);
            for plan in &mut own {
                plan.inside = around.cloned();
            }
            let files = inside(step, &bound);
            if files.is_empty() || depth >= DEEPEST {
                self.plans.append(&mut own);
                continue;
            }
            let (before, after): (Vec<_>, Vec<_>) = own.into_iter().partition(|plan| plan.at == GateAt::Before);
            self.plans.extend(before);
            for file in files {
                self.listed(path, step, file, depth);
            }
            self.plans.extend(after);
        }
    }

    fn listed(&mut self, around: &str, step: &Step, file: &str, depth: u32) {
        let found = project::listed(around, file).find_map(|path| {
            let document = self.studio.document_if_there(&path).ok()?;
            Some((path, document))
        });
        let Some((path, document)) = found else { return };
        let by = words::of_step(step);
        if let Some(known) = self.by.get_mut(&path) {
            known.push(by);
            return;
        }
        self.by.insert(path.clone(), vec![by]);
        let whole: Document = runtime::to_run(&self.studio.0.root, &path, document.text(), true).unwrap_or(document);
        let inside = AskInside {
            title: whole.workflow().title.clone(),
            path: path.clone(),
            by: Vec::new(),
        };
        self.read(&path, whole.workflow(), Some(&inside), depth + 1);
    }
}

/// Who is asked at a step.
fn of_step(
    workflow: &Workflow,
    step: &Step,
    config: &Config,
    bound: &Bound,
    planned: &[PlannedCall],
    plans: &mut Vec<AskPlan>,
) {
    let is_person = |agent: &AgentKey| doer(step, std::slice::from_ref(agent), bound).is_person();
    let several = is_shared(step, &step.agents);
    // Of several agents the people are asked.
    let asked = step.agents.iter().filter(|agent| !several || is_person(agent));
    let who = || asked.clone().map(ToString::to_string).collect();
    let at_gate = || -> Vec<String> {
        let gates = step.gate.iter().flat_map(|gate| &gate.asks);
        gates.map(ToString::to_string).collect()
    };
    let plan = |question: String, asks: Vec<String>, purpose, at| AskPlan {
        step: words::of_step(step),
        question,
        asks: listed(&asks, "or"),
        purpose,
        is_question: false,
        at,
        only_real: false,
        inside: None,
    };
    let before = plans.len();
    if let Some(whether) = &step.whether {
        let question = engine::gate::whether(step, whether);
        plans.push(plan(question, at_gate(), AskFor::Way, GateAt::Before));
    }
    if let Some(gate) = step
        .gate
        .as_ref()
        .filter(|_| workflow::drawing::blocks(workflow, step, config.gate_rules()))
    {
        let question = engine::gate::question(step, gate, false);
        plans.push(plan(question, at_gate(), AskFor::Approval, gate.at));
    }
    for call in planned
        .iter()
        .filter(|call| call.step == step.id && call.gate.is_some())
    {
        let question = format!("May “{}” use the tool {}?", step.name, safe::visible(&call.tool));
        plans.push(plan(question, at_gate(), AskFor::Tool, GateAt::Before));
    }
    if step.routing.may_ask_the_way() {
        let question = match config.choosing_of(workflow).navigator {
            None => format!(
                "Where shall it go on after “{}”? (asked when no condition holds)",
                step.name
            ),
            Some(_) => format!(
                "Where shall it go on after “{}”? (asked when no condition holds and the navigator names no way)",
                step.name
            ),
        };
        plans.push(plan(question, Vec::new(), AskFor::Way, GateAt::After));
    }
    let by_hand = workflow.contract().by_hand;
    let by_person = match by_hand {
        true => {
            step.work != Work::Group
                && !has_engine(step, bound)
                && (matches!(step.work, Work::Prompt { .. }) || !step.agents.is_empty())
        }
        false if several => step.agents.iter().any(is_person),
        false => step.work != Work::Group && doer(step, &step.agents, bound).is_person(),
    };
    if by_person {
        plans.push(AskPlan {
            is_question: engine::gate::is_question(step),
            only_real: !by_hand,
            ..plan(step.name.clone(), who(), AskFor::Outcome, GateAt::Before)
        });
    }
    // What is asked about the work comes when it is done.
    plans[before..].sort_by_key(|plan| plan.at == GateAt::After);
    if let Some(other) = step.escalate_to.as_ref().filter(|other| is_person(other)) {
        let question = format!("{}, once it has failed for good", step.name);
        plans.push(AskPlan {
            only_real: true,
            ..plan(question, vec![other.to_string()], AskFor::Outcome, GateAt::Before)
        });
    }
}
