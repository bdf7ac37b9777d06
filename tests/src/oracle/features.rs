//! `flow_features.json`: every key path that occurs in the real flow files is read and kept, and no error of reading.

use super::Context;
use super::case::{Case, Fault};
use dialect::Document;
use model::{Place, Severity};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One key path: in every file of its group that holds it, the dialect reports no error and its tree has the very values
/// that a plain YAML or JSON reader finds there.
pub fn key_path(context: &Context, case: &Case) -> Result<(), Fault> {
    let mut found = 0;
    for file in files(context, case)? {
        let text = std::fs::read_to_string(&file).map_err(|e| Fault::differs(format!("{}: {e}", file.display())))?;
        let name = file
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let plain: Value = serde_yaml::from_str(&text).map_err(|e| Fault::differs(format!("{name}: {e}")))?;
        let document = Document::parse(&name, &text);
        accepted(&name, &document)?;
        let whole = document.value(&Place::document()).unwrap_or(Value::Null);
        let wanted = at(&plain, case.text("path"));
        let read = at(&whole, case.text("path"));
        found += wanted.len();
        if wanted != read {
            return Err(Fault::differs(format!("{name}: read as {read:?}, it says {wanted:?}")));
        }
    }
    if found == 0 {
        return Err(Fault::differs("no recorded file holds this key path"));
    }
    Ok(())
}

/// The codes that say that a file was read and asks a run for more than is carried out: it opens, and does not start. Which of the
/// recorded flows these are, and for which fields, is held by the dialect's test `real_flows.rs`.
const READ_NOT_RUN: [&str; 2] = ["GH0108", "GH0501"];

fn accepted(name: &str, document: &Document) -> Result<(), Fault> {
    let mut errors = document.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    let error = errors.find(|d| !READ_NOT_RUN.contains(&d.code.as_str()));
    // A registry of flows is a real file too, but no workflow: it is not opened as one.
    match error.filter(|_| dialect::detect(name, document.text()).is_some()) {
        Some(error) => Err(Fault::differs(format!("{name}: {} ({})", error.message, error.code))),
        None => Ok(()),
    }
}

/// The recorded copies of the group's files.
fn files(context: &Context, case: &Case) -> Result<Vec<PathBuf>, Fault> {
    let folder = match case.text("group") {
        "config_flows" | "flows_registry" => "flows",
        _ => "spec_flows",
    };
    let named = case
        .get("files")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let mut found = Vec::new();
    for path in named {
        let name = match Path::new(path).file_name().and_then(|n| n.to_str()) {
            Some("flows.yaml") => "_registry.yaml",
            Some(name) => name,
            None => continue,
        };
        let file = context.folder.join(folder).join(name);
        if !file.is_file() {
            return Err(Fault::differs(format!("{} is not there", file.display())));
        }
        found.push(file);
    }
    Ok(found)
}

/// All values at a path such as `.steps[].routing.next`, in order.
fn at<'a>(root: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut values = vec![root];
    for part in path.split('.').filter(|p| !p.is_empty()) {
        let (key, lists) = match part.find("[]") {
            Some(end) => (&part[..end], part[end..].matches("[]").count()),
            None => (part, 0),
        };
        values = values.into_iter().filter_map(|v| v.get(key)).collect();
        for _ in 0..lists {
            values = values.into_iter().filter_map(Value::as_array).flatten().collect();
        }
    }
    values
}
