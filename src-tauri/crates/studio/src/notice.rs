//! What is pushed to clients: hints that something changed, batched; the client asks for the snapshot it shows.

use crate::gate::view::GateCard;
use crate::view::Status;
use serde::Serialize;
use ts_rs::TS;

/// One hint.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Notice {
    /// A run went on; at most one per run and 50 ms.
    Run {
        /// Run.
        run_id: String,
        /// Its last event.
        last: u64,
        /// Its status.
        status: Status,
    },
    /// What a terminal of a run's step shows, or whether there is one, has changed.
    Terminal {
        /// Run.
        run_id: String,
    },
    /// The Inbox changed.
    Inbox {
        /// How many decisions wait.
        waiting: u32,
        /// A gate that has just been opened, for a desktop notification.
        opened: Option<Box<GateCard>>,
    },
    /// An answer to a question that waits was wanted by now: told once, for a desktop notification.
    Overdue {
        /// The question.
        gate: Box<GateCard>,
    },
    /// A workflow file changed on disk or by an edit; also one into which a run writes its state.
    Workflow {
        /// Relative path.
        path: String,
    },
    /// Workflows came or went.
    Library,
    /// Settings changed, the person's or the project's.
    Settings,
    /// Notices were lost on the way: anything may have changed.
    Missed,
}
