//! What happened around the work of an attempt, in words: tools, guardrails, validation, context (seed 000 "Execution lifecycle").

use crate::gate::people::listed;
use crate::gate::rounds;
use crate::run::instances::Times;
use crate::run::lifecycle_view::{
    CheckView, ContextView, GuardFinding, GuardrailView, PassageView, ToolCallView, ValidationView,
};
use crate::text::safe;
use crate::view::{FieldView, Status};
use crate::words;
use engine::{
    Answer, Artifact, BroughtIn, CheckStatus, Digest, Event, GateRound, GuardAction, GuardStage, GuardStatus,
    GuardrailReport, Instance, Lifecycle, NotAsApproved, Purpose, RunState, StepResult, ToolRecord, ToolStatus, Unkept,
    Validation, ViolationKind, Visit,
};
use history::Events;
use model::{Step, Workflow};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most of what a tool answered that is shown, in characters.
const ANSWER_MOST: usize = 8_000;

/// So many digits of a digest tell one version of a file from another.
const SHORT: usize = 12;

/// The tool calls of an attempt at a visit, each as it stands now.
pub fn tools(state: &RunState, of: &Instance, calls: &[ToolRecord]) -> Vec<ToolCallView> {
    calls
        .iter()
        .map(|call| {
            let view = tool(call, asked(state, of, call), state.status.ended());
            match state.is_rehearsal() {
                true => rehearsed(view, call),
                false => view,
            }
        })
        .collect()
}

/// What is said of a call in a rehearsal, which calls nothing: what came of it is made up, or stands in the scenario.
fn rehearsed(view: ToolCallView, call: &ToolRecord) -> ToolCallView {
    let (status, words) = match call.status {
        ToolStatus::Completed if view.output.is_empty() => (Status::Skipped, "rehearsed: it was not called"),
        ToolStatus::Completed => (
            Status::Skipped,
            "rehearsed: it was not called; its answer stands in the scenario",
        ),
        ToolStatus::Failed => (Status::Failed, "rehearsed: the scenario has it fail"),
        ToolStatus::Skipped | ToolStatus::Blocked => return view,
    };
    ToolCallView {
        status,
        words: words.to_owned(),
        duration_ms: None,
        ..view
    }
}

/// The round in which a person was asked whether a call may be made.
fn asked<'s>(state: &'s RunState, of: &Instance, call: &ToolRecord) -> Option<&'s GateRound> {
    if !call.waits() {
        return None;
    }
    let is_it = |round: &&GateRound| match &round.opened.purpose {
        Purpose::Tool { ask } => {
            round.opened.instance == *of
                && ask.tool == call.name
                && ask.args == call.args
                && round.opened_at >= call.ended_at
        }
        _ => false,
    };
    let rounds = state.gates.values().flatten().filter(is_it);
    rounds.min_by_key(|round| round.opened_at)
}

