//! A workflow file of a project, opened: with the instructions that it names, and held against what the project wants.

use crate::artifacts::is_address;
use crate::attempt::{tool_names, unfitting};
use crate::brief::template_path;
use crate::config::Config;
use crate::{instructions, project};
use dialect::stepspec::unnamed;
use dialect::{Document, context};
use engine::RunId;
use model::placeholder::{Folders, resolve};
use model::step::Output;
use model::{Diagnostic, Feedback, Fields, Place, Severity, Workflow, cel};
use std::collections::BTreeSet;
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
    let calls_tools = document.workflow().steps().iter().any(|step| !step.tools.is_empty());
    let has_templates = document
        .workflow()
        .steps()
        .iter()
        .any(|step| !step.templates.is_empty());
    let asks = says_context || names_no_check || calls_tools || has_templates;
    if !asks && Feedback::of(document.workflow()).is_empty() {
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
    found.extend(no_tools(document.workflow(), &config));
    if calls_tools {
        found.extend(wrong_arguments(document.workflow(), &config));
    }
    found.extend(no_templates(root, document.workflow(), &config));
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

/// Calls of tools that the project does not have. All of its tools are known by name before anything is started, those of servers too:
/// they are declared. Without a tool that it needs a step fails, when the steps before it have been done.
fn no_tools(workflow: &Workflow, config: &Config) -> Vec<Diagnostic> {
    let calls = workflow
        .steps()
        .iter()
        .flat_map(|step| step.tools.iter().enumerate().map(move |(n, call)| (step, n, call)));
    // A call without a name was reported.
    let calls: Vec<_> = calls.filter(|(_, _, call)| !call.name.trim().is_empty()).collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let known = tool_names(config);
    let unknown = calls.into_iter().filter(|(_, _, call)| !known.contains(&call.name));
    unknown
        .map(|(step, n, call)| {
            let (severity, follows) = match call.required {
                true => (Severity::Error, "the step would fail"),
                false => (Severity::Warning, "the call is left out"),
            };
            let said = format!("There is no tool `{}` in this project: {follows}", call.name);
            let place = Place::step(step.ordinal).field("tools").field(n.to_string());
            let help = match cel::nearest(&call.name, known.iter().map(String::as_str)) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "Correct the name, or declare the tool under `tools.declared` in gatehouse.yaml: as a command, or as \
                         one of an MCP server"
                    .to_owned(),
            };
            Diagnostic::new("GH0423", severity, place, said).help(help)
        })
        .collect()
}

/// Calls with arguments that their tool does not take: without those that it needs, or with others than it has.
fn wrong_arguments(workflow: &Workflow, config: &Config) -> Vec<Diagnostic> {
    let found = unfitting(workflow, config).into_iter();
    found
        .map(|one| {
            let (severity, follows) = match one.call.required {
                true => (Severity::Error, "the step would fail"),
                false => (Severity::Warning, "the call would fail"),
            };
            let said = format!("`{}` cannot be called so ({}): {follows}", one.call.name, one.why);
            let place = Place::step(one.step.ordinal)
                .field("tools")
                .field(one.place.to_string());
            let takes: Vec<String> = one.takes.iter().map(|name| format!("`{name}`")).collect();
            let help = match takes.is_empty() {
                true => "Correct what stands under `args`".to_owned(),
                false => format!("It takes, under `args`: {}", takes.join(", ")),
            };
            Diagnostic::new("GH0425", severity, place, said).help(help)
        })
        .collect()
}

