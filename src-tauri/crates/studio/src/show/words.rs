//! Plain words for statuses, durations, values and routing decisions. The only place where codes become sentences.

use crate::view::{FieldView, Status, StepRef};
use engine::{Alternative, EndStatus, RouteDecision, RouteKind, RouteSource, RunState, RunStatus, StepStatus};
use model::{Step, StepId, Workflow};
use serde_json::Value;

/// A step as a reference; one that the workflow does not know keeps its id as its name.
pub fn step_ref(workflow: &Workflow, id: &StepId) -> StepRef {
    match workflow.step(id) {
        Some(step) => of_step(step),
        None => StepRef {
            id: id.to_string(),
            number: "?".into(),
            name: id.to_string(),
        },
    }
}

/// The same from the step itself.
pub fn of_step(step: &Step) -> StepRef {
    StepRef {
        id: step.id.to_string(),
        number: step.number.clone(),
        name: step.name.clone(),
    }
}

/// The product's one status list.
pub fn step_status(status: StepStatus) -> Status {
    match status {
        StepStatus::NotStarted => Status::NotStarted,
        StepStatus::Running => Status::Running,
        StepStatus::Retrying => Status::Waiting,
        StepStatus::Blocked => Status::Blocked,
        StepStatus::Succeeded => Status::Done,
        StepStatus::Failed => Status::Failed,
        StepStatus::Skipped => Status::Skipped,
        StepStatus::Interrupted => Status::Aborted,
    }
}

/// The run's status.
pub fn run_status(state: &RunState) -> Status {
    match state.status {
        RunStatus::New => Status::NotStarted,
        RunStatus::Running => Status::Running,
        RunStatus::Blocked => Status::Blocked,
        RunStatus::Paused => Status::Paused,
        RunStatus::Ended(EndStatus::Succeeded) => Status::Done,
        RunStatus::Ended(EndStatus::Failed) => Status::Failed,
        RunStatus::Ended(EndStatus::Aborted) => Status::Aborted,
    }
}

/// The run's status in words: `waits for a decision at “Approve the plan”`.
pub fn run_status_words(workflow: &Workflow, state: &RunState) -> String {
    let at = |id: &StepId| format!("“{}”", step_ref(workflow, id).name);
    match state.status {
        RunStatus::New => "not started".into(),
        RunStatus::Paused => "paused".into(),
        RunStatus::Blocked => match state.waiting() {
            Some(round) => format!("waits for a decision at {}", at(&round.opened.instance.step)),
            None => "waits".into(),
        },
        RunStatus::Running => match &state.cursor {
            engine::Cursor::Running { instance, .. } => format!("running {}", at(&instance.step)),
            engine::Cursor::Retrying { instance, attempt, .. } => {
                format!("will try {} again (attempt {attempt})", at(&instance.step))
            }
            _ => "running".into(),
        },
        RunStatus::Ended(EndStatus::Succeeded) => "done".into(),
        RunStatus::Ended(EndStatus::Failed) => "failed".into(),
        RunStatus::Ended(EndStatus::Aborted) => "stopped".into(),
    }
}

/// `820 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..=59 => format!("{seconds} s"),
        60..=3599 => two(seconds / 60, "min", seconds % 60, "s"),
        3600..=86_399 => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

fn two(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large} {large_unit}")
    } else {
        format!("{large} {large_unit} {small} {small_unit}")
    }
}

/// `1 step`, `3 steps`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A value as a person reads it: text as is, lists and blocks as indented lines.
pub fn value(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, 0, &mut out);
    out.trim_end().to_owned()
}

/// Named values for display.
pub fn named(fields: &model::Fields) -> Vec<FieldView> {
    fields
        .iter()
        .map(|(name, v)| FieldView {
            name: name.clone(),
            value: value(v),
        })
        .collect()
}

