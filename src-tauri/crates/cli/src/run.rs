//! `gatehouse run` and `gatehouse resume`: driving in the foreground, with what happens printed as it happens.

use crate::arguments::{Follow, Resume, Run};
use crate::keyboard::{self, Asking, Terminal};
use crate::out::{self, Exit, Failure};
use crate::stop::Stop;
use crate::{hint, project};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use studio::command::{LogAfter, PathOf, StartOf, TakeOverOf, TakeUpOf};
use studio::gate::decision_view::AskFor;
use studio::run::view::RunHead;
use studio::text::paste::shell_word_or;
use studio::view::{Status, StepRef};
use studio::workflow::view::ProblemView;
use studio::{ApiError, Asked, Client, Control, EventLines, Keyboard, RunId, Studio, Vocabulary};

/// How often the log is looked at for something to print.
const PULSE: Duration = Duration::from_millis(60);

/// At how many looks at the log it is looked whom the run, and those inside it, wait for: that takes longer than a look.
const LOOKS: u32 = 8;

/// How long a run that is let go of may take until its programs have ended.
const LETTING_GO: Duration = Duration::from_secs(10);

/// What is said of a rehearsal before anything of it.
pub const REHEARSAL: &str = "a rehearsal: every agent is simulated, nothing happens for real";

/// How a run is driven in the foreground.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// Print the events as JSON lines.
    pub json: bool,
    /// In whose name every gate is approved; absent: people are waited for.
    pub approver: Option<String>,
    /// In a rehearsal, let scripted times and the pauses before another attempt pass at once.
    pub fast: bool,
    /// Return when it waits for a person.
    pub until_blocked: bool,
    /// Print nothing: whoever asked says how it ended.
    pub quiet: bool,
    /// Print what happens after this event.
    pub after: u64,
}

impl Manner {
    /// What the arguments of a command that goes on say.
    ///
    /// # Errors
    /// Nobody is known in whose name `--yes` could approve.
    pub fn of(studio: &Studio, a: &Follow) -> Result<Self, Failure> {
        Ok(Self {
            json: a.json,
            approver: approver(studio, a.yes, a.by.as_deref())?,
            fast: a.fast,
            until_blocked: a.until_blocked,
            ..Self::default()
        })
    }
}

/// Runs a workflow.
pub async fn run(at: Option<&Path>, a: &Run) -> Result<Exit, Failure> {
    let studio = project::open(at, Some(&a.file), Client::Cli)?;
    project::say_missing(&studio)?;
    let approver = approver(&studio, a.yes, a.by.as_deref())?;
    let path = project::relative(&studio, &a.file)?;
    let scenario = a
        .scenario
        .as_deref()
        .map(|s| project::relative(&studio, s))
        .transpose()?;
    let of = PathOf { path: path.clone() };
    let inputs = studio.inputs_from_words(&of, &a.input)?;
    if let Some(sentence) = studio.nobody_asks_for(&of, &inputs)? {
        out::note(format!("note: {sentence}"));
    }
    warn(&studio, &path);
    let run = studio.create_run(&StartOf {
        path,
        inputs,
        rehearse: a.rehearse,
        scenario,
        from: a.from.clone(),
        subject: a.subject.clone(),
        prompted: a.prompted,
        permit: a.permit,
        assigned: each_once(&a.assign)?,
    })?;
    say_only_read(studio.only_read_in(&run)?);
    if !a.json {
        out::line(format!("run {run}"));
        if a.rehearse || a.scenario.is_some() {
            out::line(REHEARSAL);
        }
        say_passed_over(&studio, &run);
    }
    let manner = Manner {
        json: a.json,
        approver,
        fast: a.fast,
        until_blocked: a.until_blocked,
        ..Manner::default()
    };
    follow(&studio, &run, &manner).await
}

/// Of a step that is given to two people nobody knows who is meant.
fn each_once(assign: &[(String, String)]) -> Result<BTreeMap<String, String>, Failure> {
    let mut assigned = BTreeMap::new();
    for (step, name) in assign {
        if assigned.insert(step.clone(), name.clone()).is_some() {
            let what = format!("The step `{step}` is given to somebody twice.");
            return Err(Failure(
                ApiError::new("bad_parameters", what).hint("Say once who does it."),
            ));
        }
    }
    Ok(assigned)
}

