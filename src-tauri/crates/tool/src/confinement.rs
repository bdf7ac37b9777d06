//! What every program that is started for a project is kept from.

use crate::programs;
use permission::{DeniedPrograms, Kind, Need, Network, Policy, Uses};
use process::{Confinement, Enforced, Limits};
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
    Confinement {
        fixed: FIXED.iter().map(|name| root.join(name)).collect(),
        hidden: keys().into_iter().collect(),
        ..Confinement::default()
    }
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
    if policy
        .write
        .allow
        .iter()
        .any(|pattern| plain(pattern).starts_with(".git/"))
    {
        all.fixed.retain(|path| !path.ends_with(".git"));
    }
    let deciding = deciding
        .iter()
        .filter(|path| !path.is_empty() && !is_given(policy, path));
    all.fixed.extend(deciding.map(|path| root.join(path)));
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let secrets = home.iter().flat_map(|home| SECRETS.map(|name| home.join(name)));
    let secrets = secrets.chain(["/etc/shadow", "/etc/gshadow", "/etc/sudoers"].map(PathBuf::from));
    // A pattern `**/.ssh/**` means what lies in it.
    let secrets = secrets.filter(|path| path.exists() && !root.starts_with(path));
    all.hidden.extend(secrets.filter(|path| {
        let path = path.to_string_lossy();
        is_denied(policy, Kind::Read, &path) || is_denied(policy, Kind::Read, &format!("{path}/x"))
    }));
    let mut walk = Walk {
        root,
        policy,
        denied: policy.denied_programs(),
        programs: Vec::new(),
        left: MOST,
    };
    walk.look(root, &mut all);
    let programs = programs::of(root, policy, &walk.programs);
    all.hidden.extend(programs.covered);
    let here = Enforced::here();
    let mut only_read: Vec<String> = here.lacks(&all).into_iter().map(str::to_owned).collect();
    match here.files {
        true => only_read.extend(programs.only_read.iter().map(|rule| format!("the rule `{rule}`"))),
        false if policy.run.deny.is_empty() => {}
        false => only_read.push("denied commands".to_owned()),
    }
    // What is mounted over a link lies over what it leads to: the link itself can be taken away.
    let links = all.fixed.iter().filter(|path| is_by_link(root, path));
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

/// A look at the files of a project, each once.
struct Walk<'a> {
    root: &'a Path,
    policy: &'a Policy,
    denied: DeniedPrograms,
    /// What may be a program that rules deny.
    programs: Vec<PathBuf>,
    /// How many are still looked at.
    left: usize,
}

impl Walk<'_> {
    fn look(&mut self, folder: &Path, all: &mut Confinement) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Some(rest) = self.left.checked_sub(1) else { return };
            self.left = rest;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                self.look(&path, all);
            }
            if !kind.is_dir() && programs::may_be_denied(&self.denied, self.root, &path) {
                self.programs.push(path.clone());
            }
            if !kind.is_file() {
                continue;
            }
            let Some(named) = path.strip_prefix(self.root).ok().and_then(Path::to_str) else {
                continue;
            };
            if is_denied(self.policy, Kind::Read, named) {
                all.hidden.push(path);
            } else if !self.policy.write.deny.is_empty() && is_denied(self.policy, Kind::Write, named) {
                all.fixed.push(path);
            }
        }
    }
}

/// Whether the permissions refuse a file, whoever asks.
fn is_denied(policy: &Policy, kind: Kind, path: &str) -> bool {
    let need = Need::known(kind, path);
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
