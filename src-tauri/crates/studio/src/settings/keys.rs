//! Whose key is whose: what this person has confirmed, or revoked, of the keys that decisions are signed with.
//!
//! It lies with the person, beside what they trust ([`crate::Identity`]): what a project says of a key is what somebody wrote there.

use crate::command::{ConfirmKey, Nothing, RevokeKey};
use crate::notice::Notice;
use crate::run::history::History;
use crate::run::log;
use crate::settings::identity;
use crate::settings::people_view::{KeyStanding, OwnKey, PeopleView, PersonView, Standing};
use crate::settings::query::good_name;
use crate::{ApiError, Identity, Studio};
use engine::{At, Decision, RunId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use store::regular;

/// The longest file of keys that is read.
const LARGEST: u64 = 16 << 20;
/// The longest reason of a revocation, in characters.
const LONGEST_REASON: usize = 400;

/// What this person knows of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownKey {
    /// Public key, 64 hexadecimal digits.
    key: String,
    /// Whose it is.
    name: String,
    /// When its fingerprint was compared with them; absent: it was revoked without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confirmed: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked: Option<Revoked>,
}

/// What a key signs counts no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Revoked {
    /// From when.
    from: At,
    why: String,
}

/// All that is known of keys, and this person's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    own: String,
    known: Vec<KnownKey>,
    /// Who says so, for readers who are somebody else; absent: whoever reads it.
    teller: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    people: Vec<KnownKey>,
}

/// The form of the file.
const VERSION: u32 = 1;

impl Keys {
    fn find(&self, key: &str) -> Option<&KnownKey> {
        self.known.iter().find(|one| one.key == key)
    }

    /// The same, told to others.
    pub fn told_by(mut self, name: &str) -> Self {
        let name = log::visible(name.trim());
        self.teller = Some(if name.is_empty() {
            "whoever made this".to_owned()
        } else {
            name
        });
        self
    }

    /// What is to be said of whoever signed a decision, which stands in the log at that time.
    pub fn standing(&self, decision: &Decision, at: At) -> Option<KeyStanding> {
        let key = &decision.signature.as_ref()?.key;
        let name = owner(decision);
        let shown = log::visible(name);
        let known = self.find(key);
        let (who, have) = match self.teller.as_deref() {
            None => ("you", "have"),
            Some(name) => (name, "has"),
        };
        let confirmed_another = || {
            let others = self.known.iter().filter(|other| same(&other.name, name));
            others
                .filter(|other| other.confirmed.is_some())
                .any(|other| other.revoked.is_none())
        };
        let (standing, words) = match known {
            _ if *key == self.own => (
                Standing::Own,
                match &self.teller {
                    None => "Your key.".to_owned(),
                    Some(name) => format!("The key of {name}."),
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
            Some(known) if known.confirmed.is_some() && same(&known.name, name) => (
                Standing::Confirmed,
                format!("Confirmed: {who} {have} compared the fingerprint with {shown}."),
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
                    log::visible(&known.name)
                ),
            ),
            None => (
                Standing::Unconfirmed,
                format!("Not confirmed: {who} {have} not compared this key’s fingerprint with {shown}."),
            ),
        };
        Some(KeyStanding { standing, words })
    }
}

/// Whose key a decision is signed with, as it says itself.
pub(crate) fn owner(decision: &Decision) -> &str {
    decision.key_name.as_deref().unwrap_or(&decision.by).trim()
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// `3 March 2026`, of a time in milliseconds since 1970, as the day is in UTC.
pub fn day(at: i64) -> String {
    chrono::DateTime::from_timestamp_millis(at)
        .map(|t| t.format("%-d %B %Y").to_string())
        .unwrap_or_default()
}

/// `revoked from 1 March 2026 on (stolen)`, with the time of day where it is not midnight: decisions of one day may lie on both sides of it.
fn since(revoked: &Revoked) -> String {
    const DAY_MS: i64 = 86_400_000;
    let at = revoked.from.0;
    let time = (at.rem_euclid(DAY_MS) != 0)
        .then(|| chrono::DateTime::from_timestamp_millis(at))
        .flatten()
        .map_or_else(String::new, |t| t.format(", %H:%M:%S UTC,").to_string());
    format!("revoked from {}{time} on ({})", day(at), log::visible(&revoked.why))
}

/// The beginning, in UTC, of a day written `2026-03-01`.
///
/// # Errors
/// `bad_date`.
pub fn beginning_of(day: &str) -> Result<At, ApiError> {
    let midnight = chrono::NaiveDate::parse_from_str(day.trim(), "%Y-%m-%d").ok();
    midnight
        .and_then(|day| Some(At(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())))
        .ok_or_else(|| ApiError::new("bad_date", format!("“{day}” is no day.")).hint("Write it as 2026-03-01."))
}

/// A key to be read out and compared: groups of four digits.
pub fn fingerprint(key: &str) -> String {
    let digits: Vec<char> = key.to_ascii_uppercase().chars().collect();
    let groups: Vec<String> = digits.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}

/// A key as somebody typed or pasted it: all of its 64 digits, in groups or not.
fn typed(key: &str) -> Result<String, ApiError> {
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
            known: kept
                .filter(|kept| kept.version == VERSION)
                .map(|kept| kept.people)
                .unwrap_or_default(),
            teller: None,
        }
    }

    fn keys_file(&self) -> PathBuf {
        self.folder().join("people.json")
    }

