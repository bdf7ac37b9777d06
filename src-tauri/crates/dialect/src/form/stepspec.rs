//! StepSpec workflows (seed 000).

use super::shared::*;
use super::{Row, What, done_by, row};
use crate::does;
use model::FormSection as S;
use model::Reference as R;

/// The kinds of step: kind, label, what it is for.
pub(crate) const KINDS: [(&str, &str, &str); 3] = [
    (
        "work",
        "Work",
        "Somebody does something, with tools, templates and checks.",
    ),
    ("decision", "Decision", DECIDES),
    ("script", "Script", "Commands of a shell that do the work."),
];

pub(crate) const DOES: Row = done_by(&[(does::WORK, "Somebody"), (does::SCRIPT, "A script")]);
pub(crate) const STEP: [Row; 19] = [
    ID,
    NAME_OF_STEP,
    DESCRIPTION,
    PHASE,
    AGENT,
    AGENTS,
    RUN,
    row(
        S::Work,
        "tools",
        "Tools",
        "Called before the work, in their order, each with its arguments.",
        What::Calls,
    )
    .or("[]"),
    row(
        S::Files,
        "inputs",
        "Reads",
        "Files under `artifacts`, and named values.",
        What::Pairs,
    )
    .or("{}"),
    row(
        S::Files,
        "outputs",
        "Makes",
        "Files below `{output_folder}/`.",
        What::Names(R::File),
    )
    .or("[]"),
    row(
        S::Checks,
        "templates",
        "Held against",
        "Templates that what it makes must keep to.",
        What::Names(R::Template),
    )
    .or("[]"),
    row(
        S::Checks,
        "validation",
        "Checked by",
        "How what it makes is checked.",
        What::Text,
    ),
    row(
        S::Checks,
        "evidence",
        "Evidence",
        "The level that is to be reached.",
        What::Choice(&[
            ("", "None"),
            ("L0", "Claimed (L0)"),
            ("L1", "Checked (L1)"),
            ("L2", "Confirmed by a person (L2)"),
        ]),
    )
    .or("\"\""),
    GATE_BY_POLICY,
    GATE_BEFORE,
    QUESTION,
    ASKS,
    ON_REJECT,
    RETRIES,
];
pub(crate) const SCRIPT: Row = RUN;

pub(crate) const LAST: [Row; 3] = [PAUSE, TIMEOUT, TERMINAL];

pub(crate) const ROOT: [Row; 4] = [
    TITLE,
    DESCRIPTION,
    row(S::What, "module", "Module", "What it belongs to.", What::Text),
    PHASE,
];
pub(crate) use super::shared::RUN_QUESTIONS;
