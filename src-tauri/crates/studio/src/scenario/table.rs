//! The scenarios beside a workflow as tables: read, changed value by value, made of what a run did.

use crate::command::{RecordOf, RenameOf, ScenarioEditOf, ScenarioOf};
use crate::notice::Notice;
use crate::run::history::History;
use crate::scenario::following::stem;
use crate::scenario::view::KeptView;
use crate::workflow::authoring::view::{KnownNames, PlacedView, ScenarioAdd, ScenarioRow, ScenarioTable};
use crate::workflow::documents::{Change, Steps};
use crate::{ApiError, Studio, words};
use dialect::{Document, ScenarioPart, difference, scenario_forms, settings};
use engine::{Event, RunStatus};
use model::{Place, Reference, Step, Work, Workflow};
use runtime::scenario::{Overtaken, Recorded, Scenario, asks, gates_of, recorded, unplayed};
use serde_json::{Value, json};
use std::path::Path;

/// What had ended a run before somebody took it up again.
fn overtaken(history: &History) -> Overtaken {
    let mut overtaken = Overtaken::default();
    for stored in history.events().iter() {
        let Event::Reopened { choices, reset, at, .. } = &stored.event else {
            continue;
        };
        let before = history.state(Some(stored.seq.saturating_sub(1)));
        // Where somebody had it go on at another step than the one where it stood, more than one visit was passed over.
        let stood = before.stood.as_ref().map(|stood| &stood.step);
        let again = at.iter().map(|at| &at.step).filter(|step| stood == Some(*step));
        let reset = reset.iter().filter(|step| !choices.contains_key(*step));
        for step in again.chain(reset).chain(choices.keys()) {
            overtaken.add(&before, step);
        }
    }
    overtaken
}

impl Studio {
    /// A scenario as a table.
    pub(crate) async fn scenario_table(&self, of: ScenarioOf) -> Result<ScenarioTable, ApiError> {
        let document = self.document(&of.path)?;
        let text = self.scenario_of(&of.path, &of.scenario)?;
        self.table(&document, &of.scenario, &text)
    }

    /// Changes values of a scenario, as one change that can be taken back.
    pub(crate) async fn edit_scenario(&self, of: ScenarioEditOf) -> Result<ScenarioTable, ApiError> {
        let _alone = self.locked(&of.scenario)?;
        let document = self.document(&of.path)?;
        let text = self.own_scenario(&of.path, &of.scenario)?;
        if store::digest_of(text.as_bytes()).as_str() != of.revision {
            let message = format!("{} was changed meanwhile.", of.scenario);
            return Err(ApiError::new("conflict", message).hint("Look at it as it is now; nothing was written."));
        }
        let refused =
            |why: String| ApiError::new("edit_refused", crate::error::sentence(&why)).hint("Nothing was changed.");
        let after = settings::edited(&of.scenario, &text, &of.edits).map_err(|error| refused(error.to_string()))?;
        // What could be played before can be played after it.
        let read = |text: &str| Scenario::parse(Path::new(&of.scenario), text);
        if let (Ok(_), Err(fault)) = (read(&text), read(&after)) {
            return Err(refused(fault.to_string()));
        }
        let label = of.label.as_deref().unwrap_or("change the scenario");
        self.write_edits(&of.scenario, &text, Change::of(difference(&text, &after), label))?;
        self.notify(Notice::Workflow { path: of.path });
        self.table(&document, &of.scenario, &after)
    }

    /// A scenario that says nothing yet: every step succeeds, and people are asked.
    pub(crate) async fn create_scenario(&self, of: RenameOf) -> Result<PlacedView, ApiError> {
        self.writable()?;
        self.workflow_at(&of.path)?;
        let value = json!({"name": of.name.trim()});
        self.new_scenario(&of.path, &of.name, &value)
    }

