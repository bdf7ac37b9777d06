//! Workflow files that come, go, and get other names and places. Nothing is ever written over another file, and nothing outside of
//! the project.

use crate::command::{CreateOf, MoveOf, Nothing, Origin, PathOf, RenameOf};
use crate::error::{io, taken_name};
use crate::notice::Notice;
use crate::scenario::following::stem;
use crate::workflow::authoring::view::{NewFilesView, NewFormatView, NewTemplateView, PlacedView};
use crate::workflow::documents::{Change, Kept};
use crate::workflow::drawing::Look;
use crate::{ApiError, Studio, workflow};
use dialect::{Document, NewFile};
use engine::Digest;
use model::{Edit, Gesture, Place, Severity, Work};
use runtime::pipeline::template;
use runtime::workflows::{candidates, looks_into};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use store::regular::{LARGEST_SETTINGS, LARGEST_WORKFLOW, NotRead};

/// What the picture of a template is to fit into, px.
const CARD: (f64, f64) = (840.0, 260.0);

/// What undo calls a file that went.
const REMOVED: &str = "remove the file";

/// A text that becomes a file, and what its name ends in.
struct Made {
    text: String,
    ending: String,
    is_pipeline: bool,
}

impl Studio {
    /// What a new workflow can be.
    pub(crate) async fn new_workflows(&self, _: Nothing) -> Result<NewFilesView, ApiError> {
        let mut folders: BTreeSet<String> = BTreeSet::from([String::new()]);
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let files = candidates(&self.0.root);
        folders.extend(files.iter().filter_map(|file| folder(&self.relative(file))));
        let mut formats = Vec::new();
        for shape in dialect::shapes() {
            let path = format!("new{}", shape.ending);
            let is_pipeline = shape.format.contract().state_in_file;
            let (folder, templates) = if is_pipeline {
                let folder = self.pipelines()?;
                let found = template::all(&folder)?;
                let usable = found.iter().filter(|one| one.problem.is_none());
                let view = |one: &template::Template| {
                    let about = one.document.workflow().description.clone().unwrap_or_default();
                    self.template_view(&one.name, &about, &one.document)
                };
                (Some(folder.relative().to_owned()), usable.map(view).collect())
            } else {
                let view =
                    |one: &dialect::Template| self.template_view(one.name, one.help, &Document::parse(&path, one.text));
                (None, shape.templates.iter().map(view).collect())
            };
            formats.push(NewFormatView {
                name: shape.name.into(),
                label: shape.label().into(),
                help: shape.help.into(),
                folder,
                ending: shape.ending.into(),
                kinds: Document::parse(&path, shape.skeleton).palette(),
                templates,
            });
        }
        Ok(NewFilesView {
            formats,
            folders: folders.into_iter().filter(|folder| looks_into(folder)).collect(),
        })
    }

    fn template_view(&self, name: &str, help: &str, document: &Document) -> NewTemplateView {
        let (config, _) = self.config();
        let workflow = document.workflow();
        let look = Look::within(CARD.0, CARD.1);
        let drawn = workflow::drawing::picture(workflow, document.diagnostics(), config.gate_rules(), &look);
        NewTemplateView {
            name: name.to_owned(),
            title: workflow.title.clone(),
            help: help.to_owned(),
            steps: u32::try_from(workflow.steps().len()).unwrap_or(u32::MAX),
            drawing: drawn.drawing,
            faces: drawn.faces,
        }
    }

    /// What a workflow would be that is not created: its picture. Nothing is written.
    pub(crate) async fn sketch_workflow(&self, of: CreateOf) -> Result<NewTemplateView, ApiError> {
        let made = self.made_of(&of)?;
        let document = Document::parse(&format!("new{}", made.ending), &made.text);
        Ok(self.template_view(&of.name, "", &document))
    }

    /// Creates a workflow's file.
    pub(crate) async fn create_workflow(&self, of: CreateOf) -> Result<PlacedView, ApiError> {
        self.writable()?;
        let made = self.made_of(&of)?;
        self.placed_new(made, of.folder.as_deref(), &of.name)
    }

