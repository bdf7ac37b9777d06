//! A field or an item where there is none.

use super::Page;
use super::compose::{Habit, SHORT, in_braces};
use super::copied::without_dash;
use super::write::Pen;
use crate::text::{Span, TextEdit};
use crate::tree::{Grammar, Kind, NodeId, Style};
use serde_json::Value;

/// The usual order of a step's fields: a new one goes behind the last one that belongs before it.
const STEP_ORDER: &[&str] = &[
    "id",
    "node_id",
    "template_id",
    "name",
    "title",
    "station",
    "agents",
    "agent",
    "role",
    "objective",
    "description",
    "run",
    "workflow",
    "workflows",
    "phase",
    "parallel",
    "depends_on",
    "human_gate",
    "gate",
    "gate_at",
    "gate_question",
    "gate_asks",
    "on_reject",
    "inputs",
    "outputs",
    "teaching_note",
    "teaching_highlight",
    "retries",
    "timeout_seconds",
    "terminal",
    "status",
    "error",
    "routing",
    "teaching",
    "teaching_notes",
];
/// The same of a StepSpec: the order of seed 000, with what goes beyond it where people write it.
pub(crate) const SPEC_ORDER: &[&str] = &[
    "id",
    "name",
    "description",
    "phase",
    "agent",
    "agents",
    "run",
    "inputs",
    "outputs",
    "templates",
    "tools",
    "validation",
    "evidence",
    "human_gate",
    "gate",
    "gate_at",
    "gate_question",
    "gate_asks",
    "on_reject",
    "retries",
    "timeout_seconds",
];
/// Fields that only a StepSpec has.
const OF_SPECS: &[&str] = &["templates", "tools", "validation", "evidence"];
/// The same of an entry of an agent workflow.
const AGENT_ORDER: &[&str] = &[
    "step",
    "id",
    "name",
    "agent",
    "agents",
    "task",
    "action",
    "description",
    "notes",
    "requires",
    "inputs",
    "creates",
    "updates",
    "depends_on",
    "optional",
    "condition",
    "human_gate",
    "gate_at",
    "gate_question",
    "gate_asks",
    "on_reject",
    "execution",
    "retries",
    "timeout_seconds",
    "terminal",
];
const ROUTING_ORDER: &[&str] = &[
    "kind",
    "loop_target",
    "loop_condition_field",
    "loop_success_values",
    "branch_field",
    "branches",
    "when",
    "default",
    "exit_on",
    "next",
    "max_iterations",
];
const ROOT_ORDER: &[&str] = &[
    "format",
    "workflow",
    "key",
    "id",
    "pipeline_id",
    "version",
    "title",
    "name",
    "description",
    "status",
    "error",
    "error_handling",
    "max_retries",
    "retry_delay_seconds",
    "charter",
    "teaching",
    "defaults",
    "module",
    "phase",
    "agent",
    "agents",
    "questions",
    "run_inputs",
];

