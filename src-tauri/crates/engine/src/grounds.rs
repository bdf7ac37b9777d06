//! What a decision was made on, as whoever signed it knew it.

use crate::At;
use serde::{Deserialize, Serialize};

/// What a decision was made on, as whoever signed it knew it. Absent in decisions of versions that signed less.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grounds {
    /// When it was signed.
    pub at: At,
    /// The last event of the run that was known then.
    pub after: u64,
    /// The chain's link of that event, 64 hexadecimal digits: it stands for everything recorded before.
    pub link: String,
    /// The answer is recorded directly behind that event, so that nothing can be put between what was signed and the answer. Older
    /// answers may have others between them, which no signature but a later one covers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub next: bool,
    /// The project's register of runs as it stood then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisterMark>,
}

/// How far the register of a project's runs went: its entries name every run, and how far each was, so that a signature covers them too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterMark {
    /// How many entries.
    pub entries: u64,
    /// The link of the last one, 64 hexadecimal digits.
    pub head: String,
}

/// An ed25519 signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Public key, 64 hexadecimal digits.
    pub key: String,
    /// Signature, 128 hexadecimal digits.
    pub signature: String,
    /// What was known when it was made; absent in signatures that cover less ([`crate::Decision::statement`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
}

/// How an order to a run was given ([`crate::Order`]), and what is signed of it. Persisted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// By which way: `desktop`, `cli`, `serve`.
    pub via: String,
    /// The name that belongs to the signing key, where the order is given in another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// ed25519 over [`crate::Order::statement`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}
