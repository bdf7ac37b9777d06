//! The decision brief of a gate: everything one needs to decide.

use crate::command::GateOf;
use crate::gate::view::{GateBrief, RunAroundView, Signer};
use crate::gate::{people, present};
use crate::run::drive::CONFIRM;
use crate::run::history::History;
use crate::run::lifecycle;
use crate::settings::identity;
use crate::text::safe;
use crate::view::Refused;
use crate::{ApiError, Studio, words};
use engine::{
    Artifact, Cursor, Decision, Digest, Event, GateId, GateOpened, GateRound, NotAsApproved, Purpose, RefusalCode,
    RunId, RunState,
};
use model::{GateAt, Step, StepId};
use std::collections::HashSet;
use std::sync::Arc;
use store::Stored;

/// What a person who carries a step out does about a file that is not what was approved.
const WORKS_WITH_IT: &str =
    "You work with the file on disk, and with PASS the record says that it is not what was approved.";

/// Whether nothing was begun since this round was answered. `events`: the latest first.
fn is_last<'a>(events: impl Iterator<Item = &'a Stored>, opened: &GateOpened) -> bool {
    for stored in events {
        match &stored.event {
            Event::AttemptStarted(_) | Event::GateOpened(_) => return false,
            Event::GateAnswered(decision) if decision.gate == opened.gate => return decision.round == opened.round,
            _ => {}
        }
    }
    false
}

impl Studio {
    /// Everything needed to decide one gate.
    pub(crate) async fn gate_brief(&self, of: GateOf) -> Result<GateBrief, ApiError> {
        let history = self.history(&of.run_id)?;
        let state = history.state(None);
        let gate_id = GateId::from(of.gate.clone());
        let rounds: Vec<_> = state.rounds_of(&gate_id).cloned().collect();
        let shown = match of.round {
            Some(round) => rounds.iter().position(|r| r.opened.round == round),
            None => rounds.len().checked_sub(1),
        }
        .ok_or_else(|| {
            ApiError::new("not_found", format!("The run has not asked “{}” (yet).", of.gate))
                .hint("Open the Inbox to see what waits.")
        })?;
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        let folder = self.folder_for(&state, &rounds[shown].opened.instance.step);
        let on_disk = |path: &str| self.digest_on_disk(&format!("{folder}{path}"));
        let remembered = |path: &str| self.remembered_digest(&format!("{folder}{path}"));
        let keys = self.0.identity.keys();
        let signatures = |d: &Decision| history.signed(d, &keys);
        let key = self.0.identity.public();
        let person = self.0.identity.person();
        let root = self.root().join(&folder);
        let expected = |outputs: &[String]| runtime::artifacts::expected(&root, history.id(), outputs);
        let read = |input: &str| self.read_by_a_step(&history, input);
        // What a loop or a fork did since was not before whoever answered.
        let then = rounds[shown].answer.as_ref().and_then(|_| {
            let is_asked = |event: &Event| match event {
                Event::GateOpened(opened) => opened.gate == gate_id && opened.round == rounds[shown].opened.round,
                _ => false,
            };
            history.events().iter().rev().find(|stored| is_asked(&stored.event))
        });
        let then = then.map(|asked| history.state(Some(asked.seq)));
        let beside = match rounds[shown].answer {
            None => self.worked_beside(&history, &state)?,
            Some(_) => Arc::default(),
        };
        let around = present::BriefSources {
            then: then.as_ref().unwrap_or(&state),
            blobs: &blobs,
            compared: &self.0.compared,
            on_disk: &on_disk,
            remembered: &remembered,
            signatures: &signatures,
            signer: Signer {
                name: person.name,
                key_short: identity::short(&key),
            },
            roles: &person.roles,
            key: &key,
            subject: self.subject(history.id(), history.last()),
            read: &read,
            expected: &expected,
            now: crate::studio::now().0,
            left_open: {
                let stands_still = self.stands_still(history.id(), &state);
                let unfollowed = self.unfollowed(&history, &state, &rounds[shown]);
                let why: Vec<String> = stands_still.into_iter().chain(unfollowed).collect();
                (!why.is_empty()).then(|| why.join(" "))
            },
            elsewhere: self.carried_elsewhere(history.id(), &state),
            beside: &beside,
            zone: self.zone(),
        };
        let mut brief = present::brief(history.workflow(), &state, &rounds, shown, &around);
        brief.workflow_path = self.stands_at(&brief.workflow_path, state.created_at);
        brief.source_gone = self.source_gone(&brief.workflow_path);
        brief.remarks.extend(self.rejected_before(&history, Some(&gate_id)));
        if rounds[shown].answer.is_none() {
            let changed = self.work_not_as_approved(&history, &state, &rounds[shown].opened);
            brief.remarks.splice(0..0, changed);
            brief.remarks.splice(0..0, self.gone_on_from(&history, &state));
            brief
                .remarks
                .extend(self.changed_before(&history, &rounds[shown].opened));
            let added = self.added_since(&history, &state, &rounds[shown].opened).into_iter();
            brief.remarks.extend(added.map(|path| {
                format!("{path} was added after this was asked: it is not shown here, and the answer is not about it.")
            }));
            brief.remarks.extend(self.paused_around(history.id(), state.paused)?);
        } else if state.paused && !state.status.ended() && is_last(history.events().iter().rev(), &rounds[shown].opened)
        {
            brief.left_open.get_or_insert_with(|| "This run is paused.".to_owned());
        }
        if rounds[shown].answer.is_some() {
            brief.around = self.stands_around(history.id())?;
        }
        brief.remarks.extend(self.doubted(&history, &state, &rounds[shown]));
        brief.remarks = words::told_once(brief.remarks);
        if let Some(message) = self.read_only_words() {
            for answer in &mut brief.answers {
                answer.allowed = false;
                answer.refusal = Some(Refused {
                    code: RefusalCode::AnswerNotOffered,
                    message: message.clone(),
                });
            }
        }
        Ok(brief)
    }

