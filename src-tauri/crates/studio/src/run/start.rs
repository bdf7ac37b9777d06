//! Starting runs.

use crate::command::{StartOf, Started};
use crate::{ApiError, Studio, words};
use engine::RunId;
use history::Live;
use runtime::{Options, ScenarioSource, StartRequest};
use std::sync::Arc;
use store::below;
use store::regular::LARGEST_SETTINGS;

impl Studio {
    /// Starts a run and carries it out in the background.
    pub(crate) async fn start_run(&self, of: StartOf) -> Result<Started, ApiError> {
        let run = self.create_run(&of)?;
        self.see_to(&run);
        Ok(Started {
            run_id: run.to_string(),
        })
    }

    /// Creates a run; nothing is carried out yet.
    ///
    /// # Errors
    /// `invalid_workflow`, `invalid_file`, `bad_parameters`, `read_only`, and what the store reports.
    pub fn create_run(&self, of: &StartOf) -> Result<RunId, ApiError> {
        self.writable()?;
        let longest = runtime::subject::LONGEST;
        let typed = of.subject.as_deref().unwrap_or_default().trim();
        if typed.chars().count() > longest {
            let what = format!("What the run is about takes at most {longest} characters.");
            return Err(ApiError::new("bad_parameters", what)
                .hint("Say it shorter: it stands in lists and on every page of the report."));
        }
        if typed.lines().nth(1).is_some() {
            let what = "What the run is about is one line.";
            return Err(ApiError::new("bad_parameters", what)
                .hint("Say it in one line: it stands in lists and on every page of the report."));
        }
        // Empty: nobody in particular does it.
        for name in of.assigned.values().filter(|name| !name.is_empty()) {
            crate::settings::query::good_name(name)?;
        }
        let document = self.document(&of.path)?;
        self.asks_for_each(&document, &of.inputs)?;
        let inside = match &of.scenario {
            Some(named) => self.scenario_inside(&document, named)?,
            None => None,
        };
        let asks_everywhere = inside.as_ref().is_some_and(|(_, prompted)| *prompted);
        let scenario = match (&of.scenario, inside) {
            (None, _) => None,
            (Some(_), Some((source, _))) => Some(source),
            (Some(path), None) => {
                self.inside(path)?;
                let text = below::read_text(&self.0.root, path, LARGEST_SETTINGS).map_err(|e| {
                    ApiError::new("unreadable", format!("The scenario {path} cannot be read: {e}."))
                        .hint("Check the path.")
                })?;
                Some(ScenarioSource {
                    path: path.clone(),
                    text,
                })
            }
        };
        // A rehearsal leaves the pipeline as it is.
        let rehearse = of.rehearse || scenario.is_some();
        if !rehearse {
            self.trust_own_making()?;
        }
        let run_id = if rehearse { None } else { self.before_start(&document)? };
        let request = StartRequest {
            run_id: run_id.clone(),
            path: of.path.clone(),
            source: document.text().to_owned(),
            rehearse,
            scenario,
            prompted: of.prompted || asks_everywhere,
            permit: of.permit,
            begins_at: of.from.as_deref().map(Into::into),
            subject: of.subject.clone(),
            inputs: of.inputs.clone(),
            assigned: of
                .assigned
                .iter()
                .map(|(step, to)| (step.as_str().into(), to.as_str().into()))
                .collect(),
            by: self.0.identity.person().name,
            key: Some(self.0.identity.public()),
            initiator: self.0.client.word().into(),
            ..StartRequest::default()
        };
        let started = self.driver(self.options())?.start(&request);
        if run_id.is_some() {
            match &started {
                Ok(_) => self.has_begun(&of.path),
                // Somebody else started the pipeline at the same moment.
                Err(_) => self.before_start(&document).map(|_| ())?,
            }
        }
        Ok(started?)
    }

    /// How this client drives runs.
    pub(crate) fn options(&self) -> Options {
        let config = self.config().0;
        let rights = self.rights();
        Options {
            pass: config.pass,
            permissions: config.permissions,
            limits: config.bounds,
            enforced: config.enforced,
            granted: rights.granted,
            restricted: rights.trusted.is_none(),
            owner: Some(Arc::new(self.clone())),
            ..Options::of(self.0.client.word())
        }
    }

    /// What reading scripts alone keeps of the rules for a workflow on this machine, as a sentence; nothing where the kernel holds all. An empty
    /// path: the rules for every workflow.
    pub fn only_read_of(&self, path: &str) -> Option<String> {
        let config = self.config().0;
        let policy = runtime::permits::policy(&config.permissions, &config.pass, path);
        words::only_read(&runtime::kept(&self.0.root, &policy, config.bounds, path).only_read)
    }

    /// The same of a run, where it was started and when.
    ///
    /// # Errors
    /// Those of the history.
    pub fn only_read_in(&self, run: &RunId) -> Result<Option<String>, ApiError> {
        let state = Live::open(&self.0.store, run)?.into_state();
        let created = state.created.as_deref();
        Ok(created.and_then(|created| words::only_read(created.only_read.as_deref()?)))
    }

    /// Whether approvals in a run need a second person, so that `--yes` approves nothing.
    ///
    /// # Errors
    /// Those of the history.
    pub fn wants_four_eyes(&self, run: &RunId) -> Result<bool, ApiError> {
        Ok(Live::open(&self.0.store, run)?.into_state().wants_four_eyes())
    }
}
