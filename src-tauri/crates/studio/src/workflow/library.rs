//! Finding the workflows of a project.

use crate::command::Nothing;
use crate::lock::lock;
use crate::run::asked;
use crate::text::{markdown, safe};
use crate::workflow::documents::Kept;
use crate::workflow::drawing::{self, Look};
use crate::workflow::library_view::{FolderView, LibraryView, UnreadableFile, WorkflowCard};
use crate::workflow::scanned::{AGED, Found, Scanned};
use crate::{ApiError, Studio, session};
use dialect::Document;
use model::{Flow, FlowKind, Prose, Severity, Step, Workflow, WorkflowId};
use runtime::workflows::candidates;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use store::regular::{self, LARGEST_WORKFLOW, NotRead};
use store::{RunRow, StatusWord};

/// What a card's picture is to fit into, px; it is drawn at a third of that.
const CARD: (f64, f64) = (840.0, 260.0);

/// How often something is asked in runs that wait for people.
#[derive(Default)]
struct Asked {
    /// By where the file of their workflow stands now.
    at: HashMap<String, u32>,
    /// By the id of their workflow, where no file stands there: another program may have given it another name.
    lost: HashMap<WorkflowId, u32>,
}

impl Studio {
    /// All workflows of the project.
    pub(crate) async fn library(&self, _: Nothing) -> Result<LibraryView, ApiError> {
        let files = candidates(&self.0.root);
        let config = self.config().0;
        let rules = config.gate_rules();
        let mut asked = self.asked_of_workflows()?;
        let mut folders: BTreeMap<String, Vec<WorkflowCard>> = BTreeMap::new();
        let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
        for file in files {
            let path = self.relative(&file);
            match self.look_at(&file, &path) {
                Found::Nothing => {}
                Found::Session(card) => sessions.push(card),
                Found::Unreadable(reason) => unreadable.push(UnreadableFile { path, reason }),
                Found::Workflow(document) => {
                    let workflow = document.workflow();
                    let drawn =
                        drawing::picture(workflow, document.diagnostics(), rules, &Look::within(CARD.0, CARD.1));
                    let last = self.runs_called(&path, &workflow.id, 1)?.pop();
                    let own = asked.at.get(&path).copied().unwrap_or_default();
                    // Of several files with one id the first may be the one that was renamed: each question is counted once.
                    let waits = own + asked.lost.remove(&workflow.id).unwrap_or_default();
                    // A list is drawn as its flows, and does what is in them.
                    let whole = document
                        .flows()
                        .and_then(|_| runtime::to_run(&self.0.root, &path, document.text(), true).ok());
                    let done = whole.as_ref().map_or(workflow, Document::workflow);
                    let count = |s: Severity| document.diagnostics().iter().filter(|d| d.severity == s).count() as u32;
                    let folder = path
                        .rsplit_once('/')
                        .map_or(String::new(), |(folder, _)| folder.to_owned());
                    folders.entry(folder).or_default().push(WorkflowCard {
                        id: workflow.id.to_string(),
                        title: workflow.title.clone(),
                        description: workflow
                            .description
                            .as_deref()
                            .map(|text| match workflow.contract().prose {
                                Prose::Markdown => markdown::plain(text),
                                Prose::Plain => text.to_owned(),
                            }),
                        format_label: document.label().into(),
                        steps: done.steps().len() as u32,
                        gates: asked::decisions(done, &config),
                        loops: loops(done),
                        errors: count(Severity::Error),
                        warnings: count(Severity::Warning),
                        last_run: last.as_ref().map(|row| self.row(row)),
                        waiting: waits,
                        search_text: search_text(&path, &document),
                        drawing: drawn.drawing,
                        faces: drawn.faces,
                        path,
                    });
                }
            }
        }
        Ok(LibraryView {
            project: self
                .0
                .root
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default(),
            folders: folders
                .into_iter()
                .map(|(path, workflows)| FolderView { path, workflows })
                .collect(),
            sessions,
            unreadable,
        })
    }

    /// How often something is asked of people in the runs of each workflow.
    fn asked_of_workflows(&self) -> Result<Asked, ApiError> {
        let moved = self.moved();
        let mut asked = Asked::default();
        let mut there: HashMap<String, bool> = HashMap::new();
        for row in self.0.store.waiting()? {
            // The Inbox does not ask it either.
            if self.is_left_behind(&row.run)? {
                continue;
            }
            let path = moved.stands_at(&row.path, Some(row.begun_at));
            let known = there.entry(path.to_owned());
            let is_there = *known.or_insert_with(|| self.inside(path).is_ok_and(|file| file.exists()));
            let count = match is_there {
                true => asked.at.entry(path.to_owned()).or_default(),
                false => asked.lost.entry(row.workflow).or_default(),
            };
            *count += 1;
        }
        Ok(asked)
    }

    /// The workflows of the project, in the order of their paths.
    pub(crate) fn workflows(&self) -> Vec<Arc<Document>> {
        let files = candidates(&self.0.root).into_iter();
        let found = files.map(|file| self.look_at(&file, &self.relative(&file)));
        let workflow = |found| match found {
            Found::Workflow(document) => Some(document),
            Found::Nothing | Found::Session(_) | Found::Unreadable(_) => None,
        };
        found.filter_map(workflow).collect()
    }

