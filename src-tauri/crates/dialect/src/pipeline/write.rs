//! Changes of a pipeline's file that no person makes: proved edits of the text.

use crate::edit::{Change, EditError, TreeError, tree_changes};
use crate::text::{Lines, apply};
use crate::tree::{NodeId, Tree};

/// What a text without a path is read as: pipelines are YAML.
pub(super) const NAME: &str = "pipeline.yaml";

/// Why a pipeline's text cannot be written. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The text breaks its syntax.
    #[error("the pipeline's file has a syntax error in line {line}, column {column}; mend it there first")]
    Broken {
        /// 1-based.
        line: usize,
        /// 1-based, in characters.
        column: usize,
    },
    /// The outermost level is no mapping, or `stages` is no list.
    #[error("the file holds no pipeline: it has no list of `stages`")]
    NoPipeline,
    /// Something has no form in which it could be written without changing something else.
    #[error("the pipeline's file cannot be written: {0}")]
    NotExact(EditError),
}

/// The tree of a text and its outermost mapping.
pub(super) fn root_of(text: &str) -> Result<(Tree, NodeId), WriteError> {
    let tree = Tree::read(NAME, text);
    if let Some(fault) = tree.broken() {
        return Err(broken(text, fault.at));
    }
    let root = tree.root.filter(|root| tree.entries(*root).is_some());
    root.map(|root| (tree, root)).ok_or(WriteError::NoPipeline)
}

/// The text with changes.
pub(super) fn changed(text: &str, tree: &Tree, changes: &[Change]) -> Result<String, WriteError> {
    match tree_changes(NAME, text, tree, changes) {
        Ok(edits) => Ok(apply(text, &edits)),
        Err(TreeError::Broken(at)) => Err(broken(text, at)),
        Err(TreeError::Other(error)) => Err(WriteError::NotExact(error)),
    }
}

fn broken(text: &str, at: usize) -> WriteError {
    let at = Lines::of(text).position(text, at);
    WriteError::Broken {
        line: at.line,
        column: at.column,
    }
}
