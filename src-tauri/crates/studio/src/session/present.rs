//! What a session (seed 003) says, for people; pure.

use crate::ApiError;
use crate::run::timeline::gaps;
use crate::session::view::{
    AgentContext, AgentOutput, Checkpoint, FailedStep, FeedbackLoop, LoggedDecision, QualityGate, SessionCard,
    SessionCheck, SessionView,
};
use crate::workflow::problems;
use chrono::DateTime;
use dialect::session::Session;
use model::Severity;
use serde_json::Value;

/// The longest document that is shown as one text, bytes.
const SHOWN: usize = 512 * 1024;

/// A text as a session.
///
/// # Errors
/// `invalid_file`: it is no session.
pub(crate) fn read(path: &str, text: &str) -> Result<SessionView, ApiError> {
    let session = Session::read(path, text).ok_or_else(|| {
        ApiError::new("invalid_file", format!("{path} is not a session.")).hint(
            "A session has `session_id`, `project_metadata`, `workflow_state`, `agent_contexts` and `global_context`; three of them make it one.",
        )
    })?;
    let mut view = view(path, &session);
    view.source = Some(text.to_owned()).filter(|text| text.len() <= SHOWN);
    Ok(view)
}

/// A file as it stands in a list; `None`: it is no session.
pub(crate) fn card(path: &str, text: &str) -> Option<SessionCard> {
    let session = Session::read(path, text)?;
    let project = &session.value()["project_metadata"];
    let errors = session.document().diagnostics();
    Some(SessionCard {
        path: path.to_owned(),
        project: self::text(&project["name"]),
        at: self::text(&project["updated_at"]).or_else(|| self::text(&project["created_at"])),
        errors: errors.iter().filter(|one| one.severity == Severity::Error).count() as u32,
    })
}

fn view(path: &str, session: &Session) -> SessionView {
    let root = session.value();
    let at = |list: &str, n: usize| session.line_of_item(&[list], n);
    let gate = |list: &str, n: usize| session.line_of_item(&["workflow_state", list], n);
    let project = &root["project_metadata"];
    let state = &root["workflow_state"];
    let failed = list(&state["quality_gates_failed"])
        .enumerate()
        .map(|(n, failed)| QualityGate {
            line: gate("quality_gates_failed", n),
            name: text(&failed["gate_name"]),
            passed: false,
            reason: text(&failed["reason"]),
        });
    let passed = texts(&state["quality_gates_passed"])
        .into_iter()
        .enumerate()
        .map(|(n, name)| QualityGate {
            line: gate("quality_gates_passed", n),
            name: Some(name),
            passed: true,
            reason: None,
        });
    let agents: Vec<AgentContext> = entries(&root["agent_contexts"])
        .map(|(name, agent)| of_agent(name, agent, session.line_of_field(&["agent_contexts"], name)))
        .collect();
    let updated_at = text(&project["updated_at"]);
    let gaps = idle(&agents, updated_at.as_deref());
    SessionView {
        path: path.to_owned(),
        session_id: text(&root["session_id"]),
        project: text(&project["name"]),
        workflow_type: match project["workflow_type_stated"] == Value::Bool(false) {
            true => text(&project["workflow"]),
            false => text(&project["workflow_type"]),
        },
        run: text(&root["metadata"]["run_id"]),
        imported: None,
        status: text(&root["metadata"]["status"]),
        environment: text(&root["metadata"]["environment"]),
        created_at: text(&project["created_at"]),
        updated_at,
        current_step: text(&state["current_step"]),
        current_group: text(&state["current_group"]),
        completed_steps: texts(&state["completed_steps"]),
        failed_steps: list(&state["failed_steps"])
            .map(|step| FailedStep {
                step: text(&step["step_id"]),
                agent: text(&step["agent"]),
                error: text(&step["error"]),
                retries: text(&step["retry_count"]),
            })
            .collect(),
        skipped_steps: texts(&state["skipped_steps"]),
        paused: (state["paused"] == Value::Bool(true)).then(|| text(&state["pause_reason"]).unwrap_or_default()),
        quality_score: text(&state["overall_quality_score"]),
        quality_gates: passed.chain(failed).collect(),
        gaps,
        agents,
        decisions: list(&root["decision_log"])
            .enumerate()
            .map(|(n, decision)| LoggedDecision {
                line: at("decision_log", n),
                at: text(&decision["timestamp"]),
                kind: text(&decision["decision_type"]),
                maker: text(&decision["decision_maker"]),
                decision: text(&decision["decision"]),
                reasoning: text(&decision["reasoning"]),
            })
            .collect(),
        feedback: list(&root["feedback_loops"])
            .enumerate()
            .map(|(n, one)| FeedbackLoop {
                line: at("feedback_loops", n),
                from: text(&one["source_agent"]),
                to: texts(&one["target_agents"]),
                kind: text(&one["issue_type"]),
                description: text(&one["description"]),
                status: text(&one["status"]),
                resolution: text(&one["resolution"]),
            })
            .collect(),
        checkpoints: list(&root["checkpoints"])
            .enumerate()
            .map(|(n, one)| Checkpoint {
                line: at("checkpoints", n),
                id: text(&one["id"]),
                at: text(&one["timestamp"]),
                step: text(&one["step_id"]),
                description: text(&one["description"]),
            })
            .collect(),
        artifacts: texts(&root["artifacts"]["generated"]),
        checks: list(&root["validation_history"])
            .enumerate()
            .map(|(n, one)| SessionCheck {
                line: at("validation_history", n),
                at: text(&one["timestamp"]),
                step: text(&one["step_id"]),
                agent: text(&one["agent"]),
                kind: text(&one["validation_type"]),
                passed: one["passed"].as_bool(),
            })
            .collect(),
        problems: problems::problems(session.document()),
        source: None,
    }
}

