//! What a person lets a project do on this machine: whether anything of it runs, what was permitted for later runs too, and which runs
//! are taken up by themselves.
//!
//! It lies with the person, outside of every project, and is bound to the folder, the machine and the person's key: what stands in a
//! project's own history grants nothing, and neither a copy of the folder nor another folder in its place inherits anything.

use crate::command::TrustOf;
use crate::notice::Notice;
use crate::settings::identity;
use crate::settings::made::KEPT;
use crate::settings::view::{SettingsView, TrustView};
use crate::text::safe;
use crate::{ApiError, Identity, Studio};
use engine::{At, RunId, RunState};
use runtime::permits::Need;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::{Head, RunFilter, StatusWord};

/// The folder of the configuration folder in which each project has a file.
const PROJECTS: &str = "projects";

/// What one person lets one project do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Rights {
    /// Since when its programs may run; absent: nothing of it runs.
    pub trusted: Option<At>,
    /// The person was asked whether they trust it, and has answered.
    pub asked: bool,
    /// What was permitted for later runs too.
    pub granted: Vec<Need>,
    /// The open runs that this person started or took up here: they go on by themselves.
    pub own: BTreeMap<RunId, OwnRun>,
}

/// A run of this person: how far its log was when their Gatehouse last wrote it, or read it to the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnRun {
    /// How many events.
    pub events: u64,
    /// The chain's link of the last of them, computed from their bytes, 64 hexadecimal digits.
    pub link: String,
    /// They permitted all that it asks for when they started it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permit: bool,
    /// Its log was there when this was written: of one that is about to begin nothing may ever be recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recorded: bool,
}

impl OwnRun {
    pub fn of(head: Head, permit: bool) -> Self {
        Self {
            events: head.seq,
            link: hex::encode(head.hash),
            permit,
            recorded: false,
        }
    }

    /// The same of a run whose log was read.
    pub fn of_recorded(head: Head, permit: bool) -> Self {
        Self {
            recorded: true,
            ..Self::of(head, permit)
        }
    }

    pub fn head(&self) -> Option<Head> {
        let hash = hex::decode(&self.link).ok()?.try_into().ok()?;
        Some(Head { seq: self.events, hash })
    }
}

/// Rights, and what they are bound to.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    project: PathBuf,
    folder: FolderMark,
    machine: String,
    key: String,
    #[serde(flatten)]
    rights: Rights,
}

/// The form of the files.
const VERSION: u32 = 1;

/// Of so many runs that are over it is kept how far their logs were, the latest of a project.
const MOST_ENDED: usize = 2_000;

/// How far the log of a run that is over was: run, events, link of the last of them, and the folder that it was recorded in.
#[derive(Serialize, Deserialize)]
struct Ended(RunId, u64, String, #[serde(default)] Option<FolderMark>);

/// What tells a folder from another one that is put in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FolderMark {
    /// Its number in the file system; 0 where there is none.
    inode: u64,
    /// When it was made, milliseconds since 1970, where the file system says so.
    made: Option<i64>,
}

impl FolderMark {
    fn of(folder: &Path) -> Option<Self> {
        let about = folder.metadata().ok()?;
        let made = about.created().ok().and_then(|at| {
            let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        });
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&about);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { inode, made })
    }
}

impl Identity {
    /// What this person lets a project do; nothing where nothing is kept, or what is kept belongs to another folder, machine or key.
    pub(crate) fn rights(&self, root: &Path) -> Rights {
        let kept = read(&self.rights_file(root)).filter(|kept| self.differs(kept, root).is_none());
        kept.map(|kept| kept.rights).unwrap_or_default()
    }

    /// Why what is kept does not hold for this folder; `None`: it does.
    fn differs(&self, kept: &Kept, root: &Path) -> Option<String> {
        let folder = FolderMark::of(root);
        match () {
            () if kept.project != root => Some("it was moved or renamed".to_owned()),
            () if Some(kept.folder) != folder => {
                Some("another folder lies in its place: it was replaced, copied or restored".to_owned())
            }
            () if kept.machine != machine() => {
                Some("your settings come from another machine, and trust does not move with them".to_owned())
            }
            () if kept.key != self.public() => Some(format!(
                "you sign with another key now: {} instead of {}",
                identity::short(&self.public()),
                identity::short(&kept.key)
            )),
            () => None,
        }
    }

