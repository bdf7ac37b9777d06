//! Several gestures as one change of the text.

use crate::document::Document;
use crate::edit::EditError;
use crate::text::{TextEdit, apply, compose};
use model::{Edit, FlowEdit, Gesture, NewStep, Spot, StepId};

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
        let mut index = 0;
        while let Some(gesture) = gestures.get(index) {
            let refused = |error| Refused { index, error };
            let together = pasted_together(&gestures[index..]);
            let put = together.as_ref().and_then(|(steps, at)| made.document.paste(steps, at));
            let edits = match put {
                Some(put) => {
                    let many = together.as_ref().map_or(1, |(steps, _)| steps.len());
                    // Those that go behind one step come with the last one first.
                    let which = |n: usize| match together {
                        Some((_, Spot::After { .. })) => index + many - 1 - n,
                        _ => index + n,
                    };
                    let put = put.map_err(|(n, error)| Refused { index: which(n), error })?;
                    entails.extend(put.said.into_iter().map(|said| (None, said)));
                    index += many;
                    put.edits
                }
                None => {
                    let edits = made.document.gesture(gesture).map_err(refused)?;
                    index += 1;
                    if edits.is_empty() {
                        continue;
                    }
                    if let Some(said) = made.document.consequence(gesture) {
                        entails.push((step_of(gesture, &made.document), said));
                    }
                    edits
                }
            };
            let text = apply(made.document.text(), &edits);
            let before = std::mem::replace(&mut made.document, Self::parse(self.path(), &text));
            made.renamed.extend(renamed(gesture, &before, &made.document));
            made.edits = match made.edits.is_empty() {
                true => edits,
                false => compose(self.text(), &made.edits, &edits),
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

/// The steps of the first gestures where those paste at one spot, in the order in which they are to stand there. Behind a step each one
/// goes directly behind it, so that the last one comes first.
fn pasted_together(gestures: &[Gesture]) -> Option<(Vec<&NewStep>, &Spot)> {
    let pasted =
        |gesture: &'_ Gesture| matches!(gesture, Gesture::Flow(FlowEdit::Add { step, .. }) if step.text.is_some());
    let Some(Gesture::Flow(FlowEdit::Add { at, .. })) = gestures.first().filter(|first| pasted(first)) else {
        return None;
    };
    let here = gestures.iter().map_while(|gesture| match gesture {
        Gesture::Flow(FlowEdit::Add { step, at: own }) if own == at && pasted(gesture) => Some(step),
        _ => None,
    });
    let steps: Vec<&NewStep> = match at {
        Spot::After { .. } => here.collect::<Vec<_>>().into_iter().rev().collect(),
        Spot::End => here.collect(),
        Spot::Between { .. } | Spot::Inside { .. } | Spot::Alone => here.take(1).collect(),
    };
    Some((steps, at))
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
