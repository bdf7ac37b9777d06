//! What the Git tools tell, held against the program `git`, and what a hostile repository gets out of them: nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hostile;
mod reading;
mod refusing;

use permission::Policy;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tool::git::{self, Error, View};

/// A repository in a folder of its own.
struct Repo {
    root: PathBuf,
    _folder: tempfile::TempDir,
    policy: Policy,
}

impl Repo {
    /// A folder that is no repository.
    fn bare_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            root: folder.path().canonicalize().unwrap(),
            _folder: folder,
            policy: Policy::default(),
        }
    }

    fn empty() -> Self {
        let repo = Self::bare_folder();
        repo.git("init -q -b main");
        repo
    }

    /// Runs the real program in it and gives what it prints.
    fn git(&self, line: &str) -> String {
        self.git_in("", line)
    }

    fn git_in(&self, folder: &str, line: &str) -> String {
        let words = shlex(line);
        let out = Command::new("git")
            .args(&words)
            .current_dir(self.root.join(folder))
            .env_remove("GIT_DIR")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.org")
            .stdin(Stdio::null())
            .output()
            .expect("these tests need the program `git`");
        let errors = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "git {line}: {errors}");
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let place = self.root.join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }

    /// Commits everything, at a time that grows with `hour`.
    fn commit(&self, hour: u32, message: &str) -> String {
        self.git("add -A");
        let date = format!("2026-01-{:02}T{:02}:00:00+02:00", 1 + hour / 24, hour % 24);
        let message = message.replace('\'', "");
        self.git(&format!(
            "-c user.useConfigOnly=false commit -q --allow-empty --date {date} -m '{message}'"
        ));
        self.git("rev-parse HEAD").trim().to_owned()
    }

    fn view(&self) -> View<'_> {
        View::new(&self.root, &self.policy)
    }

    fn view_of<'a>(&'a self, root: &'a Path) -> View<'a> {
        View::new(root, &self.policy)
    }

    fn status(&self) -> Value {
        git::status(&self.view()).unwrap()
    }

    fn diff(&self, what: &git::Compared<'_>) -> Value {
        git::diff(&self.view(), what).unwrap()
    }

    fn call(&self, name: &str, arguments: Value) -> Result<Value, Error> {
        git::call(name, &self.view(), &arguments).unwrap()
    }
}

/// Words of a line; single quotes hold them together.
fn shlex(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quoted, mut any) = (false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            c => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}
