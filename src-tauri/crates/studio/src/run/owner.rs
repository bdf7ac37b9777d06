//! For whom runs are driven: which of them are this person's, and what of what stands in a log is followed.

use crate::lock::lock;
use crate::run::cache::InDoubt;
use crate::run::history::History;
use crate::settings::keys::Keys;
use crate::settings::trust::OwnRun;
use crate::verify::signatures;
use crate::{ApiError, Studio, words};
use engine::{AnotherLog, Decision, Event, Intent, RegisterMark, RunCreated, RunId};
use std::sync::Arc;
use store::{Head, RunRow};

impl Studio {
    /// Of a run of this person whose log was given answers since they saw it last: which of them a driver does not follow, in a sentence.
    pub(crate) fn unvouched(&self, run: &RunId) -> Option<String> {
        let history = self.history(run.as_str()).ok()?;
        let (_, why) = self.first_doubt(&history)?;
        Some(format!(
            "It is not carried on, because of an answer that somebody wrote into its log: {why}"
        ))
    }

    /// Where the log of a run is not the one that this person's Gatehouse saw last, writes that into it, once. Whoever goes on in it leaves a record
    /// that names it, also after this one has become the log that was seen last. Returns whether it was written now.
    ///
    /// # Errors
    /// What the store reports; the record cannot be read.
    pub(crate) fn name_another_log(&self, run: &RunId) -> Result<bool, ApiError> {
        let Some(seen) = self.seen_of_another(run) else {
            return Ok(false);
        };
        let named = AnotherLog {
            by: self.person_or_somebody(),
            events: seen.events,
            link: seen.link,
        };
        let history = self.history(run.as_str())?;
        let is_named = history.events().iter().any(|e| match &e.event {
            Event::AnotherLog(one) => (one.events, &one.link) == (named.events, &named.link),
            _ => false,
        });
        if !is_named {
            let intent = Intent::AnotherLog(Arc::new(named));
            runtime::submit::submit(&self.0.store, history.workflow(), &mut history.live(), intent)?;
        }
        Ok(!is_named)
    }

    /// The event of the first answer that a driver does not follow, with why not.
    pub(crate) fn first_doubt(&self, history: &History) -> Option<(u64, String)> {
        let run = history.id();
        // In a rehearsal nothing is carried out, whoever answers.
        if history.created().is_some_and(RunCreated::is_rehearsal) {
            return None;
        }
        let seen = runtime::Owner::seen(self, run);
        let mut answers = history.events().from(history.until(Some(seen)).len());
        answers.find_map(|e| match &e.event {
            Event::GateAnswered(_) => Some((e.seq, runtime::Owner::doubt(self, run, e.seq)?)),
            _ => None,
        })
    }

    /// Of each answer up to the event `at` that was followed to the end of a run although its key is not known to this person, a sentence.
    pub(crate) fn in_doubt(&self, history: &History, at: Option<u64>) -> Vec<String> {
        if history.created().is_none_or(RunCreated::is_rehearsal) {
            return Vec::new();
        }
        let keys = self.0.identity.keys();
        let events = history.until(at);
        let answers = events.iter().filter_map(|e| match &e.event {
            Event::GateAnswered(decision) => Some(decision),
            _ => None,
        });
        let doubts = answers.filter_map(|decision| signatures::in_doubt(&keys, decision, history.made_at(decision)));
        let said = doubts
            .map(|why| format!("Who decided is in doubt. {why} `gatehouse people` shows the fingerprints to compare."));
        words::told_once(said.collect())
    }

    /// The same of a run in a list, by what the history lists of its answers: each of its runs is looked at once, as long as nothing else becomes
    /// known of keys.
    pub(crate) fn is_in_doubt(&self, row: &RunRow, keys: &Keys) -> bool {
        let known = {
            let mut known = lock(&self.0.runs.in_doubt);
            if known.keys != *keys {
                *known = InDoubt {
                    keys: keys.clone(),
                    ..InDoubt::default()
                };
            }
            known.runs.get(&row.run).copied()
        };
        if let Some((_, doubted)) = known.filter(|(seq, _)| *seq == row.seq) {
            return doubted;
        }
        let Ok(answers) = self.0.store.answers(&row.run) else {
            return false;
        };
        let doubted = answers
            .iter()
            .any(|(decision, at)| signatures::in_doubt(keys, decision, *at).is_some());
        lock(&self.0.runs.in_doubt)
            .runs
            .insert(row.run.clone(), (row.seq, doubted));
        doubted
    }
}

impl runtime::Owner for Studio {
    fn began(&self, run: &RunId, head: Head, inside: Option<&RunId>, permit: bool) {
        let kept = self.change_rights(|rights| {
            // What the log of the run around it says was permitted may have been written by anybody.
            let permit = permit && inside.is_none_or(|outer| rights.own.get(outer).is_some_and(|outer| outer.permit));
            // Of several programs that begin one run the log says whose it is: what another of them began stays kept.
            let is_there = self.0.store.head(run).is_ok_and(|there| there.is_some());
            if !is_there || self.leads_to(run, head) {
                rights.own.insert(run.clone(), OwnRun::of(head, permit));
            }
        });
        if let Err(error) = kept {
            tracing::warn!(%run, %error, "it was not kept that this run is yours; take it up yourself after a restart");
        }
    }

    fn saw(&self, run: &RunId, to: u64) {
        let kept = self.change_rights(|rights| {
            // Of another log nothing is seen: what was seen last is what it has to be named by.
            let is_there = |head: &Head| {
                let there = self.0.store.events(run, head.seq.saturating_sub(1), 1);
                there.is_ok_and(|there| there.first().is_some_and(|e| (e.seq, e.hash) == (head.seq, head.hash)))
            };
            if let Some(own) = rights.own.get_mut(run)
                && let Some(head) = own.head().filter(is_there)
                && let Ok(now) = self.0.store.chain(run, head, Some(to))
            {
                *own = OwnRun::of_recorded(now, own.permit);
            }
        });
        if let Err(error) = kept {
            tracing::warn!(%run, %error, "it was not kept how far this run was");
        }
    }

    fn seen(&self, run: &RunId) -> u64 {
        let own = self.rights().own.remove(run);
        own.and_then(|own| own.head()).map_or(0, |head| head.seq)
    }

    fn doubt(&self, run: &RunId, answer: u64) -> Option<String> {
        let history = match self.history(run.as_str()) {
            Ok(history) => history,
            Err(error) => return Some(error.message),
        };
        let continues = |mark: &RegisterMark| self.0.store.register_continues(mark).unwrap_or(false);
        signatures::doubt(&history, &self.0.identity.keys(), answer, &continues)
    }

    fn is_theirs(&self, run: &RunId) -> bool {
        let rights = self.rights();
        let Some(own) = rights.own.get(run) else { return false };
        own.head().is_some_and(|head| self.leads_to(run, head))
    }

    fn was_theirs(&self, run: &RunId) -> bool {
        let ended = || self.0.identity.ended(&self.0.root, run)?.head();
        self.is_theirs(run) || ended().is_some_and(|head| self.leads_to(run, head))
    }

    fn permits_all(&self, run: &RunId) -> bool {
        self.rights().own.get(run).is_some_and(|own| own.permit)
    }

    fn gave(&self, run: &RunId, decision: &Decision) -> bool {
        let is_mine = decision
            .signature
            .as_ref()
            .is_some_and(|s| s.key == self.0.identity.public());
        is_mine
            && self
                .history(run.as_str())
                .is_ok_and(|history| history.valid(decision) == Some(true))
    }
}
