//! Between `store` and `runtime`: a run as whoever works with it holds it. [`Live`] is its state at the end of the log,
//! for whoever carries it on or says something to it; [`Run`] is that with the log and marks of past states, for
//! whoever looks at it. Here are the one loop that adds to a log ([`Live::commit`]) and the one way to a state of the
//! past ([`Run::at`]).

mod crash;
mod live;
mod log;
mod marks;
mod run;

pub use live::{Batch, Error, Live};
pub use log::{Events, Log};
pub use marks::{Fold, Folded};
pub use run::Run;

#[cfg(test)]
mod tests;
