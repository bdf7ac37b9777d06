//! Placeholders in paths and texts: folders of the project, and answers that a run began with (seed 000 "Fields").
//!
//! `{output_folder}`, `{template_folder}`, `{bmb_creations_output_folder}` and `{project-root}` stand for folders, `{{name}}` for
//! the run's input of that name. `${output_folder}` means the same as `{output_folder}`. Braces around anything that is no name
//! (`{ts,js}`, `{ output_folder }`, JSON) are text.

use crate::Fields;
use serde_json::Value;
use std::collections::BTreeMap;

/// The folders that placeholders stand for, as paths inside the project (`docs`) or whole ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// `{output_folder}`.
    pub output: String,
    /// `{template_folder}`.
    pub templates: String,
    /// `{bmb_creations_output_folder}`.
    pub bmb_creations: String,
    /// `{project-root}`, also written `{project_root}`; `.` where paths are inside the project anyway.
    pub project_root: String,
}

impl Default for Folders {
    /// What a project has that names none: `docs`, `templates`, `bmb-creations`.
    fn default() -> Self {
        let [output, templates, bmb_creations, project_root] =
            ["docs", "templates", "bmb-creations", "."].map(str::to_owned);
        Self {
            output,
            templates,
            bmb_creations,
            project_root,
        }
    }
}

/// The names of the folders, as they stand in braces.
pub const FOLDERS: [&str; 4] = [
    "output_folder",
    "template_folder",
    "bmb_creations_output_folder",
    "project-root",
];

/// The folders that outputs go to: each output names one of them (seed 000 "Output layout enforcement").
pub const OUTPUT_FOLDERS: [&str; 2] = ["{output_folder}", "{bmb_creations_output_folder}"];

impl Folders {
    /// Those of a run, which keeps them by their names; what it does not name is as in a project that names none.
    pub fn kept(named: &BTreeMap<String, String>) -> Self {
        let mut folders = Self::default();
        let places = [
            ("output_folder", &mut folders.output),
            ("template_folder", &mut folders.templates),
            ("bmb_creations_output_folder", &mut folders.bmb_creations),
        ];
        for (name, place) in places {
            if let Some(folder) = named.get(name) {
                folder.clone_into(place);
            }
        }
        folders
    }

    /// The folder of a name in braces; `None` where there is none.
    pub fn of(&self, name: &str) -> Option<&str> {
        Some(match name {
            "output_folder" => &self.output,
            "template_folder" => &self.templates,
            "bmb_creations_output_folder" => &self.bmb_creations,
            "project-root" | "project_root" => &self.project_root,
            _ => return None,
        })
    }
}

/// A placeholder in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder<'t> {
    /// `{name}`: a folder.
    Folder(&'t str),
    /// `{{name}}`: an answer.
    Answer(&'t str),
}

/// A part of a text.
enum Part<'t> {
    Text(&'t str),
    /// With how it is written.
    Placeholder(Placeholder<'t>, &'t str),
}

/// The placeholders of a text, in its order; those that stand for nothing too.
pub fn placeholders(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    parts(text).filter_map(|part| match part {
        Part::Placeholder(placeholder, _) => Some(placeholder),
        Part::Text(_) => None,
    })
}

/// The text with every placeholder replaced by what it stands for. What an answer holds is text: braces in it mean nothing.
///
/// # Errors
/// What could not be resolved, in a sentence without a final stop that says what would be.
pub fn resolve(text: &str, folders: &Folders, inputs: &Fields) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Placeholder(Placeholder::Folder(name), _) => match folders.of(name) {
                Some(folder) => out.push_str(folder),
                None => return Err(unknown_folder(name)),
            },
            Part::Placeholder(Placeholder::Answer(name), _) => match inputs.get(name) {
                Some(answer) => out.push_str(&answer_text(name, answer)?),
                None => {
                    return Err(format!(
                        "`{{{{{name}}}}}` stands for an answer that this run was not given"
                    ));
                }
            },
        }
    }
    Ok(out)
}

/// The text with what is known put in; a placeholder that stands for nothing stays as it is written.
pub fn filled(text: &str, mut stands_for: impl FnMut(Placeholder<'_>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Placeholder(placeholder, written) => match stands_for(placeholder) {
                Some(meant) => out.push_str(&meant),
                None => out.push_str(written),
            },
        }
    }
    out
}