    /// Of a folder that this person trusted and does not trust as it is now without having taken it back: why, in a sentence.
    fn trust_lost(&self, root: &Path) -> Option<String> {
        let here = read(&self.rights_file(root));
        let kept = here.or_else(|| self.kept_elsewhere(root).next())?;
        kept.rights.trusted?;
        Some(format!(
            "This folder was trusted as {}; it is not the same folder any more because {}.",
            safe::visible(&kept.project.display().to_string()),
            self.differs(&kept, root)?
        ))
    }

    /// Whether an open run was this person's when the project's folder lay elsewhere.
    fn had_elsewhere(&self, root: &Path, run: &RunId) -> bool {
        self.kept_elsewhere(root).any(|kept| {
            let is_theirs = kept.machine == machine() && kept.key == self.public();
            is_theirs && kept.rights.own.contains_key(run)
        })
    }

    /// What was kept of this folder when it lay elsewhere, where the file system tells for sure that it is the same one.
    fn kept_elsewhere(&self, root: &Path) -> impl Iterator<Item = Kept> {
        let mark = FolderMark::of(root).filter(|mark| mark.made.is_some());
        let files = mark.and_then(|_| std::fs::read_dir(self.folder().join(PROJECTS)).ok());
        let all = files.into_iter().flatten().flatten();
        let all = all.filter_map(|file| read(&file.path()));
        all.filter(move |kept| Some(kept.folder) == mark && FolderMark::of(&kept.project) != mark)
    }

    /// Changes them. Programs that change them at the same time wait for each other, so that nothing is lost.
    ///
    /// # Errors
    /// They cannot be kept.
    pub(crate) fn change_rights(&self, root: &Path, change: impl FnOnce(&mut Rights)) -> Result<Rights, ApiError> {
        let file = self.rights_file(root);
        let _alone = store::alone::with(&file).map_err(|e| identity::fault("cannot lock", &file, &e))?;
        let mut rights = self.rights(root);
        let before = rights.clone();
        change(&mut rights);
        if rights == before {
            return Ok(rights);
        }
        let folder = FolderMark::of(root).ok_or_else(|| {
            ApiError::new("no_project", format!("The folder {} is gone.", root.display()))
                .hint("Open the project again where it is now.")
        })?;
        let kept = Kept {
            version: VERSION,
            project: root.to_owned(),
            folder,
            machine: machine(),
            key: self.public(),
            rights,
        };
        let bytes = serde_json::to_vec_pretty(&kept).expect("rights are plain data");
        identity::write_replacing(&file, &bytes).map_err(|e| identity::fault("cannot save", &file, &e))?;
        Ok(kept.rights)
    }

