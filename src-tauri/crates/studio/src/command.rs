//! The command list: every intent a client can send, declared once, with the method of [`Studio`] that answers it: programs in Rust call that,
//! window and HTTP door go through [`dispatch`]; the TypeScript signatures (`ui/src/lib/api/commands.gen.ts`) are generated from the same table.

mod params;

pub use params::*;

use crate::bundle::view::{BundleContents, BundleList, BundleView, UnpackedView};
use crate::checkpoint::view::{CheckpointsView, GoBackView};
use crate::evidence::view::EvidenceList;
use crate::gate::view::{ArtifactView, DecisionsByView, DecisionsView, FileBytes, GateBrief, InboxView};
use crate::pipeline::view::{DraftView, PipelineCreated, PipelineDraft, PipelineView, PipelinesView, TemplatesView};
use crate::report::view::{ReportView, SavedView};
use crate::run::compare_view::RunsComparedView;
use crate::run::row_view::{RunPeopleView, RunsView, UnlistedView};
use crate::run::view::{LogView, ResumeView, RoutesView, RunDrawing, RunOverlay, RunView, StepDetail, TimelineView};
use crate::scenario::view::{KeptView, TestsView};
use crate::session::view::{SessionView, TakeOverView};
use crate::settings::agents_view::{AgentChange, AgentsView};
use crate::settings::field_view::{FormChange, SettingsForm};
use crate::settings::gates_view::GatePolicyView;
use crate::settings::guardrails_view::{GuardrailsChange, GuardrailsView, TextToTry, TriedText};
use crate::settings::people_view::PeopleView;
use crate::settings::permissions_view::{CommandToTry, PermissionsChange, PermissionsView, TriedCommand};
use crate::settings::view::{SettingsChange, SettingsView};
use crate::terminal::view::TerminalsView;
use crate::text::safe;
use crate::verify::view::VerifyView;
use crate::workflow::authoring::view::{
    CompareView, CompletionsView, CopiedView, DrawnView, FormView, GatesBeforeView, NewFilesView, NewTemplateView,
    PaletteView, PartsView, PlacedView, PreviewView, ScenarioTable, VersionsView,
};
use crate::workflow::library_view::LibraryView;
use crate::workflow::view::{DocumentView, EditOutcome, ProblemPage, RemovedView, StartBrief, WorkflowView};
use crate::{ApiError, Studio};
use model::Place;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

/// One entry of the list, for generated documentation and bindings.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `inbox.list`.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// TypeScript type of the parameters.
    pub params: String,
    /// TypeScript type of the result.
    pub result: String,
}

/// Calls a method of the list: most are awaited, `sync` ones answer at once.
macro_rules! answer {
    ($studio:ident, $params:ident, sync $method:ident) => {
        $studio.$method($params)?
    };
    ($studio:ident, $params:ident, $method:ident) => {
        $studio.$method($params).await?
    };
}

macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:literal ($params:ty) = $how:ident $($method:ident)? -> $result:ty;)*) => {
        /// Carries out one command by name; parameters and result are JSON, the result as it is sent.
        ///
        /// # Errors
        /// `unknown_command`, `bad_parameters`, and whatever the command itself refuses.
        pub async fn dispatch(studio: &Studio, name: &str, params: Value) -> Result<Box<RawValue>, ApiError> {
            match name {
                $($name => {
                    let params = if params.is_null() { Value::Object(Default::default()) } else { params };
                    let params: $params = serde_json::from_value(params).map_err(|e| {
                        ApiError::new("bad_parameters", format!("“{name}” was called with parameters it cannot read: {e}."))
                    })?;
                    let result: $result = answer!(studio, params, $how $($method)?);
                    shown(&result).map_err(|e| ApiError::new("internal", e.to_string()))
                })*
                _ => Err(ApiError::new("unknown_command", format!("There is no command “{name}”."))
                    .hint("Window and program are of different versions; start Gatehouse again.")),
            }
        }

        /// Writes the TypeScript types of everything the list mentions.
        ///
        /// # Errors
        /// When the folder cannot be written.
        pub fn export(config: &ts_rs::Config) -> Result<(), ts_rs::ExportError> {
            $(<$params as TS>::export_all(config)?;
            <$result as TS>::export_all(config)?;)*
            crate::Notice::export_all(config)?;
            ApiError::export_all(config)
        }

        /// The list, in order.
        pub fn table(config: &ts_rs::Config) -> Vec<Entry> {
            vec![$(Entry {
                name: $name,
                doc: concat!($($doc),+).trim(),
                params: <$params as TS>::name(config),
                result: <$result as TS>::name(config),
            }),*]
        }
    };
}

