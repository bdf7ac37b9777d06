//! Answering a gate: what is recorded, signed, and permitted for good.

use crate::command::{AnswerOf, GateOf};
use crate::gate::view::GateBrief;
use crate::gate::{asking, consequences};
use crate::run::history::History;
use crate::settings::query::{good_name, still_called};
use crate::text::artifact::{self, Shown};
use crate::text::{paste, safe};
use crate::{ApiError, Client, Studio};
use chrono_tz::Tz;
use engine::{
    APPROVED_BY_YES, Answer, Artifact, Decision, Digest, GateId, Grounds, Intent, Lasting, Purpose, Refusal,
    RefusalCode, RunCreated, RunId, RunState,
};
use runtime::Said;
use serde_json::json;
use std::io::Read;
use std::sync::Arc;
use store::below;

impl Studio {
    /// Answers a gate in the name of the person of this account.
    pub(crate) async fn answer(&self, of: AnswerOf) -> Result<GateBrief, ApiError> {
        // Nobody gives their name for what cannot be recorded.
        self.writable()?;
        let name = self.0.identity.person().name;
        if name.is_empty() {
            return Err(ApiError::new(
                "refused:name_required",
                "Enter your name first. It is signed with every decision.",
            )
            .hint("Give your name in the settings, then decide."));
        }
        still_called(&name, of.by.as_deref())?;
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

    /// Answers a gate in a given name, signed with the key of this account, and sees to it that the run goes on. What the guardrails only warn of
    /// in it, in sentences.
    ///
    /// # Errors
    /// `refused:…` when the gate does not wait (any more); whatever the store reports.
    pub async fn decide(&self, of: AnswerOf, by: &str) -> Result<Vec<String>, ApiError> {
        self.decide_via(of, by, self.0.client.word()).await
    }

    /// Refuses to permit what a step wants to do whose run another account carries on: that goes by what was permitted there, and would ask again.
    fn may_permit(&self, history: &History, decision: &Decision) -> Result<(), ApiError> {
        let asked = history.asked(decision);
        if !asked.is_some_and(|(_, opened)| asking::permits(&opened.purpose, decision.answer)) {
            return Ok(());
        }
        match self.carried_elsewhere(history.id(), &history.state(None)) {
            Some(who) => Err(Refusal::new(RefusalCode::AnswerNotOffered, asking::permitted_there(&who)).into()),
            None => Ok(()),
        }
    }

    /// Approves in a given name what a gate asks, although nobody has looked at it (`--yes`): recorded and signed as such.
    ///
    /// # Errors
    /// As of [`Studio::decide`].
    pub async fn approve_unseen(&self, run: &str, gate: &str, round: u32, by: &str) -> Result<(), ApiError> {
        let answer = AnswerOf {
            run_id: run.to_owned(),
            gate: gate.to_owned(),
            round,
            answer: Answer::Approve,
            comment: APPROVED_BY_YES.into(),
            seen: Vec::new(),
            undrawn: None,
            lasting: None,
            way: None,
            report: Default::default(),
            by: None,
        };
        self.decide_via(answer, by, Decision::YES).await.map(drop)
    }

    async fn decide_via(&self, of: AnswerOf, by: &str, via: &str) -> Result<Vec<String>, ApiError> {
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
                "Stop it: gatehouse abort {}. Start a new run if it is still wanted.",
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
                    let is_seen = |c: char| !c.is_whitespace() && !c.is_control() && !model::is_unseen(c);
                    comment.chars().any(is_seen)
                })
                .unwrap_or_default()
                .to_owned(),
            seen: of.seen.into_iter().map(Digest::from).collect(),
            undrawn: Vec::new(),
            via: via.to_owned(),
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
        // A page that cannot draw a file has named it and not shown it, whatever is sent with the answer.
        if matches!(self.0.client, Client::Desktop | Client::Serve) && via == self.0.client.word() {
            decision.undrawn = self.undrawn(&history, &decision, of.undrawn.as_deref());
        }
        // Nobody has looked: the answer is bound to the files, and they were shown to nobody.
        if via == Decision::YES {
            decision.undrawn.clone_from(&decision.seen);
        }
        self.may_permit(&history, &decision)?;
        // What is no number where one is compared would be signed, and lead where nobody wanted to go.
        if let Some((_, opened)) = history.asked(&decision) {
            let report = std::mem::take(&mut decision.report);
            let compared = consequences::as_compared(history.workflow(), opened, report);
            decision.report = compared.map_err(unfit)?;
        }
        let is_own_name = decision.by == self.0.identity.person().name;
        let warned = self.may_be_said(&history, &said_in(&decision, is_own_name))?;
        let (gate, round) = (decision.gate.clone(), decision.round);
        // What is answered in a rehearsal, or before the project is trusted, grants nothing for real.
        let counts = self.is_trusted() && !history.created().is_some_and(RunCreated::is_rehearsal);
        let for_good = counts && decision.answer == Answer::Approve && decision.lasting == Some(Lasting::Always);
        let signed = |history: &History| {
            let mut decision = decision.clone();
            if let (Some(created), Some((_, opened))) = (history.created(), history.asked(&decision)) {
                self.0
                    .identity
                    .sign(created, opened, self.grounds(history)?, &mut decision);
            }
            self.may_pass(history, &decision)?;
            Ok(Intent::Answer(Arc::new(decision)))
        };
        let history = self
            .submit_signed(history, signed)
            .await
            .map_err(|error| self.who_was_faster(&of.run_id, &gate, round, error))?;
        if for_good {
            self.permit_for_good(&history, &gate, round)?;
        }
        self.see_to_with_around(history.id());
        Ok(warned)
    }

    /// Which of the files that an answer is bound to a page has only named: those that it cannot draw, or not all of what prints, and those of which
    /// it says that not all was on the screen (`told`).
    fn undrawn(&self, history: &History, decision: &Decision, told: Option<&[String]>) -> Vec<Digest> {
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        let shown = history.asked(decision).map(|(_, opened)| opened.shown.as_slice());
        let shown = shown.unwrap_or_default().iter();
        let is_told = |digest: &Digest| told.is_some_and(|told| told.iter().any(|one| one == digest.as_str()));
        let is_named = |made: &Artifact| match artifact::read(made, &blobs) {
            _ if is_told(&made.digest) => true,
            // Whether it is drawn the page alone knows: one that says nothing of it has drawn nothing.
            Ok(Shown::Drawn { .. }) => told.is_none(),
            Ok(shown) => !shown.is_whole(),
            Err(_) => true,
        };
        let named = shown.filter(|made| decision.seen.contains(&made.digest) && is_named(made));
        named.map(|made| made.digest.clone()).collect()
    }

    /// Refuses what the guardrails of a run stop, before anything of it is recorded; what they only warn of, in sentences.
    ///
    /// # Errors
    /// `refused:guardrail`, with the fields.
    pub(crate) fn may_be_said(&self, history: &History, said: &[Said]) -> Result<Vec<String>, ApiError> {
        match history.created() {
            Some(created) => Ok(runtime::may_be_said(&self.0.store, created, said)?),
            None => Ok(Vec::new()),
        }
    }

    /// What is known when a decision is signed.
    pub(crate) fn grounds(&self, history: &History) -> Result<Grounds, ApiError> {
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
    fn permit_for_good(
        &self,
        history: &crate::run::history::History,
        gate: &GateId,
        round: u32,
    ) -> Result<(), ApiError> {
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

    /// A gate by its id or the id of its step, with the round that waits (or `round`). A step may be called as the gate of another one is:
    /// what is printed to be pasted is a gate's id, so that the gate is meant.
    ///
    /// # Errors
    /// `not_found`; `refused:already_answered`: of a step and a round, another question of that step waits by now.
    pub fn find_gate(&self, id: &str, gate: &str, round: Option<u32>) -> Result<(RunId, String, u32), ApiError> {
        let history = self.history(id)?;
        let state = history.state(None);
        if let Some(refused) = round.and_then(|round| meant_another(history.id(), &state, gate, round, self.zone())) {
            return Err(refused);
        }
        let fitting = state.gates.iter().filter_map(|(key, rounds)| {
            let last = rounds.last()?;
            let is_it = key.as_str() == gate;
            let fits = is_it || last.opened.instance.step.as_str() == gate;
            fits.then(|| {
                (
                    (!is_it, last.answer.is_some()),
                    (key.to_string(), round.unwrap_or(last.opened.round)),
                )
            })
        });
        // A step can have several gates: its own, and those where its permission or its outcome is asked for. The one that waits is meant.
        let found = fitting.min_by_key(|(order, _)| *order).map(|(_, found)| found);
        let (gate, round) = found.ok_or_else(|| {
            let asked = state.gates.iter().flat_map(|(key, rounds)| {
                let step = rounds.last().map(|last| last.opened.instance.step.as_str());
                [Some(key.as_str()), step].into_iter().flatten()
            });
            let hint = match model::cel::nearest(gate, asked) {
                Some(near) => format!("Did you mean “{near}”? `gatehouse status RUN` shows what it waits for."),
                None => "`gatehouse status RUN` shows what it waits for.".to_owned(),
            };
            ApiError::new("not_found", format!("The run has not asked “{gate}” (yet).")).hint(hint)
        })?;
        Ok((history.id().clone(), gate, round))
    }

    /// A second answer is told who was first, and when.
    fn who_was_faster(&self, run: &str, gate: &GateId, round: u32, error: ApiError) -> ApiError {
        if !error.is(RefusalCode::AlreadyAnswered) {
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
                format!(
                    "{} Your answer was not used.",
                    asking::decided(purpose, decision, *at, self.zone())
                ),
            )
            .hint("Look at the decision that was made; if it must change, talk to whoever made it."),
            None => error,
        }
    }

    /// Digest of a file of the project as it is now; absent: it is not there.
    pub(crate) fn digest_on_disk(&self, path: &str) -> Option<Digest> {
        self.inside(path).ok()?;
        let mut bytes = Vec::new();
        let file = below::open(&self.0.root, path).ok()?;
        file.take(64 << 20).read_to_end(&mut bytes).ok()?;
        Some(store::digest_of(&bytes))
    }
}

