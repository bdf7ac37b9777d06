//! Human gates: when a step stops the run, what is shown, and where each answer leads (CONTRACTS "Human gates").

use crate::doer::{agents_of, engine_of, is_shared};
use crate::standards::all_words;
use crate::state::latest;
use crate::{
    Answer, Artifact, At, ExecutionStatus, GateReason, GateRound, GateRules, Held, Instance, Purpose, RunCreated,
    RunState, StepResult,
};
use indexmap::IndexMap;
use model::pattern::{self, ANY_FOLDERS, SIGNS};
use model::placeholder::{self, Folders};
use model::step::Output;
use model::{AgentKey, Format, Gate, GateAt, Routing, Step, StepId, Whether, Work, Workflow, WorkflowId};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A runbook's word for the answer to a question that is not YES: nothing has failed with it.
pub const NO: &str = "NO";

/// Why the step's gate stops the run at this point: the policy's fixed reason (seed 000), `None` when it does not.
pub fn blocks(workflow: &WorkflowId, step: &Step, at: GateAt, rules: GateRules<'_>) -> Option<GateReason> {
    step.gate.as_ref().filter(|gate| gate.at == at)?;
    let verdict = rules.policy.judge(step, workflow, rules.limits);
    verdict.blocks.then_some(verdict.reason)
}

/// Where the step's gate stops the run, before its work or after it; `None`: it has none that does.
pub fn asked_at(workflow: &WorkflowId, step: &Step, rules: GateRules<'_>) -> Option<GateAt> {
    let at = step.gate.as_ref()?.at;
    blocks(workflow, step, at, rules).map(|_| at)
}

/// How a person is asked for a step's outcome.
pub(crate) struct AskedPerson {
    /// The author's word for well.
    pub(crate) pass: String,
    /// The author's word for not well.
    pub(crate) fail: String,
    /// Why a person is asked.
    pub(crate) why: GateReason,
    /// Whom the question is for; empty: anybody.
    pub(crate) who: Vec<AgentKey>,
    /// Whether the answer begins an attempt, which takes up what the person made.
    pub(crate) attempt: bool,
}

impl AskedPerson {
    /// Of a step that has failed as often as it may, and that escalates to a person.
    pub(crate) fn to_take_over(who: AgentKey) -> Self {
        Self {
            why: GateReason::Escalated,
            who: vec![who],
            ..Self::in_an_attempt()
        }
    }

    /// The answer begins an attempt.
    fn in_an_attempt() -> Self {
        Self {
            pass: "PASS".to_owned(),
            fail: "FAIL".to_owned(),
            why: GateReason::Assigned,
            who: Vec::new(),
            attempt: true,
        }
    }
}

/// Whether a person carries this step out: a runbook's prompt, a step given to somebody who is no engine or to a person, every
/// step of a run that asks before everything (seed 002 "Prompt"; `--prompted`). Of other formats than runbooks the answer
/// begins an attempt: their steps make files, which are checked and kept.
pub(crate) fn carried_out_by_a_person(step: &Step, format: Format, created: &RunCreated) -> Option<AskedPerson> {
    let who = agents_of(step, created);
    if !format.contract().by_hand {
        let is_person = |agent: &AgentKey| engine_of(step, std::slice::from_ref(agent), created).is_person();
        // Of several agents the people are asked, and with their answer the others begin.
        let several = is_shared(step, &who);
        let asked = if several {
            who.iter().any(is_person)
        } else {
            engine_of(step, &who, created).is_person()
        };
        let mut who: Vec<AgentKey> = if several {
            who.into_iter().filter(is_person).collect()
        } else {
            who
        };
        // Given to a person without saying to whom: anybody may answer.
        who.retain(|agent| !agent.as_str().is_empty());
        return asked.then(|| AskedPerson {
            why: if created.prompted {
                GateReason::EveryStep
            } else {
                GateReason::Assigned
            },
            who,
            ..AskedPerson::in_an_attempt()
        });
    }
    let bound = who.first().and_then(|agent| created.engines.get(agent));
    let is_bound = bound.is_some_and(|engine| !engine.is_person());
    let why = match &step.work {
        _ if created.prompted => GateReason::EveryStep,
        _ if is_bound => return None,
        Work::Prompt { .. } => GateReason::Prompt,
        _ if !who.is_empty() => GateReason::Assigned,
        _ => return None,
    };
    let (pass, fail) = outcome_words(step);
    Some(AskedPerson {
        pass: pass.to_owned(),
        fail: fail.to_owned(),
        why,
        who,
        attempt: false,
    })
}

