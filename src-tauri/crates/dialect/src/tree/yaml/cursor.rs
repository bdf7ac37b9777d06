//! The cursor that walks the source beside the events: what it skips, and where things end.

use super::Reader;
use saphyr_parser::Marker;

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space, line ends and comments.
    pub(super) fn trivia(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' if self.at == 0 || matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n' | b'\r') => {
                    while self.peek().is_some_and(|b| b != b'\n' && b != b'\r') {
                        self.at += 1;
                    }
                }
                0xEF if self.bytes[self.at..].starts_with("\u{feff}".as_bytes()) => self.at += 3,
                _ => break,
            }
        }
    }

    /// True when the byte after the cursor ends an indicator.
    pub(super) fn indicator_ends(&self) -> bool {
        self.bytes
            .get(self.at + 1)
            .is_none_or(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// Skips an anchor and a tag, in either order.
    pub(super) fn properties(&mut self) {
        for _ in 0..2 {
            match self.peek() {
                Some(b'&') => {
                    self.at += 1;
                    self.word();
                }
                Some(b'!') => {
                    if self.bytes.get(self.at + 1) == Some(&b'<') {
                        while self.peek().is_some_and(|b| b != b'>' && b != b'\n') {
                            self.at += 1;
                        }
                        if self.peek() == Some(b'>') {
                            self.at += 1;
                        }
                    } else {
                        self.at += 1;
                        self.word();
                    }
                }
                _ => return,
            }
            let after = self.at;
            self.trivia();
            if !matches!(self.peek(), Some(b'&' | b'!')) {
                self.at = after;
                return;
            }
        }
    }

    /// Skips the name of an anchor, alias or tag.
    pub(super) fn word(&mut self) {
        while self
            .peek()
            .is_some_and(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'[' | b']' | b'{' | b'}'))
        {
            self.at += 1;
        }
    }

    pub(super) fn end_of_quoted(&mut self, quote: u8) {
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'\\' && quote == b'"' {
                // The escaped byte is ASCII or the first byte of a character; either way it is not a closing quote.
                if self.at < self.bytes.len() {
                    self.at += 1;
                }
            } else if byte == quote {
                if quote == b'\'' && self.peek() == Some(b'\'') {
                    self.at += 1;
                } else {
                    break;
                }
            }
        }
    }

    /// Where a block scalar's own text ends: the parser's mark stands on the next token, behind blank lines that
    /// belong to the scalar only when its header says keep (`+`).
    pub(super) fn end_of_block(&self, start: usize, mark: usize) -> usize {
        let header_end = self.bytes[start..]
            .iter()
            .position(|b| *b == b'\n' || *b == b'\r')
            .map_or(self.bytes.len(), |n| start + n);
        let header = &self.text.as_bytes()[start..header_end];
        let keep = header
            .iter()
            .take_while(|b| !matches!(b, b' ' | b'\t' | b'#'))
            .any(|b| *b == b'+');
        let mut end = mark.min(self.bytes.len());
        // Back over the indentation of the next token.
        while end > header_end && matches!(self.bytes[end - 1], b' ' | b'\t') {
            end -= 1;
        }
        if end <= header_end {
            return header_end - header.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        }
        if end < mark && !matches!(self.bytes[end - 1], b'\n' | b'\r') {
            // The white space was the content's own.
            end = mark;
        }
        let one_line_end = |end: usize| {
            if end > 0 && self.bytes[end - 1] == b'\n' {
                if end > 1 && self.bytes[end - 2] == b'\r' {
                    end - 2
                } else {
                    end - 1
                }
            } else if end > 0 && self.bytes[end - 1] == b'\r' {
                end - 1
            } else {
                end
            }
        };
        end = one_line_end(end);
        if !keep {
            loop {
                let mut line = end;
                while line > header_end && matches!(self.bytes[line - 1], b' ' | b'\t') {
                    line -= 1;
                }
                if line > header_end && matches!(self.bytes[line - 1], b'\n' | b'\r') {
                    end = one_line_end(line);
                } else {
                    break;
                }
            }
        }
        end.max(header_end)
    }

    /// The byte offset of a mark. Marks are asked for in rising order, so the whole text is counted once.
    pub(super) fn byte_of(&mut self, mark: &Marker) -> usize {
        let wanted = mark.index();
        let (mut chars, mut bytes) = self.chars;
        if wanted < chars {
            (chars, bytes) = (0, 0);
        }
        while chars < wanted && bytes < self.bytes.len() {
            bytes += 1;
            while bytes < self.bytes.len() && !self.text.is_char_boundary(bytes) {
                bytes += 1;
            }
            chars += 1;
        }
        self.chars = (chars, bytes);
        bytes
    }

    /// Where the next `---` stands at the start of a line, from the cursor on; the cursor where there is none.
    pub(super) fn find_document_start(&self) -> usize {
        let mut at = self.at;
        while at < self.bytes.len() {
            let line_start =
                at == 0 || matches!(self.bytes[at - 1], b'\n' | b'\r') || self.text[..at].ends_with('\u{feff}');
            if line_start && self.bytes[at..].starts_with(b"---") {
                return at;
            }
            at += 1;
            while at < self.bytes.len() && !self.text.is_char_boundary(at) {
                at += 1;
            }
        }
        self.at
    }
}
