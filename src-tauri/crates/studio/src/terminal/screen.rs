//! What the terminals of steps show, and what a terminal sends for what is pressed. No more than that: who may look and type is said by
//! `terminals`.

use crate::terminal::view::{CursorView, TerminalView};
use crate::text::safe;
use engine::RunId;
use runtime::Typed;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU16;
use std::ops::Range;
use tokio::sync::mpsc;
use ts_rs::TS;

/// How large a terminal in the window is.
pub const COLUMNS: NonZeroU16 = NonZeroU16::new(80).expect("not zero");
pub const LINES: NonZeroU16 = NonZeroU16::new(24).expect("not zero");

/// Something that a person does with their keyboard.
#[derive(Clone, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Pressed {
    /// Characters, as they come from the keys.
    Text(String),
    /// A key that writes none, by its name in the DOM (`Enter`, `ArrowUp` …), or a letter with Control (`c`).
    Key {
        /// Its name.
        name: String,
        /// With Control.
        #[serde(default)]
        control: bool,
        /// With Alt.
        #[serde(default)]
        alt: bool,
    },
    /// A text out of the clipboard.
    Paste(String),
}

/// What is typed is told nowhere.
impl fmt::Debug for Pressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pressed")
    }
}

/// The terminals, by the order in which they were opened.
#[derive(Default)]
pub(crate) struct Terminals {
    pub next: u64,
    pub seats: BTreeMap<u64, Seat>,
}

/// A step's terminal, and who may type into it.
pub(crate) struct Seat {
    pub run: RunId,
    pub step: String,
    pub name: String,
    pub screen: vt100::Parser,
    pub keys: mpsc::Sender<Typed>,
    /// A notice of what it shows is on its way.
    pub told: bool,
}

/// What it shows.
pub(crate) fn view(id: u64, seat: &Seat) -> TerminalView {
    let screen = seat.screen.screen();
    let (line, column) = screen.cursor_position();
    let cursor = (!screen.hide_cursor()).then(|| {
        // Behind the last column nothing stands: the next character begins a line.
        let column = column.min(COLUMNS.get() - 1);
        CursorView {
            line: u32::from(line),
            before: part(screen, line, 0..column),
            under: part(screen, line, column..column + 1),
            after: part(screen, line, column + 1..COLUMNS.get()).trim_end().to_owned(),
        }
    });
    TerminalView {
        id,
        step: seat.step.clone(),
        name: safe::visible(&seat.name),
        lines: screen.rows(0, COLUMNS.get()).collect(),
        cursor,
    }
}

/// What stands in some columns of a line; a blank where nothing does.
fn part(screen: &vt100::Screen, line: u16, columns: Range<u16>) -> String {
    let cells = columns.filter_map(|at| screen.cell(line, at));
    // A wide character has two columns, and stands in the first.
    let shown = cells.filter(|cell| !cell.is_wide_continuation());
    shown
        .map(|cell| if cell.has_contents() { cell.contents() } else { " " })
        .collect()
}

/// What a terminal sends for what is pressed.
pub(crate) fn bytes_of(pressed: &Pressed, screen: &vt100::Screen) -> Vec<u8> {
    match pressed {
        Pressed::Text(text) => text.clone().into_bytes(),
        Pressed::Paste(text) => {
            // What ends a marked pasting must not stand in it: the program would take the rest for keys.
            let text = text.replace("\r\n", "\r").replace('\n', "\r").replace('\u{1b}', "");
            match screen.bracketed_paste() {
                true => format!("\u{1b}[200~{text}\u{1b}[201~").into_bytes(),
                false => text.into_bytes(),
            }
        }
        Pressed::Key { name, control, alt } => {
            let key = match *control {
                true => with_control(name),
                false => named(name, screen.application_cursor()),
            };
            match key {
                Some(key) if *alt => [b"\x1b".as_slice(), &key].concat(),
                Some(key) => key,
                None => Vec::new(),
            }
        }
    }
}

fn with_control(name: &str) -> Option<Vec<u8>> {
    let mut letters = name.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return named(name, false);
    };
    let letter = letter.to_ascii_uppercase();
    match letter {
        'A'..='Z' | '@' | '[' | '\\' | ']' | '^' | '_' => Some(vec![letter as u8 & 0x1f]),
        ' ' => Some(vec![0]),
        _ => None,
    }
}

