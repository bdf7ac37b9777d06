//! Whose key is whose: what this person has confirmed, or revoked, of the keys that decisions are signed with.
//!
//! It lies with the person, beside what they trust ([`crate::Identity`]): what a project says of a key is what somebody wrote there.

use crate::settings::identity;
use crate::settings::people_view::{KeyStanding, Standing};
use crate::text::safe;
use crate::{ApiError, Identity};
use engine::{At, Decision, is_same_name};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use store::regular;

/// The longest file of keys that is read.
const LARGEST: u64 = 16 << 20;

/// What this person knows of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownKey {
    /// Public key, 64 hexadecimal digits.
    pub key: String,
    /// Whose it is.
    pub name: String,
    /// When its fingerprint was compared with them; absent: it was revoked without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revoked>,
}

/// What a key signs counts no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Revoked {
    /// From when.
    pub from: At,
    pub why: String,
}

/// All that is known of keys, and this person's own.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Keys {
    pub own: String,
    /// What this person is called; empty: it is not known.
    name: String,
    pub known: Vec<KnownKey>,
    /// It is said to readers who are somebody else.
    told: bool,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    people: Vec<KnownKey>,
}

/// The form of the file.
const VERSION: u32 = 1;

impl Keys {
    pub fn find(&self, key: &str) -> Option<&KnownKey> {
        self.known.iter().find(|one| one.key == key)
    }

    /// The same, told to others. It names nobody as the owner of this person's key: their name is what stands in their settings now, and may
    /// have been another one when they signed.
    ///
    /// `own`: the key of the account that tells it, which is another one where somebody else's report is made once more.
    pub fn told_with(mut self, own: &str) -> Self {
        self.told = true;
        own.clone_into(&mut self.own);
        self
    }

    /// What is to be said of whoever signed a decision, which stands in the log at that time.
    pub fn standing(&self, decision: &Decision, at: At) -> Option<KeyStanding> {
        Some(self.standing_of(owner(decision), &decision.signature.as_ref()?.key, at))
    }

    /// What is to be said of whoever signed something in a name with a key, which stands in the log at that time.
    pub fn standing_of(&self, name: &str, key: &str, at: At) -> KeyStanding {
        let shown = safe::visible(name);
        let known = self.find(key);
        let (who, have) = match self.told {
            false => ("you", "have"),
            true => ("whoever made this report", "has"),
        };
        let confirmed_another = || {
            let others = self.known.iter().filter(|other| is_same_name(&other.name, name));
            others
                .filter(|other| other.confirmed.is_some())
                .any(|other| other.revoked.is_none())
        };
        let (standing, words) = match known {
            _ if key == self.own => (
                Standing::Own,
                match self.told {
                    false => "Your key.".to_owned(),
                    true => format!(
                        "It is the key of the account that this report was made with; nobody has confirmed that this is {shown}."
                    ),
                },
            ),
            Some(KnownKey {
                revoked: Some(revoked), ..
            }) => {
                let when = since(revoked);
                match at < revoked.from {
                    true => (
                        Standing::RevokedLater,
                        format!("This key is {when}; the decision was made before."),
                    ),
                    false => (
                        Standing::Revoked,
                        format!("This key is {when}, and the decision was made after that. Do not rely on it."),
                    ),
                }
            }
            Some(known) if known.confirmed.is_some() && is_same_name(&known.name, name) => (
                Standing::Confirmed,
                format!("Confirmed: {who} {have} compared the fingerprint with {shown}."),
            ),
            _ if !self.told && !self.name.trim().is_empty() && is_same_name(&self.name, name) => (
                Standing::AnotherKey,
                "It is given in your name, and not with your key: somebody answered as you, or you did on another machine. Do not rely on it before \
                 you know which."
                    .to_owned(),
            ),
            _ if confirmed_another() => (
                Standing::AnotherKey,
                format!(
                    "Another key than the one that {who} {have} confirmed for {shown}. Ask {shown} whether this answer is theirs."
                ),
            ),
            Some(known) => (
                Standing::Unconfirmed,
                format!(
                    "Not confirmed for {shown}: {who} {have} confirmed this key as {}’s.",
                    safe::in_sentence(&known.name)
                ),
            ),
            None => (
                Standing::Unconfirmed,
                format!("Not confirmed: {who} {have} not compared this key’s fingerprint with {shown}."),
            ),
        };
        KeyStanding { standing, words }
    }
}

/// Whose key a decision is signed with, as it says itself.
pub(crate) fn owner(decision: &Decision) -> &str {
    decision.key_name.as_deref().unwrap_or(&decision.by).trim()
}

/// `3 March 2026`, of a time in milliseconds since 1970, as the day is in UTC.
pub fn day(at: i64) -> String {
    chrono::DateTime::from_timestamp_millis(at)
        .map(|t| t.format("%-d %B %Y").to_string())
        .unwrap_or_default()
}

