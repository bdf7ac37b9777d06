//! Four eyes: whoever began a run, or carried a part of it out, approves nothing in it, where the project wants it so (`hitl.four_eyes`).
//! No contract asks for it; it is the usual separation of who does the work from who approves it.
//!
//! A run and the runs inside it are one piece of work: a run inside is told at its beginning who took part around it
//! ([`RunCreated::hands`]), and its step tells at its end who took part in it ([`crate::StepResult::hands`]). Both stand in the log. What was done
//! since then around it, beside it, or inside it in a run of which no step has told, whoever takes an answer reads in the other logs
//! ([`RunState::wants_another_beside`]).

use crate::control::bars::leads_past;
use crate::{
    Answer, Decision, GateOpened, GateReason, Part, Purpose, RunCreated, RunId, RunState, TookPart, Ungated, WayAction,
};
use model::{Workflow, is_unseen};
use std::iter::successors;
use unicode_normalization::UnicodeNormalization as _;

/// Somebody who answers, by all that they are known by.
#[derive(Debug, Clone, Copy)]
pub struct Hand<'a> {
    /// The name that they answer in.
    pub name: &'a str,
    /// The name that their key belongs to, where that is another one.
    pub key_name: Option<&'a str>,
    /// Their public key, in hexadecimal digits.
    pub key: Option<&'a str>,
    /// They answer without having looked (`--yes`).
    pub unseen: bool,
}

impl<'a> From<&'a Decision> for Hand<'a> {
    fn from(decision: &'a Decision) -> Self {
        Self {
            name: &decision.by,
            key_name: decision.key_name.as_deref(),
            key: decision.signature.as_ref().map(|signature| signature.key.as_str()),
            unseen: decision.via == Decision::YES,
        }
    }
}

impl<'a> From<&'a TookPart> for Hand<'a> {
    fn from(took: &'a TookPart) -> Self {
        Self {
            name: &took.name,
            key_name: took.key_name.as_deref(),
            key: took.key.as_deref(),
            unseen: false,
        }
    }
}

/// A name as names are held against each other: in small letters, an accent as a part of its letter, one blank where there are several or one of
/// another kind. What leaves no trace on a screen is no part of it.
pub fn plain_name(name: &str) -> String {
    let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    words.join(" ").to_lowercase().nfc().collect()
}

/// Whether two names are the same person's, however they are written ([`plain_name`]).
pub fn is_same_name(one: &str, other: &str) -> bool {
    plain_name(one) == plain_name(other)
}

impl<'a> Hand<'a> {
    fn names(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.name).chain(self.key_name)
    }

    /// Whether this is the person who has this name or this key.
    fn is(&self, name: &str, key: Option<&str>) -> bool {
        let same = |own: &str| !name.trim().is_empty() && is_same_name(own, name);
        self.names().any(same) || key.is_some() && self.key == key
    }

    /// Whether this is the same person as another one who did something.
    fn is_one(&self, other: Hand<'_>) -> bool {
        other.names().any(|name| self.is(name, other.key))
    }

    fn took(self, run: &RunId, part: Part) -> TookPart {
        TookPart {
            run: run.clone(),
            part,
            name: self.name.to_owned(),
            key_name: self.key_name.map(str::to_owned),
            key: self.key.map(str::to_owned),
        }
    }
}

/// Whoever began a run.
fn beginner(created: &RunCreated) -> Hand<'_> {
    Hand {
        name: &created.by,
        key_name: None,
        key: created.begun_with.as_deref(),
        unseen: false,
    }
}

/// A run and those that it goes on from, the latest first.
fn begun(created: &RunCreated) -> impl Iterator<Item = &RunCreated> {
    successors(Some(created), |created| {
        created.continues.as_deref().map(|earlier| &*earlier.created)
    })
}

impl RunState {
    /// Whether approvals in this run need a second person. Nobody's work is approved in a rehearsal.
    pub fn wants_four_eyes(&self) -> bool {
        self.created
            .as_deref()
            .is_some_and(|created| created.policy.four_eyes && !created.is_rehearsal())
    }