/// Why an answer that names a step and a round is given to none of the step's gates: that round of one of them was answered, and another one waits.
/// Whoever was shown the first question has not read the second.
fn meant_another(run: &RunId, state: &RunState, step: &str, round: u32, zone: Option<Tz>) -> Option<ApiError> {
    if state.gates.keys().any(|gate| gate.as_str() == step) {
        return None;
    }
    let rounds = state.gates.values().flatten().filter(|asked| {
        let opened = &asked.opened;
        opened.instance.step.as_str() == step && opened.round == round
    });
    let answered = rounds.filter_map(|asked| Some((&asked.opened, asked.answer.as_ref()?)));
    let (first, (decision, at)) = answered.max_by_key(|(_, (_, at))| *at)?;
    let open = state.open_gates().into_iter().map(|asked| &asked.opened);
    let open: Vec<_> = open
        .filter(|other| other.instance.step.as_str() == step && other.gate != first.gate)
        .collect();
    let waits = open.first()?;
    let run = paste::shell_word_or(run.as_str(), "RUN");
    let commands = open.iter().map(|other| {
        let gate = paste::shell_word_or(other.gate.as_str(), "GATE");
        format!("`gatehouse answer {run} {gate} ANSWER --round {}`", other.round)
    });
    let commands: Vec<String> = commands.collect();
    let message = format!(
        "Of “{}”: {} Your answer was not used: “{}” is asked there now, which is another question.",
        safe::in_quotes(&first.question),
        asking::decided(&first.purpose, decision, *at, zone),
        safe::in_quotes(&waits.question)
    );
    let refused = ApiError::from(Refusal::new(RefusalCode::AlreadyAnswered, message));
    Some(refused.hint(format!(
        "Look at what is asked, and name the gate whole: {}.",
        commands.join(" or ")
    )))
}

