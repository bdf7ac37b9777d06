//! Open workflow files: reading, editing as text, undo, and changes made elsewhere.

use crate::command::{EditOf, Keep, KeepOf, LineOf, LookOf, OpenOf, PathOf, RunAt, UndoOf, WriteOf};
use crate::notice::Notice;
use crate::scenario::following::Follower;
use crate::text::document;
use crate::workflow::drawing::{self, Look};
use crate::workflow::labels::Labels;
use crate::workflow::view::{ConflictPart, DocumentView, EditOutcome, RemovedView, ScenarioView, WorkflowView};
use crate::workflow::{present, problems, prose};
use crate::{ApiError, Studio, words};
use dialect::{Clash, Document, MergeConflict, NewId, Side, TextEdit, apply, difference, invert, merge, merge_as};
use engine::{At, Digest};
use model::{AgentKey, Edit, FlowEdit, Gesture, Place, Prose, Spot};
use runtime::config::Config;
use runtime::project;
use runtime::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::path::Path;
use store::JournalEntry;
use store::regular::{LARGEST_WORKFLOW, NotRead};

/// What one side made of these places, with a mark between two that are apart.
fn lines<'a>(clashes: impl Iterator<Item = &'a Clash>, side: fn(&Clash) -> &str) -> String {
    clashes.map(side).collect::<Vec<_>>().join("⋯\n")
}

/// A conflict by the steps that it is about.
fn parts(base: &Document, conflict: &MergeConflict) -> Vec<ConflictPart> {
    let apart = base.apart(&conflict.clashes).into_iter();
    apart
        .map(|part| {
            let own = || part.clashes.iter().filter_map(|n| conflict.clashes.get(*n));
            let steps = part.steps.iter().filter_map(|id| base.workflow().step(id));
            ConflictPart {
                steps: steps.map(words::of_step).collect(),
                mine: lines(own(), |clash| &clash.mine),
                theirs: lines(own(), |clash| &clash.theirs),
            }
        })
        .collect()
}

/// Which change an answer is to: these edits of this text. Undo looks for its entry anew, and may find another one by then.
fn asked(base: &Document, mine: &[TextEdit]) -> Result<String, ApiError> {
    let of = serde_json::to_string(&(base.text(), mine)).map_err(|e| ApiError::new("internal", e.to_string()))?;
    Ok(store::digest_of(of.as_bytes()).to_string())
}

/// What is asked where both have changed the same.
fn conflict(base: &Document, mine: &[TextEdit], found: MergeConflict) -> Result<Done, ApiError> {
    Ok(Done::Conflict(Asked {
        parts: parts(base, &found),
        base: store::digest_of(base.text().as_bytes()),
        change: asked(base, mine)?,
        found,
    }))
}

/// Both changes, with the side that holds in each part; `None` where change, text or parts are not those that were decided on.
fn by_parts(base: &Document, mine: &[TextEdit], theirs: &str, keep: &KeepOf) -> Option<String> {
    if keep.revision != store::digest_of(theirs.as_bytes()).as_str() || asked(base, mine).ok()? != keep.change {
        return None;
    }
    let conflict = merge(base.text(), mine, theirs).err()?;
    let parts = base.apart(&conflict.clashes);
    if parts.len() != keep.parts.len() {
        return None;
    }
    let side = |clash: usize| {
        let part = parts.iter().position(|part| part.clashes.contains(&clash));
        match part.and_then(|part| keep.parts.get(part)) {
            Some(Keep::Mine) => Side::Mine,
            Some(Keep::Theirs) | None => Side::Theirs,
        }
    };
    Some(merge_as(base.text(), mine, theirs, side))
}

fn no_prose() -> ApiError {
    ApiError::new("no_prose", "This workflow is not written as a document.").hint("Look at its source instead.")
}

/// In what language a file is written, for highlighting.
fn language(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("json") => "json",
        Some("md") => "markdown",
        _ => "yaml",
    }
}

/// What the journal keeps of an edit.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) forward: Vec<TextEdit>,
    pub(crate) back: Vec<TextEdit>,
    /// The file itself went: what is taken back is that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) gone: bool,
    /// Another program made the change; `made` says when it was found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) found: bool,
    /// Who made the change, and when; absent in entries of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) made: Option<Made>,
    /// Scenarios that were changed with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) beside: Vec<Follower>,
    /// Steps that got other ids by it, each with what it was called before: what those scenarios follow. Absent in entries of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) renamed: Vec<NewId>,
    /// Scenarios that went with the file, each as its file is called behind the name of the workflow's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) with: Vec<String>,
}

