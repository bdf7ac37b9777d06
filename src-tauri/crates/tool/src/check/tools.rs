//! Checks as tools: `validateJson`, `validateYaml`, `validateJsonSchema`, `validateMarkdown`, `runCheck`.

use super::{Check, CheckOutcome, CheckPlace, CheckStatus};
use crate::{Answer, Context, Leash, Outcome, Risk, Source, Spec};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Checks files of the project; the project's own checks by their names.
#[derive(Debug)]
pub(crate) struct Checks(pub BTreeMap<String, String>);

impl Source for Checks {
    fn specs(&self) -> Vec<Spec> {
        let path = json!({"type": "string", "description": "from the project's folder, with `/`"});
        let with = |name: &str, schema: Value| {
            json!({
                "type": "object",
                "properties": {"path": path, name: schema},
                "required": ["path", name],
                "additionalProperties": false,
            })
        };
        let alone = json!({
            "type": "object",
            "properties": {"path": path},
            "required": ["path"],
            "additionalProperties": false,
        });
        let schema = json!({
            "type": ["object", "boolean", "string"],
            "description": "a JSON Schema, or the path of a file that holds one",
        });
        let template = json!({"type": "string", "description": "path of the Markdown template"});
        let check = json!({
            "type": "string",
            "description": "`json`, `yaml`, `ast`, `typecheck`, `lint`, or one that the project declares under `checks`",
        });
        vec![
            Spec::new("validateJson", "Checks that a file is JSON.", Risk::Low, alone.clone()),
            Spec::new("validateYaml", "Checks that a file is YAML.", Risk::Low, alone),
            Spec::new(
                "validateJsonSchema",
                "Checks that a JSON or YAML file fits a JSON Schema.",
                Risk::Low,
                with("schema", schema),
            ),
            Spec::new(
                "validateMarkdown",
                "Checks that a Markdown file fills in a template: its headings, in order, nothing left empty.",
                Risk::Low,
                with("template", template),
            ),
            Spec::new(
                "runCheck",
                "Runs one of the project's checks on a file.",
                Risk::Low,
                with("check", check),
            ),
        ]
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        Box::pin(async move {
            let text = |name: &str| args[name].as_str().unwrap_or_default();
            let check = match name {
                "validateJson" => Check::Json,
                "validateYaml" => Check::Yaml,
                "validateJsonSchema" => match &args["schema"] {
                    Value::String(path) => Check::SchemaFile(path.clone()),
                    schema => Check::Schema(schema.clone()),
                },
                "validateMarkdown" => Check::Template(text("template").to_owned()),
                _ => match Check::of_word(text("check"), &self.0) {
                    Some(check) => check,
                    None => return Outcome::failed(self.unknown(text("check"))),
                },
            };
            answer(&check.on(text("path"), context, leash).await)
        })
    }
}

impl Checks {
    fn unknown(&self, word: &str) -> String {
        let own: Vec<&str> = self.0.keys().map(String::as_str).collect();
        let known = ["json", "yaml", "ast", "typecheck", "lint"];
        let all: Vec<String> = known.iter().chain(&own).map(|word| format!("`{word}`")).collect();
        format!(
            "there is no check `{word}`; there are {}. Others are declared under `checks` in gatehouse.yaml",
            all.join(", ")
        )
    }
}

/// Only what passed is completed: a check whose program is absent has not been made.
fn answer(outcome: &CheckOutcome) -> Outcome {
    let place = |place: &CheckPlace| json!({"line": place.line, "column": place.column, "text": place.text});
    let shown = json!({
        "status": outcome.status.word(),
        "message": outcome.message,
        "places": outcome.places.iter().map(place).collect::<Vec<_>>(),
    });
    match outcome.status {
        CheckStatus::Passed => Outcome::completed(shown),
        CheckStatus::Failed | CheckStatus::Absent => Outcome::failed(outcome.message.clone()).with(shown),
    }
}
