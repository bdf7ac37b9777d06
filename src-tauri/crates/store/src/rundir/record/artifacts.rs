//! `artifacts.json`: every version of every file that steps made, with what is said of it.

use super::Record;
use crate::rfc3339;
use engine::{Artifact, Digest};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

impl Record {
    /// In the order in which they were made. `current`: no later one of the same path was accepted; `accepted`: the
    /// attempt that made it succeeded.
    pub(super) fn artifacts(&self) -> Vec<Value> {
        let mut current: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (n, ended) in self.attempts.iter().enumerate() {
            if ended.result.status.completes() {
                let paths = ended.result.artifacts.iter().enumerate();
                current.extend(paths.map(|(m, artifact)| (artifact.path.as_str(), (n, m))));
            }
        }
        let mut claims: BTreeMap<(&str, &Digest), Vec<&str>> = BTreeMap::new();
        for held in self.state.evidence.iter() {
            for about in &held.record.artifacts {
                claims
                    .entry((&about.path, &about.digest))
                    .or_default()
                    .push(&held.record.id);
            }
        }
        let mut out = Vec::new();
        for (n, ended) in self.attempts.iter().enumerate() {
            for (m, artifact) in ended.result.artifacts.iter().enumerate() {
                out.push(json!({
                    "artifact_id": id_of(artifact),
                    "type": kind(&artifact.path),
                    "path": artifact.path,
                    "sha256": artifact.digest,
                    "bytes": artifact.bytes,
                    "step_id": ended.instance.step,
                    "visit": ended.instance.visit,
                    "attempt": ended.attempt,
                    "at": rfc3339(ended.at),
                    "accepted": ended.result.status.completes(),
                    "current": current.get(artifact.path.as_str()) == Some(&(n, m)),
                    "evidence": claims.get(&(artifact.path.as_str(), &artifact.digest)).map_or(&[][..], Vec::as_slice),
                }));
            }
        }
        out
    }
}

/// The id of a version of a file: the beginning of the SHA-256 of `path:checksum:type`. Two runs that made the same
/// file give it the same id.
pub fn artifact_id(path: &str, checksum: &str, kind: &str) -> String {
    let whole = hex::encode(Sha256::digest(format!("{path}:{checksum}:{kind}")));
    whole[..16].to_owned()
}

pub(super) fn id_of(artifact: &Artifact) -> String {
    id_of_parts(&artifact.path, &artifact.digest)
}

pub(super) fn id_of_parts(path: &str, digest: &Digest) -> String {
    artifact_id(path, digest.as_str(), kind(path))
}

/// What kind of file it is, by its name.
fn kind(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    match ending.as_deref().unwrap_or_default() {
        "md" | "markdown" | "txt" | "rst" | "adoc" | "html" | "htm" | "pdf" | "docx" | "odt" => "document",
        "json" | "jsonl" | "yaml" | "yml" | "toml" | "csv" | "tsv" | "xml" => "data",
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" => "image",
        "rs" | "py" | "ts" | "tsx" | "js" | "jsx" | "go" | "java" | "kt" | "c" | "h" | "cc" | "cpp" | "hpp" | "cs"
        | "rb" | "php" | "swift" | "sh" | "bash" | "sql" | "svelte" | "css" => "code",
        _ => "file",
    }
}
