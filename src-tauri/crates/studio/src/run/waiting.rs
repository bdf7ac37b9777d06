//! What a run waits for, with the runs inside it: a parent waits for the people that its children ask.

use crate::gate::beside::Onlooker;
use crate::gate::view::{GateCard, ReportChoice};
use crate::gate::{asking, consequences, present};
use crate::lock::lock;
use crate::run::history::History;
use crate::run::{lifecycle, work};
use crate::text::safe;
use crate::view::FieldView;
use crate::{ApiError, Studio, words};
use engine::{Answer, Cursor, Event, GateId, GateOpened, Instance, ParentRun, Purpose, RunId, RunState, RunStatus};
use model::{GateAt, StepId, Work};
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use store::{RunRow, StatusWord, WaitingRow};

/// Runs inside runs are looked for no deeper than this.
const DEEPEST: u32 = 64;

/// A decision that somebody waits for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question, and in which run it is asked.
    pub card: Arc<GateCard>,
    /// The answers that it takes.
    pub answers: Vec<Possible>,
    /// The whole script that a permission is asked for, as it would be run; hidden characters are written out.
    pub script: Option<String>,
    /// Of a step that a person carries out: what they report of it, because it decides the way on.
    pub reports: Vec<ReportChoice>,
}

/// An answer that a gate takes.
#[derive(Debug, Clone)]
pub struct Possible {
    /// Which.
    pub answer: Answer,
    /// Of `choose`: which way, and what a person reads on it.
    pub way: Option<(String, String)>,
    /// It is refused without a comment.
    pub needs_comment: bool,
}

/// What a question is about, as far as there is something to look at when it is asked.
#[derive(Debug, Clone, Default, Serialize)]
pub struct About {
    /// The files: an answer is bound to these versions.
    pub shown: Vec<ShownFile>,
    /// What was made and is not among them, in sentences.
    pub left_out: Vec<String>,
    /// What whoever made it reported.
    pub reported: Vec<FieldView>,
}

/// A file that a question is about.
#[derive(Debug, Clone, Serialize)]
pub struct ShownFile {
    /// Relative to the project; of a branch with a folder of its own the way there.
    pub path: String,
    /// How many bytes.
    pub bytes: u64,
    /// SHA-256 of them.
    pub sha256: String,
    /// How it stands at that path now.
    pub on_disk: OnDisk,
}

/// How a file stands on disk beside the version that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDisk {
    /// It is that version.
    Same,
    /// It is another one.
    Another,
    /// It is not there, or cannot be read.
    Gone,
}

/// A run inside another one, and what that means for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inside {
    /// Which run.
    pub run: RunId,
    /// What is to be known, in sentences.
    pub words: String,
    /// What can be done about it.
    pub next: Next,
}

/// What can be done about a run inside another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is paused, and keeps what is around it until it is resumed.
    Resume,
    /// It goes on though what is around it is paused.
    Pause,
    /// Its record cannot be read.
    Verify,
}

impl Studio {
    /// The decisions that a run waits for, its own and those of the runs inside it, the longest waiting first. What a run inside asks whose record
    /// cannot be read is not among them: [`Studio::kept_inside`] names it.
    ///
    /// # Errors
    /// What the store reports.
    pub fn asked(&self, run: &RunId) -> Result<Vec<Asked>, ApiError> {
        let mut asked = Vec::new();
        let mut look = self.onlooker();
        for row in self.0.store.waiting()? {
            if (row.run != *run && !self.lies_inside(&row.run, run)?) || self.is_left_behind(&row.run)? {
                continue;
            }
            let is_inside = row.run != *run;
            match self.asked_in(row, &mut look) {
                Err(error) if is_inside && !error.passes() => {}
                found => asked.push(found?),
            }
        }
        Ok(asked)
    }

    /// A number that is another one whenever anybody has written something into the history; `None`: that cannot be told now.
    pub fn recorded_so_far(&self) -> Option<i64> {
        self.0.store.data_version().ok()
    }