/// A tool call that was made, or was not. `round`: where a person was asked for it; `over`: the run has ended.
fn tool(call: &ToolRecord, round: Option<&GateRound>, over: bool) -> ToolCallView {
    let answer = round
        .and_then(|round| round.answer.as_ref())
        .map(|(decision, _)| &**decision);
    // Whether it was allowed, and who said so, once nobody waits for that any more.
    let waited = match answer {
        Some(decision) if decision.answer == Answer::Approve => Some((
            Status::Skipped,
            format!(
                "waited for a person; {} allowed it after that",
                words::decider(decision)
            ),
        )),
        Some(decision) => Some((
            Status::Refused,
            format!("was not called: {} did not allow it", words::decider(decision)),
        )),
        None if over => Some((
            Status::Skipped,
            "was not called: the run ended before anybody answered".to_owned(),
        )),
        None => None,
    };
    let waited = waited.filter(|_| call.waits());
    let was_called = matches!(call.status, ToolStatus::Completed | ToolStatus::Failed);
    let took = u64::try_from(call.ended_at.0 - call.started_at.0).ok();
    let output = readable(&call.output);
    ToolCallView {
        name: safe::visible(&call.name),
        status: match call.status {
            _ if let Some((status, _)) = &waited => *status,
            ToolStatus::Completed => Status::Done,
            ToolStatus::Failed => Status::Failed,
            ToolStatus::Skipped => Status::Skipped,
            ToolStatus::Blocked => Status::Blocked,
        },
        words: match call.status {
            _ if let Some((_, words)) = &waited => words.as_str(),
            ToolStatus::Completed if call.earlier => "answered in an earlier attempt; it was not called again",
            ToolStatus::Completed => "answered",
            ToolStatus::Failed => "failed",
            ToolStatus::Skipped => "is not known here",
            ToolStatus::Blocked if call.waits() => "waits for a person",
            ToolStatus::Blocked => "may not be used here",
        }
        .to_owned(),
        risk: call.risk,
        required: call.required,
        args: readable(&call.args),
        output: match output.char_indices().nth(ANSWER_MOST) {
            Some((end, _)) => format!("{}…", &output[..end]),
            None => output,
        },
        // That it waits is said already.
        error: Some(safe::plain(&call.error)).filter(|error| !error.trim().is_empty() && !call.waits()),
        duration_ms: took.filter(|_| was_called && call.ended_at.0 > 0),
        earlier: call.earlier,
        gate: call.gate.clone(),
    }
}

/// A file that a branch had changed in a folder of its own: its path, and which branch did what.
pub fn brought_in(workflow: &Workflow, file: &BroughtIn) -> FieldView {
    let name = workflow
        .step(&file.branch)
        .map_or(file.branch.as_str(), |step| &step.name);
    let what = if file.removed { "removed" } else { "changed" };
    FieldView {
        name: safe::visible(&file.path),
        value: format!("{what} by the branch “{}”", safe::visible(name)),
    }
}

/// Who approved a file that is another one.
fn approver(state: &RunState, file: &NotAsApproved) -> String {
    let mut rounds = state.rounds_of(&file.gate);
    rounds
        .find(|round| round.opened.round == file.round)
        .and_then(|round| round.answer.as_ref())
        .map_or_else(
            || "a person".to_owned(),
            |(decision, _)| safe::visible(decision.by.trim()),
        )
}

/// Of a file that is not what a person approved, while the step that goes by it has not begun: a sentence.
pub fn no_more_as_approved(state: &RunState, file: &NotAsApproved) -> String {
    let (path, by) = (safe::visible(&file.path), approver(state, file));
    match &file.found {
        Some(_) => format!("{path} on disk is not what {by} approved: it was changed after it was shown."),
        None => format!("{path}, which {by} approved, is gone, or cannot be read."),
    }
}

/// Of a file that a person approved and that is another one now, where no step of the run comes any more: a sentence.
pub fn changed_afterwards(state: &RunState, file: &NotAsApproved) -> String {
    let (path, by) = (safe::in_sentence(&file.path), approver(state, file));
    let short = |digest: &Option<Digest>| {
        let digest = digest.as_ref().map_or("", Digest::as_str);
        digest.chars().take(SHORT).collect::<String>()
    };
    let approved = short(&file.approved);
    match &file.found {
        Some(_) => format!(
            "{path} was approved by {by} as {approved}… and changed afterwards: it is {}… now. The record holds what was approved.",
            short(&file.found)
        ),
        None => format!(
            "{path} was approved by {by} as {approved}… and is gone now, or cannot be read. The record holds what was approved."
        ),
    }
}