/// Who made a change, and when.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) at: At,
    /// The name they have given; empty: none.
    pub(crate) by: String,
}

/// A change that is to be written.
pub(crate) struct Change<'a> {
    /// Of the text.
    edits: Vec<TextEdit>,
    /// What it is called in the menu.
    label: &'a str,
    /// What another program wrote meanwhile is in it.
    merged: bool,
    /// Steps that get other ids by it, each with what it was called before.
    renamed: &'a [NewId],
}

impl<'a> Change<'a> {
    /// The same, by which steps get other ids.
    pub(crate) fn renaming(self, renamed: &'a [NewId]) -> Self {
        Self { renamed, ..self }
    }

    /// A change by which no step gets another id.
    pub(crate) fn of(edits: Vec<TextEdit>, label: &'a str) -> Self {
        Self {
            edits,
            label,
            merged: false,
            renamed: &[],
        }
    }
}

impl Kept {
    pub(crate) fn is_gone(entry: &JournalEntry) -> bool {
        serde_json::from_str(&entry.edits).is_ok_and(|kept: Self| kept.gone)
    }

    /// Another program made it: nothing of it is taken back.
    pub(crate) fn is_found(entry: &JournalEntry) -> bool {
        serde_json::from_str(&entry.edits).is_ok_and(|kept: Self| kept.found)
    }

    /// A change of another program.
    pub(crate) fn found(made: Made) -> Self {
        Self {
            forward: Vec::new(),
            back: Vec::new(),
            gone: false,
            found: true,
            made: Some(made),
            beside: Vec::new(),
            renamed: Vec::new(),
            with: Vec::new(),
        }
    }
}

/// What came of a change, apart from the workflow as it is now.
pub(crate) enum Done {
    /// Written; see [`EditOutcome::Saved`].
    Saved {
        merged: bool,
        unchanged: bool,
        left: Vec<String>,
    },
    /// Not written: another program changed the same lines.
    Conflict(Asked),
}

/// What is asked where another program changed the same lines; see [`EditOutcome::Conflict`].
pub(crate) struct Asked {
    found: MergeConflict,
    parts: Vec<ConflictPart>,
    base: Digest,
    change: String,
}

impl Studio {
    /// One workflow, as it is on disk now.
    pub(crate) async fn open_workflow(&self, of: OpenOf) -> Result<WorkflowView, ApiError> {
        self.find_changes(&of.path);
        self.drawn_view(&of.path, &Look::new(of.look.collapsed, of.look.room))
    }

    /// A workflow's own text, rendered.
    pub(crate) async fn document_prose(&self, of: PathOf) -> Result<DocumentView, ApiError> {
        prose::document(&self.document(&of.path)?).ok_or_else(no_prose)
    }

    /// The text of the version a run keeps, rendered.
    pub(crate) async fn run_prose(&self, of: RunAt) -> Result<DocumentView, ApiError> {
        prose::document(&self.history(&of.run_id)?.document).ok_or_else(no_prose)
    }

    /// Reads and parses a file of the project. Where it is gone, what may be that file is looked for.
    pub(crate) fn document(&self, path: &str) -> Result<Document, ApiError> {
        self.document_if_there(path).map_err(|error| match error.code.as_str() {
            "not_found" => error.hint(self.where_gone(path)),
            _ => error,
        })
    }

    /// The same for whoever does without it.
    pub(crate) fn document_if_there(&self, path: &str) -> Result<Document, ApiError> {
        self.inside(path)?;
        let text = self.text_in(path, LARGEST_WORKFLOW).map_err(|error| match error {
            NotRead::Missing => ApiError::new("not_found", format!("There is no file {path}.")),
            NotRead::NotText => ApiError::new("unreadable", format!("{path} is not UTF-8 text."))
                .hint("Save it as UTF-8 to use it here."),
            NotRead::Io(_) => {
                ApiError::new("unreadable", format!("{path} cannot be read: {error}.")).hint("Check its permissions.")
            }
            _ => ApiError::new("unreadable", format!("{path} cannot be read: {error}."))
                .hint("Name an ordinary file that holds a workflow."),
        })?;
        let read = |text: &str| self.0.recent.read(path, text);
        Ok(runtime::opened::document_by(&self.0.root, path, &text, read))
    }

    /// Whether a file is there that the workflow at `path` lists.
    pub(crate) fn is_listed(&self, path: &str, file: &str) -> bool {
        project::listed(path, file).any(|listed| self.inside(&listed).is_ok_and(|file| file.is_file()))
    }