impl Page<'_> {
    /// Ways to write a value below the last node of the chain, where the rest of the path does not exist yet.
    pub(super) fn insert(&self, chain: &[NodeId], value: &Value) -> Vec<TextEdit> {
        let holder = chain[chain.len() - 1];
        let missing = &self.path[chain.len() - 1..];
        let Some((name, deeper)) = missing.split_first() else {
            return Vec::new();
        };
        let value = deeper.iter().rev().fold(value.clone(), |inner, name| {
            Value::Object(std::iter::once((name.clone(), inner)).collect())
        });
        match &self.tree.node(holder).kind {
            Kind::Map { entries, flow: true } => self.flow_entry(holder, entries, name, &value),
            Kind::Map { entries, flow: false } => self.block_entry(entries, chain.len() - 1, name, &value),
            Kind::List { items, flow } => self.list_item(holder, items, *flow, &value),
            Kind::Scalar { .. } => {
                let parent = chain.len().checked_sub(2).map(|n| chain[n]);
                let map = Value::Object(std::iter::once((name.clone(), value)).collect());
                self.replace_node(parent, holder, &map)
            }
            Kind::Alias { .. } => Vec::new(),
        }
    }

    /// New texts of several words are quoted, single words are not: what such files do by hand.
    fn pen<'n>(&self, flow: bool, newline: &'n str, value: &Value) -> Pen<'n> {
        let word = value
            .as_str()
            .is_none_or(|text| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./{}*".contains(c)));
        Pen {
            grammar: self.tree.grammar,
            flow,
            newline,
            style: if word { Style::Plain } else { Style::Double },
        }
    }

    /// The entry behind which a field of this name belongs: of those that go before it the last in the file.
    fn predecessor(&self, entries: &[(NodeId, NodeId)], depth: usize, name: &str) -> usize {
        let last = entries.len().saturating_sub(1);
        let order = match depth {
            0 => ROOT_ORDER,
            _ if self.of_agents(depth) => AGENT_ORDER,
            2 if OF_SPECS.contains(&name) || self.has_any(entries, OF_SPECS) => SPEC_ORDER,
            2 => STEP_ORDER,
            _ if self.path.get(depth.wrapping_sub(1)).is_some_and(|p| p == "routing") => ROUTING_ORDER,
            _ => return last,
        };
        let Some(rank) = order.iter().position(|known| *known == name) else {
            return last;
        };
        let goes_before = |(key, _): &(NodeId, NodeId)| {
            let key = self.tree.key(self.text, *key);
            order.iter().position(|known| *known == key).is_some_and(|at| at < rank)
        };
        entries.iter().rposition(goes_before).unwrap_or(last)
    }

    /// Whether fields at this depth are those of an entry of an agent workflow.
    fn of_agents(&self, depth: usize) -> bool {
        let keys: Vec<&str> = self.path[..depth.min(self.path.len())]
            .iter()
            .map(String::as_str)
            .collect();
        matches!(
            keys.as_slice(),
            ["workflow", "sequence", _] | ["sequence", _] | ["parallel_groups", _, "agents", _]
        )
    }

    fn has_any(&self, entries: &[(NodeId, NodeId)], names: &[&str]) -> bool {
        let mut keys = entries.iter().map(|(key, _)| self.tree.key(self.text, *key));
        keys.any(|key| names.contains(&key))
    }

    fn block_entry(&self, entries: &[(NodeId, NodeId)], depth: usize, name: &str, value: &Value) -> Vec<TextEdit> {
        let mut order = vec![self.predecessor(entries, depth, name), entries.len().saturating_sub(1)];
        order.dedup();
        let Some((first, _)) = entries.first() else {
            return Vec::new();
        };
        // A key with a line of its own shows the indentation best.
        let model = entries.get(1).map_or(*first, |(key, _)| *key);
        let indent = self.indent_of(self.span(model).start);
        order
            .into_iter()
            .map(|before| {
                let (key, old) = entries[before];
                let end = self.line_end(self.span(old).end.max(self.span(key).end));
                let newline = self.newline(end);
                let pen = self.pen(false, newline, value);
                let written = if is_flat(value) && self.brackets() {
                    format!(" {}", pen.inline(value))
                } else if let Some(line) = self.short_in_braces(value, &pen) {
                    format!(" {line}")
                } else {
                    pen.behind_colon(value, &format!("{indent}  "))
                };
                TextEdit {
                    span: Span { start: end, end },
                    replacement: format!("{newline}{indent}{}:{written}", pen.key(name)),
                }
            })
            .collect()
    }

    /// A short mapping, where the entries of the list have theirs in braces.
    fn short_in_braces(&self, value: &Value, pen: &Pen<'_>) -> Option<String> {
        let map = value.as_object().filter(|map| !map.is_empty() && map.len() <= SHORT)?;
        let habit = Habit::of(self.text, self.tree, self.path.first()?);
        let flow = Pen { flow: true, ..*pen };
        let flat = !map.values().any(Value::is_object);
        (habit.braces && flat).then(|| in_braces(map, habit.blanks, &|value| flow.inline(value)))
    }

    fn flow_entry(&self, map: NodeId, entries: &[(NodeId, NodeId)], name: &str, value: &Value) -> Vec<TextEdit> {
        let span = self.span(map);
        let newline = self.newline(span.start);
        let mut pen = self.pen(true, newline, value);
        // Where all names stand in quotes the file is, or may be read as, JSON: it stays that.
        let is_quoted = |(key, _): &(NodeId, NodeId)| {
            let kind = &self.tree.node(*key).kind;
            matches!(
                kind,
                Kind::Scalar {
                    style: Style::Double,
                    ..
                }
            )
        };
        if !entries.is_empty() && entries.iter().all(is_quoted) {
            pen.grammar = Grammar::Json;
        }
        let entry = format!("{}: {}", pen.key(name), pen.inline(value));
        let Some((key, old)) = entries.last() else {
            return vec![TextEdit {
                span,
                replacement: format!("{{{entry}}}"),
            }];
        };
        let end = self.span(*old).end.max(self.span(*key).end);
        // One entry a line stays one entry a line.
        let before = &self.text[self.line_start(self.span(*key).start)..self.span(*key).start];
        let joint = if before.trim().is_empty() && self.line_start(self.span(*key).start) > span.start {
            format!(",{newline}{before}")
        } else {
            ", ".to_owned()
        };
        vec![TextEdit {
            span: Span { start: end, end },
            replacement: format!("{joint}{entry}"),
        }]
    }

    fn list_item(&self, list: NodeId, items: &[NodeId], flow: bool, value: &Value) -> Vec<TextEdit> {
        let span = self.span(list);
        let newline = self.newline(span.end);
        let pen = self.pen(flow || self.tree.grammar == Grammar::Json, newline, value);
        let Some(last) = items.last() else {
            return vec![TextEdit {
                span,
                replacement: format!("[{}]", pen.inline(value)),
            }];
        };
        let end = self.span(*last).end;
        if flow {
            let replacement = match self.line_of_its_own(span, *last) {
                Some(before) => format!(",{newline}{before}{}", self.on_lines(value, before, newline, &pen)),
                None => format!(", {}", pen.inline(value)),
            };
            return vec![TextEdit {
                span: Span { start: end, end },
                replacement,
            }];
        }
        let Some(dash) = self.dash(*last) else {
            return Vec::new();
        };
        let indent = self.indent_of(dash);
        let end = self.line_end(end);
        let written = pen.block(value, &format!("{indent}  "));
        let replacement = format!("{newline}{indent}- {}", written.trim_start());
        vec![TextEdit {
            span: Span { start: end, end },
            replacement,
        }]
    }
}

