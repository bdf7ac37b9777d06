//! JSON, with comments and trailing commas allowed: jsonc-parser's tree, whose ranges are exact byte spans.

use super::{Fault, FaultKind, Grammar, Index, Kind, Node, NodeId, Style, Text, Tree};
use crate::text::Span;
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

pub(super) fn read(text: &str) -> Tree {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut tree = Tree {
        nodes: Vec::new(),
        root: None,
        faults: Vec::new(),
        grammar: Grammar::Json,
        tags: Vec::new(),
        index: Index::default(),
    };
    // A byte order mark is no token of JSON, and editors put one there. As many blanks leave every place where it is.
    let unmarked = text.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    match parse_to_ast(
        unmarked.as_deref().unwrap_or(text),
        &CollectOptions::default(),
        &options,
    ) {
        Ok(result) => tree.root = result.value.map(|value| add(&mut tree, text, &value)),
        Err(error) => {
            let at = error.range().start.min(text.len());
            let detail = error.kind().to_string();
            tree.faults.push(Fault {
                what: FaultKind::Syntax,
                at,
                detail,
            });
        }
    }
    tree
}

fn span(range: Range) -> Span {
    Span {
        start: range.start,
        end: range.end,
    }
}

/// Adds a value and what is in it. The parser bounds the depth at 512, so the recursion is bounded too.
fn add(tree: &mut Tree, text: &str, value: &Value<'_>) -> NodeId {
    let place = span(value.range());
    let plain = Kind::Scalar {
        style: Style::Plain,
        text: Text::Slice(place),
    };
    match value {
        Value::StringLit(literal) => string(tree, text, literal.range, &literal.value),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => push(tree, place, plain),
        Value::Array(array) => {
            let id = push(
                tree,
                place,
                Kind::List {
                    items: Vec::new(),
                    flow: true,
                },
            );
            let items = array.elements.iter().map(|item| add(tree, text, item)).collect();
            tree.nodes[id as usize].kind = Kind::List { items, flow: true };
            id
        }
        Value::Object(object) => {
            let id = push(
                tree,
                place,
                Kind::Map {
                    entries: Vec::new(),
                    flow: true,
                },
            );
            let entries = object
                .properties
                .iter()
                .map(|property| {
                    let key = match &property.name {
                        ObjectPropName::String(literal) => string(tree, text, literal.range, &literal.value),
                        ObjectPropName::Word(word) => string(tree, text, word.range, word.value),
                    };
                    (key, add(tree, text, &property.value))
                })
                .collect();
            tree.nodes[id as usize].kind = Kind::Map { entries, flow: true };
            id
        }
    }
}

fn push(tree: &mut Tree, span: Span, kind: Kind) -> NodeId {
    tree.nodes.push(Node { span, kind });
    (tree.nodes.len() - 1) as NodeId
}

fn string(tree: &mut Tree, text: &str, range: Range, value: &str) -> NodeId {
    let place = span(range);
    let inner = Span {
        start: place.start + 1,
        end: place.end.saturating_sub(1).max(place.start + 1),
    };
    let content = if text.get(inner.start..inner.end) == Some(value) {
        Text::Slice(inner)
    } else {
        Text::Owned(value.into())
    };
    push(
        tree,
        place,
        Kind::Scalar {
            style: Style::Double,
            text: content,
        },
    )
}