    /// Creates a copy of a workflow, with its scenarios.
    pub(crate) async fn duplicate_workflow(&self, of: RenameOf) -> Result<PlacedView, ApiError> {
        self.writable()?;
        let made = self.copied(&of.path)?;
        let (folder, _) = split(&of.path);
        let placed = self.placed_new(made, Some(folder), &of.name)?;
        for (from, to) in self.scenario_files(&of.path, &placed.path)? {
            self.write_new(&to, &self.text_of(&from, LARGEST_SETTINGS)?)?;
        }
        Ok(placed)
    }

    /// Another title, and the file is named after it.
    pub(crate) async fn rename_workflow(&self, of: RenameOf) -> Result<PlacedView, ApiError> {
        let _alone = self.changing(&of.path)?;
        let document = self.document(&of.path)?;
        let name = good_title(&of.name)?;
        let (folder, file) = split(&of.path);
        // A pipeline's file is named by its id, which says when it was created.
        let to = if document.workflow().contract().state_in_file {
            of.path.clone()
        } else {
            let (_, ending) = ended(file);
            joined(folder, &format!("{}{ending}", file_name(name)?))
        };
        // A title that cannot be written moves nothing.
        let made = titled(&document, name)
            .map(|gesture| document.make(&[gesture]))
            .transpose();
        let made = made.map_err(|refused| crate::workflow::documents::refused_edit(&refused))?;
        let named_by = if to == of.path {
            Vec::new()
        } else {
            self.relocate(&of.path, &to)?
        };
        if let Some(made) = made {
            let moved = self.document(&to)?;
            let change = Change::of(made.edits, "change the title");
            self.merge_in(&to, &document, &moved, change)?;
        }
        Ok(PlacedView {
            path: to,
            named_by,
            undo_entry: None,
        })
    }

    /// Another folder.
    pub(crate) async fn move_workflow(&self, of: MoveOf) -> Result<PlacedView, ApiError> {
        let _alone = self.changing(&of.path)?;
        let document = self.document(&of.path)?;
        if document.workflow().contract().state_in_file {
            return Err(ApiError::new(
                "refused:fixed_folder",
                "Pipelines lie in a folder of their own and stay there.",
            )
            .hint("The folder is set in `gatehouse.yaml`."));
        }
        let (_, file) = split(&of.path);
        let folder = self.good_folder(&of.folder)?;
        let to = joined(&folder, file);
        let named_by = if to == of.path {
            Vec::new()
        } else {
            self.relocate(&of.path, &to)?
        };
        Ok(PlacedView {
            path: to,
            named_by,
            undo_entry: None,
        })
    }

    /// Deletes a workflow's file with the scenarios beside it. Their texts stay in the history, and undo brings them back.
    pub(crate) async fn remove_workflow(&self, of: PathOf) -> Result<PlacedView, ApiError> {
        let _alone = self.changing(&of.path)?;
        let document = self.document(&of.path)?;
        let text = dialect::bmad::own(document.text());
        let named_by = self.naming(&of.path);
        let mut with = Vec::new();
        // Another workflow whose name differs in its ending alone has the same scenarios beside it: they stay.
        let mine = match self.shares_scenarios(&of.path)? {
            true => Vec::new(),
            false => self.beside(&of.path)?,
        };
        for scenario in mine {
            // A link leads to a file that may be another one's, and what cannot be read cannot be brought back.
            if self.inside(&scenario)?.is_symlink() {
                continue;
            }
            let Ok(own) = self.scenario_text(&scenario) else {
                continue;
            };
            let tail = scenario.strip_prefix(stem(&of.path)).unwrap_or(&scenario).to_owned();
            if let Err(error) = self.remove_kept(&scenario, &own, Vec::new()) {
                // All of it goes, or nothing.
                self.bring_back(&of.path, &with);
                return Err(error);
            }
            with.push(tail);
        }
        self.remove_kept(&of.path, text, with.clone()).inspect_err(|_| {
            self.bring_back(&of.path, &with);
        })?;
        if !with.is_empty() {
            // What else lies in it keeps it.
            self.remove_empty(format!("{}.scenarios", stem(&of.path)));
        }
        self.notify(Notice::Library);
        let undo = self.steps_of(&of.path)?.undo;
        Ok(PlacedView {
            undo_entry: undo.map(|step| step.apart().1),
            path: of.path,
            named_by,
        })
    }

