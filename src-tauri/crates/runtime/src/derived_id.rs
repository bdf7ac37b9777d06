//! The ids of runs that follow from what they are: asked for twice, they are the same run.

use engine::RunId;
use serde_json::Value;

/// The id of the run that these parts tell from all others. The first of them says which sort of run it is, and in which
/// version of this rule.
pub(crate) fn derived_id(parts: &Value) -> RunId {
    let digest = store::digest_of(parts.to_string().as_bytes());
    let bytes = u128::from_str_radix(&digest.as_str()[..32], 16).expect("a digest is written in hexadecimal digits");
    let id = uuid::Builder::from_custom_bytes(bytes.to_be_bytes()).into_uuid();
    RunId::from(id.to_string())
}
