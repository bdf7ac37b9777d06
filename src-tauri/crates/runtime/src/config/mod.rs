//! `gatehouse.yaml` at a project's root: limits, gate policy, and which engine does the work of which agent.
//!
//! ```yaml
//! version: 1
//! runtime: {step_timeout_seconds: 1800, max_retries: 0, backoff_seconds: 0}
//! hitl: {policy: {conditional_required: false, recommended_required: false}}
//! agents:
//!   legal: person                              # a person does it and says how it went
//!   document-checker: {engine: shell, run: "sh scripts/check.sh"}
//!   contract-reader: {engine: command, run: ["python3", "agents/read.py"], model: my-model, provider: local}
//!   "*": {engine: command, run: ["my-agent"]}  # every agent that is not named
//! timezone: Europe/Paris                      # of the times in reports; UTC where it is not given
//! permissions: {mode: ask, run: {allow: ["npm test"], deny: ["curl *"]}}   # see the crate `permission`
//! limits: {memory: 2GiB, processes: 200, file: 1GiB}   # what each process of a step may use up
//! enforcement: required                       # nothing runs where the kernel does not hold all that steps are kept from
//! environment: {pass: [MODEL_API_KEY]}         # secrets are kept from commands unless they are named here
//! ```
//!
//! Everything is optional. A run keeps what held when it was created (`RunCreated.engines`, `.limits`): a later change of
//! this file does not touch it. An agent that nobody is bound to does no work: a run for real is refused then (`unbound`).

mod binding;
mod bounds;
mod choosing;
pub mod global;
mod hitl;
mod operator;
mod step_settings;
mod unheard;

pub use hitl::{TIME_TO_ANSWER, answer_within, answer_within_written};
pub use operator::OPERATOR_FILE;
pub use step_settings::{Guardrails, StepSettings};

use crate::file_fault::FileFault;
use binding::Binding;
use engine::{Choosing, EngineInfo, GatePolicy, GateRules, Limits, plain_name};
use hitl::RawHitl;
use model::{AgentKey, Feedback, StepId, Workflow};
use operator::{Operator, Unusable};
use permission::Permissions;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_yaml::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use store::regular::{self, LARGEST_SETTINGS, NotRead};
use tool::nesting;

/// Name of the file.
pub const CONFIG_FILE: &str = "gatehouse.yaml";
/// The name that it is given by mistake: nothing of that file is read.
pub const MISNAMED_CONFIG_FILE: &str = "gatehouse.yml";
/// Stands for every agent that is not named.
pub const ANY_AGENT: &str = "*";
/// Names of agents that mean a person, whatever [`ANY_AGENT`] is bound to: a program would say that it had held the meeting.
const PEOPLE: [&str; 3] = ["person", "human", "user"];

/// What the file says, defaults applied.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Limits and gate policy for new runs.
    pub limits: Limits,
    /// Whether the file itself says how many stages may be at work at once.
    says_parallel: bool,
    /// What the file itself says of feedback.
    feedback: Feedback,
    /// The policy of human gates beside the two toggles in the limits.
    pub policy: GatePolicy,
    /// What placeholders in paths stand for: `output_folder`, `template_folder`, `bmb_creations_output_folder` (seed 000).
    pub folders: BTreeMap<String, String>,
    /// Environment variables that reach commands although their names look like secrets.
    pub pass: Vec<String>,
    /// What scripts and commands may run, read, write and use.
    pub permissions: Permissions,
    /// What each process of a step may use up.
    pub bounds: process::Limits,
    /// Nothing runs for real where reading alone keeps a part of what steps are kept from.
    pub enforced: bool,
    /// Who decides the way on where a workflow's rules leave more than one.
    pub choosing: Choosing,
    /// Tools, servers, checks, guardrails and evidence: what happens around a step's work (seed 000).
    pub around: StepSettings,
    /// Where the readers of reports are; absent: times stand in UTC.
    pub timezone: Option<chrono_tz::Tz>,
    /// The folder of the project's pipelines, relative to the project; absent: `_bmad-output/pipelines` where that exists, else
    /// `pipelines`.
    pub pipelines: Option<String>,
    /// What a person tries first in this project, as a rehearsal.
    pub first_try: Option<FirstTry>,
    /// What means nothing to Gatehouse, or takes gates away: each with the file that it stands in, relative to the project.
    pub notes: Vec<FileFault>,
    agents: BTreeMap<AgentKey, Binding>,
}

/// Who does the work of an agent that the file does not bind by that very name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise<'a> {
    /// Whoever is bound to this name, which differs in nothing but capital letters and the blanks around it.
    Alike(&'a AgentKey, &'a EngineInfo),
    /// A person: the name says so.
    Person,
    /// Whoever is bound to [`ANY_AGENT`].
    AsEveryOther(&'a EngineInfo),
    /// Nobody.
    Nobody,
}

/// A decision to begin with: a workflow and the scenario that leads it to a person (`try: {workflow: …, scenario: …}`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a block with `workflow` and `scenario`")]
pub struct FirstTry {
    /// Path of the workflow, relative to the project.
    pub workflow: String,
    /// Path of the scenario, relative to the project.
    pub scenario: String,
}

impl Config {
    /// Reads `gatehouse.yaml` in `root`; a project without one gets the defaults.
    ///
    /// # Errors
    /// The file is there but cannot be read or used; the fault names line and column.
    pub fn load(root: &Path) -> Result<Self, FileFault> {
        Self::of_file(root, Self::operator(root)?)
    }

