//! Where quotes, substitutions and comments begin and end, read as shells read them: from the first byte on, one sign after the other,
//! without a grammar. The tree of [`super::tree`] must see the same places: where it does not, something may stand outside of quotes
//! that the reader takes for text, or the other way round.
//!
//! It gives up rather than guess: what shells or their versions read differently has no places here.

use std::collections::VecDeque;
use std::ops::Range;
use tree_sitter::Tree;

/// Quotes in substitutions in quotes are followed this far.
const DEEPEST: u8 = 32;

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// `'…'`
    Raw,
    /// `$'…'`
    Ansi,
    /// `"…"`
    Double,
    /// `$(…)`, `$((…))`
    Substitution,
    /// `` `…` ``
    Backquotes,
    /// `${…}`
    Expansion,
    /// `# …`
    Comment,
    /// `<<`: a here-document's sign alone.
    Document,
}

/// The first byte, the byte behind the last, and what it is.
type Place = (usize, usize, Kind);

/// The first place (in bytes) that a shell and the tree do not read alike.
pub(super) fn disagreement(tree: &Tree, source: &str) -> Option<usize> {
    let seen = Seen::of(tree, source);
    let mut reader = Reader {
        bytes: source.as_bytes(),
        at: 0,
        bodies: &seen.bodies,
        depth: 0,
        places: Vec::new(),
    };
    if reader.code(None).is_none() {
        return Some(reader.at.min(source.len()));
    }
    let is_within = |place: &Place, ranges: &[Range<usize>]| {
        let after = ranges.partition_point(|range| range.start <= place.0);
        after > 0 && place.1 <= ranges[after - 1].end
    };
    // What the grammar takes as one piece (a pattern, the end sign of a here-document) has no quotes of its own.
    let mut own = reader.places;
    own.retain(|place| match place.2 {
        Kind::Raw | Kind::Ansi | Kind::Double => !is_within(place, &seen.pieces),
        // In `((x << 1))` it is a sign of arithmetic.
        Kind::Document => !is_within(place, &seen.arithmetic),
        _ => true,
    });
    own.sort_unstable();
    let mut theirs = seen.places;
    theirs.sort_unstable();
    let differs = own.iter().zip(&theirs).find(|(one, other)| one != other);
    match differs {
        Some((one, other)) => Some(one.0.min(other.0)),
        None if own.len() == theirs.len() => None,
        None => own.get(theirs.len()).or_else(|| theirs.get(own.len())).map(|p| p.0),
    }
}

/// What the tree sees.
struct Seen {
    places: Vec<Place>,
    /// Bodies of here-documents, each with whether the shell replaces what stands in it, and the lines that end them.
    bodies: Vec<(Range<usize>, bool)>,
    /// Arithmetic commands of one line: no here-document begins in them.
    arithmetic: Vec<Range<usize>>,
    /// Pieces in which the grammar leaves quotes alone.
    pieces: Vec<Range<usize>>,
}

impl Seen {
    fn of(tree: &Tree, source: &str) -> Self {
        let mut seen = Self {
            places: Vec::new(),
            bodies: Vec::new(),
            arithmetic: Vec::new(),
            pieces: Vec::new(),
        };
        // Whether the shell replaces things in the here-documents that have begun: their bodies come in the same order.
        let mut begun: VecDeque<bool> = VecDeque::new();
        let mut cursor = tree.walk();
        // The kinds of the nodes around: asked for its parent, a node looks for it from the root.
        let mut around: Vec<&'static str> = Vec::new();
        'all: loop {
            let node = cursor.node();
            let parent = around.last().copied().unwrap_or_default();
            let whole = source.get(node.byte_range()).unwrap_or_default();
            // The grammar counts blanks before an expansion in a string to it.
            let start = node.start_byte() + (whole.len() - whole.trim_start().len());
            let (end, text) = (node.end_byte(), whole.trim_start());
            let kind = match node.kind() {
                "raw_string" => Some(Kind::Raw),
                "ansi_c_string" => Some(Kind::Ansi),
                "string" => Some(Kind::Double),
                "command_substitution" | "arithmetic_expansion" if text.starts_with("$(") => Some(Kind::Substitution),
                "command_substitution" if text.starts_with('`') => Some(Kind::Backquotes),
                "expansion" => Some(Kind::Expansion),
                "comment" => Some(Kind::Comment),
                "<<" | "<<-" if parent == "heredoc_redirect" => Some(Kind::Document),
                _ => None,
            };
            match kind {
                Some(Kind::Document) => seen.places.push((start, start, Kind::Document)),
                Some(kind) => seen.places.push((start, end, kind)),
                None => {}
            }
            match node.kind() {
                "heredoc_body" => {
                    let expands = begun.pop_front().unwrap_or(true);
                    seen.bodies.push((node.byte_range(), expands));
                }
                "heredoc_end" => seen.bodies.push((node.byte_range(), false)),
                "heredoc_start" => {
                    begun.push_back(!whole.contains(['\'', '"', '\\']));
                    seen.pieces.push(node.byte_range());
                }
                "regex" | "extglob_pattern" => seen.pieces.push(node.byte_range()),
                "compound_statement" | "c_style_for_statement" => {
                    let head = whole.find("))").map_or("", |end| &whole[..end]);
                    let from = head.find("((").filter(|_| !head.contains('\n'));
                    seen.arithmetic
                        .extend(from.map(|from| node.start_byte() + from..node.start_byte() + head.len()));
                }
                "word" if parent == "expansion" => seen.pieces.push(node.byte_range()),
                _ => {}
            }
            if cursor.goto_first_child() {
                around.push(node.kind());
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'all;
                }
                around.pop();
            }
        }
        seen.bodies.sort_unstable_by_key(|(range, _)| range.start);
        seen.arithmetic.sort_unstable_by_key(|range| range.start);
        seen
    }
}

