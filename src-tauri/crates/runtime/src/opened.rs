//! A workflow file of a project, opened: with the instructions that it names, and held against what the project wants.

use crate::config::Config;
use crate::instructions;
use dialect::{Document, context};
use model::{Diagnostic, Feedback, Fields, Place, Severity, Workflow};
use std::path::Path;
use std::sync::Arc;

/// Reads a workflow file with what lies around it. `root` must be canonical; `path` is relative to it, with `/`.
pub fn document(root: &Path, path: &str, text: &str) -> Document {
    document_by(root, path, text, |text| Document::parse(path, text))
}

/// The same, where somebody else reads the text: what was read before need not be read again.
pub fn document_by(root: &Path, path: &str, text: &str, read: impl Fn(&str) -> Document) -> Document {
    around(root, instructions::document(root, path, text, read))
}

/// A document with what there is to say of it beside what the project wants.
pub fn around(root: &Path, document: Document) -> Document {
    let own = context::of(document.workflow());
    let says_context = !own.is_empty() && context::fault(&own).is_none();
    if !says_context && Feedback::of(document.workflow()).is_empty() {
        return document;
    }
    // A configuration that cannot be read is reported where it is used.
    let Ok(config) = Config::load(root) else {
        return document;
    };
    let mut found = looser(document.workflow(), config.feedback());
    if let Some(project) = config.around.global.as_ref().filter(|_| says_context) {
        found.extend(lower(project, &own));
    }
    document.with(found)
}

/// What a workflow wants less of than the project.
fn lower(project: &Arc<Fields>, own: &Fields) -> impl Iterator<Item = Diagnostic> {
    context::together(project, own).1.into_iter().map(|one| {
        let ([value, settled], key) = (one.said, one.path.join("."));
        let said = format!("`context.{key}` is {value} here, and {settled} in gatehouse.yaml: the project's holds");
        let place = Place::document().field("context").path(one.path);
        let help =
            "A workflow may raise what the project wants, and add to it. Leave it out here, or change it in gatehouse.yaml";
        Diagnostic::new("GH0603", Severity::Warning, place, said).help(help)
    })
}

/// Bounds of feedback that are looser than the project's.
fn looser(workflow: &Workflow, project: &Feedback) -> Vec<Diagnostic> {
    let own = Feedback::of(workflow);
    let seconds = |ms: u64| ms as f64 / 1000.0;
    let pairs = [
        ("rounds", own.rounds.map(f64::from), project.rounds.map(f64::from)),
        ("seconds", own.ms.map(seconds), project.ms.map(seconds)),
    ];
    let each = pairs.into_iter().filter_map(|(key, own, project)| {
        let (own, project) = (own?, project?);
        let said = format!("`feedback.{key}` is {own} here, and {project} in gatehouse.yaml: the project's holds");
        let place = Place::document().field(Feedback::FIELD).field(key);
        let help = "A workflow may ask a person sooner than the project wants, never later. Leave it out here, or change it in gatehouse.yaml";
        (own > project).then(|| Diagnostic::new("GH0604", Severity::Warning, place, said).help(help))
    });
    each.collect()
}
