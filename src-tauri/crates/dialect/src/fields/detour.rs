//! Detours, and what a policy says (CONTRACTS "Stepwise"; the flow files' `policy`).

use super::ask::{subflow, unknown_answer};
use super::beside::{of_detour, of_detour_step, of_escalation, of_paths, of_trigger, uses_of_detour};
use super::shared::{CONDITION, IN_ROUTING, NOT_TOLD, RETRIES, SUBFLOW_HELP};
use super::{Field, Level, done, idle, kept, level, read, refused};

/// A list of detours.
pub(super) const fn detours(name: &'static str) -> Field {
    done(name).each(&DETOUR)
}

static DETOUR: Level = level(&[
    done("id"),
    done("sidequest_id"),
    done("name"),
    done("title"),
    done("after"),
    done("from_nodes"),
    done("from"),
    done("inject_after"),
    done("to_station"),
    done("station_id"),
    done("station"),
    done("template_id"),
    done("agent"),
    done("agents"),
    done("parallel"),
    done("role"),
    done("objective"),
    done("objective_template"),
    done("inputs"),
    done("outputs"),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
    done("steps").each(&STEP),
    done("flow"),
    done("flow_id"),
    done("workflow"),
    done("condition").block(&CONDITION),
    done("when").block(&CONDITION),
    done("triggers").each(&TRIGGER),
    done("trigger_mode"),
    done("return"),
    done("return_to"),
    done("return_behavior").block(&BACK),
    done("target_node"),
    done("max_uses"),
    done("max_uses_per_run"),
    done("one_shot"),
    done("max_duration_seconds"),
    done("priority"),
    done("routing_type"),
    done("injection_type"),
    read("description"),
    read("typical_trigger"),
    read("cost_hint"),
    read("tags"),
    read("phase"),
    read("teaching_notes"),
    idle(
        "allow_nested_sidequests",
        "a detour may leave another one where its `after` says so",
    ),
])
.beside(&[of_detour, of_paths, uses_of_detour]);

static STEP: Level = level(&[
    done("id"),
    done("step_id"),
    done("name"),
    done("title"),
    done("template_id"),
    done("station"),
    done("agent"),
    done("agents"),
    done("parallel"),
    done("role"),
    done("objective"),
    done("objective_override"),
    done("description"),
    done("inputs"),
    done("outputs"),
    done("human_gate"),
    done("gate_at"),
    done("gate_question"),
    done("gate_asks"),
    done("on_reject"),
    done("retries").block(&RETRIES),
    done("timeout_seconds"),
    done("terminal"),
    read("phase"),
    read("teaching_notes"),
    refused("workflow", subflow, SUBFLOW_HELP),
    refused("flow", subflow, SUBFLOW_HELP),
    idle("routing", "the steps of a detour follow each other"),
    idle("next", IN_ROUTING),
    idle("on_verified", "the steps of a detour follow each other"),
    idle("on_unverified", "the steps of a detour follow each other"),
    idle("on_blocked", "the steps of a detour follow each other"),
    idle("params", "no step takes it over"),
])
.beside(&[of_detour_step, of_paths]);

static TRIGGER: Level = level(&[
    done("condition_type"),
    done("type"),
    done("field"),
    done("operator"),
    done("value"),
    done("expression"),
    done("pattern"),
])
.beside(&[of_trigger]);

static BACK: Level = level(&[
    done("mode"),
    done("target_node"),
    done("bounce_to"),
    read("pass_artifacts"),
    read("reason"),
]);

const ANSWER_HELP: &str = "This workflow does not start. Write CONTINUE, continue_with_concerns or DETOUR (the routes and detours decide); where the \
                           work is blocked or stuck also PAUSE, pause_for_human, human_review or escalate (a person is asked)";

/// What a flow does beside its routes.
pub(super) static POLICY: Level = level(&[
    done("max_loop_iterations"),
    done("escalation").only_block(&ESCALATION),
    detours("detours"),
    detours("suggested_detours"),
    detours("suggested_injections"),
    detours("sidequests"),
    done("routing_decisions").only_block(&DECISIONS),
    // Detours that lead deeper are errors of their own (GH0506); it changes nothing about those that do not.
    read("max_depth"),
    kept("invariants", NOT_TOLD),
]);

static ESCALATION: Level = level(&[
    refused("on_blocked", unknown_answer, ANSWER_HELP),
    done("max_unverified_streak"),
    refused("escalate_on_unverified_streak", unknown_answer, ANSWER_HELP),
])
.beside(&[of_escalation]);

static DECISIONS: Level = level(&[
    refused("default_decision", unknown_answer, ANSWER_HELP),
    done("signal_interpretation").only_block(&SIGNALS),
]);

static SIGNALS: Level = level(&[
    refused("on_verified", unknown_answer, ANSWER_HELP),
    refused("on_unverified_can_iterate", unknown_answer, ANSWER_HELP),
    refused("on_unverified_cannot_iterate", unknown_answer, ANSWER_HELP),
    refused("on_blocked", unknown_answer, ANSWER_HELP),
    refused("on_concerns", unknown_answer, ANSWER_HELP),
]);
