//! What is wrong with a pipeline as a whole, and the general rules in the words of pipelines.

use super::id::{stage_folder, stage_folders};
use super::states;
use super::words::{PipelineStatus, StageStatus};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, OnFailure, Place, Severity, Workflow};

/// Reports what can be told from the stages together.
pub(super) fn check(context: &mut Context<'_>, workflow: &Workflow) {
    folders(context, workflow);
    alone(context, workflow);
}

/// States that nobody wrote here: of a file that is not named by an id none are kept, and every run of it begins with the first stage.
pub(super) fn stated(context: &mut Context<'_>, root: NodeId) {
    let says = |context: &Context<'_>, id: NodeId| {
        let block = Block::open(context, id, Place::document());
        let word = block.peek(context, "status").and_then(|id| context.text(id));
        let is_known = |word: &str| StageStatus::of_word(word).is_some() || PipelineStatus::of_word(word).is_some();
        word.is_some_and(|word| is_known(&word) && word != StageStatus::Pending.word())
    };
    let stages = Block::open(context, root, Place::document()).peek(context, "stages");
    let stages = stages.and_then(|id| context.tree.items(id)).unwrap_or(&[]);
    let first = stages.iter().position(|id| says(context, *id));
    let place = match first {
        Some(n) => Place::step(n),
        None if says(context, root) => Place::document(),
        None => return,
    };
    let said = "`status` has no effect here: a run of this file begins with its first stage and does all of them";
    let help =
        "The state of a run is kept in a file that is named by its id (`gatehouse pipeline create`). Remove it here";
    context.report("GH0502", Severity::Warning, place.field("status"), said, Some(help));
}

/// States that a run could not write without changing another part of the file, which takes over what stands there.
pub(super) fn taken_over(context: &mut Context<'_>, root: NodeId) {
    for place in states::taken_over(context.source(), context.tree, root) {
        let (what, its) = match (place.step, place.path.first()) {
            (Some(n), None) => (format!("Stage {}", n + 1), "its state"),
            (None, Some(list)) if list == "stages" => ("The list of `stages`".to_owned(), "the state of a stage"),
            (_, key) => (format!("`{}`", key.map_or("status", String::as_str)), "its value"),
        };
        let said = format!(
            "{what} is used elsewhere in this file too (an alias), so {its} cannot be written here without changing it there"
        );
        let help = "Write what is shared in a part of its own, outside of `stages` (`common: &common`), and take it over from there (`<<: *common`)";
        context.report("GH0312", Severity::Error, place, said, Some(help));
    }
}

/// Stages whose outputs would go to one folder: one of them gets another.
fn folders(context: &mut Context<'_>, workflow: &Workflow) {
    let folders = stage_folders(workflow.steps().iter().map(|step| step.id.as_str()));
    for (step, folder) in workflow.steps().iter().zip(folders) {
        let plain = stage_folder(step.id.as_str());
        if folder == plain
            || workflow
                .step(&step.id)
                .is_some_and(|first| first.ordinal != step.ordinal)
        {
            continue;
        }
        let place = Place::step(step.ordinal).field("name");
        let said = format!(
            "The outputs of “{}” go to the folder `{folder}`: `{plain}` is another stage's",
            step.name
        );
        let help = "Names that differ in case or punctuation alone mean one folder; another name gives a plain one";
        context.report("GH0311", Severity::Note, place, said, Some(help));
    }
}

/// Under halt and retry a wave begins when the one before it has ended: a stage that is alone in its wave runs beside nothing.
fn alone(context: &mut Context<'_>, workflow: &Workflow) {
    if workflow.on_failure != OnFailure::Halt || !workflow.steps().iter().any(|step| step.parallel) {
        return;
    }
    for wave in workflow.waves() {
        let [step] = wave.as_slice() else { continue };
        if !step.parallel || step.agents.len() > 1 {
            continue;
        }
        let place = Place::step(step.ordinal).field("parallel");
        let said = format!("“{}” is parallel, but no other stage can begin when it does", step.name);
        let edit = Edit::Set {
            place: place.clone(),
            value: false.into(),
        };
        context.push(
            Diagnostic::new("GH0313", Severity::Note, place, said)
                .help("It runs alone; stages run together when they wait for the same ones")
                .fix("Set `parallel: false`", edit),
        );
    }
}

/// What the general rules found, said of stages and where a pipeline has it.
pub(crate) fn in_words(mut found: Vec<Diagnostic>, workflow: &Workflow) -> Vec<Diagnostic> {
    for diagnostic in &mut found {
        match diagnostic.code.as_str() {
            "GH0001" => unknown(diagnostic, workflow),
            "GH0004" => twice(diagnostic, workflow),
            "GH0008" => in_circle(diagnostic, workflow),
            _ => {}
        }
    }
    found
}

/// Stages that wait for each other, by their names.
fn in_circle(diagnostic: &mut Diagnostic, workflow: &Workflow) {
    let mut said = diagnostic.message.replacen("These steps", "These stages", 1);
    for step in workflow.steps() {
        said = said.replace(&step.called(), &format!("“{}”", step.name));
    }
    diagnostic.message = said;
}

/// A dependency that does not exist.
fn unknown(diagnostic: &mut Diagnostic, workflow: &Workflow) {
    let Some(step) = diagnostic.place.step.and_then(|n| workflow.steps().get(n)) else {
        return;
    };
    let [list, n] = diagnostic.place.path.as_slice() else {
        return;
    };
    let target = n.parse::<usize>().ok().and_then(|n| step.depends_on.get(n));
    let Some(target) = target.filter(|_| list == "depends_on") else {
        return;
    };
    if target.as_str().is_empty() {
        diagnostic.message = format!("A dependency of “{}” names no stage", step.name);
        diagnostic.help = Some("Name the stage it waits for, or remove the entry".to_owned());
        return;
    }
    diagnostic.message = format!("“{}” waits for a stage that does not exist: `{target}`", step.name);
    let proposed = diagnostic.fix.as_ref().and_then(|fix| match &fix.edit {
        Edit::Set { value, .. } => value.as_str(),
        Edit::Remove { .. } | Edit::Move { .. } | Edit::Rename { .. } => None,
    });
    diagnostic.help = Some(match proposed {
        Some(near) if near.to_lowercase() == target.as_str().to_lowercase() => {
            format!("Names are compared with case: there is a stage “{near}”")
        }
        Some(near) => format!("Did you mean “{near}”?"),
        None => "Name a stage of this pipeline, or add the missing one".to_owned(),
    });
}

/// Two stages of one name.
fn twice(diagnostic: &mut Diagnostic, workflow: &Workflow) {
    let name = |place: &mut Place| place.path = vec!["name".to_owned()];
    name(&mut diagnostic.place);
    for (place, said) in &mut diagnostic.related {
        name(place);
        "is the first stage of this name".clone_into(said);
    }
    if let Some(step) = diagnostic.place.step.and_then(|n| workflow.steps().get(n)) {
        diagnostic.message = format!(
            "The name “{}” is taken by an earlier stage; this one can never run",
            step.name
        );
    }
    diagnostic.help = Some("Give one of the two another name".to_owned());
}