commands! {
    /// Decisions that wait and decisions made.
    "inbox.list" (Nothing) = inbox -> InboxView;
    /// Who decided what: the decisions of some days, of somebody, of a workflow, or all that were made for real, latest first.
    "decisions.list" (DecisionsOf) = decisions -> DecisionsView;
    /// By whom and in which workflows something was decided.
    "decisions.by" (Nothing) = sync decisions_by -> DecisionsByView;
    /// Writes all decisions that fit as a table.
    "decisions.save" (DecisionsOf) = save_decisions -> SavedView;
    /// Everything needed to decide one gate.
    "gate.brief" (GateOf) = gate_brief -> GateBrief;
    /// Answers a gate; the answer is signed.
    "gate.answer" (AnswerOf) = answer -> GateBrief;
    /// What supports what was made: of all runs, or of one.
    "evidence.list" (EvidenceOf) = evidence_list -> EvidenceList;
    /// Writes evidence as a table.
    "evidence.save" (SaveEvidence) = save_evidence -> SavedView;
    /// Raises a record of evidence by one level.
    "evidence.promote" (PromoteOf) = promote -> EvidenceList;
    /// All workflows of the project.
    "library.list" (Nothing) = library -> LibraryView;
    /// One workflow.
    "workflow.open" (OpenOf) = open_workflow -> WorkflowView;
    /// A workflow's own text, rendered, where it is a document.
    "workflow.document" (PathOf) = document_prose -> DocumentView;
    /// Changes a workflow by gestures: one entry of its journal, one undo.
    "workflow.edit" (EditOf) = edit_workflow -> EditOutcome;
    /// Writes what was typed in a workflow's source, through the same journal.
    "workflow.write" (WriteOf) = write_workflow -> EditOutcome;
    /// What gestures, or a text that is being typed, would make of a workflow. Nothing is written.
    "workflow.preview" (PreviewOf) = preview_workflow -> PreviewView;
    /// What can be written where the cursor stands in a workflow's source. Nothing is written.
    "workflow.complete" (CompleteOf) = completions -> CompletionsView;
    /// The text of steps, to be pasted elsewhere.
    "workflow.copied" (StepsOf) = copied_steps -> CopiedView;
    /// A text from elsewhere as the steps that it holds, to be pasted one by one.
    "workflow.parts" (TextOf) = pasted_parts -> PartsView;
    /// What a problem's code means and how such a problem is mended.
    "problem.explain" (CodeOf) = sync explain_problem -> ProblemPage;
    /// What can be filled in of a step, or of the workflow itself.
    "workflow.form" (FormOf) = workflow_form -> FormView;
    /// Which gates stand before a step, and whether a way leads there past all of them.
    "workflow.gates_before" (StepOf) = gates_before -> GatesBeforeView;
    /// The kinds of step that can be added to a workflow, and which gestures mean something in it.
    "workflow.palette" (PathOf) = workflow_palette -> PaletteView;
    /// What a line that is drawn from one step to another can mean. Nothing is written.
    "workflow.drawn" (DrawnOf) = drawn_line -> DrawnView;
    /// What a new workflow can be.
    "workflow.new" (Nothing) = new_workflows -> NewFilesView;
    /// The picture of a workflow that is not created: what `workflow.create` would make. Nothing is written.
    "workflow.sketch" (CreateOf) = sketch_workflow -> NewTemplateView;
    /// Creates a workflow's file, never over another one.
    "workflow.create" (CreateOf) = create_workflow -> PlacedView;
    /// Creates a copy beside a workflow, with its scenarios.
    "workflow.duplicate" (RenameOf) = duplicate_workflow -> PlacedView;
    /// Gives a workflow another title and its file the name of it; scenarios and journal go along.
    "workflow.rename" (RenameOf) = rename_workflow -> PlacedView;
    /// Puts a workflow into another folder; scenarios and journal go along.
    "workflow.move" (MoveOf) = move_workflow -> PlacedView;
    /// Deletes a workflow's file; undo brings it back.
    "workflow.remove" (PathOf) = remove_workflow -> PlacedView;
    /// What can be brought back at a path where no file is.
    "workflow.removed" (PathOf) = removed -> RemovedView;
    /// A scenario beside a workflow as a table.
    "scenario.table" (ScenarioOf) = scenario_table -> ScenarioTable;
    /// Changes values of a scenario.
    "scenario.edit" (ScenarioEditOf) = edit_scenario -> ScenarioTable;
    /// Creates an empty scenario beside a workflow, never over another file.
    "scenario.create" (RenameOf) = create_scenario -> PlacedView;
    /// Makes a scenario of what a run did, beside its workflow.
    "scenario.record" (RecordOf) = record_scenario -> KeptView;
    /// Deletes a scenario; `workflow.undo` with its path brings it back.
    "scenario.remove" (ScenarioOf) = remove_scenario -> PlacedView;
    /// The versions of a workflow's file that are known here.
    "workflow.versions" (PathOf) = versions -> VersionsView;
    /// What tells two versions of a workflow's file apart.
    "workflow.compare" (CompareOf) = compare_versions -> CompareView;
    /// Makes a workflow's file what it was; undo takes that back too.
    "workflow.restore" (RestoreOf) = restore_version -> EditOutcome;
    /// Takes back the last change made here.
    "workflow.undo" (UndoOf) = undo -> EditOutcome;
    /// Does it again.
    "workflow.redo" (UndoOf) = redo -> EditOutcome;
    /// Which place stands on a line, for selecting from the source.
    "workflow.place" (LineOf) = place_at -> Place;
    /// A workflow's scenarios, tried in memory: verdicts, coverage, what the next one would add.
    "workflow.tests" (PathOf) = tests -> TestsView;
    /// A session: of a file, or of a run as of an event.
    "session.open" (SessionOf) = open_session -> SessionView;
    /// Takes a session in as a run to look at.
    "session.import" (SessionOf) = import_session -> Started;
    /// How a workflow's steps stand by what an imported session says.
    "session.taking_over" (TakeOverOf) = taking_over -> TakeOverView;
    /// Starts a run that goes on from an imported session with its workflow.
    "session.take_over" (TakeOverOf) = start_taking_over -> Started;
    /// What pipelines can be made of.
    "pipeline.templates" (Nothing) = sync pipeline_templates -> TemplatesView;
    /// What a pipeline would be, drawn, before it is created.
    "pipeline.draft" (PipelineDraft) = pipeline_draft -> DraftView;
    /// Creates a pipeline's file.
    "pipeline.create" (PipelineDraft) = sync pipeline_create -> PipelineCreated;
    /// The project's pipelines, latest first.
    "pipeline.list" (Nothing) = sync pipeline_list -> PipelinesView;
    /// Where a pipeline stands.
    "pipeline.status" (PipelineOf) = sync pipeline_status -> PipelineView;
    /// What a start would do.
    "run.brief" (BriefOf) = start_brief -> StartBrief;
    /// Starts a run.
    "run.start" (StartOf) = start_run -> Started;
    /// A run as of an event.
    "run.view" (RunLook) = look_at_run -> RunView;
    /// The picture of a run, without anything that happened.
    "run.drawing" (RunLook) = run_drawing -> RunDrawing;
    /// What happened on the picture of a run, as of an event; of its steps and edges what changed since another.
    "run.overlay" (OverlayOf) = run_overlay -> RunOverlay;
    /// The decisions of a run, with their reasons.
    "run.routes" (RoutesOf) = run_routes -> RoutesView;
    /// What it means to take up a run that has ended, at a step: what runs again and what stays.
    "run.taken_up" (TakeUpOf) = taken_up -> ResumeView;
    /// Starts a run that goes on from one that has ended, with the file as it is now.
    "run.go_on_mended" (TakeUpOf) = start_mended -> Started;
    /// The moments of a run that one can go back to.
    "run.checkpoints" (RunAt) = checkpoints -> CheckpointsView;
    /// Names the moment at which a run stands.
    "run.checkpoint" (CheckpointOf) = make_checkpoint -> CheckpointsView;
    /// What it means to go back to a checkpoint.
    "run.going_back" (BackTo) = going_back -> GoBackView;
    /// Starts a run that goes back to a checkpoint of another.
    "run.go_back" (GoBackTo) = start_back -> Started;
    /// The text of the version a run keeps, rendered, where it is a document.
    "run.document" (RunAt) = run_prose -> DocumentView;
    /// One step of a run as of an event.
    "run.step" (StepAt) = step_detail -> StepDetail;
    /// A file that a run made or a step of it reads, ready to be shown.
    "run.file" (FileOf) = file_of_run -> ArtifactView;
    /// What such a file holds, where it is a PDF document or a picture, for the page that draws it.
    "run.file.bytes" (FileOf) = bytes_of_run -> FileBytes;
    /// Writes a copy of such a file, in the version that is meant.
    "run.file.save" (SaveFile) = save_file_of_run -> SavedView;
    /// A run over time.
    "run.timeline" (TimelineAfter) = timeline -> TimelineView;
    /// A run's log for people.
    "run.log" (LogAfter) = log -> LogView;
    /// The terminals of a run's steps into which a person can type here.
    "run.terminals" (RunAt) = terminals -> TerminalsView;
    /// Types into one of them; it is kept nowhere.
    "run.type" (TypeOf) = type_into -> TerminalsView;
    /// Two runs beside each other: what each did, and where they part.
    "run.compare" (TwoRuns) = compare_runs -> RunsComparedView;
    /// A file as the second of two runs made it, with what changed beside the first.
    "run.compare_files" (TwoFiles) = compare_files -> ArtifactView;
    /// Pauses, resumes, ends or takes up a run, also a pipeline's after its end.
    "run.act" (ActOn) = act -> RunView;
    /// The runs of some days and of somebody, or all of them, latest first.
    "runs.list" (RunsOf) = runs -> RunsView;
    /// Who started runs or answered in them.
    "runs.people" (Nothing) = sync people_of_runs -> RunPeopleView;
    /// The runs that are there and missing from that list.
    "runs.unlisted" (Nothing) = sync unlisted_runs -> UnlistedView;
    /// The runs that fit some words, latest first.
    "runs.find" (FindRuns) = find_runs -> RunsView;
    /// The report of a run.
    "report.view" (RunAt) = report -> ReportView;
    /// Writes the report of a run.
    "report.save" (SaveReport) = save_report -> SavedView;
    /// Hands a run over: writes its report and its record into one file.
    "bundle.save" (SaveReport) = save_bundle -> SavedView;
    /// What handing a run over would put into that file.
    "bundle.contents" (RunAt) = sync bundle_contents -> BundleContents;
    /// The ZIP files of the project that can be checked.
    "bundle.list" (Nothing) = sync bundle_list -> BundleList;
    /// Checks what somebody handed over.
    "bundle.check" (BundleAt) = check_bundle -> BundleView;
    /// Unpacks it into a new folder, to be looked at.
    "bundle.unpack" (UnpackBundle) = unpack_bundle -> UnpackedView;
    /// Verifies a run: chain, blobs, files, signatures.
    "run.verify" (RunAt) = sync verify -> VerifyView;
    /// Settings of person and project.
    "settings.get" (Nothing) = settings -> SettingsView;
    /// Changes them.
    "settings.set" (SettingsChange) = change_settings -> SettingsView;
    /// What holds for everything that the project does, as a form.
    "context.get" (Nothing) = context -> SettingsForm;
    /// Writes what was filled in.
    "context.set" (FormChange) = change_context -> SettingsForm;
    /// Who does the work of the project's agents, as a form.
    "agents.get" (Nothing) = agents -> AgentsView;
    /// Writes who does the work of one agent.
    "agents.set" (AgentChange) = change_agent -> AgentsView;
    /// What texts must not hold, as a form.
    "guardrails.get" (Nothing) = guardrails -> GuardrailsView;
    /// Writes what was filled in.
    "guardrails.set" (GuardrailsChange) = change_guardrails -> GuardrailsView;
    /// What the rules would find in a text. Nothing of it is kept.
    "guardrails.try" (TextToTry) = try_text -> TriedText;
    /// What steps may do, as a form.
    "permissions.get" (Nothing) = permissions -> PermissionsView;
    /// Writes what was filled in, and adds or takes out a rule.
    "permissions.set" (PermissionsChange) = change_permissions -> PermissionsView;
    /// What the rules would say to a step that runs a command. Nothing is run.
    "permissions.try" (CommandToTry) = try_command -> TriedCommand;
    /// Which gates stop a run besides the required ones, as a form.
    "gates.get" (Nothing) = gate_policy -> GatePolicyView;
    /// Writes what was filled in.
    "gates.set" (FormChange) = change_gate_policy -> GatePolicyView;
    /// Takes back a permission that was given for all later runs.
    "settings.revoke" (RevokeOf) = revoke -> SettingsView;
    /// Who decided with which key, and what is known of them.
    "people.list" (Nothing) = sync people -> PeopleView;
    /// Keeps that a key was compared with whom it belongs to.
    "people.confirm" (ConfirmKey) = confirm_key -> PeopleView;
    /// Keeps that what a key signs counts no more.
    "people.revoke" (RevokeKey) = revoke_key -> PeopleView;
    /// Lets the project's programs run, or takes it back.
    "project.trust" (TrustOf) = sync trust -> SettingsView;
}

