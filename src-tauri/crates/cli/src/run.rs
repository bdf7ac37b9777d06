//! `gatehouse run` and `gatehouse resume`: driving in the foreground, with what happens printed as it happens.

use crate::arguments::{Resume, Run};
use crate::out::{self, Exit, Failure};
use crate::project;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;
use studio::command::{AnswerOf, LogAfter, PathOf, StartOf};
use studio::view::Status;
use studio::view::gate::{AskFor, GateCard};
use studio::view::run::RunView;
use studio::{Answer, ApiError, Client, RunId, Studio, Vocabulary};

/// How often the log is looked at for something to print.
const PULSE: Duration = Duration::from_millis(60);

/// How a run is driven in the foreground.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Print the events as JSON lines.
    pub json: bool,
    /// Approve every gate.
    pub yes: bool,
    /// Let scripted times pass at once.
    pub fast: bool,
    /// Return when it waits for a person.
    pub until_blocked: bool,
    /// Print nothing: whoever asked says how it ended.
    pub quiet: bool,
    /// Print what happens after this event.
    pub after: u64,
}

/// Runs a workflow.
pub async fn run(at: Option<&Path>, a: &Run) -> Result<Exit, Failure> {
    let studio = project::open(at, Some(&a.file), Client::Cli)?;
    if a.yes {
        approver(&studio)?;
    }
    let path = project::relative(&studio, &a.file)?;
    let scenario = a
        .scenario
        .as_deref()
        .map(|s| project::relative(&studio, s))
        .transpose()?;
    let inputs = studio.inputs_from_words(&PathOf { path: path.clone() }, &a.input)?;
    let run = studio.create_run(&StartOf {
        path,
        inputs,
        scenario,
        subject: a.subject.clone(),
        prompted: a.prompted,
        permit: a.permit,
        assigned: a.assign.iter().cloned().collect(),
    })?;
    if !a.json {
        out::line(format!("run {run}"));
    }
    let manner = Manner {
        json: a.json,
        yes: a.yes,
        fast: a.fast,
        until_blocked: a.until_blocked,
        ..Manner::default()
    };
    follow(&studio, &run, &manner).await
}

/// Takes a run up again.
pub async fn resume(at: Option<&Path>, a: &Resume) -> Result<Exit, Failure> {
    let studio = project::open(at, None, Client::Cli)?;
    if a.yes {
        approver(&studio)?;
    }
    let after = so_far(&studio, &a.run).await?;
    let run = studio.resume(&a.run).await?;
    let manner = Manner {
        json: a.json,
        yes: a.yes,
        fast: a.fast,
        until_blocked: a.until_blocked,
        after,
        quiet: false,
    };
    follow(&studio, &run, &manner).await
}

/// Drives a run in the foreground and prints what happens as it happens.
pub async fn follow(studio: &Studio, run: &RunId, manner: &Manner) -> Result<Exit, Failure> {
    let drive = studio.drive(run, manner.fast, manner.until_blocked);
    tokio::pin!(drive);
    let bar = (!manner.json && !manner.quiet && std::io::stdout().is_terminal()).then(spinner);
    let mut printed = manner.after;
    let view = loop {
        tokio::select! {
            end = &mut drive => break end,
            () = tokio::time::sleep(PULSE) => {
                printed = print(studio, run, printed, manner, bar.as_ref()).await?;
                if manner.yes {
                    approve(studio, run).await?;
                }
            }
            _ = tokio::signal::ctrl_c() => {
                if let Some(bar) = &bar { bar.finish_and_clear(); }
                out::note(format!("stopped driving; go on with: gatehouse resume {run}"));
                return Ok(Exit::Failed);
            }
        }
    };
    print(studio, run, printed, manner, bar.as_ref()).await?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let differences = studio.differences(run)?;
    Ok(finish(&view?, differences, manner))
}

