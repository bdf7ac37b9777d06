//! How large the values can become that an expression makes, and how much work that is: what `+` joins inside of a macro can double
//! with every few characters of the text, so that neither the text's own bounds nor the number of items given say enough.
//!
//! Each part is gone through once with an upper bound of its value in place of the value. Where a macro collects, one turn is looked
//! at and taken as many times as there are items: an expression cannot name what its macro collects, so that this grows evenly.

use super::parts;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

/// Most bytes that one value may come to.
pub(super) const MOST_BYTES: u64 = 32 << 20;
/// What an item of a list, a field or a number takes, in bytes, about.
const ITEM: u64 = 8;
/// So many bytes take as long to make as one part takes to visit.
const BYTES_A_VISIT: u64 = 4096;

/// Functions whose result is made of what they were given: it is no larger than all of that together.
const KEEPS: [&str; 10] = [
    operators::ADD,
    "string",
    "bytes",
    "max",
    "min",
    "optional.of",
    "optional.ofNonZeroValue",
    "value",
    "or",
    "orValue",
];

/// The most that a value can be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Bulk {
    /// Bytes of its own: a text, the names of fields.
    own: u64,
    /// How many items a list has, or fields an object.
    items: u64,
    /// The largest of them.
    item: Option<Box<Self>>,
}

impl Bulk {
    /// Of a value that was reported.
    pub(super) fn of(value: &Value) -> Self {
        let joined = |items: &mut dyn Iterator<Item = &Value>| items.map(Self::of).reduce(Self::or).map(Box::new);
        match value {
            Value::String(text) => Self::text(text.len()),
            Value::Array(items) => Self {
                own: 0,
                items: items.len() as u64,
                item: joined(&mut items.iter()),
            },
            Value::Object(fields) => Self {
                own: fields.keys().map(|name| name.len() as u64).sum(),
                items: fields.len() as u64,
                item: joined(&mut fields.values()),
            },
            _ => Self::default(),
        }
    }

    fn text(length: usize) -> Self {
        Self {
            own: length as u64,
            ..Self::default()
        }
    }

    /// Bytes in all.
    fn bytes(&self) -> u64 {
        let each = ITEM.saturating_add(self.item.as_deref().map_or(0, Self::bytes));
        self.own
            .saturating_add(self.items.saturating_mul(each))
            .saturating_add(ITEM)
    }

    /// One or the other.
    fn or(self, other: Self) -> Self {
        Self {
            own: self.own.max(other.own),
            items: self.items.max(other.items),
            item: either(self.item, other.item),
        }
    }

    /// Both, joined.
    fn and(self, other: Self) -> Self {
        Self {
            own: self.own.saturating_add(other.own),
            items: self.items.saturating_add(other.items),
            item: either(self.item, other.item),
        }
    }

    /// What this has become after so many turns, of which `one` is the first.
    fn after(&self, turns: u64, one: Self) -> Self {
        let grown = |before: u64, now: u64| {
            before
                .max(now)
                .saturating_add(now.saturating_sub(before).saturating_mul(turns))
        };
        Self {
            own: grown(self.own, one.own),
            items: grown(self.items, one.items),
            item: one.item,
        }
    }
}

fn either(one: Option<Box<Bulk>>, other: Option<Box<Bulk>>) -> Option<Box<Bulk>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::new(one.or(*other))),
        (one, other) => one.or(other),
    }
}

/// Which bound an evaluation would exceed, in words; `None`: it stays within. What a name holds is told by `value_of`.
pub(super) fn beyond(root: &IdedExpr, value_of: &dyn Fn(&str) -> Bulk) -> Option<String> {
    let mut look = Look {
        value_of,
        own: Vec::new(),
        turns: 1,
        work: 0,
        largest: 0,
    };
    look.at(root);
    if look.largest > MOST_BYTES {
        return Some(format!(
            "it would make a value of up to {} MB, and the most is {} MB",
            look.largest >> 20,
            MOST_BYTES >> 20
        ));
    }
    (look.work > super::MOST_WORK).then(|| super::too_long(look.work))
}

