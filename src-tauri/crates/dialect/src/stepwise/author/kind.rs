//! Another kind of routing: what followed follows still, as far as the kind can say so.

use super::{Author, Plan};
use crate::form::flow::{BRANCH, BY_CONDITIONS, FORK, FORK_RULES, JOIN_RULES, LOOP, LOOP_SPEC};
use crate::said::{called, in_a_row, shortened};
use crate::stepwise::fork;
use model::routing::{DECIDES, DEFAULT_MAX_ITERATIONS};
use model::{Condition, Guard, Operator, Routing, Step, StepId};
use serde_json::{Map, Value, json};

/// The fields of a routing that only some kinds have.
const OF_KINDS: [(&str, &[&str]); 5] = [
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
    ("branch", &["branch_field", "branches"]),
    (BY_CONDITIONS, &["when"]),
    (
        "fork",
        &[
            "fork_targets",
            "fork_config",
            "join_point",
            "execution_policy",
            "batch_size",
            "isolation",
            "failure_policy",
        ],
    ),
    (
        "join",
        &[
            "join_from",
            "join_strategy",
            "join_config",
            "strategy",
            "quorum",
            "quorum_count",
            "timeout_seconds",
            "aggregate_status",
        ],
    ),
];

/// The fields of a routing that stand for no way, those in a block of rules one by one.
fn each_filled(key: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(rules) if matches!(key, "fork_config" | "join_config") => {
            rules.iter().filter_map(|(key, value)| filled(key, value)).collect()
        }
        value => filled(key, value).into_iter().collect(),
    }
}

/// A field of a routing that stands for no way, as its form calls it and with what is filled in: `“Times back at most” (3)`.
fn filled(key: &str, value: &Value) -> Option<String> {
    // Which steps follow is said of each of them.
    const WAYS: [&str; 8] = [
        "loop_target",
        "branches",
        "when",
        "fork_targets",
        "next",
        "default",
        "join_from",
        "targets",
    ];
    if WAYS.contains(&key) {
        return None;
    }
    let rows = LOOP.iter().chain(&LOOP_SPEC).chain(&BRANCH).chain(&FORK);
    let mut rows = rows.chain(&FORK_RULES).chain(&JOIN_RULES);
    let usual = fork::usual(key);
    let row = rows.find(|row| row.name.rsplit('.').next() == Some(usual));
    let name = row.map_or_else(|| format!("`{key}`"), |row| format!("“{}”", row.label()));
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let is = match value {
        Value::Array(values) => values.iter().map(text).collect::<Option<Vec<String>>>(),
        value => text(value).map(|text| vec![text]),
    };
    Some(match is.filter(|values| !values.is_empty()) {
        Some(values) => format!("{name} ({})", values.join(", ")),
        None => name,
    })
}

/// Ways that another kind says in its own words: each for one value of a reported field.
struct Kept<'a> {
    field: &'a str,
    ways: Vec<(String, &'a StepId)>,
    /// Those beside them that it cannot say.
    lost: Vec<&'a Guard>,
}

impl<'a> Kept<'a> {
    /// Ways by values as conditions, and conditions that ask for values of one field as ways by values. `None`: none can be kept.
    fn of(routing: &'a Routing, kind: &str) -> Option<Self> {
        match routing {
            Routing::Branch(branch) if kind == BY_CONDITIONS => {
                let ways = branch.branches.iter();
                let ways: Vec<(String, &StepId)> = ways.map(|(value, to)| (value.clone(), to)).collect();
                // What is empty is never the value of a branch, and is one of a condition.
                let can_be = |(value, to): &(String, &StepId)| !value.is_empty() && !to.as_str().is_empty();
                (!ways.is_empty() && ways.iter().all(can_be)).then_some(Self {
                    field: branch.field.as_deref().unwrap_or(DECIDES),
                    ways,
                    lost: Vec::new(),
                })
            }
            Routing::Guarded { guards, .. } if kind == "branch" => {
                let value = |guard: &'a Guard| -> Option<(&'a str, String)> {
                    asked(guard).filter(|(_, value)| !value.is_empty() && !guard.to.as_str().is_empty())
                };
                let (field, _) = guards.iter().find_map(value)?;
                let mut ways: Vec<(String, &StepId)> = Vec::new();
                let mut lost = Vec::new();
                for guard in guards {
                    match value(guard).filter(|(own, _)| *own == field) {
                        // The first condition that holds decides.
                        Some((_, value)) if ways.iter().any(|(known, _)| *known == value) => {}
                        Some((_, value)) => ways.push((value, &guard.to)),
                        None => lost.push(guard),
                    }
                }
                Some(Self { field, ways, lost })
            }
            _ => None,
        }
    }

    fn as_conditions(&self) -> Value {
        let way = |(value, to): &(String, &StepId)| {
            let condition = json!({"field": self.field, "operator": "equals", "value": value});
            json!({"condition": condition, "next": to.as_str()})
        };
        self.ways.iter().map(way).collect()
    }

    fn as_branches(&self) -> Value {
        let ways = self.ways.iter();
        let ways: Map<String, Value> = ways.map(|(value, to)| (value.clone(), to.as_str().into())).collect();
        Value::Object(ways)
    }
}

