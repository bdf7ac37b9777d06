//! What the names of runbooks are like.

/// How the names of runbooks end. Any other Markdown is opened as a runbook only where a person says so.
pub(super) const ENDINGS: [&str; 2] = [".runbook.md", ".workflow.md"];

/// Whether a file is a runbook by its name.
pub fn is_named(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    ENDINGS
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}
