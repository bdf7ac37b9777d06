//! Pipelines (seed 004), StepSpec workflows (seed 000) and the front matter of runbooks (seed 002).

use super::ask::{detour, next_flow, other_end, second_list, subflow};
use super::beside::{
    is_named_by_rule, limit_of_step, of_call, of_crew, of_front_matter, of_names, of_paths, of_pipeline, of_spec,
    of_stage, of_times, retries_of_step,
};
use super::flow::{CONTEXT, DETOUR_HELP, END_HELP, ENDING, FEEDBACK, NOT_HERE, RETRIES, SUBFLOW_HELP, ordered};
use super::{Level, done, idle, level, read, refused};

const LIST_HELP: &str = "This workflow does not start. Make one list of all steps, or a file of its own for each list";
const NOT_SENT_BACK: &str =
    "a runbook goes by its transitions: what an agent reports with earlier work goes to a person at once";
const OWN_LIMIT: &str = "each step has its own limit";
const OWN_RETRIES: &str = "how often each step is tried again is said there";
const OF_A_CALL: &str = "how long a call may take is said where the tool is declared, in gatehouse.yaml";
const AS_ARGS: &str = "what a tool is called with stands in `args`";
const WAITS: &str = "a stage waits for the stages in its `depends_on`, and for nothing else";

pub(super) static PIPELINE: Level = level(&[
    done("pipeline_id"),
    done("name"),
    done("description"),
    // What the last run came to: Gatehouse writes it.
    read("status"),
    read("started_at"),
    read("completed_at"),
    read("duration_seconds"),
    read("error"),
    done("error_handling"),
    done("max_retries"),
    done("retry_delay_seconds"),
    done("stages").each(&STAGE),
    read("format"),
    read("version"),
    read("created_at"),
    read("template"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
    refused("on_complete", other_end, END_HELP).block(&ENDING),
    refused("on_failure", other_end, END_HELP).block(&ENDING),
    idle("agents", "each stage names its own"),
    idle("timeout_seconds", "each stage has its own limit"),
    idle("timeout", "each stage has its own limit"),
    idle("terminal", "which stage gets one is said there"),
    idle(
        "retries",
        "how often each stage is tried again is said there, or for all of them with `error_handling: retry`",
    ),
])
.beside(&[of_pipeline]);

static STAGE: Level = level(&[
    done("name"),
    done("agent"),
    done("agents"),
    done("description"),
    done("run"),
    done("workflow"),
    done("workflows"),
    done("parallel"),
    done("depends_on"),
    done("inputs"),
    done("outputs"),
    done("gate"),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
    read("status"),
    read("started_at"),
    read("completed_at"),
    read("duration_seconds"),
    read("error"),
    done("reversibility"),
    read("id"),
    read("title"),
    read("role"),
    done("phase"),
    idle("routing", WAITS),
    idle("next", WAITS),
    idle("tools", NOT_HERE),
    idle("templates", NOT_HERE),
    idle("validation", NOT_HERE),
    idle("evidence", NOT_HERE),
    idle(
        "error_handling",
        "what follows a failure is said once, for the whole pipeline",
    ),
])
.beside(&[of_stage, of_names, of_paths, of_times, retries_of_step, limit_of_step]);

pub(super) static STEPSPEC: Level = level(&[
    done("format"),
    done("workflow"),
    done("id"),
    done("title"),
    done("name"),
    done("description"),
    done("phase"),
    done("questions").each(&QUESTION),
    done("run_inputs").each(&QUESTION),
    done("agent"),
    done("agents"),
    done("steps").each(&SPEC),
    refused("step_specs", second_list, LIST_HELP).each(&SPEC),
    read("module"),
    read("version"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK),
    read("tags"),
    refused("on_complete", other_end, END_HELP).block(&ENDING),
    refused("on_failure", other_end, END_HELP).block(&ENDING),
    refused("next_flow", next_flow, SUBFLOW_HELP),
    idle("timeout_seconds", OWN_LIMIT),
    idle("timeout", OWN_LIMIT),
    idle("retries", OWN_RETRIES),
]);

/// The fields of one StepSpec, and what its place in a file adds.
macro_rules! spec {
    ($($more:expr),+) => {
        level(&[
            $($more,)+
            done("id"),
            done("name"),
            done("description"),
            done("phase"),
            done("inputs").block(&INPUTS),
            done("outputs"),
            done("templates"),
            done("tools").each(&TOOL),
            done("validation"),
            done("evidence"),
            done("gate"),
            done("human_gate"),
            done("gate_at"),
            done("gate_question"),
            done("gate_asks"),
            done("on_reject"),
            done("retries").block(&RETRIES),
            done("timeout_seconds"),
            done("terminal"),
            done("agent"),
            done("agents"),
            done("run"),
            done("reversibility"),
            read("module"),
            ordered("next"),
            ordered("when"),
            ordered("condition"),
            idle("guardrails", "guardrails are set for the project, in gatehouse.yaml"),
            idle("validators", "what is checked stands in `validation`"),
            ordered("depends_on"),
            ordered("parallel"),
            refused("workflows", subflow, SUBFLOW_HELP),
            refused("detours", detour, DETOUR_HELP),
        ])
        .beside(&[of_spec, of_names, of_crew, of_times, retries_of_step, limit_of_step])
    };
}

static SPEC: Level = spec!(refused("workflow", subflow, SUBFLOW_HELP), ordered("routing"));

/// Of a file that is one StepSpec: it says what workflow it is.
pub(super) static ONE_STEPSPEC: Level = spec!(read("format"), done("workflow"));

/// Other names are the author's own, but for one that is nearly one of these: what it names would not be checked, or not be there. The
/// settings of the context are held against their own list where they are read.
static INPUTS: Level = Level {
    fields: &[done("artifacts"), done("validation_targets")],
    guesses: false,
    slips: true,
    beside: &[],
};

static TOOL: Level = level(&[
    done("name"),
    done("args"),
    done("required"),
    done("risk"),
    done("gate"),
    idle("arguments", AS_ARGS).unless(is_named_by_rule),
    idle("arg", AS_ARGS).unless(is_named_by_rule),
    idle("params", AS_ARGS).unless(is_named_by_rule),
    idle("parameters", AS_ARGS).unless(is_named_by_rule),
    idle("timeout_seconds", OF_A_CALL),
    idle("timeout", OF_A_CALL),
])
.beside(&[of_call]);

static QUESTION: Level = level(&[
    done("name"),
    done("label"),
    done("help"),
    done("required"),
    done("options"),
    done("kind"),
    done("type"),
    done("default"),
]);

pub(super) static FRONT_MATTER: Level = level(&[
    done("name"),
    done("title"),
    done("description"),
    done("agents"),
    done("scenarios"),
    read("version"),
    read("author"),
    done("context").only_block(&CONTEXT),
    done("feedback").block(&FEEDBACK_OF_RUNBOOK),
    read("tags"),
    read("license"),
    read("date"),
])
.beside(&[of_front_matter]);

/// Whether a field of front matter is one that later runbooks have: it is refused where they are read.
pub(crate) fn is_of_later_runbooks(name: &str) -> bool {
    let mut all = ["inputs", "required", "outputs"].iter();
    all.any(|known| name.eq_ignore_ascii_case(known))
}

static FEEDBACK_OF_RUNBOOK: Level = level(&[
    idle("rounds", NOT_SENT_BACK),
    idle("seconds", NOT_SENT_BACK),
    done("escalate_to"),
]);