/// Says which workflows inside a scenario stands for.
pub fn say_passed_over(studio: &Studio, run: &RunId) {
    if let Some(sentence) = studio.passed_over_in(run) {
        out::note(format!("note: {sentence}"));
    }
}

/// Says what reading scripts alone keeps.
pub fn say_only_read(sentence: Option<String>) {
    if let Some(sentence) = sentence {
        out::note(format!("note: {sentence}"));
    }
}

/// Says what `gatehouse check` warns of, and how many notes there are of names without effect: whoever only runs a workflow must learn that a
/// gate is misspelt.
fn warn(studio: &Studio, path: &str) {
    for note in studio.config_notes() {
        out::note(format!("warning: {}", out::in_line(&note)));
    }
    /// More are named by `gatehouse check`.
    const MOST: usize = 8;
    let Some(checked) = studio::workflow::check::check(&studio.root().join(path), true) else {
        return;
    };
    let warnings = checked
        .problems
        .iter()
        .filter(|problem| problem.severity == studio::Severity::Warning);
    // Fields that are left out change nothing of what happens, and stand at step after step.
    let (left_out, warnings): (Vec<_>, Vec<_>) = warnings.partition(|problem| problem.code == "GH0403");
    for problem in warnings.iter().take(MOST) {
        out::note(format!(
            "warning: {path}:{}: {} [{}]",
            problem.line,
            out::in_line(&problem.message),
            problem.code
        ));
    }
    if warnings.len() > MOST {
        out::note(format!(
            "warning: {} more; gatehouse check {} names them",
            warnings.len() - MOST,
            shell_word_or(path, "FILE")
        ));
    }
    if !left_out.is_empty() {
        let steps = match left_out.len() {
            1 => "1 step leaves".to_owned(),
            n => format!("{n} steps leave"),
        };
        let file = shell_word_or(path, "FILE");
        out::note(format!(
            "warning: {steps} fields out, whose defaults are used; gatehouse check {file} names them [GH0403]"
        ));
    }
    let is_idle = |problem: &&ProblemView| problem.severity == studio::Severity::Note && problem.code == "GH0502";
    if let Some(sentence) = without_effect(checked.problems.iter().filter(is_idle).count(), path) {
        out::note(sentence);
    }
}

/// How many notes of `check` name what has no effect, and how to see them: a name that nobody knows may have been meant to ask somebody.
fn without_effect(notes: usize, path: &str) -> Option<String> {
    let (what, them) = match notes {
        0 => return None,
        1 => ("1 note".to_owned(), "it"),
        more => (format!("{more} notes"), "them"),
    };
    let file = shell_word_or(path, "FILE");
    Some(format!(
        "note: {what} about names in this file that have no effect on a run; gatehouse check {file} shows {them}"
    ))
}

/// Takes a run up again.
pub async fn resume(at: Option<&Path>, a: &Resume) -> Result<Exit, Failure> {
    let studio = project::recorded(at)?;
    if a.dry_run {
        return match &a.workflow {
            Some(file) => preview_taking_over(&studio, a, file).await,
            None => preview(&studio, a).await,
        };
    }
    let manner = Manner::of(&studio, &a.follow)?;
    let after = so_far(&studio, &a.run).await?;
    if a.mended && !a.follow.json {
        let of = TakeUpOf {
            run_id: a.run.clone(),
            from: a.from.clone(),
            mended: true,
        };
        studio.taken_up(of).await?.not_taken.iter().for_each(out::line);
        studio.barred_behind(&a.run, None)?.iter().for_each(out::line);
    }
    let run = match (&a.workflow, a.mended) {
        (Some(file), _) => {
            let of = taking(&studio, a, file)?;
            studio.taking_over(of.clone()).await?.missing.iter().for_each(out::note);
            studio.take_over_session(&of)?
        }
        (None, true) => studio.go_on_mended(&a.run, a.from.as_deref())?,
        (None, false) => {
            let paused = studio.is_paused(&a.run)?;
            let once_more = studio.done_once_more(&a.run, a.from.as_deref())?;
            once_more.iter().for_each(out::note);
            let run = studio.resume(&a.run, a.from.as_deref()).await?;
            if paused && studio.is_driven(&run) {
                // Whoever drives it takes it from here.
                out::note("the run is not paused any more; it goes on where it is carried out already");
                return Ok(Exit::Done);
            }
            run
        }
    };
    if (a.mended || a.workflow.is_some()) && !a.follow.json {
        out::line(format!("run {run}, going on from {}", a.run));
    }
    // Whoever drives it already has taken it up: it was not left. One that only waited to end has ended with that.
    let is_left = !studio.has_ended(run.as_str())? && !studio.is_driven(&run);
    if let Some(left) = studio.left_open(&run).filter(|_| is_left) {
        out::note(format!(
            "{left} You take it up now; what others permitted in it is asked of you again."
        ));
    }
    if !a.follow.json && studio.is_rehearsal(&run) {
        out::line(REHEARSAL);
    }
    // Else it is said at the end.
    if !manner.until_blocked && !manner.json && !manner.quiet {
        say_kept_inside(&studio, &run)?;
    }
    follow(&studio, &run, &Manner { after, ..manner }).await
}