/// The words for well and for not well that a step of a runbook is answered with: the author's; where one of the two alone is
/// written, the other is the one that belongs to it.
pub fn outcome_words(step: &Step) -> (&str, &str) {
    let transitions = match &step.routing {
        Routing::Transitions { transitions } => transitions.as_slice(),
        _ => &[],
    };
    let word = |passed: bool| transitions.iter().find(|t| t.passed == passed).map(|t| t.word.as_str());
    let asks_yes = matches!(word(true), Some("YES")) || matches!(word(false), Some(NO));
    let (pass, fail) = if asks_yes { ("YES", NO) } else { ("PASS", "FAIL") };
    (word(true).unwrap_or(pass), word(false).unwrap_or(fail))
}

/// Whether a step is a question of a runbook, which is answered YES or NO.
pub fn is_question(step: &Step) -> bool {
    outcome_words(step).1 == NO
}

/// What is asked before a step that is not always done.
pub fn whether(step: &Step, whether: &Whether) -> String {
    match &whether.condition {
        Some(condition) if whether.optional => format!(
            "“{}” is optional, and done only where “{}” holds. Shall it be done?",
            step.name,
            condition.trim()
        ),
        Some(condition) => format!("“{}” is done where “{}” holds. Does it?", step.name, condition.trim()),
        None => format!("“{}” is optional. Shall it be done?", step.name),
    }
}

/// A text of the author's with what its placeholders stand for in this run, where its format has them; what stands for nothing stays as it is written.
pub fn filled(workflow: &Workflow, created: Option<&RunCreated>, text: &str) -> String {
    match created.filter(|_| workflow.contract().placeholders) {
        Some(created) => placeholder::resolve_known(text, &Folders::kept(&created.folders), &created.inputs),
        None => text.to_owned(),
    }
}

/// The step as people are asked about it: its name and its question filled in. A question is made once, when its gate opens: what is shown, signed and
/// recorded is one text.
pub fn as_asked<'s>(workflow: &Workflow, created: Option<&RunCreated>, step: &'s Step) -> Cow<'s, Step> {
    let own = step.gate.as_ref().and_then(|gate| gate.question.as_deref());
    let question = own.map(|own| filled(workflow, created, own));
    let name = filled(workflow, created, &step.name);
    if name == step.name && question.as_deref() == own {
        return Cow::Borrowed(step);
    }
    let mut step = step.clone();
    step.name = name;
    if let Some(gate) = &mut step.gate {
        gate.question = question;
    }
    Cow::Owned(step)
}

/// The question: the author's, else one made from the step's name. `rehearsal`: nobody has done the work, so that it does not say so.
pub fn question(step: &Step, gate: &Gate, rehearsal: bool) -> String {
    match (
        gate.question.as_deref().map(str::trim).filter(|q| !q.is_empty()),
        gate.at,
    ) {
        (Some(question), _) => question.to_owned(),
        (None, GateAt::After) if rehearsal => {
            format!("“{}” was rehearsed, not done. Would you approve the result?", step.name)
        }
        (None, GateAt::After) => format!("“{}” is done. Do you approve the result?", step.name),
        (None, GateAt::Before) => format!("Shall “{}” begin?", step.name),
    }
}

