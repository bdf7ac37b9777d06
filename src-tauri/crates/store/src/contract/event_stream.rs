//! The order of events (seed 001 "Event Sequencing", CONTRACTS "Stepwise").
//!
//! `step_start` and its end pair per *execution* (loops restart a step), and runs of several flows hold one
//! `run_started` / `run_completed` pair per flow.

use crate::timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Kinds that seed 001 lists.
pub const KINDS: [&str; 9] = [
    "run_created",
    "run_started",
    "run_completed",
    "step_start",
    "step_end",
    "step_error",
    "tool_start",
    "tool_end",
    "route_decision",
];

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// Index of the event it was seen at.
    pub index: usize,
    /// What is wrong, for people.
    pub message: String,
}

/// The rules. Those of [`Rule::is_warning`] are told and break nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// `run_created` comes first and once.
    CreatedFirst,
    /// `run_started` comes before any step event of its flow, and once per flow.
    StartedBeforeSteps,
    /// Each `step_start` is followed by exactly one `step_end` or `step_error` of the same step.
    Pairing,
    /// `run_completed` comes last, and once per flow.
    CompletedLast,
    /// `seq`, where it is given, is unique and increasing.
    Order,
    /// Every event has `run_id`, `ts` (RFC 3339), `kind` and an object as `payload`.
    Fields,
    /// A gap in `seq`.
    Gap,
    /// A kind that the contract does not list.
    Kind,
}

impl Rule {
    /// Told, but no reason to call a stream invalid.
    pub fn is_warning(self) -> bool {
        matches!(self, Self::Gap | Self::Kind)
    }
}

/// Whether a stream keeps every rule.
pub fn is_valid(violations: &[Violation]) -> bool {
    violations.iter().all(|v| v.rule.is_warning())
}

/// Every broken rule of a finished run's events.
pub fn check(events: &[Value]) -> Vec<Violation> {
    let mut stream = walk(events);
    stream.finish(events);
    stream.violations
}

/// The same for a run that may still go on: the end is not demanded.
pub fn check_so_far(events: &[Value]) -> Vec<Violation> {
    walk(events).violations
}

#[derive(Default)]
struct FlowState {
    started: bool,
    completed: bool,
}

#[derive(Default)]
struct Stream {
    violations: Vec<Violation>,
    flows: BTreeMap<String, FlowState>,
    open: BTreeMap<(String, String), usize>,
    seen: BTreeSet<i64>,
    last_seq: Option<i64>,
    created: bool,
    /// The flows that `run_created` names.
    listed: Vec<String>,
}

fn walk(events: &[Value]) -> Stream {
    let mut stream = Stream::default();
    for (i, event) in events.iter().enumerate() {
        stream.fields(i, event);
        stream.sequence(i, event);
        stream.event(i, event);
    }
    stream
}

fn text<'a>(event: &'a Value, field: &str) -> &'a str {
    event.get(field).and_then(Value::as_str).unwrap_or_default()
}

impl Stream {
    fn broken(&mut self, rule: Rule, index: usize, message: impl Into<String>) {
        self.violations.push(Violation {
            rule,
            index,
            message: message.into(),
        });
    }

    fn fields(&mut self, i: usize, event: &Value) {
        for field in ["run_id", "kind"] {
            if text(event, field).is_empty() {
                self.broken(Rule::Fields, i, format!("{field} is missing"));
            }
        }
        if timestamp::parse(text(event, "ts")).is_none() {
            self.broken(Rule::Fields, i, "ts is no RFC 3339 timestamp");
        }
        if !event.get("payload").is_some_and(Value::is_object) {
            self.broken(Rule::Fields, i, "payload is no object");
        }
    }