    fn operator(root: &Path) -> Result<Operator, FileFault> {
        operator::read(root).map_err(|why| {
            let path = root.join(OPERATOR_FILE);
            match why {
                Unusable::Deep(deep) => FileFault::deep(&path, deep),
                Unusable::Yaml(error) => {
                    FileFault::yaml(&path, &error).hint("Gatehouse reads `hitl.policy` in it, as in gatehouse.yaml.")
                }
                Unusable::Unread(why) => {
                    FileFault::new(path, why).hint("Put an ordinary file there that you may read, or remove it.")
                }
            }
        })
    }

    fn of_file(root: &Path, operator: Operator) -> Result<Self, FileFault> {
        let path = root.join(CONFIG_FILE);
        let text = match Self::text(root) {
            Ok(text) => text,
            Err(NotRead::Missing) => {
                if let Some(fault) = nearly_named(root, MISNAMED_CONFIG_FILE, CONFIG_FILE) {
                    return Err(fault);
                }
                String::new()
            }
            Err(error) => {
                return Err(FileFault::new(path, format!("the file cannot be read: {error}"))
                    .hint("Put an ordinary file there that you may read, or remove it to use the defaults."));
            }
        };
        let mut config = Self::read(&path, &text, operator, false)?;
        config
            .notes
            .extend(unread_beside(root, MISNAMED_CONFIG_FILE, CONFIG_FILE));
        let permissions = &mut config.permissions;
        permissions.base.spelling = tool::spelling::of(root);
        let overrides = permissions.overrides.iter_mut();
        let of_workflows = overrides.flat_map(|one| [&mut one.rules.read, &mut one.rules.write]);
        let all = [&mut permissions.base.read, &mut permissions.base.write];
        for rules in all.into_iter().chain(of_workflows) {
            rules.allow.iter_mut().for_each(|rule| straighten(root, rule));
            rules.deny.iter_mut().for_each(|rule| straighten(root, rule));
        }
        Ok(config)
    }

    /// The text of `gatehouse.yaml` as it is now. A link may lead to another file of the project, not out of it.
    pub(crate) fn text(root: &Path) -> Result<String, NotRead> {
        let path = root.join(CONFIG_FILE);
        if path.symlink_metadata().is_ok_and(|there| there.is_symlink()) {
            let inside = root
                .canonicalize()
                .and_then(|root| Ok(path.canonicalize()?.starts_with(root)));
            if !inside.unwrap_or(false) {
                return Err(NotRead::NotAFile("a link that leads out of the project"));
            }
        }
        regular::read_text_through(&path, LARGEST_SETTINGS)
    }

    /// The file alone, without what the operator's says.
    ///
    /// # Errors
    /// Those of [`Config::load`] that are its own.
    pub fn own(root: &Path) -> Result<Self, FileFault> {
        Self::of_file(root, Operator::default())
    }

    /// Where the project's pipelines lie, of a file that may not be usable for a start: who looks at what there is or stops it needs no more of
    /// it. `None`: it cannot be read at all.
    pub fn only_pipelines(root: &Path) -> Option<Self> {
        let text = match Self::text(root) {
            Ok(text) => text,
            Err(NotRead::Missing) => String::new(),
            Err(_) => return None,
        };
        let text = without_mark(&text);
        nesting::bounded(text).ok()?;
        let whole: Value = serde_yaml::from_str(text).ok()?;
        let folder = match whole.get("pipelines") {
            None | Some(Value::Null) => None,
            Some(block) => Some(block.as_mapping()?.get("folder")),
        };
        let pipelines = match folder.flatten() {
            None | Some(Value::Null) => None,
            Some(folder) => Some(folder.as_str()?.to_owned()),
        };
        Some(Self {
            pipelines,
            ..Self::default()
        })
    }

    /// Everything that keeps a project's settings from being used, each file by itself.
    pub fn faults(root: &Path) -> Vec<FileFault> {
        let operator = Self::operator(root).err();
        operator.into_iter().chain(Self::own(root).err()).collect()
    }

    /// Who decides the way on in a run of this workflow: only steps of some formats report where to go on.
    pub fn choosing_of(&self, workflow: &Workflow) -> Choosing {
        match workflow.contract().next_reported {
            true => self.choosing.clone(),
            false => Choosing::default(),
        }
    }

    /// The limits of a new run of this workflow, which may bound feedback more tightly than the file. A rehearsal starts no program that
    /// would need a core: without a limit of the file's own it has none on how many stages go on at once.
    pub fn limits_of(&self, workflow: &Workflow, rehearsal: bool) -> Limits {
        let feedback = self.feedback.clone().together(Feedback::of(workflow));
        Limits {
            parallel: match rehearsal && !self.says_parallel {
                true => u32::MAX,
                false => self.limits.parallel,
            },
            feedback_rounds: feedback.rounds.unwrap_or(self.limits.feedback_rounds),
            feedback_ms: feedback.ms.unwrap_or(self.limits.feedback_ms),
            ..self.limits
        }
    }

    /// What the file itself says of feedback.
    pub fn feedback(&self) -> &Feedback {
        &self.feedback
    }

