//! Going on from a run that has ended with the file as it is now: a new run that begins with what the old one has done.

use crate::command::{Started, TakeUpOf};
use crate::gate::people;
use crate::run::history::History;
use crate::run::view::{MendedView, ResumeView};
use crate::text::safe;
use crate::view::StepRef;
use crate::{ApiError, Studio, words};
use engine::{GateRules, Hand, Mended, Refusal, RefusalCode, RunId, RunState, TookPart};
use model::{Step, StepId, Work};
use runtime::working::{self, Moment};
use runtime::{GoOn, Point, ScenarioSource, StartRequest};
use std::sync::Arc;

impl Studio {
    /// What it means to go on from a run with the file as it is now.
    pub(crate) fn mended(&self, history: &History, from: Option<&StepId>) -> Result<ResumeView, ApiError> {
        let source = self.document(history.document.path())?;
        let document = runtime::to_run(self.root(), source.path(), source.text(), false)?;
        let (now, state) = (document.workflow(), history.state(None));
        // What the new run would be refused for is said before somebody counts on it.
        let rehearsal = history.created().is_some_and(engine::RunCreated::is_rehearsal);
        runtime::startable(self.root(), &document, rehearsal)?;
        let (config, _) = self.config();
        let rules = GateRules {
            policy: &config.policy,
            limits: &config.limits_of(now, rehearsal),
        };
        let found = engine::mended(history.workflow(), now, &state, rules, from).map_err(cannot)?;
        let refs = |steps: &[&model::Step]| steps.iter().map(|step| words::of_step(step)).collect();
        let otherwise = MendedView {
            changed: refs(&found.changed),
            added: refs(&found.added),
            gone: refs(&found.gone),
        };
        let person = self.0.identity.person().name;
        let key = self.0.identity.public();
        let hand = Hand {
            name: &person,
            key_name: None,
            key: Some(&key),
            unseen: false,
        };
        let beside = match found.ungated.is_empty() {
            true => Arc::default(),
            false => self.beside_mended(history, config.policy.four_eyes)?,
        };
        if let Some(why) = state.wants_another_to_ungate(&found.ungated, config.policy.four_eyes, hand, &beside) {
            return Err(Refusal::new(RefusalCode::FourEyes, why).into());
        }
        let from = from.or(found.at.map(|step| &step.id));
        let mut view = crate::run::ahead::taken_up(now, &state, from, Some(otherwise)).map_err(cannot)?;
        let is_barred = |place: &StepRef| found.barred.iter().any(|step| step.id.as_str() == place.id);
        view.places.retain(|place| !is_barred(place));
        let ungated = found.ungated.iter().map(|gate| safe::visible(&gate.words()));
        let said = std::iter::once(view.words.clone()).chain(ungated);
        let said = said.chain(left_out(&found, &view));
        let said: Vec<String> = said.chain(self.barred_going_on(&state)).collect();
        let left = match history.created() {
            Some(created) => working::found(&self.0.store, self.root(), created, Moment::Now, false)?.left,
            None => Vec::new(),
        };
        Ok(ResumeView {
            words: said.join(" "),
            not_taken: words::left_behind(&left),
            ..view
        })
    }

    /// Who worked beside a run that somebody goes on from with a mended file; nobody where one person may do it all. `wanted`: the project wants
    /// four eyes by now.
    fn beside_mended(&self, history: &History, wanted: bool) -> Result<Arc<[TookPart]>, ApiError> {
        match wanted || history.state(None).wants_four_eyes() {
            true => self.all_beside(history.id()),
            false => Ok(Arc::default()),
        }
    }

    /// Starts a run that goes on from another with the file as it is now, and carries it out in the background.
    pub(crate) async fn start_mended(&self, of: TakeUpOf) -> Result<Started, ApiError> {
        let run = self.go_on_mended(&of.run_id, of.from.as_deref())?;
        self.see_to(&run);
        Ok(Started {
            run_id: run.to_string(),
        })
    }

