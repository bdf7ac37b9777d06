//! Holds a payload against the rules.

use crate::hits::{Left, hits};
use crate::leaves::{Text, leaves};
use crate::plain::Plain;
use crate::report::{Action, Found, Kind, Report, Stage, Status, Violation};
use crate::rules::{Checks, LooksFor, Rules};
use serde_json::Value;

/// Checks what goes into a step or came out of it. `payload`: texts by name (inputs), or by the path of a file (outputs). `None` when nothing is looked
/// for at this stage.
pub fn check(stage: Stage, payload: &Value, rules: &Rules) -> Option<Report> {
    rules.checks(stage).map(|checks| report(stage, payload, checks))
}

fn report(stage: Stage, payload: &Value, checks: &Checks) -> Report {
    let mut found: Vec<Vec<Violation>> = checks.parts.iter().map(|_| Vec::new()).collect();
    let mut left: Vec<Left> = checks.parts.iter().map(Left::of).collect();
    let patterns = |looks_for: &LooksFor| matches!(looks_for, LooksFor::Patterns { .. });
    let wants_plain = checks.parts.iter().any(|part| patterns(&part.looks_for));
    for leaf in leaves(payload) {
        let plain = match leaf.text {
            Text::Text(text) if wants_plain => Plain::of(text),
            _ => None,
        };
        for ((part, found), left) in checks.parts.iter().zip(&mut found).zip(&mut left) {
            hits(part, &leaf, plain.as_ref(), left, found);
        }
    }
    let mut listed = Vec::new();
    let mut more = false;
    let all = || found.iter().flatten();
    let blocking = all().find(|v| v.action == Action::Block).cloned();
    let any = all().next().is_some();
    for (part, found) in checks.parts.iter().zip(found) {
        let room = part.max_hits.saturating_sub(listed.len());
        more |= found.len() > room;
        listed.extend(found.into_iter().take(room));
    }
    let size = checks
        .size
        .and_then(|size| too_large(payload, size.max_bytes, size.action));
    // The reason why something is stopped is always among what is listed.
    if let Some(blocking) = blocking
        .clone()
        .filter(|_| listed.iter().all(|v| v.action == Action::Warn))
    {
        listed.pop();
        listed.push(blocking);
    }
    let blocks = blocking.is_some() || size.as_ref().is_some_and(|v| v.action == Action::Block);
    let status = match (blocks, any || size.is_some()) {
        (true, _) => Status::Failed,
        (false, true) => Status::Warned,
        (false, false) => Status::Passed,
    };
    listed.extend(size);
    hide_in_places(&mut listed);
    Report {
        stage,
        status,
        violations: listed,
        more,
    }
}

/// What must not be seen may stand in the name of a place as well: in a key that an agent chose, or in a path.
fn hide_in_places(listed: &mut [Violation]) {
    let hidden: Vec<(String, String)> = listed
        .iter()
        .filter(|v| matches!(v.kind, Kind::Personal | Kind::Secret))
        .map(|v| (v.found.reveal().to_owned(), v.shown.clone()))
        .collect();
    for violation in listed {
        for (found, shown) in hidden.iter().filter(|(found, _)| !found.is_empty()) {
            if violation.source.contains(found) {
                violation.source = violation.source.replace(found, shown);
            }
        }
    }
}

impl Report {
    /// Notes what no rule has looked at, because it is too long: paths and bytes. Nobody is to take it for passed.
    #[must_use]
    pub fn unread(mut self, files: &[(String, u64)], rules: &Rules) -> Self {
        let Some(checks) = rules.checks(self.stage) else {
            return self;
        };
        for (path, bytes) in files {
            let beyond = checks.size.filter(|size| *bytes > size.max_bytes);
            let action = beyond.map_or(checks.unread, |size| size.action.min(checks.unread));
            let said = format!("{bytes} bytes, which is too long to be looked at");
            self.status = match (action, self.status) {
                (Action::Block, _) | (_, Status::Failed) => Status::Failed,
                (Action::Warn, _) => Status::Warned,
            };
            self.violations.push(Violation {
                kind: Kind::Size,
                rule: "unread".to_owned(),
                found: Found::new(said.clone()),
                shown: said,
                source: path.clone(),
                action,
            });
        }
        self
    }
}

fn too_large(payload: &Value, max_bytes: u64, action: Action) -> Option<Violation> {
    let mut bytes = Counter(0);
    // Writing into a counter cannot fail.
    let _ = serde_json::to_writer(&mut bytes, payload);
    let said = format!("{} bytes, {max_bytes} are allowed", bytes.0);
    (bytes.0 > max_bytes).then(|| Violation {
        kind: Kind::Size,
        rule: "max_bytes".to_owned(),
        found: Found::new(said.clone()),
        shown: said,
        source: String::new(),
        action,
    })
}

struct Counter(u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
