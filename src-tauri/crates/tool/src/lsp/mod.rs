//! Language servers of the project: what a name means, and what a call wants.
//!
//! ```text
//! Servers::new(context, languages)   -> Servers               // nothing is started yet
//! servers.hover(&place, &context, …) -> Option<Hover>         // {text, kind, range}
//! servers.signature_help(&place, …)  -> Option<Signatures>    // {signatures: [{text, documentation, parameters}], …}
//! servers.end()                                               // politely; dropping them kills
//! ```
//!
//! A project names its servers (`language_servers: {python: {command: "pyright-langserver --stdio"}}`); each is started when it is first
//! asked, in the project's folder, and goes on running. One that died is started again once within a call; one that leaves two questions
//! in a row unanswered is replaced before the next. Positions count from 0, characters in UTF-16 units, as the protocol (LSP 3.17) has it.
//!
//! A document is a file of the project that the permissions let be read, or a text that is nowhere on the disk. What a server asks of us it
//! gets as far as it is harmless: its own settings, the project's folder. It may not change a file, show a window or ask a person. What it
//! reads by itself is as free as any program that the project's configuration names.

mod answer;
mod language;
mod manners;
mod server;
mod tools;

pub use answer::{Hover, Kind, Parameter, Position, Range, Signature, Signatures};

use crate::files::{self, Refusal};
use crate::rpc;
use crate::{Context, declared};
use language::Family;
use serde_json::Value;
use server::{Document, Server};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// The largest document that is shown to a server, in bytes.
const LARGEST: u64 = 2 * 1024 * 1024;

/// The server of one language, as the project's configuration names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Language {
    /// Its command line; no shell reads it.
    pub command: String,
    /// What it gets when it asks for its settings: an object, sections by name (`{"python": {"pythonPath": "…"}}`). Null: none.
    pub settings: Value,
}

/// A place in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The document, from the project's folder. With a `text` it need not exist.
    pub path: Option<&'a str>,
    /// The text of the document, when it is not what the disk has.
    pub text: Option<&'a str>,
    /// The language, where the end of the path does not tell.
    pub language: Option<&'a str>,
    /// The line, from 0.
    pub line: u32,
    /// The character in it, from 0, in UTF-16 units.
    pub character: u32,
}

/// Why a server did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither a path nor a text.
    #[error("a document is needed: the path of a file in the project, or a text and its language")]
    NoDocument,
    /// Nobody can tell the language.
    #[error("the language of `{0}` is not known. Say it, such as `language: python`")]
    NoLanguage(String),
    /// The project names no server for it.
    #[error(
        "this project has no language server for {0}. Name one in gatehouse.yaml, such as `language_servers: {{{0}: {{command: \"{1}\"}}}}`"
    )]
    NotConfigured(String, &'static str),
    /// The server is not installed.
    #[error("the language server for {language} is absent: `{program}` was not found. {remedy}")]
    Absent {
        /// Which language.
        language: String,
        /// The program that was looked for.
        program: String,
        /// What installs it.
        remedy: String,
    },
    /// The permissions refuse its command.
    #[error(
        "the language server for {language} may not be started: {why}; the rules stand under `permissions` in gatehouse.yaml"
    )]
    Denied {
        /// Which language.
        language: String,
        /// What refuses it.
        why: String,
    },
    /// The document is not shown to a server.
    #[error("{0}")]
    Document(String),
    /// The place is not in the document.
    #[error("`{path}` has {lines} lines, so there is no line {line} (lines count from 0)")]
    NoPlace {
        /// Which document.
        path: String,
        /// How many lines it has.
        lines: usize,
        /// Which one was asked for.
        line: u32,
    },
    /// The server does not do this.
    #[error("the language server for {language} does not answer `{method}`")]
    NotOffered {
        /// Which language.
        language: String,
        /// What was asked.
        method: &'static str,
    },
    /// The server did not answer, or not as it should.
    #[error("the language server for {language}: {error}")]
    Server {
        /// Which language.
        language: String,
        /// What went wrong.
        error: rpc::Error,
    },
}

/// The language servers of one project.
#[derive(Debug)]
pub struct Servers {
    context: Context,
    languages: BTreeMap<String, (Language, Mutex<Option<Server>>)>,
}

impl Servers {
    /// The servers that a project names, by language. They run in the context's folder with its environment and under its mark, for as long
    /// as this lives: it should be the mark of nothing that ends earlier.
    pub fn new(context: Context, languages: BTreeMap<String, Language>) -> Self {
        let slot = |(name, language)| (name, (language, Mutex::new(None)));
        Self {
            context,
            languages: languages.into_iter().map(slot).collect(),
        }
    }

