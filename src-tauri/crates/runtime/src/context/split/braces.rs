//! TypeScript and JavaScript: declarations and the methods of classes, by braces.

use super::lines::{Lines, left_over};
use super::{Piece, short};
use std::ops::Range;

/// Longest signature, in lines.
const SIGNATURE_LINES: usize = 12;

/// Functions, classes, methods (`Parser.read`), interfaces, types and constants; and what is left of the module.
pub(super) fn pieces(lines: &Lines<'_>, file: &str) -> Vec<Piece> {
    let starts = starts(lines);
    let mut pieces = Vec::new();
    let mut taken = Vec::new();
    for found in declarations(lines, &starts, 0..lines.count(), 0, top) {
        taken.push(found.lines.clone());
        let mut own = piece(lines, &starts, &found, found.name.clone());
        let methods = match found.kind {
            "class" => declarations(lines, &starts, found.at + 1..found.lines.end, 1, method),
            _ => Vec::new(),
        };
        if let Some(first) = methods.first() {
            let mut text = lines.slice(found.lines.start..first.lines.start).to_owned();
            let mut last = first.lines.start;
            for method in &methods {
                text.push_str(lines.slice(last..method.lines.start));
                text.push_str(lines.slice(method.at..method.at + 1));
                last = method.lines.end;
            }
            text.push_str(lines.slice(last..found.lines.end));
            own.text = Some(text);
        }
        pieces.push(own);
        pieces.extend(
            methods
                .iter()
                .map(|m| piece(lines, &starts, m, format!("{}.{}", found.name, m.name))),
        );
    }
    let rest = Piece {
        kind: "module",
        name: file.to_owned(),
        place: 0..lines.text.len(),
        text: Some(left_over(lines, &taken)),
        ..Piece::default()
    };
    pieces.insert(0, rest);
    pieces
}

struct Declaration {
    /// With comments and decorators right above.
    lines: Range<usize>,
    /// The line of its name.
    at: usize,
    kind: &'static str,
    name: String,
}

fn piece(lines: &Lines<'_>, starts: &[Start], found: &Declaration, name: String) -> Piece {
    let most = found.lines.end.min(found.at + SIGNATURE_LINES);
    let goes_on = matches!(found.kind, "type" | "constant");
    let returns = |at: usize| {
        starts
            .get(at + 1)
            .is_some_and(|s| s.code && s.depth == starts[found.at].depth)
    };
    let opens = |at: &usize| lines.line(*at).trim_end().ends_with(['{', ';']) || !goes_on && returns(*at);
    let end = (found.at..most).find(opens).map_or(most.max(found.at + 1), |at| at + 1);
    let signature = lines.slice(found.at..end).trim_end();
    let signature = signature.trim_end_matches(['{', ' ']).trim_end_matches("=>");
    let lead_end = end.max((found.at + 4).min(found.lines.end)).min(found.lines.end);
    Piece {
        kind: found.kind,
        name,
        place: lines.place(found.lines.clone()),
        signature: signature.to_owned(),
        lead: lines.slice(found.lines.start..lead_end).to_owned(),
        text: None,
    }
}

type Named = (&'static str, String);

/// Declarations that begin at this depth.
fn declarations(
    lines: &Lines<'_>,
    starts: &[Start],
    within: Range<usize>,
    depth: u32,
    named: fn(&str) -> Option<Named>,
) -> Vec<Declaration> {
    let mut found: Vec<Declaration> = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let here = &starts[at];
        let head = if here.code && here.depth == depth {
            named(lines.line(at))
        } else {
            None
        };
        let Some((kind, name)) = head else {
            at += 1;
            continue;
        };
        let floor = found.last().map_or(within.start, |before| before.lines.end);
        let end = end(lines, starts, at, within.end, depth, kind);
        found.push(Declaration {
            lines: start(lines, starts, at, floor)..lines.trimmed(at..end).end.max(at + 1),
            at,
            kind,
            name,
        });
        at = end;
    }
    found
}

