//! Floor 4: carrying runs out.
//!
//! ```text
//! command -> engine::decide -> append (one commit) -> engine::apply -> start missing effects
//!        ^                                                              |
//!        +------------------ outcomes come back as commands ------------+
//! ```
//!
//! * [`Driver`]: creates runs and drives them; one driver a run, held by a lease. [`submit`]: what people say to a run,
//!   from any process.
//! * [`executor`]: who does the work: stub, shell, command. [`brief`]: what they are told.
//! * `attempt`: the stages that every attempt of every step goes through: guardrails, tools, context, the work, its
//!   files, validation, evidence.
//! * [`permits`]: what steps may do, and what people are asked for. [`config`]: `gatehouse.yaml`; [`unmet`]: names in it that nothing has. [`scenario`]:
//!   scripted runs; [`rehearsal`]: the same in memory, as tests. [`project`]: paths inside the project.
//! * [`flows`], [`instructions`]: the files that belong to a workflow's own, found and kept with it. [`beyond`]: what is wrong in
//!   the workflows that it lists. [`inside`]: how a start calls the steps of these; `given`: those that it gives to somebody.
//!   `entered`: what is answered at it, held against the guardrails.
//! * [`checkpoint`]: the files of a moment that a run goes back to; [`working`]: what its steps work with in its folder.
//! * [`imported`]: sessions of elsewhere, taken in and gone on from.
//! * `kept`: what decides over runs, and what their programs are kept from; `readable`: which files their steps
//!   may read. [`workflows`]: which files are workflows.
//! * `waiting`: which runs inside a run wait for people.
//! * [`context`]: what is looked up in the project for a step: files cut into shards, searched, given in tiers (seed
//!   000).
//! * [`Owner`]: whose runs these are, and what they have permitted. [`subject`]: what a run is about. [`clock`]: the
//!   time.

pub mod artifacts;
mod attempt;
mod beyond;
pub mod brief;
pub mod checkpoint;
pub mod clock;
pub mod config;
pub mod context;
mod derived_id;
pub mod desk;
mod driver;
mod entered;
mod error;
pub mod executor;
mod file_fault;
mod file_time;
pub mod flows;
mod given;
pub mod imported;
pub mod inside;
pub mod instructions;
mod isolation;
mod kept;
mod keyboard;
mod length;
pub mod listed;
pub mod opened;
mod owner;
pub mod permits;
pub mod pipeline;
pub mod project;
mod raised;
mod readable;
mod refusal;
pub mod rehearsal;
pub mod scenario;
mod source;
pub mod subject;
pub mod submit;
mod transcript;
pub mod unbound;
pub mod unmet;
mod waiting;
pub mod workflows;
pub mod working;

pub use attempt::{
    OUTPUT_BYTES, PlannedCall, changed_afterwards, no_more_as_approved, planned, tool_names, tried_text,
};
pub use beyond::{Beyond, beyond};
pub use driver::{
    Control, Driver, End, GoOn, Options, Point, ScenarioSource, StartRequest, can_go_back, driven_by, host, to_run,
};
pub use entered::Said;
pub use error::Error;
pub use file_fault::FileFault;
pub use isolation::{copy_for, is_of_branches};
pub use kept::{Kept, is_kept, kept, to_write};
pub use keyboard::Keyboard;
pub use owner::Owner;
pub use process::{Console, Size, Typed};
pub use refusal::{is_made, startable};
pub use source::{RunWorkflow, may_be_said, may_be_typed, scenario_of, workflow_of};
