//! What every format of YAML and JSON shares once it is read: a concrete tree, and a reading that says which place of the
//! workflow stands where in it.

use crate::document::{Changed, Consequence, Document, ListedFlow, Reading, StepField};
use crate::edit::{EditError, Put, Source, TreeError, parts_of, tree_edit};
use crate::fields::{self, Shape};
use crate::form::Entries;
use crate::text::{Lines, Span, TextEdit};
use crate::tree::{Budget, FaultKind, Grammar, Kind, NodeId, Tree};
use model::{Diagnostic, Edit, FlowEdit, Gestures, NewStep, Place, Severity, Spot, Step, StepKind, Workflow};
use serde_json::Value;

/// The workflow of a tree, in its format.
pub(crate) trait TreeReading: std::fmt::Debug + Send + Sync {
    /// The workflow, as far as there is one.
    fn workflow(&self) -> &Workflow;

    /// See [`crate::Document::label`].
    fn label(&self) -> &'static str {
        self.workflow().format.label()
    }

    /// See [`crate::Document::flows`].
    fn flows(&self) -> Option<&[ListedFlow]> {
        None
    }

    /// What is wrong with the text by the format's own rules.
    fn own_diagnostics(&self) -> &[Diagnostic];

    /// What the model's rules found, in the format's words.
    fn in_words(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        found
    }

    /// By which table of fields it is held, and where its steps stand.
    fn shape(&self) -> Option<(Shape, &'static str)>;

    /// Where something stands that the table of fields has found, as it tells places.
    fn of_table(&self, place: Place) -> Place {
        place
    }

    /// A place as keys from the root of the file.
    fn file_path(&self, place: &Place) -> Vec<String>;

    /// Keys from the root of the file as a place.
    fn place_of(&self, path: Vec<String>) -> Place;

    /// See [`Document::field`].
    fn field(&self, step: usize, field: StepField) -> Option<Place>;

    /// See [`Document::consequences`].
    fn consequences(&self, _path: &str, _text: &str, _tree: &Tree, _edit: &Edit) -> Vec<Consequence> {
        Vec::new()
    }

    /// The text edits of a change; by itself that of one value.
    fn edit(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Result<Vec<TextEdit>, TreeError> {
        tree_edit(path, text, tree, &self.file_path(edit.place()), edit)
    }

    /// See [`Reading::does`]. `written`: what stands in a place.
    fn does(&self, _written: &dyn Fn(&Place) -> Option<Value>, _step: &Step, _to: &str) -> Option<Vec<Edit>> {
        None
    }

    /// The same with what becomes of the ids of steps.
    fn changed(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Result<Changed, TreeError> {
        self.edit(path, text, tree, edit).map(Changed::from)
    }

    /// The text edits of a name that becomes another one. A name is a name in every format: what is read under the new one is the proof of
    /// nothing but the text.
    fn renamed(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Result<Vec<TextEdit>, TreeError> {
        tree_edit(path, text, tree, &self.file_path(edit.place()), edit)
    }

    /// The text edits of a change of steps.
    fn flow_edit(&self, _path: &str, _text: &str, _tree: &Tree, _edit: &FlowEdit) -> Result<Vec<TextEdit>, TreeError> {
        Err(EditError::unfit("nothing of this file is a step that can be changed here").into())
    }

    /// The same with what becomes of the ids of steps.
    fn flow_changed(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Result<Changed, TreeError> {
        self.flow_edit(path, text, tree, edit).map(Changed::from)
    }

    /// Steps with texts, in their order; see [`Reading::paste`].
    fn paste(&self, _path: &str, _text: &str, _tree: &Tree, _steps: &[&NewStep], _at: &Spot) -> Put<TreeError> {
        Err((
            0,
            EditError::unfit("nothing of this file is a step that can be changed here").into(),
        ))
    }

    /// See [`Document::consequences`].
    fn flow_consequences(&self, _path: &str, _text: &str, _tree: &Tree, _edit: &FlowEdit) -> Vec<Consequence> {
        Vec::new()
    }

    /// See [`Document::palette`].
    fn palette(&self) -> Vec<StepKind> {
        Vec::new()
    }

    /// See [`Document::gestures`].
    fn gestures(&self) -> Gestures {
        Gestures::default()
    }

    /// See [`Document::form`].
    fn entries(&self, _text: &str, _tree: &Tree, _step: Option<usize>) -> Option<Entries> {
        None
    }
}

/// A file of YAML or JSON, read.
#[derive(Debug)]
pub(crate) struct InTree<R> {
    /// The concrete tree.
    pub(crate) tree: Tree,
    /// The workflow in it.
    pub(crate) reading: R,
}

impl<R: TreeReading> Reading for InTree<R> {
    fn workflow(&self) -> &Workflow {
        self.reading.workflow()
    }

    fn label(&self) -> &'static str {
        self.reading.label()
    }

    fn flows(&self) -> Option<&[ListedFlow]> {
        self.reading.flows()
    }

    // What a broken file seems to lack may stand behind the break.
    fn may_be_one(&self, _path: &str) -> bool {
        self.tree.broken().is_some()
    }

    fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        let mut found = faults(text, &self.tree);
        if self.tree.broken().is_some() {
            return found;
        }
        found.extend(lenient_json(text, &self.tree));
        let workflow = self.reading.workflow();
        found.extend(self.reading.own_diagnostics().iter().cloned());
        found.extend(self.reading.in_words(model::rules::check(workflow)));
        // Of a file without steps that is what there is to say.
        let shape = self.reading.shape().filter(|_| !workflow.steps().is_empty());
        if let Some((shape, steps)) = shape {
            let of_table = fields::check(shape, text, &self.tree, steps).into_iter();
            found.extend(of_table.map(|one| Diagnostic {
                place: self.reading.of_table(one.place.clone()),
                ..one
            }));
        }
        found
    }

    fn span(&self, text: &str, place: &Place) -> Option<Span> {
        self.tree.root?;
        Some(spot(text, &self.tree, &self.reading.file_path(place)))
    }

    fn value_span(&self, text: &str, place: &Place) -> Option<Span> {
        let id = node(text, &self.tree, &self.reading.file_path(place))?;
        Some(self.tree.node(id).span)
    }

    fn place_at(&self, text: &str, offset: usize) -> Place {
        match self.tree.root {
            None => Place::document(),
            Some(_) => self.reading.place_of(self.tree.path_at(text, offset)),
        }
    }

    fn place_by_keys(&self, keys: Vec<String>) -> Place {
        self.reading.place_of(keys)
    }

    fn keys_at(&self, text: &str, offset: usize) -> Option<(Shape, Vec<String>)> {
        let (shape, _) = self.reading.shape()?;
        Some((shape, self.tree.path_at(text, offset)))
    }

    fn value(&self, text: &str, place: &Place) -> Option<Value> {
        let id = node(text, &self.tree, &self.reading.file_path(place))?;
        Some(self.tree.value(text, id, &mut Budget::of(&self.tree)))
    }

    fn taken_over(&self, text: &str, place: &Place) -> Option<(Value, String)> {
        let (tree, path) = (&self.tree, self.reading.file_path(place));
        let found = tree.in_force(text, path.iter().map(String::as_str));
        let (id, by) = found.or_else(|| match path.as_slice() {
            // One number alone says how often.
            [around @ .., max] if max == "max" && around.last().is_some_and(|key| key == "retries") => {
                let found = tree.in_force(text, around.iter().map(String::as_str));
                found.filter(|(id, _)| tree.text(text, *id).is_some())
            }
            _ => None,
        })?;
        let by = tree.node(by?);
        let Kind::Alias { .. } = by.kind else { return None };
        let name = text.get(by.span.start..by.span.end)?.trim().trim_start_matches('*');
        Some((tree.value(text, id, &mut Budget::of(tree)), name.to_owned()))
    }

    fn step_text(&self, document: &Document, step: usize) -> Option<String> {
        let keys = self.reading.file_path(&Place::step(step));
        let (index, list) = keys.split_last()?;
        // What stands in a block of its own has no list.
        if list.is_empty() {
            return None;
        }
        let Value::Object(map) = self.value(document.text(), &Place::step(step))? else {
            return None;
        };
        let source = Source {
            name: document.path(),
            text: document.text(),
            tree: &self.tree,
        };
        let copied = source.copied(&list.join("."), index.parse().ok()?, &map)?;
        Some(copied.by_itself())
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        self.reading.field(step, field)
    }

    fn parts_of(&self, text: &str) -> Vec<String> {
        parts_of(text)
    }

    fn consequences(&self, document: &Document, edit: &Edit) -> Vec<Consequence> {
        let (path, text) = (document.path(), document.text());
        self.reading.consequences(path, text, &self.tree, edit)
    }

    fn edit(&self, document: &Document, edit: &Edit) -> Result<Changed, EditError> {
        let (path, text) = (document.path(), document.text());
        let changed = match edit {
            Edit::Rename { .. } => self.reading.renamed(path, text, &self.tree, edit).map(Changed::from),
            _ => self.reading.changed(path, text, &self.tree, edit),
        };
        changed.map_err(|error| error.at(text, 0))
    }

    fn does(&self, text: &str, step: &Step, to: &str) -> Option<Vec<Edit>> {
        self.reading.does(&|place| self.value(text, place), step, to)
    }

    fn flow_edit(&self, document: &Document, edit: &FlowEdit) -> Result<Changed, EditError> {
        let (path, text) = (document.path(), document.text());
        if let Some(fault) = self.tree.broken() {
            return Err(TreeError::Broken(fault.at).at(text, 0));
        }
        let changed = self.reading.flow_changed(path, text, &self.tree, edit);
        changed.map_err(|error| error.at(text, 0))
    }

    fn paste(&self, document: &Document, steps: &[&NewStep], at: &Spot) -> Option<Put<EditError>> {
        let (path, text) = (document.path(), document.text());
        let put = match self.tree.broken() {
            Some(fault) => Err((0, TreeError::Broken(fault.at))),
            None => self.reading.paste(path, text, &self.tree, steps, at),
        };
        Some(put.map_err(|(n, error)| (n, error.at(text, 0))))
    }

    fn flow_consequences(&self, document: &Document, edit: &FlowEdit) -> Vec<Consequence> {
        let (path, text) = (document.path(), document.text());
        self.reading.flow_consequences(path, text, &self.tree, edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        self.reading.palette()
    }

    fn gestures(&self) -> Gestures {
        self.reading.gestures()
    }

    fn entries(&self, text: &str, step: Option<usize>) -> Option<Entries> {
        self.reading.entries(text, &self.tree, step)
    }
}

pub(crate) fn node(text: &str, tree: &Tree, path: &[String]) -> Option<NodeId> {
    let (found, used) = tree.walk(text, path.iter().map(String::as_str));
    found.filter(|_| used == path.len())
}

/// The span of the last entry reached on a path.
pub(crate) fn spot(text: &str, tree: &Tree, path: &[String]) -> Span {
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
/// [`crate::Document::span`] understands: a syntax error stands where no node is.
pub(crate) fn faults(text: &str, tree: &Tree) -> Vec<Diagnostic> {
    let lines = Lines::of(text);
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
                        fault.in_words()
                    ),
                )
                .help(
                    "Correct that line in the source, here or in any editor. The file is read again when it is saved",
                ),
                FaultKind::SecondDocument => Diagnostic::new(
                    "GH0102",
                    match names_steps(&text[fault.at.min(text.len())..]) {
                        true => Severity::Error,
                        false => Severity::Warning,
                    },
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

/// JSON that is read here and by hardly anybody else: with comments, a comma before a closing bracket, or a line end or a tab in a text.
fn lenient_json(text: &str, tree: &Tree) -> Option<Diagnostic> {
    if tree.grammar != Grammar::Json || tree.root.is_none() {
        return None;
    }
    // A byte order mark is no token of JSON.
    let unmarked = text.trim_start_matches('\u{feff}');
    let error = serde_json::from_str::<serde::de::IgnoredAny>(unmarked).err()?;
    // A line end in a text is counted to the next line, before its first column.
    let before = error.line().saturating_sub(if error.column() == 0 { 2 } else { 1 });
    let from: usize = unmarked.split_inclusive('\n').take(before).map(str::len).sum();
    let seen = unmarked.as_bytes().get(from + error.column().saturating_sub(1));
    let said = error.to_string();
    // The line is told by the place.
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    let (what, help) = match seen {
        _ if what.starts_with("control character") => (
            "a line end or a tab stands in a text",
            "Write `\\n` there for a line end, and `\\t` for a tab",
        ),
        Some(b'/') => ("a comment stands here", "Take it out"),
        Some(b'}' | b']') => ("a comma stands before a closing bracket", "Take it out"),
        _ => (what, "Take comments out, and the comma before a closing bracket"),
    };
    let said = format!("For other programs this is no JSON: {what}");
    let place = Place::document().field(format!("@{}", text.len() - unmarked.len() + from));
    let help = format!("It is read here all the same. {help}");
    Some(Diagnostic::new("GH0119", Severity::Warning, place, said).help(help))
}

/// Whether a text after the first document names steps or gates: a run would pass them over.
fn names_steps(behind: &str) -> bool {
    const WORDS: [&str; 9] = [
        "steps",
        "step_specs",
        "stages",
        "nodes",
        "edges",
        "flows",
        "sequence",
        "parallel_groups",
        "human_gate",
    ];
    let names = |part: &str| {
        let word = part.trim_end_matches(['"', '\'']);
        let name = word.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        name.is_some_and(|name| WORDS.contains(&name))
    };
    let lines = behind.lines().map(|line| line.split(" #").next().unwrap_or(line));
    let mut written = lines.filter(|line| !line.trim_start().starts_with('#'));
    written.any(|line| {
        let mut parts: Vec<&str> = line.split(':').collect();
        // Behind the last colon stands a value.
        parts.pop();
        parts.into_iter().any(names)
    })
}
