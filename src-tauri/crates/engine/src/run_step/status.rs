//! The state machine of a RunStep (seed 000 "Allowed transitions").

use serde::{Deserialize, Serialize};

/// The five words of the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStepStatus {
    /// Not entered yet.
    Pending,
    /// Being carried out, or about to be.
    Running,
    /// In front of a person.
    Blocked,
    /// It did not succeed; it may run again.
    Failed,
    /// It is done, for good.
    Completed,
}

impl RunStepStatus {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Completed => "completed",
        }
    }

    /// Reads the word, exactly as the contract writes it.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "pending" => Self::Pending,
            "running" => Self::Running,
            "blocked" => Self::Blocked,
            "failed" => Self::Failed,
            "completed" => Self::Completed,
            _ => return None,
        })
    }

    /// Whether the contract lets a step go from this status to that one; to stay as it is is no move and always allowed.
    pub fn may_become(self, to: Self) -> bool {
        use RunStepStatus::{Blocked, Completed, Failed, Pending, Running};
        self == to
            || matches!(
                (self, to),
                (Pending | Failed | Blocked, Running) | (Running, Completed | Failed | Blocked)
            )
    }
}

/// The status after a move from `current` to `requested`; a step without a status is pending.
///
/// # Errors
/// `invalid step transition: a -> b`; for words that are none of the five `unknown step status: a` and
/// `invalid step status: b`.
pub fn transition(current: &str, requested: &str) -> Result<RunStepStatus, String> {
    let current = if current.is_empty() { "pending" } else { current };
    let from = RunStepStatus::from_word(current).ok_or_else(|| format!("unknown step status: {current}"))?;
    let to = RunStepStatus::from_word(requested).ok_or_else(|| format!("invalid step status: {requested}"))?;
    if from.may_become(to) {
        Ok(to)
    } else {
        Err(format!("invalid step transition: {current} -> {requested}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{RunStepStatus, transition};

    #[test]
    fn the_allowed_moves_and_no_other() {
        let words = ["pending", "running", "blocked", "failed", "completed"];
        let allowed = [
            ("pending", "running"),
            ("running", "completed"),
            ("running", "failed"),
            ("running", "blocked"),
            ("failed", "running"),
            ("blocked", "running"),
        ];
        for from in words {
            for to in words {
                let expected = if from == to || allowed.contains(&(from, to)) {
                    Ok(to)
                } else {
                    Err(format!("invalid step transition: {from} -> {to}"))
                };
                assert_eq!(transition(from, to).map(RunStepStatus::word), expected);
            }
        }
    }

    #[test]
    fn other_words_are_named() {
        let refused = |from, to| transition(from, to).expect_err("refused");
        assert_eq!(refused("running", "done"), "invalid step status: done");
        assert_eq!(refused("skipped", "done"), "unknown step status: skipped");
        assert_eq!(refused("", "blocked"), "invalid step transition: pending -> blocked");
        assert!(transition("", "running").is_ok());
    }
}
