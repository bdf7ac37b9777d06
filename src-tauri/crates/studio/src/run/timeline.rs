//! The run over time: a lane per step, a bar per attempt, who decided the way on where a navigator was asked, gate waits for people,
//! idle stretches folded.

use crate::gate::asking;
use crate::run::instances::Begun;
use crate::run::log;
use crate::run::view::{BarView, Lane, TakenOverView, Ticks, TimelineView, WaitInside};
use crate::text::safe;
use crate::view::{Status, StepRef};
use crate::words;
use engine::{
    At, Decision, Event, ExecutionStatus, GateId, GateOpened, Instance, NavigatorAsked, NavigatorSaid, RouteDecision,
    RouteSource, RunCreated, StageEnd, WayId,
};
use history::Events;
use model::{Routing, StepId, Work, Workflow};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use store::Stored;

/// A stretch without any bar longer than this (milliseconds) and than a quarter of the busy time is folded.
const FOLD_FROM_MS: i64 = 60_000;

/// A piece tells of at most so many events, so that no answer is long however long the run is.
pub const PIECE: u64 = 50_000;

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
    /// Of a run that goes on from another: what it was created from, and when.
    goes_on: Option<(Arc<RunCreated>, At)>,
    start: i64,
    /// Until when the run had come ([`engine::RunState::moved_at`]).
    last: i64,
    /// Whether the run ended with it.
    ended: bool,
    /// When it ended last, until it is taken up again.
    rests_since: Option<i64>,
    /// From when to when it had ended and was not yet taken up again.
    rests: Vec<(i64, i64)>,
    /// Whether a step was ever queued.
    queued: bool,
    /// One for each step that holds no other, in document order.
    steps: Vec<Row>,
    /// Of a step its lane.
    of: HashMap<StepId, usize>,
    people: People,
    deciding: Deciding,
    ticks: Vec<Tick>,
    /// By lane, from when to when the runs inside its step waited for people, in order. It stands in their logs, and is told from outside.
    inside: BTreeMap<usize, Vec<(i64, i64)>>,
}

/// An event that is told of.
#[derive(Debug, Clone, Copy)]
struct Tick {
    seq: u64,
    at: i64,
    /// The lane of the step that is meant.
    lane: Option<u32>,
}

/// A lane that grows.
#[derive(Debug, Default)]
struct Row {
    name: String,
    step: Option<StepRef>,
    phase: Option<String>,
    bars: Vec<BarView>,
    /// Which event changed each of them last, or one before it: they ascend, so that what is new is found by halving.
    changed: Vec<u64>,
    /// Which event took the last one away, where one did, and where it stood.
    taken: Option<(u64, usize)>,
    /// How often its work has begun.
    begun: Begun,
}

