//! A file, read.

mod done_otherwise;
mod gate_gone;

use crate::does;
use crate::edit::{EditError, Pasted, Put, leads_back};
use crate::fields::Shape;
use crate::form::Entries;
use crate::not_a_workflow::NotAWorkflow;
use crate::said::{NEW, called, in_words, listed};
use crate::scenario::NewId;
use crate::slug::name_of_file;
use crate::text::{Lines, Position, Span, TextEdit, apply, compose};
use model::fork::VERIFIED;
use model::routing::DECIDES;
use model::step::humanise;
use model::thousands::doubt;
use model::{
    Condition, Diagnostic, DrawnWay, Edit, FlowEdit, FormControl, GateRequirement, Gesture, Gestures, NewStep, Place,
    Routing, Spot, Step, StepId, StepKind, Way, Work, Workflow,
};
use serde_json::Value;
use std::sync::Arc;

/// A workflow file: its text, where everything in it stands, the workflow it describes and what is wrong with it.
/// Never changed once read: a changed text is a new document.
/// Copies share all of it.
#[derive(Debug, Clone)]
pub struct Document {
    read: Arc<Read>,
    /// What the text says of itself, and what was found around it.
    diagnostics: Arc<Vec<Diagnostic>>,
}

/// What a text of this path is, whatever lies around it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) path: String,
    pub(crate) text: String,
    lines: Lines,
    reading: Box<dyn Reading>,
    diagnostics: Arc<Vec<Diagnostic>>,
    not_a_workflow: Option<NotAWorkflow>,
}

/// A flow that a list of flows names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListedFlow {
    /// What the list calls it.
    pub key: String,
    /// What a person reads.
    pub title: Option<String>,
    /// Where its file is, as written; absent: at a place that follows from its key.
    pub file: Option<String>,
    /// It is no part of the order: only another flow leads to it.
    pub utility: bool,
}

/// A text as one format reads it. Every call gets the text that was read.
pub(crate) trait Reading: std::fmt::Debug + Send + Sync {
    /// The workflow, as far as there is one.
    fn workflow(&self) -> &Workflow;