    fn asked_in(&self, row: WaitingRow, look: &mut Onlooker) -> Result<Asked, ApiError> {
        let history = self.history(row.run.as_str())?;
        let round = history.round(&row.opened.gate, row.opened.round)?;
        let opened = &*round.opened;
        let offered = asking::offered(&opened.purpose).into_iter();
        let possible = offered.filter(|(answer, _)| *answer != Answer::Changes || opened.changes_to.is_some());
        let script = match opened.purpose {
            Purpose::Permission { .. } => present::command(history.workflow(), opened),
            _ => None,
        };
        let reports = match opened.purpose {
            Purpose::Outcome { attempt: true, .. } => {
                consequences::reports(history.workflow(), &history.state(None), opened)
            }
            _ => Vec::new(),
        };
        let answers = possible.map(|(answer, way)| Possible {
            answer,
            way: way.map(|way| (way.id.clone(), way.label.clone())),
            needs_comment: opened.needs_comment(answer),
        });
        Ok(Asked {
            answers: answers.collect(),
            card: self.card_of(row, look)?,
            reports,
            script,
        })
    }

    /// The files that a round asks about, and the paths of those that lie beside them and were added after it was asked.
    ///
    /// # Errors
    /// See [`Studio::asked_about`].
    pub fn shown_when_asked(
        &self,
        run: &str,
        gate: &str,
        round: u32,
    ) -> Result<(Vec<ShownFile>, Vec<String>), ApiError> {
        let history = self.history(run)?;
        let asked = history.round(&GateId::from(gate), round)?;
        Ok(self.shown_in(&history, &history.state(None), &asked.opened))
    }

    fn shown_in(&self, history: &History, state: &RunState, opened: &GateOpened) -> (Vec<ShownFile>, Vec<String>) {
        let folder = self.folder_for(state, &opened.instance.step);
        let shown = opened.shown.iter().map(|made| {
            let path = format!("{folder}{}", made.path);
            ShownFile {
                on_disk: match self.digest_on_disk(&path) {
                    Some(now) if now == made.digest => OnDisk::Same,
                    Some(_) => OnDisk::Another,
                    None => OnDisk::Gone,
                },
                path,
                bytes: made.bytes,
                sha256: made.digest.to_string(),
            }
        });
        (shown.collect(), self.added_since(history, state, opened))
    }

    /// What a round asks about.
    ///
    /// # Errors
    /// `not_found`; `corrupt`: the log does not have that round.
    pub fn asked_about(&self, run: &str, gate: &str, round: u32) -> Result<About, ApiError> {
        let history = self.history(run)?;
        let asked = history.round(&GateId::from(gate), round)?;
        let opened = &*asked.opened;
        let state = history.state(None);
        let (shown, added) = self.shown_in(&history, &state, opened);
        let mut about = About {
            shown,
            ..About::default()
        };
        // What an earlier attempt made is not what is asked about.
        let is_of_work =
            matches!(opened.purpose, Purpose::Approval | Purpose::Way { .. }) && opened.at == GateAt::After;
        let visit = state.visit(&opened.instance).filter(|_| is_of_work);
        let result = visit.and_then(|visit| visit.attempts.last()?.result.as_ref());
        if let Some(result) = result {
            let unkept = result.lifecycle.iter().flat_map(|around| &around.unkept);
            about.left_out.extend(unkept.map(|file| {
                let view = lifecycle::unkept(file);
                format!("{}. {}", view.name, view.detail)
            }));
            about.reported = words::reported(&result.report);
        }
        about.left_out.extend(added.into_iter().map(|path| {
            format!("{path} was added after this was asked: nobody is shown it, and the answer is not about it.")
        }));
        Ok(about)
    }