    /// Makes a scenario of what a run did, beside its workflow. It is played once in memory: what does not go as the run went is said, in it too,
    /// and it expects nothing that it is known not to come to.
    pub(crate) async fn record_scenario(&self, of: RecordOf) -> Result<KeptView, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        let state = history.state(None);
        let path = self.stands_at(history.document.path(), state.created_at);
        if self.workflow_at(&path)?.workflow().id != history.workflow().id {
            let message = format!("{path} is another workflow now than the one that was run.");
            return Err(
                ApiError::new("refused:other_workflow", message).hint("Put the workflow back, or keep another run.")
            );
        }
        if !matches!(state.status, RunStatus::Ended(_) | RunStatus::Blocked) {
            return Err(ApiError::new("refused:still_running", "The run is still going on.")
                .hint("Keep it when it has ended, or while it waits for a person."));
        }
        let text_of = |digest: &engine::Digest| {
            let bytes = self.0.store.blob(digest).ok()?;
            String::from_utf8(bytes).ok()
        };
        let of_run = Recorded {
            run: history.id(),
            workflow: history.workflow(),
            state: &state,
            overtaken: &overtaken(&history),
            text_of: &text_of,
        };
        let mut value = recorded(of.name.trim(), &of_run);
        let played = serde_json::from_value::<Scenario>(Value::Object(value.clone())).ok();
        let otherwise = match played {
            Some(scenario) => self.otherwise(&path, &scenario)?,
            None => None,
        };
        if let Some(words) = &otherwise {
            value.shift_remove("expect");
            if let Some(Value::String(about)) = value.get_mut("description") {
                *about += &format!(" Played again it goes another way: {words}");
            }
        }
        let placed = self.new_scenario(&path, &of.name, &Value::Object(value))?;
        Ok(KeptView {
            path: placed.path,
            otherwise: otherwise.or_else(|| unplayed(&state).map(str::to_owned)),
        })
    }

    /// Deletes a scenario's file; `workflow.undo` with its path brings it back.
    pub(crate) async fn remove_scenario(&self, of: ScenarioOf) -> Result<PlacedView, ApiError> {
        let _alone = self.locked(&of.scenario)?;
        let text = self.own_scenario(&of.path, &of.scenario)?;
        self.remove_kept(&of.scenario, &text, Vec::new())?;
        self.notify(Notice::Workflow { path: of.path.clone() });
        let undo = self.steps_of(&of.scenario)?.undo;
        Ok(PlacedView {
            path: of.path,
            named_by: Vec::new(),
            undo_entry: undo.map(|step| step.apart().1),
        })
    }

    /// What stands at a path, where that is a workflow.
    fn workflow_at(&self, path: &str) -> Result<Document, ApiError> {
        let document = self.document(path)?;
        match document.not_a_workflow() {
            Some(not) => Err(ApiError::new(
                "invalid_workflow",
                crate::error::sentence(&not.to_string()),
            )),
            None => Ok(document),
        }
    }

    fn new_scenario(&self, workflow: &str, name: &str, value: &Value) -> Result<PlacedView, ApiError> {
        let file = crate::workflow::authoring::files::file_name(name)?;
        let path = format!("{}.scenarios/{file}.yaml", stem(workflow));
        let whole = vec![(Vec::new(), Some(value.clone()))];
        let text = settings::changed(&path, "", &whole)
            .map_err(|error| ApiError::new("internal", format!("The scenario cannot be written: {error}.")))?;
        self.write_new(&path, &text)?;
        self.begin_journal(&path)?;
        self.notify(Notice::Workflow {
            path: workflow.to_owned(),
        });
        Ok(PlacedView {
            path,
            named_by: Vec::new(),
            undo_entry: None,
        })
    }

    /// The text of a scenario that stands beside a workflow.
    fn scenario_of(&self, workflow: &str, scenario: &str) -> Result<String, ApiError> {
        if !self.beside(workflow)?.iter().any(|file| file == scenario) {
            let message = format!("There is no scenario {scenario} beside {workflow}.");
            return Err(ApiError::new("not_found", message).hint("It may have been moved or deleted."));
        }
        self.scenario_text(scenario)
            .map_err(|why| ApiError::new("unreadable", format!("{scenario} cannot be read: {why}.")))
    }

    /// The same of one that may be changed: a link leads to a file that may be something else.
    fn own_scenario(&self, workflow: &str, scenario: &str) -> Result<String, ApiError> {
        let text = self.scenario_of(workflow, scenario)?;
        if self.inside(scenario)?.is_symlink() {
            let message = format!("{scenario} is a link to another file.");
            return Err(ApiError::new("refused:linked", message).hint("Change or remove it by hand."));
        }
        Ok(text)
    }

    fn table(&self, document: &Document, path: &str, text: &str) -> Result<ScenarioTable, ApiError> {
        let workflow = document.workflow();
        let unreadable = |why: String| {
            ApiError::new("unreadable", format!("{path} cannot be shown as a table: {why}."))
                .hint("Mend it in an editor.")
        };
        let forms = scenario_forms(path, text, workflow).map_err(unreadable)?;
        let problem = match Scenario::parse(Path::new(path), text) {
            Err(fault) => Some(crate::error::sentence(&fault.to_string())),
            Ok(read) => read.strangers(workflow).first().map(|why| crate::error::sentence(why)),
        };
        let mut rows = Vec::new();
        let mut counted: std::collections::BTreeMap<(bool, String), usize> = std::collections::BTreeMap::new();
        let mut under: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
        let list_of = |place: &Place| {
            let mut list = place.clone();
            list.path.pop();
            list
        };
        let listed = |part: &ScenarioPart| matches!(part, ScenarioPart::Visit(..) | ScenarioPart::Answer(..));
        let lists: Vec<Place> = forms
            .iter()
            .filter(|(part, ..)| listed(part))
            .map(|(_, place, _)| list_of(place))
            .collect();
        let gone = |part: &ScenarioPart, place: &Place| {
            let list = list_of(place);
            let beside = lists.iter().filter(|other| **other == list).count();
            if listed(part) && beside == 1 {
                list
            } else {
                place.clone()
            }
        };
        for (part, place, form) in forms {
            let gone = gone(&part, &place);
            let (of, nth, gate) = match part {
                ScenarioPart::Whole => (None, None, false),
                ScenarioPart::End => (None, None, false),
                ScenarioPart::Visit(step, n) => (Some(step), Some(n), false),
                ScenarioPart::Answer(gate, n) => (Some(gate), Some(n), true),
            };
            if let Some(of) = &of {
                *counted.entry((gate, of.clone())).or_default() += 1;
                // Answers under a gate's own id are those that are read.
                if let Some(step) = named_by(workflow, of, gate).filter(|step| step.id.as_str() != of) {
                    under.entry(step.id.to_string()).or_insert_with(|| of.clone());
                }
            }
            rows.push(ScenarioRow {
                step: of
                    .as_deref()
                    .and_then(|id| named_by(workflow, id, gate))
                    .map(words::of_step),
                named: of,
                nth: nth.and_then(|n| u32::try_from(n + 1).ok()),
                place,
                gone,
                form,
            });
        }
        let Steps { undo, redo } = self.steps_of(path)?;
        let (undo, undo_entry) = undo.map(|step| step.apart()).unzip();
        let (redo, redo_entry) = redo.map(|step| step.apart()).unzip();
        Ok(ScenarioTable {
            path: path.to_owned(),
            revision: store::digest_of(text.as_bytes()).to_string(),
            rows,
            add: addable(workflow, &under, &|gate, id| {
                counted.get(&(gate, id.to_owned())).copied().unwrap_or(0)
            }),
            known: vec![KnownNames {
                of: Reference::Step,
                names: workflow
                    .steps()
                    .iter()
                    .map(|step| (step.id.to_string(), words::told_apart(step, workflow.steps())))
                    .collect(),
            }],
            problem,
            source: text.to_owned(),
            undo,
            undo_entry,
            redo,
            redo_entry,
        })
    }
}