fn write_value(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let plain =
        |v: &Value| !matches!(v, Value::Array(a) if !a.is_empty()) && !matches!(v, Value::Object(o) if !o.is_empty());
    match value {
        Value::String(text) => out.push_str(text.trim_end()),
        Value::Null => out.push_str("not given"),
        Value::Bool(true) => out.push_str("yes"),
        Value::Bool(false) => out.push_str("no"),
        Value::Array(items)
            if items
                .iter()
                .all(|v| plain(v) && v.as_str().is_none_or(|s| s.len() <= 24)) =>
        {
            let items: Vec<String> = items.iter().map(self::value).collect();
            out.push_str(&items.join(", "));
        }
        Value::Array(items) => {
            for item in items {
                out.push_str(&format!("{indent}– "));
                if !plain(item) {
                    out.push('\n');
                }
                write_value(item, depth + 1, out);
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                out.push_str(&format!("{indent}{name}: "));
                if !plain(item) {
                    out.push('\n');
                }
                write_value(item, depth + 1, out);
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
        }
        Value::Number(number) => out.push_str(&number.to_string()),
    }
}

/// Who decided, in words.
pub fn source(source: RouteSource) -> (&'static str, &'static str) {
    match source {
        RouteSource::FastPath => ("fast_path", "there was only one way on"),
        RouteSource::Deterministic => ("deterministic", "the workflow's own rule"),
        RouteSource::Person => ("person", "a person’s decision"),
        RouteSource::Navigator => ("navigator", "the navigator, among the possible ways"),
        RouteSource::NavigatorDetour => ("navigator_detour", "the navigator, as a detour"),
        RouteSource::EnvelopeFallback => ("envelope_fallback", "a signal in the step’s own output"),
        RouteSource::Escalate => ("escalate", "nothing else applied"),
    }
}

/// The kind of decision as a word.
pub fn kind(kind: RouteKind) -> &'static str {
    match kind {
        RouteKind::Advance => "advance",
        RouteKind::Loop => "loop",
        RouteKind::Terminate => "terminate",
    }
}

/// The headline of a why-card.
pub fn headline(workflow: &Workflow, route: &RouteDecision) -> String {
    match (&route.to, route.decision) {
        (Some(to), RouteKind::Loop) => format!("Why back to “{}”?", step_ref(workflow, to).name),
        (Some(to), _) => format!("Why on to “{}”?", step_ref(workflow, to).name),
        (None, _) => "Why did the flow end here?".into(),
    }
}

/// Why a route was taken, in plain words, from the contract's reason string (seed 001, CONTRACTS "Stepwise").
pub fn why(workflow: &Workflow, route: &RouteDecision) -> String {
    let from = step_ref(workflow, &route.from.step).name;
    let to = route.to.as_ref().map(|to| format!("“{}”", step_ref(workflow, to).name));
    let onwards = match &to {
        Some(to) => format!("so the flow went on to {to}"),
        None => "so the flow ended".into(),
    };
    let (code, detail) = route.reason.split_once(':').unwrap_or((route.reason.as_str(), ""));
    match code {
        "linear_default" => format!("“{from}” names no successor; the next step in the file follows."),
        "flow_complete_terminal" => format!("“{from}” is where this flow ends."),
        "linear_explicit" => format!("“{from}” names {} as its successor.", to.unwrap_or_default()),
        "flow_complete_no_routing" => format!("“{from}” is the last step, so the flow ended."),
        "flow_complete_linear" => format!("“{from}” names no successor, so the flow ended."),
        "microloop_no_target" | "flow_complete_microloop_fallback" => {
            format!("The loop at “{from}” names no step to go back to, {onwards}.")
        }
        "max_iterations_reached" | "flow_complete_max_iterations" => format!(
            "The loop had already gone round {}, the most it may, {onwards} — whatever the last verdict was.",
            count(detail.parse().unwrap_or(0), "time", "times")
        ),
        "loop_exit_condition_met" | "flow_complete_condition_met" => {
            format!("“{from}” reported {detail}, which ends the loop, {onwards}.")
        }
        "loop_exit_no_further_help" | "flow_complete_no_further_help" => {
            format!("“{from}” said that another round would not help, {onwards}.")
        }
        "loop_iteration" => {
            let max = route
                .loop_count
                .map_or_else(String::new, |c| format!(" of at most {}", c.max));
            let verdict = route
                .looked_at
                .iter()
                .find(|(_, v)| !v.is_null())
                .map_or_else(String::new, |(name, v)| format!(" (its {name} was {})", value(v)));
            format!("“{from}” was not satisfied{verdict}, so the loop went back: round {detail}{max}.")
        }
        "branch" => format!(
            "The value “{detail}” leads to {}.",
            to.unwrap_or_else(|| "the end".into())
        ),
        "branch_fallback" => format!("No branch of “{from}” matched, {onwards}."),
        "flow_complete_branch" => {
            format!("No branch of “{from}” matched and none is given for that case, so the flow ended.")
        }
        "unknown_kind_fallback" => {
            format!("The routing of “{from}” is of a kind Gatehouse does not carry out, {onwards}.")
        }
        "flow_complete_unknown" => format!(
            "The routing of “{from}” is of a kind Gatehouse does not carry out and names no successor, so the flow ended."
        ),
        "changes_requested" => format!("A person asked for changes in round {detail}, so the work is done again."),
        "rejected" => format!("A person rejected round {detail}; the workflow says where that leads."),
        _ => route.reason.replace('_', " "),
    }
}

