//! Runs: starting, steering and looking at them, as of any event.
//!
//! * `start_form`: what a start would do; `inputs`: answers to what is asked then; `start`: starting; `drive`: which
//!   runs this process carries on, and `owner`: for whom; `steer`: pausing, ending, taking up again; `mended`: going on with another file.
//! * `query`: the views; `list`: lists of runs; `find`: one by its id; `history`: logs as the window looks at them, with an `index`, kept in a `cache`; `drawing`: the picture, once for each version; `active`: the step that matters most; `file`: what
//!   steps made; `subject`: what a run is about; `waiting`: what it waits for, with the runs inside it; `waits_inside`: when those did; `gone_on`: which runs go on from it; `open_work`: how what it has begun
//!   stands beyond its log.
//! * `compare`: two runs beside each other.
//! * `present`: a run in words, `ahead` what comes when it goes on, `status` how it stands, `step` one step of it, `instances` what happened there, `work` who did it and how long it took; `lifecycle`, `crew`, `scores`, `feedback`, `forks`, `flows`, `orders` parts
//!   of that. `log`, `timeline`, `event_lines`: over time. `reasons`, `transitions`, `dependencies`, `detours`: why it went where it went.

pub(crate) mod active;
pub(crate) mod ahead;
pub(crate) mod asked;
pub(crate) mod cache;
mod compare;
pub mod compare_view;
pub(crate) mod crew;
pub(crate) mod dependencies;
pub(crate) mod detours;
pub(crate) mod drawing;
pub(crate) mod drive;
pub(crate) mod event_lines;
pub(crate) mod feedback;
pub(crate) mod file;
pub(crate) mod find;
pub(crate) mod flows;
pub(crate) mod fork_view;
pub(crate) mod forks;
mod gone_on;
pub(crate) mod history;
pub(crate) mod index;
pub mod inputs;
pub(crate) mod instances;
pub(crate) mod lifecycle;
pub(crate) mod lifecycle_view;
mod list;
pub mod log;
pub(crate) mod mended;
mod missing;
pub(crate) mod open_work;
pub(crate) mod orders;
pub(crate) mod owner;
pub(crate) mod present;
pub(crate) mod query;
pub(crate) mod reasons;
pub mod row_view;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod scores;
mod start;
pub(crate) mod start_form;
pub(crate) mod status;
mod steer;
pub(crate) mod step;
pub(crate) mod subject;
pub(crate) mod timeline;
pub(crate) mod touched;
pub(crate) mod transitions;
pub mod view;
pub(crate) mod waiting;
mod waits_inside;
pub(crate) mod work;
