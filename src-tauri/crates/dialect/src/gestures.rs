//! Several gestures as one change of the text.

use crate::document::{Changed, Consequence, Document};
use crate::edit::EditError;
use crate::scenario::NewId;
use crate::text::{TextEdit, apply, compose};
use model::{Edit, FlowEdit, Gesture, NewStep, Spot, Step, StepId, Workflow};
use std::collections::HashMap;

/// What came of several gestures.
#[derive(Debug, Clone)]
pub struct Made {
    /// The document with all of them.
    pub document: Document,
    /// The edits that lead there from the text before: as small as the gestures were.
    pub edits: Vec<TextEdit>,
    /// What they entail besides what they say, a sentence each, without a final stop.
    pub entails: Vec<String>,
    /// Steps that got another id or are gone, as they were called before all of them and behind all of them.
    pub renamed: Vec<NewId>,
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
            renamed: self.own_ids(),
        };
        let mut said: Vec<Said> = Vec::new();
        let mut index = 0;
        let mut group = 0;
        while let Some(gesture) = gestures.get(index) {
            let together = pasted_together(&gestures[index..]);
            let put = together.as_ref().and_then(|(steps, at)| made.document.paste(steps, at));
            let (changed, news) = match put {
                Some(put) => {
                    let many = together.as_ref().map_or(1, |(steps, _)| steps.len());
                    // Those that go behind one step come with the last one first.
                    let which = |n: usize| match together {
                        Some((_, Spot::After { .. })) => index + many - 1 - n,
                        _ => index + n,
                    };
                    let put = put.map_err(|(n, error)| Refused { index: which(n), error })?;
                    index += many;
                    let changed = Changed::from(put.edits);
                    // They say of each step by itself what it lacks.
                    let each = put.said.into_iter().map(|said| {
                        group += 1;
                        let about = Vec::new();
                        (group, Consequence { about, said })
                    });
                    (changed, each.collect())
                }
                None => {
                    let changed = made.document.changed(gesture);
                    let changed = changed.map_err(|error| Refused { index, error })?;
                    index += 1;
                    if changed.edits.is_empty() {
                        continue;
                    }
                    group += 1;
                    let news = made.document.consequences(gesture).into_iter();
                    (changed, news.map(|one| (group, one)).collect::<Vec<_>>())
                }
            };
            let text = apply(made.document.text(), &changed.edits);
            let before = std::mem::replace(&mut made.document, Self::parse(self.path(), &text));
            let named = asked_for(gesture, &before, &made.document).into_iter();
            let ids = changed.ids.into_iter().chain(named);
            let ids = Ids {
                new: ids.collect(),
                after: made.document.workflow(),
            };
            made.renamed.retain_mut(|(_, now)| ids.follow(now));
            said.retain_mut(|said| said.follow(&ids));
            said.extend(news.into_iter().map(|(group, one)| Said::of(group, one, &ids)));
            made.edits = match made.edits.is_empty() {
                true => changed.edits,
                false => compose(self.text(), &made.edits, &changed.edits),
            };
        }
        made.renamed.retain(|(old, new)| new.as_ref() != Some(old));
        for of_one in said.chunk_by(|a, b| a.group == b.group) {
            let sentences: Vec<&str> = of_one.iter().map(|said| said.sentence.as_str()).collect();
            let whole = sentences.join(", and ");
            if !made.entails.contains(&whole) {
                made.entails.push(whole);
            }
        }
        Ok(made)
    }

    /// The ids of the steps, each with itself; of two steps of one id the first has it.
    fn own_ids(&self) -> Vec<NewId> {
        let own = self.workflow().steps().iter().filter(|step| is_meant(self, step));
        own.map(|step| (step.id.clone(), Some(step.id.clone()))).collect()
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

/// Whether a step is the one that its id means.
fn is_meant(document: &Document, step: &Step) -> bool {
    let meant = document.workflow().step(&step.id);
    meant.is_some_and(|meant| meant.ordinal == step.ordinal)
}

/// What becomes of ids by one gesture.
struct Ids<'a> {
    new: HashMap<StepId, Option<StepId>>,
    after: &'a Workflow,
}

impl Ids<'_> {
    /// What a step is called now. `Some(None)`: the gesture took it out, with what names it; `None`: it is not there any more, and
    /// what names it may stay.
    fn of(&self, id: &StepId) -> Option<Option<StepId>> {
        let stays = || self.after.step(id).is_some().then(|| Some(id.clone()));
        self.new.get(id).cloned().or_else(stays)
    }

    /// Puts the id that a step has now in place of the one that it had; `false` where what names it may stay.
    fn follow(&self, id: &mut Option<StepId>) -> bool {
        let Some(known) = id.take() else { return true };
        let found = self.of(&known);
        let stays = found.is_some();
        *id = found.flatten();
        stays
    }
}

/// What is said of a gesture, with the steps it is about as they are called by now.
struct Said {
    /// Which sentences are said as one.
    group: usize,
    about: Vec<StepId>,
    /// It is about steps that are there behind the gesture.
    lasts: bool,
    sentence: String,
}

impl Said {
    fn of(group: usize, one: Consequence, ids: &Ids<'_>) -> Self {
        let mut said = Self {
            group,
            about: one.about,
            lasts: true,
            sentence: one.said,
        };
        said.lasts = said.follow(ids);
        said
    }

    /// What a gesture does to steps that a later one takes out is no news.
    fn follow(&mut self, ids: &Ids<'_>) -> bool {
        let about = std::mem::take(&mut self.about);
        self.about = about.iter().filter_map(|id| ids.of(id).flatten()).collect();
        !self.lasts || !self.about.is_empty()
    }
}

/// The new ids that a gesture asks for: of a step, and of what stands inside of it.
fn asked_for(gesture: &Gesture, before: &Document, after: &Document) -> Vec<NewId> {
    let (old, new) = (before.workflow().steps(), after.workflow().steps());
    let Gesture::Value(Edit::Set { place, .. } | Edit::Rename { place, .. }) = gesture else {
        return Vec::new();
    };
    if place.step.is_none() || old.len() != new.len() {
        return Vec::new();
    }
    let changed = old
        .iter()
        .zip(new)
        .filter(|(was, is)| was.id != is.id && is_meant(before, was));
    changed.map(|(was, is)| (was.id.clone(), Some(is.id.clone()))).collect()
}
