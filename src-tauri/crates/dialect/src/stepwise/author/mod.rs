//! Gestures on flows and graph files: steps that come and go, and what leads from one to another.
//!
//! * [`onward`]: what follows a step of a flow, and leading it elsewhere. [`lines`]: which of the lines between two steps is meant.
//! * [`paste`]: steps with their own texts. [`add`], [`remove`], [`route`], [`kind`], [`connect`]: the gestures on flows. [`order`]: what moving a
//!   step entails. [`nodes`]: those on graph files, where edges stand apart.

mod add;
mod connect;
mod kind;
mod lines;
mod nodes;
mod onward;
mod order;
mod paste;
mod remove;
mod route;

use super::mentions::{self, Mention};
use super::{Generation, Reading};
use crate::document::Consequence;
use crate::edit::{AFTER, Change, EditError, Sheet, Source, TreeError, gate_changes};
use crate::reading::Context;
use crate::said::{called, listed};
use crate::text::TextEdit;
use crate::tree::{Budget, Tree};
use model::{Edit, FlowEdit, NewGate, NewStep, Step, StepId};
use serde_json::{Map, Value};

type Edits = Result<Vec<TextEdit>, TreeError>;

/// A file of steps or nodes whose steps are changed.
pub(super) struct Author<'a> {
    reading: &'a Reading,
    name: &'a str,
    text: &'a str,
    tree: &'a Tree,
    /// All of the file as a value.
    root: Value,
}

/// Changes that belong together, and what is to be said of them.
#[derive(Default)]
struct Plan {
    changes: Vec<Change>,
    /// New edges of a graph, behind those that are there.
    edges: Vec<Map<String, Value>>,
    said: Vec<Consequence>,
}

impl Plan {
    fn set(&mut self, path: Vec<String>, value: impl Into<Value>) {
        let value = Some(value.into());
        self.changes.push(Change { path, value });
    }

    fn take(&mut self, path: Vec<String>) {
        self.changes.push(Change { path, value: None });
    }

    /// Whether what stands in a place goes.
    fn takes(&self, path: &[String]) -> bool {
        self.changes
            .iter()
            .any(|change| change.path == path && change.value.is_none())
    }

    fn say(&mut self, about: &StepId, said: impl Into<String>) {
        self.said.push(Consequence::of(about, said));
    }

    /// Says of steps that led to one that goes where they lead now.
    fn led_on(&mut self, mut led: Vec<StepId>, follower: Option<&StepId>) {
        led.dedup();
        let Some(who) = listed(&led) else { return };
        let said = match follower {
            Some(to) => format!(
                "{who} {} to {} instead",
                if led.len() == 1 { "leads" } else { "lead" },
                called(to)
            ),
            None => format!("the flow ends after {who}"),
        };
        self.said.push(Consequence { about: led, said });
    }

    /// Says where a rejection leads whose step goes.
    fn rejected_on(&mut self, step: &Step, follower: Option<&StepId>) {
        let who = called(&step.id);
        self.say(
            &step.id,
            match follower {
                Some(to) => format!("after a rejection at {who} the run goes to {} instead", called(to)),
                None => format!("a rejection at {who} ends the run"),
            },
        );
    }

    /// Says where a step leads for a value whose step goes.
    fn leads_for(&mut self, step: &Step, value: &str, follower: Option<&StepId>) {
        let who = called(&step.id);
        self.say(
            &step.id,
            match follower {
                Some(to) => format!("{who} leads to {} for “{value}” instead", called(to)),
                None => format!("the flow ends after {who} for “{value}”"),
            },
        );
    }

    /// Values first, then what goes, from the end of each list.
    fn ordered(mut self) -> Vec<Change> {
        self.changes.sort_by(|a, b| match (&a.value, &b.value) {
            (Some(_), Some(_)) => std::cmp::Ordering::Equal,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => b.position().cmp(&a.position()),
        });
        self.changes
    }
}

impl<'a> Author<'a> {
    pub(super) fn new(reading: &'a Reading, name: &'a str, text: &'a str, tree: &'a Tree) -> Self {
        let value = |root| tree.value(text, root, &mut Budget::of(tree));
        let root = tree.root.map_or(Value::Null, value);
        Self {
            reading,
            name,
            text,
            tree,
            root,
        }
    }

