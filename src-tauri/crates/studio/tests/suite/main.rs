//! What the window and the command line ask for and get, in projects on disk.

mod agents;
mod authoring;
mod bindings;
mod bmad;
mod branches;
mod by_piece;
mod comparing;
mod decisions;
mod facade;
mod failing;
mod flows;
mod inside;
mod long_runs;
mod pipelines;
mod project;
mod rules;
mod runbooks;
mod stepspec;
mod testing;
mod typing;
