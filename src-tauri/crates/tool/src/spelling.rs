//! What the machine says of paths in rules and in scripts: where links lead, and which file a bare name starts.

use crate::programs::is_executable;
use permission::{Lookup, Spelling};
use std::path::Path;

/// How paths of a project are brought into one form. `root`: the project's folder.
pub fn of(root: &Path) -> Spelling {
    // Where paths do not begin at one root they are compared as they are written.
    let from_root = |path: &String| path.starts_with('/');
    let Some(root) = root.canonicalize().ok().and_then(text).filter(from_root) else {
        return Spelling::default();
    };
    let home = std::env::var("HOME").ok().filter(from_root);
    Spelling::new(root, home, Some(Lookup { real, program }))
}

/// What the system makes up for each process leads somewhere else for a step than for this program.
const MADE_UP: [&str; 2] = ["/proc", "/dev"];

fn real(path: &str) -> Option<String> {
    let path = Path::new(path);
    let is_made_up = |path: &Path| MADE_UP.iter().any(|folder| path.starts_with(folder));
    if is_made_up(path) {
        return None;
    }
    let real = path.ancestors().find_map(|there| {
        let rest = path.strip_prefix(there).ok()?;
        // A path ends in no slash of its own.
        Some(
            rest.components()
                .fold(there.canonicalize().ok()?, |real, part| real.join(part)),
        )
    })?;
    if is_made_up(&real) { None } else { text(real) }
}

fn program(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut files = files.map(|folder| folder.join(name));
    files
        .find(|file| file.metadata().is_ok_and(|about| is_executable(&about)))
        .and_then(text)
}

fn text(path: std::path::PathBuf) -> Option<String> {
    path.into_os_string().into_string().ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_far_as_the_path_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("data")).expect("made");
        std::os::unix::fs::symlink("data", root.join("link")).expect("linked");
        let at = |path: &str| root.join(path).display().to_string();
        assert_eq!(real(&at("link")), Some(at("data")));
        assert_eq!(real(&at("link/new/file")), Some(at("data/new/file")));
        assert_eq!(real("/proc/self/cwd/x"), None);
        assert!(program("sh").is_some_and(|file| file.ends_with("/sh")));
        assert_eq!(program("no-such-program-anywhere"), None);
    }
}