    /// The workflows that were listed and that a file other than their own belongs to.
    pub(crate) fn led_to(&self, file: &str) -> Vec<String> {
        let belongs = |scanned: &Scanned| match &scanned.found {
            Found::Workflow(document) => document.behind().is_some_and(|(behind, _)| behind == file),
            Found::Nothing | Found::Session(_) | Found::Unreadable(_) => false,
        };
        let scanned = lock(&self.0.scanned);
        let found = scanned.iter().filter(|(_, scanned)| belongs(scanned));
        found.map(|(path, _)| path.clone()).collect()
    }

    /// Why a file that was a workflow cannot be read as one any more; `None` of one that never was, or that says something else now.
    fn broken(&self, path: &str, text: &str) -> Option<String> {
        let was_listed = || {
            lock(&self.0.scanned)
                .get(path)
                .is_some_and(|scanned| scanned.was_workflow)
        };
        // An imported session keeps the path of its own file.
        let is_run = |row: &RunRow| row.status != StatusWord::Imported;
        let has_run = || self.runs_of(path, 1).is_ok_and(|runs| runs.iter().any(is_run));
        if !was_listed() && !has_run() && !self.is_noted_as_workflow(path) {
            return None;
        }
        let document = Document::parse(path, text);
        if document.not_a_workflow().is_some() {
            return None;
        }
        let fault = document.diagnostics().first()?;
        Some(format!(
            "It was a workflow before. {}. Open it and mend it, or bring an earlier version back.",
            safe::visible(&fault.message)
        ))
    }

    /// Whether a version of a file that was noted here last was a workflow: what was known of it is gone when the window was closed.
    fn is_noted_as_workflow(&self, path: &str) -> bool {
        let store = &self.0.store;
        let known = store.journal_known(path).ok().flatten();
        let journal = store.journal(path).unwrap_or_default();
        let last = journal.last().filter(|last| !Kept::is_gone(last));
        let versions = known.into_iter().chain(last.map(|last| last.before.clone()));
        let mut texts = versions.filter_map(|digest| String::from_utf8(store.blob(&digest).ok()?).ok());
        texts.any(|text| dialect::detect(path, &text).is_some())
    }

    fn look_at(&self, file: &Path, path: &str) -> Found {
        // What is called like a workflow and is a pipe, a device or a link is none, and is not opened.
        let Ok(metadata) = file.symlink_metadata() else {
            return Found::Nothing;
        };
        let (modified, mut bytes) = (metadata.modified().ok(), metadata.len());
        if let Some(known) = lock(&self.0.scanned).get(path)
            && known.modified == modified
            && known.bytes == bytes
        {
            return known.found.clone();
        }
        let found = match regular::read_text(file, LARGEST_WORKFLOW) {
            Ok(text) => match dialect::detect(path, &text) {
                Some(_) => {
                    let document = runtime::opened::document(&self.0.root, path, &text);
                    // A change of the instructions does not show in this file.
                    if document.text() != text || dialect::bmad::instructions_of(path, &text).is_some() {
                        bytes = AGED;
                    }
                    Found::Workflow(Arc::new(document))
                }
                None => match session::present::card(path, &text) {
                    Some(card) => Found::Session(card),
                    None => self.broken(path, &text).map_or(Found::Nothing, Found::Unreadable),
                },
            },
            // Nothing that somebody wrote as a workflow.
            Err(NotRead::TooLarge { .. } | NotRead::Missing | NotRead::NotAFile(_)) => Found::Nothing,
            Err(NotRead::NotText) => {
                Found::Unreadable("The file is not UTF-8 text. Save it as UTF-8 to use it here.".into())
            }
            Err(error) => Found::Unreadable(format!("The file cannot be read ({error}). Check its permissions.")),
        };
        let mut scanned = lock(&self.0.scanned);
        let was_workflow =
            matches!(found, Found::Workflow(_)) || scanned.get(path).is_some_and(|before| before.was_workflow);
        scanned.insert(
            path.to_owned(),
            Scanned {
                modified,
                bytes,
                found: found.clone(),
                was_workflow,
            },
        );
        found
    }
}

/// How many loops there are, and rejections that lead back.
fn loops(workflow: &Workflow) -> u32 {
    let back = |(from, to, flow): &(&Step, &Step, &Flow)| match flow.kind {
        FlowKind::Loop => true,
        FlowKind::Reject => to.ordinal <= from.ordinal,
        FlowKind::Next | FlowKind::Branch | FlowKind::DependsOn | FlowKind::Detour => false,
    };
    u32::try_from(workflow.flows().iter().filter(|flow| back(flow)).count()).unwrap_or(u32::MAX)
}

fn search_text(path: &str, document: &Document) -> String {
    let workflow = document.workflow();
    let mut words = vec![path.to_owned(), workflow.title.clone()];
    words.extend(workflow.description.clone());
    for step in workflow.steps() {
        words.extend([step.id.to_string(), step.name.clone()]);
        words.extend(step.intent.clone());
        words.extend(step.agents.iter().map(ToString::to_string));
    }
    words.join(" ").to_lowercase()
}
