//! The decisions of a run, for those who decide later and for whoever looks at a step; and the files that were made before.

use crate::gate::decision_view::{DecisionView, FileRef, MaterialView, RoundView};
use crate::gate::{asking, people};
use crate::settings::people_view::KeyStanding;
use crate::text::safe;
use crate::words;
use engine::{Decision, Digest, GateRound, Instance, RunState};
use model::Workflow;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a decision's signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Signed {
    /// It fits what was signed.
    pub holds: bool,
    /// Whose key it is, as far as that is known.
    pub whose: KeyStanding,
}

/// Looks at a decision's signature; `None`: it has none.
pub type Signatures<'a> = &'a dyn Fn(&Decision) -> Option<Signed>;

/// One round as others see it.
pub fn view(workflow: &Workflow, state: &RunState, round: &GateRound, signed: Signatures<'_>) -> DecisionView {
    let opened = &round.opened;
    DecisionView {
        gate: opened.gate.to_string(),
        purpose: asking::purpose(&opened.purpose),
        question: opened.question.clone(),
        step: words::step_at(workflow, state.created.as_deref(), &opened.instance),
        visit: opened.instance.visit,
        role: people::role(opened),
        decision: self::round(workflow, state, round, signed),
        files: opened
            .shown
            .iter()
            .map(|made| file(&made.path, Some(made.digest.to_string())))
            .collect(),
    }
}

/// One round, with what is known of its signature.
pub fn round_view(workflow: &Workflow, round: &GateRound, signatures: Signatures<'_>) -> RoundView {
    let answer = round.answer.as_ref();
    let signed = answer.and_then(|(d, _)| signatures(d));
    RoundView {
        round: round.opened.round,
        opened_at: round.since.0,
        answer: answer.map(|(d, _)| d.answer),
        status: answer.map(|(d, _)| asking::look(workflow, &round.opened, d)),
        is_question: asking::is_question(&round.opened.purpose),
        words: answer.map(|(d, _)| asking::answered_in(&round.opened, d)),
        instance: asking::instance(&round.opened.instance.path),
        by: answer.map(|(d, _)| words::decider(d)),
        answered_at: answer.map(|(_, at)| at.0),
        comment: answer.map(|(d, _)| d.comment.clone()).filter(|c| !c.is_empty()),
        via: answer.map(|(d, _)| d.via.clone()),
        key_short: answer
            .and_then(|(d, _)| d.signature.as_ref())
            .map(|s| crate::settings::identity::short(&s.key)),
        fingerprint: answer
            .and_then(|(d, _)| d.signature.as_ref())
            .map(|s| crate::settings::keys::fingerprint(&s.key)),
        signature_valid: signed.as_ref().map(|signed| signed.holds),
        whose: signed.filter(|signed| signed.holds).map(|signed| signed.whose),
        remark: answer.and_then(|(d, _)| people::signed_for(d)),
        not_shown: answer.map(|(d, _)| not_shown(round, d)).unwrap_or_default(),
        question: None,
    }
}

/// Whether a file that a question names was not shown to whoever answered it, as far as the record says so: the page could not draw it, or nothing is
/// shown the way it was answered.
pub fn is_only_named(decision: &Decision, digest: &Digest) -> bool {
    let shows_nothing = matches!(decision.via.as_str(), "cli" | Decision::YES | Decision::SCENARIO);
    shows_nothing || decision.undrawn.contains(digest) || !decision.seen.contains(digest)
}

fn not_shown(round: &GateRound, decision: &Decision) -> Vec<String> {
    let named = round
        .opened
        .shown
        .iter()
        .filter(|made| is_only_named(decision, &made.digest));
    // The folder of the run says nothing to anybody.
    let path = |path: &str| {
        let inside = path
            .strip_prefix(".gatehouse/runs/")
            .and_then(|rest| rest.split_once('/'));
        safe::visible(inside.map_or(path, |(_, inside)| inside))
    };
    named.map(|made| path(&made.path)).collect()
}

/// A round among those of its gate. An answer stands under the question that it was given to: the workflow may have been changed since.
pub fn beside(
    workflow: &Workflow,
    state: &RunState,
    (one, shown): (&GateRound, &GateRound),
    signed: Signatures<'_>,
) -> RoundView {
    let (then, now) = (&one.opened.question, &shown.opened.question);
    RoundView {
        question: (then != now).then(|| then.clone()),
        ..round(workflow, state, one, signed)
    }
}

/// A round, with what the other answers of the run say of its key.
pub fn round(workflow: &Workflow, state: &RunState, round: &GateRound, signed: Signatures<'_>) -> RoundView {
    RoundView {
        remark: round
            .answer
            .as_ref()
            .and_then(|(decision, _)| people::of_answer(state, decision)),
        ..round_view(workflow, round, signed)
    }
}

/// A file by its name.
pub fn file(path: &str, digest: Option<String>) -> FileRef {
    FileRef {
        path: safe::visible(path),
        name: words::file_name(path),
        digest,
        earlier: false,
    }
}

