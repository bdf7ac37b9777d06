//! A scenario scripts a run: it is the stub executor's input, a test, a demonstration and a dry run (CONTRACTS
//! "Scenarios").
//!
//! ```yaml
//! name: critic satisfied in the second round
//! from: critique_reqs         # where the rehearsal begins; without it at the beginning
//! steps:                      # per step, one entry per visit; the last one repeats; a step not named succeeds
//!   critique_reqs:
//!     - {report: {status: UNVERIFIED}, output: "Two requirements cannot be tested.", takes: 2s}
//!     - {report: {status: VERIFIED}, artifacts: {docs/critique.md: "All clear."}}
//!   build: [{status: failed, error: "compiler missing"}]
//!   design:                   # of several agents of one step, what each says and makes
//!     - agents: {architect: {output: "Three parts."}, ux-designer: {artifacts: {docs/screens.md: "Two screens."}}}
//!   draft:                    # of a StepSpec: what each attempt of a visit does, what tools answer, why its validation fails
//!     - attempts: [{invalid: "no section on risks"}, {calls: {search: {output: "2 hits"}}, artifacts: {"{output_folder}/a.md": "…"}}]
//! gates:                      # per gate (or step that has one), one entry per round; after the last a person is asked
//!   approve_plan: [{answer: changes, by: reviewer, comment: "name the owner"}, {answer: approve, by: reviewer}]
//! expect: {status: succeeded, path: [author_reqs, critique_reqs]}
//! ```
//!
//! Scenarios live beside their workflow: `<stem>.scenario.yaml`, or any `*.yaml` in `<stem>.scenarios/`.

mod answers;
mod check;
pub mod find;
mod record;

pub use check::{path, unplayed};
pub use record::{Overtaken, Recorded, recorded};

use crate::file_fault::FileFault;
use crate::length;
use engine::{Answer, ExecutionStatus, GateId, GateOpened, GateReason, NavigatorSaid, Tokens};
use indexmap::IndexMap;
use model::{AgentKey, Fields, Step, StepId, Workflow};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tool::nesting;

/// A scripted run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What a person reads; the file's stem when it gives none.
    #[serde(default)]
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub description: Option<String>,
    /// The step that the rehearsal begins at; absent: where the workflow begins.
    #[serde(default)]
    pub from: Option<StepId>,
    /// What each step does, by step id.
    #[serde(default)]
    steps: IndexMap<String, Vec<Entry>>,
    /// What each gate receives, by step id or gate id.
    #[serde(default)]
    gates: IndexMap<String, Vec<Reply>>,
    /// What the navigator says at each step, one entry a visit; the last one repeats. Where nothing is scripted it names no way.
    #[serde(default)]
    navigator: IndexMap<String, Vec<Chosen>>,
    /// How the run should end.
    #[serde(default)]
    pub expect: Option<Expect>,
}

/// What a navigator says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// The way it names.
    pub way: String,
    /// Why.
    #[serde(default)]
    pub reasons: String,
}

/// What a step does at one visit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What the agent reports.
    #[serde(default)]
    pub report: Fields,
    /// How the execution goes.
    #[serde(default = "succeeded")]
    pub status: ExecutionStatus,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// How long it takes. Where such times pass at once, what takes less ends first all the same.
    #[serde(default, deserialize_with = "length::deserialize")]
    pub takes: Duration,
    /// What the agent says.
    #[serde(default)]
    pub output: Option<String>,
    /// Files it writes, path → text; relative to the project, `RUN_BASE/…` to the run's folder.
    #[serde(default)]
    pub artifacts: IndexMap<String, String>,
    /// What becomes of its receipt.
    #[serde(default)]
    pub receipt: Receipt,
    /// Tools it uses, in order.
    #[serde(default)]
    pub tools: Vec<ToolEntry>,
    /// Tokens it uses.
    #[serde(default)]
    pub tokens: Tokens,
    /// Of several agents who carry out a step, what each says and makes instead.
    #[serde(default)]
    pub agents: IndexMap<AgentKey, Part>,
    /// Of a step that is tried again, what each attempt of this visit does instead; the last one repeats.
    #[serde(default)]
    pub attempts: Vec<Entry>,
    /// Of a step with tools, what each call comes to, by the tool's name; a tool not named answers nothing and well.
    #[serde(default)]
    pub calls: IndexMap<String, CallEntry>,
    /// Of a step that is validated: why its outputs do not pass; absent: they do.
    #[serde(default)]
    pub invalid: Option<String>,
    /// Of a runbook's step that a person carries out: instead of an answer the run is sent to this step.
    #[serde(default)]
    pub jump: Option<StepId>,
}

