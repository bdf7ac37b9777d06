//! The files of the programs that rules deny: what the kernel has to cover so that nobody executes or copies them.

use permission::{DeniedPrograms, Policy};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Where systems keep programs, beside what `PATH` names.
const FOLDERS: [&str; 9] = [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/games",
    "/usr/lib/git-core",
    "/snap/bin",
];
/// The same in a person's home.
const OWN_FOLDERS: [&str; 3] = [".local/bin", "bin", ".cargo/bin"];
/// The same in a project, where other files are not looked at.
const PROJECT_FOLDERS: [&str; 2] = ["node_modules/.bin", ".venv/bin"];
/// A rule that names more files than this is kept by reading alone: each is covered for every program that is started.
const MOST: usize = 200;

/// What becomes of the deny rules of commands.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    /// Files that hold nothing for a step.
    pub covered: Vec<PathBuf>,
    /// Rules that reading alone keeps, as they are written.
    pub only_read: Vec<String>,
}

/// One file, by whatever names it goes.
#[derive(Default)]
struct Found {
    /// The places where it lies, without links on the way.
    places: BTreeSet<PathBuf>,
    /// The names by which it is called, links and second names included: as rules name programs.
    names: BTreeSet<String>,
}

/// Looks for the files of denied programs. `own`: files of the project for which [`may_be_denied`] holds.
///
/// A file that is also a program which steps need (one file may be many: `busybox`) is not covered.
pub(crate) fn of(root: &Path, policy: &Policy, own: &[PathBuf]) -> Programs {
    let denied = policy.denied_programs();
    let only_read: BTreeSet<String> = denied.only_read.iter().cloned().collect();
    if denied.is_empty() {
        return Programs {
            covered: Vec::new(),
            only_read: only_read.into_iter().collect(),
        };
    }
    let mut found: BTreeMap<(u64, u64), Found> = BTreeMap::new();
    for folder in folders(root) {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            add(&mut found, path.to_string_lossy().into_owned(), &path, is_executable);
        }
    }
    for path in own {
        let Ok(relative) = path.strip_prefix(root) else {
            continue;
        };
        add(&mut found, format!("./{}", relative.display()), path, |_| true);
    }
    covered(found, policy, only_read)
}

fn covered(found: BTreeMap<(u64, u64), Found>, policy: &Policy, mut only_read: BTreeSet<String>) -> Programs {
    let denied = policy.denied_programs();
    let mut by_rule: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for file in found.into_values() {
        let Some(rule) = file.names.iter().find_map(|name| denied.rule(name)) else {
            continue;
        };
        let is_needed = |name: &String| {
            let bare = Path::new(name).file_name().and_then(OsStr::to_str).unwrap_or(name);
            !name.starts_with("./") && policy.is_needed(bare)
        };
        match file.names.iter().any(is_needed) {
            true => drop(only_read.insert(rule.to_owned())),
            false => by_rule.entry(rule).or_default().extend(file.places),
        }
    }
    let (few, many): (Vec<_>, Vec<_>) = by_rule.into_iter().partition(|(_, files)| files.len() <= MOST);
    only_read.extend(many.into_iter().map(|(rule, _)| rule.to_owned()));
    Programs {
        covered: few.into_iter().flat_map(|(_, files)| files).collect(),
        only_read: only_read.into_iter().collect(),
    }
}

/// Whether a file of the project may be a program that rules deny: it can be executed, or a rule names it by its path.
pub(crate) fn may_be_denied(denied: &DeniedPrograms, root: &Path, path: &Path) -> bool {
    let is_named = || {
        let relative = path.strip_prefix(root).ok().and_then(Path::to_str);
        relative.is_some_and(|relative| {
            denied
                .rule(&format!("./{relative}"))
                .is_some_and(|rule| rule.contains('/'))
        })
    };
    !denied.is_empty() && (path.metadata().is_ok_and(|about| is_executable(&about)) || is_named())
}

fn add(found: &mut BTreeMap<(u64, u64), Found>, name: String, path: &Path, fits: impl Fn(&Metadata) -> bool) {
    let Ok(about) = path.metadata() else { return };
    if !about.is_file() || !fits(&about) {
        return;
    }
    let (Some(identity), Ok(place)) = (identity(&about), path.canonicalize()) else {
        return;
    };
    let file = found.entry(identity).or_default();
    if !name.starts_with("./") {
        // A link leads to a file that may lie elsewhere and has a name of its own.
        file.names.insert(place.to_string_lossy().into_owned());
    }
    file.names.insert(name);
    file.places.insert(place);
}

fn folders(root: &Path) -> BTreeSet<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = home.iter().flat_map(|home| OWN_FOLDERS.map(|folder| home.join(folder)));
    let all = named.into_iter().chain(FOLDERS.map(PathBuf::from)).chain(own);
    let all = all.chain(PROJECT_FOLDERS.map(|folder| root.join(folder)));
    all.filter_map(|folder| folder.canonicalize().ok()).collect()
}

#[cfg(unix)]
pub(crate) fn is_executable(about: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.is_file() && about.permissions().mode() & 0o111 != 0
}

#[cfg(unix)]
fn identity(about: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Metadata) -> bool {
    false
}

/// Nothing is enforced there yet.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn denying(rules: &[&str]) -> Policy {
        let mut policy = Policy::default();
        policy.run.deny = rules.iter().map(ToString::to_string).collect();
        policy
    }

    #[test]
    fn a_program_is_covered_under_every_name_and_never_with_one_that_is_needed() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        let at = |name: &str| root.join(name);
        for name in ["fetch", "many", "other", "plain"] {
            std::fs::write(at(name), name).expect("written");
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).expect("set");
        }
        std::fs::hard_link(at("fetch"), at("second")).expect("linked");
        symlink("other", at("get")).expect("linked");
        for name in ["weird", "cat"] {
            symlink("many", at(name)).expect("linked");
        }
        // As `PATH` would name this folder.
        let mut found = BTreeMap::new();
        for name in ["fetch", "second", "many", "weird", "cat", "other", "get", "plain"] {
            add(
                &mut found,
                at(name).to_string_lossy().into_owned(),
                &at(name),
                is_executable,
            );
        }
        let policy = denying(&["fetch *", "weird", "get *"]);
        let programs = covered(found, &policy, BTreeSet::new());
        assert_eq!(programs.covered, [at("fetch"), at("second"), at("other")]);
        assert_eq!(programs.only_read, ["weird"]);
    }

    #[test]
    fn a_path_in_a_rule_is_that_file() {
        let root = Path::new("/project");
        let denied = denying(&["./tools/deploy.sh *", "rm *"]).denied_programs();
        assert!(may_be_denied(&denied, root, Path::new("/project/tools/deploy.sh")));
        assert!(!may_be_denied(&denied, root, Path::new("/project/deploy.sh")));
        assert!(
            !may_be_denied(&denied, root, Path::new("/project/rm")),
            "it cannot be executed"
        );
    }
}
