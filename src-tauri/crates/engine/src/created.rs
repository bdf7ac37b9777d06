//! What a run is created from, and the run that it goes on from: the first event of its log.
//!
//! Persisted: fields are only ever added, with a default.

use crate::words::fixed_words;
use crate::{At, Choosing, Digest, GatePolicy, GateRules, Instance, Limits, RunId, Standards, TookPart};
use model::{AgentKey, Fields, StepId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Version of the persisted event form.
pub const EVENT_VERSION: u32 = 1;

/// What a run is created from: its first event ([`crate::Event::RunCreated`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCreated {
    /// [`EVENT_VERSION`] of the log.
    pub version: u32,
    /// Which run.
    pub run_id: RunId,
    /// The workflow's id (`flow_key` of seed 001).
    pub workflow: model::WorkflowId,
    /// The keys of its flows, in their order, where it has several (`flows` of seed 001).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// Its title at the time.
    pub title: String,
    /// Its contract.
    pub format: model::Format,
    /// Path of the source, relative to the project, with `/`.
    pub path: String,
    /// Blob of the source text: the version this run keeps.
    pub source: Digest,
    /// The file of instructions that stands in that text behind the workflow's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<FileRef>,
    /// `desktop`, `cli`, `test`: who asked for the run.
    pub initiator: String,
    /// The person who started it.
    #[serde(default)]
    pub by: String,
    /// Their public key, in hexadecimal digits; kept where only somebody else may approve ([`GatePolicy::four_eyes`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_with: Option<String>,
    /// Of a run inside another one, where only somebody else may approve: who had begun the runs around it, or carried a step out there, when this
    /// one was begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<TookPart>,
    /// What this run is about, in the words of whoever started it, or an answer given at the start: what tells it from other runs
    /// of its workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Values given at the start.
    #[serde(default)]
    pub inputs: Fields,
    /// Engine of each agent of the workflow; the key `*` is the default.
    pub engines: BTreeMap<AgentKey, EngineInfo>,
    /// Blob and name of the scenario that scripts the run, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioRef>,
    /// A rehearsal: nothing of it happens for real, so that nothing of it counts. Ask [`RunCreated::is_rehearsal`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub rehearsal: bool,
    /// Limits and policy at the time.
    pub limits: Limits,
    /// The project's policy of human gates at the time.
    #[serde(default, skip_serializing_if = "GatePolicy::is_default")]
    pub policy: GatePolicy,
    /// Who decides where the rules leave more than one way.
    #[serde(default, skip_serializing_if = "Choosing::is_default")]
    pub choosing: Choosing,
    /// Blob of the project's configuration at the time: the tools, servers, checks and guardrails of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Digest>,
    /// What holds for everything that the project does, as it stood at the time: constraints, preferences, quality standards and what it
    /// is for (seed 003 `global_context`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_context: Option<Arc<Fields>>,
    /// What sort of work its workflow says it is for ([`model::Workflow::kind`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What placeholders in paths stand for at the time: `output_folder` → `docs` (seed 000 "Output layout enforcement").
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, String>,
    /// The step of another run that this one carries out (a runbook in a runbook, seed 002 "Runbooks").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentRun>,
    /// The run that this one goes on from, with a mended workflow: its events stand in this log behind the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<Arc<Continued>>,
    /// A rehearsal that begins in the middle, at this step: what does not follow it is not rehearsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_at: Option<StepId>,
    /// A session of elsewhere that was taken in: [`RunCreated::source`] is its document, and nothing of it was carried out here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Arc<Imported>>,
    /// A person is asked for the outcome of every step; nothing is executed (`--prompted`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompted: bool,
    /// Who started the run permitted everything that would be asked for, in the runs inside it too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub permitted: bool,
    /// Steps given to somebody at the start: over what the workflow says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assigned: BTreeMap<StepId, AgentKey>,
    /// What a step may do only when a person permits it, in words; steps that need nobody's permission are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<StepId, Vec<String>>,
    /// What steps were kept from by reading scripts alone, in words, on the machine where the run was started; empty: the kernel held all. Absent in
    /// rehearsals, and in logs that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_read: Option<Vec<String>>,
    /// The workflows that its steps run, by path, as they stood when it was begun; of a run inside another one, as when the outermost one was.
    /// Absent: what was not there then, and all in logs that do not say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub listed: BTreeMap<String, Digest>,
    /// Of a run inside another one: its workflow had been changed since that one was begun.
    #[serde(default, skip_serializing_if = "is_false")]
    pub changed_since: bool,
}