    fn know(&self, new: KnownKey) -> Result<(), ApiError> {
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

/// What decisions of a project show of one key under one name.
struct Seen {
    decisions: u32,
    first: At,
    last: At,
    standing: KeyStanding,
}

impl Studio {
    /// Who decided in this project with which key, and what is known of them.
    pub(crate) async fn people(&self, _: Nothing) -> Result<PeopleView, ApiError> {
        self.people_now()
    }

    /// The same, for clients that do not go through the list.
    ///
    /// # Errors
    /// What the store reports.
    pub fn people_now(&self) -> Result<PeopleView, ApiError> {
        let keys = self.0.identity.keys();
        let mut histories: HashMap<RunId, Option<Arc<History>>> = HashMap::new();
        let mut seen: BTreeMap<(String, String), Seen> = BTreeMap::new();
        for row in self.0.store.decided(usize::MAX)? {
            let Some(signed) = &row.decision.signature else {
                continue;
            };
            let history = histories
                .entry(row.run.clone())
                .or_insert_with(|| self.history(row.run.as_str()).ok());
            // What is not signed with a key says nothing of it.
            if history.as_ref().and_then(|history| history.valid(&row.decision)) != Some(true) {
                continue;
            }
            let Some(standing) = keys.standing(&row.decision, row.decided_at) else {
                continue;
            };
            let at = (owner(&row.decision).to_owned(), signed.key.clone());
            let one = seen.entry(at).or_insert(Seen {
                decisions: 0,
                first: row.decided_at,
                last: row.decided_at,
                standing: standing.clone(),
            });
            one.decisions = one.decisions.saturating_add(1);
            one.first = one.first.min(row.decided_at);
            if row.decided_at >= one.last {
                (one.last, one.standing) = (row.decided_at, standing);
            }
        }
        let mut people: Vec<PersonView> = seen
            .into_iter()
            .map(|((name, key), seen)| PersonView {
                name: log::visible(&name),
                key_short: identity::short(&key),
                fingerprint: fingerprint(&key),
                decisions: seen.decisions,
                first_seen: Some(seen.first.0),
                last_seen: Some(seen.last.0),
                standing: seen.standing.standing,
                words: seen.standing.words,
                key,
            })
            .collect();
        let elsewhere = keys
            .known
            .iter()
            .filter(|known| people.iter().all(|one| one.key != known.key));
        let elsewhere: Vec<PersonView> = elsewhere
            .map(|known| PersonView {
                name: log::visible(&known.name),
                key: known.key.clone(),
                key_short: identity::short(&known.key),
                fingerprint: fingerprint(&known.key),
                decisions: 0,
                first_seen: None,
                last_seen: None,
                standing: match known.revoked {
                    Some(_) => Standing::Revoked,
                    None => Standing::Confirmed,
                },
                words: match &known.revoked {
                    Some(revoked) => format!("This key is {}.", since(revoked)),
                    None => format!(
                        "Confirmed: you have compared the fingerprint with {}.",
                        log::visible(&known.name)
                    ),
                },
            })
            .collect();
        people.extend(elsewhere);
        Ok(PeopleView {
            own: OwnKey {
                name: self.0.identity.person().name,
                fingerprint: fingerprint(&keys.own),
            },
            people,
        })
    }

    /// Keeps that this person has compared a key with whom it belongs to.
    pub(crate) async fn confirm_key(&self, of: ConfirmKey) -> Result<PeopleView, ApiError> {
        self.confirm(&of.key, &of.name)?;
        self.people_now()
    }

    /// The same, for clients that do not go through the list. Of a key that was revoked: since when and why, which this takes back.
    ///
    /// # Errors
    /// `bad_key`, `bad_name`, `own_key`; it cannot be kept.
    pub fn confirm(&self, key: &str, name: &str) -> Result<Option<String>, ApiError> {
        good_name(name.trim())?;
        let key = typed(key)?;
        let before = self
            .0
            .identity
            .keys()
            .find(&key)
            .and_then(|known| known.revoked.as_ref().map(since));
        self.0.identity.know(KnownKey {
            key,
            name: name.trim().to_owned(),
            confirmed: Some(crate::studio::now()),
            revoked: None,
        })?;
        self.notify(Notice::Settings);
        Ok(before)
    }

    /// Keeps that what a key signs counts no more.
    pub(crate) async fn revoke_key(&self, of: RevokeKey) -> Result<PeopleView, ApiError> {
        self.revoke_from(&of.key, of.from.map(At), &of.why)?;
        self.people_now()
    }

    /// The same, for clients that do not go through the list. `from`: absent, from now on.
    ///
    /// # Errors
    /// `bad_key`, `bad_reason`, `not_found`; it cannot be kept.
    pub fn revoke_from(&self, key: &str, from: Option<At>, why: &str) -> Result<(), ApiError> {
        let key = typed(key)?;
        let why = why.trim();
        if why.is_empty() || why.chars().count() > LONGEST_REASON {
            return Err(ApiError::new(
                "bad_reason",
                format!("Say why the key is revoked, in at most {LONGEST_REASON} characters."),
            ));
        }
        let known = self.0.identity.keys().find(&key).cloned();
        let signed_as = || {
            let decided = self.0.store.decided(usize::MAX).ok()?;
            let mut signed = decided.into_iter().map(|row| row.decision);
            let one = signed.find(|decision| decision.signature.as_ref().is_some_and(|s| s.key == key))?;
            Some(owner(&one).to_owned())
        };
        let Some(name) = known.as_ref().map(|known| known.name.clone()).or_else(signed_as) else {
            return Err(
                ApiError::new("not_found", "Nobody has decided with this key in this project.")
                    .hint("`gatehouse people` shows the keys there are."),
            );
        };
        self.0.identity.know(KnownKey {
            key,
            name,
            confirmed: known.and_then(|known| known.confirmed),
            revoked: Some(Revoked {
                from: from.unwrap_or_else(crate::studio::now),
                why: why.to_owned(),
            }),
        })?;
        self.notify(Notice::Settings);
        Ok(())
    }
}
