//! The Inbox and the decision brief.

use crate::evidence::view::{EvidenceView, RaisedView, SupportView};
use crate::gate::decision_view::{AskFor, DecisionView, MaterialView, RoundView};
use crate::run::lifecycle_view::{CheckView, GuardrailView, ToolCallView};
use crate::view::{FieldView, Refused, Status, StepRef};
use engine::Answer;
use model::Risk;
use serde::Serialize;
use std::sync::Arc;
use ts_rs::TS;

/// What waits for a person and what was decided lately.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct InboxView {
    /// Oldest first.
    pub waiting: Vec<Arc<GateCard>>,
    /// Runs whose questions or answers are missing from these lists, because their record cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unread: Vec<UnreadRun>,
    /// The latest fifty, latest first; `decisions.list` has all of them.
    pub decided: Vec<DecidedCard>,
    /// What to begin with, while nothing has happened in this project.
    pub first_try: Option<FirstTryView>,
}

/// A run whose record cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnreadRun {
    /// Which run.
    pub run_id: String,
    /// What is missing and why, in sentences.
    pub words: String,
}

/// A decision to begin with, in a project where nothing has happened yet: a rehearsal that leads to a person.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FirstTryView {
    /// Path of the workflow.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Path of the scenario that leads it to the decision.
    pub scenario: String,
}

/// One decision that waits.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateCard {
    /// Which run.
    pub run_id: String,
    /// Which gate.
    pub gate: String,
    /// Which round.
    pub round: u32,
    /// What the answer is for.
    pub purpose: AskFor,
    /// Of an outcome: it is a question of a runbook, answered YES or NO, and nothing is to be carried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_question: bool,
    /// The question.
    pub question: String,
    /// Title of the workflow.
    pub workflow_title: String,
    /// What the run is about; absent: nothing says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// The step it belongs to.
    pub step: StepRef,
    /// Which instance of a dynamic step, `2 · 4`; absent: there is only one.
    pub instance: Option<String>,
    /// Since when.
    pub waiting_since: i64,
    /// By when an answer is wanted, milliseconds since 1970; absent: the project did not say. Nothing follows when it has passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wanted_by: Option<i64>,
    /// Whom the author wants to ask; empty: anyone.
    pub asks: Vec<String>,
    /// For which role, in words: `legal or finance`; absent: anyone may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub role: Option<String>,
    /// It asks the person at this window: by name, for a role that they answer for, or anyone; and four eyes do not keep them from letting
    /// the run go on.
    pub mine: bool,
    /// It waits for them: it asks them, or whoever answers for some role while they have not said for which ones they do.
    pub own: bool,
    /// Four eyes: it takes somebody else than the person at this window to let the run go on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub another: bool,
    /// Who started the run.
    pub started_by: String,
    /// The run is a rehearsal: nothing of it happens for real.
    pub rehearsal: bool,
    /// In the Inbox: that other runs go on from this one, a sentence for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub gone_on_from: Vec<String>,
}

/// One decision that was made.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecidedCard {
    /// Which run.
    pub run_id: String,
    /// Which gate.
    pub gate: String,
    /// Which round.
    pub round: u32,
    /// What the answer was for.
    pub purpose: AskFor,
    /// Of an outcome: it is a question of a runbook, answered YES or NO, and nothing was to be carried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_question: bool,
    /// The question.
    pub question: String,
    /// Title of the workflow.
    pub workflow_title: String,
    /// What the run is about; absent: nothing says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// For which role it was asked; absent: anyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub role: Option<String>,
    /// The step it belongs to.
    pub step: StepRef,
    /// Which instance of a dynamic step; absent: there is only one.
    pub instance: Option<String>,
    /// The answer.
    pub decision: RoundView,
    /// What is to be said of the answer besides who gave it and for which role, which stands beside it; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub besides: Option<String>,
    /// The run is a rehearsal: nothing of it happens for real.
    pub rehearsal: bool,
    /// Who gave it.
    pub given_by: GivenBy,
}

/// Who gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum GivenBy {
    /// A person.
    Person,
    /// A script, in the name that stands in it.
    Script,
    /// `--yes`, in the name of a person who has not looked.
    Yes,
}

/// Decisions that were made, as far as they fit what was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecisionsView {
    /// Latest first, as many as were asked for.
    pub decisions: Vec<DecidedCard>,
    /// How many fit in all.
    pub total: u32,
    /// How many that were made in rehearsals fit as well and are left out.
    pub rehearsals: u32,
    /// Runs whose decisions are missing from this list, because their record cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unread: Vec<UnreadRun>,
}

/// By what decisions can be looked for.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecisionsByView {
    /// Who decided something, by name; names that only a script gives are not among them.
    pub people: Vec<String>,
    /// Titles of the workflows in whose runs something was decided.
    pub workflows: Vec<String>,
}

