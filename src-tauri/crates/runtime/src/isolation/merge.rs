//! What the branches changed, brought back where they meet: everything or nothing. Files that two branches, or a branch and somebody
//! else, have changed differently are named, and nothing is brought in then.

use super::copy::{self, Began, Beginning, Look};
use super::{Met, Workplace};
use crate::kept::to_write;
use engine::BroughtIn;
use model::StepId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use store::below::{Folder, Kind, Whose};
use store::{private, regular};

/// How the note of a fork is called whose branches' changes have been brought in, behind its number,
pub(super) const DONE: &str = ".brought-in";
/// and the one of what is to be.
pub(super) const PLANNED: &str = ".planned";

/// So many files that cannot be brought in are named.
const NAMED: usize = 5;

/// What is brought in, decided before the first file is written and kept until the last one is: a program that was killed between them
/// goes on with it.
#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    /// The visit that brings them in: its attempts say what was, and later visits have nothing to do with it.
    visit: u32,
    changes: Vec<Change>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Change {
    #[serde(flatten)]
    brought: BroughtIn,
    /// Which branch of the fork it is from.
    number: u32,
}

/// Brings in what the branches changed, once. Gives what was, also when it had been done before.
///
/// # Errors
/// Files that cannot be brought in, or could not be written; a sentence.
pub(super) fn bring_in(place: &Workplace, met: &Met, off: &AtomicBool) -> Result<Vec<BroughtIn>, String> {
    let failed = |error: io::Error| format!("what the branches changed could not be brought in: {error}");
    let (done, planned) = (
        place.mark_of(met.fork),
        place.mark_of(met.fork).with_extension("planned"),
    );
    if let Some(plan) = kept(&done)? {
        clear(place, met);
        return Ok(if plan.visit == place.visit {
            brought(plan)
        } else {
            Vec::new()
        });
    }
    let plan = match kept(&planned)? {
        Some(plan) => plan,
        None => {
            let plan = plan(place, met, off)?;
            let text = serde_json::to_vec(&plan).expect("text and numbers");
            private::make_folder(&place.branches_folder()).map_err(failed)?;
            let new = planned.with_extension("new");
            let _ = fs::remove_file(&new);
            private::write_new(&new, &text).map_err(failed)?;
            fs::rename(&new, &planned).map_err(failed)?;
            plan
        }
    };
    let root = place.folder();
    let top = Folder::open(&root).map_err(failed)?;
    // What is removed makes room: a file may take the place of a folder.
    let removals = plan.changes.iter().filter(|change| change.brought.removed);
    let files = plan.changes.iter().filter(|change| !change.brought.removed);
    for change in removals.chain(files) {
        let from = met.branches.iter().find(|(id, _)| id.branch == change.number);
        let Some((id, _)) = from else { continue };
        let path = &change.brought.path;
        // What the way leads through may have become a link since; one that comes only now is not followed.
        to_write(&root, path, &place.own).map_err(|escape| format!("a branch changed {escape}"))?;
        let carried_out = match change.brought.removed {
            true => removed(&top, path),
            false => {
                let below = |other: &Change| other.brought.removed && Path::new(&other.brought.path).starts_with(path);
                let is_folder = || top.kind(path).is_ok_and(|there| there == Some(Kind::Folder));
                let made_room = match plan.changes.iter().any(below) && is_folder() {
                    true => remove_empty(&top, path.as_ref()),
                    false => Ok(()),
                };
                made_room.and_then(|()| put(&place.folder_of(*id), path, &top))
            }
        };
        carried_out.map_err(|error| format!("`{path}`, which a branch changed, could not be brought in: {error}"))?;
    }
    fs::rename(&planned, &done).map_err(failed)?;
    clear(place, met);
    Ok(brought(plan))
}

/// Removes the copies whose changes are in the project. One that cannot be removed is in nobody's way.
fn clear(place: &Workplace, met: &Met) {
    for (id, _) in &met.branches {
        let folder = place.folder_of(*id);
        if folder.is_dir()
            && let Err(error) = fs::remove_dir_all(&folder)
        {
            tracing::warn!(%error, folder = %folder.display(), "a branch's copy of the project could not be removed");
        }
        let _ = fs::remove_file(place.beginning_of(*id));
    }
}

fn brought(plan: Plan) -> Vec<BroughtIn> {
    plan.changes.into_iter().map(|change| change.brought).collect()
}