impl Page<'_> {
    /// What stands before the last item of a list in brackets that has one item a line: one item a line it stays.
    fn line_of_its_own(&self, list: Span, last: NodeId) -> Option<&str> {
        let start = self.span(last).start;
        let before = &self.text[self.line_start(start)..start];
        (before.trim().is_empty() && self.line_start(start) > list.start).then_some(before)
    }

    /// A new last item of a list in brackets, from its lines as they are written in a list without; `None` where they are none in braces.
    pub(super) fn item_as_written(&self, list: NodeId, items: &[NodeId], lines: &[String]) -> Option<TextEdit> {
        let last = *items.last()?;
        let own = without_dash(lines);
        if !own.first()?.starts_with('{') {
            return None;
        }
        let span = self.span(list);
        let newline = self.newline(span.end);
        let (joint, indent) = match self.line_of_its_own(span, last) {
            Some(before) => (format!(",{newline}{before}"), before.to_owned()),
            None => (", ".to_owned(), self.indent_of(self.line_start(span.start))),
        };
        let end = self.span(last).end;
        Some(TextEdit {
            span: Span { start: end, end },
            replacement: format!("{joint}{}", own.join(&format!("{newline}{indent}"))),
        })
    }

    /// An item of a list that has one item a line: fields of JSON stand on lines of their own too.
    fn on_lines(&self, value: &Value, indent: &str, newline: &str, pen: &Pen<'_>) -> String {
        let fields = value.as_object().filter(|fields| !fields.is_empty());
        match fields.filter(|_| self.tree.grammar == Grammar::Json) {
            Some(fields) => {
                let line = |(name, value): (&String, &Value)| {
                    format!("{indent}  {}: {}", Value::from(name.as_str()), pen.inline(value))
                };
                let lines: Vec<String> = fields.iter().map(line).collect();
                format!("{{{newline}{}{newline}{indent}}}", lines.join(&format!(",{newline}")))
            }
            None => pen.inline(value),
        }
    }
}

/// A list of texts, numbers and their like.
pub(super) fn is_flat(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(|item| !item.is_array() && !item.is_object()))
}