    /// See [`Document::label`].
    fn label(&self) -> &'static str {
        self.workflow().format.label()
    }

    /// Whether the file may be a workflow although it is not recognised as one.
    fn may_be_one(&self, path: &str) -> bool;

    /// What is wrong with the text and the workflow, by the format and by the general rules.
    fn diagnostics(&self, text: &str) -> Vec<Diagnostic>;

    /// See [`Document::span`].
    fn span(&self, text: &str, place: &Place) -> Option<Span>;

    /// See [`Document::value_span`].
    fn value_span(&self, text: &str, place: &Place) -> Option<Span>;

    /// See [`Document::place_at`].
    fn place_at(&self, text: &str, offset: usize) -> Place;

    /// A place by the keys to it from the root of the file; a step of a runbook stands at `steps.n`.
    fn place_by_keys(&self, keys: Vec<String>) -> Place {
        Place { step: None, path: keys }
    }

    /// See [`Document::keys_at`].
    fn keys_at(&self, _text: &str, _offset: usize) -> Option<(Shape, Vec<String>)> {
        None
    }

    /// See [`Document::value`].
    fn value(&self, text: &str, place: &Place) -> Option<Value>;

    /// What holds at a place where nothing is written because it is taken over by `<<`, and the name of what it is taken from.
    fn taken_over(&self, _text: &str, _place: &Place) -> Option<(Value, String)> {
        None
    }

    /// See [`Document::step_text`].
    fn step_text(&self, _document: &Document, _step: usize) -> Option<String> {
        None
    }

    /// See [`Document::field`].
    fn field(&self, step: usize, field: StepField) -> Option<Place>;

    /// See [`Document::listed_file`].
    fn listed_file(&self, step: usize, _file: usize) -> Place {
        Place::step(step)
    }

    /// See [`Document::behind`].
    fn behind(&self) -> Option<(&str, Span)> {
        None
    }

    /// See [`Document::flows`].
    fn flows(&self) -> Option<&[ListedFlow]> {
        None
    }

    /// See [`Document::parts_of`].
    fn parts_of(&self, _text: &str) -> Vec<String> {
        Vec::new()
    }

    /// See [`Document::consequences`].
    fn consequences(&self, _document: &Document, _edit: &Edit) -> Vec<Consequence> {
        Vec::new()
    }

    /// See [`Document::edit`].
    fn edit(&self, document: &Document, edit: &Edit) -> Result<Changed, EditError>;

    /// What does the work of a step, as a word of [`does`].
    fn does_now(&self, step: &Step) -> &'static str {
        does::word(step)
    }

    /// The changes of values, one after the other, by which a step does its work in another way ([`does`]); `None`: it has no such choice.
    fn does(&self, _text: &str, _step: &Step, _to: &str) -> Option<Vec<Edit>> {
        None
    }

    /// See [`Document::make`].
    fn flow_edit(&self, _document: &Document, _edit: &FlowEdit) -> Result<Changed, EditError> {
        Err(EditError::unfit(
            "the steps of this file cannot be changed here; change them in the source",
        ))
    }

    /// Steps with texts, in their order, as one change: what leads from one of them to another stays. `None`: they are put in one by one.
    /// `Err`: which of them cannot be, and why.
    fn paste(&self, _document: &Document, _steps: &[&NewStep], _at: &Spot) -> Option<Put<EditError>> {
        None
    }

    /// See [`Document::consequences`].
    fn flow_consequences(&self, _document: &Document, _edit: &FlowEdit) -> Vec<Consequence> {
        Vec::new()
    }

    /// See [`Document::palette`].
    fn palette(&self) -> Vec<StepKind> {
        Vec::new()
    }

    /// See [`Document::gestures`].
    fn gestures(&self) -> Gestures {
        Gestures::default()
    }

    /// See [`Document::drawn`]; by itself what the format's gestures say of a line of that direction.
    fn drawn(&self, from: &Step, to: &Step) -> Vec<DrawnWay> {
        let may = self.gestures();
        let ahead = to.ordinal > from.ordinal;
        let field = decides_by(from);
        let value = DrawnWay {
            asks: Some(format!("“{field}” is")),
            ..DrawnWay::of(
                Way::Value {
                    field: Some(field.to_owned()),
                    value: String::new(),
                },
                "If it reports a value",
            )
        };
        let back = DrawnWay::of(
            Way::Back {
                most: None,
                until: None,
            },
            "Again and again, until it is good",
        );
        let back = match &from.routing {
            // What ends that loop is said already.
            Routing::Microloop(_) => back,
            Routing::Guarded { guards, .. } if guards.iter().any(|guard| guard.back && guard.to == to.id) => back,
            _ => DrawnWay {
                asks: Some(format!(
                    "It is good when “{DECIDES}” is this value ({VERIFIED} means that its check is passed)"
                )),
                usual: Some(VERIFIED.to_owned()),
                ..back
            },
        };
        // A step of a flow that goes on by conditions gets one more of them, or the way where none of them holds. Each line of a graph has
        // its own.
        let by_conditions = may.order && matches!(from.routing, Routing::Guarded { .. });
        let next = match by_conditions {
            true => "When no condition holds",
            false => "Always",
        };
        // Without a gate nobody rejects anything there. Where a step says which is next, a rejection leads to any other one.
        let may_lead = match may.waits {
            true => leads_back(self.workflow(), from, to),
            false => may.next || !ahead,
        };
        let rejected = may.rejections && may_lead && from.gate.is_some();
        let all = [
            (may.waits, DrawnWay::of(Way::Waits, "When this one is done")),
            (may.next && (ahead || by_conditions), DrawnWay::of(Way::Next, next)),
            (may.loops && !ahead && !by_conditions, back),
            (may.branches, value),
            (
                may.forks && ahead && !by_conditions,
                DrawnWay::of(Way::Beside, "Always, at the same time as what else follows"),
            ),
            (rejected, DrawnWay::of(Way::Rejected, "After a rejection at the gate")),
        ];
        all.into_iter()
            .filter_map(|(offered, way)| offered.then_some(way))
            .collect()
    }

    /// What can be filled in of a step, or of the workflow itself; see [`Document::form`].
    fn entries(&self, _text: &str, _step: Option<usize>) -> Option<Entries> {
        None
    }
}

/// The reported field by which a step decides what follows, or would.
pub(crate) fn decides_by(step: &Step) -> &str {
    let field = match &step.routing {
        Routing::Branch(branch) => branch.field.as_deref(),
        Routing::Guarded { guards, .. } => guards.iter().find_map(|guard| match &guard.condition {
            Condition::Compare { field, .. } => Some(field.as_str()),
            Condition::Always | Condition::Cel { .. } => None,
        }),
        _ => None,
    };
    field.unwrap_or(DECIDES)
}