/// The question about work that its agent left out: whoever answers is not asked about a result that there is not.
pub(crate) fn question_skipped(step: &Step, gate: &Gate, why: &str) -> String {
    let own = gate.question.as_deref().map(str::trim).filter(|q| !q.is_empty());
    let asked = own.unwrap_or("Do you approve that?");
    format!("“{}” was skipped ({why}). {asked}", step.name)
}

/// The question about a step that has failed and without which the run goes on; the author's own comes behind what happened.
pub(crate) fn question_failed(step: &Step, gate: &Gate, error: &str) -> String {
    let failed = format!("“{}” has failed ({}).", step.name, error.trim());
    let own = gate.question.as_deref().map(str::trim).filter(|q| !q.is_empty());
    match own {
        Some(own) => format!("{failed} Shall it go on without it? The question was: {own}"),
        None => format!("{failed} Shall it go on without it?"),
    }
}

/// What whoever carries a step out is asked. Where its gate asks about the result, this is not yet the decision, and says so.
pub(crate) fn question_of_work(step: &Step, decided_after: bool) -> String {
    match decided_after {
        true => format!("{}: first the work, then its result is decided on", step.name),
        false => step.name.clone(),
    }
}

/// Whether the step may do what it wants to do. A permission holds for the visit with its retries, so it is said how often that may be.
pub(crate) fn question_of_permission(step: &Step, retries: u32) -> String {
    match retries {
        0 => format!("May “{}” do this?", step.name),
        retries => format!(
            "May “{}” do this? Where it fails it is tried again, up to {} times in all.",
            step.name,
            retries.saturating_add(1)
        ),
    }
}

/// The question about a result that is below the project's quality standards.
pub(crate) fn question_below(step: &Step, below: &[Held]) -> String {
    let said = all_words(below);
    format!("Of “{}”, {said}. Shall it go on all the same?", step.name)
}

/// What came of the attempts that have ended, oldest first.
pub(crate) type Results<'a> = [(&'a Instance, &'a StepResult)];

/// The results without those of visits that a later one of the same step has taken the place of: what a step does not make any more, now that it
/// has been done again, is nothing to decide on. Instances of a dynamic step stand beside each other.
fn current<'a>(results: &Results<'a>) -> Vec<(&'a Instance, &'a StepResult)> {
    let mut last: BTreeMap<(&StepId, &[u32]), u32> = BTreeMap::new();
    // What failed or was left out takes the place of nothing.
    for (of, _) in results.iter().filter(|(_, r)| r.status == ExecutionStatus::Succeeded) {
        last.insert((&of.step, of.path.as_slice()), of.visit);
    }
    let is_current = |of: &Instance| {
        let last = last.get(&(&of.step, of.path.as_slice()));
        last.is_none_or(|visit| *visit <= of.visit)
    };
    results.iter().filter(|(of, _)| is_current(of)).copied().collect()
}

/// What there is to look at after the work: what this visit made and what it worked from, so that a verdict stands beside
/// what it is about (a critic's subject comes first); where there is neither, what was made last.
pub(crate) fn shown_after(results: &Results<'_>, step: &Step, result: &StepResult) -> Vec<Artifact> {
    let results = &current(results);
    let made = result.artifacts.clone();
    let taken = taken_in(results, step);
    let is_critic = matches!(&step.routing, Routing::Microloop(m) if m.loop_target.is_some());
    let (mut shown, rest) = if is_critic { (taken, made) } else { (made, taken) };
    for artifact in rest {
        if shown.iter().all(|a| a.path != artifact.path) {
            shown.push(artifact);
        }
    }
    if shown.is_empty() {
        made_before(results, step)
    } else {
        shown
    }
}

/// What there is to look at before the work: what the step takes in; if nothing of that exists, what was made last, but for what came of the step
/// itself, which is to be done anew.
pub(crate) fn shown_before(results: &Results<'_>, step: &Step) -> Vec<Artifact> {
    let results = &current(results);
    let taken = taken_in(results, step);
    if taken.is_empty() {
        let others: Vec<_> = results.iter().filter(|(of, _)| of.step != step.id).copied().collect();
        made_before(&others, step)
    } else {
        taken
    }
}

