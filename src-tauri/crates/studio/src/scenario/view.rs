//! A workflow's scenarios as tests.

use crate::view::StepRef;
use serde::Serialize;
use ts_rs::TS;

/// The scenarios of a workflow, tried in memory: nothing is started, written or recorded.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TestsView {
    /// Relative path of the workflow.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Those in the file itself first, then those beside it.
    pub tests: Vec<TestView>,
    /// How many did what they say.
    pub passed: u32,
    /// How many did not.
    pub failed: u32,
    /// Steps that at least one of them came to.
    pub steps: ShareView,
    /// Edges that at least one of them took.
    pub edges: ShareView,
    /// Steps that none came to, in document order.
    pub unseen_steps: Vec<StepRef>,
    /// Edges that none took.
    pub unseen_edges: Vec<EdgeRef>,
    /// The scenario that would add most; absent: there is none, see `words`.
    pub next: Option<NextTestView>,
    /// What they cover together and what can still be added, in words.
    pub words: String,
}

/// A scenario that was made of what a run did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct KeptView {
    /// Relative path.
    pub path: String,
    /// It was played once: in what it goes another way than the run did, in a sentence or two; absent: in nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub otherwise: Option<String>,
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ShareView {
    /// How many were seen.
    pub seen: u32,
    /// How many there are.
    pub of: u32,
}

/// One scenario and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TestView {
    /// Name.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// The file it stands in, relative.
    pub origin: String,
    /// The line it begins on, 1-based; absent: the whole file.
    pub line: Option<u32>,
    /// What `run.start` takes as its scenario, to watch it; absent: it cannot be started.
    pub start: Option<String>,
    /// It did what it says.
    pub passed: bool,
    /// It says something that it is to come to; otherwise nothing was checked.
    pub expects: bool,
    /// The verdict, one sentence; of a failed one which command did what and what was expected.
    pub words: String,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// How it ended, in the format's words: `COMPLETE`, `STOP`, `done`, `failed`, `rejected`; `waits` when it did not, `unreadable` when the
    /// scenario could not be read and nothing was tried.
    pub result: String,
    /// The steps in the order they were carried out, the first 200.
    pub path: Vec<StepRef>,
    /// How many there were.
    pub path_length: u32,
    /// Ordinals of the steps it came to.
    pub steps: Vec<u32>,
    /// Ids of the drawn edges it took.
    pub edges: Vec<String>,
    /// Where it stood after each of its commands; empty when it has none.
    pub stations: Vec<StationView>,
}

/// Where a run stood after a command of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StationView {
    /// As written.
    pub command: String,
    /// Where it waits; absent: it has ended.
    pub at: Option<StepRef>,
}

/// A drawn edge, named.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EdgeRef {
    /// As in the drawing.
    pub id: String,
    /// From.
    pub from: StepRef,
    /// To.
    pub to: StepRef,
    /// What is written on it.
    pub label: Option<String>,
    /// Nothing leads over it, neither an answer nor a person's jump.
    pub unreachable: bool,
}

/// A scenario that nobody has written yet.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct NextTestView {
    /// A name for it.
    pub name: String,
    /// How it ends: `COMPLETE`, `STOP`.
    pub result: String,
    /// The lines to paste below `scenarios:` in the front matter.
    pub yaml: String,
    /// Ordinals of the steps it adds.
    pub steps: Vec<u32>,
    /// Ids of the drawn edges it adds.
    pub edges: Vec<String>,
    /// What it adds, in words.
    pub words: String,
}
