//! Files of the project, read and written. Steps may be at work in it at the same moment: what is done is done with the file that was looked at, and
//! through no link that has come in its way since ([`below`]).

use crate::error::io as failed;
use crate::{ApiError, Studio};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};
use store::below::{self, Folder, Whose};
use store::regular::NotRead;

impl Studio {
    /// The text of a file of the project. Links are followed where they stay in it. `largest`: of its size, in bytes.
    ///
    /// # Errors
    /// [`NotRead`]; [`NotRead::Elsewhere`] also for a path that is none inside the project.
    pub(crate) fn text_in(&self, path: &str, largest: u64) -> Result<String, NotRead> {
        self.inside(path).map_err(|_| NotRead::Elsewhere)?;
        below::read_text(&self.0.root, path, largest)
    }

    /// The project's folder, held open, and where in it a path leads.
    fn at(&self, path: impl AsRef<Path>) -> io::Result<(Folder, PathBuf)> {
        let place = below::place(&self.0.root, path)?;
        Ok((Folder::open(&self.0.root)?, place))
    }

    /// Writes a file that must not be there yet, whole or not at all, with the folders around it.
    ///
    /// # Errors
    /// `name_taken`, `outside_project`, `read_only`, `disk_full`, `io`.
    pub(crate) fn put_in(&self, path: &str, text: &str) -> Result<(), ApiError> {
        self.inside(path)?;
        let put = || {
            let (folder, place) = self.at(path)?;
            folder.put_new(place, Whose::Anyones, |file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
        };
        put().map_err(|error| failed(path, &error))
    }

    /// Writes a file anew, whole or not at all; one that is there keeps who may read and write it, and whose it is, where this account may give it
    /// away. `place`: from the project's folder, without a link on its way: none is followed.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn replace_in(&self, place: &Path, text: &str) -> io::Result<()> {
        let folder = Folder::open(&self.0.root)?;
        let was = match folder.file(place) {
            Ok(there) => Some(there.metadata()?),
            Err(NotRead::Missing) => None,
            Err(error) => return Err(error.into()),
        };
        folder.replace(place, Whose::Anyones, |file| {
            file.write_all(text.as_bytes())?;
            if let Some(was) = &was {
                let _ = fchown(&*file, Some(was.uid()), Some(was.gid()));
                file.set_permissions(was.permissions())?;
            }
            file.sync_all()
        })
    }

    /// Gives a file a second path, where nothing may be yet, with the folders around it.
    ///
    /// # Errors
    /// `AlreadyExists`; what the system says, also that the file system has no second names.
    pub(crate) fn link_in(&self, from: &str, to: &str) -> io::Result<()> {
        let (folder, old) = self.at(from)?;
        let (_, new) = self.at(to)?;
        folder.make(new.parent().unwrap_or(Path::new("")), Whose::Anyones)?;
        folder.link(old, new)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// `outside_project`, `read_only`, `io`: also that there is none.
    pub(crate) fn remove_in(&self, path: &str) -> Result<(), ApiError> {
        self.inside(path)?;
        let (folder, place) = self.at(path).map_err(|error| failed(path, &error))?;
        folder.remove_file(place).map_err(|error| failed(path, &error))
    }

    /// Removes a folder of the project in which nothing is; what lies in it keeps it.
    pub(crate) fn remove_empty(&self, path: impl AsRef<Path>) {
        if let Ok((folder, place)) = self.at(path) {
            let _ = folder.remove_folder(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Client, Identity};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn nothing_is_read_or_written_outside_of_the_project_and_links_inside_are_followed() {
        let kept = tempfile::tempdir().expect("a folder");
        let at = |name: &str| kept.path().join(name);
        for name in ["project/real", "outside"] {
            std::fs::create_dir_all(at(name)).expect("made");
        }
        let me = Identity::open_in(&at("home"), false).expect("the identity");
        let studio = Studio::open_as(&at("project"), Client::Test, me).expect("the project");
        let text = |path: &str| std::fs::read_to_string(at(path)).expect(path);
        symlink("real", at("project/way")).expect("linked");
        studio.put_in("way/new/a.md", "one").expect("put");
        assert_eq!(text("project/real/new/a.md"), "one");
        assert_eq!(studio.text_in("way/new/a.md", 3).expect("read"), "one");
        assert!(matches!(
            studio.text_in("way/new/a.md", 2),
            Err(NotRead::TooLarge { .. })
        ));
        assert_eq!(
            studio.put_in("real/new/a.md", "two").expect_err("it is there").code,
            "name_taken"
        );
        // What is written over stays as open as it was, and nothing is written through a link.
        symlink("new/a.md", at("project/real/link.md")).expect("linked");
        let open = std::fs::Permissions::from_mode(0o640);
        std::fs::set_permissions(at("project/real/new/a.md"), open).expect("set");
        let replace = |place: &str, text: &str| studio.replace_in(Path::new(place), text);
        replace("real/new/a.md", "two").expect("written");
        replace("real/link.md", "three").expect_err("a link");
        replace("way/new/a.md", "three").expect_err("a link");
        assert_eq!(text("project/real/new/a.md"), "two");
        let mode = std::fs::metadata(at("project/real/new/a.md"))
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o640);
        studio.link_in("real/new/a.md", "real/b/a.md").expect("linked");
        let taken = studio.link_in("real/new/a.md", "real/b/a.md").expect_err("it is there");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        studio.remove_in("way/b/a.md").expect("removed");
        studio.remove_empty("way/b");
        studio.remove_empty("way/new");
        assert!(!at("project/real/b").exists() && at("project/real/new").exists());
        // What leads out.
        std::fs::write(at("outside/a.md"), "theirs").expect("written");
        symlink(at("outside"), at("project/out")).expect("linked");
        assert!(matches!(studio.text_in("out/a.md", 9), Err(NotRead::Elsewhere)));
        assert_eq!(
            studio.put_in("out/b.md", "x").expect_err("outside").code,
            "outside_project"
        );
        assert_eq!(
            studio.remove_in("out/a.md").expect_err("outside").code,
            "outside_project"
        );
        replace("out/a.md", "x").expect_err("outside");
        replace("out/b.md", "x").expect_err("outside");
        studio.link_in("real/new/a.md", "out/b.md").expect_err("outside");
        assert_eq!(text("outside/a.md"), "theirs");
        assert_eq!(std::fs::read_dir(at("outside")).expect("there").count(), 1);
    }
}
