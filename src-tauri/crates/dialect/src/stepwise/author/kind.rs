//! Another kind of routing: what followed follows still, as far as the kind can say so.

use super::{Author, Plan};
use crate::document::in_a_row;
use model::{Routing, Step, StepId};
use serde_json::{Map, Value};

/// The fields of a routing that only some kinds have.
const OF_KINDS: [(&str, &[&str]); 4] = [
    (
        "microloop",
        &[
            "loop_target",
            "loop_condition_field",
            "loop_success_values",
            "exit_on",
            "max_iterations",
        ],
    ),
    ("branch", &["branch_field", "branches", "when", "default"]),
    ("fork", &["fork_targets", "fork_config", "join_point"]),
    ("join", &["join_from", "join_strategy", "join_config"]),
];

impl<'a> Author<'a> {
    /// `None`: it is no other kind, or none that is known.
    pub(super) fn other_kind(&self, step: &'a Step, kind: &str) -> Option<Plan> {
        let known =
            |kind: &str| matches!(kind, "linear" | "terminal") || OF_KINDS.iter().any(|(other, _)| *other == kind);
        let now = self.at(step.ordinal, "routing.kind").and_then(Value::as_str);
        if self.is_graph() || !known(kind) || now == Some(kind) {
            return None;
        }
        let mut plan = Plan::default();
        // A fork says by its branches what follows, once it has some.
        let next = self.follower(step).filter(|_| kind != "terminal");
        let written = self.at(step.ordinal, "routing").and_then(Value::as_object);
        match written {
            None => {
                let mut map = Map::from_iter([("kind".to_owned(), kind.into())]);
                map.extend(next.map(|next| ("next".to_owned(), next.as_str().into())));
                plan.set(self.path(step.ordinal, "routing"), Value::Object(map));
            }
            Some(written) => {
                let path = |key: &str| self.path(step.ordinal, &format!("routing.{key}"));
                plan.set(path("kind"), kind);
                match next {
                    Some(next) if written.get("next").and_then(Value::as_str) != Some(next.as_str()) => {
                        plan.set(path("next"), next.as_str());
                    }
                    None if written.contains_key("next") => plan.take(path("next")),
                    _ => {}
                }
                let others = OF_KINDS.iter().filter(|(other, _)| *other != kind);
                let others = others.flat_map(|(_, keys)| keys.iter());
                others
                    .filter(|key| written.contains_key(**key))
                    .for_each(|key| plan.take(path(key)));
            }
        }
        for said in self.lost(step, kind) {
            plan.say(&step.id, said);
        }
        if now == Some("join") {
            let said = format!("“{}” does not say any more how branches meet there", step.name);
            plan.say(&step.id, said);
        }
        Some(plan)
    }

    /// What a routing said that another kind cannot say.
    fn lost(&self, step: &'a Step, kind: &str) -> Vec<String> {
        let who = &step.name;
        let mut said = match &step.routing {
            Routing::Microloop(microloop) => {
                let back = microloop.loop_target.iter();
                back.map(|to| format!("“{who}” does not lead back to {} any more", self.called(to)))
                    .collect()
            }
            Routing::Branch(branch) => {
                let ways = branch.branches.iter();
                ways.map(|(value, to)| format!("“{who}” does not lead to {} for “{value}” any more", self.called(to)))
                    .collect()
            }
            Routing::Guarded { guards, .. } => {
                let ways = guards.iter();
                ways.map(|guard| {
                    format!(
                        "“{who}” does not lead to {} by a condition any more",
                        self.called(&guard.to)
                    )
                })
                .collect()
            }
            Routing::Fork(fork) => {
                let targets: Vec<String> = fork.targets.iter().map(|to| self.called(to)).collect();
                let targets = in_a_row(&targets).into_iter();
                targets
                    .map(|targets| format!("{targets} do not begin beside each other after “{who}” any more"))
                    .collect()
            }
            _ => Vec::new(),
        };
        if kind == "terminal"
            && let Some(next) = self.follower(step)
        {
            said.push(format!("“{who}” does not lead to {} any more", self.called(next)));
        }
        said
    }

    /// What a person calls a step.
    fn called(&self, id: &StepId) -> String {
        match self.step(id) {
            Ok(step) => format!("“{}”", step.name),
            Err(_) => format!("`{id}`"),
        }
    }
}
