//! A run directory as another program left it: what it holds, and which of seed 001's rules it keeps. Directories of the
//! wild break some; they open all the same, with each break told.

use super::{event_stream, events_file, receipt, transcript};
use crate::{Error, timestamp};
use event_stream::Rule;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What was found in a run directory.
#[derive(Debug, Clone, Default)]
pub struct RunFolder {
    /// `events.jsonl`.
    pub events: events_file::EventsFile,
    /// `<flow>/receipts/*.json` by path; `None` for a file that is no JSON.
    pub receipts: BTreeMap<String, Option<Value>>,
    /// `<flow>/llm/*.jsonl` by path.
    pub transcripts: BTreeMap<String, String>,
}

impl RunFolder {
    /// Reads a directory. Links are not followed; a missing `events.jsonl` reads as no events.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::ReadOnly`] when the directory or a file in it cannot be read.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let mut folder = Self::default();
        match std::fs::read(dir.join("events.jsonl")) {
            Ok(bytes) => folder.events = events_file::read(&bytes),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io(&dir.join("events.jsonl"), e)),
        }
        for (flow, is_dir) in entries(dir)? {
            if !is_dir {
                continue;
            }
            for (kind, extension) in [("receipts", ".json"), ("llm", ".jsonl")] {
                let inner = dir.join(&flow).join(kind);
                for (name, is_dir) in entries(&inner)? {
                    if is_dir || !name.ends_with(extension) {
                        continue;
                    }
                    let path = inner.join(&name);
                    let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
                    let key = format!("{flow}/{kind}/{name}");
                    if kind == "receipts" {
                        folder.receipts.insert(key, serde_json::from_slice(&bytes).ok());
                    } else {
                        folder
                            .transcripts
                            .insert(key, String::from_utf8_lossy(&bytes).into_owned());
                    }
                }
            }
        }
        Ok(folder)
    }

    /// Counts, the steps visited, the routes taken, and `invariants`: rule → kept (`null`: nothing to hold it against).
    pub fn summary(&self) -> Value {
        let events = &self.events.events;
        let of_kind = |kind: &'static str| events.iter().filter(move |e| text(e, "kind") == kind);
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for event in events {
            *kinds.entry(text(event, "kind")).or_default() += 1;
        }
        let extra: Vec<&str> = kinds
            .keys()
            .copied()
            .filter(|k| !event_stream::KINDS.contains(k))
            .collect();
        let mut visits: BTreeMap<String, u64> = BTreeMap::new();
        for event in of_kind("step_start") {
            *visits
                .entry(format!("{}/{}", text(event, "flow_key"), text(event, "step_id")))
                .or_default() += 1;
        }
        visits.retain(|_, n| *n > 1);
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for event in of_kind("route_decision") {
            *reasons.entry(text(&event["payload"], "reason")).or_default() += 1;
        }
        let mut flows: Vec<&str> = Vec::new();
        for event in of_kind("run_started") {
            if !flows.contains(&text(event, "flow_key")) {
                flows.push(text(event, "flow_key"));
            }
        }
        let lines = self
            .transcripts
            .values()
            .flat_map(|t| t.lines())
            .filter(|l| !l.trim().is_empty())
            .count();
        let routing: Vec<Value> = self
            .receipts
            .values()
            .flatten()
            .filter(|r| r.get("routing").is_some_and(|v| !v.is_null()))
            .map(|r| json!([r["flow_key"], r["step_id"], r["routing"]]))
            .collect();
        json!({
            "events": events.len(),
            "kinds": kinds,
            "extra_kinds": extra,
            "receipts": self.receipts.len(),
            "transcripts": self.transcripts.len(),
            "transcript_lines": lines,
            "repeated_steps": visits,
            "receipt_routing": routing,
            "flows": flows,
            "invariants": self.invariants(&flows, &extra, visits.is_empty()),
            "route_reasons": reasons,
            "visited": of_kind("step_start").map(|e| text(e, "step_id")).collect::<Vec<_>>(),
        })
    }

    fn invariants(&self, flows: &[&str], extra: &[&str], each_step_once: bool) -> Value {
        let events = &self.events.events;
        let count = |kind: &str, flow: Option<&str>| {
            events
                .iter()
                .filter(|e| text(e, "kind") == kind && flow.is_none_or(|f| text(e, "flow_key") == f))
                .count()
        };
        let violations = event_stream::check(events);
        let keeps = |rule: Rule| violations.iter().all(|v| v.rule != rule);
        let times: Vec<&str> = events.iter().map(|e| text(e, "ts")).collect();
        let order: Vec<_> = times.iter().map(|t| timestamp::parse(t)).collect();
        let carries = |kind: &str, fields: &[&str]| {
            every(events.iter().filter(|e| text(e, "kind") == kind), |e| {
                fields.iter().all(|f| e["payload"].get(f).is_some())
            })
        };
        let mut out = Map::new();
        let mut set = |name: &str, kept: Option<bool>| out.insert(name.to_owned(), json!(kept));
        set(
            "run_created_first",
            Some(events.first().is_some_and(|e| text(e, "kind") == "run_created")),
        );
        set("exactly_one_run_created", Some(count("run_created", None) == 1));
        set(
            "run_completed_last",
            Some(events.last().is_some_and(|e| text(e, "kind") == "run_completed")),
        );
        set("exactly_one_run_started", Some(count("run_started", None) == 1));
        set("exactly_one_run_completed", Some(count("run_completed", None) == 1));
        let pair = |f: &&str| count("run_started", Some(f)) == 1 && count("run_completed", Some(f)) == 1;
        set("one_run_started_and_completed_per_flow", Some(flows.iter().all(pair)));
        set("run_started_before_steps", Some(keeps(Rule::StartedBeforeSteps)));
        set("step_start_end_paired_per_execution", Some(keeps(Rule::Pairing)));
        set("each_step_id_exactly_one_step_start", Some(each_step_once));
        set("route_decision_after_every_step", Some(self.routed_after_every_step()));
        let route = ["from_step", "to_step", "reason", "loop_state"];
        set(
            "route_decision_payload_from_to_reason_loopstate",
            carries("route_decision", &route),
        );
        set(
            "route_decision_has_routing_source",
            carries("route_decision", &["routing_source"]),
        );
        let end = ["status", "error", "steps_completed", "total_steps_executed"];
        set(
            "run_completed_payload_status_error_steps",
            carries("run_completed", &end),
        );
        set(
            "run_started_payload_mode_routing",
            carries("run_started", &["mode", "routing_enabled"]),
        );
        set(
            "event_ts_rfc3339",
            every(times.iter(), |t| timestamp::strict(t).is_some()),
        );
        set(
            "event_ts_double_suffix_+00:00Z",
            every(times.iter(), |t| t.ends_with("+00:00Z")),
        );
        set("event_ts_monotonic", Some(order.is_sorted()));
        set("only_contract_event_kinds", Some(extra.is_empty()));
        self.receipt_invariants(&mut set);
        let lines = || {
            self.transcripts
                .values()
                .flat_map(|t| t.lines())
                .filter(|l| !l.trim().is_empty())
        };
        set(
            "transcript_lines_valid",
            every(lines(), |l| transcript::check(l).is_empty()),
        );
        let strict = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            timestamp::strict(text(&line, "timestamp")).is_some()
        };
        set("transcript_ts_rfc3339", every(lines(), strict));
        Value::Object(out)
    }

    fn receipt_invariants(&self, set: &mut impl FnMut(&str, Option<bool>) -> Option<Value>) {
        let all = || {
            self.receipts
                .iter()
                .map(|(path, r)| (path, r.as_ref().unwrap_or(&Value::Null)))
        };
        let without = |fields: &'static [&'static str]| {
            every(all(), |(_, r)| {
                receipt::check(r)
                    .iter()
                    .all(|broken| !fields.iter().any(|f| broken.split('.').next() == Some(f)))
            })
        };
        let required = |r: &Value| receipt::REQUIRED.iter().all(|f| r.get(f).is_some());
        set("receipts_have_all_required_fields", every(all(), |(_, r)| required(r)));
        let name =
            |path: &str, r: &Value| path.ends_with(&format!("/{}-{}.json", text(r, "step_id"), text(r, "agent_key")));
        set("receipt_file_name_step-agent", every(all(), |(path, r)| name(path, r)));
        set("receipt_duration_nonneg_int", without(&["duration_ms"]));
        let strict = |r: &Value| {
            ["started_at", "completed_at"]
                .iter()
                .all(|f| timestamp::strict(text(r, f)).is_some())
        };
        set("receipt_ts_rfc3339", every(all(), |(_, r)| strict(r)));
        let there = |path: &str, r: &Value| {
            let flow = path.split('/').next().unwrap_or_default();
            self.transcripts
                .contains_key(&format!("{flow}/{}", text(r, "transcript_path")))
        };
        set(
            "receipt_transcript_path_exists",
            every(all(), |(path, r)| there(path, r)),
        );
        set("tokens_shape", without(&["tokens"]));
    }

    /// Each end of an execution that did not fail is followed by the decision that leaves it.
    fn routed_after_every_step(&self) -> bool {
        let steps: Vec<&Value> = self
            .events
            .events
            .iter()
            .filter(|e| text(e, "kind").starts_with("step_") || text(e, "kind") == "route_decision")
            .collect();
        steps.iter().enumerate().all(|(i, event)| {
            let left = match text(event, "kind") {
                "step_end" => true,
                "step_error" => text(&event["payload"], "status") == "skipped",
                _ => return true,
            };
            !left
                || steps.get(i + 1).is_some_and(|next| {
                    text(next, "kind") == "route_decision" && text(next, "step_id") == text(event, "step_id")
                })
        })
    }
}

/// Whether all hold; `None` when there is nothing to hold it against.
fn every<T>(items: impl Iterator<Item = T>, holds: impl Fn(T) -> bool) -> Option<bool> {
    items.map(holds).reduce(|a, b| a && b)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Names in a folder, sorted, with whether each is a folder; links are left out. A folder that is not there has none.
fn entries(dir: &Path) -> Result<Vec<(String, bool)>, Error> {
    let read = match std::fs::read_dir(dir) {
        Ok(read) => read,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(dir, e)),
    };
    let mut out = Vec::new();
    for entry in read {
        let entry = entry.map_err(|e| Error::io(dir, e))?;
        let kind = entry.file_type().map_err(|e| Error::io(&entry.path(), e))?;
        if let (Some(name), false) = (entry.file_name().to_str(), kind.is_symlink()) {
            out.push((name.to_owned(), kind.is_dir()));
        }
    }
    out.sort();
    Ok(out)
}