    /// The runs that wait for a person, for one look.
    pub(crate) fn that_wait(&self) -> Waiting<'_> {
        Waiting {
            studio: self,
            runs: OnceCell::new(),
        }
    }

    /// The decisions that the runs inside a run wait for, the longest waiting first, as far as those can be read.
    pub(crate) fn asked_inside(&self, run: &RunId) -> Result<Vec<Arc<GateCard>>, ApiError> {
        let mut asked = Vec::new();
        let mut look = self.onlooker();
        for row in self.0.store.waiting()? {
            if self.lies_inside(&row.run, run)? && !self.is_left_behind(&row.run)? {
                match self.card_of(row, &mut look) {
                    Err(error) if !error.passes() => {}
                    card => asked.push(card?),
                }
            }
        }
        Ok(asked)
    }

    /// The runs inside one that keep it: those that are paused while it is at work, and those whose record cannot be read.
    ///
    /// # Errors
    /// `not_found`; what the store reports.
    pub fn kept_inside(&self, run: &RunId) -> Result<Vec<Inside>, ApiError> {
        let history = self.history(run.as_str())?;
        Ok(self.kept_below(&history, true, 0))
    }

    /// [`Studio::kept_inside`]; `at_work`: whatever is around it is at work.
    pub(crate) fn kept_below(&self, history: &History, at_work: bool, depth: u32) -> Vec<Inside> {
        let at_work = at_work && history.state(None).status == RunStatus::Running;
        let mut found = Vec::new();
        if depth > DEEPEST {
            return found;
        }
        for (step, row) in self.open_inside(history) {
            let waits = format!(
                "“{step}” waits for “{}”, a run inside it ({})",
                safe::in_quotes(&row.title),
                row.run
            );
            match self.history(row.run.as_str()) {
                Err(error) => found.push(Inside {
                    run: row.run,
                    words: format!("{waits}. {}", error.message),
                    next: Next::Verify,
                }),
                Ok(inside) if at_work && inside.state(None).paused => found.push(Inside {
                    run: row.run,
                    words: format!("{waits}, which is paused: that one is to be resumed first."),
                    next: Next::Resume,
                }),
                Ok(inside) => found.extend(self.kept_below(&inside, at_work, depth + 1)),
            }
        }
        found
    }

    /// The runs inside one that is paused which go on all the same: what had begun is finished, and each of them belongs to a step that had.
    ///
    /// # Errors
    /// `not_found`; what the store reports.
    pub fn goes_on_inside(&self, run: &RunId) -> Result<Vec<Inside>, ApiError> {
        self.at_work_below(&*self.history(run.as_str())?)
    }

    pub(crate) fn at_work_below(&self, history: &History) -> Result<Vec<Inside>, ApiError> {
        let state = history.state(None);
        if !state.paused || state.status.ended() {
            return Ok(Vec::new());
        }
        let outermost = self.outermost(history.id())?;
        let mut found = Vec::new();
        for (step, row) in self.open_inside(history) {
            let is_driven = [&row.run, &outermost]
                .into_iter()
                .any(|run| self.driver_of(run).is_some());
            // Of one that cannot be read it is said that it cannot.
            let is_paused = |run: &RunId| {
                self.history(run.as_str())
                    .map_or(true, |inside| inside.state(None).paused)
            };
            if is_driven && !is_paused(&row.run) {
                let words = format!(
                    "“{step}” had begun: “{}”, the run inside it ({}), goes on to its end.",
                    safe::visible(&row.title),
                    row.run
                );
                found.push(Inside {
                    run: row.run,
                    words,
                    next: Next::Pause,
                });
            }
        }
        Ok(found)
    }

    /// The runs that carry out steps which are at work, as far as they have begun and not ended, each with its step's name as it is shown.
    pub(crate) fn open_inside(&self, history: &History) -> Vec<(String, RunRow)> {
        let state = history.state(None);
        let mut found = Vec::new();
        for cursor in state.cursors() {
            let (Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. }) = cursor else {
                continue;
            };
            let step = history.workflow().step(&instance.step);
            let Some((step, visit)) = step.zip(state.visit(instance)) else {
                continue;
            };
            let rows = self.inner_runs(history, &state, visit).into_iter();
            let open = rows.filter(|row| !row.status.ended());
            found.extend(open.map(|row| (safe::visible(&step.name), row)));
        }
        found
    }

    /// The run around all others in which this one lies; itself where it lies in none.
    ///
    /// # Errors
    /// What the store reports.
    pub fn outermost(&self, run: &RunId) -> Result<RunId, ApiError> {
        Ok(self.around(run)?.pop().unwrap_or_else(|| run.clone()))
    }

    /// The runs around a run, from the nearest on. What a log says of its parent may be made up: a run that is not there, or comes again,
    /// ends the row.
    pub(crate) fn around(&self, run: &RunId) -> Result<Vec<RunId>, ApiError> {
        let mut row: Vec<RunId> = Vec::new();
        while let Some(parent) = self.parent_run(row.last().unwrap_or(run))? {
            let parent = parent.run;
            if parent == *run || row.contains(&parent) || self.0.store.head(&parent)?.is_none() {
                break;
            }
            row.push(parent);
        }
        Ok(row)
    }

    /// Whether the run around a run has ended without it: nothing waits for its answers any more.
    pub(crate) fn is_left_behind(&self, run: &RunId) -> Result<bool, ApiError> {
        // Most lie in no other one, and are asked about often.
        if self.parent_run(run)?.is_none() {
            return Ok(false);
        }
        let outermost = self.outermost(run)?;
        Ok(outermost != *run && self.has_ended(outermost.as_str())?)
    }

    /// Whether nothing of a run happens for real.
    pub fn is_rehearsal(&self, run: &RunId) -> bool {
        self.created(run).is_some_and(|created| created.is_rehearsal())
    }

    fn lies_inside(&self, run: &RunId, outer: &RunId) -> Result<bool, ApiError> {
        Ok(run != outer && self.around(run)?.contains(outer))
    }

    /// The step of a run that this one carries out. Read once: a run's first event says it.
    pub(crate) fn parent_run(&self, run: &RunId) -> Result<Option<ParentRun>, ApiError> {
        if let Some(known) = lock(&self.0.runs.parents).get(run) {
            return Ok(known.clone());
        }
        let first = match self.0.store.events(run, 0, 1) {
            // Whether it lies in another one it cannot say: that keeps nobody from those beside it.
            Err(store::Error::Unreadable { .. }) => return Ok(None),
            first => first?.into_iter().next(),
        };
        let parent = match first {
            None => return Ok(None),
            Some(first) => match first.event {
                Event::RunCreated(created) => created.parent.clone(),
                _ => None,
            },
        };
        lock(&self.0.runs.parents).insert(run.clone(), parent.clone());
        Ok(parent)
    }
}

