//! How a run and its steps stand, and what a run came to, as the product's one list of statuses and in words.

use crate::gate::asking;
use crate::run::row_view::{ContinuesView, OutcomeView};
use crate::run::transitions;
use crate::text::safe;
use crate::view::Status;
use crate::words::{count, decider, step_ref};
use engine::control::dag::is_halted;
use engine::{Continued, EndStatus, Imported, Outcome, Refused, RunCreated, RunState, RunStatus, StepStatus};
use model::{Step, Workflow};

/// That a run goes on from another.
pub fn continues(earlier: &Continued) -> ContinuesView {
    let (run_id, events) = (earlier.run().to_string(), earlier.events);
    let words = match &earlier.back_to {
        None if earlier.created.imported.is_some() => format!(
            "It goes on from the imported session {run_id}. What that says was completed elsewhere was not done again, and nothing of it was done here."
        ),
        None => format!(
            "It goes on from run {run_id} with the file as it was when this one began. Events 2 to {events} were recorded there, with the file as it was then; \
             what is completed in them was not done again.{}",
            ungated(earlier)
        ),
        Some(checkpoint) => {
            let files = match earlier.put_back.len() {
                0 => "The project’s files stayed as they were.".to_owned(),
                n => format!(
                    "{} of the project {} then.",
                    count(n, "file", "files"),
                    match n {
                        1 => "was put back to what it was",
                        _ => "were put back to what they were",
                    }
                ),
            };
            format!(
                "It goes back to “{}” of run {run_id}. Events 2 to {events} were recorded there; what is completed in them was not done again. {files}",
                safe::in_quotes(checkpoint)
            )
        }
    };
    ContinuesView {
        words,
        checkpoint: earlier.back_to.as_deref().map(safe::in_quotes),
        run_id,
        events,
    }
}

/// Which gates a mended workflow has no more: a sentence each, with a space before it; empty where there are none.
pub fn ungated(earlier: &Continued) -> String {
    let gates = earlier.ungated.iter();
    gates.map(|gate| format!(" {}", safe::visible(&gate.words()))).collect()
}

/// That a rehearsal began in the middle.
pub fn begins(created: &RunCreated, workflow: &Workflow) -> Option<String> {
    let at = created.begins_at.as_ref()?;
    let name = workflow.step(at).map_or(at.as_str(), |step| step.name.as_str());
    Some(format!(
        "The rehearsal began at “{}”: what does not follow it was not rehearsed.",
        safe::visible(name)
    ))
}

/// That a run is a session of elsewhere.
pub fn imported(imported: &Imported) -> String {
    let breaks = match imported.breaks {
        0 => String::new(),
        1 => " It breaks the schema of sessions in one place, which its page lists.".to_owned(),
        n => format!(" It breaks the schema of sessions in {n} places, which its page lists."),
    };
    format!(
        "Imported: nothing of it was executed here, and nobody signed it here. What it says is the claim of whoever wrote it, and counts for nothing until it is done here.{breaks}"
    )
}

/// A status in a word or two, as the window has it.
pub fn word(status: Status) -> &'static str {
    match status {
        Status::NotStarted => "not started",
        Status::Queued => "queued",
        Status::Running => "running",
        Status::Waiting => "waiting",
        Status::Blocked => "waits for a person",
        Status::Paused => "paused",
        Status::LeftOpen => "left open",
        Status::Done => "done",
        Status::Partly => "completed with failures",
        Status::Failed => "failed",
        Status::Refused => "rejected",
        Status::Stopped => "stopped",
        Status::Skipped => "skipped",
        Status::Aborted => "stopped",
        Status::Imported => "imported",
    }
}

/// The product's one status list.
pub fn step_status(status: StepStatus) -> Status {
    match status {
        StepStatus::NotStarted => Status::NotStarted,
        StepStatus::Queued => Status::Queued,
        StepStatus::Running => Status::Running,
        StepStatus::Retrying => Status::Waiting,
        StepStatus::Blocked => Status::Blocked,
        StepStatus::Succeeded => Status::Done,
        StepStatus::Failed => Status::Failed,
        StepStatus::Refused => Status::Refused,
        StepStatus::Skipped => Status::Skipped,
        StepStatus::Interrupted => Status::Aborted,
    }
}

