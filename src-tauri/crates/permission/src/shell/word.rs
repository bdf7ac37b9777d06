//! Words of a script: what the shell knows of them after taking the quotes off.

use crate::text::{self, Bit, quote, show};
use tree_sitter::Node;

/// Words of the shell's grammar where a command may begin.
const GRAMMAR: &[&str] = &[
    "!", "[[", "{", "{}", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while",
];

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A character that stands for itself.
    Char(char),
    /// An unquoted `{`, `,` or `}`, which may make several words of one, or `[` or `]`.
    Brace(char),
    /// An unquoted `*`.
    Star,
    /// An unquoted `?` or a set of characters.
    One,
    /// What the shell fills in, as it is shown: `$NAME`, `$(…)`.
    Any(String),
}

/// A word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub pieces: Vec<Piece>,
    /// Nothing in it was quoted.
    pub bare: bool,
    /// What the shell fills in may become several words, or none.
    pub splits: bool,
}

impl Word {
    /// A word that is known.
    pub fn of(text: &str) -> Self {
        Self {
            pieces: text.chars().map(Piece::Char).collect(),
            ..Self::default()
        }
    }

    /// A word of which nothing is known.
    pub fn unknown(shown: &str) -> Self {
        Self {
            pieces: vec![Piece::Any(shown.to_owned())],
            bare: true,
            splits: true,
        }
    }

    /// The text, if all of it is known.
    pub fn known(&self) -> Option<String> {
        self.pieces.iter().map(char_of).collect()
    }

    /// The text with a private character wherever something is unknown.
    pub fn rough(&self) -> String {
        let char = |p: &Piece| match p {
            Piece::Char(c) | Piece::Brace(c) => *c,
            Piece::Star => '*',
            Piece::One => '?',
            Piece::Any(_) => '\u{f8ff}',
        };
        self.pieces.iter().map(char).collect()
    }

    /// Whether the word begins with a known text.
    pub fn starts_with(&self, text: &str) -> bool {
        let mut chars = text.chars();
        let mut pieces = self.pieces.iter();
        chars.all(|c| matches!(pieces.next(), Some(Piece::Char(p) | Piece::Brace(p)) if *p == c))
    }

    /// The rest of the word after so many characters.
    pub fn after(&self, count: usize) -> Self {
        Self {
            pieces: self.pieces.get(count..).unwrap_or_default().to_vec(),
            bare: self.bare,
            splits: self.splits,
        }
    }

    /// The word as a need shows it: a shell reads it as the same word again.
    pub fn shown(&self) -> String {
        // Alone it stands for itself.
        if self.known().as_deref() == Some("{}") {
            return "{}".to_owned();
        }
        let is_known = |p: &Piece| matches!(p, Piece::Char(_) | Piece::Brace(_));
        let mut shown = String::new();
        // A letter behind `$NAME` would lengthen the name.
        let mut named = false;
        for part in self.pieces.chunk_by(|a, b| is_known(a) && is_known(b)) {
            match part {
                [Piece::Star] => shown.push('*'),
                [Piece::One] => shown.push('?'),
                [Piece::Any(place)] => shown.push_str(place),
                _ => {
                    let known: String = part.iter().filter_map(char_of).collect();
                    match named && known.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                        true => quote(&known, &mut shown),
                        false => show(&known, &mut shown),
                    }
                }
            }
            named = matches!(part, [Piece::Any(place)] if place.starts_with('$') && !place.ends_with([')', '}']));
        }
        if shown.is_empty() { "''".to_owned() } else { shown }
    }

    /// The word as a need shows it where a program's name stands: quoted if the shell has another use for it there.
    pub fn shown_first(&self) -> String {
        let shown = self.shown();
        // `A=b` sets a variable, and the grammar guesses at names with other signs.
        let signs = |name: &str| name.contains(['=', '%', '^', '!', ',', '@', ':']) || GRAMMAR.contains(&name);
        match self.known() {
            Some(name) if name == "[" || name == ":" => name,
            Some(name) if name == shown && signs(&name) => format!("'{name}'"),
            _ => shown,
        }
    }

    /// The word as patterns see it.
    pub fn bits(&self) -> Vec<Bit> {
        let bit = |p: &Piece| match p {
            Piece::Char(c) | Piece::Brace(c) => Bit::Char(*c),
            Piece::Star => Bit::Star,
            Piece::One => Bit::One,
            Piece::Any(_) => Bit::Any,
        };
        self.pieces.iter().map(bit).collect()
    }

    /// Makes one place of each unquoted set of characters, `[a-z]`, as far as it can be told where it ends.
    pub fn sets(&mut self) {
        let is_bracket = |p: &Piece| *p == SET || *p == SET_END;
        if !self.pieces.iter().any(is_bracket) {
            return;
        }
        let mut out: Vec<Piece> = Vec::with_capacity(self.pieces.len());
        // No set goes on in another part of a path.
        for part in self.pieces.split_inclusive(|p| *p == Piece::Char('/')) {
            let is_open = |p: &Piece| matches!(p, Piece::Any(_));
            let (open, bracket) = (part.iter().any(is_open), part.iter().any(is_bracket));
            if !(open && bracket) {
                sets_of(part, &mut out);
                continue;
            }
            // What the shell fills in may begin a set or end it.
            let is_end = |p: &Piece| is_open(p) || is_bracket(p);
            let from = part.iter().position(is_end).unwrap_or_default();
            let to = part.iter().rposition(is_end).unwrap_or_default();
            out.extend_from_slice(&part[..from]);
            out.push(Piece::Any(text::SUBSTITUTED.to_owned()));
            out.extend_from_slice(&part[to + 1..]);
        }
        self.pieces = out;
    }
}

