//! Values of `gatehouse.yaml` as fields of forms: how each is filled in, what it holds, and what is to be written.

use crate::ApiError;
use crate::settings::field_view::{SettingsControl, SettingsWord};
use crate::text::safe;
use dialect::settings::Wanted;
use runtime::config::global::Kind;
use serde_json::Value;
use std::collections::BTreeSet;

/// Longest text of a field and longest list of texts, in characters.
const LONGEST: usize = 2_000;
const LONGEST_LIST: usize = 50_000;

/// How a field is filled in. `unsaid`: what it comes to where nothing is chosen.
pub(super) fn control(kind: Kind, unsaid: Option<String>) -> SettingsControl {
    match kind {
        Kind::Text => SettingsControl::Text,
        Kind::Texts => SettingsControl::Texts,
        Kind::Number { most, whole, unit } => SettingsControl::Number {
            most,
            whole,
            unit: unit.to_owned(),
        },
        Kind::Choice(words) => SettingsControl::Choice {
            words: words
                .iter()
                .map(|(word, label)| SettingsWord {
                    word: (*word).to_owned(),
                    label: (*label).to_owned(),
                })
                .collect(),
            unsaid,
        },
    }
}

/// A value as the form holds it: a text, or one a line.
pub(super) fn shown(value: Option<&Value>) -> String {
    let words = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(items)) => items.iter().map(words).collect::<Vec<_>>().join("\n"),
        Some(value) => words(value),
    }
}

/// What was filled in as it stands in the file; `None`: nothing. `label`: what the field is called.
pub(super) fn read(label: &str, kind: Kind, text: &str) -> Result<Option<Value>, ApiError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().count() > LONGEST {
        return Err(bad(label, "it is longer than 2000 characters"));
    }
    Ok(Some(match kind {
        Kind::Text => {
            if !is_plain(text) {
                return Err(bad(label, "it holds characters that act on a screen"));
            }
            text.into()
        }
        Kind::Texts => lines(label, text)?.into(),
        Kind::Number { whole: true, .. } if text.contains([',', '.']) => {
            return Err(bad(label, "it is a whole number, written in digits alone"));
        }
        Kind::Number { most, whole, .. } => {
            let Some(number) = text
                .replace(',', ".")
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
            else {
                return Err(bad(label, "it is no number"));
            };
            if number < 0.0 || most.is_some_and(|most| number > most) {
                return Err(match most {
                    Some(most) => bad(label, &format!("it lies from 0 to {most}")),
                    None => bad(label, "it is not less than 0"),
                });
            }
            if number.fract() == 0.0 && number < 9e15 {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
                let number = number as i64;
                number.into()
            } else if whole {
                return Err(bad(label, "it is no whole number"));
            } else {
                number.into()
            }
        }
        Kind::Choice(words) if words.iter().any(|(word, _)| *word == text) => text.into(),
        Kind::Choice(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            return Err(bad(label, &format!("it is one of {}", words.join(", "))));
        }
    }))
}

/// Several texts, one a line; empty lines are none.
pub(super) fn lines<'t>(label: &str, text: &'t str) -> Result<Vec<&'t str>, ApiError> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    match lines.iter().all(|line| safe::visible(line) == **line) {
        true => Ok(lines),
        false => Err(bad(label, "it holds characters that act on a screen")),
    }
}

/// What is to be written so that a list holds the texts that were filled in: what stays of it is not touched. `old`: its entries.
pub(super) fn list(label: &str, path: Vec<String>, filled: &str, old: &[Value]) -> Result<Vec<Wanted>, ApiError> {
    if filled.chars().count() > LONGEST_LIST {
        return Err(bad(label, "it is longer than 50000 characters"));
    }
    let mut lines = lines(label, filled)?;
    if old.is_empty() || lines.is_empty() {
        return Ok(vec![(path, (!lines.is_empty()).then(|| Value::from(lines)))]);
    }
    let entry = |at: usize| [path.clone(), vec![at.to_string()]].concat();
    let is = |entry: &Value, line: &str| text(entry).is_some_and(|text| text.trim() == line);
    let gone = old.iter().enumerate().rev();
    let gone = gone.filter(|(_, one)| !lines.iter().any(|line| is(one, line)));
    let gone: Vec<Wanted> = gone.map(|(at, _)| (entry(at), None)).collect();
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(*line) && !old.iter().any(|one| is(one, line)));
    let new = lines.into_iter().enumerate();
    let new = new.map(|(n, line)| (entry(old.len() + n), Some(Value::from(line))));
    // What comes goes to the end, then what goes is taken out from the end on: no place is another one by then.
    Ok(new.chain(gone).collect())
}

/// The text of an entry of a list, which may say more: `{text: …}`.
pub(super) fn text(entry: &Value) -> Option<&str> {
    entry.as_str().or_else(|| entry.get("text")?.as_str())
}

/// Whether a text is one line that looks like what it is.
pub(super) fn is_plain(text: &str) -> bool {
    safe::visible(text) == text && !text.contains('\t')
}

/// Why a field cannot hold what was filled in.
pub(super) fn bad(label: &str, why: &str) -> ApiError {
    ApiError::new("bad_value", format!("“{label}” cannot hold this value: {why}."))
}
