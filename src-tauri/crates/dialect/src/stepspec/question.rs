//! The form of a run's inputs: `questions` (also `run_inputs`), a list or a mapping of names.

use super::form::{nearest, on_one_line, shortened};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Place, Question, QuestionKind, Severity};
use serde_json::Value;
use std::collections::HashSet;

/// The words for kinds, the usual one of each kind first.
const KINDS: [(&str, QuestionKind); 17] = [
    ("text", QuestionKind::Text),
    ("long_text", QuestionKind::LongText),
    ("number", QuestionKind::Number),
    ("flag", QuestionKind::Flag),
    ("choice", QuestionKind::Choice),
    ("date", QuestionKind::Date),
    ("string", QuestionKind::Text),
    ("line", QuestionKind::Text),
    ("textarea", QuestionKind::LongText),
    ("multiline", QuestionKind::LongText),
    ("integer", QuestionKind::Number),
    ("boolean", QuestionKind::Flag),
    ("bool", QuestionKind::Flag),
    ("yes_no", QuestionKind::Flag),
    ("select", QuestionKind::Choice),
    ("enum", QuestionKind::Choice),
    ("day", QuestionKind::Date),
];
/// How many of them are written about in help.
const USUAL: usize = 6;

/// Takes the questions of a workflow.
pub(super) fn read(context: &mut Context<'_>, root: &mut Block) -> Vec<Question> {
    let key = if root.has(context, "questions") {
        "questions"
    } else {
        "run_inputs"
    };
    let Some(id) = root.take(context, key).filter(|id| !context.is_null(*id)) else {
        return Vec::new();
    };
    let place = root.place(key);
    let mut out: Vec<Question> = Vec::new();
    let mut names = HashSet::new();
    let mut keep = |context: &mut Context<'_>, found: Option<(Question, Place)>| {
        let Some((question, place)) = found else { return };
        if names.insert(question.name.clone()) {
            out.push(question);
        } else {
            let said = format!(
                "`{}` is asked twice; the first question counts",
                shortened(&question.name)
            );
            let help = "Give one of the two another name";
            context.report("GH0419", Severity::Error, place, said, Some(help));
        }
    };
    if context.is_map(id) {
        for (name, id) in Block::open(context, id, place.clone()).all(context) {
            let place = place.clone().field(name.as_str());
            let found = question(context, id, place.clone(), Some(name));
            keep(context, found.map(|question| (question, place)));
        }
        return out;
    }
    let Some(items) = context.items(id) else {
        if context.tree.items(id).is_none() {
            context.wrong_type(place, "a list of questions", "nothing is asked");
        }
        return out;
    };
    for (n, id) in items.iter().enumerate() {
        let place = place.clone().field(n.to_string());
        let found = question(context, *id, place.clone(), None);
        keep(context, found.map(|question| (question, place)));
    }
    out
}

/// One question. `name`: the key it stands under.
fn question(context: &mut Context<'_>, id: NodeId, place: Place, name: Option<String>) -> Option<Question> {
    if !context.is_map(id) {
        let text = context.text(id).filter(|text| !text.trim().is_empty());
        // In a list a text is a name, under a name it is what a person reads.
        return match (name, text) {
            (Some(name), label) => Some(plain(context, place, name, label)),
            (None, Some(name)) => Some(plain(context, place, name, None)),
            (None, None) => nameless(context, place),
        };
    }
    let mut block = Block::open(context, id, place.clone());
    let given = block.text(context, "name").filter(|name| !name.trim().is_empty());
    let Some(name) = name.or(given) else {
        return nameless(context, place);
    };
    let label = block.text(context, "label").filter(|label| !label.trim().is_empty());
    let mut question = plain(context, place.clone(), name, label);
    question.help = block.text(context, "help").filter(|help| !help.trim().is_empty());
    question.required = block.flag(context, "required");
    question.options = block.texts(context, "options");
    question.kind = kind(context, &mut block, !question.options.is_empty());
    if question.kind == QuestionKind::Choice && question.options.is_empty() {
        let said = format!(
            "“{}” is a choice of nothing, so it cannot be answered",
            shortened(&question.label)
        );
        let help = "Name the answers there are: `options: [a, b]`";
        context.report("GH0419", Severity::Error, place, said, Some(help));
    }
    let default = block.take(context, "default").filter(|id| !context.is_null(*id));
    question.default = default.map(|id| context.value(id));
    let fault = question.default.as_ref().and_then(|default| question.fault(default));
    if let Some(fault) = fault {
        let place = block.place("default");
        let said = format!(
            "The answer that is offered cannot be given: {}",
            on_one_line(fault.trim_end_matches('.'))
        );
        let found = Diagnostic::new("GH0419", Severity::Warning, place.clone(), said)
            .help("Correct `default`, or remove it: then nothing is offered")
            .fix("Remove `default`", Edit::Remove { place });
        context.push(found);
        question.default = None;
    }
    Some(question)
}

fn plain(context: &mut Context<'_>, place: Place, name: String, label: Option<String>) -> Question {
    let can_be_named = model::placeholder::is_name(&name);
    if !can_be_named {
        let said = format!(
            "`{}` is no name, so no placeholder can stand for the answer",
            shortened(&name)
        );
        let help = "A name is a letter, then letters, digits, `_` and `-`; what a person reads is `label`";
        context.report("GH0419", Severity::Warning, place, said, Some(help));
    }
    Question {
        label: label.unwrap_or_else(|| model::step::humanise(&name)),
        name,
        kind: QuestionKind::Text,
        required: false,
        default: None,
        options: Vec::new(),
        help: None,
    }
}

fn nameless(context: &mut Context<'_>, place: Place) -> Option<Question> {
    let help = "Write `name: a_name`: the answer is the run's input of that name";
    context.report(
        "GH0419",
        Severity::Error,
        place,
        "This question has no name, so it is not asked",
        Some(help),
    );
    None
}

/// `kind`, also `type`. Where options are named, a choice is meant.
fn kind(context: &mut Context<'_>, block: &mut Block, options: bool) -> QuestionKind {
    let usual = if options {
        QuestionKind::Choice
    } else {
        QuestionKind::Text
    };
    let key = if block.has(context, "kind") { "kind" } else { "type" };
    let Some(word) = block.text(context, key) else {
        return usual;
    };
    let meant = word.trim().to_lowercase().replace(['-', ' '], "_");
    if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == meant) {
        return *kind;
    }
    let place = block.place(key);
    let known: Vec<&str> = KINDS[..USUAL].iter().map(|(word, _)| *word).collect();
    let read_as = KINDS
        .iter()
        .find(|(_, kind)| *kind == usual)
        .map_or("text", |(word, _)| word);
    let said = format!(
        "The kind `{}` of answer is not known; it is read as `{read_as}`",
        shortened(&word)
    );
    let found = Diagnostic::new("GH0419", Severity::Warning, place.clone(), said);
    let found = found.help(format!("Known: {}", known.join(", ")));
    context.push(match nearest(&word, &known) {
        Some(word) => found.fix(
            format!("Change to `{word}`"),
            Edit::Set {
                place,
                value: Value::from(word),
            },
        ),
        None => found,
    });
    usual
}
