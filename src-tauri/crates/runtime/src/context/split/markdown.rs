//! Markdown: sections by their headings.

use super::lines::Lines;
use super::{Piece, short};
use std::ops::Range;

/// A section reaches to the next heading of any level; its name is the way to it: `Install > Linux`.
pub(super) fn pieces(lines: &Lines<'_>, file: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut way: Vec<(usize, String)> = Vec::new();
    let mut start = front_matter(lines);
    if start > 0 {
        pieces.push(piece(lines, 0..start, "front matter", file.to_owned()));
    }
    let mut open = ("preamble", file.to_owned());
    let mut fence: Option<&str> = None;
    let mut at = start;
    while at < lines.count() {
        let line = lines.line(at).trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark)) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
        }
        if let Some((level, title)) = heading(lines, at).filter(|_| fence.is_none()) {
            let (kind, name) = std::mem::replace(&mut open, ("section", String::new()));
            pieces.push(piece(lines, start..at, kind, name));
            way.retain(|(above, _)| *above < level);
            way.push((level, short(&title)));
            let titles: Vec<&str> = way.iter().map(|(_, title)| title.as_str()).collect();
            open.1 = titles.join(" > ");
            start = at;
        }
        at += 1;
    }
    pieces.push(piece(lines, start..lines.count(), open.0, open.1));
    pieces
}

fn piece(lines: &Lines<'_>, place: Range<usize>, kind: &'static str, name: String) -> Piece {
    // The heading and the first paragraph behind it.
    let mut end = place.start;
    let mut texts = 0;
    while end < place.end && texts < 2 {
        while end < place.end && lines.line(end).trim().is_empty() {
            end += 1;
        }
        while end < place.end && !lines.line(end).trim().is_empty() {
            end += 1;
        }
        texts += 1;
    }
    Piece {
        kind,
        signature: if kind == "section" { name.clone() } else { String::new() },
        name,
        lead: lines.slice(place.start..end).to_owned(),
        place: lines.place(place),
        text: None,
    }
}

/// How many lines the front matter has.
fn front_matter(lines: &Lines<'_>) -> usize {
    if lines.line(0).trim_end() != "---" {
        return 0;
    }
    (1..lines.count())
        .find(|at| lines.line(*at).trim_end() == "---")
        .map_or(0, |end| end + 1)
}

/// `## Title`, or a line that is underlined.
fn heading(lines: &Lines<'_>, at: usize) -> Option<(usize, String)> {
    let line = lines.line(at);
    let text = line.trim_start();
    if line.len() - text.len() > 3 || text.is_empty() {
        return None;
    }
    let level = text.chars().take_while(|c| *c == '#').count();
    if (1..=6).contains(&level) {
        let title = &text[level..];
        let is_heading = title.is_empty() || title.starts_with([' ', '\t']);
        return is_heading.then(|| (level, title.trim().trim_end_matches('#').trim().to_owned()));
    }
    let under = (at + 1 < lines.count())
        .then(|| lines.line(at + 1).trim_end())
        .filter(|line| line.len() >= 3)?;
    let level = match under.as_bytes() {
        line if line.iter().all(|b| *b == b'=') => 1,
        line if line.iter().all(|b| *b == b'-') => 2,
        _ => return None,
    };
    let is_first = at == 0 || lines.line(at - 1).trim().is_empty();
    let is_text = !text.starts_with(['-', '*', '>', '|', '`', '~']);
    (is_first && is_text).then(|| (level, text.trim_end().to_owned()))
}
