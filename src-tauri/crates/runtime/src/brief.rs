//! The brief: what whoever does a step is told. Commands of the engine `command` read it as JSON on standard input, those
//! of the engine `shell` find it in the file that `GATEHOUSE_BRIEF` names.

use crate::project;
use dialect::stepspec::checks_nothing;
use engine::{
    Answer, At, AttemptStarted, EngineKind, ExecutionStatus, Level, ModelName, Purpose, RunState, Way, WayAction,
};
use indexmap::IndexMap;
use model::{AgentKey, Fields, Routing, Step, StepId, Work, Workflow, WorkflowId};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Version of the brief's form. Fields are only ever added; a change of meaning raises it.
pub const BRIEF_VERSION: u32 = 1;
/// How much of an earlier step's output is quoted, in bytes.
const EXCERPT: usize = 2048;

/// A brief, version [`BRIEF_VERSION`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Brief {
    /// [`BRIEF_VERSION`].
    pub version: u32,
    /// Which run.
    pub run_id: String,
    /// The workflow.
    pub flow: FlowBrief,
    /// The step.
    pub step: StepBrief,
    /// Who does it.
    pub agent: AgentKey,
    /// How often the step has been entered in this run, this time included: 1, 2, …
    pub visit: u32,
    /// Which attempt of this visit: 1, 2, …
    pub attempt: u32,
    /// The loop that the step turns or begins, if it is part of one.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Why the attempt before this one, of the same step, was not taken: what its work, a check or a guardrail said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_before: Option<String>,
    /// What people asked to be changed since the last visit, oldest first.
    pub comments: Vec<String>,
    /// What later steps reported about the work of this one, which is why it is done again (seed 003 `feedback_received`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<Reported>,
    /// What this step reported to earlier ones and has not been settled, with what they say about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feedback_given: Vec<Reported>,
    /// What people decided in this run so far, in the order they did, with their comments: an approval may come with a condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decided>,
    /// What earlier steps came to, in the workflow's order.
    pub previous: IndexMap<StepId, Previous>,
    /// Values given at the run's start.
    pub inputs: Fields,
    /// The project's folder, absolute; commands run in it. Of a branch with a folder of its own: its copy of the project.
    pub project_root: String,
    /// The run's own folder, absolute: what `RUN_BASE` stands for.
    pub run_base: String,
    /// Of a stage of a pipeline: the folder for what it makes, absolute; it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_folder: Option<String>,
    /// What the step's tools answered (seed 000 "Tool calls").
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<engine::ToolRecord>,
    /// What was looked up for the step (`telis_context` of seed 000).
    #[serde(rename = "telis_context", skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// The files that are another version, as the step begins, than the one that a person had approved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_as_approved: Vec<engine::NotAsApproved>,
    /// Of a navigator: the ways on that it chooses among, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<Way>,
    /// What holds for everything that the project does, as it stood when the run began: constraints, preferences, quality standards, what it is
    /// for (seed 003 `global_context`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_context: Option<Arc<Fields>>,
    /// The model that gatehouse.yaml asks to be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The project's own folder, where `project_root` is that of a branch.
    #[serde(skip)]
    pub home: PathBuf,
    /// How often this visit was carried out before; attempts that had to wait for a person do not count.
    #[serde(skip)]
    pub tries: u32,
    /// When the run began; absent in a rehearsal, in which nothing is made.
    #[serde(skip)]
    pub began: Option<At>,
    /// For a language model: who it is.
    pub system: String,
    /// For a language model: what to do, everything above in words.
    pub prompt: String,
}

/// The workflow of a brief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowBrief {
    /// Its id.
    pub id: WorkflowId,
    /// Its title.
    pub title: String,
}

