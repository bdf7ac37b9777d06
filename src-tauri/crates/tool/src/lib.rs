//! Floor 2: what a step may call. It knows nothing of runs, engines or workflows.
#![deny(missing_docs)]

pub mod arguments;
mod context;
pub mod git;
// mod lsp;
// mod mcp;
// mod rpc;
mod judge;
mod outcome;
mod schema;
mod spec;

pub use context::Context;
pub use judge::{Call, Judgement, Rules, Verdict, judge};
pub use outcome::{Outcome, Status};
pub use spec::{Risk, Spec, TIMEOUT};