/// Says which runs inside keep this one: somebody has paused them, or they cannot be read.
fn say_kept_inside(studio: &Studio, run: &RunId) -> Result<(), Failure> {
    for inside in studio.kept_inside(run)? {
        out::note(format!("note: {}", hint::inside(&inside)));
    }
    Ok(())
}

fn taking(studio: &Studio, a: &Resume, file: &Path) -> Result<TakeOverOf, Failure> {
    Ok(TakeOverOf {
        run_id: a.run.clone(),
        workflow: project::relative(studio, file)?,
        from: a.from.clone(),
    })
}

/// What going on from an imported session would do.
async fn preview_taking_over(studio: &Studio, a: &Resume, file: &Path) -> Result<Exit, Failure> {
    let view = studio.taking_over(taking(studio, a, file)?).await?;
    if a.follow.json {
        out::json(&view);
        return Ok(Exit::Done);
    }
    out::line(&view.words);
    list("counted as completed", &view.completed);
    list("counted as left out", &view.skipped);
    going_on(std::slice::from_ref(&view.at), &view.then);
    for note in view.missing.iter().chain(&view.notes) {
        out::line(format!("note: {note}"));
    }
    Ok(Exit::Done)
}

/// Steps in a line.
pub fn list(title: &str, steps: &[StepRef]) {
    let names: Vec<String> = steps
        .iter()
        .map(|step| format!("{} {}", step.number, step.name))
        .collect();
    if !names.is_empty() {
        out::line(format!("{title}: {}", names.join(", ")));
    }
}

/// Where a run would go on, and what may come then.
pub fn going_on(at: &[StepRef], then: &[StepRef]) {
    list("goes on at", at);
    list("may come after it", then);
}

/// What taking a run up would do.
async fn preview(studio: &Studio, a: &Resume) -> Result<Exit, Failure> {
    let run_id = a.run.clone();
    let from = a.from.clone();
    let mended = a.mended;
    let here = from.is_none() && !mended && !studio.has_ended(&run_id)?;
    let view = match studio.taken_up(TakeUpOf { run_id, from, mended }).await {
        Ok(view) => view,
        // It stands between two steps: which one comes next it says when it goes on.
        Err(error) if here && !a.follow.json && error.code == "refused:cannot_reopen" => {
            out::line(error.message);
            return Ok(Exit::Done);
        }
        Err(error) => return Err(error.into()),
    };
    if a.follow.json {
        out::json(&view);
        return Ok(Exit::Done);
    }
    out::line(&view.words);
    view.not_taken.iter().for_each(out::line);
    going_on(std::slice::from_ref(&view.step), &view.then);
    list("not done again", &view.kept);
    if let Some(mended) = &view.mended {
        list("changed in the file", &mended.changed);
        list("new in the file", &mended.added);
        list("no longer in the file", &mended.gone);
    }
    let others = view.places.iter().filter(|step| step.id != view.step.id);
    let others: Vec<String> = others.map(|step| step.id.clone()).collect();
    if !others.is_empty() {
        out::line(format!("with --from STEP it goes on elsewhere: {}", others.join(", ")));
    }
    Ok(Exit::Done)
}

