//! Workflow files of the BMAD method: `workflow.yaml`, whose steps stand in a file of instructions. They become StepSpec workflows (seed
//! 000): each `<step>` is one.
//!
//! * `whole`: both files in one text. `tags`, `steps`: the instructions. `names`: what names in braces stand for. `told`: what a
//!   person is told of a step. `build`: the workflow.

mod build;
mod names;
mod steps;
mod tags;
mod told;
mod whole;

use crate::dialect::{Dialect, File};
use crate::document::{Changed, Document, Reading, StepField};
use crate::edit::{EditError, tree_edit};
use crate::fields::{self, Shape};
use crate::in_tree::{faults, node, spot};
use crate::reading::{Block, Context};
use crate::text::Span;
use crate::tree::{Budget, Tree};
use model::{Diagnostic, Edit, Format, Place, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;
pub use told::told;
pub use whole::{behind, own, together};

/// The file of instructions that a workflow file names: the paths at which it may be, from the project's folder, the first one first.
/// `None` where the file is none of BMAD, or has its instructions with it.
pub fn instructions_of(path: &str, text: &str) -> Option<Vec<String>> {
    // Most files are none, and need not be read for that.
    if !text.contains("instructions") || whole::parts(text).behind.is_some() {
        return None;
    }
    let file = File::of(path, text);
    if !Bmad.holds(&file) {
        return None;
    }
    let (context, root) = file.root()?;
    let written = build::instructions(&context, &root)?;
    Some(build::places(&build::names(&context, &root, path), &written))
}

/// A workflow file, with its instructions where they are there.
#[derive(Debug)]
struct Whole {
    /// Of the workflow file alone.
    tree: Tree,
    /// Where that ends.
    own: usize,
    /// The path of the instructions, and where they stand.
    behind: Option<(String, Span)>,
    workflow: Workflow,
    diagnostics: Vec<Diagnostic>,
    /// Where each step stands.
    steps: Vec<Span>,
    /// Where a tag with a fault begins → where it ends.
    faulty: BTreeMap<usize, usize>,
}

/// The dialect of BMAD's workflow files.
pub(crate) struct Bmad;

impl Dialect for Bmad {
    fn format(&self) -> Format {
        Format::StepSpec
    }

    fn words(&self) -> &'static [&'static str] {
        &["instructions"]
    }

    fn holds(&self, file: &File<'_>) -> bool {
        // Nothing can stand behind JSON.
        let is_json = file.path.to_ascii_lowercase().ends_with(".json");
        !is_json && file.root().is_some_and(|(context, root)| holds(&context, &root))
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        let (context, root) = file.root()?;
        let near = root.has(&context, "installed_path")
            && root.has(&context, "config_source")
            && build::instructions(&context, &root).is_none();
        let lacks = "it names no `instructions` (a file `.md` or `.xml`) in which its steps stand";
        near.then(|| lacks.to_owned())
    }

    fn read(&self, file: File<'_>) -> Box<dyn Reading> {
        Box::new(build::read(file.path, file.text))
    }
}

/// Whether the fields are those of BMAD: a name, a file of instructions, one more that only such files have, and no steps of its own.
fn holds(context: &Context<'_>, root: &Block) -> bool {
    const SIGNS: [&str; 6] = [
        "installed_path",
        "config_source",
        "default_output_file",
        "template",
        "standalone",
        "web_bundle",
    ];
    const OTHERS: [&str; 6] = ["steps", "step_specs", "stages", "nodes", "flows", "jobs"];
    let has = |key: &&str| root.has(context, key);
    let is_named = root.peek(context, "name").is_some_and(|id| context.text(id).is_some());
    is_named && build::instructions(context, root).is_some() && SIGNS.iter().any(has) && !OTHERS.iter().any(has)
}

impl Whole {
    fn own<'t>(&self, text: &'t str) -> &'t str {
        &text[..self.own]
    }

    /// The tag at a place of a step.
    fn tag(&self, place: &Place) -> Option<Span> {
        let start = place.path.first()?.strip_prefix('@')?.parse().ok()?;
        let end = self.faulty.get(&start).copied();
        let step = self.steps.get(place.step?)?;
        let is_inside = step.start <= start && start < step.end;
        is_inside.then(|| Span {
            start,
            end: end.unwrap_or(start + 1),
        })
    }
}

impl Reading for Whole {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn may_be_one(&self, _path: &str) -> bool {
        self.tree.broken().is_some()
    }

    fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        let own = self.own(text);
        let mut found = faults(own, &self.tree);
        if self.tree.broken().is_none() {
            found.extend(self.diagnostics.iter().cloned());
            found.extend(model::rules::check(&self.workflow));
            found.extend(fields::check(Shape::Bmad, own, &self.tree, "steps"));
        }
        found
    }

    fn span(&self, text: &str, place: &Place) -> Option<Span> {
        match place.step {
            Some(step) => self.tag(place).or_else(|| self.steps.get(step).copied()),
            None => {
                self.tree.root?;
                Some(spot(self.own(text), &self.tree, &place.path))
            }
        }
    }

    fn value_span(&self, text: &str, place: &Place) -> Option<Span> {
        let id = node(self.own(text), &self.tree, &place.path).filter(|_| place.step.is_none())?;
        Some(self.tree.node(id).span)
    }

    fn place_at(&self, text: &str, offset: usize) -> Place {
        if offset >= self.own {
            let step = self
                .steps
                .iter()
                .position(|step| step.start <= offset && offset < step.end);
            return step.map_or_else(Place::document, Place::step);
        }
        let path = match self.tree.root {
            None => Vec::new(),
            Some(_) => self.tree.path_at(self.own(text), offset),
        };
        Place::document().path(path)
    }

    fn value(&self, text: &str, place: &Place) -> Option<Value> {
        let own = self.own(text);
        let id = node(own, &self.tree, &place.path).filter(|_| place.step.is_none())?;
        Some(self.tree.value(own, id, &mut Budget::of(&self.tree)))
    }

    // The steps are written in the instructions, which are changed there.
    fn field(&self, _step: usize, _field: StepField) -> Option<Place> {
        None
    }

    fn behind(&self) -> Option<(&str, Span)> {
        self.behind.as_ref().map(|(file, span)| (file.as_str(), *span))
    }

    fn edit(&self, document: &Document, edit: &Edit) -> Result<Changed, EditError> {
        let place = edit.place();
        if place.step.is_some() {
            return Err(EditError::Elsewhere);
        }
        let own = self.own(document.text());
        let edits = tree_edit(document.path(), own, &self.tree, &place.path, edit);
        edits.map(Changed::from).map_err(|error| error.at(own, 0))
    }
}
