//! What can be written where somebody types in the source of a workflow: the fields that a block knows, from the table of its shape
//! ([`crate::fields`]); the values that a field takes, from its form; in a runbook what begins a line and what follows an outcome.
//!
//! A text that is being typed is broken most of the time, so that a placeholder is put where the cursor stands, and what the text would be
//! with it is read.

use crate::Document;
use crate::dialect::is_markdown;
use crate::does::DOES;
use crate::fields::{Becomes, Field, Level, Shape, tables};
use model::{FormControl, FormField, Place, Reference};
use serde_json::Value;

/// What can be written at a place of a text.
#[derive(Debug)]
pub struct Completions {
    /// Where what is typed begins, in bytes.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// In the order of the format.
    pub options: Vec<Completion>,
    /// Names of something besides, which the text alone does not know.
    pub names: Option<Reference>,
    /// The text with a placeholder in the place of what is typed: what it names can be asked of it.
    pub document: Document,
}

impl Completions {
    /// Whether a name that the document holds is the placeholder.
    pub fn is_placeholder(&self, name: &str) -> bool {
        name.contains(HERE)
    }
}

/// One of several things that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What a person reads.
    pub label: String,
    /// What is written.
    pub text: String,
    /// What it means; empty: its name says it.
    pub detail: String,
}

/// No format has a field, and no author a step, of this name.
const HERE: &str = "zq0here0qz";

/// Fields that name a step and stand in no form: lines of graphs, conditions, detours, lists of what is waited for.
const OF_STEPS: [&str; 14] = [
    "next",
    "default_next",
    "loop_target",
    "from",
    "to",
    "target",
    "targets",
    "join",
    "branches",
    "depends_on",
    "requires",
    "on_reject",
    "return_to",
    "bounce_to",
];

/// What can be written at this byte of a text. `None`: nothing that is known.
pub fn complete(path: &str, text: &str, offset: usize) -> Option<Completions> {
    let (before, behind) = (text.get(..offset)?, text.get(offset..)?);
    let typed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let from = before.trim_end_matches(typed).len();
    let to = offset + (behind.len() - behind.trim_start_matches(typed).len());
    let line = text[..from].rfind('\n').map_or(0, |end| end + 1);
    let left = &text[line..from];
    let in_front = is_markdown(path) && in_front_matter(text, from);
    if is_markdown(path) && !in_front {
        return runbook(path, text, line, from, to);
    }
    // A dash that begins an item is none of the name behind it.
    if left.trim_start_matches([' ', '-']).starts_with('#') || left.contains(" #") {
        return None;
    }
    let begins = left.trim_end().is_empty() || left.trim_end().ends_with(['-', '{', ',', '[']);
    let typing = Typing { path, text, from, to };
    if begins && let Some(found) = typing.key() {
        return Some(found);
    }
    typing.value()
}

fn in_front_matter(text: &str, offset: usize) -> bool {
    let mut fences = text[..offset].lines().enumerate();
    let opened = fences.next().is_some_and(|(_, first)| first.trim_end() == "---");
    opened && !fences.any(|(_, line)| line.trim_end() == "---")
}

struct Typing<'a> {
    path: &'a str,
    text: &'a str,
    from: usize,
    to: usize,
}