/// What stands nearest before the step: what its dependencies made, else what was made last.
fn made_before(results: &Results<'_>, step: &Step) -> Vec<Artifact> {
    if step.routing != Routing::Dependencies {
        return made_last(results);
    }
    let before: Vec<_> = results
        .iter()
        .filter(|(i, _)| step.depends_on.contains(&i.step))
        .copied()
        .collect();
    latest(&before)
        .into_iter()
        .map(|(_, artifact)| artifact.clone())
        .collect()
}

fn made_last(results: &Results<'_>) -> Vec<Artifact> {
    let last = results
        .iter()
        .rev()
        .map(|(_, r)| &r.artifacts)
        .find(|artifacts| !artifacts.is_empty());
    last.cloned().unwrap_or_default()
}

/// The latest artifacts that the step names as inputs, in the order it names them.
fn taken_in(results: &Results<'_>, step: &Step) -> Vec<Artifact> {
    if step.inputs.is_empty() {
        return Vec::new();
    }
    let made = latest(results);
    let mut out: Vec<Artifact> = Vec::new();
    for input in &step.inputs {
        for (_, artifact) in made.iter().filter(|(_, a)| names(input, &a.path)) {
            if !out.contains(artifact) {
                out.push((*artifact).clone());
            }
        }
    }
    out
}

/// Where "request changes" leads after the work: a critic's gate sends the author back to work, any other step's the
/// step itself.
pub(crate) fn changes_after(workflow: &Workflow, step: &Step) -> StepId {
    match &step.routing {
        Routing::Microloop(m) => m.loop_target.clone().filter(|target| workflow.step(target).is_some()),
        _ => None,
    }
    .unwrap_or_else(|| step.id.clone())
}

/// Where "request changes" leads before the work: to the latest completed step that this one takes inputs from, else
/// the one that ran before it; `None` when nothing has run. A detour that is over is not gone back into, because it would lead on from a
/// visit that has been left: the step is done again that it left, and the detour with it where it is due again.
pub(crate) fn changes_before(workflow: &Workflow, results: &Results<'_>, step: &Step) -> Option<StepId> {
    let completed = || {
        results
            .iter()
            .rev()
            .filter(|(_, r)| r.status.completes())
            // A stage is sent back to one that it waits for, never to one that happened to run before it.
            .filter(|(i, _)| step.routing != Routing::Dependencies || step.depends_on.contains(&i.step))
    };
    let feeds = |(from, result): &&(&Instance, &StepResult)| {
        let outputs = workflow.step(&from.step).map_or(&[][..], |s| &s.outputs);
        let declared = |input: &String| outputs.contains(input);
        let made = |input: &String| result.artifacts.iter().any(|a| names(input, &a.path));
        step.inputs.iter().any(|input| declared(input) || made(input))
    };
    completed()
        .find(feeds)
        .or_else(|| completed().next())
        .and_then(|(from, _)| workflow.step(&from.step))
        .map(|from| match step.detour_from {
            None => model::branches::outside_of_detours(workflow, from).id.clone(),
            Some(_) => from.id.clone(),
        })
}

/// What stands behind the name of a folder that the project says where it is: `{output_folder}/plan.md`.
fn behind_folder(input: &str) -> Option<&str> {
    let (name, rest) = input.strip_prefix('{')?.split_once("}/")?;
    (!name.contains(['{', '/'])).then_some(rest)
}

/// What an input says behind the folders that stand for those of the run or of the project.
fn from_its_folder(input: &str) -> &str {
    let input = input.trim().trim_start_matches("./");
    let input = input.strip_prefix("RUN_BASE/").unwrap_or(input);
    behind_folder(input).unwrap_or(input)
}