/// The run's status.
pub fn run_status(state: &RunState) -> Status {
    match state.outcome() {
        Some(outcome) => outcome_status(outcome),
        None => match state.status {
            RunStatus::New => Status::NotStarted,
            // Whatever is answered, nothing more begins before somebody lets it go on.
            RunStatus::Blocked if state.paused => Status::Paused,
            RunStatus::Blocked => Status::Blocked,
            RunStatus::Paused => Status::Paused,
            RunStatus::Imported => Status::Imported,
            RunStatus::Running | RunStatus::Ended(_) => Status::Running,
        },
    }
}

fn outcome_status(outcome: Outcome<'_>) -> Status {
    match outcome {
        Outcome::Done => Status::Done,
        Outcome::Refused(_) => Status::Refused,
        Outcome::Failed => Status::Failed,
        Outcome::Stopped => Status::Stopped,
        Outcome::Aborted => Status::Aborted,
        Outcome::CompletedWithFailures => Status::Partly,
    }
}

/// How a run ended, in a few words; of a refused one these are `refused`.
pub fn end(end: EndStatus) -> &'static str {
    match end {
        EndStatus::Succeeded => "done",
        EndStatus::Failed => "failed",
        EndStatus::Aborted => "stopped",
        EndStatus::CompletedWithFailures => "completed with failures",
        EndStatus::Stopped => "stopped: no way led on",
    }
}

/// That a person had refused and the run was resumed all the same: `; resumed after it was rejected by Ada Lund at “Sign the contract”`.
pub fn all_the_same(before: &OutcomeView) -> String {
    format!("; resumed after it was {}", before.words)
}

/// What a run came to; `None` while it has not ended.
pub fn outcome(workflow: &Workflow, state: &RunState) -> Option<OutcomeView> {
    let outcome = state.outcome()?;
    Some(match outcome {
        Outcome::Refused(refused) => self::refused(workflow, &refused),
        other => OutcomeView {
            words: run_status_words(workflow, state),
            ..ended_as(outcome_status(other), "")
        },
    })
}

/// An end of which there is nothing to say but how.
pub fn ended_as(kind: Status, words: &str) -> OutcomeView {
    OutcomeView {
        kind,
        words: words.to_owned(),
        by: None,
        step: None,
        comment: None,
        at: None,
    }
}

/// A refusal: by whom, of what, in what words. The step is one of this run, also where it was said in a run inside, which its page names.
pub fn refused(workflow: &Workflow, refused: &Refused<'_>) -> OutcomeView {
    let inside = match refused.inside {
        Some(_) => " (in a run inside it)",
        None => "",
    };
    let at = format!("{}{inside}", asking::step_of(workflow, &refused.opened.instance));
    let (by, comment) = (decider(refused.decision), refused.decision.comment.trim());
    OutcomeView {
        kind: Status::Refused,
        words: match brief(comment) {
            said if said.is_empty() => format!("rejected by {by} at {at}"),
            said => format!("rejected by {by} at {at}: {said}"),
        },
        by: Some(by),
        step: Some(step_ref(workflow, &refused.opened.instance.step)),
        comment: Some(safe::visible_text(comment)).filter(|c| !c.is_empty()),
        at: Some(refused.at.0),
    }
}

/// Words at the end of a sentence: with a full stop, where what somebody said has none of its own.
pub fn sentence(words: &str) -> String {
    let stop = if words.ends_with(['.', '!', '?', '…']) {
        ""
    } else {
        "."
    };
    format!("{words}{stop}")
}

/// `Ada Lund: Not this quarter`
pub fn said_by(refused: &Refused<'_>) -> String {
    let by = decider(refused.decision);
    match brief(refused.decision.comment.trim()) {
        said if said.is_empty() => by,
        said => format!("{by}: {said}"),
    }
}

/// The first line of what somebody said, as long as a line of a list can be.
fn brief(text: &str) -> String {
    const LONGEST: usize = 160;
    let line = safe::visible(text.lines().next().unwrap_or_default().trim());
    let cut: String = line.chars().take(LONGEST).collect();
    let more = cut.len() < line.len() || text.lines().nth(1).is_some();
    if more { format!("{} …", cut.trim_end()) } else { cut }
}

/// What is said of a session that was taken in.
pub const IMPORTED: &str = "imported: not executed here";

/// What is said of a run that has not ended and that nobody carries on.
pub const LEFT_OPEN: &str = "left open: nobody carries it on";