/// The step that a scenario names by its id, or by the id of one of its gates.
fn named_by<'w>(workflow: &'w Workflow, id: &str, is_gate: bool) -> Option<&'w Step> {
    let own = workflow.step(&id.into());
    own.or_else(|| {
        let mut steps = workflow.steps().iter().filter(|_| is_gate);
        steps.find(|step| gates_of(workflow, step).iter().any(|gate| gate.as_str() == id))
    })
}

/// What can be added: one more visit of each step, one more answer to each gate.
/// `under`: steps whose answers stand under the id of a gate.
fn addable(
    workflow: &Workflow,
    under: &std::collections::BTreeMap<String, String>,
    there: &dyn Fn(bool, &str) -> usize,
) -> Vec<ScenarioAdd> {
    let mut out = Vec::new();
    for step in workflow.steps() {
        let id = step.id.as_str();
        let mut put = |block: &str, is_gate: bool, id: &str, entry: Value| {
            let many = there(is_gate, id);
            let list = Place::document().field(block).field(id);
            let lands = list.clone().field(many.to_string());
            let (place, value) = match many {
                0 => (list, Value::from(vec![entry])),
                _ => (lands.clone(), entry),
            };
            out.push(ScenarioAdd {
                step: words::of_step(step),
                is_gate,
                nth: u32::try_from(many + 1).unwrap_or(u32::MAX),
                place,
                lands,
                value,
            });
        };
        put("steps", false, id, json!({"status": "succeeded"}));
        if asks(step) {
            let answer = match step.work {
                Work::Prompt { .. } => "pass",
                _ => "approve",
            };
            put(
                "gates",
                true,
                under.get(id).map_or(id, String::as_str),
                json!({"answer": answer}),
            );
        }
    }
    out
}
