//! The texts of a payload, and where they stand.

use serde_json::Value;
use std::fmt::Write as _;

/// One text or number of a payload.
#[derive(Debug)]
pub(crate) struct Leaf<'v> {
    /// Keys from the outside in: `people[2].mail`.
    pub(crate) source: String,
    /// The innermost key that is a name; empty for a payload that is one text.
    pub(crate) key: &'v str,
    pub(crate) text: Text<'v>,
}

#[derive(Debug)]
pub(crate) enum Text<'v> {
    Text(&'v str),
    Number(String),
}

impl Leaf<'_> {
    pub(crate) fn text(&self) -> &str {
        match &self.text {
            Text::Text(text) => text,
            Text::Number(digits) => digits,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self.text, Text::Number(_))
    }
}

/// Every text and number, in the order of the payload. Keys are names, not contents: they are not looked at.
pub(crate) fn leaves(payload: &Value) -> impl Iterator<Item = Leaf<'_>> {
    // A stack of our own: a payload may be nested as deep as it likes.
    let mut open = vec![(String::new(), "", payload)];
    std::iter::from_fn(move || {
        loop {
            let (source, key, value) = open.pop()?;
            let text = match value {
                Value::String(text) => Text::Text(text),
                Value::Number(number) => Text::Number(number.to_string()),
                Value::Null | Value::Bool(_) => continue,
                Value::Array(items) => {
                    open.extend(items.iter().enumerate().rev().map(|(i, item)| {
                        let mut at = source.clone();
                        let _ = write!(at, "[{i}]");
                        (at, key, item)
                    }));
                    continue;
                }
                Value::Object(map) => {
                    open.extend(map.iter().rev().map(|(name, item)| {
                        let dot = if source.is_empty() { "" } else { "." };
                        (format!("{source}{dot}{name}"), name.as_str(), item)
                    }));
                    continue;
                }
            };
            return Some(Leaf { source, key, text });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_come_in_order_with_their_places() {
        let payload = json!({"a": "x", "b": {"c": ["y", 5, null, ["z"]]}, "d": true, "e": {}});
        let found: Vec<_> = leaves(&payload)
            .map(|l| format!("{}={} ({})", l.source, l.text(), l.key))
            .collect();
        assert_eq!(found, ["a=x (a)", "b.c[0]=y (c)", "b.c[1]=5 (c)", "b.c[3][0]=z (c)"]);
        assert_eq!(leaves(&json!("x")).map(|l| l.source).collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn depth_is_no_danger() {
        let mut deep = json!("x");
        for _ in 0..5_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(leaves(&deep).count(), 1);
    }
}
