//! What somebody writes of a step that they carried out, as the values that its workflow tells apart: one answer means the same, whether it
//! is chosen in the window or typed.

use crate::gate::consequences;
use crate::gate::people::listed;
use crate::text::safe;
use crate::{ApiError, Studio};
use engine::{GateId, value};
use model::Fields;
use serde_json::Value;

/// Values as they are recorded, and what is to be said of them.
#[derive(Debug, Default)]
pub struct Reported {
    /// The values.
    pub report: Fields,
    /// Of each that the workflow does not name, although it names others, a sentence.
    pub unnamed: Vec<String>,
}

impl Studio {
    /// What was typed as values of a step, as its round takes them. What says the same as a value that the workflow names is that value; of any
    /// other a number is a number, and `true` and `false` are a yes and a no, as in a file.
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
        let mut reported = Reported::default();
        for (field, text) in typed {
            let choice = choices.iter().find(|choice| choice.field == *field);
            let named: Vec<&Value> = choice.iter().flat_map(|c| &c.options).map(|o| &o.value).collect();
            let written = written(text);
            let says = |said: &str| named.iter().copied().find(|one| value::text(one) == said);
            let meant = says(text.as_str())
                .or_else(|| says(value::text(&written).as_str()))
                .cloned();
            if meant.is_none() && !named.is_empty() {
                let names: Vec<String> = named
                    .iter()
                    .map(|one| format!("“{}”", safe::in_quotes(&crate::words::value(one))))
                    .collect();
                reported.unnamed.push(format!(
                    "The workflow does not name “{}” as {}; there are {}.",
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

/// A number or a yes or no where it is written as one, as in a file.
fn written(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => text.into(),
    }
}