    /// The defaults: four stages at once for each of the machine's processor cores, because most of what stages start waits for something
    /// else, agents for their models.
    fn of_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let limits = Limits {
            parallel: u32::try_from(cores).unwrap_or(u32::MAX).saturating_mul(4),
            ..Limits::default()
        };
        Self {
            limits,
            folders: folders(RawFolders::default()),
            ..Self::default()
        }
    }

    /// Reads the text of the file; `path` is for messages only.
    ///
    /// # Errors
    /// See [`Config::load`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, FileFault> {
        Self::read(path, text, Operator::default(), false)
    }

    /// Reads what a run keeps of the file: what it was begun with holds, also where another file of these words would be refused by now.
    pub(crate) fn kept(text: &str) -> Result<Self, FileFault> {
        Self::read(Path::new(CONFIG_FILE), text, Operator::default(), true)
    }

    fn read(path: &Path, text: &str, operator: Operator, is_kept: bool) -> Result<Self, FileFault> {
        let text = without_mark(text);
        let placed = |fault: FileFault| {
            let fault = fault.placed(text);
            let hint = hint(fault.key().first().copied());
            fault.hint(hint)
        };
        let fault = |error: &serde_yaml::Error| placed(FileFault::yaml(path, error));
        nesting::bounded(text).map_err(|deep| FileFault::deep(path, deep))?;
        // The untyped reading finds doubled keys and shows which keys mean nothing; the typed one gives places.
        let whole: Value = serde_yaml::from_str(text).map_err(|e| fault(&e))?;
        let text = if whole.is_null() { "{}" } else { text };
        let raw: Raw = serde_yaml::from_str(text).map_err(|e| fault(&e))?;
        if let Some(version) = raw.version.filter(|v| *v != 1) {
            let fault = FileFault::new(
                path,
                format!("`version` is {version}, which this Gatehouse does not know"),
            );
            return Err(placed(fault).hint("Use `version: 1`, or a newer Gatehouse."));
        }
        let names = raw.agents.iter().flatten().map(|(name, _)| name.as_str());
        let refused = || unheard::unheard(&whole).or_else(|| bound_twice(names));
        if let Some((said, hint)) = (!is_kept).then(refused).flatten() {
            return Err(FileFault::new(path, said).placed(text).hint(hint));
        }
        let defaults = Self::of_this_machine().limits;
        let runtime = raw.runtime.unwrap_or_default();
        let mut hitl = raw.hitl.unwrap_or_default().or(operator.policy);
        let policy = hitl.policy.take().unwrap_or_default();
        let wanted = hitl.answer_within();
        let mut gates = GatePolicy {
            mode: hitl.mode,
            required_phases: policy.required_phases.unwrap_or_default(),
            conditional_phases: policy.conditional_phases.unwrap_or_default(),
            high_risk_keywords: policy.high_risk_keywords.unwrap_or_default(),
            conditional_keywords: policy.conditional_keywords.unwrap_or_default(),
            four_eyes: hitl.four_eyes.unwrap_or_default(),
            answer_within_ms: wanted.as_ref().ok().copied().flatten(),
            medium_tools: false,
        };
        let limits = Limits {
            max_retries: runtime.max_retries.unwrap_or(defaults.max_retries),
            backoff_ms: runtime.backoff_seconds.map_or(defaults.backoff_ms, |s| s.0),
            step_timeout_ms: runtime.step_timeout_seconds.map_or(defaults.step_timeout_ms, |s| s.0),
            conditional_required: policy
                .conditional_required
                .or(hitl.require_conditional)
                .unwrap_or(defaults.conditional_required),
            recommended_required: policy.recommended_required.unwrap_or(defaults.recommended_required),
            parallel: runtime.parallel_stages.map_or(defaults.parallel, NonZeroU32::get),
            feedback_rounds: runtime.feedback_rounds.unwrap_or(defaults.feedback_rounds),
            feedback_ms: runtime.feedback_seconds.as_ref().map_or(defaults.feedback_ms, |s| s.0),
            max_steps: runtime.max_steps,
        };
        if limits.step_timeout_ms == 0 {
            let fault = FileFault::new(
                path,
                "`runtime.step_timeout_seconds` is 0, so no step could ever finish",
            );
            return Err(placed(fault).hint("Give the longest time one attempt may take, in seconds."));
        }
        let around: step_settings::Raw = serde_yaml::from_str(text).map_err(|e| fault(&e))?;
        let around = StepSettings::of(around).map_err(|why| placed(FileFault::new(path, why)))?;
        let unused = gates.silences().into_iter().chain(wanted.err());
        let unused = unused.map(|said| FileFault::new(CONFIG_FILE, said).placed(text));
        gates.medium_tools = around.tools.medium_requires_approval;
        let agents = raw
            .agents
            .unwrap_or_default()
            .into_iter()
            .map(|(k, v)| (AgentKey::new(k), v))
            .collect();
        let choosing = choosing::of(raw.routing, &agents).map_err(|why| placed(FileFault::new(path, why)))?;
        let pass = raw.environment.unwrap_or_default().pass.unwrap_or_default();
        Ok(Self {
            says_parallel: runtime.parallel_stages.is_some(),
            feedback: Feedback {
                rounds: runtime.feedback_rounds,
                ms: runtime.feedback_seconds.map(|seconds| seconds.0),
                escalate_to: None,
            },
            limits,
            policy: gates,
            choosing,
            around,
            folders: folders(raw.folders.unwrap_or_default()),
            pass,
            permissions: raw.permissions.unwrap_or_default(),
            bounds: raw.limits.unwrap_or_default().into(),
            enforced: raw.enforcement == Some(bounds::Enforcement::Required),
            timezone: raw.timezone.map(|zone| zone.0),
            pipelines: raw.pipelines.and_then(|p| p.folder),
            first_try: raw.first_try,
            notes: notes(text, &whole)
                .into_iter()
                .chain(unused)
                .chain(operator.notes)
                .collect(),
            agents,
        })
    }

    /// What decides whether a gate stops a run.
    pub fn gate_rules(&self) -> GateRules<'_> {
        GateRules {
            policy: &self.policy,
            limits: &self.limits,
        }
    }

    /// Who carries out the work of this agent; the stub where nobody is bound to it.
    pub fn engine_of(&self, agent: &AgentKey) -> EngineInfo {
        if let Some(Binding(engine)) = self.agents.get(agent) {
            return engine.clone();
        }
        match self.otherwise(agent) {
            Otherwise::Alike(_, engine) | Otherwise::AsEveryOther(engine) => engine.clone(),
            Otherwise::Person => EngineInfo::person(),
            Otherwise::Nobody => EngineInfo::stub(),
        }
    }

    /// Who would do the work of this agent if the file did not bind that very name.
    pub fn otherwise(&self, agent: &AgentKey) -> Otherwise<'_> {
        let plain = plain_name(agent.as_str());
        let alike = self.bound();
        let alike = alike.filter(|(name, _)| *name != agent && plain_name(name.as_str()) == plain);
        // Of several such names, which only a run of an earlier version has, the one of a person counts: nobody is passed over.
        if let Some((name, engine)) = alike.min_by_key(|(_, engine)| !engine.is_person()) {
            return Otherwise::Alike(name, engine);
        }
        match self.agents.get(&AgentKey::new(ANY_AGENT)) {
            _ if PEOPLE.contains(&plain.as_str()) => Otherwise::Person,
            Some(Binding(any)) if agent.as_str() != ANY_AGENT => Otherwise::AsEveryOther(any),
            _ => Otherwise::Nobody,
        }
    }

    /// The agents that the file binds, with what carries out their work; [`ANY_AGENT`] stands for every other one.
    pub fn bound(&self) -> impl Iterator<Item = (&AgentKey, &EngineInfo)> {
        self.agents.iter().map(|(agent, binding)| (agent, &binding.0))
    }

    /// Whether the file binds this agent by its own name.
    pub fn names(&self, agent: &AgentKey) -> bool {
        self.agents.contains_key(agent)
    }

    /// The engines a run of this workflow needs, for `RunCreated.engines`: one for each agent that is named in it or to
    /// whom a step was `assigned`, and the default under `*`. Whoever a step is assigned to is a person, unless the file or the
    /// workflow names an agent so. A runbook names people as well as agents: of it only those that are bound by their own name.
    pub fn engines(
        &self,
        workflow: &Workflow,
        assigned: &BTreeMap<StepId, AgentKey>,
    ) -> BTreeMap<AgentKey, EngineInfo> {
        let named: BTreeSet<&AgentKey> = workflow
            .steps()
            .iter()
            .flat_map(|step| step.agents.iter().chain(&step.escalate_to))
            .collect();
        let bound = |agent: &AgentKey| (agent.clone(), self.engine_of(agent));
        if workflow.contract().by_hand {
            let all = named.into_iter().chain(assigned.values());
            return all.filter(|agent| self.names(agent)).map(bound).collect();
        }
        let people = assigned.values().filter(|agent| {
            let is_agent = named.contains(agent) || self.names(agent);
            !is_agent || self.engine_of(agent).is_stub()
        });
        let people = people.map(|agent| (agent.clone(), EngineInfo::person()));
        let assigned = assigned.values().filter(|agent| self.names(agent)).map(bound);
        let unnamed = workflow.steps().iter().map(model::Step::agent_key);
        let any = AgentKey::new(ANY_AGENT);
        let agents = unnamed
            .chain(self.choosing.navigator.clone())
            .map(|agent| bound(&agent))
            .chain(named.iter().map(|agent| bound(agent)));
        agents.chain([bound(&any)]).chain(assigned).chain(people).collect()
    }
}

