//! Sessions (seed 003): opening one to look at it, taking one in as a run, and going on from it with its workflow.

use crate::command::{SessionOf, Started, TakeOverOf};
use crate::run::history::History;
use crate::run::status;
use crate::session::present::read;
use crate::session::view::{SessionView, TakeOverView};
use crate::{ApiError, Studio, words};
pub use dialect::session::SCHEMA;
use engine::control::resume::reach;
use engine::{GateRules, Imported, RunCreated, RunId, RunState, Stand};
use model::{Severity, Step, StepId, Work, WorkflowId};
use runtime::imported::ImportRequest;
use runtime::imported::inputs::not_here;
use runtime::{Point, StartRequest};
use serde_json::Value;
use std::path::Path;
use store::regular::{self, LARGEST_WORKFLOW, NotRead};
use store::{RunFilter, StatusWord};

/// The code of a break of the schema.
const BREAK: &str = "GH0601";
/// So many imported sessions of a workflow are looked at for one that is the same.
const MOST_LOOKED_AT: usize = 64;
/// So many of them are named.
const MOST_NAMED: usize = 3;

/// What a run was created from that is a session of elsewhere.
pub(crate) fn imported_of(history: &History) -> Option<(&RunCreated, &Imported)> {
    let created = history.created()?;
    Some((created, created.imported.as_deref()?))
}

fn not_imported() -> ApiError {
    ApiError::new(
        "refused:cannot_reopen",
        "This run was not imported: it goes on as it is.",
    )
    .hint("Leave the workflow away.")
}

fn cannot(why: String) -> ApiError {
    ApiError::new("refused:cannot_reopen", why)
        .hint("Name the step at which it is to go on, choose another workflow, or start a new run.")
}

/// The text of a session that a person named.
///
/// # Errors
/// `not_found`: it is not there; `invalid_file`: it is no file, too large or no text; `io`: it cannot be read.
pub fn text_of(file: &Path) -> Result<String, ApiError> {
    regular::read_text_through(file, LARGEST_WORKFLOW).map_err(|error| unread(&file.display().to_string(), &error))
}

fn unread(path: &str, error: &NotRead) -> ApiError {
    let code = match error {
        NotRead::Missing => "not_found",
        NotRead::NotAFile(_) | NotRead::TooLarge { .. } | NotRead::NotText => "invalid_file",
        _ => "io",
    };
    ApiError::new(code, format!("{path} cannot be read: {error}."))
}

/// Reads a file as a session.
///
/// # Errors
/// Those of [`text_of`]; `invalid_file`: it is no session.
pub fn open(file: &Path) -> Result<SessionView, ApiError> {
    let path = file.display().to_string();
    read(&path, &text_of(file)?)
}

impl Studio {
    /// A session: of a file of the project, or of a run.
    pub(crate) async fn open_session(&self, of: SessionOf) -> Result<SessionView, ApiError> {
        match of {
            SessionOf::File { path } => read(&path, &self.session_text(&path)?),
            SessionOf::Text { name, text } => read(&name, &text),
            SessionOf::Run { run_id, at: None } => self.session_view(&run_id),
            SessionOf::Run { run_id, at } => self.session_at(&run_id, at),
        }
    }

    /// Takes a session in as a run to look at: of a file of the project, or of a text that somebody gives.
    pub(crate) async fn import_session(&self, of: SessionOf) -> Result<Started, ApiError> {
        let (path, text) = match of {
            SessionOf::Text { name, text } => (name, text),
            SessionOf::File { path } => {
                let text = self.session_text(&path)?;
                (path, text)
            }
            SessionOf::Run { .. } => {
                return Err(ApiError::new("bad_parameters", "A run is here already."));
            }
        };
        let run = self.import(&path, text)?;
        Ok(Started {
            run_id: run.to_string(),
        })
    }

    /// The text of a session in the project; errors as of [`text_of`], and `outside_project`.
    fn session_text(&self, path: &str) -> Result<String, ApiError> {
        self.inside(path)?;
        self.text_in(path, LARGEST_WORKFLOW)
            .map_err(|error| unread(path, &error))
    }