fn kept(file: &Path) -> Result<Option<Plan>, String> {
    let failed = |why: String| {
        format!(
            "what the branches changed could not be brought in: `{}`: {why}",
            file.display()
        )
    };
    match regular::read(file, u64::MAX) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| failed(error.to_string())),
        Err(regular::NotRead::Missing) => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn removed(top: &Folder, path: &str) -> io::Result<()> {
    match top.remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Where it lay in a folder that is a file by now, it was removed before.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory && lies_in_a_file(top, path) => Ok(()),
        removed => removed,
    }
}

/// Whether what stands on the way to a path in the place of a folder is a plain file, and not a link that somebody has put there.
fn lies_in_a_file(top: &Folder, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(end, _)| end);
    let mut kinds = ends.map(|end| top.kind(&path[..end]));
    let in_the_way = kinds.find(|kind| !matches!(kind, Ok(Some(Kind::Folder))));
    matches!(in_the_way, Some(Ok(Some(Kind::File))))
}

/// Whether this is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Removes a folder in which nothing but folders is left.
///
/// # Errors
/// There is something in it.
fn remove_empty(around: &Folder, path: &Path) -> io::Result<()> {
    let folder = around.enter(path)?;
    for (name, kind) in folder.entries()? {
        if kind == Kind::Folder {
            remove_empty(&folder, name.as_ref())?;
        }
    }
    around.remove_folder(path)
}

/// Whether everything in a folder of the project is what a branch removed, and that is something.
fn is_left(root: &Path, folder: &Path, gone: &BTreeSet<&str>) -> bool {
    let mut folders = vec![folder.to_owned()];
    let mut any = false;
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else { return false };
        for entry in entries {
            let Ok(path) = entry.map(|entry| entry.path()) else {
                return false;
            };
            if is_folder(&path) {
                folders.push(path);
                continue;
            }
            any = true;
            if !copy::relative(root, &path).is_ok_and(|path| gone.contains(path.as_str())) {
                return false;
            }
        }
    }
    any
}

/// One file of a branch in the place of the project's, whole or not at all. `branch`: its folder; `path`: in there and below `top`.
fn put(branch: &Path, path: &str, top: &Folder) -> io::Result<()> {
    let mut source = Folder::open(branch)?.file(path)?;
    top.replace(path, Whose::Anyones, |target| copy::fill(&mut source, target))
}

/// What the branches changed, file by file.
fn plan(place: &Workplace, met: &Met, off: &AtomicBool) -> Result<Plan, String> {
    let root = place.folder();
    let mut refused: BTreeSet<String> = BTreeSet::new();
    // By path: what it becomes, and where that stands.
    let mut changes: BTreeMap<String, (Change, Option<PathBuf>)> = BTreeMap::new();
    for (id, head) in &met.branches {
        let folder = place.folder_of(*id);
        if !folder.is_dir() {
            // No step of it has been carried out.
            continue;
        }
        let beginning = copy::read_beginning(&place.beginning_of(*id))?;
        let changed = changed(&folder, &place.own, &beginning, off)?;
        let gone: BTreeSet<&str> = changed
            .iter()
            .filter(|(_, removed)| *removed)
            .map(|(path, _)| path.as_str())
            .collect();
        for (path, removed) in changed.iter().map(|(path, removed)| (path.clone(), *removed)) {
            let file = (!removed).then(|| folder.join(&path));
            let there = root.join(&path);
            if same(file.as_deref(), &there).map_err(|error| format!("`{path}` could not be read: {error}"))? {
                continue;
            }
            if let Some((other, content)) = changes.get(&path) {
                let equal = match (&file, content) {
                    (Some(file), Some(content)) => same(Some(file), content).unwrap_or(false),
                    (file, content) => file.is_none() && content.is_none(),
                };
                if !equal {
                    let other = &other.brought.branch;
                    refused.insert(format!("`{path}` was changed by the branches `{other}` and `{head}`"));
                }
                continue;
            }
            if let Some(why) = in_the_way(&root, &path, &place.own, file.as_deref(), beginning.get(&path), &gone) {
                refused.insert(why);
                continue;
            }
            let change = change(&path, head, id.branch, removed);
            changes.insert(path, (change, file));
        }
    }
    let within = changes.iter().filter(|(path, (change, _))| {
        let mut around = Path::new(path).ancestors().skip(1).filter_map(Path::to_str);
        let is_file = |folder: &str| changes.get(folder).is_some_and(|(change, _)| !change.brought.removed);
        // What is removed makes room for such a file.
        !change.brought.removed && around.any(is_file)
    });
    refused.extend(within.map(|(path, _)| format!("a folder on the way to `{path}` is a file of another branch")));
    if refused.is_empty() {
        return Ok(Plan {
            visit: place.visit,
            changes: changes.into_values().map(|(change, _)| change).collect(),
        });
    }
    let more = refused.len().saturating_sub(NAMED);
    let mut named: Vec<String> = refused.into_iter().take(NAMED).collect();
    named.extend((more > 0).then(|| format!("{more} more")));
    Err(format!(
        "what the branches changed was not brought in: {}. Their folders are kept below `{}/{}`: put together there what belongs together, and \
         take the run up again",
        named.join("; "),
        place.own,
        super::FOLDER
    ))
}

