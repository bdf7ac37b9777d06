//! Whether a run is still what was recorded.
//!
//! * `query`: chain, blobs, files, signatures and the register, checked; `signatures`: whether its decisions are what was signed.
//! * `rebuild`: its files written anew, or finished.

pub(crate) mod query;
pub mod rebuild;
pub(crate) mod signatures;
pub mod view;