/// What a tool call comes to.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallEntry {
    /// Why it fails; absent: it does not.
    #[serde(default)]
    pub error: Option<String>,
    /// What it answers.
    #[serde(default)]
    pub output: Value,
}

/// What one of several agents does at a visit.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What the agent reports.
    #[serde(default)]
    pub report: Fields,
    /// How the execution goes; absent: as the step's.
    #[serde(default)]
    pub status: Option<ExecutionStatus>,
    /// Why it failed; absent: as the step's.
    #[serde(default)]
    pub error: Option<String>,
    /// How long it really takes; absent: as long as the step.
    #[serde(default, deserialize_with = "length::maybe")]
    pub takes: Option<Duration>,
    /// What the agent says.
    #[serde(default)]
    pub output: Option<String>,
    /// Files it writes, as in [`Entry::artifacts`].
    #[serde(default)]
    pub artifacts: IndexMap<String, String>,
}

/// What becomes of a receipt; both mean that routing sees no values at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// It is written and read.
    #[default]
    Readable,
    /// It is not there.
    Missing,
    /// It is there and broken.
    Unreadable,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolEntry {
    /// Which.
    pub tool: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
    /// Whether it worked.
    #[serde(default = "yes")]
    pub success: bool,
    /// What it answered.
    #[serde(default)]
    pub output: Value,
}

/// An answer to a gate.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// What.
    pub answer: Answer,
    /// Of `choose`: which way, as it is named: `advance:done`.
    #[serde(default)]
    pub way: Option<String>,
    /// Who.
    #[serde(default = "scenario")]
    pub by: String,
    /// Why.
    #[serde(default)]
    pub comment: String,
    /// How long the person thinks.
    #[serde(default, deserialize_with = "length::deserialize")]
    pub takes: Duration,
}

/// How the run should end; what is absent is not compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// `succeeded`, `failed`, `aborted`; `rejected`: a person rejected, and that decided it, which is no success; or `blocked`: it waits for a
    /// person.
    pub status: Option<String>,
    /// Steps in the order they were entered.
    pub path: Option<Vec<StepId>>,
    /// The run's error, or a part of it.
    pub error: Option<String>,
}

fn succeeded() -> ExecutionStatus {
    ExecutionStatus::Succeeded
}
fn yes() -> bool {
    true
}
fn scenario() -> String {
    "scenario".to_owned()
}

impl Entry {
    /// What a step does that the scenario does not name.
    pub fn success() -> Self {
        Self {
            report: Fields::new(),
            status: ExecutionStatus::Succeeded,
            error: None,
            takes: Duration::ZERO,
            output: None,
            artifacts: IndexMap::new(),
            receipt: Receipt::Readable,
            tools: Vec::new(),
            tokens: Tokens::default(),
            agents: IndexMap::new(),
            attempts: Vec::new(),
            calls: IndexMap::new(),
            invalid: None,
            jump: None,
        }
    }

    /// What this agent does: its own part, where several are told apart.
    pub fn of_agent(mut self, agent: &AgentKey) -> Self {
        if let Some(part) = self.agents.swap_remove(agent) {
            self.report = part.report;
            self.status = part.status.unwrap_or(self.status);
            self.error = part.error.or(self.error);
            self.takes = part.takes.unwrap_or(self.takes);
            self.output = part.output;
            self.artifacts = part.artifacts;
        }
        self
    }

    fn makes_files(&self) -> bool {
        let mut parts = self
            .agents
            .values()
            .map(|part| &part.artifacts)
            .chain([&self.artifacts]);
        parts.any(|files| !files.is_empty()) || self.attempts.iter().any(Self::makes_files)
    }

