//! A file, read.

use crate::fields::{self, Shape};
use crate::recognise::{self, NotAWorkflow, is_markdown};
use crate::text::{Lines, Position, Span};
use crate::tree::{Budget, FaultKind, NodeId, Tree};
use crate::{pipeline, rundown, stepspec, stepwise};
use model::{Diagnostic, Edit, Format, Place, Severity, Workflow};
use serde_json::Value;

/// A workflow file: its text, where everything in it stands, the workflow it describes and what is wrong with it.
/// Never changed once read: a changed text is a new document.
#[derive(Debug, Clone)]
pub struct Document {
    path: String,
    text: String,
    lines: Lines,
    content: Content,
    diagnostics: Vec<Diagnostic>,
    not_a_workflow: Option<NotAWorkflow>,
}

/// What a file holds.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// YAML or JSON.
    Tree {
        /// The concrete tree.
        tree: Tree,
        /// The workflow in it.
        reading: Reading,
    },
    /// Markdown.
    Runbook(rundown::Runbook),
}

/// The workflow of a tree, in its format.
#[derive(Debug, Clone)]
pub(crate) enum Reading {
    Stepwise(stepwise::Reading),
    Pipeline(pipeline::Reading),
    StepSpec(stepspec::Reading),
}

impl Reading {
    /// Reads a file as a workflow of this format, or as far as it is one.
    fn of(format: Format, path: &str, text: &str, tree: &Tree) -> Self {
        match format {
            Format::StepSpec => Self::StepSpec(stepspec::read(path, text, tree)),
            Format::Pipeline => Self::Pipeline(pipeline::read(path, text, tree)),
            Format::Stepwise | Format::Rundown | Format::ContextState => {
                Self::Stepwise(stepwise::read(path, text, tree))
            }
        }
    }

    /// What is wrong with the workflow, by its format and by the general rules.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        let general = model::rules::check(self.workflow());
        let (own, general) = match self {
            Self::Stepwise(reading) => (&reading.diagnostics, general),
            Self::Pipeline(reading) => (&reading.diagnostics, pipeline::in_words(general, &reading.workflow)),
            Self::StepSpec(reading) => (&reading.diagnostics, general),
        };
        own.iter().cloned().chain(general).collect()
    }

    /// By which table of fields it is held, and where its steps stand.
    fn shape(&self) -> Option<(Shape, &'static str)> {
        match self {
            Self::Stepwise(reading) => Some(reading.shape()),
            Self::Pipeline(_) => Some((Shape::Pipeline, "stages")),
            Self::StepSpec(reading) => Some((Shape::StepSpec, reading.list()?)),
        }
    }

    fn workflow(&self) -> &Workflow {
        match self {
            Self::Stepwise(reading) => &reading.workflow,
            Self::Pipeline(reading) => &reading.workflow,
            Self::StepSpec(reading) => &reading.workflow,
        }
    }

    /// A place as keys from the root of the file.
    pub(crate) fn file_path(&self, place: &Place) -> Vec<String> {
        match self {
            Self::Stepwise(reading) => reading.file_path(place),
            Self::Pipeline(reading) => reading.file_path(place),
            Self::StepSpec(reading) => reading.file_path(place),
        }
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        match self {
            Self::Stepwise(reading) => reading.place_of(path),
            Self::Pipeline(reading) => reading.place_of(path),
            Self::StepSpec(reading) => reading.place_of(path),
        }
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        match self {
            Self::Stepwise(reading) => Some(reading.field(step, field)),
            Self::Pipeline(reading) => reading.field(step, field),
            Self::StepSpec(reading) => reading.field(step, field),
        }
    }
}

/// A field that a person edits, whatever the file's generation calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepField {
    /// What a person reads as the step's name.
    Name,
    /// What the step is for: `role`, in spec flows `objective`.
    Intent,
    /// The largest number of loops.
    MaxIterations,
    /// How strongly the step asks for a person.
    HumanGate,
    /// The question a person is asked.
    GateQuestion,
}

