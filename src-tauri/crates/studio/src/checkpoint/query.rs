//! Checkpoints of runs: naming a moment, what has been done since, and going back, which begins a new run.

use crate::checkpoint::view::{CheckpointKind, CheckpointView, CheckpointsView, FileChange, FileFate, GoBackView};
use crate::command::{BackTo, CheckpointOf, GoBackTo, RunAt, Started};
use crate::run::ahead;
use crate::run::history::History;
use crate::run::instances;
use crate::text::safe;
use crate::{ApiError, Studio, words};
use engine::{At, Checkpoint, Cursor, Event, Intent, PutBack, RunId, RunState, RunStatus};
use model::Step;
use runtime::checkpoint::{self, Plan};
use runtime::working::{self, Found, Moment};
use runtime::{Point, Said};
use store::Stored;

/// What going back has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WentBack {
    /// The new run.
    pub run: RunId,
    /// The folder with the files of that moment, relative to the project, and how many there are.
    pub folder: Option<(String, usize)>,
    /// How many files of the project were put back.
    pub put_back: usize,
}

impl Studio {
    /// The checkpoints of a run, each with what has been done since.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub async fn checkpoints(&self, of: RunAt) -> Result<CheckpointsView, ApiError> {
        let history = self.history(&of.run_id)?;
        let now = history.state(None);
        let all = history.events().iter();
        Ok(CheckpointsView {
            run_id: history.id().to_string(),
            checkpoints: all
                .filter_map(|stored| self.checkpoint(&history, stored, &now))
                .collect(),
            closed: match now.status.ended() {
                true => Some("The run has ended: nothing of it can be named any more.".to_owned()),
                false => self.read_only_words(),
            },
        })
    }

    /// A person names the moment at which a run stands.
    ///
    /// # Errors
    /// `not_found`; `refused:run_ended`, `refused:name_required`, `refused:guardrail`.
    pub async fn make_checkpoint(&self, of: CheckpointOf) -> Result<CheckpointsView, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        let said = Said {
            field: "name",
            name: "The name of the checkpoint",
            value: of.name.as_str().into(),
            is_output: false,
        };
        self.may_be_said(&history, &[said])?;
        let (by, name) = (self.person_or_somebody(), of.name);
        self.submit(&history, Intent::Checkpoint { by, name }).await?;
        self.checkpoints(RunAt {
            run_id: of.run_id,
            at: None,
        })
        .await
    }

    /// What it means to go back to a checkpoint; nothing is done.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`.
    pub async fn going_back(&self, of: BackTo) -> Result<GoBackView, ApiError> {
        let history = self.history(&of.run_id)?;
        let now = history.state(None);
        let there = self.found(&history, &of.checkpoint, &now)?;
        let then = history.state(Some(there.seq));
        let plan = checkpoint::plan(self.root(), &then, &now);
        let recorded = history.created().map(|created| created.recorded(there.seq));
        let working = match recorded {
            Some(created) => {
                let moment = Moment::Then(At(there.at), &then);
                working::found(&self.0.store, self.root(), created, moment, false)?
            }
            None => Found::default(),
        };
        let barred = self.barred_going_on(&then);
        Ok(GoBackView {
            barred,
            ..view(&history, there, &then, (&plan, &working))
        })
    }

    /// Whether one could go back to a checkpoint now.
    ///
    /// # Errors
    /// Those of [`Studio::go_back`], where the project is as it was looked at.
    pub fn could_go_back(&self, of: &BackTo) -> Result<(), ApiError> {
        let history = self.history(&of.run_id)?;
        let there = self.found(&history, &of.checkpoint, &history.state(None))?;
        self.may_go_back(&history, &there, &history.state(Some(there.seq)), &[])
    }

    /// Refuses what a person may mean one checkpoint by or another: the number of the one, and the name of the other. Programs mean the number.
    ///
    /// # Errors
    /// `not_found`; `refused:choice_needed`.
    pub fn means_one(&self, of: &BackTo) -> Result<(), ApiError> {
        let history = self.history(&of.run_id)?;
        let said = of.checkpoint.trim();
        let Some((numbered, first)) = made(&history).find(|(stored, _)| said.parse() == Ok(stored.seq)) else {
            return Ok(());
        };
        let named = made(&history).filter(|(stored, made)| stored.seq != numbered.seq && made.name() == said);
        let named: Vec<String> = named.map(|(stored, made)| made.id(stored.seq)).collect();
        if named.is_empty() {
            return Ok(());
        }
        let message = format!(
            "“{said}” is the number of one checkpoint of this run (“{}”) and the name of another.",
            safe::in_quotes(first.name())
        );
        Err(ApiError::new("refused:choice_needed", message).hint(format!(
            "Name one by its id: {}, {}.",
            first.id(numbered.seq),
            named.join(", ")
        )))
    }

    fn may_go_back(
        &self,
        history: &History,
        there: &CheckpointView,
        then: &RunState,
        changes: &[PutBack],
    ) -> Result<(), ApiError> {
        self.writable()?;
        self.may_drive(history)?;
        if let Some(why) = self.unvouched(history.id()) {
            return Err(ApiError::new("refused:cannot_reopen", why).hint("Verify the run, or start a new one."));
        }
        if let Some(why) = &there.refusal {
            return Err(ApiError::new("refused:cannot_reopen", why));
        }
        // What the history no longer has cannot be put back; that is known before anything begins.
        checkpoint::whole(&self.0.store, then, changes).map_err(|why| {
            ApiError::new("corrupt", format!("That moment cannot be gone back to: {why}."))
                .hint("Verify the run, or restore a backup of its history.")
        })
    }

    /// Goes back to a checkpoint: a new run, carried out in the background.
    pub(crate) async fn start_back(&self, of: GoBackTo) -> Result<Started, ApiError> {
        let went = self.go_back(&of)?;
        self.see_to(&went.run);
        Ok(Started {
            run_id: went.run.to_string(),
        })
    }

    /// Goes back to a checkpoint: creates the run that begins there, and writes the files of that moment into a folder of its own. Nothing is carried
    /// out yet, and the project is not touched, unless somebody confirmed what [`Studio::going_back`] says of it.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`; `refused:shown_changed`: the project is no longer what was looked at; those of a start.
    pub fn go_back(&self, of: &GoBackTo) -> Result<WentBack, ApiError> {
        let history = self.history(&of.run_id)?;
        let now = history.state(None);
        let there = self.found(&history, &of.checkpoint, &now)?;
        let then = history.state(Some(there.seq));
        let changes = match &of.put_back {
            None => Vec::new(),
            Some(mark) => self.confirmed(mark, checkpoint::plan(self.root(), &then, &now))?,
        };
        self.may_go_back(&history, &there, &then, &changes)?;
        let at = Point::Checkpoint {
            seq: there.seq,
            put_back: changes.clone(),
        };
        let request = self.begun_as(&history, at)?;
        let run = self.driver(self.options())?.start(&request)?;
        // It is recorded; what cannot be written now is said, and nothing begins before that.
        let unfinished = |why: String| {
            ApiError::new(
                "io",
                format!("The run {run} stands ready, and not all of its files do: {why}."),
            )
            .hint("Nothing of it has begun. Put them in their place and resume it, or stop it and go back once more.")
        };
        let folder = checkpoint::write_apart(&self.0.store, self.root(), &run, &then).map_err(&unfinished)?;
        checkpoint::put_back(&self.0.store, self.root(), &changes).map_err(&unfinished)?;
        Ok(WentBack {
            run,
            folder,
            put_back: changes.len(),
        })
    }

    /// What was confirmed, if it is still what would be done; what it replaces is kept in the history.
    fn confirmed(&self, mark: &str, plan: Plan) -> Result<Vec<PutBack>, ApiError> {
        let changed = |why: String| {
            ApiError::new("refused:shown_changed", why).hint("Look again at what would be put back; nothing was done.")
        };
        if plan.mark().as_str() != mark {
            return Err(changed(
                "The project's files have changed since you looked at what would be put back.".to_owned(),
            ));
        }
        checkpoint::keep(&self.0.store, self.root(), &plan.changes)?.map_err(changed)?;
        Ok(plan.changes)
    }

    /// The checkpoint that an event is.
    fn checkpoint(&self, history: &History, stored: &Stored, now: &RunState) -> Option<CheckpointView> {
        let made = Checkpoint::of(&stored.event)?;
        let then = history.state(Some(stored.seq));
        let steps = now.executed.saturating_sub(then.executed);
        let files = checkpoint::changed(&then, now);
        let later = history.events().from(history.until(Some(stored.seq)).len());
        let decided = later
            .filter(|later| matches!(later.event, Event::GateAnswered(_)))
            .count();
        let (kind, by) = match &made {
            Checkpoint::Person(made) => (CheckpointKind::Person, Some(made.by.clone())),
            Checkpoint::Step { .. } => (CheckpointKind::Step, None),
            Checkpoint::Gate(_) => (CheckpointKind::Gate, None),
        };
        Some(CheckpointView {
            seq: stored.seq,
            id: made.id(stored.seq),
            name: made.name().to_owned(),
            kind,
            by,
            step: made
                .instance(&then)
                .map(|instance| words::step_ref(history.workflow(), &instance.step)),
            visit: made.instance(&then).map(|instance| instances::times(&then, instance)),
            at: stored.at.0,
            since: since(steps as usize, files, decided),
            steps_since: steps,
            files_since: u32::try_from(files).unwrap_or(u32::MAX),
            refusal: match self.is_at_work(history.id(), now) {
                _ if self.0.read_only.is_some() => self.read_only_words(),
                true => Some("The run is at work. Stop it, or let it come to a gate or to its end: two runs must not work in one folder at once.".to_owned()),
                false => runtime::can_go_back(history.workflow(), &then).err(),
            },
        })
    }

    /// Whether somebody drives a run and it is at work: while it is paused, what had begun goes on to its end.
    fn is_at_work(&self, run: &RunId, now: &RunState) -> bool {
        let works = now.cursors().any(|cursor| matches!(cursor, Cursor::Running { .. }));
        (works || now.status == RunStatus::Running) && self.driver_of(run).is_some()
    }

    /// The checkpoint that somebody means: by the number of its event, else by its id, else by its name, which may look like a number.
    fn found(&self, history: &History, said: &str, now: &RunState) -> Result<CheckpointView, ApiError> {
        let said = said.trim();
        let all = || made(history);
        let by_number = all().find(|(stored, _)| said.parse() == Ok(stored.seq));
        let exact = by_number.or_else(|| all().find(|(stored, made)| made.id(stored.seq) == said));
        let found: Vec<&Stored> = match exact {
            Some((stored, _)) => vec![stored],
            None => all()
                .filter(|(_, made)| made.name() == said)
                .map(|(stored, _)| stored)
                .collect(),
        };
        match found.as_slice() {
            [one] => self
                .checkpoint(history, one, now)
                .ok_or_else(|| ApiError::new("not_found", "There is no such checkpoint.")),
            [] => Err(
                ApiError::new("not_found", format!("This run has no checkpoint “{said}”.")).hint(format!(
                    "`gatehouse checkpoints {}` shows those there are.",
                    history.id()
                )),
            ),
            several => {
                let numbers: Vec<String> = several.iter().map(|stored| stored.seq.to_string()).collect();
                Err(ApiError::new(
                    "refused:choice_needed",
                    format!(
                        "Several checkpoints of this run are called “{said}”: {}.",
                        numbers.join(", ")
                    ),
                )
                .hint("Name one by its number."))
            }
        }
    }
}

