//! YAML from nothing: whole values, for new files and new entries.

use super::entry::keys;
use super::write::{Pen, double_quoted, needs_escape};
use crate::tree::{Grammar, Kind, NodeId, Style, Tree};
use serde_json::{Map, Value};

/// The lines of a new entry of a list, without indentation and final line end: the first one for behind its dash, the others two blanks
/// deeper than that.
pub(crate) fn entry_lines(value: &Map<String, Value>, habit: Habit) -> Vec<String> {
    let writer = Writer { plainly: true, habit };
    if habit.entries_in_braces
        && let Some(line) = writer.braces(value)
    {
        return vec![format!("- {line}")];
    }
    let mut out = "- ".to_owned();
    writer.map(value, "  ", &mut out);
    out.lines().map(str::to_owned).collect()
}

/// How a file writes the entries of one of its lists: what is new is written so too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Habit {
    /// Texts of several words stand in quotes.
    quotes: bool,
    /// Names do, whatever they are.
    names: bool,
    /// Short fields of an entry stand in braces.
    pub(super) braces: bool,
    /// Whole entries do.
    entries_in_braces: bool,
    /// With blanks behind the opening and before the closing one.
    pub(super) blanks: bool,
}

impl Habit {
    /// The habit of the list `key`: keys from the top, with dots between.
    pub(crate) fn of(text: &str, tree: &Tree, key: &str) -> Self {
        /// So many entries show what is usual.
        const ENOUGH: usize = 20;
        let mut habit = Self::default();
        let mut all_in_braces = true;
        let many = keys(key).count();
        let list = Some(tree.walk(text, keys(key))).filter(|(_, used)| *used == many);
        let list = list.and_then(|(list, _)| list);
        let items = list.and_then(|list| tree.items(list)).unwrap_or(&[]);
        for item in items.iter().take(ENOUGH) {
            let Kind::Map { entries, flow } = &tree.node(*item).kind else {
                continue;
            };
            all_in_braces &= *flow;
            habit.entries_in_braces = all_in_braces;
            for (key, value) in entries {
                habit.see(text, tree, *value);
                let is_quoted = matches!(
                    &tree.node(*value).kind,
                    Kind::Scalar {
                        style: Style::Double,
                        ..
                    }
                );
                habit.names |= is_quoted && tree.key(text, *key) == "name";
            }
            if *flow {
                habit.blanks |= text[tree.node(*item).span.start..].starts_with("{ ");
            }
        }
        habit
    }

    fn see(&mut self, text: &str, tree: &Tree, id: NodeId) {
        let node = tree.node(id);
        let written = &text[node.span.start..node.span.end];
        match &node.kind {
            Kind::Scalar { style, .. } => self.quotes |= *style == Style::Double && written.contains(' '),
            Kind::Map { flow: true, entries } if !entries.is_empty() => {
                self.braces = true;
                self.blanks |= written.starts_with("{ ");
            }
            _ => {}
        }
    }
}

/// Mappings with more fields have a line for each.
pub(super) const SHORT: usize = 3;

/// Lists up to this many characters stand on one line.
const WIDE: usize = 100;

/// Writes whole values of YAML, with two blanks a level.
pub(crate) struct Writer {
    /// Without quotes where they are not needed, several lines as several lines.
    pub(crate) plainly: bool,
    /// What is usual where it goes.
    pub(crate) habit: Habit,
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
        match value {
            Value::String(text) if self.habit.quotes && text.contains(' ') => double_quoted(text),
            _ => pen.inline(value),
        }
    }

    /// A short mapping of plain values on one line; `None` where it is none.
    fn braces(&self, map: &Map<String, Value>) -> Option<String> {
        let flat = |value: &Value| match value {
            Value::Object(_) => false,
            Value::Array(items) => items.iter().all(|item| !item.is_array() && !item.is_object()),
            _ => true,
        };
        let shallow = |value: &Value| match value {
            Value::Object(inner) => inner.values().all(flat),
            other => flat(other),
        };
        let lines = |value: &Value| value.as_str().is_some_and(|text| text.contains('\n'));
        if map.is_empty() || !map.values().all(shallow) || map.values().any(lines) {
            return None;
        }
        let line = in_braces(map, self.habit.blanks, &|value| self.inline(value, true));
        (line.chars().count() <= WIDE).then_some(line)
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
            match (key.as_str(), value) {
                ("name" | "phase", Value::String(name)) if self.habit.names && !name.contains('\n') => {
                    out.push(' ');
                    out.push_str(&double_quoted(name));
                    out.push('\n');
                }
                _ => self.behind_colon(value, indent, out),
            }
        }
    }

    fn behind_colon(&self, value: &Value, indent: &str, out: &mut String) {
        let deeper = format!("{indent}  ");
        match value {
            Value::Object(inner) if self.habit.braces && inner.len() <= SHORT && self.braces(inner).is_some() => {
                out.push(' ');
                out.push_str(&self.braces(inner).unwrap_or_default());
                out.push('\n');
            }
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

/// A mapping in braces.
pub(super) fn in_braces(map: &Map<String, Value>, blanks: bool, write: &dyn Fn(&Value) -> String) -> String {
    let entry = |(key, value): (&String, &Value)| {
        let written = match value {
            Value::Object(inner) if !inner.is_empty() => in_braces(inner, blanks, write),
            other => write(other),
        };
        format!("{}: {written}", write(&Value::from(key.as_str())))
    };
    let entries: Vec<String> = map.iter().map(entry).collect();
    let blank = if blanks { " " } else { "" };
    format!("{{{blank}{}{blank}}}", entries.join(", "))
}

/// Whether a text reads best in lines of its own and such lines can carry it.
fn goes_in_lines(text: &str) -> bool {
    let odd = |c: char| c != '\n' && needs_escape(c);
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.chars().any(odd)
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}
