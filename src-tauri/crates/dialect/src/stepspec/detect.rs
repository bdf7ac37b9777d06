//! Is this file a StepSpec workflow?

use crate::tree::{Kind, NodeId, Tree};

/// Keys of an entry that a flow of seed 001 has and a StepSpec has not.
const OF_FLOWS: [&str; 9] = [
    "routing",
    "station",
    "role",
    "objective",
    "next",
    "when",
    "exit_on",
    "teaching_note",
    "teaching_notes",
];
/// Keys of an entry that StepSpecs alone have.
const OWN: [&str; 3] = ["validation", "evidence", "templates"];
/// Words of which one stands in every text that is a StepSpec file without `step_specs`.
const HINTS: [&str; 7] = [
    "validation",
    "evidence",
    "templates",
    "tools",
    "artifacts",
    "phase",
    "format",
];

/// True where `format: stepspec` says so, for a list `step_specs`, and for a list `steps` whose entries hold what StepSpecs alone
/// hold and nothing of a flow's.
pub(crate) fn detect(path: &str, text: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or("");
    let known = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
    if (name.contains('.') && !known) || !text.contains("step") {
        return false;
    }
    if !text.contains("step_specs") && !HINTS.iter().any(|hint| text.contains(hint)) {
        return false;
    }
    holds_one(text, &Tree::read(path, text))
}

/// The same of a file that is read already.
pub(crate) fn holds_one(text: &str, tree: &Tree) -> bool {
    let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) else {
        return false;
    };
    if let Some(said) = says_format(text, tree, root) {
        return said;
    }
    let list = |key: &str| {
        let id = tree.get(text, root, key)?;
        match &tree.node(tree.resolve(id)).kind {
            Kind::List { items, .. } => Some(items.as_slice()),
            _ => None,
        }
    };
    let has = |key: &str| tree.get(text, root, key).is_some();
    if list("step_specs").is_some() {
        return true;
    }
    if ["key", "nodes", "stages", "pipeline_id"].into_iter().any(has) {
        return false;
    }
    let Some(steps) = list("steps") else { return false };
    let mut own = false;
    for step in steps {
        match of(text, tree, *step) {
            Signs::Flow => return false,
            Signs::StepSpec => own = true,
            Signs::Neither => {}
        }
    }
    own
}

/// What `format` at the top says; `None` where it says nothing that is known.
fn says_format(text: &str, tree: &Tree, root: NodeId) -> Option<bool> {
    let word = tree.text(text, tree.get(text, root, "format")?)?;
    let word: String = word
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .collect();
    match word.as_str() {
        "stepspec" | "stepspecs" => Some(true),
        "stepwise" | "pipeline" => Some(false),
        _ => None,
    }
}

enum Signs {
    StepSpec,
    Flow,
    Neither,
}

/// What the keys of one entry speak for.
fn of(text: &str, tree: &Tree, step: NodeId) -> Signs {
    let (mut own, mut phase, mut gate) = (false, false, false);
    for (key, value) in tree.entries(step).unwrap_or(&[]) {
        let key = tree.key(text, *key);
        if OF_FLOWS.contains(&key) {
            return Signs::Flow;
        }
        own |= OWN.contains(&key) || (key == "tools" && calls(text, tree, *value));
        own |= key == "inputs"
            && ["artifacts", "validation_targets"]
                .iter()
                .any(|key| tree.get(text, *value, key).is_some());
        phase |= key == "phase";
        gate |= key == "human_gate";
    }
    if own || (phase && gate) {
        Signs::StepSpec
    } else {
        Signs::Neither
    }
}

/// Whether a list holds tool calls: mappings with a name.
fn calls(text: &str, tree: &Tree, list: NodeId) -> bool {
    let items = tree.items(list).unwrap_or(&[]);
    items.iter().any(|item| tree.get(text, *item, "name").is_some())
}
