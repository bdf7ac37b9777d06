//! Forks and joins: steps that several branches follow, each with a token of its own, until they meet again (CONTRACTS
//! "Stepwise"; the origin's `ForkConfig` and `JoinConfig`).

use crate::StepId;
use serde::{Deserialize, Serialize};

/// The word by which an agent says that its work has been verified. Case counts.
pub const VERIFIED: &str = "VERIFIED";
/// Branches of one batch where the file names no number (the origin's default).
pub const BATCH: u32 = 4;

/// A fork: what follows the step runs in branches beside each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// The first step of each branch, in the order written.
    pub targets: Vec<StepId>,
    /// The step at which the branches meet: it runs once, after them. Where none is written, the nearest step that every branch leads to
    /// ([`Workflow::new`] finds it); absent: there is none.
    pub join: Option<StepId>,
    /// How the branches run and what the join asks of them.
    pub rules: ForkRules,
}

/// How branches run and what their join asks of them. A run keeps it with the fork that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ForkRules {
    /// So many branches run beside each other, and the next ones when all of those have ended; absent: all at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// Each branch works in a folder of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolated: bool,
    /// What becomes of the others when a branch fails.
    #[serde(default)]
    pub on_failure: BranchFailure,
    /// What the join asks for.
    #[serde(default)]
    pub join: JoinRule,
    /// How one status is made of those of the branches.
    #[serde(default)]
    pub merge: Merge,
    /// Branches that have not ended so long after the fork are cut off, milliseconds; absent: no limit of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What becomes of the other branches when one fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchFailure {
    /// They run to their end; a join that asks for all of them is not met.
    #[default]
    ContinueAll,
    /// They are cut off at once and the join is not met.
    FailFast,
    /// They run to their end; the join counts those that did not fail, of which there must be one.
    BestEffort,
}

/// What a join asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "strategy", rename_all = "snake_case")]
pub enum JoinRule {
    /// Every branch has come to its end.
    #[default]
    AllComplete,
    /// Every branch is verified.
    AllVerified,
    /// At least one branch is verified.
    AnyVerified,
    /// One branch has come to its end: the others are cut off.
    FirstComplete,
    /// So many branches are verified.
    Quorum {
        /// How many; absent: more than half.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
    },
}

/// How one status is made of those of the branches (the origin's `aggregate_status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// The lowest: any other word < PARTIAL < UNVERIFIED < VERIFIED.
    #[default]
    Worst,
    /// The highest.
    Best,
    /// The one that most branches have; of several the one that came first.
    Majority,
}

impl BranchFailure {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("continue_all", Self::ContinueAll),
        ("fail_fast", Self::FailFast),
        ("best_effort", Self::BestEffort),
    ];
}

impl Merge {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("worst", Self::Worst),
        ("best", Self::Best),
        ("majority", Self::Majority),
    ];

    /// One status of several, in the order of the branches; of none `BLOCKED`.
    pub fn of(self, statuses: &[&str]) -> String {
        let rank = |status: &&&str| match **status {
            VERIFIED => 3,
            "UNVERIFIED" => 2,
            "PARTIAL" => 1,
            _ => 0,
        };
        let mut best: Option<&&str> = None;
        for status in statuses {
            let better = |than: &&str| match self {
                Self::Worst => rank(&status) < rank(&than),
                Self::Best => rank(&status) > rank(&than),
                Self::Majority => {
                    let times = |of: &str| statuses.iter().filter(|s| **s == of).count();
                    times(status) > times(than)
                }
            };
            if best.is_none_or(better) {
                best = Some(status);
            }
        }
        best.map_or_else(|| "BLOCKED".to_owned(), |status| (*status).to_owned())
    }
}

impl JoinRule {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("all_complete", Self::AllComplete),
        ("all_verified", Self::AllVerified),
        ("any_verified", Self::AnyVerified),
        ("first_complete", Self::FirstComplete),
        ("quorum", Self::Quorum { count: None }),
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::AllComplete => "all_complete",
            Self::AllVerified => "all_verified",
            Self::AnyVerified => "any_verified",
            Self::FirstComplete => "first_complete",
            Self::Quorum { .. } => "quorum",
        }
    }

    /// Whether it counts branches that are verified, not those that have merely come to their end.
    pub fn counts_verified(self) -> bool {
        matches!(self, Self::AllVerified | Self::AnyVerified | Self::Quorum { .. })
    }

    /// How many branches of so many must be complete, or verified.
    pub fn needs(self, of: usize) -> usize {
        match self {
            Self::AllComplete | Self::AllVerified => of,
            Self::AnyVerified | Self::FirstComplete => 1,
            Self::Quorum { count: Some(count) } => count as usize,
            Self::Quorum { count: None } => of / 2 + 1,
        }
    }
}
