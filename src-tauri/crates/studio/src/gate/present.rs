//! The decision brief: everything one needs to decide, on one screen.

use crate::gate::decision_view::AskFor;
use crate::gate::view::{AnswerPreview, ArtifactView, GateBrief, GateCard, SaidView, Signer};
use crate::gate::{asking, consequences, context, decisions, people, policy, rounds, standards, way_here};
use crate::run::lifecycle_view::CheckView;
use crate::run::step::Blobs;
use crate::run::{self, feedback, reasons, status};
use crate::text::compared::Compared;
use crate::text::{artifact, document, markdown, safe};
use crate::view::{FieldView, Refused, Status, StepRef};
use crate::{evidence, words};
use chrono_tz::Tz;
use engine::gate::filled;
use engine::{
    Answer, At, Digest, GateOpened, GateReason, GateRound, Instance, Outcome, Purpose, RefusalCode, RunCreated,
    RunState, StepResult, TookPart, Visit,
};
use model::{Prose, Step, StepId, Work, Workflow};
use runtime::artifacts::Expected;
use std::collections::BTreeMap;

/// The run a gate belongs to, as far as a card says it.
pub struct OfRun<'a> {
    /// Its id.
    pub run: &'a str,
    /// The workflow's title when the run began.
    pub title: &'a str,
    /// Who started it.
    pub started_by: &'a str,
    /// What it is about.
    pub subject: Option<String>,
    /// Who sits at the window: whom a gate must ask to be theirs.
    pub person: people::Reader<'a>,
    /// Four eyes: it takes somebody else to let the run go on ([`takes_another`]).
    pub another: bool,
    /// Nothing of it happens for real.
    pub rehearsal: bool,
    /// Who left the step that asks to a person ([`people::given_by`]).
    pub given_by: Option<&'a str>,
}

/// A decision that waits. `wanted_by`: [`RunState::wanted_by`].
pub fn card(step: StepRef, of: &OfRun<'_>, round: &GateRound, wanted_by: Option<At>) -> GateCard {
    let opened = &round.opened;
    let mine = !of.another && people::asks(opened, of.given_by, of.person.name, of.person.roles);
    GateCard {
        run_id: of.run.to_owned(),
        gate: opened.gate.to_string(),
        round: opened.round,
        purpose: asking::purpose(&opened.purpose),
        is_question: asking::is_question(&opened.purpose),
        question: opened.question.clone(),
        workflow_title: of.title.to_owned(),
        subject: of.subject.clone(),
        role: people::role(opened),
        mine,
        own: mine || !of.another && of.person.roles.is_empty(),
        another: of.another,
        step,
        instance: asking::instance(&opened.instance.path),
        waiting_since: round.since.0,
        wanted_by: wanted_by.map(|by| by.0),
        asks: opened.asks.iter().map(ToString::to_string).collect(),
        started_by: of.started_by.to_owned(),
        rehearsal: of.rehearsal,
        gone_on_from: Vec::new(),
    }
}

/// The decision that a run waits for; of several the one that was asked first.
pub fn waiting(workflow: &Workflow, state: &RunState, subject: Option<String>) -> Option<GateCard> {
    waits(workflow, state, state.waiting()?, subject)
}

/// A round that waits, as a card.
pub fn waits(workflow: &Workflow, state: &RunState, round: &GateRound, subject: Option<String>) -> Option<GateCard> {
    let created = state.created.as_deref()?;
    let of = OfRun {
        run: created.run_id.as_str(),
        title: &created.title,
        started_by: &created.by,
        subject,
        person: people::Reader::default(),
        another: false,
        rehearsal: created.is_rehearsal(),
        given_by: people::given_by(created, workflow, &round.opened.instance.step),
    };
    let step = words::step_at(workflow, Some(created), &round.opened.instance);
    Some(card(step, &of, round, state.wanted_by(round)))
}