    /// Says that this person trusts whoever made a project, or takes it back.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn trust(&self, root: &Path, trusted: bool) -> Result<(), ApiError> {
        let root = root
            .canonicalize()
            .map_err(|e| identity::fault("cannot find", root, &e))?;
        let now = crate::studio::now();
        let change = |rights: &mut Rights| {
            rights.asked = true;
            rights.trusted = trusted.then(|| rights.trusted.unwrap_or(now));
        };
        self.change_rights(&root, change).map(|_| ())
    }

    /// How far the log of a run was that is over, when this person's Gatehouse last wrote or read it.
    pub(crate) fn ended(&self, root: &Path, run: &RunId) -> Option<OwnRun> {
        let of = read_ended(&self.ended_file(root));
        let Ended(_, events, link, _) = of.into_iter().rfind(|Ended(one, ..)| one == run)?;
        Some(OwnRun {
            events,
            link,
            permit: false,
            recorded: true,
        })
    }

    /// The runs that this person's Gatehouse has seen in this folder: the open ones that are theirs, and the latest that are over. What was seen
    /// in another folder in its place counts where the history `has` a run of those: then it is that project still.
    pub(crate) fn remembered(&self, root: &Path, has: impl Fn(&RunId) -> bool) -> Vec<RunId> {
        let over = read_ended(&self.ended_file(root));
        let mut folders = vec![FolderMark::of(root)];
        for Ended(run, .., folder) in &over {
            if !folders.contains(folder) && has(run) {
                folders.push(*folder);
            }
        }
        let over = over.into_iter().filter(|Ended(.., folder)| folders.contains(folder));
        let own = self.rights(root).own.into_iter().filter(|(_, own)| own.recorded);
        own.map(|(run, _)| run).chain(over.map(|Ended(run, ..)| run)).collect()
    }

    /// Keeps it.
    ///
    /// # Errors
    /// It cannot be kept.
    fn keep_ended(&self, root: &Path, over: &[(RunId, OwnRun)]) -> Result<(), ApiError> {
        if over.is_empty() {
            return Ok(());
        }
        let file = self.ended_file(root);
        let _alone = store::alone::with(&file).map_err(|e| identity::fault("cannot lock", &file, &e))?;
        let mut all = read_ended(&file);
        all.retain(|Ended(run, ..)| over.iter().all(|(other, _)| other != run));
        let folder = FolderMark::of(root);
        all.extend(
            over.iter()
                .map(|(run, own)| Ended(run.clone(), own.events, own.link.clone(), folder)),
        );
        let first = all.len().saturating_sub(MOST_ENDED);
        let lines = all[first..]
            .iter()
            .filter_map(|ended| serde_json::to_string(ended).ok());
        let text: String = lines.map(|line| line + "\n").collect();
        identity::write_replacing(&file, text.as_bytes()).map_err(|e| identity::fault("cannot save", &file, &e))
    }

    fn ended_file(&self, root: &Path) -> PathBuf {
        self.rights_file(root).with_extension("ended")
    }

    fn rights_file(&self, root: &Path) -> PathBuf {
        let name = store::digest_of(root.as_os_str().as_encoded_bytes());
        self.folder()
            .join(PROJECTS)
            .join(format!("{}.json", &name.as_str()[..32]))
    }
}

fn read(file: &Path) -> Option<Kept> {
    let kept: Kept = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (kept.version == VERSION).then_some(kept)
}

/// What cannot be read is not known.
fn read_ended(file: &Path) -> Vec<Ended> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// What tells this machine from others.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).ok().map(|text| text.trim().to_owned());
    read("/etc/machine-id")
        .filter(|id| !id.is_empty())
        .unwrap_or_else(runtime::host)
}

impl Studio {
    /// Whether this person has said that they trust whoever made this project: only then anything of it runs for real.
    pub fn is_trusted(&self) -> bool {
        self.rights().trusted.is_some()
    }

    /// Says so, or takes it back: then this program lets go of what it carries on for real, which stays as it is until somebody trusts it again.
    /// What another program carries on goes on there.
    ///
    /// # Errors
    /// `read_only`: it was handed over, and nothing of it ever runs. It cannot be kept.
    pub fn trust(&self, of: TrustOf) -> Result<SettingsView, ApiError> {
        if of.trust && self.is_handed_over() {
            self.writable()?;
        }
        self.0.identity.trust(&self.0.root, of.trust)?;
        self.notify(Notice::Settings);
        if !of.trust {
            self.let_go_of_what_is_real();
        }
        if of.trust
            && let Err(error) = self.take_up()
        {
            tracing::warn!(%error, "runs of an earlier start could not be taken up");
        }
        Ok(self.settings_now())
    }

    pub(crate) fn rights(&self) -> Rights {
        self.0.identity.rights(&self.0.root)
    }