/// The same as [`resolve`] for texts in which braces may mean anything: what stands for nothing stays as it is written.
pub fn resolve_known(text: &str, folders: &Folders, inputs: &Fields) -> String {
    filled(text, |placeholder| match placeholder {
        Placeholder::Folder(name) => folders.of(name).map(str::to_owned),
        Placeholder::Answer(name) => answer_text(name, inputs.get(name)?).ok(),
    })
}

/// The text with the answers put in that are known; folders, and what stands for nothing, stay as they are written.
pub fn answered(text: &str, inputs: &Fields) -> String {
    filled(text, |placeholder| match placeholder {
        Placeholder::Folder(_) => None,
        Placeholder::Answer(name) => answer_text(name, inputs.get(name)?).ok(),
    })
}

/// The names of the answers that a text is filled in with, in its order.
pub fn answers_in(text: &str) -> impl Iterator<Item = &str> {
    placeholders(text).filter_map(|placeholder| match placeholder {
        Placeholder::Answer(name) => Some(name),
        Placeholder::Folder(_) => None,
    })
}

/// The text with the answer of one name called by another one, written otherwise as it is; `None` where it does not stand in it.
pub fn renamed(text: &str, old: &str, new: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut is_there = false;
    for part in parts(text) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Placeholder(Placeholder::Answer(name), written) if name == old => {
                is_there = true;
                out.push_str(&written.replacen(old, new, 1));
            }
            Part::Placeholder(_, written) => out.push_str(written),
        }
    }
    is_there.then_some(out)
}

/// Whether a placeholder can name it: a letter or `_`, then letters, digits, `_` and `-`.
pub fn is_name(text: &str) -> bool {
    name_at(text) == Some(text)
}

/// What is said of a name in braces that no folder has.
pub fn unknown_folder(name: &str) -> String {
    let known = FOLDERS.map(|name| format!("`{{{name}}}`")).join(", ");
    format!("`{{{name}}}` stands for nothing; known are {known} and `{{{{…}}}}` around the name of an answer")
}

/// An answer as it stands in a path or a text.
fn answer_text(name: &str, answer: &Value) -> Result<String, String> {
    match answer {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(answer.to_string()),
        Value::Null => Err(format!("`{{{{{name}}}}}` was left without an answer")),
        Value::Array(_) | Value::Object(_) => Err(format!("the answer `{{{{{name}}}}}` stands for is no text")),
    }
}

/// The text cut at its placeholders.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    let mut from = 0;
    let mut held: Option<Part<'_>> = None;
    std::iter::from_fn(move || {
        if let Some(part) = held.take() {
            return Some(part);
        }
        loop {
            let Some(open) = rest[from..].find('{').map(|at| from + at) else {
                let last = std::mem::take(&mut rest);
                from = 0;
                return (!last.is_empty()).then_some(Part::Text(last));
            };
            let Some((placeholder, length)) = placeholder_at(&rest[open..]) else {
                from = open + 1;
                continue;
            };
            let dollar = matches!(placeholder, Placeholder::Folder(_)) && rest[..open].ends_with('$');
            let begin = open - usize::from(dollar);
            let (before, written) = (&rest[..begin], &rest[begin..open + length]);
            rest = &rest[open + length..];
            from = 0;
            let found = Part::Placeholder(placeholder, written);
            if before.is_empty() {
                return Some(found);
            }
            held = Some(found);
            return Some(Part::Text(before));
        }
    })
}

/// The placeholder at the beginning of a text, and its length in bytes.
fn placeholder_at(text: &str) -> Option<(Placeholder<'_>, usize)> {
    if let Some(inner) = text.strip_prefix("{{") {
        // Blanks around the name of an answer are usual.
        let blank = inner.len() - inner.trim_start_matches(' ').len();
        let name = name_at(&inner[blank..])?;
        let behind = &inner[blank + name.len()..];
        let after = behind.trim_start_matches(' ');
        let length = 2 + blank + name.len() + (behind.len() - after.len()) + 2;
        return after.starts_with("}}").then_some((Placeholder::Answer(name), length));
    }
    let inner = text.strip_prefix('{')?;
    let name = name_at(inner)?;
    inner[name.len()..]
        .starts_with('}')
        .then_some((Placeholder::Folder(name), name.len() + 2))
}

