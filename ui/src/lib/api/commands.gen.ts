// Generated from the command list in studio/src/command.rs by `npm run gen`. Do not edit.

import type { Place } from './model.gen';
import type {
  ActOn,
  AgentChange,
  AgentsView,
  AnswerOf,
  ArtifactView,
  BackTo,
  BriefOf,
  BundleAt,
  BundleContents,
  BundleList,
  BundleView,
  CheckpointOf,
  CheckpointsView,
  CodeOf,
  CommandToTry,
  CompareOf,
  CompareView,
  CompleteOf,
  CompletionsView,
  ConfirmKey,
  CopiedView,
  CreateOf,
  DecisionsByView,
  DecisionsOf,
  DecisionsView,
  DocumentView,
  DraftView,
  DrawnOf,
  DrawnView,
  EditOf,
  EditOutcome,
  EvidenceList,
  EvidenceOf,
  FileBytes,
  FileOf,
  FindRuns,
  FormChange,
  FormOf,
  FormView,
  GateBrief,
  GateOf,
  GatePolicyView,
  GatesBeforeView,
  GoBackTo,
  GoBackView,
  GuardrailsChange,
  GuardrailsView,
  InboxView,
  KeptView,
  LibraryView,
  LineOf,
  LogAfter,
  LogView,
  MoveOf,
  NewFilesView,
  NewTemplateView,
  Nothing,
  OpenOf,
  OverlayOf,
  PaletteView,
  PartsView,
  PathOf,
  PeopleView,
  PermissionsChange,
  PermissionsView,
  PipelineCreated,
  PipelineDraft,
  PipelineOf,
  PipelineView,
  PipelinesView,
  PlacedView,
  PreviewOf,
  PreviewView,
  ProblemPage,
  PromoteOf,
  RecordOf,
  RemovedView,
  RenameOf,
  ReportView,
  RestoreOf,
  ResumeView,
  RevokeKey,
  RevokeOf,
  RoutesOf,
  RoutesView,
  RunAt,
  RunDrawing,
  RunLook,
  RunOverlay,
  RunPeopleView,
  RunView,
  RunsComparedView,
  RunsOf,
  RunsView,
  SaveEvidence,
  SaveFile,
  SaveReport,
  SavedView,
  ScenarioEditOf,
  ScenarioOf,
  ScenarioTable,
  SessionOf,
  SessionView,
  SettingsChange,
  SettingsForm,
  SettingsView,
  StartBrief,
  StartOf,
  Started,
  StepAt,
  StepDetail,
  StepOf,
  StepsOf,
  TakeOverOf,
  TakeOverView,
  TakeUpOf,
  TemplatesView,
  TerminalsView,
  TestsView,
  TextOf,
  TextToTry,
  TimelineAfter,
  TimelineView,
  TriedCommand,
  TriedText,
  TrustOf,
  TwoFiles,
  TwoRuns,
  TypeOf,
  UndoOf,
  UnlistedView,
  UnpackBundle,
  UnpackedView,
  VerifyView,
  VersionsView,
  WorkflowView,
  WriteOf,
} from './studio.gen';