    /// The same of a text. `path`: the file it is from, for people.
    ///
    /// # Errors
    /// `invalid_file`: it is no session, or no whole document, with the place; `read_only`, and what the store reports.
    pub fn import(&self, path: &str, text: String) -> Result<RunId, ApiError> {
        self.writable()?;
        let view = read(path, &text)?;
        let mut broken = view.problems.iter().filter(|one| one.severity == Severity::Error);
        if let Some(one) = broken.find(|one| one.code != BREAK) {
            let (line, column) = (one.line, one.column);
            let said = format!("{path}:{line}:{column}: {} [{}]", one.message, one.code);
            return Err(ApiError::new("invalid_file", said).hint("Mend that, then import it."));
        }
        let request = ImportRequest {
            path: path.to_owned(),
            text,
            by: self.0.identity.person().name,
            initiator: self.0.client.word().into(),
        };
        let run = self.driver(self.options())?.import(&request)?;
        let history = self.history(run.as_str())?;
        let facts = history.facts();
        if let Err(error) = self.0.store.write_run_dir(&run, &facts) {
            tracing::warn!(%run, %error, "the run's files could not be written; nothing recorded is lost");
        }
        Ok(run)
    }

    /// That the session of a run was imported before, as which runs, a sentence each.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn imported_as(&self, run: &RunId) -> Result<Vec<String>, ApiError> {
        let history = self.history(run.as_str())?;
        self.imported_before(&history)
    }

    /// That a session was imported before this time, as which run, a sentence each, the latest first.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn imported_before(&self, history: &History) -> Result<Vec<String>, ApiError> {
        let Some((created, imported)) = imported_of(history) else {
            return Ok(Vec::new());
        };
        let filter = RunFilter {
            workflow: Some(created.workflow.clone()),
            status: Some(StatusWord::Imported),
            ..RunFilter::default()
        };
        let rows = self.0.store.runs(&filter)?.into_iter();
        // The latest come first: what stands behind this one came before it.
        let before = rows
            .skip_while(|row| row.run != created.run_id)
            .skip(1)
            .take(MOST_LOOKED_AT);
        let said = before.filter_map(|row| {
            let other = self.history(row.run.as_str()).ok()?;
            let (other, its) = imported_of(&other)?;
            match other.source == created.source {
                true => Some(format!("The same session was imported before, as run {}.", row.run)),
                false if !imported.session.is_empty() && imported.session == its.session => Some(format!(
                    "The session was imported before as it stood at another moment, as run {}.",
                    row.run
                )),
                false => None,
            }
        });
        Ok(said.take(MOST_NAMED).collect())
    }

    /// The file of the one workflow of the project that has this id.
    pub(crate) fn file_of(&self, id: &WorkflowId) -> Option<String> {
        let mut found = self.workflows().into_iter().filter(|one| one.workflow().id == *id);
        let one = found.next()?;
        found.next().is_none().then(|| one.path().to_owned())
    }

    /// A run as a session for people.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn session_view(&self, id: &str) -> Result<SessionView, ApiError> {
        let history = self.history(id)?;
        if let Some((created, imported)) = imported_of(&history) {
            let source = self.0.store.blob(&created.source)?;
            // As it came, so that each break of the schema is told.
            let mut view = read(&created.path, &String::from_utf8_lossy(&source))?;
            view.run = Some(created.run_id.to_string());
            view.imported = Some(status::imported(imported));
            return Ok(view);
        }
        self.session_at(id, None)
    }

    fn session_at(&self, id: &str, at: Option<u64>) -> Result<SessionView, ApiError> {
        let text = serde_json::to_string_pretty(&self.session_of(id, at)?);
        let text = text.map_err(|error| ApiError::new("internal", error.to_string()))?;
        read("context_state.json", &text)
    }

    /// How the steps of a workflow stand by what an imported session says; nothing is done.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`: it does not fit; what reading the workflow reports.
    pub async fn taking_over(&self, of: TakeOverOf) -> Result<TakeOverView, ApiError> {
        let history = self.history(&of.run_id)?;
        let source = self.document(&of.workflow)?;
        let document = runtime::to_run(self.root(), source.path(), source.text(), false)?;
        let workflow = document.workflow();
        let (created, _) = imported_of(&history).ok_or_else(not_imported)?;
        let said = runtime::imported::document(&self.0.store, created)?;
        let from = of.from.as_deref().map(StepId::from);
        let matched = runtime::imported::matched(&said, workflow, from.as_ref(), "").map_err(cannot)?;
        let (config, _) = self.config();
        let rules = GateRules {
            policy: &config.policy,
            limits: &config.limits_of(workflow, false),
        };
        if let Some(why) = runtime::imported::past_gate(workflow, &matched.taken, rules) {
            return Err(cannot(why));
        }
        let refs = |steps: &[StepId]| {
            steps
                .iter()
                .map(|step| words::step_ref(workflow, step))
                .collect::<Vec<_>>()
        };
        let taken = matched.taken;
        let (completed, skipped) = (refs(&taken.completed), refs(&taken.skipped));
        let at = words::step_ref(workflow, &taken.at);
        let stand = Stand {
            step: taken.at.clone(),
            path: Vec::new(),
            fork: None,
        };
        let reached = reach(workflow, &RunState::default(), &stand);
        let then: Vec<&Step> = workflow
            .steps()
            .iter()
            .filter(|step| {
                reached[step.ordinal]
                    && step.work != Work::Group
                    && step.id != taken.at
                    && !taken.completed.contains(&step.id)
                    && !taken.skipped.contains(&step.id)
            })
            .collect();
        let first = workflow.step(&taken.at);
        let missing = first.map(|first| not_here(self.root(), workflow, first, &then));
        Ok(TakeOverView {
            words: format!(
                "A new run of “{}” goes on at “{}”. {}",
                workflow.title,
                at.name,
                match completed.len() {
                    0 => "Nothing is counted as completed.".to_owned(),
                    n => format!(
                        "{} counted as completed because the session says so; nothing of it was done here.",
                        words::count(n, "step is", "steps are")
                    ),
                }
            ),
            then: then.into_iter().map(words::of_step).collect(),
            completed,
            skipped,
            at,
            missing: missing.unwrap_or_default(),
            notes: matched.notes,
        })
    }

    /// Starts a run that goes on from an imported session, and carries it out in the background.
    pub(crate) async fn start_taking_over(&self, of: TakeOverOf) -> Result<Started, ApiError> {
        let run = self.take_over_session(&of)?;
        self.see_to(&run);
        Ok(Started {
            run_id: run.to_string(),
        })
    }

    /// Creates a run that goes on from an imported session with its workflow; nothing is carried out yet.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`; those of a start.
    pub fn take_over_session(&self, of: &TakeOverOf) -> Result<RunId, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        imported_of(&history).ok_or_else(not_imported)?;
        let document = self.document(&of.workflow)?;
        let request = StartRequest {
            path: of.workflow.clone(),
            source: document.text().to_owned(),
            ..self.going_on(&history, Point::Import(of.from.as_deref().map(StepId::from)))?
        };
        Ok(self.driver(self.options())?.start(&request)?)
    }

    /// The state of a run as a session document (seed 003), after its last event or after the one with this number.
    ///
    /// # Errors
    /// `not_found`; `bad_parameters`: it has no such event; and what the store reports.
    pub fn session_of(&self, id: &str, at: Option<u64>) -> Result<Value, ApiError> {
        let history = self.history(id)?;
        if let Some((created, imported)) = imported_of(&history) {
            return match &imported.kept {
                None => Ok(runtime::imported::document(&self.0.store, created)?),
                Some(kept) => serde_json::from_slice(&self.0.store.blob(kept)?)
                    .map_err(|error| ApiError::new("corrupt", error.to_string())),
            };
        }
        let facts = history.facts();
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
