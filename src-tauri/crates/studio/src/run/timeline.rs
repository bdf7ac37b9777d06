//! The run over time: a lane per step, a bar per attempt, who decided the way on where a navigator was asked, gate waits for people,
//! idle stretches folded.

use crate::run::log;
use crate::run::view::{BarView, Lane, Tick, TimelineView};
use crate::text::safe;
use crate::view::Status;
use crate::words;
use engine::{
    Answer, Event, ExecutionStatus, GateId, Instance, NavigatorAsked, NavigatorSaid, RouteDecision, RouteSource,
    StageEnd,
};
use history::Events;
use model::{Routing, StepId, Work, Workflow};
use std::collections::HashMap;
use store::Stored;

/// A stretch without any bar longer than this (milliseconds) and than a quarter of the busy time is folded.
const FOLD_FROM_MS: i64 = 60_000;

/// When what a log tells began: of a run that goes on from another, with that one.
fn began(first: &Stored) -> i64 {
    match &first.event {
        Event::RunCreated(created) => created.earlier().last().map_or(first.at, |earlier| earlier.at).0,
        _ => first.at.0,
    }
}

/// The timeline of all `events`; `now` closes what is still open.
pub fn timeline(workflow: &Workflow, events: Events<'_>, now: i64) -> TimelineView {
    let start = events.first().map_or(now, began);
    let ended = matches!(events.last().map(|e| &e.event), Some(Event::RunCompleted(_)));
    let end = if ended {
        events.last().map_or(now, |e| e.at.0)
    } else {
        now.max(start)
    };
    // What holds other steps is at work only in them.
    let lanes_of: Vec<_> = workflow.steps().iter().filter(|s| s.work != Work::Group).collect();
    let beside = branches(workflow);
    let mut lanes: Vec<Lane> = lanes_of
        .iter()
        .map(|s| Lane {
            step: Some(words::of_step(s)),
            name: words::numbered(s),
            bars: Vec::new(),
            phase: s.phase.clone().or_else(|| beside.get(&s.ordinal).cloned()),
        })
        .collect();
    let mut people = People::default();
    let mut deciding = Deciding::default();
    let ordinal: HashMap<&str, usize> = lanes_of
        .iter()
        .enumerate()
        .rev()
        .map(|(lane, s)| (s.id.as_str(), lane))
        .collect();
    let mut ticks = Vec::new();
    for (i, e) in events.iter().enumerate() {
        // The axis follows the log: its first event stands before those that were taken over.
        let at = if i == 0 { start } else { e.at.0 };
        match &e.event {
            Event::AttemptStarted(started) => {
                if let Some(&lane) = ordinal.get(started.instance.step.as_str()) {
                    called(&mut lanes[lane], at, e.seq);
                    let mut label = String::new();
                    if started.instance.visit > 1 {
                        label = format!("round {}", started.instance.visit);
                    }
                    if started.attempt > 1 {
                        label = format!(
                            "{label}{}attempt {}",
                            if label.is_empty() { "" } else { ", " },
                            started.attempt
                        );
                    }
                    lanes[lane].bars.push(open(at, e.seq, Status::Running, label));
                }
            }
            Event::AttemptEnded { instance, result, .. } => {
                let status = match result.status {
                    ExecutionStatus::Succeeded => Status::Done,
                    ExecutionStatus::Failed => Status::Failed,
                    ExecutionStatus::Skipped => Status::Skipped,
                    ExecutionStatus::Blocked => Status::Blocked,
                };
                close(
                    lanes.get_mut(*ordinal.get(instance.step.as_str()).unwrap_or(&usize::MAX)),
                    at,
                    e.seq,
                    status,
                );
            }
            Event::AttemptInterrupted { instance, .. } => {
                let lane = lanes.get_mut(*ordinal.get(instance.step.as_str()).unwrap_or(&usize::MAX));
                close(lane, at, e.seq, Status::Aborted);
            }
            Event::GateOpened(opened) => {
                let name = words::step_ref(workflow, &opened.instance.step).name;
                people.asked(&opened.gate, open(at, e.seq, Status::Blocked, name));
            }
            Event::GateAnswered(decision) => {
                let refused = decision.answer == Answer::Reject;
                let status = if refused { Status::Refused } else { Status::Blocked };
                people.answered(&decision.gate, at, e.seq, status);
            }
            Event::NavigatorAsked(asked) => deciding.asked(workflow, asked, at, e.seq),
            Event::NavigatorAnswered { instance, said } => deciding.answered(workflow, instance, said, at, e.seq),
            Event::Routed(route) => deciding.decided(workflow, route, at, e.seq),
            Event::Queued { steps } => {
                for lane in steps.iter().filter_map(|step| ordinal.get(step.as_str())) {
                    lanes[*lane].bars.push(open(at, e.seq, Status::Queued, String::new()));
                }
            }
            Event::Settled(settled) => {
                if let Some(&lane) = ordinal.get(settled.step.as_str()) {
                    called(&mut lanes[lane], at, e.seq);
                    match settled.status {
                        StageEnd::Skipped => lanes[lane].bars.push(BarView {
                            end: Some(at),
                            to_seq: Some(e.seq),
                            ..open(at, e.seq, Status::Skipped, "skipped".into())
                        }),
                        StageEnd::Aborted => close(lanes.get_mut(lane), at, e.seq, Status::Aborted),
                        StageEnd::Completed | StageEnd::Failed => {}
                    }
                }
            }
            Event::RunCompleted(_) => {
                for lane in &mut lanes {
                    called(lane, at, e.seq);
                    close(Some(lane), at, e.seq, Status::Aborted);
                }
                people.leave(at, e.seq);
                deciding.leave(at, e.seq);
            }
            _ => {}
        }
        if let Some(tick) = tick(workflow, events.prefix(i), e) {
            ticks.push(Tick { at, ..tick });
        }
    }
    for lane in &mut lanes {
        // Where there are several rounds the first one says so too.
        let mut worked = lane.bars.iter_mut().filter(|bar| is_work(bar));
        if let (Some(first), true) = (worked.next(), worked.next().is_some())
            && first.label.is_empty()
        {
            first.label = "round 1".into();
        }
    }
    let (navigators, decisions) = deciding.lanes();
    lanes.extend(navigators);
    let gaps = gaps(&lanes, start, end);
    lanes.extend(decisions);
    lanes.extend(people.lanes);
    TimelineView {
        start,
        end,
        lanes,
        ticks,
        gaps,
    }
}

