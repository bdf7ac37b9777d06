//! What a run is about, in one line: what tells it from the other runs of its workflow.

use model::{Fields, Question, QuestionKind, Workflow};
use serde_json::Value;

/// A subject has at most this many characters.
pub const LONGEST: usize = 120;

/// What a start says of it: what was typed, else the first answer in words that is not the one the author offers. Where the
/// workflow asks nothing, the first text that was given.
pub fn of_start(typed: Option<&str>, workflow: &Workflow, given: &Fields) -> Option<String> {
    let answered = |question: &Question| {
        let value = given.get(&question.name)?;
        let in_words = matches!(
            question.kind,
            QuestionKind::Text | QuestionKind::LongText | QuestionKind::Choice
        );
        let is_own = in_words && question.default.as_ref() != Some(value);
        is_own.then(|| value.as_str().and_then(line)).flatten()
    };
    typed
        .and_then(line)
        .or_else(|| workflow.questions.iter().find_map(answered))
        .or_else(|| {
            let texts = given.values().filter(|_| workflow.questions.is_empty());
            texts.filter_map(Value::as_str).find_map(line)
        })
}

/// The first line of a text that holds a word, with `…` where further ones do, cut to [`LONGEST`] characters; `None` where there is none.
pub fn line(text: &str) -> Option<String> {
    let has_word = |line: &&str| line.chars().any(char::is_alphanumeric);
    let mut lines = text.lines().map(str::trim).filter(has_word);
    let line = lines.next()?;
    let goes_on = lines.next().is_some();
    // Characters that act on a screen tell nobody anything.
    let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let most = if goes_on { LONGEST - 1 } else { LONGEST };
    if clean.chars().count() <= most {
        let more = if goes_on && !clean.ends_with('…') { "…" } else { "" };
        return Some(clean + more);
    }
    let cut: String = clean.chars().take(LONGEST - 1).collect();
    Some(format!("{}…", cut.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Format;
    use serde_json::json;

    fn question(name: &str, kind: QuestionKind, default: Option<Value>) -> Question {
        Question {
            name: name.to_owned(),
            label: name.to_owned(),
            kind,
            required: false,
            default,
            options: Vec::new(),
            help: None,
        }
    }

    fn given(value: Value) -> Fields {
        serde_json::from_value(value).expect("fields")
    }

    #[test]
    fn what_is_typed_comes_before_what_is_answered() {
        let mut workflow = Workflow::new("w".into(), "W".to_owned(), Format::StepSpec, vec![]);
        workflow.questions = vec![
            question("budget", QuestionKind::Number, None),
            question("product", QuestionKind::Text, Some(json!("Order ahead"))),
            question("customers", QuestionKind::LongText, None),
        ];
        let answers = |value| given(value);
        for (typed, given, expected) in [
            (
                Some("  Northwind \n"),
                json!({"product": "Gift cards"}),
                Some("Northwind"),
            ),
            (Some(" \n "), json!({"product": "Gift cards"}), Some("Gift cards")),
            // What the author offers tells no run from another; a number is not what a run is about.
            (
                None,
                json!({"product": "Order ahead", "budget": 12, "customers": "\nRegulars\nand more"}),
                Some("Regulars…"),
            ),
            (None, json!({"product": "Order ahead", "budget": 12}), None),
            (None, json!({"budget": "much"}), None),
        ] {
            assert_eq!(of_start(typed, &workflow, &answers(given)).as_deref(), expected);
        }
        workflow.questions.clear();
        let free = answers(json!({"count": 3, "supplier": "Northwind Hosting AB"}));
        assert_eq!(
            of_start(None, &workflow, &free).as_deref(),
            Some("Northwind Hosting AB")
        );
    }

    #[test]
    fn a_subject_is_one_line_of_bounded_length() {
        assert_eq!(
            line("---\n\n  Northwind\u{1b}[31m  "),
            Some("Northwind [31m".to_owned())
        );
        assert_eq!(line(" \n***\n"), None);
        assert_eq!(
            line("A\n\n---\n"),
            Some("A".to_owned()),
            "nothing is left out that says anything"
        );
        assert_eq!(line("A\nB\nC"), Some("A…".to_owned()));
        let full = line(&format!("{}\nB", "a".repeat(LONGEST))).expect("a line");
        assert_eq!((full.chars().count(), full.ends_with("a…")), (LONGEST, true));
        let long = line(&"a".repeat(400)).expect("a line");
        assert_eq!((long.chars().count(), long.ends_with('…')), (LONGEST, true));
    }
}