/// `revoked from 1 March 2026 on (stolen)`, with the time of day where it is not midnight: decisions of one day may lie on both sides of it.
pub(crate) fn since(revoked: &Revoked) -> String {
    const DAY_MS: i64 = 86_400_000;
    let at = revoked.from.0;
    let time = (at.rem_euclid(DAY_MS) != 0)
        .then(|| chrono::DateTime::from_timestamp_millis(at))
        .flatten()
        .map_or_else(String::new, |t| t.format(", %H:%M:%S UTC,").to_string());
    format!(
        "revoked from {}{time} on ({})",
        day(at),
        safe::in_sentence(&revoked.why)
    )
}

/// The beginning, in UTC, of a day written `2026-03-01`.
///
/// # Errors
/// `bad_date`.
pub fn beginning_of(day: &str) -> Result<At, ApiError> {
    let midnight = date(day)?.and_time(chrono::NaiveTime::MIN);
    Ok(At(midnight.and_utc().timestamp_millis()))
}

/// A day written `2026-03-01`.
///
/// # Errors
/// `bad_date`.
pub(crate) fn date(day: &str) -> Result<chrono::NaiveDate, ApiError> {
    chrono::NaiveDate::parse_from_str(day.trim(), "%Y-%m-%d")
        .map_err(|_| ApiError::new("bad_date", format!("“{day}” is no day.")).hint("Write it as 2026-03-01."))
}

/// A key to be read out and compared: groups of four digits.
pub fn fingerprint(key: &str) -> String {
    let digits: Vec<char> = key.to_ascii_uppercase().chars().collect();
    let groups: Vec<String> = digits.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}

/// A key as somebody typed or pasted it: all of its 64 digits, in groups or not.
pub(crate) fn typed(key: &str) -> Result<String, ApiError> {
    let key: String = key
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .to_lowercase();
    match key.len() == 64 && key.chars().all(|c| c.is_ascii_hexdigit()) {
        true => Ok(key),
        false => Err(ApiError::new(
            "bad_key",
            "A fingerprint has 64 digits, 0 to 9 and A to F; this is not all of one.",
        )
        .hint("Compare and give the whole fingerprint, as the other person reads it out.")),
    }
}

impl Identity {
    /// What this person knows of keys. A file that cannot be read says nothing of any: nothing is confirmed then.
    pub(crate) fn keys(&self) -> Keys {
        let kept = regular::read(&self.keys_file(), LARGEST).ok();
        let kept = kept.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
        Keys {
            own: self.public(),
            name: self.person().name,
            known: kept
                .filter(|kept| kept.version == VERSION)
                .map(|kept| kept.people)
                .unwrap_or_default(),
            told: false,
        }
    }

    fn keys_file(&self) -> PathBuf {
        self.folder().join("people.json")
    }

    pub(crate) fn know(&self, new: KnownKey) -> Result<(), ApiError> {
        let file = self.keys_file();
        let fault = |e: std::io::Error| identity::fault("cannot save", &file, &e);
        if new.key == self.public() {
            return Err(
                ApiError::new("own_key", "This is your own key.").hint("Others confirm it: read it out to them.")
            );
        }
        let _alone = store::alone::with(&file).map_err(fault)?;
        let there = regular::read(&file, LARGEST).ok();
        let readable = there
            .as_ref()
            .is_none_or(|bytes| serde_json::from_slice::<Kept>(bytes).is_ok_and(|k| k.version == VERSION));
        if !readable {
            return Err(ApiError::new(
                "damaged",
                format!("The list of keys {} cannot be read.", file.display()),
            )
            .hint("Put back a copy of it, or move the file away; then confirm the keys anew."));
        }
        let mut people = self.keys().known;
        people.retain(|one| one.key != new.key);
        people.push(new);
        let kept = Kept {
            version: VERSION,
            people,
        };
        let bytes = serde_json::to_vec_pretty(&kept).expect("keys are plain data");
        identity::write_replacing(&file, &bytes).map_err(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{GateId, Signature};

    #[test]
    fn a_report_tells_of_the_makers_key_what_is_known_and_not_the_name_that_they_have_now() {
        let key = "ab".repeat(32);
        let decision = Decision {
            gate: GateId::from("w:s:hitl".to_owned()),
            round: 1,
            answer: engine::Answer::Approve,
            by: "Grace".into(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "cli".into(),
            lasting: None,
            way: None,
            report: model::Fields::default(),
            key_name: Some("Ada".into()),
            signature: Some(Signature {
                key: key.clone(),
                signature: String::new(),
                grounds: None,
            }),
        };
        let own = Keys {
            own: key,
            ..Keys::default()
        };
        let said = |keys: Keys| keys.standing(&decision, At(0)).expect("signed").words;
        assert_eq!(said(own.clone()), "Your key.");
        assert_eq!(
            said(own.clone().told_with(&own.own)),
            "It is the key of the account that this report was made with; nobody has confirmed that this is Ada."
        );
        assert_eq!(
            said(own.told_with("")),
            "Not confirmed: whoever made this report has not compared this key’s fingerprint with Ada."
        );
    }
}
