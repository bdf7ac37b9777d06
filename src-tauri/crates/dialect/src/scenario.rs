//! Scenarios that stand beside a workflow (CONTRACTS "Scenarios"): the names of steps in them, which follow when a step gets another
//! id, and what can be filled in of each visit and each answer.

use crate::edit::{Sheet, TreeError};
use crate::form::{Entries, scenario as rows};
use crate::in_tree::node;
use crate::text::{Lines, TextEdit};
use crate::tree::{Budget, Tree};
use model::{Edit, Form, Place, StepId, Workflow};
use serde_json::Value;

/// The blocks whose keys are steps, or the gates of steps.
const BLOCKS: [&str; 3] = ["steps", "gates", "navigator"];

/// The edits that give steps their new ids in a scenario, each pair on what those before it have left. Empty where it names none of them.
///
/// # Errors
/// Why it cannot follow, as the end of a sentence: it cannot be read, or it names the new id already.
pub fn renamed_in_scenario(path: &str, text: &str, renamed: &[(StepId, StepId)]) -> Result<Vec<TextEdit>, String> {
    let mut sheet = Sheet::new(path, text);
    if let Some(fault) = Tree::read(path, text).broken() {
        let at = Lines::of(text).position(text, fault.at);
        return Err(format!("it cannot be read past line {}", at.line));
    }
    for (old, new) in renamed {
        for (keys, edit) in mentions(&sheet.root(), old.as_str(), new.as_str()) {
            let edited = sheet.edit(&keys, &edit);
            edited.map_err(|error: TreeError| error.at(sheet.text(), 0).to_string())?;
        }
    }
    Ok(sheet.finish())
}

/// What names a step, with what makes it name another one: what lies deeper first, so that the keys that lead there still hold.
fn mentions(root: &Value, old: &str, new: &str) -> Vec<(Vec<String>, Edit)> {
    let place = Place::document;
    let set = |value: String| Edit::Set {
        place: place(),
        value: value.into(),
    };
    let mut found = Vec::new();
    for block in BLOCKS {
        let Some(Value::Object(entries)) = root.get(block) else {
            continue;
        };
        for (step, visits) in entries {
            for (n, visit) in visits.as_array().into_iter().flatten().enumerate() {
                let inside = |key: &str| vec![block.to_owned(), step.clone(), n.to_string(), key.to_owned()];
                if visit.get("jump").and_then(Value::as_str) == Some(old) {
                    found.push((inside("jump"), set(new.to_owned())));
                }
                // A way is called by what it does and where it leads: `advance:fix`.
                let way = visit
                    .get("way")
                    .and_then(Value::as_str)
                    .and_then(|way| way.rsplit_once(':'));
                if let Some((does, to)) = way
                    && to == old
                {
                    found.push((inside("way"), set(format!("{does}:{new}"))));
                }
            }
        }
    }
    let path = root.get("expect").and_then(|expect| expect.get("path"));
    for (n, step) in path.and_then(Value::as_array).into_iter().flatten().enumerate() {
        if step.as_str() == Some(old) {
            found.push((
                vec!["expect".to_owned(), "path".to_owned(), n.to_string()],
                set(new.to_owned()),
            ));
        }
    }
    for block in BLOCKS {
        if root.get(block).and_then(|entries| entries.get(old)).is_some() {
            let edit = Edit::Rename {
                place: place(),
                to: new.to_owned(),
            };
            found.push((vec![block.to_owned(), old.to_owned()], edit));
        }
    }
    found
}

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
    let tree = Tree::read(path, text);
    if let Some(fault) = tree.broken() {
        let at = Lines::of(text).position(text, fault.at);
        return Err(format!("it cannot be read past line {}", at.line));
    }
    let value = |place: &Place| {
        let found = node(text, &tree, &place.path)?;
        Some(tree.value(text, found, &mut Budget::of(&tree)))
    };
    let mut out = Vec::new();
    let mut put = |part: ScenarioPart, place: Place, entries: Entries| {
        let form = entries.form(None, &value, &[]);
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
