//! The lines from step to step of a runbook: each stands in a transition (seed 002 "Transitions"), or in the order of the file alone.
//!
//! A line that is drawn, cut or led elsewhere is the action of one transition; what else stands in the file stays as it is.

use super::change::Change;
use super::id::{self, Id, Part};
use super::transition::Read;
use super::unit::Unit;
use super::write::Writer;
use super::{Runbook, read};
use crate::document::Document;
use crate::edit::EditError;
use crate::said::called;
use crate::sound::sound;
use crate::text::{TextEdit, apply, compose};
use model::{Action, Flow, FlowEdit, FlowKind, Jump, Quantifier, Route, Step, StepId, Way, ways};

type Edits = Result<Vec<TextEdit>, EditError>;

/// A runbook whose lines are changed.
pub(super) struct Lines<'a> {
    pub(super) runbook: &'a Runbook,
    pub(super) document: &'a Document,
}

/// A line that is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Where it leaves: the step that decides, or the container that does.
    pub(super) from: &'a Step,
    /// The step that it reaches: of a container the first one in it.
    pub(super) to: &'a Step,
    pub(super) stands: Stands,
}

/// Where a line stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Nowhere: the next step follows where no transition says otherwise.
    Order,
    /// In the RETRY of the transition for this outcome.
    Retry(bool),
    /// In what the transition for this outcome does at last.
    Action(bool),
}

/// What the transition of a step for an outcome is to say.
#[derive(Debug, Clone)]
pub(super) struct Saying {
    pub(super) step: usize,
    pub(super) passed: bool,
    /// Its whole action; `None`: there is no transition.
    pub(super) action: Option<String>,
}