/// What a brief is made of besides the run's state.
pub struct BriefSources<'a> {
    /// How the run stood when the question was asked; as it stands, where it waits for its answer.
    pub then: &'a RunState,
    /// Blobs.
    pub blobs: Blobs<'a>,
    /// What is known of versions that were compared before.
    pub compared: &'a Compared,
    /// Digest of a project file as it is on disk now.
    pub on_disk: &'a dyn Fn(&str) -> Option<Digest>,
    /// The same for what is only remarked of files of earlier decisions: one that stands unchanged is not read again.
    pub remembered: &'a dyn Fn(&str) -> Option<Digest>,
    /// Looks at a decision's signature.
    pub signatures: decisions::Signatures<'a>,
    /// Who signs.
    pub signer: Signer,
    /// The roles they answer for.
    pub roles: &'a [String],
    /// With which key.
    pub key: &'a str,
    /// What the run is about.
    pub subject: Option<String>,
    /// A file that a step reads, relative to the project, where it is there.
    pub read: &'a dyn Fn(&str) -> Option<String>,
    /// What of a step's declared outputs is there.
    pub expected: &'a dyn Fn(&[String]) -> Vec<Expected>,
    /// The moment that the validity of evidence is computed at, milliseconds since 1970.
    pub now: i64,
    /// Why nobody carries the run on, if nobody does.
    pub left_open: Option<String>,
    /// Who started the run, where another account carries it on.
    pub elsewhere: Option<String>,
    /// Who worked in the runs around and beside it, where it wants four eyes.
    pub beside: &'a [TookPart],
    /// The project's time zone, where it has one.
    pub zone: Option<Tz>,
}

/// A script plays its own story: whoever decides must not take what it shows for what the heading speaks of.
fn scripted(created: &RunCreated) -> Option<String> {
    let scenario = created.scenario.as_ref()?;
    let about = created.subject.as_ref()?;
    Some(format!(
        "“{}” was entered at the start, and the script “{}” does not use it: what is shown and reported here is the script's own, and may be about somebody else.",
        safe::in_quotes(about),
        safe::in_quotes(&scenario.name)
    ))
}