    /// Why it takes somebody else to give this answer, as sentences: what this person did in a run that wants a second one to approve. They
    /// may always ask for changes or reject.
    pub fn wants_another(
        &self,
        workflow: &Workflow,
        opened: &GateOpened,
        (answer, way): (Answer, Option<&str>),
        hand: Hand<'_>,
    ) -> Option<String> {
        if !self.wants_four_eyes() || !lets_pass(workflow, self, opened, (answer, way)) {
            return None;
        }
        self.took_part(hand)
    }

    /// The same of whoever goes on from this run with a workflow in which gates are gone or ask less: who may not approve takes no gate away
    /// either. `wanted`: the project wants four eyes by now; `beside`: as of [`RunState::wants_another_beside`].
    pub fn wants_another_to_ungate(
        &self,
        ungated: &[Ungated],
        wanted: bool,
        hand: Hand<'_>,
        beside: &[TookPart],
    ) -> Option<String> {
        let created = self.created.as_deref().filter(|created| !created.is_rehearsal())?;
        if ungated.is_empty() || !(wanted || created.policy.four_eyes) {
            return None;
        }
        let did = self.did(created, hand).map(str::to_owned);
        let did = did.or_else(|| did_beside(hand, beside))?;
        let gates: Vec<String> = ungated.iter().map(Ungated::words).collect();
        Some(format!(
            "You {did}, and the project wants four eyes (`hitl.four_eyes`): somebody else has to go on with the file as it is now, because of its gates. {} Put back what they ask, or let somebody else go on.",
            gates.join(" ")
        ))
    }

    /// The same of whoever raises evidence.
    pub(crate) fn took_part(&self, hand: Hand<'_>) -> Option<String> {
        let created = self.created.as_deref().filter(|_| self.wants_four_eyes())?;
        if hand.unseen {
            return Some(UNSEEN.to_owned());
        }
        let did = self.did(created, hand)?;
        Some(format!(
            "You {did}, and the project wants four eyes: somebody else has to approve, with a key of their own (`hitl.four_eyes`)."
        ))
    }

    /// Why it takes somebody else to give this answer because of what this person did in another run of the same work, of which this log tells
    /// nothing. `beside`: who carried steps out in the runs around, inside and beside this one ([`RunState::worked`]), as their logs have it by now.
    pub fn wants_another_beside(
        &self,
        workflow: &Workflow,
        opened: &GateOpened,
        given: (Answer, Option<&str>),
        hand: Hand<'_>,
        beside: &[TookPart],
    ) -> Option<String> {
        match lets_pass(workflow, self, opened, given) {
            true => self.took_part_beside(hand, beside),
            false => None,
        }
    }

    /// The same of whoever raises evidence. What this log itself tells of them is not said here: it refuses that by itself.
    pub fn took_part_beside(&self, hand: Hand<'_>, beside: &[TookPart]) -> Option<String> {
        let created = self.created.as_deref().filter(|_| self.wants_four_eyes())?;
        if hand.unseen || self.did(created, hand).is_some() {
            return None;
        }
        let did = did_beside(hand, beside)?;
        Some(format!(
            "You {did}, and the project wants four eyes: somebody else has to approve, with a key of their own (`hitl.four_eyes`)."
        ))
    }

