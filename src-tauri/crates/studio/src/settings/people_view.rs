//! Whose key is whose.

use serde::Serialize;
use ts_rs::TS;

/// Who decided in this project, and with which keys.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PeopleView {
    /// The key of the person at this window.
    pub own: OwnKey,
    /// Everybody who has decided here, and whoever's key this person knows from elsewhere.
    pub people: Vec<PersonView>,
}

/// The key of the person at this window, to be read out to others.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OwnKey {
    /// Their name; empty when not yet given.
    pub name: String,
    /// 64 hexadecimal digits in groups of four.
    pub fingerprint: String,
}

/// A name and a key that signed under it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PersonView {
    /// The name.
    pub name: String,
    /// Public key, 64 hexadecimal digits.
    pub key: String,
    /// `7F3A…C2`.
    pub key_short: String,
    /// The key in groups of four digits.
    pub fingerprint: String,
    /// How many decisions of this project it signed.
    pub decisions: u32,
    /// So many of them in rehearsals, which decide nothing.
    pub rehearsed: u32,
    /// When it signed first here, milliseconds since 1970; absent: never.
    pub first_seen: Option<i64>,
    /// When it signed last here.
    pub last_seen: Option<i64>,
    /// What is known of it, as of its last decision.
    pub standing: Standing,
    /// The same as a sentence.
    pub words: String,
}

/// What the person at this window knows of the key that a decision was signed with.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct KeyStanding {
    /// What is known.
    pub standing: Standing,
    /// The same as a sentence.
    pub words: String,
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Standing {
    /// It is the key of the person at this window.
    Own,
    /// They compared its fingerprint with whom it belongs to.
    Confirmed,
    /// They have not.
    Unconfirmed,
    /// It was revoked; the decision was made before.
    RevokedLater,
    /// It was revoked, and the decision was made after that.
    Revoked,
    /// They confirmed another key for this name.
    AnotherKey,
}
