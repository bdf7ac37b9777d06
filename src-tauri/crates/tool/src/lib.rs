//! Floor 2: what a step may call. It knows nothing of runs, engines or workflows.
#![deny(missing_docs)]

pub mod arguments;
mod check;
mod clock;
mod context;
mod declared;
mod files;
pub mod git;
mod judge;
pub mod lsp;
pub mod mcp;
mod outcome;
mod registry;
mod repository;
pub mod rpc;
mod schema;
mod source;
mod spec;

pub use check::{Check, CheckOutcome, CheckPlace, CheckStatus};
pub use context::Context;
pub use declared::{Declared, Served};
pub use judge::{Call, Judgement, Rules, Verdict, judge};
pub use outcome::{Outcome, Status};
pub use registry::Registry;
pub use source::{Answer, Hand, Leash, Source};
pub use spec::{Risk, Spec, TIMEOUT};