/// Comments and decorators right above belong to it.
fn start(lines: &Lines<'_>, starts: &[Start], at: usize, floor: usize) -> usize {
    let mut start = at;
    while start > floor {
        let above = lines.line(start - 1).trim();
        let is_comment = above.starts_with("//")
            || above.starts_with("/*")
            || above.ends_with("*/")
            || above.starts_with('@')
            || !starts[start - 1].code && starts[start - 1].comment;
        if !is_comment {
            break;
        }
        start -= 1;
    }
    start
}

/// The line behind a declaration: where the depth is again what it was, and the next line does not go on with it.
fn end(lines: &Lines<'_>, starts: &[Start], at: usize, most: usize, depth: u32, kind: &str) -> usize {
    let has_body = matches!(
        kind,
        "function" | "class" | "interface" | "enum" | "namespace" | "method"
    );
    let mut opened = false;
    for line in at..most {
        let next = starts.get(line + 1);
        let text = lines.line(line).trim_end();
        opened |= text.contains('{');
        let closed = next.is_none_or(|next| next.code && next.depth <= depth);
        let done = opened || !has_body || text.ends_with(';') || text.contains("=>");
        let goes_on = next.is_some() && line + 1 < most && {
            let behind = lines.line(line + 1).trim_start();
            behind.starts_with(['.', '?', ':', '|', '&', '=', '+', '{', ')', ']', '}']) && !text.ends_with(';')
        };
        // The brace that ends what is around it.
        let leaves = next.is_some_and(|next| next.depth < depth);
        if closed && done && (!goes_on || leaves) {
            return line + 1;
        }
    }
    most
}

fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '#'))
        .unwrap_or(text.len());
    &text[..end]
}

fn without<'t>(mut text: &'t str, words: &[&str]) -> &'t str {
    loop {
        text = text.trim_start();
        let first = word(text);
        let rest = &text[first.len()..];
        if first.is_empty() || !words.contains(&first) || !rest.starts_with([' ', '\t']) {
            return text;
        }
        text = rest;
    }
}

/// A declaration of a module.
fn top(line: &str) -> Option<Named> {
    let is_default = line.trim_start().starts_with("export default");
    let text = without(line, &["export", "default", "declare", "abstract", "async"]);
    let keyword = word(text);
    let rest = text[keyword.len()..].trim_start_matches(['*', ' ', '\t']);
    let name = word(rest);
    let kind = match keyword {
        "function" => "function",
        "class" => "class",
        "interface" => "interface",
        "type" if rest[name.len()..].trim_start().starts_with(['=', '<']) => "type",
        "enum" => "enum",
        "namespace" | "module" if rest.trim_end().ends_with('{') => "namespace",
        "const" | "let" | "var" => {
            if let Some(inner) = rest.strip_prefix("enum ") {
                return Some(("enum", short(word(inner.trim_start()))));
            }
            let makes = rest.contains("=>")
                || rest.contains("function")
                || rest.trim_end().ends_with('(') && rest.contains('=');
            if makes { "function" } else { "constant" }
        }
        _ => return None,
    };
    match name {
        "" if is_default => Some((kind, "default".to_owned())),
        "" => None,
        name => Some((kind, short(name))),
    }
}

/// A method of a class, or a field that holds a function.
fn method(line: &str) -> Option<Named> {
    const MODIFIERS: [&str; 11] = [
        "public",
        "private",
        "protected",
        "static",
        "async",
        "override",
        "readonly",
        "abstract",
        "get",
        "set",
        "declare",
    ];
    const NO_NAMES: [&str; 9] = [
        "if", "for", "while", "switch", "return", "catch", "super", "new", "await",
    ];
    let text = without(line, &MODIFIERS).trim_start_matches('*').trim_start();
    let name = word(text);
    let rest = text[name.len()..].trim_start();
    let rest = rest.strip_prefix('?').unwrap_or(rest);
    let is_method = rest.starts_with('(') || rest.starts_with('<') && rest.contains('(');
    let is_field = rest.starts_with(['=', ':']) && rest.contains("=>");
    (!name.is_empty() && !NO_NAMES.contains(&name) && (is_method || is_field)).then(|| ("method", short(name)))
}

