//! What differs between two versions of a project's files: a commit, the index, the folder of files.

use super::contents::{Side, disk_path};
use super::open::Opened;
use super::{Error, View};
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Mode;
use gix::status::index_worktree::Item;
use gix::status::plumbing::index_as_worktree::{Change as Disk, EntryStatus};
use gix::status::tree_index::TrackRenames;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One file that differs. Paths are the repository's.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub path: BString,
    /// Its earlier path, when it was renamed or copied.
    pub from: Option<BString>,
    pub kind: Kind,
    pub old: Side,
    pub new: Side,
}

/// How it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
    /// A file became a link, or the other way round.
    Type,
    /// Two branches changed it and nobody has decided.
    Conflict,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::Type => "type_changed",
            Self::Conflict => "conflict",
        }
    }
}

/// What is to be compared with the folder of files, or with a tree.
pub(super) type Index = gix::worktree::IndexPersistedOrInMemory;

/// The repository's index; empty before anything was added.
pub(super) fn index(opened: &Opened) -> Result<Index, Error> {
    Ok(Index::Persisted(opened.repo.index_or_empty()?))
}

/// A tree, in the form of an index.
pub(super) fn tree(opened: &Opened, tree: ObjectId) -> Result<Index, Error> {
    Ok(Index::InMemory(opened.repo.index_from_tree(&tree)?))
}

/// What leads from a tree to an index, limited to a path of the project.
pub(super) fn from_tree(
    view: &View<'_>,
    opened: &Opened,
    tree: ObjectId,
    index: &Index,
    path: &str,
) -> Result<Vec<Change>, Error> {
    let renames = TrackRenames::Given(gix::diff::Rewrites::default());
    from_tree_with(view, opened, tree, index, path, renames)
}

