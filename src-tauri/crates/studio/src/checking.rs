//! Checking files without opening a project: nothing is written anywhere.

use crate::library;
use crate::show::problems;
use crate::view::workflow::ProblemView;
use dialect::Document;
use model::Severity;
use std::path::{Path, PathBuf};

/// What was found in one file.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Title of the workflow.
    pub workflow: Option<String>,
    /// In document order.
    pub problems: Vec<ProblemView>,
    /// Why the file could not be read.
    pub unreadable: Option<String>,
}

impl Checked {
    /// How many errors.
    pub fn errors(&self) -> usize {
        self.problems.iter().filter(|p| p.severity == Severity::Error).count()
    }
    /// How many warnings.
    pub fn warnings(&self) -> usize {
        self.problems.iter().filter(|p| p.severity == Severity::Warning).count()
    }
}

/// Files below a folder that may hold workflows.
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    library::candidates(folder)
}

/// Checks a file. `None` for one that is no workflow, unless it was `named`: then it is read as one, and says what is
/// missing.
pub fn check(file: &Path, named: bool) -> Option<Checked> {
    let text = match std::fs::read(file).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) if !named => return None,
        Ok(Err(_)) => {
            return Some(Checked {
                unreadable: Some("the file is not UTF-8 text; save it as UTF-8".into()),
                ..Checked::default()
            });
        }
        Err(error) => {
            let why = format!("the file cannot be read: {error}");
            return Some(Checked {
                unreadable: Some(why),
                ..Checked::default()
            });
        }
    };
    let path = file.display().to_string();
    if !named && dialect::detect(&path, &text).is_none() {
        return None;
    }
    let document = Document::parse(&path, &text);
    Some(Checked {
        workflow: Some(document.workflow().title.clone()),
        problems: problems::problems(&document),
        unreadable: None,
    })
}
