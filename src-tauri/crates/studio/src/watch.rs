//! What changes behind our back becomes notices: runs driven and gates answered by other processes, files edited in
//! other programs.

use crate::gate::view::GateCard;
use crate::lock::lock;
use crate::notice::Notice;
use crate::workflow::scanned::Scanned;
use crate::{ApiError, Studio, run};
use engine::{At, GateId, RunId};
use notify_debouncer_full::notify::RecursiveMode;
use notify_debouncer_full::{DebounceEventResult, new_debouncer};
use runtime::workflows;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use store::{RunFilter, StatusWord};

/// How often the history is asked whether it changed: one pragma, some microseconds. Also the least time between two
/// notices of one run, so that a fast run cannot flood a window.
const PULSE: Duration = Duration::from_millis(50);
/// Editors write a file in several steps; one notice is enough.
const SETTLE: Duration = Duration::from_millis(120);
/// The project's settings.
const SETTINGS: &str = "gatehouse.yaml";

impl Studio {
    /// Starts watching history and files; call it once, inside a Tokio runtime. It ends with the runtime.
    pub fn watch(&self) {
        if let Err(error) = self.take_up() {
            tracing::warn!(%error, "runs of an earlier start could not be taken up");
        }
        self.watch_history();
        self.watch_files();
    }

    fn watch_history(&self) {
        let studio = self.clone();
        tokio::spawn(async move {
            let mut seen = Seen::default();
            let mut version = None;
            let _ = studio.announce(&mut seen, true);
            let mut pulse = tokio::time::interval(PULSE);
            pulse.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                pulse.tick().await;
                match studio.0.store.data_version() {
                    Ok(now) if Some(now) == version => {}
                    Ok(now) => {
                        version = Some(now);
                        if let Err(error) = studio.announce(&mut seen, false) {
                            tracing::warn!(%error, "a change of the history could not be announced");
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the history cannot be asked for changes");
                        tokio::time::sleep(Duration::from_secs(1)).await;
                        continue;
                    }
                }
                for card in seen.overdue(crate::studio::now()) {
                    studio.notify(Notice::Overdue {
                        gate: Box::new(GateCard::clone(&card)),
                    });
                }
            }
        });
    }

    fn announce(&self, seen: &mut Seen, first: bool) -> Result<(), ApiError> {
        let open = self.0.store.runs(&RunFilter {
            open_only: true,
            ..RunFilter::default()
        })?;
        // Runs that were open a moment ago and are not any more have ended; the newest may have begun and ended between.
        let mut rows: HashMap<RunId, (u64, StatusWord)> =
            open.into_iter().map(|r| (r.run, (r.seq, r.status))).collect();
        for row in self.0.store.runs(&RunFilter {
            limit: Some(5),
            ..RunFilter::default()
        })? {
            rows.entry(row.run).or_insert((row.seq, row.status));
        }
        let gone: Vec<RunId> = seen
            .runs
            .iter()
            .filter(|(run, (_, status))| !status.ended() && !rows.contains_key(*run))
            .map(|(run, _)| run.clone())
            .collect();
        for run in gone {
            if let Some(row) = self.0.store.run(run.as_str())? {
                rows.insert(run, (row.seq, row.status));
            }
        }
        for (run, now) in &rows {
            if seen.runs.get(run) != Some(now) && !first {
                self.notify(Notice::Run {
                    run_id: run.to_string(),
                    last: now.0,
                    status: run::present::status_of_word(now.1),
                });
            }
        }
        seen.runs = rows;
        let (waiting, damaged) = self.asked_now()?;
        let mut look = self.onlooker();
        let mut gates = BTreeSet::new();
        // What cannot be read changes the Inbox too.
        let mut unread: BTreeSet<RunId> = damaged.into_iter().map(|row| row.run).collect();
        let mut opened = Vec::new();
        for row in waiting {
            let gate = (row.run.clone(), row.opened.gate.clone(), row.opened.round);
            // What the others say is asked for when somebody looks.
            if seen.gates.contains(&gate) {
                gates.insert(gate);
                continue;
            }
            match self.card_of(row, &mut look) {
                Ok(card) => {
                    seen.wait_for(gate.clone(), &card, crate::studio::now());
                    gates.insert(gate);
                    opened.extend((!first).then(|| Some(GateCard::clone(&card))));
                }
                Err(error) if error.passes() => return Err(error),
                Err(_) => {
                    unread.insert(gate.0);
                }
            }
        }
        if gates != seen.gates || unread != seen.unread {
            if opened.is_empty() {
                opened.push(None);
            }
            for card in opened {
                self.notify(Notice::Inbox {
                    waiting: gates.len() as u32,
                    opened: card.map(Box::new),
                });
            }
            seen.wanted.retain(|gate, _| gates.contains(gate));
            (seen.gates, seen.unread) = (gates, unread);
        }
        Ok(())
    }

