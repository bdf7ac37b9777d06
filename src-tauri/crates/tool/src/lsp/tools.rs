//! The tools that ask language servers.

use super::{Error, Place, Servers};
use crate::{Answer, Context, Leash, Outcome, Risk, Source, Spec};
use serde_json::{Value, json};

fn specs() -> Vec<Spec> {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The document, a path from the project's folder, such as src/app.ts."},
            "text": {"type": "string", "description": "The text of the document, when it is not what the file holds; it need not be a file."},
            "language": {"type": "string", "description": "The language, such as python, where the end of the path does not tell."},
            "line": {"type": "integer", "minimum": 0, "maximum": u32::MAX, "description": "The line, counted from 0."},
            "character": {
                "type": "integer", "minimum": 0, "maximum": u32::MAX,
                "description": "The character in the line, counted from 0 in UTF-16 units.",
            },
        },
        "required": ["line", "character"],
        "anyOf": [{"required": ["path"]}, {"required": ["text", "language"]}],
        "additionalProperties": false,
    });
    vec![
        Spec::new(
            "lspHover",
            "What is known of the name at a place in a document: its type, its documentation.",
            Risk::Low,
            schema.clone(),
        ),
        Spec::new(
            "lspSignatureHelp",
            "What the call around a place in a document wants: its signatures and parameters.",
            Risk::Low,
            schema,
        ),
    ]
}

/// `lspHover` answers `{"hover": {text, kind, range} | null}`, `lspSignatureHelp` `{"signature_help": {signatures, active_signature,
/// active_parameter} | null}`; null: the server knows nothing there.
impl Source for Servers {
    fn specs(&self) -> Vec<Spec> {
        specs()
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        Box::pin(async move {
            let answer = leash.within(self.answer(name, args, context)).await;
            answer.unwrap_or_else(|| Outcome::failed("the call was called off"))
        })
    }
}

impl Servers {
    async fn answer(&self, name: &str, args: &Value, context: &Context) -> Outcome {
        let number = |key: &str| {
            args[key]
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or_default()
        };
        let place = Place {
            path: args["path"].as_str(),
            text: args["text"].as_str(),
            language: args["language"].as_str(),
            line: number("line"),
            character: number("character"),
        };
        let answer: Result<Value, Error> = match name {
            "lspHover" => {
                let hover = self.hover(&place, context, context.timeout).await;
                hover.map(|hover| json!({"hover": hover}))
            }
            "lspSignatureHelp" => {
                let help = self.signature_help(&place, context, context.timeout).await;
                help.map(|help| json!({"signature_help": help}))
            }
            other => return Outcome::failed(format!("`{other}` is no tool of language servers")),
        };
        Outcome::from(answer.map_err(|error| error.to_string()))
    }
}