    fn put_files_at(&mut self, at: &dyn Fn(&str) -> String) {
        let parts = self.agents.values_mut().map(|part| &mut part.artifacts);
        for files in parts.chain([&mut self.artifacts]) {
            *files = std::mem::take(files)
                .into_iter()
                .map(|(path, text)| (at(&path), text))
                .collect();
        }
        self.attempts.iter_mut().for_each(|attempt| attempt.put_files_at(at));
    }
}

impl Scenario {
    /// Whether any step of it writes files.
    pub(crate) fn makes_files(&self) -> bool {
        self.steps.values().flatten().any(Entry::makes_files)
    }

    /// Reads a scenario; `path` names it where it gives no name, and is for messages.
    ///
    /// # Errors
    /// The text is no scenario; the fault names line and column. A misspelt key is a fault: a script that is silently
    /// not followed would prove nothing.
    pub fn parse(path: &Path, text: &str) -> Result<Self, FileFault> {
        let read = Self::kept(path, text)?;
        // Of two entries of one name the typed reading takes the last, and the other one is not followed.
        match serde_yaml::from_str::<serde_yaml::Value>(text) {
            Ok(_) => Ok(read),
            Err(error) => {
                let fault = FileFault::yaml(path, &error).placed(text);
                Err(fault.hint("Name each once: of two lists the first would not be followed."))
            }
        }
    }

    /// Reads what a run keeps of a scenario: it goes on as it was begun, also where the file would be refused by now.
    ///
    /// # Errors
    /// As of [`Scenario::parse`], but for what is named twice.
    pub(crate) fn kept(path: &Path, text: &str) -> Result<Self, FileFault> {
        nesting::bounded(text).map_err(|deep| FileFault::deep(path, deep))?;
        let mut read: Self = serde_yaml::from_str(text).map_err(|error| {
            FileFault::yaml(path, &error)
                .hint("A scenario has name, description, from, steps, gates, navigator and expect.")
        })?;
        if let Some(key) = empty_expectation(text) {
            return Err(FileFault::new(path, format!("`{key}` says nothing"))
                .placed(text)
                .hint("Say what is expected, or leave the key out: what expects nothing has passed nothing."));
        }
        if let Some((step, _)) = read.steps.iter().find(|(_, entries)| entries.is_empty()) {
            return Err(FileFault::new(path, format!("step `{step}` is named without an entry"))
                .hint("Give it one entry a visit, or leave it out: then it succeeds."));
        }
        if read.name.is_empty() {
            read.name = name_of(path);
        }
        Ok(read)
    }

    /// What this step does at its visit (1-based).
    pub fn entry(&self, step: &StepId, visit: u32) -> Option<&Entry> {
        let entries = self.steps.get(step.as_str())?;
        let index = usize::try_from(visit.saturating_sub(1)).unwrap_or(usize::MAX);
        entries.get(index).or(entries.last())
    }

    /// What this step does in an attempt of its visit; `tries`: how many of this visit there were before, those not counted that had
    /// to wait for a person.
    pub fn attempt(&self, step: &StepId, visit: u32, tries: u32) -> Option<&Entry> {
        let entry = self.entry(step, visit)?;
        let index = usize::try_from(tries).unwrap_or(usize::MAX);
        Some(entry.attempts.get(index).or(entry.attempts.last()).unwrap_or(entry))
    }

    /// How long such an attempt takes: of several agents as long as the slowest where they work together, else one after the other until
    /// one fails.
    pub(crate) fn takes(&self, step: &Step, agents: &[AgentKey], visit: u32, tries: u32) -> Duration {
        let Some(entry) = self.attempt(&step.id, visit, tries) else {
            return Duration::ZERO;
        };
        if agents.is_empty() {
            return entry.takes;
        }
        let part = |agent: &AgentKey| entry.agents.get(agent);
        let takes = |agent: &AgentKey| part(agent).and_then(|part| part.takes).unwrap_or(entry.takes);
        if step.parallel {
            return agents.iter().map(takes).max().unwrap_or_default();
        }
        let mut whole = Duration::ZERO;
        for agent in agents {
            whole = whole.saturating_add(takes(agent));
            let status = part(agent).and_then(|part| part.status).unwrap_or(entry.status);
            if status == ExecutionStatus::Failed {
                break;
            }
        }
        whole
    }