/// Drives a run in the foreground and prints what happens as it happens.
pub async fn follow(studio: &Studio, run: &RunId, manner: &Manner) -> Result<Exit, Failure> {
    let mut stop = Stop::listen();
    let letting_go = Control::default();
    let silent = manner.json || manner.quiet;
    let terminal = (!silent).then(Terminal::of_person).flatten();
    // Declared before what lends it, so that it is dropped, and the terminal as before, whatever else is cut off.
    let terminal = terminal.map(keyboard::Back);
    let lender = terminal
        .as_ref()
        .map(|own| Arc::new(own.0.clone()) as Arc<dyn Keyboard>);
    let drive = || studio.drive_under(run, manner.fast, manner.until_blocked, lender.clone(), &letting_go);
    let driving = drive();
    tokio::pin!(driving);
    if manner.approver.is_some() && studio.wants_four_eyes(run)? {
        out::note(
            "--yes approves nothing in this run: the project wants four eyes (hitl.four_eyes), so that somebody else has to look",
        );
    }
    let mut screen = Screen::new(studio, run, manner, terminal.as_ref().map(|own| &own.0));
    // Since the run is driven: a driver that lets go of a waiting run no longer sees what is approved meanwhile.
    let mut approved = 0;
    // What somebody else has answered meanwhile is looked for once more, and no oftener: what stands still for another reason stays so.
    let mut again = true;
    let end = loop {
        tokio::select! {
            end = &mut driving => {
                let waits = manner.until_blocked && end.as_ref().is_ok_and(|head| head.outcome.is_none());
                // What is approved for whoever said so waits for nobody.
                if let Some(name) = manner.approver.as_ref().filter(|_| waits) {
                    approved += approve(studio, run, name).await?;
                }
                let theirs = waits && approved == 0 && again && manner.approver.is_some() && studio.asked(run)?.is_empty();
                if approved == 0 && !theirs || !waits {
                    break end;
                }
                again = approved > 0;
                approved = 0;
                driving.set(drive());
            }
            () = tokio::time::sleep(PULSE) => {
                screen.refresh().await?;
                screen.say_waiting();
                if let Some(name) = &manner.approver {
                    approved += approve(studio, run, name).await?;
                }
            }
            () = wanted(&mut stop, screen.terminal) => {
                screen.close();
                // What was started ends, what was in flight is recorded as cut off, and the run is free for the next driver.
                letting_go.stop();
                tokio::select! {
                    _ = &mut driving => {}
                    // Whoever insists does not wait for programs that take their time; they are killed then.
                    () = wanted(&mut stop, screen.terminal) => {}
                    () = tokio::time::sleep(LETTING_GO) => {}
                }
                if let Some(terminal) = screen.terminal {
                    terminal.take_back();
                }
                out::note(format!(
                    "stopped driving; go on with: {}",
                    hint::resume(run)
                ));
                return Ok(Exit::LetGo);
            }
        }
    };
    // Where somebody else drives it, what happens is told there, and nothing of it was done here.
    let is_elsewhere = end.as_ref().is_err_and(|error| error.code == "driven_elsewhere");
    if !is_elsewhere {
        screen.refresh().await?;
    }
    screen.close();
    for sentence in studio.unwritten(run).into_iter().chain(studio.unshown(run)) {
        out::note(format!("note: {sentence}"));
    }
    let differences = studio.differences(run)?;
    let asked = studio.asked(run)?;
    if !silent {
        say_kept_inside(studio, run)?;
    }
    let head = end?;
    let taken = match manner.json {
        true => studio.routes_taken(run).await?,
        false => 0,
    };
    Ok(finish(studio, &head, taken, &asked, differences, manner))
}

/// The order to end from outside, or from the keys of a terminal that a step has.
async fn wanted(stop: &mut Stop, terminal: Option<&Terminal>) {
    let Some(terminal) = terminal else {
        return stop.wanted().await;
    };
    tokio::select! {
        () = stop.wanted() => {}
        () = terminal.let_go() => {}
    }
}

