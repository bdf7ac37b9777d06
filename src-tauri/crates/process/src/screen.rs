//! What a terminal would show of what a program prints, as lines of text: colours and other escape sequences are left out, a line that the
//! program writes again (a progress bar) is the one written last. Lines that are over are not changed any more: the program cannot move up.

use std::mem::take;

/// How long a line may become, in characters, before it is taken to be over.
const LONGEST: usize = 16 * 1024;

/// A terminal's last line, and what it has shown since it was last asked.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    state: State,
    line: Vec<char>,
    column: usize,
    /// The beginning of the line that was given away already, unfinished.
    given: Vec<char>,
    done: String,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and a character that wants one more.
    Short,
    /// After ESC `[`, with the parameters so far.
    Control(String),
    /// A text for the terminal itself (its title), until BEL or ESC `\`.
    Told,
    /// An ESC within that.
    ToldEscape,
}

impl Screen {
    /// Shows a piece of what was printed.
    pub fn print(&mut self, text: &str) {
        for c in text.chars() {
            self.take(c);
        }
    }

    /// The lines that are over, since this was last asked.
    pub fn lines(&mut self) -> String {
        take(&mut self.done)
    }

    /// Whether the last line shows more than was given.
    pub fn waiting(&self) -> bool {
        self.line != self.given
    }

    /// What the last line, not over yet, shows more than was given. Where it was written again it begins anew, on a line of its own.
    pub fn unfinished(&mut self) -> String {
        let mut more = String::new();
        self.give(&mut more);
        more
    }

    fn give(&mut self, into: &mut String) {
        if self.line == self.given {
            return;
        }
        let from = match self.line.starts_with(&self.given) {
            true => self.given.len(),
            false => {
                into.push('\n');
                0
            }
        };
        into.extend(&self.line[from..]);
        self.given.clone_from(&self.line);
    }

    fn take(&mut self, c: char) {
        self.state = match (take(&mut self.state), c) {
            (State::Text, _) => return self.text(c),
            // Cancel, and an escape within another: what was begun is nothing.
            (_, '\u{18}' | '\u{1a}') => State::Text,
            (State::Told, '\u{7}' | '\u{9c}') => State::Text,
            (State::Told, '\u{1b}') => State::ToldEscape,
            (State::Told, _) => State::Told,
            (State::ToldEscape, '\\') => State::Text,
            (_, '\u{1b}') => State::Escape,
            (State::Escape | State::ToldEscape, '[') => State::Control(String::new()),
            (State::Escape | State::ToldEscape, ']' | 'P' | 'X' | '^' | '_') => State::Told,
            (State::Escape | State::Short, ' '..='/') => State::Short,
            (State::Escape | State::ToldEscape | State::Short, _) => State::Text,
            (State::Control(so_far), '\u{40}'..='\u{7e}') => {
                self.control(c, &so_far);
                State::Text
            }
            (State::Control(mut so_far), _) => {
                if so_far.len() < 64 {
                    so_far.push(c);
                }
                State::Control(so_far)
            }
        };
    }

    fn text(&mut self, c: char) {
        match c {
            '\n' => self.end(),
            '\r' => self.column = 0,
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\u{1b}' => self.state = State::Escape,
            '\u{9b}' => self.state = State::Control(String::new()),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.state = State::Told,
            '\t' => self.put('\t'),
            _ if c.is_control() => {}
            _ => self.put(c),
        }
    }

    fn put(&mut self, c: char) {
        if self.column >= LONGEST {
            self.end();
        }
        while self.line.len() < self.column {
            self.line.push(' ');
        }
        match self.line.get_mut(self.column) {
            Some(there) => *there = c,
            None => self.line.push(c),
        }
        self.column += 1;
    }

    fn end(&mut self) {
        let mut done = take(&mut self.done);
        self.give(&mut done);
        done.push('\n');
        self.done = done;
        self.line.clear();
        self.given.clear();
        self.column = 0;
    }

    /// What moves within the line, or erases of it. Of the rest (colours, modes, other lines) nothing is shown.
    fn control(&mut self, what: char, parameters: &str) {
        let number = parameters.split(';').next().and_then(|n| n.parse::<usize>().ok());
        let count = number.unwrap_or(1).clamp(1, LONGEST);
        match (what, number) {
            ('C', _) => self.column = (self.column + count).min(LONGEST),
            ('D', _) => self.column = self.column.saturating_sub(count),
            ('G', _) => self.column = count - 1,
            ('K', None | Some(0)) => self.line.truncate(self.column),
            ('K', Some(2)) => self.line.clear(),
            ('P', _) => {
                let from = self.column.min(self.line.len());
                let to = (from + count).min(self.line.len());
                self.line.drain(from..to);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut screen = Screen::default();
        screen.print(text);
        screen.lines() + &screen.unfinished()
    }

    #[test]
    fn what_a_terminal_would_show() {
        for (printed, seen) in [
            ("one\r\ntwo\r\n", "one\ntwo\n"),
            ("10%\r20%\r100%\r\ndone", "100%\ndone"),
            ("\u{1b}[1;31mred\u{1b}[0m\n", "red\n"),
            ("\u{1b}]0;a title\u{7}text\u{1b}]8;;http://x\u{1b}\\link", "textlink"),
            ("abc\u{8}\u{8}X", "aXc"),
            ("long line\r\u{1b}[Kshort", "short"),
            ("\u{1b}(B\u{1b}7\u{1b}[?25la\tb\u{7}\n", "a\tb\n"),
            ("\u{1b}[\u{1b}[31mx\u{18}y", "xy"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}!", "red!"),
        ] {
            assert_eq!(shown(printed), seen, "{printed:?}");
        }
    }

    #[test]
    fn any_cut_shows_the_same() {
        let printed = "\u{1b}[31mä\u{1b}[0m 1%\r2%\u{1b}]0;t\u{1b}\\\r\nend";
        for cut in (0..=printed.len()).filter(|at| printed.is_char_boundary(*at)) {
            let mut screen = Screen::default();
            screen.print(&printed[..cut]);
            let first = screen.lines();
            screen.print(&printed[cut..]);
            assert_eq!(
                first + &screen.lines() + &screen.unfinished(),
                shown(printed),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_question_is_shown_before_its_line_is_over_and_once() {
        let mut screen = Screen::default();
        screen.print("Name? ");
        assert_eq!(screen.unfinished(), "Name? ");
        assert!(!screen.waiting());
        screen.print("Ada\r\n50%");
        assert_eq!(
            (screen.lines(), screen.unfinished()),
            ("Ada\n".to_owned(), "50%".to_owned())
        );
        screen.print("\r60%\r\n");
        assert_eq!(screen.lines(), "\n60%\n");
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let mut screen = Screen::default();
        for _ in 0..100 {
            screen.print(&"x".repeat(LONGEST / 2));
        }
        assert!(screen.line.len() <= LONGEST && screen.lines().lines().all(|line| line.len() <= LONGEST));
    }
}
