//! Whether a run is still what was recorded.
//!
//! * `query`: chain, blobs, files, signatures and the register, checked; `signatures`: whether its decisions are what was signed; `against`: a
//!   report held against it.
//! * `rebuild`: its files written anew, or finished.

pub(crate) mod against;
mod query;
pub mod rebuild;
pub(crate) mod signatures;
pub mod view;
