//! What can be wrong with a pipeline, as a client sees it.

use crate::ApiError;
use crate::text::safe;
use dialect::Document;
use dialect::pipeline::id::{IdError, PipelineId};
use dialect::pipeline::{PipelineStatus, StageStatus};
use runtime::pipeline::{Error, list};
use std::collections::BTreeMap;

/// Of a pipeline that this project knows no run of: that its file says that it was begun, or more. Nothing here has seen that, nor anybody's
/// approval, also where it says that all is completed.
pub(super) fn begun_elsewhere(id: &PipelineId, document: &Document) -> Option<ApiError> {
    let said = match list::stated(document) {
        PipelineStatus::Pending => {
            // What is completed is never done again, and its state is not written over.
            let (stage, stated) = document.workflow().steps().iter().find_map(|step| {
                let stated = list::stage_stated(document, step);
                (stated != StageStatus::Pending).then(|| (step.id.as_str(), stated))
            })?;
            format!("that its stage “{}” is “{stated}”", safe::visible(stage))
        }
        stated => format!("“{stated}”"),
    };
    let message = format!(
        "The file of pipeline {id} says {said}, but this project knows nothing of a run: it was run somewhere else."
    );
    Some(ApiError::new("pipeline_elsewhere", message).hint(format!(
        "Run it anew as another pipeline: gatehouse pipeline create --from {id}"
    )))
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Id(IdError::Malformed) => "invalid_id",
            Error::Id(IdError::NoName) => "invalid_name",
            Error::Setting { .. } => "invalid_file",
            Error::Escape(_) => "outside_project",
            Error::NotFound { .. } | Error::NoTemplate { .. } | Error::NoneActive => "not_found",
            Error::Unreadable { .. } => "unreadable",
            Error::Text(_) => "invalid_workflow",
            Error::Taken { .. } => "name_taken",
            Error::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => "read_only",
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "disk_full",
                _ => "io",
            },
            Error::Store(_) => "store",
        };
        let hint = error.hint();
        match error {
            // Said in the seed's own words, to the letter.
            Error::Id(id) => Self {
                code: code.into(),
                message: id.to_string(),
                hint,
                fields: BTreeMap::new(),
            },
            Error::Store(store) => store.into(),
            other => Self {
                code: code.into(),
                message: crate::error::sentence(&other.to_string()),
                hint,
                fields: BTreeMap::new(),
            },
        }
    }
}