    /// What the navigator says at this step's visit (1-based).
    pub fn navigates(&self, step: &StepId, visit: u32) -> NavigatorSaid {
        let entries = self.navigator.get(step.as_str()).map_or(&[][..], Vec::as_slice);
        let index = usize::try_from(visit.saturating_sub(1)).unwrap_or(usize::MAX);
        match entries.get(index).or(entries.last()) {
            Some(chosen) => NavigatorSaid {
                way: Some(chosen.way.clone()),
                reasons: chosen.reasons.clone(),
                ..NavigatorSaid::default()
            },
            None => unscripted(),
        }
    }

    /// The same with other paths for the files that are written.
    pub(crate) fn with_files_at(mut self, at: impl Fn(&str) -> String) -> Self {
        let at: &dyn Fn(&str) -> String = &at;
        self.steps
            .values_mut()
            .flatten()
            .for_each(|entry| entry.put_files_at(at));
        self
    }

    /// What this gate's round receives; nothing when the scripted answers are used up.
    pub fn reply(&self, opened: &GateOpened) -> Option<&Reply> {
        let (_, replies) = self.replies(opened)?;
        replies.get(usize::try_from(opened.round.checked_sub(1)?).ok()?)
    }

    /// What a gate receives, and the key that it stands under: the gate's own id, else its step. Who says something of a step's result has
    /// not allowed what a tool does before it: that is answered under the gate's own id alone.
    fn replies(&self, opened: &GateOpened) -> Option<(&String, &Vec<Reply>)> {
        let own = self.gates.get_key_value(opened.gate.as_str());
        if own.is_some() || matches!(opened.why, GateReason::ToolApproval) {
            return own;
        }
        self.gates.get_key_value(opened.instance.step.as_str())
    }

    /// Names in the script that the workflow does not have, one sentence each.
    pub fn strangers(&self, workflow: &Workflow) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(from) = self.from.as_ref().filter(|from| workflow.step(from).is_none()) {
            out.push(format!(
                "the scenario begins at a step `{from}` that the workflow does not have"
            ));
        }
        for (id, entries) in &self.steps {
            let Some(step) = workflow.step(&id.as_str().into()) else {
                out.push(format!(
                    "the scenario scripts a step `{id}` that the workflow does not have"
                ));
                continue;
            };
            let agents = entries.iter().flat_map(|entry| entry.agents.keys());
            for agent in agents.filter(|agent| !step.agents.contains(agent)) {
                out.push(format!(
                    "the scenario scripts an agent `{agent}` that the step `{id}` does not have"
                ));
            }
        }
        for id in self.navigator.keys() {
            if workflow.step(&id.as_str().into()).is_none() {
                out.push(format!(
                    "the scenario says which way the navigator chooses after `{id}`, a step that the workflow does not have"
                ));
            }
        }
        for id in self.gates.keys() {
            let known = workflow.steps().iter().any(|step| {
                let may = || asks(step) || workflow.contract().next_reported || self.speaks_of_standards(id);
                let own = step.id.as_str() == id && may();
                own || gates_of(workflow, step).iter().any(|gate| gate.as_str() == id)
            });
            if !known {
                out.push(format!(
                    "the scenario answers a gate `{id}` that the workflow does not have"
                ));
            }
        }
        out
    }
}

impl Scenario {
    /// Whether a step reports something here that a project may have a standard for.
    fn speaks_of_standards(&self, step: &str) -> bool {
        let entries = self.steps.get(step).into_iter().flatten();
        let mut reports = entries.map(|entry| &entry.report);
        reports.any(|report| report.keys().any(|field| engine::Standard::of_field(field).is_some()))
    }
}

/// Whether the workflow has a person asked at a step: answers stand under its id.
pub fn asks(step: &Step) -> bool {
    step.gate.is_some() || matches!(step.work, model::Work::Prompt { .. }) || step.whether.is_some()
}

