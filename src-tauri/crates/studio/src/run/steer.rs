//! Steering runs: pausing, resuming, ending and taking them up again.

use crate::command::{ActOn, RunAt, TakeUpOf};
use crate::error::UNREADABLE;
use crate::run::history::History;
use crate::run::view::{ResumeView, RunAction, RunView};
use crate::run::{ahead, lifecycle, present};
use crate::{ApiError, Studio};
use engine::control::dag::unsettled;
use engine::{At, Choice, Event, Given, Instance, Intent, Order, OrderKind, RunId, RunState};
use model::{Reopening, StepId, Workflow};
use runtime::Said;
use std::sync::Arc;
use store::{RunFilter, Stored};

/// The attempts that have begun and not ended.
fn in_flight(state: &RunState) -> Vec<(Instance, u32)> {
    let mut found = Vec::new();
    for visit in state.steps.values().flat_map(|step| &step.visits) {
        let open = visit.attempts.iter();
        let open = open.filter(|one| one.result.is_none() && one.interrupted.is_none());
        found.extend(open.map(|one| (visit.instance.clone(), one.started.attempt)));
    }
    found
}

/// When a run was paused that is, and by whom; `None`: it is not.
fn paused_by(history: &History) -> Option<(At, &str)> {
    let state = history.state(None);
    if !state.paused || state.status.ended() {
        return None;
    }
    history.events().iter().rev().find_map(|e| match &e.event {
        Event::Paused { by, .. } => Some((e.at, by.as_str())),
        _ => None,
    })
}

/// A run that goes on where it stood is taken up by itself only where it is no part of another one.
fn by_itself(history: &History) -> Result<(), ApiError> {
    match history.workflow().contract().reopening {
        Reopening::WhereItStood => engine::control::resume::by_itself(&history.state(None))
            .map_err(|why| ApiError::new("refused:cannot_reopen", why)),
        _ => Ok(()),
    }
}

/// Whether somebody has taken a run up behind the event `asked_at`, or whoever has this name did as the last that happened in it: a second click comes
/// before the driver stands.
fn is_taken_up(history: &History, by: &str, asked_at: u64) -> bool {
    let last = history.events().last();
    let mut since = history.events().iter().rev().take_while(|one| one.seq > asked_at);
    let is_theirs = |one: &Stored| matches!(&one.event, Event::TakenUp { by: who, .. } if who == by);
    last.is_some_and(is_theirs) || since.any(|one| matches!(one.event, Event::TakenUp { .. }))
}

/// How often an answer is signed anew because the run went on between signing and recording it.
const MOST_SIGNINGS: u32 = 50;

impl Studio {
    /// The history of a run that a person says something to. One whose record cannot be read takes nothing in any more, whoever says it.
    fn steered(&self, id: &str) -> Result<Arc<History>, ApiError> {
        self.history(id).map_err(|error| {
            if error.code != UNREADABLE {
                return error;
            }
            let message = format!(
                "Run {id} cannot be paused, resumed or ended: nothing can be recorded behind what cannot be read. {}",
                error.message
            );
            ApiError::new("refused:unreadable", message).hint(format!(
                "`gatehouse verify {id}` says what was changed. Nobody can carry this run on, and it stays in the lists as it stood last. A \
                 backup from before the change has it whole: `gatehouse restore` puts that in the place of the history. Or start a new run."
            ))
        })
    }

    /// Refuses a reason that the guardrails of a run stop.
    pub(crate) fn reason_may_be_said(&self, history: &History, reason: &str) -> Result<(), ApiError> {
        let typed = Some(reason.trim()).filter(|reason| !reason.is_empty());
        let said = |reason: &str| Said {
            field: "reason",
            name: "Your reason",
            value: reason.into(),
            is_output: false,
        };
        self.may_be_said(history, typed.map(said).as_slice()).map(drop)
    }

