//! Lines and columns of a text, as people count them, and as programs print them.

use super::CheckPlace;

/// Line and column of a byte, both 1-based, columns in characters.
pub(super) fn position(text: &str, byte: usize) -> (u32, u32) {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    (count(line), count(before[line_start..].chars().count() + 1))
}

/// What a program printed about one file in the way most do: `path:line:column: text` or `path:line: text`. Lines about other files, and notes to
/// other lines, are left out.
pub(super) fn places(output: &str, path: &str) -> Vec<CheckPlace> {
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(path)?;
        let rest = rest.strip_prefix(':')?;
        let (number, rest) = rest.split_once(':')?;
        let line = number.parse().ok()?;
        let (column, text) = match rest.split_once(':') {
            Some((column, text)) if column.parse::<u32>().is_ok() => (column.parse().ok(), text),
            _ => (None, rest),
        };
        let text = text.trim();
        (!text.is_empty() && !text.starts_with("note:")).then(|| CheckPlace {
            line: Some(line),
            column,
            text: text.chars().take(500).collect(),
        })
    };
    output.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_in_characters() {
        let text = "ä\nbäc\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 2), (1, 2));
        assert_eq!(position(text, 6), (2, 3));
        assert_eq!(position(text, 5), (2, 2), "within a character");
        assert_eq!(position(text, 99), (3, 1));
    }

    #[test]
    fn what_programs_print_about_the_file_is_read() {
        let output = "src/a.py:3:5: error: Incompatible types  [assignment]\n\
            src/a.py:3:5: note: see there\n\
            /home/x/src/a.py:9: E501 Line too long: 99 > 88\n\
            src/b.py:1:1: error: other file\n\
            src/a.py: no line\nFound 2 errors.\n";
        let found = places(output, "src/a.py");
        let seen: Vec<_> = found.iter().map(|p| (p.line, p.column, p.text.as_str())).collect();
        assert_eq!(
            seen,
            [
                (Some(3), Some(5), "error: Incompatible types  [assignment]"),
                (Some(9), None, "E501 Line too long: 99 > 88"),
            ]
        );
    }
}
