//! Collecting: the files that an attempt made, found, read and digested.
//!
//! A stage of a pipeline has a folder of its own: it is made before the work, and what the stage made elsewhere or only
//! said is brought into it here.

use super::{Attempt, Job, blocking};
use crate::artifacts::{self, Found, Stood};
use crate::brief::Brief;
use crate::clock;
use crate::executor::Sink;
use crate::pipeline::outputs::{self, Outputs, Working};
use engine::RunId;
use model::AgentKey;
use model::step::Output;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The longest time that reading or copying the files of one attempt may take.
pub(super) const LIMIT: Duration = Duration::from_secs(600);

/// Where what an attempt makes is found.
pub(crate) enum Files {
    /// In the project.
    OnDisk {
        /// The workflow's outputs of the step, as written.
        declared: Vec<String>,
        /// The step fails where one of them is not there that is not optional (seed 000 "StepSpec", `outputs`).
        demanded: bool,
        /// The step's own folder, where it has one.
        folder: Option<Outputs>,
        /// A person does the step, or some of it: before anybody here begins.
        by_person: bool,
    },
    /// Nothing is made: a scenario names them.
    Named(Found),
}

/// Makes the step's folder, empty unless a person works in it, and gives its absolute path.
///
/// # Errors
/// Why it cannot be made.
pub(super) async fn prepare(files: &Files, brief: &Brief, sink: &Sink) -> Result<Option<String>, String> {
    let Files::OnDisk {
        folder: Some(folder),
        by_person,
        ..
    } = files
    else {
        return Ok(None);
    };
    let (outputs, root, by_person) = (folder.clone(), PathBuf::from(&brief.project_root), *by_person);
    let made = blocking("the stage's folder could not be made", LIMIT, sink, move |off| {
        let working = outputs.work(&root, off).map_err(|error| error.to_string())?;
        working.prepare(by_person).map_err(|error| error.to_string())
    });
    Ok(Some(made.await?.to_string_lossy().into_owned()))
}

/// Looks how the step's files stand before anything is done, where somebody will ask what it made of them.
///
/// # Errors
/// They cannot be looked at.
pub(super) async fn stand(attempt: &mut Attempt) -> Result<(), String> {
    let Job { care, brief, files, .. } = &attempt.job;
    let Files::OnDisk { declared, .. } = files else {
        return Ok(());
    };
    if care.step.evidence.is_none() && !care.unasked {
        return Ok(());
    }
    attempt.stood = Some(match care.takes_up {
        Some(since) => Stood::at(since),
        None if declared.is_empty() => Stood::at(clock::now()),
        None => {
            let (root, run) = (PathBuf::from(&brief.project_root), RunId::from(brief.run_id.as_str()));
            let declared = declared.clone();
            let look = move |_: &AtomicBool| Ok(Stood::now(&root, &run, &declared));
            blocking("the step's files could not be looked at", LIMIT, &attempt.sink, look).await?
        }
    });
    Ok(())
}

