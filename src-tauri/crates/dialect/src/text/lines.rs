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
        Self { starts }
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
        let column = text[self.starts[line]..offset]
            .chars()
            .filter(|c| *c != '\u{feff}')
            .count();
        Position {
            line: line + 1,
            column: column + 1,
        }
    }
}
