//! Agent workflows (seed 003's family).

use super::shared::*;
use super::{Row, What, row};
use model::FormSection as S;
use model::Reference as R;

/// The kinds of step: kind, label, what it is for.
pub(crate) const KINDS: [(&str, &str, &str); 3] = [
    ("work", "Work", "Somebody makes something of what others have made."),
    ("decision", "Decision", DECIDES),
    (
        "optional",
        "If it is needed",
        "Done only if a person says so when its turn comes, or if a condition holds.",
    ),
];

pub(crate) const STEP_NAME: Row = NAME_OF_STEP;
pub(crate) const STEP_ID: Row = ID;
pub(crate) const BEFORE: [Row; 3] = [
    row(
        S::What,
        "description",
        "What it is for",
        "In your own words; whoever does the step reads it.",
        What::Long,
    ),
    // Many files say it here.
    row(
        S::What,
        "notes",
        "Notes",
        "For whoever does the step. They are shown as what it is for where nothing else says that.",
        What::Long,
    ),
    row(
        S::What,
        "task",
        "Task",
        "In a word or two, for whoever does the step.",
        What::Text,
    ),
];
pub(crate) const ONE: Row = AGENT;
pub(crate) const SEVERAL: Row = AGENTS;
pub(crate) const FILES: [Row; 4] = [
    row(
        S::Files,
        "requires",
        "Needs",
        "What an earlier step makes.",
        What::Names(R::File),
    ),
    INPUTS,
    row(
        S::Files,
        "creates",
        "Makes",
        "Files that are there when the step is done.",
        What::Names(R::File),
    ),
    row(
        S::Files,
        "updates",
        "Changes",
        "Files that were there and are other ones then.",
        What::Names(R::File),
    ),
];
pub(crate) const WAITS: Row = row(S::Flow, "depends_on", "Waits for", "", What::Names(R::Step));
pub(crate) const WAITS_IN_ORDER: &str = "Without any it waits for the step before it in the file.";
pub(crate) const WAITS_IN_GROUP: &str = "Besides what its group waits for.";
pub(crate) const AFTER: [Row; 13] = [
    row(
        S::Flow,
        "optional",
        "Only if it is needed",
        "A person says whether it is done, unless a condition decides.",
        What::Flag,
    )
    .or("false"),
    row(
        S::Flow,
        "condition",
        "Only if",
        "An expression over what was reported before, such as `size == 'large'`. Of words in prose a person is asked whether they hold.",
        What::Text,
    ),
    GATE,
    GATE_AFTER,
    QUESTION,
    ASKS,
    RETRIES,
    PAUSE,
    TIMEOUT,
    TERMINAL,
    row(
        S::Limits,
        "execution.retry_on_failure",
        "Tried again, where nothing else says it",
        "So many times after a failure.",
        What::Count(0, 100),
    ),
    row(
        S::Limits,
        "execution.escalate_to",
        "Who takes over",
        "An agent or a person that does it once more when it has failed for good.",
        What::Name(R::Agent),
    ),
    row(
        S::Limits,
        "execution.skip_on_failure",
        "The rest can do without it",
        "When it fails, what waits for it goes on all the same.",
        What::Flag,
    )
    .or("false"),
];

pub(crate) const REJECTED: Row = SENT_BACK;

/// Of the workflow itself.
pub(crate) const ROOT: [Row; 5] = [
    row(S::What, "workflow.name", "Title", "What a person reads.", What::Text),
    row(S::What, "workflow.description", "What it is for", "", What::Long),
    row(
        S::What,
        "workflow.type",
        "For what",
        "`greenfield` for something new, `brownfield` for something that is in use.",
        What::Text,
    ),
    row(
        S::What,
        "workflow.category",
        "Of which kind",
        "For instance `service`, `ui` or `fullstack`.",
        What::Text,
    ),
    row(
        S::Limits,
        "execution_strategy.error_recovery.max_retries",
        "Tried again",
        "So many times after a failure, where a step says nothing itself.",
        What::Count(0, 100),
    ),
];