impl Document {
    /// Reads a text of any content: it never fails and never panics, and takes time linear in the length. `path` gives
    /// the id of a flow that has none, and tells JSON from YAML.
    pub fn parse(path: &str, text: &str) -> Self {
        let lines = Lines::of(text);
        let (content, mut diagnostics, not_a_workflow) = if is_markdown(path) {
            let runbook = rundown::read(path, text);
            let not = runbook.not_one(path);
            let mut found = runbook.diagnostics.clone();
            found.extend(rundown::without_doubles(model::rules::check(&runbook.workflow), &found));
            if let Some(front) = runbook.front.as_ref().filter(|front| front.tree.broken().is_none()) {
                found.extend(fields::check(Shape::FrontMatter, front.source(text), &front.tree, ""));
            }
            (Content::Runbook(runbook), found, not)
        } else {
            let tree = Tree::read(path, text);
            let recognised = recognise::in_tree(path, text, &tree);
            // What is no workflow is read as what it comes nearest to: runs of former versions began with such texts.
            let format = recognised.as_ref().map_or_else(|not| not.nearest, |format| *format);
            let reading = Reading::of(format, path, text, &tree);
            let mut found = faults(text, &tree, &lines);
            // What a broken file seems to lack may stand behind the break.
            let not = recognised.err().filter(|_| tree.broken().is_none());
            if tree.broken().is_none() {
                found.extend(reading.diagnostics());
                // Of a file without steps that is what there is to say.
                let shape = reading.shape().filter(|_| !reading.workflow().steps().is_empty());
                if let Some((shape, steps)) = shape {
                    found.extend(fields::check(shape, text, &tree, steps));
                }
            }
            (Content::Tree { tree, reading }, found, not)
        };
        if let Some(not) = &not_a_workflow {
            diagnostics = vec![Diagnostic::new(
                "GH0105",
                Severity::Error,
                Place::document(),
                not.to_string(),
            )];
        }
        let (path, text) = (path.to_owned(), text.to_owned());
        let mut document = Self {
            path,
            text,
            lines,
            content,
            diagnostics: Vec::new(),
            not_a_workflow,
        };
        diagnostics.sort_by_cached_key(|d| document.span(&d.place).map_or(0, |span| span.start));
        document.diagnostics = diagnostics;
        document
    }

    /// The source. Printing a document is this very text, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path the document was read from, as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The workflow; of a broken file what could be read of it.
    pub fn workflow(&self) -> &Workflow {
        match &self.content {
            Content::Tree { reading, .. } => reading.workflow(),
            Content::Runbook(runbook) => &runbook.workflow,
        }
    }

    /// Why the file is no workflow; `None` where it is one, and where it breaks off too early to tell.
    pub fn not_a_workflow(&self) -> Option<&NotAWorkflow> {
        self.not_a_workflow.as_ref()
    }

