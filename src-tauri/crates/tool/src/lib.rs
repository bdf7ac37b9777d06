//! Floor 2: what a step may call. It knows nothing of runs, engines or workflows.
#![deny(missing_docs)]

mod context;
// mod git;   files of the colleague who writes Git, language servers and MCP: added with them
// mod lsp;
// mod mcp;
// mod rpc;
mod outcome;
mod spec;

pub use context::Context;
pub use outcome::{Outcome, Status};
pub use spec::{Risk, Spec, TIMEOUT};
