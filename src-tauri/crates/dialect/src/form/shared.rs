//! Rows that several formats have.

use super::{Row, What, row};
use model::FormSection as S;
use model::Reference as R;

/// What is said of the one who does a step: the file holds a name and nothing else.
pub(super) const A_NAME: &str =
    "A name: who or what does its work is chosen in Settings, under “Who does the work”, and kept in `gatehouse.yaml`.";
/// What a decision is for. Whoever types a name for a step is offered the kind whose words they use, so that they stand here.
pub(crate) const DECIDES: &str = "Something is prepared and a person decides about it: approves, signs off, accepts, releases or rejects it, before it goes on.";

pub(super) const NAME: Row = row(S::What, "name", "Name", "What a person reads.", What::Text);
pub(super) const NAME_OF_STEP: Row = row(
    S::What,
    "name",
    "Name",
    "What people read; it is the task too where nothing else says one.",
    What::Text,
);
pub(super) const ID: Row = row(
    S::What,
    "id",
    "Id",
    "What other steps call it by; they follow when it changes.",
    What::Text,
);
pub(super) const AGENTS: Row = row(
    S::Work,
    "agents",
    "Who does it",
    "Names: who or what does the work of each is chosen in Settings, under “Who does the work”, and kept in `gatehouse.yaml`. A command that is chosen there is run for every step that names it; it sees which one in `GATEHOUSE_STEP`. Several work one after the other, or together; the people among them are asked one question, and one answer counts.",
    What::Names(R::Agent),
);
/// The same where it is one name.
pub(super) const AGENT: Row = row(S::Work, "agent", "Who does it", A_NAME, What::Name(R::Agent));
pub(super) const PARALLEL: Row = row(
    S::Work,
    "parallel",
    "They work together",
    "Several begin at the same time.",
    What::Flag,
)
.or("false");
pub(super) const RUN: Row = row(
    S::Work,
    "run",
    "Script",
    "Commands of a shell that do the work.",
    What::Script,
);
pub(super) const WORKFLOW: Row = row(
    S::Work,
    "workflow",
    "Workflow",
    "Another workflow of the project that does the work.",
    What::Name(R::Workflow),
);
pub(super) const INPUTS: Row = row(
    S::Files,
    "inputs",
    "Reads",
    "Files of the project, or what earlier steps make.",
    What::Names(R::File),
);
pub(super) const OUTPUTS: Row = row(
    S::Files,
    "outputs",
    "Makes",
    "Files that are there when the step is done. Whoever decides about the step is shown these; other files that it changes are not shown.",
    What::Names(R::File),
);
pub(super) const PHASE: Row = row(
    S::What,
    "phase",
    "Phase",
    "Steps of one phase are drawn together.",
    What::Text,
);

/// What `human_gate` says where a step without it asks nobody.
pub(super) const GATE: Row = row(
    S::Gate,
    "human_gate",
    "Ask a person",
    "Where a person must approve before the run goes on.",
    What::Choice(&[
        ("", "No"),
        ("required", "Always"),
        ("conditional", "When the policy says so"),
        ("recommended", "Recommended"),
        ("optional", "Optional"),
    ]),
)
.or("\"\"");
/// The same where the policy decides over a step without it.
pub(super) const GATE_BY_POLICY: Row = row(
    S::Gate,
    "human_gate",
    "Ask a person",
    "Where a person must approve before the run goes on. An optional question is asked only where the project’s policy demands it.",
    What::Choice(&[
        ("none", "No"),
        ("required", "Always"),
        ("conditional", "When the policy says so"),
        ("recommended", "Recommended"),
        ("optional", "Optional"),
    ]),
)
.or("\"optional\"");

const AT: What = What::Choice(&[("before", "Before the work"), ("after", "After the work")]);
const AT_LABEL: &str = "When";
const AT_HELP: &str = "Before the work, or when there is something to look at.";
pub(super) const GATE_AFTER: Row = row(S::Gate, "gate_at", AT_LABEL, AT_HELP, AT).or("\"after\"");
pub(super) const GATE_BEFORE: Row = row(S::Gate, "gate_at", AT_LABEL, AT_HELP, AT).or("\"before\"");
pub(super) const QUESTION: Row = row(
    S::Gate,
    "gate_question",
    "Question",
    "What the person is asked; without it one is made of the step's name.",
    What::Text,
);
pub(super) const ASKS: Row = row(
    S::Gate,
    "gate_asks",
    "Whom",
    "Names or roles. It says for whom the question is meant; others can answer it too, under their own name. One answer is enough.",
    What::Names(R::Person),
);
pub(super) const ON_REJECT: Row = row(
    S::Gate,
    "on_reject",
    "After a rejection",
    "The step that a rejection leads to; without one the run ends.",
    What::Name(R::Step),
);
/// The same where steps wait for each other: work goes back to what was waited for.
pub(super) const SENT_BACK: Row = row(
    S::Gate,
    "on_reject",
    "After a rejection",
    "What is rejected goes back to this step, and to what waits for it; only steps that this one waits for can be chosen.",
    What::Name(R::Step),
)
.or("\"\"");
pub(super) const RETRIES: Row = row(
    S::Limits,
    "retries.max",
    "Tried again",
    "So many times after a failure; without a number as often as the project allows. What a person does is not tried again.",
    What::Count(0, 100),
);
pub(super) const PAUSE: Row = row(
    S::Limits,
    "retries.backoff_seconds",
    "Pause between tries",
    "",
    What::Seconds,
)
.or("0");
pub(super) const TIMEOUT: Row = row(
    S::Limits,
    "timeout_seconds",
    "Time for one try",
    "Without it the project's own limit holds.",
    What::Seconds,
);
pub(super) const TERMINAL: Row = row(
    S::Work,
    "terminal",
    "Needs a terminal",
    "Its program is shown a terminal that a person can type into.",
    What::Flag,
)
.or("false");
pub(super) const TITLE: Row = row(S::What, "title", "Title", "What a person reads.", What::Text);
pub(super) const DESCRIPTION: Row = row(S::What, "description", "What it is for", "", What::Long);
pub(crate) const RUN_QUESTIONS: Row = row(
    S::Questions,
    "questions",
    "Asked before a run",
    "The answers are the run's inputs.",
    What::Questions,
);
