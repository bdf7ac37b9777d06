//! The folder of a project's pipelines, and the files in it. Every path here is made of checked parts: the setting of
//! `gatehouse.yaml`, an id that has the shape of one, and names of our own.

use super::Error;
use crate::config::{CONFIG_FILE, Config};
use crate::file_fault::FileFault;
use crate::project;
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use store::below;
use store::regular::{LARGEST_WORKFLOW, NotRead};

/// Where pipelines lie when nothing else is said.
const PLAIN: &str = "pipelines";
/// Where they lie in projects that other programs have laid out (seed 004 `pipeline_dir`).
const LAID_OUT: &str = "_bmad-output/pipelines";
/// The folder that is Gatehouse's own.
const OWN_FOLDER: &str = ".gatehouse";

/// Where a project's pipelines lie. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    root: PathBuf,
    relative: String,
}

impl Folder {
    /// The folder that `gatehouse.yaml` names, else `_bmad-output/pipelines` where that exists, else `pipelines`. `root` is the
    /// project's canonical folder.
    ///
    /// # Errors
    /// [`Error::Setting`] when the setting does not name a folder inside the project; [`Error::Escape`] when a symbolic link
    /// on the way leads out of it.
    pub fn of(root: &Path, config: &Config) -> Result<Self, Error> {
        let relative = match &config.pipelines {
            Some(setting) => checked(setting)?,
            None if root.join(LAID_OUT).is_dir() => LAID_OUT.to_owned(),
            None => PLAIN.to_owned(),
        };
        project::inside(root, &relative)?;
        Ok(Self {
            root: root.to_owned(),
            relative,
        })
    }

    /// Why the folder that `gatehouse.yaml` names cannot be used, with the place of the setting.
    pub fn fault(root: &Path, config: &Config) -> Option<FileFault> {
        let said = match Self::of(root, config).err()? {
            Error::Setting { setting, reason } => {
                format!("`pipelines.folder` is {setting}, which cannot be used: {reason}")
            }
            error => error.to_string(),
        };
        let text = Config::text(root).unwrap_or_default();
        Some(
            FileFault::new(CONFIG_FILE, said)
                .placed(&text)
                .hint("Name a folder inside the project, such as `pipelines`."),
        )
    }

    /// The folder, relative to the project, with `/`.
    pub fn relative(&self) -> &str {
        &self.relative
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a pipeline's file, relative to the project, with `/`.
    pub fn path_of(&self, id: &PipelineId) -> String {
        format!("{}/{}", self.relative, id.file_name())
    }

    /// The id of a path that names a pipeline's file in this folder.
    pub fn id_of(&self, path: &str) -> Option<PipelineId> {
        let (folder, name) = path.rsplit_once('/')?;
        PipelineId::of_file(name).filter(|_| folder == self.relative)
    }

    /// The folder itself, made where it does not exist.
    ///
    /// # Errors
    /// [`Error::Escape`], [`Error::Io`].
    pub(super) fn made(&self) -> Result<PathBuf, Error> {
        let folder = project::inside(&self.root, &self.relative)?;
        std::fs::create_dir_all(&folder).map_err(|source| Error::Io {
            what: format!("the folder {} cannot be made", self.relative),
            source,
        })?;
        Ok(folder)
    }

    /// A file in the folder by a name of ours. It need not exist.
    ///
    /// # Errors
    /// [`Error::Escape`] when a symbolic link leads out of the project.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf, Error> {
        Ok(project::inside(&self.root, &format!("{}/{name}", self.relative))?)
    }

    /// A pipeline as its file is now.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Unreadable`], [`Error::Escape`].
    pub fn read(&self, id: &PipelineId) -> Result<Document, Error> {
        let text = self
            .text(&id.file_name())?
            .ok_or_else(|| Error::NotFound { id: id.clone() })?;
        Ok(Document::parse(&self.path_of(id), &text))
    }

