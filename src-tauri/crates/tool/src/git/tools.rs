//! The tools that show a step what Git knows.

use super::{Compared, Error, History, Lines, View, blame, diff, log, status};
use crate::{Risk, Spec};
use serde_json::{Value, json};

/// `repoStatus`, `repoDiff`, `repoLog` and `repoBlame`. They only read, so they risk little.
pub fn tools() -> Vec<Spec> {
    let path = json!({"type": "string", "description": "A path from the project's folder, such as docs/plan.md."});
    let schema = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    vec![
        Spec::new(
            "repoStatus",
            "Which files changed since the last commit, which are staged, and which Git does not follow.",
            Risk::Low,
            schema(json!({}), &[]),
        ),
        Spec::new(
            "repoDiff",
            "How files differ from what is staged, or from another version, as a unified diff.",
            Risk::Low,
            schema(
                json!({
                    "path": path,
                    "staged": {"type": "boolean", "description": "Compare what is staged instead of what lies in the folder."},
                    "against": {
                        "type": "string",
                        "description": "The version to compare with, such as main or HEAD~1; two with .. between them are compared with each other.",
                    },
                }),
                &[],
            ),
        ),
        Spec::new(
            "repoLog",
            "The latest commits: who, when and why.",
            Risk::Low,
            schema(
                json!({
                    "path": path,
                    "limit": {"type": "integer", "minimum": 1, "maximum": 500, "description": "How many commits; 20 when absent."},
                }),
                &[],
            ),
        ),
        Spec::new(
            "repoBlame",
            "Which commit each line of a file comes from.",
            Risk::Low,
            schema(
                json!({
                    "path": path,
                    "first": {"type": "integer", "minimum": 1, "description": "The first line, counted from 1."},
                    "last": {"type": "integer", "minimum": 1, "description": "The last line, included."},
                }),
                &["path"],
            ),
        ),
    ]
}

/// Calls one of [`tools`] with arguments that fit its schema; a name that is none of theirs gives nothing. It blocks.
///
/// # Errors
/// See [`Error`].
pub fn call(name: &str, view: &View<'_>, arguments: &Value) -> Option<Result<Value, Error>> {
    let text = |key: &str| arguments[key].as_str();
    let number = |key: &str| arguments[key].as_u64().and_then(|n| usize::try_from(n).ok());
    Some(match name {
        "repoStatus" => status(view),
        "repoDiff" => {
            let what = Compared {
                path: text("path"),
                staged: arguments["staged"].as_bool().unwrap_or_default(),
                against: text("against"),
            };
            diff(view, &what)
        }
        "repoLog" => {
            let what = History {
                path: text("path"),
                limit: number("limit"),
            };
            log(view, &what)
        }
        "repoBlame" => {
            let path = text("path").unwrap_or_default();
            // One end alone asks for that line.
            let lines = match (number("first"), number("last")) {
                (None, None) => None,
                (Some(line), None) | (None, Some(line)) => Some((line, line)),
                (Some(first), Some(last)) => Some((first, last)),
            };
            blame(view, &Lines { path, lines })
        }
        _ => return None,
    })
}
