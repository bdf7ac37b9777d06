//! Files of the project as they were when they were last looked at.

use crate::session::view::SessionCard;
use dialect::Document;
use std::sync::Arc;
use std::time::SystemTime;

/// A file as it was when it was last looked at.
#[derive(Clone)]
pub(crate) struct Scanned {
    pub modified: Option<SystemTime>,
    pub bytes: u64,
    pub found: Found,
    /// It was a workflow, then or before.
    pub was_workflow: bool,
}

impl Scanned {
    /// It may be something else by now: it is looked at again.
    pub(crate) fn ages(&mut self) {
        self.bytes = AGED;
    }
}

/// So large no file is.
pub(crate) const AGED: u64 = u64::MAX;

/// What a file turned out to be.
#[derive(Clone)]
pub(crate) enum Found {
    Workflow(Arc<Document>),
    Session(SessionCard),
    Nothing,
    Unreadable(String),
}
