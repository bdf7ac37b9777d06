//! What a new file can be: every shape that a workflow is written in, with a skeleton as a person would begin it by hand, and
//! templates. A new file is one of their texts under another id and title, changed as any file is changed.

pub(crate) mod questions;

use crate::document::{Document, StepField};
use crate::edit::EditError;
use crate::stepwise;
use crate::text::apply;
use model::{Edit, Format, Place};
use serde_json::Value;

/// A shape of workflow files.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What it is called by.
    pub name: &'static str,
    /// Which contract.
    pub format: Format,
    /// What a person calls it, where that is not what its format is called.
    pub own_label: Option<&'static str>,
    /// What it is good for, in a sentence.
    pub help: &'static str,
    /// How its files' names end.
    pub ending: &'static str,
    /// What it begins as where nothing else is chosen.
    pub skeleton: &'static str,
    /// Whole workflows to begin with; of pipelines the project has its own.
    pub templates: &'static [Template],
}

impl Shape {
    /// What a person calls it; see [`Document::label`].
    pub fn label(&self) -> &'static str {
        self.own_label.unwrap_or_else(|| self.format.label())
    }
}

/// A workflow to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// What it is called by.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub help: &'static str,
    /// The file.
    pub text: &'static str,
}

const SHAPES: [Shape; 6] = [
    Shape {
        name: "flow",
        format: Format::Stepwise,
        own_label: None,
        help: "Steps that follow each other, with loops, branches and decisions. The first choice for work that is reviewed and \
               approved.",
        ending: ".yaml",
        skeleton: include_str!("flow.yaml"),
        templates: &[
            Template {
                name: "approval",
                help: "Somebody drafts, somebody reviews until it is good, and a person approves it.",
                text: include_str!("flow-approval.yaml"),
            },
            Template {
                name: "decision",
                help: "A case is looked at; small ones are settled, large ones are decided by a person.",
                text: include_str!("flow-decision.yaml"),
            },
            Template {
                name: "panel",
                help: "Several look at the same thing at the same time, and a person decides on what they found.",
                text: include_str!("flow-panel.yaml"),
            },
        ],
    },
    Shape {
        name: "runbook",
        format: Format::Rundown,
        own_label: None,
        help: "A Markdown document that is carried out step by step, by hand and by commands. Good for what is done again and again.",
        ending: ".runbook.md",
        skeleton: include_str!("runbook.runbook.md"),
        templates: &[
            Template {
                name: "checklist",
                help: "Checks one after the other; the first one that fails ends it.",
                text: include_str!("runbook-checklist.runbook.md"),
            },
            Template {
                name: "change",
                help: "A change with a question before it, a check after it, and a way back.",
                text: include_str!("runbook-change.runbook.md"),
            },
        ],
    },
    Shape {
        name: "stepspec",
        format: Format::StepSpec,
        own_label: None,
        help: "Steps with tools, templates, checks and evidence. For work that has to be proved.",
        ending: ".yaml",
        skeleton: include_str!("stepspec.yaml"),
        templates: &[Template {
            name: "brief",
            help: "A brief is written, checked against what was asked, and confirmed by a person.",
            text: include_str!("stepspec-brief.yaml"),
        }],
    },
    Shape {
        name: "pipeline",
        format: Format::Pipeline,
        own_label: None,
        help: "Stages that wait for each other. One runs at a time; those marked `parallel` run beside others.",
        ending: ".yaml",
        skeleton: include_str!("pipeline.yaml"),
        templates: &[],
    },
    Shape {
        name: "agent-workflow",
        format: Format::AgentWorkflow,
        own_label: None,
        help: "Who does what, in which order, and what each makes and takes. Steps can be left out, by a condition or by a person.",
        ending: ".yaml",
        skeleton: include_str!("agent-workflow.yaml"),
        templates: &[Template {
            name: "approval",
            help: "Somebody drafts, two review it at the same time, and a person approves it or sends it back.",
            text: include_str!("agent-workflow-approval.yaml"),
        }],
    },
    Shape {
        name: "graph",
        format: Format::Stepwise,
        own_label: Some(stepwise::GRAPH_FILE),
        help: "Nodes with edges between them. For tools that exchange graphs; a flow is easier to read.",
        ending: ".yaml",
        skeleton: include_str!("graph.yaml"),
        templates: &[Template {
            name: "rework",
            help: "Something is made and reviewed; it goes back until it is good, and is then published.",
            text: include_str!("graph-rework.yaml"),
        }],
    },
];

/// The shapes that a new file can have, the first choice first.
pub fn shapes() -> &'static [Shape] {
    &SHAPES
}

/// The shape of a name.
pub fn shape(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}

/// The keys at the top that hold a file's own id, and those that hold its title, the first one that is written counts.
const IDS: [&str; 5] = ["pipeline_id", "workflow", "key", "graph_id", "id"];
const TITLES: [&str; 2] = ["title", "name"];

