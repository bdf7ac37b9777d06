//! From nodes to values, by the core schema of YAML 1.2 (a plain `no` is the text "no", not a boolean).

use super::{Kind, NodeId, Style, Tree};
use serde_json::{Map, Number, Value};

/// Bounds how much aliases may blow a value up ("billion laughs"): past it, values read as null.
pub(crate) struct Budget {
    left: usize,
    /// Set when something was left out.
    pub(crate) spent: bool,
}

impl Budget {
    /// Room for every node of the tree twice (in a list of texts and as a value), and as much again (at least 100 000) for
    /// repetitions.
    pub(crate) fn of(tree: &Tree) -> Self {
        Self {
            left: tree.nodes.len().saturating_mul(3).max(100_000),
            spent: false,
        }
    }

    /// Uses up room for so many nodes; `false` when there is not enough.
    pub(crate) fn spend(&mut self, nodes: usize) -> bool {
        let left = self.left.checked_sub(nodes);
        match left {
            Some(left) => self.left = left,
            None => self.spent = true,
        }
        left.is_some()
    }
}

/// Nesting deeper than this reads as null: values are dropped and compared recursively.
const DEEPEST: usize = 400;

impl Tree {
    /// The value of a node.
    pub(crate) fn value(&self, source: &str, id: NodeId, budget: &mut Budget) -> Value {
        self.value_at(source, id, budget, 0)
    }

    fn value_at(&self, source: &str, id: NodeId, budget: &mut Budget, depth: usize) -> Value {
        if budget.left == 0 || depth > DEEPEST {
            budget.spent = true;
            return Value::Null;
        }
        budget.left -= 1;
        let id = self.resolve(id);
        match &self.node(id).kind {
            Kind::Scalar { .. } => self.scalar(source, id),
            Kind::List { items, .. } => Value::Array(
                items
                    .iter()
                    .map(|item| self.value_at(source, *item, budget, depth + 1))
                    .collect(),
            ),
            Kind::Map { entries, .. } => {
                let mut map = Map::with_capacity(entries.len());
                let mut merged = Vec::new();
                for (key, value) in entries {
                    let name = self.key(source, *key);
                    if name == "<<" && self.is_plain(*key) {
                        merged.push(self.value_at(source, *value, budget, depth + 1));
                    } else {
                        map.insert(name.to_owned(), self.value_at(source, *value, budget, depth + 1));
                    }
                }
                for value in merged {
                    merge(&mut map, value);
                }
                Value::Object(map)
            }
            Kind::Alias { .. } => Value::Null,
        }
    }

    fn is_plain(&self, id: NodeId) -> bool {
        matches!(
            self.node(id).kind,
            Kind::Scalar {
                style: Style::Plain,
                ..
            }
        )
    }

    /// The value of a scalar node; null for anything else.
    pub(crate) fn scalar(&self, source: &str, id: NodeId) -> Value {
        let id = self.resolve(id);
        let Kind::Scalar { style, .. } = &self.node(id).kind else {
            return Value::Null;
        };
        let text = self.text(source, id).unwrap_or("");
        if *style != Style::Plain || self.tag(id).is_some_and(|t| t.ends_with("!str") || t == "!") {
            return Value::String(text.to_owned());
        }
        plain(text)
    }
}

/// Keys of a merged mapping (`<<`) count where the mapping has none of its own.
fn merge(map: &mut Map<String, Value>, value: Value) {
    match value {
        Value::Object(other) => {
            for (key, value) in other {
                map.entry(key).or_insert(value);
            }
        }
        Value::Array(list) => list.into_iter().for_each(|item| merge(map, item)),
        other => {
            map.entry("<<").or_insert(other);
        }
    }
}

/// What an unquoted scalar means.
pub(crate) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let first = text.as_bytes()[0];
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return Value::String(text.to_owned());
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Whether an unquoted scalar is a whole number that is kept as text, because a number would be another one.
pub(crate) fn is_too_large(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = || digits(unsigned, |b| b.is_ascii_digit()).is_some();
    // No shorter one is too large.
    unsigned.len() > 18 && is_whole() && number(text).is_none()
}

fn number(text: &str) -> Option<Number> {
    if let Some(hex) = text.strip_prefix("0x") {
        return digits(hex, |b| b.is_ascii_hexdigit())
            .and_then(|d| u64::from_str_radix(d, 16).ok())
            .map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, |b| matches!(b, b'0'..=b'7'))
            .and_then(|d| u64::from_str_radix(d, 8).ok())
            .map(Number::from);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits(unsigned, |b| b.is_ascii_digit()).is_some() {
        let exact = text.strip_prefix('+').unwrap_or(text);
        if let Ok(n) = exact.parse::<i64>() {
            return Some(n.into());
        }
        // One that no 64 bits hold would be rounded: it is kept as the text that stands there.
        return exact.parse::<u64>().ok().map(Number::from);
    }
    // [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    if let Some(exponent) = exponent {
        digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent), |b| {
            b.is_ascii_digit()
        })?;
    }
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

fn digits(text: &str, accept: impl Fn(u8) -> bool) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(accept)).then_some(text)
}
