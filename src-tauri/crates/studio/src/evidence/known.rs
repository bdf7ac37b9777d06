//! What a run recorded as evidence, as far as its log was read.

use dialect::Document;
use engine::RunState;
use std::sync::Arc;

/// What is known of a run's log.
#[derive(Clone)]
pub(crate) struct Known {
    /// Up to which event it was read.
    pub seq: u64,
    /// Absent: it recorded no evidence.
    pub recorded: Option<Recorded>,
}

/// A run that recorded evidence.
#[derive(Clone)]
pub(crate) struct Recorded {
    /// The workflow in the version it kept.
    pub document: Arc<Document>,
    /// Its state, without what its steps said and made.
    pub state: Arc<RunState>,
}