impl RunCreated {
    /// A run of a workflow as its file stands, begun by nobody in particular, with the limits and policies of a project that
    /// says nothing. `path`: of its file; `source`: blob of its text; `initiator`: who asks for the run.
    pub fn new(
        run_id: impl Into<RunId>,
        workflow: &model::Workflow,
        path: impl Into<String>,
        source: impl Into<Digest>,
        initiator: impl Into<String>,
    ) -> Self {
        Self {
            version: EVENT_VERSION,
            run_id: run_id.into(),
            workflow: workflow.id.clone(),
            flows: Vec::new(),
            title: workflow.title.clone(),
            format: workflow.format,
            path: path.into(),
            source: source.into(),
            instructions: None,
            initiator: initiator.into(),
            by: String::new(),
            begun_with: None,
            hands: Vec::new(),
            subject: None,
            inputs: Fields::new(),
            engines: BTreeMap::new(),
            scenario: None,
            rehearsal: false,
            limits: Limits::default(),
            policy: GatePolicy::default(),
            choosing: Choosing::default(),
            config: None,
            global_context: None,
            kind: None,
            folders: BTreeMap::new(),
            parent: None,
            continues: None,
            begins_at: None,
            imported: None,
            prompted: false,
            permitted: false,
            assigned: BTreeMap::new(),
            permissions: BTreeMap::new(),
            only_read: None,
            listed: BTreeMap::new(),
            changed_since: false,
        }
    }

    /// Whether nothing of this run happens for real. Runs of older versions are rehearsals when a scenario scripts them.
    pub fn is_rehearsal(&self) -> bool {
        self.rehearsal || self.scenario.is_some()
    }

    /// The flow that a step belongs to, by its key, and the id that the flow's own file gives the step (seed 001
    /// `flow_key`, `step_id`). A run of one flow has one key for all.
    pub fn in_flow<'a>(&'a self, step: &'a str) -> (&'a str, &'a str) {
        let inside = step.split_once('/');
        match inside.filter(|(key, _)| self.flows.iter().any(|flow| flow == key)) {
            Some(found) => found,
            None => (self.workflow.as_str(), step),
        }
    }

    /// The keys of the run's flows, in their order (seed 001 `run_created.flows`).
    pub fn flow_keys(&self) -> Vec<&str> {
        match self.flows.is_empty() {
            true => vec![self.workflow.as_str()],
            false => self.flows.iter().map(String::as_str).collect(),
        }
    }

    /// What steps of this run are to reach at least.
    pub fn standards(&self) -> Standards {
        Standards::of(self.global_context.as_deref())
    }

    /// What decides in this run whether a gate stops it.
    pub fn gate_rules(&self) -> GateRules<'_> {
        GateRules {
            policy: &self.policy,
            limits: &self.limits,
        }
    }
}

impl<'a> GateRules<'a> {
    /// Those of a run; of none the defaults.
    pub fn of(created: Option<&'a RunCreated>) -> Self {
        created.map_or_else(GateRules::default, RunCreated::gate_rules)
    }
}

/// The step of a run that another run carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentRun {
    /// Which run.
    pub run: RunId,
    /// Which visit of which step.
    pub instance: Instance,
    /// Which of the step's runbooks, 0-based.
    pub index: u32,
    /// How many runs are around this one: 1 for a child, 2 for a child's child.
    pub depth: u32,
}

/// A file of the project in the version that a run keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Its path, relative to the project, with `/`.
    pub path: String,
    /// Blob of its text.
    pub source: Digest,
}

/// Which scenario scripts a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioRef {
    /// Its name.
    pub name: String,
    /// Blob of its text.
    pub source: Digest,
}

fixed_words! {
    /// What kind of thing carries work out (`engine` of seed 001's receipts and events). Logs of other programs and of
    /// other versions name others.
    pub enum EngineKind {
        /// Nobody: plays a step in a rehearsal.
        Stub = "stub-step",
        /// A command line of gatehouse.yaml, read by a shell.
        Shell = "shell-step",
        /// A program with arguments of gatehouse.yaml.
        Command = "command-step",
        /// A script of the workflow itself, for bash.
        Bash = "bash-step",
        /// A script of the workflow itself, for sh.
        Sh = "sh-step",
        /// Other workflows, each a run of its own.
        Runbook = "runbook-step",
        /// A person, who says how it went.
        Person = "person-step",
    }
}

