//! From a draft to a pipeline's file (seed 004 "PIPELINE CREATE").

use crate::command::Nothing;
use crate::notice::Notice;
use crate::pipeline::present;
use crate::pipeline::query::first_error;
use crate::pipeline::view::{
    DraftView, FailureHandling, GateDraft, PipelineCreated, PipelineDraft, StageDraft, TemplateOrigin, TemplateView,
    TemplatesView,
};
use crate::text::safe;
use crate::workflow::drawing::Look;
use crate::workflow::{self, problems};
use crate::{ApiError, Studio};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{Definition, ErrorHandling, StageDefinition};
use engine::RunState;
use model::{Edit, Gate, GateAt, Place, Step, Work};
use runtime::Said;
use runtime::pipeline::create::{self, Source};
use runtime::pipeline::estimate::Past;
use runtime::pipeline::{Error, Folder, template};
use std::path::Path;
use store::regular::{self, LARGEST_WORKFLOW};

/// What a draft is made of.
enum Made {
    Text(String),
    Definition(Definition),
}

impl Made {
    fn source(&self) -> Source<'_> {
        match self {
            Self::Text(text) => Source::Text(text),
            Self::Definition(definition) => Source::Definition(definition),
        }
    }
}

/// What the picture beside the form is to fit into, px.
const PREVIEW: (f64, f64) = (640.0, 480.0);

impl Studio {
    /// What pipelines can be made of.
    ///
    /// # Errors
    /// `invalid_file`, `outside_project`.
    pub fn pipeline_templates(&self, _: Nothing) -> Result<TemplatesView, ApiError> {
        let folder = self.pipelines()?;
        let templates = template::all(&folder)?;
        Ok(TemplatesView {
            templates: templates.into_iter().map(template_view).collect(),
            folder: folder.relative().to_owned(),
        })
    }

    /// What a pipeline would be, before it is created. Nothing is written.
    pub(crate) async fn pipeline_draft(&self, draft: PipelineDraft) -> Result<DraftView, ApiError> {
        let folder = self.pipelines()?;
        let made = made(&folder, &draft)?;
        let at = create::wall_clock();
        let (id, name_problem) = match create::id_at(&draft.name, at) {
            Ok(id) => (Some(id), None),
            Err(error) => (None, Some(ApiError::from(error).message)),
        };
        // The graph shows what is typed, also while there is no name yet.
        let standing_in = || create::id_at("pipeline", at);
        let shown = id.clone().map_or_else(standing_in, Ok)?;
        let document = composed(&folder, &shown, &draft, &made)?;
        let workflow = document.workflow();
        let (config, _) = self.config();
        let drawn = workflow::drawing::picture(
            workflow,
            document.diagnostics(),
            config.gate_rules(),
            &Look::within(PREVIEW.0, PREVIEW.1),
        );
        let problems = problems::with_listed(&document, &|file| self.is_listed(document.path(), file), &[]);
        let drawn = drawn.marked(&problems);
        let past = Past::of(&self.0.store, workflow, None)?;
        let state = RunState::default();
        let path = past.critical_path(workflow, &state);
        Ok(DraftView {
            path: id.as_ref().map(|id| folder.path_of(id)),
            can_create: id.is_some() && first_error(&document).is_none(),
            name_problem,
            id: id.map(|id| id.to_string()),
            problems,
            drawing: drawn.drawing,
            faces: drawn.faces,
            critical_path: path.into_iter().map(|id| id.to_string()).collect(),
            estimate: present::estimate(workflow, &past.remaining(workflow, &state, None)),
            text: document.text().to_owned(),
        })
    }

    /// Creates a pipeline's file, exclusively.
    ///
    /// # Errors
    /// `invalid_name`; `refused:guardrail`; `invalid_workflow` when what is drafted has errors; `not_found` for the template or pipeline it is made of;
    /// `outside_project`, `read_only`, `io`.
    pub fn pipeline_create(&self, draft: PipelineDraft) -> Result<PipelineCreated, ApiError> {
        let folder = self.pipelines()?;
        let made = made(&folder, &draft)?;
        self.create_of(&folder, &draft, &made)
    }

