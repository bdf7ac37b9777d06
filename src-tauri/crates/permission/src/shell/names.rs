//! Ways in which names get values, and texts that the shell evaluates once more: arithmetic and subscripts.

use super::held::{Held, held, is_name};
use super::reader::Reader;
use super::steering;
use super::tree::of;
use super::values::{Class, class_of};
use super::word::{self, Piece, Word};
use tree_sitter::Node;

/// A name that is given a value, as it stands in a word: `NAME`, `NAME[subscript]`, `NAME+`.
enum Target<'t> {
    Name(&'t str),
    Element(&'t str, &'t str),
    Odd,
}

fn target(text: &str) -> Target<'_> {
    let text = text.strip_suffix('+').unwrap_or(text);
    match text.split_once('[') {
        None if is_name(text) => Target::Name(text),
        Some((name, rest)) if is_name(name) && rest.ends_with(']') => Target::Element(name, &rest[..rest.len() - 1]),
        _ => Target::Odd,
    }
}

impl Reader<'_> {
    /// A builtin gives the name in this word a value of its own making, or looks at it: `read NAME`, `printf -v NAME`, `test -v NAME`.
    pub fn named(&mut self, word: &Word, class: Option<Class>, source: &str) {
        let Some(text) = word.known() else {
            return self.unclear(source);
        };
        match target(&text) {
            Target::Name(name) | Target::Element(name, _) if class.is_some() => self.gives(name, class, false, source),
            Target::Odd => self.unclear(source),
            _ => {}
        }
        if let Target::Element(name, subscript) = target(&text) {
            self.subscript(name, subscript, source);
        }
    }

    /// A name is given a value; `exported`: programs see it too. What steers makes the script unclear.
    pub fn gives(&mut self, name: &str, class: Option<Class>, exported: bool, source: &str) {
        if steering::shell(name) || steering::number(name) || exported && steering::programs(name) {
            self.unclear(source);
        }
        if let Some(class) = class {
            self.needs.values.give(name, class);
        }
    }

    /// `NAME=value` as one word, of a declaration or for a program's environment.
    pub fn setting(&mut self, word: &Word, exported: bool, source: &str) {
        let is_sign = |p: &Piece| *p == Piece::Char('=');
        let Some(at) = word.pieces.iter().position(is_sign) else {
            return self.unclear(source);
        };
        let name: Option<String> = Word {
            pieces: word.pieces[..at].to_vec(),
            ..Word::default()
        }
        .known();
        let value = word.after(at + 1);
        match name.as_deref().map(target) {
            Some(Target::Name(name)) => {
                self.gives_word(name, &value, exported, source);
            }
            Some(Target::Element(name, subscript)) => {
                self.gives_word(name, &value, exported, source);
                self.subscript(name, subscript, source);
            }
            _ => self.unclear(source),
        }
    }

    /// A name is given what a word becomes.
    pub fn gives_word(&mut self, name: &str, value: &Word, exported: bool, source: &str) {
        // Blanks alone split words no further than they are split anyway.
        let blank = |v: &Word| {
            v.known()
                .is_some_and(|v| v.chars().all(|c| matches!(c, ' ' | '\t' | '\n')))
        };
        let number = |v: &Word| v.known().is_some_and(|v| v.bytes().all(|b| b.is_ascii_digit()));
        let harmless = name == "IFS" && blank(value) || steering::number(name) && number(value);
        if !harmless {
            self.gives(name, None, exported, source);
        }
        self.needs.values.give_word(name, value);
    }

    /// The subscript of an element: arithmetic, or the key of a map.
    pub fn subscript(&mut self, name: &str, text: &str, source: &str) {
        let text = text.trim();
        let unquoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
        let unquoted = unquoted
            .strip_prefix('\'')
            .and_then(|t| t.strip_suffix('\''))
            .unwrap_or(unquoted);
        if !matches!(unquoted, "@" | "*") {
            self.evaluated(unquoted, Some(name), source);
        }
    }

    /// Text that the shell evaluates as arithmetic: clear when it is made of numbers and of names that hold numbers.
    pub fn arithmetic(&mut self, text: &str, source: &str) {
        self.evaluated(text, None, source);
    }

    fn evaluated(&mut self, text: &str, map: Option<&str>, source: &str) {
        // Nobody writes longer ones, and each level of brackets is looked at again.
        const LONGEST: usize = 500;
        if text.len() > LONGEST {
            return self.unclear(source);
        }
        let mut rest = text;
        let mut after_operand = false;
        let mut stepped = false;
        while let Some(c) = rest.chars().next() {
            let taken = |ok: fn(char) -> bool| rest.find(|c| !ok(c)).unwrap_or(rest.len());
            let (length, operand) = match c {
                ' ' | '\t' | '\n' => {
                    rest = &rest[1..];
                    continue;
                }
                '\\' if rest.starts_with("\\\n") => {
                    rest = &rest[2..];
                    continue;
                }
                '0'..='9' => (
                    taken(|c| c.is_ascii_alphanumeric() || matches!(c, '#' | '_' | '@')),
                    true,
                ),
                'A'..='Z' | 'a'..='z' | '_' => {
                    let length = taken(|c| c.is_ascii_alphanumeric() || c == '_');
                    let name = &rest[..length];
                    if stepped || is_assigned(rest[length..].trim_start()) {
                        self.gives(name, Some(Class::Number), false, source);
                    } else if steering::shell(name) {
                        self.unclear(source);
                    }
                    self.needs.values.demand(name, Class::Number, map, source);
                    (length, true)
                }
                '$' => match self.place(rest, source) {
                    Some(length) => (length, true),
                    None => return self.unclear(source),
                },
                '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '^' | '~' | '?' | ':' | ',' => {
                    (1, false)
                }
                '(' | ')' | '[' | ']' | '"' => {
                    rest = &rest[1..];
                    after_operand &= c != '(' && c != '[';
                    continue;
                }
                _ => return self.unclear(source),
            };
            if operand && after_operand {
                return self.unclear(source);
            }
            stepped =
                !operand && (rest.starts_with("++") || rest.starts_with("--") || stepped && matches!(c, '+' | '-'));
            after_operand = operand;
            rest = &rest[length..];
        }
    }

    /// A place in arithmetic that the shell fills in: how long it is, if it is a number.
    fn place(&mut self, text: &str, source: &str) -> Option<usize> {
        if text.starts_with("$((") {
            return Some(1);
        }
        let end = match text[1..].chars().next()? {
            '{' => text.find('}')? + 1,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let more = |c: char| c.is_ascii_alphanumeric() || c == '_';
                1 + text[1..].find(|c| !more(c)).unwrap_or(text.len() - 1)
            }
            c => 1 + c.len_utf8(),
        };
        match held(&text[..end]) {
            Held::Number => {}
            Held::Name(name) => self.needs.values.demand(name, Class::Number, None, source),
            Held::Anything => return None,
        }
        Some(end)
    }

    /// A word that a builtin evaluates as arithmetic.
    pub fn calculated(&mut self, word: &Word, source: &str) {
        let mut text = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Char(c) | Piece::Brace(c) => text.push(*c),
                Piece::Star => text.push('*'),
                Piece::One => text.push('?'),
                Piece::Any(place) if place == crate::text::COUNTED => text.push('0'),
                Piece::Any(place) => text.push_str(place),
            }
        }
        self.arithmetic(&text, source);
    }

    /// The words of a builtin that must not turn into options: each of them is known to begin with something else.
    pub fn no_option(&mut self, word: &Word, source: &str) {
        let begins = matches!(word.pieces.first(), Some(Piece::Any(_)));
        if !word.splits && !begins {
            return;
        }
        let (class, names) = class_of(word);
        let most = if word.splits { Class::Plain } else { Class::Literal };
        if class > most && word.known().is_none() {
            return self.unclear(source);
        }
        for name in names {
            self.needs.values.demand(&name, most, None, source);
        }
    }

    /// The words of `test` and `[`, without the last bracket: `-v` looks at a variable, and evaluates its subscript.
    pub fn tested(&mut self, words: &[Word], source: &str) {
        for (i, word) in words.iter().enumerate() {
            let next = words.get(i + 1);
            match word.known().as_deref() {
                Some("-v" | "-R") => {
                    if let Some(next) = next.filter(|n| n.known().is_none_or(|n| n.contains('['))) {
                        self.named(next, None, source);
                    }
                }
                Some(_) => {}
                // Quoted it is one word: an operator if something follows.
                None => {
                    let evaluated = next.is_some_and(|n| n.known().is_none_or(|n| n.contains('[')));
                    if word.splits || evaluated {
                        self.no_option(word, source);
                    }
                }
            }
        }
    }
}

