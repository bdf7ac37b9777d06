//! Conditions in the Common Expression Language: what an author wrote, checked before a run and evaluated in it.
//!
//! An expression is bounded twice: its text before it is parsed (length, nesting, number of operators), and what it would
//! compute before it is evaluated (its macros over the lists it was given, and the values that they make). Within these bounds
//! it ends; beyond them it is an error that names the bound. There is no clock, and regular expressions are linear in time.

mod bulk;
mod kind;
mod other;
mod read;
mod unlike;

use crate::Asked;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::objects::Key;
use cel::{Context, ExecutionError, Program, Value as Cel};
pub use other::{in_own_words, other_words};
use serde_json::Value;
use std::collections::HashMap;

/// Largest length of an expression, in bytes.
pub const LONGEST: usize = 4096;
/// Deepest nesting of brackets.
pub const DEEPEST: usize = 24;
/// Most signs of operators in one expression.
pub const MOST_OPERATORS: usize = 400;
/// Most that one evaluation may compute, in visits of a part of the expression.
pub const MOST_WORK: u64 = 200_000;

/// Room for the deepest expression that the bounds allow, in a build without optimisation.
const STACK: usize = 32 << 20;

/// Names that mean the same wherever a condition stands.
pub const NAMES: [&str; 5] = ["report", "receipt", "loops", "run", "iteration_count"];

/// Words of another language that recorded conditions use.
const CONSTANTS: [(&str, Cel); 3] = [
    ("True", Cel::Bool(true)),
    ("False", Cel::Bool(false)),
    ("None", Cel::Null),
];

/// What is wrong with an expression, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, for people.
    pub message: String,
    /// Line in the expression, from 1.
    pub line: usize,
    /// Column in that line, in characters, from 1.
    pub column: usize,
}

/// A name that an expression reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub name: String,
    /// Line in the expression, from 1.
    pub line: usize,
    /// Column in that line, in characters, from 1.
    pub column: usize,
}