/** Every command: its parameters and its result. */
export interface Commands {
  /** Decisions that wait and decisions made. */
  'inbox.list': { params: Nothing; result: InboxView };
  /** Who decided what: the decisions of some days, of somebody, of a workflow, or all that were made for real, latest first. */
  'decisions.list': { params: DecisionsOf; result: DecisionsView };
  /** By whom and in which workflows something was decided. */
  'decisions.by': { params: Nothing; result: DecisionsByView };
  /** Writes all decisions that fit as a table. */
  'decisions.save': { params: DecisionsOf; result: SavedView };
  /** Everything needed to decide one gate. */
  'gate.brief': { params: GateOf; result: GateBrief };
  /** Answers a gate; the answer is signed. */
  'gate.answer': { params: AnswerOf; result: GateBrief };
  /** What supports what was made: of all runs, or of one. */
  'evidence.list': { params: EvidenceOf; result: EvidenceList };
  /** Writes evidence as a table. */
  'evidence.save': { params: SaveEvidence; result: SavedView };
  /** Raises a record of evidence by one level. */
  'evidence.promote': { params: PromoteOf; result: EvidenceList };
  /** All workflows of the project. */
  'library.list': { params: Nothing; result: LibraryView };
  /** One workflow. */
  'workflow.open': { params: OpenOf; result: WorkflowView };
  /** A workflow's own text, rendered, where it is a document. */
  'workflow.document': { params: PathOf; result: DocumentView };
  /** Changes a workflow by gestures: one entry of its journal, one undo. */
  'workflow.edit': { params: EditOf; result: EditOutcome };
  /** Writes what was typed in a workflow's source, through the same journal. */
  'workflow.write': { params: WriteOf; result: EditOutcome };
  /** What gestures, or a text that is being typed, would make of a workflow. Nothing is written. */
  'workflow.preview': { params: PreviewOf; result: PreviewView };
  /** What can be written where the cursor stands in a workflow's source. Nothing is written. */
  'workflow.complete': { params: CompleteOf; result: CompletionsView };
  /** The text of steps, to be pasted elsewhere. */
  'workflow.copied': { params: StepsOf; result: CopiedView };
  /** A text from elsewhere as the steps that it holds, to be pasted one by one. */
  'workflow.parts': { params: TextOf; result: PartsView };
  /** What a problem's code means and how such a problem is mended. */
  'problem.explain': { params: CodeOf; result: ProblemPage };
  /** What can be filled in of a step, or of the workflow itself. */
  'workflow.form': { params: FormOf; result: FormView };
  /** Which gates stand before a step, and whether a way leads there past all of them. */
  'workflow.gates_before': { params: StepOf; result: GatesBeforeView };
  /** The kinds of step that can be added to a workflow, and which gestures mean something in it. */
  'workflow.palette': { params: PathOf; result: PaletteView };
  /** What a line that is drawn from one step to another can mean. Nothing is written. */
  'workflow.drawn': { params: DrawnOf; result: DrawnView };
  /** What a new workflow can be. */
  'workflow.new': { params: Nothing; result: NewFilesView };
  /** The picture of a workflow that is not created: what `workflow.create` would make. Nothing is written. */
  'workflow.sketch': { params: CreateOf; result: NewTemplateView };
  /** Creates a workflow's file, never over another one. */
  'workflow.create': { params: CreateOf; result: PlacedView };
  /** Creates a copy beside a workflow, with its scenarios. */
  'workflow.duplicate': { params: RenameOf; result: PlacedView };
  /** Gives a workflow another title and its file the name of it; scenarios and journal go along. */
  'workflow.rename': { params: RenameOf; result: PlacedView };
  /** Puts a workflow into another folder; scenarios and journal go along. */
  'workflow.move': { params: MoveOf; result: PlacedView };
  /** Deletes a workflow's file; undo brings it back. */
  'workflow.remove': { params: PathOf; result: PlacedView };
  /** What can be brought back at a path where no file is. */
  'workflow.removed': { params: PathOf; result: RemovedView };
  /** A scenario beside a workflow as a table. */
  'scenario.table': { params: ScenarioOf; result: ScenarioTable };
  /** Changes values of a scenario. */
  'scenario.edit': { params: ScenarioEditOf; result: ScenarioTable };
  /** Creates an empty scenario beside a workflow, never over another file. */
  'scenario.create': { params: RenameOf; result: PlacedView };
  /** Makes a scenario of what a run did, beside its workflow. */
  'scenario.record': { params: RecordOf; result: KeptView };
  /** Deletes a scenario; `workflow.undo` with its path brings it back. */
  'scenario.remove': { params: ScenarioOf; result: PlacedView };
  /** The versions of a workflow's file that are known here. */
  'workflow.versions': { params: PathOf; result: VersionsView };
  /** What tells two versions of a workflow's file apart. */
  'workflow.compare': { params: CompareOf; result: CompareView };
  /** Makes a workflow's file what it was; undo takes that back too. */
  'workflow.restore': { params: RestoreOf; result: EditOutcome };
  /** Takes back the last change made here. */
  'workflow.undo': { params: UndoOf; result: EditOutcome };
  /** Does it again. */
  'workflow.redo': { params: UndoOf; result: EditOutcome };
  /** Which place stands on a line, for selecting from the source. */
  'workflow.place': { params: LineOf; result: Place };
  /** A workflow's scenarios, tried in memory: verdicts, coverage, what the next one would add. */
  'workflow.tests': { params: PathOf; result: TestsView };
  /** A session: of a file, or of a run as of an event. */
  'session.open': { params: SessionOf; result: SessionView };
  /** Takes a session in as a run to look at. */
  'session.import': { params: SessionOf; result: Started };
  /** How a workflow's steps stand by what an imported session says. */
  'session.taking_over': { params: TakeOverOf; result: TakeOverView };
  /** Starts a run that goes on from an imported session with its workflow. */
  'session.take_over': { params: TakeOverOf; result: Started };
  /** What pipelines can be made of. */
  'pipeline.templates': { params: Nothing; result: TemplatesView };
  /** What a pipeline would be, drawn, before it is created. */
  'pipeline.draft': { params: PipelineDraft; result: DraftView };
  /** Creates a pipeline's file. */
  'pipeline.create': { params: PipelineDraft; result: PipelineCreated };
  /** The project's pipelines, latest first. */
  'pipeline.list': { params: Nothing; result: PipelinesView };
  /** Where a pipeline stands. */
  'pipeline.status': { params: PipelineOf; result: PipelineView };
  /** What a start would do. */
  'run.brief': { params: BriefOf; result: StartBrief };
  /** Starts a run. */
  'run.start': { params: StartOf; result: Started };
  /** A run as of an event. */
  'run.view': { params: RunLook; result: RunView };
  /** The picture of a run, without anything that happened. */
  'run.drawing': { params: RunLook; result: RunDrawing };
  /** What happened on the picture of a run, as of an event; of its steps and edges what changed since another. */
  'run.overlay': { params: OverlayOf; result: RunOverlay };
  /** The decisions of a run, with their reasons. */
  'run.routes': { params: RoutesOf; result: RoutesView };
  /** What it means to take up a run that has ended, at a step: what runs again and what stays. */
  'run.taken_up': { params: TakeUpOf; result: ResumeView };
  /** Starts a run that goes on from one that has ended, with the file as it is now. */
  'run.go_on_mended': { params: TakeUpOf; result: Started };
  /** The moments of a run that one can go back to. */
  'run.checkpoints': { params: RunAt; result: CheckpointsView };
  /** Names the moment at which a run stands. */
  'run.checkpoint': { params: CheckpointOf; result: CheckpointsView };
  /** What it means to go back to a checkpoint. */
  'run.going_back': { params: BackTo; result: GoBackView };
  /** Starts a run that goes back to a checkpoint of another. */
  'run.go_back': { params: GoBackTo; result: Started };
  /** The text of the version a run keeps, rendered, where it is a document. */
  'run.document': { params: RunAt; result: DocumentView };
  /** One step of a run as of an event. */
  'run.step': { params: StepAt; result: StepDetail };
  /** A file that a run made or a step of it reads, ready to be shown. */
  'run.file': { params: FileOf; result: ArtifactView };
  /** What such a file holds, where it is a PDF document or a picture, for the page that draws it. */
  'run.file.bytes': { params: FileOf; result: FileBytes };
  /** Writes a copy of such a file, in the version that is meant. */
  'run.file.save': { params: SaveFile; result: SavedView };
  /** A run over time. */
  'run.timeline': { params: TimelineAfter; result: TimelineView };
  /** A run's log for people. */
  'run.log': { params: LogAfter; result: LogView };
  /** The terminals of a run's steps into which a person can type here. */
  'run.terminals': { params: RunAt; result: TerminalsView };
  /** Types into one of them; it is kept nowhere. */
  'run.type': { params: TypeOf; result: TerminalsView };
  /** Two runs beside each other: what each did, and where they part. */
  'run.compare': { params: TwoRuns; result: RunsComparedView };
  /** A file as the second of two runs made it, with what changed beside the first. */
  'run.compare_files': { params: TwoFiles; result: ArtifactView };
  /** Pauses, resumes, ends or takes up a run, also a pipeline's after its end. */
  'run.act': { params: ActOn; result: RunView };
  /** The runs of some days and of somebody, or all of them, latest first. */
  'runs.list': { params: RunsOf; result: RunsView };
  /** Who started runs or answered in them. */
  'runs.people': { params: Nothing; result: RunPeopleView };
  /** The runs that are there and missing from that list. */
  'runs.unlisted': { params: Nothing; result: UnlistedView };
  /** The runs that fit some words, latest first. */
  'runs.find': { params: FindRuns; result: RunsView };
  /** The report of a run. */
  'report.view': { params: RunAt; result: ReportView };
  /** Writes the report of a run. */
  'report.save': { params: SaveReport; result: SavedView };
  /** Hands a run over: writes its report and its record into one file. */
  'bundle.save': { params: SaveReport; result: SavedView };
  /** What handing a run over would put into that file. */
  'bundle.contents': { params: RunAt; result: BundleContents };
  /** The ZIP files of the project that can be checked. */
  'bundle.list': { params: Nothing; result: BundleList };
  /** Checks what somebody handed over. */
  'bundle.check': { params: BundleAt; result: BundleView };
  /** Unpacks it into a new folder, to be looked at. */
  'bundle.unpack': { params: UnpackBundle; result: UnpackedView };
  /** Verifies a run: chain, blobs, files, signatures. */
  'run.verify': { params: RunAt; result: VerifyView };
  /** Settings of person and project. */
  'settings.get': { params: Nothing; result: SettingsView };
  /** Changes them. */
  'settings.set': { params: SettingsChange; result: SettingsView };
  /** What holds for everything that the project does, as a form. */
  'context.get': { params: Nothing; result: SettingsForm };
  /** Writes what was filled in. */
  'context.set': { params: FormChange; result: SettingsForm };
  /** Who does the work of the project's agents, as a form. */
  'agents.get': { params: Nothing; result: AgentsView };
  /** Writes who does the work of one agent. */
  'agents.set': { params: AgentChange; result: AgentsView };
  /** What texts must not hold, as a form. */
  'guardrails.get': { params: Nothing; result: GuardrailsView };
  /** Writes what was filled in. */
  'guardrails.set': { params: GuardrailsChange; result: GuardrailsView };
  /** What the rules would find in a text. Nothing of it is kept. */
  'guardrails.try': { params: TextToTry; result: TriedText };
  /** What steps may do, as a form. */
  'permissions.get': { params: Nothing; result: PermissionsView };
  /** Writes what was filled in, and adds or takes out a rule. */
  'permissions.set': { params: PermissionsChange; result: PermissionsView };
  /** What the rules would say to a step that runs a command. Nothing is run. */
  'permissions.try': { params: CommandToTry; result: TriedCommand };
  /** Which gates stop a run besides the required ones, as a form. */
  'gates.get': { params: Nothing; result: GatePolicyView };
  /** Writes what was filled in. */
  'gates.set': { params: FormChange; result: GatePolicyView };
  /** Takes back a permission that was given for all later runs. */
  'settings.revoke': { params: RevokeOf; result: SettingsView };
  /** Who decided with which key, and what is known of them. */
  'people.list': { params: Nothing; result: PeopleView };
  /** Keeps that a key was compared with whom it belongs to. */
  'people.confirm': { params: ConfirmKey; result: PeopleView };
  /** Keeps that what a key signs counts no more. */
  'people.revoke': { params: RevokeKey; result: PeopleView };
  /** Lets the project's programs run, or takes it back. */
  'project.trust': { params: TrustOf; result: SettingsView };
}