    /// The languages that have a server.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.languages.keys().map(String::as_str)
    }

    /// What is known of the name at a place: its type, its documentation. The context of the call says which documents may be read; `within`:
    /// how long it may take, the start of the server included.
    ///
    /// # Errors
    /// See [`Error`]. That nothing is known there is none.
    pub async fn hover(&self, place: &Place<'_>, context: &Context, within: Duration) -> Result<Option<Hover>, Error> {
        let (language, answer) = self.ask("textDocument/hover", place, context, within).await?;
        answer::hover(&answer).map_err(|why| strange(language, "textDocument/hover", why))
    }

    /// What the call around a place wants: its signatures, and which of their parameters is meant.
    ///
    /// # Errors
    /// See [`Error`]. That there is no call is none.
    pub async fn signature_help(
        &self,
        place: &Place<'_>,
        context: &Context,
        within: Duration,
    ) -> Result<Option<Signatures>, Error> {
        let (language, answer) = self.ask("textDocument/signatureHelp", place, context, within).await?;
        answer::signatures(&answer).map_err(|why| strange(language, "textDocument/signatureHelp", why))
    }

    /// Tells all servers to end, and waits until they have.
    pub async fn end(self) {
        for (_, slot) in self.languages.into_values() {
            if let Some(server) = slot.into_inner() {
                server.end().await;
            }
        }
    }

    async fn ask(
        &self,
        method: &'static str,
        place: &Place<'_>,
        context: &Context,
        within: Duration,
    ) -> Result<(String, Value), Error> {
        let until = Instant::now() + within;
        let family = Family::of(place.language, place.path)?;
        let Some((name, (language, slot))) = family.keys().find_map(|key| self.languages.get_key_value(key)) else {
            return Err(Error::NotConfigured(family.name().to_owned(), family.usual_command()));
        };
        let document = document(place, &family, context)?;
        let failed = |error: rpc::Error| Error::Server {
            language: name.clone(),
            error,
        };
        let late = || rpc::Error::Late {
            method: method.to_owned(),
            after: within,
            strays: 0,
        };
        let mut slot = timeout_at(until, slot.lock()).await.map_err(|_| failed(late()))?;
        if slot.as_ref().is_some_and(Server::is_worn) {
            *slot = None;
        }
        let mut again = slot.is_some();
        loop {
            let server = match &mut *slot {
                Some(server) => server,
                None => slot.insert(self.start(name, language, until).await?),
            };
            if !server.offers(method) {
                return Err(Error::NotOffered {
                    language: name.clone(),
                    method,
                });
            }
            match server.ask(method, &document, place, context, until).await {
                Ok(answer) => return Ok((name.clone(), answer)),
                // One that had been running may have died of old age; a fresh one that dies gets one more chance.
                Err(error) if error.is_over() => {
                    *slot = None;
                    if !again {
                        return Err(failed(error));
                    }
                    again = false;
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    async fn start(&self, name: &str, language: &Language, until: Instant) -> Result<Server, Error> {
        if let Some(why) = declared::denied(&shlex::split(&language.command).unwrap_or_default(), &self.context) {
            return Err(Error::Denied {
                language: name.to_owned(),
                why,
            });
        }
        Server::start(language, &self.context, until)
            .await
            .map_err(|error| match error {
                rpc::Error::Absent(program) => Error::Absent {
                    language: name.to_owned(),
                    remedy: language::remedy(&program),
                    program,
                },
                error => Error::Server {
                    language: name.to_owned(),
                    error,
                },
            })
    }
}

/// The document of a place, checked: inside the project, permitted, and long enough.
fn document(place: &Place<'_>, family: &Family<'_>, context: &Context) -> Result<Document, Error> {
    let refused = |refusal: Refusal| Error::Document(refusal.to_string());
    let (path, text) = match (place.path, place.text) {
        (None, None) => return Err(Error::NoDocument),
        (Some(path), None) => {
            let read = files::text_of(context, path, LARGEST).map_err(refused)?;
            (read.path, read.text)
        }
        (Some(path), Some(text)) => {
            let place = files::place(context, path, permission::Kind::Read).map_err(refused)?;
            (place.shown(), text.to_owned())
        }
        (None, Some(text)) => (format!("gatehouse-inline.{}", family.extension()), text.to_owned()),
    };
    if text.len() as u64 > LARGEST {
        return Err(refused(Refusal::TooLarge { path, limit: LARGEST }));
    }
    let lines = answer::lines(&text);
    if place.line as usize >= lines {
        return Err(Error::NoPlace {
            path,
            lines,
            line: place.line,
        });
    }
    Ok(Document {
        path,
        id: family.id().to_owned(),
        text,
    })
}

fn strange(language: String, method: &str, why: String) -> Error {
    Error::Server {
        language,
        error: rpc::Error::Strange {
            method: method.to_owned(),
            why,
        },
    }
}