const SET: Piece = Piece::Brace('[');
const SET_END: Piece = Piece::Brace(']');

/// A part of a path, with one place for each set in it.
fn sets_of(part: &[Piece], out: &mut Vec<Piece>) {
    let mut rest = part;
    // Where one has no end no later one has.
    let mut may_end = true;
    while let Some(piece) = rest.first() {
        let found = if may_end && *piece == SET { set(rest) } else { None };
        may_end &= *piece != SET || found.is_some();
        match found {
            Some((length, place)) => {
                out.push(place);
                rest = &rest[length..];
            }
            None => {
                out.push(piece.clone());
                rest = &rest[1..];
            }
        }
    }
}

/// How many pieces the set takes that begins here, and what stands for it; `None`: nothing ends it.
fn set(pieces: &[Piece]) -> Option<(usize, Piece)> {
    // Where it ends is not known: at the last place where it could.
    let somewhere = || {
        let end = pieces.iter().rposition(|p| *p == SET_END)?;
        Some((end + 1, Piece::Star))
    };
    let mut at = 1;
    match pieces.get(at) {
        // To some shells `^` is a sign like others, behind which the set may end.
        Some(Piece::Char('^')) if pieces.get(at + 1) == Some(&SET_END) => return somewhere(),
        Some(Piece::Char('!' | '^')) => at += 1,
        _ => {}
    }
    // What stands first is in the set, whatever it is.
    let first = at;
    loop {
        let Some(piece) = pieces.get(at) else {
            // Only a class ended: its brackets are those of a set then.
            return somewhere();
        };
        if *piece == SET_END && at > first {
            return Some((at + 1, Piece::One));
        }
        // Classes and signs of several letters: their own brackets end nothing.
        let opens = matches!(piece, Piece::Brace('[') | Piece::Char('['));
        if let (true, Some(Piece::Char(c @ (':' | '.' | '=')))) = (opens, pieces.get(at + 1)) {
            let end = [Piece::Char(*c), SET_END];
            let inside = pieces.get(at + 2..).unwrap_or_default();
            match inside.windows(2).position(|two| *two == end) {
                Some(length) => at += length + 3,
                None => return somewhere(),
            }
        }
        at += 1;
    }
}

fn char_of(piece: &Piece) -> Option<char> {
    match piece {
        Piece::Char(c) | Piece::Brace(c) => Some(*c),
        _ => None,
    }
}

/// Reads a node that is one word. Substitutions are put on `inner`: they run whatever becomes of the word. Quotes nest no
/// deeper in a word than a string in a joint.
pub(super) fn read<'t>(node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) -> Word {
    let mut word = Word {
        bare: true,
        ..Word::default()
    };
    add(node, source, inner, &mut word);
    // Braces come before sets.
    if !word.pieces.contains(&Piece::Brace('{')) {
        word.sets();
    }
    word
}