/// A file that was another one than what a person had approved: a warning.
pub fn not_as_approved(state: &RunState, file: &NotAsApproved) -> CheckView {
    let by = approver(state, file);
    let name = match &file.approved {
        Some(_) => format!("{} was not what {by} approved", safe::visible(&file.path)),
        None => format!("{} was none of what {by} approved", safe::visible(&file.path)),
    };
    CheckView {
        name,
        status: Status::Waiting,
        detail: match &file.found {
            _ if file.approved.is_none() => {
                "It was added to what lies there after that was shown. Its digest is on record."
            }
            Some(_) => {
                "It was another version when this began: it was changed after it was shown. Both digests are on record."
            }
            None => "It was gone, or could not be read, when this began.",
        }
        .to_owned(),
    }
}

/// A file that was not what a person had approved, and at which visits of a step.
struct Deviation<'a> {
    at: &'a Instance,
    file: &'a NotAsApproved,
    what: String,
    visits: BTreeSet<u32>,
}

/// Of each step that found another version of files than the one that a person had approved, a sentence: whoever reads what was approved is to
/// know it. It says which time that was, and whether the step has been done since without that. `differing`: where it stands in the log.
pub fn deviations<'a>(
    workflow: &Workflow,
    state: &RunState,
    events: Events<'_>,
    differing: impl Iterator<Item = &'a u64>,
) -> Vec<String> {
    let ended = differing.filter_map(|seq| match &events.with_seq(*seq)?.event {
        Event::AttemptEnded { instance, result, .. } => Some((instance, result.lifecycle.as_deref()?)),
        _ => None,
    });
    told_of(workflow, state, ended)
}

/// The same of all that a run had done when it stood like this.
pub fn deviations_by(workflow: &Workflow, state: &RunState) -> Vec<String> {
    let results = state.results().into_iter();
    let ended = results.filter_map(|(at, result)| Some((at, result.lifecycle.as_deref()?)));
    told_of(workflow, state, ended)
}

fn told_of<'a>(
    workflow: &Workflow,
    state: &RunState,
    ended: impl Iterator<Item = (&'a Instance, &'a Lifecycle)>,
) -> Vec<String> {
    let mut found: Vec<Deviation<'_>> = Vec::new();
    for (at, around) in ended {
        for file in &around.not_as_approved {
            let what = not_as_approved(state, file).name;
            let is_same =
                |one: &&mut Deviation<'_>| one.at.step == at.step && one.at.path == at.path && one.what == what;
            if let Some(one) = found.iter_mut().find(is_same) {
                one.visits.insert(at.visit);
                continue;
            }
            found.push(Deviation {
                at,
                file,
                what,
                visits: BTreeSet::from([at.visit]),
            });
        }
    }
    found.iter().map(|one| deviation(workflow, state, one)).collect()
}

fn deviation(workflow: &Workflow, state: &RunState, one: &Deviation<'_>) -> String {
    let began = format!("“{}” began", words::step_ref(workflow, &one.at.step).name);
    let visits = state.visits_of(&one.at.step);
    let begun: Vec<&Visit> = visits
        .filter(|visit| visit.instance.path == one.at.path && !visit.attempts.is_empty())
        .collect();
    let such = begun.iter().filter(|visit| one.visits.contains(&visit.instance.visit));
    let mut counted = Times::of(state);
    let times: Vec<String> = such
        .map(|visit| words::nth_time(counted.nth(&visit.instance)))
        .collect();
    let when = match times.as_slice() {
        _ if begun.len() < 2 => format!("When {began}"),
        [only] => format!("The {only} {began}"),
        [.., last] => format!("{} times, at last the {last} {began}", times.len()),
        [] => format!("When {began}"),
    };
    // That of which it is known by now.
    let since = begun.last().filter(|last| !one.visits.contains(&last.instance.visit));
    let as_approved = |result: &StepResult| {
        let mut differing = result.lifecycle.iter().flat_map(|around| &around.not_as_approved);
        result.status.completes() && !differing.any(|file| file.path == one.file.path)
    };
    match since.and_then(|last| last.result()).is_some_and(as_approved) {
        true => format!(
            "{when}, {}. It was done again later, and then no file differed from what was approved.",
            one.what
        ),
        false => format!("{when}, {}.", one.what),
    }
}

