//! Floor 1: what a text must not hold (seed 000 `guardrails`).
//!
//! ```text
//! Rules::read(value of `guardrails:`)      -> Rules            // the rules of gatehouse.yaml, or a sentence about what is wrong
//! check(stage, payload, rules)             -> Option<Report>   // None: nothing is asked for at this stage
//! ```
//!
//! The inputs of a step are checked before its tools run, its outputs after its executor. Looked for are personal data, secrets, words
//! nobody wants, what the project's own rules name, and size. No files, no clock (`clippy.toml` bans them): the same text gets the
//! same report on every machine.
//!
//! Time grows with the length of the text, whatever stands in it: every pattern runs without backtracking, and each rule stops
//! looking once it has found as much as a report lists.
//!
//! * [`rules`]: what is looked for; [`reading`]: from configuration; [`report`]: what was found.
//! * `personal`, `secrets`, `words`, `patterns`: the kinds of rules. `plain`: a text without the tricks that hide something from a
//!   rule but not from a reader.

#![deny(missing_docs)]

mod check;
mod hits;
mod iban;
mod leaves;
mod patterns;
mod personal;
mod plain;
pub mod reading;
pub mod report;
pub mod rules;
mod secrets;
mod words;

pub use check::check;
pub use reading::Unusable;
pub use report::{Action, Found, Kind, Report, Stage, Status, Violation};
pub use rules::Rules;
