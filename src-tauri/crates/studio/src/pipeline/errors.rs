//! What can be wrong with a pipeline, as a client sees it.

use crate::ApiError;
use dialect::pipeline::id::IdError;
use runtime::pipeline::Error;
use std::collections::BTreeMap;

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
