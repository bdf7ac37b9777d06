//! Runs carried out for real: a real history on disk, real processes.

mod attempts;
mod beginning;
mod bmad;
mod bounds;
mod care;
mod clocks;
mod commands;
mod crews;
mod detours;
mod flows;
mod gates;
mod harness;
mod holding;
mod isolation;
#[path = "../../../../../tests/src/looking.rs"]
mod looking;
mod pipelines;
mod refusing;
mod runs;
mod stepspec;
mod unbound;
mod ways;
