//! The parts of `gatehouse.yaml` about what happens around a step's work: tools, servers, checks, guardrails, evidence.
//!
//! ```yaml
//! tools:
//!   allowlist: []                     # empty: every tool
//!   blocklist: [writeTextFile]
//!   risk_policy: {medium_requires_approval: true}
//!   timeout_seconds: 30
//!   declared:
//!     - {name: spellcheck, description: Looks for misspelt words, risk: low, args: {type: object}, command: sh tools/spell.sh}
//!     - {name: searchNotes, mcp: notes, tool: search}
//! mcp: {notes: {command: node notes-server.mjs}}
//! language_servers: {python: {command: pyright-langserver --stdio}}
//! checks: {prose: {command: sh checks/prose.sh}}
//! evidence: {valid_for_days: 365}
//! context: {budgets: {nano: 200, micro: 800, full: 4000}, quality_standards: {minimum_test_coverage: 80}}
//! guardrails: {enabled: true}
//! ```

use super::global;
use crate::context::Settings as Context;
pub use guardrail::Rules as Guardrails;
use model::{Fields, Risk};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tool::lsp::Language;
use tool::{Declared, Served};

/// How long evidence counts where the project says nothing.
const EVIDENCE_DAYS: u32 = 365;

/// What the file says of it, defaults applied.
#[derive(Debug, Clone)]
pub struct StepSettings {
    /// Which tools may be called, and when a person is asked.
    pub tools: tool::Rules,
    /// How long a call may take whose tool says nothing.
    pub timeout: Duration,
    /// Tools of the project itself.
    pub declared: Vec<Declared>,
    /// MCP servers, name → command line.
    pub mcp: BTreeMap<String, String>,
    /// Language servers by language.
    pub language_servers: BTreeMap<String, Language>,
    /// Checks of the project itself, name → command line.
    pub checks: BTreeMap<String, String>,
    /// What texts must not hold.
    pub guardrails: Guardrails,
    /// How context is put together for a step.
    pub context: Context,
    /// What holds for everything that the project does (seed 003 `global_context`).
    pub global: Option<Arc<Fields>>,
    /// How long evidence counts, days.
    pub evidence_days: u32,
}

impl Default for StepSettings {
    fn default() -> Self {
        Self {
            tools: tool::Rules::default(),
            timeout: tool::TIMEOUT,
            declared: Vec::new(),
            mcp: BTreeMap::new(),
            language_servers: BTreeMap::new(),
            checks: BTreeMap::new(),
            guardrails: Guardrails::default(),
            context: Context::default(),
            global: None,
            evidence_days: EVIDENCE_DAYS,
        }
    }
}

/// A tool as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a tool: `name`, and `command` or `mcp`")]
struct RawDeclared {
    name: String,
    #[serde(default)]
    description: String,
    /// Absent: medium, because nobody has said.
    risk: Option<Risk>,
    args: Option<Value>,
    command: Option<String>,
    mcp: Option<String>,
    tool: Option<String>,
    timeout_seconds: Option<f64>,
}

