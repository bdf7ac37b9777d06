//! Checks: whether a file is what it should be (seed 000 "Validation gates"). A check whose program is not on this machine says that it is
//! absent; it never passes.

mod data;
mod filled;
mod lines;
mod program;
mod syntax;
mod template;
mod tools;

pub use syntax::SourceLanguage;
pub(crate) use tools::Checks;

use crate::files::text_of;
use crate::source::{Cut, held};
use crate::{Context, Leash};
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::Future;

/// The largest file that is checked, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How many places are told.
const MOST_PLACES: usize = 100;

/// One check of one file.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// It is there, can be read as text (UTF-8) and is not empty.
    Text,
    /// It is JSON.
    Json,
    /// It is YAML, in one document or several.
    Yaml,
    /// What it holds (JSON, or YAML by its name) fits this JSON Schema.
    Schema(Value),
    /// The same with the schema in a file of the project, JSON or YAML.
    SchemaFile(String),
    /// It is Markdown that fills in this template, a file of the project: the template's headings in their order, something below each,
    /// no placeholder left. A heading of the template that ends with `(optional)` may be missing.
    Template(String),
    /// It is Python that can be read (`ast.parse` of the `python3` that is there).
    Ast,
    /// It is source text of this language that can be read.
    Syntax(SourceLanguage),
    /// Nothing here makes this check of such a file: it is put down as absent.
    Unset {
        /// The check that is asked for.
        name: String,
        /// Why nothing makes it, and how that can be changed: a sentence.
        why: String,
    },
    /// Its Python types fit, says `mypy`.
    Typecheck,
    /// `ruff check` has nothing to say.
    Lint,
    /// A command of the project ends with exit code 0.
    Command {
        /// What the project calls it.
        name: String,
        /// The command line; `{file}` in it becomes the path from the project's folder, else the path comes last.
        line: String,
    },
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOutcome {
    /// Whether it passed.
    pub status: CheckStatus,
    /// What is wrong, or which program is missing: a sentence; empty when it passed.
    pub message: String,
    /// Where, at most 100.
    pub places: Vec<CheckPlace>,
}

/// Whether a check passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// Nothing is wrong.
    Passed,
    /// Something is.
    Failed,
    /// Its program is not on this machine: it says nothing, and is never taken as a pass.
    Absent,
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckPlace {
    /// 1-based, where it is known.
    pub line: Option<u32>,
    /// 1-based, in characters, where it is known.
    pub column: Option<u32>,
    /// What is there.
    pub text: String,
}

impl Check {
    /// The check of this word: one that the project declares (`checks:` of `gatehouse.yaml`, name → command line), else `json`, `yaml`, `ast`,
    /// `typecheck`, `lint`. Checks that need something beside the file (a schema, a template) have no word.
    pub fn of_word(word: &str, declared: &BTreeMap<String, String>) -> Option<Self> {
        if let Some(line) = declared.get(word) {
            return Some(Self::Command {
                name: word.to_owned(),
                line: line.clone(),
            });
        }
        let known = [Self::Json, Self::Yaml, Self::Ast, Self::Typecheck, Self::Lint];
        known.into_iter().find(|check| check.name() == word)
    }

    /// Its word: `json`, `yaml`, `schema`, `template`, `ast`, `typecheck`, `lint`, or what the project calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Schema(_) | Self::SchemaFile(_) => "schema",
            Self::Template(_) => "template",
            Self::Ast | Self::Syntax(_) => "ast",
            Self::Unset { name, .. } => name,
            Self::Typecheck => "typecheck",
            Self::Lint => "lint",
            Self::Command { name, .. } => name,
        }
    }

    /// Checks a file, given by its path from the project's folder, within the context's timeout or until `stopped` resolves. Never panics.
    pub async fn run(&self, target: &str, context: &Context, stopped: impl Future<Output = ()> + Send) -> CheckOutcome {
        let checked = held(context.timeout, stopped, async |leash| {
            self.on(target, context, leash).await
        })
        .await;
        match checked {
            Ok(outcome) => outcome,
            Err((Cut::Late(words), _)) => failed(format!(
                "the check `{}` did not end within {words}, and was ended",
                self.name()
            )),
            Err((Cut::Off, _)) => failed(format!("the check `{}` was called off", self.name())),
        }
    }

    pub(crate) async fn on(&self, target: &str, context: &Context, leash: &Leash) -> CheckOutcome {
        match self {
            Self::Unset { why, .. } => CheckOutcome {
                status: CheckStatus::Absent,
                ..failed(why.clone())
            },
            Self::Ast => program::ast(target, context, leash).await,
            Self::Typecheck => program::mypy(target, context, leash).await,
            Self::Lint => program::ruff(target, context, leash).await,
            Self::Command { line, .. } => program::command(line, target, context, leash).await,
            of_text => {
                let (check, target, context) = (of_text.clone(), target.to_owned(), context.clone());
                let work = tokio::task::spawn_blocking(move || check.text(&target, &context));
                match leash.within(work).await {
                    Some(Ok(outcome)) => outcome,
                    Some(Err(error)) => failed(format!("the check broke; that is a fault of Gatehouse: {error}")),
                    None => failed("the check was called off"),
                }
            }
        }
    }

    /// Those that need no program.
    fn text(&self, target: &str, context: &Context) -> CheckOutcome {
        let read = |path: &str| text_of(context, path, LARGEST).map_err(|refusal| failed(refusal.to_string()));
        let checked = || -> Result<CheckOutcome, CheckOutcome> {
            let text = read(target)?.text;
            Ok(match self {
                Self::Text if text.trim().is_empty() => failed("it is empty"),
                Self::Text => passed(),
                Self::Yaml => data::yaml(&text),
                Self::Syntax(source) => syntax::check(&text, *source),
                Self::Schema(schema) => data::schema(target, &text, schema),
                Self::SchemaFile(path) => {
                    let schema = read(path)?.text;
                    match data::value(path, &schema) {
                        Ok(schema) => data::schema(target, &text, &schema),
                        Err(fault) => failed(format!("the schema `{path}` cannot be read: {}", fault.message)),
                    }
                }
                Self::Template(path) => template::check(&text, &read(path)?.text),
                _ => data::json(&text),
            })
        };
        checked().unwrap_or_else(|refused| refused)
    }
}

impl CheckStatus {
    /// The word in a file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Absent => "absent",
        }
    }
}

fn passed() -> CheckOutcome {
    CheckOutcome {
        status: CheckStatus::Passed,
        message: String::new(),
        places: Vec::new(),
    }
}

fn failed(message: impl Into<String>) -> CheckOutcome {
    CheckOutcome {
        status: CheckStatus::Failed,
        message: message.into(),
        places: Vec::new(),
    }
}

/// Passed when nothing was found, else failed with the first in the message.
fn found(mut places: Vec<CheckPlace>) -> CheckOutcome {
    let more = places.len().saturating_sub(1);
    places.truncate(MOST_PLACES);
    let Some(first) = places.first() else {
        return passed();
    };
    let mut message = match first.line {
        Some(line) => format!("line {line}: {}", first.text),
        None => first.text.clone(),
    };
    match more {
        0 => {}
        1 => message.push_str(" (and one more)"),
        more => message.push_str(&format!(" (and {more} more)")),
    }
    CheckOutcome {
        places,
        ..failed(message)
    }
}