/// The step of a brief.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepBrief {
    /// Its id.
    pub id: StepId,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub intent: Option<String>,
    /// What it reads, `RUN_BASE` resolved.
    pub inputs: Vec<String>,
    /// What it makes, `RUN_BASE` resolved.
    pub outputs: Vec<String>,
    /// Everything else the author wrote on it.
    pub fields: Fields,
    /// What else it is given, by name: the keys of `inputs` of a StepSpec step, placeholders resolved (seed 000 "StepSpec").
    #[serde(skip_serializing_if = "Fields::is_empty")]
    pub parameters: Fields,
    /// Templates that what it makes is to follow: paths relative to the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<String>,
    /// The phase of the workflow that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// How what it makes is checked before it is taken, in the author's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<String>,
    /// The level of evidence that is wanted: `L0`, `L1`, `L2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The script that stands in a step which is given to somebody: nobody else carries it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// Loops already taken: 0 in the first round (seed 001 `loop_iteration`).
    pub iteration: u32,
    /// The bound.
    pub max: u32,
}

/// What an earlier step came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Previous {
    /// How it went.
    pub status: ExecutionStatus,
    /// What it reported.
    pub report: Fields,
    /// The beginning of what it said, at most 2 048 bytes.
    pub output: String,
    /// Files it made, relative to the project.
    pub artifacts: Vec<String>,
}

/// An issue that one step reported to others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reported {
    /// The loop's id: what `acknowledged` may name.
    pub id: String,
    /// The step that reported it.
    pub from: StepId,
    /// Who of those who worked there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    /// To whom, as they were named.
    pub to: Vec<String>,
    /// In the seed's words.
    #[serde(rename = "type")]
    pub kind: engine::FeedbackKind,
    /// In the seed's words.
    pub severity: engine::FeedbackSeverity,
    /// What is wrong.
    pub message: String,
    /// The how-manieth time the step sends work back, and how often it may before a person is asked.
    pub round: u32,
    /// See `round`.
    pub max: u32,
    /// Why those it was reported to left their work as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acknowledged: Vec<String>,
}

impl Reported {
    fn of(one: &engine::FeedbackLoop) -> Self {
        let last = one.last();
        Self {
            id: last.id.clone(),
            from: last.from.step.clone(),
            agent: last.agent.clone(),
            to: last.targets.iter().map(|target| target.named.clone()).collect(),
            kind: last.kind.clone(),
            severity: last.severity.clone(),
            message: last.message.clone(),
            round: last.round,
            max: last.most,
            acknowledged: one.acknowledged.iter().map(|(said, _)| said.reason.clone()).collect(),
        }
    }

    /// `qa reports (build:1, constraint, error; 1 of 3): too slow`
    fn words(&self) -> String {
        let who = self.agent.as_ref().map_or(self.from.as_str(), AgentKey::as_str);
        let counts = format!("{} of {}", self.round, self.max);
        let said = format!(
            "{who} reports ({}, {}, {}; {counts}): {}",
            self.id, self.kind, self.severity, self.message
        );
        match self.acknowledged.last() {
            Some(reason) => format!("{said} (left as it is: {reason})"),
            None => said,
        }
    }
}

/// How an agent reports an issue to those before it.
const HOW_TO_REPORT: &str = "`feedback`: a list of {to: a step or an agent, or several, type: constraint, inconsistency, suggestion, \
validation_failure, missing_requirement or technical_infeasibility, severity: info, warning, error or critical, message: what is wrong}. \
Their work is done again, then yours";

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// At which step.
    pub step: StepId,
    /// What was asked.
    pub question: String,
    /// In which round of the gate: 1, 2, …
    pub round: u32,
    /// What was answered.
    pub answer: Answer,
    /// Who.
    pub by: String,
    /// Whom the author wanted to ask.
    pub asked: Vec<AgentKey>,
    /// What they said with it.
    pub comment: String,
}

impl Decided {
    /// `Is the money there? approved by Ada Lund: keep an eye on § 3`.
    fn words(&self) -> String {
        let answer = match self.answer {
            Answer::Approve | Answer::Pass => "approved",
            Answer::Changes => "changes requested",
            Answer::Reject | Answer::Fail => "rejected",
            Answer::Choose => "the way was chosen",
        };
        let said = format!("{} {answer} by {}", self.question, self.by);
        match self.comment.trim() {
            "" => said,
            comment => format!("{said}: {comment}"),
        }
    }
}

