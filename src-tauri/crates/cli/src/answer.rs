//! `gatehouse answer`, `pause`, `goto`, `abort`.

use crate::arguments::{Abort, Answer, Goto, Lasting, OfRun, Word};
use crate::out;
use crate::out::{Exit, Failure};
use crate::{hint, project};
use std::collections::BTreeSet;
use std::path::Path;
use studio::command::{ActOn, AnswerOf};
use studio::run::view::RunAction;
use studio::text::safe;
use studio::{ApiError, RunId, Studio};

/// Of a field that is reported twice nobody knows which value is meant.
fn each_once(report: &[(String, String)]) -> Result<(), Failure> {
    let mut fields = BTreeSet::new();
    match report.iter().find(|(field, _)| !fields.insert(field)) {
        None => Ok(()),
        Some((field, _)) => {
            let what = format!("The field “{field}” is reported twice.");
            Err(Failure(ApiError::new("bad_parameters", what).hint("Report it once.")))
        }
    }
}

impl From<Word> for studio::Answer {
    fn from(word: Word) -> Self {
        match word {
            Word::Approve => Self::Approve,
            Word::Changes => Self::Changes,
            Word::Reject => Self::Reject,
            Word::Pass | Word::Yes => Self::Pass,
            Word::Fail | Word::No => Self::Fail,
            Word::Choose => Self::Choose,
        }
    }
}

/// Answers a gate.
pub async fn answer(at: Option<&Path>, a: &Answer) -> Result<Exit, Failure> {
    each_once(&a.report)?;
    let studio = project::recorded(at)?;
    let by = a.by.clone().unwrap_or_else(|| studio.identity().person().name);
    if by.trim().is_empty() {
        return Err(Failure(
            ApiError::new("refused:name_required", "A decision needs a name under it.").hint("Give it with --by NAME."),
        ));
    }
    let (run, gate, round) = studio.find_gate(&a.run, &a.gate, a.round)?;
    let answer = studio::Answer::from(a.answer);
    let lasting = match a.lasting {
        Lasting::Once => None,
        Lasting::Run => Some(studio::Lasting::Run),
        Lasting::Always => Some(studio::Lasting::Always),
    };
    let reported = studio.values_typed(run.as_str(), &gate, round, &a.report)?;
    let of = AnswerOf {
        run_id: run.to_string(),
        gate,
        round,
        answer,
        comment: a.comment.clone(),
        seen: Vec::new(),
        undrawn: None,
        lasting,
        way: a.way.clone(),
        report: reported.report,
        by: None,
    };
    // Answering it is taken for having seen it.
    let another = studio.another_log(&run);
    // Of a round that was not asked the refusal says so.
    let shown = studio.shown_when_asked(&of.run_id, &of.gate, round);
    let (shown, added) = shown.unwrap_or_default();
    let question = studio.question_of(&of.run_id, &of.gate, round)?.unwrap_or_default();
    // The record says that they were seen.
    let about = studio::About {
        shown,
        ..studio::About::default()
    };
    hint::about_lines(&about, studio.is_rehearsal(&run))
        .iter()
        .for_each(out::line);
    let warned = studio.decide(of, &by).await?;
    for sentence in warned {
        out::note(format!("note: {sentence}"));
    }
    if let Some(another) = another {
        out::note(format!("note: {another}"));
    }
    for remark in reported.remarks {
        out::note(format!("note: {remark}"));
    }
    for path in added {
        out::note(format!(
            "note: {path} was added after it was asked: nobody was shown it, and the answer is not about it"
        ));
    }
    out::line(format!(
        "answered round {round} of “{}”, signed by {} with key {}",
        safe::in_quotes(&safe::shortened(&question, out::LONGEST)),
        by.trim(),
        studio.key_short()
    ));
    if studio.is_rehearsal(&run) {
        out::line(crate::run::REHEARSAL);
    }
    if let Some(name) = studio.other_name(&by) {
        out::note(format!(
            "this key belongs to {name}; the record says that {} answered with it",
            by.trim()
        ));
    }
    say_how_it_stands(&studio, &run)?;
    Ok(Exit::Done)
}

/// Says how a run stands behind an answer: that it has ended, or who goes on with it.
fn say_how_it_stands(studio: &Studio, run: &RunId) -> Result<(), Failure> {
    let head = studio.run_head(run)?;
    if head.outcome.is_some() {
        out::line(format!("the run has ended: {}", out::in_line(&head.status_words)));
        if let Some(error) = &head.error {
            out::line(format!("error: {}", out::in_line(error)));
        }
    }
    // Whoever drives the run around it drives this one too.
    let outermost = studio.outermost(run)?;
    let kept = studio.kept_inside(&outermost)?;
    if studio.is_paused(run.as_str())? {
        out::line(format!(
            "the run is paused, and goes on when it is resumed: {}",
            hint::resume(run)
        ));
    } else if !kept.is_empty() {
        kept.iter().for_each(|inside| out::line(hint::inside(inside)));
    } else if !studio.has_ended(outermost.as_str())? {
        // That this one has ended is said above.
        let which = match head.outcome.is_some() {
            true => "the run around it",
            false => "the run",
        };
        out::line(match studio.is_driven(run) || studio.is_driven(&outermost) {
            true => format!("{which} goes on in the program that drives it"),
            false => format!("nobody drives {which} now; go on with: {}", hint::resume(&outermost)),
        });
    }
    Ok(())
}

/// What `pause`, `goto` and `abort` take.
pub trait OnRun {
    /// The run.
    fn run(&self) -> &str;
    /// Whether what it comes to is printed as JSON.
    fn json(&self) -> bool {
        false
    }
    /// Why.
    fn reason(&self) -> Option<String> {
        None
    }
    /// Where to.
    fn to(&self) -> Option<String> {
        None
    }
}

impl OnRun for OfRun {
    fn run(&self) -> &str {
        &self.run
    }
    fn json(&self) -> bool {
        self.json
    }
}

impl OnRun for Goto {
    fn run(&self) -> &str {
        &self.run
    }
    fn to(&self) -> Option<String> {
        Some(self.step.clone())
    }
}

impl OnRun for Abort {
    fn run(&self) -> &str {
        &self.run
    }
    fn reason(&self) -> Option<String> {
        Some(self.reason.clone())
    }
}

/// Pauses, sends elsewhere or ends a run.
pub async fn act(at: Option<&Path>, a: &impl OnRun, action: RunAction) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    let of = ActOn {
        reason: a.reason(),
        to: a.to(),
        ..ActOn::new(a.run(), action)
    };
    let view = studio.act(of).await?;
    if a.json() {
        out::json(&view);
        return Ok(Exit::Done);
    }
    out::line(format!("{}: {}", view.workflow_title, view.status_words));
    if matches!(action, RunAction::Pause) {
        for inside in studio.goes_on_inside(&RunId::from(view.run_id.as_str()))? {
            out::note(format!("note: {}", hint::inside(&inside)));
        }
    }
    Ok(Exit::Done)
}
