//! Every place of a file that names a step.

use serde_json::Value;

/// As what a step is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// What follows, or what follows otherwise.
    Next,
    Back,
    /// The way of a value.
    Value(String),
    /// The way of a condition, by its position.
    Guard,
    /// A branch of a fork.
    Branch,
    /// Where branches meet.
    Join,
    /// A step that leads to a join.
    From,
    Rejected,
    /// An end of an edge of a graph, by its position.
    Edge,
    /// Something that leaves the step for a while, or comes back to it.
    Detour,
    /// The block `parallel`.
    Parallel,
}

/// A place that names a step.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// Keys from the root of the file.
    pub(super) path: Vec<String>,
    /// The step it stands in, by its position.
    pub(super) owner: Option<usize>,
    /// The id as written.
    pub(super) to: String,
    pub(super) what: Named,
}

/// Lists of detours, of a file, of its policy and of a step.
const DETOURS: [&str; 5] = [
    "detours",
    "suggested_detours",
    "suggested_injections",
    "suggested_sidequests",
    "sidequests",
];
/// Keys of a detour that name steps.
const OF_DETOUR: [&str; 7] = [
    "from_nodes",
    "after",
    "from",
    "inject_after",
    "bounce_to",
    "return_to",
    "target_node",
];

/// All of them, in the order of the file.
pub(super) fn all(root: &Value, list: &str) -> Vec<Mention> {
    let mut found = Found {
        mentions: Vec::new(),
        owner: None,
    };
    detours(&mut found, root, &[]);
    if let Some(policy) = root.get("policy") {
        detours(&mut found, policy, &["policy".to_owned()]);
    }
    if let Some(parallel) = root.get("parallel") {
        let path = ["parallel".to_owned()];
        for key in ["fork_point", "join_point"] {
            found.one(parallel.get(key), &joined(&path, key), Named::Parallel);
        }
        let targets = parallel.get("fork_config").and_then(|config| config.get("targets"));
        found.each(
            targets,
            &joined(&joined(&path, "fork_config"), "targets"),
            &Named::Parallel,
        );
    }
    for (n, step) in root
        .get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        found.owner = Some(n);
        let path = vec![list.to_owned(), n.to_string()];
        found.one(step.get("on_reject"), &joined(&path, "on_reject"), Named::Rejected);
        detours(&mut found, step, &path);
        if let Some(routing) = step.get("routing") {
            of_routing(&mut found, routing, &joined(&path, "routing"));
        }
    }
    found.owner = None;
    for (n, edge) in root
        .get("edges")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let path = vec!["edges".to_owned(), n.to_string()];
        for key in ["from", "to"] {
            found.one(edge.get(key), &joined(&path, key), Named::Edge);
        }
        for config in ["fork_config", "join_config"] {
            let targets = edge.get(config).and_then(|config| config.get("targets"));
            found.each(targets, &joined(&joined(&path, config), "targets"), &Named::Branch);
        }
    }
    found.mentions
}

fn of_routing(found: &mut Found, routing: &Value, path: &[String]) {
    for (key, what) in [
        ("next", Named::Next),
        ("default", Named::Next),
        ("loop_target", Named::Back),
        ("join_point", Named::Join),
    ] {
        found.one(routing.get(key), &joined(path, key), what);
    }
    for (value, to) in routing.get("branches").and_then(Value::as_object).into_iter().flatten() {
        found.one(
            Some(to),
            &joined(&joined(path, "branches"), value),
            Named::Value(value.clone()),
        );
    }
    for (n, guard) in routing
        .get("when")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let path = joined(&joined(&joined(path, "when"), &n.to_string()), "next");
        found.one(guard.get("next"), &path, Named::Guard);
    }
    found.each(
        routing.get("fork_targets"),
        &joined(path, "fork_targets"),
        &Named::Branch,
    );
    let config = routing.get("fork_config").and_then(|config| config.get("targets"));
    found.each(config, &joined(&joined(path, "fork_config"), "targets"), &Named::Branch);
    found.each(routing.get("join_from"), &joined(path, "join_from"), &Named::From);
}

fn detours(found: &mut Found, holder: &Value, path: &[String]) {
    for key in DETOURS {
        for (n, detour) in holder
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let path = joined(&joined(path, key), &n.to_string());
            for key in OF_DETOUR {
                let path = joined(&path, key);
                match detour.get(key) {
                    list @ Some(Value::Array(_)) => found.each(list, &path, &Named::Detour),
                    one => found.one(one, &path, Named::Detour),
                }
            }
        }
    }
}

struct Found {
    mentions: Vec<Mention>,
    owner: Option<usize>,
}

impl Found {
    fn one(&mut self, value: Option<&Value>, path: &[String], what: Named) {
        let to = match value {
            Some(Value::String(to)) if !to.is_empty() => to.clone(),
            Some(Value::Number(to)) => to.to_string(),
            _ => return,
        };
        self.mentions.push(Mention {
            path: path.to_vec(),
            owner: self.owner,
            to,
            what,
        });
    }

    fn each(&mut self, list: Option<&Value>, path: &[String], what: &Named) {
        for (n, one) in list.and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.one(Some(one), &joined(path, &n.to_string()), what.clone());
        }
    }
}

fn joined(path: &[String], key: &str) -> Vec<String> {
    path.iter().cloned().chain([key.to_owned()]).collect()
}
