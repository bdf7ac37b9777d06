//! What an expression is, before there are values: the kinds of its parts, and how much it can come to.

use super::{nearest, parts, pattern_of};
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

/// What kind of value a part has; `Any` where only the run knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Bool,
    Number,
    Text,
    Bytes,
    List,
    Map,
    Null,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Any => "anything",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::List => "a list",
            Self::Map => "an object",
            Self::Null => "nothing",
        }
    }
}

/// The functions of the language, and what they give.
const FUNCTIONS: [(&str, Kind); 12] = [
    ("size", Kind::Number),
    ("contains", Kind::Bool),
    ("startsWith", Kind::Bool),
    ("endsWith", Kind::Bool),
    ("matches", Kind::Bool),
    ("int", Kind::Number),
    ("uint", Kind::Number),
    ("double", Kind::Number),
    ("string", Kind::Text),
    ("bytes", Kind::Bytes),
    ("type", Kind::Any),
    ("dyn", Kind::Any),
];
/// Its macros, for the nearest name.
const MACROS: [&str; 6] = ["has", "all", "exists", "exists_one", "map", "filter"];

type Faults = Vec<(u64, String)>;

/// What is wrong with an expression whatever the values are.
pub(super) fn faults(root: &IdedExpr) -> Faults {
    let mut faults = Vec::new();
    let kind = kind(root, &mut faults);
    if !matches!(kind, Kind::Any | Kind::Bool) {
        faults.push((
            root.id,
            format!("its result is {}, neither true nor false", kind.word()),
        ));
    }
    faults
}

fn kind(at: &IdedExpr, faults: &mut Faults) -> Kind {
    match &at.expr {
        Expr::Literal(literal) => match literal {
            LiteralValue::Boolean(_) => Kind::Bool,
            LiteralValue::Bytes(_) => Kind::Bytes,
            LiteralValue::Double(_) | LiteralValue::Int(_) | LiteralValue::UInt(_) => Kind::Number,
            LiteralValue::Null => Kind::Null,
            LiteralValue::String(_) => Kind::Text,
        },
        Expr::Ident(name) => match name.as_str() {
            "True" | "False" => Kind::Bool,
            _ => Kind::Any,
        },
        Expr::List(_) => inside(at, faults, Kind::List),
        Expr::Map(_) => inside(at, faults, Kind::Map),
        Expr::Select(select) => {
            let of = kind(&select.operand, faults);
            if !matches!(of, Kind::Any | Kind::Map) {
                faults.push((at.id, format!("`.{}` asks for a field of {}", select.field, of.word())));
            }
            if select.test { Kind::Bool } else { Kind::Any }
        }
        Expr::Comprehension(inner) => {
            let range = kind(&inner.iter_range, faults);
            if !matches!(range, Kind::Any | Kind::List | Kind::Map) {
                faults.push((
                    inner.iter_range.id,
                    format!("{} has no items to go through", range.word()),
                ));
            }
            kind(&inner.loop_step, faults);
            // `exists_one` counts, and its result compares the count.
            kind(&inner.accu_init, faults);
            match &inner.result.expr {
                Expr::Ident(_) => kind(&inner.accu_init, &mut Vec::new()),
                _ => kind(&inner.result, faults),
            }
        }
        Expr::Call(call) => called(at, call, faults),
        Expr::Struct(made) => {
            faults.push((at.id, format!("there are no types of one's own: `{}`", made.type_name)));
            Kind::Any
        }
        Expr::Unspecified => Kind::Any,
    }
}

fn inside(at: &IdedExpr, faults: &mut Faults, itself: Kind) -> Kind {
    for part in parts(at) {
        kind(part, faults);
    }
    itself
}