fn change(path: &str, head: &StepId, number: u32, removed: bool) -> Change {
    Change {
        brought: BroughtIn {
            path: path.to_owned(),
            branch: head.clone(),
            removed,
        },
        number,
    }
}

/// The files of a copy that are no longer what they were, and whether they are gone.
fn changed(folder: &Path, own: &str, beginning: &Beginning, off: &AtomicBool) -> Result<Vec<(String, bool)>, String> {
    let mut out = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    copy::files(folder, own, &mut |path, about| {
        if off.load(Ordering::Relaxed) {
            return Err("what the branches changed was not brought in: it was called off".to_owned());
        }
        if about.is_dir() {
            return Ok(true);
        }
        let relative = copy::relative(folder, path)?;
        match beginning.get_key_value(&relative) {
            Some((name, began)) => {
                seen.insert(name);
                if Look::at(path).is_some_and(|now| now != began.copy) {
                    out.push((relative, false));
                }
            }
            None => out.push((relative, false)),
        }
        Ok(true)
    })?;
    let gone = beginning.keys().filter(|name| !seen.contains(name.as_str()));
    out.extend(gone.map(|name| (name.clone(), true)));
    Ok(out)
}

/// Whether there is already what a branch has there; `file` absent: nothing.
fn same(file: Option<&Path>, there: &Path) -> io::Result<bool> {
    let (Some(file), Some(now)) = (file, Look::at(there)) else {
        return Ok(file.is_none() && there.symlink_metadata().is_err());
    };
    if now.is_link() || file.is_symlink() {
        return Ok(now.is_link() && file.is_symlink() && fs::read_link(file)? == fs::read_link(there)?);
    }
    let open = |path: &Path| regular::open(path).map_err(io::Error::other);
    let (mut one, mut other) = (io::BufReader::new(open(file)?), io::BufReader::new(open(there)?));
    let (about, there) = (one.get_ref().metadata()?, other.get_ref().metadata()?);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if (about.permissions().mode() ^ there.permissions().mode()) & 0o111 != 0 {
            return Ok(false);
        }
    }
    if about.len() != there.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = one.read(&mut left)?;
        if read == 0 {
            return Ok(true);
        }
        if other.read_exact(&mut right[..read]).is_err() || left[..read] != right[..read] {
            return Ok(false);
        }
    }
}

