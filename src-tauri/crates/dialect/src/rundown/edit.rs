//! Changes of a runbook.

use super::Runbook;
use crate::document::Document;
use crate::edit::EditError;
use crate::text::TextEdit;
use model::Edit;

impl Runbook {
    pub(crate) fn edit(&self, _document: &Document, edit: &Edit) -> Result<Vec<TextEdit>, EditError> {
        let (Edit::Set { place, .. } | Edit::Remove { place }) = edit;
        Err(EditError::Missing {
            path: place.path.join("."),
        })
    }
}
