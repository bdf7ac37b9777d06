//! What a page needs to be printed: texts inside style sheets, headings in order, and a picture in pieces that fit a sheet.

use model::layout::Drawing;
use std::fmt::Write as _;

/// A text between the quotes of a style sheet: letters and digits as they are, everything else as its number, so that no
/// text can end the string or the style sheet.
pub fn css(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars().take(120) {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '-' | '.' | ',' => out.push(letter),
            // Writing to a String cannot fail.
            _ => {
                let _ = write!(out, "\\{:x} ", u32::from(letter));
            }
        }
    }
    out
}

/// A sentence in its parts: every second one is quoted, and stood in backticks.
pub fn parts(text: &str) -> Vec<String> {
    text.split('`').map(str::to_owned).collect()
}

/// Rendered Markdown whose headings begin at this level and have one more below it, so that none is skipped: a text inside the report is
/// part of what has a heading of the report.
pub fn headings(html: &str, from: u8) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    let mut open = Vec::new();
    let mut top = None;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let bytes = tag.as_bytes();
        let (closes, level) = match bytes {
            [b'<', b'h', level @ b'1'..=b'6', b'>' | b' ', ..] => (false, *level),
            [b'<', b'/', b'h', level @ b'1'..=b'6', b'>', ..] => (true, *level),
            _ => {
                out.push('<');
                rest = &tag[1..];
                continue;
            }
        };
        if closes {
            let _ = write!(out, "</h{}", open.pop().unwrap_or(from + 1));
            rest = &tag[4..];
        } else {
            let first = *top.get_or_insert(level);
            let shown = if level <= first { from } else { from + 1 };
            top = Some(first.min(level));
            open.push(shown);
            let _ = write!(out, "<h{shown}");
            rest = &tag[3..];
        }
    }
    out.push_str(rest);
    out
}

/// Where a drawing is cut into pieces no higher than `highest`, from top to bottom: pairs of upper and lower end. A cut goes
/// between steps; one that is higher than a piece stays whole.
pub fn pieces(drawing: &Drawing, highest: f64) -> Vec<(f64, f64)> {
    let mut boxes: Vec<(f64, f64)> = drawing.nodes.iter().map(|n| (n.y, n.y + n.height)).collect();
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Places where a cut meets no step: the middles of the free stretches.
    let mut free = Vec::new();
    let mut lowest = f64::NEG_INFINITY;
    for (upper, lower) in boxes {
        if upper > lowest && lowest.is_finite() {
            free.push(f64::midpoint(upper, lowest));
        }
        lowest = lowest.max(lower);
    }
    let mut out = Vec::new();
    let mut from = 0.0;
    while drawing.height - from > highest {
        let fits = free.iter().rev().find(|cut| **cut > from && **cut - from <= highest);
        let Some(cut) = fits.or_else(|| free.iter().find(|cut| **cut > from)) else {
            break;
        };
        out.push((from, *cut));
        from = *cut;
    }
    out.push((from, drawing.height));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_every_second_part() {
        assert_eq!(parts("Ask `gatehouse people`."), ["Ask ", "gatehouse people", "."]);
        assert_eq!(parts("Nothing"), ["Nothing"]);
    }

    #[test]
    fn no_text_ends_a_style_sheet() {
        assert_eq!(css("Plan A, 2"), "Plan A, 2");
        let hostile = css("\"}</style><script>\\");
        assert!(!hostile.contains(['"', '<', '>', '}', '/']), "{hostile}");
        assert_eq!(css("é\n"), "\\e9 \\a ");
    }

    #[test]
    fn headings_of_a_document_keep_their_order_below_the_step_s() {
        for (given, expected) in [
            ("<h1>A</h1><p>x</p><h2>B</h2>", "<h5>A</h5><p>x</p><h6>B</h6>"),
            ("<h3 id=\"q\">A</h3><h6>B</h6>", "<h5 id=\"q\">A</h5><h6>B</h6>"),
            ("<h2>A</h2><h1>B</h1><h2>C</h2>", "<h5>A</h5><h5>B</h5><h6>C</h6>"),
            ("<hr><header>é</header> 1 < 2", "<hr><header>é</header> 1 < 2"),
        ] {
            assert_eq!(headings(given, 5), expected);
        }
    }
}