/// That a step ran a workflow as that had become, and not as it was when its run was started.
pub fn changed_since(step: &str, path: &str) -> String {
    format!(
        "{} was changed after this run had started; “{}” ran the changed version.",
        safe::visible(path),
        safe::visible(step)
    )
}

/// A file that was made and is too large to be kept, or has a name that is no text: a warning.
pub fn unkept(file: &Unkept) -> CheckView {
    CheckView {
        name: format!("{} is not kept", safe::visible(&file.path)),
        status: Status::Waiting,
        detail: match file.unnamed {
            true => "Its name is not UTF-8: no record has what it held, and no decision is about it.".to_owned(),
            false => format!(
                "It had {} MB, more than Gatehouse keeps: no record has what it held.",
                file.bytes / 1_000_000
            ),
        },
    }
}

/// The files that hold after the work what they held before, a note each, for what makes the same again has made it; a warning each where somebody
/// had asked for changes and nothing that was made is any different. `made`: by the attempt.
pub fn unchanged(state: &RunState, of: &Instance, around: &Lifecycle, made: &[Artifact]) -> Vec<CheckView> {
    const DETAIL: &str = "It was there with the very same bytes when the work began. Whether they were written again or the file was left as it was \
                          or only touched, they do not tell.";
    let own = made.iter().filter(|made| !made.was_there).count();
    let is_all = !around.unchanged.is_empty() && around.unchanged.len() >= own;
    let status = match is_all && was_asked_to_change(state, of) {
        true => Status::Waiting,
        false => Status::NotStarted,
    };
    let view = |path: &String| CheckView {
        name: format!("{} holds what it held before", as_written(state, path)),
        status,
        detail: DETAIL.to_owned(),
    };
    around.unchanged.iter().map(view).collect()
}

/// Whether a step is done because somebody asked for changes to it, or their rejection led there.
fn was_asked_to_change(state: &RunState, of: &Instance) -> bool {
    let begun = |visit: &Visit| visit.attempts.first().map(|attempt| attempt.started_at);
    let Some(now) = state.visit(of).and_then(begun) else {
        return false;
    };
    let before = state
        .visits_of(&of.step)
        .filter(|visit| visit.instance.path == of.path && visit.instance.visit < of.visit);
    let since = before.filter_map(begun).max();
    rounds::sent_to(state, &of.step, since, now).is_some()
}

/// A file that the workflow says is made and that was not there: a warning.
pub fn unmade(state: &RunState, path: &str) -> CheckView {
    CheckView {
        name: format!("{} was not made", as_written(state, path)),
        status: Status::Waiting,
        detail: "The workflow says that this step makes it. No file was there when the step was done.".to_owned(),
    }
}

/// A file that the workflow says is taken and that was not there: a warning.
pub fn untaken(state: &RunState, path: &str) -> CheckView {
    CheckView {
        name: format!("{} was not there", as_written(state, path)),
        status: Status::Waiting,
        detail: "The workflow says that this step takes it. It was not there when the work began.".to_owned(),
    }
}

/// A file as the workflow names it, wherever the run has it.
fn as_written(state: &RunState, path: &str) -> String {
    let run = state.created.as_deref().map(|created| &created.run_id);
    let written = run.map(|run| runtime::project::as_written(path, run));
    safe::visible(written.as_deref().unwrap_or(path))
}

