//! Gates: where a person is asked, what they are shown, and what their answer does.
//!
//! * `inbox`: what waits, and what was decided lately; `decided`: who decided what, of the whole project; `brief`: everything one needs to decide; `answer`: answering;
//!   `reported`: what was typed as the values of a step.
//! * `present`: the brief in words; `context`: what stands beside what is shown; `consequences`: where each answer leads; `decisions`, `rounds`:
//!   what was decided before; `people`: who answered for whom; `way_here`: what on the way did not go as the workflow wants it;
//!   `beside`: who worked in the runs around and beside it; `unasked`: gates that a run has passed without asking anybody;
//!   `rejected_before`: rejections in the run that it goes back from.
//! * `digests`: what the project's files hold now.
//! * `policy`: why a step stops for a person; `standards`: the project's own; `asking`: the words for all of it.

pub(crate) mod answer;
pub(crate) mod asking;
pub(crate) mod beside;
mod brief;
pub(crate) mod consequences;
pub(crate) mod context;
pub(crate) mod decided;
pub mod decision_view;
pub(crate) mod decisions;
pub(crate) mod digests;
pub(crate) mod inbox;
pub(crate) mod people;
pub(crate) mod policy;
pub(crate) mod present;
mod rejected_before;
mod reported;
pub(crate) mod rounds;
pub(crate) mod standards;
pub(crate) mod unasked;
pub mod view;
mod way_here;
