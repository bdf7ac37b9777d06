//! The chain of a run's log: each event's stored bytes, and the link that binds them to all before them.

use engine::{At, Event, RunId};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// One event as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its place, 1-based, without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: At,
    /// What happened.
    pub event: Event,
    /// Link of the chain: `SHA-256(previous link ‖ seq as eight big-endian bytes ‖ stored bytes)`.
    pub hash: [u8; 32],
    /// The link is the one that the stored bytes give behind the event before: neither was changed by itself.
    pub fits: bool,
}

/// Where a run's log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Sequence number of the last event; 0 before the first.
    pub seq: u64,
    /// Link of the last event.
    pub hash: [u8; 32],
}

impl Head {
    /// Where the log of a run begins, before its first event.
    pub fn first(run: &RunId) -> Self {
        Self {
            seq: 0,
            hash: first_link(run),
        }
    }

    /// The link in hexadecimal digits.
    pub fn link(&self) -> String {
        hex::encode(self.hash)
    }
}

#[derive(Serialize)]
struct BodyRef<'a> {
    at: At,
    event: &'a Event,
}

/// A stored body, read back.
#[derive(Deserialize)]
pub(crate) struct Body {
    pub at: At,
    pub event: Event,
}

/// The link before a run's first event: it binds the chain to the run's id.
pub fn first_link(run: &RunId) -> [u8; 32] {
    Sha256::digest(format!("gatehouse-run-v1:{run}").as_bytes()).into()
}

/// The link of one event.
pub fn chain_hash(previous: &[u8; 32], seq: u64, body: &[u8]) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update(seq.to_be_bytes());
    sha.update(body);
    sha.finalize().into()
}

/// The stored bytes of an event: `{"at":…,"event":{…}}` as compact JSON.
///
/// # Errors
/// What serde reports.
pub fn body_of(at: At, event: &Event) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&BodyRef { at, event })
}

/// Where a run's log will end once a batch is appended behind `after`.
///
/// # Errors
/// An event cannot be written as JSON.
pub fn chained(after: Head, batch: &[(At, Event)]) -> serde_json::Result<Head> {
    batch.iter().try_fold(after, |head, (at, event)| {
        let seq = head.seq + 1;
        let hash = chain_hash(&head.hash, seq, &body_of(*at, event)?);
        Ok(Head { seq, hash })
    })
}

/// The links of the log of a run that another one goes on from, one for each of its events, from what that other one holds of it
/// ([`engine::Continued`]): `log` is its events from the first on.
pub fn links_of(earlier: &engine::Continued, log: &[&Stored]) -> serde_json::Result<Vec<[u8; 32]>> {
    let own = Event::RunCreated(Arc::clone(&earlier.created));
    let mut link = first_link(earlier.run());
    let events = log.iter().skip(1).map(|stored| (stored.at, &stored.event));
    let events = std::iter::once((earlier.at, &own)).chain(events);
    (1..=earlier.events)
        .zip(events)
        .map(|(seq, (at, event))| {
            link = chain_hash(&link, seq, &body_of(at, event)?);
            Ok(link)
        })
        .collect()
}
