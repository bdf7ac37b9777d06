//! What seed 001 demands of its files, and seed 000 of its events, wherever they come from: our tests hold our own files
//! to it, the oracle adapter the recorded cases. The program itself uses [`paths`] and [`events_file`] alone.
//!
//! A check returns what is broken and never fails itself: files of the wild that break a rule still open.

pub mod event_stream;
pub mod events_file;
pub mod paths;
pub mod receipt;
pub mod run_folder;
pub mod step_result;
pub mod transcript;
pub mod workflow_events;

#[cfg(test)]
mod tests;