    fn sequence(&mut self, i: usize, event: &Value) {
        // Real files of the first generation have no seq at all.
        let Some(seq) = event.get("seq").and_then(Value::as_i64) else {
            return;
        };
        if !self.seen.insert(seq) {
            self.broken(Rule::Order, i, format!("seq {seq} occurs twice"));
        } else if let Some(last) = self.last_seq {
            if seq < last {
                self.broken(Rule::Order, i, format!("seq {seq} comes after {last}"));
            } else if seq > last + 1 {
                self.broken(Rule::Gap, i, format!("seq {seq} follows {last}"));
            }
        }
        self.last_seq = Some(seq);
    }

    fn event(&mut self, i: usize, event: &Value) {
        let kind = text(event, "kind");
        let flow = text(event, "flow_key").to_owned();
        let step = text(event, "step_id").to_owned();
        if !KINDS.contains(&kind) {
            self.broken(Rule::Kind, i, format!("{kind} is no kind of the contract"));
        }
        if i == 0 && kind != "run_created" {
            self.broken(
                Rule::CreatedFirst,
                i,
                format!("the first event is {kind}, not run_created"),
            );
        }
        if kind == "run_created" {
            if i > 0 {
                self.broken(Rule::CreatedFirst, i, "run_created is not the first event");
            }
            self.created = true;
            let flows = event["payload"]["flows"].as_array();
            let names = flows.into_iter().flatten().filter_map(Value::as_str);
            self.listed = names.map(ToOwned::to_owned).collect();
            return;
        }
        // A run of several flows may begin once for all of them: CONTRACTS "Stepwise".
        let begun = self.listed.contains(&flow)
            && self
                .listed
                .iter()
                .any(|flow| self.flows.get(flow).is_some_and(|state| state.started));
        let state = self.flows.entry(flow.clone()).or_default();
        let (started, completed) = (state.started, state.completed);
        match kind {
            "run_started" => state.started = true,
            "run_completed" => state.completed = true,
            _ => {}
        }
        if completed {
            self.broken(
                Rule::CompletedLast,
                i,
                format!("{kind} comes after run_completed of {flow}"),
            );
        }
        match kind {
            "run_started" if started => {
                self.broken(
                    Rule::StartedBeforeSteps,
                    i,
                    format!("run_started occurs twice for {flow}"),
                );
            }
            "run_completed" => {
                let left: Vec<_> = self.open.keys().filter(|(f, _)| *f == flow).cloned().collect();
                for key in left {
                    self.open.remove(&key);
                    self.broken(Rule::Pairing, i, format!("step_start of {} has no end", key.1));
                }
            }
            "step_start" | "step_end" | "step_error" => {
                if !started && !begun {
                    self.broken(
                        Rule::StartedBeforeSteps,
                        i,
                        format!("{kind} of {step} comes before run_started"),
                    );
                }
                let key = (flow, step);
                let was_open = self.open.contains_key(&key);
                if kind == "step_start" {
                    if was_open {
                        self.broken(Rule::Pairing, i, format!("{} starts again before it has ended", key.1));
                    }
                    self.open.insert(key, i);
                } else if self.open.remove(&key).is_none() {
                    self.broken(Rule::Pairing, i, format!("{kind} of {} has no step_start", key.1));
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, events: &[Value]) {
        let last = events.len().saturating_sub(1);
        if !self.created {
            self.broken(Rule::CreatedFirst, 0, "there is no run_created");
        }
        if events.last().is_none_or(|e| text(e, "kind") != "run_completed") {
            self.broken(Rule::CompletedLast, last, "the last event is not run_completed");
        }
        let unfinished: Vec<String> = self
            .flows
            .iter()
            .filter(|(_, s)| s.started && !s.completed)
            .map(|(f, _)| f.clone())
            .collect();
        for flow in unfinished {
            self.broken(Rule::CompletedLast, last, format!("{flow} has no run_completed"));
        }
        for ((_, step), i) in std::mem::take(&mut self.open) {
            self.broken(Rule::Pairing, i, format!("step_start of {step} has no end"));
        }
    }
}