/// What a change makes of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changed {
    pub(crate) edits: Vec<TextEdit>,
    /// Steps that are numbered anew or gone by it, all at once. A new id that was asked for need not be in it.
    pub(crate) ids: Vec<NewId>,
}

impl From<Vec<TextEdit>> for Changed {
    fn from(edits: Vec<TextEdit>) -> Self {
        let ids = Vec::new();
        Self { edits, ids }
    }
}

/// What a gesture changes besides what it says: what waited for a stage that goes waits for what that one waited for, a new name is
/// followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consequence {
    /// The steps it is about, as they are called before the gesture, a new one as it is called then; none where it is about the
    /// workflow.
    pub about: Vec<StepId>,
    /// One sentence without a final stop.
    pub said: String,
}

impl Consequence {
    /// About one step.
    pub(crate) fn of(step: &StepId, said: impl Into<String>) -> Self {
        Self {
            about: vec![step.clone()],
            said: said.into(),
        }
    }

    /// What becomes of those that wait for a step, and of what is rejected back to it, once it is taken out.
    pub(crate) fn of_removal(workflow: &Workflow, step: &Step) -> Vec<Self> {
        let waiting = Self::of_waiting(workflow, step);
        waiting.into_iter().chain(Self::of_rejecting(workflow, step)).collect()
    }

    /// That a rejection does not lead to a step any more that is taken out; `None`: none does.
    pub(crate) fn of_rejecting(workflow: &Workflow, step: &Step) -> Option<Self> {
        let about = Self::rejecting(workflow, step);
        let said = format!(
            "a rejection at {} ends the run instead of leading to {}",
            listed(&about)?,
            called(&step.id)
        );
        Some(Self { about, said })
    }

    /// The other steps whose rejection leads to one.
    pub(crate) fn rejecting(workflow: &Workflow, step: &Step) -> Vec<StepId> {
        let others = workflow.steps().iter().filter(|other| other.ordinal != step.ordinal);
        let sent =
            others.filter(|other| other.gate.as_ref().and_then(|gate| gate.on_reject.as_ref()) == Some(&step.id));
        sent.map(|other| other.id.clone()).collect()
    }

    /// What becomes of those that wait for a step, once it is taken out; `None`: nobody does.
    fn of_waiting(workflow: &Workflow, step: &Step) -> Option<Self> {
        let about = Self::waiting(workflow, step);
        let who = listed(&about)?;
        let (wait, does) = if about.len() == 1 {
            ("waits", "does")
        } else {
            ("wait", "do")
        };
        let gone = called(&step.id);
        let said = match step.depends_on.is_empty() {
            true => format!("{who} {does} not wait for {gone} any more"),
            false => format!("{who} {wait} for what {gone} waited for"),
        };
        Some(Self { about, said })
    }

    /// The other steps that wait for one directly.
    pub(crate) fn waiting(workflow: &Workflow, step: &Step) -> Vec<StepId> {
        let all = workflow.dependents(step).into_iter();
        all.filter(|other| other.ordinal != step.ordinal)
            .map(|other| other.id.clone())
            .collect()
    }

    /// What is said of steps that were put in with their own texts; nothing where they cannot be.
    pub(crate) fn of_pasted<E>(put: Result<Pasted, E>, about: &[StepId]) -> Vec<Self> {
        let said = put.map(|pasted| pasted.said).unwrap_or_default().into_iter();
        let about = about.to_vec();
        said.map(|said| Self {
            about: about.clone(),
            said,
        })
        .collect()
    }
}

/// A field that a person edits, whatever the file's generation calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepField {
    /// What a person reads as the step's name.
    Name,
    /// What the step is for: `role`, in spec flows `objective`.
    Intent,
    /// The largest number of loops.
    MaxIterations,
    /// How strongly the step asks for a person.
    HumanGate,
    /// The question a person is asked.
    GateQuestion,
}

impl Read {
    fn span(&self, place: &Place) -> Option<Span> {
        if let Some(offset) = syntax_offset(place) {
            let end = self.text[offset.min(self.text.len())..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
            return Some(Span {
                start: offset,
                end: offset + end,
            });
        }
        self.reading.span(&self.text, place)
    }
}

impl Document {
    /// A text that was read, with its problems in any order.
    pub(crate) fn read(
        path: &str,
        text: &str,
        reading: Box<dyn Reading>,
        mut diagnostics: Vec<Diagnostic>,
        not_a_workflow: Option<NotAWorkflow>,
    ) -> Self {
        let read = Read {
            path: path.to_owned(),
            text: text.to_owned(),
            lines: Lines::of(text),
            reading,
            diagnostics: Arc::default(),
            not_a_workflow,
        };
        diagnostics.sort_by_cached_key(|d| read.span(&d.place).map_or(0, |span| span.start));
        let diagnostics = Arc::new(diagnostics);
        Self::of(Arc::new(Read { diagnostics, ..read }))
    }