/// The gates that a step can open in a rehearsal: answers may stand under their ids, too.
pub fn gates_of(workflow: &Workflow, step: &Step) -> Vec<GateId> {
    let flow = &workflow.id;
    // A result below a standard, and an issue with earlier work, are asked about at any step.
    let mut gates = vec![GateId::quality(flow, &step.id), GateId::feedback(flow, &step.id)];
    if step.gate.is_some() || matches!(step.work, model::Work::Prompt { .. }) {
        gates.push(GateId::of(flow, &step.id));
    }
    if workflow.contract().next_reported {
        gates.push(GateId::way(flow, &step.id));
    }
    if step.whether.is_some() {
        gates.push(GateId::whether(flow, &step.id));
    }
    gates.extend(step.tools.iter().map(|call| {
        let own = || format!("tool:{}:{}", call.name, step.id);
        GateId::from(call.gate.clone().unwrap_or_else(own))
    }));
    gates
}

/// The key of an expectation that is there and expects nothing: every run would fit it.
fn empty_expectation(text: &str) -> Option<String> {
    let whole: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    let expect = whole.get("expect")?;
    let is_empty =
        |value: &serde_yaml::Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    let Some(each) = expect.as_mapping().filter(|each| !each.is_empty()) else {
        return Some("expect".to_owned());
    };
    let (key, _) = each.iter().find(|(_, value)| is_empty(value))?;
    Some(format!("expect.{}", key.as_str()?))
}

/// What is said for a navigator in a rehearsal whose script does not name it: nothing is executed.
pub(crate) fn unscripted() -> NavigatorSaid {
    NavigatorSaid {
        refused: Some("This is a rehearsal, and its script does not say what the navigator answers.".to_owned()),
        ..NavigatorSaid::default()
    }
}