/// The brief of one round of a gate.
pub fn brief(
    workflow: &Workflow,
    state: &RunState,
    asked: &[GateRound],
    shown: usize,
    around: &BriefSources<'_>,
) -> GateBrief {
    let round = &asked[shown];
    let opened = &round.opened;
    let created = state.created.as_deref();
    let given_by = created.and_then(|created| people::given_by(created, workflow, &opened.instance.step));
    let attempt = state
        .steps
        .get(&opened.instance.step)
        .and_then(|s| s.visits.iter().find(|v| v.instance == opened.instance))
        // What it did since was not before whoever answered.
        .and_then(|v| {
            v.attempts
                .iter()
                .rfind(|a| a.ended_at.is_some_and(|at| at <= round.opened_at))
        });
    let result = attempt.and_then(|a| a.result.as_deref());
    let artifacts: Vec<_> = opened
        .shown
        .iter()
        .map(|made| {
            let before = asked[..shown].iter().rev().find_map(|r| {
                let made = r.opened.shown.iter().find(|a| a.path == made.path)?;
                let answer = r.answer.as_ref().map(|(decision, _)| decision);
                let was_named = answer.is_some_and(|decision| decision.undrawn.contains(&made.digest));
                Some(((r.opened.round, &made.digest), was_named))
            });
            let (earlier, was_named) = before.unzip();
            // Of what is decided the version that was decided on counts, whatever became of the file.
            let differs = round.answer.is_none() && (around.on_disk)(&made.path).is_some_and(|now| now != made.digest);
            let view = artifact::view_again(made, around.blobs, earlier, differs, around.compared);
            ArtifactView {
                unseen_before: view.changes.is_some() && was_named == Some(true),
                ..view
            }
        })
        .collect();
    let refusal = refusal(state, round, around.zone);
    let step = workflow.step(&opened.instance.step);
    let rules = engine::GateRules::of(created);
    let why = policy::tool(&opened.purpose, step)
        .unwrap_or_else(|| policy::words(&opened.why, step, &workflow.id, rules.policy));
    let of = evidence::present::Of {
        workflow,
        state,
        now: around.now,
        on_disk: Some(around.on_disk),
    };
    let (support, evidence) = context::support(&of, round);
    let context::Beside {
        tools,
        guardrails,
        checks: validated,
    } = context::beside(workflow, around.then, round);
    let purpose = asking::purpose(&opened.purpose);
    // Whoever carries the step out says that it is done: what is taken up with it is known before.
    // A stage's files may lie in its own folder as well.
    let is_carried_out = purpose == AskFor::Outcome
        && round.answer.is_none()
        && !state.is_rehearsal()
        && !workflow.contract().stage_outputs;
    let expected = step.filter(|_| is_carried_out).map(|step| {
        let outputs = step
            .outputs
            .iter()
            .map(|output| filled(workflow, state.created.as_deref(), output));
        (around.expected)(&outputs.collect::<Vec<_>>())
    });
    let expected = expected.unwrap_or_default();
    // What was said of the way here, and of what was shown, was said under this answer: it stays.
    let mut checks = way_here::checks(workflow, around.then, round);
    checks.extend(self::checks(around.then, &artifacts, opened));
    checks.extend(files_to_be_made(workflow, &expected));
    checks.extend(standards::checks(workflow, around.then, round));
    checks.extend(validated);
    if round.answer.is_some() {
        checks.extend(changed_after(workflow, state, opened));
    }
    // A file that is not there is the first thing to be said of a question about it.
    let about = step.filter(|_| purpose == AskFor::Approval);
    let mut remarks = about.map_or_else(Vec::new, |step| {
        let is_done = opened.at == model::GateAt::After;
        run::lifecycle::without_files(workflow, around.then, Some((step, is_done)))
    });
    remarks.extend(created.and_then(scripted));
    // What was made of it may be what is asked about.
    remarks.extend(run::lifecycle::deviations_by(workflow, around.then));
    let reader = people::Reader {
        name: &around.signer.name,
        roles: around.roles,
    };
    let told = people::of_round(workflow, state, round, reader, around.key);
    remarks.extend(told.warnings);
    if state.paused && round.answer.is_none() && !state.status.ended() {
        remarks.push(
            "This run is paused: your answer is kept, and the work goes on once somebody resumes the run.".to_owned(),
        );
    }
    if let Some(why) = around.left_open.as_ref().filter(|_| round.answer.is_none()) {
        remarks.push(format!(
            "{why} Your answer is kept; nothing follows from it until somebody takes the run up."
        ));
    }
    remarks.extend(confirmed_there(state, round, around));
    if purpose == AskFor::Way {
        let navigation = state
            .visit(&opened.instance)
            .and_then(|visit| visit.navigation.as_ref());
        let said = navigation.and_then(|navigation| navigation.said.as_ref());
        remarks.extend(said.map(|(said, _)| reasons::navigator(&asking::step_of(workflow, &opened.instance), said)));
    }
    let asked_about = opened.feedback.iter().filter_map(|id| state.feedback.get(id));
    remarks.extend(asked_about.map(|one| reasons::issue(workflow, one.last())));
    if purpose == AskFor::Outcome {
        remarks.extend(feedback::for_step(workflow, around.then, &opened.instance.step));
    }
    // What was asked before the work was decided without anything that the work showed.
    let came_later = round.answer.is_some() && opened.at == model::GateAt::Before;
    // A rehearsal goes by no file.
    if purpose == AskFor::Approval && !state.is_rehearsal() {
        remarks.extend(changed_on_disk(&artifacts));
    }
    // What a person says of a step that they carry out is the answer, not something to decide about.
    let said = result.filter(|_| matches!(purpose, AskFor::Approval | AskFor::Way) && !came_later);
    let unchanged = rounds::unchanged(asked, shown, &around.signer.name);
    let mut versions = decisions::Versions::new(around.then, round, around.remembered);
    GateBrief {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        run_status: status::run_status(state),
        rehearsal: created.is_some_and(engine::RunCreated::is_rehearsal),
        scripted: created
            .and_then(|created| created.scenario.as_ref())
            .map(|scenario| safe::visible(&scenario.name)),
        gate: opened.gate.to_string(),
        round: opened.round,
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        workflow_path: created.map(|c| c.path.clone()).unwrap_or_default(),
        source_gone: false,
        subject: around.subject.clone(),
        entered: words::entered(workflow, created)
            .into_iter()
            .map(|(name, value)| FieldView { name, value })
            .collect(),
        step: words::step_at(workflow, created, &opened.instance),
        instance: asking::instance(&opened.instance.path),
        steps_total: workflow.steps().len() as u32,
        purpose,
        question: opened.question.clone(),
        is_question: asking::is_question(&opened.purpose),
        instructions_html: instructions(workflow, state, opened, &expected),
        reports: match round.answer.is_none() {
            true => consequences::reports(workflow, state, opened),
            false => Vec::new(),
        },
        command: command(workflow, opened),
        needs: match &opened.purpose {
            engine::Purpose::Permission { needs } => needs.clone(),
            _ => Vec::new(),
        },
        why,
        why_code: opened.why.to_string(),
        waiting_since: round.since.0,
        wanted_by: state.wanted_by(round).filter(|_| refusal.is_none()).map(|by| by.0),
        asks: opened.asks.iter().map(ToString::to_string).collect(),
        role: people::role(opened),
        asks_other: !people::asks(opened, given_by, &around.signer.name, around.roles),
        before_work: opened.at == model::GateAt::Before && opened.purpose == engine::Purpose::Approval,
        remarks,
        notes: told.notes,
        earlier: decisions::before(workflow, state, round, around.signatures, &mut versions),
        materials: decisions::materials(workflow, state, round, around.read, &mut versions),
        before: before(workflow, state, round),
        said: said.map(|r| r.output.trim().to_owned()).filter(|s| !s.is_empty()),
        report: said.map(|r| words::reported(&r.report)).unwrap_or_default(),
        checks,
        artifacts,
        phase: step.and_then(|step| step.phase.clone()),
        tool: context::tool(workflow, opened, state.is_rehearsal()),
        guardrails,
        tools,
        support,
        evidence,
        record: context::record(workflow, opened),
        answers: asking::offered(&opened.purpose)
            .into_iter()
            .map(|(answer, way)| {
                let refusal = refusal
                    .clone()
                    .or_else(|| another(workflow, state, round, (answer, way), around))
                    .or_else(|| permitted_there(&opened.purpose, answer, around));
                let preview = consequences::preview(workflow, state, round, (answer, way), refusal);
                AnswerPreview {
                    confirm: without_files(workflow, &expected, &preview),
                    ..preview
                }
            })
            .collect(),
        missed: way_here::missed(workflow, around.then, round),
        again: match purpose {
            AskFor::Outcome => rounds::again(workflow, state, asked, shown, &around.signer.name),
            AskFor::Approval if unchanged.is_none() => rounds::sent_back(asked, shown, &around.signer.name),
            _ => None,
        },
        unchanged,
        left_open: around.left_open.clone(),
        rounds: asked
            .iter()
            .map(|one| decisions::beside(workflow, state, (one, round), around.signatures))
            .collect(),
        came: came_of(workflow, state, round),
        around: None,
        answered: round
            .answer
            .as_ref()
            .map(|_| decisions::round(workflow, state, round, around.signatures)),
        signer: around.signer.clone(),
    }
}

