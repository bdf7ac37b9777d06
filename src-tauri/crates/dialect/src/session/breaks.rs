//! What of a session breaks its schema, in words that need no knowledge of schemas.

use super::SCHEMA;
use crate::reading::nearest;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use model::diagnostic::Fix;
use model::{Diagnostic, Edit, Place, Severity};
use serde_json::Value;
use std::sync::OnceLock;

/// How many breaks of one document are told: a list of another kind altogether has as many as items.
const TOLD: usize = 1_000;

/// The longest value that is quoted, in characters.
const LONGEST: usize = 60;

/// One break of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// Keys and positions from the root of the document to the value.
    pub path: Vec<String>,
    /// The rule's name in the schema: `required`, `enum`, `type`, `pattern`, `format`, `minimum`, `maximum`, `minLength`.
    pub keyword: String,
    /// Of `required`: the key that is missing.
    pub missing: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The words that the schema knows there, where it lists them.
    known: Vec<String>,
}

impl Break {
    /// Where the value stands, as a JSON pointer (RFC 6901).
    pub fn pointer(&self) -> String {
        pointer(&self.path)
    }

    /// The same as a problem of the document, with a fix where one is plain.
    pub(crate) fn diagnostic(&self, document: &Value) -> Diagnostic {
        let place = Place::document().path(self.path.iter().cloned());
        let mut found = Diagnostic::new("GH0601", Severity::Error, place.clone(), &self.message);
        let value = self.path.iter().try_fold(document, |at, name| child(at, name));
        found.fix = match value {
            // A key that every item needs has something to say; this one has not.
            Some(Value::Null) if !self.path.is_empty() => Some(Fix {
                label: format!("Remove `{}`", self.path[self.path.len() - 1]),
                edit: Edit::Remove { place },
            }),
            Some(Value::String(word)) if self.keyword == "enum" => {
                let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
                nearest(word, &known).map(|near| Fix {
                    label: format!("Write `{near}`"),
                    edit: Edit::Set {
                        place,
                        value: near.into(),
                    },
                })
            }
            _ => None,
        };
        found
    }
}

/// Keys and positions as a JSON pointer (RFC 6901).
pub(super) fn pointer(path: &[String]) -> String {
    let escaped = |name: &String| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    path.iter().map(escaped).collect()
}

fn child<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        Value::Object(entries) => entries.get(name),
        _ => None,
    }
}

/// What of a document breaks the schema of sessions, in the schema's order; at most a thousand. Dates are held to RFC 3339, patterns are read as
/// ECMA 262 reads them. Takes time linear in the length.
pub fn breaks(document: &Value) -> Vec<Break> {
    let found = validator().iter_errors(document).take(TOLD);
    found.map(|error| of(&error)).collect()
}

/// Where all of that is, without a word: keys and positions from the root, and of a key that is missing that key too. `None`: it is in more than
/// `most` places.
pub(super) fn places(document: &Value, most: usize) -> Option<Vec<Vec<String>>> {
    let mut found = Vec::new();
    for error in validator().iter_errors(document) {
        if found.len() == most {
            return None;
        }
        let mut path = path_of(&error);
        if let Kind::Required { property } = error.kind() {
            path.extend(property.as_str().map(str::to_owned));
        }
        found.push(path);
    }
    Some(found)
}

fn validator() -> &'static Validator {
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        let schema = serde_json::from_str(SCHEMA).expect("it ships with us");
        jsonschema::options()
            .with_draft(jsonschema::Draft::Draft7)
            .should_validate_formats(true)
            // Time grows with the length of the text alone, whatever the pattern.
            .with_pattern_options(PatternOptions::regex())
            .build(&schema)
            .expect("it ships with us")
    })
}

fn path_of(error: &ValidationError<'_>) -> Vec<String> {
    let parts = error.instance_path().as_str().split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

fn of(error: &ValidationError<'_>) -> Break {
    let path = path_of(error);
    let called = match path.last() {
        None => "This session".to_owned(),
        Some(_) => format!("`{}`", path.join(".")),
    };
    let value = shown(error.instance());
    let mut known = Vec::new();
    let mut missing = None;
    let message = match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default().to_owned();
            let said = format!("{called} has no `{name}`, which it must have");
            missing = Some(name);
            said
        }
        Kind::Enum { options } => {
            known = options
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect();
            format!("{called} is {value}, and must be one of {}", known.join(", "))
        }
        Kind::Type { .. } => format!("{called} is {value}, and must be {}", kind_in_words(error)),
        Kind::Pattern { pattern } => format!("{called} is {value}, and must read {}", form_in_words(pattern)),
        Kind::Format { .. } => format!("{called} is {value}, and must be a date and time such as 2026-11-23T10:00:00Z"),
        Kind::Minimum { limit } => format!("{called} is {value}, and must be {limit} or more"),
        Kind::Maximum { limit } => format!("{called} is {value}, and must be {limit} or less"),
        Kind::MinLength { .. } => format!("{called} is empty, and must say something"),
        // No other rule stands in the schema.
        _ => format!("{called} is not as a session has it: {error}"),
    };
    Break {
        path,
        keyword: error.kind().keyword().to_owned(),
        missing,
        message,
        known,
    }
}

/// What the schema asks for in place of a value of another kind.
fn kind_in_words(error: &ValidationError<'_>) -> &'static str {
    let Kind::Type { kind } = error.kind() else {
        return "something else";
    };
    match serde_json::to_value(kind_name(kind))
        .ok()
        .as_ref()
        .and_then(Value::as_str)
    {
        Some("string") => "a text",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "a list of fields",
        _ => "something else",
    }
}

fn kind_name(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(one) => one.to_string(),
        jsonschema::error::TypeKind::Multiple(_) => String::new(),
    }
}

/// The two forms of the schema, as a person writes them.
fn form_in_words(pattern: &str) -> &str {
    match pattern {
        "^bmad-session-[0-9]{13}-[a-z0-9]{8}$" => {
            "`bmad-session-`, thirteen digits, a dash, and eight small letters or digits"
        }
        r"^\d+\.\d+\.\d+$" => "as three numbers with dots between, such as 2.0.0",
        other => other,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a list of fields".to_owned(),
        Value::String(text) => {
            let cut = text.char_indices().nth(LONGEST);
            match cut {
                Some((at, _)) => format!("“{}…”", &text[..at]),
                None => format!("“{text}”"),
            }
        }
        other => other.to_string(),
    }
}