/// Why what somebody reports is not taken.
fn unfit(faults: Vec<(String, String)>) -> ApiError {
    let said: Vec<&str> = faults.iter().map(|(_, why)| why.as_str()).collect();
    let mut refused = ApiError::new("refused:report_unfit", said.join(" "))
        .hint("The way on is decided by it. Write it so, and answer again: nothing was recorded.");
    refused.fields = faults.into_iter().collect();
    refused
}

/// What somebody types with an answer: the next attempt is told it, and of a step that they carried out it is the result.
fn said_in(decision: &Decision, is_own_name: bool) -> Vec<Said> {
    let is_output = matches!(decision.answer, Answer::Pass | Answer::Fail);
    let said = |field, name, value| Said {
        field,
        name,
        value,
        is_output,
    };
    let mut all = Vec::new();
    // A name of the settings was typed there.
    if !is_own_name && !decision.by.is_empty() {
        all.push(Said {
            is_output: false,
            ..said("by", "The name to sign with", decision.by.as_str().into())
        });
    }
    // Of `--yes` nobody typed another word.
    if decision.via == Decision::YES {
        return all;
    }
    if !decision.comment.is_empty() {
        all.push(said("comment", "Your comment", decision.comment.as_str().into()));
    }
    if !decision.report.is_empty() {
        // Rules take keys for names of ours.
        let fields: Vec<&String> = decision.report.keys().collect();
        all.push(said("report", "What you report", json!([fields, decision.report])));
    }
    all
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
