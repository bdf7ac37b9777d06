//! Config flows and spec flows (seed 001; CONTRACTS "Stepwise").

use super::ask::{
    detour, fork, has_several_agents, in_order, is_read, next_flow, not_here, of_kind, other_end, other_kind,
    stray_condition, subflow,
};
use super::beside::{
    limit_of_step, of_branches, of_crew, of_defaults, of_failure, of_indices, of_listed, of_names, of_onward, of_paths,
    of_policies, of_routing, of_times, passes_nothing, retries_of_step,
};
use super::detour::{POLICY, detours};
pub(super) use super::shared::{CONDITION, CONTEXT, FEEDBACK, IN_ROUTING, NOT_TOLD, RETRIES, SUBFLOW_HELP};
use super::{Becomes, Field, Level, Refusal, done, idle, kept, level, part, read, refused};

pub(super) const NOT_TAKEN_OVER: &str = "no step takes it over";
pub(super) const ONE_BY_ONE: &str = "which steps run beside each other says a fork alone (`kind: fork`)";
pub(super) const NOT_HERE: &str = "it has an effect in other formats, not in this one";

const OF_LOOPS: &str = "it counts in a routing of the kind `microloop` alone; this step is not done again";
const OF_BRANCHES: &str =
    "it counts beside `branches` in a routing of the kind `branch` alone; no value is asked for here";
const OF_FORKS: &str = "it counts in a routing of the kind `fork` alone; nothing begins beside each other here";
const OF_JOINS: &str = "it counts in a routing of the kind `join` or `fork` alone; nothing is waited for here";

const IN_ROUTING_HELP: &str =
    "This workflow does not start. Write it in the `routing` of the step, beside `kind: fork` or `kind: join`";
const FORK_HELP: &str = "This workflow does not start. Name the step in `fork_point` and the first step of each branch in \
                         `fork_config: {targets: […]}`, or remove it";
const CONDITION_HELP: &str =
    "This workflow does not start. Write `kind: branch` with `when: [{condition: …, next: …}]`";
const NEXT_FLOW_HELP: &str = "This workflow does not start. Remove `next_flow` and start the next flow by hand, or call both from a \
                              runbook or a pipeline";
pub(super) const END_HELP: &str =
    "This workflow does not start. Remove it, or make what it asks for a step of the workflow";
pub(super) const DETOUR_HELP: &str = "This workflow does not start. Remove it, or write the way as steps of the flow";
pub(super) const ORDER_HELP: &str =
    "This workflow does not start. Remove it, or write a flow: `role`, `agents` and `routing` for each step";