/// Which version of each file counts for whoever looks at a round: the one that it shows, else the one on disk while it waits, else the
/// last that had been made when it was asked.
pub struct Versions<'a> {
    round: &'a GateRound,
    made: BTreeMap<&'a str, &'a Digest>,
    on_disk: &'a dyn Fn(&str) -> Option<Digest>,
    /// What was looked up already: many decisions are about one file.
    known: BTreeMap<String, Option<Digest>>,
}

impl<'a> Versions<'a> {
    /// `then`: how the run stood when the round was asked.
    pub fn new(then: &'a RunState, round: &'a GateRound, on_disk: &'a dyn Fn(&str) -> Option<Digest>) -> Self {
        let results = then.results().into_iter();
        let made = results.flat_map(|(_, result)| &result.artifacts);
        Self {
            round,
            made: made.map(|made| (made.path.as_str(), &made.digest)).collect(),
            on_disk,
            known: BTreeMap::new(),
        }
    }

    fn is_earlier(&mut self, path: &str, digest: &Digest) -> bool {
        let counts = match self.known.get(path) {
            Some(known) => known.clone(),
            None => {
                let counts = self.counts(path);
                self.known.insert(path.to_owned(), counts.clone());
                counts
            }
        };
        counts.is_some_and(|counts| counts != *digest)
    }

    fn counts(&self, path: &str) -> Option<Digest> {
        let shown = self.round.opened.shown.iter().find(|made| made.path == path);
        if let Some(shown) = shown {
            return Some(shown.digest.clone());
        }
        let on_disk = match self.round.answer {
            None => (self.on_disk)(path),
            Some(_) => None,
        };
        on_disk.or_else(|| self.made.get(path).map(|digest| (*digest).clone()))
    }
}

/// What was decided before this round was asked, in the order it was; the gate's own rounds stand in the brief anyway.
pub fn before(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    signed: Signatures<'_>,
    versions: &mut Versions<'_>,
) -> Vec<DecisionView> {
    let others = state.gates.iter().filter(|(gate, _)| **gate != round.opened.gate);
    let mut earlier: Vec<&GateRound> = others
        .flat_map(|(_, rounds)| rounds)
        .filter(|other| other.answer.as_ref().is_some_and(|(_, at)| *at <= round.opened_at))
        .collect();
    earlier.sort_by_key(|other| other.answer.as_ref().map(|(_, at)| *at));
    earlier
        .into_iter()
        .map(|other| {
            let mut decision = view(workflow, state, other, signed);
            for (file, shown) in decision.files.iter_mut().zip(&other.opened.shown) {
                file.earlier = versions.is_earlier(&shown.path, &shown.digest);
            }
            decision
        })
        .collect()
}

/// Everything that was asked at some visits of a step, oldest first.
pub fn of_visits(
    workflow: &Workflow,
    state: &RunState,
    is_one: impl Fn(&Instance) -> bool,
    signed: Signatures<'_>,
) -> Vec<DecisionView> {
    let rounds = state.gates.values().flatten();
    let mut here: Vec<&GateRound> = rounds.filter(|round| is_one(&round.opened.instance)).collect();
    here.sort_by_key(|round| round.opened_at);
    here.into_iter()
        .map(|round| view(workflow, state, round, signed))
        .collect()
}

/// The files of the steps that had come to their end when this round was asked, as far as the round does not show them itself.
/// `read`: the files of the project that a step reads and nobody made, as far as they are there.
pub fn materials(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    read: &dyn Fn(&str) -> Option<String>,
    versions: &mut Versions<'_>,
) -> Vec<MaterialView> {
    let shown: BTreeSet<(&str, &str)> = round
        .opened
        .shown
        .iter()
        .map(|made| (made.path.as_str(), made.digest.as_str()))
        .collect();
    let results: Vec<_> = workflow
        .steps()
        .iter()
        .filter_map(|step| {
            let visits = state.steps.get(&step.id)?.visits.iter().rev();
            let mut attempts = visits.filter_map(|visit| visit.attempts.last());
            let ended = attempts.find(|a| a.ended_at.is_some_and(|at| at <= round.opened_at))?;
            Some((step, ended.result.as_deref()?))
        })
        .collect();
    let made_by_any: BTreeSet<&str> = results
        .iter()
        .flat_map(|(_, result)| result.artifacts.iter().map(|made| made.path.as_str()))
        .collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let views = results.iter().map(|(step, result)| {
        let made = result
            .artifacts
            .iter()
            .filter(|made| !shown.contains(&(made.path.as_str(), made.digest.as_str())));
        let read = step.inputs.iter().filter_map(|input| read(input));
        MaterialView {
            step: words::of_step(step),
            made: made
                .map(|made| FileRef {
                    earlier: versions.is_earlier(&made.path, &made.digest),
                    ..file(&made.path, Some(made.digest.to_string()))
                })
                .collect(),
            read: read
                .filter(|path| !made_by_any.contains(path.as_str()) && seen.insert(path.clone()))
                .map(|path| file(&path, None))
                .collect(),
        }
    });
    views
        .filter(|one| !one.made.is_empty() || !one.read.is_empty())
        .collect()
}