    /// Whether another workflow stands beside this one under the same name but for its ending.
    fn shares_scenarios(&self, path: &str) -> Result<bool, ApiError> {
        let (folder, own) = path.rsplit_once('/').unwrap_or(("", path));
        let folder_of_it = match folder {
            "" => self.root().to_owned(),
            folder => self.inside(folder)?,
        };
        let Ok(listed) = std::fs::read_dir(folder_of_it) else {
            return Ok(false);
        };
        let others = listed
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut others = others.filter(|name| name != own && stem(name) == stem(own));
        Ok(others.any(|name| {
            let path = match folder {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            self.document(&path)
                .is_ok_and(|document| document.not_a_workflow().is_none())
        }))
    }

    /// Deletes a file that holds this text, which stays in the history: undo brings it back.
    /// `with`: the scenarios that went with it.
    pub(crate) fn remove_kept(&self, path: &str, text: &str, with: Vec<String>) -> Result<(), ApiError> {
        let before = self.0.store.put_blob(text.as_bytes())?;
        // The journal first: a change that cannot be taken back is not made.
        let seq = self.push_gone(path, &before, with)?;
        self.0.store.journal_forget(path)?;
        self.remove_if(path, text).or_else(|error| {
            self.0.store.journal_mark(path, seq, true)?;
            Err(error)
        })
    }

    /// Brings scenarios back that went with a workflow, where nothing stands in their place. Returns those that did not come, each as a
    /// sentence.
    pub(crate) fn bring_back(&self, workflow: &str, tails: &[String]) -> Vec<String> {
        let back = |path: &str| -> Result<(), ApiError> {
            let journal = self.0.store.journal(path)?;
            let Some(last) = journal
                .iter()
                .rfind(|entry| !entry.undone)
                .filter(|last| Kept::is_gone(last))
            else {
                return Ok(());
            };
            let text = String::from_utf8_lossy(&self.0.store.blob(&last.before)?).into_owned();
            self.write_new(path, &text)?;
            self.0.store.journal_mark(path, last.seq, true)?;
            Ok(())
        };
        let paths = tails.iter().map(|tail| format!("{}{tail}", stem(workflow)));
        let failed = paths.filter_map(|path| {
            let error = back(&path).err()?;
            Some(format!("The scenario {path} did not come back: {}", error.message))
        });
        failed.collect()
    }

    /// Notes that a file is not there any more, and returns the place of that in its journal.
    fn push_gone(&self, path: &str, before: &Digest, with: Vec<String>) -> Result<u64, ApiError> {
        let after = self.0.store.put_blob(b"")?;
        let kept = serde_json::to_string(&Kept {
            forward: Vec::new(),
            back: Vec::new(),
            gone: true,
            found: false,
            made: Some(self.made_now()),
            beside: Vec::new(),
            renamed: Vec::new(),
            with,
        })
        .map_err(|e| ApiError::new("internal", e.to_string()))?;
        Ok(self.0.store.journal_push(path, before, &after, REMOVED, &kept)?)
    }

    /// What a new file is made of.
    fn made_of(&self, of: &CreateOf) -> Result<Made, ApiError> {
        let shape = || -> Result<&'static NewFile, ApiError> {
            let name = of.format.as_deref().unwrap_or("flow");
            dialect::shape(name).ok_or_else(|| {
                let known: Vec<&str> = dialect::shapes().iter().map(|shape| shape.name).collect();
                ApiError::new(
                    "bad_parameters",
                    format!("There is no format “{name}”; it is one of {}.", known.join(", ")),
                )
            })
        };
        let of_shape = |shape: &NewFile, text: String| Made {
            text,
            ending: shape.ending.to_owned(),
            is_pipeline: shape.format.contract().state_in_file,
        };
        match &of.from {
            None => {
                let shape = shape()?;
                Ok(of_shape(shape, dialect::begun(shape, &of.name)))
            }
            Some(Origin::Template { name }) => {
                let shape = shape()?;
                if shape.format.contract().state_in_file {
                    let found = template::find(&self.pipelines()?, name)?;
                    return Ok(of_shape(shape, found.document.text().to_owned()));
                }
                let found = shape.templates.iter().find(|one| one.name == name);
                let found = found.ok_or_else(|| {
                    ApiError::new("not_found", format!("There is no template “{name}” of this format."))
                })?;
                Ok(of_shape(shape, found.text.to_owned()))
            }
            Some(Origin::Workflow { path }) => self.copied(path),
            Some(Origin::Run { run_id }) => {
                let history = self.history(run_id)?;
                let document = &history.document;
                copy_of(document.path(), document.text())
            }
            Some(Origin::Text { text }) => {
                self.0.made.brought_in();
                let shape = shape()?;
                let document = Document::parse(&format!("new{}", shape.ending), text);
                if let Some(not) = document.not_a_workflow() {
                    return Err(ApiError::new(
                        "invalid_workflow",
                        crate::error::sentence(&not.to_string()),
                    ));
                }
                Ok(of_shape(shape, text.clone()))
            }
            Some(Origin::Answers {
                asked,
                before,
                after,
                again,
            }) => {
                if shape()?.name != dialect::Answers::SHAPE {
                    return Err(ApiError::new(
                        "bad_parameters",
                        "Answers make a flow, and nothing else.",
                    ));
                }
                let flow = dialect::flow_of(&dialect::Answers {
                    asked,
                    before,
                    after,
                    again: *again,
                });
                let flow = flow.map_err(|refused| crate::workflow::documents::refused_edit(&refused))?;
                copy_of(flow.path(), flow.text())
            }
        }
    }

