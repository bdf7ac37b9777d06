//! One workflow, open.

use crate::gate::decision_view::AskFor;
use crate::run::lifecycle_view::ToolPlan;
use crate::run::row_view::RunRowView;
use crate::view::{FieldView, StepRef};
use model::Format;
use model::diagnostic::Fix;
use model::layout::Drawing;
use model::{GateAt, GateRequirement, Place, Question, Severity};
use serde::Serialize;
use ts_rs::TS;

/// A workflow as text and graph.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct WorkflowView {
    /// Relative path.
    pub path: String,
    /// SHA-256 of the source: names the version an edit was made on.
    pub revision: String,
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// The same as sanitised HTML, where the author wrote Markdown.
    pub description_html: Option<String>,
    /// Format.
    pub format: Format,
    /// `Stepwise`.
    pub format_label: String,
    /// The text.
    pub source: String,
    /// `yaml`, `json`, `markdown`: for highlighting.
    pub language: String,
    /// Whether the file can be written.
    pub writable: bool,
    /// In document order.
    pub steps: Vec<StepView>,
    /// The picture.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// In document order.
    pub problems: Vec<ProblemView>,
    /// What it wants of everything it does: the sections of its `context` (seed 003 `global_context`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub context: Vec<FieldView>,
    /// How far what its steps report to earlier ones sends work back, and who decides then, where it says so itself (seed 003
    /// `feedback_loops`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub feedback: Option<String>,
    /// Top-level fields that Gatehouse does not interpret.
    pub fields: Vec<FieldView>,
    /// What undo would take back; absent: nothing.
    pub undo: Option<String>,
    /// Which change that is: `entry` of `workflow.undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub undo_entry: Option<String>,
    /// What redo would do again; absent: nothing.
    pub redo: Option<String>,
    /// Which change that is: `entry` of `workflow.redo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub redo_entry: Option<String>,
    /// Scenarios beside the file.
    pub scenarios: Vec<ScenarioView>,
    /// Its latest runs, at most 20.
    pub runs: Vec<RunRowView>,
    /// What is asked before a run begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub questions: Vec<Question>,
}

/// What a node of a drawing says.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FaceView {
    /// Step.
    pub step: StepRef,
    /// Position in document order.
    pub ordinal: u32,
    /// What is done.
    pub kind: WorkKind,
    /// The step around it.
    pub parent: Option<String>,
    /// A template that is instantiated at run time: drawn dashed, with `×N`.
    pub dynamic: bool,
    /// Reached by an explicit jump alone.
    pub jump_only: bool,
    /// Of a step of a detour: the name of the step that the detour leaves.
    pub detour_from: Option<String>,
    /// A container that is shown as one box; absent: no container.
    pub collapsed: Option<bool>,
    /// The small line: who does it, or what.
    pub sub: String,
    /// Who does it together, where there are several; else empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub agents: Vec<String>,
    /// Whether it has a gate that stops the run by the project's policy.
    pub gate: bool,
    /// Whether it loops back: the bound.
    pub loop_max: Option<u32>,
    /// Worst problem on it.
    pub problem: Option<Severity>,
    /// Its phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phase: Option<String>,
}

/// What a problem's code means.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProblemPage {
    /// `GH0104`.
    pub code: String,
    /// A few words.
    pub title: String,
    /// What it means, an example that fails, the same mended: sanitised HTML, without the title.
    pub html: String,
}