/// Templates in a folder that is known before anybody answers, and that are not there and made by no step: what follows one follows
/// nothing.
fn no_templates(root: &Path, workflow: &Workflow, config: &Config) -> Vec<Diagnostic> {
    let (folders, nobody) = (Folders::kept(&config.folders), Fields::new());
    let steps = workflow.steps();
    let made: BTreeSet<&str> = steps
        .iter()
        .flat_map(|step| &step.outputs)
        .map(String::as_str)
        .collect();
    let templates = steps.iter().flat_map(|step| {
        step.templates
            .iter()
            .enumerate()
            .map(move |(n, template)| (step, n, template))
    });
    let missing = templates.filter_map(|(step, n, template)| {
        let written = template_path(template);
        let file = Output::of(&written);
        if file.optional || is_address(file.path) {
            return None;
        }
        // With a question in its name it is known when that is answered.
        let path = resolve(&written, &folders, &nobody).ok()?;
        let file = project::relative(&path, &RunId::from("-")).ok()?;
        if path.is_empty() || made.contains(written.as_str()) || project::inside(root, &file).ok()?.exists() {
            return None;
        }
        let said = format!("There is no template `{path}` in the project: the step would go by none");
        let place = Place::step(step.ordinal).field("templates").field(n.to_string());
        let help = "Correct the name, or write the template";
        Some(Diagnostic::new("GH0424", Severity::Warning, place, said).help(help))
    });
    missing.collect()
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
    fn a_tool_that_nobody_has_is_named_before_anything_is_done() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let config = "tools: {declared: [{name: spell, command: sh spell.sh}, {name: search, mcp: notes}]}\nmcp: {notes: node notes.mjs}\n";
        std::fs::write(root.join("gatehouse.yaml"), config).expect("the settings");
        let of = |call: &str| -> Vec<(Severity, String, String)> {
            let text = format!("format: stepspec\nworkflow: w\nsteps:\n  - {{id: a, name: A, tools: [{call}]}}\n");
            let document = document(&root, "w.yaml", &text);
            let found = document.diagnostics().iter().filter(|found| found.code == "GH0423");
            let said = |one: &Diagnostic| (one.severity, one.message.clone(), one.help.clone().unwrap_or_default());
            found.map(said).collect()
        };
        for name in ["spell", "search", "getCurrentTime", "lspHover", "runCheck"] {
            assert_eq!(of(&format!("{{name: {name}, required: true}}")), [], "{name}");
        }
        for (call, severity, follows, help) in [
            (
                "{name: verifySignature, required: true}",
                Severity::Error,
                "the step would fail",
                "declare the tool",
            ),
            (
                "{name: verifySignature}",
                Severity::Warning,
                "the call is left out",
                "declare the tool",
            ),
            (
                "GetCurrentTime",
                Severity::Warning,
                "the call is left out",
                "Did you mean `getCurrentTime`?",
            ),
        ] {
            let said = of(call);
            assert_eq!(said.len(), 1, "{call}: {said:?}");
            assert_eq!(said[0].0, severity, "{call}");
            assert!(
                said[0].1.ends_with(follows) && said[0].2.contains(help),
                "{call}: {said:?}"
            );
        }
    }

    #[test]
    fn arguments_that_a_tool_does_not_take_are_named_before_anything_is_done() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let config = "tools: {declared: [{name: pay, command: sh pay.sh, args: {type: object, required: [euros], properties: \
                      {euros: {type: string, pattern: '^[0-9]+$'}}}}]}\n";
        std::fs::write(root.join("gatehouse.yaml"), config).expect("the settings");
        let of = |call: &str| -> Vec<(Severity, String, String)> {
            let text = format!("format: stepspec\nworkflow: w\nsteps:\n  - {{id: a, name: A, tools: [{{{call}}}]}}\n");
            let document = document(&root, "w.yaml", &text);
            let found = document.diagnostics().iter().filter(|found| found.code == "GH0425");
            let said = |one: &Diagnostic| (one.severity, one.message.clone(), one.help.clone().unwrap_or_default());
            found.map(said).collect()
        };
        for good in [
            "name: getCurrentTime, required: true",
            "name: getCurrentTime, args: {timezone: UTC}",
            "name: writeTextFile, args: {path: '{output_folder}/a.md', content: x}",
            "name: pay, args: {euros: '12'}",
            "name: pay, args: {euros: '{{amount}}'}",
            "name: nobody, args: {a: b}",
        ] {
            assert_eq!(of(good), [], "{good}");
        }
        for (call, severity, why) in [
            (
                "name: writeTextFile, args: {path: a.md}, required: true",
                Severity::Error,
                "missing required args: content",
            ),
            (
                "name: writeTextFile, args: {path: '{{file}}'}",
                Severity::Warning,
                "missing required args: content",
            ),
            (
                "name: readTextFile, params: {path: a.md}",
                Severity::Warning,
                "missing required args: path",
            ),
            ("name: getCurrentTime, args: {zone: UTC}", Severity::Warning, "'zone'"),
            (
                "name: getCurrentTime, args: {zone: '{{zone}}'}",
                Severity::Warning,
                "'zone'",
            ),
            (
                "name: pay, args: {euros: twelve}, required: true",
                Severity::Error,
                "argument `euros`",
            ),
        ] {
            let said = of(call);
            assert_eq!(said.len(), 1, "{call}: {said:?}");
            assert_eq!(said[0].0, severity, "{call}");
            assert!(said[0].1.contains(why), "{call}: {said:?}");
            assert!(said[0].2.starts_with("It takes, under `args`: `"), "{call}: {said:?}");
        }
    }

    #[test]
    fn a_template_that_is_not_there_is_named() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("templates")).expect("a folder");
        std::fs::write(root.join("templates/there.md"), "# Goal\n").expect("a template");
        let of = |template: &str| -> Vec<String> {
            let text = format!(
                "format: stepspec\nworkflow: w\nquestions: [{{name: kind, kind: text}}]\nsteps:\n  \
                 - {{id: a, name: A, outputs: ['{{output_folder}}/made.md']}}\n  - {{id: b, name: B, templates: ['{template}']}}\n"
            );
            let document = document(&root, "w.yaml", &text);
            let found = document.diagnostics().iter().filter(|found| found.code == "GH0424");
            found.map(|found| found.message.clone()).collect()
        };
        for there in [
            "template:{template_folder}/there.md",
            "templates/there.md",
            "template:{output_folder}/made.md",
            "template:{template_folder}/{{kind}}.md",
            "template:{template_folder}/nope.md (optional)",
            // What lies elsewhere is no file of the project.
            "https://example.com/prd.md",
            "template:https://example.com/prd.md",
        ] {
            assert_eq!(of(there), Vec::<String>::new(), "{there}");
        }
        assert_eq!(
            of("template:{template_folder}/nope.md"),
            ["There is no template `templates/nope.md` in the project: the step would go by none"]
        );
    }

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
