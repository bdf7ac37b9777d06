//! Writing values as YAML or JSON.

use crate::tree::{Grammar, Style, plain_value};
use serde_json::Value;

/// How and where something is written.
#[derive(Clone, Copy)]
pub(crate) struct Pen<'a> {
    pub(crate) grammar: Grammar,
    /// Inside brackets or braces.
    pub(crate) flow: bool,
    pub(crate) newline: &'a str,
    /// The style that texts should have where it can carry them.
    pub(crate) style: Style,
}

impl Pen<'_> {
    /// A value on one line.
    pub(crate) fn inline(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                let inner = Pen { flow: true, ..*self };
                let items: Vec<String> = items.iter().map(|item| inner.inline(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(map) => {
                let inner = Pen { flow: true, ..*self };
                let entries: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", inner.key(key), inner.inline(value)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    /// The name of a field.
    pub(super) fn key(&self, key: &str) -> String {
        Pen {
            style: Style::Plain,
            ..*self
        }
        .text(key)
    }

    /// A text in the pen's style, else double-quoted.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.grammar == Grammar::Json {
            return Value::from(text).to_string();
        }
        match self.style {
            Style::Plain if plain_is_safe(text, self.flow) => text.to_owned(),
            Style::Single if !text.chars().any(needs_escape) => format!("'{}'", text.replace('\'', "''")),
            _ => double_quoted(text),
        }
    }

    /// A list or mapping in block form, each line behind `indent`, without a final line end. Empty ones and scalars
    /// are written inline.
    pub(crate) fn block(&self, value: &Value, indent: &str) -> String {
        let mut lines = Vec::new();
        self.block_lines(value, indent, &mut lines);
        lines.join(self.newline)
    }

    fn block_lines(&self, value: &Value, indent: &str, lines: &mut Vec<String>) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    let mut inner = Vec::new();
                    self.block_lines(item, &format!("{indent}  "), &mut inner);
                    // The first line of the item stands behind the dash.
                    if let Some(first) = inner.first_mut() {
                        *first = format!("{indent}- {}", first.trim_start());
                    }
                    lines.append(&mut inner);
                }
            }
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    let key = self.key(key);
                    if is_block(value) {
                        lines.push(format!("{indent}{key}:"));
                        self.block_lines(value, &format!("{indent}  "), lines);
                    } else {
                        lines.push(format!("{indent}{key}: {}", self.inline(value)));
                    }
                }
            }
            other => lines.push(format!("{indent}{}", self.inline(other))),
        }
    }

    /// What is written behind `key:` — on the same line, or below it.
    pub(super) fn behind_colon(&self, value: &Value, child_indent: &str) -> String {
        if is_block(value) && !self.flow && self.grammar == Grammar::Yaml {
            format!("{}{}", self.newline, self.block(value, child_indent))
        } else {
            format!(" {}", self.inline(value))
        }
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => false,
    }
}

/// Characters that only a double-quoted scalar can carry.
pub(super) fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

pub(crate) fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if needs_escape(c) => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text, written without quotes, is read back as this very text by readers of YAML 1.2 and 1.1.
pub(super) fn plain_is_safe(text: &str, flow: bool) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else {
        return false;
    };
    let reserved = "-?:,[]{}#&*!|>'\"%@`=<~";
    !reserved.contains(first)
        && !first.is_whitespace()
        && !last.is_whitespace()
        && last != ':'
        && !text.chars().any(needs_escape)
        && !text.contains(": ")
        && !text.contains(" #")
        && !(flow && text.contains([',', '[', ']', '{', '}', ':']))
        && !text.starts_with("...")
        && matches!(plain_value(text), Value::String(_))
        && !is_word_of_yaml_1_1(text)
}

/// Texts that older readers take for booleans, numbers or dates.
fn is_word_of_yaml_1_1(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    matches!(lower.as_str(), "y" | "n" | "yes" | "no" | "on" | "off")
        || (text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '.')
            && text.chars().all(|c| c.is_ascii_hexdigit() || "_:.-+xoTZ ".contains(c)))
}
