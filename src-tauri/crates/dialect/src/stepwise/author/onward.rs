//! What follows a step of a flow when nothing special happened, and leading it elsewhere.

use super::{Author, Plan};
use crate::edit::TreeError;
use crate::said::called;
use model::{Fork, Routing, Step, StepId};
use serde_json::{Map, Value};

/// How a step says what follows it.
pub(super) enum Onward<'a> {
    /// It says nothing: the next one in the file follows.
    Order,
    /// In a field of its routing.
    Key(&'static str, Option<&'a StepId>),
    /// The flow ends on purpose.
    Ended,
    /// Several begin beside each other.
    Fork,
}

impl<'a> Author<'a> {
    pub(super) fn onward(&self, step: &'a Step) -> Onward<'a> {
        let has = |key: &str| self.at(step.ordinal, &format!("routing.{key}")).is_some();
        match &step.routing {
            Routing::Sequence => Onward::Order,
            Routing::Linear { next } | Routing::Unknown { next, .. } => Onward::Key("next", next.as_ref()),
            Routing::Microloop(m) => Onward::Key("next", m.next.as_ref()),
            Routing::Branch(b) => Onward::Key(
                if has("default") && !has("next") {
                    "default"
                } else {
                    "next"
                },
                b.next.as_ref(),
            ),
            Routing::Guarded { next, .. } => Onward::Key(
                if has("next") && !has("default") {
                    "next"
                } else {
                    "default"
                },
                next.as_ref(),
            ),
            Routing::Fork(_) => Onward::Fork,
            Routing::Terminal | Routing::Return { .. } | Routing::Transitions { .. } | Routing::Dependencies => {
                Onward::Ended
            }
        }
    }

    /// The step that follows when nothing special happened.
    pub(super) fn follower(&self, step: &'a Step) -> Option<&'a StepId> {
        match self.onward(step) {
            Onward::Order => self.following(step),
            Onward::Key(_, next) => next,
            Onward::Ended | Onward::Fork => None,
        }
    }

    /// Leads a step on to another one, or lets the flow end there. `in_order`: what will stand behind it in the file.
    pub(super) fn lead(
        &self,
        plan: &mut Plan,
        step: &'a Step,
        to: Option<&str>,
        in_order: Option<&str>,
    ) -> Result<(), TreeError> {
        match self.onward(step) {
            Onward::Order if to == in_order => {}
            Onward::Order | Onward::Ended => plan.set(self.path(step.ordinal, "routing"), linear(to)),
            Onward::Key(key, now) => match to {
                Some(to) => plan.set(self.path(step.ordinal, &format!("routing.{key}")), to),
                None if now.is_some() => plan.take(self.path(step.ordinal, &format!("routing.{key}"))),
                None => {}
            },
            Onward::Fork => match (to, &step.routing) {
                (Some(to), Routing::Fork(fork)) => self.beside(plan, step, fork, to),
                _ => {
                    return Err(TreeError::unsound(format!(
                        "several branches begin after {}; say which of them is meant",
                        called(&step.id)
                    )));
                }
            },
        }
        Ok(())
    }

    /// One more branch of a fork.
    pub(super) fn beside(&self, plan: &mut Plan, step: &Step, fork: &Fork, to: &str) {
        let at = format!("routing.fork_targets.{}", fork.targets.len());
        plan.set(self.path(step.ordinal, &at), to);
    }
}

/// `{kind: linear, next: …}`.
pub(super) fn linear(to: Option<&str>) -> Value {
    let mut map = Map::new();
    map.insert("kind".to_owned(), "linear".into());
    if let Some(to) = to {
        map.insert("next".to_owned(), to.into());
    }
    Value::Object(map)
}
