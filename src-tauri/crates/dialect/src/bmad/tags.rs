//! The tags in a text of instructions, which is Markdown or XML that nobody checked: what is no tag of BMAD is text. One pass, whose time
//! grows with the length.

use crate::text::Span;

/// No tag is longer, in bytes.
const LONGEST: usize = 8 << 10;
/// Code inside of a line is no longer.
const CODE: usize = 1 << 10;

/// A tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// In small letters.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Names in small letters, values without their quotes.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    /// `<goto step="2"/>`.
    Alone,
}

impl Tag {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is found in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Tag(Tag),
    /// `<!-- … -->`.
    Comment(Span),
    /// Begins at this byte and never ends, so that what follows is no text either.
    Endless(usize, &'static str),
}

/// Whether a piece of text between marks of code is code: not where it closes what was opened before it and holds more than that. Such marks
/// are text of two elements: in XML they mean nothing, and what stands between them is asked for.
fn is_whole(text: &str) -> bool {
    let (mut open, mut tags, mut closes) = (0usize, 0usize, false);
    for (at, _) in text.match_indices('<') {
        let Some(tag) = tag_at(text, at) else { continue };
        tags += 1;
        match tag.kind {
            Kind::Open => open += 1,
            Kind::Close => match open.checked_sub(1) {
                Some(left) => open = left,
                None => closes = true,
            },
            Kind::Alone => {}
        }
    }
    !closes || tags == 1
}

/// The tags and comments of a text, in its order. Tags in code, in CDATA and in `<example>` are text.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces {
        text,
        at: 0,
        begins: true,
        plain: None,
    }
}

pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    /// Nothing but blanks stands on the line so far.
    begins: bool,
    /// Marks that end what is no code: text themselves.
    plain: Option<usize>,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let begins = std::mem::replace(&mut self.begins, false);
            match byte {
                b'`' => {
                    if let Some(start) = self.code(begins) {
                        return Some(self.endless(start, "A block of code"));
                    }
                }
                b'<' => {
                    if let Some(piece) = self.angle() {
                        return Some(piece);
                    }
                }
                _ => {
                    self.begins = *byte == b'\n' || begins && matches!(byte, b' ' | b'\t' | b'>');
                    self.at += 1;
                }
            }
        }
        None
    }
}

impl Pieces<'_> {
    /// Nothing behind it can be told.
    fn endless(&mut self, start: usize, what: &'static str) -> Piece {
        self.at = self.text.len();
        Piece::Endless(start, what)
    }

    /// Passes over code; of a block that never ends where it begins.
    fn code(&mut self, begins: bool) -> Option<usize> {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let run = bytes[start..].iter().take_while(|byte| **byte == b'`').count();
        let behind = start + run;
        let fence = &self.text[start..behind];
        self.at = behind;
        if self.plain.take_if(|plain| *plain == start).is_some() {
            return None;
        }
        let rest = beginning(&self.text[behind..], CODE)
            .split('\n')
            .next()
            .unwrap_or_default();
        let begins = begins || self.text[..start].ends_with('>');
        if run >= 3 && begins && !rest.contains('`') {
            let mut at = behind
                + self.text[behind..]
                    .find('\n')
                    .map_or(self.text.len() - behind, |at| at + 1);
            for line in self.text[at..].split_inclusive('\n') {
                let blank = line.len() - line.trim_start().len();
                if line[blank..].starts_with(fence) {
                    match is_whole(&self.text[behind..at]) {
                        true => self.at = at + blank + run,
                        false => self.plain = Some(at + blank),
                    }
                    return None;
                }
                at += line.len();
            }
            return Some(start);
        }
        if let Some(close) = rest.find(fence) {
            match is_whole(&rest[..close]) {
                true => self.at = behind + close + run,
                false => self.plain = Some(behind + close),
            }
        }
        None
    }

    fn angle(&mut self) -> Option<Piece> {
        let (start, text) = (self.at, self.text);
        let rest = &text[start..];
        for (open, close, what) in [("<!--", "-->", "A comment"), ("<![CDATA[", "]]>", "CDATA")] {
            let Some(inside) = rest.strip_prefix(open) else {
                continue;
            };
            let Some(end) = inside.find(close) else {
                return Some(self.endless(start, what));
            };
            self.at = start + open.len() + end + close.len();
            let span = Span { start, end: self.at };
            return (open == "<!--").then_some(Piece::Comment(span));
        }
        let Some(tag) = tag_at(text, start) else {
            self.at += 1;
            return None;
        };
        self.at = tag.at.end;
        if tag.name == "example" && tag.kind == Kind::Open {
            // What an example shows is not asked for.
            const CLOSE: &str = "</example>";
            let rest = text.as_bytes()[self.at..].windows(CLOSE.len());
            match rest
                .into_iter()
                .position(|part| part.eq_ignore_ascii_case(CLOSE.as_bytes()))
            {
                Some(end) => self.at += end + CLOSE.len(),
                None => return Some(self.endless(start, "`<example>`")),
            }
            return None;
        }
        Some(Piece::Tag(tag))
    }
}

/// At most so many bytes of a text, cut between characters.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text on one line, not too long for a sentence.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let line: String = beginning(text, MOST)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.len() > MOST { format!("{line}…") } else { line }
}

