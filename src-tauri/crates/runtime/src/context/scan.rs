//! The files of a project that may be looked at: what `.gitignore` leaves, what the permissions let be read, what is a text of a known language
//! and not too large. Names that begin with a dot are left out, and so are folders of installed packages.

use super::settings::Settings;
use super::split::Language;
use crate::clock;
use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use permission::{Kind, Need, Policy, Uses};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Larger files are left out, in bytes.
const LARGEST: u64 = 512 * 1024;
/// So many files are looked at.
const MOST_FILES: usize = 20_000;
/// And so many bytes.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// Folders of installed packages and of what is compiled.
const PACKAGES: [&str; 4] = ["node_modules", "__pycache__", "site-packages", "bower_components"];
/// A file that was changed so shortly ago may change again without looking different from outside.
const FRESH_MS: i64 = 2_000;

/// A file that may be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// From the project's folder, with `/`.
    pub(super) path: String,
    pub(super) language: Language,
    /// How it looks from outside; empty when that says nothing.
    pub(super) stamp: String,
    file: PathBuf,
}

/// The files, by path, and a sentence for what was left out that somebody might miss.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) files: Vec<Seen>,
    pub(super) notes: Vec<String>,
}

/// Looks at the project. `root` is canonical.
pub(super) fn scan(root: &Path, settings: &Settings, policy: &Policy) -> Scan {
    let mut scan = Scan::default();
    let own = own_ignores(root, &settings.ignore);
    let walk = WalkBuilder::new(root)
        .hidden(true)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(64))
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_package = is_folder && entry.file_name().to_str().is_some_and(|name| PACKAGES.contains(&name));
            entry.depth() == 0 || !is_package && !own.matched(entry.path(), is_folder).is_ignore()
        })
        .build();
    let mut found: Vec<(Seen, u64)> = Vec::new();
    let mut large = 0_usize;
    for entry in walk.flatten() {
        let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else {
            continue;
        };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let language = Language::of_path(path).filter(|language| is_file && settings.languages.contains(language));
        let (Some(language), Ok(meta)) = (language, entry.metadata()) else {
            continue;
        };
        if meta.len() > LARGEST {
            large += 1;
            continue;
        }
        let changed_ms = meta
            .ctime()
            .saturating_mul(1_000)
            .saturating_add(meta.ctime_nsec() / 1_000_000);
        let stamp = format!(
            "{} {} {} {}",
            meta.len(),
            meta.mtime_nsec(),
            meta.ino(),
            meta.ctime_nsec()
        );
        let stamp = format!("{stamp} {} {}", meta.mtime(), meta.ctime());
        let is_fresh = clock::now().0.saturating_sub(changed_ms) < FRESH_MS;
        let seen = Seen {
            path: path.to_owned(),
            language,
            stamp: if is_fresh { String::new() } else { stamp },
            file: entry.path().to_owned(),
        };
        found.push((seen, meta.len()));
    }
    found.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let kept_away = denied(policy, found.iter().map(|(seen, _)| seen.path.as_str()));
    let before = found.len();
    found.retain(|(seen, _)| !kept_away.contains_key(&quoted(&seen.path)));
    let refused = before - found.len();
    let mut bytes = 0_u64;
    let fits = found.iter().take(MOST_FILES).take_while(|(_, size)| {
        bytes = bytes.saturating_add(*size);
        bytes <= MOST_BYTES
    });
    let fits = fits.count();
    let over = found.len() - fits;
    for (count, why) in [
        (large, format!("larger than {} KiB", LARGEST / 1_024)),
        (refused, "kept from steps by the permissions".to_owned()),
        (
            over,
            format!(
                "beyond the first {MOST_FILES} files or {} MiB of the project",
                MOST_BYTES / 1_048_576
            ),
        ),
    ] {
        if count > 0 {
            let files = if count == 1 {
                "1 file is".to_owned()
            } else {
                format!("{count} files are")
            };
            scan.notes.push(format!("{files} left out: {why}"));
        }
    }
    found.truncate(fits);
    scan.files = found.into_iter().map(|(seen, _)| seen).collect();
    scan
}

impl Seen {
    /// Its text; `None` when it is none, or is not what it was a moment ago.
    pub(super) fn read(&self) -> Option<String> {
        // What has become a link or a pipe meanwhile is not opened.
        let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
        let file = std::fs::OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&self.file)
            .ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
        let is_text = bytes.len() as u64 <= LARGEST && !bytes.contains(&0);
        String::from_utf8(bytes).ok().filter(|_| is_text)
    }
}

fn own_ignores(root: &Path, patterns: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        // They were tried when the configuration was read.
        let _ = builder.add_line(None, pattern);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Of these paths those that may not be read, as [`quoted`], and by what. What a rule would have a person asked about may be: reading is
/// asked about for commands.
pub(super) fn denied<'p>(policy: &Policy, paths: impl Iterator<Item = &'p str>) -> BTreeMap<String, String> {
    let needs = paths.map(|path| Need::new(Kind::Read, quoted(path))).collect();
    let denied = policy.judge(&Uses { needs }, &[]).denied;
    denied.into_iter().map(|denied| (denied.need.what, denied.by)).collect()
}

/// A path as needs show it: all of it known.
pub(super) fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}