/// What follows a step that has an outcome.
#[derive(Debug, Clone, Copy)]
pub(super) enum Follows<'a> {
    Step(&'a Step),
    /// The container puts the outcomes of what it contains together.
    Container(&'a Step),
    Complete,
    Stop,
}

impl<'a> Lines<'a> {
    pub(super) fn of(runbook: &'a Runbook, document: &'a Document) -> Self {
        Self { runbook, document }
    }

    pub(super) fn steps(&self) -> &'a [Step] {
        self.runbook.workflow.steps()
    }

    pub(super) fn step(&self, id: &StepId) -> Result<&'a Step, EditError> {
        self.runbook.workflow.step(id).ok_or_else(|| EditError::no_step(id))
    }

    fn unit(&self, step: &Step) -> &'a Unit {
        &self.runbook.units[step.ordinal]
    }

    /// The transition of a step for an outcome: of two the first one counts.
    pub(super) fn written(&self, step: &Step, passed: bool) -> Option<&'a Read> {
        let mut all = self.unit(step).transitions.iter();
        all.find(|read| read.transition.passed == passed)
    }

    /// The container of a step, where that puts the outcomes in it together.
    pub(super) fn decides(&self, step: &Step) -> Option<&'a Step> {
        self.runbook
            .workflow
            .container(step)
            .filter(|around| ways::decides(around))
    }

    /// What CONTINUE leads to (CONTRACTS "Rundown").
    pub(super) fn onward(&self, step: &Step) -> Follows<'a> {
        let workflow = &self.runbook.workflow;
        if let Some(next) = workflow.sibling_after(step) {
            return Follows::Step(next);
        }
        match (self.decides(step), workflow.container(step)) {
            (Some(around), _) => Follows::Container(around),
            (None, Some(around)) => workflow.sibling_after(around).map_or(Follows::Complete, Follows::Step),
            (None, None) => Follows::Complete,
        }
    }

    /// Whether the order of the file leads from a step to another. Where a named step stands means nothing: what follows it in the file
    /// does not follow it in its sense.
    pub(super) fn is_next(&self, from: &Step, to: &Step) -> bool {
        let workflow = &self.runbook.workflow;
        let Follows::Step(next) = self.onward(from) else {
            return false;
        };
        let beside = workflow.sibling_after(from).is_some();
        let left = if beside { Some(from) } else { workflow.container(from) };
        let leaves_named = left.is_some_and(|step| step.jump_only);
        !leaves_named && workflow.entered_at(next).ordinal == workflow.entered_at(to).ordinal
    }

    /// Whether a line is the order of the file, said in a transition.
    pub(super) fn continues(&self, line: &Line<'_>) -> bool {
        let Stands::Action(passed) = line.stands else {
            return false;
        };
        self.is_next(line.from, line.to) && self.says_continue(line.from, passed)
    }

    fn says_continue(&self, step: &Step, passed: bool) -> bool {
        let read = self.written(step, passed);
        read.is_some_and(|read| *read.transition.action.last() == Action::Continue)
    }

    /// Whether a step goes on in the order of the file when it has an outcome, said or not.
    pub(super) fn leads_on(&self, step: &Step, passed: bool) -> bool {
        self.says_continue(step, passed) || passed && self.written(step, passed).is_none()
    }

    pub(super) fn edit(&self, edit: &FlowEdit) -> Edits {
        self.put(&self.plan(edit)?)
    }

    /// What the transitions are to say after a gesture.
    pub(super) fn plan(&self, edit: &FlowEdit) -> Result<Vec<Saying>, EditError> {
        match edit {
            FlowEdit::Connect { from, to, way } => self.connect(self.readable(from)?, self.step(to)?, way.as_ref()),
            FlowEdit::Disconnect { from, to, label } => {
                let line = self.line(self.readable(from)?, self.step(to)?, label.as_deref())?;
                Ok(vec![self.cut(line)?])
            }
            FlowEdit::Route { step, to } => self.route(self.readable(step)?, to),
            FlowEdit::Add { .. } | FlowEdit::Duplicate { .. } | FlowEdit::Level { .. } | FlowEdit::Gate { .. } => {
                Ok(Vec::new())
            }
        }
    }

    /// A step whose transitions can all be read: what cannot be is not written beside.
    pub(super) fn readable(&self, id: &StepId) -> Result<&'a Step, EditError> {
        let step = self.step(id)?;
        match self.unit(step).broken.is_empty() {
            true => Ok(step),
            false => Err(EditError::unsound(format!(
                "a transition of {} cannot be read; mend it in the source first",
                called(id)
            ))),
        }
    }

    fn connect(&self, from: &'a Step, to: &'a Step, way: Option<&Way>) -> Result<Vec<Saying>, EditError> {
        let again = from.ordinal == to.ordinal && !to.dynamic;
        match way {
            Some(Way::Back { until: Some(_), .. }) => Err(no_values()),
            None | Some(Way::Back { most: None, .. }) if again => self.retry(from, None),
            Some(Way::Back { most, .. }) if again => self.retry(from, *most),
            None | Some(Way::Next | Way::Back { most: None, .. }) => self.lead(from, to, true),
            Some(Way::Back { most: Some(_), .. }) => Err(no_bound()),
            Some(Way::Value { field: None, value }) => self.lead(from, to, outcome(value)?),
            Some(Way::Value { field: Some(_), .. }) => Err(no_values()),
            Some(Way::Beside) => Err(one_by_one()),
            Some(Way::Waits) => Err(EditError::unfit(
                "no step of a runbook waits for another; lead the earlier one to the later one",
            )),
            Some(Way::Rejected) => Err(EditError::unfit(
                "a runbook has no gates; a question that is answered with no leads on as a step that fails does",
            )),
        }
    }

    fn route(&self, step: &'a Step, route: &Route) -> Result<Vec<Saying>, EditError> {
        match route {
            Route::Next { to } => self.lead(step, self.step(to)?, true),
            Route::End => Ok(self.end(step, true)?.into_iter().collect()),
            Route::Loop {
                back,
                most,
                field,
                values,
                next,
            } => {
                let until_passed = values.iter().all(|value| matches!(outcome(value), Ok(true)));
                if field.is_some() || !until_passed {
                    return Err(no_values());
                }
                if self.step(back)?.ordinal != step.ordinal {
                    return Err(no_bound());
                }
                let mut plan = self.retry(step, Some(*most))?;
                if let Some(next) = next {
                    plan.extend(self.lead(step, self.step(next)?, true)?);
                }
                Ok(plan)
            }
            Route::Branch { field, branches, next } => {
                if field.is_some() {
                    return Err(no_values());
                }
                self.branch(step, branches, next.as_ref())
            }
            Route::Fork { .. } => Err(one_by_one()),
        }
    }

    /// By the outcome, which is all that a step of a runbook decides by.
    fn branch(
        &self,
        step: &'a Step,
        branches: &[(String, StepId)],
        next: Option<&StepId>,
    ) -> Result<Vec<Saying>, EditError> {
        let named: Vec<(bool, &StepId)> = branches
            .iter()
            .map(|(value, to)| Ok((outcome(value)?, to)))
            .collect::<Result<_, EditError>>()?;
        let mut plan = Vec::new();
        for passed in [true, false] {
            let mut to = named.iter().filter(|(own, _)| *own == passed).map(|(_, to)| *to);
            match (to.next(), next) {
                (Some(_), _) if to.next().is_some() => {
                    return Err(EditError::unsound(format!(
                        "{} cannot lead to two steps when it {}; name one of them",
                        called(&step.id),
                        passes(passed)
                    )));
                }
                (Some(to), _) | (None, Some(to)) => plan.extend(self.lead(step, self.step(to)?, passed)?),
                (None, None) => plan.extend(self.end(step, passed)?),
            }
        }
        Ok(plan)
    }

    /// The runbook ends after an outcome; `None` where it does already.
    fn end(&self, step: &Step, passed: bool) -> Result<Option<Saying>, EditError> {
        if passed {
            self.is_asked(step)?;
        }
        let read = self.written(step, passed);
        let ends = match read.map(|read| read.transition.action.last()) {
            Some(Action::Complete { .. } | Action::Stop { .. }) => true,
            Some(_) => false,
            None => matches!(
                (passed, self.onward(step), self.decides(step)),
                (true, Follows::Complete, _) | (false, _, None)
            ),
        };
        let word = if passed { "COMPLETE" } else { "STOP" };
        Ok((!ends).then(|| Saying {
            step: step.ordinal,
            passed,
            action: Some(self.with_last(read, word)),
        }))
    }

    /// A step is done again when it fails, so often at most; what followed then follows at last.
    fn retry(&self, step: &Step, most: Option<u32>) -> Result<Vec<Saying>, EditError> {
        let read = self.written(step, false);
        let retries = read.is_some_and(|read| matches!(read.transition.action, Action::Retry { .. }));
        if most.is_none() && retries {
            return Ok(Vec::new());
        }
        if most == Some(0) {
            return Err(EditError::unsound(format!(
                "{} would not be tried again at all; give it one round at least",
                called(&step.id)
            )));
        }
        let text = self.document.text();
        let then = read.map_or("", |read| {
            let span = if retries {
                read.then.unwrap_or_default()
            } else {
                read.action
            };
            &text[span.start..span.end]
        });
        let then = match then {
            "STOP" => "",
            // A container that awaits all of its steps goes on with the next one.
            "" if read.is_none() && self.decides(step).is_some_and(|around| self.awaits_all(around)) => "CONTINUE",
            then => then,
        };
        let action = format!("RETRY {} {then}", most.unwrap_or(1));
        Ok(vec![Saying {
            step: step.ordinal,
            passed: false,
            action: Some(action.trim_end().to_owned()),
        }])
    }

    /// A step leads to another when it has an outcome.
    fn lead(&self, from: &'a Step, to: &'a Step, passed: bool) -> Result<Vec<Saying>, EditError> {
        if passed {
            self.is_asked(from)?;
        }
        let read = self.written(from, passed);
        let action = match self.is_next(from, to) {
            true => "CONTINUE".to_owned(),
            false => self.jump(from, to, passed)?,
        };
        if self.leads(from, to, passed) && self.advances(from, passed) == action.starts_with("GOTO NEXT") {
            return Ok(Vec::new());
        }
        Ok(vec![Saying {
            step: from.ordinal,
            passed,
            action: Some(self.with_last(read, &action)),
        }])
    }

    /// What a step with substeps says of passing counts only where the last one of them goes on.
    fn is_asked(&self, step: &Step) -> Result<(), EditError> {
        let last = self.runbook.workflow.children(step).next_back();
        let elsewhere = |last: &&Step| self.written(last, true).is_some() && !self.says_continue(last, true);
        match last.filter(elsewhere) {
            None => Ok(()),
            Some(last) => Err(EditError::unsound(format!(
                "{0} says itself what follows when it passes, which comes before what {1} says; lead {0} elsewhere instead",
                called(&last.id),
                called(&step.id)
            ))),
        }
    }

    /// Whether a step leads to another already when it has an outcome.
    fn leads(&self, from: &Step, to: &Step, passed: bool) -> bool {
        let workflow = &self.runbook.workflow;
        let Follows::Step(now) = self.follows(from, passed) else {
            return false;
        };
        workflow.entered_at(now).ordinal == workflow.entered_at(to).ordinal
    }

    /// Whether it begins the next instance of a dynamic step.
    fn advances(&self, from: &Step, passed: bool) -> bool {
        let action = self.written(from, passed).map(|read| read.transition.action.last());
        matches!(action, Some(Action::Goto(Jump::Next(_))))
    }

    fn id(&self, step: &Step) -> Result<&'a Id, EditError> {
        self.unit(step).heading.id.as_ref().map_err(|_| {
            EditError::unsound(format!(
                "nothing can lead to or from {}, whose heading has no number or name; give it one first",
                called(&step.id)
            ))
        })
    }

    /// The jump that leads from one step to another (seed 002 "GOTO").
    fn jump(&self, from: &'a Step, to: &'a Step, passed: bool) -> Result<String, EditError> {
        let (own, target) = (self.id(from)?, self.id(to)?);
        let around = self.runbook.workflow.container(from);
        let inside = [Some(from), around]
            .into_iter()
            .flatten()
            .any(|step| step.ordinal == to.ordinal);
        if inside && to.dynamic && passed {
            // A template that is led back to itself goes on with its next instance.
            return Ok(format!("GOTO NEXT {target}"));
        }
        if own == target && !to.dynamic {
            return Err(EditError::unsound(format!(
                "{} would lead to itself without an end; draw it as a way back, which is tried a number of times",
                called(&from.id)
            )));
        }
        let beside = own.step == target.step;
        let named = matches!(own.step, Part::Name(_));
        match (&target.step, &target.substep) {
            (Part::Dynamic, Some(Part::Number(_) | Part::Name(_))) if !beside => Err(EditError::unsound(format!(
                "{0} is reached from inside of {1} alone; lead to {1}, which begins with its first substep",
                called(&to.id),
                called("{N}")
            ))),
            (step, Some(Part::Dynamic)) if !beside && !named => {
                let step = Id {
                    step: step.clone(),
                    substep: None,
                };
                Err(EditError::unsound(format!(
                    "no round of {} is under way at {}; lead to {}, which begins with the first one",
                    called(&to.id),
                    called(&from.id),
                    called(step)
                )))
            }
            _ => Ok(format!("GOTO {target}")),
        }
    }

    /// The action of a transition with another end: what RETRY says before it stays.
    pub(super) fn with_last(&self, read: Option<&Read>, action: &str) -> String {
        let Some(read) = read.filter(|read| matches!(read.transition.action, Action::Retry { .. })) else {
            return action.to_owned();
        };
        let end = read.then.map_or(read.action.end, |then| then.start);
        let retry = &self.document.text()[read.action.start..end];
        format!("{} {action}", retry.trim_end())
    }

    /// What follows an outcome of a step, as another step that stands outside of the order can say it.
    pub(super) fn as_elsewhere(&self, step: &Step, passed: bool) -> Result<String, EditError> {
        let workflow = &self.runbook.workflow;
        let read = self.written(step, passed);
        match read.map(|read| (read, read.transition.action.last())) {
            Some((_, Action::Goto(Jump::Next(None)))) => match workflow.innermost_dynamic(step) {
                Some(repeated) => Ok(format!("GOTO NEXT {}", repeated.id)),
                None => Ok("GOTO NEXT".to_owned()),
            },
            Some((read, action)) if *action != Action::Continue => Ok(self.last(read)),
            _ => match self.onward(step) {
                Follows::Step(next) => Ok(format!("GOTO {}", next.id)),
                Follows::Container(around) => Err(EditError::unfit(format!(
                    "{} decides what follows here, and nothing outside of it can leave that to it",
                    called(&around.id)
                ))),
                Follows::Complete | Follows::Stop => Ok("COMPLETE".to_owned()),
            },
        }
    }

    /// What a transition does at last, as it is written.
    pub(super) fn last(&self, read: &Read) -> String {
        let text = self.document.text();
        let action = &read.transition.action;
        match (action, read.then) {
            (Action::Retry { .. }, None) => "STOP".to_owned(),
            (Action::Retry { .. }, Some(then)) => {
                let then = &text[then.start..then.end];
                // A text behind RETRY is what STOP says.
                let word = if then.starts_with('"') { "STOP " } else { "" };
                format!("{word}{then}")
            }
            _ => text[read.action.start..read.action.end].to_owned(),
        }
    }

    /// The transition that draws a line says what the format does without it.
    fn cut(&self, line: Line<'a>) -> Result<Saying, EditError> {
        let from = line.from;
        let saying = |passed: bool, action: Option<String>| Saying {
            step: from.ordinal,
            passed,
            action,
        };
        match line.stands {
            Stands::Order => Err(EditError::unfit(format!(
                "{0} goes on to {1} because that one comes next; move one of the two, or lead {0} elsewhere",
                called(&from.id),
                called(&line.to.id)
            ))),
            Stands::Retry(passed) => {
                let read = self.written(from, passed);
                Ok(saying(passed, read.map(|read| self.last(read))))
            }
            Stands::Action(passed) => {
                let read = self.written(from, passed);
                let retries = read.is_some_and(|read| matches!(read.transition.action, Action::Retry { .. }));
                let word = match passed {
                    true if self.goes_on_without(line) => "CONTINUE",
                    true => "COMPLETE",
                    false if !retries && self.is_left_to_container(line) => return Ok(saying(false, None)),
                    false => "STOP",
                };
                Ok(saying(passed, Some(self.with_last(read, word))))
            }
        }
    }

    /// Whether a step whose line is cut goes on to another one, or leaves what follows to its container.
    fn goes_on_without(&self, line: Line<'a>) -> bool {
        match self.onward(line.from) {
            Follows::Step(next) => self.is_next(line.from, next) && !self.is_next(line.from, line.to),
            Follows::Container(_) => true,
            Follows::Complete | Follows::Stop => false,
        }
    }

    /// Whether the container decides what follows a failure once its line is cut: one that awaits all of its steps goes on with the next
    /// one first.
    fn is_left_to_container(&self, line: Line<'a>) -> bool {
        let Some(around) = self.decides(line.from) else {
            return false;
        };
        // Of two transitions for one outcome the second would count without the first.
        let all = self.unit(line.from).transitions.iter();
        let is_alone = all.filter(|read| !read.transition.passed).count() == 1;
        is_alone && (!self.awaits_all(around) || !self.is_next(line.from, line.to))
    }

    /// Whether a container awaits all of its steps, also those behind one that fails (seed 002 "Modifiers").
    pub(super) fn awaits_all(&self, container: &Step) -> bool {
        self.unit(container).transitions.iter().any(|read| {
            let transition = &read.transition;
            matches!(
                (transition.passed, transition.quantifier),
                (true, Some(Quantifier::Any)) | (false, Some(Quantifier::All))
            )
        })
    }

    /// The line that is meant: of several the one with this label. A container that is drawn as a box has the lines of what is in it.
    pub(super) fn line(&self, from: &'a Step, to: &'a Step, label: Option<&str>) -> Result<Line<'a>, EditError> {
        let workflow = &self.runbook.workflow;
        let entered = workflow.entered_at(to);
        let own = workflow.flows_between(from, entered).into_iter();
        let mut all: Vec<(&Step, &Step, &Flow)> = own.map(|(_, flow)| (from, entered, flow)).collect();
        let is_called = |flow: &Flow| flow.label.as_deref() == label;
        let is_own = !all.is_empty() && (label.is_none() || all.iter().any(|(_, _, flow)| is_called(flow)));
        if !is_own && from.ordinal != to.ordinal {
            let within = |step: &Step, around: &Step| {
                let container = workflow.container(step).map(|container| container.ordinal);
                step.ordinal == around.ordinal || container == Some(around.ordinal)
            };
            all = workflow.flows();
            all.retain(|(a, b, _)| within(a, from) && (within(b, to) || b.ordinal == entered.ordinal));
        }
        let meant: Vec<_> = all.iter().filter(|(_, _, flow)| is_called(flow)).collect();
        let (from, to) = (&from.id, &to.id);
        match (meant.as_slice(), label, all.as_slice()) {
            ([one], ..) => Ok(line(one)),
            // The only one there is is meant, whatever it is called.
            ([], None, [one]) => Ok(line(one)),
            (_, _, []) => Err(EditError::no_line(from, to)),
            ([], Some(label), _) => Err(EditError::unsound(format!(
                "no line from {} to {} is called “{label}”",
                called(from),
                called(to)
            ))),
            _ => Err(EditError::unsound(format!(
                "several lines lead from {} to {}, and nothing says which one is meant; change it in the source",
                called(from),
                called(to)
            ))),
        }
    }

    /// The edits that make transitions say something, one after the other, proved to change nothing else.
    pub(super) fn put(&self, plan: &[Saying]) -> Edits {
        let (text, path) = (self.document.text(), self.document.path());
        let mut edits: Vec<TextEdit> = Vec::new();
        for saying in plan {
            let now = apply(text, &edits);
            let document = Document::parse(path, &now);
            let runbook = read(path, &now);
            let more = Lines::of(&runbook, &document).say(saying)?;
            edits = compose(text, &edits, &more);
        }
        sound(self.document, &Document::parse(path, &apply(text, &edits)))?;
        Ok(edits)
    }

    /// One of them, whatever rule it breaks.
    pub(super) fn say(&self, saying: &Saying) -> Edits {
        let (text, unit) = (self.document.text(), &self.runbook.units[saying.step]);
        let change = Change {
            runbook: self.runbook,
            document: self.document,
            ordinal: saying.step,
            unit,
            writer: Writer {
                text,
                runbook: self.runbook,
            },
            path: format!("steps.{}.transitions", saying.step),
        };
        let mut all = unit.transitions.iter();
        let at = all.position(|read| read.transition.passed == saying.passed);
        match (&saying.action, at) {
            (Some(action), Some(n)) => {
                let read = &unit.transitions[n];
                let (before, behind) = (
                    &text[read.span.start..read.action.start],
                    &text[read.action.end..read.span.end],
                );
                change.transition(n, &format!("{before}{action}{behind}"))
            }
            (Some(action), None) => {
                let line = format!("{}: {action}", word(unit, saying.passed));
                change.transition(unit.transitions.len(), &line)
            }
            (None, Some(n)) => change.without_transition(n),
            (None, None) => Ok(Vec::new()),
        }
    }
}

