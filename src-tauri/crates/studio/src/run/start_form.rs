//! What a start would do, before anything happens: who works with what, who is asked when, and every command, file and
//! variable that may be used.

use crate::command::BriefOf;
use crate::gate::decision_view::AskFor;
use crate::gate::people::listed;
use crate::run::asked::{Bound, has_engine};
use crate::run::{asked, flows};
use crate::text::safe;
use crate::view::StepRef;
use crate::workflow::present::agent as agent_view;
use crate::workflow::view::{
    AgentPlan, AgentView, EarlierStart, ProgramPlan, RunbookPlan, StartBrief, StepTools, StepUses, StepsInside,
    UnboundView, UseVerdict, UseView, WritesInside,
};
use crate::workflow::{self, problems, programs, tools};
use crate::{ApiError, Studio, words};
use dialect::Document;
use engine::EngineKind;
use engine::doer::{doer, is_shared};
use model::placeholder::{Folders, resolve};
use model::{AgentKey, Question, Routing, Severity, Step, StepId, Work, Workflow};
use runtime::config::Config;
use runtime::permits::Need;
use runtime::project::DEEPEST;
use runtime::unbound::{self, Unbound};
use runtime::{permits, project, subject};
use std::collections::{BTreeMap, BTreeSet};
use store::{RunFilter, RunRow};

const FOUR_EYES: &str = "The project wants four eyes: if you start this for real, or carry a part of it out, somebody else has to approve, with a key of their own.";

impl Studio {
    /// What a start would do: who works with what, who is asked, what is used and written.
    pub(crate) async fn start_brief(&self, of: BriefOf) -> Result<StartBrief, ApiError> {
        let own = self.document(&of.path)?;
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        // What is started is all the flows that the file lists or leads to; where they cannot be brought together the errors say why.
        let whole = runtime::to_run(&self.0.root, &of.path, own.text(), true);
        let document = whole.as_ref().unwrap_or(&own);
        let workflow = document.workflow();
        let bound = config.engines(workflow, &BTreeMap::new());
        let nobody = BTreeMap::new();
        let unbound = unbound::unbound(
            &of.path,
            workflow,
            unbound::Start {
                root: &self.0.root,
                config: &config,
                assigned: &nobody,
                prompted: false,
            },
        );
        let planned = runtime::planned(workflow, &config);
        let first = of.from.as_deref().and_then(|from| workflow.step(&from.into()));
        let rights = self.rights();
        let trusted = rights.trusted.is_some() || self.is_own_making(&rights);
        let mut reader = Reader {
            studio: self,
            config: &config,
            granted: &rights.granted,
            uses: Vec::new(),
            runbooks: Vec::new(),
            agents: agents(workflow, &config, &bound),
            tools: tools::of_workflow(workflow, &planned),
            programs: programs::programs(workflow, &config),
            written: BTreeSet::new(),
            writes_inside: Vec::new(),
            seen: BTreeSet::from([of.path.clone()]),
        };
        let writes = reader.writes(workflow);
        reader.read(&of.path, document, 0)?;
        let asks = asked::asks(self, &config, &of.path, workflow, first);
        let approves = asks.iter().any(|ask| ask.purpose == AskFor::Approval);
        let questions = runtime::listed::asked(&self.0.root, document);
        let navigator = config.choosing_of(workflow).navigator;
        let starts_programs = navigator.is_some() || engine::doer::may_start_programs(workflow, &bound);
        Ok(StartBrief {
            four_eyes: (config.policy.four_eyes && approves).then(|| FOUR_EYES.to_owned()),
            under_way: match writes.is_empty() {
                true => None,
                false => self.under_way(&of.path)?,
            },
            path: of.path.clone(),
            title: workflow.title.clone(),
            errors: problems::with_listed(&own, &|_| true, &runtime::beyond(&self.0.root, &of.path, &own))
                .into_iter()
                .filter(|p| p.severity == Severity::Error)
                .collect(),
            trusted,
            starts_programs,
            only_read: self.only_read_of(&of.path).filter(|_| starts_programs),
            rehearse_first: rehearse_first(workflow, &bound, &unbound, trusted),
            unbound: unbound.into_iter().map(|one| unbound_view(workflow, one)).collect(),
            agents: reader.agents,
            asks,
            inside: asked::rehearsed(workflow, &config),
            unmet: asked::unmet(workflow, &bound, first),
            writes,
            writes_inside: reader.writes_inside,
            uses: reader.uses,
            runbooks: reader.runbooks,
            can_prompt: workflow.contract().by_hand,
            scenarios: self.scenarios(&own, &config),
            flows: flows::to_come(workflow),
            tools: reader.tools,
            programs: reader.programs,
            earlier: match &of.like {
                Some(run) => self.earlier_start(run, &questions)?,
                None => None,
            },
            questions,
        })
    }

