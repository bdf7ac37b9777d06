//! Floor 2: what happened, durably.
//!
//! One SQLite file a project (`<project>/.gatehouse/history.db`) holds the append-only event log with a SHA-256 chain per
//! run, blobs by content, and projections of the log that lists are read from. The run directory of seed 001 is rendered
//! from log and blobs and can be deleted and rebuilt byte for byte. This crate alone knows SQL and that directory's layout.
//!
//! * [`Store`]: open, append, read, blobs, leases, settings, the journal of document edits; blocking.
//! * [`Store::verify`]: the chain, the columns, the projections and the blobs of a run; [`Store::verify_files`]: its files;
//!   [`Store::verify_made`]: what steps made among them.
//! * [`vocabulary`]: the log in the words of seed 001, of seed 000, and our own.
//! * [`rundir`]: the files of a run.
//! * [`session()`]: a run as one session document (seed 003).
//! * [`context`]: the index of a project's texts, in a file of its own that may be deleted at any time.
//! * [`contract`]: what the contracts demand of such files, wherever they come from.
//! * [`Store::back_up`], [`Store::restore`]: a copy in one complete file, and back.
//! * [`Store::take_excerpt`]: some runs in a file of their own, to be handed over.
//! * [`regular`]: reading a file that is meant to be one, and nothing else of its name.
//! * [`below`]: reading and writing below a folder that others write to, without being led out of it.

pub mod alone;
mod append;
mod appended;
mod backup;
pub mod below;
mod blobs;
mod by_people;
mod chain;
pub mod context;
pub mod contract;
mod decisions;
mod entries;
mod error;
mod excerpt;
mod excerpt_mark;
mod facts;
mod finding;
mod gates;
mod journal;
mod lease;
pub mod made;
mod open;
pub mod private;
mod read;
mod register;
pub mod regular;
mod rows;
mod run_row;
pub mod rundir;
mod runs;
mod schema;
mod session;
mod settings;
mod timestamp;
mod verify;
pub mod vocabulary;

pub use append::Append;
pub use backup::Copied;
pub use blobs::{digest_of, digest_of_all};
pub use chain::{Head, Stored, body_of, chain_hash, chained, first_link, links_of};
pub use decisions::{DecisionAt, DecisionFilter, Decisions};
pub use error::Error;
pub use excerpt_mark::Excerpt;
pub use facts::Facts;
pub use finding::{Finding, FindingKind};
pub use gates::{DecidedRow, UnreadRow, WaitingRow};
pub use journal::JournalEntry;
pub use lease::{Lease, LeaseRow};
pub use open::Store;
pub use read::UNMET;
pub use run_row::{RunRow, StatusWord};
pub use runs::RunFilter;
pub use session::session;
pub use timestamp::rfc3339;

#[cfg(test)]
mod tests;
