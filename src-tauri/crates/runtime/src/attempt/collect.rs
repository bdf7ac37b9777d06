//! Collecting: the files that an attempt made, found, read and digested.
//!
//! A stage of a pipeline has a folder of its own: it is made before the work, and what the stage made elsewhere or only
//! said is brought into it here.

use super::{Attempt, Job, blocking};
use crate::artifacts::{self, Found, Stood};
use crate::brief::Brief;
use crate::executor::Sink;
use crate::pipeline::outputs::{self, Gathered, Outputs, Working};
use crate::project;
use crate::readable::{self, Readable};
use engine::{At, RunId};
use indexmap::IndexMap;
use model::AgentKey;
use model::step::Output;
use std::collections::BTreeMap;
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
    Named(Box<Found>),
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

/// Looks how the step's files stand before anything is done: of what its report alone will name the times tell.
///
/// # Errors
/// They cannot be looked at.
pub(super) async fn stand(attempt: &mut Attempt) -> Result<(), String> {
    let Job { care, brief, files, .. } = &attempt.job;
    let Files::OnDisk { declared, folder, .. } = files else {
        return Ok(());
    };
    attempt.stood = Some(match care.takes_up {
        Some(since) => Stood::at(since),
        // No other thread is paid for where there is nothing to read.
        None if declared.is_empty() => Stood::of_none(),
        None => {
            let (root, run) = (PathBuf::from(&brief.project_root), RunId::from(brief.run_id.as_str()));
            // Only files are brought into a stage's folder.
            let is_brought = |output: &&String| folder.is_none() || root.join(Output::of(output).path).is_file();
            let declared: Vec<String> = declared.iter().filter(is_brought).cloned().collect();
            let look = move |off: &AtomicBool| Ok(Stood::now(&root, &run, &declared, off));
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
    let said = match &outputs {
        Some(outputs) => {
            let is_nobodys = attempt.job.care.step.agents.is_empty();
            let stage = is_nobodys.then(|| outputs.folder());
            texts(&declared, &attempt.execution.said, stage)
        }
        None => Vec::new(),
    };
    let readable = Readable::by(&attempt.job.care.toolbox.environment.policy);
    let collected = blocking(
        "the step's files could not be read",
        LIMIT,
        &attempt.sink,
        move |off| match outputs {
            Some(outputs) => {
                let own = outputs.own.clone();
                let working = outputs.work(&root, off).map_err(|error| error.to_string())?;
                let kept = keep(&working, &run, &readable, &declared, &made, &said);
                let (files, gathered) = kept.map_err(|error| error.to_string())?;
                let (files, barred) = files
                    .into_iter()
                    .partition::<Vec<_>, _>(|path| readable.kept(&root, path).is_none());
                let Gathered { from, mut notes } = gathered;
                // In a rehearsal nothing is made, and nothing is missed.
                let unmade = match since {
                    Some(_) => missed(&root, &run, &readable, &declared, &files),
                    None => Vec::new(),
                };
                notes.extend(unmade.iter().map(|path| artifacts::unmade(&root, &readable, path)));
                let mut unnamed = IndexMap::new();
                if since.is_some() {
                    let plain = declared.iter().map(|output| Output::of(output).path);
                    let others = plain.chain(made.iter().map(String::as_str));
                    let others = others.filter(|path| !unmade.iter().any(|said| said == path));
                    let inside = std::iter::once(&own).chain(&barred).map(String::as_str);
                    let (aside, of_no_text) = artifacts::set_aside(&root, &run, &readable, others.chain(inside));
                    notes.extend(aside);
                    unnamed = of_no_text;
                }
                let mut found = artifacts::collect(&root, &run, &readable, &[], &files, since)?;
                found.unnamed.extend(unnamed);
                found.notes.splice(..0, notes);
                found.unmade = unmade;
                found.were_there(&old(&root, &from, since));
                Ok((found, from))
            }
            None => Ok((
                artifacts::collect(&root, &run, &readable, &declared, &made, since)?,
                BTreeMap::new(),
            )),
        },
    );
    let (found, from) = collected.await?;
    attempt.found = found;
    if let Some(stood) = &attempt.stood {
        let root = Path::new(&attempt.job.brief.project_root);
        let found = &mut attempt.found;
        // What was not in a branch's own folder may have been in the project.
        if attempt.job.brief.home == root {
            found.appeared = stood.appeared(&found.artifacts);
        }
        found.untouched = stood.untouched(root, &found.artifacts);
        found.unchanged = stood.unchanged(root, &found.artifacts, |path| {
            from.get(path).map_or(path, String::as_str)
        });
        let found_at = found.unchanged.iter().map(|path| from.get(path).unwrap_or(path));
        found.unchanged_at = found_at.cloned().collect();
    }
    for note in &attempt.found.notes {
        attempt.sink.remark(note);
    }
    if let Some(path) = attempt.found.outside.first().filter(|_| demanded) {
        return Err(format!(
            "the step says that it makes `{path}`, which is no path inside the project: write it without `..` and from the project's folder"
        ));
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
            let mut kept = missing
                .iter()
                .filter_map(|missing| readable::remedy_of(missing.instead?));
            let remedy = kept
                .next()
                .unwrap_or("what may be left out is written with `(optional)` behind it");
            let named = named.join(", ");
            Err(format!("the step says that it makes {named}, and {there}; {remedy}"))
        }
        _ => Ok(()),
    }
}

/// Which of the declared files stand where nothing stood before the attempt, whatever it comes to: paths.
pub(super) fn risen(attempt: &Attempt) -> Vec<String> {
    let root = Path::new(&attempt.job.brief.project_root);
    // What was not in a branch's own folder may have been in the project.
    let stood = attempt.stood.as_ref().filter(|_| attempt.job.brief.home == root);
    stood.map(|stood| stood.risen(root)).unwrap_or_default()
}

/// What each agent said, by the name it is kept under: the declared output when there is one for each agent, else the
/// agent's name. `stage`: the stage's, where no agent is named.
fn texts(declared: &[String], said: &[(AgentKey, String)], stage: Option<&str>) -> Vec<(String, String)> {
    let name = |place: usize, agent: &AgentKey| match declared.len() == said.len() {
        true => outputs::file_name(&declared[place]),
        false => outputs::file_name(stage.unwrap_or(agent.as_str())),
    };
    said.iter()
        .enumerate()
        .map(|(place, (agent, text))| (name(place, agent), text.clone()))
        .collect()
}

/// Those of the files brought into a stage's folder that stand in the project as they stood when the run began: a copy is no work of it.
fn old(root: &Path, from: &BTreeMap<String, String>, since: Option<At>) -> Vec<String> {
    let stood = |path: &str| since.is_some_and(|since| artifacts::stood_before(&root.join(path), since));
    let old = from.iter().filter(|(_, path)| stood(path));
    old.map(|(copy, _)| copy.clone()).collect()
}

/// Brings everything that the stage made into its folder: files that it wrote elsewhere, and what it said where it wrote
/// none (seed 004 "Store outputs"). Gives the files and where those of them came from.
fn keep(
    working: &Working<'_>,
    run: &RunId,
    readable: &Readable,
    declared: &[String],
    made: &[String],
    said: &[(String, String)],
) -> Result<(Vec<String>, Gathered), outputs::Error> {
    let plain = declared.iter().map(|output| Output::of(output).path.to_owned());
    let all: Vec<String> = plain.chain(made.iter().cloned()).collect();
    let gathered = working.gather(run, readable, &all)?;
    if working.files()?.is_empty() {
        for (name, text) in said.iter().filter(|(_, text)| !text.trim().is_empty()) {
            working.keep(name, text)?;
        }
    }
    Ok((working.files()?, gathered))
}

/// The declared files that neither a stage's folder holds nor the project. An output may also be a name for what the agent says, or a pattern:
/// those are not missed.
fn missed(root: &Path, run: &RunId, readable: &Readable, declared: &[String], files: &[String]) -> Vec<String> {
    let is_elsewhere = |output: &str| {
        let path = project::relative(output, run).ok();
        path.is_some_and(|path| {
            let file = project::inside(root, &path);
            file.is_ok_and(|file| file.is_file()) && readable.kept(root, &path).is_none()
        })
    };
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
        .filter(|output| !is_there(output.path) && !is_elsewhere(output.path))
        .map(|output| output.path.to_owned())
        .collect()
}
