//! Why a run went where it went: the contract's reason strings (seed 001 "Routing Contract"; seed 002 "Actions") as a type.
//! In the log and in every file of a run they are text; [`RouteReason`]'s `Display` and `FromStr` are the only places that
//! know it.

use model::StepId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Why a route was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteReason {
    /// The next step of the file.
    LinearDefault,
    /// The step's report names this step as the next.
    ExplicitNextStep,
    /// The step that is named as the next.
    LinearExplicit,
    /// No step is named as the next.
    CompleteLinear,
    /// The file has no further step.
    CompleteNoRouting,
    /// The step ends the flow.
    CompleteTerminal,
    /// No way leads on.
    CompleteUnknown,
    /// A kind of routing that is not carried out, with a next step.
    UnknownKindFallback,
    /// A loop that names no step to go back to, with a next step.
    MicroloopNoTarget,
    /// The same without one.
    CompleteMicroloopFallback,
    /// The loop goes round: so many times now.
    LoopIteration(u32),
    /// It has gone round as often as it may: so many times.
    MaxIterationsReached(u32),
    /// The same where nothing follows.
    CompleteMaxIterations(u32),
    /// The value that was reported ends the loop.
    LoopExitConditionMet(String),
    /// The same where nothing follows.
    CompleteConditionMet(String),
    /// The agent said that another round cannot help.
    LoopExitNoFurtherHelp,
    /// The same where nothing follows.
    CompleteNoFurtherHelp,
    /// This value, or this condition, leads there.
    Branch(String),
    /// No branch matched.
    BranchFallback,
    /// The same where nothing is written for that case.
    CompleteBranch,
    /// A branch of a fork begins.
    Fork {
        /// Which, from 1.
        nth: u32,
        /// Of how many.
        of: u32,
    },
    /// The branches of a fork have met.
    Joined {
        /// What was asked for: the word of the file.
        rule: String,
        /// How many branches are complete, or verified.
        got: u32,
        /// Of how many.
        of: u32,
    },
    /// What follows the outcome of a runbook's unit.
    Outcome {
        /// Whether it passed.
        passed: bool,
        /// What is done then.
        moved: Moved,
    },
    /// A person sent the run to this step.
    Jump(StepId),
    /// A navigator chose this way.
    Navigator(String),
    /// The step's own report asks for this way.
    Signal(String),
    /// A person chose the way, in this round.
    WayChosen(u32),
    /// This detour is due.
    Detour(String),
    /// What is put in after the step is due.
    Injection(String),
    /// A detour has come to its end and leads back, by this word of its file ([`model::Back::word`]).
    Returned(String),
    /// The step reported these issues to earlier ones, by the ids of their loops.
    Feedback(String),
    /// A person approved, in this round; logs of former versions do not say which.
    Approved(Option<u32>),
    /// A person rejected.
    Rejected(Option<u32>),
    /// A person asked for changes.
    ChangesRequested(Option<u32>),
    /// A reason of another version of Gatehouse.
    Other(String),
}

/// What a runbook's transition does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// On to what follows.
    Continue,
    /// The runbook is complete.
    Complete,
    /// The runbook ends badly.
    Stop,
    /// To a step.
    Goto(StepId),
    /// To the next instance of a dynamic step.
    GotoNext,
    /// Once more.
    Retry {
        /// Which retry this is, from 1.
        nth: u32,
        /// How many there may be.
        of: u32,
    },
}

impl RouteReason {
    /// Whether the outcome of a runbook's unit decided, and which it was.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::Outcome { passed, .. } => Some(*passed),
            _ => None,
        }
    }

    /// What the transition of a runbook did.
    pub fn moved(&self) -> Option<&Moved> {
        match self {
            Self::Outcome { moved, .. } => Some(moved),
            _ => None,
        }
    }
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue => f.write_str("CONTINUE"),
            Self::Complete => f.write_str("COMPLETE"),
            Self::Stop => f.write_str("STOP"),
            Self::Goto(to) => write!(f, "GOTO {to}"),
            Self::GotoNext => f.write_str("GOTO NEXT"),
            Self::Retry { nth, of } => write!(f, "RETRY ({nth}/{of})"),
        }
    }
}

