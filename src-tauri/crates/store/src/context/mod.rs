//! The index of a project's texts, for what is looked up for a step (seed 000 "TELIS context").
//!
//! A file is cut into *shards*: a function, a class, a section, a key. They lie in a database file of their own
//! (`<project>/.gatehouse/context.db`) with SQLite's full-text search over them. Everything in it follows from the project's files: it is no
//! part of the history, may be deleted at any time, and is made anew when it is damaged or of another version.
//!
//! ```text
//! Index::open(project)        -> Index      // or in memory
//! index.begin(maker)          -> Session    // one writer at a time; what is searched is what was brought up to date
//! session.files()             -> what is indexed, by path
//! session.replace(file), session.remove(path)
//! session.search(query)       -> Vec<Hit>, best first, with a score from 0 to 1
//! session.kept(key), session.keep(key, answer)   // answers that were put together before
//! session.commit()
//! ```

mod files;
mod open;
mod schema;
mod search;
mod words;

pub use files::{File, Shard};
pub use open::{Index, Session};
pub use search::{Hit, Query};
