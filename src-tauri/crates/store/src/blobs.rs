//! Content by its SHA-256: sources, transcripts, artifacts, whole outputs.

use crate::{Error, Store};
use engine::{Digest, Event};
use rusqlite::{OptionalExtension, Transaction};
use sha2::{Digest as _, Sha256};
use std::io::{self, Read};

/// The name of some bytes.
pub fn digest_of(bytes: &[u8]) -> Digest {
    Digest::from(hex::encode(Sha256::digest(bytes)))
}

/// The same of all that can be read.
///
/// # Errors
/// What reading says.
pub fn digest_of_all(mut from: impl Read) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    let mut part = vec![0; 1 << 16];
    loop {
        let read = from.read(&mut part)?;
        if read == 0 {
            return Ok(Digest::from(hex::encode(hash.finalize())));
        }
        hash.update(&part[..read]);
    }
}

impl Store {
    /// Keeps some bytes under their digest. Bytes that are there already are not written again. Durable on return.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn put_blob(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = digest_of(bytes);
        let known = self.sql(|c| {
            c.prepare_cached("SELECT 1 FROM blobs WHERE digest = ?1")?
                .exists([digest.as_str()])
        })?;
        if !known {
            self.write(|t| Ok(insert(t, &digest, bytes)?))?;
        }
        Ok(digest)
    }

    /// The bytes of that name, checked against it.
    ///
    /// # Errors
    /// [`Error::UnknownBlob`], [`Error::BlobChanged`], [`Error::Sql`].
    pub fn blob(&self, digest: &Digest) -> Result<Vec<u8>, Error> {
        let bytes: Option<Vec<u8>> = self.sql(|c| {
            c.prepare_cached("SELECT bytes FROM blobs WHERE digest = ?1")?
                .query_row([digest.as_str()], |row| row.get(0))
                .optional()
        })?;
        let bytes = bytes.ok_or_else(|| Error::UnknownBlob { digest: digest.clone() })?;
        if digest_of(&bytes) == *digest {
            Ok(bytes)
        } else {
            Err(Error::BlobChanged { digest: digest.clone() })
        }
    }
}

/// Keeps some bytes under their digest, as part of a transaction.
pub(crate) fn insert(transaction: &Transaction<'_>, digest: &Digest, bytes: &[u8]) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO blobs (digest, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute((digest.as_str(), bytes))?;
    Ok(())
}

/// Every blob an event refers to, with what it is.
pub(crate) fn referred(event: &Event) -> Vec<(&'static str, &Digest)> {
    let mut out = Vec::new();
    match event {
        Event::RunCreated(created) => {
            out.push(("the workflow's source", &created.source));
            let instructions = created.instructions.iter();
            out.extend(instructions.map(|file| ("the workflow's instructions", &file.source)));
            out.extend(created.scenario.iter().map(|s| ("the scenario", &s.source)));
            let earlier = created.earlier().map(|earlier| &earlier.created.source);
            out.extend(earlier.map(|source| ("the source of a run that it goes on from", source)));
            let kept = created.imported.iter().filter_map(|imported| imported.kept.as_ref());
            out.extend(kept.map(|kept| ("the session that was taken in, as it keeps the schema", kept)));
            let working = created.continues.iter().flat_map(|earlier| &earlier.working);
            out.extend(working.map(|file| ("a file that the steps of an earlier run worked with", &file.digest)));
            let replaced = created.continues.iter().flat_map(|earlier| &earlier.put_back);
            out.extend(replaced.filter_map(|file| Some(("a file that was replaced", file.from.as_ref()?))));
        }
        Event::AttemptEnded { result, .. } => {
            out.extend(result.digests());
        }
        Event::GateOpened(opened) => {
            out.extend(opened.shown.iter().map(|a| ("an artifact shown at a gate", &a.digest)))
        }
        Event::GateAnswered(decision) => out.extend(decision.seen.iter().map(|d| ("an artifact that was seen", d))),
        _ => {}
    }
    out
}