/// A condition that can be evaluated.
pub struct Expression {
    text: String,
    program: Program,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// It is no expression, or it exceeds a bound.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        bounded(text)?;
        let compiled = deep(|| Program::compile(text).map_err(|e| e.errors.into_iter().map(|e| e.pos).next()));
        match compiled {
            Ok(program) => Ok(Self {
                text: text.to_owned(),
                program,
            }),
            Err(first) => {
                let (line, column) = first.unwrap_or((1, 1));
                let (line, column) = (line.max(1).unsigned_abs(), column.max(1).unsigned_abs());
                Err(Fault {
                    message: other::stops(text, line, column),
                    line,
                    column,
                })
            }
        }
    }

    /// The names that it reads from outside, in the order written, each once.
    pub fn names(&self) -> Vec<Name> {
        let mut found = Vec::new();
        walk(self.program.expression(), &mut Vec::new(), &mut |id, name| {
            if !found.iter().any(|(_, known)| known == name) {
                found.push((id, name.to_owned()));
            }
        });
        let at = |(id, name)| {
            let (line, column) = self.place(id);
            Name { name, line, column }
        };
        found.into_iter().map(at).collect()
    }

    /// What is wrong with it whatever the values are: functions that do not exist, operators on what they do not take, and
    /// a result that is neither true nor false.
    pub fn faults(&self) -> Vec<Fault> {
        let mut found = kind::faults(self.program.expression());
        // Whatever is reported, this much is made.
        let least = deep(|| bulk::beyond(self.program.expression(), &|_| bulk::Bulk::default()));
        found.extend(least.map(|beyond| (self.program.expression().id, beyond)));
        let at = |(id, message)| {
            let (line, column) = self.place(id);
            Fault { message, line, column }
        };
        found.into_iter().map(at).collect()
    }

    /// What it compares although it never is equal: of these values a number with text, or text that reads as a number with one. In words, each once.
    pub fn unlike(&self, value_of: impl Fn(&str) -> Option<Value>) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        for held in unlike::all(self.program.expression()) {
            let Some((name, fields)) = held.path.split_first().filter(|_| !held.orders) else {
                continue;
            };
            let Some(value) = value_of(name) else { continue };
            let is_number = match fields.iter().try_fold(&value, |value, field| value.get(*field)) {
                Some(Value::Number(_)) => true,
                Some(Value::String(text)) if unlike::is_number(text) => false,
                _ => continue,
            };
            let words = in_words(&held, is_number);
            if held.with_text == is_number && !said.contains(&words) {
                said.push(words);
            }
        }
        said
    }

    /// What it compares although it has no answer, or is never equal, by the kinds that are known: whether what has this name, or
    /// stands in this field of it, is a number (`false`: text).
    pub fn unlike_kinds(&self, is_number: impl Fn(&[&str]) -> Option<bool>) -> Vec<Fault> {
        let held = unlike::all(self.program.expression()).into_iter();
        let found = held.filter_map(|held| {
            let is_number = is_number(&held.path).filter(|is_number| *is_number == held.with_text)?;
            let (line, column) = self.place(held.id);
            let message = in_words(&held, is_number);
            Some(Fault { message, line, column })
        });
        found.collect()
    }

    /// What it reads of the report of the step behind which it is asked, as far as somebody can say it in a word or a number: neither lists nor
    /// fields inside of a field.
    pub fn asks_for(&self) -> Vec<Asked> {
        read::all(self.program.expression())
    }

    /// Whether it asks of what has this name whether it is null.
    pub fn asks_for_null(&self, name: &str) -> bool {
        unlike::nulls(self.program.expression()).contains(&name)
    }

    fn place(&self, id: u64) -> (usize, usize) {
        let (start, _) = self.program.source_info().offset_for(id).unwrap_or_default();
        let start = start as usize;
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = 1 + before.matches('\n').count();
        (line, 1 + before[line_start..].chars().count())
    }

    /// Whether it holds for these values. A name without a value is null: it equals nothing but null.
    ///
    /// # Errors
    ///
    /// Why it has no answer: a value of another kind, a missing field of an object, more work than the bound allows.
    pub fn evaluate(&self, value_of: impl Fn(&str) -> Option<Value>) -> Result<bool, String> {
        deep(|| self.answer(&value_of))
    }

    /// Whether a list whose order counts is made of the fields of an object: their order is not the same each time.
    fn in_no_order(&self, context: &Context<'_, '_>, is_object_inside: bool) -> bool {
        let outside = self.names();
        kind::ordered(self.program.expression()).into_iter().any(|range| {
            let mut is_closed = true;
            walk(range, &mut Vec::new(), &mut |_, name| {
                is_closed &= outside.iter().any(|known| known.name == name);
            });
            match is_closed {
                true => matches!(Cel::resolve(range, context), Ok(Cel::Map(_))),
                false => is_object_inside,
            }
        })
    }

    fn answer(&self, value_of: &dyn Fn(&str) -> Option<Value>) -> Result<bool, String> {
        let mut context = Context::default();
        let mut objects_inside = 0;
        let mut unreported = Vec::new();
        let mut given = HashMap::new();
        for Name { name, .. } in self.names() {
            let value = match value_of(&name) {
                Some(value) => {
                    objects_inside += objects(&value);
                    given.insert(name.clone(), bulk::Bulk::of(&value));
                    cel_value(&value)
                }
                None => {
                    let constant = CONSTANTS.into_iter().find(|(word, _)| *word == name);
                    if constant.is_none() {
                        unreported.push(name.clone());
                    }
                    constant.map_or(Cel::Null, |(_, value)| value)
                }
            };
            context.add_variable_from_value(name, value);
        }
        let of = |name: &str| given.get(name).cloned().unwrap_or_default();
        if let Some(beyond) = bulk::beyond(self.program.expression(), &of) {
            return Err(beyond);
        }
        if self.in_no_order(&context, objects_inside > 0) {
            return Err("it depends on an order of the fields of an object, which have none".to_owned());
        }
        match self.program.execute(&context) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(other) => {
                let missing = missing(&unreported);
                Err(format!(
                    "its result is {}, neither true nor false{missing}",
                    word_of(&other)
                ))
            }
            Err(error) => Err(format!("{}{}", said(&error), missing(&unreported))),
        }
    }
}

/// What is compared, and with what it never is equal.
const UNLIKE: [(&str, &str); 2] = [("text", "a number"), ("a number", "text")];
const NEVER: &str = "never equals";

/// Whether a recorded reason ends with what [`Expression::unlike`] says.
pub fn says_unlike(reason: &str) -> bool {
    let mut said = UNLIKE.iter().map(|(is, with)| format!("{is} {NEVER} {with}"));
    said.any(|said| reason.ends_with(&said))
}

/// Why a comparison cannot come to what is meant.
fn in_words(held: &unlike::Held<'_>, is_number: bool) -> String {
    let (is, with) = UNLIKE[usize::from(is_number)];
    let never = if held.orders { "cannot be compared with" } else { NEVER };
    format!("`{}` is {is}, and {is} {never} {with}", held.path.join("."))
}

/// Runs what calls itself as deep as an expression is nested on a stack with room for it: the parser's frames are large,
/// and how much is left where it is called from is not known.
fn deep<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK, STACK, run)
}

fn missing(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => format!(" (nothing was reported as `{name}`)"),
        names => format!(" (nothing was reported as `{}`)", names.join("`, `")),
    }
}