/// Everything one needs to decide, on one screen.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateBrief {
    /// Which run.
    pub run_id: String,
    /// Status of the run.
    pub run_status: Status,
    /// The run is a rehearsal: nothing of it happens for real, and the answer is signed as one of a rehearsal.
    pub rehearsal: bool,
    /// Of a run that a scenario scripts: its name. What is shown is what the scenario says, whatever was answered at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub scripted: Option<String>,
    /// Which gate.
    pub gate: String,
    /// The round shown.
    pub round: u32,
    /// Title of the workflow.
    pub workflow_title: String,
    /// Its file.
    pub workflow_path: String,
    /// That file is not there any more, or never was where it is looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub source_gone: bool,
    /// What the run is about; absent: nothing says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// What was entered at the start, by the questions that asked for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub entered: Vec<FieldView>,
    /// The step it belongs to.
    pub step: StepRef,
    /// Which instance of a dynamic step, `2 · 4`; absent: there is only one.
    pub instance: Option<String>,
    /// How many steps the workflow has.
    pub steps_total: u32,
    /// What the answer is for.
    pub purpose: AskFor,
    /// Of an outcome: it is a question of a runbook, answered YES or NO, and nothing is to be carried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_question: bool,
    /// The question.
    pub question: String,
    /// Of an outcome: what the person is to do, the author's prose as sanitised HTML.
    pub instructions_html: Option<String>,
    /// Of a step that a person carries out: what they report of it when it went well, because it decides the way on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub reports: Vec<ReportChoice>,
    /// The command written in the step, as text: of an outcome it is not run, of a permission it is what would be run.
    pub command: Option<String>,
    /// Of a permission: what the step wants to do, in words.
    pub needs: Vec<String>,
    /// Why one is asked, in words.
    pub why: String,
    /// The policy's fixed reason.
    pub why_code: String,
    /// Since when it waits.
    pub waiting_since: i64,
    /// By when an answer is wanted, milliseconds since 1970; absent: the project did not say, or none can be given any more. Nothing follows when
    /// it has passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wanted_by: Option<i64>,
    /// Whom the author wants to ask.
    pub asks: Vec<String>,
    /// For which role, in words; absent: anyone may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub role: Option<String>,
    /// It asks somebody else than who would sign; false where it asks nobody in particular.
    pub asks_other: bool,
    /// The step begins only once this is answered: nothing of it is there to be looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub before_work: bool,
    /// What is to be said of who decides: that they have answered for another role in this run, or sign with another's key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub remarks: Vec<String>,
    /// What is to be said and warns of nothing: who answered for a role that is theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub notes: Vec<String>,
    /// What was decided in this run before this was asked, other rounds of this gate left out, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub earlier: Vec<DecisionView>,
    /// Files of earlier steps that are not shown here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub materials: Vec<MaterialView>,
    /// Of an outcome: what the steps before it said, since a person was last asked, oldest first.
    pub before: Vec<SaidView>,
    /// What the step's agent said, plain text.
    pub said: Option<String>,
    /// What it reported.
    pub report: Vec<FieldView>,
    /// What there is to look at.
    pub artifacts: Vec<ArtifactView>,
    /// Checks, validation, warnings.
    pub checks: Vec<CheckView>,
    /// The phase of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phase: Option<String>,
    /// Of a tool: the call that a person is asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<ToolAskView>,
    /// What the guardrails say of what is shown, and of what it was made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub guardrails: Vec<GuardrailView>,
    /// Tools that were called to make what is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub tools: Vec<ToolCallView>,
    /// How strong the evidence for what is shown is; absent: none was recorded or asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub support: Option<SupportView>,
    /// That evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub evidence: Vec<EvidenceView>,
    /// What the record of this decision says; absent: no record is made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub record: Option<DecisionRecord>,
    /// What each answer leads to.
    pub answers: Vec<AnswerPreview>,
    /// What has to be said before anything else of the way here: loops that ended although nobody was satisfied, with what was reported last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub missed: Vec<String>,
    /// Of a step that a person carries out again, and of a question that is asked again: who asked for it, in what words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub again: Option<String>,
    /// Changes were asked for and nothing of what is shown has changed: `You asked: “…”. Neither file has changed since round 1.`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unchanged: Option<String>,
    /// Nobody carries this run on, and an answer does not change that: why, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub left_open: Option<String>,
    /// The run ended with this answer: how, and whether it can be gone on with; absent: it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub came: Option<String>,
    /// Of an answer in a run inside another one that nobody carries on: that one, and that it stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub around: Option<RunAroundView>,
    /// All rounds, the shown one included, oldest first.
    pub rounds: Vec<RoundView>,
    /// Set when this round has been answered.
    pub answered: Option<RoundView>,
    /// Who signs.
    pub signer: Signer,
}

/// The run around the one that an answer was given in, which nobody carries on.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunAroundView {
    /// Run.
    pub run_id: String,
    /// Title of its workflow.
    pub title: String,
    /// How it stands, a sentence.
    pub words: String,
}