    fn drawn_view(&self, path: &str, look: &Look) -> Result<WorkflowView, ApiError> {
        let document = self.document(path)?;
        let (config, _) = self.config();
        let workflow = document.workflow();
        let engines = |agent: &AgentKey| config.engine_of(agent);
        let drawn = drawing::picture(workflow, document.diagnostics(), config.gate_rules(), look);
        let revision = if self.0.read_only.is_none() {
            // Kept, so that an edit made on this version can be merged with whatever the file becomes.
            self.0.store.put_blob(document.text().as_bytes())?
        } else {
            store::digest_of(document.text().as_bytes())
        };
        let Steps { undo, redo } = self.steps_of(path)?;
        let (undo, undo_entry) = undo.map(Step::apart).unzip();
        let (redo, redo_entry) = redo.map(Step::apart).unzip();
        let problems = problems::with_listed(
            &document,
            &|file| self.is_listed(path, file),
            &runtime::beyond(&self.0.root, path, &document),
        );
        let drawn = drawn.marked(&problems);
        Ok(WorkflowView {
            path: path.to_owned(),
            revision: revision.to_string(),
            id: workflow.id.to_string(),
            title: workflow.title.clone(),
            description: workflow.description.clone(),
            description_html: (workflow.contract().prose == Prose::Markdown)
                .then(|| workflow.description.as_deref().map(document::html))
                .flatten(),
            format: workflow.format,
            format_label: document.label().into(),
            source: document.text().to_owned(),
            language: language(path).into(),
            writable: self.writable().is_ok()
                && !std::fs::metadata(self.inside(path)?).is_ok_and(|m| m.permissions().readonly()),
            steps: present::steps(
                &document,
                &engines,
                config.gate_rules(),
                &runtime::planned(workflow, &config),
            ),
            problems,
            context: crate::words::named(&dialect::context::of(workflow)),
            feedback: crate::run::feedback::bounds(workflow, &config.limits_of(workflow, false)),
            fields: crate::words::top_level(workflow),
            undo,
            undo_entry,
            redo,
            redo_entry,
            scenarios: self.scenarios(&document, &config),
            runs: self
                .runs_called(path, &workflow.id, 20)?
                .iter()
                .map(|row| self.row(row))
                .collect(),
            drawing: drawn.drawing,
            faces: drawn.faces,
            questions: workflow.questions.clone(),
        })
    }

    /// Scenarios in a workflow's own file and beside it, broken ones with why.
    pub(crate) fn scenarios(&self, document: &Document, config: &Config) -> Vec<ScenarioView> {
        let files = self.beside(document.path()).unwrap_or_default();
        let beside = files.into_iter().map(|relative| {
            let name = Path::new(&relative)
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            match self
                .scenario_text(&relative)
                .and_then(|text| Scenario::parse(Path::new(&relative), &text).map_err(|e| e.to_string()))
            {
                Ok(s) => ScenarioView {
                    path: relative,
                    name: s.name,
                    description: s.description,
                    problem: None,
                },
                Err(problem) => ScenarioView {
                    path: relative,
                    name,
                    description: None,
                    problem: Some(problem),
                },
            }
        });
        self.scenarios_inside(document, config)
            .into_iter()
            .chain(beside)
            .collect()
    }

    /// Which place stands on a line.
    pub(crate) async fn place_at(&self, of: LineOf) -> Result<Place, ApiError> {
        let document = self.document(&of.path)?;
        let line = of.line.max(1) as usize - 1;
        let mut offset = 0;
        for (i, text) in document.text().split_inclusive('\n').enumerate() {
            if i == line {
                offset += text.len() - text.trim_start().len();
                break;
            }
            offset += text.len();
        }
        Ok(document.place_at(offset))
    }

    /// The version of a file that a client has seen.
    pub(crate) fn version(&self, path: &str, revision: &str) -> Result<Document, ApiError> {
        let base = self.0.store.blob(&Digest::from(revision.to_owned())).map_err(|_| {
            ApiError::new(
                "unknown_revision",
                "The version this change was made on is not known any more.",
            )
            .hint("Open the workflow again and repeat the change.")
        })?;
        Ok(self.0.recent.read(path, &String::from_utf8_lossy(&base)))
    }

