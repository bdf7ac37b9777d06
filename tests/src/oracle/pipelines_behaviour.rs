//! `behaviour.json`: what pipelines do, given and expected in words; each case has a check of its own here.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use super::pipelines_project::{Desk, FOLDER, ID, SCRIPTED, fault, text};
use dialect::Document;
use dialect::pipeline::StageDefinition;
use dialect::pipeline::id::PipelineId;
use engine::{RunId, StepStatus};
use model::Place;
use runtime::config::Config;
use runtime::pipeline::{Folder, create};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use studio::Begun;
use studio::command::{Nothing, PipelineOf};
use studio::pipeline::view::PipelineDraft;

/// Another pipeline than the case's.
const OTHER: &str = "PIPE-20250101-other-000000";

/// Looks the case up by its id.
pub fn behaviour(context: &Context, case: &Case) -> Result<(), Fault> {
    let expected = case.get("expected");
    let desk = Desk::new()?;
    let answered = match case.id.as_str() {
        "cr-collision" => collision(&desk)?,
        "cr-initial" => initial(&desk)?,
        "cr-template-list" => template_list(&desk, expected)?,
        "cr-unknown-agent" => unknown_agent()?,
        "run-missing-file" => missing_file(&desk)?,
        "run-id-file-mismatch" => return mismatch(context, &desk),
        "out-dir" => context.runtime.block_on(output(&desk, expected))?,
        "out-hostile-output-name" => return context.runtime.block_on(hostile(&desk)),
        "st-no-id" => active(&desk)?,
        "st-no-id-none" => json!({"error": desk.studio.pipeline_status(PipelineOf::default()).is_err()}),
        "st-progress-100" => {
            context
                .runtime
                .block_on(progress(&desk, &[("a", ""), ("b", "a"), ("c", "a"), ("d", "b")], ""))?
        }
        "st-progress-skipped" => {
            let shown =
                context
                    .runtime
                    .block_on(progress(&desk, &[("a", ""), ("b", ""), ("c", "b"), ("d", "c")], "b"))?;
            let accepted = expected["accept"]
                .as_array()
                .is_some_and(|all| all.contains(&shown["percentage"]));
            return if accepted {
                Ok(())
            } else {
                same("the percentage", &expected["accept"], &shown["percentage"])
            };
        }
        "ab-not-running" => context.runtime.block_on(not_running(&desk))?,
        "ab-counts" => context.runtime.block_on(aborted(&desk))?,
        "rs-running" => context.runtime.block_on(resumed_running(&desk))?,
        "state-persisted" => context.runtime.block_on(persisted(&desk))?,
        _ => return Err(Fault::NotImplemented("this case is not known to the adapter")),
    };
    same("it", expected, &answered)
}

/// Two created at the same moment.
fn collision(desk: &Desk) -> Result<Value, Fault> {
    let folder = Folder::of(&desk.project.root, &Config::default()).map_err(anyhow::Error::from)?;
    let at = "2025-06-15T12:00:00".parse().map_err(anyhow::Error::from)?;
    let source = text(ID, vec![StageDefinition::new("a")], None)?;
    let make = || create::create(&folder, "Case", create::Source::Text(&source), at).map_err(anyhow::Error::from);
    let first = make()?;
    let before = desk.text(first.id.as_str());
    let second = make()?;
    let ids = [&first.id, &second.id];
    Ok(json!({
        "second_id_differs": first.id != second.id,
        "first_file_unchanged": !before.is_empty() && before == desk.text(first.id.as_str()),
        "both_ids_match_pattern": ids.iter().all(|id| PipelineId::parse(id.as_str()).is_ok() && desk.file(id.as_str()).is_file()),
    }))
}

