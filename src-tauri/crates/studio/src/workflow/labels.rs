//! Fields as a person reads them: what the forms call what a file writes under a key.

use dialect::Document;
use model::Place;
use std::collections::BTreeMap;

/// The labels of a document's fields; each form is looked at once.
pub(crate) struct Labels<'d> {
    document: &'d Document,
    known: BTreeMap<Option<usize>, Vec<(Place, String)>>,
}

impl<'d> Labels<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        Self {
            document,
            known: BTreeMap::new(),
        }
    }

    /// The fields of a step's form, or of the workflow's, each with where it stands.
    pub(crate) fn fields(&mut self, step: Option<usize>) -> &[(Place, String)] {
        let document = self.document;
        self.known.entry(step).or_insert_with(|| document.labels(step))
    }

    /// What the form calls the field that a place is, or is in; `None`: no form has it.
    pub(crate) fn at(&mut self, place: &Place) -> Option<&str> {
        if place.path.is_empty() {
            return None;
        }
        let around = |field: &&(Place, String)| {
            let (at, _) = field;
            at.step == place.step && !at.path.is_empty() && place.path.starts_with(&at.path)
        };
        let fields = self.fields(place.step).iter().filter(around);
        let (_, label) = fields.max_by_key(|(at, _)| at.path.len())?;
        Some(label)
    }
}
