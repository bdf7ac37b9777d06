//! Fields that are written in another form than the format has: what is meant is read, and said.

pub(super) use crate::reading::nearest;
use crate::reading::{Block, Context};
pub(super) use crate::said::shortened;
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Place, Severity};
use serde_json::Value;

/// A sentence on one line.
pub(super) fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A default as a file has it, for people.
pub(super) fn as_written(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    }
}

/// Reports that something is written in another form, with what it would be.
pub(super) fn other_form(context: &mut Context<'_>, place: Place, said: impl Into<String>, meant: Option<Value>) {
    let found = Diagnostic::new("GH0404", Severity::Warning, place.clone(), said);
    context.push(match meant {
        Some(value) => found
            .help("Write it in the form of StepSpec, so that other programs read it too")
            .fix("Write it so", Edit::Set { place, value }),
        None => found.help("Write it in the form of StepSpec, or remove the field"),
    });
}

/// Takes a text. A number or a truth value is read as it is written, nothing is left out.
pub(super) fn text(context: &mut Context<'_>, block: &mut Block, key: &str) -> Option<String> {
    let id = block.take(context, key)?;
    let place = block.place(key);
    if context.is_null(id) {
        let said = format!("`{key}` is there without a text; it counts as left out");
        other_form(context, place, said, Some(Value::from("")));
        return None;
    }
    let Some(text) = context.text(id) else {
        context.wrong_type(place, "a text", "it is not used");
        return None;
    };
    if !context.scalar(id).is_string() {
        let said = format!(
            "`{key}` is no text but {}; it is read as the text `{0}`",
            shortened(&text)
        );
        other_form(context, place, said, Some(Value::from(text.as_str())));
    }
    Some(text)
}

/// Takes a list of texts, each with its position in the file. One text alone is a list of one; what is no text is left out.
pub(super) fn texts(context: &mut Context<'_>, block: &mut Block, key: &str) -> Vec<(usize, String)> {
    match block.take(context, key) {
        Some(id) => texts_of(context, id, block.place(key), key),
        None => Vec::new(),
    }
}

/// The same of a list that was found already.
pub(super) fn texts_of(context: &mut Context<'_>, id: NodeId, place: Place, key: &str) -> Vec<(usize, String)> {
    if context.is_null(id) {
        let said = format!("`{key}` is there without a list; it counts as an empty one");
        other_form(context, place, said, Some(Value::Array(Vec::new())));
        return Vec::new();
    }
    let Some(items) = context.items(id) else {
        if context.tree.items(id).is_some() {
            return Vec::new();
        }
        let Some(one) = context.text(id) else {
            context.wrong_type(place, "a list of texts", "it is not used");
            return Vec::new();
        };
        let said = format!(
            "`{key}` should be a list; it is read as the one entry `{}`",
            shortened(&one)
        );
        other_form(context, place, said, Some(vec![one.as_str()].into()));
        return vec![(0, one)];
    };
    let mut out = Vec::with_capacity(items.len());
    for (n, item) in items.iter().enumerate() {
        let place = place.clone().field(n.to_string());
        match context.text(*item) {
            Some(text) => {
                if !context.scalar(*item).is_string() {
                    let said = format!(
                        "Entry {} of `{key}` is no text; it is read as the text `{}`",
                        n + 1,
                        shortened(&text)
                    );
                    other_form(context, place, said, Some(Value::from(text.as_str())));
                }
                out.push((n, text));
            }
            None if context.is_null(*item) => {
                let found = Diagnostic::new(
                    "GH0404",
                    Severity::Warning,
                    place.clone(),
                    format!("Entry {} of `{key}` holds nothing; it is left out", n + 1),
                );
                context.push(found.help("Remove it").fix("Remove it", Edit::Remove { place }));
            }
            None => context.wrong_type(place, "a list of texts", "one entry is left out"),
        }
    }
    out
}
