//! Why a server did not answer.

use super::PROTOCOLS;
use crate::rpc;

/// Why a server did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project names no such server.
    #[error(
        "this project has no MCP server `{0}`. Name it in gatehouse.yaml, such as `mcp: {{{0}: {{command: \"…\"}}}}`"
    )]
    NotConfigured(String),
    /// The server is not installed.
    #[error(
        "the MCP server `{server}` is absent: `{program}` was not found. Install it, or correct its command under `mcp` in gatehouse.yaml"
    )]
    Absent {
        /// Its name.
        server: String,
        /// The program that was looked for.
        program: String,
    },
    /// The permissions refuse its command.
    #[error(
        "the MCP server `{server}` may not be started: {why}; the rules stand under `permissions` in gatehouse.yaml"
    )]
    Denied {
        /// Its name.
        server: String,
        /// What refuses it.
        why: String,
    },
    /// It speaks no protocol that is understood.
    #[error("the MCP server `{server}` speaks protocol `{offered}`, and only {} are understood. Another version of it may fit", PROTOCOLS.join(", "))]
    Protocol {
        /// Its name.
        server: String,
        /// What it offers.
        offered: String,
    },
    /// It has no tools at all.
    #[error("the MCP server `{0}` offers no tools")]
    NoTools(String),
    /// It has no such tool.
    #[error("the MCP server `{server}` has no tool `{tool}`{}", has(.known))]
    NoTool {
        /// Its name.
        server: String,
        /// What was asked for.
        tool: String,
        /// What it has.
        known: Vec<String>,
    },
    /// It did not answer, or not as it should.
    #[error("the MCP server `{server}`: {error}")]
    Server {
        /// Its name.
        server: String,
        /// What went wrong.
        error: rpc::Error,
    },
}

fn has(tools: &[String]) -> String {
    match tools {
        [] => String::new(),
        tools => format!(". It has {}", rpc::brief(&tools.join(", "))),
    }
}
