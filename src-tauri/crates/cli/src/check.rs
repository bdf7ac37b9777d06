//! `gatehouse check`.

use crate::arguments::Check;
use crate::out::{Exit, Failure};
use crate::{out, project};
use serde::Serialize;
use std::path::Path;
use studio::text::safe;
use studio::workflow::check::Checked;
use studio::{ApiError, workflow};

/// What `--json` prints for each file. Stable.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    /// Absent for a file that is none, such as `gatehouse.yaml`.
    workflow: Option<&'a str>,
    format: Option<studio::Format>,
    nearest: Option<studio::Format>,
    errors: usize,
    warnings: usize,
    problems: &'a [studio::workflow::view::ProblemView],
    unreadable: Option<&'a str>,
}

/// Checks files, and the settings of the projects that they lie in; folders are looked through for workflows.
pub fn check(at: Option<&Path>, arguments: &Check) -> Result<Exit, Failure> {
    let named = project::enter(at, &arguments.files)?;
    let mut exit = Exit::Done;
    let (mut count, mut sessions, mut errors, mut warnings, mut passed_over) = (0, 0, 0, 0, 0);
    let mut told = 0_usize;
    let mut tell = |file: &Path, checked: Checked| {
        told += 1;
        let wrong = checked.errors() + usize::from(checked.unreadable.is_some() && !checked.may_be_none);
        if wrong > 0 {
            exit = Exit::Invalid;
        }
        errors += wrong;
        warnings += checked.warnings();
        passed_over += usize::from(checked.unreadable.is_some() && checked.may_be_none);
        if arguments.json {
            out::json(&Line {
                path: file.display().to_string(),
                workflow: checked.workflow.as_deref(),
                format: checked.format,
                nearest: checked.nearest,
                errors: wrong,
                warnings: checked.warnings(),
                problems: &checked.problems,
                unreadable: checked.unreadable.as_deref(),
            });
        } else {
            print(file, &checked);
        }
    };
    let workflow::check::Meant { files, missed } = workflow::check::files(&named);
    workflow::check::each(&files, |file, checked| {
        let session = checked.format.is_some_and(|format| format.contract().state_of_run);
        sessions += usize::from(session);
        count += usize::from(checked.nearest.is_none() && checked.unreadable.is_none() && !session);
        tell(file, checked);
    });
    for (path, checked) in missed {
        tell(&path, checked);
    }
    // What a project settles counts for each of them: with settings that cannot be used none of them runs.
    let projects = workflow::check::projects(&named, &files);
    projects
        .iter()
        .flat_map(|root| studio::settings::check::check(root))
        .for_each(|(file, checked)| tell(&file, checked));
    // Nobody may take it for checked that nothing was there, or that nothing could be looked at.
    if told == 0 && named.iter().all(|path| path.is_dir()) {
        let error = ApiError::new("invalid_file", "Nothing was checked: there is no workflow here.");
        return Err(Failure(error.hint("Name a workflow file, or a folder that holds one.")));
    }
    if passed_over > 0 && count + sessions == 0 {
        exit = Exit::Invalid;
    }
    if !arguments.json {
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        out::line(format!(
            "{} checked: {}, {}{}",
            match (count, sessions) {
                (0, 1..) => plural(sessions, "session"),
                (_, 0) => plural(count, "workflow"),
                _ => format!("{} and {}", plural(count, "workflow"), plural(sessions, "session")),
            },
            plural(errors, "error"),
            plural(warnings, "warning"),
            match passed_over {
                0 => String::new(),
                n => format!("; {n} not looked at"),
            }
        ));
    }
    Ok(exit)
}

fn print(file: &Path, checked: &Checked) {
    if let Some(why) = &checked.unreadable {
        out::unread(safe::path(file), why, checked.may_be_none);
    }
    for p in &checked.problems {
        let severity = match p.severity {
            studio::Severity::Error => "error",
            studio::Severity::Warning => "warning",
            studio::Severity::Note => "note",
        };
        let (shown, line, column) = match &p.elsewhere {
            Some(there) => (there.file.clone(), there.line, there.column),
            None => (file.display().to_string(), p.line, p.column),
        };
        out::line(format!(
            "{shown}:{line}:{column}: {severity}: {} [{}]",
            p.message, p.code
        ));
        if let Some(help) = &p.help {
            out::line(format!("    help: {help}"));
        }
    }
}
