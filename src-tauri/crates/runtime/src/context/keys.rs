//! What a step asks for: the `telis_` keys among its inputs (seed 000 "TELIS context").

use super::tier::Tier;
use model::Fields;
use serde::Serialize;
use serde_json::Value;

/// What the keys of seed 000 say; a key that is absent or null says nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(super) struct Keys {
    pub(super) query: Option<String>,
    pub(super) language: Option<String>,
    pub(super) document_path: Option<String>,
    pub(super) document_text: Option<String>,
    pub(super) method: Option<Method>,
    pub(super) line: Option<u32>,
    pub(super) character: Option<u32>,
    pub(super) shard_limit: Option<usize>,
    pub(super) min_score: Option<f64>,
    pub(super) max_phase: Option<usize>,
    pub(super) phase_tiers: Option<Vec<&'static str>>,
    /// Keys of that kind that mean nothing.
    pub(super) unknown: Vec<String>,
}

/// What a language server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Method {
    /// What is known of the name at a place.
    #[serde(rename = "hover")]
    Hover,
    /// What the call around a place wants.
    #[serde(rename = "signatureHelp")]
    SignatureHelp,
}

impl Method {
    /// The word in steps and results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hover => "hover",
            Self::SignatureHelp => "signatureHelp",
        }
    }
}

const PREFIX: &str = "telis_";
/// So many shards at most are given.
const MOST_SHARDS: u64 = 100;

impl Keys {
    /// Reads a step's inputs; `None` when none of them is such a key.
    ///
    /// # Errors
    /// A value that is not what the key needs, in a sentence.
    pub(super) fn of(parameters: &Fields) -> Result<Option<Self>, String> {
        let mut keys = Self::default();
        let mut any = false;
        let given = parameters.iter().filter(|(_, value)| !value.is_null());
        for (name, value) in given {
            let Some(key) = name.strip_prefix(PREFIX) else {
                continue;
            };
            any = true;
            match key {
                "query" => keys.query = text(name, value)?,
                "language" => keys.language = text(name, value)?.map(|word| word.trim().to_lowercase()),
                "document_path" => keys.document_path = text(name, value)?,
                "document_text" => keys.document_text = Some(whole_text(name, value)?),
                "method" => keys.method = text(name, value)?.map(|word| method(&word)).transpose()?,
                "line" => keys.line = Some(small(number(name, value, 0, u64::from(u32::MAX))?)),
                "character" => keys.character = Some(small(number(name, value, 0, u64::from(u32::MAX))?)),
                "shard_limit" => keys.shard_limit = Some(count(number(name, value, 1, MOST_SHARDS)?)),
                "max_phase" => keys.max_phase = Some(count(number(name, value, 1, MOST_SHARDS)?)),
                "min_score" => keys.min_score = Some(share(name, value)?),
                "phase_tiers" => keys.phase_tiers = Some(tiers(name, value)?),
                _ => keys.unknown.push(name.clone()),
            }
        }
        keys.unknown.sort();
        if keys.method.is_some() {
            keys.complete()?;
        }
        Ok(any.then_some(keys))
    }

    /// A language server needs a document and a place in it.
    fn complete(&self) -> Result<(), String> {
        if self.document_path.is_none() && self.document_text.is_none() {
            return Err(
                "`telis_method` needs a document: give `telis_document_path` or `telis_document_text`".to_owned(),
            );
        }
        if self.line.is_none() || self.character.is_none() {
            return Err(
                "`telis_method` needs a place: give `telis_line` and `telis_character`, both counted from 0".to_owned(),
            );
        }
        Ok(())
    }

    /// The tiers that were named, else all, as many as there may be phases.
    pub(super) fn tiers(&self, max_phase: usize) -> Vec<Tier> {
        let named = self
            .phase_tiers
            .as_ref()
            .map(|words| words.iter().filter_map(|word| Tier::of_word(word)).collect());
        let mut tiers: Vec<Tier> = named.unwrap_or_else(|| Tier::ALL.to_vec());
        tiers.truncate(self.max_phase.unwrap_or(usize::MAX).min(max_phase));
        tiers
    }
}

fn wrong<T>(name: &str, value: &Value, wants: &str) -> Result<T, String> {
    let kind = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    // A long value would hide the sentence.
    let said = value.to_string();
    match said.chars().count() {
        0..=60 => Err(format!("`{name}` is {said}, {kind}; it must be {wants}")),
        _ => Err(format!("`{name}` is {kind}; it must be {wants}")),
    }
}

/// A text in which something stands.
fn text(name: &str, value: &Value) -> Result<Option<String>, String> {
    let text = whole_text(name, value)?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

fn whole_text(name: &str, value: &Value) -> Result<String, String> {
    value
        .as_str()
        .map_or_else(|| wrong(name, value, "a text"), |text| Ok(text.to_owned()))
}

/// A whole number, or the text of one: answers of a form that are put into a step are texts.
fn number(name: &str, value: &Value, least: u64, most: u64) -> Result<u64, String> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_u64(),
    };
    match number.filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(number),
        None => wrong(name, value, &format!("a whole number from {least} to {most}")),
    }
}

