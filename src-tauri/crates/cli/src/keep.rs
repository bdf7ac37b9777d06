//! `gatehouse verify`, `report`, `bundle`, `rebuild`, `backup`, `restore`: what is kept of runs.

use crate::arguments::{OfRun, OneFile, Report, Verify};
use crate::out;
use crate::out::{Exit, Failure};
use crate::project;
use serde_json::json;
use std::path::Path;
use studio::backup::Kept;
use studio::command::RunAt;
use studio::report::view::SavedView;
use studio::text::paste::shell_word_or;
use studio::verify::view::VerifyView;
use studio::{ApiError, Client, Identity, Studio};

/// Verifies a run.
pub fn verify(at: Option<&Path>, a: &Verify) -> Result<Exit, Failure> {
    if a.of.run.to_lowercase().ends_with(".zip") {
        return verify_bundle(a);
    }
    if is_page(&a.of.run) {
        return Err(Failure(a_report(&a.of.run)));
    }
    let studio = project::recorded(at)?;
    let view = match &a.against {
        Some(report) => studio.verify_against(&a.of.run, report)?,
        None => studio.verify(RunAt::live(a.of.run.clone()))?,
    };
    if a.of.json {
        out::json(&view);
    } else {
        found(&view);
    }
    Ok(if view.ok { Exit::Done } else { Exit::Failed })
}

/// Whether a file is named that a report is written to.
fn is_page(named: &str) -> bool {
    let name = named.to_lowercase();
    name.ends_with(".html") || name.ends_with(".htm")
}

/// How a report is checked, which was given in the place of its run.
fn a_report(file: &str) -> ApiError {
    let run = Studio::run_of_report(Path::new(file));
    let what = format!("{file} is no run: a report is checked together with the run that it is of.");
    ApiError::new("bad_parameters", what).hint(format!(
        "gatehouse verify {} --against {}",
        run.map_or_else(|| "RUN".to_owned(), |run| shell_word_or(&run, "RUN")),
        shell_word_or(file, "FILE.html")
    ))
}

/// Says why nobody is to rely on what was written.
fn warn(saved: &SavedView, run: &str) {
    if let Some(warning) = &saved.warning {
        out::note(format!(
            "warning: {warning} What is wrong is said by: gatehouse verify {}",
            shell_word_or(run, "RUN")
        ));
    }
}

fn found(view: &VerifyView) {
    for f in &view.findings {
        out::line(format!("{}: {} [{}]", f.place, f.message, f.code));
    }
    out::line(&view.words);
    for note in &view.notes {
        out::line(format!("note: {note}"));
    }
}

/// Verifies what somebody handed over; no project is needed for it.
fn verify_bundle(a: &Verify) -> Result<Exit, Failure> {
    if a.against.is_some() {
        let what = "A bundle holds the report that it is checked against.";
        return Err(Failure(
            ApiError::new("bad_parameters", what).hint("Leave --against out."),
        ));
    }
    let view = Studio::verify_bundle(Path::new(&a.of.run), Client::Cli, Identity::open_to_look()?)?;
    if a.of.json {
        out::json(&view);
    } else {
        out::line(&view.words);
        for check in &view.checks {
            out::line("");
            out::line(format!("{} of “{}”", check.run_id, check.title));
            found(&check.verified);
        }
    }
    Ok(if view.ok { Exit::Done } else { Exit::Failed })
}

/// Hands a run over.
pub fn bundle(at: Option<&Path>, a: &Report) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let saved = studio.write_bundle(&a.run, &a.output)?;
    out::line(format!("{} ({} bytes)", saved.path, saved.bytes));
    warn(&saved, &a.run);
    out::note(format!(
        "Whoever gets it checks it with: gatehouse verify {}",
        shell_word_or(&a.output.display().to_string(), "FILE.zip")
    ));
    Ok(Exit::Done)
}

/// Writes the report of a run.
pub fn report(at: Option<&Path>, a: &Report) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let folder = a
        .output
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let saved = studio.write_report(&a.run, &a.output)?;
    out::line(format!("{} ({} bytes)", saved.path, saved.bytes));
    warn(&saved, &a.run);
    if let Some(folder) = folder {
        out::note(format!(
            "note: the folder {} was not there and was made",
            folder.display()
        ));
    }
    Ok(Exit::Done)
}

/// Writes the files of a run anew.
pub fn rebuild(at: Option<&Path>, a: &OfRun) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let done = studio.rebuild(&a.run)?;
    if a.json {
        out::json(&json!({"folder": done.folder, "files": done.files, "aside": done.aside}));
    } else {
        let folder = done.folder.display();
        out::line(format!("{} files written anew in {folder}", done.files));
        if let Some(aside) = done.aside {
            out::note(format!(
                "note: What the folder told of another log than the run has now is kept in {}.",
                aside.display()
            ));
        }
    }
    Ok(Exit::Done)
}

/// Copies the history.
pub fn back_up(at: Option<&Path>, a: &OneFile) -> Result<Exit, Failure> {
    let studio = project::open(at, None, Client::Cli)?;
    Ok(say(&studio.back_up(&a.file)?, a.json))
}

/// Puts a copy back.
pub fn restore(at: Option<&Path>, a: &OneFile) -> Result<Exit, Failure> {
    Ok(say(&Studio::restore(&project::root(at, None)?, &a.file)?, a.json))
}

fn say(kept: &Kept, json: bool) -> Exit {
    if json {
        out::json(kept);
    } else {
        out::line(&kept.words);
    }
    if kept.ok { Exit::Done } else { Exit::Failed }
}
