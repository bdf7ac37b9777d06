//! What somebody writes of a step that they carried out, as the values that its workflow tells apart: one answer means the same, whether it
//! is chosen in the window or typed.

use crate::gate::consequences;
use crate::gate::people::listed;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::{GateId, Standard, value};
use model::Fields;
use serde_json::Value;
use std::collections::BTreeSet;

/// Values as they are recorded, and what is to be said of them.
#[derive(Debug, Default)]
pub struct Reported {
    /// The values.
    pub report: Fields,
    /// Of each that the workflow writes in other letters, or does not name although it names others, a sentence.
    pub remarks: Vec<String>,
}

impl Studio {
    /// What was typed as values of a step, as its round takes them. What says the same as a value that the workflow names is that value, and
    /// a field that it reads is that field, in whatever letters they are typed; of any other value a number is a number, and `true` and
    /// `false` are a yes and a no, as in a file.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn values_typed(
        &self,
        run: &str,
        gate: &str,
        round: u32,
        typed: &[(String, String)],
    ) -> Result<Reported, ApiError> {
        let history = self.history(run)?;
        let state = history.state(None);
        let asked = state.rounds_of(&GateId::from(gate)).find(|r| r.opened.round == round);
        let choices = asked.map(|round| consequences::reports(history.workflow(), &state, &round.opened));
        let choices = choices.unwrap_or_default();
        let step = asked.and_then(|round| history.workflow().step(&round.opened.instance.step));
        let read = step.map(|step| history.workflow().words_read(step)).unwrap_or_default();
        let asks = step.map(|step| step.routing.asks_for()).unwrap_or_default();
        let mut reported = Reported::default();
        for (typed_as, text) in typed {
            // What is typed in letters of both sorts is two fields.
            let is_alike = |other: &str| other.trim().to_lowercase() == typed_as.trim().to_lowercase();
            let alone = typed.iter().filter(|(other, _)| is_alike(other)).count() == 1;
            let known = as_read(typed_as, &read).filter(|_| alone);
            if let Some(known) = &known {
                reported.remarks.push(taken_as(typed_as, known));
            }
            let field = known.as_ref().unwrap_or(typed_as);
            let choice = choices.iter().find(|choice| choice.field == *field);
            let options = choice.iter().flat_map(|choice| &choice.options);
            let named: Vec<&Value> = options.filter(|one| !one.any_other).map(|one| &one.value).collect();
            // Whether that is a number is said where it is answered, for the window too.
            let written = match asks.iter().any(|one| one.number && one.field == *field) {
                true => Value::from(text.as_str()),
                false => written(text),
            };
            let says = |said: &str| named.iter().copied().find(|one| value::text(one) == said);
            let alike = only(&named, |one| {
                value::text(one).to_lowercase() == text.trim().to_lowercase()
            });
            let meant = says(text.as_str())
                .or_else(|| says(value::text(&written).as_str()))
                .or_else(|| {
                    let alike = alike.copied()?;
                    reported.remarks.push(taken_as(text, &crate::words::value(alike)));
                    Some(alike)
                })
                .cloned();
            if meant.is_none() && !named.is_empty() {
                let names: Vec<String> = named
                    .iter()
                    .map(|one| format!("“{}”", safe::in_quotes(&crate::words::value(one))))
                    .collect();
                reported.remarks.push(format!(
                    "The workflow does not name “{}” as {}; it names {}.",
                    safe::in_quotes(text),
                    safe::visible(field),
                    listed(&names, "and").unwrap_or_default()
                ));
            }
            reported.report.insert(field.clone(), meant.unwrap_or(written));
        }
        Ok(reported)
    }
}

/// The word by which the workflow, or a standard of the project, reads a field that is typed in other letters.
fn as_read(field: &str, read: &BTreeSet<String>) -> Option<String> {
    let standards = Standard::ALL.map(Standard::field);
    let known: BTreeSet<&str> = read.iter().map(String::as_str).chain(standards).collect();
    if known.contains(field) {
        return None;
    }
    let small = field.trim().to_lowercase();
    let known: Vec<&str> = known.into_iter().collect();
    only(&known, |word| word.to_lowercase() == small).map(|word| (*word).to_owned())
}

/// The one for which this holds, where it does for no other.
fn only<T>(of: &[T], holds: impl Fn(&T) -> bool) -> Option<&T> {
    let mut found = of.iter().filter(|one| holds(one));
    found.next().filter(|_| found.next().is_none())
}

fn taken_as(typed: &str, meant: &str) -> String {
    format!(
        "“{}” is taken as “{}”, as the workflow writes it.",
        safe::in_quotes(typed),
        safe::in_quotes(meant)
    )
}

/// A number or a yes or no where it is written as one, as in a file.
fn written(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => text.into(),
    }
}