/// By ordinal: of a step in a branch what stands above its lane and those beside it.
fn branches(workflow: &Workflow) -> HashMap<usize, String> {
    let mut out = HashMap::new();
    for step in workflow.steps() {
        if let Routing::Fork(fork) = &step.routing {
            let name = words::of_step(step).name;
            for inside in model::branches::inside(workflow, fork).into_iter().flatten() {
                let title = || format!("{} branches of “{name}”", fork.targets.len());
                out.entry(inside).or_insert_with(title);
            }
        }
    }
    out
}

fn open(at: i64, seq: u64, status: Status, label: String) -> BarView {
    BarView {
        start: at,
        end: None,
        from_seq: seq,
        to_seq: None,
        status,
        label,
    }
}

/// Whether somebody or something was at work.
fn is_work(bar: &BarView) -> bool {
    !matches!(bar.status, Status::Queued | Status::Skipped)
}

/// A stage that was queued waits no longer. One that had not to wait was not queued for anybody who looks.
fn called(lane: &mut Lane, at: i64, seq: u64) {
    if let Some(bar) = lane
        .bars
        .last_mut()
        .filter(|bar| bar.status == Status::Queued && bar.end.is_none())
    {
        (bar.end, bar.to_seq) = (Some(at), Some(seq));
        if bar.start == at {
            lane.bars.pop();
        }
    }
}

/// Who is asked: of questions that are open at the same time each has a lane of its own.
#[derive(Default)]
struct People {
    lanes: Vec<Lane>,
    /// Of each open gate its lane.
    open: HashMap<GateId, usize>,
}

impl People {
    fn asked(&mut self, gate: &GateId, bar: BarView) {
        let is_free = |lane: &Lane| lane.bars.last().is_none_or(|bar| bar.end.is_some());
        let lane = self.lanes.iter().position(is_free).unwrap_or_else(|| {
            self.lanes.push(Lane {
                step: None,
                name: "People".into(),
                bars: Vec::new(),
                phase: None,
            });
            self.lanes.len() - 1
        });
        self.lanes[lane].bars.push(bar);
        self.open.insert(gate.clone(), lane);
    }

    fn answered(&mut self, gate: &GateId, at: i64, seq: u64, status: Status) {
        let lane = self.open.remove(gate);
        close(lane.and_then(|lane| self.lanes.get_mut(lane)), at, seq, status);
    }

    /// Nobody is asked any more.
    fn leave(&mut self, at: i64, seq: u64) {
        self.open.clear();
        for lane in &mut self.lanes {
            close(Some(lane), at, seq, Status::Aborted);
        }
    }
}

