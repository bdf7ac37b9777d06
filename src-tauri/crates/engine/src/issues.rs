//! The issues that a report has with earlier work, as it is written (seed 003 `feedback_received`).

use crate::StepResult;
use crate::feedback::{FeedbackFault, FeedbackKind, FeedbackSeverity, MOST};
use model::{AgentKey, Fields};
use serde_json::Value;

/// The field of a report that says what is wrong with earlier work: one issue or a list.
pub const FEEDBACK: &str = "feedback";
/// The field of a report that says why work is left as it is although somebody reported an issue to it.
pub const ACKNOWLEDGED: &str = "acknowledged";

/// An issue as a report holds it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Issue {
    pub(crate) agent: Option<AgentKey>,
    pub(crate) to: Vec<String>,
    pub(crate) kind: FeedbackKind,
    pub(crate) severity: FeedbackSeverity,
    pub(crate) message: String,
    pub(crate) fault: Option<FeedbackFault>,
}

/// The reports of a result, each with who wrote it. A receipt that could not be read says nothing.
fn reports<'a>(result: &'a StepResult, own: Option<&AgentKey>) -> Vec<(Option<AgentKey>, &'a Fields)> {
    if result.agents.is_empty() {
        let readable = result.receipt_readable.then_some((own.cloned(), &result.report));
        return readable.into_iter().collect();
    }
    let readable = result.agents.iter().filter(|one| one.result.receipt_readable);
    readable
        .map(|one| (Some(one.agent.clone()), &one.result.report))
        .collect()
}

/// The issues of a result, in the order reported. `own`: who carried the step out alone.
pub(crate) fn issues(result: &StepResult, own: Option<&AgentKey>) -> Vec<Issue> {
    let mut out = Vec::new();
    for (agent, report) in reports(result, own) {
        match report.get(FEEDBACK) {
            None | Some(Value::Null) => {}
            Some(Value::Array(all)) => out.extend(all.iter().map(|one| issue(agent.clone(), one))),
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(one) => out.push(issue(agent, one)),
        }
    }
    if out.len() > MOST {
        let more = out.len() - MOST;
        out.truncate(MOST);
        out.push(Issue {
            agent: own.cloned(),
            to: Vec::new(),
            kind: FeedbackKind::Suggestion,
            severity: FeedbackSeverity::Critical,
            message: format!("{more} more issues stand in the report."),
            fault: Some(FeedbackFault::TooMany),
        });
    }
    out
}

fn issue(agent: Option<AgentKey>, written: &Value) -> Issue {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| written.get(*name)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty())
    };
    let to = ["to", "targets", "target", "target_agents"];
    let to = to.iter().find_map(|name| written.get(*name)).map(names);
    let message = match written {
        Value::Object(_) => text(&["message", "description"]).unwrap_or_default().to_owned(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let to = to.unwrap_or_default();
    let fault = match () {
        () if message.is_empty() => Some(FeedbackFault::Nothing),
        () if to.is_empty() => Some(FeedbackFault::Nobody),
        () => None,
    };
    Issue {
        agent,
        kind: match text(&["type", "kind", "issue_type"]) {
            None => FeedbackKind::Suggestion,
            Some("constraint_violation") => FeedbackKind::Constraint,
            Some(word) => word.into(),
        },
        severity: text(&["severity"]).map_or(FeedbackSeverity::Warning, FeedbackSeverity::from),
        to,
        message,
        fault,
    }
}

/// One name or several, each once.
fn names(written: &Value) -> Vec<String> {
    let all = written.as_array().map_or(std::slice::from_ref(written), Vec::as_slice);
    let mut out: Vec<String> = Vec::new();
    for one in all {
        let name = one
            .as_str()
            .map_or_else(|| one.to_string(), |text| text.trim().to_owned());
        if !one.is_null() && !name.is_empty() && !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Why each loop of these is acknowledged by a result, with who says so; a reason alone is meant for all of them.
pub(crate) fn acknowledged(
    result: &StepResult,
    own: Option<&AgentKey>,
    ids: &[String],
) -> Vec<(String, Option<AgentKey>, String)> {
    let mut out: Vec<(String, Option<AgentKey>, String)> = Vec::new();
    for (agent, report) in reports(result, own) {
        for id in ids {
            let said = match report.get(ACKNOWLEDGED) {
                Some(Value::Object(each)) => each.get(id).and_then(Value::as_str),
                Some(said) => said.as_str(),
                None => None,
            };
            let said = said.map(str::trim).filter(|reason| !reason.is_empty());
            if let Some(reason) = said.filter(|_| out.iter().all(|(known, _, _)| known != id)) {
                out.push((id.clone(), agent.clone(), reason.to_owned()));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExecutionStatus;
    use serde_json::json;

    fn read(feedback: Value) -> Vec<String> {
        let mut result = StepResult::new(ExecutionStatus::Succeeded);
        result.report.insert(FEEDBACK.to_owned(), feedback);
        let said = issues(&result, Some(&"qa".into())).into_iter();
        let said = said.map(|one| {
            let fault = one.fault.map(|fault| format!(" ({fault})")).unwrap_or_default();
            format!(
                "{} {} to {}: {}{fault}",
                one.severity,
                one.kind,
                one.to.join("+"),
                one.message
            )
        });
        said.collect()
    }

    #[test]
    fn an_issue_is_read_with_the_words_of_the_seed_and_nothing_of_it_is_lost() {
        let nothing: [&str; 0] = [];
        for none in [json!(null), json!([]), json!("  ")] {
            assert_eq!(read(none), nothing);
        }
        assert_eq!(
            read(json!([
                {"to": "design", "type": "constraint", "severity": "error", "message": " Too big. "},
                {"targets": ["design", "plan", "design"], "issue_type": "constraint_violation", "description": "No."},
                {"to": "design", "message": "Why?"},
            ])),
            [
                "error constraint to design: Too big.",
                "warning constraint to design+plan: No.",
                "warning suggestion to design: Why?"
            ]
        );
        assert_eq!(
            read(
                json!([{"to": "design"}, {"message": "Hm."}, "Hm.", 7, {"to": 7, "type": "odd", "severity": "dire", "message": "x"}])
            ),
            [
                "warning suggestion to design:  (nothing)",
                "warning suggestion to : Hm. (nobody)",
                "warning suggestion to : Hm. (nobody)",
                "warning suggestion to : 7 (nobody)",
                "dire odd to 7: x"
            ]
        );
    }

    #[test]
    fn more_issues_than_anybody_reads_are_one_for_a_person() {
        let many: Vec<Value> = (0..5_000)
            .map(|n| json!({"to": "a", "message": format!("{n}")}))
            .collect();
        let read = read(many.into());
        assert_eq!(read.len(), MOST + 1);
        assert!(
            read[MOST].ends_with("4950 more issues stand in the report. (too_many)"),
            "{}",
            read[MOST]
        );
    }

    #[test]
    fn a_reason_acknowledges_what_it_names_or_all() {
        let ids = ["feedback-1".to_owned(), "feedback-2".to_owned()];
        let of = |said: Value| {
            let mut result = StepResult::new(ExecutionStatus::Succeeded);
            result.report.insert(ACKNOWLEDGED.to_owned(), said);
            acknowledged(&result, None, &ids).len()
        };
        assert_eq!(of(json!("It is meant so.")), 2);
        assert_eq!(of(json!({"feedback-2": "It is meant so."})), 1);
        for nothing in [json!(""), json!(true), json!({"feedback-2": ""}), json!(null)] {
            assert_eq!(of(nothing), 0, "without a reason nothing is acknowledged");
        }
    }
}
