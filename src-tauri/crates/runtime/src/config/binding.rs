//! Who does an agent's work: `person`, or a block with engine, command, model and provider. `stub` is nobody: it plays the agent in
//! rehearsals, as it plays every other.

use engine::{EngineInfo, EngineKind, ModelName};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::fmt;

/// A binding, as a run records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binding(pub EngineInfo);

impl<'de> Deserialize<'de> for Binding {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Binding;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`person`, or a block with `engine:` and `run:`")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Binding, E> {
                match word {
                    "person" => Ok(Binding(EngineInfo::person())),
                    "stub" => Ok(Binding(EngineInfo::stub())),
                    "shell" | "command" => Err(E::custom(format!(
                        "engine `{word}` needs a command: write `{{engine: {word}, run: …}}`"
                    ))),
                    other => Err(E::custom(format!(
                        "unknown engine `{other}`; there are person, shell and command, and stub for rehearsals"
                    ))),
                }
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Binding, M::Error> {
                let raw = RawBinding::deserialize(de::value::MapAccessDeserializer::new(map))?;
                raw.bind().map_err(de::Error::custom)
            }
        }
        reader.deserialize_any(Reader)
    }
}

#[derive(Deserialize)]
struct RawBinding {
    engine: String,
    run: Option<Words>,
    model: Option<String>,
    provider: Option<String>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`run` is a command line, or a list of a program and its arguments"
)]
enum Words {
    Line(String),
    List(Vec<String>),
}

impl RawBinding {
    fn bind(self) -> Result<Binding, String> {
        let wants = (self.model.is_some() || self.provider.is_some()).then(|| ModelName {
            provider: self.provider.unwrap_or_else(|| "local".to_owned()),
            model: self.model.unwrap_or_else(|| "none".to_owned()),
        });
        let engine = |kind: EngineKind, command: String| {
            Binding(EngineInfo {
                wants: wants.map(Box::new),
                ..EngineInfo::program(kind, command)
            })
        };
        match (self.engine.as_str(), self.run) {
            ("stub", None) => Ok(Binding(EngineInfo::stub())),
            ("person", None) => Ok(Binding(EngineInfo::person())),
            ("stub", Some(_)) => Err("engine `stub` runs nothing; remove `run`, or use engine `shell`".to_owned()),
            ("person", Some(_)) => Err("engine `person` runs nothing; remove `run`, or use engine `shell`".to_owned()),
            ("shell", Some(Words::Line(line))) if !line.trim().is_empty() => Ok(engine(EngineKind::Shell, line)),
            ("shell", Some(Words::List(_))) => {
                Err("engine `shell` takes `run` as one line of text; use engine `command` for a list".to_owned())
            }
            ("command", Some(words)) => {
                let words = match words {
                    Words::List(list) => list,
                    Words::Line(line) => {
                        shlex::split(&line).ok_or_else(|| format!("`run: {line}` has a quote that is never closed"))?
                    }
                };
                if words.first().is_none_or(String::is_empty) {
                    return Err("`run` is empty; name a program and its arguments".to_owned());
                }
                let line = shlex::try_join(words.iter().map(String::as_str))
                    .map_err(|_| "`run` holds a zero byte, which no command can take")?;
                Ok(engine(EngineKind::Command, line))
            }
            ("shell" | "command", _) => Err(format!("engine `{}` needs `run`: the command to run", self.engine)),
            (other, _) => Err(format!(
                "unknown engine `{other}`; there are person, shell and command, and stub for rehearsals"
            )),
        }
    }
}