    /// A text that was read, with nothing that was found around it.
    pub(crate) fn of(read: Arc<Read>) -> Self {
        let diagnostics = Arc::clone(&read.diagnostics);
        Self { read, diagnostics }
    }

    /// The text as it was read.
    pub(crate) fn as_read(&self) -> &Arc<Read> {
        &self.read
    }

    /// The source. Printing a document is this very text, byte for byte.
    pub fn text(&self) -> &str {
        &self.read.text
    }

    /// The path the document was read from, as given.
    pub fn path(&self) -> &str {
        &self.read.path
    }

    /// The workflow; of a broken file what could be read of it.
    pub fn workflow(&self) -> &Workflow {
        self.read.reading.workflow()
    }

    /// What a person calls files like this one, wherever they read it.
    pub fn label(&self) -> &'static str {
        self.read.reading.label()
    }

    /// Why the file is no workflow; `None` where it is one, and where it breaks off too early to tell.
    pub fn not_a_workflow(&self) -> Option<&NotAWorkflow> {
        self.read.not_a_workflow.as_ref()
    }

    /// Everything wrong with the file, in the order of the text: the text itself (`GH01..`) and the workflow (`GH00..`).
    /// Of a file that breaks its syntax only that, and of one that is no workflow only why.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The bytes of a place, of its nearest ancestor where the place itself does not exist. `None` for an empty file. A
    /// step begins at its first key and a field is its key and value together.
    pub fn span(&self, place: &Place) -> Option<Span> {
        self.read.span(place)
    }

    /// The bytes of a field's value alone; `None` when it is absent.
    pub fn value_span(&self, place: &Place) -> Option<Span> {
        self.read.reading.value_span(&self.read.text, place)
    }

    /// The file that stands behind the workflow's own in this text, with its path from the project's folder.
    pub fn behind(&self) -> Option<(&str, &str)> {
        let (file, span) = self.read.reading.behind()?;
        Some((file, &self.read.text[span.start..span.end]))
    }

    /// The flows that the file lists; `None` where it is no list of flows.
    pub fn flows(&self) -> Option<&[ListedFlow]> {
        self.read.reading.flows()
    }

    /// The file that a byte stands in where it is another than the workflow's own, with line and column there.
    pub fn elsewhere(&self, offset: usize) -> Option<(&str, Position)> {
        let (file, span) = self.read.reading.behind()?;
        let (start, at) = (self.position(span.start), self.position(offset));
        let position = Position {
            line: at.line.checked_sub(start.line)? + 1,
            ..at
        };
        Some((file, position))
    }

    /// Why the file that belongs behind this one was not read, as the end of a sentence: said where its absence is.
    #[must_use]
    pub fn lacking(mut self, why: &str) -> Self {
        let absent = Arc::make_mut(&mut self.diagnostics)
            .iter_mut()
            .filter(|found| found.code == "GH0420");
        absent.for_each(|found| found.message = format!("{}: {why}", found.message));
        self
    }

    /// The same with more to say of it, found by whoever knows what lies around it.
    #[must_use]
    pub fn with(mut self, more: Vec<Diagnostic>) -> Self {
        let all = Arc::make_mut(&mut self.diagnostics);
        all.extend(more);
        all.sort_by_cached_key(|found| self.read.span(&found.place).map_or(0, |span| span.start));
        self
    }

    /// The same without what somebody who knows what lies around it can say better.
    #[must_use]
    pub fn without(mut self, is_said: impl Fn(&Diagnostic) -> bool) -> Self {
        Arc::make_mut(&mut self.diagnostics).retain(|found| !is_said(found));
        self
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        self.read.lines.position(&self.read.text, offset)
    }

    /// The innermost step or field at a byte offset, for selecting in the graph what the cursor in the source stands on.
    /// A line's trailing blanks and comment belong to the field on it.
    pub fn place_at(&self, offset: usize) -> Place {
        self.read.reading.place_at(&self.read.text, offset)
    }

