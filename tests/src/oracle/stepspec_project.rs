//! A project for recorded StepSpec runs: their file, the project's configuration, a script of what every attempt comes to, and the
//! driver that carries them out.

use super::Context;
use super::case::Fault;
use super::stepspec::config_text;
use crate::project::Project;
use dialect::Document;
use engine::{
    Answer, Choice, Decision, Effect, Intent, Lifecycle, RunId, RunState, RunStepStatus, RunSteps, StepResult,
};
use model::StepId;
use runtime::{Control, Driver, Options, RunWorkflow, ScenarioSource, StartRequest, submit};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Facts, Store, Stored, vocabulary};

/// The name of the case's file.
const FILE: &str = "case.json";

/// A run of a case.
pub struct Play<'a> {
    context: &'a Context,
    /// The folder that the run writes into goes away with it.
    _project: Project,
    store: Arc<Store>,
    driver: Driver,
    run: RunId,
    document: Document,
}

/// What is scripted of one step.
#[derive(Default)]
pub struct Script {
    /// What each attempt comes to, in the words of the cases.
    pub outcomes: Vec<String>,
    /// Attempts of one visit.
    pub attempts: usize,
    /// The step's outputs.
    pub outputs: Vec<String>,
    /// What tools answer badly, by name.
    pub tools: Map<String, Value>,
}

fn broken(error: impl std::fmt::Display) -> Fault {
    Fault::differs(error.to_string())
}

impl<'a> Play<'a> {
    /// Creates the run; nothing is carried out yet.
    pub fn new(
        context: &'a Context,
        workflow: String,
        config: &Value,
        scripts: &BTreeMap<String, Script>,
    ) -> Result<Self, Fault> {
        let project = Project::new(&[(runtime::config::CONFIG_FILE, &config_text(config)?)])?;
        let store = Arc::new(Store::open_memory().map_err(broken)?);
        let options = Options {
            fast: true,
            until_blocked: true,
            render: None,
            ..Options::of("test")
        };
        let driver = Driver::new(Arc::clone(&store), &project.root, options).map_err(broken)?;
        let steps: Map<String, Value> = scripts
            .iter()
            .map(|(id, script)| (id.clone(), script.entries()))
            .collect();
        let request = StartRequest {
            path: FILE.to_owned(),
            source: workflow.clone(),
            scenario: Some(ScenarioSource {
                path: "recorded.scenario.yaml".to_owned(),
                text: json!({"name": "recorded", "steps": steps}).to_string(),
            }),
            by: "oracle".to_owned(),
            initiator: "test".to_owned(),
            despite_errors: true,
            ..StartRequest::default()
        };
        let run = driver.start(&request).map_err(broken)?;
        Ok(Self {
            context,
            _project: project,
            store,
            driver,
            run,
            document: Document::parse(FILE, &workflow),
        })
    }

    /// Drives the run until it ends or waits for a person.
    pub fn drive(&self) -> Result<(), Fault> {
        let control = Control::default();
        let driven = self.driver.drive(&self.run, &control);
        let (_, state) = self.context.runtime.block_on(driven).map_err(broken)?;
        match state.status {
            engine::RunStatus::Ended(_) | engine::RunStatus::Blocked => Ok(()),
            other => Err(Fault::differs(format!("the run stands still as {other:?}"))),
        }
    }

    /// The run as the log has it.
    pub fn state(&self) -> Result<RunState, Fault> {
        Ok(self.store.load(&self.run).map_err(broken)?.0)
    }

    fn say(&self, intent: Intent) -> Result<(), Fault> {
        submit::submit_to(&self.store, &self.run, intent).map_err(broken)?;
        Ok(())
    }