/// Every template's pipeline: all states.
fn initial(desk: &Desk) -> Result<Value, Fault> {
    let mut states = BTreeSet::new();
    for template in desk.studio.pipeline_templates(Nothing {}).map_err(fault)?.templates {
        let draft = PipelineDraft {
            name: template.title,
            template: Some(template.name),
            ..PipelineDraft::default()
        };
        let created = desk.studio.pipeline_create(draft).map_err(fault)?;
        let document = Document::parse(&created.path, &desk.text(&created.id));
        for step in document.workflow().steps() {
            states.insert(
                document
                    .value(&Place::step(step.ordinal).field("status"))
                    .unwrap_or(Value::Null)
                    .to_string(),
            );
        }
    }
    let all: Vec<String> = states
        .into_iter()
        .map(|state| state.trim_matches('"').to_owned())
        .collect();
    Ok(json!({"all_stages": all.join(" ")}))
}

/// The seed's templates stand first; a project may have more.
fn template_list(desk: &Desk, expected: &Value) -> Result<Value, Fault> {
    let templates = desk.studio.pipeline_templates(Nothing {}).map_err(fault)?.templates;
    let count = expected["templates"].as_array().map_or(0, Vec::len);
    let names: Vec<String> = templates.into_iter().map(|t| t.name).take(count).collect();
    Ok(json!({"templates": names}))
}

/// A project that names its agents, and a stage for another one.
fn unknown_agent() -> Result<Value, Fault> {
    let desk = Desk::with("agents: {dev: {engine: shell, run: 'true'}}\n")?;
    desk.put(ID, &text(ID, chain(&[("a", ""), ("b", "a")], "ghost"), None)?)?;
    let refused = desk.studio.start_pipeline(ID, true, &[]).is_err();
    let view = desk.status(ID)?;
    let pending = view.status_word == "pending" && view.stages.iter().all(|s| s.status_word == "pending");
    Ok(json!({"error": refused && view.run_id.is_none(), "stages_all_pending": pending}))
}

fn missing_file(desk: &Desk) -> Result<Value, Fault> {
    let refused = desk.studio.start_pipeline(ID, true, &[]).is_err();
    Ok(json!({"error": refused, "no_file_created": !desk.project.root.join(FOLDER).exists()}))
}

/// A file that states the id of another one: that one is never written to.
fn mismatch(context: &Context, desk: &Desk) -> Result<(), Fault> {
    desk.put(OTHER, &text(OTHER, chain(&[("a", "")], "dev"), None)?)?;
    let other = desk.text(OTHER);
    desk.put(ID, &text(OTHER, chain(&[("a", "")], "dev"), None)?)?;
    if let Ok(Begun::Started(run)) = desk.studio.start_pipeline(ID, true, &[]) {
        context.runtime.block_on(desk.drive(&run))?;
    }
    same("the other file", &json!(other), &json!(desk.text(OTHER)))?;
    same(
        "the other pipeline",
        &json!("pending"),
        &json!(desk.status(OTHER)?.status_word),
    )
}

async fn output(desk: &Desk, expected: &Value) -> Result<Value, Fault> {
    desk.script("design", "echo drawn > \"$GATEHOUSE_OUTPUT_FOLDER/architecture.md\"\n")?;
    desk.put(ID, &text(ID, chain(&[("design", "")], SCRIPTED), None)?)?;
    begun(desk).await?;
    let path = expected["path"].as_str().unwrap_or_default();
    let file = desk.project.root.join(path.replace("{pipeline_dir}", FOLDER));
    let made = std::fs::read_to_string(file).is_ok_and(|text| text == "drawn\n");
    Ok(json!({"path": if made { path } else { "" }}))
}

