//! Texts of others made safe to show: nothing in them acts on a terminal or a page, hides, or turns the reading order.

/// A path as text: each byte of it that is no UTF-8 stands as `\xe9`.
pub fn path(path: &std::path::Path) -> String {
    store::regular::escaped(path)
}

/// Control characters made visible: a terminal escape in a step's output must not reach a terminal or a page as one.
pub fn visible(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            '\t' => '\t',
            c if (c as u32) < 0x20 => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            c if c.is_control() || deceives(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The same of a name that is shown between quotation marks: what is quoted in it stands between single ones.
pub fn in_quotes(line: &str) -> String {
    visible(line).replace('“', "‘").replace('”', "’")
}

/// The same of words in the middle of a sentence, which do not look like its end: behind a full stop in them no plain space stands.
pub fn in_sentence(words: &str) -> String {
    visible(words).replace(". ", ".\u{a0}")
}

/// The same of a text of several lines.
pub fn visible_text(text: &str) -> String {
    text.trim_end().lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// A text cut after so many characters, with `…` where something was left out.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a character makes a text look like another one: it turns the reading order, ends a line where none ends, or is not there to be seen.
/// Joiners and soft hyphens do not; they belong to scripts, signs and words.
pub fn deceives(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text in which no character makes it look like another one; lines and everything else stay.
pub fn honest(text: &str) -> String {
    text.chars().map(|c| if deceives(c) { '\u{fffd}' } else { c }).collect()
}

/// The same of a whole document, which a terminal may print: nothing in it acts on one either.
pub fn inert(document: &str) -> String {
    document
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => visible(line.strip_suffix('\r').unwrap_or(line)) + "\n",
            None => visible(line),
        })
        .collect()
}

/// The same of everything that is shown. What is edited as it is, the source of a workflow, stays.
pub fn honest_in(value: &mut serde_json::Value) {
    use serde_json::Value as V;
    match value {
        V::String(text) if text.contains(deceives) => *text = honest(text),
        V::Array(items) => items.iter_mut().for_each(honest_in),
        V::Object(fields) => {
            let shown = fields.iter_mut().filter(|(name, _)| *name != "source");
            shown.for_each(|(_, field)| honest_in(field));
        }
        _ => {}
    }
}

/// What a program printed, for reading: colours are left out, every other control character is made visible, and nothing is
/// hidden (a lone carriage return, which would let a line be written over, ends the line).
pub fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        out.push_str(before);
        let end = after.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == ':'));
        match end.map(|end| after.split_at(end)) {
            Some((_, tail)) if tail.starts_with('m') => rest = &tail[1..],
            _ => {
                out.push_str("\u{1b}[");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    let ends = out.ends_with('\n');
    let mut shown = out.lines().map(visible).collect::<Vec<_>>().join("\n");
    if ends {
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{in_quotes, in_sentence, inert, plain, visible};

    #[test]
    fn a_full_stop_within_words_ends_no_sentence() {
        assert_eq!(in_sentence("1. Brief.md"), "1.\u{a0}Brief.md");
        assert_eq!(in_sentence("Brief.md, a.txt"), "Brief.md, a.txt");
    }

    #[test]
    fn terminal_escapes_become_pictures_of_themselves() {
        assert_eq!(visible("a\u{1b}[31mred\u{7}"), "a␛[31mred␇");
        assert_eq!(visible("abc\u{202e}def"), "abc\u{fffd}def");
        assert_eq!(visible("tab\there"), "tab\there");
        assert_eq!(visible("a\u{3164}b\u{2028}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(inert("a\r\nb"), "a\nb");
        assert_eq!(inert("a\u{1b}[31m\n\n\tb\u{9b}"), "a␛[31m\n\n\tb\u{fffd}");
    }

    #[test]
    fn a_name_between_quotation_marks_has_single_ones_of_its_own() {
        assert_eq!(in_quotes("“Two” was rehearsed\u{7}"), "‘Two’ was rehearsed␇");
    }

    #[test]
    fn colours_are_left_out_and_nothing_is_hidden() {
        for (printed, read) in [
            ("\u{1b}[1;32mok\u{1b}[0m 12 passed\n", "ok 12 passed\n"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}", "␛[2J␛]0;title␇"),
            ("\u{1b}[31", "␛[31"),
            ("", ""),
        ] {
            assert_eq!(plain(printed), read);
        }
    }
}
