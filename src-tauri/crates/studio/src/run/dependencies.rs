//! Why a stage of a pipeline began when it did: each dependency that was met, and what becomes of the others.
//!
//! A pipeline's log has no decisions to show: that a stage may begin follows from what it waits for. The dependencies of the stages
//! that are queued at one moment are the ways taken then; they share one number. A stage that a rejection or a report has sent back
//! has one way, the one that sent it back, unless what it waits for is done again before it.

use crate::run::index::{Again, Changes, Way, way_back};
use crate::run::instances;
use crate::run::reasons;
use crate::run::view::RouteView;
use crate::view::FieldView;
use crate::words;
use crate::workflow::drawing::Drawn;
use engine::{Event, Instance, RouteReason, RunState, SentBack, Settled, StageEnd, StepStatus};
use history::Events;
use model::{Flow, FlowKind, Step, Workflow};
use std::collections::HashMap;

/// With more dependencies than this none is explained: the view of a run is asked for at every change.
const MOST: usize = 4_000;
/// A sentence names at most so many stages.
const NAMED: usize = 5;

/// The stages that nothing waits for any more, each with its end and the number of that event.
type Met<'a> = HashMap<&'a str, (u64, &'a Settled)>;

/// The dependencies that were met, in the order in which stages were queued.
/// `sent_along`: the drawn edge of a way that the workflow does not have.
pub fn routes(
    workflow: &Workflow,
    drawn: &Drawn,
    events: Events<'_>,
    sent_along: &impl Fn(Way) -> Option<String>,
) -> Vec<RouteView> {
    let mut waits: Vec<Vec<(usize, &Step)>> = vec![Vec::new(); workflow.steps().len()];
    let flows = workflow.flows();
    if flows.len() > MOST {
        return Vec::new();
    }
    for (flow, (from, to, edge)) in flows.into_iter().enumerate() {
        if edge.kind == FlowKind::DependsOn {
            waits[to.ordinal].push((flow, from));
        }
    }
    let mut routes: Vec<RouteView> = Vec::new();
    let mut number = 0;
    let mut met: Met<'_> = HashMap::new();
    let mut visits: HashMap<&str, u32> = HashMap::new();
    let mut changes = Changes::default();
    for e in events {
        changes.push(&e.event);
        let steps = match &e.event {
            Event::Settled(settled) if settled.status == StageEnd::Completed || settled.spared.is_some() => {
                met.insert(settled.step.as_str(), (e.seq, &**settled));
                continue;
            }
            Event::Queued { steps } => steps,
            Event::SentBack(sent) => {
                number += 1;
                routes.extend(sent_back(workflow, sent, sent_along).map(|route| RouteView {
                    number,
                    seq: e.seq,
                    at: e.at.0,
                    ..route
                }));
                continue;
            }
            _ => continue,
        };
        let mut told: Vec<(&Step, u32, Option<RouteView>)> = Vec::new();
        for step in steps.iter().filter_map(|id| workflow.step(id)) {
            let visit = visits.entry(step.id.as_str()).or_default();
            *visit += 1;
            let again = match changes.take(&step.id) {
                // Why it begins was told where it was sent back: what it waits for did not let it begin this time.
                Some(Again::SentBack) => continue,
                Some(Again::Asked(asked, round)) => done_again(workflow, step, &asked, round, sent_along),
                None => None,
            };
            if again.is_some() || !waits[step.ordinal].is_empty() {
                told.push((step, *visit, again));
            }
        }
        number += u32::from(!told.is_empty());
        for (step, visit, again) in told {
            let of = &waits[step.ordinal];
            if let Some(route) = again {
                routes.push(RouteView {
                    number,
                    seq: e.seq,
                    at: e.at.0,
                    ..route
                });
                continue;
            }
            let stages: Vec<&Step> = of.iter().map(|(_, from)| *from).collect();
            let why = why(step, &stages, &met);
            routes.extend(of.iter().map(|(flow, from)| RouteView {
                number,
                seq: e.seq,
                at: e.at.0,
                from: words::of_step(from),
                unit: None,
                visit,
                to: Some(words::of_step(step)),
                edge_id: drawn.edges.get(*flow).cloned().flatten(),
                decision: "advance".into(),
                headline: format!("Why could “{}” begin?", step.name),
                why: why.clone(),
                reason: "dependencies_completed".into(),
                source: "deterministic".into(),
                source_words: "what the pipeline says each stage waits for".into(),
                looked_at: stages.iter().filter_map(|one| looked_at(one, &met)).collect(),
                alternatives: Vec::new(),
                fork: None,
            }));
        }
    }
    routes
}

/// That a stage which is queued is done again because a person asked for it: what it waits for is not why.
fn done_again(
    workflow: &Workflow,
    step: &Step,
    asked: &Instance,
    round: u32,
    sent_along: &impl Fn(Way) -> Option<String>,
) -> Option<RouteView> {
    let from = workflow.step(&asked.step)?;
    Some(RouteView {
        number: 0,
        seq: 0,
        at: 0,
        from: words::of_step(from),
        unit: None,
        visit: asked.visit,
        to: Some(words::of_step(step)),
        edge_id: sent_along(Way::Sent(from.ordinal, step.ordinal)),
        decision: "loop".into(),
        headline: format!("Why back to “{}”?", step.name),
        why: reasons::changes_requested(Some(round)),
        reason: RouteReason::ChangesRequested(Some(round)).to_string(),
        source: "person".into(),
        source_words: reasons::PERSON.into(),
        looked_at: Vec::new(),
        alternatives: Vec::new(),
        fork: None,
    })
}

/// The ways back that a stage's report leads, or its rejection.
fn sent_back(
    workflow: &Workflow,
    sent: &SentBack,
    sent_along: &impl Fn(Way) -> Option<String>,
) -> impl Iterator<Item = RouteView> {
    let from = workflow.step(&sent.from.step);
    let to = sent.to.iter().filter_map(|id| workflow.step(id));
    let ways = from
        .into_iter()
        .flat_map(move |from| to.clone().map(move |to| (from, to)));
    ways.map(move |(from, to)| RouteView {
        number: 0,
        seq: 0,
        at: 0,
        from: words::of_step(from),
        unit: None,
        visit: sent.from.visit,
        to: Some(words::of_step(to)),
        edge_id: sent_along(way_back(workflow, sent, from.ordinal, to.ordinal)),
        decision: "loop".into(),
        headline: format!("Why back to “{}”?", to.name),
        why: reasons::sent_back(workflow, sent),
        reason: if sent.rejected { "rejected" } else { "feedback" }.into(),
        source: if sent.rejected {
            "deterministic"
        } else {
            "envelope_fallback"
        }
        .into(),
        source_words: match sent.rejected {
            true => "what the pipeline says of a rejection",
            false => "the report of the stage",
        }
        .into(),
        looked_at: Vec::new(),
        alternatives: Vec::new(),
        fork: None,
    })
}

fn why(step: &Step, waits: &[&Step], met: &Met<'_>) -> String {
    let mut once: Vec<&Step> = Vec::new();
    for one in waits {
        if !once.iter().any(|other| other.ordinal == one.ordinal) {
            once.push(one);
        }
    }
    let ends = once.iter().filter_map(|one| Some((*one, met.get(one.id.as_str())?)));
    let last = ends.max_by_key(|(_, (seq, _))| *seq);
    let last = last.map(|(one, (_, settled))| (one, came_to(settled)));
    match (once.as_slice(), last) {
        ([one], Some((_, came_to))) => {
            format!("“{}” waits for “{}” alone, and that {came_to}.", step.name, one.name)
        }
        ([one], None) => format!("“{}” waits for “{}” alone.", step.name, one.name),
        (all, Some((last, came_to))) => format!(
            "“{}” waits for {}. The last of them, “{}”, {came_to}.",
            step.name,
            listed(all),
            last.name
        ),
        (all, None) => format!("“{}” waits for {}.", step.name, listed(all)),
    }
}

/// How a stage ended that what waits for it need not wait for any more: `was left out: Ada left it out`.
fn came_to(settled: &Settled) -> String {
    let how = match settled.status {
        StageEnd::Skipped if settled.is_left_out_by_agent() => "was skipped by its agent",
        StageEnd::Skipped => "was left out",
        StageEnd::Completed => "was completed",
        StageEnd::Failed => "failed",
        StageEnd::Aborted => "was cut off",
    };
    match settled.spared.as_deref() {
        Some(why) => format!("{how}: {}", why.trim_end_matches('.')),
        None => how.to_owned(),
    }
}

/// `“a”, “b” and “c”`; of many the first and how many more.
fn listed(steps: &[&Step]) -> String {
    let named: Vec<String> = steps.iter().take(NAMED).map(|one| format!("“{}”", one.name)).collect();
    match (named.split_last(), steps.len().saturating_sub(NAMED)) {
        (None, _) => String::new(),
        (Some(_), more @ 1..) => format!("{} and {more} more", named.join(", ")),
        (Some((only, [])), 0) => only.clone(),
        (Some((last, others)), 0) => format!("{} and {last}", others.join(", ")),
    }
}

/// What a stage that was waited for came to; `None`: the log does not say.
fn looked_at(step: &Step, met: &Met<'_>) -> Option<FieldView> {
    let (_, settled) = met.get(step.id.as_str())?;
    let value = match settled.status {
        StageEnd::Completed => "completed",
        StageEnd::Failed => "failed",
        StageEnd::Skipped => "left out",
        StageEnd::Aborted => "cut off",
    };
    Some(FieldView {
        name: step.name.clone(),
        value: value.into(),
    })
}

/// Why a dependency has not been met; `None` where the edge is no dependency, or where there are too many.
pub fn why_not(workflow: &Workflow, state: &RunState, (from, to, flow): (&Step, &Step, &Flow)) -> Option<String> {
    if flow.kind != FlowKind::DependsOn || workflow.graph().edge_count() > MOST {
        return None;
    }
    let status = |step: &Step| instances::status(workflow, state, step, &[]);
    let (first, second) = (&from.name, &to.name);
    let was_skipped = status(to) == StepStatus::Skipped;
    let ended = state.status.ended();
    let spared = |step: &Step| state.stages.get(&step.id)?.settled.as_ref()?.spared.as_deref();
    if let Some(why) = spared(to).filter(|_| was_skipped) {
        return Some(format!("“{second}” was left out: {why}."));
    }
    if let Some(why) = spared(from) {
        return Some(format!("“{second}” goes on without “{first}”: {why}."));
    }
    Some(match status(from) {
        StepStatus::Succeeded if was_skipped => {
            format!("“{first}” was completed, and “{second}” was skipped all the same.")
        }
        StepStatus::Succeeded => {
            let mut others = workflow
                .steps()
                .iter()
                .filter(|other| to.depends_on.contains(&other.id));
            match others.find(|other| status(other) != StepStatus::Succeeded) {
                Some(other) => format!(
                    "“{first}” was completed. “{second}” still {} for “{}”.",
                    if ended { "waited" } else { "waits" },
                    other.name
                ),
                None => format!("“{first}” was completed, and “{second}” has not begun."),
            }
        }
        StepStatus::Failed if was_skipped => format!("“{first}” failed, so “{second}” was skipped."),
        StepStatus::Failed => format!("“{first}” failed, so “{second}” could not begin."),
        StepStatus::Refused if was_skipped => format!("“{first}” was rejected, so “{second}” was skipped."),
        StepStatus::Refused => format!("“{first}” was rejected, so “{second}” could not begin."),
        StepStatus::Skipped => format!("“{first}” was skipped, and “{second}” with it."),
        StepStatus::Interrupted => format!("“{first}” was cut off before “{second}” could begin."),
        StepStatus::NotStarted | StepStatus::Queued if ended => {
            format!("“{first}” did not begin, so neither did “{second}”.")
        }
        StepStatus::NotStarted => format!("“{second}” waits for “{first}”, which has not begun."),
        StepStatus::Queued => format!("“{second}” waits for “{first}”, which is queued."),
        StepStatus::Running | StepStatus::Retrying => format!("“{second}” waits for “{first}”, which is at work."),
        StepStatus::Blocked => format!("“{second}” waits for “{first}”, about which a person is asked."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::index::Index;
    use crate::workflow;
    use dialect::Document;
    use engine::At;
    use history::{Fold as _, Log};
    use serde_json::{Value, json};
    use std::sync::Arc;
    use store::Stored;

    const TEXT: &str = "name: n\nstages:\n- {name: a, agents: [x]}\n- {name: b, agents: [x], parallel: true, depends_on: [a]}\n\
                        - {name: c, agents: [x], parallel: true, depends_on: [a]}\n- {name: d, agents: [x], depends_on: [b, c, a]}\n";

    fn log_of(events: &[Value]) -> Log {
        let stored = events.iter().zip(1..).map(|(event, seq)| Stored {
            seq,
            at: At(0),
            event: serde_json::from_value(event.clone()).expect("an event"),
            hash: [0; 32],
            fits: true,
        });
        stored.collect()
    }

    fn ways(events: &[Value]) -> Vec<String> {
        let document = Document::parse("p.yaml", TEXT);
        let workflow = document.workflow();
        let drawn = workflow::drawing::picture(
            workflow,
            &[],
            engine::GateRules::default(),
            &workflow::drawing::Look::default(),
        );
        let stored = log_of(events);
        let routes = routes(workflow, &drawn, stored.events(), &|_| None);
        let edge = |route: &RouteView| route.edge_id.clone().unwrap_or_default();
        routes
            .iter()
            .map(|route| format!("{} {} {}", route.number, edge(route), route.why))
            .collect()
    }

    #[test]
    fn stages_queued_at_once_share_a_number() {
        let queued = |steps: &[&str]| json!({"type": "queued", "steps": steps});
        let done = |step: &str| json!({"type": "settled", "step": step, "status": "completed"});
        let log = [
            queued(&["a"]),
            done("a"),
            queued(&["b", "c"]),
            done("c"),
            done("b"),
            queued(&["d"]),
            json!({"type": "settled", "step": "d", "status": "failed"}),
            queued(&["d"]),
        ];
        let d = "“d” waits for “b”, “c” and “a”. The last of them, “b”, was completed.";
        let alone = |step: &str| format!("“{step}” waits for “a” alone, and that was completed.");
        let wanted = [
            format!("1 0-1-0 {}", alone("b")),
            format!("1 0-2-0 {}", alone("c")),
            format!("2 1-3-0 {d}"),
            format!("2 2-3-0 {d}"),
            format!("2 0-3-0 {d}"),
            format!("3 1-3-0 {d}"),
            format!("3 2-3-0 {d}"),
            format!("3 0-3-0 {d}"),
        ];
        assert_eq!(ways(&log), wanted);
    }

    #[test]
    fn a_stage_that_was_sent_back_has_one_way_and_what_it_waits_for_is_no_second_one() {
        let queued = |steps: &[&str]| json!({"type": "queued", "steps": steps});
        let done = |step: &str| json!({"type": "settled", "step": step, "status": "completed"});
        let back = |to: &[&str], again: &[&str], rejected: bool| {
            let from = json!({"step": "d", "visit": 1});
            json!({"type": "sent_back", "from": from, "to": to, "again": again, "by_person": rejected, "rejected": rejected})
        };
        let first = [
            queued(&["a"]),
            done("a"),
            queued(&["b", "c"]),
            done("c"),
            done("b"),
            queued(&["d"]),
        ];
        let alone = |step: &str| format!("“{step}” waits for “a” alone, and that was completed.");
        let often = |log: &[Value]| {
            let mut index = Index::new(Arc::new(Document::parse("p.yaml", TEXT)));
            for stored in log_of(log).events() {
                index.push(stored);
            }
            let document = Document::parse("p.yaml", TEXT);
            let of_b = document
                .workflow()
                .flows()
                .into_iter()
                .position(|(from, to, _)| (from.id.as_str(), to.id.as_str()) == ("a", "b"))
                .expect("it waits for it");
            (index.numbers, index.often.get(&Way::Flow(of_b)).copied())
        };

        // Neither `a` nor `c` was done again: that `b` begins follows from the rejection alone.
        for rejected in [true, false] {
            let again = [
                back(&["b"], &["d"], rejected),
                queued(&["b"]),
                done("b"),
                queued(&["d"]),
            ];
            let log = [first.as_slice(), &again].concat();
            let ways = ways(&log);
            let of_b = ways.iter().filter(|way| way.ends_with(&alone("b"))).count();
            assert_eq!(of_b, 1, "{ways:#?}");
            let numbers: Vec<&str> = ways.iter().filter_map(|way| way.split(' ').next()).collect();
            assert_eq!(numbers, ["1", "1", "2", "2", "2", "3", "4", "4", "4"], "{ways:#?}");
            assert!(ways[5].contains("“b” is done again"), "{ways:#?}");
            assert!(ways[6].ends_with("The last of them, “b”, was completed."), "{ways:#?}");
            assert_eq!(often(&log), (4, Some(1)));
        }

        // `b` waits for what was sent back with it: it begins as it did the first time.
        let again = [
            back(&["a", "b"], &["b", "d"], false),
            queued(&["a"]),
            done("a"),
            queued(&["b"]),
        ];
        let log = [first.as_slice(), &again].concat();
        let ways = ways(&log);
        assert_eq!(ways.last(), Some(&format!("4 0-1-0 {}", alone("b"))));
        assert_eq!(often(&log), (4, Some(2)));
    }

    #[test]
    fn of_a_stage_that_was_left_out_or_failed_nobody_says_that_it_was_completed() {
        let queued = |steps: &[&str]| json!({"type": "queued", "steps": steps});
        let settled = |step: &str, status: &str, error: Option<&str>, spared: &str| {
            let mut end = json!({"type": "settled", "step": step, "status": status, "spared": spared});
            if let Some(error) = error {
                end["error"] = json!(error);
            }
            end
        };
        let log = [
            queued(&["a"]),
            settled("a", "skipped", None, "Ada left it out"),
            queued(&["b", "c"]),
            settled(
                "b",
                "skipped",
                Some("nothing to do"),
                "Ada lets the run go on without it",
            ),
            settled(
                "c",
                "failed",
                Some("exit code 1"),
                "the workflow goes on where this step fails",
            ),
            queued(&["d"]),
        ];
        let ways = ways(&log);
        assert_eq!(
            ways[0],
            "1 0-1-0 “b” waits for “a” alone, and that was left out: Ada left it out."
        );
        assert_eq!(
            ways[2],
            "2 1-3-0 “d” waits for “b”, “c” and “a”. The last of them, “c”, failed: the workflow goes on where this step fails."
        );
        let stored = log_of(&log);
        let mut met: Met<'_> = HashMap::new();
        for e in stored.events() {
            if let Event::Settled(settled) = &e.event {
                met.insert(settled.step.as_str(), (e.seq, &**settled));
            }
        }
        let came_to: Vec<String> = ["a", "b", "c"].into_iter().map(|id| came_to(met[id].1)).collect();
        let wanted = [
            "was left out: Ada left it out",
            "was skipped by its agent: Ada lets the run go on without it",
            "failed: the workflow goes on where this step fails",
        ];
        assert_eq!(came_to, wanted);
        let seen = |id: &str| looked_at(&Step::new(id, 0), &met).map(|field| field.value);
        assert_eq!(seen("a").as_deref(), Some("left out"));
        assert_eq!(seen("c").as_deref(), Some("failed"));
        assert_eq!(seen("d"), None);
    }

    #[test]
    fn many_names_are_cut_short() {
        let steps: Vec<Step> = (0..8).map(|n| Step::new(format!("s{n}").as_str(), n)).collect();
        let listed_of = |n: usize| listed(&steps[..n].iter().collect::<Vec<_>>());
        assert_eq!(listed_of(0), "");
        assert_eq!(listed_of(1), "“S0”");
        assert_eq!(listed_of(3), "“S0”, “S1” and “S2”");
        assert!(listed_of(8).ends_with("“S4” and 3 more"));
    }
}
