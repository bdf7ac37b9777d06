//! `routing` in gatehouse.yaml: who decides the way on where a workflow's rules leave more than one.
//!
//! ```yaml
//! routing: {mode: assist, navigator: pilot}   # deterministic_only (the default), assist, authoritative
//! ```

use super::Binding;
use engine::{Choosing, RoutingMode};
use model::AgentKey;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(expecting = "a block with `mode`")]
pub(super) struct Raw {
    mode: Option<RoutingMode>,
    navigator: Option<AgentKey>,
}

/// What the file says.
///
/// # Errors
/// A navigator that could not choose, in a sentence.
pub(super) fn of(raw: Option<Raw>, agents: &BTreeMap<AgentKey, Binding>) -> Result<Choosing, String> {
    let Some(Raw { mode, navigator }) = raw else {
        return Ok(Choosing::default());
    };
    let mode = mode.unwrap_or_default();
    if let Some(agent) = &navigator {
        match agents.get(agent) {
            Some(Binding(engine)) if engine.is_person() => {
                return Err(format!(
                    "`routing.navigator` names {agent}, which is a person; a person is asked anyway where nothing else decides"
                ));
            }
            Some(Binding(engine)) if !engine.is_stub() => {}
            _ => {
                return Err(format!(
                    "`routing.navigator` names {agent}, and nothing under `agents` says what carries it out"
                ));
            }
        }
        if mode == RoutingMode::DeterministicOnly {
            return Err(format!(
                "`routing.navigator` names {agent}, and in `mode: deterministic_only` no navigator is asked"
            ));
        }
    }
    Ok(Choosing { mode, navigator })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use engine::RoutingMode;
    use std::path::Path;

    fn read(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("gatehouse.yaml"), text).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_navigator_is_an_agent_that_is_bound_to_a_program() {
        let bound = "agents: {pilot: {engine: shell, run: ./pilot}, ada: person}\n";
        let config = read(&format!("{bound}routing: {{mode: assist, navigator: pilot}}\n")).expect("it is bound");
        assert_eq!(config.choosing.mode, RoutingMode::Assist);
        assert_eq!(config.choosing.navigator, Some("pilot".into()));
        assert!(config.notes.is_empty(), "{:?}", config.notes);
        assert!(read(bound).expect("fine").choosing.is_default());
        for (routing, says) in [
            ("{mode: assist, navigator: nobody}", "what carries it out"),
            ("{mode: assist, navigator: ada}", "is a person"),
            ("{navigator: pilot}", "no navigator is asked"),
            ("{mode: sometimes}", "sometimes"),
        ] {
            let fault = read(&format!("{bound}routing: {routing}\n")).expect_err(routing);
            assert!(fault.contains(says), "{fault}");
        }
    }
}
