//! MCP servers of the project: the tools that they have.
//!
//! ```text
//! Servers::new(context, servers)               -> Servers       // nothing is started yet
//! servers.tools(name, within)                  -> Vec<Tool>     // {name, description, schema, output_schema, read_only}
//! servers.call(name, tool, &arguments, within) -> Called        // {text, structured, other, is_error}
//! servers.end()                                                 // politely; dropping them kills
//! Serving::new(servers, declared)                               // declared tools that a server answers, as a [`Source`]
//! ```
//!
//! A project names its servers (`mcp: {files: {command: "mcp-server-filesystem ."}}`); each is started when it is first asked, speaks MCP
//! over its standard streams, and goes on running. Protocol 2025-06-18, or an older one that the server offers. Of all that the protocol
//! has, only tools are used, and nothing is offered to a server: no roots, no sampling, no questions to a person; it may only ping. What a
//! server says of its tools (also that they only read) is its own word: what a call risks is for the project's declaration.
//!
//! One that died is started again once within a call that had not been made yet; a call that may have been made is never repeated. One that
//! leaves two questions in a row unanswered is replaced before the next.

mod answer;
mod error;
mod serving;

pub use answer::{Called, Tool};
pub use error::Error;
pub use serving::Serving;

use crate::rpc::{self, Peer, Start, not_offered};
use crate::{Context, declared};
use process::Framing;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// The protocol that is asked for, and the older ones that are understood too.
const PROTOCOLS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];
/// How many pages of tools are read, and how many tools.
const PAGES: usize = 100;
const MOST: usize = 2000;

/// The MCP servers of one project.
#[derive(Debug)]
pub struct Servers {
    context: Context,
    servers: BTreeMap<String, (String, Mutex<Option<Server>>)>,
}

#[derive(Debug)]
struct Server {
    peer: Arc<Peer>,
    /// Its tools, once they have been asked for.
    tools: Option<Vec<Tool>>,
    /// It has said that its tools are others now.
    changed: Arc<AtomicBool>,
}

impl Servers {
    /// The servers that a project names, with their command lines (no shell reads them). They run in the context's folder with its
    /// environment and under its mark, for as long as this lives: it should be the mark of nothing that ends earlier.
    pub fn new(context: Context, servers: BTreeMap<String, String>) -> Self {
        let slot = |(name, command)| (name, (command, Mutex::new(None)));
        Self {
            context,
            servers: servers.into_iter().map(slot).collect(),
        }
    }

