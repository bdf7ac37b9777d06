//! For whom runs are driven: which of them are this person's, and what of what stands in a log is followed.

use crate::Studio;
use crate::settings::trust::OwnRun;
use crate::verify::signatures;
use engine::{Decision, Event, RegisterMark, RunId};
use store::Head;

impl Studio {
    /// Of a run of this person whose log was given answers since they saw it last: which of them a driver does not follow, in a sentence.
    pub(crate) fn unvouched(&self, run: &RunId) -> Option<String> {
        let history = self.history(run.as_str()).ok()?;
        // In a rehearsal nothing is carried out, whoever answers.
        if history.created().is_some_and(engine::RunCreated::is_rehearsal) {
            return None;
        }
        let seen = runtime::Owner::seen(self, run);
        let mut answers = history.events().from(history.until(Some(seen)).len());
        let why = answers.find_map(|e| match &e.event {
            Event::GateAnswered(_) => runtime::Owner::doubt(self, run, e.seq),
            _ => None,
        })?;
        Some(format!(
            "It is not carried on, because of an answer that somebody wrote into its log: {why}"
        ))
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
            if let Some(own) = rights.own.get_mut(run)
                && let Some(now) = own.head().and_then(|head| self.0.store.chain(run, head, Some(to)).ok())
            {
                *own = OwnRun::of(now, own.permit);
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
