//! Text that is compared with a number. The two are never equal in this language, whatever stands in the text, and people take `'3'` and `3`
//! for one. And what is compared with null.

use super::parts;
use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};

/// What is read, held against a number or against text that reads as one.
pub(super) struct Held<'a> {
    /// The comparison.
    pub(super) id: u64,
    /// A name, and the fields that are asked for inside of it.
    pub(super) path: Vec<&'a str>,
    /// What is written is text; otherwise it is a number.
    pub(super) with_text: bool,
    /// Which of the two is larger is asked, and not whether they are equal.
    pub(super) orders: bool,
}

/// Every such comparison outside of the expression's own macros, in the order written.
pub(super) fn all(root: &IdedExpr) -> Vec<Held<'_>> {
    let mut found = Vec::new();
    for (id, operator, a, b) in pairs(root) {
        match operator {
            operators::EQUALS | operators::NOT_EQUALS => found.extend(either(id, a, b, false)),
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
                found.extend(either(id, a, b, true));
            }
            operators::IN => found.extend(parts(b).into_iter().filter_map(|one| held(id, a, one, false))),
            _ => {}
        }
    }
    found
}

/// The names that are held against null, or against a list with null in it: of these null is an answer that the author has thought of.
pub(super) fn nulls(root: &IdedExpr) -> Vec<&str> {
    let is_null = |one: &IdedExpr| match &one.expr {
        Expr::Literal(LiteralValue::Null) => true,
        Expr::Ident(name) => name == "None",
        _ => false,
    };
    let read = pairs(root)
        .into_iter()
        .filter_map(|(_, operator, a, b)| match operator {
            operators::EQUALS | operators::NOT_EQUALS if is_null(b) => Some(a),
            operators::EQUALS | operators::NOT_EQUALS if is_null(a) => Some(b),
            operators::IN if parts(b).into_iter().any(is_null) => Some(a),
            _ => None,
        });
    read.filter_map(|read| path(read)?.first().copied()).collect()
}

/// Every operator with its two sides, and where it stands, in the order written.
fn pairs(root: &IdedExpr) -> Vec<(u64, &str, &IdedExpr, &IdedExpr)> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(at) = left.pop() {
        let inside = parts(at);
        if let Expr::Call(call) = &at.expr
            && let [a, b] = inside[..]
        {
            found.push((at.id, call.func_name.as_str(), a, b));
        }
        left.extend(inside.into_iter().rev());
    }
    found
}

fn either<'a>(id: u64, a: &'a IdedExpr, b: &'a IdedExpr, orders: bool) -> Option<Held<'a>> {
    held(id, a, b, orders).or_else(|| held(id, b, a, orders))
}

fn held<'a>(id: u64, read: &'a IdedExpr, written: &IdedExpr, orders: bool) -> Option<Held<'a>> {
    let Expr::Literal(literal) = &written.expr else {
        return None;
    };
    let with_text = match literal {
        LiteralValue::String(text) if is_number(text.inner()) => true,
        LiteralValue::Double(_) | LiteralValue::Int(_) | LiteralValue::UInt(_) => false,
        _ => return None,
    };
    Some(Held {
        id,
        path: path(read)?,
        with_text,
        orders,
    })
}

/// `output.score` as its names; `None`: it is computed.
fn path(read: &IdedExpr) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut at = read;
    loop {
        match &at.expr {
            Expr::Ident(name) => {
                names.push(name.as_str());
                names.reverse();
                return Some(names);
            }
            Expr::Select(select) if !select.test => {
                names.push(select.field.as_str());
                at = &select.operand;
            }
            _ => return None,
        }
    }
}

/// Whether a text reads as a number.
pub(super) fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok_and(f64::is_finite)
}