impl Row {
    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    fn push(&mut self, bar: BarView, seq: u64) {
        // What is done several times says so of the first one too.
        let mut worked = self.bars.iter().enumerate().filter(|(_, bar)| is_work(bar));
        if let (Some((first, one)), None, true) = (worked.next(), worked.next(), is_work(&bar) && self.step.is_some())
            && one.label.is_empty()
        {
            self.bars[first].label = words::nth_time(1);
            self.changed[first..].fill(seq);
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

    /// The run goes on from another one, which left this open: it waits, in this run, since then.
    fn waits_since(&mut self, at: i64, seq: u64) {
        if let (Some(bar), Some(changed)) = (self.bars.last_mut(), self.changed.last_mut())
            && bar.end.is_none()
        {
            (bar.start, bar.from_seq, *changed) = (at, seq, seq);
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

    /// It with the bars that changed last behind `after` and not behind `until`: whoever is told of it up to one event after another has all
    /// of it in the end. `None`: there is none, and none is taken away.
    fn between(&self, place: u32, after: Option<u64>, until: u64) -> Option<Lane> {
        let known = |seq: u64| self.changed.partition_point(|changed| *changed <= seq);
        let to = known(until);
        let from = match after {
            None => 0,
            Some(after) => {
                let taken = self.taken.filter(|(seq, _)| (after + 1..=until).contains(seq));
                let changed = Some(known(after)).filter(|from| *from < to);
                [changed, taken.map(|(_, at)| at)].into_iter().flatten().min()?
            }
        };
        Some(Lane {
            place,
            step: self.step.clone(),
            name: self.name.clone(),
            from: u32::try_from(from).unwrap_or(u32::MAX),
            bars: self.bars.get(from..to).unwrap_or_default().to_vec(),
            phase: self.phase.clone(),
        })
    }
}

impl Timeline {
    /// That of a log without events.
    pub fn new(workflow: &Workflow, created: Option<&RunCreated>) -> Self {
        // What holds other steps is at work only in them.
        let of: Vec<_> = workflow.steps().iter().filter(|s| s.work != Work::Group).collect();
        let beside = branches(workflow);
        Self {
            of: (of.iter().enumerate().rev())
                .map(|(lane, s)| (s.id.clone(), lane))
                .collect(),
            steps: (of.iter())
                .map(|s| {
                    let told = engine::gate::as_asked(workflow, created, s);
                    Row {
                        step: Some(words::of_step(&told)),
                        name: words::numbered(&told),
                        phase: s.phase.clone().or_else(|| beside.get(&s.ordinal).cloned()),
                        ..Row::default()
                    }
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Takes up what came since.
    pub fn catch_up(&mut self, workflow: &Workflow, events: Events<'_>) {
        for stored in events.from(self.read) {
            self.push(workflow, stored);
        }
    }

    fn lane(&mut self, step: &StepId) -> Option<&mut Row> {
        self.steps.get_mut(*self.of.get(step)?)
    }

    fn push(&mut self, workflow: &Workflow, e: &Stored) {
        // The axis follows the log: its first event stands before those that were taken over.
        let at = match self.read {
            0 => {
                self.start = began(e);
                self.start
            }
            _ => e.at.0,
        };
        if let (0, Event::RunCreated(created)) = (self.read, &e.event) {
            self.goes_on = created.continues.is_some().then(|| (Arc::clone(created), e.at));
        }
        self.read += 1;
        // Until somebody took the run up nobody was at work: nothing of it lasts until then.
        if matches!(e.event, Event::TakenUp { .. }) {
            return;
        }
        (self.last, self.ended) = (e.at.0, matches!(e.event, Event::RunCompleted(_)));
        let seq = e.seq;
        // An answer names its gate alone.
        let mut meant = None;
        match &e.event {
            Event::AttemptStarted(started) => {
                let attempt = (started.attempt > 1).then(|| format!("attempt {}", started.attempt));
                if let Some(lane) = self.lane(&started.instance.step) {
                    let nth = lane.begun.nth(started.instance.visit);
                    let time = (nth > 1).then(|| words::nth_time(nth));
                    let label: Vec<String> = [time, attempt].into_iter().flatten().collect();
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
            Event::AttemptInterrupted { instance, seen, .. } => {
                let until = seen.map_or(at, |seen| seen.0);
                let lane = self.lane(&instance.step);
                lane.into_iter()
                    .for_each(|lane| lane.close(until, seq, Status::Aborted));
            }
            Event::GateOpened(opened) => {
                let name = words::step_ref(workflow, &opened.instance.step).name;
                self.people.asked(opened, open(at, seq, Status::Blocked, name));
            }
            Event::GateAnswered(decision) => {
                meant = self.people.answered(workflow, decision, at, seq);
            }
            Event::NavigatorAsked(asked) => self.deciding.asked(workflow, asked, at, seq),
            Event::NavigatorAnswered { instance, said } => self.deciding.answered(workflow, instance, said, at, seq),
            Event::Routed(route) => self.deciding.decided(workflow, route, at, seq),
            Event::Queued { steps } => {
                self.queued = true;
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
                        // It began, and the bar of its work says how it ended.
                        StageEnd::Skipped if settled.is_left_out_by_agent() => {}
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
            Event::Reopened { .. } => {
                let rest = self.rests_since.take().filter(|since| *since < at);
                self.rests.extend(rest.map(|since| (since, at)));
            }
            Event::RunCompleted(_) => {
                self.rests_since = Some(at);
                for lane in &mut self.steps {
                    lane.called(at, seq);
                    lane.close(at, seq, Status::Aborted);
                }
                self.people.leave(at, seq);
                self.deciding.leave(at, seq);
            }
            _ => {}
        }
        if !matches!(e.event, Event::Output { .. }) {
            let (_, step) = log::kind(&e.event);
            let lane = step.or(meant.as_ref()).and_then(|step| self.of.get(step));
            let lane = lane.and_then(|lane| u32::try_from(*lane).ok());
            self.ticks.push(Tick { seq, at, lane });
        }
        let went_on = |(created, at): &(Arc<RunCreated>, At)| created.went_on(seq, Some(*at));
        if let Some(began) = self.goes_on.as_ref().and_then(went_on) {
            self.go_on(began.0, at, seq);
        }
    }

    /// All that was recorded in the run before is told with this event. `began`: when the run was created that goes on; `at`: when the event was.
    fn go_on(&mut self, began: i64, at: i64, seq: u64) {
        for lane in &mut self.steps {
            match lane.bars.last().is_some_and(|bar| bar.status == Status::Queued) {
                true => lane.waits_since(began, seq),
                // What was at work is cut off: it is begun anew.
                false => lane.close(at, seq, Status::Aborted),
            }
        }
        let asked = self.people.lanes.iter_mut().chain(&mut self.deciding.asked);
        asked.for_each(|lane| lane.waits_since(began, seq));
        self.last = began;
    }

    /// Which events were taken over from which run.
    fn taken_over(&self) -> Vec<TakenOverView> {
        let Some((created, _)) = &self.goes_on else {
            return Vec::new();
        };
        let taken = created.taken_over().into_iter();
        taken
            .map(|(run, events)| TakenOverView {
                words: words::taken_over_from(run, &events),
                first: *events.start(),
                last: *events.end(),
            })
            .collect()
    }

    /// Takes up when the runs inside its steps waited for people, as far as that is known by now: by step, in order, none touching another.
    pub fn waited_inside(&mut self, waits: &BTreeMap<StepId, Vec<(At, At)>>) {
        let of_lane = waits.iter().filter_map(|(step, waits)| {
            let waits: Vec<(i64, i64)> = waits.iter().map(|(from, until)| (from.0, until.0)).collect();
            Some((*self.of.get(step)?, waits))
        });
        self.inside = of_lane.collect();
    }

    /// Those waits as far as bars lie there. `end`: where the time ends.
    fn waits(&self, end: i64) -> Vec<WaitInside> {
        let mut told = Vec::new();
        for (lane, waits) in &self.inside {
            let (Some(row), Ok(place)) = (self.steps.get(*lane), u32::try_from(*lane)) else {
                continue;
            };
            for (from, until) in waits {
                let ends = |bar: &BarView| bar.end.unwrap_or(end);
                let first = row.bars.partition_point(|bar| ends(bar) <= *from);
                let bars = row.bars.iter().skip(first).take_while(|bar| bar.start < *until);
                told.extend(bars.filter(|bar| is_work(bar)).map(|bar| WaitInside {
                    place,
                    start: bar.start.max(*from),
                    end: bar.end.or((*until < end).then_some(*until)).map(|at| at.min(*until)),
                }));
            }
        }
        told
    }

    /// From when to when something was at work.
    fn busy(&self, end: i64) -> Vec<(i64, i64)> {
        let mut busy = Vec::new();
        for (lane, row) in self.steps.iter().enumerate() {
            let waits = self.inside.get(&lane).map(Vec::as_slice).unwrap_or_default();
            worked(&row.bars, waits, end, &mut busy);
        }
        for row in &self.deciding.asked {
            worked(&row.bars, &[], end, &mut busy);
        }
        busy
    }

    /// What whoever knows it as of the event `after` has not (absent: nothing is known), up to `most` events behind it. `now` closes what
    /// is still open. Whoever asks for one piece after the other has all of it with the last; until then a bar that changes again later is
    /// not among those told.
    pub fn piece(&self, after: Option<u64>, most: u64, now: i64) -> TimelineView {
        let start = if self.read == 0 { now } else { self.start };
        // A clock that was put back since stands before what is recorded already.
        let end = match self.ended || self.read == 0 {
            true => self.last.max(start),
            false => now.max(self.last),
        };
        let last = u64::try_from(self.read).unwrap_or(u64::MAX);
        let until = after.unwrap_or(0).saturating_add(most).min(last);
        let of = |group: u32, rows: &'_ [Row]| -> Vec<Lane> {
            let rows = (0..).zip(rows);
            rows.filter_map(|(at, row): (u32, &Row)| row.between(group + at, after, until))
                .collect()
        };
        let mut lanes = of(0, &self.steps);
        lanes.extend(of(NAVIGATORS, &self.deciding.asked));
        // Where no navigator was asked the rules decided, which the why-cards say: there is no lane. It is new, with all that was decided
        // before, with the first who was asked.
        if let Some(first) = self.deciding.first.filter(|first| *first <= until) {
            let known = after.filter(|after| first <= *after);
            lanes.extend(self.deciding.decisions.between(DECISIONS, known, until));
        }
        lanes.extend(of(PEOPLE, &self.people.lanes));
        let known = |seq: u64| self.ticks.partition_point(|tick| tick.seq <= seq);
        let is_last = until == last;
        TimelineView {
            start,
            end,
            after,
            at: until,
            last,
            lanes,
            ticks: columns(&self.ticks[known(after.unwrap_or(0))..known(until)]),
            queued: self.queued,
            gaps: match is_last {
                true => gaps(self.busy(end), &self.rests, start, end),
                false => Vec::new(),
            },
            rests: match is_last {
                true => self.rests.clone(),
                false => Vec::new(),
            },
            waits_inside: match is_last {
                true => self.waits(end),
                false => Vec::new(),
            },
            taken_over: self.taken_over(),
        }
    }
}

fn columns(ticks: &[Tick]) -> Ticks {
    let before = std::iter::once((0, 0)).chain(ticks.iter().map(|tick| (tick.seq, tick.at)));
    let mut columns = Ticks::default();
    for (tick, (seq, at)) in ticks.iter().zip(before) {
        columns.seq.push(tick.seq - seq);
        columns.at.push(tick.at - at);
        columns.lane.push(tick.lane);
    }
    columns
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
        answer: None,
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
    /// Of each open gate its lane, and what was asked.
    open: HashMap<GateId, (usize, Box<GateOpened>)>,
}

impl People {
    fn asked(&mut self, opened: &GateOpened, bar: BarView) {
        let lane = self.lanes.iter().position(Row::is_free).unwrap_or_else(|| {
            self.lanes.push(Row::named("People"));
            self.lanes.len() - 1
        });
        let seq = bar.from_seq;
        self.lanes[lane].push(bar, seq);
        self.open.insert(opened.gate.clone(), (lane, Box::new(opened.clone())));
    }

    /// Gives the step that was asked about.
    fn answered(&mut self, workflow: &Workflow, decision: &Decision, at: i64, seq: u64) -> Option<StepId> {
        let (lane, opened) = self.open.remove(&decision.gate)?;
        let lane = &mut self.lanes[lane];
        lane.close(at, seq, asking::look(workflow, &opened, decision));
        if let Some(bar) = lane.bars.last_mut() {
            bar.answer = Some(asking::answered_in(&opened, decision));
        }
        Some(opened.instance.step)
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

/// From when to when a lane was at work: its bars, but for the stretches in which the runs inside waited for people.
fn worked(bars: &[BarView], waits: &[(i64, i64)], end: i64, busy: &mut Vec<(i64, i64)>) {
    for bar in bars.iter().filter(|bar| is_work(bar)) {
        let (mut from, to) = (bar.start, bar.end.unwrap_or(end));
        let first = waits.partition_point(|(_, until)| *until <= from);
        for (asked, until) in waits.iter().skip(first).take_while(|(asked, _)| *asked < to) {
            if *asked > from {
                busy.push((from, *asked));
            }
            from = from.max(*until);
        }
        if from <= to {
            busy.push((from, to));
        }
    }
}

/// Idle stretches: no attempt runs. Waiting for a person counts as idle, so that two hours of waiting do not hide
/// two seconds of work. What lies before an end and after it are two stretches: in between the run was at rest, and waited for nobody.
pub(crate) fn gaps(mut busy: Vec<(i64, i64)>, rests: &[(i64, i64)], start: i64, end: i64) -> Vec<(i64, i64)> {
    let total: i64 = busy.iter().map(|(a, b)| b - a).sum();
    busy.extend(rests);
    busy.sort_unstable();
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
    use history::Log;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const TEXT: &str = "name: n\nstages:\n- {name: a, agents: [x]}\n- {name: b, agents: [x], parallel: true, depends_on: [a]}\n\
                        - {name: c, agents: [x], parallel: true, depends_on: [a]}\n- {name: d, agents: [x], depends_on: [b, c]}\n";

    /// Most events of a piece, in turn.
    const PIECES: [u64; 3] = [1, 3, PIECE];

    fn all(timeline: &Timeline) -> TimelineView {
        timeline.piece(None, u64::MAX, 99_000)
    }

    /// All of it; on the way there whoever knows it as of any event is told what makes it the same as of any later one, however small the
    /// pieces are.
    fn whole(workflow: &Workflow, events: Events<'_>) -> TimelineView {
        let mut timeline = Timeline::new(workflow, None);
        let mut known = vec![all(&timeline)];
        for len in 1..=events.len() {
            timeline.catch_up(workflow, events.prefix(len));
            let all = all(&timeline);
            for most in PIECES {
                let mut from_nothing = timeline.piece(None, most, 99_000);
                assert_eq!(from_nothing.last, len as u64);
                follow(&timeline, &mut from_nothing, most);
                assert_eq!(from_nothing, all, "by {most} to {len}");
                for (at, known) in (0..).zip(&known) {
                    let mut known = TimelineView {
                        last: u64::MAX,
                        ..known.clone()
                    };
                    follow(&timeline, &mut known, most);
                    assert_eq!(known, all, "{at} by {most} to {len}");
                }
            }
            known.push(all);
        }
        known.pop().expect("one")
    }

    /// Asks for one piece after the other until all is known.
    fn follow(timeline: &Timeline, known: &mut TimelineView, most: u64) {
        while known.at < known.last {
            let told = timeline.piece(Some(known.at), most, 99_000);
            assert!(told.at > known.at && told.at - known.at <= most);
            *known = together(known.clone(), told);
        }
    }

    /// What was known and what is told besides, put together as a window does it.
    fn together(known: TimelineView, told: TimelineView) -> TimelineView {
        let mut lanes: BTreeMap<u32, Lane> = known.lanes.into_iter().map(|lane| (lane.place, lane)).collect();
        for lane in told.lanes {
            let before = lanes.remove(&lane.place).map_or_else(Vec::new, |lane| lane.bars);
            let kept = before.into_iter().take(lane.from as usize);
            let bars = kept.chain(lane.bars.iter().cloned()).collect();
            lanes.insert(lane.place, Lane { bars, from: 0, ..lane });
        }
        let all = ticks(&known.ticks).into_iter().chain(ticks(&told.ticks));
        TimelineView {
            after: None,
            lanes: lanes.into_values().collect(),
            ticks: columns(&all.collect::<Vec<_>>()),
            ..told
        }
    }

    fn ticks(columns: &Ticks) -> Vec<Tick> {
        let each = columns.seq.iter().zip(&columns.at).zip(&columns.lane);
        let sums = each.scan((0, 0), |(seq, at), ((more, later), lane)| {
            (*seq, *at) = (*seq + more, *at + later);
            let (seq, at, lane) = (*seq, *at, *lane);
            Some(Tick { seq, at, lane })
        });
        sums.collect()
    }

    fn log(events: &[(i64, Value)]) -> Log {
        (events.iter().zip(1..))
            .map(|((at, event), seq)| Stored {
                seq,
                at: At(*at),
                event: serde_json::from_value(event.clone()).expect("an event"),
                hash: [0; 32],
                fits: true,
            })
            .collect()
    }

    /// Of each lane its name and its bars: `status from-to label`.
    fn lanes(events: &[(i64, Value)]) -> Vec<String> {
        let document = Document::parse("p.yaml", TEXT);
        let view = whole(document.workflow(), log(events).events());
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

    fn reopened(at: i64) -> (i64, Value) {
        let event = json!({"type": "reopened", "by": "Ada", "choices": {"b": "retry"}, "reset": ["b"]});
        (at * 1_000, event)
    }

    fn routed(at: i64, from: &str, to: Value, source: &str) -> (i64, Value) {
        let event = json!({"type": "routed", "from": {"step": from, "visit": 1}, "to": to, "decision": "advance",
            "reason": "linear_default", "source": source});
        (at * 1_000, event)
    }

    fn navigator(at: i64, step: &str) -> (i64, Value) {
        let engine =
            json!({"engine": "stub-step", "short": "stub", "mode": "stub", "provider": "local", "model": "stub"});
        let event = json!({"type": "navigator_asked", "instance": {"step": step, "visit": 1}, "navigator": "pilot",
            "engine": engine, "ways": []});
        (at * 1_000, event)
    }

    fn chose(at: i64, step: &str, said: Value) -> (i64, Value) {
        let event = json!({"type": "navigator_answered", "instance": {"step": step, "visit": 1}, "said": said});
        (at * 1_000, event)
    }

    fn gate(at: i64, step: &str) -> (i64, Value) {
        let event = json!({"type": "gate_opened", "gate": format!("p:{step}:hitl"), "instance": {"step": step, "visit": 1},
            "round": 1, "at": "after", "requirement": "required", "question": "?", "why": "explicit human gate",
            "changes_to": null, "reject_to": null, "approve_to": null});
        (at * 1_000, event)
    }

    fn answer(at: i64, step: &str) -> (i64, Value) {
        let event = json!({"type": "gate_answered", "gate": format!("p:{step}:hitl"), "round": 1, "answer": "approve", "by": "Ada"});
        (at * 1_000, event)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Whatever happens, in whatever order: also what no run would do.
        #[test]
        fn any_run_told_by_piece_is_the_whole_of_it(happened in prop::collection::vec((0..12, 0..4_usize, 0..3_i64), 1..20)) {
            let mut at = 0;
            let events: Vec<_> = (happened.into_iter().zip(1..)).map(|((what, step, later), visit)| {
                at += later;
                let step = ["a", "b", "c", "d"][step];
                match what {
                    0 => queued(at, &[step, "b"]),
                    1 => begins(at, step, visit),
                    2 => ends(at, step, visit, "failed"),
                    3 => settled(at, step, "completed"),
                    4 => settled(at, step, "skipped"),
                    5 => gate(at, step),
                    6 => answer(at, step),
                    7 => navigator(at, step),
                    8 => chose(at, step, json!({"way": "advance:d"})),
                    9 => routed(at, step, json!("d"), "fast_path"),
                    10 => completed(at, "aborted"),
                    _ => reopened(at),
                }
            }).collect();
            whole(Document::parse("p.yaml", TEXT).workflow(), log(&events).events());
        }
    }

    #[test]
    fn a_piece_is_no_longer_than_the_events_that_it_is_of() {
        let turn = |n: i64| {
            let visit = u32::try_from(n).expect("small");
            [
                begins(n, "a", visit),
                ends(n, "a", visit, "succeeded"),
                gate(n, "b"),
                answer(n, "b"),
            ]
        };
        let log = log(&(1..=250).flat_map(turn).collect::<Vec<_>>());
        let document = Document::parse("p.yaml", TEXT);
        let mut timeline = Timeline::new(document.workflow(), None);
        timeline.catch_up(document.workflow(), log.events());
        for after in [None, Some(400), Some(950)] {
            let piece = timeline.piece(after, 100, 0);
            assert_eq!(piece.at, (after.unwrap_or(0) + 100).min(1_000));
            let bars: usize = piece.lanes.iter().map(|lane| lane.bars.len()).sum();
            assert!(
                bars <= 51 && piece.ticks.seq.len() <= 100,
                "{bars} bars after {after:?}"
            );
        }
    }

    /// A run that goes back to the moment at which somebody was asked, long after it.
    #[test]
    fn what_was_taken_over_is_told_and_nobody_waits_before_the_run_began() {
        let document = Document::parse("p.yaml", TEXT);
        let workflow = document.workflow();
        let earlier = RunCreated::new("first", workflow, "p.yaml", "0", "test");
        let mut created = RunCreated::new("second", workflow, "p.yaml", "0", "test");
        created.continues = Some(Arc::new(engine::Continued {
            at: At(0),
            created: Arc::new(earlier),
            events: 5,
            link: String::new(),
            back_to: Some("?".to_owned()),
            put_back: Vec::new(),
            working: Vec::new(),
            ungated: Vec::new(),
        }));
        let first = serde_json::to_value(Event::RunCreated(Arc::new(created))).expect("written");
        let events = [
            (600_000, first),
            begins(1, "a", 1),
            ends(2, "a", 1, "succeeded"),
            begins(3, "b", 1),
            gate(4, "c"),
            answer(630, "c"),
            begins(631, "b", 1),
        ];
        let view = whole(workflow, log(&events).events());
        assert_eq!(view.start, 0, "the axis begins with what was taken over");
        let taken: Vec<_> = view
            .taken_over
            .iter()
            .map(|one| (one.words.as_str(), one.first, one.last))
            .collect();
        assert_eq!(taken, [("Taken over from run first (events 2 to 5)", 2, 5)]);
        let bars = |name: &str| -> Vec<(i64, Option<i64>, u64)> {
            let lane = view.lanes.iter().find(|lane| lane.name.contains(name)).expect("a lane");
            lane.bars
                .iter()
                .map(|bar| (bar.start / 1_000, bar.end.map(|end| end / 1_000), bar.from_seq))
                .collect()
        };
        assert_eq!(bars("People"), [(600, Some(630), 5)]);
        assert_eq!(view.gaps, [(4_000, 631_000)]);
        let asked = lanes(&events);
        assert!(asked.iter().any(|lane| lane.contains("Aborted 3-4")), "{asked:?}");
    }

    #[test]
    fn while_the_runs_inside_a_step_waited_for_people_it_was_not_at_work() {
        let events = [begins(0, "a", 1), ends(400, "a", 1, "succeeded"), begins(400, "b", 1)];
        let document = Document::parse("p.yaml", TEXT);
        let log = log(&events);
        let mut timeline = Timeline::new(document.workflow(), None);
        timeline.catch_up(document.workflow(), log.events());
        let wait = |from: i64, until: i64| (At(from * 1_000), At(until * 1_000));
        timeline.waited_inside(&BTreeMap::from([
            // The last one goes on when nobody waits for the answer any more.
            (StepId::from("a"), vec![wait(10, 390), wait(395, 500)]),
            (StepId::from("b"), vec![wait(450, 999)]),
        ]));
        let view = timeline.piece(None, u64::MAX, 999_000);
        let told: Vec<_> = (view.waits_inside.iter())
            .map(|wait| (wait.place, wait.start, wait.end))
            .collect();
        assert_eq!(
            told,
            [
                (0, 10_000, Some(390_000)),
                (0, 395_000, Some(400_000)),
                (1, 450_000, None)
            ]
        );
        assert_eq!(
            view.gaps,
            [(10_000, 390_000), (450_000, 999_000)],
            "it is folded like every wait"
        );
    }

    #[test]
    fn nothing_ends_before_it_has_begun_where_the_clock_was_put_back() {
        let document = Document::parse("p.yaml", TEXT);
        let log = log(&[queued(1, &["a"]), begins(50, "a", 1)]);
        let mut timeline = Timeline::new(document.workflow(), None);
        timeline.catch_up(document.workflow(), log.events());
        let view = timeline.piece(None, u64::MAX, 10_000);
        assert_eq!((view.start, view.end), (1_000, 50_000));
        assert!(view.gaps.iter().all(|(from, to)| from < to), "{:?}", view.gaps);
    }

    #[test]
    fn a_rest_is_told_until_the_run_is_taken_up_again() {
        let events = [
            completed(3, "aborted"),
            reopened(9),
            queued(9, &["b"]),
            completed(12, "failed"),
        ];
        let view = whole(Document::parse("p.yaml", TEXT).workflow(), log(&events).events());
        assert_eq!(
            (view.rests.as_slice(), view.queued),
            ([(3_000, 9_000)].as_slice(), true)
        );
    }

    #[test]
    fn nothing_lasts_until_somebody_takes_the_run_up() {
        let document = Document::parse("p.yaml", TEXT);
        let taken_up = (9_000, json!({"type": "taken_up", "by": "Ada"}));
        let events = [queued(0, &["a"]), begins(0, "a", 1), taken_up];
        let events = log(&events);
        let mut timeline = Timeline::new(document.workflow(), None);
        timeline.catch_up(document.workflow(), events.events());
        let view = timeline.piece(None, u64::MAX, 2_000);
        assert_eq!((view.end, view.last, ticks(&view.ticks).len()), (2_000, 3, 2));
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
            reopened(10),
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
                "2 b: Aborted 0-3 1st time, Queued 10-11, Failed 11-12 2nd time",
                "3 c: Queued 0-3",
                "4 d: Skipped 12-12 skipped"
            ]
        );
    }

    #[test]
    fn a_visit_that_was_refused_before_it_began_is_no_time_that_it_was_done() {
        let events = [begins(1, "b", 2), ends(2, "b", 2, "failed"), begins(3, "b", 3)];
        assert_eq!(lanes(&events)[1], "2 b: Failed 1-2 1st time, Running 3-… 2nd time");
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
        let rules = [
            routed(1, "a", json!("b"), "deterministic"),
            routed(2, "b", Value::Null, "fast_path"),
        ];
        assert_eq!(lanes(&rules).len(), 4, "rules alone have none");
        let events = [
            routed(1, "a", json!("b"), "deterministic"),
            navigator(2, "b"),
            navigator(3, "c"),
            chose(5, "b", json!({"way": "advance:d"})),
            routed(5, "b", json!("d"), "navigator"),
            chose(6, "c", json!({"refused": "it is not on the list"})),
            routed(9, "c", json!("d"), "escalate"),
            routed(9, "d", json!("a"), "envelope_fallback"),
            navigator(10, "a"),
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
        let events = [gate(1, "b"), gate(2, "c"), answer(3, "b"), gate(4, "d"), answer(6, "c")];
        let all = lanes(&events);
        assert_eq!(all[4..], ["People: Done 1-3 b, Blocked 4-… d", "People: Done 2-6 c"]);
    }

    #[test]
    fn a_wait_says_how_it_was_answered_and_the_answer_is_of_its_step() {
        let rejected = |at: i64, step: &str| {
            let (at, mut event) = answer(at, step);
            event["answer"] = json!("reject");
            (at, event)
        };
        let events = [
            gate(1, "b"),
            answer(3, "b"),
            gate(4, "c"),
            rejected(5, "c"),
            gate(6, "d"),
        ];
        let view = whole(Document::parse("p.yaml", TEXT).workflow(), log(&events).events());
        let people = view.lanes.last().expect("people");
        let said: Vec<_> = (people.bars.iter())
            .map(|bar| (bar.status, bar.answer.as_deref()))
            .collect();
        assert_eq!(
            said,
            [
                (Status::Done, Some("approved")),
                (Status::Refused, Some("rejected")),
                (Status::Blocked, None)
            ]
        );
        assert_eq!(
            view.ticks.lane,
            [1, 1, 2, 2, 3].map(Some),
            "an answer is about the step that was asked about"
        );
    }
}