/// Why a file of a branch cannot take its place. `file`: absent where the branch removed it; `then`: what was there when it began; `gone`: what
/// the branch removed.
fn in_the_way(
    root: &Path,
    path: &str,
    own: &str,
    file: Option<&Path>,
    then: Option<&Began>,
    gone: &BTreeSet<&str>,
) -> Option<String> {
    if let Err(escape) = to_write(root, path, own) {
        return Some(format!("a branch changed {escape}"));
    }
    if file.is_some_and(Path::is_symlink) {
        return Some(format!("`{path}` is a link in a branch, and links are not brought in"));
    }
    let there = root.join(path);
    let is_as_then = match then {
        Some(then) => then.is_still(&there),
        None if is_folder(&there) => {
            if !is_left(root, &there, gone) {
                return Some(format!(
                    "`{path}` is a file in a branch, and a folder in the project with more in it than the branch removed"
                ));
            }
            true
        }
        None => there.symlink_metadata().is_err(),
    };
    if !is_as_then {
        return Some(format!(
            "`{path}` was changed in the project, too, since the branch began"
        ));
    }
    let mut around = Path::new(path).ancestors().skip(1).map(|folder| root.join(folder));
    let blocked = around.any(|folder| folder.symlink_metadata().is_ok_and(|about| !about.is_dir()));
    blocked.then(|| format!("a folder on the way to `{path}` is a file in the project"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::BranchId;

    struct Bench {
        _kept: tempfile::TempDir,
        place: Workplace,
    }

    /// Two branches that have begun with `files` in the project.
    fn bench(files: &[(&str, &str)]) -> Bench {
        let kept = tempfile::tempdir().expect("a folder");
        let home = kept.path().canonicalize().expect("it is there");
        for (path, text) in files {
            put(&home, path, text);
        }
        let branch = |branch| BranchId { fork: 1, branch };
        let place = Workplace {
            home,
            own: ".gatehouse/runs/r".to_owned(),
            branches: Vec::new(),
            met: Some(Met {
                fork: 1,
                branches: vec![(branch(1), "left".into()), (branch(2), "right".into())],
            }),
            visit: 1,
        };
        let bench = Bench { _kept: kept, place };
        for n in [1, 2] {
            copy::make(
                &bench.place.home,
                &bench.folder(n),
                &[],
                &bench.place.own,
                &AtomicBool::new(false),
            )
            .expect("copied");
        }
        bench
    }

    fn put(folder: &Path, path: &str, text: &str) {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    }

    impl Bench {
        fn folder(&self, branch: u32) -> PathBuf {
            self.place.folder_of(BranchId { fork: 1, branch })
        }

        fn bring(&self) -> Result<Vec<String>, String> {
            let met = self.place.met.as_ref().expect("they met");
            let brought = bring_in(&self.place, met, &AtomicBool::new(false))?;
            Ok(brought.into_iter().map(|file| file.path).collect())
        }

        fn read(&self, path: &str) -> Option<String> {
            fs::read_to_string(self.place.home.join(path)).ok()
        }
    }

    #[test]
    fn what_was_cut_off_is_carried_on_and_said_the_same() {
        let bench = bench(&[("a", "1"), ("b", "1"), ("c", "1")]);
        put(&bench.folder(1), "a", "left");
        fs::remove_file(bench.folder(1).join("c")).expect("removed");
        put(&bench.folder(2), "b", "right");
        put(&bench.folder(2), "d/e", "new");
        let met = bench.place.met.as_ref().expect("they met");
        let before = plan(&bench.place, met, &AtomicBool::new(false)).expect("a plan");
        let mark = bench.place.mark_of(1);
        fs::write(
            mark.with_extension("planned"),
            serde_json::to_vec(&before).expect("text"),
        )
        .expect("written");
        // A folder in the place of a file: it stops there, with some of it done.
        fs::remove_file(bench.place.home.join("b")).expect("removed");
        fs::create_dir_all(bench.place.home.join("b")).expect("made");
        assert!(bench.bring().is_err());
        assert_eq!(bench.read("a").as_deref(), Some("left"), "the first was done");
        fs::remove_dir(bench.place.home.join("b")).expect("removed");
        assert_eq!(
            bench.bring().as_deref(),
            Ok(&["a".to_owned(), "b".into(), "c".into(), "d/e".into()][..])
        );
        assert_eq!(bench.read("c"), None);
        assert_eq!(
            (bench.read("b").as_deref(), bench.read("d/e").as_deref()),
            (Some("right"), Some("new"))
        );
        assert!(
            !bench.folder(1).exists() && !bench.folder(2).exists(),
            "nobody needs the copies any more"
        );
        // Once is enough: what somebody writes afterwards stays, and it is said again to the same visit alone.
        put(&bench.place.home, "a", "later");
        assert_eq!(bench.bring().map(|all| all.len()), Ok(4));
        assert_eq!(bench.read("a").as_deref(), Some("later"));
        let later = Workplace {
            visit: 2,
            ..bench.place.clone()
        };
        let met = later.met.as_ref().expect("they met");
        assert_eq!(bring_in(&later, met, &AtomicBool::new(false)), Ok(Vec::new()));
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_behind_a_link_was_not_removed_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = Folder::open(folder.path()).expect("there");
        put(folder.path(), "away/b", "1");
        std::os::unix::fs::symlink("away", folder.path().join("linked")).expect("linked");
        assert!(removed(&top, "linked/b").is_err());
        assert!(folder.path().join("away/b").exists());
        put(folder.path(), "a", "a file");
        for gone in ["a/b", "a/deep/b", "none", "away/none"] {
            assert!(removed(&top, gone).is_ok(), "{gone}");
        }
    }

    #[test]
    fn what_gets_in_the_way_is_named() {
        let bench = bench(&[
            ("both", "1"),
            ("mine", "1"),
            ("gatehouse.yaml", "a: 1"),
            ("gone", "1"),
            ("same", "1"),
        ]);
        for n in [1, 2] {
            put(&bench.folder(n), "both", if n == 1 { "left" } else { "right" });
            put(&bench.folder(n), "same", "equal");
        }
        fs::remove_file(bench.folder(1).join("gone")).expect("removed");
        put(&bench.folder(2), "gone", "changed");
        put(&bench.folder(1), "mine", "theirs");
        put(&bench.place.home, "mine", "somebody's");
        put(&bench.folder(1), "gatehouse.yaml", "a: 2");
        put(&bench.folder(1), "x", "a file");
        put(&bench.folder(2), "x/y", "in a folder");
        let error = bench.bring().expect_err("nothing is brought in");
        for named in [
            "`both` was changed by the branches",
            "`gone` was changed by",
            "`mine` was changed in the project",
            "`gatehouse.yaml` decides",
            "`x/y`",
        ] {
            assert!(error.contains(named), "{named}: {error}");
        }
        assert!(!error.contains("`same`"), "{error}");
        assert_eq!(bench.read("same").as_deref(), Some("1"));
    }

    #[test]
    fn a_file_takes_the_place_of_a_folder_whose_files_the_branch_removed() {
        for (more, comes) in [(false, true), (true, false)] {
            let bench = bench(&[("dir/deep/inner", "1"), ("dir/other", "1")]);
            fs::remove_dir_all(bench.folder(1).join("dir")).expect("removed");
            put(&bench.folder(1), "dir", "a file");
            if more {
                put(&bench.place.home, "dir/more", "somebody's");
            }
            let brought = bench.bring();
            assert_eq!(brought.is_ok(), comes, "{brought:?}");
            match brought {
                Ok(_) => assert_eq!(bench.read("dir").as_deref(), Some("a file")),
                Err(why) => {
                    assert!(why.contains("`dir` is a file in a branch, and a folder"), "{why}");
                    assert_eq!(bench.read("dir/other").as_deref(), Some("1"));
                }
            }
        }
    }

    #[test]
    fn what_somebody_changed_and_put_back_is_in_nobodys_way() {
        let bench = bench(&[("a", "1")]);
        put(&bench.folder(1), "a", "left");
        let somewhen = std::time::SystemTime::UNIX_EPOCH;
        for (text, comes) in [("2", false), ("1", true)] {
            put(&bench.place.home, "a", text);
            let file = fs::File::options().write(true).open(bench.place.home.join("a"));
            file.expect("there").set_modified(somewhen).expect("set");
            assert_eq!(bench.bring().is_ok(), comes, "{text}");
        }
        assert_eq!(bench.read("a").as_deref(), Some("left"));
    }

    #[test]
    fn a_copy_has_what_the_project_has_but_not_what_is_not_its_own() {
        let bench = bench(&[
            ("a/b.md", "1"),
            (".git/HEAD", "1"),
            (".gatehouse/history.db", "1"),
            (".gatehouse/runs/other/x", "1"),
            (".gatehouse/runs/r/notes.md", "1"),
            ("sub/.git", "gitdir: x"),
            (".env.example", "1"),
            ("a/.gatehouse-1-2.unfinished", "half"),
        ]);
        let copy = bench.folder(1);
        for (path, there) in [
            ("a/b.md", true),
            (".gatehouse/runs/r/notes.md", true),
            (".env.example", true),
            (".git", false),
            ("a/.gatehouse-1-2.unfinished", false),
            ("sub/.git", false),
            (".gatehouse/history.db", false),
            (".gatehouse/runs/other", false),
            (".gatehouse/runs/r/branches", false),
        ] {
            assert_eq!(copy.join(path).exists(), there, "{path}");
        }
        // What programs must not read is not in it, and a copy that is there is left alone.
        let hidden = bench.place.home.join(".env.example");
        let to = bench.place.branches_folder().join("1-9");
        copy::make(
            &bench.place.home,
            &to,
            &[hidden],
            &bench.place.own,
            &AtomicBool::new(false),
        )
        .expect("copied");
        assert!(!to.join(".env.example").exists() && to.join("a/b.md").exists());
        fs::remove_file(to.join("a/b.md")).expect("removed");
        copy::make(&bench.place.home, &to, &[], &bench.place.own, &AtomicBool::new(false)).expect("it is there");
        assert!(!to.join("a/b.md").exists());
        let off = AtomicBool::new(true);
        assert!(copy::make(&bench.place.home, &to.with_extension("x"), &[], &bench.place.own, &off).is_err());
    }
}