impl Typing<'_> {
    fn with(&self, here: &str) -> Document {
        let text = [&self.text[..self.from], here, &self.text[self.to..]].concat();
        Document::parse(self.path, &text)
    }

    fn completions(
        &self,
        document: Document,
        options: Vec<Completion>,
        names: Option<Reference>,
    ) -> Option<Completions> {
        (!options.is_empty() || names.is_some()).then_some(Completions {
            from: self.from,
            to: self.to,
            options,
            names,
            document,
        })
    }

    /// A field of the block around the cursor.
    fn key(&self) -> Option<Completions> {
        let is_key = self.text[self.to..].trim_start_matches(' ').starts_with(':');
        let document = self.with(&format!("{HERE}{}", if is_key { "" } else { ": 0" }));
        let (shape, keys) = document.keys_at(self.from + 1)?;
        let (last, around) = keys.split_last()?;
        if last != HERE {
            return None;
        }
        let level = level_of(shape, around)?;
        let mut place = document.place_at(self.from + 1);
        place.path.pop();
        let there = match document.value(&place) {
            Some(Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        };
        let labels = document.labels(place.step);
        let line = self.text[..self.from].rfind('\n').map_or(0, |end| end + 1);
        let left = &self.text[line..self.from];
        let is_block = left.trim_start_matches([' ', '-']).is_empty();
        let indent = " ".repeat(left.chars().count() + 2);
        let fields = level
            .fields
            .iter()
            .filter(|field| !there.contains_key(field.name))
            .map(|field| (field, label_of(&labels, &place, field.name)))
            // What is refused in general may be right in a step of this kind: then it stands in the form.
            .filter(|(field, label)| label.is_some() || is_offered(field));
        let options = fields.map(|(field, label)| {
            let behind = match field.inside() {
                _ if is_key => "",
                Some((_, false)) if is_block => &format!(":\n{indent}"),
                Some((_, true)) if is_block => &format!(":\n{indent}- "),
                _ => ": ",
            };
            Completion {
                label: field.name.to_owned(),
                text: format!("{}{behind}", field.name),
                detail: label.unwrap_or_else(|| means(field).to_owned()),
            }
        });
        let mut options: Vec<Completion> = options.collect();
        // What a run acts upon comes first.
        options.sort_by_key(|one| one.detail == TO_BE_READ);
        self.completions(document, options, None)
    }

    /// A value of the field around the cursor.
    fn value(&self) -> Option<Completions> {
        let document = self.with(HERE);
        let (_, keys) = document.keys_at(self.from + 1)?;
        let mut place = document.place_at(self.from + 1);
        let is_index = |key: &String| key.bytes().all(|b| b.is_ascii_digit());
        while place.path.last().is_some_and(is_index) {
            place.path.pop();
        }
        let name = keys.iter().rev().find(|key| !is_index(key))?.clone();
        let form = document.form(place.step);
        // What only the form has is not written.
        let is_written = |field: &FormField| field.place == place && field.name != DOES;
        let field = form.and_then(|form| form.fields.into_iter().find(is_written));
        let (options, names) = match field.map(|field| field.control) {
            Some(FormControl::Choice { options }) => {
                // What only the form has a word for is not written.
                let is_word = |value: &str| !value.is_empty() && value != crate::form::flow::BY_CONDITIONS;
                let written = options.into_iter().filter(|option| is_word(&option.value));
                let each = written.map(|option| plain(&option.value, &option.label));
                (each.collect(), None)
            }
            Some(FormControl::Flag) => (vec![plain("true", ""), plain("false", "")], None),
            Some(FormControl::Reference { to }) => (Vec::new(), Some(to)),
            Some(FormControl::Several { of: Some(of), .. }) => (Vec::new(), Some(of)),
            _ if keys.iter().rev().take(3).any(|key| OF_STEPS.contains(&key.as_str())) => {
                (Vec::new(), Some(Reference::Step))
            }
            _ if matches!(name.as_str(), "agent" | "agents") => (Vec::new(), Some(Reference::Agent)),
            _ => return None,
        };
        self.completions(document, options, names)
    }
}

/// The fields that are known in the block at these keys.
fn level_of(shape: Shape, keys: &[String]) -> Option<&'static Level> {
    let (_, mut level) = tables().into_iter().find(|(of, _)| *of == shape)?;
    let mut keys = keys.iter();
    while let Some(key) = keys.next() {
        let field = level.fields.iter().find(|field| field.name == key)?;
        let (inside, is_list) = field.inside()?;
        if is_list {
            // Its position, or its name where the file writes a list as names.
            keys.next()?;
        }
        level = inside;
    }
    Some(level)
}