/// A tool call that a person is asked about.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ToolAskView {
    /// Which tool.
    pub name: String,
    /// What it risks.
    pub risk: Risk,
    /// Its arguments, for people; empty: none. Control characters are made visible.
    pub args: String,
    /// What an approval means, and what it does not.
    pub means: String,
}

/// What the record of a decision says beside question, evidence and sign-off (seed 000 "DRRs").
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecisionRecord {
    /// `<gate>:1`.
    pub id: String,
    /// What could be answered, with whether and how it can be taken back.
    pub options: Vec<OptionView>,
}

/// One way to decide.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OptionView {
    /// Which answer.
    pub answer: Answer,
    /// Of `choose`: which way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub way: Option<String>,
    /// What stands on its button.
    pub label: String,
    /// Whether it can be taken back, in words.
    pub reversibility: String,
}

/// What a step said.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SaidView {
    /// Which step.
    pub step: StepRef,
    /// done, failed.
    pub status: Status,
    /// Its words, the end of them; control characters are made visible.
    pub text: String,
    /// It said nothing, and this is its script.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_script: bool,
}

/// Who signs, with which key.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct Signer {
    /// Name; empty when not yet given.
    pub name: String,
    /// `7F3A…C2`.
    pub key_short: String,
}

/// A file a step made, ready to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ArtifactView {
    /// Relative path.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256.
    pub digest: String,
    /// How it is shown.
    pub kind: ArtifactKind,
    /// Sanitised HTML of the content (Markdown and Word documents drawn, with all that a drawing leaves out as text in its place; text escaped in
    /// `<pre>`); absent for what the page draws itself and for what cannot be shown.
    pub html: Option<String>,
    /// Of Markdown: the same as it is written, escaped in `<pre>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub written: Option<String>,
    /// Why it cannot be shown, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_shown: Option<String>,
    /// Why it is not shown, or not all of it, in few words beside its name: `larger than 1 MiB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_shown_short: Option<String>,
    /// What prints is not all shown: pictures or other parts of it are only named. An answer records it as named, not shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub partly: bool,
    /// What of it is not drawn in any case, or that it is not called what it is drawn as, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub remark: Option<String>,
    /// The version with which it is compared was named in its round, and not shown to whoever answered: what changed since then does not show the
    /// rest.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub unseen_before: bool,
    /// What changed since the last round that showed this file.
    pub changes: Option<ChangesView>,
    /// The earlier round that showed exactly this version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub same_since: Option<u32>,
    /// The file on disk is not what is shown here any more.
    pub differs_on_disk: bool,
    /// It was there before the run began and has not been written since: no work of the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub was_there: bool,
}

/// How an artifact is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum ArtifactKind {
    /// Rendered.
    Markdown,
    /// As is.
    Text,
    /// Drawn by the page, which asks for what it holds.
    Pdf,
    /// Drawn by the page, which asks for what it holds.
    Picture,
    /// A Word document, as its words.
    Word,
    /// Not shown.
    Binary,
}

/// What a file holds that a page draws itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FileBytes {
    /// What it is: `application/pdf`, `image/png`, `image/jpeg`, `image/gif`, `image/webp`.
    pub media: String,
    /// All of it, byte for byte, in Base64.
    pub base64: String,
}

/// A difference between two rounds.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ChangesView {
    /// `since round 1`.
    pub since: String,
    /// Sanitised HTML with `<ins>` and `<del>`.
    pub html: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

/// What an answer would do.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AnswerPreview {
    /// Which answer.
    pub answer: Answer,
    /// Of `choose`: which way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub way: Option<String>,
    /// What stands on its button: the author's word of an outcome (`YES`, `FAIL`), else `Approve`, `Allow` …
    pub label: String,
    /// Whether it may be given now.
    pub allowed: bool,
    /// Why not.
    pub refusal: Option<Refused>,
    /// Whether a comment is mandatory.
    pub needs_comment: bool,
    /// `“Write scenarios” runs next, then 2 more steps`.
    pub words: String,
    /// Steps that would run next at once or may follow, in order.
    pub runs: Vec<StepRef>,
    /// Steps that would then never run.
    pub never_runs: Vec<StepRef>,
    /// Evidence that would go up one level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub raises: Vec<RaisedView>,
    /// A rejection that is the last word: neither is the question asked again, nor can the run be taken up behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub for_good: bool,
    /// What the person is asked once more before this answer is signed: it says that a step is done whose files are not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confirm: Option<String>,
}

/// A value that a person reports of a step that they carried out.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ReportChoice {
    /// The field of the report.
    pub field: String,
    /// The values that are told apart; empty: any value.
    pub options: Vec<ReportOption>,
    /// It can be left open: whether there is such a value at all decides too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub optional: bool,
}

/// A value that can be reported, and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ReportOption {
    /// What is reported.
    #[ts(type = "unknown")]
    pub value: serde_json::Value,
    /// The value as a person reads it.
    pub label: String,
    /// What follows, in words.
    pub words: String,
    /// It stands for any value that is none of the others: the person says which one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub any_other: bool,
}