/// Whether what follows a name in arithmetic gives it a value.
fn is_assigned(rest: &str) -> bool {
    if rest.starts_with("++") || rest.starts_with("--") {
        return true;
    }
    let operator = rest.trim_start_matches(['+', '-', '*', '/', '%', '<', '>', '&', '^', '|']);
    let signs = rest.len() - operator.len();
    let compares = signs == 1 && rest.starts_with(['<', '>']);
    operator.starts_with('=') && !operator.starts_with("==") && signs <= 2 && !compares
}

/// What the tree says of texts that are evaluated once more.
impl Reader<'_> {
    /// `$((…))`, `((…))`, `$[…]`.
    pub fn expression(&mut self, node: Node<'_>, source: &str) {
        let text = of(node, source).trim();
        let inside = [("$((", "))"), ("((", "))"), ("$[", "]")]
            .iter()
            .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        match inside {
            Some(inside) => self.arithmetic(inside, text),
            None => self.unclear(text),
        }
    }

    /// `NAME[subscript]`.
    pub fn element(&mut self, node: Node<'_>, source: &str) {
        let text = of(node, source);
        match target(text) {
            Target::Element(name, subscript) => self.subscript(name, subscript, text),
            _ => self.unclear(text),
        }
    }

    /// The variable of `for NAME in words` and of `select`.
    pub fn counted(&mut self, node: Node<'_>, name: &str, source: &str) {
        let text = of(node, source);
        let line = text.lines().next().unwrap_or_default();
        let mut values = node
            .children_by_field_name("value", &mut node.walk())
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        let chosen = text.starts_with("select") || values.peek().is_none();
        self.gives(name, chosen.then_some(Class::Other), false, line);
        for value in values {
            let word = word::read(value, source, &mut Vec::new());
            self.joined(&word);
            self.needs.values.give_word(name, &word);
        }
    }

    /// `[ … ]` and `[[ … ]]`.
    pub fn test(&mut self, node: Node<'_>, source: &str) {
        let text = of(node, source);
        let own = text.starts_with("[[");
        // Without blanks around them the brackets are part of a word.
        let inside = text.trim_start_matches('[').trim_end_matches(']');
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n');
        if !inside.starts_with(blank) || !inside.ends_with(blank) {
            self.unclear(text);
        }
        let mut end = node.start_byte();
        let mut words: Vec<Word> = Vec::new();
        let mut open = vec![node];
        while let Some(next) = open.pop() {
            match next.kind() {
                "binary_expression" if own => self.compared(next, source),
                "unary_expression" if own => self.looked_at(next, source),
                _ => {}
            }
            let list: Vec<Node<'_>> = next.children(&mut next.walk()).collect();
            let is_word = !matches!(
                next.kind(),
                "test_command"
                    | "binary_expression"
                    | "unary_expression"
                    | "parenthesized_expression"
                    | "negation_expression"
            );
            let is_sign = next.kind() == "test_operator" || !next.is_named();
            let is_leaf = is_word && (next.is_named() || list.is_empty());
            if is_leaf && !own {
                // To a command of one bracket these signs, and the end of a line, are what they are everywhere.
                let gap = source.get(end..next.start_byte()).unwrap_or_default();
                let signs = ['&', '|', ';', '<', '>', '(', ')'];
                if is_sign && of(next, source).contains(signs) || gap.replace("\\\n", "").contains('\n') {
                    self.unclear(text);
                }
                end = next.end_byte();
            }
            match is_leaf {
                true if is_sign => words.push(Word::of(of(next, source).trim())),
                true => words.push(word::read(next, source, &mut Vec::new())),
                false => open.extend(list.into_iter().rev()),
            }
        }
        if !own {
            let last = words.len().saturating_sub(1);
            self.tested(words.get(1..last).unwrap_or_default(), text);
        }
    }

    /// `[[ a -eq b ]]` evaluates both.
    fn compared(&mut self, node: Node<'_>, source: &str) {
        let operator = node.child_by_field_name("operator").map(|o| of(o, source));
        if matches!(operator, Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")) {
            for side in ["left", "right"] {
                match node.child_by_field_name(side) {
                    Some(side) => self.arithmetic(of(side, source), of(node, source)),
                    None => self.unclear(of(node, source)),
                }
            }
        }
    }

    /// `[[ -v NAME ]]`.
    fn looked_at(&mut self, node: Node<'_>, source: &str) {
        let list: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let looks = list
            .first()
            .is_some_and(|o| matches!(of(*o, source).trim(), "-v" | "-R"));
        if let (true, Some(name)) = (looks, list.get(1)) {
            let word = word::read(*name, source, &mut Vec::new());
            self.named(&word, None, of(node, source));
        }
    }
}