/// The tag at a byte.
fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let whole = beginning(&text[start..], LONGEST);
    let (mut rest, closes) = match whole.strip_prefix("</") {
        Some(rest) => (rest, true),
        None => (whole.strip_prefix('<')?, false),
    };
    let name = word(&mut rest)?;
    let mut attributes = Vec::new();
    loop {
        let spaced = rest.trim_start();
        let blank = spaced.len() < rest.len();
        rest = spaced;
        let (kind, behind) = match (rest.strip_prefix('>'), rest.strip_prefix("/>")) {
            (Some(behind), _) if closes => (Kind::Close, behind),
            (Some(behind), _) => (Kind::Open, behind),
            (_, Some(behind)) if !closes => (Kind::Alone, behind),
            _ => {
                if !blank {
                    return None;
                }
                attributes.push((word(&mut rest)?, value(&mut rest)?));
                continue;
            }
        };
        let end = start + whole.len() - behind.len();
        let at = Span { start, end };
        return Some(Tag {
            name,
            kind,
            attributes,
            at,
        });
    }
}

/// A name: a letter, then letters, digits and `-_:.`.
fn word(rest: &mut &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    *rest = behind;
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    begins.then(|| name.to_ascii_lowercase())
}

/// The value of an attribute, if it has one; `None` where none can be read.
fn value(rest: &mut &str) -> Option<String> {
    let Some(given) = rest.trim_start().strip_prefix('=') else {
        return Some(String::new());
    };
    let given = given.trim_start();
    let quote = given.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, behind) = match quote {
        Some(quote) => given[1..].split_once(quote)?,
        None => {
            let end = given.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '/'))?;
            given.split_at(end)
        }
    };
    *rest = behind;
    Some(plain(value))
}

/// A text with XML's own names of characters put in.
pub(super) fn plain(text: &str) -> String {
    // The last one first: what it stands for begins no other name.
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    names
        .into_iter()
        .fold(text.to_owned(), |text, (name, meant)| text.replace(name, meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags of a text in short.
    fn tags(text: &str) -> Vec<String> {
        let shown = |piece: Piece| match piece {
            Piece::Tag(tag) => {
                assert!(text[tag.at.start..].starts_with('<') && text[..tag.at.end].ends_with('>'));
                let given: Vec<String> = tag.attributes.iter().map(|(k, v)| format!(" {k}={v}")).collect();
                let (open, close) = match tag.kind {
                    Kind::Open => ("", ""),
                    Kind::Close => ("/", ""),
                    Kind::Alone => ("", "/"),
                };
                format!("{open}{}{}{close}", tag.name, given.concat())
            }
            Piece::Comment(_) => "comment".to_owned(),
            Piece::Endless(at, what) => format!("{at}: {what}"),
        };
        pieces(text).map(shown).collect()
    }

    #[test]
    fn tags_are_told_from_text() {
        for (text, expected) in [
            ("<step n=\"1\" goal='Say \"hi\"'>", &["step n=1 goal=Say \"hi\""][..]),
            ("<STEP N=1\r\n\toptional>x</Step >", &["step n=1 optional=", "/step"]),
            ("<goto step=\"2\" /><br/>", &["goto step=2/", "br/"]),
            ("a < 500 <1000 x<y && <your key> <", &["your key="]),
            ("<step n=\"1\"goal=\"x\"> <step n=\"> <a b=\"", &[]),
            ("<ask>&lt;b&gt; &amp;lt;</ask>", &["ask", "/ask"]),
            ("<step goal=\"a &lt; b &amp;gt;\">", &["step goal=a < b &gt;"]),
            ("`<goto/>` ``a`<goto/>`` <ask>", &["ask"]),
            ("` <ask> and no more", &["ask"]),
            ("x\n  ```xml\n<step>\n  ```</ask>", &["/ask"]),
            ("<output>```\n<step>\n```</output>", &["output", "/output"]),
            ("```a``` <ask>", &["ask"]),
            (
                "<action>a ` b</action> <ask>c</ask> <action>d `</action>",
                &["action", "/action", "ask", "/ask", "action", "/action"],
            ),
            ("`<a>x</a>` <ask>", &["ask"]),
            ("`</div>` then <ask>b</ask> and `x`", &["ask", "/ask"]),
            ("<a>\n```html\n</div>\n```\n</a><ask>", &["a", "/a", "ask"]),
            ("End it with `</ask>` and begin with `<ask>`.", &[]),
            ("<a>\n```\n</a><ask/><a>\n```\n</a>", &["a", "/a", "ask/", "a", "/a"]),
            ("<!-- <step> --><ask>", &["comment", "ask"]),
            ("<![CDATA[<step>]]><ask>", &["ask"]),
            ("<example><step></EXAMPLE><ask>", &["ask"]),
            ("<ask>\n```\n<step>", &["ask", "6: A block of code"]),
            ("<ask><!-- <step>", &["ask", "5: A comment"]),
            ("<example><step>", &["0: `<example>`"]),
            ("</ask/> <é> <a é=1> </>", &[]),
        ] {
            assert_eq!(tags(text), expected, "{text}");
        }
    }
}
