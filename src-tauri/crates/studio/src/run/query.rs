//! Looking at runs, as of any event.

use crate::command::{LogAfter, OverlayOf, RoutesOf, RunAt, RunLook, StepAt, TimelineAfter};
use crate::gate::unasked;
use crate::lock::lock;
use crate::report::query::Reach;
use crate::run::drive::CONFIRM;
use crate::run::history::History;
use crate::run::index::Index;
use crate::run::open_work::OpenWork;
use crate::run::present;
use crate::run::present::Routes;
use crate::run::status::Undriven;
use crate::run::view::{
    ChildRunView, EdgeOverlay, FileView, LogView, ParentView, RoutesView, RunAction, RunDrawing, RunHead, RunOverlay,
    RunView, StepDetail, StepOverlay, TimelineView,
};
use crate::run::waiting::Waiting;
use crate::run::{active, forks, lifecycle, log, orders, reasons, status, step as one_step, touched, work};
use crate::studio::now;
use crate::text::safe;
use crate::view::{Status, StepRef};
use crate::workflow::drawing::{Drawn, Look};
use crate::{ApiError, Studio, session, words};
use engine::{Digest, Event, Instance, RunCreated, RunId, RunState, StepStatus, Visit};
use model::layout::EdgeKind;
use model::{Control, StepId, Work};
use runtime::executor::InnerRuns;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use store::{RunRow, Stored};

/// What is to be known of an imported session of a rehearsal.
const SAYS_REHEARSAL: &str = "This session says that it was a rehearsal: nothing of it was done elsewhere either, and its answers decided nothing.";

/// A run as of an event, apart from how it is drawn.
struct Seen {
    history: Arc<History>,
    /// Absent: live.
    at: Option<u64>,
    state: RunState,
    index: Index,
    /// The moment looked at.
    now: i64,
    head: RunHead,
    /// How what it has begun stands.
    open: OpenWork,
}

impl Seen {
    /// What happened at each node of its picture; `touched`: at those of these steps alone.
    fn steps(&self, drawn: &Drawn, touched: Option<&BTreeSet<usize>>) -> Vec<StepOverlay> {
        let mut steps = present::steps(self.history.workflow(), drawn, &self.state, self.now, touched);
        for step in &mut steps {
            if let Some((status, words)) = self.open.of_step(&step.id, step.status) {
                (step.status, step.words) = (status, words.to_owned());
            }
        }
        steps
    }
}

