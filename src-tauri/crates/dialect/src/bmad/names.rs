//! What names in braces stand for in a workflow file: folders, its own fields, and what is asked before a run.

use crate::stepspec::leaves;
use model::placeholder::{FOLDERS, Placeholder, filled, placeholders};
use model::{Question, QuestionKind};
use std::cell::Cell;
use std::collections::HashMap;

/// A longer value stands for nothing: it is no path and no name.
const LONGEST: usize = 4 << 10;
/// So many bytes of values are put in for one text, and each counts as some more.
const MOST: usize = 16 << 10;
const EACH: usize = 64;
/// What is only known once a run begins.
const GENERATED: &str = "system-generated";
/// The names of the folder that paths are relative to.
const ROOTS: [&str; 2] = ["project-root", "project_root"];

/// The names of a workflow file.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The folder in which the workflow file lies; empty: the project's.
    here: String,
    known: HashMap<String, String>,
}

impl Names {
    /// `path`: of the workflow file.
    pub(super) fn at(path: &str) -> Self {
        let here = path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        // Of a path that is not the project's nobody can tell what lies where; beside it is beside it.
        let here = if leaves(path) { "" } else { here };
        Self {
            here: here.to_owned(),
            known: HashMap::new(),
        }
    }

    pub(super) fn here(&self) -> &str {
        if self.here.is_empty() { "." } else { &self.here }
    }

    /// Takes up a value; of two of one name the first counts.
    pub(super) fn learn(&mut self, name: &str, value: &str) {
        if value.len() <= LONGEST {
            self.known.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }

    /// A path with its names put in, and the names that are asked for before a run.
    pub(super) fn path(&self, written: &str) -> (String, Vec<String>) {
        let mut asked = Vec::new();
        let path = self.put_in(written, &Cell::new(MOST), &mut |name| {
            if !asked.iter().any(|known| known == name) {
                asked.push(name.to_owned());
            }
            Some(format!("{{{{{name}}}}}"))
        });
        (path.trim().trim_start_matches("./").to_owned(), asked)
    }

    /// What the names in a text stand for, each once; names that stand for nothing here are left out. At most `left` bytes, which are
    /// counted down.
    pub(super) fn told(&self, text: &str, left: &mut usize) -> Option<Vec<(String, String)>> {
        let mut out: Vec<(String, String)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for placeholder in placeholders(text) {
            let (Placeholder::Folder(name) | Placeholder::Answer(name)) = placeholder;
            let is_folder = FOLDERS.contains(&name) || ROOTS.contains(&name);
            if is_folder || !seen.insert(name) {
                continue;
            }
            let Some(value) = self.value(name) else { continue };
            let value = self.put_in(value, &Cell::new(MOST), &mut |_| None);
            *left = left.checked_sub(name.len() + value.len())?;
            out.push((name.to_owned(), value));
        }
        Some(out)
    }

    /// The question for a name.
    pub(super) fn question(&self, name: &str) -> Question {
        let is_day = self.known.get(name).is_some_and(|value| value.trim() == GENERATED);
        Question {
            name: name.to_owned(),
            label: model::step::humanise(name),
            kind: if is_day { QuestionKind::Date } else { QuestionKind::Text },
            required: true,
            default: None,
            options: Vec::new(),
            help: None,
        }
    }

    /// What a name stands for in the file itself: not what another file or the clock says.
    fn value(&self, name: &str) -> Option<&str> {
        if name == "installed_path" {
            return Some(self.here());
        }
        let value = self.known.get(name)?;
        let is_here = !value.trim().is_empty() && value.trim() != GENERATED && !value.contains("{config_source}");
        is_here.then_some(value.as_str())
    }

    fn put_in(&self, text: &str, left: &Cell<usize>, unknown: &mut dyn FnMut(&str) -> Option<String>) -> String {
        filled(text, |placeholder| {
            let (Placeholder::Folder(name) | Placeholder::Answer(name)) = placeholder;
            if ROOTS.contains(&name) {
                return Some(".".to_owned());
            }
            if FOLDERS.contains(&name) {
                return Some(format!("{{{name}}}"));
            }
            let Some(value) = self.value(name) else {
                return unknown(name);
            };
            // A name that stands for itself comes to an end here.
            left.set(left.get().checked_sub(EACH + value.len())?);
            match name {
                // It is a path already.
                "installed_path" => Some(value.to_owned()),
                _ => Some(self.put_in(value, left, unknown)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::at("plans/shop/workflow.yaml");
        for (name, value) in [
            ("output_folder", "{config_source}:output_folder"),
            ("user_name", "{config_source}:user_name"),
            ("date", GENERATED),
            ("folder", "{output_folder}/shop"),
            ("file", "{folder}/plan-{{date}}.md"),
            ("installed_path", "{project-root}/elsewhere"),
            ("again", "{again}x"),
            ("bomb", "{bomb}{bomb}"),
        ] {
            names.learn(name, value);
        }
        names
    }

    #[test]
    fn paths_are_put_together_and_what_nothing_says_is_asked() {
        for (written, path, asked) in [
            ("{installed_path}/a.md", "plans/shop/a.md", &[][..]),
            ("{project-root}/a.md", "a.md", &[]),
            ("{file}", "{output_folder}/shop/plan-{{date}}.md", &["date"]),
            (
                "{output_folder}/{user_name}/{{who}}-{who}.md",
                "{output_folder}/{{user_name}}/{{who}}-{{who}}.md",
                &["user_name", "who"],
            ),
            ("{{output_folder}}/a", "{output_folder}/a", &[]),
            ("{a b}.md", "{a b}.md", &[]),
        ] {
            let (found, names) = names().path(written);
            assert_eq!(
                (found.as_str(), names),
                (path, asked.iter().map(|name| (*name).to_owned()).collect()),
                "{written}"
            );
        }
        assert_eq!(Names::at("workflow.yaml").path("{installed_path}/a.md").0, "a.md");
        for outside in ["/plans/workflow.yaml", "../workflow.yaml", "C:\\plans\\workflow.yaml"] {
            assert_eq!(Names::at(outside).path("{installed_path}/a.md").0, "a.md", "{outside}");
        }
        assert_eq!(names().question("date").kind, QuestionKind::Date);
        assert_eq!(names().question("who").label, "Who");
    }

    #[test]
    fn what_stands_for_itself_comes_to_an_end() {
        for written in ["{again}", "{bomb}"] {
            assert!(names().path(written).0.len() < 2 * MOST, "{written}");
        }
    }

    #[test]
    fn a_text_is_told_what_its_names_stand_for() {
        let mut left = 1_000;
        let told = names().told(
            "{file} {{ folder }} {folder} {user_name} {date} {none} {installed_path}",
            &mut left,
        );
        let expected = [
            ("file", "{output_folder}/shop/plan-{{date}}.md"),
            ("folder", "{output_folder}/shop"),
            ("installed_path", "plans/shop"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(told.as_deref(), Some(&expected[..]));
        assert!(left < 1_000);
        assert_eq!(names().told("{file}", &mut 3), None);
    }
}
