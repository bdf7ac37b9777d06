//! How large the values can become that an expression makes, and how much work that is: what `+` joins inside of a macro can double
//! with every few characters of the text, so that neither the text's own bounds nor the number of items given say enough.
//!
//! Each part is gone through once with an upper bound of its value in place of the value. Where a macro collects, one turn is looked
//! at and taken as many times as there are items: an expression cannot name what its macro collects, so that this grows evenly.

use super::{MOST_WORK, parts};
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, operators};
use serde_json::Value;

/// Most bytes that one value may come to.
pub(super) const MOST_BYTES: u64 = 32 << 20;
/// What an item of a list, a field or a number takes, in bytes, about.
const ITEM: u64 = 8;
/// What it takes to build a pattern, in visits.
const A_PATTERN: u64 = 100;
/// So many bytes take as long to make as one part takes to visit.
const BYTES_A_VISIT: u64 = 4096;

/// Functions and operators that give a number, or true or false. What comes of any other is no larger than all that it was given.
const SMALL: [&str; 26] = [
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "int",
    "uint",
    "double",
    "type",
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::SUBSTRACT,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::NEGATE,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::IN,
    operators::NOT_STRICTLY_FALSE,
    operators::EXISTS_ONE,
];
/// Those among them that do not go through what they are given.
const AT_ONCE: [&str; 5] = [
    "size",
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::NOT_STRICTLY_FALSE,
];

/// The most that a value can be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Bulk {
    /// Bytes in all.
    all: u64,
    /// Bytes of the names of an object's fields.
    names: u64,
    /// How many items a list has, or fields an object.
    items: u64,
    /// The largest of them, and what the largest have inside.
    item: Option<Box<Self>>,
}

impl Bulk {
    /// Of a value that was reported.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::text(text.len()),
            Value::Array(items) => Self::holding(items.iter().map(Self::of)),
            Value::Object(fields) => {
                let names: u64 = fields.keys().map(|name| name.len() as u64).sum();
                let held = Self::holding(fields.values().map(Self::of));
                Self {
                    all: held.all.saturating_add(names),
                    names,
                    ..held
                }
            }
            _ => Self::default(),
        }
    }

    fn text(length: usize) -> Self {
        Self {
            all: length as u64,
            ..Self::default()
        }
    }

    fn holding(items: impl Iterator<Item = Self>) -> Self {
        let mut out = Self::default();
        for item in items {
            out.items += 1;
            out.all = out.all.saturating_add(ITEM).saturating_add(item.all);
            out.item = either(out.item, Some(Box::new(item)));
        }
        out
    }

    /// One or the other.
    fn or(self, other: Self) -> Self {
        Self {
            all: self.all.max(other.all),
            names: self.names.max(other.names),
            items: self.items.max(other.items),
            item: either(self.item, other.item),
        }
    }

    /// Both, joined.
    fn and(self, other: Self) -> Self {
        Self {
            all: self.all.saturating_add(other.all),
            names: self.names.saturating_add(other.names),
            items: self.items.saturating_add(other.items),
            item: either(self.item, other.item),
        }
    }

    /// What this has become after so many turns, of which `one` is the first.
    fn after(&self, turns: u64, one: Self) -> Self {
        let grown = |before: u64, now: u64| match turns {
            0 => before,
            _ => before.saturating_add(now.saturating_sub(before).saturating_mul(turns)),
        };
        Self {
            all: grown(self.all, one.all),
            names: grown(self.names, one.names),
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
    (look.work > MOST_WORK).then(|| {
        format!(
            "it would take too long: about {} steps for the lists it was given, and the most is {MOST_WORK}",
            look.work
        )
    })
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
        self.spend(1);
        self.value(at)
    }

    fn spend(&mut self, visits: u64) {
        self.work = self.work.saturating_add(self.turns.saturating_mul(visits));
    }

    /// A value that is made anew, not lent.
    fn made(&mut self, bulk: Bulk) -> Bulk {
        self.largest = self.largest.max(bulk.all);
        self.spend(bulk.all / BYTES_A_VISIT);
        bulk
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
                let items: Vec<Bulk> = parts(at).into_iter().map(|part| self.at(part)).collect();
                self.made(Bulk::holding(items.into_iter()))
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
            name => {
                let all = given.map(|part| self.at(part)).reduce(Bulk::and).unwrap_or_default();
                if !SMALL.contains(&name) {
                    return self.made(all);
                }
                // A pattern is built anew each time.
                if name == "matches" {
                    self.spend(A_PATTERN);
                }
                if !AT_ONCE.contains(&name) {
                    self.spend(all.all / BYTES_A_VISIT);
                }
                Bulk::default()
            }
        }
    }

    fn collected(&mut self, inner: &'a ComprehensionExpr) -> Bulk {
        let range = self.at(&inner.iter_range);
        let begun = self.at(&inner.accu_init);
        // Of an object the names are gone through.
        let name = Bulk {
            all: range.names,
            ..Bulk::default()
        };
        let item = range.item.as_deref().cloned().unwrap_or_default();
        let first = match inner.iter_var2 {
            None => item.clone().or(name),
            Some(_) => name,
        };
        let (before, around) = (self.own.len(), self.turns);
        self.own.push((&inner.iter_var, first));
        self.own.extend(inner.iter_var2.as_deref().map(|second| (second, item)));
        self.own.push((&inner.accu_var, begun.clone()));
        self.turns = around.saturating_mul(range.items);
        self.at(&inner.loop_cond);
        // What is collected turn by turn is added up below.
        let largest = self.largest;
        let one = self.at(&inner.loop_step);
        self.turns = around;
        self.own.truncate(before);
        let in_all = match takes_items(inner) {
            true => {
                self.largest = largest;
                range
            }
            false => begun.after(range.items, one),
        };
        let in_all = self.made(in_all);
        self.own.push((&inner.accu_var, in_all));
        let result = self.at(&inner.result);
        self.own.truncate(before);
        result
    }
}

/// Whether a macro collects items as they are, as `filter` does: together they are no more than what they are taken from.
fn takes_items(inner: &ComprehensionExpr) -> bool {
    let named = |at: &IdedExpr, name: &str| matches!(&at.expr, Expr::Ident(ident) if ident == name);
    let Expr::Call(choice) = &inner.loop_step.expr else {
        return false;
    };
    let [_, added, same] = choice.args.as_slice() else {
        return false;
    };
    let Expr::Call(add) = &added.expr else { return false };
    let [collected, one] = add.args.as_slice() else {
        return false;
    };
    let Expr::List(list) = &one.expr else { return false };
    choice.func_name == operators::CONDITIONAL
        && add.func_name == operators::ADD
        && named(same, &inner.accu_var)
        && named(collected, &inner.accu_var)
        && matches!(list.elements.as_slice(), [item] if named(item, &inner.iter_var))
}
