//! Who does the work of the project's agents, filled in as a form: `agents` of `gatehouse.yaml`.

use crate::command::Nothing;
use crate::settings::agents_view::{AgentChange, AgentDoes, AgentWork, AgentsView};
use crate::settings::file;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::{EngineInfo, EngineKind};
use model::AgentKey;
use runtime::config::{ANY_AGENT, Config, Otherwise};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of an agent and longest command, in characters.
const LONGEST_NAME: usize = 1_000;
const LONGEST_RUN: usize = 2_000;

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn agents(&self, _: Nothing) -> Result<AgentsView, ApiError> {
        self.agents_now()
    }

    /// Writes who does the work of one agent, where it stands; everything else of the file stays as it is. What is written of a program,
    /// its model for instance, goes with it, and stays where another program takes its place.
    pub(crate) async fn change_agent(&self, change: AgentChange) -> Result<AgentsView, ApiError> {
        let text = self.settings_at(&change.revision)?;
        let name = named(&change.name)?;
        let at = vec!["agents".to_owned(), name.to_owned()];
        let config = file::parsed(&text).map_err(|fault| file::refused(file::unusable(&fault)))?;
        let key = AgentKey::new(name);
        let held = config
            .bound()
            .find(|(agent, _)| **agent == key)
            .map(|(_, engine)| engine);
        let is_as_before = held.is_some_and(|held| does(held) == change.does);
        let wanted = match change.does {
            AgentDoes::Unsaid => vec![(at, None)],
            AgentDoes::Person | AgentDoes::Nobody if is_as_before => Vec::new(),
            AgentDoes::Person => vec![(at, Some(json!("person")))],
            AgentDoes::Nobody => vec![(at, Some(json!("stub")))],
            AgentDoes::Shell | AgentDoes::Command => {
                let run = command(change.run.as_deref().unwrap_or_default())?;
                let engine = match change.does {
                    AgentDoes::Command => "command",
                    _ => "shell",
                };
                let below = |field: &str| [at.clone(), vec![field.to_owned()]].concat();
                match held {
                    Some(held) if is_as_before && held.command.trim() == run => Vec::new(),
                    Some(_) if is_as_before => vec![(below("run"), Some(Value::from(run)))],
                    Some(held) if matches!(does(held), AgentDoes::Shell | AgentDoes::Command) => vec![
                        (below("engine"), Some(Value::from(engine))),
                        (below("run"), Some(Value::from(run))),
                    ],
                    _ => vec![(at, Some(json!({"engine": engine, "run": run})))],
                }
            }
        };
        if !wanted.is_empty() {
            self.write_settings(&text, &wanted)?;
        }
        self.agents_now()
    }

    fn agents_now(&self) -> Result<AgentsView, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let named = self.agents_of_workflows(parsed.as_ref().ok());
        Ok(AgentsView {
            revision: file::revision(&text),
            agents: parsed
                .as_ref()
                .map_or_else(|_| Vec::new(), |config| listed(config, named)),
            writable: self.writable().is_ok() && parsed.is_ok(),
            fault: parsed.err().as_ref().map(file::unusable),
        })
    }

    /// The agents that steps name, with the titles of their workflows. A runbook names people as well: of it only those that the file
    /// names too.
    fn agents_of_workflows(&self, config: Option<&Config>) -> BTreeMap<AgentKey, BTreeSet<String>> {
        let mut named: BTreeMap<AgentKey, BTreeSet<String>> = BTreeMap::new();
        for document in self.workflows() {
            let workflow = document.workflow();
            let by_hand = workflow.contract().by_hand;
            let agents = workflow
                .steps()
                .iter()
                .flat_map(|step| step.agents.iter().chain(&step.escalate_to));
            for agent in agents.filter(|agent| !by_hand || config.is_some_and(|config| config.names(agent))) {
                named
                    .entry(agent.clone())
                    .or_default()
                    .insert(safe::visible(&workflow.title));
            }
        }
        named
    }
}

/// Every agent that is named, by name, and what stands for every other one.
fn listed(config: &Config, mut named: BTreeMap<AgentKey, BTreeSet<String>>) -> Vec<AgentWork> {
    let any = AgentKey::new(ANY_AGENT);
    let bound: BTreeMap<&AgentKey, &EngineInfo> = config.bound().collect();
    for agent in bound.keys() {
        named.entry((*agent).clone()).or_default();
    }
    let every_other = named.remove(&any).unwrap_or_default();
    let row = |agent: &AgentKey, named_in: BTreeSet<String>| {
        let engine = bound.get(agent).copied();
        AgentWork {
            name: agent.to_string(),
            label: (*agent != any).then(|| safe::visible(agent.as_str())),
            does: engine.map_or(AgentDoes::Unsaid, does),
            run: engine.map(|engine| engine.command.clone()).unwrap_or_default(),
            model: engine
                .and_then(|engine| engine.wants.as_deref())
                .map(model)
                .unwrap_or_default(),
            otherwise: otherwise(config.otherwise(agent)),
            named_in: named_in.into_iter().collect(),
        }
    };
    let mut rows: Vec<AgentWork> = named.into_iter().map(|(agent, titles)| row(&agent, titles)).collect();
    rows.push(row(&any, every_other));
    rows
}

fn does(engine: &EngineInfo) -> AgentDoes {
    match engine.engine {
        EngineKind::Person => AgentDoes::Person,
        EngineKind::Shell => AgentDoes::Shell,
        EngineKind::Command => AgentDoes::Command,
        // Bound to what plays it in a rehearsal, which is the same as nobody.
        _ => AgentDoes::Nobody,
    }
}

/// Who does the work where nothing is said of this name itself.
fn otherwise(who: Otherwise<'_>) -> String {
    let (like, engine) = match who {
        Otherwise::Person => return "A person, as the name says".to_owned(),
        Otherwise::Nobody => return "Nobody yet".to_owned(),
        Otherwise::Alike(name, engine) => (format!("“{}”", safe::visible(name.as_str())), engine),
        Otherwise::AsEveryOther(engine) => ("every other agent".to_owned(), engine),
    };
    match does(engine) {
        AgentDoes::Unsaid | AgentDoes::Nobody => "Nobody yet".to_owned(),
        AgentDoes::Person => format!("As {like}: a person"),
        AgentDoes::Shell | AgentDoes::Command => format!("As {like}: a program"),
    }
}

/// `my-model of local`
fn model(wants: &engine::ModelName) -> String {
    safe::visible(&format!("{} of {}", wants.model, wants.provider))
}

fn named(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    // What stands for a character that deceives is told, and would name another agent.
    let honest = safe::visible(name) == name && !name.contains(char::REPLACEMENT_CHARACTER);
    let is_good = !name.is_empty() && name.chars().count() <= LONGEST_NAME && honest;
    is_good.then_some(name).ok_or_else(|| {
        ApiError::new(
            "bad_value",
            format!("The name of an agent has 1 to {LONGEST_NAME} characters, and none that act on a screen."),
        )
    })
}

fn command(run: &str) -> Result<String, ApiError> {
    let bad = |why: &str| {
        Err(ApiError::new(
            "bad_value",
            format!("This cannot be the command: {why}."),
        ))
    };
    let run = run.trim();
    if run.is_empty() {
        return bad("it is empty, so nothing would be run");
    }
    if run.chars().count() > LONGEST_RUN {
        return bad("it is longer than 2000 characters");
    }
    if safe::visible(run) != run || run.contains('\t') {
        return bad("it is not one line, or holds characters that act on a screen");
    }
    Ok(run.to_owned())
}
