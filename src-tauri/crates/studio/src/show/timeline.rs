//! The run over time: a lane per step, a bar per attempt, gate waits for people, idle stretches folded.

use super::{log, words};
use crate::view::Status;
use crate::view::run::{BarView, Lane, Tick, TimelineView};
use engine::{Event, ExecutionStatus};
use model::{Work, Workflow};
use std::collections::HashMap;
use store::Stored;

/// A stretch without any bar longer than this (milliseconds) and than a quarter of the busy time is folded.
const FOLD_FROM_MS: i64 = 60_000;

/// The timeline of all `events`; `now` closes what is still open.
pub fn timeline(workflow: &Workflow, events: &[Stored], now: i64) -> TimelineView {
    let start = events.first().map_or(now, |e| e.at.0);
    let ended = matches!(events.last().map(|e| &e.event), Some(Event::RunCompleted(_)));
    let end = if ended {
        events.last().map_or(now, |e| e.at.0)
    } else {
        now.max(start)
    };
    // What holds other steps is at work only in them.
    let lanes_of: Vec<_> = workflow.steps().iter().filter(|s| s.work != Work::Group).collect();
    let mut lanes: Vec<Lane> = lanes_of
        .iter()
        .map(|s| Lane {
            step: Some(words::of_step(s)),
            name: words::numbered(s),
            bars: Vec::new(),
        })
        .collect();
    let mut people = Lane {
        step: None,
        name: "People".into(),
        bars: Vec::new(),
    };
    let ordinal: HashMap<&str, usize> = lanes_of
        .iter()
        .enumerate()
        .rev()
        .map(|(lane, s)| (s.id.as_str(), lane))
        .collect();
    let mut ticks = Vec::new();
    for (i, e) in events.iter().enumerate() {
        let at = e.at.0;
        match &e.event {
            Event::AttemptStarted(started) => {
                if let Some(&lane) = ordinal.get(started.instance.step.as_str()) {
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
                    lanes[lane].bars.push(BarView {
                        start: at,
                        end: None,
                        from_seq: e.seq,
                        to_seq: None,
                        status: Status::Running,
                        label,
                    });
                }
            }
            Event::AttemptEnded { instance, result, .. } => {
                let status = match result.status {
                    ExecutionStatus::Succeeded => Status::Done,
                    ExecutionStatus::Failed => Status::Failed,
                    ExecutionStatus::Skipped => Status::Skipped,
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
            Event::GateOpened(opened) => people.bars.push(BarView {
                start: at,
                end: None,
                from_seq: e.seq,
                to_seq: None,
                status: Status::Blocked,
                label: words::step_ref(workflow, &opened.instance.step).name,
            }),
            Event::GateAnswered(_) => close(Some(&mut people), at, e.seq, Status::Blocked),
            Event::RunCompleted(_) => {
                for lane in lanes.iter_mut().chain([&mut people]) {
                    close(Some(lane), at, e.seq, Status::Aborted);
                }
            }
            _ => {}
        }
        if let Some(tick) = tick(workflow, &events[..i], e) {
            ticks.push(tick);
        }
    }
    for lane in lanes.iter_mut().filter(|lane| lane.bars.len() > 1) {
        // Where there are several rounds the first one says so too.
        if let Some(first) = lane.bars.first_mut().filter(|bar| bar.label.is_empty()) {
            first.label = "round 1".into();
        }
    }
    let gaps = gaps(&lanes, start, end);
    if !people.bars.is_empty() {
        lanes.push(people);
    }
    TimelineView {
        start,
        end,
        lanes,
        ticks,
        gaps,
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

fn tick(workflow: &Workflow, before: &[Stored], e: &Stored) -> Option<Tick> {
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
