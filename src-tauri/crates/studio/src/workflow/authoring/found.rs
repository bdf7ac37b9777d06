//! Changes that other programs make to a workflow's file: each becomes an entry of the file's journal when it is found, that is when the
//! file is seen to change, or is opened or changed here. Undo passes them over: what is taken back is what was done here.

use crate::workflow::documents::{Kept, Made};
use crate::{ApiError, Studio};
use dialect::Document;
use engine::{At, Digest};
use store::JournalEntry;
use store::regular::LARGEST_WORKFLOW;

/// What such an entry is called among the versions.
pub(crate) const ELSEWHERE: &str = "changed by another program";
/// What is found so soon after another change was is part of it, in milliseconds: programs write a file in several goes.
const TOGETHER: i64 = 60_000;
/// A larger text is noted only where somebody opens or changes the file, in bytes.
const LARGEST_WATCHED: usize = 1 << 20;

/// What led to a text that was found.
struct Cause {
    label: String,
    made: Made,
}

impl Studio {
    /// A file is opened: what another program has made of it since it was known last is noted. What cannot be noted is no reason not to show
    /// the file.
    pub(crate) fn find_changes(&self, path: &str) {
        self.find(path, |_| true);
    }

    /// The same for a file that was seen to change: one that nobody has looked at here has no history to be told, and one that is empty is
    /// being written.
    pub(crate) fn find_changes_of_known(&self, path: &str) {
        let store = &self.0.store;
        let is_known = store.journal_known(path).is_ok_and(|known| known.is_some());
        if is_known || store.journal(path).is_ok_and(|journal| !journal.is_empty()) {
            self.find(path, |text| !text.trim().is_empty() && text.len() <= LARGEST_WATCHED);
        }
    }

    fn find(&self, path: &str, is_meant: impl Fn(&str) -> bool) {
        let found = || -> Result<(), ApiError> {
            if self.writable().is_err() {
                return Ok(());
            }
            let Some(text) = self.noted_text(path) else {
                return Ok(());
            };
            let store = &self.0.store;
            let known = store.journal_known(path)?;
            if known == Some(store::digest_of(text.as_bytes())) || !is_meant(&text) {
                return Ok(());
            }
            // Where nothing is known yet there is nothing to be told, and looking at a file keeps nobody waiting.
            if known.is_none() && store.journal(path)?.is_empty() {
                return self.know(path, &text);
            }
            // What is being written here is known when it is done.
            let _alone = self.locked(path)?;
            self.note_found(path)
        };
        if let Err(error) = found() {
            tracing::warn!(%path, %error, "what another program did to this file could not be noted");
        }
    }

    /// The same. Whoever calls this holds the file.
    pub(crate) fn note_found(&self, path: &str) -> Result<(), ApiError> {
        self.note(path, |now| self.changed_behind(path, now))
    }

    /// The same for a file that was changed here by a link to it.
    pub(crate) fn note_written_as(&self, path: &str, link: &str) -> Result<(), ApiError> {
        self.note(path, |_| {
            Some(Cause {
                label: changed_as(link),
                made: self.made_now(),
            })
        })
    }

    /// `cause`: what has led to a text, where that was no other program.
    fn note(&self, path: &str, cause: impl Fn(&Digest) -> Option<Cause>) -> Result<(), ApiError> {
        // What is not there, or cannot be read, has no version.
        let Some(text) = self.noted_text(path) else {
            return Ok(());
        };
        let store = &self.0.store;
        let now = store::digest_of(text.as_bytes());
        let known = store.journal_known(path)?;
        if known.as_ref() == Some(&now) {
            return Ok(());
        }
        let journal = store.journal(path)?;
        let last = journal.iter().rfind(|entry| !entry.undone);
        let before = match known.clone() {
            // It was changed here by a program that ended before it could note so.
            Some(known) if last.is_some_and(|last| is_made(last, &known, &now)) => None,
            Some(known) => Some(known),
            // A file of this name that came after one had gone is a new one.
            None if last.is_some_and(Kept::is_gone) => None,
            // Of a pipeline that is known from earlier the runs have written states into it since.
            None if Document::parse(path, &text).workflow().contract().state_in_file => None,
            None => last.map(|last| last.after.clone()),
        };
        let Some(before) = before.filter(|before| *before != now) else {
            return self.know(path, &text);
        };
        store.put_blob(text.as_bytes())?;
        if known.is_none() {
            store.journal_know(path, &before)?;
        }
        let Cause { label, made } = cause(&now).unwrap_or_else(|| Cause {
            label: ELSEWHERE.to_owned(),
            made: Made {
                by: String::new(),
                ..self.made_now()
            },
        });
        let latest = journal.last().filter(|latest| latest.label == label);
        let into = latest.filter(|latest| goes_on(latest, &before, &now, made.at));
        let kept = serde_json::to_string(&Kept::found(made)).map_err(|e| ApiError::new("internal", e.to_string()))?;
        store.journal_found(path, &before, &now, &label, &kept, into.map(|entry| entry.seq))?;
        Ok(())
    }