/// Whether an input, as the author wrote it, names this artifact: the same path, its end, or a folder around it.
/// (`plan.md`, `signal/plan.md`, `RUN_BASE/signal/plan.md` and `{output_folder}/signal/plan.md` name `runs/7/signal/plan.md`.)
pub fn names(input: &str, path: &str) -> bool {
    let input = from_its_folder(input).trim_end_matches('/');
    if input.is_empty() {
        return false;
    }
    let ends = |path: &str| path == input || path.strip_suffix(input).is_some_and(|rest| rest.ends_with('/'));
    let mut folder = path;
    loop {
        if ends(folder) {
            return true;
        }
        match folder.rsplit_once('/') {
            Some((around, _)) => folder = around,
            None => return false,
        }
    }
}

/// Whether an input of a step takes in a file: it names it, or is a pattern that the file fits. It is read like one of outputs: `*` stands for a
/// part of one name, `**` for any folders. Like a name, a pattern that begins with a folder may begin in any other, and so may that of a stage, as
/// stages make their files in folders of their own.
fn takes(step: &Step, input: &str, path: &str) -> bool {
    let written = Output::of(input).path;
    if names(written, path) || !written.contains(SIGNS) {
        return names(written, path);
    }
    let pattern = from_its_folder(written);
    let all = pattern.ends_with('/').then_some(ANY_FOLDERS);
    let mut parts = pattern
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .chain(all)
        .peekable();
    let is_in_a_folder = pattern.len() < written.trim().trim_start_matches("./").len()
        || parts.peek().is_some_and(|first| !first.contains(SIGNS))
        || step.routing == Routing::Dependencies;
    let path: Vec<&str> = path.split('/').collect();
    let from = match is_in_a_folder {
        true => 0..path.len(),
        false => 0..1,
    };
    pattern::fits(parts, &path, from, |_| true)
}

/// Whether a step goes by a file: its inputs name it, or name none.
pub fn goes_by(step: &Step, path: &str) -> bool {
    step.inputs.is_empty() || step.inputs.iter().any(|input| takes(step, input, path))
}

/// A file that people approved, for a step that begins.
#[derive(Debug)]
pub struct Approved<'a> {
    /// The path at which the step finds it.
    pub path: String,
    /// The round in which it was approved last.
    pub round: &'a GateRound,
    /// As it was approved.
    pub artifact: &'a Artifact,
    /// The step goes by it; every other one only comes later.
    pub goes_by: bool,
}

/// What people last approved of the files of a run, and in which round. A step goes by those that its inputs name; where it names none, by what was
/// shown at the gate that leads to it, or at those of the stages that it waits for. Behind a gate that forks that is the first branch. Only
/// approvals of work count: whoever lets a tool be called, or chooses the way on, approves no file. Each with the path at which the step finds it:
/// the one that was shown, or the one at which a copy of it stands and that an input names. `copy_of`: where that is, of a path that was shown.
/// What was approved in a branch with a folder of its own is a file of that folder until it is brought in.
pub fn approved_for<'a>(
    state: &'a RunState,
    step: &Step,
    copy_of: impl Fn(&str) -> Option<String>,
) -> Vec<Approved<'a>> {
    let here = state.branch_of(&step.id);
    let mut files: IndexMap<String, (At, Approved<'a>)> = IndexMap::new();
    for (round, at) in approvals(state) {
        let opened = &round.opened;
        let asked_at = &opened.instance.step;
        // What was shown behind its own work is what it is to do again.
        if *asked_at == step.id && opened.at == GateAt::After {
            continue;
        }
        if !state.forks.is_found(state.branch_of(asked_at), here) {
            continue;
        }
        // Behind the last gate of a flow it is the end of the flow that leads on.
        let mut ends = state.flows.iter().filter(|ended| ended.from == opened.instance);
        let leads_here = opened.approve_to.as_ref() == Some(&step.id)
            || *asked_at == step.id
            || step.depends_on.contains(asked_at)
            || ends.any(|ended| ended.leads.step() == Some(&step.id));
        let is_named = |path: &str| step.inputs.iter().any(|input| takes(step, input, path));
        let goes_by = |artifact: &Artifact| match step.inputs.is_empty() {
            true => leads_here.then(|| artifact.path.clone()),
            false if is_named(&artifact.path) => Some(artifact.path.clone()),
            false => copy_of(&artifact.path).filter(|copy| is_named(copy)),
        };
        for artifact in &opened.shown {
            let found_at = goes_by(artifact);
            let file = Approved {
                goes_by: found_at.is_some(),
                path: found_at.unwrap_or_else(|| artifact.path.clone()),
                round,
                artifact,
            };
            keep_last(&mut files, at, file);
        }
    }
    files.into_values().map(|(_, file)| file).collect()
}

