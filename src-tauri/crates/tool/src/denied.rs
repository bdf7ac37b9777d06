//! The files that rules and built-in secrets keep: found by every name under which a rule may speak of them.

use crate::links::links_to;
use crate::programs;
use permission::{DeniedFiles, DeniedPrograms, Kind, NamedPlace, Policy};
use process::Enforced;
use std::collections::{BTreeSet, VecDeque};
use std::fs::{FileType, Metadata};
use std::path::{Component, Path, PathBuf};

/// Folders in which rules alone are looked for, and last: programs make them, they are large, and what looks like a secret in them is an example.
const MADE: [&str; 5] = [".git", ".gatehouse", "node_modules", "target", ".venv"];
/// What says what is run in a folder.
const DECIDING: [&str; 4] = [".git", ".gatehouse", "gatehouse.yaml", "gatehouse.yml"];
/// What every program needs: hidden as a whole, nothing would start.
const NEEDED: [&str; 12] = [
    "/", "/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/usr/bin", "/usr/lib",
];
/// Where the system has files that are no secrets, whatever links to them are called (`cert.pem`).
const SYSTEM: [&str; 4] = ["/usr", "/etc", "/nix", "/opt"];
/// So many entries are looked at, of the project and of each place that a rule names outside of it.
const MOST: usize = 100_000;
/// So many remarks are made, and the rest counted.
const MOST_SAID: usize = 20;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What may not be read.
    pub hidden: BTreeSet<PathBuf>,
    /// What may not be written.
    pub fixed: BTreeSet<PathBuf>,
    /// Links that lead to any of it.
    pub links: BTreeSet<PathBuf>,
    /// What may be a program that rules deny.
    pub programs: Vec<PathBuf>,
    /// What reading alone keeps, each in a few words.
    pub only_read: BTreeSet<String>,
}

/// Looks for all that the permissions keep.
pub(crate) fn look(root: &Path, policy: &Policy) -> Found {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut walk = Walk {
        root,
        home: home.filter(|home| home.is_absolute()),
        files: policy.denied_files(),
        programs: policy.denied_programs(),
        left: MOST,
        has_made: true,
        next: VecDeque::new(),
        last: VecDeque::new(),
        given: &policy.write.allow,
        found: Found::default(),
    };
    walk.secrets();
    for place in walk.files.places().to_vec() {
        walk.place(&place);
    }
    walk.project();
    let mut found = walk.found;
    if let Some(rest) = found.only_read.len().checked_sub(MOST_SAID + 1) {
        found.only_read = found.only_read.into_iter().take(MOST_SAID).collect();
        found.only_read.insert(format!("{} more such files", rest + 1));
    }
    found
}

/// A folder that is to be looked at.
struct Open {
    folder: PathBuf,
    /// It is kept from being written with a folder around it: what is left is what is no part of that.
    is_fixed: bool,
    /// It lies in one of [`MADE`].
    is_made: bool,
    /// How many links lead to it.
    links: usize,
}

struct Walk<'a> {
    root: &'a Path,
    home: Option<PathBuf>,
    files: DeniedFiles,
    programs: DeniedPrograms,
    /// How many entries are still looked at.
    left: usize,
    /// Whether rules are about [`MADE`] folders too.
    has_made: bool,
    next: VecDeque<Open>,
    /// Behind all of those: made folders, and those behind links.
    last: VecDeque<Open>,
    /// What the rules let steps write.
    given: &'a [String],
    found: Found,
}

