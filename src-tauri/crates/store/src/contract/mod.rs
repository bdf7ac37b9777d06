//! What seed 001 demands of its files, and seed 000 of its events, wherever they come from: used on our own files by `verify`, on foreign ones by
//! import, and on the recorded cases by the oracle adapter.
//!
//! A check returns what is broken and never fails itself: files of the wild that break a rule still open.

pub mod event_stream;
pub mod events_file;
pub mod paths;
pub mod receipt;
pub mod run_folder;
pub mod step_result;
pub mod transcript;

#[cfg(test)]
mod tests;
pub mod workflow_events;
