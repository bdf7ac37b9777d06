//! The Inbox and answering.

use crate::command::{AnswerOf, GateOf, InboxOf};
use crate::history::History;
use crate::preferences::good_name;
use crate::show::{asking, gate, log, paste, people, words};
use crate::view::gate::{DecidedCard, FirstTryView, GateBrief, GateCard, InboxView, Signer};
use crate::{ApiError, Studio, identity};
use engine::{Answer, Decision, Digest, GateId, Grounds, Intent, Lasting, Purpose, RunCreated, RunId};
use runtime::config::FirstTry;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use store::{RunFilter, WaitingRow, regular};

/// How many past decisions the Inbox shows when it is not asked for more, and how many at most.
const DECIDED: u32 = 50;
const DECIDED_MOST: u32 = 5_000;

/// How often an answer is signed anew because the run went on between signing and recording it.
const MOST_SIGNINGS: u32 = 50;

impl Studio {
    /// Decisions that wait and decisions made.
    pub(crate) async fn inbox(&self, of: InboxOf) -> Result<InboxView, ApiError> {
        let waiting = self.waiting()?;
        let keys = self.0.identity.keys();
        let most = of.decided.unwrap_or(DECIDED).min(DECIDED_MOST);
        // Of each run once: thousands of decisions lie in few runs, in any order.
        let mut histories: HashMap<RunId, Arc<History>> = HashMap::new();
        let decided = self
            .0
            .store
            .decided(most as usize)?
            .into_iter()
            .map(|row| {
                let history = match histories.get(&row.run) {
                    Some(history) => Arc::clone(history),
                    None => {
                        let history = self.history(row.run.as_str())?;
                        histories.insert(row.run.clone(), Arc::clone(&history));
                        history
                    }
                };
                let round = engine::GateRound {
                    opened: Arc::new(row.opened),
                    opened_at: row.opened_at,
                    answer: Some((Arc::new(row.decision), row.decided_at)),
                };
                Ok(DecidedCard {
                    run_id: row.run.to_string(),
                    gate: round.opened.gate.to_string(),
                    round: round.opened.round,
                    purpose: asking::purpose(&round.opened.purpose),
                    question: round.opened.question.clone(),
                    workflow_title: row.title,
                    subject: self.subject(&row.run, history.last()),
                    role: people::role(&round.opened),
                    rehearsal: history.created().is_some_and(RunCreated::is_rehearsal),
                    step: words::step_ref(history.workflow(), &round.opened.instance.step),
                    instance: asking::instance(&round.opened.instance.path),
                    decision: gate::round_view(&round, &|d| history.signed(d, &keys)),
                })
            })
            .collect::<Result<_, ApiError>>()?;
        Ok(InboxView {
            waiting,
            decided,
            decided_total: u32::try_from(self.0.store.decided_count()?).unwrap_or(u32::MAX),
            first_try: self.first_try()?,
        })
    }

    /// What the project offers to begin with (`try` in gatehouse.yaml), while it has no run and the files are there.
    fn first_try(&self) -> Result<Option<FirstTryView>, ApiError> {
        let filter = RunFilter {
            limit: Some(1),
            ..RunFilter::default()
        };
        // Asked first: the Inbox is looked at often, and gatehouse.yaml is read for this only where nothing has happened yet.
        if !self.0.store.runs(&filter)?.is_empty() {
            return Ok(None);
        }
        let there = |chosen: &FirstTry| self.0.root.join(&chosen.scenario).is_file();
        let Some(chosen) = self.config().0.first_try.filter(there) else {
            return Ok(None);
        };
        Ok(self.document(&chosen.workflow).ok().map(|document| FirstTryView {
            title: document.workflow().title.clone(),
            path: chosen.workflow,
            scenario: chosen.scenario,
        }))
    }

    /// Decisions that wait, the longest waiting first.
    pub(crate) fn waiting(&self) -> Result<Vec<GateCard>, ApiError> {
        let mut cards = Vec::new();
        for row in self.0.store.waiting()? {
            if !self.is_left_behind(&row.run)? {
                cards.push(self.card_of(&row)?);
            }
        }
        Ok(cards)
    }

