//! The versions of a workflow's file: those that the changes made here have left, those that runs keep, and what tells two of them
//! apart.

use crate::command::{CompareOf, PathOf, RestoreOf};
use crate::workflow::authoring::found::ELSEWHERE;
use crate::workflow::authoring::view::{
    CompareView, DifferenceView, SideView, StepDifference, VersionView, VersionsView,
};
use crate::workflow::documents::{Change, Kept};
use crate::workflow::drawing::Look;
use crate::workflow::problems::breaks_off;
use crate::workflow::view::EditOutcome;
use crate::{ApiError, Studio, words, workflow};
use dialect::{Document, NewId, difference};
use engine::Digest;
use model::{Place, Prose, Step};
use serde_json::{Map, Value};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeSet, HashSet};
use store::JournalEntry;

/// Of so many steps those that are called otherwise are compared word by word.
const MOST_COMPARED: usize = 1_000;
/// What a file was before anything was done to it here.
const FIRST: &str = "before the first change made here";
/// So many runs are asked which version they keep.
const RUNS_ASKED: usize = 200;

impl Studio {
    /// The versions of a workflow's file that are known here, the latest first.
    pub(crate) async fn versions(&self, of: PathOf) -> Result<VersionsView, ApiError> {
        self.find_changes(&of.path);
        self.known_versions(of.path)
    }

    fn known_versions(&self, path: String) -> Result<VersionsView, ApiError> {
        let now = store::digest_of(self.document(&path)?.text().as_bytes());
        let journal = self.0.store.journal(&path)?;
        let given_up = self.0.store.journal_given_up(&path)?;
        // What was not written here since it was known last is not known to be ours.
        let is_known = self.0.store.journal_known(&path)?.is_some_and(|known| known == now);
        let by_runs: Vec<Digest> = self
            .runs_of(&path, RUNS_ASKED)?
            .iter()
            .filter_map(|row| Some(self.created(&row.run)?.source.clone()))
            .collect();
        let version = |digest: &Digest, label: String, entry: Option<&JournalEntry>| {
            let kept = entry.and_then(|entry| serde_json::from_str::<Kept>(&entry.edits).ok());
            let found = kept
                .as_ref()
                .is_some_and(|kept| kept.found && entry.is_some_and(|entry| entry.label == ELSEWHERE));
            let made = kept.and_then(|kept| kept.made);
            VersionView {
                version: digest.to_string(),
                label,
                found,
                at: made.as_ref().map(|made| made.at.0),
                by: made.map(|made| made.by).filter(|by| !by.is_empty()),
                is_now: *digest == now,
                runs: u32::try_from(by_runs.iter().filter(|one| *one == digest).count()).unwrap_or(u32::MAX),
            }
        };
        let mut versions: Vec<VersionView> = Vec::new();
        let mut last: Option<&Digest> = None;
        let mut gone = false;
        for entry in in_order(&journal, &given_up) {
            if entry.undone {
                // What it was made on is known from what was made before, if anything was.
                if versions.is_empty() {
                    versions.push(version(&entry.before, FIRST.to_owned(), None));
                    last = Some(&entry.before);
                }
                versions.push(version(
                    &entry.after,
                    format!("{}, taken back", entry.label),
                    Some(entry),
                ));
                continue;
            }
            if Kept::is_gone(entry) {
                if last != Some(&entry.before) {
                    versions.push(version(&entry.before, "until it was removed".to_owned(), Some(entry)));
                }
                gone = true;
                last = None;
                continue;
            }
            let is_listed = versions.last().is_some_and(|one| one.version == entry.before.as_str());
            if last != Some(&entry.before) && !is_listed {
                let label = match last {
                    None if gone => "a new file of this name",
                    None if Kept::is_found(entry) => "before another program changed it",
                    None => FIRST,
                    Some(_) => "as it was before the next change",
                };
                versions.push(version(&entry.before, label.to_owned(), None));
            }
            versions.push(version(&entry.after, entry.label.clone(), Some(entry)));
            last = Some(&entry.after);
        }
        if last != Some(&now) {
            let label = match last {
                None if gone => "a new file of this name",
                None => "as it is",
                // Undo and redo, and the states that a run writes into a pipeline, are no changes of their own.
                Some(_) if is_known => "as it is",
                Some(_) => ELSEWHERE,
            };
            versions.push(version(&now, label.to_owned(), None));
        }
        for digest in &by_runs {
            if !versions.iter().any(|one| one.version == digest.as_str()) {
                versions.insert(0, version(digest, "kept by a run".to_owned(), None));
            }
        }
        versions.reverse();
        Ok(VersionsView { path, versions })
    }

