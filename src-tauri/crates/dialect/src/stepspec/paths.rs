//! What is wrong with the paths of a step: outputs, templates, artifacts, targets of validation (seed 000 "Output layout
//! enforcement").

use super::form::{nearest, shortened};
use super::schema::{OutputFault, output_fault};
use crate::reading::{Context, leads_out, leaves};
use model::placeholder::{FOLDERS, answers_in, placeholders, unknown_folder};
use model::{Diagnostic, Edit, Place, Placeholder, Severity};
use std::collections::HashSet;

/// Checks paths against the answers that a run can have.
pub(crate) struct Paths<'a> {
    pub(crate) answers: &'a HashSet<&'a str>,
}

impl Paths<'_> {
    /// One entry of `outputs`.
    pub(crate) fn output(&self, context: &mut Context<'_>, place: &Place, path: &str) {
        let shown = shortened(path);
        match output_fault(path) {
            Some(OutputFault::Empty) => return empty(context, place),
            Some(OutputFault::Template) => {
                let said = format!("`{shown}` is a template, and nothing writes it");
                let found = Diagnostic::new("GH0406", Severity::Error, place.clone(), said)
                    .help("Templates stand under `templates`; `outputs` are the files that this step makes")
                    .fix("Remove it from the outputs", Edit::Remove { place: place.clone() });
                return context.push(found);
            }
            Some(OutputFault::NoFolder) => {
                let said = format!("`{shown}` goes to no output folder");
                let found = Diagnostic::new("GH0405", Severity::Error, place.clone(), said)
                    .help("An output begins with `{output_folder}/` or `{bmb_creations_output_folder}/`");
                context.push(match in_folder(path) {
                    Some(mended) => found.fix(
                        format!("Change to `{}`", shortened(&mended)),
                        Edit::Set {
                            place: place.clone(),
                            value: mended.into(),
                        },
                    ),
                    None => found,
                });
            }
            None => {}
        }
        self.inside(context, place, path);
    }

    /// Any other path.
    pub(crate) fn other(&self, context: &mut Context<'_>, place: &Place, path: &str) {
        if path.trim().is_empty() {
            return empty(context, place);
        }
        self.inside(context, place, path);
    }

    /// It stays where it belongs, and its placeholders stand for something.
    fn inside(&self, context: &mut Context<'_>, place: &Place, path: &str) {
        if leaves(path) {
            leads_out(context, Severity::Error, place.clone(), path);
        }
        self.placeholders(context, place, path);
    }

    /// Placeholders that stand for nothing, one report for each name in a text. With a folder that nothing has no run begins; an answer that
    /// nothing asks for may be given to one all the same.
    pub(super) fn placeholders(&self, context: &mut Context<'_>, place: &Place, text: &str) {
        /// Longer texts are no paths; what they hold is told when they are used.
        const LONGEST: usize = 4_096;
        if text.len() > LONGEST {
            return;
        }
        let mut said = HashSet::new();
        for placeholder in placeholders(text) {
            let (Placeholder::Folder(name) | Placeholder::Answer(name)) = placeholder;
            if !said.insert((name, matches!(placeholder, Placeholder::Folder(_)))) {
                continue;
            }
            let found = match placeholder {
                Placeholder::Folder(name) if FOLDERS.contains(&name) || name == "project_root" => continue,
                Placeholder::Folder(name) => {
                    let said = unknown_folder(&shortened(name));
                    let found = Diagnostic::new("GH0409", Severity::Error, place.clone(), said);
                    match nearest(name, &FOLDERS) {
                        Some(near) => found.help(format!("Did you mean `{{{near}}}`?")).fix(
                            format!("Change to `{{{near}}}`"),
                            Edit::Set {
                                place: place.clone(),
                                value: text.replace(&format!("{{{name}}}"), &format!("{{{near}}}")).into(),
                            },
                        ),
                        None => found.help("Write the folder itself, or correct the name"),
                    }
                }
                Placeholder::Answer(name) if self.answers.contains(name) => continue,
                Placeholder::Answer(name) => unasked(place, name),
            };
            context.push(found);
        }
    }

    /// Answers that nothing asks for in a text whose folders stay as they are written: what is asked at a gate.
    pub(super) fn asked(&self, context: &mut Context<'_>, place: &Place, text: &str) {
        let mut said = HashSet::new();
        for name in answers_in(text).filter(|name| !self.answers.contains(*name) && said.insert(*name)) {
            context.push(unasked(place, name));
        }
    }
}

fn unasked(place: &Place, name: &str) -> Diagnostic {
    let said = format!(
        "`{{{{{}}}}}` is the answer to no question of this file",
        shortened(name)
    );
    Diagnostic::new("GH0409", Severity::Warning, place.clone(), said)
        .help("Ask for it under `questions`; a run can also be begun with an input of that name")
}

/// Names of answers in a text that is not filled in, each told once.
pub(super) fn left_as_written<'t>(
    context: &mut Context<'_>,
    place: &Place,
    names: impl Iterator<Item = &'t str>,
    (where_it_stands, help): (&str, &str),
) {
    let mut told = HashSet::new();
    for name in names.filter(|name| told.insert(*name)) {
        let said = format!("`{{{{{}}}}}` stays as it is written {where_it_stands}", shortened(name));
        context.report("GH0409", Severity::Warning, place.clone(), said, Some(help));
    }
}

fn empty(context: &mut Context<'_>, place: &Place) {
    let found = Diagnostic::new("GH0407", Severity::Error, place.clone(), "This path is empty")
        .help("Write the path of a file, or remove the entry")
        .fix("Remove the entry", Edit::Remove { place: place.clone() });
    context.push(found);
}

/// The path in the output folder; `None` where it cannot be told what was meant.
fn in_folder(path: &str) -> Option<String> {
    let path = path.trim();
    let known = ["{project-root}/", "{project_root}/", "{ output_folder }/", "./", "/"];
    let rest = known.iter().find_map(|start| path.strip_prefix(start)).unwrap_or(path);
    let mended = format!("{{output_folder}}/{rest}");
    let is_plain = !rest.is_empty() && !rest.contains('{') && !leaves(&mended) && !leaves(rest);
    is_plain.then_some(mended)
}