    /// Approves what is asked now; `false` where nothing is.
    pub fn approve(&self) -> Result<bool, Fault> {
        let state = self.state()?;
        let Some(waiting) = state.waiting() else {
            return Ok(false);
        };
        self.say(Intent::Answer(Arc::new(Decision {
            gate: waiting.opened.gate.clone(),
            round: waiting.opened.round,
            answer: Answer::Approve,
            by: "oracle".to_owned(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".to_owned(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        })))?;
        Ok(true)
    }

    /// Takes a run up again that has failed: the first step that is not completed is tried again.
    pub fn reopen(&self) -> Result<(), Fault> {
        let state = self.state()?;
        let rest = engine::control::resume::rest(self.document.workflow(), &state);
        let choices: BTreeMap<StepId, Choice> = rest
            .first()
            .map(|s| (s.id.clone(), Choice::Retry))
            .into_iter()
            .collect();
        self.say(Intent::Reopen {
            by: "oracle".to_owned(),
            choices,
        })
    }

    /// The gate or call that the run waits for.
    pub fn gate(&self) -> Result<Option<String>, Fault> {
        Ok(self.state()?.waiting().map(|round| round.opened.gate.to_string()))
    }

    /// Whether the run goes on as soon as somebody drives it: what an approval leads to while nobody does.
    pub fn is_due(&self) -> Result<bool, Fault> {
        let due = engine::effects(self.document.workflow(), &self.state()?);
        // Once a tool may be called the attempt is made again.
        let goes_on = |effect: &Effect| matches!(effect, Effect::Proceed | Effect::WaitUntil { .. });
        Ok(due.iter().any(goes_on))
    }

    fn log(&self) -> Result<Vec<Stored>, Fault> {
        self.store.events(&self.run, 0, usize::MAX).map_err(broken)
    }

    /// Status and attempts of every step, by the entries of the run manifest; a step that was never entered is pending.
    pub fn steps(&self) -> Result<Vec<(&'static str, u32)>, Fault> {
        let log = self.log()?;
        let entries = RunSteps::of(log.iter().map(|stored| (stored.at, &stored.event)));
        if let Some(refused) = entries.refused().first() {
            return Err(Fault::differs(format!("the log breaks the state machine: {refused}")));
        }
        let workflow = self.document.workflow();
        Ok(workflow
            .steps()
            .iter()
            .map(|step| match entries.last_of(&step.id) {
                Some(entry) => {
                    let all = entries.entries().iter().filter(|e| e.instance.step == step.id);
                    (entry.status.word(), all.map(|e| e.attempts).sum())
                }
                None => (RunStepStatus::Pending.word(), 0),
            })
            .collect())
    }

    /// The run's status in the words of seed 000.
    pub fn status(&self) -> Result<&'static str, Fault> {
        Ok(match self.state()?.status {
            engine::RunStatus::Ended(engine::EndStatus::Succeeded) => "completed",
            engine::RunStatus::Ended(_) => "failed",
            engine::RunStatus::Blocked => "blocked",
            _ => "running",
        })
    }

    /// What the last attempt of a step came to.
    pub fn last_result(&self, step: &str) -> Result<(StepResult, Lifecycle), Fault> {
        let state = self.state()?;
        let last = state.visits_of(&step.into()).next_back();
        let attempts = last.map_or(&[][..], |visit| visit.attempts.as_slice());
        let result = attempts.iter().rev().find_map(|attempt| attempt.result.as_deref());
        let result = result.ok_or_else(|| Fault::differs(format!("step {step} was not carried out")))?;
        let lifecycle = result.lifecycle.as_deref().cloned().unwrap_or_default();
        Ok((result.clone(), lifecycle))
    }

    /// The log in the words of seed 000; it must keep what the seed says of every event, and verify.
    pub fn events(&self) -> Result<Vec<Value>, Fault> {
        let facts = Facts::of(RunWorkflow::Written(self.document.clone()));
        let events = vocabulary::render(vocabulary::Vocabulary::Bmad, &self.run, &self.log()?, &facts);
        let run = json!(self.run);
        for event in &events {
            let payload = &event["payload"];
            if payload["run_id"] != run || !payload["timestamp"].is_string() {
                return Err(Fault::differs(format!(
                    "an event has no run_id or no timestamp: {event}"
                )));
            }
        }
        let findings = self.store.verify(&self.run).map_err(broken)?;
        if !findings.is_empty() {
            return Err(Fault::differs(format!("the log does not verify: {findings:?}")));
        }
        Ok(events)
    }

    /// A file of the run directory, rendered from the log.
    pub fn file(&self, name: &str) -> Result<Value, Fault> {
        let facts = Facts::of(RunWorkflow::Written(self.document.clone()));
        let files = self.store.render_run(&self.run, &facts).map_err(broken)?;
        let bytes = files.iter().find(|(path, _)| path.rsplit('/').next() == Some(name));
        let (_, bytes) = bytes.ok_or_else(|| Fault::differs(format!("there is no {name}")))?;
        serde_json::from_slice(bytes).map_err(broken)
    }
}

impl Script {
    /// As a scenario has it: an entry a visit, in it an entry an attempt.
    fn entries(&self) -> Value {
        let ok = ["ok".to_owned()];
        let outcomes = if self.outcomes.is_empty() {
            &ok[..]
        } else {
            &self.outcomes
        };
        let visits = outcomes.chunks(self.attempts.max(1));
        visits
            .map(|visit| json!({"attempts": visit.iter().map(|word| self.entry(word)).collect::<Vec<_>>()}))
            .collect()
    }

    fn entry(&self, outcome: &str) -> Value {
        let mut entry = Map::new();
        if !self.tools.is_empty() {
            let calls = self
                .tools
                .iter()
                .map(|(name, error)| (name.clone(), json!({"error": error})));
            entry.insert("calls".to_owned(), Value::Object(calls.collect()));
        }
        let (word, rest) = outcome.split_once(':').unwrap_or((outcome, ""));
        let mut text = "Recorded.\n";
        match word {
            "ok" => {}
            "error" | "fail" => {
                entry.insert("status".to_owned(), json!("failed"));
                entry.insert("error".to_owned(), json!("nope"));
                return Value::Object(entry);
            }
            "invalid" => {
                let why = if rest.is_empty() { "not as it should be" } else { rest };
                entry.insert("invalid".to_owned(), json!(why));
            }
            "out" => text = rest,
            other => {
                entry.insert(
                    "error".to_owned(),
                    json!(format!("the adapter knows no outcome {other}")),
                );
                entry.insert("status".to_owned(), json!("failed"));
            }
        }
        let files = self.outputs.iter().map(|path| (path.clone(), json!(text)));
        entry.insert("artifacts".to_owned(), Value::Object(files.collect()));
        Value::Object(entry)
    }
}
