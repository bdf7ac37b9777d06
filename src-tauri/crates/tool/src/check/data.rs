//! JSON, YAML, and values by a JSON Schema.

use super::{CheckOutcome, CheckPlace, found, passed};
use crate::nesting;
use crate::schema::Schema;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// Whether a text is JSON.
pub(super) fn json(text: &str) -> CheckOutcome {
    match read_json(text) {
        Ok(_) => passed(),
        Err(place) => found(vec![place]),
    }
}

/// Whether a text is YAML, in one document or several.
pub(super) fn yaml(text: &str) -> CheckOutcome {
    match read_yaml(text) {
        Ok(_) => passed(),
        Err(place) => found(vec![place]),
    }
}

/// Whether a value fits a schema.
pub(super) fn schema(path: &str, text: &str, schema: &Value) -> CheckOutcome {
    let schema = match Schema::of(schema) {
        Ok(schema) => schema,
        Err(why) => return super::failed(format!("the schema cannot be used: {why}")),
    };
    let value = match value(path, text) {
        Ok(value) => value,
        Err(place) => return found(vec![place.into()]),
    };
    let faults = schema.faults(&value);
    let places = faults.into_iter().map(|fault| CheckPlace {
        line: None,
        column: None,
        text: match fault.path.is_empty() {
            true => fault.message,
            false => format!("`{}`: {}", fault.path, fault.message),
        },
    });
    found(places.collect())
}

/// What a file holds: YAML by its name, else JSON.
pub(super) fn value(path: &str, text: &str) -> Result<Value, Fault> {
    let lower = path.to_ascii_lowercase();
    let is_yaml = [".yaml", ".yml"].iter().any(|end| lower.ends_with(end));
    let read = if is_yaml { read_yaml(text) } else { read_json(text) };
    read.map_err(|place| Fault {
        message: found(vec![place.clone()]).message,
        place,
    })
}

/// Why a file cannot be read.
pub(super) struct Fault {
    /// In a sentence, with the line.
    pub message: String,
    place: CheckPlace,
}

impl From<Fault> for CheckPlace {
    fn from(fault: Fault) -> Self {
        fault.place
    }
}

fn read_json(text: &str) -> Result<Value, CheckPlace> {
    let read = serde_json::from_str(text);
    let unique = read.and_then(|value| serde_json::from_str::<Unique>(text).map(|_| value));
    unique.map_err(|error| {
        let number = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0);
        let (line, column) = (number(error.line()), number(error.column()));
        let said = error.to_string();
        // The place is told beside it.
        let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
        CheckPlace {
            line,
            column: column.or(line.map(|_| 1)),
            text: format!("this is no JSON: {what}"),
        }
    })
}

/// Any value in which no key stands twice in one object: of two values one would be passed over, as YAML does not allow.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom(format!("the key `{key}` stands twice")));
            }
            seen.insert(key);
            entries.next_value::<Self>()?;
        }
        Ok(self)
    }
}

/// The first document; all of them are read.
fn read_yaml(text: &str) -> Result<Value, CheckPlace> {
    nesting::bounded(text).map_err(|deep| CheckPlace {
        line: u32::try_from(deep.line).ok(),
        column: u32::try_from(deep.column).ok(),
        text: deep.to_string(),
    })?;
    let mut first = None;
    for document in serde_yaml::Deserializer::from_str(text) {
        let value = serde_yaml::Value::deserialize(document).map_err(|error| place_in_yaml(&error))?;
        // Tags and keys that are no text: what JSON has no form for.
        let json = serde_json::to_value(value).map_err(|error| CheckPlace {
            line: None,
            column: None,
            text: format!("this YAML has no form in JSON: {error}"),
        });
        first.get_or_insert(json);
    }
    match first {
        Some(Ok(value)) => Ok(value),
        // It is YAML all the same.
        Some(Err(_)) | None => Ok(Value::Null),
    }
}

