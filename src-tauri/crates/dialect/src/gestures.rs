//! Several gestures as one change of the text.

use crate::document::Document;
use crate::edit::EditError;
use crate::text::{TextEdit, apply, compose};
use model::{Edit, Gesture, StepId};

/// What came of several gestures.
#[derive(Debug, Clone)]
pub struct Made {
    /// The document with all of them.
    pub document: Document,
    /// The edits that lead there from the text before: as small as the gestures were.
    pub edits: Vec<TextEdit>,
    /// What they entail besides what they say, a sentence each, without a final stop.
    pub entails: Vec<String>,
    /// Steps that got another id, each with what it was called before, one after the other.
    pub renamed: Vec<(StepId, StepId)>,
}

/// One of several gestures that could not be made. None of them was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Refused {
    /// Which one, 0-based.
    pub index: usize,
    /// Why.
    pub error: EditError,
}

impl Document {
    /// Makes several gestures, each on what those before it have left. Nothing is written.
    ///
    /// # Errors
    /// [`Refused`]: the first one that cannot be made.
    pub fn make(&self, gestures: &[Gesture]) -> Result<Made, Refused> {
        let mut made = Made {
            document: self.clone(),
            edits: Vec::new(),
            entails: Vec::new(),
            renamed: Vec::new(),
        };
        let mut entails: Vec<(Option<StepId>, String)> = Vec::new();
        for (index, gesture) in gestures.iter().enumerate() {
            let refused = |error| Refused { index, error };
            let edits = made.document.gesture(gesture).map_err(refused)?;
            if edits.is_empty() {
                continue;
            }
            if let Some(said) = made.document.consequence(gesture) {
                entails.push((step_of(gesture, &made.document), said));
            }
            let text = apply(made.document.text(), &edits);
            let before = std::mem::replace(&mut made.document, Self::parse(self.path(), &text));
            made.renamed.extend(renamed(gesture, &before, &made.document));
            made.edits = match index {
                0 => edits,
                _ => compose(self.text(), &made.edits, &edits),
            };
        }
        // What one gesture would do to a step that a later one takes out is no news.
        let is_gone = |id: &str| {
            self.workflow().step(&id.into()).is_some() && made.document.workflow().step(&id.into()).is_none()
        };
        for (own, said) in entails {
            let about = said.split('`').nth(1).unwrap_or_default();
            let is_own = own.is_some_and(|own| own.as_str() == about);
            if (is_own || !is_gone(about)) && !made.entails.contains(&said) {
                made.entails.push(said);
            }
        }
        Ok(made)
    }
}

/// The step that a gesture is about.
fn step_of(gesture: &Gesture, document: &Document) -> Option<StepId> {
    match gesture {
        Gesture::Value(edit) => {
            let step = document.workflow().steps().get(edit.place().step?)?;
            Some(step.id.clone())
        }
        Gesture::Flow(edit) => edit.step().cloned(),
    }
}

/// The step that a gesture gave another id, with both.
fn renamed(gesture: &Gesture, before: &Document, after: &Document) -> Option<(StepId, StepId)> {
    let Gesture::Value(Edit::Set { place, .. } | Edit::Rename { place, .. }) = gesture else {
        return None;
    };
    let (old, new) = (before.workflow().steps(), after.workflow().steps());
    let (was, is) = (old.get(place.step?)?, new.get(place.step?)?);
    (old.len() == new.len() && was.id != is.id).then(|| (was.id.clone(), is.id.clone()))
}