    /// Hands an intent of a person to a run.
    pub(crate) async fn submit(&self, history: &History, intent: Intent) -> Result<(), ApiError> {
        let is_good = self.unvouched(history.id()).is_none();
        self.name_another_log(history.id())?;
        let mut live = history.live();
        let before = live.state().seq;
        let done = runtime::submit::submit(&self.0.store, history.workflow(), &mut live, intent);
        // What was due may have been recorded before what was said is refused.
        let is_new = live.state().seq > before;
        // What is said now does not vouch for what somebody else wrote before it.
        if let Some(last) = done.iter().flatten().last().filter(|_| is_good) {
            runtime::Owner::saw(self, history.id(), last.seq);
        }
        if is_new && history.workflow().contract().state_in_file {
            self.show_state(history.id());
        }
        if is_new {
            self.write_undriven(history);
        }
        done?;
        Ok(())
    }

    /// Writes the files of a run in which something was recorded: what nobody drives has nobody else who does.
    pub(crate) fn write_undriven(&self, history: &History) {
        if self.driver_of(history.id()).is_some() {
            return;
        }
        if let Err(error) = self.0.store.write_run_dir(history.id(), &history.facts()) {
            tracing::warn!(run = %history.id(), %error, "the run's files could not be written; nothing recorded is lost");
        }
    }

    /// The same of what is signed over the log as it stands: where the run went on meanwhile it is signed again, over what there is then.
    /// `signed`: what is said, signed over a log. Returns the log that it was signed over last.
    ///
    /// # Errors
    /// Those of [`Studio::submit`], and of `signed`.
    pub(crate) async fn submit_signed(
        &self,
        history: Arc<History>,
        signed: impl Fn(&History) -> Result<Intent, ApiError>,
    ) -> Result<Arc<History>, ApiError> {
        self.submit_while(history, move |history| signed(history).map(Some))
            .await
    }