fn place_in_yaml(error: &serde_yaml::Error) -> CheckPlace {
    let place = error.location();
    let number = |n: usize| u32::try_from(n).ok();
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    CheckPlace {
        line: place.as_ref().and_then(|p| number(p.line())),
        column: place.as_ref().and_then(|p| number(p.column())),
        text: format!("this is no YAML: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;
    use serde_json::json;

    #[test]
    fn what_is_no_json_is_told_where() {
        for (text, line, column) in [
            ("{\"a\": 1,\n \"b\": }", 2, 7),
            ("", 1, 1),
            ("{} {}", 1, 4),
            ("\u{feff}{}", 1, 1),
        ] {
            let outcome = json(text);
            assert_eq!(outcome.status, CheckStatus::Failed, "{text:?}");
            let place = &outcome.places[0];
            assert_eq!(
                (place.line, place.column),
                (Some(line), Some(column)),
                "{text:?} {place:?}"
            );
            assert!(
                outcome.message.starts_with(&format!("line {line}: this is no JSON: ")),
                "{}",
                outcome.message
            );
            assert!(!outcome.message.contains(" at line "), "{}", outcome.message);
        }
        assert_eq!(json(" [1, {\"a\": null}] \n"), passed());
        let all = "{\"a\": [1, -2, 2.5, 123456789012345678901234567890, true, \"x\"], \"b\": {\"a\": null}}";
        assert_eq!(json(all), passed());
        let twice = json("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}");
        assert_eq!(twice.status, CheckStatus::Failed, "as in YAML");
        assert_eq!(twice.places[0].line, Some(2), "{twice:?}");
        assert!(twice.message.contains("the key `c` stands twice"), "{}", twice.message);
    }

    #[test]
    fn what_is_no_yaml_is_told_where() {
        let outcome = yaml("a: 1\nb: [1, 2\nc: 3\n");
        assert_eq!(outcome.status, CheckStatus::Failed);
        assert!(outcome.places[0].line.is_some(), "{outcome:?}");
        assert!(outcome.message.contains("this is no YAML: "), "{}", outcome.message);
        assert_eq!(
            yaml("a: 1\na: 2\n").status,
            CheckStatus::Failed,
            "a key that stands twice"
        );
        assert_eq!(
            yaml("a: 1\n---\n- b: [\n").status,
            CheckStatus::Failed,
            "the second document"
        );
        for text in [
            "a: 1\n---\nb: 2\n",
            "",
            "# nothing\n",
            "1: one\n[x]: list\n",
            "!tag {a: 1}\n",
        ] {
            assert_eq!(yaml(text), passed(), "{text:?}");
        }
    }

    #[test]
    fn a_bomb_of_aliases_is_no_yaml() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..12 {
            let item = format!("*a{}", n - 1);
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", [item.as_str(); 10].join(", ")));
        }
        assert_eq!(yaml(&bomb).status, CheckStatus::Failed);
        assert_eq!(yaml(&"[".repeat(100_000)).status, CheckStatus::Failed);
        assert_eq!(json(&"[".repeat(100_000)).status, CheckStatus::Failed);
    }

    #[test]
    fn what_does_not_fit_the_schema_is_told_by_its_place_in_the_value() {
        let wanted = json!({
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}},
            "required": ["name"],
        });
        let text = r#"{"items": [{"id": 1}, {"id": "two"}, {}]}"#;
        let outcome = schema("a.json", text, &wanted);
        let texts: Vec<&str> = outcome.places.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts.iter().any(|t| t.starts_with("`items[1].id`: ")), "{texts:?}");
        assert!(texts.iter().any(|t| t.contains("name")), "{texts:?}");
        assert!(outcome.message.ends_with("(and 2 more)"), "{}", outcome.message);
        assert_eq!(schema("a.YML", "name: x\nitems: []\n", &wanted), passed());
        let no_schema = schema("a.json", "{}", &json!({"type": 5}));
        assert!(
            no_schema.message.starts_with("the schema cannot be used"),
            "{}",
            no_schema.message
        );
        assert!(
            schema("a.json", "{", &wanted)
                .message
                .starts_with("line 1: this is no JSON")
        );
    }
}
