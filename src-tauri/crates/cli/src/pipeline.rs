//! `gatehouse pipeline`: the six commands of seed 004. What is printed of a pipeline stands in `pipeline_words`.

use crate::arguments::pipeline::{Abort, Create, List, Pipeline, Resume, Run, Status};
use crate::out;
use crate::out::{Exit, Failure};
use crate::pipeline_ask as ask;
use crate::pipeline_words as words;
use crate::run::{Manner, REHEARSAL, approver, follow, say_only_read, say_passed_over, so_far};
use crate::{hint, project};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use studio::command::{ActOn, Nothing, PipelineOf, RunAt};
use studio::pipeline::view::{PipelineDraft, PipelineView};
use studio::run::view::RunAction;
use studio::{ApiError, Begun, Choice, Client, Inside, RunId, Studio};

/// Carries one of the six out.
pub async fn pipeline(at: Option<&Path>, a: &Pipeline) -> Result<Exit, Failure> {
    let studio = match a {
        Pipeline::Create(_) | Pipeline::Run(_) => project::open(at, None, Client::Cli)?,
        Pipeline::Status(_) | Pipeline::List(_) | Pipeline::Abort(_) | Pipeline::Resume(_) => project::recorded(at)?,
    };
    match a {
        Pipeline::Create(a) => create(&studio, a),
        Pipeline::Run(a) => run(&studio, a).await,
        Pipeline::Status(a) => status(&studio, a),
        Pipeline::List(a) => list(&studio, a),
        Pipeline::Abort(a) => abort(&studio, a).await,
        Pipeline::Resume(a) => resume(&studio, a).await,
    }
}

fn create(studio: &Studio, a: &Create) -> Result<Exit, Failure> {
    let created = if let Some(file) = &a.file {
        studio.create_pipeline_of_file(file, a.name.as_deref())?
    } else {
        let mut draft = PipelineDraft {
            template: a.template.clone(),
            from: a.from.clone(),
            ..PipelineDraft::default()
        };
        if draft.template.is_none() && draft.from.is_none() {
            if !on_terminal() {
                return Err(Failure(
                    ApiError::new("bad_parameters", "It is not said what the pipeline is to be made of.")
                        .hint("Give --template NAME, --file FILE or --from ID; `gatehouse pipeline list` shows the templates."),
                ));
            }
            draft = ask::draft(&studio.pipeline_templates(Nothing {})?)?;
        }
        draft.name = match &a.name {
            Some(name) => name.clone(),
            None if draft.name.is_empty() => studio.name_of_source(&draft)?,
            None => draft.name,
        };
        studio.pipeline_create(draft)?
    };
    if a.json {
        out::json(&created);
    } else {
        out::line(format!("Pipeline created: {}", created.id));
        out::line(format!("Stages: {}", created.stages));
        out::line(format!("Estimated duration: {}", created.estimate.words));
        out::line("");
        out::line(format!("Run with: gatehouse pipeline run {}", created.id));
    }
    Ok(Exit::Done)
}

async fn run(studio: &Studio, a: &Run) -> Result<Exit, Failure> {
    if a.rehearse || a.scenario.is_some() {
        return rehearse(studio, a).await;
    }
    let manner = Manner {
        approver: approver(studio, a.yes, a.by.as_deref())?,
        until_blocked: a.until_blocked,
        ..Manner::default()
    };
    match studio.start_pipeline(&a.id, a.permit, &a.input)? {
        Begun::Started(run) => {
            say_only_read(studio.only_read_in(&run)?);
            drive(studio, &a.id, &run, manner, a.json).await
        }
        Begun::Completed => {
            let view = studio.pipeline_status(PipelineOf::named(a.id.clone()))?;
            if !a.json {
                out::note("completed already: nothing was run");
            }
            finish(studio, &view, a.json)
        }
    }
}

/// A rehearsal is a run like any other: it has no part in what the pipeline's file says.
async fn rehearse(studio: &Studio, a: &Run) -> Result<Exit, Failure> {
    let scenario = a.scenario.as_deref();
    let scenario = scenario.map(|s| project::relative(studio, s)).transpose()?;
    // Asked before anything is begun.
    let approver = approver(studio, a.yes, a.by.as_deref())?;
    let run = studio.rehearse_pipeline(&a.id, scenario, &a.input)?;
    if !a.json {
        out::line(format!("run {run}"));
        out::line(REHEARSAL);
        say_passed_over(studio, &run);
    }
    let manner = Manner {
        approver,
        until_blocked: a.until_blocked,
        quiet: a.json,
        ..Manner::default()
    };
    let exit = follow(studio, &run, &manner).await?;
    if a.json {
        let of = RunAt {
            run_id: run.to_string(),
            at: None,
        };
        let view = studio.view(of).await?;
        out::json(&json!({
            "pipeline_id": a.id,
            "run_id": view.run_id,
            "rehearsal": view.rehearsal,
            "status": view.status,
            "error": view.error,
        }));
    }
    Ok(exit)
}