impl Moved {
    fn of(text: &str) -> Option<Self> {
        Some(match text {
            "CONTINUE" => Self::Continue,
            "COMPLETE" => Self::Complete,
            "STOP" => Self::Stop,
            "GOTO NEXT" => Self::GotoNext,
            _ => match text.strip_prefix("GOTO ") {
                Some(to) => Self::Goto(to.into()),
                None => {
                    let counts = text.strip_prefix("RETRY (")?.strip_suffix(')')?;
                    let (nth, of) = counts.split_once('/')?;
                    Self::Retry {
                        nth: nth.parse().ok()?,
                        of: of.parse().ok()?,
                    }
                }
            },
        })
    }
}

impl fmt::Display for RouteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_round = |f: &mut fmt::Formatter<'_>, word: &str, round: &Option<u32>| match round {
            Some(round) => write!(f, "{word}:{round}"),
            None => f.write_str(word),
        };
        match self {
            Self::LinearDefault => f.write_str("linear_default"),
            Self::ExplicitNextStep => f.write_str("explicit_next_step_id"),
            Self::LinearExplicit => f.write_str("linear_explicit"),
            Self::CompleteLinear => f.write_str("flow_complete_linear"),
            Self::CompleteNoRouting => f.write_str("flow_complete_no_routing"),
            Self::CompleteTerminal => f.write_str("flow_complete_terminal"),
            Self::CompleteUnknown => f.write_str("flow_complete_unknown"),
            Self::UnknownKindFallback => f.write_str("unknown_kind_fallback"),
            Self::MicroloopNoTarget => f.write_str("microloop_no_target"),
            Self::CompleteMicroloopFallback => f.write_str("flow_complete_microloop_fallback"),
            Self::LoopIteration(n) => write!(f, "loop_iteration:{n}"),
            Self::MaxIterationsReached(n) => write!(f, "max_iterations_reached:{n}"),
            Self::CompleteMaxIterations(n) => write!(f, "flow_complete_max_iterations:{n}"),
            Self::LoopExitConditionMet(value) => write!(f, "loop_exit_condition_met:{value}"),
            Self::CompleteConditionMet(value) => write!(f, "flow_complete_condition_met:{value}"),
            Self::LoopExitNoFurtherHelp => f.write_str("loop_exit_no_further_help"),
            Self::CompleteNoFurtherHelp => f.write_str("flow_complete_no_further_help"),
            Self::Branch(value) => write!(f, "branch:{value}"),
            Self::BranchFallback => f.write_str("branch_fallback"),
            Self::CompleteBranch => f.write_str("flow_complete_branch"),
            Self::Fork { nth, of } => write!(f, "fork:{nth}/{of}"),
            Self::Joined { rule, got, of } => write!(f, "join:{rule}:{got}/{of}"),
            Self::Outcome { passed: true, moved } => write!(f, "pass:{moved}"),
            Self::Outcome { passed: false, moved } => write!(f, "fail:{moved}"),
            Self::Jump(to) => write!(f, "jump:{to}"),
            Self::Navigator(way) => write!(f, "navigator:{way}"),
            Self::Signal(way) => write!(f, "routing_signal:{way}"),
            Self::WayChosen(round) => write!(f, "way_chosen:{round}"),
            Self::Detour(id) => write!(f, "detour:{id}"),
            Self::Injection(id) => write!(f, "injection:{id}"),
            Self::Returned(how) => write!(f, "detour_returned:{how}"),
            Self::Feedback(loops) => write!(f, "feedback:{loops}"),
            Self::Approved(round) => in_round(f, "approved", round),
            Self::Rejected(round) => in_round(f, "rejected", round),
            Self::ChangesRequested(round) => in_round(f, "changes_requested", round),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// The reason that a text stands for, where it is one of this version.
fn known(text: &str) -> Option<RouteReason> {
    let (word, detail) = match text.split_once(':') {
        Some((word, detail)) => (word, Some(detail)),
        None => (text, None),
    };
    let outcome = |passed: bool, action: &str| {
        let moved = Moved::of(action)?;
        Some(RouteReason::Outcome { passed, moved })
    };
    Some(match (word, detail) {
        ("linear_default", None) => RouteReason::LinearDefault,
        ("explicit_next_step_id", None) => RouteReason::ExplicitNextStep,
        ("linear_explicit", None) => RouteReason::LinearExplicit,
        ("flow_complete_linear", None) => RouteReason::CompleteLinear,
        ("flow_complete_no_routing", None) => RouteReason::CompleteNoRouting,
        ("flow_complete_terminal", None) => RouteReason::CompleteTerminal,
        ("flow_complete_unknown", None) => RouteReason::CompleteUnknown,
        ("unknown_kind_fallback", None) => RouteReason::UnknownKindFallback,
        ("microloop_no_target", None) => RouteReason::MicroloopNoTarget,
        ("flow_complete_microloop_fallback", None) => RouteReason::CompleteMicroloopFallback,
        ("loop_iteration", Some(n)) => RouteReason::LoopIteration(n.parse().ok()?),
        ("max_iterations_reached", Some(n)) => RouteReason::MaxIterationsReached(n.parse().ok()?),
        ("flow_complete_max_iterations", Some(n)) => RouteReason::CompleteMaxIterations(n.parse().ok()?),
        ("loop_exit_condition_met", Some(value)) => RouteReason::LoopExitConditionMet(value.to_owned()),
        ("flow_complete_condition_met", Some(value)) => RouteReason::CompleteConditionMet(value.to_owned()),
        ("loop_exit_no_further_help", None) => RouteReason::LoopExitNoFurtherHelp,
        ("flow_complete_no_further_help", None) => RouteReason::CompleteNoFurtherHelp,
        ("branch", Some(value)) => RouteReason::Branch(value.to_owned()),
        ("branch_fallback", None) => RouteReason::BranchFallback,
        ("flow_complete_branch", None) => RouteReason::CompleteBranch,
        ("fork", Some(counts)) => {
            let (nth, of) = counts.split_once('/')?;
            RouteReason::Fork {
                nth: nth.parse().ok()?,
                of: of.parse().ok()?,
            }
        }
        ("join", Some(detail)) => {
            let (rule, counts) = detail.split_once(':')?;
            let (got, of) = counts.split_once('/')?;
            RouteReason::Joined {
                rule: rule.to_owned(),
                got: got.parse().ok()?,
                of: of.parse().ok()?,
            }
        }
        ("pass", Some(action)) => outcome(true, action)?,
        ("fail", Some(action)) => outcome(false, action)?,
        ("jump", Some(to)) => RouteReason::Jump(to.into()),
        ("navigator", Some(way)) => RouteReason::Navigator(way.to_owned()),
        ("routing_signal", Some(way)) => RouteReason::Signal(way.to_owned()),
        ("way_chosen", Some(round)) => RouteReason::WayChosen(round.parse().ok()?),
        ("detour", Some(id)) => RouteReason::Detour(id.to_owned()),
        ("injection", Some(id)) => RouteReason::Injection(id.to_owned()),
        ("detour_returned", Some(how)) => RouteReason::Returned(how.to_owned()),
        ("feedback", Some(loops)) => RouteReason::Feedback(loops.to_owned()),
        ("approved", round) => RouteReason::Approved(round.map(str::parse).transpose().ok()?),
        ("rejected", round) => RouteReason::Rejected(round.map(str::parse).transpose().ok()?),
        ("changes_requested", round) => RouteReason::ChangesRequested(round.map(str::parse).transpose().ok()?),
        _ => return None,
    })
}

impl FromStr for RouteReason {
    type Err = Infallible;

    /// Nothing is lost: what this version does not know, or writes in another way, stays as it is.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let same = known(text).filter(|reason| reason.to_string() == text);
        Ok(same.unwrap_or_else(|| Self::Other(text.to_owned())))
    }
}