/// That a run ended with an answer, or has ended since without asking anybody else, and whether it can be gone on with.
fn came_of(workflow: &Workflow, state: &RunState, round: &GateRound) -> Option<String> {
    let (decision, at) = round.answer.as_ref()?;
    let mut others = state.gates.values().flatten();
    let went_on = others.any(|other| other.opened_at > *at || other.answer.as_ref().is_some_and(|(_, when)| when > at));
    if went_on {
        return None;
    }
    let then = match run::present::reopening(workflow, state) {
        Some(Ok(())) => " Nothing of it is lost: open the run to resume it where it stopped.",
        _ => "",
    };
    if !matches!(decision.answer, Answer::Fail | Answer::Reject) {
        let why = match state.error.as_deref().map(str::trim) {
            Some(error) if !error.is_empty() => format!(": {}", safe::visible(error)),
            _ => ".".to_owned(),
        };
        let stop = if why.ends_with(['.', '!', '?', '”']) { "" } else { "." };
        return Some(match state.outcome()? {
            Outcome::Done => "Since then the run has ended: it is done.".to_owned(),
            Outcome::Failed => format!("Since then the run has ended, as failed{why}{stop}{then}"),
            Outcome::Refused(_) => format!("Since then the run has ended, as rejected{why}{stop}{then}"),
            Outcome::Stopped => format!("Since then the run has ended, as stopped{why}{stop}{then}"),
            Outcome::CompletedWithFailures => format!("Since then the run has ended, with failures.{then}"),
            Outcome::Aborted => return None,
        });
    }
    // What fails later, somewhere else, does not follow from this answer.
    let later = |visit: &&engine::Visit| {
        visit.instance != round.opened.instance && visit.attempts.iter().any(|a| a.started_at >= *at)
    };
    if !state.has_stages() && state.visits().iter().any(later) {
        return None;
    }
    let how = match state.outcome()? {
        Outcome::Failed => "as failed",
        Outcome::Refused(_) => "as rejected",
        Outcome::Stopped => "as stopped",
        Outcome::CompletedWithFailures => "with failures: what waits for this step was left out",
        Outcome::Done | Outcome::Aborted => return None,
    };
    Some(format!("With this answer the run ended {how}.{then}"))
}