/// A workflow written as a document, rendered.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DocumentView {
    /// In the order of the text.
    pub sections: Vec<SectionView>,
    /// It is too long to be rendered.
    pub too_long: bool,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SectionView {
    /// The step it is about; absent: what stands before the first one.
    pub step: Option<StepRef>,
    /// Sanitised HTML.
    pub html: String,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum WorkKind {
    /// An agent does it.
    Agent,
    /// A command written in the workflow.
    Command,
    /// A person does it.
    Prompt,
    /// It holds other steps.
    Group,
    /// It runs other workflows.
    Runbooks,
}

/// A scenario file.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioView {
    /// Relative path: what `run.start` takes.
    pub path: String,
    /// Name.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// A step, with what can be changed.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepView {
    /// Position in document order.
    pub ordinal: u32,
    /// Step.
    pub step: StepRef,
    /// What is done.
    pub kind: WorkKind,
    /// The step around it.
    pub parent: Option<StepRef>,
    /// A template that is instantiated at run time.
    pub dynamic: bool,
    /// What it is for.
    pub intent: Option<String>,
    /// The same as sanitised HTML, where the author wrote Markdown.
    pub intent_html: Option<String>,
    /// The command written in it: language and script, control characters made visible.
    pub command: Option<CommandView>,
    /// Other workflows that it runs, as written.
    pub runbooks: Vec<String>,
    /// Who does it, with what.
    pub agents: Vec<AgentView>,
    /// What comes next, in words: one line each.
    pub next: Vec<String>,
    /// Where branches of a fork meet: which, and what is asked of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub meets: Vec<String>,
    /// Of a step that is not always done: what decides whether it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub whether: Option<String>,
    /// Gate, if any.
    pub gate: Option<GateView>,
    /// Loop, if any.
    #[serde(rename = "loop")]
    pub loop_: Option<LoopView>,
    /// What it reads.
    pub inputs: Vec<String>,
    /// What it makes.
    pub outputs: Vec<String>,
    /// Ids of the steps that must be completed first, as the file lists them: unknown ones and repetitions too. The place of one
    /// is `depends_on` and its position here.
    pub depends_on: Vec<String>,
    /// Fields that Gatehouse does not interpret.
    pub fields: Vec<FieldView>,
    /// Where it stands in the source.
    pub lines: Option<LinesView>,
    /// Its phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phase: Option<String>,
    /// Tool calls that it makes before the work, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub tools: Vec<ToolPlan>,
    /// How what it makes is checked, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub validation: Option<String>,
    /// The evidence it must give, in words: `confirmed by a person (L2)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub evidence: Option<String>,
    /// Templates that what it makes is held against.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub templates: Vec<String>,
    /// Structured inputs beside files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub parameters: Vec<FieldView>,
    /// How often it is tried again, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retries: Option<String>,
    /// Who takes it over when it has failed for good, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub escalates: Option<String>,
    /// A rehearsal can begin here, in the middle of the workflow.
    pub middle: bool,
}

/// A command written in a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CommandView {
    /// `bash`, `sh`.
    pub language: String,
    /// As written; control characters are made visible.
    pub script: String,
}

/// An agent and its engine.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentView {
    /// Name.
    pub name: String,
    /// `stub`, `shell`, `command`.
    pub engine: String,
    /// The program, for people; empty for the stub.
    pub command: String,
}

/// A gate as written.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateView {
    /// As written.
    pub requirement: GateRequirement,
    /// Before or after.
    pub at: GateAt,
    /// The question.
    pub question: String,
    /// Whom.
    pub asks: Vec<String>,
    /// Whether it stops the run by the project's policy.
    pub blocks: bool,
    /// In words.
    pub words: String,
    /// What the project's policy says of it, with what decided.
    pub policy: String,
    /// The policy's fixed reason.
    pub policy_code: String,
}

/// A loop as written.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LoopView {
    /// Where it goes back to.
    pub target: Option<StepRef>,
    /// The bound.
    pub max: u32,
    /// In words: when it ends.
    pub words: String,
}

/// Lines of the source, 1-based, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LinesView {
    /// First.
    pub first: u32,
    /// Last.
    pub last: u32,
}

/// A problem with its place in the source.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProblemView {
    /// `GH0001`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// It keeps the text from being read as a workflow to its end: of its steps nothing is known then, or not all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub breaks_off: bool,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// 1-based.
    pub end_line: u32,
    /// 1-based, exclusive.
    pub end_column: u32,
    /// Where it stands in a file behind the workflow's own, whose text is shown below that one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub elsewhere: Option<ElsewhereView>,
    /// The step it stands on.
    pub step: Option<StepRef>,
    /// The field of the form that it stands at, as a person reads it there; absent: no form has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub field: Option<String>,
    /// Where it stands in that form: at a field's `place` or inside of it, as at the `when_place` of one of its ways. Absent: no form has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub at: Option<Place>,
    /// A change that mends it.
    pub fix: Option<Fix>,
}

/// A place in a file that belongs to a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ElsewhereView {
    /// Its path, from the project's folder.
    pub file: String,
    /// 1-based, in that file.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// A path at which no file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RemovedView {
    /// `entry` of the `workflow.undo` that brings back what was deleted here; absent: nothing was deleted here, or a file is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub undo_entry: Option<String>,
}

