//! The built `gatehouse`, started as a person would start it.

use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where the program was built: beside the test that asks.
///
/// # Errors
/// It has not been built: the message says how.
pub fn gatehouse() -> anyhow::Result<PathBuf> {
    let here = std::env::current_exe().context("this program cannot find itself")?;
    let built = here
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("gatehouse"))
        .find(|file| file.is_file());
    built.with_context(|| {
        format!(
            "the program `gatehouse` is not built beside {}; build it with `cargo build -p cli`, or test the whole workspace",
            here.display()
        )
    })
}

/// What a finished program said.
#[derive(Debug)]
pub struct Said {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
}

/// `gatehouse …` in a project whose person trusts it, with a home of its own so that nobody's key or settings are touched.
///
/// # Errors
/// It has not been built; the home cannot be made.
pub fn command(project: &Path, arguments: &[&str]) -> anyhow::Result<Command> {
    trust(project)?;
    stranger(project, arguments)
}

/// Lets the project's person trust it, for programs that are not started by [`command`].
///
/// # Errors
/// The home cannot be made.
pub fn trust(project: &Path) -> anyhow::Result<()> {
    let home = home_of(project);
    if !home.join("projects").exists() {
        let me = studio::Identity::open_in(&home, false).map_err(|e| anyhow::anyhow!(e.message))?;
        me.trust(project, true).map_err(|e| anyhow::anyhow!(e.message))?;
    }
    Ok(())
}

/// The same of a person who has not said that they trust the project.
///
/// # Errors
/// It has not been built.
pub fn stranger(project: &Path, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(gatehouse()?);
    command.arg("-C").arg(project).args(arguments).current_dir(project);
    // Its own key and settings, and no key store: that would be shared with whoever runs the tests.
    command.env(studio::settings::identity::HOME_VARIABLE, home_of(project));
    Ok(command)
}

/// Has a command of root be one of somebody who may nothing special, to whom the project and all beside it is given; whether that could be done.
/// Whoever is not root is such a person.
///
/// # Errors
/// The files cannot be given away.
#[cfg(unix)]
pub fn as_ordinary(project: &Path, command: &mut Command) -> anyhow::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    let around = project.parent().context("a project lies in a folder of its own")?;
    if std::fs::metadata(around)?.uid() != 0 {
        return Ok(true);
    }
    let given = Command::new("chown")
        .args(["-hR", &format!("{NOBODY}:{NOBODY}")])
        .arg(around)
        .status()?;
    anyhow::ensure!(given.success(), "the project cannot be given away");
    command.uid(NOBODY).gid(NOBODY).env("HOME", around);
    // The program may lie where only root may look.
    let looks = Command::new(gatehouse()?)
        .arg("--version")
        .uid(NOBODY)
        .gid(NOBODY)
        .output();
    Ok(looks.is_ok_and(|said| said.status.success()))
}

/// Where the person who works in a project keeps key and settings: beside it.
pub fn home_of(project: &Path) -> PathBuf {
    project.with_file_name("home")
}

/// Runs it to its end.
///
/// # Errors
/// It has not been built, or cannot be started.
pub fn run(project: &Path, arguments: &[&str]) -> anyhow::Result<Said> {
    let output = command(project, arguments)?
        .output()
        .context("gatehouse cannot be started")?;
    Ok(Said::from(output))
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
