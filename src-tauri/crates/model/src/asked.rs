//! What whoever carries a step out is asked to report of it.

use crate::question::{Question, QuestionKind, is_number_elsewhere, typed_number};
use serde_json::Value;

/// A field of a step's report that decides the way on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// The field of the report.
    pub field: String,
    /// The values that are told apart, in the order of the file; empty where they are compared otherwise than one by one.
    pub values: Vec<Value>,
    /// It is held against a number.
    pub number: bool,
    /// It is held against something else, or read as a whole: what is no number has a meaning too.
    pub other: bool,
    /// Whether there is such a value at all is asked too: to say nothing is an answer.
    pub optional: bool,
}

impl Asked {
    /// A field that is held against nothing yet.
    pub fn of(field: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            ..Self::default()
        }
    }

    /// It is held against this value, which is told apart from others.
    pub fn among(mut self, value: Value) -> Self {
        self = self.against(&value);
        // Nobody says null: it is meant where nothing is said.
        if !value.is_null() {
            self.values.push(value);
        }
        self
    }

    /// It is held against this value.
    pub fn against(mut self, value: &Value) -> Self {
        match value {
            Value::Number(_) => self.number = true,
            Value::Null => {
                self.other = true;
                self.optional = true;
            }
            _ => self.other = true,
        }
        self
    }

    /// Each field once, in the order in which they are read first.
    pub fn together(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut asked: Vec<Self> = Vec::new();
        for one in all {
            let Some(known) = asked.iter_mut().find(|known| known.field == one.field) else {
                asked.push(Self::of(one.field.clone()).with(one));
                continue;
            };
            let own = std::mem::take(known);
            *known = own.with(one);
        }
        asked
    }

    fn with(mut self, other: Self) -> Self {
        for value in other.values {
            if !self.values.contains(&value) {
                self.values.push(value);
            }
        }
        self.number |= other.number;
        self.other |= other.other;
        self.optional |= other.optional;
        self
    }

    /// What somebody says of it as it is compared: a number that was typed is a number where it is held against one.
    ///
    /// # Errors
    /// In a sentence why it is none, where nothing else is meant: it would be signed, and lead where nobody wanted to go.
    pub fn compared(&self, said: Value) -> Result<Value, String> {
        let Some(text) = said.as_str().filter(|_| self.number && !self.values.contains(&said)) else {
            return Ok(said);
        };
        match typed_number(text) {
            Some(number) => Ok(Value::Number(number)),
            None if self.other && !is_number_elsewhere(text) => Ok(said),
            None => Err(self.question().fault(&said).unwrap_or_default()),
        }
    }

    fn question(&self) -> Question {
        Question {
            name: self.field.clone(),
            label: self.field.clone(),
            kind: QuestionKind::Number,
            required: true,
            default: None,
            options: Vec::new(),
            help: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_held_against_a_number_is_one_and_what_is_told_apart_is_taken_as_it_is() {
        let number = Asked::of("viscosity").against(&json!(5.5));
        assert_eq!(number.compared(json!(" 6.2")), Ok(json!(6.2)));
        assert_eq!(number.compared(json!(7)), Ok(json!(7)));
        let why = number.compared(json!("6,2"));
        assert_eq!(why, Err("“viscosity”: `6,2` is written 6.2 here.".to_owned()));
        let why = number.compared(json!("6.200"));
        assert!(why.is_err_and(|why| why.contains("can be read as 6200 and as 6.2")));
        let why = number.compared(json!("thick"));
        assert_eq!(why, Err("“viscosity” is answered with a number.".to_owned()));
        // Of what is held against text too, words are meant as they stand.
        let both = Asked::together([number, Asked::of("viscosity").among(json!("unknown"))]);
        assert_eq!(both[0].compared(json!("unknown")), Ok(json!("unknown")));
        assert_eq!(both[0].compared(json!("dried out")), Ok(json!("dried out")));
        assert_eq!(both[0].compared(json!("6.2")), Ok(json!(6.2)));
        assert!(both[0].compared(json!("6,2")).is_err());
        // Null is no answer: it is meant where nothing is said.
        let none = Asked::of("note").among(json!(null)).against(&json!(null));
        assert_eq!((none.values.len(), none.other, none.optional), (0, true, true));
        let text = Asked::of("version").among(json!("3"));
        assert_eq!(text.compared(json!("3")), Ok(json!("3")));
        assert_eq!(text.compared(json!("3,5")), Ok(json!("3,5")));
    }
}
