//! One running language server: its start, the documents it has been shown, its end.

use super::manners::{Manners, Work};
use super::{LARGEST, Language, Place};
use crate::rpc::{Error, Peer, Start};
use crate::{Context, files};
use process::Framing;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

/// How many documents it is shown at a time.
const OPEN: usize = 8;
/// How long it may take to take its leave.
const LEAVE: Duration = Duration::from_secs(2);
/// How long a question rests that it did not want to answer yet.
const REST: Duration = Duration::from_millis(200);
/// Answers that ask to be asked again: the document has changed, the server cancelled.
const AGAIN: [i64; 2] = [-32801, -32802];

/// A document to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    /// From the project's folder.
    pub path: String,
    /// Its language's id.
    pub id: String,
    pub text: String,
}

#[derive(Debug)]
struct Shown {
    document: Document,
    version: i32,
}

/// A running server.
#[derive(Debug)]
pub(super) struct Server {
    peer: Peer,
    capabilities: Value,
    work: watch::Receiver<Work>,
    root: String,
    /// The documents it has been shown, the latest last.
    shown: Vec<Shown>,
    /// It and we agree on what it has been shown: nobody left while it was told.
    agrees: bool,
}

impl Server {
    /// Starts it and greets it.
    pub async fn start(language: &Language, context: &Context, until: Instant) -> Result<Self, Error> {
        let folder = context.root.canonicalize().unwrap_or_else(|_| context.root.clone());
        let root = uri(&folder.to_string_lossy());
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folders = json!([{"uri": root, "name": name}]);
        let (manners, work) = Manners::new(language.settings.clone(), folders.clone());
        let start = Start {
            line: &language.command,
            directory: &folder,
            environment: context.environment.clone(),
            mark: context.mark.clone(),
            confinement: std::sync::Arc::clone(&context.confinement),
            framing: Framing::Headers,
        };
        let peer = Peer::start(start, manners)?;
        let greeting = json!({
            // It ends by itself when this program is gone.
            // Servers look whether this process is still there, which they may not: they end with their supervisor anyway.
            "processId": null,
            "clientInfo": {"name": "gatehouse", "version": env!("CARGO_PKG_VERSION")},
            "rootPath": folder.to_string_lossy(),
            "rootUri": root,
            "workspaceFolders": folders,
            "capabilities": capabilities(),
        });
        let answer = peer.ask("initialize", greeting, left(until)).await?;
        let capabilities = answer["capabilities"].clone();
        let encoding = capabilities["positionEncoding"].as_str().unwrap_or("utf-16");
        if !capabilities.is_object() || encoding != "utf-16" {
            return Err(Error::Strange {
                method: "initialize".to_owned(),
                why: match capabilities.is_object() {
                    true => format!("it counts characters in {encoding}, which nobody offered"),
                    false => "it says nothing of what it can do".to_owned(),
                },
            });
        }
        peer.tell("initialized", json!({}), left(until)).await?;
        if !language.settings.is_null() {
            let settings = json!({"settings": language.settings});
            peer.tell("workspace/didChangeConfiguration", settings, left(until))
                .await?;
        }
        Ok(Self {
            peer,
            capabilities,
            work,
            root,
            shown: Vec::new(),
            agrees: true,
        })
    }

    /// Whether it says that it answers this.
    pub fn offers(&self, method: &str) -> bool {
        let provider = match method {
            "textDocument/hover" => &self.capabilities["hoverProvider"],
            _ => &self.capabilities["signatureHelpProvider"],
        };
        !matches!(provider, Value::Null | Value::Bool(false))
    }

    /// Whether it is of no more use.
    pub fn is_worn(&self) -> bool {
        !self.agrees || self.peer.is_worn()
    }

