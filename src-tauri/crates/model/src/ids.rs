//! Newtype ids. An id is what the author wrote; it is compared byte for byte and never normalised. Its text is shared: events, states and
//! views hold the same one.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
        #[serde(transparent)]
        #[ts(export_to = "model.gen.ts")]
        pub struct $name(#[ts(type = "string")] Arc<str>);

        impl $name {
            /// Wraps what the author wrote.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }
            /// The id as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
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
    };
}

id!(
    /// A workflow: the `key` of a stepwise flow, the `id` of a spec flow, the file stem where a format has none.
    WorkflowId
);
id!(
    /// A step, unique inside its workflow (two steps of one id are reported by rule GH0004; the first one wins).
    StepId
);
id!(
    /// Who performs a step: an agent name that `gatehouse.yaml` binds to an engine.
    AgentKey
);