/// Of each step that was done last without files that the workflow says it takes or makes, a sentence. `about`: a step that
/// somebody is asked about, and whether its own work is done; told is then of that work alone, and of the files that its inputs name and that
/// other steps have not made.
pub fn without_files(workflow: &Workflow, state: &RunState, about: Option<(&Step, bool)>) -> Vec<String> {
    let steps = workflow.steps().iter();
    let said = steps.flat_map(|step| {
        let is_own = about.is_none_or(|(at, is_done)| is_done && step.id == at.id);
        let is_taken =
            |path: &str| about.is_some_and(|(at, _)| !at.inputs.is_empty() && engine::gate::goes_by(at, path));
        let around = last_around(state, step);
        let taken = around.filter(|_| is_own);
        let taken = taken.and_then(|around| without(state, step, &around.untaken, BEGAN));
        let made = around.and_then(|around| {
            let told = around.unmade.iter().filter(|path| is_own || is_taken(path));
            let unmade: Vec<String> = told.cloned().collect();
            without(state, step, &unmade, DONE)
        });
        taken.into_iter().chain(made).collect::<Vec<_>>()
    });
    said.collect()
}

/// Whether a visit ended without a file that the workflow says it makes. `written`: as the workflow names it.
pub fn is_unmade(state: &RunState, at: &Instance, written: &str) -> bool {
    let around = state.visit(at).and_then(around_last);
    let is_it = |path: &String| path == written || as_written(state, path) == safe::visible(written);
    around.is_some_and(|around| around.unmade.iter().any(is_it))
}

/// What was done around the last attempt of a visit.
fn around_last(visit: &Visit) -> Option<&Lifecycle> {
    visit.attempts.last()?.result.as_deref()?.lifecycle.as_deref()
}

/// The same of the last visit of a step.
fn last_around<'s>(state: &'s RunState, step: &Step) -> Option<&'s Lifecycle> {
    around_last(state.steps.get(&step.id)?.visits.last()?)
}

/// What a step did without files, and what the workflow says that it does with them.
const BEGAN: (&str, &str) = ("began", "takes");
const DONE: (&str, &str) = ("was done", "makes");

/// That a step was done without some files; `None`: without none.
fn without(state: &RunState, step: &Step, paths: &[String], (went, verb): (&str, &str)) -> Option<String> {
    let files: Vec<String> = paths.iter().map(|path| as_written(state, path)).collect();
    let them = if paths.len() == 1 { "it" } else { "them" };
    let files = listed(&files, "and")?;
    let name = safe::in_quotes(&step.name);
    Some(format!(
        "“{name}” {went} without {files}: the workflow says that it {verb} {them}, and nothing was there."
    ))
}

/// Arguments and answers as a person reads them, control characters made visible; nothing and an empty block are empty.
pub fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        value => safe::visible_text(&words::value(value)),
    }
}

/// What the guardrails of one stage say. That nothing was found in what came out of a rehearsal, which only makes it up, says nothing of any work,
/// and what they say of files that were there before the run is said of no work either. `made`: the files that the attempt named.
pub fn guardrail(state: &RunState, report: &GuardrailReport, made: &[Artifact]) -> GuardrailView {
    let is_rehearsal = state.is_rehearsal();
    let was_there = |source: &str| made.iter().any(|file| file.path == source && file.was_there);
    let of_others = !made.is_empty()
        && made.iter().all(|file| file.was_there)
        && report.violations.iter().all(|found| was_there(&found.source));
    let findings: Vec<GuardFinding> = report
        .violations
        .iter()
        .map(|found| match was_there(&found.source) && !of_others {
            true => GuardFinding {
                source: format!("{}, which no step of this run made", safe::visible(&found.source)),
                ..finding(found)
            },
            false => finding(found),
        })
        .collect();
    let (status, words) = match came_to(report) {
        // What goes in is looked at in a rehearsal, too.
        (Status::Done, _) if is_rehearsal && report.stage != GuardStage::Inputs => {
            (Status::Skipped, "a rehearsal: nothing was really made".to_owned())
        }
        came => came,
    };
    GuardrailView {
        name: match &report.stage {
            GuardStage::Outputs if of_others => "Check of files that no step of this run made".to_owned(),
            stage => stage_name(stage),
        },
        status,
        words,
        findings,
    }
}

