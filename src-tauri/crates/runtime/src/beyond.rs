//! What keeps a workflow from starting and stands in other files: those that it lists or leads to. `check` and the window say it
//! where a run would be refused ([`refusal`]).

use crate::{flows, project, refusal};
use dialect::Document;
use engine::RunId;
use model::Work;
use std::path::Path;

/// Something that keeps a workflow from starting and does not stand in its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beyond {
    /// The step that runs what is at fault, and which of its files that is; absent: it follows from the workflow as a whole.
    pub listed: Option<(usize, usize)>,
    /// Why it does not start: a sentence.
    pub reason: String,
}

/// What is wrong in the workflows that this one lists or leads to. What lists a file that is not there is left to whoever looks for
/// files. `root` must be canonical, `path` the workflow's from there.
pub fn beyond(root: &Path, path: &str, document: &Document) -> Vec<Beyond> {
    let no_run = RunId::from("-");
    let mut found = Vec::new();
    if document.not_a_workflow().is_some() {
        return found;
    }
    if let Some((at, reason)) = refusal::without_end(root, document) {
        found.push(Beyond {
            listed: Some(at),
            reason,
        });
        return found;
    }
    let mut missing = false;
    for step in document.workflow().steps() {
        let Work::SubWorkflow { files } = &step.work else {
            continue;
        };
        for (n, file) in files.iter().enumerate() {
            let Ok((found_at, text)) = project::find_listed(root, path, file, &no_run) else {
                missing = true;
                continue;
            };
            let listed = Document::parse(&found_at, &text);
            let reason = match listed.not_a_workflow() {
                Some(not) => Some(format!("it is no workflow: {not}")),
                None => refusal::of(&listed).or_else(|| refusal::of_listed(root, &listed, false)),
            };
            found.extend(reason.map(|reason| Beyond {
                listed: Some((step.ordinal, n)),
                reason: format!("`{found_at}`, which {} runs, cannot be run: {reason}", step.called()),
            }));
        }
    }
    // What several flows come to together is only asked where each of them is right.
    if found.is_empty()
        && !missing
        && refusal::of(document).is_none()
        && let Err(reason) = flows::gathered(root, document, false)
    {
        found.push(Beyond { listed: None, reason });
    }
    found
}
