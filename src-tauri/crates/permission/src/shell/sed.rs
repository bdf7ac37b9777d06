//! Programs of `sed`: whether they run another, which files they name, and what has to hold for their unknown parts to stay what they are.

use super::values::Class;
use super::word::{Piece, Word};

/// What a program of `sed` does besides editing.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// What the shell fills in, and the class of values with which the program stays what it seems to be.
    pub demands: Vec<(String, Class)>,
    pub reads: Vec<Word>,
    pub writes: Vec<Word>,
}

/// Reads a program. `None`: it runs another (the command `e`, and the flag `e` of `s`), or cannot be read.
pub(super) fn read(program: &Word) -> Option<Program> {
    let text: Vec<char> = program.rough().chars().collect();
    let mut script = Script {
        word: program,
        text: &text,
        at: 0,
        program: Program::default(),
    };
    script.commands()?;
    Some(script.program)
}

struct Script<'w> {
    word: &'w Word,
    /// One sign for each piece of the word.
    text: &'w [char],
    at: usize,
    program: Program,
}

impl Script<'_> {
    fn commands(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_ascii_whitespace() || matches!(c, ';' | '{' | '}'))?;
            if self.peek().is_none() {
                return Some(());
            }
            self.addresses()?;
            let command = self.next(None)?;
            match command {
                // Commands in braces.
                '{' => continue,
                's' => {
                    self.sections()?;
                    if self.flags()? {
                        continue;
                    }
                }
                'y' => self.sections()?,
                'a' | 'i' | 'c' => {
                    self.text()?;
                    continue;
                }
                '#' => {
                    self.line()?;
                    continue;
                }
                'r' | 'R' | 'w' | 'W' => {
                    self.file(command)?;
                    continue;
                }
                // What stands behind a blank is another command.
                ':' | 'b' | 't' | 'T' => {
                    self.skip(is_blank)?;
                    while self
                        .peek()
                        .is_some_and(|c| !c.is_ascii_whitespace() && !matches!(c, ';' | '}'))
                    {
                        self.next(Some(Class::Label))?;
                    }
                    continue;
                }
                'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'q' | 'Q' | 'l' | 'L' | '=' | 'z'
                | 'F' => self.skip(|c| c.is_ascii_digit() || is_blank(c))?,
                // `e` runs a program; an address alone is an error.
                _ => return None,
            }
            self.skip(is_blank)?;
            if !matches!(self.peek(), None | Some(';' | '}' | '\n' | '#')) {
                return None;
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// The next sign. What the shell fills in may stand there if it is of a class; a pattern of files may not.
    fn next(&mut self, class: Option<Class>) -> Option<char> {
        let c = self.peek()?;
        match &self.word.pieces[self.at] {
            Piece::Any(place) => self.program.demands.push((place.clone(), class?)),
            Piece::Star | Piece::One => return None,
            Piece::Char(_) | Piece::Brace(_) => {}
        }
        self.at += 1;
        Some(c)
    }

    /// Goes on behind signs of a kind.
    fn skip(&mut self, is_one: impl Fn(char) -> bool) -> Option<()> {
        while self.peek().is_some_and(&is_one) {
            self.next(None)?;
        }
        Some(())
    }

    fn is_open(&self) -> bool {
        matches!(self.word.pieces.get(self.at), Some(Piece::Any(_)))
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                '0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t' => drop(self.next(None)?),
                _ if self.is_open() => drop(self.next(Some(Class::Number))?),
                '/' => {
                    self.next(None)?;
                    self.section('/')?;
                    self.skip(|c| matches!(c, 'I' | 'M'))?;
                }
                '\\' => {
                    self.next(None)?;
                    let sign = self.next(None)?;
                    self.section(sign)?;
                    self.skip(|c| matches!(c, 'I' | 'M'))?;
                }
                _ => return Some(()),
            }
        }
    }

    /// The two sections of `s` and `y`.
    fn sections(&mut self) -> Option<()> {
        let sign = self.next(None).filter(|c| !matches!(c, '\n' | '\\'))?;
        self.section(sign)?;
        self.section(sign)
    }

    /// Goes on behind the next sign that is not escaped. No section goes on behind its line.
    fn section(&mut self, sign: char) -> Option<()> {
        let class = match sign {
            '/' | ':' | '@' | '%' | '+' | ',' => Class::Label,
            '_' | '.' | '-' => Class::Number,
            c if c.is_ascii_alphanumeric() => Class::Number,
            _ => Class::Plain,
        };
        let class = Some(class).filter(|_| !sign.is_ascii_digit());
        loop {
            let in_path = sign == '/' && matches!(self.word.pieces.get(self.at), Some(Piece::Star | Piece::One));
            match self.peek()? {
                // No name of a file has a slash in it.
                _ if in_path => self.at += 1,
                c if c == sign => {
                    self.next(None)?;
                    return Some(());
                }
                '\n' => return None,
                '\\' => {
                    self.next(None)?;
                    self.next(class)?;
                }
                _ => drop(self.next(class)?),
            }
        }
    }

    /// The flags of `s`. Whether the name of a file, and so the line, ends them.
    fn flags(&mut self) -> Option<bool> {
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => drop(self.next(None)?),
                Some(c) if is_blank(c) => drop(self.next(None)?),
                Some('w') => {
                    self.next(None)?;
                    self.file('w')?;
                    return Some(true);
                }
                Some('e') => return None,
                Some(_) if self.is_open() => drop(self.next(Some(Class::Number))?),
                _ => return Some(false),
            }
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> Option<()> {
        while self.peek().is_some_and(|c| c != '\n') {
            self.next(Some(Class::Plain))?;
        }
        Some(())
    }

    /// A text: its line, and the next one where that ends with a backslash which no other escapes.
    fn text(&mut self) -> Option<()> {
        while let Some(c) = self.peek().filter(|c| *c != '\n') {
            self.next(Some(Class::Plain))?;
            if c == '\\' && self.peek().is_some() {
                self.next(Some(Class::Plain))?;
            }
        }
        Some(())
    }

    /// The name of a file: all of the line, whatever it ends with.
    fn file(&mut self, command: char) -> Option<()> {
        self.skip(is_blank)?;
        let start = self.at;
        self.line()?;
        let name = Word {
            pieces: self.word.pieces[start..self.at].to_vec(),
            ..Word::default()
        };
        match matches!(command, 'r' | 'R') {
            true => self.program.reads.push(name),
            false => self.program.writes.push(name),
        }
        Some(())
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of files it writes, if it can be read and runs nothing.
    fn writes(program: &str) -> Option<usize> {
        read(&Word::of(program)).map(|program| program.writes.len())
    }

    #[test]
    fn a_line_goes_on_where_sed_lets_it() {
        for program in [
            "a foo\\\\\ne x",
            "i foo\\\\\\\\\ne x",
            "c\\\\\ne x",
            "#c\\\ne x",
            "r f\\\ne x",
            "R f\\\ne x",
            "w f\\\ne x",
            "W f\\\ne x",
            "s/a/b/w f\\\ne x",
            "s/a/b/gw f\\\ne x",
            "a\ne x",
        ] {
            assert_eq!(writes(program), None, "{program:?}");
        }
        for program in [
            "a foo\\\ne x",
            "a\\\ne x",
            "c\\\\\\\ne x",
            "a foo\\\n\\\\\\\ne x",
            "s/a/\\\ne x/",
        ] {
            assert_eq!(writes(program), Some(0), "{program:?}");
        }
    }

    #[test]
    fn commands_are_told_apart() {
        for program in [
            "e",
            "1e x",
            ":a e x",
            "b a;e",
            "p;e",
            "s/a/b/ e",
            "s/a/b/1e",
            "s/a/b/;e",
            "s/[/]/x/;e x",
            "y/a/b/;e",
            "{e",
            "0,/a/Ie",
            "\\,a,e",
            "s/a/b\n/;p",
            "s,a",
            "v;e",
            "/x/",
            "\\",
        ] {
            assert_eq!(writes(program), None, "{program:?}");
        }
        for (program, files) in [
            ("p;w f;e\ns/a/b/w g", 2),
            ("$!{N;ba}", 0),
            (":a;N;$!ba;s/\\n/ /g", 0),
            ("/^#/d;s/ +$//;y/e/f/ # e", 0),
            ("1~2!p;$!N;l 5;q3", 0),
            ("/a\\/b/,+3{s/e/e/2p;};=", 0),
        ] {
            assert_eq!(writes(program), Some(files), "{program:?}");
        }
    }

    #[test]
    fn what_is_filled_in_must_not_end_its_section() {
        let class = |before: &str, after: &str| {
            let mut word = Word::of(before);
            word.pieces.extend(Word::unknown("$x").pieces);
            word.pieces.extend(Word::of(after).pieces);
            read(&word).map(|program| program.demands[0].1)
        };
        assert_eq!(class("s/a/", "/"), Some(Class::Label));
        assert_eq!(class("s|a|", "|g"), Some(Class::Plain));
        assert_eq!(class("/", "/d"), Some(Class::Label));
        assert_eq!(class("1,", "p"), Some(Class::Number));
        assert_eq!(class("s/a/b/", ""), Some(Class::Number));
        assert_eq!(class("a ", ""), Some(Class::Plain));
        for (before, after) in [("", ""), ("s", "/a/b/"), ("p;", "x;"), ("s1a1", "1"), ("s/a/", "")] {
            let class = class(before, after);
            assert!(class.is_none() || class == Some(Class::Number), "{before}$x{after}");
        }
    }
}
