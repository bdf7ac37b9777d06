//! Reads guardrails from configuration, with a plain sentence for everything that is wrong. A rule that cannot be used is never left out:
//! whoever wrote it relies on it.

use crate::patterns::{BuiltIn, Pattern, Sort};
use crate::personal::PERSONAL;
use crate::report::{Action, Kind};
use crate::rules::{Checks, LooksFor, Part, Rules, Size};
use crate::secrets::{NAMED, SECRETS};
use crate::words::{List, MODERATION, PHRASES};
use regex::RegexBuilder;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Why guardrails cannot be used: where, what is wrong and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Unusable {
    place: String,
    what: String,
}

const PARTS: [&str; 5] = ["pii", "secrets", "moderation", "rules", "size"];
const MAX_HITS: u64 = 25;
const MOST_HITS: u64 = 1_000;
/// How much room the compiled form of one pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

fn wrong<T>(place: &str, what: impl Into<String>) -> Result<T, Unusable> {
    Err(Unusable {
        place: place.to_owned(),
        what: what.into(),
    })
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        Self::read(&value).map_err(D::Error::custom)
    }
}

impl Rules {
    /// Reads the value of `guardrails:`. Nothing written there is the same as `enabled: false`.
    ///
    /// # Errors
    /// A key that does not exist, a value of the wrong kind, a pattern that cannot be used, or rules of which nothing says whether
    /// they are to hold; the sentence names the place.
    pub fn read(value: &Value) -> Result<Self, Unusable> {
        const PLACE: &str = "guardrails";
        let none = Map::new();
        let base = At(PLACE.to_owned(), map(PLACE, value)?.unwrap_or(&none));
        base.keys(&["enabled", "on_violation", "max_hits", "inputs", "outputs"], &PARTS)?;
        // What is wrong in the common part is said of the common part, even when no stage uses it.
        base.checks()?;
        let enabled = base.enabled()?;
        let stage = |name: &str| {
            let place = format!("{PLACE}.{name}");
            let own = map(&place, base.1.get(name).unwrap_or(&Value::Null))?.unwrap_or(&none);
            At(place.clone(), own).keys(&["enabled", "on_violation", "max_hits"], &PARTS)?;
            let merged = merge(base.1, own);
            let at = At(place, &merged);
            let checks = at.checks()?;
            Ok((at.enabled()?, Arc::new(checks)))
        };
        let ((inputs_on, inputs), (outputs_on, outputs)) = (stage("inputs")?, stage("outputs")?);
        if !base.1.is_empty() && (enabled, inputs_on, outputs_on) == (None, None, None) {
            return wrong(PLACE, "say whether they hold: `enabled: true` or `enabled: false`");
        }
        Ok(Self {
            written: value.clone(),
            inputs: (inputs_on == Some(true)).then_some(inputs),
            outputs: (outputs_on == Some(true)).then_some(outputs),
        })
    }

    /// The names of our own patterns in a part, `pii` or `secrets`; none in any other.
    pub fn patterns_of(part: &str) -> Vec<&'static str> {
        match part {
            "pii" => PERSONAL.iter().map(|pattern| pattern.name).collect(),
            "secrets" => SECRETS.iter().map(|pattern| pattern.name).chain([NAMED]).collect(),
            _ => Vec::new(),
        }
    }

    /// Our own list of words in a part, `moderation` or `rules`; none in any other.
    pub fn words_of(part: &str) -> &'static [&'static str] {
        match part {
            "moderation" => MODERATION,
            "rules" => PHRASES,
            _ => &[],
        }
    }
}

/// What a stage says over what is said for both: keys in keys, anything else in place of the other.
fn merge(base: &Map<String, Value>, own: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = base.clone();
    merged.retain(|key, _| key != "inputs" && key != "outputs");
    for (key, value) in own {
        let both = match (merged.get(key), value) {
            (Some(Value::Object(base)), Value::Object(own)) => Value::Object(merge(base, own)),
            _ => value.clone(),
        };
        merged.insert(key.clone(), both);
    }
    merged
}

fn map<'v>(place: &str, value: &'v Value) -> Result<Option<&'v Map<String, Value>>, Unusable> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => Ok(Some(map)),
        _ => wrong(place, "here belong keys with values, such as `enabled: true`"),
    }
}

fn action(place: &str, value: &Value) -> Result<Action, Unusable> {
    match value.as_str() {
        Some("block") => Ok(Action::Block),
        Some("warn") => Ok(Action::Warn),
        _ => wrong(
            place,
            format!("{value} is no answer to a violation: write block or warn"),
        ),
    }
}

