//! What every program that is started for a project is kept from.

use crate::links::links_to;
use crate::{denied, programs};
use permission::{Kind, Need, Network, Policy, Uses};
use process::{Confinement, Enforced, Limits};
use std::path::{Path, PathBuf};

/// What decides over runs, or keeps them: a step that could change it could give itself permissions.
const FIXED: [&str; 4] = [".gatehouse", ".git", "gatehouse.yaml", "gatehouse.yml"];

/// What programs of a project are kept from.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// What the kernel is told.
    pub confinement: Confinement,
    /// What reading scripts alone keeps on this machine, each in a few words; nothing when the kernel holds all.
    pub only_read: Vec<String>,
}

/// What holds for every program of a project, whatever the permissions: Gatehouse's own files, the configuration and Git's cannot be changed, and the
/// person's keys cannot be read.
pub fn always(root: &Path) -> Confinement {
    let mut all = Confinement {
        fixed: FIXED
            .iter()
            .map(|name| root.join(name))
            .chain(denied::repository(&root.join(".git")))
            .collect(),
        hidden: of_person().into_iter().collect(),
        links: named_of_person().iter().flat_map(|folder| links_to(folder)).collect(),
        ..Confinement::default()
    };
    hold_ways(&mut all);
    all
}

/// Holds the links by which what is fixed is named, and what they lead to under its own path as well.
fn hold_ways(all: &mut Confinement) {
    let mut real = Vec::new();
    for path in &all.fixed {
        let links = links_to(path);
        if links.is_empty() {
            continue;
        }
        real.extend(path.canonicalize().ok().filter(|real| !all.fixed.contains(real)));
        all.links.extend(links);
    }
    all.fixed.extend(real);
    all.links.sort_unstable();
    all.links.dedup();
}

/// The same, with what the permissions keep, of the files that are there now: what may not be read or written, denied programs, the network.
/// `deciding`: files that say what runs do, from the project's folder. A project that allows writing `.git/**`, or such a file by a pattern that
/// begins with a name (`workflows/**`), gets it.
pub fn of(root: &Path, policy: &Policy, limits: Limits, deciding: &[String]) -> Kept {
    let mut all = Confinement {
        limits,
        offline: policy.network == Network::Deny,
        ..always(root)
    };
    let gives = |path: &str| {
        policy
            .write
            .allow
            .iter()
            .any(|pattern| plain(pattern).starts_with(path))
    };
    if gives(".git/") {
        let repository = denied::repository(&root.join(".git"));
        all.fixed
            .retain(|path| !path.ends_with(".git") && !repository.contains(path));
    }
    let deciding = deciding
        .iter()
        .filter(|path| !path.is_empty() && !is_given(policy, path));
    all.fixed.extend(deciding.map(|path| root.join(path)));
    let found = denied::look(root, policy);
    all.hidden.extend(found.hidden);
    all.fixed.extend(found.fixed);
    all.links.extend(found.links);
    let by_link: Vec<PathBuf> = all
        .fixed
        .iter()
        .filter(|path| is_by_link(root, path))
        .cloned()
        .collect();
    hold_ways(&mut all);
    // Before the programs: all names of those are looked for.
    let linked: Vec<PathBuf> = all
        .fixed
        .iter()
        .chain(&all.hidden)
        .filter(|path| has_names(path))
        .cloned()
        .collect();
    let programs = programs::of(root, policy, &found.programs);
    all.hidden.extend(programs.covered);
    let here = Enforced::here();
    let mut only_read: Vec<String> = here.lacks(&all).into_iter().map(str::to_owned).collect();
    match here.files {
        true => {
            only_read.extend(programs.only_read.iter().map(|rule| format!("the rule `{rule}`")));
            only_read.extend(found.only_read);
            only_read.extend(linked.iter().map(|path| {
                let path = path.strip_prefix(root).unwrap_or(path);
                format!("`{}` under its other names (hard links)", path.display())
            }));
        }
        false if policy.run.deny.is_empty() => {}
        false => only_read.push("denied commands".to_owned()),
    }
    // What is mounted over a link lies over what it leads to: where the kernel does not hold it, the link itself can be taken away.
    let links = by_link.iter().filter(|_| !here.links);
    only_read.extend(links.filter_map(|path| {
        Some(format!(
            "`{}`, which is a link",
            path.strip_prefix(root).ok()?.display()
        ))
    }));
    Kept {
        confinement: all,
        only_read,
    }
}