fn refusal(state: &RunState, round: &GateRound, zone: Option<Tz>) -> Option<Refused> {
    if let Some((d, at)) = &round.answer {
        return Some(Refused {
            code: RefusalCode::AlreadyAnswered,
            message: asking::decided(&round.opened.purpose, d, *at, zone),
        });
    }
    if state.status.ended() {
        return Some(Refused {
            code: RefusalCode::RunEnded,
            message: "The run has ended.".into(),
        });
    }
    let is_this = |open: &&GateRound| open.opened.gate == round.opened.gate && open.opened.round == round.opened.round;
    if !state.open_gates().iter().any(is_this) {
        return Some(Refused {
            code: RefusalCode::GateNotOpen,
            message: "The stage was cut off before this was answered; the question is not asked any more.".into(),
        });
    }
    None
}

/// Whether it takes somebody else than this person to let the run go on from a gate, whichever answer would. `beside`: who worked in the runs
/// around and beside it.
pub fn takes_another(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    hand: engine::Hand<'_>,
    beside: &[TookPart],
) -> bool {
    let goes_on = |(answer, _): &(Answer, _)| !matches!(answer, Answer::Changes | Answer::Reject);
    let mut onwards = asking::offered(&opened.purpose).into_iter().filter(goes_on);
    onwards.all(|(answer, way)| {
        let way = way.map(|way| way.id.as_str());
        let given = (answer, way);
        state.wants_another(workflow, opened, given, hand).is_some()
            || state
                .wants_another_beside(workflow, opened, given, hand, beside)
                .is_some()
    })
}

/// That it takes somebody else than this person to give this answer.
fn another(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    (answer, way): (Answer, Option<&engine::Way>),
    around: &BriefSources<'_>,
) -> Option<Refused> {
    let hand = engine::Hand {
        name: &around.signer.name,
        key_name: None,
        key: Some(around.key),
        unseen: false,
    };
    let way = way.map(|way| way.id.as_str());
    let (opened, given) = (&round.opened, (answer, way));
    let message = state
        .wants_another(workflow, opened, given, hand)
        .or_else(|| state.wants_another_beside(workflow, opened, given, hand, around.beside))?;
    Some(Refused {
        code: RefusalCode::FourEyes,
        message,
    })
}

/// That a permission is given where the run is carried on.
fn permitted_there(purpose: &Purpose, answer: Answer, around: &BriefSources<'_>) -> Option<Refused> {
    let who = around.elsewhere.as_ref()?;
    asking::permits(purpose, answer).then(|| Refused {
        code: RefusalCode::AnswerNotOffered,
        message: asking::permitted_there(who),
    })
}

/// Of a question in a run that another account carries on: that it goes on with an answer whose key is known there. That of whoever has answered
/// in the run before, and has seen it go on, is.
fn confirmed_there(state: &RunState, round: &GateRound, around: &BriefSources<'_>) -> Option<String> {
    let who = around.elsewhere.as_ref().filter(|_| round.answer.is_none())?;
    let is_own = |round: &GateRound| {
        let answer = round.answer.as_ref();
        answer.and_then(|(decision, _)| people::key(decision)) == Some(around.key)
    };
    let is_known = state.gates.values().flatten().any(is_own);
    (!is_known).then(|| {
        format!(
            "Another account carries this run on; {who} started it. It goes on with your answer once your key ({}) is confirmed there, and stops at \
             it until then.",
            around.signer.key_short
        )
    })
}

/// Most of what one step said that a brief shows, in characters, and of how many steps.
const SAID_MOST: usize = 4_000;
const SAID_STEPS: usize = 5;

