//! Evidence in words: how well a claim is founded, for how long, what it rests on, and how strong several are together (seed 000
//! "Evidence", CONTRACTS "StepSpec").

use crate::evidence::decay::{Reason, Validity, decay};
use crate::evidence::view::{
    AboutView, Drift, EvidenceView, GateRef, PromoteView, PromotionView, SupportPart, SupportView, ValidityView,
};
use crate::run::instances;
use crate::settings::identity;
use crate::text::safe;
use crate::view::Refused;
use crate::words;
use engine::{Digest, Evidence, EvidenceState, Level, RefusalCode, RunState, evidence};
use model::Workflow;
use runtime::clock::moment;

/// A record that expires within so many days is pointed out.
const SOON_DAYS: i64 = 30;
const DAY_MS: i64 = 24 * HOUR_MS;
const HOUR_MS: i64 = 60 * 60 * 1000;

/// Digest of a project's file as it is on disk now; absent: the files as they are now are not looked at.
pub type OnDisk<'a> = Option<&'a dyn Fn(&str) -> Option<Digest>>;

/// The run whose evidence is shown, and the moment it is looked at.
pub struct Of<'a> {
    /// The workflow in the version the run kept.
    pub workflow: &'a Workflow,
    /// The run.
    pub state: &'a RunState,
    /// Milliseconds since 1970.
    pub now: i64,
    /// The files now.
    pub on_disk: OnDisk<'a>,
}

/// Every record of the run, in the order recorded.
pub fn all(of: &Of<'_>) -> Vec<EvidenceView> {
    of.state.evidence.iter().map(|held| view(of, held)).collect()
}

/// One record as it stands.
pub fn view(of: &Of<'_>, held: &EvidenceState) -> EvidenceView {
    let record = &held.record;
    let created = of.state.created.as_deref();
    let score = evidence::score(Some(record.reliability), &record.congruence);
    let rehearsal = created.is_some_and(engine::RunCreated::is_rehearsal);
    let mut validity = validity(record, of.now);
    let mut holds = holds(&validity, of.now);
    // What supports nothing does not expire.
    if rehearsal {
        validity.words = "supports nothing".to_owned();
        validity.soon = false;
        holds = validity.words.clone();
    }
    EvidenceView {
        id: record.id.clone(),
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        subject: created.and_then(|c| c.subject.clone()),
        step: words::step_in(of.workflow, of.state.created.as_deref(), &held.instance.step),
        // A visit at which a person refused what the step wanted to do is counted nowhere else.
        visit: instances::times(of.state, &held.instance),
        recorded_at: held.recorded_at.0,
        name: files_of(held),
        quoted: quoted(&readable(record)),
        claim: readable(record),
        level: record.level,
        level_words: match rehearsal {
            true => "no level: it was rehearsed",
            false => standing(held),
        }
        .to_owned(),
        asked: record.asked,
        source: safe::visible(&record.source),
        date: safe::visible(&record.date),
        congruence: congruence(&record.congruence).to_owned(),
        congruence_words: congruence_words(&record.congruence).to_owned(),
        factor: evidence::factor(&record.congruence),
        reliability: record.reliability,
        score,
        counts: if validity.status == Validity::Active && !rehearsal {
            score
        } else {
            0.0
        },
        formula: formula(record),
        holds,
        validity,
        carrier: safe::visible(&record.carrier_ref),
        about: record.artifacts.iter().map(|about| self::about(of, about)).collect(),
        notes: safe::visible_text(&record.notes),
        promotions: held
            .promotions
            .iter()
            .map(|(promotion, at)| PromotionView {
                from: promotion.from,
                to: promotion.to,
                by: promotion.by.clone(),
                at: at.0,
                reason: promotion.reason.clone(),
                gate: promotion.gate.as_ref().map(|(gate, round)| GateRef {
                    gate: gate.to_string(),
                    round: *round,
                    question: question(of.state, gate, *round),
                }),
                key_short: promotion.signature.as_ref().map(|signed| identity::short(&signed.key)),
            })
            .collect(),
        superseded: held.superseded,
        refused: refused(of.state, held),
        rehearsal,
        promote: promote(held, rehearsal),
    }
}

/// What the last person said who was shown a file that the record is about, as it is in the record, where they did not take it.
fn refused(state: &RunState, held: &EvidenceState) -> Option<String> {
    let is_it = |shown: &engine::Artifact| held.record.artifacts.iter().any(|about| about.digest == shown.digest);
    let rounds = state.gates.values().flatten();
    // Whoever sends one step's work back has not spoken against what else they were shown.
    let is_about = |round: &&engine::GateRound| {
        let sent_back = matches!(&round.answer, Some((decision, _)) if decision.answer == engine::Answer::Changes);
        !sent_back || round.opened.changes_to.as_ref() == Some(&held.instance.step)
    };
    let answered = rounds
        .filter(|round| round.opened.purpose == engine::Purpose::Approval && round.opened.shown.iter().any(is_it))
        .filter(is_about)
        .filter_map(|round| round.answer.as_ref());
    let (decision, _) = answered.max_by_key(|(_, at)| *at)?;
    words::not_taken(decision)
}