impl Brief {
    /// The brief of an attempt. `root` is the folder that it has for the project's.
    pub fn of(workflow: &Workflow, state: &RunState, step: &Step, started: &AttemptStarted, root: &Path) -> Self {
        let created = state.created.as_deref();
        let run = created.map(|c| c.run_id.clone()).unwrap_or_else(|| "".into());
        let resolve = |paths: &[String]| -> Vec<String> {
            paths
                .iter()
                .map(|p| project::relative(p, &run).unwrap_or_else(|_| p.clone()))
                .collect()
        };
        // The stub and a script of the workflow itself read nothing of what was before (seed 002: a script has its exit code and
        // nothing else), and a long run of them should not pay for it at every step.
        let reads = started.engines().iter().any(|engine| {
            !matches!(
                engine.engine,
                EngineKind::Stub | EngineKind::Bash | EngineKind::Sh | EngineKind::Runbook
            )
        });
        let mut brief = Self {
            version: BRIEF_VERSION,
            flow: FlowBrief {
                id: workflow.id.clone(),
                title: workflow.title.clone(),
            },
            step: StepBrief {
                id: step.id.clone(),
                name: step.name.clone(),
                intent: step.intent.clone(),
                inputs: resolve(&step.inputs),
                outputs: resolve(&step.outputs),
                fields: step.fields.clone(),
                parameters: step.parameters.clone(),
                templates: step.templates.iter().map(|template| template_path(template)).collect(),
                phase: step.phase.clone(),
                validation: step.validation.clone().filter(|policy| !checks_nothing(policy)),
                evidence: step.evidence.clone().filter(|level| Level::from_word(level).is_some()),
                script: script_of(step).filter(|_| reads).map(str::to_owned),
            },
            agent: step.agent_key(),
            visit: started.instance.visit,
            attempt: started.attempt,
            turn: turn(workflow, state, &step.id),
            failed_before: failed_before(state, started),
            comments: started.comments.clone(),
            feedback: state.feedback.for_step(&step.id).map(Reported::of).collect(),
            feedback_given: {
                let own = state.feedback.open().filter(|one| one.last().from.step == step.id);
                own.map(Reported::of).collect()
            },
            decisions: if reads { decisions(state, started) } else { Vec::new() },
            previous: if reads {
                previous(workflow, state)
            } else {
                IndexMap::new()
            },
            inputs: created.map(|c| c.inputs.clone()).unwrap_or_default(),
            project_root: root.to_string_lossy().into_owned(),
            run_base: root.join(project::run_base(&run)).to_string_lossy().into_owned(),
            run_id: run.to_string(),
            output_folder: None,
            tools: Vec::new(),
            context: None,
            not_as_approved: Vec::new(),
            ways: Vec::new(),
            global_context: created.and_then(|c| c.global_context.clone()),
            model: started.engine.wants.as_deref().cloned(),
            home: root.to_owned(),
            tries: tries(state, started),
            began: state
                .created_at
                .filter(|_| !created.is_some_and(engine::RunCreated::is_rehearsal)),
            system: String::new(),
            prompt: String::new(),
        };
        brief.address();
        brief
    }

    /// The same for another of the agents who carry the step out together.
    pub(crate) fn of_agent(&self, agent: &AgentKey, wants: Option<&ModelName>) -> Self {
        let mut brief = Self {
            agent: agent.clone(),
            model: wants.cloned(),
            ..self.clone()
        };
        brief.address();
        brief
    }

    /// Says in words to whom the brief goes and what is to be done.
    pub(crate) fn address(&mut self) {
        self.system = format!(
            "You are {}. You carry out the step “{}” of the workflow “{}” (run {}).",
            self.agent, self.step.name, self.flow.title, self.run_id
        );
        self.prompt = prompt(self);
    }
}

pub(crate) fn tries(state: &RunState, started: &AttemptStarted) -> u32 {
    let attempts = state
        .visit(&started.instance)
        .map_or(&[][..], |visit| visit.attempts.as_slice());
    let carried_out = attempts
        .iter()
        .filter(|a| a.started.attempt < started.attempt)
        .filter(|a| a.result.as_ref().is_some_and(|r| r.status != ExecutionStatus::Blocked));
    u32::try_from(carried_out.count()).unwrap_or(u32::MAX)
}

