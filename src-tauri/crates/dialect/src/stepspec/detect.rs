//! What makes a file a StepSpec workflow.

use super::schema::FIELDS;
use crate::reading::{Block, Context};
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
/// Where the StepSpecs of a file stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// In a list, by the keys that lead to it from the root of the file.
    List(&'static [&'static str]),
    /// The file is one StepSpec.
    One,
}

impl Shape {
    /// The keys from the root of the file to the list; none where the file is the step.
    pub(super) fn path(self) -> Vec<String> {
        match self {
            Self::List(path) => path.iter().map(|key| (*key).to_owned()).collect(),
            Self::One => Vec::new(),
        }
    }

    /// The keys to the mapping that holds the list.
    pub(super) fn around(self) -> &'static [&'static str] {
        match self {
            Self::List([around @ .., _]) => around,
            Self::List([]) | Self::One => &[],
        }
    }

    /// The list's own key.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::List([.., key]) => key,
            Self::List([]) | Self::One => "steps",
        }
    }

    /// The step that keys from the root of the file lead to, and the keys in it.
    pub(super) fn inside(self, path: &[String]) -> Option<(usize, Vec<String>)> {
        let Self::List(list) = self else {
            return Some((0, path.to_vec()));
        };
        let (head, rest) = path.split_at_checked(list.len())?;
        let (step, rest) = rest.split_first()?;
        (head == list).then_some((step.parse().ok()?, rest.to_vec()))
    }
}

/// The lists that are StepSpecs by their name: of a file, and of the manifest of a run.
const NAMED: [&[&str]; 3] = [
    &["step_specs"],
    &["workflow", "step_specs"],
    &["run", "workflow", "step_specs"],
];
/// As many of the twelve fields tell one StepSpec from any other mapping.
const ENOUGH: usize = 8;

/// True where `format: stepspec` says so, for a list `step_specs`, for a list `steps` whose entries hold what StepSpecs alone hold and
/// nothing of a flow's, and for one StepSpec.
pub(crate) fn holds_one(text: &str, tree: &Tree) -> bool {
    let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) else {
        return false;
    };
    if let Some(said) = says_format(text, tree, root) {
        return said;
    }
    match shape(text, tree, root) {
        Shape::One => true,
        Shape::List(["steps"]) => holds_steps(text, tree, root),
        Shape::List(_) => true,
    }
}

/// Where the steps stand, in a file that is StepSpec.
pub(super) fn shape(text: &str, tree: &Tree, root: NodeId) -> Shape {
    let at = |path: &&'static [&'static str]| {
        let mut here = root;
        for key in *path {
            here = tree.get(text, here, key)?;
        }
        matches!(tree.node(tree.resolve(here)).kind, Kind::List { .. }).then_some(())
    };
    let has = |key: &str| tree.get(text, root, key).is_some();
    if has("steps") {
        return Shape::List(&["steps"]);
    }
    if let Some(path) = NAMED.iter().find(|path| at(path).is_some()) {
        return Shape::List(path);
    }
    let is_one = fields_of(text, tree, root) >= ENOUGH && tree.text_at(text, root, "id").is_some();
    match is_one && !["nodes", "stages", "routing"].into_iter().any(has) {
        true => Shape::One,
        false => Shape::List(&["steps"]),
    }
}

/// How many of the twelve fields a mapping has.
fn fields_of(text: &str, tree: &Tree, map: NodeId) -> usize {
    let has = |name: &str| tree.get(text, map, name).is_some();
    FIELDS.iter().filter(|(name, _)| has(name)).count()
}

fn holds_steps(text: &str, tree: &Tree, root: NodeId) -> bool {
    let has = |key: &str| tree.get(text, root, key).is_some();
    if ["key", "nodes", "stages", "pipeline_id"].into_iter().any(has) {
        return false;
    }
    let steps = tree.get(text, root, "steps").and_then(|id| tree.items(id));
    let mut own = false;
    for step in steps.unwrap_or(&[]) {
        match of(text, tree, *step) {
            Signs::Flow => return false,
            Signs::StepSpec => own = true,
            Signs::Neither => {}
        }
    }
    own
}

/// What a file with some of the twelve fields lacks to be one StepSpec, as the end of a sentence; `None` where it has hardly any.
pub(crate) fn lack(context: &Context<'_>, root: &Block) -> Option<String> {
    let missing: Vec<String> = FIELDS
        .iter()
        .filter(|(name, _)| !root.has(context, name))
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let some = FIELDS.len() - missing.len() >= FIELDS.len() / 2;
    some.then(|| format!("it lacks {}", missing.join(", ")))
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
    let (mut own, mut phase, mut gate, mut id) = (false, false, false, false);
    for (key, value) in tree.entries(step).unwrap_or(&[]) {
        let key = tree.key(text, *key);
        if OF_FLOWS.contains(&key) {
            return Signs::Flow;
        }
        let holds = match key {
            // Other programs keep a mapping or a list of rules there.
            "validation" | "evidence" => tree.text(text, *value).is_some(),
            "tools" => calls(text, tree, *value),
            _ => key == "templates",
        };
        own |= holds;
        id |= key == "id" && tree.text(text, *value).is_some();
        own |= key == "inputs"
            && ["artifacts", "validation_targets"]
                .iter()
                .any(|key| tree.get(text, *value, key).is_some());
        phase |= key == "phase";
        gate |= key == "human_gate";
    }
    if (own || (phase && gate)) && (id || fields_of(text, tree, step) >= ENOUGH) {
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
