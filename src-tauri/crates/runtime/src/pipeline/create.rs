//! New pipelines (seed 004 "PIPELINE CREATE").

use super::{Error, Folder};
use chrono::{DateTime, Datelike as _, Local, NaiveDateTime, TimeDelta, Timelike as _};
use dialect::Document;
use dialect::pipeline::id::{LocalTime, PipelineId};
use dialect::pipeline::{Definition, compose, instantiate};
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::time::SystemTime;

/// How many seconds after the right one are tried when a file of the name exists.
const MOST_SECONDS: i64 = 3600;

/// What a new pipeline is made of.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// The text of a template or of another pipeline. Comments and keys that Gatehouse does not know come along.
    Text(&'a str),
    /// A definition; its id is replaced.
    Definition(&'a Definition),
}

/// A pipeline that was created.
#[derive(Debug, Clone)]
pub struct Created {
    /// Its id.
    pub id: PipelineId,
    /// Its file, relative to the project, with `/`.
    pub path: String,
    /// Its text, read.
    pub document: Document,
}

/// Now, on the clock of the person's wall.
pub fn wall_clock() -> NaiveDateTime {
    // A clock that was never set, before 1970, counts as the first moment of it.
    DateTime::<Local>::from(SystemTime::now().max(SystemTime::UNIX_EPOCH)).naive_local()
}

/// The id that a pipeline of this name gets at a time.
///
/// # Errors
/// [`Error::Id`] when the name gives none.
pub fn id_at(name: &str, at: NaiveDateTime) -> Result<PipelineId, Error> {
    let small = |n: u32| u8::try_from(n).unwrap_or(u8::MAX);
    let at = LocalTime {
        year: u16::try_from(at.year()).unwrap_or(0),
        month: small(at.month()),
        day: small(at.day()),
        hour: small(at.hour()),
        minute: small(at.minute()),
        second: small(at.second()),
    };
    Ok(PipelineId::of(name, at)?)
}

/// The text of the pipeline's file, all its states pending.
///
/// # Errors
/// [`Error::Text`] when the source cannot be read or is no pipeline.
pub fn text(source: Source<'_>, id: &PipelineId, name: &str) -> Result<String, Error> {
    match source {
        Source::Text(text) => Ok(instantiate(text, id, Some(name))?),
        Source::Definition(definition) => Ok(compose(&Definition {
            id: Some(id.clone()),
            name: name.to_owned(),
            ..definition.clone()
        })),
    }
}

/// Creates a pipeline's file at a time. An existing file is never overwritten: when there is one of this id, the next second is
/// taken (CONTRACTS "Pipelines").
///
/// # Errors
/// [`Error::Id`], [`Error::Text`], [`Error::Escape`], [`Error::Taken`], [`Error::Io`]. No file is left behind then.
pub fn create(folder: &Folder, name: &str, source: Source<'_>, at: NaiveDateTime) -> Result<Created, Error> {
    // All of it is known to be good before anything is made.
    text(source, &id_at(name, at)?, name)?;
    folder.made()?;
    for seconds in 0..MOST_SECONDS {
        let id = id_at(name, at + TimeDelta::seconds(seconds))?;
        let text = text(source, &id, name)?;
        let path = folder.path_of(&id);
        let io = |source| Error::Io {
            what: format!("{path} cannot be written"),
            source,
        };
        // A link of that name counts as taken too, wherever it leads.
        let file = match folder.file(&id.file_name()) {
            Ok(file) => file,
            Err(Error::Escape(_)) => continue,
            Err(error) => return Err(error),
        };
        let mut out = match File::create_new(&file) {
            Ok(out) => out,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(io(error)),
        };
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.sync_all()) {
            drop(out);
            // The half of it is of no use to anybody; that it cannot be removed either changes nothing.
            let _ = std::fs::remove_file(&file);
            return Err(io(error));
        }
        let document = Document::parse(&path, &text);
        return Ok(Created { id, path, document });
    }
    Err(Error::Taken { name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use dialect::pipeline::StageDefinition;

    fn noon() -> NaiveDateTime {
        "2025-06-15T23:59:59".parse().expect("a time")
    }

    fn two_stages() -> Definition {
        let mut build = StageDefinition::new("build");
        build.depends_on = vec!["plan".to_owned()];
        Definition {
            stages: vec![StageDefinition::new("plan"), build],
            ..Definition::default()
        }
    }

    #[test]
    fn of_two_created_at_once_the_second_takes_the_next_second() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        let definition = two_stages();
        let make = || create(&folder, "My Pipeline", Source::Definition(&definition), noon()).expect("created");
        let first = make();
        let before = std::fs::read(root.join(&first.path)).expect("there");
        let second = make();
        assert_eq!(first.path, "pipelines/PIPE-20250615-my-pipeline-235959.yaml");
        assert_eq!(second.id.as_str(), "PIPE-20250616-my-pipeline-000000");
        assert_eq!(std::fs::read(root.join(&first.path)).expect("there"), before);
        let states = |document: &Document| {
            let at = |place: model::Place| document.value(&place.field("status")).expect("a state");
            [
                at(model::Place::document()),
                at(model::Place::step(0)),
                at(model::Place::step(1)),
            ]
        };
        assert!(states(&second.document).iter().all(|state| state == "pending"));
        assert_eq!(second.document.workflow().id.as_str(), second.id.as_str());
    }

    #[test]
    fn a_name_without_letters_makes_nothing() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        let definition = two_stages();
        let error = create(&folder, "../..", Source::Definition(&definition), noon()).expect_err("no name");
        assert_eq!(
            error.to_string(),
            "Pipeline name is required and must contain at least one alphanumeric character"
        );
        let error = create(&folder, "x", Source::Text("{{{{"), noon()).expect_err("no pipeline");
        assert!(matches!(error, Error::Text(_)), "{error}");
        assert_eq!(std::fs::read_dir(&root).expect("there").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_of_the_name_is_not_written_through() {
        let project = tempfile::tempdir().expect("a folder");
        let root = project.path().canonicalize().expect("it is there");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let folder = Folder::of(&root, &Config::default()).expect("the plain one");
        std::fs::create_dir(root.join("pipelines")).expect("made");
        for (name, to) in [("235959", "none"), ("000000", "there")] {
            std::fs::write(elsewhere.path().join("there"), "kept").expect("written");
            let day = if name == "235959" { "15" } else { "16" };
            let link = root.join(format!("pipelines/PIPE-202506{day}-x-{name}.yaml"));
            std::os::unix::fs::symlink(elsewhere.path().join(to), link).expect("linked");
        }
        let definition = two_stages();
        let created = create(&folder, "x", Source::Definition(&definition), noon()).expect("created");
        assert_eq!(created.id.as_str(), "PIPE-20250616-x-000001");
        assert!(!elsewhere.path().join("none").exists());
        assert_eq!(
            std::fs::read_to_string(elsewhere.path().join("there")).expect("there"),
            "kept"
        );
    }
}