    fn source(&self) -> Source<'a> {
        Source {
            name: self.name,
            text: self.text,
            tree: self.tree,
        }
    }

    fn is_graph(&self) -> bool {
        self.reading.generation == Generation::Graph
    }

    fn is_spec(&self) -> bool {
        self.reading.generation == Generation::Spec
    }

    fn list(&self) -> &'static str {
        self.reading.list_key()
    }

    /// The steps of the file's own list, without those of detours.
    fn steps(&self) -> &'a [Step] {
        let steps = self.reading.workflow.steps();
        &steps[..steps.len() - self.reading.detours.len()]
    }

    fn step(&self, id: &StepId) -> Result<&'a Step, TreeError> {
        let found = self.steps().iter().find(|step| step.id == *id);
        found.ok_or_else(|| EditError::no_step(id).into())
    }

    fn following(&self, step: &Step) -> Option<&'a StepId> {
        self.steps().get(step.ordinal + 1).map(|next| &next.id)
    }

    /// Keys from the root to a field of a step.
    fn path(&self, step: usize, field: &str) -> Vec<String> {
        let mut path = vec![self.list().to_owned(), step.to_string()];
        path.extend(field.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
        path
    }

    pub(super) fn at(&self, step: usize, field: &str) -> Option<&Value> {
        let item = self.root.get(self.list())?.get(step)?;
        field.split('.').try_fold(item, |here, key| here.get(key))
    }

    fn mentions(&self) -> Vec<Mention> {
        mentions::all(&Context::new(self.text, self.tree), self.list()).all
    }

    /// Where the id of a step stands.
    fn id_key(&self, step: usize) -> &'static str {
        match self.at(step, "node_id") {
            Some(_) if self.is_graph() => "node_id",
            _ => "id",
        }
    }

    pub(super) fn flow_edit(&self, edit: &FlowEdit) -> Edits {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => {
                let pasted = self.paste(&[step], at);
                pasted.map(|pasted| pasted.edits).map_err(|(_, error)| error)
            }
            FlowEdit::Add { step, at } if self.is_graph() => self.add_node(step, at),
            FlowEdit::Add { step, at } => self.add(step, at),
            FlowEdit::Duplicate { step, id } => self.copy(step, id.as_ref()).map(|copied| copied.edits),
            FlowEdit::Level { .. } => Err(TreeError::flat()),
            FlowEdit::Gate { step, gate } => self.gate(step, gate.as_ref()),
            FlowEdit::Connect { .. } | FlowEdit::Disconnect { .. } | FlowEdit::Route { .. } => {
                let plan = self.plan(edit)?;
                self.carried_out(plan)
            }
        }
    }

    fn plan(&self, edit: &FlowEdit) -> Result<Plan, TreeError> {
        match edit {
            FlowEdit::Connect { from, to, way } => self.connect(from, to, way.as_ref()),
            FlowEdit::Disconnect { from, to, label } => self.disconnect(from, to, label.as_deref()),
            FlowEdit::Route { step, to } => self.route(step, to),
            _ => Ok(Plan::default()),
        }
    }

    fn carried_out(&self, plan: Plan) -> Edits {
        let mut sheet = Sheet::of(self.source());
        // Behind all others they change no position.
        for edge in &plan.edges {
            self.put_edge(&mut sheet, edge)?;
        }
        sheet.change(&plan.ordered())?;
        Ok(sheet.finish())
    }

    /// A whole step that goes; `None`: the change is one of a value alone.
    pub(super) fn value_edit(&self, edit: &Edit) -> Option<Edits> {
        Some(self.value_plan(edit)?.and_then(|plan| self.carried_out(plan)))
    }

    fn value_plan(&self, edit: &Edit) -> Option<Result<Plan, TreeError>> {
        let place = edit.place();
        let step = self.steps().get(place.step?)?;
        match (edit, place.path.as_slice()) {
            (Edit::Remove { .. }, []) if self.is_graph() => Some(self.remove_node(step)),
            (Edit::Remove { .. }, []) => Some(self.remove(step)),
            (Edit::Set { value, .. }, [routing, kind]) if routing == "routing" && kind == "kind" => {
                self.other_kind(step, value.as_str()?).map(Ok)
            }
            // A block without its kind is read as this one, with a warning. A node of a graph leads on by an edge.
            (Edit::Set { value, .. }, [routing, next])
                if routing == "routing"
                    && next == "next"
                    && !self.is_graph()
                    && self.at(step.ordinal, "routing").is_none() =>
            {
                let mut plan = Plan::default();
                plan.set(
                    self.path(step.ordinal, "routing"),
                    serde_json::json!({"kind": "linear", "next": value}),
                );
                Some(Ok(plan))
            }
            _ => None,
        }
    }

    /// What a change of a value or of steps entails.
    pub(super) fn entails(&self, edit: &Edit) -> Vec<Consequence> {
        let place = edit.place();
        if let (Edit::Move { to, .. }, [], Some(n)) = (edit, place.path.as_slice(), place.step) {
            let step = self.steps().get(n);
            return step.map(|step| self.moved(step, *to)).unwrap_or_default();
        }
        let plan = self.value_plan(edit).and_then(Result::ok);
        plan.unwrap_or_default().said
    }

    pub(super) fn flow_entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => Consequence::of_pasted(self.paste(&[step], at), &[]),
            FlowEdit::Duplicate { step, id } => {
                Consequence::of_pasted(self.copy(step, id.as_ref()), std::slice::from_ref(step))
            }
            _ => self.plan(edit).unwrap_or_default().said,
        }
    }

    /// Whether a step can have an id.
    fn fits(&self, own: usize, id: &str) -> Result<(), TreeError> {
        let path = self.path(own, "id").join(".");
        let refused = |why: &str| {
            let (path, why) = (path.clone(), why.to_owned());
            Err(EditError::NotUnderstood { path, why }.into())
        };
        if id.is_empty() {
            return refused("a step needs an id");
        }
        if id.chars().any(char::is_control) {
            return refused("an id is one line of text");
        }
        match self
            .steps()
            .iter()
            .any(|step| step.ordinal != own && step.id.as_str() == id)
        {
            true => refused(&format!("another step has the id “{id}”")),
            false => Ok(()),
        }
    }

    /// What stands between the words of an id here.
    fn joint(&self) -> &'static str {
        let dashes = self.steps().iter().any(|step| step.id.as_str().contains('-'));
        if dashes { "-" } else { "_" }
    }

    /// An id that nobody has: the given one, else made of a name.
    fn free_id(&self, given: Option<&StepId>, name: &str) -> Result<String, TreeError> {
        if let Some(id) = given {
            self.fits(usize::MAX, id.as_str())?;
            return Ok(id.to_string());
        }
        let joint = self.joint();
        let stem = crate::slug::name_of_file(name).unwrap_or_else(|| "step".to_owned());
        let stem = stem.replace('-', joint);
        let is_free = |id: &String| self.fits(usize::MAX, id).is_ok();
        let counted = (2..).map(|n| format!("{stem}{joint}{n}"));
        let mut ids = std::iter::once(stem.clone()).chain(counted);
        Ok(ids.find(is_free).unwrap_or(stem))
    }

    fn gate(&self, step: &StepId, gate: Option<&NewGate>) -> Edits {
        let step = self.step(step)?;
        let path = |field: &str| self.path(step.ordinal, field);
        let field = |field: &str| self.at(step.ordinal, field);
        let changes = gate_changes(&path, &field, gate, &AFTER);
        self.carried_out(Plan {
            changes,
            ..Plan::default()
        })
    }

    /// The fields of a new step, without what follows it.
    fn body(&self, new: &NewStep, beside: Option<&Step>) -> Result<Map<String, Value>, TreeError> {
        let (kind, name) = crate::form::chosen(&crate::form::flow::KINDS, new)?;
        let id = self.free_id(new.id.as_ref(), name)?;
        let mut map = Map::new();
        let node = self.is_graph()
            && self
                .steps()
                .first()
                .is_none_or(|first| self.id_key(first.ordinal) == "node_id");
        map.insert(if node { "node_id" } else { "id" }.to_owned(), id.into());
        map.insert("name".to_owned(), name.into());
        let given = |key: &str| new.fields.contains_key(key);
        if !["agents", "agent", "station"].iter().any(|key| given(key)) {
            // Whoever does the step beside it is bound already.
            let agent = beside
                .and_then(|step| step.agents.first())
                .map_or("author", |agent| agent.as_str());
            let spec = self.is_spec() && beside.is_some_and(|step| self.at(step.ordinal, "station").is_some());
            match spec {
                true => map.insert("station".to_owned(), agent.into()),
                false => map.insert("agents".to_owned(), vec![agent].into()),
            };
        }
        if !["role", "objective", "description"].iter().any(|key| given(key)) {
            // The steps beside it have a word for it.
            let role = beside.is_some_and(|step| self.at(step.ordinal, "role").is_some());
            let key = if (self.is_spec() && !role) || self.is_graph() {
                "objective"
            } else {
                "role"
            };
            map.insert(key.to_owned(), name.into());
        }
        for (name, value) in &new.fields {
            if value.is_null() || matches!(name.as_str(), "id" | "node_id" | "routing") {
                continue;
            }
            nested(&mut map, name, value);
        }
        if kind == "decision" && !map.contains_key("human_gate") {
            map.insert("human_gate".to_owned(), "required".into());
        }
        Ok(map)
    }
}

/// A value at keys with dots between.
fn nested(map: &mut Map<String, Value>, name: &str, value: &Value) {
    match name.split_once('.') {
        None => {
            map.insert(name.to_owned(), value.clone());
        }
        Some((outer, inner)) => {
            let entry = map.entry(outer.to_owned()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(deeper) = entry {
                nested(deeper, inner, value);
            }
        }
    }
}
