//! A new step of a flow.

use super::lines::Line;
use super::mentions::{Mention, Named};
use super::onward::{Onward, linear};
use super::{Author, Edits, Plan};
use crate::edit::Sheet;
use crate::edit::TreeError;
use model::{NewStep, Routing, Spot, Step, StepId};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A join that names the steps of its branches (`join_from`): the first one of each, or the last one. One that names others is refused.
struct Meeting {
    ordinal: usize,
    named: Vec<Mention>,
    are_first: bool,
    are_last: bool,
}

impl<'a> Author<'a> {
    pub(super) fn add(&self, new: &NewStep, at: &Spot) -> Edits {
        let behind = self.behind(at)?;
        let mut map = self.body(new, behind)?;
        let id = map.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (mut plan, routing) = self.leading_to(at, behind, &id)?;
        self.named_at_joins(&mut plan, at, behind, &id);
        let index = behind.map_or(self.steps().len(), |step| step.ordinal + 1);
        // Its place says already that what stands behind it follows.
        let by_order = self.steps().get(index).map(|next| linear(Some(next.id.as_str())));
        if let Some(routing) = routing.filter(|routing| Some(routing) != by_order.as_ref()) {
            map.insert("routing".to_owned(), routing);
        }
        let mut sheet = Sheet::of(self.source());
        sheet.change(&plan.ordered())?;
        sheet.insert(self.list(), index, &map)?;
        Ok(sheet.finish())
    }

    /// The step behind which a new one stands in the file.
    pub(super) fn behind(&self, at: &Spot) -> Result<Option<&'a Step>, TreeError> {
        Ok(match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a step of a flow holds no other steps")),
            Spot::After { step } | Spot::Between { from: step, .. } => Some(self.step(step)?),
            Spot::End => self.last_end(),
            Spot::Alone => self.steps().last(),
        })
    }

    /// What leads to a new step, and what follows it where its place does not say so.
    pub(super) fn leading_to(
        &self,
        at: &Spot,
        behind: Option<&'a Step>,
        id: &str,
    ) -> Result<(Plan, Option<Value>), TreeError> {
        let mut plan = Plan::default();
        let routing = match (at, behind) {
            (Spot::Between { to, label, .. }, Some(from)) => {
                Some(self.between(&mut plan, from, self.step(to)?, label.as_deref(), id)?)
            }
            (Spot::Alone, last) => {
                // Nothing leads to it, also not by its place in the file.
                if let Some(last) = last.filter(|last| matches!(self.onward(last), Onward::Order)) {
                    plan.set(self.path(last.ordinal, "routing"), linear(None));
                }
                Some(linear(None))
            }
            (_, Some(step)) => self.after(&mut plan, step, id)?,
            (_, None) => None,
        };
        Ok((plan, routing))
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
            Onward::Ended => Some(self.leading_on(None)),
            Onward::Fork => Some(self.meeting(plan, step, id)),
        };
        self.lead(plan, step, Some(id), Some(id))?;
        Ok(routing)
    }

    /// What follows a new branch of a fork: the step at which the others meet.
    fn meeting(&self, plan: &mut Plan, step: &Step, id: &str) -> Value {
        let Some(join) = step.routing.join() else {
            return self.leading_on(None);
        };
        // A list that names others than those that meet there is no better with one more.
        if let Some(met) = self.met_at(join).filter(|met| met.are_first || met.are_last) {
            let place = format!("routing.join_from.{}", met.named.len());
            plan.set(self.path(met.ordinal, &place), id);
        }
        linear(Some(join.as_str()))
    }

    /// What a join names, where it names any step.
    fn met_at(&self, join: &StepId) -> Option<Meeting> {
        let ordinal = self.steps().iter().find(|one| one.id == *join)?.ordinal;
        let mut named = self.mentions();
        named.retain(|m| m.what == Named::From && m.owner == Some(ordinal));
        let listed: BTreeSet<&str> = named.iter().map(|m| m.to.as_str()).collect();
        let is_first = |step: &Step| match &step.routing {
            Routing::Fork(fork) if fork.join.as_ref() == Some(join) => {
                listed == fork.targets.iter().map(StepId::as_str).collect()
            }
            _ => false,
        };
        let are_first = self.steps().iter().any(is_first);
        let flows = self.reading.workflow.flows().into_iter();
        let last = flows.filter(|(_, to, _)| to.id == *join);
        let are_last = listed == last.map(|(from, ..)| from.id.as_str()).collect();
        (!listed.is_empty()).then_some(())?;
        Some(Meeting {
            ordinal,
            named,
            are_first,
            are_last,
        })
    }

    /// Where a new step comes to be the first or the last one of a branch, a join that names the one in its place names the new one, unless it
    /// is still right: it would not start.
    fn named_at_joins(&self, plan: &mut Plan, at: &Spot, behind: Option<&'a Step>, id: &str) {
        let before = |step: &'a Step| match at {
            Spot::Between { to, .. } => Some(to),
            Spot::After { .. } | Spot::End => self.follower(step),
            Spot::Alone | Spot::Inside { .. } => None,
        };
        let Some((from, to)) = behind.and_then(|step| Some((step, before(step)?))) else {
            return;
        };
        let first = match &from.routing {
            Routing::Fork(fork) if fork.targets.contains(to) => fork.join.as_ref(),
            _ => None,
        };
        let first = first.and_then(|join| self.met_at(join));
        let last = self.met_at(to).filter(|met| met.are_last && !met.are_first);
        let first = first.filter(|met| met.are_first && !met.are_last);
        for (met, was) in first
            .map(|met| (met, to))
            .into_iter()
            .chain(last.map(|met| (met, &from.id)))
        {
            for mention in met.named.into_iter().filter(|one| one.to == was.as_str()) {
                plan.set(mention.path, id);
            }
        }
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

    /// What a step says after which the flow goes on to another one, or ends.
    pub(super) fn leading_on(&self, to: Option<&str>) -> Value {
        match to {
            None if self.is_spec() => terminal(),
            to => linear(to),
        }
    }
}

fn terminal() -> Value {
    let mut map = Map::new();
    map.insert("kind".to_owned(), "terminal".into());
    Value::Object(map)
}
