//! The pipelines of a project (seed 004 "PIPELINE LIST"), and what their files say of themselves.

use super::{Error, Folder, active};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageStatus};
use model::{Place, Step};

/// A pipeline's file.
#[derive(Debug)]
pub struct Entry {
    /// Its id.
    pub id: PipelineId,
    /// Relative to the project, with `/`.
    pub path: String,
    /// It, read; or why it cannot be.
    pub document: Result<Document, Error>,
}

/// All pipelines of a folder, those created last first. Files that are not named by an id are none.
///
/// # Errors
/// [`Error::Escape`] when the folder leads out of the project.
pub fn all(folder: &Folder) -> Result<Vec<Entry>, Error> {
    let names = folder.names("")?;
    let mut ids: Vec<PipelineId> = names.iter().filter_map(|name| PipelineId::of_file(name)).collect();
    ids.sort_by(|a, b| (b.date(), b.time(), a.name()).cmp(&(a.date(), a.time(), b.name())));
    let entry = |id: PipelineId| Entry {
        path: folder.path_of(&id),
        document: folder.read(&id),
        id,
    };
    Ok(ids.into_iter().map(entry).collect())
}

/// The pipeline of this id; without one the pipeline that was started last.
///
/// # Errors
/// [`Error::Id`] before any path is built; [`Error::NoneActive`]; those of [`Folder::read`] and [`active::read`].
pub fn find(folder: &Folder, id: Option<&str>) -> Result<(String, Document), Error> {
    let id = match id {
        Some(id) => PipelineId::parse(id)?,
        None => match active::read(folder)?.ok_or(Error::NoneActive)? {
            active::Active::Named(id) => id,
            active::Active::Whole(path, document) => return Ok((path, *document)),
        },
    };
    Ok((folder.path_of(&id), folder.read(&id)?))
}

/// The id that the file itself states where it is another than that of its name.
pub fn other_id(path: &str, document: &Document) -> Option<String> {
    let named = PipelineId::of_file(path)?;
    let stated = document.value(&Place::document().field("pipeline_id"))?;
    match stated.as_str() {
        Some(stated) => (stated != named.as_str()).then(|| stated.to_owned()),
        None => (!stated.is_null()).then(|| stated.to_string()),
    }
}

/// The state of the pipeline that the file states; `pending` where it states none.
pub fn stated(document: &Document) -> PipelineStatus {
    let word = document.value(&Place::document().field("status"));
    let word = word.as_ref().and_then(|word| word.as_str());
    word.and_then(PipelineStatus::of_word)
        .unwrap_or(PipelineStatus::Pending)
}

/// The state of a stage that the file states.
pub fn stage_stated(document: &Document, step: &Step) -> StageStatus {
    let word = document.value(&Place::step(step.ordinal).field("status"));
    let word = word.as_ref().and_then(|word| word.as_str());
    word.and_then(StageStatus::of_word).unwrap_or(StageStatus::Pending)
}

/// The stages that can never begin, by their names: they wait for each other, for themselves, or for one that does not exist
/// (seed 004 "Deadlock detection").
pub fn never_begin(document: &Document) -> Vec<&str> {
    let workflow = document.workflow();
    let mut begins = vec![false; workflow.steps().len()];
    for step in workflow.waves().into_iter().flatten() {
        begins[step.ordinal] = true;
    }
    let stuck = workflow.steps().iter().filter(|step| !begins[step.ordinal]);
    stuck.map(|step| step.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_latest_stand_first_and_other_files_are_none() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        assert!(all(&folder).expect("there is no folder yet").is_empty());
        std::fs::create_dir(root.join("pipelines")).expect("made");
        for name in [
            "PIPE-20250101-b-000001.yaml",
            "PIPE-20250102-a-000000.yaml",
            "PIPE-20250101-a-000001.yaml",
            "PIPE-20250101-a-000002.yaml",
            "notes.yaml",
            "PIPE-20250101-a-000003.yml",
        ] {
            std::fs::write(root.join("pipelines").join(name), "stages: []\n").expect("written");
        }
        let ids: Vec<String> = all(&folder).expect("listed").iter().map(|e| e.id.to_string()).collect();
        assert_eq!(
            ids,
            [
                "PIPE-20250102-a-000000",
                "PIPE-20250101-a-000002",
                "PIPE-20250101-a-000001",
                "PIPE-20250101-b-000001"
            ]
        );
    }

    #[test]
    fn what_a_file_says_of_itself() {
        let text = "pipeline_id: PIPE-20250101-b-000000\nstatus: failed\nstages:\n  - {name: a, depends_on: [b], status: skipped}\n  - {name: b, depends_on: [a]}\n  - {name: c, status: odd}\n";
        let document = Document::parse("p/PIPE-20250101-a-000000.yaml", text);
        assert_eq!(
            other_id(document.path(), &document).as_deref(),
            Some("PIPE-20250101-b-000000")
        );
        assert_eq!(stated(&document), PipelineStatus::Failed);
        let stages: Vec<StageStatus> = document
            .workflow()
            .steps()
            .iter()
            .map(|step| stage_stated(&document, step))
            .collect();
        assert_eq!(
            stages,
            [StageStatus::Skipped, StageStatus::Pending, StageStatus::Pending]
        );
        assert_eq!(never_begin(&document), ["a", "b"]);
    }
}
