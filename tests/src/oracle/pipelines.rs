//! Pipelines as text: names, ids, the forms of their files, templates.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use super::pipelines_project::{Desk, FOLDER, ID, fault};
use dialect::pipeline::id::{IdError, sanitize};
use runtime::config::Config;
use runtime::pipeline::{Folder, create};
use serde_json::{Value, json};
use studio::Begun;
use studio::command::{Nothing, PipelineOf};
use studio::pipeline::view::PipelineDraft;

/// `sanitize.json`: the name as it stands in ids, or the seed's words for a name of which nothing is left.
pub fn sanitized(_: &Context, case: &Case) -> Result<(), Fault> {
    let name = case.text("name");
    let at = "2025-06-15T12:00:00".parse().map_err(anyhow::Error::from)?;
    let answered = match create::id_at(name, at) {
        Ok(id) => {
            let whole = sanitize(name).unwrap_or_default();
            // An id takes the beginning of a long name.
            if !whole.starts_with(id.name()) {
                return Err(Fault::differs(format!("{id} is not made of {whole}")));
            }
            json!({"sanitized": whole})
        }
        Err(error) => json!({"error": error.to_string()}),
    };
    let expected = case.get("expected");
    let word = &answered["sanitized"];
    let accepted = expected["accept"].as_array().is_some_and(|words| words.contains(word));
    let refused = ["error", "or_error"]
        .iter()
        .any(|key| expected[*key] == answered["error"]);
    if accepted || refused && answered["error"].is_string() || word.is_string() && *word == expected["sanitized"] {
        return Ok(());
    }
    Err(Fault::differs(format!("{answered} for {expected}")))
}

/// `id_format.json`: each of the commands says that the id is malformed, or says something else.
pub fn id_format(_: &Context, case: &Case) -> Result<(), Fault> {
    let id = case.text("pipeline_id");
    let desk = Desk::new()?;
    let studio = &desk.studio;
    for command in case.get("commands").as_array().into_iter().flatten() {
        let said = match command.as_str() {
            Some("run") => studio.start_pipeline(id, true, &[]).err(),
            // Both look the pipeline up first.
            Some("status" | "abort") => studio.pipeline_status(PipelineOf::named(id)).err(),
            Some("resume") => studio.resumable_pipeline(id).err(),
            _ => return Err(Fault::NotImplemented("this command is not known to the adapter")),
        };
        let said = said.ok_or_else(|| Fault::differs("a pipeline without a file was found"))?;
        let malformed = said.message == IdError::Malformed.to_string();
        same(&format!("{command}: valid"), case.expected("valid"), &json!(!malformed))?;
        if malformed {
            same("the error", case.expected("error"), &json!(said.message))?;
        }
    }
    if desk.project.root.join(FOLDER).exists() {
        return Err(Fault::differs("something was made in the folder of pipelines"));
    }
    Ok(())
}

/// `id_generation.json`: name and clock give the id and the file.
pub fn id_generation(_: &Context, case: &Case) -> Result<(), Fault> {
    let desk = Desk::new()?;
    let folder = Folder::of(&desk.project.root, &Config::default()).map_err(anyhow::Error::from)?;
    let now = case.text("now").parse().map_err(anyhow::Error::from)?;
    let id = create::id_at(case.text("name"), now).map_err(anyhow::Error::from)?;
    same("the id", case.expected("pipeline_id"), &json!(id.as_str()))?;
    let file = case.expected("file").as_str().unwrap_or_default();
    let file = file.replace("{pipeline_dir}", FOLDER);
    same("the file", &json!(file), &json!(folder.path_of(&id)))
}

/// `definition_forms.json`: a file that loads can be run to its end and keeps everything of its author; another is refused and left.
pub fn definition(context: &Context, case: &Case) -> Result<(), Fault> {
    let desk = Desk::new()?;
    let text = case.text("yaml");
    let id = text
        .lines()
        .find_map(|line| line.strip_prefix("pipeline_id: "))
        .unwrap_or(ID);
    desk.put(id, text)?;
    let begun = desk.studio.start_pipeline(id, true, &[]);
    if case.expected("error") == true {
        return match begun {
            Ok(_) => Err(Fault::differs("it was started")),
            Err(_) => same("the file", &json!(text), &json!(desk.text(id))),
        };
    }
    let Begun::Started(run) = begun.map_err(fault)? else {
        return Err(Fault::differs("it counts as completed"));
    };
    context.runtime.block_on(desk.drive(&run))?;
    same("the status", &json!("completed"), &json!(desk.status(id)?.status_word))?;
    let read = |text: &str| -> Result<Value, Fault> { Ok(serde_yaml::from_str(text).map_err(anyhow::Error::from)?) };
    let (mut before, mut after) = (read(text)?, read(&desk.text(id))?);
    let stages = |file: &Value| file["stages"].as_array().map_or(0, Vec::len);
    same("the number of stages", &json!(stages(&before)), &json!(stages(&after)))?;
    for file in [&mut before, &mut after] {
        file["status"] = Value::Null;
        for stage in file["stages"].as_array_mut().into_iter().flatten() {
            stage["status"] = Value::Null;
        }
    }
    same("the file without its states", &before, &after)
}

/// `templates.json`: the stages of the template, and the pipeline made of it.
pub fn template(_: &Context, case: &Case) -> Result<(), Fault> {
    let desk = Desk::new()?;
    let name = case.text("template");
    let templates = desk.studio.pipeline_templates(Nothing {}).map_err(fault)?.templates;
    let Some(template) = templates.iter().find(|template| template.name == name) else {
        return Err(Fault::differs(format!("there is no template {name}")));
    };
    let stages: Vec<Value> = template
        .stages
        .iter()
        .map(|s| {
            json!({"name": s.name, "agents": s.agents, "parallel": s.parallel, "depends_on": s.depends_on, "outputs": s.outputs})
        })
        .collect();
    same("the stages", &case.get("definition")["stages"], &json!(stages))?;
    let draft = PipelineDraft {
        name: template.title.clone(),
        template: Some(name.to_owned()),
        ..PipelineDraft::default()
    };
    let created = desk.studio.pipeline_create(draft).map_err(fault)?;
    same("stage_count", case.expected("stage_count"), &json!(created.stages))?;
    let view = desk.status(&created.id)?;
    let states: serde_json::Map<_, _> = view
        .stages
        .iter()
        .map(|s| (s.step.id.clone(), json!(s.status_word)))
        .collect();
    same(
        "initial_status",
        case.expected("initial_status"),
        &Value::Object(states),
    )?;
    let document = dialect::Document::parse(&created.path, &desk.text(&created.id));
    let waves: Vec<Vec<&str>> = document
        .workflow()
        .waves()
        .into_iter()
        .map(|wave| wave.into_iter().map(|step| step.id.as_str()).collect())
        .collect();
    same("waves", case.expected("waves"), &json!(waves))
}
