//! Whether the decisions of a run, and the promotions of its evidence, are what was signed: each signature against what was asked, shown and recorded before it, its time
//! against the log's, and the project's register against the one it was made over.

use crate::gate::asking;
use crate::run::history::History;
use crate::settings::identity;
use crate::settings::keys::{Keys, owner};
use crate::settings::people_view::{KeyStanding, Standing};
use crate::text::safe;
use crate::words::count;
use engine::{At, Decision, Event, Given, Order, OrderKind, Promotion, RegisterMark, RunCreated, Signature};
use std::collections::{BTreeMap, BTreeSet};
use store::{DecidedRow, Stored};

/// How long after it was signed an answer may stand in the log, milliseconds: another program may hold the history meanwhile.
const LATEST: i64 = 600_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    /// So many hold.
    pub held: u64,
    /// What contradicts the record: a code, the event, a sentence.
    pub findings: Vec<(&'static str, u64, String)>,
    /// What contradicts what is known of keys, in the same form: the record is what was written down, and who wrote it is in doubt.
    pub doubts: Vec<(&'static str, u64, String)>,
    /// What a reader should know though it contradicts nothing.
    pub notes: Vec<String>,
}

/// Looks at every decision of a run. `continues`: whether the project's register is still the one of a mark.
pub(crate) fn check(history: &History, keys: &Keys, continues: &dyn Fn(&RegisterMark) -> bool) -> Signatures {
    let mut all = Signatures::default();
    let mut unconfirmed: BTreeSet<String> = BTreeSet::new();
    let mut first_version = 0;
    let mut unsigned: usize = 0;
    for e in history.events() {
        if let Some(order) = Order::of(&e.event) {
            unsigned += usize::from(!ordered(&mut all, history, keys, order, e, continues));
        }
        if let Event::EvidencePromoted(promotion) = &e.event {
            promoted(&mut all, history, keys, promotion, e, continues);
        }
        let Event::GateAnswered(decision) = &e.event else {
            continue;
        };
        let valid = history.valid(decision);
        for (code, message) in contradictions(history, decision, e, valid, continues) {
            all.findings.push((code, e.seq, message));
        }
        all.held += u64::from(valid == Some(true));
        let whose = keys.standing(decision, history.made_at(decision));
        // Of a signature that does not hold nothing is said by a key.
        if let Some(KeyStanding { standing, words }) = whose.filter(|_| valid == Some(true)) {
            let by = safe::visible(&decision.by);
            let gate = history.asked(decision).map_or_else(
                || decision.gate.to_string(),
                |(_, opened)| asking::step_of(history.workflow(), &opened.instance),
            );
            let gate = safe::in_sentence(&gate);
            match standing {
                Standing::Own | Standing::Confirmed => {}
                Standing::Unconfirmed => {
                    let key = decision.signature.as_ref().map(|s| identity::short(&s.key));
                    unconfirmed.insert(format!(
                        "{} ({})",
                        safe::visible(owner(decision)),
                        key.unwrap_or_default()
                    ));
                }
                Standing::RevokedLater => all.notes.push(format!("The answer of {by} to {gate}: {words}")),
                Standing::Revoked => {
                    all.doubts
                        .push(("key_revoked", e.seq, format!("The answer of {by} to {gate}: {words}")))
                }
                Standing::AnotherKey => {
                    all.doubts
                        .push(("another_key", e.seq, format!("The answer of {by} to {gate}: {words}")))
                }
            }
        }
        if let Some(signed) = &decision.signature {
            first_version += usize::from(signed.grounds.is_none());
        }
    }
    if !unconfirmed.is_empty() {
        let whose: Vec<String> = unconfirmed.into_iter().collect();
        all.notes.push(format!(
            "Whose key it is was not confirmed for {}. `gatehouse people` shows the fingerprints to compare.",
            whose.join(", ")
        ));
    }
    if unsigned > 0 {
        all.notes.push(format!(
            "{} not signed: the name is what was given.",
            match unsigned {
                1 => "1 order to pause, resume, take up or stop the run is".to_owned(),
                n => format!("{n} orders to pause, resume, take up or stop the run are"),
            }
        ));
    }
    if first_version > 0 {
        all.notes.push(format!(
            "{} made by an earlier version, which signed run, gate, answer, name, comment and files, but neither the question nor the time.",
            match first_version {
                1 => "1 signature was".to_owned(),
                n => format!("{n} signatures were"),
            }
        ));
    }
    all
}

/// Looks at what a person said by raising a record of evidence.
fn promoted(
    all: &mut Signatures,
    history: &History,
    keys: &Keys,
    promotion: &Promotion,
    recorded: &Stored,
    continues: &dyn Fn(&RegisterMark) -> bool,
) {
    let by = safe::visible(&promotion.by);
    let what = format!(
        "the confirmation of “{}” by {by}",
        safe::in_sentence(&promotion.evidence)
    );
    // What an approval raises follows from it, without an event of its own.
    if promotion.gate.is_some() {
        all.findings.push((
            "inserted",
            recorded.seq,
            format!("It is said of {what} that an approval did it, which no Gatehouse records as an event: somebody put it into the log. Do not rely on it."),
        ));
        return;
    }
    let Some(signature) = &promotion.signature else {
        all.doubts.push((
            "signature_missing",
            recorded.seq,
            format!(
                "It is not signed: {what}. An earlier version recorded it, or somebody put it into the log; nobody can tell who gave it."
            ),
        ));
        return;
    };
    let said = Said {
        what,
        owner: &promotion.by,
        signature,
        holds: history.valid_promotion(promotion, recorded.seq) == Some(true),
    };
    signed(all, keys, &said, recorded, continues);
}

/// Looks at an order to the run; `false`: nobody signed it, as in logs of earlier versions and where a driver ends a run with the one around it.
fn ordered(
    all: &mut Signatures,
    history: &History,
    keys: &Keys,
    (order, given): (Order<'_>, Option<&Given>),
    recorded: &Stored,
    continues: &dyn Fn(&RegisterMark) -> bool,
) -> bool {
    let Some((given, signature)) = given.and_then(|given| Some((given, given.signature.as_ref()?))) else {
        return false;
    };
    let what = format!(
        "the order of {} to {} the run",
        safe::visible(order.by),
        match order.kind {
            OrderKind::Pause => "pause",
            OrderKind::Resume => "resume",
            OrderKind::TakeUp => "take up",
            OrderKind::Stop => "stop",
        }
    );
    let said = Said {
        what,
        owner: given.key_name.as_deref().unwrap_or(order.by).trim(),
        signature,
        holds: history.valid_order(recorded) == Some(true),
    };
    signed(all, keys, &said, recorded, continues);
    true
}

/// What a person said without being asked, signed.
struct Said<'a> {
    /// In words.
    what: String,
    /// Whose key it is, as it says itself.
    owner: &'a str,
    signature: &'a Signature,
    /// The signature fits what was signed.
    holds: bool,
}

fn signed(
    all: &mut Signatures,
    keys: &Keys,
    said: &Said<'_>,
    recorded: &Stored,
    continues: &dyn Fn(&RegisterMark) -> bool,
) {
    let what = &said.what;
    if !said.holds {
        all.findings.push((
            "signature_invalid",
            recorded.seq,
            format!(
                "The signature under {what} does not fit what was signed: it was changed afterwards. Do not rely on it."
            ),
        ));
        return;
    }
    all.held += 1;
    if let Some(grounds) = &said.signature.grounds {
        if grounds.after.checked_add(1) != Some(recorded.seq) {
            all.findings.push((
                "inserted",
                recorded.seq,
                format!("Between what was signed and {what} something was put into the log that nobody signed. Do not rely on it."),
            ));
        }
        if grounds.at > recorded.at || recorded.at.0.saturating_sub(grounds.at.0) > LATEST {
            all.findings.push((
                "signature_time",
                recorded.seq,
                format!("It was not signed when it is said to have been given: {what}. A time of the log was changed; do not rely on it."),
            ));
        }
        if grounds.register.as_ref().is_some_and(|mark| !continues(mark)) {
            all.findings.push((
                "register",
                recorded.seq,
                format!(
                    "The project's register of runs is not the one over which {what} was signed: runs were taken away, cut or computed anew."
                ),
            ));
        }
    }
    let KeyStanding { standing, words } = keys.standing_of(said.owner, &said.signature.key, recorded.at);
    let said = format!("About {what}: {words}");
    match standing {
        Standing::Own | Standing::Confirmed => {}
        Standing::Unconfirmed | Standing::RevokedLater => {
            // Who takes a run up does so again and again.
            if !all.notes.contains(&said) {
                all.notes.push(said);
            }
        }
        Standing::Revoked => all.doubts.push(("key_revoked", recorded.seq, said)),
        Standing::AnotherKey => all.doubts.push(("another_key", recorded.seq, said)),
    }
}

/// Why nobody known can be held to the answer of an event, in a sentence: what [`check`] finds, or that its key is not confirmed.
pub(crate) fn doubt(
    history: &History,
    keys: &Keys,
    seq: u64,
    continues: &dyn Fn(&RegisterMark) -> bool,
) -> Option<String> {
    let Some((e, Event::GateAnswered(decision))) = history.events().with_seq(seq).map(|e| (e, &e.event)) else {
        return Some("Nothing is answered there.".to_owned());
    };
    let found = contradictions(history, decision, e, history.valid(decision), continues);
    if let Some((_, message)) = found.into_iter().next() {
        return Some(message);
    }
    by_key(keys, decision, history.made_at(decision))
}

/// Why nobody known can be held to an answer by the key that it is signed with, in a sentence; `None`: it is this person's own key, or one
/// that they have confirmed. `at`: when the answer stands in the log.
fn by_key(keys: &Keys, decision: &Decision, at: At) -> Option<String> {
    let by = safe::visible(&decision.by);
    match keys.standing(decision, at) {
        Some(KeyStanding {
            standing: Standing::Own | Standing::Confirmed,
            ..
        }) => None,
        Some(KeyStanding { words, .. }) => Some(format!("The answer of {by}: {words}")),
        None => Some(format!("The answer of {by} is not signed.")),
    }
}

/// The same where the answer is followed already: nothing can be held back any more, and whoever reads of the run's end is to know it. What
/// a scenario says nobody gave, and of a key that was revoked later it is known whose it was.
pub(crate) fn in_doubt(keys: &Keys, decision: &Decision, at: At) -> Option<String> {
    let was_revoked = |whose: KeyStanding| whose.standing == Standing::RevokedLater;
    if decision.is_scripted() || keys.standing(decision, at).is_some_and(was_revoked) {
        return None;
    }
    by_key(keys, decision, at)
}

/// Of the people who decided in a run, those under whose names several keys have signed in the project.
pub(crate) fn several_keys(history: &History, decided: &[DecidedRow]) -> Vec<String> {
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in decided {
        if let Some(signed) = &row.decision.signature {
            keys.entry(owner(&row.decision)).or_default().insert(&signed.key);
        }
    }
    let here: BTreeSet<&str> = history
        .events()
        .iter()
        .filter_map(|e| match &e.event {
            Event::GateAnswered(decision) => Some(owner(decision)),
            _ => None,
        })
        .collect();
    let several = keys
        .iter()
        .filter(|(name, keys)| keys.len() > 1 && here.contains(*name));
    several
        .map(|(name, keys)| {
            let short: Vec<String> = keys.iter().map(|key| identity::short(key)).collect();
            format!(
                "{} signed with {} keys in this project: {}. Ask whether all of them are theirs.",
                safe::visible(name),
                keys.len(),
                short.join(", ")
            )
        })
        .collect()
}

fn contradictions(
    history: &History,
    decision: &Decision,
    recorded: &Stored,
    valid: Option<bool>,
    continues: &dyn Fn(&RegisterMark) -> bool,
) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let whose = format!("the answer of {} to {}", decision.by, decision.gate);
    let scripted = history.created().is_some_and(|run: &RunCreated| run.scenario.is_some());
    match valid {
        Some(true) => {}
        Some(false) => found.push((
            "signature_invalid",
            format!(
                "The signature of {} under the answer to {} does not fit what was signed: the decision, what was asked, or what was recorded before it was changed afterwards. Do not rely on it.",
                decision.by, decision.gate
            ),
        )),
        None if decision.is_scripted() && scripted => {}
        // A scenario's answers are scripted; everybody else's are signed.
        None if decision.is_scripted() => found.push((
            "signature_missing",
            format!("It is said that a scenario gave {whose}, and this run has no scenario; nobody can tell who gave it. Do not rely on it."),
        )),
        None => found.push((
            "signature_missing",
            format!("It is not signed: {whose}. Nobody can tell who gave it; do not rely on it."),
        )),
    }
    let Some((asked, opened)) = history.asked(decision) else {
        found.push((
            "not_asked",
            format!("Nothing in the log asks for {whose}. Do not rely on it."),
        ));
        return found;
    };
    let shown: BTreeSet<_> = opened.shown.iter().map(|made| &made.digest).collect();
    let seen: BTreeSet<_> = decision.seen.iter().collect();
    if decision.signature.is_some() && shown != seen {
        found.push((
            "seen_differs",
            format!(
                "Other files were shown than those that were signed with {whose}: {} shown, {} signed. Do not rely on it.",
                count(shown.len(), "file", "files"),
                seen.len()
            ),
        ));
    }
    let same = |gate: &engine::GateId, round: u32| *gate == decision.gate && round == decision.round;
    let before = history.events().until(recorded.seq.saturating_sub(1));
    let asks = |e: &&Stored| matches!(&e.event, Event::GateOpened(o) if same(&o.gate, o.round));
    let answers = |e: &&Stored| matches!(&e.event, Event::GateAnswered(d) if same(&d.gate, d.round));
    if before.iter().filter(asks).nth(1).is_some() || before.iter().any(|e| answers(&e)) {
        found.push((
            "asked_twice",
            format!("One round of one gate is asked once and answered once, and the log has it otherwise at {whose}: something was put into it. Do not rely on it."),
        ));
    }
    let waited = history.state(Some(recorded.seq.saturating_sub(1)));
    let waits = waited
        .open_gates()
        .iter()
        .any(|round| same(&round.opened.gate, round.opened.round));
    if !waits {
        found.push((
            "not_waiting",
            format!("Nothing waited for {whose} where it is recorded: it was moved, or something before it was changed. Do not rely on it."),
        ));
    }
    let Some(grounds) = decision.signature.as_ref().and_then(|s| s.grounds.as_ref()) else {
        return found;
    };
    if grounds.next && grounds.after.checked_add(1) != Some(recorded.seq) {
        found.push((
            "inserted",
            format!("Between what was signed and {whose} something was put into the log that nobody signed. Do not rely on it."),
        ));
    }
    let in_order =
        asked.at <= grounds.at && grounds.at <= recorded.at && recorded.at.0.saturating_sub(grounds.at.0) <= LATEST;
    if !in_order || grounds.after < asked.seq || grounds.after >= recorded.seq {
        found.push((
            "signature_time",
            format!("It was not signed when it is said to have been given: {whose}. A time or the order of the log was changed; do not rely on it."),
        ));
    }
    if let Some(mark) = &grounds.register
        && !continues(mark)
    {
        found.push((
            "register",
            format!(
                "The project's register of runs is not the one over which {whose} was signed: runs were taken away, cut or computed anew."
            ),
        ));
    }
    found
}
