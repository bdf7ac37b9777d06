//! What can be wrong with a pipeline before anything of it runs.

use crate::project::Escape;
use dialect::pipeline::WriteError;
use dialect::pipeline::id::{IdError, PipelineId};
use std::io;

/// Why nothing was made or read. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The id or the name is none.
    #[error(transparent)]
    Id(#[from] IdError),
    /// `pipelines.folder` of `gatehouse.yaml` does not name a folder inside the project.
    #[error("gatehouse.yaml: `pipelines.folder: {setting}` cannot be used: {reason}")]
    Setting {
        /// As written.
        setting: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A symbolic link leads out of the project.
    #[error(transparent)]
    Escape(#[from] Escape),
    /// There is no such file.
    #[error("there is no pipeline {id} in this project")]
    NotFound {
        /// Of which it was looked for.
        id: PipelineId,
    },
    /// There is no such template.
    #[error("there is no template “{name}”")]
    NoTemplate {
        /// As it was named.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A file is there but cannot be used.
    #[error("{path} cannot be read: {reason}")]
    Unreadable {
        /// Relative to the project.
        path: String,
        /// Why.
        reason: String,
    },
    /// The text that a pipeline was to be made of is none.
    #[error(transparent)]
    Text(#[from] WriteError),
    /// Every id of this name for an hour is taken.
    #[error("there are files of this name for every second of the next hour")]
    Taken {
        /// The pipeline's name.
        name: String,
    },
    /// No id was given and none is known.
    #[error("no pipeline was named, and none has been started in this project yet")]
    NoneActive,
    /// The operating system said no.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What it said.
        source: io::Error,
    },
    /// The history said no.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Id(IdError::NoName) => "Give it a name with a letter or a digit from a to z and 0 to 9.".to_owned(),
            Self::Id(IdError::Malformed) => {
                "An id is PIPE-YYYYMMDD-name-HHmmss; `gatehouse pipeline list` shows those there are.".to_owned()
            }
            Self::Setting { .. } => {
                "Write a folder inside the project, such as `pipelines: {folder: pipelines}`.".to_owned()
            }
            Self::Escape(_) => "Replace the link by a folder or a file of the project.".to_owned(),
            Self::NotFound { .. } => "`gatehouse pipeline list` shows the pipelines there are.".to_owned(),
            Self::NoTemplate { known, .. } => format!("Templates are: {}.", known.join(", ")),
            Self::NoneActive => "Name one: `gatehouse pipeline list` shows the pipelines there are.".to_owned(),
            Self::Taken { .. } => "Give it another name.".to_owned(),
            Self::Text(_) => "Mend the text; a pipeline has `stages:` with one `- name: …` for each stage.".to_owned(),
            Self::Unreadable { .. } | Self::Io { .. } => "Check the path and its permissions.".to_owned(),
            Self::Store(_) => return None,
        })
    }
}
