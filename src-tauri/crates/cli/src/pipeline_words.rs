//! What the command line prints of pipelines: the blocks of seed 004.

use crate::{hint, out};
use serde_json::{Value, json};
use studio::Inside;
use studio::pipeline::view::{PipelineView, PipelinesView, StageView, TemplateOrigin, TemplatesView};
use studio::view::Status;
use studio::words;

/// Width of the progress bar.
const BAR: u32 = 24;

/// How a pipeline ended (seed 004, end of "PIPELINE RUN").
pub fn result(view: &PipelineView) {
    out::line(format!("Pipeline {}: {}", view.status_word, view.id));
    out::line("");
    out::line("Results:");
    for stage in &view.stages {
        out::line(format!("- {}: {} ({})", stage.step.id, stage.status_word, took(stage)));
    }
    if let Some(error) = &view.error {
        out::line("");
        out::line(format!("Error: {error}"));
    }
    if view.status_word == "completed_with_failures" {
        out::line("");
        out::line("Warning: Pipeline completed with failures in some stages.");
    }
    if let Some(ending) = &view.ending {
        out::line("");
        out::line(&ending.words);
    }
    stages_changed(view);
    out::line("");
    out::line(format!("Outputs saved to: {}/", view.outputs));
    go_on(view);
}

/// How the stages of the file differ from those that the run has.
fn stages_changed(view: &PipelineView) {
    if !view.stages_changed.is_empty() {
        out::line("");
        view.stages_changed.iter().for_each(out::line);
    }
}

/// The same for programs (seed 004 "output": pipeline_id, status, stages, outputs).
pub fn result_json(view: &PipelineView) -> Value {
    let stage = |stage: &StageView| {
        json!({
            "name": stage.step.id,
            "status": stage.status_word,
            "duration_ms": stage.duration_ms,
            "reason": stage.reason,
        })
    };
    let outputs = view
        .stages
        .iter()
        .filter_map(|stage| Some((stage.step.id.clone(), json!(stage.output.as_ref()?))));
    json!({
        "pipeline_id": view.id,
        "status": view.status_word,
        "stages": view.stages.iter().map(stage).collect::<Vec<_>>(),
        "outputs": outputs.collect::<serde_json::Map<_, _>>(),
        "error": view.error,
        "ending": view.ending,
        "run_id": view.run_id,
    })
}

/// Where a pipeline stands (seed 004 "PIPELINE STATUS").
pub fn status(view: &PipelineView, kept_inside: &[Inside]) {
    let progress = &view.progress;
    let filled = (progress.percent * BAR / 100).min(BAR) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR as usize - filled));
    out::line(format!("Pipeline: {}", view.id));
    out::line(format!("Status: {}", view.status_word));
    out::line(format!("Progress: [{bar}] {}% ({})", progress.percent, progress.words));
    if let Some(driver) = &view.driver {
        out::line(format!("Carried out by: {driver}"));
    }
    out::line("");
    out::line("Stages:");
    for stage in &view.stages {
        out::line(format!("[{}] {}", icon(stage.status), stage.step.id));
        out::line(format!("  Agents: {}", or(&stage.agents.join(", "), "none")));
        out::line(format!(
            "  Duration: {}",
            stage
                .duration_ms
                .map_or_else(|| stage.status_word.clone(), words::duration)
        ));
        out::line(format!("  Output: {}", stage.output.as_deref().unwrap_or("n/a")));
        if let Some(reason) = &stage.reason {
            let what = &stage.status_word;
            out::line(format!("  {}{}: {reason}", what[..1].to_uppercase(), &what[1..]));
        }
    }
    if view.status_word == "running" || view.status_word == "paused" {
        let current: Vec<&str> = view.current.iter().map(|step| step.id.as_str()).collect();
        out::line("");
        out::line(format!("Currently executing: {}", or(&current.join(", "), "nothing")));
        out::line(format!("Estimated remaining: {}", view.estimate.words));
        for stage in view.stages.iter().filter(|stage| stage.status == Status::Blocked) {
            out::line(format!("{} waits for a person", stage.step.id));
        }
        for inside in kept_inside {
            out::line(hint::inside(inside));
        }
        if kept_inside.is_empty() && view.driver.is_none() {
            out::line(format!(
                "Nobody carries it out now. Go on with: gatehouse pipeline resume {}",
                view.id
            ));
        }
    }
    if let Some(error) = &view.error {
        out::line("");
        out::line(format!("Error: {error}"));
    }
    if let Some(ending) = &view.ending {
        out::line("");
        out::line(&ending.words);
        go_on(view);
    }
    stages_changed(view);
    if view.status_word == "pending" {
        out::line("");
        out::line(format!("Estimated duration: {}", view.estimate.words));
    }
}

/// How a pipeline that did not end well goes on.
fn go_on(view: &PipelineView) {
    let can = view.run_id.is_some()
        && (!view.choices.is_empty() || matches!(view.status, Status::Failed | Status::Refused | Status::Aborted));
    if can {
        out::line(format!(
            "Retry or skip what is missing: gatehouse pipeline resume {}",
            view.id
        ));
    }
}

/// Templates and pipelines (seed 004 "PIPELINE LIST").
pub fn list(templates: &TemplatesView, pipelines: &PipelinesView) {
    out::line("Available Templates:");
    for template in &templates.templates {
        let description = template.description.as_deref().unwrap_or(&template.title);
        let from = match &template.origin {
            TemplateOrigin::BuiltIn => String::new(),
            TemplateOrigin::Project { path } => format!(" ({path})"),
        };
        out::line(format!("- {}: {}{from}", template.name, description.replace('\n', " ")));
        let stages: Vec<&str> = template.stages.iter().map(|stage| stage.name.as_str()).collect();
        match &template.problem {
            Some(problem) => out::line(format!("  Cannot be used: {problem}")),
            None => out::line(format!("  Stages: {}", stages.join(", "))),
        }
    }
    out::line("");
    out::line("Existing Pipelines:");
    for pipeline in &pipelines.pipelines {
        // Without an id it has no date either, and is found by its file.
        out::line(match pipeline.created.is_empty() {
            true => format!("- {}: {}", pipeline.path, pipeline.status_word),
            false => format!("- {}: {} ({})", pipeline.id, pipeline.status_word, pipeline.created),
        });
        if let Some(problem) = &pipeline.problem {
            out::line(format!("  Cannot be run: {problem}"));
        }
    }
    if pipelines.pipelines.is_empty() {
        out::line(format!(
            "none in {}/; create one with: gatehouse pipeline create --template {}",
            pipelines.folder,
            studio::text::paste::shell_word_or(
                templates.templates.first().map_or("NAME", |template| &template.name),
                "NAME"
            )
        ));
    }
}

fn took(stage: &StageView) -> String {
    match (stage.duration_ms, &stage.reason) {
        (Some(ms), _) => words::duration(ms),
        (None, Some(reason)) => reason.clone(),
        (None, None) => "did not run".to_owned(),
    }
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

fn icon(status: Status) -> &'static str {
    match status {
        Status::Done => "✓",
        Status::Failed => "✗",
        Status::Aborted => "■",
        Status::Refused => "⊘",
        Status::Partly | Status::Stopped => "!",
        Status::Queued => "…",
        Status::Running | Status::Waiting => "▸",
        Status::Blocked | Status::Paused | Status::LeftOpen => "?",
        Status::Skipped => "–",
        Status::NotStarted | Status::Imported => " ",
    }
}