/// Why the attempt before this one was not taken; of a step's first attempt in a visit, that of the visit before it, as
/// after a run was taken up again.
fn failed_before(state: &RunState, started: &AttemptStarted) -> Option<String> {
    let visits = state.visits_of(&started.instance.step);
    let attempts = visits
        .filter(|visit| visit.instance.path == started.instance.path)
        .flat_map(|visit| visit.attempts.iter());
    let before = attempts
        .filter(|one| (one.started.instance.visit, one.started.attempt) < (started.instance.visit, started.attempt));
    let result = before.filter_map(|one| one.result.as_ref()).next_back()?;
    result
        .error
        .clone()
        .filter(|_| result.status == ExecutionStatus::Failed)
}

/// The file that a template of a StepSpec step names.
pub(crate) fn template_path(template: &str) -> String {
    template.trim().trim_start_matches("template:").trim().to_owned()
}

/// How often the loop around a step has turned.
fn turn(workflow: &Workflow, state: &RunState, step: &StepId) -> Option<Turn> {
    let at = workflow.step(step)?;
    // A long workflow is not gone through for each of its steps.
    workflow
        .turners(at)
        .into_iter()
        .find_map(|turner| match &turner.routing {
            Routing::Microloop(m) => {
                let target = m
                    .loop_target
                    .as_ref()
                    .filter(|target| turner.id == *step || **target == *step)?;
                let key = format!("{}:{target}", turner.id);
                Some(Turn {
                    iteration: state.loop_state.get(&key).copied().unwrap_or(0),
                    max: m.max_iterations,
                })
            }
            _ => None,
        })
}

/// What people decided so far; changes that this attempt is to make stand in its comments already.
fn decisions(state: &RunState, started: &AttemptStarted) -> Vec<Decided> {
    let rounds = state.gates.values().flatten();
    let mut answered: Vec<_> = rounds
        .filter_map(|round| {
            round
                .answer
                .as_ref()
                .map(|(decision, at)| (*at, &round.opened, decision))
        })
        .filter(|(_, opened, _)| opened.purpose == Purpose::Approval)
        .filter(|(_, _, decision)| decision.answer != Answer::Changes || !started.comments.contains(&decision.comment))
        .collect();
    answered.sort_by_key(|(at, opened, _)| (*at, opened.round));
    let decided = answered.into_iter().map(|(_, opened, decision)| Decided {
        step: opened.instance.step.clone(),
        question: opened.question.clone(),
        round: opened.round,
        answer: decision.answer,
        by: decision.by.clone(),
        asked: opened.asks.clone(),
        comment: decision.comment.clone(),
    });
    decided.collect()
}

fn previous(workflow: &Workflow, state: &RunState) -> IndexMap<StepId, Previous> {
    let mut out = IndexMap::new();
    for step in workflow.steps() {
        if let Some(result) = state.visits_of(&step.id).rev().find_map(engine::Visit::result) {
            let previous = Previous {
                status: result.status,
                report: result.report.clone(),
                output: beginning(&result.output, EXCERPT).to_owned(),
                artifacts: result.artifacts.iter().map(|a| a.path.clone()).collect(),
            };
            out.insert(step.id.clone(), previous);
        }
    }
    out
}

/// The script of a step.
fn script_of(step: &Step) -> Option<&str> {
    match &step.work {
        Work::Command { script, .. } => Some(script),
        Work::Agent | Work::Prompt { .. } | Work::SubWorkflow { .. } | Work::Group => None,
    }
}

