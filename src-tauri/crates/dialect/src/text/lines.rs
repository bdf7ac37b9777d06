//! Byte offset to line and column.

/// A place for people: both 1-based, the column counted in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// 1 for the first line.
    pub line: usize,
    /// 1 for the first character of the line.
    pub column: usize,
}

/// Where each line begins. `\n`, `\r\n` and a lone `\r` end a line.
#[derive(Debug, Clone)]
pub struct Lines {
    starts: Vec<usize>,
    /// How many characters stand before each [`STRIDE`] of bytes: a document may be one line of megabytes.
    marks: Vec<usize>,
}

/// So many bytes are looked at for a column, at most.
const STRIDE: usize = 1024;

/// How many characters begin in a piece of a text; a byte order mark is none.
fn begun(text: &[u8], from: usize, to: usize) -> usize {
    if text[from..to].is_ascii() {
        return to - from;
    }
    let is_mark = |at: usize| text[at] == 0xEF && text[at..].starts_with("\u{feff}".as_bytes());
    let begins = |at: &usize| text[*at] & 0xC0 != 0x80 && !is_mark(*at);
    (from..to).filter(begins).count()
}

impl Lines {
    /// Indexes a text once; every question afterwards is a binary search.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        let mut marks = vec![0];
        for from in (0..bytes.len()).step_by(STRIDE) {
            let before = marks[marks.len() - 1];
            marks.push(before + begun(bytes, from, (from + STRIDE).min(bytes.len())));
        }
        Self { starts, marks }
    }

    /// How many characters stand before a byte.
    fn before(&self, text: &str, offset: usize) -> usize {
        let mark = offset / STRIDE;
        self.marks[mark] + begun(text.as_bytes(), mark * STRIDE, offset)
    }

    /// How many lines there are; a final line end opens an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The 0-based line a byte stands on.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// Where a 0-based line begins; the end of the text for a line past the last.
    pub fn start_of(&self, line: usize, text: &str) -> usize {
        self.starts.get(line).copied().unwrap_or(text.len())
    }

    /// Line and column of a byte; an offset past the end means the end, one inside a character that character.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let start = self.starts[line];
        let column = match offset - start {
            0..STRIDE => begun(text.as_bytes(), start, offset),
            _ => self.before(text, offset) - self.before(text, start),
        };
        Position {
            line: line + 1,
            column: column + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_counted_in_characters_wherever_it_stands() {
        let line = "\u{feff}é→😀x".repeat(700);
        let text = format!("{line}\r\n{line}");
        let lines = Lines::of(&text);
        for (offset, _) in text.char_indices().step_by(7) {
            let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
            let column = text[start..offset].chars().filter(|c| *c != '\u{feff}').count() + 1;
            assert_eq!(lines.position(&text, offset).column, column, "{offset}");
        }
        assert_eq!(Lines::of("").position("", 9), Position { line: 1, column: 1 });
    }
}
