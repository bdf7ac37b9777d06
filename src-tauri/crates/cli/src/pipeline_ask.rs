//! What `gatehouse pipeline` asks on a terminal: what a new pipeline is made of, and what becomes of a stage that failed.

use crate::out;
use crate::out::Failure;
use std::io::{BufRead as _, Write as _};
use studio::pipeline::view::{PipelineDraft, StageChoice, StageDraft, TemplatesView};
use studio::{ApiError, Choice};

/// A template, or stages one by one (seed 004 "Ask user for pipeline source").
pub fn draft(templates: &TemplatesView) -> Result<PipelineDraft, Failure> {
    let usable: Vec<_> = templates
        .templates
        .iter()
        .filter(|template| template.problem.is_none())
        .collect();
    out::line("What is the pipeline made of?");
    for (n, template) in usable.iter().enumerate() {
        let description = template.description.as_deref().unwrap_or_default();
        out::line(format!(
            "  {}  {}: {}",
            n + 1,
            template.name,
            description.replace('\n', " ")
        ));
    }
    out::line("  0  stages of your own");
    loop {
        let said = line("number or name")?;
        if said == "0" {
            return own();
        }
        let numbered = said.parse::<usize>().ok().and_then(|n| usable.get(n.checked_sub(1)?));
        if let Some(template) = numbered.or_else(|| usable.iter().find(|template| template.name == said)) {
            return Ok(PipelineDraft {
                template: Some(template.name.clone()),
                name: line(&format!("name (empty: {})", template.title))?,
                ..PipelineDraft::default()
            });
        }
        out::line("There is none of that number or name.");
    }
}

fn own() -> Result<PipelineDraft, Failure> {
    let name = loop {
        let name = line("name of the pipeline")?;
        if !name.is_empty() {
            break name;
        }
    };
    let mut stages: Vec<StageDraft> = Vec::new();
    loop {
        let stage = line("name of a stage (empty: no more)")?;
        if stage.is_empty() && !stages.is_empty() {
            break;
        }
        if stage.is_empty() {
            continue;
        }
        stages.push(StageDraft {
            name: stage,
            agents: several("agents, separated by commas")?,
            depends_on: match stages.is_empty() {
                true => Vec::new(),
                false => several("waits for the stages (empty: for none)")?,
            },
            parallel: matches!(line("may run beside others? [y/N]")?.as_str(), "y" | "Y" | "yes"),
            outputs: several("outputs (empty: none)")?,
            ..StageDraft::default()
        });
    }
    Ok(PipelineDraft {
        name,
        stages: Some(stages),
        ..PipelineDraft::default()
    })
}

/// Retry or skip (seed 004 "Ask user: Retry failed stages or skip?").
pub fn retry_or_skip(stage: &StageChoice) -> Result<Choice, Failure> {
    let why = stage.error.as_deref().unwrap_or("it was cut off");
    out::line(format!("Stage {}: {why}", stage.step.id));
    out::line(format!("  retry: {}", stage.retry));
    out::line(format!("  skip:  {}", stage.skip));
    loop {
        match line("retry or skip? [r/s]")?.to_lowercase().as_str() {
            "r" | "retry" => return Ok(Choice::Retry),
            "s" | "skip" => return Ok(Choice::Skip),
            _ => {}
        }
    }
}

fn several(prompt: &str) -> Result<Vec<String>, Failure> {
    let said = line(prompt)?;
    let names = said.split(',').map(str::trim).filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

/// One line that a person types.
fn line(prompt: &str) -> Result<String, Failure> {
    let gone =
        |why: String| Failure(ApiError::new("bad_parameters", why).hint("Give the answers as options; see --help."));
    let mut screen = std::io::stdout().lock();
    // A screen that is gone shows in the reading.
    let _ = write!(screen, "{}: ", out::inert(prompt)).and_then(|()| screen.flush());
    let mut said = String::new();
    match std::io::stdin().lock().read_line(&mut said) {
        Ok(0) => Err(gone("Nobody answers.".to_owned())),
        Ok(_) => Ok(said.trim().to_owned()),
        Err(error) => Err(gone(format!("The answer cannot be read: {error}."))),
    }
}
