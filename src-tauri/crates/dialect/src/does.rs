//! What does the work of a step: somebody, a script, or other workflows. A form offers it as one choice. No file has a field for it: it is
//! said by the fields that are there, so that another choice is several changes of values, made one after the other.

use model::{Edit, Place, Step, Work, Workflow};
use serde_json::Value;

/// Where the choice stands among the fields of a step.
pub(crate) const DOES: &str = "does";
/// Somebody: an agent or a person.
pub(crate) const WORK: &str = "work";
/// A script, or a command.
pub(crate) const SCRIPT: &str = "script";
/// Other workflows of the project.
pub(crate) const WORKFLOW: &str = "workflow";

/// A choice with the fields of YAML and JSON that say it.
type Says = (&'static str, &'static [&'static str]);

/// Of a format that has all of them; one without workflows has the first two.
pub(crate) const ALL: [Says; 3] = [
    (WORK, &["agents", "agent"]),
    (SCRIPT, &["run"]),
    (WORKFLOW, &["workflow", "workflows"]),
];

/// What does the work of a step.
pub(crate) fn word(step: &Step) -> &'static str {
    match step.work {
        Work::Command { .. } => SCRIPT,
        Work::SubWorkflow { .. } => WORKFLOW,
        Work::Agent | Work::Prompt { .. } | Work::Group => WORK,
    }
}

/// The step and the word of a choice; `None`: the edit is none.
pub(crate) fn chosen<'e>(workflow: &'e Workflow, edit: &'e Edit) -> Option<(&'e Step, &'e str)> {
    let Edit::Set { place, value } = edit else { return None };
    let is_one = matches!(place.path.as_slice(), [only] if only == DOES);
    let step = workflow.steps().get(place.step.filter(|_| is_one)?)?;
    Some((step, value.as_str()?))
}

/// The changes by which a step of YAML or JSON does its work as `to` says: what says so is written first, then what says something else
/// goes. `new`: what is written where nothing says it. `written`: what stands in a place.
pub(crate) fn by_fields(
    all: &[Says],
    step: &Step,
    to: &str,
    written: &dyn Fn(&Place) -> Option<Value>,
    new: Option<(&str, Value)>,
) -> Vec<Edit> {
    let Some((_, own)) = all.iter().find(|(known, _)| *known == to && word(step) != to) else {
        return Vec::new();
    };
    let place = |field: &str| Place::step(step.ordinal).field(field);
    let is_said = match to {
        // A list can name nobody.
        WORK => !step.agents.is_empty(),
        _ => own
            .iter()
            .any(|field| written(&place(field)).is_some_and(|value| !value.is_null())),
    };
    let new = new.filter(|_| !is_said).map(|(field, value)| Edit::Set {
        place: place(field),
        value,
    });
    let others = all.iter().filter(|(known, _)| *known != to);
    let gone = others.flat_map(|(_, fields)| fields.iter()).map(|field| place(field));
    let gone = gone.filter(|place| written(place).is_some());
    new.into_iter()
        .chain(gone.map(|place| Edit::Remove { place }))
        .collect()
}