    /// Before a workflow's file is changed: whether it may be. Until what is returned is dropped, nobody else who uses Gatehouse changes one of
    /// this project: between reading a file and writing it no change of theirs can come to be lost.
    pub(crate) fn changing(&self, path: &str) -> Result<std::fs::File, ApiError> {
        self.writable()?;
        self.inside(path)?;
        let refused =
            |why: String| ApiError::new("refused:no_workflow", why).hint("Change it with the program that it is for.");
        if path.split('/').any(|part| part.is_empty() || part == ".") || path.contains('\\') {
            return Err(refused(format!("“{path}” is not how a file of the project is named.")));
        }
        if runtime::is_kept(path) {
            return Err(refused(format!(
                "{path} is not changed as a workflow: it decides over runs, or keeps them."
            )));
        }
        if std::fs::metadata(self.inside(path)?).is_ok_and(|file| file.permissions().readonly()) {
            return Err(ApiError::new("read_only", format!("{path} may only be read."))
                .hint("Give yourself the permission to write it, or work on a copy."));
        }
        // Who has made something else of a workflow here can mend it here.
        let is_known = || self.0.store.journal(path).map(|journal| !journal.is_empty());
        let name = path.rsplit('/').next().unwrap_or(path);
        let may_be_one = runtime::workflows::is_candidate(name) || name.ends_with(".md");
        if !may_be_one && !is_known()? {
            return Err(refused(format!("{path} is not named as a workflow is.")));
        }
        if let Ok(document) = self.document_if_there(path)
            && let Some(not) = document.not_a_workflow()
            && !is_known()?
        {
            return Err(refused(crate::error::sentence(&format!(
                "{path} is not changed here: {not}"
            ))));
        }
        let alone = self.locked(path)?;
        self.note_found(path)?;
        Ok(alone)
    }

    /// The same for a file that belongs to a workflow: whoever calls this has seen that it does.
    pub(crate) fn locked(&self, path: &str) -> Result<std::fs::File, ApiError> {
        self.writable()?;
        store::alone::authoring(&self.0.root)
            .map_err(|error| ApiError::new("io", format!("{path} was not changed: {error}.")))
    }

    /// Changes a workflow's source. What another program wrote meanwhile is merged or asked about, never lost.
    pub(crate) async fn edit_workflow(&self, of: EditOf) -> Result<EditOutcome, ApiError> {
        let _alone = self.changing(&of.path)?;
        let base = self.version(&of.path, &of.revision)?;
        let label = of.label.clone().unwrap_or_else(|| label(&base, &of.edits));
        let made = self.0.recent.make(&base, &of.edits).map_err(|refused| {
            let found = refused_edit(&refused);
            found.hint("Nothing was changed.")
        })?;
        let joined = joined(&base, &made.document, &of.edits);
        let change = Change::of(made.edits, &label).renaming(&made.renamed);
        let mut done = self.carry_out(&of.path, &base, change, of.keep.as_ref())?;
        if let Done::Saved { left, .. } = &mut done {
            left.extend(joined);
        }
        self.outcome(&of.path, done, of.look)
    }

    /// Writes what was typed. What another program wrote meanwhile is merged or asked about, never lost.
    pub(crate) async fn write_workflow(&self, of: WriteOf) -> Result<EditOutcome, ApiError> {
        let _alone = self.changing(&of.path)?;
        if of.text.len() as u64 > LARGEST_WORKFLOW {
            return Err(ApiError::new(
                "too_large",
                format!("{} was not changed: so long a text is no workflow.", of.path),
            ));
        }
        let base = self.version(&of.path, &of.revision)?;
        let label = of.label.unwrap_or_else(|| "change the source".to_owned());
        let edits = difference(base.text(), &of.text);
        let change = Change::of(edits, &label);
        let done = self.carry_out(&of.path, &base, change, of.keep.as_ref())?;
        self.outcome(&of.path, done, of.look)
    }

    /// Writes a change that was made on a text, which may be another one by now: both are merged, or it is asked which of them
    /// holds. `keep`: what was answered to that.
    fn carry_out(
        &self,
        path: &str,
        base: &Document,
        change: Change<'_>,
        keep: Option<&KeepOf>,
    ) -> Result<Done, ApiError> {
        let current = self.document(path)?;
        let text = current.text();
        let Some(whole) = keep.and_then(|keep| by_parts(base, &change.edits, text, keep)) else {
            return self.merge_in(path, base, &current, change);
        };
        // Where theirs holds a step may not have got the id that this change gives it.
        let after = Document::parse(path, &whole);
        let wanted = Document::parse(path, &apply(base.text(), &change.edits));
        let renamed = change.renamed.iter().filter(|new| is_so(new, &wanted, &after));
        let renamed: Vec<NewId> = renamed.cloned().collect();
        let change = Change {
            edits: difference(text, &whole),
            merged: text != base.text(),
            renamed: &renamed,
            ..change
        };
        self.write_edits(path, text, change)
    }

