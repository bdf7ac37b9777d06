//! A file that is changed, and what changes of it share.

use super::Reading;
use crate::edit::{EditError, Source, TreeError, tree_edit};
use crate::in_tree::TreeReading as _;
use crate::text::TextEdit;
use model::{Edit, Place};

/// Text edits, or why there are none.
pub(super) type Edits = Result<Vec<TextEdit>, TreeError>;

/// A file that is changed.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) source: Source<'a>,
    pub(super) reading: &'a Reading,
}

impl File<'_> {
    /// One value of the tree.
    pub(super) fn tree_edit(&self, edit: &Edit) -> Edits {
        self.at(&self.reading.file_path(edit.place()), edit)
    }

    /// The same at keys from the root of the file.
    pub(super) fn at(&self, path: &[String], edit: &Edit) -> Edits {
        tree_edit(self.source.name, self.source.text, self.source.tree, path, edit)
    }

    pub(super) fn shown(&self, place: &Place) -> String {
        self.reading.file_path(place).join(".")
    }

    pub(super) fn refused(&self, place: &Place, why: impl Into<String>) -> TreeError {
        let (path, why) = (self.shown(place), why.into());
        EditError::NotUnderstood { path, why }.into()
    }

    pub(super) fn missing(&self, place: &Place) -> TreeError {
        let path = self.shown(place);
        EditError::Missing { path }.into()
    }
}
