//! The domain says no. A refusal is not an error: nothing broke, the command does not fit the run's state.

use serde::{Deserialize, Serialize};

/// Why a command was refused; clients branch on the code, people read the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// For programs; does not change between versions.
    pub code: RefusalCode,
    /// What happened and what it means, one or two sentences.
    pub message: String,
}

/// Codes of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "engine.gen.ts")]
pub enum RefusalCode {
    /// The run already exists.
    AlreadyCreated,
    /// There is no such run yet.
    NotCreated,
    /// The run has ended.
    RunEnded,
    /// The gate is not waiting.
    GateNotOpen,
    /// Somebody answered this round first.
    AlreadyAnswered,
    /// The answer names another round than the one that waits.
    WrongRound,
    /// The answer needs a comment ([`crate::GateOpened::needs_comment`]).
    CommentRequired,
    /// The artifacts that were looked at are not the ones this round shows.
    ShownChanged,
    /// Nobody is named.
    NameRequired,
    /// The run is already paused.
    AlreadyPaused,
    /// The run is not paused.
    NotPaused,
    /// The person has not said that they trust who made the project.
    NotTrusted,
    /// The attempt is not the one in flight.
    StaleAttempt,
    /// The workflow has no step to start with.
    NoSteps,
    /// The workflow is written in a way that this version reads but cannot run.
    NotRunnable,
    /// Changes were asked for before anything had run that could run again.
    NothingToRepeat,
    /// Nothing is due.
    NothingDue,
    /// The gate does not take this kind of answer.
    AnswerNotOffered,
    /// The record of evidence cannot be promoted, or not to that level.
    CannotPromote,
    /// The run cannot be sent to that step now.
    CannotJump,
    /// The run has not ended, or not in a way that leaves anything to do.
    CannotReopen,
    /// It is not said what becomes of a failed stage, or something is said of a stage that has not failed.
    ChoiceNeeded,
    /// Somebody else has to approve: the project wants a second person.
    FourEyes,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}