/// Whatever outputs are called, files come about only where the run's belong.
async fn hostile(desk: &Desk) -> Result<(), Fault> {
    let around = desk.project.root.parent().unwrap_or(&desk.project.root).to_owned();
    let mut stages = chain(&[("a", ""), ("b", "a")], SCRIPTED);
    for stage in &mut stages {
        stage.outputs = ["../../../etc/cron.d/x", "/etc/x", "..", "a/../../../x"]
            .map(str::to_owned)
            .to_vec();
        desk.script(&stage.name, "echo said\n")?;
    }
    stages[1].agents = vec!["dev".to_owned()];
    desk.put(ID, &text(ID, stages, None)?)?;
    let before = files(&around)?;
    begun(desk).await?;
    let outputs = desk.project.root.join(FOLDER).join("outputs");
    let own = [
        outputs.clone(),
        desk.project.root.join(".gatehouse"),
        desk.project.home(),
    ];
    let run = desk.status(ID)?.run_id.unwrap_or_default();
    let run_base = desk.project.root.join(runtime::project::run_base(&RunId::from(run)));
    let active = desk.project.root.join(FOLDER).join("active-pipeline.yaml");
    let stray = files(&around)?
        .into_iter()
        .filter(|file| !before.contains(file) && *file != active && !file.starts_with(&run_base))
        .find(|file| own.iter().all(|folder| !file.starts_with(folder)));
    match stray {
        _ if Path::new("/etc/x").exists() => Err(Fault::differs("/etc/x was written")),
        Some(file) => Err(Fault::differs(format!("{} was written", file.display()))),
        None if files(&outputs)?.is_empty() => Err(Fault::differs("there are no outputs at all")),
        None => Ok(()),
    }
}

/// `active-pipeline.yaml` names a pipeline, and it is one itself.
fn active(desk: &Desk) -> Result<Value, Fault> {
    let write = |text: &str| desk.project.write(&[(&format!("{FOLDER}/active-pipeline.yaml"), text)]);
    let shown = || Ok::<_, Fault>(desk.studio.pipeline_status(PipelineOf::default()).map_err(fault)?.id);
    desk.put(OTHER, &text(OTHER, chain(&[("a", "")], "dev"), None)?)?;
    write(&format!("pipeline_id: {OTHER}\n"))?;
    let named = shown()?;
    write(&text(ID, chain(&[("a", "")], "dev"), None)?)?;
    let whole = shown()?;
    let loads = named == OTHER && whole == ID;
    Ok(json!({"loads": if loads { "active-pipeline.yaml".to_owned() } else { format!("{named}, {whole}") }}))
}

/// How far a pipeline is when it has come to its end; `fails` names a stage.
async fn progress(desk: &Desk, stages: &[(&str, &str)], fails: &str) -> Result<Value, Fault> {
    for (name, _) in stages {
        desk.script(name, if *name == fails { "exit 1\n" } else { "" })?;
    }
    desk.put(ID, &text(ID, chain(stages, SCRIPTED), Some("skip_dependents"))?)?;
    begun(desk).await?;
    Ok(json!({"percentage": desk.status(ID)?.progress.percent}))
}

async fn not_running(desk: &Desk) -> Result<Value, Fault> {
    desk.put(ID, &text(ID, chain(&[("a", "")], "dev"), None)?)?;
    let run = begun(desk).await?;
    let before = desk.text(ID);
    let refused = desk.abort(&run).await.is_err();
    let unchanged = desk.status(ID)?.status_word == "completed" && desk.text(ID) == before;
    Ok(json!({"status_unchanged_or_error": refused && unchanged}))
}

/// Two completed, one running, one pending.
async fn aborted(desk: &Desk) -> Result<Value, Fault> {
    let run = held(desk, &[("a", ""), ("b", "a"), ("c", "b"), ("d", "c")], "c")?;
    let abort = async {
        running(desk, &run, "c").await?;
        desk.abort(&run).await.map_err(fault)
    };
    let (driven, aborted) = tokio::join!(desk.drive(&run), abort);
    driven.and(aborted)?;
    let view = desk.status(ID)?;
    let count = |word: &str| view.stages.iter().filter(|stage| stage.status_word == word).count();
    Ok(
        json!({"completed_stages": count("completed"), "aborted_stages": count("aborted"), "pipeline": view.status_word}),
    )
}

async fn resumed_running(desk: &Desk) -> Result<Value, Fault> {
    let run = held(desk, &[("a", "")], "a")?;
    let resume = async {
        running(desk, &run, "a").await?;
        let refused = desk.studio.resumable_pipeline(ID).is_err();
        desk.abort(&run).await.map_err(fault)?;
        Ok(json!({"error": refused}))
    };
    let (driven, refused) = tokio::join!(desk.drive(&run), resume);
    driven.and(refused)
}