    fn copied(&self, path: &str) -> Result<Made, ApiError> {
        copy_of(path, self.document(path)?.text())
    }

    /// Writes a new workflow where it belongs.
    fn placed_new(&self, made: Made, folder: Option<&str>, name: &str) -> Result<PlacedView, ApiError> {
        let title = good_title(name)?;
        if made.is_pipeline {
            let own = self.pipelines()?.relative().to_owned();
            if folder.is_some_and(|folder| !folder.is_empty() && folder != own) {
                return Err(
                    ApiError::new("refused:fixed_folder", format!("Pipelines lie in `{own}`."))
                        .hint("Leave the folder out."),
                );
            }
            let created = self.create_pipeline_of_text(&made.text, Some(title))?;
            return Ok(PlacedView {
                path: created.path,
                named_by: Vec::new(),
                undo_entry: None,
            });
        }
        let folder = self.good_folder(folder.unwrap_or_default())?;
        let stem = file_name(title)?;
        let path = joined(&folder, &format!("{stem}{}", made.ending));
        let text = dialect::named(&path, &made.text, &stem, title)
            .map_err(|error| ApiError::new("invalid_workflow", crate::error::sentence(&error.to_string())))?;
        let document = Document::parse(&path, &text);
        if let Some(not) = document.not_a_workflow() {
            return Err(ApiError::new(
                "invalid_workflow",
                crate::error::sentence(&not.to_string()),
            ));
        }
        self.write_new(&path, &text)?;
        self.begin_journal(&path)?;
        self.notify(Notice::Library);
        Ok(PlacedView {
            path,
            named_by: Vec::new(),
            undo_entry: None,
        })
    }

    /// A folder of the project that workflows can lie in, with `/` and without one at its ends.
    fn good_folder(&self, folder: &str) -> Result<String, ApiError> {
        let parts: Vec<&str> = folder
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let folder = parts.join("/");
        if folder.is_empty() {
            return Ok(folder);
        }
        self.inside(&folder)?;
        if folder.contains(['\\', ':']) || folder.chars().any(char::is_control) {
            return Err(ApiError::new(
                "refused:folder_name",
                "Not every system can have a folder of this name.",
            )
            .hint("Leave out \\, : and line breaks."));
        }
        if !looks_into(&folder) {
            return Err(ApiError::new(
                "refused:hidden_folder",
                format!("Workflows in `{folder}` are not found."),
            )
            .hint("Choose a folder that the Library looks into."));
        }
        Ok(folder)
    }

    /// A new file has come to a path: what was done to one that stood there before is not undone on it, and stays among its versions.
    pub(crate) fn begin_journal(&self, path: &str) -> Result<(), ApiError> {
        let journal = self.0.store.journal(path)?;
        match journal.iter().rfind(|entry| !entry.undone) {
            // It went by another program.
            Some(last) if !Kept::is_gone(last) => self.push_gone(path, &last.after, Vec::new()).map(drop),
            _ => Ok(()),
        }
    }