    /// Of an answer of this person, behind which nothing has begun in a run that somebody else carries on: what it waits for, as far as that is
    /// known here.
    fn unfollowed(&self, history: &History, state: &RunState, round: &GateRound) -> Option<String> {
        let (decision, _) = round.answer.as_ref()?;
        let key = self.0.identity.public();
        let is_own = people::key(decision) == Some(key.as_str());
        let goes_on = !state.status.ended() && !state.paused && !state.is_rehearsal() && !self.is_handed_over();
        let waits = is_own
            && goes_on
            && !runtime::Owner::is_theirs(self, history.id())
            // Where nothing stands still behind it, it waits for what is at work beside it.
            && state.cursors().any(|cursor| matches!(cursor, Cursor::Ready { .. } | Cursor::Between(_)))
            && is_last(history.events().iter().rev(), &round.opened);
        waits.then(|| {
            format!(
                "Nothing has begun behind your answer yet: whoever carries this run on follows it once they have confirmed your key ({}), under \
                 Settings, People.",
                identity::short(&key)
            )
        })
    }

    /// Of a run of this person that stopped at this answer: why.
    fn doubted(&self, history: &History, state: &RunState, round: &GateRound) -> Option<String> {
        if round.answer.is_none() || state.status.ended() || !runtime::Owner::is_theirs(self, history.id()) {
            return None;
        }
        let (seq, why) = self.first_doubt(history)?;
        let is_it = match &history.events().with_seq(seq)?.event {
            Event::GateAnswered(decision) => {
                (&decision.gate, decision.round) == (&round.opened.gate, round.opened.round)
            }
            _ => false,
        };
        is_it.then(|| format!("The run stopped at this answer. {why} {CONFIRM}"))
    }

    /// Digest of a file of the project, for what is only remarked: by its length and its time of change it is still the file that was read.
    /// What is decided about is read ([`Studio::digest_on_disk`]).
    pub(crate) fn remembered_digest(&self, path: &str) -> Option<Digest> {
        let file = self.inside(path).ok()?;
        self.0.digests.of(path, &file, || self.digest_on_disk(path))
    }

    /// The files that a step would go by, began it now, and that are not what people approved. Of a rehearsal none: it goes by no file.
    pub(crate) fn no_more_as_approved(&self, state: &RunState, step: &Step) -> Vec<NotAsApproved> {
        if state.is_rehearsal() {
            return Vec::new();
        }
        let folder = self.folder_for(state, &step.id);
        runtime::no_more_as_approved(state, step, |path| self.remembered_digest(&format!("{folder}{path}")))
    }

    /// Of a run that has ended: which files are not what people approved in it, a sentence each. Nobody asks for more, and the approvals stand for
    /// what was shown. Whoever works in the project may change them, so that it is no finding. Of a rehearsal, and of what was handed over without
    /// its project, nothing is said.
    pub(crate) fn changed_afterwards(&self, state: &RunState) -> Vec<String> {
        if !state.status.ended() || state.is_rehearsal() || !matches!(self.0.store.excerpt(), Ok(None)) {
            return Vec::new();
        }
        let changed = runtime::changed_afterwards(state, |path| self.remembered_digest(path));
        let said = changed.iter().map(|file| lifecycle::changed_afterwards(state, file));
        said.collect()
    }

