//! What scripts need and how it is judged, one file per subject.

mod attacked;
mod commands;
mod configuration;
mod evaluated;
mod files;
mod hiding;
mod hostile;
mod judging;
mod programs;
mod properties;
mod shells;
mod variables;

use permission::{Kind, Need, Permissions, Policy, Uses, Verdict};

/// The needs of a script as lines: `run npm test`, `read? $X/y` (unclear).
pub fn needs(script: &str) -> Vec<String> {
    lines(&permission::uses("bash", script))
}

fn lines(uses: &Uses) -> Vec<String> {
    uses.needs.iter().map(line).collect()
}

pub fn line(need: &Need) -> String {
    let kind = match need.kind {
        Kind::Run => "run",
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Env => "env",
    };
    let mark = if need.unclear { "?" } else { "" };
    format!("{kind}{mark} {}", need.what)
}

/// Exactly these needs, in any order.
#[track_caller]
pub fn check(script: &str, expected: &[&str]) {
    let mut found = needs(script);
    let mut expected: Vec<String> = expected.iter().map(|e| (*e).to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{script}");
}

/// At least these needs.
#[track_caller]
pub fn has(script: &str, expected: &[&str]) {
    let found = needs(script);
    for line in expected {
        assert!(found.iter().any(|f| f == line), "{script}\nhas no `{line}`: {found:#?}");
    }
}

/// A policy from the value of `permissions:`.
pub fn policy(yaml: &str) -> Policy {
    let permissions: Permissions = serde_yaml::from_str(yaml).expect("the policy is good");
    permissions.of("any.runbook.md")
}

pub fn judge(yaml: &str, script: &str) -> Verdict {
    policy(yaml).judge(&permission::uses("bash", script), &[])
}

/// Whether nobody is asked about a script, and nothing of it is refused.
pub fn passes(yaml: &str, script: &str) -> bool {
    let verdict = judge(yaml, script);
    verdict.ask.is_empty() && verdict.denied.is_empty()
}

/// What refuses a script's needs: `need: by`.
pub fn denials(yaml: &str, script: &str) -> Vec<String> {
    let said = judge(yaml, script).denied;
    said.iter().map(|d| format!("{}: {}", line(&d.need), d.by)).collect()
}