    /// The text of a workflow's file as it is now, with what stands behind it, as it is opened; `None`: its changes are not noted, or it cannot
    /// be read. Nothing of it is parsed: most often it is what it was known to be.
    fn noted_text(&self, path: &str) -> Option<String> {
        let own = is_noted(path)
            .then(|| self.text_in(path, LARGEST_WORKFLOW).ok())
            .flatten()?;
        Some(self.with_instructions(path, own))
    }

    fn with_instructions(&self, path: &str, own: String) -> String {
        let whole = runtime::instructions::whole(&self.0.root, path, &own);
        whole.ok().flatten().unwrap_or(own)
    }

    /// What has led to the text of a link, where the file behind it was changed here.
    fn changed_behind(&self, link: &str, now: &Digest) -> Option<Cause> {
        let file = self.inside(link).ok()?.canonicalize().ok()?;
        let target = self.standing(&file).filter(|target| target != link)?;
        let journal = self.0.store.journal(&target).ok()?;
        let last = journal.iter().rfind(|entry| !entry.undone)?;
        let kept: Kept = serde_json::from_str(&last.edits).ok()?;
        (!kept.found && last.after == *now).then_some(Cause {
            label: changed_as(&target),
            made: kept.made?,
        })
    }

    /// Notes what a file is now that was written here. It is written all the same where that cannot be noted.
    pub(crate) fn know_written(&self, path: &str, text: &str) {
        let text = self.with_instructions(path, dialect::bmad::own(text).to_owned());
        if let Err(error) = self.know(path, &text) {
            tracing::warn!(%path, %error, "what was written could not be noted");
        }
    }

    fn know(&self, path: &str, text: &str) -> Result<(), ApiError> {
        if is_noted(path) {
            let now = self.0.store.put_blob(text.as_bytes())?;
            self.0.store.journal_know(path, &now)?;
        }
        Ok(())
    }
}

/// Whether a file is one whose changes are noted: a workflow's, by its name.
fn is_noted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    (runtime::workflows::is_candidate(name) || name.ends_with(".md")) && !runtime::is_kept(path)
}

/// What a change is called that was made of the same file under another name.
fn changed_as(path: &str) -> String {
    format!("changed as “{path}”")
}

/// Whether an entry is a change made here, of this text to that one.
fn is_made(entry: &JournalEntry, before: &Digest, after: &Digest) -> bool {
    !Kept::is_found(entry) && entry.before == *before && entry.after == *after
}

/// Whether a change that was found is part of the one that was found last. What comes back to where that one began is one of its own.
fn goes_on(latest: &JournalEntry, before: &Digest, now: &Digest, at: At) -> bool {
    let kept = serde_json::from_str::<Kept>(&latest.edits).ok();
    let since = kept.filter(|kept| kept.found).and_then(|kept| kept.made);
    let is_soon = since.is_some_and(|since| (0..TOGETHER).contains(&(at.0 - since.at.0)));
    is_soon && latest.after == *before && latest.before != *now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_within_a_minute_is_one_change() {
        let [a, b, c] = ["a", "b", "c"].map(|text| store::digest_of(text.as_bytes()));
        let made = |at| Made {
            at: At(at),
            by: String::new(),
        };
        let entry = |kept: Kept| JournalEntry {
            seq: 1,
            before: a.clone(),
            after: b.clone(),
            label: ELSEWHERE.to_owned(),
            edits: serde_json::to_string(&kept).expect("JSON"),
            undone: false,
        };
        let found = entry(Kept::found(made(1_000)));
        assert!(goes_on(&found, &b, &c, At(60_999)));
        assert!(!goes_on(&found, &b, &c, At(61_000)), "later");
        assert!(!goes_on(&found, &b, &c, At(999)), "the clock was set back");
        assert!(!goes_on(&found, &b, &a, At(1_001)), "an entry that changes nothing");
        assert!(!goes_on(&found, &c, &a, At(1_001)), "something else was done between");
        let ours = entry(Kept {
            found: false,
            ..Kept::found(made(1_000))
        });
        assert!(!goes_on(&ours, &b, &c, At(1_001)), "it was made here");
    }
}
