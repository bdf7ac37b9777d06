//! `context` of a workflow or of a project: constraints, preferences, quality standards and what all of it is for (seed 003 `global_context`).
//! One check serves both; what a project has besides in its `context` is its own.

mod raised;

pub use raised::{Lower, together};

use crate::session::breaks;
use model::{Diagnostic, Fields, Place, Severity, Workflow};
use serde_json::{Map, Value};

/// Its sections, as the seed lists them.
pub const SECTIONS: [&str; 4] = [
    "project_constraints",
    "technical_preferences",
    "quality_standards",
    "business_context",
];

/// The standards that there are; [`BELOW`] says what follows where one is not met.
pub const STANDARDS: [&str; 4] = [
    "minimum_test_coverage",
    "code_quality_threshold",
    "accessibility_level",
    "security_requirements",
];

/// What may follow when a step reports less than a standard wants, the least demanding first.
pub const BELOW: [&str; 3] = ["warn", "ask", "fail"];

/// What is wrong with a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The section, and the keys in it.
    pub path: Vec<String>,
    /// In words; what it names begins with `context`.
    pub message: String,
}

/// Takes the sections out of what stands under `context`; what is empty is not there.
pub fn taken(written: &mut Value) -> Fields {
    let Value::Object(all) = written else {
        return Fields::new();
    };
    let each = SECTIONS.into_iter();
    let each = each.filter_map(|section| Some((section.to_owned(), all.shift_remove(section)?)));
    each.filter(|(_, held)| !held.is_null()).collect()
}

/// What a workflow says that holds for everything it does. A `context` with none of the sections is its author's own.
pub fn of(workflow: &Workflow) -> Fields {
    let mut written = workflow.fields.get("context").cloned().unwrap_or_default();
    taken(&mut written)
}

/// What is wrong with the sections first.
pub fn fault(sections: &Fields) -> Option<Fault> {
    if let Some(Value::Object(written)) = sections.get("quality_standards") {
        let found = standards(written);
        if found.is_some() {
            return found;
        }
    }
    let document = serde_json::json!({"global_context": sections});
    let broken = breaks(&document).into_iter();
    let mut inside = broken.filter(|one| one.path.first().is_some_and(|at| at == "global_context"));
    let first = inside.next()?;
    Some(Fault {
        message: first.message.replacen("global_context", "context", 1),
        path: first.path.into_iter().skip(1).collect(),
    })
}

/// A standard whose name is misspelt would be one that nobody holds.
fn standards(written: &Map<String, Value>) -> Option<Fault> {
    let at = |key: &str| vec!["quality_standards".to_owned(), key.to_owned()];
    let strange = written
        .keys()
        .find(|key| !STANDARDS.contains(&key.as_str()) && *key != "below");
    if let Some(strange) = strange {
        return Some(Fault {
            path: at(strange),
            message: format!(
                "`context.quality_standards.{strange}` is no standard; known are {}, below",
                STANDARDS.join(", ")
            ),
        });
    }
    let below = written.get("below")?;
    if below.as_str().is_some_and(|word| BELOW.contains(&word)) {
        return None;
    }
    Some(Fault {
        path: at("below"),
        message: format!(
            "`context.quality_standards.below` is {below}; it is one of {}",
            BELOW.join(", ")
        ),
    })
}

/// What is wrong with the context of a workflow.
pub(crate) fn check(workflow: &Workflow) -> Option<Diagnostic> {
    let sections = of(workflow);
    if sections.is_empty() {
        return None;
    }
    let Fault { path, message } = fault(&sections)?;
    let place = Place::document().field("context").path(path);
    let help = "This workflow does not start. The fields and their values are those of `context` in gatehouse.yaml";
    Some(Diagnostic::new("GH0602", Severity::Error, place, message).help(help))
}
