//! Answers to what a workflow asks before it begins, read from a command line. Whether they can be taken is checked at the start of
//! the run, for every client alike.

use crate::command::PathOf;
use crate::text::safe;
use crate::{ApiError, Studio};
use dialect::Document;
use model::{Fields, Placeholder, Question, QuestionKind, Step, Whether, Workflow, cel, placeholder, typed_number};
use serde_json::Value;
use std::collections::BTreeSet;

impl Studio {
    /// Answers given as `name=value`, read as the questions of this workflow, and of those inside of it, want them.
    ///
    /// # Errors
    /// `bad_parameters` for what is not `name=value`, for a name that the workflow does not ask for, and for one that is answered twice; what
    /// opening the workflow reports.
    pub fn inputs_from_words(&self, of: &PathOf, words: &[String]) -> Result<Fields, ApiError> {
        let document = self.document(&of.path)?;
        let inputs = from_words(&runtime::listed::asked(&self.0.root, &document), words)?;
        self.asks_for_each(&document, &inputs)?;
        Ok(inputs)
    }

    /// Refuses what a workflow that asks something does not ask for, from wherever it is given.
    ///
    /// # Errors
    /// `bad_parameters`: the first such name.
    pub(crate) fn asks_for_each(&self, document: &Document, inputs: &Fields) -> Result<(), ApiError> {
        if inputs.is_empty() {
            return Ok(());
        }
        let questions = runtime::listed::asked(&self.0.root, document);
        let strangers = strangers(document.workflow(), &questions, document.text(), inputs);
        match strangers.first().filter(|_| !questions.is_empty()) {
            Some(name) => Err(not_asked(&questions, name)),
            None => Ok(()),
        }
    }

    /// What is given to a workflow that asks nothing, under names that nothing of it stands for, in a sentence.
    ///
    /// # Errors
    /// What opening the workflow reports.
    pub fn nobody_asks_for(&self, of: &PathOf, inputs: &Fields) -> Result<Option<String>, ApiError> {
        let document = self.document(&of.path)?;
        let questions = runtime::listed::asked(&self.0.root, &document);
        let names = strangers(document.workflow(), &questions, document.text(), inputs);
        let names: Vec<String> = names.iter().map(|name| format!("“{}”", safe::visible(name))).collect();
        Ok((!names.is_empty()).then(|| {
            format!(
                "Nothing in the workflow asks for {}: it is recorded, and every agent finds it under `inputs` in its brief.",
                names.join(", ")
            )
        }))
    }
}

/// The names under which something is given that nothing of a workflow stands for.
fn strangers<'i>(workflow: &Workflow, questions: &[Question], text: &str, inputs: &'i Fields) -> Vec<&'i str> {
    let meant = meant(workflow, questions, text);
    let names = inputs.keys().map(String::as_str);
    names.filter(|name| !meant.contains(*name)).collect()
}

/// The names that something of a workflow stands for: what is asked before it begins, what it puts into its texts and paths, and what its conditions read.
fn meant(workflow: &Workflow, questions: &[Question], text: &str) -> BTreeSet<String> {
    let asked = questions.iter().map(|question| question.name.clone());
    // Files of the BMAD method have names of both forms.
    let put = placeholder::placeholders(text).map(|one| {
        let (Placeholder::Answer(name) | Placeholder::Folder(name)) = one;
        name.to_owned()
    });
    let conditions = |step: &Step| step.whether.as_ref().and_then(Whether::expression);
    let conditions = workflow.steps().iter().filter_map(conditions);
    let read = conditions.flat_map(|condition| condition.names()).map(|name| name.name);
    asked.chain(put).chain(read).collect()
}

/// What is given under another name leaves a question to what its author offers, or reaches nobody as it was meant.
fn not_asked(questions: &[Question], name: &str) -> ApiError {
    let names = || questions.iter().map(|question| question.name.as_str());
    let near = cel::nearest(name, names()).map_or_else(String::new, |near| format!("Did you mean “{near}”? "));
    let names: Vec<String> = names().map(|name| format!("“{name}”")).collect();
    let error = ApiError::new("bad_parameters", format!("The workflow does not ask for “{name}”."));
    error.hint(format!("{near}It asks for {}.", names.join(", ")))
}

/// What nobody asks for is kept as text.
fn from_words(questions: &[Question], words: &[String]) -> Result<Fields, ApiError> {
    let mut inputs = Fields::new();
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            ApiError::new("bad_parameters", format!("“{word}” is not the answer to a question."))
                .hint("Write the question's name, an equals sign and the answer: --input owner=Ada.")
        })?;
        let name = name.trim();
        let question = questions.iter().find(|question| question.name == name);
        let value = read(question.map(|question| question.kind), value);
        if inputs.insert(name.to_owned(), value).is_some() {
            let what = format!("The question “{name}” is answered twice.");
            return Err(ApiError::new("bad_parameters", what).hint("Answer it once."));
        }
    }
    Ok(inputs)
}

/// What cannot be read as its question wants it stays text: the question says what is wrong with it.
fn read(kind: Option<QuestionKind>, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    match kind {
        Some(QuestionKind::Number) => typed_number(value).map_or_else(text, Value::Number),
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
        let twofold = from_words(&questions, &["budget=12.000".to_owned()]);
        assert_eq!(json!(twofold.expect("name=value")), json!({"budget": "12.000"}));
        let wrong = from_words(&questions, &["budget=much".to_owned(), "public=perhaps".to_owned()]);
        assert_eq!(
            json!(wrong.expect("name=value")),
            json!({"budget": "much", "public": "perhaps"})
        );
        assert!(from_words(&questions, &["owner".to_owned()]).is_err());
        // Of two answers to one question nobody knows which is meant.
        let twice = from_words(&questions, &["owner=Ada".to_owned(), "owner=Bo".to_owned()]);
        assert!(twice.is_err_and(|error| error.message.contains("“owner” is answered twice")));
        let hint = |name: &str| not_asked(&questions, name).hint.unwrap_or_default();
        assert!(hint("ownr").starts_with("Did you mean “owner”? It asks for “owner”, “budget”"));
        assert!(hint("region").starts_with("It asks for “owner”, “budget”"));
    }
}
