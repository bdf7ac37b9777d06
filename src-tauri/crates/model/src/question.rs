//! What is asked before a run begins: the form of its inputs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
            QuestionKind::Number if !answer.is_number() => Some(format!("“{label}” is answered with a number.")),
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
        assert!(ask(Text, true).fault(&json!("  ")).is_some());
        assert!(ask(Text, true).fault(&Value::Null).is_some());
        assert!(ask(Number, false).fault(&Value::Null).is_none());
    }
}