/// A name: a letter or `_`, then letters, digits, `_` and `-`.
fn name_at(text: &str) -> Option<&str> {
    let is_first = |c: char| c.is_alphabetic() || c == '_';
    let end = text
        .char_indices()
        .find(|(at, c)| !(is_first(*c) || (*at > 0 && (c.is_alphanumeric() || *c == '-'))))
        .map_or(text.len(), |(at, _)| at);
    (end > 0).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(text: &str) -> Result<String, String> {
        let inputs = [
            ("topic", json!("a {output_folder} b")),
            ("count", json!(3)),
            ("list", json!([1])),
            ("nothing", Value::Null),
        ];
        let inputs = inputs
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect();
        resolve(text, &Folders::default(), &inputs)
    }

    #[test]
    fn folders_and_answers_are_put_in() {
        for (text, resolved) in [
            ("{output_folder}/prd.md", "docs/prd.md"),
            ("${output_folder}/prd.md", "docs/prd.md"),
            ("template:{template_folder}/a.md", "template:templates/a.md"),
            ("{bmb_creations_output_folder}{output_folder}", "bmb-creationsdocs"),
            ("{project-root}/x {project_root}/y", "./x ./y"),
            ("{{topic}}.md", "a {output_folder} b.md"),
            ("{{ count }}", "3"),
            ("", ""),
            ("no braces", "no braces"),
            (
                "*.{ts,js} { output_folder } {} {\"a\": {1}} }{ {{}} {{a b}}",
                "*.{ts,js} { output_folder } {} {\"a\": {1}} }{ {{}} {{a b}}",
            ),
            ("$ {output_folder}", "$ docs"),
            ("é{output_folder}é", "édocsé"),
            ("{{{count}}}", "{3}"),
        ] {
            assert_eq!(with(text).as_deref(), Ok(resolved), "{text}");
        }
    }

    #[test]
    fn what_stands_for_nothing_may_stay_as_it_is_written() {
        let inputs = [("topic".to_owned(), json!("tea"))].into_iter().collect();
        let text =
            "{output_folder} ${output_folder} ${user} {user} {{topic}} {{ topic }} {{ who }} {{#each x}} {a b} {";
        assert_eq!(
            resolve_known(text, &Folders::default(), &inputs),
            "docs docs ${user} {user} tea tea {{ who }} {{#each x}} {a b} {"
        );
    }

    #[test]
    fn an_answer_gets_another_name_and_nothing_else_changes() {
        for (text, named) in [
            (
                "{{a}} and {{ a }}, {{ab}} {a} ${a}",
                Some("{{b}} and {{ b }}, {{ab}} {a} ${a}"),
            ),
            ("a {a} {{ab}}", None),
            ("", None),
        ] {
            assert_eq!(renamed(text, "a", "b").as_deref(), named, "{text}");
        }
    }

    #[test]
    fn answers_are_put_in_and_folders_left() {
        let inputs = [("a".to_owned(), json!("{b}/x")), ("n".to_owned(), Value::Null)];
        let text = "{output_folder}/{{a}}/{{n}}/{{who}}/{{ a }}";
        assert_eq!(
            answered(text, &inputs.into_iter().collect()),
            "{output_folder}/{b}/x/{{n}}/{{who}}/{b}/x"
        );
        assert!(answers_in(text).eq(["a", "n", "who", "a"]));
    }

    #[test]
    fn what_stands_for_nothing_is_named() {
        for (text, part) in [
            ("{output_foldr}/x", "`{output_foldr}`"),
            ("{{who}}", "`{{who}}`"),
            ("{{list}}", "`{{list}}`"),
            ("{{nothing}}", "`{{nothing}}`"),
            ("{Output_Folder}/x", "`{Output_Folder}`"),
        ] {
            let said = with(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
        let found: Vec<_> = placeholders("{a}/{{b}}/{ c }").collect();
        assert_eq!(found, [Placeholder::Folder("a"), Placeholder::Answer("b")]);
        assert!(is_name("a_1-b") && is_name("_") && is_name("größe"));
        assert!(!is_name("") && !is_name("1a") && !is_name("a b") && !is_name("-a"));
    }
}