/// At most `bytes` from the start of a text, cut on a character boundary.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Everything in words. Inputs, outputs and teaching notes must appear in it (seed 001 "Contract Verification").
fn prompt(brief: &Brief) -> String {
    let mut text = String::new();
    let step = brief.step.intent.as_ref().unwrap_or(&brief.step.name);
    let _ = writeln!(text, "Step:\n- {step}");
    if let Some(script) = &brief.step.script {
        // As it stands: a mark before its first line would be part of it.
        let script = script.trim_end();
        let _ = writeln!(text, "Carry out this script; nothing else runs it:\n```\n{script}\n```");
    }
    let mut list = |title: &str, items: &[String]| {
        if !items.is_empty() {
            let _ = writeln!(text, "{title}:");
            for item in items {
                let _ = writeln!(text, "- {item}");
            }
        }
    };
    if let Some(turn) = brief.turn {
        list(
            "Round",
            &[format!(
                "{} of at most {} repetitions have been made",
                turn.iteration, turn.max
            )],
        );
    }
    list(
        "The attempt before this one was not taken",
        brief.failed_before.as_slice(),
    );
    list("A person asked for these changes", &brief.comments);
    let reported: Vec<String> = brief.feedback.iter().map(Reported::words).collect();
    list(
        "Reported about this work: change it, or report `acknowledged` with the reason why it stays as it is",
        &reported,
    );
    let given: Vec<String> = brief.feedback_given.iter().map(Reported::words).collect();
    list(
        "You reported this: report it again where it still holds, else it is settled",
        &given,
    );
    if !brief.previous.is_empty() && brief.ways.is_empty() {
        list(
            "If earlier work is wrong, report it to whoever did it",
            &[HOW_TO_REPORT.to_owned()],
        );
    }
    let decided: Vec<String> = brief.decisions.iter().map(Decided::words).collect();
    list("Decided by people", &decided);
    list("Phase", brief.step.phase.as_slice());
    list("Inputs", &brief.step.inputs);
    let told = brief.step.parameters.iter().filter(|(name, _)| !named_elsewhere(name));
    let told: Vec<String> = told.map(|(name, value)| format!("{name}: {}", words(value))).collect();
    list("Parameters", &told);
    list("Outputs", &brief.step.outputs);
    let ways: Vec<String> = brief.ways.iter().map(way).collect();
    list(
        "Choose one of these ways on: report its name as `way`, and why as `reasons`",
        &ways,
    );
    list("Templates to follow", &brief.step.templates);
    list("Checked before it is taken", brief.step.validation.as_slice());
    list("Evidence wanted", brief.step.evidence.as_slice());
    if let Some(Value::Object(notes)) = brief.step.fields.get("teaching_notes") {
        for (name, note) in notes {
            let title = model::step::humanise(name);
            match note {
                Value::Array(items) => list(&title, &items.iter().map(words).collect::<Vec<_>>()),
                other => list(&title, &[words(other)]),
            }
        }
    }
    for (name, value) in &brief.inputs {
        list("Given", &[format!("{name}: {}", words(value))]);
    }
    let answered = brief
        .tools
        .iter()
        .filter(|call| call.status == engine::ToolStatus::Completed);
    for call in answered {
        list(&format!("Answered by {}", call.name), &[words(&call.output)]);
    }
    for (section, held) in brief.global_context.iter().flat_map(|context| context.iter()) {
        let title = format!("{} (of the whole project)", model::step::humanise(section));
        list(&title, &project_wide(held));
    }
    if let Some(context) = &brief.context {
        list("Context", &[context.to_string()]);
    }
    for (step, previous) in &brief.previous {
        let report: Vec<String> = previous
            .report
            .iter()
            .map(|(k, v)| format!("{k}: {}", words(v)))
            .collect();
        list(&format!("Reported by {step}"), &report);
    }
    text
}

/// A section of what holds for the whole project, a line each. What follows below a standard is nothing that an agent has to know.
fn project_wide(section: &Value) -> Vec<String> {
    let Value::Object(entries) = section else {
        return vec![words(section)];
    };
    let told = entries.iter().filter(|(name, _)| *name != "below");
    told.map(|(name, value)| {
        let standard = engine::Standard::ALL.into_iter().find(|one| one.key() == name);
        match standard.zip(value.as_f64()) {
            Some((standard, least)) => format!(
                "{}: at least {}, reported as `{}`",
                standard.title(),
                standard.value(least),
                standard.field()
            ),
            None => format!("{}: {}", model::step::humanise(name), listed(value)),
        }
    })
    .collect()
}

/// A list in one line.
fn listed(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => words(other),
    }
}

/// `advance:done: on to done (the nearest)`
fn way(way: &Way) -> String {
    let to = way.to.as_ref().map_or("", StepId::as_str);
    let leads = match &way.action {
        WayAction::Advance => format!("on to {to}"),
        WayAction::Loop => format!("back to {to}, one round more"),
        WayAction::Repeat => format!("{to} once more"),
        WayAction::Detour => format!("first the detour that begins with {to}"),
        WayAction::Extend => format!("to {to}, where no way leads"),
        WayAction::LeaveOut => "it is left out".to_owned(),
        WayAction::Terminate => "the flow ends".to_owned(),
        WayAction::Escalate => "a person chooses".to_owned(),
        WayAction::Other(word) => format!("{word} {to}"),
    };
    let nearest = if way.is_default { " (the nearest)" } else { "" };
    format!("{}: {leads}{nearest}", way.id)
}

