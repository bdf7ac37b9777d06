//! Agent workflows (seed 003's family), of each of their generations.

use super::ask::{next_flow, other_end, subflow};
use super::asked::Asked;
use super::beside::{limit_of_agent, of_crew, of_names, of_times, retries_of_step};
use super::flow::{END_HELP, ENDING, RETRIES, SUBFLOW_HELP};
use super::shared::{CONTEXT, FEEDBACK, NOT_TOLD};
use super::{Level, done, idle, kept, level, read, refused};

const NOT_HELD: &str = "nothing of it is held against what the step makes; the agent is told what stands there";
const NOT_MADE: &str = "nothing is made of it by itself; the agent is told what stands there";
const WAITS_FOR_ALL: &str = "what comes behind the group begins when all of its steps have ended; one of them may fail where \
                             `partial_completion: allow_with_one_success` says so";
const PARTLY: &str = "it is read in `synchronization` alone; here a step of the group that fails ends the run";
const BY_PROJECT: &str = "how agents work and how much of it at once is said in gatehouse.yaml";
const NO_FEEDBACK: &str = "what a step reports as `feedback` is heard all the same, within the bounds of the workflow's own `feedback` and of gatehouse.yaml";
const CYCLES_HELP: &str =
    "This workflow does not start. Remove it, and run the workflow of one round as often as there are rounds";
const WAYS_HELP: &str =
    "This workflow does not start. Give each step that is only done on one of the ways a `condition`, and remove this";
const GATES_HELP: &str = "This workflow does not start. Write `human_gate: required` on the step, or what is wanted at least in `context.quality_standards`";
const PHASE_HELP: &str = "This workflow does not start. Call the group so (`group_name`), or remove this";
const SCRIPT_HELP: &str = "This workflow does not start. Remove it, or let the engine of the agent execute it (`engine: shell` in gatehouse.yaml). A pipeline has stages of a script alone";
const BESIDE: &str = "what holds for the whole workflow stands in `context` beside `workflow`";

fn again(_asked: &Asked<'_>) -> Option<String> {
    Some("`repeats` is not carried out: the step is done once".to_owned())
}

fn gates(asked: &Asked<'_>) -> Option<String> {
    Some(format!(
        "`{}` is not carried out: nothing would be held against it",
        asked.name
    ))
}

/// An entry that names no agent is named as a whole.
fn script(asked: &Asked<'_>) -> Option<String> {
    let by = ["agents", "agent"]
        .into_iter()
        .find(|name| asked.beside(name).is_some())?;
    Some(format!(
        "`run` stands beside `{by}`: where an agent works, the script would not be run"
    ))
}

/// The policy of gates asks by the phase of a step, which in a group is the group's name.
fn phase_of_group(asked: &Asked<'_>) -> Option<String> {
    let phase = asked.text().filter(|phase| !phase.trim().is_empty())?;
    let called = asked.beside("group_name").or_else(|| asked.beside("group_id"));
    let called = called.and_then(|id| asked.context.text(id));
    let is_it = called.is_some_and(|name| name.trim() == phase.trim());
    (!is_it)
        .then(|| "The name of a group is the phase of its steps: `phase` beside it would count for nothing".to_owned())
}

fn ways(asked: &Asked<'_>) -> Option<String> {
    Some(format!("`{}` is not carried out: every step would be done", asked.name))
}

pub(super) static ROOT: Level = level(&[
    done("workflow").block(&HEAD),
    done("sequence").each(&STEP),
    done("parallel_groups").each(&GROUP),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    done("execution_strategy").only_block(&STRATEGY),
    read("metadata"),
    read("requirements"),
    read("outputs"),
    read("project_types"),
    read("when_to_use"),
    read("when_to_use_v1"),
    read("when_to_use_v2"),
    read("performance"),
    read("migration_from_v1"),
    read("version"),
    read("tags"),
    refused("quality_gates", gates, GATES_HELP),
    refused("on_complete", other_end, END_HELP).block(&ENDING),
    refused("on_failure", other_end, END_HELP).block(&ENDING),
    refused("next_flow", next_flow, SUBFLOW_HELP),
]);