/// What came of an edit, an undo or a redo.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum EditOutcome {
    /// Written. `merged`: another program had changed the file meanwhile and both changes are in it now.
    Saved {
        /// The workflow now.
        view: Box<WorkflowView>,
        /// Both changes are in.
        merged: bool,
        /// There was nothing to write: the file said so already, or what is on disk held everywhere.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<_>")]
        unchanged: bool,
        /// What is to be said of it, in sentences: what does not follow in the scenarios beside it, and between which steps a new one came to
        /// stand.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<_>")]
        left: Vec<String>,
    },
    /// Another program changed the same lines; nothing was written. Ask which of the two holds.
    Conflict {
        /// What happened, in words.
        message: String,
        /// The lines as this edit would leave them.
        mine: String,
        /// The lines on disk.
        theirs: String,
        /// The same taken apart by the steps that it is about, in the order of the file: of each can be said alone which side holds (see
        /// [`crate::command::KeepOf`]). Never empty.
        parts: Vec<ConflictPart>,
        /// The version of the file that the change was made on: what is on disk has changed since.
        base: String,
        /// Which change it is; goes back with the answer.
        change: String,
        /// The workflow as it is on disk.
        view: Box<WorkflowView>,
    },
}

/// What hangs together of a conflict.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ConflictPart {
    /// The steps that it is about, as they were before both changes; empty: none of those.
    pub steps: Vec<StepRef>,
    /// The lines as this edit would leave them; empty: it takes them out.
    pub mine: String,
    /// The lines on disk; empty: they are not there any more.
    pub theirs: String,
}

/// What will happen when a workflow is started, before it is.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StartBrief {
    /// Relative path.
    pub path: String,
    /// Title.
    pub title: String,
    /// Errors that forbid a start.
    pub errors: Vec<ProblemView>,
    /// The person trusts whoever made the project: else it is rehearsed and does not start for real.
    pub trusted: bool,
    /// Something of it may start programs, which write what no workflow names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub starts_programs: bool,
    /// What of the rules reading scripts alone keeps, on this machine, as a sentence; absent: the kernel holds all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub only_read: Option<String>,
    /// That whoever starts it for real approves nothing in it, as a sentence; absent: they may, or nobody is asked to approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub four_eyes: Option<String>,
    /// That runs of it are under way which make the same files, as a sentence; absent: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub under_way: Option<String>,
    /// Why a rehearsal is offered first; absent: it is started for real.
    pub rehearse_first: Option<String>,
    /// Agents that nobody is bound to: while there are any it does not start for real.
    pub unbound: Vec<UnboundView>,
    /// Who works, with what, when it is for real.
    pub agents: Vec<AgentPlan>,
    /// Who is asked when, in the workflows inside of it too.
    pub asks: Vec<AskPlan>,
    /// What a rehearsal makes of the workflows inside of it; absent: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub inside: Option<InsideRehearsed>,
    /// What a rehearsal without a scenario cannot pass, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unmet: Vec<String>,
    /// Files the steps say they will write.
    pub writes: Vec<String>,
    /// Files that only steps of the workflows inside of it say they will write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub writes_inside: Vec<WritesInside>,
    /// What the commands written in the workflow, and in those it runs, may use, by step; empty: none is written in it.
    pub uses: Vec<StepUses>,
    /// Other workflows that it runs, and those that they run.
    pub runbooks: Vec<RunbookPlan>,
    /// A person can be asked for every step instead of running it (runbooks).
    pub can_prompt: bool,
    /// Scenarios one may choose; empty: none.
    pub scenarios: Vec<ScenarioView>,
    /// The flows that the run would go through, where it is several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub flows: Vec<FlowPlan>,
    /// What is asked before it begins: the answers are the run's inputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub questions: Vec<Question>,
    /// Tools that the steps call, by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub tools: Vec<StepTools>,
    /// Programs that are started beside agents and tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub programs: Vec<ProgramPlan>,
    /// What was entered in the run that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub earlier: Option<EarlierStart>,
}

/// What was entered when an earlier run was started.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EarlierStart {
    /// Answers to what the workflow still asks, by the names of the questions.
    #[ts(type = "Record<string, unknown>")]
    pub answers: model::Fields,
    /// What it was about, where somebody has written that: what an answer says follows from the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// It was a rehearsal.
    pub rehearsal: bool,
}

/// A flow that a start would go through.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FlowPlan {
    /// Its key.
    pub key: String,
    /// What a person reads.
    pub title: String,
    /// Its file.
    pub file: String,
    /// It is no part of the order: another flow leads to it.
    pub beside: bool,
    /// Its steps.
    pub steps: Vec<StepRef>,
}

