//! The run over time: a lane per step, a bar per attempt, who decided the way on where a navigator was asked, gate waits for people,
//! idle stretches folded.

use crate::run::log;
use crate::run::view::{BarView, Lane, Tick, TimelineView};
use crate::text::safe;
use crate::view::{Status, StepRef};
use crate::words;
use engine::{
    Answer, Event, ExecutionStatus, GateId, Instance, NavigatorAsked, NavigatorSaid, RouteDecision, RouteSource,
    StageEnd, WayId,
};
use history::Events;
use model::{Routing, StepId, Work, Workflow};
use std::collections::HashMap;
use store::Stored;

/// A stretch without any bar longer than this (milliseconds) and than a quarter of the busy time is folded.
const FOLD_FROM_MS: i64 = 60_000;

/// Where the lanes of navigators begin, that of decisions and those of people: behind those of any steps there may be.
const NAVIGATORS: u32 = 1_000_000_000;
const DECISIONS: u32 = 2_000_000_000;
const PEOPLE: u32 = 3_000_000_000;

/// When what a log tells began: of a run that goes on from another, with that one.
fn began(first: &Stored) -> i64 {
    match &first.event {
        Event::RunCreated(created) => created.earlier().last().map_or(first.at, |earlier| earlier.at).0,
        _ => first.at.0,
    }
}

/// What a log tells over time, event by event.
#[derive(Debug, Default)]
pub struct Timeline {
    /// How many events it has taken up.
    read: usize,
    start: i64,
    /// The time of the event taken up last.
    last: i64,
    /// Whether the run ended with it.
    ended: bool,
    /// One for each step that holds no other, in document order.
    steps: Vec<Row>,
    /// Of a step its lane.
    of: HashMap<StepId, usize>,
    people: People,
    deciding: Deciding,
    ticks: Vec<Tick>,
}

/// A lane that grows.
#[derive(Debug, Default)]
struct Row {
    name: String,
    step: Option<StepRef>,
    phase: Option<String>,
    bars: Vec<BarView>,
    /// Which event changed each of them last.
    changed: Vec<u64>,
    /// Which event took the last one away, where one did, and where it stood.
    taken: Option<(u64, usize)>,
}

impl Row {
    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    fn push(&mut self, bar: BarView, seq: u64) {
        // Where there are several rounds the first one says so too.
        let mut worked = self.bars.iter().enumerate().filter(|(_, bar)| is_work(bar));
        if let (Some((first, one)), None, true) = (worked.next(), worked.next(), is_work(&bar) && self.step.is_some())
            && one.label.is_empty()
        {
            self.bars[first].label = "round 1".into();
            self.changed[first] = seq;
        }
        self.bars.push(bar);
        self.changed.push(seq);
    }

    /// What is open here comes to its end.
    fn close(&mut self, at: i64, seq: u64, status: Status) {
        if let (Some(bar), Some(changed)) = (self.bars.last_mut(), self.changed.last_mut())
            && bar.end.is_none()
        {
            (bar.end, bar.to_seq, bar.status) = (Some(at), Some(seq), status);
            *changed = seq;
        }
    }

    /// A stage that was queued waits no longer. One that had not to wait was not queued for anybody who looks.
    fn called(&mut self, at: i64, seq: u64) {
        let Some(bar) = self
            .bars
            .last()
            .filter(|bar| bar.status == Status::Queued && bar.end.is_none())
        else {
            return;
        };
        match bar.start == at {
            true => {
                self.bars.pop();
                self.changed.pop();
                self.taken = Some((seq, self.bars.len()));
            }
            false => self.close(at, seq, Status::Queued),
        }
    }

    fn is_free(&self) -> bool {
        self.bars.last().is_none_or(|bar| bar.end.is_some())
    }

    /// It with the bars that whoever knows it as of `after` has not, or not so; `None`: it has all of them.
    fn since(&self, place: u32, after: Option<u64>) -> Option<Lane> {
        let from = match after {
            None => 0,
            Some(after) => {
                let changed = self.changed.iter().position(|seq| *seq > after);
                let taken = self.taken.filter(|(seq, _)| *seq > after).map(|(_, at)| at);
                [changed, taken].into_iter().flatten().min()?
            }
        };
        Some(Lane {
            place,
            step: self.step.clone(),
            name: self.name.clone(),
            from: u32::try_from(from).unwrap_or(u32::MAX),
            bars: self.bars.get(from..).unwrap_or_default().to_vec(),
            phase: self.phase.clone(),
        })
    }
}