/// What comes of a value that none of the ways is for, where that is another thing than before.
fn otherwise(step: &Step, leads_on: bool) -> Option<String> {
    let who = called(&step.id);
    match step.routing {
        _ if leads_on => None,
        Routing::Branch(_) => Some(format!(
            "where no condition of {who} holds a person is asked which way it takes; the flow ended there"
        )),
        _ if step.routing.may_ask_the_way() => Some(format!(
            "the flow ends after {who} for every other value; a person was asked which way it takes"
        )),
        _ => None,
    }
}

/// That a step does not lead on by a condition any more, with the condition.
pub(super) fn condition_lost(step: &Step, guard: &Guard) -> String {
    let (who, to) = (called(&step.id), called(&guard.to));
    match guard.condition.label() {
        Some(condition) => format!("{who} does not lead to {to} when “{}” any more", shortened(&condition)),
        None => format!("{who} does not lead to {to} any more"),
    }
}

/// The same for a value.
pub(super) fn value_lost(step: &Step, value: &str, to: &StepId) -> String {
    format!(
        "{} does not lead to {} for “{value}” any more",
        called(&step.id),
        called(to)
    )
}

/// The field and the value that a condition asks for, as a branch compares them; `None`: it asks for something else.
pub(super) fn asked(guard: &Guard) -> Option<(&str, String)> {
    let Condition::Compare {
        field,
        operator: Operator::Equals,
        value,
    } = &guard.condition
    else {
        return None;
    };
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) if !number.is_f64() => number.to_string(),
        _ => return None,
    };
    Some((field, value))
}

impl<'a> Author<'a> {
    /// `None`: it is no other kind, or none that is known.
    pub(super) fn other_kind(&self, step: &'a Step, kind: &str) -> Option<Plan> {
        let known =
            |kind: &str| matches!(kind, "linear" | "terminal") || OF_KINDS.iter().any(|(other, _)| *other == kind);
        let written = self.at(step.ordinal, "routing").and_then(Value::as_object);
        let now = written.and_then(|map| map.get("kind")).and_then(Value::as_str);
        let by_conditions = now == Some("branch") && written.is_some_and(|map| map.contains_key("when"));
        let now = if by_conditions { Some(BY_CONDITIONS) } else { now };
        let other = !self.is_graph() && known(kind);
        // The form's own word is never written.
        if now == Some(kind) && other && kind == BY_CONDITIONS {
            return Some(Plan::default());
        }
        if !other || now == Some(kind) {
            return None;
        }
        let to_conditions = kind == BY_CONDITIONS;
        let word = if to_conditions { "branch" } else { kind };
        let (onward, unused) = if to_conditions {
            ("default", "next")
        } else {
            ("next", "default")
        };
        let mut plan = Plan::default();
        let next = self.leads_on(step).filter(|_| kind != "terminal");
        // What follows a fork are its branches: the first of them is what followed.
        let (next, branches) = match kind == "fork" {
            true => (None, Some(next.map(StepId::as_str).into_iter().collect::<Vec<_>>())),
            false => (next, None),
        };
        let mut unfilled = None;
        let kept = Kept::of(&step.routing, kind);
        match written {
            None => {
                let mut map = Map::from_iter([("kind".to_owned(), word.into())]);
                map.extend(to_conditions.then(|| ("when".to_owned(), Value::Array(Vec::new()))));
                map.extend(branches.map(|branches| ("fork_targets".to_owned(), branches.into())));
                map.extend(next.map(|next| (onward.to_owned(), next.as_str().into())));
                plan.set(self.path(step.ordinal, "routing"), Value::Object(map));
            }
            Some(written) => {
                let path = |key: &str| self.path(step.ordinal, &format!("routing.{key}"));
                if written.get("kind").and_then(Value::as_str) != Some(word) {
                    plan.set(path("kind"), word);
                }
                match &kept {
                    Some(kept) if to_conditions => plan.set(path("when"), kept.as_conditions()),
                    Some(kept) => {
                        plan.set(path("branch_field"), kept.field);
                        plan.set(path("branches"), kept.as_branches());
                    }
                    None if to_conditions => plan.set(path("when"), Value::Array(Vec::new())),
                    None => {}
                }
                if let Some(branches) = branches.filter(|_| !written.contains_key("fork_targets")) {
                    plan.set(path("fork_targets"), branches);
                }
                match next {
                    Some(next) if written.get(onward).and_then(Value::as_str) != Some(next.as_str()) => {
                        plan.set(path(onward), next.as_str());
                    }
                    None if written.contains_key(onward) => plan.take(path(onward)),
                    _ => {}
                }
                let others = OF_KINDS.iter().filter(|(other, _)| *other != kind);
                let others = others.flat_map(|(_, keys)| keys.iter()).chain([&unused]);
                let gone: Vec<&str> = others.copied().filter(|key| written.contains_key(*key)).collect();
                gone.iter().for_each(|key| plan.take(path(key)));
                // The field by which it branched is that of the conditions.
                let unkept = gone.iter().filter(|key| kept.is_none() || **key != "branch_field");
                let filled: Vec<String> = unkept.flat_map(|key| each_filled(key, &written[*key])).collect();
                if let Some(filled) = in_a_row(&filled) {
                    unfilled = Some(format!("{} does not have {filled} any more", called(&step.id)));
                }
            }
        }
        if to_conditions && !self.is_spec() {
            self.as_later_generation(step, &mut plan);
        }
        let lost: Vec<String> = match kept {
            Some(kept) => {
                let lost = kept.lost.into_iter().map(|guard| condition_lost(step, guard));
                lost.chain(otherwise(step, next.is_some())).collect()
            }
            None => self.lost(step, kind),
        };
        for said in lost.into_iter().chain(unfilled) {
            plan.say(&step.id, said);
        }
        if now == Some("join") {
            let said = format!("{} does not say any more how branches meet there", called(&step.id));
            plan.say(&step.id, said);
        }
        Some(plan)
    }