fn called(at: &IdedExpr, call: &CallExpr, faults: &mut Faults) -> Kind {
    let kinds: Vec<Kind> = parts(at).into_iter().map(|part| kind(part, faults)).collect();
    let mut takes = |accepted: &[Kind], what: &str| {
        for wrong in kinds
            .iter()
            .filter(|kind| **kind != Kind::Any && !accepted.contains(kind))
        {
            faults.push((at.id, format!("`{what}` cannot be applied to {}", wrong.word())));
        }
    };
    let name = call.func_name.as_str();
    match name {
        operators::LOGICAL_AND => takes(&[Kind::Bool], "&&"),
        operators::LOGICAL_OR => takes(&[Kind::Bool], "||"),
        operators::LOGICAL_NOT => takes(&[Kind::Bool], "!"),
        operators::NOT_STRICTLY_FALSE => {}
        operators::EQUALS | operators::NOT_EQUALS => {}
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
            let ordered = [Kind::Number, Kind::Text, Kind::Bool, Kind::Bytes];
            takes(&ordered, name.trim_matches('_'));
            if let [a, b] = kinds[..]
                && a != b
                && ![a, b].contains(&Kind::Any)
                && ordered.contains(&a)
                && ordered.contains(&b)
            {
                faults.push((at.id, format!("{} cannot be compared with {}", a.word(), b.word())));
            }
        }
        operators::IN => {
            if let Some(wrong) = kinds
                .get(1)
                .filter(|k| !matches!(k, Kind::Any | Kind::List | Kind::Map))
            {
                faults.push((
                    at.id,
                    format!("`in` looks into a list or an object, not into {}", wrong.word()),
                ));
            }
        }
        operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO | operators::NEGATE => {
            takes(&[Kind::Number], name.trim_matches('_'));
            return Kind::Number;
        }
        operators::ADD => {
            takes(&[Kind::Number, Kind::Text, Kind::List, Kind::Bytes], "+");
            return match kinds[..] {
                [Kind::Any, other] | [other, Kind::Any] => other,
                [a, b] if a != b => {
                    faults.push((at.id, format!("`+` cannot join {} and {}", a.word(), b.word())));
                    Kind::Any
                }
                [a, ..] => a,
                [] => Kind::Any,
            };
        }
        operators::CONDITIONAL => {
            if let Some(wrong) = kinds.first().filter(|k| !matches!(k, Kind::Any | Kind::Bool)) {
                faults.push((
                    at.id,
                    format!("`?` needs true or false before it, not {}", wrong.word()),
                ));
            }
            return match kinds[..] {
                [_, a, b] if a == b => a,
                _ => Kind::Any,
            };
        }
        operators::INDEX => return Kind::Any,
        _ => {
            let Some((_, given)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
                let known = FUNCTIONS.iter().map(|(known, _)| *known).chain(MACROS);
                let near = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                faults.push((at.id, format!("there is no function `{name}`{near}")));
                return Kind::Any;
            };
            if name == "matches"
                && let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|arg| &arg.expr)
                && let Err(why) = pattern_of(pattern.inner())
            {
                faults.push((at.id, format!("the pattern of `matches` cannot be used: {why}")));
            }
            return *given;
        }
    }
    Kind::Bool
}

/// What is gone through by the macros that make a list whose order counts: `map` and `filter`, unless only the list's size
/// is asked for, or what is in it.
pub(super) fn ordered(root: &IdedExpr) -> Vec<&IdedExpr> {
    let mut found = Vec::new();
    in_order(root, true, &mut found);
    found
}

fn in_order<'a>(at: &'a IdedExpr, counts: bool, found: &mut Vec<&'a IdedExpr>) {
    match &at.expr {
        Expr::Comprehension(inner) => {
            let makes_a_list = matches!(inner.accu_init.expr, Expr::List(_));
            if makes_a_list && counts {
                found.push(&inner.iter_range);
            }
            in_order(&inner.iter_range, makes_a_list && counts, found);
            for part in [&inner.loop_cond, &inner.loop_step, &inner.result] {
                in_order(part, true, found);
            }
        }
        Expr::Call(call) => {
            for (nth, part) in parts(at).into_iter().enumerate() {
                let is_loose = match call.func_name.as_str() {
                    "size" => true,
                    operators::IN => nth == 1,
                    _ => false,
                };
                in_order(part, !is_loose, found);
            }
        }
        _ => {
            for part in parts(at) {
                in_order(part, true, found);
            }
        }
    }
}
