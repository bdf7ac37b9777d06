//! What follows a step, in place of what followed it.

use super::kind::{asked, condition_lost, value_lost};
use super::onward::linear;
use super::{Author, Plan};
use crate::edit::TreeError;
use model::fork::VERIFIED;
use model::routing::{DECIDES, DEFAULT_MAX_ITERATIONS, DEFAULT_MAX_ITERATIONS_SPEC};
use model::{Route, Routing, Step, StepId};
use serde_json::{Map, Value};

impl<'a> Author<'a> {
    pub(super) fn route(&self, step: &StepId, to: &Route) -> Result<Plan, TreeError> {
        let step = self.step(step)?;
        self.are_there(to)?;
        if self.is_graph() {
            return self.route_node(step, to);
        }
        let mut plan = Plan::default();
        for said in replaced(step, to) {
            plan.say(&step.id, said);
        }
        let whole = self.path(step.ordinal, "routing");
        match to {
            Route::Next { to } if matches!(step.routing, Routing::Linear { .. }) => {
                plan.set(self.path(step.ordinal, "routing.next"), to.as_str());
            }
            Route::Next { to } => plan.set(whole, linear(Some(to.as_str()))),
            Route::End if matches!(step.routing, Routing::Linear { next: Some(_) }) => {
                plan.take(self.path(step.ordinal, "routing.next"));
            }
            Route::End if matches!(step.routing, Routing::Linear { .. } | Routing::Terminal) => {}
            Route::End => plan.set(whole, linear(None)),
            Route::Loop {
                back,
                most,
                field,
                values,
                next,
            } => {
                let next = next.as_ref().or_else(|| self.follower(step));
                let routing = self.looping(back, Some(*most), field.as_deref(), values, next);
                plan.set(whole, routing);
            }
            Route::Branch { field, branches, next } => {
                let ways = branches.iter().map(|(value, to)| (value.as_str(), to));
                plan.set(
                    whole,
                    branching(field.as_deref().unwrap_or(DECIDES), ways, next.as_ref()),
                );
            }
            Route::Fork { targets, join } => {
                if targets.len() < 2 {
                    return Err(TreeError::unsound("branches beside each other are two at least"));
                }
                let mut map = kind("fork");
                let names: Vec<&str> = targets.iter().map(StepId::as_str).collect();
                map.insert("fork_targets".to_owned(), names.into());
                if let Some(join) = join {
                    map.insert("join_point".to_owned(), join.as_str().into());
                }
                plan.set(whole, Value::Object(map));
            }
        }
        Ok(plan)
    }

    fn are_there(&self, to: &Route) -> Result<(), TreeError> {
        let named: Vec<&StepId> = match to {
            Route::Next { to } => vec![to],
            Route::End => Vec::new(),
            Route::Loop { back, next, .. } => std::iter::once(back).chain(next).collect(),
            Route::Branch { branches, next, .. } => branches.iter().map(|(_, to)| to).chain(next).collect(),
            Route::Fork { targets, join } => targets.iter().chain(join).collect(),
        };
        named.into_iter().try_for_each(|id| self.step(id).map(|_: &Step| ()))
    }

    /// The routing of a loop in the words of the file's generation.
    pub(super) fn looping(
        &self,
        back: &StepId,
        most: Option<u32>,
        field: Option<&str>,
        values: &[String],
        next: Option<&StepId>,
    ) -> Value {
        let mut map = kind("microloop");
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        let field = field.unwrap_or(DECIDES);
        let values: Vec<&str> = match values {
            [] => vec![VERIFIED],
            given => given.iter().map(String::as_str).collect(),
        };
        put("loop_target", back.as_str().into());
        if self.is_spec() {
            let mut exit = Map::new();
            exit.insert(field.to_owned(), values.into());
            put("exit_on", Value::Object(exit));
        } else {
            put("loop_condition_field", field.into());
            put("loop_success_values", values.into());
        }
        let usual = if self.is_spec() {
            DEFAULT_MAX_ITERATIONS_SPEC
        } else {
            DEFAULT_MAX_ITERATIONS
        };
        put("max_iterations", most.unwrap_or(usual).into());
        if let Some(next) = next {
            put("next", next.as_str().into());
        }
        Value::Object(map)
    }
}

/// The ways by values and by conditions that what follows a step anew does not say any more.
fn replaced(step: &Step, to: &Route) -> Vec<String> {
    let stays = |by: &str, value: &str, led: &StepId| match to {
        Route::Branch { field, branches, .. } => {
            field.as_deref().unwrap_or(DECIDES) == by && branches.iter().any(|(own, to)| own == value && to == led)
        }
        _ => false,
    };
    match &step.routing {
        Routing::Branch(branch) => {
            let by = branch.field.as_deref().unwrap_or(DECIDES);
            let gone = branch.branches.iter().filter(|(value, led)| !stays(by, value, led));
            gone.map(|(value, led)| value_lost(step, value, led)).collect()
        }
        Routing::Guarded { guards, .. } => {
            let gone = guards
                .iter()
                .filter(|guard| asked(guard).is_none_or(|(by, value)| !stays(by, &value, &guard.to)));
            gone.map(|guard| condition_lost(step, guard)).collect()
        }
        _ => Vec::new(),
    }
}

/// The routing of a branch.
pub(super) fn branching<'v>(
    field: &str,
    ways: impl Iterator<Item = (&'v str, &'v StepId)>,
    next: Option<&StepId>,
) -> Value {
    let mut map = kind("branch");
    map.insert("branch_field".to_owned(), field.into());
    let ways: Map<String, Value> = ways.map(|(value, to)| (value.to_owned(), to.as_str().into())).collect();
    map.insert("branches".to_owned(), Value::Object(ways));
    if let Some(next) = next {
        map.insert("next".to_owned(), next.as_str().into());
    }
    Value::Object(map)
}

fn kind(word: &str) -> Map<String, Value> {
    std::iter::once(("kind".to_owned(), word.into())).collect()
}
