//! Which engine an agent is bound to: `stub`, or a block with engine, command, model and provider.

use engine::EngineInfo;
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
                f.write_str("`stub`, or a block with `engine:` and `run:`")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Binding, E> {
                match word {
                    "stub" => Ok(Binding(EngineInfo::stub())),
                    "shell" | "command" => Err(E::custom(format!(
                        "engine `{word}` needs a command: write `{{engine: {word}, run: …}}`"
                    ))),
                    other => Err(E::custom(format!(
                        "unknown engine `{other}`; there are stub, shell and command"
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
        let stub = EngineInfo::stub();
        let provider = self.provider.unwrap_or_else(|| "local".to_owned());
        let engine = |short: &str, model: String, command: String| {
            Binding(EngineInfo {
                engine: format!("{short}-step"),
                short: short.to_owned(),
                mode: "cli".to_owned(),
                model: self.model.clone().unwrap_or(model),
                provider: provider.clone(),
                command,
            })
        };
        match (self.engine.as_str(), self.run) {
            ("stub", None) => Ok(Binding(EngineInfo {
                provider,
                model: self.model.unwrap_or(stub.model.clone()),
                ..stub
            })),
            ("stub", Some(_)) => Err("engine `stub` runs nothing; remove `run`, or use engine `shell`".to_owned()),
            ("shell", Some(Words::Line(line))) if !line.trim().is_empty() => Ok(engine("shell", "sh".to_owned(), line)),
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
                let program = words.first().filter(|p| !p.is_empty()).cloned();
                let program = program.ok_or("`run` is empty; name a program and its arguments")?;
                let line = shlex::try_join(words.iter().map(String::as_str))
                    .map_err(|_| "`run` holds a zero byte, which no command can take")?;
                Ok(engine("command", program, line))
            }
            ("shell" | "command", _) => Err(format!("engine `{}` needs `run`: the command to run", self.engine)),
            (other, _) => Err(format!("unknown engine `{other}`; there are stub, shell and command")),
        }
    }
}