    /// One of them.
    pub(crate) fn card_of(&self, row: &WaitingRow) -> Result<GateCard, ApiError> {
        let person = self.0.identity.person();
        let history = self.history(row.run.as_str())?;
        let of = gate::OfRun {
            run: row.run.as_str(),
            title: &row.title,
            started_by: &row.started_by,
            subject: self.subject(&row.run, history.last()),
            person: gate::Person {
                name: &person.name,
                roles: &person.roles,
            },
            rehearsal: history.created().is_some_and(RunCreated::is_rehearsal),
        };
        Ok(gate::card(history.workflow(), &of, &row.opened, row.opened_at))
    }

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
        let on_disk = |path: &str| self.digest_on_disk(path);
        let keys = self.0.identity.keys();
        let signatures = |d: &Decision| history.signed(d, &keys);
        let key = self.0.identity.public();
        let person = self.0.identity.person();
        let read = |input: &str| self.read_by_a_step(&history, input);
        let around = gate::Around {
            blobs: &blobs,
            on_disk: &on_disk,
            signatures: &signatures,
            signer: Signer {
                name: person.name,
                key_short: identity::short(&key),
            },
            roles: &person.roles,
            key: &key,
            subject: self.subject(history.id(), history.last()),
            read: &read,
            now: crate::studio::now().0,
            left_open: self.stands_still(history.id(), &state),
        };
        let mut brief = gate::brief(history.workflow(), &state, &rounds, shown, &around);
        brief.workflow_path = self.stands_at(&brief.workflow_path, state.created_at);
        Ok(brief)
    }

    /// The files of a round that are another version on disk than when it was asked.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn changed_since_asked(&self, run: &str, gate: &str, round: u32) -> Result<Vec<String>, ApiError> {
        let state = self.history(run)?.state(None);
        let gate = GateId::from(gate);
        let shown = state
            .rounds_of(&gate)
            .filter(|r| r.opened.round == round)
            .flat_map(|r| &r.opened.shown);
        let differs = shown.filter(|made| self.digest_on_disk(&made.path).is_some_and(|now| now != made.digest));
        Ok(differs.map(|made| log::visible(&made.path)).collect())
    }

    /// Answers a gate in the name of the person of this account.
    pub(crate) async fn answer(&self, of: AnswerOf) -> Result<GateBrief, ApiError> {
        let name = self.0.identity.person().name;
        if name.is_empty() {
            return Err(ApiError::new(
                "refused:name_required",
                "Enter your name first. It is signed with every decision.",
            )
            .hint("Give your name in the settings, then decide."));
        }
        let run_id = of.run_id.clone();
        let gate = of.gate.clone();
        let round = of.round;
        self.decide(of, &name).await?;
        self.gate_brief(GateOf {
            run_id,
            gate,
            round: Some(round),
        })
        .await
    }

    /// Answers a gate in a given name, signed with the key of this account, and sees to it that the run goes on.
    ///
    /// # Errors
    /// `refused:…` when the gate does not wait (any more); whatever the store reports.
    pub async fn decide(&self, of: AnswerOf, by: &str) -> Result<(), ApiError> {
        self.writable()?;
        if !by.trim().is_empty() {
            good_name(by.trim())?;
        }
        let history = self.history(&of.run_id)?;
        if self.is_left_behind(history.id())? {
            return Err(ApiError::new(
                "refused:run_ended",
                "The run around this one has ended, so nothing waits for this answer any more.",
            )
            .hint(format!(
                "End it: gatehouse abort {}. Start a new run if it is still wanted.",
                paste::shell_word_or(history.id().as_str(), "RUN")
            )));
        }
        let mut decision = Decision {
            gate: GateId::from(of.gate),
            round: of.round,
            answer: of.answer,
            by: by.trim().to_owned(),
            // What nobody can see is no comment.
            comment: Some(of.comment.trim())
                .filter(|comment| {
                    comment
                        .chars()
                        .any(|c| !c.is_whitespace() && !c.is_control() && !log::is_hidden(c))
                })
                .unwrap_or_default()
                .to_owned(),
            seen: of.seen.into_iter().map(Digest::from).collect(),
            via: self.0.client.word().into(),
            lasting: of.lasting,
            way: of.way,
            report: of.report,
            key_name: self.other_name(by),
            signature: None,
        };
        if decision.seen.is_empty() {
            // An answer without a list of what was seen is bound to what the round shows.
            let state = history.state(None);
            decision.seen = state
                .gates
                .get(&decision.gate)
                .and_then(|rounds| rounds.iter().find(|r| r.opened.round == decision.round))
                .map(|r| r.opened.shown.iter().map(|a| a.digest.clone()).collect())
                .unwrap_or_default();
        }
        let mut history = history;
        let sign = |history: &History, decision: &mut Decision| -> Result<(), ApiError> {
            if let (Some(created), Some((_, opened))) = (history.created(), history.asked(decision)) {
                self.0.identity.sign(created, opened, self.grounds(history)?, decision);
            }
            Ok(())
        };
        let (gate, round) = (decision.gate.clone(), decision.round);
        // What is answered in a rehearsal, or before the project is trusted, grants nothing for real.
        let counts = self.is_trusted() && !history.created().is_some_and(RunCreated::is_rehearsal);
        let for_good = counts && decision.answer == Answer::Approve && decision.lasting == Some(Lasting::Always);
        let mut tries = 0;
        loop {
            sign(&history, &mut decision)?;
            match self.submit(&history, Intent::Answer(Arc::new(decision.clone()))).await {
                Ok(()) => break,
                // The run went on meanwhile: what is signed is signed again, over what there is now.
                Err(error) if error.code == crate::error::MOVED && tries < MOST_SIGNINGS => {
                    tries += 1;
                    history = self.history(&of.run_id)?;
                }
                Err(error) => return Err(self.who_was_faster(&of.run_id, &gate, round, error)),
            }
        }
        if for_good {
            self.permit_for_good(&history, &gate, round)?;
        }
        self.see_to(history.id());
        Ok(())
    }

    /// What is known when a decision is signed.
    fn grounds(&self, history: &History) -> Result<Grounds, ApiError> {
        let last = history.events().last();
        Ok(Grounds {
            // As the log takes it: time never goes back in it.
            at: crate::studio::now().max(last.map(|e| e.at).unwrap_or_default()),
            after: history.last(),
            link: history.link(history.last()).unwrap_or_default(),
            next: true,
            register: self.0.store.register()?,
        })
    }

    /// The name that belongs to the key of this account, where an answer is given in another one.
    pub fn other_name(&self, by: &str) -> Option<String> {
        let own = self.0.identity.person().name;
        Some(own).filter(|own| !own.is_empty() && own != by.trim())
    }

    /// Keeps what a permission names for later runs.
    fn permit_for_good(&self, history: &crate::history::History, gate: &GateId, round: u32) -> Result<(), ApiError> {
        let state = history.state(None);
        let opened = state
            .gates
            .get(gate)
            .and_then(|rounds| rounds.iter().find(|r| r.opened.round == round));
        let Some(opened) = opened.map(|r| &r.opened) else {
            return Ok(());
        };
        if let (Purpose::Permission { needs }, Some(step)) =
            (&opened.purpose, history.workflow().step(&opened.instance.step))
        {
            let needs = runtime::permits::lasting(step, needs);
            self.change_rights(|rights| {
                let new = needs.into_iter().filter(|need| !rights.granted.contains(need));
                let new: Vec<_> = new.collect();
                rights.granted.extend(new);
            })?;
        }
        Ok(())
    }

    /// A second answer is told who was first, and when.
    fn who_was_faster(&self, run: &str, gate: &GateId, round: u32, error: ApiError) -> ApiError {
        if error.code != "refused:already_answered" {
            return error;
        }
        let state = self.history(run).map(|history| history.state(None));
        let first = state
            .as_ref()
            .ok()
            .and_then(|s| s.gates.get(gate)?.iter().find(|r| r.opened.round == round));
        match first.and_then(|r| Some((&r.opened.purpose, r.answer.as_ref()?))) {
            Some((purpose, (decision, at))) => ApiError::new(
                error.code,
                format!("{} Your answer was not used.", asking::decided(purpose, decision, *at)),
            )
            .hint("Look at the decision that was made; if it must change, talk to whoever made it."),
            None => error,
        }
    }

    /// Digest of a file of the project as it is now; absent: it is not there.
    pub(crate) fn digest_on_disk(&self, path: &str) -> Option<Digest> {
        let file = self.inside(path).ok()?;
        let mut bytes = Vec::new();
        let file = regular::open(&file.canonicalize().ok()?).ok()?;
        file.take(64 << 20).read_to_end(&mut bytes).ok()?;
        Some(store::digest_of(&bytes))
    }
}

/// Reads an answer's word: `approve`, `changes`, `reject`, `pass` or `yes`, `fail` or `no`, `choose`.
pub fn answer_of_word(word: &str) -> Option<Answer> {
    Some(match word {
        "approve" => Answer::Approve,
        "changes" => Answer::Changes,
        "reject" => Answer::Reject,
        "pass" | "yes" => Answer::Pass,
        "fail" | "no" => Answer::Fail,
        "choose" => Answer::Choose,
        _ => return None,
    })
}
