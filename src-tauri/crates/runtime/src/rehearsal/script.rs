//! From a rehearsal to the text of a [`Scenario`](crate::scenario::Scenario): the same run, to be watched, with nothing
//! carried out.

use super::Rehearsal;
use super::front::Ends;
use crate::scenario::path;
use engine::{Answer, Event, ExecutionStatus, GateOpened, Instance, Purpose, RouteReason};
use indexmap::IndexMap;
use serde_json::{Value, json};

/// The scenario that does what was done here: per step one entry for each time it was carried out or asked for, as JSON in
/// the form of CONTRACTS "Scenarios". It expects the same path and, where given, this end.
pub fn text(name: &str, description: Option<&str>, rehearsal: &Rehearsal<'_>, ends: Option<Ends>) -> String {
    let (mut steps, mut gates) = (Entries::new(), Entries::new());
    let mut asked: Option<&GateOpened> = None;
    for (_, event) in rehearsal.events() {
        match event {
            Event::GateOpened(opened) => asked = Some(opened),
            Event::GateAnswered(decision) => match asked.take() {
                Some(opened) if opened.purpose == Purpose::Approval => {
                    let reply = json!({"answer": decision.answer, "by": decision.by, "comment": decision.comment});
                    add(&mut gates, &opened.instance, reply);
                }
                Some(opened) => add(&mut steps, &opened.instance, outcome(decision.answer == Answer::Fail)),
                None => {}
            },
            Event::AttemptEnded { instance, result, .. } => {
                let failed = result.status == ExecutionStatus::Failed;
                add(&mut steps, instance, outcome(failed));
            }
            Event::Routed(route) => {
                if let (Some(opened), RouteReason::Jump(to)) = (asked.take(), &route.reason) {
                    add(&mut steps, &opened.instance, json!({ "jump": to }));
                }
            }
            _ => {}
        }
    }
    let mut scenario =
        json!({"name": name, "steps": steps, "gates": gates, "expect": {"path": path(rehearsal.state())}});
    if let Some(description) = description {
        scenario["description"] = description.into();
    }
    if let Some(ends) = ends {
        scenario["expect"]["status"] = match ends {
            Ends::Complete => "succeeded",
            Ends::Stop => "failed",
        }
        .into();
    }
    scenario.to_string()
}

type Entries = IndexMap<String, Vec<Value>>;

fn add(to: &mut Entries, instance: &Instance, entry: Value) {
    to.entry(instance.step.to_string()).or_default().push(entry);
}

fn outcome(failed: bool) -> Value {
    json!({ "status": if failed { "failed" } else { "succeeded" } })
}
