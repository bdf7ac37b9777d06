//! Sessions (seed 003): opening one to look at it. Nothing is run and nothing is written.

use crate::command::SessionOf;
use crate::show::session::read;
use crate::view::session::SessionView;
use crate::{ApiError, Studio};
use serde_json::Value;
use std::path::Path;
use store::StepFacts;
use store::regular::{self, LARGEST_WORKFLOW};

/// Reads a file as a session.
///
/// # Errors
/// `io`: it cannot be read; `invalid_file`: it is no session.
pub fn open(file: &Path) -> Result<SessionView, ApiError> {
    let path = file.display().to_string();
    let text = regular::read_text_through(file, LARGEST_WORKFLOW)
        .map_err(|error| ApiError::new("io", format!("{path} cannot be read: {error}.")))?;
    read(&path, &text)
}

impl Studio {
    /// A session: of a file of the project, or of a run.
    pub(crate) async fn open_session(&self, of: SessionOf) -> Result<SessionView, ApiError> {
        match of {
            SessionOf::File { path } => {
                let mut view = open(&self.inside(&path)?)?;
                view.path = path;
                Ok(view)
            }
            SessionOf::Run { run_id, at } => {
                let document = self.session_of(&run_id, at)?;
                let text = serde_json::to_string_pretty(&document);
                let text = text.map_err(|error| ApiError::new("internal", error.to_string()))?;
                read("context_state.json", &text)
            }
        }
    }

    /// The state of a run as a session document (seed 003), after its last event or after the one with this number.
    ///
    /// # Errors
    /// `not_found`; `bad_parameters`: it has no such event; and what the store reports.
    pub fn session_of(&self, id: &str, at: Option<u64>) -> Result<Value, ApiError> {
        let history = self.history(id)?;
        let facts = StepFacts::of(history.workflow());
        let events = history.events();
        let count = events.len() as u64;
        let last = at.unwrap_or(count);
        if !(1..=count).contains(&last) {
            let said = format!("The run has {count} events; none has the number {last}.");
            return Err(ApiError::new("bad_parameters", said));
        }
        let upto = events.into_iter().take_while(|stored| stored.seq <= last);
        store::session(upto, &facts).ok_or_else(|| ApiError::new("not_found", "The log does not begin with a run."))
    }
}
