//! Flows and graph files (seed 001; CONTRACTS "Stepwise").

use super::shared::*;
use super::{Row, What, row};
use model::FormSection as S;
use model::Reference as R;

/// The kinds of step: kind, label, what it is for.
pub(crate) const KINDS: [(&str, &str, &str); 2] = [
    (
        "work",
        "Work",
        "Somebody does something: writes, checks, looks up, builds.",
    ),
    ("decision", "Decision", DECIDES),
];

pub(crate) const BEFORE: [Row; 4] = [AGENTS, PARALLEL, PHASE, TERMINAL];
/// In place of `agents` where a file says it of one.
pub(crate) const ONE: Row = AGENT;
pub(crate) const STEP_ID: Row = ID;
pub(crate) const NODE_ID: Row = ID.called("node_id");
pub(crate) const STEP_NAME: Row = NAME_OF_STEP;
pub(crate) const STATION: Row = row(
    S::Work,
    "station",
    "Station",
    "Who the step belongs to: an agent or a person.",
    What::Name(R::Agent),
);
/// What the step is for; where it stands differs from file to file.
pub(crate) const INTENT: Row = row(
    S::What,
    "role",
    "What this step does",
    "In your own words; whoever does the step reads it as the task.",
    What::Long,
);
pub(crate) const AFTER: [Row; 10] = [
    INPUTS, OUTPUTS, GATE, GATE_AFTER, QUESTION, ASKS, ON_REJECT, RETRIES, PAUSE, TIMEOUT,
];

/// What the form calls a branch by conditions: in the file it is a `branch` with `when`.
pub(crate) const BY_CONDITIONS: &str = "conditions";

/// What a file calls branches beside each other.
pub(crate) const FORK_KIND: &str = "fork";

/// What follows a step of a flow.
pub(crate) const KIND: Row = row(
    S::Flow,
    "routing.kind",
    "How it goes on",
    "",
    What::Choice(&[
        ("linear", "One step"),
        ("microloop", "Back, until it is good"),
        ("branch", "By what is reported"),
        (BY_CONDITIONS, "By conditions"),
        (FORK_KIND, "Several beside each other"),
        ("join", "Branches meet here, then one step"),
        ("terminal", "Nothing: the flow ends"),
    ]),
)
.or("\"linear\"");
pub(crate) const CONDITIONS_BESIDE_LOOPS: &str = "Choosing “By conditions” changes one thing of the loops of this flow: where a loop succeeds in the last round that it may turn, that counts as success, not as used up. What follows stays the same.";
pub(crate) const NEXT: Row = row(S::Flow, "routing.next", "Next step", NEXT_OF_ALL, What::Name(R::Step));
pub(crate) const NEXT_OF_ALL: &str = "Without one the flow ends here.";
pub(crate) const NEXT_OF_BRANCH: &str = "Follows every other value. Without one the flow ends then.";
pub(crate) const NEXT_OF_LOOP: &str = "Follows when the loop has ended. Without one the flow ends then.";
/// Whoever writes a workflow is told how a field comes to be reported: nothing else beside it says so.
const ENDS_LOOP: &str = "The reported field that ends the loop. A person who does the step is asked for it; a command writes it as JSON into the \
                         file that `GATEHOUSE_REPORT` names: `{\"status\": \"VERIFIED\"}`.";
const DECIDES_WAY: &str = "The reported field that decides; without one the status does. A person who does the step is asked for it; a command \
                           writes it as JSON into the file that `GATEHOUSE_REPORT` names: `{\"size\": \"small\"}`.";