async fn resume(studio: &Studio, a: &Resume) -> Result<Exit, Failure> {
    let approver = approver(studio, a.yes, a.by.as_deref())?;
    let view = studio.resumable_pipeline(&a.id)?;
    let run = view.run_id.clone().unwrap_or_default();
    let after = so_far(studio, &run).await?;
    if view.source_changed {
        out::note(format!(
            "{} has changed since the run began; the run goes on with the version it began with",
            view.path
        ));
    }
    let ended = matches!(
        view.status_word.as_str(),
        "failed" | "aborted" | "completed_with_failures"
    );
    let run = if ended {
        let choices = choices(&view, a)?;
        if choices.values().all(|choice| *choice == Choice::Retry) {
            let once_more = studio.done_once_more(&run, None)?;
            once_more.iter().for_each(out::note);
        }
        let order = ActOn {
            choices,
            ..ActOn::new(run.clone(), RunAction::Reopen)
        };
        studio.act(order).await?;
        RunId::from(run)
    } else {
        known(&view, a.retry.iter().chain(&a.skip))?;
        if !a.retry.is_empty() || !a.skip.is_empty() || a.retry_all || a.skip_all {
            let message =
                "The pipeline has not ended, so no stage of it can be retried or skipped: it goes on where it stands.";
            let hint = "Nothing was run. Resume it without saying what is retried or skipped, or stop it first: gatehouse pipeline abort.";
            return Err(Failure(ApiError::new("refused:not_ended", message).hint(hint)));
        }
        studio.resume(&run, None).await?
    };
    let manner = Manner {
        approver,
        until_blocked: a.until_blocked,
        after,
        ..Manner::default()
    };
    drive(studio, &a.id, &run, manner, a.json).await
}

/// The runs inside the pipeline's that keep it.
fn kept_inside(studio: &Studio, view: &PipelineView) -> Result<Vec<Inside>, Failure> {
    let run = view.run_id.as_deref().map(RunId::from);
    Ok(run.map(|run| studio.kept_inside(&run)).transpose()?.unwrap_or_default())
}

/// That the pipeline has each of these stages.
fn known<'a>(view: &PipelineView, mut named: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
    let is_one = |name: &String| view.stages.iter().any(|stage| stage.step.id == *name);
    let Some(stranger) = named.find(|name| !is_one(name)) else {
        return Ok(());
    };
    let all: Vec<&str> = view.stages.iter().map(|stage| stage.step.id.as_str()).collect();
    let message = format!("The pipeline has no stage “{stranger}”.");
    let hint = format!("Its stages are: {}.", all.join(", "));
    Err(Failure(ApiError::new("bad_parameters", message).hint(hint)))
}

/// What becomes of each stage that failed or was cut off.
fn choices(view: &PipelineView, a: &Resume) -> Result<BTreeMap<String, Choice>, Failure> {
    let mut chosen: BTreeMap<String, Choice> = BTreeMap::new();
    for (names, choice) in [(&a.retry, Choice::Retry), (&a.skip, Choice::Skip)] {
        for name in names {
            if chosen.insert(name.clone(), choice).is_some_and(|other| other != choice) {
                let message = format!("Stage “{name}” is to be retried and to be skipped.");
                return Err(Failure(ApiError::new("bad_parameters", message).hint("Name it once.")));
            }
        }
    }
    known(view, chosen.keys())?;
    let is_open = |name: &str| view.choices.iter().any(|stage| stage.step.id == name);
    if let Some(other) = chosen.keys().find(|name| !is_open(name)) {
        let message = format!(
            "Stage “{other}” is not among those that failed or were cut off, so there is nothing to say of it."
        );
        let open: Vec<&str> = view.choices.iter().map(|stage| stage.step.id.as_str()).collect();
        let hint = match open.is_empty() {
            true => "None has failed or was cut off: leave --retry and --skip away.".to_owned(),
            false => format!("Name those that are: {}.", open.join(", ")),
        };
        return Err(Failure(ApiError::new("bad_parameters", message).hint(hint)));
    }
    let rest = match (a.retry_all, a.skip_all) {
        (true, _) => Some(Choice::Retry),
        (_, true) => Some(Choice::Skip),
        _ => None,
    };
    for stage in &view.choices {
        if chosen.contains_key(&stage.step.id) {
            continue;
        }
        let choice = match rest {
            Some(choice) => choice,
            None if on_terminal() => ask::retry_or_skip(stage)?,
            // The refusal names every stage that is missing.
            None => continue,
        };
        chosen.insert(stage.step.id.clone(), choice);
    }
    let missing = view.choices.iter().filter(|stage| !chosen.contains_key(&stage.step.id));
    let missing: Vec<String> = missing.map(|stage| format!("“{}”", stage.step.name)).collect();
    if missing.is_empty() {
        return Ok(chosen);
    }
    let message = format!("Say for {} whether to retry or to skip it.", missing.join(", "));
    Err(Failure(ApiError::new("refused:choice_needed", message).hint(
        "Give --retry STAGE,… and --skip STAGE,…, or --retry-all, or --skip-all.",
    )))
}

