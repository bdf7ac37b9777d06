//! The syntax tree of a script, and whether it can be trusted.
//!
//! tree-sitter's grammar of bash is made for editors: it reads anything, in bounded time and memory, and guesses where it must. A guess must never
//! hide a command, so every leaf and every gap between leaves is held against what bash takes it for. What does not stand up makes
//! the script unsound, and an unsound script is an unclear need besides whatever was found in it.

use super::posix;
use super::quoting;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;
use tree_sitter::{LogType, Node, ParseOptions, ParseState, Parser, Tree};

/// Longer scripts are not read: nobody can answer for them.
const LONGEST_BYTES: usize = 1 << 20;

/// Longer scripts are not read on after a mistake: guessing what was meant may take time that grows faster than the text.
const LONGEST_BROKEN_BYTES: usize = 8 << 10;

/// The most steps the parser may take, in hundreds; a script of ordinary lines needs 2 for every 100 bytes.
const MOST_STEPS: usize = 24_000;

/// The most reads of [`CHUNK_BYTES`]: some rules of the grammar look ahead to the end of the text for every word.
const MOST_READS: usize = 20_000;
const CHUNK_BYTES: usize = 1 << 10;

/// The most words that are skipped or gone back over after mistakes: each costs as much as all that were before it, which shows in neither
/// steps nor reads, and `has_error` says so only while every reading that is tried is a broken one.
const MOST_MENDED: usize = 2_000;

/// More of one of these signs are not read: an unfinished pipeline is copied for each of its parts, and tests in tests and expansions in
/// expansions take time that grows with the square of their number, none of which shows in steps or reads.
const MOST_SIGNS: usize = 2_000;

/// Whether the grammar's scanner would look up a wide character in a table of bytes, which ends the process: it asks of whatever follows
/// `{`, or the digits and dots after it, whether it is a digit, by C's `isdigit`.
fn beyond_the_table(source: &str) -> bool {
    let brace_meets_wide = |rest: &str| {
        let next = rest
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .chars()
            .next();
        next.is_some_and(|c| !c.is_ascii())
    };
    // An ASCII text has no wide character, and most scripts are ASCII.
    !source.is_ascii() && source.split('{').skip(1).any(brace_meets_wide)
}

/// A tree, and what in it cannot be trusted.
pub(super) struct Script {
    pub tree: Tree,
    /// The first place (in bytes) that bash may read differently.
    pub unsound: Option<usize>,
}

/// Why a script has no tree.
pub(super) enum Unreadable {
    /// It is too long, or takes too long.
    TooLong,
    /// It would break the parser.
    Odd,
}

/// Parses a script.
///
/// `posix`: the shell may be another than bash, and what bash reads in its own way is unsound.
pub(super) fn parse(source: &str, posix: bool) -> Result<Script, Unreadable> {
    let bytes = source.as_bytes();
    let signs = |sign: &str| source.matches(sign).nth(MOST_SIGNS).is_some();
    if bytes.len() > LONGEST_BYTES || signs("|") || signs("[[") || signs("${") {
        return Err(Unreadable::TooLong);
    }
    let mut parser = Parser::new();
    let language = parser.set_language(&tree_sitter_bash::LANGUAGE.into());
    if beyond_the_table(source) || language.is_err() {
        return Err(Unreadable::Odd);
    }
    let (mut steps, reads) = (0, Cell::new(0));
    let mended = Rc::new(Cell::new(0));
    let told = Rc::clone(&mended);
    // Only the parser's log tells of them, and it costs as much as the parsing: a short text needs no bound of this kind.
    let is_long = bytes.len() > LONGEST_BROKEN_BYTES;
    if is_long {
        parser.set_logger(Some(Box::new(move |of, message| {
            let is_mended = message.starts_with("skip_token") || message.starts_with("recover_to_previous");
            told.set(told.get() + usize::from(of == LogType::Parse && is_mended));
        })));
    }
    let mut stop = |state: &ParseState| {
        steps += 1;
        let broken = state.has_error() && is_long;
        steps > MOST_STEPS || reads.get() > MOST_READS || mended.get() > MOST_MENDED || broken
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    // Past its share of reads the text seems to end, so that the parser comes to an end too. A chunk never ends inside a
    // character: the parser would ask for the rest of it, and where the text seems to end there read from nowhere.
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        let mut end = bytes.len().min(at.saturating_add(CHUNK_BYTES));
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        let chunk = bytes.get(at..end).unwrap_or_default();
        if reads.get() > MOST_READS { &[][..] } else { chunk }
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let tree = tree.filter(|_| reads.get() <= MOST_READS).ok_or(Unreadable::TooLong)?;
    let unsound = unsound(&tree, source, posix);
    Ok(Script { tree, unsound })
}

/// The first place that cannot be trusted.
fn unsound(tree: &Tree, source: &str, posix: bool) -> Option<usize> {
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if let Some(at) = source.find(odd) {
        return Some(at);
    }
    let mut check = Check { source, posix, end: 0 };
    match check.all(tree) {
        ControlFlow::Break(at) => Some(at),
        ControlFlow::Continue(()) => {
            let rest = check.gap(source.len(), true).break_value();
            rest.or_else(|| quoting::disagreement(tree, source))
        }
    }
}

struct Check<'s> {
    source: &'s str,
    posix: bool,
    /// Where the last leaf ended.
    end: usize,
}

