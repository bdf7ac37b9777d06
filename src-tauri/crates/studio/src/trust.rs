//! What a person lets a project do on this machine: whether anything of it runs, what was permitted for later runs too, and which runs
//! are taken up by themselves.
//!
//! It lies with the person, outside of every project, and is bound to the folder, the machine and the person's key: what stands in a
//! project's own history grants nothing, and neither a copy of the folder nor another folder in its place inherits anything.

use crate::view::notice::Notice;
use crate::view::settings::{SettingsView, TrustView};
use crate::{ApiError, Identity, Studio, identity};
use engine::{At, RunId};
use runtime::permits::Need;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    pub runs: BTreeSet<RunId>,
}

impl Rights {
    /// What the window shows of them.
    pub fn view(&self) -> TrustView {
        TrustView {
            trusted: self.trusted.is_some(),
            asked: self.asked,
        }
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
        let read = || {
            let kept: Kept = serde_json::from_slice(&std::fs::read(self.rights_file(root)).ok()?).ok()?;
            let is_this = kept.version == VERSION
                && kept.project == root
                && Some(kept.folder) == FolderMark::of(root)
                && kept.machine == machine()
                && kept.key == self.public();
            is_this.then_some(kept.rights)
        };
        read().unwrap_or_default()
    }

    /// Changes them.
    ///
    /// # Errors
    /// They cannot be kept.
    pub(crate) fn change_rights(&self, root: &Path, change: impl FnOnce(&mut Rights)) -> Result<Rights, ApiError> {
        let mut rights = self.rights(root);
        let before = rights.clone();
        change(&mut rights);
        if rights == before {
            return Ok(rights);
        }
        let file = self.rights_file(root);
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

    fn rights_file(&self, root: &Path) -> PathBuf {
        let name = store::digest_of(root.as_os_str().as_encoded_bytes());
        self.folder()
            .join(PROJECTS)
            .join(format!("{}.json", &name.as_str()[..32]))
    }
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

    /// Says so, or takes it back. What runs already goes on to its end.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn trust(&self, trusted: bool) -> Result<(), ApiError> {
        self.0.identity.trust(&self.0.root, trusted)?;
        self.notify(Notice::Settings);
        if trusted && let Err(error) = self.take_up() {
            tracing::warn!(%error, "runs of an earlier start could not be taken up");
        }
        Ok(())
    }

    /// The same, as an intent of the window.
    pub(crate) async fn trust_project(&self, of: crate::command::TrustOf) -> Result<SettingsView, ApiError> {
        self.trust(of.trust)?;
        self.settings(crate::command::Nothing {}).await
    }

    pub(crate) fn rights(&self) -> Rights {
        self.0.identity.rights(&self.0.root)
    }

    pub(crate) fn change_rights(&self, change: impl FnOnce(&mut Rights)) -> Result<Rights, ApiError> {
        self.0.identity.change_rights(&self.0.root, change)
    }

    /// Remembers that a run was started or taken up by this person, so that it goes on by itself when they open the project again.
    pub(crate) fn is_mine_now(&self, run: &RunId) {
        let kept = self.change_rights(|rights| {
            rights.runs.insert(run.clone());
        });
        if let Err(error) = kept {
            tracing::warn!(%run, %error, "it was not kept that this run is yours; take it up yourself after a restart");
        }
    }

    /// Whether this person started or took up a run here, or the run around it.
    pub(crate) fn is_mine(&self, run: &RunId, rights: &Rights) -> bool {
        let around = self.around(run).unwrap_or_default();
        std::iter::once(run).chain(&around).any(|run| rights.runs.contains(run))
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
        rights.runs.insert("run-1".into());
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
