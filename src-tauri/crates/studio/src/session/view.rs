//! A session (seed 003) for people who have never seen its document. Whatever the document says, in its own words: what breaks the schema is shown
//! as it stands, beside the list of breaks.

use crate::view::StepRef;
use crate::workflow::view::ProblemView;
use serde::Serialize;
use ts_rs::TS;

/// One session.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SessionView {
    /// The file, as given.
    pub path: String,
    /// `session_id`.
    pub session_id: Option<String>,
    /// The project's name.
    pub project: Option<String>,
    /// The kind of workflow, in the seed's words; of a run of ours whose author names none: the workflow.
    pub workflow_type: Option<String>,
    /// Of a run of ours: which.
    pub run: Option<String>,
    /// Of one that was taken in as a run: what is to be said of that. Another one of a file can be taken in.
    pub imported: Option<String>,
    /// Of a run of ours: how it stands, in one word.
    pub status: Option<String>,
    /// Where it was carried out; `rehearsal`: nothing was.
    pub environment: Option<String>,
    /// When it began, as written.
    pub created_at: Option<String>,
    /// When it was written last, as written.
    pub updated_at: Option<String>,
    /// The step that is at work; 0: none has begun.
    pub current_step: Option<String>,
    /// The group of steps that is at work.
    pub current_group: Option<String>,
    /// Numbers of steps.
    pub completed_steps: Vec<String>,
    /// Each with who failed at it and why.
    pub failed_steps: Vec<FailedStep>,
    /// Numbers of steps.
    pub skipped_steps: Vec<String>,
    /// Set aside, with the reason where one is given; absent: it goes on.
    pub paused: Option<String>,
    /// Out of 10, as whoever wrote the session says.
    pub quality_score: Option<String>,
    /// Passed first, then failed.
    pub quality_gates: Vec<QualityGate>,
    /// In the document's order.
    pub agents: Vec<AgentContext>,
    /// Stretches in which none of the agents was at work and that are drawn short: from and to, milliseconds since 1970.
    pub gaps: Vec<(i64, i64)>,
    /// In the document's order.
    pub decisions: Vec<LoggedDecision>,
    /// In the document's order.
    pub feedback: Vec<FeedbackLoop>,
    /// In the document's order.
    pub checkpoints: Vec<Checkpoint>,
    /// Files that were made.
    pub artifacts: Vec<String>,
    /// In the document's order.
    pub checks: Vec<SessionCheck>,
    /// What of it breaks the schema, and what cannot be read.
    pub problems: Vec<ProblemView>,
    /// The document; absent: it is too long to be shown as one text.
    pub source: Option<String>,
}

/// How a workflow's steps stand by what an imported session says, before a run goes on from it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TakeOverView {
    /// In words.
    pub words: String,
    /// Steps that count as completed and are not done here.
    pub completed: Vec<StepRef>,
    /// Steps that count as left out.
    pub skipped: Vec<StepRef>,
    /// Where the run begins.
    pub at: StepRef,
    /// Steps that may come after it; which of them do follows from the ways that are taken.
    pub then: Vec<StepRef>,
    /// What these steps need and is not in this project, a sentence each.
    pub missing: Vec<String>,
    /// What does not fit and does not stand in the way.
    pub notes: Vec<String>,
}

/// A session in a list of files.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SessionCard {
    /// Relative path.
    pub path: String,
    /// The project's name; absent: it has none.
    pub project: Option<String>,
    /// When it was written last, or began, as written.
    pub at: Option<String>,
    /// How many breaks of the schema.
    pub errors: u32,
}

/// A check of the history.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SessionCheck {
    /// The line of the document on which it begins.
    pub line: u32,
    /// As written.
    pub at: Option<String>,
    /// The number of the step.
    pub step: Option<String>,
    /// Whose work was checked.
    pub agent: Option<String>,
    /// What kind of check.
    pub kind: Option<String>,
    /// What came of it; absent: it is not said.
    pub passed: Option<bool>,
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FailedStep {
    /// Its number.
    pub step: Option<String>,
    /// Who did it.
    pub agent: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// How often it was tried again.
    pub retries: Option<String>,
}

/// A gate of quality.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct QualityGate {
    /// The line of the document on which it begins.
    pub line: u32,
    /// Its name.
    pub name: Option<String>,
    /// Whether it passed.
    pub passed: bool,
    /// Why it did not.
    pub reason: Option<String>,
}

/// What one agent was given, and what it made.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentContext {
    /// The line of the document on which it begins.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// In the seed's words.
    pub status: Option<String>,
    /// As written.
    pub started: Option<String>,
    /// As written.
    pub ended: Option<String>,
    /// How often it was tried again.
    pub retries: Option<String>,
    /// Who took over.
    pub escalated_to: Option<String>,
    /// What it needs.
    pub inputs: Vec<String>,
    /// What it made, and what it reported of steps.
    pub outputs: Vec<AgentOutput>,
    /// What other agents said to it.
    pub feedback: Vec<String>,
}

/// One thing that an agent made, or what it reported of a step.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentOutput {
    /// Its name.
    pub name: String,
    /// The file it stands in; absent: it is no file, and was reported.
    pub file: Option<String>,
    /// Names and values of scores, out of 10, as the agent says.
    pub scores: Vec<(String, String)>,
    /// The score as a whole of each round, oldest first; empty: there was one round, or none is told.
    pub trend: Vec<f64>,
    /// Whether it kept its schema.
    pub valid: Option<bool>,
}

/// A decision of the log.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LoggedDecision {
    /// The line of the document on which it begins.
    pub line: u32,
    /// As written.
    pub at: Option<String>,
    /// In the seed's words.
    pub kind: Option<String>,
    /// Who made it.
    pub maker: Option<String>,
    /// What was decided.
    pub decision: Option<String>,
    /// Why.
    pub reasoning: Option<String>,
}

/// What one agent sent back to others.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FeedbackLoop {
    /// The line of the document on which it begins.
    pub line: u32,
    /// Who.
    pub from: Option<String>,
    /// To whom.
    pub to: Vec<String>,
    /// In the seed's words.
    pub kind: Option<String>,
    /// What.
    pub description: Option<String>,
    /// In the seed's words.
    pub status: Option<String>,
    /// What came of it.
    pub resolution: Option<String>,
}

/// A moment that one can go back to.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct Checkpoint {
    /// The line of the document on which it begins.
    pub line: u32,
    /// Its id.
    pub id: Option<String>,
    /// As written.
    pub at: Option<String>,
    /// The number of the step it was made at.
    pub step: Option<String>,
    /// What it is.
    pub description: Option<String>,
}