    /// Of a step that a person carries out: which files are not what was approved, a sentence each. What they answer is how it went, so they are to
    /// know it before they begin.
    fn work_not_as_approved(&self, history: &History, state: &RunState, opened: &GateOpened) -> Vec<String> {
        let step = history.workflow().step(&opened.instance.step);
        let (Some(step), Purpose::Outcome { .. }) = (step, &opened.purpose) else {
            return Vec::new();
        };
        let changed = self.no_more_as_approved(state, step).into_iter();
        let said = changed.map(|file| {
            let what = lifecycle::no_more_as_approved(state, &file);
            match file.found {
                Some(_) => format!("{what} {WORKS_WITH_IT}"),
                None => what,
            }
        });
        said.collect()
    }

    /// Of a question before a step that runs other workflows: which of those are others now than when the run was started.
    fn changed_before(&self, history: &History, opened: &GateOpened) -> Vec<String> {
        let step = history.workflow().step(&opened.instance.step);
        let (Some(step), Some(created), GateAt::Before) = (step, history.created(), opened.at) else {
            return Vec::new();
        };
        let changed = runtime::listed::changed(&self.0.root, created, step).into_iter();
        let said = changed.map(|path| {
            format!(
                "{} has been changed since this run was started; it is carried out as it is when the step begins.",
                safe::visible(&path)
            )
        });
        said.collect()
    }

    /// Of a run inside another one that is paused: what becomes of the answer. `is_paused`: it is paused as well.
    fn paused_around(&self, run: &RunId, is_paused: bool) -> Result<Option<String>, ApiError> {
        for outer in self.around(run)? {
            let outer = self.history(outer.as_str())?;
            let now = outer.state(None);
            if now.paused && !now.status.ended() {
                let title = safe::visible(&outer.workflow().title);
                let then = match is_paused {
                    true => "So is this one: your answer stands, and is followed when both are resumed.",
                    false => "This one belongs to a step that had begun, and goes on with your answer.",
                };
                return Ok(Some(format!("“{title}”, the run around this one, is paused. {then}")));
            }
        }
        Ok(None)
    }

    /// Of a run inside another one: the outermost one where that has not ended and nobody carries it on, and how it stands.
    fn stands_around(&self, run: &RunId) -> Result<Option<RunAroundView>, ApiError> {
        let Some(outermost) = self.around(run)?.pop() else {
            return Ok(None);
        };
        let outer = self.history(outermost.as_str())?;
        let now = outer.state(None);
        if self.is_handed_over() || !self.is_left(&outermost, now.status.ended()) {
            return Ok(None);
        }
        let how = match now.paused {
            true => "is paused, and goes on once somebody resumes it",
            false => "stands still: nobody carries it on until somebody resumes it",
        };
        let title = safe::in_quotes(&outer.workflow().title);
        Ok(Some(RunAroundView {
            words: format!("“{title}”, the run around this one, {how}."),
            run_id: outermost.to_string(),
            title,
        }))
    }

    /// The question that a round asked; nothing where there is no such round.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn question_of(&self, run: &str, gate: &str, round: u32) -> Result<Option<String>, ApiError> {
        let state = self.history(run)?.state(None);
        let gate = GateId::from(gate);
        let asked = state.rounds_of(&gate).find(|r| r.opened.round == round);
        Ok(asked.map(|r| r.opened.question.clone()))
    }

    /// What lies where a step says it makes its files, and is neither among those that are asked about nor made by this run. Where nothing of what
    /// is asked about lies there, nothing is told: it was made elsewhere.
    pub(crate) fn added_since(&self, history: &History, state: &RunState, opened: &GateOpened) -> Vec<String> {
        let is_work = opened.purpose == Purpose::Approval && opened.at == GateAt::After && !state.is_rehearsal();
        let step = history.workflow().step(&opened.instance.step).filter(|_| is_work);
        let folder = self.folder_for(state, &opened.instance.step);
        let is_there =
            |made: &Artifact| self.remembered_digest(&format!("{folder}{}", made.path)).as_ref() == Some(&made.digest);
        let Some(step) = step.filter(|_| opened.shown.iter().any(is_there)) else {
            return Vec::new();
        };
        let results = state.results();
        let made = results.iter().flat_map(|(_, result)| &result.artifacts);
        let mut known: HashSet<&str> = opened.shown.iter().chain(made).map(|made| made.path.as_str()).collect();
        let around = results.iter().filter_map(|(_, result)| result.lifecycle.as_ref());
        known.extend(
            around
                .flat_map(|around| &around.unkept)
                .map(|unkept| unkept.path.as_str()),
        );
        let root = self.root().join(folder);
        let added = runtime::artifacts::beside(&root, history.id(), &step.outputs, |path| known.contains(path));
        added.iter().map(|(path, _)| safe::visible(path)).collect()
    }

    /// What stands before the paths of the files that a step finds: of a branch with a folder of its own the way there, with `/` at its end.
    pub(crate) fn folder_for(&self, state: &RunState, step: &StepId) -> String {
        let copy = runtime::copy_for(self.root(), state, step);
        copy.map_or_else(String::new, |copy| format!("{copy}/"))
    }
}