    /// The table that a text is held against at a byte offset, and the names on the way from that table's root to the innermost value there.
    /// `None`: it is held against none there.
    pub(crate) fn keys_at(&self, offset: usize) -> Option<(Shape, Vec<String>)> {
        self.read.reading.keys_at(&self.read.text, offset)
    }

    /// The value at a place; `None` when there is nothing there.
    pub fn value(&self, place: &Place) -> Option<Value> {
        self.read.reading.value(&self.read.text, place)
    }

    /// What holds at a place where the file has nothing, because the mapping around it takes it over (`<<: *common`), and the name of
    /// what it is taken from (`common`). `None` where something is written there, or nothing holds.
    pub fn taken_over(&self, place: &Place) -> Option<(Value, String)> {
        match self.value(place) {
            Some(_) => None,
            None => self.read.reading.taken_over(&self.read.text, place),
        }
    }

    /// The text of a step as it would stand by itself, so that it can be pasted into another file of the format (see
    /// [`model::NewStep::text`]). `None` where the text of the step is in several places.
    pub fn step_text(&self, step: usize) -> Option<String> {
        self.read.reading.step_text(self, step)
    }

    /// The steps in a text of this format, each as [`Document::step_text`] gives it, in their order: what a text that was pasted
    /// consists of. Empty where it holds no step; what is no step between them is left out.
    pub fn parts_of(&self, text: &str) -> Vec<String> {
        self.read.reading.parts_of(text)
    }

    /// Where a field that people edit stands in this file (or would stand): config flows, spec flows and graph files use
    /// other keys for the same thing. `None` where the format has no such field: a runbook writes neither loop bounds nor
    /// gates, its transitions say both, and nothing loops in a pipeline.
    pub fn field(&self, step: usize, field: StepField) -> Option<Place> {
        self.read.reading.field(step, field)
    }

    /// Where a workflow stands that a step lists: the step itself where the file does not list them one by one.
    pub fn listed_file(&self, step: usize, file: usize) -> Place {
        self.read.reading.listed_file(step, file)
    }

    /// What a gesture changes besides what it says.
    pub fn consequences(&self, gesture: &Gesture) -> Vec<Consequence> {
        let mut found = match gesture {
            Gesture::Value(edit) => self.read.reading.consequences(self, edit),
            Gesture::Flow(edit) => self.read.reading.flow_consequences(self, edit),
        };
        found.extend(done_otherwise::entails(self, gesture));
        found.extend(self.own_value(gesture));
        found.extend(self.approval_gone(gesture));
        found.extend(gate_gone::entails(self, gesture));
        for one in &mut found {
            one.said = self.in_words(&one.said);
        }
        found
    }

    /// A value in the place of one that is taken over is written into the step alone.
    fn own_value(&self, gesture: &Gesture) -> Option<Consequence> {
        let Gesture::Value(Edit::Set { place, .. }) = gesture else {
            return None;
        };
        // Nearly no file takes anything over.
        let step = place.step.filter(|_| self.text().contains("<<"))?;
        let step = self.workflow().steps().get(step)?;
        let fields = self.labels(place.step).into_iter();
        let is_around = |own: &Place| own.step == place.step && place.path.starts_with(&own.path);
        let (field, label) = fields
            .filter(|(own, _)| !own.path.is_empty() && is_around(own))
            .max_by_key(|(own, _)| own.path.len())?;
        let (_, from) = self.taken_over(&field)?;
        let who = called(&step.id);
        let said = format!("“{label}” of {who} is written into the step and counts there; `&{from}` stays as it is");
        Some(Consequence::of(&step.id, said))
    }

    /// With a step that goes, goes what a person is asked there.
    fn approval_gone(&self, gesture: &Gesture) -> Option<Consequence> {
        let Gesture::Value(Edit::Remove { place }) = gesture else {
            return None;
        };
        let step = self.workflow().steps().get(place.step?)?;
        if place.path.is_empty() && asks_yes_or_no(step) {
            let said = format!("with {} goes what a person decides there", called(&step.id));
            return Some(Consequence::of(&step.id, said));
        }
        let gate = step.gate.as_ref().filter(|_| place.path.is_empty())?;
        // Of a step that says nothing the project's policy decides.
        if gate.requirement == GateRequirement::Optional && gate.question.is_none() {
            return None;
        }
        let who = called(&step.id);
        let question = gate.question.as_deref().map(str::trim);
        let said = match question.and_then(|question| question.lines().next()) {
            Some(question) => format!("with {who} goes a person's approval: “{question}”"),
            None => format!("with {who} goes a person's approval"),
        };
        Some(Consequence::of(&step.id, said))
    }