    /// The same as long as it is meant. `signed`: `None` where it is not said any more over the log as it stands then.
    async fn submit_while(
        &self,
        mut history: Arc<History>,
        signed: impl Fn(&History) -> Result<Option<Intent>, ApiError>,
    ) -> Result<Arc<History>, ApiError> {
        let mut tries = 0;
        loop {
            let Some(intent) = signed(&history)? else {
                return Ok(history);
            };
            match self.submit(&history, intent).await {
                Ok(()) => return Ok(history),
                Err(error) if error.code == crate::error::MOVED && tries < MOST_SIGNINGS => {
                    tries += 1;
                    history = self.history(history.id().as_str())?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives a run an order in a person's name, signed with the key of this account over the log as it stands.
    async fn order(&self, history: &Arc<History>, order: Order<'_>) -> Result<(), ApiError> {
        let signed = |history: &History| self.signed_order(history, order);
        let done = self.submit_signed(Arc::clone(history), signed).await;
        match done {
            // What prints faster than anybody signs is stopped all the same.
            Err(error) if error.code == crate::error::MOVED => {
                self.submit(history, order.intent(self.given(order))).await
            }
            other => other.map(drop),
        }
    }

    /// An order in a person's name, signed over a log.
    fn signed_order(&self, history: &History, order: Order<'_>) -> Result<Intent, ApiError> {
        let mut given = self.given(order);
        if let Some(created) = history.created() {
            let grounds = self.grounds(history)?;
            self.0.identity.sign_order(created, order, grounds, &mut given);
        }
        Ok(order.intent(given))
    }

    /// How this program gives an order, without a signature.
    fn given(&self, order: Order<'_>) -> Given {
        Given {
            via: self.0.client.word().to_owned(),
            key_name: self.other_name(order.by),
            signature: None,
        }
    }

    /// Pauses, resumes, ends or takes up a run.
    ///
    /// # Errors
    /// `not_found`, `refused:…`.
    pub async fn act(&self, of: ActOn) -> Result<RunView, ApiError> {
        self.writable()?;
        let history = self.steered(&of.run_id)?;
        let by = self.person_or_somebody();
        let intent = match of.action {
            RunAction::Pause => {
                self.order(&history, Order::to(OrderKind::Pause, &by)).await?;
                self.pause_inside(&history, &by).await?;
                None
            }
            RunAction::Resume => {
                self.order(&history, Order::to(OrderKind::Resume, &by)).await?;
                self.resume_inside(&history, &by).await?;
                None
            }
            RunAction::Abort => {
                let reason = of.reason.clone().unwrap_or_default();
                self.reason_may_be_said(&history, &reason)?;
                self.end(&history, &by, reason.trim()).await?;
                None
            }
            RunAction::Jump => {
                let Some(to) = of.to.filter(|to| !to.trim().is_empty()) else {
                    return Err(ApiError::new("bad_parameters", "A jump needs the step it leads to."));
                };
                Some(Intent::Jump {
                    by,
                    to: to.trim().into(),
                })
            }
            RunAction::Reopen => Some(Intent::Reopen {
                by,
                choices: of
                    .choices
                    .into_iter()
                    .map(|(step, choice)| (step.into(), choice))
                    .collect(),
            }),
            RunAction::Drive => {
                self.may_go_on(&history)?;
                self.say_taken_up(&history, &by).await?;
                self.take_over(history.id());
                None
            }
        };
        let reopens = matches!(intent, Some(Intent::Reopen { .. }));
        if reopens {
            // A run that cannot be driven is not opened anew.
            self.may_go_on(&history)?;
            by_itself(&history)?;
        }
        if reopens && history.state(None).status.ended() {
            self.until_let_go(history.id()).await;
        }
        if let Some(intent) = intent {
            self.submit(&history, intent).await?;
        }
        if reopens {
            self.take_over(history.id());
        }
        if reopens && history.workflow().contract().state_in_file {
            self.has_begun(history.document.path());
        }
        self.see_to(history.id());
        self.view(RunAt {
            run_id: of.run_id,
            at: None,
        })
        .await
    }

    /// Ends a run in a person's name, and with it the runs inside it and, where nobody drives it, the programs of a driver that died:
    /// no driver will ever look at it again.
    async fn end(&self, history: &Arc<History>, by: &str, reason: &str) -> Result<(), ApiError> {
        let before = history.state(None);
        if self.driver_of(history.id()).is_none() {
            // First: whoever reads "stopped" must be able to believe it.
            let root = self.0.root.to_string_lossy();
            for (instance, attempt) in in_flight(&before) {
                runtime::executor::end_leftovers(&root, history.id(), &instance, attempt).await;
            }
        }
        // What is at work inside follows from this run, whatever can be read of those.
        let at_work: Vec<RunId> = self.open_inside(history).into_iter().map(|(_, row)| row.run).collect();
        let stop = Order {
            kind: OrderKind::Stop,
            by,
            reason,
        };
        self.order(history, stop).await?;
        let open = RunFilter {
            open_only: true,
            ..RunFilter::default()
        };
        let mut unread = None;
        for row in self.0.store.runs(&open)? {
            let is_inside = at_work.contains(&row.run)
                || self
                    .parent_run(&row.run)?
                    .is_some_and(|parent| parent.run == *history.id());
            if !is_inside {
                continue;
            }
            let inside = match self.steered(row.run.as_str()) {
                Ok(inside) => inside,
                // The others are ended all the same.
                Err(error) => {
                    unread.get_or_insert(error);
                    continue;
                }
            };
            match Box::pin(self.end(&inside, by, reason)).await {
                // Its driver was faster.
                Err(error) if error.refused() => {}
                Err(error) => {
                    unread.get_or_insert(error);
                }
                Ok(()) => {}
            }
        }
        unread.map_or(Ok(()), Err)
    }

    /// Pauses the runs inside one that a person paused: the steps that they carry out had begun, and what is in flight in them is finished. One
    /// that is paused already stays as it is.
    async fn pause_inside(&self, history: &History, by: &str) -> Result<(), ApiError> {
        for (_, row) in self.open_inside(history) {
            // Of one that cannot be read the page of this one tells.
            let Ok(inside) = self.history(row.run.as_str()) else {
                continue;
            };
            match self.order(&inside, Order::to(OrderKind::Pause, by)).await {
                Ok(()) => Box::pin(self.pause_inside(&inside, by)).await?,
                Err(error) if error.refused() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Resumes the runs inside one that were paused with it; those that a person has paused by themselves stay so. `history`: of the one
    /// around them, as long as it was paused.
    async fn resume_inside(&self, history: &History, by: &str) -> Result<(), ApiError> {
        let Some((since, who)) = paused_by(history) else {
            return Ok(());
        };
        for (_, row) in self.open_inside(history) {
            let Ok(inside) = self.history(row.run.as_str()) else {
                continue;
            };
            if paused_by(&inside).is_none_or(|(at, whose)| at < since || whose != who) {
                continue;
            }
            match self.order(&inside, Order::to(OrderKind::Resume, by)).await {
                Ok(()) => Box::pin(self.resume_inside(&inside, by)).await?,
                Err(error) if error.refused() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(crate) fn person_or_somebody(&self) -> String {
        let name = self.0.identity.person().name;
        if name.is_empty() { "somebody".to_owned() } else { name }
    }

    /// What it means to take up a run that has ended, at a step or where it stood, or to go on with one that has not.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`.
    pub async fn taken_up(&self, of: TakeUpOf) -> Result<ResumeView, ApiError> {
        let history = self.history(&of.run_id)?;
        history.to_be_taken_up()?;
        let from = of.from.as_deref().map(StepId::from);
        if of.mended {
            let view = self.mended(&history, from.as_ref())?;
            return Ok(self.with_changed(history.workflow(), &history.state(None), view));
        }
        let (workflow, state) = (history.workflow(), history.state(None));
        let contract = workflow.contract();
        let all_again = contract.reopening == Reopening::ByStage && !ahead::is_by_stage(&state);
        let view = match state.status.ended() {
            true if all_again && from.is_none() => present::reopening(workflow, &state)
                .unwrap_or(Ok(()))
                .and_then(|()| ahead::stages_again(workflow, &state)),
            true => ahead::taken_up(workflow, &state, from.as_ref(), None),
            false => ahead::goes_on(workflow, &state, from.as_ref()),
        };
        let view = view.map(|view| self.with_changed(workflow, &state, view));
        view.map_err(|why| {
            let refused = ApiError::new("refused:cannot_reopen", why);
            match contract.reopening {
                _ if !state.status.ended() && from.is_none() => refused,
                _ if !state.status.ended() => refused.hint("Leave the step away, or stop the run first."),
                Reopening::ByStage => refused,
                _ => refused.hint("Choose another step, or start a new run."),
            }
        })
    }

    /// With the files that the step at which it goes on finds otherwise than people approved them: whoever lets it go on is to know.
    pub(crate) fn with_changed(&self, workflow: &Workflow, state: &RunState, mut view: ResumeView) -> ResumeView {
        let Some(step) = workflow.step(&StepId::from(view.step.id.as_str())) else {
            return view;
        };
        for file in self.no_more_as_approved(state, step) {
            view.words.push(' ');
            view.words.push_str(&lifecycle::no_more_as_approved(state, &file));
        }
        view
    }

    /// That work which was done is done once more when a run is resumed ([`ahead::done_once_more`]).
    ///
    /// # Errors
    /// `not_found`.
    pub fn done_once_more(&self, id: &str, from: Option<&str>) -> Result<Option<String>, ApiError> {
        let history = self.history(id)?;
        let from = from.map(StepId::from);
        Ok(ahead::done_once_more(
            history.workflow(),
            &history.state(None),
            from.as_ref(),
        ))
    }

    /// Makes a run ready to be driven again: lets it go on when it is paused, and takes it up where it failed when its format has
    /// that (StepSpec). Returns its whole id.
    ///
    /// # Errors
    /// `not_found`; `refused:run_ended`, `refused:cannot_reopen`.
    pub async fn resume(&self, id: &str, from: Option<&str>) -> Result<RunId, ApiError> {
        self.writable()?;
        let history = self.steered(id)?;
        history.to_be_taken_up()?;
        let state = history.state(None);
        if state.status.ended() {
            // A driver that died after the last event had still its files to write.
            self.finish_files(&history)?;
        }
        self.may_drive(&history)?;
        by_itself(&history)?;
        if state.status.ended() || state.paused || from.is_some() {
            let by = self.person_or_somebody();
            // What cannot be taken up again the engine says itself.
            let intent = match history.workflow().contract().reopening {
                Reopening::AtOpenStep | Reopening::WhereItStood if state.status.ended() => Intent::Reopen {
                    by,
                    choices: from.map(|step| (step.into(), Choice::Retry)).into_iter().collect(),
                },
                Reopening::ByStage if state.status.ended() => {
                    let workflow = history.workflow();
                    let left = present::reopening(workflow, &state).unwrap_or(Ok(()));
                    // Of a pipeline that has an id it is said of each stage what becomes of it.
                    let may = left.and_then(|()| match from.is_some() || ahead::is_by_stage(&state) {
                        true => Err(ahead::by_stage(&state).to_owned()),
                        false => Ok(()),
                    });
                    may.map_err(|why| ApiError::new("refused:cannot_reopen", why))?;
                    let lost = unsettled(workflow, &state).into_iter();
                    Intent::Reopen {
                        by,
                        choices: lost.map(|step| (step.id.clone(), Choice::Retry)).collect(),
                    }
                }
                _ if from.is_some() => {
                    return Err(ApiError::new(
                        "refused:cannot_reopen",
                        "This run has not ended: it goes on where it stands.",
                    )
                    .hint("Leave the step away, or stop the run first."));
                }
                _ => {
                    self.order(&history, Order::to(OrderKind::Resume, &by)).await?;
                    self.resume_inside(&history, &by).await?;
                    return Ok(history.id().clone());
                }
            };
            self.submit(&history, intent).await?;
            self.take_over(history.id());
        } else {
            self.say_taken_up(&history, &self.person_or_somebody()).await?;
        }
        Ok(history.id().clone())
    }

    /// Records that a person takes up a run that has not ended and that nobody carries on, signed like an order. Of a run that a driver would not
    /// carry on it is not said, nor of one inside a run that is carried on, nor twice: it is asked anew whenever the run went on before it was
    /// recorded, and it is never recorded unsigned.
    async fn say_taken_up(&self, history: &Arc<History>, by: &str) -> Result<(), ApiError> {
        let order = Order::to(OrderKind::TakeUp, by);
        let asked_at = history.last();
        let signed = |history: &History| match self.is_to_be_taken_up(history, by, asked_at)? {
            true => self.signed_order(history, order).map(Some),
            false => Ok(None),
        };
        match self.submit_while(Arc::clone(history), signed).await {
            // It came to its end meanwhile.
            Err(error) if error.refused() => Ok(()),
            done => done.map(drop),
        }
    }

    /// Whether somebody takes a run up with an order that they gave when its log had come to the event `asked_at`.
    fn is_to_be_taken_up(&self, history: &History, by: &str, asked_at: u64) -> Result<bool, ApiError> {
        if history.state(None).status.ended() || is_taken_up(history, by, asked_at) {
            return Ok(false);
        }
        let outermost = self.outermost(history.id())?;
        let mut runs = [history.id(), &outermost].into_iter();
        if runs.any(|run| self.driver_of(run).is_some()) {
            return Ok(false);
        }
        // What stands in a run of somebody else counts as seen once it is taken up.
        let is_doubted = || runtime::Owner::is_theirs(self, history.id()) && self.unvouched(history.id()).is_some();
        Ok(history.live().passed().is_none() && !is_doubted())
    }
}