impl EngineKind {
    /// What people and names of files call it: the word without `-step`.
    pub fn short(&self) -> &str {
        let word = self.as_str();
        word.strip_suffix("-step").unwrap_or(word)
    }
}

/// What carries out the work of an agent (receipt fields of seed 001).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// Identifier in receipts and events.
    pub engine: EngineKind,
    /// Suffix of transcript files ([`EngineKind::short`]); logs of other programs may have one of their own.
    pub short: String,
    /// `stub`, `sdk` or `cli`.
    pub mode: String,
    /// `local`: whose model answers is known when it has answered ([`StepResult::answered`]). Logs of older versions hold what was
    /// configured.
    pub provider: String,
    /// `none`, likewise.
    pub model: String,
    /// The program that is run, for people; empty for the stub.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The model that gatehouse.yaml asks the program to use. It is told so; that is no claim about what answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<Box<ModelName>>,
}

/// A model and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelName {
    /// API provider; `local` where nobody else is asked.
    pub provider: String,
    /// Model identifier; `none` where no model answers.
    pub model: String,
}

impl EngineInfo {
    fn local(engine: EngineKind, mode: &str, command: String) -> Self {
        Self {
            short: engine.short().to_owned(),
            engine,
            mode: mode.to_owned(),
            provider: "local".to_owned(),
            model: "none".to_owned(),
            command,
            wants: None,
        }
    }

    /// Plays a step in a rehearsal: nothing is executed. In a run for real it stands for nobody.
    pub fn stub() -> Self {
        Self::local(EngineKind::Stub, "stub", String::new())
    }

    /// A program of the project: [`EngineKind::Shell`] for a command line, [`EngineKind::Command`] for a program with
    /// arguments.
    pub fn program(engine: EngineKind, command: String) -> Self {
        Self::local(engine, "cli", command)
    }

    /// A command that stands in the workflow itself, by its language: `bash`; `sh` and `shell` are `sh`.
    pub fn script(language: &str, script: &str) -> Self {
        let shell = match language {
            "bash" => EngineKind::Bash,
            _ => EngineKind::Sh,
        };
        Self::local(shell, "cli", script.to_owned())
    }

    /// Other workflows, each a run of its own.
    pub fn runbooks(files: &[String]) -> Self {
        Self::local(EngineKind::Runbook, "cli", files.join("\n"))
    }

    /// A person, who says how it went.
    pub fn person() -> Self {
        Self::local(EngineKind::Person, "cli", String::new())
    }

    /// Whether it is nobody: the stand-in of rehearsals.
    pub fn is_stub(&self) -> bool {
        self.engine == EngineKind::Stub
    }

    /// Whether it is a run of its own: it holds no process, so that it can be let go of and taken up at any time.
    pub fn is_run(&self) -> bool {
        self.engine == EngineKind::Runbook
    }

    /// Whether it mostly waits, and nothing is carried out meanwhile: a run inside, whose steps are counted there, or a person.
    pub fn only_waits(&self) -> bool {
        self.is_run() || self.is_person()
    }

    /// Whether a person does it.
    pub fn is_person(&self) -> bool {
        self.engine == EngineKind::Person
    }
}

/// The earlier run that a run goes on from. Its events stand in the log of the new one unchanged and with their numbers, all but the
/// first, so that what was done is not done again, and whatever was signed in it can still be checked: the links of its own log follow
/// from its first event, kept here, and from those.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continued {
    /// When it was created.
    pub at: At,
    /// What it was created from.
    pub created: Arc<RunCreated>,
    /// How many events it had, its first included: up to this number the events of the new log are its.
    pub events: u64,
    /// The link of the last of them in its own log, in hexadecimal digits.
    pub link: String,
    /// It goes back to a checkpoint of that run (seed 003): which, in words. Absent: it goes on from the end, with a mended workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_to: Option<String>,
    /// What a person had put back into the project before it began: files as they were at that moment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<PutBack>,
    /// Files that the steps of that run had left in its folder: the steps of this one find them in theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working: Vec<Working>,
    /// Gates of that run's workflow that the mended one has no more, that ask less in it, or past which it leads: what nobody is asked any more
    /// is on record. Empty: there are none; and in logs that do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ungated: Vec<Ungated>,
}