/// Who decided where the run goes on, of a run whose navigator was asked: what it took to say so, and each decision in the moment in which
/// it was made, by whoever made it.
#[derive(Default)]
struct Deciding {
    /// How long each navigator thought; of branches several may be asked at once.
    asked: Vec<(Lane, Option<Instance>)>,
    decisions: Vec<BarView>,
}

impl Deciding {
    fn asked(&mut self, workflow: &Workflow, asked: &NavigatorAsked, at: i64, seq: u64) {
        let bar = open(at, seq, Status::Running, after(workflow, &asked.instance.step));
        let free = self.asked.iter_mut().find(|(_, open)| open.is_none());
        match free {
            Some((lane, open)) => {
                lane.bars.push(bar);
                *open = Some(asked.instance.clone());
            }
            None => {
                let lane = Lane {
                    step: None,
                    name: "Navigator".into(),
                    bars: vec![bar],
                    phase: None,
                };
                self.asked.push((lane, Some(asked.instance.clone())));
            }
        }
    }

    fn answered(&mut self, workflow: &Workflow, instance: &Instance, said: &NavigatorSaid, at: i64, seq: u64) {
        let Some((lane, open)) = self.asked.iter_mut().find(|(_, open)| open.as_ref() == Some(instance)) else {
            return;
        };
        *open = None;
        let (status, what) = match (&said.refused, &said.way) {
            (None, Some(way)) => {
                let leads = way.rsplit_once(':').and_then(|(_, to)| workflow.step(&to.into()));
                let called = leads.map_or_else(|| safe::visible(way), |step| words::of_step(step).name);
                (Status::Done, format!("chose “{called}”"))
            }
            (Some(_), _) => (Status::Failed, "its answer does not count".to_owned()),
            (None, None) => (Status::Failed, "chose none".to_owned()),
        };
        close(Some(&mut *lane), at, seq, status);
        if let Some(bar) = lane.bars.last_mut() {
            bar.label = format!("{}: {what}", after(workflow, &instance.step));
        }
    }

    fn decided(&mut self, workflow: &Workflow, route: &RouteDecision, at: i64, seq: u64) {
        let to = match &route.to {
            Some(to) => format!("on to “{}”", words::step_ref(workflow, to).name),
            None => "the end".to_owned(),
        };
        let label = format!("{} {}: {to}", who(route.source), after(workflow, &route.from.step));
        self.decisions.push(BarView {
            end: Some(at),
            to_seq: Some(seq),
            ..open(at, seq, Status::Done, label)
        });
    }

    /// A navigator that was asked when the run ended says nothing any more.
    fn leave(&mut self, at: i64, seq: u64) {
        for (lane, open) in &mut self.asked {
            *open = None;
            close(Some(lane), at, seq, Status::Aborted);
        }
    }

    /// How long each of those thought who were asked, and what was decided. Where none was asked the rules decided, which the why-cards
    /// say: there is no lane.
    fn lanes(self) -> (Vec<Lane>, Option<Lane>) {
        let decisions = Lane {
            step: None,
            name: "Way on decided by".into(),
            bars: self.decisions,
            phase: None,
        };
        let decisions = (!self.asked.is_empty()).then_some(decisions);
        (self.asked.into_iter().map(|(lane, _)| lane).collect(), decisions)
    }
}

fn after(workflow: &Workflow, step: &StepId) -> String {
    format!("after “{}”", words::step_ref(workflow, step).name)
}

/// Who decided, in a word or two.
fn who(source: RouteSource) -> &'static str {
    match source {
        RouteSource::FastPath => "the only way",
        RouteSource::Deterministic => "a rule",
        RouteSource::Person | RouteSource::Escalate => "a person",
        RouteSource::Navigator | RouteSource::NavigatorDetour => "the navigator",
        RouteSource::EnvelopeFallback => "the step’s signal",
    }
}

fn close(lane: Option<&mut Lane>, at: i64, seq: u64, status: Status) {
    if let Some(bar) = lane.and_then(|l| l.bars.last_mut())
        && bar.end.is_none()
    {
        bar.end = Some(at);
        bar.to_seq = Some(seq);
        bar.status = status;
    }
}

fn tick(workflow: &Workflow, before: Events<'_>, e: &Stored) -> Option<Tick> {
    if matches!(e.event, Event::Output { .. }) {
        return None;
    }
    let (kind, step) = log::kind(&e.event);
    Some(Tick {
        seq: e.seq,
        at: e.at.0,
        kind: kind.into(),
        words: log::words(workflow, before, &e.event),
        step: step.map(ToString::to_string),
    })
}

