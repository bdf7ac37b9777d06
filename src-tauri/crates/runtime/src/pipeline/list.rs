//! The pipelines of a project (seed 004 "PIPELINE LIST"), and what their files say of themselves.

use super::{Error, Folder, active};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageStatus};
use model::{Place, Step};

/// A pipeline's file.
#[derive(Debug)]
pub struct Entry {
    /// Its id; what its file is called instead where that is none: such a pipeline is shown and cannot be run.
    pub id: Result<PipelineId, String>,
    /// Relative to the project, with `/`.
    pub path: String,
    /// It, read; or why it cannot be.
    pub document: Result<Document, Error>,
}

/// All pipelines of a folder, those created last first; behind them what is a pipeline by its name or what it holds, and has no
/// name that is an id.
///
/// # Errors
/// [`Error::Escape`] when the folder leads out of the project.
pub fn all(folder: &Folder) -> Result<Vec<Entry>, Error> {
    let mut ids: Vec<PipelineId> = Vec::new();
    let mut others = Vec::new();
    for name in folder.names("")? {
        match PipelineId::of_file(&name) {
            Some(id) => ids.push(id),
            None => others.extend(misnamed(folder, name)),
        }
    }
    ids.sort_by(|a, b| (b.date(), b.time(), a.name()).cmp(&(a.date(), a.time(), b.name())));
    let entry = |id: PipelineId| Entry {
        path: folder.path_of(&id),
        document: folder.read(&id),
        id: Ok(id),
    };
    Ok(ids.into_iter().map(entry).chain(others).collect())
}

fn misnamed(folder: &Folder, name: String) -> Option<Entry> {
    let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"))?;
    let path = format!("{}/{name}", folder.relative());
    let text = folder.text(&name);
    let is_pipeline = |text: &str| dialect::detect(&path, text).is_some_and(|format| format.contract().state_in_file);
    let named = stem.to_ascii_uppercase().starts_with("PIPE-");
    if !named && (name == active::ACTIVE_FILE || !matches!(&text, Ok(Some(text)) if is_pipeline(text))) {
        return None;
    }
    let document = match text {
        Ok(text) => Ok(Document::parse(&path, &text.unwrap_or_default())),
        Err(error) => Err(error),
    };
    Some(Entry {
        id: Err(stem.to_owned()),
        document,
        path,
    })
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
    stated_word(document).unwrap_or(PipelineStatus::Pending)
}

/// The state of the pipeline that the file states in a word of the format; absent: in none.
pub fn stated_word(document: &Document) -> Option<PipelineStatus> {
    let word = document.value(&Place::document().field("status"))?;
    PipelineStatus::of_word(word.as_str()?)
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
    fn the_latest_stand_first_and_nothing_that_is_a_pipeline_is_left_out() {
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
            "PIPE-20250101-a-000003.yml",
            "pipe-nothing.yaml",
        ] {
            std::fs::write(root.join("pipelines").join(name), "stages: []\n").expect("written");
        }
        let files = [
            ("notes.yaml", "stages are what we talked about\n"),
            ("ours.yaml", "name: Ours\nstages:\n  - {name: a, agents: [x]}\n"),
            ("active-pipeline.yaml", "pipeline_id: PIPE-20250101-a-000001\n"),
        ];
        for (name, text) in files {
            std::fs::write(root.join("pipelines").join(name), text).expect("written");
        }
        let ids: Vec<String> = all(&folder)
            .expect("listed")
            .into_iter()
            .map(|entry| {
                entry
                    .id
                    .map_or_else(|name| format!("no id: {name}"), |id| id.to_string())
            })
            .collect();
        assert_eq!(
            ids,
            [
                "PIPE-20250102-a-000000",
                "PIPE-20250101-a-000002",
                "PIPE-20250101-a-000001",
                "PIPE-20250101-b-000001",
                "no id: PIPE-20250101-a-000003",
                "no id: ours",
                "no id: pipe-nothing",
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