fn from_tree_with(
    view: &View<'_>,
    opened: &Opened,
    tree: ObjectId,
    index: &Index,
    path: &str,
    renames: TrackRenames,
) -> Result<Vec<Change>, Error> {
    let mut found = Vec::new();
    // Named in full: the folder this program runs in must not count.
    let mut spec = opened.repo.pathspec(
        false,
        opened.prefix.pattern(path),
        false,
        &gix::index::State::new(opened.repo.object_hash()),
        gix::worktree::stack::state::attributes::Source::IdMapping,
    )?;
    opened
        .repo
        .tree_index_status(&tree, index, Some(&mut spec), renames, |change, _, _| {
            found.push(of_index(&change));
            match view.go_on() {
                Ok(()) => Ok(std::ops::ControlFlow::Continue(())),
                Err(_) => Ok(std::ops::ControlFlow::Break(())),
            }
        })?;
    view.go_on()?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn of_index(change: &gix::diff::index::ChangeRef<'_, '_>) -> Change {
    use gix::diff::index::ChangeRef as C;
    let stored = |id: &gix::oid, mode: Mode| Side::Stored(id.to_owned(), mode);
    match change {
        C::Addition {
            location,
            entry_mode,
            id,
            ..
        } => Change {
            path: location.as_ref().to_owned(),
            from: None,
            kind: Kind::Added,
            old: Side::Nothing,
            new: stored(id, *entry_mode),
        },
        C::Deletion {
            location,
            entry_mode,
            id,
            ..
        } => Change {
            path: location.as_ref().to_owned(),
            from: None,
            kind: Kind::Removed,
            old: stored(id, *entry_mode),
            new: Side::Nothing,
        },
        C::Modification {
            location,
            previous_entry_mode,
            previous_id,
            entry_mode,
            id,
            ..
        } => Change {
            path: location.as_ref().to_owned(),
            from: None,
            kind: match is_same_type(*previous_entry_mode, *entry_mode) {
                true => Kind::Modified,
                false => Kind::Type,
            },
            old: stored(previous_id, *previous_entry_mode),
            new: stored(id, *entry_mode),
        },
        C::Rewrite {
            source_location,
            source_entry_mode,
            source_id,
            location,
            entry_mode,
            id,
            copy,
            ..
        } => Change {
            path: location.as_ref().to_owned(),
            from: Some(source_location.as_ref().to_owned()),
            kind: if *copy { Kind::Copied } else { Kind::Renamed },
            old: stored(source_id, *source_entry_mode),
            new: stored(id, *entry_mode),
        },
    }
}

/// Whether both are plain files; whether one may be run is no other type.
fn is_same_type(a: Mode, b: Mode) -> bool {
    let plain = |mode| mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE;
    a == b || plain(a) && plain(b)
}

/// What leads from an index to the folder of files, and the files and folders that Git does not follow, if asked for.
pub(super) fn to_disk(
    view: &View<'_>,
    opened: &Opened,
    index: Index,
    path: &str,
    untracked: bool,
) -> Result<(Vec<Change>, Vec<BString>), Error> {
    let unfollowed = match untracked {
        true => gix::status::UntrackedFiles::Collapsed,
        false => gix::status::UntrackedFiles::None,
    };
    let items = opened
        .repo
        .status(gix::progress::Discard)?
        .index(index)
        .untracked_files(unfollowed)
        .index_worktree_submodules(None)
        .index_worktree_rewrites(None)
        .should_interrupt_owned(Arc::clone(&view.stop))
        .into_index_worktree_iter(opened.prefix.pattern(path))?;
    let mut found = Vec::new();
    let mut others = Vec::new();
    for item in items {
        match item? {
            Item::Modification {
                entry,
                rela_path,
                status,
                ..
            } => {
                let old = Side::Stored(entry.id, entry.mode);
                found.extend(of_disk(opened, rela_path, old, &status));
            }
            Item::DirectoryContents { entry, .. } => {
                if entry.status == gix::dir::entry::Status::Untracked {
                    let mut path = entry.rela_path;
                    if entry.disk_kind.is_some_and(|kind| kind.is_dir()) {
                        path.push(b'/');
                    }
                    others.push(path);
                }
            }
            // Renames are not looked for here.
            Item::Rewrite { .. } => {}
        }
    }
    view.go_on()?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    others.sort();
    Ok((found, others))
}

/// What leads from a tree to the folder of files: what is staged and what is not, together. Renames are not looked for.
pub(super) fn from_tree_to_disk(
    view: &View<'_>,
    opened: &Opened,
    tree: ObjectId,
    path: &str,
) -> Result<Vec<Change>, Error> {
    let index = index(opened)?;
    let staged = from_tree_with(view, opened, tree, &index, path, TrackRenames::Disabled)?;
    let (unstaged, _) = to_disk(view, opened, index, path, false)?;
    let mut all: BTreeMap<BString, Change> = staged.into_iter().map(|c| (c.path.clone(), c)).collect();
    for later in unstaged {
        match all.get_mut(&later.path) {
            None => drop(all.insert(later.path.clone(), later)),
            Some(change) => {
                change.new = later.new;
                change.kind = match (later.kind, change.old, change.new.mode()) {
                    (Kind::Conflict, _, _) => Kind::Conflict,
                    (_, Side::Nothing, _) => Kind::Added,
                    (_, _, None) => Kind::Removed,
                    (_, old, Some(new)) => match old.mode().is_some_and(|old| is_same_type(old, new)) {
                        true => Kind::Modified,
                        false => Kind::Type,
                    },
                };
            }
        }
    }
    Ok(all
        .into_values()
        .filter(|c| (c.old, c.new) != (Side::Nothing, Side::Nothing))
        .collect())
}

fn of_disk<T, U>(opened: &Opened, path: BString, old: Side, status: &EntryStatus<T, U>) -> Option<Change> {
    let mode = old.mode().unwrap_or(Mode::FILE);
    let (kind, new) = match status {
        EntryStatus::Conflict { .. } => (Kind::Conflict, Side::OnDisk(mode)),
        EntryStatus::Change(Disk::Removed) => (Kind::Removed, Side::Nothing),
        EntryStatus::Change(Disk::Type { worktree_mode }) => (Kind::Type, Side::OnDisk(*worktree_mode)),
        EntryStatus::Change(Disk::Modification {
            executable_bit_changed, ..
        }) => {
            let new = match (executable_bit_changed, mode == Mode::FILE) {
                (false, _) => mode,
                (true, true) => Mode::FILE_EXECUTABLE,
                (true, false) => Mode::FILE,
            };
            (Kind::Modified, Side::OnDisk(new))
        }
        EntryStatus::Change(Disk::SubmoduleModification(_)) => (Kind::Modified, Side::OnDisk(mode)),
        EntryStatus::IntentToAdd => (Kind::Added, Side::OnDisk(mode)),
        EntryStatus::NeedsUpdate(_) => return None,
    };
    let old = match kind {
        Kind::Added => Side::Nothing,
        _ => old,
    };
    // What is a link or a file is known by looking; a path that leads through a link is none of the repository's.
    disk_path(opened, path.as_bstr()).ok()?;
    Some(Change {
        path,
        from: None,
        kind,
        old,
        new,
    })
}