/// What is said of a run that goes on with what people answer, while more of it than what they are asked had begun.
pub const WAITS: &str = "waits for a person";

/// What is said of a run that was being carried on where it was recorded when it was handed over.
const HANDED_OVER: &str = "still running when it was handed over";

/// How a run at work stands of which nothing goes on: nobody carries it on, or it waits for people alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undriven {
    /// It stays as it is until somebody takes it up.
    LeftOpen,
    /// People are asked, in it or in a run inside it, and it goes on with what they answer.
    Waits,
    /// It went on elsewhere, where somebody carried it on when it was handed over.
    HandedOver,
}

impl Undriven {
    /// What its lists and its page show.
    pub fn status(self) -> Status {
        match self {
            Self::LeftOpen => Status::LeftOpen,
            Self::Waits => Status::Blocked,
            Self::HandedOver => Status::Running,
        }
    }

    /// The same in words, in place of what its log alone says ([`run_status_words`]): that nothing more begins is said all the same.
    /// `log`: the workflow and how the run stands by its log; absent: it has no stages, or how far it was is told beside it.
    pub fn words(self, log: Option<(&Workflow, &RunState)>) -> String {
        let words = match (self, log) {
            (Self::LeftOpen, _) => LEFT_OPEN.to_owned(),
            (Self::Waits, _) => WAITS.to_owned(),
            (Self::HandedOver, Some((_, state))) => format!("{HANDED_OVER}, at event {}", state.seq),
            (Self::HandedOver, None) => HANDED_OVER.to_owned(),
        };
        let halted = log.map(|(workflow, state)| halt_words(workflow, state));
        format!("{words}{}", halted.unwrap_or_default())
    }
}

/// Why no more of a pipeline begins, whatever is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// A stage has failed, which the pipeline does not go on after.
    Failed,
    /// A person has rejected a stage.
    Rejected,
}

impl Halt {
    /// What is said of it behind how the run stands.
    fn words(self) -> &'static str {
        match self {
            Self::Failed => "; it has failed already, and nothing more begins",
            Self::Rejected => "; it has been rejected already, and nothing more begins",
        }
    }
}

/// Whether words about a run say that nothing more begins: only then it is worth looking into its log.
pub fn may_be_halted(words: &str) -> bool {
    let halts = [Halt::Failed, Halt::Rejected].map(Halt::words);
    halts.iter().any(|halt| words.ends_with(halt))
}

/// Whether no more of a pipeline begins; `None` where it goes on.
pub fn halted(workflow: &Workflow, state: &RunState) -> Option<Halt> {
    if !state.has_stages() || !is_halted(workflow, state) {
        return None;
    }
    let mut settled = state.stages.values().filter_map(|stage| stage.settled.as_ref());
    Some(match settled.any(|settled| settled.rejected) {
        true => Halt::Rejected,
        false => Halt::Failed,
    })
}

/// What is said behind how a run stands that has not ended, where no more of it begins; empty where it goes on.
fn halt_words(workflow: &Workflow, state: &RunState) -> &'static str {
    if state.status.ended() {
        return "";
    }
    halted(workflow, state).map_or("", Halt::words)
}

/// What the workflow itself said at the run's end; of a rehearsal with that mark, because nothing of it has happened.
pub fn message(state: &RunState) -> Option<String> {
    let said = state.message.as_deref()?;
    Some(match state.is_rehearsal() {
        true => format!("In the rehearsal: {said}"),
        false => said.to_owned(),
    })
}

/// The run's status in words: `waits for a decision at “Approve the plan”`.
pub fn run_status_words(workflow: &Workflow, state: &RunState) -> String {
    if let Some(Outcome::Refused(refused)) = state.outcome() {
        return self::refused(workflow, &refused).words;
    }
    let before = state.refused_before().map(|before| self::refused(workflow, &before));
    let ended = |words: String| words + &before.as_ref().map(all_the_same).unwrap_or_default();
    if let Some(said) = transitions::ended(state) {
        return ended(said);
    }
    let at = |instance| asking::step_of(workflow, instance);
    let words: String = match state.status {
        RunStatus::New => "not started".into(),
        RunStatus::Paused => "paused".into(),
        RunStatus::Imported => IMPORTED.into(),
        RunStatus::Blocked if state.paused => match state.waiting() {
            Some(round) => format!("paused; {}", asking::status(workflow, &round.opened)),
            None => "paused".into(),
        },
        RunStatus::Blocked => match state.waiting() {
            Some(round) => asking::status(workflow, &round.opened),
            None => "waits".into(),
        },
        RunStatus::Running if state.has_stages() => stages_at_work(workflow, state),
        RunStatus::Running => match &state.cursor {
            engine::Cursor::Running { instance, .. } => format!("running {}", at(instance)),
            engine::Cursor::Retrying { instance, attempt, .. } => {
                format!("will try {} again (attempt {attempt})", at(instance))
            }
            engine::Cursor::AtJoin { fork } => branches_at_work(workflow, state, *fork),
            _ => "running".into(),
        },
        RunStatus::Ended(EndStatus::Stopped) => ended(stopped(state.error.as_deref())),
        RunStatus::Ended(EndStatus::Aborted) => ended(aborted(state.error.as_deref())),
        RunStatus::Ended(end) => ended(self::end(end).into()),
    };
    words + halt_words(workflow, state)
}

