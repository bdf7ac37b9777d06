//! Finding the scenarios of a workflow.

use std::io;
use std::path::{Path, PathBuf};

/// The scenario files beside a workflow file, sorted by name: `<stem>.scenario.yaml` first, then those in
/// `<stem>.scenarios/`. A workflow without any has none; that is not an error.
///
/// # Errors
/// The folder is there and cannot be read.
pub fn beside(workflow: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let (Some(folder), Some(stem)) = (workflow.parent(), workflow.file_stem().and_then(|s| s.to_str())) else {
        return Ok(found);
    };
    for ending in ["yaml", "yml"] {
        let single = folder.join(format!("{stem}.scenario.{ending}"));
        if single.is_file() {
            found.push(single);
        }
    }
    let mut listed = Vec::new();
    match std::fs::read_dir(folder.join(format!("{stem}.scenarios"))) {
        Ok(entries) => {
            for entry in entries {
                let path = entry?.path();
                let is_yaml = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
                if is_yaml && path.is_file() {
                    listed.push(path);
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    listed.sort();
    found.extend(listed);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_found_in_order() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("signal.scenarios")).expect("a folder");
        for name in [
            "signal.yaml",
            "signal.scenario.yaml",
            "signal.scenarios/b.yaml",
            "signal.scenarios/a.yml",
            "signal.scenarios/x.md",
        ] {
            std::fs::write(at(name), "").expect("a file");
        }
        let found = beside(&at("signal.yaml")).expect("readable");
        assert_eq!(
            found,
            [
                at("signal.scenario.yaml"),
                at("signal.scenarios/a.yml"),
                at("signal.scenarios/b.yaml")
            ]
        );
        assert!(beside(&at("other.yaml")).expect("readable").is_empty());
    }
}
