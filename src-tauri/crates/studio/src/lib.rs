//! Floor 5: the façade. Everything a client can do goes through [`Studio`]: open, edit, run, answer, replay, report,
//! verify. It knows neither Tauri nor a terminal.
//!
//! * [`studio`]: the façade itself; [`command`]: the list of its intents.
//! * [`documents`]: open workflow files, edits, undo; `authoring`: previews, forms, new files; [`library`]: finding them; [`history`]: logs of runs, cached.
//! * [`gates`], [`briefing`], [`inputs`], [`running`], [`looking`], [`reporting`], [`files`]: answering; what a start would do; answers to what is asked then; starting and steering; views as of any event; reports
//!   and verification.
//! * `checkpoints`: moments that one can go back to. [`evidence`]: what supports what was made. [`pipelines`]: creating, listing and starting pipelines. [`testing`]: scenarios as tests. [`watch`]: what changes behind our back becomes notices.
//! * `new_file`: files that are there whole or not at all.
//! * `terminals`: the terminals of steps that run here, seen and typed into from a window; `seats`: what they show and what keys send.
//! * [`subject`]: what a run is about. [`identity`]: who signs. `trust`: what a person lets a project do. `keys`: whose key is whose. [`show`]: view builders. [`view`]: what they build.

mod against;
mod asked;
mod authoring;
mod briefing;
pub mod checking;
mod checkpoints;
pub mod command;
mod context;
mod documents;
pub mod error;
pub mod evidence;
pub mod explain;
mod files;
mod gates;
mod history;
pub mod identity;
mod index;
mod inputs;
pub mod keeping;
pub mod keys;
mod library;
mod looking;
mod mended;
mod new_file;
mod owner;
mod pictures;
mod pipelines;
mod preferences;
mod reporting;
mod running;
mod seats;
pub mod session;
pub mod show;
mod signatures;
pub mod studio;
mod subject;
mod terminals;
pub mod testing;
mod trust;
pub mod view;
mod watch;

pub use asked::{Asked, Possible};
pub use checkpoints::WentBack;
pub use command::dispatch;
pub use engine::{Answer, Choice, Lasting, Purpose, RunId};
pub use error::ApiError;
pub use gates::answer_of_word;
pub use identity::Identity;
pub use model::{Format, Severity};
pub use pipelines::Begun;
pub use preferences::good_name;
pub use runtime::{Console, Control, Keyboard, Size, Typed};
pub use store::vocabulary::Vocabulary;
pub use studio::{Client, Studio};
pub use view::notice::Notice;
