//! What holds for everything that the project does, filled in as a form: `context` of `gatehouse.yaml` (seed 003 `global_context`).

use crate::command::Nothing;
use crate::settings::context_view::{
    ProjectContextChange, ProjectContextControl, ProjectContextField, ProjectContextView, ProjectContextWord,
};
use crate::settings::file;
use crate::text::safe;
use crate::{ApiError, Studio};
use runtime::config::global::{ContextField, FIELDS, Kind};
use serde_json::Value;

/// Longest text of a field, in characters.
const LONGEST: usize = 2_000;

impl Studio {
    /// The form as the file stands now.
    pub(crate) async fn context(&self, _: Nothing) -> Result<ProjectContextView, ApiError> {
        self.context_now()
    }

    /// Writes what was filled in: each value where it stands, everything else of the file as it is.
    pub(crate) async fn change_context(&self, change: ProjectContextChange) -> Result<ProjectContextView, ApiError> {
        let text = self.settings_at(&change.revision)?;
        if let Some(name) = change
            .values
            .keys()
            .find(|name| FIELDS.iter().all(|field| id(field) != **name))
        {
            return Err(ApiError::new("bad_parameters", format!("There is no field “{name}”.")));
        }
        // In the order of the form.
        let filled = FIELDS
            .iter()
            .filter_map(|field| Some((field, change.values.get(&id(field))?)));
        let wanted = filled.map(|(field, value)| {
            let path = vec!["context".to_owned(), field.section.to_owned(), field.key.to_owned()];
            Ok((path, read(field, value)?))
        });
        let wanted = wanted.collect::<Result<Vec<_>, ApiError>>()?;
        self.write_settings(&text, &wanted)?;
        self.context_now()
    }

    fn context_now(&self) -> Result<ProjectContextView, ApiError> {
        let text = self.settings_text()?;
        let parsed = file::parsed(&text);
        let held = parsed.as_ref().ok().and_then(|config| config.around.global.clone());
        let value = |field: &ContextField| held.as_ref()?.get(field.section)?.get(field.key).cloned();
        let fields: Vec<ProjectContextField> = FIELDS
            .iter()
            .map(|field| ProjectContextField {
                id: id(field),
                section: model::step::humanise(field.section),
                label: field.label.to_owned(),
                help: field.help.to_owned(),
                control: control(field.kind),
                value: shown(value(field)),
            })
            .collect();
        let sections = held.iter().flat_map(|held| held.iter());
        let more = sections.flat_map(|(section, held)| {
            let keys = held.as_object().into_iter().flat_map(|held| held.keys());
            let own = keys.filter(|key| !FIELDS.iter().any(|field| field.section == section && field.key == *key));
            own.map(|key| format!("{section}.{key}")).collect::<Vec<_>>()
        });
        Ok(ProjectContextView {
            revision: file::revision(&text),
            fields,
            more: more.map(|name| safe::visible(&name)).collect(),
            writable: self.writable().is_ok() && parsed.is_ok(),
            fault: parsed.err().as_ref().map(file::unusable),
        })
    }
}

fn id(field: &ContextField) -> String {
    format!("{}.{}", field.section, field.key)
}

fn control(kind: Kind) -> ProjectContextControl {
    match kind {
        Kind::Text => ProjectContextControl::Text,
        Kind::Texts => ProjectContextControl::Texts,
        Kind::Number { most, whole, unit } => ProjectContextControl::Number {
            most,
            whole,
            unit: unit.to_owned(),
        },
        Kind::Choice(words) => ProjectContextControl::Choice {
            words: words
                .iter()
                .map(|(word, label)| ProjectContextWord {
                    word: (*word).to_owned(),
                    label: (*label).to_owned(),
                })
                .collect(),
        },
    }
}

/// A value as the form holds it: a text, or one a line.
fn shown(value: Option<Value>) -> String {
    let words = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(items)) => items.iter().map(words).collect::<Vec<_>>().join("\n"),
        Some(value) => words(&value),
    }
}

/// What was filled in as it stands in the file; `None`: nothing.
fn read(field: &ContextField, text: &str) -> Result<Option<Value>, ApiError> {
    let bad = |why: &str| {
        Err(ApiError::new(
            "bad_value",
            format!("“{}” cannot hold this value: {why}.", field.label),
        ))
    };
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().count() > LONGEST {
        return bad("it is longer than 2000 characters");
    }
    Ok(Some(match field.kind {
        Kind::Text => {
            if safe::visible(text) != text || text.contains('\t') {
                return bad("it holds characters that act on a screen");
            }
            text.into()
        }
        Kind::Texts => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines: Vec<&str> = lines.collect();
            if lines.iter().any(|line| safe::visible(line) != **line) {
                return bad("it holds characters that act on a screen");
            }
            lines.into()
        }
        Kind::Number { most, whole, .. } => {
            let Some(number) = text
                .replace(',', ".")
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
            else {
                return bad("it is no number");
            };
            if number < 0.0 || most.is_some_and(|most| number > most) {
                return match most {
                    Some(most) => bad(&format!("it lies from 0 to {most}")),
                    None => bad("it is not less than 0"),
                };
            }
            if number.fract() == 0.0 && number < 1e9 {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
                let number = number as i64;
                number.into()
            } else if whole {
                return bad("it is a whole number");
            } else {
                number.into()
            }
        }
        Kind::Choice(words) if words.iter().any(|(word, _)| *word == text) => text.into(),
        Kind::Choice(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            return bad(&format!("it is one of {}", words.join(", ")));
        }
    }))
}
