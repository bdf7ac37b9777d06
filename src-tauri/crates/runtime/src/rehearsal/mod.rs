//! Rehearsals: the engine turned in memory, with no store, no process and no clock. What a scenario does to a workflow,
//! as a test (CONTRACTS "Scenarios").
//!
//! * [`Rehearsal`]: the loop `decide` → `apply` → `effects`, fed with moves or played by a [`Scenario`].
//! * [`front`]: the scenarios in a runbook's front matter. [`command`]: one of their commands. `echo`: code blocks that
//!   say how they end. [`trial`]: a scenario carried out; `verdict`: what came of it; `teller`: what its commands do. [`script`]:
//!   the same as a [`Scenario`]'s text. `played`: an attempt that it plays.
//! * [`coverage`]: which steps and edges were seen. [`suggest`]: what would see the rest.

pub mod command;
pub mod coverage;
mod echo;
pub mod front;
mod played;
pub mod script;
pub mod suggest;
mod teller;
pub mod trial;
mod verdict;

use crate::config::{Config, StepSettings};
use crate::raised;
use crate::scenario::Scenario;
use engine::{
    Answer, At, Choosing, Command, Cursor, Decision, Effect, EndStatus, EngineInfo, Event, ExecutionStatus, GatePolicy,
    GateRound, Instance, Intent, Limits, Purpose, Refusal, RunCreated, RunState, RunStatus, StepResult, decide,
    effects,
};
use model::{AgentKey, Step, StepId, Work, Workflow};
use played::{Player, later};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many attempts in a row are carried out without a command in between, of a long runbook ten times its steps; one
/// that turns longer than that by itself has no end of its own.
pub const BY_ITSELF: usize = 1_000;
/// The same of a run that a scenario plays: its answers may turn a loop for ever.
const BY_SCRIPT: usize = 20_000;
/// Who answers.
const WHO: &str = "scenario";

/// What a rehearsal takes from outside the workflow.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// Limits and gate policy of the project.
    pub limits: Limits,
    /// The policy of human gates beside them.
    pub policy: GatePolicy,
    /// Tools, guardrails and evidence of the project (seed 000).
    pub around: StepSettings,
    /// What placeholders in paths stand for.
    pub folders: BTreeMap<String, String>,
    /// Agents that are bound to engines; each is played by the stub.
    pub engines: BTreeMap<AgentKey, EngineInfo>,
    /// Who chooses the way on where there are several (`routing` in gatehouse.yaml).
    pub choosing: Choosing,
    /// Every step waits for a command (`--prompted`).
    pub prompted: bool,
}

impl Setting {
    /// The setting of a run of this workflow under a project's configuration, as a run with a scenario would be
    /// created.
    pub fn of(config: &Config, workflow: &Workflow) -> Self {
        let mut engines = config.engines(workflow, &BTreeMap::new());
        engines.values_mut().for_each(|engine| *engine = EngineInfo::stub());
        Self {
            limits: config.limits_of(workflow, true),
            policy: config.policy.clone(),
            around: config.around.clone(),
            folders: config.folders.clone(),
            engines,
            choosing: config.choosing_of(workflow),
            prompted: false,
        }
    }
}

/// What somebody does to a rehearsal that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// It went well (YES; an approval).
    Pass,
    /// It did not (NO; a rejection).
    Fail,
    /// On to this step instead.
    Goto(StepId),
    /// The run is ended.
    Stop,
}

/// Where a rehearsal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'a> {
    /// It has ended.
    Ended(EndStatus),
    /// It waits for a move at this visit.
    Waits(&'a Instance),
    /// It was stopped because it turned too often without waiting ([`BY_ITSELF`]).
    Turns(&'a Instance),
}

/// A run in memory. Its clock is its own: it counts events, and where nothing else is to be done it goes on to when the next scripted time is
/// over, so that what takes less ends first. Nothing is read, written or started.
#[derive(Debug, Clone)]
pub struct Rehearsal<'w> {
    workflow: &'w Workflow,
    state: RunState,
    events: Vec<(At, Event)>,
    now: At,
    /// Gate rounds that a scenario has answered.
    answered: BTreeSet<(String, u32)>,
    /// Of a run that a scenario plays: what its steps come to.
    player: Option<Player>,
    /// Attempts that take time: when each ends, and what it comes to.
    lasting: BTreeMap<(Instance, u32), (At, StepResult)>,
}

impl<'w> Rehearsal<'w> {
    /// A run that waits for its first move: executable code blocks are carried out by themselves (what a `rd echo`
    /// block says it yields; any other passes), prompts and runbooks inside wait.
    ///
    /// # Errors
    /// The engine's refusal: the workflow has no steps, or its format is not run.
    pub fn begin(workflow: &'w Workflow, setting: &Setting) -> Result<Self, Refusal> {
        let mut begun = Self::created(workflow, setting, None)?;
        begun.run_on(None);
        Ok(begun)
    }