    /// Changes them; runs that are over are taken out whenever the list is written, and how far their logs were is kept by itself.
    pub(crate) fn change_rights(&self, change: impl FnOnce(&mut Rights)) -> Result<Rights, ApiError> {
        let mut over = Vec::new();
        let rights = self.0.identity.change_rights(&self.0.root, |rights| {
            change(rights);
            // One that is not there yet is about to begin. One that did not end well may be taken up again, with what was permitted for it.
            let is_over = |run: &RunId, own: &OwnRun| {
                let row = self.0.store.run(run.as_str()).ok().flatten();
                row.is_some_and(|row| row.status.ended() && !(own.permit && row.status != StatusWord::Succeeded))
            };
            rights.own.retain(|run, own| {
                let is_over = is_over(run, own);
                if is_over {
                    over.push((run.clone(), own.clone()));
                }
                !is_over
            });
        })?;
        if let Err(error) = self.0.identity.keep_ended(&self.0.root, &over) {
            tracing::warn!(%error, "it was not kept how far the logs of runs were that are over");
        }
        Ok(rights)
    }

    /// What the window shows of trust.
    pub(crate) fn trust_view(&self, rights: &Rights) -> TrustView {
        let lost = self.trust_lost();
        TrustView {
            trusted: rights.trusted.is_some(),
            // Where nothing can run there is nothing to ask.
            asked: rights.asked || self.is_handed_over(),
            bare: (lost.is_none() && self.is_bare()) || self.is_own_making(rights),
            lost,
        }
    }

    /// Whether the folder holds nothing that anybody made: what Gatehouse itself keeps there aside, of which nothing has run.
    fn is_bare(&self) -> bool {
        let is_own = |entry: std::io::Result<std::fs::DirEntry>| entry.is_ok_and(|one| one.file_name() == KEPT);
        std::fs::read_dir(&self.0.root).is_ok_and(|mut entries| entries.all(is_own))
            && self
                .0
                .store
                .runs(&RunFilter::default())
                .is_ok_and(|runs| runs.is_empty())
    }

    /// Whether this person has made all that is in the folder here, since it was opened and empty: there is nobody else to trust. What
    /// they have answered counts more.
    pub(crate) fn is_own_making(&self, rights: &Rights) -> bool {
        !rights.asked && self.trust_lost().is_none() && self.0.made.is_all_of(&self.0.root)
    }

    /// Whoever starts for real what they have made here themselves trusts the folder from then on, whatever its steps put there.
    pub(crate) fn trust_own_making(&self) -> Result<(), ApiError> {
        if self.is_own_making(&self.rights()) {
            self.0.identity.trust(&self.0.root, true)?;
            self.notify(Notice::Settings);
        }
        Ok(())
    }

    /// Of a project that this person trusted and that is not the same any more: why, in a sentence.
    pub fn trust_lost(&self) -> Option<String> {
        self.0.identity.trust_lost(&self.0.root)
    }

    /// Where the log of a run ends, computed from its bytes.
    fn head_of(&self, run: &RunId) -> Option<Head> {
        self.0.store.chain(run, Head::first(run), None).ok()
    }

    /// Whether the log of a run is, up to here, the one that ends here; computed from its bytes.
    pub(crate) fn leads_to(&self, run: &RunId, head: Head) -> bool {
        let there = self.0.store.chain(run, Head::first(run), Some(head.seq));
        there.is_ok_and(|there| there == head)
    }

    /// Remembers that a run, and the open runs inside it, were taken up by this person as they are now, so that they go on by themselves
    /// when the project is opened again. What its starter permitted for it is not taken over.
    pub(crate) fn take_over(&self, run: &RunId) {
        let open = self.0.store.runs(&RunFilter {
            open_only: true,
            ..RunFilter::default()
        });
        let inside = open.unwrap_or_default().into_iter().map(|row| row.run);
        let inside = inside.filter(|other| self.around(other).is_ok_and(|around| around.contains(run)));
        let mut taken = Vec::new();
        for run in std::iter::once(run.clone()).chain(inside) {
            if runtime::Owner::is_theirs(self, &run) {
                continue;
            }
            // What was seen last is forgotten with that: the record has to name it.
            if let Err(error) = self.name_another_log(&run) {
                tracing::warn!(%run, %error, "it was not recorded that this is another log, so that the run is not taken up for later");
                continue;
            }
            if let Some(head) = self.head_of(&run) {
                taken.push((run, OwnRun::of_recorded(head, false)));
            }
        }
        let kept = self.change_rights(|rights| rights.own.extend(taken));
        if let Err(error) = kept {
            tracing::warn!(%run, %error, "it was not kept that this run is yours; take it up yourself after a restart");
        }
    }