/// What the steps before a person's step said, since a person was last asked for an outcome; where nobody has done anything since then, as
/// in a run that was taken up at this very step, since that was so of another step.
fn before(workflow: &Workflow, state: &RunState, round: &GateRound) -> Vec<SaidView> {
    if asking::purpose(&round.opened.purpose) != AskFor::Outcome {
        return Vec::new();
    }
    let own = &round.opened.instance.step;
    let since = |counts: &dyn Fn(&StepId) -> bool| {
        let asked = state.gates.values().flatten();
        asked
            .filter(|other| asking::purpose(&other.opened.purpose) == AskFor::Outcome)
            .filter(|other| counts(&other.opened.instance.step))
            .filter_map(|other| other.answer.as_ref().map(|(_, at)| *at))
            .filter(|at| *at <= round.opened_at)
            .max()
    };
    let mut done = done_since(state, round, since(&|_| true));
    if done.is_empty() {
        done = done_since(state, round, since(&|step| step != own));
    }
    let mut said: Vec<SaidView> = done
        .into_iter()
        .filter_map(|(instance, result)| said(workflow, instance, result))
        .take(SAID_STEPS)
        .collect();
    said.reverse();
    said
}

/// What visits came to between these two moments, the latest first. Of the step that is asked about only how it failed for whoever had
/// it before: nobody sees their own words.
fn done_since<'s>(state: &'s RunState, round: &GateRound, since: Option<At>) -> Vec<(&'s Instance, &'s StepResult)> {
    let own = &round.opened.instance.step;
    let counts = |at: &At| *at <= round.opened_at && since.is_none_or(|since| *at > since);
    // Somebody else has failed at it.
    let is_taken_over =
        |visit: &Visit| round.opened.why == GateReason::Escalated && visit.instance == round.opened.instance;
    let visits = state.visits().into_iter().rev();
    let done = visits.filter_map(|visit| {
        let mut attempts = visit.attempts.iter().rev();
        let attempt = attempts.find(|attempt| attempt.ended_at.as_ref().is_some_and(counts))?;
        let counts = visit.instance.step != *own || !attempt.started.is_by_people() || is_taken_over(visit);
        Some((&visit.instance, attempt.result.as_deref().filter(|_| counts)?))
    });
    done.collect()
}

/// What a visit said; where a script said nothing, the script: whoever is asked about its work reads there what it was to do. `None`: neither.
fn said(workflow: &Workflow, instance: &Instance, result: &StepResult) -> Option<SaidView> {
    let said = safe::plain(result.output.trim());
    let script = || match &workflow.step(&instance.step)?.work {
        Work::Command { script, .. } => Some(script_shown(script)),
        _ => None,
    };
    let is_script = said.is_empty();
    let text = if is_script { script()? } else { said };
    let from = text.chars().count().saturating_sub(SAID_MOST);
    Some(SaidView {
        step: words::step_ref(workflow, &instance.step),
        status: match result.status {
            engine::ExecutionStatus::Failed => Status::Failed,
            engine::ExecutionStatus::Skipped => Status::Skipped,
            engine::ExecutionStatus::Blocked => Status::Blocked,
            engine::ExecutionStatus::Succeeded => Status::Done,
        },
        text: text.chars().skip(from).collect(),
        is_script,
    })
}

/// What a person is to do, as sanitised HTML: what the workflow says of the step, with the runbooks it names.
fn instructions(workflow: &Workflow, state: &RunState, opened: &GateOpened, expected: &[Expected]) -> Option<String> {
    let step = workflow.step(&opened.instance.step)?;
    if !matches!(opened.purpose, engine::Purpose::Outcome { .. }) && workflow.contract().prose != Prose::Markdown
        || opened.purpose == engine::Purpose::Approval
    {
        return None;
    }
    let filled = |text: &str| filled(workflow, state.created.as_deref(), text);
    let mut html = match workflow.contract().prose {
        Prose::Markdown => step.intent.as_deref().map(document::html).unwrap_or_default(),
        Prose::Plain => {
            let lines = step.intent.iter().flat_map(|intent| intent.split("\n\n"));
            let lines = lines.map(str::trim).filter(|text| !text.is_empty());
            lines
                .map(|text| format!("<p>{}</p>", markdown::escape(&safe::visible_text(&filled(text)))))
                .collect()
        }
    };
    if let Work::SubWorkflow { files } = &step.work {
        html.push_str("<ul>");
        for file in files {
            html.push_str(&format!(
                "<li><code>{}</code></li>",
                markdown::escape(&safe::visible(file))
            ));
        }
        html.push_str("</ul>");
    }
    for paragraph in instructed(step) {
        html.push_str(&format!(
            "<p>{}</p>",
            markdown::escape(&safe::visible_text(&filled(&paragraph)))
        ));
    }
    // What is not there when they say that it is done lets the step fail.
    if matches!(opened.purpose, engine::Purpose::Outcome { .. }) && !step.outputs.is_empty() {
        let files = step.outputs.iter().map(|output| {
            let output = filled(output);
            let model::step::Output { path, optional } = model::step::Output::of(&output);
            let known = expected.iter().find(|file| file.written == path);
            let stands = known.map(|file| match (file.there, optional) {
                (0, true) => " – not there".to_owned(),
                (0, false) => " – not there yet".to_owned(),
                (1, _) => " – there".to_owned(),
                (n, _) => format!(" – {n} files are there"),
            });
            // Once it is answered: what the step was done without.
            let unmade =
                || run::lifecycle::is_unmade(state, &opened.instance, path).then(|| " – was not made".to_owned());
            let stands = stands.or_else(unmade);
            let path = known.map_or(path, |file| &file.path);
            format!(
                "<li><code>{}</code>{}{}</li>",
                markdown::escape(&safe::visible(path)),
                if optional { " (may be left out)" } else { "" },
                stands.unwrap_or_default(),
            )
        });
        let files: String = files.collect();
        html.push_str(&format!("<p>Files that this step makes:</p><ul>{files}</ul>"));
    }
    Some(html).filter(|html| !html.trim().is_empty())
}