    /// What this person did in the run, or in those around and inside it.
    fn did(&self, created: &RunCreated, hand: Hand<'_>) -> Option<&'static str> {
        let is = |other: Hand<'_>| hand.is_one(other);
        match begun(created).position(|created| is(beginner(created))) {
            // A run inside is begun in the name of whoever began the one around it.
            Some(0) if created.parent.is_some() => return Some("began the run around this one"),
            // Who chooses what stands and what is done again has a hand in what comes of it.
            Some(0) if created.continues.is_some() => return Some("began this run by going on from an earlier one"),
            Some(0) => return Some("began this run"),
            Some(_) => return Some("began the run that this one goes on from"),
            None => {}
        }
        if self.own_work().any(is) {
            return Some("carried out a step of this run");
        }
        let mut around = begun(created).flat_map(|created| &created.hands);
        if let Some(took) = around.find(|took| is((*took).into())) {
            return Some(match took.part {
                Part::Began => "began the run around this one",
                Part::BeganBefore => "began the run that the one around this one goes on from",
                Part::Worked => "carried out a step of the run around this one",
            });
        }
        let is_inside = self.hands_inside().any(|took| is(took.into()));
        is_inside.then_some("carried out a step of a run inside this one")
    }

    /// Who answered how steps of this run went.
    fn own_work(&self) -> impl Iterator<Item = Hand<'_>> {
        self.gates.values().flatten().filter_map(|round| {
            let (decision, _) = round.answer.as_ref()?;
            matches!(round.opened.purpose, Purpose::Outcome { .. }).then(|| Hand::from(&**decision))
        })
    }

    /// Who carried steps out in the runs inside this one, as its steps say since those have ended.
    fn hands_inside(&self) -> impl Iterator<Item = &TookPart> {
        let results = self.results().into_iter();
        results.flat_map(|(_, result)| &result.hands)
    }

    /// Who carried steps out in this run and in those inside it: what the run around it is to know. Nobody where one person may do it all.
    pub fn workers(&self) -> Vec<TookPart> {
        match self.wants_four_eyes() {
            true => self.worked(),
            false => Vec::new(),
        }
    }

    /// The same whatever this run wants: a run that goes on from it may want four eyes by then.
    pub fn worked(&self) -> Vec<TookPart> {
        let Some(created) = self.created.as_deref() else {
            return Vec::new();
        };
        let own = self.own_work().map(|hand| hand.took(&created.run_id, Part::Worked));
        each_once(own.chain(self.hands_inside().cloned()))
    }

    /// Who began this run and who carried steps out in it, and the same of the runs around and inside it: what a run that begins inside it is
    /// to know. Nobody where one person may do it all.
    pub fn hands(&self) -> Vec<TookPart> {
        let Some(created) = self.created.as_deref().filter(|_| self.wants_four_eyes()) else {
            return Vec::new();
        };
        let began = begun(created).enumerate().map(|(at, created)| {
            let part = match at {
                0 => Part::Began,
                _ => Part::BeganBefore,
            };
            beginner(created).took(&created.run_id, part)
        });
        let around = begun(created).flat_map(|created| created.hands.iter().cloned());
        each_once(began.chain(around).chain(self.workers()))
    }
}

/// What this person did beside a run, as the logs of the other runs of the same work have it.
fn did_beside(hand: Hand<'_>, beside: &[TookPart]) -> Option<String> {
    let took = beside.iter().find(|took| hand.is_one((*took).into()))?;
    Some(format!(
        "carried out a step of the run {}, which is a part of the same work",
        took.run
    ))
}

fn each_once(all: impl Iterator<Item = TookPart>) -> Vec<TookPart> {
    let mut found: Vec<TookPart> = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

const UNSEEN: &str = "`--yes` approves without looking, and the project wants four eyes (`hitl.four_eyes`): somebody else has to look and approve.";

/// Whether an answer lets a run past a gate.
fn lets_pass(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    (answer, way): (Answer, Option<&str>),
) -> bool {
    match (&opened.purpose, answer) {
        (Purpose::Approval | Purpose::Tool { .. }, Answer::Approve) => true,
        (Purpose::Way { ways }, Answer::Choose) => {
            let Some(chosen) = ways.iter().find(|one| way == Some(one.id.as_str())) else {
                return false;
            };
            let Some(from) = workflow.step(&opened.instance.step) else {
                return false;
            };
            match opened.why {
                _ if chosen.action == WayAction::LeaveOut => from.gate.is_some(),
                // Whatever lies on the way: no edge of the file leads there.
                GateReason::PastGate | GateReason::Proposal if !chosen.drawn => true,
                _ => leads_past(workflow, state, from, ways, chosen),
            }
        }
        _ => false,
    }
}