    fn watch_files(&self) {
        let studio = self.clone();
        let (send, mut receive) = tokio::sync::mpsc::unbounded_channel::<DebounceEventResult>();
        let watcher = new_debouncer(SETTLE, None, move |result| {
            let _ = send.send(result);
        })
        .and_then(|mut watcher| watcher.watch(&self.0.root, RecursiveMode::Recursive).map(|()| watcher));
        let watcher = match watcher {
            Ok(watcher) => watcher,
            Err(error) => {
                tracing::warn!(%error, "files are not watched; open a workflow again to see what changed");
                return;
            }
        };
        tokio::spawn(async move {
            let _watcher = watcher;
            let mut known = BTreeSet::new();
            while let Some(result) = receive.recv().await {
                let Ok(events) = result else { continue };
                let paths: BTreeSet<String> = events
                    .iter()
                    .filter(|e| !e.kind.is_access())
                    .flat_map(|e| &e.paths)
                    .map(|p| studio.relative(p))
                    .filter(|path| workflows::is_looked_into(path))
                    .collect();
                let led = paths.iter().flat_map(|path| studio.led_to(path)).collect::<Vec<_>>();
                let candidates: Vec<_> = paths
                    .into_iter()
                    .chain(led)
                    .filter(|p| p.rsplit('/').next().is_some_and(is_ours))
                    .collect();
                let mut listed = false;
                for path in candidates {
                    let exists = studio.0.root.join(&path).exists();
                    let scanned = is_scanned(&studio, &path, exists);
                    listed |= came_or_went(&mut known, &path, scanned, exists);
                    if path.rsplit('/').next() == Some(SETTINGS) {
                        studio.notify(Notice::Settings);
                    }
                    studio.find_changes_of_known(&path);
                    studio.notify(Notice::Workflow { path });
                }
                if listed {
                    studio.notify(Notice::Library);
                }
            }
        });
    }
}

/// Whether a file was looked at before. It is looked at again: what it was is kept, for one that cannot be read any more is said to have been a
/// workflow.
fn is_scanned(studio: &Studio, path: &str, exists: bool) -> bool {
    let mut scanned = lock(&studio.0.scanned);
    match exists {
        true => scanned.get_mut(path).map(Scanned::ages).is_some(),
        false => scanned.remove(path).is_some(),
    }
}

/// Whether the list of workflows has another entry than before. A file that only changed, as a pipeline's own does at
/// every stage, is none: a program that writes whole files moves a new one into its place, so the kind of the event
/// does not tell.
fn came_or_went(known: &mut BTreeSet<String>, path: &str, scanned: bool, exists: bool) -> bool {
    if !exists {
        known.remove(path);
        return true;
    }
    known.insert(path.to_owned()) && !scanned
}

fn is_ours(name: &str) -> bool {
    workflows::is_candidate(name)
        || name == SETTINGS
        || name.ends_with(".scenario.yaml")
        || name.ends_with(".scenario.yml")
}

/// One round of a gate.
type Asked = (RunId, GateId, u32);

#[derive(Default)]
struct Seen {
    runs: HashMap<RunId, (u64, StatusWord)>,
    gates: BTreeSet<Asked>,
    /// Those of them to which an answer is wanted by a moment that is still to come.
    wanted: BTreeMap<Asked, Arc<GateCard>>,
    /// Runs that ask as well, but cannot be read.
    unread: BTreeSet<RunId>,
}

impl Seen {
    /// Begins to watch for the moment by which an answer is wanted. One that has passed before anybody looked is told in the Inbox: who opens a
    /// project again is not told of everything again.
    fn wait_for(&mut self, asked: Asked, card: &Arc<GateCard>, now: At) {
        if card.wanted_by.is_some() && !is_over(card, now) {
            self.wanted.insert(asked, Arc::clone(card));
        }
    }

    /// The questions to which an answer was wanted by now, each once.
    fn overdue(&mut self, now: At) -> Vec<Arc<GateCard>> {
        let over: Vec<_> = self
            .wanted
            .values()
            .filter(|card| is_over(card, now))
            .cloned()
            .collect();
        if !over.is_empty() {
            self.wanted.retain(|_, card| !is_over(card, now));
        }
        over
    }
}

/// Whether an answer to this was wanted by now.
fn is_over(card: &GateCard, now: At) -> bool {
    card.wanted_by.is_some_and(|by| by <= now.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::decision_view::AskFor;
    use crate::view::StepRef;

    #[test]
    fn a_question_that_becomes_overdue_is_told_of_once() {
        let asked = |round: u32| (RunId::from("run"), GateId::from("gate"), round);
        let card = |round: u32, wanted_by: Option<i64>| {
            Arc::new(GateCard {
                run_id: "run".to_owned(),
                gate: "gate".to_owned(),
                round,
                purpose: AskFor::Approval,
                is_question: false,
                question: String::new(),
                workflow_title: String::new(),
                subject: None,
                step: StepRef {
                    id: String::new(),
                    number: String::new(),
                    name: String::new(),
                },
                instance: None,
                waiting_since: 0,
                wanted_by,
                asks: Vec::new(),
                role: None,
                mine: true,
                own: true,
                another: false,
                started_by: String::new(),
                rehearsal: false,
                gone_on_from: Vec::new(),
            })
        };
        let mut seen = Seen::default();
        for (round, by) in [(1, None), (2, Some(10)), (3, Some(20)), (4, Some(5))] {
            seen.wait_for(asked(round), &card(round, by), At(5));
        }
        let mut told = |now: i64| -> Vec<u32> { seen.overdue(At(now)).iter().map(|card| card.round).collect() };
        assert_eq!(told(9), [0_u32; 0]);
        assert_eq!(told(10), [2]);
        assert_eq!(told(11), [0_u32; 0], "once");
        assert_eq!(told(99), [3], "what had passed before anybody looked is not told of");
    }

    #[test]
    fn a_file_that_only_changes_is_no_other_list_of_workflows() {
        let mut known = BTreeSet::new();
        assert!(came_or_went(&mut known, "new.yaml", false, true));
        assert!(
            !came_or_went(&mut known, "new.yaml", false, true),
            "written again before anybody looked"
        );
        assert!(!came_or_went(&mut known, "old.yaml", true, true), "the list had it");
        assert!(came_or_went(&mut known, "old.yaml", true, false));
        assert!(came_or_went(&mut known, "old.yaml", false, true), "it is back");
    }
}
