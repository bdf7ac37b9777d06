//! What an agent reports to those who worked before it: read from its report, and as events (seed 003 `feedback_received`,
//! `feedback_loops`). Persisted like all events: fields are only ever added.

use crate::words::fixed_words;
use crate::{Instance, StepResult};
use model::{AgentKey, Fields, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The field of a report that says what is wrong with earlier work: one issue or a list.
pub const FEEDBACK: &str = "feedback";
/// The field of a report that says why work is left as it is although somebody reported an issue to it.
pub const ACKNOWLEDGED: &str = "acknowledged";
/// So many issues of one report are taken up; the rest is one more, for a person.
const MOST: usize = 50;

fixed_words! {
    /// What is wrong (seed 003 `feedback_received.type` and `feedback_loops.issue_type`).
    pub enum FeedbackKind {
        /// It breaks something that has to be kept.
        Constraint = "constraint",
        /// It does not fit something else.
        Inconsistency = "inconsistency",
        /// It could be better.
        Suggestion = "suggestion",
        /// It did not pass a check.
        ValidationFailure = "validation_failure",
        /// Something is missing in it.
        MissingRequirement = "missing_requirement",
        /// It cannot be done.
        TechnicalInfeasibility = "technical_infeasibility",
    }
}

fixed_words! {
    /// How bad that is, as whoever reports it finds (seed 003 `severity`).
    pub enum FeedbackSeverity {
        /// Good to know.
        Info = "info",
        /// It should be looked at.
        Warning = "warning",
        /// It is wrong.
        Error = "error",
        /// Nothing can be built on it.
        Critical = "critical",
    }
}

fixed_words! {
    /// Why the work of a step cannot be sent back by a report: a person is asked instead.
    pub enum FeedbackFault {
        /// The issue says to nobody.
        Nobody = "nobody",
        /// It does not say what is wrong.
        Nothing = "nothing",
        /// A report may hold so many and no more.
        TooMany = "too_many",
        /// No step and no agent of the workflow is called so.
        Unknown = "unknown",
        /// It is the step that reports.
        Itself = "itself",
        /// It has not been done yet.
        Later = "later",
        /// It stands in another branch, or before branches that go on beside each other.
        Branch = "branch",
        /// It stands in a detour, or before the one that reports.
        Detour = "detour",
        /// It belongs to another flow.
        Flow = "flow",
        /// The stage that reports does not wait for it.
        Beside = "beside",
        /// A runbook goes by its transitions alone.
        Runbook = "runbook",
    }
}

fixed_words! {
    /// Which bound has been met: a person is asked.
    pub enum FeedbackLimit {
        /// The step has sent work back as often as it may.
        Rounds = "rounds",
        /// It has taken as long as it may.
        Time = "time",
    }
}

/// A step's report says that something is wrong with earlier work: a loop opens, or goes round once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackGiven {
    /// The loop: `build:1`, the first that the step `build` has opened.
    pub id: String,
    /// The visit whose report says so.
    pub from: Instance,
    /// Who of those who worked there; absent: nobody is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    /// What is wrong, by its kind.
    pub kind: FeedbackKind,
    /// How bad.
    pub severity: FeedbackSeverity,
    /// In words.
    pub message: String,
    /// With whose work.
    pub targets: Vec<FeedbackTarget>,
    /// The how-manieth time this is that the step sends work back, since a person last decided about that.
    pub round: u32,
    /// How often it may.
    pub most: u32,
    /// What keeps the issue as a whole from being sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedbackFault>,
    /// The bound that has been met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<FeedbackLimit>,
}

/// Whose work an issue is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackTarget {
    /// As the report names it: a step or an agent.
    pub named: String,
    /// The step that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What keeps it from being done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedbackFault>,
}

/// A step that an issue was reported to leaves its work as it is, and says why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackAcknowledged {
    /// Which loop.
    pub id: String,
    /// The visit whose report says so.
    pub by: Instance,
    /// Who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    /// Why.
    pub reason: String,
}

/// Stages of a pipeline are done again because a later one reported an issue (seed 004; the rule of changes that a person requests).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBack {
    /// The visit whose report says so.
    pub from: Instance,
    /// The stages that it reported to.
    pub to: Vec<StepId>,
    /// The stages that are pending again: the one that reported, and what lies between it and those that it reported to.
    pub again: Vec<StepId>,
    /// A person decided so; otherwise it counts as one of the times that the stage may send work back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
}

impl FeedbackGiven {
    /// Whether a person is asked about it at once.
    pub fn asks(&self) -> bool {
        self.fault.is_some() || self.limit.is_some() || self.targets.iter().any(|target| target.fault.is_some())
    }

    /// The steps that can be done again.
    pub fn steps(&self) -> impl Iterator<Item = &StepId> {
        let sound = self.targets.iter().filter(|target| target.fault.is_none());
        sound.filter_map(|target| target.step.as_ref())
    }
}

impl FeedbackTarget {
    /// Whether both are the same step, or the same name that nobody has.
    pub fn is_like(&self, other: &Self) -> bool {
        match (&self.step, &other.step) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.named == other.named,
            _ => false,
        }
    }
}

impl FeedbackKind {
    /// In words: `Constraint`, `Validation failure`.
    pub fn title(&self) -> String {
        model::step::humanise(self.as_str())
    }
}

impl FeedbackFault {
    /// Why, of somebody or something with this name.
    pub fn words(&self, named: &str) -> String {
        match self {
            Self::Nobody => "it does not say whose work is meant".to_owned(),
            Self::Nothing => "it does not say what is wrong".to_owned(),
            Self::TooMany => format!("a report may hold {MOST} issues"),
            Self::Unknown => format!("no step and no agent is called “{named}”"),
            Self::Itself => format!("“{named}” is the step itself"),
            Self::Later => format!("“{named}” has not been done yet"),
            Self::Branch => format!("“{named}” stands outside of the branch, and the other branches go on"),
            Self::Detour => format!("“{named}” stands on the other side of a detour"),
            Self::Flow => format!("“{named}” belongs to another flow"),
            Self::Beside => format!("“{named}” is no stage that this one waits for"),
            Self::Runbook => "a runbook goes by its transitions alone".to_owned(),
            Self::Other(word) => format!("“{named}”: {word}"),
        }
    }
}

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