/// What instructions beside a step's own words tell whoever carries it out: those of a BMAD file, with what its names stand for.
fn instructed(step: &Step) -> Vec<String> {
    let text = |name: &str| {
        step.parameters
            .get(name)
            .and_then(serde_json::Value::as_str)
            .unwrap_or_default()
    };
    let names = step.parameters.get("variables").and_then(serde_json::Value::as_object);
    let named = |mut paragraph: String| {
        for (name, value) in names.into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            paragraph = paragraph
                .replace(&format!("{{{{{name}}}}}"), value)
                .replace(&format!("{{{name}}}"), value);
        }
        paragraph
    };
    let told = ["for_every_step", "instructions"].map(|name| dialect::bmad::told(text(name)));
    told.into_iter().flatten().map(named).collect()
}

/// A whole script, each hidden character of it written out, a return at the end of a line too: the shell takes it for a letter.
fn script_shown(script: &str) -> String {
    let lines = script.trim_end_matches('\n').split('\n');
    lines.map(safe::visible).collect::<Vec<_>>().join("\n")
}

/// The script of the step that a question is about, except of one about what the step has made.
pub(crate) fn command(workflow: &Workflow, opened: &GateOpened) -> Option<String> {
    if opened.purpose == engine::Purpose::Approval {
        return None;
    }
    match &workflow.step(&opened.instance.step)?.work {
        Work::Command { script, .. } => Some(script_shown(script)),
        _ => None,
    }
}

fn checks(state: &RunState, artifacts: &[ArtifactView], opened: &GateOpened) -> Vec<CheckView> {
    let mut out = Vec::new();
    if opened.purpose == engine::Purpose::Approval {
        out.extend(carried_out(state, &opened.instance.step));
    }
    for a in artifacts {
        if a.differs_on_disk {
            // What no step has made was not changed after one made it.
            let since = match a.was_there {
                true => "It was there before the run began, and was changed after the step took it up.",
                false => "It was changed after the step made it.",
            };
            let then = match opened.purpose {
                Purpose::Outcome { .. } => {
                    "You see the version that the run knows here, and work with the one on disk."
                }
                _ => {
                    "You decide on the version shown here; what comes next finds the one on disk, and the record says so then."
                }
            };
            out.push(CheckView {
                name: format!("{} on disk is another version", words::file_name(&a.path)),
                status: Status::Waiting,
                detail: format!("{since} {then}"),
            });
        }
    }
    out
}

/// The files of an answered round that were another version when a later step began: the log says it of what was approved.
fn changed_after(workflow: &Workflow, state: &RunState, opened: &GateOpened) -> Vec<CheckView> {
    let mut found: BTreeMap<&str, CheckView> = BTreeMap::new();
    for (instance, result) in state.results() {
        let lifecycle = result.lifecycle.as_deref();
        let differing = lifecycle.into_iter().flat_map(|lifecycle| &lifecycle.not_as_approved);
        for file in differing.filter(|file| file.gate == opened.gate && file.round == opened.round) {
            let step = asking::step_of(workflow, instance);
            found.entry(file.path.as_str()).or_insert_with(|| CheckView {
                name: match &file.approved {
                    Some(_) => format!("{} was changed after it was shown", words::file_name(&file.path)),
                    None => format!("{} was added after the rest was shown", words::file_name(&file.path)),
                },
                status: Status::Waiting,
                detail: match &file.found {
                    _ if file.approved.is_none() => {
                        format!("{step} began with it, and it is none of what is shown here. Its digest is on record.")
                    }
                    Some(_) => format!(
                        "{step} began with another version than the one shown here. Both digests are on record."
                    ),
                    None => format!("It was gone, or could not be read, when {step} began."),
                },
            });
        }
    }
    found.into_values().collect()
}

