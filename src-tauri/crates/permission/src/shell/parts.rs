//! The parts of commands: their words, assignments, redirections, here-documents and expansions.

use super::reader::{Call, Given, Input, NodeContext, Reader, Sets, Work};
use super::tree::{of, plain_text};
use super::word::{self, Piece, Word};
use crate::need::Kind;
use crate::text;
use std::rc::Rc;
use tree_sitter::Node;

/// What a redirection brings besides its files.
#[derive(Default)]
pub(super) struct Redirect<'t> {
    /// What the command reads.
    pub input: Option<Input>,
    /// Words of the command that stand behind the redirection.
    pub more: Vec<Node<'t>>,
    /// Statements that the grammar hangs on the line of a here-document.
    pub then: Vec<Node<'t>>,
}

impl Reader<'_> {
    /// A simple command.
    pub fn command<'t>(&mut self, node: Node<'t>, around: &NodeContext<'t>, source: &str, inner: &mut Vec<Node<'t>>) {
        let mut words: Vec<Word> = Vec::new();
        let mut input = around.input.clone();
        let mut more: Vec<Node<'t>> = Vec::new();
        let mut end = usize::MAX;
        let list: Vec<Node<'t>> = node.children(&mut node.walk()).collect();
        // A command ends with its line.
        let ends = |two: &[Node<'t>]| {
            let gap = source.get(two[0].end_byte()..two[1].start_byte()).unwrap_or_default();
            gap.replace("\\\n", "").contains('\n')
        };
        // What touches a value is a part of it in one shell, and the next word in another.
        let touches =
            |two: &[Node<'t>]| two[0].kind() == "variable_assignment" && two[0].end_byte() == two[1].start_byte();
        if list.windows(2).any(|two| ends(two) || touches(two)) {
            self.unclear(of(node, source));
        }
        let declares = node.kind() == "declaration_command";
        // Outside of a function it is an error, and sets nothing.
        if declares
            && list.first().is_some_and(|word| of(*word, source) == "local")
            && self.needs.functions_around <= self.functions_outside
        {
            self.unclear(of(node, source));
        }
        let program = list.iter().find(|c| c.kind() == "command_name").map(|c| of(*c, source));
        for child in list.into_iter().chain(around.more.iter().copied()) {
            match child.kind() {
                "variable_assignment" => {
                    let given = match (declares, program) {
                        (true, _) => Given::Declared,
                        (_, Some("read")) => Given::ToRead,
                        (_, Some(_)) => Given::Program,
                        (_, None) => Given::Script,
                    };
                    let word = self.assignment(child, source, inner, given);
                    if declares {
                        if let (1.., Some(Sets::Name(name))) = (self.needs.functions_around, self.sets.last()) {
                            self.needs.locals.insert(name.clone());
                        }
                        words.push(word);
                    }
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    let redirect = self.redirect(child, source, inner);
                    // Another one that surrounds the command may count instead.
                    let both = redirect.input.is_some() && !matches!(input, Input::Unknown);
                    input = redirect.input.unwrap_or(input);
                    if both || around.redirected {
                        input = Input::Unknown;
                    }
                    more.extend(redirect.more);
                    inner.extend(redirect.then);
                }
                "comment" => {}
                _ => self.word(child, source, inner, &mut words, &mut end),
            }
        }
        for child in more {
            self.word(child, source, inner, &mut words, &mut end);
        }
        let words = self.unbraced(words, of(node, source));
        self.call(&words, &Call::new(&input, of(node, source)));
    }

    /// The name of a variable goes on in what braces put behind it: `$A{B,C}` is `$AB $AC`.
    pub fn joined(&mut self, word: &Word) {
        let is_name =
            |p: &Piece| matches!(p, Piece::Any(place) if place.starts_with('$') && !place.ends_with(['}', ')']));
        let goes_on = |two: &[Piece]| is_name(&two[0]) && two[1] == Piece::Brace('{');
        if word.pieces.windows(2).any(goes_on) {
            self.needs.every_variable();
        }
    }

    /// The words of a command after braces have made others of them.
    fn unbraced(&mut self, words: Vec<Word>, source: &str) -> Vec<Word> {
        let written = words.len();
        words.iter().for_each(|word| self.joined(word));
        let words: Vec<Word> = words.into_iter().flat_map(Word::unbraced).collect();
        let many = |w: &Word| matches!(&w.pieces[..], [Piece::Any(p)] if p == text::BRACED);
        if self.posix && words.len() != written || words.iter().any(many) && too_many(source) {
            self.unclear(source);
        }
        words
    }

    /// Adds a word; one that touches the word before it is a part of that.
    fn word<'t>(
        &mut self,
        node: Node<'t>,
        source: &str,
        inner: &mut Vec<Node<'t>>,
        words: &mut Vec<Word>,
        end: &mut usize,
    ) {
        let touches = *end == node.start_byte();
        *end = node.end_byte();
        let mut word = word::read(node, source, inner);
        match words.last_mut() {
            Some(last) if touches => {
                // `$"…"` is a string in the reader's language.
                if node.kind() == "string" && last.pieces.last() == Some(&Piece::Char('$')) {
                    last.pieces.pop();
                }
                last.bare &= word.bare;
                last.pieces.append(&mut word.pieces);
                // A set of signs may have been read in parts; braces come before sets.
                if !last.pieces.contains(&Piece::Brace('{')) {
                    last.sets();
                }
            }
            _ => words.push(word),
        }
    }

    /// An assignment, as a word.
    pub fn assignment<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>, given: Given) -> Word {
        let name_node = node.child_by_field_name("name");
        let name = name_node.map(|n| of(n, source)).unwrap_or_default();
        let name = name.split('[').next().unwrap_or_default().to_owned();
        if let Some(subscript) = name_node.filter(|n| n.kind() == "subscript") {
            self.element(subscript, source);
            inner.extend(subscript.child_by_field_name("index"));
        }
        // What is added is added to what came in with the environment.
        if node.children(&mut node.walk()).any(|child| child.kind() == "+=") {
            self.needs.variable(&name);
        }
        let mut shown = Word::of(&format!("{name}="));
        // A value that stands on the next line is none where that line begins with a blank: the program is what stands there.
        let written = of(node, source).split_once('=').map_or("", |(_, value)| value);
        let bare = written.split(['"', '\'']).next().unwrap_or_default();
        // A line that is continued behind a value: what stands on the next one the grammar reads in its own way.
        let continued = source
            .get(node.end_byte()..)
            .is_some_and(|rest| rest.starts_with("\\\n"));
        if continued || bare.contains("\\\n") {
            self.unclear(of(node, source));
        }
        if let Some(value) = node.child_by_field_name("value") {
            if value.kind() == "array" {
                for element in value.named_children(&mut value.walk()) {
                    self.array_element(&name, element, source);
                    inner.push(element);
                }
                shown.pieces.push(Piece::Any(text::ARRAY.to_owned()));
            } else {
                let word = word::read(value, source, inner);
                self.needs.secrets_in(&word);
                // `sh` may split what it declares.
                if self.posix && given == Given::Declared && word.splits {
                    self.no_option(&word, of(node, source));
                }
                shown.splits = word.splits;
                shown.pieces.extend(word.pieces);
            }
        }
        let value = shown.after(name.chars().count() + 1);
        if given != Given::ToRead || name != "IFS" {
            let exported = matches!(given, Given::Declared | Given::Program);
            self.gives_word(&name, &value, exported, of(node, source));
        }
        if matches!(given, Given::Declared | Given::Kept) {
            self.sets.push(Sets::Name(name));
        }
        shown
    }

    /// `$NAME`, `${NAME…}`.
    pub fn expansion<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) {
        let mut indirect = false;
        let mut assigns = false;
        let mut name: Option<String> = None;
        let mut last = "";
        for child in node.children(&mut node.walk()) {
            let text = of(child, source);
            match child.kind() {
                "variable_name" if name.is_none() => name = Some(text.to_owned()),
                "subscript" if name.is_none() => {
                    let whole = child.child_by_field_name("name");
                    name = Some(whole.map(|n| of(n, source)).unwrap_or_default().to_owned());
                    let index = child.child_by_field_name("index");
                    indirect &= index.is_some_and(|i| !matches!(of(i, source), "@" | "*"));
                    self.element(child, source);
                    inner.extend(index);
                }
                "special_variable_name" if name.is_none() => name = Some(String::new()),
                "!" if name.is_none() => indirect = true,
                "=" | ":=" => assigns = true,
                // The grammar takes what it cannot read there for plain text.
                "word" | "regex" if text.contains('`') => self.backquoted(text),
                _ if child.is_named() => inner.push(child),
                _ => {}
            }
            if text != "}" {
                last = text;
            }
        }
        let text = of(node, source);
        let Some(name) = name else { return };
        if indirect && matches!(last, "*" | "@") {
            return; // the names of variables, not what they hold
        }
        self.needs.variable(&name);
        if indirect {
            // What the value names is evaluated like a name that is written.
            self.unclear(text);
            self.needs.every_variable();
        }
        self.transformed(node, source);
        if assigns {
            let value = text
                .split_once('=')
                .map(|(_, value)| value.trim_end_matches('}'))
                .unwrap_or_default();
            let value = if value.contains(['$', '`', '\\', '"', '\'']) {
                Word::unknown("$(…)")
            } else {
                Word::of(value)
            };
            self.gives_word(&name, &value, false, text);
            self.sets.push(Sets::Name(name));
        }
    }

    /// A statement with redirections.
    pub fn redirected<'t>(&mut self, node: Node<'t>, around: NodeContext<'t>, source: &str, work: &mut Vec<Work<'t>>) {
        let mut inner = Vec::new();
        let mut more: Vec<Node<'t>> = around.more.to_vec();
        let mut then = Vec::new();
        let mut input = around.input.clone();
        let mut bodies = Vec::new();
        let mut redirects = Vec::new();
        let of_list = node.children(&mut node.walk()).any(|child| child.kind() == "list");
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    // Of a list its last command is redirected, which stands where the others have led: its files are found below.
                    self.needs.passes_files = of_list;
                    let redirect = self.redirect(child, source, &mut inner);
                    self.needs.passes_files = false;
                    input = redirect.input.unwrap_or(input);
                    more.extend(redirect.more);
                    then.extend(redirect.then);
                    redirects.push(child);
                }
                _ if child.is_named() => bodies.push(child),
                _ => {}
            }
        }
        if bodies.is_empty() && !more.is_empty() {
            // `>file program arguments`
            let mut words = Vec::new();
            let mut end = usize::MAX;
            for node in more.drain(..) {
                self.word(node, source, &mut inner, &mut words, &mut end);
            }
            let words = self.unbraced(words, of(node, source));
            self.call(&words, &Call::new(&input, of(node, source)));
        }
        let more: Rc<[Node<'t>]> = more.into();
        // What stands in a redirection begins before the command that is redirected.
        work.extend(inner.into_iter().map(|n| Work::Node(n, NodeContext::default())));
        for body in bodies {
            // Of several commands one may have read a part of it before another does.
            let input = match (&input, body.kind()) {
                (Input::Text(text), kind) if kind != "command" => Input::Partly(Rc::clone(text)),
                _ => input.clone(),
            };
            let more = Rc::clone(&more);
            work.push(Work::Node(
                body,
                NodeContext {
                    input,
                    more,
                    redirected: true,
                    ..around.clone()
                },
            ));
            if body.kind() == "list" {
                work.extend(redirects.iter().copied().map(Work::Redirect));
            }
        }
        for next in then {
            work.push(Work::Node(next, NodeContext::default()));
        }
    }

    /// The files of a redirection are needs; what else hangs on it is given back.
    pub fn redirect<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) -> Redirect<'t> {
        match node.kind() {
            "heredoc_redirect" => self.heredoc(node, source, inner),
            "herestring_redirect" => {
                let mut input = Word::default();
                let mut other_number = false;
                for child in node.named_children(&mut node.walk()) {
                    match child.kind() {
                        "file_descriptor" => other_number |= of(child, source) != "0",
                        _ => input = word::read(child, source, inner),
                    }
                }
                self.needs.secrets_in(&input);
                let input = input.known().map_or(Input::Unknown, |t| Input::Text(t.into()));
                Redirect {
                    input: (!other_number).then_some(input),
                    ..Redirect::default()
                }
            }
            _ => self.file_redirect(node, source, inner),
        }
    }

    fn file_redirect<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) -> Redirect<'t> {
        let mut sign = "";
        let mut target: Option<Word> = None;
        let mut end = 0;
        let mut redirect = Redirect::default();
        // `{NAME}>file` gives the name a number, and evaluates its subscript.
        let before = source.get(..node.start_byte()).unwrap_or_default();
        let brace = before.ends_with('}').then(|| before.rfind('{')).flatten();
        if brace.is_some_and(|at| !before[..at].ends_with('$')) {
            self.unclear(of(node, source));
        }
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "file_descriptor" => {}
                _ if child.is_error() => {}
                _ if !child.is_named() => sign = of(child, source),
                _ => match &mut target {
                    None => target = Some(word::read(child, source, inner)),
                    Some(target) if child.start_byte() == end && redirect.more.is_empty() => {
                        target.pieces.extend(word::read(child, source, inner).pieces);
                        target.sets();
                    }
                    Some(_) => redirect.more.push(child),
                },
            }
            end = child.end_byte();
        }
        let Some(target) = target else { return redirect };
        let number = |t: String| t == "-" || t.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        let copies = sign.ends_with('&') && target.known().is_some_and(number);
        if sign.ends_with(">&") && !copies {
            self.expanded_again(&target, of(node, source));
        }
        // A file of this name is a connection.
        let at_network = ["/dev/tcp/", "/dev/udp/"]
            .iter()
            .any(|device| target.rough().starts_with(device));
        if at_network || target.known().is_none() && target.rough().starts_with("/dev/") {
            self.unclear(of(node, source));
        }
        // `<>` opens for both.
        let reads = sign.starts_with('<') && !of(node, source).contains("<>");
        if matches!(target.pieces[..], [Piece::Any(ref p)] if p.starts_with("$(")) && substituted(node) {
            // `> >(command)`: the command is looked at by itself.
        } else if !copies {
            self.needs.file(if reads { Kind::Read } else { Kind::Write }, &target);
        }
        if reads {
            redirect.input = Some(Input::Unknown);
        }
        redirect
    }

    /// What bash expands a second time: the name of a file behind `>&`, where no number stands. What came of the first time may hold a command,
    /// and so may the name of a file that a pattern meets.
    fn expanded_again(&mut self, target: &Word, source: &str) {
        for piece in &target.pieces {
            match piece {
                Piece::Char(c) if c.is_ascii_alphanumeric() || "_./,:@%+=-".contains(*c) => {}
                Piece::Any(place) => self.plain(place, source),
                _ => self.unclear(source),
            }
        }
    }

    fn heredoc<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) -> Redirect<'t> {
        let mut redirect = Redirect::default();
        let (mut delimiter, mut tabs, mut text) = (String::new(), false, "");
        let mut body = None;
        // It may be given to another number than that of the standard input, and what stands behind it may take its place.
        let mut other_number = false;
        let mut later = None;
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "<<-" => tabs = true,
                "heredoc_start" => of(child, source).clone_into(&mut delimiter),
                "heredoc_body" => {
                    body = Some(child);
                    text = of(child, source);
                }
                "heredoc_end" => {
                    let plain: String = delimiter.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
                    let ends = |line: &str| (if tabs { line.trim_start_matches('\t') } else { line }) == plain;
                    if of(child, source).trim_start_matches('\t') != plain || text.lines().any(ends) {
                        self.unclear(of(node, source));
                    }
                }
                "file_descriptor" => other_number |= of(child, source) != "0",
                "file_redirect" | "herestring_redirect" => {
                    let other = self.redirect(child, source, inner);
                    redirect.more.extend(other.more);
                    later = other.input.or(later);
                }
                "pipeline" | "list" | "command" | "redirected_statement" | "subshell" | "compound_statement" => {
                    redirect.then.push(child)
                }
                _ if !child.is_named() => {}
                kind if kind.ends_with("_statement") || kind.ends_with("_command") || kind.ends_with("_definition") => {
                    redirect.then.push(child);
                }
                _ => redirect.more.push(child),
            }
        }
        let expands = !delimiter.contains(['\'', '"', '\\']);
        let mut known = true;
        if let (Some(body), true) = (body, expands) {
            known = self.document(body, source, inner);
        }
        let text = received(text, expands, tabs).into();
        let input = match known {
            true => Input::Text(text),
            false => Input::Partly(text),
        };
        redirect.input = later.or((!other_number).then_some(input));
        redirect
    }

    /// A here-document in which the shell replaces things. Returns whether it replaces nothing.
    fn document<'t>(&mut self, node: Node<'t>, source: &str, inner: &mut Vec<Node<'t>>) -> bool {
        let mut at = node.start_byte();
        let mut plain = true;
        let mut rest = String::new();
        for child in node.named_children(&mut node.walk()) {
            if matches!(child.kind(), "heredoc_content" | "string_content") {
                continue;
            }
            plain = false;
            rest.push_str(source.get(at..child.start_byte()).unwrap_or_default());
            rest.push(' ');
            at = child.end_byte();
            inner.push(child);
        }
        rest.push_str(source.get(at..node.end_byte()).unwrap_or_default());
        if plain_text(&rest, None) {
            return plain;
        }
        // The grammar leaves backquotes in here-documents alone.
        self.backquoted(&rest);
        false
    }

    /// Text in which the grammar did not look for substitutions: what stands between backquotes is read, anything else is unclear.
    fn backquoted(&mut self, text: &str) {
        let mut parts = vec![String::new()];
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match (c, parts.len()) {
                ('`', _) => parts.push(String::new()),
                ('\\', n) => {
                    let part = &mut parts[n - 1];
                    match chars.next() {
                        Some('`') if n % 2 == 0 => part.push('`'),
                        other => part.extend(std::iter::once('\\').chain(other)),
                    }
                }
                (c, n) => parts[n - 1].push(c),
            }
        }
        for (i, part) in parts.iter().enumerate() {
            if i % 2 == 1 {
                self.script(part);
            } else if !plain_text(part, None) {
                self.unclear(part);
            }
        }
        if parts.len() % 2 == 0 {
            self.unclear(text);
        }
    }
}

/// Whether words in braces may become more than anybody foresees: too many for the reader, or a range with long numbers.
fn too_many(text: &str) -> bool {
    let long = text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() > 4);
    text.matches('{').count() > 1 || long
}

/// Whether a redirection leads into or out of a command.
fn substituted(redirect: Node<'_>) -> bool {
    let mut cursor = redirect.walk();
    redirect
        .children(&mut cursor)
        .any(|c| c.kind() == "process_substitution")
}

/// What a command gets of a here-document: where the shell replaces things it takes the escapes off, and with `<<-` the tabs at the
/// beginnings of lines.
fn received(text: &str, expands: bool, tabs: bool) -> String {
    let text: String = match tabs {
        true => text
            .split_inclusive('\n')
            .map(|line| line.trim_start_matches('\t'))
            .collect(),
        false => text.to_owned(),
    };
    if !expands {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => drop(chars.next()),
            ('\\', Some('$' | '`' | '\\')) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}
