//! Scenarios beside a workflow (CONTRACTS "Scenarios").

use super::shared::{DESCRIPTION, NAME};
use super::{Row, What, row};
use model::FormSection as S;

/// The scenario itself.
pub(crate) const WHOLE: [Row; 2] = [NAME, DESCRIPTION];

/// What a step does at one visit.
pub(crate) const VISIT: [Row; 5] = [
    row(
        S::What,
        "status",
        "How it ends",
        "",
        What::Choice(&[
            ("succeeded", "Done"),
            ("failed", "Failed"),
            ("skipped", "There was nothing to do"),
        ]),
    )
    .or("\"succeeded\""),
    row(
        S::What,
        "error",
        "Why it failed",
        "Where it did not end well.",
        What::Text,
    ),
    row(
        S::What,
        "report",
        "What it reports",
        "Loops and branches read it.",
        What::Pairs,
    ),
    row(S::What, "output", "What it says", "", What::Long),
    row(S::What, "takes", "How long it takes", "For instance `2s`.", What::Text),
];
/// Of a step with a validation.
pub(crate) const INVALID: Row = row(
    S::Checks,
    "invalid",
    "Why its check fails",
    "Empty: it passes.",
    What::Text,
);

/// An answer to a gate.
pub(crate) const ANSWER: [Row; 4] = [
    row(
        S::Gate,
        "answer",
        "Answer",
        "",
        What::Choice(&[
            ("approve", "Approve"),
            ("changes", "Request changes"),
            ("reject", "Reject"),
            ("pass", "It went well"),
            ("fail", "It did not"),
            ("choose", "Choose a way"),
        ]),
    ),
    row(S::Gate, "by", "Who", "", What::Text).or("\"scenario\""),
    row(S::Gate, "comment", "Comment", "", What::Long),
    row(
        S::Gate,
        "way",
        "Which way",
        "Where a way is chosen, for instance `advance:fix`.",
        What::Text,
    ),
];

/// How a run can end: as the file has it, and as a person reads it.
const ENDS: [(&str, &str); 7] = [
    ("", "Whatever comes"),
    ("succeeded", "Done"),
    ("failed", "Failed"),
    ("rejected", "Rejected"),
    ("aborted", "Aborted"),
    ("completed_with_failures", "Done, with failures"),
    ("blocked", "Waiting for a person"),
];

/// What a person reads of an end that a scenario names; another word is its own.
pub fn end_in_words(word: &str) -> &str {
    ENDS.iter()
        .find(|(one, _)| *one == word)
        .map_or(word, |(_, said)| *said)
}

/// How the run should end.
pub(crate) const EXPECT: [Row; 3] = [
    row(S::Flow, "status", "The run ends", "", What::Choice(&ENDS)).or("\"\""),
    row(
        S::Flow,
        "path",
        "Along these steps",
        "In the order in which they begin; a step that begins again stands there again.",
        What::Sequence,
    ),
    row(
        S::Flow,
        "error",
        "With this error",
        "The run's error, or a part of it.",
        What::Text,
    ),
];
