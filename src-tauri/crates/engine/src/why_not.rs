//! Why a way was not taken: a code, and the value that it is about. In logs and files it is text, `code:value`;
//! [`WhyNot`]'s `Display` and `From` are the only places that take it apart.

use crate::words::fixed_words;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

fixed_words! {
    /// Why a way was not taken, without its value. In brackets: what the value is.
    pub enum WhyNotCode {
        /// The loop has already been taken so many times (`max`).
        LoopBoundReached = "loop_bound_reached",
        /// The reported value ends the loop (`value`).
        ExitConditionMet = "exit_condition_met",
        /// The agent said that another round cannot help.
        FurtherHelpRefused = "further_help_refused",
        /// The loop goes on: the reported value does not end it (`value`).
        ValueNotMatched = "value_not_matched",
        /// The loop goes on: nothing was reported in that field (`field`).
        ValueMissing = "value_missing",
        /// The loop names no field that could end it: only its bound does.
        NoExitCondition = "no_exit_condition",
        /// This way is taken for that value only (`value`).
        OtherValueNeeded = "other_value_needed",
        /// It is the fallback, and a branch matched (`value`).
        BranchMatched = "branch_matched",
        /// Its condition does not hold (`condition`).
        ConditionNotMet = "condition_not_met",
        /// An earlier way's condition holds (`condition`).
        EarlierConditionMet = "earlier_condition_met",
        /// Its condition is an expression that has no answer for these values (`condition: why`).
        ConditionFailed = "condition_failed",
        /// Its condition is an expression; logs of versions that evaluated none.
        CelNotSupported = "cel_not_supported",
        /// The step's own report names another step as the next (`step`).
        NextStepReported = "next_step_reported",
        /// The step's own report names it, and it is not of the same branch (`step`).
        NextStepApart = "next_step_apart",
        /// The step's own report names it, and it is a step of a detour that begins elsewhere (`step`).
        NextStepInDetour = "next_step_in_detour",
        /// A navigator chose another way (`way`).
        NavigatorChose = "navigator_chose",
        /// The step's own report asks for another way (`way`).
        SignalFollowed = "signal_followed",
        /// A person chose another way (`way`).
        WayChosen = "way_chosen",
        /// A detour is taken first (`detour`).
        DetourTaken = "detour_taken",
        /// Nothing of what a detour waits for was the case (`when`).
        DetourNotDue = "detour_not_due",
        /// A detour is taken when somebody chooses it.
        DetourOffered = "detour_offered",
        /// A detour has been taken as often as it may be in this run (`max`).
        DetourUsedUp = "detour_used_up",
        /// The step reported issues to earlier ones: their work is done again first (`loops`).
        FeedbackGiven = "feedback_given",
        /// A person chose another way (`approve`, `changes`, `reject`).
        PersonDecided = "person_decided",
        /// Of a runbook: it is taken when the result is another one (`PASS`, `FAIL`).
        OtherResultNeeded = "other_result_needed",
        /// Of a runbook: retries were left (`taken/max`).
        RetriesLeft = "retries_left",
        /// Of a runbook: the retries were used up (`max`).
        RetriesUsedUp = "retries_used_up",
    }
}

/// Why a way was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyNot {
    /// The code.
    pub code: WhyNotCode,
    /// What it is about.
    pub value: Option<String>,
}

impl WhyNotCode {
    /// The code with its value.
    pub fn of(self, value: impl fmt::Display) -> WhyNot {
        WhyNot {
            code: self,
            value: Some(value.to_string()),
        }
    }
}

impl From<WhyNotCode> for WhyNot {
    fn from(code: WhyNotCode) -> Self {
        Self { code, value: None }
    }
}

impl From<&str> for WhyNot {
    fn from(text: &str) -> Self {
        match text.split_once(':') {
            Some((code, value)) => WhyNotCode::from(code).of(value),
            None => WhyNotCode::from(text).into(),
        }
    }
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}:{value}", self.code),
            None => write!(f, "{}", self.code),
        }
    }
}

impl Serialize for WhyNot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WhyNot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(&*Cow::<'de, str>::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_log_says_is_read_and_written_as_it_stands() {
        for text in [
            "condition_failed:a == 1: no such name: a",
            "no_exit_condition",
            "retries_left:1/2",
            "value_not_matched:",
            // Of other versions.
            "iterations_left:1/5",
            "status_not_matched",
            "",
        ] {
            let why = WhyNot::from(text);
            assert_eq!(why.to_string(), text);
            let json = serde_json::to_string(&why).expect("written");
            assert_eq!(json, serde_json::to_string(text).expect("written"));
            assert_eq!(serde_json::from_str::<WhyNot>(&json).expect("read"), why);
        }
        let failed = WhyNot::from("condition_failed:a == 1: no such name");
        assert_eq!(failed, WhyNotCode::ConditionFailed.of("a == 1: no such name"));
        assert_eq!(
            WhyNot::from("iterations_left:1/5").code,
            WhyNotCode::Other("iterations_left".to_owned())
        );
    }

    #[test]
    fn the_codes_are_those_of_earlier_logs() {
        let words = [
            "loop_bound_reached",
            "exit_condition_met",
            "further_help_refused",
            "value_not_matched",
            "value_missing",
            "no_exit_condition",
            "other_value_needed",
            "branch_matched",
            "condition_not_met",
            "earlier_condition_met",
            "condition_failed",
            "cel_not_supported",
            "next_step_reported",
            "next_step_apart",
            "next_step_in_detour",
            "navigator_chose",
            "signal_followed",
            "way_chosen",
            "detour_taken",
            "detour_not_due",
            "detour_offered",
            "detour_used_up",
            "feedback_given",
            "person_decided",
            "other_result_needed",
            "retries_left",
            "retries_used_up",
        ];
        assert!(WhyNotCode::ALL.iter().map(WhyNotCode::as_str).eq(words));
        for word in words {
            assert_eq!(WhyNotCode::from(word).as_str(), word);
            assert!(!matches!(WhyNotCode::from(word), WhyNotCode::Other(_)));
        }
    }
}