/// What a run has done since a moment; what there is none of is not counted.
fn since(steps: usize, files: usize, decided: usize) -> String {
    let of_work = [(steps, "step", "steps"), (files, "file", "files")];
    let counted = of_work.into_iter().filter(|(n, ..)| *n > 0);
    let counted: Vec<String> = counted.map(|(n, one, many)| words::count(n, one, many)).collect();
    match (counted.is_empty(), decided) {
        (false, _) => counted.join(", "),
        (true, 0) => "nothing".to_owned(),
        (true, n) => words::count(n, "decision", "decisions"),
    }
}

/// The checkpoints of a run, each with its event.
fn made(history: &History) -> impl Iterator<Item = (&Stored, Checkpoint<'_>)> {
    let events = history.events().iter();
    events.filter_map(|stored| Some((stored, Checkpoint::of(&stored.event)?)))
}

fn view(
    history: &History,
    checkpoint: CheckpointView,
    then: &RunState,
    (plan, working): (&Plan, &Found),
) -> GoBackView {
    let workflow = history.workflow();
    let onward = ahead::onward(workflow, then);
    let again: Vec<_> = then
        .cursors()
        .filter_map(|cursor| match cursor {
            Cursor::Running { instance, .. } => Some(words::step_ref(workflow, &instance.step)),
            _ => None,
        })
        .collect();
    let refs = |steps: Vec<&Step>| -> Vec<_> { steps.into_iter().map(words::of_step).collect() };
    let mut at = refs(onward.at);
    at.retain(|step| !again.contains(step));
    let files = checkpoint::files(then).len();
    let mut changes: Vec<FileChange> = Vec::new();
    let mut add = |path: &str, fate, why: Option<&String>| {
        changes.push(FileChange {
            path: path.to_owned(),
            fate,
            why: why.cloned(),
        });
    };
    for change in &plan.changes {
        let fate = match (&change.to, &change.from) {
            (None, _) => FileFate::Deleted,
            (Some(_), None) => FileFate::Written,
            (Some(_), Some(_)) => FileFate::Changed,
        };
        add(&change.path, fate, None);
    }
    plan.same.iter().for_each(|path| add(path, FileFate::Same, None));
    plan.left
        .iter()
        .for_each(|(path, why)| add(path, FileFate::Left, Some(why)));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let place = match then.created.as_ref().is_some_and(|created| created.is_rehearsal()) {
        true => "It is a rehearsal, as this run is.",
        false => {
            "Its steps work in the project's folder as it is, unless you have the files of that moment put back first."
        }
    };
    GoBackView {
        words: format!(
            "A new run begins with everything that this one had done up to “{}”, with the version of the workflow that it keeps and the settings as they are now. {} {place}{} This run stays as it is.",
            checkpoint.name,
            onward.words,
            words::taken_along(working.unnamed)
        ),
        barred: None,
        not_taken: words::left_behind(&working.left),
        checkpoint,
        kept: refs(onward.kept),
        left_out: refs(onward.left_out),
        failed: refs(onward.failed),
        again,
        at,
        then: refs(onward.then),
        files: u32::try_from(files).unwrap_or(u32::MAX),
        changes,
        mark: plan.mark().to_string(),
    }
}