struct Look<'a> {
    value_of: &'a dyn Fn(&str) -> Bulk,
    /// Names of the macros around, the innermost last.
    own: Vec<(&'a str, Bulk)>,
    /// How often the part that is looked at is visited.
    turns: u64,
    work: u64,
    largest: u64,
}

impl<'a> Look<'a> {
    fn at(&mut self, at: &'a IdedExpr) -> Bulk {
        let found = self.value(at);
        let bytes = found.bytes();
        self.largest = self.largest.max(bytes);
        let once = 1_u64.saturating_add(bytes / BYTES_A_VISIT);
        self.work = self.work.saturating_add(self.turns.saturating_mul(once));
        found
    }

    fn value(&mut self, at: &'a IdedExpr) -> Bulk {
        match &at.expr {
            Expr::Ident(name) => {
                let own = self.own.iter().rev().find(|(own, _)| own == name);
                own.map_or_else(|| (self.value_of)(name), |(_, bulk)| bulk.clone())
            }
            Expr::Literal(LiteralValue::String(text)) => Bulk::text(text.inner().len()),
            Expr::Literal(LiteralValue::Bytes(bytes)) => Bulk::text(bytes.inner().len()),
            Expr::Call(call) => self.call(at, call),
            Expr::Comprehension(inner) => self.collected(inner),
            Expr::Select(select) => {
                let of = self.at(&select.operand);
                of.item.map(|item| *item).unwrap_or_default()
            }
            Expr::List(_) | Expr::Map(_) | Expr::Struct(_) => {
                let parts = parts(at);
                let items = parts.len() as u64;
                let item = parts.into_iter().map(|part| self.at(part)).reduce(Bulk::or);
                Bulk {
                    own: 0,
                    items,
                    item: item.map(Box::new),
                }
            }
            _ => Bulk::default(),
        }
    }

    fn call(&mut self, at: &'a IdedExpr, call: &'a CallExpr) -> Bulk {
        let mut given = parts(at).into_iter();
        match call.func_name.as_str() {
            operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT => {
                let of = given.next().map(|part| self.at(part)).unwrap_or_default();
                given.for_each(|part| drop(self.at(part)));
                of.item.map(|item| *item).unwrap_or_default()
            }
            operators::CONDITIONAL => {
                given.next().map(|part| self.at(part));
                let ways = given.map(|part| self.at(part)).reduce(Bulk::or);
                ways.unwrap_or_default()
            }
            name if KEEPS.contains(&name) => given.map(|part| self.at(part)).reduce(Bulk::and).unwrap_or_default(),
            // A number, or true or false.
            _ => {
                given.for_each(|part| drop(self.at(part)));
                Bulk::default()
            }
        }
    }

    fn collected(&mut self, inner: &'a ComprehensionExpr) -> Bulk {
        let range = self.at(&inner.iter_range);
        let begun = self.at(&inner.accu_init);
        // Of an object the names are gone through.
        let name = Bulk {
            own: range.own,
            ..Bulk::default()
        };
        let item = range.item.map_or_else(|| name.clone(), |item| item.or(name.clone()));
        let (before, around) = (self.own.len(), self.turns);
        self.own.push((&inner.iter_var, item.clone()));
        self.own.extend(inner.iter_var2.as_deref().map(|second| (second, item)));
        self.own.push((&inner.accu_var, begun.clone()));
        self.turns = around.saturating_mul(range.items);
        self.at(&inner.loop_cond);
        let one = self.at(&inner.loop_step);
        self.turns = around;
        self.own.truncate(before);
        self.own.push((&inner.accu_var, begun.after(range.items, one)));
        let result = self.at(&inner.result);
        self.own.truncate(before);
        result
    }
}