/// What stands around a node: carried down with the walk, since the tree may be as deep as the script is long.
#[derive(Clone, Copy, Default)]
struct Above {
    /// The node right around it.
    kind: &'static str,
    /// In the nearest string or here-document around it.
    in_string: bool,
    /// In an expansion in that string.
    expands: bool,
    /// In a command substitution in that string.
    substitutes: bool,
}

impl Above {
    /// The same one level deeper, in a node of this kind.
    fn around(self, kind: &'static str) -> Self {
        if matches!(kind, "string" | "heredoc_body") {
            return Self {
                kind,
                in_string: true,
                ..Self::default()
            };
        }
        Self {
            kind,
            in_string: self.in_string,
            expands: self.expands || self.in_string && kind == "expansion",
            substitutes: self.substitutes || self.in_string && kind == "command_substitution",
        }
    }
}

impl Check<'_> {
    /// Walks the tree without recursion: it may be as deep as the script is long.
    fn all(&mut self, tree: &Tree) -> ControlFlow<usize> {
        let mut cursor = tree.walk();
        let mut above: Vec<Above> = Vec::new();
        loop {
            let node = cursor.node();
            if node.is_error() || node.is_missing() {
                return ControlFlow::Break(node.start_byte());
            }
            let around = above.last().copied().unwrap_or_default();
            let parent = around.kind;
            match (node.kind(), parent) {
                ("heredoc_body", _) => self.gap(node.start_byte(), true)?,
                // The text around it is the document's, and looked at where that is read.
                (_, "heredoc_body") => self.end = node.start_byte(),
                _ => {}
            }
            if cursor.goto_first_child() {
                above.push(around.around(node.kind()));
                continue;
            }
            // Between double quotes the single ones of `${x:-'…'}` are letters to some shells.
            let quoted = around.expands && !around.substitutes;
            if quoted && matches!(node.kind(), "raw_string" | "ansi_c_string") {
                return ControlFlow::Break(node.start_byte());
            }
            self.leaf(node, parent)?;
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return ControlFlow::Continue(());
                }
                if above.pop().is_some_and(|left| left.kind == "heredoc_body") {
                    self.end = self.end.max(cursor.node().end_byte());
                }
            }
        }
    }

    fn leaf(&mut self, node: Node<'_>, parent: &str) -> ControlFlow<usize> {
        let (start, end) = (node.start_byte(), node.end_byte());
        self.gap(start, matches!(parent, "string" | "heredoc_body" | "heredoc_redirect"))?;
        self.end = self.end.max(end);
        let text = self.source.get(start..end).unwrap_or_default();
        // A `$` that the grammar takes for a letter, and the shell for the beginning of an expansion.
        let is_text = matches!(
            node.kind(),
            "raw_string" | "ansi_c_string" | "comment" | "heredoc_end" | "heredoc_start"
        );
        let begins = |c: char| c.is_ascii_alphanumeric() || "_@*#?$!({[-".contains(c);
        let rest = self.source.get(end..).unwrap_or_default();
        let next = rest.chars().next();
        // A continued line between `$` and what it begins is none to the shell.
        if text.ends_with('$') && !is_text && rest.starts_with("\\\n") {
            return ControlFlow::Break(start);
        }
        if text.ends_with('$')
            && !is_text
            && !matches!(parent, "simple_expansion" | "expansion")
            && next.is_some_and(begins)
        {
            return ControlFlow::Break(start);
        }
        // `$` alone before a blank, and `$"…"` in the middle of a word.
        let expands = parent == "simple_expansion" && !node.is_named() && text == "$";
        let before = self.source.get(..start).and_then(|b| b.chars().next_back());
        let begins_word =
            before.is_none_or(|c| c.is_ascii_whitespace() || ";&|(".contains(c)) && parent != "concatenation";
        let locale = !is_text && parent != "string" && text.ends_with('$') && matches!(next, Some('"' | '\''));
        if expands && !next.is_some_and(begins) || locale && !(begins_word && text == "$") {
            return ControlFlow::Break(start);
        }
        // Behind a letter or a list `#` is a part of the word.
        if node.kind() == "comment" && !before.is_none_or(|c| c.is_ascii_whitespace() || ";&|".contains(c)) {
            return ControlFlow::Break(start);
        }
        // Digits before a redirection are no word: they say what is redirected.
        let is_word = matches!(
            parent,
            "command" | "command_name" | "file_redirect" | "redirected_statement"
        );
        let is_number = is_word && node.kind() != "file_descriptor" && text.bytes().all(|c| c.is_ascii_digit());
        if is_number && !text.is_empty() && matches!(next, Some('<' | '>')) {
            return ControlFlow::Break(start);
        }
        // The line that ends a here-document holds nothing else.
        if node.kind() == "heredoc_end" && !matches!(next, None | Some('\n')) {
            return ControlFlow::Break(start);
        }
        let alike = !self.posix || posix::alike(node, parent, self.source);
        if alike && sound(node, parent, text) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(start)
        }
    }

    /// What no leaf holds must be blank, and where words stand a continued line must not glue two of them together.
    fn gap(&self, start: usize, in_text: bool) -> ControlFlow<usize> {
        let gap = self.source.get(self.end..start).unwrap_or_default();
        let rest = gap.replace("\\\n", "");
        // A line that ends before a continued one ends the command, too.
        let ended = rest.contains('\n') && rest.len() != gap.len();
        let glued = (rest.is_empty() && !gap.is_empty() || ended) && !in_text;
        if glued || rest.chars().any(|c| !matches!(c, ' ' | '\t' | '\n')) {
            return ControlFlow::Break(self.end);
        }
        ControlFlow::Continue(())
    }
}

