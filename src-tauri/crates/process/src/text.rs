//! Bytes that arrive in pieces become text: characters that are cut in two wait for their other half, and lines for their end.

/// Decodes one stream. What is no UTF-8 becomes `�`.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    held: Vec<u8>,
}

impl Decoder {
    /// The text that is complete so far.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let mut text = String::new();
        let mut from = 0;
        loop {
            match std::str::from_utf8(&self.held[from..]) {
                Ok(rest) => {
                    text.push_str(rest);
                    self.held.clear();
                    return text;
                }
                Err(error) => {
                    let good = from + error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.held[from..good]));
                    match error.error_len() {
                        Some(bad) => {
                            text.push('\u{fffd}');
                            from = good + bad;
                        }
                        None => {
                            self.held.drain(..good);
                            return text;
                        }
                    }
                }
            }
        }
    }

    /// What is left at the end.
    pub fn finish(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.held).into_owned();
        self.held.clear();
        text
    }
}

/// The last line that is not blank, at most 500 bytes of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastLine {
    current: String,
    last: String,
}

impl LastLine {
    pub fn add(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let room = 500usize.saturating_sub(self.current.len());
            self.current.push_str(beginning(line, room));
            if lines.peek().is_some() {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        let line = std::mem::take(&mut self.current);
        if !line.trim().is_empty() {
            self.last = line.trim().to_owned();
        }
    }

    pub fn get(mut self) -> Option<String> {
        self.end();
        Some(self.last).filter(|line| !line.is_empty())
    }
}

/// At most `bytes` from the start of a text, cut on a character boundary.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_gives_the_same_text() {
        let whole = b"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xff\xfez\xe2\x82";
        let expected = String::from_utf8_lossy(whole);
        for cut in 0..=whole.len() {
            let mut decoder = Decoder::default();
            let text = decoder.push(&whole[..cut]) + &decoder.push(&whole[cut..]) + &decoder.finish();
            assert_eq!(text, expected, "cut at {cut}");
        }
    }
}