/// When none of the agents was at work, as the timeline of a run has it. Who began and has no end is at work until the document was written.
fn idle(agents: &[AgentContext], written: Option<&str>) -> Vec<(i64, i64)> {
    let at = |text: &str| Some(DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis());
    let began = agents
        .iter()
        .filter_map(|agent| Some((agent.started.as_deref()?, agent.ended.as_deref())));
    let read = began.map(|(from, to)| Some((at(from)?, to.and_then(at))));
    // Of one whose times cannot be read nobody knows when it was idle.
    let Some(times) = read.collect::<Option<Vec<(i64, Option<i64>)>>>() else {
        return Vec::new();
    };
    let ends = times.iter().filter_map(|(_, to)| *to);
    let known = times.iter().map(|(from, _)| *from).chain(ends);
    let (Some(start), Some(end)) = (
        times.iter().map(|(from, _)| *from).min(),
        known.chain(written.and_then(at)).max(),
    ) else {
        return Vec::new();
    };
    let busy = times.iter().map(|(from, to)| (*from, to.unwrap_or(end).max(*from)));
    gaps(busy.collect(), &[], start, end)
}

fn of_agent(name: &str, agent: &Value, line: u32) -> AgentContext {
    let inputs = &agent["inputs"];
    AgentContext {
        line,
        name: name.to_owned(),
        status: text(&agent["status"]),
        started: text(&agent["execution_start"]),
        ended: text(&agent["execution_end"]),
        retries: text(&agent["retries"]),
        escalated_to: text(&agent["escalated_to"]),
        inputs: [texts(&inputs["required"]), texts(&inputs["optional"])].concat(),
        outputs: entries(&agent["outputs"])
            .map(|(name, output)| AgentOutput {
                name: name.to_owned(),
                file: text(&output["file_reference"]),
                scores: entries(&output["quality_metrics"])
                    .filter_map(|(name, score)| Some((name.to_owned(), text(score)?)))
                    .collect(),
                trend: trend(&output["quality_rounds"]),
                valid: output["validation_passed"].as_bool(),
            })
            .collect(),
        feedback: list(&agent["feedback_received"])
            .filter_map(|one| {
                let said = text(&one["message"])?;
                Some(match text(&one["from_agent"]) {
                    Some(from) => format!("{from}: {said}"),
                    None => said,
                })
            })
            .collect(),
    }
}

/// The score as a whole of each round: what is claimed as such, else the mean of what is claimed.
fn trend(rounds: &Value) -> Vec<f64> {
    let whole = |round: &Value| -> Option<f64> {
        let claimed = entries(round).filter_map(|(_, score)| score.as_f64());
        let claimed: Vec<f64> = claimed.filter(|score| (0.0..=10.0).contains(score)).collect();
        let mean = || (!claimed.is_empty()).then(|| claimed.iter().sum::<f64>() / claimed.len() as f64);
        round["overall_score"].as_f64().or_else(mean)
    };
    let all: Vec<f64> = list(rounds).filter_map(whole).collect();
    if all.len() > 1 { all } else { Vec::new() }
}

/// A value as a person reads it; nothing for what is absent, empty or made of parts.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> Vec<String> {
    list(value).filter_map(text).collect()
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}
