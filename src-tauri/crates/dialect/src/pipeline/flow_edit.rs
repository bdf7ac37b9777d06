//! Gestures on stages: what waits for what.

use super::Reading;
use super::edit::{AUTHOR, OTHER};
use super::file::{Edits, File};
use super::stage_edit::Stage;
use crate::document::Consequence;
use crate::edit::{AFTER, Change, EditError, Sheet, Source, TreeError, gate_changes, leads_back, no_way_back};
use crate::said::called;
use crate::tree::Tree;
use model::{Edit, FlowEdit, NewStep, Place, Spot, Step, StepId, Way};
use serde_json::{Map, Value};

/// A pipeline whose stages are changed.
pub(super) struct Stages<'a> {
    pub(super) file: File<'a>,
    root: Value,
}

impl<'a> Stages<'a> {
    pub(super) fn of(reading: &'a Reading, path: &'a str, text: &'a str, tree: &'a Tree) -> Self {
        Self {
            file: File {
                path,
                text,
                tree,
                reading,
            },
            root: Sheet::of(Source { name: path, text, tree }).root(),
        }
    }

    pub(super) fn steps(&self) -> &'a [Step] {
        self.file.reading.workflow.steps()
    }

    pub(super) fn step(&self, id: &StepId) -> Result<&'a Step, TreeError> {
        let found = self.file.reading.workflow.step(id);
        found.ok_or_else(|| EditError::no_step(id).into())
    }

    pub(super) fn written(&self, stage: usize) -> Option<&Map<String, Value>> {
        self.root.get("stages")?.get(stage)?.as_object()
    }

    pub(super) fn edit(&self, edit: &FlowEdit) -> Edits {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => {
                let pasted = self.paste(&[step], at);
                pasted.map(|pasted| pasted.edits).map_err(|(_, error)| error)
            }
            FlowEdit::Add { step, at } => self.add(step, at),
            FlowEdit::Duplicate { step, id } => self.copy(step, id.as_ref()).map(|copied| copied.edits),
            FlowEdit::Level { .. } => Err(TreeError::flat()),
            FlowEdit::Connect { from, to, way } => self.connect(from, to, way.as_ref()),
            FlowEdit::Disconnect { from, to, label } => self.disconnect(from, to, label.as_deref()),
            FlowEdit::Route { .. } => Err(TreeError::unfit(
                "nothing follows a stage by itself; say for each stage what it waits for",
            )),
            FlowEdit::Gate { step, gate } => {
                let step = self.step(step)?;
                let path = |field: &str| vec!["stages".to_owned(), step.ordinal.to_string(), field.to_owned()];
                let field = |field: &str| self.written(step.ordinal)?.get(field);
                let changes = gate_changes(&path, &field, gate.as_ref(), &AFTER);
                self.changed(&changes).map(Sheet::finish)
            }
        }
    }

    pub(super) fn entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => Consequence::of_pasted(self.paste(&[step], at), &[]),
            FlowEdit::Duplicate { step, id } => {
                Consequence::of_pasted(self.copy(step, id.as_ref()), std::slice::from_ref(step))
            }
            _ => Vec::new(),
        }
    }

    fn changed(&self, changes: &[Change]) -> Result<Sheet<'a>, TreeError> {
        let mut sheet = Sheet::of(self.file.source());
        sheet.change(changes)?;
        Ok(sheet)
    }

    pub(super) fn waits(&self, stage: &Step, list: Vec<&str>) -> Change {
        Change {
            path: ["stages", &stage.ordinal.to_string(), "depends_on"]
                .map(str::to_owned)
                .to_vec(),
            value: Some(list.into()),
        }
    }

    /// The stages that wait for a stage.
    pub(super) fn waiting(&self, step: &'a Step) -> impl Iterator<Item = &'a Step> + use<'a> {
        let steps = self.steps().iter();
        steps.filter(|other| other.depends_on.contains(&step.id))
    }

    /// A stage waits for others in the place of one.
    fn instead(&self, stage: &'a Step, old: &StepId, new: &[&str]) -> Change {
        let list = stage.depends_on.iter().flat_map(|id| match id == old {
            true => new.to_vec(),
            false => vec![id.as_str()],
        });
        self.waits(stage, list.collect())
    }

    fn add(&self, new: &NewStep, at: &Spot) -> Edits {
        let mut map = self.body(new, at)?;
        let name = map.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (changes, index, waits) = self.slot(at, &[&name])?;
        map.insert("depends_on".to_owned(), waits.into());
        let mut sheet = Sheet::of(self.file.source());
        sheet.change(&changes)?;
        sheet.insert("stages", index, &ordered(map))?;
        Ok(sheet.finish())
    }

    /// Where new stages go: what waits for the last of them instead, their position, and what the first of them wait for.
    pub(super) fn slot(&self, at: &Spot, last: &[&str]) -> Result<(Vec<Change>, usize, Vec<&'a str>), TreeError> {
        let is_waited_for = |step: &&Step| self.steps().iter().any(|other| other.depends_on.contains(&step.id));
        Ok(match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a stage holds no other stages")),
            Spot::Alone => (Vec::new(), self.steps().len(), Vec::new()),
            Spot::End => {
                let ends = self.steps().iter().filter(|step| !is_waited_for(step));
                let ends = ends.map(|step| step.id.as_str()).collect();
                (Vec::new(), self.steps().len(), ends)
            }
            Spot::After { step } => {
                let step = self.step(step)?;
                let behind = self.waiting(step).map(|other| self.instead(other, &step.id, last));
                (behind.collect(), step.ordinal + 1, vec![step.id.as_str()])
            }
            Spot::Between { from, to, label } => {
                if label.as_deref() == Some("rejected") {
                    return Err(TreeError::unfit(
                        "nothing can stand on the way of a rejection; lead the rejection to the stage itself",
                    ));
                }
                let (from, to) = (self.step(from)?, self.step(to)?);
                if !to.depends_on.contains(&from.id) {
                    return Err(EditError::no_line(&from.id, &to.id).into());
                }
                let instead = self.instead(to, &from.id, last);
                (vec![instead], from.ordinal + 1, vec![from.id.as_str()])
            }
        })
    }

    /// A name that nobody has: the given one, else made of a title.
    pub(super) fn free(&self, given: Option<&StepId>, title: &str) -> Result<String, TreeError> {
        let taken = |name: &str| self.steps().iter().any(|step| step.id.as_str() == name);
        if let Some(name) = given.map(|id| id.as_str().trim()) {
            let place = Place::step(self.steps().len()).field("name");
            if name.is_empty() || name.chars().any(char::is_control) {
                return Err(self.file.refused(&place, "a stage needs a name of one line"));
            }
            if taken(name) {
                return Err(self.file.refused(&place, format!("another stage is named “{name}”")));
            }
            return Ok(name.to_owned());
        }
        let stem = crate::slug::name_of_file(title).unwrap_or_else(|| "stage".to_owned());
        let counted = (2..).map(|n| format!("{stem}-{n}"));
        let mut names = std::iter::once(stem.clone()).chain(counted);
        Ok(names.find(|name| !taken(name)).unwrap_or(stem))
    }

    fn body(&self, new: &NewStep, at: &Spot) -> Result<Map<String, Value>, TreeError> {
        let (kind, title) = crate::form::chosen(&crate::form::pipeline::KINDS, new)?;
        let mut map = Map::new();
        map.insert("name".to_owned(), self.free(new.id.as_ref(), title)?.into());
        // A name is made of it, which keeps neither blanks nor capitals.
        map.insert("description".to_owned(), title.into());
        match kind {
            // A step that says nothing yet does not start; one that goes well without having done anything would.
            "script" => drop(map.insert("run".to_owned(), "".into())),
            "workflow" => drop(map.insert("workflow".to_owned(), OTHER.into())),
            _ => {
                // Whoever does the stage that it stands behind is bound already.
                let behind = match at {
                    Spot::After { step } | Spot::Between { from: step, .. } => self.step(step)?.agents.first(),
                    Spot::End | Spot::Alone | Spot::Inside { .. } => None,
                };
                let last = || self.steps().iter().rev().find_map(|step| step.agents.first());
                let agent = behind.or_else(last).map_or(AUTHOR, |agent| agent.as_str());
                map.insert("agents".to_owned(), vec![agent].into());
            }
        }
        map.insert("parallel".to_owned(), false.into());
        map.insert("outputs".to_owned(), Value::Array(Vec::new()));
        let own = |name: &str| !matches!(name, "name" | "id" | "depends_on");
        for (name, value) in new.fields.iter().filter(|(name, value)| own(name) && !value.is_null()) {
            map.insert(name.clone(), value.clone());
        }
        if kind == "decision" && !map.contains_key("human_gate") {
            map.insert("human_gate".to_owned(), "required".into());
        }
        if self.written(0).is_some_and(|first| first.contains_key("status")) {
            map.insert("status".to_owned(), super::PENDING.into());
        } else {
            map.shift_remove("status");
        }
        Ok(map)
    }

    fn one(&self, ordinal: usize, edit: &Edit) -> Edits {
        let file = self.file;
        Stage { file, ordinal }.edit(edit)
    }

    fn connect(&self, from: &StepId, to: &StepId, way: Option<&Way>) -> Edits {
        let (from, to) = (self.step(from)?, self.step(to)?);
        match way {
            None | Some(Way::Waits | Way::Next) => {
                let place = Place::step(to.ordinal)
                    .field("depends_on")
                    .field(to.depends_on.len().to_string());
                let value = from.id.as_str().into();
                self.one(to.ordinal, &Edit::Set { place, value })
            }
            Some(Way::Rejected) if from.gate.is_some() && !leads_back(&self.file.reading.workflow, from, to) => {
                Err(EditError::unsound(no_way_back(from, to)).into())
            }
            Some(Way::Rejected) if from.gate.is_some() => {
                let place = Place::step(from.ordinal).field("on_reject");
                let value = to.id.as_str().into();
                self.one(from.ordinal, &Edit::Set { place, value })
            }
            Some(Way::Rejected) => {
                let why = format!("nobody is asked at {}; put a gate there first", called(&from.id));
                Err(EditError::unsound(why).into())
            }
            Some(Way::Back { .. }) => Err(TreeError::unfit("nothing in a pipeline leads back; a rejection can")),
            Some(Way::Value { .. }) => Err(TreeError::unfit(
                "no stage of a pipeline decides by a value; every stage is done",
            )),
            Some(Way::Beside) => Err(TreeError::unfit(
                "stages run beside each other where none waits for the other",
            )),
        }
    }

    fn disconnect(&self, from: &StepId, to: &StepId, label: Option<&str>) -> Edits {
        let (from, to) = (self.step(from)?, self.step(to)?);
        let rejects = self.file.reading.on_reject(from) == Some(&to.id);
        let waits = to.depends_on.iter().position(|id| *id == from.id);
        match waits {
            Some(n) if label != Some("rejected") => {
                let place = Place::step(to.ordinal).field("depends_on").field(n.to_string());
                self.one(to.ordinal, &Edit::Remove { place })
            }
            _ if rejects => {
                let place = Place::step(from.ordinal).field("on_reject");
                self.one(from.ordinal, &Edit::Remove { place })
            }
            _ => Err(EditError::no_line(&from.id, &to.id).into()),
        }
    }
}

/// The fields of a stage as people write them.
fn ordered(map: Map<String, Value>) -> Map<String, Value> {
    const ORDER: [&str; 8] = [
        "name",
        "description",
        "run",
        "workflow",
        "agents",
        "parallel",
        "depends_on",
        "human_gate",
    ];
    let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    let mut entries: Vec<(String, Value)> = map.into_iter().collect();
    entries.sort_by_key(|(key, _)| match key.as_str() {
        "status" => usize::MAX,
        key => rank(key),
    });
    entries.into_iter().collect()
}