pub(crate) const LOOP: [Row; 4] = [
    row(
        S::Flow,
        "routing.loop_target",
        "Back to",
        "The step that is done again.",
        What::Name(R::Step),
    ),
    row(
        S::Flow,
        "routing.loop_condition_field",
        "Ends by",
        ENDS_LOOP,
        What::Name(R::Field),
    ),
    row(
        S::Flow,
        "routing.loop_success_values",
        "Ends when it is",
        "One of these values ends the loop.",
        What::Texts,
    )
    .values_of("routing.loop_condition_field"),
    row(
        S::Flow,
        "routing.max_iterations",
        "Times back at most",
        "After going back so often the flow goes on, whatever was reported.",
        What::Count(0, 100),
    )
    .or("5"),
];
/// The same in a file of the later generation, which has another bound.
pub(crate) const LOOP_IN_SPEC: [Row; 4] = [LOOP[0], LOOP[1], LOOP[2], LOOP[3].or("3")];
/// The same where the file says by `exit_on` what ends it.
pub(crate) const LOOP_SPEC: [Row; 3] = [
    LOOP[0],
    row(
        S::Flow,
        "routing.exit_on",
        "Ends when",
        "Reported fields with the values that end the loop.",
        What::Pairs,
    ),
    LOOP[3].or("3"),
];
pub(crate) const BRANCH: [Row; 2] = [
    row(S::Flow, "routing.branch_field", "By", DECIDES_WAY, What::Name(R::Field)),
    row(
        S::Flow,
        "routing.branches",
        "Ways",
        "Each value with the step that it leads to.",
        What::Ways,
    )
    .values_of("routing.branch_field"),
];
pub(crate) const WHEN: [Row; 2] = [
    row(
        S::Flow,
        "routing.when",
        "Ways",
        "Tried in their order; the first condition that holds decides.",
        What::Guards,
    ),
    row(
        S::Flow,
        "routing.default",
        "Otherwise",
        "The step that follows when no condition holds.",
        What::Name(R::Step),
    ),
];
pub(crate) const FORK: [Row; 2] = [
    row(
        S::Flow,
        "routing.fork_targets",
        "Branches",
        "The first step of each; they begin at the same time. Two at least.",
        What::Names(R::Step),
    ),
    row(
        S::Flow,
        "routing.join_point",
        "Meet at",
        "Without it where their ways meet.",
        What::Name(R::Step),
    ),
];

/// Numbers that count beside one word alone: `batch` and `quorum`.
pub(crate) const BATCH_SIZE: &str = "routing.fork_config.batch_size";
pub(crate) const QUORUM: &str = "routing.join_config.quorum";
/// How the branches of a fork are carried out, with the words of [`model::fork`].
pub(crate) const FORK_RULES: [Row; 4] = [
    row(
        S::Flow,
        "routing.fork_config.execution_policy",
        "How many at once",
        "",
        What::Choice(&[("concurrent", "All branches"), ("batch", "Some, then the next ones")]),
    )
    .or("\"concurrent\""),
    row(
        S::Flow,
        BATCH_SIZE,
        "Branches at once",
        "Counts only where some begin and then the next ones.",
        What::Count(1, 100),
    )
    .or("4"),
    row(
        S::Flow,
        "routing.fork_config.isolation",
        "Where branches work",
        "In copies of their own none sees what another one changes before they meet.",
        What::Choice(&[
            ("shared", "All in the project"),
            ("isolated", "Each in a copy of its own"),
        ]),
    )
    .or("\"shared\""),
    row(
        S::Flow,
        "routing.fork_config.failure_policy",
        "When a branch fails",
        "",
        What::Choice(&[
            (
                "continue_all",
                "The others go on; where all are asked for the fork has failed",
            ),
            ("best_effort", "The others go on; those that did not fail are counted"),
            ("fail_fast", "The others are cut off, and the fork has failed"),
        ]),
    )
    .or("\"continue_all\""),
];
/// What is asked for where branches meet.
pub(crate) const JOIN_RULES: [Row; 4] = [
    row(
        S::Flow,
        "routing.join_config.strategy",
        "Goes on when",
        "A branch is verified when its last step reports `status: VERIFIED`.",
        What::Choice(&[
            ("all_complete", "All branches have ended"),
            ("all_verified", "All branches are verified"),
            ("any_verified", "One branch is verified"),
            ("first_complete", "The first branch has ended; the others are cut off"),
            ("quorum", "So many branches are verified"),
        ]),
    )
    .or("\"all_complete\""),
    row(
        S::Flow,
        QUORUM,
        "Verified branches needed",
        "Without a number more than half.",
        What::Count(1, 100),
    ),
    row(
        S::Flow,
        "routing.join_config.timeout_seconds",
        "Time for all branches",
        "Branches that have not ended by then are cut off, and the rest is counted. Without it there is no limit.",
        What::Seconds,
    ),
    row(
        S::Flow,
        "routing.join_config.aggregate_status",
        "Status of all together",
        "What is reported on of the statuses of the branches.",
        What::Choice(&[
            ("worst", "The worst"),
            ("best", "The best"),
            ("majority", "The one that most have"),
        ]),
    )
    .or("\"worst\""),
];

/// Of a line that leaves a node.
pub(crate) const LINE: Row = row(
    S::Flow,
    "condition",
    "When",
    "Taken when this holds; without a condition, always.",
    What::Condition,
);

/// Of the flow itself.
pub(crate) const ROOT: [Row; 2] = [TITLE, DESCRIPTION];