/// A text under another id and title, at a path. What the file does not state is not added, but for a runbook's title.
///
/// # Errors
/// [`EditError`]: the text breaks off, or cannot be changed so.
pub fn named(path: &str, text: &str, id: &str, title: &str) -> Result<String, EditError> {
    let document = Document::parse(path, text);
    let format = document.workflow().format;
    // A runbook's front matter holds its id under `name`, and its title is a heading.
    let (ids, titles): (&[&str], &[&str]) = match format {
        Format::Rundown => (&["name"], &["title"]),
        // Its head is a block.
        Format::AgentWorkflow => (&["workflow.id"], &["workflow.name"]),
        _ => (&IDS, &TITLES),
    };
    let mut document = document;
    for (keys, value) in [(ids, id), (titles, title)] {
        let at = |key: &str| Place::document().path(key.split('.').map(str::to_owned));
        let written = |key: &&&str| document.value(&at(key)).is_some();
        let Some(key) = keys.iter().find(written) else {
            continue;
        };
        let place = at(key);
        let edits = document.edit(&Edit::Set {
            place,
            value: value.into(),
        })?;
        document = Document::parse(path, &apply(document.text(), &edits));
    }
    Ok(document.text().to_owned())
}

/// A shape's skeleton for what a person says is to be done: that is the task of its first step, where the step can say it.
pub fn begun(shape: &Shape, task: &str) -> String {
    let document = Document::parse(&format!("new{}", shape.ending), shape.skeleton);
    let written = || {
        let place = document.field(0, StepField::Intent)?;
        let value: Value = task.trim().into();
        let edits = document.edit(&Edit::Set {
            place: place.clone(),
            value: value.clone(),
        });
        let text = apply(shape.skeleton, &edits.ok()?);
        let after = Document::parse(document.path(), &text);
        // In a runbook `PASS: STOP` would be no task.
        let says_it = after.value(&place) == Some(value) && after.diagnostics() == document.diagnostics();
        says_it.then_some(text)
    };
    written().unwrap_or_else(|| shape.skeleton.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Severity;

    #[test]
    fn every_text_is_a_whole_workflow_without_a_problem_and_takes_another_name() {
        for shape in shapes() {
            let whole = shape.templates.iter().map(|template| template.text);
            for text in whole.chain([shape.skeleton]) {
                let path = format!("new{}", shape.ending);
                let document = Document::parse(&path, text);
                assert!(document.not_a_workflow().is_none(), "{}: {text}", shape.name);
                assert_eq!(document.workflow().format, shape.format, "{text}");
                let found: Vec<_> = document
                    .diagnostics()
                    .iter()
                    .filter(|found| found.severity > Severity::Note)
                    .collect();
                assert!(found.is_empty(), "{}: {found:#?}", shape.name);
                if shape.name == "pipeline" {
                    continue;
                }
                let other = named(&path, text, "a-new-one", "A new one: with a colon").expect("it can be named");
                let other = Document::parse(&path, &other);
                assert_eq!(other.workflow().id.as_str(), "a-new-one", "{text}");
                assert_eq!(other.workflow().title, "A new one: with a colon", "{text}");
                assert_eq!(other.workflow().steps(), document.workflow().steps());
            }
        }
    }

    #[test]
    fn two_reviews_of_an_agent_workflow_are_at_work_together_and_a_rejection_goes_back() {
        let template = shape("agent-workflow").and_then(|shape| shape.templates.first());
        let document = Document::parse("new.yaml", template.expect("a template").text);
        let workflow = document.workflow();
        let step = |id: &str| workflow.step(&id.into()).expect("a step");
        let (facts, words, approve) = (step("review-facts"), step("review-words"), step("approve"));
        assert!(facts.parallel && words.parallel && !approve.parallel);
        assert!(
            workflow.waves()[1]
                .iter()
                .map(|step| &step.id)
                .eq([&facts.id, &words.id])
        );
        assert_eq!(facts.depends_on, ["draft".into()]);
        assert_eq!(words.depends_on, facts.depends_on);
        assert_eq!(approve.depends_on, [facts.id.clone(), words.id.clone()]);
        let back = approve.gate.as_ref().and_then(|gate| gate.on_reject.as_ref());
        assert_eq!(back.map(model::StepId::as_str), Some("draft"));
        assert_eq!(step("publish").depends_on, std::slice::from_ref(&approve.id));
    }

    #[test]
    fn what_is_to_be_done_is_the_task_of_the_first_step() {
        for shape in shapes() {
            let path = format!("new{}", shape.ending);
            for task in ["Approve a contract", "Approve: a contract", "Öffne \"das\" Tor"] {
                let document = Document::parse(&path, &begun(shape, task));
                let step = &document.workflow().steps()[0];
                assert_eq!(
                    step.intent.as_deref(),
                    Some(task),
                    "{}: {}",
                    shape.name,
                    document.text()
                );
                assert_eq!(document.workflow().steps().len(), 1, "{}", shape.name);
            }
        }
        let runbook = shape("runbook").expect("a shape");
        assert_eq!(begun(runbook, "PASS: STOP"), runbook.skeleton);
    }
}