/// A run that a scenario scripts is a test: as expected is well, however the run itself ended.
fn finish(
    studio: &Studio,
    head: &RunHead,
    taken: usize,
    asked: &[Asked],
    differences: Option<Vec<String>>,
    manner: &Manner,
) -> Exit {
    if manner.quiet {
        // Nothing is said twice.
    } else if manner.json {
        let failures = studio.failures(&RunId::from(head.run_id.as_str())).unwrap_or_default();
        let failures = failures.iter().map(|(step, why)| json!({"step": step, "error": why}));
        out::json(&json!({
            "kind": "summary",
            "run_id": head.run_id,
            "subject": head.subject,
            "rehearsal": head.rehearsal,
            "status": head.status,
            "outcome": head.outcome,
            "error": head.error,
            "failures": failures.collect::<Vec<_>>(),
            "differs_from_scenario": differences,
            "steps_taken": taken,
            "waiting": hint::waiting_json(studio, asked).into_iter().next(),
        }));
    } else {
        hint::waiting(studio, &head.run_id, asked);
    }
    if let Some(differences) = differences {
        if !manner.json && !manner.quiet {
            for difference in &differences {
                out::line(format!("not as the scenario expects: {difference}"));
            }
            if differences.is_empty() {
                out::line("as the scenario expects");
            }
        }
        return if differences.is_empty() {
            Exit::Done
        } else {
            Exit::Failed
        };
    }
    match head.status {
        Status::Failed | Status::Refused | Status::Stopped | Status::Partly | Status::Aborted => Exit::Failed,
        _ => Exit::Done,
    }
}

/// What a run that is driven in the foreground prints.
struct Screen<'a> {
    studio: &'a Studio,
    run: &'a RunId,
    manner: &'a Manner,
    /// What has been printed: everything up to this event.
    printed: u64,
    /// Where each event is printed as an object: the events.
    lines: Option<EventLines>,
    /// Shows that something is going on, on a terminal.
    bar: Option<ProgressBar>,
    terminal: Option<&'a Terminal>,
    /// The step that has, or had, the terminal: what its program wrote has been seen.
    seen: Option<String>,
    /// How often the log was looked at since it was last looked who is waited for.
    looks: u32,
    /// How far the history was then: nobody is asked anything new before it has grown.
    version: Option<i64>,
    /// The rounds that waited then, each with whether that was said.
    waiting: BTreeMap<(String, String, u32), bool>,
}

impl<'a> Screen<'a> {
    fn new(studio: &'a Studio, run: &'a RunId, manner: &'a Manner, terminal: Option<&'a Terminal>) -> Self {
        let mut screen = Self {
            studio,
            run,
            manner,
            printed: manner.after,
            lines: None,
            bar: None,
            terminal,
            seen: None,
            looks: 0,
            version: None,
            waiting: BTreeMap::new(),
        };
        screen.spin();
        screen
    }

    fn spin(&mut self) {
        let wanted = self.bar.is_none() && !self.manner.json && !self.manner.quiet && std::io::stdout().is_terminal();
        if wanted {
            self.bar = Some(spinner());
        }
    }