impl Timeline {
    /// That of a log without events.
    pub fn new(workflow: &Workflow) -> Self {
        // What holds other steps is at work only in them.
        let of: Vec<_> = workflow.steps().iter().filter(|s| s.work != Work::Group).collect();
        let beside = branches(workflow);
        Self {
            of: (of.iter().enumerate().rev())
                .map(|(lane, s)| (s.id.clone(), lane))
                .collect(),
            steps: (of.iter())
                .map(|s| Row {
                    step: Some(words::of_step(s)),
                    name: words::numbered(s),
                    phase: s.phase.clone().or_else(|| beside.get(&s.ordinal).cloned()),
                    ..Row::default()
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Takes up what came since.
    pub fn catch_up(&mut self, workflow: &Workflow, events: Events<'_>) {
        for (place, stored) in events.from(self.read).enumerate() {
            let place = self.read + place;
            self.push(workflow, events.prefix(place), stored);
        }
        self.read = self.read.max(events.len());
    }

    fn lane(&mut self, step: &StepId) -> Option<&mut Row> {
        self.steps.get_mut(*self.of.get(step)?)
    }

    fn push(&mut self, workflow: &Workflow, before: Events<'_>, e: &Stored) {
        // The axis follows the log: its first event stands before those that were taken over.
        let at = match before.is_empty() {
            true => {
                self.start = began(e);
                self.start
            }
            false => e.at.0,
        };
        (self.last, self.ended) = (e.at.0, matches!(e.event, Event::RunCompleted(_)));
        let seq = e.seq;
        match &e.event {
            Event::AttemptStarted(started) => {
                let round = (started.instance.visit > 1).then(|| format!("round {}", started.instance.visit));
                let attempt = (started.attempt > 1).then(|| format!("attempt {}", started.attempt));
                let label: Vec<String> = [round, attempt].into_iter().flatten().collect();
                if let Some(lane) = self.lane(&started.instance.step) {
                    lane.called(at, seq);
                    lane.push(open(at, seq, Status::Running, label.join(", ")), seq);
                }
            }
            Event::AttemptEnded { instance, result, .. } => {
                let status = match result.status {
                    ExecutionStatus::Succeeded => Status::Done,
                    ExecutionStatus::Failed => Status::Failed,
                    ExecutionStatus::Skipped => Status::Skipped,
                    ExecutionStatus::Blocked => Status::Blocked,
                };
                let lane = self.lane(&instance.step);
                lane.into_iter().for_each(|lane| lane.close(at, seq, status));
            }
            Event::AttemptInterrupted { instance, .. } => {
                let lane = self.lane(&instance.step);
                lane.into_iter().for_each(|lane| lane.close(at, seq, Status::Aborted));
            }
            Event::GateOpened(opened) => {
                let name = words::step_ref(workflow, &opened.instance.step).name;
                self.people.asked(&opened.gate, open(at, seq, Status::Blocked, name));
            }
            Event::GateAnswered(decision) => {
                let refused = decision.answer == Answer::Reject;
                let status = if refused { Status::Refused } else { Status::Blocked };
                self.people.answered(&decision.gate, at, seq, status);
            }
            Event::NavigatorAsked(asked) => self.deciding.asked(workflow, asked, at, seq),
            Event::NavigatorAnswered { instance, said } => self.deciding.answered(workflow, instance, said, at, seq),
            Event::Routed(route) => self.deciding.decided(workflow, route, at, seq),
            Event::Queued { steps } => {
                for step in steps {
                    let lane = self.lane(step);
                    lane.into_iter()
                        .for_each(|lane| lane.push(open(at, seq, Status::Queued, String::new()), seq));
                }
            }
            Event::Settled(settled) => {
                if let Some(lane) = self.lane(&settled.step) {
                    lane.called(at, seq);
                    match settled.status {
                        StageEnd::Skipped => {
                            let bar = open(at, seq, Status::Skipped, "skipped".into());
                            let (end, to_seq) = (Some(at), Some(seq));
                            lane.push(BarView { end, to_seq, ..bar }, seq);
                        }
                        StageEnd::Aborted => lane.close(at, seq, Status::Aborted),
                        StageEnd::Completed | StageEnd::Failed => {}
                    }
                }
            }
            Event::RunCompleted(_) => {
                for lane in &mut self.steps {
                    lane.called(at, seq);
                    lane.close(at, seq, Status::Aborted);
                }
                self.people.leave(at, seq);
                self.deciding.leave(at, seq);
            }
            _ => {}
        }
        if let Some(tick) = tick(workflow, before, e) {
            self.ticks.push(Tick { at, ..tick });
        }
    }

    /// What whoever knows it as of the event `after` has not; absent: all of it. `now` closes what is still open.
    pub fn since(&self, after: Option<u64>, now: i64) -> TimelineView {
        let start = if self.read == 0 { now } else { self.start };
        let end = if self.ended { self.last } else { now.max(start) };
        let of = |group: u32, rows: &'_ [Row]| -> Vec<Lane> {
            let rows = (0..).zip(rows);
            rows.filter_map(|(at, row): (u32, &Row)| row.since(group + at, after))
                .collect()
        };
        let mut lanes = of(0, &self.steps);
        lanes.extend(of(NAVIGATORS, &self.deciding.asked));
        // Where no navigator was asked the rules decided, which the why-cards say: there is no lane.
        if !self.deciding.asked.is_empty() {
            // It is new with the first who was asked.
            let known = after.filter(|after| self.deciding.first.is_some_and(|first| first <= *after));
            lanes.extend(self.deciding.decisions.since(DECISIONS, known));
        }
        lanes.extend(of(PEOPLE, &self.people.lanes));
        let known = after.map_or(0, |after| self.ticks.partition_point(|tick| tick.seq <= after));
        let work = self.steps.iter().chain(&self.deciding.asked);
        TimelineView {
            start,
            end,
            after,
            at: u64::try_from(self.read).unwrap_or(u64::MAX),
            lanes,
            ticks: self.ticks[known..].to_vec(),
            gaps: gaps(work.flat_map(|row| &row.bars), start, end),
        }
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

/// Who is asked: of questions that are open at the same time each has a lane of its own.
#[derive(Debug, Default)]
struct People {
    lanes: Vec<Row>,
    /// Of each open gate its lane.
    open: HashMap<GateId, usize>,
}

impl People {
    fn asked(&mut self, gate: &GateId, bar: BarView) {
        let lane = self.lanes.iter().position(Row::is_free).unwrap_or_else(|| {
            self.lanes.push(Row::named("People"));
            self.lanes.len() - 1
        });
        let seq = bar.from_seq;
        self.lanes[lane].push(bar, seq);
        self.open.insert(gate.clone(), lane);
    }

    fn answered(&mut self, gate: &GateId, at: i64, seq: u64, status: Status) {
        if let Some(lane) = self.open.remove(gate) {
            self.lanes[lane].close(at, seq, status);
        }
    }

    /// Nobody is asked any more.
    fn leave(&mut self, at: i64, seq: u64) {
        self.open.clear();
        for lane in &mut self.lanes {
            lane.close(at, seq, Status::Aborted);
        }
    }
}

/// Who decided where the run goes on, of a run whose navigator was asked: what it took to say so, and each decision in the moment in which
/// it was made, by whoever made it.
#[derive(Debug)]
struct Deciding {
    /// How long each navigator thought; of branches several may be asked at once.
    asked: Vec<Row>,
    /// Which of those lanes is about which visit.
    open: Vec<(Instance, usize)>,
    /// The event with which one was asked first.
    first: Option<u64>,
    decisions: Row,
}

impl Default for Deciding {
    fn default() -> Self {
        Self {
            asked: Vec::new(),
            open: Vec::new(),
            first: None,
            decisions: Row::named("Way on decided by"),
        }
    }
}

impl Deciding {
    fn asked(&mut self, workflow: &Workflow, asked: &NavigatorAsked, at: i64, seq: u64) {
        self.first.get_or_insert(seq);
        let lane = self.asked.iter().position(Row::is_free).unwrap_or_else(|| {
            self.asked.push(Row::named("Navigator"));
            self.asked.len() - 1
        });
        let label = after(workflow, &asked.instance.step);
        self.asked[lane].push(open(at, seq, Status::Running, label), seq);
        self.open.push((asked.instance.clone(), lane));
    }

    fn answered(&mut self, workflow: &Workflow, instance: &Instance, said: &NavigatorSaid, at: i64, seq: u64) {
        let Some(place) = self.open.iter().position(|(open, _)| open == instance) else {
            return;
        };
        let (_, lane) = self.open.swap_remove(place);
        let (status, what) = match (&said.refused, &said.way) {
            (None, Some(way)) => {
                let name = WayId::from(way.as_str()).name;
                let leads = name.as_deref().and_then(|name| workflow.step(&name.into()));
                let called = leads.map(|step| words::of_step(step).name);
                let called = called.unwrap_or_else(|| safe::visible(name.as_deref().unwrap_or(way)));
                (Status::Done, format!("chose “{called}”"))
            }
            (Some(_), _) => (Status::Failed, "its answer does not count".to_owned()),
            (None, None) => (Status::Failed, "chose none".to_owned()),
        };
        self.asked[lane].close(at, seq, status);
        if let Some(bar) = self.asked[lane].bars.last_mut() {
            bar.label = format!("{}: {what}", after(workflow, &instance.step));
        }
    }

    fn decided(&mut self, workflow: &Workflow, route: &RouteDecision, at: i64, seq: u64) {
        let to = match &route.to {
            Some(to) => format!("on to “{}”", words::step_ref(workflow, to).name),
            None => "the end".to_owned(),
        };
        let label = format!("{} {}: {to}", who(route.source), after(workflow, &route.from.step));
        let bar = open(at, seq, Status::Done, label);
        let (end, to_seq) = (Some(at), Some(seq));
        self.decisions.push(BarView { end, to_seq, ..bar }, seq);
    }

    /// A navigator that was asked when the run ended says nothing any more.
    fn leave(&mut self, at: i64, seq: u64) {
        self.open.clear();
        for lane in &mut self.asked {
            lane.close(at, seq, Status::Aborted);
        }
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
fn gaps<'a>(bars: impl Iterator<Item = &'a BarView>, start: i64, end: i64) -> Vec<(i64, i64)> {
    let mut busy: Vec<(i64, i64)> = bars
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

    /// All of it; on the way there whoever knows it as of any event is told what makes it the same as of any later one.
    fn whole(workflow: &Workflow, events: Events<'_>) -> TimelineView {
        let mut timeline = Timeline::new(workflow);
        let mut known = vec![timeline.since(None, 99_000)];
        for len in 1..=events.len() {
            timeline.catch_up(workflow, events.prefix(len));
            let all = timeline.since(None, 99_000);
            for (at, known) in (0..).zip(&known) {
                let told = timeline.since(Some(at), 99_000);
                assert_eq!(together(known.clone(), told), all, "{at} to {len}");
            }
            known.push(all);
        }
        known.pop().expect("one")
    }

    /// What was known and what is told besides, put together as a window does it.
    fn together(known: TimelineView, told: TimelineView) -> TimelineView {
        let mut lanes: std::collections::BTreeMap<u32, Lane> =
            known.lanes.into_iter().map(|lane| (lane.place, lane)).collect();
        for lane in told.lanes {
            let before = lanes.remove(&lane.place).map_or_else(Vec::new, |lane| lane.bars);
            let kept = before.into_iter().take(lane.from as usize);
            let bars = kept.chain(lane.bars.iter().cloned()).collect();
            lanes.insert(lane.place, Lane { bars, from: 0, ..lane });
        }
        TimelineView {
            after: None,
            lanes: lanes.into_values().collect(),
            ticks: known.ticks.into_iter().chain(told.ticks).collect(),
            ..told
        }
    }

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
        let view = whole(document.workflow(), stored.events());
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
        let view = whole(document.workflow(), Log::default().events());
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