/// `signal.scenarios/second_round.yaml` → `second round`.
fn name_of(path: &Path) -> String {
    let file = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = file
        .trim_end_matches(".yaml")
        .trim_end_matches(".yml")
        .trim_end_matches(".scenario");
    stem.replace(['_', '-'], " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "steps:\n  critic:\n    - {report: {status: UNVERIFIED}, takes: 150ms}\n    - report: {status: VERIFIED}\n  \
                        build: [{status: failed, error: compiler missing, receipt: missing}]\n\
                        gates:\n  plan: [{answer: changes, by: ann, comment: why}, {answer: approve}]\n";

    fn read() -> Scenario {
        Scenario::parse(Path::new("x.scenarios/second_round.yaml"), TEXT).expect("a valid scenario")
    }

    #[test]
    fn the_last_entry_repeats_and_a_step_not_named_has_none() {
        let scenario = read();
        assert_eq!(scenario.name, "second round");
        let status = |visit| {
            scenario
                .entry(&"critic".into(), visit)
                .map(|e| e.report["status"].clone())
        };
        assert_eq!(status(1), Some("UNVERIFIED".into()));
        assert_eq!(status(2), Some("VERIFIED".into()));
        assert_eq!(status(7), Some("VERIFIED".into()));
        assert_eq!(
            scenario.entry(&"critic".into(), 1).map(|e| e.takes),
            Some(Duration::from_millis(150))
        );
        let build = scenario.entry(&"build".into(), 1).expect("it is named");
        assert_eq!(
            (build.status, build.receipt),
            (ExecutionStatus::Failed, Receipt::Missing)
        );
        assert!(scenario.entry(&"other".into(), 1).is_none());
    }

    #[test]
    fn answers_are_used_up() {
        let scenario = read();
        let reply = |round| {
            let opened = json!({
                "gate": "w:plan:hitl", "instance": {"step": "plan", "visit": 1}, "round": round, "at": "after",
                "requirement": "required", "question": "?", "why": "explicit human gate",
            });
            let opened: GateOpened = serde_json::from_value(opened).expect("a gate");
            scenario.reply(&opened).map(|r| r.answer)
        };
        assert_eq!(
            (reply(1), reply(2), reply(3)),
            (Some(Answer::Changes), Some(Answer::Approve), None)
        );
    }

    #[test]
    fn misspelt_scripts_are_faults_with_a_place() {
        for (text, line, says) in [
            ("steps:\n  a:\n    - {raport: {}}\n", 3, "raport"),
            ("steps:\n  a:\n    - {status: done}\n", 3, "done"),
            ("gates:\n  a: [{answer: maybe}]\n", 2, "maybe"),
            ("steps:\n  a: [{takes: soon}]\n", 2, "length of time"),
            (
                "name: t\ngates:\n  a: [{answer: reject, comment: n}]\n  a: [{answer: approve}]\n",
                2,
                "duplicate entry with key \"a\"",
            ),
            (
                "steps:\n  b: [{status: failed}]\n  b: [{status: succeeded}]\n",
                1,
                "duplicate entry with key \"b\"",
            ),
            (
                "steps:\n  b: [{report: {v: 1, v: 2}}]\n",
                2,
                "duplicate entry with key \"v\"",
            ),
        ] {
            let fault = Scenario::parse(Path::new("s.yaml"), text).expect_err(text);
            assert_eq!(fault.line, Some(line), "{fault}");
            assert!(fault.message.contains(says), "{fault}");
        }
        let twice = "steps:\n  b: [{status: failed}]\n  b: [{status: succeeded}]\n";
        let kept = Scenario::kept(Path::new("s.yaml"), twice).expect("a run that was begun with it goes on");
        let entry = kept.entry(&"b".into(), 1).expect("the last of the two");
        assert_eq!(entry.status, ExecutionStatus::Succeeded);
        assert!(Scenario::parse(Path::new("s.yaml"), "steps: {a: []}").is_err());
        for (text, says) in [
            ("name: x\nexpect: {}\n", "`expect` says nothing"),
            ("name: x\nexpect:\n", "`expect` says nothing"),
            ("name: x\nexpect: {path: }\n", "`expect.path` says nothing"),
            (
                "name: x\nexpect: {status: failed, error: \"\"}\n",
                "`expect.error` says nothing",
            ),
        ] {
            let fault = Scenario::parse(Path::new("s.yaml"), text).expect_err(text);
            assert_eq!((fault.message.as_str(), fault.line), (says, Some(2)), "{fault}");
        }
        assert!(
            Scenario::parse(Path::new("s.yaml"), "expect: {path: []}").is_ok(),
            "no step is entered"
        );
    }

    #[test]
    fn each_of_several_agents_has_a_part() {
        let text = "steps:\n  design:\n    - takes: 2s\n      output: Done.\n      artifacts: {all.md: x}\n      agents:\n        \
                    architect: {output: Three parts., takes: 1s, artifacts: {parts.md: y}}\n        nobody: {}\n";
        let scenario = Scenario::parse(Path::new("s.yaml"), text).expect("a valid scenario");
        let entry = scenario.entry(&"design".into(), 1).expect("it is named");
        let of = |agent: &str| entry.clone().of_agent(&AgentKey::new(agent));
        let seconds = |entry: &Entry| entry.takes.as_secs();
        let (architect, nobody, other) = (of("architect"), of("nobody"), of("ux-designer"));
        assert_eq!(
            (architect.output.as_deref(), seconds(&architect)),
            (Some("Three parts."), 1)
        );
        assert_eq!(architect.artifacts.keys().collect::<Vec<_>>(), ["parts.md"]);
        assert_eq!((nobody.output, nobody.artifacts.len()), (None, 0));
        assert_eq!((other.output.as_deref(), seconds(&other)), (Some("Done."), 2));

        let mut step = model::Step::new("design", 0);
        step.agents = vec![AgentKey::new("architect")];
        let workflow = Workflow::new("w".into(), "W".into(), model::Format::Pipeline, vec![step]);
        assert_eq!(
            scenario.strangers(&workflow),
            ["the scenario scripts an agent `nobody` that the step `design` does not have"]
        );
    }

    #[test]
    fn strangers_are_named() {
        let workflow = Workflow::new(
            "w".into(),
            "W".into(),
            model::Format::Stepwise,
            vec![model::Step::new("critic", 0)],
        );
        let found = read().strangers(&workflow);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`build`") && found[1].contains("`plan`"));
    }
}
