//! Floor 5: the façade. Everything a client can do goes through [`Studio`]: open, edit, run, answer, replay, report,
//! verify. It knows neither Tauri nor a terminal.
//!
//! * [`studio`]: the façade itself; [`command`]: the list of its intents.
//! * A folder a subject: [`workflow`], [`scenario`], [`run`], [`gate`], [`checkpoint`], [`evidence`], [`pipeline`], [`session`], [`terminal`], [`report`],
//!   [`bundle`], [`verify`], [`settings`]. In each `query` answers, `present` builds what a person reads, without I/O, and `view` is what crosses to the clients.
//! * [`view`]: what the views share; [`words`], [`text`]: words and texts for all of them; [`notice`]: hints that something changed; `watch`: what
//!   changes behind our back becomes notices.
//! * [`backup`]: a copy of the history; `new_file`: files that are there whole or not at all; `saved`: those that a person saves; `files`:
//!   those of the project; [`days`]: days and times in the project's time zone, else where it runs.

pub mod backup;
pub mod bundle;
pub mod checkpoint;
pub mod command;
pub mod days;
pub mod error;
pub mod evidence;
mod files;
pub mod gate;
mod lock;
mod new_file;
pub mod notice;
pub mod pipeline;
pub mod report;
pub mod run;
mod saved;
pub mod scenario;
pub mod session;
pub mod settings;
pub mod studio;
pub mod terminal;
pub mod text;
pub mod verify;
pub mod view;
mod watch;
pub mod words;
pub mod workflow;

pub use checkpoint::query::WentBack;
pub use command::dispatch;
pub use engine::{Answer, Choice, Lasting, Purpose, RunId};
pub use error::ApiError;
pub use gate::answer::answer_of_word;
pub use model::{Format, Severity};
pub use notice::Notice;
pub use pipeline::start::Begun;
pub use run::event_lines::EventLines;
pub use run::waiting::{About, Asked, Inside, Next, OnDisk, Possible, ShownFile};
pub use runtime::{Console, Control, Keyboard, Size, Typed};
pub use settings::identity::Identity;
pub use settings::query::good_name;
pub use store::vocabulary::Vocabulary;
pub use studio::{Client, Studio};
