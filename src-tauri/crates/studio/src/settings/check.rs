//! Checking a project's settings without opening it: what a run would not accept, and what it would take no notice of.

use super::file;
use crate::text::safe;
use crate::workflow::check::Checked;
use crate::workflow::view::ProblemView;
use model::Severity;
use runtime::FileFault;
use runtime::config::Config;
use runtime::pipeline::Folder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is wrong in the files that settle what a project's runs do, file by file; nothing where they are as they should be. `root`: the
/// project's folder, from which the files are named.
pub fn check(root: &Path) -> Vec<(PathBuf, Checked)> {
    let mut found: BTreeMap<PathBuf, Checked> = BTreeMap::new();
    let whole = std::path::absolute(Path::new(".").join(root)).and_then(|root| root.canonicalize());
    let Ok(whole) = whole else { return Vec::new() };
    let mut tell = |fault: &FileFault, severity| {
        // What cannot be used is named by its whole path, what has no effect from the project's folder.
        let named = fault.path.strip_prefix(&whole).unwrap_or(&fault.path);
        let of = found.entry(root.join(named)).or_default();
        of.problems.push(problem(fault, severity));
    };
    let faults = Config::faults(&whole);
    faults.iter().for_each(|fault| tell(fault, Severity::Error));
    let config = Config::load(&whole)
        .or_else(|_| Config::own(&whole))
        .unwrap_or_default();
    let folder = Folder::fault(&whole, &config);
    folder.iter().for_each(|fault| tell(fault, Severity::Error));
    let notes = file::notes(&whole, &config);
    notes.iter().for_each(|note| tell(note, Severity::Warning));
    found.into_iter().collect()
}

fn problem(fault: &FileFault, severity: Severity) -> ProblemView {
    let at = |place: Option<usize>| u32::try_from(place.unwrap_or(1)).unwrap_or(u32::MAX);
    let (line, column) = (at(fault.line), at(fault.column));
    ProblemView {
        code: match severity {
            Severity::Error => "GH0117",
            _ => "GH0118",
        }
        .to_owned(),
        severity,
        breaks_off: false,
        message: safe::visible(&fault.message),
        help: fault.hint.clone(),
        line,
        column,
        end_line: line,
        end_column: column,
        elsewhere: None,
        step: None,
        field: None,
        at: None,
        fix: None,
    }
}