/// Finds the files of work that went well.
///
/// # Errors
/// A file that the report names cannot be taken, one that is demanded was not made, or the files cannot be read.
pub(super) async fn collect(attempt: &mut Attempt) -> Result<(), String> {
    let brief = &attempt.job.brief;
    let (declared, demanded, outputs) = match &mut attempt.job.files {
        Files::Named(found) => {
            attempt.found = std::mem::take(found);
            return Ok(());
        }
        Files::OnDisk {
            declared,
            demanded,
            folder,
            ..
        } => (declared.clone(), *demanded, folder.clone()),
    };
    let made = attempt.execution.made.clone();
    // A step that makes nothing should not pay for another thread.
    if outputs.is_none() && declared.is_empty() && made.is_empty() {
        return Ok(());
    }
    let root = PathBuf::from(&brief.project_root);
    let (run, since) = (RunId::from(brief.run_id.as_str()), brief.began);
    let said = match outputs {
        Some(_) => texts(&declared, &attempt.execution.said),
        None => Vec::new(),
    };
    let found = blocking(
        "the step's files could not be read",
        LIMIT,
        &attempt.sink,
        move |off| match outputs {
            Some(outputs) => {
                let working = outputs.work(&root, off).map_err(|error| error.to_string())?;
                let kept = keep(&working, &run, &declared, &made, &said);
                let (files, mut notes) = kept.map_err(|error| error.to_string())?;
                let unmade = missed(&declared, &files);
                notes.extend(unmade.iter().map(|path| artifacts::unmade(path)));
                let mut found = artifacts::collect(&root, &run, &[], &files, since)?;
                found.notes.splice(..0, notes);
                found.unmade = unmade;
                Ok(found)
            }
            None => artifacts::collect(&root, &run, &declared, &made, since),
        },
    );
    attempt.found = found.await?;
    if let Some(stood) = &attempt.stood {
        let root = Path::new(&attempt.job.brief.project_root);
        attempt.found.untouched = stood.untouched(root, &attempt.found.artifacts);
    }
    for note in &attempt.found.notes {
        attempt.sink.print("stderr", &format!("gatehouse: {note}\n"));
    }
    match attempt.found.missing.as_slice() {
        missing if demanded && !missing.is_empty() => {
            let named = missing.iter().map(|missing| match missing.instead {
                Some(instead) => format!("`{}` (where {instead} is)", missing.path),
                None => format!("`{}`", missing.path),
            });
            let named: Vec<String> = named.collect();
            let there = match missing.iter().any(|missing| missing.instead.is_some()) {
                true => "no such file is there",
                false => "nothing is there",
            };
            Err(format!(
                "the step says that it makes {}, and {there}; what may be left out is written with `(optional)` behind it",
                named.join(", ")
            ))
        }
        _ => Ok(()),
    }
}

/// What each agent said, by the name it is kept under: the declared output when there is one for each agent, else the
/// agent's name.
fn texts(declared: &[String], said: &[(AgentKey, String)]) -> Vec<(String, String)> {
    let name = |place: usize, agent: &AgentKey| match declared.len() == said.len() {
        true => outputs::file_name(&declared[place]),
        false => outputs::file_name(agent.as_str()),
    };
    said.iter()
        .enumerate()
        .map(|(place, (agent, text))| (name(place, agent), text.clone()))
        .collect()
}

/// Brings everything that the stage made into its folder: files that it wrote elsewhere, and what it said where it wrote
/// none (seed 004 "Store outputs"). Gives the files and what is to be said about them.
fn keep(
    working: &Working<'_>,
    run: &RunId,
    declared: &[String],
    made: &[String],
    said: &[(String, String)],
) -> Result<(Vec<String>, Vec<String>), outputs::Error> {
    let plain: Vec<String> = declared
        .iter()
        .map(|output| Output::of(output).path.to_owned())
        .collect();
    let mut notes = working.gather(run, &plain)?;
    notes.extend(working.gather(run, made)?);
    if working.files()?.is_empty() {
        for (name, text) in said.iter().filter(|(_, text)| !text.trim().is_empty()) {
            working.keep(name, text)?;
        }
    }
    Ok((working.files()?, notes))
}

/// The declared files that a stage's folder does not hold. An output may also be a name for what the agent says, or
/// a pattern: those are not missed.
fn missed(declared: &[String], files: &[String]) -> Vec<String> {
    // An output is written from the stage's folder or from the project's; what is named alike in another folder is another file.
    let is_end =
        |whole: &str, end: &str| whole == end || whole.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
    let is_there = |output: &str| files.iter().any(|file| is_end(file, output) || is_end(output, file));
    let outputs = declared.iter().map(|output| Output::of(output));
    let wanted = outputs.filter(|output| {
        let is_file = artifacts::is_path(output.path) && Path::new(output.path).extension().is_some();
        is_file && !output.optional && !output.path.contains(['*', '?', '['])
    });
    wanted
        .filter(|output| !is_there(output.path))
        .map(|output| output.path.to_owned())
        .collect()
}
