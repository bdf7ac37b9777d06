//! Python: functions, classes and their methods, by indentation.

use super::lines::{Lines, indent, left_over};
use super::{NAME_BYTES, Piece, cut};
use std::ops::Range;

/// Longest signature, in lines.
const SIGNATURE_LINES: usize = 12;

/// Functions and classes of the module, methods of its classes (`Parser.read`), and what is left of the module.
pub(super) fn pieces(lines: &Lines<'_>, file: &str) -> Vec<Piece> {
    let begins = begins(lines);
    let mut pieces = Vec::new();
    let mut taken = Vec::new();
    for found in definitions(lines, &begins, 0..lines.count(), 0) {
        taken.push(found.lines.clone());
        match found.is_class {
            true => class(lines, &begins, &found, &mut pieces),
            false => pieces.push(piece(lines, &begins, &found, "function", found.name.to_owned())),
        }
    }
    let rest = left_over(lines, &taken);
    let rest = Piece {
        kind: "module",
        name: file.to_owned(),
        place: 0..lines.text.len(),
        text: Some(rest),
        ..Piece::default()
    };
    pieces.insert(0, rest);
    pieces
}

/// The class with the signatures of its methods, and each method.
fn class(lines: &Lines<'_>, begins: &[bool], found: &Definition<'_>, pieces: &mut Vec<Piece>) {
    let body = signature_end(lines, begins, found)..found.lines.end;
    let inner = body.clone().find(|at| begins[*at] && !is_blank(lines.line(*at)));
    let methods = match inner.map(|at| indent(lines.line(at))) {
        Some(width) if width > found.indent => definitions(lines, begins, body, width),
        _ => Vec::new(),
    };
    let mut own = piece(lines, begins, found, "class", found.name.to_owned());
    if let Some(first) = methods.first() {
        let mut text = lines.slice(found.lines.start..first.lines.start).to_owned();
        let mut last = first.lines.start;
        for method in &methods {
            text.push_str(lines.slice(last..method.lines.start));
            text.push_str(lines.slice(method.at..signature_end(lines, begins, method)));
            last = method.lines.end;
        }
        text.push_str(lines.slice(last..found.lines.end));
        own.text = Some(text);
    }
    pieces.push(own);
    for method in methods {
        let name = format!("{}.{}", found.name, method.name);
        let kind = if method.is_class { "class" } else { "method" };
        pieces.push(piece(lines, begins, &method, kind, name));
    }
}

fn piece(lines: &Lines<'_>, begins: &[bool], found: &Definition<'_>, kind: &'static str, name: String) -> Piece {
    let signature_end = signature_end(lines, begins, found);
    // A string right behind the signature is the documentation: it ends where the next line begins outside of it.
    let mut end = signature_end.min(found.lines.end);
    let documented = end < found.lines.end
        && lines
            .line(end)
            .trim_start()
            .trim_start_matches(['r', 'R', 'u', 'U'])
            .starts_with(['"', '\'']);
    if documented {
        end += 1;
        while end < found.lines.end && !begins[end] {
            end += 1;
        }
    } else {
        end = (end + 3).min(found.lines.end);
    }
    Piece {
        kind,
        name,
        place: lines.place(found.lines.clone()),
        signature: lines
            .slice(found.at..signature_end)
            .trim_end()
            .trim_end_matches(':')
            .to_owned(),
        lead: lines.slice(found.lines.start..end).to_owned(),
        text: None,
    }
}

struct Definition<'t> {
    /// With decorators and comments right above.
    lines: Range<usize>,
    /// The line of `def` or `class`.
    at: usize,
    indent: usize,
    name: &'t str,
    is_class: bool,
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Definitions at exactly this indentation.
fn definitions<'t>(lines: &Lines<'t>, begins: &[bool], within: Range<usize>, width: usize) -> Vec<Definition<'t>> {
    let mut found: Vec<Definition<'t>> = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let line = lines.line(at);
        let head = if begins[at] && indent(line) == width {
            definition(line)
        } else {
            None
        };
        let Some((name, is_class)) = head else {
            at += 1;
            continue;
        };
        let floor = found.last().map_or(within.start, |before| before.lines.end);
        let mut start = at;
        while start > floor {
            let above = lines.line(start - 1);
            let belongs = indent(above) == width && above.trim_start().starts_with(['@', '#']);
            // The lines of a decorator's arguments belong to it.
            if !belongs && begins[start - 1] {
                break;
            }
            start -= 1;
        }
        while start < at && !begins[start] {
            start += 1;
        }
        let ends = |line: &usize| begins[*line] && !is_blank(lines.line(*line)) && indent(lines.line(*line)) <= width;
        let end = (at + 1..within.end).find(ends).unwrap_or(within.end);
        // Comments and decorators of what follows are not this one's.
        let end = (at + 1..end)
            .rev()
            .find(|line| !is_blank(lines.line(*line)))
            .map_or(at + 1, |last| last + 1);
        found.push(Definition {
            lines: start..end,
            at,
            indent: width,
            name,
            is_class,
        });
        at = end;
    }
    found
}

fn definition(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").map_or(line, str::trim_start);
    let (rest, is_class) = match line.strip_prefix("def ") {
        Some(rest) => (rest, false),
        None => (line.strip_prefix("class ")?, true),
    };
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    (end > 0).then(|| (cut(&rest[..end], NAME_BYTES), is_class))
}

/// The line behind the signature: the first that begins outside of its brackets.
fn signature_end(lines: &Lines<'_>, begins: &[bool], found: &Definition<'_>) -> usize {
    let most = lines.count().min(found.at + SIGNATURE_LINES).min(found.lines.end);
    (found.at + 1..most)
        .find(|at| begins[*at])
        .unwrap_or(most.max(found.at + 1))
}

/// For each line whether it begins outside of strings, brackets and continued lines.
fn begins(lines: &Lines<'_>) -> Vec<bool> {
    let mut begins = Vec::with_capacity(lines.count());
    let mut triple: Option<&str> = None;
    let mut depth = 0_u32;
    let mut goes_on = false;
    for at in 0..lines.count() {
        begins.push(triple.is_none() && depth == 0 && !goes_on);
        let line = lines.line(at);
        let mut rest = line;
        let mut quote: Option<char> = None;
        while let Some(c) = rest.chars().next() {
            let mut step = c.len_utf8();
            if c == '\\' && (triple.is_some() || quote.is_some()) {
                step += rest[step..].chars().next().map_or(0, char::len_utf8);
            } else if let Some(end) = triple {
                if rest.starts_with(end) {
                    triple = None;
                    step = 3;
                }
            } else if let Some(end) = quote {
                quote = Some(end).filter(|end| *end != c);
            } else if let Some(mark) = ["\"\"\"", "'''"].into_iter().find(|mark| rest.starts_with(mark)) {
                triple = Some(mark);
                step = 3;
            } else {
                match c {
                    '#' => break,
                    '"' | '\'' => quote = Some(c),
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            rest = &rest[step..];
        }
        // A bracket that is never closed must not swallow the file: a definition at the margin begins anew.
        let next_is_definition =
            at + 1 < lines.count() && indent(lines.line(at + 1)) == 0 && definition(lines.line(at + 1)).is_some();
        if triple.is_none() && next_is_definition {
            depth = 0;
        }
        goes_on = triple.is_none() && line.ends_with('\\');
    }
    begins
}
