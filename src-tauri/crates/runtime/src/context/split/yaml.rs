//! YAML: the keys of the outermost mapping (or the items of the outermost list), and keys in keys where those are long; by indentation.

use super::lines::{Lines, indent};
use super::{COARSE_BYTES, Piece, short};
use std::ops::Range;

/// So deep are long values looked into.
const DEPTH: usize = 3;

pub(super) fn pieces(lines: &Lines<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    members(lines, 0..lines.count(), "", DEPTH, &mut pieces);
    pieces
}

/// The members of the mapping or list whose lines these are. What stands before the first one belongs to it.
fn members(lines: &Lines<'_>, within: Range<usize>, above: &str, deeper: usize, pieces: &mut Vec<Piece>) {
    let says = |at: &usize| {
        let line = lines.line(*at).trim();
        !line.is_empty() && !line.starts_with('#') && !matches!(line, "---" | "...") && !line.starts_with('%')
    };
    let Some(width) = within.clone().filter(says).map(|at| indent(lines.line(at))).min() else {
        return;
    };
    let head = |at: usize| {
        (indent(lines.line(at)) == width)
            .then(|| name(lines.line(at).trim()))
            .flatten()
    };
    let mut found: Vec<(usize, Option<String>)> = Vec::new();
    for at in within.clone().filter(says) {
        if let Some(name) = head(at) {
            found.push((at, name));
        }
    }
    let mut starts: Vec<usize> = Vec::with_capacity(found.len());
    let mut floor = within.start;
    for (at, _) in &found {
        let comments = (floor..*at).rev();
        let comments = comments.take_while(|above| lines.line(*above).trim_start().starts_with('#'));
        starts.push(comments.last().unwrap_or(*at));
        floor = at + 1;
    }
    for (index, (at, name)) in found.iter().enumerate() {
        let start = if index == 0 { within.start } else { starts[index] };
        let end = starts.get(index + 1).copied().unwrap_or(within.end);
        let (kind, name) = match name {
            Some(name) if above.is_empty() => ("key", name.clone()),
            Some(name) => ("key", format!("{above}.{name}")),
            None => ("item", format!("{above}[{index}]")),
        };
        let place = lines.place(lines.trimmed(start..end));
        let before = pieces.len();
        // What follows `|` or `>` is text.
        let is_text = lines
            .line(*at)
            .rsplit(' ')
            .next()
            .is_some_and(|last| last.starts_with(['|', '>']));
        if deeper > 1 && kind == "key" && place.len() > COARSE_BYTES && !is_text {
            members(lines, at + 1..end, &name, deeper - 1, pieces);
        }
        // Its own line is told by the names of what is in it.
        if pieces.len() == before {
            pieces.push(Piece {
                kind,
                name,
                place,
                signature: lines.line(*at).trim().to_owned(),
                ..Piece::default()
            });
        }
    }
}

/// What a line names: a key (`Some`), an item of a list (`None` inside), or nothing.
fn name(line: &str) -> Option<Option<String>> {
    if line == "-" || line.starts_with("- ") {
        return Some(None);
    }
    let end = match line.chars().next()? {
        quote @ ('"' | '\'') => line[1..].find(quote)? + 2,
        _ => line
            .find(": ")
            .or_else(|| line.ends_with(':').then(|| line.len() - 1))?,
    };
    let rest = line[end..].trim_start();
    rest.starts_with(':')
        .then(|| Some(short(line[..end].trim().trim_matches(['"', '\'']))))
}