    /// Takes back the last change made here.
    pub(crate) async fn undo(&self, of: UndoOf) -> Result<EditOutcome, ApiError> {
        let _alone = self.changing(&of.path)?;
        let done = self.step_journal(&of, true)?;
        self.outcome(&of.path, done, of.look)
    }

    /// Does it again.
    pub(crate) async fn redo(&self, of: UndoOf) -> Result<EditOutcome, ApiError> {
        let _alone = self.changing(&of.path)?;
        let done = self.step_journal(&of, false)?;
        self.outcome(&of.path, done, of.look)
    }

    /// What came of a change, with the workflow as it is now, looked at as asked.
    pub(crate) fn outcome(&self, path: &str, done: Done, look: LookOf) -> Result<EditOutcome, ApiError> {
        let view = Box::new(self.drawn_view(path, &Look::new(look.collapsed, look.room))?);
        Ok(match done {
            Done::Saved {
                merged,
                unchanged,
                left,
            } => EditOutcome::Saved {
                view,
                merged,
                unchanged,
                left,
            },
            Done::Conflict(asked) => EditOutcome::Conflict {
                message: format!("{path} was changed in another program, on the same lines. Nothing has been written."),
                mine: lines(asked.found.clashes.iter(), |clash| &clash.mine),
                theirs: lines(asked.found.clashes.iter(), |clash| &clash.theirs),
                parts: asked.parts,
                base: asked.base.to_string(),
                change: asked.change,
                view,
            },
        })
    }

    /// What undo would take back of a file, and what redo would do again.
    pub(crate) fn steps_of(&self, path: &str) -> Result<Steps, ApiError> {
        let journal = self.0.store.journal(path)?;
        let there = self.inside(path).is_ok_and(|file| file.exists());
        Ok(Steps {
            undo: taken_back(&journal, there).map(Step::of),
            redo: done_again(&journal).map(Step::of),
        })
    }

    /// What can be brought back at a path where no file is.
    pub(crate) async fn removed(&self, of: PathOf) -> Result<RemovedView, ApiError> {
        let there = self.inside(&of.path)?.exists();
        let journal = self.0.store.journal(&of.path)?;
        let removal = taken_back(&journal, there).filter(|last| !there && Kept::is_gone(last));
        Ok(RemovedView {
            undo_entry: removal.map(entry_id),
        })
    }

    /// Whoever calls this holds the file.
    fn step_journal(&self, of: &UndoOf, back: bool) -> Result<Done, ApiError> {
        let (path, keep) = (of.path.as_str(), of.keep.as_ref());
        let journal = self.0.store.journal(path)?;
        let there = self.inside(path)?.exists();
        let entry = match back {
            true => taken_back(&journal, there),
            false => done_again(&journal),
        };
        if let Some(asked) = of
            .entry
            .as_deref()
            .filter(|asked| entry.map(entry_id).as_deref() != Some(*asked))
        {
            let done = journal
                .iter()
                .find(|entry| entry_id(entry) == asked && entry.undone == back);
            let word = match back {
                true => "undone",
                false => "done again",
            };
            let Some(done) = done else {
                let message = format!("{path} was changed here meanwhile: nothing was {word}.");
                return Err(ApiError::new("conflict", message).hint("Look at it as it is now, and try again."));
            };
            return Ok(Done::Saved {
                merged: false,
                unchanged: true,
                left: vec![format!("“{}” had been {word} already.", done.label)],
            });
        }
        let entry: &JournalEntry = entry.ok_or_else(|| {
            let word = if back { "undo" } else { "redo" };
            ApiError::new(
                "refused:nothing_to_undo",
                format!("There is nothing to {word} in {path}."),
            )
        })?;
        let kept: Kept = serde_json::from_str(&entry.edits)
            .map_err(|e| ApiError::new("internal", format!("The journal of {path} cannot be read: {e}.")))?;
        if kept.gone {
            let text = String::from_utf8_lossy(&self.0.store.blob(&entry.before)?).into_owned();
            self.write_new(path, &text)?;
            self.0.store.journal_mark(path, entry.seq, back)?;
            let left = self.bring_back(path, &kept.with);
            self.notify(Notice::Library);
            return Ok(Done::Saved {
                merged: false,
                unchanged: false,
                left,
            });
        }
        let (from, edits) = if back {
            (&entry.after, kept.back)
        } else {
            (&entry.before, kept.forward)
        };
        let from = self.version(path, from.as_str())?;
        let current = self.document(path)?;
        let decided = keep.and_then(|keep| by_parts(&from, &edits, current.text(), keep));
        let mut beside = kept.beside;
        let mut left = Vec::new();
        let text = match decided {
            Some(text) => {
                let (wanted, after) = (
                    Document::parse(path, &apply(from.text(), &edits)),
                    Document::parse(path, &text),
                );
                let renamed = match kept.renamed.is_empty() {
                    true => new_ids(&from, &wanted),
                    false if back => kept.renamed.into_iter().map(taken_back_id).collect(),
                    false => kept.renamed,
                };
                if !beside.is_empty() && !renamed.iter().all(|new| is_so(new, &wanted, &after)) {
                    beside.clear();
                    left.push(
                        "The scenarios beside it stay as they are: they follow this change as a whole, and not all of it holds."
                            .to_owned(),
                    );
                }
                text
            }
            None => match merge(from.text(), &edits, current.text()) {
                Ok(text) => text,
                Err(found) => return conflict(&from, &edits, found),
            },
        };
        let merged = current.text() != from.text();
        let unchanged = text == current.text() && beside.is_empty();
        left.extend(self.write_with(path, &text, &beside, back)?);
        self.0.store.journal_mark(path, entry.seq, back)?;
        self.notify(Notice::Workflow { path: path.to_owned() });
        Ok(Done::Saved {
            merged,
            unchanged,
            left,
        })
    }

