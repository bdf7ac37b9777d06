//! Identities and time of a run.

use model::StepId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A run: a UUID version 7 in its usual text form, or what an imported run was called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(Arc<str>);

/// A gate: `<workflow>:<step>:hitl` (seed 000; the same form in every format).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GateId(Arc<str>);

/// SHA-256 of some bytes, as 64 lower-case hexadecimal digits: the name of a blob.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(Arc<str>);

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub i64);

/// One visit of a step: the step and how often it has been entered, 1-based; `path` holds indices of enclosing
/// dynamic instances (seed 002), outermost first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instance {
    /// Which step.
    pub step: StepId,
    /// First, second, … time.
    pub visit: u32,
    /// Enclosing dynamic indices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
}

impl GateId {
    /// The gate of a step.
    pub fn of(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:hitl").into()
    }

    /// Where a person says how a step went that is taken up as an attempt then.
    pub fn outcome(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:outcome").into()
    }

    /// Where a person chooses the way on from a step.
    pub fn way(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:way").into()
    }

    /// Where a person says whether an optional step is done.
    pub fn whether(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:whether").into()
    }

    /// Where a person is asked about a result that is below the project's quality standards.
    pub fn quality(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:quality").into()
    }

    /// Where a person decides about an issue that a step reports to earlier ones.
    pub fn feedback(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:feedback").into()
    }

    /// Where a person has refused in a run inside a step: they were asked there, and this names it around it.
    pub fn inside(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:inside").into()
    }

    /// Where a step's permissions are asked for.
    pub fn permission(workflow: &model::WorkflowId, step: &StepId) -> Self {
        format!("{workflow}:{step}:permission").into()
    }
}

impl At {
    /// Milliseconds from `earlier` to this point, 0 when it lies before it.
    pub fn since_ms(self, earlier: At) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }
}

macro_rules! text {
    ($($name:ident),*) => {$(
        impl $name {
            /// As text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
    )*};
}
text!(RunId, GateId, Digest);