/// Keys and where they stand.
struct At<'v>(String, &'v Map<String, Value>);

impl At<'_> {
    fn place(&self, key: &str) -> String {
        format!("{}.{key}", self.0)
    }

    fn keys(&self, known: &[&str], more: &[&str]) -> Result<(), Unusable> {
        match self
            .1
            .keys()
            .find(|key| !known.contains(&key.as_str()) && !more.contains(&key.as_str()))
        {
            None => Ok(()),
            Some(key) => {
                let known: Vec<&str> = known.iter().chain(more).copied().collect();
                let what = format!("there is no such key; the keys here are {}", known.join(", "));
                wrong(&self.place(key), what)
            }
        }
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.1.get(key).filter(|value| !value.is_null())
    }

    fn enabled(&self) -> Result<Option<bool>, Unusable> {
        match self.value("enabled") {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(*on)),
            Some(other) => wrong(&self.place("enabled"), format!("{other} is neither true nor false")),
        }
    }

    fn action(&self, outer: Action) -> Result<Action, Unusable> {
        self.value("on_violation")
            .map_or(Ok(outer), |value| action(&self.place("on_violation"), value))
    }

    fn max_hits(&self, outer: u64) -> Result<u64, Unusable> {
        match self.value("max_hits") {
            None => Ok(outer),
            Some(value) => match value.as_u64() {
                Some(hits @ 1..=MOST_HITS) => Ok(hits),
                _ => wrong(
                    &self.place("max_hits"),
                    format!("{value} is no number from 1 to {MOST_HITS}"),
                ),
            },
        }
    }

    /// Everything of one stage, whether the stage is on or not.
    fn checks(&self) -> Result<Checks, Unusable> {
        let (outer, max_hits) = (self.action(Action::Block)?, self.max_hits(MAX_HITS)?);
        let mut checks = Checks {
            parts: Vec::new(),
            size: None,
            unread: self.action(Action::Warn)?,
        };
        let none = Map::new();
        for name in PARTS {
            let place = self.place(name);
            let part = At(
                place.clone(),
                map(&place, self.1.get(name).unwrap_or(&Value::Null))?.unwrap_or(&none),
            );
            let on = part.enabled()? != Some(false);
            let outer = part.action(outer)?;
            let common = ["enabled", "on_violation", "max_hits"];
            let hits = usize::try_from(part.max_hits(max_hits)?).unwrap_or(usize::MAX);
            let mut add = |kind, looks_for| {
                if on {
                    checks.parts.push(Part {
                        kind,
                        looks_for,
                        max_hits: hits,
                    });
                }
            };
            match name {
                "pii" => {
                    part.keys(&common, &["patterns"])?;
                    add(Kind::Personal, part.patterns(&PERSONAL, false, outer)?);
                }
                "secrets" => {
                    part.keys(&common, &["patterns"])?;
                    add(Kind::Secret, part.patterns(&SECRETS, true, outer)?);
                }
                "moderation" => {
                    part.keys(&common, &["blocklist", "words"])?;
                    add(Kind::Moderation, part.words(MODERATION, true, outer)?);
                }
                "rules" => {
                    part.keys(&common, &["blocklist", "words", "patterns"])?;
                    add(Kind::Phrase, part.words(PHRASES, false, outer)?);
                    add(Kind::Pattern, part.patterns(&[], false, outer)?);
                }
                _ => {
                    part.keys(&["enabled", "on_violation", "max_bytes"], &[])?;
                    let size = part.size(outer)?;
                    checks.size = size.filter(|_| on);
                }
            }
        }
        Ok(checks)
    }

    fn size(&self, action: Action) -> Result<Option<Size>, Unusable> {
        match self.value("max_bytes") {
            None => Ok(None),
            Some(value) => match value.as_u64().filter(|bytes| *bytes > 0) {
                Some(max_bytes) => Ok(Some(Size { max_bytes, action })),
                None => wrong(&self.place("max_bytes"), format!("{value} is no number of bytes")),
            },
        }
    }

    fn words(&self, ours: &[&str], whole: bool, outer: Action) -> Result<LooksFor, Unusable> {
        let whole = match self.value("words") {
            None => whole,
            Some(Value::String(word)) if word == "whole" => true,
            Some(Value::String(word)) if word == "substring" => false,
            Some(other) => {
                let what = format!("{other} is no way to look for words: write whole or substring");
                return wrong(&self.place("words"), what);
            }
        };
        let place = self.place("blocklist");
        let entries = match self.value("blocklist") {
            None => ours.iter().map(|word| ((*word).to_owned(), outer)).collect(),
            Some(Value::Array(list)) => {
                let entries = list
                    .iter()
                    .enumerate()
                    .map(|(i, v)| entry(&format!("{place}[{i}]"), v, outer));
                entries.collect::<Result<Vec<_>, _>>()?
            }
            Some(_) => return wrong(&place, "here belongs a list of texts, such as [\"rm -rf\"]"),
        };
        match List::new(entries, whole) {
            Ok(list) => Ok(LooksFor::Words(list)),
            Err(what) => wrong(&place, what),
        }
    }

    fn patterns(&self, ours: &'static [BuiltIn], named: bool, outer: Action) -> Result<LooksFor, Unusable> {
        let place = self.place("patterns");
        let none = Map::new();
        let own = At(
            place.clone(),
            map(&place, self.1.get("patterns").unwrap_or(&Value::Null))?.unwrap_or(&none),
        );
        let mut patterns: Vec<Pattern> = ours.iter().map(Pattern::built_in).collect();
        patterns.iter_mut().for_each(|p| p.action = outer);
        let mut named = named.then_some(outer);
        for (name, value) in own.1 {
            let known = patterns.iter().position(|p| p.name == *name);
            let is_named = named.is_some() && name == NAMED;
            match own.pattern(name, value, outer)? {
                Own::Off if is_named => named = None,
                Own::Off => patterns.retain(|p| p.name != *name),
                Own::Pattern(pattern) => match known {
                    Some(at) => patterns[at] = pattern,
                    None => patterns.push(pattern),
                },
                Own::Action(action) => match known {
                    Some(at) => patterns[at].action = action,
                    None if is_named => named = Some(action),
                    None => return wrong(&own.place(name), "this is none of our rules, so it needs a `pattern`"),
                },
            }
        }
        Ok(LooksFor::Patterns { patterns, named })
    }

    fn pattern(&self, name: &str, value: &Value, outer: Action) -> Result<Own, Unusable> {
        let place = self.place(name);
        let own = |written: &str, action| {
            let regex = RegexBuilder::new(written).size_limit(PATTERN_BYTES).build();
            let regex = regex.map_err(|e| Unusable {
                place: place.clone(),
                what: cannot_be_used(written, &e),
            })?;
            if regex.is_match("") {
                let what = format!("`{written}` fits even an empty text, so it would be found everywhere");
                return wrong(&place, what);
            }
            Ok(Own::Pattern(Pattern {
                name: name.to_owned(),
                action,
                regex,
                sort: Sort::Own,
            }))
        };
        match value {
            Value::Null | Value::Bool(false) => Ok(Own::Off),
            Value::String(written) => own(written, outer),
            Value::Object(map) => {
                let at = At(place.clone(), map);
                at.keys(&["pattern", "on_violation"], &[])?;
                let action = at.action(outer)?;
                match at.value("pattern") {
                    None => Ok(Own::Action(action)),
                    Some(Value::String(written)) => own(written, action),
                    Some(other) => wrong(&at.place("pattern"), format!("{other} is no text; put it in quotes")),
                }
            }
            other => wrong(
                &place,
                format!("{other} is no pattern: write one in quotes, or null to take the rule out"),
            ),
        }
    }
}

enum Own {
    Pattern(Pattern),
    Action(Action),
    Off,
}

fn entry(place: &str, value: &Value, outer: Action) -> Result<(String, Action), Unusable> {
    match value {
        Value::String(text) => Ok((text.clone(), outer)),
        Value::Object(map) => {
            let at = At(place.to_owned(), map);
            at.keys(&["text", "on_violation"], &[])?;
            match at.value("text") {
                Some(Value::String(text)) => Ok((text.clone(), at.action(outer)?)),
                _ => wrong(place, "an entry with `on_violation` needs its `text`"),
            }
        }
        other => wrong(place, format!("{other} is no text; put it in quotes")),
    }
}

fn cannot_be_used(written: &str, error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => {
            format!("the pattern `{written}` grows too large: use smaller numbers of repetitions")
        }
        // The last line is the reason; those before draw the place in several lines.
        error => {
            let said = error.to_string();
            let why = said.lines().last().unwrap_or_default();
            format!(
                "`{written}` is no pattern that can be used: {}",
                why.trim_start_matches("error: ")
            )
        }
    }
}
