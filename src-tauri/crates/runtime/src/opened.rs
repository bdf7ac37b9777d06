//! A workflow file of a project, opened: with the instructions that it names, and held against what the project wants.

use crate::config::Config;
use crate::instructions;
use dialect::stepspec::unnamed;
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
    let names_no_check = document.diagnostics().iter().any(is_unnamed);
    if !says_context && !names_no_check && Feedback::of(document.workflow()).is_empty() {
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
    if !names_no_check {
        return document.with(found);
    }
    found.extend(not_looked_at(&document, &config));
    document.without(is_unnamed).with(found)
}

/// Whether it is said that words of a policy are no check of Gatehouse; whether they are one of the project is known here.
fn is_unnamed(found: &Diagnostic) -> bool {
    found.code == "GH0417" && found.place.step.is_some()
}

/// Parts of policies that name no check, not of the project either.
fn not_looked_at(document: &Document, config: &Config) -> Vec<Diagnostic> {
    let checks = &config.around.checks;
    let places = document.diagnostics().iter().filter(|found| is_unnamed(found));
    let each = places.filter_map(|found| {
        let step = document.workflow().steps().get(found.place.step?)?;
        let parts = unnamed(step.validation.as_deref()?, |word| checks.contains_key(word));
        let parts: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
        let (names, are) = match parts.len() {
            0 => return None,
            1 => ("names", "it is"),
            _ => ("name", "they are"),
        };
        let said = format!("{} {names} no check, so {are} not looked at", parts.join(", "));
        let help = "Use the words format, template, schema, AST, type or lint, or bind the word under `checks` in gatehouse.yaml. \
                    The record says what was not looked at, and nothing counts as checked by all";
        Some(Diagnostic::new("GH0417", Severity::Warning, found.place.clone(), said).help(help))
    });
    each.collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_policy_names_is_held_against_the_checks_of_the_project() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let config = "checks: {prose: {command: sh prose.sh}}\n";
        std::fs::write(root.join("gatehouse.yaml"), config).expect("the settings");
        let of = |policy: &str| -> Vec<(Severity, String)> {
            let text =
                format!("format: stepspec\nworkflow: w\nsteps:\n  - {{id: a, name: A, validation: \"{policy}\"}}\n");
            let document = document(&root, "w.yaml", &text);
            let found = document.diagnostics().iter().filter(|found| found.code == "GH0417");
            found.map(|found| (found.severity, found.message.clone())).collect()
        };
        for named in ["Format validation", "Format validation, prose", "prose", "none"] {
            assert_eq!(of(named), [], "{named}");
        }
        for (policy, said) in [
            (
                "Format validation, proze",
                "`proze` names no check, so it is not looked at",
            ),
            (
                "prose, Security scan and lint; taste",
                "`Security scan`, `taste` name no check, so they are not looked at",
            ),
            ("by hand", "`by hand` names no check, so it is not looked at"),
        ] {
            assert_eq!(of(policy), [(Severity::Warning, said.to_owned())], "{policy}");
        }
    }
}