    /// What tells two versions of a workflow's file apart.
    pub(crate) async fn compare_versions(&self, of: CompareOf) -> Result<CompareView, ApiError> {
        let left = self.version(&of.path, &of.left)?;
        let right = match &of.right {
            Some(right) => self.version(&of.path, right)?,
            None => self.document(&of.path)?,
        };
        let (config, _) = self.config();
        let side = |document: &Document| {
            let drawn = workflow::drawing::picture(
                document.workflow(),
                document.diagnostics(),
                config.gate_rules(),
                &Look::new(Vec::new(), of.room),
            );
            SideView {
                source: document.text().to_owned(),
                drawing: drawn.drawing,
                faces: drawn.faces,
                unreadable: breaks_off(document).map(|fault| crate::error::sentence(&fault.message)),
            }
        };
        // Beside a version whose steps are not known every step of the other one would seem to have come or gone.
        let comparable = [&left, &right].iter().all(|document| breaks_off(document).is_none());
        let (entails, differences, elsewhere) = match comparable {
            true => (
                self.told(&of.path, &renamed(&left, &right)),
                differences(&left, &right, &pairs(&left, &right)),
                elsewhere(&left, &right),
            ),
            false => Default::default(),
        };
        Ok(CompareView {
            entails,
            differences,
            elsewhere,
            left: side(&left),
            right: side(&right),
        })
    }

    /// Makes the file what it was in an earlier version: a change like any other, which can be taken back.
    pub(crate) async fn restore_version(&self, of: RestoreOf) -> Result<EditOutcome, ApiError> {
        let _alone = self.changing(&of.path)?;
        let known = self.known_versions(of.path.clone())?.versions;
        if !known.iter().any(|one| one.version == of.version) {
            let message = format!("No such version of {} is known here.", of.path);
            return Err(ApiError::new("unknown_revision", message).hint("Look at its history and choose one."));
        }
        let wanted = self.version(&of.path, &of.version)?;
        let current = self.document(&of.path)?;
        let base = self.version(&of.path, &of.revision)?;
        if current.text() != base.text() {
            return Err(ApiError::new("conflict", format!("{} was changed meanwhile.", of.path))
                .hint("Look at it as it is now; nothing was written."));
        }
        let edits = difference(current.text(), wanted.text());
        let renamed = renamed(&current, &wanted);
        let change = Change::of(edits, "go back to an earlier version").renaming(&renamed);
        let done = self.write_edits(&of.path, current.text(), change)?;
        self.outcome(&of.path, done, of.look)
    }
}

/// Everything that was done to a file, and is no removal that was taken back, in the order it was. `given_up`: what was taken back and can no
/// longer be made again.
fn in_order<'j>(journal: &'j [JournalEntry], given_up: &'j [JournalEntry]) -> Vec<&'j JournalEntry> {
    let mut given_up = given_up.iter().peekable();
    let mut all = Vec::new();
    for entry in journal {
        while let Some(earlier) = given_up.next_if(|one| made_at(one) <= made_at(entry)) {
            all.push(earlier);
        }
        all.push(entry);
    }
    all.extend(given_up);
    all.retain(|entry| !(entry.undone && Kept::is_gone(entry)));
    all
}

/// When a change was made, as far as that is known.
fn made_at(entry: &JournalEntry) -> Option<i64> {
    let kept: Kept = serde_json::from_str(&entry.edits).ok()?;
    kept.made.map(|made| made.at.0)
}

