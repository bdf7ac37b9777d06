//! Edges of a flow that are drawn and taken away.

use super::kind::asked;
use super::lines::Line;
use super::mentions::Named;
use super::onward::{Onward, linear};
use super::route::branching;
use super::{Author, Plan};
use crate::document::decides_by;
use crate::edit::TreeError;
use crate::form::flow::FORK_KIND as FORK;
use crate::said::called;
use model::routing::DECIDES;
use model::{Condition, Guard, Routing, Step, StepId, Way};
use serde_json::{Value, json};

impl<'a> Author<'a> {
    pub(super) fn connect(&self, from: &StepId, to: &StepId, way: Option<&Way>) -> Result<Plan, TreeError> {
        let (from, to) = (self.step(from)?, self.step(to)?);
        let back = Way::Back {
            most: None,
            until: None,
        };
        // An edge against the order of the file leads back.
        let way = way.unwrap_or(if to.ordinal <= from.ordinal { &back } else { &Way::Next });
        if let Way::Rejected = way {
            return self.rejected(from, to);
        }
        if matches!(way, Way::Back { until: Some(until), .. } if until.trim().is_empty()) {
            return Err(TreeError::unfit("a loop ends with a value; say which"));
        }
        if self.is_graph() {
            return self.connect_nodes(from, to, way);
        }
        let mut plan = Plan::default();
        let whole = self.path(from.ordinal, "routing");
        let follower = self.follower(from);
        match (way, &from.routing) {
            (Way::Waits, _) => {
                return Err(TreeError::unfit(
                    "steps of a flow follow each other; none waits for another",
                ));
            }
            (Way::Rejected, _) => {}
            (Way::Next, _) if from.id == to.id => {
                return Err(TreeError::unsound(format!(
                    "{} would lead to itself without an end; draw a loop",
                    called(&from.id)
                )));
            }
            (Way::Next, Routing::Guarded { guards, .. }) if is_always(guards) => return Err(always(from)),
            (Way::Next, Routing::Fork(fork)) if fork.join.as_ref() == Some(&to.id) => return Err(meets(from, to)),
            (Way::Next | Way::Beside, Routing::Fork(fork)) => {
                if !fork.targets.contains(&to.id) {
                    self.beside(&mut plan, from, fork, to.id.as_str());
                }
            }
            (Way::Next, _) => {
                self.lead(
                    &mut plan,
                    from,
                    Some(to.id.as_str()),
                    self.following(from).map(StepId::as_str),
                )?;
                if let Some(old) = follower.filter(|old| **old != to.id) {
                    plan.say(
                        &from.id,
                        format!("{} does not lead to {} any more", called(&from.id), called(old)),
                    );
                }
            }
            (Way::Back { until: Some(until), .. }, Routing::Microloop(microloop))
                if !microloop.success_values.iter().any(|value| value == until) =>
            {
                return Err(TreeError::unsound(format!(
                    "what ends the loop of {} is said already; change it in the form of the step",
                    called(&from.id)
                )));
            }
            (Way::Back { most, .. }, Routing::Microloop(microloop)) => {
                plan.set(self.path(from.ordinal, "routing.loop_target"), to.id.as_str());
                if let Some(old) = microloop.loop_target.as_ref().filter(|old| **old != to.id) {
                    plan.say(
                        &from.id,
                        format!("{} does not lead back to {} any more", called(&from.id), called(old)),
                    );
                }
                if let Some(most) = most {
                    plan.set(self.path(from.ordinal, "routing.max_iterations"), *most);
                }
            }
            (
                Way::Back { most, until },
                Routing::Sequence | Routing::Linear { .. } | Routing::Terminal | Routing::Unknown { .. },
            ) => {
                plan.set(whole, self.looping(&to.id, *most, None, until.as_slice(), follower));
            }
            (Way::Value { field, value }, Routing::Branch(branch)) => {
                if let (Some(asked), Some(now)) = (field, &branch.field)
                    && asked != now
                {
                    return Err(TreeError::unsound(format!(
                        "{} decides by “{now}” already",
                        called(&from.id)
                    )));
                }
                plan.set(
                    [self.path(from.ordinal, "routing.branches"), vec![value.clone()]].concat(),
                    to.id.as_str(),
                );
                if let Some(old) = branch.branches.get(value).filter(|old| **old != to.id) {
                    plan.say(
                        &from.id,
                        format!(
                            "{} does not lead to {} for “{value}” any more",
                            called(&from.id),
                            called(old)
                        ),
                    );
                }
            }
            (
                Way::Value { field, value },
                Routing::Sequence | Routing::Linear { .. } | Routing::Terminal | Routing::Unknown { .. },
            ) => {
                let field = field.as_deref().unwrap_or(DECIDES);
                plan.set(
                    whole,
                    branching(field, std::iter::once((value.as_str(), &to.id)), follower),
                );
            }
            (Way::Value { field, value }, Routing::Guarded { guards, .. }) => {
                let field = field.as_deref().unwrap_or_else(|| decides_by(from));
                self.one_more(&mut plan, from, guards, (field, value), to)?;
            }
            (Way::Beside, Routing::Unknown { kind, .. }) if kind == FORK => {
                plan.set(self.path(from.ordinal, "routing.fork_targets"), vec![to.id.as_str()]);
            }
            (Way::Beside, Routing::Sequence | Routing::Linear { .. }) => {
                let Some(first) = follower.filter(|first| **first != to.id) else {
                    return Err(TreeError::unsound(format!(
                        "{} leads to nothing else that this could run beside",
                        called(&from.id)
                    )));
                };
                let mut map = serde_json::Map::new();
                map.insert("kind".to_owned(), FORK.into());
                map.insert("fork_targets".to_owned(), vec![first.as_str(), to.id.as_str()].into());
                plan.set(whole, Value::Object(map));
            }
            (Way::Back { .. }, Routing::Guarded { .. }) => {
                return Err(TreeError::unsound(format!(
                    "{} goes on by conditions; a way back is one more of them, and is written in its form",
                    called(&from.id)
                )));
            }
            (Way::Back { .. } | Way::Value { .. } | Way::Beside, _) => {
                return Err(TreeError::unsound(format!(
                    "{} leads on in another way already; say anew what follows it",
                    called(&from.id)
                )));
            }
        }
        Ok(plan)
    }