impl Walk<'_> {
    /// The person's secrets and the system's, where they lie most.
    fn secrets(&mut self) {
        for folder in permission::secret_folders() {
            let Some(folder) = self.resolved(&folder) else { continue };
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let text = path.to_string_lossy();
                // A pattern `**/.ssh/**` means what lies in it.
                let is_secret = self.files.is_secret(&text) || path.is_dir() && self.files.is_secret_folder(&text);
                if is_secret && !self.root.starts_with(&path) {
                    self.cover(Kind::Read, &path);
                }
            }
        }
    }

    /// What a rule names by a place to begin at, wherever that is.
    fn place(&mut self, place: &NamedPlace) {
        let rule = &place.rule;
        let Some(base) = self.resolved(&place.beginning) else {
            self.found.only_read.insert(format!("the rule `{rule}`"));
            return;
        };
        let may_be_made = place.kind == Kind::Write;
        let Ok(about) = base.symlink_metadata() else {
            if may_be_made {
                self.found.only_read.insert(format!("`{rule}`, which is not there yet"));
            }
            return;
        };
        let real = base.canonicalize().unwrap_or_else(|_| base.clone());
        if is_needed(&real) {
            self.found.only_read.insert(format!("the rule `{rule}`"));
            return;
        }
        self.left = MOST;
        self.has_made = true;
        if base != self.root {
            self.entry(&base, about.file_type(), &Open::outermost(&base));
        } else if may_be_made && self.files.names_all_in(Kind::Write, "") {
            self.cover(Kind::Write, &base);
        }
        self.look_further(|| format!("the rule `{rule}`, which names a folder with more than {MOST} entries"));
        let is_covered = self.found.hidden.contains(&real) || self.found.fixed.contains(&real);
        if place.is_one && real.is_dir() && !is_covered {
            let what = format!("the rule `{rule}`, which names a folder and not what lies in it (`/**`)");
            self.found.only_read.insert(what);
        } else if may_be_made && !is_covered {
            // A folder of which only some files are covered may get more of them.
            self.found.only_read.insert(format!("new files that `{rule}` names"));
        }
    }

    fn project(&mut self) {
        self.left = MOST;
        self.has_made = self.files.places().iter().any(|place| place.beginning.is_empty());
        self.next.push_back(Open::outermost(self.root));
        self.look_further(|| format!("protected and secret files beyond the first {MOST} of the project"));
    }

    /// Looks at all that is open; says `what` where that is too much.
    fn look_further(&mut self, what: impl Fn() -> String) {
        while let Some(open) = self.next.pop_front().or_else(|| self.last.pop_front()) {
            for entry in std::fs::read_dir(&open.folder).into_iter().flatten().flatten() {
                let Some(rest) = self.left.checked_sub(1) else {
                    self.next.clear();
                    self.last.clear();
                    self.found.only_read.insert(what());
                    return;
                };
                self.left = rest;
                if let Ok(kind) = entry.file_type() {
                    self.entry(&entry.path(), kind, &open);
                }
            }
        }
    }

    /// A path as rules write it, from the disk's root.
    fn resolved(&self, written: &str) -> Option<PathBuf> {
        let path = match written.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                self.home.as_ref()?.join(rest.trim_start_matches('/'))
            }
            // The home of somebody else.
            Some(_) => return None,
            None => self.root.join(written),
        };
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        Some(plain)
    }

    /// Under what names a rule may speak of a file: from the project's folder, from the disk's root, from the home.
    fn names(&self, path: &Path) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut around = self.root.ancestors().enumerate();
        let near = around.find_map(|(up, folder)| Some("../".repeat(up) + &text(path.strip_prefix(folder).ok()?)));
        if self.files.places().is_empty() {
            return near.into_iter().collect();
        }
        let home = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
        near.into_iter()
            .chain([text(path)])
            .chain(home.map(|rest| format!("~/{}", text(rest))))
            .collect()
    }

    /// `open`: the folder in which it lies.
    fn entry(&mut self, path: &Path, kind: FileType, open: &Open) {
        let is_folder = kind.is_dir() || kind.is_symlink() && path.is_dir();
        if !is_folder && !open.is_made && programs::may_be_denied(&self.programs, self.root, path) {
            self.found.programs.push(path.to_owned());
        }
        if self.is_of_another_project(path) {
            self.cover(Kind::Write, path);
            self.found.fixed.extend(repository(path));
        }
        let names = self.names(path);
        let is_named = |kept: Kind| match is_folder {
            true => names.iter().any(|name| self.files.names_all_in(kept, name)),
            false => names.iter().any(|name| self.files.names(kept, name)),
        };
        // Who works in a folder cannot have it covered.
        let is_around = self.root.starts_with(path);
        let is_denied = |kept: Kind| !is_around && is_named(kept);
        let is_secret = || {
            let is_secret = !open.is_made && !is_folder && names.first().is_some_and(|name| self.files.is_secret(name));
            // What only a link calls so is the system's.
            is_secret && !(kind.is_symlink() && is_system(path))
        };
        if is_denied(Kind::Read) || is_secret() {
            return self.cover(Kind::Read, path);
        }
        let is_fixed = is_denied(Kind::Write);
        if is_fixed && (!open.is_fixed || !kind.is_file() && !kind.is_dir()) {
            self.cover(Kind::Write, path);
        }
        let is_made = MADE
            .into_iter()
            .any(|name| path.file_name().is_some_and(|own| own == name));
        if !is_folder || is_made && !self.has_made || kind.is_symlink() && leads_round(path, open.links) {
            return;
        }
        let further = Open {
            folder: path.to_owned(),
            is_fixed: is_fixed || open.is_fixed && !kind.is_symlink(),
            is_made: is_made || open.is_made,
            links: open.links + usize::from(kind.is_symlink()),
        };
        match further.is_made || further.links > 0 {
            true => self.last.push_back(further),
            false => self.next.push_back(further),
        }
    }

    /// Whether it says what is run elsewhere: the repository of a folder in the project (its hooks run when somebody commits there), or the
    /// settings and records of a project in it. Those of the project itself are kept anyway.
    fn is_of_another_project(&self, path: &Path) -> bool {
        let Ok(inside) = path.strip_prefix(self.root) else {
            return false;
        };
        let name = inside.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let decides = name.is_some_and(|name| DECIDING.contains(&name.as_str()));
        let shown = inside.to_string_lossy();
        let is_given = || {
            let mut patterns = self.given.iter().map(|pattern| pattern.trim_start_matches("./"));
            patterns.any(|pattern| pattern.starts_with(&*shown))
        };
        decides && inside.components().count() > 1 && !is_given()
    }

    /// Covers what a path leads to.
    fn cover(&mut self, kept: Kind, path: &Path) {
        let real = path.canonicalize();
        let about = real.as_ref().ok().and_then(|real| real.metadata().ok());
        // Writing to a pipe, a socket or a device changes no file: no mount refuses it.
        let is_held = |about: Metadata| kept == Kind::Read || about.is_file() || about.is_dir();
        // Where the kernel does not hold it, a link can be taken away and a file put in its place, unless the folder around it is kept.
        let is_kept = || self.found.fixed.iter().any(|folder| path.starts_with(folder));
        self.found.links.extend(links_to(path));
        if kept == Kind::Write && path.is_symlink() && !is_kept() && !Enforced::here().links {
            let shown = path.strip_prefix(self.root).unwrap_or(path);
            let what = format!("`{}`, which is a link", shown.display());
            self.found.only_read.insert(what);
        }
        match real {
            Ok(real) if about.is_some_and(is_held) && !is_needed(&real) && !self.root.starts_with(&real) => {
                match kept {
                    Kind::Read => self.found.hidden.insert(real),
                    _ => self.found.fixed.insert(real),
                };
            }
            // The project as a whole can be kept from being written.
            Ok(real) if kept == Kind::Write && real == self.root => drop(self.found.fixed.insert(real)),
            Ok(real) if real != path => {
                let what = format!("`{}`, which leads to `{}`", path.display(), real.display());
                self.found.only_read.insert(what);
            }
            _ => drop(self.found.only_read.insert(format!("`{}`", path.display()))),
        }
    }
}