/// The keys as they stand in the file.
#[derive(Deserialize, Default)]
pub(super) struct Raw {
    tools: Option<RawTools>,
    mcp: Option<BTreeMap<String, Program>>,
    language_servers: Option<BTreeMap<String, Server>>,
    checks: Option<BTreeMap<String, Program>>,
    guardrails: Option<Value>,
    context: Option<Value>,
    evidence: Option<RawEvidence>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block such as `blocklist: [name]`")]
struct RawTools {
    allowlist: Option<Vec<String>>,
    blocklist: Option<Vec<String>>,
    risk_policy: Option<RawRisk>,
    timeout_seconds: Option<f64>,
    declared: Option<Vec<RawDeclared>>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block with `medium_requires_approval`")]
struct RawRisk {
    medium_requires_approval: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(expecting = "a block with `valid_for_days`")]
struct RawEvidence {
    valid_for_days: Option<u32>,
}

/// A language server: `{command: …, settings: …}`, or the command line alone.
#[derive(Deserialize)]
#[serde(untagged, expecting = "here belongs a command line, or a block with `command`")]
enum Server {
    Line(String),
    Named {
        command: String,
        #[serde(default)]
        settings: Value,
    },
}

/// `{command: …}`, or the command line alone.
#[derive(Deserialize)]
#[serde(untagged, expecting = "here belongs a command line, or a block with `command`")]
enum Program {
    Line(String),
    Named { command: String },
}

/// Keys of the file that this part reads, with the keys inside each.
pub(super) const KEYS: &[(&str, &[&str])] = &[
    (
        "tools",
        &["allowlist", "blocklist", "risk_policy", "timeout_seconds", "declared"],
    ),
    ("mcp", &[]),
    ("language_servers", &[]),
    ("checks", &[]),
    ("guardrails", &[]),
    ("evidence", &["valid_for_days"]),
];

impl StepSettings {
    /// What was written, or a sentence about what is wrong in it.
    pub(super) fn of(mut raw: Raw) -> Result<Self, String> {
        let global = match &mut raw.context {
            Some(written) => global::taken(written)?,
            None => None,
        };
        let defaults = Self::default();
        let tools = raw.tools.unwrap_or_default();
        let declared = tools.declared.unwrap_or_default().into_iter().map(declared);
        let declared = declared.collect::<Result<Vec<_>, _>>()?;
        let mcp = lines("mcp", raw.mcp)?;
        for tool in &declared {
            if let Some(problem) = tool.problem() {
                return Err(format!("tools.declared: {problem}"));
            }
            let name = &tool.name;
            if let Served::Mcp { server, .. } = &tool.served
                && !mcp.contains_key(server)
            {
                return Err(format!(
                    "tools.declared: the tool `{name}` names the MCP server `{server}`, which stands nowhere under `mcp`"
                ));
            }
            if declared.iter().filter(|other| other.name == *name).count() > 1 {
                return Err(format!("tools.declared: two tools are named `{name}`"));
            }
        }
        let guardrails = match &raw.guardrails {
            Some(written) => Guardrails::read(written).map_err(|fault| fault.to_string())?,
            None => Guardrails::default(),
        };
        Ok(Self {
            tools: tool::Rules {
                allowlist: tools.allowlist.unwrap_or_default(),
                blocklist: tools.blocklist.unwrap_or_default(),
                medium_requires_approval: tools
                    .risk_policy
                    .and_then(|policy| policy.medium_requires_approval)
                    .unwrap_or(false),
            },
            timeout: seconds("tools.timeout_seconds", tools.timeout_seconds)?.unwrap_or(defaults.timeout),
            declared,
            mcp,
            language_servers: servers(raw.language_servers)?,
            checks: lines("checks", raw.checks)?,
            guardrails,
            context: match &raw.context {
                Some(written) => Context::read(written)?,
                None => Context::default(),
            },
            global,
            evidence_days: raw
                .evidence
                .and_then(|e| e.valid_for_days)
                .unwrap_or(defaults.evidence_days),
        })
    }
}

fn declared(raw: RawDeclared) -> Result<Declared, String> {
    let served = match (raw.command, raw.mcp) {
        (Some(command), None) => Served::Command(command),
        (None, Some(server)) => Served::Mcp {
            server,
            tool: raw.tool.unwrap_or_else(|| raw.name.clone()),
        },
        _ => {
            return Err(format!(
                "tools.declared: the tool `{}` needs either `command` or `mcp`",
                raw.name
            ));
        }
    };
    Ok(Declared {
        timeout: seconds("tools.declared.timeout_seconds", raw.timeout_seconds)?,
        name: raw.name,
        description: raw.description,
        risk: raw.risk.unwrap_or(Risk::Medium),
        args: raw.args,
        served,
    })
}

fn seconds(key: &str, written: Option<f64>) -> Result<Option<Duration>, String> {
    match written {
        None => Ok(None),
        Some(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Some(Duration::from_secs_f64(seconds))),
        Some(seconds) => Err(format!(
            "`{key}` is {seconds}: a call takes more than nothing and less than a day"
        )),
    }
}

fn servers(raw: Option<BTreeMap<String, Server>>) -> Result<BTreeMap<String, Language>, String> {
    let mut out = BTreeMap::new();
    for (name, server) in raw.unwrap_or_default() {
        let (command, settings) = match server {
            Server::Line(command) => (command, Value::Null),
            Server::Named { command, settings } => (command, settings),
        };
        if command.trim().is_empty() {
            return Err(format!("`language_servers.{name}` has no command"));
        }
        out.insert(name, Language { command, settings });
    }
    Ok(out)
}

fn lines(key: &str, raw: Option<BTreeMap<String, Program>>) -> Result<BTreeMap<String, String>, String> {
    let mut out = BTreeMap::new();
    for (name, program) in raw.unwrap_or_default() {
        let (Program::Line(command) | Program::Named { command }) = program;
        if command.trim().is_empty() {
            return Err(format!("`{key}.{name}` has no command"));
        }
        out.insert(name, command);
    }
    Ok(out)
}