/// The file shows each wave's end while the next one runs.
async fn persisted(desk: &Desk) -> Result<Value, Fault> {
    let stages = [("a", ""), ("b", "a"), ("c", "b")];
    for (name, _) in stages {
        desk.script(
            name,
            &format!("touch begun-{name}; until [ -e go-{name} ]; do sleep 0.02; done\n"),
        )?;
    }
    desk.put(ID, &text(ID, chain(&stages, SCRIPTED), None)?)?;
    let Begun::Started(run) = desk.studio.start_pipeline(ID, true, &[]).map_err(fault)? else {
        return Err(Fault::differs("it counts as completed"));
    };
    let watch = async {
        for (n, (name, _)) in stages.iter().enumerate() {
            running(desk, &run, name).await?;
            let wanted: Vec<&str> = (0..stages.len())
                .map(|other| {
                    if other < n {
                        "completed"
                    } else if other == n {
                        "running"
                    } else {
                        "pending"
                    }
                })
                .collect();
            let what = format!("the file says {wanted:?}");
            desk.until(&what, || Ok(states(&desk.text(ID)) == wanted)).await?;
            std::fs::write(desk.project.root.join(format!("go-{name}")), "").map_err(anyhow::Error::from)?;
        }
        Ok(())
    };
    let (driven, watched) = tokio::join!(desk.drive(&run), watch);
    driven.and(watched)?;
    let done = states(&desk.text(ID)).iter().all(|state| state == "completed");
    Ok(json!({"file_updated_after_each_wave": done}))
}

/// What a file says of its stages.
fn states(text: &str) -> Vec<String> {
    let document = Document::parse(&format!("{ID}.yaml"), text);
    let state = |n: usize| document.value(&Place::step(n).field("status"));
    let states = (0..document.workflow().steps().len()).map(state);
    states
        .map(|s| s.and_then(|s| s.as_str().map(str::to_owned)).unwrap_or_default())
        .collect()
}

/// Stages with a dependency each.
fn chain(stages: &[(&str, &str)], agent: &str) -> Vec<StageDefinition> {
    let stage = |(name, waits): &(&str, &str)| StageDefinition {
        agents: vec![agent.to_owned()],
        depends_on: waits.split_whitespace().map(str::to_owned).collect(),
        ..StageDefinition::new(*name)
    };
    stages.iter().map(stage).collect()
}

/// A run of scripted stages, one of which goes on until it is aborted.
fn held(desk: &Desk, stages: &[(&str, &str)], holds: &str) -> Result<RunId, Fault> {
    for (name, _) in stages {
        let script = if *name == holds { "exec sleep 600\n" } else { "" };
        desk.script(name, script)?;
    }
    desk.put(ID, &text(ID, chain(stages, SCRIPTED), None)?)?;
    match desk.studio.start_pipeline(ID, true, &[]).map_err(fault)? {
        Begun::Started(run) => Ok(run),
        Begun::Completed => Err(Fault::differs("it counts as completed")),
    }
}

async fn running(desk: &Desk, run: &RunId, stage: &str) -> Result<(), Fault> {
    let is = || Ok(desk.state(run)?.step_status(&stage.into()) == StepStatus::Running);
    desk.until(&format!("{stage} runs"), is).await
}

/// Runs the case's pipeline to its end.
async fn begun(desk: &Desk) -> Result<RunId, Fault> {
    let Begun::Started(run) = desk.studio.start_pipeline(ID, true, &[]).map_err(fault)? else {
        return Err(Fault::differs("it counts as completed"));
    };
    desk.drive(&run).await?;
    Ok(run)
}

/// Every file below a folder.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Fault> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).map_err(anyhow::Error::from)? {
            let path = entry.map_err(anyhow::Error::from)?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found)
}