/// The runs that wait for a person: those that ask somebody, and those around them. Found once, and only where something depends on it.
pub(crate) struct Waiting<'s> {
    studio: &'s Studio,
    runs: OnceCell<HashSet<RunId>>,
}

impl Waiting<'_> {
    /// Whether a run is one of them.
    ///
    /// # Errors
    /// What the store reports.
    pub fn has(&self, run: &RunId) -> Result<bool, ApiError> {
        Ok(self.runs()?.contains(run))
    }

    /// Whether nothing of a run at work goes on before people have answered in the runs inside it.
    ///
    /// # Errors
    /// What the store reports.
    pub fn is_all(&self, history: &History) -> Result<bool, ApiError> {
        let state = history.state(None);
        // Most runs at work do something themselves: nothing is looked for then.
        let only_runs = |cursor: &Cursor| match cursor {
            Cursor::Running { instance, .. } => {
                let step = history.workflow().step(&instance.step);
                step.is_some_and(|step| matches!(step.work, Work::SubWorkflow { .. }))
            }
            _ => true,
        };
        Ok(state.status == RunStatus::Running
            && state.cursors().all(only_runs)
            && all_at(&state, &self.places(history, &state, 0)?))
    }

    /// The steps of a run of which all that is at work are runs inside that wait for people.
    ///
    /// # Errors
    /// What the store reports.
    pub fn steps(&self, history: &History, state: &RunState) -> Result<BTreeSet<StepId>, ApiError> {
        Ok(only_at(state, &self.places(history, state, 0)?))
    }

    /// Where a run waits for people who are asked in a run inside it, and nothing of that goes on before they have answered.
    fn places(&self, history: &History, state: &RunState, depth: u32) -> Result<BTreeSet<Instance>, ApiError> {
        let mut at = BTreeSet::new();
        // What a log says of its parent may be made up, and lead round in a circle.
        if depth > DEEPEST || !self.has(history.id())? {
            return Ok(at);
        }
        for cursor in state.cursors() {
            let Cursor::Running { instance, .. } = cursor else {
                continue;
            };
            let Some(visit) = state.visit(instance) else { continue };
            for row in self.studio.inner_runs(history, state, visit) {
                let waits = match row.status {
                    _ if !self.has(&row.run)? => false,
                    StatusWord::Blocked => true,
                    // Only a run at work has to be looked into.
                    StatusWord::Running => match self.studio.history(row.run.as_str()) {
                        Ok(inside) => {
                            let state = inside.state(None);
                            all_at(&state, &self.places(&inside, &state, depth + 1)?)
                        }
                        // Whether it waits it cannot say.
                        Err(_) => false,
                    },
                    _ => false,
                };
                if waits {
                    at.insert(instance.clone());
                }
            }
        }
        Ok(at)
    }

    fn runs(&self) -> Result<&HashSet<RunId>, ApiError> {
        if let Some(runs) = self.runs.get() {
            return Ok(runs);
        }
        let mut found = HashSet::new();
        for WaitingRow { run, .. } in self.studio.0.store.waiting()? {
            if !self.studio.is_left_behind(&run)? {
                found.extend(self.studio.around(&run)?);
                found.insert(run);
            }
        }
        Ok(self.runs.get_or_init(|| found))
    }
}