/// Whether a field does what it says, or is there to be read: what has no effect is not offered.
fn is_offered(field: &Field) -> bool {
    matches!(field.becomes, Becomes::CarriedOut | Becomes::Read | Becomes::PartOf(_))
}

const TO_BE_READ: &str = "to be read; asks nothing of a run";

fn means(field: &Field) -> &'static str {
    match field.becomes {
        Becomes::Read => TO_BE_READ,
        _ => "",
    }
}

/// What the form calls a field of the block at this place.
fn label_of(labels: &[(Place, String)], around: &Place, name: &str) -> Option<String> {
    let is_it = |place: &Place| {
        place.step == around.step
            && place
                .path
                .split_last()
                .is_some_and(|(last, path)| last == name && path == around.path)
    };
    let (_, label) = labels.iter().find(|(own, _)| is_it(own))?;
    Some(label.clone())
}

fn plain(text: &str, detail: &str) -> Completion {
    Completion {
        label: text.to_owned(),
        text: text.to_owned(),
        detail: detail.to_owned(),
    }
}

/// What a line of a runbook says of outcomes (seed 002 "Transitions").
const OUTCOMES: [(&str, &str); 8] = [
    ("PASS", "it went well"),
    ("FAIL", "it did not"),
    ("PASS ALL", "every substep went well"),
    ("PASS ANY", "one substep went well"),
    ("FAIL ALL", "no substep went well"),
    ("FAIL ANY", "one substep did not go well"),
    ("YES", "as PASS, to a question"),
    ("NO", "as FAIL, to a question"),
];

/// What can follow (seed 002 "Actions").
const ACTIONS: [(&str, &str); 6] = [
    ("CONTINUE", "the next step"),
    ("COMPLETE", "the runbook ends well"),
    ("STOP", "the runbook ends, and has failed"),
    ("GOTO ", "another step"),
    ("NEXT", "the next instance of a dynamic step"),
    ("RETRY ", "the same once more, up to so many times"),
];

/// Words with what they mean, each with what is written behind it, and what is said before its meaning.
fn words<'w>(all: impl Iterator<Item = &'w (&'w str, &'w str)>, behind: &str, before: &str) -> Vec<Completion> {
    let one = |(word, means): &(&str, &str)| Completion {
        label: word.trim().to_owned(),
        text: format!("{word}{behind}"),
        detail: format!("{before}{means}"),
    };
    all.map(one).collect()
}

/// In the Markdown of a runbook: outcomes at the beginning of an item, then what follows, then where to.
fn runbook(path: &str, text: &str, line: usize, from: usize, to: usize) -> Option<Completions> {
    let item = text[line..from].trim_start();
    let said = item.strip_prefix("- ").or_else(|| item.strip_prefix("* "))?;
    let completions = |from: usize, options: Vec<Completion>, names| {
        Some(Completions {
            from,
            to,
            options,
            names,
            document: Document::parse(path, text),
        })
    };
    let Some((outcome, behind)) = said.split_once(':') else {
        // `PASS A|` is completed as a whole.
        let begin = from - said.len();
        let typed = &text[begin..to];
        let each = OUTCOMES.iter().filter(|(word, _)| word.starts_with(typed.trim_end()));
        return completions(begin, words(each, ": ", ""), None);
    };
    if !OUTCOMES.iter().any(|(word, _)| *word == outcome.trim()) {
        return None;
    }
    match behind.split_whitespace().last() {
        Some("GOTO") => completions(from, Vec::new(), Some(Reference::Step)),
        Some("RETRY") => None,
        None => completions(from, words(ACTIONS.iter(), "", ""), None),
        Some(_) if behind.trim_start().starts_with("RETRY") => {
            let each = ACTIONS.iter().filter(|(word, _)| !word.starts_with("RETRY"));
            completions(from, words(each, "", "then: "), None)
        }
        Some(_) => None,
    }
}