    /// Conditions make a file one of the later generation, where a loop looks at success before its bound, and has another bound unless
    /// it says one.
    fn as_later_generation(&self, step: &Step, plan: &mut Plan) {
        let is_loop = |other: &&&Step| matches!(other.routing, Routing::Microloop(_)) && other.id != step.id;
        let all: Vec<&Step> = self.steps().iter().filter(|other| is_loop(&other)).collect();
        for one in &all {
            if self.at(one.ordinal, "routing.max_iterations").is_none() {
                let path = self.path(one.ordinal, "routing.max_iterations");
                plan.set(path, DEFAULT_MAX_ITERATIONS);
            }
            let said = format!(
                "where the loop of {} succeeds in the last round that it may turn, that counts as success, not as used up any more; what follows \
                 stays the same",
                called(&one.id)
            );
            plan.say(&one.id, said);
        }
    }

    /// The step that alone follows, also as the only branch of a fork.
    fn leads_on(&self, step: &'a Step) -> Option<&'a StepId> {
        match &step.routing {
            Routing::Fork(fork) => fork.targets.first().filter(|_| fork.targets.len() == 1),
            _ => self.follower(step),
        }
    }

    /// What a routing said that another kind cannot say.
    fn lost(&self, step: &'a Step, kind: &str) -> Vec<String> {
        let who = called(&step.id);
        let mut said = match &step.routing {
            Routing::Microloop(microloop) => {
                let back = microloop.loop_target.iter();
                back.map(|to| format!("{who} does not lead back to {} any more", called(to)))
                    .collect()
            }
            Routing::Branch(branch) => {
                let ways = branch.branches.iter();
                ways.map(|(value, to)| value_lost(step, value, to)).collect()
            }
            Routing::Guarded { guards, .. } => {
                let ways = guards.iter();
                ways.map(|guard| condition_lost(step, guard)).collect()
            }
            Routing::Fork(fork) if fork.targets.len() > 1 => {
                let targets: Vec<String> = fork.targets.iter().map(called).collect();
                let targets = in_a_row(&targets).into_iter();
                targets
                    .map(|targets| format!("{targets} do not begin beside each other after {who} any more"))
                    .collect()
            }
            _ => Vec::new(),
        };
        if kind == "terminal"
            && let Some(next) = self.leads_on(step)
        {
            said.push(format!("{who} does not lead to {} any more", called(next)));
        }
        said
    }
}
