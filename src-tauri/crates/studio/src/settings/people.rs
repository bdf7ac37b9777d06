//! Who decided in this project with which key, and what this person says of those keys.

use crate::command::{ConfirmKey, Nothing, RevokeKey};
use crate::notice::Notice;
use crate::run::history::History;
use crate::settings::identity;
use crate::settings::keys::{KnownKey, Revoked, fingerprint, owner, since, typed};
use crate::settings::people_view::{KeyStanding, OwnKey, PeopleView, PersonView, Standing};
use crate::settings::query::good_name;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::{At, RunCreated, RunId};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The longest reason of a revocation, in characters.
const LONGEST_REASON: usize = 400;

/// What decisions of a project show of one key under one name.
struct Seen {
    decisions: u32,
    rehearsed: u32,
    first: At,
    last: At,
    standing: KeyStanding,
    /// Decisions in other names, by the name.
    others: BTreeMap<String, u32>,
}

impl Seen {
    /// What is known of the key, and in whose names it signed besides.
    fn words(&self) -> String {
        let mut words = self.standing.words.clone();
        for (name, times) in &self.others {
            let name = safe::visible(name);
            words += &match times {
                1 => format!(" 1 of these decisions is given in the name of “{name}”."),
                n => format!(" {n} of these decisions are given in the name of “{name}”."),
            };
        }
        words
    }
}

impl Studio {
    /// Who decided in this project with which key, and what is known of them.
    ///
    /// # Errors
    /// What the store reports.
    pub fn people(&self, _: Nothing) -> Result<PeopleView, ApiError> {
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
                rehearsed: 0,
                first: row.decided_at,
                last: row.decided_at,
                standing: standing.clone(),
                others: BTreeMap::new(),
            });
            if row.decision.by.trim() != owner(&row.decision) {
                *one.others.entry(row.decision.by.trim().to_owned()).or_default() += 1;
            }
            one.decisions = one.decisions.saturating_add(1);
            let is_rehearsal = history
                .as_ref()
                .and_then(|history| history.created())
                .is_some_and(RunCreated::is_rehearsal);
            one.rehearsed = one.rehearsed.saturating_add(u32::from(is_rehearsal));
            one.first = one.first.min(row.decided_at);
            if row.decided_at >= one.last {
                (one.last, one.standing) = (row.decided_at, standing);
            }
        }
        let mut people: Vec<PersonView> = seen
            .into_iter()
            .map(|((name, key), seen)| PersonView {
                name: safe::visible(&name),
                key_short: identity::short(&key),
                fingerprint: fingerprint(&key),
                decisions: seen.decisions,
                rehearsed: seen.rehearsed,
                first_seen: Some(seen.first.0),
                last_seen: Some(seen.last.0),
                words: seen.words(),
                standing: seen.standing.standing,
                key,
            })
            .collect();
        let elsewhere = keys
            .known
            .iter()
            .filter(|known| people.iter().all(|one| one.key != known.key));
        let elsewhere: Vec<PersonView> = elsewhere
            .map(|known| PersonView {
                name: safe::visible(&known.name),
                key: known.key.clone(),
                key_short: identity::short(&known.key),
                fingerprint: fingerprint(&known.key),
                decisions: 0,
                rehearsed: 0,
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
                        safe::visible(&known.name)
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
        self.people(Nothing {})
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
        self.people(Nothing {})
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