/// How a line begins.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// Open braces, brackets and parentheses.
    depth: u32,
    /// Outside of strings and comments.
    code: bool,
    /// Inside of a comment.
    comment: bool,
}

enum Inside {
    Code,
    Comment,
    Quote(char),
    Template,
    /// `${…}` in a template, with the depth at which it ends.
    Hole(u32),
}

/// How each line begins. A string ends with its line at the latest; a slash where a value may begin opens a pattern.
fn starts(lines: &Lines<'_>) -> Vec<Start> {
    let mut starts = Vec::with_capacity(lines.count());
    let mut inside = vec![Inside::Code];
    let mut depth = 0_u32;
    for at in 0..lines.count() {
        if matches!(inside.last(), Some(Inside::Quote(_))) {
            inside.pop();
        }
        let line = lines.line(at);
        // A brace that is never closed must not swallow the file: a declaration at the margin begins anew.
        let is_lost = depth > 0
            && matches!(inside.last(), Some(Inside::Code))
            && !line.starts_with([' ', '\t'])
            && is_margin(line);
        if is_lost {
            depth = 0;
        }
        starts.push(Start {
            depth,
            code: matches!(inside.last(), Some(Inside::Code)) && inside.len() == 1,
            comment: matches!(inside.last(), Some(Inside::Comment)),
        });
        let mut rest = line;
        let mut before = '\n';
        while let Some(c) = rest.chars().next() {
            let mut step = c.len_utf8();
            let escaped = |rest: &str| rest[1..].chars().next().map_or(0, char::len_utf8);
            match inside.last() {
                Some(Inside::Comment) => {
                    if rest.starts_with("*/") {
                        inside.pop();
                        step = 2;
                    }
                }
                Some(Inside::Quote(end)) => {
                    if c == '\\' {
                        step += escaped(rest);
                    } else if c == *end {
                        inside.pop();
                    }
                }
                Some(Inside::Template) => match c {
                    '\\' => step += escaped(rest),
                    '`' => drop(inside.pop()),
                    '$' if rest.starts_with("${") => {
                        inside.push(Inside::Hole(depth));
                        depth += 1;
                        step = 2;
                    }
                    _ => {}
                },
                _ => {
                    if rest.starts_with("//") {
                        break;
                    }
                    match c {
                        '/' if rest.starts_with("/*") => {
                            inside.push(Inside::Comment);
                            step = 2;
                        }
                        '/' if before == '\n' || "(,=:[!&|?{};+".contains(before) => step = pattern(rest).unwrap_or(1),
                        '"' | '\'' => inside.push(Inside::Quote(c)),
                        '`' => inside.push(Inside::Template),
                        '{' | '(' | '[' => depth += 1,
                        '}' | ')' | ']' => {
                            depth = depth.saturating_sub(1);
                            if c == '}' && matches!(inside.last(), Some(Inside::Hole(end)) if *end >= depth) {
                                inside.pop();
                            }
                        }
                        _ => {}
                    }
                    if !c.is_whitespace() {
                        before = c;
                    }
                }
            }
            rest = &rest[step..];
        }
    }
    starts
}

fn is_margin(line: &str) -> bool {
    line.starts_with("export ")
        || line.starts_with("function ")
        || line.starts_with("class ")
        || line.starts_with("import ")
}

/// How long the pattern is that begins here; `None` when none does, or one longer than anybody writes.
fn pattern(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().take(1_000).skip(1);
    let mut in_class = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}