    pub(crate) fn merge_in(
        &self,
        path: &str,
        base: &Document,
        current: &Document,
        change: Change<'_>,
    ) -> Result<Done, ApiError> {
        if current.text() == base.text() {
            return self.write_edits(path, base.text(), change);
        }
        match merge(base.text(), &change.edits, current.text()) {
            Ok(text) => {
                let change = Change {
                    edits: difference(current.text(), &text),
                    merged: true,
                    ..change
                };
                self.write_edits(path, current.text(), change)
            }
            Err(found) => conflict(base, &change.edits, found),
        }
    }

    pub(crate) fn write_edits(&self, path: &str, text: &str, change: Change<'_>) -> Result<Done, ApiError> {
        let Change {
            edits,
            label,
            merged,
            renamed,
        } = change;
        let after = apply(text, &edits);
        let mut left = Vec::new();
        let unchanged = after == text;
        if dialect::bmad::behind(&after) != dialect::bmad::behind(text) {
            let message =
                format!("{path} was not changed: some of this stands in another file, which is shown behind it.");
            return Err(
                ApiError::new("edit_refused:elsewhere", message).hint("Change that file; the workflow follows it.")
            );
        }
        if !unchanged {
            let back = invert(text, &edits);
            // The journal first: a change that cannot be taken back is not made.
            let before = self.0.store.put_blob(text.as_bytes())?;
            let now = self.0.store.put_blob(after.as_bytes())?;
            let following = self.following(path, renamed);
            left = following.left.iter().map(|said| crate::error::sentence(said)).collect();
            let kept = Kept {
                forward: edits,
                back,
                gone: false,
                found: false,
                made: Some(self.made_now()),
                beside: self.followers(path, following.changes)?,
                renamed: renamed.to_vec(),
                with: Vec::new(),
            };
            let json = serde_json::to_string(&kept).map_err(|e| ApiError::new("internal", e.to_string()))?;
            let seq = self.0.store.journal_push(path, &before, &now, label, &json)?;
            match self.write_with(path, &after, &kept.beside, false) {
                Ok(gone) => left.extend(gone),
                Err(error) => {
                    self.0.store.journal_mark(path, seq, true)?;
                    return Err(error);
                }
            }
            self.notify(Notice::Workflow { path: path.to_owned() });
        }
        Ok(Done::Saved {
            merged,
            unchanged,
            left,
        })
    }

    /// Who makes a change, and when.
    pub(crate) fn made_now(&self) -> Made {
        Made {
            at: crate::studio::now(),
            by: self.0.identity.person().name,
        }
    }