    /// Creates a run that goes on from another with the file as it is now; nothing is carried out yet.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`; those of a start.
    pub fn go_on_mended(&self, id: &str, from: Option<&str>) -> Result<RunId, ApiError> {
        self.writable()?;
        let history = self.history(id)?;
        history.to_be_taken_up()?;
        self.may_drive(&history)?;
        if let Some(why) = self.unvouched(history.id()) {
            return Err(ApiError::new("refused:cannot_reopen", why).hint("Verify the run, or start a new one."));
        }
        let request = StartRequest {
            source: self.document(history.document.path())?.text().to_owned(),
            ..self.begun_as(&history, Point::End(from.map(StepId::from)))?
        };
        Ok(self.driver(self.options())?.start(&request)?)
    }

    /// Who could approve nothing in a run that goes on from this one, as a sentence; `None`: one person may do it all. `at`: from how it stood at
    /// that event.
    ///
    /// # Errors
    /// `not_found`.
    pub fn barred_behind(&self, id: &str, at: Option<u64>) -> Result<Option<String>, ApiError> {
        Ok(self.barred_going_on(&self.history(id)?.state(at)))
    }

    pub(crate) fn barred_going_on(&self, state: &RunState) -> Option<String> {
        let wanted = self.config().0.policy.four_eyes;
        people::going_on(state, wanted, &self.0.identity.person().name)
    }

    /// A start with everything that another run was started with, which goes on from a point of it.
    pub(crate) fn begun_as(&self, history: &History, at: Point) -> Result<StartRequest, ApiError> {
        let Some(created) = history.created() else {
            return Err(ApiError::new(
                "corrupt",
                "The log of this run does not begin with its creation.",
            ));
        };
        let scenario = match &created.scenario {
            Some(scenario) => Some(ScenarioSource {
                path: scenario.name.clone(),
                text: String::from_utf8_lossy(&self.0.store.blob(&scenario.source)?).into_owned(),
            }),
            None => None,
        };
        Ok(StartRequest {
            path: created.path.clone(),
            rehearse: created.is_rehearsal(),
            scenario,
            subject: created.subject.clone(),
            inputs: created.inputs.clone(),
            prompted: created.prompted,
            assigned: created.assigned.clone(),
            ..self.going_on(history, at)?
        })
    }

    /// A start by this person that goes on from a point of another run. Where the log of that is not the one that was seen last it says so from now
    /// on, and so does the new one.
    ///
    /// # Errors
    /// What the store reports; the record cannot be read.
    pub(crate) fn going_on(&self, history: &History, at: Point) -> Result<StartRequest, ApiError> {
        if self.name_another_log(history.id())? {
            self.write_undriven(history);
        }
        let beside = match at {
            Point::End(_) => self.beside_mended(history, self.config().0.policy.four_eyes)?,
            Point::Import(_) | Point::Checkpoint { .. } => Arc::default(),
        };
        Ok(StartRequest {
            by: self.0.identity.person().name,
            key: Some(self.0.identity.public()),
            initiator: self.0.client.word().into(),
            continues: Some(GoOn {
                run: history.id().clone(),
                by: self.person_or_somebody(),
                beside,
                at,
            }),
            ..StartRequest::default()
        })
    }
}

/// Which new steps are not come to from where the run goes on.
fn left_out(found: &Mended<'_>, view: &ResumeView) -> Vec<String> {
    let comes = |step: &Step| {
        let mut ahead = std::iter::once(&view.step).chain(&view.then);
        step.work == Work::Group || ahead.any(|one| one.id == step.id.as_str())
    };
    let left = found.added.iter().filter(|step| !comes(step));
    left.map(|step| {
        let name = words::of_step(step).name;
        let asked = match step.gate.is_some() {
            true => "it is not done, and nobody is asked what its gate asks",
            false => "it is not done",
        };
        format!("“{name}” is new in the file, and no way leads to it from there: {asked}.")
    })
    .collect()
}

fn cannot(why: String) -> ApiError {
    ApiError::new("refused:cannot_reopen", why).hint("Go on with the version that the run keeps, or start a new run.")
}