impl Studio {
    /// A run as of an event, whole.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn view(&self, of: RunAt) -> Result<RunView, ApiError> {
        self.look_at_run(RunLook {
            run_id: of.run_id,
            at: of.at,
            collapsed: Vec::new(),
            room: None,
        })
        .await
    }

    /// How a run stands now, apart from how it is drawn.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn run_head(&self, run: &RunId) -> Result<RunHead, ApiError> {
        Ok(self.seen(run.as_str(), None)?.head)
    }

    /// The steps of a run that stand as failed, each with what its last attempt said of it.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn failures(&self, run: &RunId) -> Result<Vec<(StepRef, String)>, ApiError> {
        let history = self.history(run.as_str())?;
        let (workflow, state) = (history.workflow(), history.state(None));
        let steps = workflow.steps().iter().map(|step| &step.id);
        let failed = steps.filter(|step| state.step_status(step) == StepStatus::Failed);
        let each = failed.filter_map(|step| {
            let (_, result) = state.latest_result(step)?;
            let why = safe::visible_text(result.error.as_deref()?);
            Some((words::step_ref(workflow, step), why))
        });
        Ok(each.collect())
    }

    /// What a step printed, or its agent answered, whole as far as it is kept. `step`: its id, or its number; `visit`: which time of it, and
    /// `attempt` which one of that, both counted from 1, else the latest.
    ///
    /// # Errors
    /// `not_found`, also where the step has not begun that often; what the store reports.
    pub fn output(&self, run: &str, step: &str, visit: Option<u32>, attempt: Option<u32>) -> Result<String, ApiError> {
        let history = self.history(run)?;
        let (workflow, state) = (history.workflow(), history.state(None));
        let by_id = workflow.steps().iter().find(|one| one.id.as_str() == step);
        let of = by_id.or_else(|| {
            let mut numbered = workflow.steps().iter();
            numbered.find(|one| words::step_ref(workflow, &one.id).number == step)
        });
        let Some(of) = of else {
            let what = format!("The run has no step “{}”.", safe::in_quotes(step));
            return Err(ApiError::new("not_found", what).hint("`gatehouse events RUN` names the steps by their ids."));
        };
        let visits = state.visits_of(&of.id);
        let visits: Vec<&Visit> = visits.filter(|one| !one.attempts.is_empty()).collect();
        let place = visit.map_or(visits.len(), |visit| visit as usize).checked_sub(1);
        let visit = place.and_then(|place| visits.get(place)).ok_or_else(|| {
            let what = match visits.len() {
                0 => "The step has not begun.".to_owned(),
                1 => "The step was begun once.".to_owned(),
                times => format!("The step was begun {times} times."),
            };
            ApiError::new("not_found", what)
        })?;
        let mut attempts = visit.attempts.iter();
        let found = match attempt {
            Some(number) => attempts.find(|one| one.started.attempt == number),
            None => attempts.next_back(),
        };
        let found = found.ok_or_else(|| ApiError::new("not_found", "The step was not tried that often."))?;
        if let Some(result) = &found.result {
            if let Some(whole) = &result.whole_output {
                return Ok(String::from_utf8_lossy(&self.0.store.blob(whole)?).into_owned());
            }
            if !result.output.is_empty() {
                return Ok(result.output.clone());
            }
        }
        // Nothing says what it came to, or it answered nothing: what it printed meanwhile.
        let pieces = history.events().iter().filter_map(|stored| match &stored.event {
            Event::Output {
                instance,
                attempt,
                stream,
                text,
            } if *instance == visit.instance && *attempt == found.started.attempt && stream != engine::REMARKS => {
                Some(text.as_str())
            }
            _ => None,
        });
        Ok(pieces.collect())
    }

    /// How many decisions have led a run on, or back; of a pipeline how many dependencies were met, as far as they are shown.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub async fn routes_taken(&self, run: &RunId) -> Result<usize, ApiError> {
        let history = self.history(run.as_str())?;
        if history.workflow().contract().control == Control::Token {
            return Ok(history.index(None).routed.len());
        }
        let look = RunLook {
            run_id: run.to_string(),
            at: None,
            collapsed: Vec::new(),
            room: None,
        };
        Ok(self.run_routes(RoutesOf { look, from: 0 }).await?.routes.len())
    }

    /// A run as of an event, looked at as asked: all of it at once.
    pub(crate) async fn look_at_run(&self, of: RunLook) -> Result<RunView, ApiError> {
        let seen = self.seen(&of.run_id, of.at)?;
        let drawn = self.drawn(&seen, of);
        let (workflow, index) = (seen.history.workflow(), &seen.index);
        Ok(RunView {
            steps: seen.steps(&drawn, None),
            edges: present::edges(workflow, &drawn, index, &seen.state, 0, None),
            forks: forks::latest(workflow, &drawn, &seen.state),
            routes: Routes {
                workflow,
                drawn: &drawn,
                events: seen.history.until(seen.at),
                index,
                state: &seen.state,
            }
            .after(0),
            drawing: drawn.drawing.clone(),
            faces: drawn.faces.clone(),
            head: seen.head,
        })
    }

    /// The picture of a run.
    pub(crate) async fn run_drawing(&self, of: RunLook) -> Result<RunDrawing, ApiError> {
        let history = self.history(&of.run_id)?;
        let drawn = self.picture(&history, &Look::new(of.collapsed, of.room));
        Ok(RunDrawing {
            drawing: drawn.drawing.clone(),
            faces: drawn.faces.clone(),
        })
    }

    /// What happened on it.
    pub(crate) async fn run_overlay(&self, of: OverlayOf) -> Result<RunOverlay, ApiError> {
        let seen = self.seen(&of.look.run_id, of.look.at)?;
        let history = &seen.history;
        let (workflow, state) = (history.workflow(), &seen.state);
        let drawn = self.drawn(&seen, of.look);
        let since = of.since.filter(|since| *since <= history.last());
        let known = since.map(|since| (history.state(Some(since)), history.index(Some(since))));
        let after = known.as_ref().map_or(0, |(_, index)| index.numbers);
        let touched = known.as_ref().and_then(|(before, _)| {
            let (first, then) = (before.seq.min(state.seq), before.seq.max(state.seq));
            let events = history.until(Some(then)).from(history.until(Some(first)).len());
            touched::between(workflow, events, [before, state])
        });
        let at_work = known.as_ref().map(|(before, _)| touched::at_work(workflow, before));
        let touched = touched.map(|touched| touched.into_iter().chain(at_work.iter().flatten().copied()).collect());
        let mut steps = seen.steps(&drawn, touched.as_ref());
        let mut edges = present::edges(workflow, &drawn, &seen.index, state, after, touched.as_ref());
        if let Some((before, index)) = &known {
            let moment = before.last_at.map_or(0, |t| t.0);
            let were = present::steps(workflow, &drawn, before, moment, touched.as_ref());
            let at_work = at_work.unwrap_or_default();
            let goes_on: HashSet<&str> = at_work.iter().map(|at| workflow.steps()[*at].id.as_str()).collect();
            let mut were = were.into_iter();
            steps.retain(|step| {
                let was = were.next();
                let changed = was.is_none_or(|was| was != *step || OpenWork::concerns(was.status));
                changed || goes_on.contains(step.id.as_str())
            });
            let were = present::edges(workflow, &drawn, index, before, after, touched.as_ref());
            let were: HashMap<&str, &EdgeOverlay> = were.iter().map(|edge| (edge.id.as_str(), edge)).collect();
            edges.retain(|edge| were.get(edge.id.as_str()) != Some(&edge));
        }
        let active = active::step(workflow, state, &seen.index).map(|step| step.id.to_string());
        Ok(RunOverlay {
            since,
            numbers: seen.index.numbers,
            active,
            steps,
            edges,
            forks: forks::latest(workflow, &drawn, state),
            sent: drawn
                .drawing
                .edges
                .iter()
                .filter(|edge| matches!(edge.kind, EdgeKind::Sent | EdgeKind::Feedback))
                .cloned()
                .collect(),
            height: drawn.drawing.height,
            head: seen.head,
        })
    }

    /// Its decisions.
    pub(crate) async fn run_routes(&self, of: RoutesOf) -> Result<RoutesView, ApiError> {
        let history = self.history(&of.look.run_id)?;
        let at = of.look.at;
        let index = history.index(at);
        let look = Look::new(of.look.collapsed, of.look.room);
        let drawn = present::with_sent(history.workflow(), self.picture(&history, &look), &index);
        let routes = Routes {
            workflow: history.workflow(),
            drawn: &drawn,
            events: history.until(at),
            index: &index,
            state: &history.state(at),
        };
        Ok(RoutesView {
            routes: routes.after(of.from),
        })
    }

    /// A run as of an event, apart from how it is drawn.
    fn seen(&self, run: &str, at: Option<u64>) -> Result<Seen, ApiError> {
        let history = self.history(run)?;
        let at = at.filter(|at| *at < history.last());
        let state = history.state(at);
        let around = present::Around {
            driver: self.driver_of(history.id()),
            trusted: self.is_trusted() || state.is_rehearsal(),
            source_changed: self.source_changed(&history),
            altered: self.is_known_altered(history.id()),
            parent: self.parent_of(&state),
            subject: self.subject(history.id(), history.last()),
            last: history.last(),
            now: now().0,
            past: self.past_of(&history)?,
            waited: self.waited(&history, &state),
            reader: self.0.identity.person(),
            // What is done beside it bars nobody any more from what has ended.
            beside: match at {
                None if !state.status.ended() => self.worked_beside(&history, &state)?,
                _ => Arc::default(),
            },
            waiting_inside: match at {
                None if state.ended_at.is_none() => self.asked_inside(history.id())?,
                _ => Vec::new(),
            },
        };
        let mut head = present::head(history.workflow(), history.until(at), &state, &around);
        // It is a link to the file, wherever that stands by now. That of a session is none of a workflow.
        head.workflow_path = match session::query::imported_of(&history) {
            None => self.stands_at(&head.workflow_path, state.created_at),
            Some((created, _)) => {
                head.source_changed = false;
                self.file_of(&created.workflow).unwrap_or_default()
            }
        };
        head.source_gone = self.source_gone(&head.workflow_path);
        let resume = head.resume.take();
        head.resume = resume.map(|view| self.with_changed(history.workflow(), &state, view));
        if let Some(pipeline) = &mut head.pipeline {
            self.add_what_is_asked_anew(&history, &state, &mut pipeline.choices);
        }
        let signed = |order: &Stored| history.signed_order(order, &self.0.identity.keys());
        head.remarks
            .extend(orders::standing(history.until(at), &state, &signed));
        let is_open = at.is_none() && !state.status.ended();
        let waiting = self.that_wait();
        if is_open {
            (head.status, head.status_words) = self.stands(&history, &waiting)?;
        }
        if is_open && head.driver.is_none() {
            let left = self.left_open(history.id());
            let unvouched = || Some(format!("{} {CONFIRM}", self.unvouched(history.id())?));
            let left = left.map(|left| match self.is_handed_over() {
                true => left,
                false => format!("{left} It stays as it is until you take it up."),
            });
            // What came behind it was carried on by somebody else.
            let let_go = || {
                let known = lock(&self.0.runs.let_go).get(history.id()).cloned();
                known.filter(|(at, _)| *at == history.last()).map(|(_, why)| why)
            };
            head.remarks.extend(left.or_else(unvouched).or_else(let_go));
        }
        if is_open {
            let inside = self.kept_below(&history, true, 0).into_iter();
            let inside = inside.chain(self.at_work_below(&history)?);
            head.remarks.extend(inside.map(|inside| inside.words));
        }
        let open = match is_open {
            true => OpenWork::of(self, &history, &state, head.status, &waiting)?,
            false => OpenWork::default(),
        };
        let index = history.index(at);
        let (workflow, events) = (history.workflow(), history.until(at));
        head.remarks.extend(open.left_beside(workflow));
        let differing = index.differing.iter();
        head.remarks.extend(reasons::circled(workflow, &state));
        head.remarks
            .extend(lifecycle::deviations(workflow, &state, events, differing));
        head.remarks.extend(lifecycle::without_files(workflow, &state, None));
        head.remarks.extend(self.changed_inside(&history, &state, at));
        head.remarks.extend(unasked::remarks(workflow, &state));
        if state.status.ended() {
            head.remarks.extend(self.in_doubt(&history, at));
            let unmet = reasons::unmet(workflow, &state).into_iter();
            head.remarks.extend(unmet.map(|unmet| unmet.words));
        }
        head.remarks
            .extend(words::another_logs(events, index.other_logs.iter()));
        head.remarks.extend(self.contradicted(&history));
        head.remarks.extend(self.imported_before(&history)?);
        head.rehearsal |= history.says_rehearsal();
        if head.source_changed {
            head.remarks.extend(self.stages_changed(&history));
        }
        head.remarks.extend(self.rejected_before(&history, None));
        if at.is_none() {
            head.remarks.splice(0..0, self.gone_on_from(&history, &state));
            head.remarks.extend(self.changed_afterwards(&state));
            head.remarks.extend(self.unwritten(history.id()));
            head.remarks.extend(self.unshown(history.id()));
        }
        head.remarks.splice(0..0, self.altered_words(&history));
        head.remarks = words::told_once(std::mem::take(&mut head.remarks));
        if head.altered {
            head.status_words.push_str("; its record was changed");
        }
        // It stands still already.
        if head.status == Status::LeftOpen {
            head.actions.retain(|one| one.action != RunAction::Pause);
        }
        // What would be refused is not offered: nothing can be recorded here, or this program is about to carry it on.
        if self.0.read_only.is_some() {
            head.actions.clear();
        } else if !self.is_left(history.id(), state.status.ended()) {
            head.actions
                .retain(|one| one.action != RunAction::Drive || !one.allowed);
        }
        Ok(Seen {
            index,
            now: around.moment(&state),
            open,
            history,
            at,
            state,
            head,
        })
    }

    /// The picture of a run with the ways that people sent it.
    fn drawn(&self, seen: &Seen, of: RunLook) -> Arc<Drawn> {
        let look = Look::new(of.collapsed, of.room);
        present::with_sent(seen.history.workflow(), self.picture(&seen.history, &look), &seen.index)
    }

    /// The picture of the version of a workflow that a run keeps.
    pub(crate) fn picture(&self, history: &History, look: &Look) -> Arc<Drawn> {
        self.0.runs.pictures.of(history.workflow(), history.created(), look)
    }

    /// Whether nobody carries on what has not ended: no driver holds it, and none of this process is about to.
    pub(crate) fn is_left(&self, run: &RunId, ended: bool) -> bool {
        let about_to = || {
            lock(&self.0.runs.driving)
                .get(run)
                .is_some_and(|driving| !driving.task.is_finished())
        };
        !ended && !about_to() && self.driver_of(run).is_none()
    }

    /// Where a run at work stands that nobody carries on: somebody is asked, and with the answer it goes on by itself; or it is left open. One that
    /// was handed over is carried on by nobody here, and stands as it stood then.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn undriven(&self, run: &RunId, waiting: &Waiting<'_>) -> Result<Undriven, ApiError> {
        let part = self.0.store.excerpt()?;
        if part.as_ref().is_some_and(|part| part.driven.contains(run)) {
            return Ok(Undriven::HandedOver);
        }
        Ok(match waiting.has(run)? && (part.is_some() || self.is_mine(run)) {
            true => Undriven::Waits,
            false => Undriven::LeftOpen,
        })
    }

    /// Where a run stands that has not ended; `None` where it is not at work, or where somebody carries it on and it waits for nobody.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn undriven_now(&self, history: &History, waiting: &Waiting<'_>) -> Result<Option<Undriven>, ApiError> {
        let state = history.state(None);
        if status::run_status(&state) != Status::Running {
            return Ok(None);
        }
        if self.is_left(history.id(), state.status.ended()) {
            return self.undriven(history.id(), waiting).map(Some);
        }
        Ok(waiting.is_all(history)?.then_some(Undriven::Waits))
    }

    /// Whether a run is at work and somebody carries it on, or did when it was handed over.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn goes_on(&self, history: &History) -> Result<bool, ApiError> {
        let is_at_work = status::run_status(&history.state(None)) == Status::Running;
        let undriven = self.undriven_now(history, &self.that_wait())?;
        Ok(is_at_work && matches!(undriven, None | Some(Undriven::HandedOver)))
    }

    /// Whether what a run was doing was left where it stood: nobody carries it on, and no answer will. `stands`: how it stands now
    /// ([`Studio::stands`]).
    pub(crate) fn is_work_left(&self, run: &RunId, stands: Status) -> bool {
        match stands {
            Status::LeftOpen => true,
            Status::Paused => self.is_left(run, false),
            // Somebody is asked.
            Status::Blocked => self.is_left(run, false) && !self.is_mine(run),
            _ => false,
        }
    }

    /// How a run stands now, and in words: of one that nobody carries on not that it is at work.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn stands(&self, history: &History, waiting: &Waiting<'_>) -> Result<(Status, String), ApiError> {
        let state = history.state(None);
        Ok(match self.undriven_now(history, waiting)? {
            Some(left) => (left.status(), left.words(Some((history.workflow(), &state)))),
            None => (
                status::run_status(&state),
                status::run_status_words(history.workflow(), &state),
            ),
        })
    }

    /// The run whose step this one carries out.
    fn parent_of(&self, state: &RunState) -> Option<ParentView> {
        let parent = state.created.as_deref()?.parent.as_ref()?;
        let row = self.0.store.run(parent.run.as_str()).ok().flatten();
        Some(ParentView {
            run_id: parent.run.to_string(),
            title: row.map_or_else(|| parent.run.to_string(), |row| row.title),
            step: parent.instance.step.to_string(),
        })
    }

    /// The runs that carry out a visit of a step that lists workflows, in the order listed, as far as they have begun under a run's own name.
    pub(crate) fn inner_runs(&self, of: &History, state: &RunState, visit: &Visit) -> Vec<RunRow> {
        let files = 0..of.files_inside(visit);
        files
            .flat_map(|index| self.inner_of(of.id(), state, visit, index))
            .collect()
    }

    /// [`Studio::inner_runs`]; what was done in a run that this one goes on from was done under that one's name.
    pub(crate) fn begun_inside(&self, of: &History, state: &RunState, visit: &Visit) -> Vec<RunRow> {
        let began = visit.attempts.first().map(|first| first.started_at);
        let is_carried = began < of.events().iter().next().map(|first| first.at);
        let earlier = of.created().into_iter().flat_map(RunCreated::earlier);
        let earlier = earlier.filter(|_| is_carried).map(engine::Continued::run);
        let runs: Vec<&RunId> = std::iter::once(of.id()).chain(earlier).collect();
        let begun = (0..of.files_inside(visit)).flat_map(|index| {
            let mut begun = runs.iter().map(|run| self.inner_of(run, state, visit, index));
            begun.find(|rows| !rows.is_empty()).unwrap_or_default()
        });
        begun.collect()
    }

    /// Of a run that has ended: how much of its time it waited for people, in the runs inside it too, in words.
    fn waited(&self, of: &History, state: &RunState) -> Option<String> {
        state.ended_at?;
        // A pipeline may have very many runs inside it, and all of them would be read for each look.
        if let Some((seq, known)) = lock(&self.0.runs.waited).get(of.id())
            && *seq == state.seq
        {
            return known.clone();
        }
        let within = self.within(of, Some(state.seq), Reach::Own);
        let inside = within.iter().filter_map(|one| Some(&one.read.as_ref().ok()?.state));
        let waited = work::waited(state, &inside.collect::<Vec<_>>());
        lock(&self.0.runs.waited).insert(of.id().clone(), (state.seq, waited.clone()));
        waited
    }

    /// The steps that runs inside have carried out of which none is here, by their names.
    pub(crate) fn carried_out_by_none(&self, of: &History) -> Vec<String> {
        let state = of.state(None);
        let visits = of.workflow().steps().iter().flat_map(|step| state.visits_of(&step.id));
        let ended = visits.filter(|visit| {
            let mut results = visit.attempts.iter().filter_map(|attempt| attempt.result.as_ref());
            // Somebody else may have carried the step out, and one that failed may have begun none: what it says of its runs counts.
            of.files_inside(visit) > 0
                && results
                    .any(|result| result.report.contains_key(runtime::inside::RUNS) || result.ended_inside.is_some())
        });
        let alone = ended.filter(|visit| !state.is_rehearsal() && self.begun_inside(of, &state, visit).is_empty());
        let names = alone.map(|visit| words::step_ref(of.workflow(), &visit.instance.step).name);
        names.map(|name| crate::text::safe::in_quotes(&name)).collect()
    }

    /// Of some runs those that carried out steps of a run.
    pub(crate) fn inside_among(&self, of: &History, some: &BTreeSet<RunId>) -> BTreeSet<RunId> {
        let state = of.state(None);
        let visits = of.workflow().steps().iter().flat_map(|step| state.visits_of(&step.id));
        let inside = visits.flat_map(|visit| {
            let runs = InnerRuns::of(of.id(), &state, &visit.instance);
            let found = (0..of.files_inside(visit)).flat_map(move |index| {
                let look = |run: &RunId| Ok::<_, std::convert::Infallible>(some.contains(run).then_some((None, ())));
                runs.begun(index, look).unwrap_or_default()
            });
            found.map(|(run, _, ())| run).collect::<Vec<_>>()
        });
        inside.collect()
    }

    fn inner_of(&self, run: &RunId, state: &RunState, visit: &Visit, index: u32) -> Vec<RunRow> {
        self.begun_of(&InnerRuns::of(run, state, &visit.instance), index)
    }

    /// The runs that carry out one of the workflows that a step lists, as far as they have begun.
    pub(crate) fn begun_of(&self, runs: &InnerRuns, index: u32) -> Vec<RunRow> {
        let look = |run: &RunId| {
            let row = self.0.store.run(run.as_str())?;
            Ok::<_, store::Error>(row.map(|row| (row.ended_at.filter(|_| row.status.ended()), row)))
        };
        let begun = runs.begun(index, look);
        begun.unwrap_or_default().into_iter().map(|(_, _, row)| row).collect()
    }

    /// Of each step that ran a workflow as that had become since the run was started, a sentence. `at`: the event that is looked at; absent: now.
    fn changed_inside(&self, of: &History, state: &RunState, at: Option<u64>) -> Vec<String> {
        let mut told = Vec::new();
        if of.created().is_none_or(|created| created.listed.is_empty()) {
            return told;
        }
        let steps = of.workflow().steps().iter();
        for step in steps.filter(|step| matches!(step.work, Work::SubWorkflow { .. })) {
            let visits = || state.visits_of(&step.id);
            let ended = visits().flat_map(|visit| &visit.attempts);
            let ended = ended.filter_map(|attempt| attempt.result.as_deref());
            let mut paths: Vec<String> = ended
                .flat_map(|result| runtime::inside::changed(&result.report).map(str::to_owned))
                .collect();
            // What has not ended reports nothing yet.
            // What has not ended, or was cut off, reports nothing of them.
            let tells = |one: &engine::state::AttemptState| {
                let result = one.result.as_deref();
                result.is_some_and(|result| result.report.contains_key(runtime::inside::RUNS))
            };
            let is_open = |visit: &&Visit| visit.attempts.is_empty() || !visit.attempts.iter().all(tells);
            let begun = visits()
                .filter(is_open)
                .flat_map(|visit| self.begun_inside(of, state, visit));
            let begun = begun.filter(|row| at.is_none() || Some(row.created_at) <= state.last_at);
            let inside = begun.filter_map(|row| self.created(&row.run));
            let inside = inside.filter(|inside| inside.changed_since);
            paths.extend(inside.map(|inside| inside.path.clone()));
            for path in paths {
                let said = lifecycle::changed_since(&step.name, &path);
                if !told.contains(&said) {
                    told.push(said);
                }
            }
        }
        told
    }

    /// [`Studio::begun_inside`], to look at.
    fn children_of(&self, of: &History, state: &RunState, visit: &Visit) -> Vec<ChildRunView> {
        let begun = self.begun_inside(of, state, visit);
        begun
            .iter()
            .map(|row| {
                let row = self.row(row);
                ChildRunView {
                    run_id: row.run_id,
                    title: row.workflow_title,
                    status: row.status,
                    words: row.status_words,
                }
            })
            .collect()
    }

    /// What the document of an imported run says against itself: gates that were not passed, of steps that are done.
    fn contradicted(&self, history: &History) -> Vec<String> {
        let Some(created) = history.created().filter(|created| created.imported.is_some()) else {
            return Vec::new();
        };
        if let Some(known) = history.contradicted.get() {
            return known.clone();
        }
        let Ok(document) = runtime::imported::document(&self.0.store, created) else {
            return Vec::new();
        };
        let said = runtime::imported::contradictions(&document);
        let rehearsed = history.says_rehearsal().then(|| SAYS_REHEARSAL.to_owned());
        let said = said.iter().map(|one| safe::visible(one)).chain(rehearsed).collect();
        history.contradicted.get_or_init(|| said).clone()
    }

    /// Whether there is no file of a workflow, which stood at that path.
    pub(crate) fn source_gone(&self, path: &str) -> bool {
        self.inside(path)
            .ok()
            .is_none_or(|file| file.symlink_metadata().is_err())
    }

    /// Whether a run's file differs from the version that the run keeps, in more than what the run itself writes there.
    pub(crate) fn source_changed(&self, history: &History) -> bool {
        let document = &history.document;
        let now = self
            .inside(document.path())
            .ok()
            .and_then(|_| store::below::read(&self.0.root, document.path(), store::regular::LARGEST_WORKFLOW).ok());
        // Of several flows the run keeps the files of all.
        if !document.workflow().parts().is_empty() {
            let text = now.and_then(|bytes| String::from_utf8(bytes).ok());
            let one = text.map(|text| dialect::Document::parse(document.path(), &text));
            let whole = one.map(|one| runtime::flows::gathered(&self.0.root, &one, true));
            return whole.is_some_and(|whole| whole.is_ok_and(|now| now.as_deref() != Some(document.text())));
        }
        if document.behind().is_some() {
            let text = now.and_then(|bytes| String::from_utf8(bytes).ok());
            let whole = text.map(|text| runtime::opened::document(&self.0.root, document.path(), &text));
            return whole.is_some_and(|now| now.text() != document.text());
        }
        now.is_some_and(|bytes| bytes != document.text().as_bytes() && !self.only_states_differ(history, &bytes))
    }

    /// One step of a run as of an event.
    pub(crate) async fn step_detail(&self, of: StepAt) -> Result<StepDetail, ApiError> {
        let history = self.history(&of.run_id)?;
        let workflow = history.workflow();
        let step = workflow.step(&StepId::new(of.step.clone())).ok_or_else(|| {
            ApiError::new(
                "not_found",
                format!("The workflow of this run has no step “{}”.", of.step),
            )
        })?;
        let at = of.at.filter(|at| *at < history.last());
        let events = history.until(at);
        let state = history.state(at);
        let index = history.index(at);
        let drawn = present::with_sent(workflow, self.picture(&history, &Look::default()), &index);
        let routes = Routes {
            workflow,
            drawn: &drawn,
            events,
            index: &index,
            state: &state,
        };
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        let kept = history.receipts(at);
        let receipts = |instance: &Instance, attempt: u32| {
            let each = kept.of(instance, attempt).into_iter().map(|receipt| {
                let text = String::from_utf8_lossy(&receipt.bytes).into_owned();
                let path = receipt.path;
                (receipt.agent, FileView { path, text })
            });
            each.collect()
        };
        let children = |visit: &Visit| self.children_of(&history, &state, visit);
        let on_disk = |path: &str| self.remembered_digest(path);
        let time = if at.is_some() {
            state.last_at.map_or(0, |t| t.0)
        } else {
            now().0
        };
        let keys = self.0.identity.keys();
        let material = one_step::Material {
            workflow,
            events,
            state: &state,
            route: &|place| routes.at(place),
            now: time,
            blobs: &blobs,
            receipts: &receipts,
            children: &children,
            on_disk: at.is_none().then_some(&on_disk),
            signatures: &|d| history.signed(d, &keys),
        };
        let mut detail = one_step::detail(&material, step, of.path.as_deref(), of.until);
        let is_open = at.is_none() && !state.status.ended();
        if is_open && (OpenWork::concerns(detail.status) || OpenWork::is_next(&state, &step.id)) {
            let waiting = self.that_wait();
            let (stands, _) = self.stands(&history, &waiting)?;
            let open = OpenWork::of(self, &history, &state, stands, &waiting)?;
            if let Some((status, words)) = open.of_step(step.id.as_str(), detail.status) {
                (detail.status, detail.words) = (status, words.to_owned());
            }
            if detail.status == Status::LeftOpen {
                let attempts = detail.visits.iter_mut().flat_map(|visit| &mut visit.attempts);
                for attempt in attempts.filter(|one| one.status == Status::Running) {
                    attempt.status = Status::LeftOpen;
                }
            }
        }
        Ok(detail)
    }

    /// A run over time, whatever the playhead: that stands in it. Of it a piece of what is new since the event that is known.
    pub(crate) async fn timeline(&self, of: TimelineAfter) -> Result<TimelineView, ApiError> {
        let history = self.history(&of.run_id)?;
        let live = history.live();
        let state = live.state();
        // Where nobody carries the run on, nothing takes time any more.
        let until = match self.is_left(history.id(), state.status.ended()) {
            true => state.moved_at.unwrap_or_else(now),
            false => now(),
        };
        // What was known of a longer log than this is of another one.
        let after = of.after.filter(|after| *after <= history.last());
        // For the other pieces no log of those inside is looked at.
        let waits = match history.is_last_piece(after) {
            true => self.waits_inside(&history, state, until),
            false => BTreeMap::new(),
        };
        Ok(history.timeline(after, until.0, &waits))
    }

    /// A run's log for people.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub async fn log(&self, of: LogAfter) -> Result<LogView, ApiError> {
        let history = self.history(&of.run_id)?;
        let after = of.after.unwrap_or(0);
        Ok(log::log(
            history.workflow(),
            history.until(of.until),
            after,
            &history.state(None),
        ))
    }

    /// What a run was created from; absent: its log cannot be read.
    pub(crate) fn created(&self, run: &RunId) -> Option<Arc<RunCreated>> {
        let first = self.0.store.events(run, 0, 1).ok()?.into_iter().next()?;
        match first.event {
            Event::RunCreated(created) => Some(created),
            _ => None,
        }
    }

    /// In what a run that a scenario scripts differs from what the scenario expects; absent where nothing is expected, and
    /// where people answered: what that led to is not the scenario's to judge.
    ///
    /// # Errors
    /// `not_found`, `invalid_file`.
    pub fn differences(&self, run: &RunId) -> Result<Option<Vec<String>>, ApiError> {
        let Some(scenario) = runtime::scenario_of(&self.0.store, run)? else {
            return Ok(None);
        };
        if scenario.expect.is_none() {
            return Ok(None);
        }
        let history = self.history(run.as_str())?;
        let state = history.state(None);
        let by_people = state.gates.values().flatten().any(|round| {
            let answer = round.answer.as_ref();
            answer.is_some_and(|(decision, _)| decision.via != "scenario")
        });
        Ok((state.status.ended() && !by_people).then(|| scenario.check(history.workflow(), &state)))
    }

    /// Whether a run has ended.
    ///
    /// # Errors
    /// `not_found`.
    pub fn has_ended(&self, id: &str) -> Result<bool, ApiError> {
        let run = self.find_run(id)?;
        match self.0.store.run(run.as_str())? {
            Some(row) => Ok(row.status.ended()),
            // The list cannot say it.
            None => Ok(self.history(run.as_str())?.state(None).status.ended()),
        }
    }

    /// Whether somebody has paused a run that has not ended.
    ///
    /// # Errors
    /// `not_found`.
    pub fn is_paused(&self, id: &str) -> Result<bool, ApiError> {
        let state = self.history(id)?.state(None);
        Ok(state.paused && !state.status.ended())
    }

    /// Whether somebody drives a run.
    pub fn is_driven(&self, run: &RunId) -> bool {
        self.driver_of(run).is_some()
    }

    /// The signing key, shortened.
    pub fn key_short(&self) -> String {
        crate::settings::identity::short(&self.0.identity.public())
    }
}