pub(super) static ROOT: Level = level(&[
    done("key"),
    done("id"),
    done("title"),
    done("name"),
    done("description"),
    done("steps").each(&STEP),
    read("format"),
    read("version"),
    read("teaching"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
    read("metadata"),
    read("author"),
    read("owner"),
    read("flow_number"),
    kept("charter", NOT_TOLD),
    kept("cross_cutting", "an agent works where a step names it"),
    kept("cross_cutting_stations", "an agent works where a step names it"),
    kept("defaults", NOT_TAKEN_OVER),
    idle("error_handling", "a flow ends at the first step that fails"),
    refused("parallel", fork, FORK_HELP).block(&PARALLEL),
    done("policy").only_block(&POLICY),
    detours("detours"),
    detours("suggested_detours"),
    detours("suggested_injections"),
    detours("sidequests"),
    refused("on_complete", other_end, END_HELP).block(&ONWARD),
    refused("on_failure", other_end, END_HELP).block(&ONWARD),
])
.beside(&[of_defaults, of_branches, of_failure]);

/// A list of flows, run one after the other.
pub(super) static LIST: Level = level(&[
    done("key"),
    done("id"),
    done("title"),
    done("name"),
    done("description"),
    done("in_order"),
    done("flows").each(&LISTED),
    read("version"),
    read("metadata"),
    read("owner"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
])
.beside(&[of_indices]);

static LISTED: Level = level(&[
    done("key"),
    done("title"),
    done("name"),
    done("short_title"),
    done("description"),
    done("file"),
    done("index"),
    done("is_sdlc"),
    done("is_utility"),
    read("tags"),
])
.beside(&[of_listed]);

/// What follows the end of a flow, or the failure of one of its steps. Every flow of a run works in the same project:
/// what one has made, the next one finds.
pub(super) static ONWARD: Level = level(&[
    done("next_flow"),
    done("condition"),
    done("reason"),
    read("pass_artifacts"),
])
.beside(&[of_onward, passes_nothing]);

/// What follows the end of a workflow that leads to no other.
pub(super) static ENDING: Level = level(&[
    refused("next_flow", next_flow, NEXT_FLOW_HELP),
    part("reason", "next_flow"),
    part("condition", "next_flow"),
    part("pass_artifacts", "next_flow"),
])
.beside(&[of_onward]);

static STEP: Level = level(&[
    done("id"),
    done("name"),
    done("title"),
    done("agents"),
    done("agent"),
    done("station"),
    done("role"),
    done("objective"),
    done("description"),
    done("inputs"),
    done("outputs"),
    done("phase"),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
    done("routing").block(&ROUTING),
    done("reversibility"),
    done("teaching_notes"),
    read("teaching_note"),
    read("teaching_highlight"),
    read("teaching"),
    read("notes"),
    read("parallel_branch"),
    read("join_point"),
    refused("fork_targets", not_here, IN_ROUTING_HELP),
    refused("fork_config", not_here, IN_ROUTING_HELP),
    refused("join_config", not_here, IN_ROUTING_HELP),
    refused("join_strategy", not_here, IN_ROUTING_HELP),
    idle("parallel", ONE_BY_ONE).unless(has_several_agents),
    idle("depends_on", ONE_BY_ONE),
    idle("next", IN_ROUTING),
    idle("run", NOT_HERE),
    idle("tools", NOT_HERE),
    idle("templates", NOT_HERE),
    idle("validation", NOT_HERE),
    idle("evidence", NOT_HERE),
    refused("workflow", subflow, SUBFLOW_HELP),
    refused("workflows", subflow, SUBFLOW_HELP),
    refused("subflow", subflow, SUBFLOW_HELP),
    refused("detour", detour, DETOUR_HELP),
    detours("detours"),
    detours("suggested_detours"),
    detours("suggested_sidequests"),
    detours("sidequests"),
    refused("inject", detour, DETOUR_HELP),
    refused("inject_flow", detour, DETOUR_HELP),
])
.beside(&[of_names, of_crew, of_paths, of_times, retries_of_step, limit_of_step]);

static ROUTING: Level = level(&[
    Field::new(
        "kind",
        Becomes::Refused(Refusal {
            code: "GH0108",
            asks: other_kind,
            help: "This workflow does not start. The kinds that are carried out: linear, microloop, branch, fork, join, terminal",
        }),
    ),
    done("next"),
    refused("default", of_kind, KIND_HELP),
    refused("loop_target", of_kind, KIND_HELP),
    refused("exit_on", of_kind, KIND_HELP),
    done("loop_condition_field").only(is_read, OF_LOOPS),
    done("loop_success_values").only(is_read, OF_LOOPS),
    done("max_iterations").only(is_read, OF_LOOPS),
    done("branch_field").only(is_read, OF_BRANCHES),
    refused("branches", of_kind, KIND_HELP),
    Field::new(
        "when",
        Becomes::Refused(Refusal {
            code: "GH0501",
            asks: of_kind,
            help: KIND_HELP,
        }),
    )
    .each(&GUARD),
    refused("fork_targets", of_kind, KIND_HELP),
    refused("fork_config", of_kind, KIND_HELP).only_block(&FORK_CONFIG),
    refused("join_point", of_kind, KIND_HELP),
    refused("join_from", of_kind, KIND_HELP),
    refused("join_strategy", of_kind, KIND_HELP),
    refused("join_config", of_kind, KIND_HELP).only_block(&JOIN_CONFIG),
    // Of the block itself, where no block of its own says it.
    done("execution_policy").only(is_read, OF_FORKS),
    done("batch_size").only(is_read, OF_FORKS),
    done("isolation").only(is_read, OF_FORKS),
    done("failure_policy").only(is_read, OF_FORKS),
    done("strategy").only(is_read, OF_JOINS),
    done("quorum").only(is_read, OF_JOINS),
    done("quorum_count").only(is_read, OF_JOINS),
    done("aggregate_status").only(is_read, OF_JOINS),
    done("timeout_seconds").only(is_read, OF_JOINS),
    refused("detour", detour, DETOUR_HELP),
    refused("inject", detour, DETOUR_HELP),
    refused("condition", stray_condition, CONDITION_HELP),
])
.beside(&[of_routing]);

static PARALLEL: Level = level(&[
    done("fork_point"),
    done("fork_config").only_block(&FORK_CONFIG),
    part("join_point", "fork_point"),
    done("join_config").only_block(&JOIN_CONFIG),
    read("description"),
]);

/// How branches run.
pub(super) static FORK_CONFIG: Level = level(&[
    done("targets"),
    done("execution_policy"),
    done("batch_size"),
    done("isolation"),
    done("failure_policy"),
])
.beside(&[of_policies]);

/// What a join asks for. The files and concerns of all branches are kept in any case.
pub(super) static JOIN_CONFIG: Level = level(&[
    done("strategy"),
    done("quorum"),
    done("quorum_count"),
    done("timeout_seconds"),
    done("aggregate_status"),
    read("merge_artifacts"),
    read("merge_concerns"),
])
.beside(&[of_policies]);

const KIND_HELP: &str = "This workflow does not start. Write the `kind` that is meant, or remove the field";

static GUARD: Level = level(&[
    done("next"),
    read("label"),
    read("reason"),
    done("condition").block(&CONDITION),
]);

/// A condition of an edge.
pub(super) const EDGE_CONDITION: Field = done("condition");

/// The order of steps, of a format that has none but the file's.
pub(super) const fn ordered(name: &'static str) -> Field {
    refused(name, in_order, ORDER_HELP)
}

pub(super) const FORK: &str = FORK_HELP;