    /// That runs of a workflow have not ended whose steps make the files that those of another one would make.
    fn under_way(&self, path: &str) -> Result<Option<String>, ApiError> {
        let open = self.0.store.runs(&RunFilter {
            path: Some(path.to_owned()),
            open_only: true,
            ..RunFilter::default()
        })?;
        // What a rehearsal makes lies in its own folder.
        let is_real = |row: &&RunRow| self.created(&row.run).is_none_or(|created| !created.is_rehearsal());
        Ok(match open.iter().filter(is_real).count() {
            0 => None,
            1 => Some(
                "A run of this workflow is not over: its steps and those of this one make the same files.".to_owned(),
            ),
            n => Some(format!(
                "{n} runs of this workflow are not over: their steps and those of this one make the same files."
            )),
        })
    }

    /// What was entered in a run, as far as it is asked for by now.
    fn earlier_start(&self, run: &str, questions: &[Question]) -> Result<Option<EarlierStart>, ApiError> {
        let history = self.history(run)?;
        let Some(created) = history.created() else {
            return Ok(None);
        };
        let by_itself = subject::of_start(None, history.workflow(), &created.inputs);
        let answers = questions
            .iter()
            .filter_map(|one| Some((one.name.clone(), created.inputs.get(&one.name)?.clone())));
        Ok(Some(EarlierStart {
            answers: answers.collect(),
            subject: created.subject.clone().filter(|_| created.subject != by_itself),
            rehearsal: created.is_rehearsal(),
        }))
    }
}

/// A path with what its placeholders stand for, as far as that is known before anybody has answered.
fn in_folders(path: &str, workflow: &Workflow, config: &Config) -> String {
    if !workflow.contract().placeholders {
        return path.to_owned();
    }
    let offered = workflow.questions.iter();
    let offered = offered.filter_map(|question| Some((question.name.clone(), question.default.clone()?)));
    let folder = |name: &str| config.folders.get(name).cloned();
    let usual = Folders::default();
    let folders = Folders {
        output: folder("output_folder").unwrap_or(usual.output),
        templates: folder("template_folder").unwrap_or(usual.templates),
        bmb_creations: folder("bmb_creations_output_folder").unwrap_or(usual.bmb_creations),
        project_root: usual.project_root,
    };
    resolve(path, &folders, &offered.collect()).unwrap_or_else(|_| path.to_owned())
}