fn share(name: &str, value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    match number.filter(|share| (0.0..=1.0).contains(share)) {
        Some(share) => Ok(share),
        None => wrong(name, value, "a number from 0 to 1"),
    }
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn method(word: &str) -> Result<Method, String> {
    let plain = word
        .trim()
        .trim_start_matches("textDocument/")
        .replace('_', "")
        .to_lowercase();
    match plain.as_str() {
        "hover" => Ok(Method::Hover),
        "signaturehelp" => Ok(Method::SignatureHelp),
        _ => wrong("telis_method", &Value::from(word), "`hover` or `signatureHelp`"),
    }
}

/// A list of tiers, or one with commas.
fn tiers(name: &str, value: &Value) -> Result<Vec<&'static str>, String> {
    const WANTS: &str = "a list of tiers: nano, micro, full";
    let words: Vec<&str> = match value {
        Value::String(words) => words.split(',').map(str::trim).collect(),
        Value::Array(list) => {
            let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            match words {
                Some(words) => words,
                None => return wrong(name, value, WANTS),
            }
        }
        _ => return wrong(name, value, WANTS),
    };
    let tiers: Option<Vec<Tier>> = words.into_iter().map(Tier::of_word).collect();
    match tiers {
        Some(tiers) if !tiers.is_empty() => Ok(tiers.into_iter().map(Tier::word).collect()),
        _ => wrong(name, value, WANTS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Option<Keys>, String> {
        let Value::Object(map) = value else {
            unreachable!("a map is given")
        };
        Keys::of(&map.into_iter().collect())
    }

    #[test]
    fn every_key_is_read() {
        let keys = read(json!({
            "telis_query": "how", "telis_language": " Python", "telis_document_path": "a.py", "telis_document_text": "",
            "telis_method": "textDocument/signatureHelp", "telis_line": 3, "telis_character": "4", "telis_shard_limit": 5,
            "telis_min_score": 0.25, "telis_max_phase": 2, "telis_phase_tiers": ["full", "nano", "micro"], "telis_x": 1, "other": [],
        }));
        let keys = keys.expect("all is well").expect("keys");
        assert_eq!(
            keys,
            Keys {
                query: Some("how".to_owned()),
                language: Some("python".to_owned()),
                document_path: Some("a.py".to_owned()),
                document_text: Some(String::new()),
                method: Some(Method::SignatureHelp),
                line: Some(3),
                character: Some(4),
                shard_limit: Some(5),
                min_score: Some(0.25),
                max_phase: Some(2),
                phase_tiers: Some(vec!["full", "nano", "micro"]),
                unknown: vec!["telis_x".to_owned()],
            }
        );
        assert_eq!(keys.tiers(3), [Tier::Full, Tier::Nano]);
        assert_eq!(keys.tiers(1), [Tier::Full]);
        assert_eq!(Keys::default().tiers(3), Tier::ALL);
    }

    #[test]
    fn without_a_key_nothing_is_asked_for() {
        assert_eq!(read(json!({"query": "x", "telis_query": null})), Ok(None));
        assert_eq!(read(json!({"telis_query": "  "})), Ok(Some(Keys::default())));
    }

    #[test]
    fn wrong_kinds_are_said_in_plain_words() {
        for (given, says) in [
            (
                json!({"telis_query": 5}),
                "`telis_query` is 5, a number; it must be a text",
            ),
            (
                json!({"telis_language": ["python"]}),
                "`telis_language` is [\"python\"], a list; it must be a text",
            ),
            (json!({"telis_document_text": {}}), "a map; it must be a text"),
            (
                json!({"telis_line": -1}),
                "`telis_line` is -1, a number; it must be a whole number from 0",
            ),
            (json!({"telis_character": 1.5}), "whole number"),
            (json!({"telis_shard_limit": 0}), "from 1 to 100"),
            (json!({"telis_shard_limit": "many"}), "from 1 to 100"),
            (json!({"telis_min_score": 2}), "a number from 0 to 1"),
            (json!({"telis_min_score": "NaN"}), "a number from 0 to 1"),
            (
                json!({"telis_max_phase": true}),
                "true or false; it must be a whole number",
            ),
            (
                json!({"telis_phase_tiers": ["tiny"]}),
                "a list of tiers: nano, micro, full",
            ),
            (json!({"telis_phase_tiers": []}), "a list of tiers"),
            (json!({"telis_method": "rename"}), "`hover` or `signatureHelp`"),
            (json!({"telis_method": "hover"}), "needs a document"),
            (
                json!({"telis_method": "hover", "telis_document_path": "a"}),
                "needs a place",
            ),
        ] {
            let said = read(given).expect_err("refused");
            assert!(said.contains(says), "{said}");
        }
    }
}
