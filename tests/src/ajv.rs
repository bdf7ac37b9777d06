//! A second opinion on sessions (seed 003): the validator `ajv`, which is another program in another language.

use serde_json::Value;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// `ajv`, to which documents are given one after the other.
#[derive(Debug)]
pub struct Ajv {
    child: Child,
    documents: BufWriter<ChildStdin>,
    given: usize,
}

impl Ajv {
    /// Starts it with the schema of sessions.
    ///
    /// # Panics
    /// Node is not there.
    pub fn start() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let script = Path::new("tests/ajv.mjs");
        let root = root.into_iter().find(|folder| folder.join(script).is_file());
        let root = root.expect("the project");
        let mut child = Command::new("node")
            .arg(root.join(script))
            .arg(root.join("src-tauri/crates/dialect/src/session/context_state.schema.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is there");
        let documents = BufWriter::new(child.stdin.take().expect("its input"));
        Self {
            child,
            documents,
            given: 0,
        }
    }

    /// Gives it one. What it says to it comes out at the end.
    pub fn give(&mut self, document: &Value) {
        self.given += 1;
        // One that has already refused a document reads no further one.
        let _ = writeln!(self.documents, "{document}");
    }

    /// Ends it; returns how many documents it was given.
    ///
    /// # Panics
    /// It did not accept all of them.
    pub fn accepts(self) -> usize {
        let Self {
            child,
            documents,
            given,
        } = self;
        drop(documents);
        let ended = child.wait_with_output().expect("it ends");
        let accepted = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "ajv does not accept a session");
        assert_eq!(accepted.trim(), given.to_string(), "it has seen all of them");
        given
    }
}