/// `2 of 4 branches have ended; running “Contract” and “Security”`
fn branches_at_work(workflow: &Workflow, state: &RunState, fork: u32) -> String {
    let at_work = state.cursors().filter_map(|cursor| match cursor {
        engine::Cursor::Running { instance, .. } | engine::Cursor::Retrying { instance, .. } => {
            Some(asking::step_of(workflow, instance))
        }
        _ => None,
    });
    let at_work: Vec<String> = at_work.collect();
    let so_far = state
        .forks
        .get(fork)
        .map_or_else(|| "running".to_owned(), branches_ended);
    match at_work.as_slice() {
        [] => so_far,
        [one] => format!("{so_far}; running {one}"),
        [one, two] => format!("{so_far}; running {one} and {two}"),
        more => format!("{so_far}; running {} steps", more.len()),
    }
}

/// `2 of 4 branches have ended`
pub fn branches_ended(fork: &engine::forks::Fork) -> String {
    let ended = fork.branches.iter().filter(|branch| branch.ended.is_some()).count();
    let have = if ended == 1 { "has" } else { "have" };
    format!("{ended} of {} branches {have} ended", fork.branches.len())
}

/// Who stopped a run, and in what words, in the log's words for how it ended: `Ada Lund: wrong month`; `None`: nobody did.
pub fn stopped_by(error: &str) -> Option<&str> {
    error.strip_prefix("Aborted by ")
}

/// Why a run ended, whole: of one that a person stopped who did and in what words, `Stopped by Ada Lund: wrong month`.
pub fn why_ended(state: &RunState) -> Option<String> {
    let error = state.error.as_deref()?;
    Some(match (state.status, stopped_by(error)) {
        (RunStatus::Ended(EndStatus::Aborted), Some(who)) => format!("Stopped by {who}"),
        _ => refused_in(error),
    })
}

/// An error as people read it: of a refusal in a run inside without the marks that the record has around the file, `In ask.yaml Ada Lund refused …`.
pub fn refused_in(error: &str) -> String {
    match error.strip_prefix("In `") {
        Some(rest) => format!("In {}", rest.replacen('`', "", 1)),
        None => error.to_owned(),
    }
}

/// `stopped by Ada Lund: wrong month`
pub fn aborted(error: Option<&str>) -> String {
    match error.and_then(stopped_by) {
        Some(who) => format!("stopped by {}", brief(who)),
        None => end(EndStatus::Aborted).into(),
    }
}

/// `stopped: no way led on from “Test”: …`
pub fn stopped(error: Option<&str>) -> String {
    let Some(error) = error else {
        return end(EndStatus::Stopped).to_owned();
    };
    let mut rest = error.chars();
    let first = rest.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    safe::visible(&format!("stopped: {first}{}", rest.as_str()))
}

/// `running “Design”`, `running “Design” and “Docs”`, `running 7 stages`.
fn stages_at_work(workflow: &Workflow, state: &RunState) -> String {
    use engine::StepStatus::{Retrying, Running};
    let at_work = |step: &&Step| matches!(state.step_status(&step.id), Running | Retrying);
    let names: Vec<String> = workflow
        .steps()
        .iter()
        .filter(at_work)
        .map(|s| format!("“{}”", s.name))
        .collect();
    match names.as_slice() {
        [] => "running".to_owned(),
        [one] => format!("running {one}"),
        [one, two] => format!("running {one} and {two}"),
        more => format!("running {} stages", more.len()),
    }
}
