//! What can be filled in of a scenario: of each visit and each answer.

use super::whole;
use crate::form::{Entries, scenario as rows};
use crate::in_tree::node;
use crate::tree::Budget;
use model::{Form, Place, Workflow};
use serde_json::Value;

/// What a part of a scenario is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioPart {
    /// The scenario itself.
    Whole,
    /// A visit of a step, 0-based.
    Visit(String, usize),
    /// An answer to a gate, or to the gate of a step, 0-based.
    Answer(String, usize),
    /// How the run should end.
    End,
}

/// What can be filled in of a scenario, part by part: the scenario, the visits and answers in the order of the file, the end.
///
/// # Errors
/// Why it cannot be read, as the end of a sentence.
pub fn scenario_forms(path: &str, text: &str, workflow: &Workflow) -> Result<Vec<(ScenarioPart, Place, Form)>, String> {
    let tree = whole(path, text)?;
    let value = |place: &Place| {
        let found = node(text, &tree, &place.path)?;
        Some(tree.value(text, found, &mut Budget::of(&tree)))
    };
    let mut out = Vec::new();
    let mut put = |part: ScenarioPart, place: Place, entries: Entries| {
        let form = entries.form(None, &|place: &Place| Some((value(place)?, None)), &[]);
        out.push((part, place, form));
    };
    let mut whole = Entries::new("scenario", "Scenario");
    whole.rows(&Place::document(), &rows::WHOLE);
    put(ScenarioPart::Whole, Place::document(), whole);
    let root = value(&Place::document()).unwrap_or_default();
    let listed = |block: &str| -> Vec<(String, usize)> {
        let entries = root.get(block).and_then(Value::as_object).into_iter().flatten();
        let many = entries.flat_map(|(key, list)| {
            let many = list.as_array().map_or(0, Vec::len);
            (0..many).map(|n| (key.clone(), n))
        });
        many.collect()
    };
    let place = |block: &str, key: &str, n: usize| Place::document().field(block).field(key).field(n.to_string());
    for (step, n) in listed("steps") {
        let mut form = Entries::new("visit", "Visit");
        let place = place("steps", &step, n);
        form.rows(&place, &rows::VISIT);
        let is_checked = |step: &model::Step| step.validation.is_some();
        if workflow.step(&step.as_str().into()).is_some_and(is_checked) {
            form.rows(&place, [&rows::INVALID]);
        }
        put(ScenarioPart::Visit(step, n), place, form);
    }
    for (gate, n) in listed("gates") {
        let mut form = Entries::new("answer", "Answer");
        let place = place("gates", &gate, n);
        form.rows(&place, &rows::ANSWER);
        put(ScenarioPart::Answer(gate, n), place, form);
    }
    let mut end = Entries::new("end", "How it should end");
    let place = Place::document().field("expect");
    end.rows(&place, &rows::EXPECT);
    put(ScenarioPart::End, place, end);
    Ok(out)
}
