//! A field as the rules about it are asked: with what stands beside it.

use crate::reading::Context;
pub(super) use crate::said::shortened;
use crate::tree::{NodeId, Tree};

/// A field, with what stands beside it.
pub(super) struct Asked<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) beside: &'a [(&'a str, NodeId)],
    pub(super) name: &'static str,
    pub(super) id: NodeId,
}

impl Asked<'_> {
    pub(super) fn tree(&self) -> &Tree {
        self.context.tree
    }

    pub(super) fn text(&self) -> Option<String> {
        self.context.text(self.id)
    }

    pub(super) fn beside(&self, name: &str) -> Option<NodeId> {
        let found = self.beside.iter().rev().find(|(key, _)| *key == name)?;
        (!self.context.is_null(found.1)).then_some(found.1)
    }

    /// The first few texts of a list, for a sentence.
    pub(super) fn names(&self, id: NodeId) -> Vec<String> {
        let items = self.tree().items(id).unwrap_or(&[]);
        items
            .iter()
            .take(4)
            .filter_map(|id| self.context.text(*id))
            .map(|name| shortened(&name))
            .collect()
    }
}