fn add<'t>(node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>, word: &mut Word) {
    let text = source.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "concatenation" | "command_name" | "translated_string" => {
            for child in node.children(&mut node.walk()) {
                match child.kind() {
                    // A `$` before a string only has it translated.
                    "$" if node.kind() == "translated_string" => {}
                    "concatenation" if node.kind() == "concatenation" => {
                        word.splits = true;
                        word.pieces.push(Piece::Any(text::SUBSTITUTED.to_owned()));
                    }
                    _ => add(child, source, inner, word),
                }
            }
        }
        "word" | "number" | "variable_name" | "regex" | "extglob_pattern" if node.child_count() == 0 => {
            bare(text, word)
        }
        "raw_string" => {
            word.bare = false;
            let inside = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
            word.pieces.extend(inside.unwrap_or(text).chars().map(Piece::Char));
        }
        "ansi_c_string" => {
            word.bare = false;
            let inside = text.strip_prefix("$'").and_then(|t| t.strip_suffix('\''));
            match super::ansi::text(inside.unwrap_or(text)) {
                Some(known) => word.pieces.extend(known.chars().map(Piece::Char)),
                None => word.pieces.push(Piece::Any(text::SUBSTITUTED.to_owned())),
            }
        }
        "string" => string(node, source, inner, word),
        "word" | "number" | "variable_name" | "regex" | "extglob_pattern" => {
            inner.extend(node.named_children(&mut node.walk()));
            word.splits = true;
            word.pieces.push(Piece::Any(text::SUBSTITUTED.to_owned()));
        }
        _ if node.is_named() => {
            inner.push(node);
            word.splits = true;
            word.pieces.push(Piece::Any(place(node, text)));
        }
        _ => bare(text, word),
    }
}

/// What stands for an expansion in a need.
fn place(node: Node<'_>, text: &str) -> String {
    let text = text.trim();
    let simple = text.len() < 64 && !text.contains(['(', '`', '\'', '"', '\\', ' ', '\n']);
    match node.kind() {
        "simple_expansion" | "expansion" if simple => text.to_owned(),
        "brace_expression" => text::BRACED.to_owned(),
        "arithmetic_expansion" => text::COUNTED.to_owned(),
        _ => text::SUBSTITUTED.to_owned(),
    }
}

fn string<'t>(node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>, word: &mut Word) {
    word.bare = false;
    let splits = word.splits;
    // The grammar leaves blanks out of its pieces: the text between expansions is taken from the source.
    let mut at = node.start_byte() + 1;
    let end = node.end_byte().saturating_sub(1);
    for child in node.named_children(&mut node.walk()) {
        if child.kind() == "string_content" {
            continue;
        }
        let whole = source.get(child.byte_range()).unwrap_or_default();
        let start = child.start_byte() + (whole.len() - whole.trim_start().len());
        quoted(source.get(at..start).unwrap_or_default(), word);
        add(child, source, inner, word);
        at = child.end_byte();
    }
    quoted(source.get(at..end.max(at)).unwrap_or_default(), word);
    // `"$@"` and `"${a[@]}"` are several words in spite of the quotes.
    word.splits = splits
        || source
            .get(node.byte_range())
            .is_some_and(|text| ["$@", "${@", "[@]", "@}"].iter().any(|many| text.contains(many)));
}

/// Text between double quotes.
fn quoted(text: &str, word: &mut Word) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            word.pieces.push(Piece::Char(c));
            continue;
        }
        match chars.next() {
            Some('\n') => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => word.pieces.push(Piece::Char(c)),
            Some(c) => word.pieces.extend([Piece::Char('\\'), Piece::Char(c)]),
            None => word.pieces.push(Piece::Char('\\')),
        }
    }
}

/// Text without quotes.
fn bare(text: &str, word: &mut Word) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let piece = match c {
            '\\' => match chars.next() {
                Some('\n') => continue,
                Some(c) => {
                    word.bare = false;
                    Piece::Char(c)
                }
                None => Piece::Char('\\'),
            },
            '*' => Piece::Star,
            '?' => Piece::One,
            '{' | ',' | '}' | '[' | ']' => Piece::Brace(c),
            c => Piece::Char(c),
        };
        word.pieces.push(piece);
    }
}