/// A run that a scenario scripts is a test: as expected is well, however the run itself ended.
fn finish(view: &RunView, differences: Option<Vec<String>>, manner: &Manner) -> Exit {
    if manner.quiet {
        // Nothing is said twice.
    } else if manner.json {
        out::json(&json!({
            "kind": "summary",
            "run_id": view.run_id,
            "subject": view.subject,
            "status": view.status,
            "error": view.error,
            "differs_from_scenario": differences,
            "steps_taken": view.routes.len(),
            "waiting": view.waiting.as_ref().map(|w| json!({"gate": w.gate, "round": w.round, "question": w.question})),
        }));
    } else if let Some(waiting) = &view.waiting {
        out::line(format!("waits: {}", waiting.question));
        out::line(answer_hint(&view.run_id, waiting));
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
    match view.status {
        Status::Failed | Status::Partly | Status::Aborted => Exit::Failed,
        _ => Exit::Done,
    }
}

/// How a gate is answered from here: with which answers depends on what it asks for.
pub fn answer_hint(run: &str, waiting: &GateCard) -> String {
    let (answers, more) = match waiting.purpose {
        AskFor::Approval => ("approve|changes|reject", "--comment TEXT"),
        AskFor::Outcome => ("pass|fail", "[--comment TEXT]"),
        AskFor::Permission => ("approve|reject", "[--lasting run|always]"),
        AskFor::Tool => ("approve|reject", "[--comment TEXT]"),
    };
    format!(
        "    answer in the window, or: gatehouse answer {run} {} {answers} --by NAME {more}",
        waiting.gate
    )
}

async fn print(
    studio: &Studio,
    run: &RunId,
    after: u64,
    manner: &Manner,
    bar: Option<&ProgressBar>,
) -> Result<u64, Failure> {
    if manner.quiet {
        return Ok(after);
    }
    if manner.json {
        let (_, events) = studio.events(run.as_str(), Some(Vocabulary::Native), after)?;
        let last = events
            .iter()
            .filter_map(|e| e.get("seq")?.as_u64())
            .max()
            .unwrap_or(after);
        for event in events {
            out::json(&event);
        }
        return Ok(last);
    }
    let log = studio
        .log(LogAfter {
            run_id: run.to_string(),
            after: Some(after),
        })
        .await?;
    let speak = |text: String| match bar {
        Some(bar) => bar.println(out::inert(&text)),
        None => out::line(text),
    };
    for line in &log.lines {
        match line.stream.as_str() {
            "event" => {
                speak(line.text.clone());
            }
            _ => speak(format!("    {}", line.text)),
        }
    }
    if let Some(bar) = bar
        && let Some(last) = log.lines.iter().rfind(|l| l.stream == "event")
    {
        bar.set_message(out::inert(&last.text));
    }
    Ok(log.last)
}

/// How far the log of a run goes: whoever takes it up again has seen that.
pub async fn so_far(studio: &Studio, run: &str) -> Result<u64, Failure> {
    let of = LogAfter {
        run_id: run.to_owned(),
        after: None,
    };
    Ok(studio.log(of).await?.last)
}

/// In whose name `--yes` approves; asked for before anything begins.
pub fn approver(studio: &Studio) -> Result<String, Failure> {
    let name = studio.identity().person().name;
    if !name.is_empty() {
        return Ok(name);
    }
    let error = ApiError::new(
        "refused:name_required",
        "--yes approves in your name, and none has been given yet.",
    );
    Err(Failure(error.hint(
        "Give your name once in the window's settings, or answer with: gatehouse answer … --by NAME",
    )))
}

async fn approve(studio: &Studio, run: &RunId) -> Result<(), Failure> {
    let name = approver(studio)?;
    let Some(waiting) = studio.waiting_at(run)? else {
        return Ok(());
    };
    // Nobody can say for a person how their work went.
    if waiting.purpose == AskFor::Outcome {
        return Ok(());
    }
    let answer = AnswerOf {
        run_id: run.to_string(),
        gate: waiting.gate,
        round: waiting.round,
        answer: Answer::Approve,
        comment: "approved by --yes".into(),
        seen: Vec::new(),
        lasting: None,
    };
    match studio.decide(answer, &name).await {
        // Somebody else, or the scenario, was faster: that is an answer too.
        Err(error) if error.refused() => Ok(()),
        other => Ok(other?),
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
