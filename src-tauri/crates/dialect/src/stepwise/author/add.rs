//! A new step of a flow, and a copy of one.

use super::lines::Line;
use super::mentions::Named;
use super::onward::{Onward, linear};
use super::{Author, Edits, Plan};
use crate::edit::Sheet;
use crate::edit::TreeError;
use model::{NewStep, Routing, Spot, Step, StepId};
use serde_json::{Map, Value};

impl<'a> Author<'a> {
    pub(super) fn add(&self, new: &NewStep, at: &Spot) -> Edits {
        let mut plan = Plan::default();
        let (behind, routing) = match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a step of a flow holds no other steps")),
            Spot::After { step } => (Some(self.step(step)?), None),
            Spot::Between { from, .. } => (Some(self.step(from)?), None),
            Spot::End => (self.last_end(), None),
            Spot::Alone => (self.steps().last(), Some(linear(None))),
        };
        let mut map = self.body(new, behind)?;
        let id = map.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let routing = match (at, behind) {
            (_, None) => routing,
            (Spot::Between { to, label, .. }, Some(from)) => {
                Some(self.between(&mut plan, from, self.step(to)?, label.as_deref(), &id)?)
            }
            (Spot::Alone, Some(last)) => {
                // Nothing leads to it, also not by its place in the file.
                if matches!(self.onward(last), Onward::Order) {
                    plan.set(self.path(last.ordinal, "routing"), linear(None));
                }
                routing
            }
            (_, Some(step)) => self.after(&mut plan, step, &id)?,
        };
        let index = behind.map_or(self.steps().len(), |step| step.ordinal + 1);
        // Its place says already that what stands behind it follows.
        let by_order = self.steps().get(index).map(|next| linear(Some(next.id.as_str())));
        if let Some(routing) = routing.filter(|routing| Some(routing) != by_order.as_ref()) {
            map.insert("routing".to_owned(), routing);
        }
        let mut sheet = Sheet::new(self.name, self.text);
        sheet.change(&plan.ordered())?;
        sheet.insert(self.list(), index, &map)?;
        Ok(sheet.finish())
    }

    /// The last step after which the flow ends when nothing special happens.
    fn last_end(&self) -> Option<&'a Step> {
        let ends = |step: &&'a Step| match self.onward(step) {
            Onward::Order => self.following(step).is_none(),
            Onward::Key(_, next) => next.is_none(),
            Onward::Ended => true,
            Onward::Fork => false,
        };
        let plainly = |step: &&'a Step| !matches!(step.routing, Routing::Branch(_) | Routing::Guarded { .. });
        let steps = self.steps().iter();
        let found = steps.clone().rev().find(|step| ends(step) && plainly(step));
        found.or_else(|| steps.rev().find(ends))
    }

    /// The new step takes over what followed another one; gives what follows the new one, where it has to say so.
    fn after(&self, plan: &mut Plan, step: &'a Step, id: &str) -> Result<Option<Value>, TreeError> {
        let routing = match self.onward(step) {
            Onward::Order => None,
            Onward::Key(_, next) => Some(linear(next.map(StepId::as_str))),
            Onward::Ended if self.is_spec() => Some(terminal()),
            Onward::Ended => Some(linear(None)),
            Onward::Fork => None,
        };
        self.lead(plan, step, Some(id), Some(id))?;
        Ok(routing)
    }

    /// The new step stands on the way from one to another.
    fn between(
        &self,
        plan: &mut Plan,
        from: &'a Step,
        to: &'a Step,
        label: Option<&str>,
        id: &str,
    ) -> Result<Value, TreeError> {
        match self.line(from, to, label)? {
            Line::Order => self.lead(plan, from, Some(id), Some(id))?,
            Line::Field(mention) => {
                if mention.what == Named::Rejected && matches!(self.onward(from), Onward::Order) {
                    // The new one stands behind it in the file and is no part of its order.
                    plan.set(
                        self.path(from.ordinal, "routing"),
                        linear(self.following(from).map(StepId::as_str)),
                    );
                }
                plan.set(mention.path, id);
            }
            // Nodes come by `add_node`.
            Line::Edge(_) => {}
        }
        Ok(linear(Some(to.id.as_str())))
    }

    pub(super) fn duplicate(&self, step: &StepId, id: Option<&StepId>) -> Edits {
        let step = self.step(step)?;
        let stem = crate::new_file::name_of_file(step.id.as_str()).unwrap_or_else(|| "step".to_owned());
        let id = self.free_id(id, &format!("{stem} copy"))?;
        let key = self.id_key(step.ordinal);
        let Some(Value::Object(now)) = self.root.get(self.list()).and_then(|list| list.get(step.ordinal)) else {
            return Err(TreeError::unsound("this step is no list of fields"));
        };
        let mut map = now.clone();
        map.insert(key.to_owned(), id.as_str().into());
        let mut sheet = Sheet::new(self.name, self.text);
        let mut plan = Plan::default();
        if !self.is_graph() && matches!(self.onward(step), Onward::Order) {
            plan.set(
                self.path(step.ordinal, "routing"),
                linear(self.following(step).map(StepId::as_str)),
            );
        }
        let lines = sheet.lines_of(self.list(), step.ordinal);
        sheet.change(&plan.ordered())?;
        let index = step.ordinal + 1;
        // As it is written, comments included; where that cannot be done, as the file writes others.
        let written = lines.and_then(|lines| other_id(&lines, key, step.id.as_str(), &id));
        let copied = match written {
            Some(lines) => sheet.insert_lines(self.list(), index, &map, &lines),
            None => sheet.insert(self.list(), index, &map),
        };
        copied.or_else(|_| sheet.insert(self.list(), index, &map))?;
        if self.is_graph() {
            self.copy_edges(&mut sheet, step, &id)?;
        }
        Ok(sheet.finish())
    }
}

/// The lines of an entry with another id.
fn other_id(lines: &[String], key: &str, old: &str, new: &str) -> Option<Vec<String>> {
    let starts = |line: &&String| {
        let line = line.trim_start_matches(['-', ' ']);
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let at = lines.iter().position(|line| starts(&line))?;
    let mut lines = lines.to_vec();
    lines[at] = lines[at].replacen(old, new, 1);
    Some(lines)
}

fn terminal() -> Value {
    let mut map = Map::new();
    map.insert("kind".to_owned(), "terminal".into());
    Value::Object(map)
}
