//! What becomes of a file where something else is to do the work of a step ([`crate::does`]).

use super::{Changed, Consequence, Document};
use crate::does::chosen;
use crate::edit::EditError;
use crate::said::{called, in_a_row, shortened};
use crate::text::{TextEdit, apply, compose};
use model::{Edit, Gesture, Place};
use serde_json::Value;

/// Several changes of values, each made on what those before it have left: the edits of the text that are all of them, and what it is then.
pub(super) fn in_turn(document: &Document, parts: &[Edit]) -> Result<(Vec<TextEdit>, Document), EditError> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut now = document.clone();
    for part in parts {
        let more = now.value_edit(part)?.edits;
        let text = apply(now.text(), &more);
        edits = match edits.is_empty() {
            true => more,
            false => compose(document.text(), &edits, &more),
        };
        now = Document::parse(document.path(), &text);
    }
    Ok((edits, now))
}

/// Several changes of values as the one that was chosen.
pub(super) fn one_by_one(document: &Document, choice: &Edit, parts: &[Edit]) -> Result<Changed, EditError> {
    let (edits, now) = in_turn(document, parts)?;
    match chosen(now.workflow(), choice) {
        // Something else is taken over from another part of the file, is given to whoever does the step around it, or is no choice of this
        // format.
        Some((step, to)) if now.read.reading.does_now(step) != to => Err(EditError::unfit(format!(
            "what does {} cannot be changed to this here; change it in the source",
            called(&step.id)
        ))),
        _ => Ok(edits.into()),
    }
}

/// What goes where something else does a step, and who does it then.
pub(super) fn entails(document: &Document, gesture: &Gesture) -> Vec<Consequence> {
    let Gesture::Value(choice) = gesture else {
        return Vec::new();
    };
    let found = chosen(document.workflow(), choice).zip(document.parts(choice));
    let Some(((step, _), parts)) = found else {
        return Vec::new();
    };
    let labels = document.labels(Some(step.ordinal));
    let label = |place: &Place| -> String {
        let around = labels
            .iter()
            .filter(|(own, _)| own.step == place.step && !own.path.is_empty() && place.path.starts_with(&own.path));
        let nearest = around.max_by_key(|(own, _)| own.path.len());
        // One has a name of its own: `agent`, where several are `agents`.
        let alike = |(own, _): &&(Place, String)| match (own.path.as_slice(), place.path.as_slice()) {
            ([own], [key]) => own.trim_end_matches('s') == key.trim_end_matches('s'),
            _ => false,
        };
        let nearest = nearest.or_else(|| labels.iter().find(alike));
        nearest.map_or_else(|| place.path.join("."), |(_, label)| label.clone())
    };
    let who = called(&step.id);
    let mut gone: Vec<(String, Vec<String>)> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    // What stands in a list goes from its end.
    for part in parts.iter().rev() {
        match part {
            Edit::Remove { place } => {
                let Some(was) = document.value(place).and_then(|value| in_short(&value)) else {
                    continue;
                };
                let label = label(place);
                match gone.iter_mut().find(|(known, _)| *known == label) {
                    Some((_, values)) => values.extend(was),
                    None => gone.push((label, was)),
                }
            }
            Edit::Set { place, value } if place.path.iter().any(|key| key == "agents" || key == "agent") => {
                let names = in_short(value).and_then(|names| in_a_row(&names));
                said.extend(names.map(|names| format!("{who} is done by {names}")));
            }
            Edit::Set { .. } | Edit::Move { .. } | Edit::Rename { .. } => {}
        }
    }
    let gone = gone.into_iter().map(|(label, values)| match in_a_row(&values) {
        Some(values) => format!("“{label}” of {who} goes: {values}"),
        None => format!("“{label}” of {who} goes"),
    });
    let all = gone.chain(said);
    all.map(|said| Consequence::of(&step.id, said)).collect()
}

/// What stands in a field, for a sentence: texts in quotes, nothing of what is no text; `None` of a field that says nothing.
fn in_short(value: &Value) -> Option<Vec<String>> {
    let quoted = |text: &str| format!("“{}”", shortened(text.trim()));
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(vec![quoted(text)]),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => Some(items.iter().filter_map(Value::as_str).map(quoted).collect()),
        _ => Some(Vec::new()),
    }
}
