//! Who does the work of the project's agents, as a form.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentsView {
    /// Of the file that it was read from: what is chosen on another version is not written.
    pub revision: String,
    /// The agents that workflows or the file name, by their names; the last one stands for every other.
    pub agents: Vec<AgentWork>,
    /// Whether it can be filled in.
    pub writable: bool,
    /// Why the file cannot be used as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fault: Option<String>,
}

/// Who does the work of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentWork {
    /// Its name, as it is written; `*`: every agent that the file does not name.
    pub name: String,
    /// The same for reading; absent: every other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// Who does it, as the file says of this name.
    pub does: AgentDoes,
    /// The command that is run; empty: none.
    pub run: String,
    /// The model that the command is told to use, in words; empty: none.
    pub model: String,
    /// What it comes to where the file says nothing of this name, in words.
    pub otherwise: String,
    /// The workflows whose steps name it, by their titles, each once.
    pub named_in: Vec<String>,
}

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum AgentDoes {
    /// The file says nothing of it.
    Unsaid,
    /// Somebody is asked how it went.
    Person,
    /// One line for the shell.
    Shell,
    /// A program with its arguments, which reads a brief and writes a report.
    Command,
    /// Nobody, as the file says (`stub`): what every other agent comes to does not hold for it.
    Nobody,
}

/// What is to be written of one agent.
#[derive(Debug, Clone, PartialEq, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentChange {
    /// The version of the file that it was chosen on.
    pub revision: String,
    /// The agent, as workflows write it; `*`: every other one.
    pub name: String,
    /// Who does it.
    pub does: AgentDoes,
    /// The command, one line; nothing for a person.
    #[serde(default)]
    #[ts(optional)]
    pub run: Option<String>,
}