    /// Whether a run goes on by itself: it is this person's, and so is every open run inside it.
    pub(crate) fn is_mine(&self, run: &RunId) -> bool {
        let open = self.0.store.runs(&RunFilter {
            open_only: true,
            ..RunFilter::default()
        });
        let Ok(open) = open else { return false };
        let is_inside = |other: &RunId| self.around(other).is_ok_and(|around| around.contains(run));
        let theirs = |run: &RunId| runtime::Owner::is_theirs(self, run);
        theirs(run) && open.iter().all(|row| !is_inside(&row.run) || theirs(&row.run))
    }

    /// How far the log of a run was that this person's Gatehouse wrote or saw last, where it is another one now; of a run that is over too.
    pub(crate) fn seen_of_another(&self, run: &RunId) -> Option<OwnRun> {
        let own = self.rights().own.remove(run);
        let own = own.or_else(|| self.0.identity.ended(&self.0.root, run))?;
        let is_another = own.head().is_none_or(|head| !self.leads_to(run, head));
        is_another.then_some(own)
    }

    /// Whether this person's Gatehouse wrote a run's log, and it is another one now.
    pub(crate) fn is_another_log(&self, run: &RunId) -> bool {
        self.seen_of_another(run).is_some()
    }

    /// The same in words.
    pub fn another_log(&self, run: &RunId) -> Option<String> {
        self.is_another_log(run).then(|| {
            "This log is not the one that your Gatehouse wrote last: events of it are missing or were replaced. \
             Restoring a backup does that, and so does whoever puts an older copy back."
                .to_owned()
        })
    }

    /// Of an open run that a program of another account carries on: who started it. What is answered in it is followed, or is not, there.
    pub(crate) fn carried_elsewhere(&self, run: &RunId, state: &RunState) -> Option<String> {
        let is_for_real = !state.status.ended() && !state.is_rehearsal();
        let is_elsewhere = is_for_real && self.driver_of(run).is_some() && !runtime::Owner::is_theirs(self, run);
        let by = state
            .created
            .as_deref()
            .map(|created| created.by.trim())
            .unwrap_or_default();
        is_elsewhere.then(|| match by {
            "" => "somebody".to_owned(),
            by => safe::visible(by),
        })
    }

    /// Of an open run that nobody carries on, whatever is answered in it: why, in a sentence.
    pub(crate) fn stands_still(&self, run: &RunId, state: &RunState) -> Option<String> {
        if state.status.ended() || self.driver_of(run).is_some() {
            return None;
        }
        if self.is_handed_over() {
            return self.left_open(run);
        }
        let rehearsal = state.is_rehearsal();
        match self.is_trusted() || rehearsal {
            true => self.left_open(run).or_else(|| self.unvouched(run)),
            false => Some("You have not said that you trust who made this project: nothing of it runs.".to_owned()),
        }
    }