    /// Writes a workflow with the scenarios that are changed with it: all of them, or none. Returns what is not there any more.
    fn write_with(&self, path: &str, text: &str, beside: &[Follower], back: bool) -> Result<Vec<String>, ApiError> {
        let gone = self.put_followers(path, beside, back)?;
        self.write_text(path, text).inspect_err(|_| {
            // What cannot be put back either is as it would be after the change, which the error tells.
            drop(self.put_followers(path, beside, !back));
        })?;
        Ok(gone)
    }

    pub(crate) fn write_text(&self, path: &str, text: &str) -> Result<(), ApiError> {
        let file = self.inside(path)?;
        // A link stays a link: its target is written, where that is no file that decides.
        let file = file.canonicalize().unwrap_or(file);
        let leads_to = self.standing(&file).filter(|target| target != path);
        if leads_to.as_deref().is_some_and(runtime::is_kept) {
            let message =
                format!("{path} was not changed: it is a link to a file that decides over runs, or keeps them.");
            return Err(ApiError::new("refused:no_workflow", message).hint("Change that file with an editor."));
        }
        if let Some(target) = &leads_to {
            self.note_found(target)?;
        }
        // What stands behind it is another file's.
        let own = dialect::bmad::own(text);
        let writing = self.0.made.putting(&self.0.root, own);
        let place = file.strip_prefix(&self.0.root).unwrap_or(Path::new(path));
        self.replace_in(place, own).map_err(|error| {
            use std::io::ErrorKind as K;
            let code = match error.kind() {
                K::PermissionDenied | K::ReadOnlyFilesystem => "read_only",
                K::StorageFull | K::QuotaExceeded => "disk_full",
                _ => "io",
            };
            ApiError::new(code, format!("{path} was not changed: {error}."))
                .hint("Nothing is lost: the file is as it was. Mend the cause and repeat the change.")
        })?;
        drop(writing);
        self.know_written(path, text);
        // The file behind a link has a history of its own.
        if let Some(target) = &leads_to
            && let Err(error) = self.note_written_as(target, path)
        {
            tracing::warn!(%target, %error, "what was written could not be noted");
        }
        Ok(())
    }
}

/// What undo would take back of a file, and redo do again; nothing where there is nothing.
pub(crate) struct Steps {
    pub(crate) undo: Option<Step>,
    pub(crate) redo: Option<Step>,
}

/// A change that can be taken back, or made again.
pub(crate) struct Step {
    /// What it is called.
    pub(crate) label: String,
    entry: String,
}

impl Step {
    fn of(entry: &JournalEntry) -> Self {
        Self {
            label: entry.label.clone(),
            entry: entry_id(entry),
        }
    }

    pub(crate) fn apart(self) -> (String, String) {
        (self.label, self.entry)
    }
}

/// What an entry is known by outside. Its place alone says nothing: it is given again when what had been undone makes room.
fn entry_id(entry: &JournalEntry) -> String {
    store::digest_of(format!("{} {}", entry.seq, entry.edits).as_bytes()).to_string()
}

/// `there`: the file is. What was done to one of its name that was removed before is not undone on it, and what other programs did is not
/// undone at all.
fn taken_back(journal: &[JournalEntry], there: bool) -> Option<&JournalEntry> {
    let last = journal.iter().rfind(|entry| !entry.undone && !Kept::is_found(entry))?;
    (!there || !Kept::is_gone(last)).then_some(last)
}

/// A file that went and came back is removed anew, not again.
fn done_again(journal: &[JournalEntry]) -> Option<&JournalEntry> {
    journal.iter().find(|entry| entry.undone && !Kept::is_gone(entry))
}

/// Whether a step got the id that a change gives it, in a text in which that may hold in part: scenarios call steps by their ids alone, whatever
/// else is written of them there. `wanted`: what the change as a whole would have made.
fn is_so((before, new): &NewId, wanted: &Document, after: &Document) -> bool {
    let is_in = |document: &Document, id| document.workflow().step(id).is_some();
    match new {
        Some(new) => is_in(after, new),
        // Of a runbook another step has its number then.
        None => is_in(wanted, before) || !is_in(after, before),
    }
}

/// The other way round: a step that went is there again.
fn taken_back_id((before, new): NewId) -> NewId {
    (new.unwrap_or_else(|| before.clone()), Some(before))
}

/// The ids that only the later one of two versions has: what is known of entries of the journal that do not tell who was renamed.
fn new_ids(before: &Document, after: &Document) -> Vec<NewId> {
    let all = after.workflow().steps().iter().map(|step| &step.id);
    let new = all.filter(|id| before.workflow().step(id).is_none());
    new.map(|id| (id.clone(), Some(id.clone()))).collect()
}

