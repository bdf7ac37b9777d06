//! Tools that a project declares in `gatehouse.yaml`: a name, a risk, a schema, and a command or an MCP server that serves them.

use crate::schema::Schema;
use crate::{Answer, Context, Leash, Outcome, Risk, Source, Spec, once};
use permission::uses;
use process::{Order, Talk, part_of};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A tool of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// How a step calls it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it risks.
    pub risk: Risk,
    /// JSON Schema of its arguments; absent: any object.
    pub args: Option<Value>,
    /// How long a call may take; absent: what the project says.
    pub timeout: Option<Duration>,
    /// Who answers.
    pub served: Served,
}

/// Who answers the calls of a declared tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Served {
    /// A command line, split into words as a shell does, and started in the project's folder without one. It reads its arguments as one JSON
    /// object on standard input and finds its name in `GATEHOUSE_TOOL`; what it writes on standard output is its answer, JSON or text;
    /// an exit code other than 0 is a failure, told by the last line on standard error.
    Command(String),
    /// A tool of an MCP server.
    Mcp {
        /// The server's name in `mcp:` of `gatehouse.yaml`.
        server: String,
        /// The tool's name there.
        tool: String,
    },
}

/// How much of an answer is kept, in bytes.
pub(crate) const KEPT: usize = 1024 * 1024;

impl Declared {
    /// What anybody may know of it.
    pub fn spec(&self) -> Spec {
        let schema = self.args.clone().unwrap_or_else(|| json!({"type": "object"}));
        Spec {
            timeout: self.timeout,
            ..Spec::new(&self.name, &self.description, self.risk, schema)
        }
    }

    /// What is wrong with it, in words for whoever wrote it.
    pub fn problem(&self) -> Option<String> {
        let name = &self.name;
        if name.trim().is_empty() {
            return Some("a tool is declared without a name".to_owned());
        }
        if let Some(args) = &self.args
            && let Err(why) = Schema::of(args)
        {
            return Some(format!("the schema of the arguments of `{name}` cannot be used: {why}"));
        }
        match &self.served {
            Served::Command(line) => match shlex::split(line) {
                None => Some(format!(
                    "the command of `{name}` cannot be split into words: a quote does not end"
                )),
                Some(words) if words.is_empty() => Some(format!("the command of `{name}` is empty")),
                Some(_) => None,
            },
            Served::Mcp { server, tool } if server.trim().is_empty() || tool.trim().is_empty() => {
                Some(format!("`{name}` needs the name of an MCP server and of its tool"))
            }
            Served::Mcp { .. } => None,
        }
    }
}

/// Declared tools that are commands.
#[derive(Debug)]
pub(crate) struct Commands(pub Vec<Declared>);

impl Source for Commands {
    fn specs(&self) -> Vec<Spec> {
        self.0.iter().map(Declared::spec).collect()
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        let declared = self.0.iter().find(|declared| declared.name == name);
        let line = match declared.map(|declared| &declared.served) {
            Some(Served::Command(line)) => line.as_str(),
            _ => return Box::pin(std::future::ready(Outcome::failed(format!("`{name}` is no command")))),
        };
        Box::pin(answer(name, line, args, context, leash))
    }
}

async fn answer(name: &str, line: &str, args: &Value, context: &Context, leash: &Leash) -> Outcome {
    let talk = Talk {
        input: args.to_string().into_bytes(),
        speaks: false,
        kept: KEPT,
        ..Talk::default()
    };
    let ended = match start(line, &[("GATEHOUSE_TOOL", name)], talk, context, leash).await {
        Ok(ended) => ended,
        Err(why) => return Outcome::failed(why),
    };
    let text = String::from_utf8_lossy(&ended.answer);
    // An object that names a field twice is kept as the text it is: as a value it would hold one of the two.
    let output = match once::read(text.as_bytes()) {
        _ if text.trim().is_empty() => Value::Null,
        Ok(json) if ended.cut == 0 => json,
        _ if ended.cut == 0 => Value::String(text.into_owned()),
        _ => Value::String(format!("{text}\n[{} more bytes were not kept]", ended.cut)),
    };
    match ended.complaint() {
        None => Outcome::completed(output),
        Some(why) => Outcome::failed(why).with(output),
    }
}

/// Starts a command line of the project's configuration and waits for its end. What a rule (or a secret) denies is kept from it; what no rule
/// names is not asked for, since rules and line were written by the same hand.
pub(crate) async fn start(
    line: &str,
    variables: &[(&str, &str)],
    talk: Talk,
    context: &Context,
    leash: &Leash,
) -> Result<process::Ended, String> {
    let words = shlex::split(line).unwrap_or_default();
    if words.is_empty() {
        return Err(format!("`{line}` is no command"));
    }
    run(&words, variables, talk, context, leash)
        .await
        .map_err(|failure| failure.to_string())
}

/// Why a program did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRun {
    /// A rule denies it.
    #[error("not permitted, so nothing was run: {0}; the rules stand under `permissions` in gatehouse.yaml")]
    Denied(String),
    /// There is no such program.
    #[error("the program `{0}` was not found: it is not installed, or not where PATH leads")]
    Absent(String),
    /// It is there and does not start.
    #[error("the program `{program}` could not be started: {error}")]
    Broken {
        /// Which.
        program: String,
        /// What the system says.
        error: io::Error,
    },
}

/// Starts a program with arguments and waits for its end.
pub(crate) async fn run(
    words: &[String],
    variables: &[(&str, &str)],
    talk: Talk,
    context: &Context,
    leash: &Leash,
) -> Result<process::Ended, NotRun> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (program, arguments) = match words.split_first() {
        Some(split) => split,
        None => return Err(NotRun::Absent(String::new())),
    };
    if let Some(why) = denied(words, context) {
        return Err(NotRun::Denied(why));
    }
    let own = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let order = Order {
        program,
        arguments,
        directory: &context.root,
        environment: context.environment.iter().cloned().chain(own).collect(),
        // Ending this one ends nobody else of the same attempt.
        mark: part_of(
            &context.mark,
            &format!("call-{}", COUNT.fetch_add(1, Ordering::Relaxed)),
        ),
        confinement: Arc::clone(&context.confinement),
    };
    process::run(order, talk, leash)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => NotRun::Absent(program.clone()),
            _ => NotRun::Broken {
                program: program.clone(),
                error,
            },
        })
}

/// What of a command the rules deny, in words.
pub(crate) fn denied(words: &[String], context: &Context) -> Option<String> {
    let quoted = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    let uses = uses("sh", &quoted);
    let denied = context.policy.judge(&uses, &uses.needs).denied;
    let said: Vec<String> = denied
        .iter()
        .map(|d| format!("{} ({})", d.need.sentence(), d.by))
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}