/// A rehearsal is offered first where it cannot start for real as things are.
fn rehearse_first(workflow: &Workflow, bound: &Bound, unbound: &[Unbound], trusted: bool) -> Option<String> {
    if !trusted {
        return Some(
            "It cannot start for real until you say that you trust whoever made this project, so a rehearsal is offered first."
                .to_owned(),
        );
    }
    let first = unbound.first()?;
    let is_real = |step: &Step| {
        let is_own = !matches!(step.work, Work::Agent | Work::Group);
        let each = || step.agents.iter().map(std::slice::from_ref);
        is_own
            || step.work == Work::Agent
                && match is_shared(step, &step.agents) {
                    true => each().any(|agent| !doer(step, agent, bound).is_stub()),
                    false => !doer(step, &step.agents, bound).is_stub(),
                }
    };
    // Nothing at all is set up: who is missing need not be named.
    if !workflow.steps().iter().any(is_real) {
        return Some(
            "Nobody is set up to do this work in gatehouse.yaml yet, so a rehearsal is offered first.".to_owned(),
        );
    }
    let more = match unbound.len() {
        1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    Some(format!(
        "It cannot start for real yet, because {}{more}, so a rehearsal is offered first.",
        missing(first)
    ))
}

/// Who is missing, without the steps: they stand where somebody is chosen for them.
fn missing(one: &Unbound) -> String {
    match &one.agent {
        Some(agent) if one.decides => {
            format!("“{agent}” is to decide about feedback and is not set up as a person")
        }
        Some(agent) if one.takes_over => {
            format!("“{agent}” is to take over what has failed for good and is not set up")
        }
        Some(agent) => format!("nobody does the work of “{agent}”"),
        None => "nobody is named for a step".to_owned(),
    }
}

fn unbound_view(workflow: &Workflow, one: Unbound) -> UnboundView {
    let step = |(id, name): (StepId, String)| match workflow.step(&id).filter(|_| one.inside.is_none()) {
        Some(step) => words::of_step(step),
        None => StepRef {
            id: id.to_string(),
            number: String::new(),
            name,
        },
    };
    UnboundView {
        steps: one.steps.iter().cloned().map(step).collect(),
        places: one.places().map(|place| place.to_string()).collect(),
        shared: one.shared_places().map(|place| place.to_string()).collect(),
        agent: one.agent.as_ref().map(ToString::to_string),
        inside: one.inside.clone(),
        decides: one.decides,
        takes_over: one.takes_over,
    }
}

/// What stands for whoever does a step that names nobody.
const NOT_NAMED: &str = "not named";

/// Who works, with what. In a runbook only steps that are given to an engine have a worker of their own.
fn agents(workflow: &Workflow, config: &Config, bound: &Bound) -> Vec<AgentPlan> {
    let engines = |agent: &AgentKey| config.engine_of(agent);
    let by_hand = workflow.contract().by_hand;
    let mut plans: Vec<AgentPlan> = Vec::new();
    let mut takers: Vec<AgentPlan> = Vec::new();
    for step in workflow.steps() {
        if step.work == Work::Group || (by_hand && !has_engine(step, bound)) {
            continue;
        }
        let people = people_of(step, bound);
        if let (Some(either), Some(first)) = (either(&people), people.first()) {
            match plans.iter_mut().find(|plan| plan.agent.name == either) {
                Some(plan) => plan.steps.push(words::of_step(step)),
                None => plans.push(AgentPlan {
                    agent: AgentView {
                        name: either,
                        ..agent_view(first, &engines)
                    },
                    steps: vec![words::of_step(step)],
                    inside: Vec::new(),
                    words: "a person carries it out: all of them are asked how it went, and one answer counts"
                        .to_owned(),
                }),
            }
        }
        for key in workers(step).into_iter().filter(|key| !people.contains(key)) {
            let name = match step.agents.is_empty() {
                true => NOT_NAMED,
                false => key.as_str(),
            };
            if let Some(plan) = plans.iter_mut().find(|plan| plan.agent.name == name) {
                plan.steps.push(words::of_step(step));
                continue;
            }
            let agent = AgentView {
                name: name.to_owned(),
                ..agent_view(&key, &engines)
            };
            let words = match config.engine_of(&key).engine {
                // Nobody does it: that is said apart.
                EngineKind::Stub => continue,
                EngineKind::Person => "a person, who is asked how it went".to_owned(),
                _ => format!("runs the command {}", agent.command),
            };
            plans.push(AgentPlan {
                agent,
                steps: vec![words::of_step(step)],
                inside: Vec::new(),
                words,
            });
        }
        // A person who takes over is among those who are asked.
        let starts = |other: &&AgentKey| {
            let engine = config.engine_of(other).engine;
            !matches!(engine, EngineKind::Stub | EngineKind::Person)
        };
        if let Some(other) = step.escalate_to.as_ref().filter(starts) {
            match takers.iter_mut().find(|plan| plan.agent.name == other.as_str()) {
                Some(plan) => plan.steps.push(words::of_step(step)),
                None => {
                    let agent = agent_view(other, &engines);
                    let words = format!("runs the command {}, once a step has failed for good", agent.command);
                    takers.push(AgentPlan {
                        agent,
                        steps: vec![words::of_step(step)],
                        inside: Vec::new(),
                        words,
                    });
                }
            }
        }
    }
    plans.extend(takers);
    let navigator = navigator(workflow, config, &mut plans);
    plans.extend(navigator);
    plans
}

/// Who chooses among the ways on where the rules leave them open, where somebody does: it works too.
fn navigator(workflow: &Workflow, config: &Config, plans: &mut [AgentPlan]) -> Option<AgentPlan> {
    let choosing = config.choosing_of(workflow);
    let key = choosing.navigator.as_ref()?;
    // It is asked wherever a report leaves more than one way, which any step's may.
    let chooses = match choosing.mode {
        engine::RoutingMode::DeterministicOnly => return None,
        engine::RoutingMode::Authoritative => "chooses the way on wherever there are several",
        engine::RoutingMode::Assist => "chooses the way on where the rules leave it open",
    };
    if let Some(plan) = plans.iter_mut().find(|plan| plan.agent.name == key.as_str()) {
        plan.words = format!("{}; it also {chooses}", plan.words);
        return None;
    }
    let engines = |agent: &AgentKey| config.engine_of(agent);
    let agent = agent_view(key, &engines);
    let words = format!("{chooses}: runs the command {}", agent.command);
    Some(AgentPlan {
        agent,
        steps: Vec::new(),
        inside: Vec::new(),
        words,
    })
}

/// Who carries a step out: every agent of a step that several do, and nobody where a stage is a script or a workflow; of any other
/// step the agent that names its receipt.
fn workers(step: &Step) -> Vec<AgentKey> {
    let own = matches!(step.work, Work::Command { .. } | Work::SubWorkflow { .. });
    match step.routing {
        Routing::Dependencies if step.agents.is_empty() && own => Vec::new(),
        _ if is_shared(step, &step.agents) => step.agents.clone(),
        _ => vec![step.agent_key()],
    }
}

/// The people among the agents of a step that several do, where there is more than one: they are asked with one question.
fn people_of(step: &Step, bound: &Bound) -> Vec<AgentKey> {
    let is_person = |agent: &&AgentKey| doer(step, std::slice::from_ref(*agent), bound).is_person();
    let people: Vec<AgentKey> = match is_shared(step, &step.agents) {
        true => step.agents.iter().filter(is_person).cloned().collect(),
        false => Vec::new(),
    };
    if people.len() > 1 { people } else { Vec::new() }
}

/// `anna or bob`.
fn either(people: &[AgentKey]) -> Option<String> {
    let names: Vec<String> = people.iter().map(ToString::to_string).collect();
    listed(&names, "or")
}

/// Reads what a workflow, and those it runs, may use.
struct Reader<'a> {
    studio: &'a Studio,
    config: &'a Config,
    granted: &'a [Need],
    uses: Vec<StepUses>,
    runbooks: Vec<RunbookPlan>,
    agents: Vec<AgentPlan>,
    tools: Vec<StepTools>,
    programs: Vec<ProgramPlan>,
    /// Files of the project that were named already.
    written: BTreeSet<String>,
    writes_inside: Vec<WritesInside>,
    /// Paths that were read already: a runbook may list itself.
    seen: BTreeSet<String>,
}