/// Reads on from a place. Every function gives `None` where it gives up.
struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    bodies: &'s [(Range<usize>, bool)],
    depth: u8,
    places: Vec<Place>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Here-documents, if they stand here; whether they do.
    fn bodies(&mut self) -> Option<bool> {
        let from = self.at;
        while let Ok(found) = self.bodies.binary_search_by_key(&self.at, |(range, _)| range.start)
            && self.bodies[found].0.end > self.at
        {
            let (range, expands) = self.bodies[found].clone();
            while expands && self.at < range.end {
                match self.peek(0) {
                    b'$' => self.dollar(true)?,
                    b'`' => {
                        // The grammar leaves backquotes alone here: they are read by themselves.
                        let before = self.places.len();
                        self.piece(true)?;
                        self.places.truncate(before);
                    }
                    b'\\' => self.at += 2,
                    _ => self.at += 1,
                }
            }
            if self.at > range.end {
                return None;
            }
            self.at = range.end;
        }
        Some(self.at > from)
    }

    /// Commands, up to the sign that closes them, which is passed over, or to the end.
    fn code(&mut self, close: Option<u8>) -> Option<()> {
        let mut open = 0_u32;
        // The sign that one stands behind, as far as words are concerned.
        let mut before = b' ';
        loop {
            if self.bodies()? {
                before = b'\n';
            }
            if self.is_done() {
                return (close.is_none()).then_some(());
            }
            let sign = self.peek(0);
            if Some(sign) == close && open == 0 {
                self.at += 1;
                return Some(());
            }
            let begins_word = matches!(
                before,
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
            );
            match sign {
                b'#' if begins_word => {
                    let from = self.at;
                    // A comment in backquotes ends with them to some shells.
                    while !self.is_done() && self.peek(0) != b'\n' {
                        if close == Some(b'`') && self.peek(0) == b'`' {
                            return None;
                        }
                        self.at += 1;
                    }
                    self.places.push((from, self.at, Kind::Comment));
                    before = b' ';
                    continue;
                }
                b'(' => open += 1,
                // The end of a pattern of `case`, outside of brackets.
                b')' => open = open.saturating_sub(1),
                b'<' if self.peek(1) == b'<' && self.peek(2) == b'<' => self.at += 2,
                b'<' if self.peek(1) == b'<' => {
                    self.places.push((self.at, self.at, Kind::Document));
                    self.at += 1;
                }
                b'\'' | b'"' | b'`' | b'$' | b'\\' => {
                    // The end of a line that is continued is nothing at all.
                    let continued = sign == b'\\' && self.peek(1) == b'\n';
                    self.piece(false)?;
                    before = if continued { before } else { b'x' };
                    continue;
                }
                _ => {}
            }
            before = sign;
            self.at += 1;
        }
    }

    /// A quote, an expansion or an escaped sign.
    ///
    /// `quoted`: between double quotes, where single ones are letters.
    fn piece(&mut self, quoted: bool) -> Option<()> {
        let from = self.at;
        match self.peek(0) {
            b'\\' => self.at += 2,
            b'\'' if quoted => self.at += 1,
            b'\'' => {
                self.at += 1;
                self.until(b'\'', Kind::Raw, from, |reader| {
                    reader.at += 1;
                    Some(())
                })?;
            }
            b'"' => {
                self.at += 1;
                self.until(b'"', Kind::Double, from, |reader| reader.text(true))?;
            }
            b'`' => {
                self.at += 1;
                let mut end = self.at;
                while *self.bytes.get(end)? != b'`' {
                    // What an escaped sign means here depends on what stands around.
                    if self.bytes[end] == b'\\'
                        && matches!(self.bytes.get(end + 1), Some(b'`' | b'$' | b'\\' | b'"' | b'\n') | None)
                    {
                        return None;
                    }
                    end += 1;
                }
                self.deeper(|reader| reader.code(Some(b'`')))?;
                // Quotes inside must end before it does.
                if self.at != end + 1 {
                    return None;
                }
                self.places.push((from, self.at, Kind::Backquotes));
            }
            b'$' => return self.dollar(quoted),
            _ => self.at += 1,
        }
        Some(())
    }

    fn dollar(&mut self, quoted: bool) -> Option<()> {
        let from = self.at;
        match (self.peek(1), self.peek(2)) {
            (b'(', b'(') => {
                self.at += 3;
                self.deeper(Self::arithmetic)?;
                self.places.push((from, self.at, Kind::Substitution));
            }
            (b'(', _) => {
                self.at += 2;
                self.deeper(|reader| reader.code(Some(b')')))?;
                self.places.push((from, self.at, Kind::Substitution));
            }
            // `${ command; }` is newer than most shells.
            (b'{', b' ' | b'\t' | b'\n' | b'|' | b'(') => return None,
            (b'{', _) => {
                self.at += 2;
                // `${#…` and `${!…`: no comment and no history.
                self.at += usize::from(matches!(self.peek(0), b'#' | b'!' | b'$'));
                self.until(b'}', Kind::Expansion, from, |reader| {
                    // Between double quotes a single one is a letter to some shells and a quote to others.
                    if quoted && reader.peek(0) == b'\'' {
                        return None;
                    }
                    reader.text(quoted)
                })?;
            }
            (b'\'', _) if !quoted => {
                self.at += 2;
                self.until(b'\'', Kind::Ansi, from, |reader| {
                    reader.at += if reader.peek(0) == b'\\' { 2 } else { 1 };
                    Some(())
                })?;
            }
            // Old arithmetic; and what follows the shell's number is read in two ways.
            (b'[', _) => return None,
            (b'$', b'{' | b'(' | b'[' | b'\'') => return None,
            (b'$', b'"') if !quoted => return None,
            (b'$', _) => self.at += 2,
            (next, _) if next.is_ascii_alphanumeric() || b"_@*#?!-".contains(&next) => self.at += 2,
            _ => self.at += 1,
        }
        Some(())
    }

    /// One sign of text in which the shell replaces things.
    fn text(&mut self, quoted: bool) -> Option<()> {
        match self.peek(0) {
            b'\'' | b'"' | b'`' | b'$' | b'\\' => self.piece(quoted),
            _ => {
                self.at += 1;
                Some(())
            }
        }
    }

    /// What is read sign by sign up to the one that closes it.
    fn until(
        &mut self,
        close: u8,
        kind: Kind,
        from: usize,
        mut sign: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.deeper(|reader| {
            while reader.peek(0) != close || reader.is_done() {
                // Whoever has not found the end by now never does, and no here-document begins in quotes.
                if reader.is_done() || reader.is_at_a_body() {
                    return None;
                }
                sign(reader)?;
            }
            reader.at += 1;
            Some(())
        })?;
        self.places.push((from, self.at, kind));
        Some(())
    }

    /// `$((…))`. In it quotes are letters or signs, as the shell has it.
    fn arithmetic(&mut self) -> Option<()> {
        let mut open = 0_u32;
        while !self.is_done() {
            match self.peek(0) {
                b'\'' | b'"' | b'\\' => return None,
                b'`' | b'$' => {
                    self.piece(true)?;
                    continue;
                }
                b'(' => open += 1,
                b')' if open == 0 => {
                    let ends = self.peek(1) == b')';
                    self.at += 2;
                    return ends.then_some(());
                }
                b')' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    fn is_at_a_body(&self) -> bool {
        self.bodies
            .binary_search_by_key(&self.at, |(range, _)| range.start)
            .is_ok()
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        read(self)?;
        self.depth -= 1;
        Some(())
    }
}
