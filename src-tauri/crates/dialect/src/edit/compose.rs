//! YAML from nothing: whole values, for new files and new entries.

use super::write::{Pen, double_quoted};
use crate::tree::{Grammar, Style};
use serde_json::{Map, Value};

/// The lines of a new entry of a list, without indentation and final line end: the first one for behind its dash, the others two blanks
/// deeper than that.
pub(crate) fn entry_lines(value: &Map<String, Value>) -> Vec<String> {
    let mut out = "- ".to_owned();
    Writer { plainly: true }.map(value, "  ", &mut out);
    out.lines().map(str::to_owned).collect()
}

/// Lists up to this many characters stand on one line.
const WIDE: usize = 100;

/// Writes whole values of YAML, with two blanks a level.
pub(crate) struct Writer {
    /// Without quotes where they are not needed, several lines as several lines.
    pub(crate) plainly: bool,
}

impl Writer {
    /// A file that holds the value.
    pub(crate) fn file(&self, value: &Value) -> String {
        let mut out = String::new();
        match value {
            Value::Object(map) if !map.is_empty() => self.map(map, "", &mut out),
            other => {
                out.push_str(&self.inline(other, false));
                out.push('\n');
            }
        }
        out
    }

    fn inline(&self, value: &Value, flow: bool) -> String {
        let style = if self.plainly { Style::Plain } else { Style::Double };
        let pen = Pen {
            grammar: Grammar::Yaml,
            flow,
            newline: "\n",
            style,
        };
        pen.inline(value)
    }

    fn map(&self, map: &Map<String, Value>, indent: &str, out: &mut String) {
        for (n, (key, value)) in map.iter().enumerate() {
            // The first key of an entry stands behind its dash.
            if n > 0 || !out.ends_with("- ") {
                out.push_str(indent);
            }
            match self.inline(&Value::from(key.as_str()), true) {
                // `? ` and `<<` have meanings of their own as keys.
                key if key == "<<" => out.push_str(&double_quoted(&key)),
                key => out.push_str(&key),
            }
            out.push(':');
            self.behind_colon(value, indent, out);
        }
    }

    fn behind_colon(&self, value: &Value, indent: &str, out: &mut String) {
        let deeper = format!("{indent}  ");
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                self.map(inner, &deeper, out);
            }
            Value::Array(items) if !items.is_empty() => {
                let flat = items.iter().all(|item| !item.is_array() && !item.is_object());
                let line = if flat { self.inline(value, false) } else { String::new() };
                if flat && line.chars().count() <= WIDE {
                    out.push(' ');
                    out.push_str(&line);
                    out.push('\n');
                } else {
                    out.push('\n');
                    self.list(items, &deeper, out);
                }
            }
            Value::String(text) if self.plainly && goes_in_lines(text) => {
                let ends = text.len() - text.trim_end_matches('\n').len();
                out.push_str([" |-\n", " |\n", " |+\n"][ends.min(2)]);
                for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                    if !line.is_empty() {
                        out.push_str(&deeper);
                        out.push_str(line);
                    }
                    out.push('\n');
                }
            }
            other => {
                out.push(' ');
                out.push_str(&self.inline(other, false));
                out.push('\n');
            }
        }
    }

    fn list(&self, items: &[Value], indent: &str, out: &mut String) {
        for item in items {
            out.push_str(indent);
            out.push_str("- ");
            match item {
                Value::Object(map) if !map.is_empty() => self.map(map, &format!("{indent}  "), out),
                other => {
                    out.push_str(&self.inline(other, false));
                    out.push('\n');
                }
            }
        }
    }
}

/// Whether a text reads best in lines of its own and such lines can carry it.
fn goes_in_lines(text: &str) -> bool {
    let odd = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.chars().any(odd)
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}
