//! What is done around the work of a step: what its own fields ask for, and the project's settings.

use super::Toolbox;
use super::approved::Approved;
use crate::scenario::Entry;
use engine::{
    At, AttemptStarted, AttemptState, Came, Digest, ExecutionStatus, Purpose, RoutingMode, RunState, ToolAsk,
    ToolRecord, ToolStatus, call_approval,
};
use guardrail::Stage;
use model::step::Output;
use model::{Fields, Routing, Step, ToolCall, Workflow};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is done around one attempt of one step.
pub(crate) struct Care {
    /// The step, placeholders resolved.
    pub(super) step: Step,
    pub(super) toolbox: Arc<Toolbox>,
    /// The answers that the run began with.
    pub(super) inputs: Fields,
    /// What they answer: the words of each question, by its name.
    pub(super) asked: BTreeMap<String, String>,
    /// The files that people approved.
    pub(super) approved_files: Option<Approved>,
    /// Calls that people have approved in this visit and that have not been made since, by their places in the step's list.
    pub(super) approved: BTreeSet<usize>,
    /// What is not called again, by its place in the list: what was called by attempts that then had to wait for a person or were cut off,
    /// unless one has failed since; and what was called with a person's approval, which was for that call alone.
    pub(super) earlier: BTreeMap<usize, ToolRecord>,
    /// What was made since then is this attempt's work although it had not begun: a person did it, or a call that is not made again.
    pub(super) takes_up: Option<At>,
    /// What an agent claims is evidence, although its step asks for none.
    pub(super) unasked: bool,
    /// Of the log when the attempt began: nothing that comes of it lies before that, whatever the machine's clock says.
    pub(super) since: At,
    /// No way on is chosen by what is reported: the report can only say how the work went.
    pub(super) says_how_it_went: bool,
    /// A step of a flow: its status may be any word, and its report may name the way on.
    pub(super) of_flow: bool,
    /// Fields of this step's report that the workflow reads in a condition ([`Workflow::words_read`]).
    read: Arc<BTreeSet<String>>,
    /// Of a run with a scenario: what it says of this attempt.
    pub(super) script: Option<Entry>,
}

impl Care {
    /// What is done around an attempt.
    pub(crate) fn of(
        workflow: &Workflow,
        step: &Step,
        state: &RunState,
        started: &AttemptStarted,
        toolbox: &Arc<Toolbox>,
        script: Option<Entry>,
    ) -> Self {
        let attempts = state
            .visit(&started.instance)
            .map_or(&[][..], |v| v.attempts.as_slice());
        let (mut earlier, waited) = called_before(attempts, started);
        let asked = state.gates.values().flatten().filter(|round| {
            matches!(round.opened.purpose, Purpose::Outcome { attempt: true, .. })
                && round.opened.instance == started.instance
        });
        let (approved, made) = approvals(state, step, started);
        earlier.extend(made);
        let lifecycle = state.created.as_ref().is_some_and(|c| c.format.contract().lifecycle);
        let questions = workflow.questions.iter();
        let questions = questions.map(|question| (question.name.clone(), question.label.clone()));
        // A navigator chooses by all that is reported.
        let is_navigated = state.created.as_ref().is_some_and(|created| {
            let choosing = &created.choosing;
            workflow.next_reported && choosing.navigator.is_some() && choosing.mode != RoutingMode::DeterministicOnly
        });
        let has_words = lifecycle || matches!(step.routing, Routing::Transitions { .. } | Routing::Dependencies);
        Self {
            step: step.clone(),
            toolbox: Arc::clone(toolbox),
            inputs: state.created.as_ref().map(|c| c.inputs.clone()).unwrap_or_default(),
            asked: questions.collect(),
            approved_files: Approved::of(state, step, started),
            approved,
            earlier,
            takes_up: asked.map(|round| round.opened_at).chain(waited).min(),
            unasked: lifecycle,
            since: state.last_at.unwrap_or_default(),
            says_how_it_went: lifecycle || !is_navigated && !step.routing.is_chosen_by_report(),
            of_flow: !has_words,
            read: workflow.words_read(step),
            script,
        }
    }

