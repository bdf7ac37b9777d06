//! What is asked before a run begins: the form of its inputs.

use crate::thousands::doubt;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// One question; its answer is the run's input of that name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Question {
    /// Name of the input; `{{name}}` in paths and texts stands for its answer.
    pub name: String,
    /// What a person reads; made from the name where the author gave none.
    pub label: String,
    /// What kind of answer.
    pub kind: QuestionKind,
    /// Whether a run cannot begin without an answer.
    pub required: bool,
    /// The answer that is offered.
    #[ts(type = "unknown")]
    pub default: Option<Value>,
    /// Of a choice: the answers there are.
    pub options: Vec<String>,
    /// More for whoever answers.
    pub help: Option<String>,
}

/// What kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum QuestionKind {
    /// One line.
    Text,
    /// Several lines.
    LongText,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// One of the options.
    Choice,
    /// A day, `2026-11-21`.
    Date,
}

impl Question {
    /// Why this answer cannot be taken, in words; `None` when it can. An absent answer is `null`.
    pub fn fault(&self, answer: &Value) -> Option<String> {
        let label = &self.label;
        let empty = answer.is_null() || answer.as_str().is_some_and(|text| text.trim().is_empty());
        if empty {
            return self.required.then(|| format!("“{label}” needs an answer."));
        }
        match self.kind {
            QuestionKind::Text | QuestionKind::LongText if !answer.is_string() => {
                Some(format!("“{label}” is answered with text."))
            }
            QuestionKind::Number if !answer.is_number() => Some(self.no_number(answer)),
            QuestionKind::Flag if !answer.is_boolean() => Some(format!("“{label}” is answered with yes or no.")),
            QuestionKind::Choice if !answer.as_str().is_some_and(|a| self.options.iter().any(|o| o == a)) => {
                Some(format!("“{label}” is one of: {}.", self.options.join(", ")))
            }
            QuestionKind::Date if !answer.as_str().is_some_and(is_day) => {
                Some(format!("“{label}” is a day written like 2026-11-21."))
            }
            _ => None,
        }
    }

    /// Why this is no number as it stands.
    fn no_number(&self, answer: &Value) -> String {
        let label = &self.label;
        let text = answer.as_str().unwrap_or_default().trim();
        let pointed = text.replacen(',', ".", 1);
        match doubt(text) {
            Some(doubted) => format!("“{label}”: {doubted}."),
            // A client of JavaScript keeps no more of them.
            None if is_whole(text) && text.len() > 15 => {
                format!(
                    "“{label}” is answered with a number that can be kept as it is written: `{text}` has too many digits."
                )
            }
            None if text.contains(',') && typed_number(&pointed).is_some() => {
                format!("“{label}”: `{text}` is written {pointed} here.")
            }
            None => format!("“{label}” is answered with a number."),
        }
    }
}

/// A number as somebody typed it; `None`: it is none, it can be read in two ways, or it is a whole number that is not kept as it is written.
pub fn typed_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let Ok(Value::Number(number)) = serde_json::from_str(text) else {
        return None;
    };
    let is_kept = !(is_whole(text) && number.is_f64());
    (is_kept && doubt(text).is_none()).then_some(number)
}

/// Whether a text is a number as it is written elsewhere: with a comma, or with what may stand between thousands.
pub(crate) fn is_number_elsewhere(text: &str) -> bool {
    doubt(text).is_some() || typed_number(&text.replacen(',', ".", 1)).is_some()
}

/// Digits alone, with or without a sign.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |part: &str, digits: usize| {
        (part.len() == digits && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_read_as_it_is_written_or_not_at_all() {
        for (text, read) in [
            ("12", json!(12)),
            (" -12.5 ", json!(-12.5)),
            ("0.125", json!(0.125)),
            ("18446744073709551615", json!(u64::MAX)),
            ("12.000", Value::Null),
            ("1.234", Value::Null),
            ("99999999999999999999", Value::Null),
            ("many", Value::Null),
            ("", Value::Null),
        ] {
            assert_eq!(json!(typed_number(text)), read, "{text}");
        }
    }

    #[test]
    fn answers_fit_their_questions_or_are_refused() {
        let ask = |kind, required| Question {
            name: "q".to_owned(),
            label: "Q".to_owned(),
            kind,
            required,
            default: None,
            options: vec!["a".to_owned()],
            help: None,
        };
        use QuestionKind::{Choice, Date, Flag, LongText, Number, Text};
        for (kind, answer, fits) in [
            (Text, json!("x"), true),
            (Text, json!(1), false),
            (LongText, json!("x\ny"), true),
            (Number, json!(1.5), true),
            (Number, json!("1"), false),
            (Flag, json!(false), true),
            (Flag, json!("no"), false),
            (Choice, json!("a"), true),
            (Choice, json!("b"), false),
            (Date, json!("2024-02-29"), true),
            (Date, json!("2023-02-29"), false),
            (Date, json!("2023-2-1"), false),
        ] {
            assert_eq!(ask(kind, true).fault(&answer).is_none(), fits, "{kind:?} {answer}");
        }
        let said = |answer: &str| ask(Number, true).fault(&json!(answer)).unwrap_or_default();
        assert_eq!(
            said("12.000"),
            "“Q”: `12.000` can be read as 12000 and as 12. Write 12000, or 12 if that is meant."
        );
        assert_eq!(
            said("99999999999999999999"),
            "“Q” is answered with a number that can be kept as it is written: `99999999999999999999` has too many digits."
        );
        assert_eq!(said("many"), "“Q” is answered with a number.");
        assert_eq!(said("1,5"), "“Q”: `1,5` is written 1.5 here.");
        assert_eq!(said("-0,125"), "“Q”: `-0,125` is written -0.125 here.");
        assert_eq!(said("1,2,3"), "“Q” is answered with a number.");
        assert!(ask(Text, true).fault(&json!("  ")).is_some());
        assert!(ask(Text, true).fault(&Value::Null).is_some());
        assert!(ask(Number, false).fault(&Value::Null).is_none());
    }
}