    /// Writes a file that must not be there yet, whole or not at all, with the folders around it.
    pub(crate) fn write_new(&self, path: &str, text: &str) -> Result<(), ApiError> {
        let writing = self.0.made.putting(&self.0.root, text);
        self.put_in(path, text)?;
        drop(writing);
        self.know_written(path, text);
        Ok(())
    }

    /// The same file at another path, too, where nothing may be yet: with its permissions, and its owner.
    fn put_beside(&self, from: &str, to: &str, text: &str) -> Result<(), ApiError> {
        for path in [from, to] {
            self.inside(path)?;
        }
        match self.link_in(from, to) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(io(to, &error)),
            // Not every file system has two names for one file.
            Err(_) => self.write_new(to, text),
        }
    }

    /// The text of a file of a workflow that is moved or copied.
    fn text_of(&self, path: &str, largest: u64) -> Result<String, ApiError> {
        self.inside(path)?;
        self.text_in(path, largest).map_err(|error| unreadable(path, &error))
    }

    /// Removes a file that holds this and nothing else: what another program has written since is not lost.
    fn remove_if(&self, path: &str, text: &str) -> Result<(), ApiError> {
        if self.text_of(path, LARGEST_WORKFLOW)? != text {
            return Err(ApiError::new(
                "changed",
                format!("{path} was changed in another program at this moment."),
            )
            .hint("Nothing is lost. Look at it and try again."));
        }
        self.remove_in(path)
    }

    /// A file goes to another path, with its scenarios and its journal. What still names the old one is told.
    fn relocate(&self, from: &str, to: &str) -> Result<Vec<String>, ApiError> {
        let document = self.document(from)?;
        if document.behind().is_some() {
            return Err(ApiError::new(
                "refused:several_files",
                format!("{from} belongs to another file beside it."),
            )
            .hint("Move both by hand."));
        }
        let scenarios = self.scenario_files(from, to)?;
        if let Some((_, taken)) = scenarios
            .iter()
            .find(|(_, to)| self.inside(to).is_ok_and(|file| file.exists()))
        {
            return Err(taken_name(taken));
        }
        if self.inside(from)?.is_symlink() {
            return Err(
                ApiError::new("refused:linked", format!("{from} is a link to another file."))
                    .hint("Move the link by hand."),
            );
        }
        let named_by = self.naming(from);
        let mut files = vec![(from, to, document.text().to_owned())];
        for (from, to) in &scenarios {
            files.push((from, to, self.text_of(from, LARGEST_SETTINGS)?));
        }
        // What a move makes on its way, the innermost first.
        let mut made = Vec::new();
        for (_, to, _) in &files {
            let file = self.inside(to)?;
            let missing = file.ancestors().skip(1).take_while(|folder| !folder.exists());
            made.extend(missing.map(Path::to_owned));
        }
        let mut written = Vec::new();
        let mut removed = Vec::new();
        let moved = files
            .iter()
            .try_for_each(|(from, to, text)| {
                self.put_beside(from, to, text)?;
                written.push((*to, text));
                Ok(())
            })
            // All of it is there twice now, whatever happens: nothing can be lost. The workflow goes last.
            .and_then(|()| {
                files.iter().rev().try_for_each(|(from, to, text)| {
                    self.remove_if(from, text)?;
                    removed.push((*from, *to, text));
                    Ok(())
                })
            })
            .and_then(|()| {
                for (from, to, _) in &files {
                    self.begin_journal(to)?;
                    self.0.store.journal_move(from, to)?;
                }
                self.note_moved(from, to)
            });
        if let Err(error) = moved {
            let back = removed
                .into_iter()
                .rev()
                .all(|(from, to, text)| self.put_beside(to, from, text).is_ok());
            if back {
                for (path, text) in written {
                    // Whatever stands in its way stays as a copy.
                    let _ = self.remove_if(path, text);
                }
                for folder in made {
                    // What somebody has put there meanwhile keeps it.
                    self.remove_empty(folder);
                }
            }
            return Err(error);
        }
        if let Some((folder, _)) = scenarios.first().and_then(|(from, _)| from.rsplit_once('/'))
            && folder.ends_with(".scenarios")
        {
            // What else lies in it keeps it.
            self.remove_empty(folder);
        }
        self.notify(Notice::Library);
        Ok(named_by)
    }

    /// The scenarios of a workflow, each with where it belongs beside another file.
    fn scenario_files(&self, from: &str, to: &str) -> Result<Vec<(String, String)>, ApiError> {
        let (old, new) = (stem(from), stem(to));
        let pair = |path: String| {
            let rest = path.strip_prefix(old)?.to_owned();
            Some((path, format!("{new}{rest}")))
        };
        Ok(self.beside(from)?.into_iter().filter_map(pair).collect())
    }

    /// The workflows that run the one at a path, as they name it.
    fn naming(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for file in candidates(&self.0.root) {
            let other = self.relative(&file);
            let Ok(document) = self.document_if_there(&other) else {
                continue;
            };
            let names = |file: &String| runtime::project::listed(&other, file).any(|listed| listed == path);
            let lists = |work: &Work| matches!(work, Work::SubWorkflow { files } if files.iter().any(names));
            if document.not_a_workflow().is_none() && document.workflow().steps().iter().any(|step| lists(&step.work)) {
                found.push(other);
            }
        }
        found
    }
}