static HEAD: Level = level(&[
    done("id"),
    done("name"),
    done("description"),
    done("type"),
    done("category"),
    done("sequence").each(&STEP),
    idle("context", BESIDE),
    read("version"),
    read("project_types"),
    read("flow_diagram"),
    read("decision_guidance"),
    read("author"),
    read("tags"),
    kept("execution_engine", BY_PROJECT),
    kept("handoff_prompts", NOT_TOLD),
]);

static GROUP: Level = level(&[
    done("group_id"),
    done("group_name"),
    done("parallel"),
    done("optional"),
    done("timeout"),
    done("synchronization").only_block(&SYNCHRONIZATION),
    done("depends_on_groups"),
    idle("partial_completion", PARTLY),
    done("agents").each(&STEP),
    read("description"),
    refused("phase", phase_of_group, PHASE_HELP),
    refused("quality_gates", gates, GATES_HELP),
    refused("quality_gate", gates, GATES_HELP),
]);

static SYNCHRONIZATION: Level = level(&[
    // Each kind waits until all have ended.
    read("type"),
    done("timeout"),
    done("partial_completion"),
    idle("mode", WAITS_FOR_ALL),
    idle("minimum", WAITS_FOR_ALL),
    idle("quorum", WAITS_FOR_ALL),
    idle(
        "cross_validation",
        "what the steps of the group make is not held against each other",
    ),
]);

static STEP: Level = level(&[
    done("id"),
    done("step"),
    done("name"),
    done("agent"),
    done("agents"),
    done("task"),
    done("action"),
    done("description"),
    done("notes"),
    done("creates"),
    done("updates"),
    done("requires"),
    done("inputs"),
    done("depends_on"),
    done("optional"),
    done("condition"),
    done("execution").only_block(&EXECUTION),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("phase"),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
    // Agents are told these as they stand.
    read("instructions"),
    read("template"),
    read("uses"),
    read("validates"),
    read("optional_steps"),
    read("workflow_end"),
    idle("validators", NOT_HELD),
    idle("validation", NOT_HELD),
    kept("render", NOT_MADE),
    refused("run", script, SCRIPT_HELP),
    refused("repeats", again, CYCLES_HELP),
    refused("routes", ways, WAYS_HELP),
    refused("quality_gates", gates, GATES_HELP),
    refused("quality_gate", gates, GATES_HELP),
    refused("workflow", subflow, SUBFLOW_HELP),
    refused("workflows", subflow, SUBFLOW_HELP),
])
.beside(&[of_names, of_crew, of_times, limit_of_agent, retries_of_step]);

static EXECUTION: Level = level(&[
    done("timeout"),
    done("retry_on_failure"),
    done("skip_on_failure"),
    done("escalate_to"),
    read("final_step"),
    kept("method", BY_PROJECT),
    kept("subagent_type", BY_PROJECT),
    kept("resource_requirements", BY_PROJECT),
    kept("priority", BY_PROJECT),
    kept(
        "checkpoint_on_completion",
        "a checkpoint is made whenever a person is asked or names one, and where a step's report asks for one",
    ),
    idle("feedback_loop", NO_FEEDBACK),
]);

static STRATEGY: Level = level(&[
    done("parallel_execution").only_block(&PARALLEL),
    done("error_recovery").only_block(&RECOVERY),
    kept("context_management", BY_PROJECT),
    kept("execution_mode", BY_PROJECT),
    idle(
        "quality_gates",
        "what is wanted at least is said in `context.quality_standards`",
    ),
]);

static PARALLEL: Level = level(&[
    done("enabled"),
    kept("max_concurrent_agents", BY_PROJECT),
    kept("resource_allocation", BY_PROJECT),
]);

static RECOVERY: Level = level(&[
    done("max_retries"),
    idle("retry_strategy", "an attempt that failed is tried again at once"),
    idle("fallback", "a step that has failed is not done in another way"),
]);