/// What became of each step, in the order of the later version; those that are gone stand last. `before`: for each step of the later version its
/// position in the earlier one.
pub(crate) fn differences(left: &Document, right: &Document, before: &[Option<usize>]) -> Vec<DifferenceView> {
    let (old, new) = (left.workflow().steps(), right.workflow().steps());
    let moved = moved(before);
    let came = new.iter().zip(before).filter_map(|(step, before)| {
        let (mut what, mut fields) = (Vec::new(), Vec::new());
        match before.and_then(|before| old.get(before)) {
            None => what.push(StepDifference::Added),
            Some(before) => {
                fields = changed_fields(left, before, right, step);
                let all = [
                    (
                        before.id != step.id && !(counts(before) && counts(step)),
                        StepDifference::Renamed,
                    ),
                    (!fields.is_empty(), StepDifference::Changed),
                    (moved.contains(&before.ordinal), StepDifference::Moved),
                ];
                what.extend(all.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)));
            }
        }
        (!what.is_empty()).then(|| DifferenceView {
            step: words::of_step(step),
            what,
            fields,
            before: before.map(|before| old[before].id.to_string()),
        })
    });
    let gone = old.iter().filter(|step| !before.contains(&Some(step.ordinal)));
    let went = gone.map(|step| DifferenceView {
        step: words::of_step(step),
        what: vec![StepDifference::Removed],
        fields: Vec::new(),
        before: Some(step.id.to_string()),
    });
    came.chain(went).collect()
}

/// The steps that got another id, each with what it was called before.
fn renamed(left: &Document, right: &Document) -> Vec<NewId> {
    let (old, new) = (left.workflow().steps(), right.workflow().steps());
    let pairs = pairs(left, right);
    let both = new
        .iter()
        .zip(&pairs)
        .filter_map(|(step, before)| Some((step, old.get((*before)?)?)));
    let other = both.filter(|(step, before)| step.id != before.id);
    other
        .map(|(step, before)| (before.id.clone(), Some(step.id.clone())))
        .collect()
}

/// Whether a step's id is a number that says where it stands, and not which one it is.
fn counts(step: &Step) -> bool {
    step.id.as_str() == step.number
}

/// For each step of the later version its position in the earlier one; `None`: it was not there.
pub(crate) fn pairs(left: &Document, right: &Document) -> Vec<Option<usize>> {
    let (old, new) = (left.workflow().steps(), right.workflow().steps());
    let mut free: Vec<&Step> = old.iter().collect();
    let mut before: Vec<Option<usize>> = vec![None; new.len()];
    let mut pair = |is: &dyn Fn(&Step, &Step) -> bool| {
        for (step, before) in new.iter().zip(&mut before).filter(|(_, before)| before.is_none()) {
            if let Some(found) = free.iter().position(|other| is(step, other)) {
                *before = Some(free.remove(found).ordinal);
            }
        }
    };
    // Where ids are numbers the same name or the same words come first.
    let same_id = |step: &Step, other: &Step| step.id == other.id;
    let same_name = |step: &Step, other: &Step| step.name == other.name;
    let same_words = |step: &Step, other: &Step| {
        without_id(right, step).is_some_and(|own| without_id(left, other).as_ref() == Some(&own))
    };
    pair(&|step, other| same_id(step, other) && (!counts(step) || same_name(step, other)));
    pair(&same_name);
    if new.len().max(old.len()) <= MOST_COMPARED {
        pair(&same_words);
    }
    pair(&same_id);
    before
}

/// The steps of the earlier version that stand in another order among those that are in both.
fn moved(before: &[Option<usize>]) -> HashSet<usize> {
    let now: Vec<usize> = before.iter().copied().flatten().collect();
    let mut was = now.clone();
    was.sort_unstable();
    let ops = capture_diff_slices(Algorithm::Myers, &was, &now);
    let inserted = ops.iter().filter_map(|op| match op {
        DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
            Some(&now[*new_index..new_index + new_len])
        }
        DiffOp::Equal { .. } | DiffOp::Delete { .. } => None,
    });
    inserted.flatten().copied().collect()
}

