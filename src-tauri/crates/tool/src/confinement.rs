//! What every program that is started for a project is kept from.

use permission::{Kind, Need, Policy, Uses};
use process::Confinement;
use std::path::{Path, PathBuf};

/// What decides over runs, or keeps them: a step that could change it could give itself permissions.
const FIXED: [&str; 4] = [".gatehouse", ".git", "gatehouse.yaml", "gatehouse.yml"];
/// Where people keep secrets, in their home and in the system. Which of them are hidden is for the permissions to say.
const SECRETS: [&str; 20] = [
    ".ssh",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".kube",
    ".docker/config.json",
    ".gnupg",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store",
    ".bash_history",
    ".zsh_history",
    ".env",
];
/// Folders in which no secrets are looked for: they are made by programs, and large.
const SKIPPED: [&str; 5] = [".git", ".gatehouse", "node_modules", "target", ".venv"];
/// So many entries of a project are looked at.
const MOST: usize = 20_000;

/// What holds for every program of a project, whatever the permissions: Gatehouse's own files, the configuration and Git's cannot be changed, and the
/// person's keys cannot be read.
pub fn always(root: &Path) -> Confinement {
    Confinement {
        fixed: FIXED.iter().map(|name| root.join(name)).collect(),
        hidden: keys().into_iter().collect(),
        ..Confinement::default()
    }
}

/// The same, with what the permissions keep: files that may not be read, and files that may not be written, those that are there now. A project
/// that allows writing `.git/**` gets it. `workflow`: the path of the workflow from the project's folder, which no step changes.
pub fn of(root: &Path, policy: &Policy, workflow: &str) -> Confinement {
    let mut all = always(root);
    let is_git = |pattern: &String| pattern.trim_start_matches("./").starts_with(".git/");
    if policy.write.allow.iter().any(is_git) {
        all.fixed.retain(|path| !path.ends_with(".git"));
    }
    if !workflow.is_empty() {
        all.fixed.push(root.join(workflow));
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let secrets = home.iter().flat_map(|home| SECRETS.map(|name| home.join(name)));
    let secrets = secrets.chain(["/etc/shadow", "/etc/gshadow", "/etc/sudoers"].map(PathBuf::from));
    // A pattern `**/.ssh/**` means what lies in it.
    let secrets = secrets.filter(|path| path.exists() && !root.starts_with(path));
    all.hidden.extend(secrets.filter(|path| {
        let path = path.to_string_lossy();
        is_denied(policy, Kind::Read, &path) || is_denied(policy, Kind::Read, &format!("{path}/x"))
    }));
    let mut left = MOST;
    walk(root, root, policy, &mut all, &mut left);
    all
}

fn walk(root: &Path, folder: &Path, policy: &Policy, all: &mut Confinement, left: &mut usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
            walk(root, &path, policy, all, left);
        }
        if !kind.is_file() {
            continue;
        }
        let Some(named) = path.strip_prefix(root).ok().and_then(Path::to_str) else {
            continue;
        };
        if is_denied(policy, Kind::Read, named) {
            all.hidden.push(path);
        } else if !policy.write.deny.is_empty() && is_denied(policy, Kind::Write, named) {
            all.fixed.push(path);
        }
    }
}

/// Whether the permissions refuse a file, whoever asks.
fn is_denied(policy: &Policy, kind: Kind, path: &str) -> bool {
    let need = Need::new(kind, format!("'{}'", path.replace('\'', "'\\''")));
    // What no rule names is for a person to say; it was said before the program was started.
    let asking = Policy {
        mode: permission::Mode::Ask,
        ..policy.clone()
    };
    !asking.judge(&Uses { needs: vec![need] }, &[]).denied.is_empty()
}

/// Where this person's keys lie.
fn keys() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("GATEHOUSE_HOME").or_else(|| {
        Some(
            set("XDG_CONFIG_HOME")
                .or_else(|| Some(set("HOME")?.join(".config")))?
                .join("gatehouse"),
        )
    })
}