/// Parts of words that are evaluated once more.
impl Reader<'_> {
    /// `${NAME@P}` is a prompt, `${NAME:x:y}` begins and ends where arithmetic says.
    pub fn transformed(&mut self, node: Node<'_>, source: &str) {
        let text = of(node, source);
        let list: Vec<Node<'_>> = node.children(&mut node.walk()).collect();
        let is_name = |n: &&Node<'_>| matches!(n.kind(), "variable_name" | "special_variable_name" | "subscript");
        let Some(end) = list.iter().find(is_name).map(|n| n.end_byte()) else {
            return;
        };
        let rest = source
            .get(end..node.end_byte())
            .unwrap_or_default()
            .trim_end_matches('}');
        match rest.strip_prefix(':') {
            Some(place) if !place.starts_with(['-', '=', '+', '?']) => {
                for part in place.split(':') {
                    self.arithmetic(part, text);
                }
            }
            _ if rest.starts_with('@') && !matches!(rest, "@Q" | "@U" | "@u" | "@L" | "@K" | "@k" | "@A") => {
                self.unclear(text)
            }
            _ => {}
        }
    }

    /// An element of `NAME=(…)`: `[subscript]=value`, or a value.
    pub fn array_element(&mut self, name: &str, node: Node<'_>, source: &str) {
        let text = of(node, source);
        let word = word::read(node, source, &mut Vec::new());
        self.joined(&word);
        let begins = matches!(
            word.pieces.first(),
            Some(Piece::Brace('[') | Piece::Char('[') | Piece::One)
        );
        if begins || word.splits && word.pieces.is_empty() {
            match text.strip_prefix('[').and_then(|t| t.split_once("]=")) {
                Some((subscript, _)) => self.subscript(name, subscript, text),
                None => self.unclear(text),
            }
            self.needs.values.give(name, Class::Other);
        } else {
            self.needs.values.give_word(name, &word);
        }
    }
}