    /// The text of a file in the folder; `None` when there is none. What is no ordinary file (a device, a pipe) is not opened.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Error> {
        let path = format!("{}/{name}", self.relative);
        self.file(name)?;
        let unreadable = |reason: String| Error::Unreadable {
            path: path.clone(),
            reason,
        };
        match below::read_text(&self.root, &path, LARGEST_WORKFLOW) {
            Ok(text) => Ok(Some(text)),
            Err(NotRead::Missing) => Ok(None),
            // A name may be longer than any file's: then there is no such file either.
            Err(NotRead::Io(error)) if error.kind() == ErrorKind::InvalidFilename => Ok(None),
            Err(error) => Err(unreadable(error.to_string())),
        }
    }

    /// The names of the files below a folder of this one, in their order; empty where there is none.
    pub(super) fn names(&self, below: &str) -> Result<Vec<String>, Error> {
        let folder = match below {
            "" => project::inside(&self.root, &self.relative)?,
            below => self.file(below)?,
        };
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(Vec::new());
        };
        // A name that is no text is nothing that Gatehouse wrote or a person can type.
        let names = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        Ok(names)
    }
}

/// The setting as a path inside the project, with `/`.
fn checked(setting: &str) -> Result<String, Error> {
    let refused = |reason: &'static str| Error::Setting {
        setting: setting.to_owned(),
        reason,
    };
    if setting.contains('\0') {
        return Err(refused("it holds a character that no path may hold"));
    }
    let mut parts = Vec::new();
    for part in Path::new(setting.trim()).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
            Component::CurDir => {}
            Component::ParentDir => return Err(refused("it leads out of the project with `..`")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(refused("it does not begin in the project's folder"));
            }
        }
    }
    match parts.first() {
        None => Err(refused("it names no folder")),
        Some(first) if first.eq_ignore_ascii_case(OWN_FOLDER) => Err(refused("Gatehouse keeps its own records there")),
        Some(_) => Ok(parts.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(root: &Path, setting: Option<&str>) -> Result<String, String> {
        let text = setting.map_or_else(String::new, |s| {
            format!("pipelines: {{folder: {}}}", serde_json::json!(s))
        });
        let config = Config::parse(Path::new("gatehouse.yaml"), &text).expect("settings");
        let folder = Folder::of(root, &config).map_err(|error| error.to_string())?;
        Ok(folder.relative().to_owned())
    }

    #[test]
    fn the_setting_the_laid_out_folder_and_the_plain_one() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        assert_eq!(of(&root, None).as_deref(), Ok("pipelines"));
        std::fs::create_dir_all(root.join("_bmad-output/pipelines")).expect("made");
        assert_eq!(of(&root, None).as_deref(), Ok("_bmad-output/pipelines"));
        assert_eq!(of(&root, Some("./built//runs/")).as_deref(), Ok("built/runs"));
    }

    #[test]
    fn a_setting_never_leads_out() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        for out in [
            "..",
            "a/../../b",
            "/etc",
            "",
            ".",
            " ",
            "a\0b",
            ".gatehouse",
            "./.gatehouse/runs",
        ] {
            assert!(of(&root, Some(out)).is_err(), "{out:?}");
        }
        #[cfg(unix)]
        {
            let elsewhere = tempfile::tempdir().expect("a folder");
            std::os::unix::fs::symlink(elsewhere.path(), root.join("out")).expect("linked");
            for out in ["out", "out/more"] {
                assert!(of(&root, Some(out)).is_err(), "{out:?}");
            }
        }
    }

    #[test]
    fn ids_of_paths() {
        let project = tempfile::tempdir().expect("a folder");
        let folder = Folder::of(project.path(), &Config::default()).expect("the plain one");
        let id = |path: &str| folder.id_of(path).map(|id| id.to_string());
        assert_eq!(
            id("pipelines/PIPE-20250101-a-000000.yaml").as_deref(),
            Some("PIPE-20250101-a-000000")
        );
        for other in [
            "other/PIPE-20250101-a-000000.yaml",
            "PIPE-20250101-a-000000.yaml",
            "pipelines/a.yaml",
        ] {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