    /// A run that a scenario of any format plays to its end, or to where it says nothing more.
    ///
    /// # Errors
    /// See [`Rehearsal::begin`]; or a run cannot begin at the step that the scenario begins with.
    pub fn play(workflow: &'w Workflow, setting: &Setting, scenario: &Scenario) -> Result<Self, Refusal> {
        let mut begun = Self::created(workflow, setting, scenario.from.clone())?;
        begun.player = Some(Player::of(workflow, setting));
        begun.run_on(Some(scenario));
        Ok(begun)
    }

    fn created(workflow: &'w Workflow, setting: &Setting, begins_at: Option<StepId>) -> Result<Self, Refusal> {
        let mut begun = Self {
            workflow,
            state: RunState::default(),
            events: Vec::new(),
            now: At(0),
            answered: BTreeSet::new(),
            player: None,
            lasting: BTreeMap::new(),
        };
        let created = RunCreated {
            by: WHO.to_owned(),
            engines: setting.engines.clone(),
            rehearsal: true,
            limits: setting.limits,
            policy: setting.policy.clone(),
            global_context: raised::context_of(setting.around.global.as_ref(), workflow),
            kind: workflow.kind.clone(),
            prompted: setting.prompted,
            choosing: setting.choosing.clone(),
            begins_at,
            ..RunCreated::new("rehearsal", workflow, "", store::digest_of(b""), "test")
        };
        begun.submit(Intent::Create(Arc::new(created)))?;
        Ok(begun)
    }

    /// Makes a move where the run waits, and goes on to where it waits again.
    ///
    /// # Errors
    /// The engine's refusal: the run has ended, or the move does not fit. Nothing has happened then.
    pub fn feed(&mut self, to_do: Move) -> Result<(), Refusal> {
        let intent = self.intent(to_do);
        self.submit(intent)?;
        self.run_on(None);
        Ok(())
    }

    /// The fold of everything so far.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Everything that happened.
    pub fn events(&self) -> &[(At, Event)] {
        &self.events
    }

