//! Which folder the window opens, remembering it for the next time, and opening another one beside it.

use std::fs;
use std::path::{Path, PathBuf};

use studio::ApiError;

/// The file in the configuration folder that names the project opened last.
const LAST: &str = "last-project";

/// The folder to open, or `None` when the person has to be asked.
///
/// The first of: the command line, `GATEHOUSE_PROJECT`, the folder opened last if it is still there, and
/// `workflows` in the current folder. A folder that was named is returned even when it cannot be opened, so that
/// the window can say why.
pub fn choose(named: Option<PathBuf>, variable: Option<PathBuf>, config: &Path, current: &Path) -> Option<PathBuf> {
    named
        .or(variable.filter(|path| !path.as_os_str().is_empty()))
        .map(|path| absolute(current, &path))
        .or_else(|| last(config))
        .or_else(|| Some(current.join("workflows")).filter(|path| path.is_dir()))
}

fn absolute(current: &Path, path: &Path) -> PathBuf {
    let full = current.join(path);
    full.canonicalize().unwrap_or(full)
}

fn last(config: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(config.join(LAST)).ok()?;
    Some(PathBuf::from(text.trim_end_matches('\n'))).filter(|path| path.is_dir())
}

/// Remembers the folder for the next start. Losing it costs one question, so a failure is only logged.
pub fn remember(config: &Path, project: &Path) {
    let written =
        fs::create_dir_all(config).and_then(|()| fs::write(config.join(LAST), format!("{}\n", project.display())));
    if let Err(error) = written {
        tracing::warn!(%error, folder = %config.display(), "the project opened last was not remembered");
    }
}

/// A name for the project that is a legal part of a D-Bus name: two windows share it exactly when they share the folder.
pub fn bus_name(identifier: &str, project: &Path) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    // Only processes of this same build have to agree on it, and only while they run.
    let mut hasher = DefaultHasher::new();
    project.hash(&mut hasher);
    format!("{identifier}.p{:016x}", hasher.finish())
}

/// Opens a window on another folder: this program once more, so that neither window can disturb the other. Where one is open on that
/// folder, it is brought forward.
///
/// # Errors
/// `not_found`: there is no such folder. `internal`: the program could not be started.
#[tauri::command]
pub fn open_folder(app: tauri::AppHandle, folder: PathBuf) -> Result<(), ApiError> {
    use tauri::Manager;
    if !folder.is_dir() {
        let what = format!("{} is not a folder.", folder.display());
        return Err(ApiError::new("not_found", what).hint("Choose a folder with workflows."));
    }
    let fault = |error: &dyn std::fmt::Display| {
        ApiError::new("internal", format!("No other window could be opened: {error}"))
            .hint(format!("Start it yourself: gatehouse-desktop {}", folder.display()))
    };
    let program = tauri::process::current_binary(&app.env()).map_err(|error| fault(&error))?;
    // Not a program of a step: it belongs to the person and outlives this window.
    let mut window = std::process::Command::new(program)
        .arg(&folder)
        .spawn()
        .map_err(|error| fault(&error))?;
    std::thread::spawn(move || window.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path().canonicalize().expect("it exists");
        let (config, current) = (root.join("config"), root.join("current"));
        fs::create_dir_all(current.join("workflows")).expect("made");
        (dir, config, current)
    }

    #[test]
    fn a_named_folder_comes_first_then_the_variable() {
        let (_dir, config, current) = folders();
        fs::create_dir(current.join("a")).expect("made");
        let chosen = choose(Some("a".into()), Some("/b".into()), &config, &current);
        assert_eq!(chosen, Some(current.join("a")));
        assert_eq!(choose(None, Some("/b".into()), &config, &current), Some("/b".into()));
    }

    #[test]
    fn a_named_folder_that_is_missing_is_still_the_one_asked_for() {
        let (_dir, config, current) = folders();
        assert_eq!(
            choose(Some("gone".into()), None, &config, &current),
            Some(current.join("gone"))
        );
    }

    #[test]
    fn the_last_one_is_remembered_until_it_is_gone() {
        let (_dir, config, current) = folders();
        let project = current.join("project of 2026");
        fs::create_dir(&project).expect("made");
        remember(&config, &project);
        assert_eq!(choose(None, None, &config, &current), Some(project.clone()));
        fs::remove_dir(&project).expect("removed");
        assert_eq!(choose(None, None, &config, &current), Some(current.join("workflows")));
    }

    #[test]
    fn with_nothing_to_go_by_the_person_is_asked() {
        let (_dir, config, current) = folders();
        fs::remove_dir(current.join("workflows")).expect("removed");
        assert_eq!(choose(None, Some("".into()), &config, &current), None);
    }

    #[test]
    fn each_folder_has_its_own_bus_name() {
        let name = |path: &str| bus_name("app.gatehouse.studio", Path::new(path));
        assert_eq!(name("/a"), name("/a"));
        assert_ne!(name("/a"), name("/b"));
        assert!(name("/a b/ü").chars().all(|c| c.is_ascii_alphanumeric() || c == '.'));
    }
}
