//! What a language server may ask of us, and what becomes of what it tells.

use crate::rpc::{self, not_offered};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::sync::watch;

/// How many pieces of work are kept track of.
const MOST_WORK: usize = 100;

/// What a server works at by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Work {
    /// Whether it works at something now.
    pub busy: bool,
    /// How often it has begun something.
    pub begun: u64,
}

/// How we answer one server.
pub(super) struct Manners {
    pub settings: Value,
    pub folders: Value,
    /// The pieces of work it has told of and not ended, by their tokens.
    work: BTreeSet<String>,
    now: watch::Sender<Work>,
}

impl Manners {
    pub fn new(settings: Value, folders: Value) -> (Self, watch::Receiver<Work>) {
        let (now, seen) = watch::channel(Work::default());
        let manners = Self {
            settings,
            folders,
            work: BTreeSet::new(),
            now,
        };
        (manners, seen)
    }

    /// The part of the settings that a section names: `python.analysis`.
    fn section(&self, item: &Value) -> Value {
        let Some(section) = item["section"].as_str().filter(|s| !s.is_empty()) else {
            return self.settings.clone();
        };
        if let Some(whole) = self.settings.get(section) {
            return whole.clone();
        }
        let parts = section.split('.');
        let found = parts.into_iter().try_fold(&self.settings, |at, part| at.get(part));
        found.cloned().unwrap_or(Value::Null)
    }
}

impl rpc::Manners for Manners {
    fn asked(&mut self, method: &str, params: &Value) -> Result<Value, (i64, String)> {
        match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().into_iter().flatten();
                Ok(items.map(|item| self.section(item)).collect())
            }
            "workspace/workspaceFolders" => Ok(self.folders.clone()),
            // What it registers are notices that it then does not get: it finds out for itself.
            "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create" => {
                Ok(Value::Null)
            }
            // Nobody is there to press a button.
            "window/showMessageRequest" => Ok(Value::Null),
            "window/showDocument" => Ok(json!({"success": false})),
            "workspace/applyEdit" => Ok(json!({"applied": false, "failureReason": "files are not changed here"})),
            refresh if refresh.starts_with("workspace/") && refresh.ends_with("/refresh") => Ok(Value::Null),
            other => Err(not_offered(other)),
        }
    }

    fn told(&mut self, method: &str, params: &Value) {
        // Diagnostics, logs and messages are for editors.
        if method != "$/progress" {
            return;
        }
        let token = params["token"].to_string();
        let mut begun = 0;
        match params["value"]["kind"].as_str() {
            Some("begin") if self.work.len() < MOST_WORK => {
                self.work.insert(token);
                begun = 1;
            }
            Some("end") => drop(self.work.remove(&token)),
            _ => return,
        }
        let busy = !self.work.is_empty();
        self.now.send_modify(|now| {
            now.busy = busy;
            now.begun += begun;
        });
    }

    fn withdrawal(id: i64) -> (&'static str, Value) {
        ("$/cancelRequest", json!({"id": id}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rpc::Manners as _;

    #[test]
    fn a_server_gets_its_settings_and_changes_nothing() {
        let settings = json!({"python": {"analysis": {"mode": "strict"}}, "a.b": 1});
        let (mut manners, _) = Manners::new(settings, json!([{"uri": "file:///p", "name": "p"}]));
        let items = json!({"items": [{"section": "python.analysis"}, {"section": "a.b"}, {"section": "java"}, {}]});
        let answer = manners.asked("workspace/configuration", &items).expect("settings");
        assert_eq!(answer[0], json!({"mode": "strict"}));
        assert_eq!((&answer[1], &answer[2]), (&json!(1), &Value::Null));
        let edit = manners
            .asked("workspace/applyEdit", &json!({"edit": {}}))
            .expect("an answer");
        assert_eq!(edit["applied"], json!(false));
        assert_eq!(manners.asked("client/registerCapability", &json!({})), Ok(Value::Null));
        assert_eq!(manners.asked("workspace/codeLens/refresh", &json!({})), Ok(Value::Null));
        assert_eq!(
            manners.asked("evil/run", &json!({})).map_err(|(code, _)| code),
            Err(-32601)
        );
    }

    #[test]
    fn work_is_followed_until_it_ends() {
        let (mut manners, now) = Manners::new(Value::Null, Value::Null);
        let told = |manners: &mut Manners, token: Value, kind: &str| {
            manners.told("$/progress", &json!({"token": token, "value": {"kind": kind}}));
        };
        told(&mut manners, json!("a"), "begin");
        told(&mut manners, json!(1), "begin");
        told(&mut manners, json!("a"), "report");
        told(&mut manners, json!("a"), "end");
        assert_eq!(*now.borrow(), Work { busy: true, begun: 2 });
        told(&mut manners, json!(1), "end");
        assert_eq!(*now.borrow(), Work { busy: false, begun: 2 });
    }
}