fn question(state: &RunState, gate: &engine::GateId, round: u32) -> String {
    let asked = state.rounds_of(gate).find(|r| r.opened.round == round);
    asked.map(|r| r.opened.question.clone()).unwrap_or_default()
}

fn about(of: &Of<'_>, about: &engine::About) -> AboutView {
    let name = words::file_name(&about.path);
    let (drift, words) = match of.on_disk.map(|on_disk| on_disk(&about.path)) {
        None => (Drift::Same, None),
        Some(Some(now)) if now == about.digest => (Drift::Same, None),
        Some(Some(_)) => (
            Drift::Changed,
            Some(format!("{} has changed since.", safe::in_sentence(&name))),
        ),
        Some(None) => (
            Drift::Gone,
            Some(format!("{} is not there any more.", safe::in_sentence(&name))),
        ),
    };
    AboutView {
        path: about.path.clone(),
        name,
        digest: about.digest.to_string(),
        drift,
        words,
    }
}

fn promote(held: &EvidenceState, rehearsal: bool) -> PromoteView {
    let to = held.record.level.next();
    let message = match to {
        _ if rehearsal => Some("It comes from a rehearsal: nothing of it happened, so it cannot be promoted."),
        _ if held.superseded => Some("The step has run again since and recorded new evidence. Confirm that."),
        None => Some("A person has confirmed it already; there is no higher level."),
        Some(_) => None,
    };
    PromoteView {
        to: to.filter(|_| message.is_none()),
        // Raised by a person it is never “checked automatically”.
        words: to.map(|to| match to {
            Level::L1 => "confirmed once by a person".to_owned(),
            to => level_words(to).to_owned(),
        }),
        refusal: message.map(|message| Refused {
            code: RefusalCode::CannotPromote,
            message: message.to_owned(),
        }),
    }
}

/// What a level asks for.
pub fn level_words(level: Level) -> &'static str {
    match level {
        Level::L0 => "only claimed",
        Level::L1 => "checked automatically",
        Level::L2 => "confirmed by a person",
    }
}

/// How a record came to its level: a person may raise one that no check has passed.
fn standing(held: &EvidenceState) -> &'static str {
    match held.record.level {
        Level::L1 if !held.promotions.is_empty() => "confirmed once by a person",
        level => level_words(level),
    }
}

/// What a record is about, in short: its files by their names, else its claim.
pub fn files_of(held: &EvidenceState) -> String {
    let names: Vec<String> = held
        .record
        .artifacts
        .iter()
        .map(|about| words::file_name(&about.path))
        .collect();
    match names.as_slice() {
        [] => quoted(&readable(&held.record)),
        [one] => one.clone(),
        [one, rest @ ..] => format!("{one} and {} more", rest.len()),
    }
}

/// A claim for reading: the files it names go by their names.
fn readable(record: &Evidence) -> String {
    let claim = record.artifacts.iter().fold(record.claim.clone(), |claim, about| {
        claim.replace(&about.path, &words::file_name(&about.path))
    });
    safe::visible(&claim)
}

/// How long a record holds, within a sentence: `valid for 12 days`.
fn holds(validity: &ValidityView, now: i64) -> String {
    match validity.until_at {
        Some(until) if validity.status == Validity::Active => match span(left(&validity.until, until, now), "for ", "")
        {
            short if short.starts_with("within") => "valid for less than an hour".to_owned(),
            length => format!("valid {length}"),
        },
        _ => validity.words.clone(),
    }
}

/// A claim in quotation marks; what it quotes itself stands in single ones.
pub fn quoted(claim: &str) -> String {
    let inner = claim.trim().trim_end_matches('.').replace('“', "‘").replace('”', "’");
    format!("“{inner}”")
}

fn congruence(word: &str) -> &'static str {
    match word.trim().to_uppercase().as_str() {
        "CL3" => "CL3",
        "CL2" => "CL2",
        _ => "CL1",
    }
}

fn congruence_words(word: &str) -> &'static str {
    match congruence(word) {
        "CL3" => "what was looked at is what is claimed",
        "CL2" => "what was looked at is close to what is claimed",
        _ if word.trim().is_empty() => "how close it is to the claim is not said; it counts as only related",
        _ => "what was looked at is only related to what is claimed",
    }
}

/// `0.9 × 0.8 (CL2) = 0.72`.
fn formula(record: &Evidence) -> String {
    let score = evidence::score(Some(record.reliability), &record.congruence);
    format!(
        "{} × {} ({}) = {score}",
        record.reliability.clamp(0.0, 1.0),
        evidence::factor(&record.congruence),
        congruence(&record.congruence)
    )
}

