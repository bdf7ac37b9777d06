//! Somebody who began a run or did a part of its work, as the runs around and inside it keep them, where a second person is to approve.
//!
//! Persisted: fields are only ever added, with a default.

use crate::RunId;
use serde::{Deserialize, Serialize};

/// What somebody did in a run, and all that they are known by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TookPart {
    /// In which run.
    pub run: RunId,
    /// What.
    pub part: Part,
    /// The name that they did it in.
    pub name: String,
    /// The name that their key belongs to, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// Their public key, in hexadecimal digits; absent: it is on no record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What somebody did in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// They began it.
    Began,
    /// They began a run that it goes on from.
    BeganBefore,
    /// They carried a step of it out.
    Worked,
}