    /// A sentence of a gesture with steps and places as a person knows them.
    fn in_words(&self, said: &str) -> String {
        in_words(said, |id| self.step_in_words(id), |keys| self.place_in_words(keys))
    }

    /// A step by its name, with its id where another step is called so too.
    fn step_in_words(&self, id: &str) -> String {
        let steps = self.workflow().steps();
        let Some(step) = steps.iter().find(|step| step.id.as_str() == id) else {
            return format!("`{id}`");
        };
        let is_other = |other: &&Step| other.name == step.name && other.id != step.id;
        match steps.iter().find(is_other) {
            None => format!("“{}”", step.name),
            Some(_) => format!("“{}” (`{id}`)", step.name),
        }
    }

    /// The place at keys with dots between; `None` of a step that has none yet.
    fn place_of(&self, keys: &str) -> Option<Place> {
        let all = keys.split('.').filter(|key| !key.is_empty()).map(str::to_owned);
        (keys != NEW).then(|| self.read.reading.place_by_keys(all.collect()))
    }

    /// Whether a place is one of the file or of a step in it.
    fn has(&self, place: &Place) -> bool {
        place.step.is_none_or(|n| n < self.workflow().steps().len())
    }

    /// A place by the label of its field and the name of its step: `“Waits for” of “Build”`. `keys`: from the root of the file, with dots
    /// between.
    fn place_in_words(&self, keys: &str) -> String {
        let Some(place) = self.place_of(keys).filter(|place| self.has(place)) else {
            return "the new step".to_owned();
        };
        let step = place.step.and_then(|n| self.workflow().steps().get(n));
        let of_step = step.map(|step| self.step_in_words(step.id.as_str()));
        let fields = self.labels(place.step);
        let holds = |(own, _): &&(Place, String)| {
            own.step == place.step && !own.path.is_empty() && place.path.starts_with(&own.path)
        };
        let field = fields.iter().filter(holds).max_by_key(|(own, _)| own.path.len());
        // What has no label is called as in the file; a position says nothing.
        let key = place.path.iter().rfind(|key| key.parse::<usize>().is_err());
        match (field.map(|(_, label)| label).or(key), of_step) {
            (Some(label), Some(step)) => format!("“{label}” of {step}"),
            (Some(label), None) => format!("“{label}”"),
            (None, Some(step)) => step,
            (None, None) => "the file".to_owned(),
        }
    }

    /// A refusal with steps and places as a person knows them.
    fn refused(&self, error: EditError) -> EditError {
        let EditError::Missing { path } = &error else {
            return error.said_as(|said| self.in_words(said), |keys| self.place_in_words(keys));
        };
        // What is not there has no name.
        let path = match self.place_of(path).filter(|place| self.has(place)) {
            None => "such step".to_owned(),
            Some(place) if place.path.is_empty() => "such place".to_owned(),
            Some(_) => self.place_in_words(path),
        };
        EditError::Missing { path }
    }

    /// The text edits that make a gesture; see [`Document::edit`].
    ///
    /// # Errors
    /// See [`EditError`]; the document is never changed by this call.
    pub fn gesture(&self, gesture: &Gesture) -> Result<Vec<TextEdit>, EditError> {
        self.changed(gesture).map(|changed| changed.edits)
    }

    /// The same with what becomes of the ids of steps.
    pub(crate) fn changed(&self, gesture: &Gesture) -> Result<Changed, EditError> {
        if let Gesture::Value(edit) = gesture {
            self.is_clear(edit)?;
        }
        let changed = match gesture {
            Gesture::Value(edit) => {
                let changed = gate_gone::value_edit(self, edit);
                changed.map(|changed| self.with_task(edit, changed))
            }
            Gesture::Flow(edit) => self.read.reading.flow_edit(self, edit),
        };
        changed.map_err(|error| self.refused(error))
    }