/// For how long a record holds, in words.
pub fn validity(record: &Evidence, now: i64) -> ValidityView {
    let decay = decay(record.level.word(), &record.valid_until, now);
    let until_at = moment(&record.valid_until);
    let left = until_at.map_or(0, |until| until - now);
    let told = until_at.map_or(0, |until| self::left(&record.valid_until, until, now));
    let words = match decay.reason {
        Reason::Valid => format!("expires {}", span(told, "in ", "")),
        // A day is its first moment: whoever wrote the day itself may have meant its end.
        Reason::Expired if is_day(&record.valid_until) && -left < DAY_MS => {
            format!("expired when {} began (UTC)", record.valid_until.trim())
        }
        Reason::Expired => format!("expired {}", span(-left, "", " ago")),
        Reason::MissingValidUntil => "counts as expired: it does not say until when it holds".to_owned(),
        Reason::InvalidValidUntil => format!("counts as expired: “{}” is no day", safe::visible(&record.valid_until)),
        Reason::AlreadyInvalid => "withdrawn".to_owned(),
    };
    ValidityView {
        soon: decay.status == Validity::Active && left <= SOON_DAYS * DAY_MS,
        status: decay.status,
        until: safe::visible(&record.valid_until),
        until_at,
        words,
    }
}

/// Whether a text that is a moment is a day alone.
pub fn is_day(text: &str) -> bool {
    text.trim().len() <= "2026-11-21".len()
}

/// How long a record holds yet, milliseconds. Until a day that is so many days: what is recorded for a year holds for 365 days, whatever the
/// time of day is.
fn left(text: &str, until: i64, now: i64) -> i64 {
    let left = until - now;
    match is_day(text) && left >= 2 * DAY_MS {
        true => until - now.div_euclid(DAY_MS) * DAY_MS,
        false => left,
    }
}

/// `in 12 days`, `3 days ago`, `within the hour`.
fn span(ms: i64, before: &str, after: &str) -> String {
    let count = |n: i64, one, many| words::count(usize::try_from(n).unwrap_or(0), one, many);
    let length = match ms {
        ms if ms >= 2 * DAY_MS => count((ms + DAY_MS / 2) / DAY_MS, "day", "days"),
        ms if ms >= HOUR_MS => count(ms / HOUR_MS, "hour", "hours"),
        _ if after.is_empty() => return "within the hour".to_owned(),
        _ => return "just now".to_owned(),
    };
    format!("{before}{length}{after}")
}

/// How strong these are together: as strong as the weakest, and one that has expired counts for nothing.
pub fn support<'a>(records: impl IntoIterator<Item = &'a EvidenceView>) -> SupportView {
    let records: Vec<&EvidenceView> = records.into_iter().collect();
    let weakest = evidence::weakest(records.iter().map(|record| (*record, record.counts)));
    // Of those that count the same, what fewer have looked at is the weaker.
    let weakest = weakest.map(|(first, counts)| {
        let same = records.iter().filter(|record| record.counts == counts);
        (same.min_by_key(|record| record.level).copied().unwrap_or(first), counts)
    });
    let words = match &weakest {
        None => "Nothing supports it: no evidence was recorded.".to_owned(),
        Some((record, _)) if record.rehearsal => {
            "The evidence is from a rehearsal: nothing of it happened, so it supports nothing.".to_owned()
        }
        Some((record, _)) => format!(
            "Weakest evidence: {}, {}, {}.",
            record.name, record.level_words, record.holds
        ),
    };
    let assurance = weakest.as_ref().map_or(0.0, |(_, counts)| *counts);
    let counts: Vec<String> = records.iter().map(|record| record.counts.to_string()).collect();
    let number = |of: &dyn Fn(&EvidenceView) -> bool| {
        u32::try_from(records.iter().filter(|record| of(record)).count()).unwrap_or(u32::MAX)
    };
    SupportView {
        words,
        assurance,
        formula: match counts.as_slice() {
            [] => "no evidence = 0".to_owned(),
            [one] => one.clone(),
            all => format!("min({}) = {assurance}", all.join(", ")),
        },
        weakest: weakest.map(|(record, _)| record.id.clone()),
        parts: records
            .iter()
            .map(|record| SupportPart {
                evidence: record.id.clone(),
                claim: record.claim.clone(),
                name: record.name.clone(),
                formula: match record.validity.status {
                    Validity::Active if record.rehearsal => format!("{}, from a rehearsal: 0", record.formula),
                    Validity::Active => record.formula.clone(),
                    _ => format!("{}, {}: 0", record.formula, record.validity.words),
                },
                counts: record.counts,
            })
            .collect(),
        expired: number(&|record| record.validity.status != Validity::Active),
        soon: number(&|record| record.validity.soon),
        drifted: number(&|record| record.about.iter().any(|about| about.drift != Drift::Same)),
    }
}

/// How strong everything is that still counts in a run; absent: nothing was ever recorded.
pub fn of_run(of: &Of<'_>) -> Option<SupportView> {
    let records = all(of);
    let counting = records.iter().filter(|record| !record.superseded);
    (!records.is_empty()).then(|| support(counting))
}

/// What stands first is what needs somebody: what has expired, then what expires soonest; what counts no more is last.
pub fn sort(records: &mut [EvidenceView]) {
    records.sort_by_key(|record| {
        let is_active = record.validity.status == Validity::Active;
        (
            record.superseded,
            is_active,
            record.validity.until_at,
            -record.recorded_at,
        )
    });
}

#[cfg(test)]
mod tests;
