//! Graph files: `nodes` and `edges` (CONTRACTS "Stepwise").

use super::ask::{drawn_as, has_several_agents, not_here, other_edge, other_end, other_node, own_exit, subflow};
use super::beside::{
    limit_of_step, of_crew, of_defaults, of_failure, of_names, of_node, of_paths, of_subflows, of_times,
    retries_of_step,
};
use super::detour::{POLICY, detours};
use super::flow::{
    CONDITION, CONTEXT, EDGE_CONDITION, END_HELP, FEEDBACK, FORK, FORK_CONFIG, JOIN_CONFIG, NOT_HERE, NOT_TAKEN_OVER,
    NOT_TOLD, ONE_BY_ONE, ONWARD, RETRIES, SUBFLOW_HELP,
};
use super::{Level, done, idle, kept, level, read, refused};

const EXIT_HELP: &str = "This workflow does not start. Give the loop's edge a condition, and remove the exits";

const NODE_HELP: &str = "This workflow does not start. A node is a step: write `human_gate: required` where a person is to be asked, and what follows as edges (`condition`, `type: fork`, `join` or `loop`); a runbook or a pipeline can run other workflows";
const EDGE_HELP: &str = "This workflow does not start. Write it on an edge: `fork_config` where `type: fork` leaves the node, `join_config` where `type: join` leads to it";

pub(super) static ROOT: Level = level(&[
    done("id"),
    done("key"),
    done("title"),
    done("name"),
    done("description"),
    done("nodes").each(&NODE),
    done("edges").each(&EDGE),
    read("$schema"),
    read("version"),
    read("flow_number"),
    read("metadata"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
    read("teaching"),
    kept("subflows", "the nodes in them are drawn one by one"),
    kept("charter", NOT_TOLD),
    kept("defaults", NOT_TAKEN_OVER),
    done("policy").only_block(&POLICY),
    detours("detours"),
    detours("suggested_detours"),
    detours("suggested_injections"),
    detours("sidequests"),
    refused("on_complete", other_end, END_HELP).block(&ONWARD),
    refused("on_failure", other_end, END_HELP).block(&ONWARD),
])
.beside(&[of_defaults, of_subflows, of_failure]);

static NODE: Level = level(&[
    done("node_id"),
    done("id"),
    done("name"),
    done("title"),
    done("template_id"),
    done("agents"),
    done("agent"),
    done("station"),
    done("role"),
    done("objective"),
    done("description"),
    done("params").block(&PARAMS),
    done("overrides").block(&OVERRIDES),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("reversibility"),
    done("teaching_notes"),
    read("inputs"),
    read("outputs"),
    read("phase"),
    read("teaching"),
    refused("ui", drawn_as, NODE_HELP),
    refused("type", other_node, NODE_HELP),
    refused("kind", other_node, NODE_HELP),
    refused("subflow", subflow, SUBFLOW_HELP),
    refused("subflow_id", subflow, SUBFLOW_HELP),
    refused("flow", subflow, SUBFLOW_HELP),
    refused("workflow", subflow, SUBFLOW_HELP),
    refused("workflows", subflow, SUBFLOW_HELP),
    detours("suggested_sidequests"),
    detours("suggested_detours"),
    detours("detours"),
    detours("sidequests"),
    refused("fork_config", not_here, EDGE_HELP),
    refused("join_config", not_here, EDGE_HELP),
    idle("next", "which node is next say the edges alone"),
    idle("routing", "which node is next say the edges alone"),
    idle("depends_on", ONE_BY_ONE),
    idle("parallel", ONE_BY_ONE).unless(has_several_agents),
    idle("run", NOT_HERE),
    idle("tools", NOT_HERE),
    idle("templates", NOT_HERE),
    idle("validation", NOT_HERE),
    idle("evidence", NOT_HERE),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
])
.beside(&[
    of_node,
    of_names,
    of_crew,
    of_paths,
    of_times,
    retries_of_step,
    limit_of_step,
]);

/// What a template is given: names of the author's own besides.
static PARAMS: Level = Level {
    fields: &[done("objective"), done("max_iterations")],
    guesses: false,
    slips: false,
    beside: &[],
};

static OVERRIDES: Level = Level {
    fields: &[done("station_id"), refused("exit_on", own_exit, EXIT_HELP)],
    guesses: false,
    slips: false,
    beside: &[],
};

static EDGE: Level = level(&[
    done("edge_id"),
    done("id"),
    done("from"),
    done("to"),
    refused("type", other_edge, FORK),
    refused("kind", other_edge, FORK),
    done("priority"),
    EDGE_CONDITION.block(&CONDITION),
    done("fork_config").only_block(&FORK_CONFIG),
    done("join_config").only_block(&JOIN_CONFIG),
    read("label"),
    read("name"),
    read("description"),
    read("ui"),
]);