/// The visits of a run that carry a run inside which waits for people, with all that goes on in it, as these runs stand: those inside it, however
/// deep they lie. As [`Waiting::steps`] finds it where the runs themselves can be looked at.
pub(crate) fn waiting_visits(state: &RunState, inside: &[&RunState]) -> BTreeSet<Instance> {
    visits_within(state, inside, 0)
}

fn visits_within(state: &RunState, inside: &[&RunState], depth: u32) -> BTreeSet<Instance> {
    let own = state.created.as_deref().map(|created| &created.run_id);
    let Some(own) = own.filter(|_| depth <= DEEPEST) else {
        return BTreeSet::new();
    };
    let waits = |one: &RunState| match one.status {
        RunStatus::Blocked => true,
        RunStatus::Running => all_at(one, &visits_within(one, inside, depth + 1)),
        _ => false,
    };
    let mut at = BTreeSet::new();
    for one in inside.iter().copied() {
        if let Some(parent) = work::parent_of(one).filter(|parent| parent.run == *own && waits(one)) {
            at.insert(parent.instance.clone());
        }
    }
    at
}

/// The steps of a run that are at work at these visits alone.
pub(crate) fn only_at(state: &RunState, at: &BTreeSet<Instance>) -> BTreeSet<StepId> {
    let mut steps: BTreeSet<StepId> = at.iter().map(|instance| instance.step.clone()).collect();
    for cursor in state.cursors() {
        if let Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. } = cursor
            && !at.contains(instance)
        {
            steps.remove(&instance.step);
        }
    }
    steps
}

/// Whether all that a run is doing is done by runs that wait, at these places of it.
fn all_at(state: &RunState, waiting: &BTreeSet<Instance>) -> bool {
    !waiting.is_empty()
        && state.cursors().all(|cursor| match cursor {
            Cursor::Running { instance, .. } => waiting.contains(instance),
            Cursor::Nowhere | Cursor::AtGate { .. } | Cursor::AtJoin { .. } => true,
            Cursor::Ready { .. } | Cursor::Retrying { .. } | Cursor::Choosing { .. } | Cursor::Between(_) => false,
        })
}
