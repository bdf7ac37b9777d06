//! A gate that is taken out of a step by its word: what else says something of it goes with it, and is said before.

use super::{Changed, Consequence, Document, done_otherwise};
use crate::edit::{EditError, GATE_FIELDS};
use crate::said::{called, in_a_row};
use crate::text::apply;
use model::{Edit, FlowEdit, Gesture, Place, Step};

/// A change of a value; with a gate that goes by it go the fields that said when and what it asked, and whom, and where a rejection led.
pub(super) fn value_edit(document: &Document, edit: &Edit) -> Result<Changed, EditError> {
    let Some(step) = ungated(document, edit) else {
        return document.value_edit(edit);
    };
    let places = GATE_FIELDS.map(|field| Place::step(step.ordinal).field(field));
    let written = places.into_iter().filter(|place| document.value(place).is_some());
    let mut parts: Vec<Edit> = written.map(|place| Edit::Remove { place }).collect();
    parts.push(edit.clone());
    let (edits, _) = done_otherwise::in_turn(document, &parts)?;
    Ok(edits.into())
}

/// What somebody wrote that goes with a gate which is taken out of a step that stays.
pub(super) fn entails(document: &Document, gesture: &Gesture) -> Option<Consequence> {
    let step = match gesture {
        Gesture::Flow(FlowEdit::Gate { step, gate: None }) => document.workflow().step(step)?,
        Gesture::Value(edit) => ungated(document, edit)?,
        Gesture::Flow(_) => return None,
    };
    let gate = step.gate.as_ref()?;
    let question = gate.question.as_deref();
    let question = question.and_then(|question| question.trim().lines().next());
    let question = question.map(|question| format!("the question “{question}” goes with it"));
    let whom: Vec<String> = gate.asks.iter().map(|who| format!("“{}”", who.as_str())).collect();
    let whom = in_a_row(&whom).map(|whom| format!("so does whom it asked: {whom}"));
    let rejected = gate.on_reject.as_ref();
    let rejected = rejected.map(|to| {
        format!(
            "nothing that is rejected at {} leads to {} any more",
            called(&step.id),
            called(to)
        )
    });
    let said: Vec<String> = question.into_iter().chain(whom).chain(rejected).collect();
    (!said.is_empty()).then(|| Consequence::of(&step.id, said.join("; ")))
}

/// The step whose gate a change of a value takes out; `None`: it takes out none. Where the project's policy may ask all the same the gate stays.
fn ungated<'d>(document: &'d Document, edit: &Edit) -> Option<&'d Step> {
    let place = edit.place();
    let is_word = matches!(place.path.as_slice(), [only] if only == "human_gate" || only == "gate");
    let step = document.workflow().steps().get(place.step.filter(|_| is_word)?)?;
    step.gate.as_ref()?;
    let edits = document.value_edit(edit).ok()?.edits;
    let after = Document::parse(document.path(), &apply(document.text(), &edits));
    let now = after.workflow().steps().get(step.ordinal)?;
    now.gate.is_none().then_some(step)
}
