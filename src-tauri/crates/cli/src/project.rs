//! Which project a command means.

use crate::arguments::Trust;
use crate::out;
use crate::out::{Exit, Failure};
use std::path::{Path, PathBuf};
use studio::command::TrustOf;
use studio::text::safe;
use studio::{ApiError, Client, Studio};

/// Opens the project: the folder named, else the nearest one upwards (from `near` or the current folder) that has a
/// `gatehouse.yaml` or a history, else the current folder when `near` lies in it, else the folder of `near`.
pub fn open(named: Option<&Path>, near: Option<&Path>, client: Client) -> Result<Studio, Failure> {
    let studio = Studio::open(&root(named, near)?, client)?;
    say_trust_lost(&studio);
    Ok(studio)
}

/// Opens the project to ask for what is recorded in it: where nothing is, nothing is made, and what is no project is named.
pub fn recorded(named: Option<&Path>) -> Result<Studio, Failure> {
    let root = root(named, None)?;
    let studio = Studio::open_recorded(&root, Client::Cli)?;
    if !studio::workflow::check::is_project(&root) {
        let which = match named {
            Some(_) => "it has no",
            None => "neither it nor a folder around it has a",
        };
        let folder = safe::path(studio.root());
        out::note(format!(
            "note: {folder} is no project of Gatehouse: {which} gatehouse.yaml or history"
        ));
    }
    say_trust_lost(&studio);
    Ok(studio)
}

fn say_trust_lost(studio: &Studio) {
    if let Some(lost) = studio.trust_lost() {
        out::note(format!(
            "{lost} Nothing of it runs until you say again that you trust whoever made it: gatehouse trust"
        ));
    }
}

/// Says which runs this person's Gatehouse has seen here that the history does not have any more.
pub fn say_missing(studio: &Studio) -> Result<(), Failure> {
    if let Some(sentence) = studio.missing()? {
        out::note(format!("note: {sentence}"));
    }
    Ok(())
}

/// The folder that is meant, without opening it.
pub fn root(named: Option<&Path>, near: Option<&Path>) -> Result<PathBuf, Failure> {
    match named {
        Some(folder) => Ok(folder.to_owned()),
        None => find(near),
    }
}

/// Goes into the project's folder, where one is given (`-C`), and gives the files as they are named from there. What is there as it is named from
/// here is that file, as for every command.
pub fn enter(at: Option<&Path>, files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let Some(folder) = at else { return Ok(files.to_vec()) };
    let failed = |error: std::io::Error| {
        let what = format!("The folder {} cannot be used: {error}.", folder.display());
        Failure(ApiError::new("no_project", what))
    };
    let before = std::env::current_dir().map_err(failed)?;
    std::env::set_current_dir(folder).map_err(failed)?;
    let here = std::env::current_dir().map_err(failed)?;
    let from_before = |file: &PathBuf| Some(before.join(file)).filter(|whole| before != here && whole.exists());
    Ok(files
        .iter()
        .map(|file| from_before(file).unwrap_or_else(|| file.clone()))
        .collect())
}

fn find(near: Option<&Path>) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(|e| {
        Failure(ApiError::new(
            "no_project",
            format!("The current folder cannot be used: {e}."),
        ))
    })?;
    let near = near.and_then(|p| std::path::absolute(p).ok());
    let start = near.as_deref().and_then(Path::parent).unwrap_or(&here);
    if let Some(found) = start.ancestors().find(|f| studio::workflow::check::is_project(f)) {
        return Ok(found.to_owned());
    }
    Ok(if start.starts_with(&here) {
        here
    } else {
        start.to_owned()
    })
}

/// Lets the project's programs run, or takes it back.
pub fn trust(at: Option<&Path>, a: &Trust) -> Result<Exit, Failure> {
    let studio = open(at, None, Client::Cli)?;
    studio.trust(TrustOf { trust: !a.revoke })?;
    let folder = out::in_line(&studio.root().display().to_string());
    out::lines(match a.revoke {
        false => format!(
            "trusted: {folder}\nIts workflows may start programs, as its gatehouse.yaml says. This holds for you, on this machine; take it back with --revoke."
        ),
        true => format!(
            "not trusted any more: {folder}\nIt can be looked at and rehearsed; nothing of it is started from now on. A command line that carries a run out goes on with \
             it: end that one with Ctrl-C, or stop its run."
        ),
    });
    Ok(Exit::Done)
}

/// Whether a command typed here, without naming the project, means this one.
pub fn is_found(studio: &Studio) -> bool {
    let found = find(None).ok().and_then(|folder| folder.canonicalize().ok());
    found.is_some_and(|found| studio.root().canonicalize().is_ok_and(|root| root == found))
}

/// A path of the command line as the façade wants it: relative to the project, and text.
pub fn relative(studio: &Studio, path: &Path) -> Result<String, Failure> {
    // With `-C` a path may be written as it is seen from the project.
    let path = &match path.is_relative() && !path.exists() {
        true => studio.root().join(path),
        false => path.to_owned(),
    };
    let whole = path.canonicalize().ok();
    let inside = whole
        .as_deref()
        .and_then(|whole| whole.strip_prefix(studio.root()).ok());
    if inside.is_some_and(|inside| inside.to_str().is_none()) {
        let what = format!(
            "{} is there, and its name is not UTF-8: no file of such a name is used.",
            safe::path(path)
        );
        return Err(Failure(ApiError::new("refused:name", what).hint("Rename it.")));
    }
    let relative = studio.relative(path);
    if Path::new(&relative).is_absolute() || relative.starts_with('/') {
        return Err(Failure(
            ApiError::new(
                "outside_project",
                format!(
                    "{} does not lie in the project {}.",
                    path.display(),
                    studio.root().display()
                ),
            )
            .hint("Name the project with --project, or run the command inside it."),
        ));
    }
    Ok(relative)
}