    /// Creates a pipeline's file of the text of another one; `name`: absent: the text's own.
    ///
    /// # Errors
    /// Those of [`Studio::pipeline_create`].
    pub fn create_pipeline_of_file(&self, file: &Path, name: Option<&str>) -> Result<PipelineCreated, ApiError> {
        let text = regular::read_text_through(file, LARGEST_WORKFLOW).map_err(|error| {
            ApiError::new("unreadable", format!("{} cannot be read: {error}.", file.display())).hint("Check the path.")
        })?;
        self.create_pipeline_of_text(&text, name)
    }

    pub(crate) fn create_pipeline_of_text(&self, text: &str, name: Option<&str>) -> Result<PipelineCreated, ApiError> {
        let folder = self.pipelines()?;
        let draft = PipelineDraft {
            name: name.map_or_else(|| name_in(text).unwrap_or_default(), str::to_owned),
            ..PipelineDraft::default()
        };
        self.create_of(&folder, &draft, &Made::Text(text.to_owned()))
    }

    /// The name of what a draft is made of: the template's title, the other pipeline's name.
    ///
    /// # Errors
    /// `not_found`, `invalid_id`, `unreadable`.
    pub fn name_of_source(&self, draft: &PipelineDraft) -> Result<String, ApiError> {
        let folder = self.pipelines()?;
        match made(&folder, draft)? {
            Made::Text(text) => Ok(name_in(&text).unwrap_or_else(|| draft.template.clone().unwrap_or_default())),
            Made::Definition(definition) => Ok(definition.name),
        }
    }

    fn create_of(&self, folder: &Folder, draft: &PipelineDraft, made: &Made) -> Result<PipelineCreated, ApiError> {
        self.writable()?;
        // It stands in the name of its file and in every record of its runs.
        let name = Said {
            field: "name",
            name: "The name of the pipeline",
            value: draft.name.as_str().into(),
            is_output: false,
        };
        runtime::may_be_typed(&self.config().0, &[name])?;
        let at = create::wall_clock();
        let document = composed(folder, &create::id_at(&draft.name, at)?, draft, made)?;
        if let Some(error) = first_error(&document) {
            return Err(
                ApiError::new("invalid_workflow", format!("Nothing was created: {error}."))
                    .hint("Mend the definition and create it again."),
            );
        }
        // Made from the text that was looked at, so that what was drafted is what is created.
        let text = document.text().to_owned();
        let writing = self.0.made.putting(&self.0.root, &text);
        let created = create::create(folder, &draft.name, Source::Text(&text), at)?;
        drop(writing);
        let workflow = created.document.workflow();
        let past = Past::of(&self.0.store, workflow, None)?;
        self.notify(Notice::Library);
        Ok(PipelineCreated {
            id: created.id.to_string(),
            stages: u32::try_from(workflow.steps().len()).unwrap_or(u32::MAX),
            estimate: present::estimate(workflow, &past.remaining(workflow, &RunState::default(), None)),
            path: created.path,
        })
    }
}

/// The name that a pipeline's text states.
fn name_in(text: &str) -> Option<String> {
    let document = Document::parse("draft.yaml", text);
    let name = document.value(&Place::document().field("name"))?;
    name.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned)
}

/// What a draft is made of: its own stages, else a template or another pipeline.
fn made(folder: &Folder, draft: &PipelineDraft) -> Result<Made, ApiError> {
    if let Some(stages) = &draft.stages {
        return Ok(Made::Definition(definition(draft, stages)));
    }
    if let Some(name) = &draft.template {
        return Ok(Made::Text(template::find(folder, name)?.document.text().to_owned()));
    }
    if let Some(id) = &draft.from {
        let id = PipelineId::parse(id).map_err(Error::from)?;
        return Ok(Made::Text(folder.read(&id)?.text().to_owned()));
    }
    Ok(Made::Definition(definition(draft, &[])))
}

/// The draft's file under an id, read. What the draft says of the whole wins over what it is made of.
fn composed(folder: &Folder, id: &PipelineId, draft: &PipelineDraft, made: &Made) -> Result<Document, ApiError> {
    let path = folder.path_of(id);
    let text = create::text(made.source(), id, &draft.name)?;
    let mut document = Document::parse(&path, &text);
    if matches!(made, Made::Definition(_)) {
        return Ok(document);
    }
    let own = [
        ("description", draft.description.as_deref().map(Into::into)),
        (
            "error_handling",
            draft.error_handling.map(|handling| handling_of(handling).word().into()),
        ),
        ("max_retries", draft.max_retries.map(Into::into)),
        ("retry_delay_seconds", draft.retry_delay_seconds.map(Into::into)),
    ];
    for (key, value) in own {
        let Some(value) = value else { continue };
        let place = Place::document().field(key);
        let edits = document.edit(&Edit::Set { place, value }).map_err(|error| {
            ApiError::new(
                "invalid_workflow",
                format!("`{key}` cannot be written into the new file: {error}."),
            )
        })?;
        document = Document::parse(&path, &dialect::apply(document.text(), &edits));
    }
    Ok(document)
}