/// What a line stands in, from how the model draws it: the label begins with the word of the transition.
fn line<'a>((from, to, flow): &(&'a Step, &'a Step, &Flow)) -> Line<'a> {
    let word = flow.label.as_deref().and_then(|label| label.split(' ').next());
    let passed = word.map(|word| matches!(word, "PASS" | "YES"));
    let retries = flow.kind == FlowKind::Loop && flow.max_iterations.is_some();
    let stands = match passed {
        None => Stands::Order,
        Some(passed) if retries => Stands::Retry(passed),
        Some(passed) => Stands::Action(passed),
    };
    Line { from, to, stands }
}

/// The word of a new transition: of a question as its other one has it.
fn word(unit: &Unit, passed: bool) -> &'static str {
    let asks = |read: &Read| matches!(read.transition.word.as_str(), "YES" | "NO");
    match (passed, unit.transitions.iter().any(asks)) {
        (true, false) => "PASS",
        (false, false) => "FAIL",
        (true, true) => "YES",
        (false, true) => "NO",
    }
}

/// The outcome that a value of a way names.
fn outcome(value: &str) -> Result<bool, EditError> {
    match value.trim().to_uppercase().as_str() {
        "PASS" | "YES" => Ok(true),
        "FAIL" | "NO" => Ok(false),
        _ => Err(no_values()),
    }
}

/// `passes`, `fails`: what a step does.
pub(super) fn passes(passed: bool) -> &'static str {
    if passed { "passes" } else { "fails" }
}

fn no_values() -> EditError {
    EditError::unfit("a step of a runbook passes or fails and decides by nothing else; name PASS or FAIL")
}

fn no_bound() -> EditError {
    EditError::unfit(
        "only a step that is done again itself has a bound in a runbook; put the steps of the loop into one step and let that be tried again",
    )
}

fn one_by_one() -> EditError {
    EditError::unfit("the steps of a runbook are done one after the other, none beside another")
}

/// Whether a text can be the name of a step that stands outside of the order.
pub(super) fn is_name(id: &str) -> bool {
    matches!(
        id::whole(id),
        Ok(Id {
            step: Part::Name(_),
            substep: None
        })
    )
}