    /// Of an open run that nobody drives and that does not go on by itself: why, in a sentence.
    pub fn left_open(&self, run: &RunId) -> Option<String> {
        if self.is_handed_over() {
            return Some(
                "This run was handed over before it had ended: it goes on where it was recorded, not here.".to_owned(),
            );
        }
        if self.is_mine(run) {
            return None;
        }
        Some(
            match self.is_another_log(run) {
                true => {
                    "This run was left open, and its log is not the one that your Gatehouse wrote: events of it are missing or were replaced, as when \
                     an older copy of the history is put back."
                }
                false if self.0.identity.ended(&self.0.root, run).is_some() => {
                    "This run was yours until it ended, and has been taken up again since."
                }
                false if self.0.identity.had_elsewhere(&self.0.root, run) => {
                    "This run was left open, and the project's folder was moved or renamed since: what was yours in it does not move with it."
                }
                false => "This run was left open by somebody else.",
            }
            .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person() -> (tempfile::TempDir, Identity) {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        (home, me)
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let root = kept.path().canonicalize().expect("it is there").join("project");
        std::fs::create_dir(&root).expect("made");
        (kept, root)
    }

    fn trusting(rights: &mut Rights) {
        rights.trusted = Some(At(1));
    }

    #[test]
    fn trust_belongs_to_one_folder_one_key_and_one_machine() {
        let ((home, me), (_other_home, other), (_kept, root)) = (person(), person(), folder());
        assert_eq!(me.rights(&root), Rights::default());
        me.change_rights(&root, trusting).expect("kept");
        assert!(me.rights(&root).trusted.is_some());
        let copy = root.with_file_name("copy");
        std::fs::create_dir(&copy).expect("made");
        assert_eq!(me.rights(&copy), Rights::default(), "a copy");
        assert_eq!(other.rights(&root), Rights::default(), "another person");

        // The file itself, given to another person or brought to another machine.
        let file = me.rights_file(&root);
        let theirs = other.rights_file(&root);
        std::fs::create_dir_all(theirs.parent().expect("a folder")).expect("made");
        std::fs::copy(&file, &theirs).expect("copied");
        assert_eq!(other.rights(&root), Rights::default(), "another key");
        let text = std::fs::read_to_string(&file).expect("read");
        std::fs::write(&file, text.replace(&machine(), "another-machine")).expect("written");
        assert_eq!(me.rights(&root), Rights::default(), "another machine");
        std::fs::write(&file, "nonsense").expect("written");
        assert_eq!(me.rights(&root), Rights::default(), "damaged");
        drop(home);
    }

    #[test]
    fn another_folder_in_its_place_is_not_trusted() {
        let ((_home, me), (_kept, root)) = (person(), folder());
        me.change_rights(&root, trusting).expect("kept");
        let away = root.with_file_name("away");
        std::fs::rename(&root, &away).expect("moved");
        std::fs::create_dir(&root).expect("another one");
        assert_eq!(me.rights(&root), Rights::default());
        std::fs::remove_dir(&root).expect("removed");
        std::fs::rename(&away, &root).expect("put back");
        assert!(me.rights(&root).trusted.is_some(), "the folder that was meant");
    }

    #[test]
    fn a_folder_that_is_not_the_one_that_was_trusted_is_said_to_be_another() {
        let ((_home, me), (_kept, root)) = (person(), folder());
        assert_eq!(me.trust_lost(&root), None, "nobody ever trusted it");
        me.change_rights(&root, |rights| rights.asked = true).expect("kept");
        let away = root.with_file_name("away");
        std::fs::rename(&root, &away).expect("moved");
        assert_eq!(me.trust_lost(&away), None, "it was not trusted where it was either");
        std::fs::rename(&away, &root).expect("moved back");
        me.change_rights(&root, trusting).expect("kept");
        assert_eq!(me.trust_lost(&root), None, "it is trusted");

        std::fs::rename(&root, &away).expect("moved");
        let said = |folder: &Path| me.trust_lost(folder).expect("it says why");
        if FolderMark::of(&away).is_some_and(|mark| mark.made.is_some()) {
            let moved = said(&away);
            assert!(
                moved.contains("moved or renamed") && moved.contains(&root.display().to_string()),
                "{moved}"
            );
        }
        std::fs::create_dir(&root).expect("another one");
        assert!(said(&root).contains("another folder lies in its place"));
        std::fs::remove_dir(&root).expect("removed");
        std::fs::rename(&away, &root).expect("put back");
        let file = me.rights_file(&root);
        let text = std::fs::read_to_string(&file).expect("read");
        std::fs::write(&file, text.replace(&machine(), "another-machine")).expect("written");
        assert!(said(&root).contains("another machine"));
        std::fs::write(&file, text.replace(&me.public(), &"ab".repeat(32))).expect("written");
        assert!(said(&root).contains("another key"));
        // Whoever has answered again is not told again.
        me.change_rights(&root, |rights| rights.asked = true).expect("kept");
        assert_eq!(me.trust_lost(&root), None);
    }

    #[test]
    fn a_run_of_ones_own_in_a_folder_that_was_moved_is_known() {
        let ((_home, me), (_kept, root)) = (person(), folder());
        let (run, other) = (RunId::from("run-1"), RunId::from("run-2"));
        let own = OwnRun::of(Head { seq: 1, hash: [0; 32] }, false);
        let change = |rights: &mut Rights| {
            rights.own.insert(run.clone(), own);
        };
        me.change_rights(&root, change).expect("kept");
        assert!(!me.had_elsewhere(&root, &run), "it is theirs here");
        let away = root.with_file_name("away");
        std::fs::rename(&root, &away).expect("moved");
        if FolderMark::of(&away).is_some_and(|mark| mark.made.is_some()) {
            assert!(me.had_elsewhere(&away, &run));
            assert!(!me.had_elsewhere(&away, &other));
        }
        std::fs::create_dir(&root).expect("another one");
        assert!(!me.had_elsewhere(&root, &run), "another folder");
    }

    #[test]
    fn programs_that_change_rights_at_once_lose_nothing() {
        let ((_home, me), (_kept, root)) = (person(), folder());
        std::thread::scope(|scope| {
            for one in 0..8 {
                let (me, root) = (&me, &root);
                scope.spawn(move || {
                    for n in 0..10 {
                        let own = OwnRun::of(Head { seq: 1, hash: [0; 32] }, false);
                        let change = |rights: &mut Rights| {
                            rights.own.insert(RunId::from(format!("run-{one}-{n}")), own);
                        };
                        me.change_rights(root, change).expect("kept");
                    }
                });
            }
        });
        assert_eq!(me.rights(&root).own.len(), 80);
    }

    /// What was seen here is looked for in the history; what was seen in another folder of this path belongs to another project, as long as
    /// nothing of it is here.
    #[test]
    fn what_was_seen_in_a_folder_is_remembered_of_that_folder() {
        let ((_home, me), (_kept, root)) = (person(), folder());
        let own = |recorded| OwnRun {
            recorded,
            ..OwnRun::of(Head { seq: 1, hash: [0; 32] }, false)
        };
        let change = |rights: &mut Rights| {
            rights.own.insert("open".into(), own(true));
            rights.own.insert("about-to-begin".into(), own(false));
        };
        me.change_rights(&root, change).expect("kept");
        me.keep_ended(&root, &[("over".into(), own(true))]).expect("kept");
        let seen = |has: &str| me.remembered(&root, |run| run.as_str() == has);
        assert_eq!(seen(""), ["open", "over"].map(RunId::from));

        let away = root.with_file_name("away");
        std::fs::rename(&root, &away).expect("moved");
        std::fs::create_dir(&root).expect("another one");
        assert_eq!(seen(""), Vec::<RunId>::new(), "another project");
        me.keep_ended(&root, &[("new".into(), own(true))]).expect("kept");
        assert_eq!(seen("new"), ["new"].map(RunId::from));
        assert_eq!(seen("over"), ["over", "new"].map(RunId::from), "the same one, restored");

        // A line of a version that did not keep the folder.
        let file = me.ended_file(&root);
        std::fs::write(&file, "[\"old\",3,\"ab\"]\n").expect("written");
        assert_eq!(me.ended(&root, &"old".into()).map(|own| own.events), Some(3));
        assert_eq!(seen(""), Vec::<RunId>::new(), "nobody knows where that was");
        assert_eq!(seen("old"), ["old"].map(RunId::from));
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_what_a_person_trusts() {
        use std::os::unix::fs::PermissionsExt;
        let ((_home, me), (_kept, root)) = (person(), folder());
        me.change_rights(&root, trusting).expect("kept");
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        let file = me.rights_file(&root);
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(file.parent().expect("a folder")), 0o700);
    }
}
