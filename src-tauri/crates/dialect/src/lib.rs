//! Floor 1: text and model.
//!
//! A [`Document`] holds a file's text, its concrete tree with byte spans, the [`model::Workflow`] read from it and what is
//! wrong with it. Parsing never fails and printing is the text itself. An edit of the model becomes the smallest edits of
//! the text ([`Document::edit`]); undo is text undo ([`invert`]); what another program changed meanwhile is merged
//! ([`merge`]). Nothing here runs anything, does input or output, or reads a clock.
//!
//! * `dialect`, `registry`: what a format has to answer, the list of those that are read, and the one ladder that tells what a
//!   file is. `other_files`: what files are that are no workflow.
//! * `agent_workflow`: the workflow files of seed 003's family, YAML and JSON.
//! * [`stepwise`]: the format of seed 001, both file generations and its graph files.
//! * [`rundown`]: the runbooks of seed 002, Markdown.
//! * [`pipeline`]: the agent pipelines of seed 004, YAML.
//! * [`stepspec`]: the StepSpec workflows of seed 000, YAML and JSON.
//! * [`bmad`]: the workflow files of the BMAD method, which become StepSpec workflows.
//! * [`session`]: the sessions of seed 003, which are no workflows.
//! * [`context`]: what holds for everything that a project or a workflow does.
//! * `feedback`: how far what steps report to earlier ones sends work back.
//! * `scenario`: scenarios beside a workflow: how they follow new ids of its steps, and what can be filled in of them.
//! * [`settings`]: values of files that are no workflows, changed one by one.
//! * [`fields`]: what becomes of each field that a format knows; what is not carried out, and names that look misspelt.
//! * [`completion`]: what can be written where somebody types in the source.
//! * `does`: what does the work of a step, as one choice.
//! * `sound`: what a change may not break. `gestures`: several changes as one. `form`: what can be filled in. `new_file`: what a new file can be;
//!   `slug`: what it is called.
//! * `tree`: YAML and JSON with exact spans. `in_tree`: what their formats share once they are read. `text`: lines, changes, merging. `edit`: from [`model::Edit`] to text.

mod agent_workflow;
mod apart;
pub mod bmad;
pub mod completion;
pub mod context;
mod dialect;
mod document;
mod does;
mod edit;
mod feedback;
pub mod fields;
mod form;
mod gestures;
mod held;
mod in_tree;
mod new_file;
mod not_a_workflow;
mod other_files;
mod pages;
pub mod pipeline;
mod reading;
mod registry;
pub mod rundown;
mod said;
mod scenario;
pub mod session;
pub mod settings;
mod slug;
mod sound;
pub mod stepspec;
pub mod stepwise;
mod text;
mod tree;

pub use apart::Apart;
pub use document::{Consequence, Document, ListedFlow, StepField};
pub use edit::EditError;
pub use form::scenario::end_in_words;
pub use gestures::{Made, Refused};
pub use new_file::questions::{Answers, flow_of};
pub use new_file::{Shape as NewFile, Template, begun, named, shape, shapes};
pub use not_a_workflow::NotAWorkflow;
pub use pages::PAGES;
pub use registry::{detect, recognise};
pub use rundown::is_named as is_runbook_name;
pub use said::in_a_row;
pub use scenario::{NewId, ScenarioPart, renamed_in_scenario, scenario_forms};
pub use slug::name_of_file;
pub use text::{
    Clash, Lines, MergeConflict, Position, Side, Span, TextEdit, apply, compose, difference, invert, merge, merge_as,
};

/// Whether a file is read as a runbook without having a runbook's name.
pub fn is_unnamed_runbook(path: &str) -> bool {
    dialect::is_markdown(path) && !is_runbook_name(path)
}