fn definition(draft: &PipelineDraft, stages: &[StageDraft]) -> Definition {
    Definition {
        id: None,
        name: draft.name.clone(),
        description: draft.description.clone().filter(|text| !text.trim().is_empty()),
        error_handling: draft.error_handling.map(handling_of),
        max_retries: draft.max_retries,
        retry_delay_seconds: draft.retry_delay_seconds,
        stages: stages.iter().map(stage_definition).collect(),
    }
}

fn stage_definition(stage: &StageDraft) -> StageDefinition {
    StageDefinition {
        name: stage.name.clone(),
        description: stage.description.clone().filter(|text| !text.trim().is_empty()),
        work: match (&stage.run, stage.workflows.as_slice()) {
            (Some(script), _) => Work::Command {
                language: "sh".to_owned(),
                script: script.clone(),
            },
            (None, []) => Work::Agent,
            (None, files) => Work::SubWorkflow { files: files.to_vec() },
        },
        agents: stage.agents.clone(),
        parallel: stage.parallel,
        depends_on: stage.depends_on.clone(),
        inputs: stage.inputs.clone(),
        outputs: stage.outputs.clone(),
        gate: stage.gate.as_ref().map(|gate| Gate {
            requirement: gate.requirement,
            at: gate.at.unwrap_or(GateAt::After),
            question: gate.question.clone().filter(|text| !text.trim().is_empty()),
            asks: gate.asks.iter().map(|name| name.as_str().into()).collect(),
            on_reject: None,
        }),
    }
}

fn template_view(template: template::Template) -> TemplateView {
    let workflow = template.document.workflow();
    let title = template.document.value(&Place::document().field("name"));
    let stated = title.as_ref().and_then(|title| title.as_str());
    TemplateView {
        title: safe::visible(stated.unwrap_or(&model::step::humanise(&template.name))),
        description: workflow.description.as_deref().map(safe::visible_text),
        error_handling: handling_in(&template.document),
        stages: workflow.steps().iter().map(stage_draft).collect(),
        origin: match template.path {
            None => TemplateOrigin::BuiltIn,
            Some(path) => TemplateOrigin::Project { path },
        },
        name: template.name,
        problem: template.problem,
    }
}

/// A stage as a draft takes it.
fn stage_draft(step: &Step) -> StageDraft {
    StageDraft {
        name: step.id.to_string(),
        description: step.intent.clone(),
        agents: step.agents.iter().map(ToString::to_string).collect(),
        parallel: step.parallel,
        depends_on: step.depends_on.iter().map(ToString::to_string).collect(),
        inputs: step.inputs.clone(),
        outputs: step.outputs.clone(),
        gate: step.gate.as_ref().map(|gate| GateDraft {
            requirement: gate.requirement,
            at: Some(gate.at),
            question: gate.question.clone(),
            asks: gate.asks.iter().map(ToString::to_string).collect(),
        }),
        run: match &step.work {
            Work::Command { script, .. } => Some(script.clone()),
            _ => None,
        },
        workflows: match &step.work {
            Work::SubWorkflow { files } => files.clone(),
            _ => Vec::new(),
        },
    }
}

fn handling_of(handling: FailureHandling) -> ErrorHandling {
    match handling {
        FailureHandling::Halt => ErrorHandling::Halt,
        FailureHandling::SkipDependents => ErrorHandling::SkipDependents,
        FailureHandling::Retry => ErrorHandling::Retry,
    }
}

fn handling_in(document: &Document) -> FailureHandling {
    let word = document.value(&Place::document().field("error_handling"));
    match word
        .as_ref()
        .and_then(|word| word.as_str())
        .and_then(ErrorHandling::of_word)
    {
        Some(ErrorHandling::SkipDependents) => FailureHandling::SkipDependents,
        Some(ErrorHandling::Retry) => FailureHandling::Retry,
        Some(ErrorHandling::Halt) | None => FailureHandling::Halt,
    }
}