/// Whether a leaf is what its kind says.
fn sound(node: Node<'_>, parent: &str, text: &str) -> bool {
    match node.kind() {
        // Blanks and signs are text between the braces of `${x:-…}`.
        "word" if parent == "expansion" => !substitutes(text) && !text.contains(['"', '\'']) && !text.contains("${"),
        "word" | "variable_name" | "special_variable_name" | "number" | "file_descriptor" => plain_word(text),
        "raw_string" => text.len() >= 2 && text.matches('\'').count() == 2,
        "ansi_c_string" => ends_once(text),
        "string_content" => plain_text(text, Some('"')),
        // A pattern outside of a test is a word like others.
        "regex" | "extglob_pattern" if matches!(parent, "command" | "concatenation") => plain_word(text),
        "regex" | "extglob_pattern" | "test_operator" => !substitutes(text) && !text.contains("${"),
        "comment" => text.starts_with('#') && !text.contains('\n'),
        "heredoc_start" | "heredoc_end" | "heredoc_body" | "heredoc_content" => true,
        // An empty string, and the words and signs of the grammar themselves.
        "string" => text == "\"\"",
        kind => !node.is_named() && text.trim() == kind.trim(),
    }
}

/// A `$` at the end of a continued line: what it begins stands on the next one.
const CONTINUED: &str = "$\\\n";

/// Whether a word holds no unquoted character that would end it or begin something else.
fn plain_word(text: &str) -> bool {
    if text.contains(CONTINUED) {
        return false;
    }
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // An escaped line end inside a word joins its halves.
            '\\' => drop(chars.next()),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '"' | '\'' | '`' | ' ' | '\t' | '\n' => return false,
            '$' if chars
                .peek()
                .is_some_and(|c| matches!(c, '(' | '{' | '[' | '\'' | '"') || c.is_alphanumeric()) =>
            {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// Whether `$'…'` ends where it first could: the grammar takes the quote behind `\\\\` for one that is escaped.
fn ends_once(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("$'").and_then(|t| t.strip_suffix('\'')) else {
        return false;
    };
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c == '\'' || c == '\\' && chars.next().is_none() {
            return false;
        }
    }
    true
}

/// Whether text between double quotes, or in a here-document, holds nothing that the shell replaces.
pub(super) fn plain_text(text: &str, quote: Option<char>) -> bool {
    if text.contains(CONTINUED) {
        return false;
    }
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '`' => return false,
            '$' if chars
                .peek()
                .is_some_and(|c| matches!(c, '(' | '{' | '[' | '_') || c.is_ascii_alphanumeric()) =>
            {
                return false;
            }
            c if Some(c) == quote => return false,
            _ => {}
        }
    }
    true
}

/// Whether a text has something in it that the shell evaluates, quoted or not.
fn substitutes(text: &str) -> bool {
    ["$(", "$[", "`", "<(", ">(", CONTINUED]
        .iter()
        .any(|s| text.contains(s))
}

/// The text of a node.
pub(super) fn of<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}