    fn close(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Prints what happened since, and hands the terminal to the step that asks for it. While a step has it nothing is printed.
    async fn refresh(&mut self) -> Result<(), Failure> {
        let Some(terminal) = self.terminal else {
            return self.print(false).await;
        };
        if terminal.is_lent() {
            return Ok(());
        }
        self.spin();
        let Some(Asking { step, name }) = terminal.asking() else {
            return self.print(false).await;
        };
        self.seen = Some(step);
        self.print(true).await?;
        self.close();
        out::line(format!(
            "{}: what you type goes to this step's program and is not kept; Ctrl+] lets go of the run",
            out::in_line(&name)
        ));
        terminal.hand_over();
        Ok(())
    }

    /// Says of a round that waits, of this run or one inside it, what it asks and how it is answered: once, and not of what is answered at once, as
    /// a scenario or `--yes` does. Whoever returns there says it at the end.
    fn say_waiting(&mut self) {
        let is_lent = self.terminal.is_some_and(Terminal::is_lent);
        if self.manner.json || self.manner.quiet || self.manner.until_blocked || is_lent {
            return;
        }
        self.looks += 1;
        if self.looks < LOOKS {
            return;
        }
        self.looks = 0;
        let version = self.studio.recorded_so_far();
        let is_all_said = self.waiting.values().all(|said| *said);
        if is_all_said && version.is_some() && version == self.version {
            return;
        }
        // What cannot be looked up now is at the next look; it is no reason to let go of the run.
        let Ok(asked) = self.studio.asked(self.run) else { return };
        let mut waiting = BTreeMap::new();
        for one in asked {
            let card = &one.card;
            let round = (card.run_id.clone(), card.gate.clone(), card.round);
            let known = self.waiting.get(&round).copied();
            if known == Some(false) {
                let say = || hint::waiting(self.studio, self.run.as_str(), std::slice::from_ref(&one));
                match &self.bar {
                    Some(bar) => bar.suspend(say),
                    None => say(),
                }
            }
            waiting.insert(round, known.is_some());
        }
        self.waiting = waiting;
        self.version = version;
    }

    /// `handing_over`: the step that gets the terminal is still at work.
    async fn print(&mut self, handing_over: bool) -> Result<(), Failure> {
        if self.manner.quiet {
            return Ok(());
        }
        if self.manner.json {
            let known = match &mut self.lines {
                Some(lines) => lines,
                none => none.insert(self.studio.event_lines(
                    self.run.as_str(),
                    Some(Vocabulary::Native),
                    self.printed,
                )?),
            };
            known.new_ones(self.studio)?.iter().for_each(out::json);
            return Ok(());
        }
        let log = self
            .studio
            .log(LogAfter {
                run_id: self.run.to_string(),
                after: Some(self.printed),
                until: None,
            })
            .await?;
        for line in &log.lines {
            let seen = line
                .step
                .as_ref()
                .is_some_and(|step| self.seen.as_ref() == Some(&step.id));
            match (line.stream.as_str(), seen) {
                ("event", _) => self.speak(&out::short(&line.text)),
                // Of what was recorded elsewhere nothing is printed here.
                ("heading", _) => {}
                // Whoever has seen what the program showed has not seen what is said of it.
                ("gatehouse", _) => self.speak(&format!("remark: {}", line.text)),
                (_, true) => {}
                // None of them looks like ours.
                (_, false) => line.text.lines().for_each(|text| self.speak(&format!("    {text}"))),
            }
            // What it writes in another attempt has not been seen.
            if seen && line.stream == "event" && !handing_over {
                self.seen = None;
            }
        }
        if let Some(bar) = &self.bar
            && let Some(last) = log.lines.iter().rfind(|l| l.stream == "event")
        {
            bar.set_message(out::in_line(&out::short(&last.text)));
        }
        self.printed = log.last;
        Ok(())
    }

    fn speak(&self, text: &str) {
        let width = match &self.bar {
            Some(_) => out::width_of(std::io::stderr()),
            None => out::width_of(std::io::stdout()),
        };
        for piece in out::folded(text, width) {
            match &self.bar {
                Some(bar) => bar.println(piece),
                None => out::line(piece),
            }
        }
    }
}

/// How far the log of a run goes: whoever takes it up again has seen that.
pub async fn so_far(studio: &Studio, run: &str) -> Result<u64, Failure> {
    let of = LogAfter {
        run_id: run.to_owned(),
        after: None,
        until: None,
    };
    Ok(studio.log(of).await?.last)
}

/// In whose name `--yes` approves, asked for before anything begins; without it nobody approves.
///
/// # Errors
/// Nobody is known in whose name; or a name is given and nothing is approved in it.
pub fn approver(studio: &Studio, yes: bool, by: Option<&str>) -> Result<Option<String>, Failure> {
    if !yes {
        return match by {
            // Whoever only wants their name on the run is not told to approve its gates.
            Some(_) => Err(Failure(
                ApiError::new(
                    "bad_parameters",
                    "--by goes with --yes: it is the name under what that approves.",
                )
                .hint("Leave it out: a run is started in the name that your settings hold, and `gatehouse answer` takes --by."),
            )),
            None => Ok(None),
        };
    }
    let name = by.map_or_else(|| studio.identity().person().name, |name| name.trim().to_owned());
    if !name.is_empty() {
        // Before anything begins, not at the first gate.
        studio::good_name(&name)?;
        return Ok(Some(name));
    }
    let error = ApiError::new(
        "refused:name_required",
        "--yes approves in your name, and none has been given yet.",
    );
    Err(Failure(
        error.hint("Give it with --by NAME, or once in the window's settings."),
    ))
}

/// Approves what the run and the runs inside it wait for.
/// Returns how many answers were given.
async fn approve(studio: &Studio, run: &RunId, name: &str) -> Result<usize, Failure> {
    let mut given = 0;
    for Asked { card, .. } in studio.asked(run)? {
        // Nobody can say for a person how their work went, or which way they would choose.
        if matches!(card.purpose, AskFor::Outcome | AskFor::Way) {
            continue;
        }
        match studio.approve_unseen(&card.run_id, &card.gate, card.round, name).await {
            // Somebody else, or the scenario, was faster: that is an answer too.
            Err(error) if error.refused() && error.code != "refused:guardrail" => {}
            other => {
                other?;
                given += 1;
            }
        }
    }
    Ok(given)
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