/// Why a gesture cannot be made.
pub(crate) fn refused_edit(refused: &dialect::Refused) -> ApiError {
    let code = format!("edit_refused:{}", refused.error.code());
    ApiError::new(code, crate::error::sentence(&refused.error.to_string()))
}

/// What gestures are called in the menu: by the first one, and how many more.
fn label(document: &Document, gestures: &[Gesture]) -> String {
    let Some(first) = gestures.first() else {
        return "no change".to_owned();
    };
    let first = match first {
        Gesture::Value(edit) => of_value(document, edit),
        Gesture::Flow(edit) => of_flow(document, edit),
    };
    match gestures.len() - 1 {
        0 => first,
        more => format!(
            "{first} and {}",
            crate::words::count(more, "more change", "more changes")
        ),
    }
}

fn of_value(document: &Document, edit: &Edit) -> String {
    let (place, verb) = match edit {
        Edit::Set { place, .. } => (place, "change"),
        Edit::Remove { place } => (place, "remove"),
        Edit::Move { place, .. } => (place, "move"),
        Edit::Rename { place, .. } => (place, "rename"),
    };
    let field = match Labels::of(document).at(place) {
        Some(label) => Some(format!("“{label}”")),
        None => place.path.last().map(|name| name.replace('_', " ")),
    };
    let step = place.step.and_then(|i| document.workflow().steps().get(i));
    match (step, field) {
        (Some(step), None) => format!("{verb} “{}”", step.name),
        (Some(step), Some(field)) => format!("{verb} {field} of “{}”", step.name),
        (None, field) => format!("{verb} {}", field.unwrap_or_else(|| "the text".to_owned())),
    }
}

fn of_flow(document: &Document, edit: &FlowEdit) -> String {
    let name = |id: &model::StepId| match document.workflow().step(id) {
        Some(step) => format!("“{}”", step.name),
        None => format!("“{id}”"),
    };
    match edit {
        FlowEdit::Add { step, .. } => match &step.name {
            Some(called) => format!("add “{called}”"),
            None => "add a step".to_owned(),
        },
        FlowEdit::Duplicate { step, .. } => format!("duplicate {}", name(step)),
        FlowEdit::Level { step, deeper: true } => format!("put {} into the step before it", name(step)),
        FlowEdit::Level { step, deeper: false } => format!("put {} behind the step around it", name(step)),
        FlowEdit::Connect { from, to, .. } => format!("connect {} and {}", name(from), name(to)),
        FlowEdit::Disconnect { from, to, .. } => format!("disconnect {} and {}", name(from), name(to)),
        FlowEdit::Route { step, .. } => format!("change what follows {}", name(step)),
        FlowEdit::Gate { step, gate: Some(_) } => format!("ask a person at {}", name(step)),
        FlowEdit::Gate { step, gate: None } => format!("ask nobody at {}", name(step)),
    }
}

/// Between which steps a new one of a flow came to stand, as sentences, where its place in the file does not show it: on a branch, or where
/// several ways meet.
fn joined(before: &Document, after: &Document, edits: &[Gesture]) -> Vec<String> {
    let puts = |edit: &Gesture| {
        let Gesture::Flow(FlowEdit::Add { at, .. }) = edit else {
            return false;
        };
        // Whoever puts it on a line sees that line.
        matches!(at, Spot::After { .. } | Spot::End)
    };
    if !before.gestures().forks || !edits.iter().any(puts) {
        return Vec::new();
    }
    let (was, now) = (before.workflow().flows(), after.workflow().flows());
    let known = |step: &model::Step| before.workflow().step(&step.id);
    let mut said = Vec::new();
    for (from, new, _) in now.iter().filter(|(_, new, _)| known(new).is_none()) {
        for (_, to, _) in now.iter().filter(|(between, ..)| between.ordinal == new.ordinal) {
            let (Some(from), Some(to)) = (known(from), known(to)) else {
                continue;
            };
            let led = was
                .iter()
                .any(|(a, b, _)| a.ordinal == from.ordinal && b.ordinal == to.ordinal);
            let beside = was
                .iter()
                .filter(|(a, b, _)| a.ordinal == from.ordinal || b.ordinal == to.ordinal);
            if led && (beside.count() > 1 || from.ordinal + 1 != to.ordinal) {
                let (from, new, to) = (&from.name, &new.name, &to.name);
                said.push(format!("“{from}” leads to “{new}” now, and that to “{to}”."));
            }
        }
    }
    said
}
