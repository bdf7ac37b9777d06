//! A file that is changed, and what changes of it share.

use super::Reading;
use crate::edit::{EditError, Source, TreeError, tree_edit};
use crate::in_tree::TreeReading as _;
use crate::text::TextEdit;
use crate::tree::Tree;
use model::{Edit, Place};

/// Text edits, or why there are none.
pub(super) type Edits = Result<Vec<TextEdit>, TreeError>;

/// A file that is changed.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    /// What the text is read as.
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) tree: &'a Tree,
    pub(super) reading: &'a Reading,
}

impl<'a> File<'a> {
    /// One value of the tree.
    pub(super) fn tree_edit(&self, edit: &Edit) -> Edits {
        let path = self.reading.file_path(edit.place());
        tree_edit(self.path, self.text, self.tree, &path, edit)
    }

    pub(super) fn source(&self) -> Source<'a> {
        Source {
            name: self.path,
            text: self.text,
            tree: self.tree,
        }
    }

    pub(super) fn shown(&self, place: &Place) -> String {
        self.reading.file_path(place).join(".")
    }

    pub(super) fn refused(&self, place: &Place, why: impl Into<String>) -> TreeError {
        let (path, why) = (self.shown(place), why.into());
        EditError::NotUnderstood { path, why }.into()
    }

    pub(super) fn missing(&self, place: &Place) -> TreeError {
        EditError::Missing {
            path: self.shown(place),
        }
        .into()
    }
}