#[derive(Deserialize)]
#[serde(expecting = "keys with values, such as `version: 1`")]
struct Raw {
    version: Option<u32>,
    runtime: Option<RawRuntime>,
    hitl: Option<RawHitl>,
    agents: Option<BTreeMap<String, Binding>>,
    routing: Option<choosing::Raw>,
    permissions: Option<Permissions>,
    limits: Option<bounds::Raw>,
    enforcement: Option<bounds::Enforcement>,
    #[serde(rename = "try")]
    first_try: Option<FirstTry>,
    environment: Option<RawEnvironment>,
    timezone: Option<Zone>,
    pipelines: Option<RawPipelines>,
    folders: Option<RawFolders>,
}

/// An IANA time zone by its name.
struct Zone(chrono_tz::Tz);

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let name = String::deserialize(reader)?;
        name.parse().map(Self).map_err(|_| {
            de::Error::custom(format!(
                "`timezone` is {name}, which is not the name of a time zone; names look like Europe/Paris"
            ))
        })
    }
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block such as `max_retries: 1`")]
struct RawRuntime {
    step_timeout_seconds: Option<Seconds>,
    max_retries: Option<u32>,
    backoff_seconds: Option<Seconds>,
    parallel_stages: Option<NonZeroU32>,
    max_steps: Option<NonZeroU32>,
    feedback_rounds: Option<u32>,
    feedback_seconds: Option<Seconds>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block such as `output: docs`")]
struct RawFolders {
    output: Option<String>,
    templates: Option<String>,
    bmb_creations: Option<String>,
}

/// The folders by the names of their placeholders, defaults applied.
fn folders(raw: RawFolders) -> BTreeMap<String, String> {
    let all = [
        ("output_folder", raw.output, "docs"),
        ("template_folder", raw.templates, "templates"),
        ("bmb_creations_output_folder", raw.bmb_creations, "bmb-creations"),
    ];
    let trimmed = |folder: String| folder.trim().trim_end_matches('/').to_owned();
    all.into_iter()
        .map(|(name, folder, default)| (name.to_owned(), folder.map_or_else(|| default.to_owned(), trimmed)))
        .collect()
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block with `folder`")]
struct RawPipelines {
    folder: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block with `pass`")]
struct RawEnvironment {
    pass: Option<Vec<String>>,
}

/// A length of time, kept in milliseconds.
struct Seconds(u64);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(reader)?;
        if !(0.0..=31_536_000.0).contains(&seconds) {
            return Err(de::Error::custom(format!(
                "{seconds} is not a number of seconds between 0 and one year"
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked above"
        )]
        Ok(Self((seconds * 1000.0).round() as u64))
    }
}

/// A rule of paths that leads into the project by `..`, from the project's folder; any other stays.
fn straighten(root: &Path, rule: &mut String) {
    if !rule.split('/').any(|part| part == "..") {
        return;
    }
    let (Ok(root), home) = (root.canonicalize(), std::env::var("HOME").ok()) else {
        return;
    };
    let root = root.display().to_string();
    let whole = match rule.strip_prefix("~/") {
        Some(rest) => match home {
            Some(home) => format!("{home}/{rest}"),
            None => return,
        },
        None if rule.starts_with('/') => rule.clone(),
        None => format!("{root}/{rule}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            // What a pattern stands for has no folder around it that is known.
            ".." if parts.last().is_some_and(|part| part.contains(['*', '?', '[', '{'])) => return,
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let straight = format!("/{}", parts.join("/"));
    if let Some(inside) = straight.strip_prefix(&format!("{root}/")) {
        *rule = inside.to_owned();
    }
}

/// Settings that lie where nothing reads them, since they are called otherwise than `file`. Whoever wrote them takes them for held.
fn misnamed(root: &Path, name: &str, file: &str) -> Option<FileFault> {
    let path = root.join(name);
    path.symlink_metadata().ok()?;
    Some(
        FileFault::new(path, format!("{name} is not read: name it {file}"))
            .hint("Rename it; if it is not meant for Gatehouse, give it another name or put it elsewhere."),
    )
}

/// The same of a file that is called nearly as `file` or `wrong`, in whatever letters; both lie in one folder.
fn nearly_named(root: &Path, wrong: &str, file: &str) -> Option<FileFault> {
    let (folder, right) = file.rsplit_once('/').unwrap_or(("", file));
    let other = wrong.rsplit_once('/').map_or(wrong, |(_, name)| name);
    let names = std::fs::read_dir(root.join(folder)).ok()?.filter_map(Result::ok);
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut near = names.filter(|name| {
        let plain = name.trim_start_matches('.').to_lowercase();
        [right, other].contains(&plain.as_str()) && name != right
    });
    let near = near.next()?;
    let name = if folder.is_empty() {
        near
    } else {
        format!("{folder}/{near}")
    };
    misnamed(root, &name, file)
}

/// The same beside the file that is read.
fn unread_beside(root: &Path, name: &str, file: &str) -> Option<FileFault> {
    let both = [name, file].map(|name| root.join(name).symlink_metadata());
    if both.iter().any(Result::is_err) {
        return None;
    }
    Some(
        FileFault::new(name, format!("{name} is not read, since {file} is there too"))
            .hint(format!("Bring what it says into {file}, and remove it.")),
    )
}

/// A text without what some editors begin every file with.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// What to do about a fault under a key of the file; `None`: under none that is known.
fn hint(key: Option<&str>) -> String {
    match key {
        Some("agents") => "Mend it at that place; an agent is `person`, or a block with `engine` and `run`.".to_owned(),
        Some(key) => format!("Mend it at that place: docs/configuration.md shows what may stand under `{key}`."),
        None => "Mend it at that place: docs/configuration.md shows what may stand in the file.".to_owned(),
    }
}

/// One sentence for each key that means nothing, and one for the rest of them.
fn notes(text: &str, whole: &Value) -> Vec<FileFault> {
    /// Whoever has more of them has written something else than a configuration.
    const MOST: usize = 20;
    let mut found = Vec::new();
    let mut more = 0usize;
    let mut look = |at: &str, value: Option<&Value>, known: &[&str]| {
        for key in value
            .and_then(Value::as_mapping)
            .into_iter()
            .flat_map(serde_yaml::Mapping::keys)
        {
            let Some(key) = key.as_str().filter(|k| !known.contains(k)) else {
                continue;
            };
            if found.len() == MOST {
                more += 1;
                continue;
            }
            let said = format!(
                "`{at}{key}` means nothing to Gatehouse; known here: {}",
                known.join(", ")
            );
            found.push(FileFault::new(CONFIG_FILE, said).placed(text));
        }
    };
    look("", Some(whole), unheard::TOP);
    for (key, known) in step_settings::KEYS.iter().filter(|(_, known)| !known.is_empty()) {
        look(&format!("{key}."), whole.get(*key), known);
    }
    look("pipelines.", whole.get("pipelines"), &["folder"]);
    look(
        "runtime.",
        whole.get("runtime"),
        &[
            "step_timeout_seconds",
            "max_retries",
            "backoff_seconds",
            "parallel_stages",
            "max_steps",
            "feedback_rounds",
            "feedback_seconds",
        ],
    );
    look(
        "folders.",
        whole.get("folders"),
        &["output", "templates", "bmb_creations"],
    );
    look("routing.", whole.get("routing"), &["mode", "navigator"]);
    look("environment.", whole.get("environment"), &["pass"]);
    for (name, binding) in whole.get("agents").and_then(Value::as_mapping).into_iter().flatten() {
        let at = format!("agents.{}.", name.as_str().unwrap_or("?"));
        look(&at, Some(binding), &["engine", "run", "model", "provider"]);
    }
    if more > 0 {
        let said = format!("and {more} more that mean nothing to Gatehouse");
        found.push(FileFault::new(CONFIG_FILE, said));
    }
    found.extend(patterns(text, whole).take(MOST));
    found
}

/// That two of these names are one: what is wrong, and what to do. Of the two bindings one would do work that is the other's.
fn bound_twice<'n>(names: impl Iterator<Item = &'n str>) -> Option<(String, String)> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for name in names {
        if let Some(other) = known.insert(plain_name(name), name) {
            let said = format!("`agents.{name}` and `agents.{other}` are one agent, which is bound twice");
            return Some((
                said,
                "Keep one of the two: capital letters and blanks make no other agent.".to_owned(),
            ));
        }
    }
    None
}

/// Bound names that look like patterns: they bind only an agent that is called so.
fn patterns<'a>(text: &'a str, whole: &'a Value) -> impl Iterator<Item = FileFault> + 'a {
    let agents = whole.get("agents").and_then(Value::as_mapping).into_iter().flatten();
    let names = agents.filter_map(|(name, _)| name.as_str());
    names
        .filter(|name| *name != ANY_AGENT && name.contains('*'))
        .map(move |name| {
            let said = format!(
                "`agents.{name}` binds an agent of just that name: only `\"*\"` alone stands for others, for every one that is not named"
            );
            FileFault::new(CONFIG_FILE, said).placed(text)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, FileFault> {
        Config::parse(Path::new("gatehouse.yaml"), text)
    }

    #[test]
    fn an_absent_and_an_empty_file_mean_the_defaults() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let config = Config::load(root.path()).expect("no file is fine");
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let limits = Limits {
            parallel: 4 * u32::try_from(cores).expect("few"),
            ..Limits::default()
        };
        assert_eq!(config.limits, limits);
        assert_eq!(config.engine_of(&"anyone".into()), EngineInfo::stub());
        assert_eq!(parse("# nothing yet\n").expect("a comment is fine").limits, limits);
    }

    #[test]
    fn every_field_is_read() {
        let config = parse(
            "version: 1\nruntime: {step_timeout_seconds: 2.5, max_retries: 3, backoff_seconds: 1, max_steps: 7}\n\
             hitl: {policy: {conditional_required: true, recommended_required: true}}\n\
             agents:\n  a: stub\n  b: {engine: shell, run: \"sh scripts/check.sh\"}\n  \
             c: {engine: command, run: [\"python3\", \"my agents/read.py\"], model: m, provider: p}\n  \
             \"*\": {engine: command, run: cat -}\nenvironment: {pass: [A_KEY]}\n",
        )
        .expect("all of it is valid");
        assert_eq!(config.limits.step_timeout_ms, 2500);
        assert_eq!((config.limits.max_retries, config.limits.backoff_ms), (3, 1000));
        assert_eq!(config.limits.max_steps.map(NonZeroU32::get), Some(7));
        assert!(config.limits.conditional_required && config.limits.recommended_required);
        assert_eq!(config.engine_of(&"b".into()).command, "sh scripts/check.sh");
        let c = config.engine_of(&"c".into());
        let wants = c
            .wants
            .as_deref()
            .map(|wants| (wants.model.as_str(), wants.provider.as_str()));
        assert_eq!((&c.engine, wants), (&engine::EngineKind::Command, Some(("m", "p"))));
        // What answers is known when it has answered.
        assert_eq!((c.model.as_str(), c.provider.as_str()), ("none", "local"));
        assert_eq!(
            shlex::split(&c.command),
            Some(vec!["python3".to_owned(), "my agents/read.py".to_owned()])
        );
        assert_eq!(config.engine_of(&"someone else".into()).command, "cat -");
        assert_eq!(config.bounds, process::Limits::default());
        let bounded =
            parse("limits: {memory: 2GiB, processes: 200, file: 1048576}\nenforcement: required\n").expect("valid");
        let limits = process::Limits {
            memory: 2 << 30,
            processes: 200,
            file: 1 << 20,
        };
        assert_eq!(
            (bounded.bounds, bounded.enforced, config.enforced),
            (limits, true, false)
        );
        assert_eq!(config.pass, ["A_KEY"]);
        assert!(config.notes.is_empty(), "{:?}", config.notes);
    }

    #[test]
    fn faults_name_their_place_and_what_to_do() {
        for (text, place, says) in [
            ("agents:\n  a: {engine: shell}\n", 2, "needs `run`"),
            ("agents:\n  a: magic\n", 2, "unknown engine `magic`"),
            ("agents:\n  a: shell\n", 2, "needs a command"),
            ("agents:\n  a: {engine: stub, run: x}\n", 2, "runs nothing"),
            ("agents:\n  a: {engine: command, run: []}\n", 2, "is empty"),
            ("runtime: {max_retries: -1}\n", 1, "max_retries"),
            ("runtime: {backoff_seconds: -2}\n", 1, "number of seconds"),
            ("runtime: [\n", 2, "did not find"),
            ("limits: {memory: 2 elephants}\n", 1, "write 512MiB, 2GiB"),
            ("limits: {memory: 1MiB}\n", 1, "less than 16 MiB"),
            ("limits: {processes: 0}\n", 1, "a whole number above 0"),
            ("limits: {disk: 1}\n", 1, "unknown field `disk`"),
            ("enforcement: maybe\n", 1, "unknown variant `maybe`"),
            (
                "tools: {risk_policy: {medium: true}}\n",
                1,
                "`tools.risk_policy.medium` means nothing",
            ),
        ] {
            let fault = parse(text).expect_err(text);
            assert_eq!(fault.line, Some(place), "{fault}");
            assert!(fault.message.contains(says), "{fault}");
            assert!(fault.hint.is_some());
        }
        for (text, place, says, hint) in [
            (
                "a: 1\npermissions:\n  mode: sometimes\n",
                (3, 3),
                "no mode",
                "under `permissions`",
            ),
            (
                "a: 1\npermissions:\n  run:\n    allow: 3\n",
                (4, 5),
                "list of patterns",
                "under `permissions`",
            ),
            ("a: 1\nversion: 2\n", (2, 1), "`version` is 2", "newer"),
            (
                "pipelines: 3\n",
                (1, 1),
                "expected a block with `folder`",
                "under `pipelines`",
            ),
            ("version: x\n", (1, 1), "expected a whole number", "under `version`"),
            (
                "limits:\n  memory: 2GiB\n  disk: 1\n",
                (3, 3),
                "unknown field `disk`",
                "under `limits`",
            ),
            ("checks:\n  a: 3\n", (1, 1), "a command line", "under `checks`"),
            ("guardrails:\n  x: 1\n", (2, 3), "no such key", "under `guardrails`"),
            ("agents:\n  a: magic\n", (2, 3), "unknown engine", "an agent is"),
            (
                "runtime:\n  step_timeout_seconds: 0\n",
                (2, 3),
                "ever finish",
                "longest time",
            ),
            (
                "routing: {mode: assist, navigator: ghost}\n",
                (1, 25),
                "names ghost",
                "under `routing`",
            ),
        ] {
            let fault = parse(text).expect_err(text);
            assert_eq!((fault.line, fault.column), (Some(place.0), Some(place.1)), "{fault}");
            assert!(fault.message.contains(says), "{fault}");
            assert!(
                fault.hint.as_ref().is_some_and(|said| said.contains(hint)),
                "{:?}",
                fault.hint
            );
        }
        assert!(
            parse("version: 2")
                .expect_err("unknown version")
                .message
                .contains("`version` is 2")
        );
    }

    #[test]
    fn a_mode_that_takes_the_gates_away_is_a_note() {
        let notes = |mode: &str| parse(&format!("hitl: {{mode: {mode}}}\n")).expect("only notes").notes;
        assert!(notes("blocking").is_empty());
        let [note] = &notes("blockng")[..] else {
            panic!("one note");
        };
        assert_eq!((note.line, note.column), (Some(1), Some(8)));
        let said = &note.message;
        assert!(
            said.contains("“blockng”") && said.contains("takes every gate away"),
            "{said}"
        );
    }

    #[test]
    fn settings_under_another_name_are_no_settings() {
        for (wrong, right) in [
            ("gatehouse.yml", "gatehouse.yaml"),
            ("config/runtime.yml", "config/runtime.yaml"),
        ] {
            let root = tempfile::tempdir().expect("a temporary folder");
            std::fs::create_dir(root.path().join("config")).expect("a folder");
            std::fs::write(root.path().join(wrong), "version: 1\n").expect("a file");
            let said = format!("{wrong} is not read: name it {right}");
            let notes = |notes: &[FileFault]| notes.iter().map(|note| note.message.clone()).collect::<Vec<_>>();
            match Config::load(root.path()) {
                Err(fault) => {
                    assert!(wrong == "gatehouse.yml" && fault.path.ends_with(wrong), "{fault}");
                    assert_eq!(fault.message, said);
                    assert_eq!(Config::faults(root.path()), [fault]);
                }
                // Other programs may keep a file of that name.
                Ok(config) => {
                    assert_eq!(wrong, "config/runtime.yml");
                    assert_eq!(notes(&config.notes), [said]);
                }
            }
            std::fs::write(root.path().join(right), "").expect("a file");
            let found = notes(&Config::load(root.path()).expect("usable").notes);
            assert!(
                found.len() == 1 && found[0].starts_with(&format!("{wrong} is not read")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn settings_in_other_letters_are_no_settings_either() {
        for name in ["Gatehouse.yml", "gatehouse.YAML", ".gatehouse.yml"] {
            let root = tempfile::tempdir().expect("a temporary folder");
            std::fs::write(root.path().join(name), "version: 1\n").expect("a file");
            let fault = Config::load(root.path()).expect_err(name);
            assert_eq!(fault.message, format!("{name} is not read: name it gatehouse.yaml"));
        }
    }

    #[test]
    fn where_pipelines_lie_is_read_of_settings_that_are_refused() {
        for (text, folder) in [
            ("four_eyes: true\n", Some(None)),
            ("four_eyes: true\npipelines: {folder: built}\n", Some(Some("built"))),
            ("hitl: 3\npipelines: {folder: built}\n", Some(Some("built"))),
            ("pipelines: {folder: [a]}\n", None),
            ("pipelines: [\n", None),
        ] {
            let root = tempfile::tempdir().expect("a temporary folder");
            std::fs::write(root.path().join(CONFIG_FILE), text).expect("a file");
            assert!(Config::load(root.path()).is_err(), "{text}");
            let found = Config::only_pipelines(root.path()).map(|config| config.pipelines);
            assert_eq!(found, folder.map(|folder| folder.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn the_operator_s_file_in_other_letters_is_named() {
        for name in ["Runtime.yaml", "RUNTIME.YML"] {
            let root = tempfile::tempdir().expect("a temporary folder");
            std::fs::create_dir(root.path().join("config")).expect("a folder");
            std::fs::write(root.path().join("config").join(name), "hitl: {}\n").expect("a file");
            let notes = Config::load(root.path()).expect("other programs may keep it").notes;
            let said: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
            assert_eq!(
                said,
                [format!("config/{name} is not read: name it config/runtime.yaml")]
            );
        }
    }

    #[test]
    fn a_rule_with_a_detour_is_the_rule_of_where_it_leads() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path().canonicalize().expect("it is there");
        let name = root.file_name().expect("a name").to_string_lossy().into_owned();
        for (rule, straight) in [
            (format!("../{name}/data/**"), "data/**".to_owned()),
            ("a/../data/x.txt".to_owned(), "data/x.txt".to_owned()),
            ("data/*/../x".to_owned(), "data/*/../x".to_owned()),
            ("../beside/x".to_owned(), "../beside/x".to_owned()),
        ] {
            let mut found = rule.clone();
            straighten(&root, &mut found);
            assert_eq!(found, straight, "{rule}");
        }
    }

    #[test]
    fn a_person_is_no_program_s_work_and_capital_letters_make_no_other_agent() {
        let config = parse(
            "agents: {Legal: person, Check: {engine: shell, run: a}, '*': {engine: shell, run: b}, user: {engine: shell, run: c}}\n",
        )
        .expect("valid");
        let who = |name: &str| config.engine_of(&name.into());
        for name in ["person", "Person", "human", "legal", "LEGAL"] {
            assert!(who(name).is_person(), "{name}");
        }
        let programs = ["check", "anyone", "user"].map(|name| who(name).command);
        assert_eq!(programs, ["a", "b", "c"]);
        assert!(parse("").expect("valid").engine_of(&"person".into()).is_person());
        let config = parse("agents: {'legal ': person, '*': {engine: shell, run: b}}\n").expect("valid");
        assert!(config.engine_of(&"legal".into()).is_person() && config.engine_of(&"Legal".into()).is_person());
        // What differs in capital letters, of a run that was begun with it: a person before a program, and the very name before both.
        let twice = "agents: {LEGAL: {engine: shell, run: a}, Legal: person}\n";
        let config = Config::kept(twice).expect("it was accepted");
        assert!(config.engine_of(&"legal".into()).is_person());
        assert_eq!(config.engine_of(&"LEGAL".into()).command, "a");
        assert_eq!(config.engine_of(&"*".into()), EngineInfo::stub());
        for twice in [
            twice,
            "agents: {legal: person, ' legal': {engine: shell, run: a}}\n",
            "agents: {Kim Lee: person, 'kim  lee': {engine: shell, run: a}}\n",
        ] {
            let fault = parse(twice).expect_err("one agent, bound twice");
            assert!(
                fault.message.ends_with("are one agent, which is bound twice"),
                "{fault}"
            );
        }
    }

    #[test]
    fn a_pattern_of_names_is_none() {
        let notes = parse("agents:\n  'a*': person\n  '*': person\n")
            .expect("only notes")
            .notes;
        let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.first().and_then(|note| note.line), Some(2), "{said:?}");
        assert!(
            said.len() == 1 && said[0].contains("`agents.a*` binds an agent of just that name"),
            "{said:?}"
        );
    }

    #[test]
    fn within_which_time_an_answer_is_wanted_is_read_or_named_as_unused() {
        for (text, ms) in [
            ("", None),
            ("hitl: {answer_within: }\n", None),
            ("hitl: {answer_within: 90m}\n", Some(5_400_000)),
            ("hitl: {answer_within: 36 h}\n", Some(129_600_000)),
            ("hitl: {four_eyes: true, answer_within: '2d'}\n", Some(172_800_000)),
        ] {
            let config = parse(text).expect(text);
            assert_eq!(config.policy.answer_within_ms, ms, "{text}");
            assert!(config.notes.is_empty(), "{text}: {:?}", config.notes);
        }
        for written in ["soon", "2", "0h", "-1h", "400d", "[2d]", "true"] {
            let text = format!("hitl:\n  four_eyes: true\n  answer_within: {written}\n");
            let config = parse(&text).expect("it keeps no run from starting");
            assert_eq!((config.policy.answer_within_ms, config.policy.four_eyes), (None, true));
            let said: Vec<String> = config.notes.iter().map(ToString::to_string).collect();
            let begins = "gatehouse.yaml:3:3: `hitl.answer_within` is not used";
            assert!(said.len() == 1 && said[0].starts_with(begins), "{written}: {said:?}");
        }
        for (ms, written) in [
            (172_800_000, "2d"),
            (129_600_000, "36h"),
            (5_400_000, "90m"),
            (1_500, "1500ms"),
        ] {
            assert_eq!(answer_within_written(ms), written);
            assert_eq!(answer_within(written), Some(ms));
        }
    }

    #[test]
    fn unknown_keys_are_notes() {
        let config = parse("agents: {a: stub}\nruntmie: {x: 1}\nruntime:\n  timeout: 3\n").expect("only notes");
        assert_eq!(config.notes.len(), 2);
        let said = config.notes.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(said[0].starts_with("gatehouse.yaml:2:1: `runtmie`"), "{said:?}");
        assert!(said[1].starts_with("gatehouse.yaml:4:3: `runtime.timeout`"), "{said:?}");
    }
}