/// The same of a text that somebody only tries.
pub fn tried(report: &GuardrailReport) -> GuardrailView {
    let (status, words) = came_to(report);
    let findings = report.violations.iter().map(|found| GuardFinding {
        source: "the text".to_owned(),
        ..finding(found)
    });
    GuardrailView {
        name: stage_name(&report.stage),
        status,
        words,
        findings: findings.collect(),
    }
}

fn came_to(report: &GuardrailReport) -> (Status, String) {
    let n = report.violations.len();
    match &report.status {
        GuardStatus::Failed => (
            Status::Failed,
            format!(
                "{} that may not stand there",
                words::count(n, "thing was found", "things were found")
            ),
        ),
        GuardStatus::Warned => (
            Status::Waiting,
            format!("{} to look at", words::count(n, "thing was found", "things were found")),
        ),
        _ => (Status::Done, "nothing was found".to_owned()),
    }
}

fn stage_name(stage: &GuardStage) -> String {
    match stage {
        GuardStage::Inputs => "Input check".to_owned(),
        GuardStage::Outputs => "Output check".to_owned(),
        GuardStage::Other(other) => safe::visible(other),
    }
}

fn finding(violation: &engine::Violation) -> GuardFinding {
    GuardFinding {
        kind: match &violation.kind {
            ViolationKind::Personal => "personal data".to_owned(),
            ViolationKind::Secret => "a secret".to_owned(),
            ViolationKind::Moderation => "a word of the moderation list".to_owned(),
            ViolationKind::Phrase => "a word that the project's rules forbid".to_owned(),
            ViolationKind::Pattern => "a pattern that the project's rules forbid".to_owned(),
            ViolationKind::Size => "too much text".to_owned(),
            ViolationKind::Other(other) => safe::visible(&other.replace('_', " ")),
        },
        rule: safe::visible(&violation.rule),
        found: safe::visible(&violation.found),
        source: safe::visible(&violation.source),
        blocks: violation.action != GuardAction::Warn,
    }
}

/// What validation came to; a check without a runner is no pass, and says that it did not look. So does one of a rehearsal, which checks nothing.
pub fn validation(state: &RunState, validation: &Validation) -> ValidationView {
    let view = checked(validation);
    if !state.is_rehearsal() {
        return view;
    }
    let checks = view.checks.into_iter().map(|check| match check.status {
        Status::Done => CheckView {
            status: Status::Skipped,
            detail: "a rehearsal: nothing was checked".to_owned(),
            ..check
        },
        _ => check,
    });
    ValidationView {
        checks: checks.collect(),
        words: match view.passed {
            true => "a rehearsal: nothing was checked".to_owned(),
            false => format!("the scenario says so: {}", view.words),
        },
        ..view
    }
}

fn checked(validation: &Validation) -> ValidationView {
    let count = |status| validation.checks.iter().filter(|check| check.status == status).count();
    let (failed, absent) = (count(CheckStatus::Failed), count(CheckStatus::Absent));
    let all = validation.checks.len();
    let mut parts = vec![match (failed, count(CheckStatus::Passed)) {
        (0, 0) => "nothing was checked".to_owned(),
        (0, passed) => format!("{} passed", words::count(passed, "check", "checks")),
        (failed, _) => format!("{failed} of {} failed", words::count(all, "check", "checks")),
    }];
    if absent > 0 {
        parts.push(format!("{absent} not looked at"));
    }
    ValidationView {
        policy: safe::visible(&validation.policy),
        passed: validation.passed,
        words: parts.join(", "),
        checks: validation.checks.iter().map(check).collect(),
    }
}