/// The folders of a repository that lie elsewhere, where `.git` is a file that says so (a worktree, a submodule) or a link: its own and the one
/// that it shares with others, in which the hooks are.
pub(crate) fn repository(git: &Path) -> Vec<PathBuf> {
    const LONGEST: u64 = 4096;
    let read = |file: &Path| -> Option<String> {
        let about = file.symlink_metadata().ok()?;
        let text = (about.is_file() && about.len() <= LONGEST).then(|| std::fs::read_to_string(file).ok())?;
        Some(text?.trim_end().to_owned())
    };
    let around = git.parent().unwrap_or(git);
    let own = match read(git) {
        Some(text) => text.strip_prefix("gitdir:").map(|at| around.join(at.trim_start())),
        None => git.is_symlink().then(|| git.to_owned()),
    };
    let Some(own) = own.and_then(|own| own.canonicalize().ok()) else {
        return Vec::new();
    };
    let shared = read(&own.join("commondir")).and_then(|at| own.join(at).canonicalize().ok());
    std::iter::once(own).chain(shared).collect()
}

impl Open {
    fn outermost(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            is_fixed: false,
            is_made: false,
            links: 0,
        }
    }
}

fn is_needed(real: &Path) -> bool {
    NEEDED.iter().any(|needed| real == Path::new(needed)) || real.starts_with("/proc")
}

fn is_system(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_default();
    SYSTEM.iter().any(|folder| real.starts_with(folder))
}