    /// With what the steps of the workflow say they make: what was added to that is compared, too.
    pub(crate) fn in_workflow(mut self, workflow: &Workflow) -> Self {
        let approved = self.approved_files.take();
        self.approved_files = approved.map(|approved| approved.with_folders(workflow));
        self
    }

    /// Of work that goes by no file: what was approved is not compared.
    pub(crate) fn without_files(mut self) -> Self {
        self.approved_files = None;
        self
    }

    /// Whether a field of the report means something of its own, whatever it is called: a condition of the workflow reads it of this step, or the step
    /// declares an output of this name.
    pub(super) fn is_value(&self, field: &str) -> bool {
        self.read.contains(field) || self.step.outputs.iter().any(|output| Output::of(output).path == field)
    }

    /// Whether nothing is called or started, because a scenario says what comes of it.
    pub(super) fn is_scripted(&self) -> bool {
        self.script.is_some()
    }
}

/// What the attempts before this one have called and had answered, by its place in the step's list, and since when: those that waited for a person
/// or were cut off. One that failed begins anew, whatever was called before it.
fn called_before(attempts: &[AttemptState], started: &AttemptStarted) -> (BTreeMap<usize, ToolRecord>, Option<At>) {
    let goes_on = |attempt: &&AttemptState| {
        let result = attempt.result.as_ref();
        result.is_none_or(|result| result.status == ExecutionStatus::Blocked)
    };
    let before = attempts.iter().rev().filter(|a| a.started.attempt < started.attempt);
    let (mut called, mut since) = (BTreeMap::new(), None);
    for attempt in before.take_while(goes_on) {
        for (place, call) in attempt.calls().iter().enumerate() {
            if call.status == ToolStatus::Completed {
                // The last one is of what is gone on with.
                called.entry(place).or_insert_with(|| call.clone());
                since = Some(attempt.started_at);
            }
        }
    }
    (called, since)
}

/// What people's approvals in this visit are worth to an attempt: the calls that may be made under one, and what came of those that were
/// made. One that an attempt failed with, or was cut off in, has used its approval up, and is asked about again.
fn approvals(state: &RunState, step: &Step, started: &AttemptStarted) -> (BTreeSet<usize>, Vec<(usize, ToolRecord)>) {
    let (mut approved, mut made) = (BTreeSet::new(), Vec::new());
    for (place, call) in step.tools.iter().enumerate() {
        let digest = digest(call);
        let is_it = |ask: &ToolAsk| ask.call == digest && ask.place == place;
        let approval = call_approval(state, &started.instance, started.attempt, is_it);
        match approval.map(|approval| approval.came) {
            Some(Came::Nothing) => {
                approved.insert(place);
            }
            Some(Came::Made(call)) if call.status == ToolStatus::Completed || !call.required => {
                made.push((place, call.clone()));
            }
            _ => {}
        }
    }
    (approved, made)
}

/// What an approval is for: this tool with these arguments.
pub(super) fn digest(call: &ToolCall) -> Digest {
    store::digest_of(json!([call.name, call.args]).to_string().as_bytes())
}

/// Whether anything is done around the work of a workflow's steps, so that a run must know the settings of its start.
pub(crate) fn is_asked_for(workflow: &Workflow, settings: &crate::config::StepSettings) -> bool {
    let rules = &settings.guardrails;
    let asks = |step: &Step| {
        !step.tools.is_empty()
            || step.validation.is_some()
            || step.evidence.is_some()
            || step.parameters.keys().any(|key| key.starts_with("telis_"))
    };
    rules.is_on(Stage::Inputs) || rules.is_on(Stage::Outputs) || workflow.steps().iter().any(asks)
}
