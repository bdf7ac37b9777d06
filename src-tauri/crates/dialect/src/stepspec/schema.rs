//! The rules of seed 000 for one StepSpec as data, in the wording that its schema and its output check have. The reading of a
//! file reports the same faults with their places.

use model::placeholder::OUTPUT_FOLDERS;
use serde_json::Value;
use std::fmt;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Object,
    /// A list of texts.
    Texts,
    /// A list of anything.
    List,
}

/// The twelve fields, in the order of the seed.
pub(super) const FIELDS: [(&str, Holds); 12] = [
    ("id", Holds::Text),
    ("name", Holds::Text),
    ("description", Holds::Text),
    ("phase", Holds::Text),
    ("inputs", Holds::Object),
    ("outputs", Holds::Texts),
    ("templates", Holds::Texts),
    ("tools", Holds::List),
    ("validation", Holds::Text),
    ("evidence", Holds::Text),
    ("human_gate", Holds::Text),
    ("retries", Holds::Object),
];

/// What is wrong with one StepSpec by the seed's schema: `root: missing required field 'id'`, `outputs: expected array`,
/// `outputs[0]: expected string`. In the order of the fields; empty where nothing is. Fields that the seed does not name may be
/// there, and a tool call may be anything: what a call holds is checked where it is read.
pub fn schema_errors(step: &Value) -> Vec<String> {
    let Value::Object(step) = step else {
        return vec!["root: expected object".to_owned()];
    };
    let mut found = Vec::new();
    for (name, holds) in FIELDS {
        let Some(value) = step.get(name) else {
            found.push(format!("root: missing required field '{name}'"));
            continue;
        };
        match (holds, value) {
            (Holds::Text, Value::String(_)) | (Holds::Object, Value::Object(_)) | (Holds::List, Value::Array(_)) => {}
            (Holds::Texts, Value::Array(items)) => {
                let odd = items.iter().enumerate().filter(|(_, item)| !item.is_string());
                found.extend(odd.map(|(n, _)| format!("{name}[{n}]: expected string")));
            }
            (Holds::Text, _) => found.push(format!("{name}: expected string")),
            (Holds::Object, _) => found.push(format!("{name}: expected object")),
            (Holds::Texts | Holds::List, _) => found.push(format!("{name}: expected array")),
        }
    }
    found
}

/// Why an output is none (seed 000 "Output layout enforcement").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFault {
    /// Nothing is written there.
    Empty,
    /// It is a template, which belongs under `templates`.
    Template,
    /// It names neither `{output_folder}` nor `{bmb_creations_output_folder}`.
    NoFolder,
}

impl fmt::Display for OutputFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "output path is empty",
            Self::Template => "template artifact listed as output",
            Self::NoFolder => "output path missing output folder placeholder",
        })
    }
}

/// What is wrong with one entry of `outputs`; `None` where nothing is.
pub fn output_fault(path: &str) -> Option<OutputFault> {
    let path = path.trim();
    if path.is_empty() {
        Some(OutputFault::Empty)
    } else if path.starts_with("template:") {
        Some(OutputFault::Template)
    } else if OUTPUT_FOLDERS.iter().any(|folder| path.contains(folder)) {
        None
    } else {
        Some(OutputFault::NoFolder)
    }
}

/// What is wrong with the outputs of a step, one sentence for each that is: `output path missing output folder placeholder: b.md`.
/// That a path leads out of its folder is told by [`super::leaves`].
pub fn output_issues(outputs: &[String]) -> Vec<String> {
    let issue = |path: &String| {
        let fault = output_fault(path)?;
        Some(match fault {
            OutputFault::Empty => fault.to_string(),
            OutputFault::Template | OutputFault::NoFolder => format!("{fault}: {path}"),
        })
    };
    outputs.iter().filter_map(issue).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn whole() -> Value {
        json!({
            "id": "s", "name": "n", "description": "", "phase": "P", "inputs": {}, "outputs": ["{output_folder}/a"],
            "templates": [], "tools": [], "validation": "none", "evidence": "", "human_gate": "optional", "retries": {},
        })
    }

    #[test]
    fn each_field_has_to_be_there_and_of_its_type() {
        assert_eq!(schema_errors(&whole()), Vec::<String>::new());
        assert_eq!(schema_errors(&json!([])), ["root: expected object"]);
        for (name, holds) in FIELDS {
            let mut step = whole();
            step.as_object_mut().expect("an object").shift_remove(name);
            assert_eq!(schema_errors(&step), [format!("root: missing required field '{name}'")]);
            step[name] = Value::Null;
            let wanted = match holds {
                Holds::Text => "string",
                Holds::Object => "object",
                Holds::Texts | Holds::List => "array",
            };
            assert_eq!(schema_errors(&step), [format!("{name}: expected {wanted}")]);
        }
        let mut step = whole();
        step["templates"] = json!(["a", 1, null]);
        step["tools"] = json!(["x", {}]);
        step["more"] = json!(1);
        assert_eq!(
            schema_errors(&step),
            ["templates[1]: expected string", "templates[2]: expected string"]
        );
    }

    #[test]
    fn outputs_go_to_an_output_folder() {
        let outputs = ["{output_folder}/a.md", " ", "template:{output_folder}/b.md", "c.md"].map(str::to_owned);
        assert_eq!(
            output_issues(&outputs),
            [
                "output path is empty",
                "template artifact listed as output: template:{output_folder}/b.md",
                "output path missing output folder placeholder: c.md",
            ]
        );
    }
}
