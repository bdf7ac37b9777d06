//! Whether the files that the workflow says a step takes are there when its work begins. Nothing waits for them; what is not there is said
//! and recorded, for the work is done without it.

use super::{Attempt, Files};
use crate::artifacts::is_path;
use crate::project;
use engine::RunId;
use model::step::Output;
use std::path::Path;

/// So many files are looked for.
const MOST: usize = 1_000;

/// Looks for them.
pub(super) fn look(attempt: &mut Attempt) {
    let brief = &attempt.job.brief;
    let root = Path::new(&brief.project_root);
    // Nothing is read in a rehearsal, what a scenario plays is no file, and a folder of its own is not all there is.
    let is_real = brief.began.is_some() && !attempt.job.care.is_scripted() && brief.home == root;
    // What another stage made lies in that stage's folder.
    let is_stage = matches!(&attempt.job.files, Files::OnDisk { folder: Some(_), .. });
    if !is_real || is_stage {
        return;
    }
    let run = RunId::from(brief.run_id.as_str());
    let is_there = |path: &str| {
        let file = project::relative(path, &run).and_then(|path| project::inside(root, &path));
        // What lies outside of the project is nobody's here to say.
        file.map_or(true, |file| file.exists())
    };
    let named = brief.step.inputs.iter().chain(&brief.step.templates).take(MOST);
    let files = named.map(|written| Output::of(written)).filter(|file| {
        let is_file = is_path(file.path) && Path::new(file.path).extension().is_some();
        is_file && !file.optional && !file.path.contains(['*', '?', '[', '{'])
    });
    let missing = files
        .filter(|file| !is_there(file.path))
        .map(|file| file.path.to_owned());
    let mut untaken: Vec<String> = missing.collect();
    // What was approved and is gone was said.
    untaken.retain(|path| !attempt.held.not_as_approved.iter().any(|file| file.path == *path));
    for path in &untaken {
        let said = format!("the workflow says that `{path}` is taken here, and it is not there");
        attempt.sink.remark(&said);
    }
    attempt.held.untaken = untaken;
}