/// Whether a link to a folder shows nothing new: what it leads to lies around it, or many links have led to it.
fn leads_round(link: &Path, links: usize) -> bool {
    const MOST_LINKS: usize = 4;
    let real = |path: &Path| path.canonicalize().unwrap_or_default();
    links == MOST_LINKS || real(link.parent().unwrap_or(link)).starts_with(real(link))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn rules(read: &[&str], write: &[&str]) -> Policy {
        let mut policy = Policy::default();
        policy.read.deny = read.iter().map(|&rule| rule.to_owned()).collect();
        policy.write.deny = write.iter().map(|&rule| rule.to_owned()).collect();
        policy
    }

    #[test]
    fn what_rules_name_is_found_outside_of_the_project_and_behind_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("it is there");
        let root = top.join("project");
        for file in [
            "abs/secret.txt",
            "abs/fixed.txt",
            "sib.txt",
            "private/in/one",
            "out.txt",
            "linked/two",
            "linked/.env",
            "two.env",
            "project/real/in.txt",
            "project/data/plain",
            "project/some/keep.txt",
            "project/fx/one",
            "project/node_modules/a/kept.txt",
            "project/node_modules/a/.env",
        ] {
            let file = top.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, "x").expect("written");
        }
        for (to, link) in [
            ("../../out.txt", "some/secret"),
            ("../real/in.txt", "some/own"),
            ("../../linked", "some/sub"),
            ("..", "some/round"),
            ("../two.env", "plain.env"),
            ("../../sib.txt", "fx/out"),
        ] {
            symlink(to, root.join(link)).expect("linked");
        }
        let odd = root.join(OsStr::from_bytes(b"odd-\xff.txt"));
        std::fs::write(&odd, "x").expect("written");
        let secret = top.join("abs/secret.txt").display().to_string();
        let fixed = top.join("abs/fixed.txt").display().to_string();
        let read = [
            &*secret,
            "../sib.txt",
            "../private/**",
            "data/**",
            "some/{secret,own,sub}/**",
            "some/{secret,own}",
            "odd-*",
            "**/kept.txt",
        ];
        let found = look(&root, &rules(&read, &[&fixed, "fx/**"]));
        let at = |names: &[&str]| names.iter().map(|name| top.join(name)).collect::<Vec<_>>();
        for path in at(&[
            "abs/secret.txt",
            "sib.txt",
            "private",
            "project/data",
            "out.txt",
            "linked",
            "project/real/in.txt",
            "project/node_modules/a/kept.txt",
            "two.env",
        ])
        .into_iter()
        .chain([odd])
        {
            assert!(found.hidden.contains(&path), "{path:?}: {found:#?}");
        }
        for path in at(&["abs/fixed.txt", "project/fx", "sib.txt"]) {
            assert!(found.fixed.contains(&path), "{path:?}: {found:#?}");
        }
        for path in at(&["project", "project/some", "project/node_modules/a/.env"]) {
            assert!(
                !found.hidden.contains(&path) && !found.fixed.contains(&path),
                "{path:?}"
            );
        }
        assert!(found.only_read.is_empty(), "{found:#?}");
        // A link to a folder is looked into for secrets too.
        let found = look(&root, &rules(&[], &[]));
        assert!(found.hidden.contains(&top.join("linked/.env")), "{found:#?}");
        assert!(look(&root, &rules(&[], &["**"])).fixed.contains(&root));
    }

    #[test]
    fn what_cannot_be_held_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there").join("project");
        std::fs::create_dir_all(root.join("docs")).expect("made");
        symlink("later.txt", root.join("dangling")).expect("linked");
        symlink("/dev/null", root.join("null")).expect("linked");
        std::fs::write(root.join("file"), "x").expect("written");
        symlink("file", root.join("link")).expect("linked");
        let said = |read: &[&str], write: &[&str]| {
            let said: Vec<String> = look(&root, &rules(read, write)).only_read.into_iter().collect();
            said.join(", ")
        };
        for rule in ["private/**", "../new.txt", "docs/**", "~/is-not-there/**"] {
            assert_eq!(said(&[rule], &[]), "", "{rule}");
        }
        for (rule, what) in [
            ("/**", "the rule `/**`"),
            ("/usr/**", "the rule `/usr/**`"),
            ("/proc/*/stat", "the rule `/proc/*/stat`"),
            ("~somebody/x", "the rule `~somebody/x`"),
            ("docs", "the rule `docs`, which names a folder"),
            ("dangling", "/dangling`"),
        ] {
            assert!(said(&[rule], &[]).contains(what), "{rule}: {}", said(&[rule], &[]));
        }
        for (rule, what) in [
            ("new.txt", "`new.txt`, which is not there yet"),
            ("*.lock", "new files that `*.lock` names"),
            ("null", "/null`, which leads to `/dev/null`"),
        ] {
            assert!(said(&[], &[rule]).contains(what), "{rule}: {}", said(&[], &[rule]));
        }
        assert_eq!(said(&[], &["docs/**"]), "");
        let (held, is_said) = (
            Enforced::here().links,
            said(&[], &["link"]).contains("`link`, which is a link"),
        );
        assert_ne!(held, is_said, "a link is held by the kernel, or named");
        assert!(look(&root, &rules(&[], &["link"])).links.contains(&root.join("link")));
    }
}