/// Whether a path, or a folder on the way to it from the project's, is a link.
fn is_by_link(root: &Path, path: &Path) -> bool {
    let mut way = path.ancestors().take_while(|folder| *folder != root);
    way.any(Path::is_symlink)
}

/// Whether a file has second names, under which no mount covers it.
#[cfg(unix)]
fn has_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata()
        .is_ok_and(|about| about.is_file() && about.nlink() > 1)
}

/// Nothing is enforced there yet.
#[cfg(not(unix))]
fn has_names(_: &Path) -> bool {
    false
}

/// Whether a rule gives a file to steps by its name: `**` is about what steps make.
fn is_given(policy: &Policy, path: &str) -> bool {
    let named = policy
        .write
        .allow
        .iter()
        .filter(|pattern| !plain(pattern).starts_with('*'));
    let given = Policy {
        mode: permission::Mode::Deny,
        write: permission::Rules {
            allow: named.cloned().collect(),
            deny: policy.write.deny.clone(),
        },
        spelling: policy.spelling.clone(),
        ..Policy::default()
    };
    !given
        .judge(
            &Uses {
                needs: vec![Need::known(Kind::Write, path)],
            },
            &[],
        )
        .allowed
        .is_empty()
}

fn plain(pattern: &str) -> &str {
    pattern.trim_start_matches("./")
}

/// Environment variable that names the person's folder, for tests and portable installations.
pub const HOME_VARIABLE: &str = "GATEHOUSE_HOME";

/// The folder of this person: their keys, and what Gatehouse itself works on for a moment. No program of a step sees into it. Where links lead to it
/// (a home whose `.config` is one), it is where they lead.
pub fn of_person() -> Option<PathBuf> {
    let folder = named_of_person()?;
    Some(folder.canonicalize().unwrap_or(folder))
}

/// The same, as it is named.
fn named_of_person() -> Option<PathBuf> {
    whole(HOME_VARIABLE).or_else(configuration_folder)
}

/// That folder where nothing names another one: among what this account keeps of its programs.
pub fn configuration_folder() -> Option<PathBuf> {
    let of_account = whole("XDG_CONFIG_HOME")
        .or_else(|| Some(whole("HOME")?.join(".config")))
        .or_else(|| whole("APPDATA"));
    Some(of_account?.join("gatehouse"))
}

/// A folder that a variable names. What does not begin at the root is not meant (XDG Base Directory Specification).
fn whole(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A worktree's `.git` is a file; what it leads to decides what the next commit runs.
    #[test]
    fn repositories_are_kept_wherever_they_lie() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("it is there");
        let root = top.join("project");
        for (file, text) in [
            ("main/.git/hooks/pre-commit", ""),
            ("main/.git/worktrees/project/commondir", "../..\n"),
            ("project/.git", "gitdir: ../main/.git/worktrees/project\n"),
            ("project/sub/.git/config", ""),
            ("project/other/gatehouse.yaml", ""),
            ("project/other/.gatehouse/history.db", ""),
            ("project/given/.git/config", ""),
            ("project/plain/a.md", ""),
        ] {
            let file = top.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let shared = [top.join("main/.git/worktrees/project"), top.join("main/.git")];
        assert_eq!(denied::repository(&root.join(".git")), shared);
        let mut policy = Policy::default();
        policy.write.allow = vec!["given/.git/**".to_owned()];
        let all = |policy: &Policy| of(&root, policy, process::Limits::default(), &[]).confinement.fixed;
        let fixed = all(&policy);
        let inside = ["sub/.git", "other/gatehouse.yaml", "other/.gatehouse"].map(|path| root.join(path));
        for path in shared.iter().chain(&inside) {
            assert!(fixed.contains(path), "{path:?}: {fixed:#?}");
        }
        assert!(!fixed.contains(&root.join("given/.git")) && !fixed.contains(&root.join("plain")));
        policy.write.allow = vec![".git/**".to_owned()];
        let fixed = all(&policy);
        assert!(!fixed.iter().any(|path| shared.contains(path)), "{fixed:#?}");
    }
}
