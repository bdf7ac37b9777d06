//! What the views of all subjects share. A view struct is a snapshot that clients show, each in the `view.rs` of its subject: never persisted,
//! without version; TypeScript types are generated from them (`npm run gen` → `ui/src/lib/api/*.gen.ts`). Times are milliseconds since 1970 (UTC), paths relative to the project
//! with `/`. Words are made here, so that window, report and command line say the same.

use engine::RefusalCode;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Status of a step or run, one list for the whole product; always shown with icon and word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Status {
    /// Not yet reached.
    NotStarted,
    /// In flight.
    Running,
    /// To begin as soon as there is room (stages of a pipeline).
    Queued,
    /// Between two attempts, or waiting for something that is not a person.
    Waiting,
    /// Waiting for a person's decision.
    Blocked,
    /// A person paused it.
    Paused,
    /// It has not ended, and nobody carries it on.
    LeftOpen,
    /// Ended well.
    Done,
    /// Ended, but not every part of it well (seed 004 `completed_with_failures`).
    Partly,
    /// Ended badly.
    Failed,
    /// A person refused, and that decided it.
    Refused,
    /// It could not go on: what was asked for is not all done.
    Stopped,
    /// Left out.
    Skipped,
    /// Ended by a person's order, or cut off.
    Aborted,
    /// Taken in from elsewhere: nothing of it was carried out here.
    Imported,
}

/// A named value for display.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FieldView {
    /// The field's name as written.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

/// A step, named.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepRef {
    /// Id.
    pub id: String,
    /// `4`.
    pub number: String,
    /// What a person reads.
    pub name: String,
}

/// A refusal, for people and for code.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct Refused {
    /// Stable code.
    pub code: RefusalCode,
    /// In words.
    pub message: String,
}