/// The fields of a step that are not the same, as its form names them; where it has none of its own, its text.
fn changed_fields(left: &Document, before: &Step, right: &Document, after: &Step) -> Vec<String> {
    let (old, new) = (Some(before.ordinal), Some(after.ordinal));
    let value = |document: &Document, step: &Step| document.value(&Place::step(step.ordinal));
    match (value(left, before), value(right, after)) {
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let is_id =
                |key: &String| before.id != after.id && was.get(key).is_some_and(|id| *id == before.id.as_str());
            let mut keys = differing(&was, &is);
            keys.retain(|key| !is_id(key));
            in_labels(&keys, (left, old), (right, new))
        }
        _ if left.step_text(before.ordinal) == right.step_text(after.ordinal) => Vec::new(),
        _ => {
            let mut labels: Vec<String> = differing_fields((left, old), (right, new))
                .into_iter()
                .map(|(_, label)| label)
                .collect();
            labels.dedup();
            if labels.is_empty() {
                labels.push("text".to_owned());
            }
            labels
        }
    }
}

/// A version of a step, by its position; without one: of the file.
type Sided<'a> = (&'a Document, Option<usize>);

/// Keys of a step, or of the file, as the forms of both versions name what stands there and differs. A key that no form has stays as the file
/// writes it, marked as code.
fn in_labels(keys: &[String], left: Sided<'_>, right: Sided<'_>) -> Vec<String> {
    let differ = differing_fields(left, right);
    let mut found: Vec<String> = Vec::new();
    for key in keys {
        let labels: Vec<&String> = differ
            .iter()
            .filter(|(at, _)| at == key)
            .map(|(_, label)| label)
            .collect();
        let written = labels.is_empty().then(|| format!("`{key}`"));
        for label in labels.into_iter().cloned().chain(written) {
            if !found.contains(&label) {
                found.push(label);
            }
        }
    }
    found
}

/// The fields of the forms that say something else in the one version than in the other: the first key to each, and its label.
fn differing_fields(left: Sided<'_>, right: Sided<'_>) -> Vec<(String, String)> {
    let value = |(document, step): Sided<'_>, path: &[String]| {
        let path = path.to_vec();
        document.value(&Place { step, path })
    };
    let mut found: Vec<(String, String)> = Vec::new();
    // A field that is there no more has its label in the earlier version.
    for (document, step) in [right, left] {
        for (place, label) in document.labels(step) {
            let path = place.path;
            let Some(key) = path.first().filter(|_| place.step == step) else {
                continue;
            };
            let one = (key.clone(), label);
            if !found.contains(&one) && value(left, &path) != value(right, &path) {
                found.push(one);
            }
        }
    }
    found
}

/// What a step says besides its id.
fn without_id(document: &Document, step: &Step) -> Option<Map<String, Value>> {
    let mut fields = document.value(&Place::step(step.ordinal))?.as_object()?.clone();
    fields.retain(|_, value| *value != step.id.as_str());
    Some(fields)
}

/// The fields of a file besides its steps that are not the same.
pub(crate) fn elsewhere(left: &Document, right: &Document) -> Vec<String> {
    let fields = |document: &Document| {
        let first = document.value(&Place::step(0));
        let value = document.value(&Place::document());
        let mut fields = value.and_then(|value| value.as_object().cloned()).unwrap_or_default();
        // The list that the first step stands in is that of the steps.
        fields.retain(|_, value| value.get(0).is_none() || value.get(0) != first.as_ref());
        // What stands as prose above the steps.
        let workflow = document.workflow();
        if workflow.contract().prose == Prose::Markdown {
            fields.insert("title".to_owned(), workflow.title.as_str().into());
            fields.insert("description".to_owned(), workflow.description.as_deref().into());
        }
        fields
    };
    let keys = differing(&fields(left), &fields(right));
    in_labels(&keys, (left, None), (right, None))
}

/// The keys whose values are not the same, in their order.
fn differing(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differs = |key: &&String| old.get(*key) != new.get(*key);
    keys.into_iter().filter(differs).cloned().collect()
}