impl From<&str> for RouteReason {
    fn from(text: &str) -> Self {
        match text.parse() {
            Ok(reason) => reason,
            Err(never) => match never {},
        }
    }
}

impl Serialize for RouteReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RouteReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(Self::from(&*text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_s_words_are_these_and_come_back_as_they_were() {
        let outcome = |passed, moved| RouteReason::Outcome { passed, moved };
        let pinned = [
            (RouteReason::LinearDefault, "linear_default"),
            (RouteReason::LinearExplicit, "linear_explicit"),
            (RouteReason::CompleteLinear, "flow_complete_linear"),
            (RouteReason::CompleteNoRouting, "flow_complete_no_routing"),
            (RouteReason::CompleteTerminal, "flow_complete_terminal"),
            (RouteReason::CompleteUnknown, "flow_complete_unknown"),
            (RouteReason::UnknownKindFallback, "unknown_kind_fallback"),
            (RouteReason::MicroloopNoTarget, "microloop_no_target"),
            (
                RouteReason::CompleteMicroloopFallback,
                "flow_complete_microloop_fallback",
            ),
            (RouteReason::LoopIteration(2), "loop_iteration:2"),
            (RouteReason::MaxIterationsReached(3), "max_iterations_reached:3"),
            (RouteReason::CompleteMaxIterations(3), "flow_complete_max_iterations:3"),
            (
                RouteReason::LoopExitConditionMet("OK: all".into()),
                "loop_exit_condition_met:OK: all",
            ),
            (
                RouteReason::CompleteConditionMet("OK".into()),
                "flow_complete_condition_met:OK",
            ),
            (RouteReason::LoopExitNoFurtherHelp, "loop_exit_no_further_help"),
            (RouteReason::CompleteNoFurtherHelp, "flow_complete_no_further_help"),
            (RouteReason::Branch("major".into()), "branch:major"),
            (RouteReason::BranchFallback, "branch_fallback"),
            (RouteReason::CompleteBranch, "flow_complete_branch"),
            (outcome(true, Moved::Continue), "pass:CONTINUE"),
            (outcome(true, Moved::Complete), "pass:COMPLETE"),
            (outcome(false, Moved::Stop), "fail:STOP"),
            (outcome(false, Moved::Goto("3".into())), "fail:GOTO 3"),
            (outcome(true, Moved::GotoNext), "pass:GOTO NEXT"),
            (outcome(false, Moved::Retry { nth: 1, of: 2 }), "fail:RETRY (1/2)"),
            (RouteReason::Jump("Fix".into()), "jump:Fix"),
            (
                RouteReason::Navigator("loop:b:iter_2".into()),
                "navigator:loop:b:iter_2",
            ),
            (RouteReason::Signal("terminate".into()), "routing_signal:terminate"),
            (RouteReason::WayChosen(1), "way_chosen:1"),
            (RouteReason::Detour("clarify".into()), "detour:clarify"),
            (RouteReason::Injection("scan".into()), "injection:scan"),
            (RouteReason::Returned("resume".into()), "detour_returned:resume"),
            (RouteReason::Feedback("feedback-1".into()), "feedback:feedback-1"),
            (RouteReason::Approved(Some(1)), "approved:1"),
            (RouteReason::Rejected(Some(2)), "rejected:2"),
            (RouteReason::ChangesRequested(Some(1)), "changes_requested:1"),
            (RouteReason::ChangesRequested(None), "changes_requested"),
        ];
        for (reason, text) in pinned {
            assert_eq!(reason.to_string(), text);
            assert_eq!(RouteReason::from(text), reason);
            assert_eq!(serde_json::json!(reason), text);
        }
    }

    #[test]
    fn what_nobody_knows_stays_as_it_is() {
        for text in [
            "",
            "of_tomorrow:1",
            "loop_iteration:02",
            "loop_iteration",
            "fail:RETRY (1/)",
            "linear_default:1",
            "rejected:",
        ] {
            let reason = RouteReason::from(text);
            assert_eq!(reason, RouteReason::Other(text.to_owned()));
            let back: RouteReason = serde_json::from_value(serde_json::json!(text)).expect("a text is a reason");
            assert_eq!(back.to_string(), text);
        }
    }
}
