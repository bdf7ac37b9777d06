//! A step of a flow that goes: what led to it leads to what it led to, where that is sound.

use super::mentions::{Mention, Named};
use super::onward::{Onward, linear};
use super::{Author, Plan};
use crate::edit::TreeError;
use crate::said::{called, called_place};
use model::{Routing, Step, StepId};

impl<'a> Author<'a> {
    pub(super) fn remove(&self, step: &'a Step) -> Result<Plan, TreeError> {
        if self.steps().len() == 1 {
            return Err(TreeError::unsound("a workflow needs a step"));
        }
        let mut plan = Plan::default();
        let is_meant = self.step(&step.id)?.ordinal == step.ordinal;
        let incoming: Vec<Mention> = match is_meant {
            true => self.naming(step),
            false => Vec::new(),
        };
        let before = step.ordinal.checked_sub(1).and_then(|n| self.steps().get(n));
        let by_order = before.filter(|before| matches!(before.routing, Routing::Sequence));
        let led_to = !incoming.is_empty() || by_order.is_some() || step.ordinal == 0;
        let several = match &step.routing {
            Routing::Branch(b) => b.branches.values().any(|to| Some(to) != b.next.as_ref()),
            Routing::Guarded { guards, next } => guards.iter().any(|guard| Some(&guard.to) != next.as_ref()),
            Routing::Fork(_) => true,
            _ => false,
        };
        if several && led_to {
            return Err(TreeError::unsound(format!(
                "{} leads to several steps; say first where what leads to it is to go",
                called(&step.id)
            )));
        }
        // What it leads to takes its place; what leads back to itself leads nowhere.
        let follower = self.follower(step).filter(|to| **to != step.id);
        let in_order = self.following(step);
        if step.ordinal == 0 && follower != in_order {
            let begins = in_order.map_or_else(String::new, called);
            return Err(TreeError::unsound(format!(
                "the flow would begin at {begins}, where {} does not lead",
                called(&step.id)
            )));
        }
        if let Some(before) = by_order.filter(|_| follower != in_order) {
            plan.set(
                self.path(before.ordinal, "routing"),
                linear(follower.map(StepId::as_str)),
            );
        }
        let mut led: Vec<StepId> = by_order.iter().map(|before| before.id.clone()).collect();
        for mention in incoming {
            let owner = mention.owner.and_then(|n| self.steps().get(n));
            self.led_on(&mut plan, step, owner, &mention, follower)?;
            match (owner, &mention.what) {
                (Some(owner), Named::Value(value)) => plan.leads_for(owner, value, follower),
                (Some(owner), Named::Rejected) => plan.rejected_on(owner, follower),
                (Some(owner), Named::Branch) if plan.takes(&mention.path) => {
                    plan.say(
                        &owner.id,
                        format!("one branch fewer begins after {}", called(&owner.id)),
                    );
                }
                (Some(owner), what) if *what != Named::From => led.push(owner.id.clone()),
                _ => {}
            }
        }
        plan.led_on(led, follower);
        plan.take(self.path(step.ordinal, ""));
        Ok(plan)
    }

    /// Every place outside of a step that names it.
    pub(super) fn naming(&self, step: &Step) -> Vec<Mention> {
        let mentions = self.mentions().into_iter();
        mentions
            .filter(|m| m.to == step.id.as_str() && m.owner != Some(step.ordinal))
            .collect()
    }

    fn led_on(
        &self,
        plan: &mut Plan,
        gone: &'a Step,
        owner: Option<&'a Step>,
        mention: &Mention,
        follower: Option<&StepId>,
    ) -> Result<(), TreeError> {
        let path = mention.path.clone();
        let nowhere = |what: &str| {
            let who = owner.map_or_else(|| "the file".to_owned(), |owner| called(&owner.id));
            Err(TreeError::unsound(format!(
                "{what} of {who} would lead nowhere without {}",
                called(&gone.id)
            )))
        };
        match (&mention.what, follower) {
            (Named::Next, Some(to)) if owner.is_some_and(|owner| owner.id == *to) => {
                return Err(TreeError::unsound(format!(
                    "{} would lead to itself without {}",
                    called(to),
                    called(&gone.id)
                )));
            }
            (Named::Next | Named::Back | Named::Value(_) | Named::Guard | Named::Join | Named::Rejected, Some(to)) => {
                plan.set(path, to.as_str());
            }
            (Named::Next | Named::Join | Named::Rejected, None) => plan.take(path),
            (Named::Value(_), None) if owner.is_some_and(|owner| self.follower(owner).is_none()) => plan.take(path),
            (Named::Value(value), None) => return nowhere(&format!("the way “{value}”")),
            (Named::Back, None) => return nowhere("the loop"),
            (Named::Guard, None) => return nowhere("a way"),
            (Named::Branch, to) => {
                let fork = owner.and_then(|owner| match &owner.routing {
                    Routing::Fork(fork) => Some(fork),
                    _ => None,
                });
                let Some(fork) = fork else { return nowhere("a branch") };
                let is_over = to.is_none_or(|to| fork.join.as_ref() == Some(to) || fork.targets.contains(to));
                match to {
                    Some(to) if !is_over => plan.set(path, to.as_str()),
                    _ if fork.targets.len() > 2 => plan.take(path),
                    _ => {
                        return Err(TreeError::unsound(format!(
                            "one branch alone would be left after {}; say first what follows it",
                            owner.map_or_else(String::new, |owner| called(&owner.id))
                        )));
                    }
                }
            }
            (Named::From, _) => {
                // Whoever led to it leads to the join now.
                let leading: Vec<&Step> = self
                    .steps()
                    .iter()
                    .filter(|other| other.id != gone.id && self.follower(other) == Some(&gone.id))
                    .filter(|other| !matches!(self.onward(other), Onward::Fork))
                    .collect();
                match leading.as_slice() {
                    [one] => plan.set(path, one.id.as_str()),
                    [] => plan.take(path),
                    _ => return nowhere("the join"),
                }
            }
            (Named::Left | Named::Detour | Named::Parallel | Named::Edge, _) => {
                return Err(TreeError::unsound(format!(
                    "{} names it; change that first",
                    called_place(&mention.path)
                )));
            }
        }
        Ok(())
    }
}
