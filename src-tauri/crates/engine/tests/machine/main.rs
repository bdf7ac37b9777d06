//! The run machine, held to seed 001 and CONTRACTS "Human gates" and "Stepwise".
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod detours;
mod feedback;
mod fork_properties;
mod forks;
mod gates;
mod grammar;
mod outcomes;
mod parts;
mod play;
mod properties;
mod retries;
mod run_steps;
mod runbook;
mod stage_properties;
mod stage_rules;
mod stage_sim;
mod stage_watch;
mod stages;
mod standards;
mod steering;
mod stepspec;
mod table;
mod taking_up;
mod transitions;
mod ways;
mod whether;