/// Whether a key of a step's inputs reaches whoever does it in another place: files among the inputs, what is looked up as
/// the context.
fn named_elsewhere(name: &str) -> bool {
    name == "artifacts" || name.starts_with("telis_")
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EngineInfo, Instance};
    use model::{Format, Microloop};
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn the_prompt_says_what_the_author_and_the_people_say() {
        let mut step = Step::new("critic", 1);
        step.intent = Some("Criticises them.".to_owned());
        step.inputs = vec!["RUN_BASE/signal/requirements.md".to_owned()];
        step.outputs = vec!["docs/critique.md".to_owned()];
        step.fields.insert(
            "teaching_notes".to_owned(),
            json!({"emphasizes": ["be harsh"], "constraints": ["do not rewrite"]}),
        );
        step.routing = Routing::Microloop(Microloop {
            loop_target: Some("author".into()),
            condition_field: None,
            success_values: vec![],
            max_iterations: 4,
            next: None,
            exit_on: IndexMap::new(),
        });
        let steps = vec![Step::new("author", 0), step.clone()];
        let workflow = Workflow::new("signal".into(), "Shaping".into(), Format::Stepwise, steps);
        let started = AttemptStarted {
            instance: Instance {
                step: "critic".into(),
                visit: 2,
                path: vec![],
            },
            attempt: 1,
            agents: vec![],
            engine: EngineInfo::stub(),
            crew: vec![],
            comments: vec!["name the owner".to_owned()],
        };
        let mut state = RunState::default();
        Arc::make_mut(&mut state.loop_state).insert("critic:author".to_owned(), 1);
        let brief = Brief::of(&workflow, &state, &step, &started, Path::new("/project"));
        for said in [
            "Criticises them.",
            "1 of at most 4",
            "name the owner",
            ".gatehouse/runs/",
            "signal/requirements.md",
            "docs/critique.md",
            "Emphasizes:\n- be harsh",
            "Constraints:\n- do not rewrite",
        ] {
            assert!(brief.prompt.contains(said), "{said} is missing in {}", brief.prompt);
        }
        let of_author = turn(&workflow, &state, &"author".into());
        assert_eq!(of_author, Some(Turn { iteration: 1, max: 4 }));
        let json = serde_json::to_value(&brief).expect("JSON");
        assert_eq!(json["loop"], json!({"iteration": 1, "max": 4}));
    }

    #[test]
    fn a_script_that_is_left_to_somebody_stands_in_their_brief() {
        let mut step = Step::new("1", 0);
        step.work = Work::Command {
            language: "bash".to_owned(),
            script: "exit 3\n".to_owned(),
        };
        let workflow = Workflow::new("tidy".into(), "Tidy".into(), Format::Rundown, vec![step.clone()]);
        let script = |engine: EngineInfo| {
            let started = AttemptStarted {
                instance: Instance {
                    step: "1".into(),
                    visit: 1,
                    path: vec![],
                },
                attempt: 1,
                agents: vec!["robot".into()],
                engine,
                crew: vec![],
                comments: vec![],
            };
            let brief = Brief::of(&workflow, &RunState::default(), &step, &started, Path::new("/project"));
            let is_told = brief.prompt.contains("nothing else runs it:\n```\nexit 3\n```\n");
            assert_eq!(is_told, brief.step.script.is_some());
            brief.step.script
        };
        let robot = EngineInfo::program(EngineKind::Shell, "robot".to_owned());
        assert_eq!(script(robot).as_deref(), Some("exit 3\n"));
        assert_eq!(script(EngineInfo::script("bash", "exit 3\n")), None);
    }

    #[test]
    fn beginnings_are_cut_between_characters() {
        assert_eq!(
            (beginning("aä", 2), beginning("aä", 3), beginning("", 9)),
            ("a", "aä", "")
        );
    }
}