    /// The workflow.
    pub fn workflow(&self) -> &'w Workflow {
        self.workflow
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing<'_> {
        match (&self.state.status, self.at_work()) {
            (RunStatus::Ended(end), _) => Standing::Ended(*end),
            (_, Cursor::Running { instance, .. }) if self.carries_out(instance).is_some() => Standing::Turns(instance),
            (_, Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. }) => Standing::Waits(instance),
            _ => match self.state.waiting() {
                Some(round) => Standing::Waits(&round.opened.instance),
                // The engine leaves a run that has begun at an attempt, at a gate or at its end.
                None => Standing::Ended(EndStatus::Failed),
            },
        }
    }

    /// The token's place; of a pipeline the first stage at work.
    fn at_work(&self) -> &Cursor {
        let works = |cursor: &&Cursor| matches!(cursor, Cursor::Running { .. } | Cursor::Retrying { .. });
        self.state.cursors().find(works).unwrap_or(&self.state.cursor)
    }

    fn intent(&self, to_do: Move) -> Intent {
        let by = WHO.to_owned();
        match (to_do, self.state.waiting(), self.at_work()) {
            (Move::Goto(to), ..) => Intent::Jump { by, to },
            (Move::Stop, ..) => Intent::Abort {
                by,
                reason: String::new(),
                given: None,
            },
            (to_do, Some(round), _) => Intent::Answer(Arc::new(answer(round, to_do == Move::Pass))),
            (to_do, None, Cursor::Running { instance, attempt }) => {
                let status = match to_do {
                    Move::Pass => ExecutionStatus::Succeeded,
                    _ => ExecutionStatus::Failed,
                };
                Intent::Finish {
                    instance: instance.clone(),
                    attempt: *attempt,
                    result: Arc::new(StepResult::new(status)),
                }
            }
            // Nothing waits: the engine says why.
            (_, None, _) => Intent::Abort {
                by,
                reason: String::new(),
                given: None,
            },
        }
    }

    fn submit(&mut self, intent: Intent) -> Result<(), Refusal> {
        self.now = At(self.now.0.saturating_add(1));
        let at = self.now;
        let decided = decide(self.workflow, &self.state, &Command { at, intent })?;
        self.events.extend(decided.events.into_iter().map(|event| (at, event)));
        self.state = decided.state;
        Ok(())
    }

    /// Does what is due until a move is needed.
    fn run_on(&mut self, scenario: Option<&Scenario>) {
        let most = if scenario.is_some() { BY_SCRIPT } else { BY_ITSELF };
        let most = most.max(self.workflow.steps().len().saturating_mul(10));
        for _ in 0..most {
            let mut due = Vec::new();
            for effect in effects(self.workflow, &self.state) {
                due.push((self.due_at(&effect, scenario), effect));
            }
            // What takes no time comes first; of what waits for a time the earliest.
            due.sort_by_key(|(at, _)| *at);
            let mut due = due.into_iter();
            let Some((at, intent)) = due.find_map(|(at, effect)| Some((at, self.followed(effect, scenario)?))) else {
                return;
            };
            self.now = at.map_or(self.now, |at| at.max(self.now));
            // An answer that is refused leaves the run waiting, as it does in a real run.
            if self.submit(intent).is_err() {
                return;
            }
        }
    }

    /// When an effect is due; `None`: at once.
    fn due_at(&mut self, effect: &Effect, scenario: Option<&Scenario>) -> Option<At> {
        match effect {
            Effect::WaitUntil { at, .. } => Some(*at),
            Effect::Execute { instance, attempt } => {
                let key = (instance.clone(), *attempt);
                if let Some((at, _)) = self.lasting.get(&key) {
                    return Some(*at);
                }
                let player = self.player.as_ref()?;
                let (at, result) = player.lasts(&self.state, scenario?, instance, *attempt)?;
                self.lasting.insert(key, (at, result));
                Some(at)
            }
            Effect::Ask { gate, round } => {
                let scenario = scenario?;
                let mut rounds = self.state.gates.get(gate)?.iter();
                let waiting = rounds.find(|one| one.opened.round == *round)?;
                let (thinks, _) = scenario.says(waiting)?;
                later(waiting.since, thinks)
            }
            Effect::Navigate { .. } | Effect::Proceed => None,
        }
    }

    /// What comes of an effect; `None`: somebody else is to say so.
    fn followed(&mut self, effect: Effect, scenario: Option<&Scenario>) -> Option<Intent> {
        match effect {
            Effect::Proceed => Some(Intent::Proceed),
            Effect::WaitUntil { instance, .. } => Some(Intent::Retry { instance }),
            Effect::Execute { instance, attempt } => {
                let lasted = self.lasting.remove(&(instance.clone(), attempt));
                let result = match (lasted, scenario.zip(self.player.as_ref())) {
                    (Some((_, result)), _) => result,
                    (None, Some((scenario, player))) => player.play(&self.state, scenario, &instance, attempt),
                    (None, None) => StepResult::new(self.carries_out(&instance)?),
                };
                Some(Intent::Finish {
                    instance,
                    attempt,
                    result: Arc::new(result),
                })
            }
            Effect::Navigate { instance } => {
                let said = scenario.map_or_else(crate::scenario::unscripted, |scenario| {
                    scenario.navigates(&instance.step, instance.visit)
                });
                Some(Intent::Navigated {
                    instance,
                    said: Arc::new(said),
                })
            }
            Effect::Ask { gate, round } => {
                let open = self.state.open_gates();
                let waiting = open
                    .into_iter()
                    .find(|r| r.opened.gate == gate && r.opened.round == round)?;
                if !self.answered.insert((gate.to_string(), round)) {
                    return None;
                }
                scenario?.says(waiting).map(|(_, intent)| intent)
            }
        }
    }

    /// How a step ends that nobody is asked about; `None`: somebody is to say so.
    fn carries_out(&self, instance: &Instance) -> Option<ExecutionStatus> {
        let step = self.workflow.step(&instance.step)?;
        match &step.work {
            Work::Command { script, .. } => Some(self.said_by(step, script, instance)),
            Work::Agent => Some(ExecutionStatus::Succeeded),
            Work::Prompt { .. } | Work::Group | Work::SubWorkflow { .. } => None,
        }
    }

    /// A block that says how it ends does so attempt by attempt, in each dynamic instance anew.
    fn said_by(&self, step: &Step, script: &str, instance: &Instance) -> ExecutionStatus {
        let Some(results) = echo::results(script) else {
            return ExecutionStatus::Succeeded;
        };
        let earlier = self
            .state
            .visits_of(&step.id)
            .filter(|v| v.instance.path == instance.path && v.instance.visit < instance.visit)
            .count();
        match results.get(earlier).or(results.last()) {
            Some(false) => ExecutionStatus::Failed,
            Some(true) | None => ExecutionStatus::Succeeded,
        }
    }
}

fn answer(round: &GateRound, passed: bool) -> Decision {
    let answer = match (&round.opened.purpose, passed) {
        (Purpose::Outcome { .. }, true) => Answer::Pass,
        (Purpose::Outcome { .. }, false) => Answer::Fail,
        (_, true) => Answer::Approve,
        (_, false) => Answer::Reject,
    };
    let comment = match round.opened.needs_comment(answer) {
        true => "as the scenario says",
        false => "",
    };
    Decision {
        gate: round.opened.gate.clone(),
        round: round.opened.round,
        answer,
        by: WHO.to_owned(),
        comment: comment.to_owned(),
        seen: round.opened.shown.iter().map(|a| a.digest.clone()).collect(),
        undrawn: Vec::new(),
        via: WHO.to_owned(),
        lasting: None,
        way: None,
        report: Default::default(),
        key_name: None,
        signature: None,
    }
}

#[cfg(test)]
mod tests;