fn check(check: &engine::CheckRecord) -> CheckView {
    let name = match check.target.as_str() {
        "" => check_words(&check.check),
        target => format!("{}: {target}", check_words(&check.check)),
    };
    let line = check.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    CheckView {
        name: safe::visible(&name),
        status: match check.status {
            CheckStatus::Passed => Status::Done,
            CheckStatus::Failed => Status::Failed,
            CheckStatus::Absent => Status::Skipped,
        },
        detail: match check.status {
            CheckStatus::Absent if check.message.trim().is_empty() => "its runner is not on this machine".to_owned(),
            _ => safe::plain(&format!("{line}{}", check.message)).trim().to_owned(),
        },
    }
}

fn check_words(check: &str) -> String {
    match check {
        "json" => "JSON".to_owned(),
        "yaml" => "YAML".to_owned(),
        "schema" => "Schema".to_owned(),
        "text" => "Readable text".to_owned(),
        "template" => "Template".to_owned(),
        "ast" => "Syntax".to_owned(),
        "typecheck" => "Types".to_owned(),
        "lint" => "Style".to_owned(),
        other => other.to_owned(),
    }
}

/// What was looked up for the agent, from the payload that it was handed (`telis_context`, described in `runtime::context`).
pub fn context(value: &Value) -> Option<ContextView> {
    value.as_object().filter(|fields| !fields.is_empty())?;
    let phases = list(value, "phases");
    let mut passages: Vec<PassageView> = answered(&value["lsp"]).into_iter().collect();
    for phase in phases {
        let tier = text(phase, "tier");
        passages.extend(list(phase, "shards").iter().map(|shard| passage(shard, &tier)));
    }
    let tiers: Vec<String> = phases.iter().map(tier).collect();
    let notes: Vec<String> = list(value, "notes").iter().map(readable).collect();
    let fields = [
        ("query", readable(&value["query"])),
        ("language", readable(&value["language"])),
        ("tiers", tiers.join("\n")),
        ("notes", notes.join("\n")),
    ];
    let mut words = words::count(passages.len(), "passage", "passages");
    if let Some(tokens) = value["tokens"].as_u64().filter(|tokens| *tokens > 0) {
        words.push_str(&format!(", {tokens} tokens"));
    }
    if value["source"] == "lsp" {
        words.push_str(", from a language server");
    }
    Some(ContextView {
        words,
        fields: fields
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| FieldView {
                name: name.to_owned(),
                value,
            })
            .collect(),
        passages,
    })
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().map(safe::visible_text).unwrap_or_default()
}

/// `nano: 31 of 200 tokens, 2 left out`
fn tier(phase: &Value) -> String {
    let number = |name: &str| phase[name].as_u64().unwrap_or_default();
    let left_out = match number("left_out") {
        0 => String::new(),
        n => format!(", {n} left out"),
    };
    format!(
        "{}: {} of {} tokens{left_out}",
        text(phase, "tier"),
        number("tokens"),
        number("budget")
    )
}

/// `src/a.py, lines 3 to 9: parse_config`
fn passage(shard: &Value, tier: &str) -> PassageView {
    let line = |name: &str| shard[name].as_u64();
    let lines = match (line("first_line"), line("last_line")) {
        (Some(first), Some(last)) if first != last => format!(", lines {first} to {last}"),
        (Some(first), _) => format!(", line {first}"),
        _ => String::new(),
    };
    let name = text(shard, "name");
    let named = if name.is_empty() { name } else { format!(": {name}") };
    PassageView {
        title: format!("{}{lines}{named}", text(shard, "path")),
        tier: tier.to_owned(),
        tokens: shard["tokens"].as_u64(),
        text: text(shard, "text"),
    }
}

/// What a language server said.
fn answered(lsp: &Value) -> Option<PassageView> {
    lsp.as_object()?;
    let line = lsp["line"]
        .as_u64()
        .map_or(String::new(), |line| format!(", line {}", line + 1));
    Some(PassageView {
        title: format!("{} of {}{line}", text(lsp, "method"), text(lsp, "path")),
        tier: "language server".to_owned(),
        tokens: None,
        text: readable(&lsp["answer"]),
    })
}

#[cfg(test)]
mod tests;