/// Idle stretches: no attempt runs. Waiting for a person counts as idle, so that two hours of waiting do not hide
/// two seconds of work.
fn gaps(lanes: &[Lane], start: i64, end: i64) -> Vec<(i64, i64)> {
    let mut busy: Vec<(i64, i64)> = lanes
        .iter()
        .flat_map(|l| &l.bars)
        .filter(|b| is_work(b))
        .map(|b| (b.start, b.end.unwrap_or(end)))
        .collect();
    busy.sort_unstable();
    let total: i64 = busy.iter().map(|(a, b)| b - a).sum();
    let threshold = FOLD_FROM_MS.max(total / 4);
    let mut out = Vec::new();
    let mut at = start;
    for (from, to) in busy.into_iter().chain([(end, end)]) {
        if from - at > threshold {
            out.push((at, from));
        }
        at = at.max(to);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use engine::At;
    use history::Log;
    use serde_json::{Value, json};

    const TEXT: &str = "name: n\nstages:\n- {name: a, agents: [x]}\n- {name: b, agents: [x], parallel: true, depends_on: [a]}\n\
                        - {name: c, agents: [x], parallel: true, depends_on: [a]}\n- {name: d, agents: [x], depends_on: [b, c]}\n";

    /// Of each lane its name and its bars: `status from-to label`.
    fn lanes(events: &[(i64, Value)]) -> Vec<String> {
        let document = Document::parse("p.yaml", TEXT);
        let stored: Log = (events.iter().zip(1..))
            .map(|((at, event), seq)| Stored {
                seq,
                at: At(*at),
                event: serde_json::from_value(event.clone()).expect("an event"),
                hash: [0; 32],
            })
            .collect();
        let view = timeline(document.workflow(), stored.events(), 99_000);
        let bar = |bar: &BarView| {
            let end = bar.end.map_or("…".to_owned(), |end| (end / 1_000).to_string());
            let text = format!("{:?} {}-{end} {}", bar.status, bar.start / 1_000, bar.label);
            text.trim_end().to_owned()
        };
        let lane = |lane: &Lane| {
            format!(
                "{}: {}",
                lane.name,
                lane.bars.iter().map(bar).collect::<Vec<_>>().join(", ")
            )
        };
        view.lanes.iter().map(lane).collect()
    }

    fn queued(at: i64, steps: &[&str]) -> (i64, Value) {
        (at * 1_000, json!({"type": "queued", "steps": steps}))
    }

    fn begins(at: i64, step: &str, visit: u32) -> (i64, Value) {
        let engine =
            json!({"engine": "stub-step", "short": "stub", "mode": "stub", "provider": "local", "model": "stub"});
        let instance = json!({"step": step, "visit": visit});
        let event =
            json!({"type": "attempt_started", "instance": instance, "attempt": 1, "agents": ["x"], "engine": engine});
        (at * 1_000, event)
    }

    fn ends(at: i64, step: &str, visit: u32, status: &str) -> (i64, Value) {
        let instance = json!({"step": step, "visit": visit});
        let result = json!({"status": status, "duration_ms": 1});
        (
            at * 1_000,
            json!({"type": "attempt_ended", "instance": instance, "attempt": 1, "result": result}),
        )
    }

    fn settled(at: i64, step: &str, status: &str) -> (i64, Value) {
        (at * 1_000, json!({"type": "settled", "step": step, "status": status}))
    }

    fn completed(at: i64, status: &str) -> (i64, Value) {
        let event = json!({"type": "run_completed", "status": status, "steps_completed": 0, "total_steps_executed": 0});
        (at * 1_000, event)
    }

    #[test]
    fn stages_side_by_side_and_the_time_they_were_queued() {
        let events = [
            queued(0, &["a"]),
            begins(0, "a", 1),
            ends(2, "a", 1, "succeeded"),
            queued(2, &["b", "c"]),
            begins(2, "b", 1),
            begins(5, "c", 1),
            ends(6, "b", 1, "succeeded"),
        ];
        assert_eq!(
            lanes(&events),
            [
                "1 a: Done 0-2",
                "2 b: Done 2-6",
                "3 c: Queued 2-5, Running 5-…",
                "4 d: "
            ]
        );
    }

    #[test]
    fn what_was_cut_off_skipped_and_taken_up_again() {
        let events = [
            queued(0, &["b", "c"]),
            begins(0, "b", 1),
            completed(3, "aborted"),
            (
                10_000,
                json!({"type": "reopened", "by": "Ada", "choices": {"b": "retry"}, "reset": ["b"]}),
            ),
            queued(10, &["b"]),
            begins(11, "b", 2),
            ends(12, "b", 2, "failed"),
            settled(12, "b", "failed"),
            settled(12, "d", "skipped"),
            completed(12, "failed"),
        ];
        assert_eq!(
            lanes(&events),
            [
                "1 a: ",
                "2 b: Aborted 0-3 round 1, Queued 10-11, Failed 11-12 round 2",
                "3 c: Queued 0-3",
                "4 d: Skipped 12-12 skipped"
            ]
        );
    }

    #[test]
    fn branches_of_a_fork_stand_under_one_heading() {
        let text = "key: f\nsteps:\n- id: a\n  routing: {kind: fork, fork_targets: [b, c]}\n- {id: b, routing: {kind: linear, next: d}}\n\
                    - {id: c, routing: {kind: linear, next: d}}\n- {id: d, routing: {kind: join}}\n";
        let document = Document::parse("f.yaml", text);
        let view = timeline(document.workflow(), Log::default().events(), 0);
        let heads: Vec<_> = view.lanes.iter().map(|lane| lane.phase.as_deref()).collect();
        assert_eq!(
            heads,
            [None, Some("2 branches of “A”"), Some("2 branches of “A”"), None]
        );
    }

    #[test]
    fn who_decided_the_way_on_has_a_lane_where_a_navigator_was_asked() {
        let routed = |at: i64, from: &str, to: Value, source: &str| {
            let event = json!({"type": "routed", "from": {"step": from, "visit": 1}, "to": to, "decision": "advance",
                "reason": "linear_default", "source": source});
            (at * 1_000, event)
        };
        let asked = |at: i64, step: &str| {
            let engine =
                json!({"engine": "stub-step", "short": "stub", "mode": "stub", "provider": "local", "model": "stub"});
            let event = json!({"type": "navigator_asked", "instance": {"step": step, "visit": 1}, "navigator": "pilot",
                "engine": engine, "ways": []});
            (at * 1_000, event)
        };
        let answered = |at: i64, step: &str, said: Value| {
            let event = json!({"type": "navigator_answered", "instance": {"step": step, "visit": 1}, "said": said});
            (at * 1_000, event)
        };
        let rules = [
            routed(1, "a", json!("b"), "deterministic"),
            routed(2, "b", Value::Null, "fast_path"),
        ];
        assert_eq!(lanes(&rules).len(), 4, "rules alone have none");
        let events = [
            routed(1, "a", json!("b"), "deterministic"),
            asked(2, "b"),
            asked(3, "c"),
            answered(5, "b", json!({"way": "advance:d"})),
            routed(5, "b", json!("d"), "navigator"),
            answered(6, "c", json!({"refused": "it is not on the list"})),
            routed(9, "c", json!("d"), "escalate"),
            routed(9, "d", json!("a"), "envelope_fallback"),
            asked(10, "a"),
            completed(12, "aborted"),
        ];
        assert_eq!(
            lanes(&events)[4..],
            [
                "Navigator: Done 2-5 after “b”: chose “d”, Aborted 10-12 after “a”",
                "Navigator: Failed 3-6 after “c”: its answer does not count",
                "Way on decided by: Done 1-1 a rule after “a”: on to “b”, Done 5-5 the navigator after “b”: on to “d”, \
                 Done 9-9 a person after “c”: on to “d”, Done 9-9 the step’s signal after “d”: on to “a”",
            ]
        );
    }

    #[test]
    fn two_questions_at_once_have_two_lanes() {
        let gate = |at: i64, step: &str| {
            let event = json!({"type": "gate_opened", "gate": format!("p:{step}:hitl"), "instance": {"step": step, "visit": 1},
                "round": 1, "at": "after", "requirement": "required", "question": "?", "why": "explicit human gate",
                "changes_to": null, "reject_to": null, "approve_to": null});
            (at * 1_000, event)
        };
        let answer = |at: i64, step: &str| {
            let event = json!({"type": "gate_answered", "gate": format!("p:{step}:hitl"), "round": 1, "answer": "approve", "by": "Ada"});
            (at * 1_000, event)
        };
        let events = [gate(1, "b"), gate(2, "c"), answer(3, "b"), gate(4, "d"), answer(6, "c")];
        let all = lanes(&events);
        assert_eq!(
            all[4..],
            ["People: Blocked 1-3 b, Blocked 4-… d", "People: Blocked 2-6 c"]
        );
    }
}
