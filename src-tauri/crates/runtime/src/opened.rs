//! A workflow file of a project, opened: with the instructions that it names, and held against what the project wants.

use crate::config::Config;
use crate::instructions;
use dialect::{Document, context};
use model::{Diagnostic, Place, Severity};
use std::path::Path;

/// Reads a workflow file with what lies around it. `root` must be canonical; `path` is relative to it, with `/`.
pub fn document(root: &Path, path: &str, text: &str) -> Document {
    let document = instructions::document(root, path, text);
    let own = context::of(document.workflow());
    if own.is_empty() || context::fault(&own).is_some() {
        return document;
    }
    // A configuration that cannot be read is reported where it is used.
    let Ok(Some(project)) = Config::load(root).map(|config| config.around.global) else {
        return document;
    };
    let lower = context::together(&project, &own).1.into_iter().map(|one| {
        let ([value, settled], key) = (one.said, one.path.join("."));
        let said = format!("`context.{key}` is {value} here, and {settled} in gatehouse.yaml: the project's holds");
        let place = Place::document().field("context").path(one.path);
        let help =
            "A workflow may raise what the project wants, and add to it. Leave it out here, or change it in gatehouse.yaml";
        Diagnostic::new("GH0603", Severity::Warning, place, said).help(help)
    });
    document.with(lower.collect())
}