/// What an answer is about and what follows it finds are two things, where files were changed since they were made: whoever answers is to know
/// it before.
fn changed_on_disk(artifacts: &[ArtifactView]) -> Option<String> {
    let changed = artifacts.iter().filter(|a| a.differs_on_disk);
    let names: Vec<String> = changed.map(|a| words::file_name(&a.path)).collect();
    let (is, file, they) = match names.len() {
        1 => ("is another version", "file", "it is"),
        _ => ("are other versions", "files", "they are"),
    };
    let names = people::listed(&names, "and")?;
    Some(format!(
        "{names} on disk {is} by now than what is shown here. An approval is of what is shown; what comes next finds the {file} on disk, and the \
         record says then that {they} not what was approved."
    ))
}

/// Whether the files are there that a step makes which a person carries out, and what the answer PASS means where they are not.
fn files_to_be_made(workflow: &Workflow, expected: &[Expected]) -> Option<CheckView> {
    let wanted: Vec<&Expected> = expected.iter().filter(|file| !file.optional).collect();
    let missing = wanted.iter().filter(|file| file.there == 0).count();
    let detail = match (wanted.len(), missing) {
        (0, _) => return None,
        (1, 0) => "the one that it makes is there".to_owned(),
        (all, 0) => format!("all {all} are there"),
        (all, missing) => {
            let then = match workflow.contract().lifecycle {
                true => "with PASS as it stands the step fails",
                false => "PASS takes up those that are there",
            };
            format!(
                "{missing} of {all} {} not there yet; {then}",
                if missing == 1 { "is" } else { "are" }
            )
        }
    };
    Some(CheckView {
        name: "The files of this step".to_owned(),
        status: if missing == 0 { Status::Done } else { Status::Waiting },
        detail,
    })
}

/// What somebody is asked once more who says that a step is done whose files are not there; `None`: they are, or that is not said.
fn without_files(workflow: &Workflow, expected: &[Expected], preview: &AnswerPreview) -> Option<String> {
    if preview.answer != Answer::Pass {
        return None;
    }
    let missing = expected.iter().filter(|file| !file.optional && file.there == 0);
    let names: Vec<String> = missing.map(|file| safe::visible(&file.path)).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let then = match workflow.contract().lifecycle {
        true => ", and with that the step fails",
        false => "",
    };
    let (names, label) = (people::listed(&names, "and")?, &preview.label);
    Some(format!("{names} {are} not there{then}. {label} all the same?"))
}

fn carried_out(state: &RunState, step: &StepId) -> Option<CheckView> {
    // Where a person refused what it wanted to do, nothing was tried.
    let never_begun = run::instances::never_begun(state, step);
    let never_begun: Vec<u32> = never_begun.into_iter().map(|visit| visit.instance.visit).collect();
    let visits = state.visits_of(step);
    let tried = visits.filter(|visit| !never_begun.contains(&visit.instance.visit));
    let tried: Vec<_> = tried.flat_map(|visit| &visit.attempts).collect();
    let attempts = tried.len();
    let failed = tried
        .into_iter()
        .filter(|a| a.interrupted.is_some() || a.result.as_ref().is_some_and(|r| r.error.is_some()))
        .count();
    if state.is_rehearsal() {
        return (attempts > 0).then(|| CheckView {
            name: "The step was rehearsed".into(),
            status: Status::Skipped,
            detail: "it was simulated: nothing was carried out".into(),
        });
    }
    (attempts > 0).then(|| CheckView {
        name: "The step was carried out".into(),
        status: if failed == 0 { Status::Done } else { Status::Waiting },
        detail: if failed == 0 {
            "without a failure".into()
        } else {
            format!("{failed} of {attempts} attempts failed or were cut off")
        },
    })
}