/// A workflow's text as the beginning of another one.
fn copy_of(path: &str, text: &str) -> Result<Made, ApiError> {
    if dialect::stepwise::holds_several(text) {
        return Err(ApiError::new(
            "refused:several_files",
            "Several flows ran together; copy one of them.",
        ));
    }
    let own = dialect::bmad::own(text);
    if own.len() != text.len() {
        return Err(ApiError::new(
            "refused:several_files",
            "This workflow's steps stand in a file of instructions.",
        )
        .hint("Copy both files by hand."));
    }
    let document = Document::parse(path, text);
    if let Some(not) = document.not_a_workflow() {
        return Err(ApiError::new(
            "invalid_workflow",
            crate::error::sentence(&not.to_string()),
        ));
    }
    if let Some(broken) = document
        .diagnostics()
        .iter()
        .find(|found| found.code == "GH0101" && found.severity == Severity::Error)
    {
        return Err(ApiError::new(
            "invalid_workflow",
            crate::error::sentence(&broken.message),
        ));
    }
    let (_, ending) = ended(split(path).1);
    Ok(Made {
        text: text.to_owned(),
        ending: ending.to_owned(),
        is_pipeline: document.workflow().contract().state_in_file,
    })
}

/// The gesture that gives a workflow another title; `None` where it says none, or this one.
fn titled(document: &Document, title: &str) -> Option<Gesture> {
    let place = |key: &str| Place::document().path(key.split('.').map(str::to_owned));
    let keys = match document.workflow().contract().prose {
        model::Prose::Markdown => &["title"][..],
        model::Prose::Plain => &["title", "name", "workflow.name"],
    };
    let place = keys
        .iter()
        .map(|key| place(key))
        .find(|place| document.value(place).is_some())?;
    (document.value(&place)? != *title).then(|| {
        Gesture::Value(Edit::Set {
            place,
            value: title.into(),
        })
    })
}

fn good_title(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().any(char::is_control) || name.chars().count() > 200 {
        return Err(ApiError::new("invalid_name", "A workflow needs a name of one line.").hint("Write what it is for."));
    }
    Ok(name)
}

pub(crate) fn file_name(title: &str) -> Result<String, ApiError> {
    dialect::name_of_file(title).ok_or_else(|| {
        ApiError::new("invalid_name", "No file can be named after this.").hint("Use at least one letter or digit.")
    })
}

/// Folder and name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn joined(folder: &str, file: &str) -> String {
    match folder {
        "" => file.to_owned(),
        folder => format!("{folder}/{file}"),
    }
}

/// A file's name without its ending, and the ending: of a runbook both of its parts.
fn ended(file: &str) -> (&str, &str) {
    let lower = file.to_ascii_lowercase();
    let long = [".runbook.md", ".workflow.md"]
        .iter()
        .find(|end| lower.ends_with(**end));
    let at = match long {
        Some(end) => file.len() - end.len(),
        None => file.rfind('.').unwrap_or(file.len()),
    };
    file.split_at(at)
}

fn unreadable(path: &str, error: &NotRead) -> ApiError {
    ApiError::new("unreadable", format!("{path} cannot be read: {error}.")).hint("Check its permissions.")
}
