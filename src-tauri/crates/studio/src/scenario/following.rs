//! Scenarios beside a workflow follow when a step gets another id: in one change with it, and taken back with it.

use crate::{ApiError, Studio};
use dialect::{NewId, TextEdit, apply, invert, merge, renamed_in_scenario};
use engine::Digest;
use runtime::scenario::find;
use serde::{Deserialize, Serialize};
use store::regular::LARGEST_SETTINGS;

/// A scenario that is changed with its workflow, as the journal keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Follower {
    /// What its file is called behind the name of the workflow's: it stays when both are moved.
    tail: String,
    before: Digest,
    after: Digest,
    forward: Vec<TextEdit>,
    back: Vec<TextEdit>,
}

/// What becomes of the scenarios beside a workflow.
#[derive(Debug, Default)]
pub(crate) struct Following {
    /// Those that follow: file, text and edits.
    pub changes: Vec<(String, String, Vec<TextEdit>)>,
    /// Those that do not, each with why, as a sentence without its final stop.
    pub left: Vec<String>,
}

impl Studio {
    /// The scenarios beside a workflow, by the paths at which they stand there: one that is a link has that of the link.
    ///
    /// # Errors
    /// `read_only`, `io`: their folder cannot be looked into.
    pub(crate) fn beside(&self, path: &str) -> Result<Vec<String>, ApiError> {
        let files = find::beside(&self.inside(path)?).map_err(|error| crate::error::io(path, &error))?;
        Ok(files.iter().filter_map(|file| self.standing(file)).collect())
    }

    /// What follows in the scenarios beside a workflow when its steps get other ids or go. Nothing is written.
    pub(crate) fn following(&self, path: &str, renamed: &[NewId]) -> Following {
        let mut found = Following::default();
        let files = match renamed {
            [] => Vec::new(),
            _ => self.beside(path).unwrap_or_else(|error| {
                let why = format!(
                    "the scenarios beside {path} do not follow: {}",
                    error.message.trim_end_matches('.')
                );
                found.left.push(why);
                Vec::new()
            }),
        };
        for relative in files {
            if self.inside(&relative).is_ok_and(|file| file.is_symlink()) {
                found.left.push(format!(
                    "the scenario {relative} does not follow: it is a link to another file"
                ));
                continue;
            }
            let edits = self
                .scenario_text(&relative)
                .and_then(|text| Ok((renamed_in_scenario(&relative, &text, renamed)?, text)));
            match edits {
                Ok((edits, _)) if edits.is_empty() => {}
                Ok((forward, text)) => found.changes.push((relative, text, forward)),
                Err(why) => found.left.push(format!(
                    "the scenario {relative} does not follow: {}",
                    why.trim_end_matches('.')
                )),
            }
        }
        found
    }

    /// The same in sentences.
    pub(crate) fn told(&self, path: &str, renamed: &[NewId]) -> Vec<String> {
        let following = self.following(path, renamed);
        let follow = following
            .changes
            .iter()
            .map(|(path, ..)| format!("the scenario {path} follows"));
        follow
            .chain(following.left)
            .map(|said| crate::error::sentence(&said))
            .collect()
    }

    /// The same, to be kept in the journal.
    pub(crate) fn followers(
        &self,
        workflow: &str,
        changes: Vec<(String, String, Vec<TextEdit>)>,
    ) -> Result<Vec<Follower>, ApiError> {
        let stem = stem(workflow);
        let kept = |(path, text, forward): (String, String, Vec<TextEdit>)| {
            Ok(Follower {
                tail: path.strip_prefix(stem).unwrap_or(&path).to_owned(),
                before: self.0.store.put_blob(text.as_bytes())?,
                after: self.0.store.put_blob(apply(&text, &forward).as_bytes())?,
                back: invert(&text, &forward),
                forward,
            })
        };
        changes.into_iter().map(kept).collect()
    }

    /// Writes scenarios as they are after the change, or as they were before it: all of them, or none. What somebody wrote into one
    /// meanwhile stays. Returns those that are not there any more, each as a sentence.
    ///
    /// # Errors
    /// `conflict`: somebody changed the very lines. `read_only`, `disk_full`, `io`: one cannot be written. Nothing was written.
    pub(crate) fn put_followers(
        &self,
        workflow: &str,
        followers: &[Follower],
        back: bool,
    ) -> Result<Vec<String>, ApiError> {
        let (mut texts, mut gone) = (Vec::new(), Vec::new());
        for one in followers {
            let (from, edits) = match back {
                true => (&one.after, &one.back),
                false => (&one.before, &one.forward),
            };
            let from = String::from_utf8_lossy(&self.0.store.blob(from)?).into_owned();
            let path = format!("{}{}", stem(workflow), one.tail);
            if self.inside(&path).is_ok_and(|file| !file.exists()) {
                gone.push(format!(
                    "The scenario {path} belongs to this change and is not there any more."
                ));
                continue;
            }
            let now = self.scenario_text(&path).map_err(|why| {
                let message = format!("The scenario {path} belongs to this change and cannot be read: {why}.");
                ApiError::new("conflict", message).hint("Nothing was written. Put it back, and try again.")
            })?;
            let text = merge(&from, edits, &now).map_err(|_| {
                let message =
                    format!("The scenario {path} belongs to this change and was changed on the same lines since.");
                ApiError::new("conflict", message)
                    .hint("Nothing was written. Change the names of steps in it by hand, or put it back.")
            })?;
            texts.push((path, now, text));
        }
        for (n, (path, _, text)) in texts.iter().enumerate() {
            self.write_text(path, text).inspect_err(|_| {
                for (path, before, _) in &texts[..n] {
                    // What cannot be put back either is as it would be after the change, which the error does not hide.
                    drop(self.write_text(path, before));
                }
            })?;
        }
        Ok(gone)
    }

    /// The text of a scenario; why it cannot be read, as the end of a sentence.
    pub(crate) fn scenario_text(&self, path: &str) -> Result<String, String> {
        // A link may lead out of the project.
        self.inside(path).map_err(|error| error.message)?;
        self.text_in(path, LARGEST_SETTINGS).map_err(|error| error.to_string())
    }
}

/// The path of a workflow without the ending of its name: what the paths of its scenarios begin with.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].rfind('.').map_or(path, |dot| &path[..name + dot])
}
