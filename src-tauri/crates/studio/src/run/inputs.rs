//! Answers to what a workflow asks before it begins, read from a command line. Whether they can be taken is checked at the start of
//! the run, for every client alike.

use crate::command::PathOf;
use crate::{ApiError, Studio};
use model::{Fields, Question, QuestionKind};
use serde_json::Value;

impl Studio {
    /// Answers given as `name=value`, read as the questions of this workflow want them.
    ///
    /// # Errors
    /// `bad_parameters` for what is not `name=value`; what opening the workflow reports.
    pub fn inputs_from_words(&self, of: &PathOf, words: &[String]) -> Result<Fields, ApiError> {
        let document = self.document(&of.path)?;
        from_words(&document.workflow().questions, words)
    }
}

/// What nobody asks for is kept as text.
fn from_words(questions: &[Question], words: &[String]) -> Result<Fields, ApiError> {
    words
        .iter()
        .map(|word| {
            let (name, value) = word.split_once('=').ok_or_else(|| {
                ApiError::new("bad_parameters", format!("“{word}” is not the answer to a question."))
                    .hint("Write the question's name, an equals sign and the answer: --input owner=Ada.")
            })?;
            let name = name.trim();
            let question = questions.iter().find(|question| question.name == name);
            Ok((name.to_owned(), read(question.map(|question| question.kind), value)))
        })
        .collect()
}

/// What cannot be read as its question wants it stays text: the question says what is wrong with it.
fn read(kind: Option<QuestionKind>, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    match kind {
        Some(QuestionKind::Number) => match serde_json::from_str(value.trim()) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => text(),
        },
        Some(QuestionKind::Flag) => match value.trim().to_lowercase().as_str() {
            "yes" | "true" => Value::Bool(true),
            "no" | "false" => Value::Bool(false),
            _ => text(),
        },
        Some(QuestionKind::Date | QuestionKind::Choice) => Value::String(value.trim().to_owned()),
        _ => text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_as_their_questions_want_them() {
        use QuestionKind::{Choice, Date, Flag, Number, Text};
        let question = |(name, kind): (&str, QuestionKind)| Question {
            name: name.to_owned(),
            label: name.to_owned(),
            kind,
            required: false,
            default: None,
            options: Vec::new(),
            help: None,
        };
        let kinds = [
            ("owner", Text),
            ("budget", Number),
            ("public", Flag),
            ("risk", Choice),
            ("due", Date),
        ];
        let questions: Vec<Question> = kinds.into_iter().map(question).collect();
        let words = [
            "owner=Ada = me",
            "budget=12.5",
            "public=Yes",
            "risk= low",
            "due= 2026-11-21 ",
            "extra=1",
        ];
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        assert_eq!(
            json!(from_words(&questions, &words).expect("all are answers")),
            json!({"owner": "Ada = me", "budget": 12.5, "public": true, "risk": "low", "due": "2026-11-21", "extra": "1"})
        );
        // What does not fit is left to the question, which says why.
        let wrong = from_words(&questions, &["budget=much".to_owned(), "public=perhaps".to_owned()]);
        assert_eq!(
            json!(wrong.expect("name=value")),
            json!({"budget": "much", "public": "perhaps"})
        );
        assert!(from_words(&questions, &["owner".to_owned()]).is_err());
    }
}