impl Studio {
    /// Carries out one command of the list by name, see [`dispatch`], and reads the answer.
    ///
    /// # Errors
    /// Whatever the command refuses.
    pub async fn rpc(&self, method: &str, params: Value) -> Result<Value, ApiError> {
        let shown = dispatch(self, method, params).await?;
        serde_json::from_str(shown.get()).map_err(|e| ApiError::new("internal", e.to_string()))
    }
}

/// A view as it is sent. Wherever what it shows came from: nothing that a window shows may look like something else.
fn shown(view: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
    let text = serde_json::to_string(view)?;
    if !text.contains(safe::deceives) {
        return RawValue::from_string(text);
    }
    let mut view: Value = serde_json::from_str(&text)?;
    safe::honest_in(&mut view);
    serde_json::value::to_raw_value(&view)
}

/// The list as a TypeScript module: `Commands` maps a name to its parameters and its result.
pub fn typescript(config: &ts_rs::Config) -> String {
    use std::collections::BTreeSet;
    let entries = table(config);
    let names: BTreeSet<String> = entries
        .iter()
        .flat_map(|e| [e.params.clone(), e.result.clone()])
        .collect();
    let (model, studio): (Vec<_>, Vec<_>) = names.into_iter().partition(|n| n == "Place");
    let mut out =
        String::from("// Generated from the command list in studio/src/command.rs by `npm run gen`. Do not edit.\n\n");
    out.push_str(&format!("import type {{ {} }} from './model.gen';\n", model.join(", ")));
    out.push_str(&format!(
        "import type {{\n  {},\n}} from './studio.gen';\n\n",
        studio.join(",\n  ")
    ));
    out.push_str("/** Every command: its parameters and its result. */\nexport interface Commands {\n");
    for e in entries {
        out.push_str(&format!(
            "  /** {} */\n  '{}': {{ params: {}; result: {} }};\n",
            e.doc, e.name, e.params, e.result
        ));
    }
    out.push_str("}\n");
    out
}

/// Writes all bindings into a folder.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_bindings(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let config = ts_rs::Config::new().with_out_dir(folder).with_large_int("number");
    export(&config)?;
    std::fs::write(folder.join("commands.gen.ts"), typescript(&config))?;
    Ok(())
}
