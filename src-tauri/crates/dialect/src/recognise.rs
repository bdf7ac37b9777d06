//! What a file is: a workflow of a format, or no workflow, with the format that it comes nearest to and what it lacks of that
//! (CONTRACTS "What is a workflow"). A format is told by what it demands of its steps, never by one key: `steps` stands in build
//! files too.

use crate::reading::{Block, Context};
use crate::tree::{Kind, NodeId, Tree};
use crate::{pipeline, rundown, stepspec, stepwise};
use model::{Format, Place};
use std::fmt;

/// Why a file is no workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAWorkflow {
    /// What it is instead, where that can be told: `a build file`.
    pub looks_like: Option<&'static str>,
    /// The format that it comes nearest to.
    pub nearest: Format,
    /// What is missing for that, as the end of a sentence.
    pub lacks: String,
}

impl NotAWorkflow {
    pub(crate) fn new(nearest: Format, lacks: impl Into<String>) -> Self {
        Self {
            looks_like: None,
            nearest,
            lacks: lacks.into(),
        }
    }
}

impl fmt::Display for NotAWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = self.nearest.contract().noun;
        match self.looks_like {
            Some(what) => write!(f, "This is {what}, not a workflow: ")?,
            None => f.write_str("This is not a workflow: ")?,
        }
        write!(f, "the nearest format is {nearest}, but {}", self.lacks)
    }
}

/// What a file is, by its name and text. A Markdown file is a runbook by its name alone: who opens another one says so.
///
/// # Errors
/// Why it is no workflow.
pub fn recognise(path: &str, text: &str) -> Result<Format, NotAWorkflow> {
    if is_markdown(path) {
        return rundown::by_name(path, text);
    }
    in_tree(path, text, &Tree::read(path, text))
}

/// The same, and for the many files of a folder: what cannot be one by its ending or by the words in it is not read.
pub(crate) fn detect(path: &str, text: &str) -> Option<Format> {
    const WORDS: [&str; 5] = ["steps", "nodes", "stages", "step_specs", "human_gate"];
    if is_markdown(path) {
        return rundown::is_named(path).then_some(Format::Rundown);
    }
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or("");
    let known = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
    if name.contains('.') && !known {
        return None;
    }
    let says = text.contains("format:") || text.contains("\"format\"");
    if !pipeline::is_named(path) && !says && !WORDS.iter().any(|word| text.contains(word)) {
        return None;
    }
    recognise(path, text).ok()
}

/// Files that are read as runbooks; everything else is YAML or JSON.
pub(crate) fn is_markdown(path: &str) -> bool {
    path.len() > 3 && path.as_bytes()[path.len() - 3..].eq_ignore_ascii_case(b".md")
}

/// What a file of YAML or JSON is.
pub(crate) fn in_tree(path: &str, text: &str, tree: &Tree) -> Result<Format, NotAWorkflow> {
    if pipeline::is_named(path) {
        return Ok(Format::Pipeline);
    }
    if stepspec::holds_one(text, tree) {
        return Ok(Format::StepSpec);
    }
    if pipeline::holds_one(path, text, tree) {
        return Ok(Format::Pipeline);
    }
    let context = Context::new(text, tree);
    match stepwise::lack(&context, text) {
        None => Ok(Format::Stepwise),
        Some(lacks) => Err(nearest(&context, lacks)),
    }
}

/// What a file that is no workflow comes nearest to. `lacks`: what it lacks of a flow.
fn nearest(context: &Context<'_>, lacks: String) -> NotAWorkflow {
    let Some(root) = context.tree.root.filter(|root| context.is_map(*root)) else {
        return NotAWorkflow::new(Format::Stepwise, lacks);
    };
    let root = Block::open(context, root, Place::document());
    let has = |key: &str| root.has(context, key);
    let looks_like = looks_like(context, &root);
    if looks_like == Some(SESSION) {
        let lacks = "what is to be run is not in it: it holds the state of a run";
        return NotAWorkflow {
            looks_like,
            ..NotAWorkflow::new(Format::ContextState, lacks)
        };
    }
    let not = match () {
        () if has("steps") || has("nodes") => NotAWorkflow::new(Format::Stepwise, lacks),
        () if has("stages") => NotAWorkflow::new(Format::Pipeline, pipeline::lack(context, &root)),
        () => match stepspec::lack(context, &root) {
            Some(lacks) => NotAWorkflow::new(Format::StepSpec, lacks),
            None => NotAWorkflow::new(Format::Stepwise, lacks),
        },
    };
    NotAWorkflow { looks_like, ..not }
}

const SESSION: &str = "a session";
/// The keys that every session has (seed 003).
const OF_SESSIONS: [&str; 5] = [
    "session_id",
    "project_metadata",
    "workflow_state",
    "agent_contexts",
    "global_context",
];

/// What other programs keep in files like these, by their outermost keys.
fn looks_like(context: &Context<'_>, root: &Block) -> Option<&'static str> {
    let has = |key: &str| root.has(context, key);
    let is_map = |key: &str| root.peek(context, key).is_some_and(|id| context.is_map(id));
    let is_list = |key: &str| root.peek(context, key).is_some_and(|id| is_list(context.tree, id));
    if OF_SESSIONS.iter().filter(|key| has(key)).count() >= 3 {
        return Some(SESSION);
    }
    if has("openapi") || has("swagger") {
        return Some("an API description");
    }
    if has("apiVersion") && has("kind") {
        return Some("a Kubernetes object");
    }
    if has("$schema") && ["properties", "definitions", "$defs"].into_iter().any(is_map) {
        return Some("a JSON schema");
    }
    if is_map("jobs") || is_list("jobs") || has("script") || built(context, root) {
        return Some("a build file");
    }
    if is_map("services") {
        return Some("a Compose file");
    }
    if (has("name") || has("version")) && ["dependencies", "devDependencies", "scripts"].into_iter().any(is_map) {
        return Some("a package manifest");
    }
    if has("identity") && ["sdk", "io", "handoff"].into_iter().any(has) {
        return Some("a station");
    }
    if is_list("flows") {
        return Some("a register of flows");
    }
    let steps = root.peek(context, "steps").and_then(|id| context.tree.entries(id));
    if steps.is_some_and(|steps| steps.iter().all(|(_, visits)| context.tree.items(*visits).is_some())) {
        return Some("a scenario");
    }
    None
}

/// Whether a build server carries out what stands here: jobs with a script, or steps that say what to execute where.
fn built(context: &Context<'_>, root: &Block) -> bool {
    const OF_BUILDS: [&str; 9] = [
        "uses", "image", "script", "command", "commands", "plugins", "args", "run", "task",
    ];
    let holds = |id: NodeId, keys: &[&str]| {
        let block = Block::open(context, id, Place::document());
        keys.iter().any(|key| block.has(context, key))
    };
    let steps = root.peek(context, "steps").and_then(|id| context.tree.items(id));
    let stepped = steps.is_some_and(|steps| steps.iter().any(|step| holds(*step, &OF_BUILDS)));
    // A stage of GitLab is a word, and its jobs stand at the top.
    let staged = root.has(context, "stages") && root.values().any(|id| holds(id, &["script", "stage"]));
    stepped || staged
}

pub(crate) fn is_list(tree: &Tree, id: NodeId) -> bool {
    matches!(tree.node(tree.resolve(id)).kind, Kind::List { .. })
}