/// A gate of an earlier run's workflow that is gone from the mended one, that asks a person less there, or past which ways lead there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ungated {
    /// The step that it belonged to.
    pub step: StepId,
    /// What that step was called.
    pub name: String,
    /// The step has a gate still, which asks less, or only after the work, or past which the run may come to its end, or another condition says
    /// whether the step is done.
    #[serde(default, skip_serializing_if = "is_false")]
    pub asks_less: bool,
    /// What a step is called to which every way led through the gate, and now none has to; with [`Ungated::asks_less`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
}

impl Ungated {
    /// The same as a sentence.
    pub fn words(&self) -> String {
        match (&self.not_before, self.asks_less) {
            (Some(step), _) => format!(
                "The gate at “{}” does not always come before “{step}” any more.",
                self.name
            ),
            (None, true) => format!("The gate at “{}” asks a person less, or later, than it did.", self.name),
            (None, false) => format!("The gate at “{}” is gone.", self.name),
        }
    }
}

/// A file that the steps of a run work with in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Working {
    /// In the run's folder, with `/`.
    pub name: String,
    /// What it holds.
    pub digest: Digest,
    /// It can be carried out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub executable: bool,
}

/// A session (seed 003) that was taken in from elsewhere. Its document is the source of the run; this log says nothing of it besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// What the document calls itself (`session_id`); empty: nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// How many rules of the schema it breaks.
    #[serde(default, skip_serializing_if = "is_none")]
    pub breaks: u32,
    /// Blob of the same as JSON that keeps the schema, what breaks it put aside; absent: the source is that already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Digest>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// A file of the project that is put back to what it was at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutBack {
    /// Relative to the project, with `/`.
    pub path: String,
    /// What it becomes; absent: it was not there then, and goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Digest>,
    /// What it was before; absent: it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Digest>,
    /// Whether it could be executed then, which is so again; absent: that was not recorded, or it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
}

impl Continued {
    /// The earlier run.
    pub fn run(&self) -> &RunId {
        &self.created.run_id
    }
}

impl RunCreated {
    /// What the run was created from in whose own log the event with this number was recorded: this one, or one that it goes on from.
    pub fn recorded(&self, seq: u64) -> &Self {
        match &self.continues {
            Some(earlier) if seq <= earlier.events => earlier.created.recorded(seq),
            _ => self,
        }
    }

    /// The runs that this one goes on from, the latest first.
    pub fn earlier(&self) -> impl Iterator<Item = &Continued> {
        std::iter::successors(self.continues.as_deref(), |earlier| {
            earlier.created.continues.as_deref()
        })
    }

    /// Which events of this run's log were taken over from another one, in their order: from each run those that were recorded in it.
    pub fn taken_over(&self) -> Vec<(&RunId, RangeInclusive<u64>)> {
        let mut runs: Vec<&Continued> = self.earlier().collect();
        runs.reverse();
        // The first event is this run's own.
        let mut next = 2;
        let mut taken = Vec::with_capacity(runs.len());
        for one in runs {
            if one.events >= next {
                taken.push((one.run(), next..=one.events));
                next = one.events + 1;
            }
        }
        taken
    }

    /// When the run was created that went on behind the event with this number, where that is the last one that it took over from the run before it.
    /// `created_at`: when this run was created itself.
    pub fn went_on(&self, seq: u64, created_at: Option<At>) -> Option<At> {
        let mut began = created_at;
        for earlier in self.earlier() {
            if earlier.events == seq {
                return began;
            }
            began = Some(earlier.at);
        }
        None
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_called_in_logs_as_the_contract_calls_them() {
        let words = [
            "stub-step",
            "shell-step",
            "command-step",
            "bash-step",
            "sh-step",
            "runbook-step",
            "person-step",
        ];
        assert!(EngineKind::ALL.iter().map(EngineKind::as_str).eq(words));
        // What another program or version wrote is read, and written as it was.
        for word in words.into_iter().chain(["claude-step", "claude", ""]) {
            let kind = EngineKind::from(word);
            let json = serde_json::to_string(&kind).expect("written");
            assert_eq!(json, format!("\"{word}\""));
            assert_eq!(serde_json::from_str::<EngineKind>(&json).expect("read"), kind);
            assert_eq!(matches!(kind, EngineKind::Other(_)), !words.contains(&word));
        }
        let script = EngineInfo::script("shell", "true");
        assert_eq!((script.engine, script.short.as_str()), (EngineKind::Sh, "sh"));
        assert_eq!(EngineKind::from("claude").short(), "claude");
    }
}
