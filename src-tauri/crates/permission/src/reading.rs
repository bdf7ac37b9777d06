//! Reads permissions from configuration, with a plain sentence for everything that is wrong.

use crate::policy::{Mode, Network, Override, Permissions, Policy, Rules, bad_command, bad_name, bad_path};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value};

/// Why permissions cannot be used: where, what is wrong and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Unusable {
    place: String,
    what: String,
}

fn wrong<T>(place: &str, what: impl Into<String>) -> Result<T, Unusable> {
    Err(Unusable {
        place: place.to_owned(),
        what: what.into(),
    })
}

impl<'de> Deserialize<'de> for Permissions {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        Self::read(&value).map_err(D::Error::custom)
    }
}

impl Permissions {
    /// Reads the value of `permissions:`. Nothing written there is the same as nothing said.
    ///
    /// # Errors
    /// A key that does not exist, a value of the wrong kind, or a pattern that cannot be read; the sentence names the place.
    pub fn read(value: &Value) -> Result<Self, Unusable> {
        const PLACE: &str = "permissions";
        let Some(map) = map(PLACE, value)? else {
            return Ok(Self::default());
        };
        let mut permissions = Self {
            base: rules(PLACE, map, true)?.rules,
            overrides: Vec::new(),
        };
        permissions.base.mode = mode(PLACE, map)?.unwrap_or_default();
        let place = format!("{PLACE}.runbooks");
        let runbooks = map.get("runbooks").unwrap_or(&Value::Null);
        for (workflows, value) in self::map(&place, runbooks)?.into_iter().flatten() {
            let place = format!("{place}.{workflows}");
            if let Some(why) = bad_path(workflows) {
                return wrong(&place, format!("`{workflows}` is no pattern of paths: {why}"));
            }
            let Some(map) = self::map(&place, value)? else {
                continue;
            };
            let mut change = rules(&place, map, false)?;
            change.mode = mode(&place, map)?;
            workflows.clone_into(&mut change.workflows);
            permissions.overrides.push(change);
        }
        Ok(permissions)
    }
}

fn map<'v>(place: &str, value: &'v Value) -> Result<Option<&'v Map<String, Value>>, Unusable> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => Ok(Some(map)),
        _ => wrong(place, "here belong keys with values, such as `mode: ask`"),
    }
}

fn mode(place: &str, map: &Map<String, Value>) -> Result<Option<Mode>, Unusable> {
    match map.get("mode") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(mode)) if mode == "ask" => Ok(Some(Mode::Ask)),
        Some(Value::String(mode)) if mode == "allow" => Ok(Some(Mode::Allow)),
        Some(Value::String(mode)) if mode == "deny" => Ok(Some(Mode::Deny)),
        Some(other) => wrong(
            &format!("{place}.mode"),
            format!("{other} is no mode: write ask, allow or deny"),
        ),
    }
}

fn network(place: &str, value: &Value, whole: bool) -> Result<Network, Unusable> {
    match value {
        Value::Null => Ok(Network::Allow),
        Value::String(word) if word == "deny" => Ok(Network::Deny),
        Value::String(word) if word == "allow" && whole => Ok(Network::Allow),
        other if whole => wrong(
            place,
            format!("{other} says nothing about the network: write allow or deny"),
        ),
        other => wrong(
            place,
            format!("{other} cannot stand here: rules of some runbooks may only deny the network"),
        ),
    }
}

fn rules(place: &str, from: &Map<String, Value>, whole: bool) -> Result<Override, Unusable> {
    let mut policy = Policy::default();
    for (key, value) in from {
        let at = format!("{place}.{key}");
        type Bad = fn(&str) -> Option<String>;
        let (into, bad): (&mut Rules, Bad) = match key.as_str() {
            "mode" => continue,
            "runbooks" if whole => continue,
            "network" => {
                policy.network = network(&at, value, whole)?;
                continue;
            }
            "run" => (&mut policy.run, bad_command),
            "read" => (&mut policy.read, bad_path),
            "write" => (&mut policy.write, bad_path),
            "env" => (&mut policy.env, bad_name),
            _ => {
                let runbooks = if whole { ", runbooks" } else { "" };
                let keys = format!("mode, run, read, write, env, network{runbooks}");
                return wrong(&at, format!("there is no such key; the keys here are {keys}"));
            }
        };
        for (key, value) in map(&at, value)?.into_iter().flatten() {
            let at = format!("{at}.{key}");
            let list = match key.as_str() {
                "allow" => &mut into.allow,
                "deny" => &mut into.deny,
                _ => return wrong(&at, "there is no such key; the keys here are allow, deny"),
            };
            *list = patterns(&at, value, bad)?;
        }
    }
    Ok(Override {
        rules: policy,
        ..Override::default()
    })
}

fn patterns(place: &str, value: &Value, bad: fn(&str) -> Option<String>) -> Result<Vec<String>, Unusable> {
    let list = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        _ => return wrong(place, "here belongs a list of patterns, such as [\"npm test\"]"),
    };
    let mut patterns = Vec::new();
    for value in list {
        let Value::String(pattern) = value else {
            return wrong(place, format!("{value} is no text; put it in quotes"));
        };
        if let Some(why) = bad(pattern) {
            return wrong(place, format!("`{pattern}` cannot be used: {why}"));
        }
        patterns.push(pattern.clone());
    }
    Ok(patterns)
}