    /// Shows it a document and asks about a place in it.
    pub async fn ask(
        &mut self,
        method: &str,
        document: &Document,
        place: &Place<'_>,
        context: &Context,
        until: Instant,
    ) -> Result<Value, Error> {
        self.agrees = false;
        self.refresh(document, context, until).await?;
        self.show(document, until).await?;
        self.agrees = true;
        let params = json!({
            "textDocument": {"uri": self.uri(&document.path)},
            "position": {"line": place.line, "character": place.character},
        });
        loop {
            let before = *self.work.borrow();
            match self.peer.ask(method, params.clone(), left(until)).await {
                // One that is still reading the project does not know it yet.
                Ok(Value::Null) if before.busy || *self.work.borrow() != before => {
                    let idle = self.work.wait_for(|work| !work.busy);
                    if !matches!(timeout_at(until, idle).await, Ok(Ok(_))) {
                        return Ok(Value::Null);
                    }
                }
                Err(Error::Refused { code, .. }) if AGAIN.contains(&code) && left(until) > REST => sleep(REST).await,
                answer => return answer,
            }
        }
    }

    /// Brings the other documents it was shown in line with the disk; what is not there any more is closed.
    async fn refresh(&mut self, wanted: &Document, context: &Context, until: Instant) -> Result<(), Error> {
        let others: Vec<Document> = self.shown.iter().map(|s| s.document.clone()).collect();
        for mut other in others.into_iter().filter(|other| other.path != wanted.path) {
            match files::text_of(context, &other.path, LARGEST) {
                Ok(read) => {
                    other.text = read.text;
                    self.show(&other, until).await?;
                }
                Err(_) => self.close(&other.path, until).await?,
            }
        }
        Ok(())
    }

    /// Shows it a document, or what is new in it.
    async fn show(&mut self, document: &Document, until: Instant) -> Result<(), Error> {
        let uri = self.uri(&document.path);
        let known = self.shown.iter().position(|s| s.document.path == document.path);
        let Some(at) = known else {
            if self.shown.len() >= OPEN {
                let oldest = self.shown[0].document.path.clone();
                self.close(&oldest, until).await?;
            }
            let item = json!({"uri": uri, "languageId": document.id, "version": 1, "text": document.text});
            self.peer
                .tell("textDocument/didOpen", json!({"textDocument": item}), left(until))
                .await?;
            self.shown.push(Shown {
                document: document.clone(),
                version: 1,
            });
            return Ok(());
        };
        let mut shown = self.shown.remove(at);
        if shown.document.text != document.text {
            shown.version += 1;
            let change = json!({
                "textDocument": {"uri": uri, "version": shown.version},
                "contentChanges": [{"text": document.text}],
            });
            self.peer.tell("textDocument/didChange", change, left(until)).await?;
            shown.document = document.clone();
        }
        self.shown.push(shown);
        Ok(())
    }

    async fn close(&mut self, path: &str, until: Instant) -> Result<(), Error> {
        self.shown.retain(|s| s.document.path != path);
        let params = json!({"textDocument": {"uri": self.uri(path)}});
        self.peer.tell("textDocument/didClose", params, left(until)).await
    }

    /// Takes leave as the protocol has it, and ends it.
    pub async fn end(self) {
        // One that does not answer is told to go all the same.
        let _ = self.peer.ask("shutdown", Value::Null, LEAVE).await;
        let _ = self.peer.tell("exit", Value::Null, LEAVE).await;
        self.peer.end().await;
    }

    fn uri(&self, path: &str) -> String {
        format!("{}/{}", self.root, encoded(path))
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

fn uri(path: &str) -> String {
    format!("file://{}", encoded(path))
}

/// A path as part of a URI.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

/// What we can do: little, so that little is asked.
fn capabilities() -> Value {
    let texts = json!(["markdown", "plaintext"]);
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "workspace": {"configuration": true, "workspaceFolders": true, "didChangeConfiguration": {"dynamicRegistration": false}},
        "window": {"workDoneProgress": true},
        "textDocument": {
            "synchronization": {"dynamicRegistration": false},
            "publishDiagnostics": {},
            "hover": {"contentFormat": texts},
            "signatureHelp": {
                "contextSupport": false,
                "signatureInformation": {
                    "documentationFormat": texts,
                    "parameterInformation": {"labelOffsetSupport": true},
                    "activeParameterSupport": true,
                },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("/a b/ü#?.ts"), "file:///a%20b/%C3%BC%23%3F.ts");
    }
}
