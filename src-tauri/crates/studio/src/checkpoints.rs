//! Checkpoints of runs: naming a moment, what has been done since, and going back, which begins a new run.

use crate::command::{BackTo, CheckpointOf, GoBackTo, RunAt, Started};
use crate::history::History;
use crate::show::words;
use crate::view::checkpoint::{CheckpointKind, CheckpointView, CheckpointsView, FileChange, FileFate, GoBackView};
use crate::{ApiError, Studio};
use engine::{Checkpoint, Cursor, Intent, PutBack, RunId, RunState, RunStatus, StepStatus};
use model::Work;
use runtime::checkpoint::{self, Plan};
use runtime::{GoOn, Point, ScenarioSource, StartRequest};
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
            closed: now
                .status
                .ended()
                .then(|| "The run has ended: nothing of it can be named any more.".to_owned()),
        })
    }

    /// A person names the moment at which a run stands.
    ///
    /// # Errors
    /// `not_found`; `refused:run_ended`, `refused:name_required`.
    pub async fn make_checkpoint(&self, of: CheckpointOf) -> Result<CheckpointsView, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
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
        Ok(view(&history, there, &then, &plan))
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
        self.writable()?;
        let history = self.history(&of.run_id)?;
        self.may_drive(&history)?;
        if let Some(why) = self.unvouched(history.id()) {
            return Err(ApiError::new("refused:cannot_reopen", why).hint("Verify the run, or start a new one."));
        }
        let now = history.state(None);
        let there = self.found(&history, &of.checkpoint, &now)?;
        if let Some(why) = there.refusal {
            return Err(ApiError::new("refused:cannot_reopen", why));
        }
        let Some(created) = history.created() else {
            return Err(ApiError::new(
                "corrupt",
                "The log of this run does not begin with its creation.",
            ));
        };
        let then = history.state(Some(there.seq));
        let changes = match &of.put_back {
            None => Vec::new(),
            Some(mark) => self.confirmed(mark, checkpoint::plan(self.root(), &then, &now))?,
        };
        let scenario = match &created.scenario {
            Some(scenario) => Some(ScenarioSource {
                path: scenario.name.clone(),
                text: String::from_utf8_lossy(&self.0.store.blob(&scenario.source)?).into_owned(),
            }),
            None => None,
        };
        let request = StartRequest {
            path: created.path.clone(),
            rehearse: created.is_rehearsal(),
            scenario,
            by: self.0.identity.person().name,
            initiator: self.0.client.word().into(),
            subject: created.subject.clone(),
            inputs: created.inputs.clone(),
            prompted: created.prompted,
            assigned: created.assigned.clone(),
            continues: Some(GoOn {
                run: history.id().clone(),
                by: self.person_or_somebody(),
                at: Point::Checkpoint {
                    seq: there.seq,
                    put_back: changes.clone(),
                },
            }),
            ..StartRequest::default()
        };
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
            at: stored.at.0,
            since: match (steps, files) {
                (0, 0) => "nothing since".to_owned(),
                _ => format!(
                    "{}, {} since",
                    words::count(steps as usize, "step", "steps"),
                    words::count(files, "file", "files")
                ),
            },
            steps_since: steps,
            files_since: u32::try_from(files).unwrap_or(u32::MAX),
            refusal: match now.status {
                RunStatus::Running if self.driver_of(history.id()).is_some() => Some("The run is at work. Pause or stop it, or let it come to a gate or to its end: two runs must not work in one folder at once.".to_owned()),
                _ => runtime::can_go_back(history.workflow(), &then).err(),
            },
        })
    }

    /// The checkpoint that somebody means: by the number of its event, its id, or its name.
    fn found(&self, history: &History, said: &str, now: &RunState) -> Result<CheckpointView, ApiError> {
        let said = said.trim();
        let all = history.events().iter();
        let meant = |stored: &&Stored| {
            Checkpoint::of(&stored.event).is_some_and(|made| {
                said.parse() == Ok(stored.seq) || made.id(stored.seq) == said || made.name() == said
            })
        };
        let found: Vec<&Stored> = all.filter(meant).collect();
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

fn view(history: &History, checkpoint: CheckpointView, then: &RunState, plan: &Plan) -> GoBackView {
    let workflow = history.workflow();
    let steps = workflow.steps().iter().filter(|step| step.work != Work::Group);
    let kept: Vec<_> = steps
        .filter(|step| matches!(then.step_status(&step.id), StepStatus::Succeeded | StepStatus::Skipped))
        .map(words::of_step)
        .collect();
    let again: Vec<_> = then
        .cursors()
        .filter_map(|cursor| match cursor {
            Cursor::Running { instance, .. } => Some(words::step_ref(workflow, &instance.step)),
            _ => None,
        })
        .collect();
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
    let done = match kept.len() {
        0 => "No step is completed then".to_owned(),
        1 => "1 step is completed then and is not done again".to_owned(),
        n => format!("{n} steps are completed then and are not done again"),
    };
    let place = match then.created.as_ref().is_some_and(|created| created.is_rehearsal()) {
        true => "It is a rehearsal, as this run is.",
        false => {
            "Its steps work in the project's folder as it is, unless you have the files of that moment put back first."
        }
    };
    GoBackView {
        words: format!(
            "A new run begins with everything that this one had done up to “{}”, with the version of the workflow that it keeps and the settings as they are now. {done}. {place} This run stays as it is.",
            checkpoint.name
        ),
        checkpoint,
        kept,
        again,
        files: u32::try_from(files).unwrap_or(u32::MAX),
        changes,
        mark: plan.mark().to_string(),
    }
}
