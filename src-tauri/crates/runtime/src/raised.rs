//! The context that a run keeps: the project's, with what its workflow adds (seed 003 `global_context`).
//!
//! A workflow may raise what the project wants and add to it, never the other way round: otherwise a file could lower its own risk. Where it
//! says less, or something else than the project has settled, the project's value holds, and that is named (GH0603).

use dialect::context;
use model::{Fields, Workflow};
use std::sync::Arc;

/// The context of a run of this workflow in this project; absent: neither says anything.
pub(crate) fn context_of(project: Option<&Arc<Fields>>, workflow: &Workflow) -> Option<Arc<Fields>> {
    let own = context::of(workflow);
    match project {
        _ if own.is_empty() => project.cloned(),
        None => Some(Arc::new(own)),
        Some(project) => Some(Arc::new(context::together(project, &own).0)),
    }
}
