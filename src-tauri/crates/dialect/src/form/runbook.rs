//! Runbooks (seed 002).

use super::{Row, What, done_by, row, shared};
use crate::does;
use model::FormSection as S;
use model::Reference as R;

/// The kinds of step: kind, label, what it is for.
pub(crate) const KINDS: [(&str, &str, &str); 4] = [
    (
        "prompt",
        "By hand",
        "A person carries it out and says whether it went well.",
    ),
    (
        "command",
        "Command",
        "A command of a shell is run; it goes well when the command does.",
    ),
    ("runbooks", "Runbooks", "Other runbooks, run as parts of this one."),
    (
        "named",
        "Named step",
        "Stands outside of the order and is reached by a jump alone: what to do when something fails.",
    ),
];

pub(crate) const ID: Row = row(
    S::What,
    "id",
    "Number or name",
    "What jumps lead to; they follow when it changes.",
    What::Text,
);
pub(crate) const TITLE: Row = row(S::What, "title", "Title", "What a person reads.", What::Text);
pub(crate) const PROMPT: Row = row(
    S::What,
    "prompt",
    "Instructions",
    "In your own words, as Markdown; whoever carries it out reads it.",
    What::Long,
);
pub(crate) const DOES: Row = done_by(&[
    (does::WORK, "A person, by hand"),
    (does::SCRIPT, "A command"),
    (does::WORKFLOW, "Other runbooks"),
]);
/// In the front matter, under the step's identifier.
pub(crate) const AGENT: Row = shared::AGENT.called("agents");
pub(crate) const COMMAND: Row = row(
    S::Work,
    "command",
    "Command",
    "A command of a shell that is run.",
    What::Script,
);
/// One of the files; a place behind the last one takes another.
pub(crate) const FILE: Row = row(
    S::Work,
    "files",
    "Runbook",
    "Another runbook, run as a part of this one.",
    What::Name(R::Runbook),
);
/// One line of what follows an outcome; a place behind the last one takes another.
pub(crate) const TRANSITION: Row = row(
    S::Flow,
    "transitions",
    "Another outcome",
    "An outcome, a colon and what follows it. `PASS: CONTINUE`: where it goes well, the next step comes. `FAIL: RETRY 2 GOTO 3`: \
     where it does not, it is tried twice more, and then step 3 comes.",
    What::Transition,
);

pub(crate) const ROOT: [Row; 3] = [
    TITLE,
    row(S::What, "description", "What it is for", "As Markdown.", What::Long),
    row(
        S::Work,
        "agents",
        "Who does what",
        "Steps with the person or agent that carries them out.",
        What::Pairs,
    ),
];