/// A program that a run starts beside its agents and tools.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProgramPlan {
    /// Its command line.
    pub command: String,
    /// What it is for.
    pub words: String,
    /// The steps that start it.
    pub steps: Vec<StepRef>,
    /// Those of the workflows inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub inside: Vec<StepsInside>,
}

/// Steps of a workflow that lies inside of the one that is started.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepsInside {
    /// Its relative path.
    pub path: String,
    /// The steps; empty: it is for all of that workflow.
    pub steps: Vec<StepRef>,
}

/// Files that a workflow which lies inside of the one that is started will write.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct WritesInside {
    /// Its relative path.
    pub path: String,
    /// Those that no workflow names before it.
    pub files: Vec<String>,
}

/// The tools that a step calls.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepTools {
    /// Relative path of the workflow that the step stands in; absent: of the one that is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub of: Option<String>,
    /// The step.
    pub step: StepRef,
    /// In the order called.
    pub tools: Vec<ToolPlan>,
}

/// What a step's command may use, as far as its text tells.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepUses {
    /// Relative path of the workflow that the step stands in; absent: of the one that is started.
    pub of: Option<String>,
    /// The step.
    pub step: StepRef,
    /// Its command.
    pub command: CommandView,
    /// What it uses, in the order of the script; what is refused and asked for first.
    pub needs: Vec<UseView>,
}

/// One thing that a command may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UseView {
    /// In words: "run `npm publish`", "use the variable `CI`".
    pub words: String,
    /// What the project's rules say to it.
    pub verdict: UseVerdict,
    /// Of something refused: the rule that refuses it.
    pub by: Option<String>,
}

/// What the project's rules say to what a command uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum UseVerdict {
    /// It is let through.
    Allowed,
    /// A person is asked first.
    Asks,
    /// It is refused: the step is not run.
    Refused,
}

/// A workflow that a step runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunbookPlan {
    /// Relative path of the workflow that the step stands in; absent: of the one that is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub of: Option<String>,
    /// The step.
    pub step: StepRef,
    /// As written.
    pub file: String,
    /// Relative path; absent: it cannot be found.
    pub path: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Why it cannot be run.
    pub problem: Option<String>,
}

/// An agent's part in a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentPlan {
    /// Agent and engine.
    pub agent: AgentView,
    /// Its steps.
    pub steps: Vec<StepRef>,
    /// Its steps in the workflows inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub inside: Vec<StepsInside>,
    /// What it does, in words: `runs the command …`, `a person, who is asked how it went`.
    pub words: String,
}

/// A question a run may ask.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AskPlan {
    /// At which step.
    pub step: StepRef,
    /// The question.
    pub question: String,
    /// Whom: `anna, bob or legal`; absent: anyone.
    pub asks: Option<String>,
    /// What the answer is for.
    pub purpose: AskFor,
    /// Of an outcome: it is a question of a runbook, answered YES or NO, and nothing is to be carried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_question: bool,
    /// Before or after.
    pub at: GateAt,
    /// Only when it is for real: a rehearsal simulates the step.
    pub only_real: bool,
    /// The workflow inside of this one that asks: neither with a scenario nor where a person is asked for every step instead; absent:
    /// this one itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub inside: Option<AskInside>,
}

/// A workflow that steps of another one run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AskInside {
    /// Relative path.
    pub path: String,
    /// Title.
    pub title: String,
    /// The steps that run it.
    pub by: Vec<StepRef>,
}

/// What a rehearsal makes of the workflows inside of a workflow, as sentences.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct InsideRehearsed {
    /// With a scenario.
    pub scripted: String,
    /// Without one.
    pub unscripted: String,
}

/// An agent that nobody is bound to.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnboundView {
    /// Its name; absent: the steps name none.
    pub agent: Option<String>,
    /// Its steps.
    pub steps: Vec<StepRef>,
    /// What a start calls these steps when it gives them to somebody (`assigned`); empty: they cannot be given to anybody.
    pub places: Vec<String>,
    /// Those of these places at which several agents work: a person does it in the place of all of them, and one answer counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub shared: Vec<String>,
    /// Of a workflow inside this one: its path.
    pub inside: Option<String>,
    /// It does no step: it is to decide about feedback, and is no person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub decides: bool,
    /// It does these steps only once they have failed for good: somebody else does them first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub takes_over: bool,
}
