//! Floor 2: what a step may call, and what checks what it made. It knows nothing of runs, engines or workflows.
//!
//! ```text
//! Registry::built_in() / with_checks(checks)     -> Registry     // the tools that every project has
//! registry.declare(&declared) / add(source)      -> problems     // what a project declares; Git, language servers, MCP are sources too
//! registry.lookup(name), list()                  -> Spec         // name, risk, schema of the arguments
//! judge(&call, spec, &rules, approved)           -> Judgement    // goes, skipped, blocked, failed, or a person is asked; pure
//! registry.call(name, args, &context, stopped)   -> Outcome      // async; bounded in time and output; never panics
//! Check::of_word(word, &declared)                -> Check        // json, yaml, ast, typecheck, lint, the project's own …
//! check.run(path, &context, stopped)             -> CheckOutcome // passed, failed, or absent: its program is not on this machine
//! ```
//!
//! A caller judges first, asks a person where the verdict says so, and then calls. What stands in the way of a call comes in one order
//! (oracle `stepspec/tools.json`): unknown tool, blocklist, allowlist, arguments, approval.
//!
//! A [`Context`] is the project a call happens in. Tools use files below its root only, and of those neither what is Git's or Gatehouse's
//! own nor what the permissions refuse; programs get its environment and its mark. Whatever a call started has ended when it returns, also
//! when it was too slow, was called off or dropped. Language and MCP servers go on running for as long as their source lives.
//!
//! | tool | arguments | answer |
//! |---|---|---|
//! | `getCurrentTime` | `timezone` (IANA; America/Toronto) | ISO 8601 in whole seconds |
//! | `readTextFile` | `path`, `max_bytes` | `{path, text, bytes, cut}` |
//! | `writeTextFile` (medium risk) | `path`, `content`, `create_folders`, `mode`: create, overwrite (default), append | `{path, bytes, created}` |
//! | `listFiles` | `path`, `pattern`, `recursive` | `{entries: [{path, kind, bytes}], cut, withheld}` |
//! | `validateJson`, `validateYaml` | `path` | `{status, message, places: [{line, column, text}]}` |
//! | `validateJsonSchema` | `path`, `schema` (itself or a path) | the same |
//! | `validateMarkdown` | `path`, `template` | the same |
//! | `runCheck` | `path`, `check` | the same |
//! | `repoStatus`, `repoDiff`, `repoLog`, `repoBlame` | see [`git`] | see there |
//! | `lspHover`, `lspSignatureHelp` | see [`lsp`] | see there |

#![deny(missing_docs)]

pub mod arguments;
mod check;
mod clock;
pub mod confinement;
mod context;
mod declared;
mod denied;
pub mod files;
pub mod git;
mod judge;
mod links;
pub mod lsp;
pub mod mcp;
pub mod nesting;
pub mod once;
mod outcome;
mod programs;
mod registry;
mod repository;
pub mod rpc;
mod schema;
mod source;
mod spec;
pub mod spelling;

pub use check::{Check, CheckOutcome, CheckPlace, CheckStatus, SourceLanguage};
pub use context::Context;
pub use declared::{Declared, Served};
pub use judge::{Call, Judgement, Rules, Verdict, judge};
pub use outcome::{Outcome, Status};
pub use registry::Registry;
pub use source::{Answer, Hand, Leash, Source};
pub use spec::{Risk, Spec, TIMEOUT};