    /// A number that is filled in can be read in one way: in a field of a number, or as what a condition compares with.
    fn is_clear(&self, edit: &Edit) -> Result<(), EditError> {
        let Edit::Set { place, value } = edit else {
            return Ok(());
        };
        let Some(why) = doubt_in(value) else {
            return Ok(());
        };
        let of_pieces = || {
            let at = place.path.iter().rposition(|key| key == "value")?;
            let mut whole = place.clone();
            whole.path.truncate(at);
            self.value(&whole).map(|condition| compares(&condition))
        };
        let of_number = || {
            let form = self.form(place.step)?;
            let field = form.fields.into_iter().find(|field| field.place == *place)?;
            Some(matches!(
                field.control,
                FormControl::Number { .. } | FormControl::Duration
            ))
        };
        let is_one = || of_pieces() == Some(true) || of_number() == Some(true);
        let Some(why) = doubt_in_conditions(value).or_else(|| is_one().then_some(why)) else {
            return Ok(());
        };
        let labels = self.labels(place.step).into_iter();
        let holds = |own: &Place| own.step == place.step && !own.path.is_empty() && place.path.starts_with(&own.path);
        let label = labels
            .filter(|(own, _)| holds(own))
            .max_by_key(|(own, _)| own.path.len());
        let path = label.map_or_else(|| "this".to_owned(), |(_, label)| format!("“{label}”"));
        Err(EditError::NotUnderstood { path, why })
    }

    /// A step that gets another name: where its task is the old one word for word, as of a step that was added by its name, it is the new
    /// one; so it is where the task of the first step is the title of the whole, as in a new file. A task that cannot say that stays.
    fn with_task(&self, edit: &Edit, changed: Changed) -> Changed {
        let Edit::Set { place, value } = edit else {
            return changed;
        };
        let field = |field| place.step.and_then(|step| self.field(step, field));
        let step = place.step.and_then(|step| self.workflow().steps().get(step));
        let (Some(step), Some(name), Some(task)) = (step, value.as_str(), field(StepField::Intent)) else {
            return changed;
        };
        if field(StepField::Name).as_ref() != Some(place) {
            return changed;
        }
        let (old, said) = (self.value(place), self.value(&task));
        // Where a step has its id alone, that was made of its name; what is read of it is put in words.
        let is_id = old.as_ref().is_none_or(|old| old.as_str() == Some(step.id.as_str()));
        let title: Value = self.workflow().title.as_str().into();
        let as_begun = |said: &Value| step.ordinal == 0 && said_by(said, Some(&title));
        let value = match said {
            Some(said) if said_by(&said, old.as_ref()) || as_begun(&said) => value.clone(),
            Some(said) if is_id && is_of(&said, &step.id) => spoken(name).into(),
            _ => return changed,
        };
        let (place, value) = (task, &value);
        let renamed = Self::parse(self.path(), &apply(&self.read.text, &changed.edits));
        let task = Edit::Set {
            place: place.clone(),
            value: value.clone(),
        };
        let also = renamed.read.reading.edit(&renamed, &task).map(|also| also.edits).ok();
        // A text that means something else as a task is none: in a runbook `PASS: STOP` says what follows.
        let means_it = |edits: &Vec<TextEdit>| {
            let after = Self::parse(self.path(), &apply(&renamed.read.text, edits));
            after.value(&place).is_some_and(|task| said_by(&task, Some(value)))
        };
        match also.filter(means_it) {
            Some(also) => Changed {
                edits: compose(&self.read.text, &changed.edits, &also),
                ..changed
            },
            None => changed,
        }
    }

    /// See [`Reading::paste`].
    pub(crate) fn paste(&self, steps: &[&NewStep], at: &Spot) -> Option<Put<EditError>> {
        let put = self.read.reading.paste(self, steps, at)?;
        Some(match put {
            Ok(mut pasted) => {
                for said in &mut pasted.said {
                    *said = self.in_words(said);
                }
                Ok(pasted)
            }
            Err((which, error)) => Err((which, self.refused(error))),
        })
    }

    /// The kinds of step that can be added here; empty where none can.
    pub fn palette(&self) -> Vec<StepKind> {
        self.read.reading.palette()
    }

    /// Which gestures mean something here.
    pub fn gestures(&self) -> Gestures {
        self.read.reading.gestures()
    }

    /// What a line from one step to another can mean, the usual first; empty where there is no such step, and of a step and itself,
    /// whose line means one thing.
    pub fn drawn(&self, from: &StepId, to: &StepId) -> Vec<DrawnWay> {
        let step = |id| self.workflow().step(id);
        match (step(from), step(to)) {
            (Some(from), Some(to)) if from.ordinal != to.ordinal => self.read.reading.drawn(from, to),
            _ => Vec::new(),
        }
    }

    /// What can be filled in of a step, by its position; `None` as the step: of the workflow itself. `None` where there is no such
    /// step or nothing can be changed.
    pub fn form(&self, step: Option<usize>) -> Option<model::Form> {
        let entries = self.read.reading.entries(&self.read.text, step)?;
        let in_force = |place: &Place| match self.value(place) {
            Some(value) => Some((value, None)),
            None => {
                let (value, from) = self.read.reading.taken_over(&self.read.text, place)?;
                Some((value, Some(from)))
            }
        };
        Some(entries.form(step, &in_force, &self.diagnostics))
    }

