//! Pipelines (seed 004).

use super::shared::*;
use super::{Row, What, done_by, row};
use crate::does;
use model::FormSection as S;
use model::Reference as R;

/// The kinds of stage: kind, label, what it is for.
pub(crate) const KINDS: [(&str, &str, &str); 4] = [
    (
        "work",
        "Work",
        "Somebody does something, alone, one after the other or together.",
    ),
    ("decision", "Decision", DECIDES),
    ("script", "Script", "Commands of a shell that do the work."),
    (
        "workflow",
        "Workflow",
        "Another workflow of the project, run as a part of this one.",
    ),
];

pub(crate) const DOES: Row = done_by(&[
    (does::WORK, "Somebody"),
    (does::SCRIPT, "A script"),
    (does::WORKFLOW, "Another workflow"),
]);
/// Also where the file says it of one in `agent`.
pub(crate) const WHO: Row = AGENTS;
pub(crate) const STAGE: [Row; 15] = [
    row(
        S::What,
        "name",
        "Name",
        "What people read, what other stages wait for, and the folder of what it makes. A new stage is called in small letters with hyphens; what it was called by whoever added it is what it is for.",
        What::Text,
    ),
    DESCRIPTION,
    PHASE,
    row(
        S::Work,
        "parallel",
        "May run at the same time as others",
        "It begins as soon as what it waits for is completed, while others are still at work.",
        What::Flag,
    )
    .or("false"),
    row(
        S::Flow,
        "depends_on",
        "Waits for",
        "Stages that must be completed first.",
        What::Names(R::Step),
    ),
    INPUTS,
    OUTPUTS,
    GATE,
    GATE_AFTER,
    QUESTION,
    ASKS,
    RETRIES,
    PAUSE,
    TIMEOUT,
    TERMINAL,
];
pub(crate) const REJECTED: Row = SENT_BACK;
pub(crate) const SCRIPT: Row = RUN;
pub(crate) const OTHER: Row = WORKFLOW;

pub(crate) const ROOT: [Row; 5] = [
    NAME,
    DESCRIPTION,
    row(
        S::Limits,
        "error_handling",
        "When a stage fails",
        "What becomes of the rest.",
        What::Choice(&[
            ("halt", "Stop; what runs is finished"),
            ("skip_dependents", "Leave out what depends on it, and go on"),
            ("retry", "Try again, then stop"),
        ]),
    )
    .or("\"halt\""),
    row(
        S::Limits,
        "max_retries",
        "How often, if tried again",
        "Counts only where a failed stage is tried again.",
        What::Count(0, 100),
    )
    .or("2"),
    row(
        S::Limits,
        "retry_delay_seconds",
        "Pause between tries",
        "Counts only where a failed stage is tried again.",
        What::Seconds,
    )
    .or("30"),
];