/// An error in words; values are named by their kind, so that a long one stays out of the record.
fn said(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no field `{key}`"),
        ExecutionError::UndeclaredReference(name) => format!("there is nothing called `{name}`"),
        ExecutionError::UnsupportedBinaryOperator(operator, a, b) => {
            format!("`{operator}` cannot be applied to {} and {}", word_of(a), word_of(b))
        }
        ExecutionError::ValuesNotComparable(a, b) => format!("{} cannot be compared with {}", word_of(a), word_of(b)),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => "it divides by zero".to_owned(),
        ExecutionError::Overflow(..) => "a number becomes too large".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "a list has no item at that place".to_owned(),
        ExecutionError::UnexpectedType { got, want } => format!("it takes {want}, and was given {got}"),
        other => {
            let text = other.to_string();
            text.chars().take(200).collect()
        }
    }
}

fn word_of(value: &Cel) -> &'static str {
    match value {
        Cel::List(_) => "a list",
        Cel::Map(_) | Cel::Struct(_) => "an object",
        Cel::Int(_) | Cel::UInt(_) | Cel::Float(_) => "a number",
        Cel::String(_) => "text",
        Cel::Bytes(_) => "bytes",
        Cel::Bool(_) => "true or false",
        Cel::Null => "nothing",
        _ => "something else",
    }
}

/// A value as expressions see it: whole numbers are `int`, so that arithmetic on them is that of the literals.
fn cel_value(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(value) => Cel::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cel::Int(whole),
            None => Cel::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Cel::String(text.clone().into()),
        Value::Array(items) => Cel::List(items.iter().map(cel_value).collect::<Vec<_>>().into()),
        Value::Object(map) => {
            let fields: HashMap<Key, Cel> = map
                .iter()
                .map(|(key, value)| (Key::String(key.clone().into()), cel_value(value)))
                .collect();
            Cel::Map(fields.into())
        }
    }
}

/// How many objects stand inside of a value, itself not counted.
fn objects(value: &Value) -> usize {
    let inside = |item: &Value| usize::from(item.is_object()) + objects(item);
    match value {
        Value::Array(items) => items.iter().map(inside).sum(),
        Value::Object(map) => map.values().map(inside).sum(),
        _ => 0,
    }
}

/// Holds the text against the bounds before any parser sees it.
fn bounded(text: &str) -> Result<(), Fault> {
    let at = |message: String, end: usize| {
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Fault {
            message,
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    };
    if text.len() > LONGEST {
        let message = format!("it is longer than {LONGEST} bytes");
        return Err(Fault {
            message,
            line: 1,
            column: 1,
        });
    }
    let (mut depth, mut operators) = (0_usize, 0_usize);
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        if let Some(open) = quote {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == open || c == '\n' => quote = None,
                _ => {}
            }
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(at(format!("its brackets are nested deeper than {DEEPEST}"), index));
                }
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '!' | '-' | '+' | '*' | '/' | '%' | '<' | '>' | '=' | '&' | '|' | '?' | '.' => {
                operators += 1;
                if operators > MOST_OPERATORS {
                    return Err(at(format!("it has more than {MOST_OPERATORS} operators"), index));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Calls `found` for every name read from outside of the expression's own macros.
fn walk<'a>(at: &'a IdedExpr, own: &mut Vec<&'a str>, found: &mut dyn FnMut(u64, &str)) {
    match &at.expr {
        Expr::Ident(name) => {
            if !own.contains(&name.as_str()) {
                found(at.id, name);
            }
        }
        Expr::Comprehension(inner) => {
            walk(&inner.iter_range, own, found);
            walk(&inner.accu_init, own, found);
            let before = own.len();
            own.push(&inner.iter_var);
            own.extend(inner.iter_var2.as_deref());
            own.push(&inner.accu_var);
            for part in [&inner.loop_cond, &inner.loop_step, &inner.result] {
                walk(part, own, found);
            }
            own.truncate(before);
        }
        _ => {
            for part in parts(at) {
                walk(part, own, found);
            }
        }
    }
}

/// The parts of an expression, but not those of a macro.
fn parts(at: &IdedExpr) -> Vec<&IdedExpr> {
    match &at.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| entry_parts(&entry.expr)).collect(),
        Expr::Struct(made) => made.entries.iter().flat_map(|entry| entry_parts(&entry.expr)).collect(),
        _ => Vec::new(),
    }
}

fn entry_parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// The nearest of some names, if one is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |other: &&str| strsim::osa_distance(name, other);
    let best = known.into_iter().min_by_key(near)?;
    let distance = near(&best);
    (distance > 0 && distance <= (name.chars().count() / 3).max(1)).then_some(best)
}

/// Whether a text matches a regular expression anywhere; an expression that cannot be used matches nothing.
pub fn matches(text: &str, pattern: &str) -> bool {
    pattern_of(pattern).is_ok_and(|pattern| pattern.is_match(text))
}

/// Whether a pattern can be used.
///
/// # Errors
///
/// Why it cannot.
pub fn pattern_of(pattern: &str) -> Result<regex::Regex, String> {
    let built = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it is too large once its repetitions are written out".to_owned(),
        other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
    })
}

#[cfg(test)]
mod tests;
