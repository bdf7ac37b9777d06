//! Where one message ends and the next begins, on a stream of bytes.

/// How the two sides of a conversation mark off their messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One message a line (MCP over standard streams). A message holds no line feed; empty lines are none.
    Lines,
    /// `Content-Length: N`, other headers, an empty line, then N bytes (language servers).
    Headers,
}

/// The longest head of a message with [`Framing::Headers`], in bytes.
const HEAD: usize = 4 * 1024;

/// Why no message can be read from what arrived; where the next one begins is then unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unframed {
    /// A message is longer than this many bytes.
    TooLong(usize),
    /// In words, what is wrong.
    Malformed(&'static str),
}

impl Framing {
    /// The bytes that carry a message.
    ///
    /// # Errors
    /// In words, why this framing cannot carry it.
    pub(crate) fn wrap(self, message: &[u8]) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Lines if message.contains(&b'\n') => Err("a message on one line cannot hold a line feed"),
            Self::Lines => Ok([message, b"\n"].concat()),
            Self::Headers => Ok([format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes(), message].concat()),
        }
    }
}

/// Cuts one stream into messages, however its bytes arrive.
#[derive(Debug)]
pub(crate) struct Framer {
    framing: Framing,
    limit: usize,
    held: Vec<u8>,
    /// How far it has been searched for the end of a line or of the head, so that time grows with the length alone.
    searched: usize,
    /// The length of the message whose head has been read.
    wanted: Option<usize>,
}

impl Framer {
    /// `limit`: the longest message, in bytes.
    pub fn new(framing: Framing, limit: usize) -> Self {
        Self {
            framing,
            limit,
            held: Vec::new(),
            searched: 0,
            wanted: None,
        }
    }

    /// What arrived next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Unframed> {
        match self.framing {
            Framing::Lines => self.next_line(),
            Framing::Headers => self.next_counted(),
        }
    }

    /// What is left when the stream has ended: a last line without its line feed. A message that was cut off is none.
    pub fn finish(self) -> Option<Vec<u8>> {
        let whole = self.framing == Framing::Lines && !self.held.trim_ascii().is_empty();
        whole.then_some(self.held)
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>, Unframed> {
        loop {
            let Some(at) = self.find(b"\n") else {
                return match self.held.len() > self.limit {
                    true => Err(Unframed::TooLong(self.limit)),
                    false => Ok(None),
                };
            };
            let mut line = self.take(at + 1);
            line.truncate(at);
            if line.len() > self.limit {
                return Err(Unframed::TooLong(self.limit));
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    fn next_counted(&mut self) -> Result<Option<Vec<u8>>, Unframed> {
        let wanted = match self.wanted {
            Some(wanted) => wanted,
            None => {
                let Some(at) = self.find(b"\r\n\r\n") else {
                    return match self.held.len() > HEAD {
                        true => Err(Unframed::Malformed("the head of a message does not end")),
                        false => Ok(None),
                    };
                };
                let head = self.take(at + 4);
                let wanted = length(&head).ok_or(Unframed::Malformed("a message says no `Content-Length`"))?;
                if wanted > self.limit {
                    return Err(Unframed::TooLong(self.limit));
                }
                self.wanted = Some(wanted);
                wanted
            }
        };
        if self.held.len() < wanted {
            return Ok(None);
        }
        self.wanted = None;
        Ok(Some(self.take(wanted)))
    }

    fn find(&mut self, end: &[u8]) -> Option<usize> {
        let from = self.searched.saturating_sub(end.len() - 1);
        let found = self.held[from..].windows(end.len()).position(|w| w == end);
        self.searched = self.held.len();
        found.map(|at| from + at)
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.held.split_off(count);
        self.searched = 0;
        std::mem::replace(&mut self.held, rest)
    }
}

fn length(head: &[u8]) -> Option<usize> {
    let head = std::str::from_utf8(head).ok()?;
    head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(framing: Framing, limit: usize, pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>, Unframed> {
        let mut framer = Framer::new(framing, limit);
        let mut found = Vec::new();
        for piece in pieces {
            framer.push(piece);
            while let Some(message) = framer.next()? {
                found.push(message);
            }
        }
        found.extend(framer.finish());
        Ok(found)
    }

    proptest! {
        #[test]
        fn what_is_wrapped_arrives_however_it_is_cut(
            messages in prop::collection::vec(prop::collection::vec(32u8..=255, 1..40), 0..6),
            cuts in prop::collection::vec(0usize..400, 0..8),
        ) {
            // A line of blanks is no message.
            let messages: Vec<Vec<u8>> = messages.into_iter().filter(|m| !m.trim_ascii().is_empty()).collect();
            for framing in [Framing::Lines, Framing::Headers] {
                let stream: Vec<u8> = messages.iter().flat_map(|m| framing.wrap(m).expect("no line feed")).collect();
                let mut cuts: Vec<usize> = cuts.iter().map(|c| c % (stream.len() + 1)).chain([0, stream.len()]).collect();
                cuts.sort_unstable();
                let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &stream[w[0]..w[1]]).collect();
                prop_assert_eq!(&read(framing, 40, &pieces).expect("well formed"), &messages);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for framing in [Framing::Lines, Framing::Headers] {
                for message in read(framing, 50, &[&bytes]).into_iter().flatten() {
                    prop_assert!(message.len() <= 50);
                }
            }
        }
    }

    #[test]
    fn what_is_too_long_or_has_no_head_is_refused() {
        let long = [b'x'; 11];
        assert_eq!(read(Framing::Lines, 10, &[&long]), Err(Unframed::TooLong(10)));
        assert_eq!(
            read(Framing::Lines, 10, &[b"0123456789\n"]),
            Ok(vec![b"0123456789".to_vec()])
        );
        let counted: &[u8] = b"Content-Length: 99999999999\r\n\r\n";
        assert_eq!(read(Framing::Headers, 10, &[counted]), Err(Unframed::TooLong(10)));
        let endless = vec![b'h'; HEAD + 1];
        assert!(matches!(
            read(Framing::Headers, 10, &[&endless]),
            Err(Unframed::Malformed(_))
        ));
        let nameless: &[u8] = b"Content-Type: x\r\n\r\n{}";
        assert!(matches!(
            read(Framing::Headers, 10, &[nameless]),
            Err(Unframed::Malformed(_))
        ));
        assert!(Framing::Lines.wrap(b"a\nb").is_err());
    }

    #[test]
    fn the_case_of_a_header_and_others_beside_it_do_not_matter() {
        let stream: &[u8] = b"content-type: x; y=z\r\nCONTENT-LENGTH:2\r\n\r\n{}";
        assert_eq!(read(Framing::Headers, 10, &[stream]), Ok(vec![b"{}".to_vec()]));
        assert_eq!(
            read(Framing::Lines, 10, &[b"\r\n {} \r\n\n[]"]),
            Ok(vec![b" {} ".to_vec(), b"[]".to_vec()])
        );
    }
}