fn named(name: &str, application: bool) -> Option<Vec<u8>> {
    let arrow = |letter: char| format!("\u{1b}{}{letter}", if application { 'O' } else { '[' });
    let known = match name {
        "Enter" => "\r".to_owned(),
        "Backspace" => "\u{7f}".to_owned(),
        "Tab" => "\t".to_owned(),
        "Escape" => "\u{1b}".to_owned(),
        "ArrowUp" => arrow('A'),
        "ArrowDown" => arrow('B'),
        "ArrowRight" => arrow('C'),
        "ArrowLeft" => arrow('D'),
        "Home" => arrow('H'),
        "End" => arrow('F'),
        "Insert" => "\u{1b}[2~".to_owned(),
        "Delete" => "\u{1b}[3~".to_owned(),
        "PageUp" => "\u{1b}[5~".to_owned(),
        "PageDown" => "\u{1b}[6~".to_owned(),
        "F1" => "\u{1b}OP".to_owned(),
        "F2" => "\u{1b}OQ".to_owned(),
        "F3" => "\u{1b}OR".to_owned(),
        "F4" => "\u{1b}OS".to_owned(),
        "F5" => "\u{1b}[15~".to_owned(),
        "F6" => "\u{1b}[17~".to_owned(),
        "F7" => "\u{1b}[18~".to_owned(),
        "F8" => "\u{1b}[19~".to_owned(),
        "F9" => "\u{1b}[20~".to_owned(),
        "F10" => "\u{1b}[21~".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        _ => return None,
    };
    Some(known.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(written: &str) -> vt100::Parser {
        let mut screen = vt100::Parser::new(LINES, COLUMNS, 0);
        screen.process(written.as_bytes());
        screen
    }

    fn seat(written: &str) -> Seat {
        Seat {
            run: RunId::from("r"),
            step: "s".to_owned(),
            name: "S".to_owned(),
            screen: screen(written),
            keys: mpsc::channel(1).0,
            told: false,
        }
    }

    #[test]
    fn what_is_pressed_is_what_a_terminal_sends() {
        let key = |name: &str, control, alt| Pressed::Key {
            name: name.to_owned(),
            control,
            alt,
        };
        let plain = screen("");
        for (pressed, sent) in [
            (Pressed::Text("ä".to_owned()), "ä"),
            (key("Enter", false, false), "\r"),
            (key("Backspace", false, false), "\u{7f}"),
            (key("d", true, false), "\u{4}"),
            (key("C", true, false), "\u{3}"),
            (key("b", false, true), "\u{1b}b"),
            (key("ArrowUp", false, false), "\u{1b}[A"),
            (key("Shift", false, false), ""),
            (key("é", true, false), ""),
            (Pressed::Paste("a\nb\r\n\u{1b}[201~rm".to_owned()), "a\rb\r[201~rm"),
        ] {
            assert_eq!(bytes_of(&pressed, plain.screen()), sent.as_bytes(), "{sent:?}");
        }
        // A program can ask for other keys, and for marked pasting.
        let other = screen("\u{1b}[?1h\u{1b}[?2004h");
        assert_eq!(bytes_of(&key("ArrowUp", false, false), other.screen()), b"\x1bOA");
        assert_eq!(
            bytes_of(&Pressed::Paste("x".to_owned()), other.screen()),
            b"\x1b[200~x\x1b[201~"
        );
        assert_eq!(format!("{:?}", Pressed::Text("secret".to_owned())), "Pressed");
    }

    #[test]
    fn a_terminal_shows_its_lines_and_where_the_next_character_stands() {
        let view = view(3, &seat("one\r\nName? \u{1b}[31mA\u{1b}[0m"));
        assert_eq!((view.id, view.lines.len()), (3, 24));
        assert_eq!(view.lines[..2], ["one", "Name? A"]);
        let cursor = view.cursor.expect("it is shown");
        assert_eq!((cursor.line, cursor.before.as_str()), (1, "Name? A"));
        assert_eq!((cursor.under.as_str(), cursor.after.as_str()), (" ", ""));
        // Moved: into a line, behind what was written, over another screen; hidden.
        let moved = super::view(0, &seat("abc\u{1b}[1;2H")).cursor.expect("it is shown");
        assert_eq!(
            (moved.before, moved.under, moved.after),
            ("a".into(), "b".into(), "c".into())
        );
        let behind = super::view(0, &seat("ab\u{1b}[1;6H")).cursor.expect("it is shown");
        assert_eq!(behind.before, "ab   ");
        assert_eq!(super::view(0, &seat("\u{1b}[?25l")).cursor, None);
        let over = super::view(0, &seat("first\u{1b}[2J\u{1b}[Hsecond"));
        assert_eq!(over.lines[0], "second");
    }
}
