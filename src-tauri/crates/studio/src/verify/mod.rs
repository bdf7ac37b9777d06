//! Whether a run is still what was recorded.
//!
//! * `signatures`: whether its decisions are what was signed.

pub(crate) mod signatures;