/// Why another way was not taken, from the engine's code.
pub fn why_not(alternative: &Alternative) -> String {
    let (code, detail) = alternative
        .why_not
        .split_once(':')
        .unwrap_or((alternative.why_not.as_str(), ""));
    match code {
        "loop_bound_reached" => {
            format!(
                "the loop had already gone round {}, the most it may",
                count(detail.parse().unwrap_or(0), "time", "times")
            )
        }
        "exit_condition_met" => format!("{detail} ends the loop"),
        "further_help_refused" => "another round was said not to help".into(),
        "value_not_matched" => format!("the value was {detail}, which does not end the loop"),
        "value_missing" => format!("nothing was reported as {detail}"),
        "no_exit_condition" => "nothing but its number of rounds ends this loop".into(),
        "other_value_needed" => format!("it is taken for {detail} only"),
        "branch_matched" => format!("the value {detail} has a branch of its own"),
        "condition_not_met" => format!("its condition does not hold: {detail}"),
        "earlier_condition_met" => format!("an earlier condition held: {detail}"),
        "cel_not_supported" => "its condition is an expression that this version cannot evaluate".into(),
        "person_decided" => match detail {
            "approve" => "a person approved".into(),
            "changes" => "a person asked for changes".into(),
            "reject" => "a person rejected".into(),
            _ => "a person decided otherwise".into(),
        },
        _ => alternative.why_not.replace('_', " "),
    }
}

/// Why a gate asks, in words, from the policy's fixed reason (CONTRACTS "StepSpec: Gate").
pub fn gate_why(reason: &str) -> String {
    match reason {
        "explicit human gate" => "The workflow asks for a person at this step.".into(),
        "conditional gate enforced" => {
            "The workflow asks for a person here when the project's policy says so, and it does.".into()
        }
        "recommended gate enforced" => {
            "The workflow recommends a person here, and the project's policy makes that binding.".into()
        }
        "policy required phase" => "The project's policy asks for a person in this phase.".into(),
        "high-risk workflow" => "The project's policy calls this workflow high-risk.".into(),
        other => format!("Policy: {other}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (ms, expect) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h"),
            (7_860_000, "2 h 11 min"),
            (90_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(ms), expect);
        }
    }

    #[test]
    fn values_read_like_text() {
        use serde_json::json;
        for (given, expect) in [
            (json!("VERIFIED"), "VERIFIED"),
            (json!(0), "0"),
            (json!(false), "no"),
            (json!(["a", "b"]), "a, b"),
            (json!([]), ""),
            (
                json!({"goal": "short", "open": ["a long line of text that wants a line of its own"]}),
                "goal: short\nopen: \n  – a long line of text that wants a line of its own",
            ),
        ] {
            assert_eq!(value(&given), expect);
        }
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(1, "step", "steps"), "1 step");
        assert_eq!(count(0, "step", "steps"), "0 steps");
    }
}