    /// Everything wrong with the file, in the order of the text: the text itself (`GH01..`) and the workflow (`GH00..`).
    /// Of a file that breaks its syntax only that, and of one that is no workflow only why.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The bytes of a place, of its nearest ancestor where the place itself does not exist. `None` for an empty file. A
    /// step begins at its first key and a field is its key and value together.
    pub fn span(&self, place: &Place) -> Option<Span> {
        if let Some(offset) = syntax_offset(place) {
            let end = self.text[offset.min(self.text.len())..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
            return Some(Span {
                start: offset,
                end: offset + end,
            });
        }
        match &self.content {
            Content::Tree { tree, reading } => {
                tree.root?;
                Some(spot(&self.text, tree, &reading.file_path(place)))
            }
            Content::Runbook(runbook) => runbook.span(&self.text, place),
        }
    }

    /// The bytes of a field's value alone; `None` when it is absent.
    pub fn value_span(&self, place: &Place) -> Option<Span> {
        match &self.content {
            Content::Tree { tree, reading } => {
                node(&self.text, tree, &reading.file_path(place)).map(|id| tree.node(id).span)
            }
            Content::Runbook(runbook) => runbook.value_span(&self.text, place),
        }
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// The innermost step or field at a byte offset, for selecting in the graph what the cursor in the source stands on.
    /// A line's trailing blanks and comment belong to the field on it.
    pub fn place_at(&self, offset: usize) -> Place {
        match &self.content {
            Content::Tree { tree, .. } if tree.root.is_none() => Place::document(),
            Content::Tree { tree, reading } => reading.place_of(tree.path_at(&self.text, offset)),
            Content::Runbook(runbook) => runbook.place_at(&self.text, offset),
        }
    }

    /// The value at a place; `None` when there is nothing there.
    pub fn value(&self, place: &Place) -> Option<Value> {
        match &self.content {
            Content::Tree { tree, reading } => {
                let id = node(&self.text, tree, &reading.file_path(place))?;
                Some(tree.value(&self.text, id, &mut Budget::of(tree)))
            }
            Content::Runbook(runbook) => runbook.value(&self.text, place),
        }
    }

    /// Where a field that people edit stands in this file (or would stand): config flows, spec flows and graph files use
    /// other keys for the same thing. `None` where the format has no such field: a runbook writes neither loop bounds nor
    /// gates, its transitions say both, and nothing loops in a pipeline.
    pub fn field(&self, step: usize, field: StepField) -> Option<Place> {
        match &self.content {
            Content::Tree { reading, .. } => reading.field(step, field),
            Content::Runbook(_) => match field {
                StepField::Name => Some(Place::step(step).field("title")),
                StepField::Intent => Some(Place::step(step).field("prompt")),
                StepField::MaxIterations | StepField::HumanGate | StepField::GateQuestion => None,
            },
        }
    }

    /// Where a workflow stands that a step lists: the step itself where the file does not list them one by one.
    pub fn listed_file(&self, step: usize, file: usize) -> Place {
        match &self.content {
            Content::Tree { .. } => Place::step(step),
            Content::Runbook(_) => Place::step(step).field("files").field(file.to_string()),
        }
    }

    /// What an edit changes besides its place, in one sentence without a final stop: a stage that goes is taken out of what waited
    /// for it, a new name is followed. `None` where nothing else changes.
    pub fn consequence(&self, edit: &Edit) -> Option<String> {
        match &self.content {
            Content::Tree {
                reading: Reading::Pipeline(reading),
                ..
            } => reading.consequence(edit),
            Content::Tree {
                reading: Reading::StepSpec(reading),
                ..
            } => reading.consequence(edit),
            _ => None,
        }
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }
}

fn node(text: &str, tree: &Tree, path: &[String]) -> Option<NodeId> {
    let (found, used) = tree.walk(text, path.iter().map(String::as_str));
    found.filter(|_| used == path.len())
}

/// The span of the last entry reached on a path.
fn spot(text: &str, tree: &Tree, path: &[String]) -> Span {
    let (node, used) = tree.walk(text, path.iter().map(String::as_str));
    let node = node.map_or(Span::default(), |id| tree.node(id).span);
    let Some((name, parents)) = path[..used].split_last() else {
        return node;
    };
    let parent = tree.walk(text, parents.iter().map(String::as_str)).0;
    match parent.and_then(|p| tree.entry(text, p, name)) {
        Some((key, value)) => {
            let (key, value) = (tree.node(key).span, tree.node(value).span);
            Span {
                start: key.start,
                end: value.end.max(key.end),
            }
        }
        None => node,
    }
}

/// Faults of the text as diagnostics. Their place is the document with the byte offset as a `@` segment, which
/// [`Document::span`] understands: a syntax error stands where no node is.
fn faults(text: &str, tree: &Tree, lines: &Lines) -> Vec<Diagnostic> {
    tree.faults
        .iter()
        .map(|fault| {
            let place = Place::document().field(format!("@{}", fault.at));
            let at = lines.position(text, fault.at);
            match fault.what {
                FaultKind::Syntax => Diagnostic::new(
                    "GH0101",
                    Severity::Error,
                    place,
                    format!(
                        "This file cannot be read past line {}, column {}: {}",
                        at.line,
                        at.column,
                        plain_words(&fault.detail)
                    ),
                )
                .help("Correct that line in any editor. The file is read again when it is saved"),
                FaultKind::SecondDocument => Diagnostic::new(
                    "GH0102",
                    Severity::Warning,
                    place,
                    format!(
                        "A second document begins on line {}; only the first one is read",
                        at.line
                    ),
                )
                .help("Put the second document into a file of its own, or remove the `---` line"),
                FaultKind::DuplicateKey => Diagnostic::new(
                    "GH0103",
                    Severity::Error,
                    place,
                    format!(
                        "The field `{}` is written twice; line {} is the one that counts",
                        fault.detail, at.line
                    ),
                )
                .help("Keep one of the two"),
            }
        })
        .collect()
}

/// What a parser's message means to someone who writes flows; other messages stay as they are.
fn plain_words(detail: &str) -> &str {
    const KNOWN: &[(&str, &str)] = &[
        (
            "quoted scalar, found unexpected end",
            "a quote is opened here and never closed",
        ),
        (
            "quoted scalar, found unexpected document",
            "a quote is opened here and never closed",
        ),
        (
            "indentation in quoted scalar",
            "a quote is opened here and not closed before the next field",
        ),
        ("tabs disallowed", "a tab stands where only blanks may indent"),
        (
            "mapping values are not allowed",
            "a `:` stands where no field can begin; a text with `: ` in it needs quotes",
        ),
        (
            "simple key expect",
            "a `:` is missing after the name of a field, or the line stands at the wrong depth",
        ),
        (
            "unknown anchor",
            "this `*name` stands for nothing that was named (`&name`) before it",
        ),
        ("expected ',' or ']'", "a `[` is not closed, or a comma is missing"),
        ("expected ',' or '}'", "a `{` is not closed, or a comma is missing"),
        ("did not find expected key", "this line stands at the wrong depth"),
        ("did not find expected '-'", "this line stands at the wrong depth"),
        ("recursion limit", "brackets lie too deep in each other"),
    ];
    KNOWN
        .iter()
        .find(|(part, _)| detail.contains(part))
        .map_or(detail, |(_, words)| words)
}

/// The byte offset in the place of a fault of the text.
fn syntax_offset(place: &Place) -> Option<usize> {
    match (place.step, place.path.as_slice()) {
        (None, [only]) => only.strip_prefix('@').and_then(|n| n.parse().ok()),
        _ => None,
    }
}
