//! `readTextFile`, `writeTextFile`, `listFiles`.

use super::{Mode, list, read, write};
use crate::{Answer, Context, Leash, Outcome, Risk, Source, Spec};
use glob::Pattern;
use serde_json::{Map, Value, json};

/// How much of a file is read unless the call says otherwise, and at most, in bytes.
const READ: u64 = 256 * 1024;
const MOST_READ: u64 = 1024 * 1024;

/// Reads, writes and lists files of the project.
#[derive(Debug)]
pub(crate) struct Files;

impl Source for Files {
    fn specs(&self) -> Vec<Spec> {
        let path = json!({"type": "string", "description": "from the project's folder, with `/`"});
        let read = json!({
            "type": "object",
            "properties": {
                "path": path,
                "max_bytes": {"type": "integer", "minimum": 1, "maximum": MOST_READ, "default": READ},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        let write = json!({
            "type": "object",
            "properties": {
                "path": path,
                "content": {"type": "string"},
                "create_folders": {"type": "boolean", "default": false},
                "mode": {"enum": ["create", "overwrite", "append"], "default": "overwrite"},
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        });
        let list = json!({
            "type": "object",
            "properties": {
                "path": path,
                "pattern": {"type": "string", "description": "a glob of the name, or with `/` of the path from the folder"},
                "recursive": {"type": "boolean", "default": false},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        vec![
            Spec::new(
                "readTextFile",
                "Reads a text file of the project, or its beginning.",
                Risk::Low,
                read,
            ),
            Spec::new(
                "writeTextFile",
                "Writes a text file of the project, whole or not at all.",
                Risk::Medium,
                write,
            ),
            Spec::new(
                "listFiles",
                "Lists a folder of the project; links are shown and not followed.",
                Risk::Low,
                list,
            ),
        ]
    }

    fn call<'a>(&'a self, name: &'a str, args: &'a Value, context: &'a Context, leash: &'a Leash) -> Answer<'a> {
        let (name, args, context) = (name.to_owned(), args.clone(), context.clone());
        Box::pin(leash.blocking(move || Outcome::from(answer(&name, &args, &context))))
    }
}

fn answer(name: &str, args: &Value, context: &Context) -> Result<Value, String> {
    let words = Words(args.as_object());
    let path = words.text("path").unwrap_or_default();
    match name {
        "readTextFile" => {
            let limit = words.number("max_bytes").unwrap_or(READ).min(MOST_READ);
            let text = read(context, path, limit).map_err(|refusal| refusal.to_string())?;
            Ok(json!({"path": text.path, "text": text.text, "bytes": text.bytes, "cut": text.cut}))
        }
        "writeTextFile" => {
            let mode = match words.text("mode") {
                Some("create") => Mode::Create,
                Some("append") => Mode::Append,
                _ => Mode::Overwrite,
            };
            let content = words.text("content").unwrap_or_default();
            let written = write(context, path, content, mode, words.flag("create_folders"));
            let written = written.map_err(|refusal| refusal.to_string())?;
            Ok(json!({"path": written.path, "bytes": written.bytes, "created": written.created}))
        }
        "listFiles" => {
            let pattern = words.text("pattern").map(Pattern::new).transpose();
            let pattern = pattern.map_err(|error| format!("the pattern cannot be used: {error}"))?;
            let listing = list(context, path, pattern.as_ref(), words.flag("recursive"));
            let listing = listing.map_err(|refusal| refusal.to_string())?;
            let entry = |e: &super::Entry| {
                let mut shown = json!({"path": e.path, "kind": e.kind});
                if let Some(bytes) = e.bytes {
                    shown["bytes"] = bytes.into();
                }
                shown
            };
            let entries: Vec<Value> = listing.entries.iter().map(entry).collect();
            Ok(json!({"entries": entries, "cut": listing.cut, "withheld": listing.withheld}))
        }
        other => Err(format!("`{other}` is not one of these tools")),
    }
}

/// Arguments that fit their schema.
struct Words<'a>(Option<&'a Map<String, Value>>);

impl<'a> Words<'a> {
    fn value(&self, name: &str) -> Option<&'a Value> {
        self.0.and_then(|args| args.get(name))
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        let value = self.value(name)?;
        // To JSON Schema 5.0 is an integer.
        value.as_u64().or_else(|| value.as_f64().map(|f| f as u64))
    }

    fn flag(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }
}
