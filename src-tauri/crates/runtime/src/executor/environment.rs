//! The environment of commands: inherited, without secrets, with what a step needs to know.

use crate::brief::Brief;
use std::ffi::OsString;

/// What commands find in their environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// Names that are passed on although they look like secrets.
    pub pass: Vec<String>,
}

/// The variable that marks every process of an attempt, so that those of a dead driver can be found.
pub(crate) const MARK: &str = "GATEHOUSE_ATTEMPT";

/// The value of [`MARK`] for an attempt.
pub(crate) fn mark(run: &str, step: &str, visit: u32, attempt: u32) -> String {
    format!("{run}/{step}/{visit}/{attempt}")
}

/// The mark of a brief's attempt.
pub(super) fn mark_of(brief: &Brief) -> String {
    mark(&brief.run_id, brief.step.id.as_str(), brief.visit, brief.attempt)
}

impl Environment {
    /// All variables of an attempt's processes. `RUN_BASE` names the run's folder, absolute; it exists.
    pub fn of(&self, brief: &Brief) -> Vec<(OsString, OsString)> {
        if let Err(error) = std::fs::create_dir_all(&brief.run_base) {
            tracing::warn!(%error, "the run's folder could not be made for the command");
        }
        let mut all: Vec<(OsString, OsString)> = std::env::vars_os()
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                self.pass.iter().any(|p| *p == name) || !(is_secret(&name) || name.starts_with("GATEHOUSE_"))
            })
            .collect();
        let mut add = |name: &str, value: &str| all.push((name.into(), value.into()));
        add("GATEHOUSE_RUN_ID", &brief.run_id);
        add("GATEHOUSE_STEP", brief.step.id.as_str());
        add("GATEHOUSE_VISIT", &brief.visit.to_string());
        add("RUN_BASE", &brief.run_base);
        add(MARK, &mark_of(brief));
        all
    }
}

/// Whether a variable's name looks like a secret: `*_TOKEN`, `*_SECRET`, `*_KEY`, `*PASSWORD*`.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let whole_or_ending = |word: &str| name == word || name.ends_with(&format!("_{word}"));
    ["TOKEN", "SECRET", "KEY"].into_iter().any(whole_or_ending) || name.contains("PASSWORD")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "GITHUB_TOKEN",
            "aws_secret",
            "OPENAI_API_KEY",
            "DB_PASSWORD_FILE",
            "TOKEN",
            "PGPASSWORD",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "TOKENIZER", "MONKEY"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
