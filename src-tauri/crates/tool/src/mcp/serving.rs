//! Tools that a project declares and an MCP server answers.

use super::{Called, Error, Servers};
use crate::{Answer, Context, Declared, Leash, Outcome, Served, Source, Spec};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Declared tools that MCP servers answer.
#[derive(Debug)]
pub struct Serving {
    servers: Arc<Servers>,
    declared: Vec<Declared>,
}

impl Serving {
    /// Of these tools those that an MCP server answers.
    pub fn new(servers: Arc<Servers>, declared: &[Declared]) -> Self {
        let served = |d: &&Declared| matches!(d.served, Served::Mcp { .. });
        Self {
            servers,
            declared: declared.iter().filter(served).cloned().collect(),
        }
    }

    /// Asks the servers for what the declarations leave out: the schema of the arguments, the description. Starts the servers. What could not
    /// be learnt is told, in words for whoever wrote it; the tool stays as it was declared.
    pub async fn learn(&mut self, within: Duration) -> Vec<String> {
        let mut problems = Vec::new();
        for declared in &mut self.declared {
            let Served::Mcp { server, tool } = &declared.served else {
                continue;
            };
            let tools = match self.servers.tools(server, within).await {
                Ok(tools) => tools,
                Err(error) => {
                    problems.push(format!("`{}`: {error}", declared.name));
                    continue;
                }
            };
            let Some(known) = tools.iter().find(|known| known.name == *tool) else {
                let error = Error::NoTool {
                    server: server.clone(),
                    tool: tool.clone(),
                    known: tools.into_iter().map(|t| t.name).collect(),
                };
                problems.push(format!("`{}`: {error}", declared.name));
                continue;
            };
            declared.args.get_or_insert_with(|| known.schema.clone());
            if declared.description.trim().is_empty() {
                declared.description.clone_from(&known.description);
            }
        }
        problems
    }
}

/// An answer is `{"text", "structured", "other"}` ([`Called`]); where a server gives only data, or only text, it is that. A tool that says
/// it failed has failed, with its text as the reason.
impl Source for Serving {
    fn specs(&self) -> Vec<Spec> {
        self.declared.iter().map(Declared::spec).collect()
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        Box::pin(async move {
            let declared = self.declared.iter().find(|declared| declared.name == name);
            let Some((declared, Served::Mcp { server, tool })) = declared.map(|d| (d, &d.served)) else {
                return Outcome::failed(format!("`{name}` is no tool of an MCP server"));
            };
            let within = declared.timeout.unwrap_or(context.timeout);
            match leash.within(self.servers.call(server, tool, args, within)).await {
                None => Outcome::failed("the call was called off"),
                Some(Err(error)) => Outcome::failed(error.to_string()),
                Some(Ok(called)) if called.is_error => {
                    let why = match called.text.trim() {
                        "" => format!("`{tool}` of the MCP server `{server}` failed and does not say why"),
                        text => crate::rpc::brief(text),
                    };
                    Outcome::failed(why).with(output(called))
                }
                Some(Ok(called)) => Outcome::completed(output(called)),
            }
        })
    }
}

fn output(called: Called) -> Value {
    match (called.structured, called.text.is_empty(), called.other.is_empty()) {
        // The text of a structured answer repeats it, for those who read no data.
        (Some(structured), _, true) => structured,
        (None, false, true) => Value::String(called.text),
        (structured, _, _) => json!({"text": called.text, "structured": structured, "other": called.other}),
    }
}