/// Drives a pipeline's run in the foreground and prints how it ended.
async fn drive(studio: &Studio, id: &str, run: &RunId, manner: Manner, json: bool) -> Result<Exit, Failure> {
    let exit = follow(studio, run, &Manner { quiet: json, ..manner }).await?;
    let view = studio.pipeline_status(PipelineOf::named(id))?;
    if !json && !ended(&view) {
        out::line("");
        words::status(&view, &kept_inside(studio, &view)?);
        return Ok(exit);
    }
    if !json {
        out::line("");
    }
    finish(studio, &view, json)?;
    Ok(exit)
}

fn ended(view: &PipelineView) -> bool {
    matches!(
        view.status_word.as_str(),
        "completed" | "completed_with_failures" | "failed" | "aborted"
    )
}

fn finish(studio: &Studio, view: &PipelineView, json: bool) -> Result<Exit, Failure> {
    if json {
        let run = RunId::from(view.run_id.as_deref().unwrap_or_default());
        let mut result = words::result_json(view);
        result["waiting"] = hint::waiting_json(studio, &studio.asked(&run)?).into();
        out::json(&result);
    } else {
        words::result(view);
    }
    Ok(if view.status_word == "completed" {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn status(studio: &Studio, a: &Status) -> Result<Exit, Failure> {
    let view = studio.pipeline_status(PipelineOf { id: a.id.clone() })?;
    if a.json {
        let run = view.run_id.as_deref().map(RunId::from);
        let unshown = run.as_ref().and_then(|run| studio.unshown(run));
        let asked = run.map(|run| studio.asked(&run)).transpose()?.unwrap_or_default();
        let kept = kept_inside(studio, &view)?;
        let mut view = serde_json::to_value(&view).map_err(|e| Failure::internal(e.to_string()))?;
        view["waiting"] = hint::waiting_json(studio, &asked).into();
        view["kept_inside"] = hint::inside_json(&kept).into();
        view["unshown"] = unshown.into();
        out::json(&view);
    } else {
        words::status(&view, &kept_inside(studio, &view)?);
        let run = view.run_id.as_deref().map(RunId::from);
        if let Some(sentence) = run.and_then(|run| studio.unshown(&run)) {
            out::line(format!("remark: {}", out::in_line(&sentence)));
        }
        if let Some(run) = &view.run_id {
            hint::waiting(studio, run, &studio.asked(&RunId::from(run.as_str()))?);
        }
    }
    Ok(Exit::Done)
}

fn list(studio: &Studio, a: &List) -> Result<Exit, Failure> {
    let (templates, pipelines) = (
        studio.pipeline_templates(Nothing {})?,
        studio.pipeline_list(Nothing {})?,
    );
    if a.json {
        out::json(&json!({
            "folder": pipelines.folder,
            "active": pipelines.active,
            "templates": templates.templates,
            "pipelines": pipelines.pipelines,
        }));
    } else {
        words::list(&templates, &pipelines);
    }
    Ok(Exit::Done)
}

async fn abort(studio: &Studio, a: &Abort) -> Result<Exit, Failure> {
    let view = studio.pipeline_status(PipelineOf { id: a.id.clone() })?;
    let Some(run) = view.run_id.clone() else {
        let message = format!(
            "Pipeline {} is not running: its status is {}.",
            view.id, view.status_word
        );
        return Err(Failure(
            ApiError::new("pipeline_pending", message).hint("There is nothing to stop."),
        ));
    };
    let order = ActOn {
        reason: Some(a.reason.clone()),
        ..ActOn::new(run, RunAction::Abort)
    };
    studio.act(order).await?;
    // Named by its id from here on: another one may have been started meanwhile.
    let view = match a.id {
        Some(_) => studio.pipeline_status(PipelineOf { id: a.id.clone() })?,
        None => studio
            .pipeline_status(PipelineOf::named(view.id.clone()))
            .or_else(|_| studio.pipeline_status(PipelineOf::default()))?,
    };
    let count = |word: &str| view.stages.iter().filter(|stage| stage.status_word == word).count();
    let (completed, aborted) = (count("completed"), count("aborted"));
    if a.json {
        out::json(&json!({
            "pipeline_id": view.id,
            "status": view.status_word,
            "completed_stages": completed,
            "aborted_stages": aborted,
        }));
    } else {
        out::line(format!("Pipeline {} aborted.", view.id));
        out::line(format!("Completed stages: {completed}"));
        out::line(format!("Aborted stages: {aborted}"));
    }
    Ok(Exit::Done)
}

fn on_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