/// What people last approved of the files of a run, whichever step goes by them: each at the path at which it was shown. For whoever looks at what
/// has become of them when no step comes any more. What was approved in a branch with a folder of its own is among them once it was brought in.
pub fn last_approved(state: &RunState) -> Vec<Approved<'_>> {
    let mut files = IndexMap::new();
    for (round, at) in approvals(state) {
        if !state.forks.is_found(state.branch_of(&round.opened.instance.step), None) {
            continue;
        }
        for artifact in &round.opened.shown {
            let file = Approved {
                path: artifact.path.clone(),
                round,
                artifact,
                goes_by: false,
            };
            keep_last(&mut files, at, file);
        }
    }
    files.into_values().map(|(_, file)| file).collect()
}

/// The rounds in which people approved work, of each gate the one that was answered last, and when.
fn approvals(state: &RunState) -> impl Iterator<Item = (&GateRound, At)> {
    let answered = state.gates.values().filter_map(|rounds| {
        let mut rounds = rounds.iter().rev();
        rounds.find_map(|round| Some((round, round.answer.as_ref()?)))
    });
    let approved = answered.filter(|(round, (decision, _))| {
        decision.answer == Answer::Approve && round.opened.purpose == Purpose::Approval
    });
    approved.map(|(round, (_, at))| (round, *at))
}

/// Takes a file in where it was approved no earlier than the one of its path that is known.
fn keep_last<'a>(files: &mut IndexMap<String, (At, Approved<'a>)>, at: At, file: Approved<'a>) {
    let Some((last, known)) = files.get_mut(&file.path) else {
        files.insert(file.path.clone(), (at, file));
        return;
    };
    let goes_by = known.goes_by || file.goes_by;
    if *last <= at {
        (*last, *known) = (at, file);
    }
    known.goes_by = goes_by;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_in_what_lies_where_it_looks() {
        let takes = |input: &str, path: &str| {
            let mut step = Step::new("s", 0);
            step.inputs.push(input.to_owned());
            goes_by(&step, path)
        };
        for (input, path) in [
            ("*.md", "a.md"),
            ("*/*", "docs/a.md"),
            ("**", "docs/a.md"),
            ("**/*.md (optional)", "docs/a.md"),
            ("**/*.md", "a.md"),
            ("./*.md", "a.md"),
            ("RUN_BASE/*.md", ".gatehouse/runs/r/a.md"),
            ("{output_folder}/*.md", "docs/a.md"),
            ("*/", "docs/a.md"),
            ("docs/*.md", "docs/a.md"),
            ("docs/*.md", "runs/7/docs/a.md"),
            ("docs/**", "docs/deep/er/a.md"),
            ("docs/**/a.*", "docs/deep/er/a.md"),
            ("a[1].md", "docs/a[1].md"),
        ] {
            assert!(takes(input, path), "{input} {path}");
        }
        for (input, path) in [
            ("*.md", "a.txt"),
            ("*.md", "docs/a.md"),
            ("./*.md", "docs/a.md"),
            ("*", "docs/a.md"),
            ("docs/*.md", "a.md"),
            ("docs/*.md", "docs/deep/a.md"),
            ("**/b.*", "docs/a.md"),
        ] {
            assert!(!takes(input, path), "{input} {path}");
        }
        let mut stage = Step::new("s", 0);
        stage.routing = Routing::Dependencies;
        stage.inputs.push("*.md".to_owned());
        assert!(goes_by(&stage, "outputs/draft/a.md"));
    }
}
