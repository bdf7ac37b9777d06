//! Forks as events: branches that begin, end and meet again. Persisted like all events: fields are only ever added.

use crate::{At, Instance};
use model::{ForkRules, JoinRule, StepId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A branch of a fork of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BranchId {
    /// Which fork: forks count from 1 in the order they begin; each time a loop comes to one it is another.
    pub fork: u32,
    /// Which of its branches, from 1, in the order written.
    pub branch: u32,
}

impl fmt::Display for BranchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.fork, self.branch)
    }
}

/// A fork has begun: from now on the token that came here waits at the join. Each branch begins with a route of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forked {
    /// Its number.
    pub fork: u32,
    /// The visit that it follows.
    pub from: Instance,
    /// The branch of another fork that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<BranchId>,
    /// The first step of each branch.
    pub heads: Vec<StepId>,
    /// Where they meet.
    pub join: StepId,
    /// How they run and what the join asks for.
    pub rules: ForkRules,
    /// Branches that have not ended by then are cut off; what people are waited for in them comes on top ([`crate::forks::Fork::deadline`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<At>,
}

/// A branch has come to its end by itself. What is cut off is named by [`Joined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchEnded {
    /// The branch that has ended.
    pub branch: BranchId,
    /// Whether it came to the join, or failed before.
    pub end: BranchEnd,
    /// What its last step reported as `status`, else how that step went: what the join counts.
    pub status: String,
    /// Of a branch that failed: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How a branch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchEnd {
    /// It came to the join, or to an end that the flow has.
    Completed,
    /// A step of it failed.
    Failed,
    /// It was not needed any more, or not allowed to go on: [`Joined::cause`] says why.
    CutOff,
}

/// The branches of a fork have met, or will not: the whole count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Which fork.
    pub fork: u32,
    /// Whether what the join asks for is given: the step at the join follows. Otherwise the fork has failed.
    pub met: bool,
    /// Why it was counted now.
    pub cause: JoinCause,
    /// What the join asks for.
    pub rule: JoinRule,
    /// How many branches there are.
    pub of: u32,
    /// How many must be complete, or verified.
    pub needs: u32,
    /// How many came to their end.
    pub completed: u32,
    /// How many of those are verified.
    pub verified: u32,
    /// How many failed.
    pub failed: u32,
    /// The one status made of those of the branches that ended.
    pub status: String,
    /// What had not ended and goes on no further, branches of forks inside included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut_off: Vec<BranchId>,
    /// Where it is not met: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why the branches were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinCause {
    /// All of them have ended.
    AllEnded,
    /// One has ended, and the join asks for no more.
    First,
    /// One has failed, and the fork allows no failure.
    FailFast,
    /// The time of the fork is over.
    Timeout,
    /// A person rejected what one of them made: the run ends.
    Rejected,
    /// The run has carried out as many steps as it may: it ends.
    Limit,
}

impl JoinCause {
    /// Why a branch that has not ended goes on no further, as a sentence.
    pub fn cut_off(self) -> &'static str {
        match self {
            Self::AllEnded => "Cut off: the branches have met",
            Self::First => "Cut off: another branch came to its end first",
            Self::FailFast => "Cut off: another branch failed",
            Self::Timeout => "Cut off: the time of the fork is over",
            Self::Rejected => "Cut off: a person rejected what another branch made",
            Self::Limit => "Cut off: the run has reached its safety limit",
        }
    }

    /// Whether the run ends with it, whatever the forks around ask for.
    pub fn ends_run(self) -> bool {
        matches!(self, Self::Rejected | Self::Limit)
    }
}

impl Joined {
    /// The count in words: `3 of 4 verified, quorum 3`.
    pub fn count(&self) -> String {
        let (of, needs) = (self.of, self.needs);
        let count = match self.rule {
            JoinRule::AllComplete | JoinRule::FirstComplete => format!("{} of {of} complete", self.completed),
            _ => format!("{} of {of} verified", self.verified),
        };
        match self.rule {
            JoinRule::Quorum { .. } => format!("{count}, quorum {needs}"),
            _ => format!("{count}, {needs} needed"),
        }
    }
}