    /// The names of the servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The tools of a server. They are asked for once, and again when it says that they have changed.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn tools(&self, server: &str, within: Duration) -> Result<Vec<Tool>, Error> {
        self.known(server, Instant::now() + within)
            .await
            .map(|(_, tools)| tools)
    }

    /// Calls a tool of a server; the arguments are an object. That the tool says it failed is no error here: see [`Called::is_error`].
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn call(&self, server: &str, tool: &str, arguments: &Value, within: Duration) -> Result<Called, Error> {
        let until = Instant::now() + within;
        let (peer, tools) = self.known(server, until).await?;
        if !tools.iter().any(|t| t.name == tool) {
            return Err(Error::NoTool {
                server: server.to_owned(),
                tool: tool.to_owned(),
                known: tools.into_iter().map(|t| t.name).collect(),
            });
        }
        // Calls of one server run beside each other: its slot is free again.
        let params = json!({"name": tool, "arguments": arguments});
        let answer = peer.ask("tools/call", params, left(until)).await;
        let read = answer.and_then(|answer| answer::called(&answer).map_err(|why| strange("tools/call", why)));
        read.map_err(|error| failed(server, error))
    }

    /// Whether a server is there: it is started if need be, and asked for a sign of life.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn ping(&self, server: &str, within: Duration) -> Result<(), Error> {
        let until = Instant::now() + within;
        let mut slot = self.slot(server, until).await?;
        let peer = self.running(server, &mut slot, until).await?.peer.clone();
        drop(slot);
        let answer = peer.ask("ping", Value::Null, left(until)).await;
        answer.map(drop).map_err(|error| failed(server, error))
    }

    /// Closes the input of all servers, and waits until they have ended.
    pub async fn end(self) {
        for (_, slot) in self.servers.into_values() {
            // A call that is still under way keeps its server until it is dropped.
            if let Some(peer) = slot.into_inner().and_then(|server| Arc::into_inner(server.peer)) {
                peer.end().await;
            }
        }
    }

    async fn slot(&self, server: &str, until: Instant) -> Result<tokio::sync::MutexGuard<'_, Option<Server>>, Error> {
        let (_, slot) = self
            .servers
            .get(server)
            .ok_or_else(|| Error::NotConfigured(server.to_owned()))?;
        let late = || rpc::Error::Late {
            method: "initialize".to_owned(),
            after: Duration::ZERO,
            strays: 0,
        };
        timeout_at(until, slot.lock()).await.map_err(|_| failed(server, late()))
    }

    /// A server that runs, and its tools. One that turns out to have died meanwhile is started again, once.
    async fn known(&self, server: &str, until: Instant) -> Result<(Arc<Peer>, Vec<Tool>), Error> {
        let mut slot = self.slot(server, until).await?;
        let mut again = slot.is_some();
        loop {
            let running = self.running(server, &mut slot, until).await?;
            let fresh = running.changed.swap(false, Ordering::Relaxed);
            if let (Some(tools), false) = (&running.tools, fresh || running.peer.is_worn()) {
                return Ok((running.peer.clone(), tools.clone()));
            }
            match list(&running.peer, until).await {
                Ok(tools) => {
                    running.tools = Some(tools.clone());
                    return Ok((running.peer.clone(), tools));
                }
                Err(error) if error.is_over() && again => {
                    *slot = None;
                    again = false;
                }
                Err(error) => {
                    running.tools = None;
                    return Err(failed(server, error));
                }
            }
        }
    }

    async fn running<'s>(
        &self,
        server: &str,
        slot: &'s mut Option<Server>,
        until: Instant,
    ) -> Result<&'s mut Server, Error> {
        if slot.as_ref().is_some_and(|running| running.peer.is_worn()) {
            *slot = None;
        }
        match slot {
            Some(running) => Ok(running),
            None => {
                let started = self.start(server, until).await?;
                Ok(slot.insert(started))
            }
        }
    }

    async fn start(&self, name: &str, until: Instant) -> Result<Server, Error> {
        let server = || name.to_owned();
        let line = self
            .servers
            .get(name)
            .map(|(line, _)| line.as_str())
            .unwrap_or_default();
        if let Some(why) = declared::denied(&shlex::split(line).unwrap_or_default(), &self.context) {
            return Err(Error::Denied { server: server(), why });
        }
        let changed = Arc::new(AtomicBool::new(false));
        let start = Start {
            line,
            directory: &self.context.root,
            environment: self.context.environment.clone(),
            mark: self.context.mark.clone(),
            confinement: Arc::clone(&self.context.confinement),
            framing: Framing::Lines,
        };
        let peer = Peer::start(start, Manners(Arc::clone(&changed))).map_err(|error| match error {
            rpc::Error::Absent(program) => Error::Absent {
                server: server(),
                program,
            },
            error => failed(name, error),
        })?;
        let greeting = json!({
            "protocolVersion": PROTOCOLS[0],
            "capabilities": {},
            "clientInfo": {"name": "gatehouse", "title": "Gatehouse", "version": env!("CARGO_PKG_VERSION")},
        });
        let greeted = peer.ask("initialize", greeting, left(until)).await;
        let answer = greeted.map_err(|error| failed(name, error))?;
        let offered = answer["protocolVersion"].as_str().unwrap_or_default();
        if !PROTOCOLS.contains(&offered) {
            return Err(Error::Protocol {
                server: server(),
                offered: rpc::brief(offered),
            });
        }
        let told = peer.tell("notifications/initialized", Value::Null, left(until)).await;
        told.map_err(|error| failed(name, error))?;
        if !answer["capabilities"]["tools"].is_object() {
            return Err(Error::NoTools(server()));
        }
        Ok(Server {
            peer: Arc::new(peer),
            tools: None,
            changed,
        })
    }
}

/// All tools of a server, page by page.
async fn list(peer: &Peer, until: Instant) -> Result<Vec<Tool>, rpc::Error> {
    const METHOD: &str = "tools/list";
    let mut tools = Vec::new();
    let mut names = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut params = json!({});
    for _ in 0..PAGES {
        let answer = peer.ask(METHOD, params, left(until)).await?;
        let page = answer["tools"].as_array();
        for tool in page.ok_or_else(|| strange(METHOD, "it has no list of tools".to_owned()))? {
            let tool = answer::tool(tool).map_err(|why| strange(METHOD, why))?;
            // Of two tools of one name the first counts.
            if names.insert(tool.name.clone()) {
                tools.push(tool);
            }
        }
        if tools.len() > MOST {
            return Err(strange(METHOD, format!("it has more than {MOST} tools")));
        }
        let cursor = match answer["nextCursor"].as_str() {
            Some(cursor) => cursor.to_owned(),
            None => return Ok(tools),
        };
        if !seen.insert(cursor.clone()) {
            return Err(strange(METHOD, "its pages go round in a circle".to_owned()));
        }
        params = json!({"cursor": cursor});
    }
    Err(strange(METHOD, format!("it has more than {PAGES} pages")))
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

fn failed(server: &str, error: rpc::Error) -> Error {
    Error::Server {
        server: server.to_owned(),
        error,
    }
}

fn strange(method: &str, why: String) -> rpc::Error {
    rpc::Error::Strange {
        method: method.to_owned(),
        why,
    }
}

/// Nothing is offered to a server.
struct Manners(Arc<AtomicBool>);

impl rpc::Manners for Manners {
    fn asked(&mut self, method: &str, _: &Value) -> Result<Value, (i64, String)> {
        match method {
            "ping" => Ok(json!({})),
            other => Err(not_offered(other)),
        }
    }

    fn told(&mut self, method: &str, _: &Value) {
        // Logs and progress are for people who watch; nobody does.
        if method == "notifications/tools/list_changed" {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn withdrawal(id: i64) -> (&'static str, Value) {
        (
            "notifications/cancelled",
            json!({"requestId": id, "reason": "nobody waits for the answer any more"}),
        )
    }
}
