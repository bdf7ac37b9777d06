//! What a workflow says of feedback between its steps (seed 003 `feedback_loops`, `escalated`): how often it sends work back, within what
//! time, and who decides then.

use crate::{AgentKey, Workflow};
use serde_json::{Map, Value, json};

/// The bounds of feedback in one workflow; what is absent the project says, or nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feedback {
    /// How often the reports of a step may send work back before a person is asked; 0: always a person.
    pub rounds: Option<u32>,
    /// How long one issue may go to and fro before a person is asked, milliseconds.
    pub ms: Option<u64>,
    /// Who is asked then: a person, by name.
    pub escalate_to: Option<AgentKey>,
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its key.
    pub key: &'static str,
    /// What it must be, as the end of a sentence.
    pub must: &'static str,
}

impl Feedback {
    /// The key of a workflow's outermost level under which it stands.
    pub const FIELD: &'static str = "feedback";
    /// The keys in it.
    pub const KEYS: [&'static str; 3] = ["rounds", "seconds", "escalate_to"];
    /// The longest time, seconds.
    const YEAR: f64 = 31_536_000.0;

    /// What a workflow says; what cannot be used is left out.
    pub fn of(workflow: &Workflow) -> Self {
        let written = workflow.fields.get(Self::FIELD);
        written.map_or_else(Self::default, |written| Self::read(written).0)
    }

    /// What stands under the key, and what of it cannot be used. A text, or a block with none of the keys, is its author's own and says
    /// nothing here.
    pub fn read(written: &Value) -> (Self, Vec<Fault>) {
        let (mut own, mut faults) = (Self::default(), Vec::new());
        let mut fault = |key: &'static str, must: &'static str| faults.push(Fault { key, must });
        let at = |key: &str| written.get(key).filter(|value| !value.is_null());
        if let Some(value) = at("rounds") {
            own.rounds = value.as_u64().and_then(|rounds| rounds.try_into().ok());
            if own.rounds.is_none() {
                fault("rounds", "a whole number; 0 always asks a person");
            }
        }
        if let Some(value) = at("seconds") {
            let seconds = value.as_f64().filter(|seconds| (0.0..=Self::YEAR).contains(seconds));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range is checked above"
            )]
            let ms = seconds.map(|seconds| (seconds * 1000.0).round() as u64);
            own.ms = ms;
            if ms.is_none() {
                fault("seconds", "a number of seconds, a year at most");
            }
        }
        if let Some(value) = at("escalate_to") {
            let name = value.as_str().map(str::trim).filter(|name| !name.is_empty());
            own.escalate_to = name.map(AgentKey::new);
            if own.escalate_to.is_none() {
                fault("escalate_to", "the name of one person");
            }
        }
        (own, faults)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Both as one: of two bounds the tighter one, of two people the first.
    #[must_use]
    pub fn together(self, other: Self) -> Self {
        Self {
            rounds: tighter(self.rounds, other.rounds),
            ms: tighter(self.ms, other.ms),
            escalate_to: self.escalate_to.or(other.escalate_to),
        }
    }

    /// The same as it would be written; `None`: nothing is said.
    pub fn written(&self) -> Option<Value> {
        let mut out = Map::new();
        if let Some(rounds) = self.rounds {
            out.insert("rounds".to_owned(), json!(rounds));
        }
        if let Some(ms) = self.ms {
            out.insert("seconds".to_owned(), json!(ms as f64 / 1000.0));
        }
        if let Some(who) = &self.escalate_to {
            out.insert("escalate_to".to_owned(), json!(who));
        }
        (!out.is_empty()).then_some(Value::Object(out))
    }
}

fn tighter<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: Value, own: (Option<u32>, Option<u64>, Option<&str>), faults: &[&str]) {
        let (read, found) = Feedback::read(&written);
        let read = (read.rounds, read.ms, read.escalate_to.as_ref().map(AgentKey::as_str));
        assert_eq!(read, own, "{written}");
        let found: Vec<&str> = found.iter().map(|one| one.key).collect();
        assert_eq!(found, faults, "{written}");
    }

    #[test]
    fn what_can_be_used_is_read_and_the_rest_is_named() {
        check(
            json!({"rounds": 2, "seconds": 1.5, "escalate_to": " Ada "}),
            (Some(2), Some(1500), Some("Ada")),
            &[],
        );
        check(json!({"rounds": 0, "seconds": null}), (Some(0), None, None), &[]);
        check(
            json!({"rounds": -1, "seconds": "an hour", "escalate_to": ["a", "b"]}),
            (None, None, None),
            &["rounds", "seconds", "escalate_to"],
        );
        check(
            json!({"rounds": 1.5, "seconds": 1e12}),
            (None, None, None),
            &["rounds", "seconds"],
        );
        check(json!({"channel": "forum"}), (None, None, None), &[]);
        check(json!("welcome at any time"), (None, None, None), &[]);
        check(json!([1]), (None, None, None), &[]);
    }

    #[test]
    fn of_two_bounds_the_tighter_one_holds_and_is_written_as_it_is_read() {
        let one = Feedback::read(&json!({"rounds": 2, "escalate_to": "Ada"})).0;
        let other = Feedback::read(&json!({"rounds": 1, "seconds": 60, "escalate_to": "Ben"})).0;
        let both = one.clone().together(other);
        let written = both.written().expect("something is said");
        assert_eq!(written, json!({"rounds": 1, "seconds": 60.0, "escalate_to": "Ada"}));
        assert_eq!(Feedback::read(&written), (both, Vec::new()));
        assert_eq!(one.clone().together(Feedback::default()), one);
        assert_eq!(
            (Feedback::default().written(), Feedback::default().is_empty()),
            (None, true)
        );
    }
}
