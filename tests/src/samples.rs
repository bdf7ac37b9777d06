//! The workflows that ship, and copies of them to work in.

use crate::project::Project;
use anyhow::Context as _;
use std::path::{Path, PathBuf};

/// What runs of the samples themselves have left behind (`workflows/.gitignore`).
const LEFT_BEHIND: [&str; 2] = ["docs", "outputs"];

/// Where they are; canonical.
///
/// # Panics
/// They are not there.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workflows");
    folder.canonicalize().expect("the samples are part of the repository")
}

/// Copies all of them, but for what runs of them have left behind.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy_to(folder: &Path) -> anyhow::Result<()> {
    copy_tree(&self::folder(), folder)
}

/// A project of their copies.
///
/// # Errors
/// See [`copy_to`].
pub fn project() -> anyhow::Result<Project> {
    let project = Project::new(&[])?;
    copy_to(&project.root)?;
    Ok(project)
}

fn copy_tree(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let shown = name.to_string_lossy();
        if shown.starts_with(".gatehouse") || LEFT_BEHIND.contains(&shown.as_ref()) {
            continue;
        }
        let target = to.join(&name);
        if path.is_dir() {
            copy_tree(&path, &target)?;
        } else {
            std::fs::copy(&path, target).with_context(|| format!("{} cannot be copied", path.display()))?;
        }
    }
    Ok(())
}
