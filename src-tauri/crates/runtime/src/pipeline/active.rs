//! `active-pipeline.yaml`: the pipeline that is meant when none is named (seed 004 "or active-pipeline.yaml if no id").
//!
//! Gatehouse writes `pipeline_id: …` into it when a pipeline is started. Where another program has put a whole pipeline there,
//! that is the pipeline meant, and it is never written over.

use super::{Error, Folder};
use crate::kept;
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use model::Place;

/// The file's name.
pub const ACTIVE_FILE: &str = "active-pipeline.yaml";

/// The pipeline that is meant when none is named.
#[derive(Debug, Clone)]
pub enum Active {
    /// One with a file of its own.
    Named(PipelineId),
    /// The file itself is the pipeline: its path, relative to the project, and its text, read.
    Whole(String, Box<Document>),
}

/// What the file says; `None` where there is none.
///
/// # Errors
/// [`Error::Id`] when the id in it is none; [`Error::Unreadable`], [`Error::Escape`].
pub fn read(folder: &Folder) -> Result<Option<Active>, Error> {
    let Some(text) = folder.text(ACTIVE_FILE)? else {
        return Ok(None);
    };
    let path = format!("{}/{ACTIVE_FILE}", folder.relative());
    let document = Document::parse(&path, &text);
    let said = document.value(&Place::document().field("pipeline_id"));
    let id = said.as_ref().and_then(|id| id.as_str()).map(PipelineId::parse);
    if document.workflow().steps().is_empty() {
        return match id {
            Some(id) => Ok(Some(Active::Named(id?))),
            None => Err(Error::Unreadable {
                path,
                reason: "it names no pipeline with `pipeline_id`".to_owned(),
            }),
        };
    }
    match id {
        // Its own file shows what has become of it since.
        Some(Ok(id)) if folder.text(&id.file_name())?.is_some() => Ok(Some(Active::Named(id))),
        _ => Ok(Some(Active::Whole(path, Box::new(document)))),
    }
}

/// Says that this pipeline is meant from now on. Written atomically; `false` when a whole pipeline stands there, which is left.
///
/// # Errors
/// [`Error::Escape`], [`Error::Io`].
pub fn set(folder: &Folder, id: &PipelineId) -> Result<bool, Error> {
    // What cannot be read as a name is no pipeline either, and makes way.
    if let Ok(Some(Active::Whole(..))) = read(folder) {
        return Ok(false);
    }
    folder.made()?;
    folder.file(ACTIVE_FILE)?;
    let path = format!("{}/{ACTIVE_FILE}", folder.relative());
    let written = kept::write_behind_links(folder.root(), &path, &format!("pipeline_id: {id}\n"));
    written.map_err(|source| Error::Io {
        what: format!("{path} cannot be written"),
        source,
    })?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn project() -> (tempfile::TempDir, Folder) {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        std::fs::create_dir(root.join("pipelines")).expect("made");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        (project, folder)
    }

    fn put(folder: &Folder, name: &str, text: &str) {
        std::fs::write(folder.root().join("pipelines").join(name), text).expect("written");
    }

    const ID: &str = "PIPE-20250101-a-000000";
    const WHOLE: &str = "pipeline_id: PIPE-20250101-a-000000\nstages:\n  - name: a\n    agents: [dev]\n";

    #[test]
    fn what_is_set_is_read() {
        let (_keep, folder) = project();
        assert!(read(&folder).expect("readable").is_none());
        let id = PipelineId::parse(ID).expect("an id");
        assert!(set(&folder, &id).expect("written"));
        assert!(matches!(read(&folder), Ok(Some(Active::Named(named))) if named == id));
    }

    #[test]
    fn a_whole_pipeline_is_read_and_left_alone() {
        let (_keep, folder) = project();
        put(&folder, ACTIVE_FILE, WHOLE);
        let Ok(Some(Active::Whole(path, document))) = read(&folder) else {
            panic!("it is a pipeline")
        };
        assert_eq!(path, "pipelines/active-pipeline.yaml");
        assert_eq!(document.workflow().id.as_str(), ID);
        assert!(!set(&folder, &PipelineId::parse("PIPE-20250101-b-000000").expect("an id")).expect("left"));
        assert_eq!(folder.text(ACTIVE_FILE).expect("readable").as_deref(), Some(WHOLE));
        put(&folder, &format!("{ID}.yaml"), WHOLE);
        assert!(
            matches!(read(&folder), Ok(Some(Active::Named(_)))),
            "its own file counts"
        );
    }

    #[test]
    fn an_id_that_leads_elsewhere_is_none() {
        let (_keep, folder) = project();
        put(&folder, ACTIVE_FILE, "pipeline_id: ../../etc/passwd\n");
        assert_eq!(
            read(&folder).expect_err("no id").to_string(),
            "Invalid pipeline_id format"
        );
        put(&folder, ACTIVE_FILE, "{{{{");
        assert!(matches!(read(&folder), Err(Error::Unreadable { .. })));
    }
}