impl Reader<'_> {
    fn read(&mut self, path: &str, document: &Document, depth: u32) -> Result<(), ApiError> {
        let workflow = document.workflow();
        let bound = self.config.engines(workflow, &BTreeMap::new());
        let policy = permits::policy(&self.config.permissions, &self.config.pass, path);
        let verdicts = permits::verdicts(workflow, &BTreeMap::new(), &policy, self.granted);
        let verdicts: BTreeMap<_, _> = permits::asking_first(path, verdicts).into_iter().collect();
        for step in workflow.steps() {
            if let (Some(command), Some(verdict)) = (workflow::drawing::command(step), verdicts.get(&step.id)) {
                let refused = verdict
                    .denied
                    .iter()
                    .map(|d| (&d.need, UseVerdict::Refused, Some(safe::visible(&d.by))));
                let asked = verdict.ask.iter().map(|need| (need, UseVerdict::Asks, None));
                let allowed = verdict.allowed.iter().map(|need| (need, UseVerdict::Allowed, None));
                let needs = refused.chain(asked).chain(allowed).map(|(need, verdict, by)| UseView {
                    words: need.sentence(),
                    verdict,
                    by,
                });
                self.uses.push(StepUses {
                    of: (depth > 0).then(|| path.to_owned()),
                    step: words::of_step(step),
                    command,
                    needs: needs.collect(),
                });
            }
            for file in asked::inside(step, &bound) {
                self.inside(path, step, file, depth)?;
            }
        }
        Ok(())
    }

    fn inside(&mut self, around: &str, step: &Step, file: &str, depth: u32) -> Result<(), ApiError> {
        let found = project::listed(around, file).find_map(|path| {
            let document = self.studio.document_if_there(&path).ok()?;
            Some((path, document))
        });
        let problem = match &found {
            None => Some("There is no such file.".to_owned()),
            Some((_, document)) => {
                let errors = document
                    .diagnostics()
                    .iter()
                    .filter(|d| d.severity == Severity::Error)
                    .count();
                (errors > 0).then(|| format!("It has {}.", words::count(errors, "error", "errors")))
            }
        };
        self.runbooks.push(RunbookPlan {
            of: (depth > 0).then(|| around.to_owned()),
            step: words::of_step(step),
            file: safe::visible(file),
            path: found.as_ref().map(|(path, _)| path.clone()),
            title: found.as_ref().map(|(_, document)| document.workflow().title.clone()),
            problem,
        });
        match found {
            Some((path, document)) if depth < DEEPEST && self.seen.insert(path.clone()) => {
                let whole = runtime::to_run(&self.studio.0.root, &path, document.text(), true).unwrap_or(document);
                self.gather(&path, whole.workflow());
                self.read(&path, &whole, depth + 1)
            }
            _ => Ok(()),
        }
    }

    /// Who and what works in a workflow inside, and what it writes: whatever was named before is named there.
    fn gather(&mut self, path: &str, workflow: &Workflow) {
        let bound = self.config.engines(workflow, &BTreeMap::new());
        let inside = |steps| StepsInside {
            path: path.to_owned(),
            steps,
        };
        for plan in agents(workflow, self.config, &bound) {
            let steps = inside(plan.steps);
            let same = |known: &&mut AgentPlan| known.agent.name == plan.agent.name && known.words == plan.words;
            match self.agents.iter_mut().find(same) {
                Some(known) => known.inside.push(steps),
                None => self.agents.push(AgentPlan {
                    agent: plan.agent,
                    steps: Vec::new(),
                    inside: vec![steps],
                    words: plan.words,
                }),
            }
        }
        let planned = runtime::planned(workflow, self.config);
        let tools = tools::of_workflow(workflow, &planned).into_iter();
        self.tools.extend(tools.map(|step| StepTools {
            of: Some(path.to_owned()),
            ..step
        }));
        for plan in programs::programs(workflow, self.config) {
            let steps = inside(plan.steps);
            let same = |known: &&mut ProgramPlan| known.command == plan.command && known.words == plan.words;
            match self.programs.iter_mut().find(same) {
                Some(known) => known.inside.push(steps),
                None => self.programs.push(ProgramPlan {
                    command: plan.command,
                    words: plan.words,
                    steps: Vec::new(),
                    inside: vec![steps],
                }),
            }
        }
        let files = self.writes(workflow);
        if !files.is_empty() {
            self.writes_inside.push(WritesInside {
                path: path.to_owned(),
                files,
            });
        }
    }

    /// The files that the steps of a workflow say they will write, those of the project that were not named before. What lies in the
    /// run's own folder is another file in every run.
    fn writes(&mut self, workflow: &Workflow) -> Vec<String> {
        let outputs = workflow.steps().iter().flat_map(|step| &step.outputs);
        let outputs: BTreeSet<String> = outputs
            .map(|output| in_folders(output, workflow, self.config))
            .collect();
        let mut files: Vec<String> = outputs
            .into_iter()
            .filter_map(|output| match output.strip_prefix("RUN_BASE/") {
                Some(rest) => Some(format!("{rest} (in the run's own folder)")),
                None => self.written.insert(output.clone()).then_some(output),
            })
            .collect();
        files.sort();
        files
    }
}