    /// What the form of a step, or of the workflow itself, calls each of its fields, with where it stands; empty where there is no form.
    pub fn labels(&self, step: Option<usize>) -> Vec<(Place, String)> {
        let entries = self.read.reading.entries(&self.read.text, step);
        entries.map_or_else(Vec::new, |entries| entries.labels())
    }

    /// The text edits that make a change: only those bytes differ afterwards. Comments, order, quotes and line ends
    /// stay. An empty list means that the file already says so.
    ///
    /// # Errors
    /// See [`EditError`]; the document is never changed by this call.
    pub fn edit(&self, edit: &Edit) -> Result<Vec<TextEdit>, EditError> {
        self.is_clear(edit)?;
        let changed = self.value_edit(edit);
        changed
            .map(|changed| changed.edits)
            .map_err(|error| self.refused(error))
    }

    /// What a change of a value makes of the text; what it is refused for names places as the file does.
    pub(crate) fn value_edit(&self, edit: &Edit) -> Result<Changed, EditError> {
        match self.parts(edit) {
            Some(parts) => done_otherwise::one_by_one(self, edit, &parts),
            None => self.read.reading.edit(self, edit),
        }
    }

    /// The changes that a choice of what does the work of a step stands for; `None`: the edit is no such choice.
    pub(crate) fn parts(&self, edit: &Edit) -> Option<Vec<Edit>> {
        let (step, to) = does::chosen(self.workflow(), edit)?;
        self.read.reading.does(&self.read.text, step, to)
    }
}

/// What is to be said of a number somewhere in a value that can be read in two ways.
fn doubt_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => doubt(text),
        Value::Array(items) => items.iter().find_map(doubt_in),
        Value::Object(map) => map.values().find_map(doubt_in),
        _ => None,
    }
}

/// The same of what conditions in it compare with.
fn doubt_in_conditions(value: &Value) -> Option<String> {
    match value {
        Value::Object(_) if compares(value) => value.get("value").and_then(doubt_in),
        Value::Object(map) => map.values().find_map(doubt_in_conditions),
        Value::Array(items) => items.iter().find_map(doubt_in_conditions),
        _ => None,
    }
}

/// Whether a block is a condition that compares a field with values as they are, and does not look for a text in it.
fn compares(condition: &Value) -> bool {
    let word = condition.get("operator").and_then(Value::as_str);
    condition.get("field").is_some() && !matches!(word, Some("contains" | "matches" | "exists"))
}

/// Whether a task is a name word for word.
fn said_by(task: &Value, name: Option<&Value>) -> bool {
    let words = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    words(task).is_some_and(|task| !task.is_empty() && name.and_then(words) == Some(task))
}

/// Whether an id was made of a task, or says the same: `write-the-docs`, or `write-the-docs-2` where that was taken.
fn is_of(task: &Value, id: &StepId) -> bool {
    let Some(task) = task.as_str().map(str::trim).filter(|task| !task.is_empty()) else {
        return false;
    };
    let (id, made) = (id.as_str(), name_of_file(task));
    let counted = |id: &str, made: &str| {
        let behind = id.strip_prefix(made).and_then(|rest| rest.strip_prefix('-'));
        behind.is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n > 1))
    };
    made.is_some_and(|made| id == made || counted(id, &made)) || task == humanise(id)
}

/// A name as a task: one that is an id is put in words.
fn spoken(name: &str) -> String {
    let name = name.trim();
    match name.contains(char::is_whitespace) {
        true => name.to_owned(),
        false => humanise(name),
    }
}

/// The byte offset in the place of a fault of the text.
fn syntax_offset(place: &Place) -> Option<usize> {
    match (place.step, place.path.as_slice()) {
        (None, [only]) => only.strip_prefix('@').and_then(|n| n.parse().ok()),
        _ => None,
    }
}

/// Whether a person who carries a step out of a runbook answers YES or NO there, not how it went.
fn asks_yes_or_no(step: &Step) -> bool {
    let Routing::Transitions { transitions } = &step.routing else {
        return false;
    };
    let decides = |word: &str| matches!(word, "YES" | "NO");
    matches!(step.work, Work::Prompt { .. }) && transitions.iter().any(|one| decides(&one.word))
}