    /// One more condition of a step: it is tried behind the others. One that asks for this value already leads there instead.
    fn one_more(
        &self,
        plan: &mut Plan,
        from: &Step,
        guards: &[Guard],
        (field, value): (&str, &str),
        to: &Step,
    ) -> Result<(), TreeError> {
        let when = self.path(from.ordinal, "routing.when");
        let at = |n: usize, more: &[&str]| {
            let keys = std::iter::once(n.to_string()).chain(more.iter().map(|key| (*key).to_owned()));
            when.iter().cloned().chain(keys).collect::<Vec<String>>()
        };
        let same = guards
            .iter()
            .position(|guard| asked(guard).is_some_and(|(own, of)| own == field && of == value));
        if let Some(n) = same {
            if guards[n].to != to.id {
                plan.set(at(n, &["next"]), to.id.as_str());
                let old = called(&guards[n].to);
                plan.say(
                    &from.id,
                    format!("{} does not lead to {old} for “{value}” any more", called(&from.id)),
                );
            }
            return Ok(());
        }
        if is_always(guards) {
            return Err(always(from));
        }
        let condition = json!({"field": field, "operator": "equals", "value": value});
        let way = json!({"condition": condition, "next": to.id.as_str()});
        match guards {
            [] => plan.set(when, vec![way]),
            _ => plan.set(at(guards.len(), &[]), way),
        }
        Ok(())
    }

    fn rejected(&self, from: &'a Step, to: &'a Step) -> Result<Plan, TreeError> {
        let Some(gate) = &from.gate else {
            return Err(TreeError::unsound(format!(
                "nobody is asked at {}; put a gate there first",
                called(&from.id)
            )));
        };
        let mut plan = Plan::default();
        plan.set(self.path(from.ordinal, "on_reject"), to.id.as_str());
        if let Some(old) = gate.on_reject.as_ref().filter(|old| **old != to.id) {
            plan.say(
                &from.id,
                format!(
                    "what is rejected at {} does not go to {} any more",
                    called(&from.id),
                    called(old)
                ),
            );
        }
        Ok(plan)
    }

    pub(super) fn disconnect(&self, from: &StepId, to: &StepId, label: Option<&str>) -> Result<Plan, TreeError> {
        let (from, to) = (self.step(from)?, self.step(to)?);
        let mut plan = Plan::default();
        let whole = self.path(from.ordinal, "routing");
        let follower = self.follower(from).map(StepId::as_str);
        let ends = format!("the flow ends after {}", called(&from.id));
        let is_last = self.reading.ways_out(from) == 1;
        let mention = match self.line(from, to, label)? {
            Line::Field(mention) => mention,
            Line::Order => {
                plan.set(whole, linear(None));
                plan.say(&from.id, ends);
                return Ok(plan);
            }
            Line::Edge(edge) => {
                plan.take(vec!["edges".to_owned(), edge.to_string()]);
                if self.leaving(from).len() == 1 {
                    plan.say(&from.id, ends);
                }
                return Ok(plan);
            }
        };
        match (&mention.what, &from.routing) {
            (Named::Back, _) => plan.set(whole, linear(follower)),
            (Named::Value(_), Routing::Branch(branch)) if branch.branches.len() == 1 => {
                plan.set(whole, linear(follower))
            }
            (Named::Guard, Routing::Guarded { guards, .. }) if guards.len() == 1 => plan.set(whole, linear(follower)),
            (Named::Guard, _) => plan.take(mention.path[..mention.path.len() - 1].to_vec()),
            (Named::Branch, Routing::Fork(fork)) if fork.targets.len() <= 2 => {
                let other = fork.targets.iter().find(|other| **other != to.id);
                plan.set(whole, linear(other.map(StepId::as_str)));
            }
            (Named::Next, _) => {
                // Where both stand, the other one would count then.
                for key in ["next", "default"].map(|key| self.path(from.ordinal, &format!("routing.{key}"))) {
                    if self.mentions().iter().any(|m| m.path == key) {
                        plan.take(key);
                    }
                }
                if matches!(self.onward(from), Onward::Key(..)) {
                    plan.say(&from.id, ends.as_str());
                }
            }
            (Named::Rejected, _) => {
                plan.take(mention.path);
                return Ok(plan);
            }
            _ => plan.take(mention.path),
        }
        if is_last && plan.said.is_empty() {
            plan.say(&from.id, ends);
        }
        Ok(plan)
    }
}

/// Whether one of the ways is always taken: none behind it would ever be.
fn is_always(guards: &[Guard]) -> bool {
    guards.iter().any(|guard| guard.condition == Condition::Always)
}

/// Why no other way is drawn then.
fn always(from: &Step) -> TreeError {
    TreeError::unsound(format!(
        "one of the ways of {} has no condition and is always taken; give it one first",
        called(&from.id)
    ))
}

/// Why a line from a fork to where its branches meet is not drawn: it may be meant as what follows one of them, or as a branch that is empty.
pub(super) fn meets(fork: &Step, join: &Step) -> TreeError {
    TreeError::unsound(format!(
        "several branches begin after {}, and meet at {}; draw the line from the last step of a branch",
        called(&fork.id),
        called(&join.id)
    ))
}
